//! `assume-false`, `unreachable`: what the shader says cannot be; `bounds-vector` of components chosen by
//! value.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_composite(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::AssumeTrueKHR if self.sanitizer.is_on(Kind::AssumeFalse) => {
                let condition = self.scalar(inst.id(0))?;
                let is_false = self.not(condition);
                let text = "the condition of OpAssumeTrueKHR is false";
                self.find(inst, Kind::AssumeFalse, is_false, text, Vec::new())
            }
            Op::VectorExtractDynamic | Op::VectorInsertDynamic
                if self.sanitizer.is_on(Kind::BoundsVector) =>
            {
                let position = if inst.op() == Op::VectorExtractDynamic { 1 } else { 2 };
                let count = self.scalars(inst.id(0))?.len() as u64;
                let index = self.scalar(inst.id(position))?;
                self.expect_int(inst, &[index])?;
                let is_outside = self.at_least(index, count);
                let values = self.reported_ids(&[("index", inst.id(position))])?;
                let text = format!("a component index is past the {count} components of a vector");
                self.find(inst, Kind::BoundsVector, is_outside, text, values)
            }
            _ => Ok(()),
        }
    }

    /// `OpUnreachable`, which ends a block.
    pub(crate) fn sanitize_unreachable(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::Unreachable) {
            return Ok(());
        }
        let always = self.b.bool(true);
        self.find(inst, Kind::Unreachable, always, "OpUnreachable is reached", Vec::new())
    }
}
