//! What each thread has of its own: its marks, and the ring that the handler writes samples into.

use super::{CALLERS_MAX, Sample};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Threads that are sampled at one time, at most.
pub(super) const SLOT_COUNT: usize = 1024;

/// Samples that wait in a ring, at most: those of two seconds at a thousand in a second, as rings are emptied
/// much more often.
const RING: usize = 2048;

/// Words of a sample in a ring: program counter, state, time, weight, callers.
const WORDS: usize = 4 + CALLERS_MAX;

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
    /// The thread's processor time at its last sample.
    pub(super) cpu_ns: AtomicU64,
    /// Samples written and read so far.
    head: AtomicU32,
    tail: AtomicU32,
    ring: Box<[[AtomicU64; WORDS]]>,
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
        cpu_ns: AtomicU64::new(0),
        head: AtomicU32::new(0),
        tail: AtomicU32::new(0),
        ring: (0..RING).map(|_| [const { AtomicU64::new(0) }; WORDS]).collect(),
    }))
}

impl Slot {
    /// For a new thread, which has taken so much processor time before.
    pub(super) fn claim(&self, tid: i32, number: u32, cpu_ns: u64) {
        self.number.store(number, Ordering::Relaxed);
        self.state.store(0, Ordering::Relaxed);
        self.is_generated.store(false, Ordering::Relaxed);
        self.top.store(0, Ordering::Relaxed);
        self.cpu_ns.store(cpu_ns, Ordering::Relaxed);
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

    /// Writes a sample; false when the ring is full. Called by the thread's handler, or when the thread is
    /// known to have ended.
    pub(super) fn push(&self, pc: u64, callers: &[u64; CALLERS_MAX], time_ns: u64, weight_ns: u64) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        if head.wrapping_sub(self.tail.load(Ordering::Acquire)) as usize >= RING {
            return false;
        }
        let words = &self.ring[head as usize % RING];
        let values = [pc, self.state(), time_ns, weight_ns].into_iter().chain(callers.iter().copied());
        words.iter().zip(values).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        self.head.store(head.wrapping_add(1), Ordering::Release);
        true
    }

    /// Takes the samples that wait. One thread at a time.
    pub(super) fn take(&self, each: &mut dyn FnMut(&Sample)) {
        let thread = self.number.load(Ordering::Relaxed);
        let head = self.head.load(Ordering::Acquire);
        let mut tail = self.tail.load(Ordering::Relaxed);
        while tail != head {
            let words = &self.ring[tail as usize % RING];
            let word = |index: usize| words[index].load(Ordering::Relaxed);
            let state = word(1);
            each(&Sample {
                thread,
                pc: word(0),
                callers: std::array::from_fn(|index| word(4 + index)),
                activity: (state >> 32) as u32,
                tag: state as u32,
                time_ns: word(2),
                weight_ns: word(3),
            });
            tail = tail.wrapping_add(1);
            self.tail.store(tail, Ordering::Release);
        }
    }
}
