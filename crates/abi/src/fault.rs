//! Signals that generated code has raised, as text, until the engine whose work it was asks.

use pyro_util::sync::Mutex;

/// Stands for any engine, where it is not known which one it was.
pub const NO_ENGINE: u64 = 0;

/// Messages that are kept at most; later ones are dropped.
const MESSAGES_MAX: usize = 64;

/// The addresses of engines' abort flags, and messages.
static MESSAGES: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());

/// Keeps a message for the engine whose flag [`crate::DispatchContext::abort`] names.
pub fn record(abort: u64, message: String) {
    let mut messages = MESSAGES.lock();
    if messages.len() < MESSAGES_MAX {
        messages.push((abort, message));
    }
}

/// Takes all messages for the engine with this flag; gives the first.
pub fn take(abort: u64) -> Option<String> {
    let mut messages = MESSAGES.lock();
    messages.extract_if(.., |(of, _)| *of == abort).map(|(_, message)| message).reduce(|first, _| first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_take_their_own_messages() {
        for (abort, text) in [(7, "a"), (8, "b"), (7, "c")] {
            record(abort, text.to_owned());
        }
        assert_eq!(take(7).as_deref(), Some("a"));
        assert_eq!(take(7), None);
        assert_eq!(take(8).as_deref(), Some("b"));
    }
}
