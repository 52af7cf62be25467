//! `pyroclast demo`: renders a picture in a compute shader through the driver's real entry points.

use crate::client::{Binding, Driver, Gpu, Job};
use crate::shader;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to render.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where the picture goes.
    #[arg(long, short, default_value = "pyroclast-demo.png")]
    output: PathBuf,
    /// Pixels across.
    #[arg(long, default_value_t = 960, value_parser = clap::value_parser!(u32).range(16..=16384))]
    width: u32,
    /// Pixels down.
    #[arg(long, default_value_t = 540, value_parser = clap::value_parser!(u32).range(16..=16384))]
    height: u32,
    /// Frames to render; the last one is kept.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    frames: u32,
}

/// Invocations of a workgroup in x and y, as in the shader.
const TILE: [u32; 2] = [16, 4];

/// Renders, writes the picture and says how long everything took.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let driver = Driver::open()?;
    let gpu = Gpu::new(&driver)?;
    let opened = start.elapsed();
    println!("device    {}", gpu.driver().name());
    println!("opened in {opened:.1?}");

    let words = shader::from_wgsl(include_str!("../../assets/volcano.wgsl")).context("the demo's shader")?;
    let (width, height) = (arguments.width, arguments.height);
    let pixels = gpu.buffer(&vec![0; width as usize * height as usize * 4])?;
    let mut best = Duration::MAX;
    let bar = ProgressBar::new(arguments.frames.into());
    bar.set_style(ProgressStyle::with_template("rendering [{bar:30}] {pos}/{len}")?.progress_chars("=> "));
    for frame in 0..arguments.frames {
        let time = 4.0 + frame as f32 / 30.0;
        let mut constants = Vec::new();
        constants.extend(width.to_le_bytes());
        constants.extend(height.to_le_bytes());
        constants.extend(time.to_le_bytes());
        constants.extend([0; 4]);
        let view = gpu.buffer(&constants)?;
        let bindings = [
            Binding { set: 0, binding: 0, is_uniform: true, buffer: &view },
            Binding { set: 0, binding: 1, is_uniform: false, buffer: &pixels },
        ];
        let times = gpu.run(&Job {
            words: &words,
            entry_point: "main",
            specialization: &[],
            push_constants: &[],
            bindings: &bindings,
            groups: [width.div_ceil(TILE[0]), height.div_ceil(TILE[1]), 1],
        })?;
        gpu.destroy(view);
        if frame == 0 {
            bar.suspend(|| {
                println!("compiled  the shader ({} words of SPIR-V) in {:.2?}", words.len(), times.compile)
            });
        }
        best = best.min(times.run);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let rate = f64::from(width) * f64::from(height) / best.as_secs_f64() / 1e6;
    println!(
        "rendered  {width}x{height} in {best:.1?}: {:.1} frames/s, {rate:.2} Mpixel/s",
        1.0 / best.as_secs_f64()
    );
    write_png(&arguments.output, width, height, pixels.bytes())?;
    gpu.destroy(pixels);
    println!("wrote     {}", arguments.output.display());
    Ok(())
}

/// Writes RGBA bytes as a PNG file.
fn write_png(path: &PathBuf, width: u32, height: u32, rgba: &[u8]) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgba)?;
    writer.finish()?;
    Ok(())
}
