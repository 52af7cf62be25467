//! Caches of what the compiler makes: machine code and facts about shaders, by a digest of all that decides them.
//!
//! An [`Artifact`] is something that is made once and has a form as bytes. [`Session::artifact`] looks for it in the
//! application's cache ([`MemoryCache`], a `VkPipelineCache`), then in the user's ([`DiskCache`], if there is one), and makes
//! it when neither has it. Nothing of a shader is decoded or checked for what is found.
//!
//! # What a key holds
//! The digest of a key is of the artifact's kind, of everything the maker reads (the digest of the module's words, the
//! entry point, constants, layout, state, subgroup size), and of the backend with the processor's features. The build
//! is checked where bytes come from outside: [`BUILD`] is a digest of the compiler's own sources, so code of another build is
//! never seen.
//!
//! # Bytes from outside
//! A [`sealed`](seal) artifact is its key, its length, a checksum over all of it, and the bytes. What is damaged, cut, or of
//! another key is ignored; only then are bytes decoded, and decoding checks every length again.

mod disk;
mod memory;
mod session;

pub use disk::DiskCache;
pub use memory::MemoryCache;
pub use session::{Artifact, Session, Words};

use pyro_util::codec::{ByteCodec, Reader};
use std::hash::{DefaultHasher, Hash, Hasher};

/// 128 bits that stand for some content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u64; 2]);

impl Digest {
    /// The digest of something: the same in every process of one build.
    pub fn of(content: impl Hash) -> Digest {
        Digest([0x70, 0x79].map(|seed: u8| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            content.hash(&mut hasher);
            hasher.finish()
        }))
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

/// The identity of this build of the compiler, 32 hexadecimal digits.
pub const BUILD: &str = env!("PYROCLAST_BUILD");

/// [`BUILD`] as bytes.
pub fn build_id() -> [u8; 16] {
    u128::from_str_radix(BUILD, 16).unwrap_or_default().to_be_bytes()
}

/// Bytes of a sealed artifact before its own.
const SEAL_BYTES: usize = 16 + 4 + 8;

fn checksum(key: Digest, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key, bytes).hash(&mut hasher);
    hasher.finish()
}

/// Appends an artifact's bytes with its key, length and checksum.
fn seal(key: Digest, bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&key.to_bytes());
    // Artifacts of 4 GiB cannot be made: code's addresses are relative.
    (bytes.len() as u32).write(out);
    checksum(key, bytes).write(out);
    out.extend_from_slice(bytes);
}

/// The next sealed artifact; the second is none when it is damaged, all when nothing can be read behind it.
fn unseal<'b>(reader: &mut Reader<'b>) -> Option<(Digest, Option<&'b [u8]>)> {
    if reader.left() < SEAL_BYTES {
        return None;
    }
    let key = Digest::from_bytes(reader.take(16)?.try_into().ok()?);
    let len: u32 = reader.value()?;
    let sum: u64 = reader.value()?;
    let bytes = reader.take(len as usize)?;
    Some((key, (checksum(key, bytes) == sum).then_some(bytes)))
}

#[cfg(test)]
mod tests;
