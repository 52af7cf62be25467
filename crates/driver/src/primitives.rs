//! What waiting, signalling and queues are made of. A model checker puts its own in their place
//! (`tests/model`).

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::thread::{Builder, JoinHandle, Thread, park, park_timeout, sleep};

/// The calling thread; none when it is ending, as a program may call commands from destructors of its own.
pub(crate) fn current() -> Option<Thread> {
    thread_local! {
        static HERE: Thread = std::thread::current();
    }
    HERE.try_with(Thread::clone).ok()
}
