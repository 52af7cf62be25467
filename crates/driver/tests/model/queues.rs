//! Queues.

use crate::check;
use crate::command::CommandList;
use crate::objects::device_core::DeviceCore;
use crate::objects::sync::{Fence, Semaphore, wait_fences};
use crate::primitives::{AtomicBool, Ordering};
use crate::queue::{Batch, Queue};
use loom::thread;
use std::sync::Arc;

const EVER: u64 = u64::MAX;

struct World {
    device: Arc<DeviceCore>,
    queue: Queue,
    fence: Arc<Fence>,
    lost: AtomicBool,
}

impl World {
    fn new() -> World {
        let device = Arc::new(DeviceCore::default());
        World {
            queue: Queue::new(&device, 0, 0),
            device,
            fence: Arc::new(Fence::new(false, false).expect("a fence")),
            lost: AtomicBool::new(false),
        }
    }

    fn batch(&self, list: &Arc<CommandList>) -> Batch {
        Batch { lists: vec![Arc::clone(list)], fence: Some(self.fence.payload()), ..Batch::default() }
    }

    fn wait(&self) {
        let waited = wait_fences(std::slice::from_ref(&self.fence), true, EVER, &self.lost);
        assert_eq!(waited, Ok(true));
    }
}

fn runs(list: &CommandList) -> u64 {
    assert_eq!(list.pending.load(Ordering::Acquire), 0, "nothing is pending any more");
    list.runs.load(Ordering::Acquire)
}

#[test]
fn a_batch_signals_its_fence_when_it_has_run() {
    check(2, || {
        let world = World::new();
        let list = CommandList::new(false, false);
        world.queue.submit(vec![world.batch(&list)]).expect("submitted");
        world.wait();
        assert_eq!(runs(&list), 1);
        world.queue.wait_idle().expect("idle");
    });
}

#[test]
fn short_batches_keep_the_order() {
    check(2, || {
        let world = World::new();
        // The first may still run on the queue's thread when the second, which is short, comes.
        let (long, short) = (CommandList::new(false, false), CommandList::new(true, false));
        let first = Batch { lists: vec![Arc::clone(&long)], ..Batch::default() };
        world.queue.submit(vec![first]).expect("submitted");
        world.queue.submit(vec![world.batch(&short)]).expect("submitted");
        world.wait();
        assert_eq!((runs(&long), runs(&short)), (1, 1));
    });
}

#[test]
fn two_threads_submit() {
    check(1, || {
        let world = Arc::new(World::new());
        let lists = [CommandList::new(true, false), CommandList::new(false, false)];
        let submit = |world: &World, list: &Arc<CommandList>| {
            let batch = Batch { lists: vec![Arc::clone(list)], ..Batch::default() };
            world.queue.submit(vec![batch]).expect("submitted");
        };
        let other = {
            let (world, list) = (Arc::clone(&world), Arc::clone(&lists[0]));
            thread::spawn(move || submit(&world, &list))
        };
        submit(&world, &lists[1]);
        other.join().expect("ends");
        world.queue.wait_idle().expect("idle");
        assert_eq!(lists.each_ref().map(|list| runs(list)), [1, 1]);
    });
}

#[test]
fn a_wait_may_come_before_its_signal() {
    check(2, || {
        let world = World::new();
        let timeline = Semaphore::new(Some(0), false).expect("a timeline");
        let list = CommandList::new(true, false);
        let batch = Batch { waits: vec![(timeline.payload(), 2)], ..world.batch(&list) };
        world.queue.submit(vec![batch]).expect("submitted");
        timeline.signal_host(2).expect("larger");
        world.wait();
        assert_eq!(runs(&list), 1);
    });
}

#[test]
fn queues_hand_over_by_a_binary_semaphore() {
    check(1, || {
        let world = World::new();
        let second = Queue::new(&world.device, 1, 0);
        let semaphore = Semaphore::new(None, false).expect("a semaphore");
        let (first, then) = (CommandList::new(false, false), CommandList::new(false, false));
        let batch = Batch { waits: vec![(semaphore.payload_to_wait(), 0)], ..world.batch(&then) };
        second.submit(vec![batch]).expect("submitted");
        let signals = vec![(semaphore.payload(), 0)];
        let batch = Batch { lists: vec![Arc::clone(&first)], signals, ..Batch::default() };
        world.queue.submit(vec![batch]).expect("submitted");
        world.wait();
        assert_eq!((runs(&first), runs(&then)), (1, 1));
        assert!(!semaphore.payload().reached(0), "the wait took the signal");
    });
}

#[test]
fn device_loss_wakes_all_waiters() {
    check(2, || {
        let world = World::new();
        let (fatal, never) = (CommandList::new(false, true), CommandList::new(false, false));
        let first = Batch { lists: vec![Arc::clone(&fatal)], ..Batch::default() };
        // Submitted together, so that the second is there before the device is lost.
        world.queue.submit(vec![first, world.batch(&never)]).expect("submitted");
        world.wait();
        assert!(world.device.is_lost() && world.queue.wait_idle().is_err());
        assert_eq!((runs(&fatal), runs(&never)), (1, 0));
        assert!(world.queue.submit(Vec::new()).is_err());
    });
}

#[test]
fn a_device_goes_away_under_a_wait() {
    check(2, || {
        let world = World::new();
        let timeline = Semaphore::new(Some(0), false).expect("a timeline");
        let list = CommandList::new(false, false);
        let batch = Batch { waits: vec![(timeline.payload(), 1)], ..world.batch(&list) };
        world.queue.submit(vec![batch]).expect("submitted");
        let World { queue, fence, .. } = world;
        drop(queue);
        assert!(fence.is_signaled(), "nobody waits for ever");
        assert_eq!(runs(&list), 0);
    });
}
