//! Memory and buffers.

use crate::call::{find, guard, guard_void, slice};
use crate::entry::device::device_object;
use crate::entry::external;
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::Error;
use pyro_driver::buffer::Buffer;
use pyro_driver::memory::DeviceMemory;
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    guard(CommandId::allocate_memory, || unsafe {
        let info = &*info;
        if info.memory_type_index != 0 {
            return Err(Error::misuse(
                "there is one memory type (VUID-vkAllocateMemory-pAllocateInfo-01714)",
            ));
        }
        let device = device_object(device)?;
        let physical_device = device.device.physical_device();
        let (source, import) = external::source(info)?;
        let memory = DeviceMemory::new(physical_device, info.allocation_size, source)?;
        *out = vk::DeviceMemory::from_raw(handle::new(memory, allocator)?);
        if let Some(import) = import {
            import.take();
        }
        Ok(vk::Result::SUCCESS)
    })
}

crate::entry::objects::destroy_command!(free_memory(DeviceMemory), DeviceMemory);

/// Memory is paged by the system, which knows no priorities.
pub(crate) unsafe extern "system" fn set_device_memory_priority_ext(
    device: vk::Device,
    memory: vk::DeviceMemory,
    _priority: f32,
) {
    guard_void(CommandId::set_device_memory_priority_ext, || {
        crate::entry::device::check(device)?;
        handle::get::<DeviceMemory>(memory.as_raw()).map(|_| ())
    });
}

pub(crate) unsafe extern "system" fn map_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    _flags: vk::MemoryMapFlags,
    out: *mut *mut c_void,
) -> vk::Result {
    guard(CommandId::map_memory, || unsafe {
        crate::entry::device::check(device)?;
        *out = handle::get::<DeviceMemory>(memory.as_raw())?.map(offset, size)? as *mut c_void;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn unmap_memory(device: vk::Device, memory: vk::DeviceMemory) {
    guard_void(CommandId::unmap_memory, || {
        crate::entry::device::check(device)?;
        handle::get::<DeviceMemory>(memory.as_raw())?.unmap()
    });
}

pub(crate) unsafe extern "system" fn flush_mapped_memory_ranges(
    _device: vk::Device,
    _count: u32,
    _ranges: *const vk::MappedMemoryRange,
) -> vk::Result {
    vk::Result::SUCCESS // memory is coherent
}

pub(crate) unsafe extern "system" fn invalidate_mapped_memory_ranges(
    _device: vk::Device,
    _count: u32,
    _ranges: *const vk::MappedMemoryRange,
) -> vk::Result {
    vk::Result::SUCCESS // memory is coherent
}

pub(crate) unsafe extern "system" fn get_device_memory_commitment(
    device: vk::Device,
    memory: vk::DeviceMemory,
    out: *mut vk::DeviceSize,
) {
    guard_void(CommandId::get_device_memory_commitment, || unsafe {
        crate::entry::device::check(device)?;
        *out = handle::get::<DeviceMemory>(memory.as_raw())?.size();
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Buffer,
) -> vk::Result {
    guard(CommandId::create_buffer, || unsafe {
        crate::entry::device::check(device)?;
        *out = vk::Buffer::from_raw(handle::new(buffer(&*info)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::entry::objects::destroy_command!(destroy_buffer(Buffer), Buffer);

pub(crate) unsafe extern "system" fn get_buffer_memory_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    out: *mut vk::MemoryRequirements,
) {
    guard_void(CommandId::get_buffer_memory_requirements, || unsafe {
        crate::entry::device::check(device)?;
        *out = handle::get::<Buffer>(buffer.as_raw())?.requirements();
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_buffer_memory_requirements2(
    device: vk::Device,
    info: *const vk::BufferMemoryRequirementsInfo2,
    out: *mut vk::MemoryRequirements2,
) {
    guard_void(CommandId::get_buffer_memory_requirements2, || unsafe {
        crate::entry::device::check(device)?;
        fill_requirements(&mut *out, handle::get::<Buffer>((*info).buffer.as_raw())?.requirements());
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn map_memory2(
    device: vk::Device,
    info: *const vk::MemoryMapInfo,
    out: *mut *mut c_void,
) -> vk::Result {
    let info = unsafe { &*info };
    unsafe { map_memory(device, info.memory, info.offset, info.size, info.flags, out) }
}

pub(crate) unsafe extern "system" fn unmap_memory2(
    device: vk::Device,
    info: *const vk::MemoryUnmapInfo,
) -> vk::Result {
    guard(CommandId::unmap_memory2, || unsafe {
        crate::entry::device::check(device)?;
        handle::get::<DeviceMemory>((*info).memory.as_raw())?.unmap()?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_device_buffer_memory_requirements(
    device: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements,
    out: *mut vk::MemoryRequirements2,
) {
    guard_void(CommandId::get_device_buffer_memory_requirements, || unsafe {
        crate::entry::device::check(device)?;
        fill_requirements(&mut *out, buffer(&*(*info).create_info)?.requirements());
        Ok(())
    });
}

unsafe fn fill_requirements(out: &mut vk::MemoryRequirements2, requirements: vk::MemoryRequirements) {
    out.memory_requirements = requirements;
    let mut next = out.next.cast::<vk::BaseOutStructure>();
    while let Some(base) = unsafe { next.as_mut() } {
        if base.s_type == vk::StructureType::MEMORY_DEDICATED_REQUIREMENTS {
            let dedicated = unsafe { &mut *next.cast::<vk::MemoryDedicatedRequirements>() };
            dedicated.prefers_dedicated_allocation = vk::FALSE;
            dedicated.requires_dedicated_allocation = vk::FALSE;
        }
        next = base.next;
    }
}

pub(crate) unsafe extern "system" fn bind_buffer_memory(
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    guard(CommandId::bind_buffer_memory, || {
        crate::entry::device::check(device)?;
        handle::get::<Buffer>(buffer.as_raw())?.bind(handle::get(memory.as_raw())?, offset)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn bind_buffer_memory2(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo,
) -> vk::Result {
    let mut worst = vk::Result::SUCCESS;
    for info in unsafe { slice(infos, count) } {
        let code = unsafe { bind_buffer_memory(device, info.buffer, info.memory, info.memory_offset) };
        unsafe { tell_status(info.next, code) };
        worst = worst.min(code);
    }
    worst
}

/// Writes the result of one binding where the application wants it (`VkBindMemoryStatus`).
///
/// # Safety
/// `next` starts a valid chain.
pub(crate) unsafe fn tell_status(next: *const c_void, code: vk::Result) {
    let status = unsafe { find::<vk::BindMemoryStatus>(next, vk::StructureType::BIND_MEMORY_STATUS) };
    if let Some(status) = status.filter(|status| !status.result.is_null()) {
        unsafe { *status.result = code };
    }
}

/// A buffer as its create info describes it; usage of 64 bits goes before that of 32, whose upper half is of no
/// use here.
unsafe fn buffer(info: &vk::BufferCreateInfo) -> pyro_driver::Result<Buffer> {
    let s_type = vk::StructureType::BUFFER_USAGE_FLAGS_2_CREATE_INFO;
    let wide = unsafe { find::<vk::BufferUsageFlags2CreateInfo>(info.next, s_type) };
    let usage =
        wide.map_or(info.usage, |wide| vk::BufferUsageFlags::from_bits_truncate(wide.usage.bits() as u32));
    Buffer::new(info.size, usage, info.flags)
}

pub(crate) unsafe extern "system" fn get_buffer_device_address(
    device: vk::Device,
    info: *const vk::BufferDeviceAddressInfo,
) -> vk::DeviceAddress {
    let mut address = 0;
    guard_void(CommandId::get_buffer_device_address, || unsafe {
        crate::entry::device::check(device)?;
        address = handle::get::<Buffer>((*info).buffer.as_raw())?.address()?;
        Ok(())
    });
    address
}

pub(crate) unsafe extern "system" fn get_buffer_opaque_capture_address(
    _device: vk::Device,
    _info: *const vk::BufferDeviceAddressInfo,
) -> u64 {
    0
}

pub(crate) unsafe extern "system" fn get_device_memory_opaque_capture_address(
    _device: vk::Device,
    _info: *const vk::DeviceMemoryOpaqueCaptureAddressInfo,
) -> u64 {
    0
}
