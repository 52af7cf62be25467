//! Blits: copies with scaling, conversion and filtering.
//!
//! Vulkan, "Image copies with scaling": texel (x, y, z) of the target takes the source at
//! `u = (x + 1/2 - x_target0) * scale + x_source0`; nearest takes floor(u), linear weights the texels around
//! u - 1/2, cubic four of them in x and y; all clamp to the edge of the source region's image level.

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

/// Where these come from, in texels of the source.
fn places(source: [i32; 2], target: [i32; 2]) -> impl Iterator<Item = f64> {
    let (source_size, target_size) =
        (f64::from(source[1]) - f64::from(source[0]), f64::from(target[1]) - f64::from(target[0]));
    coordinates(target).map(move |x| {
        (f64::from(x) + 0.5 - f64::from(target[0])) * (source_size / target_size) + f64::from(source[0])
    })
}

/// The same, each with its source.
fn taps(source: [i32; 2], target: [i32; 2], limit: u32, linear: bool) -> Vec<(u32, Tap)> {
    let clamp = |x: f64| x.clamp(0.0, f64::from(limit.saturating_sub(1))) as u32;
    coordinates(target)
        .zip(places(source, target))
        .map(|(x, at)| {
            let tap = if linear {
                let corner = at - 0.5;
                let floor = corner.floor();
                Tap { first: clamp(floor), second: clamp(floor + 1.0), weight: (corner - floor) as f32 }
            } else {
                Tap { first: clamp(at.floor()), second: clamp(at.floor()), weight: 0.0 }
            };
            (x as u32, tap)
        })
        .collect()
}

/// Where one coordinate of the target comes from with a cubic filter: four texels and their weights.
struct CubicTap {
    texels: [u32; 4],
    weights: [f32; 4],
}

fn cubic_taps(source: [i32; 2], target: [i32; 2], limit: u32, weights: CubicWeights) -> Vec<CubicTap> {
    let far = limit.saturating_sub(1);
    let polynomials = weights.polynomials();
    // A linear filter's fraction is that of a cubic one; its lower texel, before clamping, is the second of
    // four.
    places(source, target)
        .map(|at| {
            let corner = at - 0.5;
            let floor = corner.floor();
            let fraction = (corner - floor) as f32;
            CubicTap {
                texels: [-1.0, 0.0, 1.0, 2.0].map(|step| (floor + step).clamp(0.0, f64::from(far)) as u32),
                weights: polynomials.map(|[constant, linear, quadratic, cubic]| {
                    ((cubic * fraction + quadratic) * fraction + linear) * fraction + constant
                }),
            }
        })
        .collect()
}

/// The weighted sum of four values.
fn sum(four: [Value; 4], weights: &[f32; 4]) -> Value {
    std::array::from_fn(|component| {
        // What has no weight may be infinite.
        let products = four.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0);
        products.map(|(value, weight)| f32::from_bits(value[component]) * weight).sum::<f32>().to_bits()
    })
}

/// One aspect's values of rows of the source, the last few kept.
struct Rows<'s> {
    source: &'s Surface,
    codec: Codec,
    cached: VecDeque<([u32; 2], Rc<[Value]>)>,
}

impl Rows<'_> {
    /// Rows that are kept: those of two lines in two slices.
    const KEPT: usize = 4;

    /// The values of a row.
    fn load(&mut self, row: u32, plane: u32) -> Rc<[Value]> {
        if let Some((_, values)) = self.cached.iter().find(|(key, _)| *key == [row, plane]) {
            return Rc::clone(values);
        }
        let (bytes, [columns, lines, slices]) =
            (self.source.texel_bytes(), self.source.format.block_extent());
        let mut texels = vec![0; self.source.width.div_ceil(columns) as usize * bytes];
        self.source.read([0, row / lines, plane / slices], 0, &mut texels);
        let mut values = Vec::with_capacity(self.source.width.next_multiple_of(columns) as usize);
        if self.source.format.is_compressed() {
            for block in texels.chunks_exact(bytes) {
                let line = [row % lines, plane % slices];
                values.extend(texel::decode_line(self.source.format, block, line));
            }
            values.truncate(self.source.width as usize);
        } else {
            self.codec.decode(&texels, |value| values.push(value));
        }
        let values: Rc<[Value]> = values.into();
        if self.cached.len() == Rows::KEPT {
            self.cached.pop_front();
        }
        self.cached.push_back(([row, plane], Rc::clone(&values)));
        values
    }
}

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

impl Blit {
    /// Rows of the target, over all planes.
    pub(super) fn row_count(&self) -> u64 {
        [1, 2]
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

    fn run_aspect(&self, aspect: Aspect, numbers: &ops::Range<u64>) {
        let (source, target) = (&self.source, &self.target);
        // Where source and target begin and end.
        let ends = |axis: usize| {
            [&self.source_corners, &self.target_corners].map(|corners| [corners[0][axis], corners[1][axis]])
        };
        let axis = |axis: usize, limit: u32, linear: bool| {
            let [source, target] = ends(axis);
            taps(source, target, limit, linear)
        };
        let linear = self.filter == BlitFilter::Linear;
        let columns = axis(0, source.width, linear);
        let lines = axis(1, source.height, linear);
        let planes = axis(2, source.planes, linear && self.is_3d);
        let cubic = match self.filter {
            BlitFilter::Cubic(weights) => {
                Some([(0, source.width), (1, source.height)].map(|(axis, limit)| {
                    let [source, target] = ends(axis);
                    cubic_taps(source, target, limit, weights)
                }))
            }
            _ => None,
        };
        let (Some(&(left, _)), Some(&(top, _)), Some(&(front, _))) =
            (columns.first(), lines.first(), planes.first())
        else {
            return;
        };
        let whole = Region {
            first: [left, top, front],
            count: [columns.len() as u32, lines.len() as u32, planes.len() as u32],
        };
        if target.check(whole).is_err() || source.width == 0 {
            return;
        }
        let saturate = target.format.numeric_class(aspect) != NumericClass::Float;
        let mut rows = Rows { source, codec: Codec::new(source.format, aspect), cached: VecDeque::new() };
        let codec = Codec::new(target.format, aspect);
        let bytes = target.texel_bytes();
        let mut out = vec![0; columns.len() * bytes];
        {
            for number in numbers.clone() {
                let (&(plane, z), &(line, y)) =
                    (&planes[number as usize / lines.len()], &lines[number as usize % lines.len()]);
                if let Some([columns, lines_of]) = &cubic {
                    target.read([left, line, plane], 0, &mut out);
                    let tap = &lines_of[number as usize % lines.len()];
                    let four = tap.texels.map(|row| rows.load(row, z.first));
                    for (column, texel) in columns.iter().zip(out.chunks_exact_mut(bytes)) {
                        let row = |row: &Rc<[Value]>| {
                            sum(column.texels.map(|texel| row[texel as usize]), &column.weights)
                        };
                        codec.encode(sum([0, 1, 2, 3].map(|index| row(&four[index])), &tap.weights), texel);
                    }
                    target.write([left, line, plane], 0, &out);
                    continue;
                }
                let near = [rows.load(y.first, z.first), rows.load(y.second, z.first)];
                let far = if z.weight == 0.0 {
                    near.clone()
                } else {
                    [rows.load(y.first, z.second), rows.load(y.second, z.second)]
                };
                target.read([left, line, plane], 0, &mut out);
                for (&(_, x), texel) in columns.iter().zip(out.chunks_exact_mut(bytes)) {
                    let value = |row: &[Value]| mix(row[x.first as usize], row[x.second as usize], x.weight);
                    let slice = |rows: &[Rc<[Value]>; 2]| {
                        let first = value(&rows[0]);
                        if y.weight == 0.0 { first } else { mix(first, value(&rows[1]), y.weight) }
                    };
                    let mut result = slice(&near);
                    if z.weight != 0.0 {
                        result = mix(result, slice(&far), z.weight);
                    }
                    if saturate {
                        result = texel::saturate(target.format, aspect, result);
                    }
                    codec.encode(result, texel);
                }
                target.write([left, line, plane], 0, &out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_scale_and_mirror() {
        let firsts = |source, target, limit| {
            taps(source, target, limit, false).into_iter().map(|(_, tap)| tap.first).collect::<Vec<_>>()
        };
        assert_eq!(firsts([0, 4], [0, 4], 4), [0, 1, 2, 3]);
        assert_eq!(firsts([0, 4], [0, 2], 4), [1, 3]);
        assert_eq!(firsts([0, 2], [0, 4], 2), [0, 0, 1, 1]);
        assert_eq!(firsts([4, 0], [0, 4], 4), [3, 2, 1, 0]);
        assert_eq!(firsts([0, 4], [4, 0], 4), [3, 2, 1, 0]);
        let linear = taps([0, 2], [0, 4], 2, true);
        let expected = [(0, 0, 0.75), (0, 1, 0.25), (0, 1, 0.75), (1, 1, 0.25)];
        for ((_, tap), (first, second, weight)) in linear.into_iter().zip(expected) {
            assert_eq!(tap, Tap { first, second, weight });
        }
    }
}
