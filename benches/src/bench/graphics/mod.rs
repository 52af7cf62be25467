//! Draws at 1920 x 1080, RGBA8, 32-bit depth; every picture is checked against plain Rust.

mod effects;
mod fill;
mod geometry;
mod images;
mod meshes;
mod pipelines;
mod programs;
mod scenes;
mod shading;
mod shapes;
mod styles;
mod sweep;

pub(super) use effects::{bloom, cascades, leaves, light_balls, soft_particles, terrain};
pub(super) use fill::{alpha_test, anisotropic, blend, early_depth, fill, procedural, texture};
pub(super) use geometry::{draws, geometry, mesh, msaa, triangles};
pub(super) use images::{
    blur, blur_row, blur_tile, mip_chain, readback, sample_bilinear, sample_trilinear, upload, warp,
};
pub(super) use meshes::{crowd, fan, paths, skinned, varyings, windows};
pub(super) use pipelines::{graphics_pipelines, graphics_pipelines_unused};
pub(super) use programs::{glyphs, particles, passes, post, post_halves, strips};
pub(super) use scenes::{instances, interface, lines, lines_long, stencil};
pub(super) use shading::{cube, deferred, shadow_lookup, shadow_pass, srgb, volume};
pub(super) use shapes::shape;
pub(super) use styles::{splats, sprite_points, wires};
pub(crate) use sweep::{Sweep, sweep};

use super::{Random, Scale, median_seconds};
use crate::error::Failure;
use crate::gpu::graphics::{Draw, Graphics, Resources, Target, Work};
use crate::gpu::image::{Role, Texture};

/// The words of a stage's shader under `shaders/`.
macro_rules! stage {
    ($name:literal) => {
        crate::gpu::words_of(include_bytes!(concat!("../../../shaders/", $name, ".spv")))
    };
}
use stage;

/// How many pixels a check looks at.
const CHECKED: usize = 20_000;

/// The target's size. In tests it is small, and not whole in tiles of any kind.
fn extent(scale: Scale) -> [u32; 2] {
    scale.pick([1920, 1080], [100, 54])
}

/// Seconds of one render pass with these draws. Overhead of submission is spread over a few passes.
fn frame_seconds(
    graphics: &Graphics<'_>,
    scale: Scale,
    target: &Target,
    draws: &[Draw<'_>],
) -> Result<f64, Failure> {
    let passes = scale.pick(4, 1);
    let work: Vec<_> = (0..passes).map(|_| Work::Render(target, draws)).collect();
    let commands = graphics.record(&work)?;
    Ok(median_seconds(graphics.gpu, scale, &commands, || ())? / passes as f64)
}

/// Compares pixels with what `expected` says for each; 0 to 1 for each of red, green and blue, or `None`
/// where rounding decides. `tolerance` is in steps of 8 bits. At least half of the pixels must be certain.
fn check(
    what: &str,
    pixels: &[u32],
    width: u32,
    tolerance: f32,
    expected: impl Fn(u32, u32) -> Option<[f32; 3]>,
) -> Result<(), Failure> {
    check_most(what, pixels, width, tolerance, 0.0, expected)
}

/// The same where a share of the pixels may be wrong.
fn check_most(
    what: &str,
    pixels: &[u32],
    width: u32,
    tolerance: f32,
    wrong_share: f32,
    expected: impl Fn(u32, u32) -> Option<[f32; 3]>,
) -> Result<(), Failure> {
    let mut wrong = 0;
    let mut random = Random::new(77);
    let count = pixels.len().min(CHECKED);
    let mut certain = 0;
    for i in 0..count {
        let at = if count == pixels.len() { i } else { random.below(pixels.len() as u32) as usize };
        let (x, y) = (at as u32 % width, at as u32 / width);
        let Some(wanted) = expected(x, y) else { continue };
        certain += 1;
        let got: [f32; 3] = std::array::from_fn(|channel| ((pixels[at] >> (8 * channel)) & 255) as f32);
        let near = got.iter().zip(wanted).all(|(got, wanted)| (got - wanted * 255.0).abs() <= tolerance);
        wrong += usize::from(!near);
        if wrong as f32 > wrong_share * count as f32 {
            let wanted = wanted.map(|value| (value * 255.0).round());
            return Err(Failure::Wrong(format!("{what}: pixel {x}, {y} is {got:?}, expected {wanted:?}")));
        }
    }
    if certain * 2 < count {
        return Err(Failure::Wrong(format!("{what}: only {certain} of {count} pixels could be checked")));
    }
    Ok(())
}

/// A word of RGBA8.
fn pack(color: [f32; 4]) -> u32 {
    (0..).zip(color).map(|(i, value)| ((value.clamp(0.0, 1.0) * 255.0).round() as u32) << (8 * i)).sum()
}

/// The smooth pattern of the textures: red follows `u`, green follows `v`.
fn pattern(u: f32, v: f32) -> [f32; 2] {
    [u, v].map(|t| 0.5 + 0.4 * (t * std::f32::consts::TAU).sin())
}

/// Side of the smooth texture.
const PATTERN_SIZE: u32 = 1024;
/// Its levels.
const PATTERN_LEVELS: u32 = 11;

/// Blue of a level of the smooth texture: it tells which level was sampled.
fn level_blue(level: f32) -> f32 {
    level * 24.0 / 255.0
}

/// The smooth texture with all its levels, which blue tells apart where asked for.
fn smooth_texture(graphics: &Graphics<'_>, tell_levels: bool) -> Result<Texture, Failure> {
    graphics.gpu.texture(Role::Sampled, [PATTERN_SIZE; 2], PATTERN_LEVELS, &smooth_texels(tell_levels))
}

/// Its texels.
fn smooth_texels(tell_levels: bool) -> Vec<u32> {
    let mut texels = Vec::new();
    for level in 0..PATTERN_LEVELS {
        let size = PATTERN_SIZE >> level;
        let blue = if tell_levels { level_blue(level as f32) } else { 0.0 };
        let line: Vec<f32> = (0..size).map(|i| pattern((i as f32 + 0.5) / size as f32, 0.0)[0]).collect();
        for y in 0..size as usize {
            for x in 0..size as usize {
                texels.push(pack([line[x], line[y], blue, 1.0]));
            }
        }
    }
    texels
}
