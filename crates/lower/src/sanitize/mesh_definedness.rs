//! Outputs of mesh shaders: which of their columns have been written.
//!
//! # Approach
//! A table in workgroup memory has a word for each word of the columns of vertices, and behind these of those
//! of primitives, not zero where it has been written. Where the shader ends, behind a barrier, each
//! invocation looks at the primitives whose numbers are its own, modulo the workgroup's size: at what they
//! are made of and what the fragment shader reads of them and their vertices. Vertices that no primitive has
//! need no values, and culled primitives none but that.
//!
//! # Invariant
//! Undefined values are found where they are stored ([`super::definedness`]), and count as written.

use super::state::MeshTable;
use crate::context::Lowerer;
use crate::error::Result;
use crate::mesh::workgroup_field;
use crate::pointer::Range;
use crate::types::memory_bytes;
use crate::value::Scalars;
use pyro_abi::graphics::mesh::{MeshLayout, mesh_offset as at};
use pyro_ir::{MemoryOp, Opcode, Scalar, SourceLoc, Space, Value};
use pyro_spirv::Id;
use pyro_util::sanitize::Kind;

/// Bytes of a table at most: of more outputs nothing is followed.
const TABLE_BYTES_MAX: u32 = 1 << 18;

/// Words that an invocation looks at, at most.
const LOOKS_MAX: usize = 1 << 10;

/// Columns of vertices or primitives, and how findings call them.
pub(crate) struct MeshColumns {
    pub(crate) name: String,
    pub(crate) columns: Vec<u32>,
}

/// The outputs of a mesh shader that somebody reads.
pub(crate) struct MeshReads<'l> {
    pub(crate) mesh: &'l MeshLayout,
    /// The number of the workgroup's invocations.
    pub(crate) invocations: u32,
    pub(crate) vertices: Vec<MeshColumns>,
    pub(crate) primitives: Vec<MeshColumns>,
}

/// Primitives that are looked at.
struct Look {
    /// The primitive, and whether there is one.
    primitive: (Value, Value),
    /// The same of its vertices.
    vertices: Vec<(Value, Value)>,
}

impl<'m> Lowerer<'m, '_> {
    /// Where the columns of vertices begin, or those of primitives, which lie `offset` bytes behind them in
    /// the table of so many bytes.
    pub(crate) fn sanitize_mesh_columns(&mut self, base: Value, offset: u32, bytes: u32) -> Result {
        if !self.sanitizer.is_on(Kind::UninitializedOutput) || bytes > TABLE_BYTES_MAX {
            return Ok(());
        }
        let table = self.mesh_table(bytes)?;
        let own = self.in_prologue(|cx| {
            let offset = cx.b.i64(offset.into());
            Ok(cx.b.op(Opcode::IAdd, &[table, offset]))
        })?;
        self.sanitizer.definedness.mesh_columns.insert(base, own);
        Ok(())
    }

    fn mesh_table(&mut self, bytes: u32) -> Result<Value> {
        if let Some(table) = self.sanitizer.definedness.mesh {
            return Ok(table.address);
        }
        let base = self.shared_base()?;
        let table = self.in_prologue(|cx| {
            // Not `Builder::constant`: it changes.
            let ty = pyro_ir::Type::varying(Scalar::I64);
            let place = cx.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), SourceLoc::default());
            let block = cx.b.block();
            cx.b.function.blocks[block].insts.push(place);
            let start = cx.b.function.insts[place].expect_result();
            Ok(MeshTable { address: cx.b.op(Opcode::IAdd, &[base, start]), place, bytes })
        })?;
        Ok(self.sanitizer.definedness.mesh.insert(table).address)
    }

    /// The same range of the table, for a range of columns.
    pub(crate) fn mesh_flags(&self, range: &Range) -> Option<Range> {
        let base = *self.sanitizer.definedness.mesh_columns.get(&range.base)?;
        Some(Range { base, ..*range })
    }

    /// Gives the table its place behind workgroup memory and what else lies there.
    pub(super) fn finish_mesh_definedness(&mut self) {
        let Some(table) = self.sanitizer.definedness.mesh.take() else { return };
        let start = self.workgroup.bytes.next_multiple_of(64);
        self.b.function.insts[table.place].imm = start.into();
        let end = start + table.bytes.next_multiple_of(64);
        self.workgroup.exchange_bytes += end - self.workgroup.bytes;
        self.workgroup.shadow_bytes += match self.workgroup.shadow_bytes {
            0 => end - start,
            _ => end - self.workgroup.bytes,
        };
        self.workgroup.bytes = end;
    }

    /// Where a mesh shader ends: what is read of its primitives and their vertices.
    pub(crate) fn sanitize_mesh_outputs(
        &mut self,
        function: Id,
        index: Value,
        reads: &MeshReads<'_>,
    ) -> Result {
        if self.sanitizer.definedness.mesh.is_none() {
            return Ok(());
        }
        let rounds = reads.mesh.max_primitives.div_ceil(reads.invocations.max(1));
        let count = |columns: &[MeshColumns]| columns.iter().map(|one| one.columns.len()).sum::<usize>();
        let corners = reads.mesh.corners as usize;
        let looks = count(&reads.primitives) + corners * (1 + count(&reads.vertices));
        let Some(end) = self.end_of(function).filter(|_| looks * rounds as usize <= LOOKS_MAX) else {
            return Ok(());
        };
        let stage = self.stage;
        stage.workgroup_barrier(self, 0)?;
        let base = workgroup_field(self, at::PRIMITIVES, Scalar::I64)?;
        let shared = self.shared_base()?;
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let memory = MemoryOp::new(Space::Shared).at(at::PRIMITIVE_COUNT as i32);
        let there = self.b.load(Scalar::I32, memory, shared, zero, always);
        let most = self.b.i32(reads.mesh.max_primitives);
        let there = self.b.op(Opcode::UMin, &[there, most]);
        let looks: Vec<Look> =
            (0..rounds).map(|round| self.look_at(base, (index, round), there, reads)).collect();
        let Some(table) = self.sanitizer.definedness.mesh else { return Ok(()) };
        let pitches = [4 * reads.mesh.vertex_pitch(), 4 * reads.mesh.primitive_pitch()];
        let behind = self.b.i64(u64::from(table.bytes - reads.mesh.columns * pitches[1]));
        let of_primitives = self.b.op(Opcode::IAdd, &[table.address, behind]);
        let sides = [
            (&reads.vertices, table.address, pitches[0], "a vertex"),
            (&reads.primitives, of_primitives, pitches[1], "a primitive"),
        ];
        for (groups, flags, pitch, what) in sides {
            for group in groups {
                let mut unwritten = Scalars::new();
                for look in &looks {
                    let places = match what {
                        "a vertex" => &look.vertices[..],
                        _ => std::slice::from_ref(&look.primitive),
                    };
                    for &(place, is_there) in places {
                        self.unwritten_columns(group, (flags, pitch), (place, is_there), &mut unwritten);
                    }
                }
                let any = self.any_of(unwritten);
                let text = format!("{} of {what} has not been written, and is read", group.name);
                self.find(end, Kind::UninitializedOutput, any, text, Vec::new())?;
            }
        }
        Ok(())
    }

    /// A primitive whose number is the invocation's, in a round.
    fn look_at(
        &mut self,
        base: Value,
        (index, round): (Value, u32),
        there: Value,
        reads: &MeshReads<'_>,
    ) -> Look {
        let pitch = 4 * reads.mesh.primitive_pitch();
        let first = self.b.i32(round * reads.invocations);
        let primitive = self.b.op(Opcode::IAdd, &[index, first]);
        let mut is_there = self.b.op(Opcode::ULt, &[primitive, there]);
        let offset = self.scale(primitive, 4);
        if let Some(column) = reads.mesh.cull {
            let memory = MemoryOp::new(Space::Shared).at((column * pitch) as i32);
            let culls = self.b.load(Scalar::I32, memory, base, offset, is_there);
            let stays = self.equals(culls, 0);
            is_there = self.b.op(Opcode::And, &[is_there, stays]);
        }
        let mut vertices = Vec::new();
        for corner in 0..reads.mesh.corners {
            let memory = MemoryOp::new(Space::Shared).at((corner * pitch) as i32);
            let vertex = self.b.load(Scalar::I32, memory, base, offset, is_there);
            let most = self.b.i32(reads.mesh.max_vertices);
            let is_vertex = self.b.op(Opcode::ULt, &[vertex, most]);
            vertices.push((vertex, self.b.op(Opcode::And, &[is_there, is_vertex])));
        }
        Look { primitive: (primitive, is_there), vertices }
    }

    /// Whether columns of a vertex or primitive have not been written.
    fn unwritten_columns(
        &mut self,
        group: &MeshColumns,
        (flags, pitch): (Value, u32),
        (place, is_there): (Value, Value),
        unwritten: &mut Scalars,
    ) {
        let offset = self.scale(place, u64::from(memory_bytes(Scalar::I32)));
        for &column in &group.columns {
            let memory = MemoryOp::new(Space::Shared).at((column * pitch) as i32);
            let written = self.b.load(Scalar::I32, memory, flags, offset, is_there);
            let is_unwritten = self.equals(written, 0);
            unwritten.push(self.b.op(Opcode::And, &[is_there, is_unwritten]));
        }
    }
}
