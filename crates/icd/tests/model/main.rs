//! Read sections, biased locks, thread slots and the table of handles in every order in which threads can
//! run, by a model checker. The driver's own sources are compiled here once more, over the checker's
//! primitives.
//!
//! `membarrier` is modelled as what it is, an interrupt that executes a fence: the first thread takes it at
//! the compiler's fences and where a test calls [`handle::primitives::system::interrupt`], that is, between
//! each two accesses of a section; the caller waits for it.
//!
//! Not covered:
//! - Sequentially consistent accesses: the checker treats them as acquire and release, and only fences as
//!   what they are. The read-modify-write that enters a section therefore has a fence behind it here
//!   ([`handle::primitives::AtomicU64::swap`]); that on hardware it needs none is the language's promise.
//! - That the system's barrier reaches a thread which is not running; the kernel promises it.
//! - That zeroed memory is a chunk of free slots: the checker's atomics cannot lie in it, and are made one by
//!   one.
//! - How thread pointers are reused: the system orders a thread's end before another gets its pointer.
//! - `fork`: the checker has one process; `tests/isolated/process_exit.rs` forks.

/// The floor of handles, as much of it as the checked modules use.
mod handle {
    #[path = "../../../src/handle/biased_lock.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod biased_lock;
    #[path = "../../../src/handle/rcu.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod rcu;
    #[path = "../../../src/handle/slots.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod slots;
    #[path = "../../../src/handle/thread_slot.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod thread_slot;

    mod locks;
    mod sections;
    mod table;
    mod thread_slots;

    /// Memory of the table's slots, which the checker forgets with each order.
    pub(crate) mod slot_memory {
        use super::primitives::{AtomicU32, AtomicU64, CHUNK, UnsafeCell};
        use super::slots::Slot;
        use std::mem::MaybeUninit;

        pub(crate) fn chunk<T>() -> *mut Slot<T> {
            let slot = |_| Slot {
                handle: AtomicU64::new(0),
                value: UnsafeCell::new(MaybeUninit::uninit()),
                generation: AtomicU32::new(0),
            };
            let slots: Vec<Slot<T>> = (0..CHUNK).map(slot).collect();
            Box::leak(slots.into_boxed_slice()).as_mut_ptr()
        }
    }

    /// The model checker's primitives.
    pub(crate) mod primitives {
        pub(crate) use loom::cell::UnsafeCell;
        pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};

        /// The first slot, and two that are used.
        pub(crate) const CHUNK: usize = 3;
        pub(crate) const CHUNK_COUNT: usize = 2;

        pub(crate) fn null_pointers<T>() -> [AtomicPtr<T>; CHUNK_COUNT] {
            std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut()))
        }

        /// The checker's statics are made when they are first used.
        macro_rules! constructor {
            ($($function:tt)*) => {
                $($function)*
            };
        }
        pub(crate) use constructor;

        /// The checker's lock with the face of [`pyro_util::sync::Mutex`].
        pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

        impl<T> Mutex<T> {
            pub(crate) fn new(value: T) -> Mutex<T> {
                Mutex(loom::sync::Mutex::new(value))
            }

            pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
                self.0.lock().expect("the model catches no panics")
            }
        }

        /// An atomic whose sequentially consistent exchange is one (see the file's header).
        pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

        impl AtomicU64 {
            pub(crate) fn new(value: u64) -> AtomicU64 {
                AtomicU64(loom::sync::atomic::AtomicU64::new(value))
            }

            pub(crate) fn load(&self, order: Ordering) -> u64 {
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: u64, order: Ordering) {
                self.0.store(value, order);
            }

            pub(crate) fn swap(&self, value: u64, order: Ordering) -> u64 {
                let former = self.0.swap(value, order);
                if order == Ordering::SeqCst {
                    fence(Ordering::SeqCst);
                }
                former
            }

            pub(crate) fn compare_exchange(
                &self,
                current: u64,
                new: u64,
                success: Ordering,
                failure: Ordering,
            ) -> Result<u64, u64> {
                let former = self.0.compare_exchange(current, new, success, failure);
                if success == Ordering::SeqCst {
                    fence(Ordering::SeqCst);
                }
                former
            }
        }

        /// The checker keeps a thread's accesses in their order; the system may interrupt it between them.
        pub(crate) fn compiler_fence(_: Ordering) {
            system::interrupt();
        }

        macro_rules! shared {
            ($(#[$meta:meta])* static $name:ident: $ty:ty = $value:expr;) => {
                loom::lazy_static! {
                    $(#[$meta])*
                    static ref $name: $ty = $value;
                }
            };
        }
        pub(crate) use shared;

        macro_rules! per_thread {
            ($(#[$meta:meta])* static $name:ident: $ty:ty = $value:expr;) => {
                loom::thread_local! {
                    $(#[$meta])*
                    static $name: $ty = $value;
                }
            };
        }
        pub(crate) use per_thread;

        /// The system's barriers on the first thread, in tests that offer them.
        pub(crate) mod system {
            use loom::sync::atomic::{AtomicUsize, Ordering, fence};
            use std::cell::Cell;

            /// There are no barriers.
            const ABSENT: usize = 0;
            /// There are, and none was asked for.
            const OFFERED: usize = 1;
            /// The first thread has to execute a fence.
            const REQUESTED: usize = 2;
            /// It has.
            const DONE: usize = 3;

            loom::lazy_static! {
                static ref BARRIER: AtomicUsize = AtomicUsize::new(ABSENT);
            }

            loom::thread_local! {
                /// The thread is the one that has barriers executed in it.
                static IS_FIRST: Cell<bool> = Cell::new(false);
            }

            /// Threads that enter sections from now on find barriers.
            pub(crate) fn offer_barriers() {
                BARRIER.store(OFFERED, Ordering::Relaxed);
            }

            pub(crate) fn prepare_barrier() -> bool {
                let offered = BARRIER.load(Ordering::Relaxed) == OFFERED;
                IS_FIRST.with(|first| first.set(offered));
                offered
            }

            pub(crate) fn barrier() -> bool {
                fence(Ordering::SeqCst);
                BARRIER.store(REQUESTED, Ordering::Relaxed);
                while BARRIER.load(Ordering::Relaxed) != DONE {
                    loom::thread::yield_now();
                }
                fence(Ordering::SeqCst);
                true
            }

            /// A place where the first thread may be interrupted.
            pub(crate) fn interrupt() {
                if IS_FIRST.try_with(Cell::get).unwrap_or(false)
                    && BARRIER.load(Ordering::Relaxed) == REQUESTED
                {
                    fence(Ordering::SeqCst);
                    BARRIER.store(DONE, Ordering::Relaxed);
                }
            }

            /// The first thread does nothing until it was interrupted.
            pub(crate) fn await_interrupt() {
                while BARRIER.load(Ordering::Relaxed) != DONE {
                    interrupt();
                    loom::thread::yield_now();
                }
            }

            /// There is one process.
            pub(crate) fn after_fork(_: extern "C" fn()) -> bool {
                false
            }
        }

        /// Others go on.
        pub(crate) fn pause(_: u32) {
            system::interrupt();
            loom::thread::yield_now();
        }
    }

    /// What the driver keeps for a thread: its read sections.
    pub(crate) mod thread {
        use super::rcu::Here;

        pub(crate) struct Thread {
            pub(crate) reads: Here,
        }

        fn new() -> &'static Thread {
            Box::leak(Box::new(Thread { reads: Here::new() }))
        }

        loom::thread_local! {
            static THREAD: &'static Thread = new();
        }

        /// The calling thread's; a new one for a thread that is ending.
        pub(crate) fn here() -> &'static Thread {
            THREAD.try_with(|thread| *thread).unwrap_or_else(|_| new())
        }
    }
}
