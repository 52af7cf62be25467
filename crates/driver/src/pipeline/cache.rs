//! Pipeline caches: what pipelines were compiled to, machine code included.
//!
//! A cache's data (`vkGetPipelineCacheData`) is Vulkan's header, whose UUID stands for the build of the
//! driver, and the artifacts that have a form as bytes (`pyro_compile::cache`), each with its own MAC: what
//! is damaged or forged is left out, and the rest serves. Code for the interpreter has no such form and stays
//! in this process.

use crate::caps::device_ids::DeviceIds;
use crate::caps::properties::pipeline_cache_uuid;
use crate::pipeline::deferred::Awaited;
use pyro_compile::Backend;
pub use pyro_compile::cache::Digest;
use pyro_compile::cache::{MemoryCache, RecentArtifacts, Session};
use std::sync::{Arc, Weak};

/// A `VkPipelineCache`.
#[derive(Default)]
pub struct PipelineCache(Arc<Content>);

#[derive(Default)]
struct Content {
    artifacts: MemoryCache,
    awaited: Awaited,
}

/// A cache that may be gone: what is made for it does not keep it.
#[derive(Clone, Default)]
pub(crate) struct WeakCache(Weak<Content>);

impl WeakCache {
    /// That of a pipeline, if it has one.
    pub(crate) fn of(cache: Option<&PipelineCache>) -> WeakCache {
        WeakCache(cache.map(|cache| Arc::downgrade(&cache.0)).unwrap_or_default())
    }

    /// The cache, if it is still there.
    pub(crate) fn get(&self) -> Option<PipelineCache> {
        self.0.upgrade().map(PipelineCache)
    }
}

/// Bytes of `VkPipelineCacheHeaderVersionOne`.
const HEADER_BYTES: usize = 32;

pub(crate) fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let ids = DeviceIds::get();
    let words = [HEADER_BYTES as u32, 1, ids.vendor, ids.device];
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
            cache.0.artifacts.read(artifacts);
        }
        cache
    }

    /// What is in the making for it.
    pub(crate) fn awaited(&self) -> &Awaited {
        &self.0.awaited
    }

    /// Takes over what another cache has, when all that it will have is made.
    pub fn merge(&self, other: &PipelineCache) {
        other.awaited().finish_all();
        self.0.artifacts.merge(&other.0.artifacts);
    }

    /// The data, the artifacts in order, when all of them are made.
    pub fn data(&self) -> Vec<u8> {
        self.awaited().finish_all();
        let mut bytes = header().to_vec();
        self.0.artifacts.write(&mut bytes);
        bytes
    }
}

/// How what only the application's cache keeps is found.
pub(crate) fn application_session(cache: Option<&PipelineCache>) -> Session<'_> {
    Session::uncached().with_application(cache.map(|cache| &cache.0.artifacts))
}

/// How a pipeline's artifacts are found, which are compiled for `backend`.
pub(crate) fn session(cache: Option<&PipelineCache>, backend: Backend) -> Session<'_> {
    static RECENT: RecentArtifacts = RecentArtifacts::new();
    Session::new(cache.map(|cache| &cache.0.artifacts)).with_backend(backend).with_recent(&RECENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::binary::{Captured, PipelineBinary};
    use crate::pipeline::cuda::CudaModule;
    use crate::pipeline::graphics::ShaderObject;
    use pyro_compile::cache::{MAC_BYTES, SealKey, Words};
    use vulkanalia_sys as vk;

    const WORDS: [u32; 5] = [0x0723_0203, 0x0001_0300, 0, 1, 0];

    fn keep(cache: &PipelineCache) {
        session(Some(cache), Backend::best()).keep_words(Digest::of(&WORDS[..]), &Words(WORDS.into()));
    }

    fn is_kept(cache: &PipelineCache) -> bool {
        session(Some(cache), Backend::best()).shader_module(Digest::of(&WORDS[..])).is_some()
    }

    /// The data of a cache with one artifact: whole; and changed, with a MAC made with a key of the forger's.
    fn data_and_forgery() -> (Vec<u8>, Vec<u8>) {
        let cache = PipelineCache::default();
        keep(&cache);
        let data = cache.data();
        let mut forged = data.clone();
        let artifact = &mut forged[HEADER_BYTES..];
        let (head, bytes) = artifact.split_at_mut(16 + 4 + MAC_BYTES);
        *bytes.last_mut().expect("has bytes") ^= 1;
        let key = Digest::from_bytes(head[..16].try_into().expect("16 bytes"));
        head[20..].copy_from_slice(&SealKey::random().mac("artifact", key, bytes));
        (data, forged)
    }

    #[test]
    fn forged_cache_data_is_left_out() {
        let (data, forged) = data_and_forgery();
        assert!(is_kept(&PipelineCache::new(&data)));
        let cache = PipelineCache::new(&forged);
        assert!(!is_kept(&cache));
        assert_eq!(cache.data(), header());
    }

    /// Whoever forges a pipeline binary can compute its key, which is a digest; the machine code in it is not
    /// used.
    #[test]
    fn forged_code_in_pipeline_binaries_is_left_out() {
        let (data, forged) = data_and_forgery();
        let binary = |artifacts: &[u8]| {
            let bytes = [&0u32.to_le_bytes()[..], artifacts].concat();
            PipelineBinary::new(&Digest::of(&bytes[..]).to_bytes(), &bytes).expect("can be read")
        };
        assert!(is_kept(binary(&data).artifacts()));
        assert!(!is_kept(binary(&forged).artifacts()));
        assert_eq!(Captured::default().binary_count(), 0);
    }

    #[test]
    fn forged_code_in_cuda_module_caches_is_left_out() {
        let text = b".version 6.0\n.target sm_60\n.address_size 64\n";
        let module_cache = |artifacts: &[u8]| {
            let empty = CudaModule::new(text, Backend::best(), None).expect("a module").data();
            let whole = [&empty[..empty.len() - HEADER_BYTES], artifacts].concat();
            CudaModule::new(&whole, Backend::best(), None).expect("a module").data()
        };
        let (data, forged) = data_and_forgery();
        assert!(module_cache(&data).ends_with(&data));
        assert!(module_cache(&forged).ends_with(&header()));
    }

    #[test]
    fn forged_shader_binaries_are_incompatible() {
        let stage = vk::ShaderStageFlags::COMPUTE;
        let mut code = 1u32.to_le_bytes().to_vec();
        code.extend(stage.bits().to_le_bytes());
        code.extend((4 * WORDS.len() as u32).to_le_bytes());
        code.extend(WORDS.iter().flat_map(|word| word.to_le_bytes()));
        code.extend(header());
        // No mappings and samplers: what is written of them are no more than their counts.
        let no_mappings = crate::objects::descriptor::heap_words::write(&[], &[]);
        let mut rest = (no_mappings.len() as u32).to_le_bytes().to_vec();
        rest.extend(no_mappings.iter().flat_map(|word| word.to_le_bytes()));
        rest.extend(Digest::of(&code[..]).to_bytes());
        rest.extend(code);
        let read = |key: &SealKey| {
            let mac = key.mac("shader binary", Digest([0; 2]), &rest);
            ShaderObject::read_binary(&[&mac[..], &rest].concat(), stage)
        };
        assert!(read(SealKey::of_user()).is_ok());
        let refused = read(&SealKey::random()).err().expect("is refused");
        assert_eq!(refused.code, vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT);
    }
}
