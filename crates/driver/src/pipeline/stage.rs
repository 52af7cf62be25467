//! The shaders of pipelines: what an application says of one, its code, and why it was not compiled.

use super::shader::ShaderModule;
use crate::caps::limits;
use crate::error::{Error, Result};
use crate::objects::image::Sampler;
use pyro_abi::{Kernel, KernelInfo, ShaderOptions};
use pyro_compile::cache::Session;
use pyro_compile::{Backend, CompileError, ComputeRequest, SpecConstant, SubgroupSize};
use std::sync::Arc;
use std::time::Duration;
use vulkanalia_sys as vk;

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
    /// What its device's shaders are compiled for.
    pub backend: Backend,
}

/// What the stages of a pipeline are compiled for. Of none, nothing is compiled.
pub(crate) fn backend_of(stages: &[ShaderStage]) -> Backend {
    stages.first().map_or(Backend::Interpreter, |stage| stage.backend)
}

/// Finds the words of the modules of which only identifiers are known. Draws may need more code than there is
/// when a pipeline is made, so all graphics pipelines have them.
///
/// # Errors
/// `VK_PIPELINE_COMPILE_REQUIRED` when no cache has them.
pub(crate) fn find_words(stages: &mut [ShaderStage], session: &Session<'_>) -> Result<()> {
    for stage in stages.iter_mut().filter(|stage| !stage.module.has_words()) {
        let module = session.shader_module(stage.module.digest()).ok_or_else(|| {
            let message = "no cache has the shader module that an identifier stands for";
            Error::new(vk::Result::PIPELINE_COMPILE_REQUIRED, message)
        })?;
        stage.module = Arc::new(ShaderModule::from_cache(module)?);
    }
    Ok(())
}

/// Keeps the words of modules in the caches, for [`find_words`].
pub(crate) fn keep_words(stages: &[ShaderStage], session: &Session<'_>) {
    stages.iter().for_each(|stage| session.keep_words(stage.module.digest(), stage.module.kept()));
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

/// Whether a pipeline with these flags shows what it was compiled to.
pub(crate) fn captures(flags: vk::PipelineCreateFlags) -> bool {
    flags.intersects(
        vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR
            | vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
    )
}

/// How a pipeline came to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreationFeedback {
    /// The application's cache had it.
    pub cache_hit: bool,
    /// How long it took.
    pub duration: Duration,
}

/// The subgroup sizes that a stage allows.
pub(crate) fn subgroup_size(stage: &ShaderStage) -> Result<SubgroupSize> {
    Ok(match stage.subgroup_size {
        None => SubgroupSize::Default,
        Some(size) => {
            let allowed = pyro_abi::SUBGROUP_SIZE_MIN..=pyro_abi::SUBGROUP_SIZE_MAX;
            if !size.is_power_of_two() || !allowed.contains(&size) {
                return Err(Error::misuse(format!(
                    "a required subgroup size of {size} \
                     (VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02761)"
                )));
            }
            SubgroupSize::Seen(size)
        }
    })
}

/// The error of a shader of this kind that cannot be compiled.
pub(crate) fn compile_error(kind: &str, error: CompileError) -> Error {
    let code = match error {
        CompileError::Invalid(_) | CompileError::Limit(_) | CompileError::Ptx(_) => {
            vk::Result::ERROR_INVALID_SHADER_NV
        }
        CompileError::Budget(_) => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        CompileError::Unsupported(_) => vk::Result::ERROR_FEATURE_NOT_PRESENT,
        CompileError::Required => vk::Result::PIPELINE_COMPILE_REQUIRED,
        CompileError::Internal(_) => vk::Result::ERROR_UNKNOWN,
    };
    Error::new(code, format!("the {kind} shader was not compiled: {error}"))
}

/// What the compiler is asked for a compute shader, or a node's.
pub(crate) fn compute_request<'a>(
    stage: &'a ShaderStage,
    layout: &'a pyro_abi::PipelineLayout,
) -> Result<ComputeRequest<'a>> {
    Ok(ComputeRequest {
        module: stage.module.for_compiler(),
        entry_point: &stage.entry_point,
        specialization: &stage.specialization,
        layout,
        subgroup_size: subgroup_size(stage)?,
    })
}

/// Whether code of a pipeline with these flags may be made behind its creation. Not where the application
/// looks at it; not where files keep it, which are to have all that was ever created; and not where it must
/// be made in some time, so that whoever sets one hears of it.
pub(crate) fn may_wait(flags: vk::PipelineCreateFlags, session: &Session<'_>) -> bool {
    !captures(flags) && !session.has_files() && pyro_util::config::get().compile_limit.is_none()
}

pub(crate) fn check_limits(info: &KernelInfo) -> Result<()> {
    let size = info.workgroup_size;
    let invocations = size.iter().try_fold(1_u32, |product, &size| product.checked_mul(size));
    if invocations.is_none_or(|count| count > limits::WORKGROUP_INVOCATIONS_MAX || count == 0) {
        return Err(Error::new(
            vk::Result::ERROR_INVALID_SHADER_NV,
            format!("a workgroup of {size:?} invocations (VUID-RuntimeSpirv-x-06432)"),
        ));
    }
    let shared_bytes = info.shared_bytes - info.exchange_bytes;
    if shared_bytes > limits::SHARED_BYTES_MAX {
        return Err(Error::new(
            vk::Result::ERROR_INVALID_SHADER_NV,
            format!("{shared_bytes} bytes of workgroup memory (VUID-RuntimeSpirv-Workgroup-06530)"),
        ));
    }
    Ok(())
}
