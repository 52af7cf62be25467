//! Operators of two elements each, broadcast to one shape: arithmetic, bits, comparisons.

use super::block::{BLOCK, Number, one};
use super::strided::Strided;
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{NanMode, Operands, Result};
use crate::threads::divide;
use crate::{Element, Opcode, Threads};
use std::marker::PhantomData;

const FLOATS: [Element; 3] = [Element::F16, Element::Bf16, Element::F32];
const INTEGERS: [Element; 3] = [Element::I8, Element::I16, Element::I32];

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Opcode as O;
    let first = match cx.opcode {
        O::ArithmeticRightShift | O::Maximum | O::Minimum => 1,
        _ => 0,
    };
    cx.expect_element(first + 1, cx.element(first))?;
    cx.expect_broadcast(&[first, first + 1])?;
    let with_i32 = || cx.same_of(first, &[FLOATS[0], FLOATS[1], FLOATS[2], Element::I32]);
    let arithmetic = |op| with_i32().map(|_| op);
    let op = match cx.opcode {
        O::Add => arithmetic(Op::Add)?,
        O::Sub => arithmetic(Op::Sub)?,
        O::Maximum | O::Minimum => {
            let nan_mode = cx.nan_mode(0)?;
            arithmetic(if cx.opcode == O::Maximum { Op::Max(nan_mode) } else { Op::Min(nan_mode) })?
        }
        O::Pow => {
            cx.same_of(first, &FLOATS)?;
            Op::Pow
        }
        O::Mul => return mul(cx),
        O::Equal | O::Greater | O::GreaterEqual => {
            let pairs = [Element::I32, FLOATS[0], FLOATS[1], FLOATS[2]].map(|from| (from, Element::Bool));
            cx.one_of(first, &pairs)?;
            match cx.opcode {
                O::Equal => Op::Equal,
                O::Greater => Op::Greater,
                _ => Op::GreaterEqual,
            }
        }
        O::IntDiv => {
            cx.same_of(first, &[Element::I32])?;
            Op::Div
        }
        O::LogicalAnd | O::LogicalOr | O::LogicalXor => {
            cx.same_of(first, &[Element::Bool])?;
            match cx.opcode {
                O::LogicalAnd => Op::And,
                O::LogicalOr => Op::Or,
                _ => Op::Xor,
            }
        }
        _ => {
            cx.same_of(first, &INTEGERS)?;
            match cx.opcode {
                O::BitwiseAnd => Op::And,
                O::BitwiseOr => Op::Or,
                O::BitwiseXor => Op::Xor,
                O::LogicalLeftShift => Op::ShiftLeft,
                O::LogicalRightShift => Op::ShiftRight,
                _ => Op::ShiftRightSigned { rounds: cx.boolean(0)? },
            }
        }
    };
    Ok(kernel(cx, op, first))
}

/// The kernel of an operator whose first input is this operand.
fn kernel(cx: &Operands<'_>, op: Op, first: usize) -> Built {
    let places =
        [first, first + 1].map(|operand| Strided::broadcast(cx.ty(operand).shape(), cx.result(0).shape()));
    let (from, to) = (cx.element(first), cx.result(0).element());
    let reads = [first, first + 1];
    if from.is_float() {
        Built::kernel(Binary::<f32> { op, from, to, places, numbers: PhantomData }, &reads)
    } else {
        Built::kernel(Binary::<i32> { op, from, to, places, numbers: PhantomData }, &reads)
    }
}

fn mul(cx: &Operands<'_>) -> Result<Built> {
    let i32s = INTEGERS.map(|from| (from, Element::I32));
    let floats = FLOATS.map(|element| (element, element));
    let (from, _) = cx.one_of(0, &[&i32s[..], &floats].concat())?;
    cx.expect_element(2, Element::I8)?;
    ensure!(cx.ty(2).count() == 1, "the shift is {}, not one element", cx.ty(2));
    if let Some(bytes) = cx.constant(2) {
        let shift = bytes[0];
        ensure!(shift <= 63, "a shift of {shift}");
        ensure!(shift == 0 || from == Element::I32, "a shift of {shift} of elements of {from}");
    }
    if from != Element::I32 {
        return Ok(kernel(cx, Op::Mul, 0));
    }
    let places = [0, 1].map(|operand| Strided::broadcast(cx.ty(operand).shape(), cx.result(0).shape()));
    Ok(Built::kernel(ShiftedProduct { places }, &[0, 1, 2]))
}

/// What is done with two numbers.
#[derive(Clone, Copy)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Max(NanMode),
    Min(NanMode),
    And,
    Or,
    Xor,
    ShiftLeft,
    /// The bits of the type, without a sign.
    ShiftRight,
    ShiftRightSigned {
        rounds: bool,
    },
    Equal,
    Greater,
    GreaterEqual,
}

/// Numbers of two operands.
trait Operate: Number {
    /// Writes results over the first operands; of comparisons 0 and 1. `bits` are those of an element.
    fn operate(op: Op, a: &mut [Self], b: &[Self], bits: u32);

    /// Writes results as elements.
    fn store_results(op: Op, to: Element, results: &[Self], bytes: &mut [u8]);
}

#[inline(always)]
fn each<T: Copy>(a: &mut [T], b: &[T], function: impl Fn(T, T) -> T) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = function(*a, b);
    }
}

/// The greater of two, as `apply_max_s` says.
#[inline(always)]
pub(super) fn max(a: f32, b: f32, nan_mode: NanMode) -> f32 {
    let greater = if a >= b { a } else { b };
    match nan_mode {
        // `a >= b` is false where one is NaN.
        NanMode::Propagate => {
            if a.is_nan() {
                a
            } else {
                greater
            }
        }
        NanMode::Ignore => {
            if b.is_nan() {
                a
            } else {
                greater
            }
        }
    }
}

/// The smaller of two, as `apply_min_s` says.
#[inline(always)]
pub(super) fn min(a: f32, b: f32, nan_mode: NanMode) -> f32 {
    let smaller = if a < b { a } else { b };
    match nan_mode {
        NanMode::Propagate => {
            if a.is_nan() {
                a
            } else {
                smaller
            }
        }
        NanMode::Ignore => {
            if b.is_nan() {
                a
            } else {
                smaller
            }
        }
    }
}

impl Operate for f32 {
    #[inline(always)]
    fn operate(op: Op, a: &mut [f32], b: &[f32], _bits: u32) {
        let truth = |is_true: bool| if is_true { 1.0 } else { 0.0 };
        match op {
            Op::Add => each(a, b, |a, b| a + b),
            Op::Sub => each(a, b, |a, b| a - b),
            Op::Mul => each(a, b, |a, b| a * b),
            Op::Max(nan_mode) => each(a, b, |a, b| max(a, b, nan_mode)),
            Op::Min(nan_mode) => each(a, b, |a, b| min(a, b, nan_mode)),
            Op::Equal => each(a, b, |a, b| truth(a == b)),
            Op::Greater => each(a, b, |a, b| truth(a > b)),
            Op::GreaterEqual => each(a, b, |a, b| truth(a >= b)),
            Op::Pow => power(a, b),
            // Of integers only.
            Op::Div | Op::And | Op::Or | Op::Xor => {}
            Op::ShiftLeft | Op::ShiftRight | Op::ShiftRightSigned { .. } => {}
        }
    }

    #[inline(always)]
    fn store_results(op: Op, to: Element, results: &[f32], bytes: &mut [u8]) {
        if matches!(op, Op::Equal | Op::Greater | Op::GreaterEqual) {
            for (byte, &result) in bytes.iter_mut().zip(results) {
                *byte = u8::from(result != 0.0);
            }
        } else {
            f32::store(to, results, bytes);
        }
    }
}

#[inline(never)]
fn power(a: &mut [f32], b: &[f32]) {
    each(a, b, |a, b| libm::pow(a.into(), b.into()) as f32);
}

impl Operate for i32 {
    #[inline(always)]
    fn operate(op: Op, a: &mut [i32], b: &[i32], bits: u32) {
        let shift = |by: i32| by as u32 & (bits - 1);
        match op {
            Op::Add => each(a, b, i32::wrapping_add),
            Op::Sub => each(a, b, i32::wrapping_sub),
            Op::Mul => each(a, b, i32::wrapping_mul),
            Op::Div => each(a, b, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
            Op::Max(_) => each(a, b, i32::max),
            Op::Min(_) => each(a, b, i32::min),
            Op::And => each(a, b, |a, b| a & b),
            Op::Or => each(a, b, |a, b| a | b),
            Op::Xor => each(a, b, |a, b| a ^ b),
            Op::ShiftLeft => each(a, b, |a, b| a << shift(b)),
            Op::ShiftRight => {
                let mask = u32::MAX >> (32 - bits);
                each(a, b, |a, b| ((a as u32 & mask) >> shift(b)) as i32);
            }
            Op::ShiftRightSigned { rounds: false } => each(a, b, |a, b| a >> shift(b)),
            Op::ShiftRightSigned { rounds: true } => each(a, b, |a, b| {
                let by = shift(b);
                let half = if by == 0 { 0 } else { a >> (by - 1) & 1 };
                (a >> by).wrapping_add(half)
            }),
            Op::Equal => each(a, b, |a, b| (a == b).into()),
            Op::Greater => each(a, b, |a, b| (a > b).into()),
            Op::GreaterEqual => each(a, b, |a, b| (a >= b).into()),
            // Of floating-point numbers only.
            Op::Pow => {}
        }
    }

    #[inline(always)]
    fn store_results(_op: Op, to: Element, results: &[i32], bytes: &mut [u8]) {
        i32::store(to, results, bytes);
    }
}

/// Numbers of elements of an input for so many elements of the output, from `first` on.
#[inline(always)]
pub(super) fn gather<T: Number>(
    places: &Strided,
    element: Element,
    input: &[u8],
    first: usize,
    numbers: &mut [T],
) {
    let bytes = element.bytes();
    places.runs(first, numbers.len(), |run| {
        let to = &mut numbers[run.to..run.to + run.count];
        let from = &input[run.from * bytes..];
        if run.step == 0 {
            to.fill(one(element, from));
        } else {
            T::load(element, from, to);
        }
    });
}

struct Binary<T> {
    op: Op,
    from: Element,
    to: Element,
    places: [Strided; 2],
    numbers: PhantomData<T>,
}

impl<T: Operate> Kernel for Binary<T> {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let weight = if matches!(self.op, Op::Pow) { 64 } else { 2 };
        divide(threads, outputs[0], self.to.bytes(), weight, |first, output| {
            vectorize(Blocks { kernel: self, inputs: [inputs[0], inputs[1]], first, output });
        });
    }
}

struct Blocks<'a, T> {
    kernel: &'a Binary<T>,
    inputs: [&'a [u8]; 2],
    first: usize,
    output: &'a mut [u8],
}

impl<T: Operate> Vectorized for Blocks<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Binary { op, from, to, places, .. } = self.kernel;
        let (mut a, mut b) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        let bits = from.bytes() as u32 * 8;
        for (number, output) in self.output.chunks_mut(BLOCK * to.bytes()).enumerate() {
            let (first, count) = (self.first + number * BLOCK, output.len() / to.bytes());
            gather(&places[0], *from, self.inputs[0], first, &mut a[..count]);
            gather(&places[1], *from, self.inputs[1], first, &mut b[..count]);
            T::operate(*op, &mut a, &b, bits);
            T::store_results(*op, *to, &a, output);
        }
    }
}

/// `MUL` of `i32_t`, whose products are shifted.
struct ShiftedProduct {
    places: [Strided; 2],
}

impl Kernel for ShiftedProduct {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let shift = u32::from(inputs[2][0]) & 63;
        divide(threads, outputs[0], 4, 2, |first, output| {
            vectorize(Products {
                places: &self.places,
                inputs: [inputs[0], inputs[1]],
                shift,
                first,
                output,
            });
        });
    }
}

struct Products<'a> {
    places: &'a [Strided; 2],
    inputs: [&'a [u8]; 2],
    shift: u32,
    first: usize,
    output: &'a mut [u8],
}

impl Vectorized for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (mut a, mut b) = ([0_i32; BLOCK], [0_i32; BLOCK]);
        let half = if self.shift == 0 { 0 } else { 1_i64 << (self.shift - 1) };
        for (number, output) in self.output.chunks_mut(BLOCK * 4).enumerate() {
            let (first, count) = (self.first + number * BLOCK, output.len() / 4);
            gather(&self.places[0], Element::I32, self.inputs[0], first, &mut a[..count]);
            gather(&self.places[1], Element::I32, self.inputs[1], first, &mut b[..count]);
            each(&mut a, &b, |a, b| ((i64::from(a) * i64::from(b)).wrapping_add(half) >> self.shift) as i32);
            i32::store(Element::I32, &a, output);
        }
    }
}
