//! Whole blocks of pixels give the bits that quads give, whatever the attachments and the state.

use crate::support::{LANES, Random, Scene, finished};
use pyro_abi::Kernel;
use pyro_abi::graphics::{AttachmentRecord, Interpolation, SetupLayout, Varying, VertexLayout};
use pyro_engine::Engine;
use pyro_engine::graphics::{BLOCK_COST, DrawCommand, FragmentProgram, QUAD_COST};
use pyro_fixed::state::{
    BlendEquation, BlendFactor, BlendOp, ColorAttachmentKey, CompareOp, DepthStencilKey, LogicOp,
    StencilFaceKey, StencilOp,
};
use pyro_fixed::{EarlyTests, Fragment, FragmentOutputKey, Outputs, Variant};
use pyro_image::Format;
use pyro_ir::{BlockCall, Builder, Form, Function, Merge, Opcode, Scalar, Terminator};
use smallvec::smallvec;
use std::sync::Arc;

const SIZE: u32 = 64;

/// A fragment function whose colour is three interpolated values; where the first is small, fragments are
/// discarded. Tests come first, and the shader is left out where none passes. `loops`: over lists of quads.
fn kernel(variant: Variant, key: &FragmentOutputKey, offsets: [u32; 3], loops: bool) -> Arc<dyn Kernel> {
    let mut function = Function::new("fragment", Form::Lane, LANES);
    let entry = function.make_block();
    let (shader, exit) = (function.make_block(), function.make_block());
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let mut fragment = Fragment::begin(&mut b, key, variant);
    if key.sample_mask {
        fragment.keep_helpers_near(&mut b);
    }
    let needed = fragment.test_early(&mut b, EarlyTests::Tests);
    if fragment.may_end_early() {
        b.function.blocks[entry].merge = Some(Merge::Selection { merge: exit });
        b.branch(needed, BlockCall::new(shader, &[]), BlockCall::new(exit, &[]));
    } else {
        b.jump(shader, &[]);
    }
    b.start(shader);
    let place = fragment.at_default(&mut b);
    let barycentric = fragment.barycentric(&mut b, place, true);
    let values = offsets.map(|offset| fragment.interpolate(&mut b, offset, barycentric));
    let limit = b.f32(0.1);
    let alive = b.op(Opcode::FLt, &[limit, values[0]]);
    let mut outputs = Outputs::default();
    let is_integer = key.colors[0].is_some_and(|color| color.format == Format::R32G32_UINT);
    let color = [values[0], values[1], values[2], values[1]];
    outputs.colors[0] =
        Some(if is_integer { color.map(|value| b.bitcast(value, Scalar::I32)) } else { color });
    fragment.finish(&mut b, &outputs, alive);
    b.jump(exit, &[]);
    b.start(exit);
    b.terminate(Terminator::Return(0));
    finished(function, variant, loops)
}

fn random_key(random: &mut Random) -> FragmentOutputKey {
    let pick = |random: &mut Random, count: usize| random.below(count as u64) as usize;
    let formats = [
        Format::R8G8B8A8_UNORM,
        Format::B8G8R8A8_SRGB,
        Format::R5G6B5_UNORM_PACK16,
        Format::R8_UNORM,
        Format::R16G16B16A16_SFLOAT,
        Format::R32G32B32A32_SFLOAT,
        Format::R32G32_UINT,
    ];
    let format = formats[pick(random, formats.len())];
    let blend = (format != Format::R32G32_UINT && random.below(2) == 0).then(|| BlendEquation {
        src_color: BlendFactor::ALL[pick(random, 14)],
        dst_color: BlendFactor::ALL[pick(random, 14)],
        color_op: BlendOp::ALL[pick(random, 5)],
        src_alpha: BlendFactor::One,
        dst_alpha: BlendFactor::ALL[pick(random, 14)],
        alpha_op: BlendOp::Add,
        advanced: None,
    });
    let write_mask = [15, 15, 5, 8][pick(random, 4)];
    let depths = [
        None,
        Some(Format::D16_UNORM),
        Some(Format::D32_SFLOAT),
        Some(Format::D24_UNORM_S8_UINT),
        Some(Format::S8_UINT),
    ];
    let face = |random: &mut Random| StencilFaceKey {
        fail_op: StencilOp::ALL[pick(random, 8)],
        pass_op: StencilOp::ALL[pick(random, 8)],
        depth_fail_op: StencilOp::ALL[pick(random, 8)],
        compare_op: CompareOp::ALL[pick(random, 8)],
    };
    let mut key = FragmentOutputKey {
        depth_stencil_format: depths[pick(random, depths.len())],
        depth_stencil: DepthStencilKey {
            depth_test: (random.below(3) > 0).then(|| CompareOp::ALL[pick(random, 8)]),
            depth_write: random.below(2) == 0,
            depth_bounds_test: random.below(4) == 0,
            stencil: (random.below(3) == 0).then(|| [face(random), face(random)]),
        },
        samples: [1, 1, 2, 4][pick(random, 4)],
        sample_mask: random.below(4) == 0,
        alpha_to_coverage: random.below(4) == 0,
        logic_op: (random.below(4) == 0).then(|| LogicOp::ALL[pick(random, 16)]),
        ..FragmentOutputKey::default()
    };
    key.colors[0] = Some(ColorAttachmentKey { format, blend, write_mask });
    key
}

/// Draws with one thread or two; gives both attachments' bytes.
fn run(scene: &Scene, key: &FragmentOutputKey, threads: usize) -> [Vec<u8>; 2] {
    let engine = Engine::new(threads);
    let bytes = |format: Option<Format>| format.map_or(4, Format::block_bytes);
    let [color, depth] = [key.colors[0].map(|color| color.format), key.depth_stencil_format].map(bytes);
    let size = |bytes: u32| (SIZE * SIZE * bytes * key.samples) as usize;
    let mut random = Random::new(99);
    let mut memory = [color, depth].map(|bytes| -> Vec<u8> {
        // Halves between zero and one are numbers in every format.
        (0..size(bytes)).map(|at| if at % 2 == 1 { 0x30 } else { random.below(256) as u8 }).collect()
    });
    let mut draw = scene.draw.clone();
    let [color, depth] = [(color, 0), (depth, 1)].map(|(bytes, index)| AttachmentRecord {
        address: memory[index].as_mut_ptr().expose_provenance() as u64,
        row_pitch: SIZE * bytes,
        sample_pitch: SIZE * SIZE * bytes,
        ..AttachmentRecord::default()
    });
    draw.context.colors[0] = color;
    draw.context.depth_stencil = depth;
    draw.context.depth_bounds = [0.1, 0.8];
    draw.context.sample_mask = 0b1011;
    draw.context.blend_constants = [0.25, 0.5, 0.75, 1.0];
    for face in &mut draw.context.stencil {
        (face.reference, face.compare_mask, face.write_mask) = (0x31, 0xf3, 0x7f);
    }
    draw.context.attributes[0].address = scene.vertices.as_ptr().expose_provenance() as u64;
    let count = scene.vertices.len() as u32 / scene.vertex_words;
    draw.commands = smallvec![DrawCommand { count, instance_count: 1, ..DrawCommand::default() }];
    // SAFETY: vertices and attachments are large enough.
    #[allow(unsafe_code)]
    unsafe { engine.draw(vec![draw]) }.expect("ends");
    memory
}

#[test]
fn blocks_are_as_quads() {
    let mut random = Random::new(5);
    let mut changed = 0;
    for case in 0..40 {
        let key = random_key(&mut random);
        let mut scene = Scene::new(SIZE, SIZE, key.samples);
        scene.outputs(7, VertexLayout::default());
        let mut float =
            |low: f64, high: f64| (low + (high - low) * random.below(1 << 20) as f64 / 1048576.0) as f32;
        // Large triangles, then small ones, many of which lie upon each other.
        for triangle in 0..50 {
            let reach = if triangle < 8 { 2.0 } else { 0.15 };
            let center = if triangle < 8 { [0.0; 2] } else { [float(-1.0, 1.0), float(-1.0, 1.0)] };
            for _ in 0..3 {
                let w = float(0.5, 2.0);
                let [x, y] = center.map(|center| (center + float(-reach, reach)) * w);
                let z = float(0.0, 1.0) * w;
                scene.clip_vertex(&[x, y, z, w, float(0.0, 1.0), float(0.0, 1.0), float(0.0, 1.0)]);
            }
        }
        let mut setup = SetupLayout::new();
        let offsets = [4, 5, 6].map(|column| {
            setup.push(Varying { column: Some(column), interpolation: Interpolation::Perspective })
        });
        let block = Some(kernel(Variant::FullBlock, &key, offsets, false));
        let packed = kernel(Variant::of_several(&key, LANES).0, &key, offsets, true);
        let program = FragmentProgram {
            single_primitive: kernel(Variant::SinglePrimitive, &key, offsets, false),
            multi_primitive: kernel(Variant::PackedQuads, &key, offsets, false),
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
        };
        scene.draw.fragment = Some(program.clone());
        let quads = run(&scene, &key, 1);
        let blocks = FragmentProgram { full_block: block, ..program.clone() };
        let takes_groups = Variant::of_several(&key, LANES).0 == Variant::GroupedQuads;
        let lists = FragmentProgram { multi_primitive: packed, takes_lists: true, takes_groups, ..program };
        let both = FragmentProgram { full_block: blocks.full_block.clone(), ..lists.clone() };
        let mut all = vec![(blocks, 1), (lists, 1), (both.clone(), 1), (both.clone(), 2)];
        if takes_groups {
            for variant in [Variant::CoveredBlocks, Variant::MergedBlocks] {
                let full_block = Some(kernel(variant, &key, offsets, false));
                let block_cost = if variant == Variant::MergedBlocks { 3 * QUAD_COST } else { BLOCK_COST };
                let covered = FragmentProgram { full_block, covers_blocks: true, block_cost, ..both.clone() };
                all.extend([(covered.clone(), 1), (covered, 2)]);
            }
        }
        for (program, threads) in all {
            scene.draw.fragment = Some(program);
            let blocks = run(&scene, &key, threads);
            for (name, blocks, quads) in [("color", &blocks[0], &quads[0]), ("depth", &blocks[1], &quads[1])]
            {
                let first = blocks.iter().zip(quads).position(|(block, quad)| block != quad);
                assert_eq!(first, None, "case {case}, {name}, {threads} threads: {key:?}");
            }
        }
        scene.draw.fragment = None;
        changed += u32::from(run(&scene, &key, 1) != quads);
    }
    assert!(changed > 20, "only {changed} cases draw anything");
}
