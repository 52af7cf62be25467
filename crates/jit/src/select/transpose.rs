//! Stores of all lanes at places that are known by lane, where the lanes of other registers are neighbours:
//! columns of arrays, written by workgroups of several rows.
//!
//! A scatter is a microprogram of several operations an element. Where register `p` has its lane `n` behind
//! that of register `p - 1` in memory, four registers (or two) are transposed, and each lane's four words are
//! one store.

use super::Selector;
use super::vector::Memory;
use crate::asm::Len;
use crate::asm::op::{
    VMOVHPS_STORE, VMOVSD_STORE, VMOVUPS_STORE, VPUNPCKHDQ, VPUNPCKHQDQ, VPUNPCKLDQ, VPUNPCKLQDQ,
};
use crate::cpu::Level;
use regalloc2::VReg;

/// Lanes of 32 bits in a register.
const LANES: usize = 16;

impl Selector<'_> {
    /// Stores registers of 32-bit lanes, each lane so many bytes behind `memory`; false where that is nothing
    /// for this.
    pub(super) fn store_transposed(&mut self, memory: Memory, places: &[u32], values: &[VReg]) -> bool {
        let follows = |first: usize, by: usize| {
            let lanes = first * LANES..(first + 1) * LANES;
            let next = places[lanes.start + by * LANES..].iter();
            places[lanes].iter().zip(next).all(|(&a, &b)| a.checked_add(4 * by as u32) == Some(b))
        };
        if self.features.level != Level::Avx512 || places.len() != values.len() * LANES {
            return false;
        }
        // Of words that overlap, the order of the lanes decides.
        let apart = |width: u32| {
            let mut firsts = places[..LANES].to_vec();
            firsts.sort_unstable();
            firsts.windows(2).all(|pair| pair[1] - pair[0] >= width)
        };
        match *values {
            [a, b, c, d] if apart(16) && (1..4).all(|by| follows(0, by)) => {
                let (low, high) = (self.unpacked([a, b]), self.unpacked([c, d]));
                for (half, (&first, &second)) in low.iter().zip(&high).enumerate() {
                    for (odd, op) in [VPUNPCKLQDQ, VPUNPCKHQDQ].into_iter().enumerate() {
                        let words = self.v2(op, Len::Z, first, second);
                        for quarter in 0..4 {
                            let place = places[quarter * 4 + half * 2 + odd];
                            let part = self.extract(words, 16 * quarter as u32, 16);
                            self.store_vector(VMOVUPS_STORE, Len::X, part, memory.plus(place as i32), None);
                        }
                    }
                }
                true
            }
            [_, _] if apart(8) && follows(0, 1) => {
                for (half, words) in self.unpacked([values[0], values[1]]).into_iter().enumerate() {
                    for quarter in 0..4 {
                        let part = self.extract(words, 16 * quarter as u32, 16);
                        for (odd, op) in [VMOVSD_STORE, VMOVHPS_STORE].into_iter().enumerate() {
                            let place = places[quarter * 4 + half * 2 + odd];
                            self.store_vector(op, Len::X, part, memory.plus(place as i32), None);
                        }
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// The words of two registers in turns: of the first two, and of the last two, of each four lanes.
    fn unpacked(&mut self, [a, b]: [VReg; 2]) -> [VReg; 2] {
        [VPUNPCKLDQ, VPUNPCKHDQ].map(|op| self.v2(op, Len::Z, a, b))
    }
}
