//! Stops dispatches that run for too long.

use pyro_util::sync::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[derive(Default)]
struct State {
    /// When each dispatch in flight must have ended, by ticket.
    deadlines: Vec<(u64, Instant)>,
    next_ticket: u64,
    quit: bool,
}

/// A thread that sets the abort flag when a dispatch passes its deadline.
pub(crate) struct Watchdog {
    limit: Duration,
    shared: Arc<(Mutex<State>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

/// Takes the deadline away when dropped.
pub(crate) struct Deadline<'w> {
    watchdog: &'w Watchdog,
    ticket: u64,
}

impl Watchdog {
    pub(crate) fn new(limit: Duration, abort: Arc<AtomicU32>) -> Watchdog {
        let shared = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let seen = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("pyro-watchdog".to_owned())
            .spawn(move || {
                let (state, changed) = &*seen;
                let mut state = state.lock();
                while !state.quit {
                    let now = Instant::now();
                    let next = state.deadlines.iter().map(|&(_, at)| at).min();
                    let wait = match next {
                        Some(at) if at <= now => {
                            abort.store(1, Ordering::Relaxed);
                            state.deadlines.clear();
                            continue;
                        }
                        Some(at) => at - now,
                        None => Duration::from_secs(3600),
                    };
                    state = changed.wait_timeout(state, wait).0;
                }
            })
            .ok();
        Watchdog { limit, shared, thread }
    }

    /// Counts a dispatch's time from now until the result is dropped.
    pub(crate) fn watch(&self) -> Deadline<'_> {
        let mut state = self.shared.0.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.deadlines.push((ticket, Instant::now() + self.limit));
        if state.deadlines.len() == 1 {
            self.shared.1.notify_one();
        }
        Deadline { watchdog: self, ticket }
    }
}

impl Drop for Deadline<'_> {
    fn drop(&mut self) {
        let mut state = self.watchdog.shared.0.lock();
        state.deadlines.retain(|&(ticket, _)| ticket != self.ticket);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.0.lock().quit = true;
        self.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
