//! Panics of the driver, which it catches, and hangs, which nobody catches.

use pyro_test_environment::number;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// Longer than any round takes on a machine that does other things too.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Default)]
struct State {
    /// What runs, and since when.
    round: Option<(String, Instant)>,
    panics: Vec<String>,
}

static STATE: Mutex<State> = Mutex::new(State { round: None, panics: Vec::new() });
static START: Once = Once::new();

/// Runs `body` on each seed from `PYRO_SEED` on, as often as `PYRO_MUTATIONS` says, at most `most` times.
///
/// # Panics
/// When something panics in the driver. A process that hangs is aborted.
pub fn rounds(count: u64, most: u64, mut body: impl FnMut(u64)) {
    let (first, count) = (number("PYRO_SEED", 1_u64), number("PYRO_MUTATIONS", count).min(most));
    for seed in first..first.saturating_add(count) {
        let name = format!("PYRO_SEED={seed}");
        let ((), panics) = round(&name, || body(seed));
        assert!(panics.is_empty(), "{name}: {}", panics.join("\n"));
    }
}

/// Runs `body`, which is called so; gives what panicked in the driver, too. A process that hangs is aborted.
pub fn round<T>(name: &str, body: impl FnOnce() -> T) -> (T, Vec<String>) {
    START.call_once(|| {
        std::panic::set_hook(Box::new(note));
        std::thread::spawn(abort_when_late);
    });
    state().round = Some((name.to_owned(), Instant::now()));
    let outcome = body();
    let panics = std::mem::take(&mut state().panics);
    state().round = None;
    (outcome, panics)
}

fn state() -> std::sync::MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Panics of tests are their own business.
fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = message.unwrap_or("something else");
    eprintln!("panicked at {place}: {message}");
    if !place.starts_with("testing/") {
        state().panics.push(format!("{place}: {message}"));
    }
}

fn abort_when_late() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let late =
            state().round.as_ref().filter(|(_, since)| since.elapsed() > LIMIT).map(|(name, _)| name.clone());
        if let Some(name) = late {
            eprintln!("{name} hangs");
            std::process::abort();
        }
    }
}
