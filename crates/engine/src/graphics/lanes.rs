//! Sixteen values side by side, for code that deals with as many vertices or triangles at once.
//!
//! What the compiler makes vectors of by itself is written as loops over the arrays. The rest is here: with `WIDE` in
//! AVX-512, for which the caller is compiled then ([`wide`](super::wide)), else as loops too; both give the same bits.

use super::corners::Corner;

/// Values at a time.
pub(crate) const LANES: usize = 16;

/// Sixteen words of one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u32; LANES]);

/// The first halves of sixteen corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Points {
    pub(crate) x: [i32; LANES],
    pub(crate) y: [i32; LANES],
    pub(crate) sides: [u32; LANES],
}

/// The other halves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Depths {
    pub(crate) z: [f64; LANES],
    pub(crate) inverse_w: [f64; LANES],
}

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

/// The points of corners by their numbers.
#[inline(always)]
pub(crate) fn points<const WIDE: bool>(corners: &[Corner], numbers: &[u32; LANES]) -> Points {
    #[cfg(target_arch = "x86_64")]
    if WIDE && all_below(numbers, corners.len()) {
        let mut points = Points::default();
        // SAFETY: the numbers are those of corners; the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            wide::points(corners.as_ptr(), numbers, &mut points);
        }
        return points;
    }
    let mut points = Points::default();
    for (lane, &number) in numbers.iter().enumerate() {
        let corner = &corners[number as usize];
        (points.x[lane], points.y[lane]) = (corner.point.x, corner.point.y);
        points.sides[lane] = corner.sides;
    }
    points
}

/// The depths of corners by their numbers.
#[inline(always)]
pub(crate) fn depths<const WIDE: bool>(corners: &[Corner], numbers: &[u32; LANES]) -> Depths {
    #[cfg(target_arch = "x86_64")]
    if WIDE && all_below(numbers, corners.len()) {
        let mut depths = Depths::default();
        // SAFETY: the numbers are those of corners; the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            wide::depths(corners.as_ptr(), numbers, &mut depths);
        }
        return depths;
    }
    let mut depths = Depths::default();
    for (lane, &number) in numbers.iter().enumerate() {
        let corner = &corners[number as usize];
        (depths.z[lane], depths.inverse_w[lane]) = (corner.z, corner.inverse_w);
    }
    depths
}

/// Words of a table by their numbers.
#[inline(always)]
pub(crate) fn gather<const WIDE: bool>(words: &[Row], numbers: &[u32; LANES]) -> [u32; LANES] {
    #[cfg(target_arch = "x86_64")]
    if WIDE && words.len() <= i32::MAX as usize / LANES && all_below(numbers, LANES * words.len()) {
        // SAFETY: the numbers are those of words, and not negative; the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { wide::gather(words.as_ptr().cast(), numbers) };
    }
    let mut values = [0; LANES];
    for (value, &number) in values.iter_mut().zip(numbers) {
        *value = words[number as usize / LANES].0[number as usize % LANES];
    }
    values
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

/// All numbers are less.
#[inline(always)]
fn all_below(numbers: &[u32; LANES], end: usize) -> bool {
    (numbers.iter().fold(0, |most, &number| most.max(number)) as usize) < end
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{Corner, Depths, LANES, Points, Row};
    use std::arch::x86_64::*;
    use std::mem::offset_of;

    /// Sixteen bytes of each corner, from byte `offset` on: element `n` of register `m` is of corner `4 * (n / 4) + m`.
    ///
    /// # Safety
    /// The processor has AVX-512; the numbers are those of corners.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn quarters(corners: *const Corner, numbers: &[u32; LANES], offset: usize) -> [__m512i; 4] {
        let mut quarters = [_mm512_setzero_si512(); 4];
        for (at, quarter) in quarters.iter_mut().enumerate() {
            // SAFETY: the caller's contract; a corner has as many bytes behind each half's begin.
            let load = |lane: usize| unsafe {
                _mm_loadu_si128(corners.add(numbers[lane] as usize).byte_add(offset).cast())
            };
            let four = _mm512_castsi128_si512(load(at));
            let four = _mm512_inserti32x4::<1>(four, load(at + 4));
            let four = _mm512_inserti32x4::<2>(four, load(at + 8));
            *quarter = _mm512_inserti32x4::<3>(four, load(at + 12));
        }
        quarters
    }

    /// # Safety
    /// The processor has AVX-512; the numbers are those of corners.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn points(corners: *const Corner, numbers: &[u32; LANES], points: &mut Points) {
        const { assert!(offset_of!(Corner, point) == 0 && offset_of!(Corner, sides) == 8) };
        // SAFETY: the caller's contract; the arrays are 64 bytes.
        unsafe {
            let [a, b, c, d] = quarters(corners, numbers, 0);
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            _mm512_storeu_si512(points.x.as_mut_ptr().cast(), _mm512_unpacklo_epi64(ab, cd));
            _mm512_storeu_si512(points.y.as_mut_ptr().cast(), _mm512_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            _mm512_storeu_si512(points.sides.as_mut_ptr().cast(), _mm512_unpacklo_epi64(ab, cd));
        }
    }

    /// # Safety
    /// The processor has AVX-512; the numbers are those of corners.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn depths(corners: *const Corner, numbers: &[u32; LANES], depths: &mut Depths) {
        const { assert!(offset_of!(Corner, z) == 16 && offset_of!(Corner, inverse_w) == 24) };
        // SAFETY: the caller's contract; the arrays are twice 64 bytes.
        unsafe {
            let [a, b, c, d] = quarters(corners, numbers, 16);
            let (a, b) = (_mm512_castsi512_pd(a), _mm512_castsi512_pd(b));
            let (c, d) = (_mm512_castsi512_pd(c), _mm512_castsi512_pd(d));
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let store = |ab: __m512d, cd: __m512d, to: &mut [f64; LANES]| {
                _mm512_storeu_pd(to.as_mut_ptr(), _mm512_permutex2var_pd(ab, first, cd));
                _mm512_storeu_pd(to.as_mut_ptr().add(8), _mm512_permutex2var_pd(ab, second, cd));
            };
            store(_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d), &mut depths.z);
            store(_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d), &mut depths.inverse_w);
        }
    }

    /// # Safety
    /// The processor has AVX-512; the numbers are those of words, and less than 2^31.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn gather(words: *const u32, numbers: &[u32; LANES]) -> [u32; LANES] {
        let mut values = [0; LANES];
        // SAFETY: the caller's contract; the arrays are 64 bytes.
        unsafe {
            let numbers = _mm512_loadu_si512(numbers.as_ptr().cast());
            let gathered = _mm512_i32gather_epi32::<4>(numbers, words.cast());
            _mm512_storeu_si512(values.as_mut_ptr().cast(), gathered);
        }
        values
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
    use crate::graphics::raster::Point;
    use crate::graphics::wide::{Vectorized, vectorize};

    /// All of the above for some numbers.
    struct Everything<'a>(&'a [Corner], &'a [Row], [u32; LANES]);

    #[derive(Debug, PartialEq)]
    struct Found {
        points: Points,
        depths: Depths,
        words: [u32; LANES],
        nonzero: u32,
        columns: [Row; LANES],
    }

    impl Everything<'_> {
        #[inline(always)]
        fn find<const WIDE: bool>(self) -> Found {
            let Everything(corners, words, numbers) = self;
            let mut columns: [Row; LANES] = std::array::from_fn(|row| words[row]);
            transpose::<WIDE>(&mut columns);
            Found {
                points: points::<WIDE>(corners, &numbers),
                depths: depths::<WIDE>(corners, &numbers),
                words: gather::<WIDE>(words, &numbers),
                nonzero: nonzero::<WIDE>(&numbers),
                columns,
            }
        }
    }

    impl Vectorized for Everything<'_> {
        type Output = Found;

        #[inline(always)]
        fn run(self) -> Found {
            self.find::<false>()
        }

        #[inline(always)]
        fn run_wide(self) -> Found {
            self.find::<true>()
        }
    }

    #[test]
    fn both_versions_give_the_same() {
        let corners: Vec<Corner> = (0..50)
            .map(|n| Corner {
                point: Point { x: 3 * n, y: -7 * n },
                sides: n as u32 ^ 5,
                z: f64::from(n) / 3.0,
                inverse_w: f64::from(n) * 1.5,
                ..Corner::default()
            })
            .collect();
        let row = |row: u32| Row(std::array::from_fn(|at| (16 * row + at as u32).wrapping_mul(0x9e37_79b9)));
        let words: Vec<Row> = (0..20).map(row).collect();
        for round in 0..100u32 {
            let numbers: [u32; LANES] =
                std::array::from_fn(|lane| (round.wrapping_mul(77) + 13 * lane as u32) % 50);
            let found = vectorize(Everything(&corners, &words, numbers));
            assert_eq!(found, Everything(&corners, &words, numbers).find::<false>());
            for lane in 0..LANES {
                let corner = &corners[numbers[lane] as usize];
                assert_eq!((found.points.x[lane], found.points.sides[lane]), (corner.point.x, corner.sides));
                assert_eq!(
                    (found.depths.z[lane], found.depths.inverse_w[lane]),
                    (corner.z, corner.inverse_w)
                );
                assert_eq!(found.nonzero >> lane & 1 == 1, numbers[lane] != 0);
                assert_eq!(found.words[lane], numbers[lane].wrapping_mul(0x9e37_79b9));
                assert_eq!(found.columns[lane].0[3], words[3].0[lane]);
            }
        }
    }
}
