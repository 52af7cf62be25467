//! Code that is made behind the creation of a pipeline.
//!
//! # Problem
//! Applications create hundreds of pipelines at once, on the threads that draw their loading screens, and use
//! many of them much later or never. Compiling takes ten times as long as all that can go wrong.
//!
//! # Approach
//! A pipeline is checked and lowered when it is created, so that the command returns every error of its
//! shaders. The rest, passes and machine code, is a [`Deferred`] that the device's threads make in the
//! background, in the order of creation. Whoever needs it sooner makes it, or waits where it is in the
//! making.
//!
//! # Invariants
//! - A pipeline that is destroyed before its turn is not compiled, unless it was made with a
//!   `VkPipelineCache`: the threads hold weak references, the cache strong ones.
//! - What is in the making uses no threads of the engine, so that no thread waits for itself.
//! - A `VkPipelineCache` knows what is made for it ([`Awaited`]), and waits for that where the application
//!   could see the difference: before its data are read or merged, and before a pipeline of the same code is
//!   looked for.

use crate::error::{Error, Result};
use crate::pipeline::cache::{Digest, PipelineCache};
use crate::worker::Worker;
use pyro_compile::CompileError;
use pyro_compile::cache::{Artifact, Session};
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// So many functions that wait are kept lowered. What waits behind them is lowered again, so that thousands
/// of pipelines in the making do not take the memory of thousands of functions.
const LOWERED_MAX: usize = 64;

/// Whether what is about to wait for these threads is kept lowered.
pub(crate) fn keeps_lowered(worker: &Worker) -> bool {
    worker.waiting() < LOWERED_MAX
}

/// Makes it.
type Make<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// Something that is made once: when it is first needed, or before.
pub(crate) struct Deferred<T> {
    made: OnceLock<Result<T>>,
    make: Mutex<Option<Make<T>>>,
}

impl<T> Deferred<T> {
    /// What is there already.
    pub(crate) fn ready(value: T) -> Arc<Deferred<T>> {
        Arc::new(Deferred { made: OnceLock::from(Ok(value)), make: Mutex::new(None) })
    }

    /// What this makes.
    pub(crate) fn new(make: impl FnOnce() -> Result<T> + Send + 'static) -> Arc<Deferred<T>> {
        Arc::new(Deferred { made: OnceLock::new(), make: Mutex::new(Some(Box::new(make))) })
    }

    /// It, made now if nobody has begun to.
    ///
    /// # Errors
    /// The maker's; `VK_ERROR_UNKNOWN` when it panicked.
    pub(crate) fn get(&self) -> Result<&T> {
        let made = self.made.get_or_init(|| {
            let make = self.make.lock().take();
            let panicked = || Err(Error::new(vk::Result::ERROR_UNKNOWN, "the compiler panicked"));
            make.map_or_else(panicked, |make| {
                catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| panicked())
            })
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// It, if it is made.
    pub(crate) fn known(&self) -> Option<&T> {
        self.made.get()?.as_ref().ok()
    }
}

impl<T: Send + Sync + 'static> Deferred<T> {
    /// Has it made in the background, also for the application's cache, which then knows it by `key`.
    pub(crate) fn start_for(self: &Arc<Self>, cache: Option<&PipelineCache>, key: Digest, worker: &Worker) {
        if let Some(cache) = cache {
            cache.awaited().add(key, self);
        }
        self.start(worker);
    }

    /// Has it made in the background, unless nobody wants it any more.
    pub(crate) fn start(self: &Arc<Self>, worker: &Worker) {
        let this = Arc::downgrade(self);
        worker.run(Box::new(move || {
            if let Some(this) = this.upgrade() {
                let _ = this.get();
            }
        }));
    }
}

/// A [`Deferred`] of any type.
pub(crate) trait Finish: Send + Sync {
    /// Makes it, or waits until it is made.
    fn finish(&self);

    /// Whether it is made.
    fn is_finished(&self) -> bool;
}

impl<T: Send + Sync> Finish for Deferred<T> {
    fn finish(&self) {
        let _ = self.get();
    }

    fn is_finished(&self) -> bool {
        self.made.get().is_some()
    }
}

/// The digest of what caches know an artifact by, and the artifact, if one has it: also one that is in the
/// making for the application's.
///
/// # Errors
/// As of [`Session::find`].
pub(crate) fn find<T: Artifact>(
    key: &impl Hash,
    cache: Option<&PipelineCache>,
    session: &Session<'_>,
) -> std::result::Result<(Digest, Option<T>), CompileError> {
    let digest = Digest::of(key);
    if let Some(cache) = cache {
        cache.awaited().finish(digest);
    }
    Ok((digest, session.find(key)?))
}

/// What is in the making for a cache, by a digest of what caches know it by.
#[derive(Default)]
pub(crate) struct Awaited(Mutex<BTreeMap<Digest, Arc<dyn Finish>>>);

impl Awaited {
    /// The cache will have this.
    pub(crate) fn add<T: Send + Sync + 'static>(&self, key: Digest, made: &Arc<Deferred<T>>) {
        let mut all = self.0.lock();
        if all.len().is_power_of_two() {
            all.retain(|_, made| !made.is_finished());
        }
        let made: Arc<Deferred<T>> = Arc::clone(made);
        all.insert(key, made);
    }

    /// Waits for one.
    pub(crate) fn finish(&self, key: Digest) {
        let made = self.0.lock().remove(&key);
        if let Some(made) = made {
            made.finish();
        }
    }

    /// Waits for all.
    pub(crate) fn finish_all(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        all.into_values().for_each(|made| made.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::channel;

    #[test]
    fn code_is_made_once_by_whoever_comes_first() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let deferred = Deferred::new(move || Ok(counted.fetch_add(1, Ordering::Relaxed)));
        assert!(deferred.known().is_none() && !deferred.is_finished());
        let worker = Worker::default();
        deferred.start(&worker);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(deferred.get(), Ok(&0)));
            }
        });
        assert_eq!((count.load(Ordering::Relaxed), deferred.known()), (1, Some(&0)));
    }

    #[test]
    fn nothing_is_made_for_what_is_gone() {
        let worker = Worker::default();
        let (begin, begins) = channel::<()>();
        // Until the pipeline is gone, no thread comes to it.
        let begins = Arc::new(Mutex::new(begins));
        for _ in 0..std::thread::available_parallelism().map_or(1, |count| count.get()) {
            let begins = Arc::clone(&begins);
            worker.run(Box::new(move || {
                let _ = begins.lock().recv();
            }));
        }
        let made = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&made);
        let deferred = Deferred::new(move || Ok(counted.fetch_add(1, Ordering::Relaxed)));
        deferred.start(&worker);
        drop(deferred);
        drop(begin);
        let (end, ends) = channel::<()>();
        worker.run(Box::new(move || {
            let _ = end.send(());
        }));
        ends.recv().expect("jobs run in their order");
        assert_eq!(made.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn errors_and_panics_stay() {
        let failing = Deferred::<u32>::new(|| Err(Error::out_of_host_memory()));
        assert_eq!(failing.get(), Err(Error::out_of_host_memory()));
        assert_eq!(failing.get(), Err(Error::out_of_host_memory()));
        let panicking = Deferred::<u32>::new(|| panic!("a fault of the compiler"));
        assert_eq!(panicking.get().map_err(|error| error.code), Err(vk::Result::ERROR_UNKNOWN));
        assert!(panicking.get().is_err() && panicking.known().is_none());
    }

    #[test]
    fn caches_wait_for_what_is_made_for_them() {
        let awaited = Awaited::default();
        let all: Vec<_> = (0..40).map(|number| Deferred::new(move || Ok(number))).collect();
        for (number, made) in (0..).zip(&all) {
            awaited.add(Digest([number, 0]), made);
        }
        awaited.finish(Digest([7, 0]));
        assert_eq!(all.iter().filter(|made| made.is_finished()).count(), 1);
        assert!(all[7].is_finished());
        awaited.finish_all();
        assert!(all.iter().all(|made| made.is_finished()));
    }
}
