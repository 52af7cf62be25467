//! `nan`, `infinity` (opt-in): float operations that make one from operands that are none.
//!
//! # Invariant
//! A product whose only use is a sum is fused with it. A comparison of the product would be another use, so a
//! product that may be fused is not looked at: its factors are, and the sum that it goes to.

use crate::context::Lowerer;
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::Instruction;
use pyro_spirv::facts::facts;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// After the instruction.
    pub(super) fn sanitize_special_value(&mut self, inst: Instruction<'m>) -> Result {
        let kinds = [Kind::Nan, Kind::Infinity].map(|kind| self.sanitizer.is_on(kind));
        if kinds == [false; 2] || !facts(inst.op()).is_float_arithmetic {
            return Ok(());
        }
        let Some(result) = inst.result() else { return Ok(()) };
        let Some(ty) = self.module.type_of(result) else { return Ok(()) };
        if self.module.component(ty).is_none() || self.is_bfloat(ty) {
            return Ok(());
        }
        let Operand::Data(results) = self.operand(result)? else { return Ok(()) };
        let is_float = |cx: &Self, values: &Scalars| values.iter().all(|&v| cx.scalar_type(v).is_float());
        if !is_float(self, &results) || results.iter().any(|&value| self.may_be_fused(value)) {
            return Ok(());
        }
        let mut operands = Scalars::new();
        for id in inst.id_operands() {
            let has_value = self.module.type_of(id).is_some_and(|ty| self.module.component(ty).is_some());
            if has_value && let Operand::Data(scalars) = self.operand(id)? {
                operands.extend(scalars.iter().copied().filter(|&value| self.scalar_type(value).is_float()));
            }
        }
        let values = self.reported_ids(&[("result", result)])?;
        for (kind, what) in [(Kind::Nan, "NaN"), (Kind::Infinity, "infinity")] {
            if !self.sanitizer.is_on(kind) {
                continue;
            }
            let is_nan = kind == Kind::Nan;
            let made: Vec<_> = results.iter().map(|&value| self.is_special(value, is_nan)).collect();
            let made = self.any_of(made);
            let mut given = Vec::new();
            for &operand in &operands {
                for part in self.factors(operand) {
                    given.push(self.is_special(part, true));
                    given.push(self.is_special(part, false));
                }
            }
            let given = self.any_of(given);
            let condition = self.op(Opcode::AndNot, &[made, given])?;
            let text = format!("an operation on finite numbers gives {what}");
            self.find(inst, kind, condition, text, values.clone())?;
        }
        Ok(())
    }

    fn may_be_fused(&self, value: Value) -> bool {
        self.b.function.def_inst(value).is_some_and(|data| data.op == Opcode::FMul && data.imm == 0)
    }

    /// The value, or the factors of a product that may be fused.
    fn factors(&self, value: Value) -> Scalars {
        match self.b.function.def_inst(value) {
            Some(data) if self.may_be_fused(value) => Scalars::from_slice(&data.args),
            _ => Scalars::from_slice(&[value]),
        }
    }

    /// Whether a float is NaN, or an infinity.
    fn is_special(&mut self, value: Value, nan: bool) -> Value {
        if nan {
            return self.b.op(Opcode::FNe, &[value, value]);
        }
        let scalar = self.scalar_type(value);
        let bits = match scalar {
            Scalar::F16 => 0x7c00,
            Scalar::F32 => u64::from(f32::INFINITY.to_bits()),
            _ => f64::INFINITY.to_bits(),
        };
        let infinity = self.b.constant(scalar, bits);
        let magnitude = self.b.op(Opcode::FAbs, &[value]);
        self.b.op(Opcode::FEq, &[magnitude, infinity])
    }
}
