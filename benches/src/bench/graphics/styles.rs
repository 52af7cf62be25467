//! What programs draw that do not look like games: splats of captured scenes, round points, wires of meshes.

use ash::vk;

use super::geometry::{colored, colored_state, grid_indices};
use super::{check_most, extent, frame_seconds, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Blend, Draw, Graphics, Resources, State, Topology};

/// Red, green and blue of a word of RGBA8.
fn unpack(color: u32) -> [f32; 3] {
    [0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0)
}

/// Mixes a color with those of a target where it is known.
fn mix(there: &mut [f32; 3], color: u32, alpha: f32) {
    let color = unpack(color);
    *there = [0, 1, 2].map(|i| color[i] * alpha + there[i] * (1.0 - alpha));
}

/// Ellipses whose alpha is a bell, back to front, 20 to 240 pixels long, in thousands a second.
pub(crate) fn splats(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let [width, height] = target.color.extent;
    let (vertex, fragment) = (stage!("splat.vert"), stage!("splat.frag"));
    let vector = vk::Format::R32G32B32A32_SFLOAT;
    let instanced = [(vector, 0), (vector, 16), (vk::Format::R8G8B8A8_UNORM, 32)];
    let blend = Blend::Alpha;
    let state = State {
        topology: Topology::Strips,
        instanced: Some((36, &instanced)),
        blend,
        ..State::new(&vertex, &fragment)
    };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let mut random = Random::new(91);
    let mut seen = vec![[0.0f32; 3]; (width * height) as usize];
    let mut instances = Vec::new();
    let count = scale.pick(6_000, 20);
    for _ in 0..count {
        // Many are small, and few are round.
        let long = scale.pick(3.3, 2.0) * 12.0f32.powf(random.float(0.0, 1.0)).min(scale.pick(12.0, 2.0));
        let short = long * random.float(0.2, 1.0);
        let (sin, cos) = random.float(0.0, std::f32::consts::TAU).sin_cos();
        let [x, y] = [width, height].map(|pixels| random.float(0.0, pixels as f32));
        let color = random.word() & 0x00ff_ffff | 0xb000_0000;
        let (u, v) = ([long * cos, long * sin], [-short * sin, short * cos]);
        let window = [2.0 / width as f32, 2.0 / height as f32];
        let middle = [x * window[0] - 1.0, y * window[1] - 1.0, 0.5, 0.0];
        let axes = [u[0] * window[0], u[1] * window[1], v[0] * window[0], v[1] * window[1]];
        instances.extend(middle.map(f32::to_bits));
        instances.extend(axes.map(f32::to_bits));
        instances.push(color);
        let reach = 3.0 * (long + short);
        let range = |at: f32, size: u32| (at - reach).max(0.0) as u32..((at + reach) as u32 + 1).min(size);
        for row in range(y, height) {
            for column in range(x, width) {
                let [dx, dy] = [column as f32 + 0.5 - x, row as f32 + 0.5 - y];
                let (p, q) = ((dx * cos + dy * sin) / long, (dy * cos - dx * sin) / short);
                let alpha = 176.0 / 255.0 * (-0.5 * (p * p + q * q)).exp();
                if p.abs().max(q.abs()) <= 3.0 && alpha >= 1.0 / 255.0 {
                    mix(&mut seen[(row * width + column) as usize], color, alpha);
                }
            }
        }
    }
    let instances = gpu.buffer_of(&instances)?;
    let draw = Draw { instanced: Some(&instances), instances: count, ..Draw::new(&program, 4) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    check_most("splats", &gpu.pixels(&target.color)?, width, 6.0, 0.01, |x, y| {
        Some(seen[(y * width + x) as usize])
    })?;
    Ok(f64::from(count) / seconds / 1e3)
}

/// Blended round points of 2 to 16 pixels, in millions a second.
pub(crate) fn sprite_points(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let [width, height] = target.color.extent;
    let (vertex, fragment) = (stage!("sprite_points.vert"), stage!("sprite_points.frag"));
    let (topology, blend) = (Topology::Points, Blend::Alpha);
    let state = State { topology, blend, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let mut random = Random::new(92);
    let mut seen = vec![[0.0f32; 3]; (width * height) as usize];
    let mut vertices = Vec::new();
    let count = scale.pick(200_000, 100);
    for _ in 0..count {
        let size = 2.0 * 8.0f32.powf(random.float(0.0, 1.0));
        let [x, y] = [width, height].map(|pixels| random.float(0.0, pixels as f32));
        let color = random.word() & 0x00ff_ffff | 0x8000_0000;
        vertices
            .extend([x / width as f32 * 2.0 - 1.0, y / height as f32 * 2.0 - 1.0, size].map(f32::to_bits));
        vertices.push(color);
        let range = |at: f32, pixels: u32| {
            (at - size / 2.0).max(0.0) as u32..((at + size / 2.0) as u32 + 1).min(pixels)
        };
        for row in range(y, height) {
            for column in range(x, width) {
                let [u, v] =
                    [(column, x), (row, y)].map(|(at, middle)| (at as f32 + 0.5 - middle) * 2.0 / size);
                let alpha = 1.0 - u * u - v * v;
                if alpha > 0.0 {
                    mix(&mut seen[(row * width + column) as usize], color, alpha * 128.0 / 255.0);
                }
            }
        }
    }
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    // Points lie at sixteenths or finer parts of pixels, which shows in small ones.
    check_most("sprite_points", &gpu.pixels(&target.color)?, width, 20.0, 0.02, |x, y| {
        Some(seen[(y * width + x) as usize])
    })?;
    Ok(f64::from(count) / seconds / 1e6)
}

/// The edges of a mesh over its faces, by triangles drawn as lines, in millions of triangles a second.
pub(crate) fn wires(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let [width, height] = target.color.extent;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let faces = graphics.program(&target, &colored_state(&vertex, &fragment), &Resources::default())?;
    let state = State { polygon_lines: true, ..colored_state(&vertex, &fragment) };
    let edges = graphics.program(&target, &state, &Resources::default())?;
    let cell = [12u32, 9];
    // What is left of a pixel beside the last cells holds the last edges.
    let [columns, rows] = [(width - 1) / cell[0], (height - 1) / cell[1]];
    let place = |at: u32, axis: usize| (at * cell[axis]) as f32 + 0.3;
    let grid = |color: u32| {
        let mut vertices = Vec::new();
        for (row, column) in (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column))) {
            let [x, y] = [place(column, 0) / width as f32, place(row, 1) / height as f32];
            colored(&mut vertices, [x, y, 0.5], color);
        }
        gpu.buffer_of(&vertices)
    };
    let colors = [0xff60_4020, 0xff40_e0ff];
    let [of_faces, of_edges] = [grid(colors[0])?, grid(colors[1])?];
    let mut indices = Vec::new();
    grid_indices(&mut indices, columns, rows, 0);
    let index_buffer = gpu.buffer_of(&indices)?;
    let draw = |program, vertices| Draw {
        vertices: Some(vertices),
        indices: Some(&index_buffer),
        ..Draw::new(program, indices.len() as u32)
    };
    let draws = [draw(&faces, &of_faces), draw(&edges, &of_edges)];
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    super::check("wires", &gpu.pixels(&target.color)?, width, 1.0, |x, y| {
        let [u, v] = [(x, 0), (y, 1)].map(|(at, axis)| (at as f32 + 0.2) / cell[axis] as f32);
        let outside = [(u, columns), (v, rows)].map(|(at, cells)| (-at).max(at - cells as f32));
        let outside = outside[0].max(outside[1]);
        if outside > 0.0 {
            return (outside > 0.3).then_some([0.0; 3]);
        }
        let [a, b] = cell.map(|pixels| pixels as f32);
        let away = |at: f32| (at - at.round()).abs();
        let distances = [away(u) * a, away(v) * b, away(u + v) * a * b / a.hypot(b)];
        let nearest = distances.into_iter().fold(f32::INFINITY, f32::min);
        match nearest {
            ..0.3 => Some(unpack(colors[1])),
            1.2.. => Some(unpack(colors[0])),
            _ => None,
        }
    })?;
    Ok(indices.len() as f64 / 3.0 / seconds / 1e6)
}
