//! `ARGMAX`: the place of the greatest element along an axis.

use super::block::{BLOCK, Number};
use super::{Built, Kernel};
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{NanMode, Operands, Result};
use crate::threads::divide;
use crate::{Element, Threads};
use std::marker::PhantomData;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    let elements = [E::I8, E::I16, E::F8E4M3, E::F8E5M2, E::F16, E::Bf16, E::F32];
    let (element, _) = cx.one_of(2, &elements.map(|element| (element, E::I32)))?;
    let input = cx.ty(2);
    let axis = cx.axis(0, input.rank())?;
    let nan_mode = cx.nan_mode(1)?;
    let mut shape: Vec<usize> = input.shape().iter().map(|&size| size as usize).collect();
    shape.remove(axis);
    cx.expect_result(&shape)?;
    let [_, length, inner] = input.around(axis);
    if element.is_float() {
        let numbers = PhantomData::<f32>;
        return Ok(Built::kernel(ArgMax { element, nan_mode, length, inner, numbers }, &[2]));
    }
    let numbers = PhantomData::<i32>;
    Ok(Built::kernel(ArgMax { element, nan_mode, length, inner, numbers }, &[2]))
}

/// What is compared.
trait Compare: Number {
    /// What there is before the first element.
    fn start(nan_mode: NanMode) -> Self;

    /// Whether a value takes the place of the greatest so far.
    fn is_greater(self, greatest: Self, nan_mode: NanMode) -> bool;
}

impl Compare for f32 {
    #[inline(always)]
    fn start(nan_mode: NanMode) -> f32 {
        match nan_mode {
            NanMode::Propagate => f32::NEG_INFINITY,
            NanMode::Ignore => f32::NAN,
        }
    }

    #[inline(always)]
    fn is_greater(self, greatest: f32, nan_mode: NanMode) -> bool {
        match nan_mode {
            NanMode::Propagate => !greatest.is_nan() & (self.is_nan() | (self > greatest)),
            NanMode::Ignore => !self.is_nan() & (greatest.is_nan() | (self > greatest)),
        }
    }
}

impl Compare for i32 {
    #[inline(always)]
    fn start(_nan_mode: NanMode) -> i32 {
        // No type that there is has smaller values, and the index is zero where all are the least.
        i32::MIN
    }

    #[inline(always)]
    fn is_greater(self, greatest: i32, _nan_mode: NanMode) -> bool {
        self > greatest
    }
}

struct ArgMax<T> {
    element: Element,
    nan_mode: NanMode,
    /// Elements along the axis.
    length: usize,
    /// Elements behind it.
    inner: usize,
    numbers: PhantomData<T>,
}

impl<T: Compare> Kernel for ArgMax<T> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        divide(threads, outputs[0], 4, self.length, |first, output| {
            vectorize(Columns { kernel: self, input: inputs[0], first, output });
        });
    }
}

struct Columns<'a, T> {
    kernel: &'a ArgMax<T>,
    input: &'a [u8],
    first: usize,
    output: &'a mut [u8],
}

impl<T: Compare> Vectorized for Columns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ArgMax { element, nan_mode, length, inner, .. } = *self.kernel;
        let bytes = element.bytes();
        let mut output = self.output.as_chunks_mut::<4>().0;
        let mut at = self.first;
        let (mut numbers, mut greatest, mut index) =
            ([T::default(); BLOCK], [T::default(); BLOCK], [0_i32; BLOCK]);
        while !output.is_empty() {
            let (outer, column) = (at / inner, at % inner);
            let count = output.len().min(inner - column).min(BLOCK);
            greatest.fill(T::start(nan_mode));
            index.fill(0);
            for place in 0..length {
                let from = ((outer * length + place) * inner + column) * bytes;
                T::load(element, &self.input[from..], &mut numbers[..count]);
                let state = greatest[..count].iter_mut().zip(&mut index[..count]);
                for (&number, (greatest, index)) in numbers.iter().zip(state) {
                    let is_greater = number.is_greater(*greatest, nan_mode);
                    *greatest = if is_greater { number } else { *greatest };
                    *index = if is_greater { place as i32 } else { *index };
                }
            }
            let (done, rest) = output.split_at_mut(count);
            for (to, index) in done.iter_mut().zip(&index) {
                *to = index.to_le_bytes();
            }
            (output, at) = (rest, at + count);
        }
    }
}
