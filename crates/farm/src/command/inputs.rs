//! What several commands are given: the job, the store, the key, the times.

use crate::digest::Key;
use crate::job::Job;
use crate::plan::{Plan, Times};
use crate::store::Store;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};

/// Where the results are, and what they are authenticated with.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct StoreArguments {
    /// Where plan and results are: a folder, file:///…, or in builds for clouds s3://…, gs://…, az://…
    #[arg(long, value_name = "URL")]
    pub(super) out: String,
    /// A file of at least 32 bytes with mode 0600: plans and results are authenticated with it, and others
    /// refused.
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
}

/// A job in its store.
pub(super) struct Opened {
    pub(super) job: Job,
    pub(super) store: Store,
    pub(super) key: Option<Key>,
}

impl StoreArguments {
    pub(super) fn open(&self, job: &Path) -> Result<Opened> {
        let key = self.key_file.as_deref().map(Key::read).transpose()?;
        Ok(Opened { job: Job::read(job)?, store: Store::open(&self.out)?, key })
    }
}

impl Opened {
    /// The job's plan in the store.
    pub(super) fn plan(&self) -> Result<Plan> {
        let plan = Plan::load(&self.store, &self.job, self.key.as_ref())?;
        plan.with_context(|| {
            let mut message = format!(
                "no shard of job {} with digest {} has run in {}",
                self.job.name,
                self.job.digest.short(),
                self.store.url()
            );
            message.push_str(&crate::plan::differences(&self.store, &self.job, self.key.as_ref()));
            message
        })
    }
}

/// The times of a file, or none.
pub(super) fn times(path: Option<&Path>) -> Result<Times> {
    path.map_or_else(|| Ok(Times::default()), Times::read)
}

/// A progress bar, on a terminal only.
pub(super) fn progress(what: &str, count: usize) -> Result<ProgressBar> {
    let template = format!("{what} [{{bar:30}}] {{pos}}/{{len}} {{elapsed}} {{wide_msg}}");
    let style = ProgressStyle::with_template(&template)?.progress_chars("=> ");
    Ok(ProgressBar::new(count as u64).with_style(style))
}
