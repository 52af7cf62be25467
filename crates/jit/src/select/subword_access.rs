//! Loads and stores of 8- and 16-bit elements whose lanes are not consecutive.
//!
//! Problem: there are gathers of 32 and 64 bits only, and a loop over lanes costs several cycles for each.
//!
//! Approach: elements a small power of two apart are moves of whole registers under a mask of elements, which
//! faults at no byte that the mask leaves out; a truncation drops the bytes between them. Everything else
//! gathers the 32-bit word that an element lies in, and shifts.
//!
//! Invariants: no byte is read outside of the aligned words that the elements of active lanes lie in, so no
//! page is touched that they do not touch. A 16-bit element that crosses a word is read through the unaligned
//! word that ends with it.

use super::memory::Predicate;
use super::vector::{Base, Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::{
    KMOVQ_TO, PDEP64, VMOVDQU8, VMOVDQU8_STORE, VMOVDQU16, VMOVDQU16_STORE, VOp, VPADDD, VPANDD,
    VPBROADCASTD_GPR, VPGATHERDD, VPGATHERQD, VPMINUD, VPMOVDB, VPMOVDW, VPMOVQB, VPMOVQW, VPMOVWB,
    VPMOVZXBD, VPMOVZXBQ, VPMOVZXBW, VPMOVZXWD, VPMOVZXWQ, VPSLLVD, VPSRLVD, VPSUBD, VPSUBQ,
};
use crate::asm::{Len, Size};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, MASK};
use pyro_ir::{Scalar, Space};
use regalloc2::VReg;
use smallvec::SmallVec;

/// How elements that lie `stride` bytes apart are moved: by `unit` lanes of one register.
#[derive(Clone, Copy, Debug)]
struct StridedTiling {
    /// Lanes of a register.
    unit: u32,
    /// Of the registers that span these lanes.
    len: Len,
    /// Distance of lanes in bytes.
    stride: u32,
    /// Drops the bytes between the elements.
    narrow: VOp,
    /// Puts them in again, as zeros.
    widen: VOp,
}

impl Selector<'_> {
    /// How elements at a constant distance are moved by masked moves, if they are.
    fn strided_tiling(&self, scalar: Scalar, stride: i32) -> Option<StridedTiling> {
        let (narrow, widen) = match (scalar.bits(), stride) {
            (8, 2) => (VPMOVWB, VPMOVZXBW),
            (8, 4) => (VPMOVDB, VPMOVZXBD),
            (8, 8) => (VPMOVQB, VPMOVZXBQ),
            (16, 4) => (VPMOVDW, VPMOVZXWD),
            (16, 8) => (VPMOVQW, VPMOVZXWQ),
            _ => return None,
        };
        if self.features.level != Level::Avx512 {
            return None;
        }
        let stride = stride as u32;
        let unit = self.lanes.min(64 / stride);
        // Parts of less than eight bytes could not be joined.
        if unit < self.lanes && unit * scalar.bytes() < 8 {
            return None;
        }
        Some(StridedTiling { unit, len: Len::holding(unit * stride), stride, narrow, widen })
    }

    /// The mask of elements for the lanes of each register.
    fn strided_masks(&mut self, scalar: Scalar, tiling: StridedTiling, predicate: Predicate) -> Registers {
        let step = tiling.stride / scalar.bytes();
        let spread: u64 = (0..tiling.unit).map(|lane| 1u64 << (lane * step)).sum();
        let spread = self.imm(spread);
        (0..self.lanes / tiling.unit)
            .map(|part| {
                let bits = match predicate.mask() {
                    None => spread,
                    Some(mask) => {
                        let mask = self.mask_piece(mask, part, tiling.unit);
                        let lanes = self.raw_mask_bits(mask);
                        self.vector(Spec::binary(PDEP64, Len::X, lanes, spread).class(GENERAL))
                    }
                };
                self.vector(Spec::unary(KMOVQ_TO, Len::X, bits).class(MASK))
            })
            .collect()
    }

    /// Loads elements at a constant distance by masked moves, where that is possible.
    pub(super) fn load_strided_subwords(
        &mut self,
        scalar: Scalar,
        memory: Memory,
        stride: i32,
        predicate: Predicate,
        space: Space,
    ) -> Option<Registers> {
        let tiling = self.strided_tiling(scalar, stride)?;
        let masks = self.strided_masks(scalar, tiling, predicate);
        let load = if scalar.bits() == 8 { VMOVDQU8 } else { VMOVDQU16 };
        let mut parts: SmallVec<[VReg; 8]> = SmallVec::new();
        for (part, &mask) in (0..).zip(masks.iter()) {
            let memory = memory.plus(part * (tiling.unit * tiling.stride) as i32);
            self.prefetch_masked_load(memory, space);
            let wide = self.vector(Spec::unary(load, tiling.len, Source::Memory(memory)).zeroing(mask));
            parts.push(self.vector(Spec::unary(tiling.narrow, tiling.len, wide).reversed()));
        }
        let pieces = self.tiling(scalar);
        let per_piece = parts.len() / pieces.count as usize;
        let bytes = tiling.unit * scalar.bytes();
        Some(parts.chunks(per_piece).map(|parts| self.join(parts, bytes)).collect())
    }

    /// Stores elements at a constant distance by masked moves, where that is possible.
    pub(super) fn store_strided_subwords(
        &mut self,
        scalar: Scalar,
        values: &[VReg],
        memory: Memory,
        stride: i32,
        predicate: Predicate,
    ) -> bool {
        let Some(tiling) = self.strided_tiling(scalar, stride) else { return false };
        let masks = self.strided_masks(scalar, tiling, predicate);
        let store = if scalar.bits() == 8 { VMOVDQU8_STORE } else { VMOVDQU16_STORE };
        let pieces = self.tiling(scalar);
        for (part, &mask) in (0..).zip(masks.iter()) {
            let first = part * tiling.unit;
            let value = values[(first / pieces.lanes) as usize];
            let bytes = tiling.unit * scalar.bytes();
            let part_of_value = self.extract(value, first % pieces.lanes * scalar.bytes(), bytes);
            let wide = self.v1(tiling.widen, tiling.len, part_of_value);
            let to = memory.plus((part * tiling.unit * tiling.stride) as i32);
            self.store_vector(store, tiling.len, wide, to, Some(mask));
        }
        true
    }

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
        let wide_back = self.extend(back.clone(), Scalar::I32, Scalar::I64, false);
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
