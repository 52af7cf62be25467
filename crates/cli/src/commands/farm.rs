//! `pyroclast farm`: jobs over processes and machines.

use std::process::ExitCode;

/// One of the farm's commands.
#[cfg(unix)]
pub(crate) use pyro_farm::command::Command;

/// Runs it.
#[cfg(unix)]
pub(crate) fn run(command: &Command) -> ExitCode {
    use pyro_farm::command::{self, Front};
    let program = std::env::current_exe().unwrap_or_else(|_| "pyroclast".into());
    command::main(command, &Front { program, arguments: vec!["farm".into()] })
}

/// What the farm would do.
#[cfg(windows)]
#[derive(clap::Args)]
pub(crate) struct Command {
    /// Its command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

/// Says that there is none.
#[cfg(windows)]
pub(crate) fn run(command: &Command) -> ExitCode {
    let words: Vec<_> = command.arguments.iter().map(|word| word.to_string_lossy()).collect();
    eprintln!("pyroclast: farm {}: not available on Windows", words.join(" "));
    ExitCode::FAILURE
}
