//! Dynamic state that decides what a triangle covers, and draws inside of nested command buffers.

use pyro_test_kit::canvas::{Canvas, Covered, SIZE, rectangle, viewport, whole};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtExtendedDynamicState3ExtensionDeviceCommands as _;

const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

/// A triangle in pixels, at a depth.
fn fill(canvas: &Canvas, corners: [[f32; 2]; 3], depth: f32) {
    let clip = |place: f32| (place * 2.0 / SIZE as f32 - 1.0).to_bits();
    let words = corners.map(|[x, y]| [clip(x), clip(y), depth.to_bits(), 1.0_f32.to_bits()]);
    canvas.fill(0, words.as_flattened());
}

/// Draws it with some state set.
fn drawn(canvas: &Canvas, pipeline: vk::Pipeline, set: impl FnOnce(&Device, vk::CommandBuffer)) -> Covered {
    canvas.draw(pipeline, |commands| unsafe {
        set(&canvas.device, commands);
        canvas.device.cmd_draw(commands, 3, 1, 0, 0);
    })
}

#[test]
fn conservative_modes_cover_more_or_less() {
    use vk::ConservativeRasterizationModeEXT as Mode;
    let canvas = Canvas::with(&[c"VK_EXT_extended_dynamic_state3", c"VK_EXT_conservative_rasterization"]);
    let states = [
        vk::DynamicState::CONSERVATIVE_RASTERIZATION_MODE_EXT,
        vk::DynamicState::EXTRA_PRIMITIVE_OVERESTIMATION_SIZE_EXT,
    ];
    let pipeline = canvas.pipeline_with(TRIANGLES, true, &states);
    let covered = |mode| {
        drawn(&canvas, pipeline, |device, commands| unsafe {
            device.cmd_set_conservative_rasterization_mode_ext(commands, mode);
            device.cmd_set_extra_primitive_overestimation_size_ext(commands, 0.0);
        })
    };
    // Within one pixel, beside its centre.
    fill(&canvas, [[5.125, 7.125], [5.25, 7.125], [5.125, 7.25]], 0.5);
    assert_eq!(covered(Mode::DISABLED).count(), 0);
    assert_eq!(covered(Mode::UNDERESTIMATE).count(), 0);
    let touched = covered(Mode::OVERESTIMATE);
    assert!(touched.count() == 1 && touched.at(5, 7));
    // Half of a square whose corners are pixels' corners: pixels that touch an edge do not lie inside as a
    // whole.
    fill(&canvas, [[2.0, 2.0], [10.0, 2.0], [2.0, 10.0]], 0.5);
    assert_eq!(covered(Mode::UNDERESTIMATE).count(), 10);
    let touched = covered(Mode::OVERESTIMATE);
    assert!(touched.at(9, 2) && touched.at(2, 9) && touched.at(6, 5) && !touched.at(9, 9));
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn clipping_and_polygon_modes_are_dynamic() {
    let canvas = Canvas::with(&[
        c"VK_EXT_extended_dynamic_state3",
        c"VK_EXT_depth_clip_enable",
        c"VK_EXT_depth_clip_control",
    ]);
    let states = [
        vk::DynamicState::DEPTH_CLIP_ENABLE_EXT,
        vk::DynamicState::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
        vk::DynamicState::POLYGON_MODE_EXT,
    ];
    let pipeline = canvas.pipeline_with(TRIANGLES, true, &states);
    let covered = |clip: bool, negative: bool, mode| {
        drawn(&canvas, pipeline, |device, commands| unsafe {
            device.cmd_set_depth_clip_enable_ext(commands, clip);
            device.cmd_set_depth_clip_negative_one_to_one_ext(commands, negative);
            device.cmd_set_polygon_mode_ext(commands, mode);
        })
        .count()
    };
    let fill_mode = vk::PolygonMode::FILL;
    let corners = [[0.0, 0.0], [16.0, 0.0], [0.0, 16.0]];
    fill(&canvas, corners, -0.5);
    let half = covered(false, false, fill_mode);
    assert!((112..=136).contains(&half), "{half}");
    assert_eq!(covered(true, false, fill_mode), 0);
    assert_eq!(covered(true, true, fill_mode), half);
    fill(&canvas, corners, 1.5);
    assert_eq!(covered(true, true, fill_mode), 0);
    assert_eq!(covered(false, true, fill_mode), half);
    fill(&canvas, [[2.5, 2.5], [12.5, 2.5], [2.5, 12.5]], 0.5);
    let outline = covered(true, false, vk::PolygonMode::LINE);
    assert!((25..=36).contains(&outline), "{outline}");
    assert_eq!(covered(true, false, vk::PolygonMode::POINT), 3);
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

/// A secondary command buffer for a pass of one colour attachment.
unsafe fn secondary(
    device: &Device,
    pool: vk::CommandPool,
    record: impl FnOnce(vk::CommandBuffer),
) -> vk::CommandBuffer {
    unsafe { secondary_with(device, pool, false, record) }
}

/// The same, which may inherit viewports and scissors.
unsafe fn secondary_with(
    device: &Device,
    pool: vk::CommandPool,
    inherits: bool,
    record: impl FnOnce(vk::CommandBuffer),
) -> vk::CommandBuffer {
    let info = vk::CommandBufferAllocateInfo::builder()
        .command_pool(pool)
        .level(vk::CommandBufferLevel::SECONDARY)
        .command_buffer_count(1);
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let mut rendering = vk::CommandBufferInheritanceRenderingInfo::builder()
        .color_attachment_formats(&formats)
        .rasterization_samples(vk::SampleCountFlags::_1);
    let depths = [whole()];
    let mut viewports = vk::CommandBufferInheritanceViewportScissorInfoNV {
        viewport_scissor_2d: inherits.into(),
        viewport_depth_count: 1,
        viewport_depths: depths.as_ptr(),
        ..Default::default()
    };
    let inheritance =
        vk::CommandBufferInheritanceInfo::builder().push_next(&mut rendering).push_next(&mut viewports);
    let begin = vk::CommandBufferBeginInfo::builder()
        .flags(
            vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE | vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
        )
        .inheritance_info(&inheritance);
    unsafe {
        let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(commands, &begin).expect("begins");
        record(commands);
        device.end_command_buffer(commands).expect("ends");
        commands
    }
}

#[test]
fn nested_command_buffers_draw() {
    let canvas = Canvas::with(&[c"VK_EXT_nested_command_buffer"]);
    let device = &canvas.device;
    let pipeline = canvas.pipeline(TRIANGLES, true);
    fill(&canvas, [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]], 0.5);
    unsafe {
        let info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
        let pool = device.create_command_pool(&info, None).expect("a pool");
        let quarter = |x: f32, y: f32| {
            secondary(device, pool, |commands| {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                device.cmd_set_viewport(commands, 0, &[whole()]);
                device.cmd_set_scissor(commands, 0, &[rectangle(x as i32, y as i32, SIZE / 2, SIZE / 2)]);
                device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[0]);
                device.cmd_draw(commands, 3, 1, 0, 0);
            })
        };
        let half = SIZE as f32 / 2.0;
        let [first, last] = [quarter(0.0, 0.0), quarter(half, half)];
        // Three levels: the innermost ones draw.
        let middle =
            secondary(device, pool, |commands| device.cmd_execute_commands(commands, &[first, last]));
        let outer = secondary(device, pool, |commands| {
            device.cmd_execute_commands(commands, &[middle]);
            // State is not inherited from what was executed: without a pipeline nothing is drawn.
            device.cmd_set_viewport(commands, 0, &[viewport(0.0, 0.0, half, half)]);
        });
        let covered = canvas.draw(pipeline, |commands| device.cmd_execute_commands(commands, &[outer]));
        assert_eq!(covered.count() as u32, SIZE * SIZE / 2);
        assert!(covered.at(0, 0) && covered.at(SIZE - 1, SIZE - 1));
        assert!(!covered.at(SIZE - 1, 0) && !covered.at(0, SIZE - 1));
        device.destroy_command_pool(pool, None);
        device.destroy_pipeline(pipeline, None);
    }
}

#[test]
fn viewports_and_scissors_are_inherited() {
    let canvas = Canvas::with(&[c"VK_NV_inherited_viewport_scissor"]);
    let device = &canvas.device;
    let pipeline = canvas.pipeline(TRIANGLES, true);
    fill(&canvas, [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]], 0.5);
    unsafe {
        let info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
        let pool = device.create_command_pool(&info, None).expect("a pool");
        let drawing = |inherits, set: &dyn Fn(vk::CommandBuffer)| {
            secondary_with(device, pool, inherits, |commands| {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                set(commands);
                device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[0]);
                device.cmd_draw(commands, 3, 1, 0, 0);
            })
        };
        let inheriting = drawing(true, &|_| {});
        let setting = drawing(false, &|commands| {
            device.cmd_set_viewport(commands, 0, &[whole()]);
            device.cmd_set_scissor(commands, 0, &[rectangle(8, 8, 3, 2)]);
        });
        // The primary's state, and then that of the secondary one before it.
        for (lists, expected) in [(vec![inheriting], 4 * 5), (vec![setting, inheriting], 3 * 2)] {
            let covered = canvas.draw_bare(|commands| {
                device.cmd_set_viewport(commands, 0, &[whole()]);
                device.cmd_set_scissor(commands, 0, &[rectangle(1, 2, 4, 5)]);
                device.cmd_execute_commands(commands, &lists);
            });
            assert_eq!(covered.count(), expected);
            assert!(covered.at(if lists.len() == 1 { 2 } else { 9 }, if lists.len() == 1 { 3 } else { 9 }));
        }
        // What one sets is not what the primary has afterwards.
        let covered = canvas.draw(pipeline, |commands| {
            device.cmd_execute_commands(commands, &[setting]);
            device.cmd_execute_commands(commands, &[inheriting]);
        });
        assert_eq!(covered.count(), (SIZE * SIZE) as usize);
        device.destroy_command_pool(pool, None);
        device.destroy_pipeline(pipeline, None);
    }
}

/// From a list beside it within a third one, and from the primary, or a list before it, through one that
/// inherits, too.
#[test]
fn viewports_are_inherited_in_nested_command_buffers() {
    let canvas = Canvas::with(&[c"VK_NV_inherited_viewport_scissor", c"VK_EXT_nested_command_buffer"]);
    let device = &canvas.device;
    let pipeline = canvas.pipeline(TRIANGLES, true);
    fill(&canvas, [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]], 0.5);
    unsafe {
        let info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
        let pool = device.create_command_pool(&info, None).expect("a pool");
        let set = |commands, [x, y, width, height]: [u32; 4]| {
            device.cmd_set_viewport(commands, 0, &[whole()]);
            device.cmd_set_scissor(commands, 0, &[rectangle(x as i32, y as i32, width, height)]);
        };
        let drawing = secondary_with(device, pool, true, |commands| {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[0]);
            device.cmd_draw(commands, 3, 1, 0, 0);
        });
        let setting = secondary(device, pool, |commands| set(commands, [8, 8, 3, 2]));
        let beside =
            secondary(device, pool, |commands| device.cmd_execute_commands(commands, &[setting, drawing]));
        let through = secondary_with(device, pool, true, |commands| {
            device.cmd_execute_commands(commands, &[drawing]);
        });
        for (lists, expected, at) in [
            (vec![beside], 3 * 2, (9, 9)),
            (vec![through], 4 * 5, (2, 3)),
            (vec![setting, through], 3 * 2, (9, 9)),
        ] {
            let covered = canvas.draw_bare(|commands| {
                set(commands, [1, 2, 4, 5]);
                device.cmd_execute_commands(commands, &lists);
            });
            assert_eq!(covered.count(), expected);
            assert!(covered.at(at.0, at.1));
        }
        device.destroy_command_pool(pool, None);
        device.destroy_pipeline(pipeline, None);
    }
}

#[test]
fn command_buffers_go_on_with_the_state_of_those_before() {
    let canvas = Canvas::with(&[c"VK_NV_command_buffer_inheritance"]);
    let device = &canvas.device;
    let pipeline = canvas.pipeline(TRIANGLES, true);
    fill(&canvas, [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]], 0.5);
    unsafe {
        let info = vk::CommandPoolCreateInfo::builder().queue_family_index(0);
        let pool = device.create_command_pool(&info, None).expect("a pool");
        // A submission that sets everything, and one that draws.
        canvas.record(|commands| {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_set_viewport(commands, 0, &[whole()]);
            device.cmd_set_scissor(commands, 0, &[rectangle(1, 2, 4, 5)]);
        });
        assert_eq!(canvas.draw_bare(|commands| device.cmd_draw(commands, 3, 1, 0, 0)).count(), 20);
        // State goes into secondary command buffers, and comes out of them.
        let drawing = secondary(device, pool, |commands| {
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_set_scissor(commands, 0, &[rectangle(8, 8, 3, 2)]);
        });
        let covered = canvas.draw_bare(|commands| {
            device.cmd_execute_commands(commands, &[drawing]);
            device.cmd_draw(commands, 3, 1, 0, 0);
        });
        assert_eq!(covered.count(), 20 + 6);
        // And on to the next submission.
        assert_eq!(canvas.draw_bare(|commands| device.cmd_draw(commands, 3, 1, 0, 0)).count(), 6);
        device.destroy_command_pool(pool, None);
        device.destroy_pipeline(pipeline, None);
    }
}
