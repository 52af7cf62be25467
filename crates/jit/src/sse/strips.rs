//! The order of instructions: what a value of several registers becomes, register after register.
//!
//! Problem: a value of sixteen lanes is four of fifteen registers, and selection makes each operation for all
//! four before the next one. Four values live fill the registers; what else there is goes to the stack and
//! comes back.
//!
//! Approach: instructions that compute the same part of values (a *strip*: four of sixteen lanes) follow each
//! other as far as they depend on no other part, then come those of the next part. So what lives in between
//! lives for one part at a time. Uniform values that a strip needs come with it. What needs several parts (a
//! branch, a shuffle) or writes memory stays in order, and calls are passed by nobody.
//!
//! Invariant: what reads memory stays between the same instructions that write memory.

use crate::machine::inst::{BlockData, Inst, RmSlot};
use crate::machine::{AddressBase, Code, Kind, Vector};
use regalloc2::{OperandKind, VReg};
use smallvec::SmallVec;

/// The parts of a value that follow each other: [`STRIPS`] at most.
pub(crate) const STRIPS: usize = 4;

/// No strip: the instruction is for all lanes, or for several parts.
pub(crate) const NO_STRIP: u8 = u8::MAX;

/// The fewest instructions that are ordered.
const INSTRUCTIONS_MIN: usize = 24;

/// How many uniform instructions may come earlier for one of a strip.
const PULLED_MAX: usize = 12;

/// No instruction.
const NOWHERE: u32 = u32::MAX;

/// What an instruction is for the order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Pure,
    Reads,
    Writes,
    /// Nothing moves over it.
    Barrier,
}

/// Orders the instructions of all blocks. `strips` has the parts of the registers that are known.
pub(crate) fn run(code: &mut Code, mut strips: Vec<u8>) {
    strips.resize(code.vreg_count, NO_STRIP);
    let mut made_at = vec![NOWHERE; code.vreg_count];
    let old = std::mem::take(&mut code.insts);
    let mut new = Vec::with_capacity(old.len());
    for block in &mut code.blocks {
        let BlockData { start, end, .. } = *block;
        let insts = &old[start as usize..end as usize];
        block.start = new.len() as u32;
        for segment in insts.split_inclusive(|inst| effect(inst, &code.operands) == Effect::Barrier) {
            if segment.len() < INSTRUCTIONS_MIN {
                new.extend_from_slice(segment);
                continue;
            }
            let order = Segment::new(segment, &code.operands, &mut strips, &mut made_at).order();
            debug_assert_eq!(order.len(), segment.len());
            new.extend(order.iter().map(|&at| segment[at as usize].clone()));
        }
        block.end = new.len() as u32;
    }
    code.insts = new;
}

fn operands<'a>(inst: &Inst, all: &'a [regalloc2::Operand]) -> &'a [regalloc2::Operand] {
    &all[inst.start as usize..inst.end as usize]
}

fn effect(inst: &Inst, all: &[regalloc2::Operand]) -> Effect {
    match &inst.kind {
        Kind::Vector(Vector { rm: RmSlot::Mem(address), .. }) => {
            let is_load = operands(inst, all).iter().any(|operand| operand.kind() == OperandKind::Def);
            match (is_load, address.base) {
                (true, AddressBase::Pool(_)) => Effect::Pure,
                (true, _) => Effect::Reads,
                (false, _) => Effect::Writes,
            }
        }
        Kind::Load(..) => Effect::Reads,
        Kind::LaneAccess(access) if !access.is_store => Effect::Reads,
        Kind::LaneAccess(_) | Kind::Store(..) | Kind::FetchAdd { .. } => Effect::Writes,
        Kind::Vector(_)
        | Kind::Imm(_)
        | Kind::Move
        | Kind::Alu(..)
        | Kind::AluImm(..)
        | Kind::Neg(_)
        | Kind::Not(_)
        | Kind::ShiftImm(..)
        | Kind::ShiftByCl(..)
        | Kind::Imul(_)
        | Kind::ImulImm(..)
        | Kind::Lea(..)
        | Kind::ZeroExtend(_)
        | Kind::SignExtend(..)
        | Kind::Compare(..)
        | Kind::CompareImm(..)
        | Kind::Select(_)
        | Kind::SelectCompare(..)
        | Kind::SelectCompareImm(..)
        | Kind::PopCount(_)
        | Kind::LeadingZeros(_)
        | Kind::TrailingZeros(_)
        | Kind::ByteSwap(_)
        | Kind::MulHigh { .. }
        | Kind::Divide { .. }
        | Kind::FusedCheck(_) => Effect::Pure,
        _ => Effect::Barrier,
    }
}

/// An instruction of a segment.
struct Node {
    strip: u8,
    /// The instructions in front of it that it needs.
    needs: SmallVec<[u32; 4]>,
    done: bool,
}

/// Instructions between two that nothing moves over.
struct Segment {
    nodes: Vec<Node>,
    /// The instructions of each strip, in order, and how many of them are done.
    strips: [(Vec<u32>, usize); STRIPS],
    order: Vec<u32>,
}

impl Segment {
    /// `made_at` has [`NOWHERE`] for all registers, before and after.
    fn new(insts: &[Inst], all: &[regalloc2::Operand], strip_of: &mut [u8], made_at: &mut [u32]) -> Segment {
        let mut segment =
            Segment { nodes: Vec::with_capacity(insts.len()), strips: Default::default(), order: Vec::new() };
        let (mut last_write, mut reads) = (NOWHERE, Vec::new());
        for (at, inst) in (0..).zip(insts) {
            let mut needs = SmallVec::new();
            let (mut strip, mut mixes) = (NO_STRIP, false);
            let mut joins = |of: u8| {
                mixes |= of != NO_STRIP && strip != NO_STRIP && strip != of;
                strip = if of == NO_STRIP { strip } else { of };
            };
            let mut results: SmallVec<[VReg; 4]> = SmallVec::new();
            for operand in operands(inst, all) {
                let register = operand.vreg();
                joins(strip_of[register.vreg()]);
                match operand.kind() {
                    OperandKind::Use if made_at[register.vreg()] != NOWHERE => {
                        needs.push(made_at[register.vreg()]);
                    }
                    OperandKind::Use => {}
                    OperandKind::Def => results.push(register),
                }
            }
            let strip = if mixes { NO_STRIP } else { strip };
            for register in results {
                made_at[register.vreg()] = at;
                if strip_of[register.vreg()] == NO_STRIP {
                    strip_of[register.vreg()] = strip;
                }
            }
            match effect(inst, all) {
                Effect::Pure => {}
                Effect::Reads => {
                    needs.extend((last_write != NOWHERE).then_some(last_write));
                    reads.push(at);
                }
                Effect::Writes => {
                    needs.extend((last_write != NOWHERE).then_some(last_write));
                    needs.extend(reads.drain(..));
                    last_write = at;
                }
                Effect::Barrier => needs.extend(0..at),
            }
            if strip != NO_STRIP {
                segment.strips[usize::from(strip)].0.push(at);
            }
            segment.nodes.push(Node { strip, needs, done: false });
        }
        for operand in insts.iter().flat_map(|inst| operands(inst, all)) {
            made_at[operand.vreg().vreg()] = NOWHERE;
        }
        segment
    }

    /// The new order.
    fn order(mut self) -> Vec<u32> {
        self.order.reserve(self.nodes.len());
        for head in 0..self.nodes.len() as u32 {
            if self.nodes[head as usize].done {
                continue;
            }
            // All that it needs comes before it.
            match self.nodes[head as usize].strip {
                NO_STRIP => self.emit(head),
                strip => self.go_on(strip),
            }
        }
        self.order
    }

    fn emit(&mut self, at: u32) {
        self.nodes[at as usize].done = true;
        self.order.push(at);
    }

    /// Emits what comes next of a strip, until it needs what is not there.
    fn go_on(&mut self, strip: u8) {
        let strip = usize::from(strip);
        while let Some(&next) = self.strips[strip].0.get(self.strips[strip].1) {
            let mut pulled = SmallVec::new();
            if !self.pull(next, &mut pulled, PULLED_MAX) {
                return;
            }
            pulled.into_iter().for_each(|uniform| self.emit(uniform));
            self.emit(next);
            self.strips[strip].1 += 1;
        }
    }

    /// What must be done before an instruction, in order; false if it is of other strips, or too much.
    fn pull(&self, of: u32, pulled: &mut SmallVec<[u32; PULLED_MAX]>, depth: usize) -> bool {
        for &need in &self.nodes[of as usize].needs {
            let node = &self.nodes[need as usize];
            if node.done || pulled.contains(&need) {
                continue;
            }
            let is_uniform = node.strip == NO_STRIP && depth > 0;
            if !is_uniform || !self.pull(need, pulled, depth - 1) || pulled.len() == PULLED_MAX {
                return false;
            }
            pulled.push(need);
        }
        true
    }
}
