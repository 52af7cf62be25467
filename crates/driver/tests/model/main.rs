//! Waiting, semaphores, fences, events and queues in every order in which threads can run, by a model
//! checker. The driver's own sources are compiled here once more, with the checker's primitives in the place
//! of the system's ([`primitives`]) and stand-ins for what queues run.

#[path = "../../src/error.rs"]
#[allow(dead_code, unreachable_pub)]
mod error;
#[path = "../../src/file_descriptor.rs"]
#[allow(dead_code, unreachable_pub, unused_imports)] // nothing is exported here
mod file_descriptor;
#[path = "../../src/queue.rs"]
#[allow(dead_code, unreachable_pub)]
mod queue;
#[path = "../../src/objects/sync/mod.rs"]
#[allow(dead_code, unreachable_pub)] // deadlines and other processes are not modelled
mod sync;

/// The floor of objects, as much of it as queues use.
mod objects {
    pub(crate) use crate::{device_core, sync};

    /// There are no hints.
    pub(crate) mod performance_hint {
        pub(crate) struct PerformanceHint;

        #[derive(Default)]
        pub(crate) struct QueueHint(());

        impl QueueHint {
            pub(crate) fn set(&self, _: PerformanceHint) {}

            pub(crate) fn run(&self) -> Option<()> {
                None
            }
        }

        pub(crate) fn follow_hints() {}
    }

    /// Nothing is sparse.
    pub(crate) mod memory {
        pub(crate) mod sparse {
            #[derive(Default)]
            pub(crate) struct SparseBinds;

            impl SparseBinds {
                pub(crate) fn len(&self) -> usize {
                    0
                }

                pub(crate) fn is_empty(&self) -> bool {
                    true
                }

                pub(crate) fn run(&self) -> bool {
                    true
                }
            }

            pub(crate) fn discard_writes() {}
        }
    }
}

mod queues;
mod signals;
mod waiting;

/// The model checker's primitives.
mod primitives {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use loom::thread::{Builder, JoinHandle, Thread, park};

    /// No thread of the model waits while it ends.
    pub(crate) fn current() -> Option<Thread> {
        Some(loom::thread::current())
    }

    /// Others go on.
    pub(crate) fn sleep(_: std::time::Duration) {
        loom::thread::yield_now();
    }

    /// There is no time in the model: whoever waits for some time waits for ever.
    pub(crate) fn park_timeout(_: std::time::Duration) {
        park();
    }

    /// The checker's locks with the face of [`pyro_util::sync`].
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    pub(crate) use loom::sync::MutexGuard;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Mutex<T> {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("the model catches no panics")
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().expect("the model catches no panics")
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Mutex<T> {
            Mutex::new(T::default())
        }
    }

    pub(crate) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(crate) fn new() -> Condvar {
            Condvar(loom::sync::Condvar::new())
        }

        pub(crate) fn wait<'m, T>(&self, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
            self.0.wait(guard).expect("the model catches no panics")
        }

        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

/// As much of a device as queues need.
mod device_core {
    use crate::objects::sync::wait::Waiters;
    use crate::primitives::{AtomicBool, Ordering};

    #[derive(Default)]
    pub(crate) struct DeviceCore {
        pub(crate) lost: AtomicBool,
        pub(crate) tile_memory: TileMemory,
        waiters: Waiters,
    }

    /// Nobody enters it.
    #[derive(Default)]
    pub(crate) struct TileMemory;

    impl TileMemory {
        pub(crate) fn enter(&self, _queue: u32) {}
    }

    impl DeviceCore {
        pub(crate) fn is_lost(&self) -> bool {
            self.lost.load(Ordering::Acquire)
        }

        pub(crate) fn lose(&self) {
            self.lost.store(true, Ordering::Release);
            self.waiters.wake();
        }

        pub(crate) fn lost_waiters(&self) -> &Waiters {
            &self.waiters
        }

        /// It is one.
        pub(crate) fn all_devices(&self) -> u32 {
            1
        }

        /// No command here is a checkpoint.
        pub(crate) fn last_checkpoint(&self, _queue: u32) -> Option<u64> {
            None
        }

        /// Shaders here report nothing.
        pub(crate) fn deliver_reports(&self) {}

        /// No memory is a file's here.
        pub(crate) fn lose_if_truncated(&self) {}

        /// Nothing follows commands here.
        pub(crate) fn follow(&self, _run: impl FnOnce(&pyro_sanitizer::commands::CommandRecorder<'_>)) {}
    }
}

/// Commands: each submission counts.
mod command {
    use crate::objects::device_core::DeviceCore;
    use crate::objects::sync::progress::QueueProgress;
    use crate::primitives::{AtomicU64, Mutex, Ordering};
    use std::sync::Arc;

    /// A command buffer's.
    pub(crate) struct CommandList {
        /// Runs on the thread that submits, if it may.
        pub(crate) short: bool,
        /// Loses the device.
        pub(crate) fatal: bool,
        /// How often it ran.
        pub(crate) runs: AtomicU64,
        pub(crate) pending: AtomicU64,
    }

    impl CommandList {
        pub(crate) fn new(short: bool, fatal: bool) -> Arc<CommandList> {
            Arc::new(CommandList { short, fatal, runs: AtomicU64::new(0), pending: AtomicU64::new(0) })
        }

        /// No tile memory is bound here.
        pub(crate) fn uses_tile_memory(&self) -> bool {
            false
        }

        pub(crate) fn estimate_ns(&self) -> Option<u64> {
            self.short.then_some(1)
        }

        pub(crate) fn begin_pending(&self) {
            self.pending.fetch_add(1, Ordering::AcqRel);
        }

        pub(crate) fn end_pending(&self) {
            self.pending.fetch_sub(1, Ordering::AcqRel);
        }
    }

    #[derive(PartialEq, Eq)]
    pub(crate) enum Outcome {
        Done,
        Stopped,
    }

    /// Nothing is inherited.
    pub(crate) struct InheritedState;

    /// No profile is made.
    pub(crate) struct OnQueue {
        #[allow(dead_code)]
        pub(crate) queue: u32,
        #[allow(dead_code)]
        pub(crate) label: u32,
    }

    pub(crate) struct CommandProcessor<'a>(&'a DeviceCore);

    impl<'a> CommandProcessor<'a> {
        pub(crate) fn new(device: &'a DeviceCore, _progress: &'a QueueProgress) -> CommandProcessor<'a> {
            CommandProcessor(device)
        }

        pub(crate) fn run_on_queue(
            device: &'a DeviceCore,
            progress: &'a QueueProgress,
            _on: OnQueue,
            _inherited: &Mutex<Option<InheritedState>>,
            list: &CommandList,
            _devices: u32,
        ) -> Outcome {
            CommandProcessor::new(device, progress).run(list)
        }

        pub(crate) fn run(&self, list: &CommandList) -> Outcome {
            list.runs.fetch_add(1, Ordering::AcqRel);
            if list.fatal {
                self.0.lose();
                return Outcome::Stopped;
            }
            Outcome::Done
        }
    }
}

/// Nothing is presented.
mod present {
    pub(crate) struct Present;

    impl Present {
        pub(crate) fn run(&self) {}
    }
}

/// Every order of threads with at most so many changes of thread against their will, which finds nearly
/// everything and ends soon.
fn check(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(body);
}
