//! Arithmetic in the float modes that the IR's operations do not have ([`crate::float_mode`]).

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::math;

/// The immediate of a float operation that must not be contracted.
const NO_CONTRACTION: u64 = 1;
/// The immediate of a float conversion that rounds towards zero.
pub(crate) const ROUND_TO_ZERO: u64 = 1;

impl<'m> Lowerer<'m, '_> {
    /// A sum, difference or product in the rounding mode of its type; `imm` as of [`Opcode::FAdd`].
    pub(crate) fn rounded(&mut self, op: Opcode, x: Value, y: Value, imm: u64) -> Result<Value> {
        let scalar = self.scalar_type(x);
        if !self.float.modes.of(scalar).toward_zero || self.scalar_type(y) != scalar {
            return self.op_imm(op, &[x, y], imm);
        }
        let y = if op == Opcode::FSub { self.b.op(Opcode::FNeg, &[y]) } else { y };
        if scalar == Scalar::F64 {
            return Ok(match op {
                Opcode::FMul => self.double_product_toward_zero(x, y),
                _ => self.sum_toward_zero(x, y),
            });
        }
        let wide = [x, y].map(|value| self.b.convert(Opcode::FConvert, value, Scalar::F64));
        // Products of 24 bits, and sums of 16-bit floats, are exact in 64-bit floats.
        let exact = match (op, scalar) {
            (Opcode::FMul, _) => self.exact(Opcode::FMul, wide[0], wide[1]),
            (_, Scalar::F16) => self.exact(Opcode::FAdd, wide[0], wide[1]),
            _ => self.sum_toward_zero(wide[0], wide[1]),
        };
        Ok(self.float_to_float(exact, scalar, ROUND_TO_ZERO))
    }

    /// `x * y + z`, rounded once, in the rounding mode of its type.
    pub(crate) fn fused_rounded(&mut self, x: Value, y: Value, z: Value) -> Result<Value> {
        let nearest = self.op(Opcode::FFma, &[x, y, z])?;
        let scalar = self.scalar_type(x);
        if !self.float.modes.of(scalar).toward_zero {
            return Ok(nearest);
        }
        if scalar == Scalar::F64 {
            return Ok(self.double_fused_toward_zero(x, y, z, nearest));
        }
        let [x, y, z] = [x, y, z].map(|value| self.b.convert(Opcode::FConvert, value, Scalar::F64));
        let product = self.exact(Opcode::FMul, x, y);
        let sum = self.sum_toward_zero(product, z);
        Ok(self.float_to_float(sum, scalar, ROUND_TO_ZERO))
    }

    /// `x0 * y0 + x1 * y1 + …`. Each step is rounded by itself where the mode or `may_contract` asks for it.
    pub(crate) fn dot(&mut self, x: &[Value], y: &[Value], may_contract: bool) -> Result<Value> {
        let Some(&first) = x.first() else { return invalid("a product of vectors without components") };
        if may_contract && !self.float.modes.of(self.scalar_type(first)).toward_zero {
            return Ok(math::dot(&mut self.b, x, y));
        }
        let mut sum = None;
        for (&x, &y) in x.iter().zip(y) {
            let product = self.rounded(Opcode::FMul, x, y, NO_CONTRACTION)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.rounded(Opcode::FAdd, sum, product, NO_CONTRACTION)?,
            });
        }
        Ok(sum.expect("there is a first component"))
    }

    /// An integer as a float, rounded towards zero.
    pub(crate) fn int_to_float_toward_zero(&mut self, op: Opcode, x: Value, to: Scalar) -> Result<Value> {
        let signed = op == Opcode::SToF;
        let wide = self.integer_of_width(x, Scalar::I64, signed)?;
        let zero = self.b.i64(0);
        let magnitude = if signed {
            let negative = self.b.op(Opcode::ISub, &[zero, wide]);
            let below = self.b.op(Opcode::SLt, &[wide, zero]);
            self.b.select(below, negative, wide)
        } else {
            wide
        };
        // The 53 highest bits are exact; the others are dropped.
        let leading = self.b.op(Opcode::CountLeadingZeros, &[magnitude]);
        let most = self.b.i64(11);
        let excess = self.b.op(Opcode::ISub, &[most, leading]);
        let excess = self.b.op(Opcode::SMax, &[excess, zero]);
        let kept = self.b.op(Opcode::LShr, &[magnitude, excess]);
        let kept = self.b.op(Opcode::Shl, &[kept, excess]);
        let float = self.b.convert(Opcode::UToF, kept, Scalar::F64);
        let float = if signed {
            let negative = self.b.op(Opcode::FNeg, &[float]);
            let below = self.b.op(Opcode::SLt, &[wide, zero]);
            self.b.select(below, negative, float)
        } else {
            float
        };
        Ok(self.float_to_float(float, to, ROUND_TO_ZERO))
    }

    fn exact(&mut self, op: Opcode, x: Value, y: Value) -> Value {
        self.b.emit(op, &[x, y], NO_CONTRACTION, Scalar::F64).expect("it gives a result")
    }

    /// The sum of 64-bit floats, rounded towards zero: Knuth's error of the rounded sum is exact.
    fn sum_toward_zero(&mut self, x: Value, y: Value) -> Value {
        let (sum, error) = self.two_sum(x, y);
        self.corrected(sum, error, x, y)
    }

    /// The product of 64-bit floats, rounded towards zero. The error of a small product may itself be too
    /// small to represent, so it is computed with the smaller factor scaled up by a power of two.
    fn double_product_toward_zero(&mut self, x: Value, y: Value) -> Value {
        let product = self.exact(Opcode::FMul, x, y);
        let magnitudes = [x, y, product].map(|value| self.b.op(Opcode::FAbs, &[value]));
        let small = self.b.f64(2f64.powi(-400));
        let is_small = self.b.op(Opcode::FLt, &[magnitudes[2], small]);
        // Below 2^-400 the smaller factor is below 2^-200, and stays finite.
        let (up, one) = (self.b.f64(2f64.powi(600)), self.b.f64(1.0));
        let scale = self.b.select(is_small, up, one);
        let x_is_less = self.b.op(Opcode::FLt, &[magnitudes[0], magnitudes[1]]);
        let less = self.b.select(x_is_less, x, y);
        let greater = self.b.select(x_is_less, y, x);
        let less = self.exact(Opcode::FMul, less, scale);
        let scaled = self.exact(Opcode::FMul, product, scale);
        let negative = self.b.op(Opcode::FNeg, &[scaled]);
        let error = self.b.op(Opcode::FFma, &[less, greater, negative]);
        self.corrected(product, error, x, y)
    }

    /// Corrects the fused operation on 64-bit floats by its error, which two floats hold exactly (Boldo and
    /// Muller, "Exact and Approximated Error of the FMA", 2011) unless it underflows. So where the product is
    /// small, the factors below 2^-400, and with them the addend, are scaled up; and where the addend is so
    /// much larger that this would overflow, all that matters of the product is its sign.
    fn double_fused_toward_zero(&mut self, x: Value, y: Value, z: Value, nearest: Value) -> Value {
        let product = self.exact(Opcode::FMul, x, y);
        let [ax, ay, az, ap] = [x, y, z, product].map(|value| self.b.op(Opcode::FAbs, &[value]));
        let (bound, up, one) = (self.b.f64(2f64.powi(-400)), self.b.f64(2f64.powi(600)), self.b.f64(1.0));
        let is_small = self.b.op(Opcode::FLt, &[ap, bound]);
        let mut scaled = [z, nearest];
        let mut factors = [x, y];
        for (factor, magnitude) in factors.iter_mut().zip([ax, ay]) {
            let is_tiny = self.b.op(Opcode::FLt, &[magnitude, bound]);
            let is_tiny = self.b.op(Opcode::And, &[is_tiny, is_small]);
            let scale = self.b.select(is_tiny, up, one);
            *factor = self.exact(Opcode::FMul, *factor, scale);
            scaled = scaled.map(|value| self.exact(Opcode::FMul, value, scale));
        }
        let [addend, result] = scaled;
        let product = self.exact(Opcode::FMul, factors[0], factors[1]);
        let negative = self.b.op(Opcode::FNeg, &[product]);
        let product_error = self.b.op(Opcode::FFma, &[factors[0], factors[1], negative]);
        // Far from the addend, the product's sign is the error's.
        let large = self.b.f64(2f64.powi(-300));
        let is_large = self.b.op(Opcode::FLe, &[large, az]);
        let is_far = self.b.op(Opcode::And, &[is_small, is_large]);
        let (sum, sum_error) = self.two_sum(addend, product_error);
        let (high, high_error) = self.two_sum(product, sum);
        let rest = self.exact(Opcode::FSub, high, result);
        let rest = self.exact(Opcode::FAdd, rest, high_error);
        let error = self.exact(Opcode::FAdd, rest, sum_error);
        let error = self.b.select(is_far, product, error);
        let larger_factor = self.b.op(Opcode::FMax, &[ax, ay]);
        self.corrected(nearest, error, larger_factor, z)
    }

    /// The sum, rounded, and its error.
    fn two_sum(&mut self, x: Value, y: Value) -> (Value, Value) {
        let sum = self.exact(Opcode::FAdd, x, y);
        let y_part = self.exact(Opcode::FSub, sum, x);
        let x_part = self.exact(Opcode::FSub, sum, y_part);
        let x_error = self.exact(Opcode::FSub, x, x_part);
        let y_error = self.exact(Opcode::FSub, y, y_part);
        (sum, self.exact(Opcode::FAdd, x_error, y_error))
    }

    /// A rounded result with the sign of its error, as the next float towards zero where it was rounded away
    /// from zero: where the error has the other sign, or the result of finite operands is infinite.
    fn corrected(&mut self, rounded: Value, error: Value, x: Value, y: Value) -> Value {
        let bits = self.b.bitcast(rounded, Scalar::I64);
        let error_bits = self.b.bitcast(error, Scalar::I64);
        let different = self.b.op(Opcode::Xor, &[bits, error_bits]);
        let zero = self.b.i64(0);
        let different = self.b.op(Opcode::SLt, &[different, zero]);
        let none = self.b.f64(0.0);
        let error = self.b.op(Opcode::FAbs, &[error]);
        let is_inexact = self.b.op(Opcode::FLt, &[none, error]);
        let away = self.b.op(Opcode::And, &[different, is_inexact]);
        let infinity = self.b.f64(f64::INFINITY);
        let [x, y, magnitude] = [x, y, rounded].map(|value| self.b.op(Opcode::FAbs, &[value]));
        let x_is_finite = self.b.op(Opcode::FLt, &[x, infinity]);
        let y_is_finite = self.b.op(Opcode::FLt, &[y, infinity]);
        let is_infinite = self.b.op(Opcode::FEq, &[magnitude, infinity]);
        let overflow = self.b.op(Opcode::And, &[x_is_finite, y_is_finite]);
        let overflow = self.b.op(Opcode::And, &[overflow, is_infinite]);
        // Infinite operands have no error, whatever was computed; the error of an overflow is infinite or
        // NaN.
        let away = self.b.op(Opcode::AndNot, &[away, is_infinite]);
        let away = self.b.op(Opcode::Or, &[away, overflow]);
        let unit = self.b.convert(Opcode::ZeroExtend, away, Scalar::I64);
        let bits = self.b.op(Opcode::ISub, &[bits, unit]);
        self.b.bitcast(bits, Scalar::F64)
    }
}

/// Bits of the significand behind the point.
pub(crate) fn significand_bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 10,
        Scalar::F32 => 23,
        _ => 52,
    }
}
