//! The table of errors in `docs/precision/measured.md`.

use crate::Worst;
use crate::operations::Operation;
use std::fmt::Write;

/// What stands above the table.
const INTRODUCTION: &str = "\
# Largest errors of operations

Written by `cargo run --release -p pyro-precision -- --write`, which takes some minutes of a core for each
operation; do not edit. `testing/precision` has the command, its references in `f64`, and a test that holds
samples below these figures.

*Error* is the largest distance from the true result in units in its last place (ULP); 0.5 is what correct
rounding gives. Operations of one argument are measured over all `f32` where *arguments* is 2^32, NaN,
infinities and subnormal numbers included, and over a part where it is less; others over samples, of all
exponents and of moderate magnitude. `Sin`, `Cos` and `Tan` count up to 2^17. *Required* is from the chapter
\"Precision and Operation of SPIR-V Instructions\". The figures hold for every processor and executor.

`OpFRem`, `OpFMod`, `FMix`, `SmoothStep`, `Length`, `Distance`, `Normalize` and the like are missing, since
they are formulas that cancel: their error in ULP has no bound.

| operation | arguments | error (ULP) | at | required |
|---|---|---|---|---|
";

/// The error in hundredths of an ULP, rounded up.
fn hundredths(distance: f64) -> f64 {
    (distance * 100.0 - 1e-6).ceil().max(0.0)
}

/// A power of two as such.
fn count(count: u64) -> String {
    format!("2^{}", count.checked_ilog2().unwrap_or(0))
}

/// The page.
#[must_use]
pub fn page(device: Option<&str>, rows: &[(&Operation, Worst)]) -> String {
    let mut text = match device {
        None => INTRODUCTION.to_owned(),
        Some(name) => format!(
            "Errors of {name}\n\n| operation | arguments | error (ULP) | at | required |\n|---|---|---|---|---|\n"
        ),
    };
    for (operation, worst) in rows {
        let at: Vec<String> = worst.at.iter().map(|value| format!("{value:e}")).collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {:.2} | {} | {} |",
            operation.name,
            count(worst.count),
            hundredths(worst.distance) / 100.0,
            at.join(", "),
            operation.required
        );
    }
    text
}

/// How many arguments the page's figure for an operation is of, and the error.
#[must_use]
pub fn figures(page: &str, name: &str) -> Option<(u64, f64)> {
    let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")))?;
    let mut cells = row.split('|').skip(2).map(str::trim);
    let count = cells.next()?.strip_prefix("2^")?.parse::<u32>().ok()?;
    Some((1 << count, cells.next()?.parse().ok()?))
}
