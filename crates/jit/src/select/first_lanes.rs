//! Moves of the first lanes of a subgroup, so many as are known: without a mask where an instruction moves as
//! many. A load can take what such a store wrote from the store queue, which it cannot after a masked one.

use super::Selector;
use super::vector::{Memory, Source, Spec};
use crate::asm::Len;
use crate::asm::op::{
    VMOVDQU32, VMOVDQU32_STORE, VMOVQ_FROM, VMOVQ_TO, VMOVSS, VMOVSS_STORE, VMOVUPS, VMOVUPS_STORE,
};
use regalloc2::VReg;

/// How the first lanes of a register are moved.
enum FirstMove {
    Vector(Len),
    Pair,
    One,
    Masked,
}

fn len_bytes(len: Len) -> u32 {
    match len {
        Len::X => 16,
        Len::Y => 32,
        Len::Z => 64,
    }
}

/// The move of so many lanes of 32 bits of a register, if it is any.
fn first_move(len: Len, count: u32) -> Option<FirstMove> {
    Some(match count {
        0 => return None,
        _ if count * 4 >= len_bytes(len) => FirstMove::Vector(len),
        8 => FirstMove::Vector(Len::Y),
        4 => FirstMove::Vector(Len::X),
        2 => FirstMove::Pair,
        1 => FirstMove::One,
        _ => FirstMove::Masked,
    })
}

impl Selector<'_> {
    /// The 32-bit lanes of a register that begins with lane `from` of the subgroup, of whose lanes the first
    /// `count` are loaded: without a mask where there are moves of as many.
    pub(super) fn load_first(&mut self, memory: Memory, len: Len, count: u32, from: u32, mask: VReg) -> VReg {
        let source = Source::Memory(memory);
        match first_move(len, count.saturating_sub(from)) {
            None => self.zero(),
            Some(FirstMove::Vector(len)) => self.v1(VMOVUPS, len, source),
            Some(FirstMove::Pair) => self.v1(VMOVQ_TO, Len::X, source),
            Some(FirstMove::One) => self.v1(VMOVSS, Len::X, source),
            Some(FirstMove::Masked) => {
                let lanes = len_bytes(len) / 4;
                let mask = self.mask_piece(mask, from / lanes, lanes);
                self.vector(Spec::unary(VMOVDQU32, len, source).zeroing(mask))
            }
        }
    }

    /// The same of a store.
    pub(super) fn store_first(
        &mut self,
        memory: Memory,
        len: Len,
        count: u32,
        from: u32,
        mask: VReg,
        value: VReg,
    ) {
        match first_move(len, count.saturating_sub(from)) {
            None => {}
            Some(FirstMove::Vector(len)) => self.store_vector(VMOVUPS_STORE, len, value, memory, None),
            Some(FirstMove::Pair) => self.store_vector(VMOVQ_FROM, Len::X, value, memory, None),
            Some(FirstMove::One) => self.store_vector(VMOVSS_STORE, Len::X, value, memory, None),
            Some(FirstMove::Masked) => {
                let lanes = len_bytes(len) / 4;
                let mask = self.mask_piece(mask, from / lanes, lanes);
                self.store_vector(VMOVDQU32_STORE, len, value, memory, Some(mask));
            }
        }
    }
}
