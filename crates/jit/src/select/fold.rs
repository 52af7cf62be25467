//! What needs no instruction of its own: comparisons that belong to a branch or a selection, and loads of one
//! element for all lanes that become memory operands.

use super::Selector;
use super::combine::Combined;
use crate::asm::VOp;
use crate::asm::op::{VPDPWSSD, VPDPWSSDS};
use pyro_ir::{
    Effect, Inst, InstData, MemoryOp, Opcode, Scalar, Signature, Space, Terminator, Value, ValueDef,
};
use std::collections::HashMap;

/// Where a load that only a `splat` uses happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broadcast {
    /// At the `splat`: it becomes a broadcast from memory.
    AtSplat(Inst),
    /// At the only user of the `splat`, which takes a broadcast memory operand.
    AtUser(Inst),
}

/// When memory of each space was last written in a block.
#[derive(Default)]
struct LastWrite([usize; Space::ALL.len()]);

impl LastWrite {
    fn note(&mut self, data: &InstData, index: usize) {
        match data.op.effect() {
            Effect::Write => self.0[MemoryOp::from_imm(data.imm).space as usize] = index,
            Effect::Barrier => self.0 = [index; Space::ALL.len()],
            _ => {}
        }
    }

    fn since(&self, memory: MemoryOp, index: usize) -> bool {
        !memory.space.is_read_only() && self.0[memory.space as usize] > index
    }
}

impl Selector<'_> {
    /// Finds all of them.
    pub(super) fn fold(&mut self) {
        self.fold_conditions();
        // These have no operands in memory.
        if self.has_short_vectors() {
            return;
        }
        for &block in &self.function.block_order {
            self.fold_broadcasts(&self.function.blocks[block].insts);
            self.fold_parts(block);
            self.find_interleaved(&self.function.blocks[block].insts);
        }
    }

    /// Comparisons whose only user is the branch at the end of their own block, or an integer selection,
    /// belong to it.
    fn fold_conditions(&mut self) {
        let function = self.function;
        for &block in &function.block_order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                let selects = data.op == Opcode::Select
                    && data.result.expand().is_some_and(|result| {
                        let ty = self.ty(result);
                        ty.is_uniform() && !ty.scalar.is_float() && self.uses[result] > 0
                    });
                if selects
                    && self.uses[data.args[0]] == 1
                    && self.def(data.args[0]).is_some_and(|data| data.op.signature() == Signature::IntCompare)
                {
                    self.folded[data.args[0]] = true;
                }
            }
            let Terminator::Branch { condition, .. } = function.blocks[block].terminator else { continue };
            if self.uses[condition] != 1 {
                continue;
            }
            let ValueDef::Inst(inst) = function.values[condition].def else { continue };
            let data = &function.insts[inst];
            let folds = data.op.signature() == Signature::IntCompare || data.op == Opcode::Any;
            if folds && function.blocks[block].insts.contains(&inst) {
                self.folded[condition] = true;
            }
        }
    }

    fn fold_broadcasts(&mut self, insts: &[Inst]) {
        let function = self.function;
        // By the value of a `splat`: its load, and when that is in the order of the block.
        let mut open: HashMap<Value, (Inst, usize)> = HashMap::new();
        let mut loads: HashMap<Value, (Inst, usize)> = HashMap::new();
        let mut written = LastWrite::default();
        for (index, &inst) in insts.iter().enumerate() {
            let data = &function.insts[inst];
            let index = index + 1;
            if data.op == Opcode::Load {
                let result = data.expect_result();
                let memory = MemoryOp::from_imm(data.imm);
                let ty = self.ty(result);
                if ty.is_uniform()
                    && !memory.volatile
                    && self.uses[result] == 1
                    && matches!(ty.scalar, Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::I64)
                {
                    loads.insert(result, (inst, index));
                }
            } else if data.op == Opcode::Splat
                && data.result.expand().is_some_and(|result| self.uses[result] > 0)
                && let Some(&(load, at)) = loads.get(&data.args[0])
                && !written.since(MemoryOp::from_imm(function.insts[load].imm), at)
            {
                let result = data.expect_result();
                self.folded[data.args[0]] = true;
                self.broadcasts.insert(result, Broadcast::AtSplat(load));
                if self.uses[result] == 1 {
                    open.insert(result, (load, at));
                }
            } else if !open.is_empty()
                && data.result.expand().is_some_and(|result| self.uses[result] > 0)
                && self.known_of_lanes(data).is_none()
                && let Some(splat) = self.memory_operand(data, |value| open.contains_key(&value))
            {
                let (load, at) = open[&splat];
                if !written.since(MemoryOp::from_imm(function.insts[load].imm), at) {
                    self.broadcasts.insert(splat, Broadcast::AtUser(load));
                }
            }
            written.note(data, index);
        }
    }

    /// Whether a value is best as the operand that may be memory.
    pub(super) fn prefers_memory(&self, value: Value) -> bool {
        self.constant(value).is_some() || matches!(self.broadcasts.get(&value), Some(Broadcast::AtUser(_)))
    }

    /// Which operand of an operation may be a broadcast from memory, if it is one that `is_open` accepts:
    /// selection puts it last.
    fn memory_operand(&self, data: &InstData, is_open: impl Fn(Value) -> bool) -> Option<Value> {
        use Opcode as O;
        if let Some(Combined::Accumulated { op, a, b, .. }) = self.combined(data) {
            // The first factor is in a register, also where it is a constant.
            return [b, a].into_iter().take(accumulated_operands(op)).find(|&value| is_open(value));
        }
        let candidates: &[usize] = match data.op {
            O::FFma => &[0, 1, 2],
            O::FAdd | O::FMul | O::IAdd | O::And | O::Or | O::Xor => &[1, 0],
            O::FSub | O::FDiv | O::FMin | O::FMax | O::ISub => &[1],
            O::DotFourBytes if self.features.vnni => &[1],
            _ => return None,
        };
        let is_free = data.op == O::DotFourBytes || data.args.iter().all(|&arg| self.constant(arg).is_none());
        candidates.iter().map(|&index| data.args[index]).find(|&value| is_free && is_open(value))
    }
}

/// How many of the factors of an accumulating product may be memory, the second first.
fn accumulated_operands(op: VOp) -> usize {
    if matches!(op, VPDPWSSD | VPDPWSSDS) { 2 } else { 1 }
}
