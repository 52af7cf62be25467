//! Cache lines of a profile: how many each access of buffers by a subgroup touches.

use crate::context::Lowerer;
use crate::error::Result;
use crate::pointer::PointerBase;
use pyro_ir::{Opcode, Scalar};
use pyro_library::group;
use pyro_profiler::counters::CACHE_LINE_BYTES;
use pyro_spirv::Instruction;

impl Lowerer<'_, '_> {
    /// Counts an access of buffers, and the cache lines in which it begins.
    pub(crate) fn count_access(&mut self, inst: Instruction<'_>) -> Result {
        let Some(counting) = &self.counting else { return Ok(()) };
        let Some(offset) = counting.access_offset(inst.index()) else { return Ok(()) };
        let Some(address) = self.counter_address()? else { return Ok(()) };
        // What cannot be lowered is refused where it is.
        let Some(Ok(pointer)) = inst.get_id(0).map(|id| self.pointer(id)) else { return Ok(()) };
        let place = match &pointer.base {
            PointerBase::Physical { .. } => self.physical_address(&pointer),
            PointerBase::Range(range) => {
                let mut offset = self.range_offset_saturated(&pointer, range);
                if self.scalar_type(offset) != Scalar::I64 {
                    offset = self.b.convert(Opcode::ZeroExtend, offset, Scalar::I64);
                }
                self.b.op(Opcode::IAdd, &[range.base, offset])
            }
            _ => return Ok(()),
        };
        let lanes = self.counted_lanes()?;
        let shift = self.b.i64(CACHE_LINE_BYTES.ilog2().into());
        let line = self.b.op(Opcode::LShr, &[place, shift]);
        let is_first = group::first_of_equal(&mut self.b, line, lanes);
        self.add_to_counter(address, offset, lanes, Some(1));
        self.add_to_counter(address, offset + 8, is_first, None);
        Ok(())
    }
}
