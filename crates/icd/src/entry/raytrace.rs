//! Ray tracing pipelines: `VK_KHR_ray_tracing_pipeline`.

use crate::call::recording::record;
use crate::call::{find, guard, slice};
use crate::entry::acceleration_structure::deferred_result;
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::device::device_object;
use crate::entry::pipeline::{create_each, create_flags, old_flags, shader_options, shader_stage};
use crate::entry::tools;
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::command::{Command, Launch, Tables};
use pyro_driver::device::Device;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::raytrace::{GroupInfo, RayPipeline, RayPipelineInfo};
use pyro_driver::{Error, Result};
use pyro_engine::raytrace::{HANDLE_BYTES, Handle, RayGroup, Table};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle as _};

/// A group, with the handle that it is to have again if its pipeline's flags say that there is one.
unsafe fn group(info: &vk::RayTracingShaderGroupCreateInfoKHR, replays: bool) -> GroupInfo {
    let shader = |number: u32| (number != vk::SHADER_UNUSED_KHR).then_some(number);
    let is_general = info.type_ == vk::RayTracingShaderGroupTypeKHR::GENERAL;
    let has_boxes = info.type_ == vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP;
    // What a group of this kind does not have means nothing.
    let of = |has: bool, number: u32| if has { shader(number) } else { None };
    let handle = info.shader_group_capture_replay_handle.cast::<Handle>();
    GroupInfo {
        kind: info.type_,
        shaders: RayGroup {
            general: of(is_general, info.general_shader),
            closest_hit: of(!is_general, info.closest_hit_shader),
            any_hit: of(!is_general, info.any_hit_shader),
            intersection: of(has_boxes, info.intersection_shader),
        },
        handle: (replays && !handle.is_null()).then(|| unsafe { handle.read_unaligned() }),
    }
}

unsafe fn ray_pipeline(
    device: &Device,
    info: &vk::RayTracingPipelineCreateInfoKHR,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    unsafe {
        let flags = create_flags(info.next, info.flags);
        let binaries = Binaries::of(info.next)?;
        let stages = slice(info.stages, info.stage_count).iter();
        let stages = stages.map(|stage| shader_stage(device, stage, shader_options(flags), &binaries));
        let replays =
            flags.contains(vk::PipelineCreateFlags2::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR);
        let groups = slice(info.groups, info.group_count).iter().map(|info| group(info, replays));
        let libraries = info.library_info.as_ref();
        let libraries = libraries.map_or(&[][..], |info| slice(info.libraries, info.library_count));
        let libraries = libraries.iter().map(|library| {
            let pipeline = handle::get::<Pipeline>(library.as_raw())?;
            match &pipeline.kind {
                PipelineKind::RayTracing(library) if library.is_library() => Ok(Arc::clone(library)),
                _ => Err(Error::misuse(
                    "what is linked is no library (VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381)",
                )),
            }
        });
        let made_from = RayPipelineInfo {
            flags: old_flags(flags),
            stages: stages.collect::<Result<_>>()?,
            groups: groups.collect(),
            libraries: libraries.collect::<Result<_>>()?,
            layout: handle::get(info.layout.as_raw())?,
            recursion_depth: info.max_pipeline_ray_recursion_depth,
        };
        let captured = captures_data(info.next).then(|| Captured::new(&made_from.stages));
        let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
        let (pipeline, mut feedback) = RayPipeline::new(made_from, cache)?;
        // Binaries are no cache.
        feedback.cache_hit &= binaries.artifacts().is_none();
        let s_type = vk::StructureType::PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
        if let Some(wanted) = find::<vk::PipelineCreationFeedbackCreateInfo>(info.next, s_type) {
            tools::feed_back(wanted, feedback);
        }
        Ok(Pipeline::new(PipelineKind::RayTracing(Arc::new(pipeline)), captured))
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
    let compile = |info: &vk::RayTracingPipelineCreateInfoKHR| unsafe {
        let device = device_object(device)?;
        let cache = handle::get_nullable::<PipelineCache>(cache.as_raw())?;
        ray_pipeline(&device.device, info, cache.as_deref())
    };
    let give =
        |pipeline| Ok(vk::Pipeline::from_raw(unsafe { handle::new::<Pipeline>(pipeline, allocator) }?));
    let flags = |info: &vk::RayTracingPipelineCreateInfoKHR| unsafe { create_flags(info.next, info.flags) };
    let made = unsafe {
        create_each(
            CommandId::create_ray_tracing_pipelines_khr,
            device,
            slice(infos, count),
            flags,
            compile,
            give,
            out,
        )
    };
    if made != vk::Result::SUCCESS {
        return made;
    }
    guard(CommandId::create_ray_tracing_pipelines_khr, || {
        crate::entry::device::check(device)?;
        deferred_result(operation)
    })
}

/// Does something with a pipeline.
unsafe fn with_pipeline<T>(
    device: vk::Device,
    pipeline: vk::Pipeline,
    look: impl FnOnce(&RayPipeline) -> Result<T>,
) -> Result<T> {
    crate::entry::device::check(device)?;
    let pipeline = handle::get::<Pipeline>(pipeline.as_raw())?;
    match &pipeline.kind {
        PipelineKind::RayTracing(pipeline) => look(pipeline),
        _ => Err(Error::misuse(
            "the pipeline is none of ray tracing (VUID-vkGetRayTracingShaderGroupHandlesKHR-pipeline-04619)",
        )),
    }
}

/// Handles serve as those that are captured, too.
unsafe fn shader_group_handles(
    command: CommandId,
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
) -> vk::Result {
    guard(command, || unsafe {
        with_pipeline(device, pipeline, |pipeline| {
            let handles = pipeline.handles(first, count)?;
            if size < count as usize * HANDLE_BYTES {
                return Err(Error::misuse(
                    "too little room for the handles (VUID-vkGetRayTracingShaderGroupHandlesKHR-dataSize-02420)",
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

pub(crate) unsafe extern "system" fn get_ray_tracing_shader_group_stack_size_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    group: u32,
    shader: vk::ShaderGroupShaderKHR,
) -> vk::DeviceSize {
    let mut size = 0;
    guard(CommandId::get_ray_tracing_shader_group_stack_size_khr, || unsafe {
        size = with_pipeline(device, pipeline, |pipeline| pipeline.stack_size(group, shader))?;
        Ok(vk::Result::SUCCESS)
    });
    size
}

/// Stacks are as large as they have to be.
pub(crate) unsafe extern "system" fn cmd_set_ray_tracing_pipeline_stack_size_khr(
    buffer: vk::CommandBuffer,
    _size: u32,
) {
    record(CommandId::cmd_set_ray_tracing_pipeline_stack_size_khr, buffer, |_| Ok(()));
}

/// A table; none at null.
unsafe fn table(region: *const vk::StridedDeviceAddressRegionKHR) -> Table {
    match unsafe { region.as_ref() } {
        Some(region) => Table { address: region.device_address, stride: region.stride, size: region.size },
        None => Table::default(),
    }
}

unsafe fn tables(
    raygen: *const vk::StridedDeviceAddressRegionKHR,
    miss: *const vk::StridedDeviceAddressRegionKHR,
    hit: *const vk::StridedDeviceAddressRegionKHR,
    callable: *const vk::StridedDeviceAddressRegionKHR,
) -> Tables {
    unsafe { Tables { raygen: table(raygen), miss: table(miss), hit: table(hit), callable: table(callable) } }
}

fn launch(command: CommandId, buffer: vk::CommandBuffer, launch: Launch) {
    record(command, buffer, |buffer| buffer.push(Command::TraceRays(Box::new(launch))));
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
    let tables = unsafe { tables(raygen, miss, hit, callable) };
    launch(CommandId::cmd_trace_rays_khr, buffer, Launch::Direct(tables, [width, height, depth]));
}

pub(crate) unsafe extern "system" fn cmd_trace_rays_indirect_khr(
    buffer: vk::CommandBuffer,
    raygen: *const vk::StridedDeviceAddressRegionKHR,
    miss: *const vk::StridedDeviceAddressRegionKHR,
    hit: *const vk::StridedDeviceAddressRegionKHR,
    callable: *const vk::StridedDeviceAddressRegionKHR,
    address: vk::DeviceAddress,
) {
    let tables = unsafe { tables(raygen, miss, hit, callable) };
    launch(CommandId::cmd_trace_rays_indirect_khr, buffer, Launch::Indirect(tables, address));
}

pub(crate) unsafe extern "system" fn cmd_trace_rays_indirect2_khr(
    buffer: vk::CommandBuffer,
    address: vk::DeviceAddress,
) {
    launch(CommandId::cmd_trace_rays_indirect2_khr, buffer, Launch::Indirect2(address));
}
