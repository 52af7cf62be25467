//! Signals that generated code raises: the device is lost and says why, and the process goes on.
#![cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]

use pyro_test_environment::{Need, in_child, skip};
use pyro_test_kit::Gpu;
use pyro_test_kit::compute::{Compute, shader};
use std::ffi::CStr;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDeviceFaultExtensionDeviceCommands as _, NvDeviceDiagnosticCheckpointsExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// A device that tells faults, with further extensions.
pub(crate) fn context(more: &[&CStr]) -> Compute {
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
    let mut faults = vk::PhysicalDeviceFaultFeaturesEXT::builder().device_fault(true);
    faults.next = (&raw mut addresses).cast();
    let extensions = [&[c"VK_EXT_device_fault"], more].concat();
    Compute::new(V1_3, &extensions, (&raw mut faults).cast())
}

/// A shader that loads a word from the pushed address, in line 42 of `fault.comp`, and stores it.
fn load_from_address() -> String {
    let body = "
        OpLine %file 42 0
        %address = OpUConvert %ulong %push
        %pointer = OpConvertUToPtr %to_word %address
        %loaded = OpLoad %uint %pointer Aligned 4
        %place = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %place %loaded";
    let text = shader(body);
    text.replace(
        "OpCapability Shader",
        "OpCapability Shader OpCapability Int64 OpCapability PhysicalStorageBufferAddresses",
    )
    .replace("OpMemoryModel Logical", "OpMemoryModel PhysicalStorageBuffer64")
    .replace("OpDecorate %id BuiltIn", "%file = OpString \"fault.comp\" OpDecorate %id BuiltIn")
    .replace(
        "%uint3 =",
        "%ulong = OpTypeInt 64 0 %to_word = OpTypePointer PhysicalStorageBuffer %uint %uint3 =",
    )
}

/// Submits and waits; why the device is lost.
pub(crate) fn lost(context: &Gpu, commands: impl FnOnce(vk::CommandBuffer)) -> String {
    let device = &context.device;
    let commands = context.record(commands);
    let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
    unsafe {
        let submitted = device.queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null());
        let waited = submitted.and_then(|()| device.queue_wait_idle(context.queue));
        assert_eq!(waited, Err(vk::ErrorCode::DEVICE_LOST));
        let (mut counts, mut info) = (vk::DeviceFaultCountsEXT::default(), vk::DeviceFaultInfoEXT::default());
        device.get_device_fault_info_ext(&mut counts, Some(&mut info)).expect("the fault");
        info.description.to_string()
    }
}

/// Runs the pipeline with a buffer of so many words, which it returns.
pub(crate) fn dispatch(
    context: &Compute,
    pipeline: (vk::Pipeline, vk::PipelineLayout),
    set: vk::DescriptorSet,
    push: u32,
) -> impl Fn(vk::CommandBuffer) {
    move |commands| unsafe {
        let device = &context.device;
        device.cmd_bind_pipeline(commands, POINT, pipeline.0);
        device.cmd_bind_descriptor_sets(commands, POINT, pipeline.1, 0, &[set], &[]);
        let stage = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, pipeline.1, stage, 0, &push.to_le_bytes());
        device.cmd_dispatch(commands, 64, 1, 1);
    }
}

/// A pipeline of this text and a set for it.
pub(crate) fn pipeline(
    context: &Compute,
    text: &str,
) -> ((vk::Pipeline, vk::PipelineLayout), vk::DescriptorSet) {
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    ((context.pipeline(layout, text), layout), context.set(set_layout))
}

/// A load from nowhere loses the device, and another device of the process works.
fn bad_addresses() {
    for address in [8, 4096] {
        let context = context(&[]);
        let (pipeline, set) = pipeline(&context, &load_from_address());
        context.write(set, context.buffer(64).buffer);
        let text = lost(&context, dispatch(&context, pipeline, set, address));
        let said =
            [format!("SIGSEGV at address {address:#x}"), "\"main\"".to_owned(), "fault.comp:42".to_owned()];
        assert!(said.iter().all(|said| text.contains(said)), "{text}");
    }
    let context = context(&[]);
    let stored = "%place = OpAccessChain %word %buffer %uint_0 %gid OpStore %place %push";
    let (pipeline, set) = pipeline(&context, &shader(stored));
    let target = context.buffer(64);
    context.write(set, target.buffer);
    context.run(dispatch(&context, pipeline, set, 5));
    assert_eq!(target.words(), [5; 64]);
}

/// The loss is reported once, to who waits for it too, with the last checkpoint before it.
fn reports_and_checkpoints() {
    use pyro_driver::registry_supplement as new;
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
    let mut faults = new::PhysicalDeviceFaultFeaturesKHR { device_fault: 1, ..Default::default() };
    faults.next = (&raw mut addresses).cast();
    let extensions = [c"VK_KHR_device_fault", c"VK_EXT_device_fault", c"VK_NV_device_diagnostic_checkpoints"];
    let context = Compute::new(V1_3, &extensions, (&raw mut faults).cast());
    let (pipeline, set) = pipeline(&context, &load_from_address());
    context.write(set, context.buffer(64).buffer);
    let checkpoint = |commands, marker: usize| unsafe {
        context.device.cmd_set_checkpoint_nv(commands, std::ptr::without_provenance(marker));
    };
    let device = context.device.handle();
    unsafe {
        let query: new::PFN_vkGetDeviceFaultReportsKHR =
            std::mem::transmute(context.proc_address(c"vkGetDeviceFaultReportsKHR"));
        let debug: new::PFN_vkGetDeviceFaultDebugInfoKHR =
            std::mem::transmute(context.proc_address(c"vkGetDeviceFaultDebugInfoKHR"));
        let waiting = std::thread::spawn(move || {
            let mut count = 0;
            let told = query(device, 60_000_000_000, &mut count, std::ptr::null_mut());
            (told, count)
        });
        lost(&context, |commands| {
            checkpoint(commands, 1);
            checkpoint(commands, 2);
            dispatch(&context, pipeline, set, 8)(commands);
            checkpoint(commands, 3);
        });
        assert_eq!(waiting.join().expect("told"), (vk::Result::SUCCESS, 1));
        let take = |room: u32| {
            let (mut count, mut info) = (room, new::DeviceFaultInfoKHR::default());
            let told = query(device, 0, &mut count, &mut info);
            (told, count, info.flags, info.description.to_string())
        };
        assert_eq!(take(0).0, vk::Result::INCOMPLETE);
        let (told, count, flags, text) = take(4);
        assert_eq!((told, count, flags), (vk::Result::SUCCESS, 1, 1));
        assert!(text.contains("SIGSEGV at address 0x8"), "{text}");
        assert_eq!(take(4).0, vk::Result::TIMEOUT, "reported twice");
        let mut info = new::DeviceFaultDebugInfoKHR { vendor_binary_size: 9, ..Default::default() };
        assert_eq!((debug(device, &mut info), info.vendor_binary_size), (vk::Result::SUCCESS, 0));
        let passed = context.device.get_queue_checkpoint_data_nv(context.queue);
        let markers: Vec<_> = passed.iter().map(|data| (data.stage, data.checkpoint_marker.addr())).collect();
        let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::BOTTOM_OF_PIPE];
        assert_eq!(markers, stages.map(|stage| (stage, 2)));
        assert_eq!(context.device.get_queue_checkpoint_data2_nv(context.queue).len(), 2);
    }
}

#[test]
fn lost_devices_tell_faults_and_checkpoints() {
    if pyro_compile::Backend::from_environment() == pyro_compile::Backend::Interpreter {
        skip!(Need::MachineCode);
    }
    if in_child(module_path!(), "lost_devices_tell_faults_and_checkpoints", &[]) {
        reports_and_checkpoints();
    }
}

#[test]
fn signals_of_shaders_lose_the_device() {
    if pyro_compile::Backend::from_environment() == pyro_compile::Backend::Interpreter {
        skip!(Need::MachineCode);
    }
    if in_child(module_path!(), "signals_of_shaders_lose_the_device", &[]) {
        bad_addresses();
    }
}

#[test]
fn signals_of_shaders_lose_the_device_with_avx2() {
    if in_child(module_path!(), "signals_of_shaders_lose_the_device_with_avx2", &[("PYROCLAST_CPU", "avx2")])
    {
        bad_addresses();
    }
}
