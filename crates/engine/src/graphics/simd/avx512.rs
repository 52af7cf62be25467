//! [`Vector`] as registers of AVX-512.
//!
//! The only code of [`simd`](super) with intrinsics but for prefetches and the coverage of regions.

use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::vector::Vector;
use std::arch::x86_64::*;

/// Vectors of processors with AVX-512 (F, DQ, BW). To be used by
/// [`Vectorized::run`](super::multiversion::Vectorized::run) where it is `WIDE` only.
#[derive(Clone, Copy)]
pub(crate) struct Avx512;

/// A value of intrinsics that compute registers from registers.
macro_rules! avx512 {
    ($value:expr) => {
        // SAFETY: `vectorize` runs `WIDE` code, the only user of `Avx512`, only where the processor has
        // AVX-512 (F, DQ, BW).
        unsafe { $value }
    };
}

/// For each lane, where the first, second, or third of its three words is: in which row, and there.
const fn threes_orders() -> [[u32; LANES]; 3] {
    let mut orders = [[0; LANES]; 3];
    let mut at = 0;
    while at < 3 * LANES {
        orders[at % 3][at / 3] = (at % (2 * LANES)) as u32;
        at += 1;
    }
    orders
}

#[allow(unsafe_code)]
impl Vector for Avx512 {
    type Ints = __m512i;
    type Floats = __m512;
    /// Of the first lanes and of the last ones.
    type Doubles = [__m512d; 2];
    type Mask = __mmask16;

    #[inline(always)]
    fn load(values: &[u32; LANES]) -> __m512i {
        // SAFETY: the array is as long as a register; the instruction as in `avx512!`.
        unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
    }

    #[inline(always)]
    fn threes(values: &[u32; 3 * LANES]) -> [__m512i; 3] {
        let [first, second, third] = &const { threes_orders() };
        let [a, b, c] = values.as_chunks::<LANES>().0 else { unreachable!("three times as many") };
        let (a, b, c) = (Self::load(a), Self::load(b), Self::load(c));
        // Of the first two, then of the third, from the lane on where those of the first two end.
        let (first, second, third) = (Self::load(first), Self::load(second), Self::load(third));
        avx512!({
            [
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, first, b), 0xf800, first, c),
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, second, b), 0xf800, second, c),
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, third, b), 0xfc00, third, c),
            ]
        })
    }

    #[inline(always)]
    fn store(values: __m512i) -> [u32; LANES] {
        // SAFETY: both are 64 bytes, and any bits are integers.
        unsafe { std::mem::transmute(values) }
    }

    #[inline(always)]
    fn store_ints(values: __m512i) -> [i32; LANES] {
        // SAFETY: both are 64 bytes, and any bits are integers.
        unsafe { std::mem::transmute(values) }
    }

    #[inline(always)]
    fn ints(value: i32) -> __m512i {
        avx512!(_mm512_set1_epi32(value))
    }

    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn sub(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_sub_epi32(a, b))
    }

    #[inline(always)]
    fn mul(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_mullo_epi32(a, b))
    }

    #[inline(always)]
    fn min(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_min_epi32(a, b))
    }

    #[inline(always)]
    fn max(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_max_epi32(a, b))
    }

    #[inline(always)]
    fn and(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_and_si512(a, b))
    }

    #[inline(always)]
    fn or(a: __m512i, b: __m512i) -> __m512i {
        avx512!(_mm512_or_si512(a, b))
    }

    #[inline(always)]
    fn pixels(a: __m512i) -> __m512i {
        avx512!(_mm512_srai_epi32::<8>(a))
    }

    #[inline(always)]
    fn units(a: __m512i) -> __m512i {
        avx512!(_mm512_slli_epi32::<8>(a))
    }

    #[inline(always)]
    fn less(a: __m512i, b: __m512i) -> __mmask16 {
        avx512!(_mm512_cmplt_epi32_mask(a, b))
    }

    #[inline(always)]
    fn equal(a: __m512i, b: __m512i) -> __mmask16 {
        avx512!(_mm512_cmpeq_epi32_mask(a, b))
    }

    #[inline(always)]
    fn both(a: u16, b: u16) -> u16 {
        a & b
    }

    #[inline(always)]
    fn either(a: u16, b: u16) -> u16 {
        a | b
    }

    #[inline(always)]
    fn select(mask: u16, then: __m512i, otherwise: __m512i) -> __m512i {
        avx512!(_mm512_mask_blend_epi32(mask, otherwise, then))
    }

    #[inline(always)]
    fn bits(mask: u16) -> u32 {
        mask.into()
    }

    #[inline(always)]
    fn floats(value: f32) -> __m512 {
        avx512!(_mm512_set1_ps(value))
    }

    #[inline(always)]
    fn float_bits(a: __m512) -> __m512i {
        avx512!(_mm512_castps_si512(a))
    }

    #[inline(always)]
    fn floats_of(bits: __m512i) -> __m512 {
        avx512!(_mm512_castsi512_ps(bits))
    }

    #[inline(always)]
    fn sub_floats(a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_sub_ps(a, b))
    }

    #[inline(always)]
    fn min_floats(a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_min_ps(a, b))
    }

    #[inline(always)]
    fn max_floats(a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_max_ps(a, b))
    }

    #[inline(always)]
    fn doubles(value: f64) -> [__m512d; 2] {
        avx512!([_mm512_set1_pd(value); 2])
    }

    #[inline(always)]
    fn doubles_of(values: &[f64; LANES]) -> [__m512d; 2] {
        // SAFETY: the array is as long as two registers; the instructions as in `avx512!`.
        unsafe { [_mm512_loadu_pd(values.as_ptr()), _mm512_loadu_pd(values.as_ptr().add(8))] }
    }

    #[inline(always)]
    fn store_doubles(a: [__m512d; 2]) -> [f64; LANES] {
        // SAFETY: both are 128 bytes, and any bits are numbers.
        unsafe { std::mem::transmute(a) }
    }

    #[inline(always)]
    fn low([first, last]: [__m512d; 2]) -> __m512i {
        avx512!({
            let (first, last) = (_mm512_castpd_si512(first), _mm512_castpd_si512(last));
            let (first, last) = (_mm512_cvtepi64_epi32(first), _mm512_cvtepi64_epi32(last));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), last)
        })
    }

    #[inline(always)]
    fn root([first, last]: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_sqrt_pd(first), _mm512_sqrt_pd(last)])
    }

    #[inline(always)]
    fn join(low: __m512i, high: __m512i) -> [__m512d; 2] {
        avx512!({
            let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let last = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            let (first, last) =
                (_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, last, high));
            [_mm512_castsi512_pd(first), _mm512_castsi512_pd(last)]
        })
    }

    #[inline(always)]
    fn to_doubles(a: __m512i) -> [__m512d; 2] {
        avx512!({
            [
                _mm512_cvtepi32_pd(_mm512_castsi512_si256(a)),
                _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(a)),
            ]
        })
    }

    #[inline(always)]
    fn to_floats([first, last]: [__m512d; 2]) -> __m512 {
        avx512!({
            let (first, last) = (_mm512_cvtpd_ps(first), _mm512_cvtpd_ps(last));
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(first), last)
        })
    }

    #[inline(always)]
    fn plus(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_add_pd(a[0], b[0]), _mm512_add_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn minus(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_sub_pd(a[0], b[0]), _mm512_sub_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn times(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_mul_pd(a[0], b[0]), _mm512_mul_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn over(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_div_pd(a[0], b[0]), _mm512_div_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn least(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_min_pd(a[0], b[0]), _mm512_min_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn most(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        avx512!([_mm512_max_pd(a[0], b[0]), _mm512_max_pd(a[1], b[1])])
    }

    #[inline(always)]
    fn select_doubles(mask: u16, then: [__m512d; 2], otherwise: [__m512d; 2]) -> [__m512d; 2] {
        let (low, high) = (mask as u8, (mask >> 8) as u8);
        avx512!([
            _mm512_mask_blend_pd(low, otherwise[0], then[0]),
            _mm512_mask_blend_pd(high, otherwise[1], then[1])
        ])
    }

    #[inline(always)]
    fn quads(table: &[Row], places: __m512i) -> [__m512i; 4] {
        assert!(!table.is_empty());
        // SAFETY: places are at most the table's last, which has one, and each has 16 bytes; the instructions
        // as in `avx512!`.
        unsafe {
            let end = _mm512_set1_epi32((LANES / 4 * table.len()) as i32 - 1);
            let places = Self::store(_mm512_min_epu32(places, end));
            let table: *const __m128i = table.as_ptr().cast();
            // Element `n` of register `m` is of lane `4 * (n / 4) + m`.
            let mut four = [_mm512_setzero_si512(); 4];
            for (lane, four) in four.iter_mut().enumerate() {
                *four = _mm512_castsi128_si512(_mm_loadu_si128(table.add(places[lane] as usize)));
                let place = table.add(places[lane + 4] as usize);
                *four = _mm512_inserti32x4::<1>(*four, _mm_loadu_si128(place));
                let place = table.add(places[lane + 8] as usize);
                *four = _mm512_inserti32x4::<2>(*four, _mm_loadu_si128(place));
                let place = table.add(places[lane + 12] as usize);
                *four = _mm512_inserti32x4::<3>(*four, _mm_loadu_si128(place));
            }
            let [a, b, c, d] = four;
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (first, second) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            [first, second, _mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd)]
        }
    }

    #[inline(always)]
    fn to_quads([a, b, c, d]: [__m512i; 4]) -> [Row; 4] {
        avx512!({
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (first, second) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            let (third, last) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            [
                Row(Self::store(first)),
                Row(Self::store(second)),
                Row(Self::store(third)),
                Row(Self::store(last)),
            ]
        })
    }

    #[inline(always)]
    fn uncrossed(values: [i32; 3], steps: [i32; 3], column: &[i32; LANES]) -> u64 {
        // SAFETY: the array is as long as a register; the instructions as in `avx512!`.
        unsafe {
            let (column, right) = (_mm512_loadu_si512(column.as_ptr().cast()), _mm512_set1_epi32(2));
            let [p, q, r] = steps;
            let (p, q, r) = (_mm512_set1_epi32(p), _mm512_set1_epi32(q), _mm512_set1_epi32(r));
            let [a, b, c] = values;
            let (a, b, c) = (_mm512_set1_epi32(a), _mm512_set1_epi32(b), _mm512_set1_epi32(c));
            let mut a = _mm512_add_epi32(a, _mm512_madd_epi16(p, column));
            let mut b = _mm512_add_epi32(b, _mm512_madd_epi16(q, column));
            let mut c = _mm512_add_epi32(c, _mm512_madd_epi16(r, column));
            let (p, q, r) =
                (_mm512_madd_epi16(p, right), _mm512_madd_epi16(q, right), _mm512_madd_epi16(r, right));
            // The sign says whether none is negative.
            let mut quads = [_mm512_setzero_si512(); 4];
            for quad in &mut quads {
                *quad = _mm512_ternarylogic_epi32::<1>(a, b, c);
                (a, b, c) = (_mm512_add_epi32(a, p), _mm512_add_epi32(b, q), _mm512_add_epi32(c, r));
            }
            // A row of quads is 128 bits of each.
            let (left, right) =
                (_mm512_packs_epi32(quads[0], quads[1]), _mm512_packs_epi32(quads[2], quads[3]));
            _mm512_movepi8_mask(_mm512_packs_epi16(left, right))
        }
    }

    #[inline(always)]
    fn transpose(rows: &[Row; LANES], to: &mut [Row], step: usize) {
        assert!(to.len() > (LANES - 1) * step);
        // SAFETY: the last row that is written is below what has been asserted; the instructions as in
        // `avx512!`.
        unsafe { transpose(rows, to.as_mut_ptr(), step) };
    }
}

/// See [`Vector::transpose`].
///
/// # Safety
/// The processor has AVX-512; there are so many rows.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(unsafe_code)]
unsafe fn transpose(rows: &[Row; LANES], to: *mut Row, step: usize) {
    // SAFETY: rows are 64 bytes with that alignment, and the caller vouches for those that are written.
    unsafe {
        let load = |row: usize| _mm512_load_si512(rows[row].0.as_ptr().cast());
        // Of each four rows: register `j` holds column `4 k + j` in its 128 bits number `k`.
        let mut four = [_mm512_setzero_si512(); LANES];
        for part in (0..LANES).step_by(4) {
            let (a, b, c, d) = (load(part), load(part + 1), load(part + 2), load(part + 3));
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            (four[part], four[part + 1]) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            (four[part + 2], four[part + 3]) = (_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
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
                _mm512_store_si512(to.add((4 * k + j) * step).cast(), column);
            }
        }
    }
}
