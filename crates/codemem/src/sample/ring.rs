//! A thread's samples, on their way from its signal handler to whoever collects them.
//!
//! **Invariants.** One thread writes at a time, the handler of the thread itself or, when its timer is gone,
//! whoever writes the last sample; the handler waits for nobody. One thread takes at a time. The weights of
//! all samples that were written add up to the processor time of the last one.

use crate::primitives::{AtomicBool, AtomicU32, AtomicU64, Ordering, RING, WAITS, yield_now};

/// Words of a sample.
pub(super) const WORDS: usize = 7;
/// Where its weight is: the thread's processor time since the sample before.
pub(super) const WEIGHT: usize = 3;

/// Samples of a thread that wait.
pub(super) struct Ring {
    /// Somebody writes.
    is_busy: AtomicBool,
    /// The thread's processor time at its last sample.
    cpu_ns: AtomicU64,
    /// Samples written and read so far.
    head: AtomicU32,
    tail: AtomicU32,
    samples: Box<[[AtomicU64; WORDS]]>,
}

impl Ring {
    pub(super) fn new() -> Ring {
        Ring {
            is_busy: AtomicBool::new(false),
            cpu_ns: AtomicU64::new(0),
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            samples: (0..RING).map(|_| std::array::from_fn(|_| AtomicU64::new(0))).collect(),
        }
    }

    /// For another thread, which has taken so much processor time before. Nobody writes.
    pub(super) fn begin(&self, cpu_ns: u64) {
        self.cpu_ns.store(cpu_ns, Ordering::Relaxed);
    }

    /// Writes a sample, whose weight follows from the thread's processor time; false when the ring is full or
    /// somebody else writes: the next sample has that weight, too. Waits for nobody.
    pub(super) fn push(&self, sample: [u64; WORDS], cpu_ns: u64) -> bool {
        if self.is_busy.swap(true, Ordering::Acquire) {
            return false;
        }
        let is_written = self.write(sample, cpu_ns);
        self.is_busy.store(false, Ordering::Release);
        is_written
    }

    /// Writes the last sample of a thread whose timer is gone, if there is time since the one before. Waits
    /// for a handler that is under way, but not for ever: in a child of the process it is gone. `sample` is
    /// made when there is a need.
    pub(super) fn finish(&self, sample: impl FnOnce() -> [u64; WORDS], cpu_ns: u64) {
        for _ in 0..WAITS {
            if !self.is_busy.swap(true, Ordering::Acquire) {
                if cpu_ns > self.cpu_ns.load(Ordering::Relaxed) {
                    self.write(sample(), cpu_ns);
                }
                self.is_busy.store(false, Ordering::Release);
                return;
            }
            yield_now();
        }
    }

    /// For who has made the ring busy.
    fn write(&self, mut sample: [u64; WORDS], cpu_ns: u64) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        if head.wrapping_sub(self.tail.load(Ordering::Acquire)) as usize >= RING {
            return false;
        }
        let before = self.cpu_ns.load(Ordering::Relaxed);
        sample[WEIGHT] = cpu_ns.saturating_sub(before);
        let words = &self.samples[head as usize % RING];
        words.iter().zip(sample).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        self.cpu_ns.store(cpu_ns.max(before), Ordering::Relaxed);
        self.head.store(head.wrapping_add(1), Ordering::Release);
        true
    }

    /// Takes the samples that wait. One thread at a time.
    pub(super) fn take(&self, each: &mut dyn FnMut([u64; WORDS])) {
        let head = self.head.load(Ordering::Acquire);
        let mut tail = self.tail.load(Ordering::Relaxed);
        while tail != head {
            let words = &self.samples[tail as usize % RING];
            each(std::array::from_fn(|index| words[index].load(Ordering::Relaxed)));
            tail = tail.wrapping_add(1);
            self.tail.store(tail, Ordering::Release);
        }
    }
}
