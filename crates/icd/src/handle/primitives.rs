//! What [`rcu`](super::rcu), [`biased_lock`](super::biased_lock), [`slots`](super::slots) and
//! [`thread_slot`](super::thread_slot) are built on. A model checker compiles these modules over primitives
//! of its own (`tests/model`).

pub(super) use pyro_driver::system;
pub(super) use pyro_util::sync::Mutex;
pub(super) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence, fence,
};

/// Slots of a chunk of the table.
pub(super) const CHUNK: usize = 1 << 12;
/// Together 2²⁸ slots.
pub(super) const CHUNK_COUNT: usize = 1 << 16;

/// The table's chunks before there are any.
pub(super) const fn null_pointers<T>() -> [AtomicPtr<T>; CHUNK_COUNT] {
    [const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNK_COUNT]
}

/// A function that makes what a static holds.
macro_rules! constructor {
    ($visibility:vis fn $($rest:tt)*) => {
        $visibility const fn $($rest)*
    };
}
pub(super) use constructor;

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
