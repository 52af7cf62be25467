//! The runner: starts clients, one driver after the other within each round, so that a change in the
//! machine's pace meets all drivers alike.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::bench::{Bench, Clock, Scale};
use crate::icd::Icd;

/// What one client came to.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The figure, in the benchmark's unit, and the device's own description.
    Value(f64, Option<String>),
    /// The driver says that it cannot.
    Unsupported(String),
    /// A wrong result, an error, a crash or a time-out.
    Failed(String),
}

/// How clients are started.
pub(crate) struct Settings {
    /// How much work they do.
    pub(crate) scale: Scale,
    /// Processors that they stay on.
    pub(crate) threads: Option<usize>,
    /// After which a client is stopped.
    pub(crate) timeout: Duration,
    /// Opens libraries without the loader.
    pub(crate) direct: bool,
    /// Processor time is counted instead of elapsed time.
    pub(crate) processor_time: bool,
    /// Where manifests and the drivers' own caches go; new and empty.
    pub(crate) scratch: PathBuf,
}

/// Runs one benchmark once on a driver, or on the bare machine where `icd` is `None`.
pub(crate) fn run_client(bench: &Bench, icd: Option<&Icd>, settings: &Settings) -> Outcome {
    match spawn(bench, icd, settings) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(format!("client: {error}")),
    }
}

fn spawn(bench: &Bench, icd: Option<&Icd>, settings: &Settings) -> std::io::Result<Outcome> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["client", bench.name]);
    if settings.scale == Scale::Tiny {
        command.arg("--tiny");
    }
    if let Some(threads) = settings.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    if settings.processor_time {
        command.arg("--processor-time");
    }
    match icd {
        None => {
            command.arg("--native");
        }
        Some(icd) if settings.direct => {
            command.arg("--direct").arg(library_of(&icd.path)?);
        }
        Some(icd) => {
            let manifest = icd.manifest(&settings.scratch)?;
            // The older name is for loaders before 1.3.207.
            command.env("VK_DRIVER_FILES", &manifest).env("VK_ICD_FILENAMES", &manifest);
        }
    }
    // Drivers compile for real in every client: no cache of an earlier one, and no layer that a desktop
    // adds to every program.
    command
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("XDG_CACHE_HOME", cache_folder(settings)?)
        .env("VK_LOADER_LAYERS_DISABLE", "~all~")
        .env("NODEVICE_SELECT", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    let start = Instant::now();
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let mut stderr = child.stderr.take().expect("stderr is piped");
    let (sender, receiver) = mpsc::channel();
    let lines = std::thread::spawn(move || {
        // Drivers may print lines of their own: the answer is the one in JSON.
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let at = Instant::now();
            if let Ok(answer) = serde_json::from_str::<serde_json::Value>(&line)
                && answer.is_object()
            {
                let _ = sender.send((answer, at));
            }
        }
    });
    let noise = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let answer = receiver.recv_timeout(settings.timeout);
    if matches!(answer, Err(mpsc::RecvTimeoutError::Timeout)) {
        child.kill()?;
    }
    let status = child.wait()?;
    lines.join().expect("the reader does not panic");
    let noise = noise.join().expect("the reader does not panic");
    let last_words = noise.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").to_owned();
    let (answer, at) = match answer {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            return Ok(Outcome::Failed(format!("no answer in {} s", settings.timeout.as_secs())));
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            return Ok(Outcome::Failed(format!("{status}: {last_words}")));
        }
    };
    let text = |key: &str| answer[key].as_str().map(str::to_owned);
    if let Some(reason) = text("unsupported") {
        return Ok(Outcome::Unsupported(reason));
    }
    if let Some(error) = text("error") {
        return Ok(Outcome::Failed(error));
    }
    let value = match bench.clock {
        Clock::Runner(_) if icd.is_some() => Some((at - start).as_secs_f64() * 1e3),
        _ => answer["value"].as_f64(),
    };
    Ok(match value {
        Some(value) => Outcome::Value(value, text("device")),
        None => Outcome::Failed(format!("the client's answer holds no value: {answer}")),
    })
}

/// An empty folder for a client's caches.
fn cache_folder(settings: &Settings) -> std::io::Result<PathBuf> {
    let folder = settings.scratch.join("cache");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The library that a path is, or that a manifest names.
fn library_of(path: &Path) -> std::io::Result<PathBuf> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(path.to_owned());
    }
    let manifest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    manifest["ICD"]["library_path"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| std::io::Error::other("the manifest names no library"))
}
