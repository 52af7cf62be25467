//! What geometry functions are called with.

use super::COLUMN_LANES;
use crate::SubgroupContext;

/// Vertices of an input primitive: triangles with adjacency have the most.
pub const INPUT_VERTICES_MAX: usize = 6;
/// Vertices that an invocation may emit (`maxGeometryOutputVertices`).
pub const GEOMETRY_VERTICES_MAX: u32 = 1024;
/// Invocations for a primitive (`maxGeometryShaderInvocations`).
pub const GEOMETRY_INVOCATIONS_MAX: u32 = 127;
/// Vertex streams (`maxTransformFeedbackStreams`).
pub const VERTEX_STREAM_COUNT: usize = 16;

/// What the vertices of a geometry shader's output primitives make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GeometryOutput {
    /// `OutputPoints`
    #[default]
    Points,
    /// `OutputLineStrip`
    LineStrip,
    /// `OutputTriangleStrip`
    TriangleStrip,
}

/// What the engine must know of a geometry function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GeometryInfo {
    /// Vertices of an input primitive: 1, 2 or 3; with adjacency 4 or 6.
    pub input_vertices: u32,
    /// What its vertices make.
    pub output: GeometryOutput,
    /// Vertices that an invocation emits at most (`OutputVertices`), in all streams together; not more than
    /// [`GEOMETRY_VERTICES_MAX`].
    pub max_vertices: u32,
    /// Invocations for each input primitive (`Invocations`), at least 1.
    pub invocations: u32,
}

pyro_util::codec_enum!(GeometryOutput { Points, LineStrip, TriangleStrip });
pyro_util::codec_struct!(GeometryInfo { input_vertices, output, max_vertices, invocations });

/// One subgroup of geometry shader invocations: a lane is one invocation for one input primitive.
///
/// A lane's vertex of number `n` has its output columns in the `n`-th block of columns from `outputs` on, and
/// a word in the `n`-th column from `strips` on: how many vertices of its strip were emitted before it, in
/// the lower half, and its stream in the upper half.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct GeometrySubgroup {
    /// Active lanes, scratch memory.
    pub subgroup: SubgroupContext,
    /// Address that the input vertices' offsets count from.
    pub inputs: u64,
    /// Address of the first block of output columns, 64-byte aligned.
    pub outputs: u64,
    /// Address of the first column of strips' words.
    pub strips: u64,
    /// `ViewIndex`.
    pub view_index: u32,
    /// Zero.
    pub reserved: [u32; 9],
    /// Column: `PrimitiveId`.
    pub primitive_id: [u32; COLUMN_LANES],
    /// Column: `InvocationId`.
    pub invocation_id: [u32; COLUMN_LANES],
    /// Columns: byte offset of the first column's word of each input vertex.
    pub vertices: [[u32; COLUMN_LANES]; INPUT_VERTICES_MAX],
    /// Column, written: how many vertices the invocation has emitted.
    pub emitted: [u32; COLUMN_LANES],
}

impl Default for GeometrySubgroup {
    fn default() -> GeometrySubgroup {
        GeometrySubgroup {
            subgroup: SubgroupContext::default(),
            inputs: 0,
            outputs: 0,
            strips: 0,
            view_index: 0,
            reserved: [0; 9],
            primitive_id: [0; COLUMN_LANES],
            invocation_id: [0; COLUMN_LANES],
            vertices: [[0; COLUMN_LANES]; INPUT_VERTICES_MAX],
            emitted: [0; COLUMN_LANES],
        }
    }
}

const _: () = assert!(core::mem::offset_of!(GeometrySubgroup, subgroup) == 0);

/// Byte offsets of the fields, for generated code.
pub mod geometry_offset {
    use super::GeometrySubgroup as G;
    use core::mem::offset_of;

    /// [`super::GeometrySubgroup::inputs`].
    pub const INPUTS: u32 = offset_of!(G, inputs) as u32;
    /// [`super::GeometrySubgroup::outputs`].
    pub const OUTPUTS: u32 = offset_of!(G, outputs) as u32;
    /// [`super::GeometrySubgroup::strips`].
    pub const STRIPS: u32 = offset_of!(G, strips) as u32;
    /// [`super::GeometrySubgroup::view_index`].
    pub const VIEW_INDEX: u32 = offset_of!(G, view_index) as u32;
    /// [`super::GeometrySubgroup::primitive_id`].
    pub const PRIMITIVE_ID: u32 = offset_of!(G, primitive_id) as u32;
    /// [`super::GeometrySubgroup::invocation_id`].
    pub const INVOCATION_ID: u32 = offset_of!(G, invocation_id) as u32;
    /// [`super::GeometrySubgroup::vertices`], a column for each.
    pub const VERTICES: u32 = offset_of!(G, vertices) as u32;
    /// [`super::GeometrySubgroup::emitted`].
    pub const EMITTED: u32 = offset_of!(G, emitted) as u32;
}
