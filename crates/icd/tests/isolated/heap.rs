//! The heap, which all devices of a process share: tests that fill it would take it from others.

use pyro_test_environment::in_child;
use pyro_test_kit::{Client, Gpu};
use std::ptr::{from_mut, null_mut};
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn allocate(gpu: &Gpu, size: u64) -> Result<vk::DeviceMemory, vk::ErrorCode> {
    let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
    unsafe { gpu.device.allocate_memory(&info, None) }
}

/// Two allocations of three quarters of the heap each fit where the application allows it, and nowhere else.
/// Nothing is touched, so nothing is used.
#[test]
fn the_heap_is_exceeded_where_that_is_allowed() {
    use vk::MemoryOverallocationBehaviorAMD as Behavior;
    if !in_child(module_path!(), "the_heap_is_exceeded_where_that_is_allowed", &[]) {
        return;
    }
    for (behavior, fits) in
        [(Behavior::DEFAULT, false), (Behavior::DISALLOWED, false), (Behavior::ALLOWED, true)]
    {
        let mut overallocation =
            vk::DeviceMemoryOverallocationCreateInfoAMD::builder().overallocation_behavior(behavior);
        let next = from_mut(&mut overallocation).cast();
        let gpu = Client::new(V1_3, &[]).device(&[c"VK_AMD_memory_overallocation_behavior"], None, next);
        let size = unsafe {
            let properties = gpu.instance.get_physical_device_memory_properties(gpu.physical_device);
            properties.memory_heaps[0].size / 4 * 3
        };
        let memory = allocate(&gpu, size).expect("most of the heap");
        let second = allocate(&gpu, size);
        assert_eq!(second.is_ok(), fits, "{behavior:?}: {second:?}");
        if !fits {
            assert_eq!(second, Err(vk::ErrorCode::OUT_OF_DEVICE_MEMORY));
        }
        unsafe {
            gpu.device.free_memory(memory, None);
            gpu.device.free_memory(second.unwrap_or_default(), None);
        }
    }
}

/// Memory that is not touched yet counts, too: more than the heap holds would be promised to more than can
/// have it.
#[test]
fn allocations_together_fit_the_heap() {
    if !in_child(module_path!(), "allocations_together_fit_the_heap", &[]) {
        return;
    }
    let context = Client::new(V1_3, &[]).device(&[], None, null_mut());
    unsafe {
        let physical_device = context.physical_device;
        let heap = context.instance.get_physical_device_memory_properties(physical_device).memory_heaps[0];
        let info = vk::MemoryAllocateInfo::builder().allocation_size(heap.size / 5 * 2);
        let allocate = || context.device.allocate_memory(&info, None);
        let [first, second] = [(); 2].map(|()| allocate().expect("two fifths"));
        assert_eq!(allocate(), Err(vk::ErrorCode::OUT_OF_DEVICE_MEMORY));
        context.device.free_memory(first, None);
        let third = allocate().expect("what was given back");
        [second, third].into_iter().for_each(|memory| context.device.free_memory(memory, None));
    }
}
