//! Draws and the buffers that they read.

use crate::objects::memory::mapped::Range;

/// A vertex buffer binding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexBuffer {
    /// The bytes; none: all reads give zero.
    pub range: Option<Range>,
    /// The stride, where the command says it.
    pub stride: Option<u32>,
}

/// The index buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexBuffer {
    /// The bytes; none: all indices are zero.
    pub range: Option<Range>,
    /// Bytes of an index: 1, 2 or 4.
    pub index_bytes: u32,
    /// The index that restarts primitives, where it is another one than the greatest.
    pub restart: Option<u32>,
}

/// `VkDrawIndirectCommand`, and the index within a multi-draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Vertices.
    pub vertex_count: u32,
    /// Instances.
    pub instance_count: u32,
    /// The first vertex.
    pub first_vertex: u32,
    /// The first instance.
    pub first_instance: u32,
    /// `DrawIndex`.
    pub index: u32,
}

/// `VkDrawIndexedIndirectCommand`, and the index within a multi-draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawIndexed {
    /// Indices.
    pub index_count: u32,
    /// Instances.
    pub instance_count: u32,
    /// The first index.
    pub first_index: u32,
    /// Added to each index.
    pub vertex_offset: i32,
    /// The first instance.
    pub first_instance: u32,
    /// `DrawIndex`.
    pub index: u32,
}

/// Draws whose parameters are in memory.
#[derive(Clone, Debug)]
pub struct IndirectDraw {
    /// The parameters of all draws.
    pub commands: Range,
    /// Where their number is; none: `max_count`.
    pub count: Option<Range>,
    /// The most draws.
    pub max_count: u32,
    /// Bytes from the first draw's parameters to the end of the buffer or range that holds them.
    pub room: u64,
    /// Bytes from one draw's parameters to the next's.
    pub stride: u32,
    /// What each draws.
    pub kind: IndirectKind,
}

/// What the parameters of indirect draws are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndirectKind {
    /// `VkDrawIndirectCommand`.
    Vertices,
    /// `VkDrawIndexedIndirectCommand`.
    Indices,
    /// `VkDrawMeshTasksIndirectCommandEXT`.
    Mesh,
    /// `VkDrawMeshTasksIndirectCommandNV`.
    MeshNv,
}

impl IndirectKind {
    /// Bytes of the parameters of one draw.
    pub fn bytes(self) -> u64 {
        match self {
            IndirectKind::Vertices => 16,
            IndirectKind::Indices => 20,
            IndirectKind::Mesh => 12,
            IndirectKind::MeshNv => 8,
        }
    }
}

/// `VkDrawMeshTasksIndirectCommandEXT`, and the index within a multi-draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawMesh {
    /// Workgroups in x, y, z: task workgroups where there is a task shader, else mesh workgroups.
    pub groups: [u32; 3],
    /// `firstTask` of `vkCmdDrawMeshTasksNV`: the first workgroup in x.
    pub first: u32,
    /// `DrawIndex`.
    pub index: u32,
}
