//! The table of errors in `docs/precision/measured.md`.

use crate::Worst;
use crate::operations::{OPERATIONS, Operation};
use crate::results::Results;
use std::fmt::Write;

/// What stands above the table.
const INTRODUCTION: &str = "\
# Largest errors of operations

Written by `pyro-precision page` from the files in `testing/precision/results`; do not edit. The folder
`testing/precision` has the command that measures them on any Vulkan device, its references in `f64`, and a
test that holds samples below these figures. What samplers, blending, resolves and coverage do is in
[exact.md](exact.md).

*Error* is the largest distance from the true result in units in its last place (ULP); 0.5 is what correct
rounding gives. Operations of one argument are measured over all `f32` where *arguments* is 2^32, NaN,
infinities and subnormal numbers included, and over a part where it is less; others over samples, of all
exponents and of moderate magnitude. `Sin`, `Cos` and `Tan` count up to 2^17. *Required* is from the chapter
\"Precision and Operation of SPIR-V Instructions\", which lets devices flush subnormal numbers to zero and
leave infinities and NaN open, so that an error without bound (*inf*) of another device may be allowed. The
figures of this driver hold for every processor and executor.

`OpFRem`, `OpFMod`, `FMix`, `SmoothStep`, `Length`, `Distance`, `Normalize` and the like are missing, since
they are formulas that cancel: their error in ULP has no bound.

";

/// The error in hundredths of an ULP, rounded up.
fn hundredths(distance: f64) -> f64 {
    (distance * 100.0 - 1e-6).ceil().max(0.0)
}

/// An error as a cell.
fn error(worst: &Worst) -> String {
    let error = hundredths(worst.distance) / 100.0;
    if error >= 1e6 { format!("{error:.1e}") } else { format!("{error:.2}") }
}

/// A count as a power of two, with what it is more than that.
fn count(count: u64) -> String {
    let log = (count.max(1) as f64).log2();
    if count.is_power_of_two() { format!("2^{log}") } else { format!("2^{log:.1}") }
}

/// Where the error is.
fn place(worst: &Worst) -> String {
    worst.at.iter().map(|value| format!("{value:e}")).collect::<Vec<_>>().join(", ")
}

/// The page: our driver's figures beside those of other devices.
#[must_use]
pub fn page(own: &Results, others: &[Results]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let names = || others.iter().map(|other| other.device.as_str());
    for (other, name) in others.iter().zip(names()) {
        let counts = other.errors.values().map(|worst| worst.count);
        let least = count(counts.min().unwrap_or_default());
        let _ = writeln!(text, "{name}: {least} arguments or more of each operation.\n");
    }
    let heads: String = names().map(|name| format!(" {} |", short(name))).collect();
    let _ = writeln!(text, "| operation | arguments | error (ULP) | at |{heads} required |");
    let _ = writeln!(text, "|---|---|---|---|{}---|", "---|".repeat(others.len()));
    for operation in OPERATIONS {
        let Some(worst) = own.errors.get(operation.name) else { continue };
        let cell = |other: &Results| other.errors.get(operation.name).map_or(String::new(), error);
        let cells: String = others.iter().map(|other| format!(" {} |", cell(other))).collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |{cells} {} |",
            operation.name,
            count(worst.count),
            error(worst),
            place(worst),
            operation.required
        );
    }
    text
}

/// A device's name without what is in brackets.
fn short(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// A table of one device, for who measures it.
#[must_use]
pub fn list(results: &Results) -> String {
    let mut text = format!("{}\n", results.device);
    let named = |operation: &&Operation| results.errors.contains_key(operation.name);
    for operation in OPERATIONS.iter().filter(named) {
        let worst = &results.errors[operation.name];
        let (error, count) = (error(worst), count(worst.count));
        let _ = writeln!(text, "{:16} {error:>10} ULP of {count} at {}", operation.name, place(worst));
    }
    text
}
