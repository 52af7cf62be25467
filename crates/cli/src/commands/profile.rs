//! `pyroclast profile -- PROGRAM`: says where a program's time goes, down to lines of shaders.

use super::compare::captures::is_capture;
use super::exec::{Manifest, cannot_run, exit_code};
use crate::profile::{json, page, table, trace};
use anyhow::{Context, Result, bail};
use pyro_profiler::profile::Profile;
use pyro_profiler::summary::Summary;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What to run, and how to tell.
#[derive(clap::Args)]
#[command(
    after_long_help = "Exit codes: the program's own; 125 when it could not be run, or made no device on this driver."
)]
pub(crate) struct Arguments {
    /// A capture (`.pyro`), which is replayed; a profile that `--save` wrote; or a folder of such profiles,
    /// which are added.
    #[arg(value_name = "FILE", required_unless_present = "command", conflicts_with = "command")]
    file: Option<PathBuf>,
    /// Replay a capture so many times.
    #[arg(long = "loop", value_name = "TIMES", default_value_t = 1)]
    times: u32,
    /// Count exactly, too: runs of lines, active lanes, bytes, image operations, barriers. It is slower.
    #[arg(long)]
    counts: bool,
    /// Processor time between the samples of a thread, in microseconds; the system may not go below its tick.
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 1000)]
    interval: u64,
    /// Rows of each table.
    #[arg(long, value_name = "COUNT", default_value_t = 15)]
    rows: usize,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Write a page: flame graph, sources with heat, timeline.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a trace for Perfetto (JSON trace events).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Keep the profile in a file, to be shown again.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true)]
    command: Vec<OsString>,
}

/// A folder for the profiles of a program's processes, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("pyroclast-profile-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder(path))
    }
}

/// The profiles in a folder.
fn load_all(folder: &Path) -> Result<Vec<Profile>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(path: &Path) -> Result<Profile> {
    Profile::load(path).with_context(|| path.display().to_string())
}

/// Runs a program, or the replay of a capture, and gives the profiles of its processes and its exit code.
fn measure(arguments: &Arguments) -> Result<(Vec<Profile>, ExitCode)> {
    let folder = Folder::new()?;
    let manifest = Manifest::write()?;
    let mut child = match &arguments.file {
        Some(capture) => {
            let own = std::env::current_exe().context("the path of this program")?;
            let mut child = Command::new(own);
            child.arg("replay").arg(capture).args(["--loop", &arguments.times.to_string()]);
            if arguments.json {
                child.stdout(std::process::Stdio::null());
            }
            child
        }
        None => manifest.command(&arguments.command)?,
    };
    child
        .env("PYROCLAST_PROFILE", folder.0.join("process"))
        .env("PYROCLAST_PROFILE_INTERVAL", arguments.interval.to_string())
        .env("PYROCLAST_PROFILE_COUNTS", if arguments.counts { "1" } else { "0" });
    let status = child.status().with_context(|| cannot_run(&arguments.command))?;
    Ok((load_all(&folder.0)?, ExitCode::from(exit_code(status))))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let (profiles, code) = match &arguments.file {
        Some(path) if path.is_dir() => (load_all(path)?, ExitCode::SUCCESS),
        Some(path) if !is_capture(path) => (vec![load(path)?], ExitCode::SUCCESS),
        _ => measure(arguments)?,
    };
    if profiles.is_empty() {
        match &arguments.file {
            Some(path) if path.is_dir() => bail!("{} has no profile", path.display()),
            _ => bail!("the program made no Vulkan device on this driver, so there is no profile"),
        }
    }
    if let Some(path) = &arguments.save {
        let [profile] = &profiles[..] else {
            bail!("--save: there are profiles of {} processes, and a file holds one", profiles.len());
        };
        profile.save(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let summary = Summary::of(&profiles);
    if let Some(path) = &arguments.html {
        write(path, &page::render(&profiles, &summary))?;
    }
    if let Some(path) = &arguments.trace {
        write(path, &trace::render(&profiles).to_string())?;
    }
    match arguments.json {
        true => println!("{:#}", json::render(&summary)),
        false => print!("{}", table::render(&summary, arguments.rows)),
    }
    Ok(code)
}

/// Runs the program and passes on its exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
