//! Bounds check elimination: a loop's checks are hoisted in front of it, with a second version of the loop.
//!
//! A robust access is predicated by a compare of its index with the number of elements, which costs more than
//! the access in loops that do little. Where such an index goes up from iteration to iteration by an amount
//! that does not change, its first and its last value tell about all between, and both can be known before
//! the loop:
//!
//! ```text
//! front: jump header(0)                     front:  ok = all lanes' first and last indices are in bounds
//! header(i): branch i < n, body, exit               branch ok, fast(0), header(0)
//! body: load a[x + i] if x + i < length     fast(i): load a[x + i]; branch i + 1 < n, fast(i + 1), exit
//!       jump header(i + 1)                  header(i): ... (as before)
//! ```
//!
//! So there are two loops: the fast one has no checks and its condition at the end; the other runs where some
//! lane's index would not be in bounds, which gives what robust access says.
//!
//! An index is *linear* here if it is `x + b * i` modulo 2^32, where `x`, for each lane, and `b`, not
//! negative and the same for all lanes, do not change in the loop. With `d` the distance from the first to
//! the last `i`, `b * d` (in 64 bits) below 2^32 and the last index no less than the first, it never wraps in
//! between, so that all indices are in bounds if the last one is. The same holds of sums of such products,
//! and of `i` shifted to the right. Other parameters of the header that count are multiples of `i`.
//!
//! Checks that are reported are hoisted in the same way; of them there may be more. So is what switches the
//! sanitizer's instructions off and stays as it is once it does: the guard of a `track`, and the word by
//! which the runtime says that a site need not tell it more; and what a report says that does not change in
//! the loop. The fast loop has none of them.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, LoopForest, LoopId};
use crate::report_lowering::report;
use crate::track_lowering;
use pyro_ir::{
    Block, BlockCall, Builder, Effect, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Space,
    Terminator, Type, Value, ValueDef,
};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most instructions of a loop of which there are two then, besides constants; and how many for each
/// check.
const INSTS_MAX: usize = 256;
const INSTS_PER_CHECK: usize = 24;
/// The most checks of a loop.
const CHECKS_MAX: usize = 8;
/// The same where checks are reported, which cost more than those of accesses.
const REPORTING_INSTS_MAX: usize = 1024;
const REPORTING_CHECKS_MAX: usize = 96;
/// The most that a loop counts to, so that products are of 64 bits.
const COUNT_MAX: u32 = 1 << 24;
/// The largest constant factor of the counter by itself, the largest with a value beside it, and the most
/// factors.
const FACTOR_MAX: u64 = 1 << 16;
const FACTOR_BESIDE_MAX: u64 = 64;
const FACTORS_MAX: usize = 2;
/// How deep an index is looked into.
const DEPTH: u32 = 8;

/// `constant * value * (counter >> shift)`; of no value, without it.
#[derive(Clone, Copy, Debug)]
struct Factor {
    constant: u64,
    value: Option<Value>,
    shift: u32,
}

/// What the counter is multiplied by: a sum. Empty of what does not change.
type Factors = SmallVec<[Factor; FACTORS_MAX]>;

/// Runs the pass, in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let def_block = def_blocks(function);
    let mut escapes = None;
    let mut doubled = Vec::new();
    // Positions in front of a loop stay what they are.
    for (id, data) in forest.leaves().rev() {
        let inside = |block: Block| {
            let position = if block == Block::RESERVED { Cfg::NOWHERE } else { cfg.position(block) };
            position != Cfg::NOWHERE && forest.contains(id, position)
        };
        let fronts = cfg.preds(data.header).iter().map(|edge| edge.from);
        let positions = data.start as usize..data.end as usize;
        let Some(counted) = Counted::find(function, fronts, positions, &inside) else { continue };
        let escapes = escapes.get_or_insert_with(|| escaping(function, &cfg, &forest, &def_block));
        let view = View { function, counted: &counted, def_block: &def_block, inside: &inside, escapes };
        let Some(hoisted) = view.hoisted() else { continue };
        doubled.push((id, Doubler::new(function, &counted, &def_block, escapes).apply(&hoisted)));
    }
    if doubled.is_empty() {
        return false;
    }
    let mut order = Vec::with_capacity(function.block_order.len() * 2);
    let mut loops = doubled.iter_mut().rev().peekable();
    for (position, &block) in (0..).zip(&function.block_order) {
        if let Some((_, doubled)) = loops.peek_mut().filter(|(id, _)| forest.get(*id).start == position) {
            order.append(&mut doubled.copies);
        }
        order.push(block);
        if let Some((_, doubled)) = loops.next_if(|(id, _)| forest.get(*id).end == position + 1) {
            order.push(doubled.merge);
        }
    }
    function.block_order = order;
    rename(function, &cfg, &forest, &doubled);
    true
}

/// Which values are used behind the innermost loop that they are computed in.
fn escaping(
    function: &Function,
    cfg: &Cfg,
    forest: &LoopForest,
    def_block: &SecondaryMap<Value, Block>,
) -> SecondaryMap<Value, bool> {
    let mut escapes = SecondaryMap::with_capacity(false, function.values.len());
    for (position, &block) in (0..).zip(&function.block_order) {
        let mut note = |value: Value| {
            let home = def_block[value];
            let home = if home == Block::RESERVED { Cfg::NOWHERE } else { cfg.position(home) };
            if home != Cfg::NOWHERE
                && let Some(id) = forest.innermost(home)
            {
                escapes[value] |= !forest.contains(id, position);
            }
        };
        let data = &function.blocks[block];
        data.insts.iter().for_each(|&inst| function.insts[inst].args.iter().for_each(|&arg| note(arg)));
        data.terminator.for_each_value(note);
    }
    escapes
}

/// What there is of a loop besides it.
struct Doubled {
    /// The fast loop.
    copies: Vec<Block>,
    /// The block behind both.
    merge: Block,
    /// Its parameters, by the values of the header's parameters that they stand for.
    behind: Vec<(Value, Value)>,
}

/// Uses the parameters behind the loops.
fn rename(function: &mut Function, cfg: &Cfg, forest: &LoopForest, doubled: &[(LoopId, Doubled)]) {
    let mut behind = HashMap::new();
    for (id, doubled) in doubled {
        behind.extend(doubled.behind.iter().map(|&(from, to)| (from, (*id, to))));
    }
    if behind.is_empty() {
        return;
    }
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let position = cfg.position(block);
        let rename = |value: &mut Value| {
            if let Some(&(id, to)) = behind.get(value)
                && (position == Cfg::NOWHERE || !forest.contains(id, position))
            {
                *value = to;
            }
        };
        for &inst in &function.blocks[block].insts {
            function.insts[inst].args.iter_mut().for_each(rename);
        }
        function.blocks[block].terminator.for_each_value_mut(rename);
    }
}

/// An innermost loop that counts: `header(.., i, ..): branch i < limit, body, exit`.
struct Counted {
    front: Block,
    blocks: Vec<Block>,
    latch: Block,
    exit: BlockCall,
    /// Where the header goes if the loop goes on.
    enter: Block,
    condition: Value,
    counter: Value,
    /// Which parameter the counter is.
    place: usize,
    step: u32,
    limit: Value,
    /// The counter may be the limit.
    is_inclusive: bool,
}

impl Counted {
    fn find(
        function: &Function,
        preds: impl Iterator<Item = Block>,
        positions: std::ops::Range<usize>,
        inside: &dyn Fn(Block) -> bool,
    ) -> Option<Counted> {
        let blocks = function.block_order[positions].to_vec();
        let header = blocks[0];
        let (latches, fronts): (Vec<Block>, Vec<Block>) = preds.partition(|&block| inside(block));
        let (&[latch], &[front]) = (latches.as_slice(), fronts.as_slice()) else { return None };
        let jumps = |block: Block| matches!(function.blocks[block].terminator, Terminator::Jump(_));
        if !jumps(latch) || !jumps(front) {
            return None;
        }
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[header].terminator else {
            return None;
        };
        let goes_on = inside(then.block);
        let (enter, exit) = if goes_on { (then, otherwise) } else { (otherwise, then) };
        if !inside(enter.block) || inside(exit.block) || !enter.args.is_empty() || enter.block == header {
            return None;
        }
        let stays = |&block: &Block| match &function.blocks[block].terminator {
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                function.blocks[block].terminator.targets().all(|target| inside(target.block))
            }
            _ => false,
        };
        if !blocks[1..].iter().all(stays) {
            return None;
        }
        // What of the header the end needs is its condition.
        let data = function.def_inst(*condition).filter(|_| function.ty(*condition).is_uniform())?;
        let [x, y] = [*data.args.first()?, *data.args.get(1)?];
        let (counter, limit, is_inclusive) = match (data.op, goes_on) {
            (Opcode::ULt | Opcode::SLt, true) => (x, y, false),
            (Opcode::ULe | Opcode::SLe, true) => (x, y, true),
            (Opcode::ULe | Opcode::SLe, false) => (y, x, false),
            (Opcode::ULt | Opcode::SLt, false) => (y, x, true),
            _ => return None,
        };
        let ValueDef::Param(block, place) = function.values[counter].def else { return None };
        if block != header || function.ty(counter) != Type::uniform(Scalar::I32) {
            return None;
        }
        let place = place as usize;
        let next = *function.blocks[latch].terminator.target(0)?.args.get(place)?;
        let sum =
            function.def_inst(next).filter(|data| data.op == Opcode::IAdd && data.args[0] == counter)?;
        let step = function.const_bits(sum.args[1])? as u32;
        let fits = step.is_power_of_two() && step < COUNT_MAX;
        fits.then(|| Counted {
            front,
            latch,
            exit: exit.clone(),
            enter: enter.block,
            condition: *condition,
            counter,
            place,
            step,
            limit,
            is_inclusive,
            blocks,
        })
    }
}

impl Counted {
    /// How many times as far another parameter of the header goes in each iteration, if it counts,
    /// too.
    fn steps_beside(&self, function: &Function, value: Value) -> Option<u64> {
        let ValueDef::Param(block, place) = function.values[value].def else { return None };
        if block != self.blocks[0] || function.ty(value).scalar != Scalar::I32 {
            return None;
        }
        let next = *function.blocks[self.latch].terminator.target(0)?.args.get(place as usize)?;
        let sum = function.def_inst(next).filter(|data| data.op == Opcode::IAdd && data.args[0] == value)?;
        let step = function.const_bits(sum.args[1])?;
        let times = step / u64::from(self.step);
        (step % u64::from(self.step) == 0 && (1..=FACTOR_MAX).contains(&times)).then_some(times)
    }
}

/// A check that is done before the loop.
struct Check {
    /// Whether it holds.
    result: Value,
    index: Value,
    length: Value,
    factors: Factors,
}

/// A report that nothing is told by any more once a word of memory has a value.
struct Closed {
    /// What the report says should hold: whether the word has the value.
    holds: Value,
    /// The word.
    word: Value,
    /// The value.
    value: Value,
}

/// What is known before the loop.
#[derive(Default)]
struct Hoisted {
    checks: Vec<Check>,
    closed: Vec<Closed>,
    /// Of `track` instructions, which do nothing where they are zero.
    guards: Vec<Value>,
    /// What reports say should hold, and does not change in the loop.
    fixed: Vec<Value>,
}

impl Hoisted {
    /// Whether the fast loop has no report of what should hold here.
    fn silences(&self, holds: Value) -> bool {
        self.fixed.contains(&holds) || self.closed.iter().any(|closed| closed.holds == holds)
    }
}

/// A loop, seen from inside.
struct View<'a> {
    function: &'a Function,
    counted: &'a Counted,
    def_block: &'a SecondaryMap<Value, Block>,
    inside: &'a dyn Fn(Block) -> bool,
    /// Values that are used behind the innermost loop that they are computed in.
    escapes: &'a SecondaryMap<Value, bool>,
}

impl View<'_> {
    fn is_fixed(&self, value: Value) -> bool {
        !(self.inside)(self.def_block[value])
    }

    /// What is hoisted, if two loops are worth it.
    fn hoisted(&self) -> Option<Hoisted> {
        let function = self.function;
        if !self.is_fixed(self.counted.limit) {
            return None;
        }
        let mut found = Hoisted::default();
        let mut predicates = Vec::new();
        let mut reported = Vec::new();
        let mut count = 0;
        for &block in &self.counted.blocks {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if data.op.effect() == Effect::Barrier {
                    return None;
                }
                if data.op == Opcode::Report {
                    let holds = report::holds(&data.args);
                    if self.is_fixed(holds) {
                        found.fixed.push(holds);
                    } else if let Some(closed) = self.closed(holds) {
                        found.closed.push(closed);
                    } else {
                        reported.push(holds);
                    }
                    continue;
                }
                let guard = track_lowering::guard(function, inst).filter(|&guard| self.is_fixed(guard));
                found.guards.extend(guard.filter(|guard| !found.guards.contains(guard)));
                count += usize::from(data.op != Opcode::Const);
                if count > REPORTING_INSTS_MAX {
                    return None;
                }
                let has_predicate = data.op.is_memory() || data.op == Opcode::Track;
                if let Some(&predicate) = data.args.last().filter(|_| has_predicate) {
                    predicates.push(predicate);
                }
                found.checks.extend(self.check(data));
            }
        }
        let guards = |check: &Check| {
            reported.contains(&check.result)
                || predicates.iter().any(|&predicate| {
                    let data = function.def_inst(predicate);
                    let is_part = data.is_some_and(|data| {
                        matches!(data.op, Opcode::And | Opcode::AndNot) && data.args.contains(&check.result)
                    });
                    predicate == check.result || is_part
                })
        };
        found.checks.retain(guards);
        let checks = found.checks.len();
        found.fixed.sort_unstable();
        found.fixed.dedup();
        let is_followed = !(found.closed.is_empty() && found.guards.is_empty() && found.fixed.is_empty());
        let fits = if reported.is_empty() && !is_followed {
            (1..=CHECKS_MAX).contains(&checks) && count <= INSTS_MAX.min(checks * INSTS_PER_CHECK)
        } else {
            (usize::from(!is_followed)..=REPORTING_CHECKS_MAX).contains(&checks)
        };
        let fits = fits && self.ends_early(&found.fixed);
        fits.then_some(found)
    }

    /// Whether something compares a word at a fixed place with a fixed value.
    fn closed(&self, holds: Value) -> Option<Closed> {
        let function = self.function;
        let equal = function.def_inst(holds).filter(|data| data.op == Opcode::IEq)?;
        let is_word = |value: Value| {
            let is_there = |data: &&InstData| {
                let memory = MemoryOp::from_imm(data.imm);
                let stays = |&arg: &Value| self.is_fixed(arg) || function.const_bits(arg).is_some();
                let is_fixed = data.args.iter().all(stays);
                memory.volatile && memory.space == Space::Global && is_fixed
            };
            function.def_inst(value).filter(|data| data.op == Opcode::Load).filter(is_there).is_some()
        };
        let (word, value) = match (equal.args[0], equal.args[1]) {
            (word, value) if is_word(word) => (word, value),
            (value, word) if is_word(word) => (word, value),
            _ => return None,
        };
        let is_uniform = function.ty(holds).is_uniform();
        (is_uniform && self.is_fixed(value) && !self.is_fixed(word)).then_some(Closed { holds, word, value })
    }

    fn check(&self, data: &InstData) -> Option<Check> {
        let result = data.result.expand().filter(|&result| result != self.counted.condition)?;
        let [index, length] = [*data.args.first()?, *data.args.get(1)?];
        if data.op != Opcode::ULt || self.function.ty(index).scalar != Scalar::I32 || !self.is_fixed(length) {
            return None;
        }
        let factors = self.factors(index, DEPTH)?;
        (!factors.is_empty()).then_some(Check { result, index, length, factors })
    }

    /// What the counter is multiplied by in a value, if it is linear.
    fn factors(&self, value: Value, depth: u32) -> Option<Factors> {
        if self.is_fixed(value) {
            return Some(Factors::new());
        }
        if value == self.counted.counter {
            return Some(SmallVec::from_elem(Factor { constant: 1, value: None, shift: 0 }, 1));
        }
        if let Some(constant) = self.counted.steps_beside(self.function, value) {
            return Some(SmallVec::from_elem(Factor { constant, value: None, shift: 0 }, 1));
        }
        let data = self.function.def_inst(value).filter(|_| depth > 0)?;
        let go = |index: usize| self.factors(data.args[index], depth - 1);
        match data.op {
            Opcode::Const => Some(Factors::new()),
            Opcode::Splat => go(0),
            Opcode::IAdd => {
                let mut sum = go(0)?;
                sum.extend(go(1)?);
                (sum.len() <= FACTORS_MAX).then_some(sum)
            }
            Opcode::ISub => go(0).filter(|_| go(1).is_some_and(|factors| factors.is_empty())),
            Opcode::Shl => times(&go(0)?, 1 << (self.function.const_bits(data.args[1])? & 31)),
            // Of a counter that counts vectors by their elements.
            Opcode::LShr => {
                let shifted = go(0)?;
                let shift = self.function.const_bits(data.args[1])? as u32 & 31;
                let counts = |value: Value| match self.function.def_inst(value) {
                    Some(splat) if splat.op == Opcode::Splat => splat.args[0] == self.counted.counter,
                    _ => value == self.counted.counter,
                };
                let is_fixed = shifted.is_empty();
                (is_fixed || counts(data.args[0]))
                    .then(|| shifted.into_iter().map(|factor| Factor { shift, ..factor }).collect())
            }
            Opcode::IMul => {
                let (x, y) = (go(0)?, go(1)?);
                let (factors, by) = match (x.is_empty(), y.is_empty()) {
                    (true, true) => return Some(Factors::new()),
                    (false, true) => (x, data.args[1]),
                    (true, false) => (y, data.args[0]),
                    (false, false) => return None,
                };
                if let Some(bits) = self.function.const_bits(by) {
                    return times(&factors, bits);
                }
                let by = match self.function.def_inst(by) {
                    Some(splat) if splat.op == Opcode::Splat => splat.args[0],
                    _ => by,
                };
                let is_plain = factors.iter().all(|factor| factor.value.is_none());
                if !is_plain || !self.is_fixed(by) || self.function.ty(by).is_varying() {
                    return None;
                }
                let all: Factors =
                    factors.iter().map(|factor| Factor { value: Some(by), ..*factor }).collect();
                all.iter().all(is_small).then_some(all)
            }
            _ => None,
        }
    }

    /// Whether the loop can as well end where the next iteration would begin: nothing that the header
    /// computes, besides its parameters, is used behind the loop, and what it reports holds (`fixed`).
    fn ends_early(&self, fixed: &[Value]) -> bool {
        let function = self.function;
        let header = self.counted.blocks[0];
        let is_of_header = |&value: &Value| {
            self.def_block[value] == header && matches!(function.values[value].def, ValueDef::Inst(_))
        };
        let may_be_left_out = |&inst: &Inst| {
            let data = &function.insts[inst];
            let is_silent = data.op == Opcode::Report && fixed.contains(&report::holds(&data.args));
            (is_silent || matches!(data.op.effect(), Effect::Pure | Effect::Read))
                && !data.result.expand().is_some_and(|result| self.escapes[result])
        };
        function.blocks[header].insts.iter().all(may_be_left_out)
            && !self.counted.exit.args.iter().any(is_of_header)
    }
}

fn is_small(factor: &Factor) -> bool {
    let most = if factor.value.is_some() { FACTOR_BESIDE_MAX } else { FACTOR_MAX };
    (1..=most).contains(&factor.constant)
}

/// The product of factors and a constant, if it is small enough.
fn times(factors: &Factors, by: u64) -> Option<Factors> {
    let product = |factor: &Factor| Factor { constant: factor.constant.saturating_mul(by), ..*factor };
    let all: Factors = factors.iter().map(product).collect();
    all.iter().all(is_small).then_some(all)
}

/// Makes the second loop of one.
struct Doubler<'a> {
    function: &'a mut Function,
    counted: &'a Counted,
    def_block: &'a SecondaryMap<Value, Block>,
    escapes: &'a SecondaryMap<Value, bool>,
    /// Of values of the loop: what they are in the first iteration, before the loop.
    first: HashMap<Value, Value>,
    /// The same in the fast loop.
    fast: HashMap<Value, Value>,
}

impl<'a> Doubler<'a> {
    fn new(
        function: &'a mut Function,
        counted: &'a Counted,
        def_block: &'a SecondaryMap<Value, Block>,
        escapes: &'a SecondaryMap<Value, bool>,
    ) -> Doubler<'a> {
        Doubler { function, counted, def_block, escapes, first: HashMap::new(), fast: HashMap::new() }
    }

    fn apply(mut self, hoisted: &Hoisted) -> Doubled {
        let counted = self.counted;
        let header = counted.blocks[0];
        let start = self.entry_call().args.to_vec();
        self.first.extend(self.function.blocks[header].params.iter().copied().zip(start.iter().copied()));
        let is_fast = self.conditions(start[counted.place], hoisted);

        // Behind both loops.
        let params = self.function.blocks[header].params.clone();
        let merge = self.function.make_block();
        let needed = |&value: &Value| self.escapes[value] || counted.exit.args.contains(&value);
        let left: Vec<Value> = params.iter().copied().filter(needed).collect();
        let behind: Vec<(Value, Value)> = left
            .iter()
            .map(|&value| (value, self.function.add_param(merge, self.function.ty(value))))
            .collect();
        let to_merge =
            |value: Value| behind.iter().find(|(from, _)| *from == value).map_or(value, |pair| pair.1);
        let mut exit = counted.exit.clone();
        exit.args.iter_mut().for_each(|arg| *arg = to_merge(*arg));
        self.function.blocks[merge].terminator = Terminator::Jump(exit);
        for target in self.function.blocks[header].terminator.targets_mut() {
            if target.block == counted.exit.block {
                *target = BlockCall::new(merge, &left);
            }
        }

        let copies = self.copy(hoisted, merge, &left);
        let fast = copies[0];
        self.function.blocks[counted.front].terminator = Terminator::Branch {
            condition: is_fast,
            then: BlockCall::new(fast, &start),
            otherwise: BlockCall::new(header, &start),
        };
        Doubled { copies, merge, behind }
    }

    fn entry_call(&self) -> BlockCall {
        let jump = self.function.blocks[self.counted.front].terminator.target(0);
        jump.expect("the front jumps into the loop").clone()
    }

    /// Whether all checks hold in every iteration, and there is one, computed at the end of the front.
    fn conditions(&mut self, start: Value, hoisted: &Hoisted) -> Value {
        use Opcode as O;
        let counted = self.counted;
        let checks = &hoisted.checks;
        let off = self.is_off(hoisted);
        let firsts: Vec<Value> = checks.iter().map(|check| self.first(check.index)).collect();
        let b = &mut Builder::new(self.function);
        b.switch_to(counted.front);
        let most = b.i32(COUNT_MAX);
        let mut all = b.op(O::ULe, &[counted.limit, most]);
        if let Some(off) = off {
            all = b.op(O::And, &[all, off]);
        }
        let op = if counted.is_inclusive { O::ULe } else { O::ULt };
        let begins = b.op(op, &[start, counted.limit]);
        all = b.op(O::And, &[all, begins]);
        // From the first to the last number that is counted.
        let mut distance = b.op(O::ISub, &[counted.limit, start]);
        if !counted.is_inclusive {
            let one = b.i32(1);
            distance = b.op(O::ISub, &[distance, one]);
        }
        if counted.step > 1 {
            let whole = b.i32(!(counted.step - 1));
            distance = b.op(O::And, &[distance, whole]);
        }
        let last = b.op(O::IAdd, &[start, distance]);
        let mut lanes: Option<Value> = None;
        for &holds in &hoisted.fixed {
            if b.function.ty(holds).is_uniform() {
                all = b.op(O::And, &[all, holds]);
            } else {
                lanes = Some(lanes.map_or(holds, |lanes| b.op(O::And, &[lanes, holds])));
            }
        }
        for (check, &first) in checks.iter().zip(&firsts) {
            let mut span: Option<Value> = None;
            for factor in &check.factors {
                let counted = if factor.shift == 0 {
                    distance
                } else {
                    let shift = b.i32(factor.shift);
                    let [first, last] = [start, last].map(|count| b.op(O::LShr, &[count, shift]));
                    b.op(O::ISub, &[last, first])
                };
                let mut product = b.convert(O::ZeroExtend, counted, Scalar::I64);
                let constant = b.i64(factor.constant);
                product = b.op(O::IMul, &[product, constant]);
                if let Some(value) = factor.value {
                    let value = b.convert(O::ZeroExtend, value, Scalar::I64);
                    product = b.op(O::IMul, &[product, value]);
                }
                span = Some(span.map_or(product, |span| b.op(O::IAdd, &[span, product])));
            }
            let span = span.expect("a check has factors");
            let end = b.i64(1 << 32);
            let is_small = b.op(O::ULt, &[span, end]);
            all = b.op(O::And, &[all, is_small]);
            let mut span = b.convert(O::Truncate, span, Scalar::I32);
            if b.function.ty(first).is_varying() {
                span = b.splat(span);
            }
            let last = b.op(O::IAdd, &[first, span]);
            let rises = b.op(O::ULe, &[first, last]);
            let is_in = b.op(O::ULt, &[last, check.length]);
            let holds = b.op(O::And, &[rises, is_in]);
            if b.function.ty(holds).is_uniform() {
                all = b.op(O::And, &[all, holds]);
            } else {
                lanes = Some(lanes.map_or(holds, |lanes| b.op(O::And, &[lanes, holds])));
            }
        }
        if let Some(lanes) = lanes {
            let fails = b.op(O::Not, &[lanes]);
            let fails = b.op(O::Any, &[fails]);
            all = b.op(O::AndNot, &[all, fails]);
        }
        all
    }

    /// Whether what the sanitizer follows is switched off, computed at the end of the front.
    fn is_off(&mut self, hoisted: &Hoisted) -> Option<Value> {
        let mut off: Vec<Value> = hoisted.closed.iter().map(|closed| self.first(closed.holds)).collect();
        let b = &mut Builder::new(self.function);
        b.switch_to(self.counted.front);
        for &guard in &hoisted.guards {
            let zero = b.i64(0);
            off.push(b.op(Opcode::IEq, &[guard, zero]));
        }
        off.into_iter().reduce(|all, off| b.op(Opcode::And, &[all, off]))
    }

    /// What a linear value is in the first iteration, computed at the end of the front.
    fn first(&mut self, value: Value) -> Value {
        if let Some(&known) = self.first.get(&value) {
            return known;
        }
        if !self.counted.blocks.contains(&self.def_block[value]) {
            return value;
        }
        let data =
            self.function.def_inst(value).expect("a linear value is the counter or an operation").clone();
        let args: Vec<Value> = data.args.iter().map(|&arg| self.first(arg)).collect();
        let result = self.again(&data, &args, self.counted.front);
        let result = result.expect("a linear value is a result");
        self.first.insert(value, result);
        result
    }

    /// An operation on other operands, at the end of a block.
    fn again(&mut self, data: &InstData, args: &[Value], block: Block) -> Option<Value> {
        let ty = data.result.expand().map(|result| self.function.ty(result));
        let inst = self.function.make_inst(data.op, args, data.imm, ty, data.loc);
        self.function.blocks[block].insts.push(inst);
        self.function.insts[inst].result.expand()
    }

    /// The fast loop.
    fn copy(&mut self, hoisted: &Hoisted, merge: Block, left: &[Value]) -> Vec<Block> {
        let counted = self.counted;
        let header = counted.blocks[0];
        let copies: Vec<Block> = counted.blocks.iter().map(|_| self.function.make_block()).collect();
        for (&block, &copy) in counted.blocks.iter().zip(&copies) {
            for param in self.function.blocks[block].params.clone() {
                let ty = self.function.ty(param);
                let new = self.function.add_param(copy, ty);
                self.fast.insert(param, new);
            }
        }
        // What holds always.
        let b = &mut Builder::new(self.function);
        b.switch_to(counted.front);
        let always = b.bool(true);
        for check in &hoisted.checks {
            let is_varying = b.function.ty(check.result).is_varying();
            let holds = if is_varying { b.splat(always) } else { always };
            self.fast.insert(check.result, holds);
        }
        for closed in &hoisted.closed {
            self.fast.extend([(closed.holds, always), (closed.word, closed.value)]);
        }
        for (&block, &copy) in counted.blocks.iter().zip(&copies) {
            for inst in self.function.blocks[block].insts.clone() {
                let data = self.function.insts[inst].clone();
                let guard = track_lowering::guard(self.function, inst);
                let is_off = guard.is_some_and(|guard| hoisted.guards.contains(&guard))
                    || data.op == Opcode::Report && hoisted.silences(report::holds(&data.args));
                if is_off || data.result.expand().is_some_and(|result| self.fast.contains_key(&result)) {
                    continue;
                }
                let args: Vec<Value> = data.args.iter().map(|&arg| self.in_fast(arg)).collect();
                let result = self.again(&data, &args, copy);
                if let (Some(result), Some(new)) = (data.result.expand(), result) {
                    self.fast.insert(result, new);
                }
            }
            let mut terminator = self.function.blocks[block].terminator.clone();
            if block == header {
                terminator = Terminator::Jump(BlockCall::new(counted.enter, &[]));
            }
            terminator.for_each_value_mut(|value| *value = self.in_fast(*value));
            for target in terminator.targets_mut() {
                let place = counted.blocks.iter().position(|&block| block == target.block);
                target.block = copies[place.expect("the loop is left at its header")];
            }
            if block == counted.latch {
                let back = terminator.target(0).expect("the latch jumps").clone();
                terminator = self.go_round(copy, back, merge, left);
            }
            self.function.blocks[copy].terminator = terminator;
        }
        copies
    }

    /// The end of the fast loop: the condition for the next iteration.
    fn go_round(&mut self, copy: Block, back: BlockCall, merge: Block, left: &[Value]) -> Terminator {
        let counted = self.counted;
        let params = &self.function.blocks[counted.blocks[0]].params;
        let next = |value: &Value| {
            params.iter().position(|param| param == value).map(|place| back.args[place]).expect("a parameter")
        };
        let exit = BlockCall::new(merge, &left.iter().map(next).collect::<Vec<Value>>());
        let op = if counted.is_inclusive { Opcode::ULe } else { Opcode::ULt };
        let b = &mut Builder::new(self.function);
        b.switch_to(copy);
        let condition = b.op(op, &[back.args[counted.place], counted.limit]);
        Terminator::Branch { condition, then: back, otherwise: exit }
    }

    fn in_fast(&self, value: Value) -> Value {
        self.fast.get(&value).copied().unwrap_or(value)
    }
}
