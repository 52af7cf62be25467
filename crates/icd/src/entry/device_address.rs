//! Commands on ranges of device addresses instead of buffers: `VK_KHR_device_address_commands`, and
//! markers in memory (`VK_AMD_buffer_marker`).
//!
//! Each records what its command on buffers does. A range is taken at its word, as the addresses that shaders
//! follow are; what can be checked without knowing the buffer is checked here.

use crate::call::guard;
use crate::call::recording::record;
use crate::entry::command::update;
use crate::entry::draw::{bind_indices, push_indirect};
use crate::entry::follow;
use crate::entry::transform_feedback::check_bindings;
use crate::handle;
use crate::pointers::{Allocator, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::acceleration_structure::AccelerationStructure;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::followed::Followed;
use pyro_driver::command::{
    BindTransformFeedbackBuffers, CommandBuffer, CopyQueryResults, DispatchCommand, DrawByteCount,
    DrawCommand, QueryCommand, RenderCommand, TransferCommand, TransformFeedbackCounters, UpdateBuffer,
};
use pyro_driver::graphics::{IndirectKind, VertexBuffer};
use pyro_driver::image::Image;
use pyro_driver::memory::mapped::{DeviceAddresses, Range};
use pyro_driver::query::{QueryPool, ResultLayout};
use pyro_driver::registry_supplement::{self, DeviceAddressRangeKHR};
use pyro_driver::{Error, Result, transfer};
use vulkanalia_sys::{self as vk, Handle};

/// The memory of a range, or only its first `size` bytes.
///
/// # Errors
/// When the range is smaller, at no address, or ends behind the last one.
fn part(range: DeviceAddressRangeKHR, size: u64) -> Result<Range> {
    let DeviceAddressRangeKHR { address, size: most } = range;
    if size > most {
        return Err(Error::misuse(format!(
            "a command takes {size} bytes of a range of {most} bytes at address {address:#x}"
        )));
    }
    if address == 0 && size != 0 {
        return Err(Error::misuse(
            "a range has bytes but no address (VUID-VkDeviceAddressRangeKHR-size-11411)",
        ));
    }
    if address.checked_add(most).is_none() {
        return Err(Error::misuse(format!(
            "a range of {most} bytes at address {address:#x} ends behind the last address"
        )));
    }
    // SAFETY: the range is of a buffer's memory, which the application keeps until the command has run
    // (VUID-VkDeviceAddressRangeKHR-address-11365, VUID-vkFreeMemory-memory-00677).
    let memory = unsafe { DeviceAddresses::trusted() };
    Ok(memory.range(address, size))
}

/// All memory of a range.
fn whole(range: DeviceAddressRangeKHR) -> Result<Range> {
    part(range, range.size)
}

/// A range whose elements have a distance, and the distance.
fn strided(range: &vk::StridedDeviceAddressRangeKHR) -> (DeviceAddressRangeKHR, u64) {
    (DeviceAddressRangeKHR { address: range.address, size: range.size }, range.stride)
}

/// Fails unless the address is a multiple of four.
fn check_words(range: DeviceAddressRangeKHR) -> Result<()> {
    if range.address.is_multiple_of(4) {
        return Ok(());
    }
    Err(Error::misuse(format!("the address {:#x} is not a multiple of 4", range.address)))
}

pub(crate) fn cmd_bind_index_buffer3_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::BindIndexBuffer3InfoKHR>,
) {
    record(CommandId::cmd_bind_index_buffer3_khr, buffer, |buffer| {
        let range = info.address_range;
        let indices = if range.address == 0 { None } else { Some(whole(range)?) };
        bind_indices(buffer, info.index_type, indices)
    });
}

pub(crate) fn cmd_bind_vertex_buffers3_khr(
    buffer: vk::CommandBuffer,
    first: u32,
    infos: Slice<'_, registry_supplement::BindVertexBuffer3InfoKHR>,
) {
    record(CommandId::cmd_bind_vertex_buffers3_khr, buffer, |buffer| {
        let ranges = infos.iter().map(|info| {
            let (range, stride) = strided(&info.address_range);
            Ok(VertexBuffer {
                range: if range.address == 0 { None } else { Some(whole(range)?) },
                stride: (info.set_stride != 0).then_some(stride as u32),
            })
        });
        buffer.bind_vertex_buffers(first, ranges.collect::<Result<_>>()?)
    });
}

pub(crate) fn cmd_dispatch_indirect2_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DispatchIndirect2InfoKHR>,
) {
    record(CommandId::cmd_dispatch_indirect2_khr, buffer, |buffer| {
        check_words(info.address_range)?;
        buffer.push(DispatchCommand::Indirect(Box::new(part(info.address_range, 12)?)))
    });
}

/// A draw whose commands are in memory, and perhaps their count.
fn indirect(
    buffer: &mut CommandBuffer,
    commands: &vk::StridedDeviceAddressRangeKHR,
    count: Option<DeviceAddressRangeKHR>,
    max_count: u32,
    kind: IndirectKind,
) -> Result<()> {
    let (range, stride) = strided(commands);
    check_words(range)?;
    let stride = u32::try_from(stride)
        .map_err(|_| Error::misuse("the stride of indirect draws is not below 2^32 bytes"))?;
    let count = match count {
        Some(count) => {
            check_words(count)?;
            Some(part(count, 4)?)
        }
        None => None,
    };
    push_indirect(buffer, kind, (max_count, stride, range.size), count, |size| part(range, size))
}

/// A draw without a count in memory.
fn counted(
    id: CommandId,
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirect2InfoKHR>,
    kind: IndirectKind,
) {
    record(id, buffer, |buffer| indirect(buffer, &info.address_range, None, info.draw_count, kind));
}

/// A draw with a count in memory.
fn count_in_memory(
    id: CommandId,
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirectCount2InfoKHR>,
    kind: IndirectKind,
) {
    record(id, buffer, |buffer| {
        let count = Some(info.count_address_range);
        indirect(buffer, &info.address_range, count, info.max_draw_count, kind)
    });
}

pub(crate) fn cmd_draw_indirect2_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirect2InfoKHR>,
) {
    counted(CommandId::cmd_draw_indirect2_khr, buffer, info, IndirectKind::Vertices);
}

pub(crate) fn cmd_draw_indirect_count2_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirectCount2InfoKHR>,
) {
    count_in_memory(CommandId::cmd_draw_indirect_count2_khr, buffer, info, IndirectKind::Vertices);
}

pub(crate) fn cmd_draw_indexed_indirect2_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirect2InfoKHR>,
) {
    counted(CommandId::cmd_draw_indexed_indirect2_khr, buffer, info, IndirectKind::Indices);
}

pub(crate) fn cmd_draw_indexed_indirect_count2_khr(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirectCount2InfoKHR>,
) {
    count_in_memory(CommandId::cmd_draw_indexed_indirect_count2_khr, buffer, info, IndirectKind::Indices);
}

pub(crate) fn cmd_draw_mesh_tasks_indirect2_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirect2InfoKHR>,
) {
    counted(CommandId::cmd_draw_mesh_tasks_indirect2_ext, buffer, info, IndirectKind::Mesh);
}

pub(crate) fn cmd_draw_mesh_tasks_indirect_count2_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::DrawIndirectCount2InfoKHR>,
) {
    count_in_memory(CommandId::cmd_draw_mesh_tasks_indirect_count2_ext, buffer, info, IndirectKind::Mesh);
}

pub(crate) fn cmd_copy_memory_khr(
    buffer: vk::CommandBuffer,
    info: Option<In<'_, registry_supplement::CopyDeviceMemoryInfoKHR>>,
) {
    record(CommandId::cmd_copy_memory_khr, buffer, |buffer| {
        let Some(info) = info else { return Ok(()) };
        let pairs = info.regions().into_iter().map(|region| {
            // The target may be larger (VUID-VkDeviceMemoryCopyKHR-size-13016).
            Ok((whole(region.src_range)?, part(region.dst_range, region.src_range.size)?))
        });
        buffer.push(TransferCommand::Copy(pairs.collect::<Result<_>>()?))
    });
}

/// Records copies between memory and an image.
fn image_copies(
    id: CommandId,
    commands: vk::CommandBuffer,
    info: Option<In<'_, registry_supplement::CopyDeviceMemoryImageInfoKHR>>,
    to_image: bool,
) {
    record(id, commands, |commands| {
        let Some(info) = info else { return Ok(()) };
        let image = handle::get::<Image>(info.image.as_raw())?;
        let regions = info.regions();
        if follow::is_on() {
            let layouts = regions
                .iter()
                .map(|region| Followed::layers(&image, &region.image_subresource, region.image_layout));
            follow::layouts(commands, layouts)?;
        }
        let copies = regions.into_iter().map(|region| {
            let rotation = crate::entry::transfer::rotation(region.chain())?;
            let plain = vk::BufferImageCopy {
                buffer_offset: 0,
                buffer_row_length: region.address_row_length,
                buffer_image_height: region.address_image_height,
                image_subresource: region.image_subresource,
                image_offset: region.image_offset,
                image_extent: region.image_extent,
            };
            let range = |size| part(region.address_range, size);
            transfer::range_copy(&image, &plain, rotation, to_image, range)
        });
        commands.transfer(copies.collect::<Result<_>>()?)
    });
}

pub(crate) fn cmd_copy_memory_to_image_khr(
    commands: vk::CommandBuffer,
    info: Option<In<'_, registry_supplement::CopyDeviceMemoryImageInfoKHR>>,
) {
    image_copies(CommandId::cmd_copy_memory_to_image_khr, commands, info, true);
}

pub(crate) fn cmd_copy_image_to_memory_khr(
    commands: vk::CommandBuffer,
    info: Option<In<'_, registry_supplement::CopyDeviceMemoryImageInfoKHR>>,
) {
    image_copies(CommandId::cmd_copy_image_to_memory_khr, commands, info, false);
}

pub(crate) fn cmd_fill_memory_khr(
    buffer: vk::CommandBuffer,
    range: In<'_, DeviceAddressRangeKHR>,
    _flags: registry_supplement::AddressCommandFlagsKHR,
    word: u32,
) {
    record(CommandId::cmd_fill_memory_khr, buffer, |buffer| {
        check_words(*range)?;
        if !range.size.is_multiple_of(4) {
            return Err(Error::misuse(
                "the size is not a multiple of 4 (VUID-vkCmdFillMemoryKHR-pDstRange-13002)",
            ));
        }
        buffer.push(TransferCommand::Fill(Box::new(whole(*range)?), word))
    });
}

pub(crate) fn cmd_update_memory_khr(
    buffer: vk::CommandBuffer,
    range: In<'_, DeviceAddressRangeKHR>,
    _flags: registry_supplement::AddressCommandFlagsKHR,
    data: &[u8],
) {
    record(CommandId::cmd_update_memory_khr, buffer, |buffer| {
        let range = || part(*range, data.len() as u64);
        buffer.push(update(data, range, "(vkCmdUpdateMemoryKHR)")?)
    });
}

pub(crate) fn cmd_copy_query_pool_results_to_memory_khr(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    range: In<'_, vk::StridedDeviceAddressRangeKHR>,
    _flags: registry_supplement::AddressCommandFlagsKHR,
    flags: vk::QueryResultFlags,
) {
    record(CommandId::cmd_copy_query_pool_results_to_memory_khr, buffer, |buffer| {
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        let (range, stride) = strided(range.get());
        let layout = ResultLayout { stride, flags };
        let target = part(range, layout.size(&pool, count))?;
        buffer.push(QueryCommand::CopyResults(Box::new(CopyQueryResults {
            pool,
            first,
            count,
            layout,
            target,
        })))
    });
}

pub(crate) fn cmd_begin_conditional_rendering2_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::ConditionalRenderingBeginInfo2EXT>,
) {
    record(CommandId::cmd_begin_conditional_rendering2_ext, buffer, |buffer| {
        let range = part(info.address_range, 4)?;
        let inverted = info.flags.contains(vk::ConditionalRenderingFlagsEXT::INVERTED);
        buffer.push(QueryCommand::BeginConditional(Box::new(range), inverted))
    });
}

pub(crate) fn cmd_bind_transform_feedback_buffers2_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    infos: Slice<'_, registry_supplement::BindTransformFeedbackBuffer2InfoEXT>,
) {
    record(CommandId::cmd_bind_transform_feedback_buffers2_ext, buffer, |buffer| {
        check_bindings(first, infos.len(), "vkCmdBindTransformFeedbackBuffers2EXT")?;
        let ranges = infos.iter().map(|info| whole(info.address_range));
        let buffers = ranges.collect::<Result<_>>()?;
        let bind = BindTransformFeedbackBuffers { first: first as usize, buffers };
        buffer.push(RenderCommand::TransformFeedbackBuffers(Box::new(bind)))
    });
}

/// The counters of consecutive buffers; those without an address have none.
fn counters(
    first: u32,
    infos: Slice<'_, registry_supplement::BindTransformFeedbackBuffer2InfoEXT>,
    rule: &str,
) -> Result<Box<TransformFeedbackCounters>> {
    check_bindings(first, infos.len(), rule)?;
    let mut counters = Box::new(TransformFeedbackCounters::default());
    for (counter, info) in counters[first as usize..].iter_mut().zip(infos.iter()) {
        if info.address_range.address != 0 {
            *counter = Some(part(info.address_range, 4)?);
        }
    }
    Ok(counters)
}

pub(crate) fn cmd_begin_transform_feedback2_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    infos: Slice<'_, registry_supplement::BindTransformFeedbackBuffer2InfoEXT>,
) {
    record(CommandId::cmd_begin_transform_feedback2_ext, buffer, |buffer| {
        let rule = "vkCmdBeginTransformFeedback2EXT";
        buffer.push(RenderCommand::BeginTransformFeedback(counters(first, infos, rule)?))
    });
}

pub(crate) fn cmd_end_transform_feedback2_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    infos: Slice<'_, registry_supplement::BindTransformFeedbackBuffer2InfoEXT>,
) {
    record(CommandId::cmd_end_transform_feedback2_ext, buffer, |buffer| {
        let rule = "vkCmdEndTransformFeedback2EXT";
        buffer.push(RenderCommand::EndTransformFeedback(counters(first, infos, rule)?))
    });
}

pub(crate) fn cmd_draw_indirect_byte_count2_ext(
    buffer: vk::CommandBuffer,
    instance_count: u32,
    first_instance: u32,
    counter: In<'_, registry_supplement::BindTransformFeedbackBuffer2InfoEXT>,
    counter_offset: u32,
    stride: u32,
) {
    record(CommandId::cmd_draw_indirect_byte_count2_ext, buffer, |buffer| {
        let counter = part(counter.address_range, 4)?;
        let draw = DrawByteCount { instance_count, first_instance, counter, counter_offset, stride };
        buffer.draw(DrawCommand::ByteCount(Box::new(draw)))
    });
}

pub(crate) fn create_acceleration_structure2_khr(
    device: vk::Device,
    info: In<'_, registry_supplement::AccelerationStructureCreateInfo2KHR>,
    allocator: Allocator,
    mut out: Out<'_, vk::AccelerationStructureKHR>,
) -> vk::Result {
    guard(CommandId::create_acceleration_structure2_khr, || {
        crate::entry::device::check(device)?;
        let range = whole(info.address_range)?;
        let structure = AccelerationStructure::at_address(range.address(), range.size(), info.type_)?;
        out.write(vk::AccelerationStructureKHR::from_raw(handle::create(structure, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// Records a marker. It is written when all commands before it have run, which every stage allows.
fn push_marker(buffer: &mut CommandBuffer, target: Range, marker: u32) -> Result<()> {
    let bytes = marker.to_ne_bytes().into();
    buffer.push(TransferCommand::Update(Box::new(UpdateBuffer { target, bytes })))
}

fn marker_in_buffer(
    id: CommandId,
    buffer: vk::CommandBuffer,
    (target, offset): (vk::Buffer, vk::DeviceSize),
    marker: u32,
) {
    record(id, buffer, |buffer| {
        if !offset.is_multiple_of(4) {
            return Err(Error::misuse(
                "dstOffset is not a multiple of 4 (VUID-vkCmdWriteBufferMarkerAMD-dstOffset-01801)",
            ));
        }
        push_marker(buffer, handle::get::<Buffer>(target.as_raw())?.range(offset, 4)?, marker)
    });
}

pub(crate) unsafe extern "system" fn cmd_write_buffer_marker_amd(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    marker: u32,
) {
    marker_in_buffer(CommandId::cmd_write_buffer_marker_amd, buffer, (target, offset), marker);
}

pub(crate) unsafe extern "system" fn cmd_write_buffer_marker2_amd(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags2,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    marker: u32,
) {
    marker_in_buffer(CommandId::cmd_write_buffer_marker2_amd, buffer, (target, offset), marker);
}

pub(crate) fn cmd_write_marker_to_memory_amd(
    buffer: vk::CommandBuffer,
    info: In<'_, registry_supplement::MemoryMarkerInfoAMD>,
) {
    record(CommandId::cmd_write_marker_to_memory_amd, buffer, |buffer| {
        check_words(info.dst_range)?;
        push_marker(buffer, part(info.dst_range, 4)?, info.marker)
    });
}
