//! Sets of bytes by pages, as commands have accessed them.

use std::ops::Range;

/// Bytes of a page.
pub(super) const PAGE_BYTES: u64 = 4096;
const WORDS: usize = PAGE_BYTES as usize / 64;

/// Bytes of a page: a bit for each.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bits(Box<[u64; WORDS]>);

impl Default for Bits {
    fn default() -> Bits {
        Bits(Box::new([0; WORDS]))
    }
}

impl Bits {
    /// The bytes of a page that are in a range of addresses.
    pub(super) fn of(page: u64, range: &Range<u64>) -> Bits {
        let mut bits = Bits::default();
        let start = range.start.saturating_sub(page * PAGE_BYTES).min(PAGE_BYTES);
        let end = range.end.saturating_sub(page * PAGE_BYTES).min(PAGE_BYTES);
        bits.insert(start as u32, end.saturating_sub(start) as u32);
        bits
    }

    /// Adds so many bytes from one on.
    pub(super) fn insert(&mut self, start: u32, count: u32) {
        let (mut at, end) = (start, (start + count).min(PAGE_BYTES as u32));
        while at < end {
            let (word, bit) = (at / 64, at % 64);
            let here = (end - at).min(64 - bit);
            let mask = if here == 64 { u64::MAX } else { ((1 << here) - 1) << bit };
            self.0[word as usize] |= mask;
            at += here;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The first byte of both.
    pub(super) fn first_common(&self, other: &Bits) -> Option<u32> {
        let common = self.0.iter().zip(other.0.iter()).map(|(a, b)| a & b);
        common
            .enumerate()
            .find(|(_, word)| *word != 0)
            .map(|(index, word)| index as u32 * 64 + word.trailing_zeros())
    }

    /// How many bytes of both follow one another from a byte on.
    pub(super) fn common_run(&self, other: &Bits, from: u32) -> u32 {
        let has = |at: u32| (self.0[at as usize / 64] & other.0[at as usize / 64]) >> (at % 64) & 1 != 0;
        (from..PAGE_BYTES as u32).take_while(|&at| has(at)).count() as u32
    }

    /// The first byte for which something holds.
    pub(super) fn find(&self, mut holds: impl FnMut(u32) -> bool) -> Option<u32> {
        (0..PAGE_BYTES as u32).find(|&at| self.0[at as usize / 64] >> (at % 64) & 1 != 0 && holds(at))
    }

    pub(super) fn union(&mut self, other: &Bits) {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(a, b)| *a |= b);
    }

    pub(super) fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(a, b)| *a &= !b);
    }
}

/// The pages that a range of addresses lies in.
pub(super) fn pages(range: &Range<u64>) -> Range<u64> {
    range.start / PAGE_BYTES..if range.is_empty() {
        range.start / PAGE_BYTES
    } else {
        range.end.div_ceil(PAGE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_inserted_and_found() {
        let mut bits = Bits::default();
        bits.insert(60, 10);
        let mut other = Bits::of(2, &(2 * PAGE_BYTES + 64..3 * PAGE_BYTES + 9));
        assert_eq!(bits.first_common(&other), Some(64));
        assert_eq!(bits.common_run(&other, 64), 6);
        other.subtract(&bits);
        assert_eq!(bits.first_common(&other), None);
        other.union(&bits);
        assert_eq!(other.first_common(&bits), Some(60));
        assert!(Bits::of(7, &(0..5)).is_empty() && !bits.is_empty());
        assert_eq!(pages(&(4095..4097)), 0..2);
        assert_eq!(pages(&(4096..4096)), 1..1);
    }
}
