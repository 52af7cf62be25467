//! The job file: TOML to a checked [`Job`].
//!
//! Sections are `[[units]]` tables. Keys that all kinds have are read by [`Common`], the rest by the kind's
//! own structure; each refuses keys that it does not know.

use super::limits::{
    BUFFER_BYTES_MAX, CASE_NAME_MAX, FILE_BYTES_MAX, ITEMS_MAX, LIST_BYTES_MAX, NAME_MAX, PICTURE_SIDE_MAX,
    RETRIES_MAX, SECONDS_MAX, SECTIONS_MAX,
};
use super::{
    BufferOutput, Cases, Counted, Dispatch, Initial, Job, Kind, Numbers, Report, Section, Tiles, Verdicts,
    Video, inputs, report, template,
};
use crate::digest::Digest;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The top of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobFile {
    name: String,
    #[serde(default = "default_timeout")]
    timeout_seconds: f64,
    #[serde(default = "default_retries")]
    retries: u32,
    #[serde(default = "default_unit_seconds")]
    unit_seconds: f64,
    units: Vec<toml::Table>,
}

fn default_timeout() -> f64 {
    600.0
}

fn default_retries() -> u32 {
    2
}

fn default_unit_seconds() -> f64 {
    60.0
}

/// Keys of all sections.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Common {
    name: String,
    kind: String,
    program: Option<String>,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    directory: Option<PathBuf>,
    timeout_seconds: Option<f64>,
    batch: Option<usize>,
    #[serde(default)]
    inputs: Vec<PathBuf>,
    #[serde(default)]
    reports: Vec<Report>,
}

/// The names of [`Common`]'s keys.
const COMMON_KEYS: [&str; 10] = [
    "name",
    "kind",
    "program",
    "arguments",
    "environment",
    "directory",
    "timeout_seconds",
    "batch",
    "inputs",
    "reports",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesKeys {
    list: PathBuf,
    verdicts: Verdicts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumbersKeys {
    #[serde(default)]
    first: u64,
    count: u64,
    #[serde(default)]
    outputs: Vec<String>,
    video: Option<Video>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TilesKeys {
    size: [u32; 2],
    tile: [u32; 2],
    output: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DispatchKeys {
    shader: PathBuf,
    entry: Option<String>,
    groups: [u32; 3],
    slab: Option<u32>,
    #[serde(default)]
    buffers: BTreeMap<String, String>,
    #[serde(default)]
    uniforms: BTreeMap<String, String>,
    push: Option<String>,
    #[serde(default)]
    specialization: BTreeMap<String, String>,
    outputs: Vec<OutputKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputKeys {
    buffer: String,
    bytes_per_group: u64,
}

impl Job {
    /// Reads and checks a job file, and the digests of its inputs.
    ///
    /// # Errors
    /// What is wrong, by file, section and key.
    pub fn read(path: &Path) -> Result<Job> {
        let in_file = || format!("job file {}", path.display());
        let text = read_text(path, FILE_BYTES_MAX)?;
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let directory = std::path::absolute(directory).with_context(in_file)?;
        Job::parse(&text, &directory).with_context(in_file)
    }

    /// A job from the text of its file, with relative paths from a folder.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse(text: &str, directory: &Path) -> Result<Job> {
        let file: JobFile = toml::from_str(text).map_err(|error| anyhow!("{}", error.to_string().trim()))?;
        check_name("name", &file.name)?;
        check_seconds("timeout_seconds", file.timeout_seconds)?;
        check_seconds("unit_seconds", file.unit_seconds)?;
        ensure!(file.retries <= RETRIES_MAX, "retries: {} is more than {RETRIES_MAX}", file.retries);
        ensure!(!file.units.is_empty(), "units: the job has none");
        ensure!(file.units.len() <= SECTIONS_MAX, "units: more than {SECTIONS_MAX} sections");
        let mut job = Job {
            name: file.name,
            directory: directory.to_owned(),
            retries: file.retries,
            unit_seconds: file.unit_seconds,
            sections: Vec::new(),
            inputs: BTreeMap::new(),
            digest: Digest([0; 32]),
        };
        let mut names = BTreeSet::new();
        for (place, table) in file.units.into_iter().enumerate() {
            let called = table.get("name").and_then(toml::Value::as_str).unwrap_or("without name").to_owned();
            let (section, listed) = section(table, file.timeout_seconds, directory)
                .with_context(|| format!("units[{place}] ({called})"))?;
            ensure!(names.insert(section.name.clone()), "units[{place}]: a second section {called}");
            inputs::digests(&section, &listed, directory, &mut job.inputs)
                .with_context(|| format!("units[{place}] ({called})"))?;
            job.sections.push(section);
            ensure!(job.item_count() as u64 <= ITEMS_MAX, "units[{place}]: more than {ITEMS_MAX} items");
        }
        let content = serde_json::to_vec(&(crate::FORMAT, &job.name, &job.sections, &job.inputs))?;
        job.digest = Digest::of(&content);
        Ok(job)
    }
}

fn read_text(path: &Path, bytes_max: u64) -> Result<String> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    ensure!(file.metadata()?.is_file(), "{name} is not a regular file");
    let mut text = String::new();
    file.take(bytes_max + 1).read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
    ensure!(text.len() as u64 <= bytes_max, "{name} has more than {bytes_max} bytes");
    Ok(text)
}

/// Names become parts of paths and URLs.
fn check_name(key: &str, name: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_plain = name.bytes().all(fits) && !name.starts_with(['.', '-']);
    ensure!(
        is_plain && !name.is_empty() && name.len() <= NAME_MAX,
        "{key}: {name:?} is not a name of 1 to {NAME_MAX} letters, digits, '.', '_' and '-' that starts with a \
         letter, digit or '_'"
    );
    Ok(())
}

fn check_seconds(key: &str, seconds: f64) -> Result<()> {
    ensure!(seconds > 0.0 && seconds <= SECONDS_MAX, "{key}: {seconds} is not in (0, {SECONDS_MAX}]");
    Ok(())
}

/// Output files are named below `{output}`.
pub(crate) fn check_output(name: &str) -> Result<()> {
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(
        is_plain && !name.is_empty() && !name.chars().any(char::is_control),
        "output {name:?} is not a relative path without `..`"
    );
    Ok(())
}

/// A section's own keys.
fn keys<T: DeserializeOwned>(kind: &str, own: toml::Table) -> Result<T> {
    own.try_into().map_err(|error| anyhow!("kind {kind}: {}", error.to_string().trim()))
}

/// A section, and the inputs that it lists.
fn section(
    mut table: toml::Table,
    timeout_seconds: f64,
    directory: &Path,
) -> Result<(Section, Vec<PathBuf>)> {
    let mut common = toml::Table::new();
    for key in COMMON_KEYS {
        if let Some(value) = table.remove(key) {
            common.insert(key.to_owned(), value);
        }
    }
    let common: Common = common.try_into().map_err(|error| anyhow!("{}", error.to_string().trim()))?;
    check_name("name", &common.name)?;
    let timeout_seconds = common.timeout_seconds.unwrap_or(timeout_seconds);
    check_seconds("timeout_seconds", timeout_seconds)?;
    for variable in common.environment.keys() {
        ensure!(
            !variable.is_empty() && !variable.contains(['=', '\0']),
            "environment: {variable:?} is not a variable"
        );
    }
    let mut listed = common.inputs.clone();
    let kind = match common.kind.as_str() {
        "cases" => cases(keys("cases", table)?, directory)?,
        "frames" => numbers(Counted::Frame, keys("frames", table)?)?,
        "seeds" => numbers(Counted::Seed, keys("seeds", table)?)?,
        "commands" => numbers(Counted::Index, keys("commands", table)?)?,
        "tiles" => tiles(keys("tiles", table)?)?,
        "dispatch" => {
            ensure!(common.arguments.is_empty(), "arguments: a dispatch makes its own");
            let own: DispatchKeys = keys("dispatch", table)?;
            dispatch(own, directory, &mut listed)?
        }
        other => {
            bail!("kind: {other:?} is not one of cases, frames, seeds, commands, tiles, dispatch")
        }
    };
    let program = match (&common.program, &kind) {
        (Some(program), _) => program.clone(),
        (None, Kind::Dispatch(_)) => "pyroclast".to_owned(),
        (None, _) => bail!("program: it is missing"),
    };
    ensure!(!program.is_empty() && !program.contains('\0'), "program: {program:?} is not a path");
    let batch = common.batch.unwrap_or(match &kind {
        Kind::Cases(_) => 200,
        Kind::Numbers(Numbers { counted: Counted::Seed, .. }) => 100,
        _ => 1,
    });
    ensure!(batch > 0, "batch: 0 items are not a unit");
    let section = Section {
        name: common.name,
        program: if program.contains('/') { directory.join(&program) } else { PathBuf::from(&program) },
        program_as_written: program,
        arguments: common.arguments,
        environment: common.environment,
        directory: common.directory.map_or(directory.to_owned(), |folder| directory.join(folder)),
        timeout: Duration::from_secs_f64(timeout_seconds),
        batch,
        reports: common.reports,
        kind,
    };
    report::check(&section)?;
    if !matches!(section.kind, Kind::Dispatch(_)) {
        check_arguments(&section)?;
    }
    Ok((section, listed))
}

/// Arguments may only name placeholders that the kind has.
fn check_arguments(section: &Section) -> Result<()> {
    let (known, needed): (&[&str], &[&str]) = match &section.kind {
        Kind::Cases(cases) if cases.verdicts == Verdicts::ExitCode => (&["case", "output"], &["case"]),
        Kind::Cases(_) => (&["list", "cases", "log", "output"], &["list", "cases"]),
        Kind::Numbers(numbers) => match numbers.counted {
            Counted::Frame => (&["frame", "output"], &["frame"]),
            Counted::Seed => (&["seed", "output"], &["seed"]),
            Counted::Index => (&["index", "output"], &["index"]),
        },
        Kind::Tiles(_) => (&["tile", "x", "y", "width", "height", "output"], &["tile", "x"]),
        Kind::Dispatch(_) => (&[], &[]),
    };
    for argument in &section.arguments {
        template::check(argument, known).context("arguments")?;
        ensure!(
            argument == "{cases}" || !template::names(argument, "cases"),
            "arguments: `{{cases}}` stands for several arguments, so it must stand alone, not in `{argument}`"
        );
    }
    let says = |name: &&str| section.arguments.iter().any(|argument| template::names(argument, name));
    ensure!(
        needed.iter().any(says),
        "arguments: none of them has {}: the program would not know what to run",
        needed.iter().map(|name| format!("`{{{name}}}`")).collect::<Vec<_>>().join(" or ")
    );
    Ok(())
}

/// Lines of a list; empty ones and those that start with `#` are left out.
fn cases(own: CasesKeys, directory: &Path) -> Result<Kind> {
    let text = read_text(&directory.join(&own.list), LIST_BYTES_MAX).context("list")?;
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let place = || format!("list: line {number} of {}", own.list.display());
        ensure!(name.len() <= CASE_NAME_MAX, "{}: a name of more than {CASE_NAME_MAX} bytes", place());
        ensure!(!name.chars().any(char::is_control), "{}: a control character in a name", place());
        ensure!(seen.insert(name), "{}: {name} a second time", place());
        names.push(name.to_owned());
    }
    ensure!(!names.is_empty(), "list: {} names no case", own.list.display());
    Ok(Kind::Cases(Cases { names, verdicts: own.verdicts }))
}

fn numbers(counted: Counted, own: NumbersKeys) -> Result<Kind> {
    let NumbersKeys { first, count, outputs, video } = own;
    ensure!((1..=ITEMS_MAX).contains(&count), "count: {count} is not in 1 to {ITEMS_MAX}");
    ensure!(first.checked_add(count).is_some(), "first: {first} + {count} does not fit 64 bits");
    ensure!(counted != Counted::Frame || !outputs.is_empty(), "outputs: frames have some");
    let name = counted.placeholder();
    for output in &outputs {
        check_output(output)?;
        template::check(output, &[name]).context("outputs")?;
        ensure!(
            template::names(output, name),
            "outputs: `{output}` has no `{{{name}}}`: all would have one name"
        );
    }
    let distinct: BTreeSet<&String> = outputs.iter().collect();
    ensure!(distinct.len() == outputs.len(), "outputs: one name twice");
    if let Some(video) = &video {
        ensure!(counted == Counted::Frame, "video: only frames make one");
        video.check(&outputs).context("video")?;
    }
    Ok(Kind::Numbers(Numbers { counted, first, count, outputs, video }))
}

fn tiles(own: TilesKeys) -> Result<Kind> {
    let TilesKeys { size, tile, output } = own;
    for (key, [width, height]) in [("size", size), ("tile", tile)] {
        let fits = |side: u32| (1..=PICTURE_SIDE_MAX).contains(&side);
        ensure!(
            fits(width) && fits(height),
            "{key}: {width} x {height} is not from 1 to {PICTURE_SIDE_MAX} pixels each way"
        );
    }
    check_output(&output)?;
    template::check(&output, &["tile", "x", "y"]).context("output")?;
    Ok(Kind::Tiles(Tiles { size, tile, output }))
}

/// Set and binding.
fn check_place(key: &str, place: &str) -> Result<()> {
    let is_place = place
        .split_once('.')
        .is_some_and(|(set, binding)| set.parse::<u32>().is_ok() && binding.parse::<u32>().is_ok());
    ensure!(is_place, "{key}: {place:?} is not SET.BINDING");
    Ok(())
}

/// Data of `pyroclast run`, with a file's path made absolute; the file, if it is one.
fn data(key: &str, place: &str, text: &str, directory: &Path) -> Result<(String, Option<PathBuf>)> {
    let (kind, rest) = text
        .split_once(':')
        .with_context(|| format!("{key}: {place}: {text:?} is not TYPE:VALUES, zero:BYTES or file:PATH"))?;
    Ok(match kind {
        "file" => (format!("file:{}", directory.join(rest).display()), Some(PathBuf::from(rest))),
        _ => (text.to_owned(), None),
    })
}

/// The arguments of `pyroclast run` that all slabs have, written and with absolute paths.
#[derive(Default)]
struct RunArguments {
    written: Vec<String>,
    absolute: Vec<String>,
    /// Buffers: their first contents, and the file that has them.
    buffers: BTreeMap<String, (String, Option<PathBuf>)>,
}

impl RunArguments {
    fn read(own: &DispatchKeys, directory: &Path, listed: &mut Vec<PathBuf>) -> Result<RunArguments> {
        let mut arguments = RunArguments::default();
        for (key, resources) in [("buffer", &own.buffers), ("uniform", &own.uniforms)] {
            for (place, text) in resources {
                check_place(&format!("{key}s"), place)?;
                let (absolute, file) = data(&format!("{key}s"), place, text, directory)?;
                listed.extend(file.clone());
                arguments.add(&format!("--{key}"), format!("{place}={text}"), format!("{place}={absolute}"));
                if key == "buffer" {
                    arguments.buffers.insert(place.clone(), (text.clone(), file));
                }
            }
        }
        if let Some(entry) = &own.entry {
            arguments.add("--entry", entry.clone(), entry.clone());
        }
        if let Some(push) = &own.push {
            let (absolute, file) = data("push", "constants", push, directory)?;
            listed.extend(file);
            arguments.add("--push", push.clone(), absolute);
        }
        for (id, value) in &own.specialization {
            arguments.add("--spec", format!("{id}={value}"), format!("{id}={value}"));
        }
        Ok(arguments)
    }

    fn add(&mut self, option: &str, written: String, absolute: String) {
        self.written.push(format!("{option}={written}"));
        self.absolute.push(format!("{option}={absolute}"));
    }
}

fn dispatch(own: DispatchKeys, directory: &Path, listed: &mut Vec<PathBuf>) -> Result<Kind> {
    let total = own.groups.iter().try_fold(1u64, |product, &count| product.checked_mul(u64::from(count)));
    ensure!(total.is_some_and(|total| total > 0), "groups: {:?} are none, or too many", own.groups);
    listed.push(own.shader.clone());
    let arguments = RunArguments::read(&own, directory, listed)?;
    ensure!(!own.outputs.is_empty(), "outputs: none, so the dispatch would have no result");
    let mut outputs = Vec::new();
    for OutputKeys { buffer, bytes_per_group } in own.outputs {
        let (text, file) = arguments
            .buffers
            .get(&buffer)
            .with_context(|| format!("outputs: buffer {buffer:?} is not in `buffers`"))?;
        let initial = match (file, text.strip_prefix("zero:").and_then(|count| count.parse().ok())) {
            (Some(path), _) => Initial::File(directory.join(path)),
            (None, Some(count)) if count <= BUFFER_BYTES_MAX => Initial::Zero(count),
            _ => bail!("outputs: buffer {buffer} must start as zero:BYTES or file:PATH"),
        };
        let bytes = match &initial {
            Initial::Zero(count) => *count,
            Initial::File(path) => {
                let found = std::fs::metadata(path);
                found.with_context(|| format!("cannot read {}", path.display()))?.len()
            }
        };
        let needed = total.and_then(|total| total.checked_mul(bytes_per_group));
        ensure!(
            bytes_per_group > 0 && needed.is_some_and(|needed| needed <= bytes),
            "outputs: buffer {buffer} has {bytes} bytes, which do not fit bytes_per_group {bytes_per_group} of all \
             workgroups"
        );
        ensure!(outputs.iter().all(|other: &BufferOutput| other.place != buffer), "outputs: {buffer} twice");
        outputs.push(BufferOutput { place: buffer, bytes_per_group, initial });
    }
    let slab = own.slab.unwrap_or(1);
    ensure!(slab > 0, "slab: 0 workgroups");
    Ok(Kind::Dispatch(Dispatch {
        shader: directory.join(own.shader),
        groups: own.groups,
        slab,
        data_as_written: arguments.written,
        data: arguments.absolute,
        outputs,
    }))
}
