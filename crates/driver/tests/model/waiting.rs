//! No wake-up is lost.

use crate::check;
use crate::objects::sync::wait::{Waiters, wait};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

/// Something to wait for.
#[derive(Default)]
struct Flag {
    set: AtomicBool,
    waiters: Waiters,
}

impl Flag {
    fn signal(&self) {
        self.set.store(true, Ordering::Release);
        self.waiters.wake();
    }

    fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    fn wait(&self) {
        wait([&self.waiters].into_iter(), None, || self.is_set().then_some(())).expect("no deadline");
        assert!(self.is_set());
    }
}

#[test]
fn a_signal_ends_the_wait() {
    loom::model(|| {
        let flag = Arc::new(Flag::default());
        let signaller = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.signal())
        };
        flag.wait();
        signaller.join().expect("ends");
    });
}

#[test]
fn two_signals_end_a_wait_for_both() {
    check(3, || {
        let flags = Arc::new([Flag::default(), Flag::default()]);
        let signallers = [0, 1].map(|index: usize| {
            let flags = Arc::clone(&flags);
            thread::spawn(move || flags[index].signal())
        });
        let sources = flags.iter().map(|flag| &flag.waiters);
        wait(sources, None, || flags.iter().all(Flag::is_set).then_some(())).expect("no deadline");
        signallers.into_iter().for_each(|signaller| signaller.join().expect("ends"));
    });
}

#[test]
fn one_signal_ends_two_waits() {
    check(3, || {
        let flag = Arc::new(Flag::default());
        let waiter = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.wait())
        };
        let signaller = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.signal())
        };
        flag.wait();
        waiter.join().expect("ends");
        signaller.join().expect("ends");
    });
}
