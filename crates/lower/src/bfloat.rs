//! Arithmetic on bfloat16: computed in 32 bits, and rounded once.
//!
//! The IR has no such type: a bfloat16 is an `i16` in registers and memory. While an arithmetic instruction
//! with such operands or results is lowered (`Lowerer::float.widening`), its operands are `f32`, and its
//! result is rounded back.

use crate::arithmetic::NO_CONTRACTION;
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid};
use crate::rounding::ROUND_TO_ZERO;
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::{Float8, Id, Instruction};

impl<'m> Lowerer<'m, '_> {
    /// `SPV_VALVE_mixed_float_dot_product`: exact products, which are added up in 32 bits and to the
    /// accumulator last; of an accumulator of 16 bits the sum alone is rounded to these.
    pub(crate) fn mixed_dot(&mut self, inst: Instruction<'m>) -> Result {
        let [x, y] = [self.wide_floats(inst.id(0))?, self.wide_floats(inst.id(1))?];
        let [accumulator] = self.wide_floats(inst.id(2))?[..] else { return invalid_operands(inst) };
        if x.is_empty() || x.len() != y.len() {
            return invalid_operands(inst);
        }
        let mut sum = self.op_imm(Opcode::FMul, &[x[0], y[0]], NO_CONTRACTION)?;
        for (&x, &y) in x.iter().zip(&y).skip(1) {
            sum = self.op(Opcode::FFma, &[x, y, sum])?;
        }
        let sum = self.op_imm(Opcode::FAdd, &[sum, accumulator], NO_CONTRACTION)?;
        let to = self.result_scalar(inst)?;
        if !to.is_float() {
            return invalid_operands(inst);
        }
        let result = self.float_to_float(sum, to, 0);
        self.define_scalar(inst, result)
    }

    /// The scalars of a value that are floats of at most 32 bits in any encoding, as `f32`.
    fn wide_floats(&mut self, id: Id) -> Result<Scalars> {
        let encoding = self.float_encoding(self.type_of(id)?);
        let float8 = encoding.and_then(Float8::from_encoding);
        let mut scalars = self.scalars(id)?;
        for value in &mut scalars {
            *value = match (self.scalar_type(*value), float8) {
                (Scalar::I8, Some(kind)) => self.float8_to_float(*value, kind),
                (Scalar::F16 | Scalar::F32, None) => self.float_to_float(*value, Scalar::F32, 0),
                _ => return invalid(format!("{id} is not of small floats")),
            };
        }
        Ok(scalars)
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
