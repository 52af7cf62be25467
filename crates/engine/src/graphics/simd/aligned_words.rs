//! Aligned words that compiled functions write or read by address and the engine by index.

use crate::graphics::simd::lanes::Row;

/// Has the processor fetch the cache lines of so many bytes.
#[inline(always)]
pub(crate) fn prefetch_lines(address: *const u8, bytes: usize) {
    for offset in (0..bytes).step_by(size_of::<Row>()) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch has no effect but on time, whatever the address.
        #[allow(unsafe_code)]
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(offset).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (address, offset);
    }
}

/// Memory that grows and is reused.
#[derive(Default)]
pub(crate) struct AlignedWords {
    lines: Vec<Row>,
}

impl AlignedWords {
    /// Makes room for `count` words, with whatever is in them, and gives their address, a multiple of 64.
    /// AlignedWords that were there keep their values, not their address.
    pub(crate) fn reserve(&mut self, count: usize) -> u64 {
        let lines = count.div_ceil(16).max(1);
        if self.lines.len() < lines {
            self.lines.resize(lines, Row::default());
        }
        self.lines.as_mut_ptr().expose_provenance() as u64
    }

    /// A word.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u32 {
        self.lines[index / 16].0[index % 16]
    }

    /// A word as a float.
    #[inline]
    pub(crate) fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.get(index))
    }

    /// Writes a word.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, value: u32) {
        self.lines[index / 16].0[index % 16] = value;
    }
}

impl AlignedWords {
    /// Writes words from `index`, a multiple of 16, on.
    #[inline(always)]
    pub(crate) fn copy_in(&mut self, index: usize, words: &[u32; 32]) {
        let lines = &mut self.lines[index / 16..index / 16 + 2];
        lines[0].0.copy_from_slice(&words[..16]);
        lines[1].0.copy_from_slice(&words[16..]);
    }
}

impl AlignedWords {
    /// Has the processor fetch so many words from `index` on.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize, count: usize) {
        prefetch_lines(self.lines.as_ptr().wrapping_add(index / 16).cast(), 4 * count);
    }

    /// All of them, sixteen by sixteen.
    #[inline]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.lines
    }

    /// All of them, to be written.
    #[inline]
    pub(crate) fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.lines
    }

    /// The 16 words from `index`, a multiple of 16, on.
    #[inline(always)]
    pub(crate) fn row(&self, index: usize) -> &Row {
        &self.lines[index / 16]
    }

    /// Writes the 16 words from `index`, a multiple of 16, on.
    #[inline(always)]
    pub(crate) fn set_row(&mut self, index: usize, row: &Row) {
        self.lines[index / 16] = *row;
    }

    /// Bytes of memory that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Row>() * self.lines.capacity()
    }

    /// The address of the words; null when there are none.
    pub(crate) fn address(&self) -> u64 {
        if self.lines.is_empty() { 0 } else { self.lines.as_ptr().expose_provenance() as u64 }
    }
}
