//! Images through the entry points, in this process: copies, clears, blits, resolves, render passes without
//! draws, views and samplers.

use pyro_test_environment::in_child;
use pyro_test_kit::{Client, Gpu, resident_bytes};
use std::ops::Deref;
use std::slice;
use vulkanalia::prelude::v1_3::*;

struct Context(Gpu);

impl Deref for Context {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.0
    }
}

/// A buffer with mapped memory.
struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: *mut u8,
    size: usize,
}

/// An image with memory.
struct Image {
    image: vk::Image,
    memory: vk::DeviceMemory,
}

impl Buffer {
    fn fill(&self, byte: impl Fn(usize) -> u8) {
        (0..self.size).for_each(|index| unsafe { *self.bytes.add(index) = byte(index) });
    }

    fn bytes(&self) -> &[u8] {
        unsafe { slice::from_raw_parts(self.bytes, self.size) }
    }
}

fn layers(aspect: vk::ImageAspectFlags, level: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: aspect, mip_level: level, base_array_layer: 0, layer_count: 1 }
}

fn range(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: aspect,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

fn extent(width: u32, height: u32) -> vk::Extent3D {
    vk::Extent3D { width, height, depth: 1 }
}

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// The first and the last of the formats of compressed blocks, by extension.
const COMPRESSED: [(vk::Format, vk::Format); 2] = [
    (vk::Format::BC1_RGB_UNORM_BLOCK, vk::Format::ASTC_12X12_SRGB_BLOCK),
    (vk::Format::ASTC_3X3X3_UNORM_BLOCK_EXT, vk::Format::ASTC_6X6X6_SFLOAT_BLOCK_EXT),
];

fn is_compressed(format: vk::Format) -> bool {
    COMPRESSED.iter().any(|(first, last)| (first.as_raw()..=last.as_raw()).contains(&format.as_raw()))
}

impl Context {
    fn new() -> Context {
        Context(Client::new(vk::make_version(1, 3, 0), &[]).device(&[], None, std::ptr::null_mut()))
    }

    fn buffer(&self, size: usize) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let (buffer, memory, bytes) = self.mapped_buffer(size as u64, usage);
        Buffer { buffer, memory, bytes, size }
    }

    fn image(&self, format: vk::Format, size: vk::Extent3D, levels: u32, samples: u32) -> Image {
        let depth = (vk::Format::D16_UNORM.as_raw()..=vk::Format::D32_SFLOAT_S8_UINT.as_raw())
            .contains(&format.as_raw());
        let attachment = if depth {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else if is_compressed(format) {
            vk::ImageUsageFlags::SAMPLED
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        unsafe {
            let info = vk::ImageCreateInfo::builder()
                .image_type(if size.depth > 1 { vk::ImageType::_3D } else { vk::ImageType::_2D })
                .format(format)
                .extent(size)
                .mip_levels(levels)
                .array_layers(1)
                .samples(vk::SampleCountFlags::from_bits_truncate(samples))
                .tiling(vk::ImageTiling::OPTIMAL)
                .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | attachment);
            let image = self.device.create_image(&info, None).expect("an image");
            let needs = self.device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size + needs.alignment);
            let memory = self.device.allocate_memory(&info, None).expect("memory");
            self.device.bind_image_memory(image, memory, needs.alignment).expect("bound");
            Image { image, memory }
        }
    }

    fn view(&self, image: &Image, format: vk::Format, aspect: vk::ImageAspectFlags) -> vk::ImageView {
        let info = vk::ImageViewCreateInfo::builder()
            .image(image.image)
            .view_type(vk::ImageViewType::_2D)
            .format(format)
            .subresource_range(range(aspect));
        unsafe { self.device.create_image_view(&info, None) }.expect("a view")
    }

    /// A blit of all texels of the first level, one by one.
    unsafe fn blit_whole(&self, commands: vk::CommandBuffer, from: &Image, to: &Image, size: vk::Extent3D) {
        let [x, y, z] = [size.width, size.height, size.depth].map(|side| side as i32);
        let ends = [vk::Offset3D::default(), vk::Offset3D { x, y, z }];
        let blit = vk::ImageBlit {
            src_subresource: layers(COLOR, 0),
            src_offsets: ends,
            dst_subresource: layers(COLOR, 0),
            dst_offsets: ends,
        };
        let filter = vk::Filter::NEAREST;
        unsafe {
            self.device.cmd_blit_image(commands, from.image, GENERAL, to.image, GENERAL, &[blit], filter);
        }
    }

    /// A copy of a whole level from or to the start of a buffer.
    fn region(&self, aspect: vk::ImageAspectFlags, level: u32, size: vk::Extent3D) -> vk::BufferImageCopy {
        vk::BufferImageCopy {
            image_subresource: layers(aspect, level),
            image_extent: size,
            ..Default::default()
        }
    }

    fn free_image(&self, image: Image) {
        unsafe {
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }

    fn free_buffer(&self, buffer: Buffer) {
        unsafe {
            self.device.destroy_buffer(buffer.buffer, None);
            self.device.free_memory(buffer.memory, None);
        }
    }
}

#[test]
fn image_copies_respect_the_row_pitch() {
    let context = Context::new();
    let device = &context.device;
    let (from, to) = (context.buffer(64 * 1024), context.buffer(64 * 1024));
    from.fill(|index| (index * 31 + index / 256) as u8);
    let image = context.image(vk::Format::R8G8B8A8_UNORM, extent(33, 17), 1, 1);
    let other = context.image(vk::Format::R8G8B8A8_UINT, extent(33, 17), 1, 1);
    context.run(|commands| unsafe {
        // Rows of 40 texels in the source, dense in the target.
        let mut region = context.region(COLOR, 0, extent(33, 17));
        region.buffer_row_length = 40;
        region.buffer_offset = 8;
        device.cmd_copy_buffer_to_image(commands, from.buffer, image.image, GENERAL, &[region]);
        // A part of it, elsewhere in an image of another format.
        let copy = vk::ImageCopy {
            src_subresource: layers(COLOR, 0),
            src_offset: vk::Offset3D { x: 3, y: 2, z: 0 },
            dst_subresource: layers(COLOR, 0),
            dst_offset: vk::Offset3D { x: 1, y: 0, z: 0 },
            extent: extent(30, 15),
        };
        device.cmd_copy_image(commands, image.image, GENERAL, other.image, GENERAL, &[copy]);
        let mut region = context.region(COLOR, 0, extent(30, 15));
        region.image_offset.x = 1;
        device.cmd_copy_image_to_buffer(commands, other.image, GENERAL, to.buffer, &[region]);
    });
    for y in 0..15 {
        for x in 0..30 {
            let (source, target) = (8 + ((y + 2) * 40 + x + 3) * 4, (y * 30 + x) * 4);
            assert_eq!(from.bytes()[source..source + 4], to.bytes()[target..target + 4], "{x} {y}");
        }
    }
    [image, other].into_iter().for_each(|image| context.free_image(image));
    [from, to].into_iter().for_each(|buffer| context.free_buffer(buffer));
}

#[test]
fn aspects_are_copied_and_cleared_apart() {
    let context = Context::new();
    let device = &context.device;
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    for format in [vk::Format::D24_UNORM_S8_UINT, vk::Format::D32_SFLOAT_S8_UINT] {
        let image = context.image(format, extent(5, 3), 1, 1);
        let (stencils, depths) = (context.buffer(15), context.buffer(60));
        stencils.fill(|index| 200 - index as u8);
        context.run(|commands| unsafe {
            let value = vk::ClearDepthStencilValue { depth: 0.5, stencil: 9 };
            device.cmd_clear_depth_stencil_image(
                commands,
                image.image,
                GENERAL,
                &value,
                &[range(depth | stencil)],
            );
            let region = context.region(stencil, 0, extent(5, 3));
            device.cmd_copy_buffer_to_image(commands, stencils.buffer, image.image, GENERAL, &[region]);
            device.cmd_fill_buffer(commands, stencils.buffer, 0, 12, 0);
            device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, stencils.buffer, &[region]);
            let region = context.region(depth, 0, extent(5, 3));
            device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, depths.buffer, &[region]);
        });
        for index in 0..15 {
            assert_eq!(stencils.bytes()[index], 200 - index as u8);
            let word: [u8; 4] = depths.bytes()[4 * index..][..4].try_into().expect("four");
            let expected = match format {
                vk::Format::D32_SFLOAT_S8_UINT => 0.5_f32.to_bits(),
                _ => 0x80_0000,
            };
            assert_eq!(u32::from_le_bytes(word) & if expected < 1 << 24 { 0xFF_FFFF } else { !0 }, expected);
        }
        context.free_image(image);
        [stencils, depths].into_iter().for_each(|buffer| context.free_buffer(buffer));
    }
}

/// Qt's views of depth do so (`QVkTextureRenderTarget`).
#[test]
fn depth_and_stencil_are_named_together_whatever_the_format() {
    let context = Context::new();
    let device = &context.device;
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    for (format, own, texel) in [
        (vk::Format::D32_SFLOAT, depth, 0.5_f32.to_le_bytes().to_vec()),
        (vk::Format::D16_UNORM, depth, 0x8000_u16.to_le_bytes().to_vec()),
        (vk::Format::S8_UINT, stencil, vec![9]),
    ] {
        let [image, other] = [(); 2].map(|()| context.image(format, extent(4, 2), 1, 1));
        let view = context.view(&image, format, depth | stencil);
        let out = context.buffer(8 * texel.len());
        context.run(|commands| unsafe {
            let depth_stencil = vk::ClearDepthStencilValue { depth: 0.5, stencil: 9 };
            let attachment = vk::RenderingAttachmentInfo::builder()
                .image_view(view)
                .image_layout(GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { depth_stencil });
            let area =
                vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: 4, height: 1 } };
            let mut info = vk::RenderingInfo::builder().render_area(area).layer_count(1);
            info = if own == depth {
                info.depth_attachment(&attachment)
            } else {
                info.stencil_attachment(&attachment)
            };
            device.cmd_clear_depth_stencil_image(
                commands,
                image.image,
                GENERAL,
                &vk::ClearDepthStencilValue::default(),
                &[range(depth | stencil)],
            );
            device.cmd_begin_rendering(commands, &info);
            device.cmd_end_rendering(commands);
            let copy = vk::ImageCopy {
                src_subresource: layers(depth | stencil, 0),
                dst_subresource: layers(depth | stencil, 0),
                extent: extent(4, 2),
                ..Default::default()
            };
            device.cmd_copy_image(commands, image.image, GENERAL, other.image, GENERAL, &[copy]);
            let region = context.region(own, 0, extent(4, 2));
            device.cmd_copy_image_to_buffer(commands, other.image, GENERAL, out.buffer, &[region]);
        });
        let zeros = vec![0; 4 * texel.len()];
        assert_eq!(out.bytes(), [texel.repeat(4), zeros].concat(), "{format:?}");
        unsafe { device.destroy_image_view(view, None) };
        [image, other].into_iter().for_each(|image| context.free_image(image));
        context.free_buffer(out);
    }
}

/// What `VK_KHR_maintenance8` allows.
#[test]
fn depths_and_stencils_are_copied_to_colours_and_back() {
    let context = Context::new();
    let device = &context.device;
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    let size = extent(5, 3);
    let [both, back] = [(); 2].map(|()| context.image(vk::Format::D32_SFLOAT_S8_UINT, size, 1, 1));
    let (floats, bytes) =
        (context.image(vk::Format::R32_SFLOAT, size, 1, 1), context.image(vk::Format::R8_UINT, size, 1, 1));
    let (depths, stencils) = (context.buffer(60), context.buffer(15));
    depths.fill(|index| [0, 0, index as u8, 0x3e][index % 4]);
    stencils.fill(|index| 7 * index as u8);
    let (deep, marks) = (depths.bytes().to_vec(), stencils.bytes().to_vec());
    context.run(|commands| unsafe {
        let copy = |from: (&Image, vk::ImageAspectFlags), to: (&Image, vk::ImageAspectFlags)| {
            let region = vk::ImageCopy {
                src_subresource: layers(from.1, 0),
                dst_subresource: layers(to.1, 0),
                extent: size,
                ..Default::default()
            };
            device.cmd_copy_image(commands, from.0.image, GENERAL, to.0.image, GENERAL, &[region]);
        };
        for (aspect, buffer) in [(depth, &depths), (stencil, &stencils)] {
            let region = context.region(aspect, 0, size);
            device.cmd_copy_buffer_to_image(commands, buffer.buffer, both.image, GENERAL, &[region]);
        }
        device.cmd_fill_buffer(commands, depths.buffer, 0, 60, 0);
        device.cmd_fill_buffer(commands, stencils.buffer, 0, 12, 0);
        copy((&both, depth), (&floats, COLOR));
        copy((&both, stencil), (&bytes, COLOR));
        copy((&floats, COLOR), (&back, depth));
        copy((&bytes, COLOR), (&back, stencil));
        for (aspect, buffer) in [(depth, &depths), (stencil, &stencils)] {
            let region = context.region(aspect, 0, size);
            device.cmd_copy_image_to_buffer(commands, back.image, GENERAL, buffer.buffer, &[region]);
        }
    });
    assert_eq!((depths.bytes(), stencils.bytes()), (&deep[..], &marks[..]));
    [both, back, floats, bytes].into_iter().for_each(|image| context.free_image(image));
    [depths, stencils].into_iter().for_each(|buffer| context.free_buffer(buffer));
}

#[test]
fn blits_halve_and_mirror() {
    let context = Context::new();
    let device = &context.device;
    let buffer = context.buffer(4 * 4 * 4);
    buffer.fill(|index| if index % 4 == 3 { 255 } else { (index / 4) as u8 * 16 });
    let image = context.image(vk::Format::R8G8B8A8_UNORM, extent(4, 4), 3, 1);
    let other = context.image(vk::Format::B8G8R8A8_UNORM, extent(4, 4), 1, 1);
    let (half, mirrored) = (context.buffer(16), context.buffer(64));
    context.run(|commands| unsafe {
        let region = context.region(COLOR, 0, extent(4, 4));
        device.cmd_copy_buffer_to_image(commands, buffer.buffer, image.image, GENERAL, &[region]);
        let corner = |x, y| vk::Offset3D { x, y, z: 1 };
        let blit = vk::ImageBlit {
            src_subresource: layers(COLOR, 0),
            src_offsets: [vk::Offset3D::default(), corner(4, 4)],
            dst_subresource: layers(COLOR, 1),
            dst_offsets: [vk::Offset3D::default(), corner(2, 2)],
        };
        let filter = vk::Filter::LINEAR;
        device.cmd_blit_image(commands, image.image, GENERAL, image.image, GENERAL, &[blit], filter);
        let region = context.region(COLOR, 1, extent(2, 2));
        device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, half.buffer, &[region]);
        let blit = vk::ImageBlit {
            src_offsets: [vk::Offset3D { x: 4, y: 0, z: 0 }, corner(0, 4)],
            dst_subresource: layers(COLOR, 0),
            dst_offsets: [vk::Offset3D::default(), corner(4, 4)],
            ..blit
        };
        let filter = vk::Filter::NEAREST;
        device.cmd_blit_image(commands, image.image, GENERAL, other.image, GENERAL, &[blit], filter);
        let region = context.region(COLOR, 0, extent(4, 4));
        device.cmd_copy_image_to_buffer(commands, other.image, GENERAL, mirrored.buffer, &[region]);
    });
    // The mean of each 2 x 2 block.
    let red: Vec<u8> = half.bytes().chunks(4).map(|texel| texel[0]).collect();
    assert_eq!(red, [40, 72, 168, 200]);
    let blue: Vec<u8> = mirrored.bytes().chunks(4).map(|texel| texel[2]).collect();
    assert_eq!(blue[..5], [48, 32, 16, 0, 112]);
    [image, other].into_iter().for_each(|image| context.free_image(image));
    [buffer, half, mirrored].into_iter().for_each(|buffer| context.free_buffer(buffer));
}

/// Blocks of ASTC and ETC2 in images of odd sizes: to a level with a pitch of their own, one by one to images
/// of whole blocks, back, and texel by texel by a blit.
#[test]
fn compressed_blocks_are_copied_and_blitted() {
    let context = Context::new();
    let device = &context.device;
    for (format, block, bytes) in [
        (vk::Format::ASTC_6X5_UNORM_BLOCK, [6, 5], 16),
        (vk::Format::ASTC_4X4_UNORM_BLOCK, [4, 4], 16),
        (vk::Format::ASTC_12X10_UNORM_BLOCK, [12, 10], 16),
        (vk::Format::ETC2_R8G8B8_UNORM_BLOCK, [4, 4], 8),
    ] {
        let (size, second) = (extent(33, 23), extent(16, 11));
        let blocks = |size: vk::Extent3D| [size.width.div_ceil(block[0]), size.height.div_ceil(block[1])];
        // Each block has one colour, by its column and row.
        let color = |column: u32, row: u32| [(column * 16 + 15) as u8, (row * 24) as u8];
        let pitch = 10;
        let from = context.buffer(64 * 1024);
        from.fill(|index| {
            let number = (index / bytes) as u32;
            let [red, green] = color(number % pitch, number / pitch);
            match (bytes, index % bytes) {
                (16, 0) => 0xfc,
                (16, 1) => 0xfd,
                (16, 2..8 | 14..) => 0xff,
                (16, 8 | 9) => red,
                (16, 10 | 11) => green,
                // Five bits of red and green; distances are of the first table, up.
                (8, 0) => red & 0xf8,
                (8, 1) => green & 0xf8,
                (8, 3) => 2,
                _ => 0,
            }
        });
        let image = context.image(format, size, 2, 1);
        let texels = context.image(vk::Format::R8G8B8A8_UNORM, size, 1, 1);
        let whole = if bytes == 16 { vk::Format::R32G32B32A32_UINT } else { vk::Format::R32G32_UINT };
        let [columns, rows] = blocks(second);
        let words = context.image(whole, extent(columns, rows), 1, 1);
        let (back, pixels) = (context.buffer(64 * 1024), context.buffer(33 * 23 * 4));
        context.run(|commands| unsafe {
            for (level, size) in [(0, size), (1, second)] {
                let mut region = context.region(COLOR, level, size);
                region.buffer_row_length = pitch * block[0];
                device.cmd_copy_buffer_to_image(commands, from.buffer, image.image, GENERAL, &[region]);
            }
            let copy = vk::ImageCopy {
                src_subresource: layers(COLOR, 1),
                dst_subresource: layers(COLOR, 0),
                extent: second,
                ..Default::default()
            };
            device.cmd_copy_image(commands, image.image, GENERAL, words.image, GENERAL, &[copy]);
            let region = context.region(COLOR, 0, extent(columns, rows));
            device.cmd_copy_image_to_buffer(commands, words.image, GENERAL, back.buffer, &[region]);
            context.blit_whole(commands, &image, &texels, size);
            let region = context.region(COLOR, 0, size);
            device.cmd_copy_image_to_buffer(commands, texels.image, GENERAL, pixels.buffer, &[region]);
        });
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let (source, target) =
                ((row * pitch + column) as usize * bytes, (row * columns + column) as usize * bytes);
            assert_eq!(
                from.bytes()[source..source + bytes],
                back.bytes()[target..target + bytes],
                "{format:?}"
            );
        }
        for (number, texel) in (0..).zip(pixels.bytes().chunks(4)) {
            let at = [number % 33 / block[0], number / 33 / block[1]];
            let want = color(at[0], at[1]).map(|value| match bytes {
                16 => value,
                _ => (value & 0xf8 | value >> 5) + 2,
            });
            assert_eq!(texel[..2], want, "{format:?}, texel {number}");
        }
        [image, texels, words].into_iter().for_each(|image| context.free_image(image));
        [from, back, pixels].into_iter().for_each(|buffer| context.free_buffer(buffer));
    }
}

/// Blocks of several slices and of high dynamic range: copied there and back, and texel by texel by a blit.
#[test]
fn blocks_have_slices_and_high_dynamic_range() {
    let context = Context::new();
    let device = &context.device;
    let format = vk::Format::ASTC_4X4X3_SFLOAT_BLOCK_EXT;
    let size = vk::Extent3D { width: 9, height: 7, depth: 5 };
    let [columns, rows, slices] = [3, 2, 2];
    // Each block has one colour, in halves: its column, row and slice times 1000.
    let half = |number: usize| [0_u16, 0x63d0, 0x67d0][number].to_le_bytes();
    let color = |block: usize| {
        [half(block % columns), half(block / columns % rows), half(block / columns / rows)].concat()
    };
    let [from, back, pixels] = [16 * columns * rows * slices, 16 * columns * rows * slices, 9 * 7 * 5 * 8]
        .map(|bytes| context.buffer(bytes));
    from.fill(|index| match index % 16 {
        0 => 0xfc,
        byte @ 8..14 => color(index / 16)[byte - 8],
        // Alpha of 1.
        14 => 0,
        15 => 0x3c,
        _ => 0xff,
    });
    let image = context.image(format, size, 1, 1);
    let texels = context.image(vk::Format::R16G16B16A16_SFLOAT, size, 1, 1);
    let region = context.region(COLOR, 0, size);
    context.run(|commands| unsafe {
        device.cmd_copy_buffer_to_image(commands, from.buffer, image.image, GENERAL, &[region]);
        device.cmd_copy_image_to_buffer(commands, image.image, GENERAL, back.buffer, &[region]);
        context.blit_whole(commands, &image, &texels, size);
        device.cmd_copy_image_to_buffer(commands, texels.image, GENERAL, pixels.buffer, &[region]);
    });
    assert_eq!(from.bytes(), back.bytes());
    for (number, texel) in pixels.bytes().chunks(8).enumerate() {
        let [x, y, z] = [number % 9, number / 9 % 7, number / 63];
        let want = [color(x / 4 + columns * (y / 4) + columns * rows * (z / 3)), vec![0, 0x3c]].concat();
        assert_eq!(texel, want, "texel {x}, {y}, {z}");
    }
    [image, texels].into_iter().for_each(|image| context.free_image(image));
    [from, back, pixels].into_iter().for_each(|buffer| context.free_buffer(buffer));
    // Other images cannot have such blocks, nor can slices be seen as images.
    let ask = |ty, flags| {
        let usage = vk::ImageUsageFlags::SAMPLED;
        let tiling = vk::ImageTiling::OPTIMAL;
        let info = vk::PhysicalDeviceImageFormatInfo2 {
            format,
            type_: ty,
            tiling,
            usage,
            flags,
            ..Default::default()
        };
        let mut properties = vk::ImageFormatProperties2::default();
        let found = unsafe {
            let instance = &context.instance;
            instance.get_physical_device_image_format_properties2(
                context.physical_device,
                &info,
                &mut properties,
            )
        };
        found.is_ok()
    };
    let none = vk::ImageCreateFlags::empty();
    assert!(ask(vk::ImageType::_3D, none) && !ask(vk::ImageType::_2D, none));
    assert!(!ask(vk::ImageType::_3D, vk::ImageCreateFlags::_2D_ARRAY_COMPATIBLE));
}

/// What ASTC is decoded to is one of three formats, of which one needs a feature.
#[test]
fn decode_modes_are_for_astc() {
    let context = Context::new();
    let view = |image: &Image, format, decode_mode| {
        let mut mode = vk::ImageViewASTCDecodeModeEXT { decode_mode, ..Default::default() };
        let info = vk::ImageViewCreateInfo::builder()
            .image(image.image)
            .view_type(vk::ImageViewType::_2D)
            .format(format)
            .subresource_range(range(COLOR))
            .push_next(&mut mode);
        let view = unsafe { context.device.create_image_view(&info, None) };
        view.map(|view| unsafe { context.device.destroy_image_view(view, None) })
    };
    let formats =
        [vk::Format::ASTC_8X6_UNORM_BLOCK, vk::Format::ASTC_8X6_SRGB_BLOCK, vk::Format::BC7_UNORM_BLOCK];
    for format in formats {
        let image = context.image(format, extent(9, 9), 1, 1);
        let is_astc = format != vk::Format::BC7_UNORM_BLOCK;
        for mode in [vk::Format::R8G8B8A8_UNORM, vk::Format::R16G16B16A16_SFLOAT] {
            assert_eq!(view(&image, format, mode).is_ok(), is_astc, "{format:?} {mode:?}");
        }
        assert!(view(&image, format, vk::Format::E5B9G9R9_UFLOAT_PACK32).is_err());
        assert!(view(&image, format, vk::Format::R8G8B8A8_SRGB).is_err());
        context.free_image(image);
    }
}

#[test]
fn blits_are_cubic() {
    let context = Context::new();
    let device = &context.device;
    let (columns, rows) = ([40u8, 200, 90, 10], [30u8, 60, 255, 0]);
    let buffer = context.buffer(4 * 4 * 4);
    buffer.fill(|index| match index % 4 {
        0 => columns[index / 4 % 4],
        1 => rows[index / 16],
        _ => 255,
    });
    let image = context.image(vk::Format::R8G8B8A8_UNORM, extent(4, 4), 1, 1);
    let doubled = context.image(vk::Format::R8G8B8A8_UNORM, extent(8, 8), 1, 1);
    let outs = [context.buffer(8 * 8 * 4), context.buffer(8 * 8 * 4)];
    context.run(|commands| unsafe {
        let region = context.region(COLOR, 0, extent(4, 4));
        device.cmd_copy_buffer_to_image(commands, buffer.buffer, image.image, GENERAL, &[region]);
        let corner = |x, y| vk::Offset3D { x, y, z: 1 };
        let blit = *vk::ImageBlit2::builder()
            .src_subresource(layers(COLOR, 0))
            .src_offsets([vk::Offset3D::default(), corner(4, 4)])
            .dst_subresource(layers(COLOR, 0))
            .dst_offsets([vk::Offset3D::default(), corner(8, 8)]);
        for (out, weights) in outs.iter().zip([None, Some(vk::CubicFilterWeightsQCOM::B_SPLINE)]) {
            let mut spline = vk::BlitImageCubicWeightsInfoQCOM::builder()
                .cubic_weights(weights.unwrap_or(vk::CubicFilterWeightsQCOM::CATMULL_ROM));
            let regions = [blit];
            let info = vk::BlitImageInfo2::builder()
                .src_image(image.image)
                .src_image_layout(GENERAL)
                .dst_image(doubled.image)
                .dst_image_layout(GENERAL)
                .regions(&regions)
                .filter(vk::Filter::CUBIC_EXT);
            let info = if weights.is_some() { info.push_next(&mut spline) } else { info };
            device.cmd_blit_image2(commands, &info);
            let region = context.region(COLOR, 0, extent(8, 8));
            device.cmd_copy_image_to_buffer(commands, doubled.image, GENERAL, out.buffer, &[region]);
        }
    });
    // A quarter of a texel from a texel's centre, on either side: the weights of that texel, the nearer
    // neighbour, the farther one and the one beyond the nearer one.
    let all = [
        [111.0 / 128.0, 29.0 / 128.0, -9.0 / 128.0, -3.0 / 128.0],
        [235.0 / 384.0, 121.0 / 384.0, 27.0 / 384.0, 1.0 / 384.0],
    ];
    for (out, weights) in outs.iter().zip(all) {
        let expected = |texels: [u8; 4], at: i32| {
            let side = if at % 2 == 0 { -1 } else { 1 };
            let steps = [0, side, -side, 2 * side];
            let sum: f32 = steps
                .iter()
                .zip(weights)
                .map(|(step, weight)| f32::from(texels[(at / 2 + step).clamp(0, 3) as usize]) * weight)
                .sum();
            sum.clamp(0.0, 255.0)
        };
        for (index, texel) in out.bytes().chunks(4).enumerate() {
            let (x, y) = (index as i32 % 8, index as i32 / 8);
            let want = [expected(columns, x), expected(rows, y)];
            for (&got, want) in texel.iter().zip(want) {
                assert!((f32::from(got) - want).abs() <= 0.51, "{got}, not {want}, at {x}, {y}");
            }
        }
    }
    [image, doubled].into_iter().for_each(|image| context.free_image(image));
    outs.into_iter().chain([buffer]).for_each(|buffer| context.free_buffer(buffer));
}

#[test]
fn cubic_filter_is_refused_for_cube_views() {
    let context = Context::new();
    let is_cubic = |format, ty| {
        let mut view = vk::PhysicalDeviceImageViewImageFormatInfoEXT::builder().image_view_type(ty);
        let info = vk::PhysicalDeviceImageFormatInfo2::builder()
            .format(format)
            .type_(vk::ImageType::_2D)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::SAMPLED)
            .push_next(&mut view);
        let mut cubic = vk::FilterCubicImageViewImageFormatPropertiesEXT::default();
        let mut out = vk::ImageFormatProperties2::builder().push_next(&mut cubic);
        let instance = &context.instance;
        unsafe {
            instance
                .get_physical_device_image_format_properties2(context.physical_device, &info, &mut out)
                .expect("such images");
        }
        assert_eq!(cubic.filter_cubic, cubic.filter_cubic_minmax);
        cubic.filter_cubic != 0
    };
    assert!(is_cubic(vk::Format::R8G8B8A8_UNORM, vk::ImageViewType::_2D));
    assert!(is_cubic(vk::Format::BC7_UNORM_BLOCK, vk::ImageViewType::_2D_ARRAY));
    assert!(!is_cubic(vk::Format::R8G8B8A8_UNORM, vk::ImageViewType::CUBE));
    assert!(!is_cubic(vk::Format::R8G8B8A8_UINT, vk::ImageViewType::_2D));
    assert!(!is_cubic(vk::Format::G8_B8R8_2PLANE_420_UNORM, vk::ImageViewType::_2D));
}

#[test]
fn render_passes_clear_and_resolve() {
    let context = Context::new();
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    let many = context.image(format, extent(8, 8), 1, 4);
    let one = context.image(format, extent(8, 8), 1, 1);
    let views = [context.view(&many, format, COLOR), context.view(&one, format, COLOR)];
    let out = context.buffer(8 * 8 * 4);
    unsafe {
        let attachment = |samples, load| {
            *vk::AttachmentDescription::builder()
                .format(format)
                .samples(samples)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(GENERAL)
        };
        let attachments = [
            attachment(vk::SampleCountFlags::_4, vk::AttachmentLoadOp::CLEAR),
            attachment(vk::SampleCountFlags::_1, vk::AttachmentLoadOp::LOAD),
        ];
        let color = vk::AttachmentReference { attachment: 0, layout: GENERAL };
        let resolve = vk::AttachmentReference { attachment: 1, layout: GENERAL };
        let subpass = vk::SubpassDescription::builder()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(slice::from_ref(&color))
            .resolve_attachments(slice::from_ref(&resolve));
        let info = vk::RenderPassCreateInfo::builder()
            .attachments(&attachments)
            .subpasses(slice::from_ref(&subpass));
        let pass = device.create_render_pass(&info, None).expect("a render pass");
        let info = vk::FramebufferCreateInfo::builder()
            .render_pass(pass)
            .attachments(&views)
            .width(8)
            .height(8)
            .layers(1);
        let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
        context.run(|commands| {
            let zero = vk::ClearColorValue { float32: [0.0; 4] };
            for image in [&many, &one] {
                device.cmd_clear_color_image(commands, image.image, GENERAL, &zero, &[range(COLOR)]);
            }
            let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 1.0] } };
            let area = vk::Rect2D {
                offset: vk::Offset2D { x: 2, y: 2 },
                extent: vk::Extent2D { width: 4, height: 4 },
            };
            let info = vk::RenderPassBeginInfo::builder()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area)
                .clear_values(slice::from_ref(&clear));
            device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            let clear = vk::ClearAttachment {
                aspect_mask: COLOR,
                color_attachment: 0,
                clear_value: vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 1.0, 0.0, 1.0] } },
            };
            let rect = vk::ClearRect {
                rect: vk::Rect2D {
                    offset: vk::Offset2D { x: 3, y: 3 },
                    extent: vk::Extent2D { width: 1, height: 2 },
                },
                base_array_layer: 0,
                layer_count: 1,
            };
            device.cmd_clear_attachments(commands, &[clear], &[rect]);
            device.cmd_end_render_pass(commands);
            let region = context.region(COLOR, 0, extent(8, 8));
            device.cmd_copy_image_to_buffer(commands, one.image, GENERAL, out.buffer, &[region]);
        });
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
        views.into_iter().for_each(|view| device.destroy_image_view(view, None));
    }
    for (index, texel) in out.bytes().chunks(4).enumerate() {
        let (x, y) = (index % 8, index / 8);
        let expected = match (x, y) {
            (3, 3 | 4) => [0, 255, 0, 255],
            (2..6, 2..6) => [255, 0, 0, 255],
            _ => [0; 4],
        };
        assert_eq!(texel, expected, "{x} {y}");
    }
    [many, one].into_iter().for_each(|image| context.free_image(image));
    context.free_buffer(out);
}

#[test]
fn formats_say_what_they_can() {
    let context = Context::new();
    unsafe {
        let of =
            |format| context.instance.get_physical_device_format_properties(context.physical_device, format);
        let color = of(vk::Format::R8G8B8A8_UNORM);
        let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR
            | vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND
            | vk::FormatFeatureFlags::BLIT_DST;
        assert!(color.optimal_tiling_features.contains(needed));
        assert_eq!(of(vk::Format::UNDEFINED), vk::FormatProperties::default());
        let ask = |format, usage| {
            context.instance.get_physical_device_image_format_properties(
                context.physical_device,
                format,
                vk::ImageType::_2D,
                vk::ImageTiling::OPTIMAL,
                usage,
                vk::ImageCreateFlags::empty(),
            )
        };
        assert!(ask(vk::Format::D32_SFLOAT, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT).is_ok());
        let refused = ask(vk::Format::D32_SFLOAT, vk::ImageUsageFlags::COLOR_ATTACHMENT);
        assert_eq!(refused.err(), Some(vk::ErrorCode::FORMAT_NOT_SUPPORTED));
    }
}

/// Images, views, samplers and all that is made of them, made and destroyed many times.
#[test]
fn objects_leak_nothing() {
    if !in_child(module_path!(), "objects_leak_nothing", &[]) {
        return;
    }
    let context = Context::new();
    let device = &context.device;
    let round = |rounds: u32| unsafe {
        for number in 0..rounds {
            let format = vk::Format::R8G8B8A8_UNORM;
            let image = context.image(format, extent(4 + number % 3, 4), 2, 1);
            let view = context.view(&image, format, COLOR);
            let info = vk::SamplerCreateInfo::builder().mip_lod_bias(number as f32 * 0.001);
            let sampler = device.create_sampler(&info, None).expect("a sampler");
            let binding = vk::DescriptorSetLayoutBinding::builder()
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .descriptor_count(1)
                .immutable_samplers(slice::from_ref(&sampler));
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
            let layout = device.create_descriptor_set_layout(&info, None).expect("a layout");
            let size = vk::DescriptorPoolSize {
                type_: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                descriptor_count: 1,
            };
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
            let pool = device.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(pool)
                .set_layouts(slice::from_ref(&layout));
            let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
            let one = vk::DescriptorImageInfo {
                image_view: view,
                image_layout: GENERAL,
                sampler: vk::Sampler::null(),
            };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .image_info(slice::from_ref(&one));
            device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
            device.destroy_descriptor_pool(pool, None);
            device.destroy_descriptor_set_layout(layout, None);
            device.destroy_sampler(sampler, None);
            device.destroy_image_view(view, None);
            context.free_image(image);
        }
    };
    round(2_000);
    let before = resident_bytes();
    round(10_000);
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} bytes more");
}

#[test]
fn misuse_is_an_error() {
    let context = Context::new();
    let device = &context.device;
    unsafe {
        let image = |size: vk::Extent3D, levels, format| {
            let info = vk::ImageCreateInfo::builder()
                .image_type(vk::ImageType::_2D)
                .format(format)
                .extent(size)
                .mip_levels(levels)
                .array_layers(1)
                .samples(vk::SampleCountFlags::_1)
                .usage(vk::ImageUsageFlags::TRANSFER_DST);
            device.create_image(&info, None)
        };
        let rgba = vk::Format::R8G8B8A8_UNORM;
        assert!(image(extent(0, 4), 1, rgba).is_err());
        assert!(image(extent(1 << 20, 4), 1, rgba).is_err());
        assert!(image(extent(4, 4), 4, rgba).is_err());
        assert!(image(extent(4, 4), u32::MAX, rgba).is_err());
        assert!(image(extent(16384, 16384), 1, vk::Format::R32G32B32A32_SFLOAT).is_err());
        assert!(image(extent(4, 4), 1, vk::Format::from_raw(-5)).is_err());
        let bound = context.image(rgba, extent(4, 4), 1, 1);
        let mut info = *vk::ImageViewCreateInfo::builder()
            .image(bound.image)
            .view_type(vk::ImageViewType::_2D)
            .format(vk::Format::R16_UNORM)
            .subresource_range(range(COLOR));
        assert!(device.create_image_view(&info, None).is_err(), "another format");
        info.format = rgba;
        info.subresource_range.base_mip_level = 7;
        assert!(device.create_image_view(&info, None).is_err(), "no such level");
        info.subresource_range = range(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
        assert!(device.create_image_view(&info, None).is_err(), "no such aspects");
        // A copy outside the image shows when recording ends.
        let buffer = context.buffer(1024);
        let allocate = vk::CommandBufferAllocateInfo::builder()
            .command_pool(context.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let commands = device.allocate_command_buffers(&allocate).expect("a command buffer")[0];
        for size in [extent(5, 4), extent(u32::MAX, u32::MAX)] {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).ok();
            let region = context.region(COLOR, 0, size);
            device.cmd_copy_buffer_to_image(commands, buffer.buffer, bound.image, GENERAL, &[region]);
            assert!(device.end_command_buffer(commands).is_err());
            device.reset_command_pool(context.pool, vk::CommandPoolResetFlags::empty()).expect("reset");
        }
        context.free_image(bound);
        context.free_buffer(buffer);
    }
}
