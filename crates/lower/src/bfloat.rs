//! Arithmetic on bfloat16: computed in 32 bits, and rounded once.
//!
//! The IR has no such type: a bfloat16 is an `i16` in registers and memory. While an arithmetic instruction
//! with such operands or results is lowered (`Lowerer::float.widening`), its operands are `f32`, and its
//! result is rounded back.

use crate::context::Lowerer;
use crate::error::Result;
use crate::rounding::ROUND_TO_ZERO;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{FPEncoding, Op};
use pyro_spirv::{Id, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// Whether the scalars of a type are bfloat16.
    pub(crate) fn is_bfloat(&self, ty: Id) -> bool {
        let component = match self.module.ty(ty) {
            Type::Matrix { column, .. } => self.module.component(column),
            _ => self.module.component(ty),
        };
        let encoding = component.and_then(|component| match component.ty {
            Type::Float { encoding, .. } => encoding,
            _ => None,
        });
        encoding == Some(FPEncoding::BFloat16KHR)
    }

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

    /// An `f64` as an `f32` that rounds to the same bfloat16: where bits are lost, the last one kept is set,
    /// so that it lies on no midpoint.
    pub(crate) fn double_to_float_odd(&mut self, x: Value) -> Value {
        let float = self.float_to_float(x, Scalar::F32, ROUND_TO_ZERO);
        let back = self.float_to_float(float, Scalar::F64, 0);
        let inexact = self.b.op(Opcode::FNe, &[back, x]);
        self.with_odd_bit(float, inexact)
    }

    fn with_odd_bit(&mut self, float: Value, inexact: Value) -> Value {
        let unit = self.b.convert(Opcode::ZeroExtend, inexact, Scalar::I32);
        let bits = self.b.bitcast(float, Scalar::I32);
        let bits = self.b.op(Opcode::Or, &[bits, unit]);
        self.b.bitcast(bits, Scalar::F32)
    }

    /// An integer as an `f32` that rounds to the same bfloat16 as the integer itself, in the same way.
    pub(crate) fn int_to_float_odd(&mut self, op: Opcode, x: Value) -> Result<Value> {
        let signed = op == Opcode::SToF;
        let wide = self.integer_of_width(x, Scalar::I64, signed)?;
        let float = self.int_to_float_toward_zero(op, x, Scalar::F32)?;
        let back = self.convert(if signed { Opcode::FToS } else { Opcode::FToU }, float, Scalar::I64)?;
        let inexact = self.b.op(Opcode::INe, &[back, wide]);
        Ok(self.with_odd_bit(float, inexact))
    }
}
