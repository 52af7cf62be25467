//! Shader objects (`VK_EXT_shader_object`; specification, "Shader Objects").
//!
//! Code of a graphics stage depends on the stage it meets, on state and on attachments, so bound shaders
//! become a pipeline whose state is all dynamic, which is made when they are first drawn with and kept with
//! the first of them. A compute shader is a pipeline as it is.

use super::{DeviceDefaults, GraphicsPipeline};
use crate::error::{Error, Result};
use crate::objects::descriptor::heap_words;
use crate::objects::image::SamplerInfo;
use crate::pipeline::binary::{Captured, PipelineBinary};
use crate::pipeline::cache::Digest;
use crate::pipeline::compute::{ComputePipeline, ComputePipelineInfo};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::stage::ShaderStage;
use crate::pipeline::successor::Successor;
use crate::report::ObjectName;
use pyro_abi::heap::{EmbeddedSampler, Mapping};
use pyro_compile::cache::{MAC_BYTES, SealKey};
use pyro_util::codec::{ByteCodec, Reader};
use pyro_util::sync::Mutex;
use smallvec::SmallVec;
use std::sync::{Arc, Weak};
use vulkanalia_sys as vk;

/// What MACs of shader objects' binaries are for.
const SHADER_BINARY: &str = "shader binary";

/// A `VkShaderEXT`.
pub struct ShaderObject {
    stage: ShaderStage,
    layout: Arc<PipelineLayout>,
    compute: Option<Arc<ComputePipeline>>,
    /// What it was compiled to so far, for its binary.
    captured: Captured,
    /// What its device's extensions say of draws.
    defaults: DeviceDefaults,
    /// Of a pipeline's first shader: pipelines with the shaders that it was drawn with.
    links: Mutex<Vec<Link>>,
    name: ObjectName,
    pub(in crate::pipeline) successor: Successor<ShaderObject>,
}

/// What a shader object is made from.
#[derive(Clone)]
pub struct ShaderObjectInfo {
    /// The shader.
    pub stage: ShaderStage,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
    /// What its device's extensions say of draws.
    pub defaults: DeviceDefaults,
}

/// What a shader object's binary holds.
pub struct ShaderBinary {
    /// The code.
    pub code: PipelineBinary,
    /// Where bindings are in descriptor heaps.
    pub mappings: Vec<Mapping>,
    /// The samplers that it embeds.
    pub samplers: Vec<SamplerInfo>,
}

/// The shaders of a pipeline, stage by stage.
type Link = (SmallVec<[Weak<ShaderObject>; 2]>, Arc<GraphicsPipeline>);

impl ShaderObject {
    /// Checks a shader, and compiles one for compute.
    ///
    /// # Errors
    /// As those of pipelines.
    pub fn new(info: ShaderObjectInfo, binary: Option<&PipelineBinary>) -> Result<ShaderObject> {
        let ShaderObjectInfo { stage, layout, defaults } = info;
        let captured = Captured::new(std::slice::from_ref(&stage));
        if let Some(binary) = binary {
            captured.artifacts().merge(binary.artifacts());
        }
        let compute = match stage.stage {
            vk::ShaderStageFlags::COMPUTE => {
                let flags = vk::PipelineCreateFlags::empty();
                let info = ComputePipelineInfo { flags, stage: stage.clone(), layout: Arc::clone(&layout) };
                Some(Arc::new(ComputePipeline::new(info, Some(captured.artifacts()), None)?.0))
            }
            _ => {
                super::stages::check(&stage)?;
                None
            }
        };
        Ok(ShaderObject {
            stage,
            layout,
            compute,
            captured,
            defaults,
            links: Mutex::default(),
            name: ObjectName::default(),
            successor: Successor::default(),
        })
    }

    /// What was made in its place, if anything was.
    pub(crate) fn newest(&self) -> Option<Arc<ShaderObject>> {
        self.successor.get()
    }

    /// The handle that messages name.
    pub fn name(&self) -> &ObjectName {
        &self.name
    }

    /// Its stage.
    pub fn stage(&self) -> vk::ShaderStageFlags {
        self.stage.stage
    }

    /// What its device's extensions say of draws.
    pub(crate) fn defaults(&self) -> DeviceDefaults {
        self.defaults
    }

    /// The pipeline of a compute shader.
    pub fn compute(&self) -> Option<&Arc<ComputePipeline>> {
        self.compute.as_ref()
    }

    /// Its binary: a MAC of the rest, the mappings to heaps and embedded samplers, the key of the code, and
    /// the code.
    pub fn binary(&self) -> Vec<u8> {
        let binaries = self.captured.binaries();
        let Some(binary) = binaries.first() else { return Vec::new() };
        let samplers: Vec<_> = self.stage.samplers.iter().map(|sampler| *sampler.info()).collect();
        let mappings = self.stage.options.heap.as_deref().unwrap_or(&[]);
        let mut rest = Vec::new();
        heap_words::write(mappings, &samplers).write(&mut rest);
        rest.extend(binary.key());
        rest.extend(binary.data());
        [&SealKey::of_user().mac(SHADER_BINARY, Digest([0; 2]), &rest)[..], &rest].concat()
    }

    /// What [`ShaderObject::binary`] gave.
    ///
    /// # Errors
    /// `VK_INCOMPATIBLE_SHADER_BINARY_EXT` when it is of another build or of another user's installation,
    /// damaged or forged.
    pub fn read_binary(bytes: &[u8], stage: vk::ShaderStageFlags) -> Result<ShaderBinary> {
        let read = || {
            let (&mac, rest) = bytes.split_first_chunk::<MAC_BYTES>()?;
            if !SealKey::of_user().is_mac(mac, SHADER_BINARY, Digest([0; 2]), rest) {
                return None;
            }
            let mut reader = Reader::new(rest);
            let words: Vec<u32> = reader.value()?;
            let (mappings, samplers) = heap_words::read(&words)?;
            let key = reader.take(16)?;
            let code = PipelineBinary::new(key, reader.take(reader.left())?).ok()?;
            // What code reads of the samplers is not checked again.
            let number = stage.bits().trailing_zeros();
            let is_there =
                |one: EmbeddedSampler| one.stage == number && (one.index as usize) < samplers.len();
            let embedded = mappings.iter().filter_map(|mapping| mapping.embedded_sampler);
            let is_fine =
                code.is_of_this_build() && code.module(stage).is_some() && embedded.into_iter().all(is_there);
            is_fine.then_some(ShaderBinary { code, mappings, samplers })
        };
        read().ok_or_else(|| {
            let message = "the shader binary was not made by this build and installation of the driver, or it is damaged";
            Error::new(vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT, message)
        })
    }

    /// The pipeline of the bound shaders, of which this is the first.
    ///
    /// # Errors
    /// When they do not fit together.
    pub(crate) fn linked(&self, shaders: &[Option<Arc<ShaderObject>>]) -> Result<Arc<GraphicsPipeline>> {
        let mut links = self.links.lock();
        let shaders = || shaders.iter().flatten();
        let is_it =
            |others: &[Weak<ShaderObject>]| others.iter().map(Weak::as_ptr).eq(shaders().map(Arc::as_ptr));
        if let Some((_, pipeline)) = links.iter().find(|(others, _)| is_it(others)) {
            return Ok(Arc::clone(pipeline));
        }
        // A weak reference keeps the address from being used again while it is in the list.
        links.retain(|(others, _)| others.iter().all(|other| other.strong_count() != 0));
        let layout = shaders().map(|shader| &shader.layout).max_by_key(|layout| layout.sets().len());
        let mut layout = Arc::clone(layout.unwrap_or(&self.layout));
        if layout.heap().is_some() {
            // Each shader has its own embedded samplers.
            layout = shaders().try_fold(layout, |layout, shader| layout.union(&shader.layout))?;
        }
        let pipeline = Arc::new(GraphicsPipeline::of_objects(shaders().map(|shader| &shader.stage), layout)?);
        if let Some((ty, handle)) = self.name.get() {
            pipeline.name().set(ty, handle);
        }
        links.push((shaders().map(Arc::downgrade).collect(), Arc::clone(&pipeline)));
        Ok(pipeline)
    }
}
