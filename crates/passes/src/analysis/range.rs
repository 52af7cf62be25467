//! What `f32` values can be: bounds, and steps that they are multiples of.
//!
//! Enough to know that a difference is exact, or that a value times a power of two is neither too large nor
//! too small. Numbers of hashes, texels and indices come from integers, positions within a cell from `x -
//! floor(x)`. Values are visited in block order, so that of loops' parameters nothing is known.

use crate::simplify::possible_bits;
use pyro_ir::{Function, InstData, Opcode, Scalar, Value};
use pyro_util::SecondaryMap;

/// What a value is, unless it is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// It is no less.
    pub low: f64,
    /// It is no more.
    pub high: f64,
    /// It is a multiple of two to this power.
    pub step: i32,
}

/// Bits of an `f32`'s significand.
const SIGNIFICAND: i32 = 24;
/// The least step of which no multiple is subnormal, and so becomes zero where subnormal numbers do.
const STEP_MIN: i32 = -126;
/// The step of what nothing is known of: less than every sum of some.
const NO_STEP: i32 = -0x4000_0000;
/// What rounding can add to a bound, as a part of it.
const ROUNDING: f64 = 1.0 / (1 << 22) as f64;
/// How many operations of integers are looked at for the bits that they can have.
const BITS_DEPTH: u32 = 4;

/// Two to this power, by its bits: without the mathematical library, which would be loaded for this alone.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074.. => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

impl Range {
    /// Of any number.
    pub const ANY: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY, step: NO_STEP };

    /// The largest magnitude.
    pub fn magnitude(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Whether all such multiples of the step are an `f32`: what has this range before it is rounded is
    /// exact.
    pub fn is_exact(&self) -> bool {
        self.step >= STEP_MIN && self.magnitude() <= power_of_two(self.step + SIGNIFICAND)
    }

    fn within(low: f64, high: f64) -> Range {
        Range { low, high, step: NO_STEP }
    }

    /// With this step, if it is one that counts.
    fn with_step(self, step: i32) -> Range {
        Range { step: if step < STEP_MIN { NO_STEP } else { step }, ..self }
    }

    /// The bounds once the value is rounded to `f32`; rounding leaves multiples of the step multiples of it.
    fn rounded(self) -> Range {
        if self.low.is_nan() || self.high.is_nan() {
            return Range::ANY;
        }
        if self.is_exact() {
            return self;
        }
        let grow = |bound: f64| bound.abs() * ROUNDING;
        Range { low: self.low - grow(self.low), high: self.high + grow(self.high), ..self }
    }

    /// Of differences.
    pub fn minus(self, other: Range) -> Range {
        Range { low: self.low - other.high, high: self.high - other.low, step: self.step.min(other.step) }
    }

    fn negated(self) -> Range {
        Range { low: -self.high, high: -self.low, ..self }
    }

    fn plus(self, other: Range) -> Range {
        self.minus(other.negated())
    }

    /// Of products, before they are rounded.
    pub fn times(self, other: Range) -> Range {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if products.iter().any(|product| product.is_nan()) {
            return Range::ANY;
        }
        let (low, high) =
            products.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &product| {
                (low.min(product), high.max(product))
            });
        Range::within(low, high).with_step(self.step.saturating_add(other.step))
    }

    fn or(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            step: self.step.min(other.step),
        }
    }

    fn below(self, limit: f64) -> Range {
        Range { high: self.high.min(limit), ..self }
    }

    fn above(self, limit: f64) -> Range {
        Range { low: self.low.max(limit), ..self }
    }

    fn of_constant(bits: u32) -> Range {
        let value = f32::from_bits(bits);
        if !value.is_finite() {
            return Range::ANY;
        }
        let exponent = (bits >> 23 & 0xff).max(1) as i32;
        let significand = bits & 0x7f_ffff | u32::from(exponent > 1) << 23;
        let step = match significand {
            0 => 0,
            _ => exponent - 127 - (SIGNIFICAND - 1) + significand.trailing_zeros() as i32,
        };
        Range::within(value.into(), value.into()).with_step(step)
    }

    /// Of an integer's bits that can be set.
    fn of_bits(bits: u64, signed: bool, scalar: Scalar) -> Range {
        let step = bits.trailing_zeros().min(63) as i32;
        let is_negative = signed && bits >> (scalar.bits() - 1) & 1 != 0;
        let (low, high) = match is_negative {
            true => (-power_of_two(scalar.bits() as i32 - 1), (scalar.mask() >> 1) as f64),
            false => (0.0, bits as f64),
        };
        Range { low, high, step }.rounded()
    }
}

/// The ranges of a function's `f32` values.
pub struct Ranges {
    of: SecondaryMap<Value, Option<Range>>,
}

impl Ranges {
    /// Finds them.
    pub fn new(function: &Function) -> Ranges {
        let mut ranges = Ranges { of: SecondaryMap::with_capacity(None, function.values.len()) };
        for &block in &function.block_order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if let Some(result) = data.result.expand()
                    && function.ty(result).scalar == Scalar::F32
                {
                    ranges.of[result] = ranges.result(function, data);
                }
            }
        }
        ranges
    }

    /// What is known of a value.
    pub fn of(&self, value: Value) -> Range {
        self.of[value].unwrap_or(Range::ANY)
    }

    fn result(&self, function: &Function, data: &InstData) -> Option<Range> {
        use Opcode as O;
        let of = |index: usize| self.of(data.args[index]);
        let constant = |index: usize| function.const_bits(data.args[index]).map(|bits| bits as u32);
        let integer = |signed: bool| {
            let bits = possible_bits(function, data.args[0], BITS_DEPTH);
            Range::of_bits(bits, signed, function.ty(data.args[0]).scalar)
        };
        Some(match data.op {
            O::Const => Range::of_constant(data.imm as u32),
            O::Splat | O::Shuffle | O::LaneRead => of(0),
            O::UToF => integer(false),
            O::SToF => integer(true),
            O::FNeg => of(0).negated(),
            O::FAbs => Range { low: 0.0, high: of(0).magnitude(), step: of(0).step },
            O::FAdd => of(0).plus(of(1)).rounded(),
            O::FSub => {
                let (x, y) = (data.args[0], data.args[1]);
                let rounded = function.def_inst(y).filter(|inner| inner.args.first() == Some(&x));
                match rounded.map(|inner| inner.op) {
                    Some(O::FFloor) => Range::within(0.0, 1.0),
                    Some(O::FCeil) => Range::within(-1.0, 0.0),
                    Some(O::FTrunc) => Range::within(-1.0, 1.0),
                    Some(O::FRound) => Range::within(-0.5, 0.5),
                    _ => of(0).minus(of(1)).rounded(),
                }
            }
            O::FMul if data.args[0] == data.args[1] => {
                let product = of(0).times(of(0)).rounded();
                Range { low: product.low.max(0.0), ..product }
            }
            O::FMul => of(0).times(of(1)).rounded(),
            O::FFma => of(0).times(of(1)).plus(of(2)).rounded(),
            // The second where either is NaN, so that of a NaN it bounds nothing unless it is a constant.
            O::FMin => match constant(1) {
                Some(_) => of(0).or(of(1)).below(of(1).high),
                None => of(0).or(of(1)),
            },
            O::FMax => match constant(1) {
                Some(_) => of(0).or(of(1)).above(of(1).low),
                None => of(0).or(of(1)),
            },
            O::FFloor | O::FCeil | O::FTrunc | O::FRound => {
                Range { low: of(0).low.floor(), high: of(0).high.ceil(), step: of(0).step.max(0) }
            }
            O::Select => of(1).or(of(2)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::power_of_two;

    #[test]
    fn powers_of_two() {
        for exponent in -1100..=1100 {
            assert_eq!(power_of_two(exponent), f64::from(exponent).exp2(), "{exponent}");
        }
        assert_eq!([i32::MIN, i32::MAX].map(power_of_two), [0.0, f64::INFINITY]);
    }
}
