//! Operations on images that are known: their code is part of the shader.
//!
//! A pipeline layout may say of a descriptor what it will be ([`pyro_abi::layout::KnownImage`]). Whoever runs
//! the code sees to it that it is so, and that the records stay where they are while it runs.

use super::Records;
use crate::context::Lowerer;
use pyro_abi::image::ImageOp;
use pyro_image::access::{self, Operands};
use pyro_ir::Value;

/// Instructions of a function that takes no more code of images.
const INSTRUCTIONS_MAX: usize = 20_000;

impl Lowerer<'_, '_> {
    /// Puts an operation's code here, if all is known that decides it, and gives whether it did.
    pub(super) fn inline_operation(&mut self, records: Records, op: ImageOp) -> bool {
        self.image.results = None;
        if matches!(op, ImageOp::Atomic(_)) {
            return false;
        }
        let sampler = records.sampler.filter(|_| op.uses_sampler());
        self.image.note_use(records.image);
        if let Some(sampler) = sampler {
            self.image.note_use(sampler);
        }
        let Some(&view) = self.image.views.get(&records.image) else { return false };
        let key = sampler.and_then(|sampler| self.image.samplers.get(&sampler).copied());
        if op.uses_sampler() && key.is_none()
            || !access::is_inlined(&view, key.as_ref(), op)
            || self.b.function.insts.len() > INSTRUCTIONS_MAX
        {
            return false;
        }
        let columns: Vec<(u32, Value)> =
            self.image.operands.iter().map(|&(column, value, _)| (column, value)).collect();
        let operands = Operands {
            image: records.image,
            sampler: sampler.unwrap_or(records.image),
            columns: &columns,
            are_block: self.image.lanes_are_block,
        };
        match access::inline(&mut self.b, &view, key.as_ref(), op, operands) {
            Ok(results) => {
                self.image.results = Some(results);
                true
            }
            // The call says what is wrong.
            Err(_) => false,
        }
    }
}
