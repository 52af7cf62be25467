//! State of pipelines and of commands with values that nobody should give.

use crate::victim::{Outcome, Victim};
use crate::{float, number};
use pyro_digests::stages;
use pyro_random::Random;
use pyro_test_kit::fixed_state::State;
use pyro_test_kit::scene::Scene;
use vulkanalia::vk;

/// An enumerant: mostly one that there is.
fn raw(random: &mut Random, count: i32) -> i32 {
    match random.below(8) {
        0 => number(random) as i32,
        1 => count + random.below(3),
        _ => random.below(count),
    }
}

fn rectangle(random: &mut Random) -> vk::Rect2D {
    let (x, y) = (number(random) as i32, number(random) as i32);
    let extent = vk::Extent2D { width: number(random), height: number(random) };
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent }
}

fn viewport(random: &mut Random) -> vk::Viewport {
    let [x, y, width, height, min_depth, max_depth] = [(); 6].map(|()| float(random));
    vk::Viewport { x, y, width, height, min_depth, max_depth }
}

fn stencil(random: &mut Random) -> vk::StencilOpState {
    let op = |random: &mut Random| vk::StencilOp::from_raw(raw(random, 8));
    vk::StencilOpState {
        fail_op: op(random),
        pass_op: op(random),
        depth_fail_op: op(random),
        compare_op: vk::CompareOp::from_raw(raw(random, 8)),
        compare_mask: number(random),
        write_mask: number(random),
        reference: number(random),
    }
}

fn blend(random: &mut Random) -> vk::PipelineColorBlendAttachmentState {
    let factor = |random: &mut Random| vk::BlendFactor::from_raw(raw(random, 19));
    let op = |random: &mut Random| {
        let advanced = random.one_in(4);
        vk::BlendOp::from_raw(if advanced { 1_000_148_000 + raw(random, 46) } else { raw(random, 5) })
    };
    vk::PipelineColorBlendAttachmentState {
        blend_enable: number(random),
        src_color_blend_factor: factor(random),
        dst_color_blend_factor: factor(random),
        color_blend_op: op(random),
        src_alpha_blend_factor: factor(random),
        dst_alpha_blend_factor: factor(random),
        alpha_blend_op: op(random),
        color_write_mask: vk::ColorComponentFlags::from_bits_truncate(number(random)),
    }
}

/// Some of the things that a tessellation, rasterization or viewport state says.
fn change_geometry(state: &mut State, random: &mut Random) {
    match random.below(18) {
        0 => state.topology = vk::PrimitiveTopology::from_raw(raw(random, 11)),
        1 => state.restart = !state.restart,
        2 => state.patch_vertices = number(random),
        3 => state.lower_left = !state.lower_left,
        4 => state.viewports = (0..random.pick(&[1, 1, 2, 16])).map(|_| viewport(random)).collect(),
        5 => state.scissors = (0..random.pick(&[1, 1, 2, 16])).map(|_| rectangle(random)).collect(),
        6 => state.negative_one_to_one = !state.negative_one_to_one,
        7 => state.depth_clamp = !state.depth_clamp,
        8 => state.clamp_range = Some([float(random), float(random)]),
        9 => state.depth_clip = !state.depth_clip,
        10 => state.polygon = vk::PolygonMode::from_raw(raw(random, 3)),
        11 => state.cull = vk::CullModeFlags::from_bits_truncate(number(random)),
        12 => state.front = vk::FrontFace::from_raw(raw(random, 2)),
        13 => state.bias = Some([float(random), float(random), float(random)]),
        14 => state.line_width = float(random),
        15 => state.line_mode = vk::LineRasterizationMode::from_raw(raw(random, 4)),
        16 => state.stipple = Some((number(random), number(random) as u16)),
        _ => state.provoking = vk::ProvokingVertexModeEXT::from_raw(raw(random, 2)),
    }
}

/// Some of the things that are said of fragments.
fn change_fragments(state: &mut State, random: &mut Random) {
    match random.below(16) {
        0 => state.sample_mask = number(random),
        1 => state.alpha_to_coverage = !state.alpha_to_coverage,
        2 => state.alpha_to_one = !state.alpha_to_one,
        3 => state.depth_compare = vk::CompareOp::from_raw(raw(random, 8)),
        4 => state.depth_bounds = Some([float(random), float(random)]),
        5 => state.stencil = Some([stencil(random), stencil(random)]),
        6 => state.logic_op = Some(vk::LogicOp::from_raw(raw(random, 16))),
        7 | 8 => state.blend = blend(random),
        9 => state.constants = [(); 4].map(|()| float(random)),
        10 => state.color_write = !state.color_write,
        11 => {
            let count = random.pick(&[1, 2, 4]);
            state.discard_rectangles = (0..count).map(|_| rectangle(random)).collect();
            state.discard_mode = vk::DiscardRectangleModeEXT::from_raw(raw(random, 2));
        }
        12 => {
            let location = |random: &mut Random| vk::SampleLocationEXT { x: float(random), y: float(random) };
            state.sample_locations = (0..state.samples).map(|_| location(random)).collect();
        }
        13 => {
            state.fragment_size = vk::Extent2D { width: number(random), height: number(random) };
            let op = |random: &mut Random| vk::FragmentShadingRateCombinerOpKHR::from_raw(raw(random, 5));
            state.combiners = [op(random), op(random)];
        }
        14 => {
            state.conservative = vk::ConservativeRasterizationModeEXT::from_raw(raw(random, 3));
            state.raster_stream = random.pick(&[0, 0, 1, 3, 4, u32::MAX]);
        }
        _ => {
            let swizzle = |random: &mut Random| vk::ViewportCoordinateSwizzleNV::from_raw(raw(random, 8));
            state.swizzle = [swizzle(random), swizzle(random)];
            state.w_scaling = random.one_in(2).then(|| [float(random), float(random)]);
        }
    }
}

/// What the scene says beside its state.
fn change_scene(scene: &mut Scene, random: &mut Random) {
    match random.below(6) {
        0 => scene.locations = Some((0..random.below(4)).map(|_| number(random)).collect()),
        1 => scene.view_mask = random.pick(&[0, 1, 2, 3, 0x8000_0000, u32::MAX]),
        2 => scene.dither = true,
        3 => scene.state.second_location = number(random),
        4 => scene.clear = [(); 4].map(|()| float(random)),
        _ => {
            for vertex in &mut scene.vertices {
                if random.one_in(3) {
                    vertex[0] = [(); 4].map(|()| float(random));
                }
            }
        }
    }
}

/// Draws a scene whose pipeline has wrong state, or whose commands set it.
pub fn draw(victim: &mut Victim, random: &mut Random) -> Outcome {
    let (mut scene, with, groups) = stages::scene(random);
    for _ in 0..1 + random.below(4) {
        match random.below(5) {
            0 | 1 => change_geometry(&mut scene.state, random),
            2 | 3 => change_fragments(&mut scene.state, random),
            _ => change_scene(&mut scene, random),
        }
    }
    victim.draw(&scene, with, groups)
}
