//! OCP's microscaling formats (`SPV_EXT_ocp_microscaling_types`): conversions to `f32`, which holds all of
//! them, and the bits of those of less than a byte.
//!
//! The IR has no such types: they are `i8`, of which the upper bits do not count.

use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::{Id, Instruction, Microscaling, Type};

impl<'m> Lowerer<'m, '_> {
    /// A number of such a format as `f32`, exactly.
    pub(crate) fn microscaling_to_float(&mut self, x: Value, kind: Microscaling) -> Value {
        let Some([exponent, mantissa]) = kind.fields() else {
            return match kind {
                Microscaling::E8M0 => self.scale_to_float(x),
                _ => {
                    let wide = self.b.convert(Opcode::SignExtend, x, Scalar::I32);
                    let value = self.b.convert(Opcode::SToF, wide, Scalar::F32);
                    let unit = self.b.constant(Scalar::F32, (1f32 / 64.0).to_bits().into());
                    self.b.op(Opcode::FMul, &[value, unit])
                }
            };
        };
        let wide = self.b.convert(Opcode::ZeroExtend, x, Scalar::I32);
        let magnitude_mask = self.b.i32((1 << (exponent + mantissa)) - 1);
        let magnitude = self.b.op(Opcode::And, &[wide, magnitude_mask]);
        // As an `f32` of the same fields it is too small by the difference of the biases, subnormal or not.
        let amount = self.b.i32(23 - mantissa);
        let fields = self.b.op(Opcode::Shl, &[magnitude, amount]);
        let small = self.b.bitcast(fields, Scalar::F32);
        let bias = (1 << (exponent - 1)) - 1;
        let factor = self.b.constant(Scalar::F32, 2f32.powi(127 - bias).to_bits().into());
        let value = self.b.op(Opcode::FMul, &[small, factor]);
        let value = self.b.bitcast(value, Scalar::I32);
        // The sign, above the other fields, becomes the highest bit.
        let amount = self.b.i32(31 - exponent - mantissa);
        let sign = self.b.op(Opcode::Shl, &[wide, amount]);
        let sign_mask = self.b.i32(1 << 31);
        let sign = self.b.op(Opcode::And, &[sign, sign_mask]);
        let value = self.b.op(Opcode::Or, &[value, sign]);
        self.b.bitcast(value, Scalar::F32)
    }

    /// E8M0: the exponent of an `f32`, but for the least, which is subnormal there, and NaN.
    fn scale_to_float(&mut self, x: Value) -> Value {
        let wide = self.b.convert(Opcode::ZeroExtend, x, Scalar::I32);
        let amount = self.b.i32(23);
        let value = self.b.op(Opcode::Shl, &[wide, amount]);
        let (zero, least) = (self.b.i32(0), self.b.i32(1 << 22));
        let is_least = self.b.op(Opcode::IEq, &[wide, zero]);
        let value = self.b.select(is_least, least, value);
        let (all, nan) = (self.b.i32(0xff), self.b.i32(f32::NAN.to_bits()));
        let is_nan = self.b.op(Opcode::IEq, &[wide, all]);
        let value = self.b.select(is_nan, nan, value);
        self.b.bitcast(value, Scalar::F32)
    }

    /// `OpBitcastExtractEXT`: bits of each component from an offset on. What lies behind the component is
    /// zeros, though nobody may rely on it.
    pub(crate) fn bitcast_extract(&mut self, inst: Instruction<'m>) -> Result {
        let (base, offset) = (self.scalars(inst.id(0))?, self.scalar(inst.id(1))?);
        let width = self.number_width(self.result_type(inst)?).unwrap_or(64);
        let to = self.result_scalar(inst)?;
        if base.is_empty() || !self.scalar_type(offset).is_int() || width >= 64 {
            return invalid_operands(inst);
        }
        let mut result = Scalars::new();
        for value in base {
            let scalar = self.scalar_type(value).to_int();
            if scalar.bits() < to.bits() || self.scalar_type(offset) == Scalar::I1 || scalar == Scalar::I1 {
                return invalid_operands(inst);
            }
            let value = self.b.bitcast(value, scalar);
            let wide = self.integer_of_width(value, Scalar::I64, false)?;
            let amount = self.integer_of_width(offset, Scalar::I64, false)?;
            // A shift by 64 or more would be by another amount.
            let limit = self.b.constant(Scalar::I64, 63);
            let amount = self.op(Opcode::UMin, &[amount, limit])?;
            let shifted = self.op(Opcode::LShr, &[wide, amount])?;
            let mask = self.b.constant(Scalar::I64, (1 << width) - 1);
            let bits = self.op(Opcode::And, &[shifted, mask])?;
            let narrow = self.integer_of_width(bits, to.to_int(), false)?;
            result.push(self.b.bitcast(narrow, to));
        }
        self.define(inst, Operand::Data(result))
    }

    /// Bits of a type's components, by the type and not by what holds them here.
    pub(crate) fn number_width(&self, ty: Id) -> Option<u32> {
        match self.module.component(ty)?.ty {
            Type::Int { width, .. } | Type::Float { width, .. } => Some(width),
            _ => None,
        }
    }

    /// `OpBitcast` from or to numbers of less than a byte: nibbles, the lowest first.
    pub(crate) fn bitcast_small(&mut self, inst: Instruction<'m>, widths: [u32; 2]) -> Result {
        let values = self.scalars(inst.id(0))?;
        let to = self.result_scalars(inst)?;
        let [from_width, to_width] = widths;
        let has_bits = values.len() as u64 * u64::from(from_width) == to.len() as u64 * u64::from(to_width);
        if from_width == to_width && has_bits {
            return self.define(inst, Operand::Data(values));
        }
        if !has_bits || from_width % 4 != 0 || to_width % 4 != 0 || from_width > 64 || to_width > 64 {
            return invalid_operands(inst);
        }
        let mask = self.b.constant(Scalar::I64, 15);
        let mut nibbles = Vec::new();
        for value in values {
            let scalar = self.scalar_type(value).to_int();
            if scalar == Scalar::I1 {
                return invalid_operands(inst);
            }
            let value = self.b.bitcast(value, scalar);
            let wide = self.integer_of_width(value, Scalar::I64, false)?;
            for nibble in 0..from_width / 4 {
                let amount = self.b.constant(Scalar::I64, (nibble * 4).into());
                let shifted = self.op(Opcode::LShr, &[wide, amount])?;
                nibbles.push(self.op(Opcode::And, &[shifted, mask])?);
            }
        }
        let mut result = Scalars::new();
        for (nibbles, &scalar) in nibbles.chunks(to_width as usize / 4).zip(to.iter()) {
            let mut sum = self.b.constant(Scalar::I64, 0);
            for (index, &nibble) in nibbles.iter().enumerate() {
                let amount = self.b.constant(Scalar::I64, index as u64 * 4);
                let shifted = self.op(Opcode::Shl, &[nibble, amount])?;
                sum = self.op(Opcode::Or, &[sum, shifted])?;
            }
            let narrow = self.integer_of_width(sum, scalar.to_int(), false)?;
            result.push(self.b.bitcast(narrow, scalar));
        }
        self.define(inst, Operand::Data(result))
    }
}
