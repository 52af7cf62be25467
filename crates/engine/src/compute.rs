//! Compute dispatches.

use crate::aborted::Aborted;
use crate::cache;
use crate::float::Environment;
use crate::graphics::SpareChunks;
use crate::pool::{Pool, WorkerStart};
use crate::watchdog::Watchdog;
use pyro_abi::fault::NO_ENGINE;
use pyro_abi::{DispatchContext, Kernel};
use pyro_util::sync::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// One dispatch, ready to run.
pub struct ComputeDispatch {
    /// The compiled shader.
    pub kernel: Arc<dyn Kernel>,
    /// What its subgroups share; `num_workgroups` and `base_workgroup` say how many groups to run.
    /// `abort` is filled in by the engine.
    pub context: DispatchContext,
}

/// Why a dispatch did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchError {
    /// The dispatch was told to stop, ran for longer than the watchdog allows, or a shader misbehaved: the
    /// device is lost.
    Aborted,
}

/// How an engine is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions {
    /// Threads that run shaders, the caller of [`Engine::dispatch`] included; zero: one per core.
    pub thread_count: usize,
    /// How long one dispatch may run before it is stopped; none: for ever.
    pub watchdog: Option<Duration>,
    /// Invocations of shaders that write memory run in a fixed order: dispatches, launches of rays and
    /// execution graphs on the calling thread, and draws with such a shader in any stage. What else a draw
    /// does has one result in any order.
    pub fixed_order: bool,
}

/// The threads that run shaders. One per logical device.
pub struct Engine {
    /// Non-zero: everything in flight must stop.
    pub(crate) abort: Arc<AtomicU32>,
    pub(crate) pool: Pool,
    pub(crate) watchdog: Option<Watchdog>,
    fixed_order: bool,
    /// Memory of lists of draws.
    pub(crate) spare_chunks: SpareChunks,
    /// Which shader was stopped first, and where.
    pub(crate) stopped: Mutex<Option<String>>,
}

/// A dispatch of at most this many invocations runs on the calling thread: waking another costs more.
const INLINE_INVOCATIONS: u64 = 512;

/// Bytes that an invocation writes, where it writes at all.
const WRITTEN_BYTES: u64 = 4;

impl Engine {
    /// Fails when work must stop.
    pub(crate) fn unless_stopped(&self) -> Result<(), Aborted> {
        if self.abort.load(Ordering::Relaxed) == 0 { Ok(()) } else { Err(Aborted) }
    }

    /// An engine with `thread_count` threads (zero: one per core) and no watchdog.
    pub fn new(thread_count: usize) -> Engine {
        Engine::with_options(EngineOptions { thread_count, ..EngineOptions::default() })
    }

    /// An engine.
    pub fn with_options(options: EngineOptions) -> Engine {
        Engine::with_workers(options, None)
    }

    /// An engine whose workers do something first.
    pub fn with_workers(options: EngineOptions, start: Option<WorkerStart>) -> Engine {
        let abort = Arc::new(AtomicU32::new(0));
        Engine {
            pool: Pool::new(options.thread_count).with_start(start),
            watchdog: options.watchdog.map(|limit| Watchdog::new(limit, Arc::clone(&abort))),
            fixed_order: options.fixed_order,
            spare_chunks: SpareChunks::default(),
            abort,
            stopped: Mutex::new(None),
        }
    }

    /// Threads that share work of so many parts, whose shaders write memory or do not.
    pub(crate) fn threads_for(&self, parts: u64, writes_memory: bool) -> usize {
        if parts <= 1 || self.fixed_order && writes_memory { 1 } else { self.pool.sharing_thread_count() }
    }

    /// Whether invocations that write memory run in a fixed order.
    pub(crate) fn has_fixed_order(&self) -> bool {
        self.fixed_order
    }

    /// Calls `run` with each number below `count`, on all threads, the calling one too, several at a time;
    /// returns when all calls have.
    ///
    /// # Panics
    /// When a call did.
    pub fn for_each_part(&self, count: u64, run: &(dyn Fn(u64) + Sync)) {
        self.pool.for_each_part(count, run);
    }

    /// Calls a function with the floating-point state that shaders have: the calling thread may be the
    /// application's. The threads of [`Engine::for_each_part`] always have it.
    pub fn with_float_state<T>(&self, run: impl FnOnce() -> T) -> T {
        let _environment = Environment::enter();
        run()
    }

    /// How many threads [`Engine::for_each_part`] has.
    pub fn thread_count(&self) -> usize {
        self.pool.thread_count()
    }

    /// Which shader was stopped first, and in which loop, or which raised a signal, as far as it is known.
    pub fn stopped(&self) -> Option<String> {
        let mut stopped = self.stopped.lock();
        let own = self.abort.as_ptr() as u64;
        if let Some(fault) = pyro_abi::fault::take(own).or_else(|| pyro_abi::fault::take(NO_ENGINE)) {
            *stopped = Some(fault);
        }
        stopped.clone()
    }

    /// The flag that stops what is in flight.
    pub fn abort_flag(&self) -> &Arc<AtomicU32> {
        &self.abort
    }

    /// Runs a dispatch on all threads, the calling one too, and returns when every workgroup has ended.
    /// Several threads may dispatch at the same time.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for every address reachable from `dispatch`.
    #[allow(unsafe_code)]
    pub unsafe fn dispatch(&self, dispatch: &ComputeDispatch) -> Result<(), DispatchError> {
        // SAFETY: the caller's contract.
        unsafe { self.dispatch_in_batches(dispatch, 0) }
    }

    /// The same where a thread takes so many workgroups at a time; 0: as many as seem best.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// That of [`Engine::dispatch`].
    #[allow(unsafe_code)]
    pub unsafe fn dispatch_in_batches(
        &self,
        dispatch: &ComputeDispatch,
        batch: u32,
    ) -> Result<(), DispatchError> {
        let info = dispatch.kernel.info();
        let group_count =
            dispatch.context.num_workgroups.iter().map(|&count| u128::from(count)).product::<u128>();
        if group_count == 0 {
            return Ok(());
        }
        // No API limit allows this many; it could not end anyway.
        let group_count = u64::try_from(group_count).map_err(|_| DispatchError::Aborted)?;
        let invocations = group_count.saturating_mul(info.invocation_count().into());
        let context = DispatchContext {
            abort: self.abort.as_ptr() as u64,
            streaming: cache::is_exceeded_by(invocations.saturating_mul(WRITTEN_BYTES)).into(),
            ..dispatch.context.clone()
        };
        let _environment = Environment::enter();
        let _activity = pyro_profiler::activity::enter(pyro_profiler::Activity::Engine);
        let _deadline = self.watchdog.as_ref().map(Watchdog::watch);
        let inline = group_count == 1 || self.fixed_order || invocations <= INLINE_INVOCATIONS;
        // SAFETY: the caller's contract.
        let finished = unsafe { self.pool.run(&*dispatch.kernel, context, group_count, (inline, batch)) };
        if finished.is_ok() && self.abort.load(Ordering::Relaxed) == 0 {
            Ok(())
        } else {
            if let (Some(source), Err(number)) = (&info.source, finished) {
                let mut stopped = self.stopped.lock();
                stopped.get_or_insert_with(|| source.stopped(number));
            }
            self.abort.store(1, Ordering::Relaxed);
            Err(DispatchError::Aborted)
        }
    }
}
