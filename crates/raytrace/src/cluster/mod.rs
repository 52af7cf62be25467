//! Clusters of triangles (`VK_NV_cluster_acceleration_structure`).
//!
//! A [`Cluster`] is a small tree of up to 256 triangles. A structure of clusters ([`Content::of_clusters`])
//! is a tree above the boxes of clusters: it shares these, so its build looks at no triangle. A [`Template`]
//! has all of a cluster but its vertices, and can have its tree; what it is instantiated with gives the
//! boxes.
//!
//! As all contents they lie in memory of the driver's own. What stands for one in the application's memory is
//! its address there ([`crate::place`]). [`operation`] is the command that makes them; its arguments lie in
//! memory ([`input`]).
//!
//! On a ray's stack, nodes of the upper tree have their own numbers. Behind these are those of the clusters:
//! 256 numbers for each, as it has no more nodes and no more blocks of triangles ([`ClusterTree`]).

pub mod input;
pub mod operation;

use crate::acceleration_structure::{PRIMITIVES_MAX, items};
use crate::build::{Shape, Tree, build};
use crate::math::Bounds;
use crate::micromap::{GeometryMicromap, MicromapIndex, NO_MICROMAP, Opacities};
use crate::node::{ClusterBlock, GEOMETRY_NUMBER, LEAF, Node, Triangle, TriangleBlock};
use crate::traverse::Nodes;
use crate::{Content, Kind, OneThread, Workers};
use pyro_abi::ray::{BOTTOM_LEVELS_MAX, WIDTH};
use std::sync::Arc;

/// The most triangles of a cluster (`maxTrianglesPerCluster`).
pub const TRIANGLES_MAX: u32 = 256;
/// The most vertices of a cluster (`maxVerticesPerCluster`).
pub const VERTICES_MAX: u32 = 256;
/// The most clusters of a structure; those behind are left out.
pub const CLUSTERS_MAX: usize = 1 << 22;

/// Levels of a cluster's own tree, its root included.
const LEVELS_MAX: usize = 4;
/// Bits of the number of a cluster's node or block.
const MEMBER_BITS: u32 = 8;

/// What clusters, and structures of them, are aligned to (`clusterByteAlignment`).
pub const CLUSTER_ALIGNMENT: u64 = 128;
/// What templates are aligned to (`clusterTemplateByteAlignment`).
pub const TEMPLATE_ALIGNMENT: u64 = 32;
/// What structures of clusters are aligned to (`clusterBottomLevelByteAlignment`).
pub const BOTTOM_ALIGNMENT: u64 = 256;

/// A tree of triangles that is part of structures.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Node>,
    blocks: Vec<ClusterBlock>,
    opacities: Opacities,
    bounds: Bounds,
    /// Triangles, inactive ones too.
    triangle_count: u32,
}

/// The clusters of a content.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// In no particular order.
    pub all: Vec<Arc<Cluster>>,
    /// Some of them have micromaps.
    pub have_micromaps: bool,
}

/// The nodes and leaves of a structure of clusters.
#[derive(Clone, Copy)]
pub(crate) struct ClusterTree<'c> {
    pub(crate) upper: &'c [Node],
    pub(crate) clusters: &'c [Arc<Cluster>],
}

impl Nodes for ClusterTree<'_> {
    #[inline(always)]
    fn node(&self, number: u32) -> Option<(&Node, [u32; 2])> {
        let upper_count = self.upper.len() as u32;
        if let Some(node) = self.upper.get(number as usize) {
            return Some((node, [0, 0]));
        }
        let number = number - upper_count;
        let cluster = number >> MEMBER_BITS;
        let node =
            self.clusters.get(cluster as usize)?.nodes.get((number & ((1 << MEMBER_BITS) - 1)) as usize)?;
        let first = cluster << MEMBER_BITS;
        Some((node, [upper_count + first, first]))
    }
}

impl<'c> ClusterTree<'c> {
    /// The block of a leaf's number, and its opacities.
    #[inline(always)]
    pub(crate) fn block(&self, number: u32) -> Option<(&'c TriangleBlock, (&'c Opacities, u32))> {
        let cluster = self.clusters.get((number >> MEMBER_BITS) as usize)?;
        let own = number & ((1 << MEMBER_BITS) - 1);
        Some((&cluster.blocks.get(own as usize)?.triangles, (&cluster.opacities, own)))
    }
}

impl Content {
    /// Of clusters; at most [`CLUSTERS_MAX`], those behind are left out, as are those of which nothing is
    /// active.
    pub fn of_clusters(mut clusters: Vec<Arc<Cluster>>, workers: &dyn Workers) -> Content {
        let mut triangles = 0;
        clusters.retain(|cluster| {
            triangles += u64::from(cluster.triangle_count);
            !cluster.bounds.is_empty() && triangles <= PRIMITIVES_MAX
        });
        clusters.truncate(CLUSTERS_MAX);
        let mut items = items(clusters.iter().map(|cluster| cluster.bounds));
        let shape = Shape { leaf_items: 1, levels: BOTTOM_LEVELS_MAX - LEVELS_MAX };
        let mut tree = build(&mut items, shape, workers);
        let upper_count = tree.nodes.len() as u32;
        for node in &mut tree.nodes {
            for child in node.children[..node.count as usize].iter_mut().filter(|child| **child & LEAF != 0) {
                let leaf = &tree.leaves[(*child & !LEAF) as usize];
                let cluster = items[leaf.start as usize].index;
                let first = cluster << MEMBER_BITS;
                *child = match clusters[cluster as usize].blocks.len() {
                    1 => LEAF | first,
                    _ => upper_count + first,
                };
            }
        }
        let have_micromaps = clusters.iter().any(|cluster| !cluster.opacities.indices.is_empty());
        let clusters = Clusters { all: clusters, have_micromaps };
        Content { clusters, ..Content::new(Kind::Clusters, tree.nodes, &items) }
    }
}

/// A triangle of a cluster without its vertices.
#[derive(Clone, Copy, Debug)]
struct Member {
    corners: [u8; 3],
    /// Its vertices exist.
    is_active: bool,
    /// See [`crate::node::GEOMETRY_OPAQUE`].
    geometry: u32,
    micromap_index: MicromapIndex,
}

/// A tree that is to be used with other vertices.
#[derive(Debug)]
struct Guide {
    tree: Tree,
    /// The members of its leaves.
    order: Vec<u32>,
}

/// All of a cluster but its vertices, and perhaps these too.
#[derive(Debug)]
pub struct Template {
    id: u32,
    members: Vec<Member>,
    vertex_count: u32,
    /// Bits of each coordinate that are zero in clusters.
    truncated_bits: u32,
    micromap: Option<GeometryMicromap>,
    vertices: Option<Vec<[f32; 3]>>,
    guide: Option<Guide>,
}

/// A coordinate without its lowest bits.
fn truncated(value: f32, bits: u32) -> f32 {
    f32::from_bits(value.to_bits() & u32::MAX.checked_shl(bits).unwrap_or(0))
}

impl Template {
    fn triangle_count(&self) -> u32 {
        self.members.len() as u32
    }

    /// Each member with vertices; none where it is inactive.
    fn triangles(&self, vertices: &[[f32; 3]], geometry_offset: u32) -> Vec<Option<Triangle>> {
        let place = |corner: u8| {
            let vertex = vertices.get(usize::from(corner))?;
            let vertex = vertex.map(|value| truncated(value, self.truncated_bits));
            vertex.iter().all(|value| value.is_finite()).then_some(vertex)
        };
        let triangle = |(primitive, member): (u32, &Member)| {
            let [a, b, c] = member.corners.map(place);
            let number = member.geometry.wrapping_add(geometry_offset) & GEOMETRY_NUMBER;
            let geometry = member.geometry & !GEOMETRY_NUMBER | number;
            let vertices = [a?, b?, c?];
            member.is_active.then_some(Triangle { vertices, primitive, geometry })
        };
        (0..).zip(&self.members).map(triangle).collect()
    }

    /// The tree of the triangles that are active, and the members of its leaves.
    fn tree(triangles: &[Option<Triangle>]) -> Guide {
        let active: Vec<u32> = (0..).zip(triangles).filter_map(|(member, one)| one.map(|_| member)).collect();
        let mut items = items(triangles.iter().flatten().map(bounds_of));
        let shape = Shape { leaf_items: WIDTH, levels: LEVELS_MAX };
        let tree = build(&mut items, shape, &OneThread);
        Guide { tree, order: items.iter().map(|item| active[item.index as usize]).collect() }
    }

    /// Keeps vertices, and the tree of the cluster that they make.
    fn keep(&mut self, vertices: Vec<[f32; 3]>) {
        let triangles = self.triangles(&vertices, 0);
        let all_are_placed =
            triangles.iter().zip(&self.members).all(|(one, member)| one.is_some() == member.is_active);
        // Else it would lack triangles that other vertices make active.
        self.guide = all_are_placed.then(|| Template::tree(&triangles));
        self.vertices = Some(vertices);
    }

    /// The cluster that it is with these vertices, or its own; none without any.
    fn instantiate(
        &self,
        vertices: Option<&[[f32; 3]]>,
        id_offset: u32,
        geometry_offset: u32,
    ) -> Option<Cluster> {
        let triangles = self.triangles(vertices.or(self.vertices.as_deref())?, geometry_offset);
        let made;
        let (guide, is_kept) = match &self.guide {
            Some(guide) => (guide, true),
            None => {
                made = Template::tree(&triangles);
                (&made, false)
            }
        };
        let id = self.id.wrapping_add(id_offset);
        let (mut blocks, mut indices, mut leaf_bounds) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in &guide.tree.leaves {
            let members = &guide.order[leaf.start as usize..leaf.end as usize];
            let active = members.iter().filter_map(|&member| {
                Some((triangles[member as usize].as_ref()?, self.members[member as usize].micromap_index))
            });
            let (mut bounds, mut row) = (Bounds::EMPTY, [NO_MICROMAP; WIDTH]);
            for ((triangle, index), to) in active.clone().zip(&mut row) {
                bounds.add(&bounds_of(triangle));
                *to = index;
            }
            let triangles = TriangleBlock::new(active.map(|(triangle, _)| triangle));
            blocks.push(ClusterBlock { triangles, ids: [id; WIDTH] });
            indices.push(row);
            leaf_bounds.push(bounds);
        }
        let mut nodes = guide.tree.nodes.clone();
        if is_kept {
            refit(&mut nodes, &leaf_bounds);
        }
        if indices.as_flattened().iter().all(|&index| index == NO_MICROMAP) {
            indices.clear();
        }
        let mut bounds = Bounds::EMPTY;
        leaf_bounds.iter().for_each(|leaf| bounds.add(leaf));
        let micromaps = if indices.is_empty() { Vec::new() } else { vec![self.micromap.clone()] };
        Some(Cluster {
            nodes,
            blocks,
            opacities: Opacities { indices, micromaps, is_one_for_all: true },
            bounds,
            triangle_count: self.members.len() as u32,
        })
    }
}

fn bounds_of(triangle: &Triangle) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    triangle.vertices.iter().for_each(|&vertex| bounds.add_point(vertex));
    bounds
}

/// Gives the nodes of a tree the boxes that their leaves have now. Children lie behind their parents.
fn refit(nodes: &mut [Node], leaves: &[Bounds]) {
    let mut of_nodes = vec![Bounds::EMPTY; nodes.len()];
    for number in (0..nodes.len()).rev() {
        let node = &mut nodes[number];
        let mut all = Bounds::EMPTY;
        for child in 0..node.count as usize {
            let bounds = match node.children[child] {
                leaf if leaf & LEAF != 0 => leaves[(leaf & !LEAF) as usize],
                inner => of_nodes[inner as usize],
            };
            for axis in 0..3 {
                node.planes[axis][child] = bounds.lower[axis];
                node.planes[3 + axis][child] = bounds.upper[axis];
            }
            all.add(&bounds);
        }
        of_nodes[number] = all;
    }
}

/// Bytes of a cluster of so many triangles, as far as its tree is not very uneven.
pub fn cluster_bytes(triangle_count: u32) -> u64 {
    // Leaves have at least some triangles, nodes some children, on average.
    let blocks = u64::from(triangle_count).div_ceil(4);
    let nodes = blocks.div_ceil(4);
    let bytes = size_of::<Cluster>() as u64
        + blocks * size_of::<ClusterBlock>() as u64
        + nodes * size_of::<Node>() as u64;
    bytes.next_multiple_of(CLUSTER_ALIGNMENT)
}

/// Bytes of a template of so many triangles and vertices.
pub fn template_bytes(triangle_count: u32, vertex_count: u32) -> u64 {
    let nodes = u64::from(triangle_count).div_ceil(16);
    let bytes = size_of::<Template>() as u64
        + u64::from(triangle_count) * (size_of::<Member>() + size_of::<u32>()) as u64
        + u64::from(vertex_count) * size_of::<[f32; 3]>() as u64
        + nodes * size_of::<Node>() as u64;
    bytes.next_multiple_of(TEMPLATE_ALIGNMENT)
}

/// Bytes of a structure of so many clusters.
pub fn bottom_bytes(cluster_count: u64) -> u64 {
    Content::bytes_for(Kind::Clusters, cluster_count)
}
