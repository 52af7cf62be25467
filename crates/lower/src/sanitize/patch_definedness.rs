//! Output patches of tessellation control shaders: which of their columns have been written.
//!
//! # Approach
//! An output patch has as many columns again ([`PatchVaryingLayout::written`]), zero where nobody has written
//! the value. The control shader clears them when it starts. Who reads such a value, there or in the
//! evaluation shader, reads something undefined; levels are looked at where the control shader ends.
//!
//! [`PatchVaryingLayout::written`]: crate::patch_varyings::PatchVaryingLayout

use crate::context::Lowerer;
use crate::error::Result;
use crate::pointer::SoaSource;
use crate::value::Scalars;
use pyro_abi::graphics::{Domain, PatchLayout};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::Id;
use pyro_util::sanitize::Kind;

/// Levels that the tessellator reads: outer and inner ones.
fn level_counts(domain: Domain) -> [u32; 2] {
    match domain {
        Domain::Triangles => [3, 1],
        Domain::Quads => [4, 2],
        Domain::Isolines => [2, 0],
    }
}

impl<'m> Lowerer<'m, '_> {
    /// In the prologue of a control shader, whose output patch has so many columns: nobody has written any.
    pub(crate) fn sanitize_patch(&mut self, output: &SoaSource, columns: u32) {
        let Some(first) = output.written else { return };
        let lane = self.b.op(Opcode::LaneId, &[]);
        let (offset, zero, always) = (self.scale(lane, 4), self.b.i32(0), self.b.bool(true));
        for column in first..columns {
            let memory = MemoryOp::new(Space::Global).at((column * output.column_bytes) as i32);
            self.b.store(memory, output.base, offset, zero, always);
        }
    }

    /// After a value has been read from a column: whether it has been written.
    pub(crate) fn sanitize_column_load(&mut self, value: Value, written: Value) {
        if self.b.function.const_bits(value).is_none() {
            let flag = self.equals(written, 0);
            self.set_undefined_variable(value, flag);
        }
    }

    /// Where a control shader ends: the levels that the tessellator reads.
    pub(crate) fn sanitize_levels(
        &mut self,
        function: Id,
        output: &SoaSource,
        layout: &PatchLayout,
    ) -> Result {
        let (Some(distance), Some(end)) = (output.written, self.end_of(function)) else { return Ok(()) };
        if !self.sanitizer.is_on(Kind::UninitializedOutput) {
            return Ok(());
        }
        // All invocations of the patch have ended.
        self.b.effect(Opcode::Fence, 0);
        let always = self.b.bool(true);
        let counts = level_counts(layout.modes.domain);
        for ((first, count), name) in [0, 4].into_iter().zip(counts).zip(["outer", "inner"]) {
            let mut unwritten = Scalars::new();
            for level in 0..count {
                let column = layout.levels + first + level + distance;
                let memory = MemoryOp::new(Space::Global).at((column * output.column_bytes) as i32);
                let written = self.b.load(Scalar::I32, memory, output.base, output.first, always);
                unwritten.push(self.equals(written, 0));
            }
            let any = self.any_of(unwritten);
            let text =
                format!("an {name} tessellation level has not been written, and the tessellator reads it");
            self.find(end, Kind::UninitializedOutput, any, text, Vec::new())?;
        }
        Ok(())
    }
}
