//! Accesses of lanes in pairs ([`MemoryOp::pairs`]): eight moves of two lanes take far less than a gather or
//! a scatter of sixteen.
//!
//! Masked moves are of four lanes at least, so those of a pair reach over its neighbour too, and a later load
//! from there waits until the store has left for memory. Loads of all lanes and stores of whole pairs
//! ([`MemoryOp::whole_pairs`]) are moves of a pair alone, whose bits go from a store to a load behind it.

use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{
    KANDQ, VINSERTF32X4, VMOVDQU32, VMOVDQU32_STORE, VMOVHPS, VMOVHPS_STORE, VMOVSD, VMOVSD_STORE, VPBLENDMD,
    VPMOVD2M, VPMOVM2D,
};
use crate::cpu::Level;
use crate::machine::inst::MASK;
use pyro_ir::{MemoryOp, Scalar};
use regalloc2::VReg;

/// Lanes, of which four fill the shortest register.
const LANES: u32 = 16;
/// Lanes of first and of second pairs of four lanes.
const PAIRS: [u64; 2] = [0x3333, 0xcccc];

/// For each four lanes, the masks of their two pairs.
pub(super) type PairMasks = [[VReg; 2]; LANES as usize / 4];

impl Selector<'_> {
    /// The masks of an access of pairs under a mask; none for other accesses.
    pub(super) fn pair_masks(
        &mut self,
        scalar: Scalar,
        op: MemoryOp,
        mask: Option<VReg>,
    ) -> Option<PairMasks> {
        let mask = mask.filter(|_| self.takes_pairs(scalar, op) && self.features.level == Level::Avx512)?;
        let masks = PAIRS.map(|lanes| {
            let lanes = self.imm(lanes);
            let lanes = self.mask_from_bits(lanes);
            self.mask2(KANDQ, mask, lanes)
        });
        Some([0, 1, 2, 3].map(|quarter| masks.map(|mask| self.mask_piece(mask, quarter, 4))))
    }

    /// Whether an access is one of pairs of 32-bit lanes.
    pub(super) fn takes_pairs(&self, scalar: Scalar, op: MemoryOp) -> bool {
        op.pairs && scalar.bits() == 32 && self.lanes == LANES
    }

    /// Where the pairs lie.
    fn pair_places(&mut self, memory: Memory, index: Registers) -> [[Memory; 2]; LANES as usize / 4] {
        let memory = self.simple_base(memory);
        let place = self.spill_lanes(index, Scalar::I32);
        [0, 1, 2, 3].map(|quarter| {
            [0, 1].map(|pair| {
                let index = self.load_frame_general(32, place + 16 * quarter + 8 * pair);
                Memory { index: Some(index), ..memory }
            })
        })
    }

    /// The same, and for the second pair of four lanes where these would begin.
    fn four_places(&mut self, memory: Memory, index: Registers) -> [[Memory; 2]; LANES as usize / 4] {
        self.pair_places(memory, index).map(|[first, second]| [first, second.plus(-8)])
    }

    /// The first of four registers with the others behind it.
    fn join_quarters(&mut self, quarters: &[VReg]) -> VReg {
        let mut all = quarters[0];
        for (number, &quarter) in (0..).zip(quarters).skip(1) {
            all = self.vector(Spec::binary(VINSERTF32X4, Len::Z, all, quarter).imm(number));
        }
        all
    }

    /// Four lanes from two pairs.
    fn load_two_pairs(&mut self, [first, second]: [Memory; 2]) -> VReg {
        let low = self.v1(VMOVSD, Len::X, Source::Memory(first));
        self.v2(VMOVHPS, Len::X, low, Source::Memory(second))
    }

    /// Loads all 32-bit lanes.
    pub(super) fn load_all_pairs(&mut self, memory: Memory, index: Registers) -> Registers {
        let places = self.pair_places(memory, index);
        let quarters: Vec<VReg> = places.iter().map(|&places| self.load_two_pairs(places)).collect();
        std::iter::once(self.join_quarters(&quarters)).collect()
    }

    /// Stores 32-bit lanes, and with them what the others of their pairs hold. Four lanes after four: they
    /// may share pairs.
    pub(super) fn store_whole_pairs(&mut self, memory: Memory, index: Registers, value: VReg, mask: VReg) {
        let places = self.pair_places(memory, index);
        // Where masks are vectors, four lanes of them are parts of vectors too.
        let lanes = (self.features.level != Level::Avx512).then(|| self.v1(VPMOVM2D, Len::Z, mask));
        for (quarter, &places) in (0..).zip(&places) {
            let old = self.load_two_pairs(places);
            let part = self.extract(value, 16 * quarter, 16);
            let mask = match lanes {
                None => self.mask_piece(mask, quarter, 4),
                Some(lanes) => {
                    let lanes = self.extract(lanes, 16 * quarter, 16);
                    self.vector(Spec::unary(VPMOVD2M, Len::X, lanes).class(MASK))
                }
            };
            let new = self.vector(Spec::binary(VPBLENDMD, Len::X, old, part).masked(mask));
            self.store_vector(VMOVSD_STORE, Len::X, new, places[0], None);
            self.store_vector(VMOVHPS_STORE, Len::X, new, places[1], None);
        }
    }

    /// Loads 32-bit lanes.
    pub(super) fn load_pairs(&mut self, memory: Memory, index: Registers, masks: &PairMasks) -> Registers {
        let places = self.four_places(memory, index);
        let quarters: Vec<VReg> = places
            .iter()
            .zip(masks)
            .map(|(places, masks)| {
                let first = Spec::unary(VMOVDQU32, Len::X, Source::Memory(places[0])).zeroing(masks[0]);
                let first = self.vector(first);
                let both = Spec::unary(VMOVDQU32, Len::X, Source::Memory(places[1]));
                self.vector(both.masked(masks[1]).tied(first))
            })
            .collect();
        std::iter::once(self.join_quarters(&quarters)).collect()
    }

    /// Stores 32-bit lanes.
    pub(super) fn store_pairs(&mut self, memory: Memory, index: Registers, value: VReg, masks: &PairMasks) {
        let places = self.four_places(memory, index);
        for (quarter, (places, masks)) in (0..).zip(places.iter().zip(masks)) {
            let part = self.extract(value, 16 * quarter, 16);
            for (place, mask) in places.iter().zip(masks) {
                self.store_vector(VMOVDQU32_STORE, Len::X, part, *place, Some(*mask));
            }
        }
    }
}
