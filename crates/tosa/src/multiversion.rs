//! Plain loops compiled once for each kind of processor.
//!
//! Every operation stays a single IEEE one, and products are not fused with sums, so all versions give the
//! same bits.

#[cfg(target_arch = "x86_64")]
use pyro_util::cpu::Level;

/// A computation. `run` is to be `#[inline(always)]`, and so is what it calls and shall be vectorized.
pub(crate) trait Vectorized {
    type Output;

    fn run(self) -> Self::Output;
}

/// Runs the version with the widest vectors.
#[inline]
pub(crate) fn vectorize<V: Vectorized>(computation: V) -> V::Output {
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
    computation.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<V: Vectorized>(computation: V) -> V::Output {
    computation.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<V: Vectorized>(computation: V) -> V::Output {
    computation.run()
}
