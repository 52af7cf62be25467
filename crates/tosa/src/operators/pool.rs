//! `AVG_POOL2D` and `MAX_POOL2D`.

use super::binary::max;
use super::block::{BLOCK, Number, one};
use super::conv::Axis;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{Accumulator, NanMode, Operands, Result, steps};
use crate::threads::divide;
use crate::{Element, Opcode, Threads};

const FLOATS: [Element; 5] = [Element::F8E4M3, Element::F8E5M2, Element::F16, Element::Bf16, Element::F32];

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let element = cx.same_of(4, &[&FLOATS[..], &[Element::I8, Element::I16]].concat())?;
    let [batches, height, width, channels] = cx.shape::<4>(4)?;
    let [out_batches, out_height, out_width, out_channels] = cx.result_shape::<4>(0)?;
    let (kernel, stride, pad) = (cx.array::<2>(0)?, cx.array::<2>(1)?, cx.array::<4>(2)?);
    ensure!(batches == out_batches, "{batches} batches, the output has {out_batches}");
    ensure!(channels == out_channels, "{channels} channels, the output has {out_channels}");
    let axis = |at: usize, input: usize, output: usize| {
        let [before, after] = [pad[2 * at], pad[2 * at + 1]];
        let kernel = kernel[at];
        ensure!(kernel >= 1, "a kernel of {kernel}");
        ensure!(
            (0..kernel).contains(&before) && (0..kernel).contains(&after),
            "{before} and {after} elements of padding of a kernel of {kernel}"
        );
        let wanted = steps(input as i64 + before + after - kernel, stride[at])?;
        ensure!(
            wanted == output as i64,
            "the output has {output} elements along an axis, it shall have {wanted}"
        );
        let (kernel, stride, pad) = (kernel as usize, stride[at] as usize, before as usize);
        Ok(Axis { input, kernel, output, stride, dilation: 1, pad })
    };
    let axes = [axis(0, height, out_height)?, axis(1, width, out_width)?];
    if cx.opcode == Opcode::MaxPool2d {
        let pool = Pool { element, axes, channels, kind: Kind::Max(cx.nan_mode(3)?) };
        return Ok(Built::kernel(pool, &[4]));
    }
    use Accumulator as A;
    let accumulator = cx.accumulator(3)?;
    let fits = match element {
        Element::I8 | Element::I16 => accumulator == A::Int32,
        Element::F8E4M3 | Element::F8E5M2 => accumulator == A::Float16,
        Element::F16 => matches!(accumulator, A::Float16 | A::Float32),
        _ => accumulator == A::Float32,
    };
    ensure!(fits, "sums of {element} are not of the type {accumulator:?}");
    cx.zero_point(5, element)?;
    cx.zero_point(6, element)?;
    Ok(Built::kernel(Pool { element, axes, channels, kind: Kind::Average }, &[4, 5, 6]))
}

#[derive(Clone, Copy)]
enum Kind {
    Average,
    Max(NanMode),
}

struct Pool {
    element: Element,
    /// Height and width.
    axes: [Axis; 2],
    channels: usize,
    kind: Kind,
}

impl Kernel for Pool {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let points = match self.kind {
            Kind::Average if !self.element.is_float() => {
                [1, 2].map(|point| one::<i32>(self.element, inputs[point]))
            }
            _ => [0, 0],
        };
        let weight = self.axes.iter().map(|axis| axis.kernel).product();
        divide(threads, outputs[0], self.channels * self.element.bytes(), weight, |first, output| {
            vectorize(Places { pool: self, points, input: inputs[0], first, output });
        });
    }
}

struct Places<'a> {
    pool: &'a Pool,
    /// Of input and output.
    points: [i32; 2],
    input: &'a [u8],
    first: usize,
    output: &'a mut [u8],
}

impl Vectorized for Places<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Places { pool, points: [input_point, output_point], input, first, output } = self;
        let Pool { element, kind, .. } = *pool;
        match (kind, element.is_float()) {
            (Kind::Max(nan_mode), true) => {
                let start = match nan_mode {
                    NanMode::Propagate => f32::NEG_INFINITY,
                    NanMode::Ignore => f32::NAN,
                };
                let keep = |value: f32, _| value;
                pool.places(input, first, output, start, |a, b| max(a, b, nan_mode), keep);
            }
            (Kind::Max(_), false) => {
                pool.places(input, first, output, i32::MIN, i32::max, |value, _| value);
            }
            (Kind::Average, true) => {
                pool.places(input, first, output, 0.0_f32, |a, b| a + b, |sum, count| sum / count as f32);
            }
            (Kind::Average, false) => {
                let (low, high) = element.signed_range();
                pool.places(input, first, output, 0_i32, i32::wrapping_add, |sum, count| {
                    let sum = sum.wrapping_sub((count as i32).wrapping_mul(input_point));
                    let average = mean(sum, count) + i64::from(output_point);
                    average.clamp(low, high) as i32
                });
            }
        }
    }
}

/// `apply_scale_32` by `reciprocal_scale`: the mean of so many values of this sum.
#[inline(always)]
fn mean(sum: i32, count: usize) -> i64 {
    let count = count.max(1) as u64;
    let bits = 64 - (count - 1).leading_zeros();
    let multiplier = (((1_u64 << 30) + 1) << bits) / count;
    let shift = 30 + bits;
    (i64::from(sum).wrapping_mul(multiplier as i64).wrapping_add(1 << (shift - 1))) >> shift
}

impl Pool {
    /// Combines the elements that each place of the output sees, from the place `first` on, and finishes what
    /// comes of so many.
    #[inline(always)]
    fn places<T: Number>(
        &self,
        input: &[u8],
        first: usize,
        output: &mut [u8],
        start: T,
        combine: impl Fn(T, T) -> T,
        finish: impl Fn(T, usize) -> T,
    ) {
        let Pool { element, axes: [height, width], channels, .. } = *self;
        let bytes = element.bytes();
        let (mut values, mut totals) = ([start; BLOCK], [start; BLOCK]);
        for (number, output) in output.chunks_mut(channels * bytes).enumerate() {
            let row = first + number;
            let (x, rest) = (row % width.output, row / width.output);
            let (y, batch) = (rest % height.output, rest / height.output);
            for (block, output) in output.chunks_mut(BLOCK * bytes).enumerate() {
                let count = output.len() / bytes;
                totals.fill(start);
                let mut seen = 0;
                for ky in 0..height.kernel {
                    let Some(iy) = height.place(y, ky) else { continue };
                    for kx in 0..width.kernel {
                        let Some(ix) = width.place(x, kx) else { continue };
                        let place = (batch * height.input + iy) * width.input + ix;
                        let from = (place * channels + block * BLOCK) * bytes;
                        T::load(element, &input[from..], &mut values[..count]);
                        for (total, &value) in totals.iter_mut().zip(&values) {
                            *total = combine(*total, value);
                        }
                        seen += 1;
                    }
                }
                for total in &mut totals {
                    *total = finish(*total, seen);
                }
                T::store(element, &totals[..count], output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_quotients() {
        for count in 1..70_usize {
            for sum in -2000..2000_i32 {
                let exact = f64::from(sum) / count as f64;
                let found = mean(sum, count) as f64;
                // Halves go away from zero: the multiplier is a little more than the reciprocal.
                assert_eq!(found, exact.round(), "{sum} / {count}");
            }
        }
    }
}
