//! Gathers as scalar loads: of 64-bit elements, and with AVX2 of 32-bit ones.
//!
//! A gather is a microprogram of five operations and more an element, during which nothing else starts. Where
//! all lanes read, offsets that go to general registers two by two, and loads of halves of 128 bits, are
//! fewer operations, and others run beside them: two texels of 32 bits side by side for each of 16 lanes take
//! three quarters of the time. Words for 16 lanes of a Zen of the first generation take 12 ns in the place of
//! 32 (tables in the nearest cache, both with what extracts offsets).

use super::Selector;
use super::vector::{Memory, Source, Spec};
use crate::asm::op::{VMOVHPS, VMOVSD, VMOVSS, VPEXTRQ, VPINSRD};
use crate::asm::{Len, Shift, Size};
use crate::machine::Kind;
use crate::machine::inst::GENERAL;
use regalloc2::VReg;

/// 32-bit offsets in 128 bits of a register.
const OFFSETS: u32 = 4;

impl Selector<'_> {
    /// Eight elements of 64 bits at the 32-bit offsets in a register, from the lane `first` on.
    pub(super) fn load_quads(&mut self, memory: Memory, index: VReg, first: u32) -> VReg {
        let mut halves = Vec::with_capacity(4);
        for part in 0..2 {
            for [first, second] in self.places_by_two(memory, index, first + part * OFFSETS) {
                let element = self.v1(VMOVSD, Len::X, first);
                halves.push(self.v2(VMOVHPS, Len::X, element, second));
            }
        }
        self.join(&halves, 16)
    }

    /// So many elements of 32 bits, four or a multiple of it, at the 32-bit offsets in a register.
    pub(super) fn load_words(&mut self, memory: Memory, index: VReg, count: u32) -> VReg {
        let quarters: Vec<VReg> = (0..count / OFFSETS)
            .map(|quarter| {
                let [[a, b], [c, d]] = self.places_by_two(memory, index, quarter * OFFSETS);
                let mut words = self.v1(VMOVSS, Len::X, a);
                for (number, place) in (1..).zip([b, c, d]) {
                    words = self.vector(Spec::binary(VPINSRD, Len::X, words, place).imm(number));
                }
                words
            })
            .collect();
        self.join(&quarters, 16)
    }

    /// The places at four 32-bit offsets in a register, from the lane `first` on, by two.
    fn places_by_two(&mut self, memory: Memory, index: VReg, first: u32) -> [[Source; 2]; 2] {
        let offsets = self.extract(index, first * 4, OFFSETS * 4);
        let low = self.general_from_vector(offsets, 64);
        let spec = Spec::unary(VPEXTRQ, Len::X, offsets).reversed().class(GENERAL).imm(1);
        let high = self.vector(spec);
        [low, high].map(|both| {
            [
                self.unary_to(Kind::SignExtend(32, Size::S64), both),
                self.unary_tied(Kind::ShiftImm(Shift::Sar, Size::S64, 32), both),
            ]
            .map(|offset| Source::Memory(Memory { index: Some(offset), ..memory }))
        })
    }
}
