//! Operators of one element each: `ABS`, `CEIL`, `CLAMP`, `CLZ`, `EXP`, `TANH` and their like.
//!
//! Functions beyond arithmetic are computed in 64 bits by `libm`, whose results do not depend on the
//! processor, and rounded once or twice: within one unit in the last place of every type.

use super::block::{BLOCK, Number, load_f32, load_i64, one, store_f32, store_i64};
use super::{Built, Kernel};
use crate::error::ensure;
use crate::multiversion::{Vectorized, vectorize};
use crate::operands::{NanMode, Operands, Result};
use crate::threads::divide;
use crate::{Element, Opcode, Threads};

const FLOATS: [Element; 3] = [Element::F16, Element::Bf16, Element::F32];

pub(crate) fn build(cx: &Operands<'_>) -> Result<Built> {
    use Opcode as O;
    let operand = if cx.opcode == O::Clamp { 3 } else { 0 };
    cx.expect_result_like(operand)?;
    let with = |elements: &[Element]| cx.same_of(operand, &[&FLOATS, elements].concat());
    let float = |op| Ok(Built::kernel(Floats { op, element: cx.same_of(operand, &FLOATS)? }, &[operand]));
    let integer = |op, element| Ok(Built::kernel(Integers { op, element }, &[operand]));
    match cx.opcode {
        O::Erf => float(FloatOp::Erf),
        O::Sigmoid => float(FloatOp::Sigmoid),
        O::Tanh => float(FloatOp::Tanh),
        O::Ceil => float(FloatOp::Ceil),
        O::Cos => float(FloatOp::Cos),
        O::Exp => float(FloatOp::Exp),
        O::Floor => float(FloatOp::Floor),
        O::Log => float(FloatOp::Log),
        O::Reciprocal => float(FloatOp::Reciprocal),
        O::Rsqrt => float(FloatOp::Rsqrt),
        O::Sin => float(FloatOp::Sin),
        O::Abs if cx.element(operand).is_float() => float(FloatOp::Abs),
        O::Abs => integer(IntegerOp::Abs, cx.same_of(operand, &[Element::I32])?),
        O::BitwiseNot => {
            integer(IntegerOp::Not, cx.same_of(operand, &[Element::I8, Element::I16, Element::I32])?)
        }
        O::Clz => integer(IntegerOp::LeadingZeros, cx.same_of(operand, &[Element::I32])?),
        O::LogicalNot => integer(IntegerOp::LogicalNot, cx.same_of(operand, &[Element::Bool])?),
        O::Negate => {
            let element = with(&[Element::I8, Element::I16, Element::I32])?;
            cx.zero_point(1, element)?;
            cx.zero_point(2, element)?;
            if element.is_float() {
                return float(FloatOp::Negate);
            }
            Ok(Built::kernel(Negate { element }, &[0, 1, 2]))
        }
        _ => clamp(cx, with(&[Element::I8, Element::I16])?),
    }
}

fn clamp(cx: &Operands<'_>, element: Element) -> Result<Built> {
    let (low, high) = (cx.number(0, element)?, cx.number(1, element)?);
    let nan_mode = cx.nan_mode(2)?;
    ensure!(!low.is_nan() && !high.is_nan(), "a bound is NaN");
    ensure!(low <= high, "min_val {low} is greater than max_val {high}");
    if element.is_float() {
        let op = FloatOp::Clamp(low as f32, high as f32, nan_mode);
        return Ok(Built::kernel(Floats { op, element }, &[3]));
    }
    let op = IntegerOp::Clamp(low as i64, high as i64);
    Ok(Built::kernel(Integers { op, element }, &[3]))
}

/// Operators on floating-point numbers.
#[derive(Clone, Copy)]
enum FloatOp {
    Abs,
    Negate,
    Ceil,
    Floor,
    Reciprocal,
    Rsqrt,
    Clamp(f32, f32, NanMode),
    Erf,
    Sigmoid,
    Tanh,
    Cos,
    Sin,
    Exp,
    Log,
}

impl FloatOp {
    /// Whether an element costs much more than a copy of it.
    fn is_function(self) -> bool {
        use FloatOp as F;
        matches!(self, F::Erf | F::Sigmoid | F::Tanh | F::Cos | F::Sin | F::Exp | F::Log)
    }

    /// Applies it to numbers in place.
    #[inline(always)]
    fn apply(self, numbers: &mut [f32]) {
        match self {
            FloatOp::Abs => each(numbers, f32::abs),
            FloatOp::Negate => each(numbers, |x| -x),
            FloatOp::Ceil => each(numbers, f32::ceil),
            FloatOp::Floor => each(numbers, f32::floor),
            FloatOp::Reciprocal => each(numbers, |x| 1.0 / x),
            FloatOp::Rsqrt => each(numbers, |x| (1.0 / f64::from(x).sqrt()) as f32),
            FloatOp::Clamp(low, high, NanMode::Propagate) => each(numbers, |x| {
                let x = if x < low { low } else { x };
                if x > high { high } else { x }
            }),
            FloatOp::Clamp(low, high, NanMode::Ignore) => each(numbers, |x| {
                let x = if x >= low { x } else { low };
                if x > high { high } else { x }
            }),
            _ => self.function(numbers),
        }
    }

    /// Functions that are calls, and compiled once.
    #[inline(never)]
    fn function(self, numbers: &mut [f32]) {
        let wide = |numbers: &mut [f32], function: fn(f64) -> f64| {
            each(numbers, |x| function(x.into()) as f32);
        };
        match self {
            FloatOp::Erf => wide(numbers, libm::erf),
            FloatOp::Sigmoid => wide(numbers, |x| 1.0 / (1.0 + libm::exp(-x))),
            FloatOp::Tanh => wide(numbers, libm::tanh),
            FloatOp::Cos => wide(numbers, libm::cos),
            FloatOp::Sin => wide(numbers, libm::sin),
            FloatOp::Exp => wide(numbers, libm::exp),
            FloatOp::Log => wide(numbers, libm::log),
            _ => {}
        }
    }
}

#[inline(always)]
fn each<T: Copy>(numbers: &mut [T], function: impl Fn(T) -> T) {
    for number in numbers {
        *number = function(*number);
    }
}

struct Floats {
    op: FloatOp,
    element: Element,
}

impl Kernel for Floats {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let bytes = self.element.bytes();
        let weight = if self.op.is_function() { 32 } else { 1 };
        divide(threads, outputs[0], bytes, weight, |first, output| {
            let input = &inputs[0][first * bytes..][..output.len()];
            vectorize(FloatBlocks { kernel: self, input, output });
        });
    }
}

struct FloatBlocks<'a> {
    kernel: &'a Floats,
    input: &'a [u8],
    output: &'a mut [u8],
}

impl Vectorized for FloatBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Floats { op, element } = *self.kernel;
        let mut numbers = [0.0; BLOCK];
        let bytes = BLOCK * element.bytes();
        for (output, input) in self.output.chunks_mut(bytes).zip(self.input.chunks(bytes)) {
            load_f32(element, input, &mut numbers);
            op.apply(&mut numbers);
            store_f32(element, &numbers, output);
        }
    }
}

/// Operators on integers and truth values.
#[derive(Clone, Copy)]
enum IntegerOp {
    Abs,
    Not,
    LeadingZeros,
    LogicalNot,
    Clamp(i64, i64),
}

struct Integers {
    op: IntegerOp,
    element: Element,
}

impl Kernel for Integers {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let bytes = self.element.bytes();
        divide(threads, outputs[0], bytes, 1, |first, output| {
            let input = &inputs[0][first * bytes..][..output.len()];
            vectorize(IntegerBlocks { kernel: self, input, output });
        });
    }
}

struct IntegerBlocks<'a> {
    kernel: &'a Integers,
    input: &'a [u8],
    output: &'a mut [u8],
}

impl Vectorized for IntegerBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Integers { op, element } = *self.kernel;
        let mut numbers = [0_i32; BLOCK];
        let bytes = BLOCK * element.bytes();
        for (output, input) in self.output.chunks_mut(bytes).zip(self.input.chunks(bytes)) {
            i32::load(element, input, &mut numbers);
            match op {
                IntegerOp::Abs => each(&mut numbers, i32::wrapping_abs),
                IntegerOp::Not => each(&mut numbers, |x| !x),
                IntegerOp::LeadingZeros => each(&mut numbers, |x| x.leading_zeros() as i32),
                IntegerOp::LogicalNot => each(&mut numbers, |x| x ^ 1),
                IntegerOp::Clamp(low, high) => {
                    let (low, high) = (low as i32, high as i32);
                    each(&mut numbers, |x| x.max(low).min(high));
                }
            }
            i32::store(element, &numbers, output);
        }
    }
}

/// `NEGATE` of integers, with zero points.
struct Negate {
    element: Element,
}

impl Kernel for Negate {
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads) {
        let element = self.element;
        let [from, to] = [1, 2].map(|zero_point| one::<i64>(element, inputs[zero_point]));
        let (low, high) = element.signed_range();
        let bytes = element.bytes();
        divide(threads, outputs[0], bytes, 1, |first, output| {
            let input = &inputs[0][first * bytes..][..output.len()];
            let mut numbers = [0; BLOCK];
            for (output, input) in output.chunks_mut(BLOCK * bytes).zip(input.chunks(BLOCK * bytes)) {
                load_i64(element, input, &mut numbers);
                each(&mut numbers, |x| (to - (x - from)).clamp(low, high));
                store_i64(element, &numbers, output);
            }
        });
    }
}
