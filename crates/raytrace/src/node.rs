//! What a tree is made of.

use crate::math::Bounds;
use pyro_abi::ray::{VERTEX_COMPONENT_BYTES, WIDTH, cluster_component};

/// A child that is a leaf has this bit; the rest is the leaf's number. Else it is a node's number.
pub const LEAF: u32 = 1 << 31;

/// Up to eight children and their boxes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// The children's sides: lower x, y, z, then upper x, y, z.
    pub planes: [[f32; WIDTH]; 6],
    /// The children: see [`LEAF`].
    pub children: [u32; WIDTH],
    /// How many there are.
    pub count: u32,
}

impl Default for Node {
    fn default() -> Node {
        let (lower, upper) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
        Node { planes: [lower, lower, lower, upper, upper, upper], children: [0; WIDTH], count: 0 }
    }
}

impl Node {
    /// Appends a child.
    ///
    /// # Panics
    /// When it has eight.
    pub(crate) fn push(&mut self, bounds: &Bounds, child: u32) {
        let at = self.count as usize;
        for axis in 0..3 {
            self.planes[axis][at] = bounds.lower[axis];
            self.planes[3 + axis][at] = bounds.upper[axis];
        }
        self.children[at] = child;
        self.count += 1;
    }
}

/// Up to eight triangles.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub struct TriangleBlock {
    /// Components of the vertices: first vertex's x, y, z, then the second's, the third's. NaN where there is
    /// no triangle.
    pub vertices: [[f32; WIDTH]; 9],
    /// Their places in their geometries.
    pub primitives: [u32; WIDTH],
    /// Their geometries: see [`GEOMETRY_OPAQUE`].
    pub geometries: [u32; WIDTH],
}

impl Default for TriangleBlock {
    fn default() -> TriangleBlock {
        TriangleBlock {
            vertices: [[f32::NAN; WIDTH]; 9],
            primitives: [u32::MAX; WIDTH],
            geometries: [u32::MAX; WIDTH],
        }
    }
}

/// Of a primitive's geometry word: it is opaque.
pub const GEOMETRY_OPAQUE: u32 = 1 << 31;
/// Of a primitive's geometry word: its faces are not culled
/// (`VK_CLUSTER_ACCELERATION_STRUCTURE_GEOMETRY_CULL_DISABLE_BIT_NV`).
pub const GEOMETRY_CULL_DISABLE: u32 = 1 << 30;
/// The geometry's number in a primitive's geometry word.
pub const GEOMETRY_NUMBER: u32 = 0xff_ffff;

/// A triangle in the object space of its structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its vertices.
    pub vertices: [[f32; 3]; 3],
    /// Its place in its geometry.
    pub primitive: u32,
    /// See [`GEOMETRY_OPAQUE`].
    pub geometry: u32,
}

/// A box that an application gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxPrimitive {
    /// Its sides.
    pub bounds: Bounds,
    /// Its place in its geometry.
    pub primitive: u32,
    /// See [`GEOMETRY_OPAQUE`].
    pub geometry: u32,
}

impl TriangleBlock {
    /// Of at most eight triangles.
    pub(crate) fn new<'t>(triangles: impl Iterator<Item = &'t Triangle>) -> TriangleBlock {
        let mut block = TriangleBlock::default();
        for (lane, triangle) in triangles.take(WIDTH).enumerate() {
            for (row, &value) in block.vertices.iter_mut().zip(triangle.vertices.as_flattened()) {
                row[lane] = value;
            }
            block.primitives[lane] = triangle.primitive;
            block.geometries[lane] = triangle.geometry;
        }
        block
    }

    /// Its triangles.
    pub fn triangles(&self) -> impl Iterator<Item = Triangle> + '_ {
        (0..WIDTH).filter(|&lane| self.geometries[lane] != u32::MAX).map(|lane| Triangle {
            vertices: [0, 1, 2].map(|vertex| [0, 1, 2].map(|axis| self.vertices[3 * vertex + axis][lane])),
            primitive: self.primitives[lane],
            geometry: self.geometries[lane],
        })
    }
}

/// Up to eight triangles of a cluster.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub struct ClusterBlock {
    /// The triangles.
    pub triangles: TriangleBlock,
    /// The cluster's number, once for each of them, where shaders find it
    /// ([`cluster_component::ID`]).
    pub ids: [u32; WIDTH],
}

const _: () = assert!(size_of::<Node>() == 256 && size_of::<TriangleBlock>() == 352);
const _: () = assert!(
    std::mem::offset_of!(ClusterBlock, ids) == (cluster_component::ID * VERTEX_COMPONENT_BYTES) as usize
);
