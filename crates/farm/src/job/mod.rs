//! Jobs: what a job file says, checked, with the names of all items and the digests of all inputs.
//!
//! Problem: workers on different machines must agree on what is to be done without talking to each other.
//! Approach: a job is a list of sections, a section a list of *items* in a fixed order (test cases, frames,
//! seeds, indices, tiles, slabs of a dispatch); all that decides an item's result has a digest, and the job's
//! digest covers them all. Workers with the same digest do the same. *Must not know*: stores, workers, times.

mod file;
mod inputs;
mod item;
pub(crate) mod limits;
mod report;
pub(crate) mod template;
mod video;

pub(crate) use file::check_output;
pub use item::Item;
pub use report::{Join, Report};
pub use video::Video;

use crate::digest::Digest;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A checked job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name: letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// Where its file is; relative paths start there.
    pub directory: PathBuf,
    /// How often a unit is tried again whose program could not be run at all.
    pub retries: u32,
    /// Units are cut so that they take about this many seconds, where times are recorded.
    pub unit_seconds: f64,
    /// Its sections, in the order of the file.
    pub sections: Vec<Section>,
    /// The digests of the files that its results depend on, by what they are.
    pub inputs: BTreeMap<String, Digest>,
    /// The digest of all that its results depend on.
    pub digest: Digest,
}

impl Job {
    /// The items of all sections.
    #[must_use]
    pub fn item_count(&self) -> usize {
        self.sections.iter().map(Section::item_count).sum()
    }
}

/// Items of one kind, and the program that runs them.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Its name, unique in the job.
    pub name: String,
    /// The program: a path, or a name to be looked for in `PATH`.
    #[serde(skip)]
    pub program: PathBuf,
    /// The program as the file has it.
    #[serde(rename = "program")]
    pub program_as_written: String,
    /// Arguments, with placeholders.
    pub arguments: Vec<String>,
    /// Environment variables that are set for the program.
    pub environment: BTreeMap<String, String>,
    /// The folder that the program runs in.
    #[serde(skip)]
    pub directory: PathBuf,
    /// How long an item may take.
    pub timeout: Duration,
    /// Items of a unit, at most.
    #[serde(skip)]
    pub batch: usize,
    /// Files that each process writes beside its items' results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<Report>,
    /// What the items are.
    pub kind: Kind,
}

/// What the items of a section are.
#[derive(Clone, Debug, Serialize)]
pub enum Kind {
    /// Test cases.
    Cases(Cases),
    /// Numbers: frames, seeds, indices.
    Numbers(Numbers),
    /// Tiles of a picture.
    Tiles(Tiles),
    /// Slabs of a dispatch's workgroups.
    Dispatch(Dispatch),
}

/// Test cases of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Cases {
    /// Their names.
    pub names: Vec<String>,
    /// How verdicts are read.
    pub verdicts: Verdicts,
}

/// How the verdicts of test cases are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdicts {
    /// From standard output, as dEQP prints it: `Test case 'NAME'..` and `  Pass (text)`.
    Deqp,
    /// From standard output, as Rust's libtest prints it: `test NAME ... ok`.
    Libtest,
    /// One process for each case; its exit code.
    ExitCode,
}

/// What a section's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Counted {
    /// `{frame}`
    Frame,
    /// `{seed}`
    Seed,
    /// `{index}`
    Index,
}

impl Counted {
    /// The placeholder's name.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Counted::Frame => "frame",
            Counted::Seed => "seed",
            Counted::Index => "index",
        }
    }
}

/// A range of numbers, one process for each.
#[derive(Clone, Debug, Serialize)]
pub struct Numbers {
    /// What they are.
    pub counted: Counted,
    /// The first.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// Names of the files that each process writes into `{output}`, with placeholders.
    pub outputs: Vec<String>,
    /// The video that merging makes of frames; no result depends on it.
    #[serde(skip)]
    pub video: Option<Video>,
}

/// Tiles of a picture, one process for each, row by row.
#[derive(Clone, Debug, Serialize)]
pub struct Tiles {
    /// Pixels of the picture: width, height.
    pub size: [u32; 2],
    /// Pixels of a tile; those at the right and bottom edges may be smaller.
    pub tile: [u32; 2],
    /// The name of the PNG file that each process writes into `{output}`.
    pub output: String,
}

impl Tiles {
    /// Columns and rows of tiles.
    #[must_use]
    pub fn grid(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.size[axis].div_ceil(self.tile[axis]))
    }

    /// Position and size of a tile, in pixels.
    #[must_use]
    pub fn rectangle(&self, index: usize) -> ([u32; 2], [u32; 2]) {
        let columns = self.grid()[0] as usize;
        let place = [(index % columns) as u32, (index / columns) as u32];
        let origin = [0, 1].map(|axis| place[axis] * self.tile[axis]);
        (origin, [0, 1].map(|axis| self.tile[axis].min(self.size[axis] - origin[axis])))
    }
}

/// A dispatch whose outermost axis with more than one workgroup is cut into slabs.
#[derive(Clone, Debug, Serialize)]
pub struct Dispatch {
    /// The shader's file; its digest is among the inputs.
    #[serde(skip)]
    pub shader: PathBuf,
    /// Workgroups of the whole dispatch.
    pub groups: [u32; 3],
    /// Workgroups of a slab along the cut axis.
    pub slab: u32,
    /// Buffers and other data, as arguments of `pyroclast run`, with paths as the job file has them.
    pub data_as_written: Vec<String>,
    /// The same with absolute paths.
    #[serde(skip)]
    pub data: Vec<String>,
    /// What is kept of the buffers.
    pub outputs: Vec<BufferOutput>,
}

/// A buffer of which each workgroup writes as many bytes, in the order of workgroups: x fastest, then y, z.
#[derive(Clone, Debug, Serialize)]
pub struct BufferOutput {
    /// `SET.BINDING`
    pub place: String,
    /// Bytes that a workgroup writes.
    pub bytes_per_group: u64,
    /// Where its first contents come from, to find writes outside a slab's range.
    pub initial: Initial,
}

/// The first contents of a buffer.
#[derive(Clone, Debug, Serialize)]
pub enum Initial {
    /// So many zeros.
    Zero(u64),
    /// The bytes of a file.
    File(#[serde(skip)] PathBuf),
}

impl Dispatch {
    /// The axis that is cut: the outermost with more than one workgroup.
    #[must_use]
    pub fn axis(&self) -> usize {
        (0..3).rev().find(|&axis| self.groups[axis] > 1).unwrap_or(0)
    }

    /// How many slabs there are.
    #[must_use]
    pub fn slab_count(&self) -> usize {
        self.groups[self.axis()].div_ceil(self.slab) as usize
    }

    /// Base and counts of a slab's workgroups.
    #[must_use]
    pub fn slab(&self, index: usize) -> ([u32; 3], [u32; 3]) {
        let axis = self.axis();
        let (mut base, mut groups) = ([0; 3], self.groups);
        base[axis] = index as u32 * self.slab;
        groups[axis] = self.slab.min(self.groups[axis] - base[axis]);
        (base, groups)
    }

    /// The workgroups of a slab by their linear index: first, and one past the last.
    #[must_use]
    pub fn linear_range(&self, index: usize) -> std::ops::Range<u64> {
        let (base, groups) = self.slab(index);
        let axis = self.axis();
        let below: u64 = self.groups[..axis].iter().map(|&count| u64::from(count)).product();
        let first = u64::from(base[axis]) * below;
        first..first + u64::from(groups[axis]) * below
    }
}
