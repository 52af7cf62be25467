//! The geometry stage: what its invocations see, and what becomes of the vertices that they emit.
//!
//! Shaders are `geometry/NAME.spvasm`, made by glslangValidator of `geometry/NAME`.

use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use std::collections::BTreeMap;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtTransformFeedbackExtensionDeviceCommands as _;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("geometry/", $name, ".spvasm"))
    };
}

pub(super) const BOTH: [With; 2] = [With::Pipeline, With::Objects];

fn scene(geometry: &str, topology: vk::PrimitiveTopology, vertices: &[[[f32; 4]; 2]]) -> Scene {
    let mut scene = Scene::new(shader!("pass.vert"), shader!("color.frag"), vertices);
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, geometry.into())];
    scene.state.topology = topology;
    scene
}

fn mode(provoking_last: bool) -> vk::ProvokingVertexModeEXT {
    match provoking_last {
        true => vk::ProvokingVertexModeEXT::LAST_VERTEX,
        false => vk::ProvokingVertexModeEXT::FIRST_VERTEX,
    }
}

/// A pixel edge in clip space.
fn edge(pixel: u32) -> f32 {
    pixel as f32 * 2.0 / SIZE as f32 - 1.0
}

/// Vertices whose colours count from 0 on.
fn numbered(count: usize) -> Vec<[[f32; 4]; 2]> {
    (0..count).map(|number| [[0.0, 0.0, 0.5, 1.0], [number as f32, 0.0, 0.0, 0.0]]).collect()
}

/// The numbers of pixels by what is in them; those of the clear colour are left out.
fn counted(found: impl Iterator<Item = [f32; 4]>) -> BTreeMap<[u32; 4], u32> {
    let mut counts = BTreeMap::new();
    for color in found.filter(|color| *color != [0.0; 4]) {
        *counts.entry(color.map(|value| value as u32)).or_default() += 1;
    }
    counts
}

#[test]
fn points_become_rectangles() {
    let lab = Lab::new(&[]);
    // The upper left pixel, the size in pixels, and the colour's first component. The later of two is in
    // front.
    let rectangles = [[1, 2, 3, 4, 7], [2, 3, 1, 1, 9], [10, 0, 6, 16, 5], [0, 15, 16, 1, 3]];
    let size = |pixels: u32| pixels as f32 * 2.0 / SIZE as f32;
    let vertices = rectangles.map(|[x, y, width, height, color]| {
        [[edge(x), edge(y), 0.25, 1.0], [color as f32, 1.0, size(width), size(height)]]
    });
    let scene = scene(shader!("quads.geom"), vk::PrimitiveTopology::POINT_LIST, &vertices);
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let is_in = |&&[left, top, width, height, _]: &&[u32; 5]| {
            (left..left + width).contains(&x) && (top..top + height).contains(&y)
        };
        let expected = rectangles.iter().rfind(is_in).map_or(0.0, |rectangle| rectangle[4] as f32);
        assert_eq!(picture.at(0, x, y)[0], expected, "{x} {y}");
    }
}

#[test]
fn many_rectangles_come_in_their_order() {
    let lab = Lab::new(&[]);
    // More than a chunk; each pixel is covered again and again, and the last one stays.
    let count = 1900;
    let pixel = |number: u32| (number * 7 % SIZE, number / SIZE * 5 % SIZE);
    let vertices: Vec<_> = (0..count)
        .map(|number| {
            let (x, y) = pixel(number);
            let one = 2.0 / SIZE as f32;
            [[edge(x), edge(y), 0.25, 1.0], [number as f32 + 1.0, 1.0, one, one]]
        })
        .collect();
    let scene = scene(shader!("quads.geom"), vk::PrimitiveTopology::POINT_LIST, &vertices);
    let picture = lab.draw_both(&scene);
    let expected: BTreeMap<_, _> = (0..count).map(|number| (pixel(number), number as f32 + 1.0)).collect();
    assert_eq!(expected.len() as u32, SIZE * SIZE);
    for (&(x, y), &number) in &expected {
        assert_eq!(picture.at(0, x, y)[0], number, "{x} {y}");
    }
}

#[test]
fn invocations_emit_any_number_of_strips() {
    let lab = Lab::new(&[]);
    let triangles = 14;
    let mut scene =
        scene(shader!("strips.geom"), vk::PrimitiveTopology::TRIANGLE_LIST, &numbered(3 * triangles));
    scene.fragment = shader!("primitive.frag").into();
    let picture = lab.draw_both(&scene);
    let mut filled = 0;
    for primitive in 0..triangles as u32 {
        for x in 0..SIZE {
            let (invocation, strip) = (x / 4, x % 4);
            let is_filled = invocation < 3 && strip < invocation + primitive % 3;
            filled += u32::from(is_filled);
            let corner = |number: u32| (3 * primitive + number) as f32;
            let id = (100 * primitive + 10 * invocation + strip) as f32;
            let expected = if is_filled { [corner(0), corner(1), corner(2), id] } else { [0.0; 4] };
            assert_eq!(picture.at(0, x, primitive), expected, "{x} {primitive}");
        }
    }
    assert_eq!(filled, (0..14).map(|primitive| 3 + 3 * (primitive % 3)).sum());
}

/// What invocations saw: the numbers of their vertices, and how often each ran.
fn order(
    lab: &Lab,
    with: With,
    geometry: &str,
    topology: vk::PrimitiveTopology,
    count: u32,
) -> Vec<Vec<u32>> {
    let scene = scene(geometry, topology, &numbered(count as usize));
    let words = lab.draw(&scene, with).words;
    words
        .chunks(8)
        .take_while(|one| one[7] != 0)
        .map(|one| {
            assert_eq!(one[7], 1, "{topology:?}");
            one[..6].iter().take_while(|&&word| word != 0).map(|word| word - 100).collect()
        })
        .collect()
}

#[test]
fn geometry_inputs_follow_the_topology() {
    use vk::PrimitiveTopology as T;
    let lab = Lab::new(&[]);
    let two_fans: &[&[u32]] = &[&[1, 2, 0], &[2, 3, 0]];
    let cases: [(T, &str, u32, &[&[u32]]); 10] = [
        (T::POINT_LIST, shader!("order_points.geom"), 3, &[&[0], &[1], &[2]]),
        (T::LINE_LIST, shader!("order_lines.geom"), 5, &[&[0, 1], &[2, 3]]),
        (T::LINE_STRIP, shader!("order_lines.geom"), 3, &[&[0, 1], &[1, 2]]),
        (T::TRIANGLE_LIST, shader!("order_triangles.geom"), 8, &[&[0, 1, 2], &[3, 4, 5]]),
        (T::TRIANGLE_STRIP, shader!("order_triangles.geom"), 5, &[&[0, 1, 2], &[1, 3, 2], &[2, 3, 4]]),
        (T::TRIANGLE_FAN, shader!("order_triangles.geom"), 4, two_fans),
        (
            T::LINE_LIST_WITH_ADJACENCY,
            shader!("order_lines_adjacency.geom"),
            9,
            &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
        ),
        (
            T::LINE_STRIP_WITH_ADJACENCY,
            shader!("order_lines_adjacency.geom"),
            5,
            &[&[0, 1, 2, 3], &[1, 2, 3, 4]],
        ),
        (
            T::TRIANGLE_LIST_WITH_ADJACENCY,
            shader!("order_triangles_adjacency.geom"),
            12,
            &[&[0, 1, 2, 3, 4, 5], &[6, 7, 8, 9, 10, 11]],
        ),
        // Corners are the even ones; between them lie the corners of neighbours.
        (
            T::TRIANGLE_STRIP_WITH_ADJACENCY,
            shader!("order_triangles_adjacency.geom"),
            10,
            &[&[0, 1, 2, 6, 4, 3], &[4, 0, 2, 5, 6, 8], &[4, 2, 6, 9, 8, 7]],
        ),
    ];
    for (topology, geometry, count, expected) in cases {
        for with in BOTH {
            assert_eq!(order(&lab, with, geometry, topology, count), expected, "{topology:?} {with:?}");
        }
    }
    let only = order(
        &lab,
        With::Pipeline,
        shader!("order_triangles_adjacency.geom"),
        T::TRIANGLE_STRIP_WITH_ADJACENCY,
        7,
    );
    assert_eq!(only, [[0, 1, 2, 5, 4, 3]]);
}

#[test]
fn layer_and_viewport_come_from_the_provoking_vertex() {
    let lab = Lab::new(&[]);
    let mut scene = scene(shader!("layers.geom"), vk::PrimitiveTopology::POINT_LIST, &numbered(2)[1..]);
    scene.layers = 3;
    let half = SIZE as f32 / 2.0;
    let viewport =
        |x: f32| vk::Viewport { x, width: half, height: SIZE as f32, max_depth: 1.0, ..Default::default() };
    scene.state.viewports = vec![viewport(0.0), viewport(half)];
    scene.state.scissors = vec![scene.state.scissors[0]; 2];
    for with in BOTH {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw(commands, 1, 1, 0, 0);
        });
        for layer in 0..3 {
            for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                // The fourth layer is not there.
                let is_drawn = (x >= SIZE / 2) == (layer % 2 == 1);
                let expected = if is_drawn { [1.0, layer as f32, 0.0, 1.0] } else { [0.0; 4] };
                let found = picture.words_at(0, x, y, layer).map(f32::from_bits);
                assert_eq!(found, expected, "{with:?} {layer} {x} {y}");
            }
        }
    }
}

#[test]
fn geometry_shader_runs_once_per_view() {
    let lab = Lab::new(&[]);
    let mut scene = scene(shader!("views.geom"), vk::PrimitiveTopology::POINT_LIST, &numbered(3)[2..]);
    (scene.layers, scene.view_mask) = (4, 0b1011);
    let picture = lab.draw_both(&scene);
    for view in 0..4 {
        let expected = if view == 2 { [0.0; 4] } else { [2.0, view as f32, 0.0, 1.0] };
        let found = picture.words_at(0, 3, 5, view).map(f32::from_bits);
        assert_eq!(found, expected, "{view}");
    }
}

#[test]
fn vertices_beyond_max_vertices_are_dropped() {
    let lab = Lab::new(&[]);
    let mut scene = scene(shader!("endless.geom"), vk::PrimitiveTopology::POINT_LIST, &numbered(2)[1..]);
    for provoking_last in [false, true] {
        scene.state.provoking = mode(provoking_last);
        let picture = lab.draw_both(&scene);
        // Five vertices are three triangles: the first two columns of pixels, and half of the next two.
        let found = counted((0..SIZE * SIZE).map(|at| picture.at(0, at % SIZE, at / SIZE)));
        let numbers: Vec<u32> = found.keys().map(|color| color[0]).collect();
        assert_eq!(numbers, if provoking_last { [2, 3, 4] } else { [0, 1, 2] });
        for y in 0..SIZE {
            let is_drawn = |x: u32| picture.at(0, x, y)[3] != 0.0;
            assert!(is_drawn(0) && is_drawn(1), "{y}");
            assert!(!(4..SIZE).any(is_drawn), "{y}");
        }
        let third = found.iter().last().expect("three").1;
        assert!((8..=24).contains(third), "{found:?}");
    }
}

#[test]
fn points_have_their_sizes() {
    let lab = Lab::new(&[]);
    let corner = |x: u32, y: u32, number: u32| {
        // The middle of a pixel, for the point of one and of three; a corner for that of two.
        let shift = if number == 2 { 0.0 } else { 1.0 / SIZE as f32 };
        [[edge(x) + shift, edge(y) + shift, 0.25, 1.0], [number as f32, 0.0, 0.0, 1.0]]
    };
    let vertices = [corner(2, 3, 1), corner(8, 8, 2), corner(12, 5, 3)];
    let scene = scene(shader!("points.geom"), vk::PrimitiveTopology::TRIANGLE_LIST, &vertices);
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let expected = match (x, y) {
            (2, 3) => 1.0,
            (7..=8, 7..=8) => 2.0,
            (11..=13, 4..=6) => 3.0,
            _ => 0.0,
        };
        assert_eq!(picture.at(0, x, y)[0], expected, "{x} {y}");
    }
}

#[test]
fn lines_are_strips() {
    let lab = Lab::new(&[]);
    let half = 1.0 / SIZE as f32;
    let corner =
        |x: u32, y: u32, number: f32| [[edge(x) + half, edge(y) + half, 0.25, 1.0], [number, 0.0, 0.0, 1.0]];
    let vertices = [corner(1, 2, 1.0), corner(9, 2, 2.0), corner(9, 12, 3.0)];
    let scene = scene(shader!("lines.geom"), vk::PrimitiveTopology::TRIANGLE_LIST, &vertices);
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let found = picture.at(0, x, y)[0];
        match (x, y) {
            (2..=8, 2) => assert_eq!(found, 1.0, "{x} {y}"),
            (9, 3..=11) => assert_eq!(found, 2.0, "{x} {y}"),
            // Ends are as the rules of lines have them.
            (1, 2) | (9, 2) | (9, 12) => {}
            _ => assert_eq!(found, 0.0, "{x} {y}"),
        }
    }
}

#[test]
fn distances_clip_and_cull() {
    let lab = Lab::new(&[]);
    for inner in [1.0, -1.0] {
        let vertices = [[[0.0, 0.0, 0.5, 1.0], [inner, 1.0, 1.0, 1.0]]];
        let mut scene = scene(shader!("distances.geom"), vk::PrimitiveTopology::POINT_LIST, &vertices);
        scene.vertex = shader!("distance.vert").into();
        let picture = lab.draw_both(&scene);
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let is_drawn = match y {
                // The distance of the vertex shader's.
                0..=1 => inner > 0.0,
                4..=5 => x >= SIZE / 2,
                _ => false,
            };
            assert_eq!(picture.at(0, x, y)[1] == 1.0, is_drawn, "{inner} {x} {y}");
        }
    }
}

/// Results of one query, of 64 bits.
pub(super) fn results<const N: usize>(device: &Device, pool: vk::QueryPool, query: u32) -> [u64; N] {
    let mut bytes = vec![0; 8 * N];
    let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
    let stride = bytes.len() as u64;
    unsafe { device.get_query_pool_results(pool, query, 1, &mut bytes, stride, flags) }.expect("results");
    std::array::from_fn(|at| u64::from_ne_bytes(bytes[8 * at..8 * at + 8].try_into().expect("eight")))
}

#[test]
fn statistics_count_invocations_and_primitives() {
    let lab = Lab::new(&[]);
    let scene = scene(shader!("strips.geom"), vk::PrimitiveTopology::TRIANGLE_LIST, &numbered(42));
    use vk::QueryPipelineStatisticFlags as F;
    let info = vk::QueryPoolCreateInfo::builder()
        .query_type(vk::QueryType::PIPELINE_STATISTICS)
        .query_count(1)
        .pipeline_statistics(
            F::INPUT_ASSEMBLY_PRIMITIVES
                | F::GEOMETRY_SHADER_INVOCATIONS
                | F::GEOMETRY_SHADER_PRIMITIVES
                | F::CLIPPING_INVOCATIONS,
        );
    let pool = unsafe { lab.device.create_query_pool(&info, None) }.expect("queries");
    for with in BOTH {
        unsafe { lab.device.reset_query_pool(pool, 0, 1) };
        lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
            device.cmd_draw(commands, 42, 2, 0, 0);
            device.cmd_end_query(commands, pool, 0);
        });
        // Each primitive has three invocations of i + p % 3 strips, of two triangles each.
        let strips: u64 = (0..14).map(|primitive| 3 + 3 * (primitive % 3)).sum();
        let expected = [28, 3 * 28, 2 * 2 * strips, 2 * 2 * strips];
        assert_eq!(results::<4>(&lab.device, pool, 0), expected, "{with:?}");
    }
    unsafe { lab.device.destroy_query_pool(pool, None) };
}

#[test]
fn streams_are_captured_and_counted_by_themselves() {
    captured_streams(1);
}

/// The last of `maxTransformFeedbackStreams`.
#[test]
fn sixteenth_stream_is_captured_and_counted() {
    captured_streams(15);
}

/// Captures stream 0 and another stream.
fn captured_streams(second: u32) {
    let lab = Lab::new(&[c"VK_EXT_primitives_generated_query", c"VK_EXT_transform_feedback"]);
    // The number of vertices of the second stream, and what they are marked with.
    let counts = [2_u32, 0, 3];
    let marks = [10_u32, 20, 30];
    let vertices: Vec<_> = counts
        .iter()
        .zip(marks)
        .map(|(&count, mark)| [[0.0, 0.0, 0.5, 1.0], [count as f32, mark as f32, 0.0, 1.0]])
        .collect();
    let geometry = shader!("streams.geom")
        .replace("Stream 1", &format!("Stream {second}"))
        .replace("StreamVertex %int_1", "StreamVertex %second_stream")
        .replace("StreamPrimitive %int_1", "StreamPrimitive %second_stream")
        .replace(
            "%int_1 = OpConstant %int 1",
            &format!("%int_1 = OpConstant %int 1\n%second_stream = OpConstant %int {second}"),
        );
    let mut scene = scene(&geometry, vk::PrimitiveTopology::POINT_LIST, &vertices);
    scene.words = vec![u32::MAX; 256];
    let pool = |query_type| {
        let info = vk::QueryPoolCreateInfo::builder().query_type(query_type).query_count(second + 1);
        unsafe { lab.device.create_query_pool(&info, None) }.expect("queries")
    };
    let captured = pool(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT);
    let generated = pool(vk::QueryType::PRIMITIVES_GENERATED_EXT);
    let none = vk::QueryControlFlags::empty();
    for with in BOTH {
        for pool in [captured, generated] {
            unsafe { lab.device.reset_query_pool(pool, 0, second + 1) };
        }
        let words = lab
            .draw_by(&scene, with, |device, commands| unsafe {
                // Four vertices of the second stream have room.
                let buffers = [lab.storage(); 2];
                device.cmd_bind_transform_feedback_buffers_ext(commands, 0, &buffers, &[0, 512], &[256, 36]);
                for stream in [0, second] {
                    device.cmd_begin_query_indexed_ext(commands, captured, stream, none, stream);
                    device.cmd_begin_query_indexed_ext(commands, generated, stream, none, stream);
                }
                device.cmd_begin_transform_feedback_ext(commands, 0, &[], &[]);
                device.cmd_draw(commands, 3, 1, 0, 0);
                device.cmd_end_transform_feedback_ext(commands, 0, &[], &[]);
                for stream in [0, second] {
                    device.cmd_end_query_indexed_ext(commands, captured, stream, stream);
                    device.cmd_end_query_indexed_ext(commands, generated, stream, stream);
                }
            })
            .words;
        let floats = |from: usize, count: usize| -> Vec<f32> {
            words[from..from + count].iter().copied().map(f32::from_bits).collect()
        };
        let first: Vec<f32> = vertices.iter().flat_map(|vertex| vertex[1]).collect();
        assert_eq!(floats(0, 12), first, "{with:?}");
        let expected = [10.0, 0.0, 10.0, 1.0, 30.0, 0.0, 30.0, 1.0];
        assert_eq!(floats(128, 8), expected, "{with:?}");
        assert_eq!((words[12], words[136]), (u32::MAX, u32::MAX), "{with:?}");
        let device = &lab.device;
        assert_eq!(results::<2>(device, captured, 0), [3, 3], "{with:?}");
        assert_eq!(results::<2>(device, captured, second), [4, 5], "{with:?}");
        assert_eq!([0, second].map(|stream| results::<1>(device, generated, stream)), [[3], [5]], "{with:?}");
    }
    unsafe {
        lab.device.destroy_query_pool(captured, None);
        lab.device.destroy_query_pool(generated, None);
    }
}

#[test]
fn strips_are_captured_triangle_by_triangle() {
    let lab = Lab::new(&[c"VK_EXT_transform_feedback"]);
    let mut scene = scene(shader!("captured.geom"), vk::PrimitiveTopology::LINE_STRIP, &numbered(3));
    for provoking_last in [false, true] {
        scene.state.provoking = mode(provoking_last);
        let words = lab
            .draw_by(&scene, With::Pipeline, |device, commands| unsafe {
                let buffers = [lab.storage()];
                device.cmd_bind_transform_feedback_buffers_ext(commands, 0, &buffers, &[0], &[1024]);
                device.cmd_begin_transform_feedback_ext(commands, 0, &[], &[]);
                device.cmd_draw(commands, 3, 2, 0, 0);
                device.cmd_end_transform_feedback_ext(commands, 0, &[], &[]);
            })
            .words;
        let odd = if provoking_last { [2, 1, 3] } else { [1, 3, 2] };
        let strip = [[0, 1, 2], odd, [2, 3, 4]];
        let mut expected = Vec::new();
        for primitive in [0, 1, 0, 1] {
            for vertex in strip.as_flattened() {
                expected.extend([primitive as f32, *vertex as f32]);
            }
        }
        let found: Vec<f32> = words[..expected.len()].iter().copied().map(f32::from_bits).collect();
        assert_eq!(found, expected, "{provoking_last}");
        assert_eq!(words[expected.len()], 0);
    }
}

#[test]
fn nonzero_rasterization_stream_is_drawn() {
    let lab = Lab::new(&[]);
    let vertices = [[[1.0 / 16.0, 1.0 / 16.0, 0.5, 1.0], [1.0, 7.0, 0.0, 1.0]]];
    let mut scene = scene(shader!("streams.geom"), vk::PrimitiveTopology::POINT_LIST, &vertices);
    // The second stream has a vector of two at location 1.
    scene.fragment = shader!("second.frag").into();
    for (stream, expected) in [(0, [0.0; 4]), (1, [7.0, 0.0, 5.0, 1.0]), (2, [0.0; 4])] {
        scene.state.raster_stream = stream;
        let picture = lab.draw_both(&scene);
        let found = picture.at(0, 8, 8);
        match stream {
            0 => assert_eq!(found[2], 5.0, "stream 0 is drawn"),
            _ => assert_eq!(found, expected, "stream {stream}"),
        }
    }
}

#[test]
fn positions_of_views_come_from_the_stage_before() {
    let lab = Lab::new(&[c"VK_NVX_multiview_per_view_attributes", c"VK_NV_viewport_array2"]);
    let vertices = [[[-1.0, -1.0, 0.5, 1.0], [3.0, 0.5, 0.0, 0.0]]];
    let mut scene = scene(shader!("per_view.geom"), vk::PrimitiveTopology::POINT_LIST, &vertices);
    scene.vertex = shader!("per_view.vert").into();
    (scene.layers, scene.view_mask) = (3, 0b111);
    let picture = lab.draw(&scene, With::Pipeline);
    // A rectangle of half of the target's width and height; that of view 2 begins a quarter further to the
    // right.
    for (layer, x, y) in
        (0..3).flat_map(|layer| (0..SIZE).flat_map(move |y| (0..SIZE).map(move |x| (layer, x, y))))
    {
        let is_drawn = y < 8
            && match layer {
                0 => x < 8,
                2 => (4..12).contains(&x),
                _ => false,
            };
        let expected = if is_drawn { [3.0, 0.5, 0.0, -0.5] } else { [0.0; 4] };
        assert_eq!(picture.words_at(0, x, y, layer), expected.map(f32::to_bits), "{x} {y} {layer}");
    }
}
