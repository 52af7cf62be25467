//! What signal handlers and others share is built on this: `fault::ranges`, `fault::slots` and
//! `sample::ring`. A model checker compiles these modules over primitives of its own (`tests/model`).

pub(crate) use pyro_util::sync::Mutex;
pub(crate) use std::sync::OnceLock;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) use std::sync::atomic::AtomicU32;
#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
pub(crate) use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) use std::thread::yield_now;

/// Entries of a chunk of a table.
pub(crate) const CHUNK: usize = 1024;
/// Chunks at most.
pub(crate) const CHUNK_COUNT: usize = 1024;

/// Samples that wait in a ring, at most: those of two seconds at a thousand in a second, as rings are emptied
/// much more often.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) const RING: usize = 2048;

/// How often the end of a signal handler of another thread is looked for, which takes microseconds.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) const WAITS: u32 = 10_000;

/// Faults that are on their way at one time, at most.
#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
pub(crate) const FAULT_COUNT: usize = 64;

/// An array of a value that is made for each element.
macro_rules! array_of {
    ($value:expr; $count:expr) => {
        [const { $value }; $count]
    };
}
pub(crate) use array_of;

/// A function that makes what a static holds.
macro_rules! constructor {
    ($visibility:vis fn $($rest:tt)*) => {
        $visibility const fn $($rest)*
    };
}
pub(crate) use constructor;
