//! `VK_NV_ray_tracing`: the same scene and shaders as those of the KHR extensions, in its own terms.
//!
//! The shaders are `nv/NAME.spvasm`, made of the GLSL in `NAME` with the names of `GL_NV_ray_tracing`: the
//! suffix `NV` for `EXT`, `traceNV` for `traceRayEXT`, and calls for the statements that end an any-hit
//! shader.

use super::{
    GROUPS, HANDLE_WORDS, RESULT_WORDS, SIZE, STRIDE_WORDS, Stages, TRACED, UNUSED, V1_3, check, shaders,
};
use pyro_test_kit::compute::{Buffer, Compute};
use std::cell::RefCell;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvRayTracingExtensionDeviceCommands as _;

const SHADERS: [(Stages, &str); 8] = shaders!("nv/");

type Structure = vk::AccelerationStructureNV;

struct Nv {
    context: Compute,
    structures: RefCell<Vec<Structure>>,
    memories: RefCell<Vec<vk::DeviceMemory>>,
}

impl Drop for Nv {
    fn drop(&mut self) {
        let device = &self.context.device;
        for structure in self.structures.take() {
            unsafe { device.destroy_acceleration_structure_nv(structure, None) };
        }
        for memory in self.memories.take() {
            unsafe { device.free_memory(memory, None) };
        }
    }
}

impl Nv {
    fn new() -> Nv {
        let context = Compute::new(V1_3, &[c"VK_NV_ray_tracing"], std::ptr::null_mut());
        Nv { context, structures: RefCell::default(), memories: RefCell::default() }
    }

    fn data(&self, words: &[u32]) -> Buffer {
        let buffer =
            self.context.buffer_with(words.len().max(1), vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        buffer
    }

    fn floats(&self, values: &[f32]) -> Buffer {
        self.data(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
    }

    /// Bytes that a structure needs of a kind of memory.
    fn requirements(
        &self,
        structure: Structure,
        ty: vk::AccelerationStructureMemoryRequirementsTypeNV,
    ) -> vk::MemoryRequirements {
        let mut info = vk::AccelerationStructureMemoryRequirementsInfoNV::builder()
            .acceleration_structure(structure)
            .build();
        info.type_ = ty;
        let device = &self.context.device;
        let found = unsafe { device.get_acceleration_structure_memory_requirements_nv(&info) };
        found.memory_requirements
    }

    /// An empty structure of this build, or of a size, in memory of its own.
    fn empty(&self, info: vk::AccelerationStructureInfoNV, compacted_size: u64) -> Structure {
        let device = &self.context.device;
        let create = vk::AccelerationStructureCreateInfoNV { info, compacted_size, ..Default::default() };
        let structure =
            unsafe { device.create_acceleration_structure_nv(&create, None) }.expect("a structure");
        self.structures.borrow_mut().push(structure);
        let of_object = vk::AccelerationStructureMemoryRequirementsTypeNV::OBJECT;
        let needed = self.requirements(structure, of_object);
        assert!(needed.size >= compacted_size && needed.memory_type_bits & 1 != 0);
        let allocate = vk::MemoryAllocateInfo { allocation_size: needed.size, ..Default::default() };
        let memory = unsafe { device.allocate_memory(&allocate, None) }.expect("memory");
        self.memories.borrow_mut().push(memory);
        let bind = vk::BindAccelerationStructureMemoryInfoNV {
            acceleration_structure: structure,
            memory,
            ..Default::default()
        };
        unsafe { device.bind_acceleration_structure_memory_nv(&[bind]) }.expect("memory that fits");
        // A structure is bound once.
        assert!(unsafe { device.bind_acceleration_structure_memory_nv(&[bind]) }.is_err());
        structure
    }

    fn build(&self, info: vk::AccelerationStructureInfoNV, instances: Option<&Buffer>) -> Structure {
        let structure = self.empty(info, 0);
        let scratch = vk::AccelerationStructureMemoryRequirementsTypeNV::BUILD_SCRATCH;
        let scratch = self.requirements(structure, scratch).size as usize;
        let scratch =
            self.context.buffer_with(scratch.div_ceil(4), vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR);
        let instances = instances.map_or(vk::Buffer::null(), |buffer| buffer.buffer);
        let source = Structure::null();
        self.context.run(|commands| unsafe {
            self.context.device.cmd_build_acceleration_structure_nv(
                commands,
                &info,
                instances,
                0,
                false,
                structure,
                source,
                scratch.buffer,
                0,
            );
        });
        structure
    }

    fn bottom(&self, geometry: vk::GeometryNV) -> Structure {
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureInfoNV::builder().geometries(&geometries).build();
        info.type_ = vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL;
        info.flags = vk::BuildAccelerationStructureFlagsKHR::ALLOW_COMPACTION;
        self.build(info, None)
    }

    fn handle(&self, structure: Structure) -> u64 {
        let mut bytes = [0; 8];
        unsafe { self.context.device.get_acceleration_structure_handle_nv(structure, &mut bytes) }
            .expect("a handle");
        u64::from_ne_bytes(bytes)
    }

    /// What [`super::Rays::scene`] is.
    fn scene(&self) -> Structure {
        // Before the coordinates and indices lie words that are none of them.
        let corners = [7.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let (corners, indices) = (self.floats(&corners), self.data(&[9, 9, 0, 1, 2, 0, 2, 3]));
        let triangles = vk::GeometryTrianglesNV {
            vertex_data: corners.buffer,
            vertex_offset: 4,
            vertex_count: 4,
            vertex_stride: 12,
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            index_data: indices.buffer,
            index_offset: 8,
            index_count: 6,
            index_type: vk::IndexType::UINT32,
            ..Default::default()
        };
        let square = self.bottom(vk::GeometryNV {
            geometry_type: vk::GeometryTypeKHR::TRIANGLES,
            geometry: vk::GeometryDataNV { triangles, ..Default::default() },
            ..Default::default()
        });
        let sides = self.floats(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let aabbs =
            vk::GeometryAABBNV { aabb_data: sides.buffer, num_aab_bs: 1, stride: 24, ..Default::default() };
        let cube = self.bottom(vk::GeometryNV {
            geometry_type: vk::GeometryTypeKHR::AABBS,
            geometry: vk::GeometryDataNV { aabbs, ..Default::default() },
            ..Default::default()
        });
        let square = self.compacted(square);
        let instance = |[x, y, z]: [f32; 3], custom_index: u32, hit_offset: u32, of: Structure| {
            let rows = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]];
            let mut words: Vec<u32> = rows.as_flattened().iter().map(|value| value.to_bits()).collect();
            let handle = self.handle(of);
            words.extend([custom_index | 0xff << 24, hit_offset, handle as u32, (handle >> 32) as u32]);
            words
        };
        let instances = self.data(
            &[
                instance([0.0, 0.0, 0.0], 100, 0, square),
                instance([2.0, 0.0, 0.0], 200, 1, cube),
                instance([0.0, 0.0, 30.0], 300, 0, square),
            ]
            .concat(),
        );
        let mut info = vk::AccelerationStructureInfoNV { instance_count: 3, ..Default::default() };
        info.type_ = vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        self.build(info, Some(&instances))
    }

    /// A compacted copy, as large as a query says.
    fn compacted(&self, structure: Structure) -> Structure {
        let device = &self.context.device;
        let ty = vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_NV;
        let info = vk::QueryPoolCreateInfo::builder().query_type(ty).query_count(1);
        let pool = unsafe { device.create_query_pool(&info, None) }.expect("queries");
        self.context.run(|commands| unsafe {
            device.cmd_reset_query_pool(commands, pool, 0, 1);
            device.cmd_write_acceleration_structures_properties_nv(commands, &[structure], ty, pool, 0);
        });
        let mut size = [0; 8];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        unsafe { device.get_query_pool_results(pool, 0, 1, &mut size, 8, flags) }.expect("a size");
        unsafe { device.destroy_query_pool(pool, None) };
        let size = u64::from_ne_bytes(size);
        assert!(size > 0);
        let copy = self.empty(
            vk::AccelerationStructureInfoNV {
                type_: vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
                ..Default::default()
            },
            size,
        );
        let mode = vk::CopyAccelerationStructureModeKHR::COMPACT;
        self.context.run(|commands| unsafe {
            device.cmd_copy_acceleration_structure_nv(commands, copy, structure, mode);
        });
        copy
    }

    fn pipeline(&self, layout: vk::PipelineLayout, flags: vk::PipelineCreateFlags) -> vk::Pipeline {
        let device = &self.context.device;
        let modules = SHADERS.map(|(_, text)| self.context.shader_module(text));
        let stages: Vec<_> = SHADERS
            .iter()
            .zip(modules)
            .map(|(&(stage, _), module)| {
                vk::PipelineShaderStageCreateInfo::builder()
                    .stage(stage)
                    .module(module)
                    .name(b"main\0")
                    .build()
            })
            .collect();
        let groups = GROUPS.map(|[general, closest_hit, any_hit, intersection]| {
            let mut group = vk::RayTracingShaderGroupCreateInfoNV::builder()
                .general_shader(general)
                .closest_hit_shader(closest_hit)
                .any_hit_shader(any_hit)
                .intersection_shader(intersection)
                .build();
            group.type_ = match (general, intersection) {
                (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
                _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
            };
            group
        });
        let mut info = vk::RayTracingPipelineCreateInfoNV::builder()
            .stages(&stages)
            .groups(&groups)
            .max_recursion_depth(2)
            .layout(layout)
            .build();
        info.flags = flags;
        let made =
            unsafe { device.create_ray_tracing_pipelines_nv(vk::PipelineCache::null(), &[info], None) };
        modules.iter().for_each(|&module| unsafe { device.destroy_shader_module(module, None) });
        made.expect("a pipeline").0[0]
    }
}

/// Structures in memory of their own, geometries in buffers, tables by buffer and offset, payloads and
/// callable data by location: all six stages give what those of the KHR extensions give.
#[test]
fn the_nv_dialect_gives_the_same() {
    let nv = Nv::new();
    let device = &nv.context.device;
    let scene = nv.scene();
    let types = [vk::DescriptorType::ACCELERATION_STRUCTURE_NV, vk::DescriptorType::STORAGE_BUFFER];
    let bindings = [0, 1].map(|binding| {
        let info = vk::DescriptorSetLayoutBinding::builder().binding(binding).stage_flags(TRACED);
        info.descriptor_type(types[binding as usize]).descriptor_count(1).build()
    });
    let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
    let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a layout");
    let pushing = Stages::RAYGEN_KHR | Stages::CLOSEST_HIT_KHR;
    let ranges = [vk::PushConstantRange { stage_flags: pushing, offset: 0, size: 8 }];
    let sets = [set_layout];
    let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(&sets).push_constant_ranges(&ranges);
    let layout = unsafe { device.create_pipeline_layout(&info, None) }.expect("a layout");
    let pipeline = nv.pipeline(layout, vk::PipelineCreateFlags::DEFER_COMPILE_NV);
    for shader in 0..SHADERS.len() as u32 {
        unsafe { device.compile_deferred_nv(pipeline, shader) }.expect("a compiled shader");
    }
    assert!(unsafe { device.compile_deferred_nv(pipeline, SHADERS.len() as u32) }.is_err());

    let count = SIZE.iter().product::<u32>() as usize * RESULT_WORDS;
    let output = nv.context.buffer(count);
    let set = nv.context.set_of(set_layout, &[(types[1], 1), (types[0], 1)]);
    nv.context.write_range(set, 1, output.buffer, 0);
    let structures = [scene];
    let mut info =
        vk::WriteDescriptorSetAccelerationStructureNV::builder().acceleration_structures(&structures);
    let mut write = vk::WriteDescriptorSet::builder().dst_set(set).dst_binding(0).descriptor_type(types[0]);
    write = write.push_next(&mut info);
    write.descriptor_count = 1;
    unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };

    let mut bytes = vec![0; 4 * HANDLE_WORDS * GROUPS.len()];
    unsafe { device.get_ray_tracing_shader_group_handles_nv(pipeline, 0, GROUPS.len() as u32, &mut bytes) }
        .expect("handles");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let handles: Vec<[u32; HANDLE_WORDS]> = words.as_chunks().0.to_vec();
    let tables = super::records(&handles).map(|records| {
        let words = [vec![0; STRIDE_WORDS], records.concat()].concat();
        nv.data(&words)
    });
    let [raygen, miss, hit, callable] = tables.each_ref().map(|table| table.buffer);
    let (first, stride) = (4 * STRIDE_WORDS as u64, 4 * STRIDE_WORDS as u64);
    for flags in [0, 1] {
        nv.context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            let bytes = [flags, 0u32].map(u32::to_le_bytes);
            device.cmd_push_constants(commands, layout, pushing, 0, bytes.as_flattened());
            let [x, y, z] = SIZE;
            device.cmd_trace_rays_nv(
                commands, raygen, first, miss, first, stride, hit, first, stride, callable, first, stride, x,
                y, z,
            );
        });
        let found: Vec<f32> = output.words().iter().take(count).map(|&word| f32::from_bits(word)).collect();
        check(&found, flags);
    }
    // Without tables only the ray generation shader runs: what it writes of its ray is what it began with.
    let none = vk::Buffer::null();
    nv.context.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, pushing, 0, &[0; 8]);
        device.cmd_trace_rays_nv(commands, raygen, first, none, 0, 0, none, 0, 0, none, 0, 0, 4, 1, 1);
    });
    let kinds = [0, 1, 2, 3].map(|lane: usize| f32::from_bits(output.words()[lane * RESULT_WORDS]));
    assert_eq!(kinds, [0.0; 4]);
    unsafe {
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}
