//! A thread slot has one owner, and its next owner comes after all that the last one did.

use super::primitives::{AtomicUsize, UnsafeCell};
use super::thread_slot::ThreadSlot;
use loom::sync::Arc;
use std::mem::MaybeUninit;

/// Takes the slot if it is free, uses it, and gives it back. Whether it was free.
#[allow(unsafe_code)]
fn visit(slot: &ThreadSlot<UnsafeCell<usize>>, pointer: usize) -> bool {
    // SAFETY: each thread of the model has a number of its own.
    let owned = || unsafe { slot.get(pointer) };
    assert!(owned().is_none(), "owned before it was claimed");
    // SAFETY: as above.
    let claimed = unsafe { slot.claim(pointer, UnsafeCell::new(0)) };
    assert_eq!(owned().is_some(), claimed);
    if let Some(value) = owned() {
        // SAFETY: the checker fails if this meets another thread's access.
        value.with_mut(|value| unsafe { *value = pointer });
        // SAFETY: as above.
        value.with(|value| assert_eq!(unsafe { *value }, pointer));
        slot.release();
        assert!(owned().is_none(), "owned after it was released");
    }
    claimed
}

/// Seen failing when `ThreadSlot::release` stores relaxed, and when `claim` does not acquire.
#[test]
fn a_slot_has_one_owner() {
    loom::model(|| {
        let slot = ThreadSlot::new(AtomicUsize::new(0), UnsafeCell::new(MaybeUninit::uninit()));
        let slot = Arc::new(slot);
        let threads = [1, 2].map(|pointer| {
            let slot = Arc::clone(&slot);
            loom::thread::spawn(move || visit(&slot, pointer))
        });
        let claimed = threads.map(|thread| thread.join().unwrap());
        assert!(claimed.contains(&true));
        // A thread that has a former one's pointer owns nothing yet.
        assert!(visit(&slot, 1));
    });
}
