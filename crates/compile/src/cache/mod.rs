//! Caches of what the compiler makes: machine code and facts about shaders, by a digest of all that decides
//! them.
//!
//! An [`Artifact`] is something that is made once and has a form as bytes. [`Session::artifact`] looks for it
//! in the application's cache ([`MemoryCache`], a `VkPipelineCache`), then in the user's ([`DiskCache`], if
//! there is one), then in that of a fleet of workers ([`SharedCache`]), and makes it when none has it.
//! Nothing of a shader is decoded or checked for what is found.
//!
//! # What a key holds
//! The digest of a key is of the artifact's kind, of everything the maker reads (the digest of the module's
//! words, the entry point, constants, layout, state, subgroup size), and of the backend with the processor's
//! features. The build is checked where bytes come from outside: [`BUILD`] is a digest of everything that the
//! compiler is built from, so code of another build is never used.
//!
//! # Bytes from outside
//! A [`sealed`](seal) artifact is its key, its length, a MAC over all of it, and the bytes. What is damaged,
//! cut, forged, of another key or of another user's installation is ignored; only then are bytes decoded, and
//! decoding checks every length again.

mod disk;
mod folder;
mod memory;
mod recent;
mod seal;
mod session;
mod shared;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub use disk::DiskCache;
pub use memory::MemoryCache;
pub use recent::RecentArtifacts;
pub use seal::{MAC_BYTES, SealKey};
pub use session::{Artifact, Session, Words};
pub use shared::{Claim, SharedCache};

use std::hash::{Hash, Hasher};

/// 128 bits that stand for some content: the first half of its BLAKE3 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u64; 2]);

impl Digest {
    /// The digest of something: the same in every process of one build.
    pub fn of(content: impl Hash) -> Digest {
        let mut hasher = Blake3Hasher::default();
        content.hash(&mut hasher);
        let hash = hasher.finalize();
        let (&[low, high, ..], _) = hash.as_bytes().as_chunks::<8>() else { unreachable!("32 bytes") };
        Digest([low, high].map(u64::from_le_bytes))
    }

    /// As bytes.
    pub fn to_bytes(self) -> [u8; 16] {
        let Digest([low, high]) = self;
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    }

    /// From [`Digest::to_bytes`].
    pub fn from_bytes(bytes: [u8; 16]) -> Digest {
        let bits = u128::from_le_bytes(bytes);
        Digest([bits as u64, (bits >> 64) as u64])
    }
}

/// Bytes that are gathered before BLAKE3 gets them: derived implementations of `Hash` write a few bytes at a
/// time.
const GATHERED_BYTES: usize = 1024;

/// BLAKE3 behind the standard library's interface of hashers.
#[derive(Default)]
struct Blake3Hasher {
    gathered: Vec<u8>,
    hasher: blake3::Hasher,
}

impl Blake3Hasher {
    fn flush(&mut self) {
        self.hasher.update(&self.gathered);
        self.gathered.clear();
    }

    fn finalize(mut self) -> blake3::Hash {
        self.flush();
        self.hasher.finalize()
    }
}

impl Hasher for Blake3Hasher {
    fn write(&mut self, bytes: &[u8]) {
        if self.gathered.len() + bytes.len() > GATHERED_BYTES {
            self.flush();
        }
        if bytes.len() > GATHERED_BYTES {
            self.hasher.update(bytes);
        } else {
            self.gathered.extend_from_slice(bytes);
        }
    }

    fn finish(&self) -> u64 {
        let mut hasher = self.hasher.clone();
        hasher.update(&self.gathered);
        let bytes = *hasher.finalize().as_bytes();
        u64::from_le_bytes(std::array::from_fn(|at| bytes[at]))
    }
}

/// The identity of this build of the compiler, 32 hexadecimal digits.
pub const BUILD: &str = env!("PYROCLAST_BUILD");

/// [`BUILD`] as bytes.
pub fn build_id() -> [u8; 16] {
    u128::from_str_radix(BUILD, 16).unwrap_or_default().to_be_bytes()
}

/// The crates of this workspace whose sources [`BUILD`] covers: the compiler and all that it depends on,
/// sorted.
pub fn build_crates() -> Vec<&'static str> {
    env!("PYROCLAST_BUILD_CRATES").split(' ').collect()
}

#[cfg(all(test, unix))]
mod tests;
