//! Structures and what they hold.
// Contents are found by address while a ray is on its way; the contract is on `AccelerationStructure::at`.
#![allow(unsafe_code)]

use crate::Workers;
use crate::build::{Item, Shape, Tree, build};
use crate::cluster::{Cluster, Clusters};
use crate::input::Placement;
use crate::math::{Bounds, inverse, transform_bounds};
use crate::micromap::{GeometryMicromap, Micromap, MicromapIndex, NO_MICROMAP, Opacities};
use crate::motion::EndVertices;
use crate::node::{BoxPrimitive, Node, Triangle, TriangleBlock};
use crate::sphere::{Sphere, SphereBlock};
use pyro_abi::ray::{BOTTOM_LEVELS_MAX, InstanceRecord, TOP_LEVELS_MAX, WIDTH};
use pyro_util::sync::{Mutex, RwLock};
use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The most primitives of a bottom-level structure (`maxPrimitiveCount`).
pub const PRIMITIVES_MAX: u64 = (1 << 29) - 1;
/// The most instances of a top-level structure (`maxInstanceCount`).
pub const INSTANCES_MAX: u64 = (1 << 24) - 1;
/// The most geometries of a bottom-level structure (`maxGeometryCount`).
pub const GEOMETRIES_MAX: u64 = (1 << 24) - 1;

/// What the leaves of a content are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Instances of bottom-level structures.
    Instances,
    /// Triangles.
    Triangles,
    /// Boxes.
    Boxes,
    /// There are none: it is a micromap, which structures of triangles are built with.
    Micromap,
    /// Spheres.
    Spheres,
    /// Linear swept spheres.
    SweptSpheres,
    /// Clusters of triangles, which have trees of their own.
    Clusters,
}

/// An active instance. Its address is that of its record.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Instance {
    /// What shaders read.
    pub record: InstanceRecord,
    /// All else, and the structure.
    pub placement: Placement,
}

/// A tree and its leaves; never changes.
#[derive(Clone, Debug)]
pub struct Content {
    /// What the leaves are.
    pub kind: Kind,
    /// The root first; without any when nothing is active.
    pub nodes: Vec<Node>,
    /// Leaves of [`Kind::Triangles`].
    pub blocks: Vec<TriangleBlock>,
    /// Where the vertices of each block are at time 1; none when nothing moves.
    pub end_vertices: Vec<EndVertices>,
    /// The opacities of the triangles of each block; empty where none has a micromap.
    pub opacities: Opacities,
    /// That of [`Kind::Micromap`].
    pub micromap: Option<Arc<Micromap>>,
    /// Leaves of [`Kind::Spheres`] and [`Kind::SweptSpheres`].
    pub spheres: Vec<SphereBlock>,
    /// Those of [`Kind::Clusters`], behind the leaves of the nodes.
    pub clusters: Clusters,
    /// Leaves of [`Kind::Boxes`].
    pub boxes: Vec<BoxPrimitive>,
    /// Leaves of [`Kind::Instances`].
    pub instances: Vec<Instance>,
    /// Of everything.
    pub bounds: Bounds,
    /// Sees to it that instances of one structure are not built over and over when they are serialized: the
    /// primitives that are active.
    pub primitive_count: u64,
}

/// The items of so many boxes.
pub(crate) fn items(bounds: impl Iterator<Item = Bounds>) -> Vec<Item> {
    bounds.zip(0..).map(|(bounds, index)| Item { bounds, index }).collect()
}

/// One leaf for each item, in the order of leaves.
fn single_leaves<T: Clone>(all: &[T], items: &[Item], tree: &Tree) -> Vec<T> {
    tree.leaves.iter().map(|leaf| all[items[leaf.start as usize].index as usize].clone()).collect()
}

/// What triangles may have beside what all have; of each one, or empty.
#[derive(Clone, Debug, Default)]
pub struct TriangleExtras {
    /// Their vertices at time 1.
    pub ends: Vec<[[f32; 3]; 3]>,
    /// Their indices among their micromaps' triangles.
    pub micromap_indices: Vec<MicromapIndex>,
    /// The micromap of each geometry.
    pub micromaps: Vec<Option<GeometryMicromap>>,
    /// The first one is that of all geometries.
    pub have_one_micromap: bool,
}

/// For each leaf, a value of each of its triangles.
fn of_leaves<T: Copy>(tree: &Tree, items: &[Item], unused: T, value: impl Fn(usize) -> T) -> Vec<[T; WIDTH]> {
    let of_leaf = |leaf: &std::ops::Range<u32>| {
        let mut values = [unused; WIDTH];
        for (to, item) in values.iter_mut().zip(&items[leaf.start as usize..leaf.end as usize]) {
            *to = value(item.index as usize);
        }
        values
    };
    tree.leaves.iter().map(of_leaf).collect()
}

impl Content {
    pub(crate) fn new(kind: Kind, nodes: Vec<Node>, bounds: &[Item]) -> Content {
        let mut all = Bounds::EMPTY;
        bounds.iter().for_each(|item| all.add(&item.bounds));
        Content {
            kind,
            nodes,
            blocks: Vec::new(),
            end_vertices: Vec::new(),
            opacities: Opacities::default(),
            micromap: None,
            spheres: Vec::new(),
            clusters: Clusters::default(),
            boxes: Vec::new(),
            instances: Vec::new(),
            bounds: all,
            primitive_count: bounds.len() as u64,
        }
    }

    /// Of triangles, all finite; at most [`PRIMITIVES_MAX`], those behind are left out.
    pub fn of_triangles(triangles: Vec<Triangle>, workers: &dyn Workers) -> Content {
        Content::of_triangles_with(triangles, TriangleExtras::default(), workers)
    }

    /// The same of triangles that move or have micromaps.
    pub fn of_triangles_with(
        mut triangles: Vec<Triangle>,
        extras: TriangleExtras,
        workers: &dyn Workers,
    ) -> Content {
        let TriangleExtras { ends, micromap_indices, micromaps, have_one_micromap } = extras;
        triangles.truncate(PRIMITIVES_MAX as usize);
        let mut items = items(triangles.iter().enumerate().map(|(index, triangle)| {
            let mut bounds = Bounds::EMPTY;
            triangle.vertices.iter().for_each(|&vertex| bounds.add_point(vertex));
            ends.get(index).into_iter().flatten().for_each(|&vertex| bounds.add_point(vertex));
            bounds
        }));
        let tree = build(&mut items, Shape { leaf_items: WIDTH, levels: BOTTOM_LEVELS_MAX }, workers);
        let blocks = tree.leaves.iter().map(|leaf| {
            let items = &items[leaf.start as usize..leaf.end as usize];
            TriangleBlock::new(items.iter().map(|item| &triangles[item.index as usize]))
        });
        let blocks = blocks.collect();
        let columns_of = |ends: [[[f32; 3]; 3]; WIDTH]| {
            let mut rows = [[f32::NAN; WIDTH]; 9];
            for (lane, end) in ends.iter().enumerate() {
                for (row, &value) in rows.iter_mut().zip(end.as_flattened()) {
                    row[lane] = value;
                }
            }
            rows
        };
        let end_vertices = match &ends[..] {
            [] => Vec::new(),
            ends => {
                let end = |index: usize| *ends.get(index).unwrap_or(&triangles[index].vertices);
                let all = of_leaves(&tree, &items, [[f32::NAN; 3]; 3], end);
                all.into_iter().map(columns_of).collect()
            }
        };
        let opacities = match &micromap_indices[..] {
            [] => Opacities::default(),
            indices => {
                let index = |index: usize| indices.get(index).copied().unwrap_or(NO_MICROMAP);
                let indices = of_leaves(&tree, &items, NO_MICROMAP, index);
                Opacities { indices, micromaps, is_one_for_all: have_one_micromap }
            }
        };
        Content { blocks, end_vertices, opacities, ..Content::new(Kind::Triangles, tree.nodes, &items) }
    }

    /// Of boxes whose lower sides are not above their upper ones; at most [`PRIMITIVES_MAX`], those behind
    /// are left out.
    pub fn of_boxes(mut boxes: Vec<BoxPrimitive>, workers: &dyn Workers) -> Content {
        boxes.truncate(PRIMITIVES_MAX as usize);
        let mut items = items(boxes.iter().map(|primitive| primitive.bounds));
        let tree = build(&mut items, Shape { leaf_items: 1, levels: BOTTOM_LEVELS_MAX }, workers);
        let boxes = single_leaves(&boxes, &items, &tree);
        Content { boxes, ..Content::new(Kind::Boxes, tree.nodes, &items) }
    }

    /// Of spheres of a kind, [`Kind::Spheres`] or [`Kind::SweptSpheres`], all active; at most
    /// [`PRIMITIVES_MAX`], those behind are left out.
    pub fn of_spheres(kind: Kind, mut spheres: Vec<Sphere>, workers: &dyn Workers) -> Content {
        spheres.truncate(PRIMITIVES_MAX as usize);
        let mut items = items(spheres.iter().map(Sphere::bounds));
        let tree = build(&mut items, Shape { leaf_items: WIDTH, levels: BOTTOM_LEVELS_MAX }, workers);
        let blocks = tree.leaves.iter().map(|leaf| {
            let items = &items[leaf.start as usize..leaf.end as usize];
            SphereBlock::new(items.iter().map(|item| &spheres[item.index as usize]))
        });
        let blocks = blocks.collect();
        Content { spheres: blocks, ..Content::new(kind, tree.nodes, &items) }
    }

    /// A micromap.
    pub fn of_micromap(micromap: Micromap) -> Content {
        let count = micromap.triangle_count();
        let micromap = Some(Arc::new(micromap));
        Content { micromap, primitive_count: count, ..Content::new(Kind::Micromap, Vec::new(), &[]) }
    }

    /// Of instances; those whose structure holds nothing, or whose transform has no inverse, are inactive. At
    /// most [`INSTANCES_MAX`], those behind are left out.
    pub fn of_instances(mut placements: Vec<Placement>, workers: &dyn Workers) -> Content {
        placements.truncate(INSTANCES_MAX as usize);
        let placed = placements.into_iter().filter_map(|placement| {
            let content = placement.structure.content()?;
            if matches!(content.kind, Kind::Instances | Kind::Micromap) || content.bounds.is_empty() {
                return None;
            }
            let world_to_object = inverse(&placement.transform);
            let finite = |map: &[[f32; 4]; 3]| map.as_flattened().iter().all(|value| value.is_finite());
            if !finite(&world_to_object) || !finite(&placement.transform) {
                return None;
            }
            let bounds = match &placement.motion {
                None => transform_bounds(&placement.transform, &content.bounds),
                Some(motion) => motion.bounds(&placement.transform, &content.bounds),
            };
            if !(0..3).all(|axis| bounds.lower[axis].is_finite() && bounds.upper[axis].is_finite()) {
                return None;
            }
            let record = InstanceRecord { object_to_world: placement.transform, world_to_object };
            Some((bounds, Instance { record, placement }))
        });
        let (bounds, instances): (Vec<Bounds>, Vec<Instance>) = placed.unzip();
        let mut items = items(bounds.into_iter());
        let tree = build(&mut items, Shape { leaf_items: 1, levels: TOP_LEVELS_MAX }, workers);
        let instances = single_leaves(&instances, &items, &tree);
        Content { instances, ..Content::new(Kind::Instances, tree.nodes, &items) }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        if let Some(micromap) = &self.micromap {
            return micromap.bytes();
        }
        let bytes = size_of::<Content>()
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.end_vertices[..])
            + size_of_val(&self.spheres[..])
            + size_of_val(&self.clusters.all[..])
            + size_of_val(&self.boxes[..])
            + size_of_val(&self.instances[..]);
        bytes as u64 + self.opacities.bytes()
    }

    /// Bytes that a content of so many primitives of a kind takes at most, as far as trees are not very
    /// uneven.
    pub fn bytes_for(kind: Kind, primitive_count: u64) -> u64 {
        // Leaves have at least some triangles, nodes some children, on average.
        let node = size_of::<Node>() as u64;
        let bytes = match kind {
            Kind::Triangles => primitive_count * (size_of::<TriangleBlock>() as u64 / 2 + node / 4),
            Kind::Spheres | Kind::SweptSpheres => {
                primitive_count * (size_of::<SphereBlock>() as u64 / 2 + node / 4)
            }
            Kind::Boxes => primitive_count * (size_of::<BoxPrimitive>() as u64 + node / 2),
            Kind::Instances => primitive_count * (size_of::<Instance>() as u64 + node / 2),
            // The clusters have their triangles.
            Kind::Clusters => primitive_count * (size_of::<Arc<Cluster>>() as u64 + node / 2),
            // See `MicromapInput::bytes`.
            Kind::Micromap => 0,
        };
        (size_of::<Content>() as u64 + 2 * node + bytes).next_multiple_of(256)
    }
}

/// What a `VkAccelerationStructureKHR` stands for. Shaders have its address.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct AccelerationStructure {
    current: AtomicPtr<Content>,
    /// What `current` points to, and what it did before, in case somebody still looks at that.
    kept: Mutex<[Option<Arc<Content>>; 2]>,
    address: u64,
}

static REGISTRY: RwLock<Option<HashMap<u64, Vec<Weak<AccelerationStructure>>>>> = RwLock::new(None);

/// The structure at a device address; of several the one that was built last.
pub fn find(address: u64) -> Option<Arc<AccelerationStructure>> {
    let registry = REGISTRY.read();
    registry.as_ref()?.get(&address)?.iter().rev().find_map(Weak::upgrade)
}

/// Changes whenever an address may lead to another content than before.
static GENERATION: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The address that the thread has looked up last, the generation of then, and what was found.
    static FOUND: Cell<(u64, u64, *const Content)> = const { Cell::new((0, u64::MAX, std::ptr::null())) };
}

/// The content of the structure at a device address, for a traversal; null where there is none.
pub(crate) fn current_at(address: u64) -> *const Content {
    // Before the look-up, so that what changes meanwhile is looked up again.
    let generation = GENERATION.load(Ordering::Acquire);
    let (last, of, found) = FOUND.get();
    if (last, of) == (address, generation) {
        return found;
    }
    let found = find(address).map_or(std::ptr::null(), |found| found.current());
    FOUND.set((address, generation, found));
    found
}

impl AccelerationStructure {
    /// Without content, at a device address.
    pub fn new(address: u64) -> Arc<AccelerationStructure> {
        let structure = Arc::new(AccelerationStructure {
            current: AtomicPtr::new(std::ptr::null_mut()),
            kept: Mutex::default(),
            address,
        });
        let mut registry = REGISTRY.write();
        let all = registry.get_or_insert_default();
        // Behind those that were built: creating a structure does not touch what its buffer holds.
        all.entry(address).or_default().insert(0, Arc::downgrade(&structure));
        GENERATION.fetch_add(1, Ordering::Release);
        structure
    }

    /// Its device address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// What shaders have as their acceleration structure.
    pub fn record_address(self: &Arc<AccelerationStructure>) -> u64 {
        Arc::as_ptr(self).expose_provenance() as u64
    }

    /// What it holds.
    pub fn content(&self) -> Option<Arc<Content>> {
        self.kept.lock()[0].clone()
    }

    /// Gives it a content. What it held before stays until the next one.
    pub fn set_content(&self, content: Arc<Content>) {
        self.mark_last_built();
        let mut kept = self.kept.lock();
        self.current.store(Arc::as_ptr(&content).cast_mut(), Ordering::Release);
        let before = kept[0].replace(content);
        kept[1] = before;
        GENERATION.fetch_add(1, Ordering::Release);
    }

    /// [`find`] does not find it any more.
    pub(crate) fn retire(&self) {
        let mut registry = REGISTRY.write();
        if let Some(all) = registry.as_mut()
            && let Some(here) = all.get_mut(&self.address)
        {
            here.retain(|other| !std::ptr::eq(other.as_ptr(), self));
            if here.is_empty() {
                all.remove(&self.address);
            }
        }
        GENERATION.fetch_add(1, Ordering::Release);
    }

    /// It is the one that [`find`] finds, of those at its address.
    fn mark_last_built(&self) {
        let is_this = |other: &Weak<AccelerationStructure>| std::ptr::eq(other.as_ptr(), self);
        let is_last = |all: &Vec<Weak<AccelerationStructure>>| all.last().is_some_and(is_this);
        let registry = REGISTRY.read();
        if registry.as_ref().and_then(|all| all.get(&self.address)).is_none_or(is_last) {
            return;
        }
        drop(registry);
        let mut registry = REGISTRY.write();
        let Some(all) = registry.as_mut().and_then(|all| all.get_mut(&self.address)) else { return };
        if let Some(index) = all.iter().position(is_this) {
            let this = all.remove(index);
            all.push(this);
        }
    }

    /// The content, for a traversal.
    #[inline(always)]
    pub(crate) fn current(&self) -> *const Content {
        self.current.load(Ordering::Acquire)
    }

    /// The structure whose record is at `address`; none at zero.
    ///
    /// # Safety
    /// `address` is zero or what [`AccelerationStructure::record_address`] gave for a structure that is alive
    /// for `'s`.
    #[inline(always)]
    pub(crate) unsafe fn at<'s>(address: u64) -> Option<&'s AccelerationStructure> {
        // SAFETY: the caller's contract.
        unsafe { with_exposed_provenance::<AccelerationStructure>(address as usize).as_ref() }
    }
}

impl Drop for AccelerationStructure {
    fn drop(&mut self) {
        let mut registry = REGISTRY.write();
        let Some(all) = registry.as_mut() else { return };
        if let Some(here) = all.get_mut(&self.address) {
            here.retain(|other| other.strong_count() > 0);
            if here.is_empty() {
                all.remove(&self.address);
            }
        }
        GENERATION.fetch_add(1, Ordering::Release);
    }
}
