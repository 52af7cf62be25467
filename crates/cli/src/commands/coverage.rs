//! `pyroclast coverage -o shaders.info -- PROGRAM`: which lines of its shaders a program ran, as LCOV.

use super::exec;
use anyhow::{Context, Result, bail};
use pyro_lcov::{Coverage, FileCoverage, Share};
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to run, and where coverage goes.
#[derive(clap::Args)]
#[command(
    after_long_help = "The file is LCOV: genhtml, and the coverage pages of most forges, read it. Shaders compiled \
without lines of source (-g) are not in it.\n\nExit codes: the program's own; 125 when it could not be run, or \
made no device on this driver; 1 when less than --fail-under of the lines ran."
)]
pub(crate) struct Arguments {
    /// The file.
    #[arg(short, long, default_value = "shaders.info")]
    output: PathBuf,
    /// Add to what the file has, instead of replacing it.
    #[arg(long)]
    append: bool,
    /// Fail when fewer lines ran, in percent.
    #[arg(long, value_name = "PERCENT")]
    fail_under: Option<f64>,
    /// Print the shares as JSON.
    #[arg(long)]
    json: bool,
    /// The program and its arguments; without, the file is only shown.
    #[arg(last = true)]
    command: Vec<OsString>,
}

/// Reads LCOV.
pub(super) fn load(path: &Path) -> Result<Coverage> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Coverage::parse(&text)
        .map_err(|line| anyhow::anyhow!("{}: line {line} is not an LCOV record", path.display()))
}

/// One of the shares of a file.
type ShareOf = fn(&FileCoverage) -> Share;

fn total(coverage: &Coverage, of: ShareOf) -> Share {
    coverage.files.values().map(of).fold(Share::default(), Share::plus)
}

fn show(coverage: &Coverage, as_json: bool) {
    let shares: [(&str, ShareOf); 3] = [
        ("lines", FileCoverage::line_share),
        ("branches", FileCoverage::branch_share),
        ("functions", FileCoverage::function_share),
    ];
    if as_json {
        let value =
            |share: Share| json!({ "found": share.found, "hit": share.hit, "percent": share.percent() });
        let files: serde_json::Map<_, _> = coverage
            .files
            .iter()
            .map(|(name, file)| {
                let shares: serde_json::Map<_, _> =
                    shares.iter().map(|(what, of)| ((*what).to_owned(), value(of(file)))).collect();
                (name.clone(), shares.into())
            })
            .collect();
        let all: serde_json::Map<_, _> =
            shares.iter().map(|(what, of)| ((*what).to_owned(), value(total(coverage, *of)))).collect();
        println!("{:#}", json!({ "tool": "pyroclast coverage", "files": files, "total": all }));
        return;
    }
    let text =
        |share: Share| format!("{:5.1} % {:>9}", share.percent(), format!("{}/{}", share.hit, share.found));
    println!("{:>17} {:>17} {:>17}", "lines", "branches", "functions");
    let row = |name: &str, all: [Share; 3]| {
        let [lines, branches, functions] = all.map(text);
        println!("{lines} {branches} {functions}  {name}");
    };
    for (name, file) in &coverage.files {
        row(name, shares.map(|(_, of)| of(file)));
    }
    row("all", shares.map(|(_, of)| total(coverage, of)));
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let output = std::path::absolute(&arguments.output).context("the file's path")?;
    let mut code = ExitCode::SUCCESS;
    if !arguments.command.is_empty() {
        if !arguments.append && output.exists() {
            std::fs::remove_file(&output).with_context(|| format!("cannot replace {}", output.display()))?;
        }
        code = exec::on_driver(&arguments.command, &[("PYROCLAST_COVERAGE", output.clone().into())])?;
        if !output.exists() {
            bail!("the program made no Vulkan device on this driver, so there is no coverage");
        }
    }
    let coverage = load(&output)?;
    show(&coverage, arguments.json);
    if coverage.files.is_empty() {
        eprintln!("pyroclast: no shader that ran has lines of source (compile them with -g)");
    }
    let lines = total(&coverage, FileCoverage::line_share);
    match arguments.fail_under {
        Some(least) if lines.percent() < least => {
            eprintln!("pyroclast: {:.1} % of the lines ran, fewer than {least} %", lines.percent());
            Ok(ExitCode::FAILURE)
        }
        _ => Ok(code),
    }
}

/// Runs the program and passes on its exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(125)
    })
}
