//! `pyroclast capture -o FILE -- PROGRAM ARGUMENTS`: runs a program on this driver and records its calls.

mod trigger;

use super::trim::{self, Bounds, Part};
use super::{exec, replay};
use anyhow::{Context, Result, bail};
use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::{ORDER, Record};
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to run, and where the capture goes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The capture's file; one that exists is replaced.
    #[arg(short, long, default_value = "capture.pyro")]
    output: PathBuf,
    #[command(flatten)]
    part: Part,
    /// Keep the frames in which this key is pressed, wherever the focus is, each as a file of its own (the
    /// second ends in -2.pyro): F1 to F12, Pause, Print, Insert, a letter or a digit. It needs an X
    /// server, or Windows.
    #[arg(long, value_name = "KEY", value_parser = trigger::parse, conflicts_with_all = ["frames", "submissions", "label"])]
    key: Option<trigger::Key>,
    /// Keep the frames in which this process gets SIGUSR1: `kill -USR1 PROCESS`.
    #[arg(long, conflicts_with_all = ["frames", "submissions", "label"])]
    on_signal: bool,
    /// Run shaders that write memory in a fixed order, now and in replays: for programs whose results depend
    /// on which invocation comes first, as sums of floats by atomics do (PYROCLAST_DETERMINISTIC).
    #[arg(long)]
    deterministic: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let output = std::path::absolute(&arguments.output).context("the capture's path")?;
    if arguments.key.is_some() || arguments.on_signal {
        return on_demand(arguments, &output);
    }
    if !arguments.part.is_given() {
        return record(arguments, &output, None);
    }
    // The whole, of which a part becomes the file.
    let whole = output.with_extension("whole.pyro");
    let code = record(arguments, &whole, None)?;
    let trimmed =
        replay::complete(&whole).and_then(|capture| trim::trim(&capture, &arguments.part, &output, true));
    let _ = std::fs::remove_file(&whole);
    let trimmed = trimmed?;
    Ok(if trimmed == ExitCode::SUCCESS { code } else { trimmed })
}

/// Records the program, and keeps the frames that were asked for while it ran.
fn on_demand(arguments: &Arguments, output: &Path) -> Result<ExitCode> {
    let whole = output.with_extension("whole.pyro");
    let mark = whole.with_extension("pyro.mark");
    let mut trigger = trigger::Trigger::new(arguments.key, arguments.on_signal)?;
    let mut watch = || {
        if trigger.is_pulled()? {
            std::fs::write(&mark, b"").with_context(|| format!("cannot write {}", mark.display()))?;
        }
        Ok(())
    };
    let code = record(arguments, &whole, Some(&mut watch));
    // One that came behind the last submission.
    let _ = std::fs::remove_file(&mark);
    let kept = code.and_then(|code| Ok((code, keep_marked(&whole, output)?)));
    let _ = std::fs::remove_file(&whole);
    let (code, kept) = kept?;
    Ok(if kept == ExitCode::SUCCESS { code } else { kept })
}

/// Writes each marked frame of a capture as a file of its own.
fn keep_marked(whole: &Path, output: &Path) -> Result<ExitCode> {
    let capture = replay::complete(whole)?;
    let frames = trim::marked(&Graph::new(&capture)?)?;
    if frames.is_empty() {
        bail!("no frame was asked for while the program ran, so there is no capture");
    }
    let mut code = ExitCode::SUCCESS;
    for (number, frame) in (1..).zip(frames) {
        let path = match number {
            1 => output.to_owned(),
            _ => output.with_file_name(format!(
                "{}-{number}.pyro",
                output.file_stem().unwrap_or_default().to_string_lossy()
            )),
        };
        let frame = Bounds { first: frame, last: frame };
        let trimmed = trim::trim(&capture, &Part { frames: Some(frame), ..Part::default() }, &path, true)?;
        if trimmed != ExitCode::SUCCESS {
            code = trimmed;
        }
    }
    Ok(code)
}

/// Runs the program and records all of it; `watch` is called again and again while it runs.
fn record(
    arguments: &Arguments,
    output: &Path,
    watch: Option<&mut dyn FnMut() -> Result<()>>,
) -> Result<ExitCode> {
    match std::fs::remove_file(output) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            bail!("cannot replace {}: {error}", output.display());
        }
        _ => {}
    }
    let mut variables = vec![("PYROCLAST_CAPTURE", output.into())];
    if arguments.deterministic {
        variables.push(("PYROCLAST_DETERMINISTIC", "1".into()));
    }
    let code = exec::on_driver_watching(&arguments.command, &variables, watch)?;
    if !output.exists() {
        bail!("the program made no Vulkan instance on this driver, so there is no capture");
    }
    let capture = open(output)?;
    let size = std::fs::metadata(output).map_or(0, |data| data.len());
    match capture.summary {
        Some(summary) => eprintln!(
            "pyroclast: {}: {} calls, {} bytes of contents of memory, {size} bytes",
            output.display(),
            summary.calls,
            summary.memory_bytes
        ),
        None => {
            eprintln!("pyroclast: {}: {size} bytes; the program ended before its capture", output.display())
        }
    }
    Ok(code)
}

/// Reads a capture; where its order of invocations is fixed, that of the driver in this process is, too.
pub(super) fn open(path: &Path) -> Result<Capture> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let capture = Capture::read(BufReader::new(file)).with_context(|| path.display().to_string())?;
    let is_text = |record: &Record<'_>| matches!(record, Record::Text(..));
    if capture.records().take_while(is_text).any(|text| matches!(text, Record::Text(ORDER, _))) {
        pyro_util::config::fix_order();
    }
    Ok(capture)
}

/// Runs the program and passes on its exit code; 125 when it could not be started or captured.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
