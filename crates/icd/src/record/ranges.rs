//! Lists of ranges in order.

use std::ops::Range;

/// Appends a range to those before it; it becomes a part of the last one where they touch.
pub(super) fn push<T: Ord>(ranges: &mut Vec<Range<T>>, range: Range<T>) {
    match ranges.last_mut() {
        Some(last) if range.start <= last.end => {
            if last.end < range.end {
                last.end = range.end;
            }
        }
        _ => ranges.push(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let mut ranges = Vec::new();
        [2..4, 4..5, 7..9, 8..8, 7..12, 13..14].into_iter().for_each(|range| push(&mut ranges, range));
        assert_eq!(ranges, [2..5, 7..12, 13..14]);
    }
}
