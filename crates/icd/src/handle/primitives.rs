//! What [`rcu`](super::rcu), [`biased_lock`](super::biased_lock) and [`thread_slot`](super::thread_slot) are
//! built on. A model checker compiles these modules over primitives of its own (`tests/model`).

pub(super) use pyro_driver::system;
pub(super) use pyro_util::sync::Mutex;
pub(super) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
};

/// Memory that is changed through shared references, with the checker's face: it follows the accesses.
pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(super) const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Runs `body` with the pointer, to read.
    #[inline(always)]
    pub(super) fn with<R>(&self, body: impl FnOnce(*const T) -> R) -> R {
        body(self.0.get())
    }

    /// Runs `body` with the pointer, to write.
    #[inline(always)]
    pub(super) fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        body(self.0.get())
    }
}

/// A variable of all threads.
macro_rules! shared {
    ($(#[$meta:meta])* static $name:ident: $ty:ty = $value:expr;) => {
        $(#[$meta])*
        static $name: $ty = $value;
    };
}
pub(super) use shared;

/// A variable of each thread.
macro_rules! per_thread {
    ($(#[$meta:meta])* static $name:ident: $ty:ty = $value:expr;) => {
        thread_local! {
            $(#[$meta])*
            static $name: $ty = const { $value };
        }
    };
}
pub(super) use per_thread;

/// Waits a little for another thread, for the `turn`-th time.
pub(super) fn pause(turn: u32) {
    if turn < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
}
