//! Shader objects through the entry points: drawn with, unbound, and made again from their binaries.

use pyro_test_kit::canvas::{Canvas, FRAGMENT, SIZE, VERTEX, rectangle, whole};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const STAGES: [vk::ShaderStageFlags; 2] = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];

fn create(
    canvas: &Canvas,
    stage: usize,
    code: &[u8],
    kind: vk::ShaderCodeTypeEXT,
) -> (vk::Result, vk::ShaderEXT) {
    let info = vk::ShaderCreateInfoEXT {
        stage: STAGES[stage],
        next_stage: if stage == 0 { vk::ShaderStageFlags::FRAGMENT } else { vk::ShaderStageFlags::empty() },
        code_type: kind,
        code_size: code.len(),
        code: code.as_ptr().cast(),
        name: c"main".as_ptr(),
        ..Default::default()
    };
    let mut shader = vk::ShaderEXT::null();
    let (commands, device) = (canvas.device.commands(), canvas.device.handle());
    let code = unsafe {
        (commands.create_shaders_ext)(device, 1, &raw const info, std::ptr::null(), &raw mut shader)
    };
    (code, shader)
}

pub(crate) fn from_words(canvas: &Canvas, stage: usize, text: &str) -> vk::ShaderEXT {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (code, shader) = create(canvas, stage, &bytes, vk::ShaderCodeTypeEXT::SPIRV);
    assert_eq!(code, vk::Result::SUCCESS);
    shader
}

/// Draws a triangle that covers the target's upper left half with all state set by commands.
pub(crate) fn draw(canvas: &Canvas, shaders: &[vk::ShaderEXT; 2]) -> usize {
    let device = &canvas.device;
    let covered = canvas.draw_bare(|commands| unsafe {
        device.cmd_bind_shaders_ext(commands, &STAGES, shaders);
        let binding = vk::VertexInputBindingDescription2EXT::builder().stride(16).divisor(1);
        let attribute =
            vk::VertexInputAttributeDescription2EXT::builder().format(vk::Format::R32G32B32A32_SFLOAT);
        device.cmd_set_vertex_input_ext(commands, &[binding], &[attribute]);
        device.cmd_set_viewport_with_count_ext(commands, &[whole()]);
        device.cmd_set_scissor_with_count_ext(commands, &[rectangle(0, 0, SIZE, SIZE)]);
        device.cmd_set_primitive_topology_ext(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
        device.cmd_set_rasterizer_discard_enable_ext(commands, false);
        device.cmd_set_cull_mode_ext(commands, vk::CullModeFlags::NONE);
        device.cmd_set_depth_test_enable_ext(commands, false);
        device.cmd_set_polygon_mode_ext(commands, vk::PolygonMode::FILL);
        device.cmd_set_rasterization_samples_ext(commands, vk::SampleCountFlags::_1);
        device.cmd_set_color_blend_enable_ext(commands, 0, &[vk::FALSE]);
        device.cmd_set_color_write_mask_ext(commands, 0, &[vk::ColorComponentFlags::all()]);
        device.cmd_draw(commands, 3, 1, 0, 0);
    });
    covered.count()
}

pub(crate) fn triangle(canvas: &Canvas) {
    let corners = [[-1.0_f32, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let words = corners.map(|[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits));
    canvas.fill(0, words.as_flattened());
}

pub(crate) fn destroy(canvas: &Canvas, shaders: &[vk::ShaderEXT]) {
    shaders.iter().for_each(|&shader| unsafe { canvas.device.destroy_shader_ext(shader, None) });
}

#[test]
fn bound_shaders_draw_like_a_pipeline() {
    let canvas = Canvas::with(&[c"VK_EXT_shader_object"]);
    triangle(&canvas);
    let pipeline = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_LIST, true);
    let expected = canvas.draw(pipeline, |commands| unsafe { canvas.device.cmd_draw(commands, 3, 1, 0, 0) });
    let shaders = [from_words(&canvas, 0, VERTEX), from_words(&canvas, 1, FRAGMENT)];
    assert_eq!(draw(&canvas, &shaders), expected.count());
    assert_eq!(draw(&canvas, &shaders), expected.count(), "the pair is kept");
    let none = vk::ShaderEXT::null();
    assert_eq!(draw(&canvas, &[shaders[0], none]), 0, "no fragment shader");
    assert_eq!(draw(&canvas, &[none, shaders[1]]), 0, "no vertex shader");
    // Another fragment shader, which may get the address of the destroyed one.
    destroy(&canvas, &shaders[1..]);
    let shaders = [shaders[0], from_words(&canvas, 1, FRAGMENT)];
    assert_eq!(draw(&canvas, &shaders), expected.count());
    destroy(&canvas, &shaders);
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn shaders_come_back_from_their_binaries() {
    let canvas = Canvas::with(&[c"VK_EXT_shader_object"]);
    triangle(&canvas);
    let first = [from_words(&canvas, 0, VERTEX), from_words(&canvas, 1, FRAGMENT)];
    let expected = draw(&canvas, &first);
    let binaries =
        first.map(|shader| unsafe { canvas.device.get_shader_binary_data_ext(shader) }.expect("data"));
    destroy(&canvas, &first);
    let made = [0, 1].map(|stage| create(&canvas, stage, &binaries[stage], vk::ShaderCodeTypeEXT::BINARY));
    assert_eq!(made.map(|made| made.0), [vk::Result::SUCCESS; 2]);
    let second = made.map(|made| made.1);
    assert_eq!((draw(&canvas, &second), expected > 0), (expected, true));
    destroy(&canvas, &second);

    let mut changed = binaries[1].clone();
    changed[40] ^= 1;
    let cases = [&changed[..], &binaries[1][..binaries[1].len() - 1], &[], &binaries[0]];
    for case in cases {
        let made = create(&canvas, 1, case, vk::ShaderCodeTypeEXT::BINARY);
        assert_eq!(made, (vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT, vk::ShaderEXT::null()));
    }
}

#[test]
fn linked_shaders_draw_like_others() {
    let canvas = Canvas::with(&[c"VK_EXT_shader_object"]);
    triangle(&canvas);
    let single = [from_words(&canvas, 0, VERTEX), from_words(&canvas, 1, FRAGMENT)];
    let expected = draw(&canvas, &single);
    destroy(&canvas, &single);
    let words = [VERTEX, FRAGMENT].map(|text| pyro_spirv::asm::assemble(text).expect("assembly"));
    let linked = |code: [(*const u8, usize); 2], kind: vk::ShaderCodeTypeEXT| {
        let infos = [0, 1].map(|stage: usize| vk::ShaderCreateInfoEXT {
            flags: vk::ShaderCreateFlagsEXT::LINK_STAGE
                | vk::ShaderCreateFlagsEXT::ALLOW_VARYING_SUBGROUP_SIZE,
            stage: STAGES[stage],
            next_stage: if stage == 0 { STAGES[1] } else { vk::ShaderStageFlags::empty() },
            code_type: kind,
            code_size: code[stage].1,
            code: code[stage].0.cast(),
            name: c"main".as_ptr(),
            ..Default::default()
        });
        let mut shaders = [vk::ShaderEXT::null(); 2];
        let (commands, device) = (canvas.device.commands(), canvas.device.handle());
        let code = unsafe {
            (commands.create_shaders_ext)(device, 2, infos.as_ptr(), std::ptr::null(), shaders.as_mut_ptr())
        };
        assert_eq!(code, vk::Result::SUCCESS);
        shaders
    };
    let code = [0, 1].map(|stage: usize| (words[stage].as_ptr().cast(), 4 * words[stage].len()));
    let shaders = linked(code, vk::ShaderCodeTypeEXT::SPIRV);
    assert_eq!((draw(&canvas, &shaders), expected > 0), (expected, true));
    let binaries =
        shaders.map(|shader| unsafe { canvas.device.get_shader_binary_data_ext(shader) }.expect("data"));
    destroy(&canvas, &shaders);
    let code = [0, 1].map(|stage: usize| (binaries[stage].as_ptr(), binaries[stage].len()));
    let shaders = linked(code, vk::ShaderCodeTypeEXT::BINARY);
    assert_eq!(draw(&canvas, &shaders), expected, "made of binaries");
    destroy(&canvas, &shaders);
}
