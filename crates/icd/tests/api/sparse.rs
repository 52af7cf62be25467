//! Sparse resources: binding, what shaders and commands see of it, and what is refused.
#![cfg(any(target_os = "linux", windows))] // where pages of memory can be mapped a second time

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const BLOCK: u64 = 64 << 10;
const WORDS: usize = (BLOCK / 4) as usize;

/// A device with all features for sparse resources.
fn context() -> Compute {
    let features = vk::PhysicalDeviceFeatures {
        sparse_binding: vk::TRUE,
        sparse_residency_buffer: vk::TRUE,
        sparse_residency_image_2d: vk::TRUE,
        sparse_residency_image_3d: vk::TRUE,
        sparse_residency_aliased: vk::TRUE,
        shader_resource_residency: vk::TRUE,
        ..Default::default()
    };
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::builder().timeline_semaphore(true);
    Client::new(V1_3, &[]).device(&[], Some(&features), (&raw mut timeline).cast()).into()
}

/// Whether what is not bound reads as zeros after each command: where a signal handler sees writes.
fn drops_writes() -> bool {
    cfg!(target_arch = "x86_64")
}

fn sparse_buffer(context: &Compute, blocks: u64) -> vk::Buffer {
    let info = vk::BufferCreateInfo::builder()
        .flags(
            vk::BufferCreateFlags::SPARSE_BINDING
                | vk::BufferCreateFlags::SPARSE_RESIDENCY
                | vk::BufferCreateFlags::SPARSE_ALIASED,
        )
        .size(blocks * BLOCK)
        .usage(
            vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST,
        );
    unsafe { context.device.create_buffer(&info, None) }.expect("a sparse buffer")
}

/// Memory of so many blocks, and its words.
fn memory(context: &Compute, blocks: u64) -> (vk::DeviceMemory, *mut u32) {
    let needs = vk::MemoryRequirements { size: blocks * BLOCK, ..Default::default() };
    let (memory, address) = context.mapped_memory(needs);
    (memory, address.cast())
}

/// A binding of one block, to memory or none.
fn block(number: u64, memory: Option<(vk::DeviceMemory, u64)>) -> vk::SparseMemoryBind {
    let (memory, place) = memory.unwrap_or_default();
    vk::SparseMemoryBind {
        resource_offset: number * BLOCK,
        size: BLOCK,
        memory,
        memory_offset: place * BLOCK,
        ..Default::default()
    }
}

fn bind_buffer(context: &Compute, buffer: vk::Buffer, binds: &[vk::SparseMemoryBind]) -> VkResult<()> {
    let of_buffer = vk::SparseBufferMemoryBindInfo::builder().buffer(buffer).binds(binds);
    let info = vk::BindSparseInfo::builder().buffer_binds(slice::from_ref(&of_buffer));
    bind(context, &info)
}

fn bind(context: &Compute, info: &vk::BindSparseInfo) -> VkResult<()> {
    unsafe {
        context.device.queue_bind_sparse(context.queue, slice::from_ref(info), vk::Fence::null())?;
        context.device.queue_wait_idle(context.queue).map(|_| ())
    }
}

/// The words of a buffer that is not mapped, from a byte on.
fn words_of(context: &Compute, buffer: vk::Buffer, offset: u64, count: usize) -> Vec<u32> {
    let target = context.buffer(count);
    let region = vk::BufferCopy { src_offset: offset, dst_offset: 0, size: 4 * count as u64 };
    context.run(|commands| unsafe {
        context.device.cmd_copy_buffer(commands, buffer, target.buffer, &[region]);
    });
    target.words()
}

/// Adds three to the first word of each block of a buffer with a shader.
fn add_to_blocks(context: &Compute, buffer: vk::Buffer, blocks: u32) {
    let text = shader(
        "%first = OpIMul %uint %gid %push
         %at = OpAccessChain %word %buffer %uint_0 %first
         %old = OpLoad %uint %at
         %new = OpIAdd %uint %old %uint_3
         OpStore %at %new",
    );
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = context.set_layout(Default::default(), &[storage]);
    let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
    context.write(set, buffer);
    let pipeline = context.pipeline(layout, &text);
    context.run(|commands| unsafe {
        let stage = vk::ShaderStageFlags::COMPUTE;
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_push_constants(commands, layout, stage, 0, &(WORDS as u32).to_ne_bytes());
        for _ in 0..2 {
            context.device.cmd_dispatch(commands, blocks, 1, 1);
        }
    });
}

/// Blocks of memory that held something before are where they were bound; the rest reads as zeros and drops
/// writes of shaders and copies.
#[test]
fn buffers_are_bound_block_by_block() {
    let context = context();
    let buffer = sparse_buffer(&context, 4);
    let needs = unsafe { context.device.get_buffer_memory_requirements(buffer) };
    assert_eq!((needs.size, needs.alignment), (4 * BLOCK, BLOCK));
    let (memory, words) = memory(&context, 2);
    unsafe { words.write_volatile(10) };
    unsafe { words.add(WORDS).write_volatile(20) };
    let binds = [block(1, Some((memory, 1))), block(3, Some((memory, 0)))];
    bind_buffer(&context, buffer, &binds).expect("bound");
    add_to_blocks(&context, buffer, 4);
    let seen = [unsafe { words.read_volatile() }, unsafe { words.add(WORDS).read_volatile() }];
    assert_eq!(seen, [16, 26]);
    // The host's writes, after the memory has become a file's.
    unsafe { words.add(1).write_volatile(77) };
    assert_eq!(words_of(&context, buffer, 3 * BLOCK, 2), [16, 77]);
    if drops_writes() {
        assert_eq!(words_of(&context, buffer, 0, 1), [0]);
        context.run(|commands| unsafe {
            context.device.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, 5);
        });
        assert_eq!(words_of(&context, buffer, BLOCK - 4, 2), [0, 5]);
        assert_eq!(words_of(&context, buffer, 2 * BLOCK - 4, 2), [5, 0]);
    }
    unsafe { context.device.destroy_buffer(buffer, None) };
    unsafe { context.device.free_memory(memory, None) };
}

/// Two buffers share memory; one is unbound and bound to other memory, whose end may come before.
#[test]
fn memory_is_shared_replaced_and_freed() {
    let context = context();
    let [one, other] = [(); 2].map(|()| sparse_buffer(&context, 2));
    let (first, _) = memory(&context, 2);
    let (second, words) = memory(&context, 1);
    bind_buffer(&context, one, &[block(0, Some((first, 0))), block(1, Some((first, 1)))]).expect("bound");
    bind_buffer(&context, other, &[block(0, Some((first, 1)))]).expect("bound");
    context.run(|commands| unsafe {
        context.device.cmd_fill_buffer(commands, one, 0, vk::WHOLE_SIZE, 9);
    });
    assert_eq!(words_of(&context, other, 0, 2), [9, 9]);
    bind_buffer(&context, one, &[block(0, None), block(1, Some((second, 0)))]).expect("bound");
    unsafe { words.write_volatile(8) };
    assert_eq!(words_of(&context, one, BLOCK, 2), [8, 0]);
    if drops_writes() {
        assert_eq!(words_of(&context, one, 0, 1), [0]);
    }
    // Nobody may use what is bound now; nobody else is harmed who does.
    unsafe { context.device.free_memory(first, None) };
    assert_eq!(words_of(&context, other, 0, 1), [9]);
    let bystander = context.buffer(4 * WORDS);
    context.run(|commands| unsafe {
        context.device.cmd_fill_buffer(commands, other, 0, BLOCK, 1);
    });
    assert!(bystander.words().iter().all(|&word| word == 0));
    for buffer in [one, other] {
        unsafe { context.device.destroy_buffer(buffer, None) };
    }
    unsafe { context.device.free_memory(second, None) };
}

/// Memory becomes a file's when it is first bound: what the host writes meanwhile stays.
#[test]
fn writes_during_the_first_binding_stay() {
    let context = context();
    if !drops_writes() {
        return;
    }
    let buffer = sparse_buffer(&context, 1);
    for _ in 0..4 {
        let (memory, words) = memory(&context, 256);
        // Of each page a word, that the copy has something to do.
        let pages = 256 * WORDS / 1024;
        (0..pages).for_each(|page| unsafe { words.add(1024 * page).write_volatile(1) });
        let (stop, address) = (AtomicBool::new(false), words.expose_provenance());
        let written = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let words = std::ptr::with_exposed_provenance_mut::<u32>(address);
                let mut number = 1;
                while !stop.load(Ordering::Acquire) || number < 3 {
                    number += 1;
                    (0..pages).for_each(|page| unsafe { words.add(1024 * page).write_volatile(number) });
                }
                number
            });
            bind_buffer(&context, buffer, &[block(0, Some((memory, 255)))]).expect("bound");
            stop.store(true, Ordering::Release);
            writer.join().expect("written")
        });
        for page in 0..pages {
            assert_eq!(unsafe { words.add(1024 * page).read_volatile() }, written, "page {page}");
        }
        assert_eq!(words_of(&context, buffer, 0, 1), [written]);
        unsafe { context.device.free_memory(memory, None) };
    }
    unsafe { context.device.destroy_buffer(buffer, None) };
}

#[test]
fn bindings_out_of_range_are_refused() {
    let context = context();
    let buffer = sparse_buffer(&context, 2);
    let (memory, _) = memory(&context, 1);
    let good = block(0, Some((memory, 0)));
    let bad = [
        vk::SparseMemoryBind { resource_offset: 4096, ..good },
        vk::SparseMemoryBind { resource_offset: 2 * BLOCK, ..good },
        vk::SparseMemoryBind { resource_offset: u64::MAX - BLOCK + 1, ..good },
        vk::SparseMemoryBind { size: 3 * BLOCK, ..good },
        vk::SparseMemoryBind { size: 0, ..good },
        vk::SparseMemoryBind { size: 4096, ..good },
        vk::SparseMemoryBind { size: u64::MAX, ..good },
        vk::SparseMemoryBind { size: 2 * BLOCK, ..good },
        vk::SparseMemoryBind { memory_offset: BLOCK, ..good },
        vk::SparseMemoryBind { memory_offset: 256, ..good },
        vk::SparseMemoryBind { memory_offset: u64::MAX - BLOCK + 1, ..good },
    ];
    for bad in bad {
        assert!(bind_buffer(&context, buffer, &[good, bad]).is_err(), "{bad:?}");
    }
    // Nothing of a command that was refused is bound.
    assert!(bind_buffer(&context, context.buffer(1).buffer, &[good]).is_err());
    unsafe {
        assert!(context.device.bind_buffer_memory(buffer, memory, 0).is_err());
    }
    bind_buffer(&context, buffer, &[good]).expect("bound");
    let info = vk::BufferCreateInfo::builder()
        .flags(vk::BufferCreateFlags::SPARSE_RESIDENCY)
        .size(BLOCK)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    unsafe {
        assert!(context.device.create_buffer(&info, None).is_err());
        context.device.destroy_buffer(buffer, None);
        context.device.free_memory(memory, None);
    }
}

/// 100,000 bindings in one call: neighbours are one mapping; others are refused where they are more than the
/// system has.
#[test]
fn many_bindings_are_few_mappings() {
    const COUNT: u64 = 100_000;
    let context = context();
    let buffer = sparse_buffer(&context, COUNT);
    let nothing: Vec<_> = (0..COUNT).map(|number| block(number, None)).collect();
    bind_buffer(&context, buffer, &nothing).expect("unbound");
    let (memory, words) = memory(&context, 1000);
    let row: Vec<_> = (0..1000).map(|number| block(5 + number, Some((memory, number)))).collect();
    bind_buffer(&context, buffer, &row).expect("bound");
    unsafe { words.add(999 * WORDS).write_volatile(3) };
    assert_eq!(words_of(&context, buffer, 1004 * BLOCK, 1), [3]);
    let apart: Vec<_> = (0..COUNT).map(|number| block(number, Some((memory, 0)))).collect();
    // Windows says none; Wine shows that of the system that it runs on.
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or(u64::MAX.to_string());
    if limit.trim().parse::<u64>().expect("a number") < COUNT {
        let refused = bind_buffer(&context, buffer, &apart);
        assert_eq!(refused, Err(vk::ErrorCode::OUT_OF_DEVICE_MEMORY));
    }
    bind_buffer(&context, buffer, &apart[..1000]).expect("bound");
    unsafe { words.write_volatile(4) };
    assert_eq!(words_of(&context, buffer, 999 * BLOCK, 1), [4]);
    unsafe { context.device.destroy_buffer(buffer, None) };
    unsafe { context.device.free_memory(memory, None) };
}

/// A binding waits for a timeline, and signals another semaphore and a fence.
#[test]
fn bindings_wait_and_signal() {
    let context = context();
    let device = &context.device;
    let buffer = sparse_buffer(&context, 1);
    let (memory, words) = memory(&context, 1);
    unsafe { words.write_volatile(6) };
    unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        let [before, after] = [(); 2].map(|()| device.create_semaphore(&info, None).expect("a semaphore"));
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let binds = [block(0, Some((memory, 0)))];
        let of_buffer = vk::SparseBufferMemoryBindInfo::builder().buffer(buffer).binds(&binds);
        let mut group = vk::DeviceGroupBindSparseInfo::default();
        let mut values = vk::TimelineSemaphoreSubmitInfo::builder()
            .wait_semaphore_values(&[3])
            .signal_semaphore_values(&[8]);
        let info = vk::BindSparseInfo::builder()
            .push_next(&mut values)
            .push_next(&mut group)
            .wait_semaphores(slice::from_ref(&before))
            .signal_semaphores(slice::from_ref(&after))
            .buffer_binds(slice::from_ref(&of_buffer));
        device.queue_bind_sparse(context.queue, slice::from_ref(&info), fence).expect("submitted");
        assert_eq!(device.get_fence_status(fence).expect("a status"), vk::SuccessCode::NOT_READY);
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(before).value(3);
        device.signal_semaphore(&signal).expect("signaled");
        device.wait_for_fences(&[fence], true, u64::MAX).expect("signaled");
        assert_eq!(device.get_semaphore_counter_value(after).expect("a value"), 8);
        assert_eq!(words_of(&context, buffer, 0, 1), [6]);
        device.destroy_fence(fence, None);
        [before, after].iter().for_each(|&one| device.destroy_semaphore(one, None));
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
    }
}

/// An image and what tests do with it.
struct Image {
    image: vk::Image,
    info: vk::ImageCreateInfo,
    memory: vk::DeviceMemory,
}

impl Image {
    fn new(
        context: &Compute,
        flags: vk::ImageCreateFlags,
        format: vk::Format,
        extent: [u32; 3],
        levels: u32,
    ) -> Image {
        let [width, height, depth] = extent;
        let storage = match format {
            vk::Format::BC1_RGB_UNORM_BLOCK
            | vk::Format::R10X6_UNORM_PACK16
            | vk::Format::R12X4G12X4_UNORM_2PACK16
            | vk::Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16 => vk::ImageUsageFlags::empty(),
            _ => vk::ImageUsageFlags::STORAGE,
        };
        let info = vk::ImageCreateInfo::builder()
            .flags(flags)
            .image_type(if depth > 1 { vk::ImageType::_3D } else { vk::ImageType::_2D })
            .format(format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(
                vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST
                    | storage,
            )
            .build();
        unsafe {
            let image = context.device.create_image(&info, None).expect("an image");
            let needs = context.device.get_image_memory_requirements(image);
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
            let memory = context.device.allocate_memory(&allocate, None).expect("memory");
            Image { image, info, memory }
        }
    }

    fn sparse(
        context: &Compute,
        format: vk::Format,
        extent: [u32; 3],
        levels: u32,
    ) -> (Image, vk::SparseImageMemoryRequirements) {
        let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
        let image = Image::new(context, flags, format, extent, levels);
        let needs = unsafe { context.device.get_image_sparse_memory_requirements(image.image) };
        assert_eq!(needs.len(), 1);
        (image, needs[0])
    }

    /// Binds all of it to all of its memory.
    fn bind_all(&self, context: &Compute) {
        let size = unsafe { context.device.get_image_memory_requirements(self.image) }.size;
        let all = vk::SparseMemoryBind { size, memory: self.memory, ..Default::default() };
        self.bind_bytes(context, &[all]).expect("bound");
    }

    fn bind_bytes(&self, context: &Compute, binds: &[vk::SparseMemoryBind]) -> VkResult<()> {
        let opaque = vk::SparseImageOpaqueMemoryBindInfo::builder().image(self.image).binds(binds);
        bind(context, &vk::BindSparseInfo::builder().image_opaque_binds(slice::from_ref(&opaque)))
    }

    fn bind_regions(&self, context: &Compute, binds: &[vk::SparseImageMemoryBind]) -> VkResult<()> {
        let regions = vk::SparseImageMemoryBindInfo::builder().image(self.image).binds(binds);
        bind(context, &vk::BindSparseInfo::builder().image_binds(slice::from_ref(&regions)))
    }

    fn region(&self, level: u32) -> vk::BufferImageCopy {
        let at = |size: u32| (size >> level).max(1);
        let extent = self.info.extent;
        let (width, height, depth) = (at(extent.width), at(extent.height), at(extent.depth));
        vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: level,
                base_array_layer: 0,
                layer_count: 1,
            },
            image_extent: vk::Extent3D { width, height, depth },
            ..Default::default()
        }
    }

    /// Copies a level from or to a buffer.
    fn copy(&self, context: &Compute, level: u32, buffer: &Buffer, to_image: bool) {
        let (layout, region) = (vk::ImageLayout::GENERAL, self.region(level));
        context.run(|commands| unsafe {
            if to_image {
                let device = &context.device;
                device.cmd_copy_buffer_to_image(commands, buffer.buffer, self.image, layout, &[region]);
            } else {
                let device = &context.device;
                device.cmd_copy_image_to_buffer(commands, self.image, layout, buffer.buffer, &[region]);
            }
        });
    }

    fn view(&self, context: &Compute) -> vk::ImageView {
        let info = vk::ImageViewCreateInfo::builder()
            .image(self.image)
            .view_type(if self.info.extent.depth > 1 {
                vk::ImageViewType::_3D
            } else {
                vk::ImageViewType::_2D
            })
            .format(self.info.format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: self.info.mip_levels,
                layer_count: 1,
                ..Default::default()
            });
        unsafe { context.device.create_image_view(&info, None) }.expect("a view")
    }

    fn destroy(self, context: &Compute) {
        unsafe {
            context.device.destroy_image(self.image, None);
            context.device.free_memory(self.memory, None);
        }
    }
}

fn numbers(count: usize, seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed;
    (0..count).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    })
}

/// An image without residency is bound as bytes, and is like any other then.
#[test]
fn opaque_images_are_bound_as_bytes() {
    let context = context();
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(&context, vk::ImageCreateFlags::SPARSE_BINDING, format, [200, 100, 1], 1);
    let size = unsafe { context.device.get_image_memory_requirements(image.image) }.size;
    assert!(unsafe { context.device.get_image_sparse_memory_requirements(image.image) }.is_empty());
    // Blocks in reverse order.
    let blocks = size / BLOCK;
    let binds: Vec<_> =
        (0..blocks).map(|number| block(number, Some((image.memory, blocks - 1 - number)))).collect();
    image.bind_bytes(&context, &binds).expect("bound");
    let source = context.buffer(200 * 100);
    numbers(source.count, 1).enumerate().for_each(|(index, word)| source.put(index, word));
    let target = context.buffer(200 * 100);
    image.copy(&context, 0, &source, true);
    image.copy(&context, 0, &target, false);
    assert!(source.words() == target.words());
    image.destroy(&context);
}

fn tile(
    offset: [i32; 2],
    extent: [u32; 2],
    memory: vk::DeviceMemory,
    place: u64,
) -> vk::SparseImageMemoryBind {
    vk::SparseImageMemoryBind {
        subresource: vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, ..Default::default() },
        offset: vk::Offset3D { x: offset[0], y: offset[1], z: 0 },
        extent: vk::Extent3D { width: extent[0], height: extent[1], depth: 1 },
        memory,
        memory_offset: place * BLOCK,
        ..Default::default()
    }
}

/// Formats of all sizes have Vulkan's standard blocks, and images their tails.
#[test]
fn blocks_have_the_standard_shapes() {
    let context = context();
    let shapes = [
        (vk::Format::R8_UNORM, [256, 256, 1], [64, 32, 32]),
        (vk::Format::R16_SFLOAT, [256, 128, 1], [32, 32, 32]),
        (vk::Format::R8G8B8A8_UNORM, [128, 128, 1], [32, 32, 16]),
        (vk::Format::R32G32_UINT, [128, 64, 1], [32, 16, 16]),
        (vk::Format::R32G32B32A32_SFLOAT, [64, 64, 1], [16, 16, 16]),
        (vk::Format::BC1_RGB_UNORM_BLOCK, [512, 256, 1], [128, 64, 16]),
    ];
    let ask = |format, ty, samples, usage| unsafe {
        context.instance.get_physical_device_sparse_image_format_properties(
            context.physical_device,
            format,
            ty,
            samples,
            usage,
            vk::ImageTiling::OPTIMAL,
        )
    };
    let (one, sampled) = (vk::SampleCountFlags::_1, vk::ImageUsageFlags::SAMPLED);
    for (format, flat, deep) in shapes {
        for (ty, shape) in [(vk::ImageType::_2D, flat), (vk::ImageType::_3D, deep)] {
            let properties = ask(format, ty, one, sampled);
            let size = properties[0].image_granularity;
            assert_eq!([size.width, size.height, size.depth], shape, "{format:?}");
        }
        let (image, needs) = Image::sparse(&context, format, [600, 300, 1], 4);
        assert_eq!(needs.format_properties, ask(format, vk::ImageType::_2D, one, sampled)[0]);
        let small = |level: u32| 600 >> level < flat[0] || 300 >> level < flat[1];
        let tail = (0..4).find(|&level| small(level)).unwrap_or(4);
        assert_eq!(needs.image_mip_tail_first_lod, tail, "{format:?}");
        let end = needs.image_mip_tail_offset + needs.image_mip_tail_size;
        assert_eq!(end, unsafe { context.device.get_image_memory_requirements(image.image) }.size);
        image.destroy(&context);
    }
    let rgba = vk::Format::R8G8B8A8_UNORM;
    assert!(ask(rgba, vk::ImageType::_3D, vk::SampleCountFlags::_4, sampled).is_empty());
    assert!(ask(rgba, vk::ImageType::_1D, one, sampled).is_empty());
    assert!(ask(rgba, vk::ImageType::_2D, one, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT).is_empty());
    assert!(ask(vk::Format::R8G8B8_UNORM, vk::ImageType::_2D, one, sampled).is_empty());
    assert!(ask(vk::Format::D32_SFLOAT, vk::ImageType::_3D, one, sampled).is_empty());
}

/// Two of four blocks of an image are bound; clears and copies reach those.
#[test]
fn regions_of_images_are_bound() {
    let context = context();
    let (image, needs) = Image::sparse(&context, vk::Format::R32_UINT, [256, 200, 1], 2);
    assert_eq!(needs.image_mip_tail_first_lod, 1);
    let binds = [tile([128, 0], [128, 128], image.memory, 0), tile([0, 128], [128, 72], image.memory, 1)];
    image.bind_regions(&context, &binds).expect("bound");
    let bad = [
        tile([64, 0], [128, 128], image.memory, 0),
        tile([0, 0], [64, 128], image.memory, 0),
        tile([0, 0], [0, 128], image.memory, 0),
        tile([-128, 0], [128, 128], image.memory, 0),
        tile([0, 0], [512, 128], image.memory, 0),
        tile([0, 0], [u32::MAX, u32::MAX], image.memory, 0),
        tile([0, 0], [256, 200], image.memory, 4),
        vk::SparseImageMemoryBind {
            subresource: vk::ImageSubresource {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 9,
                array_layer: 0,
            },
            ..binds[0]
        },
    ];
    for bad in bad {
        assert!(image.bind_regions(&context, &[bad]).is_err(), "{bad:?}");
    }
    let (source, target) = (context.buffer(256 * 200), context.buffer(256 * 200));
    numbers(source.count, 2).enumerate().for_each(|(index, word)| source.put(index, word | 1));
    image.copy(&context, 0, &source, true);
    image.copy(&context, 0, &target, false);
    let (sent, got) = (source.words(), target.words());
    let is_bound = |x: usize, y: usize| (x >= 128) != (y >= 128);
    for (x, y) in (0..200).flat_map(|y| (0..256).map(move |x| (x, y))) {
        let expected = if is_bound(x, y) { sent[256 * y + x] } else { 0 };
        if is_bound(x, y) || drops_writes() {
            assert_eq!(got[256 * y + x], expected, "at {x}, {y}");
        }
    }
    // The whole tail, and a clear of all levels.
    let tail = vk::SparseMemoryBind {
        resource_offset: needs.image_mip_tail_offset,
        size: needs.image_mip_tail_size,
        memory: image.memory,
        memory_offset: 2 * BLOCK,
        ..Default::default()
    };
    image.bind_bytes(&context, &[tail]).expect("bound");
    let color = vk::ClearColorValue { uint32: [5; 4] };
    let range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 2,
        layer_count: 1,
        ..Default::default()
    };
    context.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        context.device.cmd_clear_color_image(commands, image.image, layout, &color, &[range]);
    });
    image.copy(&context, 1, &target, false);
    assert!(target.words()[..128 * 100].iter().all(|&word| word == 5));
    image.copy(&context, 0, &target, false);
    assert_eq!(target.words()[200], 5);
    assert!(!drops_writes() || target.words()[0] == 0);
    image.destroy(&context);
}

/// Sets of a storage buffer and one descriptor of an image or texel buffer.
fn run_with(
    context: &Compute,
    text: &str,
    out: &Buffer,
    write: vk::WriteDescriptorSet,
    invocations: u32,
    push: u32,
) {
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = context.set_layout(Default::default(), &[storage, (write.descriptor_type, 1)]);
    let layout = context.layout(&[set_layout]);
    let set = context.set_of(set_layout, &[storage, (write.descriptor_type, 1)]);
    context.write(set, out.buffer);
    let write = vk::WriteDescriptorSet { dst_set: set, dst_binding: 1, ..write };
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let pipeline = context.pipeline(layout, text);
    context.run(|commands| unsafe {
        let stage = vk::ShaderStageFlags::COMPUTE;
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_push_constants(commands, layout, stage, 0, &push.to_ne_bytes());
        context.device.cmd_dispatch(commands, invocations, 1, 1);
    });
}

fn with_image(capabilities: &str, declarations: &str, body: &str) -> String {
    shader(body)
        .replace("OpCapability Shader", &format!("OpCapability Shader\n{capabilities}"))
        .replace(
            "OpDecorate %constants Block",
            "OpDecorate %image DescriptorSet 0
             OpDecorate %image Binding 1
             OpDecorate %constants Block",
        )
        .replace(
            "%uint_0 = OpConstant %uint 0",
            &format!(
                "%float = OpTypeFloat 32
                 %float2 = OpTypeVector %float 2
                 %float3 = OpTypeVector %float 3
                 %float4 = OpTypeVector %float 4
                 %uint2 = OpTypeVector %uint 2
                 %uint4 = OpTypeVector %uint 4
                 {declarations}
                 %uint_0 = OpConstant %uint 0"
            ),
        )
}

/// Of texels with and without memory: writes, what is read then, atomics and residency codes.
#[test]
fn shaders_see_what_is_resident() {
    let context = context();
    let (image, _) = Image::sparse(&context, vk::Format::R32_UINT, [256, 128, 1], 1);
    image.bind_regions(&context, &[tile([128, 0], [128, 128], image.memory, 0)]).expect("bound");
    let text = with_image(
        "OpCapability SparseResidency",
        "%kind = OpTypeImage %uint 2D 0 0 0 2 R32ui
         %kinds = OpTypePointer UniformConstant %kind
         %image = OpVariable %kinds UniformConstant
         %texels = OpTypePointer Image %uint
         %sparse = OpTypeStruct %uint %uint4
         %fives = OpConstant %uint 5
         %five = OpConstantComposite %uint4 %fives %fives %fives %fives
         %scope = OpConstant %uint 1",
        "%x = OpIMul %uint %gid %push
         %xy = OpCompositeConstruct %uint2 %x %uint_1
         %one = OpLoad %kind %image
         OpImageWrite %one %xy %five
         %pointer = OpImageTexelPointer %texels %image %xy %uint_0
         %before = OpAtomicIAdd %uint %pointer %scope %uint_0 %uint_1
         %read = OpImageSparseRead %sparse %one %xy
         %code = OpCompositeExtract %uint %read 0
         %value = OpCompositeExtract %uint %read 1 0
         %resident = OpImageSparseTexelsResident %bool %code
         %flag = OpSelect %uint %resident %uint_1 %uint_2
         %high = OpShiftLeftLogical %uint %value %uint_4
         %word_out = OpBitwiseOr %uint %high %flag
         %at = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %at %word_out",
    );
    let (view, out) = (image.view(&context), context.buffer(2));
    let info = vk::DescriptorImageInfo {
        image_view: view,
        image_layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    };
    let write = vk::WriteDescriptorSet::builder()
        .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
        .image_info(slice::from_ref(&info));
    // Twice: code with image operations inlined is as good.
    for _ in 0..2 {
        run_with(&context, &text, &out, *write, 2, 128);
        let [absent, present] = out.words()[..] else { panic!("two words") };
        assert_eq!(present, 6 << 4 | 1);
        assert_eq!(absent & 15, 2);
        assert!(!drops_writes() || absent == 2);
    }
    unsafe { context.device.destroy_image_view(view, None) };
    image.destroy(&context);
}

/// Residency codes of texel buffers and of images without residency.
#[test]
fn fetches_tell_residency() {
    let context = context();
    let fetch = |dim: &str, coordinate: &str| {
        with_image(
            "OpCapability SparseResidency\nOpCapability SampledBuffer",
            &format!(
                "%kind = OpTypeImage %uint {dim} 0 0 0 1 Unknown
                 %kinds = OpTypePointer UniformConstant %kind
                 %image = OpVariable %kinds UniformConstant
                 %sparse = OpTypeStruct %uint %uint4"
            ),
            &format!(
                "%x = OpIMul %uint %gid %push
                 %xy = OpCompositeConstruct %uint2 %x %uint_1
                 %one = OpLoad %kind %image
                 %read = OpImageSparseFetch %sparse %one {coordinate}
                 %code = OpCompositeExtract %uint %read 0
                 %resident = OpImageSparseTexelsResident %bool %code
                 %flag = OpSelect %uint %resident %uint_1 %uint_2
                 %at = OpAccessChain %word %buffer %uint_0 %gid
                 OpStore %at %flag"
            ),
        )
    };
    let buffer = sparse_buffer(&context, 4);
    let (memory, _) = memory(&context, 1);
    bind_buffer(&context, buffer, &[block(2, Some((memory, 0)))]).expect("bound");
    let out = context.buffer(4);
    unsafe {
        let info = vk::BufferViewCreateInfo::builder()
            .buffer(buffer)
            .format(vk::Format::R32_UINT)
            .offset(256)
            .range(4 * BLOCK - 256);
        let view = context.device.create_buffer_view(&info, None).expect("a view");
        let write = vk::WriteDescriptorSet::builder()
            .descriptor_type(vk::DescriptorType::UNIFORM_TEXEL_BUFFER)
            .texel_buffer_view(slice::from_ref(&view));
        run_with(&context, &fetch("Buffer", "%x"), &out, *write, 4, WORDS as u32 - 64);
        assert_eq!(out.words(), [2, 2, 2, 1]);
        run_with(&context, &fetch("Buffer", "%x"), &out, *write, 4, WORDS as u32 - 1);
        assert_eq!(out.words(), [2, 2, 1, 2]);
        context.device.destroy_buffer_view(view, None);
        context.device.destroy_buffer(buffer, None);
        context.device.free_memory(memory, None);
    }
    let image = Image::new(&context, vk::ImageCreateFlags::empty(), vk::Format::R32_UINT, [64, 64, 1], 1);
    unsafe { context.device.bind_image_memory(image.image, image.memory, 0) }.expect("bound");
    let view = image.view(&context);
    let info = vk::DescriptorImageInfo {
        image_view: view,
        image_layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    };
    let write = vk::WriteDescriptorSet::builder()
        .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
        .image_info(slice::from_ref(&info));
    run_with(&context, &fetch("2D", "%xy"), &out, *write, 4, 9);
    assert_eq!(out.words(), [1; 4]);
    unsafe { context.device.destroy_image_view(view, None) };
    image.destroy(&context);
}

/// Samples at places all over an image: the bits of red, and whether all texels are resident.
fn sampling(dim: &str) -> String {
    let coordinate = if dim == "3D" { "%xyz" } else { "%xy" };
    with_image(
        "OpCapability SparseResidency",
        &format!(
            "%kind = OpTypeImage %float {dim} 0 0 0 1 Unknown
             %sampled = OpTypeSampledImage %kind
             %kinds = OpTypePointer UniformConstant %sampled
             %image = OpVariable %kinds UniformConstant
             %sparse = OpTypeStruct %uint %float4
             %step = OpConstant %float 0.00731
             %slow = OpConstant %float 0.000613
             %slower = OpConstant %float 0.00219"
        ),
        &format!(
            "%number = OpConvertUToF %float %gid
             %x = OpFMul %float %number %step
             %y = OpFMul %float %number %slow
             %z = OpFMul %float %number %slower
             %xy = OpCompositeConstruct %float2 %x %y
             %xyz = OpCompositeConstruct %float3 %x %y %z
             %low = OpUMod %uint %gid %uint_3
             %lod = OpConvertUToF %float %low
             %one = OpLoad %sampled %image
             %read = OpImageSparseSampleExplicitLod %sparse %one {coordinate} Lod %lod
             %code = OpCompositeExtract %uint %read 0
             %red = OpCompositeExtract %float %read 1 0
             %bits = OpBitcast %uint %red
             %resident = OpImageSparseTexelsResident %bool %code
             %none = OpNot %uint %uint_0
             %out = OpSelect %uint %resident %bits %none
             %at = OpAccessChain %word %buffer %uint_0 %gid
             OpStore %at %out"
        ),
    )
}

/// All of a tiled image is bound: it is sampled to the bits of an ordinary one, and says that it is resident.
#[test]
fn tiles_are_sampled_as_rows_are() {
    const SAMPLES: u32 = 4096;
    let context = context();
    let cases = [
        (vk::Format::R8G8B8A8_UNORM, [300, 270, 1], 4),
        (vk::Format::R32_SFLOAT, [200, 260, 1], 4),
        (vk::Format::R16_SFLOAT, [300, 140, 1], 2),
        (vk::Format::R8_UNORM, [300, 257, 1], 1),
        (vk::Format::R10X6_UNORM_PACK16, [300, 140, 1], 2),
        (vk::Format::R12X4G12X4_UNORM_2PACK16, [300, 140, 1], 4),
        (vk::Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, [150, 140, 1], 8),
        (vk::Format::R32G32B32A32_SFLOAT, [130, 70, 1], 16),
        (vk::Format::BC1_RGB_UNORM_BLOCK, [1100, 300, 1], 0),
        (vk::Format::R8G8B8A8_UNORM, [40, 50, 40], 4),
    ];
    for (format, extent, bytes) in cases {
        let levels = 3;
        let plain = Image::new(&context, vk::ImageCreateFlags::empty(), format, extent, levels);
        unsafe { context.device.bind_image_memory(plain.image, plain.memory, 0) }.expect("bound");
        let (tiled, _) = Image::sparse(&context, format, extent, levels);
        tiled.bind_all(&context);
        let texels = extent.iter().product::<u32>() as usize;
        let data = context.buffer(if bytes == 0 { texels / 4 } else { texels * bytes / 4 + 4 });
        for (level, seed) in (0..levels).zip(7..) {
            // Floats of moderate size.
            numbers(data.count, seed)
                .enumerate()
                .for_each(|(index, word)| data.put(index, word & 0x3bff_3bff | 0x2000_2000));
            plain.copy(&context, level, &data, true);
            tiled.copy(&context, level, &data, true);
        }
        let dim = if extent[2] > 1 { "3D" } else { "2D" };
        for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
            for mode in [vk::SamplerAddressMode::REPEAT, vk::SamplerAddressMode::CLAMP_TO_EDGE] {
                let info = vk::SamplerCreateInfo::builder()
                    .mag_filter(filter)
                    .min_filter(filter)
                    .address_mode_u(mode)
                    .address_mode_v(mode)
                    .address_mode_w(mode)
                    .max_lod(8.0);
                let sampler = unsafe { context.device.create_sampler(&info, None) }.expect("a sampler");
                let results = [&plain, &tiled].map(|image| {
                    let (out, view) = (context.buffer(SAMPLES as usize), image.view(&context));
                    let info = vk::DescriptorImageInfo {
                        sampler,
                        image_view: view,
                        image_layout: vk::ImageLayout::GENERAL,
                    };
                    let write = vk::WriteDescriptorSet::builder()
                        .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                        .image_info(slice::from_ref(&info));
                    run_with(&context, &sampling(dim), &out, *write, SAMPLES, 0);
                    unsafe { context.device.destroy_image_view(view, None) };
                    out.words()
                });
                assert!(results[0].iter().any(|&word| word != results[0][0]), "one colour everywhere");
                assert!(!results[0].contains(&u32::MAX));
                let differs = (0..SAMPLES as usize).find(|&index| results[0][index] != results[1][index]);
                assert_eq!(differs, None, "{format:?} {filter:?} {mode:?}");
                unsafe { context.device.destroy_sampler(sampler, None) };
            }
        }
        plain.destroy(&context);
        tiled.destroy(&context);
    }
}

/// An image of which nothing is bound: samples say so, on each level.
#[test]
fn samples_tell_what_is_not_resident() {
    let context = context();
    let (image, _) = Image::sparse(&context, vk::Format::R8G8B8A8_UNORM, [256, 256, 1], 3);
    let (view, out) = (image.view(&context), context.buffer(64));
    let info = vk::SamplerCreateInfo::builder().max_lod(8.0);
    let sampler = unsafe { context.device.create_sampler(&info, None) }.expect("a sampler");
    let info = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL };
    let write = vk::WriteDescriptorSet::builder()
        .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
        .image_info(slice::from_ref(&info));
    run_with(&context, &sampling("2D"), &out, *write, 64, 0);
    assert_eq!(out.words(), [u32::MAX; 64]);
    image.bind_all(&context);
    run_with(&context, &sampling("2D"), &out, *write, 64, 0);
    assert_eq!(out.words(), [0; 64]);
    unsafe {
        context.device.destroy_sampler(sampler, None);
        context.device.destroy_image_view(view, None);
    }
    image.destroy(&context);
}
