//! sRGB codes by tables, with AVX-512.
//!
//! A gather of sixteen words that lie in the nearest cache takes ten cycles on processors that are good at
//! them, and a square root eighteen, of which decoding has one and encoding two, one behind the other, each
//! with a polynomial of the sixth degree behind it.

use super::vector::{Memory, Source};
use super::{Registers, Selector};
use crate::asm::op::*;
use pyro_ir::Scalar;
use pyro_ir::eval::srgb::{self, codes};

/// The shift of an index of words.
const WORDS: u8 = 2;

impl Selector<'_> {
    /// [`pyro_ir::Opcode::FromSrgb`].
    pub(super) fn srgb_to_linear(&mut self, value: Registers) -> Registers {
        let values: Vec<u32> = (0..=255).map(|code| srgb::from_code(code).to_bits()).collect();
        let table = self.word_table(&values);
        let pieces = self.tiling(Scalar::I32);
        self.each(pieces, |this, piece| {
            let low = this.constant_source(Scalar::I32, 0xff, VPANDD);
            let code = this.v2(VPANDD, pieces.len, value[piece], low);
            let all = this.mask_constant(true);
            this.gather_piece(VPGATHERDD, pieces.len, table, code, all)
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
            let all = this.mask_constant(true);
            let word = this.gather_piece(VPGATHERDD, len, table, part, all);
            let lower = this.constant_source(Scalar::I32, (1 << codes::PART_BITS) - 1, VPANDD);
            let lower = this.v2(VPANDD, len, bits, lower);
            let sum = this.v2(VPADDD, len, word, Source::Reg(lower));
            this.shift_imm(VPSHIFT_D_IMM, 2, len, sum, part_bits)
        })
    }

    /// Words in the pool, to be indexed.
    fn word_table(&mut self, words: &[u32]) -> Memory {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let table = Memory::pool(self.asm.words(&bytes));
        Memory { shift: WORDS, ..self.simple_base(table) }
    }
}
