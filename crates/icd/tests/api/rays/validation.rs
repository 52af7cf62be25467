//! What applications are told about what structures are built from (`VK_NV_ray_tracing_validation`).

use super::{
    IDENTITY, NO_OPERATION, Rays, SQUARE, Structure, Type, V1_3, at, instance_geometry, range, triangles,
};
use pyro_test_kit::{Client, Gpu, Messages};
use std::cell::RefCell;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrAccelerationStructureExtensionDeviceCommands as _;

/// A device that says what it hears, and the structures that were made.
struct Checked {
    gpu: Gpu,
    heard: Messages,
    made: RefCell<Vec<(Structure, vk::Buffer, vk::DeviceMemory)>>,
}

impl Checked {
    fn new(validates: bool) -> Checked {
        let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils"]);
        let heard = client.listen(
            vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            vk::DebugUtilsMessageTypeFlagsEXT::all(),
        );
        let mut validation =
            vk::PhysicalDeviceRayTracingValidationFeaturesNV::builder().ray_tracing_validation(validates);
        let mut structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder()
            .acceleration_structure(true)
            .acceleration_structure_host_commands(true);
        structures.next = (&raw mut validation).cast();
        let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
        features.next = (&raw mut structures).cast();
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_NV_ray_tracing_validation",
        ];
        let gpu = client.device(&extensions, None, (&raw mut features).cast());
        Checked { gpu, heard, made: RefCell::default() }
    }

    /// The address of a structure that is built of a geometry, and what is told about it.
    fn build(
        &self,
        ty: Type,
        geometry: vk::AccelerationStructureGeometryKHR,
        range: vk::AccelerationStructureBuildRangeInfoKHR,
        on_host: bool,
    ) -> (u64, Vec<String>) {
        let device = &self.gpu.device;
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(&geometries)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD);
        info.type_ = ty;
        unsafe {
            let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
            device.get_acceleration_structure_build_sizes_khr(
                vk::AccelerationStructureBuildTypeKHR::HOST_OR_DEVICE,
                &info,
                &[range.primitive_count],
                &mut sizes,
            );
            let size = sizes.acceleration_structure_size;
            let (buffer, memory, _) = self.gpu.mapped_buffer(size, usage);
            let mut create = vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer).size(size);
            create.type_ = ty;
            let structure = device.create_acceleration_structure_khr(&create, None).expect("a structure");
            self.made.borrow_mut().push((structure, buffer, memory));
            info.dst_acceleration_structure = structure;
            if on_host {
                let ranges: &[_] = &[range];
                device.build_acceleration_structures_khr(NO_OPERATION(), &[info], &[ranges]).expect("built");
            } else {
                self.gpu.run(|commands| {
                    device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range]]);
                });
            }
            let info =
                vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(structure);
            let address = device.get_acceleration_structure_device_address_khr(&info);
            // Messages without an object come to the messengers of all instances, those of other tests too.
            let about = format!("the acceleration structure at {address:#x}: ");
            let texts = self.heard.take().into_iter().map(|message| message.text);
            let texts = texts.filter_map(|text| text.split_once(&about).map(|(_, text)| text.to_owned()));
            (address, texts.collect())
        }
    }

    /// What is told about triangles of these corners.
    fn triangles(&self, vertices: &[[f32; 3]], indices: &[u32], on_host: bool) -> (u64, Vec<String>) {
        let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(vertices.as_ptr() as u64),
            vertex_stride: 12,
            max_vertex: vertices.len() as u32 - 1,
            index_type: vk::IndexType::UINT32,
            index_data: at(indices.as_ptr() as u64),
            ..Default::default()
        };
        self.build(Type::BOTTOM_LEVEL, triangles(data, true), range(indices.len() as u32 / 3), on_host)
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        for (structure, buffer, memory) in self.made.take() {
            unsafe {
                self.gpu.device.destroy_acceleration_structure_khr(structure, None);
                self.gpu.device.destroy_buffer(buffer, None);
                self.gpu.device.free_memory(memory, None);
            }
        }
    }
}

/// Of triangles, boxes and instances, on the host and on the device: each kind of problem with how many have
/// it, and the first one's number; nothing about those that are inactive, and nothing unless it is asked for.
#[test]
fn builds_tell_what_is_wrong_with_their_input() {
    const NAN: f32 = f32::NAN;
    let quiet = Checked::new(false);
    let checked = Checked::new(true);
    let vertices =
        [SQUARE[0], SQUARE[1], SQUARE[2], [0.0, NAN, 0.0], [NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0]];
    // Right; above maxVertex; NaN; inactive; infinite; above it again.
    let indices = [0, 1, 2, 0, 1, 6, 3, 0, 1, 3, 4, 0, 0, 5, 1, 99, 0, 0];
    for on_host in [true, false] {
        assert_eq!(quiet.triangles(&vertices, &indices, on_host).1, [""; 0]);
        let (address, heard) = checked.triangles(&vertices, &indices, on_host);
        let [index, nan, infinite] = &heard[..] else { panic!("three messages: {heard:?}") };
        assert!(index.starts_with("2 primitives have an index above maxVertex"), "{index}");
        assert!(index.ends_with("the first is primitive 1 of geometry 0"), "{index}");
        assert!(nan.starts_with("1 primitives have NaN") && nan.contains("primitive 2 "), "{nan}");
        assert!(infinite.contains("infinite") && infinite.contains("primitive 4 "), "{infinite}");
        assert_eq!(checked.triangles(&SQUARE, &[0, 1, 2, 0, 2, 3], on_host).1, [""; 0]);

        // The host's references are handles, which these are not.
        if !on_host {
            let flat = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]];
            let instances: Vec<u32> = [
                Rays::instance(IDENTITY, [0, 0xff, 0, 0], address),
                Rays::instance(IDENTITY, [0, 0xff, 0, 0], 0),
                Rays::instance(flat, [0, 0xff, 0, 0], address),
                Rays::instance(IDENTITY, [0, 0xff, 0, 0], address + 1),
            ]
            .concat();
            let geometry = instance_geometry(instances.as_ptr() as u64, false);
            let (_, heard) = checked.build(Type::TOP_LEVEL, geometry, range(4), on_host);
            let [transform, reference] = &heard[..] else { panic!("two messages: {heard:?}") };
            assert!(transform.contains("VUID-VkTransformMatrixKHR-matrix-03799"), "{transform}");
            assert!(transform.ends_with("the first is instance 2"), "{transform}");
            assert!(reference.contains("no acceleration structure"), "{reference}");
            assert!(reference.ends_with("the first is instance 3"), "{reference}");
        }

        let sides: [[f32; 6]; 3] = [[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [NAN; 6], [0.0, 2.0, 0.0, 1.0, 1.0, 1.0]];
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR {
            data: at(sides.as_ptr() as u64),
            stride: 24,
            ..Default::default()
        };
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::AABBS,
            geometry: vk::AccelerationStructureGeometryDataKHR { aabbs },
            ..Default::default()
        };
        let (_, heard) = checked.build(Type::BOTTOM_LEVEL, geometry, range(3), on_host);
        let [side] = &heard[..] else { panic!("one message: {heard:?}") };
        assert!(side.contains("VUID-VkAabbPositionsKHR-minX-03546"), "{side}");
        assert!(side.contains("primitive 2 "), "{side}");
    }
}
