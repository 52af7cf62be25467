//! What the functions of ray tracing stages are called with.
//!
//! A lane is one invocation. A function that traces, calls or reports writes what its lanes ask for into the
//! columns of [`RayRequest`] and suspends with [`crate::Exit::Call`]; the engine does it, writes the answers,
//! and calls the function again. Lanes that ask for nothing leave their `kind` zero, as the engine has made
//! it before the call.
//!
//! Payloads and callable data are words, one column of the caller's lanes each ([`RAY_COLUMN_BYTES`] from one
//! to the next): the caller's own words lie side by side, and the callee, whose lanes may have callers in
//! many subgroups, gets the address of its caller's first word for each lane.

use crate::SubgroupContext;
use crate::ray::{RayHit, RayState};

/// Lanes of the subgroups of all ray tracing stages.
pub const RAY_LANES: usize = 16;
/// Bytes of a column of 32-bit words.
pub const RAY_COLUMN_BYTES: u32 = 4 * RAY_LANES as u32;
/// Words of hit attributes (`maxRayHitAttributeSize` is four times that).
pub const HIT_ATTRIBUTE_WORDS: usize = 8;
/// Words of a [`RayHit`].
pub const HIT_WORDS: usize = size_of::<RayHit>() / 4;
/// Words of a payload or of callable data at most.
pub const PAYLOAD_WORDS_MAX: u32 = 1 << 14;

/// A word for each lane.
pub type RayColumn = [u32; RAY_LANES];
/// An address for each lane.
pub type AddressColumn = [u64; RAY_LANES];

/// What a lane asks for: values of [`RayRequest::kind`].
pub mod request {
    /// Nothing.
    pub const NONE: u32 = 0;
    /// `OpTraceRayKHR`
    pub const TRACE: u32 = 1;
    /// `OpExecuteCallableKHR`
    pub const CALL: u32 = 2;
    /// `OpReportIntersectionKHR`
    pub const REPORT: u32 = 3;
    /// A trace whose result goes to a hit object: no closest-hit or miss shader runs.
    pub const TRACE_HIT: u32 = 4;
    /// The closest-hit or miss shader of a hit object.
    pub const EXECUTE: u32 = 5;
    /// A hit of an instance in a structure, by the instance's place there.
    pub const RECORD_HIT: u32 = 6;
    /// The address of a hit object's shader record: its halves come in the first columns of the origin.
    pub const SHADER_RECORD: u32 = 7;
}

/// Hit objects: values of [`RayRequest::object`], and of `HitKindKHR`.
pub mod hit_object {
    /// It holds nothing.
    pub const EMPTY: u32 = 0;
    /// A ray that has met nothing.
    pub const MISS: u32 = 1;
    /// A hit.
    pub const HIT: u32 = 2;
    /// `HitKindKHR` of a triangle whose front was hit.
    pub const FRONT: u32 = 0xfe;
    /// `HitKindKHR` of a triangle whose back was hit.
    pub const BACK: u32 = 0xff;
}

/// What the engine, or an any-hit function, answers: values of [`RaySubgroup::answer`].
pub mod answer {
    /// The intersection was not accepted.
    pub const IGNORED: u32 = 0;
    /// It was accepted.
    pub const ACCEPTED: u32 = 1;
    /// It was accepted, and the ray has ended: so does the intersection shader.
    pub const ENDED: u32 = 2;
}

/// What the lanes of a subgroup ask for.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub struct RayRequest {
    /// One of [`request`].
    pub kind: RayColumn,
    /// Ray flags; of reports the hit kind; of calls the index in the callable table.
    pub flags: RayColumn,
    /// Cull mask.
    pub cull_mask: RayColumn,
    /// Offset in the hit table.
    pub sbt_offset: RayColumn,
    /// Stride in the hit table.
    pub sbt_stride: RayColumn,
    /// Index in the miss table.
    pub miss_index: RayColumn,
    /// Where rays start, `f32`.
    pub origin: [RayColumn; 3],
    /// Least distance; of reports the distance.
    pub t_min: RayColumn,
    /// Where rays go.
    pub direction: [RayColumn; 3],
    /// Greatest distance.
    pub t_max: RayColumn,
    /// Time of the ray, from 0 to 1 (motion blur).
    pub time: RayColumn,
    /// Of reports, the hit attributes.
    pub attributes: [RayColumn; HIT_ATTRIBUTE_WORDS],
    /// Of reports, which of those words nobody has written, a bit for each; zero where that is not followed.
    pub unwritten: RayColumn,
    /// Acceleration structures.
    pub structure: AddressColumn,
    /// Of hit objects, one of [`hit_object`].
    pub object: RayColumn,
    /// Of hit objects, the index of the shader record in its table.
    pub record: RayColumn,
    /// Of hit objects, the words of the [`RayHit`].
    pub hit: [RayColumn; HIT_WORDS],
}

/// One subgroup of invocations of a ray tracing stage.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub struct RaySubgroup {
    /// Active lanes, scratch memory, frame.
    pub subgroup: SubgroupContext,
    /// Address of the columns of words that this subgroup's traces and calls pass.
    pub outgoing: u64,
    /// Zero.
    pub reserved: [u64; 7],
    /// `LaunchIdKHR` in x, y, z.
    pub launch_id: [RayColumn; 3],
    /// Address of what follows the handle in each lane's shader binding table record.
    pub shader_record: AddressColumn,
    /// Bytes from that address to the end of the shader binding table.
    pub shader_record_bytes: RayColumn,
    /// Address of each lane's [`RayRecord`], in stages that have rays.
    pub ray: AddressColumn,
    /// Address of each lane's [`HitRecord`], in stages that have rays.
    pub hit: AddressColumn,
    /// Address of the first word of each lane's incoming payload or callable data.
    pub incoming: AddressColumn,
    /// Written by the function.
    pub request: RayRequest,
    /// One of [`answer`]. Of any-hit functions the result, which is [`answer::ACCEPTED`] before.
    pub answer: RayColumn,
    /// How many traces may be nested in one another from here on (`maxPipelineRayRecursionDepth`).
    pub traces_left: RayColumn,
    /// Bytes of the pipeline's stack that are left.
    pub stack_left: RayColumn,
    /// Of a trace or call that has been answered: bytes of stack that were missing for what it ran.
    pub stack_missing: RayColumn,
}

/// A hit, or what may become one, for the built-ins of those stages that have a ray.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct HitRecord {
    /// Where; of misses only the distance, the ray's end, means something.
    pub hit: RayHit,
    /// The hit attributes' words: of triangles two barycentric coordinates.
    pub attributes: [u32; HIT_ATTRIBUTE_WORDS],
    /// Which of them nobody has written, a bit for each; zero where that is not followed.
    pub unwritten: u32,
}

/// A ray that is traced for a lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RayRecord {
    /// The ray, and the traversal's state. Its flags are those of the pipeline, too.
    pub state: RayState,
    /// `IncomingRayFlagsKHR`: those that the trace was asked for with.
    pub flags: u32,
    /// `CurrentRayTimeNV`
    pub time: f32,
    /// What [`RaySubgroup::hit`] means in intersection functions, and any-hit functions of triangles.
    pub candidate: HitRecord,
    /// What it means in any-hit functions of what an intersection function reports.
    pub reported: HitRecord,
    /// What it means in others.
    pub committed: HitRecord,
}

const _: () = assert!(core::mem::offset_of!(RaySubgroup, subgroup) == 0);

/// Byte offsets of the fields, for generated code.
pub mod ray_offset {
    use super::{HitRecord as H, RayRecord as R, RayRequest as Q, RaySubgroup as S};
    use crate::ray::ray_offset as of_rays;
    use core::mem::offset_of;

    const REQUEST: u32 = offset_of!(S, request) as u32;

    /// [`super::RaySubgroup::outgoing`].
    pub const OUTGOING: u32 = offset_of!(S, outgoing) as u32;
    /// [`super::RaySubgroup::launch_id`], a column for each.
    pub const LAUNCH_ID: u32 = offset_of!(S, launch_id) as u32;
    /// [`super::RaySubgroup::shader_record`].
    pub const SHADER_RECORD: u32 = offset_of!(S, shader_record) as u32;
    /// [`super::RaySubgroup::shader_record_bytes`].
    pub const SHADER_RECORD_BYTES: u32 = offset_of!(S, shader_record_bytes) as u32;
    /// [`super::RaySubgroup::ray`].
    pub const RAY: u32 = offset_of!(S, ray) as u32;
    /// [`super::RaySubgroup::hit`].
    pub const HIT: u32 = offset_of!(S, hit) as u32;
    /// [`super::RaySubgroup::incoming`].
    pub const INCOMING: u32 = offset_of!(S, incoming) as u32;
    /// [`super::RaySubgroup::answer`].
    pub const ANSWER: u32 = offset_of!(S, answer) as u32;
    /// [`super::RaySubgroup::traces_left`].
    pub const TRACES_LEFT: u32 = offset_of!(S, traces_left) as u32;
    /// [`super::RaySubgroup::stack_missing`].
    pub const STACK_MISSING: u32 = offset_of!(S, stack_missing) as u32;
    /// [`super::RayRequest::kind`].
    pub const KIND: u32 = REQUEST + offset_of!(Q, kind) as u32;
    /// [`super::RayRequest::flags`].
    pub const FLAGS: u32 = REQUEST + offset_of!(Q, flags) as u32;
    /// [`super::RayRequest::cull_mask`].
    pub const CULL_MASK: u32 = REQUEST + offset_of!(Q, cull_mask) as u32;
    /// [`super::RayRequest::sbt_offset`].
    pub const SBT_OFFSET: u32 = REQUEST + offset_of!(Q, sbt_offset) as u32;
    /// [`super::RayRequest::sbt_stride`].
    pub const SBT_STRIDE: u32 = REQUEST + offset_of!(Q, sbt_stride) as u32;
    /// [`super::RayRequest::miss_index`].
    pub const MISS_INDEX: u32 = REQUEST + offset_of!(Q, miss_index) as u32;
    /// [`super::RayRequest::origin`], a column for each.
    pub const ORIGIN: u32 = REQUEST + offset_of!(Q, origin) as u32;
    /// [`super::RayRequest::t_min`].
    pub const T_MIN: u32 = REQUEST + offset_of!(Q, t_min) as u32;
    /// [`super::RayRequest::direction`], a column for each.
    pub const DIRECTION: u32 = REQUEST + offset_of!(Q, direction) as u32;
    /// [`super::RayRequest::t_max`].
    pub const T_MAX: u32 = REQUEST + offset_of!(Q, t_max) as u32;
    /// [`super::RayRequest::time`].
    pub const TIME: u32 = REQUEST + offset_of!(Q, time) as u32;
    /// [`super::RayRequest::attributes`], a column for each.
    pub const ATTRIBUTES: u32 = REQUEST + offset_of!(Q, attributes) as u32;
    /// [`super::RayRequest::unwritten`].
    pub const UNWRITTEN: u32 = REQUEST + offset_of!(Q, unwritten) as u32;
    /// [`super::RayRequest::structure`].
    pub const STRUCTURE: u32 = REQUEST + offset_of!(Q, structure) as u32;
    /// [`super::RayRequest::object`].
    pub const OBJECT: u32 = REQUEST + offset_of!(Q, object) as u32;
    /// [`super::RayRequest::record`].
    pub const RECORD: u32 = REQUEST + offset_of!(Q, record) as u32;
    /// [`super::RayRequest::hit`], a column for each.
    pub const HIT_COLUMNS: u32 = REQUEST + offset_of!(Q, hit) as u32;

    /// `WorldRayOriginKHR`, of a [`super::RayRecord`].
    pub const RAY_ORIGIN: u32 = of_rays::ORIGIN;
    /// `RayTminKHR`
    pub const RAY_T_MIN: u32 = of_rays::T_MIN;
    /// `WorldRayDirectionKHR`
    pub const RAY_DIRECTION: u32 = of_rays::DIRECTION;
    /// `IncomingRayFlagsKHR`
    pub const RAY_FLAGS: u32 = offset_of!(R, flags) as u32;
    /// `CullMaskKHR`
    pub const RAY_CULL_MASK: u32 = of_rays::CULL_MASK;
    /// [`super::RayRecord::time`].
    pub const RAY_TIME: u32 = offset_of!(R, time) as u32;

    const OF_HIT: u32 = offset_of!(H, hit) as u32;

    /// `RayTmaxKHR`, of a [`super::HitRecord`].
    pub const HIT_T: u32 = OF_HIT + of_rays::T;
    /// `HitKindKHR`
    pub const HIT_KIND: u32 = OF_HIT + of_rays::HIT_KIND;
    /// `PrimitiveId`
    pub const HIT_PRIMITIVE: u32 = OF_HIT + of_rays::PRIMITIVE_INDEX;
    /// `RayGeometryIndexKHR`
    pub const HIT_GEOMETRY: u32 = OF_HIT + of_rays::GEOMETRY_INDEX;
    /// `InstanceId`
    pub const HIT_INSTANCE_INDEX: u32 = OF_HIT + of_rays::INSTANCE_INDEX;
    /// `InstanceCustomIndexKHR`
    pub const HIT_CUSTOM_INDEX: u32 = OF_HIT + of_rays::CUSTOM_INDEX;
    /// Address of the [`crate::ray::InstanceRecord`], or zero.
    pub const HIT_INSTANCE: u32 = OF_HIT + of_rays::INSTANCE;
    /// [`crate::ray::hit_flags`]
    pub const HIT_FLAGS: u32 = OF_HIT + of_rays::HIT_FLAGS;
    /// Address of the triangle's vertices, or zero.
    pub const HIT_VERTICES: u32 = OF_HIT + of_rays::VERTICES;
    /// `ObjectRayOriginKHR`
    pub const HIT_OBJECT_ORIGIN: u32 = OF_HIT + of_rays::OBJECT_ORIGIN;
    /// `ObjectRayDirectionKHR`
    pub const HIT_OBJECT_DIRECTION: u32 = OF_HIT + of_rays::OBJECT_DIRECTION;
    /// [`super::HitRecord::attributes`].
    pub const HIT_ATTRIBUTES: u32 = offset_of!(H, attributes) as u32;
    /// [`super::HitRecord::unwritten`].
    pub const HIT_UNWRITTEN: u32 = offset_of!(H, unwritten) as u32;
}
