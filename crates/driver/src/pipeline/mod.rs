//! Pipeline layouts and compute pipelines.

pub mod binary;
pub mod cache;
pub mod cuda;
pub mod execution_graph;
pub mod graphics;
pub mod instrumentation;
pub mod raytrace;
pub mod shader;
pub(crate) mod specialize;
pub mod strict;
pub mod validation_cache;

use crate::caps::limits;
use crate::command::CostEstimate;
use crate::device::DeviceCore;
use crate::error::{Error, Result};
use crate::objects::descriptor::SetLayout;
use crate::objects::descriptor::heap::EmbeddedSamplers;
use crate::objects::image::Sampler;
use crate::pipeline::binary::Captured;
use crate::pipeline::cache::PipelineCache;
use crate::pipeline::instrumentation::InstrumentedShader;
use crate::pipeline::shader::ShaderModule;
use crate::pipeline::specialize::Specialized;
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::cache::Session;
use pyro_compile::image_functions::Record;
use pyro_compile::{CompileError, ComputeRequest, SpecConstant, SubgroupSize};
use std::borrow::Cow;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use vulkanalia_sys as vk;

/// A `VkPipelineLayout`.
pub struct PipelineLayout {
    sets: Vec<Arc<SetLayout>>,
    abi: pyro_abi::PipelineLayout,
    /// Of shaders for descriptor heaps: the samplers that they embed.
    heap: Option<EmbeddedSamplers>,
}

impl PipelineLayout {
    /// A layout of sets by number and push constant ranges.
    ///
    /// # Errors
    /// When there are more sets, dynamic buffers or push constants than the limits allow.
    pub fn new(sets: Vec<Arc<SetLayout>>, push_ranges: &[vk::PushConstantRange]) -> Result<PipelineLayout> {
        if sets.len() > pyro_abi::MAX_SETS {
            return Err(Error::misuse(
                "more sets than maxBoundDescriptorSets (VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286)",
            ));
        }
        let ends = push_ranges.iter().map(|range| range.offset.saturating_add(range.size));
        let push_constant_bytes = ends.max().unwrap_or(0);
        if push_constant_bytes > pyro_abi::MAX_PUSH_CONSTANT_BYTES as u32 {
            return Err(Error::misuse(
                "push constants beyond maxPushConstantsSize (VUID-VkPushConstantRange-size-00298)",
            ));
        }
        let mut dynamic_count = 0;
        let mut abi = pyro_abi::PipelineLayout { push_constant_bytes, ..Default::default() };
        for set in &sets {
            abi.sets.push(set.abi(dynamic_count));
            dynamic_count += set.dynamic_count();
        }
        if dynamic_count > limits::MAX_DYNAMIC_BUFFERS {
            return Err(Error::misuse("more dynamic buffers than the limits allow"));
        }
        Ok(PipelineLayout { sets, abi, heap: None })
    }

    /// What stands for a layout where shaders are for descriptor heaps.
    pub fn for_heaps(stages: &[ShaderStage]) -> PipelineLayout {
        let push_constant_bytes = pyro_abi::MAX_PUSH_CONSTANT_BYTES as u32;
        let abi = pyro_abi::PipelineLayout { push_constant_bytes, ..Default::default() };
        PipelineLayout { sets: Vec::new(), abi, heap: Some(EmbeddedSamplers::of(stages)) }
    }

    /// The samplers that shaders for descriptor heaps embed; none for shaders with descriptor sets.
    pub(crate) fn heap(&self) -> Option<&EmbeddedSamplers> {
        self.heap.as_ref()
    }

    /// A layout with the sets and push constants of two, of which each has sets that the other lacks
    /// (`VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT`).
    ///
    /// # Errors
    /// As [`PipelineLayout::new`].
    pub fn union(&self, other: &PipelineLayout) -> Result<Arc<PipelineLayout>> {
        if let (Some(own), Some(theirs)) = (&self.heap, &other.heap) {
            let (sets, abi) = (Vec::new(), self.abi.clone());
            return Ok(Arc::new(PipelineLayout { sets, abi, heap: Some(own.union(theirs)) }));
        }
        let mut sets = self.sets.clone();
        for (number, set) in other.sets.iter().enumerate() {
            match sets.get_mut(number) {
                Some(own) if own.is_empty() => *own = Arc::clone(set),
                Some(_) => {}
                None => sets.push(Arc::clone(set)),
            }
        }
        let size = self.abi.push_constant_bytes.max(other.abi.push_constant_bytes);
        let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::ALL, offset: 0, size };
        Ok(Arc::new(PipelineLayout::new(sets, &[range])?))
    }

    /// The sets by number.
    pub fn sets(&self) -> &[Arc<SetLayout>] {
        &self.sets
    }

    /// How many bytes of the push constants shaders may read.
    pub fn push_constant_bytes(&self) -> usize {
        self.abi.push_constant_bytes as usize
    }

    /// Dynamic buffers in the sets before `set`.
    pub fn dynamic_before(&self, set: usize) -> u32 {
        self.sets.iter().take(set).map(|set| set.dynamic_count()).sum()
    }

    /// What the compiler is told for a shader with such options.
    pub fn abi(&self, options: &ShaderOptions) -> Cow<'_, pyro_abi::PipelineLayout> {
        match *options == ShaderOptions::default() {
            true => Cow::Borrowed(&self.abi),
            false => Cow::Owned(pyro_abi::PipelineLayout { options: options.clone(), ..self.abi.clone() }),
        }
    }
}

/// A `VkPipeline` for compute.
pub struct ComputePipeline {
    kernel: Arc<dyn Kernel>,
    /// Its code by what its descriptors are.
    specialized: Arc<Specialized<Arc<dyn Kernel>>>,
    /// What that is made from, if its descriptors matter.
    stage: Option<ShaderStage>,
    layout: Arc<PipelineLayout>,
    capture: bool,
    cost: CostEstimate,
    instrumented: Vec<Arc<InstrumentedShader>>,
    shades_subpasses: bool,
}

/// A `VkPipeline`.
pub struct Pipeline {
    /// What it does.
    pub kind: PipelineKind,
    captured: Mutex<Option<Captured>>,
}

/// The kinds of pipelines.
pub enum PipelineKind {
    /// For compute.
    Compute(Arc<ComputePipeline>),
    /// For graphics.
    Graphics(Arc<crate::pipeline::graphics::GraphicsPipeline>),
    /// Parts of one for graphics.
    Library(Arc<crate::pipeline::graphics::GraphicsLibrary>),
    /// An execution graph.
    Graph(Arc<crate::pipeline::execution_graph::GraphPipeline>),
    /// Nodes for execution graphs.
    GraphLibrary(Arc<crate::pipeline::execution_graph::GraphLibrary>),
    /// For ray tracing, or a library of one.
    RayTracing(Arc<crate::pipeline::raytrace::RayPipeline>),
}

/// A compiled function of a pipeline, for tools (`VK_KHR_pipeline_executable_properties`).
pub struct Executable {
    /// The stages that it does.
    pub stages: vk::ShaderStageFlags,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The function.
    pub kernel: Arc<dyn Kernel>,
}

impl Pipeline {
    /// A pipeline, and what is kept of it for its binaries, if the application wants some.
    pub fn new(kind: PipelineKind, captured: Option<Captured>) -> Pipeline {
        Pipeline { kind, captured: Mutex::new(captured) }
    }

    fn captured(&self) -> MutexGuard<'_, Option<Captured>> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is kept for its binaries.
    ///
    /// # Errors
    /// When nothing is, or not any more.
    pub fn with_captured<T>(&self, look: impl FnOnce(&Captured) -> T) -> Result<T> {
        self.captured().as_ref().map(look).ok_or_else(|| {
            Error::misuse(
                "the pipeline captures no data (VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09607, \
                 VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09608)",
            )
        })
    }

    /// Keeps nothing for its binaries any more.
    ///
    /// # Errors
    /// When nothing is kept.
    pub fn release_captured(&self) -> Result<()> {
        self.captured().take().map(drop).ok_or_else(|| {
            Error::misuse(
                "the pipeline captures no data (VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09613, \
                 VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09618)",
            )
        })
    }

    /// What it was compiled to when it was made; a library to nothing.
    pub fn executables(&self) -> Vec<Executable> {
        match &self.kind {
            PipelineKind::Compute(pipeline) => vec![Executable {
                stages: match pipeline.shades_subpasses {
                    true => vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI,
                    false => vk::ShaderStageFlags::COMPUTE,
                },
                name: "compute",
                description: "The compute shader, for one subgroup at a time",
                kernel: Arc::clone(&pipeline.kernel),
            }],
            PipelineKind::Graphics(pipeline) => pipeline.executables(),
            PipelineKind::Graph(pipeline) => pipeline.executables(),
            PipelineKind::Library(_) | PipelineKind::GraphLibrary(_) => Vec::new(),
            PipelineKind::RayTracing(pipeline) => pipeline.executables(),
        }
    }

    /// Whether the application wants to see what it was compiled to.
    pub fn captures(&self) -> bool {
        match &self.kind {
            PipelineKind::Compute(pipeline) => pipeline.capture,
            PipelineKind::Graphics(pipeline) => pipeline.captures(),
            PipelineKind::Graph(pipeline) => pipeline.captures(),
            PipelineKind::Library(_) | PipelineKind::GraphLibrary(_) => false,
            PipelineKind::RayTracing(pipeline) => pipeline.captures(),
        }
    }
}

/// Whether a pipeline with these flags shows what it was compiled to.
pub(crate) fn captures(flags: vk::PipelineCreateFlags) -> bool {
    flags.intersects(
        vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR
            | vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
    )
}

/// A shader of a pipeline.
#[derive(Clone)]
pub struct ShaderStage {
    /// Which stage.
    pub stage: vk::ShaderStageFlags,
    /// The module.
    pub module: Arc<ShaderModule>,
    /// Its entry point.
    pub entry_point: String,
    /// Specialization constants.
    pub specialization: Vec<SpecConstant>,
    /// The required subgroup size.
    pub subgroup_size: Option<u32>,
    /// What its pipeline's flags say of it.
    pub options: ShaderOptions,
    /// The samplers that it embeds, of a shader for descriptor heaps.
    pub samplers: Vec<Arc<Sampler>>,
}

/// Finds the words of the modules of which only identifiers are known. Draws may need more code than there is when a
/// pipeline is made, so all graphics pipelines have them.
///
/// # Errors
/// `VK_PIPELINE_COMPILE_REQUIRED` when no cache has them.
pub(crate) fn find_words(stages: &mut [ShaderStage], session: &Session<'_>) -> Result<()> {
    for stage in stages.iter_mut().filter(|stage| !stage.module.has_words()) {
        let words = session.words(stage.module.digest()).ok_or_else(|| {
            let message = "no cache has the shader module that an identifier stands for";
            Error::new(vk::Result::PIPELINE_COMPILE_REQUIRED, message)
        })?;
        stage.module = Arc::new(ShaderModule::from_cache(words)?);
    }
    Ok(())
}

/// Keeps the words of modules in the caches, for [`find_words`].
pub(crate) fn keep_words(stages: &[ShaderStage], session: &Session<'_>) {
    stages.iter().for_each(|stage| session.keep_words(stage.module.digest(), stage.module.kept()));
}

/// What a compute pipeline is made from.
pub struct ComputePipelineInfo {
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
    /// The shader.
    pub stage: ShaderStage,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
}

/// How a pipeline came to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreationFeedback {
    /// The application's cache had it.
    pub cache_hit: bool,
    /// How long it took.
    pub duration: Duration,
}

impl ComputePipelineInfo {
    /// The key of pipelines made from this (`vkGetPipelineKeyKHR`).
    pub fn key(&self) -> [u8; 16] {
        binary::pipeline_key(slice::from_ref(&self.stage), self.layout.abi(&ShaderOptions::default()))
    }
}

impl ComputePipeline {
    /// Takes the shader from the cache or compiles it.
    ///
    /// # Errors
    /// `VK_PIPELINE_COMPILE_REQUIRED` when it would have to be compiled and must not;
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what the
    /// compiler lacks; the message is the compiler's.
    pub fn new(
        mut info: ComputePipelineInfo,
        cache: Option<&PipelineCache>,
    ) -> Result<(ComputePipeline, CreationFeedback)> {
        let start = Instant::now();
        let subgroup_size = subgroup_size(&info.stage)?;
        let shades_subpasses = info.stage.stage == vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI;
        let capture = captures(info.flags);
        let fail = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let session = cache::session(cache)
            .must_not_compile(!info.stage.module.has_words() || info.flags.contains(fail));
        if info.stage.options.instrumented {
            // What blocks cost is in the words.
            find_words(slice::from_mut(&mut info.stage), &session)?;
            keep_words(slice::from_ref(&info.stage), &session);
        }
        let instrumented = InstrumentedShader::of(slice::from_ref(&info.stage))?;
        let request = ComputeRequest {
            module: info.stage.module.for_compiler(),
            entry_point: &info.stage.entry_point,
            specialization: &info.stage.specialization,
            layout: &info.layout.abi(&info.stage.options),
            subgroup_size,
        };
        let kernel = pyro_compile::compile_compute_cached(&request, &session);
        let kernel = kernel.map_err(compile_error)?;
        check_limits(&*kernel)?;
        let feedback = CreationFeedback { cache_hit: session.hit(), duration: start.elapsed() };
        let images = &kernel.info().images;
        let specialized = Arc::new(Specialized::new(images, request.layout));
        let stage = (!images.is_empty() && info.stage.module.has_words()).then_some(info.stage);
        let (layout, cost) = (info.layout, CostEstimate::of(kernel.info()));
        let pipeline = ComputePipeline {
            kernel,
            specialized,
            stage,
            layout,
            capture,
            cost,
            instrumented,
            shades_subpasses,
        };
        Ok((pipeline, feedback))
    }

    /// What its shader counts, if it does.
    pub(crate) fn instrumented(&self) -> &[Arc<InstrumentedShader>] {
        &self.instrumented
    }

    /// The compiled shader.
    pub fn kernel(&self) -> &Arc<dyn Kernel> {
        &self.kernel
    }

    /// Whether it runs over render areas, with a bind point of its own (`VK_HUAWEI_subpass_shading`).
    pub fn shades_subpasses(&self) -> bool {
        self.shades_subpasses
    }

    /// Whether there may be a shader made for what its descriptors are.
    pub(crate) fn uses_images(&self) -> bool {
        self.stage.is_some()
    }

    /// The shader made for the descriptors in these sets, if it is; it is about to run so many invocations.
    pub(crate) fn specialized(
        self: &Arc<Self>,
        device: &DeviceCore,
        sets: &[u64],
        invocations: u64,
        keep: &mut Vec<Record>,
    ) -> Option<Arc<dyn Kernel>> {
        let stage = self.stage.as_ref()?;
        self.specialized.choose(sets, &device.textures, &device.worker, invocations, keep, |made| {
            let (this, stage) = (Arc::clone(self), stage.clone());
            Box::new(move || {
                let layout = made.layout(&this.layout.abi(&stage.options));
                let request = ComputeRequest {
                    module: stage.module.for_compiler(),
                    entry_point: &stage.entry_point,
                    specialization: &stage.specialization,
                    layout: &layout,
                    subgroup_size: subgroup_size(&stage).ok()?,
                };
                let session = cache::session(None);
                pyro_compile::compile_compute_cached(&request, &session).ok()
            })
        })
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// How long its workgroups take.
    pub(crate) fn cost(&self) -> &CostEstimate {
        &self.cost
    }
}

/// The subgroup sizes that a stage allows.
pub(crate) fn subgroup_size(stage: &ShaderStage) -> Result<SubgroupSize> {
    Ok(match stage.subgroup_size {
        None => SubgroupSize::Default,
        Some(size) => {
            let allowed = pyro_abi::MIN_SUBGROUP_SIZE..=pyro_abi::MAX_SUBGROUP_SIZE;
            if !size.is_power_of_two() || !allowed.contains(&size) {
                return Err(Error::misuse(format!(
                    "a required subgroup size of {size} \
                     (VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02761)"
                )));
            }
            SubgroupSize::Required(size)
        }
    })
}

pub(crate) fn compile_error(error: CompileError) -> Error {
    compile_error_of("the compute shader", error)
}

/// The error of a shader, of which `shader` is a description.
pub(crate) fn compile_error_of(shader: &str, error: CompileError) -> Error {
    let code = match error {
        CompileError::Invalid(_) | CompileError::Limit(_) | CompileError::Ptx(_) => {
            vk::Result::ERROR_INVALID_SHADER_NV
        }
        CompileError::Unsupported(_) => vk::Result::ERROR_FEATURE_NOT_PRESENT,
        CompileError::Required => vk::Result::PIPELINE_COMPILE_REQUIRED,
        CompileError::Internal(_) => vk::Result::ERROR_UNKNOWN,
    };
    Error::new(code, format!("{shader} was not compiled: {error}"))
}

pub(crate) fn check_limits(kernel: &dyn Kernel) -> Result<()> {
    let info = kernel.info();
    let size = info.workgroup_size;
    let invocations = size.iter().try_fold(1_u32, |product, &size| product.checked_mul(size));
    if invocations.is_none_or(|count| count > limits::MAX_WORKGROUP_INVOCATIONS || count == 0) {
        return Err(Error::new(
            vk::Result::ERROR_INVALID_SHADER_NV,
            format!("a workgroup of {size:?} invocations (VUID-RuntimeSpirv-x-06432)"),
        ));
    }
    let shared_bytes = info.shared_bytes - info.exchange_bytes;
    if shared_bytes > limits::MAX_SHARED_BYTES {
        return Err(Error::new(
            vk::Result::ERROR_INVALID_SHADER_NV,
            format!("{shared_bytes} bytes of workgroup memory (VUID-RuntimeSpirv-Workgroup-06530)"),
        ));
    }
    Ok(())
}
