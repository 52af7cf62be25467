//! Sparse resources: what can be bound where, and binding.

use crate::call::{guard, guard_void};
use crate::entry::device::submit;
use crate::entry::image::{image_info, wide_usage};
use crate::handle::{self, Dispatchable};
use crate::pointers::{Enumeration, In, Slice};
use crate::registry::CommandId;
use pyro_driver::buffer::Buffer;
use pyro_driver::image::{self, Image};
use pyro_driver::memory::DeviceMemory;
use pyro_driver::memory::sparse::{SparseBinds, SparseMemory};
use pyro_driver::queue::{Batch, Queue};
use pyro_driver::sync::Semaphore;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

/// What of an image is bound region by region: one aspect, or none.
fn requirements(image: &Image) -> Vec<vk::SparseImageMemoryRequirements> {
    image.sparse_requirements().into_iter().collect()
}

pub(crate) fn get_image_sparse_memory_requirements(
    device: vk::Device,
    image: vk::Image,
    mut out: Enumeration<'_, vk::SparseImageMemoryRequirements>,
) {
    guard_void(CommandId::get_image_sparse_memory_requirements, || {
        crate::entry::device::check(device)?;
        out.answer(&requirements(&*handle::get::<Image>(image.as_raw())?));
        Ok(())
    });
}

pub(crate) fn get_image_sparse_memory_requirements2(
    device: vk::Device,
    info: In<'_, vk::ImageSparseMemoryRequirementsInfo2>,
    mut out: Enumeration<'_, vk::SparseImageMemoryRequirements2>,
) {
    guard_void(CommandId::get_image_sparse_memory_requirements2, || {
        crate::entry::device::check(device)?;
        let all = requirements(&*handle::get::<Image>(info.image.as_raw())?);
        out.fill(&all, |out, one| out.memory_requirements = *one);
        Ok(())
    });
}

pub(crate) fn get_device_image_sparse_memory_requirements(
    device: vk::Device,
    info: In<'_, vk::DeviceImageMemoryRequirements>,
    mut out: Enumeration<'_, vk::SparseImageMemoryRequirements2>,
) {
    guard_void(CommandId::get_device_image_sparse_memory_requirements, || {
        crate::entry::device::check(device)?;
        let all = requirements(&Image::new(image_info(info.create_info())?)?);
        out.fill(&all, |out, one| out.memory_requirements = *one);
        Ok(())
    });
}

pub(crate) fn get_physical_device_sparse_image_format_properties(
    _physical_device: vk::PhysicalDevice,
    format: vk::Format,
    ty: vk::ImageType,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
    tiling: vk::ImageTiling,
    mut out: Enumeration<'_, vk::SparseImageFormatProperties>,
) {
    let one = image::format::sparse_properties(format, ty, samples, usage, tiling);
    out.answer(one.as_slice());
}

pub(crate) fn get_physical_device_sparse_image_format_properties2(
    _physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceSparseImageFormatInfo2>,
    mut out: Enumeration<'_, vk::SparseImageFormatProperties2>,
) {
    let usage = wide_usage(info.chain(), info.usage);
    let one = image::format::sparse_properties(info.format, info.type_, info.samples, usage, info.tiling);
    out.fill(one.as_slice(), |out, one| out.properties = *one);
}

/// Adds bindings of bytes of a resource.
fn push(binds: &mut SparseBinds, target: &SparseMemory, all: Slice<'_, vk::SparseMemoryBind>) -> Result<()> {
    for bind in all.get() {
        let memory = handle::get_nullable::<DeviceMemory>(bind.memory.as_raw())?;
        let source = memory.map(|memory| (memory, bind.memory_offset));
        binds.push(target.bind(bind.resource_offset, bind.size, source)?);
    }
    Ok(())
}

fn binds_of(info: In<'_, vk::BindSparseInfo>, device_count: u32) -> Result<SparseBinds> {
    let mut binds = SparseBinds::default();
    if let Some(group) = info.find::<vk::DeviceGroupBindSparseInfo>()
        && group.resource_device_index.max(group.memory_device_index) >= device_count
    {
        return Err(Error::misuse(
            "the group has fewer devices (VUID-VkDeviceGroupBindSparseInfo-resourceDeviceIndex-01118)",
        ));
    }
    for one in info.buffer_binds() {
        let buffer = handle::get::<Buffer>(one.buffer.as_raw())?;
        push(&mut binds, buffer.sparse()?, one.binds())?;
    }
    for one in info.image_opaque_binds() {
        let image = handle::get::<Image>(one.image.as_raw())?;
        push(&mut binds, image.sparse()?, one.binds())?;
    }
    for one in info.image_binds() {
        let image = handle::get::<Image>(one.image.as_raw())?;
        for bind in one.binds().get() {
            let memory = handle::get_nullable::<DeviceMemory>(bind.memory.as_raw())?;
            image.bind_region(&mut binds, bind, memory)?;
        }
    }
    binds.reserve()?;
    Ok(binds)
}

pub(crate) fn queue_bind_sparse(
    queue: vk::Queue,
    infos: Slice<'_, vk::BindSparseInfo>,
    fence: vk::Fence,
) -> vk::Result {
    guard(CommandId::queue_bind_sparse, || {
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        let mut batches = Vec::new();
        for info in infos {
            let values = info.find::<vk::TimelineSemaphoreSubmitInfo>();
            let wait_values = values.map_or(&[][..], |v| v.wait_semaphore_values().get());
            let signal_values = values.map_or(&[][..], |v| v.signal_semaphore_values().get());
            let binds = binds_of(info, queue.device_count())?;
            let mut batch = Batch::default();
            for (index, semaphore) in info.wait_semaphores().iter().enumerate() {
                let value = wait_values.get(index).copied().unwrap_or(0);
                batch.waits.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload_to_wait(), value));
            }
            for (index, semaphore) in info.signal_semaphores().iter().enumerate() {
                let value = signal_values.get(index).copied().unwrap_or(0);
                batch.signals.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload(), value));
            }
            batch.binds = binds;
            batches.push(batch);
        }
        submit(&queue, batches, fence)
    })
}
