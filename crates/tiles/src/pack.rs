//! Matrices in memory as lists of tiles.
//!
//! Both factors are packed by panels of 16 rows or columns, whose bytes along the depth are taken 64 at a
//! step. A tile of the first factor has a row for each of the panel's; one of the second has a row for each
//! four bytes along the depth, in it four bytes of each column: the transpose, word by word. What of this
//! lies in memory as it is wanted depends on the order of the matrix.
// Vector instructions on addresses that generated code has checked.
#![allow(unsafe_code)]

use crate::{BYTES, GROUP, ROW_BYTES, ROWS};
use std::cell::Cell;
use std::ptr::with_exposed_provenance;

use std::arch::x86_64::*;

/// A tile's bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Tile(pub(crate) [u8; BYTES]);

/// Runs `work` with so many tiles, which the thread keeps.
pub(crate) fn with_buffer<R>(tiles: usize, work: impl FnOnce(&mut [Tile]) -> R) -> R {
    thread_local! {
        static BUFFER: Cell<Vec<Tile>> = const { Cell::new(Vec::new()) };
    }
    let mut buffer = BUFFER.take();
    if buffer.len() < tiles {
        buffer.resize(tiles, Tile([0; BYTES]));
    }
    let result = work(&mut buffer[..tiles]);
    BUFFER.set(buffer);
    result
}

/// A panel of a matrix that is loaded in each iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// Address of the first iteration's matrix.
    pub(crate) base: u64,
    /// Bytes from one iteration's to the next one's.
    pub(crate) distance: i64,
    /// Bytes from a line to the next.
    pub(crate) stride: u64,
    /// Bytes of the depth that are taken at once: all are of one iteration.
    pub(crate) piece: usize,
    /// Depth of an iteration.
    pub(crate) depth: usize,
    /// Depth of all iterations.
    pub(crate) end: usize,
    /// The panel's first row or column.
    pub(crate) panel: usize,
    /// The depth runs along lines; else across them, and rows or columns run along.
    pub(crate) along: bool,
}

impl Lines {
    /// The address of a byte at a place in the depth, of the panel's first row or column.
    fn address(&self, at: usize) -> u64 {
        let (iteration, inside) = (at / self.depth, at % self.depth);
        let start = self.base.wrapping_add_signed(self.distance.wrapping_mul(iteration as i64));
        let (line, place) = if self.along { (self.panel, inside) } else { (inside, self.panel) };
        start.wrapping_add(self.stride.wrapping_mul(line as u64)).wrapping_add(place as u64)
    }

    /// Packs the step from `at` on: as a tile of the first factor, or of the second. Behind the end are
    /// zeros.
    ///
    /// # Safety
    /// All iterations' matrices may be read. The processor has tiles, and so AVX-512 with VBMI.
    pub(crate) unsafe fn pack(&self, at: usize, is_first: bool, tile: &mut Tile) {
        if at + ROW_BYTES > self.end {
            tile.0.fill(0);
        }
        let pieces = (at..self.end.min(at + ROW_BYTES)).step_by(self.piece);
        for (number, place) in pieces.enumerate() {
            let from = with_exposed_provenance::<u8>(self.address(place) as usize);
            // SAFETY: the caller's contract; pieces are of one iteration and one step.
            unsafe {
                if self.along {
                    copy(from, self.stride as usize, self.piece, number * self.piece, tile);
                } else {
                    interleave(from, self.stride as usize, self.piece, number * self.piece, tile);
                }
            }
        }
        // As they lie now, the depth along lines is the first factor's order, the other the second's.
        if self.along != is_first {
            // SAFETY: the caller's contract.
            unsafe { transpose(tile) };
        }
    }
}

/// Copies `bytes` bytes of each of 16 lines to the byte `to` of a tile's rows: 16, 32 or 64.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn copy(from: *const u8, stride: usize, bytes: usize, to: usize, tile: &mut Tile) {
    for (line, row) in tile.0.chunks_exact_mut(ROW_BYTES).enumerate() {
        let from = from.wrapping_add(line * stride);
        let to = row[to..to + bytes].as_mut_ptr();
        // SAFETY: the caller's contract; the row has so many bytes.
        unsafe {
            match bytes {
                ROW_BYTES => _mm512_storeu_epi8(to.cast(), _mm512_loadu_epi8(from.cast())),
                32 => _mm256_storeu_epi8(to.cast(), _mm256_loadu_epi8(from.cast())),
                _ => _mm_storeu_epi8(to.cast(), _mm_loadu_epi8(from.cast())),
            }
        }
    }
}

/// Puts 16 bytes of each of `depth` lines, four by four side by side, to the row `to / 4` of a tile.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn interleave(from: *const u8, stride: usize, depth: usize, to: usize, tile: &mut Tile) {
    const ORDER: Tile64 = Tile64({
        let mut order = [0; ROW_BYTES];
        let mut at = 0;
        while at < ROW_BYTES {
            order[at] = (at % GROUP * ROWS + at / GROUP) as u8;
            at += 1;
        }
        order
    });
    // SAFETY: the caller's contract; the tile has a row for each four lines.
    unsafe {
        let order = _mm512_load_si512(ORDER.0.as_ptr().cast());
        for group in 0..depth / GROUP {
            let line =
                |line: usize| _mm_loadu_si128(from.wrapping_add((group * GROUP + line) * stride).cast());
            let words = _mm512_castsi128_si512(line(0));
            let words = _mm512_inserti32x4(words, line(1), 1);
            let words = _mm512_inserti32x4(words, line(2), 2);
            let words = _mm512_inserti32x4(words, line(3), 3);
            let row = &mut tile.0[(to / GROUP + group) * ROW_BYTES..][..ROW_BYTES];
            _mm512_store_si512(row.as_mut_ptr().cast(), _mm512_permutexvar_epi8(order, words));
        }
    }
}

/// Bytes of a register, aligned.
#[repr(C, align(64))]
struct Tile64([u8; ROW_BYTES]);

/// Exchanges rows and columns of the tile's words.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn transpose(tile: &mut Tile) {
    let rows = tile.0.as_mut_ptr();
    // SAFETY: a tile has 16 rows of 64 bytes, and is aligned.
    unsafe {
        let row = |number: usize| rows.add(number * ROW_BYTES).cast::<__m512i>();
        let mut pairs = [_mm512_setzero_si512(); 16];
        for number in (0..16).step_by(2) {
            let (a, b) = (_mm512_load_si512(row(number)), _mm512_load_si512(row(number + 1)));
            pairs[number] = _mm512_unpacklo_epi32(a, b);
            pairs[number + 1] = _mm512_unpackhi_epi32(a, b);
        }
        let mut fours = [_mm512_setzero_si512(); 16];
        for first in (0..16).step_by(4) {
            fours[first] = _mm512_unpacklo_epi64(pairs[first], pairs[first + 2]);
            fours[first + 1] = _mm512_unpackhi_epi64(pairs[first], pairs[first + 2]);
            fours[first + 2] = _mm512_unpacklo_epi64(pairs[first + 1], pairs[first + 3]);
            fours[first + 3] = _mm512_unpackhi_epi64(pairs[first + 1], pairs[first + 3]);
        }
        for column in 0..4 {
            let four = |group: usize| fours[4 * group + column];
            let even = _mm512_shuffle_i32x4(four(0), four(1), 0x88);
            let odd = _mm512_shuffle_i32x4(four(0), four(1), 0xdd);
            let more_even = _mm512_shuffle_i32x4(four(2), four(3), 0x88);
            let more_odd = _mm512_shuffle_i32x4(four(2), four(3), 0xdd);
            _mm512_store_si512(row(column), _mm512_shuffle_i32x4(even, more_even, 0x88));
            _mm512_store_si512(row(8 + column), _mm512_shuffle_i32x4(even, more_even, 0xdd));
            _mm512_store_si512(row(4 + column), _mm512_shuffle_i32x4(odd, more_odd, 0x88));
            _mm512_store_si512(row(12 + column), _mm512_shuffle_i32x4(odd, more_odd, 0xdd));
        }
    }
}
