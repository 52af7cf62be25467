//! Rows of 8- and 16-bit elements: subgroups of workgroups that are eight or sixteen columns wide.
//!
//! Problem: the lanes of a row lie one behind the other, but where each row begins only the shader's run
//! tells. There are gathers of words only, and no scatters of less.
//!
//! Approach: each row of 16 bytes is a move of its own, which becomes a part of the register; rows of 8 bytes
//! are moved two to a part. Rows that some lanes have no part in are masked moves.

use super::address::RegisterBlock;
use super::memory::{Predicate, masked_moves};
use super::vector::{Source, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{
    VINSERTF32X4, VMOVHPS, VMOVHPS_STORE, VMOVSD, VMOVSD_STORE, VMOVUPS, VMOVUPS_STORE, VPUNPCKLQDQ,
};
use pyro_ir::{Scalar, Space};
use regalloc2::VReg;
use smallvec::SmallVec;

/// Bytes of the longest row, and of a part of a register.
pub(super) const PART: u32 = 16;
/// Bytes of the shortest.
pub(super) const HALF: u32 = 8;

impl Selector<'_> {
    /// Loads rows of so many lanes.
    pub(super) fn load_byte_rows(
        &mut self,
        scalar: Scalar,
        rows: &[RegisterBlock],
        lanes: u32,
        predicate: Predicate,
        space: Space,
    ) -> Registers {
        let pieces = self.tiling(scalar);
        let bytes = lanes * scalar.bytes();
        let rows_of_part = (PART / bytes) as usize;
        let mut parts: SmallVec<[Source; 8]> = SmallVec::new();
        for (place, rows) in rows.chunks(rows_of_part).enumerate() {
            let part = match predicate {
                Predicate::All if bytes == PART => Source::Memory(rows[0].memory),
                Predicate::All => {
                    let first = self.v1(VMOVSD, Len::X, Source::Memory(rows[0].memory));
                    Source::Reg(self.v2(VMOVHPS, Len::X, first, Source::Memory(rows[1].memory)))
                }
                Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => {
                    let mut loaded: SmallVec<[VReg; 2]> = SmallVec::new();
                    for (number, row) in rows.iter().enumerate() {
                        let mask =
                            self.mask_of_row(mask, (place * rows_of_part + number) as u32, lanes, bytes);
                        self.prefetch_masked_load(row.memory, space);
                        let op = masked_moves(scalar).0;
                        let spec = Spec::unary(op, Len::X, Source::Memory(row.memory)).zeroing(mask);
                        loaded.push(self.vector(spec));
                    }
                    Source::Reg(match loaded.as_slice() {
                        &[low, high] => self.v2(VPUNPCKLQDQ, Len::X, low, high),
                        whole => whole[0],
                    })
                }
            };
            parts.push(part);
        }
        let parts_of_register = (pieces.lanes.min(self.lanes) * scalar.bytes() / PART) as usize;
        let registers = parts.chunks(parts_of_register).map(|parts| {
            let mut register = match parts[0] {
                Source::Reg(register) => register,
                memory => self.v1(VMOVUPS, Len::X, memory),
            };
            for (index, &part) in (0..).zip(parts).skip(1) {
                register = self.vector(Spec::binary(VINSERTF32X4, pieces.len, register, part).imm(index));
            }
            register
        });
        registers.collect::<SmallVec<[VReg; 4]>>().into_iter().collect()
    }

    /// Stores rows of so many lanes.
    pub(super) fn store_byte_rows(
        &mut self,
        scalar: Scalar,
        values: &[VReg],
        rows: &[RegisterBlock],
        lanes: u32,
        predicate: Predicate,
    ) {
        let pieces = self.tiling(scalar);
        let bytes = lanes * scalar.bytes();
        for (number, row) in (0..).zip(rows) {
            let first = number * lanes;
            let from = values[(first / pieces.lanes) as usize];
            let offset = first % pieces.lanes * scalar.bytes();
            match predicate {
                Predicate::All => {
                    let part = self.extract(from, offset / PART * PART, PART);
                    let op = match (bytes, offset % PART) {
                        (PART, _) => VMOVUPS_STORE,
                        (_, 0) => VMOVSD_STORE,
                        _ => VMOVHPS_STORE,
                    };
                    self.store_vector(op, Len::X, part, row.memory, None);
                }
                Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => {
                    let row_value = self.extract(from, offset, bytes);
                    let mask = self.mask_of_row(mask, number, lanes, bytes);
                    let (_, op) = masked_moves(scalar);
                    self.store_vector(op, Len::X, row_value, row.memory, Some(mask));
                }
            }
        }
    }

    /// The mask of a row's lanes alone.
    fn mask_of_row(&mut self, mask: VReg, number: u32, lanes: u32, bytes: u32) -> VReg {
        let mask = self.mask_piece(mask, number, lanes);
        if bytes == PART { mask } else { self.mask_of_lanes(mask, (1 << lanes) - 1) }
    }
}
