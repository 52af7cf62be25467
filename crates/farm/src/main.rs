//! `pyroclast-farm`: the commands of `pyroclast farm` without the driver, for machines that only work.

use clap::Parser;
use pyro_farm::command::{self, Command, Front};
use std::process::ExitCode;

/// Jobs of many units over processes and machines.
#[derive(Parser)]
#[command(name = "pyroclast-farm", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let program = std::env::current_exe().unwrap_or_else(|_| "pyroclast-farm".into());
    command::main(&arguments.command, &Front { program, arguments: Vec::new() })
}
