//! Loops that run a small constant number of times become straight code. Lane form.
//!
//! A loop qualifies when one exit decides how often it runs, whatever else may leave it: a branch at the end
//! of its first blocks (those that the header jumps straight to), or at its only back edge; and when
//! simulating the header's parameters that the condition depends on, with constants, reaches that exit soon.
//! The pass then lays out one copy of the loop for each iteration, with that exit decided. The last iteration
//! of a loop with its test in front is only the test.
//!
//! Values that leave the loop do so through parameters (`lcssa` runs first), so each copy's exits carry its
//! own values. `gvn` and `branch_fold` clean up behind. Loops are taken from the inside out; the whole
//! function grows by at most [`FUNCTION_BUDGET`] instructions.

use crate::analysis::{Cfg, LoopForest};
use crate::lcssa;
use crate::prune;
use pyro_ir::{Block, BlockCall, BlockData, Form, Function, Inst, Merge, Opcode, Terminator, Value, eval};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The most iterations of a loop to unroll.
const ITERATION_LIMIT: u32 = 64;
/// The most instructions that the copies of one loop have together.
const LOOP_BUDGET: usize = 512;
/// The most instructions that the pass adds to a function.
const FUNCTION_BUDGET: usize = 4096;
/// The most instructions that are looked at to find out about one iteration.
const SIMULATION_LIMIT: u32 = 256;

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    prune::run(function);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    // The innermost loops with a known count, before anything is changed.
    let plans: Vec<Plan> =
        forest.leaves().filter_map(|(_, data)| plan(function, &cfg, data.start, data.end)).collect();
    if plans.is_empty() {
        return false;
    }
    lcssa::run(function);
    let mut grown = 0;
    let mut inside = SecondaryMap::<Block, bool>::with_capacity(false, function.blocks.len());
    // The blocks that take the place of each unrolled loop, by header.
    let mut places: HashMap<Block, (usize, Vec<Block>)> = HashMap::new();
    for plan in plans {
        let cost = plan.blocks.iter().map(|&block| function.blocks[block].insts.len()).sum::<usize>();
        let added = cost * plan.count as usize;
        if grown + added > FUNCTION_BUDGET {
            continue;
        }
        grown += added;
        plan.blocks.iter().for_each(|&block| inside[block] = true);
        let order = apply(function, &plan, &inside);
        plan.blocks.iter().for_each(|&block| inside[block] = false);
        places.insert(plan.blocks[0], (plan.blocks.len(), order));
    }
    if places.is_empty() {
        return false;
    }
    let old = std::mem::take(&mut function.block_order);
    let mut at = 0;
    while let Some(&block) = old.get(at) {
        match places.remove(&block) {
            Some((count, order)) => {
                function.block_order.extend(order);
                at += count;
            }
            None => {
                function.block_order.push(block);
                at += 1;
            }
        }
    }
    true
}

/// How a loop is unrolled.
struct Plan {
    /// Its blocks in order, the header first.
    blocks: Vec<Block>,
    /// Whole iterations.
    count: u32,
    /// The block whose branch decides.
    decider: Block,
    /// Whether the decider is among the first blocks, so that one more partial iteration follows.
    in_front: bool,
}

/// Finds out whether and how the loop between two positions is unrolled.
fn plan(function: &Function, cfg: &Cfg, start: u32, end: u32) -> Option<Plan> {
    let blocks: Vec<Block> = function.block_order[start as usize..end as usize].to_vec();
    let header = blocks[0];
    let inside = |block: Block| (start..end).contains(&cfg.position(block));
    // What the sanitizer looks at is not counted.
    let counts = |&&inst: &&Inst| !matches!(function.insts[inst].op, Opcode::Report | Opcode::Track);
    let size_of = |&block: &Block| function.blocks[block].insts.iter().filter(counts).count() + 1;
    let size: usize = blocks.iter().map(size_of).sum();
    if size > LOOP_BUDGET {
        return None;
    }
    let (mut entries, mut backs) = (Vec::new(), Vec::new());
    for edge in cfg.preds(header) {
        if inside(edge.from) { &mut backs } else { &mut entries }.push(*edge);
    }
    let (&[entry], &[back]) = (entries.as_slice(), backs.as_slice()) else { return None };
    let call = |edge: crate::analysis::Edge| {
        function.blocks[edge.from].terminator.targets().nth(edge.ordinal as usize)
    };
    let (entry, back_call) = (call(entry)?, call(back)?);

    // The deciding branch: at the end of the straight blocks at the start, or the back edge's.
    let mut front = header;
    let mut steps = 0;
    while let Terminator::Jump(next) = &function.blocks[front].terminator {
        // A parameter on the way would need its source; front ends make none.
        if !inside(next.block) || next.block == header || cfg.preds(next.block).len() != 1 || steps > 8 {
            break;
        }
        front = next.block;
        steps += 1;
    }
    let decides = |block: Block| match &function.blocks[block].terminator {
        Terminator::Branch { condition, then, otherwise } => {
            match (inside(then.block), inside(otherwise.block)) {
                (true, false) => Some((*condition, true)),
                (false, true) => Some((*condition, false)),
                _ => None,
            }
        }
        _ => None,
    };
    let (decider, in_front) =
        if decides(front).is_some() && front != back.from { (front, true) } else { (back.from, false) };
    let (condition, stays) = decides(decider)?;

    let params = &function.blocks[header].params;
    let mut state: Vec<Option<u64>> = entry.args.iter().map(|&arg| function.const_bits(arg)).collect();
    let mut count = 0;
    loop {
        let known = params.iter().copied().zip(state.iter().copied());
        let mut simulation = Simulation::new(function, known);
        let goes_on = (simulation.value(condition)? != 0) == stays;
        if !goes_on {
            break;
        }
        count += 1;
        if count > ITERATION_LIMIT || size * count as usize > LOOP_BUDGET {
            return None;
        }
        state = back_call.args.iter().map(|&arg| simulation.value(arg)).collect();
    }
    if !in_front {
        count += 1;
    }
    (size * count as usize <= LOOP_BUDGET).then_some(Plan { blocks, count, decider, in_front })
}

/// Computes values of one iteration from the header's parameters, as far as they are constant.
struct Simulation<'f> {
    function: &'f Function,
    known: FxHashMap<Value, Option<u64>>,
    steps: u32,
}

impl<'f> Simulation<'f> {
    fn new(function: &'f Function, params: impl Iterator<Item = (Value, Option<u64>)>) -> Simulation<'f> {
        Simulation { function, known: params.collect(), steps: 0 }
    }

    fn value(&mut self, value: Value) -> Option<u64> {
        // Operands first, with a stack of what is asked for.
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            self.steps += 1;
            if self.steps > SIMULATION_LIMIT {
                return None;
            }
            let Some(data) = self.function.def_inst(top) else {
                self.known.insert(top, None);
                continue;
            };
            if data.op == Opcode::Const {
                self.known.insert(top, Some(data.imm));
                continue;
            }
            if data.op.effect() != pyro_ir::Effect::Pure || data.args.is_empty() || data.args.len() > 3 {
                self.known.insert(top, None);
                continue;
            }
            let missing = data.args.iter().find(|arg| !self.known.contains_key(arg));
            if let Some(&missing) = missing {
                stack.push(missing);
                continue;
            }
            let mut bits = [0; 3];
            let mut all = true;
            for (slot, arg) in bits.iter_mut().zip(&data.args) {
                match self.known[arg] {
                    Some(known) => *slot = known,
                    None => all = false,
                }
            }
            let from = self.function.ty(data.args[data.args.len() - 1]).scalar;
            let to = self.function.ty(top).scalar;
            let result =
                if all { eval::pure(data.op, from, to, &bits[..data.args.len()], data.imm) } else { None };
            self.known.insert(top, result);
        }
        self.known[&value]
    }
}

/// Makes the copies; gives the blocks in order that take the loop's place.
fn apply(function: &mut Function, plan: &Plan, inside: &SecondaryMap<Block, bool>) -> Vec<Block> {
    let header = plan.blocks[0];
    // Up to where the last, partial iteration goes.
    let partial = if plan.in_front {
        plan.blocks.iter().position(|&block| block == plan.decider).expect("it is in the loop") + 1
    } else {
        0
    };
    // The first copy is the loop itself; its terminators are kept for the others.
    let copies = plan.count + u32::from(plan.in_front);
    let mut maps: Vec<Copy> = Vec::new();
    let mut order: Vec<Block> = Vec::new();
    for copy in 0..copies {
        let whole = copy < plan.count;
        let blocks = if whole { &plan.blocks[..] } else { &plan.blocks[..partial] };
        maps.push(if copy == 0 { Copy::identity() } else { Copy::of(function, blocks) });
        order.extend(blocks.iter().map(|&block| maps[copy as usize].block(block)));
    }
    let terminators: Vec<Terminator> =
        plan.blocks.iter().map(|&block| std::mem::take(&mut function.blocks[block].terminator)).collect();
    let merges: Vec<Option<Merge>> = plan.blocks.iter().map(|&block| function.blocks[block].merge).collect();
    for copy in 0..copies as usize {
        let whole = (copy as u32) < plan.count;
        let count = if whole { plan.blocks.len() } else { partial };
        for (index, &block) in plan.blocks[..count].iter().enumerate() {
            let mut terminator = terminators[index].clone();
            if block == plan.decider {
                // In front: whole iterations stay, the partial one leaves. At the back: only the last leaves.
                let last = if plan.in_front { !whole } else { copy as u32 + 1 == plan.count };
                terminator = decide(terminator, inside, !last);
            }
            for call in terminator.targets_mut() {
                for arg in &mut call.args {
                    *arg = maps[copy].value(*arg);
                }
                call.block = match call.block {
                    target if target == header => match maps.get(copy + 1) {
                        Some(next) => next.block(header),
                        None => unreachable!("the last copy does not go round"),
                    },
                    target if inside[target] => maps[copy].block(target),
                    target => target,
                };
            }
            match &mut terminator {
                Terminator::Branch { condition: operand, .. }
                | Terminator::Switch { selector: operand, .. } => *operand = maps[copy].value(*operand),
                _ => {}
            }
            let merge = match merges[index] {
                Some(Merge::Loop { .. }) if block == header => None,
                Some(Merge::Loop { merge, continue_target }) => Some(Merge::Loop {
                    merge: maps[copy].block(merge),
                    continue_target: maps[copy].block(continue_target),
                }),
                Some(Merge::Selection { merge }) => {
                    let merge = if inside[merge] { maps[copy].block(merge) } else { merge };
                    matches!(terminator, Terminator::Branch { .. } | Terminator::Switch { .. })
                        .then_some(Merge::Selection { merge })
                }
                None => None,
            };
            let target = maps[copy].block(block);
            function.blocks[target].terminator = terminator;
            function.blocks[target].merge = merge;
        }
    }
    order
}

/// A branch with its way decided: the one that stays inside, or the other.
fn decide(terminator: Terminator, inside: &SecondaryMap<Block, bool>, stay: bool) -> Terminator {
    match terminator {
        Terminator::Branch { then, otherwise, .. } => {
            let call: BlockCall = if inside[then.block] == stay { then } else { otherwise };
            Terminator::Jump(call)
        }
        other => other,
    }
}

/// Where the blocks and values of the loop are in one copy.
struct Copy {
    blocks: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
}

impl Copy {
    fn identity() -> Copy {
        Copy { blocks: FxHashMap::default(), values: FxHashMap::default() }
    }

    /// Copies parameters and instructions; terminators are left to the caller.
    fn of(function: &mut Function, blocks: &[Block]) -> Copy {
        let mut copy = Copy::identity();
        for &block in blocks {
            let new = function.blocks.push(BlockData::default());
            copy.blocks.insert(block, new);
            for index in 0..function.blocks[block].params.len() {
                let param = function.blocks[block].params[index];
                let ty = function.ty(param);
                copy.values.insert(param, function.add_param(new, ty));
            }
        }
        for &block in blocks {
            for index in 0..function.blocks[block].insts.len() {
                let inst: Inst = function.blocks[block].insts[index];
                let data = function.insts[inst].clone();
                let args: Vec<Value> = data.args.iter().map(|&arg| copy.value(arg)).collect();
                let ty = data.result.expand().map(|result| function.ty(result));
                let new = function.make_inst(data.op, &args, data.imm, ty, data.loc);
                if let (Some(old), Some(result)) = (data.result.expand(), function.insts[new].result.expand())
                {
                    copy.values.insert(old, result);
                }
                let block = copy.block(block);
                function.blocks[block].insts.push(new);
            }
        }
        copy
    }

    fn block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}
