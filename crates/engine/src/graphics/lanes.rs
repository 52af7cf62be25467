//! Sixteen values side by side, for code that deals with as many vertices or triangles at once.
//!
//! What the compiler makes vectors of by itself is written as loops over the arrays. The rest is here: with `WIDE` in
//! AVX-512, for which the caller is compiled then ([`wide`](super::wide)), else as loops too; both give the same bits.

/// Values at a time.
pub(crate) const LANES: usize = 16;

/// Sixteen words of one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u32; LANES]);

/// A bit for each value that is not 0.
#[inline(always)]
pub(crate) fn nonzero<const WIDE: bool>(values: &[u32; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        use std::arch::x86_64::{_mm512_loadu_si512, _mm512_test_epi32_mask};
        // SAFETY: the array is 64 bytes; the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            let values = _mm512_loadu_si512(values.as_ptr().cast());
            return _mm512_test_epi32_mask(values, values).into();
        }
    }
    values.iter().enumerate().fold(0, |bits, (lane, &value)| bits | u32::from(value != 0) << lane)
}

/// Four consecutive words from each of sixteen places in a table, which are counted in four words: the first words, the
/// second ones, and so on.
#[inline(always)]
pub(crate) fn quads<const WIDE: bool>(table: &[Row], places: &[u32; LANES]) -> [[u32; LANES]; 4] {
    let mut words = [[0; LANES]; 4];
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        let most = places.iter().fold(0, |most, &place| most.max(place));
        assert!((most as usize) < LANES / 4 * table.len());
        // SAFETY: the places are those of the table; the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            wide::quads(table.as_ptr().cast(), places, &mut words);
        }
        return words;
    }
    for (lane, &place) in places.iter().enumerate() {
        let four = &table[place as usize / 4].0.as_chunks::<4>().0[place as usize % 4];
        for (words, &word) in words.iter_mut().zip(four) {
            words[lane] = word;
        }
    }
    words
}

/// Rows to columns.
#[inline(always)]
pub(crate) fn transpose<const WIDE: bool>(rows: &mut [Row; LANES]) {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            wide::transpose(rows);
        }
        return;
    }
    for row in 1..LANES {
        for column in 0..row {
            let other = rows[column].0[row];
            rows[column].0[row] = std::mem::replace(&mut rows[row].0[column], other);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{LANES, Row};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor has AVX-512; the places are those of the table.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn quads(table: *const __m128i, places: &[u32; LANES], words: &mut [[u32; LANES]; 4]) {
        // Element `n` of register `m` is of lane `4 * (n / 4) + m`.
        let mut four = [_mm512_setzero_si512(); 4];
        for (at, four) in four.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            let load = |lane: usize| unsafe { _mm_loadu_si128(table.add(places[lane] as usize)) };
            *four = _mm512_castsi128_si512(load(at));
            *four = _mm512_inserti32x4::<1>(*four, load(at + 4));
            *four = _mm512_inserti32x4::<2>(*four, load(at + 8));
            *four = _mm512_inserti32x4::<3>(*four, load(at + 12));
        }
        let [a, b, c, d] = four;
        // SAFETY: the arrays are 64 bytes.
        let mut store =
            |at: usize, value| unsafe { _mm512_storeu_si512(words[at].as_mut_ptr().cast(), value) };
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        store(0, _mm512_unpacklo_epi64(ab, cd));
        store(1, _mm512_unpackhi_epi64(ab, cd));
        let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        store(2, _mm512_unpacklo_epi64(ab, cd));
        store(3, _mm512_unpackhi_epi64(ab, cd));
    }

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn transpose(rows: &mut [Row; LANES]) {
        // SAFETY: rows are 64 bytes, aligned so.
        let load = |row: &Row| unsafe { _mm512_load_si512(row.0.as_ptr().cast()) };
        // Of each four rows: register `j` holds column `4 k + j` in its 128 bits number `k`.
        let mut four = [_mm512_setzero_si512(); LANES];
        for (part, rows) in four.as_chunks_mut::<4>().0.iter_mut().zip(rows.as_chunks::<4>().0) {
            let (a, b, c, d) = (load(&rows[0]), load(&rows[1]), load(&rows[2]), load(&rows[3]));
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            (part[0], part[1]) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            (part[2], part[3]) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
        }
        for j in 0..4 {
            let (a, b, c, d) = (four[j], four[4 + j], four[8 + j], four[12 + j]);
            let even = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d));
            let odd = (_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d));
            let columns = [
                _mm512_shuffle_i32x4::<0x88>(even.0, even.1),
                _mm512_shuffle_i32x4::<0x88>(odd.0, odd.1),
                _mm512_shuffle_i32x4::<0xdd>(even.0, even.1),
                _mm512_shuffle_i32x4::<0xdd>(odd.0, odd.1),
            ];
            for (k, column) in columns.into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { _mm512_store_si512(rows[4 * k + j].0.as_mut_ptr().cast(), column) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::wide::{Vectorized, vectorize};

    /// All of the above for a table and some places in it.
    struct Everything<'a>(&'a [Row], [u32; LANES]);

    #[derive(Debug, PartialEq)]
    struct Found {
        quads: [[u32; LANES]; 4],
        nonzero: u32,
        columns: [Row; LANES],
    }

    impl Vectorized for Everything<'_> {
        type Output = Found;

        #[inline(always)]
        fn run<const WIDE: bool>(self) -> Found {
            let Everything(table, places) = self;
            let mut columns: [Row; LANES] = std::array::from_fn(|row| table[row]);
            transpose::<WIDE>(&mut columns);
            Found { quads: quads::<WIDE>(table, &places), nonzero: nonzero::<WIDE>(&places), columns }
        }
    }

    #[test]
    fn both_versions_give_the_same() {
        let word = |number: u32| number.wrapping_mul(0x9e37_79b9);
        let row = |row: u32| Row(std::array::from_fn(|at| word(16 * row + at as u32)));
        let table: Vec<Row> = (0..20).map(row).collect();
        for round in 0..100u32 {
            let places: [u32; LANES] =
                std::array::from_fn(|lane| (round.wrapping_mul(77) + 13 * lane as u32) % 80);
            let found = vectorize(Everything(&table, places));
            assert_eq!(found, Everything(&table, places).run::<false>());
            for (lane, &place) in places.iter().enumerate() {
                assert_eq!(found.quads[0][lane], word(4 * place));
                assert_eq!(found.quads[3][lane], word(4 * place + 3));
                assert_eq!(found.nonzero >> lane & 1 == 1, place != 0);
                assert_eq!(found.columns[lane].0[3], table[3].0[lane]);
            }
        }
    }
}
