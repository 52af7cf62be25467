//! Zeroed, 64-byte aligned scratch memory that grows and is reused.

/// One cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Aligned memory that generated code uses by address.
#[derive(Default)]
pub(crate) struct Arena {
    lines: Vec<Line>,
}

impl Arena {
    /// The address of at least `bytes` bytes (never null), with whatever the last user left in them.
    pub(crate) fn reserve(&mut self, bytes: usize) -> u64 {
        let lines = bytes.div_ceil(64).max(1);
        if self.lines.len() < lines {
            self.lines.resize(lines, Line([0; 64]));
        }
        self.lines.as_mut_ptr().expose_provenance() as u64
    }

    /// Zeroes a range of bytes that begins with a line, to the end of its last line.
    pub(crate) fn zero(&mut self, bytes: std::ops::Range<usize>) {
        self.lines[bytes.start / 64..bytes.end.div_ceil(64)].fill(Line([0; 64]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_and_grows() {
        let mut arena = Arena::default();
        assert_ne!(arena.reserve(0), 0);
        for bytes in [1, 64, 65, 100_000] {
            assert_eq!(arena.reserve(bytes) % 64, 0);
            assert!(arena.lines.len() * 64 >= bytes);
        }
        arena.lines[1] = Line([9; 64]);
        arena.zero(0..65);
        assert_eq!(arena.lines[1].0, [0; 64]);
    }
}
