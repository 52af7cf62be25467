//! Comparisons, boolean logic, selection.

use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::float;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// Comparisons and logic.
    pub(crate) fn lower_logic(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::Any => self.fold(inst, Opcode::Or),
            Op::All => self.fold(inst, Opcode::And),
            Op::IsNan => self.float_unary(inst, float::is_nan),
            Op::IsInf => self.float_unary(inst, float::is_inf),
            Op::IsFinite => self.float_unary(inst, float::is_finite),
            Op::IsNormal => self.float_unary(inst, float::is_normal),
            Op::SignBitSet => self.float_unary(inst, float::sign_bit_set),
            Op::Ordered => self.float_binary(inst, float::ordered),
            Op::Unordered => self.float_binary(inst, float::unordered),
            Op::FOrdEqual => self.float_binary(inst, float::ord_equal),
            Op::FUnordEqual => self.float_binary(inst, float::unord_equal),
            Op::FOrdNotEqual | Op::LessOrGreater => self.float_binary(inst, float::ord_not_equal),
            Op::FUnordNotEqual => self.float_binary(inst, float::unord_not_equal),
            Op::FOrdLessThan => self.float_binary(inst, float::ord_less_than),
            Op::FUnordLessThan => self.float_binary(inst, float::unord_less_than),
            Op::FOrdGreaterThan => self.float_binary(inst, float::ord_greater_than),
            Op::FUnordGreaterThan => self.float_binary(inst, float::unord_greater_than),
            Op::FOrdLessThanEqual => self.float_binary(inst, float::ord_less_than_equal),
            Op::FUnordLessThanEqual => self.float_binary(inst, float::unord_less_than_equal),
            Op::FOrdGreaterThanEqual => self.float_binary(inst, float::ord_greater_than_equal),
            Op::FUnordGreaterThanEqual => self.float_binary(inst, float::unord_greater_than_equal),
            Op::IEqual | Op::LogicalEqual => self.binary_op(inst, Opcode::IEq),
            Op::INotEqual | Op::LogicalNotEqual => self.binary_op(inst, Opcode::INe),
            Op::ULessThan => self.binary_op(inst, Opcode::ULt),
            Op::ULessThanEqual => self.binary_op(inst, Opcode::ULe),
            Op::SLessThan => self.binary_op(inst, Opcode::SLt),
            Op::SLessThanEqual => self.binary_op(inst, Opcode::SLe),
            Op::UGreaterThan => self.swapped(inst, Opcode::ULt),
            Op::UGreaterThanEqual => self.swapped(inst, Opcode::ULe),
            Op::SGreaterThan => self.swapped(inst, Opcode::SLt),
            Op::SGreaterThanEqual => self.swapped(inst, Opcode::SLe),
            Op::LogicalOr => self.binary_op(inst, Opcode::Or),
            Op::LogicalAnd => self.binary_op(inst, Opcode::And),
            Op::LogicalNot => self.map1(inst, |cx, x| cx.op(Opcode::Not, &[x])),
            Op::Select => self.lower_select(inst),
            _ => self.unsupported(inst),
        }
    }

    fn swapped(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        self.map2(inst, |cx, x, y| cx.op(op, &[y, x]))
    }

    /// One boolean of all components.
    fn fold(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        let components = self.scalars(inst.id(0))?;
        let Some((&first, rest)) = components.split_first() else { return invalid_operands(inst) };
        let mut value = first;
        for &component in rest {
            value = self.op(op, &[value, component])?;
        }
        self.define_scalar(inst, value)
    }

    /// The condition is one boolean for the whole object, or one for each component.
    fn lower_select(&mut self, inst: Instruction<'m>) -> Result {
        let condition = self.scalars(inst.id(0))?;
        if let Some(choice) = self.known_condition(&condition) {
            // The operand itself: a pointer keeps its place.
            let operand = self.operand(inst.id(if choice { 1 } else { 2 }))?;
            return self.define(inst, operand);
        }
        let (then, otherwise) = (self.scalars(inst.id(1))?, self.scalars(inst.id(2))?);
        if then.len() != otherwise.len() || condition.is_empty() {
            return invalid_operands(inst);
        }
        if condition.len() != 1 && condition.len() != then.len() {
            return invalid_operands(inst);
        }
        let mut result = Scalars::new();
        for (index, (&then, &otherwise)) in then.iter().zip(&otherwise).enumerate() {
            let condition = if condition.len() == 1 { condition[0] } else { condition[index] };
            result.push(self.select(condition, then, otherwise)?);
        }
        let ty = self.result_type(inst)?;
        let operand = self.operand_of_type(ty, result)?;
        self.define(inst, operand)
    }

    fn known_condition(&self, condition: &[Value]) -> Option<bool> {
        match condition {
            &[condition] if self.scalar_type(condition) == Scalar::I1 => {
                self.b.function.const_bits(condition).map(|bits| bits != 0)
            }
            _ => None,
        }
    }
}
