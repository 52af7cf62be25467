//! `pyroclast export FILE --event N -o FOLDER`: one draw, dispatch or launch of rays as a stand-alone test.
//!
//! The folder has a capture with the contents of memory before the event, its call, and digests of what it
//! changes; the shaders as text; and a file by which `pyroclast test` replays it with these shaders.
#![allow(unsafe_code)] // the driver's entry point

use super::{replay, trim};
use anyhow::{Context, Result, anyhow, bail};
use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::Record;
use pyro_replay::edit;
use pyro_replay::export::{Event, events, exported};
use pyro_spirv::{Module, disassemble};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when the exported event gives other results than in the capture.
const DIFFERENT: u8 = 1;
/// Exit code when it cannot be exported.
const FAILED: u8 = 2;

/// What to export.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The capture.
    capture: PathBuf,
    /// The draw, dispatch or launch of rays, by its number in --list.
    #[arg(long, value_name = "NUMBER", required_unless_present = "list")]
    event: Option<usize>,
    /// The folder that is made.
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// List the events.
    #[arg(long)]
    list: bool,
}

fn list(events: &[Event]) {
    println!("{:>8} {:>12} command", "event", "submission");
    for (number, event) in events.iter().enumerate() {
        println!("{number:>8} {:>12} {}", event.submission, event.command);
    }
}

/// The shader modules that a capture makes, in order.
pub(super) fn modules(capture: &Capture) -> Vec<Vec<u32>> {
    capture
        .records()
        .filter_map(|record| match record {
            Record::Call(call) => edit::code_of(&call),
            _ => None,
        })
        .collect()
}

/// Writes the modules as text; their names.
fn write_modules(modules: &[Vec<u32>], folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (number, words) in modules.iter().enumerate() {
        let name = format!("module-{number}.spvasm");
        let module = Module::decode(words).map_err(|error| anyhow!("shader module {number}: {error}"))?;
        let text = disassemble(&module);
        let path = folder.join(&name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        names.push(name);
    }
    Ok(names)
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let capture = replay::complete(&arguments.capture)?;
    let graph = Graph::new(&capture)?;
    let events = events(&graph)?;
    if arguments.list {
        list(&events);
        return Ok(ExitCode::SUCCESS);
    }
    let (Some(number), Some(folder)) = (arguments.event, &arguments.output) else {
        bail!("say which event, and where to: --event, --output");
    };
    let Some(event) = events.get(number) else {
        bail!("the capture has {} events (--list shows them), not number {number}", events.len());
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bar = trim::bar(3 * graph.nodes.len(), "replaying what is before the event");
    // SAFETY: the driver's own entry point.
    let exported = unsafe { exported(&graph, event, pyroclast_icd::get_instance_proc_addr, || bar.inc(1)) };
    bar.finish_and_clear();
    let mut exported = exported?;
    let name = format!("event {number} ({}) of {}", event.command, arguments.capture.display());
    exported.facts.push(("event".to_owned(), name.clone()));
    let path = folder.join("event.pyro");
    trim::write(&exported, &path)?;
    let modules = modules(&replay::complete(&path)?);
    let names = write_modules(&modules, folder)?;
    let list: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let text = format!(
        "# {}\n# The modules may be changed; `modules` names them in the order of their creation.\n\n[[case]]\n\
         name = \"event {number}\"\ncapture = \"event.pyro\"\nmodules = [{}]\n",
        name.replace('\n', " "),
        list.join(", ")
    );
    let test = folder.join("event.test.toml");
    std::fs::write(&test, text).with_context(|| format!("cannot write {}", test.display()))?;
    let size = std::fs::metadata(&path).map_or(0, |data| data.len());
    eprintln!("pyroclast: {}: {name}, {} modules, {size} bytes", folder.display(), modules.len());
    let (compared, different) = trim::check(&path)?;
    if compared == 0 {
        eprintln!("pyroclast: the event changes nothing in memory");
    } else {
        eprintln!("pyroclast: {compared} results compared, {different} differ");
    }
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// Exports, and says by the exit code whether the results differ (1) or there is nothing (2).
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(FAILED)
    })
}
