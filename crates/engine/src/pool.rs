//! The threads that share a dispatch's workgroups.
//!
//! A dispatch becomes a [`Job`]: an atomic counter from which threads take runs of consecutive workgroups.
//! The caller puts the job on a list, wakes the workers, and works too; when the counter has run out it
//! takes the job off the list and waits for those still busy with it. So there is no lock on the way from
//! one workgroup to the next, and several callers may have jobs at once.

use crate::workgroup::WorkgroupMemory;
use pyro_abi::{DispatchContext, Exit, Kernel};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

struct Job {
    kernel: Arc<dyn Kernel>,
    context: DispatchContext,
    group_count: u64,
    /// Workgroups taken at a time.
    run_length: u64,
    /// The next workgroup that nobody has taken.
    next: AtomicU64,
    /// Workers at it, the caller not counted.
    busy: AtomicUsize,
    /// Cleared when a workgroup did not end as it should.
    sound: AtomicBool,
    /// Guards the wait for `busy` to become zero.
    idle: (Mutex<()>, Condvar),
}

#[derive(Default)]
struct Jobs {
    list: Vec<Arc<Job>>,
    quit: bool,
}

#[derive(Default)]
struct Shared {
    jobs: Mutex<Jobs>,
    wake: Condvar,
}

/// The workers.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// Runs that each thread gets to take on average: more balance better, fewer cost less.
const RUNS_PER_THREAD: u64 = 16;

thread_local! {
    static MEMORY: RefCell<WorkgroupMemory> = RefCell::default();
}

impl Job {
    /// Takes and runs workgroups until none is left.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from the job's context.
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
                    for _ in first..(first + self.run_length).min(self.group_count) {
                        let id = [
                            base[0].wrapping_add(x as u32),
                            base[1].wrapping_add(y as u32),
                            base[2].wrapping_add(z as u32),
                        ];
                        // SAFETY: the caller's contract.
                        if unsafe { memory.run(&*self.kernel, &self.context, id) } != Exit::Done {
                            self.sound.store(false, Ordering::Relaxed);
                            return;
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

impl Pool {
    /// A pool of `worker_count` threads besides those that call [`Pool::run`]. Threads that the system
    /// refuses are done without.
    pub(crate) fn new(worker_count: usize) -> Pool {
        let shared = Arc::new(Shared::default());
        let threads = (0..worker_count)
            .filter_map(|index| {
                let shared = Arc::clone(&shared);
                let thread = std::thread::Builder::new().name(format!("pyro-worker-{index}"));
                thread.spawn(move || shared.serve()).ok()
            })
            .collect();
        Pool { shared, threads }
    }

    /// Runs all workgroups of a dispatch; false when one did not end as it should. `inline` keeps it on the
    /// calling thread.
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
    ) -> bool {
        let inline = inline || self.threads.is_empty();
        let thread_count = if inline { 1 } else { self.threads.len() as u64 + 1 };
        let job = Job {
            kernel: Arc::clone(kernel),
            context,
            group_count,
            run_length: if inline {
                group_count
            } else {
                (group_count / (thread_count * RUNS_PER_THREAD)).max(1)
            },
            next: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            sound: AtomicBool::new(true),
            idle: Default::default(),
        };
        if inline {
            // SAFETY: the caller's contract.
            unsafe { job.work() };
            return job.sound.into_inner();
        }
        let job = Arc::new(job);
        self.shared.lock().list.push(Arc::clone(&job));
        if group_count <= 2 {
            self.shared.wake.notify_one();
        } else {
            self.shared.wake.notify_all();
        }
        // SAFETY: the caller's contract.
        unsafe { job.work() };
        self.shared.lock().list.retain(|other| !Arc::ptr_eq(other, &job));
        let mut guard = job.idle.0.lock().unwrap_or_else(PoisonError::into_inner);
        while job.busy.load(Ordering::Acquire) != 0 {
            guard = job.idle.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        job.sound.load(Ordering::Relaxed)
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
            let open = jobs.list.iter().find(|job| job.next.load(Ordering::Relaxed) < job.group_count);
            let Some(job) = open.map(Arc::clone) else {
                jobs = self.wake.wait(jobs).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            // Counted under the lock, so that the caller, who takes the job off the list under the lock
            // too, sees every worker that could still touch it.
            job.busy.fetch_add(1, Ordering::Relaxed);
            drop(jobs);
            // SAFETY: the job's caller is still in `Pool::run`, under whose contract the addresses are valid
            // until `busy` is zero again.
            #[allow(unsafe_code)]
            unsafe {
                job.work();
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
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
