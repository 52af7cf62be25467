//! `VK_NV_device_diagnostic_checkpoints`: how far the commands of a queue came before the device was lost.
//!
//! Commands run one after another, so what has passed the first stage has passed all.

use crate::call::guard_void;
use crate::call::recording::record;
use crate::handle::Dispatchable;
use crate::pointers::Enumeration;
use crate::registry::CommandId;
use pyro_driver::command::QueryCommand;
use pyro_driver::queue::Queue;
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

/// The marker is a number of the application's: nobody follows it.
pub(crate) unsafe extern "system" fn cmd_set_checkpoint_nv(buffer: vk::CommandBuffer, marker: *const c_void) {
    record(CommandId::cmd_set_checkpoint_nv, buffer, |buffer| {
        buffer.push(QueryCommand::Checkpoint(marker as u64))
    });
}

/// The last checkpoint at the first and the last stage, if there was one.
fn passed<S: Copy>(queue: vk::Queue, stages: [S; 2]) -> pyro_driver::Result<Vec<(S, u64)>> {
    let marker = Dispatchable::<Queue>::get(queue.as_raw())?.last_checkpoint()?;
    Ok(marker.map_or(Vec::new(), |marker| stages.map(|stage| (stage, marker)).to_vec()))
}

pub(crate) fn get_queue_checkpoint_data_nv(queue: vk::Queue, mut out: Enumeration<'_, vk::CheckpointDataNV>) {
    guard_void(CommandId::get_queue_checkpoint_data_nv, || {
        let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::BOTTOM_OF_PIPE];
        out.fill(&passed(queue, stages)?, |out, &(stage, marker)| {
            (out.stage, out.checkpoint_marker) = (stage, marker as *mut c_void);
        });
        Ok(())
    });
}

pub(crate) fn get_queue_checkpoint_data2_nv(
    queue: vk::Queue,
    mut out: Enumeration<'_, vk::CheckpointData2NV>,
) {
    guard_void(CommandId::get_queue_checkpoint_data2_nv, || {
        let stages = [vk::PipelineStageFlags2::TOP_OF_PIPE, vk::PipelineStageFlags2::BOTTOM_OF_PIPE];
        out.fill(&passed(queue, stages)?, |out, &(stage, marker)| {
            (out.stage, out.checkpoint_marker) = (stage, marker as *mut c_void);
        });
        Ok(())
    });
}
