//! The vertex stage: its built-ins, what it runs for, and layers, viewports, views.

use super::assembly::{Shader, WHOLE, rectangle};
use pyro_test_kit::fixed_state::Targets;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use std::collections::BTreeSet;
use vulkanalia::prelude::v1_3::*;

/// Appends its built-ins to the buffer: word 0 counts invocations, five words each follow. `VertexIndex` is
/// declared unsigned, `InstanceIndex` signed.
fn appending() -> String {
    let append = (1..=5).map(|word| {
        let value = ["%vertex_", "%instance_", "%base_", "%base_instance_", "%draw_"][word - 1];
        format!(
            "%at{word} = OpIAdd %uint %slot %k{word}
             %cell{word} = OpAccessChain %ptr_uint %buffer %i0 %at{word}
             OpStore %cell{word} {value}\n"
        )
    });
    let loads =
        [("vertex", "uint"), ("instance", "int"), ("base", "int"), ("base_instance", "int"), ("draw", "int")]
            .map(|(name, ty)| match ty {
                "uint" => format!("%{name}_ = OpLoad %uint %{name}\n"),
                _ => format!("%{name}_i = OpLoad %int %{name}\n%{name}_ = OpBitcast %uint %{name}_i\n"),
            });
    let body = format!(
        "%p = OpLoad %v4 %place
         OpStore %position %p
         {}
         %counter = OpAccessChain %ptr_uint %buffer %i0 %u0
         %number = OpAtomicIAdd %uint %counter %u1 %u0 %u1
         %slot = OpIMul %uint %number %u5
         {}",
        loads.concat(),
        append.collect::<String>(),
    );
    Shader {
        capabilities: "OpCapability DrawParameters",
        extensions: "OpExtension \"SPV_KHR_shader_draw_parameters\"",
        interface: "%place %position %vertex %instance %base %base_instance %draw",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %position BuiltIn Position
                      OpDecorate %vertex BuiltIn VertexIndex
                      OpDecorate %instance BuiltIn InstanceIndex
                      OpDecorate %base BuiltIn BaseVertex
                      OpDecorate %base_instance BuiltIn BaseInstance
                      OpDecorate %draw BuiltIn DrawIndex",
        globals: "%place = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %vertex = OpVariable %in_uint Input
                  %instance = OpVariable %in_int Input
                  %base = OpVariable %in_int Input
                  %base_instance = OpVariable %in_int Input
                  %draw = OpVariable %in_int Input
                  %k1 = OpConstant %uint 1
                  %k2 = OpConstant %uint 2
                  %k3 = OpConstant %uint 3
                  %k4 = OpConstant %uint 4
                  %k5 = OpConstant %uint 5",
        body: &body,
        ..Shader::default()
    }
    .vertex()
}

/// Writes a constant.
fn white() -> String {
    Shader {
        interface: "%out",
        decorations: "OpDecorate %out Location 0",
        globals: "%out = OpVariable %out_v4 Output
                  %white = OpConstantComposite %v4 %f1 %f1 %f1 %f1",
        body: "OpStore %out %white",
        ..Shader::default()
    }
    .fragment()
}

/// The built-ins of all invocations, and how many there were.
fn invocations(words: &[u32]) -> (BTreeSet<[u32; 5]>, u32) {
    let all = words[1..].chunks_exact(5).take(words[0] as usize);
    (all.map(|one| one.try_into().expect("five")).collect(), words[0])
}

#[test]
fn built_ins_are_those_of_the_draw() {
    let lab = Lab::new(&[]);
    let corners: Vec<_> = (0..12).map(|_| [[0.0; 4]; 2]).collect();
    let scene = Scene::new(&appending(), &white(), &corners);
    type Record<'a> = &'a dyn Fn(&Device, vk::CommandBuffer);
    let parameters = lab.parameters();
    // Two direct records of four words from byte 64 on, two indexed ones of five from byte 128 on.
    let mut words = vec![0; 64];
    words[..6].copy_from_slice(&[3, 5, 3, 3, 1, 5]);
    words[16..24].copy_from_slice(&[3, 1, 2, 0, 3, 2, 6, 4]);
    words[32..42].copy_from_slice(&[3, 1, 0, 1, 0, 3, 1, 3, 2, 6]);
    lab.set_parameters(&words);
    let direct: Record<'_> = &|device, commands| unsafe { device.cmd_draw(commands, 3, 2, 4, 7) };
    let indexed: Record<'_> = &|device, commands| unsafe {
        device.cmd_bind_index_buffer(commands, parameters, 0, vk::IndexType::UINT32);
        device.cmd_draw_indexed(commands, 6, 2, 0, 2, 1);
    };
    let indirect: Record<'_> =
        &|device, commands| unsafe { device.cmd_draw_indirect(commands, parameters, 64, 2, 16) };
    let indexed_indirect: Record<'_> = &|device, commands| unsafe {
        device.cmd_bind_index_buffer(commands, parameters, 0, vk::IndexType::UINT32);
        device.cmd_draw_indexed_indirect(commands, parameters, 128, 2, 20);
    };
    let product = |vertices: &[u32], instances: &[u32], rest: [u32; 3]| {
        let all =
            instances.iter().flat_map(|&instance| vertices.iter().map(move |&vertex| (vertex, instance)));
        all.map(|(vertex, instance)| [vertex, instance, rest[0], rest[1], rest[2]]).collect::<Vec<_>>()
    };
    let cases: [(&str, Record<'_>, Vec<[u32; 5]>); 4] = [
        ("direct", direct, product(&[4, 5, 6], &[7, 8], [4, 7, 0])),
        ("indexed", indexed, product(&[5, 7, 3], &[1, 2], [2, 1, 0])),
        ("indirect", indirect, {
            [product(&[2, 3, 4], &[0], [2, 0, 0]), product(&[6, 7, 8], &[4, 5], [6, 4, 1])].concat()
        }),
        ("indexed and indirect", indexed_indirect, {
            [product(&[4, 6], &[0], [1, 0, 0]), product(&[5, 3, 7], &[6], [2, 6, 1])].concat()
        }),
    ];
    for (name, record, expected) in cases {
        for with in [With::Pipeline, With::Objects] {
            let (found, count) = invocations(&lab.draw_by(&scene, with, record).words);
            assert_eq!(found, expected.iter().copied().collect(), "{name} {with:?}");
            // At least once for each vertex, and at most once for each index.
            assert!(count as usize >= expected.len() && count <= 12, "{name} {with:?}: {count}");
        }
    }
}

#[test]
fn pipelines_begin_with_a_vertex_shader() {
    let lab = Lab::new(&[]);
    let scene = Scene::new(&appending(), &white(), &[]);
    let words = pyro_spirv::asm::assemble(&scene.fragment).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    let module = unsafe { lab.device.create_shader_module(&info, None) }.expect("a module");
    let stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::FRAGMENT)
        .module(module)
        .name(b"main\0");
    let targets = Targets { formats: &scene.formats, ..Targets::default() };
    let made = scene.state.try_pipeline(&lab.device, &[stage.build()], lab.layout, &targets);
    assert!(made.is_err());
    unsafe { lab.device.destroy_shader_module(module, None) };
}

const DISTANCES: &str = "OpCapability ClipDistance
                         OpCapability CullDistance";

/// Position, point size, a clip and a cull distance from the vector's x and y.
fn distances(capabilities: &'static str) -> String {
    Shader {
        capabilities,
        interface: "%place %color %position %size %clip %cull",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %color Location 1
                      OpDecorate %position BuiltIn Position
                      OpDecorate %size BuiltIn PointSize
                      OpDecorate %clip BuiltIn ClipDistance
                      OpDecorate %cull BuiltIn CullDistance",
        globals: "%place = OpVariable %in_v4 Input
                  %color = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %size = OpVariable %out_float Output
                  %clip = OpVariable %out_one_float Output
                  %cull = OpVariable %out_one_float Output",
        body: "%p = OpLoad %v4 %place
               %c = OpLoad %v4 %color
               OpStore %position %p
               %x = OpCompositeExtract %float %c 0
               %y = OpCompositeExtract %float %c 1
               %z = OpCompositeExtract %float %c 2
               OpStore %size %z
               %clip_ = OpAccessChain %out_float %clip %i0
               OpStore %clip_ %x
               %cull_ = OpAccessChain %out_float %cull %i0
               OpStore %cull_ %y",
        ..Shader::default()
    }
    .vertex()
}

/// Pixels of the first attachment that were drawn.
fn covered(lab: &Lab, scene: &Scene) -> Vec<(u32, u32)> {
    let picture = lab.draw_both(scene);
    let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
    all.filter(|&(x, y)| picture.at(0, x, y)[0] != 0.0).collect()
}

#[test]
fn distances_clip_without_their_capability() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&distances(""), &white(), &rectangle(WHOLE, 0.5, [0.0, 1.0, 1.0, 0.0]));
    scene.vertices.iter_mut().for_each(|vertex| vertex[1][0] = vertex[0][0]);
    assert_eq!(covered(&lab, &scene).len() as u32, SIZE * SIZE / 2, "clipped");
    scene.vertices.iter_mut().for_each(|vertex| vertex[1] = [1.0, -1.0, 1.0, 0.0]);
    assert_eq!(covered(&lab, &scene).len(), 0, "culled");
}

#[test]
fn point_sizes_and_distances_decide_what_is_covered() {
    let lab = Lab::new(&[]);
    let mut scene =
        Scene::new(&distances(DISTANCES), &white(), &[[[0.0, 0.0, 0.5, 1.0], [1.0, 1.0, 5.0, 0.0]]]);
    scene.state.topology = vk::PrimitiveTopology::POINT_LIST;
    assert_eq!(covered(&lab, &scene).len(), 25);
    scene.vertices[0][1][0] = -1.0;
    assert_eq!(covered(&lab, &scene).len(), 0, "a point whose clip distance is negative");

    scene.state.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    // The clip distance is x, so what is left of the middle goes.
    scene.vertices = rectangle(WHOLE, 0.5, [0.0, 1.0, 1.0, 0.0]).to_vec();
    scene.vertices.iter_mut().for_each(|vertex| vertex[1][0] = vertex[0][0]);
    let right = covered(&lab, &scene);
    assert_eq!(right.len() as u32, SIZE * SIZE / 2);
    assert!(right.iter().all(|&(x, _)| x >= SIZE / 2));

    // A primitive goes as a whole, and only if the cull distances of all its vertices are negative.
    scene.vertices.iter_mut().for_each(|vertex| vertex[1] = [1.0, -1.0, 1.0, 0.0]);
    assert_eq!(covered(&lab, &scene).len(), 0);
    scene.vertices[1][1][1] = 0.5;
    assert_eq!(covered(&lab, &scene).len() as u32, SIZE * (SIZE - 1) / 2, "one of two triangles");
}

/// Layer and viewport are the instance's number plus a base; the fragment shader writes what it sees of them.
fn placing() -> [String; 2] {
    let globals = "%place = OpVariable %in_v4 Input
                   %position = OpVariable %out_v4 Output
                   %instance = OpVariable %in_int Input
                   %layer = OpVariable %out_int Output
                   %viewport = OpVariable %out_int Output";
    let vertex = Shader {
        capabilities: "OpCapability ShaderViewportIndexLayerEXT",
        extensions: "OpExtension \"SPV_EXT_shader_viewport_index_layer\"",
        interface: "%place %position %instance %layer %viewport",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %position BuiltIn Position
                      OpDecorate %instance BuiltIn InstanceIndex
                      OpDecorate %layer BuiltIn Layer
                      OpDecorate %viewport BuiltIn ViewportIndex",
        globals,
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               %n = OpLoad %int %instance
               %other = OpISub %int %i1 %n
               OpStore %layer %n
               OpStore %viewport %other",
        ..Shader::default()
    };
    let fragment = Shader {
        capabilities: "OpCapability Geometry
                       OpCapability MultiViewport",
        interface: "%layer %viewport %out",
        decorations: "OpDecorate %layer BuiltIn Layer
                      OpDecorate %layer Flat
                      OpDecorate %viewport BuiltIn ViewportIndex
                      OpDecorate %viewport Flat
                      OpDecorate %out Location 0",
        globals: "%layer = OpVariable %in_int Input
                  %viewport = OpVariable %in_int Input
                  %out = OpVariable %out_v4 Output",
        body: "%l = OpLoad %int %layer
               %v = OpLoad %int %viewport
               %lf = OpConvertSToF %float %l
               %vf = OpConvertSToF %float %v
               %all = OpCompositeConstruct %v4 %lf %vf %f1 %f1
               OpStore %out %all",
        ..Shader::default()
    };
    [vertex.vertex(), fragment.fragment()]
}

#[test]
fn layers_and_viewports_are_chosen_by_primitive() {
    let lab = Lab::new(&[c"VK_EXT_shader_viewport_index_layer"]);
    let [vertex, fragment] = placing();
    let mut scene = Scene::new(&vertex, &fragment, &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.layers = 2;
    let half = SIZE as f32 / 2.0;
    let mut right = scene.state.viewports[0];
    scene.state.viewports[0].width = half;
    (right.x, right.width) = (half, half);
    scene.state.viewports.push(right);
    let mut top = scene.state.scissors[0];
    top.extent.height = 4;
    scene.state.scissors.push(top);
    // Instance 0: layer 0, viewport 1. Instance 1: layer 1, viewport 0. Instance 2: no such layer.
    let draw =
        |with| lab.draw_by(&scene, with, |device, commands| unsafe { device.cmd_draw(commands, 6, 3, 0, 0) });
    let picture = draw(With::Pipeline);
    assert!(picture == draw(With::Objects));
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let left = x < SIZE / 2;
        let first = if !left && y < 4 { [0.0, 1.0, 1.0, 1.0] } else { [0.0; 4] };
        let second = if left { [1.0, 0.0, 1.0, 1.0] } else { [0.0; 4] };
        assert_eq!(picture.words_at(0, x, y, 0), first.map(f32::to_bits), "{x} {y}");
        assert_eq!(picture.words_at(0, x, y, 1), second.map(f32::to_bits), "{x} {y}");
    }
}

/// Both stages see the view.
fn viewing() -> [String; 2] {
    let vertex = Shader {
        capabilities: "OpCapability MultiView",
        extensions: "OpExtension \"SPV_KHR_multiview\"",
        interface: "%place %position %view %passed",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %position BuiltIn Position
                      OpDecorate %view BuiltIn ViewIndex
                      OpDecorate %passed Location 0
                      OpDecorate %passed Flat",
        globals: "%place = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %view = OpVariable %in_int Input
                  %passed = OpVariable %out_int Output",
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               %v = OpLoad %int %view
               OpStore %passed %v
               %counter = OpAccessChain %ptr_uint %buffer %i0 %v
               %number = OpAtomicIAdd %uint %counter %u1 %u0 %u1",
        ..Shader::default()
    };
    let fragment = Shader {
        capabilities: "OpCapability MultiView",
        extensions: "OpExtension \"SPV_KHR_multiview\"",
        interface: "%view %passed %out",
        decorations: "OpDecorate %view BuiltIn ViewIndex
                      OpDecorate %view Flat
                      OpDecorate %passed Location 0
                      OpDecorate %passed Flat
                      OpDecorate %out Location 0",
        globals: "%view = OpVariable %in_int Input
                  %passed = OpVariable %in_int Input
                  %out = OpVariable %out_v4 Output",
        body: "%a = OpLoad %int %view
               %b = OpLoad %int %passed
               %af = OpConvertSToF %float %a
               %bf = OpConvertSToF %float %b
               %all = OpCompositeConstruct %v4 %af %bf %f1 %f1
               OpStore %out %all",
        ..Shader::default()
    };
    [vertex.vertex(), fragment.fragment()]
}

/// With the flag the view is the device, of which there is one; each view is drawn all the same.
#[test]
fn views_may_be_numbered_like_devices() {
    let lab = Lab::new(&[]);
    let [vertex, fragment] = viewing();
    let mut scene = Scene::new(&vertex, &fragment, &rectangle(WHOLE, 0.5, [0.0; 4]));
    (scene.layers, scene.view_mask) = (3, 0b110);
    scene.flags = vk::PipelineCreateFlags2::VIEW_INDEX_FROM_DEVICE_INDEX;
    let picture = lab.draw(&scene, With::Pipeline);
    for layer in 0..3 {
        let expected = if layer == 0 { [0.0; 4] } else { [0.0, 0.0, 1.0, 1.0] };
        assert_eq!(picture.words_at(0, 3, 9, layer), expected.map(f32::to_bits), "{layer}");
    }
    assert!(picture.words[0] >= 8 && picture.words[1..3] == [0; 2], "{:?}", &picture.words[..3]);
}

#[test]
fn stages_run_for_each_view() {
    let lab = Lab::new(&[]);
    let [vertex, fragment] = viewing();
    let mut scene = Scene::new(&vertex, &fragment, &rectangle(WHOLE, 0.5, [0.0; 4]));
    (scene.layers, scene.view_mask) = (3, 0b101);
    let picture = lab.draw(&scene, With::Pipeline);
    for layer in 0..3 {
        let view = layer as f32;
        let expected = if layer == 1 { [0.0; 4] } else { [view, view, 1.0, 1.0] };
        assert_eq!(picture.words_at(0, 3, 9, layer), expected.map(f32::to_bits), "{layer}");
    }
    assert!(
        picture.words[0] >= 4 && picture.words[1] == 0 && picture.words[2] >= 4,
        "{:?}",
        &picture.words[..3]
    );
}
