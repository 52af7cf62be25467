//! Operations as part of functions that draw whole blocks give the bits of functions that are called.

use crate::support::image::{CallRecord, LANES, TestImage, sampler_record};
use crate::support::{Random, Runnable};
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_image::access::{Operands, build, inline};
use pyro_image::layout::ImageShape;
use pyro_image::{AddressMode, Aspect, CompareOp, Filter, Format, SamplerKey, ViewKey, ViewType};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator};

/// A function of a call record with the operation's code for a block.
fn of_block(view: &ViewKey, key: &SamplerKey, op: ImageOp) -> Function {
    let mut function = Function::new("block", Form::Lane, LANES as u32);
    let entry = function.make_block();
    let mut builder = Builder::new(&mut function);
    let b = &mut builder;
    b.start(entry);
    let (base, zero, always) = (b.arg(1), b.i32(0), b.bool(true));
    let memory = MemoryOp::new(Space::Scratch);
    let (lane, two) = (b.op(Opcode::LaneId, &[]), b.i32(2));
    let lane = b.op(Opcode::Shl, &[lane, two]);
    let column = |column| memory.at(record::column_offset(column, LANES as u32) as i32);
    let [image, sampler] = [record::IMAGE, record::SAMPLER]
        .map(|field| b.load(Scalar::I64, memory.at(field as i32).speculatable(), base, zero, always));
    let columns: Vec<_> = (0..record::TEXEL)
        .map(|number| (number, b.load(Scalar::I32, column(number).speculatable(), base, lane, always)))
        .collect();
    let operands = Operands { image, sampler, columns: &columns, are_block: true };
    let results = inline(b, view, Some(key), op, operands).expect("a possible combination");
    for (number, value) in results {
        let value = b.bitcast(value, Scalar::I32);
        b.store(column(number), base, lane, value, always);
    }
    b.terminate(Terminator::Return(0));
    function
}

/// Textures of one kind on images of several sizes.
fn compare(format: Format, view_type: ViewType, compare_op: Option<CompareOp>) {
    let mut random = Random::new(71);
    let mut seen = [0; 2];
    let is_3d = view_type == ViewType::D3;
    let aspect = if compare_op.is_some() { Aspect::Depth } else { Aspect::Color };
    for (extent, levels) in [([64, 48, 5], 6), ([64, 48, 5], 1), ([12, 40, 3], 3), ([17, 16, 1], 1)] {
        let extent = [extent[0], extent[1], if is_3d { extent[2] } else { 1 }];
        let shape =
            ImageShape { format, extent, levels, layers: 1, samples: 1, is_3d, corner_sampled: false };
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(format, aspect, view_type, levels);
        for mode in [AddressMode::ClampToEdge, AddressMode::Repeat, AddressMode::MirroredRepeat] {
            let linear = Filter::Linear;
            let key = SamplerKey {
                mag: linear,
                min: linear,
                mip: linear,
                address: [mode; 3],
                compare: compare_op,
                ..SamplerKey::default()
            };
            let dref = compare_op.is_some();
            let op = ImageOp::Sample { lod: LodMode::Implicit, dref, offset: false, min_lod: false };
            let called = Runnable::new(build(Some(&view), Some(&key), op, LANES as u32).expect("possible"));
            let in_block = Runnable::new(of_block(&view, &key, op));
            for round in 0..200 {
                // Texels from a pixel to the next.
                let scale = [0.25, 0.9, 1.0, 1.9, 3.0][round % 5];
                let turned = if round % 3 == 0 { scale * random.float(-1.0, 1.0) } else { 0.0 };
                let flip = if round % 7 == 0 { -1.0 } else { 1.0 };
                let start = [extent[0], extent[1]].map(|size| random.float(-3.0, size as f32 + 1.0));
                let slice = random.float(-0.5, 1.5);
                let mut call = CallRecord::default();
                let place = |lane: usize| [2 * (lane / 4) + lane % 2, lane / 2 % 2].map(|at| at as f32);
                let at = |lane| {
                    let [x, y] = place(lane);
                    let steep = if round % 4 == 0 { 0.1 } else { 0.0 };
                    [
                        start[0] + flip * scale * x - turned * y,
                        start[1] + turned * x + scale * y,
                        slice + steep * x,
                    ]
                };
                for (dimension, &size) in extent.iter().enumerate() {
                    let size = if dimension < 2 { size as f32 } else { 1.0 };
                    call.floats(
                        record::COORDINATE + dimension as u32,
                        (0..LANES).map(|lane| at(lane)[dimension] / size),
                    );
                }
                call.floats(record::DREF, (0..LANES).map(|_| 0.5));
                let active = if round % 7 == 0 { random.bits() & 0xffff } else { 0xffff };
                call.activate(active);
                let mut block = call.clone();
                let (mut image, mut sampler) = (image.record(), sampler_record([0; 4]));
                call.run(&called, &mut image, &mut sampler);
                block.run(&in_block, &mut image, &mut sampler);
                for lane in (0..LANES).filter(|lane| active >> lane & 1 != 0) {
                    let results = (block.result(lane), call.result(lane));
                    assert_eq!(
                        results.0, results.1,
                        "{format:?} {view_type:?} {extent:?} {mode:?} {round} {lane}"
                    );
                }
                seen[usize::from(call.result_floats(0)[0] > 0.5)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{format:?} {seen:?}");
}

#[test]
fn blocks_are_sampled_as_others_are() {
    compare(Format::R8G8B8A8_UNORM, ViewType::D2, None);
    compare(Format::R8G8B8A8_SRGB, ViewType::D2, None);
    compare(Format::R16G16_UNORM, ViewType::D2, None);
    compare(Format::D32_SFLOAT, ViewType::D2, Some(CompareOp::LessOrEqual));
}

#[test]
fn blocks_of_texels_of_two_words() {
    compare(Format::R16G16B16A16_UNORM, ViewType::D2, None);
    compare(Format::R16G16B16A16_SFLOAT, ViewType::D2, None);
    compare(Format::R32G32_SFLOAT, ViewType::D2, None);
}

#[test]
fn blocks_of_volumes() {
    compare(Format::R8G8B8A8_UNORM, ViewType::D3, None);
    compare(Format::R16G16B16A16_UNORM, ViewType::D3, None);
}
