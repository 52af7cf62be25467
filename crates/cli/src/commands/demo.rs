//! `pyroclast demo`: renders a scene through the driver's real entry points.

use crate::client::Driver;
use crate::scene::Scene;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

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
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    frames: u32,
}

/// Renders, writes the picture and says how long everything took.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let driver = Driver::open()?;
    println!("device    {}", driver.name());
    println!("opened    in {:.1?}", start.elapsed());
    let (width, height) = (arguments.width, arguments.height);
    let mut scene = Scene::new(&driver, [width, height])?;
    let report = &scene.report;
    println!(
        "compiled  {} pipelines from {} modules ({} words of SPIR-V) in {:.1?}",
        report.pipelines, report.modules, report.words, report.creation
    );
    println!("generated mesh and textures with all their levels in {:.1?}", report.setup);

    let mut frames = Vec::new();
    let bar = ProgressBar::new(arguments.frames.into());
    bar.set_style(ProgressStyle::with_template("rendering [{bar:30}] {pos}/{len}")?.progress_chars("=> "));
    for frame in 0..arguments.frames {
        let start = Instant::now();
        scene.draw(4.0 + frame as f32 / 30.0)?;
        frames.push(start.elapsed());
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("drew      the first frame, with what compiles at first use, in {:.1?}", frames[0]);
    // The first frame is not one of those that follow, unless it is the only one.
    let mut later = frames[frames.len().min(2) - 1..].to_vec();
    later.sort();
    let median = later[later.len() / 2].as_secs_f64();
    println!(
        "rendered  {width}x{height}, 4 samples a pixel, {} triangles: {:.1} frames/s ({:.1} ms a frame)",
        scene.triangles(),
        1.0 / median,
        median * 1e3
    );
    write_png(&arguments.output, width, height, scene.pixels())?;
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
