//! `pyroclast compare a.png b.png`: where, how much, and why two pictures differ; of two captures, in which
//! call and in which command's results.

pub(super) mod captures;

use anyhow::{Context, Result};
use pyro_shadertest::picture::{Difference, Picture, compare, difference_picture};
use pyro_shadertest::reason::{Reason, reason};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Regions that are shown.
const REGIONS: usize = 10;

/// Which pictures or captures, and how equal they have to be.
#[derive(clap::Args)]
#[command(
    after_long_help = "Exit codes: 0 they are equal, as far as asked, 1 they differ (pictures also in size), 2 they cannot be \
read or replayed."
)]
pub(crate) struct Arguments {
    /// A PNG, or a capture.
    a: PathBuf,
    /// Another one. A capture can be compared with itself, by --cpu.
    #[arg(required_unless_present = "cpu")]
    b: Option<PathBuf>,
    /// Replay the captures with these values of PYROCLAST_CPU, such as `avx512,interpreter`.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    cpu: Option<Vec<String>>,
    /// By how much a channel (0 to 255) may differ.
    #[arg(long, default_value_t = 0)]
    tolerance: u8,
    /// How many pixels may differ by more.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pixels: u64,
    /// Write a picture of the difference: equal pixels pale, others from yellow to red.
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The difference as JSON.
pub(super) fn as_json(found: &Difference) -> serde_json::Value {
    let region = |region: &pyro_shadertest::picture::Region| {
        json!({
            "x": region.x0, "y": region.y0, "width": region.x1 - region.x0, "height": region.y1 - region.y0,
            "pixels": region.count, "max": region.max,
        })
    };
    json!({
        "different": found.count, "pixels": found.pixel_count, "max": found.max, "mean": found.mean,
        "channels": { "r": found.channels[0], "g": found.channels[1], "b": found.channels[2], "a": found.channels[3] },
        "similarity": found.similarity,
        "worst": found.worst.map(|(at, a, b)| json!({ "x": at[0], "y": at[1], "a": a, "b": b })),
        "regions": found.regions.iter().map(region).collect::<Vec<_>>(),
    })
}

/// The difference for people.
pub(super) fn as_text(found: &Difference) -> String {
    let share = 100.0 * found.count as f64 / found.pixel_count.max(1) as f64;
    let [r, g, b, a] = found.channels;
    let mut out = format!(
        "{} of {} pixels differ ({share:.2} %)\ngreatest difference {} (red {r}, green {g}, blue {b}, alpha {a}), mean \
         {:.3}, structural similarity {:.4}\n",
        found.count, found.pixel_count, found.max, found.mean, found.similarity
    );
    if let Some(([x, y], first, second)) = found.worst {
        out += &format!("worst pixel ({x}, {y}): {first:?} and {second:?}\n");
    }
    for region in found.regions.iter().take(REGIONS) {
        out += &format!(
            "region at ({}, {}), {} × {}: {} pixels, by up to {}\n",
            region.x0,
            region.y0,
            region.x1 - region.x0,
            region.y1 - region.y0,
            region.count,
            region.max
        );
    }
    if found.regions.len() > REGIONS {
        out += &format!("and {} more regions\n", found.regions.len() - REGIONS);
    }
    out
}

/// Why, for programs; null where it cannot be told.
fn reason_json(reason: &Option<Reason>) -> serde_json::Value {
    reason.as_ref().map_or(
        serde_json::Value::Null,
        |reason| json!({ "name": reason.name(), "text": reason.to_string() }),
    )
}

/// Why, for people.
pub(super) fn reason_text(reason: &Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("why: {reason}"),
        None => "why: no simple change of the whole picture explains it".to_owned(),
    }
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    if captures::is_capture(&arguments.a) {
        return captures::run(arguments);
    }
    let b = arguments.b.as_ref().context("say which picture to compare it with")?;
    let (a, b) = (Picture::read(&arguments.a)?, Picture::read(b)?);
    let reason = reason(&a, &b);
    if let Some(Reason::Size(first, second)) = &reason {
        match arguments.json {
            true => println!("{:#}", json!({ "reason": reason_json(&reason), "sizes": [first, second] })),
            false => println!("{}", reason_text(&reason)),
        }
        return Ok(ExitCode::from(1));
    }
    let found = compare(&a, &b, arguments.tolerance)?;
    if let Some(path) = &arguments.diff {
        difference_picture(&a, &b, arguments.tolerance)
            .write(path)
            .context("the picture of the difference")?;
    }
    match arguments.json {
        true => {
            let mut shown = as_json(&found);
            shown["reason"] = reason_json(&reason);
            println!("{shown:#}");
        }
        false if found.max == 0 => println!("the pictures are equal"),
        false => println!("{}{}", as_text(&found), reason_text(&reason)),
    }
    Ok(if found.count > arguments.pixels { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Compares; exit codes are those that the help names.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(2)
    })
}
