//! Memory and buffers.

use crate::call::{guard, guard_void};
use crate::entry::device::{Device, check_mask, device_object};
use crate::entry::external;
use crate::entry::image::fill_dedicated;
use crate::entry::memory_report::{self, Allocation};
use crate::handle;
use crate::pointers::{Allocator, Chain, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::buffer::Buffer;
use pyro_driver::limits::{MEMORY_TYPE_COUNT, TILE_MEMORY_TYPE};
use pyro_driver::memory::{DeviceMemory, MemorySource};
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn allocate_memory(
    device: vk::Device,
    info: In<'_, vk::MemoryAllocateInfo>,
    allocator: Allocator,
    out: Out<'_, vk::DeviceMemory>,
) -> vk::Result {
    guard(CommandId::allocate_memory, || {
        if info.memory_type_index >= MEMORY_TYPE_COUNT {
            return Err(Error::misuse(
                "memoryTypeIndex is none of the memory types (VUID-vkAllocateMemory-pAllocateInfo-01714)",
            ));
        }
        let device = device_object(device)?;
        let physical_device = device.device.physical_device();
        check_device_mask(&device, info)?;
        // Without the feature it is memory like any other, to which nothing is bound: programs allocate from
        // each type that there is, whatever VUID-vkAllocateMemory-tileMemoryHeap-10976 says.
        if info.memory_type_index == TILE_MEMORY_TYPE && device.has_tile_memory {
            hand_out(&device, device.device.tile_memory(info.allocation_size)?, allocator, out)?;
            return Ok(vk::Result::SUCCESS);
        }
        let (source, import) = external::source(&device, info)?;
        let is_new = matches!(source, MemorySource::New { exportable: false, .. });
        let memory = DeviceMemory::new(physical_device, info.allocation_size, source)
            .inspect_err(|_| device.memory_reports.failed(info.allocation_size))?
            .reserving(device.reserves_mappings);
        if is_new && crate::entry::follow::is_on() {
            let start = memory.block().address();
            device.device.follow(|recorder| recorder.allocate(start..start + memory.size()));
        }
        hand_out(&device, memory, allocator, out)?;
        if let Some(import) = import {
            import.take();
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// Gives an application memory, and tells who wants reports of it.
fn hand_out(
    device: &Device,
    memory: DeviceMemory,
    allocator: Allocator,
    mut out: Out<'_, vk::DeviceMemory>,
) -> Result<()> {
    let allocation = Allocation::of(&memory);
    let made = handle::create(memory, allocator)?;
    out.write(vk::DeviceMemory::from_raw(made));
    device.memory_reports.allocated(allocation, made);
    Ok(())
}

/// Checks the physical devices that memory is asked for: all use its one instance.
fn check_device_mask(device: &Device, info: In<'_, vk::MemoryAllocateInfo>) -> Result<()> {
    let flags = info.find::<vk::MemoryAllocateFlagsInfo>();
    let Some(flags) = flags.filter(|info| info.flags.contains(vk::MemoryAllocateFlags::DEVICE_MASK)) else {
        return Ok(());
    };
    if flags.device_mask == 0 {
        return Err(Error::misuse(
            "flags has DEVICE_MASK, and deviceMask is zero (VUID-VkMemoryAllocateFlagsInfo-deviceMask-00676)",
        ));
    }
    let count = device.device.physical_devices().len() as u32;
    check_mask(flags.device_mask, count, "VUID-VkMemoryAllocateFlagsInfo-deviceMask-00675")
}

pub(crate) fn free_memory(device: vk::Device, memory: vk::DeviceMemory, allocator: Allocator) {
    guard_void(CommandId::free_memory, || {
        if memory.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        let allocation = match memory_report::is_wanted() {
            true => Some(Allocation::of(handle::get::<DeviceMemory>(memory.as_raw())?.as_ref())),
            false => None,
        };
        handle::remove::<DeviceMemory>(memory.as_raw(), allocator)?;
        if let Some(allocation) = allocation {
            device_object(device)?.memory_reports.freed(allocation, memory.as_raw());
        }
        Ok(())
    });
}

/// Memory is paged by the system, which knows no priorities.
pub(crate) fn set_device_memory_priority_ext(device: vk::Device, memory: vk::DeviceMemory, _priority: f32) {
    guard_void(CommandId::set_device_memory_priority_ext, || {
        crate::entry::device::check(device)?;
        handle::get::<DeviceMemory>(memory.as_raw()).map(|_| ())
    });
}

pub(crate) fn map_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    _flags: vk::MemoryMapFlags,
    mut out: Out<'_, *mut c_void>,
) -> vk::Result {
    guard(CommandId::map_memory, || {
        crate::entry::device::check(device)?;
        let memory = handle::get::<DeviceMemory>(memory.as_raw())?;
        tell_map(device, &memory)?;
        out.write(memory.map(offset, size)? as *mut c_void);
        Ok(vk::Result::SUCCESS)
    })
}

/// The sanitizer knows of mapped memory no more who writes it.
pub(crate) fn tell_map(device: vk::Device, memory: &DeviceMemory) -> Result<()> {
    if crate::entry::follow::is_on() {
        device_object(device)?.device.follow(|recorder| recorder.map(memory.block().address()));
    }
    Ok(())
}

pub(crate) fn unmap_memory(device: vk::Device, memory: vk::DeviceMemory) {
    guard_void(CommandId::unmap_memory, || {
        crate::entry::device::check(device)?;
        handle::get::<DeviceMemory>(memory.as_raw())?.unmap()
    });
}

pub(crate) fn flush_mapped_memory_ranges(
    _device: vk::Device,
    _ranges: Slice<'_, vk::MappedMemoryRange>,
) -> vk::Result {
    vk::Result::SUCCESS // memory is coherent
}

pub(crate) fn invalidate_mapped_memory_ranges(
    _device: vk::Device,
    _ranges: Slice<'_, vk::MappedMemoryRange>,
) -> vk::Result {
    vk::Result::SUCCESS // memory is coherent
}

pub(crate) fn get_device_memory_commitment(
    device: vk::Device,
    memory: vk::DeviceMemory,
    mut out: Out<'_, vk::DeviceSize>,
) {
    guard_void(CommandId::get_device_memory_commitment, || {
        crate::entry::device::check(device)?;
        out.write(handle::get::<DeviceMemory>(memory.as_raw())?.size());
        Ok(())
    });
}

pub(crate) fn create_buffer(
    device: vk::Device,
    info: In<'_, vk::BufferCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Buffer>,
) -> vk::Result {
    guard(CommandId::create_buffer, || {
        let device = device_object(device)?;
        let mut buffer = buffer(info)?;
        let wanted = info.find::<vk::BufferOpaqueCaptureAddressCreateInfo>();
        buffer.reserve(wanted.map_or(0, |wanted| wanted.opaque_capture_address), &device.sparse_quota)?;
        out.write(vk::Buffer::from_raw(handle::create(buffer, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_buffer(device: vk::Device, buffer: vk::Buffer, allocator: Allocator) {
    guard_void(CommandId::destroy_buffer, || {
        if buffer.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        if memory_report::is_wanted() {
            let bound = handle::get::<Buffer>(buffer.as_raw())?;
            let range = bound.bound_address().map(|address| (address, bound.size()));
            let object = (vk::ObjectType::BUFFER, buffer.as_raw());
            device_object(device)?.memory_reports.unbound(object, range);
        }
        handle::remove::<Buffer>(buffer.as_raw(), allocator)
    });
}

pub(crate) fn get_buffer_memory_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    mut out: Out<'_, vk::MemoryRequirements>,
) {
    guard_void(CommandId::get_buffer_memory_requirements, || {
        crate::entry::device::check(device)?;
        out.write(handle::get::<Buffer>(buffer.as_raw())?.requirements());
        Ok(())
    });
}

pub(crate) fn get_buffer_memory_requirements2(
    device: vk::Device,
    info: In<'_, vk::BufferMemoryRequirementsInfo2>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_buffer_memory_requirements2, || {
        crate::entry::device::check(device)?;
        let buffer = handle::get::<Buffer>(info.buffer.as_raw())?;
        fill_requirements(out, buffer.requirements(), buffer.is_for_tiles());
        Ok(())
    });
}

pub(crate) fn map_memory2(
    device: vk::Device,
    info: In<'_, vk::MemoryMapInfo>,
    out: Out<'_, *mut c_void>,
) -> vk::Result {
    if info.flags.contains(vk::MemoryMapFlags::PLACED_EXT) {
        return map_placed(device, info, out);
    }
    map_memory(device, info.memory, info.offset, info.size, info.flags, out)
}

/// Maps memory where the application wants it.
fn map_placed(
    device: vk::Device,
    info: In<'_, vk::MemoryMapInfo>,
    mut out: Out<'_, *mut c_void>,
) -> vk::Result {
    guard(CommandId::map_memory2, || {
        if !device_object(device)?.places_mappings {
            return Err(Error::misuse(
                "flags has PLACED, and memoryMapPlaced is not enabled (VUID-VkMemoryMapInfo-flags-09569)",
            ));
        }
        let placed =
            info.find::<vk::MemoryMapPlacedInfoEXT>().filter(|placed| !placed.placed_address.is_null());
        let placed = placed.ok_or_else(|| {
            Error::misuse("flags has PLACED without an address (VUID-VkMemoryMapInfo-flags-09570)")
        })?;
        let memory = handle::get::<DeviceMemory>(info.memory.as_raw())?;
        tell_map(device, &memory)?;
        let address = placed.placed_address as u64;
        // SAFETY: the application gives up what it has mapped there (VUID-VkMemoryMapInfo-flags-09574).
        let address = unsafe { memory.map_placed(info.offset, info.size, address) }?;
        out.write(address as *mut c_void);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn unmap_memory2(device: vk::Device, info: In<'_, vk::MemoryUnmapInfo>) -> vk::Result {
    guard(CommandId::unmap_memory2, || {
        crate::entry::device::check(device)?;
        let memory = handle::get::<DeviceMemory>(info.memory.as_raw())?;
        if info.flags.contains(vk::MemoryUnmapFlags::RESERVE_EXT) {
            memory.unmap_reserving()?;
            return Ok(vk::Result::SUCCESS);
        }
        memory.unmap()?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_device_buffer_memory_requirements(
    device: vk::Device,
    info: In<'_, vk::DeviceBufferMemoryRequirements>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_device_buffer_memory_requirements, || {
        crate::entry::device::check(device)?;
        let buffer = buffer(info.create_info())?;
        fill_requirements(out, buffer.requirements(), buffer.is_for_tiles());
        Ok(())
    });
}

/// What a resource needs, with what else is asked for.
pub(crate) fn fill_requirements(
    mut out: Out<'_, vk::MemoryRequirements2>,
    requirements: vk::MemoryRequirements,
    is_for_tiles: bool,
) {
    out.get_mut().memory_requirements = requirements;
    fill_dedicated(&mut out);
    fill_tile_requirements(&mut out, is_for_tiles);
}

/// What a resource needs in tile memory: the same as elsewhere, or nothing where it may not lie there.
fn fill_tile_requirements(out: &mut Out<'_, vk::MemoryRequirements2>, is_for_tiles: bool) {
    let all = out.memory_requirements;
    if let Some(mut tile) = out.find_mut::<vk::TileMemoryRequirementsQCOM>() {
        (tile.size, tile.alignment) = if is_for_tiles { (all.size, all.alignment) } else { (0, 0) };
    }
}

pub(crate) fn bind_buffer_memory(
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    guard(CommandId::bind_buffer_memory, || {
        crate::entry::device::check(device)?;
        let bound = handle::get::<Buffer>(buffer.as_raw())?;
        bound.bind(handle::get(memory.as_raw())?, offset)?;
        if memory_report::is_wanted() {
            let range = bound.bound_address().map(|address| (address, bound.size()));
            let object = (vk::ObjectType::BUFFER, buffer.as_raw());
            device_object(device)?.memory_reports.bound(object, range);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn bind_buffer_memory2(
    device: vk::Device,
    infos: Slice<'_, vk::BindBufferMemoryInfo>,
) -> vk::Result {
    let mut worst = vk::Result::SUCCESS;
    for info in infos {
        let code = bind_buffer_memory(device, info.buffer, info.memory, info.memory_offset);
        tell_status(info.chain(), code);
        worst = worst.min(code);
    }
    worst
}

/// Writes the result of one binding where the application wants it (`VkBindMemoryStatus`).
pub(crate) fn tell_status(chain: Chain, code: vk::Result) {
    if let Some(result) = chain.find::<vk::BindMemoryStatus>().and_then(|status| status.result()) {
        result.set(code);
    }
}

/// A buffer as its create info describes it; usage of 64 bits goes before that of 32, whose upper half is of
/// no use here.
fn buffer(info: In<'_, vk::BufferCreateInfo>) -> pyro_driver::Result<Buffer> {
    let wide = info.find::<vk::BufferUsageFlags2CreateInfo>();
    let usage =
        wide.map_or(info.usage, |wide| vk::BufferUsageFlags::from_bits_truncate(wide.usage.bits() as u32));
    Buffer::new(info.size, usage, info.flags)
}

pub(crate) fn get_buffer_device_address(
    device: vk::Device,
    info: In<'_, vk::BufferDeviceAddressInfo>,
) -> vk::DeviceAddress {
    let mut address = 0;
    guard_void(CommandId::get_buffer_device_address, || {
        crate::entry::device::check(device)?;
        address = handle::get::<Buffer>(info.buffer.as_raw())?.address()?;
        Ok(())
    });
    address
}

/// A buffer's address follows from its memory's, so there is nothing else to know of it.
pub(crate) fn get_buffer_opaque_capture_address(
    device: vk::Device,
    info: In<'_, vk::BufferDeviceAddressInfo>,
) -> u64 {
    get_buffer_device_address(device, info)
}

pub(crate) fn get_device_memory_opaque_capture_address(
    device: vk::Device,
    info: In<'_, vk::DeviceMemoryOpaqueCaptureAddressInfo>,
) -> u64 {
    let mut address = 0;
    guard_void(CommandId::get_device_memory_opaque_capture_address, || {
        crate::entry::device::check(device)?;
        address = handle::get::<DeviceMemory>(info.memory.as_raw())?.block().address();
        Ok(())
    });
    address
}
