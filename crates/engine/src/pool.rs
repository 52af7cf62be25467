//! The threads that share a dispatch's workgroups, or other [`Work`].
//!
//! A dispatch becomes a [`Job`]: an atomic counter from which threads take runs of consecutive workgroups.
//! The caller posts the work in the [`JobSlots`] and works too; when nothing is left to take it waits for
//! those still busy with it. So there is no lock on the way from one workgroup to the next, and several
//! callers may have work at once.

mod job_slots;
mod primitives;

use crate::aborted::{Aborted, Failure};
use crate::workgroup::WorkgroupMemory;
use job_slots::{JobSlots, Posted};
pub use primitives::{patience, set_patience};
use pyro_abi::{DispatchContext, Exit, Kernel, THREAD_STACK_BYTES};
use pyro_codemem::fault::SignalStack;
use pyro_codemem::sample;
use pyro_profiler::{Activity, activity};
use pyro_util::sync::Mutex;
use pyro_util::thread_scratch::with_scratch;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, LocalKey};

/// Work that threads share: each takes parts of it until none is left.
pub(crate) trait Work: Sync {
    /// Takes and does parts until none is left. Does not panic.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from the work's data.
    #[allow(unsafe_code)]
    unsafe fn work(&self);
}

/// The workgroups of a dispatch.
struct Job<'a> {
    kernel: &'a dyn Kernel,
    context: DispatchContext,
    group_count: u64,
    /// Workgroups taken at a time.
    run_length: u64,
    /// The next workgroup that nobody has taken.
    next: AtomicU64,
    failure: Failure,
    /// The number of the loop in which a workgroup was stopped.
    stopped_loop: AtomicU32,
}

/// Work that a function does part by part.
struct Parts<'a> {
    /// The part of a number below `count`.
    run: &'a (dyn Fn(u64) + Sync),
    count: u64,
    /// The next part that nobody has taken.
    next: AtomicU64,
    failure: Failure,
}

/// The workers. They start with the first work that they can share.
pub(crate) struct Pool {
    slots: Arc<JobSlots>,
    /// Threads that work at once, callers included; zero: one per core.
    thread_count: usize,
    /// What each worker does first.
    start: Option<WorkerStart>,
    threads: OnceLock<Vec<JoinHandle<()>>>,
}

/// What each worker does before it waits for work.
pub type WorkerStart = Arc<dyn Fn() + Send + Sync>;

/// Runs that each thread gets to take on average: more balance better, fewer cost less.
const RUNS_PER_THREAD: u64 = 16;

/// The longest run: a kernel counts its workgroups in 32 bits.
const RUN_MAX: u64 = u32::MAX as u64;

thread_local! {
    static MEMORY: RefCell<WorkgroupMemory> = RefCell::default();
    static NUMBER: Cell<usize> = const { Cell::new(0) };
    static CALLER: Cell<u32> = const { Cell::new(0) };
    /// Threads that share this thread's work, itself included; 0: all.
    static THREAD_LIMIT: Cell<u32> = const { Cell::new(0) };
    /// Which thread helps at what this one shares, while it does what that one has posted; 0: none.
    static HELPER: Cell<u32> = const { Cell::new(0) };
}

/// Threads that may call engines at one time and have numbers of their own ([`set_caller`]).
pub const CALLER_COUNT_MAX: u32 = 16;

/// Threads that may run subgroups at one time, as far as anybody has asked ([`core_count`]).
static CORE_COUNT: AtomicU32 = AtomicU32::new(CALLER_COUNT_MAX);

/// How many threads an engine has that is to have so many: zero is one per core.
pub fn thread_count(wanted: usize) -> usize {
    match wanted {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// How many threads may run subgroups at one time in an engine with `wanted` threads. Shaders read this as
/// `CoreCountARM` once the workers run; before that they read [`CALLER_COUNT_MAX`].
pub fn core_count(wanted: usize) -> u32 {
    let count = CALLER_COUNT_MAX as usize - 1 + thread_count(wanted);
    let count = count.min(u16::MAX.into()) as u32;
    CORE_COUNT.fetch_max(count, Ordering::Relaxed);
    count
}

/// Gives this thread a number among those that call engines at one time, below [`CALLER_COUNT_MAX`].
pub fn set_caller(number: u32) {
    CALLER.set(number.min(CALLER_COUNT_MAX - 1));
}

/// How many threads at most share this thread's work, itself included; 0: all.
pub fn thread_limit() -> u32 {
    THREAD_LIMIT.get()
}

/// Calls a function whose work so many threads share at most, the calling one included; 0: all.
pub fn with_thread_limit<T>(limit: u32, run: impl FnOnce() -> T) -> T {
    with_value(&THREAD_LIMIT, limit, run)
}

/// Calls a function while this thread has another value of a variable.
fn with_value<T>(variable: &'static LocalKey<Cell<u32>>, value: u32, run: impl FnOnce() -> T) -> T {
    struct Restore(&'static LocalKey<Cell<u32>>, u32);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(variable, variable.replace(value));
    run()
}

/// Work that one worker does while its owner goes on.
struct Task<F> {
    /// Who takes it does it.
    run: Mutex<Option<F>>,
    helper: u32,
}

impl<F: FnOnce() + Send> Task<F> {
    /// Does it unless somebody has taken it. A panic ends it.
    fn run(&self, helper: u32) {
        if let Some(run) = self.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| with_value(&HELPER, helper, run)));
        }
    }

    fn take(&self) -> Option<F> {
        self.run.lock().take()
    }
}

impl<F: FnOnce() + Send> Work for Task<F> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.run(self.helper);
    }
}

/// A function that a worker calls while its owner goes on, if a worker is free. Dropping it drops the
/// function where nobody has called it, and waits for the call elsewhere.
pub(crate) struct PostedTask<'p, F: FnOnce() + Send + 'p> {
    /// Dropped before what it is about.
    slot: Option<Posted<'p>>,
    task: Box<Task<F>>,
}

impl<F: FnOnce() + Send> PostedTask<'_, F> {
    /// Returns when the function has been called and has returned or panicked: calls it here if nobody has,
    /// and helps at what it shares elsewhere.
    pub(crate) fn finish(&self) {
        self.slot.as_ref().inspect(|slot| slot.close());
        self.task.run(0);
        self.slot.as_ref().inspect(|slot| slot.wait());
    }
}

impl<F: FnOnce() + Send> Drop for PostedTask<'_, F> {
    fn drop(&mut self) {
        self.slot.as_ref().inspect(|slot| slot.close());
        drop(self.task.take());
        self.slot.as_ref().inspect(|slot| slot.wait());
    }
}

/// What [`pyro_abi::SubgroupContext::core`] is on this thread.
pub(crate) fn core() -> u32 {
    let number = match NUMBER.get() {
        0 => CALLER.get(),
        worker => CALLER_COUNT_MAX - 1 + worker as u32,
    };
    number.min(u16::MAX.into()) | CORE_COUNT.load(Ordering::Relaxed) << 16
}

/// Which of the pool's threads this is, below [`Pool::thread_count`]; 0: one that calls.
pub(crate) fn thread_number() -> usize {
    NUMBER.get()
}

impl Work for Job<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.failure.record(|| {
            with_scratch(&MEMORY, |memory| {
                let mut prepared = false;
                let [width, height, _] = self.context.num_workgroups.map(u64::from);
                let base = self.context.base_workgroup;
                loop {
                    let first = self.next.fetch_add(self.run_length, Ordering::Relaxed);
                    if first >= self.group_count {
                        return Ok(());
                    }
                    self.failure.check()?;
                    if !prepared {
                        memory.prepare(self.kernel.info());
                        prepared = true;
                    }
                    let (mut x, row) = (first % width, first / width);
                    let (mut y, mut z) = (row % height, row / height);
                    let end = (first + self.run_length).min(self.group_count);
                    let id = |x, y, z| {
                        let mut id = [x, y, z].map(|axis: u64| axis as u32);
                        id.iter_mut().zip(base).for_each(|(axis, base)| *axis = axis.wrapping_add(base));
                        id
                    };
                    let info = self.kernel.info();
                    let stop = |memory: &WorkgroupMemory| {
                        self.stopped_loop.fetch_max(memory.stopped_loop, Ordering::Relaxed);
                        Err(Aborted)
                    };
                    // Workgroup memory that starts as zeros is zeroed between workgroups.
                    if info.loops_over_workgroups && info.zeroed().is_empty() {
                        let count = (end - first) as u32;
                        // SAFETY: who shares the work vouches for the addresses reachable from the context.
                        let exit = unsafe { memory.run_many(self.kernel, &self.context, id(x, y, z), count) };
                        if exit != Exit::Done {
                            return stop(memory);
                        }
                        continue;
                    }
                    for _ in first..end {
                        let id = id(x, y, z);
                        // SAFETY: as above.
                        if unsafe { memory.run(self.kernel, &self.context, id) } != Exit::Done {
                            return stop(memory);
                        }
                        x += 1;
                        if x == width {
                            (x, y) = (0, y + 1);
                            if y == height {
                                (y, z) = (0, z + 1);
                            }
                        }
                    }
                }
            })
        });
    }
}

/// Work that only so many threads do. Who comes later has nothing to take.
struct Limited<'a> {
    work: &'a dyn Work,
    /// Threads that may still begin.
    free: AtomicU32,
}

impl Work for Limited<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let less = |free: u32| free.checked_sub(1);
        if self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            // What this thread shares in turn is among those of the limit.
            // SAFETY: the caller's contract, which is about this work's addresses.
            with_thread_limit(1, || unsafe { self.work.work() });
        }
    }
}

/// Work whose time is attributed to what the thread does that shares it.
struct Attributed<'a> {
    work: &'a dyn Work,
    tag: u32,
}

impl Work for Attributed<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let _activity = sample::enter_both(Activity::Engine as u32, self.tag);
        // SAFETY: the caller's contract, which is about this work's addresses.
        unsafe { self.work.work() };
    }
}

impl Work for Parts<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.failure.record(|| {
            loop {
                let part = self.next.fetch_add(1, Ordering::Relaxed);
                if part >= self.count {
                    return Ok(());
                }
                (self.run)(part);
            }
        });
    }
}

impl Pool {
    /// A pool for so many threads (zero: one per core), one of those that call [`Pool::run`] included.
    pub(crate) fn new(thread_count: usize) -> Pool {
        Pool { slots: Arc::default(), thread_count, start: None, threads: OnceLock::new() }
    }

    /// The same, whose workers do this first.
    pub(crate) fn with_start(mut self, start: Option<WorkerStart>) -> Pool {
        self.start = start;
        self
    }

    /// The workers. Threads that the system refuses are done without.
    fn workers(&self) -> &[JoinHandle<()>] {
        self.threads.get_or_init(|| {
            let count = thread_count(self.thread_count);
            core_count(count);
            (1..count)
                .filter_map(|index| {
                    let (slots, start) = (Arc::clone(&self.slots), self.start.clone());
                    let thread = std::thread::Builder::new()
                        .name(format!("pyro-worker-{}", index - 1))
                        .stack_size(THREAD_STACK_BYTES);
                    let serve = move || {
                        NUMBER.set(index);
                        if let Some(start) = start {
                            start();
                        }
                        let _stack = SignalStack::new();
                        let _activity = activity::enter(Activity::Waiting);
                        slots.serve();
                    };
                    thread.spawn(serve).ok()
                })
                .collect()
        })
    }

    /// Threads that work at once, a caller included.
    pub(crate) fn thread_count(&self) -> usize {
        self.workers().len() + 1
    }

    /// Of these, those that may share the calling thread's work, itself included.
    pub(crate) fn sharing_thread_count(&self) -> usize {
        match THREAD_LIMIT.get() {
            0 => self.thread_count(),
            1 => 1,
            limit => self.thread_count().min(limit as usize),
        }
    }

    /// Runs all workgroups of a dispatch. When one did not end as it should, gives the number of the loop in
    /// which it was stopped (0: unknown). `inline` keeps it on the calling thread. `batch`: workgroups that a
    /// thread takes at a time; 0: as many as seem best.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from `context`.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &self,
        kernel: &dyn Kernel,
        context: DispatchContext,
        group_count: u64,
        (inline, batch): (bool, u32),
    ) -> Result<(), u32> {
        let thread_count = if inline { 1 } else { self.sharing_thread_count() as u64 };
        let inline = thread_count == 1;
        let job = Job {
            kernel,
            context,
            group_count,
            run_length: if inline {
                group_count.min(RUN_MAX)
            } else if batch != 0 {
                batch.into()
            } else {
                (group_count / (thread_count * RUNS_PER_THREAD)).clamp(1, RUN_MAX)
            },
            next: AtomicU64::new(0),
            failure: Failure::default(),
            stopped_loop: AtomicU32::new(0),
        };
        // SAFETY: the caller vouches for the addresses reachable from the context.
        unsafe {
            if inline {
                job.work();
            } else {
                self.share(&job, group_count);
            }
        }
        job.failure.check().map_err(|Aborted| job.stopped_loop.into_inner())
    }

    /// Calls `run` with each number below `count`, on all threads, the calling one too; returns when all
    /// calls have.
    ///
    /// # Panics
    /// When a call did.
    pub(crate) fn for_each_part(&self, count: u64, run: &(dyn Fn(u64) + Sync)) {
        if count <= 1 || self.workers().is_empty() {
            (0..count).for_each(run);
            return;
        }
        let parts = Parts { run, count, next: AtomicU64::new(0), failure: Failure::default() };
        // SAFETY: no kernel runs there: the parts call a safe function.
        #[allow(unsafe_code)]
        unsafe {
            self.share(&parts, count);
        }
        assert!(parts.failure.check().is_ok(), "a part of shared work has panicked");
    }

    /// Has a worker call a function.
    ///
    /// # Safety
    /// The contract of [`Work::work`] for what the function reaches, until the result has been dropped, which
    /// is not forgotten.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn post<'p, F: FnOnce() + Send + 'p>(&'p self, run: F) -> PostedTask<'p, F> {
        let slot = if self.workers().is_empty() { None } else { self.slots.post() };
        let helper = slot.as_ref().map_or(0, Posted::helper);
        let task = Box::new(Task { run: Mutex::new(Some(run)), helper });
        if let Some(slot) = &slot {
            // SAFETY: the caller's contract; the task is dropped after the slot.
            unsafe { slot.open(&*task) };
        }
        PostedTask { slot, task }
    }

    /// Does work of about `part_count` parts on all threads, the calling one too, or on as many as may share
    /// its work; returns when all of it is done.
    ///
    /// # Safety
    /// The contract of [`Work::work`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn share(&self, work: &dyn Work, part_count: u64) {
        let threads = self.sharing_thread_count();
        let wanted = part_count.saturating_sub(1).min(threads as u64 - 1) as u32;
        if wanted == 0 {
            // SAFETY: the caller vouches for the addresses reachable from the work's data.
            return unsafe { work.work() };
        }
        let limited = Limited { work, free: AtomicU32::new(threads as u32) };
        let work = if threads <= self.workers().len() { &limited } else { work };
        // SAFETY: as above.
        unsafe {
            match sample::is_on() {
                true => self.slots.share(&Attributed { work, tag: sample::tag() }, wanted, HELPER.get()),
                false => self.slots.share(work, wanted, HELPER.get()),
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.slots.quit();
        for thread in self.threads.take().into_iter().flatten() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls parts of shared work and says how often each was called.
    fn calls(pool: &Pool, count: u64) -> Vec<u32> {
        let calls: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
        pool.for_each_part(count, &|part| {
            calls[part as usize].fetch_add(1, Ordering::Relaxed);
        });
        calls.into_iter().map(AtomicU32::into_inner).collect()
    }

    #[test]
    fn every_part_runs_once_for_many_callers() {
        // More callers than there are slots, and more threads than most machines have processors.
        let pool = Pool::new(8);
        std::thread::scope(|scope| {
            for caller in 0..20 {
                let pool = &pool;
                scope.spawn(move || {
                    for round in 0..200 {
                        let count = 1 + (caller * 7 + round) % 40;
                        assert!(calls(pool, count).iter().all(|&calls| calls == 1));
                    }
                });
            }
        });
    }

    #[test]
    fn jobs_may_start_nested_jobs() {
        let pool = Pool::new(3);
        pool.for_each_part(30, &|_| assert_eq!(calls(&pool, 5), [1; 5]));
    }

    #[test]
    fn workers_that_sleep_are_woken() {
        let pool = Pool::new(6);
        for _ in 0..5 {
            // Six parts that wait for each other need all six threads.
            let barrier = std::sync::Barrier::new(6);
            pool.for_each_part(6, &|_| {
                barrier.wait();
            });
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Four parts that wait for each other need all four threads, the owner of the posted task too: it helps,
    /// also after it has slept.
    #[test]
    #[allow(unsafe_code)]
    fn owners_help_at_what_their_tasks_share() {
        let pool = Pool::new(4);
        for round in 0..40 {
            let begun = AtomicU32::new(0);
            let run = || {
                begun.store(1, Ordering::SeqCst);
                if round % 4 == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                for _ in 0..3 {
                    let barrier = std::sync::Barrier::new(4);
                    pool.for_each_part(4, &|_| {
                        barrier.wait();
                    });
                }
            };
            // SAFETY: the function follows no addresses, and the task is not forgotten.
            let task = unsafe { pool.post(run) };
            while begun.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            task.finish();
        }
    }

    /// Owners of tasks of several callers take part in nothing but what their own tasks share.
    #[test]
    #[allow(unsafe_code)]
    fn owners_help_at_nothing_else() {
        let pool = Pool::new(3);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let caller = std::thread::current().id();
                    for round in 0..300_u64 {
                        let ended = AtomicU64::new(0);
                        let run = || {
                            pool.for_each_part(7, &|_| {
                                let is_worker = thread_number() != 0;
                                assert!(is_worker || std::thread::current().id() == caller);
                                ended.fetch_add(1, Ordering::Relaxed);
                            });
                        };
                        // SAFETY: as above.
                        let task = unsafe { pool.post(run) };
                        if round % 5 == 0 {
                            std::thread::yield_now();
                        }
                        if round % 7 == 0 {
                            drop(task);
                            assert!([0, 7].contains(&ended.load(Ordering::Relaxed)));
                        } else {
                            task.finish();
                            assert_eq!(ended.load(Ordering::Relaxed), 7);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn no_more_threads_than_the_limit_share_work() {
        let pool = Pool::new(8);
        for limit in [1, 2, 3, 8, 100] {
            let threads = std::sync::Mutex::new(std::collections::HashSet::new());
            let (busy, most) = (AtomicU32::new(0), AtomicU32::new(0));
            let part = |_| {
                most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                threads.lock().expect("no panic").insert(thread_number());
                // What a part shares is done by the same threads.
                pool.for_each_part(4, &|_| {
                    threads.lock().expect("no panic").insert(thread_number());
                    std::thread::sleep(std::time::Duration::from_micros(200));
                });
                busy.fetch_sub(1, Ordering::SeqCst);
            };
            with_thread_limit(limit, || pool.for_each_part(40, &part));
            assert!(most.into_inner() <= limit, "{limit}");
            let count = threads.into_inner().expect("no panic").len();
            assert!(count <= limit as usize, "{count} threads, {limit} at most");
        }
        assert_eq!(thread_limit(), 0);
        // Without a limit all of them share work again.
        let barrier = std::sync::Barrier::new(8);
        pool.for_each_part(8, &|_| {
            barrier.wait();
        });
    }

    #[test]
    fn panicking_job_is_reported_and_workers_continue() {
        let pool = Pool::new(4);
        let failed = catch_unwind(AssertUnwindSafe(|| pool.for_each_part(9, &|part| assert_ne!(part, 4))));
        assert!(failed.is_err());
        assert_eq!(calls(&pool, 100), [1; 100]);
    }
}
