//! The `pyroclast` command: show, install, run and inspect the driver.

mod check;
mod chromium;
mod client;
#[cfg(unix)]
mod closed_pipe;
mod commands;
mod compilers;
mod config;
mod constants;
mod create_info;
mod description;
mod doctor;
mod environment;
mod exr;
mod library;
mod profile;
mod reflection;
mod report;
mod sanitizer;
mod scene;
mod source_error;
mod sources;
mod stage;
mod system;
mod temporary;

use clap::{CommandFactory as _, Parser, Subcommand};
use std::process::ExitCode;

/// A Vulkan driver that runs on the CPU, and the tools around it.
#[derive(Parser)]
#[command(name = "pyroclast", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Render a picture through the driver's own entry points and show how fast it went.
    Demo(commands::demo::Arguments),
    /// Show the device: limits, features, extensions, memory, queues; or what is in a capture.
    Info(commands::info::Arguments),
    /// Say why programs do not see the device, and what to do.
    Doctor(commands::doctor::Arguments),
    /// Run any Vulkan program on this driver: `pyroclast exec -- vulkaninfo --summary`.
    #[command(after_help = commands::exec::HELP)]
    Exec(commands::exec::Arguments),
    /// Record what a Vulkan program does on this driver: `pyroclast capture -o frame.pyro -- vkcube --c 3`.
    Capture(commands::capture::Arguments),
    /// Do what a capture recorded again, and check that the results are the same.
    Replay(commands::replay::Arguments),
    /// Write a part of a capture as a capture of its own: frames, submissions, what has a label.
    Trim(commands::trim::Arguments),
    /// Write one draw, dispatch or launch of rays of a capture as a stand-alone test.
    Export(commands::export::Arguments),
    /// Write a smaller capture that still has a property: a pixel, a finding, a crash, a difference.
    Reduce(commands::reduce::Arguments),
    /// Put a manifest where the Vulkan loader looks, for this user or for all.
    Install(commands::install::Arguments),
    /// Take the manifest away again.
    Uninstall(commands::install::Arguments),
    /// Print the manifest JSON for the library built beside this program.
    Manifest,
    /// Run the shaders of one pipeline (compute, graphics, ray tracing) on literals and files.
    Run(Box<commands::run::Arguments>),
    /// Check shaders and pipelines: what is wrong, where in the source, and by which rule.
    Check(commands::check::Arguments),
    /// Show the interfaces of shaders: inputs, outputs, resources, constants; as tables, JSON or a page.
    Reflect(commands::reflect::Arguments),
    /// Run any Vulkan program on this driver and say what its shaders do wrong, and where.
    Sanitize(commands::sanitize::Arguments),
    /// Debug shaders of a capture or a program: in an editor, or in the terminal with --terminal.
    Debug(commands::debug::Arguments),
    /// Run a program, or a capture, and say where its time goes: by pass, command, pipeline, line of source.
    Profile(commands::profile::Arguments),
    /// Run a program and write which lines of its shaders ran, as LCOV.
    Coverage(commands::coverage::Arguments),
    /// Run the tests that are written beside shaders.
    Test(commands::test::Arguments),
    /// Say where, how much and why two pictures differ.
    Compare(commands::compare::Arguments),
    /// Show a compute shader at every step from SPIR-V to what runs.
    Asm(commands::asm::Arguments),
    /// Cut a job of test cases, frames or dispatches over processes and machines, and merge the results.
    #[cfg_attr(unix, command(subcommand))]
    Farm(commands::farm::Command),
    /// Print completions for a shell.
    Completions(commands::shell::CompletionArguments),
    /// Write the manual's pages into a folder.
    Man(commands::shell::ManArguments),
}

fn main() -> ExitCode {
    #[cfg(unix)]
    closed_pipe::end_quietly();
    let result = match Arguments::parse().command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Info(arguments) => commands::info::run(&arguments),
        Command::Farm(command) => return commands::farm::run(&command),
        Command::Exec(arguments) => return commands::exec::run(&arguments),
        Command::Sanitize(arguments) => return commands::sanitize::run(&arguments),
        Command::Capture(arguments) => return commands::capture::run(&arguments),
        Command::Debug(arguments) => return commands::debug::run(&arguments),
        Command::Profile(arguments) => return commands::profile::run(&arguments),
        Command::Coverage(arguments) => return commands::coverage::run(&arguments),
        Command::Test(arguments) => return commands::test::run(&arguments),
        Command::Compare(arguments) => return commands::compare::run(&arguments),
        Command::Export(arguments) => return commands::export::run(&arguments),
        Command::Reduce(arguments) => return commands::reduce::run(&arguments),
        Command::Trim(arguments) => return commands::trim::run(&arguments),
        Command::Replay(arguments) => return commands::replay::run(&arguments),
        Command::Doctor(arguments) => return commands::doctor::run(&arguments),
        Command::Check(arguments) => return commands::check::run(&arguments),
        Command::Install(arguments) => commands::install::install(&arguments),
        Command::Uninstall(arguments) => commands::install::uninstall(&arguments),
        Command::Manifest => commands::manifest::run(),
        Command::Reflect(arguments) => commands::reflect::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Asm(arguments) => commands::asm::run(&arguments),
        Command::Completions(arguments) => commands::shell::completions(&arguments, Arguments::command()),
        Command::Man(arguments) => commands::shell::man(&arguments, Arguments::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pyroclast: {error:#}");
            ExitCode::FAILURE
        }
    }
}
