//! The table: a row for each shape.

use crate::Arguments;
use crate::process::{Found, in_process};
use pyro_shapes::Shape;
use pyro_shapes::measure::assemble;
use std::fmt::{self, Display, Formatter};

/// How many times the time and memory ten times the size may take.
pub(crate) const RATIO_MAX: f64 = 12.0;
/// By how much sizes grow.
const FACTOR: usize = 10;
/// Below so much of the larger size, a ratio says nothing: what each process does anyway, and pages.
const SECONDS_MIN: f64 = 0.05;
const MEBIBYTES_MIN: f64 = 16.0;
/// How often a row with too high a ratio is measured again, since others use the processor and its caches,
/// too.
const AGAIN: usize = 2;

/// What was measured of a shape.
pub(crate) struct Row {
    pub(crate) shape: Shape,
    found: Vec<Found>,
}

/// The head of the table.
pub(crate) fn heading(count: u32) -> String {
    let last = count.saturating_sub(1);
    let of = |power: u32| match last - power {
        0 => "largest".to_owned(),
        below => format!("1/{}", FACTOR.pow(below)),
    };
    let columns =
        |unit: &str| (0..count).map(|power| format!(" {unit}, {} |", of(power))).collect::<String>();
    let rule = "--- | ".repeat(2 * count as usize + 2);
    format!("| shape | instructions |{}{}\n| {}", columns("s"), columns("MiB"), rule.trim_end())
}

impl Row {
    /// Measures all sizes of a shape: the least of a few measurements where a ratio is too high at first.
    pub(crate) fn measure(shape: &Shape, arguments: &Arguments) -> Row {
        let asked = largest_size(shape, arguments.instructions);
        let last = arguments.count.saturating_sub(1);
        let (mut largest, mut divisor) = (asked, 1);
        let found = loop {
            let found = in_process(shape, largest, arguments);
            // A limit that depends on more than the size, and may be next to what was asked for.
            let is_limit = found.error.as_ref().is_some_and(|error| error.starts_with("too large"));
            if !is_limit || largest == 1 {
                break found;
            }
            largest = if divisor == 1 { asked - asked.div_ceil(16) } else { asked / divisor }.max(1);
            divisor *= 2;
        };
        let smaller = |power| (largest / FACTOR.pow(last - power)).max(1);
        let mut all: Vec<Found> =
            (0..last).map(|power| in_process(shape, smaller(power), arguments)).collect();
        all.push(found);
        let mut row = Row { shape: *shape, found: all };
        for _ in 0..AGAIN {
            if row.failures().is_empty() {
                break;
            }
            for (power, found) in (0..=last).zip(&mut row.found) {
                let again = in_process(shape, smaller(power), arguments);
                if again.error.is_none() {
                    let memory = found.mebibytes.min(again.mebibytes);
                    if again.seconds < found.seconds {
                        *found = again;
                    }
                    found.mebibytes = memory;
                }
            }
        }
        row
    }

    /// What is wrong with it: a ratio that is too high, or an error.
    pub(crate) fn failures(&self) -> Vec<String> {
        let name = self.shape.name;
        let errors = self.found.iter().filter_map(|found| Some(format!("{name}: {}", found.error.as_ref()?)));
        let mut failures: Vec<String> = errors.collect();
        for pair in self.found.windows(2) {
            let time = ratio(pair, |found| found.seconds);
            if time > RATIO_MAX && pair[1].seconds > SECONDS_MIN {
                failures.push(format!("{name}: {time:.1} times the time"));
            }
            let memory = ratio(pair, |found| found.mebibytes);
            if memory > RATIO_MAX && pair[1].mebibytes > MEBIBYTES_MIN {
                failures.push(format!("{name}: {memory:.1} times the memory"));
            }
        }
        failures
    }

    /// The steps that take more than a twentieth of the largest size, in milliseconds.
    pub(crate) fn steps(&self) -> String {
        let Some(last) = self.found.iter().rev().find(|found| !found.steps.is_empty()) else {
            return String::new();
        };
        let slow = last.steps.iter().filter(|step| step.1 >= last.seconds / 20.0);
        slow.map(|(name, _)| {
            let times = self.found.iter().map(|found| found.steps.iter().find(|step| step.0 == *name));
            let cells: String =
                times.map(|step| format!(" {:10.2}", step.map_or(0.0, |step| step.1) * 1e3)).collect();
            format!("    {name:20}{cells} ms\n")
        })
        .collect()
    }
}

fn ratio(pair: &[Found], figure: impl Fn(&Found) -> f64) -> f64 {
    // No process is measured more finely than this.
    figure(&pair[1]) / figure(&pair[0]).max(1e-3)
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let instructions = self.found.last().map_or(0, |found| found.instructions);
        write!(f, "| `{}` | {instructions} |", self.shape.name)?;
        let figures: [fn(&Found) -> f64; 2] = [|found| found.seconds, |found| found.mebibytes];
        for (figure, digits) in figures.into_iter().zip([3, 0]) {
            for (at, found) in self.found.iter().enumerate() {
                let value = figure(found);
                let mark = if found.interpreted.is_some() { " (interpreted)" } else { "" };
                match &found.error {
                    Some(error) => write!(f, " {} |", error.chars().take(60).collect::<String>())?,
                    None if at == 0 || self.found[at - 1].error.is_some() => {
                        write!(f, " {value:.digits$}{mark} |")?;
                    }
                    None => {
                        let ratio = ratio(&self.found[at - 1..=at], figure);
                        write!(f, " {value:.digits$} ×{ratio:.1}{mark} |")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The size whose module has about so many instructions, where the shape's limits allow.
fn largest_size(shape: &Shape, instructions: usize) -> usize {
    let (small, large) = (64.min(shape.size_max), 256.min(shape.size_max));
    let count = |size| assemble(&(shape.make)(size)).instructions();
    if small == large {
        return small;
    }
    let (at_small, at_large) = (count(small), count(large));
    // Modules whose size is not in their instructions repeat something as often as others have instructions.
    let each = ((at_large - at_small) as f64 / (large - small) as f64).max(1.0);
    // At most so many: the driver has a limit, which is a million.
    let more = (instructions as f64 - at_small as f64) / each;
    ((small as f64 + more.floor()) as usize).clamp(1, shape.size_max)
}
