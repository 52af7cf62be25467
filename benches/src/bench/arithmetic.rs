//! Arithmetic in registers.

use super::{Scale, check_floats, check_words, median_seconds, shader};
use crate::error::Failure;
use crate::gpu::{Gpu, Step};

/// Fused multiply-adds asked for by name.
pub(super) fn fma(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    multiply_add(gpu, scale, &shader!("fma"))
}

/// Multiplications and additions that a driver may fuse.
pub(super) fn mad(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    multiply_add(gpu, scale, &shader!("mad"))
}

fn multiply_add(gpu: &Gpu, scale: Scale, spirv: &[u32]) -> Result<f64, Failure> {
    const STEPS_PER_ROUND: u32 = 4;
    const CHAINS: u32 = 8;
    let (factor, offset) = (0.999f32, 0.5f32);
    let (groups, rounds) = scale.pick((64, 1024), (2, 4));
    let result = gpu.buffer(groups as usize * 256)?;
    let kernel = gpu.kernel(spirv, &[&result])?;
    let push = [factor.to_bits(), offset.to_bits(), rounds];
    let commands = gpu.record(&[Step::Dispatch(&kernel, [groups, 1, 1], &push)])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let expected = |i: usize| -> f64 {
        (0..CHAINS)
            .map(|chain| {
                let start = f64::from((i & 1023) as u32 + chain);
                (0..rounds * STEPS_PER_ROUND).fold(start, |x, _| x * f64::from(factor) + f64::from(offset))
            })
            .sum()
    };
    let got = result.floats();
    check_floats("fma", (0..got.len()).step_by(97).map(|i| (got[i], expected(i))), 1e-4)?;
    let flops = 2.0 * f64::from(CHAINS * STEPS_PER_ROUND * rounds) * got.len() as f64;
    Ok(flops / seconds / 1e9)
}

/// Multiplications and additions in half precision.
pub(super) fn mad_half(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    const STEPS_PER_ROUND: u32 = 3;
    const CHAINS: u32 = 8;
    if !gpu.halves() {
        return Err(Failure::Unsupported("arithmetic in half precision".to_owned()));
    }
    // An odd number of steps that negate and add: all of it is exact, fused or not.
    let (factor, offset) = (-1f32, 3f32);
    let (groups, rounds) = scale.pick((64, 1365), (2, 3));
    let result = gpu.buffer(groups as usize * 256)?;
    let kernel = gpu.kernel(&shader!("mad_half"), &[&result])?;
    let push = [factor.to_bits(), offset.to_bits(), rounds];
    let commands = gpu.record(&[Step::Dispatch(&kernel, [groups, 1, 1], &push)])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    // Of a number that is exact.
    let half = |number: f32| {
        let bits = number.to_bits();
        (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3_ffff) - (112 << 10)) & 0x7fff
    };
    let len = groups * 256;
    let expected: Vec<u32> = (0..len)
        .map(|i| {
            let sum = |first: u32| (first..first + 4).map(|chain| offset - (i % 256 + chain) as f32).sum();
            half(sum(0)) | half(sum(4)) << 16
        })
        .collect();
    result.read(|got| check_words("mad_half", got, &expected))?;
    Ok(2.0 * f64::from(CHAINS * STEPS_PER_ROUND * rounds) * f64::from(len) / seconds / 1e9)
}

/// A hash in a loop: 32-bit multiplication, shifts, exclusive or, addition.
pub(super) fn hash(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    const OPERATIONS_PER_ROUND: u32 = 6;
    let (groups, rounds) = scale.pick((256, 512), (2, 3));
    let result = gpu.buffer(groups as usize * 256)?;
    let kernel = gpu.kernel(&shader!("hash"), &[&result])?;
    let commands = gpu.record(&[Step::Dispatch(&kernel, [groups, 1, 1], &[rounds])])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let len = groups * 256;
    let expected: Vec<u32> = (0..len)
        .map(|i| {
            (0..rounds).fold(i, |mut h, round| {
                h ^= h >> 15;
                h = h.wrapping_mul(0x9e37_79b1);
                h ^= h >> 13;
                h.wrapping_add(round)
            })
        })
        .collect();
    result.read(|got| check_words("hash", got, &expected))?;
    Ok(f64::from(OPERATIONS_PER_ROUND * rounds) * f64::from(len) / seconds / 1e9)
}

/// Escape times of the Mandelbrot set: loops whose trip counts diverge.
pub(super) fn mandelbrot(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let (width, limit) = scale.pick((1024u32, 256), (32, 64));
    let (left, top, pitch) = (-2.0f32, -1.25f32, 2.5 / width as f32);
    let count = gpu.buffer((width * width) as usize)?;
    let kernel = gpu.kernel(&shader!("mandelbrot"), &[&count])?;
    let push = [width, limit, left.to_bits(), top.to_bits(), pitch.to_bits()];
    let groups = [width / 16, width / 16, 1];
    let commands = gpu.record(&[Step::Dispatch(&kernel, groups, &push)])?;
    let seconds = median_seconds(gpu, scale, &commands, || {})?;

    let escape = |px: u32, py: u32| {
        let (cx, cy) = (left + px as f32 * pitch, top + py as f32 * pitch);
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while n < limit && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            n += 1;
        }
        n
    };
    let expected: Vec<u32> = (0..width * width).map(|i| escape(i % width, i / width)).collect();
    // A driver may fuse multiplications and additions, which moves pixels on the set's very edge.
    let differ = count.read(|got| got.iter().zip(&expected).filter(|(got, want)| got != want).count());
    if differ * 100 > expected.len() {
        return Err(Failure::Wrong(format!("mandelbrot: {differ} of {} pixels differ", expected.len())));
    }
    let iterations: f64 = expected.iter().copied().map(f64::from).sum();
    Ok(iterations / seconds / 1e9)
}
