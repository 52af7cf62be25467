//! Fences and semaphores that devices and processes share by descriptors.
#![cfg(target_os = "linux")]

use crate::semaphores::{ends, submit};
use pyro_test_kit::compute::Compute;
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrExternalFenceFdExtensionDeviceCommands, KhrExternalSemaphoreFdExtensionDeviceCommands,
};

const SECOND_NS: u64 = 1_000_000_000;
const OPAQUE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const SYNC: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;
const PERMANENT: vk::SemaphoreImportFlags = vk::SemaphoreImportFlags::empty();
const TEMPORARY: vk::SemaphoreImportFlags = vk::SemaphoreImportFlags::TEMPORARY;

fn context() -> Compute {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().timeline_semaphore(true);
    let extensions = [c"VK_KHR_external_fence_fd", c"VK_KHR_external_semaphore_fd"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, std::ptr::from_mut(&mut features).cast())
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

fn export(
    context: &Compute,
    semaphore: vk::Semaphore,
    ty: vk::ExternalSemaphoreHandleTypeFlags,
) -> VkResult<i32> {
    let info = vk::SemaphoreGetFdInfoKHR::builder().semaphore(semaphore).handle_type(ty);
    unsafe { context.device.get_semaphore_fd_khr(&info) }
}

fn import(
    context: &Compute,
    semaphore: vk::Semaphore,
    (ty, flags): (vk::ExternalSemaphoreHandleTypeFlags, vk::SemaphoreImportFlags),
    fd: i32,
) -> VkResult<()> {
    let info =
        vk::ImportSemaphoreFdInfoKHR::builder().semaphore(semaphore).handle_type(ty).flags(flags).fd(fd);
    unsafe { context.device.import_semaphore_fd_khr(&info) }
}

#[test]
fn a_permanent_import_shares_the_payload() {
    let (one, two) = (context(), context());
    let (here, there) = (semaphore(&one, None, OPAQUE), semaphore(&two, None, Default::default()));
    let fd = export(&one, here, OPAQUE).expect("exported");
    import(&two, there, (OPAQUE, PERMANENT), fd).expect("imported");
    for _ in 0..3 {
        submit(&one, &[], &[here], vk::Fence::null());
        assert!(ends(&two, there, 10 * SECOND_NS));
    }
    // The imported one can be exported on.
    let third = semaphore(&one, None, Default::default());
    import(&one, third, (OPAQUE, PERMANENT), export(&two, there, OPAQUE).expect("exported"))
        .expect("imported");
    submit(&one, &[], &[third], vk::Fence::null());
    assert!(ends(&two, there, 10 * SECOND_NS));
    unsafe {
        one.device.destroy_semaphore(here, None);
        one.device.destroy_semaphore(third, None);
        two.device.destroy_semaphore(there, None);
    }
}

#[test]
fn a_wait_ends_a_temporary_import() {
    let (one, two) = (context(), context());
    let (here, there) = (semaphore(&one, None, OPAQUE), semaphore(&two, None, Default::default()));
    // Signaled by its own payload, which the import hides and the wait brings back.
    submit(&two, &[], &[there], vk::Fence::null());
    let fd = export(&one, here, OPAQUE).expect("exported");
    import(&two, there, (OPAQUE, TEMPORARY), fd).expect("imported");
    submit(&one, &[], &[here], vk::Fence::null());
    assert!(ends(&two, there, 10 * SECOND_NS), "the imported payload");
    assert!(ends(&two, there, 10 * SECOND_NS), "its own");
    unsafe {
        one.device.destroy_semaphore(here, None);
        two.device.destroy_semaphore(there, None);
    }
}

#[test]
fn a_sync_file_stands_for_one_signal() {
    let context = context();
    let (one, two) = (semaphore(&context, None, SYNC), semaphore(&context, None, SYNC));
    assert!(export(&context, one, SYNC).is_err(), "nobody will signal it");
    submit(&context, &[], &[one], vk::Fence::null());
    let fd = export(&context, one, SYNC).expect("exported");
    assert!(import(&context, two, (SYNC, PERMANENT), fd).is_err());
    import(&context, two, (SYNC, TEMPORARY), fd).expect("imported");
    assert!(ends(&context, two, 10 * SECOND_NS));
    // The export took the signal.
    assert!(export(&context, one, SYNC).is_err());

    // Whatever becomes readable will do: here a pipe.
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    import(&context, two, (SYNC, TEMPORARY), OwnedFd::from(reader).into_raw_fd()).expect("imported");
    let fence =
        unsafe { context.device.create_fence(&vk::FenceCreateInfo::default(), None) }.expect("a fence");
    submit(&context, &[two], &[], fence);
    unsafe {
        let waited = context.device.wait_for_fences(&[fence], true, SECOND_NS / 20);
        assert_eq!(waited.expect("waited"), vk::SuccessCode::TIMEOUT);
        std::io::Write::write_all(&mut writer, b"!").expect("written");
        let waited = context.device.wait_for_fences(&[fence], true, 10 * SECOND_NS);
        assert_eq!(waited.expect("waited"), vk::SuccessCode::SUCCESS);
        context.device.destroy_fence(fence, None);
        context.device.destroy_semaphore(one, None);
        context.device.destroy_semaphore(two, None);
    }
}

#[test]
fn fences_are_shared_too() {
    let (one, two) = (context(), context());
    let opaque = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
    let sync = vk::ExternalFenceHandleTypeFlags::SYNC_FD;
    unsafe {
        let mut types = vk::ExportFenceCreateInfo::builder().handle_types(opaque | sync);
        let info = vk::FenceCreateInfo::builder().push_next(&mut types);
        let here = one.device.create_fence(&info, None).expect("a fence");
        let there = two.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let export =
            |ty| one.device.get_fence_fd_khr(&vk::FenceGetFdInfoKHR::builder().fence(here).handle_type(ty));
        let import = |ty, flags, fd| {
            let info = vk::ImportFenceFdInfoKHR::builder().fence(there).handle_type(ty).flags(flags).fd(fd);
            two.device.import_fence_fd_khr(&info)
        };
        let fd = export(opaque).expect("exported");
        import(opaque, vk::FenceImportFlags::empty(), fd).expect("imported");
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

        // As a sync file; a reset brings the fence's own payload back, and the export has reset the other.
        submit(&one, &[], &[], here);
        let fd = export(sync).expect("exported");
        assert_eq!(one.device.get_fence_status(here).expect("a status"), vk::SuccessCode::NOT_READY);
        import(sync, vk::FenceImportFlags::TEMPORARY, fd).expect("imported");
        assert_eq!(two.device.get_fence_status(there).expect("a status"), vk::SuccessCode::SUCCESS);
        two.device.reset_fences(&[there]).expect("reset");
        submit(&one, &[], &[], here);
        two.device.wait_for_fences(&[there], true, 10 * SECOND_NS).expect("waited");
        assert_eq!(two.device.get_fence_status(there).expect("a status"), vk::SuccessCode::SUCCESS);
        one.device.destroy_fence(here, None);
        two.device.destroy_fence(there, None);
    }
}

#[test]
fn invalid_sync_payload_files_are_refused() {
    let context = context();
    let (binary, timeline) =
        (semaphore(&context, None, OPAQUE), semaphore(&context, Some(3), Default::default()));
    let refused = |result: VkResult<()>| {
        assert_eq!(result, Err(vk::ErrorCode::INVALID_EXTERNAL_HANDLE));
    };
    let file = File::open("/proc/self/exe").expect("a file").into_raw_fd();
    refused(import(&context, binary, (OPAQUE, PERMANENT), file));
    refused(import(&context, binary, (OPAQUE, PERMANENT), -1));
    refused(import(&context, binary, (OPAQUE, PERMANENT), 12345));
    // Of another type.
    let fd = export(&context, binary, OPAQUE).expect("exported");
    refused(import(&context, timeline, (OPAQUE, PERMANENT), fd));
    assert!(export(&context, timeline, OPAQUE).is_err(), "not made for it");
    assert!(export(&context, binary, vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32).is_err());
    unsafe {
        // A refused import leaves the descriptor with the application.
        drop([OwnedFd::from_raw_fd(file), OwnedFd::from_raw_fd(fd)]);
        context.device.destroy_semaphore(binary, None);
        context.device.destroy_semaphore(timeline, None);
    }
}

const PEER: &str = "PYRO_TEST_PEER";

/// The other process: waits for the timeline's 5, sets it to 6, and signals the binary semaphore.
#[test]
fn the_other_process() {
    let Ok(peer) = std::env::var(PEER) else { return };
    let context = context();
    let [binary, timeline] = [None, Some(0)].map(|ty| semaphore(&context, ty, Default::default()));
    for (semaphore, path) in [binary, timeline].iter().zip(peer.split(' ')) {
        let file = File::options().read(true).write(true).open(path).expect("the descriptor");
        import(&context, *semaphore, (OPAQUE, PERMANENT), file.into_raw_fd()).expect("imported");
    }
    unsafe {
        let info = vk::SemaphoreWaitInfo::builder().semaphores(slice::from_ref(&timeline)).values(&[5]);
        let waited = context.device.wait_semaphores(&info, 20 * SECOND_NS).expect("waited");
        assert_eq!(waited, vk::SuccessCode::SUCCESS);
        let info = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(6);
        context.device.signal_semaphore(&info).expect("signaled");
        submit(&context, &[], &[binary], vk::Fence::null());
        context.device.device_wait_idle().expect("idle");
    }
}

#[test]
fn processes_wait_for_each_other() {
    let context = context();
    let [binary, timeline] = [None, Some(0)].map(|ty| semaphore(&context, ty, OPAQUE));
    let fds = [binary, timeline].map(|semaphore| export(&context, semaphore, OPAQUE).expect("exported"));
    let paths = fds.map(|fd| format!("/proc/{}/fd/{fd}", std::process::id()));
    let mut child = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "external_sync::the_other_process"])
        .env(PEER, paths.join(" "))
        .spawn()
        .expect("another process");
    unsafe {
        let info = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(5);
        context.device.signal_semaphore(&info).expect("signaled");
        assert!(ends(&context, binary, 20 * SECOND_NS));
        assert_eq!(context.device.get_semaphore_counter_value(timeline), Ok(6));
        assert!(child.wait().expect("ends").success());
        drop(fds.map(|fd| OwnedFd::from_raw_fd(fd)));
        context.device.destroy_semaphore(binary, None);
        context.device.destroy_semaphore(timeline, None);
    }
}
