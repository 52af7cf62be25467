//! The gate: a debugger that replays the capture while it is made lets the process go on behind each
//! submission.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// A connection to the debugger that lets the process go on.
pub(super) struct Gate(UnixStream);

impl Gate {
    /// The gate that the environment names; none where it names none, or nobody listens there.
    pub(super) fn open() -> Option<Gate> {
        let path = pyro_util::config::get().capture_gate.as_deref()?;
        match UnixStream::connect(path) {
            Ok(stream) => Some(Gate(stream)),
            Err(error) => {
                pyro_driver::report::to_stderr(&format!("no gate at {}: {error}", path.display()));
                None
            }
        }
    }

    /// Says that a submission is in the file, and waits for an answer; whether the gate is there still.
    pub(super) fn pass(&mut self) -> bool {
        self.0.write_all(b"s").and_then(|()| self.0.read_exact(&mut [0])).is_ok()
    }
}
