//! Tests that are files: an input, and behind a line the output that it must give.

use crate::bless;
use std::path::{Path, PathBuf};

/// The files of a folder, sorted; at least one.
///
/// # Panics
///
/// If the folder cannot be read or is empty.
#[must_use]
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths
}

/// Holds the output that each file of `folder` states against what `output` makes of its input. A file is its
/// input, `separator` and the output; where [`bless`] says so, outputs are written anew.
///
/// # Panics
///
/// With all differences, if there is one.
pub fn check_outputs(folder: &Path, separator: &str, output: impl Fn(&str) -> Result<String, String>) {
    let check = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let (input, expected) = text.split_once(separator).unwrap_or((&text, ""));
        let actual = output(input)?;
        if bless() {
            let text = format!("{}\n{separator}{actual}", input.trim_end());
            return std::fs::write(path, text).map_err(|error| error.to_string());
        }
        if actual == expected { Ok(()) } else { Err(format!("it gives\n{actual}")) }
    };
    let failures: Vec<_> = files(folder)
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.display(), check(path).err()?)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
