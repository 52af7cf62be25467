//! Loops that run a small constant number of times become straight code. Lane form.
//!
//! A loop qualifies when one exit decides how often it runs, whatever else may leave it: a branch among its
//! first blocks (those that every iteration runs one after the other), or at its only back edge; and when
//! simulating the header's parameters that the condition depends on, with constants, reaches that exit soon.
//! The pass then lays out one copy of the loop for each iteration, with that exit decided. The last iteration
//! of a loop with its test in front is only the blocks up to the test. Front ends of WGSL put a test of their
//! own before it, which ends loops that would never end: its count is too high, and the next exit decides.
//!
//! Loops over what workgroups fill (`for (i = index; i < 1024; i += 256)`) begin with the invocation's
//! number. How often they run follows from the least and the greatest of these; iterations that only some
//! invocations have keep their exit.
//!
//! What is constant in a copy costs nothing there: the counter, choices that depend on it, accesses of
//! private arrays, whose elements become values then.
//!
//! Values that leave the loop do so through parameters (`lcssa` runs first), so each copy's exits carry its
//! own values. `gvn` and `branch_fold` clean up behind. Loops are taken from the inside out, but for those
//! around loops whose counts depend on their counters ([`nest`]); the whole function grows by at most
//! [`FUNCTION_BUDGET`] instructions.

mod nest;

use crate::analysis::{Cfg, Invocations, LoopForest, LoopId};
use crate::lcssa;
use crate::prune;
use pyro_ir::{
    Block, BlockCall, BlockData, Form, Function, Inst, Merge, Opcode, Terminator, Value, ValueDef, eval,
};
use pyro_util::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;

/// The most iterations of a loop to unroll.
const ITERATION_LIMIT: u32 = 64;
/// The most instructions that the copies of one loop have together, and how many before constants are folded.
const LOOP_BUDGET: usize = 512;
const LOOP_SIZE_MAX: usize = 4096;
/// The most instructions that the pass adds to a function, and how many before constants are folded.
const FUNCTION_BUDGET: usize = 4096;
const FUNCTION_SIZE_MAX: usize = 16384;
/// The most of a loop's first blocks, and of the exits among them that may decide.
const FRONT_MAX: usize = 16;
const EXITS_MAX: usize = 4;
/// What numbers of invocations, their steps and limits are below, so that no sum wraps.
const BOUND: u64 = 1 << 24;
/// The most iterations that only some invocations have.
const UNSURE_MAX: u32 = 1;
/// The most instructions that are looked at to find out about one iteration.
const SIMULATION_LIMIT: u32 = 256;

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    run_in_workgroup(function, None)
}

/// Runs the pass on a shader whose workgroups have so many subgroups, where that is known. Returns whether
/// anything changed.
pub fn run_in_workgroup(function: &mut Function, subgroup_count: Option<u32>) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    prune::run(function);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    // The loops with a known count, by position, before anything is changed.
    let mut invocations = subgroup_count.map(|count| Invocations::new(function, count, None));
    let mut plans: Vec<(u32, Plan)> = forest
        .leaves()
        .filter_map(|(_, data)| {
            Some((data.start, plan(function, &cfg, &mut invocations, data.start, data.end)?))
        })
        .collect();
    let is_planned = |start: u32| plans.binary_search_by_key(&start, |&(start, _)| start).is_ok();
    let nests: Vec<(LoopId, Plan)> = nest::find(function, &cfg, &forest, &is_planned)
        .into_iter()
        .filter_map(|id| {
            let data = forest.get(id);
            Some((id, plan(function, &cfg, &mut None, data.start, data.end)?))
        })
        .collect();
    plans.retain(|&(start, _)| {
        let before = nests.partition_point(|&(id, _)| forest.get(id).start <= start);
        before == 0 || !forest.contains(nests[before - 1].0, start)
    });
    plans.extend(nests.into_iter().map(|(id, outer)| (forest.get(id).start, outer)));
    if plans.is_empty() {
        return false;
    }
    lcssa::run(function);
    let (mut grown, mut grown_size) = (0, 0);
    let mut inside = SecondaryMap::<Block, bool>::with_capacity(false, function.blocks.len());
    // The blocks that take the place of each unrolled loop, by header.
    let mut places: HashMap<Block, (usize, Vec<Block>)> = HashMap::new();
    for (_, plan) in plans {
        let size = plan.blocks.iter().map(|&block| function.blocks[block].insts.len()).sum::<usize>();
        let [added, added_size] = [plan.cost, size].map(|of_one| of_one * plan.count as usize);
        if grown + added > FUNCTION_BUDGET || grown_size + added_size > FUNCTION_SIZE_MAX {
            continue;
        }
        (grown, grown_size) = (grown + added, grown_size + added_size);
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
    // Of iterations that do not leave, the ways out.
    prune::run(function);
    true
}

/// How a loop is unrolled.
struct Plan {
    /// Its blocks in order, the header first.
    blocks: Vec<Block>,
    /// Whole iterations.
    count: u32,
    /// So many of them at least.
    least: u32,
    /// Instructions of one iteration that are not constant.
    cost: usize,
    decider: Exit,
}

/// A branch that leaves a loop, or goes on.
struct Exit {
    block: Block,
    condition: Value,
    /// Whether the loop goes on where the condition holds.
    stays: bool,
    /// Of an exit in front, the blocks of the one more partial iteration that follows, but for those that
    /// only leave; none of one at the end.
    partial: Option<Vec<Block>>,
}

/// The loop between two positions.
struct Span<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    start: u32,
    end: u32,
}

impl<'f> Span<'f> {
    /// Where the loop is entered and where it goes round, if there is one place each, and the block of the
    /// latter.
    fn edges(&self) -> Option<(&'f BlockCall, &'f BlockCall, Block)> {
        let (mut entries, mut backs) = (Vec::new(), Vec::new());
        for edge in self.cfg.preds(self.function.block_order[self.start as usize]) {
            if self.contains(edge.from) { &mut backs } else { &mut entries }.push(*edge);
        }
        let (&[entry], &[back]) = (entries.as_slice(), backs.as_slice()) else { return None };
        let call = |edge: crate::analysis::Edge| {
            self.function.blocks[edge.from].terminator.targets().nth(edge.ordinal as usize)
        };
        Some((call(entry)?, call(back)?, back.from))
    }

    fn contains(&self, block: Block) -> bool {
        (self.start..self.end).contains(&self.cfg.position(block))
    }

    /// Whether a branch to a block leaves: the block is outside, or only goes there.
    fn leaves(&self, block: Block) -> bool {
        let data = &self.function.blocks[block];
        let only_leaves = || match &data.terminator {
            Terminator::Jump(next) => {
                !self.contains(next.block)
                    && data.insts.is_empty()
                    && data.params.is_empty()
                    && self.cfg.preds(block).len() == 1
            }
            _ => false,
        };
        !self.contains(block) || only_leaves()
    }

    /// The branch at the end of a block, if one of its ways leaves.
    fn exit(&self, block: Block, partial: Option<Vec<Block>>) -> Option<Exit> {
        let Terminator::Branch { condition, then, otherwise } = &self.function.blocks[block].terminator
        else {
            return None;
        };
        let stays = match (self.leaves(then.block), self.leaves(otherwise.block)) {
            (false, true) => true,
            (true, false) => false,
            _ => return None,
        };
        Some(Exit { block, condition: *condition, stays, partial })
    }

    /// The exits that may decide how often the loop runs, `back` among them, from which it goes round.
    fn exits(&self, header: Block, back: Block) -> Vec<Exit> {
        let mut exits = Vec::new();
        let mut front = vec![header];
        let mut block = header;
        while exits.len() < EXITS_MAX && front.len() < FRONT_MAX && block != back {
            let next = match &self.function.blocks[block].terminator {
                Terminator::Jump(next) => next.block,
                Terminator::Branch { then, otherwise, .. } => {
                    let Some(exit) = self.exit(block, None) else { break };
                    let (on, off) = if exit.stays { (then, otherwise) } else { (otherwise, then) };
                    let merge = self.function.blocks[block].merge;
                    if self.contains(off.block) {
                        front.push(off.block);
                    }
                    exits.push(Exit { partial: Some(front.clone()), ..exit });
                    // A partial iteration that goes on here has the block where the ways meet, too.
                    if let Some(Merge::Selection { merge }) = merge
                        && merge != on.block
                        && self.contains(merge)
                    {
                        break;
                    }
                    on.block
                }
                _ => break,
            };
            // A parameter on the way would need its source; front ends make none.
            if !self.contains(next) || next == header || self.cfg.preds(next).len() != 1 {
                break;
            }
            front.push(next);
            block = next;
        }
        exits.extend(self.exit(back, None));
        exits
    }
}

/// Finds out whether and how the loop between two positions is unrolled.
fn plan(
    function: &Function,
    cfg: &Cfg,
    invocations: &mut Option<Invocations<'_>>,
    start: u32,
    end: u32,
) -> Option<Plan> {
    let blocks: Vec<Block> = function.block_order[start as usize..end as usize].to_vec();
    let header = blocks[0];
    let span = Span { function, cfg, start, end };
    // What the sanitizer looks at is not counted.
    let counts = |&&inst: &&Inst| !matches!(function.insts[inst].op, Opcode::Report | Opcode::Track);
    let size_of = |&block: &Block| function.blocks[block].insts.iter().filter(counts).count() + 1;
    let size: usize = blocks.iter().map(size_of).sum();
    if size > LOOP_SIZE_MAX {
        return None;
    }
    let (entry, back_call, latch) = span.edges()?;
    let exits = span.exits(header, latch);
    if exits.is_empty() {
        return None;
    }
    let params = &function.blocks[header].params;
    let first: Vec<Option<u64>> = entry.args.iter().map(|&arg| function.const_bits(arg)).collect();
    let known = params.iter().copied().zip(first.iter().copied());
    let cost = cost(function, &blocks, known);
    if cost > LOOP_BUDGET {
        return None;
    }
    let fits = |count: u32| size * count as usize <= LOOP_SIZE_MAX && cost * count as usize <= LOOP_BUDGET;
    for decider in exits {
        let Some(counters) = counters(function, header, &back_call.args, decider.condition) else { continue };
        let mut state = first.clone();
        let mut count = 0;
        let found = loop {
            let known = counters.iter().map(|&place| (params[place], state[place]));
            let mut simulation = Simulation::new(function, known, SIMULATION_LIMIT);
            let Some(condition) = simulation.value(decider.condition) else { break None };
            if (condition != 0) != decider.stays {
                break Some(count);
            }
            count += 1;
            if count > ITERATION_LIMIT || !fits(count) {
                break None;
            }
            let next: Vec<Option<u64>> =
                counters.iter().map(|&place| simulation.value(back_call.args[place])).collect();
            counters.iter().zip(next).for_each(|(&place, value)| state[place] = value);
        };
        if let Some(count) = found.map(|count| count + u32::from(decider.partial.is_none()))
            && fits(count)
        {
            return Some(Plan { blocks, count, least: count, cost, decider });
        }
        if let Some(invocations) = invocations
            && decider.partial.is_some()
            && let Some((least, most)) =
                count_range(function, invocations, header, [&entry.args, &back_call.args], &decider)
            && fits(most)
        {
            return Some(Plan { blocks, count: most, least, cost, decider });
        }
    }
    None
}

/// The fewest and the most iterations of a loop that begins with what invocations' numbers decide, and steps
/// up to a constant.
fn count_range(
    function: &Function,
    invocations: &mut Invocations<'_>,
    header: Block,
    [entry, back]: [&[Value]; 2],
    decider: &Exit,
) -> Option<(u32, u32)> {
    let data = function.def_inst(decider.condition)?;
    let (counter, limit) = match (data.op, decider.stays) {
        (Opcode::ULt | Opcode::SLt, true) => (data.args[0], data.args[1]),
        (Opcode::ULe | Opcode::SLe, false) => (data.args[1], data.args[0]),
        _ => return None,
    };
    let ValueDef::Param(block, place) = function.values[counter].def else { return None };
    if block != header {
        return None;
    }
    let next = function.def_inst(back[place as usize]).filter(|data| data.op == Opcode::IAdd)?;
    let step = function.const_bits(next.args[1]).filter(|_| next.args[0] == counter)?;
    let limit = function.const_bits(limit)?;
    if step == 0 || step > BOUND || limit > BOUND {
        return None;
    }
    let starts = invocations.of(entry[place as usize])?;
    let (first, last) = (*starts.iter().min()?, *starts.iter().max()?);
    let count = |start: u64| limit.saturating_sub(start).div_ceil(step) as u32;
    let (least, most) = (count(last), count(first));
    (last <= BOUND && least > 0 && most - least <= UNSURE_MAX && most <= ITERATION_LIMIT)
        .then_some((least, most))
}

/// The places of the header's parameters that a condition depends on, from one iteration to the next; none
/// where that takes too long to find out. What the loop computes besides does not count.
fn counters(function: &Function, header: Block, back: &[Value], condition: Value) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![condition];
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        if seen.len() > SIMULATION_LIMIT as usize {
            return None;
        }
        match function.values[value].def {
            ValueDef::Param(block, place) if block == header => {
                found.push(place as usize);
                open.push(back[place as usize]);
            }
            ValueDef::Param(..) => {}
            ValueDef::Inst(inst) => open.extend(&function.insts[inst].args),
        }
    }
    Some(found)
}

/// Instructions of an iteration that are neither constant nor choices that are decided, where the header's
/// parameters are known as far as given.
fn cost(function: &Function, blocks: &[Block], known: impl Iterator<Item = (Value, Option<u64>)>) -> usize {
    let mut simulation = Simulation::new(function, known, u32::MAX);
    let mut is_known = |value: Value| simulation.value(value).is_some();
    let mut count = blocks.len();
    for &block in blocks {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let is_free = match data.op {
                Opcode::Select | Opcode::SlotLoad | Opcode::SlotStore => is_known(data.args[0]),
                _ => data.result.expand().is_some_and(&mut is_known),
            };
            count += usize::from(!is_free);
        }
    }
    count
}

/// Computes values of one iteration from the header's parameters, as far as they are constant.
struct Simulation<'f> {
    function: &'f Function,
    known: FxHashMap<Value, Option<u64>>,
    /// How many more instructions may be looked at.
    steps: u32,
}

impl<'f> Simulation<'f> {
    fn new(
        function: &'f Function,
        params: impl Iterator<Item = (Value, Option<u64>)>,
        steps: u32,
    ) -> Simulation<'f> {
        Simulation { function, known: params.collect(), steps }
    }

    fn value(&mut self, value: Value) -> Option<u64> {
        // Operands first, with a stack of what is asked for.
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            self.steps = self.steps.checked_sub(1)?;
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
    // What the last, partial iteration is made of, in order.
    let partial: Option<Vec<usize>> = plan.decider.partial.as_ref().map(|front| {
        let places = plan.blocks.iter().enumerate().filter(|(_, block)| front.contains(block));
        places.map(|(place, _)| place).collect()
    });
    let all: Vec<usize> = (0..plan.blocks.len()).collect();
    let places = |copy: usize| match &partial {
        Some(partial) if copy == plan.count as usize => partial,
        _ => &all,
    };
    // The first copy is the loop itself; its terminators are kept for the others.
    let copies = plan.count as usize + usize::from(partial.is_some());
    let mut maps: Vec<Copy> = Vec::new();
    let mut order: Vec<Block> = Vec::new();
    for copy in 0..copies {
        let blocks: Vec<Block> = places(copy).iter().map(|&place| plan.blocks[place]).collect();
        maps.push(if copy == 0 { Copy::identity() } else { Copy::of(function, &blocks) });
        order.extend(blocks.iter().map(|&block| maps[copy].block(block)));
    }
    let terminators: Vec<Terminator> =
        plan.blocks.iter().map(|&block| std::mem::take(&mut function.blocks[block].terminator)).collect();
    let merges: Vec<Option<Merge>> = plan.blocks.iter().map(|&block| function.blocks[block].merge).collect();
    for copy in 0..copies {
        for &index in places(copy) {
            let block = plan.blocks[index];
            let mut terminator = terminators[index].clone();
            if block == plan.decider.block {
                // The last copy leaves, be it the partial one or a whole one.
                let goes_on = copy + 1 < copies;
                if !goes_on || copy < plan.least as usize {
                    terminator = decide(terminator, plan.decider.stays == goes_on);
                }
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

/// A branch with its condition decided.
fn decide(terminator: Terminator, condition: bool) -> Terminator {
    match terminator {
        Terminator::Branch { then, otherwise, .. } => {
            Terminator::Jump(if condition { then } else { otherwise })
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
