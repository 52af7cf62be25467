//! Rays by queries in acceleration structures of random triangles and boxes.

use crate::canonical;
use pyro_random::Random;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrAccelerationStructureExtensionDeviceCommands as _;

pub(crate) type Structure = vk::AccelerationStructureKHR;
pub(crate) type Type = vk::AccelerationStructureTypeKHR;
pub(crate) type Geometry = (vk::AccelerationStructureGeometryKHR, u32);

/// Rays of a case; the shader has workgroups of eight.
const RAYS: usize = 64;
/// Words of a ray and of its result.
const RAY_WORDS: usize = 16;
const RESULT_WORDS: usize = 64;
/// The shader of the tests of ray queries, whose GLSL lies beside it.
const SHADER: &str = include_str!("../../../crates/icd/tests/api/rays/query.comp.spvasm");

/// A device that traces rays, and what one case makes.
pub(crate) struct Rays {
    pub(crate) context: Compute,
    structures: Vec<Structure>,
}

impl Drop for Rays {
    fn drop(&mut self) {
        for &structure in &self.structures {
            // SAFETY: the queue is idle, and the structure is the device's.
            unsafe { self.context.device.destroy_acceleration_structure_khr(structure, None) };
        }
    }
}

pub(crate) fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

impl Rays {
    /// For queries and for pipelines; `is_robust` says that accesses of buffers are.
    pub(crate) fn new(is_robust: bool) -> Rays {
        let mut robust = vk::PhysicalDeviceFeatures2::default();
        robust.features.robust_buffer_access = u32::from(is_robust);
        let mut pipeline =
            vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder().ray_tracing_pipeline(true);
        pipeline.ray_tracing_pipeline_trace_rays_indirect = vk::TRUE;
        pipeline.next = (&raw mut robust).cast();
        let mut fetch =
            vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::builder().ray_tracing_position_fetch(true);
        fetch.next = (&raw mut pipeline).cast();
        let mut query = vk::PhysicalDeviceRayQueryFeaturesKHR::builder().ray_query(true);
        query.next = (&raw mut fetch).cast();
        let mut structures =
            vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
        structures.next = (&raw mut query).cast();
        let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
        features.next = (&raw mut structures).cast();
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_KHR_pipeline_library",
            c"VK_KHR_ray_query",
            c"VK_KHR_ray_tracing_pipeline",
            c"VK_KHR_ray_tracing_position_fetch",
        ];
        let features = (&raw mut features).cast::<c_void>();
        let context = Compute::new(vk::make_version(1, 3, 0), &extensions, features);
        Rays { context, structures: Vec::new() }
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        // SAFETY: the buffer is the device's, and has the usage.
        unsafe { self.context.device.get_buffer_device_address(&info) }
    }

    /// The address of a buffer of these words.
    pub(crate) fn data(&self, words: &[u32]) -> u64 {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR;
        let buffer = self.context.buffer_with(words.len().max(1), usage);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        self.address(&buffer)
    }

    fn floats(&self, values: &[f32]) -> u64 {
        self.data(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
    }

    /// Builds a structure.
    pub(crate) fn build(&mut self, ty: Type, geometries: &[Geometry]) -> Structure {
        let (list, counts): (Vec<_>, Vec<u32>) = geometries.iter().copied().unzip();
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(&list)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .flags(vk::BuildAccelerationStructureFlagsKHR::ALLOW_DATA_ACCESS);
        info.type_ = ty;
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let kind = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        let device = &self.context.device;
        // SAFETY: the structures live until each call returns, and what they name until the queue is idle.
        unsafe {
            device.get_acceleration_structure_build_sizes_khr(kind, &info, &counts, &mut sizes);
            let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
                | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            let words = |bytes: u64| bytes.div_ceil(4) as usize + 64;
            let buffer = self.context.buffer_with(words(sizes.acceleration_structure_size), usage);
            let scratch = self.context.buffer_with(words(sizes.build_scratch_size), usage);
            let mut made = vk::AccelerationStructureCreateInfoKHR::builder()
                .buffer(buffer.buffer)
                .size(sizes.acceleration_structure_size);
            made.type_ = ty;
            let structure = device.create_acceleration_structure_khr(&made, None).expect("a structure");
            info.dst_acceleration_structure = structure;
            info.scratch_data.device_address = self.address(&scratch).next_multiple_of(256);
            let ranges: Vec<_> = counts
                .iter()
                .map(|&primitive_count| vk::AccelerationStructureBuildRangeInfoKHR {
                    primitive_count,
                    ..Default::default()
                })
                .collect();
            self.context
                .run(|commands| device.cmd_build_acceleration_structures_khr(commands, &[info], &[&ranges]));
            self.structures.push(structure);
            structure
        }
    }

    /// The address of a structure.
    pub(crate) fn reference(&self, structure: Structure) -> u64 {
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(structure);
        // SAFETY: the structure is the device's.
        unsafe { self.context.device.get_acceleration_structure_device_address_khr(&info) }
    }

    pub(crate) fn triangles(&self, random: &mut Random) -> Geometry {
        let count = 1 + random.below(random.clone().pick(&[4_u32, 30, 200]));
        let vertices = 3 * count;
        // On a grid some share edges and places, so that rays hit several at one distance.
        let on_grid = random.one_in(3);
        let place = |random: &mut Random| {
            let place = random.float(-2.0, 2.0);
            if on_grid { place.round() } else { place }
        };
        let places: Vec<f32> = (0..3 * vertices).map(|_| place(random)).collect();
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(self.floats(&places)),
            vertex_stride: 12,
            max_vertex: vertices - 1,
            index_type: vk::IndexType::NONE_KHR,
            ..Default::default()
        };
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::TRIANGLES,
            geometry: vk::AccelerationStructureGeometryDataKHR { triangles },
            flags: if random.one_in(2) {
                vk::GeometryFlagsKHR::OPAQUE
            } else {
                vk::GeometryFlagsKHR::empty()
            },
            ..Default::default()
        };
        (geometry, count)
    }

    pub(crate) fn boxes(&self, random: &mut Random) -> Geometry {
        let count = 1 + random.below(40_u32);
        let sides: Vec<f32> = (0..count)
            .flat_map(|_| {
                let low: [f32; 3] = std::array::from_fn(|_| random.float(-2.0, 2.0));
                let high = low.map(|low| low + random.float(0.0, 1.0));
                [low, high].into_iter().flatten()
            })
            .collect();
        let data = at(self.floats(&sides));
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR { data, stride: 24, ..Default::default() };
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::AABBS,
            geometry: vk::AccelerationStructureGeometryDataKHR { aabbs },
            ..Default::default()
        };
        (geometry, count)
    }

    /// A structure of some instances of these, turned, scaled and moved.
    fn top(&mut self, random: &mut Random, bottoms: &[Structure]) -> Structure {
        let count = 1 + random.below(6_u32);
        let mut words = Vec::new();
        for _ in 0..count {
            let reference = self.reference(random.pick(bottoms));
            for row in 0..3 {
                for column in 0..4 {
                    let on_diagonal = f32::from(u8::from(row == column));
                    words.push((on_diagonal + random.float(-0.5, 0.5)).to_bits());
                }
            }
            let mask = random.pick(&[0xff_u32, 0x0f, 0xf0]);
            let flags = random.below(16_u32);
            words.extend([random.below(1 << 24) | mask << 24, random.below(1 << 24) | flags << 24]);
            words.extend([reference as u32, (reference >> 32) as u32]);
        }
        self.instances(&words)
    }

    /// A structure of instances of these words, sixteen each.
    pub(crate) fn instances(&mut self, words: &[u32]) -> Structure {
        let data = at(self.data(words));
        let instances = vk::AccelerationStructureGeometryInstancesDataKHR { data, ..Default::default() };
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::INSTANCES,
            geometry: vk::AccelerationStructureGeometryDataKHR { instances },
            ..Default::default()
        };
        self.build(Type::TOP_LEVEL, &[(geometry, words.len() as u32 / 16)])
    }

    /// What the shader says of rays in these structures.
    fn trace(&self, structures: [Structure; 2], rays: &[u32]) -> Vec<u32> {
        let (buffer, structure) =
            (vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::ACCELERATION_STRUCTURE_KHR);
        let bindings = [(buffer, 1), (buffer, 1), (structure, 2)];
        let context = &self.context;
        let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, SHADER);
        let (input, output) = (context.buffer(rays.len()), context.buffer(RAYS * RESULT_WORDS));
        rays.iter().enumerate().for_each(|(index, &word)| input.put(index, word));
        let set = context.set_of(set_layout, &[(buffer, 2), (structure, 2)]);
        context.write_range(set, 0, input.buffer, 0);
        context.write_range(set, 1, output.buffer, 0);
        let mut info =
            vk::WriteDescriptorSetAccelerationStructureKHR::builder().acceleration_structures(&structures);
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(2)
            .descriptor_type(structure)
            .push_next(&mut info);
        write.descriptor_count = 2;
        let (device, point) = (&context.device, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: all objects are the device's, and live until the queue is idle.
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        context.run(|commands| {
            // SAFETY: as above.
            unsafe {
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                device.cmd_dispatch(commands, RAYS as u32 / 8, 1, 1);
            }
        });
        output.words()
    }
}

/// A ray as the shader reads it: origin, direction, range, flags and what it does with candidates.
fn ray(random: &mut Random) -> [u32; RAY_WORDS] {
    let origin: [f32; 3] = std::array::from_fn(|_| random.float(-3.0, 3.0));
    let mut direction: [f32; 3] = std::array::from_fn(|_| random.float(-2.0, 2.0));
    if random.one_in(4) {
        direction[random.below(3_usize)] = 0.0;
    }
    // Opaque, not opaque, the first hit, culled faces, opaque and other triangles culled, skipped triangles
    // or boxes: one of the groups that exclude one another each.
    let flags = random.pick(&[0, 0, 1, 2, 64, 128])
        | random.pick(&[0, 0, 4])
        | random.pick(&[0, 0, 0x10, 0x20, 0x100, 0x200]);
    let mode = random.below(8_u32) & !4 | u32::from(random.one_in(8)) << 2 | random.pick(&[0, 16]);
    let mut words = [0; RAY_WORDS];
    words[..3].copy_from_slice(&origin.map(f32::to_bits));
    words[3] = if random.one_in(2) { 0.0_f32 } else { random.float(0.0, 1.0) }.to_bits();
    words[4..7].copy_from_slice(&direction.map(f32::to_bits));
    words[7] = random.float(1.0, 20.0).to_bits();
    // Culled faces are no flag beside skipped triangles.
    words[8] = if flags & 0x130 > 0x100 { flags & !0x30 } else { flags };
    words[9] = random.pick(&[0xff, 0xff, 0x01, 0x10]);
    words[10] = mode;
    words[11] = random.float(1.0, 5.0).to_bits();
    words[14] = random.below(2);
    words[15] = random.below(2);
    words
}

/// What rays find in the structures of a number.
pub(crate) fn trace(number: u64) -> Vec<u8> {
    let random = &mut Random::new(number);
    let mut rays = Rays::new(false);
    let mut bottoms = Vec::new();
    for _ in 0..1 + random.below(3) {
        let geometries: Vec<_> = match random.below(3) {
            0 => vec![rays.boxes(random)],
            1 => vec![rays.triangles(random), rays.triangles(random)],
            _ => vec![rays.triangles(random)],
        };
        bottoms.push(rays.build(Type::BOTTOM_LEVEL, &geometries));
    }
    let structures = [rays.top(random, &bottoms), rays.top(random, &bottoms)];
    let words: Vec<u32> = (0..RAYS).flat_map(|_| ray(random)).collect();
    let found = rays.trace(structures, &words);
    found.into_iter().map(canonical).flat_map(u32::to_le_bytes).collect()
}
