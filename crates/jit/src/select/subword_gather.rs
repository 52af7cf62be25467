//! Loads of 8- and 16-bit elements from anywhere.
//!
//! Problem: there are gathers of 32 and 64 bits only, and a loop over lanes costs several cycles for each.
//!
//! Approach: the 32-bit word that an element lies in is gathered, shifted and truncated.
//!
//! Invariants: no byte is read outside of the aligned words that the elements of active lanes lie in, so no
//! page is touched that they do not touch. A 16-bit element that crosses a word is read through the unaligned
//! word that ends with it.

use super::memory::Predicate;
use super::vector::{Base, Memory};
use super::{Registers, Selector};
use crate::asm::op::{
    VPADDD, VPANDD, VPBROADCASTD_GPR, VPGATHERDD, VPGATHERQD, VPMINUD, VPSLLVD, VPSRLVD, VPSUBD, VPSUBQ,
};
use crate::asm::{Len, Size};
use pyro_ir::Scalar;
use regalloc2::VReg;

impl Selector<'_> {
    /// Gathers elements at 32-bit offsets.
    pub(super) fn gather_subwords(
        &mut self,
        scalar: Scalar,
        memory: Memory,
        index: &[VReg],
        predicate: Predicate,
    ) -> Registers {
        let words = self.tiling(Scalar::I32);
        let memory = self.simple_base(memory);
        let start = self.lea(Size::S64, memory.base, None, 0, memory.displacement);
        let start = self.v1(VPBROADCASTD_GPR, words.len, start);
        let values = self.each(words, |this, piece| {
            let address = this.v2(VPADDD, words.len, start, index[piece]);
            let back = this.bytes_before(address, words.len, scalar);
            let word = this.v2(VPSUBD, words.len, index[piece], back);
            let mask = this.gather_mask(predicate, piece as u32, words.lanes);
            let word = this.gather_piece(VPGATHERDD, words.len, memory, word, mask);
            this.shifted_down(word, back, words.len)
        });
        self.truncate(values, Scalar::I32, scalar)
    }

    /// Gathers elements at 64-bit addresses.
    pub(super) fn gather_subwords_at(
        &mut self,
        scalar: Scalar,
        addresses: &[VReg],
        displacement: i32,
        predicate: Predicate,
    ) -> Registers {
        let (words, wide) = (self.tiling(Scalar::I32), self.tiling(Scalar::I64));
        let start = self.imm(i64::from(displacement) as u64);
        let start = self.v1(VPBROADCASTD_GPR, words.len, start);
        let low = self.truncate(addresses.iter().copied().collect(), Scalar::I64, Scalar::I32);
        let back = self.each(words, |this, piece| {
            let address = this.v2(VPADDD, words.len, start, low[piece]);
            this.bytes_before(address, words.len, scalar)
        });
        let wide_back = self.extend(back, Scalar::I32, Scalar::I64, false);
        let zero = self.imm(0);
        let memory = Memory { base: Base::Register(zero), index: None, shift: 0, displacement };
        let parts = self.each(wide, |this, piece| {
            let mask = this.gather_mask(predicate, piece as u32, wide.lanes);
            let word = this.v2(VPSUBQ, wide.len, addresses[piece], wide_back[piece]);
            this.gather_piece(VPGATHERQD, wide.len, memory, word, mask)
        });
        let per_piece = (wide.count / words.count) as usize;
        let joined: Registers =
            parts.chunks(per_piece).map(|parts| self.join(parts, wide.lanes * 4)).collect();
        let values = self.each(words, |this, piece| this.shifted_down(joined[piece], back[piece], words.len));
        self.truncate(values, Scalar::I32, scalar)
    }

    /// How many bytes before an element the word begins that it is read through.
    fn bytes_before(&mut self, address: VReg, len: Len, scalar: Scalar) -> VReg {
        let three = self.constant_source(Scalar::I32, 3, VPANDD);
        let within = self.v2(VPANDD, len, address, three);
        if scalar.bits() == 8 {
            return within;
        }
        let last = self.constant_source(Scalar::I32, 2, VPMINUD);
        self.v2(VPMINUD, len, within, last)
    }

    /// Words without their lowest `bytes` bytes.
    fn shifted_down(&mut self, word: VReg, bytes: VReg, len: Len) -> VReg {
        let three = self.constant_source(Scalar::I32, 3, VPSLLVD);
        let bits = self.v2(VPSLLVD, len, bytes, three);
        self.v2(VPSRLVD, len, word, bits)
    }
}
