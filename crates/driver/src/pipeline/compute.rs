//! Compute pipelines.

use super::binary;
use super::cache::{self, PipelineCache, WeakCache};
use super::cost_estimate::CostEstimate;
use super::deferred::{Deferred, find, keeps_lowered};
use super::instrumentation::InstrumentedShader;
use super::layout::PipelineLayout;
use super::profiled_name::ProfiledName;
use super::specialize::Specialized;
use super::stage::{
    CreationFeedback, Executable, ShaderStage, captures, check_limits, compile_error, compute_request,
    find_words, keep_words, may_wait,
};
use super::successor::Successor;
use crate::error::{Error, Result};
use crate::objects::device_core::DeviceCore;
use crate::report::ObjectName;
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::CompileError;
use pyro_compile::cache::Session;
use pyro_compile::image_functions::Record;
use std::slice;
use std::sync::Arc;
use std::time::Instant;
use vulkanalia_sys as vk;

/// A `VkPipeline` for compute.
pub struct ComputePipeline {
    code: Arc<Deferred<Code>>,
    /// What code by its descriptors is made from, if these matter.
    stage: Option<ShaderStage>,
    layout: Arc<PipelineLayout>,
    capture: bool,
    instrumented: Vec<Arc<InstrumentedShader>>,
    shades_subpasses: bool,
    name: ObjectName,
    profiled_name: ProfiledName,
    pub(super) successor: Successor<ComputePipeline>,
}

/// What the shader was compiled to.
struct Code {
    kernel: Arc<dyn Kernel>,
    /// The same by what its descriptors are.
    specialized: Arc<Specialized<Arc<dyn Kernel>>>,
    cost: CostEstimate,
}

impl Code {
    fn new(kernel: Arc<dyn Kernel>, layout: &pyro_abi::PipelineLayout) -> Code {
        let specialized = Arc::new(Specialized::new(&kernel.info().images, layout));
        let cost = CostEstimate::of(kernel.info());
        Code { kernel, specialized, cost }
    }
}

fn compute_error(error: CompileError) -> Error {
    compile_error("compute", error)
}

/// What a compute pipeline is made from.
#[derive(Clone)]
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
    /// Takes the shader from the cache, or checks it and has it compiled: in the background where there is a
    /// device for that.
    ///
    /// # Errors
    /// `VK_PIPELINE_COMPILE_REQUIRED` when it would have to be compiled and must not;
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what
    /// the compiler lacks; the message is the compiler's.
    pub fn new(
        mut info: ComputePipelineInfo,
        cache: Option<&PipelineCache>,
        device: Option<&DeviceCore>,
    ) -> Result<(ComputePipeline, CreationFeedback)> {
        let start = Instant::now();
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
        let device = device.filter(|_| may_wait(info.flags, &session));
        let (code, uses_images) = ComputePipeline::code(&info, cache, &session, device)?;
        let feedback = CreationFeedback { cache_hit: session.hit(), duration: start.elapsed() };
        let stage = (uses_images && info.stage.module.has_words()).then_some(info.stage);
        let pipeline = ComputePipeline {
            code,
            stage,
            layout: info.layout,
            capture,
            instrumented,
            shades_subpasses,
            name: ObjectName::default(),
            profiled_name: ProfiledName::default(),
            successor: Successor::default(),
        };
        Ok((pipeline, feedback))
    }

    /// Its code, and whether that uses images.
    fn code(
        info: &ComputePipelineInfo,
        cache: Option<&PipelineCache>,
        session: &Session<'_>,
        device: Option<&DeviceCore>,
    ) -> Result<(Arc<Deferred<Code>>, bool)> {
        let ComputePipelineInfo { stage, layout, .. } = info;
        let abi = layout.abi(&stage.options);
        let request = compute_request(stage, &abi)?;
        let ready = |kernel: Arc<dyn Kernel>| {
            check_limits(kernel.info())?;
            let uses_images = !kernel.info().images.is_empty();
            Ok((Deferred::ready(Code::new(kernel, &abi)), uses_images))
        };
        let Some(device) = device else {
            return ready(pyro_compile::compile_compute_cached(&request, session).map_err(compute_error)?);
        };
        let (key, found) = find(&request.key(session.backend()), cache, session).map_err(compute_error)?;
        if let Some(found) = found {
            return ready(found);
        }
        let lowered = pyro_compile::lower_compute(&request, session.backend()).map_err(compute_error)?;
        check_limits(lowered.info())?;
        let uses_images = !lowered.info().images.is_empty();
        let lowered = keeps_lowered(&device.worker).then_some(lowered);
        let code = Deferred::new({
            let (stage, layout, cache) = (stage.clone(), Arc::clone(layout), WeakCache::of(cache));
            move || {
                let abi = layout.abi(&stage.options);
                let cache = cache.get();
                let session = cache::session(cache.as_ref(), stage.backend);
                let request = compute_request(&stage, &abi)?;
                let kernel = match lowered {
                    Some(lowered) => pyro_compile::compile_lowered_compute(&request, &session, lowered),
                    None => pyro_compile::compile_compute_cached(&request, &session),
                };
                Ok(Code::new(kernel.map_err(compute_error)?, &abi))
            }
        });
        code.start_for(cache, key, &device.worker);
        Ok((code, uses_images))
    }

    /// What was made in its place, if anything was.
    pub(crate) fn newest(&self) -> Option<Arc<ComputePipeline>> {
        self.successor.get()
    }

    /// The handle that messages name.
    pub fn name(&self) -> &ObjectName {
        &self.name
    }

    /// What it was compiled to; nothing when that failed.
    pub(crate) fn executables(&self) -> Vec<Executable> {
        let Ok(kernel) = self.kernel() else { return Vec::new() };
        vec![Executable {
            stages: match self.shades_subpasses {
                true => vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI,
                false => vk::ShaderStageFlags::COMPUTE,
            },
            name: "compute",
            description: "The compute shader, for one subgroup at a time",
            kernel: Arc::clone(kernel),
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

    /// Its name in a profile.
    pub(crate) fn profiled_name(&self) -> &ProfiledName {
        &self.profiled_name
    }

    /// Its number in a profile.
    pub(crate) fn profiled_number(&self) -> u32 {
        self.profiled_name.number(|| self.kernel().into_iter().cloned().collect())
    }

    /// The compiled shader, made now if it is not made yet.
    ///
    /// # Errors
    /// When it cannot be compiled, for a reason that is no fault of the shader.
    pub fn kernel(&self) -> Result<&Arc<dyn Kernel>> {
        Ok(&self.code.get()?.kernel)
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
        let (stage, code) = (self.stage.as_ref()?, self.code.get().ok()?);
        code.specialized.choose(sets, &device.textures, &device.worker, invocations, keep, |made| {
            let (this, stage) = (Arc::clone(self), stage.clone());
            Box::new(move || {
                let layout = made.layout(&this.layout.abi(&stage.options));
                let session = cache::session(None, stage.backend);
                pyro_compile::compile_compute_cached(&compute_request(&stage, &layout).ok()?, &session).ok()
            })
        })
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// How long its workgroups take, once it is compiled.
    pub(crate) fn cost(&self) -> Option<&CostEstimate> {
        Some(&self.code.known()?.cost)
    }
}
