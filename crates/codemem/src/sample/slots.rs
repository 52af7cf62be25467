//! What each thread has of its own: its marks, and the ring that the handler writes samples into.

use super::ring::{Ring, WORDS};
use super::{CALLERS_MAX, Sample};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Threads that are sampled at one time, at most.
pub(super) const SLOT_COUNT: usize = 1024;

// The words: program counter, state, time, weight, callers.
const _: () = assert!(WORDS == 4 + CALLERS_MAX && super::ring::WEIGHT == 3);

/// A thread's place.
pub(super) struct Slot {
    /// The thread's number in the system; zero: the slot is free.
    pub(super) tid: AtomicI32,
    /// The number by which samples name the thread.
    pub(super) number: AtomicU32,
    /// Activity and tag.
    state: AtomicU64,
    is_generated: AtomicBool,
    /// The highest address of the stack at which the thread has marked itself; zero: it has not.
    pub(super) top: AtomicUsize,
    ring: Ring,
}

static SLOTS: [OnceLock<Slot>; SLOT_COUNT] = [const { OnceLock::new() }; SLOT_COUNT];

/// The slot of this number, if it was ever used.
pub(super) fn slot(number: u32) -> Option<&'static Slot> {
    SLOTS.get(number as usize)?.get()
}

/// The slot of this number, made if it is not there. `None` past the last one.
pub(super) fn slot_or_new(number: u32) -> Option<&'static Slot> {
    let slot = SLOTS.get(number as usize)?;
    Some(slot.get_or_init(|| Slot {
        tid: AtomicI32::new(0),
        number: AtomicU32::new(0),
        state: AtomicU64::new(0),
        is_generated: AtomicBool::new(false),
        top: AtomicUsize::new(0),
        ring: Ring::new(),
    }))
}

impl Slot {
    /// For a new thread, which has taken so much processor time before.
    pub(super) fn claim(&self, tid: i32, number: u32, cpu_ns: u64) {
        self.number.store(number, Ordering::Relaxed);
        self.state.store(0, Ordering::Relaxed);
        self.is_generated.store(false, Ordering::Relaxed);
        self.top.store(0, Ordering::Relaxed);
        self.ring.begin(cpu_ns);
        self.tid.store(tid, Ordering::Release);
    }

    pub(super) fn state(&self) -> u64 {
        self.state.load(Ordering::Relaxed)
    }

    pub(super) fn set_state(&self, state: u64) {
        self.state.store(state, Ordering::Relaxed);
    }

    pub(super) fn is_generated(&self) -> bool {
        self.is_generated.load(Ordering::Relaxed)
    }

    /// Only the thread itself writes, and only its handler reads.
    pub(super) fn set_generated(&self, is: bool) -> bool {
        let former = self.is_generated.load(Ordering::Relaxed);
        self.is_generated.store(is, Ordering::Relaxed);
        former
    }

    /// The thread has been at this address of its stack.
    pub(super) fn touch(&self, address: usize) {
        if self.top.load(Ordering::Relaxed) < address {
            self.top.store(address, Ordering::Relaxed);
        }
    }

    fn sample(&self, pc: u64, callers: &[u64; CALLERS_MAX], time_ns: u64) -> [u64; WORDS] {
        let words = [pc, self.state(), time_ns, 0];
        std::array::from_fn(|index| words.get(index).copied().unwrap_or_else(|| callers[index - 4]))
    }

    /// Writes a sample, where there is room. Called by the thread's handler.
    pub(super) fn push(&self, pc: u64, callers: &[u64; CALLERS_MAX], time_ns: u64, cpu_ns: u64) {
        self.ring.push(self.sample(pc, callers, time_ns), cpu_ns);
    }

    /// Writes what is left of the time of a thread whose timer is gone.
    pub(super) fn push_rest(&self, time_ns: impl FnOnce() -> u64, cpu_ns: u64) {
        self.ring.finish(|| self.sample(0, &Default::default(), time_ns()), cpu_ns);
    }

    /// Takes the samples that wait. One thread at a time.
    pub(super) fn take(&self, each: &mut dyn FnMut(&Sample)) {
        let thread = self.number.load(Ordering::Relaxed);
        self.ring.take(&mut |[pc, state, time_ns, weight_ns, callers @ ..]| {
            let (activity, tag) = ((state >> 32) as u32, state as u32);
            each(&Sample { thread, pc, callers, activity, tag, time_ns, weight_ns });
        });
    }
}
