//! Memory, fences and semaphores that devices and processes share by handles of Windows.
#![cfg(windows)]

use crate::semaphores::{ends, submit};
use pyro_test_kit::compute::Compute;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::{Child, Command};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrExternalFenceWin32ExtensionDeviceCommands as _, KhrExternalMemoryWin32ExtensionDeviceCommands as _,
    KhrExternalSemaphoreWin32ExtensionDeviceCommands as _,
};
use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};

const SECOND_NS: u64 = 1_000_000_000;
const BYTES: u64 = 20_000;
const SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32;
const MEMORY: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32;
const FENCE: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_WIN32;
const PERMANENT: vk::SemaphoreImportFlags = vk::SemaphoreImportFlags::empty();
const TEMPORARY: vk::SemaphoreImportFlags = vk::SemaphoreImportFlags::TEMPORARY;

fn context() -> Compute {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().timeline_semaphore(true);
    let extensions =
        [c"VK_KHR_external_fence_win32", c"VK_KHR_external_memory_win32", c"VK_KHR_external_semaphore_win32"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, std::ptr::from_mut(&mut features).cast())
}

/// A handle that this test closes.
fn owned(handle: vk::HANDLE) -> OwnedHandle {
    unsafe { OwnedHandle::from_raw_handle(handle) }
}

/// A semaphore; a timeline's first value.
fn semaphore(
    context: &Compute,
    timeline: Option<u64>,
    export: vk::ExternalSemaphoreHandleTypeFlags,
) -> vk::Semaphore {
    let mut export = vk::ExportSemaphoreCreateInfo::builder().handle_types(export);
    let mut ty = vk::SemaphoreTypeCreateInfo::builder()
        .semaphore_type(vk::SemaphoreType::TIMELINE)
        .initial_value(timeline.unwrap_or(0));
    let info = vk::SemaphoreCreateInfo::builder().push_next(&mut export);
    let info = if timeline.is_some() { info.push_next(&mut ty) } else { info };
    unsafe { context.device.create_semaphore(&info, None) }.expect("a semaphore")
}

fn export(context: &Compute, semaphore: vk::Semaphore) -> OwnedHandle {
    let info = vk::SemaphoreGetWin32HandleInfoKHR::builder().semaphore(semaphore).handle_type(SEMAPHORE);
    owned(unsafe { context.device.get_semaphore_win32_handle_khr(&info) }.expect("exported"))
}

fn import(
    context: &Compute,
    semaphore: vk::Semaphore,
    flags: vk::SemaphoreImportFlags,
    handle: vk::HANDLE,
) -> VkResult<()> {
    let info = vk::ImportSemaphoreWin32HandleInfoKHR {
        semaphore,
        flags,
        handle_type: SEMAPHORE,
        handle,
        ..Default::default()
    };
    unsafe { context.device.import_semaphore_win32_handle_khr(&info) }
}

fn export_memory(context: &Compute, memory: vk::DeviceMemory) -> VkResult<OwnedHandle> {
    let info = vk::MemoryGetWin32HandleInfoKHR::builder().memory(memory).handle_type(MEMORY);
    unsafe { context.device.get_memory_win32_handle_khr(&info) }.map(owned)
}

/// Memory that can be exported.
fn exportable(context: &Compute) -> vk::DeviceMemory {
    let mut export = vk::ExportMemoryAllocateInfo::builder().handle_types(MEMORY);
    let info = vk::MemoryAllocateInfo::builder().allocation_size(BYTES).push_next(&mut export);
    unsafe { context.device.allocate_memory(&info, None) }.expect("memory")
}

fn import_memory(context: &Compute, handle: vk::HANDLE, bytes: u64) -> VkResult<vk::DeviceMemory> {
    let mut import = vk::ImportMemoryWin32HandleInfoKHR { handle_type: MEMORY, handle, ..Default::default() };
    let info = vk::MemoryAllocateInfo {
        next: (&raw mut import).cast(),
        allocation_size: bytes,
        ..Default::default()
    };
    unsafe { context.device.allocate_memory(&info, None) }
}

fn map(context: &Compute, memory: vk::DeviceMemory) -> *mut u32 {
    let flags = vk::MemoryMapFlags::empty();
    unsafe { context.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags) }.expect("mapped").cast()
}

#[test]
fn devices_share_memory_by_handles() {
    let (one, two) = (context(), context());
    let memory = exportable(&one);
    let handle = export_memory(&one, memory).expect("a handle");
    let other = import_memory(&two, handle.as_raw_handle(), BYTES).expect("imported");
    // An import takes no handle over, and the memory is not the handle's.
    drop(handle);
    let (here, there) = (map(&one, memory), map(&two, other));
    assert_ne!(here, there);
    unsafe {
        here.add(4999).write_volatile(0xfeed);
        assert_eq!(there.add(4999).read_volatile(), 0xfeed);
        // A buffer on imported memory.
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::builder().size(16).usage(usage);
        let buffer = two.device.create_buffer(&info, None).expect("a buffer");
        two.device.bind_buffer_memory(buffer, other, 4096).expect("bound");
        two.run(|commands| two.device.cmd_fill_buffer(commands, buffer, 0, 16, 0xabcd));
        assert_eq!(here.add(1025).read_volatile(), 0xabcd);
        two.device.destroy_buffer(buffer, None);
        two.device.free_memory(other, None);
        // What was imported does not end with the memory that it was exported from.
        let handle = export_memory(&one, memory).expect("a handle");
        one.device.free_memory(memory, None);
        let other = import_memory(&two, handle.as_raw_handle(), BYTES).expect("imported");
        assert_eq!(map(&two, other).add(1025).read_volatile(), 0xabcd);
        two.device.free_memory(other, None);
    }
}

#[test]
fn what_is_no_handle_of_memory_is_refused() {
    let context = context();
    let plain = vk::MemoryAllocateInfo::builder().allocation_size(BYTES);
    let plain = unsafe { context.device.allocate_memory(&plain, None) }.expect("memory");
    assert!(export_memory(&context, plain).is_err(), "not made for it");
    let memory = exportable(&context);
    let handle = export_memory(&context, memory).expect("a handle");
    let invalid = Some(vk::ErrorCode::INVALID_EXTERNAL_HANDLE);
    assert_eq!(import_memory(&context, handle.as_raw_handle(), 2 * BYTES).err(), invalid, "it is smaller");
    assert_eq!(import_memory(&context, std::ptr::null_mut(), BYTES).err(), invalid);
    let file = std::fs::File::open(std::env::current_exe().expect("a path")).expect("a file");
    assert_eq!(import_memory(&context, file.as_raw_handle(), 4096).err(), invalid);
    let semaphore = semaphore(&context, None, SEMAPHORE);
    assert_eq!(import(&context, semaphore, PERMANENT, handle.as_raw_handle()), Err(invalid.expect("one")));
    unsafe {
        context.device.free_memory(plain, None);
        context.device.free_memory(memory, None);
        context.device.destroy_semaphore(semaphore, None);
    }
}

#[test]
fn imported_semaphores_share_the_payload() {
    let (one, two) = (context(), context());
    let (here, there) = (semaphore(&one, None, SEMAPHORE), semaphore(&two, None, Default::default()));
    let handle = export(&one, here);
    import(&two, there, PERMANENT, handle.as_raw_handle()).expect("imported");
    for _ in 0..3 {
        submit(&one, &[], &[here], vk::Fence::null());
        assert!(ends(&two, there, 10 * SECOND_NS));
    }
    // A wait ends a temporary import.
    let own = semaphore(&two, None, Default::default());
    submit(&two, &[], &[own], vk::Fence::null());
    import(&two, own, TEMPORARY, handle.as_raw_handle()).expect("imported");
    submit(&one, &[], &[here], vk::Fence::null());
    assert!(ends(&two, own, 10 * SECOND_NS), "the imported payload");
    assert!(ends(&two, own, 10 * SECOND_NS), "its own");
    // Of another type, and not made for it.
    let timeline = semaphore(&one, Some(3), Default::default());
    let refused = import(&one, timeline, PERMANENT, handle.as_raw_handle());
    assert_eq!(refused, Err(vk::ErrorCode::INVALID_EXTERNAL_HANDLE));
    let info = vk::SemaphoreGetWin32HandleInfoKHR::builder().semaphore(timeline).handle_type(SEMAPHORE);
    assert!(unsafe { one.device.get_semaphore_win32_handle_khr(&info) }.is_err());
    unsafe {
        one.device.destroy_semaphore(here, None);
        one.device.destroy_semaphore(timeline, None);
        two.device.destroy_semaphore(there, None);
        two.device.destroy_semaphore(own, None);
    }
}

#[test]
fn fences_are_shared_by_handles() {
    let (one, two) = (context(), context());
    unsafe {
        let mut types = vk::ExportFenceCreateInfo::builder().handle_types(FENCE);
        let info = vk::FenceCreateInfo::builder().push_next(&mut types);
        let here = one.device.create_fence(&info, None).expect("a fence");
        let there = two.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let info = vk::FenceGetWin32HandleInfoKHR::builder().fence(here).handle_type(FENCE);
        let handle = owned(one.device.get_fence_win32_handle_khr(&info).expect("exported"));
        let info = vk::ImportFenceWin32HandleInfoKHR {
            fence: there,
            handle_type: FENCE,
            handle: handle.as_raw_handle(),
            ..Default::default()
        };
        two.device.import_fence_win32_handle_khr(&info).expect("imported");
        assert_eq!(two.device.get_fence_status(there).expect("a status"), vk::SuccessCode::NOT_READY);
        // The other device waits while this one signals.
        std::thread::scope(|scope| {
            let device = &two.device;
            let waiter = scope.spawn(|| device.wait_for_fences(&[there], true, 10 * SECOND_NS));
            std::thread::sleep(std::time::Duration::from_millis(20));
            submit(&one, &[], &[], here);
            assert_eq!(waiter.join().expect("ends").expect("waited"), vk::SuccessCode::SUCCESS);
        });
        two.device.reset_fences(&[there]).expect("reset");
        assert_eq!(one.device.get_fence_status(here).expect("a status"), vk::SuccessCode::NOT_READY);
        one.device.destroy_fence(here, None);
        two.device.destroy_fence(there, None);
    }
}

const PEER: &str = "PYRO_TEST_PEER";

/// The other process: waits for the timeline's 5, changes the memory, sets the timeline to 6, and signals the
/// binary semaphore.
#[test]
fn the_other_process() {
    let Ok(peer) = std::env::var(PEER) else { return };
    let handles: Vec<vk::HANDLE> = peer
        .split(' ')
        .map(|number| std::ptr::with_exposed_provenance_mut(number.parse().expect("a number")))
        .collect();
    let context = context();
    let [binary, timeline] = [None, Some(0)].map(|ty| semaphore(&context, ty, Default::default()));
    import(&context, binary, PERMANENT, handles[0]).expect("imported");
    import(&context, timeline, PERMANENT, handles[1]).expect("imported");
    let memory = import_memory(&context, handles[2], BYTES).expect("imported");
    unsafe {
        let info = vk::SemaphoreWaitInfo::builder().semaphores(slice::from_ref(&timeline)).values(&[5]);
        let waited = context.device.wait_semaphores(&info, 20 * SECOND_NS).expect("waited");
        assert_eq!(waited, vk::SuccessCode::SUCCESS);
        let word = map(&context, memory).add(77);
        word.write_volatile(word.read_volatile() + 1);
        let info = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(6);
        context.device.signal_semaphore(&info).expect("signaled");
        submit(&context, &[], &[binary], vk::Fence::null());
        context.device.device_wait_idle().expect("idle");
    }
}

/// Starts it with handles, which it inherits.
fn other_process(handles: &[&OwnedHandle]) -> Child {
    for handle in handles {
        let inherits = HANDLE_FLAG_INHERIT;
        assert_ne!(unsafe { SetHandleInformation(handle.as_raw_handle(), inherits, inherits) }, 0);
    }
    let numbers: Vec<String> =
        handles.iter().map(|handle| handle.as_raw_handle().addr().to_string()).collect();
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "external_win32::the_other_process"])
        .env(PEER, numbers.join(" "))
        .spawn()
        .expect("another process")
}

#[test]
fn processes_share_memory_and_wait_for_each_other() {
    let context = context();
    let [binary, timeline] = [None, Some(0)].map(|ty| semaphore(&context, ty, SEMAPHORE));
    let handles = [binary, timeline].map(|semaphore| export(&context, semaphore));
    let memory = exportable(&context);
    let memory_handle = export_memory(&context, memory).expect("a handle");
    let word = unsafe { map(&context, memory).add(77) };
    unsafe { word.write_volatile(41) };
    let mut child = other_process(&[&handles[0], &handles[1], &memory_handle]);
    unsafe {
        let info = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(5);
        context.device.signal_semaphore(&info).expect("signaled");
        assert!(ends(&context, binary, 20 * SECOND_NS));
        assert_eq!(context.device.get_semaphore_counter_value(timeline), Ok(6));
        assert_eq!(word.read_volatile(), 42);
        assert!(child.wait().expect("ends").success());
        context.device.destroy_semaphore(binary, None);
        context.device.destroy_semaphore(timeline, None);
        context.device.free_memory(memory, None);
    }
}
