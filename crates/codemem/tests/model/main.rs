//! What signal handlers share with other threads, in every order in which threads can run, by a model
//! checker: the ranges of addresses that they look in, faults on their way to the callers of generated code,
//! and rings of samples. The crate's own sources are compiled here once more, over the checker's primitives.
//!
//! A handler is a thread of its own here. It is less than that, as the thread that it interrupts does not go
//! on meanwhile: what holds for threads holds for handlers, but for waiting, which none of them does.
//!
//! Not covered:
//! - That a deleted timer sends no more signals but one whose handler runs already; the kernel promises it.
//! - That `head` and `tail` of a ring are released and acquired: weaker orders have not been seen failing
//!   here.
//! - That the chunks of a table which a handler reads are allocated: they are, before their first entry is.
#![allow(unsafe_code)] // the checker's stand-in for a cell that is written once

#[path = "../../src/sample/ring.rs"]
mod ring;

mod fault {
    #[path = "../../../src/fault/ranges.rs"]
    #[allow(dead_code, clippy::modulo_one)] // chunks have one entry here
    pub(crate) mod ranges;
    #[path = "../../../src/fault/slots.rs"]
    pub(crate) mod slots;

    mod faults;
    mod tables;

    /// As in the crate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Fault {
        pub(crate) signal: i32,
        pub(crate) address: u64,
        pub(crate) instruction: u64,
    }
}
mod rings;

/// Checks all orders with up to so many changes of thread against their will.
fn check(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(body);
}

/// The model checker's primitives.
mod primitives {
    pub(crate) use loom::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
    pub(crate) use loom::thread::yield_now;

    pub(crate) const CHUNK: usize = 1;
    pub(crate) const CHUNK_COUNT: usize = 2;
    pub(crate) const RING: usize = 2;
    pub(crate) const WAITS: u32 = 3;
    pub(crate) const FAULT_COUNT: usize = 1;

    macro_rules! array_of {
        ($value:expr; $count:expr) => {
            std::array::from_fn::<_, { $count }, _>(|_| $value)
        };
    }
    pub(crate) use array_of;

    /// The checker's values cannot be constants.
    macro_rules! constructor {
        ($($function:tt)*) => {
            $($function)*
        };
    }
    pub(crate) use constructor;

    /// What another atomic publishes, samples' words and faults' addresses: the checker fails where two
    /// accesses meet that nothing has brought in an order.
    pub(crate) struct AtomicU64(loom::cell::UnsafeCell<u64>);

    // SAFETY: that accesses do not meet is what is checked.
    unsafe impl Sync for AtomicU64 {}

    impl AtomicU64 {
        pub(crate) fn new(value: u64) -> AtomicU64 {
            AtomicU64(loom::cell::UnsafeCell::new(value))
        }

        pub(crate) fn load(&self, _: Ordering) -> u64 {
            // SAFETY: the checker fails if this meets a write.
            self.0.with(|value| unsafe { *value })
        }

        pub(crate) fn store(&self, value: u64, _: Ordering) {
            // SAFETY: the checker fails if this meets another access.
            self.0.with_mut(|place| unsafe { *place = value });
        }
    }

    /// A flag whose stores are exchanges: the checker lets a store come before an exchange that has read what
    /// was there before it, which the language forbids.
    pub(crate) struct AtomicBool(loom::sync::atomic::AtomicBool);

    impl AtomicBool {
        pub(crate) fn new(value: bool) -> AtomicBool {
            AtomicBool(loom::sync::atomic::AtomicBool::new(value))
        }

        pub(crate) fn swap(&self, value: bool, order: Ordering) -> bool {
            self.0.swap(value, order)
        }

        pub(crate) fn store(&self, value: bool, order: Ordering) {
            self.0.swap(value, order);
        }
    }

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

    /// A cell that is written once, by one thread at a time here.
    pub(crate) struct OnceLock<T>(AtomicPtr<T>);

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> OnceLock<T> {
            OnceLock(AtomicPtr::new(std::ptr::null_mut()))
        }

        pub(crate) fn get(&self) -> Option<&T> {
            // SAFETY: null, or a value that is never freed.
            unsafe { self.0.load(Ordering::Acquire).as_ref() }
        }

        pub(crate) fn get_or_init(&self, value: impl FnOnce() -> T) -> &T {
            self.get().unwrap_or_else(|| {
                let value = Box::into_raw(Box::new(value()));
                self.0.store(value, Ordering::Release);
                // SAFETY: it was just made, and is never freed.
                unsafe { &*value }
            })
        }
    }
}
