//! `pyroclast check`: what is wrong with shaders, where in the source, and by which rule.

use crate::create_info;
use crate::description::{self, Description, Shader, StageFlags};
use crate::environment::{PRESETS, environment};
use crate::report::{Finding, Format, Report};
use crate::{check, sources, stage};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use pyro_spirv::Specialization;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_validate::Environment;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to check, against what.
#[derive(clap::Args)]
#[command(after_long_help = format!("{}{}", description::FORMAT_HELP, create_info::HELP))]
pub(crate) struct Arguments {
    /// .spv, .spvasm, .wgsl, .slang, GLSL and HLSL files, each checked by itself, and folders of them.
    files: Vec<PathBuf>,
    /// Shaders that are one pipeline, checked together: STAGE=FILE or STAGE=FILE:ENTRY.
    #[arg(long, value_name = "STAGE=FILE", value_parser = parse_stage)]
    stage: Vec<StageArgument>,
    /// A pipeline description in TOML or JSON, checked as a whole.
    #[arg(long, value_name = "FILE")]
    pipeline: Vec<PathBuf>,
    /// Vulkan version or device: a preset, or the path of a Vulkan profile in JSON [default: everything].
    #[arg(long, value_name = "ENV", long_help = env_help())]
    env: Option<String>,
    /// Let warnings count as errors for the exit code.
    #[arg(long)]
    deny_warnings: bool,
    /// Print findings as JSON.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print findings as SARIF 2.1.0.
    #[arg(long)]
    sarif: bool,
}

fn env_help() -> String {
    format!(
        "What shaders are checked against: {}, or the path of a Vulkan profile in JSON. The versions have all \
         features, but those for block layouts, and no limits; 'driver' is this driver, with its features and limits [default: everything]",
        PRESETS.join(", ")
    )
}

/// A shader with its stage.
#[derive(Clone)]
pub(super) struct StageArgument {
    pub(super) model: Model,
    pub(super) path: PathBuf,
    pub(super) entry: Option<String>,
}

/// Reads `STAGE=FILE` and `STAGE=FILE:ENTRY`.
pub(super) fn parse_stage(text: &str) -> Result<StageArgument> {
    let (name, file) = text.split_once('=').context("it is not STAGE=FILE")?;
    let model =
        stage::from_name(name).with_context(|| format!("'{name}' is not one of {}", stage::short_names()))?;
    // A colon may be part of the path.
    let (path, entry) = match file.rsplit_once(':') {
        Some((path, entry)) if !Path::new(file).exists() => (path, Some(entry.to_owned())),
        _ => (file, None),
    };
    Ok(StageArgument { model, path: path.into(), entry })
}

/// The pipeline that `--stage` arguments are.
pub(crate) fn description_of(stages: &[String]) -> Result<Description> {
    let shaders = stages.iter().map(|text| Ok(shader_of(parse_stage(text)?)));
    Ok(Description { shaders: shaders.collect::<Result<_>>()?, ..Description::default() })
}

fn shader_of(stage: StageArgument) -> Shader {
    let StageArgument { model, path, entry } = stage;
    Shader {
        model,
        path,
        entry,
        specialization: Specialization::new(),
        constants: Vec::new(),
        flags: StageFlags::default(),
        object: Default::default(),
    }
}

/// Prints the findings. Exit code 0 means none but warnings, 1 some, 2 that the command could not do its
/// work.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match findings(arguments) {
        Ok(report) => {
            let format = match (arguments.json, arguments.sarif) {
                (true, _) => Format::Json,
                (_, true) => Format::Sarif,
                _ => Format::Text,
            };
            print!("{}", report.render(format));
            let is_refused = report.has_errors() || arguments.deny_warnings && !report.findings.is_empty();
            if is_refused { ExitCode::from(1) } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("pyroclast: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn findings(arguments: &Arguments) -> Result<Report> {
    if arguments.files.is_empty() && arguments.stage.is_empty() && arguments.pipeline.is_empty() {
        bail!("nothing to check: name files, --stage STAGE=FILE or --pipeline FILE");
    }
    let stages = arguments.stage.iter().map(|stage| &stage.path);
    for path in arguments.files.iter().chain(stages) {
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let named = |own: Option<&str>| environment(arguments.env.as_deref().or(own).unwrap_or("everything"));
    let mut report = Report::default();
    if !arguments.stage.is_empty() {
        let shaders = arguments.stage.iter().cloned().map(shader_of).collect();
        let description = Description { shaders, ..Description::default() };
        let (count, found) = check::pipeline(check::UNNAMED_PIPELINE, description, &named(None)?);
        report.file_count += count;
        report.findings.extend(found);
    }
    for path in &arguments.pipeline {
        let description = description::read(path)?;
        let environment = named(description.env.as_deref())?;
        let (count, found) = check::pipeline(&path.display().to_string(), description, &environment);
        report.file_count += count;
        report.findings.extend(found);
    }
    if !arguments.files.is_empty() {
        let mut paths = Vec::new();
        for path in &arguments.files {
            if path.is_dir() {
                paths.extend(sources::find(path)?);
            } else {
                paths.push(path.clone());
            }
        }
        report.file_count += paths.len();
        report.findings.extend(check_files(&paths, &named(None)?)?);
    }
    Ok(report)
}

/// Checks files, several at a time; findings come in the order of the files.
fn check_files(paths: &[PathBuf], environment: &Environment) -> Result<Vec<Finding>> {
    let bar = if paths.len() < 8 { ProgressBar::hidden() } else { ProgressBar::new(paths.len() as u64) };
    bar.set_style(
        ProgressStyle::with_template("checking [{bar:30}] {pos}/{len} {wide_msg}")?.progress_chars("=> "),
    );
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((place, path)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    paths.get(place).map(|path| (place, path))
                } {
                    let findings = check::file(path, environment);
                    bar.inc(1);
                    if let Some(name) = path.file_name() {
                        bar.set_message(name.to_string_lossy().into_owned());
                    }
                    if !findings.is_empty() {
                        found.lock().unwrap_or_else(|poison| poison.into_inner()).push((place, findings));
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut found = found.into_inner().unwrap_or_else(|poison| poison.into_inner());
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().flat_map(|(_, findings)| findings).collect())
}
