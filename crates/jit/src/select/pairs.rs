//! Accesses of lanes in pairs ([`MemoryOp::pairs`]): eight masked moves of two lanes take far less than a gather or a
//! scatter of sixteen.

use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{KANDQ, VINSERTF32X4, VMOVDQU32, VMOVDQU32_STORE};
use crate::cpu::Level;
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
        let mask = mask.filter(|_| {
            op.pairs && scalar.bits() == 32 && self.lanes == LANES && self.features.level == Level::Avx512
        })?;
        let masks = PAIRS.map(|lanes| {
            let lanes = self.imm(lanes);
            let lanes = self.mask_from_bits(lanes);
            self.mask2(KANDQ, mask, lanes)
        });
        Some([0, 1, 2, 3].map(|quarter| masks.map(|mask| self.mask_piece(mask, quarter, 4))))
    }

    /// Where the pairs lie; for the second of four lanes, where these would begin.
    fn pair_places(&mut self, memory: Memory, index: Registers) -> [[Memory; 2]; LANES as usize / 4] {
        let memory = self.simple_base(memory);
        let place = self.spill_lanes(index, Scalar::I32);
        [0, 1, 2, 3].map(|quarter| {
            [0, 1].map(|pair| {
                let index = self.load_frame_general(32, place + 16 * quarter + 8 * pair);
                Memory { index: Some(index), ..memory }.plus(-8 * pair)
            })
        })
    }

    /// Loads 32-bit lanes.
    pub(super) fn load_pairs(&mut self, memory: Memory, index: Registers, masks: &PairMasks) -> Registers {
        let places = self.pair_places(memory, index);
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
        let mut all = quarters[0];
        for (number, &quarter) in (0..).zip(&quarters).skip(1) {
            all = self.vector(Spec::binary(VINSERTF32X4, Len::Z, all, quarter).imm(number));
        }
        std::iter::once(all).collect()
    }

    /// Stores 32-bit lanes.
    pub(super) fn store_pairs(&mut self, memory: Memory, index: Registers, value: VReg, masks: &PairMasks) {
        let places = self.pair_places(memory, index);
        for (quarter, (places, masks)) in (0..).zip(places.iter().zip(masks)) {
            let part = self.extract(value, 16 * quarter, 16);
            for (place, mask) in places.iter().zip(masks) {
                self.store_vector(VMOVDQU32_STORE, Len::X, part, *place, Some(*mask));
            }
        }
    }
}
