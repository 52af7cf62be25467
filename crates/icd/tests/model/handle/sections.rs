//! What is found in a read section stays until the section ends.

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

/// Seen failing when the exchange in `rcu::begin` is left out, and when the store before it is relaxed.
#[test]
fn no_value_is_taken_while_a_thread_reads_it() {
    loom::model(|| {
        let slot = Arc::new(Slot { handle: AtomicU64::new(HANDLE), value: UnsafeCell::new(VALUE) });
        let shared = Arc::clone(&slot);
        let reader = loom::thread::spawn(move || {
            for _ in 0..2 {
                let _section = rcu::enter(thread::here());
                if shared.handle.load(Ordering::SeqCst) == HANDLE {
                    // SAFETY: the checker fails if this meets the write below.
                    #[allow(unsafe_code)]
                    shared.value.with(|value| assert_eq!(unsafe { *value }, VALUE));
                }
            }
        });
        assert!(slot.handle.compare_exchange(HANDLE, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok());
        assert!(rcu::wait());
        // SAFETY: the checker fails if this meets the read above.
        #[allow(unsafe_code)]
        slot.value.with_mut(|value| unsafe { *value = 0 });
        reader.join().unwrap();
    });
}
