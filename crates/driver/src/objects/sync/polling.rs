//! Threads that ask again and again whether something is signaled.
//!
//! Problem: an application that calls `vkGetFenceStatus` in a loop takes a core from the threads that work
//! towards the signal.
//!
//! Approach: the first negative answers come at once. A thread that has had [`REPEATS`] of them, each less
//! than [`GAP`] after the one before, waits for the signal before the next one, for [`PAUSE`] at most. So a
//! loop gets the signal as soon as by spinning, and an application that asks once a frame never waits.
//!
//! Source: `vkGetFenceStatus` says nothing of how long an answer may take, and the answer is true when given.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Negative answers without a wait.
const REPEATS: u32 = 16;
/// Answers further apart than this are no loop.
const GAP: Duration = Duration::from_micros(100);
/// The longest wait.
const PAUSE: Duration = Duration::from_micros(200);

thread_local! {
    /// How many negative answers came in a row, and when the last one did.
    static ANSWERS: Cell<(u32, Option<Instant>)> = const { Cell::new((0, None)) };
}

/// Notes a negative answer; gives how long to wait for another one, in nanoseconds, if this is a loop.
pub(super) fn pause_ns() -> Option<u64> {
    let now = Instant::now();
    ANSWERS
        .try_with(|answers| {
            let (count, last) = answers.get();
            let is_loop = last.is_some_and(|last| now.saturating_duration_since(last) < GAP);
            let count = if is_loop { count.saturating_add(1) } else { 1 };
            answers.set((count, Some(now)));
            (count > REPEATS).then_some(PAUSE.as_nanos() as u64)
        })
        .ok()
        .flatten()
}

/// Notes the end of such a wait, so that the time it took is none between answers.
pub(super) fn resume() {
    // A thread that ends asks no more.
    let _ = ANSWERS.try_with(|answers| answers.set((answers.get().0, Some(Instant::now()))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loops_pause() {
        std::thread::spawn(|| {
            assert!((0..REPEATS).all(|_| pause_ns().is_none()));
            assert_eq!(pause_ns(), Some(PAUSE.as_nanos() as u64));
            resume();
            assert!(pause_ns().is_some());
            std::thread::sleep(2 * GAP);
            assert_eq!(pause_ns(), None);
        })
        .join()
        .unwrap();
    }
}
