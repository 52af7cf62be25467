//! Commands on ranges of device addresses (`VK_KHR_device_address_commands`) and markers in memory
//! (`VK_AMD_buffer_marker`), through the entry points.
#![allow(clippy::missing_transmute_annotations)] // variables say what commands are

use pyro_driver::registry_supplement::{self as new, DeviceAddressRangeKHR};
use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::mem::transmute;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::AmdBufferMarkerExtensionDeviceCommands as _;
use vulkanalia::vk::ExtConditionalRenderingExtensionDeviceCommands as _;
use vulkanalia::vk::KhrAccelerationStructureExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn context() -> Compute {
    let mut commands = new::PhysicalDeviceDeviceAddressCommandsFeaturesKHR {
        device_address_commands: vk::TRUE,
        ..Default::default()
    };
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = (&raw mut commands).cast();
    let extensions = [
        c"VK_KHR_device_address_commands",
        c"VK_AMD_buffer_marker",
        c"VK_EXT_conditional_rendering",
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
    ];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// A buffer of words and its address.
fn buffer(context: &Compute, words: &[u32]) -> (Buffer, u64) {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
        | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR;
    let buffer = context.buffer_with(words.len(), usage);
    words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

fn range(address: u64, size: u64) -> DeviceAddressRangeKHR {
    DeviceAddressRangeKHR { address, size }
}

/// Records, and whether the recording could be ended.
fn records(context: &Compute, record: impl FnOnce(vk::CommandBuffer)) -> bool {
    unsafe {
        let info =
            vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
        let commands = context.device.allocate_command_buffers(&info).expect("a command buffer")[0];
        context.device.begin_command_buffer(commands, &Default::default()).expect("begins");
        record(commands);
        context.device.end_command_buffer(commands).is_ok()
    }
}

/// A copy takes as much as its source has; fills and updates write their ranges only.
#[test]
fn memory_is_copied_filled_and_updated() {
    let context = context();
    let copy: new::PFN_vkCmdCopyMemoryKHR = unsafe { transmute(context.proc_address(c"vkCmdCopyMemoryKHR")) };
    let fill: new::PFN_vkCmdFillMemoryKHR = unsafe { transmute(context.proc_address(c"vkCmdFillMemoryKHR")) };
    let update: new::PFN_vkCmdUpdateMemoryKHR =
        unsafe { transmute(context.proc_address(c"vkCmdUpdateMemoryKHR")) };
    let barrier: vk::PFN_vkCmdPipelineBarrier2 =
        unsafe { transmute(context.proc_address(c"vkCmdPipelineBarrier2")) };
    let (_source, from) = buffer(&context, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let (target, to) = buffer(&context, &[0; 8]);
    context.run(|commands| unsafe {
        fill(commands, &range(to, 8), 0, 0xabcd);
        let region = new::DeviceMemoryCopyKHR {
            src_range: range(from + 8, 12),
            dst_range: range(to + 4, 28),
            ..Default::default()
        };
        let between = new::MemoryRangeBarrierKHR {
            src_stage_mask: vk::PipelineStageFlags2::ALL_TRANSFER,
            dst_stage_mask: vk::PipelineStageFlags2::ALL_TRANSFER,
            src_access_mask: vk::AccessFlags2::TRANSFER_WRITE,
            dst_access_mask: vk::AccessFlags2::TRANSFER_WRITE,
            address_range: range(to, 32),
            ..Default::default()
        };
        let barriers = new::MemoryRangeBarriersInfoKHR {
            memory_range_barrier_count: 1,
            memory_range_barriers: &raw const between,
            ..Default::default()
        };
        let dependency = vk::DependencyInfo { next: (&raw const barriers).cast(), ..Default::default() };
        barrier(commands, &raw const dependency);
        let info = new::CopyDeviceMemoryInfoKHR {
            region_count: 1,
            regions: &raw const region,
            ..Default::default()
        };
        copy(commands, &raw const info);
        let data = [70_u32, 71];
        update(commands, &range(to + 24, 8), 0, 8, data.as_ptr().cast());
    });
    assert_eq!(target.words(), [0xabcd, 3, 4, 5, 0, 0, 70, 71]);
}

/// A region with rows of three texels goes into an image and comes back in rows of four.
#[test]
fn images_are_copied_to_and_from_memory() {
    let context = context();
    let device = &context.device;
    let into: new::PFN_vkCmdCopyMemoryToImageKHR =
        unsafe { transmute(context.proc_address(c"vkCmdCopyMemoryToImageKHR")) };
    let out: new::PFN_vkCmdCopyImageToMemoryKHR =
        unsafe { transmute(context.proc_address(c"vkCmdCopyImageToMemoryKHR")) };
    let (_source, from) = buffer(&context, &(1..=6).collect::<Vec<u32>>());
    let (target, to) = buffer(&context, &[0; 8]);
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R32_UINT)
        .extent(vk::Extent3D { width: 4, height: 2, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    let (image, memory) = unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let needs = device.get_image_memory_requirements(image);
        let memory = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        let memory = device.allocate_memory(&memory, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        (image, memory)
    };
    let side = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    };
    let region = |address: u64, size, row, x, width| new::DeviceMemoryImageCopyKHR {
        address_range: range(address, size),
        address_row_length: row,
        image_subresource: side,
        image_layout: vk::ImageLayout::GENERAL,
        image_offset: vk::Offset3D { x, y: 0, z: 0 },
        image_extent: vk::Extent3D { width, height: 2, depth: 1 },
        ..Default::default()
    };
    let info = |region: &new::DeviceMemoryImageCopyKHR| new::CopyDeviceMemoryImageInfoKHR {
        image,
        region_count: 1,
        regions: region,
        ..Default::default()
    };
    context.run(|commands| unsafe {
        let everything = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let nines = vk::ClearColorValue { uint32: [9; 4] };
        device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &nines, &[everything]);
        into(commands, &info(&region(from, 24, 3, 1, 2)));
        out(commands, &info(&region(to, 32, 0, 0, 4)));
    });
    assert_eq!(target.words(), [9, 1, 2, 9, 9, 4, 5, 9]);
    // The region takes 20 bytes: two rows of three texels, of which the last has two.
    for (size, is_right) in [(20, true), (19, false), (0, false)] {
        let made = records(&context, |commands| unsafe {
            into(commands, &info(&region(from, size, 3, 1, 2)));
        });
        assert_eq!(made, is_right, "{size} bytes");
    }
    unsafe {
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}

/// Counts and conditions are those of memory when the commands run.
#[test]
fn dispatches_and_conditions_are_read_from_memory() {
    let context = context();
    let dispatch: new::PFN_vkCmdDispatchIndirect2KHR =
        unsafe { transmute(context.proc_address(c"vkCmdDispatchIndirect2KHR")) };
    let begin: new::PFN_vkCmdBeginConditionalRendering2EXT =
        unsafe { transmute(context.proc_address(c"vkCmdBeginConditionalRendering2EXT")) };
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(
        layout,
        &shader(
            "%to = OpAccessChain %word %buffer %uint_0 %gid\n%one = OpAtomicIAdd %uint %to %uint_1 %uint_0 %uint_1",
        ),
    );
    let (target, _) = buffer(&context, &[0; 4]);
    let (_words, at) = buffer(&context, &[7, 3, 1, 1, 0, 1]);
    let set = context.set(set_layout);
    context.write(set, target.buffer);
    context.run(|commands| unsafe {
        let device = &context.device;
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
        let counts = new::DispatchIndirect2InfoKHR { address_range: range(at + 4, 12), ..Default::default() };
        dispatch(commands, &raw const counts);
        for (place, flags) in [
            (16, vk::ConditionalRenderingFlagsEXT::empty()),
            (20, vk::ConditionalRenderingFlagsEXT::empty()),
            (16, vk::ConditionalRenderingFlagsEXT::INVERTED),
            (20, vk::ConditionalRenderingFlagsEXT::INVERTED),
        ] {
            let info = new::ConditionalRenderingBeginInfo2EXT {
                address_range: range(at + place, 4),
                flags,
                ..Default::default()
            };
            begin(commands, &raw const info);
            device.cmd_dispatch(commands, 4, 1, 1);
            device.cmd_end_conditional_rendering_ext(commands);
        }
    });
    assert_eq!(target.words(), [3, 3, 3, 2]);
}

/// Results of queries have the range's distance, and lie behind the markers that were written before them.
#[test]
fn query_results_and_markers_are_written_to_memory() {
    let context = context();
    let results: new::PFN_vkCmdCopyQueryPoolResultsToMemoryKHR =
        unsafe { transmute(context.proc_address(c"vkCmdCopyQueryPoolResultsToMemoryKHR")) };
    let mark: new::PFN_vkCmdWriteMarkerToMemoryAMD =
        unsafe { transmute(context.proc_address(c"vkCmdWriteMarkerToMemoryAMD")) };
    let mark2: vk::PFN_vkCmdWriteBufferMarker2AMD =
        unsafe { transmute(context.proc_address(c"vkCmdWriteBufferMarker2AMD")) };
    let device = &context.device;
    let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::TIMESTAMP).query_count(2);
    let pool = unsafe { device.create_query_pool(&info, None) }.expect("queries");
    let (target, at) = buffer(&context, &[5; 16]);
    let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
    let place = |size, stride| vk::StridedDeviceAddressRangeKHR { address: at + 16, size, stride };
    context.run(|commands| unsafe {
        device.cmd_reset_query_pool(commands, pool, 0, 2);
        device.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
        results(commands, pool, 0, 2, &place(40, 24), 0, flags);
        let marker = new::MemoryMarkerInfoAMD {
            stage: vk::PipelineStageFlags2::ALL_COMMANDS,
            dst_range: range(at, 4),
            marker: 11,
            ..Default::default()
        };
        mark(commands, &raw const marker);
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        device.cmd_write_buffer_marker_amd(commands, stage, target.buffer, 4, 12);
        mark2(commands, vk::PipelineStageFlags2::COPY, target.buffer, 8, 13);
    });
    let words = target.words();
    assert_eq!(words[..4], [11, 12, 13, 5]);
    assert_ne!([words[4], words[5]], [0, 0], "a time");
    // The first is available, then comes the gap, then the second, which is not.
    assert_eq!((&words[6..8], &words[8..10]), (&[1, 0][..], &[5, 5][..]));
    assert_eq!(words[12..], [0, 0, 5, 5]);
    let too_small = records(&context, |commands| unsafe {
        results(commands, pool, 0, 2, &place(39, 24), 0, flags);
    });
    assert!(!too_small, "the results take 40 bytes");
    unsafe { device.destroy_query_pool(pool, None) };
}

/// A structure has the address that it was created at.
#[test]
fn acceleration_structures_are_created_at_addresses() {
    let context = context();
    let create: new::PFN_vkCreateAccelerationStructure2KHR =
        unsafe { transmute(context.proc_address(c"vkCreateAccelerationStructure2KHR")) };
    let (_memory, at) = buffer(&context, &[0; 4096]);
    let aligned = at.next_multiple_of(256);
    for (address, size, is_right) in
        [(aligned, 1024, true), (aligned + 128, 1024, false), (0, 1024, false), (!255, 1024, false)]
    {
        let info = new::AccelerationStructureCreateInfo2KHR {
            address_range: range(address, size),
            type_: vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
            ..Default::default()
        };
        let mut made = vk::AccelerationStructureKHR::null();
        let code =
            unsafe { create(context.device.handle(), &raw const info, std::ptr::null(), &raw mut made) };
        assert_eq!(code == vk::Result::SUCCESS, is_right, "{address:#x}: {code:?}");
        if is_right {
            let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(made);
            unsafe {
                assert_eq!(context.device.get_acceleration_structure_device_address_khr(&info), address);
                context.device.destroy_acceleration_structure_khr(made, None);
            }
        }
    }
}

/// What cannot be right is told when the command buffer ends.
#[test]
fn wrong_ranges_are_refused() {
    let context = context();
    let fill: new::PFN_vkCmdFillMemoryKHR = unsafe { transmute(context.proc_address(c"vkCmdFillMemoryKHR")) };
    let dispatch: new::PFN_vkCmdDispatchIndirect2KHR =
        unsafe { transmute(context.proc_address(c"vkCmdDispatchIndirect2KHR")) };
    let copy: new::PFN_vkCmdCopyMemoryKHR = unsafe { transmute(context.proc_address(c"vkCmdCopyMemoryKHR")) };
    let (_memory, at) = buffer(&context, &[0; 16]);
    for (wrong, of_fill, of_dispatch) in [
        (range(at, 12), true, true),
        (range(0, 12), false, false),
        (range(u64::MAX - 3, 12), false, false),
        (range(at + 2, 12), false, false),
        (range(at, 10), false, false),
        (range(at, 0), true, false),
    ] {
        let made = records(&context, |commands| unsafe { fill(commands, &raw const wrong, 0, 1) });
        assert_eq!(made, of_fill, "fill {wrong:?}");
        let info = new::DispatchIndirect2InfoKHR { address_range: wrong, ..Default::default() };
        let made = records(&context, |commands| unsafe { dispatch(commands, &raw const info) });
        assert_eq!(made, of_dispatch, "dispatch {wrong:?}");
    }
    let region = new::DeviceMemoryCopyKHR {
        src_range: range(at, 16),
        dst_range: range(at + 32, 12),
        ..Default::default()
    };
    let info = new::CopyDeviceMemoryInfoKHR {
        region_count: 1,
        regions: slice::from_ref(&region).as_ptr(),
        ..Default::default()
    };
    assert!(!records(&context, |commands| unsafe { copy(commands, &raw const info) }), "a smaller target");
}
