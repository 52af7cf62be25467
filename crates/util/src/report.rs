//! Standard error: the one place where libraries write to it.
//!
//! What concerns a device goes to its reporter (`pyro_driver::report`), which comes here when it is asked to.

use std::fmt::Display;

/// Writes a line to standard error. A closed pipe is no failure.
pub fn to_stderr(message: &dyn Display) {
    use std::io::Write as _;
    // Nobody is left to be told.
    let _ = writeln!(std::io::stderr(), "pyroclast: {message}");
}
