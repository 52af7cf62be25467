//! The code by which a block counts its invocations, where shaders are instrumented ([`crate::instrument`]).

use crate::context::Lowerer;
use crate::error::Result;
use pyro_abi::context::offset;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space};
use pyro_spirv::BlockIndex;
use pyro_spirv::spirv::ExecutionModel;

/// The bit of a stage among `VkShaderStageFlagBits`.
fn stage_bit(model: ExecutionModel) -> Option<u32> {
    use ExecutionModel as M;
    Some(match model {
        M::Vertex => 0,
        M::TessellationControl => 1,
        M::TessellationEvaluation => 2,
        M::Geometry => 3,
        M::Fragment => 4,
        M::GLCompute => 5,
        M::TaskEXT | M::TaskNV => 6,
        M::MeshEXT | M::MeshNV => 7,
        _ => return None,
    })
}

impl Lowerer<'_, '_> {
    /// Counts the invocations that have come to a block, at its beginning, where shaders are instrumented.
    pub(crate) fn count_block(&mut self, block: BlockIndex) -> Result {
        let stage = self.stage;
        let Some(instrumentation) = &self.instrumentation else { return Ok(()) };
        let (known, Some(&number)) = (instrumentation.counters, instrumentation.numbers.get(&block)) else {
            return Ok(());
        };
        let Some(bit) = stage.model().and_then(stage_bit) else { return Ok(()) };
        let counters = match known {
            Some(counters) => counters,
            None => self.in_prologue(|cx| {
                let dispatch = cx.b.arg(0);
                let table = cx.load_context(dispatch, offset::INSTRUMENTATION, Scalar::I64);
                let null = cx.b.i64(0);
                let counts = cx.b.op(Opcode::INe, &[table, null]);
                let memory = MemoryOp::new(Space::Context).at(8 * bit as i32);
                let zero = cx.b.i32(0);
                Ok(cx.b.load(Scalar::I64, memory, table, zero, counts))
            })?,
        };
        if let Some(instrumentation) = &mut self.instrumentation {
            instrumentation.counters = Some(counters);
        }
        let active = self.b.op(Opcode::Active, &[]);
        let counted = match stage.may_write(self) {
            Some(may_write) => self.b.op(Opcode::And, &[active, may_write]),
            None => active,
        };
        let bits = self.b.op(Opcode::Ballot, &[counted]);
        let count = self.b.op(Opcode::PopCount, &[bits]);
        let first = self.b.op(Opcode::CountTrailingZeros, &[bits]);
        let first = self.b.convert(Opcode::Truncate, first, Scalar::I32);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let is_first = self.b.op(Opcode::IEq, &[lane, first]);
        let null = self.b.i64(0);
        let counts = self.b.op(Opcode::INe, &[counters, null]);
        let predicate = self.b.op(Opcode::And, &[is_first, counts]);
        let memory = MemoryOp::new(Space::Global);
        let at = self.b.i32(8 * number);
        self.b.emit(Opcode::AtomicAdd, &[counters, at, count, predicate], memory.to_imm(), Scalar::I64);
        Ok(())
    }
}
