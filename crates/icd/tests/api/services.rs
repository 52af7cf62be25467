//! Private data, memory for and from others, clocks; and that objects leave nothing behind.

use pyro_test_environment::in_child;
use pyro_test_kit::Client;
use vulkanalia::prelude::v1_2::*;
#[cfg(target_os = "linux")]
use vulkanalia::vk::KhrExternalMemoryFdExtensionDeviceCommands;
use vulkanalia::vk::{
    ExtExternalMemoryHostExtensionDeviceCommands, ExtPrivateDataExtensionDeviceCommands,
    KhrCalibratedTimestampsExtensionDeviceCommands,
};

/// Calls `body` with a device that has these extensions.
fn with_device(extensions: &[&std::ffi::CStr], body: impl FnOnce(&Device)) {
    let gpu = Client::new(vk::make_version(1, 2, 0), &[]).device(extensions, None, std::ptr::null_mut());
    body(&gpu.device);
}

#[test]
fn private_data_is_stored_per_object() {
    with_device(&[c"VK_EXT_private_data"], |device| unsafe {
        let info = vk::PrivateDataSlotCreateInfo::default();
        let slots = [(); 2].map(|()| device.create_private_data_slot_ext(&info, None).expect("a slot"));
        let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        assert_eq!(device.get_private_data_ext(vk::ObjectType::EVENT, event.as_raw(), slots[0]), 0);
        device.set_private_data_ext(vk::ObjectType::EVENT, event.as_raw(), slots[0], 7).expect("set");
        device
            .set_private_data_ext(vk::ObjectType::DEVICE, device.handle().as_raw() as u64, slots[0], 9)
            .expect("set");
        assert_eq!(device.get_private_data_ext(vk::ObjectType::EVENT, event.as_raw(), slots[0]), 7);
        assert_eq!(device.get_private_data_ext(vk::ObjectType::EVENT, event.as_raw(), slots[1]), 0);
        assert_eq!(
            device.get_private_data_ext(vk::ObjectType::DEVICE, device.handle().as_raw() as u64, slots[0]),
            9
        );
        device.destroy_event(event, None);
        let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        assert_eq!(
            device.get_private_data_ext(vk::ObjectType::EVENT, event.as_raw(), slots[0]),
            0,
            "a new object"
        );
        device.destroy_event(event, None);
        slots.into_iter().for_each(|slot| device.destroy_private_data_slot_ext(slot, None));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn exported_memory_is_shared() {
    let opaque = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    with_device(&[c"VK_KHR_external_memory_fd"], |device| unsafe {
        let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(opaque);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut export);
        let memory = device.allocate_memory(&info, None).expect("memory");
        let get = vk::MemoryGetFdInfoKHR::builder().memory(memory).handle_type(opaque);
        let fd = device.get_memory_fd_khr(&get).expect("a descriptor");
        let mut import = vk::ImportMemoryFdInfoKHR::builder().handle_type(opaque).fd(fd);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut import);
        let other = device.allocate_memory(&info, None).expect("imported");
        let map = |memory| {
            let flags = vk::MemoryMapFlags::empty();
            device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>()
        };
        let (here, there) = (map(memory), map(other));
        assert_ne!(here, there);
        here.add(1000).write_volatile(0xfeed);
        assert_eq!(there.add(1000).read_volatile(), 0xfeed);
        // A handle of another kind of system is refused, and plain memory is not exported.
        let win32 = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32;
        let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(win32);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut export);
        assert!(device.allocate_memory(&info, None).is_err());
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192);
        let plain = device.allocate_memory(&info, None).expect("memory");
        let get = vk::MemoryGetFdInfoKHR::builder().memory(plain).handle_type(opaque);
        assert!(device.get_memory_fd_khr(&get).is_err());
        [memory, other, plain].into_iter().for_each(|memory| device.free_memory(memory, None));
    });
}

/// What others have mapped stays: nobody with a descriptor of exported memory can cut it off, or make it
/// longer.
#[cfg(target_os = "linux")]
#[test]
fn exported_memory_keeps_its_size() {
    use std::os::fd::FromRawFd;
    let opaque = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    with_device(&[c"VK_KHR_external_memory_fd"], |device| unsafe {
        let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(opaque);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(8192).push_next(&mut export);
        let memory = device.allocate_memory(&info, None).expect("memory");
        let get = vk::MemoryGetFdInfoKHR::builder().memory(memory).handle_type(opaque);
        let file = std::fs::File::from_raw_fd(device.get_memory_fd_khr(&get).expect("a descriptor"));
        for size in [0, 4096, 16384] {
            let refused = file.set_len(size).expect_err("the size is sealed");
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
        }
        device.free_memory(memory, None);
    });
}

#[test]
fn host_memory_is_imported() {
    #[repr(align(4096))]
    struct Pages([u8; 8192]);
    let mut pages = Box::new(Pages([3; 8192]));
    let address = std::ptr::from_mut(&mut pages.0);
    let host = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    with_device(&[c"VK_EXT_external_memory_host"], |device| unsafe {
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        device.get_memory_host_pointer_properties_ext(host, &*address.cast(), &mut properties).expect("told");
        assert_eq!(properties.memory_type_bits & 1, 1);
        for (offset, fits) in [(0, true), (64, false)] {
            let mut import = vk::ImportMemoryHostPointerInfoEXT {
                handle_type: host,
                host_pointer: address.cast::<u8>().add(offset).cast(),
                ..Default::default()
            };
            let info = vk::MemoryAllocateInfo::builder().allocation_size(4096).push_next(&mut import);
            let memory = device.allocate_memory(&info, None);
            assert_eq!(memory.is_ok(), fits);
            let Ok(memory) = memory else { continue };
            let flags = vk::MemoryMapFlags::empty();
            let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped");
            assert_eq!(mapped as usize, address as usize);
            device.free_memory(memory, None);
        }
    });
    assert!(pages.0.iter().all(|byte| *byte == 3));
}

/// The host's clock, and nanoseconds of it.
#[cfg(unix)]
const HOST: vk::TimeDomainKHR = vk::TimeDomainKHR::CLOCK_MONOTONIC;
#[cfg(windows)]
const HOST: vk::TimeDomainKHR = vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER;

#[cfg(unix)]
fn host_ns(time: u64) -> u64 {
    time
}

#[cfg(windows)]
fn host_ns(time: u64) -> u64 {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn QueryPerformanceFrequency(per_second: *mut i64) -> i32;
    }
    let mut per_second = 0;
    assert_ne!(unsafe { QueryPerformanceFrequency(&raw mut per_second) }, 0);
    (u128::from(time) * 1_000_000_000 / per_second as u128) as u64
}

#[test]
fn clocks_agree() {
    with_device(&[c"VK_KHR_calibrated_timestamps"], |device| unsafe {
        let domains = [vk::TimeDomainKHR::DEVICE, HOST];
        let infos = domains
            .map(|domain| vk::CalibratedTimestampInfoKHR { time_domain: domain, ..Default::default() });
        let (times, deviation): (Vec<u64>, u64) =
            device.get_calibrated_timestamps_khr(&infos).expect("times");
        assert!(times[0] > 0 && host_ns(times[1]).abs_diff(times[0]) <= deviation, "{times:?} {deviation}");
    });
}

#[test]
fn ten_thousand_rounds_leave_no_object() {
    if !in_child(module_path!(), "ten_thousand_rounds_leave_no_object", &[]) {
        return;
    }
    const ROUNDS: usize = 10_000;
    with_device(&[], |device| unsafe {
        let mut first = None;
        for _ in 0..ROUNDS {
            let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            let semaphore =
                device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).expect("a semaphore");
            let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::TIMESTAMP).query_count(2);
            let queries = device.create_query_pool(&info, None).expect("queries");
            let pool =
                device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::builder().command_pool(pool).command_buffer_count(2);
            let buffers = device.allocate_command_buffers(&info).expect("command buffers");
            // The same handle never comes back at once, so that its use after the end is noticed.
            assert_ne!(*first.get_or_insert(event), vk::Event::null());
            device.free_command_buffers(pool, &buffers[..1]);
            device.destroy_command_pool(pool, None); // with the other buffer
            device.destroy_query_pool(queries, None);
            device.destroy_semaphore(semaphore, None);
            device.destroy_fence(fence, None);
            device.destroy_event(event, None);
        }
        let again = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        assert_ne!(Some(again), first);
        device.destroy_event(again, None);
    });
    assert!(pyroclast_icd::object_count() < 1000, "{}", pyroclast_icd::object_count());
}
