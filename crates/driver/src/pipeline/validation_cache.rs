//! Validation caches (`VK_EXT_validation_cache`): digests of modules that were checked and kept every rule.
//!
//! A module that is made with a cache that knows it is not checked again ([`crate::pipeline::strict`]). The
//! data that applications store is Vulkan's header and the digests, sorted.

use crate::caps::properties::pipeline_cache_uuid;
use crate::error::{Error, Result};
use crate::pipeline::cache::Digest;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of the header: its length, the version, the identifier of cache and checker.
const HEADER_BYTES: usize = 24;
const DIGEST_BYTES: usize = 16;

/// `VK_VALIDATION_CACHE_HEADER_VERSION_ONE_EXT`
const HEADER_VERSION: u32 = 1;

/// A `VkValidationCacheEXT`.
#[derive(Default)]
pub struct ValidationCache {
    known: Mutex<BTreeSet<Digest>>,
}

fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..4].copy_from_slice(&(HEADER_BYTES as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&HEADER_VERSION.to_le_bytes());
    bytes[8..].copy_from_slice(&pipeline_cache_uuid());
    bytes
}

impl ValidationCache {
    /// A cache that starts with stored data; data of another driver or version is ignored.
    pub fn new(data: &[u8]) -> ValidationCache {
        let cache = ValidationCache::default();
        if let Some(rest) = data.strip_prefix(&header()[..]) {
            let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            let digests = rest.as_chunks::<DIGEST_BYTES>().0.iter();
            cache.known().extend(digests.map(|bytes| Digest([word(&bytes[..8]), word(&bytes[8..])])));
        }
        cache
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<Digest>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a module was checked and kept every rule.
    pub fn knows(&self, module: Digest) -> bool {
        self.known().contains(&module)
    }

    /// Notes that a module keeps every rule.
    pub fn insert(&self, module: Digest) {
        self.known().insert(module);
    }

    /// The data to store.
    pub fn data(&self) -> Vec<u8> {
        let mut data = header().to_vec();
        for Digest(words) in self.known().iter() {
            words.iter().for_each(|word| data.extend_from_slice(&word.to_le_bytes()));
        }
        data
    }

    /// Takes over what another cache knows.
    ///
    /// # Errors
    /// When it is the same cache (VUID-vkMergeValidationCachesEXT-dstCache-01536).
    pub fn merge(&self, other: &ValidationCache) -> Result<()> {
        if std::ptr::eq(self, other) {
            return Err(Error::misuse(
                "a validation cache is merged into itself (VUID-vkMergeValidationCachesEXT-dstCache-01536)",
            ));
        }
        // Copied first, so that no two locks are held at once.
        let theirs = other.known().clone();
        self.known().extend(theirs);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_comes_back() {
        let (one, other) = (ValidationCache::default(), ValidationCache::default());
        let digests = [Digest([1, u64::MAX]), Digest([3, 4])];
        one.insert(digests[0]);
        other.insert(digests[1]);
        one.merge(&other).unwrap();
        assert!(one.merge(&one).is_err());
        let stored = one.data();
        assert_eq!(stored.len(), HEADER_BYTES + 2 * DIGEST_BYTES);
        let loaded = ValidationCache::new(&stored);
        assert!(digests.iter().all(|&digest| loaded.knows(digest)));
        assert_eq!(loaded.data(), stored);
    }

    #[test]
    fn foreign_data_is_ignored() {
        let cache = ValidationCache::default();
        cache.insert(Digest([1, 2]));
        let mut stored = cache.data();
        // Cut short, the last digest is gone; with another header, everything.
        assert!(!ValidationCache::new(&stored[..stored.len() - 1]).knows(Digest([1, 2])));
        stored[9] ^= 1;
        assert!(!ValidationCache::new(&stored).knows(Digest([1, 2])));
        assert!(!ValidationCache::new(&[]).knows(Digest([1, 2])));
    }
}
