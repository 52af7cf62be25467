//! Hints of queues about the frequency of processors (`VK_QCOM_queue_perf_hint`).
//!
//! *Problem.* A queue is the engine's threads, which all queues share, and the frequency of the processors
//! is the system's. *Approach.* While queues run, the hint of the highest rank among theirs counts, over
//! all devices of the process, as the kernel combines those of processes. Linux lets threads bound the
//! utilization that it chooses frequencies by; the workers and the queues' threads are told to. On every
//! system it decides how long a worker without work looks for some before it sleeps, which keeps its
//! processor from saving power.
//!
//! *Invariants.* Without hints nothing is counted. Only threads of the driver are told, and none once it has
//! ended. A thread of the application that runs a short batch keeps its own bounds.

use pyro_engine::WorkerStart;
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// A hint; of two, the greater one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PerformanceHint(u32);

/// The greatest scale of a hint, in percent.
pub const SCALE_MAX: u32 = 100;

impl PerformanceHint {
    /// The lowest frequency.
    pub const LEAST: PerformanceHint = PerformanceHint(0);
    /// None.
    pub const DEFAULT: PerformanceHint = PerformanceHint(1);
    /// The highest frequency.
    pub const MOST: PerformanceHint = PerformanceHint(3 + SCALE_MAX);

    /// At least so many percent of the highest frequency; none for more than all of it.
    pub fn scaled(percent: u32) -> Option<PerformanceHint> {
        (percent <= SCALE_MAX).then_some(PerformanceHint(2 + percent))
    }

    /// How long workers look for work, where it is not as long as ever.
    fn patience(self) -> Option<Duration> {
        match self {
            PerformanceHint::LEAST => Some(Duration::ZERO),
            // Processors that sleep for less than this hardly slow down.
            PerformanceHint::MOST => Some(Duration::from_millis(1)),
            _ => None,
        }
    }

    /// Between which parts, of 1024, the utilization is to be taken to be; none: as the system likes.
    #[cfg(target_os = "linux")]
    fn bounds(self) -> Option<(u32, u32)> {
        use pyro_engine::frequency::FULL;
        match self {
            PerformanceHint::LEAST => Some((0, 0)),
            PerformanceHint::DEFAULT => None,
            PerformanceHint::MOST => Some((FULL, FULL)),
            PerformanceHint(scaled) => Some(((scaled - 2) * FULL / SCALE_MAX, FULL)),
        }
    }
}

/// What counts now, and for whom.
struct Hints {
    /// How many queues run with each hint.
    running: BTreeMap<PerformanceHint, u32>,
    /// What the threads were told last.
    told: PerformanceHint,
    /// The driver's threads, by their numbers.
    threads: Vec<i32>,
}

/// A queue has had a hint.
static IS_USED: AtomicBool = AtomicBool::new(false);

static HINTS: Mutex<Hints> =
    Mutex::new(Hints { running: BTreeMap::new(), told: PerformanceHint::DEFAULT, threads: Vec::new() });

impl Hints {
    /// Tells the threads what counts, if they have been told otherwise. What nobody runs with goes on to
    /// count until somebody runs: threads without work use no power.
    fn tell(&mut self) {
        let Some((&hint, _)) = self.running.last_key_value().filter(|(hint, _)| **hint != self.told) else {
            return;
        };
        self.told = hint;
        pyro_engine::set_patience(hint.patience());
        self.threads.iter().for_each(|&thread| tell(thread, hint));
    }
}

#[cfg(target_os = "linux")]
fn tell(thread: i32, hint: PerformanceHint) {
    // A kernel without bounds decides alone.
    pyro_engine::frequency::clamp(thread, hint.bounds());
}

#[cfg(not(target_os = "linux"))]
fn tell(_: i32, _: PerformanceHint) {}

#[cfg(target_os = "linux")]
fn this_thread() -> i32 {
    pyro_codemem::clock::this_thread()
}

#[cfg(not(target_os = "linux"))]
fn this_thread() -> i32 {
    0
}

/// A thread that is told, until it ends.
struct Told(i32);

impl Drop for Told {
    fn drop(&mut self) {
        HINTS.lock().threads.retain(|&thread| thread != self.0);
    }
}

/// The calling thread, one of the driver's, does as hints say.
pub(crate) fn follow_hints() {
    thread_local! {
        static TOLD: Told = {
            let thread = this_thread();
            let mut hints = HINTS.lock();
            hints.threads.push(thread);
            if hints.told != PerformanceHint::DEFAULT {
                tell(thread, hints.told);
            }
            Told(thread)
        };
    }
    TOLD.with(|_| ());
}

/// What workers do first: they do as hints say, and then what this says.
pub(crate) fn worker_start(first: Option<WorkerStart>) -> Option<WorkerStart> {
    Some(Arc::new(move || {
        follow_hints();
        if let Some(first) = &first {
            first();
        }
    }))
}

/// The hint of a queue.
pub(crate) struct QueueHint(AtomicU32);

impl Default for QueueHint {
    fn default() -> QueueHint {
        QueueHint(AtomicU32::new(PerformanceHint::DEFAULT.0))
    }
}

impl QueueHint {
    /// The queue has another one, from the next batch on.
    pub(crate) fn set(&self, hint: PerformanceHint) {
        self.0.store(hint.0, Ordering::Relaxed);
        if hint != PerformanceHint::DEFAULT {
            IS_USED.store(true, Ordering::Relaxed);
        }
    }

    /// The queue runs until the result is dropped.
    pub(crate) fn run(&self) -> Option<Running> {
        if !IS_USED.load(Ordering::Relaxed) {
            return None;
        }
        let hint = PerformanceHint(self.0.load(Ordering::Relaxed));
        let mut hints = HINTS.lock();
        *hints.running.entry(hint).or_default() += 1;
        hints.tell();
        Some(Running(hint))
    }
}

/// A queue that runs.
pub(crate) struct Running(PerformanceHint);

impl Drop for Running {
    fn drop(&mut self) {
        let mut hints = HINTS.lock();
        if let Some(count) = hints.running.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                hints.running.remove(&self.0);
            }
        }
        hints.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_hint_of_those_that_run_counts() {
        let told = || HINTS.lock().told;
        let scaled = |percent| PerformanceHint::scaled(percent).unwrap();
        assert_eq!(PerformanceHint::scaled(101), None);
        assert!(PerformanceHint::LEAST < PerformanceHint::DEFAULT && PerformanceHint::DEFAULT < scaled(0));
        assert!(scaled(60) < scaled(61) && scaled(100) < PerformanceHint::MOST);
        let [a, b] = [QueueHint::default(), QueueHint::default()];
        assert!(a.run().is_none(), "nobody has had a hint");
        a.set(PerformanceHint::LEAST);
        drop(a.run());
        // Nobody runs, and nothing changes.
        assert_eq!(told(), PerformanceHint::LEAST);
        let running = a.run();
        assert_eq!(told(), PerformanceHint::LEAST);
        // The other one has no hint, which counts for more.
        let other = b.run();
        assert_eq!(told(), PerformanceHint::DEFAULT);
        drop(other);
        assert_eq!(told(), PerformanceHint::LEAST);
        b.set(scaled(40));
        let other = b.run();
        assert_eq!(told(), scaled(40));
        drop(running);
        drop(other);
        a.set(PerformanceHint::MOST);
        drop(a.run());
        assert_eq!((told(), pyro_engine::patience()), (PerformanceHint::MOST, Duration::from_millis(1)));
        a.set(PerformanceHint::DEFAULT);
        drop(a.run());
        assert_eq!((told(), pyro_engine::patience()), (PerformanceHint::DEFAULT, Duration::from_micros(50)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn hints_are_bounds_of_utilization() {
        let bounds = [PerformanceHint::LEAST, PerformanceHint::DEFAULT, PerformanceHint::MOST];
        assert_eq!(bounds.map(PerformanceHint::bounds), [Some((0, 0)), None, Some((1024, 1024))]);
        let scaled = [0, 50, 100].map(|percent| PerformanceHint::scaled(percent).unwrap().bounds());
        assert_eq!(scaled, [Some((0, 1024)), Some((512, 1024)), Some((1024, 1024))]);
    }

    #[test]
    fn threads_that_have_ended_are_not_told() {
        let own = std::thread::spawn(|| {
            follow_hints();
            follow_hints();
            let own = this_thread();
            (own, HINTS.lock().threads.iter().filter(|&&thread| thread == own).count())
        });
        let (own, count) = own.join().unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(count, 1);
            assert!(!HINTS.lock().threads.contains(&own));
        }
    }
}
