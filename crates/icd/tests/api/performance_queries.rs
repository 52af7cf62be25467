//! Performance queries (`VK_KHR_performance_query`): counters are listed, and count what commands do.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, adding};
use std::mem::zeroed;
use std::ptr::{from_mut, null_mut};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrPerformanceQueryExtensionDeviceCommands as _, KhrPerformanceQueryExtensionInstanceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// The command that the bindings call with both arrays always.
fn enumerate(
    client: &Client,
    family: u32,
    mut count: u32,
    [with_counters, with_descriptions]: [bool; 2],
) -> (vk::Result, u32, Vec<vk::PerformanceCounterKHR>, Vec<vk::PerformanceCounterDescriptionKHR>) {
    let mut counters = vec![vk::PerformanceCounterKHR::default(); count as usize];
    let mut descriptions = vec![vk::PerformanceCounterDescriptionKHR::default(); count as usize];
    let commands = client.instance.commands();
    let command = commands.enumerate_physical_device_queue_family_performance_query_counters_khr;
    let result = unsafe {
        command(
            client.physical_device,
            family,
            &mut count,
            if with_counters { counters.as_mut_ptr() } else { null_mut() },
            if with_descriptions { descriptions.as_mut_ptr() } else { null_mut() },
        )
    };
    (result, count, counters, descriptions)
}

#[test]
fn counters_are_listed_by_either_array() {
    let client = Client::new(V1_3, &[]);
    let both = [true; 2];
    let families =
        unsafe { client.instance.get_physical_device_queue_family_properties(client.physical_device) };
    let (result, all, ..) = enumerate(&client, 0, 0, [false; 2]);
    assert_eq!(result, vk::Result::SUCCESS);
    for family in 0..families.len() as u32 {
        let (result, count, counters, descriptions) = enumerate(&client, family, all, both);
        assert_eq!((result, count), (vk::Result::SUCCESS, all), "{family}");
        for (index, (one, text)) in counters.iter().zip(&descriptions).enumerate() {
            assert_eq!(one.storage, vk::PerformanceCounterStorageKHR::UINT64);
            assert_eq!(one.scope, vk::PerformanceCounterScopeKHR::COMMAND);
            assert!(counters[..index].iter().all(|other| other.uuid != one.uuid), "{index}");
            let texts = [text.name.to_string(), text.category.to_string(), text.description.to_string()];
            assert!(texts.iter().all(|text| !text.is_empty()), "{texts:?}");
        }
    }
    assert_eq!(enumerate(&client, 0, all - 1, both).0, vk::Result::INCOMPLETE);
    for arrays in [[true, false], [false, true]] {
        let (result, count, counters, descriptions) = enumerate(&client, 0, all + 3, arrays);
        assert_eq!((result, count), (vk::Result::SUCCESS, all));
        let is_named = descriptions[0].name.to_string() == "Elapsed time";
        let is_time = counters[0].unit == vk::PerformanceCounterUnitKHR::NANOSECONDS;
        assert_eq!([is_time, is_named], arrays);
        assert_eq!(enumerate(&client, 0, 1, arrays).0, vk::Result::INCOMPLETE);
    }
    assert!(enumerate(&client, families.len() as u32, all, both).0 < vk::Result::SUCCESS);
    // One pass, whichever counters.
    for indices in [vec![0], (0..all).rev().collect()] {
        let info = vk::QueryPoolPerformanceCreateInfoKHR::builder().counter_indices(&indices);
        let passes = unsafe {
            client
                .instance
                .get_physical_device_queue_family_performance_query_passes_khr(client.physical_device, &info)
        };
        assert_eq!(passes, 1);
    }
}

/// The number of a counter.
fn index_of(client: &Client, name: &str) -> u32 {
    let (_, count, ..) = enumerate(client, 0, 0, [false; 2]);
    let (.., descriptions) = enumerate(client, 0, count, [true; 2]);
    let names: Vec<_> = descriptions.iter().map(|text| text.name.to_string()).collect();
    names.iter().position(|one| one == name).unwrap_or_else(|| panic!("{names:?}")) as u32
}

/// Of two pools at once, results come in the order of the pool's counters, to the host and to a buffer.
#[test]
fn queries_count_dispatches_and_their_time() {
    let mut features = vk::PhysicalDevicePerformanceQueryFeaturesKHR::builder()
        .performance_counter_query_pools(true)
        .performance_counter_multiple_query_pools(true);
    let next = from_mut(&mut features).cast();
    let context = Compute::new(V1_3, &[c"VK_KHR_performance_query"], next);
    let device = &context.device;
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (set, layout) = (context.set(set_layout), context.layout(&[set_layout]));
    let buffer = context.buffer(1000);
    context.write(set, buffer.buffer);
    let pipeline = context.pipeline(layout, &adding());
    let [invocations, elapsed, processor] =
        ["Compute shader invocations", "Elapsed time", "Processor time"].map(|name| index_of(&context, name));
    let pool = |indices: &[u32]| {
        let mut counters = vk::QueryPoolPerformanceCreateInfoKHR::builder().counter_indices(indices);
        let info = vk::QueryPoolCreateInfo::builder()
            .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
            .query_count(2)
            .push_next(&mut counters);
        unsafe { device.create_query_pool(&info, None) }
    };
    let (counting, timing) =
        (pool(&[invocations]).expect("a pool"), pool(&[elapsed, invocations, processor]).expect("a pool"));
    assert!(pool(&[invocations, 1000]).is_err());
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let copied = context.buffer_with(12, usage);
    let dispatch = |commands, count| unsafe {
        let push = 1_u32.to_ne_bytes();
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        device.cmd_dispatch(commands, count, 1, 1);
    };
    unsafe {
        device.acquire_profiling_lock_khr(&vk::AcquireProfilingLockInfoKHR::default()).expect("the lock");
        context.run(|commands| {
            [counting, timing].iter().for_each(|pool| device.cmd_reset_query_pool(commands, *pool, 0, 2));
            dispatch(commands, 500);
            device.cmd_begin_query(commands, timing, 1, vk::QueryControlFlags::empty());
            dispatch(commands, 1000);
            device.cmd_begin_query(commands, counting, 0, vk::QueryControlFlags::empty());
            dispatch(commands, 7);
            device.cmd_end_query(commands, counting, 0);
            device.cmd_end_query(commands, timing, 1);
            dispatch(commands, 100);
            let flags = vk::QueryResultFlags::WAIT;
            device.cmd_copy_query_pool_results(commands, timing, 1, 1, copied.buffer, 0, 24, flags);
        });
        device.release_profiling_lock_khr();
        let mut results: [[vk::PerformanceCounterResultKHR; 3]; 2] = zeroed();
        for (pool, query, out) in [(counting, 0, 0), (timing, 1, 1)] {
            let bytes = results[out].as_mut_ptr().cast::<u8>();
            let bytes = std::slice::from_raw_parts_mut(bytes, if out == 0 { 8 } else { 24 });
            let stride = bytes.len() as u64;
            device
                .get_query_pool_results(pool, query, 1, bytes, stride, vk::QueryResultFlags::WAIT)
                .expect("results");
        }
        assert_eq!(results[0][0].uint64, 7);
        let [elapsed, invocations, processor] = results[1].map(|result| result.uint64);
        assert_eq!(invocations, 1007);
        // Nanoseconds of a short dispatch.
        for time in [elapsed, processor] {
            assert!((100..60_000_000_000).contains(&time), "{elapsed} {processor}");
        }
        let words = copied.words();
        let copied: Vec<u64> =
            words.chunks(2).map(|two| u64::from(two[0]) | u64::from(two[1]) << 32).collect();
        assert_eq!(copied[..3], [elapsed, 1007, processor]);
        assert_eq!(copied[3..], [0; 3], "no more is written");
        // What has not ended has no result.
        let mut bytes = [0_u8; 24];
        let flags = vk::QueryResultFlags::empty();
        let result = device.get_query_pool_results(timing, 0, 1, &mut bytes, 24, flags).expect("asked");
        assert_eq!(result, vk::SuccessCode::NOT_READY);
        [counting, timing].iter().for_each(|pool| device.destroy_query_pool(*pool, None));
    }
}
