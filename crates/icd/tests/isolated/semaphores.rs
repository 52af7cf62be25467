//! Submissions that only wait for semaphores and signal them.

use pyro_test_kit::compute::Compute;
use std::slice;
use vulkanalia::prelude::v1_3::*;

/// An empty batch.
pub(crate) fn submit(context: &Compute, wait: &[vk::Semaphore], signal: &[vk::Semaphore], fence: vk::Fence) {
    let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; wait.len()];
    let info = vk::SubmitInfo::builder()
        .wait_semaphores(wait)
        .wait_dst_stage_mask(&stages)
        .signal_semaphores(signal);
    unsafe { context.device.queue_submit(context.queue, slice::from_ref(&info), fence) }.expect("submitted");
}

/// Whether a wait for a binary semaphore on the queue ends within a time.
pub(crate) fn ends(context: &Compute, wait: vk::Semaphore, timeout_ns: u64) -> bool {
    unsafe {
        let fence = context.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        submit(context, &[wait], &[], fence);
        let waited = context.device.wait_for_fences(&[fence], true, timeout_ns).expect("waited");
        if waited == vk::SuccessCode::SUCCESS {
            context.device.destroy_fence(fence, None);
        }
        waited == vk::SuccessCode::SUCCESS
    }
}
