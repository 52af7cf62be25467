//! Ray tracing pipelines: all six stages, shader binding tables, libraries, indirect launches.
//!
//! The shaders are `ray_pipelines/NAME.spvasm`, made of the GLSL in `NAME` beside it by `glslangValidator`
//! and `spirv-dis`.

mod built_ins;
mod clusters;
mod invocation_mask;
mod micromaps;
mod motion;
mod nv;
mod reorder;
mod replayed_handles;
mod shader_call;
mod spheres;

use pyro_random::Random;
use pyro_shadertext::Shader;
use pyro_test_environment::number;
use pyro_test_kit::compute::{Buffer, Compute};
use std::cell::RefCell;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrAccelerationStructureExtensionDeviceCommands as _,
    KhrRayTracingMaintenance1ExtensionDeviceCommands as _, KhrRayTracingPipelineExtensionDeviceCommands as _,
    ShaderStageFlags as Stages,
};

type Structure = vk::AccelerationStructureKHR;
type StructureType = vk::AccelerationStructureTypeKHR;
type Region = vk::StridedDeviceAddressRegionKHR;
const V1_3: u32 = vk::make_version(1, 3, 0);

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("ray_pipelines/", $name, ".spvasm"))
    };
}

/// The shaders of a folder, in the order of the pipeline's stages.
macro_rules! shaders {
    ($folder:literal) => {
        [
            (Stages::RAYGEN_KHR, include_str!(concat!($folder, "main.rgen.spvasm"))),
            (Stages::MISS_KHR, include_str!(concat!($folder, "main.rmiss.spvasm"))),
            (Stages::MISS_KHR, include_str!(concat!($folder, "shadow.rmiss.spvasm"))),
            (Stages::CLOSEST_HIT_KHR, include_str!(concat!($folder, "main.rchit.spvasm"))),
            (Stages::ANY_HIT_KHR, include_str!(concat!($folder, "main.rahit.spvasm"))),
            (Stages::INTERSECTION_KHR, include_str!(concat!($folder, "main.rint.spvasm"))),
            (Stages::CALLABLE_KHR, include_str!(concat!($folder, "double.rcall.spvasm"))),
            (Stages::CALLABLE_KHR, include_str!(concat!($folder, "add.rcall.spvasm"))),
        ]
    };
}
use shaders;

const SHADERS: [(Stages, &str); 8] = shaders!("ray_pipelines/");

/// General shader, closest-hit, any-hit and intersection shaders of the groups.
const UNUSED: u32 = vk::SHADER_UNUSED_KHR;
const GROUPS: [[u32; 4]; 7] = [
    [0, UNUSED, UNUSED, UNUSED],
    [1, UNUSED, UNUSED, UNUSED],
    [2, UNUSED, UNUSED, UNUSED],
    [UNUSED, 3, 4, UNUSED],
    [UNUSED, 3, 4, 5],
    [6, UNUSED, UNUSED, UNUSED],
    [7, UNUSED, UNUSED, UNUSED],
];

const HANDLE_WORDS: usize = 8;
const STRIDE_WORDS: usize = 16;
/// Words that an invocation writes.
const RESULT_WORDS: usize = 12;
const SIZE: [u32; 3] = [48, 10, 2];

/// The stages that use the descriptors.
const TRACED: Stages = Stages::from_bits_truncate(
    Stages::RAYGEN_KHR.bits()
        | Stages::ANY_HIT_KHR.bits()
        | Stages::CLOSEST_HIT_KHR.bits()
        | Stages::MISS_KHR.bits()
        | Stages::INTERSECTION_KHR.bits(),
);

/// Rows of an object-to-world transform.
type Transform = [[f32; 4]; 3];

/// An instance of a bottom-level structure.
struct Instance {
    rows: Transform,
    custom_index: u32,
    /// Its offset in the hit table.
    hit_offset: u32,
    /// The structure's address.
    reference: u64,
}

struct Rays {
    context: Compute,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    structures: RefCell<Vec<Structure>>,
    pipelines: RefCell<Vec<vk::Pipeline>>,
    modules: RefCell<Vec<vk::ShaderModule>>,
}

impl Drop for Rays {
    fn drop(&mut self) {
        let device = &self.context.device;
        for structure in self.structures.take() {
            unsafe { device.destroy_acceleration_structure_khr(structure, None) };
        }
        for pipeline in self.pipelines.take() {
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        for module in self.modules.take() {
            unsafe { device.destroy_shader_module(module, None) };
        }
        unsafe {
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

impl Rays {
    fn new() -> Rays {
        Rays::with(&[], std::ptr::null_mut())
    }

    /// With further extensions and a chain of their features.
    fn with(more: &[&'static std::ffi::CStr], chain: *mut std::ffi::c_void) -> Rays {
        let mut pipeline = vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder()
            .ray_tracing_pipeline(true)
            .ray_tracing_pipeline_shader_group_handle_capture_replay(true)
            .ray_tracing_pipeline_shader_group_handle_capture_replay_mixed(true)
            .ray_tracing_pipeline_trace_rays_indirect(true);
        pipeline.next = chain;
        let mut maintenance = vk::PhysicalDeviceRayTracingMaintenance1FeaturesKHR::builder()
            .ray_tracing_maintenance1(true)
            .ray_tracing_pipeline_trace_rays_indirect2(true);
        let mut motion =
            vk::PhysicalDeviceRayTracingMotionBlurFeaturesNV::builder().ray_tracing_motion_blur(true);
        motion.next = (&raw mut pipeline).cast();
        maintenance.next = (&raw mut motion).cast();
        let mut structures =
            vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
        let mut positions =
            vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::builder().ray_tracing_position_fetch(true);
        positions.next = (&raw mut maintenance).cast();
        structures.next = (&raw mut positions).cast();
        let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
        features.next = (&raw mut structures).cast();
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_KHR_pipeline_library",
            c"VK_KHR_ray_tracing_maintenance1",
            c"VK_KHR_ray_tracing_pipeline",
            c"VK_KHR_ray_tracing_position_fetch",
            c"VK_NV_ray_tracing_motion_blur",
        ];
        let extensions = [&extensions[..], more].concat();
        let context = Compute::new(V1_3, &extensions, (&raw mut features).cast());
        let bindings =
            [(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 0), (vk::DescriptorType::STORAGE_BUFFER, 1)]
                .map(|(ty, binding)| {
                    let stages = TRACED;
                    let binding =
                        vk::DescriptorSetLayoutBinding::builder().binding(binding).descriptor_type(ty);
                    binding.descriptor_count(1).stage_flags(stages).build()
                });
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
        let set_layout =
            unsafe { context.device.create_descriptor_set_layout(&info, None) }.expect("a layout");
        let range = vk::PushConstantRange {
            stage_flags: Stages::RAYGEN_KHR | Stages::CLOSEST_HIT_KHR,
            offset: 0,
            size: 8,
        };
        let (sets, ranges) = ([set_layout], [range]);
        let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(&sets).push_constant_ranges(&ranges);
        let layout = unsafe { context.device.create_pipeline_layout(&info, None) }.expect("a layout");
        let modules = RefCell::default();
        Rays {
            context,
            layout,
            set_layout,
            structures: RefCell::default(),
            pipelines: RefCell::default(),
            modules,
        }
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        unsafe { self.context.device.get_buffer_device_address(&info) }
    }

    /// A buffer of these words; its device address.
    fn data(&self, words: &[u32]) -> u64 {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let buffer = self.context.buffer_with(words.len().max(1), usage);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        self.address(&buffer)
    }

    fn floats(&self, values: &[f32]) -> u64 {
        self.data(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
    }

    fn build(
        &self,
        ty: StructureType,
        geometry: vk::AccelerationStructureGeometryKHR,
        count: u32,
    ) -> (Structure, u64) {
        self.build_all(ty, &[geometry], &[count])
    }

    /// A structure of these geometries of so many primitives; it keeps the vertices of triangles for shaders.
    fn build_all(
        &self,
        ty: StructureType,
        geometries: &[vk::AccelerationStructureGeometryKHR],
        counts: &[u32],
    ) -> (Structure, u64) {
        let flags = match ty {
            StructureType::BOTTOM_LEVEL => vk::BuildAccelerationStructureFlagsKHR::ALLOW_DATA_ACCESS,
            _ => vk::BuildAccelerationStructureFlagsKHR::empty(),
        };
        self.build_flagged(ty, geometries, counts, flags)
    }

    /// The same, with flags of the build.
    fn build_flagged(
        &self,
        ty: StructureType,
        geometries: &[vk::AccelerationStructureGeometryKHR],
        counts: &[u32],
        flags: vk::BuildAccelerationStructureFlagsKHR,
    ) -> (Structure, u64) {
        let device = &self.context.device;
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(geometries);
        info.flags = flags;
        info.type_ = ty;
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let build_type = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        unsafe { device.get_acceleration_structure_build_sizes_khr(build_type, &info, counts, &mut sizes) };
        let structure = self.empty(ty, sizes.acceleration_structure_size);
        info.dst_acceleration_structure = structure;
        let scratch = self.context.buffer_with(
            sizes.build_scratch_size.div_ceil(4) as usize + 64,
            vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        );
        info.scratch_data.device_address = self.address(&scratch).next_multiple_of(256);
        let range = |&primitive_count: &u32| vk::AccelerationStructureBuildRangeInfoKHR {
            primitive_count,
            ..Default::default()
        };
        let ranges: Vec<_> = counts.iter().map(range).collect();
        self.context.run(|commands| unsafe {
            device.cmd_build_acceleration_structures_khr(commands, &[info], &[&ranges[..]]);
        });
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(structure);
        (structure, unsafe { device.get_acceleration_structure_device_address_khr(&info) })
    }

    /// A structure of so many bytes that holds nothing.
    fn empty(&self, ty: StructureType, size: u64) -> Structure {
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = self.context.buffer_with(size.div_ceil(4) as usize, usage);
        let mut create = vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer.buffer).size(size);
        create.type_ = ty;
        let device = &self.context.device;
        let structure =
            unsafe { device.create_acceleration_structure_khr(&create, None) }.expect("a structure");
        self.structures.borrow_mut().push(structure);
        structure
    }

    /// What is made of a structure's serialized form.
    fn through_memory(&self, source: Structure, ty: StructureType) -> Structure {
        let (device, bytes) = (&self.context.device, 1 << 16);
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let memory = self.address(&self.context.buffer_with(bytes / 4, usage));
        let target = self.empty(ty, bytes as u64);
        self.context.run(|commands| unsafe {
            let mut copy = vk::CopyAccelerationStructureToMemoryInfoKHR::builder()
                .src(source)
                .dst(vk::DeviceOrHostAddressKHR { device_address: memory })
                .build();
            copy.mode = vk::CopyAccelerationStructureModeKHR::SERIALIZE;
            device.cmd_copy_acceleration_structure_to_memory_khr(commands, &copy);
        });
        self.context.run(|commands| unsafe {
            let mut copy =
                vk::CopyMemoryToAccelerationStructureInfoKHR::builder().src(at(memory)).dst(target).build();
            copy.mode = vk::CopyAccelerationStructureModeKHR::DESERIALIZE;
            device.cmd_copy_memory_to_acceleration_structure_khr(commands, &copy);
        });
        target
    }

    /// Triangles of these coordinates, by indices or one after the other.
    fn triangles(&self, corners: &[f32], indices: &[u32]) -> vk::AccelerationStructureGeometryKHR {
        let has_indices = !indices.is_empty();
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(self.floats(corners)),
            vertex_stride: 12,
            max_vertex: corners.len() as u32 / 3 - 1,
            index_type: if has_indices { vk::IndexType::UINT32 } else { vk::IndexType::NONE_KHR },
            index_data: at(if has_indices { self.data(indices) } else { 0 }),
            ..Default::default()
        };
        vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::TRIANGLES,
            geometry: vk::AccelerationStructureGeometryDataKHR { triangles },
            ..Default::default()
        }
    }

    /// Boxes, each of its least and its greatest corner.
    fn boxes(&self, corners: &[f32]) -> vk::AccelerationStructureGeometryKHR {
        let data = at(self.floats(corners));
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR { data, stride: 24, ..Default::default() };
        vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::AABBS,
            geometry: vk::AccelerationStructureGeometryDataKHR { aabbs },
            ..Default::default()
        }
    }

    /// A scene of instances, which rays of every cull mask see.
    fn instances(&self, instances: &[Instance]) -> Structure {
        let words = instances.iter().flat_map(|instance| {
            let mut words: Vec<u32> =
                instance.rows.as_flattened().iter().map(|value| value.to_bits()).collect();
            let reference = [instance.reference as u32, (instance.reference >> 32) as u32];
            words.extend([instance.custom_index | 0xff << 24, instance.hit_offset]);
            words.extend(reference);
            words
        });
        let data = at(self.data(&words.collect::<Vec<_>>()));
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::INSTANCES,
            geometry: vk::AccelerationStructureGeometryDataKHR {
                instances: vk::AccelerationStructureGeometryInstancesDataKHR { data, ..Default::default() },
            },
            ..Default::default()
        };
        self.build(StructureType::TOP_LEVEL, geometry, instances.len() as u32).0
    }

    /// A square that is not opaque at (0, 0), the same 30 above, and a box of unit size at (2, 0).
    fn scene(&self) -> Structure {
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let square = self.triangles(&corners, &[0, 1, 2, 0, 2, 3]);
        let (_, square) = self.build(StructureType::BOTTOM_LEVEL, square, 2);
        let cube = self.boxes(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let (_, cube) = self.build(StructureType::BOTTOM_LEVEL, cube, 1);
        let instance = |[x, y, z]: [f32; 3], custom_index, hit_offset, reference| Instance {
            rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]],
            custom_index,
            hit_offset,
            reference,
        };
        self.instances(&[
            instance([0.0, 0.0, 0.0], 100, 0, square),
            instance([2.0, 0.0, 0.0], 200, 1, cube),
            instance([0.0, 0.0, 30.0], 300, 0, square),
        ])
    }

    /// A pipeline, or a library, of some of the stages and groups, with libraries.
    fn pipeline(
        &self,
        stages: &[usize],
        groups: &[[u32; 4]],
        is_library: bool,
        libraries: &[vk::Pipeline],
    ) -> vk::Pipeline {
        let stages: Vec<_> = stages.iter().map(|&stage| SHADERS[stage]).collect();
        self.try_pipeline(&stages, groups, is_library, libraries).expect("a pipeline")
    }

    /// The same of any shaders.
    fn try_pipeline(
        &self,
        stages: &[(Stages, &str)],
        groups: &[[u32; 4]],
        is_library: bool,
        libraries: &[vk::Pipeline],
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        let library = vk::PipelineCreateFlags::LIBRARY_KHR;
        let flags = if is_library { library } else { vk::PipelineCreateFlags::empty() };
        self.pipeline_of(stages, groups, flags, libraries)
    }

    /// The same, with flags.
    fn pipeline_of(
        &self,
        stages: &[(Stages, &str)],
        groups: &[[u32; 4]],
        flags: vk::PipelineCreateFlags,
        libraries: &[vk::Pipeline],
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        self.pipeline_chained(stages, groups, (flags, std::ptr::null()), libraries)
    }

    /// The same, with a chain behind its structure.
    fn pipeline_chained(
        &self,
        stages: &[(Stages, &str)],
        groups: &[[u32; 4]],
        (flags, chain): (vk::PipelineCreateFlags, *const std::ffi::c_void),
        libraries: &[vk::Pipeline],
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        let device = &self.context.device;
        let stages = stages.iter().map(|&(stage, text)| {
            let module = self.context.shader_module(text);
            self.modules.borrow_mut().push(module);
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
        });
        let stages: Vec<_> = stages.collect();
        let groups = groups.iter().map(|&[general, closest_hit, any_hit, intersection]| {
            let mut group = vk::RayTracingShaderGroupCreateInfoKHR::builder()
                .general_shader(general)
                .closest_hit_shader(closest_hit)
                .any_hit_shader(any_hit)
                .intersection_shader(intersection);
            group.type_ = match (general, intersection) {
                (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
                _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
            };
            group.build()
        });
        let groups: Vec<_> = groups.collect();
        let linked = vk::PipelineLibraryCreateInfoKHR::builder().libraries(libraries);
        let interface = vk::RayTracingPipelineInterfaceCreateInfoKHR::builder()
            .max_pipeline_ray_payload_size(32)
            .max_pipeline_ray_hit_attribute_size(8);
        let mut info = vk::RayTracingPipelineCreateInfoKHR::builder()
            .stages(&stages)
            .groups(&groups)
            .max_pipeline_ray_recursion_depth(2)
            .library_info(&linked)
            .library_interface(&interface)
            .layout(self.layout)
            .build();
        info.flags = flags;
        info.next = chain;
        let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
        let made = unsafe { device.create_ray_tracing_pipelines_khr(operation, cache, &[info], None) };
        let pipeline = made?.0[0];
        self.pipelines.borrow_mut().push(pipeline);
        Ok(pipeline)
    }

    /// A pipeline of all stages and groups, where one stage has another shader.
    fn with_shader(&self, stage: Stages, text: &str) -> Result<vk::Pipeline, vk::ErrorCode> {
        let stages = SHADERS.map(|(of, own)| (of, if of == stage { text } else { own }));
        self.try_pipeline(&stages, &GROUPS, false, &[])
    }

    fn whole(&self) -> vk::Pipeline {
        self.pipeline(&[0, 1, 2, 3, 4, 5, 6, 7], &GROUPS, false, &[])
    }

    /// The handles of all groups of a pipeline of [`GROUPS`].
    fn handles(&self, pipeline: vk::Pipeline) -> Vec<[u32; HANDLE_WORDS]> {
        self.handles_of(pipeline, GROUPS.len())
    }

    /// The handles of a pipeline's first groups.
    fn handles_of(&self, pipeline: vk::Pipeline, count: usize) -> Vec<[u32; HANDLE_WORDS]> {
        let mut bytes = vec![0; 4 * HANDLE_WORDS * count];
        let device = &self.context.device;
        unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, count as u32, &mut bytes) }
            .expect("handles");
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        words.as_chunks().0.to_vec()
    }

    /// Ray generation, miss, hit and callable tables: each record is a handle and a word.
    fn tables(&self, handles: &[[u32; HANDLE_WORDS]]) -> [Region; 4] {
        records(handles).map(|records| {
            let size = 4 * (records.len() * STRIDE_WORDS) as u64;
            let words = [vec![0; STRIDE_WORDS], records.concat()].concat();
            let address = self.data(&words);
            let first = address.next_multiple_of(64);
            assert_eq!(first, address, "buffers are aligned");
            Region { device_address: first + 64, stride: 4 * STRIDE_WORDS as u64, size }
        })
    }

    /// What a launch writes.
    fn launch(
        &self,
        pipeline: vk::Pipeline,
        scene: Structure,
        flags: u32,
        command: impl Fn(vk::CommandBuffer),
    ) -> Vec<f32> {
        let device = &self.context.device;
        let count = SIZE.iter().product::<u32>() as usize * RESULT_WORDS;
        let output = self.context.buffer(count);
        let set = self.context.set_of(
            self.set_layout,
            &[(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 1)],
        );
        self.context.write_range(set, 1, output.buffer, 0);
        let structures = [scene];
        let mut info =
            vk::WriteDescriptorSetAccelerationStructureKHR::builder().acceleration_structures(&structures);
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR)
            .push_next(&mut info);
        write.descriptor_count = 1;
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        self.context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            let stages = Stages::RAYGEN_KHR | Stages::CLOSEST_HIT_KHR;
            let bytes = [flags, 0].map(u32::to_le_bytes);
            device.cmd_push_constants(commands, self.layout, stages, 0, bytes.as_flattened());
            command(commands);
        });
        output.words().iter().take(count).map(|&word| f32::from_bits(word)).collect()
    }

    fn trace(
        &self,
        pipeline: vk::Pipeline,
        scene: Structure,
        flags: u32,
        [raygen, miss, hit, callable]: [Region; 4],
    ) -> Vec<f32> {
        let raygen = Region { size: raygen.stride, ..raygen };
        self.launch(pipeline, scene, flags, |commands| unsafe {
            let [x, y, z] = SIZE;
            self.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &callable, x, y, z);
        })
    }
}

/// The records of the ray generation, miss, hit and callable tables: each is a handle and a word.
fn records(handles: &[[u32; HANDLE_WORDS]]) -> [Vec<Vec<u32>>; 4] {
    let record = |group: usize, word: u32| {
        let mut words = handles[group].to_vec();
        words.push(word);
        words.resize(STRIDE_WORDS, 0);
        words
    };
    let float = f32::to_bits;
    [
        vec![record(0, float(1.5))],
        vec![record(1, float(9.0)), record(2, 0)],
        vec![record(3, 0), record(4, 0)],
        // The first calls the third.
        vec![record(5, 2), record(6, float(0.5)), record(6, float(7.0))],
    ]
}

/// What an invocation is to write, computed from the scene. `flags`: those of its rays.
fn expected([column, row]: [u32; 2], flags: u32) -> [f32; RESULT_WORDS] {
    let x = 4.0 * ((column as f32 + 0.5) / SIZE[0] as f32);
    let y = (row as f32 + 0.5) / SIZE[1] as f32;
    let rays = if column.is_multiple_of(3) { 2.0 } else { 1.0 };
    // Kind, distance, weights, any-hit shaders, shadow, called, more.
    let mut payload = [9.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2.0];
    // What rays are opaque to runs no any-hit shader, and nothing of it is ignored.
    let is_opaque = flags & 1 != 0;
    if x < 1.0 {
        let (primitive, weights) = if y > x { (1.0, [x, y - x]) } else { (0.0, [x - y, y]) };
        let any_hits = if is_opaque { 0.0 } else { 1.0 };
        payload[4] = any_hits;
        if is_opaque || weights[0] <= 0.5 {
            let t = 5.0;
            // The upper square, which ends the shadow's ray.
            let called = 2.0 * (t + 1.0 + 7.0);
            payload = [
                100.0 + primitive,
                t,
                weights[0],
                weights[1],
                any_hits,
                0.0,
                called,
                100.0 * 10.0 + 10000.0 * 254.0,
            ];
        }
    } else if x > 2.0 && x < 3.0 {
        // Opaque, the first of the reports is the closest already, and only the last is closer than what is
        // behind.
        let (t, kind, weights, any_hits) =
            if is_opaque { (4.375, 5.0, [0.9, 0.0], 0.0) } else { (4.5, 6.0, [0.125, 0.5], 3.0) };
        let called = t + 0.5;
        payload =
            [200.0, t, weights[0], weights[1], any_hits, 1000.125, called, 2.0 + 1000.0 + 10000.0 * kind];
    }
    let own = [
        column as f32,
        if row.is_multiple_of(2) {
            0.0
        } else if column.is_multiple_of(2) {
            2.0 * (column as f32 + 1.0 + 7.0)
        } else {
            column as f32 + 0.5
        },
    ];
    let [kind, t, u, v, any_hits, shadow, called, more] = payload;
    [kind, t, u, v, any_hits, shadow, called, more, t * rays, own[0], own[1], 1.5]
}

fn check(found: &[f32], flags: u32) {
    for (index, found) in found.chunks(RESULT_WORDS).enumerate() {
        let place = [index as u32 % SIZE[0], index as u32 / SIZE[0] % SIZE[1]];
        let expected = expected(place, flags);
        let is_near = found
            .iter()
            .zip(expected)
            .all(|(found, expected)| (found - expected).abs() < 1e-5 * (1.0 + expected.abs()));
        assert!(is_near, "at {place:?}: {found:?} instead of {expected:?}");
    }
}

/// All stages together: traces in divergent loops, nested ones, callable shaders that call, intersections
/// that are ignored, accepted and out of range, any-hit shaders that end rays; the indirect forms do the
/// same.
#[test]
fn all_stages_run() {
    let rays = Rays::new();
    let (scene, pipeline) = (rays.scene(), rays.whole());
    let tables = rays.tables(&rays.handles(pipeline));
    let found = rays.trace(pipeline, scene, 0, tables);
    check(&found, 0);
    check(&rays.trace(pipeline, scene, 1, tables), 1);

    let [raygen, miss, hit, callable] = tables;
    let device = &rays.context.device;
    let size = rays.data(&SIZE);
    let indirect = rays.launch(pipeline, scene, 0, |commands| unsafe {
        device.cmd_trace_rays_indirect_khr(commands, &raygen, &miss, &hit, &callable, size);
    });
    assert_eq!(indirect, found);
    let wide = |value: u64| [value as u32, (value >> 32) as u32];
    let table = |region: &Region| [region.device_address, region.size, region.stride].map(wide);
    let mut words = [wide(raygen.device_address), wide(raygen.size)].concat();
    [miss, hit, callable].iter().for_each(|region| words.extend(table(region).as_flattened()));
    words.extend(SIZE);
    let command = rays.data(&words);
    let indirect = rays.launch(pipeline, scene, 0, |commands| unsafe {
        device.cmd_trace_rays_indirect2_khr(commands, command);
    });
    assert_eq!(indirect, found);
}

/// Groups of libraries are those of the pipeline that links them, with the same handles and results.
#[test]
fn libraries_are_linked() {
    let rays = Rays::new();
    let scene = rays.scene();
    let hits = rays.pipeline(&[3, 4, 5], &[[UNUSED, 0, 1, UNUSED], [UNUSED, 0, 1, 2]], true, &[]);
    let callables =
        rays.pipeline(&[6, 7], &[[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED]], true, &[]);
    // A library of libraries.
    let both = rays.pipeline(&[], &[], true, &[hits, callables]);
    let pipeline = rays.pipeline(&[0, 1, 2], &GROUPS[..3], false, &[both]);
    let handles = rays.handles(pipeline);
    let device = &rays.context.device;
    assert_eq!(rays.handles_of(hits, 2), handles[3..5]);
    check(&rays.trace(pipeline, scene, 0, rays.tables(&handles)), 0);
    let size = |group, shader| unsafe {
        device.get_ray_tracing_shader_group_stack_size_khr(pipeline, group, shader)
    };
    // It waits for a trace and a call.
    assert!(size(3, vk::ShaderGroupShaderKHR::CLOSEST_HIT) > 0);
    assert!(size(0, vk::ShaderGroupShaderKHR::GENERAL) > 0);
}

/// Handles that are none of the pipeline's, zeros, and records outside of their tables run nothing.
#[test]
fn invalid_sbt_handle_runs_no_shader() {
    let rays = Rays::new();
    let (scene, pipeline, other) = (rays.scene(), rays.whole(), rays.whole());
    let mut handles = rays.handles(pipeline);
    // Of another pipeline, though of the same shaders.
    let strange = rays.handles(other);
    let zeros = |found: &[f32]| found.iter().all(|&value| value == 0.0);
    assert!(zeros(&rays.trace(pipeline, scene, 0, rays.tables(&strange))));
    let [raygen, miss, hit, callable] = rays.tables(&handles);
    assert!(zeros(&rays.trace(pipeline, scene, 0, [Region::default(), miss, hit, callable])));
    // Without the other tables rays end, and nothing comes of that.
    let none = Region::default();
    let found = rays.trace(pipeline, scene, 0, [raygen, none, none, none]);
    for found in found.chunks(RESULT_WORDS) {
        assert_eq!((&found[..9], found[10], found[11]), (&[0.0; 9][..], 0.0, 1.5));
    }
    // Miss shaders alone: hits that have no shaders are hits all the same.
    handles[3] = [0; HANDLE_WORDS];
    handles[4] = [0xdead_beef; HANDLE_WORDS];
    let found = rays.trace(pipeline, scene, 0, rays.tables(&handles));
    for (index, found) in found.chunks(RESULT_WORDS).enumerate() {
        let x = 4.0 * (index as u32 % SIZE[0]) as f32 / SIZE[0] as f32;
        assert_eq!(found[0], if x < 1.0 { 0.0 } else { 9.0 });
    }
}

/// A shader reads zeros behind the end of the shader binding table that its record is in.
#[test]
fn shader_records_end_with_their_table() {
    let rays = Rays::new();
    let (scene, pipeline) = (rays.scene(), rays.whole());
    let handles = rays.handles(pipeline);
    let [raygen, miss, ..] = rays.tables(&handles);
    let none = Region::default();
    let handle_bytes = 4 * HANDLE_WORDS as u64;
    for (bytes, word) in [(handle_bytes, 0.0), (handle_bytes + 3, 0.0), (handle_bytes + 4, 1.5)] {
        let raygen = Region { size: bytes, ..raygen };
        let miss = Region { size: bytes, ..miss };
        let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
            let [x, y, z] = SIZE;
            rays.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &none, &none, x, y, z);
        });
        let missed = if word == 0.0 { 0.0 } else { 9.0 };
        for (index, found) in found.chunks(RESULT_WORDS).enumerate() {
            let x = 4.0 * (index as u32 % SIZE[0]) as f32 / SIZE[0] as f32;
            assert_eq!(found[11], word, "{bytes} bytes");
            assert!(x < 3.0 || found[0] == missed, "{bytes} bytes: {}", found[0]);
        }
    }
}

/// Tables of random handles, regions and data: what they lead to ends, and another launch is as always.
/// `PYRO_MUTATIONS` sets how many are tried (60), `PYRO_SEED` where to start.
#[test]
fn random_shader_binding_tables_are_safe() {
    let rays = Rays::new();
    let (scene, pipeline) = (rays.scene(), rays.whole());
    let handles = rays.handles(pipeline);
    let expected = rays.trace(pipeline, scene, 0, rays.tables(&handles));
    let (seed, count) = (number("PYRO_SEED", 1_u64), number("PYRO_MUTATIONS", 60_u64).min(2_000));
    const RECORDS: usize = 8;
    let table = rays.context.buffer_with(
        RECORDS * STRIDE_WORDS,
        vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR,
    );
    let bytes = 4 * (RECORDS * STRIDE_WORDS) as u64;
    for round in 0..count {
        let mut random = Random::new((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for record in 0..RECORDS {
            let handle = handles[random.below(handles.len())];
            for index in 0..STRIDE_WORDS {
                let any = random.pick(&[0, 1, 2, 3, 4, u32::MAX, 0x3f80_0000]);
                let word = handle.get(index).copied().unwrap_or(any);
                table.put(record * STRIDE_WORDS + index, word);
            }
            if random.chance(20) {
                table.put(record * STRIDE_WORDS + random.below(STRIDE_WORDS), random.word());
            }
        }
        let regions = [(); 4].map(|()| {
            let first = 64 * random.below(RECORDS as u64);
            Region {
                device_address: rays.address(&table) + first,
                stride: random.pick(&[0, 32, 64, 128, 4096, 1 << 40]),
                size: random.below(bytes - first + 1),
            }
        });
        // The ray generation shader is there, mostly.
        let raygen = rays.tables(&handles)[0];
        let [other, miss, hit, callable] = regions;
        let raygen = if random.chance(90) { raygen } else { other };
        rays.trace(pipeline, scene, 0, [raygen, miss, hit, callable]);
    }
    assert_eq!(rays.trace(pipeline, scene, 0, rays.tables(&handles)), expected);
}

/// Several incoming payloads are invalid (VUID-StandaloneSpirv-IncomingRayPayloadKHR-04700), but shaders that
/// have them work elsewhere: what was passed is the one with the lowest location of those that are used, and
/// the others are the invocation's own.
#[test]
fn one_of_several_incoming_payloads_is_the_one_that_was_passed() {
    let rays = Rays::new();
    let scene = rays.scene();
    let own = text!("main.rchit");
    let payload = "%11 = OpVariable %10 IncomingRayPayloadNV\n";
    let declared =
        "%200 = OpTypePointer IncomingRayPayloadNV %35\n%201 = OpVariable %200 IncomingRayPayloadNV\n";
    let listed = |text: &str| text.replace("\"main\" %11 ", "\"main\" %11 %201 ");
    let vector = "%35 = OpTypeVector %6 3\n";
    assert!(own.contains(payload) && own.contains(vector) && own.contains("\"main\" %11 "));
    // Declared in front, and not used; then used, too, in front and behind the payload's own accesses.
    let unused = listed(own).replace(vector, "").replace(
        "%10 = OpTypePointer IncomingRayPayloadNV %9\n",
        &format!("{vector}{declared}%10 = OpTypePointer IncomingRayPayloadNV %9\n"),
    );
    let stored = unused
        .replace(
            "OpMemberDecorate %102 0",
            "OpDecorate %11 Location 2\nOpDecorate %201 Location 5\nOpMemberDecorate %102 0",
        )
        .replace("OpStore %63 %70\n", "OpStore %63 %70\nOpStore %201 %70\n")
        .replace("%78 = OpLoad %35 %63\n", "%78 = OpLoad %35 %201\n");
    for text in [unused, stored] {
        let pipeline = rays.with_shader(Stages::CLOSEST_HIT_KHR, &text).expect("a pipeline");
        let tables = rays.tables(&rays.handles(pipeline));
        check(&rays.trace(pipeline, scene, 0, tables), 0);
    }
}

/// Payloads are variables of their storage classes (SPIR-V, `OpTraceRayKHR` and `OpExecuteCallableKHR`).
/// Another one that is larger than them all has room where it is passed, too.
#[test]
fn a_payload_of_another_storage_class_stays_in_its_memory() {
    let rays = Rays::new();
    let scene = rays.scene();
    let own = text!("main.rchit");
    let larger = "%300 = OpTypeArray %6 %75\n%301 = OpTypeArray %300 %75\n%302 = OpTypeArray %301 %75
        %303 = OpTypePointer Private %302\n%304 = OpVariable %303 Private\n";
    let passed = own
        .replacen("%4 = OpFunction", &format!("{larger}%4 = OpFunction"), 1)
        .replace("OpReturn\n", "OpExecuteCallableKHR %40 %304\nOpReturn\n");
    assert_ne!(passed, own);
    let pipeline = rays.with_shader(Stages::CLOSEST_HIT_KHR, &passed).expect("a pipeline");
    let tables = rays.tables(&rays.handles(pipeline));
    for _ in 0..4 {
        check(&rays.trace(pipeline, scene, 0, tables), 0);
    }
}

/// Any-hit and intersection shaders can neither trace rays nor call (SPIR-V, "Ray Tracing Instructions"): a
/// pipeline with such is refused, since nothing could come of it.
#[test]
fn traces_in_stages_that_cannot_are_refused() {
    let rays = Rays::new();
    // With the constants that the shaders have.
    for (stage, text, uint, index) in [
        (Stages::ANY_HIT_KHR, text!("main.rahit"), "%6", "%30"),
        (Stages::INTERSECTION_KHR, text!("main.rint"), "%12", "%13"),
    ] {
        let variable = format!("%300 = OpTypePointer Private {uint}\n%301 = OpVariable %300 Private\n");
        let declared = text.replacen("%4 = OpFunction", &format!("{variable}%4 = OpFunction"), 1);
        assert!(rays.with_shader(stage, &declared).is_ok());
        let call = format!("OpExecuteCallableKHR {index} %301\nOpReturn\n");
        let called = declared.replace("OpReturn\n", &call);
        assert_ne!(called, declared);
        assert!(rays.with_shader(stage, &called).is_err(), "{stage:?}");
    }
}

/// A shader of this execution model that traces a ray against no structure.
fn tracing_shader(model: &str) -> String {
    let trace = "%scene = OpConvertUToAccelerationStructureKHR %structure %null
        OpTraceRayKHR %scene %uint_0 %uint_0 %uint_0 %uint_0 %uint_0 %origin %float_0 %direction %float_1 %payload";
    Shader::new(model, trace)
        .capability("RayTracingKHR")
        .extension("SPV_KHR_ray_tracing")
        .interface("%payload")
        .declare(
            "%structure = OpTypeAccelerationStructureKHR
            %payloads = OpTypePointer RayPayloadNV %uint
            %payload = OpVariable %payloads RayPayloadNV
            %null = OpConstantComposite %uint2 %uint_0 %uint_0
            %origin = OpConstantComposite %float3 %float_0 %float_0 %float_0
            %direction = OpConstantComposite %float3 %float_0 %float_0 %float_1",
        )
        .text()
}

/// `OpTraceRayKHR` is for ray generation, closest-hit and miss shaders (SPIR-V, "Ray Tracing Instructions").
#[test]
fn trace_ray_is_refused_in_stages_that_must_not_trace() {
    let rays = Rays::new();
    for (stage, model, may_trace) in [
        (Stages::RAYGEN_KHR, "RayGenerationNV", true),
        (Stages::CLOSEST_HIT_KHR, "ClosestHitNV", true),
        (Stages::MISS_KHR, "MissNV", true),
        (Stages::ANY_HIT_KHR, "AnyHitNV", false),
        (Stages::INTERSECTION_KHR, "IntersectionNV", false),
        (Stages::CALLABLE_KHR, "CallableNV", false),
    ] {
        let made = rays.with_shader(stage, &tracing_shader(model));
        assert_eq!(made.is_ok(), may_trace, "{stage:?}");
    }
}

/// The same while a debugger follows every invocation.
#[test]
fn all_stages_are_traced() {
    if !pyro_test_environment::in_child(module_path!(), "all_stages_are_traced", &[]) {
        return;
    }
    let stages = crate::traced::stages(all_stages_run);
    for stage in ["ray generation", "intersection", "any-hit", "closest-hit", "miss", "callable"] {
        assert!(stages.contains(stage), "{stage}: {stages:?}");
    }
}
