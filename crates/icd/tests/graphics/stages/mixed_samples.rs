//! Colour attachments with fewer samples than are rasterized: coverage reduction and modulation
//! (Vulkan, "Coverage Reduction"), and what the device says of them.

use super::assembly::{WHOLE, passing, rectangle};
use super::samples::interpolating;
use pyro_abi::graphics::sample_positions;
use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCoverageReductionModeExtensionInstanceCommands as _;

const COLOR: [f32; 4] = [1.0, 0.5, 0.25, 0.75];
const CLEAR: [f32; 4] = [0.0, 2.0, 4.0, 8.0];

/// One triangle, left of a line with a slope of 45 degrees: several would share samples of pixels.
fn left_of_line(color: [f32; 4], depth: f32) -> Vec<[[f32; 4]; 2]> {
    let corners = [[-13.65625_f32, -16.0], [50.34375, 48.0], [-80.0, 16.0]];
    corners.map(|[x, y]| [[x / 8.0 - 1.0, y / 8.0 - 1.0, depth, 1.0], color]).to_vec()
}

/// The samples of a pixel that [`left_of_line`] covers.
fn covered(samples: u32, x: u32, y: u32) -> u32 {
    let positions = sample_positions(samples).iter().enumerate();
    positions.fold(0, |mask, (sample, &(dx, dy))| {
        mask | u32::from(16 * x + u32::from(dx) <= 37 + 16 * y + u32::from(dy)) << sample
    })
}

/// What a pixel becomes that is cleared, drawn and resolved.
fn expected(scene: &Scene, x: u32, y: u32, kept: u32) -> [f32; 4] {
    let state = &scene.state;
    let (samples, colors) = (state.samples, state.color_samples.unwrap_or(state.samples));
    let (mask, ratio) = (covered(samples, x, y) & kept, samples / colors);
    let mut sum = [0.0; 4];
    for sample in 0..colors {
        let associated = match state.reduction {
            vk::CoverageReductionModeNV::TRUNCATE => 1 << sample,
            _ => ((1 << ratio) - 1) << (sample * ratio),
        };
        let count = (mask & associated).count_ones();
        let factor = match state.modulation_table.as_slice() {
            [] => count as f32 / ratio as f32,
            table => table[count.max(1) as usize - 1],
        };
        use vk::CoverageModulationModeNV as Mode;
        let modulated = match state.modulation {
            Mode::RGB => [true, true, true, false],
            Mode::ALPHA => [false, false, false, true],
            Mode::RGBA => [true; 4],
            _ => [false; 4],
        };
        for channel in 0..4 {
            let factor = if modulated[channel] { factor } else { 1.0 };
            sum[channel] += if count == 0 { CLEAR[channel] } else { COLOR[channel] * factor };
        }
    }
    sum.map(|sum| sum / colors as f32)
}

fn check(scene: &Scene, picture: &Picture, kept: u32) {
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let (found, expected) = (picture.at(0, x, y), expected(scene, x, y, kept));
        let near = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4);
        let state = &scene.state;
        assert!(
            near,
            "{x} {y}: {found:?} for {expected:?} ({} samples to {:?}, {:?} {:?} {:?})",
            state.samples, state.color_samples, state.reduction, state.modulation, state.modulation_table
        );
    }
}

fn scene(samples: u32, colors: u32) -> Scene {
    let mut scene = Scene::new(&passing(), &interpolating(""), &left_of_line(COLOR, 0.5));
    scene.clear = CLEAR;
    (scene.state.samples, scene.state.color_samples) = (samples, Some(colors));
    scene
}

#[test]
fn coverage_is_reduced_to_the_samples_of_attachments() {
    let lab = Lab::new(&[]);
    for (samples, colors) in [(2, 1), (4, 1), (4, 2), (8, 2), (8, 4), (16, 1), (16, 8), (4, 4)] {
        for mode in [vk::CoverageReductionModeNV::MERGE, vk::CoverageReductionModeNV::TRUNCATE] {
            let mut scene = scene(samples, colors);
            scene.state.reduction = mode;
            check(&scene, &lab.draw_both(&scene), u32::MAX);
            // Tests happen for the samples that are rasterized.
            scene.state.sample_mask = 0b1010_0110_0110_1001;
            (scene.state.depth_test, scene.state.depth_write) = (true, true);
            scene.state.depth_compare = vk::CompareOp::EQUAL;
            check(&scene, &lab.draw_both(&scene), scene.state.sample_mask);
        }
    }
}

#[test]
fn colours_are_modulated_by_coverage() {
    use vk::CoverageModulationModeNV as Mode;
    let lab = Lab::new(&[]);
    let table: Vec<f32> = (0..16_u8).map(|number| f32::from(number * 7 % 16) / 16.0).collect();
    for (samples, colors) in [(4, 1), (8, 2), (16, 1), (4, 4)] {
        for mode in [Mode::NONE, Mode::RGB, Mode::ALPHA, Mode::RGBA] {
            for has_table in [false, true] {
                let mut scene = scene(samples, colors);
                scene.state.modulation = mode;
                if has_table {
                    scene.state.modulation_table = table[..(samples / colors) as usize].to_vec();
                }
                check(&scene, &lab.draw_both(&scene), u32::MAX);
                // Also where the pipeline has the table and a command enables it.
                scene.state.enabled_by_commands = true;
                check(&scene, &lab.draw_both(&scene), u32::MAX);
            }
        }
    }
}

#[test]
fn modulated_colours_are_blended() {
    let lab = Lab::new(&[]);
    let mut scene = scene(4, 1);
    scene.state.modulation = vk::CoverageModulationModeNV::RGBA;
    scene.state.blend = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        color_blend_op: vk::BlendOp::ADD,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: vk::BlendFactor::ONE,
        alpha_blend_op: vk::BlendOp::ADD,
        color_write_mask: vk::ColorComponentFlags::all(),
    };
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let factor = covered(4, x, y).count_ones() as f32 / 4.0;
        let found = picture.at(0, x, y);
        for channel in 0..4 {
            let expected = CLEAR[channel] + COLOR[channel] * factor;
            assert!((found[channel] - expected).abs() < 1e-4, "{x} {y} {channel}: {found:?}, {expected}");
        }
    }
}

#[test]
fn the_table_of_modulation_is_clamped() {
    let lab = Lab::new(&[]);
    let mut scene = scene(2, 1);
    scene.vertices = rectangle(WHOLE, 0.5, COLOR).to_vec();
    scene.state.modulation = vk::CoverageModulationModeNV::RGBA;
    for (value, expected) in [(7.0, 1.0), (-1.0, 0.0), (0.25, 0.25)] {
        scene.state.modulation_table = vec![0.5, value];
        let found = lab.draw_both(&scene).at(0, 3, 3);
        let near = found.iter().zip(COLOR).all(|(found, color)| (found - color * expected).abs() < 1e-5);
        assert!(near, "{value}: {found:?}");
    }
}

#[test]
fn combinations_have_samples_for_tests_and_no_more_for_colours() {
    let lab = Lab::new(&[]);
    let query = || unsafe {
        lab.instance
            .get_physical_device_supported_framebuffer_mixed_samples_combinations_nv(lab.physical_device)
            .expect("combinations")
    };
    let all = query();
    assert!(!all.is_empty());
    for one in &all {
        let [raster, depth, color] =
            [one.rasterization_samples, one.depth_stencil_samples, one.color_samples]
                .map(|samples| samples.bits());
        assert_eq!(raster.count_ones(), 1);
        assert!((depth == 0 || depth == raster) && color <= raster && color.count_ones() <= 1);
        let same = |other: &&vk::FramebufferMixedSamplesCombinationNV| {
            other.coverage_reduction_mode == one.coverage_reduction_mode
                && other.rasterization_samples == one.rasterization_samples
                && other.depth_stencil_samples == one.depth_stencil_samples
                && other.color_samples == one.color_samples
        };
        assert_eq!(all.iter().filter(same).count(), 1);
    }
    // Two modes, five numbers, with and without depth: 1 to 5 numbers of colours, and none.
    assert_eq!(all.len(), 2 * 2 * (2 + 3 + 4 + 5 + 6));
}
