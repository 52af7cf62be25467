//! `pyroclast completions` and `pyroclast man`: what packages install beside the program.

use anyhow::{Context, Result};
use clap_complete::Shell;
use std::io::Write as _;
use std::path::PathBuf;

/// For which shell.
#[derive(clap::Args)]
pub(crate) struct CompletionArguments {
    shell: Shell,
}

/// Where to.
#[derive(clap::Args)]
pub(crate) struct ManArguments {
    /// The folder that gets `pyroclast.1` and a page for each subcommand.
    folder: PathBuf,
}

/// Prints the shell's completions of this command line.
pub(crate) fn completions(arguments: &CompletionArguments, mut command: clap::Command) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "pyroclast", &mut text);
    std::io::stdout().write_all(&text).context("cannot write to standard output")
}

/// Writes the manual's pages.
pub(crate) fn man(arguments: &ManArguments, command: clap::Command) -> Result<()> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(command, folder).with_context(|| format!("cannot write to {}", folder.display()))
}
