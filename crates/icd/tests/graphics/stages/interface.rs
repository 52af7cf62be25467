//! Locations, components and indices: vertex inputs to shaders, stages to each other, outputs to attachments.

use super::assembly::{Shader, WHOLE, passed_on, passing, rectangle};
use pyro_test_kit::fixed_state::Targets;
use pyro_test_kit::scene::{Lab, Scene, With};
use vulkanalia::prelude::v1_3::*;

const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The first pixel of each attachment, which all others must equal.
fn flat(lab: &Lab, scene: &Scene) -> Vec<[u32; 4]> {
    let picture = lab.draw_both(scene);
    let one = |words: &Vec<u32>| {
        let first: [u32; 4] = words[..4].try_into().expect("four");
        assert!(words.chunks_exact(4).all(|pixel| pixel == first));
        first
    };
    picture.colors.iter().map(one).collect()
}

/// Inputs of parts of attributes, by component, and outputs at several locations: an array, a part of a
/// vector, another part, and one that nobody reads.
fn parts() -> String {
    Shader {
        interface: "%place %left %right %position %array %low %high %extra",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %left Location 1
                      OpDecorate %right Location 1
                      OpDecorate %right Component 2
                      OpDecorate %position BuiltIn Position
                      OpDecorate %array Location 2
                      OpDecorate %low Location 4
                      OpDecorate %high Location 4
                      OpDecorate %high Component 1
                      OpDecorate %extra Location 9",
        globals: "%place = OpVariable %in_v4 Input
                  %left = OpVariable %in_v2 Input
                  %right = OpVariable %in_v2 Input
                  %position = OpVariable %out_v4 Output
                  %array = OpVariable %out_two_v4 Output
                  %low = OpVariable %out_float Output
                  %high = OpVariable %out_v3 Output
                  %extra = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               %l = OpLoad %v2 %left
               %r = OpLoad %v2 %right
               %first = OpCompositeConstruct %v4 %r %l
               %second = OpCompositeConstruct %v4 %l %l
               %a0 = OpAccessChain %out_v4 %array %u0
               OpStore %a0 %first
               %a1 = OpAccessChain %out_v4 %array %u1
               OpStore %a1 %second
               %x = OpCompositeExtract %float %l 0
               OpStore %low %x
               %three = OpCompositeConstruct %v3 %r %f2
               OpStore %high %three
               OpStore %extra %first",
        ..Shader::default()
    }
    .vertex()
}

/// Reads a shorter vector, one element, and parts at other components than they were written with.
fn shorter() -> String {
    Shader {
        interface: "%array %low %high %first %second",
        decorations: "OpDecorate %array Location 2
                      OpDecorate %low Location 4
                      OpDecorate %high Location 4
                      OpDecorate %high Component 1
                      OpDecorate %first Location 0
                      OpDecorate %second Location 1",
        globals: "%array = OpVariable %in_two_v4 Input
                  %low = OpVariable %in_float Input
                  %high = OpVariable %in_v2 Input
                  %first = OpVariable %out_v4 Output
                  %second = OpVariable %out_v4 Output",
        body: "%a0 = OpAccessChain %in_v4 %array %u0
               %a = OpLoad %v4 %a0
               OpStore %first %a
               %l = OpLoad %float %low
               %h = OpLoad %v2 %high
               %all = OpCompositeConstruct %v4 %l %h %f1
               OpStore %second %all",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn inputs_match_by_location_and_component() {
    let lab = Lab::new(&[]);
    let vector = [1.5, -2.0, 8.0, 0.25];
    let mut scene = Scene::new(&parts(), &shorter(), &rectangle(WHOLE, 0.5, vector));
    scene.formats = vec![FLOATS; 2];
    let expected = [[8.0, 0.25, 1.5, -2.0], [1.5, 8.0, 0.25, 1.0]];
    assert_eq!(flat(&lab, &scene), expected.map(|color: [f32; 4]| color.map(f32::to_bits)));
}

/// Outputs of two variables at one location, an array over two locations, and one that is never written but
/// has an initial value.
fn outputs() -> String {
    Shader {
        interface: "%passed %left %right %array %initial",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %left Location 0
                      OpDecorate %right Location 0
                      OpDecorate %right Component 2
                      OpDecorate %array Location 1
                      OpDecorate %initial Location 3",
        globals: "%passed = OpVariable %in_v4 Input
                  %start = OpConstantComposite %v4 %f16 %f2 %f1 %f0
                  %left = OpVariable %out_v2 Output
                  %right = OpVariable %out_v2 Output
                  %array = OpVariable %out_two_v4 Output
                  %initial = OpVariable %out_v4 Output %start",
        body: "%p = OpLoad %v4 %passed
               %xy = OpVectorShuffle %v2 %p %p 0 1
               %zw = OpVectorShuffle %v2 %p %p 2 3
               OpStore %left %zw
               OpStore %right %xy
               %a0 = OpAccessChain %out_v4 %array %u0
               OpStore %a0 %p
               %a1 = OpAccessChain %out_v4 %array %u1
               %d = OpFAdd %v4 %p %p
               OpStore %a1 %d",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn outputs_match_by_location_and_component() {
    let lab = Lab::new(&[]);
    let vector = [1.0, 2.0, 3.0, 4.0];
    let mut scene = Scene::new(&passing(), &outputs(), &rectangle(WHOLE, 0.5, vector));
    scene.formats = vec![FLOATS; 4];
    let expected = [[3.0, 4.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0], [16.0, 2.0, 1.0, 0.0]];
    assert_eq!(flat(&lab, &scene), expected.map(|color: [f32; 4]| color.map(f32::to_bits)));
    // Attachments without an output, and outputs without an attachment, do no harm.
    scene.formats = vec![FLOATS];
    assert_eq!(flat(&lab, &scene)[0], expected[0].map(f32::to_bits));
}

/// One component only; the others are anything.
fn one_component() -> String {
    Shader {
        interface: "%passed %out",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %out Location 1
                      OpDecorate %out Component 1",
        globals: "%passed = OpVariable %in_v4 Input
                  %out = OpVariable %out_float Output",
        body: "%p = OpLoad %v4 %passed
               %y = OpCompositeExtract %float %p 1
               OpStore %out %y",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn unwritten_components_do_not_disturb_written_ones() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &one_component(), &rectangle(WHOLE, 0.5, [5.0, 6.0, 7.0, 8.0]));
    scene.formats = vec![FLOATS; 2];
    scene.state.blend.color_write_mask = vk::ColorComponentFlags::G;
    scene.clear = [0.5; 4];
    let found = lab.draw_both(&scene);
    assert_eq!(found.at(1, 4, 4), [0.5, 6.0, 0.5, 0.5]);
}

/// Two sources at location 0.
fn two_sources() -> String {
    Shader {
        interface: "%passed %first %second",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %first Location 0
                      OpDecorate %first Index 0
                      OpDecorate %second Location 0
                      OpDecorate %second Index 1",
        globals: "%passed = OpVariable %in_v4 Input
                  %first = OpVariable %out_v4 Output
                  %second = OpVariable %out_v4 Output
                  %factors = OpConstantComposite %v4 %f2 %fhalf %f1 %fquarter",
        body: "%p = OpLoad %v4 %passed
               OpStore %first %p
               OpStore %second %factors",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn index_one_is_the_second_source_of_blending() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &two_sources(), &rectangle(WHOLE, 0.5, [1.0, 2.0, 3.0, 4.0]));
    scene.clear = [8.0; 4];
    let blend = &mut scene.state.blend;
    blend.blend_enable = vk::TRUE;
    blend.src_color_blend_factor = vk::BlendFactor::SRC1_COLOR;
    blend.dst_color_blend_factor = vk::BlendFactor::SRC1_ALPHA;
    blend.src_alpha_blend_factor = vk::BlendFactor::ZERO;
    blend.dst_alpha_blend_factor = vk::BlendFactor::SRC1_ALPHA;
    assert_eq!(flat(&lab, &scene)[0], [4.0f32, 3.0, 5.0, 2.0].map(f32::to_bits));
}

/// Unsigned, signed and float outputs.
fn kinds() -> String {
    Shader {
        interface: "%passed %unsigned %signed %floats",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %unsigned Location 0
                      OpDecorate %signed Location 1
                      OpDecorate %floats Location 2",
        globals: "%passed = OpVariable %in_v4 Input
                  %unsigned = OpVariable %out_u4 Output
                  %signed = OpVariable %out_i4 Output
                  %floats = OpVariable %out_v4 Output
                  %big = OpConstant %uint 4000000000
                  %less = OpConstant %int -5
                  %us = OpConstantComposite %u4 %big %u3 %u16 %u0
                  %is = OpConstantComposite %i4 %less %i1 %i0 %less",
        body: "%p = OpLoad %v4 %passed
               OpStore %floats %p
               OpStore %unsigned %us
               OpStore %signed %is",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn outputs_have_the_attachments_kinds() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &kinds(), &rectangle(WHOLE, 0.5, [0.5, -1.0, 2.0, 3.0]));
    scene.formats = vec![vk::Format::R32G32B32A32_UINT, vk::Format::R32G32B32A32_SINT, FLOATS];
    let less = -5i32 as u32;
    let floats = [0.5f32, -1.0, 2.0, 3.0].map(f32::to_bits);
    assert_eq!(flat(&lab, &scene), [[4_000_000_000, 3, 16, 0], [less, 1, 0, less], floats]);
}

#[test]
fn normalized_formats_convert_and_integers_keep_their_low_bits() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &kinds(), &rectangle(WHOLE, 0.5, [0.5, -1.0, 2.0, 1.0]));
    scene.formats =
        vec![vk::Format::R8G8B8A8_UINT, vk::Format::R16G16B16A16_SINT, vk::Format::R8G8B8A8_UNORM];
    let picture = lab.draw_both(&scene);
    // Out of range is undefined in the first component; the others fit.
    assert_eq!(picture.colors[0][0] >> 8, 0x1003);
    assert_eq!(picture.colors[1][..2], [0x0001_fffb, 0xfffb_0000]);
    let [r, g, b, a] = picture.colors[2][0].to_le_bytes();
    assert!((127..=128).contains(&r) && [g, b, a] == [0, 255, 255]);
}

/// Both built-ins and user variables at once; the fragment shader reads one that no stage has written.
#[test]
fn unwritten_inputs_are_undefined_but_safe() {
    let lab = Lab::new(&[]);
    let fragment = Shader {
        interface: "%coord %passed %out",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %passed Location 0
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %passed = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%c = OpLoad %v4 %coord
               %p = OpLoad %v4 %passed
               %sum = OpFAdd %v4 %c %p
               %x = OpCompositeExtract %float %c 0
               %part = OpCompositeInsert %v4 %x %sum 0
               OpStore %out %part",
        ..Shader::default()
    }
    .fragment();
    // The output is there, but never written.
    let vertex = passing().replace("OpStore %passed %c", "");
    let scene = Scene::new(&vertex, &fragment, &rectangle(WHOLE, 0.5, [1.0; 4]));
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw(&scene, with);
        assert_eq!([0, 5, 15].map(|x| picture.at(0, x, 2)[0]), [0.5, 5.5, 15.5]);
    }
}

#[test]
fn modules_may_be_part_of_the_stage() {
    let lab = Lab::new(&[]);
    let fragment = passed_on();
    let scene = Scene::new(&passing(), &fragment, &rectangle(WHOLE, 0.5, [3.0; 4]));
    let words =
        [&scene.vertex, &scene.fragment].map(|text| pyro_spirv::asm::assemble(text).expect("assembly"));
    let mut infos = [0, 1].map(|stage: usize| {
        vk::ShaderModuleCreateInfo::builder().code_size(words[stage].len() * 4).code(&words[stage])
    });
    let flags = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let mut flags = flags.into_iter();
    let stages: Vec<_> = infos
        .iter_mut()
        .map(|info| {
            let stage = flags.next().expect("two stages");
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).name(b"main\0").push_next(info).build()
        })
        .collect();
    let targets = Targets { formats: &scene.formats, ..Targets::default() };
    let pipeline = scene.state.pipeline(&lab.device, &stages, lab.layout, &targets);
    let picture = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        device.cmd_draw(commands, 6, 1, 0, 0);
    });
    assert_eq!(picture.at(0, 9, 9), [3.0; 4]);
    unsafe { lab.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn locations_have_limits() {
    let lab = Lab::new(&[]);
    let limited = |location: u32| {
        let text = one_component()
            .replace("OpDecorate %out Location 1", &format!("OpDecorate %out Location {location}"));
        let scene = Scene::new(&passing(), &text, &rectangle(WHOLE, 0.5, [0.0; 4]));
        let made = lab.try_pipeline(&scene);
        made.map(|pipeline| unsafe { lab.device.destroy_pipeline(pipeline, None) })
    };
    assert!(limited(15).is_ok(), "`maxFragmentOutputAttachments` is 16");
    assert!(limited(16).is_err() && limited(u32::MAX).is_err());

    // Vertex attributes: the last one is read, the one behind it refused.
    let vertex =
        |location: u32| passing().replace("%color Location 1", &format!("%color Location {location}"));
    let mut scene = Scene::new(&vertex(31), &outputs(), &rectangle(WHOLE, 0.5, [1.0, 2.0, 3.0, 4.0]));
    scene.state.second_location = 31;
    assert_eq!(flat(&lab, &scene)[0], [3.0f32, 4.0, 1.0, 2.0].map(f32::to_bits));
    (scene.vertex, scene.state.second_location) = (vertex(32), 32);
    assert!(lab.try_pipeline(&scene).is_err(), "`maxVertexInputAttributes` is 32");
}

/// Arrays of scalars and vectors side by side in the same locations.
#[test]
fn arrays_leave_components_free() {
    let lab = Lab::new(&[]);
    let arrays = "%two_float = OpTypeArray %float %u2c
                  %two_v3 = OpTypeArray %v3 %u2c";
    let decorations = "OpDecorate %scalars Location 5
                       OpDecorate %vectors Location 5
                       OpDecorate %vectors Component 1";
    let vertex = Shader {
        interface: "%place %color %position %scalars %vectors",
        decorations: &format!(
            "OpDecorate %place Location 0
             OpDecorate %color Location 1
             OpDecorate %position BuiltIn Position
             {decorations}"
        ),
        globals: &format!(
            "{arrays}
             %ptr_floats = OpTypePointer Output %two_float
             %ptr_vectors = OpTypePointer Output %two_v3
             %place = OpVariable %in_v4 Input
             %color = OpVariable %in_v4 Input
             %position = OpVariable %out_v4 Output
             %scalars = OpVariable %ptr_floats Output
             %vectors = OpVariable %ptr_vectors Output"
        ),
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               %c = OpLoad %v4 %color
               %x = OpCompositeExtract %float %c 0
               %double = OpFAdd %float %x %x
               %floats = OpCompositeConstruct %two_float %x %double
               OpStore %scalars %floats
               %yzw = OpVectorShuffle %v3 %c %c 1 2 3
               %zyx = OpVectorShuffle %v3 %c %c 2 1 0
               %both = OpCompositeConstruct %two_v3 %yzw %zyx
               OpStore %vectors %both",
        ..Shader::default()
    };
    let fragment = Shader {
        interface: "%scalars %vectors %first %second",
        decorations: &format!(
            "{decorations}
             OpDecorate %first Location 0
             OpDecorate %second Location 1"
        ),
        globals: &format!(
            "{arrays}
             %ptr_floats = OpTypePointer Input %two_float
             %ptr_vectors = OpTypePointer Input %two_v3
             %scalars = OpVariable %ptr_floats Input
             %vectors = OpVariable %ptr_vectors Input
             %first = OpVariable %out_v4 Output
             %second = OpVariable %out_v4 Output"
        ),
        body: "%floats = OpLoad %two_float %scalars
               %both = OpLoad %two_v3 %vectors
               %a = OpCompositeExtract %float %floats 0
               %b = OpCompositeExtract %float %floats 1
               %va = OpCompositeExtract %v3 %both 0
               %vb = OpCompositeExtract %v3 %both 1
               %one = OpCompositeConstruct %v4 %a %va
               %two = OpCompositeConstruct %v4 %b %vb
               OpStore %first %one
               OpStore %second %two",
        ..Shader::default()
    };
    let vertices = rectangle(WHOLE, 0.5, [1.0, 2.0, 3.0, 4.0]);
    let mut scene = Scene::new(&vertex.vertex(), &fragment.fragment(), &vertices);
    scene.formats = vec![FLOATS; 2];
    let expected = [[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 2.0, 1.0]];
    assert_eq!(flat(&lab, &scene), expected.map(|color: [f32; 4]| color.map(f32::to_bits)));
}

#[test]
fn the_device_is_the_first_of_its_group() {
    let lab = Lab::new(&[]);
    let fragment = Shader {
        capabilities: "OpCapability DeviceGroup",
        extensions: "OpExtension \"SPV_KHR_device_group\"",
        interface: "%device %out",
        decorations: "OpDecorate %device BuiltIn DeviceIndex
                      OpDecorate %device Flat
                      OpDecorate %out Location 0",
        globals: "%device = OpVariable %in_int Input
                  %out = OpVariable %out_v4 Output",
        body: "%d = OpLoad %int %device
               %df = OpConvertSToF %float %d
               %all = OpCompositeConstruct %v4 %df %f1 %f1 %f1
               OpStore %out %all",
        ..Shader::default()
    };
    let scene = Scene::new(&passing(), &fragment.fragment(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    assert_eq!(flat(&lab, &scene)[0], [0.0f32, 1.0, 1.0, 1.0].map(f32::to_bits));
}

/// Numbers of 16 bits go from stage to stage: interpolated floats, and integers as they are.
#[test]
fn numbers_of_16_bits_go_from_stage_to_stage() {
    let with = |shader: pyro_shadertext::Shader| {
        shader.capability("Float16 Int16 StorageInputOutput16").extension("SPV_KHR_16bit_storage").text()
    };
    let vertex = pyro_shadertext::Shader::vertex(
        "%p = OpLoad %float4 %place
        %c = OpLoad %float4 %color
        OpStore %position %p
        %narrow = OpFConvert %half4 %c
        OpStore %halves %narrow
        %red = OpCompositeExtract %float %c 0
        %number = OpConvertFToS %i16 %red
        OpStore %short %number",
    )
    .input("place", "float4", "Location 0")
    .input("color", "float4", "Location 1")
    .output("halves", "half4", "Location 0")
    .output("short", "i16", "Location 1");
    let fragment = pyro_shadertext::Shader::fragment(
        "%h = OpLoad %half4 %halves
        %s = OpLoad %i16 %short
        %wide = OpFConvert %float4 %h
        %number = OpConvertSToF %float %s
        %all = OpCompositeInsert %float4 %number %wide 0
        OpStore %out %all",
    )
    .input("halves", "half4", "Location 0")
    .input("short", "i16", "Location 1, Flat")
    .output("out", "float4", "Location 0");
    let lab = Lab::new(&[]);
    let color = [-300.0, 0.5, 0.25, 1.5];
    let scene = Scene::new(&with(vertex), &with(fragment), &rectangle(WHOLE, 0.5, color));
    assert_eq!(flat(&lab, &scene), [color.map(f32::to_bits)]);
}
