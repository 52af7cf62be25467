//! The gate: a debugger that replays the capture while it is made lets the process go on behind each
//! submission.

use super::memory::Patch;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// Bytes of a patch, at most.
const PATCH_BYTES_MAX: usize = 1 << 20;

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

    /// Says that a submission is in the file, and waits until the process may go on; what the debugger wants
    /// to be written into memory before. None: the gate is not there any more.
    pub(super) fn pass(&mut self) -> Option<Vec<Patch>> {
        self.0.write_all(b"s").ok()?;
        let mut patches = Vec::new();
        loop {
            let mut kind = [0];
            self.0.read_exact(&mut kind).ok()?;
            if kind != *b"w" {
                return Some(patches);
            }
            let (mut memory, mut offset, mut length) = ([0; 8], [0; 8], [0; 4]);
            self.0.read_exact(&mut memory).ok()?;
            self.0.read_exact(&mut offset).ok()?;
            self.0.read_exact(&mut length).ok()?;
            let length = u32::from_le_bytes(length) as usize;
            if length > PATCH_BYTES_MAX {
                return None;
            }
            let mut bytes = vec![0; length];
            self.0.read_exact(&mut bytes).ok()?;
            let (memory, offset) = (u64::from_le_bytes(memory), u64::from_le_bytes(offset));
            patches.push(Patch { memory, offset, bytes });
        }
    }
}
