//! Samples arrive whole, in order, and with all of the thread's time.

use crate::check;
use crate::ring::{Ring, WEIGHT, WORDS};
use loom::sync::Arc;

/// A sample of this number.
fn sample(number: u64) -> [u64; WORDS] {
    [number; WORDS]
}

/// Takes what waits: numbers and weights.
fn take(ring: &Ring) -> Vec<[u64; 2]> {
    let mut found = Vec::new();
    ring.take(&mut |words| {
        let is_whole = (0..WORDS).all(|at| at == WEIGHT || words[at] == words[0]);
        assert!(is_whole, "{words:?}");
        found.push([words[0], words[WEIGHT]]);
    });
    found
}

/// A handler writes more samples than there is room for while they are taken.
#[test]
fn samples_arrive_whole_and_in_order() {
    check(3, || {
        let ring = Arc::new(Ring::new());
        ring.begin(100);
        let shared = Arc::clone(&ring);
        let handler = loom::thread::spawn(move || {
            let times = [(1, 101), (2, 104), (3, 109)];
            times.into_iter().filter(|&(number, cpu)| shared.push(sample(number), cpu)).collect::<Vec<_>>()
        });
        let mut found = take(&ring);
        let written = handler.join().expect("it writes");
        found.extend(take(&ring));
        let mut before = 100;
        let expected = written.iter().map(|&(number, cpu)| {
            let weight = cpu - before;
            before = cpu;
            [number, weight]
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
    });
}

/// The last sample is written by another thread while the handler writes one. Seen failing when `finish` or
/// `push` does not look whether somebody writes, where time is counted twice, and when the flag is cleared
/// relaxed.
#[test]
fn the_last_sample_has_what_is_left_of_the_time() {
    check(3, || {
        let ring = Arc::new(Ring::new());
        let shared = Arc::clone(&ring);
        let handler = loom::thread::spawn(move || shared.push(sample(1), 5));
        ring.finish(|| sample(2), 9);
        let is_written = handler.join().expect("it writes");
        let found = take(&ring);
        let sum: u64 = found.iter().map(|[_, weight]| weight).sum();
        // Whoever does not wait any longer leaves the rest out.
        assert!(sum == 9 || is_written && found == [[1, 5]], "{found:?}");
        assert_eq!(found.iter().any(|[number, _]| *number == 1), is_written);
    });
}
