//! Plain loops compiled once for each kind of processor.
//!
//! The compiler turns loops over lanes into vector instructions of the processors that it compiles for, which
//! is any x86-64 for this crate. A [`Vectorized`] computation is compiled for processors with wide vectors
//! too, and [`vectorize`] runs the widest version that [`Level::from_environment`] allows. Every operation
//! stays a single IEEE one, so all versions give the same bits.

#[cfg(target_arch = "x86_64")]
use pyro_util::cpu::Level;

/// A computation. `run` is to be `#[inline(always)]`, and so is what it calls and shall be vectorized.
pub trait Vectorized {
    /// What it gives.
    type Output;

    /// Computes. Where it is `WIDE`, for AVX-512, it may have instructions of its own.
    fn run<const WIDE: bool>(self) -> Self::Output;
}

/// Runs the widest version.
#[inline]
pub fn vectorize<V: Vectorized>(computation: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        match Level::from_environment() {
            // SAFETY: the processor has the features.
            Level::Avx512 => return unsafe { avx512(computation) },
            // SAFETY: the processor has the features.
            Level::Avx2 => return unsafe { avx2(computation) },
            Level::Base => {}
        }
    }
    computation.run::<false>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<V: Vectorized>(computation: V) -> V::Output {
    computation.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<V: Vectorized>(computation: V) -> V::Output {
    computation.run::<false>()
}
