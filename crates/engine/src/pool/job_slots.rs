//! Where work is posted for the workers, who join it without a lock.
//!
//! The board has a few places. Who has work takes a place, opens it, wakes workers and works too; a worker joins an
//! open place by counting itself into it, and counts itself out when nothing of the work is left to take. The work's
//! owner closes the place then and waits until it is empty, so workers never see work that is gone.
//!
//! A worker that finds no work looks again for a while before it sleeps: the next phase of a draw, or the next
//! dispatch of a command buffer, mostly comes within microseconds, and waking a sleeping thread takes tens of them.
//! Of those that sleep a few are woken by the owner, and each wakes a few more.

#![allow(unsafe_code)]

use super::Work;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Callers that have work on the board at once; others work alone.
const PLACES: usize = 16;

/// How long a thread looks for a change before it sleeps: about what waking it takes.
const PATIENCE: Duration = Duration::from_micros(50);

/// Looks between two looks at the clock.
const LOOKS: u32 = 16;

/// Threads that one thread wakes.
const FAN_OUT: u32 = 4;

/// In [`JobSlots::open`], above the places' bits: the workers must end.
const QUIT: u32 = 1 << 31;

/// In a place's state, above the count of its workers: somebody's.
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
    /// Written by the owner while the place is taken and neither open nor joined.
    work: UnsafeCell<Option<NonNull<dyn Work>>>,
    empty: (Mutex<()>, Condvar),
}

// SAFETY: `work` is written by the thread that has taken the place only, before `OPEN` is released, and read by
// workers after they have acquired it; `dyn Work` is `Sync`.
unsafe impl Sync for JobSlot {}
// SAFETY: as above; it refers to work that outlives the time in which the place is open or joined.
unsafe impl Send for JobSlot {}

#[repr(align(128))]
#[derive(Default)]
struct Padded(AtomicU32);

/// The board.
pub(super) struct JobSlots {
    places: [JobSlot; PLACES],
    /// A bit for each place that is open, and [`QUIT`].
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

/// Looks until something is there, for [`PATIENCE`] at most.
fn look<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = found() {
                return Some(found);
            }
            spin_loop();
        }
        if start.elapsed() > PATIENCE {
            return None;
        }
    }
}

impl Default for JobSlots {
    fn default() -> JobSlots {
        let place = |_| JobSlot {
            state: AtomicU32::new(0),
            wanted: AtomicU32::new(0),
            work: UnsafeCell::new(None),
            empty: Default::default(),
        };
        JobSlots {
            places: std::array::from_fn(place),
            open: Padded::default(),
            looking: Padded::default(),
            sleeping: Padded::default(),
            sleep: Default::default(),
        }
    }
}

/// A taken place; dropping it closes the place and waits for its workers.
struct Owner<'a>(&'a JobSlots, usize);

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        let Owner(board, number) = *self;
        board.close(number);
        let place = &board.places[number];
        let is_empty = || (place.state.load(Ordering::Acquire) & COUNT == 0).then_some(());
        if look(is_empty).is_none() {
            let mut guard = lock(&place.empty.0);
            while place.state.fetch_or(AWAITED, Ordering::AcqRel) & COUNT != 0 {
                guard = place.empty.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }
        place.state.store(0, Ordering::Release);
    }
}

impl JobSlots {
    /// Does work together with as many of the workers as are `wanted`; returns when nobody is at it any more.
    ///
    /// # Safety
    /// The contract of [`Work::work`].
    pub(super) unsafe fn share(&self, work: &dyn Work, wanted: u32) {
        let take = |number: &usize| {
            let state = &self.places[*number].state;
            state.compare_exchange(0, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        let Some(number) = (0..PLACES).find(take) else {
            // SAFETY: the caller's contract.
            return unsafe { work.work() };
        };
        let place = &self.places[number];
        // SAFETY: only the type's lifetime changes. The place is closed and empty when the owner is dropped, before
        // the reference ends.
        let erased = unsafe { std::mem::transmute::<NonNull<dyn Work + '_>, NonNull<dyn Work>>(work.into()) };
        // SAFETY: this thread has taken the place, and it is not open.
        unsafe { *place.work.get() = Some(erased) };
        let owner = Owner(self, number);
        let looking = self.looking.0.load(Ordering::Relaxed);
        place.wanted.store(wanted.saturating_sub(looking), Ordering::Relaxed);
        place.state.fetch_or(OPEN, Ordering::Release);
        // Workers announce their sleep before they look a last time, so one of both sees the other.
        self.open.0.fetch_or(1 << number, Ordering::SeqCst);
        self.wake_some(place);
        // SAFETY: the caller's contract.
        unsafe { work.work() };
        drop(owner);
    }

    /// Nobody joins a place any more. Only its owner and its workers call this.
    fn close(&self, number: usize) {
        self.places[number].state.fetch_and(!OPEN, Ordering::Relaxed);
        self.open.0.fetch_and(!(1 << number), Ordering::Relaxed);
    }

    /// Wakes a few of the workers that a place's work still wants.
    fn wake_some(&self, place: &JobSlot) {
        for _ in 0..FAN_OUT {
            let less = |wanted: u32| wanted.checked_sub(1);
            if self.sleeping.0.load(Ordering::SeqCst) == 0
                || place.wanted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
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

    /// Works at a place's work until nothing of it is left to take, if the place is still open.
    fn join(&self, number: usize) {
        let place = &self.places[number];
        let more = |state: u32| (state & OPEN != 0).then_some(state + 1);
        if place.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_err() {
            return;
        }
        self.wake_some(place);
        // SAFETY: the place was open when this worker was counted, so the work has been written before, and its owner
        // is in `share`, under whose contract it may be worked at, until this worker is no longer counted.
        unsafe {
            if let Some(work) = *place.work.get() {
                work.as_ref().work();
            }
        }
        self.close(number);
        let before = place.state.fetch_sub(1, Ordering::AcqRel);
        if before & AWAITED != 0 && before & COUNT == 1 {
            drop(lock(&place.empty.0));
            place.empty.1.notify_one();
        }
    }
}
