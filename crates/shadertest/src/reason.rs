//! Why two pictures differ: changes that turn one into the other, or nearly.
//!
//! Each candidate is a whole picture made of the first; what is left of the difference to the second says how
//! well it explains it. What no candidate explains is described by where it is: at edges, or by one step.

use crate::picture::Picture;

/// What differs less than this is equal for an explanation, so that rounding does not hide it.
const ROUNDING: u8 = 2;
/// An explanation leaves at most this part of the pixels that differ.
const LEFT_MAX: f64 = 0.05;
/// How far pictures are looked for beside each other, in pixels.
const OFFSET_MAX: i32 = 8;
/// A step between neighbours that is an edge.
const EDGE: u8 = 16;

/// Why pictures differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// One has other pixels across or down.
    Size([u32; 2], [u32; 2]),
    /// The second is the first, moved right and down by so many pixels.
    Offset(i32, i32),
    /// Rows are in the opposite order.
    FlippedVertically,
    /// Columns are in the opposite order.
    FlippedHorizontally,
    /// Both: half a turn.
    Turned,
    /// Channels are in another order: for each of red, green, blue, alpha of the second, the channel of the
    /// first.
    Channels([usize; 4]),
    /// The second has the numbers of the first as sRGB encodes them.
    EncodedAsSrgb,
    /// The first has the numbers of the second as sRGB encodes them.
    DecodedFromSrgb,
    /// The colors of the second are those of the first, multiplied with alpha.
    Premultiplied,
    /// The colors of the first are those of the second, multiplied with alpha.
    Unpremultiplied,
    /// Alpha is all that differs.
    AlphaOnly,
    /// Every color of the second is this many times that of the first.
    Scaled(f64),
    /// No channel differs by more than this, which is rounding.
    Rounding(u8),
    /// So many of the pixels that differ, of all, lie at edges of the first: coverage or sampling.
    Edges(f64),
}

impl Reason {
    /// What it is called in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Size(..) => "size",
            Reason::Offset(..) => "offset",
            Reason::FlippedVertically => "flipped-vertically",
            Reason::FlippedHorizontally => "flipped-horizontally",
            Reason::Turned => "turned",
            Reason::Channels(_) => "channels",
            Reason::EncodedAsSrgb => "encoded-as-srgb",
            Reason::DecodedFromSrgb => "decoded-from-srgb",
            Reason::Premultiplied => "premultiplied",
            Reason::Unpremultiplied => "unpremultiplied",
            Reason::AlphaOnly => "alpha-only",
            Reason::Scaled(_) => "scaled",
            Reason::Rounding(_) => "rounding",
            Reason::Edges(_) => "edges",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Size(a, b) => {
                write!(f, "the sizes differ: {}x{} and {}x{} pixels", a[0], a[1], b[0], b[1])?;
                match (*a, *b) {
                    _ if a[0] == b[1] && a[1] == b[0] => write!(f, "; width and height are swapped"),
                    _ if b[0] == 2 * a[0] && b[1] == 2 * a[1] => write!(f, "; the second is twice as large"),
                    _ if a[0] == 2 * b[0] && a[1] == 2 * b[1] => write!(f, "; the first is twice as large"),
                    _ => Ok(()),
                }
            }
            Reason::Offset(x, y) => {
                write!(f, "the second is the first moved by ({x}, {y}) pixels")?;
                if x.abs() <= 1 && y.abs() <= 1 {
                    write!(f, ": a half-pixel centre, or a viewport")
                } else {
                    Ok(())
                }
            }
            Reason::FlippedVertically => write!(f, "upside down: the direction of y differs"),
            Reason::FlippedHorizontally => write!(f, "mirrored from left to right"),
            Reason::Turned => write!(f, "turned by half a turn"),
            Reason::Channels(order) => {
                let names: Vec<char> = order.iter().map(|&channel| ['r', 'g', 'b', 'a'][channel]).collect();
                write!(f, "channels are swapped: the second's rgba is the first's ")?;
                names.iter().try_for_each(|name| write!(f, "{name}"))
            }
            Reason::EncodedAsSrgb => {
                write!(f, "the second is brighter as sRGB encodes numbers: an sRGB format, or encoding twice")
            }
            Reason::DecodedFromSrgb => {
                write!(
                    f,
                    "the second is darker as sRGB decodes numbers: encoding is missing, or decoding twice"
                )
            }
            Reason::Premultiplied => write!(f, "the colors of the second are multiplied with alpha"),
            Reason::Unpremultiplied => write!(f, "the colors of the first are multiplied with alpha"),
            Reason::AlphaOnly => write!(f, "only alpha differs"),
            Reason::Scaled(factor) => {
                write!(f, "the colors of the second are {factor:.3} times those of the first")
            }
            Reason::Rounding(most) => write!(f, "no channel differs by more than {most} of 255: rounding"),
            Reason::Edges(share) => {
                write!(
                    f,
                    "{:.0} % of the pixels that differ are at edges: coverage or sampling",
                    100.0 * share
                )
            }
        }
    }
}

fn differs(a: [u8; 4], b: [u8; 4], tolerance: u8) -> bool {
    a.iter().zip(b).any(|(&one, other)| one.abs_diff(other) > tolerance)
}

/// What differs between two rows of pixels of one length.
fn count(a: impl Iterator<Item = [u8; 4]>, b: &[[u8; 4]], tolerance: u8) -> usize {
    a.zip(b).filter(|(one, other)| differs(*one, **other, tolerance)).count()
}

/// A number from 0 to 255 as sRGB encodes it.
fn srgb_encoded(value: u8) -> u8 {
    let linear = f64::from(value) / 255.0;
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (255.0 * encoded).round() as u8
}

fn multiplied([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let one = |color: u8| ((u32::from(color) * u32::from(alpha) + 127) / 255) as u8;
    [one(red), one(green), one(blue), alpha]
}

/// What explains the difference best of what changes pixels where they are, if it leaves no more than `most`.
fn by_pixel(a: &Picture, b: &Picture, most: usize) -> Option<(usize, Reason)> {
    let table: [u8; 256] = std::array::from_fn(|value| srgb_encoded(value as u8));
    let encoded = |[red, green, blue, alpha]: [u8; 4]| {
        [table[red as usize], table[green as usize], table[blue as usize], alpha]
    };
    let mut found: Vec<(usize, Reason)> = Vec::new();
    let mut add = |left: usize, reason: Reason| {
        if left <= most {
            found.push((left, reason));
        }
    };
    let (first, second) = (|| a.pixels.iter().copied(), || b.pixels.iter().copied());
    let colors = |[red, green, blue, _]: [u8; 4]| [red, green, blue, 0];
    let plain: Vec<[u8; 4]> = second().map(colors).collect();
    add(count(first().map(colors), &plain, 0), Reason::AlphaOnly);
    add(count(first().map(encoded), &b.pixels, ROUNDING), Reason::EncodedAsSrgb);
    add(count(second().map(encoded), &a.pixels, ROUNDING), Reason::DecodedFromSrgb);
    add(count(first().map(multiplied), &b.pixels, ROUNDING), Reason::Premultiplied);
    add(count(second().map(multiplied), &a.pixels, ROUNDING), Reason::Unpremultiplied);
    for order in [
        [2, 1, 0, 3],
        [0, 2, 1, 3],
        [1, 0, 2, 3],
        [1, 2, 0, 3],
        [2, 0, 1, 3],
        [3, 2, 1, 0],
        [3, 0, 1, 2],
        [1, 2, 3, 0],
    ] {
        let swapped = first().map(|pixel| order.map(|channel| pixel[channel]));
        add(count(swapped, &b.pixels, 0), Reason::Channels(order));
    }
    let sum = |picture: &Picture| -> f64 {
        picture.pixels.iter().flat_map(|pixel| &pixel[..3]).map(|&one| f64::from(one)).sum()
    };
    let (before, after) = (sum(a), sum(b));
    if before > 0.0 && after > 0.0 {
        let factor = after / before;
        let scaled = |[red, green, blue, alpha]: [u8; 4]| {
            let one = |color: u8| (f64::from(color) * factor).round().min(255.0) as u8;
            [one(red), one(green), one(blue), alpha]
        };
        add(count(first().map(scaled), &b.pixels, ROUNDING), Reason::Scaled(factor));
    }
    found.into_iter().min_by_key(|(left, _)| *left)
}

/// The same of what brings pixels to other places.
fn by_place(a: &Picture, b: &Picture, most: usize) -> Option<(usize, Reason)> {
    let (width, height) = (a.width as usize, a.height as usize);
    let at = |x: usize, y: usize| a.pixels[y * width + x];
    let places = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    let mut found: Vec<(usize, Reason)> = vec![
        (count(places().map(|(x, y)| at(x, height - 1 - y)), &b.pixels, 0), Reason::FlippedVertically),
        (count(places().map(|(x, y)| at(width - 1 - x, y)), &b.pixels, 0), Reason::FlippedHorizontally),
        (count(a.pixels.iter().rev().copied(), &b.pixels, 0), Reason::Turned),
    ];
    // Near ones first: of equal ones the first is the least.
    let mut offsets: Vec<(i32, i32)> = (-OFFSET_MAX..=OFFSET_MAX)
        .flat_map(|y| (-OFFSET_MAX..=OFFSET_MAX).map(move |x| (x, y)))
        .filter(|offset| *offset != (0, 0))
        .collect();
    offsets.sort_by_key(|(x, y)| (x.abs() + y.abs(), *y, *x));
    for (x, y) in offsets {
        found.extend(moved(a, b, x, y, most).map(|left| (left, Reason::Offset(x, y))));
    }
    found.retain(|(left, _)| *left <= most);
    found.into_iter().min_by_key(|(left, _)| *left)
}

/// What is left when the first picture is moved, of the pixels that both have; nothing when it is more than
/// `most`.
fn moved(a: &Picture, b: &Picture, x: i32, y: i32, most: usize) -> Option<usize> {
    let (width, height) = (a.width as i32, a.height as i32);
    let (columns, rows) = (x.max(0)..width.min(width + x), y.max(0)..height.min(height + y));
    if columns.is_empty() || rows.is_empty() {
        return None;
    }
    let mut left = 0;
    for row in rows {
        let from = ((row - y) * width + columns.start - x) as usize;
        let to = (row * width + columns.start) as usize;
        let len = columns.len();
        left += count(a.pixels[from..from + len].iter().copied(), &b.pixels[to..to + len], 0);
        if left > most {
            return None;
        }
    }
    Some(left)
}

/// Whether a pixel's neighbours are not as it is.
fn is_at_edge(picture: &Picture, index: usize) -> bool {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let (x, y) = (index % width, index / width);
    let own = picture.pixels[index];
    (y.saturating_sub(1)..(y + 2).min(height)).any(|row| {
        let columns = x.saturating_sub(1)..(x + 2).min(width);
        columns.into_iter().any(|column| differs(own, picture.pixels[row * width + column], EDGE))
    })
}

/// Why two pictures differ, as far as it can be told: the likeliest, if any.
pub fn reason(a: &Picture, b: &Picture) -> Option<Reason> {
    let sizes = ([a.width, a.height], [b.width, b.height]);
    if sizes.0 != sizes.1 {
        return Some(Reason::Size(sizes.0, sizes.1));
    }
    let different: Vec<usize> =
        (0..a.pixels.len()).filter(|&index| a.pixels[index] != b.pixels[index]).collect();
    if different.is_empty() {
        return None;
    }
    let greatest = |index: &usize| {
        let both = a.pixels[*index].iter().zip(b.pixels[*index]);
        both.map(|(&one, other)| one.abs_diff(other)).max().unwrap_or(0)
    };
    let greatest = different.iter().map(greatest).max().unwrap_or(0);
    if greatest <= ROUNDING {
        return Some(Reason::Rounding(greatest));
    }
    let most = (different.len() as f64 * LEFT_MAX) as usize;
    let found = [by_pixel(a, b, most), by_place(a, b, most)].into_iter().flatten();
    if let Some((_, reason)) = found.min_by_key(|(left, _)| *left) {
        return Some(reason);
    }
    let edges = different.iter().filter(|&&index| is_at_edge(a, index)).count();
    let share = edges as f64 / different.len() as f64;
    // Pictures that are edges everywhere say nothing about edges.
    let all =
        (0..a.pixels.len()).filter(|&index| is_at_edge(a, index)).count() as f64 / a.pixels.len() as f64;
    (share >= 0.9 && all < 0.5).then_some(Reason::Edges(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Discs of several colors on a gradient, with alpha.
    fn picture() -> Picture {
        let pixel = |index: u32| {
            let (x, y) = (index % 64, index / 64);
            let is_in = |cx: i32, cy: i32| (x as i32 - cx).pow(2) + (y as i32 - cy).pow(2) < 120;
            match () {
                () if is_in(20, 18) => [200, 90, 30, 255],
                () if is_in(44, 40) => [20, 60, 220, 128],
                () => [(x * 2) as u8, (y * 2) as u8, 40, 255],
            }
        };
        Picture { width: 64, height: 48, pixels: (0..64 * 48).map(pixel).collect() }
    }

    fn changed(change: impl Fn([u8; 4]) -> [u8; 4]) -> Picture {
        let own = picture();
        Picture { pixels: own.pixels.iter().map(|&pixel| change(pixel)).collect(), ..own }
    }

    #[test]
    fn changes_of_pixels_are_named() {
        let a = picture();
        assert_eq!(reason(&a, &a), None);
        let encoded = changed(|[r, g, b, a]| [srgb_encoded(r), srgb_encoded(g), srgb_encoded(b), a]);
        assert_eq!(reason(&a, &encoded), Some(Reason::EncodedAsSrgb));
        assert_eq!(reason(&encoded, &a), Some(Reason::DecodedFromSrgb));
        let swapped = changed(|[r, g, b, a]| [b, g, r, a]);
        assert_eq!(reason(&a, &swapped), Some(Reason::Channels([2, 1, 0, 3])));
        assert_eq!(reason(&a, &changed(multiplied)), Some(Reason::Premultiplied));
        assert_eq!(reason(&changed(multiplied), &a), Some(Reason::Unpremultiplied));
        assert_eq!(reason(&a, &changed(|[r, g, b, _]| [r, g, b, 255])), Some(Reason::AlphaOnly));
        assert_eq!(
            reason(&a, &changed(|[r, g, b, a]| [r, g.saturating_add(1), b, a])),
            Some(Reason::Rounding(1))
        );
        let Some(Reason::Scaled(factor)) = reason(&a, &changed(|[r, g, b, a]| [r / 2, g / 2, b / 2, a]))
        else {
            panic!("half as bright");
        };
        assert!((factor - 0.5).abs() < 0.01, "{factor}");
    }

    #[test]
    fn places_sizes_and_edges_are_named() {
        let a = picture();
        let moved = |x: i32, y: i32| {
            let pixel = |index: i32| {
                let (column, row) = ((index % 64 - x).clamp(0, 63), (index / 64 - y).clamp(0, 47));
                a.pixels[(row * 64 + column) as usize]
            };
            Picture { pixels: (0..64 * 48).map(pixel).collect(), ..a.clone() }
        };
        assert_eq!(reason(&a, &moved(1, 0)), Some(Reason::Offset(1, 0)));
        assert_eq!(reason(&a, &moved(-3, 2)), Some(Reason::Offset(-3, 2)));
        let turned = Picture { pixels: a.pixels.iter().rev().copied().collect(), ..a.clone() };
        assert_eq!(reason(&a, &turned), Some(Reason::Turned));
        let rows: Vec<_> = a.pixels.chunks(64).rev().flatten().copied().collect();
        let flipped = Picture { pixels: rows, ..a.clone() };
        assert_eq!(reason(&a, &flipped), Some(Reason::FlippedVertically));
        let small = Picture { width: 32, height: 24, pixels: vec![[0; 4]; 32 * 24] };
        assert_eq!(
            reason(&small, &a).map(|one| one.to_string()).as_deref(),
            Some("the sizes differ: 32x24 and 64x48 pixels; the second is twice as large")
        );
        // The rims of the discs are smoothed.
        let mut smooth = a.clone();
        for index in 0..smooth.pixels.len() {
            if is_at_edge(&a, index) && index % 2 == 0 {
                smooth.pixels[index] = smooth.pixels[index].map(|one| one / 2 + 40);
            }
        }
        assert!(matches!(reason(&a, &smooth), Some(Reason::Edges(share)) if share > 0.99));
        // What is nothing of this is not explained.
        let mut patched = a.clone();
        patched.pixels[64 * 10..64 * 12].fill([1, 2, 3, 4]);
        assert_eq!(reason(&a, &patched), None);
    }
}
