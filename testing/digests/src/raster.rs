//! Pictures with all other state of rasterization and fragments: polygon and line modes, conservative
//! rasterization, sample locations, shading rates, several views, swizzled viewports, stencil, bounds
//! of depths, advanced blending.

use crate::stages::{self, bytes, draw_scene};
use pyro_random::Random;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::vk;

const COMPARISONS: [vk::CompareOp; 8] = [
    vk::CompareOp::NEVER,
    vk::CompareOp::LESS,
    vk::CompareOp::EQUAL,
    vk::CompareOp::LESS_OR_EQUAL,
    vk::CompareOp::GREATER,
    vk::CompareOp::NOT_EQUAL,
    vk::CompareOp::GREATER_OR_EQUAL,
    vk::CompareOp::ALWAYS,
];
/// Operations of `VK_EXT_blend_operation_advanced` follow from here.
const ADVANCED: i32 = 1_000_148_000;
const ADVANCED_COUNT: i32 = 46;

fn rectangle(random: &mut Random) -> vk::Rect2D {
    let (x, y) = (random.below(SIZE), random.below(SIZE));
    let extent = vk::Extent2D { width: 1 + random.below(SIZE), height: 1 + random.below(SIZE) };
    vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent }
}

fn stencil(random: &mut Random) -> vk::StencilOpState {
    let op = |random: &mut Random| vk::StencilOp::from_raw(random.below(8));
    vk::StencilOpState {
        fail_op: op(random),
        pass_op: op(random),
        depth_fail_op: op(random),
        compare_op: random.pick(&COMPARISONS),
        compare_mask: random.below(256),
        write_mask: random.below(256),
        reference: random.below(256),
    }
}

fn blend(random: &mut Random) -> vk::PipelineColorBlendAttachmentState {
    // Without those of a second source, which the shaders do not have.
    let factor = |random: &mut Random| vk::BlendFactor::from_raw(random.below(15));
    let op = |random: &mut Random| vk::BlendOp::from_raw(random.below(5));
    vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: factor(random),
        dst_color_blend_factor: factor(random),
        color_blend_op: op(random),
        src_alpha_blend_factor: factor(random),
        dst_alpha_blend_factor: factor(random),
        alpha_blend_op: op(random),
        color_write_mask: vk::ColorComponentFlags::from_bits_truncate(1 + random.below(15_u32)),
    }
}

/// What is said of primitives.
fn change_primitives(scene: &mut Scene, random: &mut Random) {
    let state = &mut scene.state;
    match random.below(13) {
        0 => state.polygon = random.pick(&[vk::PolygonMode::LINE, vk::PolygonMode::POINT]),
        1 => {
            state.line_width = random.float(1.0, 6.0);
            state.line_mode = vk::LineRasterizationMode::from_raw(1 + random.below(3));
            state.polygon = vk::PolygonMode::LINE;
        }
        2 => {
            state.stipple = Some((1 + random.below(8_u32), random.word() as u16));
            state.line_mode = vk::LineRasterizationMode::BRESENHAM;
            state.polygon = vk::PolygonMode::LINE;
        }
        3 => state.cull = vk::CullModeFlags::from_bits_truncate(random.below(3)),
        4 => state.front = vk::FrontFace::CLOCKWISE,
        5 => state.bias = Some([random.float(-9.0, 9.0), random.float(-0.1, 0.1), random.float(-2.0, 2.0)]),
        6 => (state.depth_clamp, state.depth_clip) = (true, random.one_in(2)),
        7 => state.negative_one_to_one = true,
        8 => state.provoking = vk::ProvokingVertexModeEXT::LAST_VERTEX,
        9 => state.conservative = vk::ConservativeRasterizationModeEXT::from_raw(1 + random.below(2)),
        10 => {
            let axis = |random: &mut Random| vk::ViewportCoordinateSwizzleNV::from_raw(random.below(8));
            state.swizzle = [axis(random), axis(random)];
        }
        11 => {
            let side = random.float(4.0, 20.0);
            let (x, y) = (random.float(-4.0, 8.0), random.float(-4.0, 8.0));
            let (width, height) = (side, if random.one_in(2) { -side } else { side });
            let (min_depth, max_depth) = (random.float(0.0, 0.5), random.float(0.5, 1.0));
            state.viewports = vec![vk::Viewport { x, y, width, height, min_depth, max_depth }];
        }
        _ => state.scissors = vec![rectangle(random)],
    }
}

/// What is said of fragments.
fn change_fragments(scene: &mut Scene, random: &mut Random) {
    let state = &mut scene.state;
    match random.below(12) {
        0 => state.sample_mask = random.word(),
        1 => state.alpha_to_coverage = true,
        2 => state.alpha_to_one = true,
        3 => (state.depth_test, state.depth_compare) = (true, random.pick(&COMPARISONS)),
        4 => state.depth_bounds = Some([random.float(0.0, 0.5), random.float(0.5, 1.0)]),
        5 => state.stencil = Some([stencil(random), stencil(random)]),
        6 | 7 => {
            state.blend = blend(random);
            state.constants = [(); 4].map(|()| random.float(0.0, 1.0));
        }
        8 => {
            let op = vk::BlendOp::from_raw(ADVANCED + random.below(ADVANCED_COUNT));
            (state.advanced, state.blend.blend_enable) = (true, vk::TRUE);
            (state.blend.color_blend_op, state.blend.alpha_blend_op) = (op, op);
        }
        9 => {
            state.discard_rectangles = (0..1 + random.below(4)).map(|_| rectangle(random)).collect();
            state.discard_mode = vk::DiscardRectangleModeEXT::from_raw(random.below(2));
        }
        10 => {
            let place = |random: &mut Random| random.below(16) as f32 / 16.0;
            let location = |random: &mut Random| vk::SampleLocationEXT { x: place(random), y: place(random) };
            state.sample_locations = (0..state.samples).map(|_| location(random)).collect();
        }
        _ => {
            let side = |random: &mut Random| random.pick(&[1, 2, 4]);
            state.fragment_size = vk::Extent2D { width: side(random), height: side(random) };
        }
    }
}

/// The picture of a number.
pub(crate) fn draw(lab: &Lab, number: u64) -> Result<Vec<u8>, String> {
    let random = &mut Random::new(number ^ 0x7a57_e400_0000);
    let (mut scene, with, groups): (Scene, With, _) = stages::scene(random);
    for _ in 0..2 + random.below(4) {
        if random.one_in(2) {
            change_primitives(&mut scene, random)
        } else {
            change_fragments(&mut scene, random)
        }
    }
    // Mesh shaders write what is of one view.
    if groups.is_none() && random.one_in(6) {
        (scene.layers, scene.view_mask) = (2, 3);
    }
    let picture = draw_scene(lab, &scene, with, groups).map_err(|error| format!("{error:?}"))?;
    Ok(bytes(&picture))
}
