//! The files of a job: frames and other outputs by name, buffers by range, tiles as one picture.

use super::{Problem, Results, SectionResults, picture, subject};
use crate::job::{Dispatch, Job, Kind, Section};
use crate::plan::Plan;
use crate::record::Output;
use crate::store::Store;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes the files of all items below a folder; gives what is wrong with them.
///
/// # Errors
/// Store errors, and when the folder cannot be written.
pub fn write_files(
    store: &Store,
    job: &Job,
    plan: &Plan,
    results: &Results,
    folder: &Path,
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (at, (section, found)) in job.sections.iter().zip(&results.sections).enumerate() {
        let unit_of = |item: usize| {
            plan.units
                .iter()
                .position(|unit| unit.section == at && (unit.first..unit.first + unit.count).contains(&item))
        };
        let mut wrong = Wrong::default();
        let folder = folder.join(&section.name);
        match &section.kind {
            Kind::Dispatch(dispatch) => buffers(store, dispatch, found, &folder, &mut wrong)?,
            Kind::Tiles(tiles) => {
                let mut read = |output: &Output| store.get_blob(output.digest, output.bytes);
                let picture = picture::join(tiles, &found.items, &mut read, &mut wrong)?;
                if let Some(picture) = picture {
                    write(&folder.join("picture.png"), &picture)?;
                }
            }
            Kind::Numbers(_) | Kind::Cases(_) => outputs(store, section, found, &folder, &mut wrong)?,
        }
        for (item, what) in wrong.0 {
            let unit = unit_of(item).unwrap_or(0);
            problems.push(Problem { unit, subject: subject(job, plan, unit), what });
        }
    }
    Ok(problems)
}

/// Checks the files of all items against their digests; gives what is wrong with them.
///
/// # Errors
/// None so far: what cannot be read is wrong.
pub fn check_files(store: &Store, job: &Job, plan: &Plan, results: &Results) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (unit, planned) in plan.units.iter().enumerate() {
        let items = &results.sections[planned.section].items[planned.first..planned.first + planned.count];
        for output in items.iter().flat_map(|item| &item.outputs) {
            if let Err(error) = store.get_blob(output.digest, output.bytes) {
                let what = format!("its file {} is refused: {error:#}", output.name);
                problems.push(Problem { unit, subject: subject(job, plan, unit), what });
            }
        }
    }
    Ok(problems)
}

/// Items of a section whose files are wrong, and how.
#[derive(Default)]
pub(super) struct Wrong(pub(super) Vec<(usize, String)>);

impl Wrong {
    /// The bytes of an output, if they are right.
    fn read(&mut self, store: &Store, item: usize, output: &Output) -> Option<Vec<u8>> {
        match store.get_blob(output.digest, output.bytes) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.0.push((item, format!("its file {} is refused: {error:#}", output.name)));
                None
            }
        }
    }
}

/// Writes a file, and makes the folder that it is in.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn outputs(
    store: &Store,
    section: &Section,
    found: &SectionResults,
    folder: &Path,
    wrong: &mut Wrong,
) -> Result<()> {
    let mut names = BTreeSet::new();
    for (at, item) in found.items.iter().enumerate() {
        for output in &item.outputs {
            // Records are authenticated with a key only: names are checked as those of job files.
            if crate::job::check_output(&output.name).is_err() {
                wrong.0.push((at, format!("its file's name {:?} leads elsewhere", output.name)));
                continue;
            }
            if !names.insert(output.name.as_str()) {
                let name = &section.name;
                wrong.0.push((at, format!("a second item of section {name} gives {}", output.name)));
                continue;
            }
            let Some(bytes) = wrong.read(store, at, output) else { continue };
            write(&folder.join(&output.name), &bytes)?;
        }
    }
    Ok(())
}

/// Each buffer is the ranges of all slabs, one behind the other.
fn buffers(
    store: &Store,
    dispatch: &Dispatch,
    found: &SectionResults,
    folder: &Path,
    wrong: &mut Wrong,
) -> Result<()> {
    fs::create_dir_all(folder)?;
    let is_whole = found.items.iter().all(|item| item.outputs.len() == dispatch.outputs.len());
    for (place, output) in dispatch.outputs.iter().enumerate() {
        // A slab that failed leaves a hole; its verdict says so.
        if !is_whole {
            break;
        }
        let path = folder.join(format!("{}.bin", output.place));
        let mut file =
            BufWriter::new(File::create(&path).with_context(|| format!("cannot write {}", path.display()))?);
        for (at, item) in found.items.iter().enumerate() {
            let range = dispatch.linear_range(at);
            let byte_count = (range.end - range.start) * output.bytes_per_group;
            let part = &item.outputs[place];
            if part.bytes != byte_count || part.name != output.place {
                wrong.0.push((at, format!("its part of buffer {} has {} bytes", output.place, part.bytes)));
            } else if let Some(bytes) = wrong.read(store, at, part) {
                file.write_all(&bytes).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        file.flush().with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
