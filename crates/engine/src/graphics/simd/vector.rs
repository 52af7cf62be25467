//! Vectors of sixteen values, one for each vertex or triangle, and what is done with them.
//!
//! Code that deals with sixteen at a time is written once for any [`Vector`]: [`Plain`] has arrays, which the compiler
//! makes vectors of the processor that it compiles for ([`wide`](crate::graphics::simd::multiversion)), [`Avx512`] has that processor's own. All
//! operations are the same single ones, bit for bit.

use crate::graphics::simd::lanes::{LANES, Row};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// A kind of vectors. Integers wrap around; floats are IEEE's, to nearest even.
pub(crate) trait Vector: Copy {
    /// `i32` or bits.
    type Ints: Copy;
    /// `f32`.
    type Floats: Copy;
    /// `f64`.
    type Doubles: Copy;
    /// True or false.
    type Mask: Copy;

    fn load(values: &[u32; LANES]) -> Self::Ints;
    /// The first of each three words, the second ones, and the third ones.
    fn threes(values: &[u32; 3 * LANES]) -> [Self::Ints; 3];
    fn store(values: Self::Ints) -> [u32; LANES];
    fn store_ints(values: Self::Ints) -> [i32; LANES];
    fn ints(value: i32) -> Self::Ints;
    fn add(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn sub(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn mul(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn min(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn max(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn or(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Sub-pixel units to pixels: arithmetic shift by 8.
    fn pixels(a: Self::Ints) -> Self::Ints;
    /// Pixels to sub-pixel units.
    fn units(a: Self::Ints) -> Self::Ints;
    fn less(a: Self::Ints, b: Self::Ints) -> Self::Mask;
    fn equal(a: Self::Ints, b: Self::Ints) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn select(mask: Self::Mask, then: Self::Ints, otherwise: Self::Ints) -> Self::Ints;
    /// A bit for each value.
    fn bits(mask: Self::Mask) -> u32;

    fn floats(value: f32) -> Self::Floats;
    fn float_bits(a: Self::Floats) -> Self::Ints;
    fn floats_of(bits: Self::Ints) -> Self::Floats;
    fn sub_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a < b`.
    fn min_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a > b`.
    fn max_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;

    fn doubles(value: f64) -> Self::Doubles;
    fn doubles_of(values: &[f64; LANES]) -> Self::Doubles;
    fn store_doubles(a: Self::Doubles) -> [f64; LANES];
    /// From the low and the high halves of their bits.
    fn join(low: Self::Ints, high: Self::Ints) -> Self::Doubles;
    fn to_doubles(a: Self::Ints) -> Self::Doubles;
    fn to_floats(a: Self::Doubles) -> Self::Floats;
    fn plus(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn minus(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn times(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn over(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// `b` unless `a < b`.
    fn least(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// `b` unless `a > b`.
    fn most(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;

    /// Four consecutive words from each of sixteen places in a table, which are counted in four words: the first
    /// words, the second ones, and so on. Places behind the table's end count as its last.
    fn quads(table: &[Row], places: Self::Ints) -> [Self::Ints; 4];
    /// What [`Vector::quads`] reads for places from 0 on: four words of each lane, behind each other; those of the lanes are
    /// in the order of [`slot`].
    fn to_quads(words: [Self::Ints; 4]) -> [Row; 4];
    /// Of three functions of pixels, by their values at a region's upper left pixel and their changes in x and y, 16 bits
    /// each: the pixels of the region of eight by eight where none is negative, in the order of quads, row by row. `column`:
    /// the pixels of its first column of quads.
    fn uncrossed(values: [i32; 3], steps: [i32; 3], column: &[i32; LANES]) -> u64;
    /// Rows to columns: these go to the rows `step` apart from the first on.
    fn transpose(rows: &[Row; LANES], to: &mut [Row], step: usize);
}

/// Where [`Vector::to_quads`] has a lane's words, counted in four words.
#[inline(always)]
pub(crate) fn slot(lane: u32) -> u32 {
    4 * (lane % 4) + lane / 4
}

/// The widest there are, for code that is compiled for them.
#[cfg(target_arch = "x86_64")]
pub(crate) type Widest = Avx512;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Widest = Plain;

/// Arrays.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Vectors of processors with AVX-512 (F, DQ, BW). To be used in code that is compiled for them and has been asked whether
/// this is one.
#[derive(Clone, Copy)]
pub(crate) struct Avx512;

/// A value for each lane, from those of vectors with the same names.
macro_rules! lanes {
    ($($name:ident),+ => $value:expr) => {{
        let mut values = [Default::default(); LANES];
        for (lane, at) in values.iter_mut().enumerate() {
            $(let $name = $name[lane];)+
            *at = $value;
        }
        values
    }};
}

impl Vector for Plain {
    type Ints = [i32; LANES];
    type Floats = [f32; LANES];
    type Doubles = [f64; LANES];
    /// All bits or none.
    type Mask = [i32; LANES];

    #[inline(always)]
    fn load(values: &[u32; LANES]) -> [i32; LANES] {
        lanes!(values => values as i32)
    }

    #[inline(always)]
    fn threes(values: &[u32; 3 * LANES]) -> [[i32; LANES]; 3] {
        let mut threes = [[0; LANES]; 3];
        for (lane, three) in values.as_chunks::<3>().0.iter().enumerate() {
            for (words, &word) in threes.iter_mut().zip(three) {
                words[lane] = word as i32;
            }
        }
        threes
    }

    #[inline(always)]
    fn store(values: [i32; LANES]) -> [u32; LANES] {
        lanes!(values => values as u32)
    }

    #[inline(always)]
    fn store_ints(values: [i32; LANES]) -> [i32; LANES] {
        values
    }

    #[inline(always)]
    fn ints(value: i32) -> [i32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn add(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_add(b))
    }

    #[inline(always)]
    fn sub(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_sub(b))
    }

    #[inline(always)]
    fn mul(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_mul(b))
    }

    #[inline(always)]
    fn min(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn and(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a & b)
    }

    #[inline(always)]
    fn or(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a | b)
    }

    #[inline(always)]
    fn pixels(a: [i32; LANES]) -> [i32; LANES] {
        lanes!(a => a >> 8)
    }

    #[inline(always)]
    fn units(a: [i32; LANES]) -> [i32; LANES] {
        lanes!(a => a << 8)
    }

    #[inline(always)]
    fn less(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => -i32::from(a < b))
    }

    #[inline(always)]
    fn equal(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => -i32::from(a == b))
    }

    #[inline(always)]
    fn both(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a & b)
    }

    #[inline(always)]
    fn either(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a | b)
    }

    #[inline(always)]
    fn select(mask: [i32; LANES], then: [i32; LANES], otherwise: [i32; LANES]) -> [i32; LANES] {
        lanes!(mask, then, otherwise => then & mask | otherwise & !mask)
    }

    #[inline(always)]
    fn bits(mask: [i32; LANES]) -> u32 {
        mask.iter().rev().fold(0, |bits, lane| (2 * bits) | (*lane as u32 >> 31))
    }

    #[inline(always)]
    fn floats(value: f32) -> [f32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn float_bits(a: [f32; LANES]) -> [i32; LANES] {
        lanes!(a => a.to_bits() as i32)
    }

    #[inline(always)]
    fn floats_of(bits: [i32; LANES]) -> [f32; LANES] {
        lanes!(bits => f32::from_bits(bits as u32))
    }

    #[inline(always)]
    fn sub_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => a - b)
    }

    #[inline(always)]
    fn min_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn max_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn doubles(value: f64) -> [f64; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn doubles_of(values: &[f64; LANES]) -> [f64; LANES] {
        *values
    }

    #[inline(always)]
    fn store_doubles(a: [f64; LANES]) -> [f64; LANES] {
        a
    }

    #[inline(always)]
    fn join(low: [i32; LANES], high: [i32; LANES]) -> [f64; LANES] {
        lanes!(low, high => f64::from_bits(u64::from(low as u32) | u64::from(high as u32) << 32))
    }

    #[inline(always)]
    fn to_doubles(a: [i32; LANES]) -> [f64; LANES] {
        lanes!(a => f64::from(a))
    }

    #[inline(always)]
    fn to_floats(a: [f64; LANES]) -> [f32; LANES] {
        lanes!(a => a as f32)
    }

    #[inline(always)]
    fn plus(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a + b)
    }

    #[inline(always)]
    fn minus(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a - b)
    }

    #[inline(always)]
    fn times(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a * b)
    }

    #[inline(always)]
    fn over(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a / b)
    }

    #[inline(always)]
    fn least(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn most(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn quads(table: &[Row], places: [i32; LANES]) -> [[i32; LANES]; 4] {
        let mut words = [[0; LANES]; 4];
        for (lane, &place) in places.iter().enumerate() {
            let place = (place as u32 as usize).min(LANES / 4 * table.len() - 1);
            let four = &table[place / 4].0.as_chunks::<4>().0[place % 4];
            for (words, &word) in words.iter_mut().zip(four) {
                words[lane] = word as i32;
            }
        }
        words
    }

    #[inline(always)]
    fn to_quads(words: [[i32; LANES]; 4]) -> [Row; 4] {
        let mut rows = [Row::default(); 4];
        for lane in 0..LANES {
            let row = &mut rows[lane % 4].0.as_chunks_mut::<4>().0[lane / 4];
            for (to, words) in row.iter_mut().zip(&words) {
                *to = words[lane] as u32;
            }
        }
        rows
    }

    #[inline(always)]
    fn uncrossed(values: [i32; 3], steps: [i32; 3], column: &[i32; LANES]) -> u64 {
        let mut negative = [[0; LANES]; 4];
        for (value, step) in values.iter().zip(steps) {
            let (a, b) = (i32::from(step as i16), step >> 16);
            for (quad, negative) in (0..).zip(&mut negative) {
                let value = value.wrapping_add(2 * quad * a);
                for (negative, pixel) in negative.iter_mut().zip(column) {
                    *negative |= value.wrapping_add(a * (pixel & 0xffff)).wrapping_add(b * (pixel >> 16));
                }
            }
        }
        let mut pixels = 0;
        for (quad, negative) in negative.iter().enumerate() {
            for (row, negative) in negative.as_chunks::<4>().0.iter().enumerate() {
                for (pixel, negative) in negative.iter().enumerate() {
                    pixels |= u64::from(!negative as u32 >> 31) << (16 * row + 4 * quad + pixel);
                }
            }
        }
        pixels
    }

    #[inline(always)]
    fn transpose(rows: &[Row; LANES], to: &mut [Row], step: usize) {
        for (column, to) in to.iter_mut().step_by(step).enumerate().take(LANES) {
            for (value, row) in to.0.iter_mut().zip(rows) {
                *value = row.0[column];
            }
        }
    }
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

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
impl Vector for Avx512 {
    type Ints = __m512i;
    type Floats = __m512;
    /// Of the first lanes and of the last ones.
    type Doubles = [__m512d; 2];
    type Mask = __mmask16;

    #[inline(always)]
    fn load(values: &[u32; LANES]) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
    }

    #[inline(always)]
    fn threes(values: &[u32; 3 * LANES]) -> [__m512i; 3] {
        let [first, second, third] = &const { threes_orders() };
        let [a, b, c] = values.as_chunks::<LANES>().0 else { unreachable!("three times as many") };
        let (a, b, c) = (Self::load(a), Self::load(b), Self::load(c));
        // Of the first two, then of the third, from the lane on where those of the first two end.
        // SAFETY: see [`Avx512`].
        unsafe {
            let (first, second, third) = (Self::load(first), Self::load(second), Self::load(third));
            [
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, first, b), 0xf800, first, c),
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, second, b), 0xf800, second, c),
                _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(a, third, b), 0xfc00, third, c),
            ]
        }
    }

    #[inline(always)]
    fn store(values: __m512i) -> [u32; LANES] {
        // SAFETY: see [`Avx512`].
        unsafe { std::mem::transmute(values) }
    }

    #[inline(always)]
    fn store_ints(values: __m512i) -> [i32; LANES] {
        // SAFETY: as large.
        unsafe { std::mem::transmute(values) }
    }

    #[inline(always)]
    fn ints(value: i32) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn mul(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn min(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_min_epi32(a, b) }
    }

    #[inline(always)]
    fn max(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_max_epi32(a, b) }
    }

    #[inline(always)]
    fn and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn pixels(a: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_srai_epi32::<8>(a) }
    }

    #[inline(always)]
    fn units(a: __m512i) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_slli_epi32::<8>(a) }
    }

    #[inline(always)]
    fn less(a: __m512i, b: __m512i) -> __mmask16 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_cmplt_epi32_mask(a, b) }
    }

    #[inline(always)]
    fn equal(a: __m512i, b: __m512i) -> __mmask16 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_cmpeq_epi32_mask(a, b) }
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
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_mask_blend_epi32(mask, otherwise, then) }
    }

    #[inline(always)]
    fn bits(mask: u16) -> u32 {
        mask.into()
    }

    #[inline(always)]
    fn floats(value: f32) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn float_bits(a: __m512) -> __m512i {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_castps_si512(a) }
    }

    #[inline(always)]
    fn floats_of(bits: __m512i) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_castsi512_ps(bits) }
    }

    #[inline(always)]
    fn sub_floats(a: __m512, b: __m512) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn min_floats(a: __m512, b: __m512) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_min_ps(a, b) }
    }

    #[inline(always)]
    fn max_floats(a: __m512, b: __m512) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    fn doubles(value: f64) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_set1_pd(value); 2] }
    }

    #[inline(always)]
    fn doubles_of(values: &[f64; LANES]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_loadu_pd(values.as_ptr()), _mm512_loadu_pd(values.as_ptr().add(8))] }
    }

    #[inline(always)]
    fn store_doubles(a: [__m512d; 2]) -> [f64; LANES] {
        // SAFETY: see [`Avx512`].
        unsafe { std::mem::transmute(a) }
    }

    #[inline(always)]
    fn join(low: __m512i, high: __m512i) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe {
            let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let last = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            let (first, last) =
                (_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, last, high));
            [_mm512_castsi512_pd(first), _mm512_castsi512_pd(last)]
        }
    }

    #[inline(always)]
    fn to_doubles(a: __m512i) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe {
            [
                _mm512_cvtepi32_pd(_mm512_castsi512_si256(a)),
                _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(a)),
            ]
        }
    }

    #[inline(always)]
    fn to_floats([first, last]: [__m512d; 2]) -> __m512 {
        // SAFETY: see [`Avx512`].
        unsafe {
            let (first, last) = (_mm512_cvtpd_ps(first), _mm512_cvtpd_ps(last));
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(first), last)
        }
    }

    #[inline(always)]
    fn plus(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_add_pd(a[0], b[0]), _mm512_add_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn minus(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_sub_pd(a[0], b[0]), _mm512_sub_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn times(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_mul_pd(a[0], b[0]), _mm512_mul_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn over(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_div_pd(a[0], b[0]), _mm512_div_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn least(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_min_pd(a[0], b[0]), _mm512_min_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn most(a: [__m512d; 2], b: [__m512d; 2]) -> [__m512d; 2] {
        // SAFETY: see [`Avx512`].
        unsafe { [_mm512_max_pd(a[0], b[0]), _mm512_max_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn quads(table: &[Row], places: __m512i) -> [__m512i; 4] {
        assert!(!table.is_empty());
        // SAFETY: the places are those of the table; see [`Avx512`].
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
        // SAFETY: see [`Avx512`].
        unsafe {
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
        }
    }

    #[inline(always)]
    fn uncrossed(values: [i32; 3], steps: [i32; 3], column: &[i32; LANES]) -> u64 {
        // SAFETY: see [`Avx512`]; the array is as long as a register.
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
        // SAFETY: rows are 64 bytes, aligned so; there are as many as asserted; see [`Avx512`].
        unsafe { transpose(rows, to.as_mut_ptr(), step) };
    }
}

/// See [`Vector::transpose`].
///
/// # Safety
/// The processor has AVX-512; there are so many rows.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(unsafe_code)]
unsafe fn transpose(rows: &[Row; LANES], to: *mut Row, step: usize) {
    // SAFETY: the caller's contract; rows are 64 bytes, aligned so.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::simd::multiversion::{Vectorized, vectorize};

    /// Everything that vectors do, for some words.
    struct Everything<'a>(&'a [Row]);

    /// Results are bits, sixteen and sixteen; of doubles, the low and the high halves.
    type Results = Vec<[u32; LANES]>;

    impl Vectorized for Everything<'_> {
        type Output = Results;

        #[inline(always)]
        fn run<const WIDE: bool>(self) -> Results {
            if WIDE { self.all::<Widest>() } else { self.all::<Plain>() }
        }
    }

    #[inline(always)]
    fn push_doubles<V: Vector>(results: &mut Results, doubles: V::Doubles) {
        let values = V::store_doubles(doubles).map(f64::to_bits);
        results.extend([values.map(|bits| bits as u32), values.map(|bits| (bits >> 32) as u32)]);
    }

    impl Everything<'_> {
        #[inline(always)]
        fn all<V: Vector>(self) -> Results {
            let (a, b, c) = (V::load(&self.0[0].0), V::load(&self.0[1].0), V::load(&self.0[2].0));
            let (less, equal) = (V::less(a, b), V::equal(V::and(a, V::ints(1)), V::and(b, V::ints(1))));
            let mut results = Vec::new();
            for ints in [
                V::ints(-7),
                V::add(a, b),
                V::sub(a, b),
                V::mul(a, b),
                V::min(a, b),
                V::max(a, b),
                V::and(a, b),
                V::or(a, b),
                V::pixels(a),
                V::units(a),
                V::select(less, a, b),
                V::select(V::both(less, equal), a, b),
                V::select(V::either(less, equal), a, b),
            ] {
                results.push(V::store(ints));
                assert_eq!(V::store_ints(ints).map(|value| value as u32), V::store(ints));
            }
            results.push([V::bits(equal); LANES]);
            let (x, y) = (V::floats_of(a), V::floats_of(b));
            for floats in [V::floats(-0.5), V::sub_floats(x, y), V::min_floats(x, y), V::max_floats(x, y)] {
                results.push(V::store(V::float_bits(floats)));
            }
            let (x, y) = (V::join(a, b), V::join(b, c));
            results.push(V::store(V::float_bits(V::to_floats(x))));
            let other = V::doubles_of(&V::store_doubles(y));
            push_doubles::<V>(&mut results, V::doubles(0.1));
            push_doubles::<V>(&mut results, V::to_doubles(a));
            push_doubles::<V>(&mut results, V::plus(x, other));
            push_doubles::<V>(&mut results, V::minus(x, y));
            push_doubles::<V>(&mut results, V::times(x, y));
            push_doubles::<V>(&mut results, V::over(x, y));
            push_doubles::<V>(&mut results, V::least(x, y));
            push_doubles::<V>(&mut results, V::most(x, y));

            let mut words = [0; 3 * LANES];
            for (words, row) in words.as_chunks_mut::<LANES>().0.iter_mut().zip(self.0) {
                *words = row.0;
            }
            let threes = V::threes(&words).map(V::store);
            assert!((0..3 * LANES).all(|at| threes[at % 3][at / 3] == words[at]));

            let places: [u32; LANES] = std::array::from_fn(|lane| self.0[0].0[lane] % 60);
            let quads = V::quads(&self.0[..15], V::load(&places)).map(V::store);
            for (lane, &place) in places.iter().enumerate() {
                for (word, quad) in quads.iter().enumerate() {
                    let at = 4 * place as usize + word;
                    assert_eq!(quad[lane], self.0[at / LANES].0[at % LANES]);
                }
            }
            let last = V::store(V::quads(&self.0[..15], V::ints(i32::MAX))[3]);
            assert_eq!(last, [self.0[14].0[15]; LANES]);

            let words = [0, 1, 2, 3].map(|row| V::load(&self.0[row].0));
            let quads = V::to_quads(words);
            for lane in 0..LANES as u32 {
                let four = quads[slot(lane) as usize / 4].0.as_chunks::<4>().0[slot(lane) as usize % 4];
                assert!((0..4).all(|word| four[word] == self.0[word].0[lane as usize]));
            }

            let rows = self.0.first_chunk().expect("sixteen");
            let mut to = vec![Row::default(); 3 * LANES];
            V::transpose(rows, &mut to[1..], 3);
            for (column, to) in to[1..].iter().step_by(3).enumerate() {
                assert!((0..LANES).all(|row| to.0[row] == rows[row].0[column]));
            }

            let [p, q, r, s, t, u, ..] = self.0[3].0.map(|word| word as i32 >> 8);
            let column = std::array::from_fn(|lane| {
                let (x, y) = (lane % 2, lane / 4 * 2 + lane / 2 % 2);
                (x | y << 16) as i32
            });
            let pixels = V::uncrossed([p, q, r], [s, t, u], &column);
            for bit in 0..64 {
                let (quad, x, y) = (bit / 4, bit % 2, bit / 2 % 2);
                let (x, y) = (x + 2 * (quad % 4), y + 2 * (quad / 4));
                let value = |value: i32, step: i32| value + x * i32::from(step as i16) + y * (step >> 16);
                let outside = value(p, s) | value(q, t) | value(r, u);
                assert_eq!(pixels >> bit & 1 == 1, outside >= 0, "{bit}");
            }
            results
        }
    }

    #[test]
    fn both_kinds_give_the_same() {
        let mut state = 1u64;
        let mut word = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = (state >> 32) as u32;
            // No NaN, whose bits nobody promises; and small numbers.
            match state >> 28 & 7 {
                0 => word % 5,
                1 => (word % 1000) << 20,
                _ if word & 0x7f80_0000 == 0x7f80_0000 || word & 0x7ff0_0000 == 0x7ff0_0000 => 1,
                _ => word,
            }
        };
        let is_nan = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32).is_nan();
        for _ in 0..300 {
            let table: Vec<Row> = (0..LANES).map(|_| Row(std::array::from_fn(|_| word()))).collect();
            let (plain, best) = (Everything(&table).run::<false>(), vectorize(Everything(&table)));
            assert_eq!(plain.len(), best.len());
            for (at, (plain, best)) in plain.iter().zip(&best).enumerate() {
                if plain != best {
                    // Zero by zero and the like.
                    for lane in 0..LANES {
                        let nan = f32::from_bits(plain[lane]).is_nan() || is_nan(0, plain[lane]);
                        assert!(plain[lane] == best[lane] || nan, "{at} {lane}");
                    }
                }
            }
        }
    }
}
