//! Limits hold at their extremes.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

fn limits(context: &Compute) -> vk::PhysicalDeviceLimits {
    unsafe { context.instance.get_physical_device_properties(context.physical_device) }.limits
}

fn context() -> Compute {
    let mut inline =
        vk::PhysicalDeviceInlineUniformBlockFeatures::builder().inline_uniform_block(true).build();
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().timeline_semaphore(true);
    features.next = (&raw mut inline).cast();
    Compute::new(V1_3, &[], (&raw mut features).cast())
}

/// The last word of the largest block of push constants arrives.
#[test]
fn push_constants_reach_their_end() {
    let context = context();
    let size = limits(&context).max_push_constants_size;
    let words = size / 4;
    let text = shader(
        "%at = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %at %push",
    )
    .replace(
        "%constants = OpTypeStruct %uint",
        "%count = OpConstant %uint COUNT
        %all_words = OpTypeArray %uint %count
        %last = OpConstant %uint LAST
        %constants = OpTypeStruct %all_words",
    )
    .replace(
        "OpMemberDecorate %constants",
        "OpDecorate %all_words ArrayStride 4\nOpMemberDecorate %constants",
    )
    .replace("%pushed %uint_0", "%pushed %uint_0 %last")
    .replace("COUNT", &words.to_string())
    .replace("LAST", &(words - 1).to_string());
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size };
    let info = vk::PipelineLayoutCreateInfo::builder()
        .set_layouts(slice::from_ref(&set_layout))
        .push_constant_ranges(slice::from_ref(&range));
    let layout = unsafe { context.device.create_pipeline_layout(&info, None) }.expect("a layout");
    let (set, buffer) = (context.set(set_layout), context.buffer(1));
    context.write(set, buffer.buffer);
    let pipeline = context.pipeline(layout, &text);
    let bytes: Vec<u8> = (0..words).flat_map(u32::to_ne_bytes).collect();
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &bytes);
        context.device.cmd_dispatch(commands, 1, 1, 1);
    });
    assert_eq!(buffer.words(), [words - 1]);
    unsafe { context.device.destroy_pipeline_layout(layout, None) };
}

/// The shader finds its buffer in the last of as many sets as there may be.
#[test]
fn as_many_sets_are_bound_as_there_may_be() {
    let context = context();
    let count = limits(&context).max_bound_descriptor_sets;
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let layout = context.layout(&vec![set_layout; count as usize]);
    let (set, buffer) = (context.set(set_layout), context.buffer(4));
    let (nothing, other) = (context.set(set_layout), context.buffer(4));
    context.write(set, buffer.buffer);
    context.write(nothing, other.buffer);
    let text =
        pyro_test_kit::compute::adding().replace("DescriptorSet 0", &format!("DescriptorSet {}", count - 1));
    let pipeline = context.pipeline(layout, &text);
    let mut sets = vec![nothing; count as usize];
    sets[count as usize - 1] = set;
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &sets, &[]);
        let push = 5u32.to_ne_bytes();
        context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        context.device.cmd_dispatch(commands, 4, 1, 1);
    });
    assert_eq!((buffer.words(), other.words()), (vec![5; 4], vec![0; 4]));
}

/// All dynamic buffers that a set may have lie at offsets of their own.
#[test]
fn as_many_buffers_have_offsets_as_there_may_be() {
    let context = context();
    let limits = limits(&context);
    let ty = vk::DescriptorType::STORAGE_BUFFER_DYNAMIC;
    let count = limits.max_descriptor_set_storage_buffers_dynamic;
    let step = limits.min_storage_buffer_offset_alignment as u32;
    let bindings = [(ty, count)];
    let set_layout = context.set_layout(Default::default(), &bindings);
    let (layout, set) = (context.layout(&[set_layout]), context.set_of(set_layout, &bindings));
    let buffer = context.buffer((step / 4 * count) as usize);
    let info = vk::DescriptorBufferInfo { buffer: buffer.buffer, offset: 0, range: 4 };
    let infos = vec![info; count as usize];
    let write = vk::WriteDescriptorSet::builder().dst_set(set).descriptor_type(ty).buffer_info(&infos);
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let text = shader(
        "%at = OpAccessChain %word %buffer %gid %uint_0 %uint_0
         %new = OpIAdd %uint %gid %push
         OpStore %at %new",
    )
    .replace(
        "%blocks = OpTypePointer Uniform %block",
        &format!(
            "%count = OpConstant %uint {count}
            %all_blocks = OpTypeArray %block %count
            %blocks = OpTypePointer Uniform %all_blocks"
        ),
    );
    let text = text.replace(
        "OpCapability Shader",
        "OpCapability Shader\nOpCapability StorageBufferArrayDynamicIndexing",
    );
    let pipeline = context.pipeline(layout, &text);
    let offsets: Vec<u32> = (0..count).rev().map(|at| at * step).collect();
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &offsets);
        let push = 100u32.to_ne_bytes();
        context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        context.device.cmd_dispatch(commands, count, 1, 1);
    });
    let words = buffer.words();
    for at in 0..count {
        assert_eq!(words[(at * step / 4) as usize], 100 + count - 1 - at);
    }
}

/// The last word of the largest range of a uniform buffer, and of the largest block in a set.
#[test]
fn uniform_blocks_reach_their_end() {
    let context = context();
    let mut inline = vk::PhysicalDeviceInlineUniformBlockProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut inline);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    let largest = [
        (vk::DescriptorType::UNIFORM_BUFFER, all.properties.limits.max_uniform_buffer_range),
        (vk::DescriptorType::INLINE_UNIFORM_BLOCK, inline.max_inline_uniform_block_size),
    ];
    for (ty, bytes) in largest {
        let is_inline = ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
        let bindings = [(STORAGE, 1), (ty, if is_inline { bytes } else { 1 })];
        let set_layout = context.set_layout(Default::default(), &bindings);
        let (layout, set) = (context.layout(&[set_layout]), context.set_of(set_layout, &bindings));
        let target = context.buffer(1);
        context.write(set, target.buffer);
        let words: Vec<u32> = (0..bytes / 4).collect();
        let uniform = context.buffer(words.len());
        uniform.put(words.len() - 1, bytes / 4 - 1);
        let mut data = vk::WriteDescriptorSetInlineUniformBlock {
            data_size: bytes,
            data: words.as_ptr().cast(),
            ..Default::default()
        };
        let info = vk::DescriptorBufferInfo { buffer: uniform.buffer, offset: 0, range: bytes.into() };
        let mut write = vk::WriteDescriptorSet {
            dst_set: set,
            dst_binding: 1,
            descriptor_count: bindings[1].1,
            descriptor_type: ty,
            buffer_info: &info,
            ..Default::default()
        };
        if is_inline {
            write.next = (&raw mut data).cast();
        }
        unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        let text = shader(
            "%from = OpAccessChain %word %of_uniforms %uint_0 %push %uint_3
            %value = OpLoad %uint %from
            %to = OpAccessChain %word %buffer %uint_0 %uint_0
            OpStore %to %value",
        )
        .replace(
            "%main = OpFunction",
            &format!(
                "%uint4 = OpTypeVector %uint 4
                %rows = OpConstant %uint {}
                %vectors = OpTypeArray %uint4 %rows
                %uniforms = OpTypeStruct %vectors
                %uniforms_pointer = OpTypePointer Uniform %uniforms
                %of_uniforms = OpVariable %uniforms_pointer Uniform
                %main = OpFunction",
                bytes / 16
            ),
        )
        .replace(
            "OpMemberDecorate %constants",
            "OpDecorate %vectors ArrayStride 16
            OpDecorate %uniforms Block
            OpMemberDecorate %uniforms 0 Offset 0
            OpDecorate %of_uniforms DescriptorSet 0
            OpDecorate %of_uniforms Binding 1
            OpMemberDecorate %constants",
        );
        let pipeline = context.pipeline(layout, &text);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            let push = (bytes / 16 - 1).to_ne_bytes();
            context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
            context.device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(target.words(), [bytes / 4 - 1], "{ty:?}");
    }
}

/// The largest workgroups in each direction use all of their memory, and wait for each other.
#[test]
fn workgroups_are_as_large_as_they_may_be() {
    let context = context();
    let limits = limits(&context);
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let layout = context.layout(&[set_layout]);
    let (set, buffer) = (context.set(set_layout), context.buffer(2));
    context.write(set, buffer.buffer);
    let words = limits.max_compute_shared_memory_size / 4;
    for direction in 0..3 {
        let size = limits.max_compute_work_group_size[direction];
        let invocations = size
            * (limits.max_compute_work_group_invocations / size)
                .min(limits.max_compute_work_group_size[(direction + 1) % 3]);
        let mut sizes = [1; 3];
        sizes[direction] = size;
        sizes[(direction + 1) % 3] = invocations / size;
        // Each adds one to the last word; the first sees the sum behind the barrier.
        let text = shader(
            "%index = OpLoad %uint %local_index
            %at = OpAccessChain %shared_word %shared %last
            %is_first = OpIEqual %bool %index %uint_0
            OpSelectionMerge %merge None
            OpBranchConditional %is_first %first %merge
            %first = OpLabel
            OpStore %at %uint_0
            OpBranch %merge
            %merge = OpLabel
            OpControlBarrier %uint_2 %uint_2 %semantics
            %old = OpAtomicIAdd %uint %at %uint_2 %uint_0 %uint_1
            OpControlBarrier %uint_2 %uint_2 %semantics
            %sum = OpLoad %uint %at
            %to = OpAccessChain %word %buffer %uint_0 %uint_0
            OpStore %to %sum",
        )
        .replace("LocalSize 1 1 1", &format!("LocalSize {} {} {}", sizes[0], sizes[1], sizes[2]))
        .replace("\"main\" %id", "\"main\" %id %local_index")
        .replace("OpDecorate %id", "OpDecorate %local_index BuiltIn LocalInvocationIndex\nOpDecorate %id")
        .replace(
            "%main = OpFunction",
            &format!(
                "%semantics = OpConstant %uint 264
                %words = OpConstant %uint {words}
                %last = OpConstant %uint {}
                %in_uint = OpTypePointer Input %uint
                %local_index = OpVariable %in_uint Input
                %all_words = OpTypeArray %uint %words
                %shared_words = OpTypePointer Workgroup %all_words
                %shared_word = OpTypePointer Workgroup %uint
                %shared = OpVariable %shared_words Workgroup
                %main = OpFunction",
                words - 1
            ),
        );
        let pipeline = context.pipeline(layout, &text);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            context.device.cmd_dispatch(commands, 2, 1, 1);
        });
        assert_eq!(buffer.words()[0], invocations, "{sizes:?}");
    }
}

/// As many workgroups run in each direction as there may be.
#[test]
fn as_many_workgroups_run_as_there_may_be() {
    let context = context();
    let counts = limits(&context).max_compute_work_group_count;
    let set_layout = context.set_layout(Default::default(), &[(STORAGE, 1)]);
    let layout = context.layout(&[set_layout]);
    let (set, buffer) = (context.set(set_layout), context.buffer(3));
    context.write(set, buffer.buffer);
    let text = shader(
        "%at = OpAccessChain %word %buffer %uint_0 %push
         %y = OpCompositeExtract %uint %ids 1
         %z = OpCompositeExtract %uint %ids 2
         %both = OpBitwiseOr %uint %y %z
         %all = OpBitwiseOr %uint %both %gid
         %next = OpIAdd %uint %all %uint_1
         %old = OpAtomicUMax %uint %at %uint_1 %uint_0 %next",
    );
    let pipeline = context.pipeline(layout, &text);
    for (direction, count) in counts.into_iter().enumerate() {
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            let push = (direction as u32).to_ne_bytes();
            context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
            let mut sizes = [1; 3];
            sizes[direction] = count;
            context.device.cmd_dispatch(commands, sizes[0], sizes[1], sizes[2]);
        });
    }
    assert_eq!(buffer.words(), counts);
}

/// The last texel of the largest images of each kind is written and read.
#[test]
fn images_are_as_large_as_they_may_be() {
    let context = context();
    let limits = limits(&context);
    let device = &context.device;
    let cube = vk::ImageCreateFlags::CUBE_COMPATIBLE;
    let none = vk::ImageCreateFlags::empty();
    let (one, two, three) = (vk::ImageType::_1D, vk::ImageType::_2D, vk::ImageType::_3D);
    for (image_type, flags, [width, height, depth], array_layers) in [
        (one, none, [limits.max_image_dimension_1d, 1, 1], 1),
        (one, none, [1, 1, 1], limits.max_image_array_layers),
        (two, none, [limits.max_image_dimension_2d, 1, 1], 1),
        (two, none, [1, limits.max_image_dimension_2d, 1], 1),
        (two, none, [1, 1, 1], limits.max_image_array_layers),
        (
            two,
            cube,
            [limits.max_image_dimension_cube.min(256), limits.max_image_dimension_cube.min(256), 1],
            6,
        ),
        (three, none, [limits.max_image_dimension_3d, 1, 1], 1),
        (three, none, [1, limits.max_image_dimension_3d, 1], 1),
        (three, none, [1, 1, limits.max_image_dimension_3d], 1),
    ] {
        let info = vk::ImageCreateInfo {
            image_type,
            flags,
            format: vk::Format::R32_UINT,
            extent: vk::Extent3D { width, height, depth },
            mip_levels: 1,
            array_layers,
            samples: vk::SampleCountFlags::_1,
            usage: vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
            ..Default::default()
        };
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: array_layers,
            ..Default::default()
        };
        let target = context.buffer(1);
        let region = vk::BufferImageCopy::builder()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: array_layers - 1,
                layer_count: 1,
            })
            .image_offset(vk::Offset3D { x: width as i32 - 1, y: height as i32 - 1, z: depth as i32 - 1 })
            .image_extent(vk::Extent3D { width: 1, height: 1, depth: 1 });
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let (memory, _) = context.mapped_memory(device.get_image_memory_requirements(image));
            device.bind_image_memory(image, memory, 0).expect("bound");
            context.run(|commands| {
                let general = vk::ImageLayout::GENERAL;
                let color = vk::ClearColorValue { uint32: [77; 4] };
                device.cmd_clear_color_image(commands, image, general, &color, &[range]);
                device.cmd_copy_image_to_buffer(commands, image, general, target.buffer, &[region]);
            });
            assert_eq!(target.words(), [77], "{info:?}");
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
    }
}

/// A timeline goes as far at once as it may.
#[test]
fn timelines_go_as_far_as_they_may() {
    let context = context();
    let device = &context.device;
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut timeline);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    let far = timeline.max_timeline_semaphore_value_difference;
    let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
    unsafe {
        let semaphore = device.create_semaphore(&info, None).expect("a semaphore");
        let wait = |value: u64, timeout: u64| {
            let values = [value];
            let info = vk::SemaphoreWaitInfo::builder()
                .semaphores(slice::from_ref(&semaphore))
                .values(&values)
                .build();
            device.wait_semaphores(&info, timeout).expect("no error")
        };
        assert_eq!(wait(far, 0), vk::SuccessCode::TIMEOUT);
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(semaphore).value(far);
        device.signal_semaphore(&signal).expect("signalled");
        assert_eq!(wait(far, u64::MAX), vk::SuccessCode::SUCCESS);
        let far = far.saturating_mul(2).min(u64::MAX - 1);
        let signal = vk::SemaphoreSignalInfo::builder().semaphore(semaphore).value(far);
        device.signal_semaphore(&signal).expect("signalled");
        assert_eq!(device.get_semaphore_counter_value(semaphore).expect("a value"), far);
        device.destroy_semaphore(semaphore, None);
    }
}

/// Secondary command buffers execute each other as deep as they may.
#[test]
fn command_buffers_nest_as_deep_as_they_may() {
    let mut features =
        vk::PhysicalDeviceNestedCommandBufferFeaturesEXT::builder().nested_command_buffer(true);
    let gpu =
        Client::new(V1_3, &[]).device(&[c"VK_EXT_nested_command_buffer"], None, (&raw mut features).cast());
    let mut nested = vk::PhysicalDeviceNestedCommandBufferPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut nested);
    unsafe { gpu.instance.get_physical_device_properties2(gpu.physical_device, &mut all) };
    let levels = nested.max_command_buffer_nesting_level;
    let (buffer, memory, words) = gpu.mapped_buffer(64, vk::BufferUsageFlags::TRANSFER_DST);
    let info = vk::CommandBufferAllocateInfo::builder()
        .command_pool(gpu.pool)
        .level(vk::CommandBufferLevel::SECONDARY)
        .command_buffer_count(levels);
    unsafe {
        let device = &gpu.device;
        let all = device.allocate_command_buffers(&info).expect("command buffers");
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::builder().inheritance_info(&inheritance);
        for (at, &commands) in all.iter().enumerate() {
            device.begin_command_buffer(commands, &begin).expect("begins");
            match at.checked_sub(1) {
                Some(before) => device.cmd_execute_commands(commands, &all[before..at]),
                None => device.cmd_fill_buffer(commands, buffer, 0, 64, 9),
            }
            device.end_command_buffer(commands).expect("ends");
        }
        gpu.run(|commands| device.cmd_execute_commands(commands, &all[levels as usize - 1..]));
        assert_eq!(words.cast::<u32>().add(15).read_volatile(), 9);
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
    }
}
