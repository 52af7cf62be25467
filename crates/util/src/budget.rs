//! How long the work of a thread may go on.
//!
//! Problem: compiling must end, when it takes too long or when nobody wants the result any more, from
//! whatever loop it is in, and with an error that says why.
//!
//! Approach: the thread that compiles has a *budget*: a deadline, and a flag by which other threads cancel
//! the work. Long loops call [`check`], or [`check_often`] where they are short, and return what it returns.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// It has taken longer than this.
    Time(Duration),
    /// Another thread has cancelled it.
    Cancelled,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spent::Time(limit) => {
                write!(f, "it takes longer than {} s (PYROCLAST_COMPILE_SECONDS)", limit.as_secs_f64())
            }
            Spent::Cancelled => f.write_str("it was cancelled"),
        }
    }
}

impl std::error::Error for Spent {}

/// What work may take.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time from when the work begins; `None` for any.
    pub limit: Option<Duration>,
    /// The work ends once this is set.
    pub cancel: Option<Arc<AtomicBool>>,
}

#[derive(Clone, Debug, Default)]
struct Current {
    deadline: Option<(Instant, Duration)>,
    cancel: Option<Arc<AtomicBool>>,
}

/// One of so many calls of [`check_often`] looks at the budget.
const CALLS_PER_CHECK: u32 = 256;

thread_local! {
    static CURRENT: RefCell<Current> = RefCell::default();
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Puts back the budget around the work, even if that panics.
struct Restore(Current);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = CURRENT.try_with(|current| std::mem::swap(&mut *current.borrow_mut(), &mut self.0));
    }
}

/// Runs work on this thread under a budget, besides the one that it is under already.
pub fn within<R>(budget: &Budget, work: impl FnOnce() -> R) -> R {
    let deadline = budget.limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
    // A thread that is ending has no budget.
    let around = CURRENT.try_with(|current| {
        let around = current.borrow().clone();
        let first = [around.deadline, deadline].into_iter().flatten().min_by_key(|deadline| deadline.0);
        let cancel = budget.cancel.clone().or_else(|| around.cancel.clone());
        *current.borrow_mut() = Current { deadline: first, cancel };
        around
    });
    let _restore = around.ok().map(Restore);
    work()
}

/// Looks at the budget of this thread.
///
/// # Errors
/// [`Spent`] when the work has to end.
pub fn check() -> Result<(), Spent> {
    let look = |current: &RefCell<Current>| {
        let current = current.borrow();
        if current.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Spent::Cancelled);
        }
        match current.deadline {
            Some((end, limit)) if Instant::now() >= end => Err(Spent::Time(limit)),
            _ => Ok(()),
        }
    };
    CURRENT.try_with(look).unwrap_or(Ok(()))
}

/// The same for short loops: most calls do nothing.
///
/// # Errors
/// As of [`check`].
pub fn check_often() -> Result<(), Spent> {
    let is_due = CALLS.try_with(|calls| {
        calls.set((calls.get() + 1) % CALLS_PER_CHECK);
        calls.get() == 0
    });
    if is_due.unwrap_or(false) { check() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Budget {
        Budget { limit: Some(Duration::from_secs(seconds)), cancel: None }
    }

    #[test]
    fn without_a_budget_work_goes_on() {
        assert_eq!(check(), Ok(()));
        within(&Budget::default(), || assert_eq!(check(), Ok(())));
    }

    #[test]
    fn the_earlier_deadline_counts() {
        within(&seconds(0), || {
            assert_eq!(check(), Err(Spent::Time(Duration::ZERO)));
            within(&seconds(1000), || assert_eq!(check(), Err(Spent::Time(Duration::ZERO))));
        });
        within(&seconds(1000), || {
            within(&seconds(0), || assert!(check().is_err()));
            assert_eq!(check(), Ok(()));
        });
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn others_cancel() {
        let cancel = Arc::new(AtomicBool::new(false));
        let budget = Budget { cancel: Some(Arc::clone(&cancel)), ..Budget::default() };
        within(&budget, || {
            assert_eq!(check(), Ok(()));
            cancel.store(true, Ordering::Relaxed);
            within(&seconds(1000), || assert_eq!(check(), Err(Spent::Cancelled)));
        });
    }

    #[test]
    fn a_panic_ends_the_budget() {
        let result = std::panic::catch_unwind(|| within(&seconds(0), || panic!("in the work")));
        assert!(result.is_err() && check().is_ok());
    }

    #[test]
    fn short_loops_end_too() {
        within(&seconds(0), || assert!((0..CALLS_PER_CHECK).any(|_| check_often().is_err())));
    }
}
