//! Submissions: on which thread they run, and in which order they end.

use pyro_test_environment::number;
use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

/// Counts in the word at the invocation's place.
const COUNT: &str = "
    %place = OpAccessChain %word %buffer %uint_0 %gid
    %old   = OpAtomicIAdd %uint %place %uint_1 %uint_0 %uint_1";

fn context() -> Compute {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().timeline_semaphore(true);
    Compute::new(V1_3, &[], std::ptr::from_mut(&mut features).cast())
}

/// A command buffer that counts in each of `groups` words.
fn counting(context: &Compute, target: &Buffer, groups: u32) -> vk::CommandBuffer {
    let none = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(none, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &shader(COUNT));
    let set = context.set(set_layout);
    context.write(set, target.buffer);
    let point = vk::PipelineBindPoint::COMPUTE;
    context.record(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, point, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, groups, 1, 1);
    })
}

fn submit(context: &Compute, commands: vk::CommandBuffer, fence: vk::Fence) {
    let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
    unsafe { context.device.queue_submit(context.queue, slice::from_ref(&submit), fence) }
        .expect("submitted");
}

#[test]
fn short_batches_end_before_the_submission_returns() {
    let context = context();
    let target = context.buffer(1);
    let commands = counting(&context, &target, 1);
    unsafe {
        let fence = context.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let mut at_once = 0;
        for round in 1..=200 {
            submit(&context, commands, fence);
            let status = context.device.get_fence_status(fence).expect("a status");
            at_once += u32::from(status == vk::SuccessCode::SUCCESS);
            context.device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
            context.device.reset_fences(&[fence]).expect("reset");
            assert_eq!(target.words(), [round]);
        }
        // The first is not known to be short; a busy machine may make some more seem long.
        assert!(at_once > 50, "{at_once} of 200");
        context.device.destroy_fence(fence, None);
    }
}

#[test]
fn short_batches_keep_their_place() {
    let context = context();
    let device = &context.device;
    let target = context.buffer(1);
    let commands = counting(&context, &target, 1);
    unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        let timeline = device.create_semaphore(&info, None).expect("a timeline");
        // So that they are known to be short.
        for _ in 0..3 {
            submit(&context, commands, vk::Fence::null());
        }
        device.queue_wait_idle(context.queue).expect("idle");
        assert_eq!(target.words(), [3]);
        let mut values = vk::TimelineSemaphoreSubmitInfo::builder().wait_semaphore_values(&[1]);
        let waiting = vk::SubmitInfo::builder()
            .wait_semaphores(slice::from_ref(&timeline))
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::COMPUTE_SHADER])
            .command_buffers(slice::from_ref(&commands))
            .push_next(&mut values);
        device.queue_submit(context.queue, slice::from_ref(&waiting), vk::Fence::null()).expect("submitted");
        // One that is short, behind one that waits.
        let other = counting(&context, &target, 1);
        submit(&context, other, vk::Fence::null());
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(target.words(), [3], "nothing runs before the signal");
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(1);
        device.signal_semaphore(&signal).expect("signaled");
        device.queue_wait_idle(context.queue).expect("idle");
        assert_eq!(target.words(), [5]);
        device.destroy_semaphore(timeline, None);
    }
}

#[test]
fn empty_dispatches_do_nothing() {
    let context = context();
    let target = context.buffer(4);
    for groups in [0, 2, 0] {
        submit(&context, counting(&context, &target, groups), vk::Fence::null());
    }
    unsafe { context.device.queue_wait_idle(context.queue) }.expect("idle");
    assert_eq!(target.words(), [1, 1, 0, 0]);
}

/// `PYRO_SUBMITS` sets how many (default 20,000; a soak is 100,000): of one kind each, on the submitting
/// thread, on the queue's thread behind a semaphore, and with a fence.
#[test]
fn submissions_in_a_row_leave_nothing() {
    let count = number("PYRO_SUBMITS", 20_000_u32);
    let context = context();
    let device = &context.device;
    let target = context.buffer(1);
    let commands = counting(&context, &target, 1);
    unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        let timeline = device.create_semaphore(&info, None).expect("a timeline");
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let stage = [vk::PipelineStageFlags::COMPUTE_SHADER];
        for round in 0..count {
            if round % 3 == 0 {
                submit(&context, commands, fence);
                device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
                device.reset_fences(&[fence]).expect("reset");
                continue;
            }
            // Waits for one point, and signals the next; on the host's signal where the round says so.
            let (at, next) = (u64::from(round) * 2 + 1, u64::from(round) * 2 + 2);
            let (waits, signals) = ([at], [next]);
            let mut values = vk::TimelineSemaphoreSubmitInfo::builder()
                .wait_semaphore_values(&waits)
                .signal_semaphore_values(&signals);
            let info = vk::SubmitInfo::builder()
                .wait_semaphores(slice::from_ref(&timeline))
                .wait_dst_stage_mask(&stage)
                .command_buffers(slice::from_ref(&commands))
                .signal_semaphores(slice::from_ref(&timeline))
                .push_next(&mut values);
            let signal = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(at);
            if round % 3 == 1 {
                device.signal_semaphore(&signal).expect("signaled");
            }
            device.queue_submit(context.queue, slice::from_ref(&info), vk::Fence::null()).expect("submitted");
            if round % 3 == 2 {
                device.signal_semaphore(&signal).expect("signaled");
            }
            let info =
                vk::SemaphoreWaitInfo::builder().semaphores(slice::from_ref(&timeline)).values(&signals);
            device.wait_semaphores(&info, u64::MAX).expect("waited");
        }
        device.queue_wait_idle(context.queue).expect("idle");
        assert_eq!(target.words(), [count]);
        device.destroy_fence(fence, None);
        device.destroy_semaphore(timeline, None);
    }
}

/// Counts in the first word, and in the second how often that was not at the pushed count.
const COUNT_IN_ORDER: &str = "
    %first = OpAccessChain %word %buffer %uint_0 %uint_0
    %old   = OpAtomicIAdd %uint %first %uint_1 %uint_0 %uint_1
    %late  = OpINotEqual %bool %old %push
    %wrong = OpSelect %uint %late %uint_1 %uint_0
    %errors = OpAccessChain %word %buffer %uint_0 %uint_1
    %more  = OpAtomicIAdd %uint %errors %uint_1 %uint_0 %wrong";

/// Four threads, each with its own queue; every batch waits for one of the queue before it in a ring.
/// `PYRO_ROUNDS` sets how often around (default 300).
#[test]
fn queues_wait_for_each_other() {
    const QUEUES: u64 = 4;
    let rounds = number("PYRO_ROUNDS", 300_u64);
    let context = context();
    let device = &context.device;
    let target = context.buffer(2);
    let none = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(none, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &shader(COUNT_IN_ORDER));
    let set = context.set(set_layout);
    context.write(set, target.buffer);
    let point = vk::PipelineBindPoint::COMPUTE;
    let command_buffers: Vec<_> = (0..rounds * QUEUES)
        .map(|turn| {
            context.record(|commands| unsafe {
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(commands, layout, stages, 0, &(turn as u32).to_ne_bytes());
                device.cmd_dispatch(commands, 1, 1, 1);
            })
        })
        .collect();
    let timelines = [(); QUEUES as usize].map(|()| unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        device.create_semaphore(&info, None).expect("a timeline")
    });
    std::thread::scope(|scope| {
        for index in 0..QUEUES {
            let (command_buffers, timelines) = (&command_buffers, &timelines);
            scope.spawn(move || unsafe {
                let queue = device.get_device_queue(0, index as u32);
                let before = timelines[((index + QUEUES - 1) % QUEUES) as usize];
                let own = timelines[index as usize];
                for round in 0..rounds {
                    let commands = command_buffers[(round * QUEUES + index) as usize];
                    // The first queue waits for the last one's round before.
                    let (waits, signals) = ([round + u64::from(index != 0)], [round + 1]);
                    let mut values = vk::TimelineSemaphoreSubmitInfo::builder()
                        .wait_semaphore_values(&waits)
                        .signal_semaphore_values(&signals);
                    let info = vk::SubmitInfo::builder()
                        .wait_semaphores(slice::from_ref(&before))
                        .wait_dst_stage_mask(&[vk::PipelineStageFlags::COMPUTE_SHADER])
                        .command_buffers(slice::from_ref(&commands))
                        .signal_semaphores(slice::from_ref(&own))
                        .push_next(&mut values);
                    device.queue_submit(queue, slice::from_ref(&info), vk::Fence::null()).expect("submitted");
                }
                device.queue_wait_idle(queue).expect("idle");
            });
        }
    });
    assert_eq!(target.words(), [(rounds * QUEUES) as u32, 0]);
    unsafe { timelines.iter().for_each(|&timeline| device.destroy_semaphore(timeline, None)) };
}

/// What was recorded for one submission runs as often as it is submitted.
#[test]
fn buffers_for_one_submission_run_again() {
    let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let device = &context.device;
    let target = context.buffer(2);
    let layout = context.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let pipeline_layout = context.layout(&[layout]);
    let body = "%at = OpAccessChain %word %buffer %uint_0 %gid
         %old = OpLoad %uint %at
         %new = OpIAdd %uint %old %uint_1
         OpStore %at %new";
    let pipeline = context.pipeline(pipeline_layout, &shader(body));
    let set = context.set(layout);
    context.write(set, target.buffer);
    unsafe {
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(context.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        let once = vk::CommandBufferBeginInfo::builder().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        device.begin_command_buffer(commands, &once).expect("begins");
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_descriptor_sets(commands, point, pipeline_layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 2, 1, 1);
        device.end_command_buffer(commands).expect("ends");
        for _ in 0..3 {
            let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
            device
                .queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null())
                .expect("submitted");
            device.queue_wait_idle(context.queue).expect("idle");
        }
    }
    assert_eq!(target.words(), [3, 3]);
}
