//! `pyroclast farm`: jobs over processes and machines.

use pyro_farm::command::{self, Command, Front};
use std::process::ExitCode;

/// Runs one of the farm's commands.
pub(crate) fn run(command: &Command) -> ExitCode {
    let program = std::env::current_exe().unwrap_or_else(|_| "pyroclast".into());
    command::main(command, &Front { program, arguments: vec!["farm".into()] })
}
