//! The slots in which callers share work with workers, in every order in which threads can run, by a model
//! checker. The engine's own source is compiled here once more, over the checker's primitives.
//!
//! The checker treats sequentially consistent accesses as acquire and release. That is weaker than what they
//! are, so what holds here holds there; that a sleeping worker is woken rests on the stronger order, but is
//! no part of what callers are promised.

#[path = "../../src/pool/job_slots.rs"]
mod job_slots;

use job_slots::JobSlots;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};

/// The model checker's primitives.
mod primitives {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicU32, Ordering};

    /// So that callers meet in one.
    pub(crate) const SLOT_COUNT: usize = 1;
    /// Threads go to sleep at once.
    pub(crate) const LOOKS: u32 = 1;

    pub(crate) struct Patience;

    impl Patience {
        pub(crate) fn new() -> Patience {
            Patience
        }

        pub(crate) fn is_over(&self) -> bool {
            true
        }
    }

    /// The checker's locks with the face of [`pyro_util::sync`].
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    pub(crate) use loom::sync::MutexGuard;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Mutex<T> {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("the model catches no panics")
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Mutex<T> {
            Mutex::new(T::default())
        }
    }

    pub(crate) struct Condvar(loom::sync::Condvar);

    impl Default for Condvar {
        fn default() -> Condvar {
            Condvar(loom::sync::Condvar::new())
        }
    }

    impl Condvar {
        pub(crate) fn wait<'m, T>(&self, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
            self.0.wait(guard).expect("the model catches no panics")
        }

        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

/// As in the engine.
pub(crate) trait Work: Sync {
    /// Takes and does parts until none is left.
    ///
    /// # Safety
    /// None is needed here.
    #[allow(unsafe_code)]
    unsafe fn work(&self);
}

/// Parts that threads take; each marks itself in a cell that the checker watches.
struct Parts {
    next: AtomicU32,
    done: [AtomicU32; 2],
    /// Read by whoever works, written by the owner before and after: the checker fails where these meet.
    lives: UnsafeCell<bool>,
}

// SAFETY: that accesses of `lives` do not meet is what is checked.
#[allow(unsafe_code)]
unsafe impl Sync for Parts {}

impl Parts {
    fn new() -> Parts {
        Parts { next: AtomicU32::new(0), done: Default::default(), lives: UnsafeCell::new(true) }
    }

    /// Ends the work's life, as its owner's stack frame does; says how often each part was done.
    fn end(&self) -> [u32; 2] {
        // SAFETY: the checker has found that nobody else accesses it.
        #[allow(unsafe_code)]
        self.lives.with_mut(|lives| unsafe { *lives = false });
        [0, 1].map(|part| self.done[part].load(Ordering::Relaxed))
    }
}

impl Work for Parts {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        loop {
            // SAFETY: the checker has found that nobody writes it meanwhile.
            assert!(self.lives.with(|lives| unsafe { *lives }), "a worker is at work that has ended");
            let part = self.next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some(done) = self.done.get(part) else { return };
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Shares work once, and checks that all of it has been done once when the call returns.
fn share(slots: &JobSlots, wanted: u32) {
    let parts = Parts::new();
    // SAFETY: the work follows no addresses.
    #[allow(unsafe_code)]
    unsafe {
        slots.share(&parts, wanted, 0);
    }
    assert_eq!(parts.end(), [1, 1]);
}

/// Every order of threads with at most so many changes of thread against their will.
fn check(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    // Workers that look for work make many steps.
    model.max_branches = 20_000;
    model.check(body);
}

#[test]
fn a_worker_is_gone_when_the_work_ends() {
    check(2, || {
        let slots = Arc::new(JobSlots::default());
        let worker = {
            let slots = Arc::clone(&slots);
            loom::thread::spawn(move || slots.serve())
        };
        share(&slots, 1);
        slots.quit();
        worker.join().expect("the worker ends");
    });
}

#[test]
fn two_workers_do_each_part_once() {
    check(1, || {
        let slots = Arc::new(JobSlots::default());
        let workers = [(); 2].map(|()| {
            let slots = Arc::clone(&slots);
            loom::thread::spawn(move || slots.serve())
        });
        share(&slots, 2);
        slots.quit();
        workers.into_iter().for_each(|worker| worker.join().expect("the worker ends"));
    });
}

#[test]
fn a_slot_has_one_owner_at_a_time() {
    check(1, || {
        let slots = Arc::new(JobSlots::default());
        let threads = {
            let (worker, caller) = (Arc::clone(&slots), Arc::clone(&slots));
            [loom::thread::spawn(move || worker.serve()), loom::thread::spawn(move || share(&caller, 1))]
        };
        share(&slots, 1);
        let [worker, caller] = threads;
        caller.join().expect("the other caller ends");
        slots.quit();
        worker.join().expect("the worker ends");
    });
}

#[test]
fn posted_work_is_done_once_and_gone_when_its_owner_has_waited() {
    check(2, || {
        let slots = Arc::new(JobSlots::default());
        let worker = {
            let slots = Arc::clone(&slots);
            loom::thread::spawn(move || slots.serve())
        };
        let parts = Parts::new();
        let posted = slots.post().expect("a slot is free");
        assert_eq!(posted.helper(), 1, "it is the first slot");
        // SAFETY: the work follows no addresses, and lives until the slot is dropped.
        #[allow(unsafe_code)]
        unsafe {
            posted.open(&parts);
        }
        posted.close();
        // SAFETY: as above: what no worker has taken is the owner's.
        #[allow(unsafe_code)]
        unsafe {
            parts.work();
        }
        posted.wait();
        drop(posted);
        assert_eq!(parts.end(), [1, 1]);
        slots.quit();
        worker.join().expect("the worker ends");
    });
}
