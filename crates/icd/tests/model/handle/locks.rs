//! At most one thread is inside a biased lock.

use super::biased_lock::BiasedLock;
use super::{rcu, thread};
use loom::cell::UnsafeCell;
use loom::sync::Arc;

/// Enters once, taking the lock from another thread where that holds it. False: others took it back
/// meanwhile.
fn add_one(lock: &BiasedLock<UnsafeCell<u64>>) -> bool {
    for _ in 0..2 {
        let section = rcu::enter(thread::here());
        if let Some(inside) = lock.enter(&section) {
            assert!(lock.enter(&section).is_none(), "inside twice");
            // SAFETY: the checker fails if this meets another thread's.
            #[allow(unsafe_code)]
            inside.with_mut(|value| unsafe { *value += 1 });
            return true;
        }
        let reader = section.reader();
        drop(section);
        assert!(lock.hold(reader));
    }
    false
}

/// Seen failing when `BiasedLock::hold` does not wait for the former holder, and when the exchange in
/// `rcu::begin` is left out.
#[test]
fn one_thread_is_inside() {
    // All orders with so many preemptions: all at all are too many.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let lock = Arc::new(BiasedLock::new(UnsafeCell::new(0)));
        let shared = Arc::clone(&lock);
        let other = loom::thread::spawn(move || u64::from(add_one(&shared)));
        let entered = u64::from(add_one(&lock)) + other.join().unwrap();
        let lock = Arc::try_unwrap(lock).ok().expect("nobody else has it");
        // SAFETY: it is this thread's alone.
        #[allow(unsafe_code)]
        lock.into_inner().with(|value| assert_eq!(unsafe { *value }, entered));
    });
}
