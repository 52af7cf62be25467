//! Work on several threads, without knowing whose they are.

use pyro_util::sync::Mutex;

/// Threads that share work.
pub trait Threads: Sync {
    /// How many work at once.
    fn count(&self) -> usize;

    /// Calls `part` with each number below `count`; returns when all calls have.
    fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync));
}

/// The calling thread alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneThread;

impl Threads for OneThread {
    fn count(&self) -> usize {
        1
    }

    fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(part);
    }
}

/// Bytes of output that a part has at least: less is not worth waking a thread.
const PART_BYTES_MIN: usize = 1 << 14;
/// Parts that each thread gets on average: more balance better, fewer cost less.
const PARTS_PER_THREAD: usize = 8;

/// Divides `output`, which consists of units of `unit` bytes, among threads. `weight`: how many bytes of a
/// plain copy a byte of output costs. `part` gets the number of its first unit, and its bytes.
pub(crate) fn divide(
    threads: &dyn Threads,
    output: &mut [u8],
    unit: usize,
    weight: usize,
    part: impl Fn(usize, &mut [u8]) + Sync,
) {
    let units = output.len() / unit.max(1);
    let least = PART_BYTES_MIN.div_ceil(unit.saturating_mul(weight.max(1)).max(1));
    let each = units.div_ceil(threads.count().max(1) * PARTS_PER_THREAD).max(least).max(1);
    if each >= units {
        if units != 0 {
            part(0, output);
        }
        return;
    }
    let pieces: Vec<Mutex<&mut [u8]>> = output.chunks_mut(each * unit).map(Mutex::new).collect();
    threads.for_each(pieces.len(), &|number| part(number * each, &mut pieces[number].lock()));
}

/// Gives threads pieces of so many items each, with their numbers.
pub(crate) fn divide_items<T: Send>(
    threads: &dyn Threads,
    items: &mut [T],
    each: usize,
    part: impl Fn(usize, &mut [T]) + Sync,
) {
    let pieces: Vec<Mutex<&mut [T]>> = items.chunks_mut(each.max(1)).map(Mutex::new).collect();
    threads.for_each(pieces.len(), &|number| part(number, &mut pieces[number].lock()));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Several;

    impl Threads for Several {
        fn count(&self) -> usize {
            3
        }

        fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for number in 0..count {
                    scope.spawn(move || part(number));
                }
            });
        }
    }

    #[test]
    fn every_unit_is_done_once() {
        for units in [0, 1, 5, 40_000] {
            let mut bytes = vec![0; units * 3];
            divide(&Several, &mut bytes, 3, 1, |first, part| {
                for (index, unit) in part.chunks_mut(3).enumerate() {
                    unit.iter_mut().for_each(|byte| *byte += 1 + (first + index) as u8 % 7);
                }
            });
            assert!(bytes.iter().enumerate().all(|(at, &byte)| byte == 1 + (at / 3) as u8 % 7), "{units}");
        }
    }
}
