//! The heap of tile memory (`VK_QCOM_tile_memory_heap`).

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, adding};
use std::ptr::{from_mut, null_mut};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::QcomTileMemoryHeapExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const WORDS: u32 = 4096;
const BYTES: u64 = 4 * WORDS as u64;
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

fn device() -> Compute {
    let mut features =
        vk::PhysicalDeviceTileMemoryHeapFeaturesQCOM { tile_memory_heap: vk::TRUE, ..Default::default() };
    Compute::new(V1_3, &[c"VK_QCOM_tile_memory_heap"], from_mut(&mut features).cast())
}

/// The number of the memory type whose heap is tile memory, and the bytes of that.
fn tile_type(client: &Client) -> (u32, u64) {
    let memory = unsafe { client.instance.get_physical_device_memory_properties(client.physical_device) };
    let heap = |index: u32| memory.memory_heaps[memory.memory_types[index as usize].heap_index as usize];
    let is_tile = |&index: &u32| heap(index).flags.contains(vk::MemoryHeapFlags::TILE_MEMORY_QCOM);
    let found: Vec<u32> = (0..memory.memory_type_count).filter(is_tile).collect();
    let [index] = found[..] else { panic!("one type: {found:?}") };
    (index, heap(index).size)
}

fn allocate(device: &Compute, bytes: u64) -> Result<vk::DeviceMemory, vk::ErrorCode> {
    let info =
        vk::MemoryAllocateInfo::builder().allocation_size(bytes).memory_type_index(tile_type(device).0);
    unsafe { device.device.allocate_memory(&info, None) }
}

/// A buffer at an offset of tile memory.
fn buffer(device: &Compute, memory: vk::DeviceMemory, offset: u64) -> vk::Buffer {
    let usage = vk::BufferUsageFlags::TILE_MEMORY_QCOM
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::builder().size(BYTES).usage(usage);
    unsafe {
        let buffer = device.device.create_buffer(&info, None).expect("a buffer");
        device.device.bind_buffer_memory(buffer, memory, offset).expect("bound");
        buffer
    }
}

fn bind(device: &Compute, commands: vk::CommandBuffer, memory: vk::DeviceMemory) {
    let info = vk::TileMemoryBindInfoQCOM { memory, ..Default::default() };
    unsafe { device.device.cmd_bind_tile_memory_qcom(commands, Some(&info)) };
}

/// All commands before are done, and seen, before those after.
fn wait_for_all(device: &Compute, commands: vk::CommandBuffer) {
    let barrier = vk::MemoryBarrier {
        src_access_mask: vk::AccessFlags::MEMORY_WRITE,
        dst_access_mask: vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE,
        ..Default::default()
    };
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    unsafe {
        device.device.cmd_pipeline_barrier(
            commands,
            all,
            all,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[] as &[vk::BufferMemoryBarrier],
            &[] as &[vk::ImageMemoryBarrier],
        );
    }
}

fn whole(device: &Compute, commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer) {
    let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size: BYTES };
    unsafe { device.device.cmd_copy_buffer(commands, from, to, &[region]) };
}

/// Programs that do not know tile memory find the types and the heap that they find without it, and cannot
/// have it: its type comes last, with no property, for no resource that was not made for it.
#[test]
fn tile_memory_is_not_chosen_by_accident() {
    let device = Compute::new(V1_3, &[], null_mut());
    let memory = unsafe { device.instance.get_physical_device_memory_properties(device.physical_device) };
    let (index, bytes) = tile_type(&device);
    assert_eq!((index + 1, memory.memory_heap_count), (memory.memory_type_count, 2));
    assert_eq!(memory.memory_types[index as usize].property_flags, vk::MemoryPropertyFlags::empty());
    assert!(memory.memory_heaps[0].flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    assert!(!memory.memory_heaps[1].flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    assert!(bytes >= 1 << 20);
    let info = vk::BufferCreateInfo::builder().size(64).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    unsafe {
        let buffer = device.device.create_buffer(&info, None).expect("a buffer");
        let needs = device.device.get_buffer_memory_requirements(buffer);
        assert_eq!(needs.memory_type_bits, (1 << index) - 1);
        device.device.destroy_buffer(buffer, None);
    }
}

/// What the requirements say, and what is refused: memory that is too large or mapped, and resources that
/// were not made for tile memory.
#[test]
fn resources_say_what_they_need_of_tile_memory() {
    let device = device();
    let (index, bytes) = tile_type(&device);
    assert!(allocate(&device, bytes + 1).is_err() && allocate(&device, 0).is_err());
    let memory = allocate(&device, BYTES).expect("tile memory");
    let requirements = |usage: vk::BufferUsageFlags| unsafe {
        let info = vk::BufferCreateInfo::builder().size(BYTES).usage(usage);
        let buffer = device.device.create_buffer(&info, None).expect("a buffer");
        let mut tile = vk::TileMemoryRequirementsQCOM { size: 7, alignment: 7, ..Default::default() };
        let mut all = vk::MemoryRequirements2 { next: from_mut(&mut tile).cast(), ..Default::default() };
        let info = vk::BufferMemoryRequirementsInfo2::builder().buffer(buffer);
        device.device.get_buffer_memory_requirements2(&info, &mut all);
        let bound = device.device.bind_buffer_memory(buffer, memory, 0).is_ok();
        device.device.destroy_buffer(buffer, None);
        (tile.size, tile.alignment > 0, all.memory_requirements.memory_type_bits >> index, bound)
    };
    let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
    assert_eq!(requirements(storage | vk::BufferUsageFlags::TILE_MEMORY_QCOM), (BYTES, true, 1, true));
    assert_eq!(requirements(storage), (0, false, 0, false));
    // With uses that buffers in tile memory have not, a buffer is none.
    assert_eq!(requirements(vk::BufferUsageFlags::all()), (0, false, 0, false));
    unsafe {
        assert!(device.device.map_memory(memory, 0, BYTES, vk::MemoryMapFlags::empty()).is_err());
        // An allocation is as large as it was asked for, not as its heap.
        let info = vk::BufferCreateInfo::builder()
            .size(2 * BYTES)
            .usage(storage | vk::BufferUsageFlags::TILE_MEMORY_QCOM);
        let large = device.device.create_buffer(&info, None).expect("a buffer");
        assert!(device.device.bind_buffer_memory(large, memory, 0).is_err());
        device.device.destroy_buffer(large, None);
        // Other memory cannot be bound to command buffers.
        let info = vk::MemoryAllocateInfo::builder().allocation_size(64);
        let other = device.device.allocate_memory(&info, None).expect("memory");
        for (bound, is_fine) in [(memory, true), (other, false)] {
            let commands = device.command_buffer();
            let info = vk::CommandBufferBeginInfo::default();
            device.device.begin_command_buffer(commands, &info).expect("begun");
            bind(&device, commands, bound);
            device.device.cmd_bind_tile_memory_qcom(commands, None);
            assert_eq!(device.device.end_command_buffer(commands).is_ok(), is_fine);
        }
        device.device.free_memory(other, None);
        device.device.free_memory(memory, None);
    }
}

/// Buffers of several allocations share their bytes, and so does an image; command buffers of a batch see
/// what others have left.
#[test]
fn allocations_share_their_bytes() {
    let device = device();
    let memories = [BYTES, 4 * BYTES].map(|bytes| allocate(&device, bytes).expect("tile memory"));
    let [first, second] = memories.map(|memory| buffer(&device, memory, 0));
    let behind = buffer(&device, memories[1], BYTES);
    let out = [(); 3].map(|()| device.buffer_with(WORDS as usize, vk::BufferUsageFlags::TRANSFER_DST));
    let usage = vk::ImageUsageFlags::TILE_MEMORY_QCOM
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::TRANSFER_SRC;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R32_UINT)
        .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(usage);
    let image = unsafe { device.device.create_image(&info, None).expect("an image") };
    unsafe { device.device.bind_image_memory(image, memories[1], 2 * BYTES).expect("bound") };
    let set_layout = device
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = device.layout(&[set_layout]);
    let pipeline = device.pipeline(layout, &adding());
    let set = device.set(set_layout);
    device.write(set, second);
    let range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let begin = device.record(|commands| unsafe {
        bind(&device, commands, memories[1]);
        device.device.cmd_fill_buffer(commands, first, 0, BYTES, 1000);
        device.device.cmd_fill_buffer(commands, behind, 0, BYTES, 5);
        let color = vk::ClearColorValue { uint32: [77; 4] };
        device.device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &color, &[range]);
    });
    let end = device.record(|commands| unsafe {
        bind(&device, commands, memories[1]);
        wait_for_all(&device, commands);
        device.device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.device.cmd_push_constants(commands, layout, stages, 0, &234_u32.to_ne_bytes());
        device.device.cmd_dispatch(commands, WORDS, 1, 1);
        wait_for_all(&device, commands);
        whole(&device, commands, first, out[0].buffer);
        whole(&device, commands, behind, out[1].buffer);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: vk::Extent3D { width: 64, height: 64, depth: 1 },
            ..Default::default()
        };
        let general = vk::ImageLayout::GENERAL;
        device.device.cmd_copy_image_to_buffer(commands, image, general, out[2].buffer, &[region]);
    });
    let list = [begin, end];
    let submit = vk::SubmitInfo::builder().command_buffers(&list);
    unsafe {
        device.device.queue_submit(device.queue, &[submit], vk::Fence::null()).expect("submitted");
        device.device.queue_wait_idle(device.queue).expect("idle");
    }
    for (out, word) in out.iter().zip([1234, 5, 77]) {
        assert!(out.words().iter().all(|&found| found == word), "{word}: {:?}", &out.words()[..4]);
    }
    unsafe {
        device.device.destroy_image(image, None);
        [first, second, behind].into_iter().for_each(|buffer| device.device.destroy_buffer(buffer, None));
        memories.into_iter().for_each(|memory| device.device.free_memory(memory, None));
    }
}

/// Queues do not see each other's tile memory, also while one of them waits for an event.
#[test]
fn queues_have_tile_memory_of_their_own() {
    let device = device();
    let memory = allocate(&device, BYTES).expect("tile memory");
    let tile = buffer(&device, memory, 0);
    let outs = [(); 3].map(|()| device.buffer_with(WORDS as usize, vk::BufferUsageFlags::TRANSFER_DST));
    let event =
        unsafe { device.device.create_event(&vk::EventCreateInfo::default(), None) }.expect("an event");
    // Each batch fills the memory, copies it within itself many times, and out.
    let record = |queue: usize, waits: bool| {
        device.record(|commands| unsafe {
            bind(&device, commands, memory);
            device.device.cmd_fill_buffer(commands, tile, 0, BYTES, 100 + queue as u32);
            if waits {
                device.device.cmd_wait_events(
                    commands,
                    &[event],
                    vk::PipelineStageFlags::HOST,
                    vk::PipelineStageFlags::ALL_COMMANDS,
                    &[] as &[vk::MemoryBarrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[] as &[vk::ImageMemoryBarrier],
                );
            }
            for _ in 0..8 {
                wait_for_all(&device, commands);
                whole(&device, commands, tile, outs[queue].buffer);
                wait_for_all(&device, commands);
                whole(&device, commands, outs[queue].buffer, tile);
            }
        })
    };
    let queues = [0, 1, 2].map(|index| unsafe { device.device.get_device_queue(0, index) });
    let submit = |queue: usize, commands: vk::CommandBuffer| unsafe {
        let list = [commands];
        let submit = vk::SubmitInfo::builder().command_buffers(&list);
        device.device.queue_submit(queues[queue], &[submit], vk::Fence::null()).expect("submitted");
    };
    let check = |queue: usize| {
        let words = outs[queue].words();
        assert!(words.iter().all(|&word| word == 100 + queue as u32), "queue {queue}: {:?}", &words[..4]);
    };
    // The batch of queue 2 waits until those of the others have ended.
    submit(2, record(2, true));
    for _ in 0..50 {
        let lists = [0, 1].map(|queue| record(queue, false));
        lists.into_iter().enumerate().for_each(|(queue, commands)| submit(queue, commands));
        for queue in [0, 1] {
            unsafe { device.device.queue_wait_idle(queues[queue]).expect("idle") };
            check(queue);
        }
    }
    unsafe {
        device.device.set_event(event).expect("set");
        device.device.queue_wait_idle(queues[2]).expect("idle");
    }
    check(2);
    unsafe {
        device.device.destroy_event(event, None);
        device.device.destroy_buffer(tile, None);
        device.device.free_memory(memory, None);
    }
}

/// Programs that know nothing of it allocate from each type.
#[test]
fn without_the_feature_tile_memory_is_memory_like_any_other() {
    let device = Compute::new(V1_3, &[], null_mut());
    let memory = unsafe { device.instance.get_physical_device_memory_properties(device.physical_device) };
    for index in 0..memory.memory_type_count {
        let info = vk::MemoryAllocateInfo::builder().allocation_size(BYTES).memory_type_index(index);
        unsafe {
            let memory = device.device.allocate_memory(&info, None).expect("memory");
            device.device.free_memory(memory, None);
        }
    }
}
