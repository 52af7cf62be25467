//! Files of memory that somebody truncates: the device is lost and says why, and the process goes on.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use crate::faults::{context, dispatch, lost, pipeline};
use pyro_test_environment::in_child;
use pyro_test_kit::Gpu;
use pyro_test_kit::canvas::{Canvas, rectangle, viewport};
use pyro_test_kit::compute::shader;
use std::fs::File;
use std::os::fd::IntoRawFd;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

const FILE_BYTES: u64 = 64 << 10;

/// Bytes that a file has left when it was truncated.
const LEFT_BYTES: u64 = 4096;

/// A file of zeros that has no name.
fn file() -> File {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("pyro-truncated-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
    std::fs::remove_file(path).expect("removed");
    let file = file.expect("a file");
    file.set_len(FILE_BYTES).expect("its size");
    file
}

/// A file's bytes as memory.
fn import(gpu: &Gpu, file: &File) -> vk::DeviceMemory {
    let ty = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let fd = file.try_clone().expect("a descriptor").into_raw_fd();
    let mut import = vk::ImportMemoryFdInfoKHR::builder().handle_type(ty).fd(fd);
    let info = vk::MemoryAllocateInfo::builder().allocation_size(FILE_BYTES).push_next(&mut import);
    unsafe { gpu.device.allocate_memory(&info, None) }.expect("imported")
}

fn imported_buffer(gpu: &Gpu, memory: vk::DeviceMemory) -> vk::Buffer {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::INDEX_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::builder().size(FILE_BYTES).usage(usage);
    unsafe {
        let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
        gpu.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        buffer
    }
}

/// An image in memory, and a view of it.
fn imported_image(gpu: &Gpu, memory: vk::DeviceMemory) -> (vk::Image, vk::ImageView) {
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(
            vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST,
        );
    unsafe {
        let image = gpu.device.create_image(&info, None).expect("an image");
        assert!(gpu.device.get_image_memory_requirements(image).size <= FILE_BYTES);
        gpu.device.bind_image_memory(image, memory, 0).expect("bound");
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(vk::ImageViewType::_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .subresource_range(color());
        (image, gpu.device.create_image_view(&info, None).expect("a view"))
    }
}

fn color() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    }
}

/// Copies, fills and dispatches: the buffer's bytes were there before.
fn truncated_buffers() {
    for number in 0..5 {
        let context = context(&[c"VK_KHR_external_memory_fd"]);
        let file = file();
        let memory = import(&context, &file);
        let imported = imported_buffer(&context, memory);
        let plain = context.buffer(FILE_BYTES as usize / 4).buffer;
        let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size: FILE_BYTES };
        let stored = "%place = OpAccessChain %word %buffer %uint_0 %gid OpStore %place %push";
        let (pipeline, set) = pipeline(&context, &shader(stored));
        context.write(set, imported);
        let device = &context.device;
        context.run(|commands| unsafe { device.cmd_fill_buffer(commands, imported, 0, vk::WHOLE_SIZE, 3) });
        file.set_len(if number == 0 { LEFT_BYTES } else { 0 }).expect("truncated");
        let text = lost(&context, |commands| unsafe {
            match number {
                0 => device.cmd_copy_buffer(commands, imported, plain, &[region]),
                1 => device.cmd_copy_buffer(commands, plain, imported, &[region]),
                2 => device.cmd_fill_buffer(commands, imported, 0, vk::WHOLE_SIZE, 7),
                3 => device.cmd_update_buffer(commands, imported, 0, &[1_u8; 64]),
                _ => dispatch(&context, pipeline, set, 5)(commands),
            }
        });
        assert!(text.contains("SIGBUS"), "{number}: {text}");
        unsafe {
            device.destroy_buffer(imported, None);
            device.free_memory(memory, None);
        }
    }
}

/// Index buffers, attachments and copies of images.
fn truncated_draws() {
    for number in 0..4 {
        let canvas = Canvas::with(&[c"VK_EXT_device_fault", c"VK_KHR_external_memory_fd"]);
        let (gpu, device) = (&*canvas, &canvas.device);
        let file = file();
        let memory = import(gpu, &file);
        let indices = imported_buffer(gpu, memory);
        let (image, view) = imported_image(gpu, memory);
        let corners = [[-1.0_f32, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [x, y, 0.5, 1.0]);
        canvas.fill(0, &corners.as_flattened().iter().map(|value| value.to_bits()).collect::<Vec<_>>());
        let pipeline = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_LIST, true);
        let general = vk::ImageLayout::GENERAL;
        let attachment = vk::RenderingAttachmentInfo::builder()
            .image_view(view)
            .image_layout(general)
            .load_op(if number == 1 { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD })
            .store_op(vk::AttachmentStoreOp::STORE);
        let info = vk::RenderingInfo::builder()
            .render_area(rectangle(0, 0, 64, 64))
            .layer_count(1)
            .color_attachments(slice::from_ref(&attachment));
        let draw = |commands| unsafe {
            device.cmd_begin_rendering_khr(commands, &info);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_set_viewport(commands, 0, &[viewport(0.0, 0.0, 64.0, 64.0)]);
            device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, 64, 64)]);
            device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[0]);
            device.cmd_bind_index_buffer(commands, indices, 0, vk::IndexType::UINT32);
            if number == 0 {
                device.cmd_draw_indexed(commands, 3, 1, 4096, 0, 0);
            } else {
                device.cmd_draw(commands, 3, 1, 0, 0);
            }
            device.cmd_end_rendering_khr(commands);
        };
        gpu.run(draw);
        file.set_len(0).expect("truncated");
        let text = lost(gpu, |commands| unsafe {
            match number {
                0..=2 => draw(commands),
                _ => {
                    let clear = vk::ClearColorValue { float32: [1.0; 4] };
                    device.cmd_clear_color_image(commands, image, general, &clear, &[color()]);
                }
            }
        });
        assert!(text.contains("SIGBUS"), "{number}: {text}");
        unsafe {
            device.destroy_pipeline(pipeline, None);
            device.destroy_image_view(view, None);
            device.destroy_image(image, None);
            device.destroy_buffer(indices, None);
            device.free_memory(memory, None);
        }
    }
}

/// What the application maps can be read and written, and only the device of that memory is lost.
fn truncated_mappings() {
    let other = context(&[c"VK_KHR_external_memory_fd"]);
    let context = context(&[c"VK_KHR_external_memory_fd"]);
    let file = file();
    let memory = import(&context, &file);
    let bytes = unsafe {
        let mapped = context.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        mapped.expect("mapped").cast::<u8>()
    };
    unsafe {
        bytes.add(FILE_BYTES as usize - 1).write_volatile(7);
        file.set_len(LEFT_BYTES).expect("truncated");
        assert_eq!(bytes.add(FILE_BYTES as usize - 1).read_volatile(), 0);
        bytes.add(FILE_BYTES as usize - 1).write_volatile(8);
        assert_eq!(bytes.add(FILE_BYTES as usize - 1).read_volatile(), 8);
    }
    let target = other.buffer(16);
    other.run(|commands| unsafe {
        other.device.cmd_fill_buffer(commands, target.buffer, 0, vk::WHOLE_SIZE, 9);
    });
    assert_eq!(target.words(), [9; 16]);
    assert!(lost(&context, |_| ()).contains("a file of imported memory was truncated"));
    unsafe { context.device.free_memory(memory, None) };
}

fn truncated_files() {
    truncated_buffers();
    truncated_draws();
    truncated_mappings();
}

/// Another process may truncate a file that is imported as memory: who accesses what is gone goes on, and
/// the device is lost.
#[test]
fn truncated_files_lose_the_device() {
    if in_child(module_path!(), "truncated_files_lose_the_device", &[]) {
        truncated_files();
    }
}

#[test]
fn truncated_files_lose_the_device_with_avx2() {
    let name = "truncated_files_lose_the_device_with_avx2";
    if in_child(module_path!(), name, &[("PYROCLAST_CPU", "avx2")]) {
        truncated_files();
    }
}

#[test]
fn truncated_files_lose_the_device_in_the_interpreter() {
    let name = "truncated_files_lose_the_device_in_the_interpreter";
    if in_child(module_path!(), name, &[("PYROCLAST_CPU", "interpreter")]) {
        truncated_files();
    }
}
