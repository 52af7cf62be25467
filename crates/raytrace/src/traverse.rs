//! The way of one ray.
//!
//! [`proceed`] goes on until there is a candidate that somebody must decide about (a triangle that is not
//! opaque, or a box) or until nothing is left. Opaque triangles are committed on the way. Nodes wait on the
//! state's stack, nearest last, so what is behind the committed intersection is left out when its turn comes.
//!
//! Triangles are tested in the manner of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection"): the
//! side on which a ray passes an edge is a difference of two products, whose sign is right in single
//! precision unless it is zero, and exact in double precision. Rays right through an edge belong to one of
//! its sides, as pixels do. So a ray meets exactly one of the triangles around an edge or a vertex.
// The records that a state names are found by address; the contract is on `proceed`.
#![allow(unsafe_code)]

use crate::acceleration_structure::{self, AccelerationStructure, Content, Instance, Kind};
use crate::cluster::ClusterTree;
use crate::math::{Affine, transform_direction, transform_point};
use crate::micromap::Opacities;
use crate::motion::{EndVertices, Motion, between};
use crate::node::{GEOMETRY_CULL_DISABLE, GEOMETRY_NUMBER, GEOMETRY_OPAQUE, LEAF, Node, TriangleBlock};
use crate::sphere::SphereHit;
use crate::vector::{Plain, Vector};
use pyro_abi::ray::{
    InstanceRecord, RayHit, RayState, STACK_MAX, UNRESOLVED, WIDTH, hit_flags, hit_kind, phase, ray_flags,
};
use pyro_util::cpu::Level;
use std::ptr::with_exposed_provenance;

/// `VK_GEOMETRY_INSTANCE_*`.
mod instance_flags {
    pub(super) const TRIANGLE_FACING_CULL_DISABLE: u32 = 1;
    pub(super) const TRIANGLE_FLIP_FACING: u32 = 2;
    pub(super) const FORCE_OPAQUE: u32 = 4;
    pub(super) const FORCE_NO_OPAQUE: u32 = 8;
    pub(super) const FORCE_OPACITY_MICROMAP_2_STATE: u32 = 0x10;
    pub(super) const DISABLE_OPACITY_MICROMAPS: u32 = 0x20;
}

/// What a traversal has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its end: what is committed is the result.
    Done,
    /// A triangle or sphere that is not opaque: [`confirm`] it or not, and go on.
    Triangle,
    /// A box: [`generate`] any number of intersections, or none, and go on.
    Box,
}

/// Begins the traversal of the ray whose structure, flags, mask, origin, direction and limits are in the
/// state.
///
/// # Safety
/// `state.structure` is zero, a device address with [`UNRESOLVED`], or the address of a live structure's
/// record. The structure, unless it is destroyed or built meanwhile, is what later calls with the same state
/// go through; it must live and keep its content for two builds until then.
pub unsafe fn initialize(state: &mut RayState) {
    state.candidate = RayHit::default();
    state.committed = RayHit { t: state.t_max, ..RayHit::default() };
    state.stack_len = 0;
    state.instance_stack = 0;
    state.pending_mask = 0;
    state.phase = phase::DONE;
    state.content = 0;
    // SAFETY: the caller's contract.
    let content = unsafe { content_of(state.structure) };
    // SAFETY: a structure's content is alive until the second build from now.
    let Some(content) = (unsafe { content.as_ref() }) else { return };
    let numbers = state.origin.iter().chain(&state.direction).chain([&state.t_min]);
    let sound = numbers.copied().all(f32::is_finite) && state.t_max >= state.t_min;
    if content.kind != Kind::Instances || content.nodes.is_empty() || !sound {
        return;
    }
    state.content = (content as *const Content).expose_provenance() as u64;
    state.stack[0] = [0, state.t_min.to_bits()];
    state.stack_len = 1;
    state.phase = phase::ACTIVE;
}

/// Ends the traversal: what is committed is the result.
pub fn terminate(state: &mut RayState) {
    if state.phase != phase::NONE {
        state.phase = phase::DONE;
    }
}

/// Commits the candidate, a triangle or sphere.
pub fn confirm(state: &mut RayState) {
    if state.phase == phase::CANDIDATE && state.candidate.kind == hit_kind::CANDIDATE_TRIANGLE {
        state.committed = RayHit { kind: hit_kind::COMMITTED_TRIANGLE, ..state.candidate };
        committed_one(state);
    }
}

/// Commits an intersection at `t` for the candidate, a box; not where that is behind the committed one or
/// outside of the ray's limits. Says whether it did.
pub fn generate(state: &mut RayState, t: f32) -> bool {
    let is_box = state.phase == phase::CANDIDATE && state.candidate.kind == hit_kind::CANDIDATE_AABB;
    let is_within = t >= state.t_min && t <= limit(state);
    if !(is_box && is_within) {
        return false;
    }
    state.committed = RayHit { kind: hit_kind::COMMITTED_GENERATED, t, ..state.candidate };
    committed_one(state);
    true
}

fn committed_one(state: &mut RayState) {
    if state.flags & ray_flags::TERMINATE_ON_FIRST_HIT != 0 {
        state.phase = phase::DONE;
    }
}

/// Intersections from here on are of no interest.
#[inline(always)]
pub fn limit(state: &RayState) -> f32 {
    state.committed.t
}

/// Goes on to the next candidate.
///
/// # Safety
/// The state is zero or one that [`initialize`] has begun under its contract, and since then only functions
/// of this module have changed it (but for `hit_kind`, `candidate.t` of a box, and flags).
pub unsafe fn proceed(state: &mut RayState) -> Step {
    // SAFETY: the caller's contract.
    unsafe { proceed_at(state, 0.0) }
}

/// The same, where what moves is where it is at a time.
///
/// # Safety
/// That of [`proceed`].
pub unsafe fn proceed_at(state: &mut RayState, time: f32) -> Step {
    #[cfg(target_arch = "x86_64")]
    if Level::from_environment() != Level::Base {
        // SAFETY: the processor has the features, and the caller's contract.
        return unsafe { proceed_avx2(state, time) };
    }
    // SAFETY: the caller's contract.
    unsafe { go_on::<Plain>(state, time) }
}

/// The hit of an instance, by its place in a structure, that is none of a traversal: with what the instance
/// says and the ray in its object space; none where the structure has no such active instance.
///
/// # Safety
/// `structure` is as [`RayState::structure`] has to be for [`initialize`].
pub unsafe fn hit_of_instance(
    structure: u64,
    index: u32,
    (origin, direction, time): ([f32; 3], [f32; 3], f32),
) -> Option<RayHit> {
    // SAFETY: the caller's contract; a structure's content is alive until the second build from now.
    let content = unsafe { content_of(structure).as_ref() }?;
    let instance = content.instances.iter().find(|instance| instance.placement.index == index)?;
    let placement = &instance.placement;
    let moved = placement.motion.as_ref().map(|motion| moved_map(motion, instance, time));
    let world_to_object = moved.as_ref().unwrap_or(&instance.record.world_to_object);
    Some(RayHit {
        instance_index: index,
        custom_index: placement.custom_index,
        sbt_offset: placement.sbt_offset,
        instance: (&raw const instance.record).expose_provenance() as u64,
        object_origin: transform_point(world_to_object, origin),
        object_direction: transform_direction(world_to_object, direction),
        ..RayHit::default()
    })
}

/// The content of what a shader has as its acceleration structure; null where it has none.
///
/// # Safety
/// That of [`initialize`].
unsafe fn content_of(structure: u64) -> *const Content {
    if structure & UNRESOLVED != 0 {
        return acceleration_structure::current_at(structure & !UNRESOLVED);
    }
    // SAFETY: the caller's contract.
    let found = unsafe { AccelerationStructure::at(structure) };
    found.map_or(std::ptr::null(), AccelerationStructure::current)
}

/// What shaders read of the instance of a hit at a time, where it moves.
///
/// # Safety
/// `instance` is zero or a hit's [`RayHit::instance`], of a traversal whose structure lives.
pub unsafe fn moved_instance(instance: u64, time: f32) -> Option<InstanceRecord> {
    // SAFETY: the record is the first field of its instance; the caller's contract.
    let instance = unsafe { with_exposed_provenance::<Instance>(instance as usize).as_ref() }?;
    let motion = instance.placement.motion.as_ref()?;
    Some(motion.record_at(&instance.placement.transform, time))
}

/// # Safety
/// That of [`proceed`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn proceed_avx2(state: &mut RayState, time: f32) -> Step {
    // SAFETY: the caller's contract.
    unsafe { go_on::<crate::vector::Avx>(state, time) }
}

// Nothing here that works on vectors may be a closure, nor go through functions such as `map`: these are
// compiled for any processor, and would call every single operation.

/// The components, each eight times.
#[inline(always)]
fn splats<V: Vector>(values: [f32; 3]) -> [V::Floats; 3] {
    [V::splat(values[0]), V::splat(values[1]), V::splat(values[2])]
}

/// On which side of the edge from `p` to `q` the ray passes.
#[inline(always)]
fn side<V: Vector>(p: &[V::Floats; 3], q: &[V::Floats; 3]) -> V::Floats {
    V::sub(V::mul(p[0], q[1]), V::mul(p[1], q[0]))
}

/// A bit for each child or triangle.
const MASK: u32 = (1 << WIDTH) - 1;

/// A ray as boxes are tested with it.
struct Slabs<V: Vector> {
    origin: [V::Floats; 3],
    /// One over the direction.
    inverse: [V::Floats; 3],
    /// For each axis: which of a node's planes the ray meets first, and which then.
    near: [usize; 3],
    far: [usize; 3],
}

impl<V: Vector> Slabs<V> {
    #[inline(always)]
    fn new(origin: [f32; 3], direction: [f32; 3]) -> Slabs<V> {
        let inverse = direction.map(|component| 1.0 / component);
        let flips = inverse.map(|component| component.is_sign_negative());
        Slabs {
            origin: splats::<V>(origin),
            inverse: splats::<V>(inverse),
            near: [0, 1, 2].map(|axis| if flips[axis] { 3 + axis } else { axis }),
            far: [0, 1, 2].map(|axis| if flips[axis] { axis } else { 3 + axis }),
        }
    }

    /// Which children the ray meets, and where it enters them.
    #[inline(always)]
    fn test(&self, node: &Node, t_min: f32, t_max: f32) -> (u32, [f32; WIDTH]) {
        let (mut near, mut far) = (V::splat(t_min), V::splat(t_max));
        for axis in 0..3 {
            let first = V::sub(V::load(&node.planes[self.near[axis]]), self.origin[axis]);
            let second = V::sub(V::load(&node.planes[self.far[axis]]), self.origin[axis]);
            // Where the ray lies in a plane these are NaN, and then the other operand counts.
            near = V::max(V::mul(first, self.inverse[axis]), near);
            far = V::min(V::mul(second, self.inverse[axis]), far);
        }
        // Three roundings on either way.
        let far = V::mul(far, V::splat(1.000_000_6));
        (V::bits(V::less_or_equal(near, far)) & ((1 << node.count) - 1), V::store(near))
    }
}

/// A ray as triangles are tested with it: sheared so that it is the z axis.
struct Shear<V: Vector> {
    origin: [f32; 3],
    /// Which axes become x, y and z.
    axes: [usize; 3],
    shear: [f32; 3],
    vectors: core::marker::PhantomData<V>,
}

/// Triangles of a block that a ray meets.
#[derive(Default)]
struct Hits {
    /// Which.
    lanes: u32,
    /// Where.
    t: [f32; WIDTH],
    /// Weights of the second and the third vertices.
    weights: [[f32; WIDTH]; 2],
    /// Of which the ray meets the front.
    fronts: u32,
}

impl<V: Vector> Shear<V> {
    #[inline(always)]
    fn new(origin: [f32; 3], direction: [f32; 3]) -> Shear<V> {
        let size = direction.map(f32::abs);
        let z = if size[0] > size[1] {
            if size[0] > size[2] { 0 } else { 2 }
        } else if size[1] > size[2] {
            1
        } else {
            2
        };
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] < 0.0 {
            (x, y) = (y, x);
        }
        Shear {
            origin: [origin[x], origin[y], origin[z]],
            axes: [x, y, z],
            shear: [direction[x] / direction[z], direction[y] / direction[z], 1.0 / direction[z]],
            vectors: core::marker::PhantomData,
        }
    }

    /// Corners whose components begin at a row, as the ray sees them.
    #[inline(always)]
    fn corner(
        &self,
        block: &TriangleBlock,
        row: usize,
        origin: &[V::Floats; 3],
        shear: &[V::Floats; 3],
    ) -> [V::Floats; 3] {
        let x = V::sub(V::load(&block.vertices[row + self.axes[0]]), origin[0]);
        let y = V::sub(V::load(&block.vertices[row + self.axes[1]]), origin[1]);
        let z = V::sub(V::load(&block.vertices[row + self.axes[2]]), origin[2]);
        [V::sub(x, V::mul(shear[0], z)), V::sub(y, V::mul(shear[1], z)), V::mul(shear[2], z)]
    }

    /// Which triangles the ray meets from `t_min` on and before `t_max`.
    #[inline(always)]
    fn test(&self, block: &TriangleBlock, t_min: f32, t_max: f32) -> Hits {
        let (origin, shear) = (splats::<V>(self.origin), splats::<V>(self.shear));
        let a = self.corner(block, 0, &origin, &shear);
        let b = self.corner(block, 3, &origin, &shear);
        let c = self.corner(block, 6, &origin, &shear);
        let (u, v, w) = (side::<V>(&c, &b), side::<V>(&a, &c), side::<V>(&b, &a));
        let zero = V::splat(0.0);
        let below = V::bits(V::either(V::either(V::less(u, zero), V::less(v, zero)), V::less(w, zero)));
        let above = V::bits(V::either(V::either(V::less(zero, u), V::less(zero, v)), V::less(zero, w)));
        let zeros = V::bits(V::either(V::either(V::equal(u, zero), V::equal(v, zero)), V::equal(w, zero)));
        let possible = !(below & above);
        if possible & MASK == 0 {
            return Hits::default();
        }
        let sum = V::add(V::add(u, v), w);
        let depth = V::add(V::add(V::mul(u, a[2]), V::mul(v, b[2])), V::mul(w, c[2]));
        let t = V::div(depth, sum);
        let inside = V::bits(V::both(V::less_or_equal(V::splat(t_min), t), V::less(t, V::splat(t_max))));
        let mut hits = Hits { lanes: inside & possible & !zeros, ..Hits::default() };
        if hits.lanes != 0 {
            hits.t = V::store(t);
            hits.weights = [V::store(V::div(v, sum)), V::store(V::div(w, sum))];
            hits.fronts = V::bits(V::less(zero, sum));
        }
        let mut unclear = zeros & possible;
        while unclear != 0 {
            let lane = unclear.trailing_zeros() as usize;
            unclear &= unclear - 1;
            self.test_edges(block, lane, (t_min, t_max), &mut hits);
        }
        hits
    }

    /// Decides about a triangle that has an edge through which the ray goes, or seems to.
    #[cold]
    #[inline(never)]
    fn test_edges(&self, block: &TriangleBlock, lane: usize, (t_min, t_max): (f32, f32), hits: &mut Hits) {
        let [a, b, c] = [0, 3, 6].map(|vertex| {
            let [x, y, z] =
                [0, 1, 2].map(|axis| block.vertices[vertex + self.axes[axis]][lane] - self.origin[axis]);
            [x - self.shear[0] * z, y - self.shear[1] * z, self.shear[2] * z]
        });
        // Products of two numbers of single precision are exact.
        let edge =
            |p: [f32; 3], q: [f32; 3]| f64::from(p[0]) * f64::from(q[1]) - f64::from(p[1]) * f64::from(q[0]);
        let sides = [(c, b), (a, c), (b, a)];
        let [u, v, w] = sides.map(|(p, q)| edge(p, q));
        let sum = u + v + w;
        let is_inside = sum != 0.0
            && sides.iter().zip([u, v, w]).all(|(&(p, q), side)| {
                // Seen from behind, the edges go round the other way.
                let (side, p, q) = if sum > 0.0 { (side, p, q) } else { (-side, q, p) };
                let owns = q[1] > p[1] || (q[1] == p[1] && q[0] < p[0]);
                side > 0.0 || (side == 0.0 && owns)
            });
        let depth = u * f64::from(a[2]) + v * f64::from(b[2]) + w * f64::from(c[2]);
        let t = (depth / sum) as f32;
        if is_inside && t >= t_min && t < t_max {
            hits.lanes |= 1 << lane;
            hits.t[lane] = t;
            hits.weights[0][lane] = (v / sum) as f32;
            hits.weights[1][lane] = (w / sum) as f32;
            hits.fronts = hits.fronts & !(1 << lane) | u32::from(sum > 0.0) << lane;
        }
    }
}

/// Where the nodes are that the numbers on a ray's stack name.
pub(crate) trait Nodes {
    /// A node, and by how much the numbers on the stack of its children are higher than those that it has:
    /// of nodes, and of leaves.
    fn node(&self, number: u32) -> Option<(&Node, [u32; 2])>;
}

impl Nodes for [Node] {
    #[inline(always)]
    fn node(&self, number: u32) -> Option<(&Node, [u32; 2])> {
        Some((self.get(number as usize)?, [0, 0]))
    }
}

/// Puts the children that a ray meets on the stack, nearest last.
#[inline(always)]
fn push_children(
    state: &mut RayState,
    (node, [first_node, first_leaf]): (&Node, [u32; 2]),
    mut hits: u32,
    entries: &[f32; WIDTH],
) {
    let mut len = state.stack_len as usize;
    let start = len;
    while hits != 0 {
        let child = hits.trailing_zeros() as usize;
        hits &= hits - 1;
        let number = node.children[child];
        let first = if number & LEAF != 0 { first_leaf } else { first_node };
        let entry = [number.wrapping_add(first), entries[child].to_bits()];
        // Trees are not deep enough for this.
        if len >= STACK_MAX {
            break;
        }
        let mut at = len;
        while at > start && f32::from_bits(state.stack[at - 1][1]) < entries[child] {
            state.stack[at] = state.stack[at - 1];
            at -= 1;
        }
        state.stack[at] = entry;
        len += 1;
    }
    state.stack_len = len as u32;
}

/// Takes nodes from the stack, down to its first `base` entries, until one is a leaf that the ray meets
/// before what is committed: its number, and where the ray enters it.
#[inline(always)]
fn next_leaf<V: Vector>(
    state: &mut RayState,
    nodes: &(impl Nodes + ?Sized),
    slabs: &Slabs<V>,
    base: u32,
) -> Option<(u32, f32)> {
    while state.stack_len > base {
        state.stack_len -= 1;
        let [child, entry] = state.stack[state.stack_len as usize];
        let (entry, limit) = (f32::from_bits(entry), limit(state));
        if entry > limit {
            continue;
        }
        if child & LEAF != 0 {
            return Some((child & !LEAF, entry));
        }
        let Some((node, first)) = nodes.node(child) else { continue };
        let (hits, entries) = slabs.test(node, state.t_min, limit);
        push_children(state, (node, first), hits, &entries);
    }
    None
}

/// # Safety
/// That of [`proceed`].
#[inline(always)]
unsafe fn go_on<V: Traversal>(state: &mut RayState, time: f32) -> Step {
    if !matches!(state.phase, phase::ACTIVE | phase::CANDIDATE) {
        return Step::Done;
    }
    // SAFETY: the caller's contract: `initialize` put it there.
    let Some(top) = (unsafe { with_exposed_provenance::<Content>(state.content as usize).as_ref() }) else {
        return Step::Done;
    };
    state.phase = phase::ACTIVE;
    let slabs = Slabs::<V>::new(state.origin, state.direction);
    loop {
        if state.instance_stack != 0 {
            let Some(instance) = top.instances.get(state.active_instance as usize) else { break };
            if let Some(step) = visit_instance::<V>(state, instance, time) {
                return step;
            }
            if state.phase == phase::DONE {
                return Step::Done;
            }
            state.instance_stack = 0;
        }
        let Some((number, _)) = next_leaf(state, &top.nodes[..], &slabs, 0) else { break };
        let Some(instance) = top.instances.get(number as usize) else { break };
        if instance.placement.mask & state.cull_mask & 0xff == 0 || state.stack_len as usize >= STACK_MAX {
            continue;
        }
        state.active_instance = number;
        state.instance_stack = state.stack_len + 1;
        state.stack[state.stack_len as usize] = [0, state.t_min.to_bits()];
        state.stack_len += 1;
    }
    state.phase = phase::DONE;
    Step::Done
}

/// What is the same for all primitives of an instance.
struct Visit<'t> {
    instance: &'t Instance,
    time: f32,
    origin: [f32; 3],
    direction: [f32; 3],
    /// All opaque, all not, or as the geometries say.
    opaque: Option<bool>,
    /// Ray flags, without those about faces where the instance has none.
    flags: u32,
    /// Triangles' micromaps count.
    has_micromaps: bool,
    /// Of [`hit_flags`], those of all hits.
    hit_flags: u32,
}

impl Visit<'_> {
    /// A primitive's opacity; none where it is culled for that.
    #[inline(always)]
    fn opacity(&self, geometry: u32) -> Option<bool> {
        let opaque = self.opaque.unwrap_or(geometry & GEOMETRY_OPAQUE != 0);
        let culls = if opaque { ray_flags::CULL_OPAQUE } else { ray_flags::CULL_NO_OPAQUE };
        (self.flags & culls == 0).then_some(opaque)
    }

    /// Unknown states of micromaps count as those that they are nearest to.
    fn has_two_states(&self) -> bool {
        self.flags & ray_flags::FORCE_OPACITY_MICROMAP_2_STATE != 0
            || self.instance.placement.flags & instance_flags::FORCE_OPACITY_MICROMAP_2_STATE != 0
    }

    #[inline(always)]
    fn hit(&self, kind: u32, t: f32, primitive: u32, geometry: u32, opaque: bool) -> RayHit {
        let placement = &self.instance.placement;
        RayHit {
            kind,
            t,
            instance_index: placement.index,
            custom_index: placement.custom_index,
            sbt_offset: placement.sbt_offset,
            geometry_index: geometry & GEOMETRY_NUMBER,
            primitive_index: primitive,
            flags: self.hit_flags | if opaque { hit_flags::OPAQUE } else { 0 },
            instance: (&raw const self.instance.record).expose_provenance() as u64,
            object_origin: self.origin,
            object_direction: self.direction,
            ..RayHit::default()
        }
    }
}

/// Goes on in an instance; none at its end, or at that of the whole ([`phase::DONE`]).
#[inline(always)]
fn visit_instance<V: Traversal>(state: &mut RayState, instance: &Instance, time: f32) -> Option<Step> {
    let base = state.instance_stack - 1;
    // SAFETY: the top-level structure keeps the structure, which keeps its content until the second build
    // from now.
    let content = unsafe { instance.placement.structure.current().as_ref() };
    let skipped = |kind: Kind| match kind {
        Kind::Triangles | Kind::Spheres | Kind::SweptSpheres | Kind::Clusters => {
            state.flags & ray_flags::SKIP_TRIANGLES != 0
        }
        Kind::Boxes => state.flags & ray_flags::SKIP_AABBS != 0,
        Kind::Instances | Kind::Micromap => true,
    };
    let Some(content) = content.filter(|content| !skipped(content.kind) && !content.nodes.is_empty()) else {
        (state.stack_len, state.pending_mask) = (base, 0);
        return None;
    };
    let moved = instance.placement.motion.as_ref().map(|motion| moved_map(motion, instance, time));
    let world_to_object = moved.as_ref().unwrap_or(&instance.record.world_to_object);
    let flags = instance.placement.flags;
    let faces = ray_flags::CULL_BACK_FACING | ray_flags::CULL_FRONT_FACING;
    let visit = Visit {
        instance,
        time,
        origin: transform_point(world_to_object, state.origin),
        direction: transform_direction(world_to_object, state.direction),
        opaque: match () {
            () if state.flags & ray_flags::OPAQUE != 0 => Some(true),
            () if state.flags & ray_flags::NO_OPAQUE != 0 => Some(false),
            () if flags & instance_flags::FORCE_OPAQUE != 0 => Some(true),
            () if flags & instance_flags::FORCE_NO_OPAQUE != 0 => Some(false),
            () => None,
        },
        flags: match flags & instance_flags::TRIANGLE_FACING_CULL_DISABLE {
            0 => state.flags,
            _ => state.flags & !faces,
        },
        has_micromaps: (!content.opacities.indices.is_empty() || content.clusters.have_micromaps)
            && flags & instance_flags::DISABLE_OPACITY_MICROMAPS == 0,
        hit_flags: if content.kind == Kind::Clusters { hit_flags::CLUSTER } else { 0 },
    };
    if content.kind == Kind::Clusters {
        return V::visit_clusters(state, &visit, content, base);
    }
    let slabs = Slabs::<V>::new(visit.origin, visit.direction);
    let shear = Shear::<V>::new(visit.origin, visit.direction);
    if state.pending_mask != 0 {
        let (block, mask) = (state.pending_block, std::mem::take(&mut state.pending_mask));
        if let Some(step) = visit_leaf(state, &visit, &shear, content, block, mask) {
            return Some(step);
        }
        if state.phase == phase::DONE {
            return None;
        }
    }
    while let Some((number, t)) = next_leaf(state, &content.nodes[..], &slabs, base) {
        if content.kind != Kind::Boxes {
            if let Some(step) = visit_leaf(state, &visit, &shear, content, number, u32::MAX) {
                return Some(step);
            }
            if state.phase == phase::DONE {
                return None;
            }
            continue;
        }
        let Some(primitive) = content.boxes.get(number as usize) else { continue };
        let Some(opaque) = visit.opacity(primitive.geometry) else { continue };
        state.candidate =
            visit.hit(hit_kind::CANDIDATE_AABB, t, primitive.primitive, primitive.geometry, opaque);
        state.phase = phase::CANDIDATE;
        return Some(Step::Box);
    }
    None
}

/// Vectors, and the traversal of clusters that is compiled for them.
trait Traversal: Vector {
    /// [`visit_clusters`]. Of its own, so that the traversal of other contents is as it is without it.
    fn visit_clusters(state: &mut RayState, visit: &Visit<'_>, content: &Content, base: u32) -> Option<Step>;
}

impl Traversal for Plain {
    #[inline(never)]
    fn visit_clusters(state: &mut RayState, visit: &Visit<'_>, content: &Content, base: u32) -> Option<Step> {
        visit_clusters::<Plain>(state, visit, content, base)
    }
}

#[cfg(target_arch = "x86_64")]
impl Traversal for crate::vector::Avx {
    #[inline(always)]
    fn visit_clusters(state: &mut RayState, visit: &Visit<'_>, content: &Content, base: u32) -> Option<Step> {
        // SAFETY: only `proceed_avx2` works on these vectors, so the processor has the features.
        unsafe { visit_clusters_avx2(state, visit, content, base) }
    }
}

/// # Safety
/// The processor has the features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
unsafe fn visit_clusters_avx2(
    state: &mut RayState,
    visit: &Visit<'_>,
    content: &Content,
    base: u32,
) -> Option<Step> {
    visit_clusters::<crate::vector::Avx>(state, visit, content, base)
}

/// Goes on in an instance of a structure of clusters, as [`visit_instance`].
#[inline(always)]
fn visit_clusters<V: Vector>(
    state: &mut RayState,
    visit: &Visit<'_>,
    content: &Content,
    base: u32,
) -> Option<Step> {
    let tree = ClusterTree { upper: &content.nodes, clusters: &content.clusters.all };
    let slabs = Slabs::<V>::new(visit.origin, visit.direction);
    let shear = Shear::<V>::new(visit.origin, visit.direction);
    let mut pending = (state.pending_mask != 0).then_some((state.pending_block, state.pending_mask));
    state.pending_mask = 0;
    loop {
        let (number, mask) = match pending.take() {
            Some(pending) => pending,
            None => match next_leaf(state, &tree, &slabs, base) {
                Some((number, _)) => (number, u32::MAX),
                None => return None,
            },
        };
        let Some((block, opacities)) = tree.block(number) else { continue };
        let triangles = Leaf { fixed: block, placed: block, opacities, number, mask };
        if let Some(step) = visit_triangles(state, visit, &shear, triangles) {
            return Some(step);
        }
        if state.phase == phase::DONE {
            return None;
        }
    }
}

/// The map from the world to a moving instance at a time.
#[cold]
#[inline(never)]
fn moved_map(motion: &Motion, instance: &Instance, time: f32) -> Affine {
    motion.record_at(&instance.placement.transform, time).world_to_object
}

/// A block of triangles at a time.
#[cold]
#[inline(never)]
fn moved_block(block: &TriangleBlock, ends: &EndVertices, time: f32) -> TriangleBlock {
    let mut moved = block.clone();
    for (row, end) in moved.vertices.iter_mut().zip(ends) {
        for (value, &end) in row.iter_mut().zip(end) {
            *value = between(*value, end, time);
        }
    }
    moved
}

/// Deals with those triangles or spheres of a block that the mask has, nearest first.
#[inline(always)]
fn visit_leaf<V: Vector>(
    state: &mut RayState,
    visit: &Visit<'_>,
    shear: &Shear<V>,
    content: &Content,
    number: u32,
    mask: u32,
) -> Option<Step> {
    match content.kind {
        Kind::Triangles => visit_block(state, visit, shear, content, number, mask),
        _ => visit_spheres(state, visit, content, number, mask),
    }
}

/// The lane of a mask that is the nearest; of several the first.
#[inline(always)]
fn nearest_lane(lanes: u32, t: &[f32; WIDTH]) -> usize {
    let mut lane = lanes.trailing_zeros() as usize;
    let mut others = lanes & (lanes - 1);
    while others != 0 {
        let other = others.trailing_zeros() as usize;
        others &= others - 1;
        if t[other] < t[lane] {
            lane = other;
        }
    }
    lane
}

/// Deals with those triangles of a block that the mask has, nearest first.
#[inline(always)]
fn visit_block<V: Vector>(
    state: &mut RayState,
    visit: &Visit<'_>,
    shear: &Shear<V>,
    content: &Content,
    number: u32,
    mask: u32,
) -> Option<Step> {
    let fixed = content.blocks.get(number as usize)?;
    let moved = content.end_vertices.get(number as usize).map(|ends| moved_block(fixed, ends, visit.time));
    let placed = moved.as_ref().unwrap_or(fixed);
    let opacities = (&content.opacities, number);
    visit_triangles(state, visit, shear, Leaf { fixed, placed, opacities, number, mask })
}

/// A block of triangles that a ray comes to.
struct Leaf<'t> {
    fixed: &'t TriangleBlock,
    /// The same where it is at the ray's time.
    placed: &'t TriangleBlock,
    /// The opacities, and the block's number among them.
    opacities: (&'t Opacities, u32),
    /// The block's number.
    number: u32,
    /// Which triangles count.
    mask: u32,
}

/// Deals with those triangles of a block that the mask has, nearest first.
#[inline(always)]
fn visit_triangles<V: Vector>(
    state: &mut RayState,
    visit: &Visit<'_>,
    shear: &Shear<V>,
    leaf: Leaf<'_>,
) -> Option<Step> {
    let Leaf { fixed, placed: block, opacities, number, mask } = leaf;
    let Hits { lanes, t, weights: [u, v], fronts } = shear.test(block, state.t_min, limit(state));
    let mut left = lanes & mask;
    while left != 0 {
        let lane = nearest_lane(left, &t);
        left &= !(1 << lane);
        let mut geometry = block.geometries[lane];
        if visit.has_micromaps {
            let (opacities, block) = opacities;
            let weights = [u[lane], v[lane]];
            let found = opacities.geometry((block, lane), geometry, weights, visit.has_two_states());
            let Some(found) = found else { continue };
            geometry = found;
        }
        let Some(opaque) = visit.opacity(geometry) else { continue };
        let flips = visit.instance.placement.flags & instance_flags::TRIANGLE_FLIP_FACING != 0;
        let front = (fronts >> lane & 1 != 0) != flips;
        let culls = if front { ray_flags::CULL_FRONT_FACING } else { ray_flags::CULL_BACK_FACING };
        if visit.flags & culls != 0 && geometry & GEOMETRY_CULL_DISABLE == 0 {
            continue;
        }
        let kind = if opaque { hit_kind::COMMITTED_TRIANGLE } else { hit_kind::CANDIDATE_TRIANGLE };
        let hit = RayHit {
            barycentrics: [u[lane], v[lane]],
            front_face: front.into(),
            vertices: (&raw const fixed.vertices[0][lane]).expose_provenance() as u64,
            ..visit.hit(kind, t[lane], block.primitives[lane], geometry, opaque)
        };
        if opaque {
            state.committed = hit;
            committed_one(state);
            return None;
        }
        state.candidate = hit;
        (state.pending_block, state.pending_mask) = (number, left);
        state.phase = phase::CANDIDATE;
        return Some(Step::Triangle);
    }
    None
}

/// The same with spheres.
#[inline(never)]
fn visit_spheres(
    state: &mut RayState,
    visit: &Visit<'_>,
    content: &Content,
    number: u32,
    mask: u32,
) -> Option<Step> {
    let block = content.spheres.get(number as usize)?;
    let range = (state.t_min, limit(state));
    let mut hits = [SphereHit::default(); WIDTH];
    let mut left = 0;
    for (lane, hit) in hits.iter_mut().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
        if block.geometries[lane] != u32::MAX
            && let Some(found) = block.sphere(lane).meet(visit.origin, visit.direction, range)
        {
            *hit = found;
            left |= 1 << lane;
        }
    }
    let t = hits.map(|hit| hit.t);
    let shape = match content.kind {
        Kind::Spheres => hit_flags::SPHERE,
        _ => hit_flags::SWEPT_SPHERE,
    };
    while left != 0 {
        let lane = nearest_lane(left, &t);
        left &= !(1 << lane);
        let geometry = block.geometries[lane];
        let Some(opaque) = visit.opacity(geometry) else { continue };
        let kind = if opaque { hit_kind::COMMITTED_TRIANGLE } else { hit_kind::CANDIDATE_TRIANGLE };
        let mut hit = visit.hit(kind, t[lane], block.primitives[lane], geometry, opaque);
        hit.flags |= shape;
        hit.barycentrics = [hits[lane].weight, 0.0];
        hit.front_face = hits[lane].front.into();
        hit.vertices = (&raw const block.rows[0][lane]).expose_provenance() as u64;
        if opaque {
            state.committed = hit;
            committed_one(state);
            return None;
        }
        state.candidate = hit;
        (state.pending_block, state.pending_mask) = (number, left);
        state.phase = phase::CANDIDATE;
        return Some(Step::Triangle);
    }
    None
}
