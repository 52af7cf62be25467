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
//! The owner of a [`Posted`] slot does something else meanwhile. When it needs the result, it helps at what
//! the slot's worker shares in other slots, and at nothing else: of the threads at one work no two may have
//! the same number, and callers of several queues have.
//!
//! Must not know: what work is.

#![allow(unsafe_code)]

use super::Work;
use super::primitives::{
    AtomicU32, Condvar, LOOKS, Mutex, MutexGuard, Ordering, Patience, SLOT_COUNT, UnsafeCell, spin_loop,
};
use std::ptr::NonNull;

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
    /// The number plus one of the posted slot whose owner may join; 0: none. Written by the owner while the
    /// slot is taken and neither open nor joined.
    helper: AtomicU32,
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

impl JobSlot {
    /// A worker is no longer at the work.
    fn leave(&self) {
        let before = self.state.fetch_sub(1, Ordering::AcqRel);
        if before & AWAITED != 0 && before & COUNT == 1 {
            drop(lock(&self.empty.0));
            self.empty.1.notify_one();
        }
    }
}

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
    mutex.lock()
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
            helper: AtomicU32::new(0),
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
                guard = slot.empty.1.wait(guard);
            }
        }
        slot.state.store(0, Ordering::Release);
    }
}

/// A slot whose work a worker does while the owner goes on. Dropping it waits until nobody is at it.
pub(super) struct Posted<'a>(Owner<'a>);

impl Posted<'_> {
    /// What [`JobSlots::share`] is told by the slot's worker, so that the owner helps at what that shares.
    pub(super) fn helper(&self) -> u32 {
        self.0.1 as u32 + 1
    }

    /// Has a worker do the work.
    ///
    /// # Safety
    /// The contract of [`Work::work`], until this has been dropped; until then the work lives. It is opened
    /// once.
    pub(super) unsafe fn open(&self, work: &dyn Work) {
        let Owner(slots, number) = self.0;
        // SAFETY: the caller's contract.
        unsafe { slots.open(number, work, 1, 0) };
    }

    /// Nobody begins with the work any more.
    pub(super) fn close(&self) {
        self.0.0.close(self.0.1);
    }

    /// Waits until no worker is at the work, and helps at what they share.
    pub(super) fn wait(&self) {
        let Owner(slots, number) = self.0;
        slots.help(number);
    }
}

impl JobSlots {
    /// A free slot, if there is one.
    fn take(&self) -> Option<Owner<'_>> {
        let take = |number: &usize| {
            let state = &self.slots[*number].state;
            state.compare_exchange(0, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        (0..SLOT_COUNT).find(take).map(|number| Owner(self, number))
    }

    /// A slot for work that its owner does not wait for yet, if one is free.
    pub(super) fn post(&self) -> Option<Posted<'_>> {
        self.take().map(Posted)
    }

    /// Workers may join a slot that this thread has taken.
    ///
    /// # Safety
    /// The contract of [`Work::work`], until the slot's [`Owner`] has been dropped; until then the work
    /// lives. The slot has not been opened since it was taken.
    unsafe fn open(&self, number: usize, work: &dyn Work, wanted: u32, helper: u32) {
        let slot = &self.slots[number];
        // SAFETY: only the type's lifetime changes. The slot's owner, when it is dropped, waits until no
        // worker is counted, and the work lives until then.
        let erased = unsafe { std::mem::transmute::<NonNull<dyn Work + '_>, NonNull<dyn Work>>(work.into()) };
        // SAFETY: this thread has taken the slot, and it is not open yet, so no worker reads.
        slot.work.with_mut(|to| unsafe { *to = Some(erased) });
        slot.helper.store(helper, Ordering::Relaxed);
        let looking = self.looking.0.load(Ordering::Relaxed);
        slot.wanted.store(wanted.saturating_sub(looking), Ordering::Relaxed);
        slot.state.fetch_or(OPEN, Ordering::Release);
        // Workers announce their sleep before they look a last time, so one of both sees the other.
        self.open.0.fetch_or(1 << number, Ordering::SeqCst);
        self.wake_some(slot);
    }

    /// Does work together with as many of the workers as are `wanted`; returns when nobody is at it any more.
    /// `helper`: that of the posted slot whose work shares this, whose owner may join; 0: none.
    ///
    /// # Safety
    /// The contract of [`Work::work`].
    pub(super) unsafe fn share(&self, work: &dyn Work, wanted: u32, helper: u32) {
        let Some(owner) = self.take() else {
            // SAFETY: the caller vouches for the addresses reachable from the work.
            return unsafe { work.work() };
        };
        // SAFETY: the caller's contract; `owner` is dropped below.
        unsafe { self.open(owner.1, work, wanted, helper) };
        if let Some(posted) = (helper as usize).checked_sub(1).map(|number| &self.slots[number])
            && posted.state.load(Ordering::SeqCst) & AWAITED != 0
        {
            // The helper sleeps, or is about to: it holds the lock until it does.
            drop(lock(&posted.empty.0));
            posted.empty.1.notify_one();
        }
        // SAFETY: the caller vouches for the addresses reachable from the work.
        unsafe { work.work() };
        drop(owner);
    }

    /// Waits until no worker is at a posted slot's work, and works at what these share.
    fn help(&self, number: usize) {
        let slot = &self.slots[number];
        let helper = number as u32 + 1;
        let is_empty = || slot.state.load(Ordering::Acquire) & COUNT == 0;
        let shared = |order| {
            let open = self.open.0.load(order) & !QUIT;
            let is_for = |other: &usize| self.slots[*other].helper.load(Ordering::Relaxed) == helper;
            (open != 0).then(|| (0..SLOT_COUNT).filter(|other| open >> other & 1 != 0).find(is_for))?
        };
        loop {
            let found = look(|| match is_empty() {
                true => Some(None),
                false => shared(Ordering::Relaxed).map(Some),
            });
            match found {
                Some(None) => return,
                Some(Some(other)) => self.join(other, helper),
                None => {
                    let guard = lock(&slot.empty.0);
                    // Who opens a slot for this thread looks for the flag afterwards, so one of both sees the
                    // other.
                    let is_empty = slot.state.fetch_or(AWAITED, Ordering::SeqCst) & COUNT == 0;
                    if !is_empty && shared(Ordering::SeqCst).is_none() {
                        drop(slot.empty.1.wait(guard));
                    }
                }
            }
        }
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
                    drop(self.sleep.1.wait(guard));
                }
                self.sleeping.0.fetch_sub(1, Ordering::Relaxed);
                continue;
            };
            if open & QUIT != 0 {
                return;
            }
            self.join(open.trailing_zeros() as usize, 0);
        }
    }

    /// Works at a slot's work until nothing of it is left to take, if the slot is still open. `helper`: only
    /// where it is this one's; 0: in any case.
    fn join(&self, number: usize, helper: u32) {
        let slot = &self.slots[number];
        let more = |state: u32| (state & OPEN != 0).then_some(state + 1);
        if slot.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_err() {
            // Whoever closes the slot clears its bit in `open` next.
            spin_loop();
            return;
        }
        if helper != 0 && slot.helper.load(Ordering::Relaxed) != helper {
            // It has been taken for something else since.
            return slot.leave();
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
        slot.leave();
    }
}
