//! Triangles: many small ones, meshes, multisampled edges, many draws.

use ash::vk;

use super::{check, extent, frame_seconds, pack, pattern, smooth_texture, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Draw, Graphics, Resources, State};

/// Position and colour.
const COLORED: [(vk::Format, u32); 2] = [(vk::Format::R32G32B32_SFLOAT, 0), (vk::Format::R8G8B8A8_UNORM, 12)];
pub(super) const COLORED_STRIDE: u32 = 16;

/// The state of draws with vertices of that kind.
pub(super) fn colored_state<'a>(vertex: &'a [u32], fragment: &'a [u32]) -> State<'a> {
    State { stride: COLORED_STRIDE, attributes: &COLORED, ..State::new(vertex, fragment) }
}

/// A vertex of that kind: x and y of 0 to 1 over the target.
pub(super) fn colored(vertices: &mut Vec<u32>, [x, y, z]: [f32; 3], color: u32) {
    vertices.extend([x * 2.0 - 1.0, y * 2.0 - 1.0, z].map(f32::to_bits));
    vertices.push(color);
}

/// The two triangles of each cell of a grid whose rows have `row` vertices, from vertex `first` on.
pub(super) fn grid_indices(indices: &mut Vec<u32>, columns: u32, rows: u32, first: u32) {
    let row = columns + 1;
    for y in 0..rows {
        for x in 0..columns {
            let a = first + y * row + x;
            indices.extend([a, a + 1, a + row, a + 1, a + row + 1, a + row]);
        }
    }
}

/// How far the first sheet of `triangles` is in front of the second.
fn wave(x: f32, y: f32) -> f32 {
    (x * 40.0).sin() * (y * 25.0).cos()
}

/// Half a million triangles of four pixels in two sheets that cut through each other.
pub(crate) fn triangles(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { depth: true, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let (columns, rows): (u32, u32) = scale.pick((472, 265), (50, 27));
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for sheet in 0..2u32 {
        grid_indices(&mut indices, columns, rows, sheet * (columns + 1) * (rows + 1));
        for j in 0..=rows {
            for i in 0..=columns {
                let (x, y) = (i as f32 / columns as f32, j as f32 / rows as f32);
                let z = if sheet == 0 { 0.5 - 0.3 * wave(x, y) } else { 0.5 };
                colored(&mut vertices, [x, y, z], pack([x, y, sheet as f32, 1.0]));
            }
        }
    }
    let (vertices, index_buffer) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    let draw = Draw {
        vertices: Some(&vertices),
        indices: Some(&index_buffer),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let [width, height] = target.color.extent;
    let unsure = scale.pick(0.05, 0.3);
    check("triangles", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        let (x, y) = ((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let ahead = wave(x, y);
        (ahead.abs() > unsure).then_some([x, y, if ahead > 0.0 { 0.0 } else { 1.0 }])
    })?;
    Ok(indices.len() as f64 / 3.0 / seconds / 1e6)
}

/// Points that a geometry shader makes rectangles of, which tile the target.
pub(crate) fn geometry(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    if !gpu.geometry() {
        return Err(Failure::Unsupported("no geometry shaders".to_owned()));
    }
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, geometry) = (stage!("triangle.vert"), stage!("sprite.geom"));
    let fragment = stage!("triangle.frag");
    let state = State { geometry: Some(&geometry), ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    // Sixteen columns for nine rows, as the shader has it.
    let columns: u32 = scale.pick(480, 64);
    let rows = columns * 9 / 16;
    let color = |i: u32, j: u32| [i as f32 / columns as f32, j as f32 / rows as f32, 0.5];
    let mut vertices = Vec::new();
    for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
        let [x, y, blue] = color(i, j);
        colored(&mut vertices, [x, y, 2.0 / columns as f32], pack([x, y, blue, 1.0]));
    }
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, columns * rows) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let [width, height] = target.color.extent;
    check("geometry", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        let cell = |at: u32, size: u32, count: u32| (at as f32 + 0.5) / size as f32 * count as f32;
        let (i, j) = (cell(x, width, columns), cell(y, height, rows));
        let is_sure = |at: f32| (0.01..0.99).contains(&at.fract());
        (is_sure(i) && is_sure(j)).then(|| color(i as u32, j as u32))
    })?;
    Ok(f64::from(2 * columns * rows) / seconds / 1e6)
}

/// Balls of `mesh`, as in the shader: centre and radius.
fn balls() -> Vec<([f32; 3], f32)> {
    let center = |i: i32| [(i & 3) as f32 - 1.5, (i >> 2) as f32 - 1.5, -5.0 - 0.4 * ((i * 7) & 3) as f32];
    (0..16).map(|i| (center(i), 0.8)).collect()
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: [f32; 3], b: [f32; 3], factor: f32) -> [f32; 3] {
    [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}

fn normalize(a: [f32; 3]) -> [f32; 3] {
    add([0.0; 3], a, 1.0 / dot(a, a).sqrt())
}

/// The first ball that a ray from the origin meets, and where.
fn hit(balls: &[([f32; 3], f32)], direction: [f32; 3]) -> Option<(usize, [f32; 3])> {
    let squared = dot(direction, direction);
    let mut best: Option<(usize, f32)> = None;
    for (i, (center, radius)) in balls.iter().enumerate() {
        let along = dot(direction, *center);
        let rest = along * along - squared * (dot(*center, *center) - radius * radius);
        if rest > 0.0 {
            let t = (along - rest.sqrt()) / squared;
            if best.is_none_or(|(_, other)| t < other) {
                best = Some((i, t));
            }
        }
    }
    best.map(|(i, t)| (i, add([0.0; 3], direction, t)))
}

/// What `mesh.frag` computes at a point of a ball.
fn lit(point: [f32; 3], normal: [f32; 3], base: [f32; 3]) -> [f32; 3] {
    let light = normalize(add([3.0, -4.0, 2.0], point, -1.0));
    let half = normalize(add(light, normalize(point), -1.0));
    let (diffuse, specular) = (dot(normal, light).max(0.0), dot(normal, half).max(0.0).powi(16));
    base.map(|base| base * (0.1 + 0.7 * diffuse) + 0.3 * specular)
}

/// Sixteen textured, lit balls of 16,384 triangles each.
pub(crate) fn mesh(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let source = smooth_texture(&graphics, false)?;
    let (vertex, fragment) = (stage!("mesh.vert"), stage!("mesh.frag"));
    let attributes = [(vk::Format::R32G32B32_SFLOAT, 0), (vk::Format::R32G32_SFLOAT, 12)];
    let state = State { stride: 20, attributes: &attributes, depth: true, ..State::new(&vertex, &fragment) };
    let bound = Resources { textures: &[(&source, gpu.sampler(true)?)], ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    let (columns, rows): (u32, u32) = (128, 64);
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    grid_indices(&mut indices, columns, rows, 0);
    for j in 0..=rows {
        for i in 0..=columns {
            let (u, v) = (i as f32 / columns as f32, j as f32 / rows as f32);
            let (longitude, latitude) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
            let ring = latitude.sin();
            vertices.extend([ring * longitude.cos(), latitude.cos(), ring * longitude.sin(), u, v]);
        }
    }
    let (vertices, index_buffer) = (gpu.buffer_of_floats(&vertices)?, gpu.buffer_of(&indices)?);
    let [width, height] = target.color.extent;
    let (focal, aspect) = (2.0, width as f32 / height as f32);
    let (near, far) = (1.0, 20.0);
    let projection = [
        [focal / aspect, 0.0, 0.0, 0.0],
        [0.0, focal, 0.0, 0.0],
        [0.0, 0.0, far / (near - far), -1.0],
        [0.0, 0.0, near * far / (near - far), 0.0],
    ];
    let draw = Draw {
        vertices: Some(&vertices),
        indices: Some(&index_buffer),
        instances: 16,
        push: projection.as_flattened(),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let balls = balls();
    let ray = |x: f32, y: f32| {
        let (x, y) = (x / width as f32 * 2.0 - 1.0, y / height as f32 * 2.0 - 1.0);
        hit(&balls, [x * aspect / focal, y / focal, -1.0])
    };
    check("mesh", &gpu.pixels(&target.color)?, width, 9.0, |x, y| {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let seen = ray(x, y);
        // Outlines are polygons, not circles.
        let around = [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
        if around.iter().any(|(dx, dy)| ray(x + dx, y + dy).map(|hit| hit.0) != seen.map(|hit| hit.0)) {
            return None;
        }
        let Some((ball, point)) = seen else { return Some([0.0; 3]) };
        let (center, radius) = balls[ball];
        let normal = add([0.0; 3], add(point, center, -1.0), 1.0 / radius);
        // The texture is pinched at the poles.
        if normal[1].abs() > 0.9 {
            return None;
        }
        let u = normal[2].atan2(normal[0]) / std::f32::consts::TAU;
        let v = normal[1].clamp(-1.0, 1.0).acos() / std::f32::consts::PI;
        let [red, green] = pattern(u, v);
        Some(lit(point, normal, [red, green, 0.0]).map(|value| value.min(1.0)))
    })?;
    Ok(1.0 / seconds)
}

/// Pixels of a side of the cells of `msaa`; each holds a few triangles.
const CELL: u32 = 32;
const CELL_TRIANGLES: usize = 4;

/// A triangle's corners in pixels, its depth and its colour.
pub(super) type Flat = ([[f32; 2]; 3], f32, u32);

/// Where samples lie in a pixel (Vulkan, "Standard sample locations").
pub(super) const SAMPLES: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// Which side of each edge of a triangle a point is on: `None` where too near to tell.
fn inside(corners: &[[f32; 2]; 3], point: [f32; 2]) -> Option<bool> {
    let mut signs = [false; 3];
    for (i, sign) in signs.iter_mut().enumerate() {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        let (edge, to) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
        let cross = edge[0] * to[1] - edge[1] * to[0];
        if cross.abs() < edge[0].hypot(edge[1]) / 32.0 {
            return None;
        }
        *sign = cross > 0.0;
    }
    Some(signs.iter().all(|sign| *sign == signs[0]))
}

/// Eight thousand triangles on four samples a pixel, with depth, resolved.
pub(crate) fn msaa(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 4)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { depth: true, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let [width, height] = target.color.extent;
    let (columns, rows) = (width / CELL, height / CELL);
    let mut random = Random::new(21);
    let mut vertices = Vec::new();
    let mut cells: Vec<Vec<Flat>> = Vec::new();
    for cell in 0..columns * rows {
        let origin = [cell % columns * CELL, cell / columns * CELL];
        let mut triangles = Vec::new();
        for i in 0..CELL_TRIANGLES {
            // Corners on sixteenths of a pixel, which every driver's fixed point has.
            let mut corner = || origin.map(|o| o as f32 + random.below(CELL * 16) as f32 / 16.0);
            let corners = [corner(), corner(), corner()];
            let color = random.word() | 0xff00_0000;
            let z = 0.1 + 0.2 * ((i as u32 * 3 + cell) % 4) as f32;
            for [x, y] in corners {
                colored(&mut vertices, [x / width as f32, y / height as f32, z], color);
            }
            triangles.push((corners, z, color));
        }
        cells.push(triangles);
    }
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    check("msaa", &gpu.pixels(&target.color)?, width, 1.5, |x, y| {
        let (column, row) = (x / CELL, y / CELL);
        if column >= columns || row >= rows {
            return Some([0.0; 3]);
        }
        let mut sum = [0.0; 3];
        for sample in SAMPLES {
            let point = [x as f32 + sample[0], y as f32 + sample[1]];
            let mut seen: Option<(f32, u32)> = None;
            for (corners, z, color) in &cells[(row * columns + column) as usize] {
                if inside(corners, point)? && seen.is_none_or(|(nearest, _)| *z < nearest) {
                    seen = Some((*z, *color));
                }
            }
            let color = seen.map_or(0, |(_, color)| color);
            sum = std::array::from_fn(|i| sum[i] + ((color >> (8 * i)) & 255) as f32 / 255.0 / 4.0);
        }
        Some(sum)
    })?;
    Ok(1.0 / seconds)
}

/// Five thousand draws of one small rectangle, each with push constants of its own.
pub(crate) fn draws(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let (vertex, fragment) = (stage!("quad.vert"), stage!("flat.frag"));
    let attributes = [(vk::Format::R32G32_SFLOAT, 0)];
    let state = State { stride: 8, attributes: &attributes, depth: true, ..State::new(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let corners = gpu.buffer_of_floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])?;
    let indices = gpu.buffer_of(&[0, 1, 2, 1, 3, 2])?;
    let (columns, rows): (u32, u32) = scale.pick((100, 50), (20, 9));
    let color = |column: u32, row: u32| {
        [(column % 10) as f32 / 9.0, (row % 10) as f32 / 9.0, ((column + row) % 3) as f32 / 2.0]
    };
    let cell = [2.0 / columns as f32, 2.0 / rows as f32];
    let pushes: Vec<_> = (0..columns * rows)
        .map(|i| {
            let (column, row) = (i % columns, i / columns);
            let [red, green, blue] = color(column, row);
            let (x, y) = (column as f32 * cell[0] - 1.0, row as f32 * cell[1] - 1.0);
            [red, green, blue, 1.0, x, y, 0.5, 0.0, cell[0] * 0.8, cell[1] * 0.8]
        })
        .collect();
    let draws: Vec<_> = pushes
        .iter()
        .map(|push| Draw {
            push,
            vertices: Some(&corners),
            indices: Some(&indices),
            ..Draw::new(&program, 6)
        })
        .collect();
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;

    let [width, height] = target.color.extent;
    check("draws", &gpu.pixels(&target.color)?, width, 0.5, |x, y| {
        let u = (x as f32 + 0.5) / width as f32 * columns as f32;
        let v = (y as f32 + 0.5) / height as f32 * rows as f32;
        let far = u.fract().max(v.fract());
        match far {
            _ if (far - 0.8).abs() < 0.02 => None,
            _ if far < 0.8 => Some(color(u as u32, v as u32)),
            _ => Some([0.0; 3]),
        }
    })?;
    Ok(draws.len() as f64 / seconds / 1e3)
}
