//! What was measured, as files: of parts, which are joined, and of devices, which the page is made of.

use crate::Worst;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Errors of a device's operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The device.
    pub device: String,
    /// The parts of the whole that they are of: number and count.
    pub parts: Vec<(u64, u64)>,
    /// By the operation's name.
    pub errors: BTreeMap<String, Worst>,
}

/// The folder of results that the repository keeps.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results")
}

/// The files in a folder of the results, by name.
///
/// # Errors
/// When it cannot be read.
pub fn files(name: &str) -> Result<Vec<PathBuf>, String> {
    let folder = folder().join(name);
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

impl Results {
    /// The file's text: bits in hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("device\t{}\n", self.device);
        for (number, count) in &self.parts {
            let _ = writeln!(text, "part\t{number}\t{count}");
        }
        for (name, worst) in &self.errors {
            let _ = write!(text, "error\t{name}\t{}\t{:x}", worst.count, worst.distance.to_bits());
            worst.at.iter().for_each(|value| {
                let _ = write!(text, "\t{:x}", value.to_bits());
            });
            text.push('\n');
        }
        text
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Results, String> {
        let mut results = Results::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            results.take(&fields).ok_or_else(|| format!("not a result: {line}"))?;
        }
        Ok(results)
    }

    fn take(&mut self, fields: &[&str]) -> Option<()> {
        match fields {
            ["device", name] => self.device = (*name).to_owned(),
            ["part", number, count] => self.parts.push((number.parse().ok()?, count.parse().ok()?)),
            ["error", name, count, distance, at @ ..] => {
                let at = at.iter().map(|bits| u32::from_str_radix(bits, 16).map(f32::from_bits));
                let worst = Worst {
                    distance: f64::from_bits(u64::from_str_radix(distance, 16).ok()?),
                    at: at.collect::<Result<_, _>>().ok()?,
                    count: count.parse().ok()?,
                };
                self.errors.insert((*name).to_owned(), worst);
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not one of these.
    pub fn read(path: &Path) -> Result<Results, String> {
        let named = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        Results::parse(&text).map_err(named)
    }

    /// Those that the repository keeps: our driver's, and other devices' in the order of their files' names.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn kept() -> Result<(Results, Vec<Results>), String> {
        let own = folder().join("operations/pyroclast.txt");
        let files = files("operations")?;
        let others = files.iter().filter(|file| **file != own).map(|file| Results::read(file));
        Ok((Results::read(&own)?, others.collect::<Result<_, _>>()?))
    }

    /// Takes another part of the same device.
    ///
    /// # Errors
    /// When they are of different devices, or a part is there already for an operation.
    pub fn join(&mut self, other: &Results) -> Result<(), String> {
        if self.parts.is_empty() {
            *self = other.clone();
            return Ok(());
        }
        if self.device != other.device {
            return Err(format!("results of {} and of {} are not of one device", self.device, other.device));
        }
        let known = |name: &String| self.errors.contains_key(name);
        if other.errors.keys().any(known) && other.parts.iter().any(|part| self.parts.contains(part)) {
            return Err(format!("a part is there twice: {:?}", other.parts));
        }
        for part in &other.parts {
            if !self.parts.contains(part) {
                self.parts.push(*part);
            }
        }
        for (name, worst) in &other.errors {
            self.errors.entry(name.clone()).or_default().merge(worst);
        }
        Ok(())
    }
}
