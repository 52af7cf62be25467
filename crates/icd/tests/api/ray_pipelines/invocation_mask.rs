//! Launches whose invocations an image chooses (`VK_HUAWEI_invocation_mask`).

use super::*;
use vulkanalia::vk::HuaweiInvocationMaskExtensionDeviceCommands as _;

/// An image of a byte for each invocation.
struct Mask {
    image: vk::Image,
    view: vk::ImageView,
    bytes: *mut u8,
    row_pitch: usize,
}

impl Mask {
    fn new(rays: &Rays, format: vk::Format, usage: vk::ImageUsageFlags) -> Mask {
        let device = &rays.context.device;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(usage);
        let color = vk::ImageAspectFlags::COLOR;
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let (memory, bytes) = rays.context.mapped_memory(device.get_image_memory_requirements(image));
            device.bind_image_memory(image, memory, 0).expect("bound");
            let whole = vk::ImageSubresource { aspect_mask: color, ..Default::default() };
            let row_pitch = device.get_image_subresource_layout(image, &whole).row_pitch as usize;
            let range = vk::ImageSubresourceRange {
                aspect_mask: color,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let mut info = vk::ImageViewCreateInfo::builder().image(image).format(format);
            (info.view_type, info.subresource_range) = (vk::ImageViewType::_2D, range);
            let view = device.create_image_view(&info, None).expect("a view");
            Mask { image, view, bytes, row_pitch }
        }
    }

    fn destroy(self, rays: &Rays) {
        unsafe {
            rays.context.device.destroy_image_view(self.view, None);
            rays.context.device.destroy_image(self.image, None);
        }
    }
}

fn rays() -> Rays {
    let mut features = vk::PhysicalDeviceInvocationMaskFeaturesHUAWEI::builder().invocation_mask(true);
    Rays::with(&[c"VK_HUAWEI_invocation_mask"], (&raw mut features).cast())
}

const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::INVOCATION_MASK_HUAWEI;

/// Only invocations run whose byte is not zero, of direct and indirect launches; without an image all run.
#[test]
fn invocations_are_chosen_by_an_image() {
    let rays = rays();
    let mask = Mask::new(&rays, vk::Format::R8_UINT, USAGE);
    let runs = |column: u32, row: u32| (column * 7 + row * 5).is_multiple_of(3);
    for (row, column) in (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| (row, column))) {
        let at = row as usize * mask.row_pitch + column as usize;
        unsafe { mask.bytes.add(at).write(runs(column, row).into()) };
    }
    let (scene, pipeline) = (rays.scene(), rays.whole());
    let [raygen, miss, hit, callable] = rays.tables(&rays.handles(pipeline));
    let raygen = Region { size: raygen.stride, ..raygen };
    let device = &rays.context.device;
    let size = rays.data(&[SIZE[0], SIZE[1], 1]);
    let general = vk::ImageLayout::GENERAL;
    for (is_bound, is_indirect) in [(true, false), (true, true), (false, false)] {
        let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
            device.cmd_bind_invocation_mask_huawei(commands, mask.view, general);
            if !is_bound {
                device.cmd_bind_invocation_mask_huawei(commands, vk::ImageView::null(), general);
            }
            if is_indirect {
                device.cmd_trace_rays_indirect_khr(commands, &raygen, &miss, &hit, &callable, size);
            } else {
                let [x, y, _] = SIZE;
                device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &callable, x, y, 1);
            }
        });
        let of_slice = RESULT_WORDS * (SIZE[0] * SIZE[1]) as usize;
        for (index, words) in found[..of_slice].chunks(RESULT_WORDS).enumerate() {
            let (column, row) = (index as u32 % SIZE[0], index as u32 / SIZE[0]);
            let ran = words.iter().any(|&word| word != 0.0);
            assert_eq!(ran, !is_bound || runs(column, row), "invocation {column}, {row}");
        }
    }
    mask.destroy(&rays);
}

/// A mask of another format, or of an image that is not made for it, is an error when the recording ends.
#[test]
fn images_that_are_no_masks_are_refused() {
    let rays = rays();
    let device = &rays.context.device;
    for (format, usage, is_mask) in [
        (vk::Format::R8_UINT, USAGE, true),
        (vk::Format::R8_UNORM, USAGE, false),
        (vk::Format::R8_UINT, vk::ImageUsageFlags::SAMPLED, false),
    ] {
        let mask = Mask::new(&rays, format, usage);
        let commands = rays.context.command_buffer();
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
            device.cmd_bind_invocation_mask_huawei(commands, mask.view, vk::ImageLayout::GENERAL);
            assert_eq!(device.end_command_buffer(commands).is_ok(), is_mask);
        }
        mask.destroy(&rays);
    }
}
