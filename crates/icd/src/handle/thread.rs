//! What the driver keeps for each thread that calls commands.
//!
//! Problem: thread-local storage of a library that is loaded at run time costs a call for each access, which
//! is as much as the rest of the most frequent commands.
//! Approach: a table indexed by the thread pointer, which the processor holds in a register; threads for
//! which it has no room use ordinary thread-local storage.
//! Invariant: a place belongs to one living thread, which gives it back when it ends.

use super::known_handles::KnownHandles;
use crate::handle::call_context::{CallContext, Owner};
use crate::handle::{BiasedLock, Remembered, rcu};
use pyro_driver::command::CommandBuffer;
use std::arch::asm;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Where a thread's is, found by the thread's pointer.
#[repr(align(128))]
struct Place {
    /// The pointer of the thread that has it; zero: none has.
    owner: AtomicUsize,
    /// That thread's.
    thread: UnsafeCell<MaybeUninit<Thread>>,
}

// SAFETY: what is in it is used by the thread that has it only, which takes it by `owner` when no other has
// it.
unsafe impl Sync for Place {}

const PLACE_COUNT: usize = 64;

static PLACES: [Place; PLACE_COUNT] =
    [const { Place { owner: AtomicUsize::new(0), thread: UnsafeCell::new(MaybeUninit::uninit()) } };
        PLACE_COUNT];

impl Place {
    /// The calling thread's, whose pointer this is, if it has the place.
    #[inline(always)]
    fn thread(&self, pointer: usize) -> Option<&'static Thread> {
        // SAFETY: it was written when the thread took the place, which it gives back when it ends. It is not
        // `Sync`, so the reference does not leave the thread.
        let thread = || unsafe { &*self.thread.get().cast::<Thread>() };
        (self.owner.load(Ordering::Relaxed) == pointer).then(thread)
    }

    /// Gives the place to the calling thread, if no other has it.
    fn take(&self, pointer: usize) -> bool {
        let taken = self.owner.compare_exchange(0, pointer, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if taken {
            // SAFETY: nobody else has it.
            unsafe { (*self.thread.get()).write(Thread::new()) };
        }
        taken
    }
}

/// Gives a place back when its thread ends.
struct Lease {
    place: Cell<Option<&'static Place>>,
    /// There was none: the thread stays without.
    refused: Cell<bool>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(place) = self.place.get() {
            place.owner.store(0, Ordering::Release);
        }
    }
}

thread_local! {
    static LEASE: Lease = const { Lease { place: Cell::new(None), refused: Cell::new(false) } };
    /// Of a thread without a place.
    static THREAD: Thread = const { Thread::new() };
}

/// What [`pointer`] gives where it gives nothing.
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
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
    {
        UNKNOWN
    }
}

/// The place that a thread whose pointer this is may have.
#[inline(always)]
fn place_of(pointer: usize) -> &'static Place {
    // Threads' pointers are as far apart as their stacks, which are a power of two and a page mostly.
    &PLACES[pointer / 4096 % PLACE_COUNT]
}

/// The calling thread's, if it has a place.
#[inline(always)]
pub(crate) fn placed() -> Option<&'static Thread> {
    let pointer = pointer();
    place_of(pointer).thread(pointer)
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn here() -> &'static Thread {
    let pointer = pointer();
    let place = place_of(pointer);
    match place.thread(pointer) {
        Some(thread) => thread,
        None => first(place, pointer),
    }
}

/// The same, of a thread that has no place, or not yet.
#[cold]
fn first(place: &'static Place, pointer: usize) -> &'static Thread {
    let taken = LEASE.try_with(|lease| {
        let taken = pointer != UNKNOWN && !lease.refused.get() && forget_in_children() && place.take(pointer);
        lease.refused.set(!taken);
        lease.place.set(taken.then_some(place));
        taken
    });
    match place.thread(pointer) {
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
        PLACES.iter().for_each(|place| place.owner.store(0, Ordering::Relaxed));
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
