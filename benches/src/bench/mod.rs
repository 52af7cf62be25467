//! The benchmarks: one table, and one file for each kind.

mod arithmetic;
mod compile;
mod generate;
mod graphics;
mod memory;
mod overhead;
mod rays;
mod sweeps;
mod workgroup;

use std::sync::OnceLock;

use crate::error::Failure;
use crate::gpu::{Commands, Gpu};
use crate::native;
use graphics::Sweep;
pub(crate) use graphics::sweep;
pub(crate) use pyro_random::Random;
pub(crate) use sweeps::SWEEPS;

/// How much work a benchmark does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Enough for steady figures.
    Full,
    /// Next to none: a test that the benchmark works.
    Tiny,
}

impl Scale {
    /// One of two sizes.
    pub(crate) fn pick<T>(self, full: T, tiny: T) -> T {
        match self {
            Self::Full => full,
            Self::Tiny => tiny,
        }
    }
}

/// Which way a figure is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Better {
    /// A rate.
    Higher,
    /// A time.
    Lower,
}

/// Where the figure is taken.
pub(crate) enum Clock {
    /// In the client, which returns the figure.
    Client(fn(&Gpu, Scale) -> Result<f64, Failure>),
    /// The same, of one of a family of meshes.
    Sweep(Sweep),
    /// In the runner, from the client's start to its answer; in milliseconds. The client only works.
    Runner(fn(&Gpu) -> Result<(), Failure>),
}

/// One benchmark.
pub(crate) struct Bench {
    /// What `--filter` matches.
    pub(crate) name: &'static str,
    /// The figure's unit.
    pub(crate) unit: &'static str,
    /// Which way it is good.
    pub(crate) better: Better,
    /// How it is taken.
    pub(crate) clock: Clock,
    /// The machine's own limit in the same unit, where there is a loop for it.
    pub(crate) native: Option<fn(Scale) -> Option<f64>>,
}

/// Every benchmark, in the order of the report.
pub(crate) const ALL: &[Bench] = &[
    rate("fma", "GFLOP/s", arithmetic::fma, Some(native::fma)),
    rate("mad", "GFLOP/s", arithmetic::mad, Some(native::fma)),
    rate("mad_half", "GFLOP/s", arithmetic::mad_half, None),
    rate("hash", "Gop/s", arithmetic::hash, None),
    rate("mandelbrot", "Giter/s", arithmetic::mandelbrot, None),
    rate("copy", "GB/s", memory::copy, Some(native::copy)),
    rate("scale", "GB/s", memory::scale, Some(native::scale)),
    rate("triad", "GB/s", memory::triad, Some(native::triad)),
    rate("matmul_naive", "GFLOP/s", workgroup::matmul_naive, Some(native::fma)),
    rate("matmul_tiled", "GFLOP/s", workgroup::matmul_tiled, Some(native::fma)),
    rate("matmul_registers", "GFLOP/s", workgroup::matmul_registers, Some(native::fma)),
    rate("matmul_vec4", "GFLOP/s", workgroup::matmul_vec4, Some(native::fma)),
    rate("matmul_blocks", "GFLOP/s", workgroup::matmul_blocks, Some(native::fma)),
    rate("matvec", "GFLOP/s", workgroup::matvec, Some(native::fma)),
    rate("matvec_scalar", "GFLOP/s", workgroup::matvec_scalar, Some(native::fma)),
    rate("matmul_coop", "GFLOP/s", workgroup::matmul_coop, Some(native::fma)),
    rate("matmul_coop_int8", "Gop/s", workgroup::matmul_coop_int8, Some(native::dot_product)),
    rate("matmul_int8", "Gop/s", workgroup::matmul_int8, Some(native::dot_product)),
    rate("nbody", "GFLOP/s", workgroup::nbody, Some(native::fma)),
    rate("reduce_shared", "GB/s", workgroup::reduce_shared, None),
    rate("reduce_subgroup", "GB/s", workgroup::reduce_subgroup, None),
    rate("histogram", "Gsample/s", workgroup::histogram, None),
    rate("histogram_global", "Gsample/s", workgroup::histogram_global, None),
    rate("histogram_sparse", "Gsample/s", workgroup::histogram_sparse, None),
    rate("scan", "Gword/s", workgroup::scan, None),
    rate("rays", "Mray/s", rays::rays, None),
    rate("dispatch", "kdispatch/s", overhead::dispatch, None),
    rate("dispatch_ordered", "kdispatch/s", overhead::dispatch_ordered, None),
    time("submit", "us", overhead::submit),
    rate("record", "Mcommand/s", overhead::record, None),
    rate("descriptors", "Mwrite/s", overhead::descriptors, None),
    rate("pipelines", "pipeline/s", compile::pipelines, None),
    rate("pipelines_unused", "pipeline/s", compile::pipelines_unused, None),
    rate("pipelines_cached", "pipeline/s", compile::pipelines_cached, None),
    rate("fill", "Gpixel/s", graphics::fill, None),
    rate("texture", "Gpixel/s", graphics::texture, None),
    rate("blend", "Gpixel/s", graphics::blend, None),
    rate("procedural", "Mpixel/s", graphics::procedural, None),
    rate("triangles", "Mtriangle/s", graphics::triangles, None),
    rate("geometry", "Mtriangle/s", graphics::geometry, None),
    rate("mesh", "frame/s", graphics::mesh, None),
    rate("msaa", "frame/s", graphics::msaa, None),
    rate("shape_3x3", "Mtriangle/s", graphics::shape::<30, 30, 1, false>, None),
    rate("shape_14x14", "Mtriangle/s", graphics::shape::<140, 140, 1, false>, None),
    rate("shape_14x14_depth", "Mtriangle/s", graphics::shape::<140, 140, 1, true>, None),
    rate("shape_14x14_s4", "Mtriangle/s", graphics::shape::<140, 140, 4, false>, None),
    rate("shape_45x45", "Mtriangle/s", graphics::shape::<450, 450, 1, false>, None),
    rate("shape_45x45_s4", "Mtriangle/s", graphics::shape::<450, 450, 4, false>, None),
    rate("shape_140x140", "Mtriangle/s", graphics::shape::<1400, 1400, 1, false>, None),
    rate("shape_300x1.5", "Mtriangle/s", graphics::shape::<3000, 15, 1, false>, None),
    rate("shape_300x1.5_depth", "Mtriangle/s", graphics::shape::<3000, 15, 1, true>, None),
    rate("shape_300x1.5_s4", "Mtriangle/s", graphics::shape::<3000, 15, 4, false>, None),
    rate("shape_30x2", "Mtriangle/s", graphics::shape::<300, 20, 1, false>, None),
    rate("shape_30x2_s4", "Mtriangle/s", graphics::shape::<300, 20, 4, false>, None),
    rate("draws", "kdraw/s", graphics::draws, None),
    rate("interface", "kdraw/s", graphics::interface, None),
    rate("lines", "Mline/s", graphics::lines, None),
    rate("instances", "Mtriangle/s", graphics::instances, None),
    rate("stencil", "mask/s", graphics::stencil, None),
    rate("glyphs", "kletter/s", graphics::glyphs, None),
    rate("particles", "kparticle/s", graphics::particles, None),
    rate("strips", "Mtriangle/s", graphics::strips, None),
    rate("passes", "kpass/s", graphics::passes, None),
    rate("post", "pass/s", graphics::post, None),
    rate("post_halves", "pass/s", graphics::post_halves, None),
    rate("shadow_pass", "Mtriangle/s", graphics::shadow_pass, None),
    rate("shadow_lookup", "Mpixel/s", graphics::shadow_lookup, None),
    rate("deferred", "frame/s", graphics::deferred, None),
    rate("cube", "Mpixel/s", graphics::cube, None),
    rate("anisotropic", "Gpixel/s", graphics::anisotropic, None),
    rate("srgb", "Mpixel/s", graphics::srgb, None),
    rate("volume", "Msample/s", graphics::volume, None),
    rate("skinned", "Mtriangle/s", graphics::skinned, None),
    rate("varyings", "Mtriangle/s", graphics::varyings, None),
    rate("crowd", "Mtriangle/s", graphics::crowd, None),
    rate("fan", "Mtriangle/s", graphics::fan, None),
    rate("lines_long", "Mline/s", graphics::lines_long, None),
    rate("paths", "kpath/s", graphics::paths, None),
    rate("windows", "kdraw/s", graphics::windows, None),
    rate("soft_particles", "kparticle/s", graphics::soft_particles, None),
    rate("terrain", "Mtriangle/s", graphics::terrain, None),
    rate("light_balls", "kball/s", graphics::light_balls, None),
    rate("cascades", "Mpixel/s", graphics::cascades, None),
    rate("bloom", "frame/s", graphics::bloom, None),
    rate("leaves", "kleaf/s", graphics::leaves, None),
    rate("splats", "ksplat/s", graphics::splats, None),
    rate("sprite_points", "Mpoint/s", graphics::sprite_points, None),
    rate("wires", "Mtriangle/s", graphics::wires, None),
    rate("alpha_test", "Gpixel/s", graphics::alpha_test, None),
    rate("early_depth", "Gpixel/s", graphics::early_depth, None),
    rate("sample_bilinear", "Gsample/s", graphics::sample_bilinear, None),
    rate("sample_trilinear", "Gsample/s", graphics::sample_trilinear, None),
    rate("warp", "Mpixel/s", graphics::warp, None),
    rate("blur", "Mpixel/s", graphics::blur, None),
    rate("blur_tile", "Mpixel/s", graphics::blur_tile, None),
    rate("blur_row", "Mpixel/s", graphics::blur_row, None),
    rate("mip_chain", "chain/s", graphics::mip_chain, None),
    rate("upload", "GB/s", graphics::upload, None),
    rate("readback", "GB/s", graphics::readback, None),
    rate("graphics_pipelines", "pipeline/s", graphics::graphics_pipelines, None),
    rate("graphics_pipelines_unused", "pipeline/s", graphics::graphics_pipelines_unused, None),
    time("compile_1k", "ms", compile::instructions::<1_000>),
    time("compile_4k", "ms", compile::instructions::<4_000>),
    time("compile_16k", "ms", compile::instructions::<16_000>),
    time("compile_64k", "ms", compile::instructions::<64_000>),
    Bench {
        name: "start",
        unit: "ms",
        better: Better::Lower,
        clock: Clock::Runner(overhead::start),
        native: None,
    },
];

/// Meshes by triangle size, samples and state: the part of the sweeps that draws.
pub(crate) const TRIANGLES: &[Bench] = &[
    swept("sweep_1", Sweep::new(1, 1)),
    swept("sweep_1_s4", Sweep::new(1, 4)),
    swept("sweep_1_s8", Sweep::new(1, 8)),
    swept("sweep_10", Sweep::new(10, 1)),
    swept("sweep_10_s4", Sweep::new(10, 4)),
    swept("sweep_10_s8", Sweep::new(10, 8)),
    swept("sweep_10_depth", Sweep::new(10, 1).depth()),
    swept("sweep_10_blend", Sweep::new(10, 1).blend()),
    swept("sweep_10_texture", Sweep::new(10, 1).texture()),
    swept("sweep_10_halves", Sweep::new(10, 1).halves()),
    swept("sweep_10_four_targets", Sweep::new(10, 1).four_targets()),
    swept("sweep_10_halves_blend", Sweep::new(10, 1).halves().blend()),
    swept("sweep_100", Sweep::new(100, 1)),
    swept("sweep_100_s4", Sweep::new(100, 4)),
    swept("sweep_100_s8", Sweep::new(100, 8)),
    swept("sweep_100_depth", Sweep::new(100, 1).depth()),
    swept("sweep_100_blend", Sweep::new(100, 1).blend()),
    swept("sweep_100_texture", Sweep::new(100, 1).texture()),
    swept("sweep_100_halves", Sweep::new(100, 1).halves()),
    swept("sweep_100_four_targets", Sweep::new(100, 1).four_targets()),
    swept("sweep_100_halves_blend", Sweep::new(100, 1).halves().blend()),
    swept("sweep_100_depth_s4", Sweep::new(100, 4).depth()),
    swept("sweep_100_blend_s4", Sweep::new(100, 4).blend()),
    swept("sweep_100_texture_s4", Sweep::new(100, 4).texture()),
    swept("sweep_1k", Sweep::new(1_000, 1)),
    swept("sweep_1k_s4", Sweep::new(1_000, 4)),
    swept("sweep_1k_s8", Sweep::new(1_000, 8)),
    swept("sweep_1k_depth", Sweep::new(1_000, 1).depth()),
    swept("sweep_1k_blend", Sweep::new(1_000, 1).blend()),
    swept("sweep_1k_texture", Sweep::new(1_000, 1).texture()),
    swept("sweep_1k_halves", Sweep::new(1_000, 1).halves()),
    swept("sweep_1k_four_targets", Sweep::new(1_000, 1).four_targets()),
    swept("sweep_1k_halves_blend", Sweep::new(1_000, 1).halves().blend()),
    swept("sweep_1k_depth_s4", Sweep::new(1_000, 4).depth()),
    swept("sweep_1k_blend_s4", Sweep::new(1_000, 4).blend()),
    swept("sweep_1k_texture_s4", Sweep::new(1_000, 4).texture()),
    swept("sweep_10k", Sweep::new(10_000, 1)),
    swept("sweep_10k_s4", Sweep::new(10_000, 4)),
    swept("sweep_10k_s8", Sweep::new(10_000, 8)),
    swept("sweep_100k", Sweep::new(100_000, 1)),
    swept("sweep_100k_s4", Sweep::new(100_000, 4)),
    swept("sweep_100k_s8", Sweep::new(100_000, 8)),
    swept("sweep_100k_depth", Sweep::new(100_000, 1).depth()),
    swept("sweep_100k_blend", Sweep::new(100_000, 1).blend()),
    swept("sweep_100k_texture", Sweep::new(100_000, 1).texture()),
    swept("sweep_100k_halves", Sweep::new(100_000, 1).halves()),
    swept("sweep_100k_four_targets", Sweep::new(100_000, 1).four_targets()),
    swept("sweep_100k_halves_blend", Sweep::new(100_000, 1).halves().blend()),
    swept("sweep_1M", Sweep::new(1_000_000, 1)),
    swept("sweep_1M_s4", Sweep::new(1_000_000, 4)),
    swept("sweep_1M_s8", Sweep::new(1_000_000, 8)),
];

/// Every combination of the meshes' sizes, samples and states that [`TRIANGLES`] is a part of.
pub(crate) fn cells() -> &'static [Bench] {
    static CELLS: OnceLock<Vec<Bench>> = OnceLock::new();
    CELLS.get_or_init(|| Sweep::product().map(|(name, sweep)| swept(name.leak(), sweep)).collect())
}

/// All benchmarks.
pub(crate) fn all() -> impl Iterator<Item = &'static Bench> {
    ALL.iter().chain(SWEEPS).chain(TRIANGLES).chain(cells())
}

const fn swept(name: &'static str, sweep: Sweep) -> Bench {
    Bench { name, unit: "Mtriangle/s", better: Better::Higher, clock: Clock::Sweep(sweep), native: None }
}

const fn rate(
    name: &'static str,
    unit: &'static str,
    run: fn(&Gpu, Scale) -> Result<f64, Failure>,
    native: Option<fn(Scale) -> Option<f64>>,
) -> Bench {
    Bench { name, unit, better: Better::Higher, clock: Clock::Client(run), native }
}

const fn time(name: &'static str, unit: &'static str, run: fn(&Gpu, Scale) -> Result<f64, Failure>) -> Bench {
    Bench { name, unit, better: Better::Lower, clock: Clock::Client(run), native: None }
}

/// The SPIR-V of a generated shader of about so many instructions.
pub(crate) fn generated_shader(seed: u64, instructions: usize) -> Vec<u32> {
    generate::Program::with_instructions(seed, instructions).spirv()
}

/// The median seconds of running `commands`, after one run that warms up. `prepare` runs before each,
/// unmeasured.
fn median_seconds(gpu: &Gpu, scale: Scale, commands: &Commands, prepare: impl Fn()) -> Result<f64, Failure> {
    median_of(scale, || {
        prepare();
        gpu.run(commands)
    })
}

/// The median of what `run` says it took, over about a third of a second and at least three times, after one
/// run that warms up.
fn median_of(scale: Scale, run: impl Fn() -> Result<f64, Failure>) -> Result<f64, Failure> {
    run()?;
    let mut seconds = Vec::new();
    let mut spent = 0.0;
    while seconds.len() < scale.pick(3, 1) || spent < scale.pick(0.35, 0.0) {
        let time = run()?;
        spent += time;
        seconds.push(time);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// Compares floats with a reference of higher precision.
fn check_floats(
    what: &str,
    pairs: impl IntoIterator<Item = (f32, f64)>,
    relative: f64,
) -> Result<(), Failure> {
    for (i, (got, expected)) in pairs.into_iter().enumerate() {
        let error = (f64::from(got) - expected).abs();
        // A NaN fails the comparison, and so counts as wrong.
        let near = error <= relative * expected.abs().max(1e-3);
        if !near {
            return Err(Failure::Wrong(format!("{what}: sample {i} is {got}, expected {expected}")));
        }
    }
    Ok(())
}

/// Compares words with a reference.
fn check_words(what: &str, got: &[u32], expected: &[u32]) -> Result<(), Failure> {
    if got.len() != expected.len() {
        return Err(Failure::Wrong(format!("{what}: {} words, expected {}", got.len(), expected.len())));
    }
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(i) => {
            Err(Failure::Wrong(format!("{what}: word {i} is {:#x}, expected {:#x}", got[i], expected[i])))
        }
    }
}

/// The words of a shader under `shaders/`.
macro_rules! shader {
    ($name:literal) => {
        crate::gpu::words_of(include_bytes!(concat!("../../shaders/", $name, ".spv")))
    };
}
use shader;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_reject_what_is_wrong() {
        assert!(check_words("w", &[1, 2], &[1, 2]).is_ok());
        assert!(check_words("w", &[1, 3], &[1, 2]).is_err());
        assert!(check_words("w", &[1], &[1, 2]).is_err());
        assert!(check_floats("f", [(1.0, 1.000_001)], 1e-5).is_ok());
        assert!(check_floats("f", [(1.0, 1.1)], 1e-5).is_err());
        assert!(check_floats("f", [(f32::NAN, 1.0)], 1e-5).is_err());
    }

    #[test]
    fn names_are_distinct() {
        for (i, bench) in all().enumerate() {
            assert!(all().take(i).all(|other| other.name != bench.name), "{}", bench.name);
        }
    }
}
