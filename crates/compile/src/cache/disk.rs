//! Artifacts in files, for the next process: `PYROCLAST_CACHE_DIR`.
//!
//! A [`Folder`] that nobody but the user may write into, sealed with the user's key. What is read is marked
//! as used, so that the sweep of the folder removes what was used least recently.

use super::folder::{Folder, sealed, unsealed};
use super::{Artifact, Digest, SealKey, system};
use pyro_util::report::to_stderr;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// A file that was used is marked as such when its mark is older.
const MARK_AGE: Duration = Duration::from_secs(3600);

/// A directory of artifacts.
#[derive(Debug)]
pub struct DiskCache(Folder);

impl DiskCache {
    /// The directory that the environment names, if it does. Opened once.
    pub fn from_environment() -> Option<&'static DiskCache> {
        static DIRECTORY: OnceLock<Option<DiskCache>> = OnceLock::new();
        let open = || {
            let config = pyro_util::config::get();
            let root = config.cache_directory.as_ref()?;
            DiskCache::open(root, config.cache_bytes)
                .inspect_err(|error| to_stderr(&format_args!("no cache in {}: {error}", root.display())))
                .ok()
        };
        DIRECTORY.get_or_init(open).as_ref()
    }

    /// Opens or makes a directory whose files may take `limit` bytes.
    ///
    /// # Errors
    /// When it cannot be made, or others may write there.
    pub fn open(root: &Path, limit: u64) -> std::io::Result<DiskCache> {
        let folder = Folder::new(root, limit);
        system::create_directory(folder.build())?;
        if !system::is_writable_by_owner_only(root) || !system::is_writable_by_owner_only(folder.build()) {
            let kind = std::io::ErrorKind::PermissionDenied;
            return Err(std::io::Error::new(kind, "others can write there"));
        }
        Ok(DiskCache(folder))
    }

    /// The artifact with this key.
    pub fn get<T: Artifact>(&self, key: Digest) -> Option<T> {
        let mut file = system::open_own(&self.0.path(key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let value = unsealed(SealKey::of_user(), key, &bytes)?;
        mark_used(&file);
        Some(value)
    }

    /// Keeps an artifact. Failures are no reason to fail: the next process compiles again.
    pub fn put<T: Artifact>(&self, key: Digest, value: &T) {
        if let Some(sealed) = sealed(SealKey::of_user(), key, value) {
            let _ = self.0.write(key, &sealed, system::create_new);
        }
    }
}

/// Marks a file as used now, if it has not been for some time.
fn mark_used(file: &fs::File) {
    let modified = file.metadata().and_then(|found| found.modified());
    let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MARK_AGE));
    if is_old {
        let _ = file.set_modified(SystemTime::now());
    }
}
