//! Reductions along an axis: `REDUCE_ALL`, `REDUCE_ANY`, `REDUCE_MAX`, `REDUCE_MIN`, `REDUCE_PRODUCT`,
//! `REDUCE_SUM`.
//!
//! Sums of an axis that is not the last go element by element. Along the last one, [`LANES`] sums take every
//! so many-th element, and are summed in their order: the same on all processors.

use super::binary::{max, min};
use super::block::{BLOCK, Number};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{NanMode, Operands, Result};
use crate::threads::divide;
use crate::{Element, Opcode, Threads};
use std::marker::PhantomData;

/// Sums of the last axis at one time.
const LANES: usize = 16;

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Element as E;
    use Opcode as O;
    let operand = if matches!(cx.opcode, O::ReduceMax | O::ReduceMin) { 2 } else { 1 };
    let floats = [E::F16, E::Bf16, E::F32];
    let (op, elements) = match cx.opcode {
        O::ReduceAll => (Op::All, vec![E::Bool]),
        O::ReduceAny => (Op::Any, vec![E::Bool]),
        O::ReduceProduct => (Op::Product, floats.to_vec()),
        O::ReduceSum => (Op::Sum, [&floats[..], &[E::I32]].concat()),
        _ => {
            let nan_mode = cx.nan_mode(1)?;
            let op = if cx.opcode == O::ReduceMax { Op::Max(nan_mode) } else { Op::Min(nan_mode) };
            (op, [&floats[..], &[E::I8, E::I16, E::I32]].concat())
        }
    };
    let element = cx.same_of(operand, &elements)?;
    let input = cx.ty(operand);
    let axis = cx.axis(0, input.rank())?;
    ensure!(cx.result(0).rank() == input.rank(), "the result is {}, the input {input}", cx.result(0));
    let mut shape: Vec<usize> = input.shape().iter().map(|&size| size as usize).collect();
    shape[axis] = 1;
    cx.expect_result(&shape)?;
    let [_, length, inner] = input.around(axis);
    if element.is_float() {
        let numbers = PhantomData::<f32>;
        return Ok(Built::kernel(Reduce { op, element, length, inner, numbers }, &[operand]));
    }
    let numbers = PhantomData::<i32>;
    Ok(Built::kernel(Reduce { op, element, length, inner, numbers }, &[operand]))
}

#[derive(Clone, Copy)]
enum Op {
    All,
    Any,
    Max(NanMode),
    Min(NanMode),
    Product,
    Sum,
}

/// What is reduced.
trait Reducible: Number {
    /// What there is before the first element.
    fn start(op: Op) -> Self;

    /// Reduces numbers into others, one to one.
    fn reduce(op: Op, into: &mut [Self], numbers: &[Self]);
}

#[inline(always)]
fn each<T: Copy>(into: &mut [T], numbers: &[T], function: impl Fn(T, T) -> T) {
    for (into, &number) in into.iter_mut().zip(numbers) {
        *into = function(*into, number);
    }
}

impl Reducible for f32 {
    #[inline(always)]
    fn start(op: Op) -> f32 {
        match op {
            Op::Max(NanMode::Ignore) | Op::Min(NanMode::Ignore) => f32::NAN,
            Op::Max(NanMode::Propagate) => f32::NEG_INFINITY,
            Op::Min(NanMode::Propagate) => f32::INFINITY,
            Op::Product => 1.0,
            Op::All | Op::Any | Op::Sum => 0.0,
        }
    }

    #[inline(always)]
    fn reduce(op: Op, into: &mut [f32], numbers: &[f32]) {
        match op {
            Op::Max(nan_mode) => each(into, numbers, |a, b| max(a, b, nan_mode)),
            Op::Min(nan_mode) => each(into, numbers, |a, b| min(a, b, nan_mode)),
            Op::Product => each(into, numbers, |a, b| a * b),
            Op::Sum => each(into, numbers, |a, b| a + b),
            Op::All | Op::Any => {}
        }
    }
}

impl Reducible for i32 {
    #[inline(always)]
    fn start(op: Op) -> i32 {
        match op {
            Op::All | Op::Product => 1,
            Op::Any | Op::Sum => 0,
            Op::Max(_) => i32::MIN,
            Op::Min(_) => i32::MAX,
        }
    }

    #[inline(always)]
    fn reduce(op: Op, into: &mut [i32], numbers: &[i32]) {
        match op {
            Op::All => each(into, numbers, |a, b| a & b),
            Op::Any => each(into, numbers, |a, b| a | b),
            Op::Max(_) => each(into, numbers, i32::max),
            Op::Min(_) => each(into, numbers, i32::min),
            Op::Product => each(into, numbers, i32::wrapping_mul),
            Op::Sum => each(into, numbers, i32::wrapping_add),
        }
    }
}

struct Reduce<T> {
    op: Op,
    element: Element,
    /// Elements along the axis.
    length: usize,
    /// Elements behind it.
    inner: usize,
    numbers: PhantomData<T>,
}

impl<T: Reducible> Kernel for Reduce<T> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        divide(threads, outputs[0], self.element.bytes(), self.length, |first, output| {
            vectorize(Columns { kernel: self, input: inputs[0], first, output });
        });
    }
}

struct Columns<'a, T> {
    kernel: &'a Reduce<T>,
    input: &'a [u8],
    first: usize,
    output: &'a mut [u8],
}

impl<T: Reducible> Vectorized for Columns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Reduce { op, element, length, inner, .. } = *self.kernel;
        let bytes = element.bytes();
        let mut numbers = [T::default(); BLOCK];
        if inner == 1 {
            for (number, output) in self.output.chunks_mut(bytes).enumerate() {
                let row = &self.input[(self.first + number) * length * bytes..][..length * bytes];
                let mut lanes = [T::start(op); LANES];
                for block in row.chunks(BLOCK * bytes) {
                    let count = block.len() / bytes;
                    T::load(element, block, &mut numbers[..count]);
                    for chunk in numbers[..count].chunks(LANES) {
                        T::reduce(op, &mut lanes[..chunk.len()], chunk);
                    }
                }
                let [mut total, rest @ ..] = lanes;
                for lane in rest {
                    T::reduce(op, std::slice::from_mut(&mut total), &[lane]);
                }
                T::store(element, &[total], output);
            }
            return;
        }
        let (mut output, mut at) = (self.output, self.first);
        let mut totals = [T::default(); BLOCK];
        while !output.is_empty() {
            let (outer, column) = (at / inner, at % inner);
            let count = (output.len() / bytes).min(inner - column).min(BLOCK);
            totals.fill(T::start(op));
            for place in 0..length {
                let from = ((outer * length + place) * inner + column) * bytes;
                T::load(element, &self.input[from..], &mut numbers[..count]);
                T::reduce(op, &mut totals[..count], &numbers[..count]);
            }
            let (done, rest) = output.split_at_mut(count * bytes);
            T::store(element, &totals, done);
            (output, at) = (rest, at + count);
        }
    }
}
