//! Captures of other tests of this binary replay with the same results, on every executor.
#![cfg(target_os = "linux")]

use crate::replayed::{replayed, replays_if};
use pyro_test_kit::compute::{Buffer, Compute, shader};
use vulkanalia::prelude::v1_3::*;

/// Two instances, each with a device, take turns on one thread; the second makes its memory when the first
/// has work behind it.
#[test]
fn instances_take_turns() {
    const DOUBLE: &str = "
        %place = OpAccessChain %word %buffer %uint_0 %gid
        %old = OpLoad %uint %place
        %new = OpIAdd %uint %old %old
        OpStore %place %new";
    let contexts = [0_u32, 1].map(|number| {
        let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
        let none = vk::DescriptorSetLayoutCreateFlags::empty();
        let set_layout = context.set_layout(none, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &shader(DOUBLE));
        let set = context.set(set_layout);
        let target = context.buffer(1);
        context.write(set, target.buffer);
        target.put(0, 5 + number);
        let run = || {
            context.run(|commands| unsafe {
                let point = vk::PipelineBindPoint::COMPUTE;
                context.device.cmd_bind_pipeline(commands, point, pipeline);
                context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                context.device.cmd_dispatch(commands, 1, 1, 1);
            });
        };
        run();
        assert_eq!(target.words(), [2 * (5 + number)]);
        target.put(0, 7 + number);
        run();
        assert_eq!(target.words(), [2 * (7 + number)]);
        (context, target)
    });
    drop(contexts);
}

/// A buffer of two words, and commands that add the second to the first, behind what `before` records.
fn sums(context: &Compute, before: impl FnOnce(vk::CommandBuffer)) -> (Buffer, vk::CommandBuffer) {
    const ADD_NEXT: &str = "
        %place = OpAccessChain %word %buffer %uint_0 %uint_0
        %next = OpAccessChain %word %buffer %uint_0 %uint_1
        %old = OpLoad %uint %place
        %more = OpLoad %uint %next
        %new = OpIAdd %uint %old %more
        OpStore %place %new";
    let none = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(none, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &shader(ADD_NEXT));
    let set = context.set(set_layout);
    let target = context.buffer(2);
    context.write(set, target.buffer);
    let device = &context.device;
    let commands = context.record(|commands| unsafe {
        before(commands);
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    (target, commands)
}

/// A submission waits for the host; before the host signals, it writes what the submission reads, and
/// between two submissions on different queues again.
#[test]
fn memory_is_written_while_a_submission_waits() {
    let mut timelines = vk::PhysicalDeviceVulkan12Features::builder().timeline_semaphore(true);
    let context = Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut timelines).cast());
    let device = &context.device;
    let (target, commands) = sums(&context, |_| {});
    unsafe {
        let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
        let timeline = device.create_semaphore(&info, None).expect("a timeline");
        for round in 0..6_u64 {
            let (waits, signals) = ([2 * round + 1], [2 * round + 2]);
            let mut values = vk::TimelineSemaphoreSubmitInfo::builder()
                .wait_semaphore_values(&waits)
                .signal_semaphore_values(&signals);
            let info = vk::SubmitInfo::builder()
                .wait_semaphores(std::slice::from_ref(&timeline))
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::COMPUTE_SHADER])
                .command_buffers(std::slice::from_ref(&commands))
                .signal_semaphores(std::slice::from_ref(&timeline))
                .push_next(&mut values);
            let queue = device.get_device_queue(0, round as u32 % 2);
            device.queue_submit(queue, std::slice::from_ref(&info), vk::Fence::null()).expect("submitted");
            target.put(1, 10 + round as u32);
            let signal = vk::SemaphoreSignalInfo::builder().semaphore(timeline).value(waits[0]);
            device.signal_semaphore(&signal).expect("signaled");
            let info =
                vk::SemaphoreWaitInfo::builder().semaphores(std::slice::from_ref(&timeline)).values(&signals);
            device.wait_semaphores(&info, u64::MAX).expect("waited");
        }
        device.device_wait_idle().expect("idle");
        device.destroy_semaphore(timeline, None);
    }
    assert_eq!(target.words()[0], 10 + 11 + 12 + 13 + 14 + 15);
}

/// The same with an event: the call that submits returns, however long a slow submission is waited for.
#[test]
fn memory_is_written_while_commands_wait_for_an_event() {
    let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let device = &context.device;
    unsafe {
        let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        let (target, commands) = sums(&context, |commands| {
            device.cmd_wait_events(
                commands,
                &[event],
                vk::PipelineStageFlags::HOST,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                &[] as &[vk::MemoryBarrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
        });
        let queue = device.get_device_queue(0, 0);
        for round in 0..3 {
            let info = vk::SubmitInfo::builder().command_buffers(std::slice::from_ref(&commands));
            let start = std::time::Instant::now();
            device.queue_submit(queue, std::slice::from_ref(&info), vk::Fence::null()).expect("submitted");
            assert!(start.elapsed().as_secs() < 20, "the call waited for what the program does later");
            target.put(1, 10 + round);
            device.set_event(event).expect("set");
            device.queue_wait_idle(queue).expect("idle");
            device.reset_event(event).expect("reset");
        }
        device.destroy_event(event, None);
        assert_eq!(target.words()[0], 10 + 11 + 12);
    }
}

replayed! {
    compute_and_queues: "queues" "buffers_for_one_submission_run_again";
    timelines: "queues" "short_batches_keep_their_place";
    memory_in_use: "captures" "memory_is_written_while_a_submission_waits";
    events: "captures" "memory_is_written_while_commands_wait_for_an_event";
    descriptors: "descriptors" "any_index_chooses_a_descriptor";
    ray_queries: "rays" "candidates_are_decided_about";
    ray_pipelines: "ray_pipelines" "all_stages_run";
    pipeline_libraries: "ray_pipelines" "libraries_are_linked";
    indirect_copies: "indirect_copies" "indirect_copy_reads_commands_at_execution";
    sparse_buffers: "sparse" "buffers_are_bound_block_by_block";
    sparse_images: "sparse" "regions_of_images_are_bound";
    sparse_samples: "sparse" "samples_tell_what_is_not_resident";
    tensors: "tensors" "shaders_read_and_write_elements";
    data_graphs: "data_graphs" "whole_graphs_give_what_their_operators_do";
    graphs: "execution_graphs" "node_payloads_reach_the_next_node";
    graphs_in_memory: "execution_graphs" "memory_says_what_to_dispatch";
}

#[test]
fn contents_of_both_instances_are_captured() {
    use pyro_capture::record::Record;
    replays_if("captures", "instances_take_turns", |capture| {
        let written = |record: Record<'_>| match record {
            Record::Write { bytes, .. } => Some(bytes[0]),
            _ => None,
        };
        let written: Vec<u8> = capture.records().filter_map(written).collect();
        // What the device wrote is among them where another thread of the test ran meanwhile.
        let mut of_program = [5, 7, 6, 8].into_iter().peekable();
        written.iter().for_each(|byte| _ = of_program.next_if_eq(byte));
        assert_eq!(of_program.next(), None, "what the program wrote, by either: {written:?}");
    });
}
