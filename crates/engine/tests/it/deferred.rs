//! Primitives that are set up sixteen at a time, with setup data made when a tile is drawn, give the bits
//! that primitives give which are set up one by one.

use crate::support::{LANES, Random, Scene, draw_words, finished};
use pyro_abi::Kernel;
use pyro_abi::graphics::{Interpolation, SetupLayout, Varying, VertexLayout};
use pyro_engine::graphics::{
    BLOCK_COST, CullMode, DepthBias, DepthBiasUnit, FragmentProgram, Rect, Topology,
};
use pyro_fixed::state::ColorAttachmentKey;
use pyro_fixed::{Fragment, FragmentOutputKey, Outputs, Variant};
use pyro_image::Format;
use pyro_ir::{Builder, Form, Function, Opcode, Scalar, Terminator};
use smallvec::smallvec;
use std::sync::Arc;

/// Several tiles in each direction.
const SIZE: u32 = 160;
/// Columns of a vertex: position, four outputs, a cull distance, and the size of points.
const COLUMNS: u32 = 10;

/// A fragment function that writes everything that it knows of the primitive at its place, mixed into four
/// words. `loops`: over lists of quads.
fn kernel(variant: Variant, key: &FragmentOutputKey, offsets: [u32; 4], loops: bool) -> Arc<dyn Kernel> {
    let mut function = Function::new("fragment", Form::Lane, LANES);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let fragment = Fragment::begin(&mut b, key, variant);
    let place = fragment.at_centroid(&mut b);
    let perspective = fragment.barycentric(&mut b, place, true);
    let linear = fragment.barycentric(&mut b, place, false);
    let coordinates = fragment.frag_coord(&mut b);
    let front = fragment.front_facing(&mut b);
    let one = b.i32(1);
    let zero = b.i32(0);
    let front = b.op(Opcode::Select, &[front, one, zero]);
    let [across, down] = fragment.point_coord(&mut b);
    let within = b.op(Opcode::FSub, &[across, down]);
    let words = [
        [fragment.interpolate(&mut b, offsets[0], perspective), coordinates[2]],
        [fragment.interpolate(&mut b, offsets[1], linear), coordinates[3]],
        [fragment.flat(&mut b, offsets[2]), fragment.primitive_id(&mut b)],
        [fragment.per_vertex(&mut b, offsets[3], 2), front],
    ];
    let point = b.bitcast(within, Scalar::I32);
    let colors = words.map(|[first, second]| {
        let [first, second] = [first, second].map(|value| b.bitcast(value, Scalar::I32));
        let factor = b.i32(0x9e37_79b1);
        let second = b.op(Opcode::IMul, &[second, factor]);
        let both = b.op(Opcode::Xor, &[first, second]);
        b.op(Opcode::IAdd, &[both, point])
    });
    let mut outputs = Outputs::default();
    outputs.colors[0] = Some(colors);
    let alive = b.bool(true);
    fragment.finish(&mut b, &outputs, alive);
    b.terminate(Terminator::Return(0));
    finished(function, variant, loops)
}

/// The functions for so many samples: with lists of quads, or without.
fn program(samples: u32, loops: bool) -> FragmentProgram {
    let mut key = FragmentOutputKey { samples, ..FragmentOutputKey::default() };
    let format = Format::R32G32B32A32_UINT;
    key.colors[0] = Some(ColorAttachmentKey { format, blend: None, write_mask: 15 });
    let mut setup = SetupLayout::new();
    let columns = [
        (4, Interpolation::Perspective),
        (5, Interpolation::Linear),
        (6, Interpolation::Flat),
        (7, Interpolation::PerVertex),
    ];
    let offsets =
        columns.map(|(column, interpolation)| setup.push(Varying { column: Some(column), interpolation }));
    let several = if loops { Variant::of_several(&key, LANES).0 } else { Variant::PackedQuads };
    FragmentProgram {
        single_primitive: kernel(Variant::SinglePrimitive, &key, offsets, false),
        multi_primitive: kernel(several, &key, offsets, loops),
        takes_lists: loops,
        takes_groups: several == Variant::GroupedQuads,
        full_block: loops.then(|| kernel(Variant::FullBlock, &key, offsets, false)),
        covers_blocks: false,
        block_cost: BLOCK_COST,
        setup: Arc::new(setup),
        per_sample: false,
        counts_samples: false,
        sees_full_coverage: false,
        only_colors: false,
        overwritten: 0,
    }
}

/// Adds primitives of so many corners each and of all sizes and shapes, some outside, clipped, behind the
/// eye or beyond the guard band, at random places.
fn add_primitives(scene: &mut Scene, random: &mut Random, corners: u32, count: u32) {
    let size = f64::from(SIZE);
    let mut float = |low: f64, high: f64| low + (high - low) * random.below(1 << 20) as f64 / 1048576.0;
    for _ in 0..count {
        let kind = float(0.0, 12.0) as u32;
        // Pixels along and across.
        let (long, thin) = match kind {
            0..2 => (2.0, 2.0),
            2..4 => (12.0, 12.0),
            4 => (40.0, 30.0),
            5 => (120.0, 110.0),
            6..8 => (90.0, 1.5),
            8 => (20.0, 2.0),
            9 => (500.0, 2.0),
            10 => (1000.0, 700.0),
            _ => (90_000.0, 60_000.0),
        };
        let angle = float(0.0, std::f64::consts::TAU);
        let center = [float(-10.0, size + 10.0), float(-10.0, size + 10.0)];
        let flat = float(0.0, 3.0) < 1.0;
        let snaps = float(0.0, 3.0) < 1.0;
        let behind = kind == 10 && flat;
        for _ in 0..corners {
            let (u, v) = (float(-0.5, 0.5) * long, float(-0.5, 0.5) * thin);
            let mut at = [
                center[0] + u * angle.cos() - v * angle.sin(),
                center[1] + u * angle.sin() + v * angle.cos(),
            ];
            if snaps {
                // On the grid of half pixels, corners and edges meet samples.
                at = at.map(|at| (at * 2.0).round() / 2.0);
            }
            let w = if flat && !behind { 1.0 } else { float(if behind { -0.5 } else { 0.5 }, 2.0) };
            let z = float(-0.02, 1.02) * w;
            let [x, y] = at.map(|at| (at / size * 2.0 - 1.0) * w);
            let outputs = [float(0.0, 1.0), float(-5.0, 5.0), float(0.0, 9.0), float(0.0, 9.0)];
            let [o, p, q, r] = outputs;
            let words = [x, y, z, w, o, p, q, r, 1.0, o * long];
            scene.clip_vertex(&words.map(|word| word as f32));
        }
    }
}

/// Draws as it is, and with cull distances, which set-up in groups does not take: all are positive.
fn check(mut scene: Scene, what: &str) {
    let point_size = Some(COLUMNS - 1);
    let layout = |cull_distance| VertexLayout { cull_distance, point_size, ..VertexLayout::default() };
    scene.outputs(COLUMNS, layout((0, 0)));
    let (together, counted) = draw_words(&scene, SIZE, 1);
    let on_two = draw_words(&scene, SIZE, 2);
    assert_eq!((&together, counted), (&on_two.0, on_two.1), "{what}: threads");
    scene.outputs(COLUMNS, layout((8, 1)));
    let (apart, counted_apart) = draw_words(&scene, SIZE, 1);
    let first = together.iter().zip(&apart).position(|(together, apart)| together != apart);
    assert_eq!(first, None, "{what}: {:x?} {:x?}", first.map(|at| together[at]), first.map(|at| apart[at]));
    assert_eq!(counted, counted_apart, "{what}");
    let drawn = together.iter().filter(|texel| **texel != [0; 4]).count();
    assert!(drawn > together.len() / 20, "{what}: {drawn} texels");
}

fn scene(samples: u32, loops: bool, topology: Topology) -> Scene {
    let mut scene = Scene::new(SIZE, SIZE, samples);
    scene.outputs(COLUMNS, VertexLayout::default());
    scene.draw.fragment = Some(program(samples, loops));
    scene.draw.topology = topology;
    scene.draw.raster.depth_clip = true;
    scene
}

#[test]
fn triangles_together_are_as_one_by_one() {
    let mut random = Random::new(17);
    for samples in [1, 2, 4, 8] {
        for (loops, topology) in
            [(true, Topology::TriangleList), (false, Topology::TriangleList), (true, Topology::TriangleStrip)]
        {
            let mut scene = scene(samples, loops, topology);
            add_primitives(&mut scene, &mut random, 3, 150);
            let what = format!("{samples} samples, loops {loops}, {topology:?}");
            if samples != 2 {
                scene.draw.scissors = smallvec![Rect { x0: 3, y0: 21, x1: 133, y1: 150 }];
            }
            if samples == 4 {
                scene.draw.raster.provoking_last = true;
                scene.draw.raster.front_clockwise = true;
                scene.draw.raster.cull = CullMode { front: false, back: true };
            }
            if samples <= 2 {
                let unit = DepthBiasUnit::Constant(0.001);
                scene.draw.raster.depth_bias =
                    Some(DepthBias { unit, constant: 3.0, slope: 2.0, clamp: 0.01 });
            }
            check(scene, &what);
        }
    }
}

#[test]
fn lines_together_are_as_one_by_one() {
    let mut random = Random::new(23);
    for (samples, width, loops) in
        [(1, 1.0, true), (1, 1.0, false), (1, 5.5, true), (2, 0.5, true), (4, 2.25, true), (8, 1.5, true)]
    {
        for topology in [Topology::LineList, Topology::LineStrip] {
            let mut scene = scene(samples, loops, topology);
            scene.draw.raster.line_width = width;
            add_primitives(&mut scene, &mut random, 2, 300);
            if loops {
                scene.draw.scissors = smallvec![Rect { x0: 9, y0: 2, x1: 155, y1: 144 }];
            }
            check(scene, &format!("{samples} samples, width {width}, loops {loops}, {topology:?}"));
        }
    }
}

#[test]
fn points_together_are_as_one_by_one() {
    let mut random = Random::new(29);
    for (samples, loops) in [(1, true), (1, false), (2, true), (4, true), (8, true)] {
        let mut scene = scene(samples, loops, Topology::PointList);
        add_primitives(&mut scene, &mut random, 1, 500);
        if loops {
            scene.draw.scissors = smallvec![Rect { x0: 9, y0: 2, x1: 155, y1: 144 }];
        }
        check(scene, &format!("{samples} samples, loops {loops}"));
    }
}

#[test]
fn what_a_later_primitive_overwrites_is_not_drawn() {
    let mut random = Random::new(31);
    for (samples, loops) in [(1, true), (1, false), (4, true), (8, false)] {
        let mut scene = scene(samples, loops, Topology::TriangleList);
        add_primitives(&mut scene, &mut random, 3, 150);
        scene.draw.scissors = smallvec![Rect { x0: 0, y0: 0, x1: 140, y1: 160 }];
        let (all, counted) = draw_words(&scene, SIZE, 2);
        let mut program = program(samples, loops);
        (program.only_colors, program.overwritten) = (true, 1);
        scene.draw.fragment = Some(program.clone());
        let (seen, counted_seen) = draw_words(&scene, SIZE, 2);
        assert!(all == seen, "{samples} samples, loops {loops}");
        let fragments = [counted, counted_seen].map(|counted| counted.fragment_shader_invocations);
        assert!(fragments[1] < fragments[0], "{samples} samples, loops {loops}: {fragments:?}");
        // Others may see what a function changes besides colours.
        program.only_colors = false;
        scene.draw.fragment = Some(program);
        assert!(draw_words(&scene, SIZE, 2) == (all, counted), "{samples} samples, loops {loops}");
    }
}
