//! 8-bit floats (`SPV_EXT_float8`): storage, and conversions through `f32`, which holds all of them.
//!
//! The IR has no such types: they are `i8`; [`Float8`] says how they are made up.

use crate::context::Lowerer;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::Float8;

impl Lowerer<'_, '_> {
    /// An 8-bit float as `f32`, exactly.
    pub(crate) fn float8_to_float(&mut self, x: Value, kind: Float8) -> Value {
        if kind == Float8::E5M2 {
            let wide = self.b.convert(Opcode::ZeroExtend, x, Scalar::I16);
            let amount = self.b.constant(Scalar::I16, 8);
            let half = self.b.op(Opcode::Shl, &[wide, amount]);
            let half = self.b.bitcast(half, Scalar::F16);
            return self.float_to_float(half, Scalar::F32, 0);
        }
        let wide = self.b.convert(Opcode::SignExtend, x, Scalar::I32);
        let (sign_mask, magnitude_mask) = (self.b.i32(1 << 31), self.b.i32(0x7f));
        let sign = self.b.op(Opcode::And, &[wide, sign_mask]);
        let magnitude = self.b.op(Opcode::And, &[wide, magnitude_mask]);
        // As an `f32` of the same fields it is too small by the difference of the biases, subnormal or not.
        let amount = self.b.i32(23 - kind.mantissa());
        let fields = self.b.op(Opcode::Shl, &[magnitude, amount]);
        let small = self.b.bitcast(fields, Scalar::F32);
        let factor = self.b.constant(Scalar::F32, 2f32.powi(127 - kind.bias()).to_bits().into());
        let value = self.b.op(Opcode::FMul, &[small, factor]);
        let value = self.b.bitcast(value, Scalar::I32);
        let is_nan = self.b.op(Opcode::IEq, &[magnitude, magnitude_mask]);
        let nan = self.b.i32(f32::NAN.to_bits());
        let value = self.b.select(is_nan, nan, value);
        let value = self.b.op(Opcode::Or, &[value, sign]);
        self.b.bitcast(value, Scalar::F32)
    }

    /// An `f32` as an 8-bit float, rounded to nearest even. What is too large, infinities included, becomes
    /// the infinity, or NaN where there is none, or with `saturate` the greatest finite number.
    pub(crate) fn float_to_float8(&mut self, x: Value, kind: Float8, saturate: bool) -> Value {
        let drop = 23 - kind.mantissa();
        let bits = self.b.bitcast(x, Scalar::I32);
        let magnitude_mask = self.b.i32(i32::MAX as u32);
        let magnitude = self.b.op(Opcode::And, &[bits, magnitude_mask]);
        // Normal results: half a unit less one is added, and one more where the last bit kept is set.
        let amount = self.b.i32(drop);
        let one = self.b.i32(1);
        let last = self.b.op(Opcode::LShr, &[magnitude, amount]);
        let last = self.b.op(Opcode::And, &[last, one]);
        // The exponent's new bias comes with it, as a constant that wraps.
        let rebias = ((127 - kind.bias() as u32) << 23).wrapping_neg().wrapping_add((1 << (drop - 1)) - 1);
        let rebias = self.b.i32(rebias);
        let rounded = self.b.op(Opcode::IAdd, &[magnitude, rebias]);
        let rounded = self.b.op(Opcode::IAdd, &[rounded, last]);
        let normal = self.b.op(Opcode::LShr, &[rounded, amount]);
        // Subnormal ones: a sum with what has the same unit in its last place rounds to it.
        let unit = 1 - kind.bias() - kind.mantissa() as i32;
        let anchor_bits = 2f32.powi(unit + 23).to_bits();
        let anchor = self.b.constant(Scalar::F32, anchor_bits.into());
        let absolute = self.b.bitcast(magnitude, Scalar::F32);
        let sum = self.b.emit(Opcode::FAdd, &[absolute, anchor], 1, Scalar::F32).expect("it gives a result");
        let sum = self.b.bitcast(sum, Scalar::I32);
        let anchor = self.b.i32(anchor_bits);
        let subnormal = self.b.op(Opcode::ISub, &[sum, anchor]);
        let least_normal = self.b.i32(2f32.powi(1 - kind.bias()).to_bits());
        let is_subnormal = self.b.op(Opcode::ULt, &[magnitude, least_normal]);
        let finite = self.b.select(is_subnormal, subnormal, normal);
        // Too large: by magnitude, since the fields of large numbers wrap above.
        let [greatest, beyond, nan] = kind.ends().map(u32::from);
        let first_beyond = self.first_beyond(kind);
        let is_beyond = self.b.op(Opcode::ULe, &[first_beyond, magnitude]);
        let beyond = self.b.i32(if saturate { greatest } else { beyond });
        let value = self.b.select(is_beyond, beyond, finite);
        let infinity = self.b.i32(f32::INFINITY.to_bits());
        let is_nan = self.b.op(Opcode::ULt, &[infinity, magnitude]);
        let nan = self.b.i32(nan);
        let value = self.b.select(is_nan, nan, value);
        let sign_amount = self.b.i32(24);
        let sign = self.b.op(Opcode::LShr, &[bits, sign_amount]);
        let sign_bit = self.b.i32(0x80);
        let sign = self.b.op(Opcode::And, &[sign, sign_bit]);
        let value = self.b.op(Opcode::Or, &[value, sign]);
        self.b.convert(Opcode::Truncate, value, Scalar::I8)
    }

    /// The bits of the least `f32` that rounds to more than the greatest finite number. Halfway goes to the
    /// even neighbour: E4M3's greatest number is even, E5M2's is odd.
    fn first_beyond(&mut self, kind: Float8) -> Value {
        self.b.i32(match kind {
            Float8::E4M3 => 464f32.to_bits() + 1,
            Float8::E5M2 => 61440f32.to_bits(),
        })
    }
}
