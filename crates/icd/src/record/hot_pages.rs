//! Pages that are written again and again: they are compared at each look and not protected, so that writing
//! them costs no page fault, and no look through the page table for what a fault may have been.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// A page may be compared instead of so many entries of a page table being looked at: both take the same time
/// within a small factor.
const ENTRIES_PER_PAGE: usize = 256;
/// Pages that are hot, at least and at most, where they are written.
const COUNT: Range<usize> = 16..128;
/// Looks without a change after which a page is not hot any more.
const QUIET_LOOKS_MAX: u32 = 512;
/// Pages that are remembered to have been written once, at most.
const REMEMBERED_MAX: usize = 1 << 14;

/// The pages of a range that are written again and again, by their numbers.
pub(super) struct HotPages {
    /// With the looks since they changed.
    pages: BTreeMap<u64, u32>,
    count_max: usize,
    /// Pages that were written once.
    written_once: HashSet<u64>,
}

impl HotPages {
    /// None yet, of so many pages.
    pub(super) fn of(pages: usize) -> HotPages {
        let count_max = (pages / ENTRIES_PER_PAGE).clamp(COUNT.start, COUNT.end);
        HotPages { pages: BTreeMap::new(), count_max, written_once: HashSet::new() }
    }

    /// Whether a page, which was written, is hot from now on.
    pub(super) fn tell(&mut self, page: u64) -> bool {
        if self.written_once.len() >= REMEMBERED_MAX {
            self.written_once.clear();
        }
        let is_hot = !self.written_once.insert(page) && self.pages.len() < self.count_max;
        if is_hot {
            self.pages.insert(page, 0);
        }
        is_hot
    }

    /// The hot pages, as ranges of pages in order.
    pub(super) fn ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for &page in self.pages.keys() {
            match ranges.last_mut() {
                Some(last) if last.end == page => last.end += 1,
                _ => ranges.push(page..page + 1),
            }
        }
        ranges
    }

    /// These pages changed, in order; those that have not for long are not hot any more.
    pub(super) fn changed(&mut self, changed: &[Range<u64>]) {
        let mut changed = changed.iter().peekable();
        let written_once = &mut self.written_once;
        self.pages.retain(|page, looks| {
            while changed.next_if(|range| range.end <= *page).is_some() {}
            *looks = if changed.peek().is_some_and(|range| range.contains(page)) { 0 } else { *looks + 1 };
            let stays = *looks <= QUIET_LOOKS_MAX;
            if !stays {
                written_once.remove(page);
            }
            stays
        });
    }
}

/// What is in some ranges and not in others; both are in order.
pub(super) fn without(ranges: &[Range<u64>], others: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut rest = Vec::new();
    for range in ranges {
        let mut at = range.start;
        let first = others.partition_point(|other| other.end <= range.start);
        for other in others[first..].iter().take_while(|other| other.start < range.end) {
            if at < other.start {
                rest.push(at..other.start);
            }
            at = at.max(other.end);
        }
        if at < range.end {
            rest.push(at..range.end);
        }
    }
    rest
}

/// Ranges in order, those joined between which no other lies.
pub(super) fn joined(ranges: &[Range<u64>], others: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        let first = joined.last().map(|last| others.partition_point(|other| other.start < last.end));
        let is_apart =
            first.and_then(|first| others.get(first)).is_some_and(|other| other.end <= range.start);
        match joined.last_mut() {
            Some(last) if !is_apart => last.end = range.end,
            _ => joined.push(range.clone()),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    #[test]
    fn pages_are_hot_from_their_second_write_until_they_are_quiet() {
        let mut hot = HotPages::of(1 << 14);
        assert!(!hot.tell(7) && !hot.tell(8) && !hot.tell(100));
        assert!(hot.tell(8) && hot.tell(7) && hot.tell(100));
        assert_eq!(hot.ranges(), [7..9, 100..101]);
        for _ in 0..=QUIET_LOOKS_MAX {
            hot.changed(&[0..3, 8..20]);
        }
        assert_eq!(hot.ranges(), slice::from_ref(&(8..9)));
        // Once more from the start.
        assert!(!hot.tell(100) && hot.tell(100));
    }

    #[test]
    fn few_pages_are_hot() {
        let mut hot = HotPages::of(1 << 14);
        (0..2).for_each(|_| (0..1000).for_each(|page| _ = hot.tell(page)));
        assert_eq!(hot.ranges(), slice::from_ref(&(0..64)));
    }

    #[test]
    fn ranges_are_taken_apart_and_joined() {
        let hot = [2..4, 6..7, 20..30];
        assert_eq!(without(&[0..10, 25..40], &hot), [0..2, 4..6, 7..10, 30..40]);
        assert_eq!(without(&[2..4, 6..7], &hot), []);
        assert_eq!(joined(&[0..1, 1..2, 4..5, 8..9, 15..16, 31..32], &hot), [0..2, 4..5, 8..16, 31..32]);
        assert_eq!(joined(&[0..1, 9..10], &[]), slice::from_ref(&(0..10)));
    }
}
