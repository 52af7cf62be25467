//! `divide-by-zero`, `divide-overflow`: integer quotients and remainders; `math-domain` of float remainders.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::Opcode;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_division(&mut self, inst: Instruction<'m>) -> Result {
        let is_signed = matches!(inst.op(), Op::SDiv | Op::SRem | Op::SMod);
        let is_float = matches!(inst.op(), Op::FRem | Op::FMod);
        if !(is_signed || is_float || matches!(inst.op(), Op::UDiv | Op::UMod)) {
            return Ok(());
        }
        if is_float {
            return self.sanitize_float_remainder(inst);
        }
        let checks_zero = self.sanitizer.is_on(Kind::DivideByZero);
        let checks_overflow = is_signed && self.sanitizer.is_on(Kind::DivideOverflow);
        if !(checks_zero || checks_overflow) {
            return Ok(());
        }
        let (dividends, divisors) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        self.expect_int(inst, &divisors)?;
        let operands = [("dividend", inst.id(0)), ("divisor", inst.id(1))];
        if checks_zero {
            let zeros: Vec<_> = divisors.iter().map(|&divisor| self.equals(divisor, 0)).collect();
            let is_zero = self.any_of(zeros);
            let values = self.reported_ids(&operands)?;
            self.find(inst, Kind::DivideByZero, is_zero, "an integer is divided by zero", values)?;
        }
        if checks_overflow && dividends.len() == divisors.len() {
            let mut overflows = Vec::new();
            for (&dividend, &divisor) in dividends.iter().zip(&divisors) {
                let scalar = self.scalar_type(divisor);
                let is_least = self.equals(dividend, 1 << (scalar.bits() - 1));
                let is_minus_one = self.equals(divisor, scalar.mask());
                overflows.push(self.op(Opcode::And, &[is_least, is_minus_one])?);
            }
            let overflows = self.any_of(overflows);
            let values = self.reported_ids(&operands)?;
            let text = "the least integer is divided by -1, and its type has no such quotient";
            self.find(inst, Kind::DivideOverflow, overflows, text, values)?;
        }
        Ok(())
    }

    fn sanitize_float_remainder(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::MathDomain) {
            return Ok(());
        }
        let divisors = self.scalars(inst.id(1))?;
        self.expect_float(inst, &divisors)?;
        let mut zeros = Vec::new();
        for &divisor in &divisors {
            let zero = self.float(self.scalar_type(divisor), 0.0);
            zeros.push(self.op(Opcode::FEq, &[divisor, zero])?);
        }
        let is_zero = self.any_of(zeros);
        let values = self.reported_ids(&[("dividend", inst.id(0)), ("divisor", inst.id(1))])?;
        self.find(inst, Kind::MathDomain, is_zero, "the remainder of a division by zero is undefined", values)
    }
}
