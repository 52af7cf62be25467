//! Copies and blits that turn: `VK_QCOM_rotated_copy_commands`.

use pyro_test_kit::compute::{Buffer, Compute};
use pyro_test_kit::graphics::GENERAL;
use vulkanalia::prelude::v1_3::*;

use vk::SurfaceTransformFlagsKHR as Transform;

const TRANSFORMS: [Transform; 4] =
    [Transform::IDENTITY, Transform::ROTATE_90, Transform::ROTATE_180, Transform::ROTATE_270];
/// Texels of images in x and y.
const SIDE: u32 = 12;
/// What a texel has that nothing is copied to.
const EMPTY: u32 = 0xeeee_eeee;

fn context() -> Compute {
    Compute::new(vk::make_version(1, 3, 0), &[c"VK_QCOM_rotated_copy_commands"], std::ptr::null_mut())
}

fn layers() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    }
}

struct Image<'c> {
    context: &'c Compute,
    image: vk::Image,
    memory: vk::DeviceMemory,
}

impl Image<'_> {
    fn new(context: &Compute, ty: vk::ImageType) -> Image<'_> {
        let info = vk::ImageCreateInfo::builder()
            .image_type(ty)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        unsafe {
            let image = context.device.create_image(&info, None).expect("an image");
            let size = context.device.get_image_memory_requirements(image).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = context.device.allocate_memory(&info, None).expect("memory");
            context.device.bind_image_memory(image, memory, 0).expect("bound");
            let made = Image { context, image, memory };
            made.clear();
            made
        }
    }

    fn clear(&self) {
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let color = vk::ClearColorValue { uint32: [EMPTY; 4] };
        self.context.run(|commands| unsafe {
            self.context.device.cmd_clear_color_image(commands, self.image, GENERAL, &color, &[range]);
        });
    }

    /// All texels, row by row.
    fn texels(&self) -> Vec<u32> {
        let words = self.context.buffer((SIDE * SIDE) as usize);
        let region = vk::BufferImageCopy {
            image_subresource: layers(),
            image_extent: vk::Extent3D { width: SIDE, height: SIDE, depth: 1 },
            ..Default::default()
        };
        self.context.run(|commands| unsafe {
            let device = &self.context.device;
            device.cmd_copy_image_to_buffer(commands, self.image, GENERAL, words.buffer, &[region]);
        });
        words.words()
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        unsafe {
            self.context.device.destroy_image(self.image, None);
            self.context.device.free_memory(self.memory, None);
        }
    }
}

/// Records a copy of a region between a buffer, whose rows are as many words apart, and an image.
fn copy(
    image: &Image<'_>,
    buffer: &Buffer,
    (transform, offset, extent): (Transform, [i32; 2], [u32; 2]),
    to_image: bool,
) -> bool {
    let device = &image.context.device;
    let mut turned = vk::CopyCommandTransformInfoQCOM::builder().transform(transform);
    let regions = [vk::BufferImageCopy2::builder()
        .buffer_row_length(7)
        .image_subresource(layers())
        .image_offset(vk::Offset3D { x: offset[0], y: offset[1], z: 0 })
        .image_extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
        .push_next(&mut turned)];
    let commands = image.context.command_buffer();
    unsafe {
        let info = vk::CommandBufferBeginInfo::default();
        device.begin_command_buffer(commands, &info).expect("begins");
        if to_image {
            let info = vk::CopyBufferToImageInfo2::builder()
                .src_buffer(buffer.buffer)
                .dst_image(image.image)
                .dst_image_layout(GENERAL)
                .regions(&regions);
            device.cmd_copy_buffer_to_image2(commands, &info);
        } else {
            let info = vk::CopyImageToBufferInfo2::builder()
                .src_image(image.image)
                .src_image_layout(GENERAL)
                .dst_buffer(buffer.buffer)
                .regions(&regions);
            device.cmd_copy_image_to_buffer2(commands, &info);
        }
        let is_sound = device.end_command_buffer(commands).is_ok();
        if is_sound {
            image.context.submit_and_wait(commands);
        }
        is_sound
    }
}

/// Five columns and three rows, seven words apart, are turned about the offset in an image; copied back, they
/// are as they were.
#[test]
fn regions_are_turned_about_their_offset() {
    let context = context();
    let image = Image::new(&context, vk::ImageType::_2D);
    let (source, target) = (context.buffer(21), context.buffer(21));
    (0..21).for_each(|word| source.put(word, word as u32));
    let [width, height] = [5, 3];
    for transform in TRANSFORMS {
        image.clear();
        (0..21).for_each(|word| target.put(word, EMPTY));
        assert!(copy(&image, &source, (transform, [6, 7], [width, height]), true));
        let mut expected = vec![EMPTY; (SIDE * SIDE) as usize];
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let [column, row] = match transform {
                Transform::ROTATE_90 => [6 - 1 - y, 7 + x],
                Transform::ROTATE_180 => [6 - 1 - x, 7 - 1 - y],
                Transform::ROTATE_270 => [6 + y, 7 - 1 - x],
                _ => [6 + x, 7 + y],
            };
            expected[(row * SIDE + column) as usize] = 7 * y + x;
        }
        assert_eq!(image.texels(), expected, "{transform:?}");
        assert!(copy(&image, &target, (transform, [6, 7], [width, height]), false));
        let back: Vec<u32> = (0..21).map(|word| if word % 7 < 5 { word } else { EMPTY }).collect();
        assert_eq!(target.words(), back, "{transform:?}");
    }
}

#[test]
fn regions_that_leave_the_image_are_refused() {
    let context = context();
    let buffer = context.buffer(21);
    let flat = Image::new(&context, vk::ImageType::_2D);
    let solid = Image::new(&context, vk::ImageType::_3D);
    for (transform, offset) in [
        (Transform::ROTATE_90, [2, 0]),
        (Transform::ROTATE_90, [3, 8]),
        (Transform::ROTATE_180, [5, 2]),
        (Transform::ROTATE_180, [4, 3]),
        (Transform::ROTATE_270, [0, 4]),
        (Transform::ROTATE_270, [10, 5]),
        (Transform::HORIZONTAL_MIRROR, [6, 6]),
        (Transform::ROTATE_90 | Transform::ROTATE_180, [6, 6]),
    ] {
        assert!(!copy(&flat, &buffer, (transform, offset, [5, 3]), true), "{transform:?} {offset:?}");
    }
    for (transform, offset) in
        [(Transform::ROTATE_90, [3, 7]), (Transform::ROTATE_180, [5, 3]), (Transform::ROTATE_270, [9, 5])]
    {
        assert!(copy(&flat, &buffer, (transform, offset, [5, 3]), true), "{transform:?} {offset:?}");
        assert!(!copy(&solid, &buffer, (transform, offset, [5, 3]), true), "{transform:?}");
    }
}

/// A blit of four columns and two rows, to as many texels and to twice as many, mirrored too.
#[test]
fn blits_are_turned() {
    let context = context();
    let device = &context.device;
    let (source, target) =
        (Image::new(&context, vk::ImageType::_2D), Image::new(&context, vk::ImageType::_2D));
    let words = context.buffer(21);
    (0..21).for_each(|word| words.put(word, word as u32));
    assert!(copy(&source, &words, (Transform::IDENTITY, [0, 0], [7, 3]), true));
    let [left, top, width, height] = [1, 1, 4, 2];
    for (transform, scale, is_mirrored) in TRANSFORMS
        .into_iter()
        .flat_map(|transform| [(transform, 1, false), (transform, 2, false), (transform, 1, true)])
    {
        target.clear();
        let is_crosswise = matches!(transform, Transform::ROTATE_90 | Transform::ROTATE_270);
        let size = if is_crosswise { [height, width] } else { [width, height] };
        let size = size.map(|one| one * scale);
        let corner = |x, y, z| vk::Offset3D { x, y, z };
        let mut ends = [2, 2 + size[0]];
        if is_mirrored {
            ends.reverse();
        }
        let mut turned = vk::CopyCommandTransformInfoQCOM::builder().transform(transform);
        let regions = [vk::ImageBlit2::builder()
            .src_subresource(layers())
            .src_offsets([corner(left, top, 0), corner(left + width, top + height, 1)])
            .dst_subresource(layers())
            .dst_offsets([corner(ends[0], 3, 0), corner(ends[1], 3 + size[1], 1)])
            .push_next(&mut turned)];
        context.run(|commands| unsafe {
            let info = vk::BlitImageInfo2::builder()
                .src_image(source.image)
                .src_image_layout(GENERAL)
                .dst_image(target.image)
                .dst_image_layout(GENERAL)
                .filter(vk::Filter::NEAREST)
                .regions(&regions);
            device.cmd_blit_image2(commands, &info);
        });
        let mut expected = vec![EMPTY; (SIDE * SIDE) as usize];
        for (row, column) in (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| (row, column))) {
            let x = if is_mirrored { size[0] - 1 - column } else { column };
            let [x, y] = [x / scale, row / scale];
            let [u, v] = match transform {
                Transform::ROTATE_90 => [y, height - 1 - x],
                Transform::ROTATE_180 => [width - 1 - x, height - 1 - y],
                Transform::ROTATE_270 => [width - 1 - y, x],
                _ => [x, y],
            };
            expected[((3 + row) * SIDE as i32 + 2 + column) as usize] = (7 * (top + v) + left + u) as u32;
        }
        assert_eq!(target.texels(), expected, "{transform:?} times {scale}, mirrored {is_mirrored}");
    }
}
