//! What clusters are made from, read out of the application's memory.
//!
//! Addresses are the application's promise, as those that structures are built from are; what they lead to is
//! not: counts end where the command says that they do, and triangles whose vertices do not exist are
//! inactive.

use super::{Cluster, Member, TRIANGLES_MAX, Template, VERTICES_MAX};
use crate::acceleration_structure;
use crate::build_reads::elements;
use crate::input::VertexFormat;
use crate::micromap::{NO_MICROMAP, OpacityMap};
use crate::node::{GEOMETRY_CULL_DISABLE, GEOMETRY_NUMBER, GEOMETRY_OPAQUE};
use pyro_abi::Memory;
use std::ops::Range;

/// `VkClusterAccelerationStructureTriangleClusterInputNV`, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriangleLimits {
    /// `vertexFormat`.
    pub format: VertexFormat,
    /// `maxClusterTriangleCount`.
    pub triangles: u32,
    /// `maxClusterVertexCount`.
    pub vertices: u32,
}

/// `VkClusterAccelerationStructureBuildTriangleClusterInfoNV`, or that of a template.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriangleInfo {
    id: u32,
    pub(super) triangle_count: u32,
    pub(super) vertex_count: u32,
    truncated_bits: u32,
    /// Bytes; 0 of a type that does not exist.
    index_bytes: u32,
    micromap_index_bytes: u32,
    /// The geometry's number and flags ([`geometry_word`]).
    base_geometry: u32,
    /// `indexBufferStride`, `vertexBufferStride`, `geometryIndexAndFlagsBufferStride`,
    /// `opacityMicromapIndexBufferStride`.
    strides: [u64; 4],
    indices: u64,
    vertices: u64,
    geometries: u64,
    micromap: u64,
    micromap_indices: u64,
}

/// Bytes of the structures in `srcInfosArray`.
pub(super) mod info_bytes {
    pub(crate) const MOVE: u64 = 8;
    pub(crate) const BOTTOM: u64 = 16;
    pub(crate) const CLUSTER: u64 = 64;
    pub(crate) const TEMPLATE: u64 = 72;
    pub(crate) const INSTANTIATE: u64 = 32;
    pub(crate) const INDICES: u64 = 8;
}

/// The word of a geometry, of `VkClusterAccelerationStructureGeometryIndexAndGeometryFlagsNV`: its number in
/// the low 24 bits, its flags in the high three.
fn geometry_word(word: u32) -> u32 {
    let flag = |bit: u32, ours: u32| if word >> 29 & bit != 0 { ours } else { 0 };
    word & GEOMETRY_NUMBER | flag(1, GEOMETRY_CULL_DISABLE) | flag(4, GEOMETRY_OPAQUE)
}

/// A geometry's word for a triangle's own and that of the whole cluster: numbers add up, flags of either
/// count.
fn sum(base: u32, own: u32) -> u32 {
    let number = base.wrapping_add(own) & GEOMETRY_NUMBER;
    (base | own) & !GEOMETRY_NUMBER | number
}

fn load_index(memory: Memory, at: u64, bytes: u32) -> u32 {
    match bytes {
        1 => memory.load::<u8>(at).into(),
        2 => memory.load::<u16>(at).into(),
        _ => memory.load(at),
    }
}

impl TriangleInfo {
    pub(super) fn read(memory: Memory, at: u64, limits: &TriangleLimits) -> TriangleInfo {
        let word = |offset: u64| memory.load::<u32>(at.wrapping_add(offset));
        let address = |offset: u64| memory.load::<u64>(at.wrapping_add(offset));
        let stride = |offset: u64| u64::from(memory.load::<u16>(at.wrapping_add(offset)));
        let packed = word(8);
        // The values of the types are the bytes.
        let bytes = |ty: u32| if matches!(ty, 1 | 2 | 4) { ty } else { 0 };
        TriangleInfo {
            id: word(0),
            triangle_count: (packed & 0x1ff).min(limits.triangles).min(TRIANGLES_MAX),
            vertex_count: (packed >> 9 & 0x1ff).min(limits.vertices).min(VERTICES_MAX),
            truncated_bits: packed >> 18 & 0x3f,
            index_bytes: bytes(packed >> 24 & 0xf),
            micromap_index_bytes: bytes(packed >> 28),
            base_geometry: geometry_word(word(12)),
            strides: [16, 18, 20, 22].map(stride),
            indices: address(24),
            vertices: address(32),
            geometries: address(40),
            micromap: address(48),
            micromap_indices: address(56),
        }
    }

    /// What a build of it reads, for those who follow accesses, and the address of its micromap, or zero.
    pub(super) fn reads(&self, format: VertexFormat) -> (Vec<Range<u64>>, u64) {
        let mut ranges = Vec::new();
        let mut list = |start: u64, stride: u64, bytes: u64, count: u32| {
            if start != 0 && bytes != 0 {
                ranges.extend(elements(start, stride, bytes, (0..count.into()).collect()));
            }
        };
        let index_bytes = u64::from(self.index_bytes);
        list(self.indices, self.stride(0, index_bytes), index_bytes, 3 * self.triangle_count);
        let vertex = vertex_bytes(format);
        list(self.vertices, self.stride(1, vertex), read_bytes(format), self.vertex_count);
        list(self.geometries, self.stride(2, 4), 4, self.triangle_count);
        if self.micromap != 0 {
            let bytes = u64::from(self.micromap_index_bytes);
            list(self.micromap_indices, self.stride(3, bytes), bytes, self.triangle_count);
        }
        (ranges, self.micromap)
    }

    fn stride(&self, which: usize, packed: u64) -> u64 {
        if self.strides[which] == 0 { packed } else { self.strides[which] }
    }

    /// Everything but the vertices.
    pub(super) fn template(&self, memory: Memory) -> Template {
        let index_stride = self.stride(0, self.index_bytes.into());
        let geometry_stride = self.stride(2, 4);
        let map = (self.micromap != 0).then(|| OpacityMap {
            micromap: acceleration_structure::find(self.micromap),
            index_bytes: if self.micromap_indices == 0 { 0 } else { self.micromap_index_bytes },
            indices: self.micromap_indices,
            stride: self.stride(3, self.micromap_index_bytes.into()),
            base: 0,
            is_reference: false,
        });
        // Indices of a type that does not exist name none.
        let map = map.filter(|map| map.indices == 0 || map.index_bytes != 0);
        let has_indices = self.indices != 0 && self.index_bytes != 0;
        let member = |triangle: u32| {
            let corner = |corner: u32| {
                let place = u64::from(3 * triangle + corner);
                let at = self.indices.wrapping_add(place * index_stride);
                load_index(memory, at, self.index_bytes)
            };
            let corners = if has_indices { [0, 1, 2].map(corner) } else { [u32::MAX; 3] };
            let geometry = match self.geometries {
                0 => self.base_geometry,
                geometries => {
                    let at = geometries.wrapping_add(u64::from(triangle) * geometry_stride);
                    sum(self.base_geometry, geometry_word(memory.load(at)))
                }
            };
            let mut member = Member {
                corners: corners.map(|corner| corner.min(u8::MAX.into()) as u8),
                is_active: corners.iter().all(|&corner| corner < self.vertex_count),
                geometry,
                micromap_index: NO_MICROMAP,
            };
            if let Some(map) = &map {
                member.set_micromap(memory, map, triangle, self.base_geometry);
            }
            member
        };
        Template {
            id: self.id,
            members: (0..self.triangle_count).map(member).collect(),
            vertex_count: self.vertex_count,
            truncated_bits: self.truncated_bits,
            micromap: map.as_ref().and_then(OpacityMap::current),
            vertices: None,
            guide: None,
        }
    }

    /// The vertices; none where the address is zero.
    pub(super) fn vertices(&self, memory: Memory, format: VertexFormat) -> Option<Vec<[f32; 3]>> {
        (self.vertices != 0)
            .then(|| vertices(memory, (self.vertices, self.strides[1]), format, self.vertex_count))
    }
}

/// `VK_OPACITY_MICROMAP_SPECIAL_INDEX_CLUSTER_GEOMETRY_DISABLE_OPACITY_MICROMAP_NV`: the triangle has no
/// micromap, and the opacity of the whole cluster.
const DISABLED: i32 = -5;

impl Member {
    fn set_micromap(&mut self, memory: Memory, map: &OpacityMap, triangle: u32, base_geometry: u32) {
        let at = map.indices.wrapping_add(u64::from(triangle).wrapping_mul(map.stride));
        let index = match map.index_bytes {
            0 => triangle as i32,
            1 => i32::from(memory.load::<u8>(at) as i8),
            2 => i32::from(memory.load::<u16>(at) as i16),
            _ => memory.load::<u32>(at) as i32,
        };
        if index == DISABLED {
            self.geometry = self.geometry & !GEOMETRY_OPAQUE | base_geometry & GEOMETRY_OPAQUE;
            return;
        }
        self.micromap_index = map.index(memory, triangle);
    }
}

/// Bytes of a vertex.
fn vertex_bytes(format: VertexFormat) -> u64 {
    format.component.bytes() * u64::from(format.count)
}

/// Those of them that are read: a fourth component is not.
fn read_bytes(format: VertexFormat) -> u64 {
    format.component.bytes() * u64::from(format.count.min(3))
}

/// Vertices at an address, so many bytes apart; zero for those that they have.
fn vertices(
    memory: Memory,
    (address, stride): (u64, u64),
    format: VertexFormat,
    count: u32,
) -> Vec<[f32; 3]> {
    let stride = if stride == 0 { vertex_bytes(format) } else { stride };
    let vertex = |index: u32| format.load(memory, address.wrapping_add(u64::from(index) * stride));
    (0..count).map(vertex).collect()
}

/// A cluster.
pub(super) fn cluster(memory: Memory, at: u64, limits: &TriangleLimits) -> Cluster {
    let info = TriangleInfo::read(memory, at, limits);
    let vertices = info.vertices(memory, limits.format).unwrap_or_default();
    let cluster = info.template(memory).instantiate(Some(&vertices), 0, 0);
    cluster.expect("there are vertices")
}

/// A template.
pub(super) fn template(memory: Memory, at: u64, limits: &TriangleLimits) -> Template {
    let info = TriangleInfo::read(memory, at, limits);
    let mut template = info.template(memory);
    if let Some(vertices) = info.vertices(memory, limits.format) {
        template.keep(vertices);
    }
    template
}

/// `VkClusterAccelerationStructureInstantiateClusterInfoNV`.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstantiateInfo {
    id_offset: u32,
    geometry_offset: u32,
    pub(super) template: u64,
    vertices: u64,
    stride: u64,
}

impl InstantiateInfo {
    pub(super) fn read(memory: Memory, at: u64) -> InstantiateInfo {
        let address = |offset: u64| memory.load::<u64>(at.wrapping_add(offset));
        InstantiateInfo {
            id_offset: memory.load(at),
            geometry_offset: memory.load::<u32>(at.wrapping_add(4)) & GEOMETRY_NUMBER,
            template: address(8),
            vertices: address(16),
            stride: address(24) & 0xffff_ffff,
        }
    }

    /// The vertices that are read, for those who follow accesses.
    pub(super) fn reads(&self, template: &Template, format: VertexFormat) -> Vec<Range<u64>> {
        if self.vertices == 0 {
            return Vec::new();
        }
        let stride = if self.stride == 0 { vertex_bytes(format) } else { self.stride };
        let numbers = (0..template.vertex_count.into()).collect();
        elements(self.vertices, stride, read_bytes(format), numbers)
    }

    /// The cluster; none where there are no vertices.
    pub(super) fn cluster(
        &self,
        memory: Memory,
        template: &Template,
        format: VertexFormat,
    ) -> Option<Cluster> {
        let vertices = (self.vertices != 0)
            .then(|| vertices(memory, (self.vertices, self.stride), format, template.vertex_count));
        template.instantiate(vertices.as_deref(), self.id_offset, self.geometry_offset)
    }
}

impl Template {
    /// The numbers of its triangles' vertices, a byte each: no cluster has more vertices than that.
    pub(super) fn index_bytes(&self) -> Vec<u8> {
        self.members.iter().flat_map(|member| member.corners).collect()
    }
}
