//! The signs of numbers as bits, without AVX-512. Compilers make scalar code of loops that collect them,
//! which takes ten times as long as the comparisons themselves.

use crate::graphics::simd::lanes::LANES;

/// Bits of the lanes with a negative value.
#[inline(always)]
pub(crate) fn negative(values: &[i32; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_si128 as load, _mm_movemask_epi8 as signs};
        // SAFETY: all processors of this architecture have SSE2; four words from each place are the array's.
        #[allow(unsafe_code)]
        let [p, q, r, s] = unsafe { [0, 4, 8, 12].map(|first| load(values.as_ptr().add(first).cast())) };
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            signs(to_bytes([p, q, r, s])) as u32
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let mut mask = 0;
        for (lane, &value) in values.iter().enumerate() {
            mask |= (value as u32 >> 31) << lane;
        }
        mask
    }
}

/// Sixteen words as bytes of the same signs.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn to_bytes([p, q, r, s]: [std::arch::x86_64::__m128i; 4]) -> std::arch::x86_64::__m128i {
    use std::arch::x86_64::{_mm_packs_epi16, _mm_packs_epi32};
    _mm_packs_epi16(_mm_packs_epi32(p, q), _mm_packs_epi32(r, s))
}

/// Of linear functions of pixels, by their values at a region's upper left pixel and their changes for a
/// pixel in x and in y: the pixels of the region of eight by eight where none is negative, in the order of
/// quads, row by row. Sums wrap around.
#[inline(always)]
pub(crate) fn nowhere_negative<const COUNT: usize>(functions: [[i32; 3]; COUNT]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: all processors of this architecture have SSE2.
        #[allow(unsafe_code)]
        unsafe {
            nowhere_negative_sse2(functions)
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    nowhere_negative_plain(functions)
}

/// The same as plain code.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn nowhere_negative_plain<const COUNT: usize>(functions: [[i32; 3]; COUNT]) -> u64 {
    let mut outside = 0;
    for rows in 0..4 {
        let mut any = [0; LANES];
        for [value, a, b] in functions {
            let first = value.wrapping_add(b.wrapping_mul(2 * rows));
            for (lane, any) in (0..).zip(&mut any) {
                // Four quads side by side.
                let (x, y): (i32, i32) = (lane / 4 * 2 + lane % 2, lane / 2 % 2);
                *any |= first.wrapping_add(a.wrapping_mul(x)).wrapping_add(b.wrapping_mul(y));
            }
        }
        outside |= u64::from(negative(&any)) << (16 * rows);
    }
    !outside
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn nowhere_negative_sse2<const COUNT: usize>(functions: [[i32; 3]; COUNT]) -> u64 {
    use std::arch::x86_64::{
        _mm_add_epi32 as add, _mm_movemask_epi8 as signs, _mm_or_si128 as or, _mm_set1_epi32 as splat,
        _mm_setr_epi32 as quad, _mm_setzero_si128 as zero,
    };
    // Of each function the values at the four quads of two rows.
    let (mut values, mut steps) = ([[zero(); 4]; COUNT], [zero(); COUNT]);
    for ((values, step), [value, a, b]) in values.iter_mut().zip(&mut steps).zip(functions) {
        let right = splat(a.wrapping_mul(2));
        *step = splat(b.wrapping_mul(2));
        let mut next = add(splat(value), quad(0, a, b, a.wrapping_add(b)));
        for value in values {
            *value = next;
            next = add(next, right);
        }
    }
    let mut outside = 0;
    for rows in 0..4 {
        let mut any = [zero(); 4];
        for (values, &step) in values.iter_mut().zip(&steps) {
            for (any, value) in any.iter_mut().zip(values) {
                *any = or(*any, *value);
                *value = add(*value, step);
            }
        }
        outside |= u64::from(signs(to_bytes(any)) as u32) << (16 * rows);
    }
    !outside
}

/// [`nowhere_negative`] of the same functions with addends for each mask: `addend` gives that of a mask and a
/// function. No pixel's value that counts wraps around.
///
/// A pixel's values are narrowed to 16 bits, saturated, once for all masks: the sum with an addend that is
/// not the least of 16 bits has the same sign.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn nowhere_negative_with<const COUNT: usize>(
    functions: [[i32; 3]; COUNT],
    addend: impl Fn(usize, usize) -> i16,
    masks: &mut [u64],
) {
    use std::arch::x86_64::{
        _mm_add_epi32 as add, _mm_adds_epi16 as add_saturated, _mm_movemask_epi8 as signs,
        _mm_or_si128 as or, _mm_packs_epi16 as to_bytes, _mm_packs_epi32 as narrow,
        _mm_set1_epi16 as splat_narrow, _mm_set1_epi32 as splat, _mm_setr_epi32 as quad,
        _mm_setzero_si128 as zero,
    };
    // Of each function the values of two rows' quads, two and two.
    let mut narrowed = [[[zero(); 2]; 4]; COUNT];
    for (narrowed, [value, a, b]) in narrowed.iter_mut().zip(functions) {
        let (right, step) = (splat(a.wrapping_mul(2)), splat(b.wrapping_mul(2)));
        let first = add(splat(value), quad(0, a, b, a.wrapping_add(b)));
        let second = add(first, right);
        let third = add(second, right);
        let mut values = [first, second, third, add(third, right)];
        for narrowed in narrowed {
            *narrowed = [narrow(values[0], values[1]), narrow(values[2], values[3])];
            for value in &mut values {
                *value = add(*value, step);
            }
        }
    }
    for (at, mask) in masks.iter_mut().enumerate() {
        let mut any = [[zero(); 2]; 4];
        for (function, narrowed) in narrowed.iter().enumerate() {
            let addend = splat_narrow(addend(at, function));
            for (any, values) in any.iter_mut().zip(narrowed) {
                any[0] = or(any[0], add_saturated(values[0], addend));
                any[1] = or(any[1], add_saturated(values[1], addend));
            }
        }
        let mut outside = 0;
        for (rows, any) in any.iter().enumerate() {
            outside |= u64::from(signs(to_bytes(any[0], any[1])) as u32) << (16 * rows);
        }
        *mask = !outside;
    }
}

/// Of three functions of pixels, by their values at the four samples of the first pixel, 16 bits each, and
/// their changes in x and in y, 16 bits each: the samples of four by four pixels where none is negative, quad
/// by quad, of each the samples' pixels. Sums wrap around.
#[inline(always)]
pub(crate) fn samples_nowhere_negative(values: [u64; 3], steps: [i32; 3]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: all processors of this architecture have SSE2.
        #[allow(unsafe_code)]
        unsafe {
            samples_nowhere_negative_sse2(values, steps)
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    samples_nowhere_negative_plain(values, steps)
}

/// The same as plain code.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn samples_nowhere_negative_plain(values: [u64; 3], steps: [i32; 3]) -> u64 {
    let mut outside = 0;
    for (value, step) in values.into_iter().zip(steps) {
        let (a, b) = (step as i16, (step >> 16) as i16);
        let mut signs = [0i16; 64];
        for (bit, sign) in signs.iter_mut().enumerate() {
            let (quad, sample, pixel) = (bit / 16, bit / 4 % 4, bit % 4);
            let (x, y) = ((quad % 2 * 2 + pixel % 2) as i16, (quad / 2 * 2 + pixel / 2) as i16);
            let moved = a.wrapping_mul(x).wrapping_add(b.wrapping_mul(y));
            *sign = moved.wrapping_add((value >> (16 * sample)) as i16);
        }
        for (bit, sign) in signs.into_iter().enumerate() {
            outside |= u64::from(sign < 0) << bit;
        }
    }
    !outside
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn samples_nowhere_negative_sse2(values: [u64; 3], steps: [i32; 3]) -> u64 {
    use std::arch::x86_64::{
        _mm_add_epi16 as add, _mm_cvtsi64_si128 as low, _mm_movemask_epi8 as signs, _mm_or_si128 as or,
        _mm_packs_epi16 as to_bytes, _mm_set1_epi16 as splat, _mm_setzero_si128 as zero,
        _mm_unpackhi_epi32 as upper_pairs, _mm_unpacklo_epi16 as double, _mm_unpacklo_epi32 as lower_pairs,
        _mm_unpacklo_epi64 as twice,
    };
    // Of each quad, the pixels of the first two samples and those of the others.
    let mut any = [[zero(); 2]; 4];
    for at in 0..3 {
        let (a, b) = (steps[at] as i16, (steps[at] >> 16) as i16);
        let word = |value: i16| u64::from(value as u16);
        let pixels = low((word(a) << 16 | word(b) << 32 | word(a.wrapping_add(b)) << 48) as i64);
        let pixels = twice(pixels, pixels);
        let doubled = low(values[at] as i64);
        let doubled = double(doubled, doubled);
        let first = [lower_pairs(doubled, doubled), upper_pairs(doubled, doubled)];
        let (right, down) = (splat(a.wrapping_mul(2)), splat(b.wrapping_mul(2)));
        for half in 0..2 {
            let upper_left = add(first[half], pixels);
            let lower_left = add(upper_left, down);
            any[0][half] = or(any[0][half], upper_left);
            any[1][half] = or(any[1][half], add(upper_left, right));
            any[2][half] = or(any[2][half], lower_left);
            any[3][half] = or(any[3][half], add(lower_left, right));
        }
    }
    let mut outside = 0;
    for (quad, [first, second]) in any.into_iter().enumerate() {
        outside |= u64::from(signs(to_bytes(first, second)) as u32) << (16 * quad);
    }
    !outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_samples_are_those_of_each() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for _ in 0..4000 {
            let (values, steps) =
                ([next(), next(), next()], [next(), next(), next()].map(|step| step as i32));
            // Small numbers, too, whose sums seldom wrap around.
            let small = values.map(|value| value & 0x0fff_0fff_0fff_0fff | value & 0x8000_8000_8000_8000);
            let gentle = steps.map(|step| step & 0x01ff_01ff);
            for (values, steps) in [(values, steps), (small, gentle)] {
                let plain = samples_nowhere_negative_plain(values, steps);
                assert_eq!(samples_nowhere_negative(values, steps), plain);
            }
        }
    }

    #[test]
    fn signs_are_those_of_each_pixel() {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state as i32
        };
        for round in 0..4000 {
            // Also sums that wrap around.
            let shift = [22, 12, 0][round % 3];
            let mut function = || [next() >> shift, next() >> (shift + 3), next() >> (shift + 3)];
            let functions = [function(), function(), function(), function()];
            let mut expected = 0;
            for bit in 0..64 {
                let (x, y) = (bit % 16 / 4 * 2 + bit % 2, bit / 16 * 2 + bit / 2 % 2);
                let is_negative = |[value, a, b]: [i32; 3]| {
                    value.wrapping_add(a.wrapping_mul(x)).wrapping_add(b.wrapping_mul(y)) < 0
                };
                expected |= u64::from(!functions.into_iter().any(is_negative)) << bit;
            }
            assert_eq!(nowhere_negative(functions), expected);
            assert_eq!(nowhere_negative_plain(functions), expected);
            #[cfg(target_arch = "x86_64")]
            if shift != 0 {
                let addends: [[i16; 4]; 5] =
                    std::array::from_fn(|_| std::array::from_fn(|_| (next() as i16).max(-i16::MAX)));
                let mut masks = [0; 5];
                // SAFETY: all processors of this architecture have SSE2.
                #[allow(unsafe_code)]
                unsafe {
                    nowhere_negative_with(functions, |mask, at| addends[mask][at], &mut masks);
                }
                for (mask, addends) in masks.into_iter().zip(addends) {
                    let mut functions = functions;
                    for (function, addend) in functions.iter_mut().zip(addends) {
                        function[0] += i32::from(addend);
                    }
                    assert_eq!(mask, nowhere_negative(functions));
                }
            }
            let lanes = std::array::from_fn(|_| next());
            let bits = (0..LANES).fold(0, |bits, lane| bits | u32::from(lanes[lane] < 0) << lane);
            assert_eq!(negative(&lanes), bits);
        }
        assert_eq!(
            negative(&[i32::MIN, i32::MAX, 0, -1, -0x8000, 0x8000, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1]),
            0x8019
        );
    }
}
