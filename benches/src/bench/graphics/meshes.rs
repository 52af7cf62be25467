//! Meshes as programs have them: moved by bones, with wide interfaces, in crowds, as fans, as paths, as the
//! windows of a user interface.

use ash::vk;

use super::geometry::{colored, colored_state, grid_indices};
use super::sweep::{LAYERS, blue, meshes};
use super::{check, extent, frame_seconds, pack, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State, Stencil};
use crate::gpu::image::Role;

/// Bones of `skinned`.
const BONES: u32 = 64;

/// A mesh of triangles of eight pixels whose vertices four bones each move, in millions a second.
pub(crate) fn skinned(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let mut random = Random::new(71);
    // Each bone scales all by one factor, and moves.
    let bones: Vec<[f32; 4]> = (0..BONES)
        .map(|_| {
            std::array::from_fn(|i| if i == 0 { random.float(0.5, 1.5) } else { random.float(-0.5, 0.5) })
        })
        .collect();
    let mut matrices = Vec::new();
    for [factor, x, y, z] in &bones {
        matrices.extend([*factor, 0.0, 0.0, *x, 0.0, *factor, 0.0, *y, 0.0, 0.0, *factor, *z]);
    }
    let matrices = gpu.buffer_of_floats(&matrices)?;
    let (vertex, fragment) = (stage!("skinned.vert"), stage!("triangle.frag"));
    let attributes = [
        (vk::Format::R32G32B32_SFLOAT, 0),
        (vk::Format::R8G8B8A8_UINT, 12),
        (vk::Format::R8G8B8A8_UNORM, 16),
        (vk::Format::R8G8B8A8_UNORM, 20),
    ];
    let state = State { stride: 24, attributes: &attributes, depth: true, ..State::new(&vertex, &fragment) };
    let program =
        graphics.program(&target, &state, &Resources { buffers: &[&matrices], ..Resources::default() })?;
    let (columns, rows): (u32, u32) = scale.pick((480, 270), (25, 13));
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    grid_indices(&mut indices, columns, rows, 0);
    for (i, j) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (i, j))) {
        let [x, y] = [i as f32 / columns as f32, j as f32 / rows as f32];
        let joints: [u32; 4] = std::array::from_fn(|_| random.below(BONES));
        let weights = [120, 70, 40, 25];
        let sum = |part: usize| -> f32 {
            joints
                .iter()
                .zip(weights)
                .map(|(&joint, weight)| bones[joint as usize][part] * weight as f32)
                .sum::<f32>()
                / 255.0
        };
        // What the bones move to the vertex's place.
        let place = [x * 2.0 - 1.0, y * 2.0 - 1.0, 0.5];
        vertices.extend([0, 1, 2].map(|axis| ((place[axis] - sum(axis + 1)) / sum(0)).to_bits()));
        let bytes = |values: [u32; 4]| (0..).zip(values).map(|(i, value)| value << (8 * i)).sum::<u32>();
        vertices.extend([bytes(joints), bytes(weights), pack([x, y, 0.5, 1.0])]);
    }
    let (vertices, index_buffer) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    let draw = Draw {
        vertices: Some(&vertices),
        indices: Some(&index_buffer),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    let [width, height] = target.color.extent;
    check("skinned", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        Some([(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5])
    })?;
    Ok(indices.len() as f64 / 3.0 / seconds / 1e6)
}

/// Triangles of 100 pixels between whose stages twelve vectors pass, in millions a second.
pub(crate) fn varyings(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("wide.vert"), stage!("wide.frag"));
    let program = graphics.program(&target, &colored_state(&vertex, &fragment), &Resources::default())?;
    let [width, height] = target.color.extent;
    let vertices = meshes(100, [width, height], &LAYERS, 1.0);
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    check("varyings", &gpu.pixels(&target.color)?, width, 2.0, |x, y| {
        let last = blue(LAYERS[LAYERS.len() - 1]);
        Some([(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, last])
    })?;
    Ok(f64::from(count) / 3.0 / seconds / 1e6)
}

/// Instances of a mesh of 100 triangles, each turned and in its distance, over each other, with depth; in
/// millions of triangles a second.
pub(crate) fn crowd(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), true, 1)?;
    let (vertex, fragment) = (stage!("crowd.vert"), stage!("triangle.frag"));
    let instanced = [
        (vk::Format::R32G32B32A32_SFLOAT, 0),
        (vk::Format::R32G32_SFLOAT, 16),
        (vk::Format::R8G8B8A8_UNORM, 24),
    ];
    let state = State {
        stride: 8,
        attributes: &[(vk::Format::R32G32_SFLOAT, 0)],
        instanced: Some((28, &instanced)),
        depth: true,
        ..State::new(&vertex, &fragment)
    };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let [width, height] = target.color.extent;
    let (columns, rows): (u32, u32) = scale.pick((128, 72), (8, 4));
    let (mut corners, mut indices) = (Vec::new(), Vec::new());
    grid_indices(&mut indices, 10, 5, 0);
    for (i, j) in (0..=5).flat_map(|j| (0..=10).map(move |i| (i, j))) {
        corners.extend([i as f32 / 10.0 - 0.5, j as f32 / 5.0 - 0.5]);
    }
    let (focal, near, far) = (2.0, 1.0, 20.0);
    let aspect = width as f32 / height as f32;
    let projection = [
        [focal / aspect, 0.0, 0.0, 0.0],
        [0.0, focal, 0.0, 0.0],
        [0.0, 0.0, far / (near - far), -1.0],
        [0.0, 0.0, near * far / (near - far), 0.0],
    ];
    let distance = |column: u32, row: u32| 2.0 + ((column * 3 + row * 5) % 16) as f32 * 0.25;
    let color = |column: u32, row: u32| (column * 0x0001_0b07 + row * 0x0003_1d11) | 0xff00_0000;
    // Each reaches 1.1 cells from its middle, as seen.
    let reach = 1.1 * height as f32 / rows as f32;
    let middle = |at: u32, count: u32, size: u32| (at as f32 + 0.5) / count as f32 * size as f32;
    let mut instances = Vec::new();
    for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
        let distance = distance(column, row);
        let ndc = [middle(column, columns, width) / width as f32, middle(row, rows, height) / height as f32]
            .map(|at| at * 2.0 - 1.0);
        let size = 2.0 * reach / height as f32 * 2.0 * distance / focal;
        let place = [ndc[0] * distance * aspect / focal, ndc[1] * distance / focal, -distance, size];
        let turn = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0f32, -1.0f32]][((column + row) % 4) as usize];
        instances.extend(place.into_iter().chain(turn).map(f32::to_bits));
        instances.push(color(column, row));
    }
    let (corners, index_buffer) = (gpu.buffer_of_floats(&corners)?, gpu.buffer_of(&indices)?);
    let instances = gpu.buffer_of(&instances)?;
    let draw = Draw {
        vertices: Some(&corners),
        indices: Some(&index_buffer),
        instances: columns * rows,
        instanced: Some(&instances),
        push: projection.as_flattened(),
        ..Draw::new(&program, indices.len() as u32)
    };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;
    check("crowd", &gpu.pixels(&target.color)?, width, 1.0, |x, y| {
        let [x, y] = [x as f32 + 0.5, y as f32 + 0.5];
        // The nearest, and whether another is as near or an edge is too near to tell.
        let mut seen: Option<(f32, u32)> = None;
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
            let away = (x - middle(column, columns, width)).abs().max((y - middle(row, rows, height)).abs());
            if (away - reach).abs() < 0.6 {
                return None;
            }
            if away > reach {
                continue;
            }
            let distance = distance(column, row);
            match seen {
                Some((nearest, _)) if (nearest - distance).abs() < 1e-3 => return None,
                Some((nearest, _)) if nearest < distance => {}
                _ => seen = Some((distance, color(column, row))),
            }
        }
        let color = seen.map_or(0, |(_, color)| color);
        Some([0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0))
    })?;
    Ok(f64::from(columns * rows) * indices.len() as f64 / 3.0 / seconds / 1e6)
}

/// Fans of slivers, from the target's middle to a width of two pixels at its border, in millions of triangles
/// a second.
pub(crate) fn fan(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let program = graphics.program(&target, &colored_state(&vertex, &fragment), &Resources::default())?;
    let [width, height] = target.color.extent;
    let mut border: Vec<[u32; 2]> = Vec::new();
    border.extend((0..width).step_by(2).map(|x| [x, 0]));
    border.extend((0..height).step_by(2).map(|y| [width, y]));
    border.extend((0..width).step_by(2).map(|x| [width - x, height]));
    border.extend((0..height).step_by(2).map(|y| [0, height - y]));
    let mut vertices = Vec::new();
    for (i, &[x, y]) in border.iter().enumerate() {
        let [next_x, next_y] = border[(i + 1) % border.len()];
        for [x, y] in
            [[width as f32 / 2.0, height as f32 / 2.0], [x as f32, y as f32], [next_x as f32, next_y as f32]]
        {
            let [x, y] = [x / width as f32, y / height as f32];
            colored(&mut vertices, [x, y, 0.5], pack([x, y, 0.5, 1.0]));
        }
    }
    let count = vertices.len() as u32 / 4;
    let vertices = gpu.buffer_of(&vertices)?;
    let draws = [Draw { vertices: Some(&vertices), ..Draw::new(&program, count) }; 3];
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    check("fan", &gpu.pixels(&target.color)?, width, 3.0, |x, y| {
        Some([(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32, 0.5])
    })?;
    Ok(f64::from(count) * draws.len() as f64 / 3.0 / seconds / 1e6)
}

/// Pixels of the cells of `paths`.
const PATH_CELL: [u32; 2] = [96, 108];
/// Corners of a path.
const PATH_CORNERS: u32 = 48;

/// Stars of 48 corners, filled by the stencil: triangles invert it, a rectangle covers what is odd. In
/// thousands a second.
pub(crate) fn paths(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let attachments = Attachments { depth: Some(vk::Format::D32_SFLOAT_S8_UINT), ..Attachments::default() };
    let target = graphics.target_of(extent(scale), attachments)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = |stencil| State { stencil, ..colored_state(&vertex, &fragment) };
    let fills = graphics.program(&target, &state(Stencil::Invert), &Resources::default())?;
    let covers = graphics.program(&target, &state(Stencil::Cover), &Resources::default())?;
    let [width, height] = target.color.extent;
    let (columns, rows) = ((width / PATH_CELL[0]).max(1), (height / PATH_CELL[1]).max(1));
    let mut random = Random::new(73);
    let (mut vertices, mut stars) = (Vec::new(), Vec::new());
    let of_target = |[x, y]: [f32; 2]| [x / width as f32, y / height as f32, 0.5];
    for cell in 0..columns * rows {
        let origin = [cell % columns * PATH_CELL[0], cell / columns * PATH_CELL[1]].map(|at| at as f32);
        let corners: Vec<[f32; 2]> = (0..PATH_CORNERS)
            .map(|corner| {
                let radius =
                    if corner % 2 == 0 { random.float(38.0, 46.0) } else { random.float(10.0, 30.0) };
                let angle = corner as f32 / PATH_CORNERS as f32 * std::f32::consts::TAU;
                [origin[0] + 48.0 + radius * angle.cos(), origin[1] + 54.0 + radius * angle.sin()]
            })
            .collect();
        let color = random.word() | 0xff00_0000;
        for i in 1..corners.len() - 1 {
            for corner in [corners[0], corners[i], corners[i + 1]] {
                colored(&mut vertices, of_target(corner), color);
            }
        }
        for [x, y] in [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]] {
            let place = [origin[0] + (x * PATH_CELL[0]) as f32, origin[1] + (y * PATH_CELL[1]) as f32];
            colored(&mut vertices, of_target(place), color);
        }
        stars.push((corners, color));
    }
    let buffer = gpu.buffer_of(&vertices)?;
    let (fill, cover) = ((PATH_CORNERS - 2) * 3, 6);
    let draws: Vec<_> = (0..columns * rows)
        .flat_map(|cell| {
            let first = cell * (fill + cover);
            let draw =
                |program, first, count| Draw { vertices: Some(&buffer), first, ..Draw::new(program, count) };
            [draw(&fills, first, fill), draw(&covers, first + fill, cover)]
        })
        .collect();
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    check("paths", &gpu.pixels(&target.color)?, width, 1.0, |x, y| {
        let (column, row) = (x / PATH_CELL[0], y / PATH_CELL[1]);
        if column >= columns || row >= rows {
            return Some([0.0; 3]);
        }
        let (corners, color) = &stars[(row * columns + column) as usize];
        let [x, y] = [x as f32 + 0.5, y as f32 + 0.5];
        let mut is_inside = false;
        for (i, &[x0, y0]) in corners.iter().enumerate() {
            let [x1, y1] = corners[(i + 1) % corners.len()];
            let (along, across) = ([x1 - x0, y1 - y0], [x - x0, y - y0]);
            let length = along[0].hypot(along[1]);
            let t = ((across[0] * along[0] + across[1] * along[1]) / length / length).clamp(0.0, 1.0);
            if (across[0] - t * along[0]).hypot(across[1] - t * along[1]) < 0.1 {
                return None;
            }
            if (y0 > y) != (y1 > y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0) {
                is_inside = !is_inside;
            }
        }
        Some(if is_inside { [0, 1, 2].map(|i| (color >> (8 * i) & 255) as f32 / 255.0) } else { [0.0; 3] })
    })?;
    Ok(f64::from(columns * rows) / seconds / 1e3)
}

/// A rectangle of a window: place and size in pixels, colour, and whether half of it shows.
type Piece = ([u32; 4], u32, bool);

/// Windows of a user interface, each a frame, a picture and letters in draws of their own with a scissor,
/// from one buffer and two textures; in thousands of draws a second.
pub(crate) fn windows(gpu: &Gpu, scale: Scale) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), false, 1)?;
    let (vertex, fragment) = (stage!("glyph.vert"), stage!("glyph.frag"));
    let attributes =
        [(vk::Format::R32G32_SFLOAT, 0), (vk::Format::R32G32_SFLOAT, 8), (vk::Format::R8G8B8A8_UNORM, 16)];
    let blend = Blend::Alpha;
    let state = State { stride: 20, attributes: &attributes, blend, ..State::new(&vertex, &fragment) };
    // Alphas of 1, and of a half.
    let sampler = gpu.sampler(true)?;
    let half = pack([1.0, 1.0, 1.0, 0.5]);
    let sources = [u32::MAX, half].map(|texel| gpu.texture(Role::Sampled, [64; 2], 1, &[texel; 64 * 64]));
    let [opaque, faint] = sources;
    let (opaque, faint) = (opaque?, faint?);
    let program = |texture| {
        let textures = [(texture, sampler)];
        graphics.program(&target, &state, &Resources { textures: &textures, ..Resources::default() })
    };
    let programs = [program(&opaque)?, program(&faint)?];
    let [width, height] = target.color.extent;
    let cell = [48, 27];
    let mut random = Random::new(74);
    let (mut vertices, mut indices, mut draws) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = vec![[0.0; 3]; (width * height) as usize];
    let (columns, rows) = (width / cell[0], height / cell[1]);
    for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
        let [left, top] = [column * cell[0], row * cell[1]];
        let mut color = || random.word() | 0xff00_0000;
        let frame: Vec<Piece> = vec![
            ([left + 1, top + 1, 46, 25], color(), false),
            ([left + 1, top + 1, 46, 1], color(), false),
            ([left + 1, top + 25, 46, 1], color(), false),
            ([left + 1, top + 1, 1, 25], color(), false),
            ([left + 46, top + 1, 1, 25], color(), false),
        ];
        let picture = vec![([left + 3, top + 3, 20, 20], color(), false)];
        let letters: Vec<Piece> =
            (0..12).map(|i| ([left + 24 + i % 4 * 6, top + 4 + i / 4 * 7, 5, 6], color(), true)).collect();
        // What is cut: a pixel of the frame, two of the picture, the last letters' right halves.
        let scissors = [[left, top, 47, 26], [left + 3, top + 3, 18, 20], [left + 24, top + 4, 20, 20]];
        for (pieces, scissor) in [frame, picture, letters].into_iter().zip(scissors) {
            let (first, program) = (indices.len() as u32, &programs[usize::from(pieces[0].2)]);
            for ([x, y, wide, high], color, is_faint) in pieces {
                let corner = vertices.len() as u32 / 5;
                for [right, down] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
                    let at =
                        [(x + right * wide) as f32 / width as f32, (y + down * high) as f32 / height as f32];
                    let uv = [0.25 + 0.5 * right as f32, 0.25 + 0.5 * down as f32];
                    vertices.extend([at[0] * 2.0 - 1.0, at[1] * 2.0 - 1.0, uv[0], uv[1]].map(f32::to_bits));
                    vertices.push(color);
                }
                indices.extend([0, 1, 2, 1, 3, 2].map(|index| corner + index));
                let alpha = if is_faint { (half >> 24) as f32 / 255.0 } else { 1.0 };
                let ([x0, x1], [y0, y1]) = (
                    [x.max(scissor[0]), (x + wide).min(scissor[0] + scissor[2])],
                    [y.max(scissor[1]), (y + high).min(scissor[1] + scissor[3])],
                );
                for (x, y) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))) {
                    let there: &mut [f32; 3] = &mut seen[(y * width + x) as usize];
                    *there = std::array::from_fn(|i| {
                        (color >> (8 * i) & 255) as f32 / 255.0 * alpha + there[i] * (1.0 - alpha)
                    });
                }
            }
            let count = indices.len() as u32 - first;
            draws.push(Draw { first, scissor: Some(scissor), ..Draw::new(program, count) });
        }
    }
    let (vertices, indices) = (gpu.buffer_of(&vertices)?, gpu.buffer_of(&indices)?);
    for draw in &mut draws {
        (draw.vertices, draw.indices) = (Some(&vertices), Some(&indices));
    }
    let seconds = frame_seconds(&graphics, scale, &target, &draws)?;
    check("windows", &gpu.pixels(&target.color)?, width, 2.0, |x, y| Some(seen[(y * width + x) as usize]))?;
    Ok(draws.len() as f64 / seconds / 1e3)
}
