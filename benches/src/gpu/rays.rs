//! Acceleration structures and kernels that trace rays through them.

use super::{Buffer, Gpu, Result};
use crate::error::Failure;
use ash::vk;
use std::ffi::CStr;
use std::time::Instant;

/// The extensions that ray queries need with Vulkan 1.1.
pub(super) const EXTENSIONS: &[&CStr] = &[
    ash::khr::acceleration_structure::NAME,
    ash::khr::ray_query::NAME,
    ash::khr::deferred_host_operations::NAME,
    ash::khr::buffer_device_address::NAME,
    ash::ext::descriptor_indexing::NAME,
    ash::khr::spirv_1_4::NAME,
    ash::khr::shader_float_controls::NAME,
];

/// A mesh of triangles in a top-level structure of its own.
pub(crate) struct Scene {
    structure: vk::AccelerationStructureKHR,
    /// Seconds that the build of the mesh took.
    pub(crate) build_seconds: f64,
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

impl Gpu {
    /// Whether shaders may trace rays.
    pub(crate) fn rays(&self) -> bool {
        self.rays.is_some()
    }

    fn structures(&self) -> Result<&ash::khr::acceleration_structure::Device> {
        self.rays.as_ref().map(|rays| &rays.0).ok_or_else(|| Failure::Unsupported("ray queries".to_owned()))
    }

    fn address(&self, buffer: &Buffer) -> Result<u64> {
        let Some((_, addresses)) = &self.rays else {
            return Err(Failure::Unsupported("ray queries".to_owned()));
        };
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.handle);
        // SAFETY: the buffer is live, and was made for this.
        Ok(unsafe { addresses.get_buffer_device_address(&info) })
    }

    /// Builds a structure of so many primitives.
    fn build(
        &self,
        ty: vk::AccelerationStructureTypeKHR,
        geometry: vk::AccelerationStructureGeometryKHR<'_>,
        count: u32,
    ) -> Result<(vk::AccelerationStructureKHR, f64)> {
        let structures = self.structures()?;
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(ty)
            .flags(vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(&geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        // SAFETY: there is one geometry, and one count.
        unsafe {
            structures.get_acceleration_structure_build_sizes(
                vk::AccelerationStructureBuildTypeKHR::DEVICE,
                &info,
                &[count],
                &mut sizes,
            );
        }
        let words = |bytes: u64| (bytes as usize).div_ceil(4);
        let storage = self.buffer(words(sizes.acceleration_structure_size))?;
        let scratch = self.buffer(words(sizes.build_scratch_size) + 64)?;
        let create = vk::AccelerationStructureCreateInfoKHR::default()
            .buffer(storage.handle)
            .size(sizes.acceleration_structure_size)
            .ty(ty);
        // SAFETY: the buffer is large enough.
        let structure = unsafe { structures.create_acceleration_structure(&create, None) }?;
        info.dst_acceleration_structure = structure;
        info.scratch_data.device_address = self.address(&scratch)?.next_multiple_of(256);
        let buffer = self.begin()?;
        let ranges = [vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(count)];
        // SAFETY: recording; all objects and memory live as long as the process.
        unsafe { structures.cmd_build_acceleration_structures(buffer, &[info], &[&ranges]) };
        let commands = self.finish(buffer)?;
        let start = Instant::now();
        self.run(&commands)?;
        Ok((structure, start.elapsed().as_secs_f64()))
    }

    /// A scene of one mesh: positions of vertices, and indices, three for each triangle.
    pub(crate) fn scene(&self, vertices: &[f32], indices: &[u32]) -> Result<Scene> {
        let (positions, corners) = (self.buffer_of_floats(vertices)?, self.buffer_of(indices)?);
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
            .vertex_format(vk::Format::R32G32B32_SFLOAT)
            .vertex_data(at(self.address(&positions)?))
            .vertex_stride(12)
            .max_vertex((vertices.len() / 3) as u32 - 1)
            .index_type(vk::IndexType::UINT32)
            .index_data(at(self.address(&corners)?));
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
            .flags(vk::GeometryFlagsKHR::OPAQUE)
            .geometry(vk::AccelerationStructureGeometryDataKHR { triangles });
        let count = (indices.len() / 3) as u32;
        let (mesh, build_seconds) =
            self.build(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, geometry, count)?;
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(mesh);
        // SAFETY: the structure is live.
        let reference = unsafe { self.structures()?.get_acceleration_structure_device_address(&info) };
        let mut instance = [0; 16];
        for (at, value) in [(0, 1.0f32), (5, 1.0), (10, 1.0)] {
            instance[at] = value.to_bits();
        }
        instance[12] = 0xff << 24;
        (instance[14], instance[15]) = (reference as u32, (reference >> 32) as u32);
        let instance = self.buffer_of(&instance)?;
        let instances =
            vk::AccelerationStructureGeometryInstancesDataKHR::default().data(at(self.address(&instance)?));
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { instances });
        let (structure, _) = self.build(vk::AccelerationStructureTypeKHR::TOP_LEVEL, geometry, 1)?;
        Ok(Scene { structure, build_seconds })
    }

    /// A kernel with a buffer at binding 0 and a scene at binding 1, recorded over so many workgroups.
    pub(crate) fn record_rays(
        &self,
        spirv: &[u32],
        buffer: &Buffer,
        scene: &Scene,
        groups: [u32; 3],
        push: &[u32],
    ) -> Result<super::Commands> {
        let device = &self.device;
        let binding = |number: u32, ty| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let types = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::ACCELERATION_STRUCTURE_KHR];
        let bindings = [binding(0, types[0]), binding(1, types[1])];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: here and below, what the structures name lives until the calls return, and all objects are
        // this device's.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }?;
        let layouts = [set_layout];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(super::PUSH_SIZE)];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: as above.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }?;
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: as above.
        let module = unsafe { device.create_shader_module(&info, None) }?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        // SAFETY: as above.
        let pipelines = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        let pipeline = pipelines.map_err(|(_, error)| error)?[0];
        let sizes = types.map(|ty| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(1));
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: as above.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: as above.
        let set = unsafe { device.allocate_descriptor_sets(&info) }?[0];
        let range = [vk::DescriptorBufferInfo::default().buffer(buffer.handle).range(vk::WHOLE_SIZE)];
        let structures = [scene.structure];
        let mut named =
            vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&structures);
        let write = |number, ty| {
            vk::WriteDescriptorSet::default().dst_set(set).dst_binding(number).descriptor_type(ty)
        };
        let mut second = write(1, types[1]).push_next(&mut named);
        second.descriptor_count = 1;
        let writes = [write(0, types[0]).buffer_info(&range), second];
        // SAFETY: the set is not in use.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        let commands = self.begin()?;
        let point = vk::PipelineBindPoint::COMPUTE;
        let bytes: Vec<u8> = push.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: recording.
        unsafe {
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &bytes);
            device.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
        }
        self.finish(commands)
    }
}
