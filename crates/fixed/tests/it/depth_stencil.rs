//! Depth, depth bounds and stencil tests against plain arithmetic, before and behind the shader.

use crate::support::{LANES, Pixel, Random, Shader, draw, flat_setup, fragment_function};
use pyro_abi::DrawContext;
use pyro_abi::graphics::StencilValues;
use pyro_fixed::state::{CompareOp, DepthStencilKey, StencilFaceKey, StencilOp};
use pyro_fixed::{EarlyTests, FragmentOutputKey, Variant};
use pyro_image::texel::host;
use pyro_image::{Aspect, Format};

fn compare<T: PartialOrd>(op: CompareOp, x: T, y: T) -> bool {
    match op {
        CompareOp::Never => false,
        CompareOp::Less => x < y,
        CompareOp::Equal => x == y,
        CompareOp::LessOrEqual => x <= y,
        CompareOp::Greater => x > y,
        CompareOp::NotEqual => x != y,
        CompareOp::GreaterOrEqual => x >= y,
        CompareOp::Always => true,
    }
}

fn stencil_op(op: StencilOp, value: u8, reference: u8) -> u8 {
    match op {
        StencilOp::Keep => value,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementAndClamp => value.saturating_add(1),
        StencilOp::DecrementAndClamp => value.saturating_sub(1),
        StencilOp::Invert => !value,
        StencilOp::IncrementAndWrap => value.wrapping_add(1),
        StencilOp::DecrementAndWrap => value.wrapping_sub(1),
    }
}

/// A depth as the format stores it.
fn stored_depth(format: Format, depth: f32) -> f32 {
    let mut bytes = vec![0; format.block_bytes() as usize];
    let values = [u64::from(depth.to_bits()), 0, 0, 0];
    host::encode(format, Aspect::Depth, values, &mut bytes);
    depth_of(format, &bytes)
}

fn depth_of(format: Format, bytes: &[u8]) -> f32 {
    f32::from_bits(host::decode(format, Aspect::Depth, bytes)[0] as u32)
}

fn stencil_of(format: Format, bytes: &[u8]) -> u8 {
    host::decode(format, Aspect::Stencil, bytes)[0] as u8
}

fn random_key(random: &mut Random, format: Format, samples: u32) -> FragmentOutputKey {
    let mut face = || StencilFaceKey {
        fail_op: random.pick(StencilOp::ALL),
        pass_op: random.pick(StencilOp::ALL),
        depth_fail_op: random.pick(StencilOp::ALL),
        compare_op: random.pick(CompareOp::ALL),
    };
    let faces = [face(), face()];
    let mut chance = |part| random.below(part) != 0;
    let [tests_depth, depth_write, depth_bounds_test, tests_stencil] =
        [chance(4), chance(4), chance(3), chance(3)];
    FragmentOutputKey {
        depth_stencil_format: Some(format),
        depth_stencil: DepthStencilKey {
            depth_test: tests_depth.then(|| random.pick(CompareOp::ALL)),
            depth_write,
            depth_bounds_test,
            stencil: tests_stencil.then_some(faces),
        },
        samples,
        count_samples: true,
        ..FragmentOutputKey::default()
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "the reference of a sample's tests, one after the other")]
fn random_tests() {
    let mut random = Random::new(21);
    let formats = [
        Format::D16_UNORM,
        Format::D24_UNORM_S8_UINT,
        Format::D32_SFLOAT,
        Format::D32_SFLOAT_S8_UINT,
        Format::S8_UINT,
        Format::X8_D24_UNORM_PACK32,
    ];
    for round in 0..240 {
        let format = formats[round % formats.len()];
        let samples = [1, 1, 4, 2][round / 6 % 4];
        let key = random_key(&mut random, format, samples);
        let shader = Shader {
            early: random.pick(&[None, Some(EarlyTests::Tests), Some(EarlyTests::All)]),
            writes_sample_mask: random.below(4) == 0,
            discards: random.below(3) == 0,
            writes_depth: false,
        };
        let shader = Shader { writes_depth: shader.early.is_none() && random.below(3) == 0, ..shader };
        let function = fragment_function(&key, Variant::PackedQuads, shader);
        let bytes = format.block_bytes() as usize;
        let mut memory = vec![0u8; samples as usize * LANES * bytes];
        // Few values, so that equality happens.
        let depths = [0.0f32, 0.25, 0.5, 0.500_001, 0.75, 1.0];
        for texel in memory.chunks_mut(bytes) {
            if format.has_depth() {
                let depth = u64::from(random.pick(&depths).to_bits());
                host::encode(format, Aspect::Depth, [depth, 0, 0, 0], texel);
            }
            if format.has_stencil() {
                host::encode(format, Aspect::Stencil, [random.pick(&[0, 1, 7, 128, 255]), 0, 0, 0], texel);
            }
        }
        let old = memory.clone();
        let pixels: Vec<Pixel> = (0..LANES)
            .map(|lane| {
                let mut words = [0u32; 10];
                words[8] = random.pick(&depths).to_bits();
                words[9] = random.below(16) as u32;
                Pixel {
                    setup: flat_setup(random.pick(&depths), lane % 4 < 2),
                    words,
                    coverage: random.below(1 << samples) as u32,
                }
            })
            .collect();
        let mut context = Box::new(DrawContext::default());
        context.depth_bounds = [0.25, 0.6];
        let mut value = || random.pick(&[0, 1, 7, 0x80, 0xff, 0x1ff]);
        context.stencil = [(); 2].map(|()| StencilValues {
            reference: value(),
            compare_mask: value(),
            write_mask: value(),
            reserved: 0,
        });
        let passed =
            draw(&function, true, &mut context, &pixels, &mut [0; 64], &mut memory, (4, bytes as u32));
        for (lane, pixel) in pixels.iter().enumerate() {
            let discarded = shader.discards && lane % 2 == 1;
            let mask = if shader.writes_sample_mask { pixel.words[9] } else { u32::MAX };
            // What the shader takes away counts before late tests only.
            let tested = match shader.early {
                Some(EarlyTests::All) => pixel.coverage,
                _ if discarded => 0,
                _ => pixel.coverage & mask,
            };
            let mut wanted_passed = 0;
            for sample in 0..samples {
                let at = (sample as usize * LANES + lane) * bytes;
                let (old, new) = (&old[at..at + bytes], &memory[at..at + bytes]);
                if tested >> sample & 1 == 0 {
                    assert_eq!(old, new, "round {round} lane {lane} sample {sample}: not covered");
                    continue;
                }
                let state = &key.depth_stencil;
                let depth_test = state.depth_test.filter(|_| format.has_depth());
                let source = if shader.writes_depth {
                    f32::from_bits(pixel.words[8])
                } else {
                    pixel.setup.depth.value
                };
                let (mut bounds, mut depth_passes) = (true, true);
                let mut source_depth = 0.0;
                if format.has_depth() {
                    source_depth = stored_depth(format, source);
                    let stored = depth_of(format, old);
                    bounds = !state.depth_bounds_test || (0.25..=0.6).contains(&stored);
                    depth_passes = depth_test.is_none_or(|op| compare(op, source_depth, stored));
                }
                let (mut stencil_passes, mut stencil) = (true, None);
                if let (Some(faces), true) = (state.stencil, format.has_stencil()) {
                    let face = usize::from(pixel.setup.front_facing == 0);
                    let (key, values) = (faces[face], context.stencil[face]);
                    let stored = stencil_of(format, old);
                    let mask = values.compare_mask as u8;
                    stencil_passes = compare(key.compare_op, values.reference as u8 & mask, stored & mask);
                    let op = match (stencil_passes, depth_passes) {
                        (false, _) => key.fail_op,
                        (true, false) => key.depth_fail_op,
                        (true, true) => key.pass_op,
                    };
                    let new = stencil_op(op, stored, values.reference as u8);
                    let mask = values.write_mask as u8;
                    stencil = Some(if bounds { stored & !mask | new & mask } else { stored });
                }
                let passes = bounds && depth_passes && stencil_passes;
                wanted_passed |= u32::from(passes) << sample;
                if format.has_depth() {
                    let written = passes && depth_test.is_some() && state.depth_write;
                    let wanted = if written { source_depth } else { depth_of(format, old) };
                    assert_eq!(
                        depth_of(format, new),
                        wanted,
                        "round {round} lane {lane}: {key:?} {shader:?}"
                    );
                }
                if let Some(stencil) = stencil {
                    assert_eq!(
                        stencil_of(format, new),
                        stencil,
                        "round {round} lane {lane}: {key:?} {shader:?}"
                    );
                } else if format.has_stencil() {
                    assert_eq!(stencil_of(format, new), stencil_of(format, old));
                }
            }
            assert_eq!(passed[lane], wanted_passed, "round {round} lane {lane}: {key:?} {shader:?}");
        }
    }
}

#[test]
fn depth_output_is_clamped_to_the_viewport() {
    let mut key = FragmentOutputKey {
        depth_stencil_format: Some(Format::D32_SFLOAT),
        depth_clamp: true,
        samples: 1,
        ..FragmentOutputKey::default()
    };
    key.depth_stencil.depth_test = Some(CompareOp::Always);
    key.depth_stencil.depth_write = true;
    for (clamp, wanted) in [(true, [0.25, 0.75, 0.5]), (false, [0.0, 1.0, 0.5])] {
        key.depth_clamp = clamp;
        let shader = Shader { writes_depth: true, ..Shader::default() };
        let function = fragment_function(&key, Variant::PackedQuads, shader);
        let outputs = [-3.0f32, 7.0, 0.5];
        let pixels: Vec<Pixel> = (0..LANES)
            .map(|lane| {
                let mut words = [0; 10];
                words[8] = outputs[lane % 3].to_bits();
                Pixel { setup: flat_setup(0.3, true), words, coverage: 1 }
            })
            .collect();
        let mut memory = [0u8; 64];
        draw(&function, true, &mut DrawContext::default(), &pixels, &mut [0; 64], &mut memory, (4, 4));
        for lane in 0..LANES {
            assert_eq!(depth_of(Format::D32_SFLOAT, &memory[4 * lane..]), wanted[lane % 3]);
        }
    }
}
