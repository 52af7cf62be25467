//! `pyroclast farm cache`: compiled code between a folder and a store.

use crate::cache::{Moved, pull, push};
use crate::report;
use crate::store::Store;
use anyhow::Result;
use clap::{Subcommand, ValueHint};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which way.
#[derive(Subcommand)]
pub enum Arguments {
    /// Bring compiled code from a store into the folder of PYROCLAST_CACHE_SHARED.
    Pull(Places),
    /// Take the folder's compiled code into a store.
    Push(Places),
}

/// From where to where.
#[derive(clap::Args)]
pub struct Places {
    /// The folder that PYROCLAST_CACHE_SHARED names.
    #[arg(value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The store: a folder, file:///…, or in builds for clouds s3://…, gs://…, az://…
    #[arg(long, value_name = "URL")]
    out: String,
    /// MiB that are brought at most.
    #[arg(long, default_value_t = 4096)]
    size: u64,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (places, what) = match arguments {
        Arguments::Pull(places) => (places, "brought"),
        Arguments::Push(places) => (places, "stored"),
    };
    let store = Store::open(&places.out)?;
    let Moved { artifacts, bytes } = match arguments {
        Arguments::Pull(_) => pull(&store, &places.folder, places.size.saturating_mul(1 << 20))?,
        Arguments::Push(_) => push(&places.folder, &store)?,
    };
    if places.json {
        report::line(&json!({ "artifacts": artifacts, "bytes": bytes }));
    } else {
        report::line(&format_args!("{artifacts} artifacts {what}, {bytes} bytes"));
    }
    Ok(ExitCode::SUCCESS)
}
