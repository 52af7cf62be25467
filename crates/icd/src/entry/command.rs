//! Command pools, command buffers and what is recorded into them.

use crate::call::recording::{enter, query, record, record_with, try_record_fast, value_command};
use crate::call::{guard, guard_void};
use crate::entry::descriptor;
use crate::entry::device::Device;
use crate::entry::follow::{self, Orders};
use crate::handle::{self, BiasedLock, Dispatchable, ReadGuard};
use crate::pointers::{Allocator, In, Out, Outputs, Slice, TemplateData};
use crate::registry::CommandId;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::followed::Followed;
use pyro_driver::command::{
    BindCommand, Command, CommandBuffer, CopyQueryResults, DispatchBase, DispatchCommand, Memory,
    QueryCommand, SyncCommand, TransferCommand, UpdateBuffer,
};
use pyro_driver::descriptor::{DescriptorSet, UpdateTemplate};
use pyro_driver::limits::{BATCH_SIZE_MAX, QUEUED_BATCHES_MAX, WARPS_PER_CORE};
use pyro_driver::memory::mapped::Range;
use pyro_driver::pipeline::{Pipeline, PipelineKind, PipelineLayout};
use pyro_driver::query::{QueryPool, ResultLayout};
use pyro_driver::registry_supplement;
use pyro_driver::sync::Event;
use pyro_driver::{Error, Result, Shared};
use pyro_sanitizer::commands::Dependency;
use pyro_util::sync::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// A pool and the handles of its command buffers.
pub(crate) struct Pool {
    resettable: bool,
    buffers: Mutex<Buffers>,
}

/// What a pool's lock guards.
#[derive(Default)]
struct Buffers {
    handles: HashSet<usize>,
    /// What freed command buffers leave to the next ones.
    memory: Vec<Memory>,
}

/// Freed command buffers whose memory is kept.
const MEMORY_KEPT: usize = 16;

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock()
    }
}

pub(crate) fn create_command_pool(
    device: vk::Device,
    info: In<'_, vk::CommandPoolCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::CommandPool>,
) -> vk::Result {
    guard(CommandId::create_command_pool, || {
        crate::entry::device::check(device)?;
        let resettable = info.flags.contains(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        out.write(vk::CommandPool::from_raw(handle::create(
            Pool { resettable, buffers: Mutex::default() },
            allocator,
        )?));
        Ok(vk::Result::SUCCESS)
    })
}

impl Buffers {
    /// Frees a command buffer.
    fn free(&mut self, buffer: usize, allocator: Allocator) {
        let buffer = crate::call::take_or_report::<BiasedLock<CommandBuffer>>(buffer, allocator);
        let memory = buffer.and_then(Arc::into_inner).map(|lock| lock.into_inner().into_memory());
        if self.memory.len() < MEMORY_KEPT {
            self.memory.extend(memory.filter(|memory| !memory.is_empty()));
        }
    }
}

pub(crate) fn destroy_command_pool(device: vk::Device, pool: vk::CommandPool, allocator: Allocator) {
    guard_void(CommandId::destroy_command_pool, || {
        if pool.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        let object = handle::get::<Pool>(pool.as_raw())?;
        let mut buffers = object.lock();
        for buffer in std::mem::take(&mut buffers.handles) {
            buffers.free(buffer, allocator);
        }
        drop(buffers);
        handle::remove::<Pool>(pool.as_raw(), allocator)
    });
}

pub(crate) fn reset_command_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    _flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    guard(CommandId::reset_command_pool, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(pool.as_raw())?;
        for &buffer in &pool.lock().handles {
            enter(buffer, |_, buffer| buffer.reset(true))?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn trim_command_pool(
    _device: vk::Device,
    _pool: vk::CommandPool,
    _flags: vk::CommandPoolTrimFlags,
) {
}

pub(crate) fn allocate_command_buffers(
    device: vk::Device,
    info: In<'_, vk::CommandBufferAllocateInfo>,
    mut out: Outputs<'_, vk::CommandBuffer>,
) -> vk::Result {
    guard(CommandId::allocate_command_buffers, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(info.command_pool.as_raw())?;
        let owner = Dispatchable::<Device>::owner(device.as_raw())?;
        let mut buffers = pool.lock();
        for index in 0..out.len() {
            let memory = buffers.memory.pop().unwrap_or_default();
            let buffer = BiasedLock::new(CommandBuffer::new(info.level, pool.resettable, memory));
            let handle = Dispatchable::into_handle(Arc::new(buffer), owner, None)?;
            buffers.handles.insert(handle);
            out.write(index, vk::CommandBuffer::from_raw(handle));
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn free_command_buffers(
    device: vk::Device,
    pool: vk::CommandPool,
    handles: Slice<'_, vk::CommandBuffer>,
) {
    guard_void(CommandId::free_command_buffers, || {
        crate::entry::device::check(device)?;
        let pool = handle::get::<Pool>(pool.as_raw())?;
        let mut buffers = pool.lock();
        for buffer in handles {
            if buffers.handles.remove(&buffer.as_raw()) {
                buffers.free(buffer.as_raw(), None);
            }
        }
        Ok(())
    });
}

pub(crate) fn begin_command_buffer(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::CommandBufferBeginInfo>,
) -> vk::Result {
    guard(CommandId::begin_command_buffer, || {
        enter(buffer.as_raw(), |_, buffer| {
            let is_secondary = buffer.level() == vk::CommandBufferLevel::SECONDARY;
            // Of primary ones the pointer means nothing.
            // SAFETY: the command buffer is a secondary one (VUID-vkBeginCommandBuffer-commandBuffer-00051).
            let inherited = is_secondary.then(|| unsafe { info.inheritance_info() }).flatten();
            let viewports = inherited
                .and_then(|inherited| inherited.find::<vk::CommandBufferInheritanceViewportScissorInfoNV>());
            let viewports = viewports.is_some_and(|inherited| inherited.viewport_scissor_2d != 0);
            let group = info.find::<vk::DeviceGroupCommandBufferBeginInfo>();
            buffer.begin(viewports, group.map_or(0, |group| group.device_mask))?;
            let Some(inherited) = inherited else { return Ok(()) };
            crate::entry::tile::inherit(buffer, inherited)?;
            crate::entry::tile::inherit_memory(buffer, inherited)?;
            crate::entry::render::inherit_transform(buffer, inherited)?;
            crate::entry::heap::inherit(buffer, inherited)
        })
        .map(|()| vk::Result::SUCCESS)
    })
}

pub(crate) fn end_command_buffer(buffer: vk::CommandBuffer) -> vk::Result {
    guard(CommandId::end_command_buffer, || {
        enter(buffer.as_raw(), |_, buffer| buffer.end()).map(|()| vk::Result::SUCCESS)
    })
}

pub(crate) fn reset_command_buffer(
    buffer: vk::CommandBuffer,
    _flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    guard(CommandId::reset_command_buffer, || {
        enter(buffer.as_raw(), |_, buffer| buffer.reset(false)).map(|()| vk::Result::SUCCESS)
    })
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_bind_pipeline(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    let simply = try_record_fast(buffer, |read, device, recorder| {
        let pipeline = read.found_on::<Pipeline>(device, pipeline.as_raw())?;
        match (&pipeline.seen().kind, point) {
            (PipelineKind::Compute(pipeline), vk::PipelineBindPoint::COMPUTE)
                if !pipeline.shades_subpasses() =>
            {
                recorder.bind_pipeline(pipeline)
            }
            (PipelineKind::Graphics(pipeline), vk::PipelineBindPoint::GRAPHICS) => {
                recorder.bind_graphics_pipeline(pipeline)
            }
            _ => None,
        }
    });
    if !simply {
        bind(buffer, point, pipeline);
    }

    #[cold]
    #[inline(never)]
    fn bind(buffer: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        let bind = |read: &ReadGuard, buffer: &mut CommandBuffer| {
            let pipeline = read.find::<Pipeline>(pipeline.as_raw())?;
            match (&pipeline.kind, point) {
                (PipelineKind::Compute(pipeline), vk::PipelineBindPoint::COMPUTE)
                    if !pipeline.shades_subpasses() =>
                {
                    buffer.bind_pipeline(pipeline)
                }
                (PipelineKind::Compute(pipeline), vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI)
                    if pipeline.shades_subpasses() =>
                {
                    buffer.bind_subpass_pipeline(pipeline)
                }
                (PipelineKind::Graphics(pipeline), vk::PipelineBindPoint::GRAPHICS) => {
                    buffer.bind_graphics_pipeline(pipeline)
                }
                (PipelineKind::Graph(pipeline), vk::PipelineBindPoint::EXECUTION_GRAPH_AMDX) => {
                    buffer.bind_graph(pipeline)
                }
                (PipelineKind::DataGraph(pipeline), vk::PipelineBindPoint::DATA_GRAPH_ARM) => {
                    buffer.bind_data_graph(pipeline)
                }
                (PipelineKind::RayTracing(pipeline), vk::PipelineBindPoint::RAY_TRACING_KHR) => {
                    buffer.bind_ray_pipeline(pipeline)
                }
                _ => Err(Error::misuse(
                    "the pipeline was not created for this bind point (VUID-vkCmdBindPipeline-pipelineBindPoint-00779)",
                )),
            }
        };
        record_with(CommandId::cmd_bind_pipeline, buffer, bind);
    }
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_bind_descriptor_sets(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    sets: Slice<'_, vk::DescriptorSet>,
    offsets: Slice<'_, u32>,
) {
    let is_simple = match (sets.get(), offsets.get()) {
        ([set], []) => try_record_fast(buffer, |read, device, recorder| {
            let layout = read.found_on::<PipelineLayout>(device, layout.as_raw())?;
            let set = read.found_on::<DescriptorSet>(device, set.as_raw())?;
            recorder.bind_set(point, &layout, first, set.seen())
        }),
        _ => false,
    };
    if !is_simple {
        bind(buffer, point, layout, first, sets.get(), offsets.get());
    }

    #[cold]
    #[inline(never)]
    fn bind(
        buffer: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
        offsets: &[u32],
    ) {
        let bind = |read: &ReadGuard, buffer: &mut CommandBuffer| {
            let layout = read.find::<PipelineLayout>(layout.as_raw())?;
            if let ([set], []) = (sets, offsets) {
                let set = read.get_nullable::<DescriptorSet>(set.as_raw())?;
                return buffer.bind_set(point, &layout, first, set);
            }
            let sets = sets
                .iter()
                .map(|set| Ok(read.get_nullable::<DescriptorSet>(set.as_raw())?.map(|set| set.share())));
            let sets = sets.collect::<Result<_>>()?;
            buffer.bind_sets(point, &layout, first, sets, offsets)
        };
        record_with(CommandId::cmd_bind_descriptor_sets, buffer, bind);
    }
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_push_constants(
    buffer: vk::CommandBuffer,
    _layout: vk::PipelineLayout,
    _stages: vk::ShaderStageFlags,
    offset: u32,
    values: &[u8],
) {
    if !try_record_fast(buffer, |_, _, recorder| recorder.push_constants(offset, values)) {
        push(buffer, offset, values);
    }

    #[cold]
    #[inline(never)]
    fn push(buffer: vk::CommandBuffer, offset: u32, values: &[u8]) {
        record(CommandId::cmd_push_constants, buffer, |buffer| buffer.push_constants(offset, values));
    }
}

pub(crate) fn cmd_push_descriptor_set(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
    writes: Slice<'_, vk::WriteDescriptorSet>,
) {
    record_with(CommandId::cmd_push_descriptor_set, buffer, |read, buffer| {
        let layout = read.find::<PipelineLayout>(layout.as_raw())?;
        buffer.push_descriptors(point, &layout, set, |set| {
            writes.into_iter().try_for_each(|write| descriptor::write(read, set, write))
        })
    });
}

pub(crate) fn cmd_push_descriptor_set_with_template(
    buffer: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: TemplateData<'_>,
) {
    record_with(CommandId::cmd_push_descriptor_set_with_template, buffer, |read, buffer| {
        let layout = read.find::<PipelineLayout>(layout.as_raw())?;
        let template = read.find::<UpdateTemplate>(template.as_raw())?;
        buffer.push_descriptors(template.point, &layout, set, |set| {
            descriptor::write_template(read, set, &template, data)
        })
    });
}

value_command!(cmd_dispatch(x: u32, y: u32, z: u32) => DispatchCommand::Dispatch([x, y, z]));

value_command!(
    cmd_dispatch_base(base_x: u32, base_y: u32, base_z: u32, x: u32, y: u32, z: u32)
        => DispatchCommand::DispatchBase(Box::new(DispatchBase {
            base: [base_x, base_y, base_z],
            count: [x, y, z],
        }))
);

/// A hint among dispatches that run at once; queues run one after another.
pub(crate) fn cmd_set_compute_occupancy_priority_nv(
    buffer: vk::CommandBuffer,
    parameters: In<'_, vk::ComputeOccupancyPriorityParametersNV>,
) {
    record(CommandId::cmd_set_compute_occupancy_priority_nv, buffer, |_| {
        for (name, value, rule) in [
            ("occupancyPriority", parameters.occupancy_priority, "12298"),
            ("occupancyThrottling", parameters.occupancy_throttling, "12299"),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::misuse(format!(
                    "{name} is {value} (VUID-VkComputeOccupancyPriorityParametersNV-{name}-{rule})"
                )));
            }
        }
        Ok(())
    });
}

/// A core takes a batch of workgroups when it has ended the last one, and runs one subgroup at a time, so
/// other limits than the size of batches are kept by themselves.
pub(crate) fn cmd_set_dispatch_parameters_arm(
    buffer: vk::CommandBuffer,
    parameters: In<'_, registry_supplement::DispatchParametersARM>,
) {
    record(CommandId::cmd_set_dispatch_parameters_arm, buffer, |buffer| {
        for (name, value, most, rule) in [
            ("maxWarpsPerShaderCore", parameters.max_warps_per_shader_core, WARPS_PER_CORE, "12392"),
            (
                "maxQueuedWorkGroupBatches",
                parameters.max_queued_work_group_batches,
                QUEUED_BATCHES_MAX,
                "12393",
            ),
            ("workGroupBatchSize", parameters.work_group_batch_size, BATCH_SIZE_MAX, "12394"),
        ] {
            if value > most {
                return Err(Error::misuse(format!(
                    "{name} is {value}, more than {most} (VUID-VkDispatchParametersARM-{name}-{rule})"
                )));
            }
        }
        buffer.push(BindCommand::DispatchBatch(parameters.work_group_batch_size))
    });
}

pub(crate) fn cmd_subpass_shading_huawei(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_subpass_shading_huawei, buffer, |buffer| buffer.push(DispatchCommand::Subpass));
}

pub(crate) fn cmd_dispatch_indirect(buffer: vk::CommandBuffer, source: vk::Buffer, offset: vk::DeviceSize) {
    record(CommandId::cmd_dispatch_indirect, buffer, |buffer| {
        let range = handle::get::<Buffer>(source.as_raw())?.range(offset, 12)?;
        buffer.push(DispatchCommand::Indirect(Box::new(range)))
    });
}

pub(crate) fn cmd_copy_buffer(
    buffer: vk::CommandBuffer,
    source: vk::Buffer,
    target: vk::Buffer,
    regions: Slice<'_, vk::BufferCopy>,
) {
    record(CommandId::cmd_copy_buffer, buffer, |buffer| {
        let (source, target) =
            (handle::get::<Buffer>(source.as_raw())?, handle::get::<Buffer>(target.as_raw())?);
        let regions = regions.iter();
        buffer.copy(
            &source,
            &target,
            regions.map(|region| (region.src_offset, region.dst_offset, region.size)),
        )
    });
}

pub(crate) fn cmd_fill_buffer(
    buffer: vk::CommandBuffer,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    word: u32,
) {
    record(CommandId::cmd_fill_buffer, buffer, |buffer| {
        let target = handle::get::<Buffer>(target.as_raw())?;
        if !offset.is_multiple_of(4) {
            return Err(Error::misuse(
                "dstOffset is not a multiple of 4 (VUID-vkCmdFillBuffer-dstOffset-00025)",
            ));
        }
        // The whole size is rounded down to words.
        let size = if size == vk::WHOLE_SIZE { target.size().saturating_sub(offset) & !3 } else { size };
        buffer.push(TransferCommand::Fill(Box::new(target.range(offset, size)?), word))
    });
}

pub(crate) fn cmd_update_buffer(
    buffer: vk::CommandBuffer,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    data: &[u8],
) {
    record(CommandId::cmd_update_buffer, buffer, |buffer| {
        let range = || handle::get::<Buffer>(target.as_raw())?.range(offset, data.len() as u64);
        buffer.push(update(data, range, "(VUID-vkCmdUpdateBuffer-dataSize-00037)")?)
    });
}

/// The command that writes `data` to a range of as many bytes; `rule` limits their number.
pub(crate) fn update(
    data: &[u8],
    target: impl FnOnce() -> Result<Range>,
    rule: &str,
) -> Result<TransferCommand> {
    if data.len() > 65536 {
        return Err(Error::misuse(format!("dataSize is more than 65536 bytes {rule}")));
    }
    Ok(TransferCommand::Update(Box::new(UpdateBuffer { target: target()?, bytes: data.into() })))
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_pipeline_barrier(
    buffer: vk::CommandBuffer,
    source: vk::PipelineStageFlags,
    target: vk::PipelineStageFlags,
    _flags: vk::DependencyFlags,
    memory: Slice<'_, vk::MemoryBarrier>,
    buffers: Slice<'_, vk::BufferMemoryBarrier>,
    images: Slice<'_, vk::ImageMemoryBarrier>,
) {
    record(CommandId::cmd_pipeline_barrier, buffer, |buffer| {
        buffer.barrier()?;
        if !follow::is_on() {
            return Ok(());
        }
        let orders = Orders::of_first((source, target), memory, buffers, images);
        orders.record(buffer, "vkCmdPipelineBarrier")
    });
}

pub(crate) fn cmd_pipeline_barrier2(buffer: vk::CommandBuffer, info: In<'_, vk::DependencyInfo>) {
    record(CommandId::cmd_pipeline_barrier2, buffer, |buffer| {
        buffer.barrier()?;
        if !follow::is_on() {
            return Ok(());
        }
        Orders::of_second(info).record(buffer, "vkCmdPipelineBarrier2")
    });
}

/// Sets an event behind some stages, or resets it.
fn put_event(
    buffer: &mut CommandBuffer,
    event: vk::Event,
    behind: Option<impl FnOnce() -> u64>,
) -> Result<()> {
    if follow::is_on() {
        let (order, name) = match behind {
            Some(stages) => {
                let order = Dependency::SetEvent(event.as_raw(), stages());
                follow::push(buffer, Followed::Order(order, "vkCmdSetEvent"))?;
                return buffer.push(SyncCommand::PutEvent(handle::get::<Event>(event.as_raw())?, true));
            }
            None => (Dependency::ResetEvent(event.as_raw()), "vkCmdResetEvent"),
        };
        follow::push(buffer, Followed::Order(order, name))?;
        return buffer.push(SyncCommand::PutEvent(handle::get::<Event>(event.as_raw())?, false));
    }
    buffer.push(SyncCommand::PutEvent(handle::get::<Event>(event.as_raw())?, behind.is_some()))
}

/// No stages: the event is reset.
const RESET: Option<fn() -> u64> = None;

pub(crate) fn cmd_set_event(buffer: vk::CommandBuffer, event: vk::Event, stages: vk::PipelineStageFlags) {
    record(CommandId::cmd_set_event, buffer, |buffer| {
        put_event(buffer, event, Some(|| stages.bits().into()))
    });
}

pub(crate) fn cmd_set_event2(buffer: vk::CommandBuffer, event: vk::Event, info: In<'_, vk::DependencyInfo>) {
    record(CommandId::cmd_set_event2, buffer, |buffer| {
        put_event(buffer, event, Some(|| Orders::of_second(info).first_stages()))
    });
}

pub(crate) fn cmd_reset_event(buffer: vk::CommandBuffer, event: vk::Event, _stages: vk::PipelineStageFlags) {
    record(CommandId::cmd_reset_event, buffer, |buffer| put_event(buffer, event, RESET));
}

pub(crate) fn cmd_reset_event2(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    _stages: vk::PipelineStageFlags2,
) {
    record(CommandId::cmd_reset_event2, buffer, |buffer| put_event(buffer, event, RESET));
}

fn wait(buffer: &mut CommandBuffer, events: &[vk::Event]) -> Result<()> {
    buffer.check_not_per_tile("VUID-vkCmdWaitEvents-None-10655, VUID-vkCmdWaitEvents2-None-10654")?;
    let events = events.iter().map(|event| handle::get::<Event>(event.as_raw()));
    buffer.push(SyncCommand::WaitEvents(events.collect::<Result<_>>()?))
}

pub(crate) fn cmd_wait_events(
    buffer: vk::CommandBuffer,
    events: Slice<'_, vk::Event>,
    source: vk::PipelineStageFlags,
    target: vk::PipelineStageFlags,
    memory: Slice<'_, vk::MemoryBarrier>,
    buffers: Slice<'_, vk::BufferMemoryBarrier>,
    images: Slice<'_, vk::ImageMemoryBarrier>,
) {
    record(CommandId::cmd_wait_events, buffer, |buffer| {
        wait(buffer, events.get())?;
        if !follow::is_on() {
            return Ok(());
        }
        let orders = Orders::of_first((source, target), memory, buffers, images);
        orders.record_wait(buffer, events.iter().map(|event| event.as_raw()).collect())
    });
}

pub(crate) fn cmd_wait_events2(
    buffer: vk::CommandBuffer,
    events: Slice<'_, vk::Event>,
    infos: Slice<'_, vk::DependencyInfo>,
) {
    record(CommandId::cmd_wait_events2, buffer, |buffer| {
        wait(buffer, events.get())?;
        if follow::is_on() {
            for (event, info) in events.iter().zip(infos) {
                Orders::of_second(info).record_wait(buffer, vec![event.as_raw()])?;
            }
        }
        Ok(())
    });
}

pub(crate) fn cmd_reset_query_pool(buffer: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32) {
    query(CommandId::cmd_reset_query_pool, buffer, pool, first, count, |pool| {
        QueryCommand::Reset(pool, first, count)
    });
}

pub(crate) fn cmd_begin_query(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    index: u32,
    _flags: vk::QueryControlFlags,
) {
    query(CommandId::cmd_begin_query, buffer, pool, index, 1, |pool| QueryCommand::Begin(pool, index, 0));
}

pub(crate) fn cmd_end_query(buffer: vk::CommandBuffer, pool: vk::QueryPool, index: u32) {
    query(CommandId::cmd_end_query, buffer, pool, index, 1, |pool| QueryCommand::End(pool, index, 0));
}

pub(crate) fn cmd_write_timestamp(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags,
    pool: vk::QueryPool,
    index: u32,
) {
    query(CommandId::cmd_write_timestamp, buffer, pool, index, 1, |pool| {
        QueryCommand::WriteTimestamp(pool, index)
    });
}

pub(crate) fn cmd_write_timestamp2(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    index: u32,
) {
    query(CommandId::cmd_write_timestamp2, buffer, pool, index, 1, |pool| {
        QueryCommand::WriteTimestamp(pool, index)
    });
}

pub(crate) fn cmd_copy_query_pool_results(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) {
    record(CommandId::cmd_copy_query_pool_results, buffer, |buffer| {
        let pool = handle::get::<QueryPool>(pool.as_raw())?;
        pool.check(first, count)?;
        let layout = ResultLayout { stride, flags };
        let target = handle::get::<Buffer>(target.as_raw())?.range(offset, layout.size(&pool, count))?;
        buffer.push(QueryCommand::CopyResults(Box::new(CopyQueryResults {
            pool,
            first,
            count,
            layout,
            target,
        })))
    });
}

pub(crate) fn cmd_execute_commands(buffer: vk::CommandBuffer, handles: Slice<'_, vk::CommandBuffer>) {
    guard_void(CommandId::cmd_execute_commands, || {
        // Before the command buffer itself is in use: threads that execute each other's do not wait for
        // each other.
        let secondaries = handles.iter();
        let lists =
            secondaries.map(|secondary| enter(secondary.as_raw(), |_, secondary| secondary.secondary_list()));
        let lists = lists.collect::<Result<_>>();
        enter(buffer.as_raw(), |_, buffer| {
            lists
                .and_then(|lists| buffer.push(Command::Execute(lists)))
                .inspect_err(|error| buffer.poison(error))
        })
    });
}

pub(crate) fn cmd_set_device_mask(buffer: vk::CommandBuffer, mask: u32) {
    record(CommandId::cmd_set_device_mask, buffer, |buffer| buffer.set_device_mask(mask));
}
