//! Copies whose regions lie in memory, through the entry points.

use pyro_test_kit::compute::{Buffer, Compute};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrCopyMemoryIndirectExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;

fn context() -> Compute {
    let mut copies = vk::PhysicalDeviceCopyMemoryIndirectFeaturesKHR::builder()
        .indirect_memory_copy(true)
        .indirect_memory_to_image_copy(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = (&raw mut copies).cast();
    Compute::new(V1_3, &[c"VK_KHR_copy_memory_indirect"], (&raw mut features).cast())
}

/// A buffer of words and its address.
fn buffer(context: &Compute, words: &[u32]) -> (Buffer, u64) {
    let buffer = context.buffer_with(words.len(), vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

/// An address as two words.
fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

fn range(address: u64, size: u64, stride: u64) -> vk::StridedDeviceAddressRangeKHR {
    vk::StridedDeviceAddressRangeKHR { address, size, stride }
}

/// The addresses are written by a fill on the device after the copy was recorded, the last command is one too
/// many.
#[test]
fn memory_is_copied_as_memory_says() {
    let context = context();
    let (source, from) = buffer(&context, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let (target, to) = buffer(&context, &[0; 8]);
    let mut words = Vec::new();
    for (source, target, size) in
        [(from, to + 16, 8), (from + 20, to, 12), (from, to + 28, 0), (from, to + 28, 4)]
    {
        words.extend([halves(source), halves(target), [size, 0], [99, 99]].concat());
    }
    let (commands, address) = buffer(&context, &words);
    commands.put(4, 0);
    context.run(|recording| unsafe {
        context.device.cmd_fill_buffer(recording, commands.buffer, 16, 4, 8);
        let info = vk::CopyMemoryIndirectInfoKHR::builder()
            .copy_count(3)
            .copy_address_range(range(address, 128, 32));
        context.device.cmd_copy_memory_indirect_khr(recording, &info);
    });
    assert_eq!(target.words(), [6, 7, 8, 0, 1, 2, 0, 0]);
    assert_eq!(source.words(), [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// A region of an image of two layers, and two slices of one of three dimensions, which are named as layers.
#[test]
fn images_are_filled_as_memory_says() {
    let context = context();
    let device = &context.device;
    let (_source, from) = buffer(&context, &(1..=12).collect::<Vec<u32>>());
    for (ty, depth, layers) in [(vk::ImageType::_2D, 1, 3), (vk::ImageType::_3D, 3, 1)] {
        let info = vk::ImageCreateInfo::builder()
            .image_type(ty)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D { width: 4, height: 2, depth })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        let (image, memory) = unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let needs = device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            (image, memory)
        };
        // Two columns from the second on, of planes 1 and 2; rows of three texels, the rest of which stays
        // behind.
        let side = vk::ImageSubresourceLayers {
            aspect_mask: COLOR,
            mip_level: 0,
            base_array_layer: 1,
            layer_count: 2,
        };
        let [z, slices] = if depth == 1 { [0, 1] } else { [1, 2] };
        let words =
            [&halves(from)[..], &[3, 2], &[COLOR.bits(), 0, 1, 2], &[1, 0, z], &[2, 2, slices]].concat();
        let (_commands, address) = buffer(&context, &words);
        let (result, _) = buffer(&context, &[0; 24]);
        context.run(|recording| unsafe {
            let layout = vk::ImageLayout::GENERAL;
            let all = vk::ImageSubresourceRange {
                aspect_mask: COLOR,
                level_count: 1,
                layer_count: layers,
                ..Default::default()
            };
            device.cmd_clear_color_image(
                recording,
                image,
                layout,
                &vk::ClearColorValue { uint32: [50; 4] },
                &[all],
            );
            let info = vk::CopyMemoryToImageIndirectInfoKHR::builder()
                .copy_address_range(range(address, 56, 56))
                .dst_image(image)
                .dst_image_layout(layout)
                .image_subresources(std::slice::from_ref(&side));
            device.cmd_copy_memory_to_image_indirect_khr(recording, &info);
            let region = vk::BufferImageCopy {
                image_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: COLOR,
                    layer_count: layers,
                    ..Default::default()
                },
                image_extent: vk::Extent3D { width: 4, height: 2, depth },
                ..Default::default()
            };
            device.cmd_copy_image_to_buffer(recording, image, layout, result.buffer, &[region]);
        });
        let plane = |first: u32| [50, first, first + 1, 50, 50, first + 3, first + 4, 50];
        assert_eq!(result.words(), [[50; 8], plane(1), plane(7)].concat(), "{ty:?}");
        unsafe {
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
    }
}

/// What cannot be right is told when the command buffer ends.
#[test]
fn ranges_hold_what_they_say() {
    let context = context();
    let (_commands, address) = buffer(&context, &[0; 64]);
    for (count, range) in
        [(3, range(address, 48, 24)), (1, range(address + 2, 24, 24)), (1, range(address, 24, 20))]
    {
        unsafe {
            let info =
                vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
            let recording = context.device.allocate_command_buffers(&info).expect("a command buffer")[0];
            context.device.begin_command_buffer(recording, &Default::default()).expect("begins");
            let info = vk::CopyMemoryIndirectInfoKHR::builder().copy_count(count).copy_address_range(range);
            context.device.cmd_copy_memory_indirect_khr(recording, &info);
            context.device.end_command_buffer(recording).expect_err("misuse");
        }
    }
}
