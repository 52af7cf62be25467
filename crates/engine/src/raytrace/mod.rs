//! Ray tracing pipelines.
//!
//! A launch is cut into *waves*: some hundreds of invocations that lie together, which one thread runs from
//! their beginning to their end. Their ray generation shaders run, subgroup by subgroup, until all have ended
//! or wait for a trace or a call ([`level`]). All rays of the wave are traversed then ([`traverse`]): a ray
//! stops at a candidate about which a shader has to decide, and when all have stopped or ended, the
//! candidates are brought together by their any-hit or intersection shader. What follows (closest-hit, miss
//! and callable shaders) is brought together in the same way, by the shader that each lane's record in the
//! shader binding table ([`table`]) names, so subgroups are full wherever the wave has enough of one shader.
//! These are the next *level*, and trace and call in the same way. When it has ended the level before goes
//! on.
//!
//! What a wave consists of, and the order within it, follow from the launch alone, so results are the same
//! bits for any number of threads.

mod level;
mod object;
mod table;
mod traverse;
mod wave;

use crate::aborted::{Aborted, Failure};
use crate::float::Environment;
use crate::pool::Work;
use crate::watchdog::Watchdog;
use crate::{DispatchError, Engine};
use level::Nesting;
use pyro_abi::raytrace::{RAY_COLUMN_BYTES, RAY_LANES};
use pyro_abi::{DispatchContext, Kernel, KernelInfo};
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
pub use table::{HANDLE_BYTES, Handle, Table};
use wave::Wave;

/// Calls and traces that may be nested in one another, those of ray generation shaders included. What would
/// be nested deeper calls no shader. (Traces: `maxRayRecursionDepth`; of callable shaders no limit is told
/// but the stack's.)
pub const LEVELS_MAX: usize = 64;

/// Invocations of a wave at most.
const WAVE_INVOCATIONS: u32 = 1024;
/// In launches of more than one row: the sides of a wave, and of the part of it that a subgroup is.
const WAVE_SIDE: u32 = 32;
const SUBGROUP_SIDE: u32 = 4;

/// The shaders of a group by stage, each by its number. A shader runs only as what it is, whichever table its
/// handle is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RayGroup {
    /// The ray generation shader.
    pub ray_generation: Option<u32>,
    /// The miss shader.
    pub miss: Option<u32>,
    /// The callable shader.
    pub callable: Option<u32>,
    /// The closest-hit shader.
    pub closest_hit: Option<u32>,
    /// The any-hit shader.
    pub any_hit: Option<u32>,
    /// The intersection shader.
    pub intersection: Option<u32>,
}

/// A compiled ray tracing pipeline.
pub struct RayProgram {
    kernels: Vec<Arc<dyn Kernel>>,
    groups: Vec<RayGroup>,
    by_handle: HashMap<Handle, u32>,
    /// Of each kernel, [`stack_bytes`].
    stack_bytes: Vec<u32>,
    /// Bytes of the columns that payloads and callable data take.
    payload_bytes: u32,
    /// Ray flags that all rays have besides their own.
    ray_flags: u32,
    /// Rays may go through structures whose instances move.
    may_move: bool,
}

impl RayProgram {
    /// A program of these shaders and groups, each group with the handle that shader binding tables have for
    /// it. Shaders that groups name and that are not there are left out. `ray_flags`: what all rays have
    /// besides their own flags.
    pub fn new(
        kernels: Vec<Arc<dyn Kernel>>,
        groups: impl IntoIterator<Item = (Handle, RayGroup)>,
        ray_flags: u32,
    ) -> RayProgram {
        let count = kernels.len();
        let known = |shader: Option<u32>| shader.filter(|&shader| (shader as usize) < count);
        let (mut all, mut by_handle) = (Vec::new(), HashMap::new());
        for (handle, group) in groups {
            by_handle.insert(handle, all.len() as u32);
            all.push(RayGroup {
                ray_generation: known(group.ray_generation),
                miss: known(group.miss),
                callable: known(group.callable),
                closest_hit: known(group.closest_hit),
                any_hit: known(group.any_hit),
                intersection: known(group.intersection),
            });
        }
        let bytes = kernels.iter().map(|kernel| kernel.info().payload_bytes).max().unwrap_or(0);
        let payload_bytes = bytes * pyro_abi::raytrace::RAY_LANES as u32;
        let stack_bytes = kernels.iter().map(|kernel| stack_bytes(kernel.info())).collect();
        RayProgram { kernels, groups: all, by_handle, stack_bytes, payload_bytes, ray_flags, may_move: false }
    }

    /// The same program, whose rays may go through structures whose instances move: its shaders see these
    /// where they are at the ray's time.
    pub fn with_motion(self, may_move: bool) -> RayProgram {
        RayProgram { may_move, ..self }
    }

    /// The shaders.
    pub fn kernels(&self) -> &[Arc<dyn Kernel>] {
        &self.kernels
    }
}

/// One launch, ready to run.
pub struct TraceRays {
    /// The pipeline.
    pub program: Arc<RayProgram>,
    /// What its subgroups share; `num_workgroups` is the launch size. `abort` is filled in by the engine.
    pub context: DispatchContext,
    /// The record of the ray generation shader.
    pub raygen: Table,
    /// Miss shaders.
    pub miss: Table,
    /// Hit groups.
    pub hit: Table,
    /// Callable shaders.
    pub callable: Table,
    /// How deep its traces and calls may be nested. Only the sanitizer asks: deeper ones are made all the
    /// same.
    pub limits: NestingLimits,
    /// Which invocations there are; all, if there is none.
    pub mask: Option<Arc<InvocationMask>>,
}

/// Which invocations of a launch there are, by x and y (`VK_HUAWEI_invocation_mask`).
pub struct InvocationMask {
    /// Bytes of a row.
    pub width: u32,
    /// A byte for each invocation, zero where there is none, row by row. There are those outside.
    pub bytes: Vec<u8>,
}

impl InvocationMask {
    fn allows(&self, x: u32, y: u32) -> bool {
        let index = u64::from(y) * u64::from(self.width) + u64::from(x);
        x >= self.width || self.bytes.get(index as usize).is_none_or(|&byte| byte != 0)
    }
}

/// How deep the traces and calls of a launch may be nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestingLimits {
    /// `maxPipelineRayRecursionDepth`
    pub traces: u32,
    /// Bytes of the pipeline's stack.
    pub stack_bytes: u32,
}

/// Bytes that an invocation of a shader keeps while it waits for what it traces or calls.
pub fn stack_bytes(info: &KernelInfo) -> u32 {
    let columns = u64::from(info.payload_bytes / 4) * u64::from(RAY_COLUMN_BYTES);
    let all = u64::from(info.frame_bytes) + u64::from(info.scratch_bytes) + columns;
    u32::try_from(all.div_ceil(RAY_LANES as u64)).unwrap_or(u32::MAX)
}

impl TraceRays {
    /// How deep those of a ray generation shader may be nested.
    fn nesting(&self, shader: u32) -> Nesting {
        let outside = Nesting { traces: self.limits.traces, stack: self.limits.stack_bytes };
        self.enter(outside, shader).0
    }

    /// How deep those of a shader may be nested that runs inside of others, and the bytes of stack that are
    /// missing for it.
    fn enter(&self, outer: Nesting, shader: u32) -> (Nesting, u32) {
        let needed = self.program.stack_bytes.get(shader as usize).copied().unwrap_or(0);
        let inner = Nesting { stack: outer.stack.saturating_sub(needed), ..outer };
        (inner, needed.saturating_sub(outer.stack))
    }
}

thread_local! {
    static WAVE: RefCell<Wave> = RefCell::default();
}

/// The waves of a launch.
struct Launch<'a> {
    trace: &'a TraceRays,
    context: DispatchContext,
    /// Waves in x, y, z.
    waves: [u64; 3],
    /// Invocations of a wave in x and y.
    sides: [u32; 2],
    next: AtomicU64,
    failure: Failure,
    /// The shader that was stopped, and the number of the loop.
    stopped: [AtomicU32; 2],
}

/// A shader that was stopped: its number, and that of the loop.
pub(crate) struct Stopped {
    shader: u32,
    number: u32,
}

impl Work for Launch<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.failure.record(|| {
            with_scratch(&WAVE, |wave| {
                wave.begin();
                let [width, height, depth] = self.waves;
                loop {
                    let number = self.next.fetch_add(1, Ordering::Relaxed);
                    if number >= width * height * depth {
                        return Ok(());
                    }
                    self.failure.check()?;
                    let (column, row) = (number % width, number / width);
                    let place = [
                        column as u32 * self.sides[0],
                        (row % height) as u32 * self.sides[1],
                        (row / height) as u32,
                    ];
                    // SAFETY: who shares the work vouches for the addresses reachable from the launch.
                    if let Err(stopped) = unsafe { wave.run(self.trace, &self.context, place, self.sides) } {
                        self.stopped[0].store(stopped.shader, Ordering::Relaxed);
                        self.stopped[1].store(stopped.number, Ordering::Relaxed);
                        return Err(Aborted);
                    }
                }
            })
        });
    }
}

impl Engine {
    /// Runs a launch on all threads, the calling one too, and returns when every invocation has ended.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for every address reachable from `trace`; the tables' records must be
    /// readable as far as [`Table::size`] says; acceleration structures that shaders name must live.
    #[allow(unsafe_code)]
    pub unsafe fn trace_rays(&self, trace: &TraceRays) -> Result<(), DispatchError> {
        let size = trace.context.num_workgroups;
        if size.contains(&0) {
            return Ok(());
        }
        let sides = if size[1] > 1 { [WAVE_SIDE, WAVE_SIDE] } else { [WAVE_INVOCATIONS, 1] };
        let count = |axis: usize| u64::from(size[axis].div_ceil(sides[axis]));
        let waves = [count(0), count(1), size[2].into()];
        // No API limit allows as many as overflow; it could not end anyway.
        let total = waves.iter().try_fold(1u64, |product, &count| product.checked_mul(count));
        let total = total.ok_or(DispatchError::Aborted)?;
        let launch = Launch {
            trace,
            context: DispatchContext { abort: self.abort.as_ptr() as u64, ..trace.context.clone() },
            waves,
            sides,
            next: AtomicU64::new(0),
            failure: Failure::default(),
            stopped: [AtomicU32::new(u32::MAX), AtomicU32::new(0)],
        };
        let _environment = Environment::enter();
        let _deadline = self.watchdog.as_ref().map(Watchdog::watch);
        // SAFETY: the caller vouches for the addresses reachable from the launch.
        unsafe { self.pool.share(&launch, total.min(self.threads_for(total, true) as u64)) };
        if launch.failure.check().and_then(|()| self.unless_stopped()).is_ok() {
            return Ok(());
        }
        let [shader, number] = launch.stopped.map(AtomicU32::into_inner);
        let kernel = trace.program.kernels.get(shader as usize);
        if let Some(source) = kernel.and_then(|kernel| kernel.info().source.clone()) {
            let mut stopped = self.stopped.lock();
            stopped.get_or_insert_with(|| source.stopped(number));
        }
        self.abort.store(1, Ordering::Relaxed);
        Err(DispatchError::Aborted)
    }
}
