//! Draws that memory says in streams, and shader groups of pipelines (`VK_NV_device_generated_commands`).

use crate::addressed_canvas::AddressedCanvas;
use pyro_test_kit::canvas::{Covered, FRAGMENT};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtExtendedDynamicStateExtensionDeviceCommands as _,
    NvDeviceGeneratedCommandsExtensionDeviceCommands as _,
};

const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_STRIP;
type Token = vk::IndirectCommandsTokenTypeNV;

/// A vertex shader that moves what it draws down by half a target, or does not.
fn vertex(down: f32) -> String {
    format!(
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint Vertex %main \"main\" %in %out
         OpDecorate %in Location 0
         OpDecorate %out BuiltIn Position
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %float = OpTypeFloat 32
         %float4 = OpTypeVector %float 4
         %p_in = OpTypePointer Input %float4
         %p_out = OpTypePointer Output %float4
         %in = OpVariable %p_in Input
         %out = OpVariable %p_out Output
         %zero = OpConstant %float 0
         %down = OpConstant %float {down:?}
         %by = OpConstantComposite %float4 %zero %down %zero %zero
         %main = OpFunction %void None %fn
         %entry = OpLabel
         %position = OpLoad %float4 %in
         %moved = OpFAdd %float4 %position %by
         OpStore %out %moved
         OpReturn
         OpFunctionEnd"
    )
}

/// The corners of the rows from `top` to `bottom`, both from -1 to 1.
fn band(top: f32, bottom: f32) -> Vec<u32> {
    let corners = [[-1.0, top], [1.0, top], [-1.0, bottom], [1.0, bottom]];
    corners.iter().flat_map(|&[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits)).collect()
}

/// Whether the middle of each quarter of the target is covered.
fn quarters(covered: &Covered) -> [bool; 4] {
    let size = covered.0.len().isqrt() as u32;
    [0, 1, 2, 3].map(|quarter| covered.at(size / 2, quarter * size / 4 + size / 8))
}

/// A pipeline whose second group moves down, and behind them the groups of others.
fn grouped(
    canvas: &AddressedCanvas,
    others: &[vk::Pipeline],
    dynamics: &[vk::DynamicState],
    down: f32,
) -> vk::Pipeline {
    let first = vertex(0.0);
    let modules = [first.as_str(), FRAGMENT, &vertex(down)].map(|text| canvas.shader_module(text));
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
    };
    let binding =
        vk::VertexInputBindingDescription { binding: 0, stride: 16, input_rate: vk::VertexInputRate::VERTEX };
    let attribute = vk::VertexInputAttributeDescription {
        location: 0,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: 0,
    };
    let input = vk::PipelineVertexInputStateCreateInfo::builder()
        .vertex_binding_descriptions(slice::from_ref(&binding))
        .vertex_attribute_descriptions(slice::from_ref(&attribute));
    let stages = [modules[0], modules[2]].map(|module| {
        [stage(vk::ShaderStageFlags::VERTEX, module), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])]
    });
    let groups = [0, 1].map(|group: usize| {
        vk::GraphicsShaderGroupCreateInfoNV::builder()
            .stages(&stages[group])
            .vertex_input_state(&input)
            .build()
    });
    let mut info = vk::GraphicsPipelineShaderGroupsCreateInfoNV {
        group_count: 2,
        groups: groups.as_ptr(),
        pipeline_count: others.len() as u32,
        pipelines: others.as_ptr(),
        ..Default::default()
    };
    let flags = vk::PipelineCreateFlags2::INDIRECT_BINDABLE_NV.bits();
    let chain = (flags, (&raw mut info).cast());
    let pipeline = canvas.pipeline_chained([&first, FRAGMENT], TRIANGLES, true, dynamics, chain);
    modules.into_iter().for_each(|module| unsafe { canvas.device.destroy_shader_module(module, None) });
    pipeline
}

fn token(token_type: Token, offset: u32) -> vk::IndirectCommandsLayoutTokenNV {
    vk::IndirectCommandsLayoutTokenNV { token_type, offset, ..Default::default() }
}

fn layout(
    canvas: &AddressedCanvas,
    stride: u32,
    tokens: &[vk::IndirectCommandsLayoutTokenNV],
) -> vk::IndirectCommandsLayoutNV {
    let info = vk::IndirectCommandsLayoutCreateInfoNV {
        pipeline_bind_point: GRAPHICS,
        token_count: tokens.len() as u32,
        tokens: tokens.as_ptr(),
        stream_count: 1,
        stream_strides: &raw const stride,
        ..Default::default()
    };
    unsafe { canvas.device.create_indirect_commands_layout_nv(&info, None) }.expect("a layout")
}

/// What the sequences from a word of the memory on draw.
fn draw(
    canvas: &AddressedCanvas,
    pipeline: vk::Pipeline,
    layout: vk::IndirectCommandsLayoutNV,
    (at, count): (usize, u32),
    before: impl FnOnce(vk::CommandBuffer),
) -> [bool; 4] {
    let covered = canvas.draw(pipeline, |commands| unsafe {
        before(commands);
        let stream = vk::IndirectCommandsStreamNV { buffer: canvas.buffer, offset: 4 * at as u64 };
        let info = vk::GeneratedCommandsInfoNV {
            pipeline_bind_point: GRAPHICS,
            pipeline,
            indirect_commands_layout: layout,
            stream_count: 1,
            streams: &raw const stream,
            sequences_count: count,
            ..Default::default()
        };
        canvas.device.cmd_execute_generated_commands_nv(commands, false, &info);
    });
    quarters(&covered)
}

fn canvas() -> AddressedCanvas {
    AddressedCanvas::new(&[
        c"VK_NV_device_generated_commands",
        c"VK_KHR_maintenance5",
        c"VK_EXT_extended_dynamic_state",
    ])
}

/// Groups are bound by commands and by sequences; groups of other pipelines follow a pipeline's own.
#[test]
fn sequences_choose_shader_groups() {
    let canvas = canvas();
    let device = &canvas.device;
    let other = grouped(&canvas, &[], &[], 1.0);
    let pipeline = grouped(&canvas, &[other], &[], 0.5);
    canvas.fill(0, &band(-1.0, -0.5));
    let bound = |pipeline, group: Option<u32>| {
        quarters(&canvas.draw(pipeline, |commands| unsafe {
            if let Some(group) = group {
                device.cmd_bind_pipeline_shader_group_nv(commands, GRAPHICS, pipeline, group);
            }
            device.cmd_draw(commands, 4, 1, 0, 0);
        }))
    };
    let quarter = |quarter: usize| [0, 1, 2, 3].map(|other| other == quarter);
    assert_eq!(bound(pipeline, None), quarter(0));
    for (group, expected) in [(0, 0), (1, 1), (2, 0), (3, 2)] {
        assert_eq!(bound(pipeline, Some(group)), quarter(expected), "group {group}");
    }
    assert_eq!(bound(other, Some(1)), quarter(2));
    // A group and a draw for each sequence; a group that is not there leaves what is bound.
    canvas.put(100, &[3, 4, 1, 0, 0, 1, 4, 1, 0, 0, 9, 4, 1, 0, 0]);
    let layout = layout(&canvas, 20, &[token(Token::SHADER_GROUP, 0), token(Token::DRAW, 4)]);
    assert_eq!(draw(&canvas, pipeline, layout, (100, 1), |_| {}), quarter(2));
    assert_eq!(draw(&canvas, pipeline, layout, (100, 3), |_| {}), [false, true, true, false]);
    unsafe {
        device.destroy_indirect_commands_layout_nv(layout, None);
        [pipeline, other].into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline, None));
    }
    let commands = canvas.command_buffer();
    unsafe {
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        let plain = canvas.pipeline(TRIANGLES, true);
        device.cmd_bind_pipeline_shader_group_nv(commands, GRAPHICS, plain, 1);
        assert!(device.end_command_buffer(commands).is_err());
        device.destroy_pipeline(plain, None);
    }
}

/// Vertices, indices of types by the application's own numbers, and front faces come from sequences.
#[test]
fn sequences_bind_buffers_and_say_what_is_in_front() {
    let canvas = canvas();
    let device = &canvas.device;
    let pipeline = canvas.pipeline_with(TRIANGLES, true, &[vk::DynamicState::CULL_MODE]);
    for (number, top) in [-1.0_f32, 0.0].into_iter().enumerate() {
        canvas.put(16 * number, &band(top, top + 0.5));
    }
    canvas.put(48, &[1 << 16, 2 | 3 << 16]);
    let address = |at: usize| {
        let address = canvas.address + 4 * at as u64;
        [address as u32, (address >> 32) as u32]
    };
    let types = [vk::IndexType::UINT16];
    let values = [777_u32];
    let tokens = [
        token(Token::STATE_FLAGS, 0),
        token(Token::VERTEX_BUFFER, 4),
        token(Token::INDEX_BUFFER, 20),
        token(Token::DRAW_INDEXED, 36),
    ];
    let tokens = tokens.map(|token| vk::IndirectCommandsLayoutTokenNV {
        indirect_state_flags: vk::IndirectStateFlagsNV::FLAG_FRONTFACE,
        index_type_count: 1,
        index_types: types.as_ptr(),
        index_type_values: values.as_ptr(),
        ..token
    });
    for (number, (face, ty)) in [(0, 777), (1, 777), (0, 0)].into_iter().enumerate() {
        let (vertices, indices) = (address(16 * (number % 2)), address(48));
        let words =
            [&[face][..], &vertices, &[64, 0], &indices, &[8, ty], &[4, 1, 0, 0, 0], &[0; 2]].concat();
        canvas.put(100 + 16 * number, &words);
    }
    let layout = layout(&canvas, 64, &tokens);
    let drawn = |at, count, cull| {
        draw(&canvas, pipeline, layout, (at, count), |commands| unsafe {
            device.cmd_set_cull_mode_ext(commands, cull);
        })
    };
    let (none, front, back) = (vk::CullModeFlags::NONE, vk::CullModeFlags::FRONT, vk::CullModeFlags::BACK);
    assert_eq!(drawn(100, 2, none), [true, false, true, false]);
    // Each has another front face, so one of both is culled.
    let (fronts, backs) = (drawn(100, 2, front), drawn(100, 2, back));
    let both: [bool; 4] = std::array::from_fn(|at| fronts[at] ^ backs[at]);
    assert_eq!(both, [true, false, true, false]);
    assert_eq!(fronts.iter().filter(|&&drawn| drawn).count(), 1);
    unsafe {
        device.destroy_indirect_commands_layout_nv(layout, None);
        device.destroy_pipeline(pipeline, None);
    }
}
