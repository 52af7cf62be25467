//! Loads of four words of lanes that go anywhere, which all lanes take part in.
//!
//! The words of four lanes are a register, made of halves: insertions into 256 bits take half the time of
//! those into 512. Lanes are put where unpacking within quarters transposes them: row `r` has lanes `r`, `4
//! + r`, `8 + r` and `12 + r`. So no permutation needs its numbers from memory.
//!
//! Where the last eight lanes go where the first ones go, all of this is done to half a register.
//!
//! Of every second word seven lie between the first and the last: four from the first on, and four up to the
//! last one. Of pairs of words that are apart, or that overlap, each is one load.

use super::Selector;
use super::interleave::{Access, Spread};
use super::vector::{Memory, Source, Spec};
use crate::asm::Len;
use crate::asm::op::{
    VINSERTF32X4, VINSERTF64X4, VMOVHPS, VMOVSD, VMOVUPS, VPUNPCKHDQ, VPUNPCKHQDQ, VPUNPCKLDQ, VPUNPCKLQDQ,
    VSHUFF64X2, VSHUFPS,
};
use regalloc2::VReg;
use smallvec::SmallVec;

/// Lanes of a row, and rows.
const ROW: i32 = 4;
/// Bytes from the first of four words, of which each is the second one, to the fourth from the end.
const LAST_FOUR: i32 = 12;
/// Of the four words from the first on the first and third, of the last four the second and fourth.
const EVERY_SECOND: u8 = 0b11_01_10_00;
/// The first half of a register twice.
const TWICE: u8 = 0b01_00_01_00;

impl Selector<'_> {
    /// The components of sixteen lanes of a group of four.
    pub(super) fn load_lane_quads(&mut self, access: &Access<'_>) -> SmallVec<[VReg; 4]> {
        let halves_share = (0..8).all(|lane| access.is_same_place(lane, lane + 8));
        let len = if halves_share { Len::Y } else { Len::Z };
        let rows = [0, 1, 2, 3].map(|row| {
            let places = [0, 1, 2, 3].map(|quarter| match halves_share && quarter > 1 {
                true => None,
                false => Some(access.place(self, quarter * ROW + row)),
            });
            let behind = |bytes: i32| places.map(|place| place.map(|place| place.plus(bytes)));
            match access.group.spread {
                Spread::Neighbours => self.row_of_quads(places),
                Spread::Pairs(bytes) => self.row_of_pairs(places, bytes),
                Spread::EverySecond => {
                    let (first, last) = (self.row_of_quads(places), self.row_of_quads(behind(LAST_FOUR)));
                    self.vector(Spec::binary(VSHUFPS, len, first, last).imm(EVERY_SECOND))
                }
            }
        });
        let pairs = |this: &mut Self, op| [(0, 1), (2, 3)].map(|(a, b)| this.v2(op, len, rows[a], rows[b]));
        let (low, high) = (pairs(self, VPUNPCKLDQ), pairs(self, VPUNPCKHDQ));
        let words = [(low, VPUNPCKLQDQ), (low, VPUNPCKHQDQ), (high, VPUNPCKLQDQ), (high, VPUNPCKHQDQ)];
        let of_lanes = |this: &mut Self, ([a, b], op): ([VReg; 2], _)| {
            let half = this.v2(op, len, a, b);
            match halves_share {
                true => this.vector(Spec::binary(VSHUFF64X2, Len::Z, half, half).imm(TWICE)),
                false => half,
            }
        };
        words.into_iter().map(|word| of_lanes(self, word)).collect()
    }

    /// A register of what lies at four places, or half of one of what lies at two.
    fn row_of_quads(&mut self, places: [Option<Memory>; 4]) -> VReg {
        self.row(places, |this, first, second| {
            let first = this.v1(VMOVUPS, Len::X, Source::Memory(first));
            this.vector(Spec::binary(VINSERTF32X4, Len::Y, first, Source::Memory(second)).imm(1))
        })
    }

    /// The same of two words at each place, and of two more so many bytes behind.
    fn row_of_pairs(&mut self, places: [Option<Memory>; 4], bytes: i32) -> VReg {
        let quarter = |this: &mut Self, place: Memory| {
            let first = this.v1(VMOVSD, Len::X, Source::Memory(place));
            this.v2(VMOVHPS, Len::X, first, Source::Memory(place.plus(bytes)))
        };
        self.row(places, |this, first, second| {
            let (first, second) = (quarter(this, first), quarter(this, second));
            this.vector(Spec::binary(VINSERTF32X4, Len::Y, first, second).imm(1))
        })
    }

    fn row(&mut self, places: [Option<Memory>; 4], half: impl Fn(&mut Self, Memory, Memory) -> VReg) -> VReg {
        let [Some(a), Some(b), rest @ ..] = places else { unreachable!("there are two places or four") };
        let low = half(self, a, b);
        let [Some(c), Some(d)] = rest else { return low };
        let high = half(self, c, d);
        self.vector(Spec::binary(VINSERTF64X4, Len::Z, low, high).imm(1))
    }
}
