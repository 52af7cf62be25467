//! How long items took: what units are cut and ordered by.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of a file of times.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// Seconds of an item whose time is not known, where no time is.
const UNKNOWN_SECONDS: f64 = 1.0;

/// Recorded times. They only decide how work is cut and ordered, never a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Seconds that a unit took beside those of its items (starting the program, reading, writing), on
    /// average.
    #[serde(default)]
    pub unit_overhead: f64,
    /// Seconds of each item, by `SECTION/ITEM`.
    pub items: BTreeMap<String, f64>,
}

impl Times {
    /// Reads a file that `farm merge` has written.
    ///
    /// # Errors
    /// Files that cannot be read, and times that are not finite or are negative.
    pub fn read(path: &Path) -> Result<Times> {
        let named = || format!("times {}", path.display());
        ensure!(
            std::fs::metadata(path).with_context(named)?.len() <= FILE_BYTES_MAX,
            "{}: too large",
            named()
        );
        Times::parse(&std::fs::read(path).with_context(named)?).with_context(named)
    }

    /// From JSON.
    ///
    /// # Errors
    /// As [`Times::read`].
    pub fn parse(json: &[u8]) -> Result<Times> {
        let times: Times = serde_json::from_slice(json)?;
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        ensure!(is_time(times.unit_overhead), "unit_overhead: {} is not a time", times.unit_overhead);
        for (name, &seconds) in &times.items {
            ensure!(is_time(seconds), "items: {name}: {seconds} is not a time");
        }
        Ok(times)
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The mean of the recorded times.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let count = self.items.len();
        if count == 0 { UNKNOWN_SECONDS } else { self.items.values().sum::<f64>() / count as f64 }
    }
}
