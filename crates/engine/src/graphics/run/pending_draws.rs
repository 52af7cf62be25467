//! Draws that another thread begins while their caller goes on, as it does to collect those behind them.
//!
//! One worker runs the list as the caller would, and shares its phases with the other workers. When the
//! caller needs the result, it works at these phases too; where all workers are busy with something else, it
//! runs the list itself. So as many threads are at work as if it had waited, and nothing about a list depends
//! on which thread runs it.

use super::List;
use crate::graphics::Frame;
use crate::graphics::state::Statistics;
use crate::pool::{PostedTask, thread_limit};
use crate::{DispatchError, Engine};
use pyro_util::sync::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

type RunList<'e> = Box<dyn FnOnce() + Send + 'e>;

/// Draws that may be running. Dropping this waits for them, or leaves them out where they have not begun.
#[must_use]
pub struct PendingDraws<'e> {
    task: PostedTask<'e, RunList<'e>>,
    ended: Arc<Ended>,
}

#[derive(Default)]
struct Ended {
    is_set: AtomicBool,
    result: Mutex<Option<Result<Statistics, DispatchError>>>,
}

impl Engine {
    /// Whether draws may run while the calling thread goes on: there are other threads, and invocations need
    /// not run in a fixed order.
    pub fn overlaps_draws(&self) -> bool {
        !self.has_fixed_order() && thread_limit() == 0 && self.pool.thread_count() > 1
    }

    /// Begins to run draws and what surrounds them.
    ///
    /// # Safety
    /// That of [`Engine::draw`], until the result has been finished or dropped, which is not forgotten.
    #[allow(unsafe_code)]
    pub unsafe fn begin_draws(&self, frame: Frame) -> PendingDraws<'_> {
        let ended = Arc::new(Ended::default());
        let result = Arc::clone(&ended);
        let list = List::new(frame);
        let run = Box::new(move || {
            // SAFETY: the caller vouches for the addresses of the draws.
            let ran = unsafe { self.run_list(list) };
            *result.result.lock() = Some(ran);
            result.is_set.store(true, Ordering::Release);
        });
        // SAFETY: the caller vouches for the addresses of the draws, which are all that the list reaches.
        PendingDraws { task: unsafe { self.pool.post(run as RunList<'_>) }, ended }
    }
}

impl PendingDraws<'_> {
    /// Whether all of them have ended.
    pub fn have_ended(&self) -> bool {
        self.ended.is_set.load(Ordering::Acquire)
    }

    /// Waits for their end, and helps; gives what they did.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when they were stopped.
    pub fn finish(self) -> Result<Statistics, DispatchError> {
        self.task.finish();
        // Without a result it has panicked.
        self.ended.result.lock().take().unwrap_or(Err(DispatchError::Aborted))
    }
}
