//! Pixels: draws of few triangles that cover the target.

use ash::vk;

use super::{PATTERN_SIZE, check, extent, frame_seconds, level_blue, pack, pattern, smooth_texture, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Blend, Draw, Graphics, Resources, State, Target};
use crate::gpu::image::Role;

/// Layers of the benchmarks that draw several.
const LAYERS: usize = 8;

fn layers<const N: usize>(layer: impl Fn(usize) -> [f32; N]) -> [[f32; N]; LAYERS] {
    std::array::from_fn(layer)
}

/// Giga-pixels a second, where a frame has so many layers.
fn gigapixels(target: &Target, layers: usize, seconds: f64) -> f64 {
    let [width, height] = target.color.extent;
    f64::from(width) * f64::from(height) * layers as f64 / seconds / 1e9
}

/// A target that is cleared and covered with one colour.
pub(crate) fn fill(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("flat.frag"));
    let state = State::new(&vertex, &fragment);
    let program = graphics.program(&target, &state, &Resources::default())?;
    let push = [0.2, 0.4, 0.6, 1.0, 0.0, 0.0, 0.0, 0.0];
    let draw = Draw { push: &push, ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let pixels = gpu.pixels(&target.color)?;
    check("fill", &pixels, target.color.extent[0], 0.5, |_, _| Some([0.2, 0.4, 0.6]))?;
    Ok(gigapixels(&target, 1, seconds))
}

/// A texture with mip levels, trilinear, from minified to magnified.
pub(crate) fn texture(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    floor(gpu, scale, gpu.sampler(true)?, true)
}

/// The same where up to eight samples follow the longer side of a pixel's footprint.
pub(crate) fn anisotropic(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    floor(gpu, scale, gpu.anisotropic_sampler(8.0)?, false)
}

fn floor(gpu: &Gpu, scale: Scale, sampler: vk::Sampler, tell_levels: bool) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let source = smooth_texture(&graphics, tell_levels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("textured.frag"));
    let state = State::new(&vertex, &fragment);
    let bound = Resources { textures: &[(&source, sampler)], ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    // The same levels at every size of the target.
    let repeat = scale.pick(1.0, 0.05);
    let push = [repeat, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let draw = Draw { push: &push, ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let pixels = gpu.pixels(&target.color)?;
    let [width, height] = target.color.extent;
    let size = PATTERN_SIZE as f32 * repeat;
    check("texture", &pixels, width, 9.0, |x, y| {
        let (u, v) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        // Texels from one pixel to the next; a quad's difference is taken at the middle of its two rows.
        let middle = ((y & !1) as f32 + 1.0) / height as f32;
        let (across, down) = (2.0 * size / width as f32, 16.0 * middle * size / height as f32);
        let level = across.max(down).log2().max(0.0);
        let [red, green] = pattern(u * 2.0 * repeat, v * v * 8.0 * repeat);
        Some([red, green, if tell_levels { level_blue(level) } else { 0.0 }])
    })?;
    Ok(gigapixels(&target, 1, seconds))
}

/// Eight translucent layers.
pub(crate) fn blend(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("flat.frag"));
    let state = State { blend: Blend::Alpha, ..State::new(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let mut random = Random::new(3);
    let mut value = || random.float(0.0, 1.0);
    let mut pushes = [[0.0; 8]; LAYERS];
    for push in &mut pushes {
        *push = [value(), value(), value(), 0.2 + 0.6 * value(), 0.0, 0.0, 0.0, 0.0];
    }
    let draws = pushes.each_ref().map(|push| Draw { push, ..Draw::new(&program, 3) });
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    let mut expected = [0.0f32; 3];
    for push in &pushes {
        let [red, green, blue, alpha, ..] = *push;
        let layer = [red, green, blue];
        expected = std::array::from_fn(|i| layer[i] * alpha + expected[i] * (1.0 - alpha));
    }
    // Every layer may round by one step, which the layers above fade.
    check("blend", &gpu.pixels(&target.color)?, target.color.extent[0], 3.0, |_, _| Some(expected))?;
    Ok(gigapixels(&target, LAYERS, seconds))
}

fn lattice(x: i32, y: i32) -> f32 {
    let h = (x as u32).wrapping_mul(374_761_393).wrapping_add((y as u32).wrapping_mul(668_265_263));
    let h = (h ^ (h >> 13)).wrapping_mul(1_274_126_177);
    ((h ^ (h >> 16)) >> 8) as f32 / 16_777_216.0
}

/// What `procedural.frag` computes.
fn marble(u: f32, v: f32) -> [f32; 3] {
    let (mut x, mut y) = (u * 16.0, v * 9.0);
    let (mut sum, mut weight) = (0.0, 0.5);
    for _ in 0..5 {
        let (cell_x, cell_y) = (x.floor(), y.floor());
        let [fx, fy] = [x - cell_x, y - cell_y].map(|f| f * f * (3.0 - 2.0 * f));
        let (i, j) = (cell_x as i32, cell_y as i32);
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let low = mix(lattice(i, j), lattice(i + 1, j), fx);
        let high = mix(lattice(i, j + 1), lattice(i + 1, j + 1), fx);
        sum += weight * mix(low, high, fy);
        (x, y) = (x * 2.0 + 17.0, y * 2.0 + 31.0);
        weight *= 0.5;
    }
    let vein = 0.5 + 0.5 * (6.0 * (u + 2.0 * sum)).sin();
    [vein, sum, (vein * sum).sqrt()]
}

/// A fragment shader of arithmetic alone.
pub(crate) fn procedural(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("procedural.frag"));
    let state = State::new(&vertex, &fragment);
    let program = graphics.program(&target, &state, &Resources::default())?;
    let push = [0.0; 8];
    let draw = Draw { push: &push, ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    check("procedural", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        Some(marble((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32))
    })?;
    Ok(gigapixels(&target, 1, seconds) * 1e3)
}

/// Side of the texture with holes.
const HOLES: u32 = 64;

/// Eight layers of which the texture's alpha discards half, with depth.
pub(crate) fn alpha_test(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let mut random = Random::new(12);
    let texels: Vec<u32> = (0..HOLES * HOLES)
        .map(|_| random.word() & 0x00ff_ffff | if random.below(2) == 0 { 0 } else { 0xff00_0000 })
        .collect();
    let source = gpu.texture(Role::Sampled, [HOLES; 2], 1, &texels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("cutout.frag"));
    let state = State { depth: true, ..State::new(&vertex, &fragment) };
    let bound = Resources { textures: &[(&source, gpu.sampler(false)?)], ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    // Back to front, so that every layer runs everywhere; each looks at the texture elsewhere.
    let pushes = layers(|i| {
        let t = i as f32 / LAYERS as f32;
        [1.0 - t * 0.5, 0.5 + t * 0.5, 1.0, 1.0, t, t * t, 0.9 - 0.8 * t, 0.0]
    });
    let draws = pushes.each_ref().map(|push| Draw { push, ..Draw::new(&program, 3) });
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;

    let [width, height] = target.color.extent;
    check("alpha_test", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        let (u, v) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let mut color = [0.0; 3];
        for push in &pushes {
            let at = [u + push[4], v + push[5]].map(|t| t.fract() * HOLES as f32);
            // The drivers' coordinates may differ in the last bits, and nearest filtering with them.
            if at.iter().any(|t| (t - t.round()).abs() < 0.02) {
                return None;
            }
            let texel = texels[at[1] as usize * HOLES as usize + at[0] as usize];
            if texel >> 24 != 0 {
                color = std::array::from_fn(|i| ((texel >> (8 * i)) & 255) as f32 / 255.0 * push[i]);
            }
        }
        Some(color)
    })?;
    Ok(gigapixels(&target, LAYERS, seconds))
}

/// Eight layers of a costly shader behind a wall that hides nine tenths of them.
pub(crate) fn early_depth(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let (quad, flat) = (stage!("quad.vert"), stage!("flat.frag"));
    let (screen, procedural) = (stage!("screen.vert"), stage!("procedural.frag"));
    let attributes = [(vk::Format::R32G32_SFLOAT, 0)];
    let wall = State { stride: 8, attributes: &attributes, depth: true, ..State::new(&quad, &flat) };
    let wall = graphics.program(&target, &wall, &Resources::default())?;
    let hidden = State { depth: true, ..State::new(&screen, &procedural) };
    let hidden = graphics.program(&target, &hidden, &Resources::default())?;
    let corners = gpu.buffer_of_floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
    let wall_push = [0.1, 0.2, 0.3, 1.0, -1.0, -1.0, 0.1, 0.0, 1.8, 2.0];
    let pushes = layers(|i| [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3 + 0.05 * i as f32, 0.0]);
    let mut draws = vec![Draw { push: &wall_push, vertices: Some(&corners), ..Draw::new(&wall, 6) }];
    draws.extend(pushes.iter().map(|push| Draw { push, ..Draw::new(&hidden, 3) }));
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;

    let [width, height] = target.color.extent;
    let wall_color = [0, 1, 2].map(|i| (pack([0.1, 0.2, 0.3, 1.0]) >> (8 * i) & 255) as f32 / 255.0);
    check("early_depth", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        let edge = width as f32 * 0.9;
        let middle = x as f32 + 0.5;
        if (middle - edge).abs() < 0.51 {
            None
        } else if middle < edge {
            Some(wall_color)
        } else {
            Some(marble(middle / width as f32, (y as f32 + 0.5) / height as f32))
        }
    })?;
    Ok(gigapixels(&target, LAYERS, seconds))
}
