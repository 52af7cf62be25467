//! What games draw around their scenes: smoke, ground, balls of light, shadows in cascades, bloom, leaves.

use ash::vk;

use super::geometry::{colored, colored_state, grid_indices};
use super::sweep::{LAYERS, meshes};
use super::{check, check_most, extent, frame_seconds, pack, pattern, smooth_texture, stage};
use crate::bench::{Random, Scale, median_seconds};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State, Work};
use crate::gpu::image::{Kind, Role, Texture};

/// Red, green and blue of a word of RGBA8.
fn unpack(color: u32) -> [f32; 3] {
    [0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0)
}

/// A texture of RGBA8 with all its levels, by what is at places of 0 to 1.
fn texture_by(gpu: &Gpu, size: u32, color: impl Fn(f32, f32, u32) -> [f32; 4]) -> Result<Texture, Failure> {
    let levels = size.ilog2() + 1;
    let mut texels = Vec::new();
    for level in 0..levels {
        let side = size >> level;
        let at = |i: u32| (i as f32 + 0.5) / side as f32;
        texels.extend((0..side * side).map(|i| pack(color(at(i % side), at(i / side), side))));
    }
    gpu.texture(Role::Sampled, [size; 2], levels, &texels)
}

/// The alpha of a sprite.
fn sprite_alpha(u: f32, v: f32) -> f32 {
    let [x, y] = [u, v].map(|at| at * 2.0 - 1.0);
    (1.0 - x * x - y * y).max(0.0)
}

/// A square of pixels, which need not begin where a pixel does.
struct Square {
    left: f32,
    top: f32,
    size: f32,
    depth: f32,
    color: u32,
}

impl Square {
    /// The pixels that it may cover, each with the place of its center in the square, 0 to 1.
    fn pixels(&self) -> impl Iterator<Item = ([u32; 2], [f32; 2])> {
        let &Square { left, top, size, .. } = self;
        let rows = top as u32..=(top + size) as u32;
        let pixels = rows.flat_map(move |y| (left as u32..=(left + size) as u32).map(move |x| [x, y]));
        pixels.map(move |[x, y]| {
            ([x, y], [(x, left), (y, top)].map(|(at, from)| (at as f32 + 0.5 - from) / size))
        })
    }
}

/// The vertices and indices of squares on a target of this size.
struct Squares {
    extent: [u32; 2],
    vertices: Vec<u32>,
    indices: Vec<u32>,
}

/// What a vertex of a square has: its position, its place in the square, its colour.
const SQUARE_ATTRIBUTES: [(vk::Format, u32); 3] =
    [(vk::Format::R32G32B32_SFLOAT, 0), (vk::Format::R32G32_SFLOAT, 12), (vk::Format::R8G8B8A8_UNORM, 20)];

impl Squares {
    fn of(extent: [u32; 2]) -> Squares {
        Squares { extent, vertices: Vec::new(), indices: Vec::new() }
    }

    fn add(&mut self, square: &Square) {
        let &Square { left, top, size, depth, color } = square;
        let [width, height] = self.extent;
        let first = self.vertices.len() as u32 / 6;
        for [u, v] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0f32, 1.0f32]] {
            let [x, y] = [(left + u * size) / width as f32, (top + v * size) / height as f32];
            self.vertices.extend([x * 2.0 - 1.0, y * 2.0 - 1.0, depth, u, v].map(f32::to_bits));
            self.vertices.push(color);
        }
        self.indices.extend([0, 1, 2, 1, 3, 2].map(|corner| first + corner));
    }
}

/// Blended sprites of 4 to 64 pixels that fade before what is behind them, in thousands a second.
pub(crate) fn soft_particles(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let [width, height] = target.color.extent;
    let behind = |x: u32| 0.5 + 0.3 * (x as f32 + 0.5) / width as f32;
    let words: Vec<u32> = (0..width * height).map(|at| behind(at % width).to_bits()).collect();
    let depths =
        gpu.texture_of(Role::Sampled, vk::Format::R32_SFLOAT, Kind::Flat, [width, height], 1, &words)?;
    let sprite = texture_by(gpu, 64, |u, v, _| [1.0, 1.0, 1.0, sprite_alpha(u, v)])?;
    let textures = [(&sprite, gpu.sampler(true)?), (&depths, gpu.sampler(false)?)];
    let (vertex, fragment) = (stage!("soft.vert"), stage!("soft.frag"));
    let blend = Blend::Alpha;
    let state = State { stride: 24, attributes: &SQUARE_ATTRIBUTES, blend, ..State::new(&vertex, &fragment) };
    let bound = Resources { textures: &textures, ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    let mut random = Random::new(81);
    let mut seen = vec![Some([0.0f32; 3]); (width * height) as usize];
    let mut squares = Squares::of([width, height]);
    let count = scale.pick(10_000, 40);
    for _ in 0..count {
        // Small ones are many.
        let size = 4.0 * 16.0f32.powf(random.float(0.0, 1.0)).min(scale.pick(16.0, 6.0));
        let [left, top] = [width, height].map(|pixels| random.float(0.0, pixels as f32 - size - 1.0));
        let depth = random.float(0.3, 0.7);
        let color = random.word() & 0x00ff_ffff | 0xa000_0000;
        let square = Square { left, top, size, depth, color };
        squares.add(&square);
        for ([x, y], [u, v]) in square.pixels() {
            let at = &mut seen[(y * width + x) as usize];
            let fade = ((behind(x) - depth) * 10.0).clamp(0.0, 1.0);
            let alpha = sprite_alpha(u, v) * 160.0 / 255.0 * fade;
            // Of few pixels, levels are coarse.
            *at = at.filter(|_| size > 16.0).map(|there| {
                let color = unpack(color);
                [0, 1, 2].map(|i| color[i] * alpha + there[i] * (1.0 - alpha))
            });
        }
    }
    let (vertices, indices) = (gpu.buffer_of(&squares.vertices)?, gpu.buffer_of(&squares.indices)?);
    let draw = Draw { vertices: Some(&vertices), indices: Some(&indices), ..Draw::new(&program, 6 * count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let pixels = gpu.pixels(&target.color)?;
    check_most("soft_particles", &pixels, width, 6.0, 0.01, |x, y| seen[(y * width + x) as usize])?;
    Ok(f64::from(count) / seconds / 1e3)
}

/// A ground of which each vertex samples a texture of heights, lit, textured and in fog; in millions of
/// triangles a second.
pub(crate) fn terrain(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let size = scale.pick(512, 64);
    let height_at = |u: f32, v: f32| {
        let [x, y] = pattern(u, v);
        0.5 * (x + y)
    };
    let at = |i: u32| (i as f32 + 0.5) / size as f32;
    let words: Vec<u32> = (0..size * size).map(|i| height_at(at(i % size), at(i / size)).to_bits()).collect();
    let heights = gpu.texture_of(Role::Sampled, vk::Format::R32_SFLOAT, Kind::Flat, [size; 2], 1, &words)?;
    let ground = smooth_texture(&graphics, false)?;
    let sampler = gpu.sampler(true)?;
    let bound = Resources { textures: &[(&heights, sampler), (&ground, sampler)], ..Resources::default() };
    let (vertex, fragment) = (stage!("terrain.vert"), stage!("terrain.frag"));
    let state = State { depth: true, ..State::new(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &bound)?;
    let (columns, rows): (u32, u32) = scale.pick((384, 216), (24, 12));
    let mut indices = Vec::new();
    grid_indices(&mut indices, columns, rows, 0);
    let index_buffer = gpu.buffer_of(&indices)?;
    let (fog, dense, repeat) = ([0.6, 0.7, 0.8], 1.5f32, 4.0);
    let push = [fog[0], fog[1], fog[2], dense, columns as f32, rows as f32, repeat, repeat];
    let draw =
        Draw { indices: Some(&index_buffer), push: &push, ..Draw::new(&program, indices.len() as u32) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    let tolerance = scale.pick(4.0, 40.0);
    check_most("terrain", &gpu.pixels(&target.color)?, width, tolerance, 0.01, |x, y| {
        let [u, v] = [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32];
        let texel = 1.0 / size as f32;
        let slope = |du: f32, dv: f32| height_at(u + du, v + dv) - height_at(u - du, v - dv);
        let normal = [-8.0 * slope(texel, 0.0), -8.0 * slope(0.0, texel), 1.0];
        let length = normal.iter().map(|value| value * value).sum::<f32>().sqrt();
        let facing: f32 = normal.iter().zip([0.36, 0.48, 0.8]).map(|(a, b)| a / length * b).sum();
        let lit = 0.4 + 0.6 * facing.max(0.0);
        let [red, green] = pattern(u * repeat, v * repeat);
        let clear = (-dense * (1.0 - height_at(u, v))).exp();
        let base = [red * lit, green * lit, 0.0];
        Some([0, 1, 2].map(|i| fog[i] * (1.0 - clear) + base[i] * clear))
    })?;
    Ok(indices.len() as f64 / 3.0 / seconds / 1e6)
}

/// Balls of light of 20 to 120 pixels, each an instance of half a ball that is added to what is lit, in
/// thousands a second.
pub(crate) fn light_balls(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let formats = &[vk::Format::R16G16B16A16_SFLOAT];
    let target = graphics.target_of(extent(scale), Attachments { formats, ..Attachments::default() })?;
    let [width, height] = target.color.extent;
    let albedo_at = |x: u32, y: u32| [x as f32 / width as f32, y as f32 / height as f32, 0.5];
    let of_pixels = |color: &dyn Fn(u32, u32) -> [f32; 4]| {
        let words: Vec<u32> = (0..width * height).map(|at| pack(color(at % width, at / width))).collect();
        gpu.texture(Role::Sampled, [width, height], 1, &words)
    };
    let albedo = of_pixels(&|x, y| {
        let [red, green, blue] = albedo_at(x, y);
        [red, green, blue, 1.0]
    })?;
    let normals = of_pixels(&|_, _| [0.5, 0.5, 1.0, 1.0])?;
    let sampler = gpu.sampler(false)?;
    let bound = Resources { textures: &[(&albedo, sampler), (&normals, sampler)], ..Resources::default() };
    let (vertex, fragment) = (stage!("dome.vert"), stage!("dome.frag"));
    let instanced = [(vk::Format::R32G32B32A32_SFLOAT, 0), (vk::Format::R8G8B8A8_UNORM, 16)];
    let state = State {
        stride: 12,
        attributes: &[(vk::Format::R32G32B32_SFLOAT, 0)],
        instanced: Some((20, &instanced)),
        blend: Blend::Add,
        ..State::new(&vertex, &fragment)
    };
    let program = graphics.program(&target, &state, &bound)?;
    // Rings around the middle; the outermost lies a little further out than the ball.
    let (rings, parts) = (4u32, 16u32);
    let (mut corners, mut indices) = (vec![0.0, 0.0, 1.0f32], Vec::new());
    for (ring, part) in (1..=rings).flat_map(|ring| (0..parts).map(move |part| (ring, part))) {
        let angle = part as f32 / parts as f32 * std::f32::consts::TAU;
        let radius = 1.03 * (ring as f32 / rings as f32 * std::f32::consts::FRAC_PI_2).sin();
        corners.extend([radius * angle.cos(), radius * angle.sin(), (1.0 - radius * radius).max(0.0).sqrt()]);
        let index = |ring: u32, part: u32| if ring == 0 { 0 } else { 1 + (ring - 1) * parts + part % parts };
        indices.extend([index(ring, part), index(ring, part + 1), index(ring - 1, part)]);
        if ring > 1 {
            indices.extend([index(ring, part + 1), index(ring - 1, part + 1), index(ring - 1, part)]);
        }
    }
    let mut random = Random::new(82);
    let mut sums = vec![[0.0f32; 3]; (width * height) as usize];
    let mut instances = Vec::new();
    let count = scale.pick(600, 10);
    for _ in 0..count {
        let radius = random.float(10.0, scale.pick(60.0, 20.0));
        let [x, y] = [width, height].map(|pixels| random.float(radius + 2.0, pixels as f32 - radius - 2.0));
        let above = radius * 0.5;
        let color = random.word() & 0x003f_3f3f | 0xff00_0000;
        instances.extend([x, y, above, radius].map(f32::to_bits));
        instances.push(color);
        let shade = unpack(color);
        for (column, row) in ((y - radius) as u32..=(y + radius) as u32)
            .flat_map(|row| ((x - radius) as u32..=(x + radius) as u32).map(move |column| (column, row)))
        {
            let to = [x - column as f32 - 0.5, y - row as f32 - 0.5, above];
            let length = to.iter().map(|value| value * value).sum::<f32>().sqrt();
            let distance = length / radius;
            let falloff = (1.0 - distance * distance).max(0.0);
            let lit = falloff * falloff * above / length;
            let (sum, base) = (&mut sums[(row * width + column) as usize], albedo_at(column, row));
            *sum = [0, 1, 2].map(|i| sum[i] + base[i] * shade[i] * lit);
        }
    }
    let (corners, index_buffer) = (gpu.buffer_of_floats(&corners)?, gpu.buffer_of(&indices)?);
    let instances = gpu.buffer_of(&instances)?;
    let draw = Draw {
        vertices: Some(&corners),
        indices: Some(&index_buffer),
        instances: count,
        instanced: Some(&instances),
        push: &[1.0 / width as f32, 1.0 / height as f32, 0.0, 0.0],
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let pixels: Vec<u32> = gpu.pixels(&target.color)?.chunks(2).map(super::sweep::of_halves).collect();
    check_most("light_balls", &pixels, width, 4.0, 0.01, |x, y| {
        Some(sums[(y * width + x) as usize].map(|value| value.min(1.0)))
    })?;
    Ok(f64::from(count) / seconds / 1e3)
}

/// Triangles of 500 pixels with a normal map and shadows of one of three maps, by distance, in four layers;
/// in millions of pixels a second.
pub(crate) fn cascades(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    // Left halves of each map are in shadow.
    let size = scale.pick(1024, 128);
    let words: Vec<u32> =
        (0..3 * size * size).map(|at| if at % size < size / 2 { 0.05 } else { 0.95f32 }.to_bits()).collect();
    let depth = vk::Format::D32_SFLOAT;
    let maps = gpu.texture_of(Role::SampledDepth, depth, Kind::Flat, [3 * size, size], 1, &words)?;
    let bump = |u: f32, v: f32| pattern(u, v).map(|value| value - 0.5);
    let normals = texture_by(gpu, 256, |u, v, _| {
        let [x, y] = bump(u, v).map(|value| value + 0.5);
        [x, y, 1.0, 1.0]
    })?;
    let textures = [(&maps, gpu.comparing_sampler()?), (&normals, gpu.sampler(true)?)];
    let bound = Resources { textures: &textures, ..Resources::default() };
    let (vertex, fragment) = (stage!("cascades.vert"), stage!("cascades.frag"));
    let state = State { depth: true, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &bound)?;
    let [width, height] = target.color.extent;
    // Small, as places are not linear over triangles with depths of their own.
    let vertices = meshes(scale.pick(500, 8), [width, height], &LAYERS, 1.0);
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let tolerance = scale.pick(5.0, 40.0);
    check_most("cascades", &gpu.pixels(&target.color)?, width, tolerance, 0.02, |x, y| {
        let [u, v] = [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32];
        let [bx, by] = bump(u * 8.0, v * 8.0).map(|value| 2.0 * value);
        let length = (bx * bx + by * by + 1.0).sqrt();
        let light = (0.3 * bx + 0.4 * by + 0.9).max(0.0) / length / (0.09f32 + 0.16 + 0.81).sqrt();
        let cascade = [0.5, 0.75].iter().filter(|&&split| v >= split).count() as u32;
        let at = (u * 4.0 / f32::from(1u16 << cascade)).fract() * 0.96 + 0.02;
        let is_sure = (at - 0.5).abs() > 0.02
            && [0.02, 0.98].iter().all(|edge| (at - edge).abs() > 0.02)
            && [0.5, 0.75].iter().all(|split| (v - split).abs() > 0.01);
        let lit = if at < 0.5 { 0.0 } else { 4.0 };
        is_sure.then_some([light * (0.2 + 0.2 * lit); 3])
    })?;
    Ok(f64::from(width) * f64::from(height) * LAYERS.len() as f64 / seconds / 1e6)
}

/// A word of RGBA8 of one of R11G11B10, of 0 to 1.
fn of_packed_floats(word: u32) -> u32 {
    let value = |bits: u32, mantissa_bits: u32| {
        let (exponent, mantissa) = (bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1));
        let one = 1u32 << mantissa_bits;
        let scaled = if exponent == 0 { mantissa } else { mantissa + one } as f32;
        scaled * 2.0f32.powi(exponent.max(1) as i32 - 15 - mantissa_bits as i32)
    };
    pack([value(word & 0x7ff, 6), value(word >> 11 & 0x7ff, 6), value(word >> 22, 5), 1.0])
}

/// A target made smaller four times and larger again, each time by filtered texels of R11G11B10; in frames a
/// second.
pub(crate) fn bloom(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let formats = &[vk::Format::B10G11R11_UFLOAT_PACK32];
    let attachments = Attachments { is_sampled: true, formats, ..Attachments::default() };
    let [width, height] = extent(scale);
    let levels = scale.pick(4, 1);
    let target =
        |level: usize| graphics.target_of([width, height].map(|size| (size >> level).max(1)), attachments);
    let down = (0..=levels).map(target).collect::<Result<Vec<_>, _>>()?;
    let up = (0..levels).map(target).collect::<Result<Vec<_>, _>>()?;
    let mut words = Vec::new();
    for [x, y] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        colored(&mut words, [x, y, 0.5], pack([x, y, 0.5, 1.0]));
    }
    let vertices = gpu.buffer_of(&words)?;
    let (mesh, shaded) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let scene = graphics.program(&down[0], &colored_state(&mesh, &shaded), &Resources::default())?;
    let (screen, smaller, larger) =
        (stage!("screen.vert"), stage!("bloom_down.frag"), stage!("bloom_up.frag"));
    let sampler = gpu.sampler(true)?;
    let program = |fragment: &[u32], textures: &[&Texture]| {
        let textures: Vec<_> = textures.iter().map(|&texture| (texture, sampler)).collect();
        let bound = Resources { textures: &textures, ..Resources::default() };
        graphics.program(&down[0], &State::new(&screen, fragment), &bound)
    };
    let mut steps = Vec::new();
    for level in 0..levels {
        steps.push((&down[level + 1], program(&smaller, &[&down[level].color])?));
    }
    for level in (0..levels).rev() {
        let below = if level + 1 == levels { &down[levels] } else { &up[level + 1] };
        steps.push((&up[level], program(&larger, &[&down[level].color, &below.color])?));
    }
    let first = [Draw { vertices: Some(&vertices), ..Draw::new(&scene, 6) }];
    let draws: Vec<_> =
        steps.iter().map(|(_, program)| [Draw { push: &[0.0; 8], ..Draw::new(program, 3) }]).collect();
    let mut work = vec![Work::Render(&down[0], &first)];
    work.extend(steps.iter().zip(&draws).map(|((target, _), draws)| Work::Render(target, draws)));
    let seconds = median_seconds(gpu, scale, &graphics.record(&work)?, || ())?;
    let pixels: Vec<u32> = gpu.pixels(&up[0].color)?.into_iter().map(of_packed_floats).collect();
    // Samplers repeat, so what is near an edge sees the other one.
    let edge = scale.pick(120, 8);
    check("bloom", &pixels, width, 12.0, |x, y| {
        let is_inside = (edge..width - edge).contains(&x) && (edge..height - edge).contains(&y);
        is_inside.then(|| [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5])
    })?;
    Ok(1.0 / seconds)
}

/// Leaves of 40 pixels that cover samples by their alpha, four a pixel, with depth, in thousands a second.
pub(crate) fn leaves(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 4)?;
    let [width, height] = target.color.extent;
    // A disc, alpha falls from 1 in its middle to 0 at its border: half of it where it is cut.
    let alpha = |u: f32, v: f32| (1.5 - 3.0 * (u - 0.5).hypot(v - 0.5)).clamp(0.0, 1.0);
    let leaf = texture_by(gpu, 64, |u, v, _| [1.0, 1.0, 1.0, alpha(u, v)])?;
    let textures = [(&leaf, gpu.sampler(true)?)];
    let (vertex, fragment) = (stage!("soft.vert"), stage!("leaves.frag"));
    let state = State {
        stride: 24,
        attributes: &SQUARE_ATTRIBUTES,
        depth: true,
        alpha_to_coverage: true,
        ..State::new(&vertex, &fragment)
    };
    let bound = Resources { textures: &textures, ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    let mut random = Random::new(83);
    // The nearest leaf of each pixel, and the nearest one of whose border it is, where some samples are
    // covered.
    let mut seen = vec![(1.0f32, [0.0f32; 3], 1.0f32); (width * height) as usize];
    let mut squares = Squares::of([width, height]);
    let (count, size) = (scale.pick(6_000, 20), scale.pick(40.0, 16.0f32));
    for _ in 0..count {
        let [left, top] = [width, height].map(|pixels| random.float(1.0, pixels as f32 - size - 2.0));
        let depth = random.float(0.1, 0.9);
        let color = random.word() | 0xff00_0000;
        let square = Square { left, top, size, depth, color };
        squares.add(&square);
        for ([x, y], [u, v]) in square.pixels() {
            let away = ((u - 0.5).hypot(v - 0.5) - 1.0 / 3.0) * size;
            let (nearest, seen, nearest_border) = &mut seen[(y * width + x) as usize];
            if away < -2.0 && depth < *nearest {
                (*nearest, *seen) = (depth, unpack(color));
            } else if away < 2.0 {
                *nearest_border = nearest_border.min(depth);
            }
        }
    }
    let (vertices, indices) = (gpu.buffer_of(&squares.vertices)?, gpu.buffer_of(&squares.indices)?);
    let draw = Draw { vertices: Some(&vertices), indices: Some(&indices), ..Draw::new(&program, 6 * count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    check_most("leaves", &gpu.pixels(&target.color)?, width, 2.0, 0.02, |x, y| {
        let (nearest, seen, nearest_border) = seen[(y * width + x) as usize];
        (nearest <= nearest_border).then_some(seen)
    })?;
    Ok(f64::from(count) / seconds / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_floats_are_decoded() {
        // 1 is an exponent of 15; half of it one of 14.
        let word = 15 << 6 | (14 << 6) << 11 | (15 << 5) << 22;
        assert_eq!(of_packed_floats(word), pack([1.0, 0.5, 1.0, 1.0]));
    }
}
