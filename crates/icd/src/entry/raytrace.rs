//! Ray tracing pipelines: `VK_KHR_ray_tracing_pipeline`.

use crate::call::recording::record;
use crate::call::{guard, messages};
use crate::entry::acceleration_structure::deferred_result;
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::pipeline::{
    PipelineCreateInfo, create_flags, create_pipelines, old_flags, shader_options, shader_stages,
};
use crate::entry::tools;
use crate::handle;
use crate::pointers::{Allocator, In, Memory, Outputs, Slice};
use crate::registry::CommandId;
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::command::{BindCommand, DispatchCommand, ShaderBindingTables, TraceRaysCommand};
use pyro_driver::device::Device;
use pyro_driver::image::ImageView;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::raytrace::{GroupInfo, GroupShaders, RayPipeline, RayPipelineInfo, Stack};
use pyro_driver::{Error, Result, strict};
use pyro_engine::raytrace::{Handle, Table};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle as _};

/// The shaders of a group: general, closest hit, any hit, intersection. What a group of its kind does not
/// have means nothing.
pub(crate) fn group_shaders(kind: vk::RayTracingShaderGroupTypeKHR, shaders: [u32; 4]) -> GroupShaders {
    let is_general = kind == vk::RayTracingShaderGroupTypeKHR::GENERAL;
    let has_boxes = kind == vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP;
    let of = |has: bool, number: u32| (has && number != vk::SHADER_UNUSED_KHR).then_some(number);
    let [general, closest_hit, any_hit, intersection] = shaders;
    GroupShaders {
        general: of(is_general, general),
        closest_hit: of(!is_general, closest_hit),
        any_hit: of(!is_general, any_hit),
        intersection: of(has_boxes, intersection),
    }
}

/// A group, with the handle that it is to have again if its pipeline's flags say that there is one.
fn group(info: In<'_, vk::RayTracingShaderGroupCreateInfoKHR>, replays: bool) -> GroupInfo {
    let shaders =
        [info.general_shader, info.closest_hit_shader, info.any_hit_shader, info.intersection_shader];
    let handle = info.shader_group_capture_replay_handle.cast::<Handle>();
    GroupInfo {
        kind: info.type_,
        shaders: group_shaders(info.type_, shaders),
        // SAFETY: a handle to replay has `shaderGroupHandleCaptureReplaySize` bytes
        // (VkRayTracingShaderGroupCreateInfoKHR).
        handle: (replays && !handle.is_null()).then(|| unsafe { handle.read_unaligned() }),
    }
}

/// What a ray tracing pipeline is made from.
pub(crate) fn ray_info(
    device: &Device,
    info: In<'_, vk::RayTracingPipelineCreateInfoKHR>,
    binaries: &Binaries,
) -> Result<RayPipelineInfo> {
    let flags = create_flags(info.chain(), info.flags);
    let libraries = info.library_info().map_or(Slice::empty(), |info| info.libraries());
    let options = shader_options(flags);
    let stages = shader_stages(device, info.stages().into_iter(), &options, binaries)?;
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
    let dynamic = info.dynamic_state().map_or(Slice::empty(), |dynamic| dynamic.dynamic_states());
    let stack_size = vk::DynamicState::RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
    let has_dynamic_stack = dynamic.contains(&stack_size);
    Ok(RayPipelineInfo {
        flags: old_flags(flags),
        stages,
        groups: info.groups().into_iter().map(|info| group(info, replays)).collect(),
        libraries: libraries.collect::<Result<_>>()?,
        layout: match options.heap {
            Some(_) => None,
            None => Some(handle::get(info.layout.as_raw())?),
        },
        recursion_depth: info.max_pipeline_ray_recursion_depth,
        stack: if has_dynamic_stack { Stack::Dynamic } else { Stack::Default },
    })
}

fn ray_pipeline(
    device: &Device,
    info: In<'_, vk::RayTracingPipelineCreateInfoKHR>,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    let binaries = Binaries::of(info.chain())?;
    let made_from = ray_info(device, info, &binaries)?;
    strict::check_rays(&made_from, strict::Api::Khr, &messages::finding);
    let captured = captures_data(info.chain()).then(|| Captured::new(&made_from.stages));
    let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
    let (pipeline, mut feedback) =
        device.make::<RayPipeline>(made_from, |info| RayPipeline::new(info, cache))?;
    // Binaries are no cache.
    feedback.cache_hit &= binaries.artifacts().is_none();
    tools::feed_back(info.chain(), feedback);
    Ok(Pipeline::new(PipelineKind::RayTracing(pipeline), captured))
}

impl PipelineCreateInfo for vk::RayTracingPipelineCreateInfoKHR {
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        create_flags(info.chain(), info.flags)
    }

    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        ray_pipeline(device, info, cache)
    }

    fn identifier(info: In<'_, Self>, device: &Device) -> Result<Option<[u8; 16]>> {
        Ok(Some(ray_info(device, info, &Binaries::of(info.chain())?)?.key()))
    }
}

pub(crate) fn create_ray_tracing_pipelines_khr(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::RayTracingPipelineCreateInfoKHR>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let command = CommandId::create_ray_tracing_pipelines_khr;
    let made = create_pipelines(command, device, cache, infos, allocator, out);
    if made != vk::Result::SUCCESS {
        return made;
    }
    guard(CommandId::create_ray_tracing_pipelines_khr, || {
        crate::entry::device::check(device)?;
        deferred_result(operation)
    })
}

/// Calls `read` with the ray tracing pipeline of a handle.
pub(crate) fn with_pipeline<T>(
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
fn shader_group_handles(
    command: CommandId,
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    out: Memory<'_>,
) -> vk::Result {
    guard(command, || {
        with_pipeline(device, pipeline, |pipeline| {
            let handles: Vec<u8> = pipeline.handles(first, count)?.flatten().collect();
            if !out.write(0, &handles) {
                return Err(Error::misuse(
                    "dataSize is too small for the shader group handles (VUID-vkGetRayTracingShaderGroupHandlesKHR-dataSize-02420)",
                ));
            }
            Ok(vk::Result::SUCCESS)
        })
    })
}

pub(crate) fn get_ray_tracing_shader_group_handles_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    out: Memory<'_>,
) -> vk::Result {
    let command = CommandId::get_ray_tracing_shader_group_handles_khr;
    shader_group_handles(command, device, pipeline, first, count, out)
}

pub(crate) fn get_ray_tracing_capture_replay_shader_group_handles_khr(
    device: vk::Device,
    pipeline: vk::Pipeline,
    first: u32,
    count: u32,
    out: Memory<'_>,
) -> vk::Result {
    let command = CommandId::get_ray_tracing_capture_replay_shader_group_handles_khr;
    shader_group_handles(command, device, pipeline, first, count, out)
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

/// Stacks are as large as they have to be; the sanitizer compares them with what is said here.
pub(crate) fn cmd_set_ray_tracing_pipeline_stack_size_khr(buffer: vk::CommandBuffer, size: u32) {
    let command = CommandId::cmd_set_ray_tracing_pipeline_stack_size_khr;
    record(command, buffer, |buffer| buffer.push(BindCommand::RayStack(size)));
}

type Region<'call> = Option<In<'call, vk::StridedDeviceAddressRegionKHR>>;

/// A table; an empty one at null.
fn table(region: Region<'_>) -> Table {
    region.map_or(Table::default(), |region| Table {
        address: region.device_address,
        stride: region.stride,
        size: region.size,
    })
}

/// The tables of a trace: of ray generation, miss, hit and callable shaders.
fn tables(regions: [Region<'_>; 4]) -> ShaderBindingTables {
    let [raygen, miss, hit, callable] = regions.map(table);
    ShaderBindingTables { raygen, miss, hit, callable }
}

fn launch(command: CommandId, buffer: vk::CommandBuffer, launch: TraceRaysCommand) {
    record(command, buffer, |buffer| buffer.push(DispatchCommand::TraceRays(Box::new(launch))));
}

pub(crate) fn cmd_bind_invocation_mask_huawei(
    buffer: vk::CommandBuffer,
    view: vk::ImageView,
    _layout: vk::ImageLayout,
) {
    record(CommandId::cmd_bind_invocation_mask_huawei, buffer, |buffer| {
        if view.is_null() {
            return buffer.push(BindCommand::InvocationMask(None));
        }
        let view = handle::get::<ImageView>(view.as_raw())?;
        let refuse = |what: &str, rule: u32| {
            let rule = format!("VUID-vkCmdBindInvocationMaskHUAWEI-imageView-{rule:05}");
            Err(Error::misuse(format!("an invocation mask {what} ({rule})")))
        };
        if view.info().ty != vk::ImageViewType::_2D {
            return refuse("that is no two-dimensional view", 4977);
        }
        if view.info().format != vk::Format::R8_UINT {
            return refuse("of another format than R8_UINT", 4978);
        }
        if !view.image().info().usage.contains(vk::ImageUsageFlags::INVOCATION_MASK_HUAWEI) {
            return refuse("whose image is not made for it", 4979);
        }
        buffer.push(BindCommand::InvocationMask(Some(view)))
    });
}

pub(crate) fn cmd_trace_rays_khr(
    buffer: vk::CommandBuffer,
    raygen: Region<'_>,
    miss: Region<'_>,
    hit: Region<'_>,
    callable: Region<'_>,
    width: u32,
    height: u32,
    depth: u32,
) {
    let tables = tables([raygen, miss, hit, callable]);
    launch(CommandId::cmd_trace_rays_khr, buffer, TraceRaysCommand::Direct(tables, [width, height, depth]));
}

pub(crate) fn cmd_trace_rays_indirect_khr(
    buffer: vk::CommandBuffer,
    raygen: Region<'_>,
    miss: Region<'_>,
    hit: Region<'_>,
    callable: Region<'_>,
    address: vk::DeviceAddress,
) {
    let tables = tables([raygen, miss, hit, callable]);
    launch(CommandId::cmd_trace_rays_indirect_khr, buffer, TraceRaysCommand::Indirect(tables, address));
}

pub(crate) fn cmd_trace_rays_indirect2_khr(buffer: vk::CommandBuffer, address: vk::DeviceAddress) {
    launch(CommandId::cmd_trace_rays_indirect2_khr, buffer, TraceRaysCommand::Indirect2(address));
}
