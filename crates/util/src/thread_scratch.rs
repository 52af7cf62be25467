//! Memory that a thread keeps from one use to the next.

use std::cell::RefCell;
use std::thread::LocalKey;

/// Runs with what the thread keeps under a key. A thread that is ending keeps nothing any more, and neither
/// does the main thread while the process's exit handlers run (from which programs destroy their devices):
/// there the value is a new one.
///
/// # Panics
/// When the body itself asks for the same.
pub fn with_scratch<T: Default, R>(key: &'static LocalKey<RefCell<T>>, body: impl FnOnce(&mut T) -> R) -> R {
    let mut body = Some(body);
    let kept = key.try_with(|kept| body.take().map(|body| body(&mut kept.borrow_mut())));
    match (kept, body) {
        (Ok(Some(result)), _) => result,
        (_, Some(body)) => body(&mut T::default()),
        (_, None) => unreachable!("what was taken has run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    thread_local! {
        static NUMBERS: RefCell<Vec<u32>> = RefCell::default();
        static LATE: RefCell<Late> = RefCell::default();
    }

    #[derive(Default)]
    struct Late(Option<mpsc::Sender<usize>>);

    impl Drop for Late {
        fn drop(&mut self) {
            // Whether the other value is gone already is the platform's affair.
            let count = with_scratch(&NUMBERS, |numbers| {
                numbers.push(2);
                numbers.len()
            });
            if let Some(sender) = &self.0 {
                let _ = sender.send(count);
            }
        }
    }

    #[test]
    fn what_a_thread_keeps_is_there_again_and_new_when_it_ends() {
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // Destructors run in the order in which the values were first used, or in the other.
            LATE.with_borrow_mut(|late| late.0 = Some(sender));
            with_scratch(&NUMBERS, |numbers| numbers.push(1));
            with_scratch(&NUMBERS, |numbers| assert_eq!(numbers, &[1]));
        });
        thread.join().expect("no panic");
        assert!(matches!(receiver.recv(), Ok(1 | 2)));
    }
}
