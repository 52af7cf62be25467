//! What the driver remembers of handles between calls that write descriptors is forgotten when it does not
//! hold any more.

use pyro_test_kit::compute::{Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

fn context() -> Compute {
    Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut())
}

/// How a descriptor of binding 0 is written.
#[derive(Clone, Copy, Debug)]
enum Way {
    Write,
    Template(vk::DescriptorUpdateTemplate),
}

impl Way {
    /// Both ways, to sets of this layout.
    fn all(context: &Compute, layout: vk::DescriptorSetLayout) -> [Way; 2] {
        let entry = vk::DescriptorUpdateTemplateEntry::builder()
            .descriptor_count(1)
            .descriptor_type(STORAGE)
            .offset(8);
        let info = vk::DescriptorUpdateTemplateCreateInfo::builder()
            .descriptor_update_entries(slice::from_ref(&entry))
            .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
            .descriptor_set_layout(layout);
        let template = unsafe { context.device.create_descriptor_update_template(&info, None) };
        [Way::Write, Way::Template(template.expect("a template"))]
    }

    fn put(self, context: &Compute, set: vk::DescriptorSet, buffer: vk::Buffer, range: u64) {
        let info = vk::DescriptorBufferInfo { buffer, offset: 0, range };
        match self {
            Way::Write => {
                let write = vk::WriteDescriptorSet::builder()
                    .dst_set(set)
                    .descriptor_type(STORAGE)
                    .buffer_info(slice::from_ref(&info));
                let none: &[vk::CopyDescriptorSet] = &[];
                unsafe { context.device.update_descriptor_sets(&[write], none) };
            }
            Way::Template(template) => {
                // The structure is behind the first word.
                let data = [0xdead, buffer.as_raw(), 0, range];
                unsafe {
                    context.device.update_descriptor_set_with_template(set, template, data.as_ptr().cast());
                }
            }
        }
    }

    fn destroy(self, context: &Compute) {
        if let Way::Template(template) = self {
            unsafe { context.device.destroy_descriptor_update_template(template, None) };
        }
    }
}

/// Adds one to two words of the buffer that a set has.
fn add(context: &Compute, layout: vk::PipelineLayout, pipeline: vk::Pipeline, set: vk::DescriptorSet) {
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, 2, 1, 1);
    });
}

fn adding() -> String {
    shader(
        "%at = OpAccessChain %word %buffer %uint_0 %gid
         %old = OpLoad %uint %at
         %new = OpIAdd %uint %old %uint_1
         OpStore %at %new",
    )
}

#[test]
fn destroyed_buffers_are_null() {
    let context = context();
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &adding());
    for way in Way::all(&context, set_layout) {
        let kept = context.buffer(2);
        let info = vk::BufferCreateInfo::builder().size(8).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let gone = unsafe { context.device.create_buffer(&info, None) }.expect("a buffer");
        unsafe { context.device.bind_buffer_memory(gone, kept.memory, 0) }.expect("bound");
        let set = context.set(set_layout);
        let try_with = |buffer, range| {
            way.put(&context, set, buffer, range);
            add(&context, layout, pipeline, set);
            kept.words()
        };
        assert_eq!(try_with(gone, vk::WHOLE_SIZE), [1, 1], "{way:?}");
        assert_eq!(try_with(gone, 4), [2, 1], "{way:?}");
        // As many as are remembered, wherever that is.
        let others: Vec<_> = (0..64).map(|_| context.buffer(2)).collect();
        others.iter().for_each(|other| way.put(&context, set, other.buffer, vk::WHOLE_SIZE));
        assert_eq!(try_with(gone, 4), [3, 1], "{way:?}");
        unsafe { context.device.destroy_buffer(gone, None) };
        assert_eq!(try_with(vk::Buffer::null(), vk::WHOLE_SIZE), [3, 1], "{way:?}");
        assert!(others.iter().all(|other| other.words() == [0, 0]), "{way:?}");
        assert_eq!(try_with(gone, vk::WHOLE_SIZE), [3, 1], "{way:?}");
        assert_eq!(try_with(kept.buffer, vk::WHOLE_SIZE), [4, 2], "{way:?}");
        assert_eq!(try_with(vk::Buffer::null(), vk::WHOLE_SIZE), [4, 2], "{way:?}");
        way.destroy(&context);
    }
}

/// A buffer is known on the device that it is of, and null elsewhere.
#[test]
fn other_devices_buffers_are_null() {
    let contexts = [context(), context()];
    let made = contexts.each_ref().map(|context| {
        let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &adding());
        (layout, pipeline, context.set(set_layout), context.buffer(2), Way::all(context, set_layout))
    });
    for round in 0..2 {
        for (context, &(layout, pipeline, set, ..)) in contexts.iter().zip(&made) {
            for way in 0..2 {
                for &(.., buffer, _) in &made {
                    let ways = &made[usize::from(!std::ptr::eq(context, &contexts[0]))].4;
                    ways[way].put(context, set, buffer.buffer, vk::WHOLE_SIZE);
                    add(context, layout, pipeline, set);
                }
            }
        }
        for (.., buffer, _) in &made {
            assert_eq!(buffer.words(), [2 * (round + 1); 2]);
        }
    }
    for (context, (.., ways)) in contexts.iter().zip(&made) {
        ways.iter().for_each(|way| way.destroy(context));
    }
}

/// Many buffers, sets and arrays of descriptors, in one call.
#[test]
fn many_writes_in_one_call() {
    const COUNT: usize = 20;
    let context = context();
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1), (STORAGE, 3)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &adding());
    let buffers: Vec<_> = (0..COUNT).map(|_| context.buffer(2)).collect();
    let sets: Vec<_> = (0..COUNT).map(|_| context.set(set_layout)).collect();
    let info = |buffer: &pyro_test_kit::compute::Buffer| vk::DescriptorBufferInfo {
        buffer: buffer.buffer,
        offset: 0,
        range: vk::WHOLE_SIZE,
    };
    let infos: Vec<_> = buffers.iter().map(info).collect();
    let write = |index: usize, binding, first, infos| {
        vk::WriteDescriptorSet::builder()
            .dst_set(sets[index])
            .dst_binding(binding)
            .dst_array_element(first)
            .descriptor_type(STORAGE)
            .buffer_info(infos)
    };
    let mut writes = Vec::new();
    for index in 0..COUNT {
        let last = infos.len() - 1 - index;
        // The first is overwritten; the second is of two, which a simple write is not.
        writes.push(write(index, 0, 0, &infos[last..last + 1]));
        writes.push(write(index, 1, 1, &infos[index.min(COUNT - 2)..][..2]));
        writes.push(write(index, 1, 0, &infos[last..last + 1]));
        writes.push(write(index, 0, 0, &infos[index..index + 1]));
    }
    let none: &[vk::CopyDescriptorSet] = &[];
    unsafe { context.device.update_descriptor_sets(&writes, none) };
    sets.iter().for_each(|&set| add(&context, layout, pipeline, set));
    assert!(buffers.iter().all(|buffer| buffer.words() == [1, 1]));
}

/// A write of what a set does not have, or of what is not in a buffer, changes nothing beside it.
#[test]
fn what_is_not_there_is_not_written() {
    let context = context();
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1), (STORAGE, 3)]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &adding());
    let (kept, other, set) = (context.buffer(2), context.buffer(2), context.set(set_layout));
    let put = |(binding, element, ty), buffer, offset, range| {
        let info = vk::DescriptorBufferInfo { buffer, offset, range };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .dst_array_element(element)
            .descriptor_type(ty)
            .buffer_info(slice::from_ref(&info));
        let none: &[vk::CopyDescriptorSet] = &[];
        unsafe { context.device.update_descriptor_sets(&[write], none) };
        add(&context, layout, pipeline, set);
    };
    let right = (0, 0, STORAGE);
    // Both buffers are known from here on.
    put(right, other.buffer, 0, vk::WHOLE_SIZE);
    put(right, kept.buffer, 0, vk::WHOLE_SIZE);
    let mut count = 1;
    let elsewhere = [
        (1, 2, STORAGE),
        (1, 3, STORAGE),
        (2, 0, STORAGE),
        (64, 0, STORAGE),
        (u32::MAX, 0, STORAGE),
        (0, 4, STORAGE),
        (0, u32::MAX, STORAGE),
        (0, 0, vk::DescriptorType::UNIFORM_BUFFER),
    ];
    for place in elsewhere {
        put(place, other.buffer, 0, vk::WHOLE_SIZE);
        count += 1;
        assert_eq!((kept.words(), other.words()), (vec![count; 2], vec![1; 2]), "{place:?}");
    }
    for offset in [8, 12, 1 << 32, 1 << 63, u64::MAX - 3, u64::MAX] {
        for range in [4, vk::WHOLE_SIZE] {
            put(right, other.buffer, offset, range);
            assert_eq!(other.words(), [1; 2], "{offset:#x}");
        }
    }
    put(right, other.buffer, 4, vk::WHOLE_SIZE);
    assert_eq!(other.words(), [1, 2]);
    // The last element of the set's last binding is there.
    put((1, 2, STORAGE), kept.buffer, 0, 4);
    assert_eq!(other.words(), [1, 3]);
}

/// Command buffers are recorded into in turns, and not any more when they are freed.
#[test]
fn command_buffers_are_remembered_while_they_are_there() {
    let context = context();
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let layout = context.layout(&[set_layout]);
    let pipelines = [(); 2].map(|()| context.pipeline(layout, &adding()));
    let (buffers, sets) = ([(); 2].map(|()| context.buffer(2)), [(); 2].map(|()| context.set(set_layout)));
    buffers.iter().zip(sets).for_each(|(buffer, set)| context.write(set, buffer.buffer));
    let device = &context.device;
    let info = vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(2);
    let record = |commands, which: usize| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipelines[which]);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[sets[which]], &[]);
        device.cmd_dispatch(commands, 2, 1, 1);
    };
    let begin = vk::CommandBufferBeginInfo::default();
    for round in 1..=3 {
        let lists = unsafe { device.allocate_command_buffers(&info) }.expect("command buffers");
        lists.iter().for_each(|&list| unsafe { device.begin_command_buffer(list, &begin) }.expect("begun"));
        for turn in 0..8 {
            record(lists[turn % 2], turn / 2 % 2);
        }
        lists.iter().for_each(|&list| unsafe { device.end_command_buffer(list) }.expect("ended"));
        // It does not record any more.
        record(lists[1], 0);
        let submit = vk::SubmitInfo::builder().command_buffers(&lists);
        unsafe {
            device.queue_submit(context.queue, &[submit], vk::Fence::null()).expect("submitted");
            device.queue_wait_idle(context.queue).expect("idle");
        }
        for buffer in &buffers {
            assert_eq!(buffer.words(), [4 * round; 2]);
        }
        unsafe { device.free_command_buffers(context.pool, &lists) };
        lists.iter().for_each(|&list| record(list, 0));
    }
    // What the command buffer uses already is not found by a handle that is destroyed, nor another device's
    // objects.
    let list = unsafe { device.allocate_command_buffers(&info) }.expect("command buffers")[0];
    unsafe { device.begin_command_buffer(list, &begin) }.expect("begun");
    (0..2).for_each(|_| record(list, 0));
    let gone = context.pipeline(layout, &adding());
    unsafe {
        (0..2).for_each(|_| device.cmd_bind_pipeline(list, POINT, gone));
        device.destroy_pipeline(gone, None);
        device.cmd_bind_pipeline(list, POINT, gone);
        device.end_command_buffer(list).expect_err("the pipeline is destroyed");
    }
    let stranger = self::context();
    let strange_layout = stranger.set_layout(Default::default(), &[(STORAGE, 1)]);
    let strange = stranger.pipeline(stranger.layout(&[strange_layout]), &adding());
    let list = unsafe { device.allocate_command_buffers(&info) }.expect("command buffers")[0];
    unsafe { device.begin_command_buffer(list, &begin) }.expect("begun");
    (0..2).for_each(|_| record(list, 0));
    unsafe {
        device.cmd_bind_pipeline(list, POINT, strange);
        device.end_command_buffer(list).expect_err("the pipeline is another device's");
    }
}
