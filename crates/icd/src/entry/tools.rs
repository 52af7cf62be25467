//! What tools ask: clocks, other tools, and what pipelines were compiled to.

use crate::call::guard;
use crate::entry::instance::physical_device_object;
use crate::handle;
use crate::pointers::{Chain, Enumeration, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::Kernel;
use pyro_abi::graphics::Rate;
use pyro_driver::limits::SAMPLE_LOCATION_COUNTS;
use pyro_driver::pipeline::{CreationFeedback, Executable, Pipeline};
use pyro_driver::{Error, Result, system};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// The clocks that can be read together.
const DOMAINS: &[vk::TimeDomainKHR] = &[
    vk::TimeDomainKHR::DEVICE,
    #[cfg(unix)]
    vk::TimeDomainKHR::CLOCK_MONOTONIC,
    #[cfg(unix)]
    vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW,
    #[cfg(windows)]
    vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER,
];

pub(crate) fn get_physical_device_calibrateable_time_domains_khr(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::TimeDomainKHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_calibrateable_time_domains_khr, || {
        physical_device_object(physical_device)?;
        Ok(out.answer(DOMAINS))
    })
}

pub(crate) fn get_calibrated_timestamps_khr(
    device: vk::Device,
    infos: Slice<'_, vk::CalibratedTimestampInfoKHR>,
    mut out: Outputs<'_, u64>,
    mut max_deviation: Out<'_, u64>,
) -> vk::Result {
    guard(CommandId::get_calibrated_timestamps_khr, || {
        crate::entry::device::check(device)?;
        let start = system::monotonic_ns();
        for (index, info) in infos.iter().enumerate() {
            let time = match info.time_domain {
                // Timestamp queries write the monotonic clock.
                vk::TimeDomainKHR::DEVICE => system::monotonic_ns(),
                #[cfg(unix)]
                vk::TimeDomainKHR::CLOCK_MONOTONIC => system::monotonic_ns(),
                // Those of a swapchain, which the chain names, are that clock too.
                vk::TimeDomainKHR::PRESENT_STAGE_LOCAL_EXT | vk::TimeDomainKHR::SWAPCHAIN_LOCAL_EXT => {
                    system::monotonic_ns()
                }
                #[cfg(unix)]
                vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => system::monotonic_raw_ns(),
                #[cfg(windows)]
                vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER => system::performance_counter(),
                other => {
                    return Err(Error::misuse(format!(
                        "the time domain {other:?} is not supported (VUID-VkCalibratedTimestampInfoKHR-timeDomain-02354)"
                    )));
                }
            };
            out.write(index, time);
        }
        // All were read between these two.
        max_deviation.write(system::monotonic_ns() - start + system::monotonic_step_ns());
        Ok(vk::Result::SUCCESS)
    })
}

/// No tool is active in the driver itself.
pub(crate) fn get_physical_device_tool_properties(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::PhysicalDeviceToolProperties>,
) -> vk::Result {
    guard(CommandId::get_physical_device_tool_properties, || {
        physical_device_object(physical_device)?;
        Ok(out.answer(&[]))
    })
}

/// All grids are of one pixel.
pub(crate) fn get_physical_device_multisample_properties_ext(
    _physical_device: vk::PhysicalDevice,
    samples: vk::SampleCountFlags,
    mut out: Out<'_, vk::MultisamplePropertiesEXT>,
) {
    let side = u32::from(SAMPLE_LOCATION_COUNTS.contains(samples));
    out.get_mut().max_sample_location_grid_size = vk::Extent2D { width: side, height: side };
}

/// All numbers of samples that can go together: tests take place for each rasterization sample, and colour
/// attachments may have fewer.
pub(crate) fn get_physical_device_supported_framebuffer_mixed_samples_combinations_nv(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::FramebufferMixedSamplesCombinationNV>,
) -> vk::Result {
    use vk::CoverageReductionModeNV as Mode;
    guard(CommandId::get_physical_device_supported_framebuffer_mixed_samples_combinations_nv, || {
        physical_device_object(physical_device)?;
        let counts = || (0..5).map(|log2| vk::SampleCountFlags::from_bits_truncate(1 << log2));
        let none = vk::SampleCountFlags::empty();
        let mut all = Vec::new();
        for (mode, rasterization) in [Mode::MERGE, Mode::TRUNCATE]
            .into_iter()
            .flat_map(|mode| counts().map(move |count| (mode, count)))
        {
            for depth_stencil in [none, rasterization] {
                let colors = counts().filter(|color| color.bits() <= rasterization.bits());
                let colors = std::iter::once(none).chain(colors);
                all.extend(colors.map(|color| (mode, [rasterization, depth_stencil, color])));
            }
        }
        Ok(out.fill(&all, |out, (mode, samples)| {
            out.coverage_reduction_mode = *mode;
            [out.rasterization_samples, out.depth_stencil_samples, out.color_samples] = *samples;
        }))
    })
}

/// All sizes of fragments that some number of samples can have.
pub(crate) fn get_physical_device_fragment_shading_rates_khr(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::PhysicalDeviceFragmentShadingRateKHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_fragment_shading_rates_khr, || {
        physical_device_object(physical_device)?;
        Ok(out.fill(&Rate::ALL, |out, rate| {
            let counts = [1, 2, 4, 8, 16].into_iter().filter(|&count| rate.is_supported(count));
            let counts = counts.fold(0, |counts, count| counts | count);
            // Whatever the samples, fragments may be of one pixel: all bits are set, even those that mean
            // nothing.
            let counts = if *rate == Rate::PIXEL { u32::MAX } else { counts };
            // SAFETY: flags are a word, of which every value is valid.
            out.sample_counts = unsafe { vk::SampleCountFlags::from_bits_unchecked(counts) };
            out.fragment_size = vk::Extent2D { width: 1 << rate.x, height: 1 << rate.y };
        }))
    })
}

/// Fills `VkPipelineCreationFeedbackCreateInfo`, if the chain of a create info has it.
pub(crate) fn feed_back(chain: Chain, feedback: CreationFeedback) {
    let Some(info) = chain.find::<vk::PipelineCreationFeedbackCreateInfo>() else { return };
    let mut flags = vk::PipelineCreationFeedbackFlags::VALID;
    if feedback.cache_hit {
        flags |= vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
    }
    let feedback = vk::PipelineCreationFeedback { flags, duration: feedback.duration.as_nanos() as u64 };
    info.pipeline_creation_feedback().inspect(|out| out.set(feedback));
    info.pipeline_stage_creation_feedbacks().iter().for_each(|out| out.set(feedback));
}

fn indexed_executable(info: In<'_, vk::PipelineExecutableInfoKHR>) -> Result<(Arc<Pipeline>, Executable)> {
    let pipeline = handle::get::<Pipeline>(info.pipeline.as_raw())?;
    let executable = pipeline.executables().into_iter().nth(info.executable_index as usize);
    let executable = executable.ok_or_else(|| {
        Error::misuse("executableIndex is not less than the number of the pipeline's executables (VUID-VkPipelineExecutableInfoKHR-executableIndex-03275)")
    })?;
    Ok((pipeline, executable))
}

fn string<const N: usize>(text: &str) -> vk::StringArray<N> {
    vk::StringArray::from_bytes(text.as_bytes())
}

pub(crate) fn get_pipeline_executable_properties_khr(
    device: vk::Device,
    info: In<'_, vk::PipelineInfoKHR>,
    mut out: Enumeration<'_, vk::PipelineExecutablePropertiesKHR>,
) -> vk::Result {
    guard(CommandId::get_pipeline_executable_properties_khr, || {
        crate::entry::device::check(device)?;
        let executables = handle::get::<Pipeline>(info.pipeline.as_raw())?.executables();
        Ok(out.fill(&executables, |out, executable| {
            out.stages = executable.stages;
            out.name = string(executable.name);
            out.description = string(executable.description);
            out.subgroup_size = executable.kernel.info().subgroup_size;
        }))
    })
}

/// The identifier is the digest of what the pipeline was made from.
pub(crate) fn get_pipeline_properties_ext(
    device: vk::Device,
    info: In<'_, vk::PipelineInfoEXT>,
    out: *mut vk::BaseOutStructure,
) -> vk::Result {
    guard(CommandId::get_pipeline_properties_ext, || {
        crate::entry::device::check(device)?;
        let pipeline = handle::get::<Pipeline>(info.pipeline.as_raw())?;
        // SAFETY: it is null or a structure (VUID-vkGetPipelinePropertiesEXT-pPipelineProperties-06739).
        let s_type = unsafe { out.as_ref() }.map(|out| out.s_type);
        if s_type != Some(vk::StructureType::PIPELINE_PROPERTIES_IDENTIFIER_EXT) {
            return Err(Error::misuse(
                "pPipelineProperties is no VkPipelinePropertiesIdentifierEXT (VUID-vkGetPipelinePropertiesEXT-pPipelineProperties-06739)",
            ));
        }
        // SAFETY: its `sType` says what it is; nothing else refers to it while the command runs.
        let out = unsafe { &mut *out.cast::<vk::PipelinePropertiesIdentifierEXT>() };
        out.pipeline_identifier = pipeline.identifier()?.into();
        Ok(vk::Result::SUCCESS)
    })
}

fn statistics(kernel: &dyn Kernel) -> Vec<(&'static str, u64)> {
    let info = kernel.info();
    let mut all = vec![
        ("subgroup size", u64::from(info.subgroup_size)),
        ("subgroups of a workgroup", u64::from(info.subgroup_count())),
        ("workgroup memory bytes", u64::from(info.shared_bytes)),
    ];
    all.extend(kernel.statistics());
    all
}

pub(crate) fn get_pipeline_executable_statistics_khr(
    device: vk::Device,
    info: In<'_, vk::PipelineExecutableInfoKHR>,
    mut out: Enumeration<'_, vk::PipelineExecutableStatisticKHR>,
) -> vk::Result {
    guard(CommandId::get_pipeline_executable_statistics_khr, || {
        crate::entry::device::check(device)?;
        let all = statistics(&*indexed_executable(info)?.1.kernel);
        Ok(out.fill(&all, |out, (name, value)| {
            out.name = string(name);
            out.description = string(name);
            out.format = vk::PipelineExecutableStatisticFormatKHR::UINT64;
            out.value = vk::PipelineExecutableStatisticValueKHR { u64: *value };
        }))
    })
}

pub(crate) fn get_pipeline_executable_internal_representations_khr(
    device: vk::Device,
    info: In<'_, vk::PipelineExecutableInfoKHR>,
    mut out: Enumeration<'_, vk::PipelineExecutableInternalRepresentationKHR>,
) -> vk::Result {
    guard(CommandId::get_pipeline_executable_internal_representations_khr, || {
        crate::entry::device::check(device)?;
        let (pipeline, executable) = indexed_executable(info)?;
        if !pipeline.captures() {
            return Err(Error::misuse(
                "the pipeline was created without the flag CAPTURE_INTERNAL_REPRESENTATIONS \
                 (VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pipeline-03278)",
            ));
        }
        let all = executable.kernel.representations();
        let mut is_complete = true;
        let code = out.fill_members(&all, |mut out, (name, text)| {
            out.name = string(name);
            out.description = string(name);
            out.is_text = vk::TRUE;
            is_complete &= out.data().answer_text(text) == vk::Result::SUCCESS;
        });
        Ok(if is_complete { code } else { vk::Result::INCOMPLETE })
    })
}
