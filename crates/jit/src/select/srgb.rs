//! sRGB codes by tables, with AVX-512 and AVX2.
//!
//! A gather of sixteen words that lie in the nearest cache takes ten cycles on processors that are good at
//! them, and a square root eighteen, of which decoding has one and encoding two, one behind the other, each
//! with a polynomial of the sixth degree behind it. With AVX2, sixteen loads one by one take less time
//! than the root of sixteen numbers (`select::scalarized_loads`).
//!
//! Where gathers are slow but bytes are permuted across registers (Zen 4), codes are decoded by permutations:
//! a texel of four codes is a word, and two permutations look up one byte of the values of all four codes of
//! sixteen texels. Eight give all bytes, and two more put those of one code of each word together, so three
//! conversions take 14 permutations.

use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::*;
use crate::cpu::Level;
use crate::machine::inst::MASK;
use pyro_ir::eval::srgb::{self, codes};
use pyro_ir::{InstData, Opcode, Scalar, Value};
use regalloc2::VReg;

/// The shift of an index of words.
const WORDS: u8 = 2;
/// Bytes of a register.
const BYTES: usize = 64;
/// Bytes of a word.
const WORD_BYTES: usize = 4;
/// Of each word the two lower bytes, in a mask of bytes.
const LOWER_BYTES: u64 = 0x3333_3333_3333_3333;

/// The values of the codes in a register of words: of each code one byte of the value, the lowest first.
pub(super) type ValueBytes = [VReg; WORD_BYTES];

impl Selector<'_> {
    /// The words whose codes an operation decodes by permutations, and which byte of each it is.
    pub(super) fn code_of_words(&self, data: &InstData) -> Option<(Value, u32)> {
        let is_varying = |value| self.ty(value).is_varying();
        if data.op != Opcode::FromSrgb || !self.features.permutes_tables() || !is_varying(data.args[0]) {
            return None;
        }
        let word = data.args[0];
        let shifted = self.def(word).filter(|shift| matches!(shift.op, Opcode::LShr | Opcode::AShr));
        let byte = shifted.and_then(|shift| match self.constant(shift.args[1]) {
            Some(bits @ (8 | 16 | 24)) => Some((shift.args[0], bits as u32 / 8)),
            _ => None,
        });
        Some(byte.unwrap_or((word, 0)))
    }

    /// Their values.
    pub(super) fn values_of_codes(&mut self, word: Value, byte: u32) -> Registers {
        let words = self.used(word);
        let order: Vec<u8> = (0..BYTES)
            .map(|at| {
                (at - at % WORD_BYTES + byte as usize) as u8 + if at % 2 == 0 { 0 } else { BYTES as u8 }
            })
            .collect();
        self.each(self.tiling(Scalar::I32), |this, piece| {
            let [first, second, third, fourth] = this.value_bytes(words[piece]);
            let (lower, upper) = (this.lane_mask(LOWER_BYTES), this.lane_mask(!LOWER_BYTES));
            let order = this.pool_vector(&order);
            let order = this.v1(VMOVUPS, Len::Z, order);
            // Of bytes that are masked out the places stay.
            let joined = this.vector(Spec::binary(VPERMI2B, Len::Z, first, second).tied(order).masked(lower));
            this.vector(Spec::binary(VPERMI2B, Len::Z, third, fourth).tied(joined).masked(upper))
        })
    }

    /// The values of all codes of a register, made once in a block.
    fn value_bytes(&mut self, words: VReg) -> ValueBytes {
        if let Some((_, known)) = self.srgb_values.iter().find(|(of, _)| *of == words) {
            return *known;
        }
        let values = (0..=255).map(|code| srgb::from_code(code).to_bits().to_le_bytes());
        let values: Vec<[u8; WORD_BYTES]> = values.collect();
        let upper = self.vector(Spec::unary(VPMOVB2M, Len::Z, words).class(MASK));
        let lower = self.vector(Spec::unary(KNOTQ, Len::X, upper).class(MASK));
        let bytes = std::array::from_fn(|byte| {
            let table: Vec<u8> = values.iter().map(|value| value[byte]).collect();
            let (tables, _) = table.as_chunks::<BYTES>();
            // Codes stay where they are not looked up, for the other half of the table.
            [(upper, 2), (lower, 0)].into_iter().fold(words, |codes, (mask, at)| {
                let (first, second) = (self.pool_vector(&tables[at]), self.pool_vector(&tables[at + 1]));
                let first = self.v1(VMOVUPS, Len::Z, first);
                self.vector(Spec::binary(VPERMI2B, Len::Z, first, second).tied(codes).masked(mask))
            })
        });
        self.srgb_values.push((words, bytes));
        bytes
    }

    /// [`pyro_ir::Opcode::FromSrgb`].
    pub(super) fn srgb_to_linear(&mut self, value: Registers) -> Registers {
        let values: Vec<u32> = (0..=255).map(|code| srgb::from_code(code).to_bits()).collect();
        let table = self.word_table(&values);
        let pieces = self.tiling(Scalar::I32);
        self.each(pieces, |this, piece| {
            let low = this.constant_source(Scalar::I32, 0xff, VPANDD);
            let code = this.v2(VPANDD, pieces.len, value[piece], low);
            this.look_up(table, code, pieces.len)
        })
    }

    /// [`pyro_ir::Opcode::ToSrgb`], as [`codes::look_up`] does it.
    pub(super) fn linear_to_srgb(&mut self, value: Registers) -> Registers {
        let table = self.word_table(codes::table());
        let table = table.plus(-4 * (codes::LEAST >> codes::PART_BITS) as i32);
        let pieces = self.tiling(Scalar::I32);
        let part_bits = codes::PART_BITS as u8;
        self.each(pieces, |this, piece| {
            let len = pieces.len;
            // Of NaN the second operand is taken.
            let least = this.constant_source(Scalar::I32, codes::LEAST.into(), VMAXPS);
            let bits = this.v2(VMAXPS, len, value[piece], least);
            let greatest = this.constant_source(Scalar::I32, codes::GREATEST.into(), VMINPS);
            let bits = this.v2(VMINPS, len, bits, greatest);
            let part = this.shift_imm(VPSHIFT_D_IMM, 2, len, bits, part_bits);
            let word = this.look_up(table, part, len);
            let lower = this.constant_source(Scalar::I32, (1 << codes::PART_BITS) - 1, VPANDD);
            let lower = this.v2(VPANDD, len, bits, lower);
            let sum = this.v2(VPADDD, len, word, Source::Reg(lower));
            this.shift_imm(VPSHIFT_D_IMM, 2, len, sum, part_bits)
        })
    }

    /// Words of a table by the indices in a register.
    fn look_up(&mut self, table: Memory, index: VReg, len: Len) -> VReg {
        if self.features.level == Level::Avx2 {
            return self.load_words(table, index, len.bytes() / WORD_BYTES as u32);
        }
        let all = self.mask_constant(true);
        self.gather_piece(VPGATHERDD, len, table, index, all)
    }

    /// Words in the pool, to be indexed.
    fn word_table(&mut self, words: &[u32]) -> Memory {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let table = Memory::pool(self.asm.words(&bytes));
        Memory { shift: WORDS, ..self.simple_base(table) }
    }
}
