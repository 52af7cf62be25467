//! The layer between a program and the driver, without a loader.
#![allow(unsafe_code)] // Vulkan calls, with handles that are made here

use ash::vk;
use pyro_corpus::chain::{DEVICE, INSTANCE, LINKS, Link, LinkInfo, corpus_get_instance_proc_addr};
use std::ffi::c_char;
use std::mem::transmute;
use std::ptr::null;

/// `void main() {}` with workgroups of 8 x 1 x 1.
const EMPTY: &[u32] = &[
    0x0723_0203,
    0x0001_0000,
    0,
    5,
    0, // header
    0x0002_0011,
    1, // OpCapability Shader
    0x0003_000e,
    0,
    1, // OpMemoryModel Logical GLSL450
    0x0005_000f,
    5,
    1,
    0x6e69_616d,
    0, // OpEntryPoint GLCompute %1 "main"
    0x0006_0010,
    1,
    17,
    8,
    1,
    1, // OpExecutionMode %1 LocalSize 8 1 1
    0x0002_0013,
    2, // %2 = OpTypeVoid
    0x0003_0021,
    3,
    2, // %3 = OpTypeFunction %2
    0x0005_0036,
    2,
    1,
    0,
    3, // %1 = OpFunction
    0x0002_00f8,
    4,           // %4 = OpLabel
    0x0001_00fd, // OpReturn
    0x0001_0038, // OpFunctionEnd
];

/// The driver's `vkGetInstanceProcAddr`.
#[allow(clippy::missing_transmute_annotations)] // to the driver's own type of the same handle
unsafe extern "system" fn driver(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: a handle of the driver's, and the caller's name.
    unsafe { pyroclast_icd::get_instance_proc_addr(transmute::<vk::Instance, _>(instance), name) }
}

/// The driver's `vkGetDeviceProcAddr`, as a loader finds it.
unsafe extern "system" fn device_driver(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the driver finds it for any instance.
    unsafe {
        let get = driver(INSTANCE_OF_DRIVER.with(std::cell::Cell::get), c"vkGetDeviceProcAddr".as_ptr())?;
        transmute::<unsafe extern "system" fn(), vk::PFN_vkGetDeviceProcAddr>(get)(device, name)
    }
}

thread_local! {
    static INSTANCE_OF_DRIVER: std::cell::Cell<vk::Instance> = const { std::cell::Cell::new(vk::Instance::null()) };
}

fn links(structure: vk::StructureType, link: &mut Link) -> LinkInfo {
    LinkInfo { structure, next: null(), function: LINKS, links: link }
}

/// Each dispatch is made as often as asked, measured by its pipeline and size, and written when the device
/// goes.
#[test]
fn dispatches_are_measured_by_pipeline_and_size() {
    let folder = std::env::temp_dir().join(format!("pyro-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    // SAFETY: no other thread of this test reads the environment.
    unsafe {
        std::env::set_var("CORPUS_LAYER_OUTPUT", &folder);
        std::env::set_var("CORPUS_LAYER_MODULES", &folder);
        std::env::set_var("CORPUS_LAYER_REPEAT", "3");
    }
    let mut link = Link {
        next: std::ptr::null_mut(),
        get_instance_proc_addr: driver,
        get_device_proc_addr: Some(device_driver),
    };
    // SAFETY: structures and handles live through the calls that get them, and the order is Vulkan's.
    unsafe {
        let entry = ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: corpus_get_instance_proc_addr,
        });
        let chain = links(INSTANCE, &mut link);
        let info =
            vk::InstanceCreateInfo { p_next: (&raw const chain).cast(), ..vk::InstanceCreateInfo::default() };
        let instance = entry.create_instance(&info, None).expect("an instance");
        INSTANCE_OF_DRIVER.with(|of_driver| of_driver.set(instance.handle()));
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let chain = links(DEVICE, &mut link);
        let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        info.p_next = (&raw const chain).cast();
        let device = instance.create_device(physical, &info, None).expect("a device");
        let module = device
            .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(EMPTY), None)
            .expect("a module");
        let layout =
            device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None).expect("a layout");
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let pipeline =
            device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None).expect("a pipeline")[0];
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info).expect("a command buffer");
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default()).expect("begun");
        device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::COMPUTE, pipeline);
        device.cmd_dispatch(commands[0], 3, 2, 1);
        device.cmd_dispatch(commands[0], 5, 1, 1);
        device.end_command_buffer(commands[0]).expect("ended");
        let queue = device.get_device_queue(0, 0);
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(queue, &[submit], vk::Fence::null()).expect("submitted");
        device.queue_wait_idle(queue).expect("idle");
        device.destroy_command_pool(pool, None);
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_shader_module(module, None);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    let text =
        std::fs::read_to_string(folder.join(format!("{}.json", std::process::id()))).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut rows: Vec<(String, u64, u64)> = report["work"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            assert!(row["least"].as_u64() <= row["median"].as_u64() && row["draws"] == false);
            let pipeline = row["pipelines"].as_str().expect("a number").to_owned();
            (pipeline, row["size"][0].as_u64().expect("a size"), row["count"].as_u64().expect("a count"))
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.1);
    assert_eq!((rows.len(), rows[0].1, rows[0].2, rows[1].1, rows[1].2), (2, 3, 3, 5, 3));
    assert_eq!(rows[0].0, rows[1].0);
    let pipeline = &report["pipelines"][&rows[0].0];
    assert_eq!((&pipeline["stages"], &pipeline["words"]), (&"COMPUTE main".into(), &EMPTY.len().into()));
    let module = pipeline["modules"][0].as_str().expect("a number");
    let bytes = std::fs::read(folder.join(format!("{module}.spv"))).expect("the module");
    assert_eq!(bytes.len(), 4 * EMPTY.len());
    std::fs::remove_dir_all(&folder).expect("removed");
}
