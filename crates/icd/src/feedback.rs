//! Transform feedback: `VK_EXT_transform_feedback`.

use crate::command::record;
use crate::{handle, slice};
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

fn check_bindings(first: u32, count: u32, rule: &str) -> Result<()> {
    match first.checked_add(count) {
        Some(end) if end as usize <= CAPTURE_BUFFER_COUNT => Ok(()),
        _ => Err(Error::misuse(format!("more than maxTransformFeedbackBuffers ({rule})"))),
    }
}

pub(crate) unsafe extern "system" fn bind_buffers(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
    sizes: *const vk::DeviceSize,
) {
    unsafe {
        record(buffer, |buffer| {
            check_bindings(first, count, "VUID-vkCmdBindTransformFeedbackBuffersEXT-firstBinding-02356")?;
            let (offsets, sizes) = (slice(offsets, count), slice(sizes, count));
            let ranges = slice(buffers, count).iter().enumerate().map(|(index, handle)| {
                let offset = offsets.get(index).copied().unwrap_or(0);
                let size = sizes.get(index).copied().unwrap_or(vk::WHOLE_SIZE);
                handle::get::<Buffer>(handle.as_raw())?.range(offset, size)
            });
            let buffers = ranges.collect::<Result<_>>()?;
            let bind = BindTransformFeedbackBuffers { first: first as usize, buffers };
            buffer.push(RenderCommand::TransformFeedbackBuffers(Box::new(bind)))
        });
    }
}

/// The counters of consecutive buffers.
unsafe fn counters(
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
    rule: &str,
) -> Result<Box<TransformFeedbackCounters>> {
    check_bindings(first, count, rule)?;
    let mut counters = Box::new(TransformFeedbackCounters::default());
    let (buffers, offsets) = unsafe { (slice(buffers, count), slice(offsets, count)) };
    for (index, handle) in buffers.iter().enumerate() {
        if let Some(buffer) = handle::unless_null::<Buffer>(handle.as_raw())? {
            let offset = offsets.get(index).copied().unwrap_or(0);
            counters[first as usize + index] = Some(buffer.range(offset, 4)?);
        }
    }
    Ok(counters)
}

pub(crate) unsafe extern "system" fn begin(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
) {
    unsafe {
        record(buffer, |buffer| {
            let rule = "VUID-vkCmdBeginTransformFeedbackEXT-firstCounterBuffer-02369";
            buffer
                .push(RenderCommand::BeginTransformFeedback(counters(first, count, buffers, offsets, rule)?))
        });
    }
}

pub(crate) unsafe extern "system" fn end(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
) {
    unsafe {
        record(buffer, |buffer| {
            let rule = "VUID-vkCmdEndTransformFeedbackEXT-firstCounterBuffer-02377";
            buffer.push(RenderCommand::EndTransformFeedback(counters(first, count, buffers, offsets, rule)?))
        });
    }
}

pub(crate) unsafe extern "system" fn draw_byte_count(
    buffer: vk::CommandBuffer,
    instance_count: u32,
    first_instance: u32,
    counter: vk::Buffer,
    offset: vk::DeviceSize,
    counter_offset: u32,
    stride: u32,
) {
    unsafe {
        record(buffer, |buffer| {
            let counter = handle::get::<Buffer>(counter.as_raw())?.range(offset, 4)?;
            let draw = DrawByteCount { instance_count, first_instance, counter, counter_offset, stride };
            buffer.draw(DrawCommand::ByteCount(Box::new(draw)))
        });
    }
}

/// Records a command on a query of a vertex stream; queries of other kinds have index 0.
unsafe fn indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    index: u32,
    make: impl FnOnce(Arc<QueryPool>) -> QueryCommand,
) {
    unsafe {
        if index as usize >= VERTEX_STREAM_COUNT {
            let rule = "VUID-vkCmdBeginQueryIndexedEXT-queryType-02339";
            let message =
                format!("a query of vertex stream {index}, from maxTransformFeedbackStreams on ({rule})");
            return record(buffer, |_| Err(Error::misuse(message)));
        }
        crate::command::query(buffer, pool, query, 1, make);
    }
}

pub(crate) unsafe extern "system" fn begin_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    _flags: vk::QueryControlFlags,
    index: u32,
) {
    unsafe { indexed(buffer, pool, query, index, |pool| QueryCommand::Begin(pool, query, index)) };
}

pub(crate) unsafe extern "system" fn end_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    index: u32,
) {
    unsafe { indexed(buffer, pool, query, index, |pool| QueryCommand::End(pool, query, index)) };
}
