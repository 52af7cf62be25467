//! What happens between the vertex stage and fragments: viewports by mask, layers relative to them, scaled w,
//! and which pixels a primitive covers as a whole.

use super::assembly::{Shader, WHOLE, passed_on, passing, rectangle};
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

#[test]
fn w_of_clip_coordinates_is_scaled() {
    let lab = Lab::new(&[]);
    let coefficients = [0.25, -0.125];
    let corners = [[-0.75, -0.5], [0.875, -0.25], [-0.25, 0.75]];
    for topology in [
        vk::PrimitiveTopology::TRIANGLE_LIST,
        vk::PrimitiveTopology::LINE_STRIP,
        vk::PrimitiveTopology::POINT_LIST,
    ] {
        // The same with w as it is to become.
        let vertices = |w: &dyn Fn(f32, f32) -> f32| {
            corners.map(|[x, y]| [[x, y, 0.25, w(x, y)], [x, y, 1.0, 1.0]]).to_vec()
        };
        let mut scene = Scene::new(&passing(), &passed_on(), &vertices(&|_, _| 1.0));
        scene.state.topology = topology;
        scene.state.w_scaling = Some(coefficients);
        let scaled = lab.draw_both(&scene);
        scene.vertices = vertices(&|x, y| 1.0 + coefficients[0] * x + coefficients[1] * y);
        scene.state.w_scaling = None;
        let expected = lab.draw_both(&scene);
        assert!(scaled == expected, "{topology:?}");
        assert!(pixels().any(|(x, y)| scaled.at(0, x, y)[3] == 1.0), "{topology:?}");
    }
    // What is clipped is what was outside before w was scaled: depths of 1 are not, though w becomes less.
    let far = corners.map(|[x, y]| [[x, y, 1.0, 1.0], [x, y, 1.0, 1.0]]);
    let mut scene = Scene::new(&passing(), &passed_on(), &far);
    scene.state.w_scaling = Some([0.25, 0.25]);
    let picture = lab.draw_both(&scene);
    assert!(pixels().filter(|&(x, y)| picture.at(0, x, y)[3] == 1.0).count() > 20);
}

/// Gives the mask of viewports that the second vector's first component names, and its second component as
/// the layer, which may be relative.
fn masking(is_relative: bool) -> String {
    let relative = if is_relative { "OpDecorate %layer ViewportRelativeNV" } else { "" };
    let decorations = format!(
        "OpDecorate %place Location 0
         OpDecorate %color Location 1
         OpDecorate %position BuiltIn Position
         OpDecorate %mask BuiltIn ViewportMaskNV
         OpDecorate %layer BuiltIn Layer
         {relative}
         OpDecorate %passed Location 0"
    );
    Shader {
        capabilities: "OpCapability ShaderViewportIndexLayerEXT
                       OpCapability ShaderViewportMaskNV",
        extensions: "OpExtension \"SPV_EXT_shader_viewport_index_layer\"
                     OpExtension \"SPV_NV_viewport_array2\"",
        interface: "%place %color %position %mask %layer %passed",
        decorations: &decorations,
        globals: "%place = OpVariable %in_v4 Input
                  %color = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %mask = OpVariable %out_one_int Output
                  %layer = OpVariable %out_int Output
                  %passed = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %place
               %c = OpLoad %v4 %color
               OpStore %position %p
               OpStore %passed %c
               %m = OpCompositeExtract %float %c 0
               %mi = OpConvertFToS %int %m
               %first = OpAccessChain %out_int %mask %i0
               OpStore %first %mi
               %l = OpCompositeExtract %float %c 1
               %li = OpConvertFToS %int %l
               OpStore %layer %li",
        ..Shader::default()
    }
    .vertex()
}

#[test]
fn views_have_viewports_of_their_own() {
    let side = SIZE as f32 / 2.0;
    let halves = [0.0, side].map(|x| vk::Viewport {
        x,
        width: side,
        height: SIZE as f32,
        max_depth: 1.0,
        ..Default::default()
    });
    let triangle = rectangle(WHOLE, 0.5, [1.0; 4]);
    for (topology, vertices) in [
        (vk::PrimitiveTopology::TRIANGLE_LIST, &triangle[..]),
        (vk::PrimitiveTopology::LINE_STRIP, &triangle[..4]),
        (vk::PrimitiveTopology::POINT_LIST, &[[[0.0625, 0.0625, 0.5, 1.0], [1.0; 4]]][..]),
    ] {
        let mut scene = Scene::new(&passing(), &passed_on(), vertices);
        scene.state.topology = topology;
        (scene.layers, scene.view_mask) = (2, 3);
        let drawn = |own: bool, viewports: &[vk::Viewport]| {
            let lab = match own {
                true => Lab::new(&[c"VK_QCOM_multiview_per_view_viewports"]),
                false => Lab::new(&[]),
            };
            let mut scene = scene.clone();
            scene.state.viewports = viewports.to_vec();
            scene.state.scissors = vec![scene.state.scissors[0]; viewports.len()];
            lab.draw_both(&scene)
        };
        let own = drawn(true, &halves);
        for (layer, viewport) in (0..2).zip(&halves) {
            let expected = drawn(false, &[*viewport]);
            let of = |picture: &pyro_test_kit::scene::Picture| {
                pixels().map(|(x, y)| picture.words_at(0, x, y, layer)).collect::<Vec<_>>()
            };
            assert!(of(&own) == of(&expected), "{topology:?} {layer}");
            assert!(pixels().any(|(x, y)| own.words_at(0, x, y, layer)[3] != 0), "{topology:?} {layer}");
        }
        // Without the feature all views have the first.
        let first = drawn(false, &halves);
        assert!(
            pixels().all(|(x, y)| first.words_at(0, x, y, 0) == first.words_at(0, x, y, 1)),
            "{topology:?}"
        );
    }
}

#[test]
fn masks_name_the_viewports_that_are_drawn_to() {
    let lab = Lab::new(&[c"VK_NV_viewport_array2"]);
    let side = SIZE as f32 / 2.0;
    for (is_relative, topology) in [
        (false, vk::PrimitiveTopology::TRIANGLE_LIST),
        (true, vk::PrimitiveTopology::TRIANGLE_LIST),
        (true, vk::PrimitiveTopology::POINT_LIST),
    ] {
        for mask in [0u32, 1, 2, 9, 14, 15] {
            let base = if is_relative { 1 } else { 2 };
            let mut vertices = rectangle(WHOLE, 0.5, [mask as f32, base as f32, 3.0, 1.0]).to_vec();
            let is_point = topology == vk::PrimitiveTopology::POINT_LIST;
            if is_point {
                vertices.truncate(1);
                vertices[0][0] = [0.0625, 0.0625, 0.5, 1.0];
            }
            let mut scene = Scene::new(&masking(is_relative), &passed_on(), &vertices);
            scene.layers = 5;
            scene.state.topology = topology;
            scene.state.viewports = (0..4)
                .map(|index| vk::Viewport {
                    x: side * (index % 2) as f32,
                    y: side * (index / 2) as f32,
                    width: side,
                    height: side,
                    max_depth: 1.0,
                    ..Default::default()
                })
                .collect();
            scene.state.scissors = vec![scene.state.scissors[0]; 4];
            let picture = lab.draw_both(&scene);
            for (layer, (x, y)) in (0..scene.layers).flat_map(|layer| pixels().map(move |at| (layer, at))) {
                let viewport = x / 8 + y / 8 * 2;
                let of_layer = if is_relative { base + viewport } else { base };
                let is_place = !is_point || x % 8 == 4 && y % 8 == 4;
                let expected = mask >> viewport & 1 != 0 && layer == of_layer && is_place;
                let found = picture.words_at(0, x, y, layer)[2] == 3f32.to_bits();
                assert_eq!(found, expected, "{is_relative} {mask} {layer} {x} {y}");
            }
        }
    }
}

#[test]
fn positions_are_swizzled_for_each_viewport_of_a_mask() {
    let lab = Lab::new(&[c"VK_NV_viewport_array2"]);
    let mut scene = Scene::new(
        &masking(false),
        &passed_on(),
        &rectangle([-1.0, -1.0, 1.0, 0.0], 0.5, [3.0, 0.0, 3.0, 1.0]),
    );
    let side = SIZE as f32 / 2.0;
    scene.state.viewports = [0.0, side]
        .map(|x| vk::Viewport { x, width: side, height: SIZE as f32, max_depth: 1.0, ..Default::default() })
        .to_vec();
    scene.state.scissors = vec![scene.state.scissors[0]; 2];
    // The upper half becomes the left one of each.
    let swizzle = vk::ViewportCoordinateSwizzleNV::POSITIVE_Y;
    scene.state.swizzle = [swizzle, vk::ViewportCoordinateSwizzleNV::POSITIVE_X];
    let picture = lab.draw_both(&scene);
    for (x, y) in pixels() {
        assert_eq!(picture.at(0, x, y)[3] == 1.0, x % 8 < 4, "{x} {y}");
    }
}

/// Says whether the primitive covers all of the pixel.
fn full() -> String {
    Shader {
        capabilities: "OpCapability FragmentFullyCoveredEXT",
        extensions: "OpExtension \"SPV_EXT_fragment_fully_covered\"",
        interface: "%full %out",
        decorations: "OpDecorate %full BuiltIn FullyCoveredEXT
                      OpDecorate %out Location 0",
        globals: "%full = OpVariable %in_bool Input
                  %out = OpVariable %out_v4 Output",
        body: "%is = OpLoad %bool %full
               %value = OpSelect %float %is %f2 %f1
               %all = OpCompositeConstruct %v4 %value %value %value %value
               OpStore %out %all",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn pixels_know_whether_they_are_covered_as_a_whole() {
    let lab = Lab::new(&[]);
    const TRIANGLE: [[f32; 2]; 3] = [[-0.85, -0.8], [0.9, -0.35], [-0.3, 0.95]];
    // Corners are rounded to 1/256 of a pixel.
    let corners =
        TRIANGLE.map(|corner| corner.map(|value| ((f64::from(value) + 1.0) * 8.0 * 256.0).round() / 256.0));
    let inside = |x: f64, y: f64| {
        let edge = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        [edge(corners[0], corners[1]), edge(corners[1], corners[2]), edge(corners[2], corners[0])]
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    };
    let modes = [
        vk::ConservativeRasterizationModeEXT::DISABLED,
        vk::ConservativeRasterizationModeEXT::OVERESTIMATE,
        vk::ConservativeRasterizationModeEXT::UNDERESTIMATE,
    ];
    for (mode, samples) in modes.into_iter().flat_map(|mode| [(mode, 1), (mode, 4)]) {
        let vertices = TRIANGLE.map(|[x, y]| [[x, y, 0.5, 1.0], [0.0; 4]]);
        let mut scene = Scene::new(&passing(), &full(), &vertices);
        (scene.state.conservative, scene.state.samples) = (mode, samples);
        let picture = lab.draw_both(&scene);
        let (mut whole, mut partly) = (0, 0);
        for (x, y) in pixels() {
            let corner = |dx: u32, dy: u32| inside(f64::from(x + dx), f64::from(y + dy));
            let least = corner(0, 0).min(corner(1, 0)).min(corner(0, 1)).min(corner(1, 1));
            assert!(least.abs() > 1e-9, "an edge goes through a corner: choose another triangle");
            let found = picture.at(0, x, y)[0];
            if least > 0.0 {
                assert_eq!(found, 2.0, "{mode:?} {samples} {x} {y}");
                whole += 1;
            } else {
                assert!(found <= 1.0, "{mode:?} {samples} {x} {y}");
                partly += u32::from(found > 0.0);
            }
        }
        assert!(whole > 20);
        assert_eq!(partly > 0, mode != vk::ConservativeRasterizationModeEXT::UNDERESTIMATE);
    }
    // A triangle covers all pixels that no edge goes through; lines have no area.
    let mut scene = Scene::new(&passing(), &full(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    let picture = lab.draw_both(&scene);
    assert_eq!(picture.at(0, 3, 3)[0], 2.0);
    scene.state.topology = vk::PrimitiveTopology::LINE_STRIP;
    let picture = lab.draw_both(&scene);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y)[0] < 2.0));
}

#[test]
fn per_view_positions_and_viewports_differ() {
    let lab = Lab::new(&[c"VK_NVX_multiview_per_view_attributes", c"VK_NV_viewport_array2"]);
    let vertex = include_str!("geometry/per_view.vert.spvasm");
    // The left half, which view 2 has half of the width further to the right.
    let vertices = rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, [7.0, 0.5, 3.0, 1.0]);
    let mut scene = Scene::new(vertex, &passed_on(), &vertices);
    let side = SIZE as f32 / 2.0;
    scene.state.viewports = [0.0, side]
        .map(|y| vk::Viewport { y, width: 2.0 * side, height: side, max_depth: 1.0, ..Default::default() })
        .to_vec();
    scene.state.scissors = vec![scene.state.scissors[0]; 2];
    for view_mask in [0b101, 0b111] {
        (scene.layers, scene.view_mask) = (3, view_mask);
        let picture = lab.draw(&scene, With::Pipeline);
        for (layer, (x, y)) in (0..3).flat_map(|layer| pixels().map(move |at| (layer, at))) {
            let is_drawn = match layer {
                0 => x < 8 && y < 8,
                2 => (4..12).contains(&x) && y >= 8,
                _ => false,
            };
            let expected = if is_drawn { [7.0, 0.5, 3.0, 1.0] } else { [0.0; 4] };
            assert_eq!(picture.words_at(0, x, y, layer), expected.map(f32::to_bits), "{x} {y} {layer}");
        }
    }
}
