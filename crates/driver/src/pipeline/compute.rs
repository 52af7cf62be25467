//! Compute pipelines.

use super::binary;
use super::cache::{self, PipelineCache};
use super::cost_estimate::CostEstimate;
use super::instrumentation::InstrumentedShader;
use super::layout::PipelineLayout;
use super::profiled_name::ProfiledName;
use super::specialize::Specialized;
use super::stage::{
    CreationFeedback, Executable, ShaderStage, captures, check_limits, compile_error, find_words, keep_words,
    subgroup_size,
};
use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::ComputeRequest;
use pyro_compile::image_functions::Record;
use std::slice;
use std::sync::Arc;
use std::time::Instant;
use vulkanalia_sys as vk;

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
    profiled_name: ProfiledName,
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
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what
    /// the compiler lacks; the message is the compiler's.
    pub fn new(
        mut info: ComputePipelineInfo,
        cache: Option<&PipelineCache>,
    ) -> Result<(ComputePipeline, CreationFeedback)> {
        let start = Instant::now();
        let subgroup_size = subgroup_size(&info.stage)?;
        let shades_subpasses = info.stage.stage == vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI;
        let capture = captures(info.flags);
        let fail = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let session = cache::session(cache, info.stage.backend)
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
        let kernel = kernel.map_err(|error| compile_error("compute", error))?;
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
            profiled_name: ProfiledName::default(),
        };
        Ok((pipeline, feedback))
    }

    /// What it was compiled to.
    pub(crate) fn executables(&self) -> Vec<Executable> {
        vec![Executable {
            stages: match self.shades_subpasses {
                true => vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI,
                false => vk::ShaderStageFlags::COMPUTE,
            },
            name: "compute",
            description: "The compute shader, for one subgroup at a time",
            kernel: Arc::clone(&self.kernel),
        }]
    }

    /// Whether the application wants to see what it was compiled to.
    pub(crate) fn captures(&self) -> bool {
        self.capture
    }

    /// What its shader counts, if it does.
    pub(crate) fn instrumented(&self) -> &[Arc<InstrumentedShader>] {
        &self.instrumented
    }

    /// Its number in a profile.
    pub(crate) fn profiled_number(&self) -> u32 {
        self.profiled_name.number(|| vec![Arc::clone(&self.kernel)])
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
                let session = cache::session(None, stage.backend);
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
