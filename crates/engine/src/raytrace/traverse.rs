//! Many rays on their way through acceleration structures, with the shaders that decide about candidates.

use super::Stopped;
use super::level::{Invocation, Level};
use super::table::Records;
use super::wave::{Caller, Scene, complete_triangle};
use pyro_abi::ray::{InstanceRecord, RayHit, hit_flags, ray_flags};
use pyro_abi::raytrace::{HIT_ATTRIBUTE_WORDS, HitRecord, RAY_LANES, RayRecord, answer, request};
use pyro_raytrace::traverse::{
    Step, confirm, generate, initialize, limit, moved_instance, proceed_at, terminate,
};

/// A thread's memory for shaders that decide about candidates.
#[derive(Default)]
pub(super) struct Deciders {
    any_hit: Level,
    intersection: Level,
    /// Any-hit shaders to run.
    hits: Vec<Invocation>,
    /// Intersection shaders to run.
    boxes: Vec<Invocation>,
    /// Rays that have not ended.
    active: Vec<u32>,
    /// What any-hit shaders have answered, by ray.
    answers: Vec<u32>,
}

/// What shaders read of the instances of a ray's hits, where these move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    candidate: InstanceRecord,
    reported: InstanceRecord,
    pub(super) committed: InstanceRecord,
}

/// Lets a hit show its instance as it is at the ray's time, if it moves.
///
/// # Safety
/// The hit is one of a traversal whose structure lives.
#[allow(unsafe_code)]
pub(super) unsafe fn show_moved(hit: &mut RayHit, time: f32, place: &mut InstanceRecord) {
    // SAFETY: the caller's contract.
    if let Some(record) = unsafe { moved_instance(hit.instance, time) } {
        *place = record;
        hit.instance = (&raw const *place).expose_provenance() as u64;
    }
}

/// What a ray waits for.
enum Waits {
    AnyHit(Invocation),
    Intersection(Invocation),
}

/// A shader that is to run for a ray's candidate.
fn invocation(number: u32, ray: &RayRecord, hit: &HitRecord, caller: &Caller, shader: u32) -> Invocation {
    Invocation {
        shader,
        ray: number,
        launch_id: caller.launch_id,
        shader_record: caller.record.map_or_else(Default::default, |record| record.data),
        ray_record: (&raw const *ray).expose_provenance() as u64,
        hit_record: (&raw const *hit).expose_provenance() as u64,
        incoming: caller.incoming,
        ..Invocation::default()
    }
}

/// Goes on with a ray until it ends or a shader has to decide.
///
/// # Safety
/// The ray was begun, and its structure lives.
#[allow(unsafe_code)]
unsafe fn advance(
    scene: Scene<'_>,
    records: &mut Records,
    number: u32,
    ray: &mut RayRecord,
    caller: &mut Caller,
    mut moved: Option<&mut Moved>,
) -> Option<Waits> {
    loop {
        // SAFETY: the caller's contract.
        let step = unsafe { proceed_at(&mut ray.state, ray.time) };
        if step == Step::Done {
            return None;
        }
        caller.record = scene.hit_record(records, caller, &ray.state.candidate);
        let group = caller.record.map(|record| record.group).unwrap_or_default();
        ray.candidate.hit = ray.state.candidate;
        if let Some(moved) = moved.as_deref_mut() {
            // SAFETY: the caller's contract.
            unsafe { show_moved(&mut ray.candidate.hit, ray.time, &mut moved.candidate) };
        }
        match (step, group.any_hit, group.intersection) {
            (Step::Triangle, Some(shader), _) => {
                complete_triangle(&mut ray.candidate);
                return Some(Waits::AnyHit(invocation(number, ray, &ray.candidate, caller, shader)));
            }
            (Step::Triangle, None, _) => confirm(&mut ray.state),
            (Step::Box, _, Some(shader)) => {
                ray.candidate.hit.t = limit(&ray.state);
                return Some(Waits::Intersection(invocation(number, ray, &ray.candidate, caller, shader)));
            }
            _ => {}
        }
    }
}

/// Commits what was reported and not ignored, and says what the intersection shader is told.
fn accept(ray: &mut RayRecord, has_ended: bool) -> u32 {
    ray.state.candidate.hit_kind = ray.reported.hit.hit_kind;
    if !generate(&mut ray.state, ray.reported.hit.t) {
        return answer::IGNORED;
    }
    ray.committed.attributes = ray.reported.attributes;
    ray.committed.unwritten = ray.reported.unwritten;
    if has_ended {
        terminate(&mut ray.state);
    }
    match has_ended || ray.state.flags & ray_flags::TERMINATE_ON_FIRST_HIT != 0 {
        true => answer::ENDED,
        false => answer::ACCEPTED,
    }
}

impl Deciders {
    /// Traverses the rays to their end. `moved` has one for each ray, or none where nothing moves.
    ///
    /// # Errors
    /// When a shader was stopped.
    ///
    /// # Safety
    /// That of [`crate::Engine::trace_rays`].
    #[allow(unsafe_code)]
    pub(super) unsafe fn traverse(
        &mut self,
        scene: Scene<'_>,
        records: &mut Records,
        rays: &mut [RayRecord],
        callers: &mut [Caller],
        moved: &mut [Moved],
    ) -> Result<(), Stopped> {
        for ray in rays.iter_mut() {
            // SAFETY: the structure is what a shader had as one, and lives by the caller's contract.
            unsafe { initialize(&mut ray.state) };
        }
        self.answers.clear();
        self.answers.resize(rays.len(), answer::IGNORED);
        self.active.clear();
        self.active.extend(0..rays.len() as u32);
        while !self.active.is_empty() {
            self.hits.clear();
            self.boxes.clear();
            let (hits, boxes) = (&mut self.hits, &mut self.boxes);
            self.active.retain(|&number| {
                let (ray, caller) = (&mut rays[number as usize], &mut callers[number as usize]);
                // SAFETY: it was begun above.
                match unsafe { advance(scene, records, number, ray, caller, moved.get_mut(number as usize)) }
                {
                    None => return false,
                    Some(Waits::AnyHit(invocation)) => hits.push(invocation),
                    Some(Waits::Intersection(invocation)) => boxes.push(invocation),
                }
                true
            });
            // SAFETY: the caller's contract.
            unsafe { self.run_any_hit(scene) }?;
            for index in 0..self.hits.len() {
                let number = self.hits[index].ray as usize;
                let state = &mut rays[number].state;
                match self.answers[number] {
                    answer::IGNORED => {}
                    answer => {
                        confirm(state);
                        if answer == answer::ENDED {
                            terminate(state);
                        }
                    }
                }
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_intersection(scene, rays, callers, moved) }?;
        }
        Ok(())
    }

    /// Runs the any-hit shaders, and notes their answers.
    ///
    /// # Safety
    /// That of [`Deciders::traverse`].
    #[allow(unsafe_code)]
    unsafe fn run_any_hit(&mut self, scene: Scene<'_>) -> Result<(), Stopped> {
        if self.hits.is_empty() {
            return Ok(());
        }
        self.hits.sort_by_key(|invocation| invocation.shader);
        self.any_hit.begin(&scene.trace.program, &self.hits);
        self.any_hit.set_answers(answer::ACCEPTED);
        // Nothing suspends them.
        // SAFETY: the caller's contract.
        unsafe { self.any_hit.run(&scene.trace.program, scene.context) }?;
        for subgroup in self.any_hit.subgroups() {
            let lanes = subgroup.record.subgroup.active_lanes.count_ones() as usize;
            for (&ray, &answer) in subgroup.rays[..lanes].iter().zip(&subgroup.record.answer) {
                self.answers[ray as usize] = answer;
            }
        }
        Ok(())
    }

    /// Runs the intersection shaders, with the any-hit shaders for what they report.
    ///
    /// # Safety
    /// That of [`Deciders::traverse`].
    #[allow(unsafe_code)]
    unsafe fn run_intersection(
        &mut self,
        scene: Scene<'_>,
        rays: &mut [RayRecord],
        callers: &[Caller],
        moved: &mut [Moved],
    ) -> Result<(), Stopped> {
        if self.boxes.is_empty() {
            return Ok(());
        }
        self.boxes.sort_by_key(|invocation| invocation.shader);
        self.intersection.begin(&scene.trace.program, &self.boxes);
        // SAFETY: the caller's contract.
        while unsafe { self.intersection.run(&scene.trace.program, scene.context) }? {
            self.hits.clear();
            // SAFETY: the caller's contract.
            unsafe { self.take_reports(rays, callers, moved) };
            // SAFETY: the caller's contract.
            unsafe { self.run_any_hit(scene) }?;
            for hit in &self.hits {
                let answer = &mut self.answers[hit.ray as usize];
                if *answer != answer::IGNORED {
                    *answer = accept(&mut rays[hit.ray as usize], *answer == answer::ENDED);
                }
            }
            for subgroup in self.intersection.subgroups().iter_mut().filter(|subgroup| subgroup.waits()) {
                for lane in 0..RAY_LANES {
                    let number = subgroup.rays[lane] as usize;
                    if subgroup.record.request.kind[lane] == request::REPORT {
                        subgroup.record.answer[lane] = self.answers[number];
                        subgroup.record.request.t_max[lane] = limit(&rays[number].state).to_bits();
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks at what was reported: either the answer is known, or an any-hit shader has to run.
    ///
    /// # Safety
    /// That of [`Deciders::traverse`].
    #[allow(unsafe_code)]
    unsafe fn take_reports(&mut self, rays: &mut [RayRecord], callers: &[Caller], moved: &mut [Moved]) {
        for subgroup in self.intersection.subgroups().iter().filter(|subgroup| subgroup.waits()) {
            let asked = &subgroup.record.request;
            for lane in 0..RAY_LANES {
                if asked.kind[lane] != request::REPORT {
                    continue;
                }
                let number = subgroup.rays[lane];
                let (ray, caller) = (&mut rays[number as usize], &callers[number as usize]);
                let t = f32::from_bits(asked.t_min[lane]);
                let (is_opaque, is_within) = (
                    ray.state.candidate.flags & hit_flags::OPAQUE != 0,
                    t >= ray.state.t_min && t <= limit(&ray.state),
                );
                ray.reported.hit = ray.state.candidate;
                if let Some(moved) = moved.get_mut(number as usize) {
                    // SAFETY: the caller's contract.
                    unsafe { show_moved(&mut ray.reported.hit, ray.time, &mut moved.reported) };
                }
                (ray.reported.hit.t, ray.reported.hit.hit_kind) = (t, asked.flags[lane]);
                for word in 0..HIT_ATTRIBUTE_WORDS {
                    ray.reported.attributes[word] = asked.attributes[word][lane];
                }
                ray.reported.unwritten = asked.unwritten[lane];
                let any_hit = caller.record.and_then(|record| record.group.any_hit);
                let known = match any_hit {
                    _ if !is_within => answer::IGNORED,
                    Some(shader) if !is_opaque => {
                        self.hits.push(invocation(number, ray, &ray.reported, caller, shader));
                        continue;
                    }
                    _ => accept(ray, false),
                };
                self.answers[number as usize] = known;
            }
        }
    }
}
