//! Checks many modules at once: `cargo run --release -p pyro-validate --example check -- [--env vulkan1.N]
//! [--scalar] FILE…`. With `--scalar`, blocks may be laid out by `scalarBlockLayout`. A file that starts with
//! `@` holds one path a line. Prints, for each module, `ok` or the first rules that it breaks, tab-separated;
//! a script can hold that against the verdicts of other checkers.

use pyro_spirv::Module;
use pyro_validate::{Device, Environment, LayoutFeatures, check};
use std::io::Write as _;

fn main() {
    let mut environment = Environment { strict: true, ..Environment::default() };
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--env" {
            let name = arguments.next().unwrap_or_default();
            let minor = name.strip_prefix("vulkan1.").and_then(|minor| minor.parse().ok());
            environment.device = minor.map(|minor| Device::version(1, minor));
        } else if argument == "--scalar" {
            let all = LayoutFeatures {
                uniform_standard: true,
                scalar: true,
                workgroup_scalar: true,
                relaxed: true,
            };
            environment.layout = all;
        } else if let Some(list) = argument.strip_prefix('@') {
            let list = std::fs::read_to_string(list).expect("a list of paths");
            paths.extend(list.lines().map(str::to_owned));
        } else {
            paths.push(argument);
        }
    }
    let mut out = std::io::stdout().lock();
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let found = match Module::decode_bytes(&bytes) {
            Err(error) => vec![format!("decode\t{error}")],
            Ok(module) => match check(&module, &environment) {
                // Warnings are no verdicts.
                Ok(_) => Vec::new(),
                Err(found) => found.iter().take(3).map(|one| format!("{}\t{one}", one.rule)).collect(),
            },
        };
        let verdict = if found.is_empty() { "ok".to_owned() } else { found.join("\t") };
        // Nobody listens any more.
        if writeln!(out, "{path}\t{verdict}").is_err() {
            return;
        }
    }
}
