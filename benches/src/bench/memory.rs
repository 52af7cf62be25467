//! Streams through memory: arrays several times as large as the last cache.

use super::{Scale, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::{Gpu, Step};

/// `a = b`; counts the bytes read and written.
pub(super) fn copy(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    stream(gpu, scale, &shader!("copy"), &[], 2, |b, _| b)
}

/// `a = factor * b`.
pub(super) fn scale(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    stream(gpu, scale, &shader!("scale"), &[FACTOR.to_bits()], 2, |b, _| FACTOR * b)
}

/// `a = b + factor * c`.
pub(super) fn triad(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    stream(gpu, scale, &shader!("triad"), &[FACTOR.to_bits()], 3, |b, c| b + FACTOR * c)
}

/// Exact with and without fusion, given small whole numbers.
const FACTOR: f32 = 0.5;

fn stream(
    gpu: &Gpu,
    scale: Scale,
    spirv: &[u32],
    push: &[u32],
    streams: usize,
    expected: fn(f32, f32) -> f32,
) -> Result<f64, Failure> {
    // 48 MiB each, and fewer groups than the 65,535 that every device takes in one dimension.
    let len: usize = scale.pick(12 << 20, 1 << 10);
    let b: Vec<f32> = (0..len).map(|i| (i % 1021) as f32).collect();
    let c: Vec<f32> = (0..len).map(|i| (i % 499) as f32).collect();
    let buffers = [gpu.buffer(len)?, gpu.buffer_of_floats(&b)?, gpu.buffer_of_floats(&c)?];
    let bound: Vec<_> = buffers.iter().take(streams).collect();
    let kernel = gpu.kernel(spirv, &bound)?;
    let groups = [(len / 256) as u32, 1, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, push)])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let wrong = buffers[0].read(|a| {
        a.iter().zip(b.iter().zip(&c)).position(|(a, (b, c))| f32::from_bits(*a) != expected(*b, *c))
    });
    match wrong {
        None => Ok((streams * len * 4) as f64 / seconds / 1e9),
        Some(i) => Err(Failure::Wrong(format!("stream: element {i}"))),
    }
}
