//! Digests of the files that a job's results depend on.

use super::Section;
use crate::digest::Digest;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The digests of a section's program and of the files that it names.
///
/// A program that is looked for in `PATH` has none: such programs (an interpreter, a shell) are taken to mean
/// the same everywhere.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn digests(
    section: &Section,
    listed: &[PathBuf],
    directory: &Path,
    found: &mut BTreeMap<String, Digest>,
) -> Result<()> {
    let mut add = |what: String, path: &Path| -> Result<()> {
        found.insert(what, Digest::of_file(path)?);
        Ok(())
    };
    if section.program.components().count() > 1 {
        add(format!("{}: program {}", section.name, section.program_as_written), &section.program)?;
    }
    for path in listed {
        add(format!("{}: input {}", section.name, path.display()), &directory.join(path))?;
    }
    Ok(())
}
