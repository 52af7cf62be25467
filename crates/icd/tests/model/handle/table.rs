//! What a handle of the table names is whole, or gone, and is taken out by one thread.

use super::primitives::UnsafeCell;
use super::slots::{Missing, Slots};
use super::{rcu, thread};
use loom::sync::Arc;

/// An object whose accesses the checker follows.
struct Object(UnsafeCell<u64>);

// SAFETY: that accesses of the value do not meet is what is checked.
#[allow(unsafe_code)]
unsafe impl Send for Object {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Object {}

impl Object {
    fn new(value: u64) -> Object {
        Object(UnsafeCell::new(value))
    }

    fn value(&self) -> u64 {
        // SAFETY: the checker fails if this meets a write.
        #[allow(unsafe_code)]
        self.0.with(|value| unsafe { *value })
    }

    /// As the destruction of an object that was taken out.
    fn end(self) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        self.0.with_mut(|value| unsafe { *value = 0 });
    }
}

/// The value that a handle names now.
fn find(slots: &Slots<Object>, handle: u64) -> Option<u64> {
    let section = rcu::enter(thread::here());
    slots.get(handle, &section).map(Object::value)
}

/// Checks all orders with up to so many preemptions.
fn bounded(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(body);
}

/// Seen failing when `Slots::remove` does not wait for readers.
#[test]
fn a_value_is_whole_or_gone() {
    bounded(3, || {
        let slots = Arc::new(Slots::new());
        let handle = slots.insert(Object::new(77)).expect("a slot");
        let shared = Arc::clone(&slots);
        let reader = loom::thread::spawn(move || {
            let found = find(&shared, handle);
            assert!(found.is_none_or(|value| value == 77));
            found.is_some() || shared.missing(handle) == Missing::Destroyed
        });
        let Ok(Some(object)) = slots.remove(handle, |_| true) else { panic!("it was there") };
        object.end();
        assert!(reader.join().unwrap());
        assert_eq!(find(&slots, handle), None);
    });
}

/// Two threads destroy the same object. Seen failing when the handle is cleared by a store instead of an
/// exchange.
#[test]
fn one_of_two_threads_takes_a_value() {
    bounded(2, || {
        let slots = Arc::new(Slots::new());
        let handle = slots.insert(Object::new(77)).expect("a slot");
        let shared = Arc::clone(&slots);
        let take = move |slots: &Slots<Object>| match slots.remove(handle, |object| object.value() == 77) {
            Ok(Some(object)) => {
                object.end();
                true
            }
            Ok(None) => panic!("it is wanted"),
            Err(missing) => {
                assert_eq!(missing, Missing::Destroyed);
                false
            }
        };
        let other = loom::thread::spawn(move || take(&shared));
        let own = take(&slots);
        assert!(own != other.join().unwrap(), "one takes it");
    });
}

/// A slot is used again while a thread looks for what was there, and while another one makes an object. Seen
/// failing when `Slots::insert` publishes the handle with a relaxed store.
#[test]
fn a_destroyed_handle_never_names_the_next_object() {
    bounded(2, || {
        let slots = Arc::new(Slots::new());
        let first = slots.insert(Object::new(1)).expect("a slot");
        let shared = Arc::clone(&slots);
        let other = loom::thread::spawn(move || {
            let found = find(&shared, first);
            assert!(found.is_none_or(|value| value == 1), "another object");
            // What would be the slot's next handle.
            let guessed = find(&shared, first + (1 << 32));
            assert!(guessed.is_none_or(|value| value == 2), "half an object");
        });
        let Ok(Some(object)) = slots.remove(first, |_| true) else { panic!("it was there") };
        object.end();
        let second = slots.insert(Object::new(2)).expect("a slot");
        assert_eq!(second, first + (1 << 32));
        other.join().unwrap();
        assert_eq!(find(&slots, second), Some(2));
    });
}

/// Two threads make objects at once, the first ones of a chunk and of another.
#[test]
fn threads_make_objects_at_once() {
    bounded(2, || {
        let slots = Arc::new(Slots::new());
        let shared = Arc::clone(&slots);
        let make = |slots: &Slots<Object>, value| {
            let handle = slots.insert(Object::new(value)).expect("a slot");
            assert_eq!(find(slots, handle), Some(value));
            handle
        };
        let other = loom::thread::spawn(move || make(&shared, 1));
        let own = [2, 3].map(|value| make(&slots, value));
        let handles = [own[0], own[1], other.join().unwrap()];
        assert!(handles[0] != handles[1] && handles[1] != handles[2] && handles[0] != handles[2]);
        assert_eq!(handles.map(|handle| find(&slots, handle)), [Some(2), Some(3), Some(1)]);
    });
}
