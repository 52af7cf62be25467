//! Hit objects: columns of what a lane has in one, and the shaders that run for them.
//!
//! A hit object's words are the shader's own, in private memory that no other instruction reaches; the
//! addresses among them are those that [`store`] and [`record_hit`] have given it.

use super::level::{Invocation, Nesting};
use super::table::RecordData;
use pyro_abi::ray::{InstanceRecord, RayHit, hit_kind};
use pyro_abi::raytrace::{HIT_WORDS, HitRecord, RAY_LANES, RayColumn, RayRecord, RayRequest, hit_object};

fn words<const N: usize>(columns: &[RayColumn; N], lane: usize) -> [u32; N] {
    std::array::from_fn(|column| columns[column][lane])
}

fn floats(columns: &[[u32; RAY_LANES]; 3], lane: usize) -> [f32; 3] {
    words(columns, lane).map(f32::from_bits)
}

/// Writes a hit to a lane's columns.
pub(super) fn store(asked: &mut RayRequest, lane: usize, hit: &HitRecord) {
    let columns: [u32; HIT_WORDS] = hit.hit.to_words();
    asked.hit.iter_mut().zip(columns).for_each(|(column, word)| column[lane] = word);
    asked.attributes.iter_mut().zip(hit.attributes).for_each(|(column, word)| column[lane] = word);
}

/// The instance, by its place in the structure, and the ray, with its time, of a hit that a lane records.
pub(super) fn recorded(asked: &RayRequest, lane: usize) -> (u32, ([f32; 3], [f32; 3], f32)) {
    let ray = (floats(&asked.origin, lane), floats(&asked.direction, lane), f32::from_bits(asked.time[lane]));
    (RayHit::from_words(words(&asked.hit, lane)).instance_index, ray)
}

/// Completes the hit in a lane's columns by what its instance says, if there is one. `index` is told offset
/// and stride in the hit table, and the hit, and gives the index of its record.
pub(super) fn record_hit(
    asked: &mut RayRequest,
    lane: usize,
    found: Option<RayHit>,
    index: impl Fn([u32; 2], &RayHit) -> u32,
) {
    let said = RayHit::from_words(words(&asked.hit, lane));
    let Some(found) = found else {
        asked.object[lane] = hit_object::EMPTY;
        return;
    };
    let is_triangle = matches!(said.hit_kind, hit_object::FRONT | hit_object::BACK);
    let hit = RayHit {
        kind: if is_triangle { hit_kind::COMMITTED_TRIANGLE } else { hit_kind::COMMITTED_GENERATED },
        t: said.t,
        geometry_index: said.geometry_index,
        primitive_index: said.primitive_index,
        hit_kind: said.hit_kind,
        front_face: u32::from(said.hit_kind == hit_object::FRONT),
        ..found
    };
    asked.object[lane] = hit_object::HIT;
    asked.record[lane] = index([asked.sbt_offset[lane], asked.sbt_stride[lane]], &hit);
    let attributes = words(&asked.attributes, lane);
    store(asked, lane, &HitRecord { hit, attributes, unwritten: 0 });
}

/// A hit object whose shader is to run.
pub(super) struct Executed {
    /// One of [`hit_object`].
    pub(super) kind: u32,
    /// The index of its record.
    pub(super) record: u32,
    ray: RayRecord,
    moved: InstanceRecord,
    launch_id: [u32; 3],
    incoming: u64,
    /// How deep its lane's traces and calls may be nested.
    pub(super) nesting: Nesting,
}

impl Executed {
    /// That of a lane, for whose invocation it runs: with its launch id, its payload and its nesting.
    pub(super) fn new(
        asked: &RayRequest,
        lane: usize,
        (launch_id, incoming, nesting): ([u32; 3], u64, Nesting),
    ) -> Executed {
        let (flags, time) = (asked.flags[lane], f32::from_bits(asked.time[lane]));
        let mut ray = RayRecord { flags, time, ..RayRecord::default() };
        ray.state.flags = ray.flags;
        ray.state.cull_mask = asked.cull_mask[lane] & 0xff;
        ray.state.origin = floats(&asked.origin, lane);
        ray.state.direction = floats(&asked.direction, lane);
        ray.state.t_min = f32::from_bits(asked.t_min[lane]);
        ray.committed.hit = RayHit::from_words(words(&asked.hit, lane));
        ray.committed.attributes = words(&asked.attributes, lane);
        let (kind, record) = (asked.object[lane], asked.record[lane]);
        Executed { kind, record, ray, moved: InstanceRecord::default(), launch_id, incoming, nesting }
    }

    /// The hit, the ray's time, and where what the shader sees of an instance that moves has its place.
    pub(super) fn moved(&mut self) -> (&mut RayHit, f32, &mut InstanceRecord) {
        (&mut self.ray.committed.hit, self.ray.time, &mut self.moved)
    }

    /// The invocation of its shader, which refers to this object.
    pub(super) fn invocation(&self, shader: u32, shader_record: RecordData) -> Invocation {
        Invocation {
            shader,
            launch_id: self.launch_id,
            shader_record,
            ray_record: (&raw const self.ray).expose_provenance() as u64,
            hit_record: (&raw const self.ray.committed).expose_provenance() as u64,
            incoming: self.incoming,
            ..Invocation::default()
        }
    }
}
