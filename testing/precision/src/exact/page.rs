//! The page `docs/precision/exact.md`.

use super::Results;
use std::fmt::Write;

/// The kinds of cases: name, unit of the error, and the least possible error.
pub const ROWS: &[(&str, &str, &str)] = &[
    ("linear filter", "of the range", "2^-25"),
    ("linear filter between levels", "of the range", "2^-25"),
    ("from sRGB", "ULP", "0.5"),
    ("to sRGB of 8 bits", "steps", "0.5"),
    ("to normalized 8 bits", "steps", "0.5"),
    ("to normalized 16 bits", "steps", "0.5"),
    ("blending of 8 bits", "steps", "0.5"),
    ("blending of floats", "ULP", "0.5"),
    ("resolve of 2 samples of 8 bits", "steps", "0.5"),
    ("resolve of 2 samples of floats", "ULP", "0.5"),
    ("resolve of 4 samples of 8 bits", "steps", "0.5"),
    ("resolve of 4 samples of floats", "ULP", "0.5"),
    ("resolve of 8 samples of 8 bits", "steps", "0.5"),
    ("resolve of 8 samples of floats", "ULP", "0.5"),
    ("resolve of 16 samples of 8 bits", "steps", "0.5"),
    ("resolve of 16 samples of floats", "ULP", "0.5"),
    ("coverage of 1 samples", "wrong samples", "0"),
    ("coverage of 2 samples", "wrong samples", "0"),
    ("coverage of 4 samples", "wrong samples", "0"),
    ("coverage of 8 samples", "wrong samples", "0"),
    ("coverage of 16 samples", "wrong samples", "0"),
];

const INTRODUCTION: &str = "\
# Errors of fixed functions

Written by `pyro-precision page` from the files in `testing/precision/results`; do not edit. The command
`pyro-precision exact` measures these on any Vulkan device: random cases whose true results are exact
fractions of 128-bit integers, but for sRGB, where they are `f64` of the definition. Operations of shaders
are in [measured.md](measured.md).

- *linear filter*: texels of `R8G8B8A8_UNORM`, an explicit level, the error as a part of the range from 0 to
  1; Vulkan lets devices round coordinates to `subTexelPrecisionBits` and levels to `mipmapPrecisionBits`.
- *steps*: of the integers that the format stores; 0.5 is the nearest integer.
- *blending*: `source * alpha + destination * (1 - alpha)`, of numbers from 0 to 1.
- *resolve*: the mean of samples that all differ.
- *coverage*: samples at the standard locations inside a random triangle, with corners in 256ths of a pixel,
  that were not covered, and those outside of it that were; samples on an edge do not count. Devices may
  have fewer than 8 `subPixelPrecisionBits`.

";

/// An error, rounded up, as a power of two where it is small.
fn error(error: f64, unit: &str) -> String {
    match unit {
        "of the range" if error > 0.0 => format!("2^{:.1}", (error.log2() * 10.0).ceil() / 10.0),
        "wrong samples" => format!("{error}"),
        _ => format!("{:.3}", (error * 1000.0 - 1e-6).ceil().max(0.0) / 1000.0),
    }
}

/// The page: our driver's figures and those of other devices.
#[must_use]
pub fn page(all: &[Results]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let heads: String =
        all.iter().map(|results| format!(" {} |", results.device.split(" (").next().unwrap_or(""))).collect();
    let _ = writeln!(text, "| what | cases | unit | least |{heads}");
    let _ = writeln!(text, "|---|---|---|---|{}", "---|".repeat(all.len()));
    for (name, unit, least) in ROWS {
        let count = all.first().and_then(|own| own.error(name)).map_or(0, |row| row.count);
        let cell = |results: &Results| {
            let cell = results.error(name).map_or(String::new(), |row| error(row.error, unit));
            format!(" {cell} |")
        };
        let cells: String = all.iter().map(cell).collect();
        let _ = writeln!(text, "| {name} | {count} | {unit} | {least} |{cells}");
    }
    text
}
