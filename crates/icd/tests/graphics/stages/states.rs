//! Shader objects with every state that commands set, beside pipelines that fix the same state.

use pyro_shadertext::Shader;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;

/// Location 0 is the position, location 1 goes to locations 0 and 1.
fn vertex_text() -> String {
    Shader::vertex(
        "%p = OpLoad %float4 %place
        %c = OpLoad %float4 %color
        OpStore %position %p
        OpStore %smooth %c
        OpStore %flat %c
        OpStore %size %float_1",
    )
    .input("place", "float4", "Location 0")
    .input("color", "float4", "Location 1")
    .output("size", "float", "BuiltIn PointSize")
    .output("smooth", "float4", "Location 0")
    .output("flat", "float4", "Location 1")
    .text()
}

/// Location 0 to the first attachment, location 1, which is flat, to the second.
fn fragment_text() -> String {
    Shader::fragment(
        "%a = OpLoad %float4 %smooth
        %b = OpLoad %float4 %flat
        OpStore %first %a
        OpStore %second %b",
    )
    .input("smooth", "float4", "Location 0")
    .input("flat", "float4", "Location 1, Flat")
    .output("first", "float4", "Location 0")
    .output("second", "float4", "Location 1")
    .text()
}

/// Three triangles, one of them facing away; depths reach from below 0 to above 1.
const CORNERS: [[[f32; 4]; 2]; 9] = [
    [[-0.9, -0.9, -0.25, 1.0], [0.9, 0.1, 0.2, 0.3]],
    [[0.9, -0.8, 0.5, 1.0], [0.1, 0.8, 0.3, 0.9]],
    [[-0.7, 0.9, 1.25, 1.0], [0.2, 0.3, 0.7, 0.6]],
    [[0.9, 0.9, 0.9, 1.0], [0.9, 0.9, 0.2, 0.6]],
    [[0.0, 0.9, 0.1, 1.0], [0.6, 0.1, 0.4, 0.2]],
    [[0.7, -0.3, 0.3, 1.0], [0.3, 0.2, 0.8, 0.9]],
    [[-0.6, 0.5, 0.2, 1.0], [0.8, 0.4, 0.9, 0.6]],
    [[0.6, 0.8, 0.3, 1.0], [0.4, 0.6, 0.1, 0.9]],
    [[-0.2, -0.7, 0.7, 1.0], [0.5, 0.9, 0.6, 0.3]],
];

fn scene() -> Scene {
    let mut scene = Scene::new(&vertex_text(), &fragment_text(), &CORNERS);
    scene.formats.push(scene.formats[0]);
    scene.clear = [0.25, 0.5, 0.75, 1.0];
    scene
}

/// Depth test on, so that it shows what depths are.
fn depths() -> Scene {
    let mut scene = scene();
    (scene.state.depth_test, scene.state.depth_write) = (true, true);
    scene.state.depth_compare = vk::CompareOp::LESS_OR_EQUAL;
    scene
}

/// Lines, wide where that matters.
fn lines() -> Scene {
    let mut scene = scene();
    scene.state.topology = vk::PrimitiveTopology::LINE_STRIP;
    scene
}

/// A stencil test that fails for some and counts others.
fn stencils() -> Scene {
    let mut scene = depths();
    let face = vk::StencilOpState {
        fail_op: vk::StencilOp::INVERT,
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        depth_fail_op: vk::StencilOp::DECREMENT_AND_WRAP,
        compare_op: vk::CompareOp::GREATER_OR_EQUAL,
        compare_mask: 0x7f,
        write_mask: 0x3f,
        reference: 2,
    };
    scene.state.stencil = Some([face, vk::StencilOpState { compare_op: vk::CompareOp::ALWAYS, ..face }]);
    scene
}

fn blends() -> Scene {
    let mut scene = scene();
    scene.state.blend.blend_enable = vk::TRUE;
    scene.state.blend.src_color_blend_factor = vk::BlendFactor::SRC_ALPHA;
    scene.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE_MINUS_SRC_ALPHA;
    scene
}

fn bytes() -> Scene {
    let mut scene = scene();
    scene.formats = vec![vk::Format::R8G8B8A8_UNORM];
    scene
}

fn samples() -> Scene {
    let mut scene = depths();
    scene.state.samples = 4;
    scene
}

fn clamped() -> Scene {
    let mut scene = depths();
    (scene.state.depth_clamp, scene.state.depth_clip) = (true, false);
    scene
}

/// Depths outside of the viewport's range, but not of [0, 1].
fn unclipped() -> Scene {
    let mut scene = depths();
    scene.state.depth_clip = false;
    (scene.state.viewports[0].min_depth, scene.state.viewports[0].max_depth) = (0.25, 0.75);
    scene.state.depth_compare = vk::CompareOp::ALWAYS;
    scene
}

/// A state: its name, what is drawn, and what changes.
type Case = (&'static str, fn() -> Scene, fn(&mut Scene));

fn change_faces(scene: &mut Scene, change: impl Fn(&mut vk::StencilOpState)) {
    scene.state.stencil.as_mut().expect("a stencil test").iter_mut().for_each(change);
}

const CASES: &[Case] = &[
    ("topology", scene, |scene| scene.state.topology = vk::PrimitiveTopology::TRIANGLE_STRIP),
    ("viewports", scene, |scene| scene.state.viewports[0].width = 11.0),
    ("scissors", scene, |scene| scene.state.scissors[0].offset.x = 5),
    ("rasterizer discard", scene, |scene| scene.state.discard = true),
    ("polygon mode", scene, |scene| scene.state.polygon = vk::PolygonMode::LINE),
    ("cull mode", scene, |scene| scene.state.cull = vk::CullModeFlags::BACK),
    ("front face", culled, |scene| scene.state.front = vk::FrontFace::CLOCKWISE),
    ("provoking vertex", scene, |scene| {
        scene.state.provoking = vk::ProvokingVertexModeEXT::LAST_VERTEX;
    }),
    ("conservative rasterization", scene, |scene| {
        scene.state.conservative = vk::ConservativeRasterizationModeEXT::OVERESTIMATE;
    }),
    ("depth clip", scene, |scene| scene.state.depth_clip = false),
    ("depth clip control", scene, |scene| scene.state.negative_one_to_one = true),
    ("depth clamp", unclipped, |scene| scene.state.depth_clamp = true),
    ("depth clamp range", clamped, |scene| scene.state.clamp_range = Some([0.25, 0.375])),
    ("line width", lines, |scene| scene.state.line_width = 4.0),
    ("line mode", lines, |scene| scene.state.line_mode = vk::LineRasterizationMode::RECTANGULAR_SMOOTH),
    ("line stipple", lines, |scene| scene.state.stipple = Some((2, 0x5a5a))),
    ("line stipple pattern", stippled, |scene| scene.state.stipple = Some((3, 0x1234))),
    ("samples", scene, |scene| scene.state.samples = 4),
    ("sample mask", samples, |scene| scene.state.sample_mask = 5),
    ("alpha to coverage", samples, |scene| scene.state.alpha_to_coverage = true),
    ("alpha to one", samples, |scene| scene.state.alpha_to_one = true),
    ("depth test", scene, |scene| *scene = depths()),
    ("depth write", depths, |scene| scene.state.depth_write = false),
    ("depth compare", depths, |scene| scene.state.depth_compare = vk::CompareOp::GREATER),
    ("depth bounds test", scene, |scene| scene.state.depth_bounds = Some([0.625, 0.75])),
    ("depth bounds", bounded, |scene| scene.state.depth_bounds = Some([0.0, 0.25])),
    ("depth bias", depths, |scene| scene.state.bias = Some([-1e5, 0.0, -0.25])),
    ("depth bias representation", biased, |scene| {
        scene.state.bias_unit = vk::DepthBiasRepresentationEXT::FLOAT;
    }),
    ("stencil test", depths, |scene| *scene = stencils()),
    ("stencil operation", stencils, |scene| change_faces(scene, |face| face.pass_op = vk::StencilOp::ZERO)),
    ("stencil compare mask", stencils, |scene| change_faces(scene, |face| face.compare_mask = 1)),
    ("stencil write mask", stencils, |scene| change_faces(scene, |face| face.write_mask = 2)),
    ("stencil reference", stencils, |scene| change_faces(scene, |face| face.reference = 0)),
    ("logic operation enable", bytes, |scene| scene.state.logic_op = Some(vk::LogicOp::XOR)),
    ("logic operation", logic, |scene| scene.state.logic_op = Some(vk::LogicOp::NAND)),
    ("blend enable", scene, |scene| *scene = blends()),
    ("blend equation", blends, |scene| scene.state.blend.color_blend_op = vk::BlendOp::REVERSE_SUBTRACT),
    ("advanced blending", blends, |scene| {
        scene.state.advanced = true;
        scene.state.blend.color_blend_op = vk::BlendOp::SCREEN_EXT;
        scene.state.blend.alpha_blend_op = vk::BlendOp::SCREEN_EXT;
        scene.formats = vec![vk::Format::R8G8B8A8_UNORM];
    }),
    ("blend constants", constant, |scene| scene.state.constants = [0.5, 0.25, 0.75, 1.0]),
    ("colour write mask", scene, |scene| {
        scene.state.blend.color_write_mask = vk::ColorComponentFlags::G | vk::ColorComponentFlags::A;
    }),
    ("colour write enable", scene, |scene| scene.state.color_write = false),
    ("discard rectangles", scene, |scene| scene.state.discard_rectangles = rectangles()),
    ("discard rectangle mode", discarded, |scene| {
        scene.state.discard_mode = vk::DiscardRectangleModeEXT::EXCLUSIVE;
    }),
    ("shading rate image", scene, |scene| {
        // Without an image all texels are zero.
        scene.state.palette = Some(vec![vk::ShadingRatePaletteEntryNV::_1_INVOCATION_PER_4X4_PIXELS]);
    }),
    ("coverage reduction", mixed, |scene| {
        scene.state.reduction = vk::CoverageReductionModeNV::TRUNCATE;
    }),
    ("coverage modulation", mixed, |scene| {
        scene.state.modulation = vk::CoverageModulationModeNV::RGB;
    }),
    ("coverage modulation's table", modulated, |scene| {
        scene.state.modulation_table = vec![0.0, 0.125, 0.5, 1.0];
    }),
    ("coverage to colour", masks, |scene| scene.state.coverage_to_color = Some(0)),
    ("exclusive scissor", scene, |scene| scene.state.exclusive_scissor = Some(rectangles()[0])),
    ("viewport swizzle", scene, |scene| {
        let swizzle = vk::ViewportCoordinateSwizzleNV::NEGATIVE_Y;
        scene.state.swizzle = [swizzle, vk::ViewportCoordinateSwizzleNV::POSITIVE_X];
    }),
    ("w scaling", scene, |scene| scene.state.w_scaling = Some([0.25, -0.125])),
    ("fragment shading rate", scene, |scene| {
        scene.state.fragment_size = vk::Extent2D { width: 2, height: 4 };
    }),
    ("sample locations", samples, |scene| {
        let place = |x: f32, y: f32| vk::SampleLocationEXT { x, y };
        scene.state.sample_locations =
            vec![place(0.0, 0.0), place(0.9375, 0.0), place(0.0, 0.9375), place(0.5, 0.5)];
    }),
];

fn mixed() -> Scene {
    let mut scene = samples();
    scene.state.color_samples = Some(1);
    scene
}

fn modulated() -> Scene {
    let mut scene = mixed();
    scene.state.modulation = vk::CoverageModulationModeNV::RGBA;
    scene
}

fn masks() -> Scene {
    let mut scene = samples();
    scene.formats = vec![vk::Format::R8_UINT];
    scene
}

fn rectangles() -> Vec<vk::Rect2D> {
    [(2, 1), (5, 6)]
        .map(|(x, y)| vk::Rect2D {
            offset: vk::Offset2D { x, y },
            extent: vk::Extent2D { width: 6, height: 5 },
        })
        .to_vec()
}

fn discarded() -> Scene {
    let mut scene = scene();
    scene.state.discard_rectangles = rectangles();
    scene
}

fn culled() -> Scene {
    let mut scene = scene();
    scene.state.cull = vk::CullModeFlags::BACK;
    scene
}

fn stippled() -> Scene {
    let mut scene = lines();
    scene.state.stipple = Some((2, 0x5a5a));
    scene
}

fn bounded() -> Scene {
    let mut scene = scene();
    scene.state.depth_bounds = Some([0.25, 0.75]);
    scene
}

fn biased() -> Scene {
    let mut scene = depths();
    scene.state.bias = Some([-0.0625, 0.0, -0.25]);
    scene
}

fn logic() -> Scene {
    let mut scene = bytes();
    scene.state.logic_op = Some(vk::LogicOp::XOR);
    scene
}

fn constant() -> Scene {
    let mut scene = blends();
    scene.state.blend.dst_color_blend_factor = vk::BlendFactor::CONSTANT_COLOR;
    scene
}

#[test]
fn every_state_is_as_in_pipelines() {
    let lab = Lab::new(&[]);
    for (name, base, change) in CASES {
        let mut scene = base();
        let before = lab.draw(&scene, With::Pipeline);
        change(&mut scene);
        let after = lab.draw(&scene, With::Pipeline);
        let objects = lab.draw(&scene, With::Objects);
        assert!(after == objects, "{name}: shader objects draw something else");
        assert!(after != before, "{name}: it changes nothing");
    }
}

#[test]
fn strips_start_again_in_both() {
    let lab = Lab::new(&[]);
    let mut scene = scene();
    scene.state.topology = vk::PrimitiveTopology::LINE_STRIP;
    lab.set_parameters(&[0, 1, 2, u32::MAX, 4, 5]);
    let draw = |scene: &Scene, with| {
        lab.draw_by(scene, with, |device, commands| unsafe {
            device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
            device.cmd_draw_indexed(commands, 6, 1, 0, 0, 0);
        })
    };
    scene.state.restart = true;
    let restarted = draw(&scene, With::Pipeline);
    assert!(restarted == draw(&scene, With::Objects));
    let drawn = |x, y| restarted.at(0, x, y) != scene.clear;
    assert!(drawn(8, 1), "from corner 0 to corner 1");
    let count = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))).filter(|&(x, y)| drawn(x, y)).count();
    assert!(count > 20);
}

#[test]
fn strips_start_again_at_the_index_that_is_set() {
    let lab = Lab::new(&[c"VK_EXT_primitive_restart_index"]);
    let mut scene = scene();
    scene.state.topology = vk::PrimitiveTopology::LINE_STRIP;
    scene.state.restart = true;
    type Set = unsafe extern "system" fn(vk::CommandBuffer, u32);
    let name = c"vkCmdSetPrimitiveRestartIndexEXT";
    let set = unsafe {
        let body = lab.instance.get_device_proc_addr(lab.device.handle(), name);
        std::mem::transmute::<unsafe extern "system" fn(), Set>(body.expect("the command"))
    };
    let draw = |indices: &[u32], set_index: Option<u32>, binds_again: bool, with| {
        lab.set_parameters(indices);
        lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
            if let Some(index) = set_index {
                set(commands, index);
            }
            if binds_again {
                device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
            }
            device.cmd_draw_indexed(commands, 6, 1, 0, 0, 0);
        })
    };
    for with in [With::Pipeline, With::Objects] {
        let restarted = draw(&[0, 1, 2, u32::MAX, 4, 5], None, false, with);
        assert!(restarted == draw(&[0, 1, 2, 3, 4, 5], Some(3), false, with));
        // Binding an index buffer brings the usual index back.
        let whole = draw(&[0, 1, 2, 3, 4, 5], None, false, with);
        assert!(whole != restarted);
        assert!(whole == draw(&[0, 1, 2, 3, 4, 5], Some(3), true, with));
    }
}

#[test]
fn shader_binaries_of_another_build_are_refused() {
    let lab = Lab::new(&[]);
    let mut objects = vk::PhysicalDeviceShaderObjectPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut objects);
    unsafe {
        let physical_device = lab.instance.enumerate_physical_devices().expect("devices")[0];
        lab.instance.get_physical_device_properties2(physical_device, &mut all);
    }
    let of_caches = all.properties.pipeline_cache_uuid;
    // Another build has another identifier, so there are no versions to tell apart.
    assert_eq!((objects.shader_binary_uuid, objects.shader_binary_version), (of_caches, 1));
    assert_ne!(of_caches, Default::default());
}
