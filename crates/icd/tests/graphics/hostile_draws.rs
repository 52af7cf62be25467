//! Draws of bad and extreme input: the pixels are defined, and nothing crashes or takes for ever.

use pyro_test_kit::canvas::{BUFFER_SIZE, Canvas, Covered, SIZE, rectangle, viewport, whole};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

const LIST: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

type Corner = [f32; 4];

/// Covers the whole target.
const EVERYTHING: [Corner; 3] = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];

fn words(corners: &[Corner]) -> Vec<u32> {
    corners.as_flattened().iter().map(|value| value.to_bits()).collect()
}

/// What is covered when these corners are drawn as they are.
fn drawn(canvas: &Canvas, pipeline: vk::Pipeline, corners: &[Corner]) -> Covered {
    canvas.fill(0, &words(corners));
    canvas.draw(pipeline, |commands| unsafe {
        canvas.device.cmd_draw(commands, corners.len() as u32, 1, 0, 0);
    })
}

fn area() -> usize {
    (SIZE * SIZE) as usize
}

#[test]
fn nan_and_infinite_positions_draw_nothing() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, true);
    let nan = f32::NAN;
    let count = |corners: [Corner; 3]| drawn(&canvas, pipeline, &corners).count();
    assert_eq!(count(EVERYTHING), area());
    // A coordinate that is no number, in any corner and any component.
    for corner in 0..3 {
        for component in 0..4 {
            let mut corners = EVERYTHING;
            corners[corner][component] = nan;
            assert_eq!(count(corners), 0, "corner {corner}, component {component}");
        }
    }
    // Behind the eye, or at it.
    for w in [0.0, -0.0, -1.0, -1e-38, -f32::INFINITY] {
        assert_eq!(count(EVERYTHING.map(|[x, y, z, _]| [x, y, z, w])), 0, "w {w}");
    }
    assert_eq!(count([[0.0; 4]; 3]), 0);
    // Before the near plane and beyond the far one.
    assert_eq!(count(EVERYTHING.map(|[x, y, _, w]| [x, y, -0.5, w])), 0);
    assert_eq!(count(EVERYTHING.map(|[x, y, _, w]| [x, y, 1.5, w])), 0);
    // No area: all corners in one place, on one line.
    assert_eq!(count([EVERYTHING[0]; 3]), 0);
    assert_eq!(count([[-1.0, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]]), 0);
    // Too small for any pixel's centre.
    let tiny = 1e-30;
    assert_eq!(count([[tiny, 0.0, 0.0, 1.0], [0.0, tiny, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]), 0);
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn huge_triangles_cover_what_they_should() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, true);
    for reach in [1e2, 1e4, 1e6, 1e9, 1e15] {
        let around = [[-reach, -reach, 0.0, 1.0], [reach, -reach, 0.0, 1.0], [0.0, reach, 0.0, 1.0]];
        assert_eq!(drawn(&canvas, pipeline, &around).count(), area(), "{reach}");
        // The left half: its edge runs through the middle whatever its length.
        let half = [[0.0, -reach, 0.0, 1.0], [0.0, reach, 0.0, 1.0], [-reach, 0.0, 0.0, 1.0]];
        let covered = drawn(&canvas, pipeline, &half);
        for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
            assert_eq!(covered.at(x, y), x < SIZE / 2, "{reach}: {x} {y}");
        }
    }
    // Values at the end of their range may lose the triangle, but nothing else.
    for value in [f32::MAX, f32::INFINITY, 1e38, f32::MIN_POSITIVE, f32::from_bits(1)] {
        for w in [1.0, value, f32::MIN_POSITIVE] {
            drawn(&canvas, pipeline, &EVERYTHING.map(|[x, y, z, _]| [x * value, y * value, z * value, w]));
        }
    }
    // One corner behind the eye: what is before it reaches from the two others away from it, without end.
    let behind = [[-1.0, 0.5, 0.0, 1.0], [1.0, 0.5, 0.0, 1.0], [0.0, 2.0, 0.0, -1.0]];
    let covered = drawn(&canvas, pipeline, &behind);
    for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
        assert_eq!(covered.at(x, y), y >= 12, "{x} {y}");
    }
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn degenerate_lines_and_points_are_safe() {
    let canvas = Canvas::new();
    for topology in [
        vk::PrimitiveTopology::LINE_LIST,
        vk::PrimitiveTopology::LINE_STRIP,
        vk::PrimitiveTopology::POINT_LIST,
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        vk::PrimitiveTopology::TRIANGLE_FAN,
    ] {
        let pipeline = canvas.pipeline(topology, true);
        for value in [0.0, 1.0, -1.0, 1e20, f32::MAX, f32::INFINITY, f32::NAN] {
            for w in [1.0, 0.0, -1.0, 1e-30, f32::NAN] {
                let corners = [[value, 0.3, 0.5, w], [-value, -0.2, 0.5, w], [0.1, value, 0.5, 1.0]];
                drawn(&canvas, pipeline, &corners);
            }
        }
        let all = [[f32::NAN; 4]; 3];
        assert_eq!(drawn(&canvas, pipeline, &all).count(), 0, "{topology:?}");
        // One vertex makes no line and no triangle.
        let one = drawn(&canvas, pipeline, &[[0.03, 0.03, 0.0, 1.0]]).count();
        assert_eq!(one, usize::from(topology == vk::PrimitiveTopology::POINT_LIST), "{topology:?}");
        unsafe { canvas.device.destroy_pipeline(pipeline, None) };
    }
}

#[test]
fn empty_draws_draw_nothing() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, true);
    let device = &canvas.device;
    canvas.fill(0, &words(&EVERYTHING));
    canvas.fill(1, &[0, 1, 2]);
    // Indirect: none of no instance, of no vertices, and one that starts far beyond the buffer.
    canvas.fill(2, &[3, 0, 0, 0, 0, 1, 0, 0, 2, 1, 0, 0]);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        device.cmd_draw(commands, 0, 1, 0, 0);
        device.cmd_draw(commands, 3, 0, 0, 0);
        device.cmd_draw(commands, 2, 1, 0, 0);
        device.cmd_draw(commands, 0, u32::MAX, 0, 0);
        device.cmd_bind_index_buffer(commands, canvas.buffer(1), 0, vk::IndexType::UINT32);
        device.cmd_draw_indexed(commands, 0, 1, 0, 0, 0);
        device.cmd_draw_indexed(commands, 2, 1, 0, 0, 0);
        device.cmd_draw_indexed(commands, 3, 0, 0, 0, 0);
        device.cmd_draw_indirect(commands, canvas.buffer(2), 0, 3, 16);
        device.cmd_draw_indirect(commands, canvas.buffer(2), 0, 0, 16);
    });
    assert_eq!(covered.count(), 0);
    unsafe { device.destroy_pipeline(pipeline, None) };
}

#[test]
fn vertices_past_the_end_are_zero_or_in_the_buffer() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, true);
    let device = &canvas.device;
    let count = (BUFFER_SIZE / 16) as u32;
    canvas.fill(0, &words(&vec![[0.0, 0.0, 0.0, 1.0]; count as usize]));
    // Every vertex of the buffer is one place, and zero has w 0: no triangle can have area.
    let covered = canvas.draw(pipeline, |commands| unsafe {
        device.cmd_draw(commands, 9, 1, count - 3, 0);
        device.cmd_draw(commands, 3, 1, u32::MAX - 3, 0);
    });
    assert_eq!(covered.count(), 0);
    canvas.fill(1, &[0, 1, count + 5, u32::MAX - 1, 0x7fff_ffff, 0x8000_0000]);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        device.cmd_bind_index_buffer(commands, canvas.buffer(1), 0, vk::IndexType::UINT32);
        device.cmd_draw_indexed(commands, 6, 1, 0, 0, 0);
        device.cmd_draw_indexed(commands, 6, 1, 0, i32::MIN, 0);
        device.cmd_draw_indexed(commands, 6, 1, 0, i32::MAX, 0);
        // More indices than the buffer has, and a start beyond it.
        device.cmd_draw_indexed(commands, 4 * BUFFER_SIZE as u32, 1, 0, 0, 0);
        device.cmd_draw_indexed(commands, 30, 1, u32::MAX - 64, 0, 0);
    });
    assert_eq!(covered.count(), 0);
    unsafe { device.destroy_pipeline(pipeline, None) };
}

#[test]
fn viewports_and_scissors_off_the_target_cut() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, true);
    let device = &canvas.device;
    canvas.fill(0, &words(&EVERYTHING));
    let side = SIZE as f32;
    let with = |view: vk::Viewport, scissor: vk::Rect2D| {
        canvas.draw(pipeline, |commands| unsafe {
            device.cmd_set_viewport(commands, 0, &[view]);
            device.cmd_set_scissor(commands, 0, &[scissor]);
            device.cmd_draw(commands, 3, 1, 0, 0);
        })
    };
    let all = rectangle(0, 0, SIZE, SIZE);
    assert_eq!(with(whole(), all).count(), area());
    for (x, y) in [(side, 0.0), (-side, 0.0), (0.0, side), (0.0, -side), (30000.0, 30000.0), (-30000.0, 0.0)]
    {
        assert_eq!(with(viewport(x, y, side, side), all).count(), 0, "{x} {y}");
    }
    // Half of the viewport is on the target; upside down it is the same half.
    for view in [viewport(-8.0, 0.0, side, side), viewport(-8.0, side, side, -side)] {
        let covered = with(view, all);
        assert!((0..SIZE).all(|x| covered.at(x, 5) == (x < 8)), "{view:?}");
    }
    // The largest that the limits allow, and one of a fraction of a pixel.
    assert_eq!(with(viewport(-8192.0, -8192.0, 16384.0, 16384.0), all).count(), area());
    assert_eq!(with(viewport(3.25, 3.25, 0.5, 0.5), all).count(), 1);
    assert_eq!(with(viewport(3.6, 3.6, 0.3, 0.3), all).count(), 0);
    for scissor in [
        rectangle(0, 0, 0, 0),
        rectangle(SIZE as i32, 0, SIZE, SIZE),
        rectangle(1 << 30, 1 << 30, 1 << 30, 1 << 30),
        rectangle(0, 3, SIZE, 0),
    ] {
        assert_eq!(with(whole(), scissor).count(), 0, "{scissor:?}");
    }
    assert_eq!(with(whole(), rectangle(14, 13, 1 << 30, 1 << 30)).count(), 2 * 3);
    unsafe { device.destroy_pipeline(pipeline, None) };
}

#[test]
fn passes_without_attachments_count_samples() {
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(LIST, false);
    let device = &canvas.device;
    canvas.fill(0, &words(&EVERYTHING));
    unsafe {
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = device.create_query_pool(&info, None).expect("a query pool");
        canvas.record(|commands| {
            device.cmd_reset_query_pool(commands, queries, 0, 1);
            let info = vk::RenderingInfo::builder().render_area(rectangle(0, 0, SIZE, SIZE)).layer_count(1);
            device.cmd_begin_rendering_khr(commands, &info);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_set_viewport(commands, 0, &[whole()]);
            device.cmd_set_scissor(commands, 0, &[rectangle(2, 2, 5, 3)]);
            device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[0]);
            device.cmd_begin_query(commands, queries, 0, vk::QueryControlFlags::PRECISE);
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_end_query(commands, queries, 0);
            device.cmd_end_rendering_khr(commands);
        });
        let mut samples = [0_u8; 8];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        device.get_query_pool_results(queries, 0, 1, &mut samples, 8, flags).expect("a result");
        assert_eq!(u64::from_ne_bytes(samples), 15);
        device.destroy_query_pool(queries, None);
        device.destroy_pipeline(pipeline, None);
    }
}
