//! Scenes of triangles and boxes, and launches of ray tracing pipelines.
#![allow(unsafe_code)] // every Vulkan call is; each block relies on handles made here and kept until it goes

use super::draw::StageShader;
use super::{Buffer, Driver, Gpu, Job, Times, with_stages};
use anyhow::{Context, Result};
use std::slice;
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_2::*;
use vulkanalia::vk::{
    KhrAccelerationStructureExtensionDeviceCommands as _, KhrRayTracingPipelineExtensionDeviceCommands as _,
    ShaderStageFlags as Stages,
};

/// All stages of ray tracing pipelines.
pub(crate) const STAGES: Stages = Stages::from_bits_truncate(
    Stages::RAYGEN_KHR.bits()
        | Stages::ANY_HIT_KHR.bits()
        | Stages::CLOSEST_HIT_KHR.bits()
        | Stages::MISS_KHR.bits()
        | Stages::INTERSECTION_KHR.bits()
        | Stages::CALLABLE_KHR.bits(),
);
/// No shader of a group.
const UNUSED: u32 = vk::SHADER_UNUSED_KHR;
/// Addresses of scratch memory are multiples of this; no device asks for more.
const SCRATCH_ALIGNMENT: u64 = 256;

/// A structure and the buffer that it is in.
struct Structure {
    handle: vk::AccelerationStructureKHR,
    buffer: Buffer,
}

/// What rays hit: an instance of triangles, one of boxes, or both.
pub(crate) struct Scene {
    /// Those of the instances, and the one of all at the end.
    structures: Vec<Structure>,
}

impl Scene {
    /// What descriptors refer to.
    pub(crate) fn handle(&self) -> Option<vk::AccelerationStructureKHR> {
        self.structures.last().map(|structure| structure.handle)
    }
}

/// Triangles or boxes of a scene, and their hit group for rays of the first type.
#[derive(Clone, Copy)]
pub(crate) enum Primitives<'p> {
    /// Three corners each.
    Triangles(&'p [[f32; 3]], u32),
    /// The least and the greatest corner of each.
    Boxes(&'p [[f32; 3]], u32),
}

/// The shaders of a group by their numbers: general, closest hit, any hit, intersection.
type Group = [u32; 4];

/// The groups of a pipeline: ray generation, misses, hits, callables. Hit shaders are of one group until one
/// of the same stage follows.
fn groups(shaders: &[StageShader]) -> [Vec<Group>; 4] {
    let general = |stage: Stages| {
        let found = (0..).zip(shaders).filter(|(_, one)| one.stage == stage);
        found.map(|(at, _)| [at, UNUSED, UNUSED, UNUSED]).collect()
    };
    let mut hits: Vec<Group> = Vec::new();
    for (at, shader) in (0..).zip(shaders) {
        let place = match shader.stage {
            Stages::CLOSEST_HIT_KHR => 1,
            Stages::ANY_HIT_KHR => 2,
            Stages::INTERSECTION_KHR => 3,
            _ => continue,
        };
        match hits.last_mut() {
            Some(last) if last[place] == UNUSED => last[place] = at,
            _ => {
                hits.push([UNUSED; 4]);
                if let Some(last) = hits.last_mut() {
                    last[place] = at;
                }
            }
        }
    }
    [general(Stages::RAYGEN_KHR), general(Stages::MISS_KHR), hits, general(Stages::CALLABLE_KHR)]
}

/// The first hit groups of triangles and of boxes.
pub(crate) fn hit_groups(shaders: &[StageShader]) -> [Option<u32>; 2] {
    let [_, _, hits, _] = groups(shaders);
    let first = |has_intersection: bool| {
        (0..).zip(&hits).find(|(_, group)| (group[3] != UNUSED) == has_intersection).map(|(at, _)| at)
    };
    [first(false), first(true)]
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

fn create_info(group: &Group) -> vk::RayTracingShaderGroupCreateInfoKHR {
    let [general_shader, closest_hit_shader, any_hit_shader, intersection_shader] = *group;
    let type_ = match (general_shader, intersection_shader) {
        (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
        (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
        _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
    };
    vk::RayTracingShaderGroupCreateInfoKHR {
        type_,
        general_shader,
        closest_hit_shader,
        any_hit_shader,
        intersection_shader,
        ..Default::default()
    }
}

impl Gpu<'_> {
    /// A buffer that commands find by its address.
    fn addressed(&self, bytes: &[u8], usage: vk::BufferUsageFlags) -> Result<(Buffer, u64)> {
        let usage = usage | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let mut buffer = self.mapped_buffer(bytes.len().max(4), usage)?;
        buffer.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        // SAFETY: the device and the buffer are alive.
        let address = unsafe { self.device.get_buffer_device_address(&info) };
        Ok((buffer, address))
    }

    fn structure(
        &self,
        type_: vk::AccelerationStructureTypeKHR,
        geometry: vk::AccelerationStructureGeometryKHR,
        count: u32,
    ) -> Result<Structure> {
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(&geometries)
            .flags(vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE);
        info.type_ = type_;
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let kind = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: the structures outlive the calls, what they refer to is alive, and the build has ended when
        // its scratch memory is freed.
        unsafe {
            self.device.get_acceleration_structure_build_sizes_khr(kind, &info, &[count], &mut sizes);
            let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
                | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            let size = sizes.acceleration_structure_size;
            let buffer = self.mapped_buffer(size as usize, usage)?;
            let mut create =
                vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer.buffer).size(size);
            create.type_ = type_;
            let handle = self
                .device
                .create_acceleration_structure_khr(&create, None)
                .context("vkCreateAccelerationStructureKHR")?;
            let scratch = vec![0; (sizes.build_scratch_size + SCRATCH_ALIGNMENT) as usize];
            let (scratch, address) = self.addressed(&scratch, vk::BufferUsageFlags::STORAGE_BUFFER)?;
            info.dst_acceleration_structure = handle;
            info.scratch_data.device_address = address.next_multiple_of(SCRATCH_ALIGNMENT);
            let range =
                vk::AccelerationStructureBuildRangeInfoKHR { primitive_count: count, ..Default::default() };
            self.submit(|commands| {
                self.device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range][..]]);
            })?;
            self.destroy(scratch);
            Ok(Structure { handle, buffer })
        }
    }

    /// A structure of primitives.
    fn bottom(&self, primitives: Primitives<'_>, is_opaque: bool) -> Result<(Structure, u32)> {
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let bytes = |corners: &[[f32; 3]]| -> Vec<u8> {
            corners.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect()
        };
        let (geometry_type, geometry, count, group, data) = match primitives {
            Primitives::Triangles(corners, group) => {
                let (data, address) = self.addressed(&bytes(corners), usage)?;
                let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR {
                    vertex_format: vk::Format::R32G32B32_SFLOAT,
                    vertex_data: at(address),
                    vertex_stride: 12,
                    max_vertex: (corners.len() as u32).saturating_sub(1),
                    index_type: vk::IndexType::NONE_KHR,
                    ..Default::default()
                };
                let geometry = vk::AccelerationStructureGeometryDataKHR { triangles };
                (vk::GeometryTypeKHR::TRIANGLES, geometry, corners.len() / 3, group, data)
            }
            Primitives::Boxes(corners, group) => {
                let (data, address) = self.addressed(&bytes(corners), usage)?;
                let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR {
                    data: at(address),
                    stride: 24,
                    ..Default::default()
                };
                let geometry = vk::AccelerationStructureGeometryDataKHR { aabbs };
                (vk::GeometryTypeKHR::AABBS, geometry, corners.len() / 2, group, data)
            }
        };
        let flags = match is_opaque {
            true => vk::GeometryFlagsKHR::OPAQUE,
            false => vk::GeometryFlagsKHR::empty(),
        };
        let geometry =
            vk::AccelerationStructureGeometryKHR { geometry_type, geometry, flags, ..Default::default() };
        let made = self.structure(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, geometry, count as u32)?;
        self.destroy(data);
        Ok((made, group))
    }

    /// A scene with an instance of each of these; their numbers are the instances' custom indices.
    /// Without `is_opaque`, any-hit shaders are asked about triangles, and ray queries have to confirm them.
    pub(crate) fn scene(&self, parts: &[Primitives<'_>], is_opaque: bool) -> Result<Scene> {
        let (mut structures, mut instances) = (Vec::new(), Vec::<u8>::new());
        for (number, part) in (0..).zip(parts) {
            let (structure, group) = self.bottom(*part, is_opaque)?;
            let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder()
                .acceleration_structure(structure.handle);
            // SAFETY: the device and the structure are alive.
            let address = unsafe { self.device.get_acceleration_structure_device_address_khr(&info) };
            // As `VkAccelerationStructureInstanceKHR`: no transform, seen by every mask.
            let rows: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
            instances.extend(rows.iter().flat_map(|value| value.to_le_bytes()));
            instances.extend((number | 0xff00_0000_u32).to_le_bytes());
            instances.extend(group.to_le_bytes());
            instances.extend(address.to_le_bytes());
            structures.push(structure);
        }
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let (data, address) = self.addressed(&instances, usage)?;
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::INSTANCES,
            geometry: vk::AccelerationStructureGeometryDataKHR {
                instances: vk::AccelerationStructureGeometryInstancesDataKHR {
                    data: at(address),
                    ..Default::default()
                },
            },
            ..Default::default()
        };
        let kind = vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        structures.push(self.structure(kind, geometry, parts.len() as u32)?);
        self.destroy(data);
        Ok(Scene { structures })
    }

    /// Frees a scene.
    pub(crate) fn destroy_scene(&self, scene: Scene) {
        for Structure { handle, buffer } in scene.structures {
            // SAFETY: no job is running, and the structure is given up.
            unsafe { self.device.destroy_acceleration_structure_khr(handle, None) };
            self.destroy(buffer);
        }
    }

    fn ray_properties(&self) -> vk::PhysicalDeviceRayTracingPipelinePropertiesKHR {
        let mut found = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
        let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut found);
        let Driver { instance, physical_device, .. } = self.driver;
        // SAFETY: the chain lives through the call.
        unsafe { instance.get_physical_device_properties2(*physical_device, &mut properties) };
        found
    }

    fn ray_pipeline(
        &self,
        job: &Job<'_>,
        shaders: &[(Stages, vk::ShaderModule, &str)],
        groups: &[Group],
        layout: vk::PipelineLayout,
        depth: u32,
    ) -> Result<(vk::Pipeline, Duration)> {
        let groups: Vec<_> = groups.iter().map(create_info).collect();
        with_stages(job, shaders, |stages| {
            let info = vk::RayTracingPipelineCreateInfoKHR::builder()
                .stages(stages)
                .groups(&groups)
                .max_pipeline_ray_recursion_depth(depth)
                .layout(layout);
            let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
            let (start, infos) = (Instant::now(), slice::from_ref(&info));
            // SAFETY: the structures outlive the call, and the handles are alive.
            let made = unsafe { self.device.create_ray_tracing_pipelines_khr(operation, cache, infos, None) };
            Ok((made.context("vkCreateRayTracingPipelinesKHR")?.0[0], start.elapsed()))
        })
    }

    /// Launches rays with these shaders, of which the first ray generation shader begins.
    pub(crate) fn trace(&self, job: &Job<'_>, shaders: &[StageShader], size: [u32; 3]) -> Result<Times> {
        let properties = self.ray_properties();
        let resources = self.resources(job, STAGES)?;
        let mut modules = Vec::new();
        for one in shaders {
            modules.push((one.stage, self.module(&one.words)?, &one.entry_point[..]));
        }
        let groups = groups(shaders);
        let all = groups.concat();
        let depth = properties.max_ray_recursion_depth;
        let (pipeline, compile) = self.ray_pipeline(job, &modules, &all, resources.layout, depth)?;
        let handle_size = properties.shader_group_handle_size as usize;
        let mut handles = vec![0; handle_size * all.len()];
        let count = all.len() as u32;
        // SAFETY: the pipeline is alive.
        unsafe { self.device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, count, &mut handles) }
            .context("vkGetRayTracingShaderGroupHandlesKHR")?;
        // One table behind the other, each at a multiple of the alignment.
        let alignment = properties.shader_group_base_alignment as usize;
        let stride = handle_size.next_multiple_of(properties.shader_group_handle_alignment as usize);
        let mut table = Vec::new();
        let mut places = Vec::new();
        let mut rest = handles.chunks_exact(handle_size);
        for of in &groups {
            table.resize(table.len().next_multiple_of(alignment), 0);
            places.push((table.len() as u64, (stride * of.len()) as u64));
            for handle in rest.by_ref().take(of.len()) {
                table.extend(handle);
                table.resize(table.len() + stride - handle_size, 0);
            }
        }
        table.resize(table.len() + alignment, 0);
        let usage = vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR;
        // The table begins where the alignment allows it, which may be behind the buffer's begin.
        let (mut buffer, address) = self.addressed(&vec![0; table.len() + alignment], usage)?;
        let first = address.next_multiple_of(alignment as u64);
        let skipped = (first - address) as usize;
        buffer.bytes_mut()[skipped..skipped + table.len()].copy_from_slice(&table);
        let regions: Vec<_> = places
            .iter()
            .map(|&(offset, size)| vk::StridedDeviceAddressRegionKHR {
                device_address: if size == 0 { 0 } else { first + offset },
                stride: stride as u64,
                size,
            })
            .collect();
        let ran = self.submit(|commands| {
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            let [x, y, z] = size;
            // SAFETY: the command buffer is recording, and all handles are alive until it has run.
            unsafe {
                self.device.cmd_bind_pipeline(commands, point, pipeline);
                self.bind(commands, point, STAGES, job, &resources);
                let (raygen, miss, hit, callable) = (&regions[0], &regions[1], &regions[2], &regions[3]);
                self.device.cmd_trace_rays_khr(commands, raygen, miss, hit, callable, x, y, z);
            }
        });
        // SAFETY: the submission has ended.
        unsafe {
            self.device.destroy_pipeline(pipeline, None);
            modules.into_iter().for_each(|(_, module, _)| self.device.destroy_shader_module(module, None));
        }
        self.destroy_resources(resources);
        self.destroy(buffer);
        Ok(Times { compile, run: ran? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_shaders_are_grouped_until_a_stage_comes_again() {
        let of = |stages: &[Stages]| -> Vec<StageShader> {
            let one = |&stage| StageShader { stage, words: Vec::new(), entry_point: String::new() };
            stages.iter().map(one).collect()
        };
        let all = of(&[
            Stages::RAYGEN_KHR,
            Stages::CLOSEST_HIT_KHR,
            Stages::MISS_KHR,
            Stages::ANY_HIT_KHR,
            Stages::CLOSEST_HIT_KHR,
            Stages::INTERSECTION_KHR,
            Stages::MISS_KHR,
        ]);
        let [raygen, misses, hits, callables] = groups(&all);
        assert_eq!((raygen.len(), misses.len(), callables.len()), (1, 2, 0));
        assert_eq!(hits, [[UNUSED, 1, 3, UNUSED], [UNUSED, 4, UNUSED, 5]]);
        assert_eq!(hit_groups(&all), [Some(0), Some(1)]);
        assert_eq!(hit_groups(&all[..1]), [None, None]);
    }
}
