//! Sums into memory that one thread owns, sixteen lanes at a time.
//!
//! Lanes that add to the same place conflict: each gets what memory held and what the lanes before it added. Where all lanes add
//! the same number that is how many of them there are (`vpconflictd` and a population count) times the number. The scatter
//! writes in the order of the lanes, so memory keeps what the last of them makes of it. That takes three cycles a lane
//! instead of five in a loop, whether lanes conflict or not.

use super::address::Pattern;
use super::memory::Predicate;
use super::vector::Spec;
use super::{Registers, Selector};
use crate::asm::op::{
    VPADDD, VPANDD, VPBROADCASTD_GPR, VPCONFLICTD, VPGATHERDD, VPMULLD, VPOPCNTD, VPSCATTERDD,
};
use crate::asm::{Shift, Size};
use crate::cpu::Level;
use crate::machine::Kind;
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Space, Value};

/// Whether memory belongs to the one thread that runs the workgroup.
pub(super) fn is_own(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Scratch | Space::Frame)
}

impl Selector<'_> {
    /// The number that all lanes of an atomic sum add, where [`Selector::add_conflicting`] can do it.
    pub(super) fn adds_alike(&self, data: &InstData, op: MemoryOp, scalar: Scalar) -> Option<Value> {
        let fits = data.op == Opcode::AtomicAdd
            && scalar == Scalar::I32
            && is_own(op.space)
            && self.features.level == Level::Avx512
            && self.features.popcount_words;
        let value = data.args[2];
        let alike =
            || self.constant(value).is_some() || self.def(value).is_some_and(|data| data.op == Opcode::Splat);
        (fits && alike()).then_some(value)
    }

    /// Adds `value`, the same in all lanes, to the words at offsets that differ from lane to lane; gives the words before.
    /// None for offsets of another kind.
    pub(super) fn add_conflicting(
        &mut self,
        pattern: &Pattern,
        value: Value,
        predicate: Predicate,
    ) -> Option<Registers> {
        let &Pattern::Offsets(memory, offset) = pattern else { return None };
        let pieces = self.pieces(Scalar::I32);
        let memory = self.simple_base(memory);
        let offsets = self.used(offset);
        let is_one = self.constant(value) == Some(1);
        let active = predicate.mask().map(|mask| self.mask_bits(mask));
        Some(self.each(pieces, |this, piece| {
            let len = pieces.len;
            let mut before = this.v1(VPCONFLICTD, len, offsets[piece]);
            if let Some(active) = active {
                // Only lanes that take part are counted.
                let own = match piece as u32 * pieces.lanes {
                    0 => active,
                    first => this.unary_tied(Kind::ShiftImm(Shift::Shr, Size::S64, first as u8), active),
                };
                let own = this.v1(VPBROADCASTD_GPR, len, own);
                before = this.v2(VPANDD, len, before, own);
            }
            let mut before = this.v1(VPOPCNTD, len, before);
            if !is_one {
                let value = this.source(value, piece, VPMULLD);
                before = this.v2(VPMULLD, len, before, value);
            }
            let mask = this.gather_mask(predicate, piece as u32, pieces.lanes);
            let held = this.gather_piece(VPGATHERDD, len, memory, offsets[piece], mask);
            // Lanes that take no part give zero.
            let held = match predicate.mask() {
                Some(mask) => {
                    let mask = this.mask_piece(mask, piece as u32, pieces.lanes);
                    this.vector(Spec::binary(VPADDD, len, held, before).zeroing(mask))
                }
                None => this.v2(VPADDD, len, held, before),
            };
            let value = this.source(value, piece, VPADDD);
            let sum = this.v2(VPADDD, len, held, value);
            let mask = this.gather_mask(predicate, piece as u32, pieces.lanes);
            this.scatter_piece(VPSCATTERDD, len, memory, offsets[piece], mask, sum);
            held
        }))
    }
}
