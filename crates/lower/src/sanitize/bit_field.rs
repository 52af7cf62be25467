//! `bit-field-range`: bit fields that end past the last bit.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::{Opcode, Scalar};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_bit_field(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::BitFieldRange) {
            return Ok(());
        }
        let first = if inst.op() == Op::BitFieldInsert { 2 } else { 1 };
        let bases = self.scalars(inst.id(0))?;
        let (offset, count) = (self.scalar(inst.id(first))?, self.scalar(inst.id(first + 1))?);
        self.expect_int(inst, &[offset, count])?;
        let Some(width) = bases.first().map(|&base| u64::from(self.scalar_type(base).bits())) else {
            return Ok(());
        };
        // Each by itself, as their sum may wrap.
        let too_far = [offset, count].map(|value| self.at_least(value, width + 1));
        let [offset32, count32] = [
            self.integer_of_width(offset, Scalar::I32, false)?,
            self.integer_of_width(count, Scalar::I32, false)?,
        ];
        let end = self.op(Opcode::IAdd, &[offset32, count32])?;
        let ends_outside = self.at_least(end, width + 1);
        let is_outside = self.any_of([too_far[0], too_far[1], ends_outside]);
        let values = self.reported_ids(&[("offset", inst.id(first)), ("count", inst.id(first + 1))])?;
        let text = format!("a bit field ends past the {width} bits of its value");
        self.find(inst, Kind::BitFieldRange, is_outside, text, values)
    }
}
