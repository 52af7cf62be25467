//! Images in compute shaders, and copies of images.

use super::sweep::of_halves;
use super::{Resources, check, extent, level_blue, pack, pattern, smooth_texture, stage};
use crate::bench::{Random, Scale, check_words, median_seconds};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Graphics, Work};
use crate::gpu::image::{Kind, Role};

/// Samples of an invocation of `sample_level.comp`.
const TAPS: u32 = 4;
/// Invocations of a workgroup.
const GROUP: [u32; 2] = [16, 8];

/// The size of the compute benchmarks, whole in workgroups.
fn grid(scale: Scale) -> [u32; 2] {
    scale.pick([1920, 1080], [96, 56])
}

/// Linear filtering of level 0.
pub(crate) fn sample_bilinear(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    sample(gpu, scale, false)
}

/// Linear filtering of two levels.
pub(crate) fn sample_trilinear(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    sample(gpu, scale, true)
}

fn sample(gpu: &Gpu, scale: Scale, mips: bool) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let [width, height] = grid(scale);
    let source = smooth_texture(&graphics, true)?;
    let output = gpu.buffer((width * height) as usize)?;
    let bound =
        Resources { buffers: &[&output], textures: &[(&source, gpu.sampler(true)?)], ..Resources::default() };
    let program = graphics.kernel(&stage!("sample_level"), &[mips.into()], &bound)?;
    let work: Vec<_> = (0..scale.pick(4, 1))
        .map(|_| Work::Dispatch(&program, [width / GROUP[0], height / GROUP[1], 1]))
        .collect();
    let commands = graphics.record(&work)?;
    let seconds = median_seconds(gpu, scale, &commands, || ())? / work.len() as f64;

    output.read(|pixels| {
        check("sample", pixels, width, 9.0, |x, y| {
            let (u, v) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
            let level = if mips { (x & 31) as f32 * 0.093_75 } else { 0.0 };
            let mut sum = [0.0; 2];
            for i in 0..TAPS {
                let [red, green] = pattern(u * 1.5 + i as f32 * 0.1, v * 1.5 + i as f32 * 0.1);
                sum = [sum[0] + red / TAPS as f32, sum[1] + green / TAPS as f32];
            }
            Some([sum[0], sum[1], level_blue(level)])
        })
    })?;
    Ok(f64::from(width) * f64::from(height) * f64::from(TAPS) / seconds / 1e9)
}

fn noise([width, height]: [u32; 2]) -> Vec<u32> {
    let mut random = Random::new(31);
    (0..width * height).map(|_| random.word()).collect()
}

/// The mean of 5 x 5 texels from a storage image to another.
pub(crate) fn blur(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    blur_with(gpu, scale, &stage!("blur"))
}

fn blur_with(gpu: &Gpu, scale: Scale, shader: &[u32]) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let [width, height] = grid(scale);
    let texels = noise([width, height]);
    let source = gpu.texture(Role::Storage, [width, height], 1, &texels)?;
    let target = gpu.texture(Role::Storage, [width, height], 1, &vec![0; texels.len()])?;
    let bound = Resources { images: &[&source, &target], ..Resources::default() };
    let program = graphics.kernel(shader, &[], &bound)?;
    let work = [Work::Dispatch(&program, [width / GROUP[0], height / GROUP[1], 1])];
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;

    let pixels = gpu.pixels(&target)?;
    check("blur", &pixels, width, 1.0, |x, y| {
        let mut sum = [0; 3];
        for dy in -2..=2 {
            for dx in -2..=2 {
                let at_x = (x as i32 + dx).clamp(0, width as i32 - 1) as u32;
                let at_y = (y as i32 + dy).clamp(0, height as i32 - 1) as u32;
                let texel = texels[(at_y * width + at_x) as usize];
                sum = std::array::from_fn(|i| sum[i] + ((texel >> (8 * i)) & 255));
            }
        }
        Some(sum.map(|sum| sum as f32 / 25.0 / 255.0))
    })?;
    Ok(f64::from(width) * f64::from(height) / seconds / 1e6)
}

/// Copies in one submission.
const COPIES: usize = 4;

/// From a buffer into an image.
pub(crate) fn upload(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let texels = noise(extent(scale));
    let texture = gpu.texture(Role::Sampled, extent(scale), 1, &vec![0; texels.len()])?;
    let source = gpu.buffer_of(&texels)?;
    let work: Vec<_> = (0..COPIES).map(|_| Work::Upload(&source, &texture)).collect();
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    check_words("upload", &gpu.pixels(&texture)?, &texels)?;
    Ok((texels.len() * 4 * COPIES) as f64 / seconds / 1e9)
}

/// From an image into a buffer.
pub(crate) fn readback(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let texels = noise(extent(scale));
    let texture = gpu.texture(Role::Sampled, extent(scale), 1, &texels)?;
    let target = gpu.buffer(texels.len())?;
    let work: Vec<_> = (0..COPIES).map(|_| Work::Readback(&texture, &target)).collect();
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    target.read(|words| check_words("readback", words, &texels))?;
    Ok((texels.len() * 4 * COPIES) as f64 / seconds / 1e9)
}

/// Every level of a texture of 2048 x 2048 from the one above, by blits, in chains a second.
pub(crate) fn mip_chain(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let (size, levels): (u32, u32) = scale.pick((2048, 12), (64, 7));
    let line: Vec<f32> = (0..size).map(|i| pattern((i as f32 + 0.5) / size as f32, 0.0)[0]).collect();
    let (starts, total) = Kind::Flat.level_starts([size; 2], levels);
    let mut texels: Vec<_> = (0..size * size)
        .map(|at| pack([line[(at % size) as usize], line[(at / size) as usize], 0.25, 1.0]))
        .collect();
    texels.resize(total, 0);
    let texture = gpu.texture(Role::Sampled, [size; 2], levels, &texels)?;
    let work = [Work::Levels(&texture)];
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    let words = gpu.all_pixels(&texture)?;
    for (level, start) in (0..levels).zip(starts) {
        let side = size >> level;
        // Below, a texel's mean is not what is in its middle.
        if side < 16 {
            break;
        }
        check("mip_chain", &words[start..][..(side * side) as usize], side, 6.0, |x, y| {
            let [red, green] = pattern((x as f32 + 0.5) / side as f32, (y as f32 + 0.5) / side as f32);
            Some([red, green, 0.25])
        })?;
    }
    Ok(1.0 / seconds)
}

/// A texture, turned and scaled into a storage image, in millions of texels a second.
pub(crate) fn warp(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let [width, height] = grid(scale);
    let source = smooth_texture(&graphics, false)?;
    let target = gpu.texture(Role::Storage, [width, height], 1, &vec![0; (width * height) as usize])?;
    let bound =
        Resources { textures: &[(&source, gpu.sampler(true)?)], images: &[&target], ..Resources::default() };
    let program = graphics.kernel(&stage!("warp"), &[], &bound)?;
    let work: Vec<_> = (0..scale.pick(4, 1))
        .map(|_| Work::Dispatch(&program, [width / GROUP[0], height / GROUP[1], 1]))
        .collect();
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())? / work.len() as f64;
    check("warp", &gpu.pixels(&target)?, width, 3.0, |x, y| {
        let [u, v] = [(x as f32 + 0.5) / width as f32 - 0.5, (y as f32 + 0.5) / height as f32 - 0.5];
        let turned = [0.8 * u - 0.6 * v, 0.6 * u + 0.8 * v].map(|at| at * 1.25 + 0.5);
        let [red, green] = pattern(turned[0], turned[1]);
        Some([red, green, 0.0])
    })?;
    Ok(f64::from(width) * f64::from(height) / seconds / 1e6)
}

/// The mean of 5 x 5 texels, by tiles in workgroup memory.
pub(crate) fn blur_tile(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    blur_with(gpu, scale, &stage!("blur_tile"))
}

/// The mean of 25 texels of a row of halves.
pub(crate) fn blur_row(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let [width, height] = grid(scale);
    // Red is 0 or 1 as halves, alpha is 1.
    let mut random = Random::new(32);
    let bits: Vec<bool> = (0..width * height).map(|_| random.below(2) == 1).collect();
    let texels: Vec<u32> =
        bits.iter().flat_map(|&is_set| [if is_set { 0x3c00 } else { 0 }, 0x3c00_0000]).collect();
    let format = ash::vk::Format::R16G16B16A16_SFLOAT;
    let image =
        |texels: &[u32]| gpu.texture_of(Role::Storage, format, Kind::Flat, [width, height], 1, texels);
    let (source, target) = (image(&texels)?, image(&vec![0; texels.len()])?);
    let bound = Resources { images: &[&source, &target], ..Resources::default() };
    let program = graphics.kernel(&stage!("blur_row"), &[], &bound)?;
    let work = [Work::Dispatch(&program, [width / GROUP[0], height / GROUP[1], 1])];
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    let pixels: Vec<u32> = gpu.pixels(&target)?.chunks(2).map(of_halves).collect();
    check("blur_row", &pixels, width, 1.0, |x, y| {
        let at = |dx: i32| bits[(y * width) as usize + (x as i32 + dx).clamp(0, width as i32 - 1) as usize];
        Some([(-12..=12).filter(|&dx| at(dx)).count() as f32 / 25.0, 0.0, 0.0])
    })?;
    Ok(f64::from(width) * f64::from(height) / seconds / 1e6)
}
