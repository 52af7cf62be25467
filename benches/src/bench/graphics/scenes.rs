//! What programs draw beside large meshes: lines, user interfaces, many instances, stencil masks.

use ash::vk;

use super::geometry::{colored, colored_state};
use super::{check, extent, frame_seconds, pack, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State, Stencil, Topology};

/// Lines of width 1 and 20 pixels, each in a cell of its own, in millions a second.
pub(crate) fn lines(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    lines_in(gpu, scale, [24, 12], 1)
}

/// The same of 235 pixels and more.
pub(crate) fn lines_long(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    lines_in(gpu, scale, scale.pick([240, 120], [48, 24]), scale.pick(40, 1))
}

/// Lines in cells of so many pixels, all of them so many times in a draw.
fn lines_in(gpu: &Gpu, scale: Scale, cell_size: [u32; 2], times: usize) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { topology: Topology::Lines, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let size = target.color.extent;
    let cells = [size[0] / cell_size[0], size[1] / cell_size[1]];
    let mut random = Random::new(51);
    let (mut vertices, mut lines) = (Vec::new(), Vec::new());
    for cell in 0..cells[0] * cells[1] {
        let origin = [cell % cells[0] * cell_size[0], cell / cells[0] * cell_size[1]].map(|at| at as f32);
        // From the cell's left to its right.
        let mut end =
            |x: f32| [origin[0] + x, origin[1] + 2.0 + random.below((cell_size[1] - 4) * 16) as f32 / 16.0];
        let ends = [end(2.25), end(cell_size[0] as f32 - 2.25)];
        let color = random.word() | 0xff00_0000;
        for [x, y] in ends {
            colored(&mut vertices, [x / size[0] as f32, y / size[1] as f32, 0.5], color);
        }
        lines.push((ends, color));
    }
    let count = (lines.len() * times) as u32;
    let vertices = gpu.buffer_of(&vertices.repeat(times))?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, 2 * count) };
    let draws = [draw; 4];
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;

    check("lines", &gpu.pixels(&target.color)?, size[0], 1.0, |x, y| {
        let (column, row) = (x / cell_size[0], y / cell_size[1]);
        if column >= cells[0] || row >= cells[1] {
            return Some([0.0; 3]);
        }
        let ([[x0, y0], [x1, y1]], color) = lines[(row * cells[0] + column) as usize];
        let [x, y] = [x as f32 + 0.5, y as f32 + 0.5];
        let away = (y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))).abs();
        if x < x0 - 1.0 || x > x1 + 1.0 || away > 1.2 {
            Some([0.0; 3])
        } else if x > x0 + 1.0 && x < x1 - 1.0 && away < 0.4 {
            Some([0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0))
        } else {
            None
        }
    })?;
    Ok(f64::from(count) * draws.len() as f64 / seconds / 1e6)
}

/// Rectangles of a user interface, each with push constants and a scissor of its own that cuts a part of it,
/// in thousands a second.
pub(crate) fn interface(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("quad.vert"), stage!("flat.frag"));
    let attributes = [(vk::Format::R32G32_SFLOAT, 0)];
    let state =
        State { stride: 8, attributes: &attributes, blend: Blend::Alpha, ..State::new(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let corners = gpu.buffer_of_floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])?;
    let indices = gpu.buffer_of(&[0, 1, 2, 1, 3, 2])?;
    let size = target.color.extent;
    // Cells of 20 by 20 pixels: rectangles of 16 by 16, of which 12 by 16 are in the scissor.
    let (cell, columns, rows) = (20, size[0] / 20, size[1] / 20);
    let color = |column: u32, row: u32| {
        [(column % 10) as f32 / 9.0, (row % 10) as f32 / 9.0, ((column + row) % 3) as f32 / 2.0]
    };
    let pixels = [2.0 / size[0] as f32, 2.0 / size[1] as f32];
    let places: Vec<_> = (0..columns * rows).map(|i| (i % columns, i / columns)).collect();
    let pushes: Vec<_> = places
        .iter()
        .map(|&(column, row)| {
            let [red, green, blue] = color(column, row);
            let at = [column, row].map(|at| (at * cell) as f32);
            let (x, y) = (at[0] * pixels[0] - 1.0, at[1] * pixels[1] - 1.0);
            [red, green, blue, 1.0, x, y, 0.5, 0.0, 16.0 * pixels[0], 16.0 * pixels[1]]
        })
        .collect();
    let draws: Vec<_> = places
        .iter()
        .zip(&pushes)
        .map(|(&(column, row), push)| Draw {
            push,
            vertices: Some(&corners),
            indices: Some(&indices),
            scissor: Some([column * cell, row * cell, 12, 16]),
            ..Draw::new(&program, 6)
        })
        .collect();
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;

    check("interface", &gpu.pixels(&target.color)?, size[0], 0.5, |x, y| {
        let (column, row) = (x / cell, y / cell);
        let is_inside = column < columns && row < rows && x % cell < 12 && y % cell < 16;
        Some(if is_inside { color(column, row) } else { [0.0; 3] })
    })?;
    Ok(draws.len() as f64 / seconds / 1e3)
}

/// Ten thousand instances of a mesh of 100 triangles, in millions of triangles a second.
pub(crate) fn instances(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let (vertex, fragment) = (stage!("instanced.vert"), stage!("triangle.frag"));
    let attributes = [(vk::Format::R32G32_SFLOAT, 0)];
    let state = State { stride: 8, attributes: &attributes, depth: true, ..State::new(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let (columns, rows) = (10, 5);
    let (mut corners, mut indices) = (Vec::new(), Vec::new());
    super::geometry::grid_indices(&mut indices, columns, rows, 0);
    for j in 0..=rows {
        for i in 0..=columns {
            corners.extend([i as f32 / columns as f32, j as f32 / rows as f32]);
        }
    }
    let (corners, index_buffer) = (gpu.buffer_of_floats(&corners)?, gpu.buffer_of(&indices)?);
    let instances = 100 * 100;
    let draw = Draw {
        vertices: Some(&corners),
        indices: Some(&index_buffer),
        instances,
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    check("instances", &gpu.pixels(&target.color)?, width, 1.0, |x, y| {
        Some([(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5])
    })?;
    Ok(f64::from(instances) * indices.len() as f64 / 3.0 / seconds / 1e6)
}

/// Masks of eight values, each written by triangles and then drawn through, in masks a second.
pub(crate) fn stencil(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let attachments = Attachments { depth: Some(vk::Format::D32_SFLOAT_S8_UINT), ..Attachments::default() };
    let target = graphics.target_of(extent(scale), attachments)?;
    let (mesh, screen) = (stage!("triangle.vert"), stage!("screen.vert"));
    let (shaded, flat) = (stage!("triangle.frag"), stage!("flat.frag"));
    let [width, height] = target.color.extent;
    // Columns of rectangles, of which each eighth is of a mask.
    let (columns, rows) = (48, 20);
    let mut programs = Vec::new();
    for value in 0..8 {
        let mut vertices = Vec::new();
        for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
            if (i + j) % 8 != value {
                continue;
            }
            let x = [i, i + 1].map(|i| i as f32 / columns as f32);
            let y = [j, j + 1].map(|j| j as f32 / rows as f32);
            for [a, b] in [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]] {
                colored(&mut vertices, [x[a], y[b], 0.5], pack([0.0, 0.0, 0.0, 1.0]));
            }
        }
        let state = State { stencil: Stencil::Write(value + 1), ..colored_state(&mesh, &shaded) };
        let writes = graphics.program(&target, &state, &Resources::default())?;
        let state = State { stencil: Stencil::Equal(value + 1), ..State::new(&screen, &flat) };
        let tests = graphics.program(&target, &state, &Resources::default())?;
        let count = vertices.len() as u32 / 4;
        programs.push((writes, gpu.buffer_of(&vertices)?, count, tests));
    }
    let color = |value: u32| [value as f32 / 8.0, 1.0 - value as f32 / 8.0, 0.5];
    let pushes: Vec<_> = (0..8)
        .map(|value| {
            let [red, green, blue] = color(value);
            [red, green, blue, 1.0, 0.0, 0.0, 0.0, 0.0]
        })
        .collect();
    let mut draws = Vec::new();
    for ((writes, vertices, count, tests), push) in programs.iter().zip(&pushes) {
        draws.push(Draw { vertices: Some(vertices), ..Draw::new(writes, *count) });
        draws.push(Draw { push, ..Draw::new(tests, 3) });
    }
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    check("stencil", &gpu.pixels(&target.color)?, width, 1.0, |x, y| {
        let cell = |at: u32, size: u32, count: u32| (at as f32 + 0.5) / size as f32 * count as f32;
        let (i, j) = (cell(x, width, columns), cell(y, height, rows));
        let is_sure = |at: f32| (0.02..0.98).contains(&at.fract());
        (is_sure(i) && is_sure(j)).then(|| color((i as u32 + j as u32) % 8))
    })?;
    Ok(pushes.len() as f64 / seconds)
}
