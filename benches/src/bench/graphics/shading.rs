//! What programs shade with: shadow maps, deferred lights, environments, wide footprints, sRGB, volumes.

use ash::vk;

use super::geometry::colored_state;
use super::sweep::{LAYERS, blue, meshes};
use super::{
    PATTERN_LEVELS, PATTERN_SIZE, check, extent, frame_seconds, pack, pattern, smooth_texels, stage,
};
use crate::bench::{Scale, median_seconds};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State, Work};
use crate::gpu::image::{Kind, Role};

/// Triangles of 50 pixels in four layers that write depths alone, in millions a second.
pub(crate) fn shadow_pass(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let depth = Some(vk::Format::D32_SFLOAT);
    let attachments = Attachments { formats: &[], depth, ..Attachments::default() };
    let size = scale.pick(2048, 64);
    let target = graphics.target_of([size; 2], attachments)?;
    let vertex = stage!("depth.vert");
    let state = State { fragment: None, depth: true, ..colored_state(&vertex, &[]) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let mut vertices = meshes(50, [size; 2], &LAYERS, 1.0);
    // Layers are tilted, so depths are linear over the target.
    for vertex in vertices.chunks_mut(4) {
        let [x, y, z] = [0, 1, 2].map(|i| f32::from_bits(vertex[i]));
        vertex[2] = (z + 0.04 * x + 0.02 * y).to_bits();
    }
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    // Depths of the nearest layer are 0.04 to 0.16: four times as much in a byte.
    let depths = gpu.pixels(&target.color)?;
    let pixels: Vec<u32> = depths.iter().map(|&depth| pack([4.0 * f32::from_bits(depth); 4])).collect();
    check("shadow_pass", &pixels, size, 1.0, |x, y| {
        let [x, y] = [x, y].map(|at| (at as f32 + 0.5) / size as f32 * 2.0 - 1.0);
        Some([4.0 * (0.1 + 0.04 * x + 0.02 * y); 3])
    })?;
    Ok(f64::from(count) / 3.0 / seconds / 1e6)
}

/// Nine comparing, filtering lookups of a shadow map for each pixel, in millions of pixels a second.
pub(crate) fn shadow_lookup(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let size = scale.pick(2048, 128);
    let block = size / scale.pick(16, 4);
    let is_near = |x: u32, y: u32| (x / block + y / block).is_multiple_of(2);
    let places = (0..size * size).map(|at| (at % size, at / size));
    let texels: Vec<_> = places.map(|(x, y)| if is_near(x, y) { 0.25 } else { 0.75f32 }.to_bits()).collect();
    let depth = vk::Format::D32_SFLOAT;
    let map = gpu.texture_of(Role::SampledDepth, depth, Kind::Flat, [size; 2], 1, &texels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("shadow.frag"));
    let bound = Resources { textures: &[(&map, gpu.comparing_sampler()?)], ..Resources::default() };
    let program = graphics.program(&target, &State::new(&vertex, &fragment), &bound)?;
    let push = [0.5, 0.75, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5];
    let draw = Draw { push: &push, ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    check("shadow_lookup", &gpu.pixels(&target.color)?, width, 1.5, |x, y| {
        let at = [(x, width), (y, height)].map(|(at, of)| (at as f32 + 0.5) / of as f32 * size as f32);
        // Lookups reach a texel and a half, and half a one by the filter.
        let is_sure = at.iter().all(|at| {
            let within = at % block as f32;
            within > 2.1 && within < block as f32 - 2.1
        });
        let lit = if is_near(at[0] as u32, at[1] as u32) { 0.2 } else { 1.0 };
        is_sure.then(|| [0.5, 0.75, 1.0].map(|value| value * lit))
    })?;
    Ok(f64::from(width) * f64::from(height) / seconds / 1e6)
}

/// What `lights.frag` computes where the nearest layer is seen.
fn lit(x: f32, y: f32) -> [f32; 3] {
    let length = ((x - 0.5).powi(2) + (y - 0.5).powi(2) + 1.0).sqrt();
    let normal = [x - 0.5, y - 0.5, 1.0].map(|value| value / length);
    let mut sum = 0.1;
    for i in 0..16 {
        let light = [((i & 3) as f32 + 0.5) * 0.25, ((i >> 2) as f32 + 0.5) * 0.25, 1.2];
        let to = [light[0] - x, light[1] - y, light[2] - 0.1];
        let squared: f32 = to.iter().map(|value| value * value).sum();
        let facing: f32 = to.iter().zip(normal).map(|(a, b)| a * b).sum::<f32>() / squared.sqrt();
        sum += 0.25 * facing.max(0.0) / (1.0 + 8.0 * squared);
    }
    [x * sum, y * sum, blue(0) * sum]
}

/// A mesh drawn to four targets, then sixteen lights on each of their pixels; in frames a second.
pub(crate) fn deferred(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let (bytes, halves) = (vk::Format::R8G8B8A8_UNORM, vk::Format::R16G16B16A16_SFLOAT);
    let surfaces = graphics.target_of(
        extent(scale),
        Attachments {
            is_sampled: true,
            formats: &[bytes, halves, vk::Format::R32G32B32A32_SFLOAT, bytes],
            depth: Some(vk::Format::D32_SFLOAT),
            samples: 1,
        },
    )?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("surface.vert"), stage!("surface.frag"));
    let state = State { depth: true, ..colored_state(&vertex, &fragment) };
    let mesh = graphics.program(&surfaces, &state, &Resources::default())?;
    let sampler = gpu.sampler(false)?;
    let textures: Vec<_> =
        [&surfaces.color].into_iter().chain(&surfaces.others).map(|texture| (texture, sampler)).collect();
    let bound = Resources { textures: &textures, ..Resources::default() };
    let (screen, lights) = (stage!("screen.vert"), stage!("lights.frag"));
    let lights = graphics.program(&target, &State::new(&screen, &lights), &bound)?;
    let vertices = meshes(200, target.color.extent, &LAYERS, 1.0);
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draw_mesh = [Draw { vertices: Some(&vertices), ..Draw::new(&mesh, count) }];
    let draw_lights = [Draw { push: &[0.0; 8], ..Draw::new(&lights, 3) }];
    let work = [Work::Render(&surfaces, &draw_mesh), Work::Render(&target, &draw_lights)];
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    let [width, height] = target.color.extent;
    check("deferred", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        Some(lit((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32))
    })?;
    Ok(1.0 / seconds)
}

/// The direction of a place on a face of a cube, of -1 to 1 (Vulkan, "Cube map face selection").
fn cube_direction(face: u32, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The colour of an environment in a direction.
fn sky(direction: [f32; 3]) -> [f32; 3] {
    let length = direction.iter().map(|value| value * value).sum::<f32>().sqrt();
    direction.map(|value| 0.5 + 0.4 * value / length)
}

/// A cube map with its levels, seen over all of its edges, in millions of pixels a second.
pub(crate) fn cube(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (size, levels) = scale.pick((256, 9), (64, 7));
    let mut texels = Vec::new();
    for level in 0..levels {
        let side = size >> level;
        let place = |at: u32| (at as f32 + 0.5) / side as f32 * 2.0 - 1.0;
        for at in 0..6 * side * side {
            let (face, row, column) = (at / side / side, at / side % side, at % side);
            let [red, green, blue] = sky(cube_direction(face, place(column), place(row)));
            texels.push(pack([red, green, blue, 1.0]));
        }
    }
    let format = vk::Format::R8G8B8A8_UNORM;
    let source = gpu.texture_of(Role::Sampled, format, Kind::Cube, [size; 2], levels, &texels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("cube.frag"));
    let bound = Resources { textures: &[(&source, gpu.sampler(true)?)], ..Resources::default() };
    let program = graphics.program(&target, &State::new(&vertex, &fragment), &bound)?;
    let draw = Draw { push: &[0.0; 8], ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    let tolerance = scale.pick(4.0, 60.0);
    check("cube", &gpu.pixels(&target.color)?, width, tolerance, |x, y| {
        let (u, v) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let (longitude, latitude) = (u * u * 24.0, (v - 0.5) * 3.0);
        let ring = latitude.cos();
        Some(sky([ring * longitude.cos(), latitude.sin(), ring * longitude.sin()]))
    })?;
    Ok(f64::from(width) * f64::from(height) / seconds / 1e6)
}

/// The value that an sRGB code stands for, both of 0 to 1, and back.
fn decoded(code: f32) -> f32 {
    if code <= 0.040_45 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
}

fn encoded(value: f32) -> f32 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// Two translucent layers of an sRGB texture on an sRGB target, in millions of pixels a second.
pub(crate) fn srgb(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let format = vk::Format::R8G8B8A8_SRGB;
    let target =
        graphics.target_of(extent(scale), Attachments { formats: &[format], ..Attachments::default() })?;
    let texels = smooth_texels(false);
    let source =
        gpu.texture_of(Role::Sampled, format, Kind::Flat, [PATTERN_SIZE; 2], PATTERN_LEVELS, &texels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("layer.frag"));
    let state = State { blend: Blend::Alpha, ..State::new(&vertex, &fragment) };
    let bound = Resources { textures: &[(&source, gpu.sampler(true)?)], ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    let repeats = [0.5, 1.0];
    let pushes = repeats.map(|repeat| [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, repeat]);
    let draws = pushes.each_ref().map(|push| Draw { push, ..Draw::new(&program, 3) });
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    let [width, height] = target.color.extent;
    check("srgb", &gpu.pixels(&target.color)?, width, 5.0, |x, y| {
        let (u, v) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let mut seen = [0.0; 2];
        for repeat in repeats {
            let layer = pattern(u * repeat, v * repeat).map(decoded);
            seen = [0, 1].map(|i| 0.5 * layer[i] + 0.5 * seen[i]);
        }
        Some([encoded(seen[0]), encoded(seen[1]), 0.0])
    })?;
    Ok(f64::from(width) * f64::from(height) * repeats.len() as f64 / seconds / 1e6)
}

/// Eight steps for each pixel through a texture of three dimensions, in millions of samples a second.
pub(crate) fn volume(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let size = scale.pick(64, 32);
    let line: Vec<f32> = (0..size).map(|i| pattern((i as f32 + 0.5) / size as f32, 0.0)[0]).collect();
    let at = |index: u32| line[(index % size) as usize];
    let texels: Vec<_> =
        (0..size * size * size).map(|i| pack([at(i), at(i / size), at(i / size / size), 1.0])).collect();
    let format = vk::Format::R8G8B8A8_UNORM;
    let source = gpu.texture_of(Role::Sampled, format, Kind::Volume(size), [size; 2], 1, &texels)?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("volume.frag"));
    let bound = Resources { textures: &[(&source, gpu.sampler(true)?)], ..Resources::default() };
    let program = graphics.program(&target, &State::new(&vertex, &fragment), &bound)?;
    let draw = Draw { push: &[0.0; 8], ..Draw::new(&program, 3) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let steps = 8;
    let [width, height] = target.color.extent;
    check("volume", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        let [red, green] = pattern((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let blue = (0..steps).map(|i| pattern((i as f32 + 0.5) * 0.05, 0.0)[0]).sum::<f32>();
        Some([red, green, blue / steps as f32])
    })?;
    Ok(f64::from(width) * f64::from(height) * f64::from(steps) / seconds / 1e6)
}
