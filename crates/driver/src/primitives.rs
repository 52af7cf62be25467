//! What waiting, signalling and queues are made of. A model checker puts its own in their place (`tests/model`).

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::thread::{Builder, JoinHandle, Thread, current, park, park_timeout};
