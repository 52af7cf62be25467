//! Parts of words that are shifted down, narrowed and converted to 32 bits.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Words from what is read to what is written.
const WRITTEN: u32 = 0x100;

/// The bits of a word from `first` on, as an integer of `narrow`, by a conversion.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u32,
    narrow: Scalar,
    op: Opcode,
    to: Scalar,
}

impl Part {
    fn all() -> Vec<Part> {
        use Opcode as O;
        let mut all = Vec::new();
        for (narrow, firsts) in [(Scalar::I8, vec![0, 8, 11, 16, 24, 28]), (Scalar::I16, vec![0, 8, 16, 20])]
        {
            for first in firsts {
                for (op, to) in [
                    (O::ZeroExtend, Scalar::I32),
                    (O::SignExtend, Scalar::I32),
                    (O::UToF, Scalar::F32),
                    (O::SToF, Scalar::F32),
                    (O::FromBfloat, Scalar::F32),
                ] {
                    if op != O::FromBfloat || narrow == Scalar::I16 {
                        all.push(Part { first, narrow, op, to });
                    }
                }
            }
        }
        all
    }

    /// `memory[WRITTEN + lane] = convert(truncate(memory[lane] >> first))`
    fn function(self, lanes: u32) -> Function {
        crate::support::function(lanes, |begun| {
            let always = begun.builder.bool(true);
            let always = begun.builder.splat(always);
            let (offset, memory) = (begun.lanes_times(4), MemoryOp::new(Space::Global));
            let mut word = begun.builder.load(Scalar::I32, memory, begun.base, offset, always);
            if self.first > 0 {
                let first = begun.splat(self.first);
                word = begun.builder.op(Opcode::LShr, &[word, first]);
            }
            let part = begun.builder.convert(Opcode::Truncate, word, self.narrow);
            let value = begun.builder.convert(self.op, part, self.to);
            begun.builder.store(memory.at(4 * WRITTEN as i32), begun.base, offset, value, always);
        })
    }

    fn expected(self, word: u32) -> u32 {
        let part = word >> self.first;
        let (unsigned, signed) = match self.narrow {
            Scalar::I8 => (u32::from(part as u8), i32::from(part as u8 as i8)),
            _ => (u32::from(part as u16), i32::from(part as u16 as i16)),
        };
        match self.op {
            Opcode::ZeroExtend => unsigned,
            Opcode::SignExtend => signed as u32,
            Opcode::UToF => (unsigned as f32).to_bits(),
            Opcode::SToF => (signed as f32).to_bits(),
            _ => unsigned << 16,
        }
    }
}

#[test]
fn parts_of_words_are_what_they_were() {
    for (name, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            for part in Part::all() {
                let kernel = crate::support::compiled(&part.function(lanes), features);
                let mut memory: Vec<u32> =
                    (1..=2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9).rotate_left(word)).collect();
                let mut expected = memory.clone();
                for lane in 0..lanes as usize {
                    expected[WRITTEN as usize + lane] = part.expected(memory[lane]);
                }
                // SAFETY: the words of all lanes lie within `memory`.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run_over(&kernel, &mut memory, lanes);
                }
                assert_eq!(memory, expected, "{name}, {lanes} lanes, {part:?}");
            }
        }
    }
}

#[test]
fn parts_of_words_are_not_narrowed() {
    for part in Part::all() {
        let text = crate::support::assembly(&part.function(16), Features::base(Level::Avx512));
        assert!(!text.contains("vpmov"), "{part:?}: {text}");
        let is_within = part.first > 0 && part.first + part.narrow.bits() < 32;
        let is_signed = matches!(part.op, Opcode::SignExtend | Opcode::SToF);
        if is_within && part.op != Opcode::FromBfloat {
            // One shift up and one down, or a shuffle where it is a byte.
            let is_byte = part.narrow == Scalar::I8 && part.first.is_multiple_of(8);
            assert_eq!(text.contains("vpsrld"), !is_signed && !is_byte, "{part:?}: {text}");
        }
    }
}
