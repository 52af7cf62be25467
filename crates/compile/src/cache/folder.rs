//! A folder of artifacts, each in a file: the common part of the user's cache and of the shared one.
//!
//! A file holds one sealed artifact and is named by its key, in a directory named by the build. Files are
//! written under another name and then renamed, so readers see whole files or none, and processes need no
//! locks; two that make the same artifact write the same bytes. When the files of all builds exceed the
//! limit, those that were used least recently go. Only names that this module makes are ever looked at or
//! removed. *Must not know*: whose files they are, who may read them, and with which key they are sealed.

use super::{Artifact, BUILD, Digest, SealKey};
use pyro_util::codec::Reader;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A folder, and how many bytes its files may take.
#[derive(Debug)]
pub(super) struct Folder {
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

impl Folder {
    /// The folder `root`, whose files may take `limit` bytes. Nothing is created.
    pub(super) fn new(root: &Path, limit: u64) -> Folder {
        Folder {
            root: root.to_owned(),
            build: root.join(BUILD),
            limit,
            written: AtomicU64::new(limit),
            serial: AtomicU64::new(0),
        }
    }

    /// The directory of this build's files.
    pub(super) fn build(&self) -> &Path {
        &self.build
    }

    /// The file of the artifact with this key.
    pub(super) fn path(&self, key: Digest) -> PathBuf {
        self.build.join(format!("{:032x}", u128::from_be_bytes(key.to_bytes())))
    }

    /// Writes a sealed artifact into its file, which `create` makes under another name first.
    ///
    /// # Errors
    /// When it cannot be written; nothing is left behind then.
    pub(super) fn write(
        &self,
        key: Digest,
        sealed: &[u8],
        create: fn(&Path) -> io::Result<File>,
    ) -> io::Result<()> {
        let path = self.path(key);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        // Processes of several machines may have one number.
        let SealKey(nonce) = SealKey::random();
        let nonce = u32::from_le_bytes([nonce[0], nonce[1], nonce[2], nonce[3]]);
        let unfinished = path.with_extension(format!("{}-{serial}-{nonce:08x}", std::process::id()));
        let written = create(&unfinished).and_then(|mut file| file.write_all(sealed));
        let written = written.and_then(|()| fs::rename(&unfinished, &path)).inspect_err(|_| {
            let _ = fs::remove_file(&unfinished);
        });
        let bytes = self.written.fetch_add(sealed.len() as u64, Ordering::Relaxed);
        if bytes >= self.limit / 8 {
            self.written.store(0, Ordering::Relaxed);
            self.sweep();
        }
        written
    }

    /// Removes the files of all builds that were used least recently until three quarters of the limit are
    /// left, if there is more than the limit. The directory of this build stays.
    fn sweep(&self) {
        let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        let builds = entries(&self.root).map(|entry| entry.path()).filter(|path| is_ours(path));
        let mut files = Vec::new();
        for build in builds {
            for entry in entries(&build).filter(|entry| is_ours(&entry.path())) {
                let Ok(found) = entry.metadata() else { continue };
                let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((used, found.len(), entry.path()));
            }
        }
        let mut total: u64 = files.iter().map(|file| file.1).sum();
        if total <= self.limit {
            return;
        }
        files.sort();
        for (_, bytes, path) in files {
            if total <= self.limit / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(&path);
            total -= bytes;
            if let Some(build) = path.parent().filter(|&build| build != self.build) {
                // Succeeds when the last file of another build has gone.
                let _ = fs::remove_dir(build);
            }
        }
    }
}

/// The bytes of a file: an artifact sealed with `seal` under its key.
pub(super) fn sealed<T: Artifact>(seal: &SealKey, key: Digest, value: &T) -> Option<Vec<u8>> {
    let bytes = value.encode()?;
    let mut sealed = Vec::new();
    seal.seal(key, &bytes, &mut sealed);
    Some(sealed)
}

/// The artifact that a file's bytes hold; `None` where they are damaged, forged, or of another key or seal.
/// Nothing is decoded before the seal has been checked.
pub(super) fn unsealed<T: Artifact>(seal: &SealKey, key: Digest, bytes: &[u8]) -> Option<T> {
    let mut reader = Reader::new(bytes);
    let (found, bytes) = seal.unseal(&mut reader)?;
    let mut reader = Reader::new(bytes.filter(|_| found == key && reader.left() == 0)?);
    T::decode(&mut reader).filter(|_| reader.left() == 0)
}
