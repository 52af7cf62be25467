//! Sets of bytes by pages, as commands have accessed them.

use super::Elements;
use std::ops::Range;

/// Bytes of a page.
pub(super) const PAGE_BYTES: u64 = 4096;
const WORDS: usize = PAGE_BYTES as usize / 64;

/// Bytes of a page. Commands access most pages whole, and these take no memory.
#[derive(Clone, Default)]
pub(super) enum Bits {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// A bit for each.
    Some(Box<[u64; WORDS]>),
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        (0..WORDS).all(|index| self.word(index) == other.word(index))
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

    /// The bytes of a page that are in elements of a range of addresses.
    pub(super) fn of_elements(page: u64, range: &Range<u64>, Elements { stride, bytes }: Elements) -> Bits {
        let mut found = Bits::default();
        let (start, end) = (page * PAGE_BYTES, ((page + 1) * PAGE_BYTES).min(range.end));
        let stride = stride.max(1);
        // The first that ends behind the start of the page.
        let before = start.saturating_sub(range.start).saturating_sub(bytes);
        let mut at = range.start + before / stride * stride;
        while at < end {
            let (from, to) = (at.max(start), (at + bytes).min(end));
            if from < to {
                found.insert((from - start) as u32, (to - from) as u32);
            }
            at += stride;
        }
        found
    }

    fn word(&self, index: usize) -> u64 {
        match self {
            Bits::None => 0,
            Bits::All => u64::MAX,
            Bits::Some(words) => words[index],
        }
    }

    /// The words, to be changed.
    fn words(&mut self) -> &mut [u64; WORDS] {
        if !matches!(self, Bits::Some(_)) {
            *self = Bits::Some(Box::new([self.word(0); WORDS]));
        }
        match self {
            Bits::Some(words) => words,
            Bits::None | Bits::All => unreachable!("they have just been made"),
        }
    }

    /// Adds so many bytes from one on.
    pub(super) fn insert(&mut self, start: u32, count: u32) {
        let (mut at, end) = (start, (start + count).min(PAGE_BYTES as u32));
        if at >= end || matches!(self, Bits::All) {
            return;
        }
        if u64::from(end - at) == PAGE_BYTES {
            *self = Bits::All;
            return;
        }
        let words = self.words();
        while at < end {
            let (word, bit) = (at / 64, at % 64);
            let here = (end - at).min(64 - bit);
            let mask = if here == 64 { u64::MAX } else { ((1 << here) - 1) << bit };
            words[word as usize] |= mask;
            at += here;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Bits::None => true,
            Bits::All => false,
            Bits::Some(words) => words.iter().all(|&word| word == 0),
        }
    }

    /// Whether another set has all of its bytes.
    pub(super) fn is_within(&self, other: &Bits) -> bool {
        (0..WORDS).all(|index| self.word(index) & !other.word(index) == 0)
    }

    /// The first byte of both.
    pub(super) fn first_common(&self, other: &Bits) -> Option<u32> {
        if matches!(self, Bits::None) || matches!(other, Bits::None) {
            return None;
        }
        let mut common = (0..WORDS).map(|index| (index, self.word(index) & other.word(index)));
        let found = common.find(|&(_, word)| word != 0);
        found.map(|(index, word)| index as u32 * 64 + word.trailing_zeros())
    }

    /// How many bytes of both follow one another from a byte on.
    pub(super) fn common_run(&self, other: &Bits, from: u32) -> u32 {
        let common = |at: u32| self.word(at as usize / 64) & other.word(at as usize / 64);
        (from..PAGE_BYTES as u32).take_while(|&at| common(at) >> (at % 64) & 1 != 0).count() as u32
    }

    /// The first byte for which something holds.
    pub(super) fn find(&self, mut holds: impl FnMut(u32) -> bool) -> Option<u32> {
        (0..PAGE_BYTES as u32).find(|&at| self.word(at as usize / 64) >> (at % 64) & 1 != 0 && holds(at))
    }

    pub(super) fn union(&mut self, other: &Bits) {
        match (&mut *self, other) {
            (_, Bits::None) | (Bits::All, _) => {}
            (_, Bits::All) => *self = Bits::All,
            (Bits::None, Bits::Some(_)) => *self = other.clone(),
            (Bits::Some(words), Bits::Some(others)) => {
                words.iter_mut().zip(others.iter()).for_each(|(a, b)| *a |= b);
            }
        }
    }

    pub(super) fn subtract(&mut self, other: &Bits) {
        match other {
            Bits::None => {}
            Bits::All => *self = Bits::None,
            Bits::Some(others) => {
                if !matches!(self, Bits::None) {
                    self.words().iter_mut().zip(others.iter()).for_each(|(a, b)| *a &= !b);
                }
            }
        }
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
        let mut all = Bits::of(2, &(0..4 * PAGE_BYTES));
        assert!(matches!(all, Bits::All));
        assert_eq!((all.first_common(&bits), all.common_run(&bits, 60)), (Some(60), 10));
        all.subtract(&bits);
        assert_eq!((all.first_common(&bits), all.find(|byte| byte > 59)), (None, Some(70)));
        all.union(&bits);
        assert!(all == Bits::All && !all.is_empty());
        all.subtract(&Bits::All);
        assert!(all == Bits::None && all.is_empty());
        assert_eq!(pages(&(4095..4097)), 0..2);
    }

    #[test]
    fn elements_are_the_bytes_that_their_ranges_have() {
        let (range, elements) = (4000..3 * PAGE_BYTES + 100, Elements { stride: 24, bytes: 16 });
        for page in pages(&range) {
            let mut one_by_one = Bits::default();
            let mut at = range.start;
            while at < range.end {
                one_by_one.union(&Bits::of(page, &(at..(at + elements.bytes).min(range.end))));
                at += elements.stride;
            }
            assert!(Bits::of_elements(page, &range, elements) == one_by_one, "page {page}");
        }
    }

    #[test]
    fn pages_of_ranges() {
        assert_eq!(pages(&(4095..4097)), 0..2);
        assert_eq!(pages(&(4096..4096)), 1..1);
    }
}
