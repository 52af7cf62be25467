//! Pictures: reading, writing, and where and how much two of them differ.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// Pixels of four channels (red, green, blue, alpha) of eight bits, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The channels of all pixels.
    pub pixels: Vec<[u8; 4]>,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// Its content.
    #[error("{0}: {1}")]
    Png(PathBuf, String),
    /// Two pictures are of different sizes.
    #[error("the pictures have different sizes: {0:?} and {1:?}")]
    Sizes([u32; 2], [u32; 2]),
}

impl Picture {
    /// Reads a PNG of any kind; 16 bits become eight.
    ///
    /// # Errors
    /// When the file cannot be read, or is no PNG.
    pub fn read(path: &Path) -> Result<Picture, PictureError> {
        let file = File::open(path).map_err(|error| PictureError::File(path.to_owned(), error))?;
        let bad = |error: png::DecodingError| PictureError::Png(path.to_owned(), error.to_string());
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(bad)?;
        let size = reader.output_buffer_size();
        let size = size.ok_or_else(|| PictureError::Png(path.to_owned(), "it is too large".to_owned()))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(bad)?;
        let bytes = &bytes[..info.buffer_size()];
        let pixels = match info.color_type {
            png::ColorType::GrayscaleAlpha => {
                bytes.as_chunks().0.iter().map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect()
            }
            _ => bytes.as_chunks().0.to_vec(),
        };
        Ok(Picture { width: info.width, height: info.height, pixels })
    }

    /// As PNG.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.encode_into(&mut bytes)?;
        Ok(bytes)
    }

    fn encode_into(&self, to: &mut impl std::io::Write) -> Result<(), String> {
        let mut encoder = png::Encoder::new(to, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(|error| error.to_string())
    }

    /// Writes a PNG.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PictureError> {
        let file = File::create(path).map_err(|error| PictureError::File(path.to_owned(), error))?;
        let bad = |error| PictureError::Png(path.to_owned(), error);
        self.encode_into(&mut BufWriter::new(file)).map_err(bad)
    }

    fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }
}

/// A rectangle of pixels that differ, or nearly: from (`x0`, `y0`) up to, not including, (`x1`, `y1`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Left.
    pub x0: u32,
    /// Top.
    pub y0: u32,
    /// Right.
    pub x1: u32,
    /// Bottom.
    pub y1: u32,
    /// Pixels in it that differ.
    pub count: u64,
    /// The greatest difference of a channel.
    pub max: u8,
}

/// How two pictures differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Pixels of which a channel differs by more than the tolerance.
    pub count: u64,
    /// All pixels.
    pub pixel_count: u64,
    /// The greatest difference of a channel, of all pixels.
    pub max: u8,
    /// The mean difference of a channel.
    pub mean: f64,
    /// The greatest difference of each channel.
    pub channels: [u8; 4],
    /// The pixel with the greatest difference, and what it is in both.
    pub worst: Option<([u32; 2], [u8; 4], [u8; 4])>,
    /// Structural similarity of luminance (Wang, Bovik, Sheikh and Simoncelli, 2004), the mean over windows
    /// of 8 by 8: 1 for equal pictures, lower the more an eye would see.
    pub similarity: f64,
    /// Where they differ, the region with most pixels first.
    pub regions: Vec<Region>,
}

/// Pixels of a window of [`Difference::similarity`], and of the grid that regions are made of.
const WINDOW: u32 = 8;

fn distance(a: [u8; 4], b: [u8; 4]) -> [u8; 4] {
    std::array::from_fn(|channel| a[channel].abs_diff(b[channel]))
}

/// Compares two pictures of one size; channels may differ by `tolerance`.
///
/// # Errors
/// When their sizes differ.
pub fn compare(a: &Picture, b: &Picture, tolerance: u8) -> Result<Difference, PictureError> {
    if a.size() != b.size() {
        return Err(PictureError::Sizes(a.size(), b.size()));
    }
    let mut found = Difference { pixel_count: a.pixels.len() as u64, ..Difference::default() };
    let columns = a.width.div_ceil(WINDOW) as usize;
    let mut cells = vec![Region::default(); columns * a.height.div_ceil(WINDOW) as usize];
    let mut sum = 0_u64;
    for (index, (&first, &second)) in a.pixels.iter().zip(&b.pixels).enumerate() {
        let each = distance(first, second);
        let most = each.into_iter().max().unwrap_or(0);
        sum += each.iter().map(|&one| u64::from(one)).sum::<u64>();
        let (x, y) = (index as u32 % a.width, index as u32 / a.width);
        for (channel, one) in found.channels.iter_mut().zip(each) {
            *channel = one.max(*channel);
        }
        if most > found.max {
            (found.max, found.worst) = (most, Some(([x, y], first, second)));
        }
        if most > tolerance {
            found.count += 1;
            let cell = &mut cells[(y / WINDOW) as usize * columns + (x / WINDOW) as usize];
            let own = Region { x0: x, y0: y, x1: x + 1, y1: y + 1, count: 1, max: most };
            *cell = if cell.count == 0 { own } else { joined(*cell, own) };
        }
    }
    found.mean = sum as f64 / (4 * a.pixels.len().max(1)) as f64;
    found.similarity = similarity(a, b);
    found.regions = regions(cells, columns);
    Ok(found)
}

fn joined(a: Region, b: Region) -> Region {
    Region {
        x0: a.x0.min(b.x0),
        y0: a.y0.min(b.y0),
        x1: a.x1.max(b.x1),
        y1: a.y1.max(b.y1),
        count: a.count + b.count,
        max: a.max.max(b.max),
    }
}

/// Joins cells that touch.
fn regions(mut cells: Vec<Region>, columns: usize) -> Vec<Region> {
    let mut regions = Vec::new();
    for start in 0..cells.len() {
        if cells[start].count == 0 {
            continue;
        }
        let mut region = std::mem::take(&mut cells[start]);
        let mut next = vec![start];
        while let Some(cell) = next.pop() {
            let (x, y) = (cell % columns, cell / columns);
            for row in y.saturating_sub(1)..=y + 1 {
                for column in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    let beside = row * columns + column;
                    if cells.get(beside).is_some_and(|beside| beside.count > 0) {
                        region = joined(region, std::mem::take(&mut cells[beside]));
                        next.push(beside);
                    }
                }
            }
        }
        regions.push(region);
    }
    regions.sort_by_key(|region| (std::cmp::Reverse(region.count), region.y0, region.x0));
    regions
}

fn similarity(a: &Picture, b: &Picture) -> f64 {
    // The constants of the paper, for 255 as the greatest value.
    const C1: f64 = (0.01 * 255.0) * (0.01 * 255.0);
    const C2: f64 = (0.03 * 255.0) * (0.03 * 255.0);
    let luminance = |[red, green, blue, alpha]: [u8; 4]| {
        let light = 0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue);
        light * f64::from(alpha) / 255.0
    };
    let (mut sum, mut count) = (0.0, 0.0);
    for top in (0..a.height).step_by(WINDOW as usize) {
        for left in (0..a.width).step_by(WINDOW as usize) {
            let (mut n, mut sums) = (0.0, [0.0; 5]);
            for y in top..(top + WINDOW).min(a.height) {
                for x in left..(left + WINDOW).min(a.width) {
                    let index = (y * a.width + x) as usize;
                    let (p, q) = (luminance(a.pixels[index]), luminance(b.pixels[index]));
                    n += 1.0;
                    for (sum, value) in sums.iter_mut().zip([p, q, p * p, q * q, p * q]) {
                        *sum += value;
                    }
                }
            }
            let [p, q, pp, qq, pq] = sums.map(|sum| sum / n);
            let (vp, vq, cov) = (pp - p * p, qq - q * q, pq - p * q);
            sum += (2.0 * p * q + C1) * (2.0 * cov + C2) / ((p * p + q * q + C1) * (vp + vq + C2));
            count += 1.0;
        }
    }
    if count == 0.0 { 1.0 } else { sum / count }
}

/// A picture of the difference: what is equal in pale grey, what differs from yellow to red.
pub fn difference_picture(a: &Picture, b: &Picture, tolerance: u8) -> Picture {
    let pixels = a.pixels.iter().zip(&b.pixels).map(|(&first, &second)| {
        let most = distance(first, second).into_iter().max().unwrap_or(0);
        if most <= tolerance {
            let grey = (u32::from(first[0]) + u32::from(first[1]) + u32::from(first[2])) / 3;
            let pale = (200 + grey / 5).min(255) as u8;
            return [pale, pale, pale, 255];
        }
        // A difference of one is yellow, of a quarter of the range and more red.
        let green = 220_u32.saturating_sub(u32::from(most) * 220 / 64);
        [220, green as u8, 0, 255]
    });
    Picture { width: a.width, height: a.height, pixels: pixels.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Picture {
        let pixels = (0..width * height).map(|at| [(at % 251) as u8, (at / 7) as u8, 40, 255]).collect();
        Picture { width, height, pixels }
    }

    #[test]
    fn equal_pictures_do_not_differ() {
        let a = picture(33, 17);
        let found = compare(&a, &a, 0).expect("of one size");
        assert_eq!((found.count, found.max, found.regions.len()), (0, 0, 0));
        assert!((found.similarity - 1.0).abs() < 1e-9);
        assert!(matches!(compare(&a, &picture(33, 18), 0), Err(PictureError::Sizes(..))));
    }

    #[test]
    fn regions_worst_pixel_and_tolerance() {
        let a = picture(64, 64);
        let mut b = a.clone();
        for y in 10..14 {
            for x in 5..9 {
                b.pixels[y * 64 + x][2] = 50;
            }
        }
        b.pixels[60 * 64 + 50][0] ^= 128;
        let found = compare(&a, &b, 0).expect("of one size");
        assert_eq!((found.count, found.max, found.channels), (17, 128, [128, 0, 10, 0]));
        assert_eq!(found.worst.map(|worst| worst.0), Some([50, 60]));
        let places: Vec<_> =
            found.regions.iter().map(|one| (one.x0, one.y0, one.x1, one.y1, one.count)).collect();
        assert_eq!(places, [(5, 10, 9, 14, 16), (50, 60, 51, 61, 1)]);
        assert!(found.similarity < 1.0);
        assert_eq!(compare(&a, &b, 10).expect("of one size").count, 1);
        let diff = difference_picture(&a, &b, 0);
        assert_eq!(diff.pixels[60 * 64 + 50], [220, 0, 0, 255]);
        assert_eq!(diff.pixels[0][0], diff.pixels[0][1]);
    }

    #[test]
    fn files_hold_the_same_pixels() {
        let path = std::env::temp_dir().join(format!("pyroclast-picture-{}.png", std::process::id()));
        let a = picture(21, 5);
        a.write(&path).expect("written");
        assert_eq!(Picture::read(&path).expect("read"), a);
        std::fs::write(&path, b"no picture").expect("written");
        assert!(matches!(Picture::read(&path), Err(PictureError::Png(..))));
        std::fs::remove_file(&path).expect("removed");
        assert!(matches!(Picture::read(&path), Err(PictureError::File(..))));
    }
}
