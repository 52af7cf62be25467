//! What depends on nothing but an invocation's number: its value in each invocation of a workgroup.

use super::{Cfg, Dominators};
use pyro_abi::context::offset;
use pyro_ir::{
    Effect, Function, InstData, MemoryOp, Opcode, Scalar, Space, Terminator, Value, ValueDef, eval,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The most operations that conditions are computed from, all together: each is computed for every
/// invocation.
const VALUES_MAX: usize = 512;
/// How deep a condition is looked into.
const DEPTH: u32 = 12;
/// A number for each invocation, by subgroup.
pub type Numbers = Rc<[u64]>;

/// The invocations of a workgroup.
pub struct Invocations<'f> {
    function: &'f Function,
    /// What is the subgroup's number, besides what the context says.
    subgroup: Option<Value>,
    count: usize,
    known: FxHashMap<Value, Option<Numbers>>,
}

impl<'f> Invocations<'f> {
    /// Those of so many subgroups. `subgroup`: a value that is the subgroup's number.
    pub fn new(function: &'f Function, subgroup_count: u32, subgroup: Option<Value>) -> Invocations<'f> {
        let count = (function.lanes * subgroup_count) as usize;
        Invocations { function, subgroup, count, known: FxHashMap::default() }
    }

    /// Whether the invocations that come to each block, by position, are all of the first subgroup.
    pub fn single_blocks(&mut self, cfg: &Cfg) -> Vec<bool> {
        let lanes = self.function.lanes as usize;
        let is_single = |come: &Rc<[bool]>| !come[lanes..].contains(&true);
        self.come(cfg).iter().map(|come| come.as_ref().is_some_and(is_single)).collect()
    }

    /// The invocations that may come to each block, by position; none where all may.
    pub fn come(&mut self, cfg: &Cfg) -> Vec<Option<Rc<[bool]>>> {
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
        come
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
    pub fn of(&mut self, value: Value) -> Option<Numbers> {
        self.numbers(value, DEPTH)
    }

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
        let lanes = self.function.lanes as usize;
        let by_subgroup = |count: usize| (0..count).map(|index| (index / lanes) as u64).collect();
        if Some(value) == self.subgroup {
            return Some(by_subgroup(self.count));
        }
        let ValueDef::Inst(inst) = self.function.values[value].def else { return None };
        let data: &InstData = &self.function.insts[inst];
        match data.op {
            Opcode::Splat => return self.numbers(data.args[0], depth - 1),
            Opcode::Any => return None,
            Opcode::Const => return Some(vec![data.imm; self.count].into()),
            Opcode::LaneId => return Some((0..self.count).map(|index| (index % lanes) as u64).collect()),
            Opcode::Load if self.is_subgroup_id(data) => return Some(by_subgroup(self.count)),
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
