//! Barriers between pieces of which only the first subgroup accesses memory are left out. Lane form.
//!
//! Problem: the last steps of a reduction or scan have fewer invocations than a subgroup has lanes, and a
//! barrier after each. What lies between two barriers is a round over all subgroups, of which all but one
//! find that they have nothing to do.
//!
//! ```text
//! suspend                              suspend
//! if (id < 32) a[id] += a[id + 32]     if (id < 32) a[id] += a[id + 32]
//! suspend
//! if (id < 16) a[id] += a[id + 16]     if (id < 16) a[id] += a[id + 16]
//! ```
//!
//! Approach: a condition that depends on nothing but the invocation's number is computed for every
//! invocation of the workgroup. So of each block is known whether the first subgroup alone comes there. A
//! suspend point goes if all accesses that may happen since the suspend point before it, and all that may
//! until the next one, are in such blocks: the subgroup does them in the order of the program. Fences stay.
//!
//! Invariants: between two suspend points that remain, the accesses of two subgroups never go over a suspend
//! point that was left out, since all accesses around those are the first subgroup's. That does not change
//! as suspend points are left out, so all are decided at once.

use crate::analysis::{Cfg, Dominators};
use pyro_abi::context::offset;
use pyro_ir::{
    Effect, Form, Function, InstData, MemoryOp, Opcode, Scalar, Space, Terminator, Value, ValueDef, eval,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The most operations that conditions are computed from, all together: each is computed for every
/// invocation.
const VALUES_MAX: usize = 512;
/// How deep a condition is looked into.
const DEPTH: u32 = 12;
/// The most invocations of a workgroup.
const INVOCATIONS_MAX: usize = 2048;

/// Runs the pass on a shader whose workgroups are so many subgroups. Returns whether anything changed.
pub fn run(function: &mut Function, subgroup_count: u32) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let is_small = function.lanes as usize * subgroup_count as usize <= INVOCATIONS_MAX;
    if subgroup_count < 2 || !is_small || !crate::coroutine_split::suspends(function) {
        return false;
    }
    let cfg = Cfg::new(function);
    let single = Invocations::new(function, subgroup_count).single_blocks(&cfg);
    if !single.contains(&true) {
        return false;
    }
    let written = written(function);
    let Some(pieces) = pieces(function, &single, written) else { return false };
    let forward = spread(&cfg, function, &pieces, true);
    let backward = spread(&cfg, function, &pieces, false);
    let mut changed = false;
    for (index, pieces) in pieces.iter().enumerate() {
        // Between two suspend points of one block is a piece of its own.
        let last = pieces.len() - 1;
        let before = |point: usize| pieces[point] || point == 0 && forward[index];
        let after = |point: usize| pieces[point + 1] || point + 1 == last && backward[index];
        let mut point = 0;
        let mut insts = std::mem::take(&mut function.blocks[function.block_order[index]].insts);
        insts.retain(|&inst| {
            if function.insts[inst].op != Opcode::Suspend {
                return true;
            }
            let stays = before(point) || after(point);
            point += 1;
            changed |= !stays;
            stays
        });
        function.blocks[function.block_order[index]].insts = insts;
    }
    changed
}

/// Whether the function writes a space.
fn written(function: &Function) -> [bool; Space::ALL.len()] {
    let mut written = [false; Space::ALL.len()];
    for inst in function.block_order.iter().flat_map(|&block| &function.blocks[block].insts) {
        let data = &function.insts[*inst];
        if data.op.effect() == Effect::Write && data.op.is_memory() {
            written[MemoryOp::from_imm(data.imm).space as usize] = true;
        }
    }
    written
}

/// Of each block, the pieces that its suspend points cut it into: whether one accesses memory that others
/// see, and not in the first subgroup alone. None where something does that no access says.
fn pieces(
    function: &Function,
    single: &[bool],
    written: [bool; Space::ALL.len()],
) -> Option<Vec<SmallVec<[bool; 2]>>> {
    let mut all = Vec::with_capacity(function.block_order.len());
    for (&block, &is_single) in function.block_order.iter().zip(single) {
        let mut pieces: SmallVec<[bool; 2]> = SmallVec::from_slice(&[false]);
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let shared = match data.op {
                Opcode::Suspend => {
                    pieces.push(false);
                    continue;
                }
                Opcode::Call | Opcode::SlotCall | Opcode::Report | Opcode::Track => return None,
                op if op.is_memory() => {
                    let memory = MemoryOp::from_imm(data.imm);
                    let is_own = matches!(memory.space, Space::Scratch | Space::Frame);
                    memory.volatile || written[memory.space as usize] && !is_own
                }
                _ => false,
            };
            if let Some(last) = pieces.last_mut() {
                *last |= shared && !is_single;
            }
        }
        all.push(pieces);
    }
    Some(all)
}

/// Whether such an access may have happened since the last suspend point where each block begins, or may
/// happen until the next one behind its end.
fn spread(cfg: &Cfg, function: &Function, pieces: &[SmallVec<[bool; 2]>], forward: bool) -> Vec<bool> {
    let mut at = vec![false; pieces.len()];
    // What leaves a block: with a suspend point its last piece, else also what came.
    let leaves = |at: &[bool], index: usize| {
        let of = &pieces[index];
        let own = if forward { of[of.len() - 1] } else { of[0] };
        own || of.len() == 1 && at[index]
    };
    let mut open: Vec<usize> = (0..pieces.len()).filter(|&index| leaves(&at, index)).collect();
    while let Some(index) = open.pop() {
        let block = function.block_order[index];
        let mut reach = |next: usize, open: &mut Vec<usize>| {
            if !at[next] {
                at[next] = true;
                if pieces[next].len() == 1 {
                    open.push(next);
                }
            }
        };
        if forward {
            let targets = function.blocks[block].terminator.targets();
            targets.for_each(|target| reach(cfg.position(target.block) as usize, &mut open));
        } else {
            let preds = cfg.preds(block).iter();
            preds.for_each(|edge| reach(cfg.position(edge.from) as usize, &mut open));
        }
    }
    at
}

/// A number for each invocation, by subgroup.
type Numbers = Rc<[u64]>;

/// The invocations of a workgroup.
struct Invocations<'f> {
    function: &'f Function,
    count: usize,
    known: FxHashMap<Value, Option<Numbers>>,
}

impl<'f> Invocations<'f> {
    fn new(function: &'f Function, subgroup_count: u32) -> Invocations<'f> {
        let count = (function.lanes * subgroup_count) as usize;
        Invocations { function, count, known: FxHashMap::default() }
    }

    /// Whether the invocations that come to each block, by position, are all of the first subgroup.
    fn single_blocks(&mut self, cfg: &Cfg) -> Vec<bool> {
        let function = self.function;
        let dominators = Dominators::new(function, cfg);
        let mut come: Vec<Option<Rc<[bool]>>> = vec![None; function.block_order.len()];
        for &position in dominators.preorder() {
            let block = function.block_order[position as usize];
            let mut here = dominators.idom_position(position).and_then(|idom| come[idom as usize].clone());
            if let [edge] = cfg.preds(block)
                && let Terminator::Branch { condition, .. } = function.blocks[edge.from].terminator
            {
                self.restrict(condition, edge.ordinal == 0, &mut here, DEPTH);
            }
            come[position as usize] = here;
        }
        let lanes = function.lanes as usize;
        let is_single = |come: &Rc<[bool]>| !come[lanes..].contains(&true);
        come.iter().map(|come| come.as_ref().is_some_and(is_single)).collect()
    }

    /// Of the invocations that come here those for which a condition holds, or does not.
    fn restrict(&mut self, condition: Value, holds: bool, here: &mut Option<Rc<[bool]>>, depth: u32) {
        let Some(data) = self.function.def_inst(condition).filter(|_| depth > 0) else { return };
        match (data.op, holds) {
            (Opcode::And, true) | (Opcode::Or, false) => {
                self.restrict(data.args[0], holds, here, depth - 1);
                self.restrict(data.args[1], holds, here, depth - 1);
            }
            (Opcode::AndNot, true) => {
                self.restrict(data.args[0], true, here, depth - 1);
                self.restrict(data.args[1], false, here, depth - 1);
            }
            (Opcode::Not, _) => self.restrict(data.args[0], !holds, here, depth - 1),
            _ => {
                let Some(numbers) = self.numbers(condition, DEPTH) else { return };
                let fits = numbers.iter().map(|&number| (number & 1 == 1) == holds);
                *here = Some(match here {
                    Some(here) => here.iter().zip(fits).map(|(&here, fits)| here && fits).collect(),
                    None => fits.collect(),
                });
            }
        }
    }

    /// What a value is in each invocation, if nothing else decides it.
    fn numbers(&mut self, value: Value, depth: u32) -> Option<Numbers> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        if self.known.len() >= VALUES_MAX || depth == 0 {
            return None;
        }
        let found = self.find(value, depth);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: Value, depth: u32) -> Option<Numbers> {
        let ValueDef::Inst(inst) = self.function.values[value].def else { return None };
        let data: &InstData = &self.function.insts[inst];
        let lanes = self.function.lanes as usize;
        match data.op {
            Opcode::Const => return Some(vec![data.imm; self.count].into()),
            Opcode::LaneId => return Some((0..self.count).map(|index| (index % lanes) as u64).collect()),
            Opcode::Load if self.is_subgroup_id(data) => {
                return Some((0..self.count).map(|index| (index / lanes) as u64).collect());
            }
            op if op.effect() != Effect::Pure || !(1..=3).contains(&data.args.len()) => return None,
            _ => {}
        }
        let mut all: SmallVec<[Numbers; 3]> = SmallVec::new();
        for &arg in &data.args {
            all.push(self.numbers(arg, depth - 1)?);
        }
        let from = self.function.ty(data.args[data.args.len() - 1]).scalar;
        let to = self.function.ty(value).scalar;
        let of = |index: usize| {
            let args: SmallVec<[u64; 3]> = all.iter().map(|numbers| numbers[index]).collect();
            eval::pure(data.op, from, to, &args, data.imm)
        };
        (0..self.count).map(of).collect()
    }

    /// Whether a load gives the subgroup's number.
    fn is_subgroup_id(&self, data: &InstData) -> bool {
        let memory = MemoryOp::from_imm(data.imm);
        let base = self.function.def_inst(data.args[0]);
        memory.space == Space::Context
            && memory.displacement == offset::SUBGROUP_ID as i32
            && base.is_some_and(|base| base.op == Opcode::Arg && base.imm == 1)
            && self.function.const_bits(data.args[1]) == Some(0)
            && data.result.expand().is_some_and(|result| self.function.ty(result).scalar == Scalar::I32)
    }
}
