//! Medians and ratios, as a table and as JSON.

use serde_json::{Value, json};

use crate::bench::{Bench, Better};
use crate::icd::OURS;
use crate::runner::Outcome;

/// All samples of one driver, or of the bare machine, in one benchmark.
#[derive(Default)]
pub(crate) struct Samples {
    values: Vec<f64>,
    trouble: Option<String>,
    unsupported: bool,
}

/// One benchmark's samples, by column.
pub(crate) struct Row<'a> {
    pub(crate) bench: &'a Bench,
    /// One for each driver, in the order of the columns.
    pub(crate) drivers: Vec<Samples>,
    /// The machine's own limit.
    pub(crate) native: Samples,
}

impl Samples {
    /// Takes in one client's outcome.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Value(value, _) => self.values.push(value),
            Outcome::Unsupported(reason) => {
                self.unsupported = true;
                self.trouble = Some(reason);
            }
            Outcome::Failed(reason) => self.trouble = Some(reason),
        }
    }

    /// The middle value; of an even number the mean of the two in the middle. None where any sample
    /// failed: a driver that is wrong now and then has no speed.
    pub(crate) fn median(&self) -> Option<f64> {
        if self.trouble.is_some() || self.values.is_empty() {
            return None;
        }
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        Some(if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        })
    }

    /// Whether a result was wrong, late or absent for another reason than the driver's honest no.
    pub(crate) fn failed(&self) -> bool {
        self.trouble.is_some() && !self.unsupported
    }

    fn cell(&self) -> String {
        match (self.median(), &self.trouble) {
            (Some(value), _) => number(value),
            (None, Some(_)) if self.unsupported => "unsupported".to_owned(),
            (None, Some(_)) => "FAILED".to_owned(),
            (None, None) => "-".to_owned(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "median": self.median(),
            "samples": self.values,
            "unsupported": self.unsupported,
            "trouble": self.trouble,
        })
    }
}

impl Row<'_> {
    /// How many times better the driver in `column` is than the best of the others.
    pub(crate) fn ratio(&self, column: usize) -> Option<f64> {
        let ours = self.drivers[column].median()?;
        let others = self.drivers.iter().enumerate().filter(|(i, _)| *i != column);
        let values = others.filter_map(|(_, samples)| samples.median());
        match self.bench.better {
            Better::Higher => values.reduce(f64::max).map(|best| ours / best),
            Better::Lower => values.reduce(f64::min).map(|best| best / ours),
        }
    }

    /// The driver's share of what the machine can do.
    pub(crate) fn share(&self, column: usize) -> Option<f64> {
        Some(self.drivers[column].median()? / self.native.median()?)
    }
}

/// The report as text: a table, the geometric mean of our ratios, and what went wrong.
pub(crate) fn table(names: &[String], rows: &[Row<'_>]) -> String {
    let ours = names.iter().position(|name| name == OURS);
    let mut heading = vec!["benchmark".to_owned(), "unit".to_owned()];
    heading.extend(names.iter().cloned());
    heading.push("machine".to_owned());
    if ours.is_some() {
        heading.push("to best peer".to_owned());
        heading.push("of machine".to_owned());
    }
    let mut lines = vec![heading];
    for row in rows {
        let mut line = vec![row.bench.name.to_owned(), row.bench.unit.to_owned()];
        line.extend(row.drivers.iter().map(Samples::cell));
        line.push(row.native.cell());
        if let Some(ours) = ours {
            line.push(row.ratio(ours).map_or("-".to_owned(), |ratio| format!("{ratio:.2}x")));
            line.push(row.share(ours).map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0)));
        }
        lines.push(line);
    }
    let mut text = aligned(&lines);
    if let Some(mean) = ours.and_then(|ours| geometric_mean(rows.iter().filter_map(|row| row.ratio(ours)))) {
        text.push_str(&format!("\ngeometric mean to best peer: {mean:.2}x\n"));
    }
    for row in rows {
        let columns = names.iter().map(String::as_str).chain(["machine"]);
        for (name, samples) in columns.zip(row.drivers.iter().chain([&row.native])) {
            if let Some(trouble) = &samples.trouble {
                text.push_str(&format!("{} on {name}: {trouble}\n", row.bench.name));
            }
        }
    }
    text
}

/// The report as JSON: every sample, so that others can judge the spread.
pub(crate) fn json(names: &[String], devices: &[Option<String>], rows: &[Row<'_>], machine: Value) -> Value {
    let ours = names.iter().position(|name| name == OURS);
    let results: Vec<_> = rows
        .iter()
        .map(|row| {
            let drivers: serde_json::Map<_, _> = names
                .iter()
                .zip(&row.drivers)
                .map(|(name, samples)| (name.clone(), samples.json()))
                .collect();
            json!({
                "benchmark": row.bench.name,
                "unit": row.bench.unit,
                "better": if row.bench.better == Better::Higher { "higher" } else { "lower" },
                "drivers": drivers,
                "machine": row.native.json(),
                "ratio_to_best_peer": ours.and_then(|ours| row.ratio(ours)),
            })
        })
        .collect();
    let devices: serde_json::Map<_, _> =
        names.iter().cloned().zip(devices.iter().map(|device| json!(device))).collect();
    json!({ "machine": machine, "devices": devices, "results": results })
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Three significant digits, two of small numbers, without an exponent.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        0.0..0.01 => format!("{value:.4}"),
        0.01..0.1 => format!("{value:.3}"),
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells: Vec<_> = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(i, (cell, width))| {
                    if i < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::ALL;

    fn samples(values: &[f64]) -> Samples {
        Samples { values: values.to_vec(), ..Samples::default() }
    }

    #[test]
    fn medians() {
        assert_eq!(samples(&[3.0, 1.0, 2.0]).median(), Some(2.0));
        assert_eq!(samples(&[4.0, 1.0, 2.0, 3.0]).median(), Some(2.5));
        assert_eq!(samples(&[]).median(), None);
        let mut wrong = samples(&[1.0]);
        wrong.add(Outcome::Failed("wrong result".to_owned()));
        assert_eq!(wrong.median(), None);
        assert!(wrong.failed());
    }

    #[test]
    fn ratios_point_the_same_way_for_rates_and_times() {
        let of = |name: &str| ALL.iter().find(|bench| bench.name == name).expect("it is listed");
        let row = |name| Row {
            bench: of(name),
            drivers: vec![samples(&[6.0]), samples(&[2.0]), samples(&[3.0])],
            native: samples(&[12.0]),
        };
        assert_eq!(row("fma").ratio(0), Some(2.0));
        assert_eq!(row("fma").share(0), Some(0.5));
        assert_eq!(row("submit").ratio(1), Some(1.5));
    }

    #[test]
    fn a_table_names_every_failure() {
        let mut failed = Samples::default();
        failed.add(Outcome::Failed("signal 11".to_owned()));
        let rows = [Row { bench: &ALL[0], drivers: vec![samples(&[6.0]), failed], native: samples(&[12.0]) }];
        let text = table(&["pyroclast".to_owned(), "peer".to_owned()], &rows);
        assert!(text.contains("FAILED") && text.contains("on peer: signal 11"), "{text}");
    }
}
