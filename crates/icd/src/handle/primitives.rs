//! What [`rcu`](super::rcu) and [`biased_lock`](super::biased_lock) are built on. A model checker compiles
//! these modules over primitives of its own (`tests/model`).

pub(super) use pyro_driver::system;
pub(super) use pyro_util::sync::Mutex;
pub(super) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, compiler_fence, fence};

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
