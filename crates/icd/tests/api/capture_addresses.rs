//! Memory and acceleration structures at the addresses that they had: `bufferDeviceAddressCaptureReplay`,
//! `accelerationStructureCaptureReplay`.

use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrAccelerationStructureExtensionDeviceCommands as _;

const SIZE: u64 = 1 << 16;
const REPLAY: vk::MemoryAllocateFlags = vk::MemoryAllocateFlags::from_bits_truncate(
    vk::MemoryAllocateFlags::DEVICE_ADDRESS.bits()
        | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY.bits(),
);

fn device() -> Compute {
    let mut structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR {
        acceleration_structure: vk::TRUE,
        acceleration_structure_capture_replay: vk::TRUE,
        ..Default::default()
    };
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures {
        next: (&raw mut structures).cast(),
        buffer_device_address: vk::TRUE,
        buffer_device_address_capture_replay: vk::TRUE,
        ..Default::default()
    };
    let extensions = [c"VK_KHR_acceleration_structure", c"VK_KHR_deferred_host_operations"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut addresses).cast())
}

/// Memory for capture and replay, at an address if that is not zero.
fn allocate(context: &Compute, address: u64) -> Result<vk::DeviceMemory, vk::ErrorCode> {
    let opaque =
        vk::MemoryOpaqueCaptureAddressAllocateInfo { opaque_capture_address: address, ..Default::default() };
    let flags =
        vk::MemoryAllocateFlagsInfo { next: (&raw const opaque).cast(), flags: REPLAY, ..Default::default() };
    let info = vk::MemoryAllocateInfo {
        next: (&raw const flags).cast(),
        allocation_size: SIZE,
        ..Default::default()
    };
    unsafe { context.device.allocate_memory(&info, None) }
}

fn opaque_address(context: &Compute, memory: vk::DeviceMemory) -> u64 {
    let info = vk::DeviceMemoryOpaqueCaptureAddressInfo { memory, ..Default::default() };
    unsafe { context.device.get_device_memory_opaque_capture_address(&info) }
}

/// A buffer of memory: itself and its address.
fn buffer(context: &Compute, memory: vk::DeviceMemory) -> (vk::Buffer, u64) {
    let info = vk::BufferCreateInfo {
        flags: vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
        size: SIZE,
        usage: vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR,
        ..Default::default()
    };
    unsafe {
        let buffer = context.device.create_buffer(&info, None).expect("a buffer");
        context.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        let info = vk::BufferDeviceAddressInfo { buffer, ..Default::default() };
        let address = context.device.get_buffer_device_address(&info);
        assert_eq!(context.device.get_buffer_opaque_capture_address(&info), address);
        (buffer, address)
    }
}

#[test]
fn memory_has_its_address_again() {
    let context = device();
    let first = allocate(&context, 0).expect("memory");
    let opaque = opaque_address(&context, first);
    let (one, address) = buffer(&context, first);
    assert_ne!(opaque, 0);
    assert_eq!(allocate(&context, opaque), Err(vk::ErrorCode::INVALID_OPAQUE_CAPTURE_ADDRESS), "in use");
    assert_eq!(allocate(&context, 4096), Err(vk::ErrorCode::INVALID_OPAQUE_CAPTURE_ADDRESS), "of nobody");
    unsafe {
        context.device.destroy_buffer(one, None);
        context.device.free_memory(first, None);
    }
    let second = allocate(&context, opaque).expect("the address is free");
    let (two, again) = buffer(&context, second);
    assert_eq!(again, address);
    unsafe {
        context.device.destroy_buffer(two, None);
        context.device.free_memory(second, None);
    }
}

#[test]
fn acceleration_structures_have_their_addresses_again() {
    let context = device();
    let memory = allocate(&context, 0).expect("memory");
    let (buffer, _) = buffer(&context, memory);
    let create = |address: u64| {
        let info = vk::AccelerationStructureCreateInfoKHR {
            create_flags: vk::AccelerationStructureCreateFlagsKHR::DEVICE_ADDRESS_CAPTURE_REPLAY,
            buffer,
            offset: 256,
            size: 4096,
            type_: vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
            device_address: address,
            ..Default::default()
        };
        unsafe { context.device.create_acceleration_structure_khr(&info, None) }
    };
    let address_of = |structure| {
        let info = vk::AccelerationStructureDeviceAddressInfoKHR {
            acceleration_structure: structure,
            ..Default::default()
        };
        unsafe { context.device.get_acceleration_structure_device_address_khr(&info) }
    };
    let first = create(0).expect("a structure");
    let address = address_of(first);
    unsafe { context.device.destroy_acceleration_structure_khr(first, None) };
    let second = create(address).expect("the same again");
    assert_eq!(address_of(second), address);
    assert_eq!(create(address + 512).err(), Some(vk::ErrorCode::INVALID_OPAQUE_CAPTURE_ADDRESS));
    unsafe {
        context.device.destroy_acceleration_structure_khr(second, None);
        context.device.destroy_buffer(buffer, None);
        context.device.free_memory(memory, None);
    }
}
