//! A thread that compiles code in the background.

use pyro_util::budget::{self, Budget};
use pyro_util::sync::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

/// The thread; it starts with the first job.
#[derive(Default)]
pub(crate) struct Worker {
    /// Jobs that have not begun are dropped, and what the one that has compiles is given up.
    quits: Arc<AtomicBool>,
    thread: Mutex<Option<(Sender<Job>, JoinHandle<()>)>>,
}

impl Worker {
    /// Runs a job after those before it.
    pub(crate) fn run(&self, job: Job) {
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let (sender, jobs) = channel::<Job>();
            let quits = Arc::clone(&self.quits);
            let work = move || {
                let budget = Budget { cancel: Some(Arc::clone(&quits)), ..Budget::default() };
                for job in jobs.into_iter().take_while(|_| !quits.load(Ordering::Relaxed)) {
                    // Without this code, the general code goes on running.
                    let _ = catch_unwind(AssertUnwindSafe(|| budget::within(&budget, job)));
                }
            };
            let started = std::thread::Builder::new().name("pyroclast-make".to_owned()).spawn(work);
            *thread = started.ok().map(|handle| (sender, handle));
        }
        if let Some((sender, _)) = &*thread {
            // The thread ends with the worker.
            let _ = sender.send(job);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().take();
        self.quits.store(true, Ordering::Relaxed);
        if let Some((sender, handle)) = thread {
            drop(sender);
            let _ = handle.join();
        }
    }
}
