//! Loads and stores of elements a small constant distance apart.
//!
//! Problem: gathers and scatters take a cycle or more for each lane, and there are none of 8 and 16 bits.
//!
//! Approach: whole registers are moved under a mask of elements, which faults at no byte that the mask leaves
//! out; a truncation drops the bytes between the elements, a zero extension puts them in. For AVX-512 only:
//! AVX2 has no such masks.

use super::memory::Predicate;
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{
    KMOVQ_TO, PDEP64, VMOVDQU8, VMOVDQU8_STORE, VMOVDQU16, VMOVDQU16_STORE, VMOVDQU32, VMOVDQU32_STORE, VOp,
    VPMOVDB, VPMOVDW, VPMOVQB, VPMOVQD, VPMOVQW, VPMOVWB, VPMOVZXBD, VPMOVZXBQ, VPMOVZXBW, VPMOVZXDQ,
    VPMOVZXWD, VPMOVZXWQ,
};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, MASK};
use pyro_ir::{Scalar, Space};
use regalloc2::VReg;
use smallvec::SmallVec;

/// How elements at a constant distance are moved: by `unit` lanes of one register.
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
    /// The masked moves of elements.
    moves: (VOp, VOp),
}

impl Selector<'_> {
    /// How elements at a constant distance are moved by masked moves, if they are.
    fn strided_tiling(&self, scalar: Scalar, stride: i32) -> Option<StridedTiling> {
        let (bytes, words) = ((VMOVDQU8, VMOVDQU8_STORE), (VMOVDQU16, VMOVDQU16_STORE));
        let (narrow, widen, moves) = match (scalar.bits(), stride) {
            (8, 2) => (VPMOVWB, VPMOVZXBW, bytes),
            (8, 4) => (VPMOVDB, VPMOVZXBD, bytes),
            (8, 8) => (VPMOVQB, VPMOVZXBQ, bytes),
            (16, 4) => (VPMOVDW, VPMOVZXWD, words),
            (16, 8) => (VPMOVQW, VPMOVZXWQ, words),
            (32, 8) => (VPMOVQD, VPMOVZXDQ, (VMOVDQU32, VMOVDQU32_STORE)),
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
        Some(StridedTiling { unit, len: Len::holding(unit * stride), stride, narrow, widen, moves })
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
    pub(super) fn load_strided(
        &mut self,
        scalar: Scalar,
        memory: Memory,
        stride: i32,
        predicate: Predicate,
        space: Space,
    ) -> Option<Registers> {
        let tiling = self.strided_tiling(scalar, stride)?;
        let masks = self.strided_masks(scalar, tiling, predicate);
        let mut parts: SmallVec<[VReg; 8]> = SmallVec::new();
        for (part, &mask) in (0..).zip(masks.iter()) {
            let memory = memory.plus(part * (tiling.unit * tiling.stride) as i32);
            self.prefetch_masked_load(memory, space);
            let wide =
                self.vector(Spec::unary(tiling.moves.0, tiling.len, Source::Memory(memory)).zeroing(mask));
            parts.push(self.vector(Spec::unary(tiling.narrow, tiling.len, wide).reversed()));
        }
        let pieces = self.tiling(scalar);
        let per_piece = parts.len() / pieces.count as usize;
        let bytes = tiling.unit * scalar.bytes();
        Some(parts.chunks(per_piece).map(|parts| self.join(parts, bytes)).collect())
    }

    /// Stores elements at a constant distance by masked moves, where that is possible.
    pub(super) fn store_strided(
        &mut self,
        scalar: Scalar,
        values: &[VReg],
        memory: Memory,
        stride: i32,
        predicate: Predicate,
    ) -> bool {
        let Some(tiling) = self.strided_tiling(scalar, stride) else { return false };
        let masks = self.strided_masks(scalar, tiling, predicate);
        let pieces = self.tiling(scalar);
        for (part, &mask) in (0..).zip(masks.iter()) {
            let first = part * tiling.unit;
            let value = values[(first / pieces.lanes) as usize];
            let bytes = tiling.unit * scalar.bytes();
            let part_of_value = self.extract(value, first % pieces.lanes * scalar.bytes(), bytes);
            let wide = self.v1(tiling.widen, tiling.len, part_of_value);
            let to = memory.plus((part * tiling.unit * tiling.stride) as i32);
            self.store_vector(tiling.moves.1, tiling.len, wide, to, Some(mask));
        }
        true
    }
}
