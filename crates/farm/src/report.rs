//! What the commands print.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// A line of results. A reader that closed the pipe wants no more of them; the work goes on.
pub(crate) fn line(text: &dyn Display) {
    let written = writeln!(std::io::stdout().lock(), "{text}");
    if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
        IS_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Whether nobody reads results any more.
pub(crate) fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// A line for people, on standard error.
pub(crate) fn error(text: &dyn Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
