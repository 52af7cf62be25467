//! Masks concatenated from the comparisons of several registers, and the pieces they are made of.
//!
//! A comparison of a value of several registers gives as many masks, which become one, as a truth value has.
//! Where that is read once, mostly by an access or a choice that takes it apart again, the masks are still
//! there: then they serve, and the instructions that joined them go.

use crate::asm::op::{KUNPCKBW, KUNPCKDQ, KUNPCKWD};
use crate::machine::{Code, Kind};
use regalloc2::{OperandKind, VReg};
use smallvec::SmallVec;
use std::collections::HashMap;

/// The masks of the block at hand.
#[derive(Default)]
pub(super) struct MaskConcats {
    /// By the whole: its parts, and the lanes of each.
    parts: HashMap<VReg, (SmallVec<[VReg; 4]>, u32)>,
    /// Whether any part has been used.
    is_used: bool,
}

impl MaskConcats {
    /// Forgets all: what lives from block to block is one mask.
    pub(super) fn start(&mut self) {
        self.parts.clear();
    }

    /// Notes of what a mask was made.
    pub(super) fn note(&mut self, whole: VReg, parts: &[VReg], lanes: u32) {
        if parts.len() > 1 {
            self.parts.insert(whole, (SmallVec::from_slice(parts), lanes));
        }
    }

    /// Takes a mask as one, as it is read more often: its parts would take registers for longer.
    pub(super) fn forget(&mut self, whole: VReg) {
        self.parts.remove(&whole);
    }

    /// The part of a mask for one register of `lanes` lanes, if it is there.
    pub(super) fn part(&mut self, whole: VReg, part: u32, lanes: u32) -> Option<VReg> {
        let (parts, part_lanes) = self.parts.get(&whole)?;
        let &part = parts.get(part as usize).filter(|_| *part_lanes == lanes)?;
        self.is_used = true;
        Some(part)
    }

    /// Removes joins of masks that nothing reads.
    pub(super) fn finish(self, code: &mut Code) {
        if !self.is_used {
            return;
        }
        let mut uses = vec![0_u32; code.vreg_count];
        let read = code.operands.iter().filter(|operand| operand.kind() == OperandKind::Use);
        let passed = code.blocks.iter().flat_map(|block| block.arguments.iter().flatten());
        for register in read.map(|operand| operand.vreg()).chain(passed.copied()) {
            uses[register.vreg()] += 1;
        }
        // The last first, as the parts of a join may be joins.
        let mut is_dead = vec![false; code.insts.len()];
        for (index, inst) in code.insts.iter().enumerate().rev() {
            let Kind::Vector(vector) = &inst.kind else { continue };
            let operands = &code.operands[inst.start as usize..inst.end as usize];
            if matches!(vector.op, KUNPCKBW | KUNPCKWD | KUNPCKDQ) && uses[operands[0].vreg().vreg()] == 0 {
                is_dead[index] = true;
                operands[1..].iter().for_each(|operand| uses[operand.vreg().vreg()] -= 1);
            }
        }
        let insts = std::mem::take(&mut code.insts);
        let mut insts = insts.into_iter().zip(is_dead);
        for block in &mut code.blocks {
            let count = (block.end - block.start) as usize;
            block.start = code.insts.len() as u32;
            let kept = insts.by_ref().take(count).filter(|&(_, is_dead)| !is_dead);
            code.insts.extend(kept.map(|(inst, _)| inst));
            block.end = code.insts.len() as u32;
        }
    }
}
