//! Values of which the last eight lanes of each sixteen have what the first eight have.
//!
//! In rows of eight invocations, two to a register, what depends on the column alone is there twice. Gathers
//! of such offsets load half as many elements, and vectors half as many lanes.
//!
//! Approach: a value repeats unless something says otherwise; from operands to results, until nothing
//! changes. What is loaded is taken to differ: another thread may write between the loads of two lanes, and
//! an offset that one lane has checked is not to stand for that of another.

use super::linear::Numbers;
use super::memory::Predicate;
use super::vector::{Memory, Spec};
use super::{Registers, Selector};
use crate::asm::Len;
use crate::asm::op::{KORQ, VINSERTF64X4, VMOVDQU32, VPGATHERDD};
use pyro_ir::{Effect, Scalar, Signature, Value};
use pyro_util::SecondaryMap;
use regalloc2::VReg;

/// Lanes after which a value repeats.
pub(super) const PERIOD: u32 = 8;

/// How often the function is gone through; what has not been settled then does not repeat.
const ROUNDS_MAX: usize = 6;

/// Which values repeat, once something has asked.
pub(super) type Repeats = Option<SecondaryMap<Value, bool>>;

impl Selector<'_> {
    /// Whether the lanes of a varying value repeat in each sixteen.
    pub(super) fn has_repeats(&mut self, value: Value) -> bool {
        if self.repeating.is_none() {
            self.repeating = Some(self.find_repeats());
        }
        self.repeating.as_ref().is_some_and(|repeating| repeating[value])
    }

    /// Gathers 32-bit elements of which the last eight lanes of each sixteen have those of the first.
    pub(super) fn gather_repeated(
        &mut self,
        memory: Memory,
        index: &[VReg],
        predicate: Predicate,
    ) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        let memory = self.simple_base(memory);
        self.each(pieces, |this, piece| {
            let own = predicate.mask().map(|mask| this.mask_piece(mask, piece as u32, pieces.lanes));
            let either = match own {
                None => this.mask_constant(true),
                Some(mask) => {
                    let last = this.mask_piece(mask, 1, PERIOD);
                    this.mask2(KORQ, mask, last)
                }
            };
            let half = this.gather_piece(VPGATHERDD, Len::Y, memory, index[piece], either);
            let both = this.vector(Spec::binary(VINSERTF64X4, Len::Z, half, half).imm(1));
            match own {
                None => both,
                Some(mask) => this.vector(Spec::unary(VMOVDQU32, Len::Z, both).zeroing(mask)),
            }
        })
    }

    fn find_repeats(&self) -> SecondaryMap<Value, bool> {
        let function = self.function;
        let none = || SecondaryMap::with_capacity(false, function.values.len());
        if !self.lanes.is_multiple_of(2 * PERIOD) {
            return none();
        }
        let mut repeats = SecondaryMap::with_capacity(true, function.values.len());
        for _ in 0..ROUNDS_MAX {
            let mut changed = false;
            for &block in &function.block_order {
                let data = &function.blocks[block];
                for &inst in &data.insts {
                    let data = &function.insts[inst];
                    let Some(result) = data.result.expand().filter(|&result| repeats[result]) else {
                        continue;
                    };
                    if self.ty(result).is_varying() && !self.repeats_by(result, &repeats) {
                        repeats[result] = false;
                        changed = true;
                    }
                }
                for target in data.terminator.targets() {
                    for (&param, &arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                        changed |= repeats[param] && !repeats[arg];
                        repeats[param] &= repeats[arg];
                    }
                }
            }
            if !changed {
                return repeats;
            }
        }
        none()
    }

    /// Whether an operation's result repeats, if its operands do as it seems.
    fn repeats_by(&self, result: Value, repeats: &SecondaryMap<Value, bool>) -> bool {
        let Some(data) = self.def(result) else { return true };
        match data.op.signature() {
            Signature::Splat => return true,
            Signature::LaneId | Signature::Active | Signature::MaskFromBits => return false,
            _ => {}
        }
        if data.op.effect() != Effect::Pure {
            return false;
        }
        data.args.iter().all(|&arg| repeats[arg])
            || self.linear(result).is_some_and(|linear| {
                let terms = linear.terms.iter().map(|term| &term.numbers);
                terms.chain([&linear.constant]).all(|numbers| self.numbers_repeat(numbers))
            })
    }

    fn numbers_repeat(&self, numbers: &Numbers) -> bool {
        (0..self.lanes).all(|lane| numbers.at(lane) == numbers.at(lane & !PERIOD))
    }
}
