//! `FFT2D` and `RFFT2D`: Fourier transforms of rows and columns, in 64 bits.

use super::block::{load_f32, store_f32};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::operands::{Operands, Result};
use crate::threads::divide_items;
use crate::{Element, Opcode, Threads};
use std::f64::consts::PI;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    let is_real = cx.opcode == Opcode::Rfft2d;
    // Sums of 64 bits are within the bounds for every `local_bound`.
    cx.boolean(usize::from(!is_real))?;
    let is_inverse = !is_real && cx.boolean(0)?;
    let inputs: &[usize] = if is_real { &[1] } else { &[2, 3] };
    let [batches, height, width] = cx.shape::<3>(inputs[0])?;
    for &operand in inputs {
        cx.expect_element(operand, Element::F32)?;
        ensure!(cx.ty(operand) == cx.ty(inputs[0]), "the real and the imaginary part have other shapes");
    }
    ensure!(
        height.is_power_of_two() && width.is_power_of_two(),
        "{height} × {width} elements, which are no powers of two"
    );
    let columns = if is_real { width / 2 + 1 } else { width };
    cx.expect_result(&[batches, height, columns])?;
    ensure!(cx.result(0).element() == Element::F32, "the result is {}", cx.result(0));
    ensure!(cx.result(0) == cx.result(1), "the real and the imaginary result have other types");
    Ok(Built::kernel(Fft { height, width, columns, is_inverse }, inputs))
}

struct Fft {
    height: usize,
    width: usize,
    /// Columns of the output.
    columns: usize,
    is_inverse: bool,
}

type Complex = [f64; 2];

/// The factors of a transform of so many elements.
fn factors(count: usize, is_inverse: bool) -> Vec<Complex> {
    let sign = if is_inverse { 1.0 } else { -1.0 };
    let angle = |at: usize| 2.0 * PI * at as f64 / count as f64;
    (0..count / 2).map(|at| [libm::cos(angle(at)), sign * libm::sin(angle(at))]).collect()
}

/// Transforms elements, whose number is a power of two, in place.
fn transform(values: &mut [Complex], factors: &[Complex]) {
    let count = values.len();
    let bits = count.trailing_zeros();
    for at in 0..count {
        let other = if bits == 0 { 0 } else { at.reverse_bits() >> (usize::BITS - bits) };
        if at < other {
            values.swap(at, other);
        }
    }
    let mut half = 1;
    while half < count {
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (at, (low, high)) in low.iter_mut().zip(high).enumerate() {
                let [cos, sin] = factors[at * (count / (2 * half))];
                let turned = [high[0] * cos - high[1] * sin, high[0] * sin + high[1] * cos];
                *high = [low[0] - turned[0], low[1] - turned[1]];
                *low = [low[0] + turned[0], low[1] + turned[1]];
            }
        }
        half *= 2;
    }
}

impl Kernel for Fft {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let Fft { height, width, columns, is_inverse } = *self;
        let (across, down) = (factors(width, is_inverse), factors(height, is_inverse));
        let [real, imaginary] = outputs else { return };
        let image = height * width;
        let batches = real.chunks_mut(height * columns * 4).zip(imaginary.chunks_mut(height * columns * 4));
        for (batch, (real, imaginary)) in batches.enumerate() {
            let mut values: Vec<Complex> = vec![[0.0; 2]; image];
            divide_items(threads, &mut values, width, |row, values| {
                let mut numbers = vec![0.0; width];
                for (part, input) in inputs.iter().enumerate() {
                    let from = (batch * image + row * width) * 4;
                    load_f32(Element::F32, &input[from..], &mut numbers);
                    values.iter_mut().zip(&numbers).for_each(|(to, &number)| to[part] = number.into());
                }
                transform(values, &across);
            });
            // Column by column: the transforms of columns, one behind the other.
            let mut turned: Vec<Complex> = vec![[0.0; 2]; height * columns];
            divide_items(threads, &mut turned, height, |column, turned| {
                for (row, to) in turned.iter_mut().enumerate() {
                    *to = values[row * width + column];
                }
                transform(turned, &down);
            });
            for (part, output) in [real, imaginary].into_iter().enumerate() {
                divide_items(threads, output, columns * 4, |row, output| {
                    let numbers: Vec<f32> =
                        (0..columns).map(|column| turned[column * height + row][part] as f32).collect();
                    store_f32(Element::F32, &numbers, output);
                });
            }
        }
    }
}
