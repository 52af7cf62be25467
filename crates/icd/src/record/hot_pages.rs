//! Pages that are written again and again.
//!
//! Those that are written at almost every look are compared at each and not protected, so that writing them
//! costs no page fault. Others stay protected, but are looked for first, as what faults there were since may
//! all have been theirs: then the page table is not gone through.

use super::ranges;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// A page may be compared instead of so many entries of a page table being looked at: both take the same time
/// within a small factor.
const ENTRIES_PER_PAGE: usize = 256;
/// Pages that are compared at each look, at least and at most, where they are written.
const COMPARED: Range<usize> = 16..128;
/// A page is compared as long as there are no more looks from one change of it to the next: a fault, and
/// finding the page, cost as much as some comparisons.
const COMPARED_LOOKS_MAX: u64 = 8;
/// Pages that are looked for first, at most.
const WARM_MAX: usize = 1 << 10;
/// Looks without a change after which others may take the place of such a page.
const QUIET_LOOKS_MAX: u64 = 512;
/// Pages between two that are looked for first which are looked at with them.
const GAP: u64 = 64;
/// Pages that are remembered to have been written once, at most.
const REMEMBERED_MAX: usize = 1 << 14;

/// The pages of a range that are written again and again, by their numbers, each with the look at which it
/// had changed last.
pub(super) struct HotPages {
    look: u64,
    /// Pages that are compared.
    compared: BTreeMap<u64, u64>,
    compared_max: usize,
    /// Pages that are looked for first.
    warm: BTreeMap<u64, u64>,
    /// Those with what is between them; none where they are to be found anew.
    windows: Option<Vec<Range<u64>>>,
    /// Pages that were written once.
    written_once: HashSet<u64>,
}

impl HotPages {
    /// None yet, of so many pages.
    pub(super) fn of(pages: usize) -> HotPages {
        HotPages {
            look: 0,
            compared: BTreeMap::new(),
            compared_max: (pages / ENTRIES_PER_PAGE).clamp(COMPARED.start, COMPARED.end),
            warm: BTreeMap::new(),
            windows: None,
            written_once: HashSet::new(),
        }
    }

    /// Whether a page, which was protected and written, is compared from now on.
    pub(super) fn tell(&mut self, page: u64) -> bool {
        if let Some(last) = self.warm.get_mut(&page) {
            let is_often = self.look - *last <= COMPARED_LOOKS_MAX && self.compared.len() < self.compared_max;
            *last = self.look;
            if is_often {
                self.warm.remove(&page);
                self.compared.insert(page, self.look);
                self.windows = None;
            }
            return is_often;
        }
        if self.written_once.len() >= REMEMBERED_MAX {
            self.written_once.clear();
        }
        if !self.written_once.insert(page) {
            self.warm(page, self.look);
        }
        false
    }

    /// A page is one of those that are looked for first, if there is room.
    fn warm(&mut self, page: u64, last: u64) {
        if self.warm.len() >= WARM_MAX {
            let look = self.look;
            self.warm.retain(|_, last| look - *last <= QUIET_LOOKS_MAX);
        }
        if self.warm.len() < WARM_MAX {
            self.warm.insert(page, last);
        }
        self.windows = None;
    }

    /// The pages that are compared, as ranges of pages in order.
    pub(super) fn compared(&self) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        self.compared.keys().for_each(|&page| ranges::push(&mut ranges, page..page + 1));
        ranges
    }

    /// The pages that are looked for first, with some between them but none that are compared.
    pub(super) fn windows(&mut self) -> &[Range<u64>] {
        let (warm, compared) = (&self.warm, &self.compared);
        self.windows.get_or_insert_with(|| {
            let mut windows: Vec<Range<u64>> = Vec::new();
            for &page in warm.keys() {
                match windows.last_mut() {
                    Some(last)
                        if page - last.end <= GAP && compared.range(last.end..page).next().is_none() =>
                    {
                        last.end = page + 1;
                    }
                    _ => windows.push(page..page + 1),
                }
            }
            windows
        })
    }

    /// These pages changed, in order, at a look; those that have not for long are compared no more. Whether
    /// there are any: they are not protected.
    pub(super) fn changed(&mut self, changed: &[Range<u64>]) -> bool {
        self.look += 1;
        let look = self.look;
        for range in changed {
            self.compared.range_mut(range.clone()).for_each(|(_, last)| *last = look);
            self.warm.range_mut(range.clone()).for_each(|(_, last)| *last = look);
        }
        let is_quiet = |(_, last): &(&u64, &u64)| look - **last > COMPARED_LOOKS_MAX;
        let quiet: Vec<(u64, u64)> =
            self.compared.iter().filter(is_quiet).map(|(&page, &last)| (page, last)).collect();
        for &(page, last) in &quiet {
            self.compared.remove(&page);
            self.warm(page, last);
        }
        !quiet.is_empty()
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
    fn pages_are_compared_that_are_written_at_almost_every_look() {
        let mut hot = HotPages::of(1 << 14);
        // Once, twice: they are looked for first.
        for _ in 0..2 {
            assert!(!hot.tell(7) && !hot.tell(8) && !hot.tell(100));
            assert!(!hot.changed(&[7..9, 100..101]));
        }
        assert_eq!(hot.windows(), [7..9, 100..101]);
        assert!(hot.tell(8) && hot.tell(7) && hot.tell(100));
        assert_eq!((hot.compared(), hot.windows().len()), (vec![7..9, 100..101], 0));
        for _ in 0..COMPARED_LOOKS_MAX {
            assert!(!hot.changed(&[0..3, 8..20]));
        }
        assert!(hot.changed(&[0..3, 8..20]));
        assert_eq!((&hot.compared()[..], hot.windows()), (slice::from_ref(&(8..9)), &[7..8, 100..101][..]));
        // Written seldom, it stays so.
        assert!(!hot.tell(100));
        hot.changed(slice::from_ref(&(100..101)));
        assert!(hot.tell(100));
    }

    #[test]
    fn windows_are_of_pages_that_lie_together() {
        let mut hot = HotPages::of(1 << 14);
        for _ in 0..3 {
            hot.tell(30);
        }
        assert_eq!(hot.compared(), slice::from_ref(&(30..31)));
        for page in [10, 20, 40, 42, 42 + GAP + 2] {
            (0..2).for_each(|_| _ = hot.tell(page));
        }
        assert_eq!(hot.windows(), [10..21, 40..43, 44 + GAP..45 + GAP]);
    }

    #[test]
    fn few_pages_are_compared() {
        let mut hot = HotPages::of(1 << 14);
        (0..3).for_each(|_| (0..1000).for_each(|page| _ = hot.tell(page)));
        assert_eq!(hot.compared(), slice::from_ref(&(0..64)));
        assert_eq!(hot.windows(), slice::from_ref(&(64..1000)));
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
