//! Arithmetic on bfloat16: computed in 32 bits, and rounded once.
//!
//! The IR has no such type: a bfloat16 is an `i16` in registers and memory. While an arithmetic instruction
//! with such operands or results is lowered (`Lowerer::float.widening`), its operands are `f32`, and its
//! result is rounded back.

use crate::context::Lowerer;
use crate::error::Result;
use crate::rounding::ROUND_TO_ZERO;
use pyro_ir::{Opcode, Scalar, Value};

impl<'m> Lowerer<'m, '_> {
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
