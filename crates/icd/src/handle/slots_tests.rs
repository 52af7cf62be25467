//! The table behind the handles.

use super::rcu;
use super::slots::{Missing, Slots};
use super::thread;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn a_destroyed_handle_stays_destroyed() {
    let slots = Box::new(Slots::new());
    let first = slots.insert(1).unwrap();
    assert_eq!(slots.remove(first, |_| true), Ok(Some(1)));
    let second = slots.insert(2).unwrap();
    assert_eq!(first as u32, second as u32, "the slot is reused");
    assert!(slots.get(first, &rcu::enter(thread::here())).is_none());
    assert_eq!(slots.missing(first), Missing::Destroyed);
    assert_eq!(slots.get(second, &rcu::enter(thread::here())), Some(&2));
    assert_eq!(slots.remove(first, |_| true), Err(Missing::Destroyed));
    for foreign in [0, 1, 2, u64::MAX, 7 << 32 | 1, 1 << 32] {
        assert!(slots.get(foreign, &rcu::enter(thread::here())).is_none());
        assert_eq!(slots.missing(foreign), Missing::Foreign, "{foreign:#x}");
    }
    assert_eq!(slots.len(), 1);
}

/// Threads that read a value find it whole, or gone, never half.
#[test]
fn values_are_whole_while_threads_destroy_them() {
    static SLOTS: Slots<Box<[u64; 4]>> = Slots::new();
    let slots = &SLOTS;
    let handles: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
    let done = std::sync::atomic::AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for handle in &handles {
                        let handle = handle.load(Ordering::Relaxed);
                        if let Some(value) =
                            slots.get(handle, &rcu::enter(thread::here())).map(|value| **value)
                        {
                            assert_eq!(value, [value[0]; 4]);
                            seen.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
        let mut number = 0;
        while seen.load(Ordering::Relaxed) < 2000 || number < 20_000 {
            number += 1;
            let handle = &handles[number as usize % 4];
            if let Ok(Some(mut value)) = slots.remove(handle.load(Ordering::Relaxed), |_| true) {
                // Nobody sees this.
                value.iter_mut().zip(0..).for_each(|(word, index)| *word = index);
            }
            handle.store(slots.insert(Box::new([number; 4])).unwrap(), Ordering::Relaxed);
        }
        done.store(true, Ordering::Relaxed);
    });
}
