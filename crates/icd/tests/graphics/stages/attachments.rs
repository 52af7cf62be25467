//! Shaders that read what they draw to: input attachments, feedback loops, tile images; and what else
//! attachments see.

use super::assembly::{Shader, WHOLE, passing, rectangle};
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtAttachmentFeedbackLoopDynamicStateExtensionDeviceCommands as _,
    ExtShaderObjectExtensionDeviceCommands as _, KhrDynamicRenderingLocalReadExtensionDeviceCommands as _,
};

/// Adds the vector to twice what an expression gives, `%old`.
fn accumulating(
    capabilities: &str,
    extensions: &str,
    decorations: &str,
    globals: &str,
    read: &str,
) -> String {
    let decorations = format!(
        "OpDecorate %passed Location 0
         OpDecorate %out Location 0
         {decorations}"
    );
    let globals = format!(
        "%passed = OpVariable %in_v4 Input
         %out = OpVariable %out_v4 Output
         {globals}"
    );
    let body = format!(
        "%p = OpLoad %v4 %passed
         {read}
         %twice = OpFAdd %v4 %old %old
         %new = OpFAdd %v4 %twice %p
         OpStore %out %new"
    );
    Shader {
        capabilities,
        extensions,
        interface: "%passed %out",
        decorations: &decorations,
        globals: &globals,
        body: &body,
        ..Shader::default()
    }
    .fragment()
}

/// Through the first attachment as a tile image.
fn by_tile_image() -> String {
    accumulating(
        "OpCapability TileImageColorReadAccessEXT",
        "OpExtension \"SPV_EXT_shader_tile_image\"",
        "OpDecorate %tile Location 0",
        "%tile_type = OpTypeImage %float TileImageDataEXT 2 0 0 2 Unknown
         %ptr_tile = OpTypePointer TileImageEXT %tile_type
         %tile = OpVariable %ptr_tile TileImageEXT",
        "%t = OpLoad %tile_type %tile
         %old = OpColorAttachmentReadEXT %v4 %t",
    )
}

/// The same for the sample that the invocation stands for.
fn by_sample() -> String {
    by_tile_image()
        .replace("OpCapability TileImageColor", "OpCapability SampleRateShading\nOpCapability TileImageColor")
        .replace("\"main\" %passed", "\"main\" %id %passed")
        .replace(
            "OpDecorate %tile ",
            "OpDecorate %id BuiltIn SampleId\nOpDecorate %id Flat\nOpDecorate %tile ",
        )
        .replace("%tile_type = ", "%id = OpVariable %in_uint Input\n%tile_type = ")
        .replace("OpLoad %tile_type %tile", "OpLoad %tile_type %tile\n%n = OpLoad %uint %id")
        .replace("%v4 %t\n", "%v4 %t %n\n")
}

/// Through an input attachment.
fn by_input_attachment() -> String {
    accumulating(
        "OpCapability InputAttachment",
        "",
        "OpDecorate %input DescriptorSet 0
         OpDecorate %input Binding 2
         OpDecorate %input InputAttachmentIndex 0",
        "%input_type = OpTypeImage %float SubpassData 2 0 0 2 Unknown
         %ptr_input = OpTypePointer UniformConstant %input_type
         %input = OpVariable %ptr_input UniformConstant
         %v2i = OpTypeVector %int 2
         %origin = OpConstantComposite %v2i %i0 %i0",
        "%t = OpLoad %input_type %input
         %old = OpImageRead %v4 %t %origin",
    )
}

/// Three rectangles, each over a part of the one before.
fn overlapping() -> Vec<[[f32; 4]; 2]> {
    let rectangles = [
        rectangle(WHOLE, 0.25, [1.0, 10.0, 100.0, 0.5]),
        rectangle([-0.5, -0.75, 1.0, 1.0], 0.5, [2.0, 20.0, 200.0, 0.25]),
        rectangle([0.0, -1.0, 0.5, 1.0], 0.75, [4.0, 40.0, 400.0, 0.125]),
    ];
    rectangles.concat()
}

/// What the pixel (`x`, `y`) holds after `draws` times [`overlapping`], each of which doubles what was there
/// and adds.
fn accumulated(x: u32, y: u32, start: f32, draws: u32) -> [f32; 4] {
    let inside = |[x0, y0, x1, y1]: [f32; 4]| {
        let [x, y] = [x, y].map(|at| (at as f32 + 0.5) / 8.0 - 1.0);
        x > x0 && x < x1 && y > y0 && y < y1
    };
    let mut color = [start; 4];
    for _ in 0..draws {
        for one in overlapping().chunks(6) {
            let (first, last) = (one[0][0], one[5][0]);
            if inside([first[0], first[1], last[0], last[1]]) {
                color = std::array::from_fn(|index| 2.0 * color[index] + one[0][1][index]);
            }
        }
    }
    color
}

#[test]
fn tile_images_are_read_in_the_order_of_primitives() {
    let lab = Lab::new(&[c"VK_EXT_shader_tile_image"]);
    let mut scene = Scene::new(&passing(), &by_tile_image(), &overlapping());
    scene.clear = [3.0; 4];
    for samples in [1, 4] {
        scene.state.samples = samples;
        if samples == 4 {
            // Each invocation its own sample: a pixel's other samples may be of another triangle.
            scene.fragment = by_sample();
        }
        for with in [With::Pipeline, With::Objects] {
            let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
                device.cmd_draw(commands, 18, 1, 0, 0);
                device.cmd_draw(commands, 18, 1, 0, 0);
            });
            for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                assert_eq!(picture.at(0, x, y), accumulated(x, y, 3.0, 2), "{samples} {with:?} {x} {y}");
            }
        }
    }
}

/// The sum of an array of two tile images, chosen by the place, to the second attachment; depth and stencil
/// of the pixel to the third.
fn tile_array() -> String {
    Shader {
        capabilities: "OpCapability TileImageColorReadAccessEXT
                       OpCapability TileImageDepthReadAccessEXT
                       OpCapability TileImageStencilReadAccessEXT",
        extensions: "OpExtension \"SPV_EXT_shader_tile_image\"",
        interface: "%coord %second %third",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %tiles Location 0
                      OpDecorate %second Location 2
                      OpDecorate %third Location 3",
        globals: "%coord = OpVariable %in_v4 Input
                  %second = OpVariable %out_v4 Output
                  %third = OpVariable %out_v4 Output
                  %tile_type = OpTypeImage %float TileImageDataEXT 2 0 0 2 Unknown
                  %tile_array = OpTypeArray %tile_type %u2c
                  %ptr_tile = OpTypePointer TileImageEXT %tile_type
                  %ptr_tiles = OpTypePointer TileImageEXT %tile_array
                  %tiles = OpVariable %ptr_tiles TileImageEXT",
        body: "%c = OpLoad %v4 %coord
               %x = OpCompositeExtract %float %c 0
               %xu = OpConvertFToU %uint %x
               %which = OpBitwiseAnd %uint %xu %u1
               %at = OpAccessChain %ptr_tile %tiles %which
               %t = OpLoad %tile_type %at
               %color = OpColorAttachmentReadEXT %v4 %t
               OpStore %second %color
               %depth = OpDepthAttachmentReadEXT %float
               %stencil = OpStencilAttachmentReadEXT %uint
               %stencil_f = OpConvertUToF %float %stencil
               %all = OpCompositeConstruct %v4 %depth %stencil_f %f1 %f1
               OpStore %third %all",
        ..Shader::default()
    }
    .fragment()
}

/// Two different values to the first two attachments.
fn two_values() -> String {
    Shader {
        interface: "%passed %first %second",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %first Location 0
                      OpDecorate %second Location 1",
        globals: "%passed = OpVariable %in_v4 Input
                  %first = OpVariable %out_v4 Output
                  %second = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %passed
               OpStore %first %p
               %n = OpFNegate %v4 %p
               OpStore %second %n",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn tile_images_are_indexed_and_show_depth_and_stencil() {
    let lab = Lab::new(&[c"VK_EXT_shader_tile_image"]);
    let mut scene = Scene::new(&passing(), &two_values(), &overlapping());
    scene.formats = vec![scene.formats[0]; 4];
    (scene.state.depth_test, scene.state.depth_write) = (true, true);
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    scene.state.stencil = Some([face; 2]);
    let mut second = Scene { fragment: tile_array(), ..scene.clone() };
    (second.state.depth_test, second.state.stencil) = (false, None);
    let next = lab.pipeline(&second);
    let picture = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        device.cmd_draw(commands, 18, 1, 0, 0);
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, next);
        device.cmd_draw(commands, 6, 1, 0, 0);
    });
    unsafe { lab.device.destroy_pipeline(next, None) };
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        assert_eq!(picture.words_at(2, x, y, 0), picture.words_at((x & 1) as usize, x, y, 0), "{x} {y}");
        let at = (y * SIZE + x) as usize;
        let expected = [picture.depth[at], picture.stencil[at].into(), 1.0, 1.0];
        assert_eq!(picture.at(3, x, y), expected, "{x} {y}");
        assert!(picture.stencil[at] > 1 && picture.at(0, x, y)[0] > 0.0);
    }
}

#[test]
fn input_attachments_are_read_at_the_pixel_in_dynamic_rendering() {
    let lab =
        Lab::new(&[c"VK_KHR_dynamic_rendering_local_read", c"VK_EXT_rasterization_order_attachment_access"]);
    let mut scene = Scene::new(&passing(), &by_input_attachment(), &overlapping());
    (scene.clear, scene.feedback) = ([3.0; 4], true);
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            for first in [0, 6, 12] {
                device.cmd_draw(commands, 6, 1, first, 0);
                let access = vk::AccessFlags::COLOR_ATTACHMENT_WRITE | vk::AccessFlags::INPUT_ATTACHMENT_READ;
                let barrier = vk::MemoryBarrier::builder().src_access_mask(access).dst_access_mask(access);
                device.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                    vk::PipelineStageFlags::FRAGMENT_SHADER,
                    vk::DependencyFlags::BY_REGION,
                    &[barrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[] as &[vk::ImageMemoryBarrier],
                );
            }
        });
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            assert_eq!(picture.at(0, x, y), accumulated(x, y, 3.0, 1), "{with:?} {x} {y}");
        }
        // In the order of primitives without barriers too.
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw(commands, 18, 1, 0, 0);
        });
        assert_eq!(picture.at(0, 9, 9), accumulated(9, 9, 3.0, 1), "{with:?}");
    }
}

/// Depth through a float input attachment, stencil through an unsigned one.
fn depth_stencil_inputs() -> String {
    Shader {
        capabilities: "OpCapability InputAttachment",
        interface: "%out",
        decorations: "OpDecorate %out Location 0
                      OpDecorate %depth DescriptorSet 0
                      OpDecorate %depth Binding 3
                      OpDecorate %depth InputAttachmentIndex 1
                      OpDecorate %stencil DescriptorSet 0
                      OpDecorate %stencil Binding 4
                      OpDecorate %stencil InputAttachmentIndex 2",
        globals: "%out = OpVariable %out_v4 Output
                  %v2i = OpTypeVector %int 2
                  %origin = OpConstantComposite %v2i %i0 %i0
                  %float_input = OpTypeImage %float SubpassData 2 0 0 2 Unknown
                  %uint_input = OpTypeImage %uint SubpassData 2 0 0 2 Unknown
                  %ptr_float = OpTypePointer UniformConstant %float_input
                  %ptr_uint_input = OpTypePointer UniformConstant %uint_input
                  %depth = OpVariable %ptr_float UniformConstant
                  %stencil = OpVariable %ptr_uint_input UniformConstant",
        body: "%di = OpLoad %float_input %depth
               %d = OpImageRead %v4 %di %origin
               %dx = OpCompositeExtract %float %d 0
               %si = OpLoad %uint_input %stencil
               %s = OpImageRead %u4 %si %origin
               %sx = OpCompositeExtract %uint %s 0
               %sf = OpConvertUToF %float %sx
               %all = OpCompositeConstruct %v4 %dx %sf %f1 %f1
               OpStore %out %all",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn depth_and_stencil_aspects_are_input_attachments() {
    let lab = Lab::new(&[c"VK_KHR_dynamic_rendering_local_read"]);
    let mut scene = Scene::new(&passing(), &depth_stencil_inputs(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.feedback = true;
    let picture = lab.draw_both(&scene);
    assert_eq!([(0, 0), (7, 8), (15, 15)].map(|(x, y)| picture.at(0, x, y)), [[0.5, 1.0, 1.0, 1.0]; 3]);
}

#[test]
fn locations_are_mapped_to_other_attachments() {
    let lab = Lab::new(&[c"VK_KHR_dynamic_rendering_local_read"]);
    let mut scene = Scene::new(&passing(), &two_values(), &rectangle(WHOLE, 0.5, [5.0; 4]));
    scene.formats = vec![scene.formats[0]; 3];
    scene.clear = [1.0; 4];
    // Attachment 0 has location 1, attachment 1 none, attachment 2 location 0.
    let locations = [1, vk::ATTACHMENT_UNUSED, 0];
    scene.locations = Some(locations.to_vec());
    let expected = [[-5.0; 4], [1.0; 4], [5.0; 4]];
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            let info = vk::RenderingAttachmentLocationInfo::builder().color_attachment_locations(&locations);
            device.cmd_set_rendering_attachment_locations_khr(commands, &info);
            device.cmd_draw(commands, 6, 1, 0, 0);
        });
        assert_eq!([0, 1, 2].map(|attachment| picture.at(attachment, 6, 2)), expected, "{with:?}");
    }
}

/// Fetches the attachment's texel at the fragment's place.
fn by_feedback_loop() -> String {
    let fetch = accumulating(
        "",
        "",
        "OpDecorate %image DescriptorSet 0
         OpDecorate %image Binding 1
         OpDecorate %coord BuiltIn FragCoord",
        "%coord = OpVariable %in_v4 Input
         %image_type = OpTypeImage %float 2D 2 0 0 1 Unknown
         %ptr_image = OpTypePointer UniformConstant %image_type
         %image = OpVariable %ptr_image UniformConstant
         %v2i = OpTypeVector %int 2",
        "%c = OpLoad %v4 %coord
         %cxy = OpVectorShuffle %v2 %c %c 0 1
         %texel = OpConvertFToS %v2i %cxy
         %t = OpLoad %image_type %image
         %old = OpImageFetch %v4 %t %texel Lod %i0",
    );
    fetch.replace("\"main\" %passed %out", "\"main\" %passed %out %coord")
}

#[test]
fn feedback_loops_read_what_draws_before_have_written() {
    let lab = Lab::new(&[
        c"VK_EXT_attachment_feedback_loop_layout",
        c"VK_EXT_attachment_feedback_loop_dynamic_state",
    ]);
    let mut scene = Scene::new(&passing(), &by_feedback_loop(), &rectangle(WHOLE, 0.5, [1.0; 4]));
    (scene.clear, scene.feedback) = ([3.0; 4], true);
    let picture = lab.draw_by(&scene, With::Objects, |device, commands| unsafe {
        device.cmd_set_attachment_feedback_loop_enable_ext(commands, vk::ImageAspectFlags::COLOR);
        device.cmd_draw(commands, 6, 1, 0, 0);
    });
    assert!(picture.colors[0].iter().all(|&word| word == 7f32.to_bits()));
}

#[test]
fn binding_a_pipeline_unbinds_shader_objects_and_reverse() {
    let lab = Lab::new(&[]);
    let scene = Scene::new(&passing(), &two_values(), &rectangle(WHOLE, 0.5, [2.0; 4]));
    let other = Scene::new(&passing(), &by_negation(), &scene.vertices);
    let (pipeline, shaders) = (lab.pipeline(&scene), lab.shaders(&other));
    let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    type Bind<'a> = &'a dyn Fn(&Device, vk::CommandBuffer);
    let bind_pipeline: Bind<'_> = &|device, commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
    };
    let bind_shaders: Bind<'_> = &|device, commands| unsafe {
        device.cmd_bind_shaders_ext(commands, &stages, &shaders);
        scene.state.record(device, commands, 1);
    };
    let bind_fragment: Bind<'_> = &|device, commands| unsafe {
        device.cmd_bind_shaders_ext(commands, &stages[1..], &shaders[1..]);
    };
    let cases: [(&str, &[Bind<'_>], f32); 4] = [
        ("a pipeline behind shaders", &[bind_shaders, bind_pipeline], 2.0),
        ("shaders behind a pipeline", &[bind_pipeline, bind_shaders], -2.0),
        ("one shader behind a pipeline", &[bind_pipeline, bind_fragment], 0.0),
        ("one shader behind a pipeline behind both", &[bind_shaders, bind_pipeline, bind_fragment], 0.0),
    ];
    for (name, binds, expected) in cases {
        let picture = lab.draw_by(&scene, With::Objects, |device, commands| unsafe {
            let none = [vk::ShaderEXT::null(); 2];
            device.cmd_bind_shaders_ext(commands, &stages, &none);
            binds.iter().for_each(|bind| bind(device, commands));
            device.cmd_draw(commands, 6, 1, 0, 0);
        });
        assert_eq!(picture.at(0, 8, 8), [expected; 4], "{name}");
    }
    unsafe {
        lab.device.destroy_pipeline(pipeline, None);
        shaders.iter().for_each(|&shader| lab.device.destroy_shader_ext(shader, None));
    }
}

/// The vector's negative.
fn by_negation() -> String {
    Shader {
        interface: "%passed %first",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %first Location 0",
        globals: "%passed = OpVariable %in_v4 Input
                  %first = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %passed
               %n = OpFNegate %v4 %p
               OpStore %first %n",
        ..Shader::default()
    }
    .fragment()
}

/// The vector as it is.
fn by_itself() -> String {
    by_negation().replace("%n = OpFNegate %v4 %p", "%n = OpCopyObject %v4 %p")
}

#[test]
fn dithering_changes_at_most_one_unit_by_place_and_value() {
    let lab = Lab::new(&[c"VK_EXT_legacy_dithering", c"VK_KHR_maintenance5"]);
    let mut scene = Scene::new(&passing(), &by_itself(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.formats = vec![vk::Format::R8G8B8A8_UNORM];
    let draw = |scene: &Scene| -> Vec<u8> {
        let words = lab.draw_both(scene).colors.remove(0);
        words[..(SIZE * SIZE) as usize].iter().flat_map(|word| word.to_le_bytes()).collect()
    };
    // From one value to three above it, in 16 steps.
    for (vertex, position) in scene.vertices.iter_mut().map(|vertex| (vertex[0][0], &mut vertex[1])) {
        let along = (vertex + 1.0) / 2.0;
        *position = [100.25, 0.25, 252.0, 17.5].map(|value| (value + 3.0 * along) / 255.0);
    }
    let plain = draw(&scene);
    scene.dither = true;
    let dithered = draw(&scene);
    assert_eq!(draw(&scene), dithered, "a function of place and value");
    assert!(plain.iter().zip(&dithered).all(|(a, b)| a.abs_diff(*b) <= 1));
    assert_ne!(plain, dithered);
    // The mean over four by four pixels is near to the value's, which rounding is not.
    let mean = |bytes: &[u8], x: u32, y: u32| {
        let pixels = (0..16).map(|at| (y + at / 4) * SIZE + x + at % 4);
        pixels.map(|pixel| f32::from(bytes[4 * pixel as usize])).sum::<f32>() / 16.0
    };
    for (x, y) in (0..SIZE).step_by(4).flat_map(|y| (0..SIZE).step_by(4).map(move |x| (x, y))) {
        let expected = 100.25 + 3.0 * (x as f32 + 2.0) / SIZE as f32;
        assert!((mean(&dithered, x, y) - expected).abs() < 0.15, "{x} {y}: {}", mean(&dithered, x, y));
    }
    // What the format has stays, and floats are not dithered.
    scene.vertices.iter_mut().for_each(|vertex| vertex[1] = [0.0, 1.0, 128.0 / 255.0, 77.0 / 255.0]);
    assert!(draw(&scene).chunks_exact(4).all(|pixel| pixel == [0, 255, 128, 77]));
    scene.formats = vec![vk::Format::R32G32B32A32_SFLOAT];
    assert_eq!(lab.draw_both(&scene).at(0, 5, 6), [0.0, 1.0, 128.0 / 255.0, 77.0 / 255.0]);
}

#[test]
fn samples_of_input_attachments_are_read_one_by_one() {
    let lab = Lab::new(&[c"VK_KHR_dynamic_rendering_local_read"]);
    let text = by_input_attachment()
        .replace(
            "OpCapability InputAttachment",
            "OpCapability InputAttachment\nOpCapability SampleRateShading",
        )
        .replace("\"main\" %passed", "\"main\" %id %passed")
        .replace(
            "OpDecorate %input D",
            "OpDecorate %id BuiltIn SampleId\nOpDecorate %id Flat\nOpDecorate %input D",
        )
        .replace("SubpassData 2 0 0 2", "SubpassData 2 0 1 2")
        .replace("%input = OpVariable", "%id = OpVariable %in_uint Input\n%input = OpVariable")
        .replace("%t %origin", "%t %origin Sample %n")
        .replace("%t = OpLoad", "%n = OpLoad %uint %id\n%t = OpLoad");
    let mut scene = Scene::new(&passing(), &text, &overlapping());
    (scene.clear, scene.feedback, scene.state.samples) = ([3.0; 4], true, 4);
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        assert_eq!(picture.at(0, x, y), accumulated(x, y, 3.0, 1), "{x} {y}");
    }
}

#[test]
fn only_fragment_shaders_have_input_attachments() {
    let lab = Lab::new(&[]);
    let vertex = Shader {
        capabilities: "OpCapability InputAttachment",
        interface: "%position",
        decorations: "OpDecorate %position BuiltIn Position
                      OpDecorate %input DescriptorSet 0
                      OpDecorate %input Binding 2
                      OpDecorate %input InputAttachmentIndex 0",
        globals: "%position = OpVariable %out_v4 Output
                  %input_type = OpTypeImage %float SubpassData 2 0 0 2 Unknown
                  %ptr_input = OpTypePointer UniformConstant %input_type
                  %input = OpVariable %ptr_input UniformConstant
                  %v2i = OpTypeVector %int 2
                  %origin = OpConstantComposite %v2i %i0 %i0",
        body: "%t = OpLoad %input_type %input
               %old = OpImageRead %v4 %t %origin
               OpStore %position %old",
        ..Shader::default()
    };
    let scene = Scene::new(&vertex.vertex(), &by_itself(), &[]);
    assert!(lab.try_pipeline(&scene).is_err());
}

#[test]
fn tile_image_of_another_format_class_is_safe() {
    let lab = Lab::new(&[c"VK_EXT_shader_tile_image"]);
    let fragment = accumulating(
        "OpCapability TileImageColorReadAccessEXT",
        "OpExtension \"SPV_EXT_shader_tile_image\"",
        "OpDecorate %tile Location 0",
        "%tile_type = OpTypeImage %uint TileImageDataEXT 2 0 0 2 Unknown
         %ptr_tile = OpTypePointer TileImageEXT %tile_type
         %tile = OpVariable %ptr_tile TileImageEXT",
        "%t = OpLoad %tile_type %tile
         %word = OpColorAttachmentReadEXT %u4 %t
         %none = OpISub %u4 %word %word
         %old = OpConvertUToF %v4 %none",
    );
    let scene = Scene::new(&passing(), &fragment, &rectangle(WHOLE, 0.5, [7.0; 4]));
    assert_eq!(lab.draw_both(&scene).at(0, 3, 4), [7.0; 4], "what is read is some number");
}

/// Adds to the first output what the input attachment chosen by `%index` holds.
fn by_chosen_input(capability: &str, is_uniform: bool) -> String {
    let capabilities = format!("OpCapability InputAttachment\nOpCapability {capability}");
    let (extensions, decorations) = match is_uniform {
        true => ("", String::new()),
        false => (
            "OpExtension \"SPV_EXT_descriptor_indexing\"",
            ["%index", "%chosen", "%t"].map(|id| format!("OpDecorate {id} NonUniform\n")).concat(),
        ),
    };
    let capabilities = match is_uniform {
        true => capabilities,
        false => format!("OpCapability ShaderNonUniform\n{capabilities}"),
    };
    let index = match is_uniform {
        true => "%cell = OpAccessChain %ptr_uint %buffer %i0 %u0\n%index = OpLoad %uint %cell",
        false => {
            "%c = OpLoad %v4 %coord
             %x = OpCompositeExtract %float %c 0
             %y = OpCompositeExtract %float %c 1
             %sum = OpFAdd %float %x %y
             %place = OpConvertFToU %uint %sum
             %index = OpBitwiseAnd %uint %place %u1"
        }
    };
    let decorations = format!(
        "OpDecorate %coord BuiltIn FragCoord
         OpDecorate %out Location 0
         OpDecorate %inputs DescriptorSet 0
         OpDecorate %inputs Binding 2
         OpDecorate %inputs InputAttachmentIndex 0
         {decorations}"
    );
    let body = format!(
        "{index}
         %chosen = OpAccessChain %ptr_input %inputs %index
         %t = OpLoad %input_type %chosen
         %old = OpImageRead %v4 %t %origin
         %ten = OpFMul %v4 %old %tens
         OpStore %out %ten"
    );
    Shader {
        capabilities: &capabilities,
        extensions,
        interface: "%coord %out",
        decorations: &decorations,
        globals: "%coord = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output
                  %input_type = OpTypeImage %float SubpassData 2 0 0 2 Unknown
                  %two_inputs = OpTypeArray %input_type %u2c
                  %ptr_inputs = OpTypePointer UniformConstant %two_inputs
                  %ptr_input = OpTypePointer UniformConstant %input_type
                  %inputs = OpVariable %ptr_inputs UniformConstant
                  %v2i = OpTypeVector %int 2
                  %origin = OpConstantComposite %v2i %i0 %i0
                  %f10 = OpConstant %float 10
                  %tens = OpConstantComposite %v4 %f10 %f10 %f10 %f10",
        body: &body,
        ..Shader::default()
    }
    .fragment()
}

/// Writes a vector to the second attachment.
fn to_second() -> String {
    Shader {
        interface: "%passed %second",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %second Location 1",
        globals: "%passed = OpVariable %in_v4 Input
                  %second = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %passed
               OpStore %second %p",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn any_index_chooses_an_input_attachment() {
    let lab = Lab::new(&[c"VK_KHR_dynamic_rendering_local_read"]);
    let mut scene = Scene::new(&passing(), &to_second(), &rectangle(WHOLE, 0.5, [5.0, 6.0, 7.0, 8.0]));
    scene.formats.push(scene.formats[0]);
    (scene.clear, scene.feedback) = ([1.0, 2.0, 3.0, 4.0], true);
    let first = lab.pipeline(&scene);
    for is_uniform in [true, false] {
        let capability = match is_uniform {
            true => "InputAttachmentArrayDynamicIndexing",
            false => "InputAttachmentArrayNonUniformIndexing",
        };
        scene.fragment = by_chosen_input(capability, is_uniform);
        for index in 0..2 {
            scene.words = vec![index];
            // First the second attachment is drawn to, then both are read.
            let second = lab.pipeline(&scene);
            let picture = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
                let graphics = vk::PipelineBindPoint::GRAPHICS;
                device.cmd_bind_pipeline(commands, graphics, first);
                device.cmd_draw(commands, 6, 1, 0, 0);
                let barrier = vk::MemoryBarrier::builder()
                    .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                    .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ);
                device.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                    vk::PipelineStageFlags::FRAGMENT_SHADER,
                    vk::DependencyFlags::BY_REGION,
                    &[barrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[] as &[vk::ImageMemoryBarrier],
                );
                device.cmd_bind_pipeline(commands, graphics, second);
                device.cmd_draw(commands, 6, 1, 0, 0);
            });
            unsafe { lab.device.destroy_pipeline(second, None) };
            for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                let chosen = if is_uniform { index } else { (x + y + 1) % 2 };
                let expected = [[10.0, 20.0, 30.0, 40.0], [50.0, 60.0, 70.0, 80.0]][chosen as usize];
                assert_eq!(picture.at(0, x, y), expected, "{is_uniform} {index} {x} {y}");
            }
        }
    }
    unsafe { lab.device.destroy_pipeline(first, None) };
}

/// A fragment shader that writes its input to `count` attachments, to the one at location `n` times `n + 1`.
fn multiples(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%out{index}")).collect();
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().join("\n");
    Shader {
        interface: &format!("%passed {}", names.join(" ")),
        decorations: &lines(&|index| {
            let input = if index == 0 { "OpDecorate %passed Location 0" } else { "" };
            format!("{input}\nOpDecorate %out{index} Location {index}")
        }),
        globals: &lines(&|index| {
            let input = if index == 0 { "%passed = OpVariable %in_v4 Input" } else { "" };
            let times = index + 1;
            format!(
                "{input}
                 %out{index} = OpVariable %out_v4 Output
                 %times{index} = OpConstant %float {times}"
            )
        }),
        body: &lines(&|index| {
            format!(
                "%loaded{index} = OpLoad %v4 %passed
                 %product{index} = OpVectorTimesScalar %v4 %loaded{index} %times{index}
                 OpStore %out{index} %product{index}"
            )
        }),
        ..Shader::default()
    }
    .fragment()
}

/// As many as `maxColorAttachments`.
#[test]
fn sixteen_attachments_take_their_own_values() {
    let lab = Lab::new(&[]);
    let vector = [0.5, -1.0, 2.0, 3.0];
    let mut scene = Scene::new(&passing(), &multiples(16), &rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, vector));
    scene.formats = vec![scene.formats[0]; 16];
    let picture = lab.draw_both(&scene);
    for index in 0..16 {
        let expected = vector.map(|value| value * (index + 1) as f32);
        assert_eq!(picture.at(index, 3, 5), expected, "attachment {index}");
        assert_eq!(picture.at(index, 12, 5), scene.clear, "attachment {index}");
    }
}

/// Texels of 3, 6 and 12 bytes, and a shared exponent, with blending: neighbours keep what they have.
#[test]
fn attachments_of_three_components_are_blended() {
    use vk::Format as F;
    let lab = Lab::new(&[]);
    let vector = [0.25, 0.125, 0.5, 1.0];
    let mut scene = Scene::new(&passing(), &multiples(4), &rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, vector));
    scene.formats =
        vec![F::B8G8R8_UNORM, F::R16G16B16_SFLOAT, F::R32G32B32_SFLOAT, F::E5B9G9R9_UFLOAT_PACK32];
    scene.clear = [0.0, 0.25, 0.5, 1.0];
    scene.state.blend.blend_enable = vk::TRUE;
    scene.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE;
    let picture = lab.draw_both(&scene);
    let texel = |attachment: usize, bytes: usize, x: u32| -> Vec<u8> {
        let all = picture.colors[attachment].iter().flat_map(|word| word.to_le_bytes());
        all.skip((5 * SIZE + x) as usize * bytes).take(bytes).collect()
    };
    let halves = |values: [u16; 3]| values.map(u16::to_le_bytes).concat();
    let floats = |values: [f32; 3]| values.map(f32::to_le_bytes).concat();
    // The texels on both sides of the rectangle's edge.
    let expected = [
        (3, vec![255, 96, 64], vec![128, 64, 0]),
        (6, halves([0x3800, 0x3800, 0x3e00]), halves([0, 0x3400, 0x3800])),
        (12, floats([0.75, 0.625, 2.0]), floats([0.0, 0.25, 0.5])),
        // Units of 2^-7 and of 2^-9.
        (4, (128 | 96 << 9 | 320 << 18 | 17u32 << 27).to_le_bytes().to_vec(), {
            (128 << 9 | 256 << 18 | 15u32 << 27).to_le_bytes().to_vec()
        }),
    ];
    for (attachment, (bytes, inside, outside)) in expected.into_iter().enumerate() {
        assert_eq!(texel(attachment, bytes, 7), inside, "{:?}", scene.formats[attachment]);
        assert_eq!(texel(attachment, bytes, 8), outside, "{:?}", scene.formats[attachment]);
    }
}

/// Undefined by the specification; programs are written that expect the number.
#[test]
fn floats_become_numbers_in_integer_attachments() {
    let lab = Lab::new(&[]);
    let vector = [0.5, -3.0, 100.75, 300.0];
    let mut scene = Scene::new(&passing(), &multiples(2), &rectangle(WHOLE, 0.5, vector));
    scene.formats = vec![vk::Format::R8G8B8A8_UINT, vk::Format::R8G8B8A8_SINT];
    let picture = lab.draw_both(&scene);
    assert_eq!(picture.colors[0][0].to_le_bytes(), [0, 0, 100, 255]);
    assert_eq!(picture.colors[1][0].to_le_bytes().map(|byte| byte as i8), [1, -6, 127, 127]);
}
