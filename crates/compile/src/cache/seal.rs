//! Authentication of artifacts that leave the process.
//!
//! # Problem
//! What comes back in a pipeline cache, a pipeline or shader binary, a CUDA module's cache or a file is run
//! as machine code. A checksum finds damage only: whoever can write the bytes can compute it as well.
//!
//! # Approach
//! Each artifact carries a BLAKE3 MAC under a random key of this user's installation. The MAC covers the
//! purpose, the compiler's build, the digest of the artifact's key, and all of its bytes (code, `KernelInfo`,
//! offsets of helpers). The key is a file that only its owner can read, made at first need. Where no such
//! file can be made or trusted, the key is random and belongs to this process: then artifacts of other
//! processes are not used.
//!
//! # Invariants
//! * No byte of an artifact is decoded before its MAC was found right.
//! * The key is read when the first artifact is written or loaded, so processes without caches never look for
//!   it.
//! * A key file that exists is never replaced; processes that create it at the same time agree on one key.
//!
//! # Must not know
//! What artifacts contain.

use super::{BUILD, Digest};
use pyro_util::codec::{ByteCodec, Reader};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::OnceLock;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// Bytes of a MAC.
pub const MAC_BYTES: usize = 32;

/// Bytes of an operator's key file.
const OPERATOR_KEY_BYTES_MAX: u64 = 4096;

/// The key file's name below `$XDG_DATA_HOME/pyroclast`.
const KEY_FILE: &str = "cache-key";

/// A key that artifacts are authenticated with.
pub struct SealKey(pub(super) [u8; KEY_BYTES]);

impl SealKey {
    /// The key of this user's installation; where there is none, one of this process. Looked for once.
    pub fn of_user() -> &'static SealKey {
        static KEY: OnceLock<SealKey> = OnceLock::new();
        KEY.get_or_init(|| {
            let folder = pyro_util::config::get().data_home.as_ref().filter(|_| is_own_program());
            folder
                .and_then(|folder| SealKey::load_or_create(&folder.join("pyroclast")).ok())
                .unwrap_or_else(SealKey::random)
        })
    }

    /// A random key.
    pub fn random() -> SealKey {
        let mut key = [0; KEY_BYTES];
        let mut filled = 0;
        while filled < KEY_BYTES {
            match rustix::rand::getrandom(&mut key[filled..], rustix::rand::GetRandomFlags::empty()) {
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                // The standard library's random numbers, which maps rely on as well.
                Err(_) => {
                    let numbers: [u64; 4] = std::array::from_fn(|at| RandomState::new().hash_one(at));
                    return SealKey(*blake3::hash(format!("{numbers:?}").as_bytes()).as_bytes());
                }
            }
        }
        SealKey(key)
    }

    /// The key in a directory, which is created with the directory where it does not exist yet.
    ///
    /// # Errors
    /// When the directory or the key file cannot be created or read, or others could have written or read
    /// them.
    pub fn load_or_create(directory: &Path) -> io::Result<SealKey> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        if !is_writable_by_owner_only(directory) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "others may write into the directory",
            ));
        }
        let path = directory.join(KEY_FILE);
        match SealKey::load(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let SealKey(nonce) = SealKey::random();
        let unfinished =
            directory.join(format!("{KEY_FILE}.{}-{:02x}{:02x}", std::process::id(), nonce[0], nonce[1]));
        let SealKey(key) = SealKey::random();
        let mut file = create_new(&unfinished)?;
        let placed = file.write_all(&key).and_then(|()| file.sync_all()).and_then(|()| {
            // Neither of these replaces a file: whoever comes first has made the key of all.
            match rustix::fs::renameat_with(CWD, &unfinished, CWD, &path, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS) => {
                    rustix::fs::linkat(CWD, &unfinished, CWD, &path, AtFlags::empty())
                }
                result => result,
            }
            .map_err(io::Error::from)
        });
        let _ = std::fs::remove_file(&unfinished);
        match placed {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => SealKey::load(&path),
        }
    }

    /// The key of an operator's file: 32 to 4,096 bytes of any kind that only this user, or only root, can
    /// read. Links are followed: the operator names the file.
    ///
    /// # Errors
    /// When it cannot be read, others may read it, its size is another, or this is a set-user-ID program.
    pub fn of_operator(path: &Path) -> io::Result<SealKey> {
        let refused = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        if !is_own_program() {
            return refused("a set-user-ID program uses no key of its environment");
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let found = file.metadata()?;
        let user = rustix::process::geteuid().as_raw();
        if !found.is_file() || ![0, user].contains(&found.uid()) || found.mode() & 0o077 != 0 {
            return refused("the key file is not a regular file that its owner alone can read");
        }
        let mut bytes = Vec::new();
        file.take(OPERATOR_KEY_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() < KEY_BYTES || bytes.len() as u64 > OPERATOR_KEY_BYTES_MAX {
            return refused("the key file has not 32 to 4,096 bytes");
        }
        Ok(SealKey(blake3::derive_key("pyroclast 2026 shared code cache", &bytes)))
    }

    fn load(path: &Path) -> io::Result<SealKey> {
        let file = open_own(path)?;
        let refused = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        if file.metadata()?.mode() & 0o077 != 0 {
            return refused("others may read the key");
        }
        let mut key = Vec::new();
        file.take(KEY_BYTES as u64 + 1).read_to_end(&mut key)?;
        match <[u8; KEY_BYTES]>::try_from(key) {
            Ok(key) => Ok(SealKey(key)),
            Err(_) => refused("the key has a wrong size"),
        }
    }

    /// The MAC of bytes that are used for `purpose` under a key's digest.
    pub fn mac(&self, purpose: &str, key: Digest, bytes: &[u8]) -> [u8; MAC_BYTES] {
        *self.hash(purpose, key, bytes).as_bytes()
    }

    /// Whether this is the MAC of such bytes. Takes the same time wherever they differ.
    pub fn is_mac(&self, mac: [u8; MAC_BYTES], purpose: &str, key: Digest, bytes: &[u8]) -> bool {
        self.hash(purpose, key, bytes) == blake3::Hash::from_bytes(mac)
    }

    fn hash(&self, purpose: &str, key: Digest, bytes: &[u8]) -> blake3::Hash {
        let SealKey(secret) = self;
        let mut hasher = blake3::Hasher::new_keyed(secret);
        hasher.update(&(purpose.len() as u64).to_le_bytes()).update(purpose.as_bytes());
        hasher.update(BUILD.as_bytes()).update(&key.to_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        hasher.finalize()
    }

    /// Appends an artifact's bytes behind its key, length and MAC.
    pub(super) fn seal(&self, key: Digest, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&key.to_bytes());
        // Artifacts of 4 GiB cannot be made: code's addresses are relative.
        (bytes.len() as u32).write(out);
        out.extend_from_slice(&self.mac(ARTIFACT, key, bytes));
        out.extend_from_slice(bytes);
    }

    /// The next sealed artifact, with its bytes if its MAC is right; `None` when nothing can be read behind
    /// it.
    pub(super) fn unseal<'b>(&self, reader: &mut Reader<'b>) -> Option<(Digest, Option<&'b [u8]>)> {
        let key = Digest::from_bytes(reader.take(16)?.try_into().ok()?);
        let len: u32 = reader.value()?;
        let mac = reader.take(MAC_BYTES)?.try_into().ok()?;
        let bytes = reader.take(len as usize)?;
        Some((key, self.is_mac(mac, ARTIFACT, key, bytes).then_some(bytes)))
    }
}

/// Whether the environment is the user's: in a set-user-ID program it is somebody else's.
fn is_own_program() -> bool {
    rustix::process::getuid() == rustix::process::geteuid()
        && rustix::process::getgid() == rustix::process::getegid()
}

/// What MACs of sealed artifacts are for.
const ARTIFACT: &str = "artifact";

/// Whether a directory is this user's and nobody else may write into it.
pub(super) fn is_writable_by_owner_only(directory: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    std::fs::metadata(directory).is_ok_and(|found| found.uid() == user && found.mode() & 0o022 == 0)
}

/// Opens a regular file of this user for reading. Links, FIFOs, devices and files of others are refused, and
/// opening does not wait for another process.
pub(super) fn open_own(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a regular file of this user"));
    }
    Ok(file)
}

/// Creates a file that only this user can read.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// Creates a file that others can read, and those whom the folder's rights let replace.
pub(super) fn create_shared(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::from_bits_truncate(0o644))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::tests::Scratch;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    fn unsealed(key: &SealKey, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut reader = Reader::new(sealed);
        key.unseal(&mut reader)?.1.map(<[u8]>::to_vec)
    }

    #[test]
    fn only_the_same_key_unseals() {
        let (ours, other) = (SealKey::random(), SealKey::random());
        let digest = Digest::of("key");
        let mut sealed = Vec::new();
        ours.seal(digest, b"code", &mut sealed);
        assert_eq!(unsealed(&ours, &sealed).as_deref(), Some(&b"code"[..]));
        let mut forged = Vec::new();
        other.seal(digest, b"evil", &mut forged);
        assert_eq!(unsealed(&ours, &forged), None);
        // The MAC of one artifact does not serve for another's key, nor for other purposes.
        sealed[0] ^= 1;
        assert_eq!(unsealed(&ours, &sealed), None);
        let mac = ours.mac("artifact", digest, b"code");
        assert!(ours.is_mac(mac, "artifact", digest, b"code"));
        assert!(!ours.is_mac(mac, "binary", digest, b"code"));
    }

    #[test]
    fn threads_and_later_processes_agree_on_one_key() {
        let scratch = Scratch::new("key");
        let folder = scratch.0.join("a/pyroclast");
        let keys: Vec<[u8; KEY_BYTES]> = std::thread::scope(|scope| {
            let load = || SealKey::load_or_create(&folder).map(|key| key.0).expect("a key");
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(load)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        assert_ne!(keys[0], [0; KEY_BYTES]);
        let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(left[0].metadata().expect("metadata").mode() & 0o777, 0o600);
    }

    #[test]
    fn cache_key_file_writable_by_others_is_refused() {
        let scratch = Scratch::new("key-refused");
        let folder = scratch.0.clone();
        SealKey::load_or_create(&folder).expect("a key");
        let file = folder.join(KEY_FILE);
        set_permissions(&file, Permissions::from_mode(0o640)).expect("changes the mode");
        assert!(SealKey::load_or_create(&folder).is_err(), "readable by others");
        set_permissions(&file, Permissions::from_mode(0o600)).expect("changes the mode");
        assert!(SealKey::load_or_create(&folder).is_ok());
        std::fs::write(&file, [7; 31]).expect("writes");
        assert!(SealKey::load_or_create(&folder).is_err(), "cut short");
        std::fs::remove_file(&file).expect("removes");
        rustix::fs::mknodat(CWD, &file, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("a FIFO");
        assert!(SealKey::load_or_create(&folder).is_err(), "a FIFO");
        std::fs::remove_file(&file).expect("removes");
        std::os::unix::fs::symlink("/dev/zero", &file).expect("a link");
        assert!(SealKey::load_or_create(&folder).is_err(), "a link");
        std::fs::remove_file(&file).expect("removes");
        set_permissions(&folder, Permissions::from_mode(0o777)).expect("changes the mode");
        assert!(SealKey::load_or_create(&folder).is_err(), "a directory that others can write");
    }
}
