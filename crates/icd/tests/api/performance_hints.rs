//! Hints of queues about the frequency of processors (`VK_QCOM_queue_perf_hint`).

use pyro_driver::registry_supplement as new;
use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Compute, adding};
use std::mem::transmute;
use std::ptr::{from_mut, from_ref};
use std::time::Duration;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn device() -> Compute {
    let mut hints =
        new::PhysicalDeviceQueuePerfHintFeaturesQCOM { queue_perf_hint: vk::TRUE, ..Default::default() };
    Compute::new(V1_3, &[c"VK_QCOM_queue_perf_hint"], from_mut(&mut hints).cast())
}

fn set(device: &Compute, queue: vk::Queue, type_: new::PerfHintTypeQCOM, scale: u32) -> vk::Result {
    let set: new::PFN_vkQueueSetPerfHintQCOM =
        unsafe { transmute(device.proc_address(c"vkQueueSetPerfHintQCOM")) };
    let info = new::PerfHintInfoQCOM { type_, scale, ..Default::default() };
    unsafe { set(queue, from_ref(&info)) }
}

/// All queues take hints, and those that there are not are errors.
#[test]
fn queues_take_hints() {
    let device = device();
    let mut hints = new::PhysicalDeviceQueuePerfHintPropertiesQCOM::default();
    let next = from_mut(&mut hints).cast();
    let mut properties = vk::PhysicalDeviceProperties2 { next, ..Default::default() };
    unsafe { device.instance.get_physical_device_properties2(device.physical_device, &mut properties) };
    let families =
        unsafe { device.instance.get_physical_device_queue_family_properties(device.physical_device) };
    assert!(families.iter().all(|family| family.queue_flags.intersects(hints.supported_queues)));
    for (hint, scale, is_fine) in [
        (new::PERF_HINT_TYPE_FREQUENCY_MIN_QCOM, 0, true),
        (new::PERF_HINT_TYPE_FREQUENCY_MAX_QCOM, 0, true),
        (new::PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM, 0, true),
        (new::PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM, 100, true),
        (new::PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM, 101, false),
        (new::PERF_HINT_TYPE_FREQUENCY_SCALED_QCOM, u32::MAX, false),
        (new::PERF_HINT_TYPE_FREQUENCY_MIN_QCOM, 1, false),
        (new::PERF_HINT_TYPE_DEFAULT_QCOM, 1, false),
        (4, 0, false),
        (-1, 0, false),
        (new::PERF_HINT_TYPE_DEFAULT_QCOM, 0, true),
    ] {
        let result = set(&device, device.queue, hint, scale);
        assert_eq!(result == vk::Result::SUCCESS, is_fine, "{hint} {scale}: {result:?}");
    }
}

/// Processor time of the driver's workers so far.
fn worker_time() -> Duration {
    let is_worker = |task: &std::path::Path| {
        std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.starts_with("pyro-worker"))
    };
    let time = |task: &std::path::Path| -> Option<u64> {
        std::fs::read_to_string(task.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux has it").flatten();
    let times = tasks.map(|task| task.path()).filter(|task| is_worker(task)).filter_map(|task| time(&task));
    Duration::from_nanos(times.sum())
}

/// Workers without work look for some at the highest frequency, and sleep at once at the lowest; in a process
/// of its own, as all devices of a process have the hint of the highest rank.
#[test]
#[cfg(target_os = "linux")]
fn workers_sleep_sooner_or_later() {
    if !in_child(module_path!(), "workers_sleep_sooner_or_later", &[("PYROCLAST_THREADS", "4")]) {
        return;
    }
    let device = device();
    let set_layout = device.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = device.layout(&[set_layout]);
    let pipeline = device.pipeline(layout, &adding());
    let buffer = device.buffer(1 << 20);
    let descriptors = device.set(set_layout);
    device.write(descriptors, buffer.buffer);
    let point = vk::PipelineBindPoint::COMPUTE;
    let commands = device.record(|commands| unsafe {
        device.device.cmd_bind_pipeline(commands, point, pipeline);
        device.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[descriptors], &[]);
        device.device.cmd_dispatch(commands, 1 << 12, 1, 1);
    });
    // Time of workers while they have nothing to do, after each of some dispatches.
    let idle_time = |hint| {
        assert_eq!(set(&device, device.queue, hint, 0), vk::Result::SUCCESS);
        (0..40)
            .map(|_| {
                device.submit_and_wait(commands);
                let before = worker_time();
                std::thread::sleep(Duration::from_millis(4));
                worker_time() - before
            })
            .sum::<Duration>()
    };
    idle_time(new::PERF_HINT_TYPE_DEFAULT_QCOM);
    let least = idle_time(new::PERF_HINT_TYPE_FREQUENCY_MIN_QCOM);
    let most = idle_time(new::PERF_HINT_TYPE_FREQUENCY_MAX_QCOM);
    assert!(most > 4 * least && most > Duration::from_millis(10), "{least:?} at least, {most:?} at most");
}
