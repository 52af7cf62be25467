//! `VK_NV_ray_tracing`: its structures, pipelines and launches, in terms of those of the KHR extensions.
//!
//! Structures are bound to memory themselves, geometries and shader binding tables lie in buffers, and a
//! launch says no sizes: a table reaches to its buffer's end.

use crate::call::recording::record;
use crate::call::{guard, guard_void, messages};
use crate::entry::acceleration_structure::{property, triangles_format, write_properties};
use crate::entry::binary::Binaries;
use crate::entry::memory::tell_status;
use crate::entry::pipeline::{PipelineCreateInfo, create_pipelines, shader_options, shader_stages};
use crate::entry::raytrace::{group_shaders, with_pipeline};
use crate::entry::tools;
use crate::handle;
use crate::pointers::{Allocator, In, Memory, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::{
    self, AccelerationStructure, Build, BuildInput, BuildRange, Geometry, GeometryFlags, Instances,
    NvAccelerationStructure, Triangles,
};
use pyro_driver::buffer::Buffer;
use pyro_driver::cache::PipelineCache;
use pyro_driver::command::{
    DispatchCommand, ShaderBindingTables, StructureCommand, TraceRaysCommand, TransferCommand,
};
use pyro_driver::device::Device;
use pyro_driver::memory::DeviceMemory;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::raytrace::{GroupInfo, RayPipeline, RayPipelineInfo, Stack};
use pyro_driver::{Error, Result, strict};
use pyro_engine::raytrace::Table;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

fn find(structure: vk::AccelerationStructureNV) -> Result<Arc<AccelerationStructure>> {
    Ok(Arc::clone(&handle::get::<NvAccelerationStructure>(structure.as_raw())?.0))
}

/// The address of a place in a buffer; zero for no buffer.
fn address(buffer: vk::Buffer, offset: u64) -> Result<u64> {
    if buffer.is_null() {
        return Ok(0);
    }
    Ok(handle::get::<Buffer>(buffer.as_raw())?.address()?.wrapping_add(offset))
}

type Info<'call> = In<'call, vk::AccelerationStructureInfoNV>;

/// Where a geometry's data lie; zeros where only its size is asked for.
type Locate = fn(vk::Buffer, u64) -> Result<u64>;

fn triangles(data: &vk::GeometryTrianglesNV, locate: Locate) -> Result<(Triangles, BuildRange)> {
    let (format, index_bytes) = triangles_format(data.vertex_format, data.index_type)?;
    let triangles = Triangles {
        format,
        vertices: locate(data.vertex_data, data.vertex_offset)?,
        end_vertices: 0,
        stride: data.vertex_stride,
        max_vertex: data.vertex_count.saturating_sub(1),
        index_bytes,
        indices: locate(data.index_data, data.index_offset)?,
        transform: locate(data.transform_data, data.transform_offset)?,
        opacity_map: None,
    };
    let corners = if index_bytes == 0 { data.vertex_count } else { data.index_count };
    Ok((triangles, BuildRange { primitive_count: corners / 3, ..BuildRange::default() }))
}

fn geometries(info: Info<'_>, locate: Locate) -> Result<Vec<(Geometry, BuildRange)>> {
    let geometry = |geometry: In<'_, vk::GeometryNV>| {
        let flags = GeometryFlags { opaque: geometry.flags.contains(vk::GeometryFlagsKHR::OPAQUE) };
        match geometry.geometry_type {
            vk::GeometryTypeKHR::TRIANGLES => {
                let (data, range) = triangles(&geometry.geometry.triangles, locate)?;
                Ok((Geometry::Triangles(data, flags), range))
            }
            vk::GeometryTypeKHR::AABBS => {
                let data = &geometry.geometry.aabbs;
                let first = locate(data.aabb_data, data.offset)?;
                let range = BuildRange { primitive_count: data.num_aab_bs, ..BuildRange::default() };
                Ok((Geometry::Boxes(first, data.stride.into(), flags), range))
            }
            _ => Err(Error::misuse(
                "a geometry is neither triangles nor boxes (VUID-VkGeometryNV-geometryType-03503)",
            )),
        }
    };
    info.geometries().into_iter().map(geometry).collect()
}

/// What a structure is built from, but for the instances' place, and its ranges.
fn build_input(info: Info<'_>, instances: u64, locate: Locate) -> Result<(BuildInput, Vec<BuildRange>)> {
    if info.type_ == vk::AccelerationStructureTypeKHR::TOP_LEVEL {
        let range = BuildRange { primitive_count: info.instance_count, ..BuildRange::default() };
        return Ok((BuildInput::Top(Instances { data: instances, ..Instances::default() }), vec![range]));
    }
    let (geometries, ranges) = geometries(info, locate)?.into_iter().unzip();
    Ok((BuildInput::Bottom(geometries), ranges))
}

pub(crate) fn create_acceleration_structure_nv(
    device: vk::Device,
    info: In<'_, vk::AccelerationStructureCreateInfoNV>,
    allocator: Allocator,
    mut out: Out<'_, vk::AccelerationStructureNV>,
) -> vk::Result {
    guard(CommandId::create_acceleration_structure_nv, || {
        crate::entry::device::check(device)?;
        let (input, ranges) = build_input(info.info(), 0, |_, _| Ok(0))?;
        let counts: Vec<u32> = ranges.iter().map(|range| range.primitive_count).collect();
        let size = match info.compacted_size {
            0 => acceleration_structure::build_size(&input, &counts),
            size => size,
        };
        let structure = AccelerationStructure::without_buffer(size, info.info.type_);
        let made = handle::create(NvAccelerationStructure(Arc::new(structure)), allocator)?;
        out.write(vk::AccelerationStructureNV::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(
    destroy_acceleration_structure_nv(AccelerationStructureNV),
    NvAccelerationStructure
);

pub(crate) fn get_acceleration_structure_memory_requirements_nv(
    device: vk::Device,
    info: In<'_, vk::AccelerationStructureMemoryRequirementsInfoNV>,
    mut out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_acceleration_structure_memory_requirements_nv, || {
        crate::entry::device::check(device)?;
        let own = find(info.acceleration_structure)?.requirements();
        out.get_mut().memory_requirements = match info.type_ {
            vk::AccelerationStructureMemoryRequirementsTypeNV::OBJECT => own,
            // Builds have scratch memory of their own.
            _ => vk::MemoryRequirements { size: acceleration_structure::SCRATCH_BYTES, ..own },
        };
        Ok(())
    });
}

pub(crate) fn bind_acceleration_structure_memory_nv(
    device: vk::Device,
    infos: Slice<'_, vk::BindAccelerationStructureMemoryInfoNV>,
) -> vk::Result {
    let mut worst = vk::Result::SUCCESS;
    for info in infos {
        let code = guard(CommandId::bind_acceleration_structure_memory_nv, || {
            crate::entry::device::check(device)?;
            let memory = handle::get::<DeviceMemory>(info.memory.as_raw())?;
            find(info.acceleration_structure)?.bind(memory, info.memory_offset)?;
            Ok(vk::Result::SUCCESS)
        });
        tell_status(info.chain(), code);
        worst = worst.min(code);
    }
    worst
}

/// What instances name a structure by: its device address.
pub(crate) fn get_acceleration_structure_handle_nv(
    device: vk::Device,
    structure: vk::AccelerationStructureNV,
    out: Memory<'_>,
) -> vk::Result {
    guard(CommandId::get_acceleration_structure_handle_nv, || {
        crate::entry::device::check(device)?;
        let address = find(structure)?.address()?;
        if !out.write(0, &address.to_ne_bytes()) {
            return Err(Error::misuse(
                "dataSize is too small for the handle \
                 (VUID-vkGetAccelerationStructureHandleNV-dataSize-02240)",
            ));
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// Updates are builds, and these need no scratch memory of the application's.
pub(crate) fn cmd_build_acceleration_structure_nv(
    buffer: vk::CommandBuffer,
    info: Info<'_>,
    instances: vk::Buffer,
    instances_offset: vk::DeviceSize,
    _update: vk::Bool32,
    target: vk::AccelerationStructureNV,
    _source: vk::AccelerationStructureNV,
    _scratch: vk::Buffer,
    _scratch_offset: vk::DeviceSize,
) {
    record(CommandId::cmd_build_acceleration_structure_nv, buffer, |buffer| {
        let target = find(target)?;
        if !target.takes(info.type_) {
            return Err(Error::misuse(
                "the acceleration structure's type does not fit \
                 (VUID-vkCmdBuildAccelerationStructureNV-dst-02488)",
            ));
        }
        let (input, ranges) = build_input(info, address(instances, instances_offset)?, address)?;
        let builds = vec![(Build { target, input, scratch: 0 }, ranges)];
        buffer.push(TransferCommand::Structures(Box::new(StructureCommand::Build(builds))))
    });
}

pub(crate) fn cmd_copy_acceleration_structure_nv(
    buffer: vk::CommandBuffer,
    target: vk::AccelerationStructureNV,
    source: vk::AccelerationStructureNV,
    _mode: vk::CopyAccelerationStructureModeKHR,
) {
    record(CommandId::cmd_copy_acceleration_structure_nv, buffer, |buffer| {
        let command = StructureCommand::Copy(find(source)?, find(target)?);
        buffer.push(TransferCommand::Structures(Box::new(command)))
    });
}

pub(crate) fn cmd_write_acceleration_structures_properties_nv(
    buffer: vk::CommandBuffer,
    structures: Slice<'_, vk::AccelerationStructureNV>,
    ty: vk::QueryType,
    pool: vk::QueryPool,
    first: u32,
) {
    let command = CommandId::cmd_write_acceleration_structures_properties_nv;
    let structures = structures.iter().map(|&structure| find(structure));
    let mismatch = "the query pool's type does not fit the property \
                    (VUID-vkCmdWriteAccelerationStructuresPropertiesNV-queryPool-03755)";
    write_properties((command, buffer), structures, property(ty), (pool, first), mismatch);
}

fn group(info: In<'_, vk::RayTracingShaderGroupCreateInfoNV>) -> GroupInfo {
    let shaders =
        [info.general_shader, info.closest_hit_shader, info.any_hit_shader, info.intersection_shader];
    GroupInfo { kind: info.type_, shaders: group_shaders(info.type_, shaders), handle: None }
}

impl PipelineCreateInfo for vk::RayTracingPipelineCreateInfoNV {
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        crate::entry::pipeline::create_flags(info.chain(), info.flags)
    }

    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        let flags = Self::flags(info);
        let stages = shader_stages(
            device,
            info.stages().into_iter(),
            &shader_options(flags),
            &Binaries::of(info.chain())?,
        )?;
        let made_from = RayPipelineInfo {
            flags: crate::entry::pipeline::old_flags(flags),
            stages,
            groups: info.groups().into_iter().map(group).collect(),
            libraries: Vec::new(),
            layout: Some(handle::get(info.layout.as_raw())?),
            recursion_depth: info.max_recursion_depth,
            stack: Stack::Unlimited,
        };
        strict::check_rays(&made_from, strict::Api::RayTracingNv, &messages::finding);
        let (pipeline, feedback) =
            device.make::<RayPipeline>(made_from, |info| RayPipeline::new(info, cache))?;
        tools::feed_back(info.chain(), feedback);
        Ok(Pipeline::new(PipelineKind::RayTracing(pipeline), None))
    }
}

pub(crate) fn create_ray_tracing_pipelines_nv(
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::RayTracingPipelineCreateInfoNV>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    create_pipelines(CommandId::create_ray_tracing_pipelines_nv, device, cache, infos, allocator, out)
}

/// Shaders are compiled when their pipeline is created, deferred or not.
pub(crate) fn compile_deferred_nv(device: vk::Device, pipeline: vk::Pipeline, shader: u32) -> vk::Result {
    guard(CommandId::compile_deferred_nv, || {
        with_pipeline(device, pipeline, |pipeline| {
            match (shader as usize) < pipeline.program().kernels().len() {
                true => Ok(vk::Result::SUCCESS),
                false => Err(Error::misuse(format!(
                    "the pipeline has no shader {shader} (VUID-vkCompileDeferredNV-shader-04622)"
                ))),
            }
        })
    })
}

/// A table of records in a buffer, up to the buffer's end; an empty one without a buffer.
fn table(buffer: vk::Buffer, offset: u64, stride: u64) -> Result<Table> {
    if buffer.is_null() {
        return Ok(Table::default());
    }
    let buffer = handle::get::<Buffer>(buffer.as_raw())?;
    let size = buffer
        .size()
        .checked_sub(offset)
        .ok_or_else(|| Error::misuse("a shader binding table begins behind its buffer's end"))?;
    Ok(Table { address: buffer.address()? + offset, stride, size })
}

pub(crate) fn cmd_trace_rays_nv(
    commands: vk::CommandBuffer,
    raygen: vk::Buffer,
    raygen_offset: vk::DeviceSize,
    miss: vk::Buffer,
    miss_offset: vk::DeviceSize,
    miss_stride: vk::DeviceSize,
    hit: vk::Buffer,
    hit_offset: vk::DeviceSize,
    hit_stride: vk::DeviceSize,
    callable: vk::Buffer,
    callable_offset: vk::DeviceSize,
    callable_stride: vk::DeviceSize,
    width: u32,
    height: u32,
    depth: u32,
) {
    record(CommandId::cmd_trace_rays_nv, commands, |commands| {
        let tables = ShaderBindingTables {
            raygen: table(raygen, raygen_offset, 0)?,
            miss: table(miss, miss_offset, miss_stride)?,
            hit: table(hit, hit_offset, hit_stride)?,
            callable: table(callable, callable_offset, callable_stride)?,
        };
        let launch = TraceRaysCommand::Direct(tables, [width, height, depth]);
        commands.push(DispatchCommand::TraceRays(Box::new(launch)))
    });
}
