//! Tessellation: what the tessellator makes of patches, and what its two shaders read and write.
//!
//! The shaders are `shaders/NAME.spvasm`, made of the GLSL in `NAME` beside it by `glslangValidator` and
//! `spirv-dis`.

use super::assembly::{passed_on, passing};
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use std::collections::BTreeSet;
use vulkanalia::prelude::v1_3::*;

const CONTROL: &str = include_str!("shaders/patch.tesc.spvasm");
const QUADS: &str = include_str!("shaders/quads.tese.spvasm");
const TRIANGLES: &str = include_str!("shaders/triangles.tese.spvasm");

const SPACINGS: [&str; 3] = ["SpacingEqual", "SpacingFractionalEven", "SpacingFractionalOdd"];

/// All of the target as a patch for [`QUADS`]; colours are places from 0 to 1.
fn quad() -> Vec<[[f32; 4]; 2]> {
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(vertex).to_vec()
}

/// A triangle around the target for [`TRIANGLES`].
fn triangle() -> Vec<[[f32; 4]; 2]> {
    [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]].map(vertex).to_vec()
}

fn vertex([x, y]: [f32; 2]) -> [[f32; 4]; 2] {
    [[2.0 * x - 1.0, 2.0 * y - 1.0, 0.5, 1.0], [x, y, 0.25, 1.0]]
}

/// A scene of patches of four vertices, with the levels in the buffer: four outer ones, two inner ones.
fn scene(evaluation: &str, vertices: &[[[f32; 4]; 2]], levels: [f32; 6]) -> Scene {
    let mut scene = Scene::new(&passing(), &passed_on(), vertices);
    scene.between = vec![
        (vk::ShaderStageFlags::TESSELLATION_CONTROL, CONTROL.into()),
        (vk::ShaderStageFlags::TESSELLATION_EVALUATION, evaluation.into()),
    ];
    scene.state.topology = vk::PrimitiveTopology::PATCH_LIST;
    scene.state.patch_vertices = 4;
    scene.state.blend.blend_enable = vk::TRUE;
    scene.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE;
    scene.state.blend.dst_alpha_blend_factor = vk::BlendFactor::ONE;
    scene.words = [0].into_iter().chain(levels.map(f32::to_bits)).collect();
    scene
}

/// What a level is rounded to; NaN is the least.
fn rounded(spacing: &str, level: f32) -> usize {
    let between = |least: f32, most: f32| level.max(least).min(most).ceil() as usize;
    match spacing {
        "SpacingEqual" => between(1.0, 64.0),
        "SpacingFractionalEven" => between(2.0, 64.0).next_multiple_of(2),
        _ => between(1.0, 63.0) / 2 * 2 + 1,
    }
}

/// The rounded levels, inner ones as they are where something is subdivided; none where nothing is.
fn levels_of(spacing: &str, edges: usize, levels: [f32; 6]) -> Option<([usize; 4], [usize; 2])> {
    let outer = [0, 1, 2, 3].map(|at| rounded(spacing, levels[at]));
    let inner = [4, 5].map(|at| rounded(spacing, levels[at]));
    if outer[..edges].iter().chain(&inner[..edges - 2]).all(|&level| level == 1) {
        return None;
    }
    let least = if spacing == "SpacingFractionalOdd" { 3 } else { 2 };
    Some((outer, inner.map(|level| if level == 1 { least } else { level })))
}

/// How many vertices a quad or a triangle gets.
fn vertex_count(spacing: &str, edges: usize, levels: [f32; 6]) -> usize {
    let Some((outer, [m, n])) = levels_of(spacing, edges, levels) else { return edges };
    let inside = if edges == 4 {
        (m - 1) * (n - 1)
    } else {
        (1..=m / 2).map(|ring| if m == 2 * ring { 1 } else { 3 * (m - 2 * ring) }).sum()
    };
    outer[..edges].iter().sum::<usize>() + inside
}

/// What the evaluation shader has noted of each vertex, in whatever order.
fn noted(words: &[u32]) -> BTreeSet<[u32; 4]> {
    let count = words[0] as usize;
    let notes = words[8..8 + 4 * count].chunks_exact(4);
    notes.map(|note| note.try_into().unwrap()).collect()
}

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

#[test]
fn patches_cover_each_pixel_once() {
    let lab = Lab::new(&[]);
    let mut levels = vec![
        [1.0; 6],
        [2.0; 6],
        [3.0, 1.0, 5.0, 2.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 7.0, 4.0],
        [0.25, 64.0, 2.5, 6.75, -3.0, 9.125],
        [7.3, 3.1, 4.6, 11.9, 6.2, 5.7],
        [8.0, 16.0, 3.0, 17.0, 12.0, 13.0],
        [1.0, 1.0, 1.0, 1.0 + f32::EPSILON, 1.0, 1.0],
    ];
    levels.push([f32::INFINITY, 1e9, 2.0, 3.0, f32::NAN, 2.0]);
    for levels in levels {
        for (spacing, (evaluation, edges)) in
            SPACINGS.into_iter().flat_map(|spacing| [(QUADS, 4), (TRIANGLES, 3)].map(|one| (spacing, one)))
        {
            let vertices = if edges == 4 { quad() } else { triangle() };
            let evaluation = evaluation.replace("SpacingEqual", spacing);
            let picture = lab.draw(&scene(&evaluation, &vertices, levels), With::Pipeline);
            let notes = noted(&picture.words);
            // With inner levels of one, odd spacing has vertices at the same place.
            let count = picture.words[0] as usize;
            assert_eq!(count, vertex_count(spacing, edges, levels), "{spacing} {edges} {levels:?}");
            for [u, v, w, rest] in notes {
                let [u, v, w] = [u, v, w].map(f32::from_bits);
                assert!([u, v, w].iter().all(|at| (0.0..=1.0).contains(at)));
                assert_eq!(w, if edges == 3 { 1.0 - u - v } else { 0.0 });
                let sum = levels[1] + levels[5];
                assert_eq!((rest & 0xff, rest >> 8 & 0xff), (0, 4), "the patch, and its control points");
                assert!(sum > 65535.0 || rest >> 16 == sum as u32, "levels");
            }
            for (x, y) in pixels() {
                let [red, green, blue, alpha] = picture.at(0, x, y);
                assert_eq!((blue, alpha), (0.25, 1.0), "{spacing} {edges} {levels:?} at {x}, {y}");
                let [right, down] = [x, y].map(|at| (at as f32 + 0.5) / SIZE as f32);
                assert!(
                    (red - right).abs() < 1e-3 && (green - down).abs() < 1e-3,
                    "{red} {green} at {x}, {y}"
                );
            }
        }
    }
}

#[test]
fn equal_spacing_gives_known_places() {
    let lab = Lab::new(&[]);
    let levels = [3.0, 5.0, 2.0, 4.0, 4.0, 3.0];
    let place = |part: usize, of: usize| part as f64 / of as f64;
    let mut expected = Vec::new();
    expected.extend((0..=3).map(|at| (0.0, place(at, 3))));
    expected.extend((0..=5).map(|at| (place(at, 5), 0.0)));
    expected.extend((0..=2).map(|at| (1.0, place(at, 2))));
    expected.extend((0..=4).map(|at| (place(at, 4), 1.0)));
    expected.extend((1..4).flat_map(|u| (1..3).map(move |v| (place(u, 4), place(v, 3)))));
    let check = |evaluation: &str, vertices: &[_], expected: &[(f64, f64)]| {
        let notes = noted(&lab.draw_both(&scene(evaluation, vertices, levels)).words);
        let near = |note: &[u32; 4], &(u, v): &(f64, f64)| {
            let [x, y] = [note[0], note[1]].map(|bits| f64::from(f32::from_bits(bits)));
            (x - u).abs() < 1e-6 && (y - v).abs() < 1e-6
        };
        for place in expected {
            assert!(notes.iter().any(|note| near(note, place)), "nothing is at {place:?}");
        }
        for note in &notes {
            assert!(expected.iter().any(|place| near(note, place)), "what is at {note:?}?");
        }
    };
    check(QUADS, &quad(), &expected);
    // u = 0, v = 0, w = 0; one ring of two segments a side, and the centre.
    let mut expected = Vec::new();
    expected.extend((0..=3).map(|at| (0.0, place(at, 3))));
    expected.extend((0..=5).map(|at| (place(at, 5), 0.0)));
    expected.extend((0..=2).map(|at| (place(at, 2), 1.0 - place(at, 2))));
    let (near, far, half) = (1.0 / 6.0, 2.0 / 3.0, 5.0 / 12.0);
    expected.extend([(near, near), (far, near), (near, far), (half, near), (near, half), (half, half)]);
    expected.push((1.0 / 3.0, 1.0 / 3.0));
    check(TRIANGLES, &triangle(), &expected);
    let isolines = QUADS.replace(" Quads", " Isolines");
    let lines: Vec<_> = (0..3).flat_map(|v| (0..=5).map(move |u| (place(u, 5), place(v, 3)))).collect();
    check(&isolines, &quad(), &lines);
}

#[test]
fn patches_are_discarded_by_relevant_outer_levels() {
    let lab = Lab::new(&[]);
    let isolines = QUADS.replace(" Quads", " Isolines");
    for (evaluation, relevant) in [(QUADS, 4), (TRIANGLES, 3), (&isolines[..], 2)] {
        for at in 0..6 {
            for level in [0.0, -0.0, -1.0, f32::NAN] {
                let mut levels = [2.0; 6];
                levels[at] = level;
                let mut scene = scene(evaluation, &quad(), levels);
                // What NaN is as an integer is nobody's business.
                scene.vertices.extend(quad());
                let picture = lab.draw(&scene, With::Pipeline);
                let is_empty = picture.words[0] == 0;
                assert_eq!(is_empty, at < relevant, "{relevant} {at} {level}");
            }
        }
    }
}

#[test]
fn triangles_turn_as_origin_and_order_say() {
    let lab = Lab::new(&[]);
    for evaluation in [QUADS, TRIANGLES] {
        for (clockwise, lower_left) in [(true, false), (true, true), (false, false), (false, true)] {
            let order = if clockwise { "VertexOrderCw" } else { "VertexOrderCcw" };
            let evaluation = evaluation.replace("VertexOrderCw", order);
            let vertices = if evaluation.contains(" Quads") { quad() } else { triangle() };
            let mut scene = scene(&evaluation, &vertices, [3.0, 2.0, 4.0, 5.0, 3.0, 4.0]);
            scene.state.lower_left = lower_left;
            scene.state.cull = vk::CullModeFlags::BACK;
            // u goes to the right and v down, as an origin in the upper left has it.
            let turns = clockwise != lower_left;
            for (front, is_front) in
                [(vk::FrontFace::CLOCKWISE, turns), (vk::FrontFace::COUNTER_CLOCKWISE, !turns)]
            {
                scene.state.front = front;
                let picture = lab.draw_both(&scene);
                let alpha = if is_front { 1.0 } else { 0.0 };
                assert!(
                    pixels().all(|(x, y)| picture.at(0, x, y)[3] == alpha),
                    "{order} {lower_left} {front:?}"
                );
            }
        }
    }
}

#[test]
fn points_and_lines() {
    let lab = Lab::new(&[]);
    // Eight lines of eight segments, through the centres of pixels.
    let shift = |vertices: Vec<[[f32; 4]; 2]>| -> Vec<[[f32; 4]; 2]> {
        let shifted =
            |[place, color]: [[f32; 4]; 2]| [[place[0], place[1] + 1.0 / 16.0, place[2], place[3]], color];
        vertices.into_iter().map(shifted).collect()
    };
    let isolines = QUADS.replace(" Quads", " Isolines");
    let picture = lab.draw_both(&scene(&isolines, &shift(quad()), [8.0, 8.0, 0.0, 0.0, 0.0, 0.0]));
    for (x, y) in pixels() {
        let alpha = if y % 2 == 0 { 1.0 } else { 0.0 };
        assert_eq!(picture.at(0, x, y)[3], alpha, "at {x}, {y}");
    }
    // Points at the corners of a grid of four by four, those on the right and lower edge outside.
    let points = QUADS.replace(
        "OpExecutionMode %main Quads",
        "OpExecutionMode %main Quads\nOpExecutionMode %main PointMode",
    );
    let inward = |[place, color]: [[f32; 4]; 2]| {
        [[place[0] + 1.0 / 16.0, place[1] + 1.0 / 16.0, place[2], place[3]], color]
    };
    let vertices: Vec<_> = quad().into_iter().map(inward).collect();
    let picture = lab.draw_both(&scene(&points, &vertices, [4.0; 6]));
    for (x, y) in pixels() {
        let alpha = if x % 4 == 0 && y % 4 == 0 { 1.0 } else { 0.0 };
        assert_eq!(picture.at(0, x, y)[3], alpha, "at {x}, {y}");
    }
}

#[test]
fn many_patches_keep_their_order() {
    let lab = Lab::new(&[]);
    // Each patch covers all of what is left of its right edge, over those before it; blue says which one was
    // last.
    for (count, levels) in [(64, [1.0; 6]), (64, [3.0; 6]), (4, [30.0; 6])] {
        let mut vertices = Vec::new();
        for number in 0..count {
            let right = (count - number) as f32 / count as f32;
            for [mut place, mut color] in quad() {
                place[0] = (place[0] + 1.0) * right - 1.0;
                color[2] = number as f32;
                vertices.push([place, color]);
            }
        }
        let mut scene = scene(QUADS, &vertices, levels);
        scene.state.blend.blend_enable = vk::FALSE;
        for with in [With::Pipeline, With::Objects] {
            let picture = lab.draw(&scene, with);
            for (x, y) in pixels() {
                let center = (x as f32 + 0.5) / SIZE as f32;
                let covers = |number: &i32| center < (count - number) as f32 / count as f32;
                let last = (0..count).rev().find(covers).map(|number| number as f32);
                assert_eq!(Some(picture.at(0, x, y)[2]), last, "at {x}, {y}");
            }
        }
    }
}

#[test]
fn tessellation_passes_all_types_between_stages() {
    let lab = Lab::new(&[]);
    let control = include_str!("shaders/wide.tesc.spvasm");
    let evaluation = include_str!("shaders/wide.tese.spvasm");
    for (inputs, outputs) in [(3, 3), (1, 5), (5, 4), (32, 16), (7, 17), (32, 32), (4, 1)] {
        let patches = 80 / inputs + 1;
        let color = |patch: usize, vertex: usize| [(3 * patch + vertex) as f32, (7 * vertex) as f32];
        let vertices: Vec<_> = (0..patches * inputs)
            .map(|number| {
                let [x, y] = color(number / inputs, number % inputs);
                [[0.0, 0.0, 0.5, 1.0], [x, y, 0.0, 0.0]]
            })
            .collect();
        let mut scene = scene(evaluation, &vertices, [1.0; 6]);
        scene.between[0].1 = control.replace("OutputVertices 32", &format!("OutputVertices {outputs}"));
        scene.state.patch_vertices = inputs as u32;
        scene.words = vec![outputs as u32];
        let picture = lab.draw_both(&scene);
        let last = outputs - 1;
        for patch in 0..patches {
            let listed = |vertex: usize, at: usize| color(patch, (vertex + at) % inputs);
            let sum: f32 = (0..outputs).map(|vertex| listed(vertex, vertex % 3)[0]).sum();
            // Of fewer control points than corners, the last one stands for those that are missing.
            for corner in 0..3 {
                let at = 16 + 16 * (3 * patch + corner);
                let [x, y] = listed(last, corner);
                let expected = [
                    patch as u32,
                    inputs as u32,
                    outputs as u32,
                    sum as u32 + 1000,
                    sum as u32,
                    5,
                    6,
                    7,
                    2 * last as u32,
                    last as u32,
                    x as u32,
                    y as u32,
                    (10 * last + corner % 2 + 1) as u32,
                    outputs as u32,
                    3,
                    patch as u32,
                ];
                assert_eq!(picture.words[at..at + 16], expected, "{inputs} {outputs} {patch} {corner}");
            }
        }
    }
}

#[test]
fn levels_that_no_invocation_writes_are_the_initializers() {
    let lab = Lab::new(&[]);
    let variable = "%gl_TessLevelInner = OpVariable %_ptr_Output__arr_float_uint_2 Output";
    let two = "%two = OpConstant %float 2.0\n%twos = OpConstantComposite %_arr_float_uint_2 %two %two\n";
    let mut control = CONTROL.replace(variable, &format!("{two}{variable} %twos"));
    // The shader names the variable nowhere but in its interface.
    for (place, store) in [("%99 ", "OpStore %99 %98"), ("%104 ", "OpStore %104 %103")] {
        let is_gone = |line: &&str| !line.trim_start().starts_with(place) && !line.contains(store);
        control = control.lines().filter(is_gone).collect::<Vec<_>>().join("\n");
    }
    assert_eq!(
        control.matches("%gl_TessLevelInner").count(),
        5,
        "two decorations, name, variable, interface"
    );
    let levels = [3.0, 3.0, 3.0, 3.0, 7.0, 5.0];
    let mut scene = scene(QUADS, &quad(), levels);
    scene.between[0].1 = control;
    let picture = lab.draw_both(&scene);
    assert_eq!(picture.words[0] as usize, vertex_count("SpacingEqual", 4, [3.0, 3.0, 3.0, 3.0, 2.0, 2.0]));
}

#[test]
fn views_instances_and_indices() {
    let lab = Lab::new(&[]);
    let mut scene = scene(QUADS, &quad(), [3.0, 2.0, 4.0, 5.0, 3.0, 4.0]);
    (scene.layers, scene.view_mask) = (3, 0b101);
    // The second patch has too few vertices; the first one comes three times.
    lab.set_parameters(&[0, 1, 2, 3, 0, 1, 2]);
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
            device.cmd_draw_indexed(commands, 7, 3, 0, 0, 5);
        });
        for (x, y) in pixels() {
            let [first, none, last] = [0, 1, 2].map(|layer| picture.words_at(0, x, y, layer));
            assert_eq!((f32::from_bits(first[3]), none, last), (3.0, [0; 4], first));
        }
    }
}

/// Both tessellation shaders see the number of the patch; it starts again with each instance. Of the
/// primitives of a patch, geometry and fragment shaders see the patch's number, as on GPUs.
#[test]
fn primitive_id_is_the_patch_in_every_stage() {
    let lab = Lab::new(&[]);
    const PATCHES: u32 = 4;
    let column = |patch: u32| {
        quad().into_iter().map(move |[mut place, color]| {
            place[0] = (place[0] + 1.0 + 2.0 * patch as f32) / PATCHES as f32 - 1.0;
            [place, color]
        })
    };
    let vertices: Vec<_> = (0..PATCHES).flat_map(column).collect();
    for has_geometry in [false, true] {
        let mut scene = scene(include_str!("shaders/ids.tese.spvasm"), &vertices, [1.0; 6]);
        scene.between[0].1 = include_str!("shaders/ids.tesc.spvasm").into();
        scene.fragment = include_str!("shaders/ids.frag.spvasm").into();
        if has_geometry {
            let geometry = include_str!("shaders/ids.geom.spvasm");
            scene.between.push((vk::ShaderStageFlags::GEOMETRY, geometry.into()));
            scene.fragment = include_str!("shaders/ids_geometry.frag.spvasm").into();
        }
        scene.state.blend.blend_enable = vk::FALSE;
        for with in [With::Pipeline, With::Objects] {
            let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
                device.cmd_draw(commands, 4 * PATCHES, 2, 0, 0);
            });
            for (x, y) in pixels() {
                let patch = (x / (SIZE / PATCHES)) as f32;
                let [of_geometry, of_fragment] =
                    if has_geometry { [patch, 100.0 + patch] } else { [0.0, patch] };
                assert_eq!(picture.at(0, x, y), [patch, patch, of_geometry, of_fragment], "{x}, {y}");
            }
        }
    }
}

#[test]
fn tessellation_needs_both_shaders_and_patches() {
    let lab = Lab::new(&[]);
    let whole = scene(QUADS, &quad(), [2.0; 6]);
    for left_out in 0..2 {
        let mut scene = whole.clone();
        scene.between.remove(left_out);
        assert!(lab.try_pipeline(&scene).is_err(), "only one of them");
    }
    for outputs in ["0", "33"] {
        let mut scene = whole.clone();
        scene.between[0].1 = CONTROL.replace("OutputVertices 4", &format!("OutputVertices {outputs}"));
        assert!(lab.try_pipeline(&scene).is_err(), "patches of {outputs}");
    }
    let mut other = whole.clone();
    other.state.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let picture = lab.draw(&other, With::Objects);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y) == [0.0; 4]), "no patches");
    let mut other = whole.clone();
    other.between.clear();
    let picture = lab.draw(&other, With::Objects);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y) == [0.0; 4]), "nothing that takes patches");
}

/// The text of a shader with an addition to word 7 before the first line that holds `before`: `unit` for each
/// invocation, which one of each subgroup adds for all.
fn adding_by_subgroup(text: &str, buffer: &str, unit: u32, before: &str) -> String {
    let line = text.lines().find(|line| line.contains(before)).expect("the line is there");
    let added = format!(
        "%elected = OpGroupNonUniformElect %bool %group_scope
         %group_sum = OpGroupNonUniformIAdd %uint %group_scope Reduce %group_unit
         %part = OpSelect %uint %elected %group_sum %uint_0
         %word = OpAccessChain %_ptr_StorageBuffer_uint {buffer} %int_0 %word_index
         %old_word = OpAtomicIAdd %uint %word %uint_1 %uint_0 %part\n{line}"
    );
    let constants = format!(
        "%group_scope = OpConstant %uint 3
         %group_unit = OpConstant %uint {unit}
         %word_index = OpConstant %uint 7
         %main = OpFunction "
    );
    text.replacen("OpCapability", "OpCapability GroupNonUniformArithmetic\nOpCapability", 1)
        .replacen("%main = OpFunction ", &constants, 1)
        .replacen(line, &added, 1)
}

#[test]
fn both_stages_have_subgroup_operations() {
    let lab = Lab::new(&[]);
    let evaluation = adding_by_subgroup(TRIANGLES, "%__0", 1, "OpAtomicIAdd");
    let mut scene = scene(&evaluation, &[triangle(), triangle(), triangle()].concat(), [5.0; 6]);
    scene.between[0].1 = adding_by_subgroup(CONTROL, "%_", 1 << 16, "OpControlBarrier");
    scene.words.push(0);
    let words = lab.draw_both(&scene).words;
    let (control, evaluated) = (words[7] >> 16, words[7] & 0xffff);
    assert_eq!((control, evaluated), (3 * 4, words[0]));
    assert_eq!(words[0] as usize, 3 * vertex_count("SpacingEqual", 3, [5.0; 6]));
}

/// What a list of patches has gathered is gone with a restart.
#[test]
fn lists_of_patches_start_again() {
    let lab = Lab::new(&[c"VK_EXT_primitive_topology_list_restart"]);
    let mut scene = scene(QUADS, &quad(), [2.0; 6]);
    let draw = |scene: &Scene, indices: &[u32], with| {
        lab.set_parameters(indices);
        let mut picture = lab.draw_by(scene, with, |device, commands| unsafe {
            device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
            device.cmd_draw_indexed(commands, indices.len() as u32, 1, 0, 0, 0);
        });
        // Invocations note themselves in any order.
        picture.words.clear();
        picture
    };
    let whole = draw(&scene, &[0, 1, 2, 3], With::Pipeline);
    assert!(pixels().all(|(x, y)| whole.at(0, x, y) != [0.0; 4]));
    scene.state.restart = true;
    for with in [With::Pipeline, With::Objects] {
        assert!(draw(&scene, &[3, 1, u32::MAX, 0, 1, 2, 3, u32::MAX, 0, 1, 2], with) == whole, "{with:?}");
    }
}
