//! The digests that the repository keeps, of one pixels epoch.

use crate::compare::{Digests, differences, line, parse};
use crate::{Kind, Maker};
use pyro_util::version::PIXELS_EPOCH;
use std::path::{Path, PathBuf};

/// How many cases of each kind are kept.
pub const COUNTS: [(Kind, u64); 15] = [
    (Kind::Scene, 250),
    (Kind::Free, 250),
    (Kind::Shader, 200),
    (Kind::Float, 200),
    (Kind::Stages, 150),
    (Kind::Texels, 250),
    (Kind::Rays, 100),
    (Kind::Matrix, 100),
    (Kind::Launches, 100),
    (Kind::Images, 250),
    (Kind::Raster, 150),
    (Kind::Vectors, 100),
    (Kind::Tensors, 100),
    (Kind::Kernels, 150),
    (Kind::Graphs, 100),
];

const HEADER: &str = "# Written by `pyro-digests bless`; a change needs a new PIXELS_EPOCH.\nepoch ";

/// The digests of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The epoch.
    pub epoch: u32,
    /// The digests.
    pub digests: Digests,
}

/// The file in a repository.
const FILE: &str = "testing/digests/digests.txt";
/// Its text when this program was built, for machines that have the program alone.
const BUILT_IN: &str = include_str!("../digests.txt");

/// The file of the repository that the current folder is in.
///
/// # Errors
/// When it is in none.
pub fn path() -> Result<PathBuf, String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let path = folder.ancestors().map(|folder| folder.join(FILE)).find(|path| path.exists());
    path.ok_or_else(|| format!("no {FILE} in {} or a folder above it", folder.display()))
}

impl Stored {
    /// Reads the file's text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Stored, String> {
        let rest = text.strip_prefix(HEADER).ok_or("digests.txt does not begin as it should")?;
        let (epoch, digests) = rest.split_once('\n').ok_or("digests.txt has no digests")?;
        let epoch = epoch.parse().map_err(|error| format!("digests.txt: the epoch: {error}"))?;
        Ok(Stored { epoch, digests: parse(digests)? })
    }

    /// The digests that this program was built with.
    ///
    /// # Errors
    /// When they are not what [`Stored::text`] writes.
    pub fn built_in() -> Result<Stored, String> {
        Stored::parse(BUILT_IN)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Stored, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Stored::parse(&text)
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.digests.iter().map(|((kind, number), digest)| line(*kind, *number, digest) + "\n");
        format!("{HEADER}{}\n{}", self.epoch, lines.collect::<String>())
    }

    /// Checks digests of a driver of an epoch against these.
    ///
    /// # Errors
    /// What has changed, and what to do about it.
    pub fn check(&self, epoch: u32, found: &Digests) -> Result<(), String> {
        if epoch != self.epoch {
            let stored = self.epoch;
            return Err(format!(
                "digests.txt is of epoch {stored}, the driver of epoch {epoch}: write it anew (`pyro-digests bless`)"
            ));
        }
        let differences = differences(&self.digests, found);
        if differences.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{} of {} digests have changed. If that is intended, raise PIXELS_EPOCH in crates/util/src/version.rs \
             and run `pyro-digests bless`:\n{}",
            differences.len(),
            found.len(),
            differences.iter().take(20).map(|line| format!("  {line}\n")).collect::<String>()
        ))
    }

    /// What to write for the digests of a driver of an epoch: these may change with the epoch only.
    ///
    /// # Errors
    /// As of [`Stored::check`].
    pub fn renewed(&self, epoch: u32, found: &Digests) -> Result<Stored, String> {
        let known = found.iter().filter(|(case, _)| self.digests.contains_key(case));
        let known: Digests = known.map(|(case, digest)| (*case, digest.clone())).collect();
        if epoch == self.epoch {
            self.check(epoch, &known)?;
        }
        Ok(Stored { epoch, digests: found.clone() })
    }
}

/// The digests of all stored cases by the driver in this process.
///
/// # Errors
/// When there is no device.
pub fn current() -> Result<Digests, String> {
    first(u64::MAX)
}

/// Those of the first stored cases of each kind, so many at most.
///
/// # Errors
/// When there is no device.
pub fn first(most: u64) -> Result<Digests, String> {
    let mut maker = Maker::new();
    let numbers = |&(kind, count): &(Kind, u64)| (1..=count.min(most)).map(move |number| (kind, number));
    let cases = COUNTS.iter().flat_map(numbers);
    cases.map(|(kind, number)| Ok(((kind, number), maker.digest(kind, number)?))).collect()
}

/// Writes the repository's file for the driver in this process.
///
/// # Errors
/// When digests have changed and the epoch has not, and when the file cannot be read and written.
pub fn bless() -> Result<(), String> {
    let path = path()?;
    let new = Stored::read(&path)?.renewed(PIXELS_EPOCH, &current()?)?;
    std::fs::write(path, new.text()).map_err(|error| error.to_string())
}
