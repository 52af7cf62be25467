//! A family of meshes that cover the target in layers: the size of their triangles, samples, tests, blending,
//! texture, format and number of targets are swept.
//!
//! Corners are moved at random within their cells, so edges have any direction. Colours are linear over the
//! target, so every pixel's is known whatever the triangles are.

use ash::vk;

use super::geometry::{COLORED_STRIDE, colored, colored_state};
use super::{check, extent, frame_seconds, pack, pattern, smooth_texture, stage};
use crate::bench::{Random, Scale};
use crate::error::Failure;
use crate::gpu::Gpu;
use crate::gpu::graphics::{Attachments, Blend, Draw, Graphics, Resources, State};

/// One point of the sweep.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    /// Pixels of a triangle, about.
    pub(crate) area: u32,
    pub(crate) samples: u32,
    /// Layers in no order pass or fail a test of depth.
    pub(crate) depth: bool,
    /// Layers are blended, half and half.
    pub(crate) blend: bool,
    pub(crate) texture: bool,
    /// Targets are of 16-bit floats.
    pub(crate) halves: bool,
    /// One or four.
    pub(crate) targets: usize,
}

impl Sweep {
    /// Flat triangles of so many pixels, about, on so many samples.
    pub(crate) const fn new(area: u32, samples: u32) -> Sweep {
        Sweep { area, samples, depth: false, blend: false, texture: false, halves: false, targets: 1 }
    }

    pub(crate) const fn depth(self) -> Sweep {
        Sweep { depth: true, ..self }
    }

    pub(crate) const fn blend(self) -> Sweep {
        Sweep { blend: true, ..self }
    }

    pub(crate) const fn texture(self) -> Sweep {
        Sweep { texture: true, ..self }
    }

    pub(crate) const fn halves(self) -> Sweep {
        Sweep { halves: true, ..self }
    }

    pub(crate) const fn four_targets(self) -> Sweep {
        Sweep { targets: 4, ..self }
    }

    /// Every combination with one target, by name.
    pub(crate) fn product() -> impl Iterator<Item = (String, Sweep)> {
        let sizes = [("1", 1), ("10", 10), ("100", 100), ("1k", 1_000), ("10k", 10_000), ("100k", 100_000)];
        sizes.into_iter().flat_map(|(size, area)| {
            (0..32u32).map(move |bits| {
                let is = |bit: u32| bits >> bit & 1 != 0;
                let sweep = Sweep {
                    depth: is(1),
                    blend: is(2),
                    texture: is(3),
                    halves: is(4),
                    ..Sweep::new(area, if is(0) { 4 } else { 1 })
                };
                let parts = ["s4", "depth", "blend", "texture", "halves"];
                let parts = (0..).zip(parts).filter(|&(bit, _)| is(bit)).map(|(_, part)| format!("_{part}"));
                (format!("cell_{size}{}", parts.collect::<String>()), sweep)
            })
        })
    }
}

/// Layers: their blue, and in which order their depths are.
pub(super) const LAYERS: [u32; 4] = [1, 3, 0, 2];

/// Blue of the layer with this number.
pub(super) fn blue(layer: u32) -> f32 {
    layer as f32 / 4.0
}

/// The vertices of the meshes of some layers, triangle by triangle.
pub(super) fn meshes(area: u32, [width, height]: [u32; 2], layers: &[u32], alpha: f32) -> Vec<u32> {
    let cell = (2.0 * area as f32).sqrt();
    let count = |pixels: u32| ((pixels as f32 / cell).round() as u32).max(1);
    let (columns, rows) = (count(width), count(height));
    let mut random = Random::new(41);
    let mut vertices = Vec::new();
    for &layer in layers {
        let mut place = |at: u32, count: u32| {
            let moves = if at == 0 || at == count { 0.0 } else { random.float(-0.3, 0.3) };
            (at as f32 + moves) / count as f32
        };
        let corners: Vec<_> = (0..=rows)
            .flat_map(|j| (0..=columns).map(move |i| (i, j)))
            .map(|(i, j)| [place(i, columns), place(j, rows)])
            .collect();
        for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
            let first = j * (columns + 1) + i;
            let second = first + columns + 1;
            for index in [first, first + 1, second, first + 1, second + 1, second] {
                let [x, y] = corners[index as usize];
                let depth = 0.1 + 0.2 * layer as f32;
                colored(&mut vertices, [x, y, depth], pack([x, y, blue(layer), alpha]));
            }
        }
    }
    vertices
}

/// Millions of triangles a second.
pub(crate) fn sweep(gpu: &Gpu, scale: Scale, sweep: Sweep) -> Result<f64, Failure> {
    let graphics = Graphics::new(gpu)?;
    let Sweep { area, samples, depth, blend, texture, halves, targets } = sweep;
    let format = if halves { vk::Format::R16G16B16A16_SFLOAT } else { vk::Format::R8G8B8A8_UNORM };
    let attachments = Attachments {
        is_sampled: false,
        formats: &[format; 4][..targets],
        depth: depth.then_some(vk::Format::D32_SFLOAT),
        samples,
    };
    let target = match graphics.target_of(extent(scale), attachments) {
        Err(Failure::Vulkan(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)) => {
            return Err(Failure::Unsupported(format!("{samples} samples")));
        }
        target => target?,
    };
    let source = smooth_texture(&graphics, false)?;
    let vertex = stage!("sweep.vert");
    let fragment = match (texture, targets) {
        (true, _) => stage!("sweep_textured.frag"),
        (false, 1) => stage!("triangle.frag"),
        (false, _) => stage!("four.frag"),
    };
    let blending = if blend { Blend::Alpha } else { Blend::None };
    let state = State { depth, blend: blending, ..colored_state(&vertex, &fragment) };
    let textures = [(&source, gpu.sampler(true)?)];
    let bound = Resources { textures: if texture { &textures } else { &[] }, ..Resources::default() };
    let program = graphics.program(&target, &state, &bound)?;
    // Of the smallest triangles one layer is work enough.
    let layers = if area < 10 { &LAYERS[..1] } else { &LAYERS[..] };
    let vertices = meshes(area, target.color.extent, layers, if blend { 0.5 } else { 1.0 });
    let count = vertices.len() as u32 / (COLORED_STRIDE / 4);
    let vertices = gpu.buffer_of(&vertices)?;
    let draw = Draw { vertices: Some(&vertices), ..Draw::new(&program, count) };
    let seconds = frame_seconds(&graphics, scale, &target, &[draw])?;

    let [width, height] = target.color.extent;
    let expected = |x: u32, y: u32| {
        let [x, y] = [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32];
        let [red, green] = if texture { pattern(x, y) } else { [x, y] };
        let color = |layer: u32| [red, green, blue(layer)];
        let (mut seen, mut nearest) = ([0.0; 3], u32::MAX);
        for &layer in layers {
            if depth && layer > nearest {
                continue;
            }
            nearest = layer;
            let share = if blend { pack([0.0, 0.0, 0.0, 0.5]) >> 24 } else { 255 } as f32 / 255.0;
            let above = color(layer);
            seen = std::array::from_fn(|i| above[i] * share + seen[i] * (1.0 - share));
        }
        seen
    };
    // Between the texture's levels, and where drivers take samples of small triangles' pixels.
    let tolerance = if texture { 9.0 } else { 4.0 } + if samples > 1 { 1.0 } else { 0.0 };
    let bytes = |words: Vec<u32>| if halves { words.chunks(2).map(of_halves).collect() } else { words };
    check("sweep", &bytes(gpu.pixels(&target.color)?), width, tolerance, |x, y| Some(expected(x, y)))?;
    if let Some(last) = target.others.last() {
        check("last target", &bytes(gpu.pixels(last)?), width, tolerance, |x, y| {
            let [red, green, blue] = expected(x, y);
            Some([blue, red, green])
        })?;
    }
    Ok(f64::from(count) / 3.0 / seconds / 1e6)
}

/// A word of RGBA8 of the four halves of a texel, of 0 to 1.
pub(super) fn of_halves(words: &[u32]) -> u32 {
    let half = |at: usize| {
        let bits = words[at / 2] >> (16 * (at % 2));
        let (exponent, mantissa) = (bits >> 10 & 31, bits & 0x3ff);
        let scaled = if exponent == 0 { mantissa } else { mantissa + 1024 } as f32;
        scaled * 2.0f32.powi(exponent.max(1) as i32 - 25)
    };
    pack([half(0), half(1), half(2), half(3)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_decoded() {
        // 1, 0.5; 0.25, 2^-24.
        assert_eq!(of_halves(&[0x3800_3c00, 0x0001_3400]), pack([1.0, 0.5, 0.25, 0.0]));
    }

    #[test]
    fn meshes_have_triangles_of_that_size() {
        for area in [1, 100, 10_000, 1_000_000] {
            let vertices = meshes(area, [1920, 1080], &[0], 1.0).len() / 4;
            let mean = 1920.0 * 1080.0 / (vertices as f32 / 3.0);
            assert!((0.5..2.0).contains(&(mean / area as f32)), "{area} {mean}");
        }
    }
}
