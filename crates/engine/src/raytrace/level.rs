//! Subgroups of invocations that run at one depth of nested traces and calls.

use super::table::RecordData;
use super::{RayProgram, Stopped};
use crate::arena::Arena;
use pyro_abi::raytrace::{RAY_LANES, request};
use pyro_abi::{DispatchContext, Exit, RaySubgroup, SubgroupContext};

/// One invocation to come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Invocation {
    /// Which shader.
    pub(super) shader: u32,
    /// Where its answer goes: the number of a ray, for shaders that decide about candidates.
    pub(super) ray: u32,
    /// `LaunchIdKHR`
    pub(super) launch_id: [u32; 3],
    /// Its shader binding table record.
    pub(super) shader_record: RecordData,
    /// See [`RaySubgroup`]: addresses.
    pub(super) ray_record: u64,
    pub(super) hit_record: u64,
    pub(super) incoming: u64,
    pub(super) nesting: Nesting,
}

/// How deep traces and calls may be nested from here on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nesting {
    /// Traces.
    pub(super) traces: u32,
    /// Bytes of the pipeline's stack.
    pub(super) stack: u32,
}

impl Nesting {
    /// That of a lane.
    pub(super) fn of(record: &RaySubgroup, lane: usize) -> Nesting {
        Nesting { traces: record.traces_left[lane], stack: record.stack_left[lane] }
    }
}

/// Some subgroups and their memory.
#[derive(Default)]
pub(super) struct Level {
    /// Those from `count` on are left from before.
    subgroups: Vec<Subgroup>,
    count: usize,
    memory: Arena,
}

/// A subgroup.
#[derive(Clone, Default)]
pub(super) struct Subgroup {
    /// What its function is called with.
    pub(super) record: RaySubgroup,
    /// The rays of its lanes ([`Invocation::ray`]).
    pub(super) rays: [u32; RAY_LANES],
    shader: u32,
    has_ended: bool,
}

impl Subgroup {
    /// Whether it waits for something.
    pub(super) fn waits(&self) -> bool {
        !self.has_ended
    }
}

/// Bytes in whole cache lines.
fn lines(bytes: u32) -> usize {
    (bytes as usize).next_multiple_of(64)
}

impl Level {
    /// Makes subgroups of invocations, of which those of one shader lie together.
    pub(super) fn begin(&mut self, program: &RayProgram, invocations: &[Invocation]) {
        let parts = || {
            invocations
                .chunk_by(|one, next| one.shader == next.shader)
                .flat_map(|part| part.chunks(RAY_LANES))
                .filter_map(|part| Some((part, program.kernels.get(part[0].shader as usize)?)))
        };
        let bytes = |info: &pyro_abi::KernelInfo| {
            [info.scratch_bytes, info.frame_bytes, program.payload_bytes].map(lines)
        };
        let all: usize = parts().map(|(_, kernel)| bytes(kernel.info()).iter().sum::<usize>()).sum();
        let mut address = self.memory.reserve(all);
        let mut take = |bytes: usize| {
            address += bytes as u64;
            address - bytes as u64
        };
        let core = crate::pool::core();
        self.count = 0;
        for (part, kernel) in parts() {
            let [scratch, frame, outgoing] = bytes(kernel.info()).map(&mut take);
            if self.subgroups.len() == self.count {
                self.subgroups.push(Subgroup::default());
            }
            let to = &mut self.subgroups[self.count];
            self.count += 1;
            (to.shader, to.has_ended) = (part[0].shader, false);
            let record = &mut to.record;
            record.subgroup = SubgroupContext {
                active_lanes: u64::MAX >> (64 - part.len()),
                scratch,
                frame,
                core,
                ..SubgroupContext::default()
            };
            record.outgoing = outgoing;
            for (lane, invocation) in part.iter().enumerate() {
                for (column, id) in record.launch_id.iter_mut().zip(invocation.launch_id) {
                    column[lane] = id;
                }
                record.shader_record[lane] = invocation.shader_record.address;
                record.shader_record_bytes[lane] = invocation.shader_record.bytes;
                record.ray[lane] = invocation.ray_record;
                record.hit[lane] = invocation.hit_record;
                record.incoming[lane] = invocation.incoming;
                record.traces_left[lane] = invocation.nesting.traces;
                record.stack_left[lane] = invocation.nesting.stack;
                to.rays[lane] = invocation.ray;
            }
        }
    }

    /// Sets what shaders answer that say nothing.
    pub(super) fn set_answers(&mut self, answer: u32) {
        for subgroup in self.subgroups() {
            subgroup.record.answer = [answer; RAY_LANES];
        }
    }

    /// All subgroups.
    pub(super) fn subgroups(&mut self) -> &mut [Subgroup] {
        &mut self.subgroups[..self.count]
    }

    /// Runs those that have not ended until they do or wait for something. Says whether some wait.
    ///
    /// # Errors
    /// When a shader was stopped.
    ///
    /// # Safety
    /// The contract of [`pyro_abi::Kernel::run`] for what is reachable from `context` and the invocations.
    #[allow(unsafe_code)]
    pub(super) unsafe fn run(
        &mut self,
        program: &RayProgram,
        context: &DispatchContext,
    ) -> Result<bool, Stopped> {
        let mut waits = false;
        for subgroup in self.subgroups() {
            if subgroup.has_ended {
                continue;
            }
            let shader = subgroup.shader;
            subgroup.record.request.kind = [request::NONE; RAY_LANES];
            // The function reaches the whole record by the address of its beginning.
            let record = &raw mut subgroup.record;
            record.expose_provenance();
            // SAFETY: the record begins with it, and nothing else refers to it during the call.
            let place = unsafe { &mut *record.cast::<SubgroupContext>() };
            let kernel = &program.kernels[shader as usize];
            // SAFETY: the caller vouches for the context; `begin` made the subgroup's memory, as large as the
            // kernel says.
            match unsafe { kernel.run(context, place) } {
                Exit::Done => subgroup.has_ended = true,
                Exit::Call => waits = true,
                Exit::Aborted | Exit::Barrier => {
                    return Err(Stopped { shader, number: subgroup.record.subgroup.resume_point });
                }
            }
        }
        Ok(waits)
    }
}
