//! Pipeline caches: compiled shaders by a digest of everything that shapes their code.
//!
//! A cache's data (`vkGetPipelineCacheData`) is Vulkan's header, a count, and the digests it holds. The code
//! itself stays in this process: a table of all kernels that are alive finds it again by digest, so a cache that
//! is made from another's data hits for every pipeline that still exists anywhere. In another process the data is
//! valid and holds nothing.

use crate::error::Result;
use crate::limits;
use crate::physical_device::properties::pipeline_cache_uuid;
use pyro_abi::Kernel;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// 128 bits that stand for some content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u64; 2]);

impl Digest {
    /// The digest of something.
    pub fn of(content: impl Hash) -> Digest {
        Digest([0x70, 0x79].map(|seed: u8| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            content.hash(&mut hasher);
            hasher.finish()
        }))
    }
}

type Kernels = HashMap<Digest, Arc<dyn Kernel>>;

/// A `VkPipelineCache`.
#[derive(Default)]
pub struct PipelineCache {
    kernels: Mutex<Kernels>,
}

/// Every kernel that some pipeline or cache holds.
static ALIVE: LazyLock<Mutex<HashMap<Digest, Weak<dyn Kernel>>>> = LazyLock::new(Mutex::default);

/// Bytes of `VkPipelineCacheHeaderVersionOne`.
const HEADER_BYTES: usize = 32;
const DIGEST_BYTES: usize = 16;

fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let words = [HEADER_BYTES as u32, 1, limits::VENDOR_ID, limits::DEVICE_ID];
    for (word, to) in words.iter().zip(bytes.chunks_exact_mut(4)) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes[16..].copy_from_slice(&pipeline_cache_uuid());
    bytes
}

impl PipelineCache {
    /// A cache that starts with what `data` names; data of another driver or version is ignored.
    pub fn new(data: &[u8]) -> PipelineCache {
        let cache = PipelineCache::default();
        if data.len() < HEADER_BYTES + 8 || data[..HEADER_BYTES] != header() {
            return cache;
        }
        let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kernels = cache.lock();
        for bytes in data[HEADER_BYTES + 8..].chunks_exact(DIGEST_BYTES) {
            let half = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
            let digest = Digest([half(0), half(8)]);
            if let Some(kernel) = alive.get(&digest).and_then(Weak::upgrade) {
                kernels.insert(digest, kernel);
            }
        }
        drop(kernels);
        cache
    }

    fn lock(&self) -> MutexGuard<'_, Kernels> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The compiled shader of this digest.
    pub fn get(&self, digest: Digest) -> Option<Arc<dyn Kernel>> {
        self.lock().get(&digest).cloned()
    }

    /// Keeps a compiled shader.
    pub fn put(&self, digest: Digest, kernel: &Arc<dyn Kernel>) {
        self.lock().insert(digest, Arc::clone(kernel));
    }

    /// Takes over what another cache has.
    pub fn merge(&self, other: &PipelineCache) -> Result<()> {
        let others: Vec<_> =
            other.lock().iter().map(|(digest, kernel)| (*digest, Arc::clone(kernel))).collect();
        self.lock().extend(others);
        Ok(())
    }

    /// The data, the digests in order.
    pub fn data(&self) -> Vec<u8> {
        let mut digests: Vec<Digest> = self.lock().keys().copied().collect();
        digests.sort();
        let mut bytes = header().to_vec();
        bytes.extend((digests.len() as u64).to_le_bytes());
        digests.iter().flat_map(|digest| digest.0).for_each(|half| bytes.extend(half.to_le_bytes()));
        bytes
    }
}

/// Lets caches that are made later find a kernel, as long as it is alive.
pub(crate) fn publish(digest: Digest, kernel: &Arc<dyn Kernel>) {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if alive.len() == alive.capacity() {
        alive.retain(|_, kernel| kernel.strong_count() > 0);
    }
    alive.insert(digest, Arc::downgrade(kernel));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_abi::{DispatchContext, Exit, KernelInfo, SubgroupContext};

    struct Nothing(KernelInfo);

    impl Kernel for Nothing {
        fn info(&self) -> &KernelInfo {
            &self.0
        }

        #[allow(unsafe_code)] // the trait's signature
        unsafe fn run(&self, _: &DispatchContext, _: &mut SubgroupContext) -> Exit {
            Exit::Done
        }
    }

    #[test]
    fn data_round_trips() {
        let kernel: Arc<dyn Kernel> = Arc::new(Nothing(KernelInfo::default()));
        let digest = Digest::of("a shader of this test");
        publish(digest, &kernel);
        let cache = PipelineCache::new(&[]);
        cache.put(digest, &kernel);
        let data = cache.data();
        assert_eq!(data.len(), HEADER_BYTES + 8 + DIGEST_BYTES);
        assert!(PipelineCache::new(&data).get(digest).is_some());
        assert!(PipelineCache::new(&data[..40]).get(digest).is_none());
        let mut foreign = data.clone();
        foreign[20] ^= 1;
        assert!(PipelineCache::new(&foreign).get(digest).is_none());
        let merged = PipelineCache::new(&[]);
        merged.merge(&cache).unwrap();
        assert_eq!(merged.data(), data);
    }
}
