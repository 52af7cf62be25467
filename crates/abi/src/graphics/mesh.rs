//! What task and mesh functions are called with, and where mesh functions put vertices and primitives.
//!
//! Both are functions of workgroups, like those of compute. Argument 0 is the address of a
//! [`crate::DrawContext`], argument 1 that of a [`crate::SubgroupContext`]. The workgroup's memory begins
//! with a [`MeshWorkgroup`], behind which its variables lie.
//!
//! # Outputs of mesh functions
//! A workgroup writes two blocks of *columns*. A column holds one word of each vertex
//! ([`MeshLayout::vertex_pitch`] of them), or of each primitive ([`MeshLayout::primitive_pitch`]). Vertices
//! have the columns of vertex functions ([`VertexLayout`](super::VertexLayout)). The first columns of
//! primitives are their vertices' numbers ([`MeshLayout::indices`]).

/// `maxMeshOutputVertices`.
pub const MESH_VERTICES_MAX: u32 = 256;
/// `maxMeshOutputPrimitives`.
pub const MESH_PRIMITIVES_MAX: u32 = 256;
/// `maxTaskPayloadSize`, bytes.
pub const TASK_PAYLOAD_BYTES_MAX: u32 = 16_384;

/// The start of the memory of a task or mesh workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct MeshWorkgroup {
    /// Address of the columns of vertices, 64-byte aligned.
    pub vertices: u64,
    /// Address of the columns of primitives, 64-byte aligned.
    pub primitives: u64,
    /// Address of the task payload: task functions write it, the mesh functions that they start read it.
    pub payload: u64,
    /// `NumWorkgroups`.
    pub num_workgroups: [u32; 3],
    /// `DrawIndex`.
    pub draw_index: u32,
    /// `ViewIndex`.
    pub view_index: u32,
    /// Written by mesh functions: how many vertices there are. May be anything.
    pub vertex_count: u32,
    /// Written by mesh functions: how many primitives there are. May be anything.
    pub primitive_count: u32,
    /// Written by task functions: the mesh workgroups that they start. May be anything.
    pub task_groups: [u32; 3],
}

/// Bytes of [`MeshWorkgroup`]: where a workgroup's variables begin.
pub const MESH_WORKGROUP_BYTES: u32 = 64;
const _: () = assert!(size_of::<MeshWorkgroup>() == MESH_WORKGROUP_BYTES as usize);

/// How the numbers of primitives' vertices lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshIndices {
    /// A column for each corner.
    #[default]
    Columns,
    /// One behind the other, from the first column on (`PrimitiveIndicesNV`).
    List,
}

/// The outputs of a mesh function, beside the columns of its vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MeshLayout {
    /// Vertices of a workgroup at most (`OutputVertices`).
    pub max_vertices: u32,
    /// Primitives of a workgroup at most (`OutputPrimitivesEXT`).
    pub max_primitives: u32,
    /// Corners of a primitive: 1, 2 or 3.
    pub corners: u32,
    /// How their vertices' numbers lie.
    pub indices: MeshIndices,
    /// Columns of primitives, with those of indices.
    pub columns: u32,
    /// `PrimitiveId`.
    pub primitive_id: Option<u32>,
    /// `Layer`.
    pub layer: Option<u32>,
    /// `ViewportIndex`.
    pub viewport_index: Option<u32>,
    /// The first word of `ViewportMaskNV`.
    pub viewport_mask: Option<u32>,
    /// `PrimitiveShadingRateKHR`.
    pub shading_rate: Option<u32>,
    /// `CullPrimitiveEXT`: 1 or 0.
    pub cull: Option<u32>,
}

pyro_util::codec_enum!(MeshIndices { Columns, List });
pyro_util::codec_struct!(MeshLayout {
    max_vertices,
    max_primitives,
    corners,
    indices,
    columns,
    primitive_id,
    layer,
    viewport_index,
    viewport_mask,
    shading_rate,
    cull,
});

impl MeshLayout {
    /// Words of a column of vertices: a power of two, as where columns of subgroups are looked up.
    pub const fn vertex_pitch(&self) -> u32 {
        let pitch = self.max_vertices.next_power_of_two();
        if pitch < 16 { 16 } else { pitch }
    }

    /// Words of a column of primitives.
    pub const fn primitive_pitch(&self) -> u32 {
        self.max_primitives.next_multiple_of(16)
    }
}

/// Byte offsets of the fields, for generated code.
pub mod mesh_offset {
    use super::MeshWorkgroup as M;
    use core::mem::offset_of;

    /// [`super::MeshWorkgroup::vertices`].
    pub const VERTICES: u32 = offset_of!(M, vertices) as u32;
    /// [`super::MeshWorkgroup::primitives`].
    pub const PRIMITIVES: u32 = offset_of!(M, primitives) as u32;
    /// [`super::MeshWorkgroup::payload`].
    pub const PAYLOAD: u32 = offset_of!(M, payload) as u32;
    /// [`super::MeshWorkgroup::num_workgroups`].
    pub const NUM_WORKGROUPS: u32 = offset_of!(M, num_workgroups) as u32;
    /// [`super::MeshWorkgroup::draw_index`].
    pub const DRAW_INDEX: u32 = offset_of!(M, draw_index) as u32;
    /// [`super::MeshWorkgroup::view_index`].
    pub const VIEW_INDEX: u32 = offset_of!(M, view_index) as u32;
    /// [`super::MeshWorkgroup::vertex_count`].
    pub const VERTEX_COUNT: u32 = offset_of!(M, vertex_count) as u32;
    /// [`super::MeshWorkgroup::primitive_count`].
    pub const PRIMITIVE_COUNT: u32 = offset_of!(M, primitive_count) as u32;
    /// [`super::MeshWorkgroup::task_groups`].
    pub const TASK_GROUPS: u32 = offset_of!(M, task_groups) as u32;
}
