//! Images of all formats: random texels, filtered and converted by blits.

use pyro_random::Random;
use pyro_test_kit::{Client, Gpu};
use vulkanalia::prelude::v1_3::*;

/// The last number of the formats of Vulkan 1.0, which follow one another from 1 on. With others the stored
/// cases would have other formats.
const LAST: i32 = 184;
/// Texels of a side at most: a multiple of all sizes of blocks is not needed.
const SIZE: u32 = 48;
/// Bytes of the buffers.
const BYTES: u64 = 1 << 17;

/// A device, and what blits need.
pub(crate) struct Blits {
    gpu: Gpu,
    sources: Vec<vk::Format>,
    targets: Vec<vk::Format>,
    buffers: [(vk::Buffer, vk::DeviceMemory, *mut u8); 2],
}

fn is_color(format: vk::Format) -> bool {
    !(vk::Format::D16_UNORM.as_raw()..=vk::Format::D32_SFLOAT_S8_UINT.as_raw()).contains(&format.as_raw())
}

/// What kind of numbers a format has, by its name.
fn has(format: vk::Format, kind: &str) -> bool {
    format!("{format:?}").contains(kind)
}

fn is_integer(format: vk::Format) -> bool {
    has(format, "UINT") || has(format, "SINT")
}

impl Blits {
    pub(crate) fn new() -> Blits {
        let client = Client::new(vk::make_version(1, 3, 0), &[]);
        // SAFETY: the physical device is the instance's.
        let features = unsafe { client.instance.get_physical_device_features(client.physical_device) };
        let gpu = client.device(&[], Some(&features), std::ptr::null_mut());
        let all = (1..=LAST).map(vk::Format::from_raw).filter(|&format| is_color(format));
        let can = |format: &vk::Format, wanted: vk::FormatFeatureFlags| {
            let Client { instance, physical_device, .. } = &*gpu;
            // SAFETY: as above.
            let found = unsafe { instance.get_physical_device_format_properties(*physical_device, *format) };
            found.optimal_tiling_features.contains(wanted)
        };
        let sources = all.clone().filter(|format| can(format, vk::FormatFeatureFlags::BLIT_SRC)).collect();
        let targets = all.filter(|format| can(format, vk::FormatFeatureFlags::BLIT_DST)).collect();
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let buffers = [gpu.mapped_buffer(BYTES, usage), gpu.mapped_buffer(BYTES, usage)];
        Blits { gpu, sources, targets, buffers }
    }

    fn image(&self, format: vk::Format, [width, height]: [u32; 2]) -> (vk::Image, vk::DeviceMemory) {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        let device = &self.gpu.device;
        // SAFETY: all handles are this device's, and the memory is the image's alone.
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let needs = device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            (image, memory)
        }
    }

    /// The bytes of the image that a number's blit writes.
    pub(crate) fn blit(&self, number: u64) -> Vec<u8> {
        let random = &mut Random::new(number);
        let from = self.sources[number as usize % self.sources.len()];
        // Integers become integers of the same signedness; NaN, whose payload is open, meets no float.
        let to = loop {
            let to = random.pick(&self.targets);
            let is_same = ["UINT", "SINT"].iter().all(|kind| has(from, kind) == has(to, kind));
            let kept_nan = has(from, "FLOAT") && (has(to, "FLOAT") || has(to, "E5B9G9R9"));
            if is_same && !kept_nan {
                break to;
            }
        };
        let sizes: [[u32; 2]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| 1 + random.below(SIZE)));
        let images = [self.image(from, sizes[0]), self.image(to, sizes[1])];
        // SAFETY: both buffers are mapped with so many bytes, and the queue is idle.
        unsafe {
            let bytes: Vec<u8> = (0..BYTES).map(|_| random.word() as u8).collect();
            self.buffers[0].2.copy_from(bytes.as_ptr(), bytes.len());
            self.buffers[1].2.write_bytes(0, BYTES as usize);
        }
        let linear = !is_integer(from) && random.one_in(2);
        let filter = if linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        let whole =
            |[x, y]: [u32; 2]| [vk::Offset3D::default(), vk::Offset3D { x: x as i32, y: y as i32, z: 1 }];
        let part = |random: &mut Random, size: [u32; 2]| {
            if random.one_in(2) {
                return whole(size);
            }
            // Either way round, so that some are mirrored.
            let ends = size.map(|size| {
                let (first, length) = (random.below(size), 1 + random.below(size));
                let ends = [first as i32, (first + length).min(size) as i32];
                if random.one_in(4) { [ends[1], ends[0]] } else { ends }
            });
            [0, 1].map(|end| vk::Offset3D { x: ends[0][end], y: ends[1][end], z: end as i32 })
        };
        let (source, target) = (part(random, sizes[0]), part(random, sizes[1]));
        self.run(images.map(|(image, _)| image), sizes, [source, target], filter);
        // SAFETY: as above; the images are not in use.
        unsafe {
            for (image, memory) in images {
                self.gpu.device.destroy_image(image, None);
                self.gpu.device.free_memory(memory, None);
            }
            let texels = sizes[1][0] * sizes[1][1];
            std::slice::from_raw_parts(self.buffers[1].2, texels as usize * 32).to_vec()
        }
    }

    fn run(
        &self,
        images: [vk::Image; 2],
        sizes: [[u32; 2]; 2],
        parts: [[vk::Offset3D; 2]; 2],
        filter: vk::Filter,
    ) {
        let (device, general) = (&self.gpu.device, vk::ImageLayout::GENERAL);
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let copy = |[width, height]: [u32; 2]| {
            vk::BufferImageCopy::builder().image_subresource(layers).image_extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })
        };
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barriers = images.map(|image| {
            vk::ImageMemoryBarrier::builder()
                .dst_access_mask(memory)
                .new_layout(general)
                .image(image)
                .subresource_range(range)
        });
        let no_images: &[vk::ImageMemoryBarrier] = &[];
        let barrier = |commands, images: &[_]| {
            let memory = vk::MemoryBarrier::builder().src_access_mask(memory).dst_access_mask(memory);
            let buffers: &[vk::BufferMemoryBarrier] = &[];
            let flags = vk::DependencyFlags::empty();
            // SAFETY: the command buffer is being recorded, and the images are the device's.
            unsafe { device.cmd_pipeline_barrier(commands, all, all, flags, &[memory], buffers, images) };
        };
        let region = vk::ImageBlit {
            src_subresource: layers,
            src_offsets: parts[0],
            dst_subresource: layers,
            dst_offsets: parts[1],
        };
        self.gpu.run(|commands| {
            barrier(commands, &barriers.map(|barrier| barrier.build()));
            // SAFETY: as above; all regions lie in their images and buffers.
            unsafe {
                let [(from, ..), (to, ..)] = self.buffers;
                device.cmd_copy_buffer_to_image(commands, from, images[0], general, &[copy(sizes[0])]);
                device.cmd_copy_buffer_to_image(commands, from, images[1], general, &[copy(sizes[1])]);
                barrier(commands, no_images);
                device.cmd_blit_image(commands, images[0], general, images[1], general, &[region], filter);
                barrier(commands, no_images);
                device.cmd_copy_image_to_buffer(commands, images[1], general, to, &[copy(sizes[1])]);
                barrier(commands, no_images);
            }
        });
    }
}

impl Drop for Blits {
    fn drop(&mut self) {
        for (buffer, memory, _) in self.buffers {
            // SAFETY: the queue is idle, and nothing else names them.
            unsafe {
                self.gpu.device.destroy_buffer(buffer, None);
                self.gpu.device.free_memory(memory, None);
            }
        }
    }
}
