//! What is found in a read section stays until the section ends.

use super::primitives::system;
use super::{rcu, thread};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};

/// As a slot of the table of objects: a handle, and a value that is there while the handle is.
struct Slot {
    handle: AtomicU64,
    value: UnsafeCell<u64>,
}

// SAFETY: that accesses of the value do not meet is what is checked.
#[allow(unsafe_code)]
unsafe impl Sync for Slot {}

const HANDLE: u64 = 5;
const VALUE: u64 = 77;

impl Slot {
    fn new() -> Arc<Slot> {
        Arc::new(Slot { handle: AtomicU64::new(HANDLE), value: UnsafeCell::new(VALUE) })
    }

    /// Reads the value in a section, if it is there.
    fn read(&self) {
        system::interrupt();
        let _section = rcu::enter(thread::here());
        if self.handle.load(Ordering::SeqCst) == HANDLE {
            system::interrupt();
            // SAFETY: the checker fails if this meets the write of `destroy`.
            #[allow(unsafe_code)]
            self.value.with(|value| assert_eq!(unsafe { *value }, VALUE));
        }
        system::interrupt();
    }

    /// Makes the handle name nothing, and takes the value when nobody reads it.
    fn destroy(&self) {
        assert!(self.handle.compare_exchange(HANDLE, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok());
        assert!(rcu::wait());
        // SAFETY: the checker fails if this meets a read.
        #[allow(unsafe_code)]
        self.value.with_mut(|value| unsafe { *value = 0 });
    }
}

/// Seen failing when the exchange in `rcu::begin` is left out, and when the store before it is relaxed.
#[test]
fn no_value_is_taken_while_a_thread_reads_it() {
    loom::model(|| {
        let slot = Slot::new();
        let shared = Arc::clone(&slot);
        let reader = loom::thread::spawn(move || (0..2).for_each(|_| shared.read()));
        slot.destroy();
        reader.join().unwrap();
    });
}

/// The first thread reads without fences when the second one announces itself, has the system interrupt the
/// first, and destroys. Seen failing when the interrupt has no fence, and when `rcu::register` announces the
/// second thread only behind the barrier.
#[test]
fn no_value_is_taken_while_the_first_thread_reads_it_without_fences() {
    bounded(|| {
        system::offer_barriers();
        let slot = Slot::new();
        // The first thread that enters a section.
        drop(rcu::enter(thread::here()));
        let shared = Arc::clone(&slot);
        let other = loom::thread::spawn(move || {
            drop(rcu::enter(thread::here()));
            shared.destroy();
        });
        slot.read();
        system::await_interrupt();
        other.join().unwrap();
    });
}

/// The first thread destroys while the second one, which has announced itself, reads.
#[test]
fn the_first_thread_waits_for_the_second() {
    bounded(|| {
        system::offer_barriers();
        let slot = Slot::new();
        drop(rcu::enter(thread::here()));
        let shared = Arc::clone(&slot);
        let other = loom::thread::spawn(move || shared.read());
        drop(rcu::enter(thread::here()));
        slot.destroy();
        system::await_interrupt();
        other.join().unwrap();
    });
}

/// Checks all orders with up to three preemptions: all at all are too many.
fn bounded(body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(body);
}
