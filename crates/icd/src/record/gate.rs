//! The gate: a debugger that replays the capture while it is made lets the process go on behind each
//! submission.
//!
//! The process says `s` behind a submission. The debugger answers with any number of messages, the last of
//! which lets it go on; integers have their lowest byte first.
//!
//! | message | fields | means |
//! | --- | --- | --- |
//! | `w` | `VkDeviceMemory` (8), offset (8), length (4), bytes | write this into memory before you go on |
//! | `r` | digest of a module's words (8), number of words (4), words | let these stand for the module |
//! | anything else | | go on |
//!
//! A reload is answered by `r` and the number of pipelines that were made again (4), or by `e`, a length (4)
//! and why it cannot be.

use super::Reload;
use super::memory::Patch;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// Bytes of a patch, at most.
const PATCH_BYTES_MAX: usize = 1 << 20;
/// Words of a module, at most.
const MODULE_WORDS_MAX: usize = 1 << 24;

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
    /// to be written into memory before. `reload` puts a module in the place of another. None: the gate is
    /// not there any more.
    pub(super) fn pass(&mut self, reload: &mut Reload<'_>) -> Option<Vec<Patch>> {
        self.0.write_all(b"s").ok()?;
        let mut patches = Vec::new();
        loop {
            match self.take()? {
                [b'w'] => {
                    let (memory, offset) =
                        (u64::from_le_bytes(self.take()?), u64::from_le_bytes(self.take()?));
                    let bytes = self.bytes(1, PATCH_BYTES_MAX)?;
                    patches.push(Patch { memory, offset, bytes });
                }
                [b'r'] => {
                    let digest = u64::from_le_bytes(self.take()?);
                    let bytes = self.bytes(size_of::<u32>(), MODULE_WORDS_MAX)?;
                    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
                    let answer = match reload(digest, &words.collect::<Vec<u32>>()) {
                        Ok(count) => [b"r", &count.to_le_bytes()[..]].concat(),
                        Err(why) => [b"e", &(why.len() as u32).to_le_bytes()[..], why.as_bytes()].concat(),
                    };
                    self.0.write_all(&answer).ok()?;
                }
                _ => return Some(patches),
            }
        }
    }

    /// So many bytes.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// A number of units of so many bytes, and those.
    fn bytes(&mut self, unit_bytes: usize, units_max: usize) -> Option<Vec<u8>> {
        let units = u32::from_le_bytes(self.take()?) as usize;
        if units > units_max {
            return None;
        }
        let mut bytes = vec![0; units * unit_bytes];
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}
