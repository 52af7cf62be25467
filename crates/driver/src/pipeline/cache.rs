//! Pipeline caches: what pipelines were compiled to, machine code included.
//!
//! A cache's data (`vkGetPipelineCacheData`) is Vulkan's header, whose UUID stands for the build of the driver, and the
//! artifacts that have a form as bytes (`pyro_compile::cache`), each with its own checksum: what is damaged is left out,
//! and the rest serves. Code for the interpreter has no such form and stays in this process.

use crate::caps::limits;
use crate::caps::properties::pipeline_cache_uuid;
pub use pyro_compile::cache::Digest;
use pyro_compile::cache::{MemoryCache, Session};

/// A `VkPipelineCache`.
#[derive(Default)]
pub struct PipelineCache {
    artifacts: MemoryCache,
}

/// Bytes of `VkPipelineCacheHeaderVersionOne`.
const HEADER_BYTES: usize = 32;

pub(crate) fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let words = [HEADER_BYTES as u32, 1, limits::VENDOR_ID, limits::DEVICE_ID];
    for (word, to) in words.iter().zip(bytes.chunks_exact_mut(4)) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes[16..].copy_from_slice(&pipeline_cache_uuid());
    bytes
}

impl PipelineCache {
    /// A cache that starts with what `data` holds; data of another driver or build is ignored.
    pub fn new(data: &[u8]) -> PipelineCache {
        let cache = PipelineCache::default();
        if let Some((found, artifacts)) = data.split_at_checked(HEADER_BYTES)
            && found == header()
        {
            cache.artifacts.read(artifacts);
        }
        cache
    }

    /// Takes over what another cache has.
    pub fn merge(&self, other: &PipelineCache) {
        self.artifacts.merge(&other.artifacts);
    }

    /// The data, the artifacts in order.
    pub fn data(&self) -> Vec<u8> {
        let mut bytes = header().to_vec();
        self.artifacts.write(&mut bytes);
        bytes
    }
}

/// How a pipeline's artifacts are found.
pub(crate) fn session(cache: Option<&PipelineCache>) -> Session<'_> {
    Session::new(cache.map(|cache| &cache.artifacts))
}
