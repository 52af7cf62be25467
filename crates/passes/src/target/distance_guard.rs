//! Loads whose places are a constant apart wherever no quotient changes from one to the next.
//!
//! Problem: a convolution computes some neighbouring positions for each lane, `i`, `i + 1`, `i + 2`, …, and
//! each position's row and column are quotients and remainders of its number. So it is known only when the
//! shader runs that what they read lies side by side, and each is a gather by itself.
//!
//! ```text
//! x = load a + f(i / w, i % w)               branch some lane's f(…) are not as far apart as expected,
//! y = load a + f((i + 1) / w, (i + 1) % w)          slow, fast
//!                                            fast: x = load a + f(i / w, i % w)
//!                                                  y = load a + f(i / w, i % w) +4
//!                                            slow: as before
//! ```
//!
//! Approach: offsets are sums ([`LinearOffsets`]). Of two loads what both have in common is left out; what
//! is left of one is compared with what is left of the other, operation by operation: quotients are expected
//! to be the same and remainders to differ as the numbers do that are divided ([`Distances`]). What is
//! guessed like that is asked: whether each pair of such values differs by that in all lanes. The question
//! is asked in front of the loop where it is the same in all iterations. The loads of a block that are
//! expected to be near one of them get its offset.
//!
//! Invariants: the fast code runs only where the pairs of values differ as expected, in all lanes. All lanes
//! take part in all loads of a group, so offsets are below 2^31, and one is so many bytes from the other
//! without wrapping.

use crate::analysis::linear_offset::LinearOffset;
use crate::analysis::{LinearOffsets, Steps, UseCounts};
use crate::target::fronts::Fronts;
use crate::target::versions::{self, New, Region};
use crate::target::{RareBlocks, Target};
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How deep expressions are compared.
const DEPTH: u32 = 8;
/// The most bytes between loads of a group.
const SPAN: i64 = 256;
/// The fewest loads of a group beside the first.
const MEMBERS_MIN: usize = 2;
/// The most groups of a block.
const GROUPS_MAX: usize = 8;
/// The most pairs of values that are asked about for a block.
const PAIRS_MAX: usize = 16;
/// The most comparisons of expressions for a load.
const COMPARISONS_MAX: u32 = 64;
/// The most instructions that are twice, of one block and of the function.
const REGION_MAX: usize = 512;
const FUNCTION_MAX: usize = 2048;

/// Rewrites a function in mask form for a target whose selection joins loads of one offset. Returns whether
/// anything changed.
pub fn run(function: &mut Function, target: Target, rare: &RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors {
        return false;
    }
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut facts: Option<(Fronts, UseCounts)> = None;
    let mut distances = Distances::new(function);
    let mut grown = 0;
    for block in function.block_order.clone() {
        order.push(block);
        let plan = if rare.contains(&block) { None } else { Plan::find(function, &mut distances, block) };
        let Some(plan) = plan else { continue };
        if grown + plan.end - plan.start > FUNCTION_MAX {
            continue;
        }
        grown += plan.end - plan.start;
        drop(distances);
        let (fronts, uses) = facts.get_or_insert_with(|| (Fronts::new(function), UseCounts::new(function)));
        // Asked where a loop is entered, or here.
        let values = || plan.pairs.iter().flat_map(|pair| [pair.first, pair.second]);
        let asked = fronts.front(block, values).map(|front| {
            let insts = std::mem::take(&mut function.blocks[front].insts);
            let loc = function.insts[function.blocks[block].insts[plan.start]].loc;
            let mut new = New { function, insts, loc };
            let differs = question(&mut new, &plan.pairs);
            function.blocks[front].insts = new.insts;
            differs
        });
        let region = Region { block, start: plan.start, end: plan.end, hoisted: &plan.hoisted };
        let blocks = region.split(
            function,
            uses,
            |new| asked.unwrap_or_else(|| question(new, &plan.pairs)),
            |new, inst, args, copies| {
                let member = plan.members.get(&inst)?;
                let data = &new.function.insts[inst];
                let op = MemoryOp::from_imm(data.imm);
                let op = op.at(op.displacement + member.distance);
                let ty = new.function.ty(data.expect_result());
                let offset = copies.get(&member.offset).copied().unwrap_or(member.offset);
                Some(new.op(Opcode::Load, &[args[0], offset, args[2]], op.to_imm(), ty))
            },
        );
        fronts.note_split(block, blocks[2]);
        distances = Distances::new(function);
        order.extend(blocks);
    }
    function.block_order = order;
    grown > 0
}

/// Two values that all lanes have, and by how much the second is expected to be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    first: Value,
    second: Value,
    distance: i32,
}

/// Whether some pair differs by something else in some lane.
fn question(new: &mut New<'_>, pairs: &[Pair]) -> Value {
    let (number, mask) = (Type::varying(Scalar::I32), Type::varying(Scalar::I1));
    let mut differs: Option<Value> = None;
    for pair in pairs {
        let distance =
            new.op(Opcode::Const, &[], u64::from(pair.distance as u32), Type::uniform(Scalar::I32));
        let distance = new.op(Opcode::Splat, &[distance], 0, number);
        let expected = new.op(Opcode::IAdd, &[pair.first, distance], 0, number);
        let other = new.op(Opcode::INe, &[expected, pair.second], 0, mask);
        differs = Some(match differs {
            None => other,
            Some(differs) => new.op(Opcode::Or, &[differs, other], 0, mask),
        });
    }
    let differs = differs.expect("there are pairs");
    new.op(Opcode::Any, &[differs], 0, Type::uniform(Scalar::I1))
}

/// What a load becomes.
#[derive(Clone, Copy)]
struct Member {
    /// The offset of the first load of its group.
    offset: Value,
    /// Bytes from there.
    distance: i32,
}

/// What is done with a block.
struct Plan {
    pairs: Vec<Pair>,
    /// The instructions that are twice, by position.
    start: usize,
    end: usize,
    members: FxHashMap<Inst, Member>,
    /// What is computed in front of the branch.
    hoisted: FxHashSet<Inst>,
}

/// Loads that are expected to be near the first of them.
struct Group {
    base: Value,
    space: Space,
    offset: Value,
    sum: LinearOffset,
    start: usize,
    end: usize,
    members: Vec<(Inst, Member)>,
    pairs: Vec<Pair>,
    guessed: usize,
}

impl Plan {
    fn find(function: &Function, distances: &mut Distances<'_>, block: Block) -> Option<Plan> {
        let insts = &function.blocks[block].insts;
        let mut groups: Vec<Group> = Vec::new();
        for (place, &inst) in insts.iter().enumerate() {
            if function.insts[inst].op.effect() == Effect::Barrier {
                break;
            }
            if is_candidate(function, inst) {
                add(function, distances, &mut groups, place, inst);
            }
        }
        groups.retain(|group| group.guessed >= MEMBERS_MIN);
        let start = groups.iter().map(|group| group.start).min()?;
        let mut end = start;
        let (mut pairs, mut members) = (Vec::new(), FxHashMap::default());
        for group in groups {
            if group.end - start > REGION_MAX {
                continue;
            }
            let new: Vec<Pair> = group.pairs.into_iter().filter(|pair| !pairs.contains(pair)).collect();
            if pairs.len() + new.len() > PAIRS_MAX {
                continue;
            }
            pairs.extend(new);
            members.extend(group.members);
            end = end.max(group.end);
        }
        let places: FxHashMap<Inst, usize> =
            insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect();
        let mut hoisted = FxHashSet::default();
        let mut values = pairs.iter().flat_map(|pair| [pair.first, pair.second]);
        let can = values.all(|value| versions::hoist(function, &places, start, value, &mut hoisted));
        (can && !pairs.is_empty()).then_some(Plan { pairs, start, end, members, hoisted })
    }
}

/// Whether an instruction is a load of words or halves of them that all lanes take part in, at offsets of
/// their own.
fn is_candidate(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand().filter(|_| data.op == Opcode::Load) else { return false };
    let ty = function.ty(result);
    ty.is_varying()
        && matches!(ty.scalar.bits(), 16 | 32)
        && !MemoryOp::from_imm(data.imm).volatile
        && function.ty(data.args[0]).is_uniform()
        && function.ty(data.args[1]) == Type::varying(Scalar::I32)
        && function.const_bits(data.args[2]) == Some(1)
}

/// Adds a load to the group that it is expected to be near, or makes it the first of another one.
fn add(
    function: &Function,
    distances: &mut Distances<'_>,
    groups: &mut Vec<Group>,
    place: usize,
    inst: Inst,
) {
    let data = &function.insts[inst];
    let (base, offset, space) = (data.args[0], data.args[1], MemoryOp::from_imm(data.imm).space);
    let sum = distances.offsets.of(offset);
    // Lanes a known distance apart are vector moves already.
    if distances.steps.of(function, &sum.terms).is_some() {
        return;
    }
    distances.left = COMPARISONS_MAX;
    for group in groups.iter_mut().filter(|group| group.base == base && group.space == space) {
        let mut pairs = Vec::new();
        let Some(distance) = distances.between(function, &group.sum, &sum, &mut pairs) else { continue };
        if i64::from(distance).abs() > SPAN {
            continue;
        }
        group.guessed += usize::from(!pairs.is_empty());
        let new = pairs.into_iter().filter(|pair| !group.pairs.contains(pair)).collect::<Vec<_>>();
        group.pairs.extend(new);
        group.members.push((inst, Member { offset: group.offset, distance }));
        group.end = place + 1;
        return;
    }
    if groups.len() < GROUPS_MAX {
        let (members, pairs) = (Vec::new(), Vec::new());
        groups.push(Group {
            base,
            space,
            offset,
            sum,
            start: place,
            end: place + 1,
            members,
            pairs,
            guessed: 0,
        });
    }
}

/// By how much values are expected to differ.
struct Distances<'f> {
    offsets: LinearOffsets<'f>,
    steps: Steps,
    /// Of pairs that have been compared.
    known: FxHashMap<(Value, Value), Option<i32>>,
    /// How many comparisons may be made yet.
    left: u32,
}

impl<'f> Distances<'f> {
    fn new(function: &'f Function) -> Distances<'f> {
        let (offsets, steps) = (LinearOffsets::new(function), Steps::default());
        Distances { offsets, steps, known: FxHashMap::default(), left: 0 }
    }

    /// By how much the second sum is more, if `pairs`, which are added to, differ as they are expected to.
    fn between(
        &mut self,
        function: &Function,
        first: &LinearOffset,
        second: &LinearOffset,
        pairs: &mut Vec<Pair>,
    ) -> Option<i32> {
        self.sums(function, first, second, DEPTH, &mut |pair| pairs.push(pair)).filter(|_| {
            let is_varying = |value: Value| function.ty(value).is_varying();
            pairs.iter().all(|pair| is_varying(pair.first) && is_varying(pair.second))
        })
    }

    fn sums(
        &mut self,
        function: &Function,
        first: &LinearOffset,
        second: &LinearOffset,
        depth: u32,
        note: &mut dyn FnMut(Pair),
    ) -> Option<i32> {
        let without = |sum: &LinearOffset, other: &LinearOffset| -> SmallVec<[(Value, u32); 4]> {
            sum.terms.iter().copied().filter(|term| !other.terms.contains(term)).collect()
        };
        let (rest, mut others) = (without(first, second), without(second, first));
        if rest.len() != others.len() {
            return None;
        }
        let mut total = second.constant.wrapping_sub(first.constant) as i32;
        for (value, factor) in rest {
            let mut matching = others.iter().enumerate().filter(|(_, other)| other.1 == factor);
            let (place, pair) = matching.find_map(|(place, &(other, _))| {
                let distance = self.values(function, value, other, depth)?;
                Some((place, Pair { first: value, second: other, distance }))
            })?;
            others.remove(place);
            total = total.wrapping_add(pair.distance.wrapping_mul(factor as i32));
            note(pair);
        }
        Some(total)
    }

    /// By how much the second value is expected to be more: both are results of one operation.
    fn values(&mut self, function: &Function, first: Value, second: Value, depth: u32) -> Option<i32> {
        if first == second {
            return Some(0);
        }
        if let Some(&known) = self.known.get(&(first, second)) {
            return known;
        }
        self.left = self.left.checked_sub(1)?;
        let found = self.compare(function, first, second, depth);
        self.known.insert((first, second), found);
        found
    }

    fn compare(&mut self, function: &Function, first: Value, second: Value, depth: u32) -> Option<i32> {
        let (a, b) = (function.def_inst(first)?, function.def_inst(second)?);
        let is_number = function.ty(first).scalar == Scalar::I32 && function.ty(first) == function.ty(second);
        if depth == 0 || a.op != b.op || !is_number {
            return None;
        }
        let mut of = |place: usize| {
            let sums = (self.offsets.of(a.args[place]), self.offsets.of(b.args[place]));
            self.sums(function, &sums.0, &sums.1, depth - 1, &mut |_| {})
        };
        let is_same = |place: usize| a.args[place] == b.args[place];
        match a.op {
            Opcode::UDiv
            | Opcode::SDiv
            | Opcode::UMulHigh
            | Opcode::SMulHigh
            | Opcode::LShr
            | Opcode::AShr
                if is_same(1) =>
            {
                of(0).map(|_| 0)
            }
            Opcode::URem | Opcode::SRem | Opcode::And if is_same(1) => of(0),
            Opcode::IMul if is_same(1) => of(0).filter(|&distance| distance == 0),
            Opcode::IMul if is_same(0) => of(1).filter(|&distance| distance == 0),
            Opcode::Select => of(1).filter(|&distance| of(2) == Some(distance)),
            _ => None,
        }
    }
}
