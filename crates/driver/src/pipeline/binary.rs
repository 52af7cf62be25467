//! Pipeline binaries: what a pipeline was compiled to, for applications that keep it themselves
//! (`VK_KHR_pipeline_binary`; specification, "Pipeline Binaries").
//!
//! A pipeline has one binary, or none where it has no shaders. It holds the shaders' words beside the
//! artifacts, since state that is dynamic may ask for more code than there was when the pipeline was made.
//! Its key is a digest of its bytes. The key finds damage and proves nothing: machine code is only used where
//! its own MAC is right (`pyro_compile::cache`). What was made with another installation's key is compiled
//! again from the words.

use crate::error::{Error, Result};
use crate::pipeline::cache::{self, Digest, PipelineCache};
use crate::pipeline::shader::ShaderModule;
use crate::pipeline::stage::ShaderStage;
use pyro_compile::cache::Words;
use pyro_util::codec::{ByteCodec, Reader, write_bytes};
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The modules of a pipeline's stages.
type Modules = Vec<(vk::ShaderStageFlags, Arc<ShaderModule>)>;

/// What is kept of a pipeline for its binaries.
#[derive(Default)]
pub struct Captured {
    modules: Modules,
    artifacts: PipelineCache,
}

impl Captured {
    /// Starts with the stages of a pipeline.
    pub fn new(stages: &[ShaderStage]) -> Captured {
        let modules = stages.iter().map(|stage| (stage.stage, Arc::clone(&stage.module))).collect();
        Captured { modules, artifacts: PipelineCache::default() }
    }

    /// Where the artifacts go while the pipeline is made.
    pub fn artifacts(&self) -> &PipelineCache {
        &self.artifacts
    }

    /// How many binaries there are.
    pub fn binary_count(&self) -> usize {
        usize::from(!self.modules.is_empty())
    }

    /// The binaries.
    pub fn binaries(&self) -> Vec<PipelineBinary> {
        if self.modules.is_empty() {
            return Vec::new();
        }
        let mut bytes = Vec::new();
        (self.modules.len() as u32).write(&mut bytes);
        for (stage, module) in &self.modules {
            stage.bits().write(&mut bytes);
            let words = module.words().iter().flat_map(|word| word.to_le_bytes());
            write_bytes(&words.collect::<Vec<u8>>(), &mut bytes);
        }
        bytes.extend(self.artifacts.data());
        let artifacts = PipelineCache::default();
        artifacts.merge(&self.artifacts);
        let (key, modules) = (Digest::of(&bytes), self.modules.clone());
        vec![PipelineBinary { key, bytes: bytes.into(), modules, artifacts, is_of_this_build: true }]
    }
}

/// A `VkPipelineBinaryKHR`.
pub struct PipelineBinary {
    key: Digest,
    bytes: Box<[u8]>,
    modules: Modules,
    artifacts: PipelineCache,
    is_of_this_build: bool,
}

impl PipelineBinary {
    /// From the key and the data of another.
    ///
    /// # Errors
    /// `VK_ERROR_INITIALIZATION_FAILED` when they do not belong together.
    pub fn new(key: &[u8], data: &[u8]) -> Result<PipelineBinary> {
        let wrong = |why| Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, why);
        let digest = Digest::of(data);
        if key != digest.to_bytes() {
            return Err(wrong("the data of a pipeline binary is not what its key stands for"));
        }
        let mut reader = Reader::new(data);
        let modules = modules(&mut reader).ok_or_else(|| wrong("a pipeline binary cannot be read"))?;
        let rest = reader.take(reader.left()).unwrap_or_default();
        let (artifacts, is_of_this_build) = (PipelineCache::new(rest), rest.starts_with(&cache::header()));
        Ok(PipelineBinary { key: digest, bytes: data.into(), modules, artifacts, is_of_this_build })
    }

    /// Whether it was made by this build of the driver. Of another's, the artifacts are left out.
    pub fn is_of_this_build(&self) -> bool {
        self.is_of_this_build
    }

    /// Its key.
    pub fn key(&self) -> [u8; 16] {
        self.key.to_bytes()
    }

    /// Its data.
    pub fn data(&self) -> &[u8] {
        &self.bytes
    }

    /// The shader of a stage; of several, the first.
    pub fn module(&self, stage: vk::ShaderStageFlags) -> Option<&Arc<ShaderModule>> {
        self.modules_of(stage).next()
    }

    /// The shaders of a stage, in the order of `pStages` (ray tracing pipelines have several of a stage).
    pub fn modules_of(&self, stage: vk::ShaderStageFlags) -> impl Iterator<Item = &Arc<ShaderModule>> {
        self.modules.iter().filter(move |module| module.0 == stage).map(|module| &module.1)
    }

    /// What its pipeline was compiled to.
    pub fn artifacts(&self) -> &PipelineCache {
        &self.artifacts
    }
}

fn modules(reader: &mut Reader<'_>) -> Option<Modules> {
    let count: u32 = reader.value()?;
    let module = |_| {
        let stage = vk::ShaderStageFlags::from_bits_truncate(reader.value()?);
        let (words, rest) = reader.byte_slice()?.as_chunks();
        let words = rest.is_empty().then(|| words.iter().map(|&word| u32::from_le_bytes(word)).collect())?;
        let module = pyro_compile::ShaderModule::of_words(Words(words));
        Some((stage, Arc::new(ShaderModule::from_cache(module).ok()?)))
    };
    (0..count).map(module).collect()
}

/// The key of all pipelines: of the device and the build of the compiler.
pub fn global_key() -> [u8; 16] {
    Digest::of(cache::header()).to_bytes()
}

/// The key of a pipeline by what it is made from; `rest` is all beside its stages.
pub fn pipeline_key(stages: &[ShaderStage], rest: impl std::fmt::Debug) -> [u8; 16] {
    let stages: Vec<_> = stages
        .iter()
        .map(|stage| {
            let constants = stage.specialization.iter().map(|one| (one.id, one.bytes.as_slice()));
            (
                stage.stage.bits(),
                stage.module.digest(),
                &stage.entry_point,
                constants.collect::<Vec<_>>(),
                stage.subgroup_size,
                &stage.options,
            )
        })
        .collect();
    // State holds floats, which have no hash; their text tells all of them apart.
    Digest::of((cache::header(), stages, format!("{rest:?}"))).to_bytes()
}
