//! `DEPTHWISE_CONV2D`: a convolution of each channel on its own.

use super::block::{BLOCK, Number, one};
use super::conv::{Axis, axes};
use super::patches::{Prepared, Types, bias, check_bias, types};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let (types, first) = types(cx)?;
    let [batches, input_h, input_w, channels] = cx.shape::<4>(first)?;
    let [kernel_h, kernel_w, weight_channels, multiplier] = cx.shape::<4>(first + 1)?;
    let [out_batches, output_h, output_w, out_channels] = cx.result_shape::<4>(0)?;
    let axes = axes(cx, &[input_h, input_w], &[kernel_h, kernel_w], &[output_h, output_w])?;
    ensure!(batches == out_batches, "{batches} batches, the output has {out_batches}");
    ensure!(channels == weight_channels, "{channels} channels, the weights have {weight_channels}");
    let columns = channels * multiplier;
    ensure!(out_channels == columns, "{columns} channels, the output has {out_channels}");
    check_bias(cx, first + 2, columns)?;
    let sizes = Sizes { types, height: axes[0], width: axes[1], channels, multiplier };
    let reads = [first, first + 1, first + 2, first + 3, first + 4];
    Ok(match types.input {
        Element::I8 => Built::kernel(Depthwise::<i32>::new(cx, sizes, first), &reads),
        Element::I16 => Built::kernel(Depthwise::<i64>::new(cx, sizes, first), &reads),
        _ => Built::kernel(Depthwise::<f32>::new(cx, sizes, first), &reads),
    })
}

#[derive(Clone, Copy)]
struct Sizes {
    types: Types,
    height: Axis,
    width: Axis,
    channels: usize,
    /// Channels of the output for each of the input.
    multiplier: usize,
}

/// Numbers that are multiplied and added.
trait Term: Number {
    /// A sum and the product of two numbers minus zero points; the weight is without its own already.
    fn add(self, value: Self, weight: Self) -> Self;

    /// The difference from a zero point.
    fn above_zero(self, zero_point: i32) -> Self;

    /// The sum of two.
    fn plus(self, other: Self) -> Self;
}

impl Term for f32 {
    #[inline(always)]
    fn add(self, value: f32, weight: f32) -> f32 {
        self + value * weight
    }

    #[inline(always)]
    fn above_zero(self, _zero_point: i32) -> f32 {
        self
    }

    #[inline(always)]
    fn plus(self, other: f32) -> f32 {
        self + other
    }
}

impl Term for i32 {
    #[inline(always)]
    fn add(self, value: i32, weight: i32) -> i32 {
        self.wrapping_add(value.wrapping_mul(weight))
    }

    #[inline(always)]
    fn above_zero(self, zero_point: i32) -> i32 {
        self.wrapping_sub(zero_point)
    }

    #[inline(always)]
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
}

impl Term for i64 {
    #[inline(always)]
    fn add(self, value: i64, weight: i64) -> i64 {
        self.wrapping_add(value.wrapping_mul(weight))
    }

    #[inline(always)]
    fn above_zero(self, zero_point: i32) -> i64 {
        self.wrapping_sub(zero_point.into())
    }

    #[inline(always)]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
}

struct Depthwise<T: Term> {
    sizes: Sizes,
    /// The weights as numbers: for each element of the kernel, all channels of the output.
    weights: Prepared<Vec<T>>,
}

impl<T: Term> Depthwise<T> {
    fn new(cx: &Operands<'_>, sizes: Sizes, first: usize) -> Depthwise<T> {
        Depthwise { sizes, weights: Prepared::new(cx, first + 1, first + 4) }
    }
}

impl<T: Term> Kernel for Depthwise<T> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Sizes { types, height, width, channels, multiplier } = self.sizes;
        let weights = self.weights.get(|| {
            let zero_point = one::<i32>(types.weight, inputs[4]);
            let mut weights = vec![T::default(); inputs[1].len() / types.weight.bytes()];
            T::load(types.weight, inputs[1], &mut weights);
            weights.iter_mut().for_each(|weight| *weight = weight.above_zero(zero_point));
            weights
        });
        let zero_point = one::<i32>(types.input, inputs[3]);
        let bias = bias::<T>(types.output, inputs[2]);
        let row = channels * multiplier * types.output.bytes();
        let weight = height.kernel * width.kernel;
        divide(threads, outputs[0], row, weight, |first, output| {
            let input = inputs[0];
            let sizes = self.sizes;
            vectorize(Places { sizes, weights: &weights[..], zero_point, bias: &bias, input, first, output });
        });
    }
}

struct Places<'a, T: Term> {
    sizes: Sizes,
    weights: &'a [T],
    zero_point: i32,
    bias: &'a [T],
    input: &'a [u8],
    first: usize,
    output: &'a mut [u8],
}

impl<T: Term> Places<'_, T> {
    /// The values that channels of the output from `start` on see at a place of the input.
    #[inline(always)]
    fn values(&self, place: usize, start: usize, values: &mut [T]) {
        let Sizes { types, channels, multiplier, .. } = self.sizes;
        let load = |channel: usize, values: &mut [T]| {
            let from = (place * channels + channel) * types.input.bytes();
            T::load(types.input, &self.input[from..], values);
        };
        if multiplier == 1 {
            load(start, values);
        } else {
            let first = start / multiplier;
            let mut own = [T::default(); BLOCK];
            let count = (start + values.len()).div_ceil(multiplier) - first;
            load(first, &mut own[..count]);
            for (at, value) in values.iter_mut().enumerate() {
                *value = own[(start + at) / multiplier - first];
            }
        }
        for value in values {
            *value = value.above_zero(self.zero_point);
        }
    }
}

impl<T: Term> Vectorized for Places<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let Sizes { types, height, width, channels, multiplier } = self.sizes;
        let (columns, bytes) = (channels * multiplier, types.output.bytes());
        let output = std::mem::take(&mut self.output);
        let (mut values, mut sums) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        for (number, output) in output.chunks_mut(columns * bytes).enumerate() {
            let row = self.first + number;
            let (x, rest) = (row % width.output, row / width.output);
            let (y, batch) = (rest % height.output, rest / height.output);
            for (block, output) in output.chunks_mut(BLOCK * bytes).enumerate() {
                let (start, count) = (block * BLOCK, output.len() / bytes);
                sums.fill(T::default());
                for ky in 0..height.kernel {
                    let Some(iy) = height.place(y, ky) else { continue };
                    for kx in 0..width.kernel {
                        let Some(ix) = width.place(x, kx) else { continue };
                        let place = (batch * height.input + iy) * width.input + ix;
                        self.values(place, start, &mut values[..count]);
                        let weights = &self.weights[(ky * width.kernel + kx) * columns + start..][..count];
                        for ((sum, &value), &weight) in sums.iter_mut().zip(&values).zip(weights) {
                            *sum = sum.add(value, weight);
                        }
                    }
                }
                match self.bias {
                    [bias] => sums.iter_mut().for_each(|sum| *sum = sum.plus(*bias)),
                    bias => {
                        for (sum, &bias) in sums[..count].iter_mut().zip(&bias[start..]) {
                            *sum = sum.plus(bias);
                        }
                    }
                }
                T::store(types.output, &sums[..count], output);
            }
        }
    }
}
