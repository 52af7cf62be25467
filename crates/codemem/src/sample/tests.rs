use super::*;
use crate::clock;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Runs until the thread has taken so much of its processor's time, as its clock says.
fn work(time: Duration) -> u64 {
    let now = || clock::now_ns(libc::CLOCK_THREAD_CPUTIME_ID).expect("threads have a clock");
    let (end, mut sum) = (now() + time.as_nanos() as u64, 0_u64);
    while now() < end {
        for index in 0..10_000 {
            sum = sum.wrapping_mul(black_box(31)).wrapping_add(index);
        }
    }
    sum
}

/// All of a process's time is in samples, by what threads say that they do.
#[test]
fn samples_add_up_to_the_time_of_the_process() {
    assert!(start(Duration::from_millis(1)));
    assert!(!start(Duration::from_millis(1)), "it is started once");
    let is_scanned = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (1..=3_u32)
        .map(|number| {
            let is_scanned = Arc::clone(&is_scanned);
            std::thread::spawn(move || {
                // Threads have timers from the first scan on.
                while !is_scanned.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let _scope = enter_both(number, 10 * number);
                black_box(work(Duration::from_millis(100 * u64::from(number))));
                assert_eq!(tag(), 10 * number);
            })
        })
        .collect();
    let mut sums = [0_u64; 5];
    let mut names = Vec::new();
    let mut collect = |names: &mut Vec<_>| {
        names.extend(scan());
        drain(&mut |sample| {
            assert!(sample.tag == 10 * sample.activity, "{sample:?}");
            sums[sample.activity as usize] += sample.weight_ns;
        });
    };
    while threads.iter().any(|thread| !thread.is_finished()) {
        collect(&mut names);
        is_scanned.store(names.len() >= 4, Ordering::Release);
        std::thread::sleep(Duration::from_millis(5));
    }
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    let total = process_ns();
    stop();
    collect(&mut names);
    // Threads of other tests, which do not mark themselves, may end without a sample of their last time.
    let sum: u64 = sums.iter().sum();
    assert!(sum <= total + total / 50, "{sum} of {total}: {sums:?}");
    for (number, own) in sums.into_iter().enumerate().skip(1).take(3) {
        // What a thread did since its last tick is missing; beside other work ticks are late.
        let took = 100_000_000 * number as u64;
        assert!((took / 2..took + took / 10).contains(&own), "thread {number}: {sums:?}");
    }
    assert!(names.len() >= 4, "{names:?}");
    assert!(!is_on());
    let text = own_text();
    assert!(text.contains(&(work as *const () as u64)), "{text:x?}");
}
