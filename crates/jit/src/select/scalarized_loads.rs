//! Gathers of 64-bit elements as scalar loads.
//!
//! A gather is a microprogram of five operations and more an element, during which nothing else starts. Where
//! all lanes read, offsets that go to general registers two by two, and loads of halves of 128 bits, are
//! fewer operations, and others run beside them: two texels of 32 bits side by side for each of 16 lanes take
//! three quarters of the time.

use super::Selector;
use super::vector::{Memory, Source, Spec};
use crate::asm::op::{VMOVHPS, VMOVSD, VPEXTRQ};
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
            let offsets = self.extract(index, (first + part * OFFSETS) * 4, OFFSETS * 4);
            let low = self.general_from_vector(offsets, 64);
            let spec = Spec::unary(VPEXTRQ, Len::X, offsets).reversed().class(GENERAL).imm(1);
            let high = self.vector(spec);
            for both in [low, high] {
                let [first, second] = [
                    self.unary_to(Kind::SignExtend(32, Size::S64), both),
                    self.unary_tied(Kind::ShiftImm(Shift::Sar, Size::S64, 32), both),
                ]
                .map(|offset| Source::Memory(Memory { index: Some(offset), ..memory }));
                let element = self.v1(VMOVSD, Len::X, first);
                halves.push(self.v2(VMOVHPS, Len::X, element, second));
            }
        }
        self.join(&halves, 16)
    }
}
