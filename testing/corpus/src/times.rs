//! Times by what was done.

use pyro_util::sync::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Times that are kept of one kind of work.
const KEPT: usize = 64;

/// What was done between two timestamps. Equal work of several drivers has equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Work {
    /// Of a dispatch, its pipeline; of a render pass, its pipelines and draws.
    pub pipelines: u64,
    /// Of a dispatch, its workgroups, or zeros where they are in memory; of a render pass, its draws, their
    /// vertices or indices, and zero.
    pub size: [u32; 3],
    /// Whether it is a render pass.
    pub draws: bool,
}

/// A pipeline.
pub struct Pipeline {
    /// Entry points, with their stages.
    pub stages: String,
    /// Numbers of its modules ([`hash`] of their words).
    pub modules: Vec<u64>,
    /// Words of its modules.
    pub words: usize,
}

/// Times of one kind of work.
#[derive(Default)]
struct Measured {
    /// How many kinds came before.
    order: usize,
    count: u64,
    /// Nanoseconds of the first [`KEPT`].
    kept: Vec<u64>,
}

#[derive(Default)]
struct Times {
    work: HashMap<Work, Measured>,
    pipelines: HashMap<u64, Pipeline>,
    device: String,
    /// Whether there is something that was not written.
    is_new: bool,
}

static TIMES: OnceLock<Mutex<Times>> = OnceLock::new();

fn times() -> &'static Mutex<Times> {
    TIMES.get_or_init(|| {
        extern "C" fn write_at_exit() {
            write();
        }
        // SAFETY: the function takes and gives nothing, and lives as long as this library.
        unsafe { libc::atexit(write_at_exit) };
        Mutex::new(Times::default())
    })
}

/// The folder that files are written to, if something is measured.
pub fn output() -> Option<PathBuf> {
    std::env::var_os("CORPUS_LAYER_OUTPUT").map(PathBuf::from)
}

/// A number that is the same in every process.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Adds a time in nanoseconds.
pub fn add(work: Work, nanoseconds: u64) {
    let mut times = times().lock();
    times.is_new = true;
    let order = times.work.len();
    let measured = times.work.entry(work).or_insert_with(|| Measured { order, ..Measured::default() });
    measured.count += 1;
    if measured.kept.len() < KEPT {
        measured.kept.push(nanoseconds);
    }
}

/// Notes what a pipeline's number stands for.
pub fn note_pipeline(number: u64, pipeline: Pipeline) {
    times().lock().pipelines.insert(number, pipeline);
}

/// Notes the device's name.
pub fn note_device(name: &str) {
    times().lock().device = name.to_owned();
}

fn row(work: &Work, measured: &Measured) -> Value {
    let mut sorted = measured.kept.clone();
    sorted.sort_unstable();
    json!({
        "pipelines": format!("{:016x}", work.pipelines),
        "size": work.size,
        "draws": work.draws,
        "order": measured.order,
        "count": measured.count,
        "least": sorted[0],
        "median": sorted[sorted.len() / 2],
    })
}

/// Writes all times, as a file of this process.
pub fn write() {
    let Some(folder) = output() else { return };
    let mut times = times().lock();
    if !std::mem::take(&mut times.is_new) {
        return;
    }
    let rows: Vec<Value> = times.work.iter().map(|(work, measured)| row(work, measured)).collect();
    let pipelines: serde_json::Map<String, Value> = times
        .pipelines
        .iter()
        .map(|(number, pipeline)| {
            let modules: Vec<String> =
                pipeline.modules.iter().map(|module| format!("{module:016x}")).collect();
            let about = json!({ "stages": pipeline.stages, "modules": modules, "words": pipeline.words });
            (format!("{number:016x}"), about)
        })
        .collect();
    let all = json!({ "device": times.device, "work": rows, "pipelines": pipelines });
    let path = folder.join(format!("{}.json", std::process::id()));
    if let Err(error) = std::fs::write(&path, all.to_string()) {
        eprintln!("corpus: {} is not written: {error}", path.display());
    }
}
