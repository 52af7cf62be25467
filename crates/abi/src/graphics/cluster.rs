//! What cluster culling functions are called with, and where they put the clusters that they emit.
//!
//! They are functions of workgroups, as task functions are ([`super::mesh`]): a workgroup's memory begins
//! with a [`super::MeshWorkgroup`], whose payload is the workgroup's list of clusters. It begins with a word
//! that counts what was emitted, which is zero before the workgroup runs; from [`CLUSTER_LIST_HEADER_BYTES`]
//! on there is a [`Cluster`] for each, in any order. Who emits more than [`CLUSTERS_MAX`] loses the rest.

/// `maxOutputClusterCount`: clusters that a workgroup may emit.
pub const CLUSTERS_MAX: u32 = 1024;
/// Where the first cluster of a list lies.
pub const CLUSTER_LIST_HEADER_BYTES: u32 = 64;
/// Bytes of a list.
pub const CLUSTER_LIST_BYTES: u32 = CLUSTER_LIST_HEADER_BYTES + CLUSTERS_MAX * size_of::<Cluster>() as u32;

/// A cluster: the numbers of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Cluster {
    /// The number of the invocation that emitted it, in its workgroup.
    pub invocation: u32,
    /// `IndexCountHUAWEI` or `VertexCountHUAWEI`.
    pub count: u32,
    /// `InstanceCountHUAWEI`
    pub instance_count: u32,
    /// `FirstIndexHUAWEI` or `FirstVertexHUAWEI`.
    pub first: u32,
    /// `VertexOffsetHUAWEI`
    pub vertex_offset: i32,
    /// `FirstInstanceHUAWEI`
    pub first_instance: u32,
    /// `ClusterIDHUAWEI`
    pub cluster_id: u32,
    /// `ClusterShadingRateHUAWEI`
    pub shading_rate: u32,
}

/// What the driver must know of a cluster culling shader before it is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClusterInfo {
    /// Clusters are drawn by index.
    pub is_indexed: bool,
    /// Clusters have a shading rate.
    pub has_shading_rate: bool,
}

pyro_util::codec_struct!(ClusterInfo { is_indexed, has_shading_rate });

/// Byte offsets of the fields, for generated code.
pub mod cluster_offset {
    use super::Cluster as C;
    use core::mem::offset_of;

    /// [`super::Cluster::invocation`].
    pub const INVOCATION: u32 = offset_of!(C, invocation) as u32;
    /// [`super::Cluster::count`].
    pub const COUNT: u32 = offset_of!(C, count) as u32;
    /// [`super::Cluster::instance_count`].
    pub const INSTANCE_COUNT: u32 = offset_of!(C, instance_count) as u32;
    /// [`super::Cluster::first`].
    pub const FIRST: u32 = offset_of!(C, first) as u32;
    /// [`super::Cluster::vertex_offset`].
    pub const VERTEX_OFFSET: u32 = offset_of!(C, vertex_offset) as u32;
    /// [`super::Cluster::first_instance`].
    pub const FIRST_INSTANCE: u32 = offset_of!(C, first_instance) as u32;
    /// [`super::Cluster::cluster_id`].
    pub const CLUSTER_ID: u32 = offset_of!(C, cluster_id) as u32;
    /// [`super::Cluster::shading_rate`].
    pub const SHADING_RATE: u32 = offset_of!(C, shading_rate) as u32;
}
