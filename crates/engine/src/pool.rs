//! The threads that share a dispatch's workgroups, or other [`Work`].
//!
//! A dispatch becomes a [`Job`]: an atomic counter from which threads take runs of consecutive workgroups.
//! The caller puts the work on a list, wakes the workers, and works too; when nothing is left to take it
//! takes the work off the list and waits for those still busy with it. So there is no lock on the way from
//! one workgroup to the next, and several callers may have work at once.

use crate::workgroup::WorkgroupMemory;
use pyro_abi::{DispatchContext, Exit, Kernel};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Work that threads share: each takes parts of it until none is left.
pub(crate) trait Work: Send + Sync {
    /// A part is left that nobody has taken.
    fn is_open(&self) -> bool;

    /// Takes and does parts until none is left. Does not panic.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from the work's data.
    #[allow(unsafe_code)]
    unsafe fn work(&self);
}

/// Work on the list.
struct Posted {
    work: Arc<dyn Work>,
    /// Workers at it, the caller not counted.
    busy: AtomicUsize,
    /// Guards the wait for `busy` to become zero.
    idle: (Mutex<()>, Condvar),
}

/// The workgroups of a dispatch.
struct Job {
    kernel: Arc<dyn Kernel>,
    context: DispatchContext,
    group_count: u64,
    /// Workgroups taken at a time.
    run_length: u64,
    /// The next workgroup that nobody has taken.
    next: AtomicU64,
    /// Cleared when a workgroup did not end as it should.
    sound: AtomicBool,
    /// The number of the loop in which a workgroup was stopped.
    stopped_loop: AtomicU32,
}

/// Work that a function does part by part.
struct Parts {
    /// The part of a number below `count`.
    run: &'static (dyn Fn(u64) + Sync),
    count: u64,
    /// The next part that nobody has taken.
    next: AtomicU64,
    /// Cleared when a part panicked.
    sound: AtomicBool,
}

#[derive(Default)]
struct Jobs {
    list: Vec<Arc<Posted>>,
    quit: bool,
}

#[derive(Default)]
struct Shared {
    jobs: Mutex<Jobs>,
    wake: Condvar,
}

/// The workers. They start with the first work that they can share.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    /// Threads that work at once, callers included; zero: one per core.
    thread_count: usize,
    threads: OnceLock<Vec<JoinHandle<()>>>,
}

/// Runs that each thread gets to take on average: more balance better, fewer cost less.
const RUNS_PER_THREAD: u64 = 16;

/// The longest run: a kernel counts its workgroups in 32 bits.
const MAX_RUN: u64 = u32::MAX as u64;

thread_local! {
    static MEMORY: RefCell<WorkgroupMemory> = RefCell::default();
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// Which of the pool's threads this is, below [`Pool::thread_count`]; 0: one that calls.
pub(crate) fn thread_number() -> usize {
    NUMBER.get()
}

impl Work for Job {
    fn is_open(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.group_count
    }

    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            MEMORY.with_borrow_mut(|memory| {
                let mut prepared = false;
                let [width, height, _] = self.context.num_workgroups.map(u64::from);
                let base = self.context.base_workgroup;
                loop {
                    let first = self.next.fetch_add(self.run_length, Ordering::Relaxed);
                    if first >= self.group_count || !self.sound.load(Ordering::Relaxed) {
                        return;
                    }
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
                        self.sound.store(false, Ordering::Relaxed);
                    };
                    // Workgroup memory that starts as zeros is zeroed between workgroups.
                    if info.loops_over_workgroups && !info.zero_shared {
                        let count = (end - first) as u32;
                        // SAFETY: the caller's contract.
                        let exit =
                            unsafe { memory.run_many(&*self.kernel, &self.context, id(x, y, z), count) };
                        if exit != Exit::Done {
                            return stop(memory);
                        }
                        continue;
                    }
                    for _ in first..end {
                        let id = id(x, y, z);
                        // SAFETY: the caller's contract.
                        if unsafe { memory.run(&*self.kernel, &self.context, id) } != Exit::Done {
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
            });
        }));
        if result.is_err() {
            self.sound.store(false, Ordering::Relaxed);
        }
    }
}

impl Work for Parts {
    fn is_open(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.count
    }

    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            loop {
                let part = self.next.fetch_add(1, Ordering::Relaxed);
                if part >= self.count {
                    return;
                }
                (self.run)(part);
            }
        }));
        if result.is_err() {
            self.sound.store(false, Ordering::Relaxed);
        }
    }
}

impl Pool {
    /// A pool for so many threads (zero: one per core), one of those that call [`Pool::run`] included.
    pub(crate) fn new(thread_count: usize) -> Pool {
        Pool { shared: Arc::default(), thread_count, threads: OnceLock::new() }
    }

    /// The workers. Threads that the system refuses are done without.
    fn workers(&self) -> &[JoinHandle<()>] {
        self.threads.get_or_init(|| {
            let thread_count = match self.thread_count {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                count => count,
            };
            (1..thread_count)
                .filter_map(|index| {
                    let shared = Arc::clone(&self.shared);
                    let thread = std::thread::Builder::new().name(format!("pyro-worker-{}", index - 1));
                    let serve = move || {
                        NUMBER.set(index);
                        shared.serve();
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

    /// Runs all workgroups of a dispatch. When one did not end as it should, gives the number of the loop in which
    /// it was stopped (0: unknown). `inline` keeps it on the calling thread.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from `context`.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &self,
        kernel: &Arc<dyn Kernel>,
        context: DispatchContext,
        group_count: u64,
        inline: bool,
    ) -> Result<(), u32> {
        let worker_count = if inline { 0 } else { self.workers().len() as u64 };
        let (inline, thread_count) = (worker_count == 0, worker_count + 1);
        let job = Job {
            kernel: Arc::clone(kernel),
            context,
            group_count,
            run_length: if inline {
                group_count.min(MAX_RUN)
            } else {
                (group_count / (thread_count * RUNS_PER_THREAD)).clamp(1, MAX_RUN)
            },
            next: AtomicU64::new(0),
            sound: AtomicBool::new(true),
            stopped_loop: AtomicU32::new(0),
        };
        let outcome = |job: &Job| match job.sound.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(job.stopped_loop.load(Ordering::Relaxed)),
        };
        if inline {
            // SAFETY: the caller's contract.
            unsafe { job.work() };
            return outcome(&job);
        }
        let job = Arc::new(job);
        // SAFETY: the caller's contract.
        unsafe { self.share(Arc::clone(&job) as Arc<dyn Work>, group_count) };
        outcome(&job)
    }

    /// Calls `run` with each number below `count`, on all threads, the calling one too; returns when all calls have.
    ///
    /// # Panics
    /// When a call did.
    pub(crate) fn for_each_part(&self, count: u64, run: &(dyn Fn(u64) + Sync)) {
        if count <= 1 || self.workers().is_empty() {
            (0..count).for_each(run);
            return;
        }
        // SAFETY: the reference is used by `Parts::work` only, and `share` returns when no thread is there any more.
        #[allow(unsafe_code)]
        let run = unsafe { std::mem::transmute::<&(dyn Fn(u64) + Sync), &'static (dyn Fn(u64) + Sync)>(run) };
        let parts = Arc::new(Parts { run, count, next: AtomicU64::new(0), sound: AtomicBool::new(true) });
        // SAFETY: no kernel runs there.
        #[allow(unsafe_code)]
        unsafe {
            self.share(Arc::clone(&parts) as Arc<dyn Work>, count);
        }
        assert!(parts.sound.load(Ordering::Relaxed), "a part of shared work has panicked");
    }

    /// Does work of about `part_count` parts on all threads, the calling one too; returns when all of it is
    /// done.
    ///
    /// # Safety
    /// The contract of [`Work::work`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn share(&self, work: Arc<dyn Work>, part_count: u64) {
        if part_count <= 1 || self.workers().is_empty() {
            // SAFETY: the caller's contract.
            unsafe { work.work() };
            return;
        }
        let posted = Arc::new(Posted { work, busy: AtomicUsize::new(0), idle: Default::default() });
        self.shared.lock().list.push(Arc::clone(&posted));
        if part_count <= 2 {
            self.shared.wake.notify_one();
        } else {
            self.shared.wake.notify_all();
        }
        // SAFETY: the caller's contract.
        unsafe { posted.work.work() };
        self.shared.lock().list.retain(|other| !Arc::ptr_eq(other, &posted));
        let mut guard = posted.idle.0.lock().unwrap_or_else(PoisonError::into_inner);
        while posted.busy.load(Ordering::Acquire) != 0 {
            guard = posted.idle.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker's life.
    fn serve(&self) {
        let mut jobs = self.lock();
        while !jobs.quit {
            let open = jobs.list.iter().find(|job| job.work.is_open());
            let Some(job) = open.map(Arc::clone) else {
                jobs = self.wake.wait(jobs).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            // Counted under the lock, so that the caller, who takes the job off the list under the lock
            // too, sees every worker that could still touch it.
            job.busy.fetch_add(1, Ordering::Relaxed);
            drop(jobs);
            // SAFETY: the work's caller is still in `Pool::share`, under whose contract the addresses are valid
            // until `busy` is zero again.
            #[allow(unsafe_code)]
            unsafe {
                job.work.work();
            }
            if job.busy.fetch_sub(1, Ordering::Release) == 1 {
                drop(job.idle.0.lock().unwrap_or_else(PoisonError::into_inner));
                job.idle.1.notify_all();
            }
            jobs = self.lock();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.wake.notify_all();
        for thread in self.threads.take().into_iter().flatten() {
            let _ = thread.join();
        }
    }
}
