//! Which part of a job a process does: shard `i` of `n`.

use anyhow::{Context, Error, Result, ensure};
use std::fmt;
use std::str::FromStr;

/// Shards of a job, at most.
const COUNT_MAX: u64 = 1_000_000;

/// Shard `index` of `count`, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The only shard.
    pub const ALL: Shard = Shard { index: 0, count: 1 };

    /// A shard.
    ///
    /// # Errors
    /// When the index is not below the count, or the count is out of range.
    pub fn new(index: u64, count: u64) -> Result<Shard> {
        ensure!((1..=COUNT_MAX).contains(&count), "{count} shards are not in 1 to {COUNT_MAX}");
        ensure!(index < count, "shard {index} of {count}: shards are counted from 0");
        Ok(Shard { index, count })
    }

    /// Which one, from zero.
    #[must_use]
    pub fn index(self) -> u64 {
        self.index
    }

    /// Of how many.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let (index, count) = text.split_once('/').with_context(|| format!("{text:?} is not I/N"))?;
        let number = |part: &str| part.parse().with_context(|| format!("{text:?} is not I/N: {part:?}"));
        Shard::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.count)
    }
}
