//! Loops over rows of memory, compiled for the widest vectors that the process uses.

#![allow(unsafe_code)] // memory by address, checked by `mapped`

use pyro_util::cpu::Level;

/// Rows of bytes in memory.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// The first row.
    pub(super) first: *mut u8,
    /// Bytes from one row to the next.
    pub(super) pitch: usize,
}

impl Rows {
    #[inline(always)]
    fn row(self, number: usize) -> *mut u8 {
        self.first.wrapping_add(number * self.pitch)
    }
}

/// A loop; `run` is `#[inline(always)]`.
trait Bulk {
    /// # Safety
    /// That of the function that makes the loop.
    unsafe fn run(self);
}

/// # Safety
/// That of the loop.
unsafe fn widest(bulk: impl Bulk) {
    #[cfg(target_arch = "x86_64")]
    match Level::from_environment() {
        // SAFETY: the caller's contract; the processor has the features.
        Level::Avx512 => return unsafe { avx512(bulk) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { avx2(bulk) },
        Level::Base => {}
    }
    // SAFETY: the caller's contract.
    unsafe { bulk.run() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
/// # Safety
/// That of the loop.
unsafe fn avx512(bulk: impl Bulk) {
    // SAFETY: the caller's contract.
    unsafe { bulk.run() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
/// # Safety
/// That of the loop.
unsafe fn avx2(bulk: impl Bulk) {
    // SAFETY: the caller's contract.
    unsafe { bulk.run() }
}

/// Bytes of a pattern.
pub const PATTERN_BYTES: usize = 64;

/// A pattern as a type that stays in a register.
#[cfg(target_arch = "x86_64")]
type Pattern = std::arch::x86_64::__m512i;
#[cfg(not(target_arch = "x86_64"))]
type Pattern = [u8; PATTERN_BYTES];

struct Fill<'p> {
    rows: Rows,
    count: usize,
    bytes: usize,
    pattern: &'p [u8; PATTERN_BYTES],
}

impl Bulk for Fill<'_> {
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the pattern has that size.
        let pattern = unsafe { self.pattern.as_ptr().cast::<Pattern>().read_unaligned() };
        for number in 0..self.count {
            let row = self.rows.row(number);
            let whole = self.bytes / PATTERN_BYTES * PATTERN_BYTES;
            for at in (0..whole).step_by(PATTERN_BYTES) {
                // SAFETY: the caller's contract.
                unsafe { row.add(at).cast::<Pattern>().write_unaligned(pattern) };
            }
            // SAFETY: as above; what is left is shorter than the pattern.
            unsafe { self.pattern.as_ptr().copy_to_nonoverlapping(row.add(whole), self.bytes - whole) };
        }
    }
}

/// Writes a pattern, from its start in each row, over the first `bytes` bytes of `count` rows.
///
/// # Safety
/// The bytes must be valid for writes.
pub(super) unsafe fn fill(rows: Rows, count: usize, bytes: usize, pattern: &[u8; PATTERN_BYTES]) {
    // SAFETY: the caller's contract.
    unsafe { widest(Fill { rows, count, bytes, pattern }) }
}

/// Bytes that are averaged at a time.
const PART: usize = 64;

struct Average<const N: usize> {
    sources: Rows,
    /// Bytes from one sample to the next.
    sample_pitch: usize,
    target: Rows,
    count: usize,
    bytes: usize,
}

#[inline(always)]
fn mean<const N: usize, const L: usize>(samples: [[u8; L]; N]) -> [u8; L] {
    // The nearest, halves to even: to below the half is added, and one more where the quotient is odd.
    let shift = N.trailing_zeros();
    std::array::from_fn(|at| {
        let sum: u16 = samples.iter().map(|sample| u16::from(sample[at])).sum();
        ((sum + (N / 2) as u16 - 1 + (sum >> shift & 1)) >> shift) as u8
    })
}

impl<const N: usize> Bulk for Average<N> {
    #[inline(always)]
    unsafe fn run(self) {
        for number in 0..self.count {
            let (source, target) = (self.sources.row(number), self.target.row(number));
            let whole = self.bytes / PART * PART;
            // The last one overlaps the one before it.
            let last = if whole < self.bytes && whole != 0 { Some(self.bytes - PART) } else { None };
            for at in (0..whole).step_by(PART).chain(last) {
                // SAFETY: the caller's contract.
                unsafe {
                    let sample = |sample: usize| {
                        source.add(sample * self.sample_pitch + at).cast::<[u8; PART]>().read_unaligned()
                    };
                    let mean = mean::<N, PART>(std::array::from_fn(sample));
                    target.add(at).cast::<[u8; PART]>().write_unaligned(mean);
                }
            }
            if last.is_some() {
                continue;
            }
            for at in whole..self.bytes {
                // SAFETY: the caller's contract.
                unsafe {
                    let sample = |sample: usize| [source.add(sample * self.sample_pitch + at).read()];
                    let [byte] = mean::<N, 1>(std::array::from_fn(sample));
                    target.add(at).write(byte);
                }
            }
        }
    }
}

/// Writes the means of the bytes of `samples` (2, 4, 8 or 16) planes, `sample_pitch` apart, to the nearest
/// integer, halves to even. False, and nothing written, for other numbers of samples.
///
/// # Safety
/// `bytes` bytes of `count` rows must be valid for reads in each plane and for writes in `target`, and these
/// may not be the same.
pub(super) unsafe fn average(
    sources: Rows,
    sample_pitch: usize,
    samples: u32,
    target: Rows,
    count: usize,
    bytes: usize,
) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        match samples {
            2 => widest(Average::<2> { sources, sample_pitch, target, count, bytes }),
            4 => widest(Average::<4> { sources, sample_pitch, target, count, bytes }),
            8 => widest(Average::<8> { sources, sample_pitch, target, count, bytes }),
            16 => widest(Average::<16> { sources, sample_pitch, target, count, bytes }),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_round_to_even() {
        let mut out = [0u8; 150];
        for samples in [2, 4, 8, 16] {
            let mut bytes = vec![0u8; 200 * samples];
            let mut word = 7u32;
            for byte in &mut bytes {
                word = word.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                *byte = (word >> 24) as u8;
            }
            for length in [1, 63, 64, 65, 127, 150] {
                out.fill(0);
                let (sources, target) = (bytes.as_mut_ptr(), out.as_mut_ptr());
                let rows = |first| Rows { first, pitch: 0 };
                // SAFETY: all of it is in the two vectors.
                let done = unsafe { average(rows(sources), 200, samples as u32, rows(target), 1, length) };
                assert!(done);
                for at in 0..length {
                    let sum: u32 = (0..samples).map(|sample| u32::from(bytes[200 * sample + at])).sum();
                    let mean = (f64::from(sum) / samples as f64).round_ties_even() as u8;
                    assert_eq!(out[at], mean, "{samples} samples, byte {at} of {length}");
                }
                assert!(out[length..].iter().all(|&byte| byte == 0));
            }
        }
    }

    #[test]
    fn fills_repeat_the_pattern_in_each_row() {
        let pattern = std::array::from_fn(|at| at as u8 + 1);
        let mut out = vec![0u8; 3 * 200];
        // SAFETY: all of it is in the vector.
        unsafe { fill(Rows { first: out.as_mut_ptr(), pitch: 200 }, 3, 150, &pattern) };
        for (at, &byte) in out.iter().enumerate() {
            let expected = if at % 200 < 150 { (at % 200 % 64) as u8 + 1 } else { 0 };
            assert_eq!(byte, expected, "byte {at}");
        }
    }
}
