//! Which step of a long computation a thread is in, for a profiler.
//!
//! Whoever wants to know says so once, in a process ([`observe`]); until then a step costs one load.

use std::sync::OnceLock;

/// Gets the name of a step that begins on the calling thread, and nothing when steps end.
pub type Observer = fn(Option<&'static str>);

static OBSERVER: OnceLock<Observer> = OnceLock::new();

/// Wants to know of all steps. The first who does so is told.
pub fn observe(observer: Observer) {
    let _ = OBSERVER.set(observer);
}

/// A step begins on this thread, and the one before it ends.
#[inline]
pub fn begin(name: &'static str) {
    if let Some(observer) = OBSERVER.get() {
        observer(Some(name));
    }
}

/// The thread's steps have ended.
#[inline]
pub fn end() {
    if let Some(observer) = OBSERVER.get() {
        observer(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Mutex;

    static SEEN: Mutex<Vec<Option<&'static str>>> = Mutex::new(Vec::new());

    #[test]
    fn steps_are_told_once_somebody_asks() {
        begin("before");
        observe(|name| SEEN.lock().push(name));
        observe(|_| unreachable!("another one observes"));
        begin("first");
        begin("second");
        end();
        assert_eq!(*SEEN.lock(), [Some("first"), Some("second"), None]);
    }
}
