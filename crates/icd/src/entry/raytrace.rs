//! Ray tracing pipelines: `VK_KHR_ray_tracing_pipeline`.

use crate::call::recording::record;
use crate::call::{guard, slice};
use crate::entry::acceleration_structure::deferred_result;
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::pipeline::{
    PipelineCreateInfo, create_flags, create_pipelines, old_flags, shader_options, shader_stages,
};
use crate::entry::tools;
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::command::{DispatchCommand, ShaderBindingTables, TraceRaysCommand};
use pyro_driver::device::Device;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::raytrace::{GroupInfo, GroupShaders, RayPipeline, RayPipelineInfo};
use pyro_driver::{Error, Result};
use pyro_engine::raytrace::{HANDLE_BYTES, Handle, Table};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle as _};

/// A group, with the handle that it is to have again if its pipeline's flags say that there is one.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkRayTracingShaderGroupCreateInfoKHR`, "Valid
/// Usage").
unsafe fn group(info: &vk::RayTracingShaderGroupCreateInfoKHR, replays: bool) -> GroupInfo {
    let shader = |number: u32| (number != vk::SHADER_UNUSED_KHR).then_some(number);
    let is_general = info.type_ == vk::RayTracingShaderGroupTypeKHR::GENERAL;
    let has_boxes = info.type_ == vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP;
    // What a group of this kind does not have means nothing.
    let of = |has: bool, number: u32| if has { shader(number) } else { None };
    let handle = info.shader_group_capture_replay_handle.cast::<Handle>();
    GroupInfo {
        kind: info.type_,
        shaders: GroupShaders {
            general: of(is_general, info.general_shader),
            closest_hit: of(!is_general, info.closest_hit_shader),
            any_hit: of(!is_general, info.any_hit_shader),
            intersection: of(has_boxes, info.intersection_shader),
        },
        // SAFETY: a handle to replay has `shaderGroupHandleCaptureReplaySize` bytes, by the contract of this
        // function.
        handle: (replays && !handle.is_null()).then(|| unsafe { handle.read_unaligned() }),
    }
}

/// What a ray tracing pipeline is made from.
///
/// # Safety
/// The structure and its chain are valid.
pub(crate) unsafe fn ray_info(
    device: &Device,
    info: &vk::RayTracingPipelineCreateInfoKHR,
    binaries: &Binaries,
) -> Result<RayPipelineInfo> {
    // SAFETY: the caller's contract; arrays are as long as their counts
    // (VUID-VkRayTracingPipelineCreateInfoKHR-pStages-parameter, -pGroups-parameter,
    // -pLibraryInfo-parameter).
    let (flags, stages, groups, libraries) = unsafe {
        let libraries = info.library_info.as_ref();
        (
            create_flags(info.next, info.flags),
            slice(info.stages, info.stage_count),
            slice(info.groups, info.group_count),
            libraries.map_or(&[][..], |info| slice(info.libraries, info.library_count)),
        )
    };
    let options = shader_options(flags);
    // SAFETY: as above.
    let stages = unsafe { shader_stages(device, stages.iter(), &options, binaries) }?;
    let replays =
        flags.contains(vk::PipelineCreateFlags2::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR);
    let libraries = libraries.iter().map(|library| {
        let pipeline = handle::get::<Pipeline>(library.as_raw())?;
        match &pipeline.kind {
            PipelineKind::RayTracing(library) if library.is_library() => Ok(Arc::clone(library)),
            _ => Err(Error::misuse(
                "a linked pipeline is not a pipeline library (VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381)",
            )),
        }
    });
    Ok(RayPipelineInfo {
        flags: old_flags(flags),
        stages,
        // SAFETY: handles to replay have `shaderGroupHandleCaptureReplaySize` bytes
        // (VkRayTracingShaderGroupCreateInfoKHR).
        groups: groups.iter().map(|info| unsafe { group(info, replays) }).collect(),
        libraries: libraries.collect::<Result<_>>()?,
        layout: match options.heap {
            Some(_) => None,
            None => Some(handle::get(info.layout.as_raw())?),
        },
        recursion_depth: info.max_pipeline_ray_recursion_depth,
    })
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkRayTracingPipelineCreateInfoKHR`, "Valid
/// Usage").
unsafe fn ray_pipeline(
    device: &Device,
    info: &vk::RayTracingPipelineCreateInfoKHR,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    // SAFETY: the caller's contract.
    unsafe {
        let binaries = Binaries::of(info.next)?;
        let made_from = ray_info(device, info, &binaries)?;
        let captured = captures_data(info.next).then(|| Captured::new(&made_from.stages));
        let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
        let (pipeline, mut feedback) = RayPipeline::new(made_from, cache)?;
        // Binaries are no cache.
        feedback.cache_hit &= binaries.artifacts().is_none();
        tools::feed_back(info.next, feedback);
        Ok(Pipeline::new(PipelineKind::RayTracing(Arc::new(pipeline)), captured))
    }
}

impl PipelineCreateInfo for vk::RayTracingPipelineCreateInfoKHR {
    unsafe fn flags(&self) -> vk::PipelineCreateFlags2 {
        // SAFETY: the caller's contract.
        unsafe { create_flags(self.next, self.flags) }
    }

    unsafe fn pipeline(&self, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        // SAFETY: the caller's contract.
        unsafe { ray_pipeline(device, self, cache) }
    }
}

pub(crate) unsafe extern "system" fn create_ray_tracing_pipelines_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::RayTracingPipelineCreateInfoKHR,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let command = CommandId::create_ray_tracing_pipelines_khr;
    // SAFETY: `infos` and `out` have `count` elements
    // (VUID-vkCreateRayTracingPipelinesKHR-pCreateInfos-parameter,
    // VUID-vkCreateRayTracingPipelinesKHR-pPipelines-parameter).
    let made = unsafe { create_pipelines(command, device, cache, slice(infos, count), allocator, out) };
    if made != vk::Result::SUCCESS {
        return made;
    }
    guard(CommandId::create_ray_tracing_pipelines_khr, || {
        crate::entry::device::check(device)?;
        deferred_result(operation)
    })
}

/// Calls `read` with the ray tracing pipeline of a handle.
fn with_pipeline<T>(
    device: vk::Device,
    pipeline: vk::Pipeline,
    read: impl FnOnce(&RayPipeline) -> Result<T>,
) -> Result<T> {
    crate::entry::device::check(device)?;
    let pipeline = handle::get::<Pipeline>(pipeline.as_raw())?;
    match &pipeline.kind {
        PipelineKind::RayTracing(pipeline) => read(pipeline),
        _ => Err(Error::misuse(
            "the pipeline is not a ray tracing pipeline (VUID-vkGetRayTracingShaderGroupHandlesKHR-pipeline-04619)",
        )),
    }
}

/// Handles serve as those that are captured, too.
///
/// # Safety
/// `data` is valid.
unsafe fn shader_group_handles(
    command: CommandId,
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
) -> vk::Result {
    // SAFETY: `pipeline` and `data` are valid by the contract of this function, as `with_pipeline` requires.
    guard(command, || unsafe {
        with_pipeline(device, pipeline, |pipeline| {
            let handles = pipeline.handles(first, count)?;
            if size < count as usize * HANDLE_BYTES {
                return Err(Error::misuse(
                    "dataSize is too small for the shader group handles (VUID-vkGetRayTracingShaderGroupHandlesKHR-dataSize-02420)",
                ));
            }
            for (index, handle) in handles.enumerate() {
                data.cast::<Handle>().add(index).write_unaligned(handle);
            }
            Ok(vk::Result::SUCCESS)
        })
    })
}

pub(crate) unsafe extern "system" fn get_ray_tracing_shader_group_handles_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
) -> vk::Result {
    // SAFETY: `data` is valid (VUID-vkGetRayTracingShaderGroupHandlesKHR-pData-parameter).
    unsafe {
        shader_group_handles(
            CommandId::get_ray_tracing_shader_group_handles_khr,
            device,
            pipeline,
            first,
            count,
            size,
            data,
        )
    }
}

pub(crate) unsafe extern "system" fn get_ray_tracing_capture_replay_shader_group_handles_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
) -> vk::Result {
    // SAFETY: `data` is valid (VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pData-parameter).
    unsafe {
        shader_group_handles(
            CommandId::get_ray_tracing_capture_replay_shader_group_handles_khr,
            device,
            pipeline,
            first,
            count,
            size,
            data,
        )
    }
}

pub(crate) fn get_ray_tracing_shader_group_stack_size_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    group: u32,
    shader: vk::ShaderGroupShaderKHR,
) -> vk::DeviceSize {
    let mut size = 0;
    guard(CommandId::get_ray_tracing_shader_group_stack_size_khr, || {
        size = with_pipeline(device, pipeline, |pipeline| pipeline.stack_size(group, shader))?;
        Ok(vk::Result::SUCCESS)
    });
    size
}

/// Stacks are as large as they have to be.
pub(crate) fn cmd_set_ray_tracing_pipeline_stack_size_khr(buffer: vk::CommandBuffer, _size: u32) {
    record(CommandId::cmd_set_ray_tracing_pipeline_stack_size_khr, buffer, |_| Ok(()));
}

/// A table; none at null.
///
/// # Safety
/// `region` is null or valid.
unsafe fn table(region: *const vk::StridedDeviceAddressRegionKHR) -> Table {
    // SAFETY: `region` is null or valid, by the contract of this function.
    match unsafe { region.as_ref() } {
        Some(region) => Table { address: region.device_address, stride: region.stride, size: region.size },
        None => Table::default(),
    }
}

/// The tables of a trace.
///
/// # Safety
/// Each is null or valid.
unsafe fn tables(
    raygen: *const vk::StridedDeviceAddressRegionKHR,
    miss: *const vk::StridedDeviceAddressRegionKHR,
    hit: *const vk::StridedDeviceAddressRegionKHR,
    callable: *const vk::StridedDeviceAddressRegionKHR,
) -> ShaderBindingTables {
    // SAFETY: the caller's contract.
    let [raygen, miss, hit, callable] = unsafe { [table(raygen), table(miss), table(hit), table(callable)] };
    ShaderBindingTables { raygen, miss, hit, callable }
}

fn launch(command: CommandId, buffer: vk::CommandBuffer, launch: TraceRaysCommand) {
    record(command, buffer, |buffer| buffer.push(DispatchCommand::TraceRays(Box::new(launch))));
}

pub(crate) unsafe extern "system" fn cmd_trace_rays_khr(
    buffer: vk::CommandBuffer,
    raygen: *const vk::StridedDeviceAddressRegionKHR,
    miss: *const vk::StridedDeviceAddressRegionKHR,
    hit: *const vk::StridedDeviceAddressRegionKHR,
    callable: *const vk::StridedDeviceAddressRegionKHR,
    width: u32,
    height: u32,
    depth: u32,
) {
    // SAFETY: each is valid (VUID-vkCmdTraceRaysKHR-pRaygenShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysKHR-pMissShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysKHR-pHitShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysKHR-pCallableShaderBindingTable-parameter).
    let tables = unsafe { tables(raygen, miss, hit, callable) };
    launch(CommandId::cmd_trace_rays_khr, buffer, TraceRaysCommand::Direct(tables, [width, height, depth]));
}

pub(crate) unsafe extern "system" fn cmd_trace_rays_indirect_khr(
    buffer: vk::CommandBuffer,
    raygen: *const vk::StridedDeviceAddressRegionKHR,
    miss: *const vk::StridedDeviceAddressRegionKHR,
    hit: *const vk::StridedDeviceAddressRegionKHR,
    callable: *const vk::StridedDeviceAddressRegionKHR,
    address: vk::DeviceAddress,
) {
    // SAFETY: each is valid (VUID-vkCmdTraceRaysIndirectKHR-pRaygenShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysIndirectKHR-pMissShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysIndirectKHR-pHitShaderBindingTable-parameter,
    // VUID-vkCmdTraceRaysIndirectKHR-pCallableShaderBindingTable-parameter).
    let tables = unsafe { tables(raygen, miss, hit, callable) };
    launch(CommandId::cmd_trace_rays_indirect_khr, buffer, TraceRaysCommand::Indirect(tables, address));
}

pub(crate) fn cmd_trace_rays_indirect2_khr(buffer: vk::CommandBuffer, address: vk::DeviceAddress) {
    launch(CommandId::cmd_trace_rays_indirect2_khr, buffer, TraceRaysCommand::Indirect2(address));
}
