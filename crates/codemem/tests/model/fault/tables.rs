//! Whoever looks for an address finds a range that was entered, or none, and what that range is of.

use super::ranges::Table;
use crate::check;
use crate::primitives::{AtomicUsize, Ordering};
use loom::sync::Arc;

/// The first address of the range that an address is in.
fn find(table: &Table<AtomicUsize>, address: usize) -> Option<usize> {
    table.find(address).map(|(start, _)| start)
}

/// A table with the range of addresses 10 to 19, which is of 1; the number of its entry.
fn table() -> (Arc<Table<AtomicUsize>>, usize) {
    let table = Arc::new(Table::new());
    let number = table.insert(10, 20, |of: &AtomicUsize| of.store(1, Ordering::Relaxed)).expect("a place");
    (table, number)
}

/// An entry is used again, for other addresses and for the first ones, while a thread looks for an address
/// that is in none of them. Seen failing when only the start is read twice, and when nothing is.
#[test]
fn addresses_between_ranges_are_in_none() {
    check(3, || {
        let (table, first) = table();
        let shared = Arc::clone(&table);
        let reader = loom::thread::spawn(move || assert_eq!(find(&shared, 25), None));
        table.remove(first, |_| {});
        let second = table.insert(30, 40, |_| {}).expect("a place");
        assert_eq!(second, first, "the entry is used again");
        table.remove(second, |_| {});
        table.insert(10, 20, |_| {}).expect("a place");
        reader.join().expect("it looks");
        assert_eq!((find(&table, 15), find(&table, 30)), (Some(10), None));
    });
}

/// A free entry is used while a thread looks for an address below. Seen failing when a range's end is
/// compared without its version.
#[test]
fn addresses_below_a_new_range_are_in_none() {
    check(3, || {
        let (table, first) = table();
        table.remove(first, |_| {});
        let shared = Arc::clone(&table);
        let reader = loom::thread::spawn(move || assert_eq!(find(&shared, 5), None));
        table.insert(10, 20, |_| {}).expect("a place");
        reader.join().expect("it looks");
        assert_eq!(find(&table, 10), Some(10));
    });
}

/// Seen failing when what a range is of is written behind the range, and when ranges are stored relaxed.
#[test]
fn what_a_range_is_of_is_there_with_it() {
    check(3, || {
        let table = Arc::new(Table::<AtomicUsize>::new());
        let shared = Arc::clone(&table);
        let reader = loom::thread::spawn(move || {
            let of = |address| shared.find(address).map(|(_, of)| of.load(Ordering::Relaxed));
            assert!(of(15).is_none_or(|of| of == 1));
            assert!(of(35).is_none_or(|of| of == 2));
        });
        table.insert(10, 20, |of| of.store(1, Ordering::Relaxed)).expect("a place");
        // In a chunk of its own.
        table.insert(30, 40, |of| of.store(2, Ordering::Relaxed)).expect("a place");
        assert_eq!(table.insert(50, 60, |_| {}), None, "the table is full");
        reader.join().expect("it looks");
    });
}

/// A range that stays is found while others come and go.
#[test]
fn a_range_is_found_while_others_change() {
    check(3, || {
        let (table, first) = table();
        table.insert(30, 40, |_| {}).expect("a place");
        let shared = Arc::clone(&table);
        let reader = loom::thread::spawn(move || assert_eq!(find(&shared, 35), Some(30)));
        table.remove(first, |_| {});
        table.insert(10, 12, |_| {}).expect("a place");
        reader.join().expect("it looks");
    });
}

/// Seen failing when an entry's number is read before the lock is taken.
#[test]
fn threads_enter_ranges_at_once() {
    check(3, || {
        let table = Arc::new(Table::<AtomicUsize>::new());
        let shared = Arc::clone(&table);
        let other = loom::thread::spawn(move || shared.insert(30, 40, |_| {}));
        let own = table.insert(10, 20, |_| {});
        assert_ne!(own, other.join().expect("it enters one"));
        assert_eq!((find(&table, 15), find(&table, 35)), (Some(10), Some(30)));
    });
}
