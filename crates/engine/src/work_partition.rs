//! Numbered parts of work, cut into a share for each thread.
//!
//! Threads that take parts from one counter each do parts from everywhere, and pass the counter's cache line
//! to and fro. Here each thread has consecutive parts of its own, the same ones whenever the work is the
//! same, so what it wrote for a part is still in its own caches when it comes to the part again. A thread
//! that has finished its share takes from the end of another's.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Parts from `first` up to `end`, in the lower and the upper half. Two cache lines, since processors fetch
/// pairs.
#[repr(align(128))]
#[derive(Default)]
struct Share(AtomicU64);

const fn pack(first: u32, end: u32) -> u64 {
    first as u64 | (end as u64) << 32
}

const fn unpack(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// Parts that threads take. Every part is taken once.
pub(crate) struct WorkPartition(Box<[Share]>);

impl WorkPartition {
    /// Cuts `weights.len()` parts into shares of about the same weight for so many threads.
    pub(crate) fn new(
        thread_count: usize,
        weights: impl ExactSizeIterator<Item = u64> + Clone,
    ) -> WorkPartition {
        let thread_count = thread_count.max(1);
        let total: u64 = weights.clone().sum();
        let mut shares: Box<[Share]> = (0..thread_count).map(|_| Share::default()).collect();
        let (mut first, mut before, mut number) = (0, 0u64, 0);
        let count = weights.len() as u32;
        let share_weight = u128::from((2 * total).max(1));
        // Where the next share begins.
        let mut next = share_weight;
        for (part, weight) in (0..).zip(weights) {
            // A part belongs to the share in which its middle lies.
            let middle = u128::from(2 * before + weight) * thread_count as u128;
            let mut share = number;
            while middle >= next && share + 1 < thread_count {
                (share, next) = (share + 1, next + share_weight);
            }
            if share > number {
                *shares[number].0.get_mut() = pack(first, part);
                (first, number) = (part, share);
            }
            before += weight;
        }
        *shares[number].0.get_mut() = pack(first, count);
        WorkPartition(shares)
    }

    /// Whether a part is left that nobody has taken.
    #[cfg(test)]
    fn is_open(&self) -> bool {
        self.0.iter().any(|share| {
            let (first, end) = unpack(share.0.load(Ordering::Relaxed));
            first < end
        })
    }

    /// The parts that a thread gets to take.
    pub(crate) fn parts(&self, thread: usize) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || self.take(thread)).flatten()
    }

    /// Takes parts for a thread: the next of its own, or some of another's.
    pub(crate) fn take(&self, thread: usize) -> Option<Range<u32>> {
        let count = self.0.len();
        let own = thread % count;
        let take_first = |word| {
            let (first, end) = unpack(word);
            (first < end).then(|| pack(first + 1, end))
        };
        if let Ok(word) = self.0[own].0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_first) {
            let (first, _) = unpack(word);
            return Some(first..first + 1);
        }
        let taken = |word| {
            let (first, end) = unpack(word);
            end - (end.saturating_sub(first)).div_ceil(4)
        };
        let take_last = |word| {
            let (first, end) = unpack(word);
            (first < end).then(|| pack(first, taken(word)))
        };
        (1..count).find_map(|distance| {
            let share = &self.0[(own + distance) % count].0;
            let word = share.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_last).ok()?;
            Some(taken(word)..unpack(word).1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(shares: &WorkPartition, thread: usize) -> Vec<u32> {
        shares.parts(thread).collect()
    }

    #[test]
    fn shares_have_about_the_same_weight() {
        let shares = WorkPartition::new(3, [1, 1, 1, 1, 5, 1, 1, 1, 1, 1].into_iter());
        let words: Vec<_> = shares.0.iter().map(|share| unpack(share.0.load(Ordering::Relaxed))).collect();
        assert_eq!(words, [(0, 4), (4, 5), (5, 10)]);
        // One part may be heavier than a whole share.
        let shares = WorkPartition::new(4, [1, 100, 1].into_iter());
        assert_eq!(all(&shares, 1).len(), 3);
        assert!(!shares.is_open());
    }

    #[test]
    fn parts_are_in_the_share_of_their_middle() {
        let mut random = pyro_random::Random::new(5);
        for _ in 0..300 {
            let threads = 1 + random.below(9_usize);
            let most = random.pick(&[1, 2, 50, u64::MAX / 100]);
            let weights: Vec<u64> = (0..random.below(40)).map(|_| random.below(most)).collect();
            let total = u128::from(weights.iter().sum::<u64>().max(1));
            let shares = WorkPartition::new(threads, weights.iter().copied());
            let mut before = 0;
            for (part, &weight) in (0..).zip(&weights) {
                let middle = 2 * before + u128::from(weight);
                let share = (middle * threads as u128 / (2 * total)).min(threads as u128 - 1) as usize;
                let (first, end) = unpack(shares.0[share].0.load(Ordering::Relaxed));
                assert!((first..end).contains(&part), "{weights:?} by {threads}: {part}");
                before += u128::from(weight);
            }
        }
    }

    #[test]
    fn idle_threads_steal_work() {
        let shares = WorkPartition::new(2, [1; 10].into_iter());
        assert_eq!((shares.take(1), shares.take(1)), (Some(5..6), Some(6..7)));
        assert_eq!(all(&shares, 0), [0, 1, 2, 3, 4, 9, 8, 7]);
        assert_eq!((shares.take(1), shares.is_open()), (None, false));
    }

    #[test]
    fn nothing_is_shared_without_parts() {
        for threads in [0, 1, 5] {
            let shares = WorkPartition::new(threads, [0; 0].into_iter());
            assert!(!shares.is_open() && shares.take(3).is_none());
        }
        assert_eq!(all(&WorkPartition::new(2, [0; 4].into_iter()), 0), [0, 1, 2, 3]);
    }

    #[test]
    fn threads_take_every_part_once() {
        let (shares, count) = (WorkPartition::new(4, [1; 5000].into_iter()), 5000);
        let mut taken: Vec<u32> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6)
                .map(|thread| {
                    scope.spawn({
                        let shares = &shares;
                        move || all(shares, thread)
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..count));
    }
}
