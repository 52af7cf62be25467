//! What the checks of the repository share: its files, and ratchets.
//!
//! A ratchet is a checked-in file `ratchets/NAME.txt` of lines `COUNT SUBJECT`: how often the subject, mostly
//! a file, still breaks a rule. A count may only fall: `PYRO_BLESS=1` writes lower counts, and never higher
//! ones. A subject without a line must not break the rule at all.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below these folders of the repository with this extension, by their paths from the root, in
/// order, with their texts. Folders called `target` at the top of a workspace are left out.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn files(folders: &[&str], extension: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let has_cargo_files = path.join("CACHEDIR.TAG").exists();
            if !has_cargo_files {
                let entries = fs::read_dir(&path).expect("a folder");
                open.extend(entries.map(|entry| entry.expect("an entry").path()));
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            found.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
    found
}

/// All Rust sources.
#[must_use]
pub fn sources() -> BTreeMap<String, String> {
    files(&["crates", "testing", "benches", "fuzz/fuzz_targets"], "rs")
}

/// The Rust sources of the crates themselves, without their tests and examples.
#[must_use]
pub fn crate_sources() -> BTreeMap<String, String> {
    let mut sources = files(&["crates"], "rs");
    sources.retain(|name, _| name.split('/').nth(2) == Some("src") && !name.ends_with("/tests.rs"));
    sources
}

/// Counts the lines of each file that break a rule.
#[must_use]
pub fn count_lines(
    files: &BTreeMap<String, String>,
    breaks: impl Fn(&str) -> bool,
) -> BTreeMap<String, usize> {
    let counts =
        files.iter().map(|(name, text)| (name.clone(), text.lines().filter(|line| breaks(line)).count()));
    counts.filter(|&(_, count)| count > 0).collect()
}

/// Compares counts with a ratchet: `Err` tells what exceeds it. With `PYRO_BLESS=1` lower counts are written.
///
/// # Errors
/// The subjects whose counts have grown, and what the rule is.
///
/// # Panics
/// When the ratchet's file is malformed or cannot be written.
pub fn ratchet(name: &str, rule: &str, counts: &BTreeMap<String, usize>) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ratchets").join(format!("{name}.txt"));
    let bless = pyro_test_environment::bless();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && bless => {
            // The first time, everything is allowed as it is.
            let lines = counts.iter().map(|(subject, count)| format!("{count} {subject}\n"));
            lines.collect()
        }
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let allowed: BTreeMap<String, usize> = text
        .lines()
        .map(|line| {
            let (count, subject) = line.split_once(' ').expect("COUNT SUBJECT");
            (subject.to_owned(), count.parse().expect("a count"))
        })
        .collect();
    if bless {
        let lowered = allowed
            .iter()
            .map(|(subject, &most)| (counts.get(subject).map_or(0, |&now| now.min(most)), subject));
        let lines =
            lowered.filter(|&(count, _)| count > 0).map(|(count, subject)| format!("{count} {subject}\n"));
        fs::write(&path, lines.collect::<String>()).expect("the ratchet can be written");
    }
    let grown: Vec<String> = counts
        .iter()
        .filter(|&(subject, count)| *count > allowed.get(subject).copied().unwrap_or(0))
        .map(|(subject, count)| format!("{subject}: {count}, at most {}", allowed.get(subject).unwrap_or(&0)))
        .collect();
    if grown.is_empty() { Ok(()) } else { Err(format!("{rule}\n{}", grown.join("\n"))) }
}
