//! Words at known places that no other pattern puts together: a move for each lane.
//!
//! Problem: gathers and scatters take as long whatever lanes take part. A scatter of sixteen words takes as
//! long as some forty stores on a Zen 4, a gather as nineteen cycles.
//!
//! Approach: what all lanes, or so many of the first ones, load is inserted into registers word by word; what
//! they store is taken out of them, in the order of the lanes, so of two that go to one place the last
//! decides. The places are one address with a displacement for each lane, so nothing is computed.
//!
//! With AVX2 a scatter is a loop over the lanes, and a gather takes at least as long as the moves on most
//! processors. SSE4.1 and NEON have neither, and move lane by lane anyway.

use super::memory::{Half, Predicate};
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{VINSERTF64X4, VMOVD_TO, VMOVSS_STORE, VPEXTRD, VPINSRD};
use crate::cpu::Level;
use crate::machine::inst::RmSlot;
use crate::machine::{Kind, NONE, Operands, Vector};
use pyro_ir::Scalar;
use regalloc2::{Operand, VReg};
use smallvec::SmallVec;

/// Words of a quarter of a register.
const WORDS: u32 = 4;
/// Bytes of a quarter.
const BYTES: u32 = 16;

impl Selector<'_> {
    /// Of words: how many of the first lanes take part, where no others do.
    fn count_of_first(&self, scalar: Scalar, predicate: Predicate) -> Option<u32> {
        let lanes_min = match self.features.level {
            Level::Avx512 => 16,
            Level::Avx2 => 8,
            Level::Neon | Level::Sse41 => return None,
        };
        if scalar.bits() != 32 || self.lanes < lanes_min {
            return None;
        }
        match predicate {
            Predicate::All => Some(self.lanes),
            Predicate::First(count, _) => Some(count.min(self.lanes)),
            Predicate::Half(Half::First, _) if self.lanes == 16 => Some(8),
            Predicate::Half(..) | Predicate::Some(_) => None,
        }
    }

    /// Loads words at these places, where that is possible.
    pub(super) fn load_known_places(
        &mut self,
        scalar: Scalar,
        predicate: Predicate,
        place: impl Fn(u32) -> Memory,
    ) -> Option<Registers> {
        let count = self.count_of_first(scalar, predicate)?;
        let pieces = self.tiling(scalar);
        Some(self.each(pieces, |this, piece| {
            let first = piece as u32 * pieces.lanes;
            let end = count.clamp(first, first + pieces.lanes);
            let mut quarters: SmallVec<[VReg; 4]> = SmallVec::new();
            for quarter in (first..end).step_by(WORDS as usize) {
                let start = this.v1(VMOVD_TO, Len::X, Source::Memory(place(quarter)));
                let rest = quarter + 1..end.min(quarter + WORDS);
                quarters.push(rest.fold(start, |words, lane| {
                    let word = Source::Memory(place(lane));
                    this.vector(Spec::binary(VPINSRD, Len::X, words, word).imm((lane % WORDS) as u8))
                }));
            }
            match *quarters.as_slice() {
                [] => this.zero(),
                // What is shorter than a register leaves zeros above.
                [a, b, c] => {
                    let low = this.join(&[a, b], BYTES);
                    this.vector(Spec::binary(VINSERTF64X4, Len::Z, low, c).imm(1))
                }
                _ => this.join(&quarters, BYTES),
            }
        }))
    }

    /// Stores words to these places, where that is possible.
    pub(super) fn store_known_places(
        &mut self,
        scalar: Scalar,
        predicate: Predicate,
        values: &[VReg],
        place: impl Fn(u32) -> Memory,
    ) -> bool {
        let Some(count) = self.count_of_first(scalar, predicate) else { return false };
        let lanes = self.tiling(scalar).lanes;
        for first in (0..count).step_by(WORDS as usize) {
            let value = values[(first / lanes) as usize];
            let quarter = self.extract(value, first % lanes / WORDS * BYTES, BYTES);
            self.store_vector(VMOVSS_STORE, Len::X, quarter, place(first), None);
            for lane in first + 1..count.min(first + WORDS) {
                self.store_word(quarter, lane % WORDS, place(lane));
            }
        }
        true
    }

    /// Stores a word of a quarter.
    fn store_word(&mut self, from: VReg, word: u32, to: Memory) {
        let mut operands = Operands::new();
        operands.push(Operand::reg_use(from));
        let address = Self::address_operands(to, &mut operands, false);
        let store = Vector::new(VPEXTRD, Len::X, 0, NONE, RmSlot::Mem(address));
        self.push(Kind::Vector(Vector { imm: Some(word as u8), ..store }), &operands);
    }
}
