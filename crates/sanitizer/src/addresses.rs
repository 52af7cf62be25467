//! The device addresses at which buffers are bound: those of all devices of the process, since addresses are
//! the host's.

use pyro_util::sync::RwLock;
use std::collections::BTreeMap;

/// Ends of the ranges that begin at an address; buffers may share memory.
static LIVE: RwLock<BTreeMap<u64, Vec<u64>>> = RwLock::new(BTreeMap::new());

/// A range at which a buffer is bound, as long as this is.
#[derive(Debug)]
pub struct LiveRange {
    start: u64,
    end: u64,
}

impl LiveRange {
    /// Makes a range known.
    pub fn new(start: u64, bytes: u64) -> LiveRange {
        let end = start.saturating_add(bytes);
        LIVE.write().entry(start).or_default().push(end);
        LiveRange { start, end }
    }
}

impl Drop for LiveRange {
    fn drop(&mut self) {
        let mut live = LIVE.write();
        if let Some(ends) = live.get_mut(&self.start) {
            if let Some(at) = ends.iter().position(|&end| end == self.end) {
                ends.swap_remove(at);
            }
            if ends.is_empty() {
                live.remove(&self.start);
            }
        }
    }
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// All of the bytes are of one buffer.
    Buffer,
    /// The last buffer before it ends here.
    Behind(u64),
    /// No buffer begins before it.
    Nothing,
}

/// What is at some bytes.
pub(crate) fn content(start: u64, bytes: u32) -> Content {
    let live = LIVE.read();
    let end = start.saturating_add(bytes.into());
    let mut nearest = None;
    for (_, ends) in live.range(..=start).rev() {
        for &last in ends {
            if end <= last {
                return Content::Buffer;
            }
            nearest = nearest.max(Some(last));
        }
    }
    nearest.map_or(Content::Nothing, Content::Behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_live_until_dropped() {
        // Far from what other tests use.
        const AT: u64 = 1 << 60;
        let first = LiveRange::new(AT, 64);
        let same = LiveRange::new(AT, 32);
        assert_eq!(content(AT, 64), Content::Buffer);
        assert_eq!(content(AT + 60, 4), Content::Buffer);
        assert_eq!(content(AT + 61, 4), Content::Behind(AT + 64));
        drop(first);
        assert_eq!(content(AT + 28, 4), Content::Buffer);
        assert_eq!(content(AT + 32, 4), Content::Behind(AT + 32));
        drop(same);
        assert_eq!(content(AT, 1), Content::Nothing);
    }
}
