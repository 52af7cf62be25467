//! How processes end: commands from exit handlers, when what threads keep is gone already, and copies made by
//! `fork`, in which the device's threads do not run. Each in a process of its own.
#![cfg(target_os = "linux")]

use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Compute, shader};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const WORDS: usize = 5000;

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
    fn alarm(seconds: u32) -> u32;
}

/// Compiles, runs and checks a dispatch.
fn work(context: &Compute) {
    let body = "
        %product = OpIMul %uint %gid %uint_3
        %place = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %place %product";
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &shader(body));
    let (set, target) = (context.set(set_layout), context.buffer(WORDS));
    context.write(set, target.buffer);
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, WORDS as u32, 1, 1);
    });
    assert!(target.words().iter().enumerate().all(|(index, &word)| word == 3 * index as u32));
}

static CONTEXT: AtomicPtr<Compute> = AtomicPtr::new(null_mut());

/// A panic in here ends the process by a signal.
extern "C" fn at_exit() {
    let context = unsafe { Box::from_raw(CONTEXT.swap(null_mut(), Ordering::Acquire)) };
    work(&context);
    drop(context);
    // And once more from the beginning.
    work(&Compute::new(V1_3, &[], null_mut()));
}

#[test]
fn exit_handlers_may_call_every_command() {
    if in_child(module_path!(), "exit_handlers_may_call_every_command", &[]) {
        let context = Box::new(Compute::new(V1_3, &[], null_mut()));
        work(&context);
        CONTEXT.store(Box::into_raw(context), Ordering::Release);
        assert_eq!(unsafe { atexit(at_exit) }, 0);
        // The destructors of this thread's values run before the handlers.
        std::process::exit(0);
    }
}

#[test]
fn a_device_is_lost_in_a_copy_of_its_process() {
    if !in_child(module_path!(), "a_device_is_lost_in_a_copy_of_its_process", &[]) {
        return;
    }
    let context = Compute::new(V1_3, &[], null_mut());
    work(&context);
    let mut status = -1;
    unsafe {
        let copy = fork();
        assert!(copy >= 0, "no copy");
        if copy == 0 {
            let fence = context.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            let submit = vk::SubmitInfo::default();
            let submitted = context.device.queue_submit(context.queue, slice::from_ref(&submit), fence);
            let waited = context.device.wait_for_fences(&[fence], true, u64::MAX);
            let lost = Err(vk::ErrorCode::DEVICE_LOST);
            let said = submitted == lost && waited.map(|_| ()) == lost;
            context.device.destroy_fence(fence, None);
            drop(context);
            // A device of its own works.
            work(&Compute::new(V1_3, &[], null_mut()));
            _exit(if said { 7 } else { 8 });
        }
        // The first process's goes on meanwhile.
        work(&context);
        assert_eq!(waitpid(copy, &raw mut status, 0), copy);
    }
    assert_eq!(status, 7 << 8, "the copy ended otherwise");
}

/// A copy has no thread that would leave the read section in which `fork` found it: destroying an object must
/// not wait for that. A copy that waits is ended by its alarm.
#[test]
fn a_copy_made_while_another_thread_looks_up_handles_destroys_objects() {
    if !in_child(module_path!(), "a_copy_made_while_another_thread_looks_up_handles_destroys_objects", &[]) {
        return;
    }
    const COPIES: usize = 50;
    let context = Compute::new(V1_3, &[], null_mut());
    let (device, info) = (&context.device, vk::FenceCreateInfo::default());
    let fence = unsafe { device.create_fence(&info, None) }.expect("a fence");
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (set, buffer) = (context.set(set_layout), context.buffer(1));
    context.write(set, buffer.buffer);
    let target = vk::DescriptorBufferInfo { buffer: buffer.buffer, offset: 0, range: vk::WHOLE_SIZE };
    let (looking, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let statuses: Vec<c_int> = std::thread::scope(|scope| {
        scope.spawn(|| {
            // All in one read section, in which the thread therefore is most of the time.
            let write = vk::WriteDescriptorSet {
                dst_set: set,
                descriptor_count: 1,
                descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
                buffer_info: &raw const target,
                ..Default::default()
            };
            let writes = vec![write; 4096];
            let none: [vk::CopyDescriptorSet; 0] = [];
            while !done.load(Ordering::Relaxed) {
                unsafe { device.update_descriptor_sets(&writes, &none) };
                looking.store(true, Ordering::Release);
            }
        });
        while !looking.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let copy = |_| unsafe {
            let copy = fork();
            if copy == 0 {
                alarm(5);
                device.destroy_fence(fence, None);
                _exit(7);
            }
            let mut status = -1;
            assert_eq!(waitpid(copy, &raw mut status, 0), copy);
            status
        };
        let statuses = (0..COPIES).map(copy).take_while(|&status| status == 7 << 8).collect();
        done.store(true, Ordering::Relaxed);
        statuses
    });
    unsafe { device.destroy_fence(fence, None) };
    assert_eq!(statuses.len(), COPIES, "a copy ended otherwise");
}
