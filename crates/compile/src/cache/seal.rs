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

use super::{BUILD, Digest, system};
use pyro_util::codec::{ByteCodec, Reader};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// Bytes of a MAC.
pub const MAC_BYTES: usize = 32;

/// Bytes of an operator's key file.
const OPERATOR_KEY_BYTES_MAX: u64 = 4096;

/// The key file's name in the folder `pyroclast` of the user's data (`Config::data_home`).
const KEY_FILE: &str = "cache-key";

/// A key that artifacts are authenticated with.
pub struct SealKey(pub(super) [u8; KEY_BYTES]);

impl SealKey {
    /// The key of this user's installation; where there is none, one of this process. Looked for once.
    pub fn of_user() -> &'static SealKey {
        static KEY: OnceLock<SealKey> = OnceLock::new();
        KEY.get_or_init(|| {
            let folder = pyro_util::config::get().data_home.as_ref().filter(|_| system::is_own_program());
            folder
                .and_then(|folder| SealKey::load_or_create(&folder.join("pyroclast")).ok())
                .unwrap_or_else(SealKey::random)
        })
    }

    /// A random key.
    pub fn random() -> SealKey {
        let mut key = [0; KEY_BYTES];
        if !system::fill_random(&mut key) {
            // The standard library's random numbers, which maps rely on as well.
            let numbers: [u64; 4] = std::array::from_fn(|at| RandomState::new().hash_one(at));
            key = *blake3::hash(format!("{numbers:?}").as_bytes()).as_bytes();
        }
        SealKey(key)
    }

    /// The key in a directory, which is created with the directory where it does not exist yet.
    ///
    /// # Errors
    /// When the directory or the key file cannot be created or read, or others could have written or read
    /// them.
    pub fn load_or_create(directory: &Path) -> io::Result<SealKey> {
        system::create_directory(directory)?;
        if !system::is_writable_by_owner_only(directory) {
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
        let mut file = system::create_new(&unfinished)?;
        let placed = file.write_all(&key).and_then(|()| file.sync_all()).and_then(|()| {
            // Whoever comes first has made the key of all.
            system::rename_new(&unfinished, &path)
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
        if !system::is_own_program() {
            return refused("a set-user-ID program uses no key of its environment");
        }
        let file = system::open_of_operator(path)?;
        let mut bytes = Vec::new();
        file.take(OPERATOR_KEY_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() < KEY_BYTES || bytes.len() as u64 > OPERATOR_KEY_BYTES_MAX {
            return refused("the key file has not 32 to 4,096 bytes");
        }
        Ok(SealKey(blake3::derive_key("pyroclast 2026 shared code cache", &bytes)))
    }

    fn load(path: &Path) -> io::Result<SealKey> {
        let file = system::open_own(path)?;
        let refused = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        if !system::is_of_owner_only(&file)? {
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

/// What MACs of sealed artifacts are for.
const ARTIFACT: &str = "artifact";

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cache::tests::Scratch;
    use rustix::fs::{CWD, Mode};
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

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
