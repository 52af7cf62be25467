//! The entry points, driven in this process as a loader would: names, objects, transfers, synchronisation.

use pyro_test_environment::{in_child, number};
use pyro_test_kit::{Client, Gpu, resident_bytes};
use std::ffi::CString;
use std::slice;
use vulkanalia::prelude::v1_2::*;

/// A device of version 1.2.
fn device() -> Gpu {
    Client::new(vk::make_version(1, 2, 0), &[]).device(&[], None, std::ptr::null_mut())
}

/// A buffer for transfers with mapped memory.
fn transfer_buffer(gpu: &Gpu, bytes: u64) -> (vk::Buffer, vk::DeviceMemory, *mut u32) {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let (buffer, memory, address) = gpu.mapped_buffer(bytes, usage);
    (buffer, memory, address.cast())
}

#[test]
fn unknown_names_are_null() {
    for (name, exists) in [
        ("vkCreateInstance", true),
        ("vkEnumerateInstanceVersion", true),
        ("vkCmdDispatch", false),
        ("vk_icdNegotiateLoaderICDInterfaceVersion", true),
        ("vk_icdGetPhysicalDeviceProcAddr", true),
        ("vk_icdNoSuchFunction", false),
        ("", false),
    ] {
        let name = CString::new(name).expect("no zero");
        let found = unsafe { pyroclast_icd::vk_icdGetInstanceProcAddr(vk::Instance::null(), name.as_ptr()) };
        assert_eq!(found.is_some(), exists, "{name:?}");
    }
    let mut version = 9;
    assert_eq!(
        unsafe { pyroclast_icd::vk_icdNegotiateLoaderICDInterfaceVersion(&raw mut version) },
        vk::Result::SUCCESS
    );
    assert_eq!(version, 7);
}

#[test]
fn transfers_do_what_they_say() {
    let context = device();
    let device = &context.device;
    let (first, first_memory, first_words) = transfer_buffer(&context, 64);
    let (second, second_memory, second_words) = transfer_buffer(&context, 64);
    unsafe {
        let commands = context.record(|buffer| {
            device.cmd_fill_buffer(buffer, first, 0, vk::WHOLE_SIZE, 0x0102_0304);
            device.cmd_update_buffer(buffer, first, 8, &7u32.to_le_bytes());
            let region = vk::BufferCopy { src_offset: 4, dst_offset: 16, size: 12 };
            device.cmd_copy_buffer(buffer, first, second, &[region]);
        });
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
        device.queue_submit(context.queue, slice::from_ref(&submit), fence).expect("submitted");
        device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
        assert_eq!(slice::from_raw_parts(first_words, 4), [0x0102_0304, 0x0102_0304, 7, 0x0102_0304]);
        assert_eq!(slice::from_raw_parts(second_words, 8), [0, 0, 0, 0, 0x0102_0304, 7, 0x0102_0304, 0]);
        device.destroy_fence(fence, None);
        for (buffer, memory) in [(first, first_memory), (second, second_memory)] {
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
    }
}

#[test]
fn timelines_order_submissions_and_may_be_waited_for_first() {
    let context = device();
    let device = &context.device;
    unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        let semaphore = device.create_semaphore(&info, None).expect("a timeline");
        // Waits for 5, signals 9.
        let mut values = vk::TimelineSemaphoreSubmitInfo::builder()
            .wait_semaphore_values(&[5])
            .signal_semaphore_values(&[9]);
        let submit = vk::SubmitInfo::builder()
            .wait_semaphores(slice::from_ref(&semaphore))
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::COMPUTE_SHADER])
            .signal_semaphores(slice::from_ref(&semaphore))
            .push_next(&mut values);
        device.queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null()).expect("submitted");
        let wait = |value: &u64, timeout| {
            let info = vk::SemaphoreWaitInfo::builder()
                .semaphores(slice::from_ref(&semaphore))
                .values(slice::from_ref(value));
            device.wait_semaphores(&info, timeout).expect("waits")
        };
        assert_eq!(wait(&9, 20_000_000), vk::SuccessCode::TIMEOUT);
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(semaphore).value(5);
        device.signal_semaphore(&signal).expect("signaled");
        assert_eq!(wait(&9, u64::MAX), vk::SuccessCode::SUCCESS);
        assert_eq!(device.get_semaphore_counter_value(semaphore).expect("a value"), 9);
        device.destroy_semaphore(semaphore, None);
    }
}

/// `PYRO_SUBMITS` sets how many (default 20,000).
#[test]
fn many_small_submits_and_objects_leak_nothing() {
    if !in_child(module_path!(), "many_small_submits_and_objects_leak_nothing", &[]) {
        return;
    }
    let count = number("PYRO_SUBMITS", 20_000_u32);
    let context = device();
    let device = &context.device;
    let round = |rounds: u32| unsafe {
        for number in 0..rounds {
            let (buffer, memory, words) = transfer_buffer(&context, 16);
            let commands = context.record(|commands| device.cmd_fill_buffer(commands, buffer, 0, 16, number));
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
            let semaphore =
                device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).expect("a semaphore");
            let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
            device.queue_submit(context.queue, slice::from_ref(&submit), fence).expect("submitted");
            device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
            assert_eq!(words.read(), number);
            device.destroy_semaphore(semaphore, None);
            device.destroy_event(event, None);
            device.destroy_fence(fence, None);
            device.free_command_buffers(context.pool, &[commands]);
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
    };
    round(count / 5);
    let before = resident_bytes();
    round(count);
    let grown = resident_bytes().saturating_sub(before);
    // Any object is larger than this, so a leak of one kind would show. The allocator grows in steps.
    let step = 160 << 10;
    assert!(grown < step + u64::from(count) * 20, "{grown} bytes more after {count} rounds");
}

#[test]
fn misuse_is_an_error() {
    let context = device();
    unsafe {
        let words = [1u32, 2, 3];
        let info = vk::ShaderModuleCreateInfo::builder().code_size(12).code(&words);
        assert!(context.device.create_shader_module(&info, None).is_err());
        let info = vk::BufferCreateInfo::builder().size(0);
        assert!(context.device.create_buffer(&info, None).is_err());
        let info = vk::MemoryAllocateInfo::builder().allocation_size(1 << 60);
        assert_eq!(context.device.allocate_memory(&info, None), Err(vk::ErrorCode::OUT_OF_DEVICE_MEMORY));
        let physical_device = context.physical_device;
        let name = c"VK_KHR_no_such_thing".as_ptr();
        let info = vk::DeviceCreateInfo::builder().enabled_extension_names(slice::from_ref(&name));
        let made = context.instance.create_device(physical_device, &info, None);
        assert_eq!(made.err(), Some(vk::ErrorCode::EXTENSION_NOT_PRESENT));
    }
}

/// The query becomes available only behind an event that the host sets later.
#[test]
fn query_results_with_wait_come_when_they_are_available() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let gpu = device();
    let device = &gpu.device;
    unsafe {
        let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::TIMESTAMP).query_count(1);
        let pool = device.create_query_pool(&info, None).expect("a query pool");
        let commands = gpu.record(|commands| {
            device.cmd_reset_query_pool(commands, pool, 0, 1);
            device.cmd_wait_events(
                commands,
                &[event],
                vk::PipelineStageFlags::HOST,
                vk::PipelineStageFlags::ALL_COMMANDS,
                &[] as &[vk::MemoryBarrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
            device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 0);
        });
        gpu.submit(commands);
        let results = |flags| {
            let mut bytes = [0; 8];
            let flags = flags | vk::QueryResultFlags::_64;
            let code = device.get_query_pool_results(pool, 0, 1, &mut bytes, 8, flags).expect("results");
            (code, u64::from_le_bytes(bytes))
        };
        assert_eq!(results(vk::QueryResultFlags::empty()).0, vk::SuccessCode::NOT_READY);
        let is_set = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                is_set.store(true, Ordering::SeqCst);
                device.set_event(event).expect("set");
            });
            let (code, time) = results(vk::QueryResultFlags::WAIT);
            assert!(is_set.load(Ordering::SeqCst), "returned before the query was available");
            assert_eq!(code, vk::SuccessCode::SUCCESS);
            assert_ne!(time, 0);
        });
        device.queue_wait_idle(gpu.queue).expect("idle");
        device.destroy_query_pool(pool, None);
        device.destroy_event(event, None);
    }
}
