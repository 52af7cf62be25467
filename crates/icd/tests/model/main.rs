//! Read sections and biased locks in every order in which threads can run, by a model checker. The driver's
//! own sources are compiled here once more, over the checker's primitives.
//!
//! Not covered:
//! - Sequentially consistent accesses: the checker treats them as acquire and release, and only fences as
//!   what they are. The read-modify-write that enters a section therefore has a fence behind it here
//!   ([`handle::primitives::AtomicU64::swap`]); that on hardware it needs none is the language's promise.
//! - The first thread's sections without a fence: the checker has no `membarrier`, so here the first thread
//!   is told at once that it is not alone.
//! - The slots of the table ([`slots`](../../src/handle/slots.rs)): they lie in zeroed memory, where the
//!   checker's atomics cannot. A cell with a handle stands for one.
//! - `fork`: a child has one thread and no others' sections to wait for.

/// The floor of handles, as much of it as the checked modules use.
mod handle {
    #[path = "../../../src/handle/biased_lock.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod biased_lock;
    #[path = "../../../src/handle/rcu.rs"]
    #[allow(dead_code, unreachable_pub, unsafe_code)]
    pub(crate) mod rcu;

    mod locks;
    mod sections;

    /// The model checker's primitives.
    pub(crate) mod primitives {
        pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, Ordering, fence};

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
        }

        /// The checker keeps a thread's accesses in their order.
        pub(crate) fn compiler_fence(_: Ordering) {}

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

        /// There are no barriers on all threads.
        pub(crate) mod system {
            pub(crate) fn prepare_barrier() -> bool {
                false
            }

            pub(crate) fn barrier() -> bool {
                false
            }
        }

        /// Others go on.
        pub(crate) fn pause(_: u32) {
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
