//! Rays on their way through acceleration structures, as they lie in memory.
//!
//! A [`RayState`] is one ray query, or one ray that a pipeline traces: the ray, what the traversal has found
//! and where it goes on. `pyro-raytrace` makes and changes it; shaders read its words. The ray query of a
//! shader lies in private memory ([`query`]); its words are those of a [`RayState`], interleaved by lane as
//! all private memory is.

use core::mem::offset_of;

/// Levels of a bottom-level structure, its root included.
pub const BOTTOM_LEVELS_MAX: usize = 14;
/// Levels of a top-level structure, its root included.
pub const TOP_LEVELS_MAX: usize = 12;
/// Children of a node.
pub const WIDTH: usize = 8;
/// Nodes that may wait at a time: of each node on the way all children but the one that was taken.
pub const STACK_MAX: usize = (BOTTOM_LEVELS_MAX + TOP_LEVELS_MAX) * (WIDTH - 1) + 2;

/// `Ray Flags` of SPIR-V.
pub mod ray_flags {
    /// `OpaqueKHR`.
    pub const OPAQUE: u32 = 0x1;
    /// `NoOpaqueKHR`.
    pub const NO_OPAQUE: u32 = 0x2;
    /// `TerminateOnFirstHitKHR`.
    pub const TERMINATE_ON_FIRST_HIT: u32 = 0x4;
    /// `SkipClosestHitShaderKHR`.
    pub const SKIP_CLOSEST_HIT_SHADER: u32 = 0x8;
    /// `CullBackFacingTrianglesKHR`.
    pub const CULL_BACK_FACING: u32 = 0x10;
    /// `CullFrontFacingTrianglesKHR`.
    pub const CULL_FRONT_FACING: u32 = 0x20;
    /// `CullOpaqueKHR`.
    pub const CULL_OPAQUE: u32 = 0x40;
    /// `CullNoOpaqueKHR`.
    pub const CULL_NO_OPAQUE: u32 = 0x80;
    /// `SkipTrianglesKHR`.
    pub const SKIP_TRIANGLES: u32 = 0x100;
    /// `SkipAABBsKHR`.
    pub const SKIP_AABBS: u32 = 0x200;
    /// `ForceOpacityMicromap2StateKHR`.
    pub const FORCE_OPACITY_MICROMAP_2_STATE: u32 = 0x400;
}

/// Where a traversal is: values of [`RayState::phase`].
pub mod phase {
    /// There is no ray: nothing happens to it, and nothing is found.
    pub const NONE: u32 = 0;
    /// Goes on with the stack when it proceeds.
    pub const ACTIVE: u32 = 1;
    /// As `ACTIVE`, and the candidate is one that may be confirmed or, for a box, generated.
    pub const CANDIDATE: u32 = 2;
    /// All has been visited, or the ray was terminated.
    pub const DONE: u32 = 3;
}

/// Values of [`RayHit::kind`], as SPIR-V has them for candidates (triangle 0, AABB 1) and committed
/// intersections (none 0, triangle 1, generated 2). Spheres and linear swept spheres, which need no shader to
/// be met either, count as triangles ([`hit_flags`] tells them apart).
pub mod hit_kind {
    /// Candidate: a triangle that is not opaque.
    pub const CANDIDATE_TRIANGLE: u32 = 0;
    /// Candidate: a box.
    pub const CANDIDATE_AABB: u32 = 1;
    /// Committed: nothing.
    pub const COMMITTED_NONE: u32 = 0;
    /// Committed: a triangle.
    pub const COMMITTED_TRIANGLE: u32 = 1;
    /// Committed: what was reported for a box.
    pub const COMMITTED_GENERATED: u32 = 2;
}

/// Bits of [`RayHit::flags`].
pub mod hit_flags {
    /// It counts as opaque.
    pub const OPAQUE: u32 = 1;
    /// What is called a triangle is a sphere.
    pub const SPHERE: u32 = 2;
    /// What is called a triangle is a linear swept sphere.
    pub const SWEPT_SPHERE: u32 = 4;
    /// It is a triangle of a cluster.
    pub const CLUSTER: u32 = 8;
}

/// Of a sphere or a linear swept sphere: which of the components at [`RayHit::vertices`] are what.
pub mod sphere_component {
    /// The three coordinates of each center: one, or two.
    pub const CENTERS: u32 = 0;
    /// The radii of as many.
    pub const RADII: u32 = 6;
}

/// Of a triangle of a cluster: which of the components at [`RayHit::vertices`] is what, beside its vertices.
pub mod cluster_component {
    /// The cluster's number that the application has given it (`ClusterIDNV`).
    pub const ID: u32 = 11;
}

/// An intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct RayHit {
    /// See [`hit_kind`].
    pub kind: u32,
    /// The parameter along the ray; of candidates that are boxes: where the ray enters; where nothing is
    /// committed: where the ray ends.
    pub t: f32,
    /// Weights of the second and third vertex; of a linear swept sphere, the weight of its second end, and 0.
    pub barycentrics: [f32; 2],
    /// `InstanceId`: the instance's place in the top-level structure.
    pub instance_index: u32,
    /// `instanceCustomIndex`.
    pub custom_index: u32,
    /// `instanceShaderBindingTableRecordOffset`.
    pub sbt_offset: u32,
    /// The geometry's place in the bottom-level structure.
    pub geometry_index: u32,
    /// The primitive's place in its geometry.
    pub primitive_index: u32,
    /// Of a triangle: 1 when its front was hit; of a sphere, when it was hit from outside.
    pub front_face: u32,
    /// See [`hit_flags`].
    pub flags: u32,
    /// Free for whoever traces: `HitKindKHR` of pipelines.
    pub hit_kind: u32,
    /// Address of the [`InstanceRecord`]; zero where there is no intersection.
    pub instance: u64,
    /// Of a triangle: address of the first vertex's x; component `c` of vertex `v` is
    /// [`VERTEX_COMPONENT_BYTES`]` * (3 * v + c)` further on. Of a sphere: that of the first of as many
    /// components, which [`sphere_component`] describes. Else zero.
    pub vertices: u64,
    /// The ray's origin in object space.
    pub object_origin: [f32; 3],
    /// The ray's direction in object space.
    pub object_direction: [f32; 3],
}

impl RayHit {
    /// Its words, in the order of its fields; of addresses the low half first.
    pub fn to_words(&self) -> [u32; size_of::<RayHit>() / 4] {
        let [u, v] = self.barycentrics.map(f32::to_bits);
        let [origin_x, origin_y, origin_z] = self.object_origin.map(f32::to_bits);
        let [x, y, z] = self.object_direction.map(f32::to_bits);
        let high = |address: u64| (address >> 32) as u32;
        [
            self.kind,
            self.t.to_bits(),
            u,
            v,
            self.instance_index,
            self.custom_index,
            self.sbt_offset,
            self.geometry_index,
            self.primitive_index,
            self.front_face,
            self.flags,
            self.hit_kind,
            self.instance as u32,
            high(self.instance),
            self.vertices as u32,
            high(self.vertices),
            origin_x,
            origin_y,
            origin_z,
            x,
            y,
            z,
        ]
    }

    /// The hit of these words.
    pub fn from_words(words: [u32; size_of::<RayHit>() / 4]) -> RayHit {
        let float = |word: usize| f32::from_bits(words[word]);
        let address = |word: usize| u64::from(words[word]) | u64::from(words[word + 1]) << 32;
        RayHit {
            kind: words[0],
            t: float(1),
            barycentrics: [float(2), float(3)],
            instance_index: words[4],
            custom_index: words[5],
            sbt_offset: words[6],
            geometry_index: words[7],
            primitive_index: words[8],
            front_face: words[9],
            flags: words[10],
            hit_kind: words[11],
            instance: address(12),
            vertices: address(14),
            object_origin: [float(16), float(17), float(18)],
            object_direction: [float(19), float(20), float(21)],
        }
    }
}

/// Bytes from a component of a triangle's vertices to the next ([`RayHit::vertices`]).
pub const VERTEX_COMPONENT_BYTES: u32 = 4 * WIDTH as u32;

/// A ray's way. `0` everywhere is no ray ([`phase::NONE`]).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RayState {
    /// What a shader has as its acceleration structure: the address of a structure's record, or a device
    /// address with the bit [`UNRESOLVED`]; zero is the null structure.
    pub structure: u64,
    /// See [`ray_flags`].
    pub flags: u32,
    /// The cull mask in the low 8 bits.
    pub cull_mask: u32,
    /// World-space origin.
    pub origin: [f32; 3],
    /// Least parameter.
    pub t_min: f32,
    /// World-space direction, of any length.
    pub direction: [f32; 3],
    /// Greatest parameter. What is of no interest any more is behind `committed.t`.
    pub t_max: f32,
    /// See [`phase`].
    pub phase: u32,
    /// Entries of `stack`.
    pub stack_len: u32,
    /// Where the stack of the instance that is traversed begins, plus one; zero in the top-level structure.
    pub instance_stack: u32,
    /// The instance that is traversed: its place among the active ones.
    pub active_instance: u32,
    /// The block of triangles that is not finished, with `pending_mask`.
    pub pending_block: u32,
    /// Which triangles of the block are left.
    pub pending_mask: u32,
    /// What may be confirmed.
    pub candidate: RayHit,
    /// What is the closest so far.
    pub committed: RayHit,
    /// Address of the content that is traversed: see `pyro-raytrace`.
    pub content: u64,
    /// Nodes to visit: reference and bits of the parameter where the ray enters.
    pub stack: [[u32; 2]; STACK_MAX],
}

/// Of a shader's acceleration structure: it is a device address, which has yet to be looked up. Addresses of
/// records and structures are even.
pub const UNRESOLVED: u64 = 1;

/// What shaders read of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct InstanceRecord {
    /// Rows of the matrix that brings objects to the world.
    pub object_to_world: [[f32; 4]; 3],
    /// Rows of its inverse.
    pub world_to_object: [[f32; 4]; 3],
}

impl Default for RayState {
    fn default() -> RayState {
        RayState {
            structure: 0,
            flags: 0,
            cull_mask: 0,
            origin: [0.0; 3],
            t_min: 0.0,
            direction: [0.0; 3],
            t_max: 0.0,
            phase: phase::NONE,
            stack_len: 0,
            instance_stack: 0,
            active_instance: 0,
            pending_block: 0,
            pending_mask: 0,
            candidate: RayHit::default(),
            committed: RayHit::default(),
            content: 0,
            stack: [[0; 2]; STACK_MAX],
        }
    }
}

/// Words of a [`RayState`] that come before its stack.
pub const HEAD_WORDS: usize = offset_of!(RayState, stack) / 4;
/// Words of a [`RayState`].
pub const STATE_WORDS: usize = size_of::<RayState>() / 4;

/// Byte offsets in a [`RayState`], a [`RayHit`] and an [`InstanceRecord`], for generated code.
pub mod ray_offset {
    use super::{InstanceRecord as I, RayHit as H, RayState as S, offset_of};

    /// [`super::RayState::structure`].
    pub const STRUCTURE: u32 = offset_of!(S, structure) as u32;
    /// [`super::RayState::flags`].
    pub const FLAGS: u32 = offset_of!(S, flags) as u32;
    /// [`super::RayState::cull_mask`].
    pub const CULL_MASK: u32 = offset_of!(S, cull_mask) as u32;
    /// [`super::RayState::origin`].
    pub const ORIGIN: u32 = offset_of!(S, origin) as u32;
    /// [`super::RayState::t_min`].
    pub const T_MIN: u32 = offset_of!(S, t_min) as u32;
    /// [`super::RayState::direction`].
    pub const DIRECTION: u32 = offset_of!(S, direction) as u32;
    /// [`super::RayState::t_max`].
    pub const T_MAX: u32 = offset_of!(S, t_max) as u32;
    /// [`super::RayState::phase`].
    pub const PHASE: u32 = offset_of!(S, phase) as u32;
    /// [`super::RayState::candidate`].
    pub const CANDIDATE: u32 = offset_of!(S, candidate) as u32;
    /// [`super::RayState::committed`].
    pub const COMMITTED: u32 = offset_of!(S, committed) as u32;

    /// [`super::RayHit::kind`].
    pub const KIND: u32 = offset_of!(H, kind) as u32;
    /// [`super::RayHit::t`].
    pub const T: u32 = offset_of!(H, t) as u32;
    /// [`super::RayHit::barycentrics`].
    pub const BARYCENTRICS: u32 = offset_of!(H, barycentrics) as u32;
    /// [`super::RayHit::instance_index`].
    pub const INSTANCE_INDEX: u32 = offset_of!(H, instance_index) as u32;
    /// [`super::RayHit::custom_index`].
    pub const CUSTOM_INDEX: u32 = offset_of!(H, custom_index) as u32;
    /// [`super::RayHit::sbt_offset`].
    pub const SBT_OFFSET: u32 = offset_of!(H, sbt_offset) as u32;
    /// [`super::RayHit::geometry_index`].
    pub const GEOMETRY_INDEX: u32 = offset_of!(H, geometry_index) as u32;
    /// [`super::RayHit::primitive_index`].
    pub const PRIMITIVE_INDEX: u32 = offset_of!(H, primitive_index) as u32;
    /// [`super::RayHit::front_face`].
    pub const FRONT_FACE: u32 = offset_of!(H, front_face) as u32;
    /// [`super::RayHit::flags`].
    pub const HIT_FLAGS: u32 = offset_of!(H, flags) as u32;
    /// [`super::RayHit::hit_kind`].
    pub const HIT_KIND: u32 = offset_of!(H, hit_kind) as u32;
    /// [`super::RayHit::instance`].
    pub const INSTANCE: u32 = offset_of!(H, instance) as u32;
    /// [`super::RayHit::vertices`].
    pub const VERTICES: u32 = offset_of!(H, vertices) as u32;
    /// [`super::RayHit::object_origin`].
    pub const OBJECT_ORIGIN: u32 = offset_of!(H, object_origin) as u32;
    /// [`super::RayHit::object_direction`].
    pub const OBJECT_DIRECTION: u32 = offset_of!(H, object_direction) as u32;

    /// [`super::InstanceRecord::object_to_world`].
    pub const OBJECT_TO_WORLD: u32 = offset_of!(I, object_to_world) as u32;
    /// [`super::InstanceRecord::world_to_object`].
    pub const WORLD_TO_OBJECT: u32 = offset_of!(I, world_to_object) as u32;
}

/// Ray queries in a shader's private memory.
///
/// A variable with ray queries is a slot that is a call record: a header as those of images
/// ([`crate::image::record`]), a column with the byte offset of the query that each lane means, then the
/// variable. In the header's field for the image is what is to be done ([`query::Operation`]), in that for
/// the sampler the bytes of the slot for one lane and the number of lanes ([`query::shape`]).
pub mod query {
    use crate::image::record;

    /// Something to do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u32)]
    pub enum Operation {
        /// All ray queries of the variable become those that have no ray.
        Clear = 0,
        /// `OpRayQueryInitializeKHR`: structure, flags, cull mask and ray are in the state.
        Initialize,
        /// `OpRayQueryProceedKHR`: whether there is a candidate is in the phase.
        Proceed,
        /// `OpRayQueryTerminateKHR`.
        Terminate,
        /// `OpRayQueryConfirmIntersectionKHR`.
        Confirm,
        /// `OpRayQueryGenerateIntersectionKHR`: the parameter is in the candidate's `t`.
        Generate,
    }

    impl Operation {
        /// All of them, by number.
        pub const ALL: [Operation; 6] = [
            Operation::Clear,
            Operation::Initialize,
            Operation::Proceed,
            Operation::Terminate,
            Operation::Confirm,
            Operation::Generate,
        ];
    }

    /// Byte offset, in the slot, of the column with each lane's query.
    pub const fn element_slot_offset(lanes: u32) -> u32 {
        record::column_slot_offset(0, lanes)
    }

    /// Byte offset, in the slot, of the variable. Eight bytes aligned, as states are.
    pub const fn variable_slot_offset(lanes: u32) -> u32 {
        record::column_slot_offset(1, lanes).next_multiple_of(8)
    }

    /// The header's word that tells the variable's shape: bytes for one lane, and lanes.
    pub const fn shape(slot_bytes: u32, lanes: u32) -> u64 {
        (slot_bytes as u64) << 32 | lanes as u64
    }
}

const _: () =
    assert!(size_of::<RayHit>() == 88 && HEAD_WORDS.is_multiple_of(2) && align_of::<RayState>() == 8);
