//! `shift-width`: shifts by the width of the value or more.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_shift(&mut self, inst: Instruction<'m>) -> Result {
        let is_shift =
            matches!(inst.op(), Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic);
        if !is_shift || !self.sanitizer.is_on(Kind::ShiftWidth) {
            return Ok(());
        }
        let (bases, amounts) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        self.expect_int(inst, &amounts)?;
        let Some(width) = bases.first().map(|&base| self.scalar_type(base).bits()) else { return Ok(()) };
        let wide: Vec<_> = amounts.iter().map(|&amount| self.at_least(amount, width.into())).collect();
        let is_wide = self.any_of(wide);
        let values = self.reported_ids(&[("value", inst.id(0)), ("shift", inst.id(1))])?;
        let text = format!("a value of {width} bits is shifted by {width} bits or more");
        self.find(inst, Kind::ShiftWidth, is_wide, text, values)
    }
}
