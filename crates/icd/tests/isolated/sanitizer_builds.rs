//! What the sanitizer follows of commands without shaders: builds of acceleration structures, conversions of
//! matrices, decompression.

use pyro_driver::registry_supplement::DecompressMemoryInfoEXT;
use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    AccessFlags2 as Access, KhrAccelerationStructureExtensionDeviceCommands as _,
    NvCooperativeVectorExtensionDeviceCommands as _, PipelineStageFlags2 as Stage,
};

/// Records a barrier of memory.
fn barrier(device: &vulkanalia::Device, commands: vk::CommandBuffer, scopes: [(Stage, Access); 2]) {
    let [(src_stage, src_access), (dst_stage, dst_access)] = scopes;
    let barriers = [vk::MemoryBarrier2::builder()
        .src_stage_mask(src_stage)
        .src_access_mask(src_access)
        .dst_stage_mask(dst_stage)
        .dst_access_mask(dst_access)];
    let info = vk::DependencyInfo::builder().memory_barriers(&barriers);
    unsafe { device.cmd_pipeline_barrier2(commands, &info) };
}

/// A scope where words are filled.
const FILL: (Stage, Access) = (Stage::CLEAR, Access::TRANSFER_WRITE);
/// A scope of builds' inputs.
const INPUT: (Stage, Access) = (Stage::ACCELERATION_STRUCTURE_BUILD_KHR, Access::SHADER_READ);
/// A scope of what builds write.
const BUILT: (Stage, Access) =
    (Stage::ACCELERATION_STRUCTURE_BUILD_KHR, Access::ACCELERATION_STRUCTURE_WRITE_KHR);

/// Each command reads what a fill before it has written, or writes what the one before it has: that is found
/// without a barrier between, and not with one.
#[test]
#[expect(clippy::too_many_lines, reason = "one process, one list of cases")]
fn builds_conversions_and_decompression_are_followed() {
    let environment = [("PYROCLAST_SANITIZE", "race-command-buffer")];
    if !in_child(module_path!(), "builds_conversions_and_decompression_are_followed", &environment) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let mut decompression =
        vk::PhysicalDeviceMemoryDecompressionFeaturesEXT::builder().memory_decompression(true);
    let mut vectors = vk::PhysicalDeviceCooperativeVectorFeaturesNV::builder().cooperative_vector(true);
    let mut structures =
        vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
    let mut version_13 = vk::PhysicalDeviceVulkan13Features::builder().synchronization2(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    vectors.next = from_mut(&mut decompression).cast();
    structures.next = from_mut(&mut vectors).cast();
    version_13.next = from_mut(&mut structures).cast();
    features.next = from_mut(&mut version_13).cast();
    let extensions = [
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
        c"VK_NV_cooperative_vector",
        c"VK_EXT_memory_decompression",
    ];
    let compute = Compute::from(client.device(&extensions, None, from_mut(&mut features).cast()));
    let device = &compute.device;
    let buffer = |count| {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR;
        let buffer = compute.buffer_with(count, usage);
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        let address = unsafe { device.get_buffer_device_address(&info) };
        (buffer, address)
    };
    let ((vertices, vertex_address), (indices, index_address)) = (buffer(64), buffer(8));
    [0, 2, 1].into_iter().enumerate().for_each(|(place, index)| indices.put(place, index));
    let (_scratch, scratch_address) = buffer(64);
    let storage: Vec<(Buffer, vk::AccelerationStructureKHR)> = (0..2)
        .map(|_| {
            let (buffer, _) = buffer(1 << 12);
            let info = vk::AccelerationStructureCreateInfoKHR::builder()
                .buffer(buffer.buffer)
                .size(1 << 14)
                .type_(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL);
            let structure = unsafe { device.create_acceleration_structure_khr(&info, None) };
            (buffer, structure.expect("a structure"))
        })
        .collect();
    // Vertices of 12 bytes, 16 bytes apart.
    let build = |commands, structure: usize, scratch: u64| unsafe {
        let mut data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_stride: 16,
            max_vertex: 2,
            index_type: vk::IndexType::UINT32,
            ..Default::default()
        };
        data.vertex_data.device_address = vertex_address;
        data.index_data.device_address = index_address;
        let mut geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::TRIANGLES,
            ..Default::default()
        };
        geometry.geometry.triangles = data;
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(&geometries)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .type_(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL);
        info.dst_acceleration_structure = storage[structure].1;
        info.scratch_data.device_address = scratch;
        let range = vk::AccelerationStructureBuildRangeInfoKHR { primitive_count: 1, ..Default::default() };
        device.cmd_build_acceleration_structures_khr(commands, &[info], &[&[range]]);
    };
    let fill = |commands, buffer: &Buffer, words: std::ops::Range<u64>| unsafe {
        let size = 4 * (words.end - words.start);
        device.cmd_fill_buffer(commands, buffer.buffer, 4 * words.start, size, 0);
    };
    let ((matrix, matrix_address), (converted, converted_address)) = (buffer(64), buffer(64));
    let convert = |commands| unsafe {
        let mut size = 256;
        let layout = vk::CooperativeVectorMatrixLayoutNV::ROW_MAJOR;
        let ty = vk::ComponentTypeKHR::FLOAT32;
        let mut info = vk::ConvertCooperativeVectorMatrixInfoNV {
            src_size: 256,
            dst_size: &raw mut size,
            src_component_type: ty,
            dst_component_type: ty,
            num_rows: 4,
            num_columns: 4,
            src_layout: layout,
            src_stride: 64,
            dst_layout: layout,
            dst_stride: 16,
            ..Default::default()
        };
        info.src_data.device_address = matrix_address;
        info.dst_data.device_address = converted_address;
        device.cmd_convert_cooperative_vector_matrix_nv(commands, &[info]);
    };
    let ((compressed, compressed_address), (_plain, plain_address)) = (buffer(64), buffer(64));
    let decompress = |commands| unsafe {
        let regions = [vk::DecompressMemoryRegionEXT {
            src_address: compressed_address,
            dst_address: plain_address,
            compressed_size: 256,
            decompressed_size: 64,
        }];
        // The bindings' structure has a mask of 32 bits where there is one of 64.
        let info = DecompressMemoryInfoEXT {
            decompression_method: 1,
            region_count: 1,
            regions: regions.as_ptr(),
            ..Default::default()
        };
        let info = (&raw const info).cast::<vk::DecompressMemoryInfoEXT>();
        (device.commands().cmd_decompress_memory_ext)(commands, info);
    };
    let converting = Stage::CONVERT_COOPERATIVE_VECTOR_MATRIX_NV;
    let decompressing = Stage::MEMORY_DECOMPRESSION_EXT;
    type Step<'s> = Box<dyn Fn(vk::CommandBuffer) + 's>;
    /// Its name, a command, what a barrier between them has, and the command after it.
    type Case<'a> = (&'a str, Step<'a>, [(Stage, Access); 2], Step<'a>);
    let cases: [Case<'_>; 7] = [
        (
            "vertices",
            Box::new(|commands| fill(commands, &vertices, 8..9)),
            [FILL, INPUT],
            Box::new(|commands| build(commands, 0, 0)),
        ),
        (
            "indices",
            Box::new(|commands| unsafe { device.cmd_update_buffer(commands, indices.buffer, 8, &[0; 4]) }),
            [(Stage::ALL_TRANSFER, Access::TRANSFER_WRITE), INPUT],
            Box::new(|commands| build(commands, 0, 0)),
        ),
        (
            "scratch memory",
            Box::new(|commands| build(commands, 0, scratch_address)),
            [BUILT, BUILT],
            Box::new(|commands| build(commands, 1, scratch_address)),
        ),
        (
            "a matrix's source",
            Box::new(|commands| fill(commands, &matrix, 16..20)),
            [FILL, (converting, Access::TRANSFER_READ)],
            Box::new(&convert),
        ),
        (
            "a matrix's target",
            Box::new(&convert),
            [(converting, Access::TRANSFER_WRITE), FILL],
            Box::new(|commands| fill(commands, &converted, 15..17)),
        ),
        (
            "compressed data",
            Box::new(|commands| fill(commands, &compressed, 63..64)),
            [FILL, (decompressing, Access::MEMORY_DECOMPRESSION_READ_EXT)],
            Box::new(&decompress),
        ),
        (
            "decompressed data",
            Box::new(&decompress),
            [(decompressing, Access::MEMORY_DECOMPRESSION_WRITE_EXT); 2],
            Box::new(&decompress),
        ),
    ];
    // What lies between vertices, and between the lines of a matrix, is not read. (Each pair of commands is
    // told once, so this comes first.)
    compute.run(|commands| {
        fill(commands, &vertices, 3..4);
        fill(commands, &vertices, 11..64);
        fill(commands, &matrix, 4..16);
        build(commands, 0, 0);
        convert(commands);
    });
    assert!(heard.take().iter().all(|one| !one.id.contains("race")));
    for (name, first, scopes, second) in &cases {
        for is_ordered in [true, false] {
            compute.run(|commands| {
                first(commands);
                if is_ordered {
                    barrier(device, commands, *scopes);
                }
                second(commands);
            });
            let messages: Vec<_> = heard.take().into_iter().filter(|one| one.id.contains("race")).collect();
            assert_eq!(messages.is_empty(), is_ordered, "{name}: {messages:?}");
        }
    }
    for (_, structure) in &storage {
        unsafe { device.destroy_acceleration_structure_khr(*structure, None) };
    }
}
