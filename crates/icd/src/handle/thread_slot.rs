//! One place of a table that is indexed by thread pointers.
//!
//! Invariant: a slot is owned by one living thread, which releases it before it ends. Must not know what it
//! holds.

use super::primitives::{AtomicUsize, Ordering, UnsafeCell};
use std::mem::MaybeUninit;

/// A value of the thread that owns it. On cache lines of its own, as its thread writes it all the time.
#[repr(align(128))]
pub(super) struct ThreadSlot<T> {
    /// The owner's thread pointer; zero: none.
    owner: AtomicUsize,
    /// The owner's value; what a former owner left there is overwritten.
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: the value is accessed by the owner only: `claim` gives the slot to one thread at a time, whose
// accesses come after those of the former owner (acquire and release of `owner`).
unsafe impl<T> Sync for ThreadSlot<T> {}

impl<T> ThreadSlot<T> {
    /// A slot of an owner, zero for none, and its memory. (The parts are given because the model checker's
    /// are not made by constant functions.)
    pub(super) const fn new(owner: AtomicUsize, value: UnsafeCell<MaybeUninit<T>>) -> ThreadSlot<T> {
        ThreadSlot { owner, value }
    }

    /// The calling thread's value, if it owns the slot.
    ///
    /// # Safety
    /// `pointer` is the calling thread's pointer: not zero, and no other living thread's. The reference is
    /// used by this thread only, and not after [`ThreadSlot::release`].
    #[inline(always)]
    pub(super) unsafe fn get(&self, pointer: usize) -> Option<&T> {
        // SAFETY: this thread owns the slot, so it wrote the value in `claim`.
        let value = || self.value.with(|value| unsafe { &*value.cast::<T>() });
        (self.owner.load(Ordering::Relaxed) == pointer).then(value)
    }

    /// Gives the slot to the calling thread, with this value, if no other owns it.
    ///
    /// # Safety
    /// `pointer` is the calling thread's pointer, as for [`ThreadSlot::get`].
    pub(super) unsafe fn claim(&self, pointer: usize, value: T) -> bool {
        let claimed = self.owner.compare_exchange(0, pointer, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if claimed {
            // SAFETY: the slot had no owner, and its former owner's accesses are over; now it is this
            // thread's.
            self.value.with_mut(|place| unsafe { _ = (*place).write(value) });
        }
        claimed
    }

    /// Takes the slot from its owner: called by the owner, or in a process without the owner's thread.
    pub(super) fn release(&self) {
        self.owner.store(0, Ordering::Release);
    }
}
