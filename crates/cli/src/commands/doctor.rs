//! `pyroclast doctor`: why a program does not see the device, and what to do.

use crate::config;
use crate::doctor::{self, Diagnosis, Finding, Severity, loader, programs};
use crate::system;
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// How to show it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// Also what programs such as browsers and engines need.
    #[arg(long)]
    programs: bool,
    /// Print the devices that the loader gives to this process; for the process that `doctor` starts.
    #[arg(long, hide = true)]
    probe: bool,
}

/// A finding's mark, and the escape sequence of its colour.
fn mark(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Good => ("ok", "32"),
        Severity::Note => ("note", "33"),
        Severity::Problem => ("PROBLEM", "31"),
    }
}

fn print_finding(finding: &Finding, is_coloured: bool) {
    let (word, colour) = mark(finding.severity);
    let padded = format!("{word:<8}");
    let shown = if is_coloured { format!("\x1b[{colour}m{padded}\x1b[0m") } else { padded };
    println!("{shown}{:<11}{}", finding.subject, finding.text);
    if let Some(fix) = &finding.fix {
        println!("{:<19}-> {fix}", "");
    }
}

fn print(diagnosis: &Diagnosis, with_programs: bool) {
    let is_coloured = std::io::stdout().is_terminal() && system::shows_colours();
    diagnosis.findings.iter().for_each(|finding| print_finding(finding, is_coloured));
    if with_programs {
        println!("\nWhat programs need:");
        for [program, behaviour, setting] in programs::rows() {
            println!("  {program}: {behaviour}\n    -> {setting}");
        }
    }
    let verdict = if diagnosis.is_device_seen { "see" } else { "do not see" };
    println!("\nPrograms started here {verdict} the device.");
}

fn probe() -> ExitCode {
    match loader::devices() {
        Ok(devices) => {
            println!("{devices}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("pyroclast: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Shows the findings; the exit code is 1 when a program would not see the device.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if arguments.probe {
        return probe();
    }
    let diagnosis = doctor::examine(&config::variable);
    if arguments.json {
        println!("{:#}", diagnosis.to_json());
    } else {
        print(&diagnosis, arguments.programs);
    }
    if diagnosis.is_device_seen { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
