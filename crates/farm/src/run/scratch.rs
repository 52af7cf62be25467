//! Folders for what programs read and write while a unit runs.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder that is removed when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder below `parent`, or below the system's folder for temporary files.
    pub(crate) fn new(parent: Option<&Path>) -> Result<Scratch> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("pyroclast-farm-{}-{serial}", std::process::id()));
        // What a killed process of the same number left.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Scratch(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
