//! Interpolation, from vertices to pixels: compiled fixed functions in the engine.

use crate::support::{LANES, Random, Scene, draw_words, finished};
use pyro_abi::Kernel;
use pyro_abi::graphics::{Interpolation, SETUP_HEADER_BYTES, SetupLayout, Varying, VertexLayout};
use pyro_engine::graphics::{BLOCK_COST, FragmentProgram, LineMode, LineStipple, Topology};
use pyro_fixed::state::ColorAttachmentKey;
use pyro_fixed::{Fragment, FragmentOutputKey, Outputs, Variant};
use pyro_image::Format;
use pyro_ir::{Builder, Form, Function, InstData, Opcode, Terminator, Value};
use std::sync::Arc;

const SIZE: u32 = 64;

fn key(samples: u32) -> FragmentOutputKey {
    let mut key = FragmentOutputKey { samples, ..FragmentOutputKey::default() };
    key.colors[0] =
        Some(ColorAttachmentKey { format: Format::R32G32B32A32_SFLOAT, blend: None, write_mask: 15 });
    key
}

/// What a pixel's colour is.
type Color<'a> = &'a dyn Fn(&mut Builder, &Fragment<'_>) -> [Value; 4];

/// A fragment function that writes what `color` computes.
fn kernel(variant: Variant, key: &FragmentOutputKey, color: Color<'_>) -> Arc<dyn Kernel> {
    finished(function(variant, key, color), variant, false)
}

/// The same in the IR.
fn function(variant: Variant, key: &FragmentOutputKey, color: Color<'_>) -> Function {
    let mut function = Function::new("fragment", Form::Lane, LANES);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let mut fragment = Fragment::begin(&mut b, key, variant);
    // Smooth lines are the only component there is.
    fragment.smooth_line = key.smooth_lines.then_some(SETUP_HEADER_BYTES);
    let mut outputs = Outputs::default();
    outputs.colors[0] = Some(color(&mut b, &fragment));
    let alive = b.bool(true);
    fragment.finish(&mut b, &outputs, alive);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn interpolation_may_be_rounded_twice() {
    let color = |b: &mut Builder, fragment: &Fragment<'_>| {
        let barycentric = fragment.barycentric(b, fragment.at_center(), true);
        [fragment.interpolate(b, SETUP_HEADER_BYTES, barycentric); 4]
    };
    for variant in [Variant::GroupedQuads, Variant::FullBlock, Variant::MergedBlocks] {
        let function = function(variant, &key(1), &color);
        let fused: Vec<u64> =
            function.insts.values().filter(|data| data.op == Opcode::FFma).map(|data| data.imm).collect();
        assert!(fused.len() >= 8, "{variant:?}");
        assert!(fused.iter().all(|imm| imm & InstData::MAY_ROUND_TWICE != 0), "{variant:?}");
    }
}

fn run(scene: &Scene, threads: usize) -> Vec<[f32; 4]> {
    let (texels, _) = draw_words(scene, SIZE, threads);
    texels.into_iter().map(|texel| texel.map(f32::from_bits)).collect()
}

/// Vertices of position and four values, of which the first is interpolated in perspective, the second in the
/// window, the third not at all; the fourth pixel value is `FragCoord.w`.
fn scene(samples: u32) -> Scene {
    let mut scene = Scene::new(SIZE, SIZE, samples);
    scene.outputs(7, VertexLayout::default());
    let mut setup = SetupLayout::new();
    let columns = [(4, Interpolation::Perspective), (5, Interpolation::Linear), (6, Interpolation::Flat)];
    let offsets =
        columns.map(|(column, interpolation)| setup.push(Varying { column: Some(column), interpolation }));
    let key = key(samples);
    let color = move |b: &mut Builder, fragment: &Fragment<'_>| {
        let place = fragment.at_center();
        let perspective = fragment.barycentric(b, place, true);
        let linear = fragment.barycentric(b, place, false);
        let first = fragment.interpolate(b, offsets[0], perspective);
        let second = fragment.interpolate(b, offsets[1], linear);
        let third = fragment.flat(b, offsets[2]);
        let third = b.bitcast(third, pyro_ir::Scalar::F32);
        let coordinates = fragment.frag_coord(b);
        [first, second, third, coordinates[3]]
    };
    scene.draw.fragment = Some(FragmentProgram {
        single_primitive: kernel(Variant::SinglePrimitive, &key, &color),
        multi_primitive: kernel(Variant::PackedQuads, &key, &color),
        takes_lists: false,
        takes_groups: false,
        full_block: Some(kernel(Variant::FullBlock, &key, &color)),
        covers_blocks: false,
        block_cost: BLOCK_COST,
        setup: Arc::new(setup),
        per_sample: false,
        counts_samples: false,
        sees_full_coverage: false,
        only_colors: false,
        overwritten: 0,
    });
    scene
}

/// Values at a pixel's centre by solving for the place on the triangle.
fn reference(triangle: &[[f32; 7]; 3], x: u32, y: u32) -> Option<[f64; 4]> {
    let vertices = triangle.map(|vertex| vertex.map(f64::from));
    let half = f64::from(SIZE) / 2.0;
    let window = vertices.map(|v| [(v[0] / v[3] + 1.0) * half, (v[1] / v[3] + 1.0) * half]);
    let point = [f64::from(x) + 0.5, f64::from(y) + 0.5];
    let cross =
        |o: [f64; 2], p: [f64; 2], q: [f64; 2]| (p[0] - o[0]) * (q[1] - o[1]) - (q[0] - o[0]) * (p[1] - o[1]);
    let area = cross(window[0], window[1], window[2]);
    let weights = [(1, 2), (2, 0), (0, 1)].map(|(from, to)| cross(point, window[from], window[to]) / area);
    // Not too near an edge, where rounded corners decide.
    if weights.iter().any(|&weight| weight < 0.02) {
        return None;
    }
    let sum = |value: &dyn Fn(usize) -> f64| (0..3).map(|at| weights[at] * value(at)).sum::<f64>();
    let inverse_w = sum(&|at| 1.0 / vertices[at][3]);
    let perspective = sum(&|at| vertices[at][4] / vertices[at][3]) / inverse_w;
    Some([perspective, sum(&|at| vertices[at][5]), vertices[0][6], inverse_w])
}

#[test]
fn triangles_agree_with_exact_places() {
    let mut random = Random::new(31);
    for samples in [1, 4] {
        let mut checked = 0;
        let mut scene = scene(samples);
        for _ in 0..30 {
            let triangle = [(); 3].map(|()| {
                let mut float =
                    |low: f64, high: f64| low + (high - low) * random.below(1 << 20) as f64 / 1048576.0;
                let w = float(0.5, 4.0);
                let (x, y) = (float(-1.2, 1.2) * w, float(-1.2, 1.2) * w);
                [x, y, 0.3 * w, w, float(-5.0, 5.0), float(-5.0, 5.0), float(-5.0, 5.0)]
                    .map(|value| value as f32)
            });
            scene.vertices.clear();
            triangle.iter().for_each(|vertex| scene.clip_vertex(vertex));
            let texels = run(&scene, 1);
            assert_eq!(texels, run(&scene, 2));
            // The other variants give the same bits.
            let mut swapped = Scene { draw: scene.draw.clone(), vertices: scene.vertices.clone(), ..scene };
            if let Some(fragment) = &mut swapped.draw.fragment {
                fragment.full_block = None;
            }
            assert_eq!(texels, run(&swapped, 1));
            if let Some(fragment) = &mut swapped.draw.fragment {
                fragment.single_primitive = Arc::clone(&fragment.multi_primitive);
            }
            assert_eq!(texels, run(&swapped, 1));
            scene = swapped;
            scene.draw.fragment = self::scene(samples).draw.fragment.clone();
            for y in 0..SIZE {
                for x in 0..SIZE {
                    let Some(wanted) = reference(&triangle, x, y) else { continue };
                    let got = texels[(y * SIZE + x) as usize];
                    if samples > 1 && got == [0.0; 4] {
                        // The centre is inside, the first sample is not.
                        continue;
                    }
                    for (got, wanted) in got.into_iter().zip(wanted) {
                        // Corners are rounded to 1/256 pixel, which small triangles amplify.
                        assert!(
                            (f64::from(got) - wanted).abs() < 0.15,
                            "{x} {y}: {got} {wanted} {triangle:?}"
                        );
                    }
                    checked += 1;
                }
            }
        }
        assert!(checked > 5000, "{checked}");
    }
}

/// A plane through the eye: far parts of the floor, near parts clipped away, have the right texture
/// coordinates.
#[test]
fn clipped_triangles_keep_their_values() {
    let mut scene = scene(1);
    scene.draw.raster.depth_clip = true;
    scene.draw.topology = Topology::TriangleStrip;
    // A floor at y = 1 below the eye, from behind it (z = -2) to far away (z = 50); the value is its z.
    for (x, z) in [(-40.0, -2.0), (40.0, -2.0), (-40.0, 50.0), (40.0, 50.0)] {
        scene.clip_vertex(&[x, 1.0, z - 0.5, z, z, x, 1.0]);
    }
    let texels = run(&scene, 2);
    for y in 34..SIZE {
        for x in 0..SIZE {
            let slope = (f64::from(y) + 0.5 - 32.0) / 32.0;
            let wanted = 1.0 / slope;
            let got = texels[(y * SIZE + x) as usize];
            assert!((f64::from(got[0]) - wanted).abs() < 1e-2 * wanted, "{x} {y}: {} {wanted}", got[0]);
            assert!((f64::from(got[3]) - slope).abs() < 1e-3, "{x} {y}: {} {slope}", got[3]);
        }
    }
    assert!(texels[..(SIZE * 31) as usize].iter().all(|texel| *texel == [0.0; 4]), "above the horizon");
}

#[test]
fn lines_and_points() {
    let mut scene = scene(1);
    scene.draw.topology = Topology::LineList;
    let at = |pixel: f32| (pixel + 0.5) / 32.0 - 1.0;
    scene.clip_vertex(&[at(10.0), at(20.0), 0.0, 1.0, 0.0, 10.0, 3.0]);
    scene.clip_vertex(&[at(30.0) * 2.0, at(20.0) * 2.0, 0.0, 2.0, 20.0, 20.0, 4.0]);
    let texels = run(&scene, 1);
    for x in 10..30u32 {
        let t = f64::from(x - 10) / 20.0;
        let inverse_w = 1.0 - t / 2.0;
        let wanted = [t * 20.0 / 2.0 / inverse_w, 10.0 + 10.0 * t, 3.0, inverse_w];
        let got = texels[(20 * SIZE + x) as usize];
        for (got, wanted) in got.into_iter().zip(wanted) {
            assert!((f64::from(got) - wanted).abs() < 0.02, "{x}: {got} {wanted}");
        }
    }
    scene.draw.topology = Topology::PointList;
    let texels = run(&scene, 1);
    assert_eq!(texels[(20 * SIZE + 10) as usize], [0.0, 10.0, 3.0, 1.0]);
    assert_eq!(texels[(20 * SIZE + 30) as usize], [20.0, 20.0, 4.0, 0.5]);
}

/// White lines, whose alpha is what covers a pixel.
fn white(mode: LineMode, strip: &[(f32, f32)]) -> Scene {
    let mut scene = Scene::new(SIZE, SIZE, 1);
    scene.outputs(4, VertexLayout::default());
    let mut setup = SetupLayout::new();
    let mut key = key(1);
    key.smooth_lines = mode == LineMode::Smooth;
    if key.smooth_lines {
        setup.push(Varying { column: None, interpolation: Interpolation::SmoothLine });
    }
    let color = |b: &mut Builder, _: &Fragment<'_>| [b.f32(1.0); 4];
    scene.draw.fragment = Some(FragmentProgram {
        single_primitive: kernel(Variant::SinglePrimitive, &key, &color),
        multi_primitive: kernel(Variant::PackedQuads, &key, &color),
        takes_lists: false,
        takes_groups: false,
        full_block: None,
        covers_blocks: false,
        block_cost: BLOCK_COST,
        setup: Arc::new(setup),
        per_sample: false,
        counts_samples: false,
        sees_full_coverage: false,
        only_colors: false,
        overwritten: 0,
    });
    scene.draw.topology = Topology::LineStrip;
    scene.draw.raster.line_mode = mode;
    for &(x, y) in strip {
        scene.clip_vertex(&[x / 32.0 - 1.0, y / 32.0 - 1.0, 0.0, 1.0]);
    }
    scene
}

#[test]
fn smooth_lines_fade_over_a_pixel() {
    let mut scene = white(LineMode::Smooth, &[(10.0, 20.25), (40.0, 20.25)]);
    scene.draw.raster.line_width = 2.0;
    let texels = run(&scene, 1);
    for (y, x) in (16..26).flat_map(|y| (5..45).map(move |x| (y, x))) {
        let soft = |distance: f32, half: f32| (half + 0.5 - distance.abs()).clamp(0.0, 1.0);
        let (down, right) = (y as f32 + 0.5 - 20.25, x as f32 + 0.5 - 25.0);
        let wanted = soft(down, 1.0) * soft(right, 15.0);
        let got = texels[(y * SIZE + x) as usize][3];
        assert!((got - wanted).abs() < 0.01, "{x} {y}: {got}, not {wanted}");
    }
}

#[test]
fn line_stipple_continues_along_a_strip() {
    // Half a pattern in the first segment, the rest in the second, round a corner.
    let strip = [(4.5, 10.5), (12.5, 10.5), (12.5, 30.5)];
    for mode in [LineMode::Rectangular, LineMode::Bresenham] {
        let mut scene = white(mode, &strip);
        scene.draw.raster.line_width = 1.0;
        scene.draw.raster.line_stipple = Some(LineStipple { factor: 3, pattern: 0b1011 });
        let texels = run(&scene, 2);
        let drawn = |x: u32, y: u32| texels[(y * SIZE + x) as usize][3] == 1.0;
        let first: Vec<bool> = (4..12).map(|x| drawn(x, 10)).collect();
        let second: Vec<bool> = (10..30).map(|y| drawn(12, y)).collect();
        // Each bit holds for three pixels: 111 111 000 111, then nothing.
        let expected = |counter: u32| 0b1011_u16 >> (counter / 3 % 16) & 1 != 0;
        let (along, down): (Vec<bool>, Vec<bool>) =
            ((0..8).map(expected).collect(), (8..28).map(expected).collect());
        assert_eq!((first, second), (along, down), "{mode:?}");
    }
}

/// What planes give does not depend on the order of a triangle's vertices, nor on where it is cut off in
/// depth: the same surface drawn once more is exactly as far away.
#[test]
fn the_order_of_vertices_does_not_matter() {
    let mut random = Random::new(5);
    let mut scene = scene(1);
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let mut compared = 0;
    for round in 0..40 {
        let triangle = [(); 3].map(|()| {
            let w = random.float(0.5, 4.0);
            // Half of the triangles reach behind the far plane, and some before the near one.
            let z = if round % 2 == 0 { 0.3 } else { random.float(-0.2, 1.6) };
            [random.float(-1.3, 1.3) * w, random.float(-1.3, 1.3) * w, z * w, w, 0.0, 0.0, 0.0]
        });
        let pictures = orders.map(|order| {
            scene.vertices.clear();
            order.iter().for_each(|&at| scene.clip_vertex(&triangle[at]));
            run(&scene, 1)
        });
        for picture in &pictures[1..] {
            for (first, other) in pictures[0].iter().zip(picture) {
                // Where the sides that clipping has made meet pixels, either may cover them.
                if first[3] != 0.0 && other[3] != 0.0 {
                    assert_eq!(first[3].to_bits(), other[3].to_bits(), "round {round}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared} pixels");
}
