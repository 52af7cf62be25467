//! Triangles of one size and shape each, at random places and angles, flat and on top of each other.

use std::f32::consts::TAU;

use super::geometry::{Flat, colored, colored_state};
use super::{check_most, extent, frame_seconds, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Draw, Graphics, Resources, State};

/// Layers of triangles over the target.
const LAYERS: f32 = 3.0;
/// Most triangles of a draw.
const TRIANGLES_MAX: u32 = 200_000;

/// Right-angled triangles whose shorter sides have these lengths, in tenths of a pixel, on so many samples a
/// pixel; `DEPTH` with a depth test that random depths pass or fail. Millions of triangles a second.
pub(crate) fn shape<const LONG: u32, const SHORT: u32, const SAMPLES: u32, const DEPTH: bool>(
    gpu: &Gpu,
    scale: Scale,
) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let target = graphics.target(extent(scale), DEPTH, SAMPLES)?;
    let (vertex, fragment) = (stage!("triangle.vert"), stage!("triangle.frag"));
    let state = State { depth: DEPTH, ..colored_state(&vertex, &fragment) };
    let program = graphics.program(&target, &state, &Resources::default())?;
    let size = target.color.extent.map(|pixels| pixels as f32);
    let (long, short) = (LONG as f32 / 10.0, SHORT as f32 / 10.0);
    let count = ((LAYERS * size[0] * size[1] / (long * short / 2.0)) as u32).clamp(1, TRIANGLES_MAX);
    let mut random = Random::new(33);
    let mut vertices = Vec::new();
    let mut triangles: Vec<Flat> = Vec::new();
    for index in 0..count {
        let angle = TAU * random.below(1 << 16) as f32 / 65536.0;
        let (sin, cos) = angle.sin_cos();
        let center = size.map(|pixels| random.below((pixels * UNITS) as u32) as f32 / UNITS);
        let place = |along: f32, across: f32| {
            let [u, v] = [(along - 0.5) * long, (across - 0.5) * short];
            // Corners on sixteenths of a pixel, which every driver's fixed point has.
            [center[0] + u * cos - v * sin, center[1] + u * sin + v * cos]
                .map(|at| (at * UNITS).round() / UNITS)
        };
        let corners = [place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0)];
        let color = random.word() | 0xff00_0000;
        // Each has a depth of its own.
        let depth = if DEPTH { (index * 7919 % count) as f32 / count as f32 } else { 0.5 };
        for [x, y] in corners {
            colored(&mut vertices, [x / size[0], y / size[1], depth], color);
        }
        triangles.push((corners, depth, color));
    }
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, 3 * count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let seen = painted::<SAMPLES>(&triangles, target.color.extent);
    let width = target.color.extent[0];
    // Other drivers have fewer sub-pixel bits than Vulkan's samples ask for, or round edges of long
    // triangles.
    check_most("shape", &gpu.pixels(&target.color)?, width, 1.5, 0.25, |x, y| {
        let samples = &seen[((y * width + x) * SAMPLES) as usize..][..SAMPLES as usize];
        let channel = |index: usize| -> f32 {
            samples.iter().map(|(color, _)| ((color >> (8 * index)) & 255) as f32 / 255.0).sum()
        };
        Some(std::array::from_fn(|index| channel(index) / SAMPLES as f32))
    })?;
    Ok(f64::from(count) / seconds / 1e6)
}

/// Units of corners and of samples in a pixel.
const UNITS: f32 = 16.0;

/// Colour and depth of each sample: of the nearest triangle, or of the last one.
fn painted<const SAMPLES: u32>(triangles: &[Flat], [width, height]: [u32; 2]) -> Vec<(u32, f32)> {
    let mut samples = vec![(0, 2.0_f32); (width * height * SAMPLES) as usize];
    let places: &[[f32; 2]] = if SAMPLES == 1 { &[[0.5; 2]] } else { &super::geometry::SAMPLES };
    for (corners, depth, color) in triangles {
        let exact = Exact::new(corners);
        let [mut top, mut bottom] = [f32::MAX, f32::MIN];
        for [_, y] in corners {
            (top, bottom) = (top.min(*y), bottom.max(*y));
        }
        for y in top.max(0.0) as u32..((bottom + 1.0).max(0.0) as u32).min(height) {
            let Some([left, right]) = span(corners, y as f32, y as f32 + 1.0) else { continue };
            for x in left.max(0.0) as u32..((right + 1.0).max(0.0) as u32).min(width) {
                for (index, [dx, dy]) in (0..).zip(places) {
                    let at = ((y * width + x) * SAMPLES + index) as usize;
                    if *depth <= samples[at].1 && exact.covers([x as f32 + dx, y as f32 + dy]) {
                        samples[at] = (*color, *depth);
                    }
                }
            }
        }
    }
    samples
}

/// A triangle in whole units, whose coverage is exact.
struct Exact([[i64; 2]; 3]);

impl Exact {
    fn new(corners: &[[f32; 2]; 3]) -> Exact {
        let [a, b, c] = corners.map(|corner| corner.map(|at| (at * UNITS) as i64));
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        Exact(if area < 0 { [a, c, b] } else { [a, b, c] })
    }

    /// Vulkan, "Basic Polygon Rasterization": inside, or on an edge at the top or on the left.
    fn covers(&self, point: [f32; 2]) -> bool {
        let [x, y] = point.map(|at| (at * UNITS) as i64);
        let Exact(corners) = self;
        let degenerate = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
        !degenerate
            && (0..3).all(|index| {
                let ([ax, ay], [bx, by]) = (corners[index], corners[(index + 1) % 3]);
                let edge = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
                edge > 0 || (edge == 0 && (by < ay || (by == ay && bx > ax)))
            })
    }
}

/// The least and the greatest x of a triangle between two heights.
fn span(corners: &[[f32; 2]; 3], top: f32, bottom: f32) -> Option<[f32; 2]> {
    let mut found: Option<[f32; 2]> = None;
    let mut add = |x: f32| {
        let [left, right] = found.unwrap_or([x; 2]);
        found = Some([left.min(x), right.max(x)]);
    };
    for (index, &[x, y]) in corners.iter().enumerate() {
        let [to_x, to_y] = corners[(index + 1) % 3];
        if (top..=bottom).contains(&y) {
            add(x);
        }
        for height in [top, bottom] {
            let along = (height - y) / (to_y - y);
            if (0.0..=1.0).contains(&along) {
                add(x + along * (to_x - x));
            }
        }
    }
    found
}
