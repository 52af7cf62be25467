//! `pyroclast capture -o FILE -- PROGRAM ARGUMENTS`: runs a program on this driver and records its calls.

use super::trim::{self, Part};
use super::{exec, replay};
use anyhow::{Context, Result, bail};
use pyro_capture::file::Capture;
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
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let output = std::path::absolute(&arguments.output).context("the capture's path")?;
    if !arguments.part.is_given() {
        return record(arguments, &output);
    }
    // The whole, of which a part becomes the file.
    let whole = output.with_extension("whole.pyro");
    let code = record(arguments, &whole)?;
    let trimmed =
        replay::complete(&whole).and_then(|capture| trim::trim(&capture, &arguments.part, &output, true));
    let _ = std::fs::remove_file(&whole);
    let trimmed = trimmed?;
    Ok(if trimmed == ExitCode::SUCCESS { code } else { trimmed })
}

/// Runs the program and records all of it.
fn record(arguments: &Arguments, output: &Path) -> Result<ExitCode> {
    match std::fs::remove_file(output) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            bail!("cannot replace {}: {error}", output.display());
        }
        _ => {}
    }
    let code = exec::on_driver(&arguments.command, &[("PYROCLAST_CAPTURE", output.into())])?;
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

/// Reads a capture.
pub(super) fn open(path: &Path) -> Result<Capture> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Capture::read(BufReader::new(file)).with_context(|| path.display().to_string())
}

/// Runs the program and passes on its exit code; 125 when it could not be started or captured.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
