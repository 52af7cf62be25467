//! Dispatches that memory says (`VK_EXT_device_generated_commands`), through the entry points.

use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDeviceGeneratedCommandsExtensionDeviceCommands as _;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMPUTE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

fn context() -> Compute {
    let mut commands = vk::PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT {
        device_generated_commands: vk::TRUE,
        ..Default::default()
    };
    let mut objects =
        vk::PhysicalDeviceShaderObjectFeaturesEXT { shader_object: vk::TRUE, ..Default::default() };
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    objects.next = (&raw mut commands).cast();
    features.next = (&raw mut objects).cast();
    let extensions = [c"VK_EXT_device_generated_commands", c"VK_KHR_maintenance5", c"VK_EXT_shader_object"];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// A buffer of words and its address.
fn buffer(context: &Compute, words: &[u32]) -> (Buffer, u64) {
    let buffer = context.buffer_with(words.len(), vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

/// Adds the push constant, times `factor`, to the word of each invocation.
fn adds(factor: u32) -> String {
    shader(&format!(
        "%to = OpAccessChain %word %buffer %uint_0 %gid\n%value = OpIMul %uint %push %uint_{factor}\n\
         %old = OpAtomicIAdd %uint %to %uint_1 %uint_0 %value"
    ))
}

fn token(ty: vk::IndirectCommandsTokenTypeEXT, offset: u32) -> vk::IndirectCommandsLayoutTokenEXT {
    vk::IndirectCommandsLayoutTokenEXT { type_: ty, offset, ..Default::default() }
}

fn pushed(
    ty: vk::IndirectCommandsTokenTypeEXT,
    token: &vk::IndirectCommandsPushConstantTokenEXT,
) -> vk::IndirectCommandsLayoutTokenEXT {
    let mut made = self::token(ty, 4);
    made.data.push_constant = token;
    made
}

fn choice(token: &vk::IndirectCommandsExecutionSetTokenEXT) -> vk::IndirectCommandsLayoutTokenEXT {
    let mut made = self::token(vk::IndirectCommandsTokenTypeEXT::EXECUTION_SET, 0);
    made.data.execution_set = token;
    made
}

fn first_word() -> vk::IndirectCommandsPushConstantTokenEXT {
    vk::IndirectCommandsPushConstantTokenEXT {
        update_range: vk::PushConstantRange { stage_flags: COMPUTE, offset: 0, size: 4 },
    }
}

fn try_layout(
    context: &Compute,
    stride: u32,
    tokens: &[vk::IndirectCommandsLayoutTokenEXT],
) -> VkResult<vk::IndirectCommandsLayoutEXT> {
    // In place of a layout, what one is made of (`dynamicGeneratedPipelineLayout`).
    let range = vk::PushConstantRange { stage_flags: COMPUTE, offset: 0, size: 4 };
    let pipeline_layout = vk::PipelineLayoutCreateInfo {
        push_constant_range_count: 1,
        push_constant_ranges: &range,
        ..Default::default()
    };
    let info = vk::IndirectCommandsLayoutCreateInfoEXT {
        next: (&raw const pipeline_layout).cast(),
        shader_stages: COMPUTE,
        indirect_stride: stride,
        token_count: tokens.len() as u32,
        tokens: tokens.as_ptr(),
        ..Default::default()
    };
    unsafe { context.device.create_indirect_commands_layout_ext(&info, None) }
}

/// Sequences of a choice, a word to push, and workgroups: 20 bytes of 32.
fn sequences() -> Vec<u32> {
    [[0, 100, 4, 1, 1], [1, 10, 2, 1, 1], [0, 1, 3, 1, 1], [1, 1000, 0, 1, 1]]
        .iter()
        .flat_map(|sequence| [&sequence[..], &[9; 3]].concat())
        .collect()
}

/// Runs the sequences with a set of two shaders, the second of which doubles.
fn run(
    context: &Compute,
    layout: vk::IndirectCommandsLayoutEXT,
    set: vk::IndirectExecutionSetEXT,
    (count, count_word): (u32, Option<u32>),
    bind: impl FnOnce(vk::CommandBuffer),
) -> Vec<u32> {
    let (target, _) = buffer(context, &[0; 4]);
    let (_sequences, address) = buffer(context, &sequences());
    let (_count, count_address) = buffer(context, &[count_word.unwrap_or(0)]);
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let pipeline_layout = context.layout(&[set_layout]);
    let descriptors = context.set(set_layout);
    context.write(descriptors, target.buffer);
    context.run(|commands| unsafe {
        bind(commands);
        context.device.cmd_bind_descriptor_sets(commands, POINT, pipeline_layout, 0, &[descriptors], &[]);
        let info = vk::GeneratedCommandsInfoEXT {
            shader_stages: COMPUTE,
            indirect_execution_set: set,
            indirect_commands_layout: layout,
            indirect_address: address,
            indirect_address_size: 128,
            max_sequence_count: count,
            sequence_count_address: if count_word.is_some() { count_address } else { 0 },
            ..Default::default()
        };
        context.device.cmd_execute_generated_commands_ext(commands, false, &info);
    });
    target.words()
}

fn layout_of_choices(
    context: &Compute,
    ty: vk::IndirectExecutionSetInfoTypeEXT,
    pushes: vk::IndirectCommandsTokenTypeEXT,
) -> vk::IndirectCommandsLayoutEXT {
    let choose = vk::IndirectCommandsExecutionSetTokenEXT { type_: ty, shader_stages: COMPUTE };
    let word = first_word();
    let tokens =
        [choice(&choose), pushed(pushes, &word), token(vk::IndirectCommandsTokenTypeEXT::DISPATCH, 8)];
    try_layout(context, 32, &tokens).expect("a layout")
}

/// Each sequence chooses a pipeline, pushes its word, or its number, and runs its workgroups; the count in
/// memory is less than that of the command, or more.
#[test]
fn sequences_choose_pipelines_and_push() {
    let context = context();
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let pipeline_layout = context.layout(&[set_layout]);
    let pipelines = [1, 2].map(|factor| context.pipeline(pipeline_layout, &adds(factor)));
    let initial = vk::IndirectExecutionSetPipelineInfoEXT {
        initial_pipeline: pipelines[0],
        max_pipeline_count: 2,
        ..Default::default()
    };
    let mut info = vk::IndirectExecutionSetCreateInfoEXT {
        type_: vk::IndirectExecutionSetInfoTypeEXT::PIPELINES,
        ..Default::default()
    };
    info.info.pipeline_info = &raw const initial;
    let set = unsafe { device.create_indirect_execution_set_ext(&info, None) }.expect("a set");
    let write =
        vk::WriteIndirectExecutionSetPipelineEXT { index: 1, pipeline: pipelines[1], ..Default::default() };
    unsafe { device.update_indirect_execution_set_pipeline_ext(set, slice::from_ref(&write)) };
    let bind = |commands| unsafe { device.cmd_bind_pipeline(commands, POINT, pipelines[0]) };
    let kind = vk::IndirectExecutionSetInfoTypeEXT::PIPELINES;
    let words = layout_of_choices(&context, kind, vk::IndirectCommandsTokenTypeEXT::PUSH_CONSTANT);
    assert_eq!(run(&context, words, set, (4, None), bind), [121, 121, 101, 100]);
    assert_eq!(run(&context, words, set, (4, Some(2)), bind), [120, 120, 100, 100]);
    assert_eq!(run(&context, words, set, (1, Some(u32::MAX)), bind), [100; 4]);
    assert_eq!(run(&context, words, set, (4, Some(0)), bind), [0; 4]);
    let numbers = layout_of_choices(&context, kind, vk::IndirectCommandsTokenTypeEXT::SEQUENCE_INDEX);
    assert_eq!(run(&context, numbers, set, (4, None), bind), [4, 4, 2, 0]);
    // What is there no more was kept, and there are no other places.
    let write = [2, u32::MAX].map(|index| vk::WriteIndirectExecutionSetPipelineEXT {
        index,
        pipeline: pipelines[0],
        ..write
    });
    unsafe {
        device.update_indirect_execution_set_pipeline_ext(set, &write[..1]);
        device.update_indirect_execution_set_pipeline_ext(set, &write[1..]);
    }
    assert_eq!(run(&context, words, set, (2, None), bind), [120, 120, 100, 100]);
    unsafe {
        device.destroy_indirect_execution_set_ext(set, None);
        [words, numbers].iter().for_each(|&layout| device.destroy_indirect_commands_layout_ext(layout, None));
    }
}

/// The same with shader objects.
#[test]
fn sequences_choose_shader_objects() {
    let context = context();
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let ranges = [vk::PushConstantRange { stage_flags: COMPUTE, offset: 0, size: 4 }];
    let shaders = [1, 2].map(|factor| {
        let words = pyro_spirv::asm::assemble(&adds(factor)).expect("assembles");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let info = vk::ShaderCreateInfoEXT::builder()
            .stage(COMPUTE)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .code(&bytes)
            .name(b"main\0")
            .set_layouts(slice::from_ref(&set_layout))
            .push_constant_ranges(&ranges);
        unsafe { device.create_shaders_ext(slice::from_ref(&info), None) }.expect("a shader").0[0]
    });
    let initial = vk::IndirectExecutionSetShaderInfoEXT {
        shader_count: 1,
        initial_shaders: &raw const shaders[0],
        max_shader_count: 2,
        ..Default::default()
    };
    let mut info = vk::IndirectExecutionSetCreateInfoEXT {
        type_: vk::IndirectExecutionSetInfoTypeEXT::SHADER_OBJECTS,
        ..Default::default()
    };
    info.info.shader_info = &raw const initial;
    let set = unsafe { device.create_indirect_execution_set_ext(&info, None) }.expect("a set");
    let write = vk::WriteIndirectExecutionSetShaderEXT { index: 1, shader: shaders[1], ..Default::default() };
    unsafe { device.update_indirect_execution_set_shader_ext(set, slice::from_ref(&write)) };
    let layout = layout_of_choices(
        &context,
        vk::IndirectExecutionSetInfoTypeEXT::SHADER_OBJECTS,
        vk::IndirectCommandsTokenTypeEXT::PUSH_CONSTANT,
    );
    let bind = |commands| unsafe { device.cmd_bind_shaders_ext(commands, &[COMPUTE], &shaders[..1]) };
    assert_eq!(run(&context, layout, set, (4, None), bind), [121, 121, 101, 100]);
    unsafe {
        device.destroy_indirect_execution_set_ext(set, None);
        device.destroy_indirect_commands_layout_ext(layout, None);
        shaders.iter().for_each(|&shader| device.destroy_shader_ext(shader, None));
    }
}

/// Layouts and commands that cannot be right are refused.
#[test]
fn wrong_layouts_and_ranges_are_refused() {
    use vk::IndirectCommandsTokenTypeEXT as Type;
    let context = context();
    let device = &context.device;
    let dispatch = token(Type::DISPATCH, 0);
    let far = vk::IndirectCommandsPushConstantTokenEXT {
        update_range: vk::PushConstantRange { stage_flags: COMPUTE, offset: u32::MAX - 1, size: 4 },
    };
    let unit = vk::IndirectCommandsVertexBufferTokenEXT { vertex_binding_unit: u32::MAX };
    let mut vertices = token(Type::VERTEX_BUFFER, 0);
    vertices.data.vertex_buffer = &raw const unit;
    for wrong in [
        vec![],
        vec![dispatch, dispatch],
        vec![token(Type::from_raw(12345), 0), dispatch],
        vec![token(Type::PUSH_CONSTANT, 0), dispatch],
        vec![pushed(Type::PUSH_CONSTANT, &far), dispatch],
        vec![vertices, token(Type::DRAW, 0)],
        vec![token(Type::DISPATCH, 1 << 20)],
    ] {
        try_layout(&context, 32, &wrong).expect_err("misuse");
    }
    let choose = vk::IndirectCommandsExecutionSetTokenEXT {
        type_: vk::IndirectExecutionSetInfoTypeEXT::PIPELINES,
        shader_stages: COMPUTE,
    };
    let layouts = [&[dispatch][..], &[choice(&choose), dispatch]]
        .map(|tokens| try_layout(&context, 16, tokens).expect("a layout"));
    let (_sequences, address) = buffer(&context, &[0; 64]);
    // The last sequence ends with its last token, not with the stride.
    for (layout, range, is_right) in [
        (layouts[0], (address, 28), true),
        (layouts[0], (address, 27), false),
        (layouts[0], (0, 28), false),
        (layouts[0], (u64::MAX - 8, 28), false),
        (layouts[1], (address, 28), false),
    ] {
        let info =
            vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
        let ended = unsafe {
            let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            device.begin_command_buffer(commands, &Default::default()).expect("begins");
            let info = vk::GeneratedCommandsInfoEXT {
                shader_stages: COMPUTE,
                indirect_commands_layout: layout,
                indirect_address: range.0,
                indirect_address_size: range.1,
                max_sequence_count: 2,
                ..Default::default()
            };
            device.cmd_execute_generated_commands_ext(commands, false, &info);
            device.end_command_buffer(commands)
        };
        assert_eq!(ended.is_ok(), is_right, "{range:?}");
    }
    unsafe {
        layouts.iter().for_each(|&layout| device.destroy_indirect_commands_layout_ext(layout, None));
    }
}
