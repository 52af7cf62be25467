//! `pyroclast exec -- PROGRAM ARGUMENTS`: runs a Vulkan program on this driver alone.

use crate::{config, library, system};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

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
pub(super) struct Manifest(pub(super) PathBuf);

impl Manifest {
    pub(super) fn write() -> Result<Manifest> {
        let path = std::env::temp_dir().join(format!("pyroclast-{}.json", std::process::id()));
        std::fs::write(&path, library::manifest(&library::find()?))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Manifest(path))
    }

    /// A program that sees this driver alone, as long as the manifest is there.
    ///
    /// # Errors
    /// When the command is empty.
    pub(super) fn command(&self, command: &[OsString]) -> Result<Command> {
        let (program, rest) = command.split_first().context("no program given")?;
        let mut command = Command::new(program);
        command
            .args(rest)
            .env("VK_DRIVER_FILES", &self.0)
            .env("VK_ICD_FILENAMES", &self.0) // loaders before 1.3.207
            .env(CONFORMANCE.0, config::variable(CONFORMANCE.0).unwrap_or_else(|| CONFORMANCE.1.into()));
        Ok(command)
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs a program on this driver alone, with more variables in its environment.
pub(super) fn on_driver(command: &[OsString], variables: &[(&str, OsString)]) -> Result<ExitCode> {
    on_driver_watching(command, variables, None)
}

/// How long a program is left alone between two looks.
const WATCH_PAUSE: Duration = Duration::from_millis(5);

/// The same, with something that is done every few milliseconds while the program runs.
pub(super) fn on_driver_watching(
    command: &[OsString],
    variables: &[(&str, OsString)],
    watch: Option<&mut dyn FnMut() -> Result<()>>,
) -> Result<ExitCode> {
    let manifest = Manifest::write()?;
    let mut program = manifest.command(command)?;
    program.envs(variables.iter().map(|(name, value)| (name, value)));
    let status = match watch {
        None => program.status().with_context(|| cannot_run(command))?,
        Some(watch) => {
            let mut child = program.spawn().with_context(|| cannot_run(command))?;
            loop {
                if let Some(status) = child.try_wait()? {
                    break status;
                }
                watch()?;
                std::thread::sleep(WATCH_PAUSE);
            }
        }
    };
    Ok(ExitCode::from(exit_code(status)))
}

/// What failed when a program was not started.
pub(super) fn cannot_run(command: &[OsString]) -> String {
    format!("cannot run {}", command.first().cloned().unwrap_or_default().to_string_lossy())
}

/// A program's exit code as a shell reports it: its own, or 128 and the signal's number.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let signal = system::signal(status);
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Runs the program and passes on its exit code; 125 when it could not be started.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    on_driver(&arguments.command, &[]).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
