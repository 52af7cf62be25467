//! Blits: copies with scaling, conversion and filtering.
//!
//! Vulkan, "Image copies with scaling": texel (x, y, z) of the target takes the source at
//! `u = (x + 1/2 - x_target0) * scale + x_source0`; nearest takes floor(u), linear weights the texels around
//! u - 1/2, cubic four of them in x and y; all clamp to the edge of the source region's image level.

use super::halving::halve;
use super::rotation::Rotation;
use super::rows::Codec;
use super::surface::{Region, Surface};
use super::texel::{self, Value};
use pyro_image::{Aspect, CubicWeights, NumericClass};
use std::collections::VecDeque;
use std::ops;
use std::rc::Rc;

/// Two corners of a box: the second may be before the first, which mirrors.
pub(super) type Corners = [[i32; 3]; 2];

/// The filter of a blit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlitFilter {
    /// One texel.
    Nearest,
    /// Two in each dimension.
    Linear,
    /// Four in x and y.
    Cubic(CubicWeights),
}

/// A blit. Corners count texels and, in z, slices, or layers of the surfaces' planes.
pub struct Blit {
    /// Where from.
    pub source: Surface,
    /// What of it.
    pub source_corners: Corners,
    /// Where to.
    pub target: Surface,
    /// What of it.
    pub target_corners: Corners,
    /// Color, depth or stencil, of both.
    pub aspects: Vec<Aspect>,
    /// What is made of the texels around a place.
    pub filter: BlitFilter,
    /// The planes are slices, between which linear filtering weights too.
    pub is_3d: bool,
    /// How the target lies to the source.
    pub rotation: Rotation,
}

/// Where one coordinate of the target comes from: one or two texels, and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tap {
    first: u32,
    second: u32,
    weight: f32,
}

/// The target's coordinates along an axis, in ascending order.
fn coordinates(target: [i32; 2]) -> ops::Range<i32> {
    target[0].min(target[1]).max(0)..target[0].max(target[1]).max(0)
}

/// Where the target's coordinates along an axis come from.
#[derive(Clone, Copy)]
struct Axis {
    source: [i32; 2],
    target: [i32; 2],
    /// Texels of the source's level.
    limit: u32,
    linear: bool,
}

impl Axis {
    /// The place of a coordinate, in texels of the source.
    fn place(self, x: i32) -> f64 {
        let size = |ends: [i32; 2]| f64::from(ends[1]) - f64::from(ends[0]);
        let scale = size(self.source) / size(self.target);
        (f64::from(x) + 0.5 - f64::from(self.target[0])) * scale + f64::from(self.source[0])
    }

    fn clamp(self, texel: f64) -> u32 {
        texel.clamp(0.0, f64::from(self.limit.saturating_sub(1))) as u32
    }

    fn tap(self, x: i32) -> Tap {
        let at = self.place(x);
        if self.linear {
            let corner = at - 0.5;
            let floor = corner.floor();
            let (first, second) = (self.clamp(floor), self.clamp(floor + 1.0));
            Tap { first, second, weight: (corner - floor) as f32 }
        } else {
            let texel = self.clamp(at.floor());
            Tap { first: texel, second: texel, weight: 0.0 }
        }
    }

    /// The first of the source's coordinates, where all of the target's, so many from this one on, are means
    /// of two each that follow each other and lie within the source.
    fn halved(self, target: &ops::Range<i32>) -> Option<u32> {
        let [source, to] = [self.source, self.target].map(|[first, last]| last.checked_sub(first));
        let first = (i64::from(target.start) - i64::from(self.target[0])) * 2 + i64::from(self.source[0]);
        let count = 2 * target.len() as i64;
        let is_halved = self.linear
            && to.is_some_and(|to| to > 0 && source == to.checked_mul(2))
            && first >= 0
            && first + count <= i64::from(self.limit);
        is_halved.then_some(first as u32)
    }

    /// `polynomials`: the weights', of a linear filter's fraction.
    fn cubic_tap(self, x: i32, polynomials: &[[f32; 4]; 4]) -> CubicTap {
        // A linear filter's fraction is that of a cubic one; its lower texel, before clamping, is the second
        // of four.
        let corner = self.place(x) - 0.5;
        let floor = corner.floor();
        let fraction = (corner - floor) as f32;
        CubicTap {
            texels: [-1.0, 0.0, 1.0, 2.0].map(|step| self.clamp(floor + step)),
            weights: polynomials.map(|[constant, linear, quadratic, cubic]| {
                ((cubic * fraction + quadratic) * fraction + linear) * fraction + constant
            }),
        }
    }
}

/// Where one coordinate of the target comes from with a cubic filter: four texels and their weights.
struct CubicTap {
    texels: [u32; 4],
    weights: [f32; 4],
}

/// The weighted sum of four values.
fn sum(four: [Value; 4], weights: &[f32; 4]) -> Value {
    std::array::from_fn(|component| {
        // What has no weight may be infinite.
        let products = four.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0);
        products.map(|(value, weight)| f32::from_bits(value[component]) * weight).sum::<f32>().to_bits()
    })
}

/// One aspect's values of rows of the source, the last few kept: of every texel, or at the target's columns.
struct Rows<'s> {
    source: &'s Surface,
    codec: Codec,
    /// Where values are taken, if not at every texel.
    columns: Option<&'s [Tap]>,
    /// The texels that are read.
    texels: ops::Range<u32>,
    cached: VecDeque<([u32; 2], Rc<[Value]>)>,
    bytes: Vec<u8>,
}

impl<'s> Rows<'s> {
    /// Rows that are kept: those of two lines in two slices.
    const KEPT: usize = 4;

    fn new(source: &'s Surface, aspect: Aspect, columns: Option<&'s [Tap]>) -> Rows<'s> {
        let ends = columns.into_iter().flatten().map(|tap| {
            let (first, second) = (tap.first, tap.second);
            (first.min(second), first.max(second) + 1)
        });
        let ends = ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        let texels = match ends {
            Some((first, end)) if !source.format.is_compressed() => first..end,
            _ => 0..source.width,
        };
        let codec = Codec::new(source.format, aspect);
        Rows { source, codec, columns, texels, cached: VecDeque::new(), bytes: Vec::new() }
    }

    /// The values of a row.
    fn load(&mut self, row: u32, plane: u32) -> Rc<[Value]> {
        if let Some((_, values)) = self.cached.iter().find(|(key, _)| *key == [row, plane]) {
            return Rc::clone(values);
        }
        let (bytes, [columns, lines, slices]) =
            (self.source.texel_bytes(), self.source.format.block_extent());
        let ops::Range { start, end } = self.texels;
        self.bytes.resize((end - start).div_ceil(columns) as usize * bytes, 0);
        self.source.read([start / columns, row / lines, plane / slices], 0, &mut self.bytes);
        let mut values = Vec::with_capacity((end - start).next_multiple_of(columns) as usize);
        if self.source.format.has_blocks_around() {
            values.extend(row_around(self.source, row, plane));
        } else if self.source.format.is_compressed() {
            for block in self.bytes.chunks_exact(bytes) {
                let line = [row % lines, plane % slices];
                values.extend(texel::decode_line(self.source.format, block, line));
            }
            values.truncate(self.source.width as usize);
        } else {
            self.codec.decode_row(&self.bytes, &mut values);
        }
        let values: Rc<[Value]> = match self.columns {
            None => values.into(),
            Some(columns) => columns
                .iter()
                .map(|tap| {
                    let [first, second] = [tap.first, tap.second].map(|at| values[(at - start) as usize]);
                    mix(first, second, tap.weight)
                })
                .collect(),
        };
        if self.cached.len() == Rows::KEPT {
            self.cached.pop_front();
        }
        self.cached.push_back(([row, plane], Rc::clone(&values)));
        values
    }
}

/// The values of a row whose texels depend on blocks around theirs (PVRTC).
fn row_around(source: &Surface, row: u32, plane: u32) -> impl Iterator<Item = Value> {
    let [columns, lines, _] = source.format.block_extent();
    let blocks = [source.width.div_ceil(columns), source.height.div_ceil(lines)];
    let word = move |[x, y]: [u32; 2]| {
        let mut bytes = [0; 8];
        source.read([x, y, plane], 0, &mut bytes);
        u64::from_le_bytes(bytes)
    };
    (0..source.width).map(move |x| {
        let texel = pyro_image::texel::decode_texel(source.format, blocks, [x, row], word);
        texel.unwrap_or_default().map(f32::to_bits)
    })
}

#[inline(always)]
fn mix(first: Value, second: Value, weight: f32) -> Value {
    if weight == 0.0 {
        return first;
    }
    let mut result = [0; 4];
    for ((out, first), second) in result.iter_mut().zip(first).zip(second) {
        let (first, second) = (f32::from_bits(first), f32::from_bits(second));
        *out = (first * (1.0 - weight) + second * weight).to_bits();
    }
    result
}

/// The values between those of two rows.
fn mix_rows(first: &mut [Value], second: &[Value], weight: f32) {
    if weight != 0.0 {
        first.iter_mut().zip(second).for_each(|(first, second)| *first = mix(*first, *second, weight));
    }
}

impl Blit {
    /// Rows of the target, over all planes; columns where it lies crosswise.
    pub(super) fn row_count(&self) -> u64 {
        [usize::from(!self.rotation.is_crosswise()), 2]
            .map(|axis| coordinates([0, 1].map(|corner| self.target_corners[corner][axis])).len() as u64)
            .iter()
            .product()
    }

    /// Writes some of the target's rows.
    pub(super) fn run(&self, numbers: &ops::Range<u64>) {
        for &aspect in &self.aspects {
            self.run_aspect(aspect, numbers);
        }
    }

    /// Where the target's lines, and the texels of a line, come from: a target that lies crosswise is written
    /// column by column, so its axes are exchanged.
    fn axes(&self) -> [Axis; 3] {
        let linear = self.filter == BlitFilter::Linear;
        let axis = |axis: usize, limit: u32, linear: bool| {
            let other = if self.rotation.is_crosswise() && axis < 2 { 1 - axis } else { axis };
            let [first, last] = [0, 1].map(|corner| self.source_corners[corner][axis]);
            let target = [0, 1].map(|corner| self.target_corners[corner][other]);
            let is_mirrored = match self.rotation {
                Rotation::None => false,
                Rotation::Quarter => axis == 1,
                Rotation::Half => axis < 2,
                Rotation::ThreeQuarters => axis == 0,
            };
            let source = if is_mirrored { [last, first] } else { [first, last] };
            Axis { source, target, limit, linear }
        };
        let Surface { width, height, planes, .. } = self.source;
        [axis(0, width, linear), axis(1, height, linear), axis(2, planes, linear && self.is_3d)]
    }

    /// Writes rows whose texels are means of four each, the first of which is at these coordinates; false
    /// where formats have no loop for that. `source_plane`: what a plane is made of.
    fn halve_rows(
        &self,
        aspect: Aspect,
        whole: Region,
        [x, y]: [u32; 2],
        source_plane: impl Fn(i32) -> u32,
        numbers: &ops::Range<u64>,
    ) -> bool {
        let (source, target) = (&self.source, &self.target);
        let (from, to) = (Codec::new(source.format, aspect), Codec::new(target.format, aspect));
        if !from.has_same_unorm_bytes(&to) {
            return false;
        }
        let [left, top, front] = whole.first;
        let [width, height, _] = whole.count;
        let size = target.texel_bytes();
        let mut rows = [(); 2].map(|()| vec![0; 2 * width as usize * size]);
        let mut out = vec![0; width as usize * size];
        for number in numbers.clone() {
            let (line, plane) = ((number % u64::from(height)) as u32, (number / u64::from(height)) as u32);
            let plane = front + plane;
            for (row, bytes) in (y + 2 * line..).zip(&mut rows) {
                source.read([x, row, source_plane(plane as i32)], 0, bytes);
            }
            if !halve(size, rows.each_ref().map(|row| &row[..]), &mut out) {
                return false;
            }
            target.write([left, top + line, plane], 0, &out);
        }
        true
    }

    fn run_aspect(&self, aspect: Aspect, numbers: &ops::Range<u64>) {
        let (source, target) = (&self.source, &self.target);
        let is_crosswise = self.rotation.is_crosswise();
        let [x, y, z] = self.axes();
        let [columns, lines, planes] = [x, y, z].map(|axis| coordinates(axis.target));
        let mut whole = Region {
            first: [&columns, &lines, &planes].map(|range| range.start as u32),
            count: [&columns, &lines, &planes].map(|range| range.len() as u32),
        };
        let [left, top, front] = whole.first;
        if is_crosswise {
            whole.first.swap(0, 1);
            whole.count.swap(0, 1);
        }
        if whole.count.contains(&0) || target.check(whole).is_err() || source.width == 0 {
            return;
        }
        let is_flat = !z.linear || planes.clone().all(|plane| z.tap(plane).weight == 0.0);
        if let (Rotation::None, true, Some(x), Some(y)) =
            (self.rotation, is_flat, x.halved(&columns), y.halved(&lines))
        {
            let plane = |number: i32| z.tap(number).first;
            if self.halve_rows(aspect, whole, [x, y], plane, numbers) {
                return;
            }
        }
        let polynomials = match self.filter {
            BlitFilter::Cubic(weights) => Some(weights.polynomials()),
            _ => None,
        };
        let taps: Vec<Tap> = columns.clone().map(|column| x.tap(column)).collect();
        let cubic_taps: Option<Vec<CubicTap>> = polynomials
            .as_ref()
            .map(|weights| columns.clone().map(|column| x.cubic_tap(column, weights)).collect());
        let saturate = target.format.numeric_class(aspect) != NumericClass::Float;
        let mut rows = Rows::new(source, aspect, cubic_taps.is_none().then_some(&*taps));
        let codec = Codec::new(target.format, aspect);
        let bytes = target.texel_bytes();
        let mut out = vec![0; columns.len() * bytes];
        // The texels of a line: a row of the target, or a column.
        let texels = |[x, y, plane]: [u32; 3]| (y..).map(move |y| [x, y, plane]);
        let mut values: Vec<Value> = Vec::with_capacity(columns.len());
        for number in numbers.clone() {
            let (line, plane) = ((number % lines.len() as u64) as u32, (number / lines.len() as u64) as u32);
            let (line, plane) = (top + line, front + plane);
            let z = z.tap(plane as i32);
            values.clear();
            if let Some((columns, polynomials)) = cubic_taps.as_ref().zip(polynomials.as_ref()) {
                let tap = y.cubic_tap(line as i32, polynomials);
                let four = tap.texels.map(|row| rows.load(row, z.first));
                values.extend(columns.iter().map(|column| {
                    let row = |row: &Rc<[Value]>| {
                        sum(column.texels.map(|texel| row[texel as usize]), &column.weights)
                    };
                    sum([0, 1, 2, 3].map(|index| row(&four[index])), &tap.weights)
                }));
            } else {
                let y = y.tap(line as i32);
                let mut slice = |values: &mut Vec<Value>, plane: u32| {
                    values.extend_from_slice(&rows.load(y.first, plane));
                    mix_rows(values, &rows.load(y.second, plane), y.weight);
                };
                slice(&mut values, z.first);
                if z.weight != 0.0 {
                    let mut far = Vec::with_capacity(values.len());
                    slice(&mut far, z.second);
                    mix_rows(&mut values, &far, z.weight);
                }
                if saturate {
                    let format = target.format;
                    values.iter_mut().for_each(|value| *value = texel::saturate(format, aspect, *value));
                }
            }
            let first = if is_crosswise { [line, left, plane] } else { [left, line, plane] };
            if codec.keeps_bits() {
                match is_crosswise {
                    true => texels(first)
                        .zip(out.chunks_exact_mut(bytes))
                        .for_each(|(at, texel)| target.read(at, 0, texel)),
                    false => target.read(first, 0, &mut out),
                }
            }
            codec.encode_row(&values, &mut out);
            match is_crosswise {
                true => texels(first)
                    .zip(out.chunks_exact(bytes))
                    .for_each(|(at, texel)| target.write(at, 0, texel)),
                false => target.write(first, 0, &out),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_scale_and_mirror() {
        let taps = |source, target, limit, linear| {
            let axis = Axis { source, target, limit, linear };
            coordinates(target).map(move |x| (x as u32, axis.tap(x)))
        };
        let firsts = |source, target, limit| {
            taps(source, target, limit, false).map(|(_, tap)| tap.first).collect::<Vec<_>>()
        };
        assert_eq!(firsts([0, 4], [0, 4], 4), [0, 1, 2, 3]);
        assert_eq!(firsts([0, 4], [0, 2], 4), [1, 3]);
        assert_eq!(firsts([0, 2], [0, 4], 2), [0, 0, 1, 1]);
        assert_eq!(firsts([4, 0], [0, 4], 4), [3, 2, 1, 0]);
        assert_eq!(firsts([0, 4], [4, 0], 4), [3, 2, 1, 0]);
        let linear = taps([0, 2], [0, 4], 2, true);
        let expected = [(0, 0, 0.75), (0, 1, 0.25), (0, 1, 0.75), (1, 1, 0.25)];
        for ((_, tap), (first, second, weight)) in linear.zip(expected) {
            assert_eq!(tap, Tap { first, second, weight });
        }
    }

    #[test]
    fn halved_axes_are_means_of_two() {
        let halved = |source, target, limit, linear, range: ops::Range<i32>| {
            let axis = Axis { source, target, limit, linear };
            let first = axis.halved(&range);
            // As the taps have it.
            if let Some(first) = first {
                for (number, x) in (0..).zip(range) {
                    let (first, weight) = (first + 2 * number, 0.5);
                    assert_eq!(axis.tap(x), Tap { first, second: first + 1, weight });
                }
            }
            first
        };
        assert_eq!(halved([0, 8], [0, 4], 8, true, 0..4), Some(0));
        assert_eq!(halved([2, 10], [5, 9], 12, true, 6..8), Some(4));
        assert_eq!(halved([0, 8], [0, 4], 7, true, 0..4), None);
        assert_eq!(halved([0, 8], [0, 4], 8, false, 0..4), None);
        assert_eq!(halved([8, 0], [0, 4], 8, true, 0..4), None);
        assert_eq!(halved([8, 0], [4, 0], 8, true, 0..4), None);
        assert_eq!(halved([0, 9], [0, 4], 9, true, 0..4), None);
        assert_eq!(halved([0, 8], [-2, 2], 8, true, 0..2), Some(4));
    }
}
