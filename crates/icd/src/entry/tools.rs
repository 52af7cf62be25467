//! What tools ask: clocks, other tools, and what pipelines were compiled to.

use crate::call::{chained, guard};
use crate::entry::instance::physical_device_object;
use crate::handle;
use crate::pointers::{Enumeration, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::Kernel;
use pyro_abi::graphics::Rate;
use pyro_driver::limits::SAMPLE_LOCATION_COUNTS;
use pyro_driver::pipeline::{CreationFeedback, Executable, Pipeline};
use pyro_driver::{Error, Result, system};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn get_physical_device_calibrateable_time_domains_khr(
    physical_device: vk::PhysicalDevice,
    mut out: Enumeration<'_, vk::TimeDomainKHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_calibrateable_time_domains_khr, || {
        physical_device_object(physical_device)?;
        let domains = [
            vk::TimeDomainKHR::DEVICE,
            vk::TimeDomainKHR::CLOCK_MONOTONIC,
            vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW,
        ];
        Ok(out.answer(&domains))
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
                vk::TimeDomainKHR::DEVICE | vk::TimeDomainKHR::CLOCK_MONOTONIC => system::monotonic_ns(),
                vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => system::monotonic_raw_ns(),
                other => {
                    return Err(Error::misuse(format!(
                        "the time domain {other:?} is not supported (VUID-VkCalibratedTimestampInfoKHR-timeDomain-02354)"
                    )));
                }
            };
            out.write(index, time);
        }
        // All were read between these two; the clocks' own step is a nanosecond.
        max_deviation.write(system::monotonic_ns() - start + 1);
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
            unsafe { (&raw mut out.sample_counts).cast::<u32>().write(counts) };
            out.fragment_size = vk::Extent2D { width: 1 << rate.x, height: 1 << rate.y };
        }))
    })
}

/// Gives as much of a list as there is room for, or how long it is.
///
/// # Safety
/// `count` is valid, and `out` is null or has room for `*count` elements.
pub(crate) unsafe fn list<T, O>(
    all: &[T],
    count: *mut u32,
    out: *mut O,
    fill: impl Fn(*mut O, &T),
) -> vk::Result {
    // SAFETY: `count`, `out` and `fill` are valid by the contract of this function, as `is_null` requires.
    unsafe {
        if out.is_null() {
            *count = u32::try_from(all.len()).unwrap_or(u32::MAX);
            return vk::Result::SUCCESS;
        }
        let given = all.len().min(*count as usize);
        all[..given].iter().enumerate().for_each(|(index, one)| fill(out.add(index), one));
        *count = given as u32;
        if given < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Fills `VkPipelineCreationFeedbackCreateInfo`, if the chain of a create info has it.
///
/// # Safety
/// The chain is valid.
pub(crate) unsafe fn feed_back(next: *const c_void, feedback: CreationFeedback) {
    // SAFETY: the caller's contract.
    let Some(info) = (unsafe { chained!(next, PipelineCreationFeedbackCreateInfo) }) else { return };
    let mut flags = vk::PipelineCreationFeedbackFlags::VALID;
    if feedback.cache_hit {
        flags |= vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
    }
    let feedback = vk::PipelineCreationFeedback { flags, duration: feedback.duration.as_nanos() as u64 };
    // SAFETY: the pointers of a valid chain's structure, and as many stages as it says
    // (VUID-VkPipelineCreationFeedbackCreateInfo-pPipelineStageCreationFeedbacks-parameter).
    unsafe {
        *info.pipeline_creation_feedback = feedback;
        for stage in 0..info.pipeline_stage_creation_feedback_count as usize {
            *info.pipeline_stage_creation_feedbacks.add(stage) = feedback;
        }
    }
}

fn indexed_executable(info: &vk::PipelineExecutableInfoKHR) -> Result<(Arc<Pipeline>, Executable)> {
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
        let all = statistics(&*indexed_executable(&info)?.1.kernel);
        Ok(out.fill(&all, |out, (name, value)| {
            out.name = string(name);
            out.description = string(name);
            out.format = vk::PipelineExecutableStatisticFormatKHR::UINT64;
            out.value = vk::PipelineExecutableStatisticValueKHR { u64: *value };
        }))
    })
}

pub(crate) unsafe extern "system" fn get_pipeline_executable_internal_representations_khr(
    device: vk::Device,
    info: *const vk::PipelineExecutableInfoKHR,
    count: *mut u32,
    out: *mut vk::PipelineExecutableInternalRepresentationKHR,
) -> vk::Result {
    // SAFETY: `info` and `count` are valid; `out` has as many elements as counted; strings end in zero
    // (VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pExecutableInfo-parameter,
    // VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pInternalRepresentationCount-parameter,
    // VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pInternalRepresentations-parameter).
    guard(CommandId::get_pipeline_executable_internal_representations_khr, || unsafe {
        crate::entry::device::check(device)?;
        let (pipeline, executable) = indexed_executable(&*info)?;
        if !pipeline.captures() {
            return Err(Error::misuse(
                "the pipeline was created without the flag CAPTURE_INTERNAL_REPRESENTATIONS \
                 (VUID-vkGetPipelineExecutableInternalRepresentationsKHR-pipeline-03278)",
            ));
        }
        let all = executable.kernel.representations();
        if out.is_null() {
            *count = all.len() as u32;
            return Ok(vk::Result::SUCCESS);
        }
        let given = all.len().min(*count as usize);
        let mut complete = given == all.len();
        for (index, (name, text)) in all.iter().take(given).enumerate() {
            let out = &mut *out.add(index);
            out.name = string(name);
            out.description = string(name);
            out.is_text = vk::TRUE;
            let bytes = text.len() + 1;
            if !out.data.is_null() {
                // Cut to fit, and ended with a zero.
                let copied = text.len().min(out.data_size.saturating_sub(1));
                if out.data_size > 0 {
                    let data = out.data.cast::<u8>();
                    std::ptr::copy_nonoverlapping(text.as_ptr(), data, copied);
                    data.add(copied).write(0);
                }
                complete &= out.data_size >= bytes;
                out.data_size = out.data_size.min(bytes);
            } else {
                out.data_size = bytes;
            }
        }
        *count = given as u32;
        Ok(if complete { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    })
}
