//! Fences, semaphores and events.

use crate::check;
use crate::objects::sync::payload::{Kind, Payload};
use crate::objects::sync::{Event, Fence, Semaphore, wait, wait_fences, wait_semaphores};
use crate::primitives::{AtomicBool, Ordering};
use loom::thread;
use std::sync::Arc;

const EVER: u64 = u64::MAX;

fn fence() -> Arc<Fence> {
    Arc::new(Fence::new(false, false).expect("a fence"))
}

fn timeline(value: u64) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(Some(value), false).expect("a timeline"))
}

#[test]
fn any_of_two_fences_ends_a_wait() {
    check(2, || {
        let (fences, lost) = ([fence(), fence()], AtomicBool::new(false));
        let other = Arc::clone(&fences[1]);
        let signaller = thread::spawn(move || other.signal());
        assert_eq!(wait_fences(&fences, false, EVER, &lost), Ok(true));
        assert!(fences[1].is_signaled() && !fences[0].is_signaled());
        signaller.join().expect("ends");
    });
}

#[test]
fn all_of_two_fences_end_a_wait() {
    check(2, || {
        let (fences, lost) = ([fence(), fence()], AtomicBool::new(false));
        let signallers = fences.clone().map(|fence| thread::spawn(move || fence.signal()));
        assert_eq!(wait_fences(&fences, true, EVER, &lost), Ok(true));
        assert!(fences.iter().all(|fence| fence.is_signaled()));
        signallers.into_iter().for_each(|signaller| signaller.join().expect("ends"));
    });
}

#[test]
fn a_timeline_ends_waits_in_its_order() {
    check(2, || {
        let (one, lost) = (timeline(1), AtomicBool::new(false));
        let waiter = {
            let one = Arc::clone(&one);
            thread::spawn(move || {
                assert_eq!(
                    wait_semaphores(&[(Arc::clone(&one), 3)], true, EVER, &AtomicBool::new(false)),
                    Ok(true)
                );
                assert_eq!(one.counter(), Ok(3));
            })
        };
        one.signal_host(2).expect("larger");
        assert_eq!(wait_semaphores(&[(Arc::clone(&one), 2)], true, EVER, &lost), Ok(true));
        one.signal_host(3).expect("larger");
        assert!(one.signal_host(3).is_err());
        waiter.join().expect("ends");
    });
}

#[test]
fn any_of_two_timelines_ends_a_wait() {
    check(2, || {
        let (both, lost) = ([timeline(0), timeline(0)], AtomicBool::new(false));
        let other = Arc::clone(&both[0]);
        let signaller = thread::spawn(move || other.signal_host(7).expect("larger"));
        let pairs = both.clone().map(|one| (one, 5));
        assert_eq!(wait_semaphores(&pairs, false, EVER, &lost), Ok(true));
        signaller.join().expect("ends");
    });
}

#[test]
fn one_wait_takes_a_binary_semaphores_signal() {
    check(2, || {
        let (payload, holders) = (Payload::new(Kind::Binary, 1), Arc::new(AtomicBool::new(false)));
        // Who has the signal is alone, and hands it on.
        let pass = |payload: &Arc<Payload>, holders: &AtomicBool| {
            let sources = [payload].into_iter().map(Payload::waiters);
            wait::wait(sources, None, || payload.acquire(0).then_some(()));
            assert!(!holders.swap(true, Ordering::AcqRel), "another has it too");
            holders.store(false, Ordering::Release);
            payload.signal(0);
        };
        let other = {
            let (payload, holders) = (Arc::clone(&payload), Arc::clone(&holders));
            thread::spawn(move || pass(&payload, &holders))
        };
        pass(&payload, &holders);
        other.join().expect("ends");
        assert!(payload.reached(0));
    });
}

#[test]
fn an_import_is_whole_or_not_there() {
    check(3, || {
        let semaphore = Arc::new(Semaphore::new(None, false).expect("a semaphore"));
        let importer = {
            let semaphore = Arc::clone(&semaphore);
            thread::spawn(move || semaphore.import(Payload::new(Kind::Binary, 1), true))
        };
        // Either its own payload, unsignaled, or the imported one, which then is gone.
        let first = semaphore.payload_to_wait().acquire(0);
        importer.join().expect("ends");
        assert_eq!(semaphore.payload_to_wait().acquire(0), !first);
        assert!(!semaphore.payload_to_wait().acquire(0));
    });
}

#[test]
fn an_event_set_by_the_host_ends_a_wait() {
    check(3, || {
        let event = Arc::new(Event::default());
        let host = {
            let event = Arc::clone(&event);
            thread::spawn(move || event.put(true))
        };
        wait::wait([event.waiters()].into_iter(), None, || event.is_set().then_some(()));
        host.join().expect("ends");
    });
}

#[test]
fn device_loss_is_seen_by_status_queries() {
    check(3, || {
        let (one, lost) = (fence(), Arc::new(AtomicBool::new(false)));
        let loser = {
            // As queues do: the device is lost first, then what is left is signaled.
            let (one, lost) = (Arc::clone(&one), Arc::clone(&lost));
            thread::spawn(move || {
                lost.store(true, Ordering::Release);
                one.signal();
            })
        };
        assert!(wait_fences(&[one], true, EVER, &lost).is_err());
        loser.join().expect("ends");
    });
}
