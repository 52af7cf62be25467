//! Cases in task and mesh shaders and in the stages of ray tracing pipelines.
//!
//! A pipeline has all stages of its kind: the case's shader in one of them, plain ones in the others. The ray
//! generation shader traces a ray to a triangle, one to a box and one to nothing, and calls a shader, so that
//! each stage runs.

use crate::case::{Case, Rebuilt, Stage, Variant};
use crate::module;
use pyro_test_kit::compute::{Buffer, Compute};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    AccelerationStructureKHR as Structure, AccelerationStructureTypeKHR as StructureType,
    ExtMeshShaderExtensionDeviceCommands as _, KhrAccelerationStructureExtensionDeviceCommands as _,
    KhrRayTracingPipelineExtensionDeviceCommands as _, ShaderStageFlags as Stages,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const UNUSED: u32 = vk::SHADER_UNUSED_KHR;
/// Words of the buffer.
const WORDS: usize = 4096;
/// Bytes of a group's handle, and from one record of a table to the next.
const HANDLE_BYTES: usize = 32;
const STRIDE: usize = 64;
/// Stages in the order of the pipeline.
const RAY_STAGES: [Stage; 6] = [
    Stage::RayGeneration,
    Stage::Miss,
    Stage::ClosestHit,
    Stage::AnyHit,
    Stage::Intersection,
    Stage::Callable,
];
/// Their groups: general, closest hit, any hit, intersection.
const GROUPS: [[u32; 4]; 5] = [
    [0, UNUSED, UNUSED, UNUSED],
    [1, UNUSED, UNUSED, UNUSED],
    [UNUSED, 2, 3, UNUSED],
    [UNUSED, 2, UNUSED, 4],
    [5, UNUSED, UNUSED, UNUSED],
];

/// A device with mesh shaders and ray tracing, and what its programs use.
pub struct StageDevice {
    context: Compute,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    words: Buffer,
    structures: [Structure; 3],
    /// What the triangle's structure and that of the instances are built from, with their scratch memory.
    inputs: Vec<Input>,
}

/// What a structure is built from.
#[derive(Clone, Copy)]
struct Input {
    ty: StructureType,
    geometry: vk::AccelerationStructureGeometryKHR,
    count: u32,
    scratch: u64,
}

fn bits(stage: Stage) -> Stages {
    match stage {
        Stage::Task => Stages::TASK_EXT,
        Stage::Mesh => Stages::MESH_EXT,
        Stage::RayGeneration => Stages::RAYGEN_KHR,
        Stage::Miss => Stages::MISS_KHR,
        Stage::ClosestHit => Stages::CLOSEST_HIT_KHR,
        Stage::AnyHit => Stages::ANY_HIT_KHR,
        Stage::Intersection => Stages::INTERSECTION_KHR,
        _ => Stages::CALLABLE_KHR,
    }
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

fn context() -> Compute {
    let mut mesh = vk::PhysicalDeviceMeshShaderFeaturesEXT::builder().mesh_shader(true).task_shader(true);
    let mut rays = vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder().ray_tracing_pipeline(true);
    let mut structures =
        vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    let mut dynamic = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
    rays.next = (&raw mut mesh).cast();
    structures.next = (&raw mut rays).cast();
    dynamic.next = (&raw mut structures).cast();
    features.next = (&raw mut dynamic).cast();
    let extensions = [
        c"VK_EXT_mesh_shader",
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
        c"VK_KHR_pipeline_library",
        c"VK_KHR_ray_tracing_pipeline",
    ];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

impl StageDevice {
    /// With a scene of a triangle at x = 0 and a box at x = 2.
    pub fn new() -> StageDevice {
        let context = context();
        let device = &context.device;
        let types = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::ACCELERATION_STRUCTURE_KHR];
        let bindings = [0, 1].map(|index: u32| vk::DescriptorSetLayoutBinding {
            binding: index,
            descriptor_type: types[index as usize],
            descriptor_count: 1,
            stage_flags: Stages::ALL,
            ..Default::default()
        });
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
        let layout = context.layout(&[set_layout]);
        let sizes = types.map(|type_| vk::DescriptorPoolSize { type_, descriptor_count: 1 });
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
        let layouts = [set_layout];
        let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
        let set = unsafe { device.allocate_descriptor_sets(&info) }.expect("a set")[0];
        let words = context.buffer_with(WORDS, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        context.write(set, words.buffer);
        let null = Structure::null();
        let mut made = StageDevice { context, layout, set, words, structures: [null; 3], inputs: Vec::new() };
        made.make_scene();
        made
    }

    fn data(&self, words: &[u32]) -> u64 {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR;
        let buffer = self.context.buffer_with(words.len(), usage);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        self.address(&buffer)
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        unsafe { self.context.device.get_buffer_device_address(&info) }
    }

    /// A structure of one geometry, and its address.
    fn build(
        &mut self,
        ty: StructureType,
        geometry: vk::AccelerationStructureGeometryKHR,
        count: u32,
    ) -> (Structure, u64) {
        let device = &self.context.device;
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(&geometries);
        info.type_ = ty;
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let build_type = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        unsafe { device.get_acceleration_structure_build_sizes_khr(build_type, &info, &[count], &mut sizes) };
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let size = sizes.acceleration_structure_size;
        let buffer = self.context.buffer_with(size.div_ceil(4) as usize, usage);
        let mut create = vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer.buffer).size(size);
        create.type_ = ty;
        let structure =
            unsafe { device.create_acceleration_structure_khr(&create, None) }.expect("a structure");
        info.dst_acceleration_structure = structure;
        let scratch_words = sizes.build_scratch_size.div_ceil(4) as usize + 64;
        let scratch = self.context.buffer_with(scratch_words, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        let scratch = self.address(&scratch).next_multiple_of(256);
        info.scratch_data.device_address = scratch;
        let range =
            vk::AccelerationStructureBuildRangeInfoKHR { primitive_count: count, ..Default::default() };
        self.context.run(|commands| unsafe {
            device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range][..]]);
        });
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(structure);
        self.inputs.push(Input { ty, geometry, count, scratch });
        (structure, unsafe { device.get_acceleration_structure_device_address_khr(&info) })
    }

    fn make_scene(&mut self) {
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        let corners = words(&[-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(self.data(&corners)),
            vertex_stride: 12,
            max_vertex: 2,
            index_type: vk::IndexType::NONE_KHR,
            ..Default::default()
        };
        let geometry = |geometry_type, geometry| vk::AccelerationStructureGeometryKHR {
            geometry_type,
            geometry,
            ..Default::default()
        };
        let of_triangles = vk::AccelerationStructureGeometryDataKHR { triangles };
        let (triangle, triangle_at) = self.build(
            StructureType::BOTTOM_LEVEL,
            geometry(vk::GeometryTypeKHR::TRIANGLES, of_triangles),
            1,
        );
        let data = at(self.data(&words(&[1.0, -1.0, -1.0, 3.0, 1.0, 1.0])));
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR { data, stride: 24, ..Default::default() };
        let of_boxes = vk::AccelerationStructureGeometryDataKHR { aabbs };
        let (cube, cube_at) =
            self.build(StructureType::BOTTOM_LEVEL, geometry(vk::GeometryTypeKHR::AABBS, of_boxes), 1);
        let mut instances = Vec::new();
        for (hit_offset, address) in [(0, triangle_at), (1, cube_at)] {
            instances.extend(words(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
            instances.extend([0xff << 24, hit_offset, address as u32, (address >> 32) as u32]);
        }
        let data = at(self.data(&instances));
        let of_instances = vk::AccelerationStructureGeometryDataKHR {
            instances: vk::AccelerationStructureGeometryInstancesDataKHR { data, ..Default::default() },
        };
        let (scene, _) =
            self.build(StructureType::TOP_LEVEL, geometry(vk::GeometryTypeKHR::INSTANCES, of_instances), 2);
        self.structures = [triangle, cube, scene];
        let scenes = [scene];
        let mut of_scene =
            vk::WriteDescriptorSetAccelerationStructureKHR::builder().acceleration_structures(&scenes);
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(self.set)
            .dst_binding(1)
            .descriptor_type(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR)
            .push_next(&mut of_scene)
            .build();
        write.descriptor_count = 1;
        unsafe { self.context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }

    /// Runs a case's shader of a stage; gives the buffer's words.
    pub fn run(&self, case: &Case, (stage, variant): (Stage, Variant), text: &str) -> Vec<u32> {
        for index in 0..WORDS {
            self.words.put(index, case.input.get(index).copied().unwrap_or(0));
        }
        case.put_address(&self.words, self.address(&self.words));
        match stage {
            Stage::Task | Stage::Mesh => self.draw(case, stage, text),
            _ => self.trace(case, (stage, variant), text),
        }
        case.words_left(&self.words)
    }

    fn with_stages<T>(
        &self,
        (stages, stage, text): (&[Stage], Stage, &str),
        before: Option<(Stage, &str)>,
        with: impl FnOnce(&[vk::PipelineShaderStageCreateInfo]) -> T,
    ) -> T {
        let modules: Vec<_> = stages
            .iter()
            .map(|&of| match of == stage {
                true => self.context.shader_module(text),
                false => match before.filter(|(before, _)| *before == of) {
                    Some((_, text)) => self.context.shader_module(text),
                    None => self.context.shader_module(&module::plain_shader(of)),
                },
            })
            .collect();
        let infos: Vec<_> = stages
            .iter()
            .zip(&modules)
            .map(|(&of, &module)| {
                let info = vk::PipelineShaderStageCreateInfo::builder();
                info.stage(bits(of)).module(module).name(b"main\0").build()
            })
            .collect();
        let result = with(&infos);
        modules.iter().for_each(|&module| unsafe { self.context.device.destroy_shader_module(module, None) });
        result
    }

    fn draw(&self, case: &Case, stage: Stage, text: &str) {
        let device = &self.context.device;
        let raster = vk::PipelineRasterizationStateCreateInfo::builder()
            .rasterizer_discard_enable(true)
            .line_width(1.0);
        let mut rendering = vk::PipelineRenderingCreateInfo::builder();
        let stages = [Stage::Task, Stage::Mesh];
        let stages = if stage == Stage::Mesh && !case.is_tasked { &stages[1..] } else { &stages };
        let pipeline = self.with_stages((stages, stage, text), None, |stages| {
            let info = vk::GraphicsPipelineCreateInfo::builder()
                .stages(stages)
                .rasterization_state(&raster)
                .layout(self.layout)
                .push_next(&mut rendering)
                .build();
            let made = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
            made.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name)).0[0]
        });
        self.context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            let area =
                vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: 1, height: 1 } };
            let info = vk::RenderingInfo::builder().render_area(area).layer_count(1);
            device.cmd_begin_rendering(commands, &info);
            device.cmd_draw_mesh_tasks_ext(commands, case.groups, 1, 1);
            device.cmd_end_rendering(commands);
        });
        unsafe { device.destroy_pipeline(pipeline, None) };
    }

    /// Records builds of structures, with barriers between them and behind them in the good program.
    fn rebuild(&self, commands: vk::CommandBuffer, case: &Case, variant: Variant) {
        let device = &self.context.device;
        for what in &case.rebuild {
            let place = match what {
                Rebuilt::Bottom => 0,
                Rebuilt::Top => 2,
            };
            let Input { ty, geometry, count, scratch } = self.inputs[place];
            let geometries = [geometry];
            let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(&geometries);
            info.type_ = ty;
            info.dst_acceleration_structure = self.structures[place];
            info.scratch_data.device_address = scratch;
            let range =
                vk::AccelerationStructureBuildRangeInfoKHR { primitive_count: count, ..Default::default() };
            let barrier = vk::MemoryBarrier::builder()
                .src_access_mask(vk::AccessFlags::ACCELERATION_STRUCTURE_WRITE_KHR)
                .dst_access_mask(vk::AccessFlags::ACCELERATION_STRUCTURE_READ_KHR)
                .build();
            let stages = vk::PipelineStageFlags::ACCELERATION_STRUCTURE_BUILD_KHR;
            unsafe {
                device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range][..]]);
                if variant == Variant::Bad {
                    continue;
                }
                device.cmd_pipeline_barrier(
                    commands,
                    stages,
                    stages | vk::PipelineStageFlags::RAY_TRACING_SHADER_KHR,
                    vk::DependencyFlags::empty(),
                    &[barrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[] as &[vk::ImageMemoryBarrier],
                );
            }
        }
    }

    fn trace(&self, case: &Case, (stage, variant): (Stage, Variant), text: &str) {
        let device = &self.context.device;
        let groups = GROUPS.map(|[general, closest_hit, any_hit, intersection]| {
            vk::RayTracingShaderGroupCreateInfoKHR {
                type_: match (general, intersection) {
                    (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                    (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
                    _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
                },
                general_shader: general,
                closest_hit_shader: closest_hit,
                any_hit_shader: any_hit,
                intersection_shader: intersection,
                ..Default::default()
            }
        });
        let states = [vk::DynamicState::RAY_TRACING_PIPELINE_STACK_SIZE_KHR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&states);
        let before = case.before.map(|of| (of, module::shader_before(case, of, variant)));
        let before = before.as_ref().map(|(of, text)| (*of, text.as_str()));
        let pipeline = self.with_stages((&RAY_STAGES, stage, text), before, |stages| {
            let mut info = vk::RayTracingPipelineCreateInfoKHR::builder()
                .stages(stages)
                .groups(&groups)
                .max_pipeline_ray_recursion_depth(1)
                .layout(self.layout);
            if case.stack.is_some() {
                info = info.dynamic_state(&dynamic);
            }
            let info = info.build();
            let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
            let made = unsafe { device.create_ray_tracing_pipelines_khr(operation, cache, &[info], None) };
            made.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name)).0[0]
        });
        let count = GROUPS.len();
        let mut handles = vec![0; count * HANDLE_BYTES];
        unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, count as u32, &mut handles) }
            .expect("handles");
        let mut table = vec![0u32; count * STRIDE / 4];
        for (group, handle) in handles.chunks(HANDLE_BYTES).enumerate() {
            for (index, word) in handle.as_chunks().0.iter().enumerate() {
                table[group * STRIDE / 4 + index] = u32::from_le_bytes(*word);
            }
        }
        let address = self.data(&table);
        let stride = STRIDE as u64;
        let region = |first: u64, count: u64| vk::StridedDeviceAddressRegionKHR {
            device_address: address + first * stride,
            stride,
            size: count * stride,
        };
        self.context.run(|commands| unsafe {
            self.rebuild(commands, case, variant);
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, slice::from_ref(&self.set), &[]);
            if let Some([bad, good]) = case.stack {
                let size = if variant == Variant::Bad { bad } else { good };
                device.cmd_set_ray_tracing_pipeline_stack_size_khr(commands, size);
            }
            let [raygen, miss, hit, callable] = [region(0, 1), region(1, 1), region(2, 2), region(4, 1)];
            device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &callable, case.rays, 1, 1);
        });
        unsafe { device.destroy_pipeline(pipeline, None) };
    }
}

impl Default for StageDevice {
    fn default() -> StageDevice {
        StageDevice::new()
    }
}

impl Drop for StageDevice {
    fn drop(&mut self) {
        for structure in self.structures {
            unsafe { self.context.device.destroy_acceleration_structure_khr(structure, None) };
        }
    }
}
