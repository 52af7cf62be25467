//! How shared work fails: a kernel stopped before its end, or a part of the work panicked.

use crate::DispatchError;
use crate::pool::thread_number;
use crate::work_partition::WorkPartition;
use pyro_abi::Exit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A kernel did not run to its end, so what it should have written is incomplete. The device is lost then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aborted;

impl Aborted {
    /// The result of a kernel's call.
    pub(crate) fn unless_done(exit: Exit) -> Result<(), Aborted> {
        if exit == Exit::Done { Ok(()) } else { Err(Aborted) }
    }
}

impl From<Aborted> for DispatchError {
    fn from(_: Aborted) -> DispatchError {
        DispatchError::Aborted
    }
}

/// Whether work that several threads share has failed.
#[derive(Default)]
pub(crate) struct Failure(AtomicBool);

impl Failure {
    /// Runs a thread's share of the work, and keeps in mind if it failed or panicked.
    pub(crate) fn record(&self, body: impl FnOnce() -> Result<(), Aborted>) {
        if !matches!(catch_unwind(AssertUnwindSafe(body)), Ok(Ok(()))) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Fails when any thread's share has.
    pub(crate) fn check(&self) -> Result<(), Aborted> {
        if self.0.load(Ordering::Relaxed) { Err(Aborted) } else { Ok(()) }
    }
}

/// The parts of work that several threads share, until none is left or one has failed.
pub(crate) struct SharedParts {
    partition: WorkPartition,
    failure: Failure,
    /// Not zero: all work of the device must stop.
    abort: Arc<AtomicU32>,
}

impl SharedParts {
    pub(crate) fn new(partition: WorkPartition, abort: &Arc<AtomicU32>) -> SharedParts {
        SharedParts { partition, failure: Failure::default(), abort: Arc::clone(abort) }
    }

    /// The address that kernels look at to know whether they must stop.
    pub(crate) fn abort_address(&self) -> u64 {
        self.abort.as_ptr() as u64
    }

    /// Runs `body` with the numbers of the parts that the calling thread gets to take. They end when none is
    /// left, and early when any thread's body has failed or panicked, or work must stop.
    pub(crate) fn run(&self, body: impl FnOnce(&mut dyn Iterator<Item = u32>) -> Result<(), Aborted>) {
        self.failure.record(|| {
            body(&mut self.partition.parts(thread_number()).take_while(|_| self.result().is_ok()))
        });
    }

    /// Whether all parts that were taken have run to their end.
    pub(crate) fn result(&self) -> Result<(), Aborted> {
        self.failure.check()?;
        if self.abort.load(Ordering::Relaxed) == 0 { Ok(()) } else { Err(Aborted) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> SharedParts {
        SharedParts::new(WorkPartition::new(1, (0..10).map(|_| 1)), &Arc::default())
    }

    #[test]
    fn parts_end_after_a_failure() {
        let parts = parts();
        let mut seen = Vec::new();
        parts.run(|numbers| {
            seen.extend(numbers.take(3));
            Err(Aborted)
        });
        assert_eq!((seen, parts.result()), (vec![0, 1, 2], Err(Aborted)));
        parts.run(|numbers| {
            assert_eq!(numbers.next(), None);
            Ok(())
        });
        assert_eq!(parts.result(), Err(Aborted));
    }

    #[test]
    fn a_panic_is_a_failure() {
        let parts = parts();
        parts.run(|numbers| {
            assert_ne!(numbers.next(), Some(0), "the first part panics");
            Ok(())
        });
        assert_eq!(parts.result(), Err(Aborted));
    }

    #[test]
    fn parts_end_when_work_must_stop() {
        let parts = parts();
        parts.run(|numbers| {
            assert_eq!(numbers.next(), Some(0));
            parts.abort.store(1, Ordering::Relaxed);
            assert_eq!(numbers.next(), None);
            Ok(())
        });
        assert_eq!(parts.result(), Err(Aborted));
    }
}
