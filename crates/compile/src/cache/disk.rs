//! Artifacts in files, for the next process: `PYROCLAST_CACHE_DIR`.
//!
//! A file holds one sealed artifact and is named by its key, in a directory named by the build. Files are
//! written under another name and then renamed, so readers see whole files or none, and processes need no
//! locks; two that make the same artifact write the same bytes. When the files of all builds exceed the
//! limit, those that were used least recently go. Only names that this module makes are ever looked at or
//! removed.

use super::seal::{create_new, is_writable_by_owner_only, open_own};
use super::{Artifact, BUILD, Digest, SealKey};
use pyro_util::codec::Reader;
use pyro_util::report::to_stderr;
use std::fs::{self, DirBuilder};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A file that was used is marked as such when its mark is older.
const MARK_AGE: Duration = Duration::from_secs(3600);

/// A directory of artifacts.
#[derive(Debug)]
pub struct DiskCache {
    root: PathBuf,
    build: PathBuf,
    limit: u64,
    /// Bytes written since the files were last counted; at first so many that they are.
    written: AtomicU64,
    /// For names of files that are being written.
    serial: AtomicU64,
}

/// Whether a name is one of ours: 32 hexadecimal digits.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

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
        let build = root.join(BUILD);
        DirBuilder::new().recursive(true).mode(0o700).create(&build)?;
        if !is_writable_by_owner_only(root) || !is_writable_by_owner_only(&build) {
            let kind = std::io::ErrorKind::PermissionDenied;
            return Err(std::io::Error::new(kind, "others can write there"));
        }
        let (written, serial) = (AtomicU64::new(limit), AtomicU64::new(0));
        Ok(DiskCache { root: root.to_owned(), build, limit, written, serial })
    }

    /// The artifact with this key.
    pub fn get<T: Artifact>(&self, key: Digest) -> Option<T> {
        let path = path_in(&self.build, key);
        let mut file = open_own(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let mut reader = Reader::new(&bytes);
        let (found, bytes) = SealKey::of_user().unseal(&mut reader)?;
        let mut reader = Reader::new(bytes.filter(|_| found == key && reader.left() == 0)?);
        let value = T::decode(&mut reader).filter(|_| reader.left() == 0)?;
        mark_used(&file);
        Some(value)
    }

    /// Keeps an artifact. Failures are no reason to fail: the next process compiles again.
    pub fn put<T: Artifact>(&self, key: Digest, value: &T) {
        let Some(bytes) = value.encode() else { return };
        let mut sealed = Vec::new();
        SealKey::of_user().seal(key, &bytes, &mut sealed);
        let path = path_in(&self.build, key);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let unfinished = path.with_extension(format!("{}-{serial}", std::process::id()));
        let written = create_new(&unfinished).and_then(|mut file| file.write_all(&sealed));
        if written.and_then(|()| fs::rename(&unfinished, &path)).is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        let written = self.written.fetch_add(sealed.len() as u64, Ordering::Relaxed);
        if written >= self.limit / 8 {
            self.written.store(0, Ordering::Relaxed);
            sweep(&self.root, &self.build, self.limit);
        }
    }
}

/// Where the artifact of a key is in the directory of its build.
pub(super) fn path_in(build: &Path, key: Digest) -> PathBuf {
    build.join(format!("{:032x}", u128::from_be_bytes(key.to_bytes())))
}

/// Removes the files of all builds that were used least recently until three quarters of the limit are left,
/// if there is more than the limit. The directory of this build stays.
pub(super) fn sweep(root: &Path, own: &Path, limit: u64) {
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    let builds = entries(root).map(|entry| entry.path()).filter(|path| is_ours(path));
    let mut files = Vec::new();
    for build in builds {
        for entry in entries(&build).filter(|entry| is_ours(&entry.path())) {
            let Ok(found) = entry.metadata() else { continue };
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((used, found.len(), entry.path()));
        }
    }
    let mut total: u64 = files.iter().map(|file| file.1).sum();
    if total <= limit {
        return;
    }
    files.sort();
    for (_, bytes, path) in files {
        if total <= limit / 4 * 3 {
            break;
        }
        let _ = fs::remove_file(&path);
        total -= bytes;
        if let Some(build) = path.parent().filter(|&build| build != own) {
            // Succeeds when the last file of another build has gone.
            let _ = fs::remove_dir(build);
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
