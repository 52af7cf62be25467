//! The four sRGB codes of a word, as those of texels are.

use pyro_ir::eval::srgb;
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Words from what is read to what is written, and from what is written of a code to that of the next.
const WRITTEN: u32 = 64;
/// Codes of a word.
const CODES: u32 = 4;

/// `memory[WRITTEN * (1 + code) + lane] = from_srgb(memory[lane] >> 8 * code)`
fn function(lanes: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let always = begun.builder.splat(always);
        let (offset, memory) = (begun.lanes_times(4), MemoryOp::new(Space::Global));
        let word = begun.builder.load(Scalar::I32, memory, begun.base, offset, always);
        for code in 0..CODES {
            let shift = begun.splat(8 * code);
            let shifted = if code == 0 { word } else { begun.builder.op(Opcode::LShr, &[word, shift]) };
            let value = begun.builder.op(Opcode::FromSrgb, &[shifted]);
            let place = memory.at((4 * WRITTEN * (1 + code)) as i32);
            begun.builder.store(place, begun.base, offset, value, always);
        }
    })
}

#[test]
fn codes_of_words_have_their_values() {
    // Also with permutations of bytes on processors whose gathers are fast.
    let permuting = Features::avx512().map(|features| ("permutations", Features { fp16: false, ..features }));
    for (name, features) in Features::all().into_iter().chain(permuting) {
        for lanes in [4, 8, 16, 32, 64] {
            let kernel = crate::support::compiled(&function(lanes), features);
            // All codes are in each place.
            for first in (0..256).step_by(lanes as usize) {
                let mut memory = vec![0; (WRITTEN * (1 + CODES)) as usize];
                for lane in 0..lanes {
                    let codes =
                        [1, 3, 5, 7].map(|factor| ((first + lane) * factor + 255 * (factor - 1)) as u8);
                    memory[lane as usize] = u32::from_le_bytes(codes);
                }
                let mut expected = memory.clone();
                for (lane, code) in
                    (0..lanes as usize).flat_map(|lane| (0..CODES as usize).map(move |code| (lane, code)))
                {
                    let value = srgb::from_code(memory[lane].to_le_bytes()[code]);
                    expected[WRITTEN as usize * (1 + code) + lane] = value.to_bits();
                }
                // SAFETY: the words of all lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run_over(&kernel, &mut memory, lanes);
                }
                assert_eq!(memory, expected, "{name}, {lanes} lanes, codes from {first} on");
            }
        }
    }
}

#[test]
fn codes_of_a_word_share_permutations() {
    let features = Features { byte_permutations: true, ..Features::base(Level::Avx512) };
    let text = crate::support::assembly(&function(16), features);
    assert_eq!(text.matches("vpermi2b").count(), 8 + 2 * CODES as usize, "{text}");
    assert!(!text.contains("vpgather"), "{text}");
}

/// `memory[WRITTEN + lane] = to_srgb(memory[lane])`
fn encoding(lanes: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let always = begun.builder.splat(always);
        let (offset, memory) = (begun.lanes_times(4), MemoryOp::new(Space::Global));
        let value = begun.builder.load(Scalar::F32, memory, begun.base, offset, always);
        let code = begun.builder.op(Opcode::ToSrgb, &[value]);
        begun.builder.store(memory.at(4 * WRITTEN as i32), begun.base, offset, code, always);
    })
}

#[test]
fn values_have_their_codes() {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, -1.0, 1.5, f32::MIN_POSITIVE];
    // From below the least to above the greatest one.
    let values: Vec<u32> =
        special.map(f32::to_bits).into_iter().chain((0x3000_0000..0x3f90_0000).step_by(0x1_2345)).collect();
    for (name, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            let kernel = crate::support::compiled(&encoding(lanes), features);
            for values in values.chunks(lanes as usize) {
                let mut memory = vec![0; 2 * WRITTEN as usize];
                memory[..values.len()].copy_from_slice(values);
                let mut expected = memory.clone();
                for lane in 0..lanes as usize {
                    expected[WRITTEN as usize + lane] = srgb::to_code(f32::from_bits(memory[lane])).into();
                }
                // SAFETY: the words of all lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run_over(&kernel, &mut memory, lanes);
                }
                assert_eq!(memory, expected, "{name}, {lanes} lanes");
            }
        }
    }
}
