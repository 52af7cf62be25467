//! The environment variables that the farm reads: which shard a scheduler gives to this process.

use crate::engine::shard::Shard;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What a scheduler says of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// The shard, and the variable that says so.
    pub shard: Option<(Shard, &'static str)>,
    /// Bazel's `TEST_SHARD_STATUS_FILE`: touched to show that shards are understood.
    pub status_file: Option<PathBuf>,
}

impl Scheduled {
    /// What this process's environment says.
    ///
    /// # Errors
    /// Variables with values that are not numbers, or do not fit each other.
    pub fn from_environment() -> Result<Scheduled> {
        Scheduled::from_variables(|name| std::env::var(name).ok())
    }

    /// What these variables say. The first of: `PYROCLAST_FARM_SHARD` (`I/N`), Bazel's `TEST_SHARD_INDEX` and
    /// `TEST_TOTAL_SHARDS`, Slurm's `SLURM_ARRAY_TASK_ID` (with `_COUNT`, `_MIN`, `_STEP`), Kubernetes'
    /// `JOB_COMPLETION_INDEX` with `PYROCLAST_FARM_SHARDS`.
    ///
    /// # Errors
    /// As [`Scheduled::from_environment`].
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Scheduled> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let number = |name: &'static str| -> Result<Option<u64>> {
            let parse = |text: String| {
                text.parse().with_context(|| format!("environment variable {name}: {text:?} is not a number"))
            };
            set(name).map(parse).transpose()
        };
        let needed = |name: &'static str, beside: &str| -> Result<u64> {
            number(name)?.with_context(|| format!("environment variable {name} is not set beside {beside}"))
        };
        let status_file = set("TEST_SHARD_STATUS_FILE").map(PathBuf::from);
        let shard = if let Some(text) = set("PYROCLAST_FARM_SHARD") {
            let name = "PYROCLAST_FARM_SHARD";
            Some((text.parse().with_context(|| format!("environment variable {name}"))?, name))
        } else if let Some(index) = number("TEST_SHARD_INDEX")? {
            let name = "TEST_SHARD_INDEX";
            Some((checked(index, needed("TEST_TOTAL_SHARDS", name)?, name)?, name))
        } else if let Some(id) = number("SLURM_ARRAY_TASK_ID")? {
            let name = "SLURM_ARRAY_TASK_ID";
            let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
            let Some(offset) = id.checked_sub(first).filter(|offset| offset % step == 0) else {
                bail!("{name} {id} is not SLURM_ARRAY_TASK_MIN {first} plus a multiple of {step}");
            };
            // A job array that is submitted again for some of its tasks has fewer than there are shards.
            let count = match number("PYROCLAST_FARM_SHARDS")? {
                Some(count) => return with(checked(id, count, name)?, name, status_file),
                None => needed("SLURM_ARRAY_TASK_COUNT", name)?,
            };
            Some((checked(offset / step, count, name)?, name))
        } else if let Some(index) = number("JOB_COMPLETION_INDEX")? {
            let name = "JOB_COMPLETION_INDEX";
            Some((checked(index, needed("PYROCLAST_FARM_SHARDS", name)?, name)?, name))
        } else {
            None
        };
        Ok(Scheduled { shard, status_file })
    }
}

fn with(shard: Shard, name: &'static str, status_file: Option<PathBuf>) -> Result<Scheduled> {
    Ok(Scheduled { shard: Some((shard, name)), status_file })
}

fn checked(index: u64, count: u64, name: &str) -> Result<Shard> {
    Shard::new(index, count).with_context(|| format!("environment variable {name}"))
}

/// The variables that configure cloud stores (`AWS_…`, `GOOGLE_…`, `AZURE_…`), as `object_store` reads them.
#[must_use]
pub fn cloud_variables() -> Vec<(String, String)> {
    let is_cloud = |name: &str| ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|start| name.starts_with(start));
    let texts = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    texts
        .filter(|(name, _)| is_cloud(name))
        .filter_map(|(name, value)| Some((name, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(variables: &[(&str, &str)]) -> Result<Option<(u64, u64)>> {
        let find = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Ok(Scheduled::from_variables(find)?.shard.map(|(shard, _)| (shard.index(), shard.count())))
    }

    #[test]
    fn schedulers_are_recognized() {
        assert_eq!(shard(&[]).unwrap(), None);
        assert_eq!(shard(&[("PYROCLAST_FARM_SHARD", "2/3")]).unwrap(), Some((2, 3)));
        assert_eq!(shard(&[("TEST_SHARD_INDEX", "1"), ("TEST_TOTAL_SHARDS", "4")]).unwrap(), Some((1, 4)));
        let kubernetes = [("JOB_COMPLETION_INDEX", "7"), ("PYROCLAST_FARM_SHARDS", "8")];
        assert_eq!(shard(&kubernetes).unwrap(), Some((7, 8)));
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "14"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
        ];
        assert_eq!(shard(&slurm).unwrap(), Some((2, 3)));
        let again = [
            ("SLURM_ARRAY_TASK_ID", "5"),
            ("SLURM_ARRAY_TASK_MIN", "5"),
            ("SLURM_ARRAY_TASK_COUNT", "1"),
            ("PYROCLAST_FARM_SHARDS", "8"),
        ];
        assert_eq!(shard(&again).unwrap(), Some((5, 8)));
    }

    #[test]
    fn contradictions_are_named() {
        for (variables, name) in [
            (&[("TEST_SHARD_INDEX", "1")][..], "TEST_TOTAL_SHARDS"),
            (&[("TEST_SHARD_INDEX", "4"), ("TEST_TOTAL_SHARDS", "4")], "TEST_SHARD_INDEX"),
            (&[("TEST_SHARD_INDEX", "x"), ("TEST_TOTAL_SHARDS", "4")], "not a number"),
            (&[("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_MIN", "2")], "SLURM_ARRAY_TASK_MIN"),
            (&[("JOB_COMPLETION_INDEX", "1")], "PYROCLAST_FARM_SHARDS"),
            (&[("PYROCLAST_FARM_SHARD", "3/3")], "PYROCLAST_FARM_SHARD"),
        ] {
            let error = format!("{:#}", shard(variables).unwrap_err());
            assert!(error.contains(name), "{variables:?}: {error}");
        }
    }
}
