//! `pyroclast exec -- PROGRAM ARGUMENTS`: runs a Vulkan program on this driver alone.

use crate::{config, library};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The version that programs are told which hide devices without one, and the variable that holds it.
const CONFORMANCE: (&str, &str) = ("PYROCLAST_CONFORMANCE_VERSION", "1.3.0.0");

/// What the help says besides.
pub(crate) const HELP: &str = "\
The program sees this device alone (VK_DRIVER_FILES, VK_ICD_FILENAMES). Programs that use wgpu hide devices
that report no conformance version; so PYROCLAST_CONFORMANCE_VERSION=1.3.0.0 is set for the program unless it
is set already. It says nothing of the driver's quality: no version is certified.";

/// What to run.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// A manifest in the temporary folder, removed when dropped.
struct Manifest(PathBuf);

impl Manifest {
    fn write() -> Result<Manifest> {
        let path = std::env::temp_dir().join(format!("pyroclast-{}.json", std::process::id()));
        std::fs::write(&path, library::manifest(&library::find()?))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Manifest(path))
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let manifest = Manifest::write()?;
    let (program, rest) = arguments.command.split_first().context("no program given")?;
    let status = Command::new(program)
        .args(rest)
        .env("VK_DRIVER_FILES", &manifest.0)
        .env("VK_ICD_FILENAMES", &manifest.0) // loaders before 1.3.207
        .env(CONFORMANCE.0, config::variable(CONFORMANCE.0).unwrap_or_else(|| CONFORMANCE.1.into()))
        .status()
        .with_context(|| format!("cannot run {}", program.to_string_lossy()))?;
    // As a shell reports it: the exit code, or 128 and the signal's number.
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Runs the program and passes on its exit code; 125 when it could not be started.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
