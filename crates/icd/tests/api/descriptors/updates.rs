//! Descriptors that are written while command buffers with their set are recorded or pending.

use super::*;

type Flags = vk::DescriptorBindingFlags;

/// A device with all features of updates, and of the arrays of [`KINDS`].
fn context() -> Compute {
    let mut all = vk::PhysicalDeviceVulkan12Features::builder()
        .descriptor_indexing(true)
        .runtime_descriptor_array(true)
        .timeline_semaphore(true)
        .shader_uniform_texel_buffer_array_dynamic_indexing(true)
        .shader_storage_texel_buffer_array_dynamic_indexing(true)
        .shader_uniform_buffer_array_non_uniform_indexing(true)
        .shader_sampled_image_array_non_uniform_indexing(true)
        .shader_storage_buffer_array_non_uniform_indexing(true)
        .shader_storage_image_array_non_uniform_indexing(true)
        .shader_uniform_texel_buffer_array_non_uniform_indexing(true)
        .shader_storage_texel_buffer_array_non_uniform_indexing(true)
        .descriptor_binding_uniform_buffer_update_after_bind(true)
        .descriptor_binding_sampled_image_update_after_bind(true)
        .descriptor_binding_storage_image_update_after_bind(true)
        .descriptor_binding_storage_buffer_update_after_bind(true)
        .descriptor_binding_uniform_texel_buffer_update_after_bind(true)
        .descriptor_binding_storage_texel_buffer_update_after_bind(true)
        .descriptor_binding_update_unused_while_pending(true)
        .descriptor_binding_partially_bound(true)
        .descriptor_binding_variable_descriptor_count(true)
        .build();
    let mut inline = vk::PhysicalDeviceInlineUniformBlockFeatures::builder()
        .inline_uniform_block(true)
        .descriptor_binding_inline_uniform_block_update_after_bind(true)
        .build();
    all.next = (&raw mut inline).cast();
    Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut all).cast())
}

/// A set layout of these bindings whose sets may be updated after they were bound.
pub(crate) fn updatable(
    context: &Compute,
    bindings: &[(vk::DescriptorType, u32)],
    flags: &[Flags],
) -> vk::DescriptorSetLayout {
    let bindings: Vec<_> = (0..)
        .zip(bindings)
        .map(|(binding, &(descriptor_type, descriptor_count))| vk::DescriptorSetLayoutBinding {
            binding,
            descriptor_type,
            descriptor_count,
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            ..Default::default()
        })
        .collect();
    let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::builder().binding_flags(flags);
    let info = vk::DescriptorSetLayoutCreateInfo::builder()
        .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
        .bindings(&bindings)
        .push_next(&mut flags);
    unsafe { context.device.create_descriptor_set_layout(&info, None) }.expect("a set layout")
}

/// A pool of sets that may be updated, and a set of it; the last binding has so many descriptors, if it says.
pub(crate) fn updatable_set(
    context: &Compute,
    layout: vk::DescriptorSetLayout,
    sizes: &[(vk::DescriptorType, u32)],
    count: Option<u32>,
) -> (vk::DescriptorPool, vk::DescriptorSet) {
    let sizes: Vec<_> = sizes
        .iter()
        .map(|&(type_, descriptor_count)| vk::DescriptorPoolSize { type_, descriptor_count })
        .collect();
    let mut inline =
        vk::DescriptorPoolInlineUniformBlockCreateInfo::builder().max_inline_uniform_block_bindings(1);
    let info = vk::DescriptorPoolCreateInfo::builder()
        .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
        .max_sets(1)
        .pool_sizes(&sizes)
        .push_next(&mut inline);
    let counts = count.map_or(Vec::new(), |count| vec![count]);
    let mut counts =
        vk::DescriptorSetVariableDescriptorCountAllocateInfo::builder().descriptor_counts(&counts);
    unsafe {
        let pool = context.device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&layout))
            .push_next(&mut counts);
        (pool, context.device.allocate_descriptor_sets(&info).expect("a set")[0])
    }
}

/// Copies descriptors of binding 1 of a set: from, to.
fn copy(context: &Compute, set: vk::DescriptorSet, from: u32, to: u32) {
    let copy = vk::CopyDescriptorSet::builder()
        .src_set(set)
        .src_binding(1)
        .src_array_element(from)
        .dst_set(set)
        .dst_binding(1)
        .dst_array_element(to)
        .descriptor_count(1);
    unsafe { context.device.update_descriptor_sets(&[] as &[vk::WriteDescriptorSet], &[copy]) };
}

/// Submits commands that wait for a semaphore until `meanwhile` has run.
fn submit_while(context: &Compute, commands: vk::CommandBuffer, meanwhile: impl FnOnce()) {
    let device = &context.device;
    let mut timeline =
        vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(0);
    let info = vk::SemaphoreCreateInfo::builder().push_next(&mut timeline);
    unsafe {
        let semaphore = device.create_semaphore(&info, None).expect("a semaphore");
        let mut values = vk::TimelineSemaphoreSubmitInfo::builder().wait_semaphore_values(&[1]);
        let submit = vk::SubmitInfo::builder()
            .wait_semaphores(slice::from_ref(&semaphore))
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
            .command_buffers(slice::from_ref(&commands))
            .push_next(&mut values);
        device.queue_submit(context.queue, &[submit], vk::Fence::null()).expect("submitted");
        meanwhile();
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(semaphore).value(1);
        device.signal_semaphore(&signal).expect("signalled");
        device.queue_wait_idle(context.queue).expect("idle");
        device.destroy_semaphore(semaphore, None);
    }
}

/// Of each kind, descriptors are written after their set was bound, replaced between submissions of what was
/// recorded once, and written while commands are pending that do not use them. An array has fewer descriptors
/// than its layout says.
#[test]
fn descriptors_are_written_after_they_were_bound() {
    let context = context();
    let device = &context.device;
    let target = context.buffer(INVOCATIONS);
    let mut made = Made::default();
    for kind in &KINDS {
        let late = Flags::UPDATE_AFTER_BIND | Flags::PARTIALLY_BOUND | Flags::UPDATE_UNUSED_WHILE_PENDING;
        // Samplers need a picture behind the array, so that its count is not variable.
        let is_variable = kind.ty != vk::DescriptorType::SAMPLER;
        let count = if is_variable { 64 } else { COUNT as u32 };
        let mut bindings = vec![(vk::DescriptorType::STORAGE_BUFFER, 1), (kind.ty, count)];
        let mut flags = vec![Flags::empty(), late];
        let mut sizes = vec![(vk::DescriptorType::STORAGE_BUFFER, 1), (kind.ty, COUNT as u32)];
        if is_variable {
            flags[1] |= Flags::VARIABLE_DESCRIPTOR_COUNT;
        } else {
            bindings.push((vk::DescriptorType::SAMPLED_IMAGE, 1));
            flags.push(Flags::UPDATE_AFTER_BIND);
            sizes.push(bindings[2]);
        }
        let set_layout = updatable(&context, &bindings, &flags);
        let layout = context.layout(&[set_layout]);
        let (pool, set) = updatable_set(&context, set_layout, &sizes, is_variable.then_some(COUNT as u32));
        context.write(set, target.buffer);
        let record = |pipeline, push: u32| {
            context.record(|commands| unsafe {
                device.cmd_bind_pipeline(commands, POINT, pipeline);
                device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(commands, layout, stages, 0, &push.to_ne_bytes());
                device.cmd_dispatch(commands, 1, 1, 1);
            })
        };
        let text = text(kind, false);
        let commands = record(context.pipeline(layout, &text), 0);
        kind.write_all(&context, &mut made, set, is_variable);
        let mut numbers = expected(kind);
        let by_lane = |numbers: [u32; COUNT]| numbers.repeat(INVOCATIONS / COUNT);
        context.submit_and_wait(commands);
        assert_eq!(target.words(), by_lane(numbers), "{:?}", kind.ty);
        let written = if kind.write.is_empty() { 0 } else { 1000 };
        numbers.iter_mut().for_each(|number| *number += written);

        copy(&context, set, 2, 0);
        numbers[0] = numbers[2];
        context.submit_and_wait(commands);
        assert_eq!(target.words(), by_lane(numbers), "{:?}, replaced", kind.ty);
        numbers.iter_mut().for_each(|number| *number += written);

        // Every invocation takes the last one.
        let last = text.replace("OpBitwiseAnd %uint %gid %uint_3", "OpBitwiseOr %uint %gid %uint_3");
        let last =
            last.replace("%gid = OpCompositeExtract %uint %ids 0", "%gid = OpCompositeExtract %uint %ids 1");
        let commands = record(context.pipeline(layout, &last), 0);
        submit_while(&context, commands, || copy(&context, set, 3, 1));
        assert_eq!(target.words()[0], numbers[3], "{:?}, pending", kind.ty);
        unsafe {
            device.destroy_descriptor_pool(pool, None);
            device.destroy_descriptor_set_layout(set_layout, None);
        }
    }
    made.destroy(&context);
}

/// Bytes of a block in a set, of which there are as many as it was allocated with.
#[test]
fn blocks_in_sets_are_written_after_they_were_bound() {
    let context = context();
    let device = &context.device;
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::INLINE_UNIFORM_BLOCK, 256)];
    let late = Flags::UPDATE_AFTER_BIND | Flags::VARIABLE_DESCRIPTOR_COUNT;
    let set_layout = updatable(&context, &bindings, &[Flags::empty(), late]);
    let layout = context.layout(&[set_layout]);
    let sizes = [bindings[0], (bindings[1].0, 64)];
    let (pool, set) = updatable_set(&context, set_layout, &sizes, Some(64));
    let target = context.buffer(3);
    context.write(set, target.buffer);
    let put = |words: &[u32]| {
        let mut data = vk::WriteDescriptorSetInlineUniformBlock {
            data_size: 4 * words.len() as u32,
            data: words.as_ptr().cast(),
            ..Default::default()
        };
        let write = vk::WriteDescriptorSet {
            dst_set: set,
            dst_binding: 1,
            descriptor_count: 4 * words.len() as u32,
            descriptor_type: vk::DescriptorType::INLINE_UNIFORM_BLOCK,
            next: (&raw mut data).cast(),
            ..Default::default()
        };
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    };
    let pipeline = context.pipeline(layout, &overlapping());
    let commands = context.record(|commands| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, layout, stages, 0, &2u32.to_ne_bytes());
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    for factor in [100, 1000] {
        put(&(0..16).map(|index| factor * index).collect::<Vec<u32>>());
        target.put(0, 7);
        context.submit_and_wait(commands);
        assert_eq!(target.words()[2], 7 + 12 * factor);
    }
    unsafe {
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}
