//! Threads that compile code in the background.

use pyro_util::budget::{self, Budget};
use pyro_util::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

/// The threads. They start as there are jobs for them; one processor is left to the application.
#[derive(Default)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What the threads share.
#[derive(Default)]
struct Shared {
    /// Jobs that have not begun are dropped, and what those that have compile is given up.
    quits: Arc<AtomicBool>,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Threads that wait for jobs.
    idle: usize,
}

impl Shared {
    /// The next job; none when the threads are to end.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if self.quits.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            state = self.wake.wait(state);
            state.idle -= 1;
        }
    }

    fn serve(&self) {
        let budget = Budget { cancel: Some(Arc::clone(&self.quits)), ..Budget::default() };
        while let Some(job) = self.next() {
            // Whoever needs what it has not made makes it, or does without.
            let _ = catch_unwind(AssertUnwindSafe(|| budget::within(&budget, job)));
        }
    }
}

impl Worker {
    /// Jobs that have not begun.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.state.lock().jobs.len()
    }

    /// Has a job run; jobs begin in their order.
    pub(crate) fn run(&self, job: Job) {
        let lacks_thread = {
            let mut state = self.shared.state.lock();
            state.jobs.push_back(job);
            state.jobs.len() > state.idle
        };
        self.shared.wake.notify_one();
        if !lacks_thread {
            return;
        }
        let mut threads = self.threads.lock();
        if threads.len() < thread_count_max() {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name(format!("pyro-make-{}", threads.len()));
            // The threads end with the worker. Those that the system refuses are done without.
            threads.extend(thread.spawn(move || shared.serve()));
        }
    }
}

/// Threads at most: compiling does not get faster with more.
const THREADS_MAX: usize = 16;

fn thread_count_max() -> usize {
    let count = std::thread::available_parallelism().map_or(1, |count| count.get());
    count.saturating_sub(1).clamp(1, THREADS_MAX)
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.quits.store(true, Ordering::Relaxed);
        // Under the lock, so that no thread is between its look at the flag and its sleep.
        let jobs = std::mem::take(&mut self.shared.state.lock().jobs);
        self.shared.wake.notify_all();
        drop(jobs);
        for thread in self.threads.get_mut().drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn jobs_run_beside_each_other_and_panics_end_only_theirs() {
        let worker = Worker::default();
        let (sender, results) = channel();
        for number in 0..100 {
            let sender = sender.clone();
            worker.run(Box::new(move || {
                assert_ne!(number, 7, "a job that fails");
                let _ = sender.send(number);
            }));
        }
        drop(sender);
        let mut all: Vec<i32> = results.into_iter().collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).filter(|&number| number != 7).collect::<Vec<_>>());
    }

    #[test]
    fn jobs_that_have_not_begun_are_dropped_with_the_worker() {
        let worker = Worker::default();
        let kept = Arc::new(());
        let held = Arc::clone(&kept);
        worker.shared.quits.store(true, Ordering::Relaxed);
        worker.run(Box::new(move || unreachable!("{held:?}")));
        drop(worker);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}
