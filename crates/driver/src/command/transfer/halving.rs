//! Linear blits that halve both extents of formats of unsigned normalized bytes: levels of textures.
//!
//! Problem: for each texel the general way moves 80 bytes of values through memory.
//!
//! Approach: two rows become one in registers, with the operations of the general way where these do not
//! give the same anyway: weights of a half are exact, so sums are scaled at the end.

use pyro_engine::graphics::{Vectorized, vectorize};

/// Bytes of a row that are made at once, and those of a row that they are made of.
const OUT: usize = 128;
const IN: usize = 2 * OUT;

/// A row of texels of `SIZE` bytes from two rows of twice as many.
struct Halves<'r, const SIZE: usize> {
    rows: [&'r [u8]; 2],
    out: &'r mut [u8],
}

/// What a byte stands for: the quotient by 255 as divisions round it.
#[inline(always)]
fn unorm(byte: u8) -> f32 {
    // 1/255 is 2^-8 + 2^-16 + 2^-24 + ...: the first product is exact.
    const FIRST: f32 = 257.0 / 65_536.0;
    const REST: f32 = 1.0 / (255.0 * 65_536.0);
    let byte = f32::from(byte);
    byte * FIRST + byte * REST
}

/// What bytes stand for.
#[inline(always)]
fn values(row: &[u8; IN]) -> [f32; IN] {
    let mut values = [0.0; IN];
    for (value, &byte) in values.iter_mut().zip(row) {
        *value = unorm(byte);
    }
    values
}

/// The sums of neighbours.
#[inline(always)]
fn sums<const SIZE: usize>(values: &[f32; IN]) -> [f32; OUT] {
    let mut sums = [0.0; OUT];
    let texels = values.as_chunks::<SIZE>().0.as_chunks::<2>().0;
    for (sum, [first, second]) in sums.as_chunks_mut::<SIZE>().0.iter_mut().zip(texels) {
        for at in 0..SIZE {
            sum[at] = first[at] + second[at];
        }
    }
    sums
}

/// The bytes nearest to quarters of sums, halves to even. Each step is a loop that becomes vectors.
#[inline(always)]
fn part<const SIZE: usize>(upper: &[u8; IN], lower: &[u8; IN], bytes: &mut [u8; OUT]) {
    // Numbers from here on have no fractions.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let (upper, lower) = (sums::<SIZE>(&values(upper)), sums::<SIZE>(&values(lower)));
    for ((byte, upper), lower) in bytes.iter_mut().zip(upper).zip(lower) {
        // The product is exact, and the sum with `WHOLE` rounds it.
        *byte = (f64::from(upper + lower) * (255.0 / 4.0) + WHOLE).to_bits() as u8;
    }
}

impl<const SIZE: usize> Vectorized for Halves<'_, SIZE> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let [(upper, upper_rest), (lower, lower_rest)] = self.rows.map(<[u8]>::as_chunks::<IN>);
        let (out, out_rest) = self.out.as_chunks_mut::<OUT>();
        for ((upper, lower), out) in upper.iter().zip(lower).zip(out) {
            part::<SIZE>(upper, lower, out);
        }
        if out_rest.is_empty() {
            return;
        }
        let mut rests = [[0; IN]; 2];
        for (row, rest) in rests.iter_mut().zip([upper_rest, lower_rest]) {
            row.iter_mut().zip(rest).for_each(|(to, &byte)| *to = byte);
        }
        let mut rest = [0; OUT];
        part::<SIZE>(&rests[0], &rests[1], &mut rest);
        out_rest.iter_mut().zip(rest).for_each(|(to, byte)| *to = byte);
    }
}

/// Makes a row of texels of so many bytes from two rows of twice as many; false where there is no loop for
/// such.
pub(super) fn halve(size: usize, rows: [&[u8]; 2], out: &mut [u8]) -> bool {
    debug_assert!(rows.iter().all(|row| row.len() == 2 * out.len()), "rows are twice as long");
    match size {
        1 => vectorize(Halves::<1> { rows, out }),
        2 => vectorize(Halves::<2> { rows, out }),
        4 => vectorize(Halves::<4> { rows, out }),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_for_quotients() {
        for byte in 0..=255 {
            assert_eq!(unorm(byte).to_bits(), (f32::from(byte) / 255.0).to_bits(), "{byte}");
        }
    }

    /// As the general way has it: columns are mixed, then rows, then bytes are rounded.
    #[test]
    fn rows_are_halved_as_values_are() {
        let mut state = 5u32;
        for size in [1, 2, 4] {
            for texels in [1, 3, 16, 37, 150] {
                let mut byte = |_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                };
                let mut row = || (0..2 * texels * size).map(&mut byte).collect::<Vec<u8>>();
                let rows = [row(), row()];
                let mut out = vec![0; texels * size];
                assert!(halve(size, rows.each_ref().map(|row| &row[..]), &mut out));
                let value = |byte: u8| f32::from(byte) / 255.0;
                for (at, &byte) in out.iter().enumerate() {
                    let first = at / size * 2 * size + at % size;
                    let [upper, lower] =
                        rows.each_ref().map(|row| value(row[first]) * 0.5 + value(row[first + size]) * 0.5);
                    let mixed = f64::from(upper * 0.5 + lower * 0.5) * 255.0;
                    assert_eq!(f64::from(byte), mixed.round_ties_even(), "{size} {texels} {at}");
                }
            }
        }
        assert!(!halve(3, [&[0; 6], &[0; 6]], &mut [0; 3]));
    }
}
