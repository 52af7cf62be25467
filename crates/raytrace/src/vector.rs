//! Eight floats at a time.
//!
//! [`Plain`] has arrays, [`Avx`] the registers of processors with AVX2. All operations are the same single
//! ones of IEEE, bit for bit.

use pyro_abi::ray::WIDTH;

/// A kind of vectors of eight.
pub(crate) trait Vector {
    /// `f32`.
    type Floats: Copy;
    /// True or false.
    type Mask: Copy;

    fn load(values: &[f32; WIDTH]) -> Self::Floats;
    fn store(values: Self::Floats) -> [f32; WIDTH];
    fn splat(value: f32) -> Self::Floats;
    fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn div(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a < b`.
    fn min(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a > b`.
    fn max(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn less(a: Self::Floats, b: Self::Floats) -> Self::Mask;
    fn less_or_equal(a: Self::Floats, b: Self::Floats) -> Self::Mask;
    /// False for NaN.
    fn equal(a: Self::Floats, b: Self::Floats) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// A bit for each value.
    fn bits(mask: Self::Mask) -> u32;
}

/// Arrays.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Vectors of processors with AVX. To be used in code that is compiled for them and has been asked whether
/// this is one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Avx;

macro_rules! lanes {
    ($($name:ident),+ => $value:expr) => {{
        let mut values = [Default::default(); WIDTH];
        for (lane, at) in values.iter_mut().enumerate() {
            $(let $name = $name[lane];)+
            *at = $value;
        }
        values
    }};
}

impl Vector for Plain {
    type Floats = [f32; WIDTH];
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn load(values: &[f32; WIDTH]) -> [f32; WIDTH] {
        *values
    }

    #[inline(always)]
    fn store(values: [f32; WIDTH]) -> [f32; WIDTH] {
        values
    }

    #[inline(always)]
    fn splat(value: f32) -> [f32; WIDTH] {
        [value; WIDTH]
    }

    #[inline(always)]
    fn add(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => a + b)
    }

    #[inline(always)]
    fn sub(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => a - b)
    }

    #[inline(always)]
    fn mul(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => a * b)
    }

    #[inline(always)]
    fn div(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => a / b)
    }

    #[inline(always)]
    fn min(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn less(a: [f32; WIDTH], b: [f32; WIDTH]) -> [bool; WIDTH] {
        lanes!(a, b => a < b)
    }

    #[inline(always)]
    fn less_or_equal(a: [f32; WIDTH], b: [f32; WIDTH]) -> [bool; WIDTH] {
        lanes!(a, b => a <= b)
    }

    #[inline(always)]
    fn equal(a: [f32; WIDTH], b: [f32; WIDTH]) -> [bool; WIDTH] {
        lanes!(a, b => a == b)
    }

    #[inline(always)]
    fn both(a: [bool; WIDTH], b: [bool; WIDTH]) -> [bool; WIDTH] {
        lanes!(a, b => a & b)
    }

    #[inline(always)]
    fn either(a: [bool; WIDTH], b: [bool; WIDTH]) -> [bool; WIDTH] {
        lanes!(a, b => a | b)
    }

    #[inline(always)]
    fn bits(mask: [bool; WIDTH]) -> u32 {
        mask.iter().rev().fold(0, |bits, &lane| 2 * bits + u32::from(lane))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    #![allow(unsafe_code)] // intrinsics

    use super::{Avx, Vector, WIDTH};
    use std::arch::x86_64::*;

    /// Calls an intrinsic of AVX.
    macro_rules! avx {
        ($call:expr) => {
            // SAFETY: whoever uses `Avx` has asked whether the processor has AVX. Loads and stores are
            // unaligned ones of `WIDTH` values at references to as many.
            unsafe { $call }
        };
    }

    impl Vector for Avx {
        type Floats = __m256;
        type Mask = __m256;

        #[inline(always)]
        fn load(values: &[f32; WIDTH]) -> __m256 {
            avx!(_mm256_loadu_ps(values.as_ptr()))
        }

        #[inline(always)]
        fn store(values: __m256) -> [f32; WIDTH] {
            let mut to = [0.0; WIDTH];
            avx!(_mm256_storeu_ps(to.as_mut_ptr(), values));
            to
        }

        #[inline(always)]
        fn splat(value: f32) -> __m256 {
            avx!(_mm256_set1_ps(value))
        }

        #[inline(always)]
        fn add(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_add_ps(a, b))
        }

        #[inline(always)]
        fn sub(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_sub_ps(a, b))
        }

        #[inline(always)]
        fn mul(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_mul_ps(a, b))
        }

        #[inline(always)]
        fn div(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_div_ps(a, b))
        }

        #[inline(always)]
        fn min(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_min_ps(a, b))
        }

        #[inline(always)]
        fn max(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_max_ps(a, b))
        }

        #[inline(always)]
        fn less(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
        }

        #[inline(always)]
        fn less_or_equal(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b))
        }

        #[inline(always)]
        fn equal(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
        }

        #[inline(always)]
        fn both(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_and_ps(a, b))
        }

        #[inline(always)]
        fn either(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_or_ps(a, b))
        }

        #[inline(always)]
        fn bits(mask: __m256) -> u32 {
            avx!(_mm256_movemask_ps(mask) as u32)
        }
    }
}
