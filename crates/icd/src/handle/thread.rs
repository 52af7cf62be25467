//! What the driver keeps for each thread that calls commands.
//!
//! Problem: thread-local storage of a library that is loaded at run time costs a call for each access, which
//! is as much as the rest of the most frequent commands.
//! Approach: a table indexed by the thread pointer, which the processor holds in a register; threads for
//! which it has no room use ordinary thread-local storage.
//! Invariant: a place belongs to one living thread, which gives it back when it ends.

use super::known_handles::KnownHandles;
use super::primitives::{AtomicUsize, UnsafeCell};
use super::thread_slot::ThreadSlot;
use crate::handle::call_context::{CallContext, Owner};
use crate::handle::{BiasedLock, Remembered, rcu};
use pyro_driver::command::CommandBuffer;
use std::arch::asm;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// A thread's.
pub(crate) struct Thread {
    /// The command under way.
    pub(crate) context: CallContext,
    /// Its read sections of the table of objects.
    pub(crate) reads: rcu::Here,
    /// The handle of the device that was checked last, its object's place, and what it belongs to; zeros:
    /// none.
    pub(crate) checked: Cell<(usize, u64, Owner)>,
    /// Handles that it wrote descriptors with lately.
    pub(crate) known: KnownHandles,
    /// The command buffer that it recorded into last.
    pub(crate) recorder: Remembered<BiasedLock<CommandBuffer>>,
    /// Messages wait for the command's end.
    pub(crate) postponed: Cell<bool>,
}

impl Thread {
    const fn new() -> Thread {
        Thread {
            context: CallContext::new(),
            reads: rcu::Here::new(),
            checked: Cell::new((0, 0, Owner { instance: 0, device: 0 })),
            known: KnownHandles::new(),
            recorder: Remembered::new(),
            postponed: Cell::new(false),
        }
    }
}

const PLACE_COUNT: usize = 64;

/// The table. A slot's owner is known by its thread pointer.
static PLACES: [ThreadSlot<Thread>; PLACE_COUNT] =
    [const { ThreadSlot::new(AtomicUsize::new(0), UnsafeCell::new(MaybeUninit::uninit())) }; PLACE_COUNT];

/// The calling thread's value in a slot of the table, if it owns it.
#[inline(always)]
fn owned(place: &'static ThreadSlot<Thread>, pointer: usize) -> Option<&'static Thread> {
    // SAFETY: callers pass `pointer()`. `Thread` is not `Sync`, so the reference stays with this thread,
    // which releases the slot when it ends.
    unsafe { place.get(pointer) }
}

/// Gives a place back when its thread ends.
struct Lease {
    place: Cell<Option<&'static ThreadSlot<Thread>>>,
    /// There was none: the thread stays without.
    refused: Cell<bool>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(place) = self.place.get() {
            place.release();
        }
    }
}

thread_local! {
    static LEASE: Lease = const { Lease { place: Cell::new(None), refused: Cell::new(false) } };
    /// Of a thread without a place.
    static THREAD: Thread = const { Thread::new() };
}

/// What [`pointer()`] gives where it gives nothing.
const UNKNOWN: usize = usize::MAX;

/// A number, not zero, that each thread has one of its own of.
#[inline(always)]
fn pointer() -> usize {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    {
        let pointer;
        // SAFETY: the first word behind this register is the register's own value (System V ABI, AMD64
        // supplement, and "ELF Handling For Thread-Local Storage", section 3.4.6).
        unsafe { asm!("mov {}, fs:[0]", out(reg) pointer, options(pure, nomem, nostack, preserves_flags)) };
        pointer
    }
    #[cfg(all(windows, target_arch = "x86_64"))]
    {
        let pointer;
        // SAFETY: there is the address of the thread's own block (`NT_TIB::Self` of `winnt.h`).
        unsafe {
            asm!("mov {}, gs:[0x30]", out(reg) pointer, options(pure, nomem, nostack, preserves_flags))
        };
        pointer
    }
    #[cfg(not(all(any(target_os = "linux", windows), target_arch = "x86_64", not(miri))))]
    {
        UNKNOWN
    }
}

/// The place that a thread whose pointer this is may have.
#[inline(always)]
fn place_of(pointer: usize) -> &'static ThreadSlot<Thread> {
    // Threads' pointers are as far apart as their stacks, which are a power of two and a page mostly.
    &PLACES[pointer / 4096 % PLACE_COUNT]
}

/// The calling thread's, if it has a place.
#[inline(always)]
pub(crate) fn placed() -> Option<&'static Thread> {
    let pointer = pointer();
    owned(place_of(pointer), pointer)
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn here() -> &'static Thread {
    let pointer = pointer();
    let place = place_of(pointer);
    match owned(place, pointer) {
        Some(thread) => thread,
        None => first(place, pointer),
    }
}

/// The same, of a thread that has no place, or not yet.
#[cold]
fn first(place: &'static ThreadSlot<Thread>, pointer: usize) -> &'static Thread {
    let taken = LEASE.try_with(|lease| {
        let may_take = pointer != UNKNOWN && !lease.refused.get() && forget_in_children();
        // SAFETY: callers pass `pointer()`, and it is known.
        let taken = may_take && unsafe { place.claim(pointer, Thread::new()) };
        lease.refused.set(!taken);
        lease.place.set(taken.then_some(place));
        taken
    });
    match owned(place, pointer) {
        Some(thread) if taken.unwrap_or(false) => thread,
        // SAFETY: it has no destructor, so it stays until the thread has ended; as above.
        _ => THREAD.with(|thread| unsafe { &*std::ptr::from_ref(thread) }),
    }
}

/// Has the places given back in the processes that this one makes of itself: only one of its threads is
/// there.
fn forget_in_children() -> bool {
    static DONE: OnceLock<bool> = OnceLock::new();
    extern "C" fn forget() {
        PLACES.iter().for_each(ThreadSlot::release);
    }
    *DONE.get_or_init(|| pyro_driver::system::after_fork(forget))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each thread has one, which no other has meanwhile, more threads than there are places or not.
    #[test]
    fn thread_slots_are_distinct_per_thread() {
        const THREADS: usize = 3 * PLACE_COUNT / 2;
        let meeting = std::sync::Barrier::new(THREADS);
        let work = || {
            let number = std::ptr::from_ref(here()) as usize;
            here().postponed.set(true);
            meeting.wait();
            assert_eq!(std::ptr::from_ref(here()) as usize, number);
            meeting.wait();
            number
        };
        for _ in 0..2 {
            let mut seen = std::collections::HashSet::new();
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
                threads.into_iter().for_each(|one| assert!(seen.insert(one.join().unwrap())));
            });
            assert_eq!(seen.len(), THREADS);
        }
        // A place that was given back has nothing of its last thread.
        assert!(!std::thread::spawn(|| here().postponed.get()).join().unwrap());
    }
}
