//! Transform feedback: `VK_EXT_transform_feedback`.

use crate::call::recording::record;
use crate::handle;
use crate::pointers::Slice;
use crate::registry::CommandId;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, VERTEX_STREAM_COUNT};
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{
    BindTransformFeedbackBuffers, DrawByteCount, DrawCommand, QueryCommand, RenderCommand,
    TransformFeedbackCounters,
};
use pyro_driver::query::QueryPool;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Fails when there are no such buffers.
pub(crate) fn check_bindings(first: u32, count: usize, rule: &str) -> Result<()> {
    match (first as usize).checked_add(count) {
        Some(end) if end <= CAPTURE_BUFFER_COUNT => Ok(()),
        _ => Err(Error::misuse(format!("the bindings exceed maxTransformFeedbackBuffers ({rule})"))),
    }
}

pub(crate) fn cmd_bind_transform_feedback_buffers_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
    sizes: Slice<'_, vk::DeviceSize>,
) {
    record(CommandId::cmd_bind_transform_feedback_buffers_ext, buffer, |buffer| {
        check_bindings(first, buffers.len(), "VUID-vkCmdBindTransformFeedbackBuffersEXT-firstBinding-02356")?;
        let (offsets, sizes) = (offsets.get(), sizes.get());
        let ranges = buffers.iter().enumerate().map(|(index, handle)| {
            let offset = offsets.get(index).copied().unwrap_or(0);
            let size = sizes.get(index).copied().unwrap_or(vk::WHOLE_SIZE);
            handle::get::<Buffer>(handle.as_raw())?.range(offset, size)
        });
        let buffers = ranges.collect::<Result<_>>()?;
        let bind = BindTransformFeedbackBuffers { first: first as usize, buffers };
        buffer.push(RenderCommand::TransformFeedbackBuffers(Box::new(bind)))
    });
}

/// The counters of consecutive buffers.
fn counters(
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
    rule: &str,
) -> Result<Box<TransformFeedbackCounters>> {
    check_bindings(first, buffers.len(), rule)?;
    let mut counters = Box::new(TransformFeedbackCounters::default());
    let offsets = offsets.get();
    for (index, handle) in buffers.iter().enumerate() {
        if let Some(buffer) = handle::get_nullable::<Buffer>(handle.as_raw())? {
            let offset = offsets.get(index).copied().unwrap_or(0);
            counters[first as usize + index] = Some(buffer.range(offset, 4)?);
        }
    }
    Ok(counters)
}

pub(crate) fn cmd_begin_transform_feedback_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
) {
    record(CommandId::cmd_begin_transform_feedback_ext, buffer, |buffer| {
        let rule = "VUID-vkCmdBeginTransformFeedbackEXT-firstCounterBuffer-02369";
        buffer.push(RenderCommand::BeginTransformFeedback(counters(first, buffers, offsets, rule)?))
    });
}

pub(crate) fn cmd_end_transform_feedback_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
) {
    record(CommandId::cmd_end_transform_feedback_ext, buffer, |buffer| {
        let rule = "VUID-vkCmdEndTransformFeedbackEXT-firstCounterBuffer-02377";
        buffer.push(RenderCommand::EndTransformFeedback(counters(first, buffers, offsets, rule)?))
    });
}

pub(crate) fn cmd_draw_indirect_byte_count_ext(
    buffer: vk::CommandBuffer,
    instance_count: u32,
    first_instance: u32,
    counter: vk::Buffer,
    offset: vk::DeviceSize,
    counter_offset: u32,
    stride: u32,
) {
    record(CommandId::cmd_draw_indirect_byte_count_ext, buffer, |buffer| {
        let counter = handle::get::<Buffer>(counter.as_raw())?.range(offset, 4)?;
        let draw = DrawByteCount { instance_count, first_instance, counter, counter_offset, stride };
        buffer.draw(DrawCommand::ByteCount(Box::new(draw)))
    });
}

/// Records a command on a query of a vertex stream; queries of other kinds have index 0.
fn indexed(
    command: CommandId,
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    index: u32,
    make: impl FnOnce(Arc<QueryPool>) -> QueryCommand,
) {
    if index as usize >= VERTEX_STREAM_COUNT {
        let rule = "VUID-vkCmdBeginQueryIndexedEXT-queryType-02339";
        let message =
            format!("a query of vertex stream {index}, from maxTransformFeedbackStreams on ({rule})");
        return record(command, buffer, |_| Err(Error::misuse(message)));
    }
    crate::call::recording::query(command, buffer, pool, query, 1, make);
}

pub(crate) fn cmd_begin_query_indexed_ext(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    _flags: vk::QueryControlFlags,
    index: u32,
) {
    indexed(CommandId::cmd_begin_query_indexed_ext, buffer, pool, query, index, |pool| {
        QueryCommand::Begin(pool, query, index)
    });
}

pub(crate) fn cmd_end_query_indexed_ext(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    index: u32,
) {
    indexed(CommandId::cmd_end_query_indexed_ext, buffer, pool, query, index, |pool| {
        QueryCommand::End(pool, query, index)
    });
}
