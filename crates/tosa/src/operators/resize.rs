//! `RESIZE`: images scaled, by the nearest element or between four.

use super::block::{BLOCK, Number};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{Operands, Result, steps};
use crate::threads::divide;
use crate::{Element, GraphError, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    let mode = cx.int(0)?;
    let is_bilinear = match mode {
        1 => false,
        2 => true,
        _ => return Err(GraphError::Invalid(format!("{mode} is no resize mode"))),
    };
    let floats = [E::F16, E::Bf16, E::F32].map(|element| (element, element));
    let integers = match is_bilinear {
        true => [(E::I8, E::I32), (E::I16, E::I48)],
        false => [(E::I8, E::I8), (E::I16, E::I16)],
    };
    let (from, to) = cx.one_of(1, &[&floats[..], &integers].concat())?;
    let [batches, height, width, channels] = cx.shape::<4>(1)?;
    let [out_batches, out_height, out_width, out_channels] = cx.result_shape::<4>(0)?;
    let scale = cx.array::<4>(2)?;
    let (offset, border) = (cx.array::<2>(3)?, cx.array::<2>(4)?);
    ensure!(batches == out_batches, "{batches} batches, the output has {out_batches}");
    ensure!(channels == out_channels, "{channels} channels, the output has {out_channels}");
    let axis = |at: usize, input: usize, output: usize| {
        let [numerator, denominator] = [scale[2 * at], scale[2 * at + 1]];
        let (offset, border) = (offset[at], border[at]);
        ensure!(input < 16384 && output < 16384, "{input} and {output} elements along an axis");
        ensure!(numerator > 0 && denominator > 0, "a scale of {numerator} / {denominator}");
        ensure!(numerator <= 1 << 11, "a scale of {numerator} / {denominator}");
        ensure!(denominator < 16 * numerator, "a scale of {numerator} / {denominator}");
        ensure!((-numerator..16 * numerator).contains(&offset), "an offset of {offset}");
        ensure!((-16 * numerator..numerator).contains(&border), "a border of {border}");
        let wanted = steps((input as i64 - 1) * numerator - offset + border, denominator)?;
        ensure!(
            wanted == output as i64,
            "the output has {output} elements along an axis, it shall have {wanted}"
        );
        Ok(Axis { input, output, numerator, denominator, offset })
    };
    let (height, width) = (axis(0, height, out_height)?, axis(1, width, out_width)?);
    Ok(Built::kernel(Resize { from, to, is_bilinear, height, width, channels }, &[1]))
}

/// Along height or width.
#[derive(Clone, Copy)]
struct Axis {
    input: usize,
    output: usize,
    numerator: i64,
    denominator: i64,
    offset: i64,
}

impl Axis {
    /// The elements of the input around an element of the output, and how far it is from the first, in parts
    /// of the numerator.
    #[inline(always)]
    fn around(&self, output: usize) -> ([usize; 2], i64) {
        let at = output as i64 * self.denominator + self.offset;
        let first = at.div_euclid(self.numerator);
        let last = self.input as i64 - 1;
        ([first, first + 1].map(|place| place.clamp(0, last) as usize), at.rem_euclid(self.numerator))
    }
}

struct Resize {
    from: Element,
    to: Element,
    is_bilinear: bool,
    height: Axis,
    width: Axis,
    channels: usize,
}

impl Kernel for Resize {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let row = self.channels * self.to.bytes();
        divide(threads, outputs[0], row, if self.is_bilinear { 8 } else { 1 }, |first, output| {
            vectorize(Places { resize: self, input: inputs[0], first, output });
        });
    }
}

struct Places<'a> {
    resize: &'a Resize,
    input: &'a [u8],
    first: usize,
    output: &'a mut [u8],
}

impl Vectorized for Places<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Places { resize, input, first, output } = self;
        let Resize { from, to, is_bilinear, height, width, channels } = *resize;
        let row = channels * to.bytes();
        for (number, output) in output.chunks_mut(row).enumerate() {
            let at = first + number;
            let (x, rest) = (at % width.output, at / width.output);
            let (y, batch) = (rest % height.output, rest / height.output);
            let ((ys, dy), (xs, dx)) = (height.around(y), width.around(x));
            let pixel = |y: usize, x: usize| {
                let place = (batch * height.input + y) * width.input + x;
                &input[place * channels * from.bytes()..][..channels * from.bytes()]
            };
            if !is_bilinear {
                let y = ys[usize::from(2 * dy >= height.numerator)];
                let x = xs[usize::from(2 * dx >= width.numerator)];
                output.copy_from_slice(pixel(y, x));
                continue;
            }
            let four = [pixel(ys[0], xs[0]), pixel(ys[0], xs[1]), pixel(ys[1], xs[0]), pixel(ys[1], xs[1])];
            if from.is_float() {
                let dy = dy as f32 / height.numerator as f32;
                let dx = dx as f32 / width.numerator as f32;
                let weights = [(1.0 - dy) * (1.0 - dx), (1.0 - dy) * dx, dy * (1.0 - dx), dy * dx];
                blend(four, (from, to), weights, |sum: f32, value, weight| sum + value * weight, output);
            } else {
                let weights = [
                    (height.numerator - dy) * (width.numerator - dx),
                    (height.numerator - dy) * dx,
                    dy * (width.numerator - dx),
                    dy * dx,
                ];
                blend(four, (from, to), weights, |sum: i64, value, weight| sum + value * weight, output);
            }
        }
    }
}

/// Sums of four pixels by their weights.
#[inline(always)]
fn blend<T: Number>(
    pixels: [&[u8]; 4],
    (from, to): (Element, Element),
    weights: [T; 4],
    add: impl Fn(T, T, T) -> T,
    output: &mut [u8],
) {
    let (mut values, mut sums) = ([T::default(); BLOCK], [T::default(); BLOCK]);
    for (block, output) in output.chunks_mut(BLOCK * to.bytes()).enumerate() {
        let count = output.len() / to.bytes();
        sums.fill(T::default());
        for (pixel, &weight) in pixels.iter().zip(&weights) {
            T::load(from, &pixel[block * BLOCK * from.bytes()..], &mut values[..count]);
            for (sum, &value) in sums.iter_mut().zip(&values) {
                *sum = add(*sum, value, weight);
            }
        }
        T::store(to, &sums[..count], output);
    }
}
