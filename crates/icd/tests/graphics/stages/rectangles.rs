//! Polygons whose boxes are filled (`VK_NV_fill_rectangle`), and sample masks that take the place of the
//! coverage (`VK_NV_sample_mask_override_coverage`).

use super::assembly::{Shader, WHOLE, passing, rectangle};
use super::samples::interpolating;
use pyro_test_kit::scene::{Lab, SIZE, Scene};
use vulkanalia::prelude::v1_3::*;

/// A vertex whose colour is an exact function of its place.
fn vertex([x, y]: [f32; 2]) -> [[f32; 4]; 2] {
    [[x, y, 0.5 + 0.25 * x, 1.0], [0.5 * x - y, y + 2.0, 1.0, x]]
}

#[test]
fn the_box_around_a_triangle_is_filled() {
    let lab = Lab::new(&[c"VK_NV_fill_rectangle"]);
    // In both directions around; the first lies so that no edge goes through a pixel's centre.
    for corners in [
        [[-0.75, -0.5], [0.5, 0.25], [-0.25, 0.625]],
        [[0.5, 0.25], [-0.75, -0.5], [-0.25, 0.625]],
        [[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]],
    ] {
        for samples in [1, 4] {
            let mut scene = Scene::new(&passing(), &interpolating(""), &corners.map(vertex));
            (scene.state.samples, scene.clear) = (samples, [-9.0; 4]);
            (scene.state.depth_test, scene.state.depth_write) = (true, true);
            scene.state.depth_compare = vk::CompareOp::ALWAYS;
            scene.state.polygon = vk::PolygonMode::FILL_RECTANGLE_NV;
            let found = lab.draw_both(&scene);
            let least = |axis: usize| corners.iter().map(|corner| corner[axis]).fold(1.0, f32::min);
            let most = |axis: usize| corners.iter().map(|corner| corner[axis]).fold(-1.0, f32::max);
            let ([x0, y0], [x1, y1]) = ([least(0), least(1)], [most(0), most(1)]);
            let place = |at: u32| (at as f32 + 0.5) * 2.0 / SIZE as f32 - 1.0;
            let mut inside = 0;
            for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                let (px, py) = (place(x), place(y));
                let half = 1.0 / SIZE as f32;
                let is_out = px + half < x0 || px - half > x1 || py + half < y0 || py - half > y1;
                let is_in = px - half >= x0 && px + half <= x1 && py - half >= y0 && py + half <= y1;
                let color = found.at(0, x, y);
                if is_out {
                    assert_eq!(color, [-9.0; 4], "{corners:?} {samples} {x} {y}");
                } else if is_in {
                    inside += 1;
                    let expected = vertex([px, py]);
                    let near = |a: f32, b: f32| (a - b).abs() < 1e-5;
                    assert!(color.iter().zip(expected[1]).all(|(&a, b)| near(a, b)), "{x} {y} {color:?}");
                    // With several samples it is that of the first.
                    let depth = found.depth[(y * SIZE + x) as usize];
                    assert!(samples > 1 || near(depth, expected[0][2]), "{x} {y} {depth}");
                }
            }
            assert!(inside > 20, "{corners:?} {inside}");
        }
    }
}

#[test]
fn boxes_beside_each_other_share_no_sample() {
    let lab = Lab::new(&[c"VK_NV_fill_rectangle"]);
    // Two boxes whose common side goes through centres of pixels: their sums count each once.
    let middle = 1.0 / SIZE as f32;
    let corners =
        [[-0.75, -0.75], [middle, -0.75], [middle, 0.75], [middle, -0.75], [0.75, 0.75], [middle, 0.75]];
    let vertices = corners.map(|[x, y]| [[x, y, 0.5, 1.0], [1.0, 2.0, 3.0, 4.0]]);
    for samples in [1, 4] {
        let mut scene = Scene::new(&passing(), &interpolating(""), &vertices);
        (scene.state.samples, scene.clear) = (samples, [0.0; 4]);
        scene.state.polygon = vk::PolygonMode::FILL_RECTANGLE_NV;
        scene.state.blend.blend_enable = vk::TRUE;
        scene.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE;
        scene.state.blend.dst_alpha_blend_factor = vk::BlendFactor::ONE;
        let picture = lab.draw_both(&scene);
        for (x, y) in (4..12).flat_map(|y| (4..12).map(move |x| (x, y))) {
            assert_eq!(picture.at(0, x, y), [1.0, 2.0, 3.0, 4.0], "{samples} {x} {y}");
        }
    }
}

/// The passed colour, with a mask of samples.
fn masking(decoration: &str, mask: u32, modes: &str) -> String {
    let decorations = format!(
        "OpDecorate %passed Location 0
         OpDecorate %out Location 0
         OpDecorate %mask BuiltIn SampleMask
         {decoration}"
    );
    let globals = format!(
        "%passed = OpVariable %in_v4 Input
         %out = OpVariable %out_v4 Output
         %mask_count = OpConstant %uint 1
         %masks = OpTypeArray %int %mask_count
         %out_masks = OpTypePointer Output %masks
         %mask = OpVariable %out_masks Output
         %bits = OpConstant %int {mask}"
    );
    Shader {
        capabilities: "OpCapability SampleRateShading\nOpCapability SampleMaskOverrideCoverageNV",
        extensions: "OpExtension \"SPV_NV_sample_mask_override_coverage\"",
        interface: "%passed %out %mask",
        modes,
        decorations: &decorations,
        globals: &globals,
        body: "%p = OpLoad %v4 %passed
               %place = OpAccessChain %out_int %mask %i0
               OpStore %place %bits
               OpStore %out %p",
    }
    .fragment()
}

#[test]
fn masks_cover_what_the_primitive_does_not() {
    let lab = Lab::new(&[c"VK_NV_sample_mask_override_coverage"]);
    let over = "OpDecorate %mask OverrideCoverageNV";
    // A triangle that covers some pixels in part.
    let triangle = [[-0.85, -0.8], [0.9, -0.35], [-0.3, 0.95]].map(|[x, y]| [[x, y, 0.25, 1.0], [4.0; 4]]);
    let draw = |decoration: &str, mask: u32, modes: &str, depth: bool| {
        let mut scene = Scene::new(&passing(), &masking(decoration, mask, modes), &triangle);
        (scene.state.samples, scene.clear) = (4, [0.0; 4]);
        (scene.state.depth_test, scene.state.depth_write) = (depth, depth);
        scene.state.depth_compare = vk::CompareOp::LESS;
        lab.draw_both(&scene)
    };
    for (modes, depth) in [("", false), ("", true), ("OpExecutionMode %main EarlyFragmentTests", true)] {
        let plain = draw("", 15, modes, depth);
        let (all, some) = (draw(over, 15, modes, depth), draw(over, 0xfff2, modes, depth));
        let mut partly = 0;
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let covered = plain.at(0, x, y)[0];
            let is_drawn = if covered > 0.0 { 1.0 } else { 0.0 };
            partly += usize::from(covered > 0.0 && covered < 4.0);
            assert_eq!(all.at(0, x, y)[0], 4.0 * is_drawn, "{modes} {depth} {x} {y}");
            assert_eq!(some.at(0, x, y)[0], is_drawn, "{modes} {depth} {x} {y}");
        }
        assert!(partly > 3, "{partly}");
    }
    // With an invocation for each sample, others' bits are ignored; and so are those of no sample.
    let by_sample = format!("{over}\nOpDecorate %passed Sample");
    let mut scene = Scene::new(&passing(), &masking(&by_sample, 15, ""), &triangle);
    (scene.state.samples, scene.clear) = (4, [0.0; 4]);
    let by_sample = lab.draw_both(&scene);
    let plain = draw("", 15, "", false);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        assert_eq!(by_sample.at(0, x, y), plain.at(0, x, y), "{x} {y}");
    }
    let whole = rectangle(WHOLE, 0.25, [1.0; 4]);
    let mut scene = Scene::new(&passing(), &masking(over, u32::MAX >> 1, ""), &whole);
    scene.clear = [0.0; 4];
    assert_eq!(lab.draw_both(&scene).at(0, 3, 3), [1.0; 4]);
}
