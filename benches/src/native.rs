//! What the machine itself can do: hand-written vector loops, the limits that drivers are held against.
#![allow(unsafe_code)] // Vector intrinsics behind run-time detection.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use crate::bench::Scale;

/// Fused multiply-adds in registers, in GFLOP/s over all threads that the process may use (two
/// operations each). None when the processor has neither AVX-512 nor AVX2 with FMA.
pub(crate) fn fma(scale: Scale) -> Option<f64> {
    Some(on_all_threads(scale, fma_kernel()?))
}

/// Products of bytes, added, in registers, in Gop/s over all threads that the process may use (a product and
/// a sum for each pair of bytes). None when the processor has no instruction for them.
pub(crate) fn dot_product(scale: Scale) -> Option<f64> {
    Some(on_all_threads(scale, dot_product_kernel()?))
}

/// The best sum of what all threads do in a second, in 10^9 of what `kernel` counts for so many rounds.
fn on_all_threads(scale: Scale, kernel: fn(u64) -> f64) -> f64 {
    let rounds: u64 = scale.pick(4_000_000, 1_000);
    let threads = threads();
    let barrier = Barrier::new(threads);
    let mut best = 0.0f64;
    for _ in 0..scale.pick(5, 1) {
        let rate: f64 = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let start = Instant::now();
                        let flops = kernel(rounds);
                        flops / start.elapsed().as_secs_f64()
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("the loop does not panic")).sum()
        });
        best = best.max(rate / 1e9);
    }
    best
}

/// `a = b`, in GB/s (two streams).
pub(crate) fn copy(scale: Scale) -> Option<f64> {
    Some(stream(scale, 2, |a, b, _, nt| stream_kernel(a, b, None, 1.0, nt)))
}

/// `a = factor * b`, in GB/s (two streams).
pub(crate) fn scale(scale: Scale) -> Option<f64> {
    Some(stream(scale, 2, |a, b, _, nt| stream_kernel(a, b, None, 0.4, nt)))
}

/// `a = b + factor * c`, in GB/s (three streams).
pub(crate) fn triad(scale: Scale) -> Option<f64> {
    Some(stream(scale, 3, |a, b, c, nt| stream_kernel(a, b, Some(c), 0.4, nt)))
}

/// Threads that this process may run at once, its CPU affinity taken into account.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The best rate over ordinary and non-temporal stores: whichever the machine likes better is its limit.
fn stream(scale: Scale, streams: usize, kernel: impl Fn(&mut [f32], &[f32], &[f32], bool) + Sync) -> f64 {
    let threads = threads();
    // As large as the drivers' arrays: see `bench::memory`.
    let per_thread = (scale.pick(12 << 20, 1 << 12) / threads).next_multiple_of(64);
    let rounds = scale.pick(12, 1);
    let barrier = Barrier::new(threads);
    let times: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    // Touched first by the thread that uses them.
                    let mut a = vec![1.0f32; per_thread];
                    let b = vec![2.0f32; per_thread];
                    let c = vec![3.0f32; per_thread];
                    let mut times = Vec::new();
                    for round in 0..2 * rounds {
                        barrier.wait();
                        let start = Instant::now();
                        kernel(&mut a, &b, &c, round % 2 == 1);
                        barrier.wait();
                        times.push(start.elapsed().as_secs_f64());
                        black_box(&mut a);
                    }
                    times
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("the loop does not panic")).collect()
    });
    let bytes = (streams * per_thread * threads * 4) as f64;
    let best = times[0].iter().copied().fold(f64::INFINITY, f64::min);
    bytes / best / 1e9
}

#[cfg(target_arch = "x86_64")]
fn fma_kernel() -> Option<fn(u64) -> f64> {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: AVX-512F was just detected.
        Some(|rounds| unsafe { x86::fma_avx512(rounds) })
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: AVX2 and FMA were just detected.
        Some(|rounds| unsafe { x86::fma_avx2(rounds) })
    } else {
        None
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fma_kernel() -> Option<fn(u64) -> f64> {
    None
}

#[cfg(target_arch = "x86_64")]
fn dot_product_kernel() -> Option<fn(u64) -> f64> {
    let is_there = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
    // SAFETY: both were just detected.
    is_there.then_some(|rounds| unsafe { x86::dot_product_avx512(rounds) })
}

#[cfg(not(target_arch = "x86_64"))]
fn dot_product_kernel() -> Option<fn(u64) -> f64> {
    None
}

/// `a = factor * b`, or `a = b + factor * c` where `c` is given; `nt` asks for non-temporal stores.
fn stream_kernel(a: &mut [f32], b: &[f32], c: Option<&[f32]>, factor: f32, nt: bool) {
    assert!(a.len() == b.len() && c.is_none_or(|c| c.len() == a.len()));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: AVX-512F was just detected; the lengths are equal.
        unsafe { x86::stream_avx512(a, b, c, factor, nt) };
        return;
    }
    let _ = nt;
    match c {
        Some(c) => {
            a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = factor.mul_add(*c, *b));
        }
        None => a.iter_mut().zip(b).for_each(|(a, b)| *a = factor * *b),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    /// Independent chains: latency times throughput of every known FMA unit, with some to spare.
    const CHAINS: usize = 12;

    /// Runs `rounds` of [`CHAINS`] 16-lane FMAs and says how many operations that was.
    #[target_feature(enable = "avx512f")]
    pub(super) fn fma_avx512(rounds: u64) -> f64 {
        let (scale, offset) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.5)));
        let mut x = [_mm512_set1_ps(black_box(1.0)); CHAINS];
        for _ in 0..rounds {
            for chain in &mut x {
                *chain = _mm512_fmadd_ps(*chain, scale, offset);
            }
        }
        let sum = x.into_iter().fold(_mm512_setzero_ps(), |sum, chain| _mm512_add_ps(sum, chain));
        black_box(_mm512_reduce_add_ps(sum));
        rounds as f64 * (CHAINS * 16 * 2) as f64
    }

    /// Runs `rounds` of [`CHAINS`] products of 64 bytes and says how many operations that was.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn dot_product_avx512(rounds: u64) -> f64 {
        let (left, right) =
            (_mm512_set1_epi32(black_box(0x0403_0201)), _mm512_set1_epi32(black_box(0x01ff_02fe)));
        let mut x = [_mm512_set1_epi32(black_box(1)); CHAINS];
        for _ in 0..rounds {
            for chain in &mut x {
                *chain = _mm512_dpbusd_epi32(*chain, left, right);
            }
        }
        let sum = x.into_iter().fold(_mm512_setzero_si512(), |sum, chain| _mm512_add_epi32(sum, chain));
        black_box(_mm512_reduce_add_epi32(sum));
        rounds as f64 * (CHAINS * 64 * 2) as f64
    }

    /// Runs `rounds` of [`CHAINS`] 8-lane FMAs and says how many operations that was.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fma_avx2(rounds: u64) -> f64 {
        let (scale, offset) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(0.5)));
        let mut x = [_mm256_set1_ps(black_box(1.0)); CHAINS];
        for _ in 0..rounds {
            for chain in &mut x {
                *chain = _mm256_fmadd_ps(*chain, scale, offset);
            }
        }
        black_box(x.into_iter().fold(_mm256_setzero_ps(), |sum, chain| _mm256_add_ps(sum, chain)));
        rounds as f64 * (CHAINS * 8 * 2) as f64
    }

    /// One stream kernel over whole registers, and scalar code for what is left.
    #[target_feature(enable = "avx512f")]
    pub(super) fn stream_avx512(a: &mut [f32], b: &[f32], c: Option<&[f32]>, factor: f32, nt: bool) {
        let wide = _mm512_set1_ps(factor);
        // Non-temporal stores need a whole line's alignment: the head up to it is scalar.
        let head = a.as_ptr().align_offset(64).min(a.len());
        let body = head + (a.len() - head) / 16 * 16;
        for i in (0..head).chain(body..a.len()) {
            a[i] = c.map_or(factor * b[i], |c| factor.mul_add(c[i], b[i]));
        }
        let mut i = head;
        while i < body {
            // SAFETY: i + 16 <= body <= the length of all three, and a[i] lies on a 64-byte line.
            unsafe {
                let value = match c {
                    Some(c) => _mm512_fmadd_ps(
                        wide,
                        _mm512_loadu_ps(c.as_ptr().add(i)),
                        _mm512_loadu_ps(b.as_ptr().add(i)),
                    ),
                    None => _mm512_mul_ps(wide, _mm512_loadu_ps(b.as_ptr().add(i))),
                };
                if nt {
                    _mm512_stream_ps(a.as_mut_ptr().add(i), value);
                } else {
                    _mm512_store_ps(a.as_mut_ptr().add(i), value);
                }
            }
            i += 16;
        }
        _mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_kernels_agree_with_scalar_code() {
        for len in [0, 1, 15, 16, 17, 100, 1000] {
            let b: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let c: Vec<f32> = (0..len).map(|i| 2.0 * i as f32).collect();
            for nt in [false, true] {
                let mut a = vec![0.0; len];
                stream_kernel(&mut a, &b, Some(&c), 0.5, nt);
                assert!(a.iter().zip(&b).all(|(a, b)| *a == 2.0 * b));
                stream_kernel(&mut a, &b, None, 3.0, nt);
                assert!(a.iter().zip(&b).all(|(a, b)| *a == 3.0 * b));
            }
        }
    }

    #[test]
    fn limits_are_positive() {
        assert!(triad(Scale::Tiny).is_some_and(|rate| rate > 0.0));
        if let Some(rate) = fma(Scale::Tiny) {
            assert!(rate > 0.0);
        }
    }
}
