//! The invocations that one thread runs together.

use super::level::{Invocation, Level, Nesting};
use super::object::{self, Executed};
use super::table::{Record, Records};
use super::traverse::{Deciders, Moved, show_moved};
use super::{LEVELS_MAX, SUBGROUP_SIDE, Stopped, TraceRays};
use pyro_abi::ray::{RayHit, hit_kind, ray_flags};
use pyro_abi::raytrace::{RAY_LANES, RayRecord, hit_object, request};
use pyro_abi::{DispatchContext, Memory};
use pyro_raytrace::traverse::hit_of_instance;
use std::sync::atomic::{AtomicU32, Ordering};

/// The bits of a trace's operands that count: offset and stride in the hit table, and the index in the miss
/// table.
const HIT_INDEX_MASK: u32 = 0xf;
const MISS_INDEX_MASK: u32 = 0xffff;

/// Whose ray it is, besides what the ray's record says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Caller {
    pub(super) launch_id: [u32; 3],
    /// The payload.
    pub(super) incoming: u64,
    pub(super) sbt_offset: u32,
    pub(super) sbt_stride: u32,
    pub(super) miss_index: u32,
    /// The record of the candidate's group.
    pub(super) record: Option<Record>,
    /// Where the result goes, of a trace into a hit object: the subgroup and the lane.
    pub(super) object: Option<(usize, usize)>,
    /// Of other traces: the subgroup and the lane.
    lane: (u32, u32),
}

/// What a launch gives all its waves.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) trace: &'a TraceRays,
    pub(super) context: &'a DispatchContext,
    pub(super) memory: Memory,
}

/// The index of a hit's record in the hit table.
fn hit_index(caller: &Caller, hit: &RayHit) -> u32 {
    let index = caller.sbt_offset.wrapping_add(hit.sbt_offset);
    index.wrapping_add(caller.sbt_stride.wrapping_mul(hit.geometry_index))
}

impl Scene<'_> {
    /// The record of a hit object.
    fn object_record(&self, records: &mut Records, kind: u32, index: u32) -> Option<Record> {
        let table = match kind {
            hit_object::HIT => &self.trace.hit,
            hit_object::MISS => &self.trace.miss,
            _ => return None,
        };
        records.find(self.memory, &self.trace.program, table, index.into())
    }

    /// The group of a hit.
    pub(super) fn hit_record(&self, records: &mut Records, caller: &Caller, hit: &RayHit) -> Option<Record> {
        let index = hit_index(caller, hit).into();
        records.find(self.memory, &self.trace.program, &self.trace.hit, index)
    }

    /// # Errors
    /// When the launch is to stop.
    #[allow(unsafe_code)]
    fn check_abort(&self) -> Result<(), Stopped> {
        let flag = std::ptr::with_exposed_provenance_mut::<u32>(self.context.abort as usize);
        // SAFETY: the engine's own flag, which is atomic.
        let flag = unsafe { AtomicU32::from_ptr(flag) };
        match flag.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(Stopped { shader: u32::MAX, number: 0 }),
        }
    }
}

/// One depth of nested traces and calls.
#[derive(Default)]
struct Depth {
    level: Level,
    /// Those from `callers.len()` on are left from before.
    rays: Vec<RayRecord>,
    callers: Vec<Caller>,
    /// One for each of the rays, in programs of structures that move.
    moved: Vec<Moved>,
    /// Hit objects whose shaders are to run.
    objects: Vec<Executed>,
    /// What is to run one level deeper.
    invocations: Vec<Invocation>,
}

/// A thread's memory for the waves it runs.
#[derive(Default)]
pub(super) struct Wave {
    depths: Vec<Depth>,
    deciders: Deciders,
    records: Records,
}

impl Wave {
    /// Forgets what was known of the launch before.
    pub(super) fn begin(&mut self) {
        self.records.clear();
    }

    /// Runs the invocations from `place` on, as many in x and y as `sides` says where the launch has so many.
    ///
    /// # Errors
    /// When a shader was stopped.
    ///
    /// # Safety
    /// That of [`crate::Engine::trace_rays`].
    #[allow(unsafe_code)]
    pub(super) unsafe fn run(
        &mut self,
        trace: &TraceRays,
        context: &DispatchContext,
        place: [u32; 3],
        sides: [u32; 2],
    ) -> Result<(), Stopped> {
        // SAFETY: the caller's contract.
        let memory = unsafe { Memory::new() };
        let scene = Scene { trace, context, memory };
        let found = self.records.find(memory, &trace.program, &trace.raygen, 0);
        let Some((shader, record)) = found.and_then(|record| Some((record.group.ray_generation?, record)))
        else {
            return Ok(());
        };
        let size = context.num_workgroups;
        let is_there =
            |x, y| x < size[0] && y < size[1] && trace.mask.as_ref().is_none_or(|mask| mask.allows(x, y));
        // A subgroup is a square where the launch has rows.
        let side = if sides[1] > 1 { SUBGROUP_SIDE } else { 1 };
        let width = RAY_LANES as u32 / side;
        let mut first = std::mem::take(self.depth(0));
        first.invocations.clear();
        for top in (0..sides[1]).step_by(side as usize) {
            for left in (0..sides[0]).step_by(width as usize) {
                for index in 0..RAY_LANES as u32 {
                    let x = place[0].saturating_add(left + index % width);
                    let y = place[1].saturating_add(top + index / width);
                    if is_there(x, y) {
                        let launch_id = [x, y, place[2]];
                        let invocation = Invocation {
                            shader,
                            launch_id,
                            shader_record: record.data,
                            nesting: trace.nesting(shader),
                            ..Invocation::default()
                        };
                        first.invocations.push(invocation);
                    }
                }
            }
        }
        first.level.begin(&trace.program, &first.invocations);
        *self.depth(0) = first;
        // SAFETY: the caller's contract.
        unsafe { self.run_depth(scene, 0) }
    }

    fn depth(&mut self, number: usize) -> &mut Depth {
        if self.depths.len() <= number {
            self.depths.resize_with(number + 1, Depth::default);
        }
        &mut self.depths[number]
    }

    /// Runs the subgroups of a level to their end, with all that they trace and call.
    ///
    /// # Safety
    /// That of [`Wave::run`].
    #[allow(unsafe_code)]
    unsafe fn run_depth(&mut self, scene: Scene<'_>, number: usize) -> Result<(), Stopped> {
        let program = &scene.trace.program;
        let mut here = std::mem::take(self.depth(number));
        // SAFETY: the caller's contract.
        while unsafe { here.level.run(program, scene.context) }? {
            scene.check_abort()?;
            // SAFETY: the caller's contract.
            unsafe { here.collect(scene, &mut self.records) };
            let count = here.callers.len();
            here.moved.resize(if program.may_move { count } else { 0 }, Moved::default());
            let rays = &mut here.rays[..count];
            let (callers, moved) = (&mut here.callers, &mut here.moved);
            // SAFETY: the caller's contract.
            unsafe { self.deciders.traverse(scene, &mut self.records, rays, callers, moved) }?;
            // SAFETY: the caller's contract.
            unsafe { here.follow(scene, &mut self.records) };
            here.invocations.sort_by_key(|invocation| invocation.shader);
            if here.invocations.is_empty() || number + 1 == LEVELS_MAX {
                continue;
            }
            self.depth(number + 1).level.begin(program, &here.invocations);
            // SAFETY: the caller's contract.
            unsafe { self.run_depth(scene, number + 1) }?;
        }
        *self.depth(number) = here;
        Ok(())
    }
}

impl Depth {
    /// Takes what the waiting subgroups ask for: rays, calls, and shaders of hit objects.
    ///
    /// # Safety
    /// That of [`Wave::run`].
    #[allow(unsafe_code)]
    unsafe fn collect(&mut self, scene: Scene<'_>, records: &mut Records) {
        self.callers.clear();
        self.objects.clear();
        self.invocations.clear();
        let trace = scene.trace;
        let mut has_questions = false;
        for (number, subgroup) in self.level.subgroups().iter_mut().enumerate() {
            if !subgroup.waits() {
                continue;
            }
            let record = &mut subgroup.record;
            record.stack_missing = [0; RAY_LANES];
            let asked = &record.request;
            for lane in 0..RAY_LANES {
                let incoming = record.outgoing + 4 * lane as u64;
                let launch_id = [0, 1, 2].map(|axis: usize| record.launch_id[axis][lane]);
                match asked.kind[lane] {
                    request::TRACE | request::TRACE_HIT => {
                        let ray = self.callers.len();
                        if self.rays.len() == ray {
                            self.rays.push(RayRecord::default());
                        }
                        let ray = &mut self.rays[ray];
                        ray.state.structure = asked.structure[lane];
                        ray.flags = asked.flags[lane];
                        ray.state.flags = ray.flags | trace.program.ray_flags;
                        // Shaders see the eight bits that count.
                        ray.state.cull_mask = asked.cull_mask[lane] & 0xff;
                        let floats = |columns: &[[u32; RAY_LANES]; 3]| {
                            [0, 1, 2].map(|axis: usize| f32::from_bits(columns[axis][lane]))
                        };
                        ray.state.origin = floats(&asked.origin);
                        ray.state.direction = floats(&asked.direction);
                        ray.state.t_min = f32::from_bits(asked.t_min[lane]);
                        ray.state.t_max = f32::from_bits(asked.t_max[lane]);
                        ray.time = f32::from_bits(asked.time[lane]);
                        self.callers.push(Caller {
                            launch_id,
                            incoming,
                            sbt_offset: asked.sbt_offset[lane] & HIT_INDEX_MASK,
                            sbt_stride: asked.sbt_stride[lane] & HIT_INDEX_MASK,
                            miss_index: asked.miss_index[lane] & MISS_INDEX_MASK,
                            record: None,
                            object: (asked.kind[lane] == request::TRACE_HIT).then_some((number, lane)),
                            lane: (number as u32, lane as u32),
                        });
                    }
                    request::CALL => {
                        let index = asked.flags[lane].into();
                        let found = records.find(scene.memory, &trace.program, &trace.callable, index);
                        let Some(found) = found else { continue };
                        let Some(shader) = found.group.callable else { continue };
                        let (nesting, missing) = trace.enter(Nesting::of(record, lane), shader);
                        record.stack_missing[lane] = missing;
                        self.invocations.push(Invocation {
                            shader,
                            launch_id,
                            shader_record: found.data,
                            incoming,
                            nesting,
                            ..Invocation::default()
                        });
                    }
                    request::EXECUTE => {
                        self.objects.push(Executed::new(
                            asked,
                            lane,
                            (launch_id, incoming, Nesting::of(record, lane)),
                        ));
                    }
                    request::RECORD_HIT | request::SHADER_RECORD => has_questions = true,
                    _ => {}
                }
            }
        }
        if has_questions {
            // SAFETY: the caller's contract.
            unsafe { self.answer_questions(scene, records) };
        }
    }

    /// Answers questions about instances and shader records of hit objects.
    ///
    /// # Safety
    /// That of [`Wave::run`].
    #[cold]
    #[allow(unsafe_code)]
    unsafe fn answer_questions(&mut self, scene: Scene<'_>, records: &mut Records) {
        for subgroup in self.level.subgroups().iter_mut().filter(|subgroup| subgroup.waits()) {
            let asked = &mut subgroup.record.request;
            for lane in 0..RAY_LANES {
                match asked.kind[lane] {
                    request::RECORD_HIT => {
                        let (instance, ray) = object::recorded(asked, lane);
                        // SAFETY: the caller's contract.
                        let found = unsafe { hit_of_instance(asked.structure[lane], instance, ray) };
                        object::record_hit(asked, lane, found, |[offset, stride], hit| {
                            let (sbt_offset, sbt_stride) = (offset & HIT_INDEX_MASK, stride & HIT_INDEX_MASK);
                            hit_index(&Caller { sbt_offset, sbt_stride, ..Caller::default() }, hit)
                        });
                    }
                    request::SHADER_RECORD => {
                        let found = scene.object_record(records, asked.object[lane], asked.record[lane]);
                        let address = found.map_or(0, |record| record.data.address);
                        asked.origin[0][lane] = address as u32;
                        asked.origin[1][lane] = (address >> 32) as u32;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Finds what is to run for the rays, which have ended.
    ///
    /// # Safety
    /// That of [`Wave::run`].
    #[allow(unsafe_code)]
    unsafe fn follow(&mut self, scene: Scene<'_>, records: &mut Records) {
        let trace = scene.trace;
        for (number, (ray, caller)) in self.rays.iter_mut().zip(&self.callers).enumerate() {
            let hit = &mut ray.committed;
            hit.hit = ray.state.committed;
            if let Some((subgroup, lane)) = caller.object {
                let asked = &mut self.level.subgroups()[subgroup].record.request;
                if hit.hit.kind == hit_kind::COMMITTED_TRIANGLE {
                    complete_triangle(hit);
                }
                let (kind, index) = match hit.hit.kind {
                    hit_kind::COMMITTED_NONE => {
                        hit.hit.t = ray.state.t_max;
                        (hit_object::MISS, caller.miss_index)
                    }
                    _ => (hit_object::HIT, hit_index(caller, &hit.hit)),
                };
                (asked.object[lane], asked.record[lane]) = (kind, index);
                object::store(asked, lane, hit);
                continue;
            }
            if let Some(moved) = self.moved.get_mut(number) {
                // SAFETY: the caller's contract.
                unsafe { show_moved(&mut hit.hit, ray.time, &mut moved.committed) };
            }
            let found = match hit.hit.kind {
                hit_kind::COMMITTED_NONE => {
                    hit.hit.t = ray.state.t_max;
                    let index = caller.miss_index.into();
                    records
                        .find(scene.memory, &trace.program, &trace.miss, index)
                        .map(|record| (record, record.group.miss))
                }
                _ if ray.state.flags & ray_flags::SKIP_CLOSEST_HIT_SHADER != 0 => None,
                kind => {
                    if kind == hit_kind::COMMITTED_TRIANGLE {
                        complete_triangle(hit);
                    }
                    scene
                        .hit_record(records, caller, &hit.hit)
                        .map(|record| (record, record.group.closest_hit))
                }
            };
            let Some((record, Some(shader))) = found else { continue };
            let (subgroup, lane) = (caller.lane.0 as usize, caller.lane.1 as usize);
            let from = &mut self.level.subgroups()[subgroup].record;
            let outer = Nesting::of(from, lane);
            let outer = Nesting { traces: outer.traces.saturating_sub(1), ..outer };
            let (nesting, missing) = trace.enter(outer, shader);
            from.stack_missing[lane] = missing;
            self.invocations.push(Invocation {
                shader,
                launch_id: caller.launch_id,
                shader_record: record.data,
                ray_record: (&raw const *ray).expose_provenance() as u64,
                hit_record: (&raw const ray.committed).expose_provenance() as u64,
                incoming: caller.incoming,
                nesting,
                ..Invocation::default()
            });
        }
        for object in &mut self.objects {
            if trace.program.may_move {
                let (hit, time, moved) = object.moved();
                // SAFETY: the caller's contract: the engine has given the hit its instance.
                unsafe { show_moved(hit, time, moved) };
            }
            let found = scene.object_record(records, object.kind, object.record);
            let shader = found.and_then(|record| match object.kind {
                hit_object::HIT => record.group.closest_hit,
                _ => record.group.miss,
            });
            let Some((record, shader)) = found.zip(shader) else { continue };
            let (nesting, _) = trace.enter(object.nesting, shader);
            self.invocations.push(Invocation { nesting, ..object.invocation(shader, record.data) });
        }
    }
}

/// Fills in what a triangle's hit has besides what the traversal says.
pub(super) fn complete_triangle(hit: &mut pyro_abi::raytrace::HitRecord) {
    hit.hit.hit_kind = if hit.hit.front_face != 0 { hit_object::FRONT } else { hit_object::BACK };
    (hit.attributes, hit.unwritten) = Default::default();
    for (word, weight) in hit.attributes.iter_mut().zip(hit.hit.barycentrics) {
        *word = weight.to_bits();
    }
}
