//! Each thread takes the fault that its own handler has left.

use super::Fault;
use super::slots::Faults;
use crate::check;
use loom::sync::Arc;

/// Leaves a fault and takes it; false when there was no room.
fn pass(faults: &Faults, number: u64) -> bool {
    let fault = Fault { signal: number as i32, address: number, instruction: number };
    let found = faults.take(faults.put(fault));
    assert!(found.is_none_or(|found| found == fault), "{found:?} of {number}");
    found.is_some()
}

/// Seen failing when a slot is free before the fault is read, and when it is taken by a load and a store.
#[test]
fn threads_take_their_own_faults() {
    check(3, || {
        let faults = Arc::new(Faults::new());
        let shared = Arc::clone(&faults);
        let other = loom::thread::spawn(move || pass(&shared, 2));
        let own = pass(&faults, 1);
        assert!(other.join().expect("it passes one") || own, "one has the slot");
        assert!(pass(&faults, 3), "it is free");
    });
}
