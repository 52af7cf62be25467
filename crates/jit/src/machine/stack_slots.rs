//! Places on the stack for values that live from one region to another.
//!
//! A value needs its place from the region that stores it to the last that loads it, and where one of these
//! is in a loop over several regions that starts behind the definition, until the loop's end. Values whose
//! ranges of regions do not meet share places (linear scan over the regions), so the stack holds about as
//! much as lives at once.

/// A place that something needs.
#[derive(Clone, Copy, Debug)]
struct Request {
    /// The first region that needs it.
    start: u32,
    /// The last.
    end: u32,
    /// A power of two.
    bytes: u32,
}

/// The places that are needed, by number.
#[derive(Debug, Default)]
pub(super) struct StackSlots {
    requests: Vec<Request>,
}

impl StackSlots {
    /// Asks for a place of so many bytes, a power of two, for a value of this region. Returns its number.
    pub(super) fn request(&mut self, bytes: u32, region: u32) -> u32 {
        self.requests.push(Request { start: region, end: region, bytes });
        self.requests.len() as u32 - 1
    }

    /// The place with this number is needed in this region, too.
    pub(super) fn extend(&mut self, request: u32, region: u32) {
        let request = &mut self.requests[request as usize];
        request.start = request.start.min(region);
        request.end = request.end.max(region);
    }

    /// Assigns offsets from `base` on. `loop_end` has for each region the last that goes back to it, its own
    /// number if none does. Returns the offset of each place, and the end of all.
    pub(super) fn assign(mut self, base: u32, loop_end: &[u32]) -> (Vec<u32>, u32) {
        let loops = RangeMaximum::new(loop_end);
        for request in &mut self.requests {
            loop {
                let end = loops.of(request.start, request.end);
                if end <= request.end {
                    break;
                }
                request.end = end;
            }
        }
        let mut order: Vec<u32> = (0..self.requests.len() as u32).collect();
        order.sort_by_key(|&index| self.requests[index as usize].start);
        let mut offsets = vec![0; self.requests.len()];
        let mut top = base;
        // Places that are taken until a region, and those that are free, by the logarithm of their bytes.
        let mut taken: Vec<Vec<u32>> = vec![Vec::new(); loop_end.len()];
        let mut free: [Vec<u32>; 8] = Default::default();
        let mut freed = 0;
        for index in order {
            let Request { start, end, bytes } = self.requests[index as usize];
            while freed < start {
                for other in std::mem::take(&mut taken[freed as usize]) {
                    free[self.requests[other as usize].bytes.ilog2() as usize].push(offsets[other as usize]);
                }
                freed += 1;
            }
            offsets[index as usize] = free[bytes.ilog2() as usize].pop().unwrap_or_else(|| {
                let at = top.next_multiple_of(bytes);
                top = at.saturating_add(bytes);
                at
            });
            taken[end as usize].push(index);
        }
        (offsets, top)
    }
}

/// The largest of any range of numbers, in constant time.
struct RangeMaximum {
    /// By the logarithm of a length: the largest of as many numbers from each place on.
    levels: Vec<Vec<u32>>,
}

impl RangeMaximum {
    fn new(numbers: &[u32]) -> RangeMaximum {
        let mut levels = vec![numbers.to_vec()];
        let mut length = 1;
        while 2 * length <= numbers.len() {
            let below = &levels[levels.len() - 1];
            levels
                .push((0..=numbers.len() - 2 * length).map(|at| below[at].max(below[at + length])).collect());
            length *= 2;
        }
        RangeMaximum { levels }
    }

    /// The largest from `start` to `end`, both included.
    fn of(&self, start: u32, end: u32) -> u32 {
        let level = (end - start + 1).ilog2();
        let numbers = &self.levels[level as usize];
        numbers[start as usize].max(numbers[end as usize + 1 - (1 << level)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shared_by_what_does_not_live_at_once() {
        let mut slots = StackSlots::default();
        let first = slots.request(64, 0);
        slots.extend(first, 1);
        let beside = slots.request(64, 1);
        let small = slots.request(8, 1);
        let behind = slots.request(64, 2);
        slots.extend(behind, 5);
        let (offsets, end) = slots.assign(64, &[0, 1, 2, 3, 4, 5]);
        assert!([first, beside].iter().any(|&slot| offsets[slot as usize] == offsets[behind as usize]));
        assert_ne!(offsets[first as usize], offsets[beside as usize]);
        assert_eq!((offsets[small as usize], end), (192, 200));
    }

    #[test]
    fn what_a_loop_reads_lives_to_its_end() {
        let mut slots = StackSlots::default();
        let before = slots.request(64, 0);
        slots.extend(before, 2);
        let inside = slots.request(64, 3);
        // Region 4 goes back to region 1.
        let (offsets, _) = slots.assign(0, &[0, 4, 2, 3, 4]);
        assert_ne!(offsets[before as usize], offsets[inside as usize]);
    }

    #[test]
    fn maxima_of_ranges() {
        let numbers = [3, 1, 4, 1, 5, 9, 2, 6];
        let maximum = RangeMaximum::new(&numbers);
        for start in 0..8 {
            for end in start..8 {
                assert_eq!(
                    maximum.of(start as u32, end as u32),
                    *numbers[start..=end].iter().max().expect("some")
                );
            }
        }
    }
}
