//! Image instructions: which functions are called, for which lanes, with what; and queries.
#![allow(unsafe_code)] // the images' functions are called by address

use crate::support::Test;
use crate::support::image::{Functions, address, descriptors, sampler};
use pyro_abi::DescriptorKind as Kind;
use pyro_abi::image::{AtomicOp, GatherSource, ImageOp, LodMode};

const RESULTS: usize = 20;
const INVOCATIONS: usize = 40;

fn sample(lod: LodMode, dref: bool, offset: bool) -> ImageOp {
    ImageOp::Sample { lod, dref, offset, min_lod: false }
}

#[test]
fn operations() {
    let functions = Functions::new();
    let mut kept = vec![0u32; 64];
    let images: Vec<_> = (0..9).map(|name| functions.image(name, &mut kept)).collect();
    let samplers = [sampler(0), sampler(1), sampler(2)];
    let pair = |image: usize, row: usize| [address(&*images[image]), address(&*samplers[row])];
    let mut test = Test::new(
        "image",
        vec![
            crate::support::storage(vec![0; RESULTS * INVOCATIONS * 4]),
            descriptors(Kind::CombinedImageSampler, &[pair(6, 1)]),
            // The last is null.
            descriptors(Kind::SampledImage, &[pair(0, 0), pair(1, 0), pair(2, 0), pair(3, 0), [0, 0]]),
            descriptors(Kind::Sampler, &[[0, pair(0, 1)[1]], [0, pair(0, 2)[1]]]),
            descriptors(Kind::Sampler, &[[0, pair(0, 2)[1]]]),
            descriptors(Kind::CombinedImageSampler, &[pair(7, 2)]),
            descriptors(Kind::UniformTexelBuffer, &[pair(4, 0)]),
            descriptors(Kind::StorageImage, &[pair(5, 0)]),
            descriptors(Kind::CombinedImageSampler, &[pair(8, 1)]),
        ],
    );
    let mut null = functions.image(100, &mut []);
    (null.width, null.height) = (0, 0);
    test.null_records = [address(&*null), address(&*samplers[0])];
    test.push_constants = vec![1];
    for lanes in [4, 8, 16, 32, 64] {
        let words = test.run(lanes).swap_remove(0);
        for i in 0..INVOCATIONS {
            let found = |result: usize| -> [f32; 4] {
                let start = (i * RESULTS + result) * 4;
                std::array::from_fn(|component| f32::from_bits(words[start + component]))
            };
            let x = i as f32;
            let code = |op: ImageOp, row: u32| (op.code() * 10 + row) as f32;
            let explicit = |row| code(sample(LodMode::Explicit, false, false), row);
            let place = x * 100.0 + 30.0;
            let check = |result: usize, want: [f32; 4]| {
                // The third coordinate of a two-dimensional image is what an earlier operation left.
                let mut found = found(result);
                if result < 7 || matches!(result, 8 | 18) {
                    found[0] = (found[0] / 10.0).floor() * 10.0;
                }
                if result == 4 {
                    found = [found[0]; 4];
                }
                assert_eq!(found, want, "{lanes} lanes, invocation {i}, result {result}");
            };
            // Compute shaders have no implicit level: the source's compiler takes level 0.
            check(0, [place, explicit(1), 6.0, 0.0]);
            check(1, [place, explicit(1), 6.0, 2000.0]);
            check(2, [place, explicit(2), 1.0, 0.0]);
            let name = if i % 5 == 4 { 100.0 } else { (i % 5) as f32 };
            check(3, [place, explicit(1 + i as u32 % 2), name, 0.0]);
            check(4, [place; 4]);
            check(5, [place, code(sample(LodMode::Grad, false, true), 1), 6.0, 3_412_000.0 + 8.0]);
            check(6, [place, explicit(1), 6.0, 1000.0]);
            check(7, [place + 6.0, explicit(2), 7.0, 0.0]);
            let gather = ImageOp::Gather { source: GatherSource::Component2, lod: None, offset: false };
            check(8, [place, code(gather, 1), 6.0, 0.0]);
            check(9, [12.0, 34.0, 56.0, 62.0]);
            check(10, [x * 10.0 + 5.0, 3.0, 6.0, 23.0]);
            let buffer = found(11);
            assert_eq!([(buffer[0] / 10.0).floor(), buffer[1], buffer[2]], [x, 0.0, 4.0]);
            check(12, [x * 10.0 + 1.0, ImageOp::Read.code() as f32, 5.0, 0.0]);
            let atomic = |op, x: u32, operand: u32| {
                (operand + 1000 * ImageOp::Atomic(op).code() + 1_000_000 * x) as f32
            };
            check(
                13,
                [
                    atomic(AtomicOp::IAdd, 3, i as u32),
                    atomic(AtomicOp::CompareExchange, 2, i as u32),
                    atomic(AtomicOp::Exchange, 1, 9),
                    0.0,
                ],
            );
            check(14, [6.0, 3.0, 4.0, 12.0]);
            check(15, [12.0, 7.0, 7.0, 3.0]);
            check(16, [x * 10.0 + 3.0, 1.0, 1.0, 18.0]);
            check(17, [123.0, explicit(1), 8.0, 0.0]);
            check(18, [place, explicit(1), 100.0, 0.0]);
            check(19, [0.0; 4]);
        }
        for (index, &word) in kept.iter().enumerate().take(INVOCATIONS) {
            let want = if index % 3 == 1 { (index * 1000 + 234) as u32 } else { 0 };
            assert_eq!(word, want, "{lanes} lanes, texel {index}");
        }
        kept.fill(0);
    }
}
