//! `pyroclast test shaders/`: runs tests that are written beside shaders.
//!
//! Each case runs in a process of its own (this program once more), so one that crashes or never ends fails
//! alone, and what its shader prints is its own.

pub(super) mod drawing;

use super::run::data::{parse_data, parse_place, split_kind};
use crate::client::{Binding, Buffer, Driver, Gpu, Job, Needs};
use crate::constants::{self, Constant};
use crate::sources::{self, Decoded, Request};
use anyhow::{Context, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use pyro_capture::record::{Call, Record};
use pyro_replay::edit;
use pyro_shadertest::case::{self, Case, Located};
use pyro_shadertest::picture::{Picture, compare, difference_picture};
use pyro_shadertest::reason::reason;
use pyro_shadertest::report::{self, Outcome};
use pyro_shadertest::values::{self, Element, Tolerance};
use pyro_spirv::Module;
use pyro_spirv::spirv::ExecutionModel as Model;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What shaders print when an assertion fails, at the start of a line.
const ASSERTION: &str = "assertion failed";
/// How often a case's process is looked at.
const POLL: Duration = Duration::from_millis(2);
/// Mismatches of a buffer that are shown.
const MISMATCHES: usize = 8;

/// Which tests, and how to tell.
#[derive(clap::Args)]
#[command(
    after_long_help = "Tests are files *.test.toml (docs/shader-tests/README.md has the format). A shader's own \
assertion fails a case when it prints a line that starts with \"assertion failed\" (debugPrintfEXT, printf).\n\n\
Exit codes: 0 all passed, 1 a case failed, 2 the tests cannot be read, or there are none."
)]
pub(crate) struct Arguments {
    /// Files of tests, or folders with some below.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Run only cases whose name (FILE::CASE) contains this; several: any of them.
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Cases that run at once; 0: as many as there are processors.
    #[arg(short, long, default_value_t = 0)]
    jobs: usize,
    /// Fail a case after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
    /// Write pictures that are expected, instead of comparing with them.
    #[arg(long)]
    bless: bool,
    /// List the cases, and run none.
    #[arg(long)]
    list: bool,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Write the results as JUnit XML, too.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a page with the results, and with pictures that differ, too.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Run this case of the one file here, writing what it draws to `--drawn`; for this program itself.
    #[arg(long, hide = true)]
    case: Option<String>,
    /// See `--case`.
    #[arg(long, hide = true)]
    drawn: Option<PathBuf>,
}

/// The entry point that a case runs: its name and stage.
fn entry_point(module: &Module, case: &Case) -> Result<(String, Model)> {
    let wanted = case.stage.as_deref().map(|stage| match stage {
        "comp" | "compute" => Ok(Model::GLCompute),
        "frag" | "fragment" => Ok(Model::Fragment),
        _ => Err(anyhow!("the stage `{stage}` cannot be tested alone: comp and frag can")),
    });
    let wanted = wanted.transpose()?;
    let fits = |name: &str, model: Model| {
        matches!(model, Model::GLCompute | Model::Fragment)
            && wanted.is_none_or(|wanted| wanted == model)
            && case.entry.as_deref().is_none_or(|entry| entry == name)
    };
    let mut found = module.entry_points().filter(|entry| fits(&entry.name(), entry.model));
    let first = found.next().context("the shader has no such compute or fragment entry point")?;
    if found.next().is_some() {
        bail!("the shader has several entry points: say which by `entry` or `stage`");
    }
    Ok((first.name().into_owned(), first.model))
}

/// Replays a capture, with shader modules of its own or others; gives what is not as it says.
fn run_capture(located: &Located, path: &Path) -> Result<Vec<String>> {
    let capture = super::replay::complete(&located.path(path))?;
    let mut modules = Vec::new();
    for module in &located.case.modules {
        let wanted = Request { version: Request::NEWEST, ..Request::TO_RUN };
        modules.push(sources::decode(&located.path(module), &wanted)?.words);
    }
    let made = super::export::modules(&capture).len();
    if !modules.is_empty() && modules.len() != made {
        bail!("the capture makes {made} shader modules, `modules` has {}", modules.len());
    }
    let mut player = super::replay::player();
    let (mut records, mut modules) = (capture.records(), modules.into_iter());
    while let Some(record) = records.next() {
        let code = match &record {
            Record::Call(call) if edit::code_of(call).is_some() => modules.next().map(|words| (call, words)),
            _ => None,
        };
        let changed = code.map(|(call, words)| edit::shader_code(call, &words).map(|bytes| (call, bytes)));
        let changed = changed.transpose()?.and_then(|(call, bytes)| Some((call, bytes?)));
        match &changed {
            Some((call, parameters)) => {
                let call = Call { parameters, ..(*call).clone() };
                player.play(&Record::Call(call), &mut records.clone())?;
            }
            None => player.play(&record, &mut records.clone())?,
        }
    }
    player.finish();
    let counts = player.counts();
    let mut failures: Vec<String> =
        player.differences().iter().take(MISMATCHES).map(|one| one.what.clone()).collect();
    if counts.different > 0 {
        failures.push(format!("{} of {} results differ", counts.different, counts.compared));
    }
    if counts.compared == 0 {
        failures.push("the capture has no results to compare".to_owned());
    }
    Ok(failures)
}

/// Runs a case in this process; gives what is not as expected.
fn run_case(located: &Located, drawn: Option<&Path>) -> Result<Vec<String>> {
    let case = &located.case;
    if let Some(path) = &case.capture {
        return run_capture(located, path);
    }
    let path = located.shader().context("no shader: say `shader = \"…\"`")?;
    let model = case.stage.as_deref().and_then(crate::stage::from_name);
    let constants: Vec<Constant> = case
        .spec
        .iter()
        .map(|(key, value)| constants::parse(&format!("{key}={value}")))
        .collect::<Result<_>>()?;
    let wanted = Request { model, entry: case.entry.as_deref(), constants: &constants, ..Request::TO_RUN };
    let shader = sources::decode(&path, &wanted)?;
    let (entry, model) = entry_point(&shader.module, case)?;
    let stages = match model {
        Model::Fragment => drawing::stages(located, &constants)?,
        _ => Vec::new(),
    };
    let modules: Vec<&Decoded> = stages.iter().map(|(.., module)| module).chain([&shader]).collect();
    let values = constants::resolve(&constants, &modules)?;
    let data = |text: &str| match text.strip_prefix("file:") {
        Some(file) => parse_data(&format!("file:{}", located.path(Path::new(file)).display())),
        None => parse_data(text),
    };
    let driver = Driver::open()?;
    let gpu = Gpu::with_needs(&driver, Needs { meshes: drawing::has_mesh(case), rays: false })?;
    let mut buffers: Vec<(Buffer, usize)> = Vec::new();
    for buffer in &case.buffers {
        let bytes = data(&buffer.data).with_context(|| format!("buffer {}", buffer.at))?.0;
        buffers.push((gpu.buffer(&bytes)?, bytes.len()));
    }
    let places: Vec<(u32, u32)> =
        case.buffers.iter().map(|buffer| parse_place(&buffer.at)).collect::<Result<_>>()?;
    let bindings: Vec<Binding> = places
        .iter()
        .zip(&case.buffers)
        .zip(&buffers)
        .map(|((&(set, binding), of), (buffer, _))| Binding::of_buffer(set, binding, of.uniform, buffer))
        .collect();
    let push = case.push.as_deref().map(data).transpose().context("push")?;
    let count = |at: usize| case.groups.get(at).copied().unwrap_or(1);
    let job = Job {
        words: &shader.words,
        entry_point: &entry,
        constants: &values,
        push_constants: push.as_ref().map_or(&[], |push| &push.0),
        bindings: &bindings,
        base: [0; 3],
        groups: [count(0), count(1), count(2)],
    };
    if model == Model::Fragment {
        let drawing = drawing::drawing(case, stages, &|text| Ok(data(text)?.0))?;
        let ([width, height], (_, drawn_colors)) = (drawing.size, gpu.draw(&job, &drawing)?);
        if let (Some(path), Some(color)) = (drawn, drawn_colors.first()) {
            Picture { width, height, pixels: color.as_chunks().0.to_vec() }.write(path)?;
        }
    } else {
        gpu.run(&job)?;
    }
    let mut failures = Vec::new();
    for (of, (buffer, len)) in case.buffers.iter().zip(&buffers) {
        let Some(expected) = &of.expect else { continue };
        let (kind, _) = split_kind(expected)?;
        let element = Element::from_name(kind).with_context(|| format!("expect = \"{expected}\""))?;
        let expected = parse_data(expected)?.0;
        let tolerance = Tolerance { absolute: of.tolerance, relative: of.relative };
        let found = values::compare(element, &buffer.bytes()[..*len], &expected, tolerance);
        failures.extend(found.iter().take(MISMATCHES).map(|one| {
            format!("buffer {}[{}] is {}, expected {}", of.at, one.index, one.found, one.expected)
        }));
        if found.len() > MISMATCHES {
            failures.push(format!("and {} more elements of buffer {}", found.len() - MISMATCHES, of.at));
        }
    }
    buffers.into_iter().for_each(|(buffer, _)| gpu.destroy(buffer));
    Ok(failures)
}

/// What a case's process has said.
struct Said {
    failures: Vec<String>,
    /// What it drew.
    drawn: Option<Picture>,
}

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is not there when nothing was written.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs a case in a process of its own.
fn run_apart(located: &Located, number: usize, timeout: Duration) -> Result<Said> {
    let temporary = |what: &str| {
        let name = format!("pyroclast-test-{}-{number}.{what}", std::process::id());
        Temporary(std::env::temp_dir().join(name))
    };
    let (drawn, findings, printed) = (temporary("png"), temporary("findings"), temporary("printed"));
    let own = std::env::current_exe().context("the path of this program")?;
    let output = std::fs::File::create(&printed.0).context("a file for what the shader prints")?;
    let mut command = Command::new(own);
    command
        .arg("test")
        .arg(&located.file)
        .args(["--case", &located.case.name, "--drawn"])
        .arg(&drawn.0)
        .env("PYROCLAST_PRINTF", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(output);
    if let Some(kinds) = &located.case.sanitize {
        command.env("PYROCLAST_SANITIZE", kinds).env("PYROCLAST_SANITIZE_OUTPUT", &findings.0);
    }
    let mut child = command.spawn().context("cannot run the case")?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > timeout {
            // It may have ended by itself.
            let _ = child.kill();
            child.wait()?;
            break None;
        }
        std::thread::sleep(POLL);
    };
    let text = String::from_utf8_lossy(&std::fs::read(&printed.0).unwrap_or_default()).into_owned();
    let mut failures: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pyroclast: ").or(Some(line)))
        .filter(|line| line.starts_with(ASSERTION))
        .map(str::to_owned)
        .collect();
    match status {
        None => failures.push(format!("it did not end within {} s", timeout.as_secs())),
        Some(status) if status.success() => {}
        Some(status) => {
            let rest: Vec<&str> = text.lines().filter(|line| !line.contains(ASSERTION)).collect();
            let own = rest.iter().filter_map(|line| line.strip_prefix(FAILURE)).map(str::to_owned);
            let before = failures.len();
            failures.extend(own);
            if failures.len() == before && status.code() != Some(1) {
                failures.push(format!("it ended with {status}\n{}", rest.join("\n")));
            }
        }
    }
    if let Ok(text) = std::fs::read_to_string(&findings.0) {
        let found = crate::sanitizer::Findings::read(&text)?.found;
        failures.extend(found.iter().map(|one| {
            let place = one.finding.source.as_ref().map(|at| format!(" at {}:{}", at.file, at.line));
            format!("{}: {}{}", one.finding.rule, one.finding.message, place.unwrap_or_default())
        }));
    }
    let drawn = if drawn.0.exists() { Some(Picture::read(&drawn.0)?) } else { None };
    Ok(Said { failures, drawn })
}

/// What is before a failure that a case's process tells.
const FAILURE: &str = "failure: ";

/// Runs a case and compares its picture.
fn result(located: &Located, number: usize, arguments: &Arguments) -> report::Result {
    let start = Instant::now();
    let mut pictures = None;
    let outcome = match &located.case.skip {
        Some(why) => Outcome::Skipped(why.clone()),
        None => match judge(located, number, arguments, &mut pictures) {
            Ok(failures) if failures.is_empty() => Outcome::Passed,
            Ok(failures) => Outcome::Failed(failures.join("\n")),
            Err(error) => Outcome::Failed(format!("{error:#}")),
        },
    };
    report::Result { name: located.name(), outcome, time: start.elapsed(), pictures }
}

fn judge(
    located: &Located,
    number: usize,
    arguments: &Arguments,
    pictures: &mut Option<[Vec<u8>; 3]>,
) -> Result<Vec<String>> {
    let Said { mut failures, drawn } = run_apart(located, number, Duration::from_secs(arguments.timeout))?;
    let case = &located.case;
    let (Some(golden), Some(drawn)) = (&case.picture, &drawn) else { return Ok(failures) };
    let golden = located.path(golden);
    if arguments.bless {
        drawn.write(&golden)?;
        return Ok(failures);
    }
    let expected = Picture::read(&golden).context("the expected picture (--bless writes it)")?;
    let found = compare(&expected, drawn, case.tolerance)?;
    if found.count > case.different_pixels {
        failures.push(format!("the picture differs from {}", golden.display()));
        failures.extend(super::compare::as_text(&found).lines().map(str::to_owned));
        failures.push(super::compare::reason_text(&reason(&expected, drawn)));
        let difference = difference_picture(&expected, drawn, case.tolerance);
        let encoded = |picture: &Picture| picture.encode().map_err(|error| anyhow!(error));
        *pictures = Some([encoded(&expected)?, encoded(drawn)?, encoded(&difference)?]);
    }
    Ok(failures)
}

/// Runs all cases, several at once; gives their results in order.
fn run_all(cases: &[Located], arguments: &Arguments) -> Result<Vec<report::Result>> {
    let threads = match arguments.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    // Shown on a terminal only.
    let bar = ProgressBar::new(cases.len() as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}").context("the progress line")?);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads.min(cases.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(located) = cases.get(number) else { return };
                    let result = result(located, number, arguments);
                    bar.inc(1);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

fn show(results: &[report::Result], arguments: &Arguments) -> Result<()> {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
        Some(path) => {
            std::fs::write(path, text()).with_context(|| format!("cannot write {}", path.display()))
        }
        None => Ok(()),
    };
    write(&arguments.junit, &|| report::junit(results))?;
    write(&arguments.html, &|| report::page(results))?;
    let [passed, failed, skipped] = report::counts(results);
    if arguments.json {
        let one = |result: &report::Result| {
            let (outcome, message) = match &result.outcome {
                Outcome::Passed => ("passed", ""),
                Outcome::Failed(why) => ("failed", &why[..]),
                Outcome::Skipped(why) => ("skipped", &why[..]),
            };
            let seconds = result.time.as_secs_f64();
            json!({ "name": result.name, "outcome": outcome, "message": message, "seconds": seconds })
        };
        let all: Vec<_> = results.iter().map(one).collect();
        println!("{:#}", json!({ "passed": passed, "failed": failed, "skipped": skipped, "cases": all }));
        return Ok(());
    }
    for result in results {
        let milliseconds = 1e3 * result.time.as_secs_f64();
        match &result.outcome {
            Outcome::Passed => println!("ok      {} ({milliseconds:.0} ms)", result.name),
            Outcome::Skipped(why) => println!("skipped {}: {why}", result.name),
            Outcome::Failed(why) => {
                println!("FAILED  {} ({milliseconds:.0} ms)", result.name);
                why.lines().for_each(|line| println!("        {line}"));
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} left out");
    Ok(())
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let mut cases = Vec::new();
    for path in &arguments.paths {
        for file in case::find(path)? {
            cases.extend(case::read(&file)?);
        }
    }
    if let Some(name) = &arguments.case {
        let located = cases.iter().find(|located| located.case.name == *name);
        let failures = run_case(located.context("no such case")?, arguments.drawn.as_deref());
        let failures = failures.unwrap_or_else(|error| vec![format!("{error:#}")]);
        for line in failures.iter().flat_map(|failure| failure.lines()) {
            eprintln!("{FAILURE}{line}");
        }
        return Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    let is_wanted = |located: &Located| {
        let name = located.name();
        arguments.filter.is_empty() || arguments.filter.iter().any(|part| name.contains(part))
    };
    cases.retain(is_wanted);
    if cases.is_empty() {
        bail!("there are no such tests (files that end in {})", case::ENDING);
    }
    if arguments.list {
        cases.iter().for_each(|located| println!("{}", located.name()));
        return Ok(ExitCode::SUCCESS);
    }
    let results = run_all(&cases, arguments)?;
    show(&results, arguments)?;
    let [_, failed, _] = report::counts(&results);
    Ok(if failed > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Runs the tests; exit codes are those that the help names.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(2)
    })
}
