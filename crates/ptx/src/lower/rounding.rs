//! Rounding of binary32 results other than to nearest, and denormal numbers.
//!
//! Sums, products, quotients and roots of binary32 numbers are a binary64 number and a rest of which only the
//! sign matters: products are exact, sums have an exact rest, and the rest of a quotient or root has the sign
//! of its residue. So the result is the nearest binary32 number towards zero of the first, and one step
//! further where the exact value demands it.

use super::Lowerer;
use super::words::Rounding;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

/// A binary64 number, and what has the sign of what it lacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) value: Value,
    pub(super) rest: Value,
}

impl Lowerer<'_, '_> {
    fn double(&mut self, value: Value) -> Value {
        self.b.to_float(value, Scalar::F64)
    }

    /// A number that is what it is.
    pub(super) fn exactly(&mut self, value: Value) -> Exact {
        let value = self.double(value);
        Exact { value, rest: self.b.f64(0.0) }
    }

    /// `x + y` of binary64 numbers (Knuth's sum with its error).
    fn exact_sum(&mut self, x: Value, y: Value) -> Exact {
        let sum = self.b.fadd(x, y);
        let own = self.b.fsub(sum, x);
        let other = self.b.fsub(sum, own);
        let (rest_x, rest_y) = (self.b.fsub(x, other), self.b.fsub(y, own));
        Exact { value: sum, rest: self.b.fadd(rest_x, rest_y) }
    }

    /// `x + y`, `x - y`, `x * y`, `x / y` of binary32 numbers.
    pub(super) fn exact_binary(&mut self, op: Opcode, x: Value, y: Value) -> Exact {
        let (x, y) = (self.double(x), self.double(y));
        match op {
            Opcode::FAdd => self.exact_sum(x, y),
            Opcode::FSub => {
                let y = self.b.fneg(y);
                self.exact_sum(x, y)
            }
            Opcode::FMul => {
                let value = self.b.fmul(x, y);
                Exact { value, rest: self.b.f64(0.0) }
            }
            _ => {
                let value = self.b.fdiv(x, y);
                let residue = self.b.fnma(value, y, x);
                // Of a negative divisor the residue has the other sign.
                let (residue, sign) = (self.cast(residue, Scalar::I64), self.cast(y, Scalar::I64));
                let highest = self.b.i64(1 << 63);
                let sign = self.b.and(sign, highest);
                let rest = self.b.xor(residue, sign);
                Exact { value, rest: self.cast(rest, Scalar::F64) }
            }
        }
    }

    /// `x * y + z` of binary32 numbers.
    pub(super) fn exact_fma(&mut self, x: Value, y: Value, z: Value) -> Exact {
        let (x, y, z) = (self.double(x), self.double(y), self.double(z));
        let product = self.b.fmul(x, y);
        self.exact_sum(product, z)
    }

    /// The square root of a binary32 number.
    pub(super) fn exact_root(&mut self, x: Value) -> Exact {
        let x = self.double(x);
        let value = self.b.fsqrt(x);
        let rest = self.b.fnma(value, value, x);
        Exact { value, rest }
    }

    /// An exact number as binary32. `sums`: what was added, where it was a sum, whose zero is -0 when it is
    /// rounded down and not both are +0.
    pub(super) fn round(&mut self, exact: Exact, rounding: Rounding, sums: Option<[Value; 2]>) -> Value {
        let Exact { value, rest } = exact;
        let toward_zero = self.b.emit(Opcode::FConvert, &[value], 1, Scalar::F32).expect("gives a result");
        let back = self.double(toward_zero);
        let zero = self.b.f64(0.0);
        let same = self.b.feq(back, value);
        let (short, over) = (self.b.flt(rest, zero), self.b.flt(zero, rest));
        let (short, over) = (self.b.and(same, short), self.b.and(same, over));
        let bits = self.cast(toward_zero, Scalar::I32);
        let (one, none, sign) = (self.b.i32(1), self.b.i32(0), self.b.i32(0x8000_0000));
        let magnitude = self.b.andnot(bits, sign);
        let is_zero = self.b.ieq(magnitude, none);
        let is_negative = self.b.slt(bits, none);
        let (up, down) = (self.b.iadd(bits, one), self.b.isub(bits, one));
        let result = match rounding {
            Rounding::Nearest => return self.b.to_float(value, Scalar::F32),
            Rounding::Zero => {
                // The rest leads back towards zero only where nothing was cut off.
                let back = self.b.select(is_negative, over, short);
                let back = self.b.andnot(back, is_zero);
                self.b.select(back, down, bits)
            }
            Rounding::Down => {
                let below = self.b.flt(value, back);
                let below = self.b.or(below, short);
                let least = self.b.i32(0x8000_0001);
                let next = self.b.select(is_negative, up, down);
                let next = self.b.select(is_zero, least, next);
                self.b.select(below, next, bits)
            }
            Rounding::Up => {
                let above = self.b.flt(back, value);
                let above = self.b.or(above, over);
                let next = self.b.select(is_negative, down, up);
                let next = self.b.select(is_zero, one, next);
                self.b.select(above, next, bits)
            }
        };
        let result = match (rounding, sums) {
            (Rounding::Down, Some(sums)) => {
                let [x, y] = sums.map(|value| {
                    let bits = self.b.scalar(value).to_int();
                    self.cast(value, bits)
                });
                let nothing = self.b.constant(self.b.function.ty(x).scalar, 0);
                let either = self.b.or(x, y);
                let plain = self.b.ieq(either, nothing);
                let empty = self.b.feq(value, zero);
                let negative = self.b.andnot(empty, plain);
                self.b.select(negative, sign, result)
            }
            _ => result,
        };
        self.cast(result, Scalar::F32)
    }

    /// A float, zero of its sign where it is denormal.
    pub(super) fn flushed(&mut self, value: Value) -> Value {
        let scalar = self.b.scalar(value);
        let least = match scalar {
            Scalar::F16 => 6.103_515_625e-5,
            Scalar::F32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        let least = self.b.float(scalar, least);
        let magnitude = self.b.fabs(value);
        let is_denormal = self.b.flt(magnitude, least);
        let bits = self.cast(value, scalar.to_int());
        let sign = self.b.constant(scalar.to_int(), 1 << (scalar.bits() - 1));
        let zero = self.b.and(bits, sign);
        let zero = self.cast(zero, scalar);
        self.b.select(is_denormal, zero, value)
    }

    /// A float within [0, 1]; zero for NaN.
    pub(super) fn saturated(&mut self, value: Value) -> Value {
        let scalar = self.b.scalar(value);
        let (zero, one) = (self.b.float(scalar, 0.0), self.b.float(scalar, 1.0));
        let value = self.b.fmax(value, zero);
        self.b.fmin(value, one)
    }
}
