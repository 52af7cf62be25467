//! What programs draw besides scenes: text, particles, strips, small passes, and passes over the last target.

use ash::vk;

use super::geometry::{colored, colored_state};
use super::sweep::of_halves;
use super::{check, extent, frame_seconds, pack, stage};
use crate::bench::{Random, Scale, median_seconds};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State, Topology, Work};
use crate::gpu::image::Role;

/// Texels of the atlas, and of each letter's cell in it.
const ATLAS: u32 = 256;
const CELL: u32 = 16;
/// Pixels of letters.
const LETTER_MIN: u32 = 10;
const LETTER_MAX: u32 = 40;

/// What a letter covers of each pixel within it.
fn letter_alpha(letter: u32) -> f32 {
    pack([0.0, 0.0, 0.0, 0.25 + 0.25 * (letter % 3) as f32]) as f32 / 255.0 / 16_777_216.0
}

/// Letters of 10 to 40 pixels, blended, each two triangles with a texture, in thousands a second.
pub(crate) fn glyphs(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let mut texels = Vec::new();
    for (x, y) in (0..ATLAS).flat_map(|y| (0..ATLAS).map(move |x| (x, y))) {
        let letter = y / CELL * (ATLAS / CELL) + x / CELL;
        let is_inside = [x, y].iter().all(|at| (2..CELL - 2).contains(&(at % CELL)));
        texels.push(pack([1.0, 1.0, 1.0, if is_inside { letter_alpha(letter) } else { 0.0 }]));
    }
    let atlas = gpu.texture(Role::Sampled, [ATLAS; 2], 1, &texels)?;
    let textures = [(&atlas, gpu.sampler(true)?)];
    let (vertex, fragment) = (stage!("glyph.vert"), stage!("glyph.frag"));
    let attributes =
        [(vk::Format::R32G32_SFLOAT, 0), (vk::Format::R32G32_SFLOAT, 8), (vk::Format::R8G8B8A8_UNORM, 16)];
    let blend = Blend::Alpha;
    let state = State { stride: 20, attributes: &attributes, blend, ..State::new(&vertex, &fragment) };
    let program =
        graphics.program(&target, &state, &Resources { textures: &textures, ..Resources::default() })?;
    let [width, height] = target.color.extent;
    let mut random = Random::new(61);
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    // Of each pixel its letter and colour, where it is surely within one, or in none.
    let mut seen = vec![Some((0.0, [0.0; 3])); (width * height) as usize];
    let (mut count, mut top) = (0u32, 1);
    while top + LETTER_MAX < height {
        let size = LETTER_MIN + random.below(LETTER_MAX - LETTER_MIN + 1);
        let mut left = 1;
        while left + size < width {
            let (letter, color) = (random.below((ATLAS / CELL).pow(2)), random.word() | 0xff00_0000);
            // Not where pixels begin.
            let place = [left, top].map(|at| at as f32 + random.below(16) as f32 / 16.0);
            let cell = [letter % (ATLAS / CELL), letter / (ATLAS / CELL)].map(|at| (at * CELL) as f32);
            for [right, down] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0f32, 1.0f32]] {
                let x = (place[0] + right * size as f32) / width as f32;
                let y = (place[1] + down * size as f32) / height as f32;
                let uv = [right, down].into_iter().zip(cell);
                let uv: Vec<f32> = uv.map(|(at, cell)| (cell + at * CELL as f32) / ATLAS as f32).collect();
                vertices.extend([x * 2.0 - 1.0, y * 2.0 - 1.0, uv[0], uv[1]].map(f32::to_bits));
                vertices.push(color);
            }
            indices.extend([0, 1, 2, 1, 3, 2].map(|corner| 4 * count + corner));
            let rgb = [0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0);
            for (x, y) in (top..=top + size).flat_map(|y| (left..=left + size).map(move |x| (x, y))) {
                let within = [(x, place[0]), (y, place[1])]
                    .map(|(at, from)| (at as f32 + 0.5 - from) / size as f32 * CELL as f32);
                // Filters reach half a texel from the letter's edge in its cell.
                let lies = |edge: f32| within.iter().all(|at| (edge..CELL as f32 - edge).contains(at));
                seen[(y * width + x) as usize] = match (lies(2.6), lies(1.4)) {
                    (true, _) => Some((letter_alpha(letter), rgb)),
                    (false, true) => None,
                    (false, false) => Some((0.0, [0.0; 3])),
                };
            }
            count += 1;
            left += size + 2;
        }
        top += size + 2;
    }
    let (vertices, indices) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    let draw = Draw { vertices: Some(&vertices), indices: Some(&indices), ..Draw::new(&program, 6 * count) };
    let draws = [draw; 4];
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    check("glyphs", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        let (alpha, color) = seen[(y * width + x) as usize]?;
        let left = (1.0f32 - alpha).powi(draws.len() as i32);
        Some(color.map(|value| value * (1.0 - left)))
    })?;
    Ok(f64::from(count) * draws.len() as f64 / seconds / 1e3)
}

/// Squares of 24 pixels that are added to a target of halves, in thousands a second.
pub(crate) fn particles(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let formats = &[vk::Format::R16G16B16A16_SFLOAT];
    let target = graphics.target_of(extent(scale), Attachments { formats, ..Attachments::default() })?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { blend: Blend::Add, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let [width, height] = target.color.extent;
    let side = scale.pick(24, 8);
    let mut random = Random::new(62);
    let mut counts = vec![0u32; (width * height) as usize];
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    let tint = 8;
    let count = scale.pick(20_000, 100);
    for particle in 0..count {
        let [left, top] = [width, height].map(|pixels| random.below(pixels - side));
        for [right, down] in [[0, 0], [side, 0], [0, side], [side, side]] {
            let [x, y] = [(left + right) as f32 / width as f32, (top + down) as f32 / height as f32];
            colored(&mut vertices, [x, y, 0.5], (tint * 0x0001_0101) | 0xff00_0000);
        }
        indices.extend([0, 1, 2, 1, 3, 2].map(|corner| 4 * particle + corner));
        for (x, y) in (top..top + side).flat_map(|y| (left..left + side).map(move |x| (x, y))) {
            counts[(y * width + x) as usize] += 1;
        }
    }
    let (vertices, index_buffer) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    let draw = Draw {
        vertices: Some(&vertices),
        indices: Some(&index_buffer),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let pixels: Vec<u32> = gpu.pixels(&target.color)?.chunks(2).map(of_halves).collect();
    check("particles", &pixels, width, 3.0, |x, y| {
        let sum = (counts[(y * width + x) as usize] * tint) as f32 / 255.0;
        Some([sum.min(1.0); 3])
    })?;
    Ok(f64::from(count) / seconds / 1e3)
}

/// Rows of a grid, each a strip that an index with all bits set ends, in millions of triangles a second.
pub(crate) fn strips(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { topology: Topology::Strips, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let (columns, rows): (u32, u32) = scale.pick((320, 180), (20, 10));
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for (i, j) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (i, j))) {
        let [x, y] = [i as f32 / columns as f32, j as f32 / rows as f32];
        colored(&mut vertices, [x, y, 0.5], pack([x, y, 0.5, 1.0]));
    }
    for j in 0..rows {
        let first = j * (columns + 1);
        indices.extend((first..=first + columns).flat_map(|at| [at, at + columns + 1]));
        indices.push(u32::MAX);
    }
    let (vertices, index_buffer) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    let draw = Draw {
        vertices: Some(&vertices),
        indices: Some(&index_buffer),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    check("strips", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        Some([(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5])
    })?;
    Ok(f64::from(2 * columns * rows) / seconds / 1e6)
}

/// Render passes of 64 by 64 pixels, each with a clear, a triangle and a store, in thousands a second.
pub(crate) fn passes(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let targets = (0..scale.pick(8, 2)).map(|_| graphics.target([64; 2], false, 1));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    let (vertex, fragment) = (stage!("screen.vert"), stage!("flat.frag"));
    let program = graphics.program(&targets[0], &State::new(&vertex, &fragment), &Resources::default())?;
    let color = [0.25, 0.5, 0.75];
    let push = [color[0], color[1], color[2], 1.0, 0.0, 0.0, 0.0, 0.0];
    // The upper left half of the target.
    let draw = [Draw { push: &push, area: Some([0, 0, 32, 64]), ..Draw::new(&program, 3) }];
    let count = scale.pick(1000, 4);
    let work: Vec<_> = targets.iter().cycle().take(count).map(|target| Work::Render(target, &draw)).collect();
    let commands = graphics.record(&work)?;
    let seconds = median_seconds(gpu, scale, &commands, || ())?;
    for target in &targets {
        check("passes", &gpu.pixels(&target.color)?, 64, 1.0, |x, _| {
            Some(if x < 32 { color } else { [0.0; 3] })
        })?;
    }
    Ok(count as f64 / seconds / 1e3)
}

/// A chain of four passes over the whole target, each of which reads what the last one drew; in such passes a
/// second.
pub(crate) fn post(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    chain(gpu, scale, false)
}

/// The same between targets of 16-bit floats.
pub(crate) fn post_halves(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    chain(gpu, scale, true)
}

fn chain(gpu: &Gpu, scale: Scale, halves: bool) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let format = if halves { vk::Format::R16G16B16A16_SFLOAT } else { vk::Format::R8G8B8A8_UNORM };
    let attachments = Attachments { is_sampled: true, formats: &[format], ..Attachments::default() };
    let targets =
        [graphics.target_of(extent(scale), attachments)?, graphics.target_of(extent(scale), attachments)?];
    let vertices = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut words = Vec::new();
    for [x, y] in vertices {
        colored(&mut words, [x, y, 0.5], pack([x, y, 0.5, 1.0]));
    }
    let vertices = gpu.buffer_of(&words)?;
    let (mesh, shaded) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = colored_state(&mesh, &shaded);
    let scene = graphics.program(&targets[0], &state, &Resources::default())?;
    let (screen, fragment) = (stage!("screen.vert"), stage!("post.frag"));
    let sampler = gpu.sampler(true)?;
    let mut programs = Vec::new();
    for source in &targets {
        let textures = [(&source.color, sampler)];
        let bound = Resources { textures: &textures, ..Resources::default() };
        programs.push(graphics.program(&targets[0], &State::new(&screen, &fragment), &bound)?);
    }
    let first = [Draw { vertices: Some(&vertices), ..Draw::new(&scene, 6) }];
    let push = [0.0; 8];
    let draws: Vec<_> =
        programs.iter().map(|program| [Draw { push: &push, ..Draw::new(program, 3) }]).collect();
    let steps = 4;
    let mut work = vec![Work::Render(&targets[0], &first)];
    work.extend((0..steps).map(|step| Work::Render(&targets[(step + 1) % 2], &draws[step % 2])));
    let commands = graphics.record(&work)?;
    let seconds = median_seconds(gpu, scale, &commands, || ())?;
    let [width, height] = targets[0].color.extent;
    let edge = steps as u32 + 1;
    let words = gpu.pixels(&targets[steps % 2].color)?;
    let pixels = if halves { words.chunks(2).map(of_halves).collect() } else { words };
    check("post", &pixels, width, 3.0, |x, y| {
        let is_inside = (edge..width - edge).contains(&x) && (edge..height - edge).contains(&y);
        let at = [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5];
        is_inside.then(|| at.map(|value| (0..steps).fold(value, |value, _| value * 0.75 + 0.125)))
    })?;
    Ok(steps as f64 / seconds)
}
