//! Accesses at clamped or wrapped indices are those of neighbouring elements wherever nothing is clamped.
//!
//! Problem: `a[clamp(x + 1, 0, last)]`, `a[i % width]`, `a[x < 0 ? 0 : x]`: almost everywhere lanes go side by
//! side, but only when the shader runs it is known where. So each is a gather, which takes as long as dozens
//! of vector instructions.
//!
//! ```text
//! r = smin(x, last)                branch in some lane r - x differs from that of lane 0, slow, fast
//! v = load a + (y + r) << 2        fast: v = load a + (y + x + splat(r - x of lane 0)) << 2
//!                                  slow: as before
//! ```
//!
//! Approach: an offset is a sum over lane numbers and what is the same in all lanes, but for some *guarded*
//! values: minima, maxima, remainders, masks and choices, which are expected to be a *base* (`x`, whose lanes
//! are a small constant apart) and one addend for all lanes; and quotients, which are expected to be the same
//! in all lanes. The accesses of a block are taken together: guarded values are computed where the first of
//! them is, one branch asks whether all are as expected, and what is between the first and the last access
//! is there twice.
//!
//! Invariants: the fast code runs only where every guarded value is equal to what stands for it, in all lanes,
//! active or not. So no value changes anywhere, whatever lanes are active and whatever the guess was worth.

use crate::analysis::UseCounts;
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, SourceLoc, Space, Terminator,
    Type, Value, ValueDef, eval,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;
/// The most that lanes of a base may be apart: what is further is seldom expected to hold.
const SPREAD_MAX: i32 = 256;
/// The most bytes between neighbouring lanes for which an access is better than a gather.
const STEP_MAX: i32 = 16;
/// The most guarded values of one branch.
const GUARDS_MAX: usize = 16;
/// The most operations that are moved in front of a branch.
const HOISTED_MAX: usize = 128;
/// The most instructions that are twice, of one block and of the function.
const REGION_MAX: usize = 512;
const FUNCTION_MAX: usize = 2048;

/// What each lane has more than lane 0, where that is known.
type Lanes = Rc<[Option<i32>]>;

/// A value that is a sum over lane numbers and what is the same in all lanes.
#[derive(Clone)]
struct Affine {
    lanes: Lanes,
    /// What lane 0 has, where it is always the same.
    first: Option<u32>,
}

impl Affine {
    /// Whether all lanes have the same.
    fn is_same(&self) -> bool {
        self.lanes.iter().all(|&lane| lane == Some(0))
    }

    /// Whether lanes are close together, and not all the same.
    fn is_base(&self) -> bool {
        !self.is_same() && self.lanes.iter().all(|lane| lane.is_some_and(|lane| lane.abs() <= SPREAD_MAX))
    }

    /// Whether most lanes are next to the ones before.
    fn is_near(&self) -> bool {
        let pairs = self.lanes.windows(2);
        let near = pairs.filter(|pair| match (pair[0], pair[1]) {
            (Some(a), Some(b)) => b.wrapping_sub(a).abs() <= STEP_MAX,
            _ => false,
        });
        near.count() * 4 >= (self.lanes.len() - 1) * 3
    }

    fn zip(&self, other: &Affine, op: impl Fn(u32, u32) -> u32) -> Affine {
        let lanes = self.lanes.iter().zip(&*other.lanes);
        Affine {
            lanes: lanes.map(|(&a, &b)| Some(op(a? as u32, b? as u32) as i32)).collect(),
            first: self.first.zip(other.first).map(|(a, b)| op(a, b)),
        }
    }

    /// The number of a lane.
    fn at(&self, lane: usize) -> Option<u32> {
        Some(self.first?.wrapping_add(self.lanes[lane]? as u32))
    }
}

/// What a guarded value is expected to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// That of this value, and an addend for all lanes.
    Base(Value),
    /// The same in all lanes.
    Same,
}

#[derive(Clone, Copy)]
struct Guard {
    value: Value,
    expected: Expected,
}

/// What is done with a block.
struct Plan {
    guards: Vec<Guard>,
    /// The instructions that are twice, by position.
    start: usize,
    end: usize,
    /// Accesses that become regular.
    accesses: FxHashSet<Inst>,
    /// What is computed in front of the branch.
    hoisted: FxHashSet<Inst>,
}

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut finder = Finder::default();
    let mut uses = None;
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut grown = 0;
    for block in function.block_order.clone() {
        order.push(block);
        if let Some(plan) = finder.plan(function, block)
            && grown + plan.end - plan.start <= FUNCTION_MAX
        {
            grown += plan.end - plan.start;
            let uses = uses.get_or_insert_with(|| UseCounts::new(function));
            order.extend(apply(function, block, &plan, uses));
        }
    }
    function.block_order = order;
    grown > 0
}

#[derive(Default)]
struct Finder {
    known: FxHashMap<Value, Option<Affine>>,
}

impl Finder {
    fn plan(&mut self, function: &Function, block: Block) -> Option<Plan> {
        let insts = &function.blocks[block].insts;
        let places: FxHashMap<Inst, usize> =
            insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect();
        let mut plan: Option<Plan> = None;
        for (place, &inst) in insts.iter().enumerate() {
            if function.insts[inst].op.effect() == Effect::Barrier {
                if plan.is_some() {
                    break;
                }
                continue;
            }
            let Some(guards) = self.guards_of(function, inst) else { continue };
            let start = plan.as_ref().map_or(place, |plan| plan.start);
            let so_far = plan.as_ref().map_or(&[] as &[Guard], |plan| &plan.guards);
            let new: Vec<Guard> = guards
                .into_iter()
                .filter(|guard| so_far.iter().all(|known| known.value != guard.value))
                .collect();
            let mut hoisted = plan.as_ref().map(|plan| plan.hoisted.clone()).unwrap_or_default();
            let can = place + 1 - start <= REGION_MAX
                && so_far.len() + new.len() <= GUARDS_MAX
                && new.iter().all(|guard| hoist(function, &places, start, guard.value, &mut hoisted));
            if !can {
                continue;
            }
            let plan = plan.get_or_insert_with(|| Plan {
                guards: Vec::new(),
                start,
                end: place,
                accesses: FxHashSet::default(),
                hoisted: FxHashSet::default(),
            });
            plan.guards.extend(new);
            plan.hoisted = hoisted;
            plan.end = place + 1;
            plan.accesses.insert(inst);
        }
        plan
    }

    /// The guarded values of an access's offset, if it is regular where they are as expected.
    fn guards_of(&mut self, function: &Function, inst: Inst) -> Option<Vec<Guard>> {
        let data = &function.insts[inst];
        if !matches!(data.op, Opcode::Load | Opcode::Store) {
            return None;
        }
        let memory = MemoryOp::from_imm(data.imm);
        let (base, offset) = (data.args[0], data.args[1]);
        let fits = !matches!(memory.space, Space::Context | Space::Frame)
            && function.ty(base).is_uniform()
            && function.ty(offset) == Type::varying(Scalar::I32)
            && self.affine(function, offset, DEPTH).is_none();
        if !fits {
            return None;
        }
        let mut guards = Vec::new();
        let sum = self.expected(function, offset, &mut guards, DEPTH)?;
        (sum.is_near() && !guards.is_empty()).then_some(guards)
    }

    /// What a value is if guarded values are as expected; adds those.
    fn expected(
        &mut self,
        function: &Function,
        value: Value,
        guards: &mut Vec<Guard>,
        depth: u32,
    ) -> Option<Affine> {
        if let Some(known) = self.affine(function, value, DEPTH) {
            return Some(known);
        }
        if let Some(expected) = self.guarded(function, value) {
            if guards.iter().all(|guard| guard.value != value) {
                guards.push(Guard { value, expected });
            }
            return match expected {
                Expected::Base(base) => {
                    let base = self.affine(function, base, DEPTH)?;
                    Some(Affine { first: None, ..base })
                }
                Expected::Same => Some(same(function.lanes)),
            };
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        let args = data.args.clone();
        let op = data.op;
        sum(function, op, &args, |index| self.expected(function, args[index], guards, depth - 1))
    }

    /// A value that is a sum over lane numbers and what is the same in all lanes.
    fn affine(&mut self, function: &Function, value: Value, depth: u32) -> Option<Affine> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.find(function, value, depth);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, function: &Function, value: Value, depth: u32) -> Option<Affine> {
        let ty = function.ty(value);
        if ty.scalar != Scalar::I32 {
            return None;
        }
        if let Some(bits) = function.const_bits(value) {
            return Some(Affine { first: Some(bits as u32), ..same(function.lanes) });
        }
        if ty.is_uniform() {
            return Some(same(function.lanes));
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        match data.op {
            Opcode::LaneId => {
                let lanes = (0..function.lanes as i32).map(Some).collect();
                return Some(Affine { lanes, first: Some(0) });
            }
            Opcode::Splat => return Some(same(function.lanes)),
            _ => {}
        }
        let args = data.args.clone();
        let (op, imm) = (data.op, data.imm);
        if let Some(sum) = sum(function, op, &args, |index| self.affine(function, args[index], depth - 1)) {
            return Some(sum);
        }
        // Other operations on what is known of every lane.
        if op.effect() != Effect::Pure || args.len() != 2 {
            return None;
        }
        let (a, b) = (self.affine(function, args[0], depth - 1)?, self.affine(function, args[1], depth - 1)?);
        let numbers: Option<Vec<u32>> = (0..function.lanes as usize)
            .map(|lane| {
                let args = [a.at(lane)?.into(), b.at(lane)?.into()];
                eval::pure(op, Scalar::I32, Scalar::I32, &args, imm).map(|bits| bits as u32)
            })
            .collect();
        let numbers = numbers?;
        let lanes = numbers.iter().map(|number| Some(number.wrapping_sub(numbers[0]) as i32)).collect();
        Some(Affine { lanes, first: Some(numbers[0]) })
    }

    /// What a value that is no such sum is expected to be.
    fn guarded(&mut self, function: &Function, value: Value) -> Option<Expected> {
        use Opcode as O;
        let data = function.def_inst(value)?;
        match data.op {
            O::SMin | O::SMax | O::UMin | O::UMax | O::Select | O::And | O::URem | O::SRem => {
                self.base(function, value, DEPTH).map(Expected::Base)
            }
            O::UDiv | O::SDiv | O::LShr | O::AShr | O::UMulHigh | O::SMulHigh => {
                self.is_smooth(function, value, DEPTH).then_some(Expected::Same)
            }
            _ => None,
        }
    }

    /// What a clamped value is where nothing is clamped.
    fn base(&mut self, function: &Function, value: Value, depth: u32) -> Option<Value> {
        use Opcode as O;
        if let Some(affine) = self.affine(function, value, DEPTH) {
            return affine.is_base().then_some(value);
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        let args = data.args.clone();
        let mut is_same = |value: Value| {
            function.ty(value).scalar == Scalar::I32
                && self.affine(function, value, DEPTH).is_some_and(|affine| affine.is_same())
        };
        let inner = match data.op {
            O::SMin | O::SMax | O::UMin | O::UMax | O::And if is_same(args[1]) => args[0],
            O::SMin | O::SMax | O::UMin | O::UMax | O::And if is_same(args[0]) => args[1],
            O::URem | O::SRem if is_same(args[1]) => args[0],
            O::Select if is_same(args[1]) => args[2],
            O::Select if is_same(args[2]) => args[1],
            // `x < 0 ? x + width : x`
            O::Select => {
                let (a, b) = (self.affine(function, args[1], DEPTH)?, self.affine(function, args[2], DEPTH)?);
                return (a.is_base() && a.lanes == b.lanes).then_some(args[1]);
            }
            _ => return None,
        };
        self.base(function, inner, depth - 1)
    }

    /// Whether a quotient grows slowly from lane to lane.
    fn is_smooth(&mut self, function: &Function, value: Value, depth: u32) -> bool {
        use Opcode as O;
        if let Some(affine) = self.affine(function, value, DEPTH) {
            return affine.is_same() || affine.is_base();
        }
        let Some(data) = function.def_inst(value).filter(|_| depth > 0) else { return false };
        let args = data.args.clone();
        let steps = matches!(
            data.op,
            O::UDiv | O::SDiv | O::LShr | O::AShr | O::UMulHigh | O::SMulHigh | O::IAdd | O::ISub
        );
        steps && args.iter().all(|&arg| self.is_smooth(function, arg, depth - 1))
    }
}

/// What is the same in all lanes.
fn same(lanes: u32) -> Affine {
    Affine { lanes: (0..lanes).map(|_| Some(0)).collect(), first: None }
}

/// A sum or a product of sums.
fn sum(
    function: &Function,
    op: Opcode,
    args: &[Value],
    mut of: impl FnMut(usize) -> Option<Affine>,
) -> Option<Affine> {
    let constant = |index: usize| function.const_bits(args[index]).map(|bits| bits as u32);
    match op {
        Opcode::IAdd => Some(of(0)?.zip(&of(1)?, u32::wrapping_add)),
        Opcode::ISub => Some(of(0)?.zip(&of(1)?, u32::wrapping_sub)),
        Opcode::Shl => {
            let count = constant(1)? & 31;
            let value = of(0)?;
            Some(value.zip(&value, |a, _| a << count))
        }
        Opcode::IMul => {
            let (a, b) = (of(0)?, of(1)?);
            let (varying, factor) = match (a.is_same(), b.is_same()) {
                (_, true) => (a, b),
                (true, false) => (b, a),
                _ => return None,
            };
            let lanes = varying.lanes.iter().map(|&lane| match (lane?, factor.first) {
                (0, _) => Some(0),
                (lane, Some(factor)) => Some(lane.wrapping_mul(factor as i32)),
                _ => None,
            });
            let first = varying.first.zip(factor.first).map(|(a, b)| a.wrapping_mul(b));
            Some(Affine { lanes: lanes.collect(), first })
        }
        _ => None,
    }
}

/// Collects what a value needs of a block's instructions from `start` on. Returns whether all of it can be
/// moved there.
fn hoist(
    function: &Function,
    places: &FxHashMap<Inst, usize>,
    start: usize,
    value: Value,
    hoisted: &mut FxHashSet<Inst>,
) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let ValueDef::Inst(inst) = function.values[value].def else { continue };
        if places.get(&inst).is_none_or(|&place| place < start) || !hoisted.insert(inst) {
            continue;
        }
        let data = &function.insts[inst];
        if data.op.effect() != Effect::Pure || hoisted.len() > HOISTED_MAX {
            return false;
        }
        stack.extend(&data.args);
    }
    true
}

/// Makes the block end with the branch, and returns the blocks behind it.
fn apply(function: &mut Function, block: Block, plan: &Plan, uses: &UseCounts) -> [Block; 3] {
    let insts = std::mem::take(&mut function.blocks[block].insts);
    let terminator = std::mem::take(&mut function.blocks[block].terminator);
    let [slow, fast, join] = [(); 3].map(|()| function.make_block());
    let (in_front, rest): (Vec<Inst>, Vec<Inst>) =
        insts[plan.start..plan.end].iter().partition(|inst| plan.hoisted.contains(inst));
    let mut head = insts[..plan.start].to_vec();
    head.extend(in_front);
    let tail = insts[plan.end..].to_vec();
    let loc = function.insts[insts[plan.start]].loc;
    let mut front = New { function, insts: head, loc };
    let (condition, places) = front.guards(&plan.guards);
    function.blocks[block].insts = front.insts;
    function.blocks[block].terminator = Terminator::Branch {
        condition,
        then: BlockCall::new(slow, &[]),
        otherwise: BlockCall::new(fast, &[]),
    };

    let mut inside: FxHashMap<Value, u32> = FxHashMap::default();
    for &arg in rest.iter().flat_map(|&inst| &function.insts[inst].args) {
        *inside.entry(arg).or_default() += 1;
    }
    let results = rest.iter().filter_map(|&inst| function.insts[inst].result.expand());
    let escaping: Vec<Value> =
        results.filter(|result| uses.count(*result) > inside.get(result).copied().unwrap_or(0)).collect();
    let slow_results = copy(function, slow, &rest, &escaping, None);
    let fast_results = copy(function, fast, &rest, &escaping, Some((plan, places)));
    for (from, results) in [(slow, slow_results), (fast, fast_results)] {
        function.blocks[from].terminator = Terminator::Jump(BlockCall::new(join, &results));
    }
    for (position, &value) in escaping.iter().enumerate() {
        function.blocks[join].params.push(value);
        function.values[value].def = ValueDef::Param(join, position as u32);
    }
    function.blocks[join].insts = tail;
    function.blocks[join].terminator = terminator;
    [slow, fast, join]
}

/// Lays out a copy of instructions, in which the offsets of some accesses are made anew. Returns what stands
/// for the escaping values.
fn copy(
    function: &mut Function,
    block: Block,
    insts: &[Inst],
    escaping: &[Value],
    fast: Option<(&Plan, FxHashMap<Value, Value>)>,
) -> Vec<Value> {
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    let (plan, mut offsets) = match fast {
        Some((plan, offsets)) => (Some(plan), offsets),
        None => (None, FxHashMap::default()),
    };
    let mut new = New { function, insts: Vec::new(), loc: SourceLoc::default() };
    for &inst in insts {
        let data = new.function.insts[inst].clone();
        new.loc = data.loc;
        let mut args = data.args.clone();
        for arg in &mut args {
            *arg = map.get(arg).copied().unwrap_or(*arg);
        }
        if plan.is_some_and(|plan| plan.accesses.contains(&inst)) {
            args[1] = new.offset(data.args[1], &mut offsets, &map);
        }
        let ty = data.result.expand().map(|result| new.function.ty(result));
        let made = new.function.make_inst(data.op, &args, data.imm, ty, data.loc);
        new.insts.push(made);
        if let (Some(from), Some(to)) = (data.result.expand(), new.function.insts[made].result.expand()) {
            map.insert(from, to);
        }
    }
    function.blocks[block].insts = new.insts;
    escaping.iter().map(|value| map[value]).collect()
}

/// Instructions that are made.
struct New<'f> {
    function: &'f mut Function,
    insts: Vec<Inst>,
    loc: SourceLoc,
}

impl New<'_> {
    fn op(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type) -> Value {
        let inst = self.function.make_inst(op, args, imm, Some(ty), self.loc);
        self.insts.push(inst);
        self.function.insts[inst].expect_result()
    }

    /// Whether a guarded value is not as expected in some lane; and what stands for each.
    fn guards(&mut self, guards: &[Guard]) -> (Value, FxHashMap<Value, Value>) {
        let (number, mask) = (Type::varying(Scalar::I32), Type::varying(Scalar::I1));
        let mut places = FxHashMap::default();
        let mut differs = None;
        let zero = self.op(Opcode::Const, &[], 0, Type::uniform(Scalar::I32));
        for &Guard { value, expected } in guards {
            let addend = match expected {
                Expected::Base(base) => self.op(Opcode::ISub, &[value, base], 0, number),
                Expected::Same => value,
            };
            let first = self.op(Opcode::LaneRead, &[addend, zero], 0, Type::uniform(Scalar::I32));
            let first = self.op(Opcode::Splat, &[first], 0, number);
            let other = self.op(Opcode::INe, &[addend, first], 0, mask);
            differs = Some(match differs {
                None => other,
                Some(differs) => self.op(Opcode::Or, &[differs, other], 0, mask),
            });
            let place = match expected {
                Expected::Base(base) => self.op(Opcode::IAdd, &[base, first], 0, number),
                Expected::Same => first,
            };
            places.insert(value, place);
        }
        let differs = differs.expect("a plan has guards");
        (self.op(Opcode::Any, &[differs], 0, Type::uniform(Scalar::I1)), places)
    }

    /// An offset with what stands for guarded values. `map` has copies of the region's values.
    fn offset(
        &mut self,
        value: Value,
        made: &mut FxHashMap<Value, Value>,
        map: &FxHashMap<Value, Value>,
    ) -> Value {
        if let Some(&made) = made.get(&value) {
            return made;
        }
        let copy = map.get(&value).copied().unwrap_or(value);
        let Some(data) = self.function.def_inst(value).cloned() else { return copy };
        let is_sum = matches!(data.op, Opcode::IAdd | Opcode::ISub | Opcode::Shl | Opcode::IMul);
        let ty = self.function.ty(value);
        let mut result = copy;
        if is_sum && ty.is_varying() {
            let args: SmallVec<[Value; 4]> =
                data.args.iter().map(|&arg| self.offset(arg, made, map)).collect();
            if data.args.iter().zip(&args).any(|(old, new)| map.get(old).copied().unwrap_or(*old) != *new) {
                result = self.op(data.op, &args, data.imm, ty);
            }
        }
        made.insert(value, result);
        result
    }
}
