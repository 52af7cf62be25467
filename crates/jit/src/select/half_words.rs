//! Halves of words that are narrowed: two values of 16 bits are often loaded as a word, and taken out of it.
//!
//! A permutation of 16 bits takes the lower or the upper halves of one register, or of two. Narrowing takes
//! the lower ones of one register, in two steps, after a shift for the upper ones.

use super::vector::Spec;
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{VMOVUPS, VPERMI2W, VPERMW};
use crate::cpu::Level;
use pyro_ir::{InstData, Opcode, Scalar, Value};

/// Bits of a half.
const HALF: u64 = 16;
/// Lanes of a register of words.
const LANES: u32 = 16;

impl Selector<'_> {
    /// The words whose lower or upper halves an operation takes.
    pub(super) fn half_of_words(&self, data: &InstData) -> Option<(Value, bool)> {
        use Opcode as O;
        if data.op != O::Truncate || self.features.level != Level::Avx512 || self.lanes < LANES {
            return None;
        }
        let (word, result) = (data.args[0], self.ty(data.result.expand()?));
        let fits = result.is_varying()
            && result.scalar == Scalar::I16
            && self.ty(word).scalar == Scalar::I32
            && self.constant(word).is_none();
        let shifted = self.def(word).filter(|shift| {
            matches!(shift.op, O::LShr | O::AShr) && self.constant(shift.args[1]) == Some(HALF)
        });
        fits.then(|| shifted.map_or((word, false), |shift| (shift.args[0], true)))
    }

    /// Those halves.
    pub(super) fn halves_of_words(&mut self, word: Value, is_upper: bool) -> Registers {
        let words = self.used(word);
        let (wide, narrow) = (self.tiling(Scalar::I32), self.tiling(Scalar::I16));
        let count = wide.lanes * wide.count / narrow.count;
        let bytes: Vec<u8> = (0..2 * LANES)
            .map(|lane| if lane < count { (2 * lane + u32::from(is_upper)) as u16 } else { 0 })
            .flat_map(u16::to_le_bytes)
            .collect();
        self.each(narrow, |this, piece| {
            let order = this.pool_vector(&bytes);
            let order = this.v1(VMOVUPS, Len::Z, order);
            if wide.count == narrow.count {
                return this.v2(VPERMW, Len::Z, order, words[piece]);
            }
            let (low, high) = (words[2 * piece], words[2 * piece + 1]);
            this.vector(Spec::binary(VPERMI2W, Len::Z, low, high).tied(order))
        })
    }
}
