//! Floats as operands and results: bfloat16 as `f32` where an instruction computes with it, and denormals as
//! zeros where the execution modes say so.

use crate::context::Lowerer;
use crate::rounding::significand_bits;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::Instruction;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// Whether the operands and the result of an instruction are to be `f32` in place of bfloat16.
    pub(crate) fn needs_widening(&self, inst: Instruction<'m>) -> bool {
        self.float.has_bfloat
            && facts(inst.op()).is_float_arithmetic
            // Says itself what it converts.
            && inst.op() != Op::FConvert
            && (inst.result_type().is_some_and(|ty| self.is_bfloat(ty))
                || inst.id_operands().any(|id| self.module.type_of(id).is_some_and(|ty| self.is_bfloat(ty))))
    }

    /// A bfloat16 as `f32`.
    pub(crate) fn widened(&mut self, value: Value) -> Value {
        if self.scalar_type(value) == Scalar::I16 { self.b.op(Opcode::FromBfloat, &[value]) } else { value }
    }

    /// An `f32` as bfloat16.
    pub(crate) fn narrowed(&mut self, value: Value) -> Value {
        if self.scalar_type(value) == Scalar::F32 { self.b.op(Opcode::ToBfloat, &[value]) } else { value }
    }

    /// The value, or a zero of its sign where it is denormal and its type's mode flushes those.
    pub(crate) fn flushed(&mut self, value: Value) -> Value {
        let scalar = self.scalar_type(value);
        if !self.float.modes.of(scalar).flush {
            return value;
        }
        let int = scalar.to_int();
        let least_normal = 1u64 << significand_bits(scalar);
        let least_normal = self.b.constant(scalar, least_normal);
        let magnitude = self.b.op(Opcode::FAbs, &[value]);
        let is_small = self.b.op(Opcode::FLt, &[magnitude, least_normal]);
        let sign_bit = self.b.constant(int, 1 << (int.bits() - 1));
        let bits = self.b.bitcast(value, int);
        let sign = self.b.op(Opcode::And, &[bits, sign_bit]);
        let zero = self.b.bitcast(sign, scalar);
        self.b.select(is_small, zero, value)
    }
}
