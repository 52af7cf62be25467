//! Constants kept in registers: those that are operands often enough in a block.
//!
//! Mostly a constant is a memory operand, which takes no register and costs nothing but one of the two loads
//! that a processor starts in a cycle (one of 512 bits). In code that is full of loads itself, like the
//! product of matrices of bytes, that is half of them.

use super::Selector;
use pyro_ir::{Block, Function, Scalar, Value};
use pyro_util::SecondaryMap;
use regalloc2::VReg;
use smallvec::SmallVec;

/// The fewest uses in a block, and the most constants.
const USES_MIN: u32 = 16;
const PINNED_MAX: usize = 2;

/// The constants of the block at hand.
#[derive(Default)]
pub(super) struct PinnedConstants {
    /// How often each value has been used in this block.
    counts: SecondaryMap<Value, u32>,
    chosen: SmallVec<[(u64, Option<VReg>); PINNED_MAX]>,
}

impl PinnedConstants {
    /// Forgets registers: what is made in one block is not there in another.
    pub(super) fn start(&mut self) {
        self.chosen.iter_mut().for_each(|(_, register)| *register = None);
    }

    /// Chooses the constants of a block.
    pub(super) fn choose(&mut self, function: &Function, block: Block) {
        self.chosen.clear();
        let insts = &function.blocks[block].insts;
        if insts.len() < USES_MIN as usize {
            return;
        }
        let args = || insts.iter().flat_map(|&inst| &function.insts[inst].args);
        for &arg in args() {
            let count = &mut self.counts[arg];
            *count += 1;
            if *count == USES_MIN
                && self.chosen.len() < PINNED_MAX
                && function.ty(arg).is_varying()
                && function.ty(arg).scalar.bits() == 32
                && let Some(bits) = function.const_bits(arg).filter(|&bits| bits != 0)
            {
                self.chosen.push((bits, None));
            }
        }
        for &arg in args() {
            self.counts[arg] = 0;
        }
    }
}

impl Selector<'_> {
    /// The register of a constant, if the block keeps it in one.
    pub(super) fn pinned_constant(&mut self, scalar: Scalar, bits: u64) -> Option<VReg> {
        let index =
            self.pinned_constants.chosen.iter().position(|&(kept, _)| kept == bits && scalar.bits() == 32)?;
        if let Some(register) = self.pinned_constants.chosen[index].1 {
            return Some(register);
        }
        let register = self.new_splat(scalar, bits);
        self.pinned_constants.chosen[index].1 = Some(register);
        Some(register)
    }
}
