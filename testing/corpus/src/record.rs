//! What a command buffer has recorded, and the timestamps around it.

use crate::times::{self, Work};
use ash::vk::{self, Handle};
use std::collections::HashMap;

/// Timestamps of a command buffer; what comes behind the last is not measured.
const TIMESTAMPS: u32 = 8192;

/// A command buffer.
#[derive(Default)]
pub(crate) struct Commands {
    pool: vk::CommandPool,
    /// Where timestamps go: none in secondary command buffers.
    queries: Option<vk::QueryPool>,
    used: u32,
    /// What is between each two timestamps.
    work: Vec<Work>,
    /// The pipelines that are bound, by bind point.
    bound: HashMap<vk::PipelineBindPoint, u64>,
    /// The render pass that has begun: its pipelines with their draws, and how many draws.
    pass: Option<(Vec<(u64, u32)>, u32)>,
}

/// Timestamps that a submission writes.
struct Pending {
    queries: vk::QueryPool,
    work: Vec<Work>,
}

/// All command buffers of a device.
pub(crate) struct Recorder {
    device: ash::Device,
    /// Nanoseconds from one timestamp's number to the next.
    period: f64,
    commands: HashMap<vk::CommandBuffer, Commands>,
    pending: Vec<Pending>,
}

impl Recorder {
    pub(crate) fn new(device: ash::Device, period: f64) -> Recorder {
        Recorder { device, period, commands: HashMap::new(), pending: Vec::new() }
    }

    pub(crate) fn allocate(&mut self, info: &vk::CommandBufferAllocateInfo<'_>, all: &[vk::CommandBuffer]) {
        for &buffer in all {
            let queries = (info.level == vk::CommandBufferLevel::PRIMARY).then(|| {
                let info = vk::QueryPoolCreateInfo::default()
                    .query_type(vk::QueryType::TIMESTAMP)
                    .query_count(TIMESTAMPS);
                // SAFETY: the device lives, as its command buffers do.
                unsafe { self.device.create_query_pool(&info, None) }.ok()
            });
            let pool = info.command_pool;
            self.commands
                .insert(buffer, Commands { pool, queries: queries.flatten(), ..Commands::default() });
        }
    }

    pub(crate) fn free(&mut self, buffer: vk::CommandBuffer) {
        self.collect();
        let Some(commands) = self.commands.remove(&buffer) else { return };
        if let Some(queries) = commands.queries {
            self.pending.retain(|pending| pending.queries != queries);
            // SAFETY: a command buffer that is freed is in no queue, and its queries are no one else's.
            unsafe { self.device.destroy_query_pool(queries, None) };
        }
    }

    pub(crate) fn destroy_pool(&mut self, pool: vk::CommandPool) {
        let of_pool = self.commands.iter().filter(|(_, commands)| commands.pool == pool);
        let buffers: Vec<vk::CommandBuffer> = of_pool.map(|(&buffer, _)| buffer).collect();
        buffers.into_iter().for_each(|buffer| self.free(buffer));
    }

    /// Behind the driver's `vkBeginCommandBuffer`.
    pub(crate) fn begin(&mut self, buffer: vk::CommandBuffer) {
        self.collect();
        let Some(commands) = self.commands.get_mut(&buffer) else { return };
        commands.used = 0;
        commands.work.clear();
        commands.bound.clear();
        commands.pass = None;
        if let Some(queries) = commands.queries {
            self.pending.retain(|pending| pending.queries != queries);
            // SAFETY: the command buffer has just begun, outside of render passes.
            unsafe { self.device.cmd_reset_query_pool(buffer, queries, 0, TIMESTAMPS) };
        }
    }

    pub(crate) fn bind(&mut self, buffer: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: u64) {
        if let Some(commands) = self.commands.get_mut(&buffer) {
            commands.bound.insert(point, pipeline);
        }
    }

    fn stamp(&mut self, buffer: vk::CommandBuffer) -> bool {
        let Some(commands) = self.commands.get_mut(&buffer) else { return false };
        let Some(queries) = commands.queries.filter(|_| commands.used < TIMESTAMPS) else { return false };
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the query was reset when the command buffer began, and is written once.
        unsafe { self.device.cmd_write_timestamp(buffer, stage, queries, commands.used) };
        commands.used += 1;
        true
    }

    /// All before is done before what follows.
    pub(crate) fn barrier(&self, buffer: vk::CommandBuffer) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is recorded to, outside of render passes.
        unsafe { self.device.cmd_pipeline_barrier(buffer, stages, stages, flags, &[barrier], &[], &[]) };
    }

    /// Before a dispatch or a render pass; whether its time is taken, which needs two timestamps.
    pub(crate) fn stamp_first(&mut self, buffer: vk::CommandBuffer) -> bool {
        let has_two = self.commands.get(&buffer).is_some_and(|commands| commands.used + 2 <= TIMESTAMPS);
        has_two && self.stamp(buffer)
    }

    /// Behind a dispatch whose time is taken.
    pub(crate) fn after_dispatch(&mut self, buffer: vk::CommandBuffer, size: [u32; 3]) {
        self.stamp(buffer);
        if let Some(commands) = self.commands.get_mut(&buffer) {
            let pipelines = commands.bound.get(&vk::PipelineBindPoint::COMPUTE).copied().unwrap_or(0);
            commands.work.push(Work { pipelines, size, draws: false });
        }
    }

    /// Before a render pass begins.
    pub(crate) fn begin_pass(&mut self, buffer: vk::CommandBuffer) {
        if self.stamp_first(buffer)
            && let Some(commands) = self.commands.get_mut(&buffer)
        {
            commands.pass = Some((Vec::new(), 0));
        }
    }

    /// A draw; `elements`: vertices or indices times instances, or zero where they are in memory.
    pub(crate) fn draw(&mut self, buffer: vk::CommandBuffer, elements: u32) {
        let Some(commands) = self.commands.get_mut(&buffer) else { return };
        let pipeline = commands.bound.get(&vk::PipelineBindPoint::GRAPHICS).copied().unwrap_or(0);
        if let Some((draws, count)) = &mut commands.pass {
            draws.push((pipeline, elements));
            *count += 1;
        }
    }

    /// Behind a render pass's end.
    pub(crate) fn end_pass(&mut self, buffer: vk::CommandBuffer) {
        let Some(commands) = self.commands.get_mut(&buffer) else { return };
        let Some((draws, count)) = commands.pass.take() else { return };
        let pipelines = match draws.first() {
            // One pipeline stands for itself.
            Some(&(first, _)) if draws.iter().all(|&(pipeline, _)| pipeline == first) => first,
            _ => times::hash(&draws),
        };
        let elements = draws.iter().fold(0_u32, |sum, &(_, elements)| sum.saturating_add(elements));
        commands.work.push(Work { pipelines, size: [count, elements, 0], draws: true });
        self.stamp(buffer);
    }

    /// Before a submission.
    pub(crate) fn submit(&mut self, buffers: impl Iterator<Item = vk::CommandBuffer>) {
        self.collect();
        for buffer in buffers {
            let Some(commands) = self.commands.get(&buffer) else { continue };
            let Some(queries) = commands.queries.filter(|_| !commands.work.is_empty()) else { continue };
            // What a render pass has no end of stays without a time.
            let work = commands.work[..commands.work.len().min(commands.used as usize / 2)].to_vec();
            self.pending.retain(|pending| pending.queries != queries);
            self.pending.push(Pending { queries, work });
        }
    }

    /// Takes the times of all submissions that have ended.
    pub(crate) fn collect(&mut self) {
        let (device, period) = (&self.device, self.period);
        self.pending.retain(|pending| {
            let mut stamps = vec![0_u64; 2 * pending.work.len()];
            // SAFETY: the query pool lives until its command buffer is freed, which removes what is pending.
            let found = unsafe {
                let flags = vk::QueryResultFlags::TYPE_64;
                device.get_query_pool_results(pending.queries, 0, &mut stamps, flags)
            };
            if found.is_err() {
                return true;
            }
            for (work, stamps) in pending.work.iter().zip(stamps.chunks_exact(2)) {
                let between = stamps[1].wrapping_sub(stamps[0]);
                times::add(*work, (between as f64 * period) as u64);
            }
            false
        });
    }

    /// Frees what is left, before the device is destroyed.
    pub(crate) fn destroy(&mut self) {
        let buffers: Vec<vk::CommandBuffer> = self.commands.keys().copied().collect();
        buffers.into_iter().for_each(|buffer| self.free(buffer));
    }
}

/// A handle's number, of handles that are no pointers.
pub(crate) fn number(handle: impl Handle) -> u64 {
    handle.as_raw()
}
