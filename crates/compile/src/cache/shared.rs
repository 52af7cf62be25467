//! Artifacts that many workers share: `PYROCLAST_CACHE_SHARED`.
//!
//! # Problem
//! A thousand workers on many machines would each compile every shader. Their files are others': whoever can
//! write into the folder can put machine code there.
//!
//! # Approach
//! A second level behind the user's directory: a folder that all of them reach, with the same files, sealed
//! with a key that the operator gives to all (`PYROCLAST_CACHE_KEY_FILE`). Without such a key the folder is
//! not used at all. Who is to make an artifact first creates a claim beside it; others wait for the artifact.
//! A claim that stays for [`LEASE`] is a dead worker's, and the next generation of it is created. Claims save
//! work only: artifacts are written whole, and two workers that make one write the same bytes.
//!
//! # Invariants
//! * No byte is decoded before its MAC under the operator's key was found right; what fails is reported by
//!   its path, and made again.
//! * Only regular files are opened, and only names that this module makes are looked at or removed.

use super::folder::{Folder, sealed, unsealed};
use super::{Artifact, Digest, SealKey, system};
use pyro_util::report::to_stderr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long an artifact's claim may stay before its worker counts as dead.
const LEASE: Duration = Duration::from_secs(30);
/// The pauses between looks for an artifact that another worker makes: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];
/// Bytes of an artifact's file.
const FILE_BYTES_MAX: u64 = 1 << 28;
/// Refused files that are reported, at most.
const REPORTS_MAX: u32 = 20;
/// Generations of a claim.
const GENERATIONS_MAX: u32 = 1000;

/// A folder of artifacts of many workers.
pub struct SharedCache {
    folder: Folder,
    key: SealKey,
    is_read_only: bool,
    lease: Duration,
    reports: AtomicU32,
}

/// The right to make an artifact, until it is dropped.
pub struct Claim(PathBuf);

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl SharedCache {
    /// The folder that the environment names, if it names a key as well. Opened once.
    pub fn from_environment() -> Option<&'static SharedCache> {
        static SHARED: OnceLock<Option<SharedCache>> = OnceLock::new();
        let open = || {
            let config = pyro_util::config::get();
            let root = config.shared_cache.as_ref()?;
            let opened = match &config.cache_key_file {
                Some(path) => SealKey::of_operator(path).and_then(|key| {
                    SharedCache::open(root, key, config.shared_cache_bytes, config.shared_cache_read_only)
                }),
                None => Err(io::Error::other("PYROCLAST_CACHE_KEY_FILE names no key")),
            };
            opened
                .inspect_err(|error| {
                    to_stderr(&format_args!("no shared cache in {}: {error}", root.display()))
                })
                .ok()
        };
        SHARED.get_or_init(open).as_ref()
    }

    /// Opens or makes a folder whose files may take `limit` bytes; one that is only read must exist.
    ///
    /// # Errors
    /// When it does not exist and cannot be made.
    pub fn open(root: &Path, key: SealKey, limit: u64, is_read_only: bool) -> io::Result<SharedCache> {
        let folder = Folder::new(root, limit);
        if is_read_only {
            fs::metadata(root)?;
        } else {
            fs::create_dir_all(folder.build())?;
        }
        Ok(SharedCache { folder, key, is_read_only, lease: LEASE, reports: AtomicU32::new(0) })
    }

    /// Takes claims to be a dead worker's after another time, for tests.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> SharedCache {
        SharedCache { lease, ..self }
    }

    /// The artifact with this key.
    pub fn get<T: Artifact>(&self, key: Digest) -> Option<T> {
        let path = self.folder.path(key);
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.refuse(&path, &error);
                return None;
            }
        };
        let value = unsealed(&self.key, key, &bytes);
        if value.is_none() {
            self.refuse(&path, &"it is damaged, forged, or of another key");
        }
        value
    }

    /// The artifact with this key, or the claim to make it; neither where the folder is only read. Waits
    /// while another worker makes it.
    ///
    /// # Errors
    /// The claim, which is no failure: the artifact is to be made, and [put](SharedCache::put) before the
    /// claim is dropped.
    pub fn get_or_claim<T: Artifact>(&self, key: Digest) -> Result<T, Option<Claim>> {
        let claims = self.folder.path(key);
        let (mut pause, mut generation, mut since) = (PAUSES[0], 0, Instant::now());
        loop {
            if let Some(found) = self.get(key) {
                return Ok(found);
            }
            if self.is_read_only || generation == GENERATIONS_MAX {
                return Err(None);
            }
            let path = claims.with_extension(format!("claim-{generation}"));
            match system::create_shared(&path) {
                Ok(_) => {
                    // The artifact may have come between the look and the claim.
                    let claim = Claim(path);
                    return self.get(key).ok_or(Some(claim));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // A folder that cannot be written does not keep anybody from compiling.
                Err(_) => return Err(None),
            }
            std::thread::sleep(pause);
            pause = PAUSES[1].min(pause * 2);
            if since.elapsed() >= self.lease {
                (generation, since) = (generation + 1, Instant::now());
            }
        }
    }

    /// Keeps an artifact. Failures are no reason to fail: others compile again.
    pub fn put<T: Artifact>(&self, key: Digest, value: &T) {
        if self.is_read_only {
            return;
        }
        if let Some(sealed) = sealed(&self.key, key, value) {
            let _ = self.folder.write(key, &sealed, system::create_shared);
        }
    }

    fn refuse(&self, path: &Path, why: &dyn std::fmt::Display) {
        if self.reports.fetch_add(1, Ordering::Relaxed) < REPORTS_MAX {
            to_stderr(&format_args!("shared cache: {} is not used: {why}", path.display()));
        }
    }
}

/// The bytes of a regular file of whatever user.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = system::open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.len() > FILE_BYTES_MAX {
        return Err(io::Error::other("not a regular file, or too large"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests;
