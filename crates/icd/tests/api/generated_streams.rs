//! Dispatches that memory says in streams (`VK_NV_device_generated_commands`,
//! `VK_NV_device_generated_commands_compute`), through the entry points.

use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvDeviceGeneratedCommandsComputeExtensionDeviceCommands as _;
use vulkanalia::vk::NvDeviceGeneratedCommandsExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
type Token = vk::IndirectCommandsTokenTypeNV;

fn context() -> Compute {
    let mut compute = vk::PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV {
        device_generated_compute: vk::TRUE,
        device_generated_compute_pipelines: vk::TRUE,
        ..Default::default()
    };
    let mut commands = vk::PhysicalDeviceDeviceGeneratedCommandsFeaturesNV {
        device_generated_commands: vk::TRUE,
        ..Default::default()
    };
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    commands.next = (&raw mut compute).cast();
    features.next = (&raw mut commands).cast();
    let extensions = [c"VK_NV_device_generated_commands", c"VK_NV_device_generated_commands_compute"];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

fn buffer(context: &Compute, words: &[u32]) -> Buffer {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::INDIRECT_BUFFER;
    let buffer = context.buffer_with(words.len(), usage);
    words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
    buffer
}

fn address(context: &Compute, buffer: &Buffer) -> u64 {
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    unsafe { context.device.get_buffer_device_address(&info) }
}

/// Adds the push constant, times `factor`, to the word of each invocation.
fn adds(factor: u32) -> String {
    shader(&format!(
        "%to = OpAccessChain %word %buffer %uint_0 %gid\n%value = OpIMul %uint %push %uint_{factor}\n\
         %old = OpAtomicIAdd %uint %to %uint_1 %uint_0 %value"
    ))
}

fn token(token_type: Token, stream: u32, offset: u32) -> vk::IndirectCommandsLayoutTokenNV {
    vk::IndirectCommandsLayoutTokenNV { token_type, stream, offset, ..Default::default() }
}

fn push(layout: vk::PipelineLayout, stream: u32, offset: u32) -> vk::IndirectCommandsLayoutTokenNV {
    vk::IndirectCommandsLayoutTokenNV {
        pushconstant_pipeline_layout: layout,
        pushconstant_shader_stage_flags: vk::ShaderStageFlags::COMPUTE,
        pushconstant_size: 4,
        ..token(Token::PUSH_CONSTANT, stream, offset)
    }
}

fn layout(
    context: &Compute,
    flags: vk::IndirectCommandsLayoutUsageFlagsNV,
    strides: &[u32],
    tokens: &[vk::IndirectCommandsLayoutTokenNV],
) -> VkResult<vk::IndirectCommandsLayoutNV> {
    let info = vk::IndirectCommandsLayoutCreateInfoNV {
        flags,
        pipeline_bind_point: POINT,
        token_count: tokens.len() as u32,
        tokens: tokens.as_ptr(),
        stream_count: strides.len() as u32,
        stream_strides: strides.as_ptr(),
        ..Default::default()
    };
    unsafe { context.device.create_indirect_commands_layout_nv(&info, None) }
}

/// A compute pipeline that generated commands know by an address, and the buffer there.
fn addressed(context: &Compute, layout: vk::PipelineLayout, text: &str) -> (vk::Pipeline, Buffer, u64) {
    let memory = buffer(context, &[0; 64]);
    let device_address = address(context, &memory).next_multiple_of(64);
    let mut indirect =
        vk::ComputePipelineIndirectBufferInfoNV { device_address, size: 64, ..Default::default() };
    let module = context.shader_module(text);
    let stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(b"main\0");
    let mut info = vk::ComputePipelineCreateInfo::builder()
        .flags(vk::PipelineCreateFlags::INDIRECT_BINDABLE_NV)
        .stage(stage)
        .layout(layout)
        .build();
    let mut needs = vk::MemoryRequirements2::default();
    unsafe {
        context.device.get_pipeline_indirect_memory_requirements_nv(&info, &mut needs);
        assert_eq!((needs.memory_requirements.size, needs.memory_requirements.alignment), (64, 64));
        info.next = (&raw mut indirect).cast();
        let made =
            context.device.create_compute_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None);
        context.device.destroy_shader_module(module, None);
        let pipeline = made.expect("a pipeline").0[0];
        let info = vk::PipelineIndirectDeviceAddressInfoNV {
            pipeline_bind_point: POINT,
            pipeline,
            ..Default::default()
        };
        assert_eq!(context.device.get_pipeline_indirect_device_address_nv(&info), device_address);
        (pipeline, memory, device_address)
    }
}

struct Target {
    buffer: Buffer,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

fn target(context: &Compute) -> Target {
    let buffer = buffer(context, &[0; 4]);
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let layout = context.layout(&[set_layout]);
    let set = context.set(set_layout);
    context.write(set, buffer.buffer);
    Target { buffer, layout, set }
}

fn info(
    layout: vk::IndirectCommandsLayoutNV,
    pipeline: vk::Pipeline,
    streams: &[vk::IndirectCommandsStreamNV],
    sequences_count: u32,
) -> vk::GeneratedCommandsInfoNV {
    vk::GeneratedCommandsInfoNV {
        pipeline_bind_point: POINT,
        pipeline,
        indirect_commands_layout: layout,
        stream_count: streams.len() as u32,
        streams: streams.as_ptr(),
        sequences_count,
        ..Default::default()
    }
}

/// Words to push in one stream and workgroups in another; memory says how many sequences there are, and
/// which.
#[test]
fn sequences_push_and_dispatch_from_two_streams() {
    let context = context();
    let device = &context.device;
    let target = target(&context);
    let pipeline = context.pipeline(target.layout, &adds(1));
    let pushed = buffer(&context, &[7, 100, 10, 1]);
    let groups = buffer(&context, &[4, 1, 1, 2, 1, 1, 3, 1, 1]);
    let streams = [
        // The first word is left out.
        vk::IndirectCommandsStreamNV { buffer: pushed.buffer, offset: 4 },
        vk::IndirectCommandsStreamNV { buffer: groups.buffer, offset: 0 },
    ];
    let tokens = [push(target.layout, 0, 0), token(Token::DISPATCH, 1, 0)];
    let indexed = vk::IndirectCommandsLayoutUsageFlagsNV::INDEXED_SEQUENCES;
    let run = |flags, count, count_word: Option<u32>, indices: Option<&[u32]>| {
        let layout = layout(&context, flags, &[4, 12], &tokens).expect("a layout");
        (0..4).for_each(|at| target.buffer.put(at, 0));
        let counts = buffer(&context, &[9, count_word.unwrap_or(0)]);
        let numbers = buffer(&context, indices.unwrap_or(&[0]));
        let mut info = info(layout, pipeline, &streams, count);
        if count_word.is_some() {
            (info.sequences_count_buffer, info.sequences_count_offset) = (counts.buffer, 4);
        }
        if indices.is_some() {
            info.sequences_index_buffer = numbers.buffer;
        }
        let mut needs = vk::MemoryRequirements2::default();
        let asked = vk::GeneratedCommandsMemoryRequirementsInfoNV {
            pipeline_bind_point: POINT,
            pipeline,
            indirect_commands_layout: layout,
            max_sequences_count: count,
            ..Default::default()
        };
        unsafe { device.get_generated_commands_memory_requirements_nv(&asked, &mut needs) };
        assert!(needs.memory_requirements.size > 0);
        context.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, target.layout, 0, &[target.set], &[]);
            device.cmd_preprocess_generated_commands_nv(commands, &info);
            device.cmd_execute_generated_commands_nv(commands, true, &info);
        });
        unsafe { device.destroy_indirect_commands_layout_nv(layout, None) };
        target.buffer.words()
    };
    let none = vk::IndirectCommandsLayoutUsageFlagsNV::empty();
    assert_eq!(run(none, 3, None, None), [111, 111, 101, 100]);
    assert_eq!(run(none, 3, Some(2), None), [110, 110, 100, 100]);
    // More than there are to be.
    assert_eq!(run(none, 1, Some(3), None), [100; 4]);
    assert_eq!(run(indexed, 2, None, Some(&[2, 1])), [11, 11, 1, 0]);
    // Sequences that do not lie in their streams do nothing.
    assert_eq!(run(indexed, 3, None, Some(&[2, u32::MAX, 3])), [1, 1, 1, 0]);
}

/// Each sequence names the pipeline that it runs by its address, once that is saved.
#[test]
fn sequences_name_pipelines_by_address() {
    let context = context();
    let device = &context.device;
    let target = target(&context);
    let made = [1, 2].map(|factor| addressed(&context, target.layout, &adds(factor)));
    let wide = |address: u64| [address as u32, (address >> 32) as u32];
    let sequence = |address: u64, pushed: u32, groups: u32| {
        let [low, high] = wide(address);
        [low, high, pushed, groups, 1, 1]
    };
    let (one, two) = (made[0].2, made[1].2);
    // An address that nothing was saved at leaves what is bound.
    let words = [sequence(one, 100, 4), sequence(two, 10, 2), sequence(64, 1, 1), sequence(one, 1000, 1)];
    let memory = buffer(&context, words.as_flattened());
    let tokens = [token(Token::PIPELINE, 0, 0), push(target.layout, 0, 8), token(Token::DISPATCH, 0, 12)];
    let layout = layout(&context, Default::default(), &[24], &tokens).expect("a layout");
    let streams = [vk::IndirectCommandsStreamNV { buffer: memory.buffer, offset: 0 }];
    let info = info(layout, vk::Pipeline::null(), &streams, 4);
    context.run(|commands| unsafe {
        made.iter().for_each(|one| device.cmd_update_pipeline_indirect_buffer_nv(commands, POINT, one.0));
        device.cmd_bind_descriptor_sets(commands, POINT, target.layout, 0, &[target.set], &[]);
        device.cmd_execute_generated_commands_nv(commands, false, &info);
    });
    assert_eq!(target.buffer.words(), [1122, 120, 100, 100]);
    unsafe {
        device.destroy_indirect_commands_layout_nv(layout, None);
        made.iter().for_each(|one| device.destroy_pipeline(one.0, None));
    }
    // What has gone is not found.
    (0..4).for_each(|at| target.buffer.put(at, 0));
    let tokens = [token(Token::PIPELINE, 0, 0), token(Token::DISPATCH, 0, 12)];
    let layout = self::layout(&context, Default::default(), &[24], &tokens).expect("a layout");
    let info = self::info(layout, vk::Pipeline::null(), &streams, 4);
    context.run(|commands| unsafe {
        device.cmd_bind_descriptor_sets(commands, POINT, target.layout, 0, &[target.set], &[]);
        device.cmd_execute_generated_commands_nv(commands, false, &info);
    });
    assert_eq!(target.buffer.words(), [0; 4]);
    unsafe { device.destroy_indirect_commands_layout_nv(layout, None) };
}

#[test]
fn wrong_streams_and_layouts_are_refused() {
    let context = context();
    let target = target(&context);
    let fine = [push(target.layout, 0, 0), token(Token::DISPATCH, 0, 4)];
    for (strides, tokens) in [
        (&[16_u32][..], &fine[..1]),
        (&[], &fine[..]),
        (&[0], &fine[..]),
        (&[1 << 20], &fine[..]),
        (&[16], &[token(Token::DISPATCH, 1, 0)]),
        (&[16], &[token(Token::DISPATCH, 0, 1 << 20)]),
        (&[16], &[token(Token::DRAW, 0, 0)]),
        (&[16], &[token(Token::from_raw(77), 0, 0), fine[1]]),
        (&[16], &[vk::IndirectCommandsLayoutTokenNV { pushconstant_offset: 1 << 30, ..fine[0] }, fine[1]]),
        (&[16], &[vk::IndirectCommandsLayoutTokenNV { pushconstant_size: u32::MAX, ..fine[0] }, fine[1]]),
    ] {
        assert!(layout(&context, Default::default(), strides, tokens).is_err(), "{strides:?} {tokens:?}");
    }
    let pipeline = context.pipeline(target.layout, &adds(1));
    let layout = layout(&context, Default::default(), &[16], &fine).expect("a layout");
    let memory = buffer(&context, &[0; 8]);
    let stream = |offset| vk::IndirectCommandsStreamNV { buffer: memory.buffer, offset };
    let whole = [stream(0)];
    let with = |streams: &[vk::IndirectCommandsStreamNV], count| info(layout, pipeline, streams, count);
    let mut indexed = with(&whole, 1);
    indexed.sequences_index_buffer = memory.buffer;
    let mut counted = with(&whole, 1);
    (counted.sequences_count_buffer, counted.sequences_count_offset) = (memory.buffer, 30);
    let (far, two) = ([stream(1 << 40)], [stream(0), stream(0)]);
    for (info, is_fine) in [
        (with(&whole, 2), true),
        (with(&whole, 3), false),
        (with(&whole, u32::MAX), false),
        (with(&far, 1), false),
        (with(&two, 1), false),
        (with(&[], 1), false),
        (indexed, false),
        (counted, false),
    ] {
        let commands = context.command_buffer();
        unsafe {
            let begin = vk::CommandBufferBeginInfo::default();
            context.device.begin_command_buffer(commands, &begin).expect("begun");
            context.device.cmd_execute_generated_commands_nv(commands, false, &info);
            assert_eq!(context.device.end_command_buffer(commands).is_ok(), is_fine, "{info:?}");
        }
    }
    unsafe { context.device.destroy_indirect_commands_layout_nv(layout, None) };
}
