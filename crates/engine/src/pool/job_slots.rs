//! Slots in which callers post work for the workers, who join it without a lock.
//!
//! *Problem.* A draw has many short phases; each must reach all threads within microseconds, from several
//! callers at once.
//!
//! *Approach.* A caller takes a free slot, opens it, wakes workers and works too. A worker joins an open slot
//! by counting itself into its state, and counts itself out when nothing of the work is left to take. The
//! caller then closes the slot and waits until the count is zero. A worker that finds no work looks again for
//! a while before it sleeps: the next phase of a draw, or the next dispatch of a command buffer, mostly comes
//! within microseconds, and waking a sleeping thread takes tens of them. Of those that sleep a few are woken
//! by the caller, and each wakes a few more.
//!
//! *Invariants.* A worker sees a slot's work only while it is counted in the slot's state; the work's owner
//! returns only after the count is zero. The state is changed by read-modify-write operations only, but for
//! its owner's last store. A sleeping worker that misses new work costs time, never the result: the owner
//! does all that nobody else takes. `tests/model` checks this in every order of threads.
//!
//! Must not know: what work is.

#![allow(unsafe_code)]

use super::Work;
use super::primitives::{
    AtomicU32, Condvar, LOOKS, Mutex, MutexGuard, Ordering, Patience, SLOT_COUNT, UnsafeCell, spin_loop,
};
use std::ptr::NonNull;
use std::sync::PoisonError;

/// Threads that one thread wakes.
const FAN_OUT: u32 = 4;

/// In [`JobSlots::open`], above the slots' bits: the workers must end.
const QUIT: u32 = 1 << 31;

/// In a slot's state, above the count of its workers: a caller has it.
const TAKEN: u32 = 1 << 31;
/// Workers may join.
const OPEN: u32 = 1 << 30;
/// The owner sleeps until it is empty.
const AWAITED: u32 = 1 << 29;
const COUNT: u32 = AWAITED - 1;

/// Two cache lines, since processors fetch pairs.
#[repr(align(128))]
struct JobSlot {
    state: AtomicU32,
    /// Workers that should still be woken.
    wanted: AtomicU32,
    /// Written by the owner while the slot is taken and neither open nor joined.
    work: UnsafeCell<Option<NonNull<dyn Work>>>,
    empty: (Mutex<()>, Condvar),
}

// SAFETY: `work` is written only by the thread that has set `TAKEN`, before it releases `OPEN` (`share`), and
// read only by workers that have acquired `OPEN` (`join`); `dyn Work` is `Sync`.
unsafe impl Sync for JobSlot {}
// SAFETY: `work` is read only between `OPEN` and the count of zero that its owner waits for, while what it
// points to lives.
unsafe impl Send for JobSlot {}

#[repr(align(128))]
#[derive(Default)]
struct Padded(AtomicU32);

/// The slots, and the threads that wait for work in them.
pub(super) struct JobSlots {
    slots: [JobSlot; SLOT_COUNT],
    /// A bit for each slot that is open, and [`QUIT`].
    open: Padded,
    /// Workers that look for work.
    looking: Padded,
    /// Workers that sleep, or are about to.
    sleeping: Padded,
    sleep: (Mutex<()>, Condvar),
}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks until something is there, as long as [`Patience`] lasts.
fn look<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let patience = Patience::new();
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = found() {
                return Some(found);
            }
            spin_loop();
        }
        if patience.is_over() {
            return None;
        }
    }
}

impl Default for JobSlots {
    fn default() -> JobSlots {
        let slot = |_| JobSlot {
            state: AtomicU32::new(0),
            wanted: AtomicU32::new(0),
            work: UnsafeCell::new(None),
            empty: Default::default(),
        };
        JobSlots {
            slots: std::array::from_fn(slot),
            open: Padded::default(),
            looking: Padded::default(),
            sleeping: Padded::default(),
            sleep: Default::default(),
        }
    }
}

/// A taken slot; dropping it closes the slot and waits for its workers.
struct Owner<'a>(&'a JobSlots, usize);

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        let Owner(slots, number) = *self;
        slots.close(number);
        let slot = &slots.slots[number];
        let is_empty = || (slot.state.load(Ordering::Acquire) & COUNT == 0).then_some(());
        if look(is_empty).is_none() {
            let mut guard = lock(&slot.empty.0);
            while slot.state.fetch_or(AWAITED, Ordering::AcqRel) & COUNT != 0 {
                guard = slot.empty.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }
        slot.state.store(0, Ordering::Release);
    }
}

impl JobSlots {
    /// Does work together with as many of the workers as are `wanted`; returns when nobody is at it any more.
    ///
    /// # Safety
    /// The contract of [`Work::work`].
    pub(super) unsafe fn share(&self, work: &dyn Work, wanted: u32) {
        let take = |number: &usize| {
            let state = &self.slots[*number].state;
            state.compare_exchange(0, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        let Some(number) = (0..SLOT_COUNT).find(take) else {
            // SAFETY: the caller vouches for the addresses reachable from the work.
            return unsafe { work.work() };
        };
        let slot = &self.slots[number];
        // SAFETY: only the type's lifetime changes. `owner` below, when it is dropped, waits until no worker
        // is counted, before the reference ends.
        let erased = unsafe { std::mem::transmute::<NonNull<dyn Work + '_>, NonNull<dyn Work>>(work.into()) };
        // SAFETY: this thread has taken the slot, and it is not open yet, so no worker reads.
        slot.work.with_mut(|to| unsafe { *to = Some(erased) });
        let owner = Owner(self, number);
        let looking = self.looking.0.load(Ordering::Relaxed);
        slot.wanted.store(wanted.saturating_sub(looking), Ordering::Relaxed);
        slot.state.fetch_or(OPEN, Ordering::Release);
        // Workers announce their sleep before they look a last time, so one of both sees the other.
        self.open.0.fetch_or(1 << number, Ordering::SeqCst);
        self.wake_some(slot);
        // SAFETY: the caller vouches for the addresses reachable from the work.
        unsafe { work.work() };
        drop(owner);
    }

    /// Nobody joins a slot any more. Only its owner and its workers call this.
    fn close(&self, number: usize) {
        self.slots[number].state.fetch_and(!OPEN, Ordering::Relaxed);
        self.open.0.fetch_and(!(1 << number), Ordering::Relaxed);
    }

    /// Wakes a few of the workers that a slot's work still wants.
    fn wake_some(&self, slot: &JobSlot) {
        for _ in 0..FAN_OUT {
            let less = |wanted: u32| wanted.checked_sub(1);
            if self.sleeping.0.load(Ordering::SeqCst) == 0
                || slot.wanted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
            {
                return;
            }
            // Who is about to sleep holds the lock until it does.
            drop(lock(&self.sleep.0));
            self.sleep.1.notify_one();
        }
    }

    /// The workers must end.
    pub(super) fn quit(&self) {
        self.open.0.fetch_or(QUIT, Ordering::SeqCst);
        drop(lock(&self.sleep.0));
        self.sleep.1.notify_all();
    }

    /// A worker's life.
    pub(super) fn serve(&self) {
        let opened = |order| {
            let open = self.open.0.load(order);
            (open != 0).then_some(open)
        };
        loop {
            self.looking.0.fetch_add(1, Ordering::Relaxed);
            let found = look(|| opened(Ordering::Relaxed));
            self.looking.0.fetch_sub(1, Ordering::Relaxed);
            let Some(open) = found else {
                let guard = lock(&self.sleep.0);
                self.sleeping.0.fetch_add(1, Ordering::SeqCst);
                if opened(Ordering::SeqCst).is_none() {
                    drop(self.sleep.1.wait(guard).unwrap_or_else(PoisonError::into_inner));
                }
                self.sleeping.0.fetch_sub(1, Ordering::Relaxed);
                continue;
            };
            if open & QUIT != 0 {
                return;
            }
            self.join(open.trailing_zeros() as usize);
        }
    }

    /// Works at a slot's work until nothing of it is left to take, if the slot is still open.
    fn join(&self, number: usize) {
        let slot = &self.slots[number];
        let more = |state: u32| (state & OPEN != 0).then_some(state + 1);
        if slot.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_err() {
            // Whoever closes the slot clears its bit in `open` next.
            spin_loop();
            return;
        }
        self.wake_some(slot);
        // SAFETY: the slot was open when this worker was counted, so its owner has written the work before,
        // and writes it again only when no worker is counted.
        let work = slot.work.with(|work| unsafe { *work });
        if let Some(work) = work {
            // SAFETY: the owner is in `share` until this worker is no longer counted: until then the work
            // lives, and may be worked at under the contract of `share`.
            unsafe { work.as_ref().work() };
        }
        self.close(number);
        let before = slot.state.fetch_sub(1, Ordering::AcqRel);
        if before & AWAITED != 0 && before & COUNT == 1 {
            drop(lock(&slot.empty.0));
            slot.empty.1.notify_one();
        }
    }
}
