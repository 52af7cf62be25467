//! What integers can be at a block: intervals of all values of up to 32 bits, by the operations that make
//! them, the counters of loops, and the conditions of the branches that lead there. Mask form.
//!
//! Approach: values become less certain, never more so, from what the first way to them says, until nothing
//! changes; what only becomes certain by a condition is looked up where it is used. A value that one of the
//! sides of a branch compares is a [`Fact`] of the blocks that only this side leads to. Loops' counters go to
//! what their facts say after few steps, and to any number after a few more, so each value changes a limited
//! number of times, and the time is linear in the size of the function.
//!
//! Invariants: an interval holds for all lanes, whether they take part or not, but for what is asked of the
//! lanes of a mask ([`Query::under`]).

use super::{Cfg, Dominators, Edge};
use crate::analysis::interval::{Interval, Width};
use crate::analysis::liveness::def_blocks;
use pyro_ir::{Block, Effect, Form, Function, InstData, Opcode, Scalar, Terminator, Value, ValueDef};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Changes of a loop's parameter before it goes to what a fact says, and before it can be anything.
const STEPS_MAX: u8 = 2;
const WIDENINGS_MAX: u8 = 6;
/// Changes of any other value before it can be anything.
const CHANGES_MAX: u8 = 24;
/// The most facts of a value.
const FACTS_MAX: usize = 8;
/// How deep conditions are looked into.
const CONDITION_DEPTH: u32 = 6;
/// How many values a question looks at, and how deep.
const QUERY_VALUES_MAX: usize = 48;
const QUERY_DEPTH: u32 = 10;

/// What a condition says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It is in an interval.
    In(Interval),
    /// It is another number.
    Not(u32),
}

impl Fact {
    /// What remains of an interval; all of it where nothing would.
    fn apply(self, width: Width, of: Interval) -> Interval {
        match self {
            Fact::In(interval) => width.meet(of, interval).unwrap_or(of),
            Fact::Not(number) => {
                let mut rest = of;
                if rest.low == number && rest.low < rest.high {
                    rest.low += 1;
                }
                if rest.high == number && rest.low < rest.high {
                    rest.high -= 1;
                }
                let signed = width.constant(number.into()).least;
                if rest.least == signed && rest.least < rest.greatest {
                    rest.least += 1;
                }
                if rest.greatest == signed && rest.least < rest.greatest {
                    rest.greatest -= 1;
                }
                width.settle(rest).unwrap_or(of)
            }
        }
    }
}

/// The intervals of a function's integers.
pub struct IntRanges {
    cfg: Rc<Cfg>,
    dominators: Dominators,
    of: SecondaryMap<Value, Option<Interval>>,
    /// By value: what holds in a block and in those that it dominates.
    facts: FxHashMap<Value, SmallVec<[(Block, Fact); 2]>>,
    /// By position: whether there are any in a block.
    has_facts: Vec<bool>,
    /// By branch, and whether its condition holds: what that says.
    edges: FxHashMap<(Block, bool), Facts>,
}

/// What is known of values.
type Facts = SmallVec<[(Value, Fact); 4]>;

fn width(function: &Function, value: Value) -> Option<Width> {
    Width::of(function.ty(value).scalar)
}

impl IntRanges {
    /// Finds them.
    pub fn new(function: &Function) -> IntRanges {
        debug_assert_eq!(function.form, Form::Mask);
        let cfg = Rc::new(Cfg::new(function));
        let dominators = Dominators::new(function, &cfg);
        let of = SecondaryMap::with_capacity(None, function.values.len());
        let (facts, edges) = Default::default();
        let has_facts = vec![false; function.block_order.len()];
        let mut ranges = IntRanges { cfg, dominators, of, facts, has_facts, edges };
        ranges.find_facts(function);
        Solver::new(function, Rc::clone(&ranges.cfg)).run(&mut ranges);
        ranges
    }

    /// Notes what branches say. Limits are taken from what values are by themselves, which holds before
    /// anything is known of counters.
    fn find_facts(&mut self, function: &Function) {
        for &block in &function.block_order {
            let Terminator::Branch { condition, ref then, ref otherwise } = function.blocks[block].terminator
            else {
                continue;
            };
            if then.block == otherwise.block {
                continue;
            }
            for (holds, target) in [(true, then.block), (false, otherwise.block)] {
                let mut found = Facts::new();
                self.conditions(function, condition, holds, &mut found);
                if found.is_empty() {
                    continue;
                }
                if self.cfg.preds(target).len() == 1 {
                    self.has_facts[self.cfg.position(target) as usize] = true;
                    for &(value, fact) in &found {
                        let all = self.facts.entry(value).or_default();
                        if all.len() < FACTS_MAX {
                            all.push((target, fact));
                        }
                    }
                }
                self.edges.insert((block, holds), found);
            }
        }
        for &position in self.dominators.preorder() {
            let above = self.dominators.idom_position(position);
            self.has_facts[position as usize] |= above.is_some_and(|idom| self.has_facts[idom as usize]);
        }
    }

    /// What the way along an edge says.
    fn of_edge(&self, edge: Edge) -> &[(Value, Fact)] {
        self.edges.get(&(edge.from, edge.ordinal == 0)).map_or(&[], |facts| facts)
    }

    /// What a condition that holds, or does not, says of values.
    fn conditions(&self, function: &Function, condition: Value, holds: bool, found: &mut Facts) {
        let mut open: SmallVec<[(Value, bool, u32); 4]> = SmallVec::new();
        open.push((condition, holds, CONDITION_DEPTH));
        while let Some((condition, holds, depth)) = open.pop() {
            let Some(data) = function.def_inst(condition).filter(|_| depth > 0) else { continue };
            match (data.op, holds) {
                (Opcode::And, true) | (Opcode::Or, false) => {
                    open.extend(data.args.iter().map(|&arg| (arg, holds, depth - 1)));
                }
                (Opcode::AndNot, true) => {
                    open.extend([(data.args[0], true, depth - 1), (data.args[1], false, depth - 1)]);
                }
                (Opcode::Not, _) => open.push((data.args[0], !holds, depth - 1)),
                (Opcode::Splat, _) => open.push((data.args[0], holds, depth - 1)),
                _ => self.comparison(function, data, holds, found),
            }
        }
    }

    fn comparison(&self, function: &Function, data: &InstData, holds: bool, found: &mut Facts) {
        let &[x, y] = &data.args[..] else { return };
        let Some(width) = width(function, x).filter(|_| function.ty(x).scalar != Scalar::I1) else { return };
        // Nothing is said of constants, so nobody asks what the others are.
        let limit = |value: Value, of: Value| match function.const_bits(value) {
            Some(bits) => width.constant(bits),
            None if function.const_bits(of).is_some() => width.full(),
            None => self.query(function).limit(value, QUERY_DEPTH, &mut FxHashMap::default()),
        };
        let (a, b) = (limit(x, y), limit(y, x));
        let limits = match (data.op, holds) {
            (Opcode::IEq, true) | (Opcode::INe, false) => [Some(b), Some(a)],
            (Opcode::IEq, false) | (Opcode::INe, true) => {
                found.extend(function.const_bits(y).map(|bits| (x, Fact::Not(bits as u32))));
                found.extend(function.const_bits(x).map(|bits| (y, Fact::Not(bits as u32))));
                return;
            }
            (op @ (Opcode::ULt | Opcode::SLt | Opcode::ULe | Opcode::SLe), true) => order(
                width,
                matches!(op, Opcode::SLt | Opcode::SLe),
                matches!(op, Opcode::ULt | Opcode::SLt),
                a,
                b,
            ),
            // Not `x < y`: `y <= x`.
            (op @ (Opcode::ULt | Opcode::SLt | Opcode::ULe | Opcode::SLe), false) => {
                let [y, x] = order(
                    width,
                    matches!(op, Opcode::SLt | Opcode::SLe),
                    matches!(op, Opcode::ULe | Opcode::SLe),
                    b,
                    a,
                );
                [x, y]
            }
            _ => return,
        };
        for (value, limit) in [x, y].into_iter().zip(limits) {
            let is_constant = function.const_bits(value).is_some();
            if let Some(limit) = limit.and_then(|limit| width.settle(limit))
                && !is_constant
                && limit != width.full()
            {
                found.push((value, Fact::In(limit)));
                // What is the same in all lanes is known by itself, too.
                if let Some(splat) = function.def_inst(value).filter(|data| data.op == Opcode::Splat) {
                    found.push((splat.args[0], Fact::In(limit)));
                }
            }
        }
    }

    /// Asks of values without knowing where.
    fn query<'a>(&'a self, function: &'a Function) -> Query<'a> {
        Query { ranges: self, function, block: None, facts: SmallVec::new(), values: FxHashMap::default() }
    }

    /// Whether branches say anything where a block is, so that a question may find more than what each value
    /// is everywhere.
    pub fn has_facts_at(&self, block: Block) -> bool {
        let position = self.cfg.position(block);
        self.has_facts.get(position as usize).is_some_and(|&has_facts| has_facts)
    }

    /// What a value of up to 32 bits is in a block, without a question.
    pub fn known_at(&self, function: &Function, value: Value, block: Block) -> Option<Interval> {
        let width = width(function, value)?;
        match function.const_bits(value) {
            Some(bits) => Some(width.constant(bits)),
            None => Some(self.at_block(value, width, block).unwrap_or(width.full())),
        }
    }

    /// Asks of values in a block.
    pub fn at<'a>(&'a self, function: &'a Function, block: Block) -> Query<'a> {
        Query { block: Some(block), ..self.query(function) }
    }

    /// What a value is in a block by itself and by the facts there; none of what no way leads to.
    fn at_block(&self, value: Value, width: Width, block: Block) -> Option<Interval> {
        let mut of = self.of[value]?;
        if let Some(facts) = self.facts.get(&value) {
            for &(from, fact) in facts {
                if self.dominators.dominates(&self.cfg, from, block) {
                    of = fact.apply(width, of);
                }
            }
        }
        Some(of)
    }
}

/// What `x < y`, or `x <= y` unless `differ`, says of both, which are in `a` and `b`.
fn order(width: Width, is_signed: bool, differ: bool, a: Interval, b: Interval) -> [Option<Interval>; 2] {
    let all = width.full();
    if is_signed {
        let one = i32::from(differ);
        [
            b.greatest.checked_sub(one).map(|greatest| Interval { greatest, ..all }),
            a.least.checked_add(one).map(|least| Interval { least, ..all }),
        ]
    } else {
        let one = u32::from(differ);
        [
            b.high.checked_sub(one).map(|high| Interval { high, ..all }),
            a.low.checked_add(one).map(|low| Interval { low, ..all }),
        ]
    }
}

/// What a pure operation gives, of which `of` tells the operands' intervals.
fn evaluate(
    function: &Function,
    data: &InstData,
    result: Value,
    mut of: impl FnMut(Value) -> Option<Interval>,
) -> Option<Interval> {
    use Opcode as O;
    let to = width(function, result)?;
    let args = &data.args;
    let from = || args.first().and_then(|&arg| width(function, arg));
    Some(match data.op {
        O::Const => to.constant(data.imm),
        O::LaneId => to.unsigned(0, function.lanes - 1),
        O::Splat => of(args[0])?,
        O::ZeroExtend => match from() {
            Some(_) => {
                let inner = of(args[0])?;
                Interval { zeros: inner.zeros, ..to.unsigned(inner.low, inner.high) }
            }
            None => to.full(),
        },
        O::SignExtend => match from() {
            Some(_) if function.ty(args[0]).scalar != Scalar::I1 => {
                let inner = of(args[0])?;
                let bounds = Interval { least: inner.least, greatest: inner.greatest, ..to.full() };
                to.settle(bounds).unwrap_or(to.full())
            }
            _ => to.full(),
        },
        O::Truncate => match from() {
            Some(_) => {
                let inner = of(args[0])?;
                let top = to.full().high;
                if inner.high <= top { to.unsigned(inner.low, inner.high) } else { to.full() }
            }
            None => to.full(),
        },
        O::Select => match of(args[0])? {
            Interval { low: 1, .. } => of(args[1])?,
            Interval { high: 0, .. } => of(args[2])?,
            _ => of(args[1])?.join(of(args[2])?),
        },
        O::IEq | O::INe | O::ULt | O::ULe | O::SLt | O::SLe => {
            let (Some(width), a, b) = (from(), of(args[0]), of(args[1])) else { return Some(to.full()) };
            match width.compare(data.op, a?, b?) {
                Some(holds) => to.constant(holds.into()),
                None => to.full(),
            }
        }
        O::Not if function.ty(result).scalar == Scalar::I1 => {
            let inner = of(args[0])?;
            to.unsigned(1 - inner.high, 1 - inner.low)
        }
        O::PopCount | O::CountLeadingZeros | O::CountTrailingZeros => {
            to.unsigned(0, function.ty(args[0]).scalar.bits().min(to.full().high))
        }
        O::ISub if args.len() == 2 => {
            let plain = to.binary(O::ISub, of(args[0])?, of(args[1])?);
            match remainder(function, args[0], args[1], of(args[0])?) {
                Some(below) => to.meet(plain, to.unsigned(0, below - 1)).unwrap_or(plain),
                None => plain,
            }
        }
        op if args.len() == 2 && op.effect() == Effect::Pure => match from() {
            Some(_) => to.binary(op, of(args[0])?, of(args[1])?),
            None => to.full(),
        },
        _ => to.full(),
    })
}

/// The divisor, if `x - product` is the remainder of a division of `x` by a constant that was made a
/// multiplication ([`crate::divide`]), where `x` is in an interval.
fn remainder(function: &Function, x: Value, product: Value, of: Interval) -> Option<u32> {
    let product = function.def_inst(product).filter(|data| data.op == Opcode::IMul)?;
    let divisor = u32::try_from(function.const_bits(product.args[1])?).ok()?;
    if function.ty(x).scalar != Scalar::I32
        || divisor < 2
        || of.least < 0 && is_signed(function, product.args[0])
    {
        return None;
    }
    let mut quotient = function.def_inst(product.args[0])?;
    // Of signed numbers: one more below zero, which none is.
    if quotient.op == Opcode::IAdd {
        let sign = function.def_inst(quotient.args[1]).filter(|data| data.op == Opcode::LShr)?;
        if sign.args[0] != quotient.args[0] || function.const_bits(sign.args[1]) != Some(31) {
            return None;
        }
        quotient = function.def_inst(quotient.args[0])?;
    }
    let mut shift = 32;
    if matches!(quotient.op, Opcode::LShr | Opcode::AShr) {
        shift += function.const_bits(quotient.args[1])? as u32 & 31;
        quotient = function.def_inst(quotient.args[0])?;
    }
    if !matches!(quotient.op, Opcode::UMulHigh | Opcode::SMulHigh) || quotient.args[0] != x {
        return None;
    }
    let factor = function.const_bits(quotient.args[1])?;
    // The factor of a signed product is not negative.
    if quotient.op == Opcode::SMulHigh && factor > i32::MAX as u64 {
        return None;
    }
    // factor / 2^shift = (1 + error / 2^shift) / divisor: exact where x * error < 2^shift.
    let power = 1u128 << shift;
    let error = (u128::from(factor) * u128::from(divisor)).checked_sub(power)?;
    (u128::from(of.high) * error < power).then_some(divisor)
}

/// Whether a quotient is one of signed numbers.
fn is_signed(function: &Function, quotient: Value) -> bool {
    function.def_inst(quotient).is_none_or(|data| !matches!(data.op, Opcode::LShr | Opcode::UMulHigh))
}

/// A question about values at one place.
pub struct Query<'a> {
    ranges: &'a IntRanges,
    function: &'a Function,
    block: Option<Block>,
    facts: Facts,
    values: FxHashMap<Value, Interval>,
}

impl Query<'_> {
    /// What is asked is asked of the lanes of a mask.
    #[must_use]
    pub fn under(mut self, mask: Value) -> Self {
        let mut found = Facts::new();
        self.ranges.conditions(self.function, mask, true, &mut found);
        self.facts.extend(found);
        self
    }

    /// Whether the mask that was given says anything.
    pub fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// What a value of up to 32 bits is here; any number where no way leads here.
    pub fn of(&mut self, value: Value) -> Option<Interval> {
        width(self.function, value)?;
        let mut values = std::mem::take(&mut self.values);
        let of = self.limit(value, QUERY_DEPTH, &mut values);
        self.values = values;
        Some(of)
    }

    fn limit(&self, value: Value, depth: u32, values: &mut FxHashMap<Value, Interval>) -> Interval {
        let Some(width) = width(self.function, value) else {
            return Interval { low: 0, high: u32::MAX, least: i32::MIN, greatest: i32::MAX, zeros: 0 };
        };
        if let Some(&known) = values.get(&value) {
            return known;
        }
        let mut of = match self.block {
            Some(block) => self.ranges.at_block(value, width, block).unwrap_or(width.full()),
            None => width.full(),
        };
        for &(about, fact) in &self.facts {
            if about == value {
                of = fact.apply(width, of);
            }
        }
        // What is known of operands here may say more.
        if depth > 0
            && of.low != of.high
            && values.len() < QUERY_VALUES_MAX
            && let Some(data) = self.function.def_inst(value)
            && data.op.effect() == Effect::Pure
        {
            let made = evaluate(self.function, data, value, |arg| Some(self.limit(arg, depth - 1, values)));
            of = made.and_then(|made| width.meet(of, made)).unwrap_or(of);
        }
        values.insert(value, of);
        of
    }
}

/// Finds the intervals.
struct Solver<'f> {
    function: &'f Function,
    cfg: Rc<Cfg>,
    block_of: SecondaryMap<Value, Block>,
    /// In which order values are looked at.
    order: Vec<Value>,
    place: SecondaryMap<Value, u32>,
    /// For each place, where the places that depend on it begin in `readers`; one more at the end.
    starts: Vec<u32>,
    readers: Vec<u32>,
    changes: Vec<u8>,
    is_open: Vec<bool>,
    open: BinaryHeap<Reverse<u32>>,
}

impl<'f> Solver<'f> {
    fn new(function: &'f Function, cfg: Rc<Cfg>) -> Solver<'f> {
        let mut order = Vec::new();
        let mut place = SecondaryMap::with_capacity(u32::MAX, function.values.len());
        for &block in function.block_order.iter().filter(|&&block| cfg.is_reachable(block)) {
            let data = &function.blocks[block];
            let results = data.insts.iter().filter_map(|&inst| function.insts[inst].result.expand());
            for value in data.params.iter().copied().chain(results) {
                if width(function, value).is_some() {
                    place[value] = order.len() as u32;
                    order.push(value);
                }
            }
        }
        let mut solver = Solver {
            function,
            cfg,
            block_of: def_blocks(function),
            starts: vec![0; order.len() + 1],
            readers: Vec::new(),
            changes: vec![0; order.len()],
            is_open: vec![true; order.len()],
            open: BinaryHeap::new(),
            order,
            place,
        };
        let mut pairs = Vec::new();
        solver.for_each_operand(|operand, reader| pairs.push((operand, reader)));
        pairs.iter().for_each(|&(operand, _)| solver.starts[operand as usize + 1] += 1);
        for index in 1..solver.starts.len() {
            solver.starts[index] += solver.starts[index - 1];
        }
        let mut next = solver.starts.clone();
        solver.readers = vec![0; pairs.len()];
        for (operand, reader) in pairs {
            let at = &mut next[operand as usize];
            solver.readers[*at as usize] = reader;
            *at += 1;
        }
        solver
    }

    /// Calls `note` with the place of each operand and that of what reads it.
    fn for_each_operand(&self, mut note: impl FnMut(u32, u32)) {
        let mut add = |arg: Value, by: u32| {
            if self.place[arg] != u32::MAX {
                note(self.place[arg], by);
            }
        };
        for (by, &value) in (0..).zip(&self.order) {
            match self.function.values[value].def {
                ValueDef::Inst(inst) => {
                    self.function.insts[inst].args.iter().for_each(|&arg| add(arg, by));
                }
                ValueDef::Param(block, position) => {
                    for edge in self.cfg.preds(block) {
                        let call = self.function.blocks[edge.from].terminator.target(edge.ordinal);
                        if let Some(call) = call.filter(|_| self.cfg.is_reachable(edge.from)) {
                            add(call.args[position as usize], by);
                        }
                    }
                }
            }
        }
    }

    fn run(mut self, ranges: &mut IntRanges) {
        // All of them once; what comes later is open anyway.
        for place in 0..self.order.len() as u32 {
            self.visit(ranges, place);
        }
        while let Some(Reverse(place)) = self.open.pop() {
            self.visit(ranges, place);
        }
    }

    fn visit(&mut self, ranges: &mut IntRanges, place: u32) {
        self.is_open[place as usize] = false;
        let value = self.order[place as usize];
        let Some(found) = self.find(ranges, value) else { return };
        let before = ranges.of[value];
        let next = self.advance(ranges, place, before, found);
        if before == Some(next) {
            return;
        }
        ranges.of[value] = Some(next);
        for index in self.starts[place as usize]..self.starts[place as usize + 1] {
            let reader = self.readers[index as usize];
            if !std::mem::replace(&mut self.is_open[reader as usize], true) {
                self.open.push(Reverse(reader));
            }
        }
    }

    /// What a value is by what its operands are so far; none if no way leads to it so far.
    fn find(&self, ranges: &IntRanges, value: Value) -> Option<Interval> {
        let function = self.function;
        let block = self.block_of[value];
        match function.values[value].def {
            ValueDef::Inst(inst) => {
                let data = &function.insts[inst];
                if matches!(data.op.effect(), Effect::Pure | Effect::Convergent) {
                    evaluate(function, data, value, |arg| match width(function, arg) {
                        Some(width) => ranges.at_block(arg, width, block),
                        None => Some(Width::of(Scalar::I32)?.full()),
                    })
                } else {
                    width(function, value).map(Width::full)
                }
            }
            ValueDef::Param(_, position) => {
                let width = width(function, value)?;
                let mut all: Option<Interval> = None;
                for edge in self.cfg.preds(block).iter().filter(|edge| self.cfg.is_reachable(edge.from)) {
                    let terminator = &function.blocks[edge.from].terminator;
                    let call = terminator.target(edge.ordinal)?;
                    let arg = call.args[position as usize];
                    let Some(mut of) = ranges.at_block(arg, width, edge.from) else { continue };
                    for (_, fact) in ranges.of_edge(*edge).iter().filter(|(about, _)| *about == arg) {
                        of = fact.apply(width, of);
                    }
                    all = Some(all.map_or(of, |all| all.join(of)));
                }
                all
            }
        }
    }

    /// What a value becomes that was something else before, so that it does not change often.
    fn advance(
        &mut self,
        ranges: &IntRanges,
        place: u32,
        before: Option<Interval>,
        found: Interval,
    ) -> Interval {
        let Some(before) = before else { return found };
        let value = self.order[place as usize];
        let full = width(self.function, value).map_or(found, Width::full);
        let next = before.join(found);
        if next == before {
            return before;
        }
        let changes = &mut self.changes[place as usize];
        *changes = changes.saturating_add(1);
        let changes = *changes;
        if matches!(self.function.values[value].def, ValueDef::Inst(_)) {
            return if changes > CHANGES_MAX { full } else { next };
        }
        if changes <= STEPS_MAX {
            return next;
        }
        if changes > WIDENINGS_MAX {
            return full;
        }
        if changes > STEPS_MAX + 1 {
            return next;
        }
        self.widen(ranges, value, before, next, full)
    }

    /// What a counter becomes: as far as a condition lets it, or one step further.
    fn widen(
        &self,
        ranges: &IntRanges,
        value: Value,
        before: Interval,
        next: Interval,
        full: Interval,
    ) -> Interval {
        let mut limits: SmallVec<[Interval; 8]> = SmallVec::new();
        let mut note = |fact: &Fact| {
            limits.extend(match *fact {
                Fact::In(limit) => Some(limit),
                Fact::Not(number) => width(self.function, value).map(|width| {
                    let at = width.constant(number.into());
                    Interval {
                        low: at.low.saturating_add(1),
                        high: at.high.saturating_sub(1),
                        least: at.least.saturating_add(1),
                        greatest: at.greatest.saturating_sub(1),
                        zeros: 0,
                    }
                }),
            });
        };
        ranges.facts.get(&value).into_iter().flatten().for_each(|(_, fact)| note(fact));
        if let ValueDef::Param(block, position) = self.function.values[value].def {
            for edge in self.cfg.preds(block) {
                let call = self.function.blocks[edge.from].terminator.target(edge.ordinal);
                let Some(arg) = call.map(|call| call.args[position as usize]) else { continue };
                ranges.facts.get(&arg).into_iter().flatten().for_each(|(_, fact)| note(fact));
                let on_edge = ranges.of_edge(*edge).iter().filter(|(about, _)| *about == arg);
                on_edge.for_each(|(_, fact)| note(fact));
            }
        }
        let above =
            |at: u32, of: &dyn Fn(&Interval) -> u32| limits.iter().map(of).filter(|&to| to >= at).min();
        let below =
            |at: u32, of: &dyn Fn(&Interval) -> u32| limits.iter().map(of).filter(|&to| to <= at).max();
        // Signed numbers in the order of unsigned ones.
        let bias = |signed: i32| signed as u32 ^ 1 << 31;
        let unbias = |bits: u32| (bits ^ 1 << 31) as i32;
        let mut of = next;
        if next.high > before.high {
            of.high = above(next.high, &|limit| limit.high).unwrap_or(full.high).min(full.high);
        }
        if next.low < before.low {
            of.low = below(next.low, &|limit| limit.low).unwrap_or(full.low);
        }
        if next.greatest > before.greatest {
            let to = above(bias(next.greatest), &|limit| bias(limit.greatest));
            of.greatest = to.map_or(full.greatest, unbias).min(full.greatest);
        }
        if next.least < before.least {
            let to = below(bias(next.least), &|limit| bias(limit.least));
            of.least = to.map_or(full.least, unbias).max(full.least);
        }
        of
    }
}
