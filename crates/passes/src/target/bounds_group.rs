//! Bounds checks of a block are one check of what all of them have in common.
//!
//! Problem: robust access asks for each index of each lane whether it is in bounds. In a tile of a matrix, or
//! a filter's window, that is more work than the rest: three vector operations for each access, which also
//! has to be under a mask.
//!
//! ```text
//! p = ult (lane + splat(a + n)), splat(count)         branch min < 0 or max >= count, slow, fast
//! x = load … p                                        fast: p = true, q = true
//! q = ult (lane + splat(a + 2 n + 1)), splat(count)   slow: as before
//! y = load … q                                        (max = a + 2 n + 1 + the last lane)
//! ```
//!
//! Approach: indices are sums of uniform values times numbers that are known to lie between two bounds,
//! whatever the lane ([`lane_bounds`](super::lane_bounds)). Checks of such sums of the same values against
//! the same count are one group. Two sums of 64 bits, one of the least and one of the greatest factors, lie
//! below and above all indices of all lanes; so where the first is not negative and the second is below the
//! count, no index wraps and all checks hold in all lanes. One sign tells: that of all such sums and of what
//! the counts are more, joined by `or`. Of a sum that is shifted right (words of bytes, vectors of words) the
//! count is shifted left instead.
//!
//! Where many accesses have checks of other indices as predicates, all lanes of these are asked as well, so
//! that the accesses need no masks. What is the same in all lanes and is joined with checks becomes part of
//! the branch's condition.
//!
//! Invariants: the fast code runs only where every check of the group holds in every lane, active or not. So
//! no value changes.

use crate::analysis::UseCounts;
use crate::target::RareBlocks;
use crate::target::lane_bounds::{Bounds, LaneBounds, sums};
use crate::target::versions::{self, New, Region};
use pyro_ir::{Block, Form, Function, Inst, InstData, Opcode, Scalar, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The most that indices are shifted right.
const SHIFT_MAX: u64 = 8;
/// The most checks by themselves, and the fewest accesses that they are worth a branch for.
const OTHERS_MAX: usize = 64;
const OTHER_ACCESSES_MIN: usize = 8;
/// The most checks of a predicate that is looked at.
const PARTS_MAX: usize = 16;
/// The most conditions that all lanes share.
const CONDITIONS_MAX: usize = 16;
/// The least checks of registers that a branch is worth.
const CHECKS_MIN: usize = 6;
/// Blocks with fewer instructions for a check are there twice as a whole.
const INSTRUCTIONS_PER_CHECK: usize = 16;
/// The most instructions that are twice, of one block and of the function.
const REGION_MAX: usize = 1024;
const FUNCTION_MAX: usize = 2048;

/// What indices are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Limit {
    count: Value,
    /// The index may be the count.
    is_inclusive: bool,
    /// How far the sum is shifted right.
    shift: u32,
}

/// Checks against the same count.
struct Group {
    limit: Limit,
    bounds: Bounds,
    checks: FxHashSet<Inst>,
    hoisted: FxHashSet<Inst>,
}

impl Limit {
    /// The greatest sum that is in bounds.
    fn last(self, new: &mut New<'_>) -> Value {
        let number = Type::uniform(Scalar::I64);
        let add = |new: &mut New<'_>, count: Value, by: i64| {
            let by = new.op(Opcode::Const, &[], by as u64, number);
            new.op(Opcode::IAdd, &[count, by], 0, number)
        };
        let mut count = new.op(Opcode::ZeroExtend, &[self.count], 0, number);
        if self.shift == 0 {
            return if self.is_inclusive { count } else { add(new, count, -1) };
        }
        if self.is_inclusive {
            count = add(new, count, 1);
        }
        let shift = new.op(Opcode::Const, &[], self.shift.into(), number);
        let end = new.op(Opcode::Shl, &[count, shift], 0, number);
        add(new, end, -1)
    }
}

/// What checks are joined with that is the same for all lanes: whether a block of weights is in bounds, say.
#[derive(Default)]
struct Common {
    conditions: SmallVec<[Value; 4]>,
    hoisted: FxHashSet<Inst>,
}

impl Common {
    /// Finds them, and adds to the checks what holds where these and the conditions do.
    fn find(function: &Function, block: Block, start: usize, checks: &mut FxHashSet<Inst>) -> Common {
        let insts = &function.blocks[block].insts;
        let places: FxHashMap<Inst, usize> =
            insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect();
        let mut common = Common::default();
        for &inst in &insts[start..] {
            let data = &function.insts[inst];
            if versions::is_barrier(function, inst) {
                break;
            }
            if data.op != Opcode::And || function.ty(data.args[0]) != Type::varying(Scalar::I1) {
                continue;
            }
            let holds = |value: Value| match function.values[value].def {
                ValueDef::Inst(inst) => checks.contains(&inst),
                ValueDef::Param(..) => false,
            };
            let condition = match (holds(data.args[0]), holds(data.args[1])) {
                (true, true) => None,
                (true, false) => Some(data.args[1]),
                (false, true) => Some(data.args[0]),
                (false, false) => continue,
            };
            if let Some(mask) = condition {
                let Some(splat) = function.def_inst(mask).filter(|data| data.op == Opcode::Splat) else {
                    continue;
                };
                let condition = splat.args[0];
                if !common.conditions.contains(&condition) {
                    let mut hoisted = FxHashSet::default();
                    if common.conditions.len() >= CONDITIONS_MAX
                        || !versions::hoist(function, &places, start, condition, &mut hoisted)
                    {
                        continue;
                    }
                    common.conditions.push(condition);
                    common.hoisted.extend(hoisted);
                }
            }
            checks.insert(inst);
        }
        common
    }
}

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, rare: &RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut finder = Finder::new(function);
    let mut uses = None;
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut grown = 0;
    for block in function.block_order.clone() {
        order.push(block);
        let found = if rare.contains(&block) { None } else { finder.groups(function, block) };
        let Some(Found { start, groups, others, hoisted: needed }) = found else { continue };
        let mut checks: FxHashSet<Inst> = groups.iter().flat_map(|group| &group.checks).copied().collect();
        checks.extend(&others);
        let common = Common::find(function, block, start, &mut checks);
        let Some(end) = end(function, block, start, &checks) else { continue };
        if grown + end - start > FUNCTION_MAX {
            continue;
        }
        grown += end - start;
        drop(finder);
        let uses = uses.get_or_insert_with(|| UseCounts::new(function));
        let hoisted = groups.iter().flat_map(|group| &group.hoisted);
        let hoisted = hoisted.chain(&common.hoisted).chain(&needed).copied().collect();
        let region = Region { block, start, end, hoisted: &hoisted };
        let mut holds = None;
        order.extend(region.split(
            function,
            uses,
            |new| condition(new, &groups, &others, &common),
            |new, inst, _, _| checks.contains(&inst).then(|| *holds.get_or_insert_with(|| always(new))),
        ));
        finder = Finder::new(function);
    }
    function.block_order = order;
    grown > 0
}

/// Where the region ends: with the block where it has many checks, so that what they load need not pass by
/// where the two versions meet; else with the last instruction that asks for the result of a check. None
/// where that is too far away.
fn end(function: &Function, block: Block, start: usize, checks: &FxHashSet<Inst>) -> Option<usize> {
    let mut masks: FxHashSet<Value> = FxHashSet::default();
    let insts = &function.blocks[block].insts;
    let barrier = insts[start..].iter().position(|&inst| versions::is_barrier(function, inst));
    let limit = barrier.map_or(insts.len(), |place| start + place);
    let mut end = start;
    for (place, &inst) in insts[..limit].iter().enumerate().skip(start) {
        let data = &function.insts[inst];
        let is_check = checks.contains(&inst);
        let asks = data.args.iter().any(|arg| masks.contains(arg));
        if is_check || (asks && data.op == Opcode::And) {
            masks.extend(data.result.expand());
        }
        if is_check || asks {
            end = place + 1;
        }
    }
    if limit - start <= REGION_MAX.min(checks.len() * INSTRUCTIONS_PER_CHECK) {
        end = limit;
    }
    (end - start <= REGION_MAX).then_some(end)
}

/// What is found in a block.
struct Found {
    /// Where the first check is.
    start: usize,
    groups: Vec<Group>,
    /// Checks of indices that are no such sums, each by itself.
    others: Vec<Inst>,
    /// What those need.
    hoisted: FxHashSet<Inst>,
}

struct Finder<'f> {
    bounds: LaneBounds<'f>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function) -> Finder<'f> {
        Finder { bounds: LaneBounds::new(function) }
    }

    /// The groups of a block, if they are worth it.
    fn groups(&mut self, function: &Function, block: Block) -> Option<Found> {
        let insts = &function.blocks[block].insts;
        let is_check = |inst: Inst| {
            let data = &function.insts[inst];
            matches!(data.op, Opcode::ULt | Opcode::ULe)
                && function.ty(data.args[0]) == Type::varying(Scalar::I32)
                && function.def_inst(data.args[1]).is_some_and(|count| count.op == Opcode::Splat)
        };
        let start = insts.iter().position(|&inst| is_check(inst))?;
        let places: FxHashMap<Inst, usize> =
            insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect();
        let mut groups: Vec<Group> = Vec::new();
        let (mut others, mut others_need) = (Vec::new(), FxHashSet::default());
        let mut by_limit: FxHashMap<Limit, SmallVec<[usize; 4]>> = FxHashMap::default();
        for &inst in &insts[start..] {
            if versions::is_barrier(function, inst) {
                break;
            }
            if !is_check(inst) {
                continue;
            }
            let is_inclusive = function.insts[inst].op == Opcode::ULe;
            let args = &function.insts[inst].args;
            let (index, count) = (args[0], function.def_inst(args[1]).expect("a splat").args[0]);
            let Some((bounds, shift)) = self.shifted_bounds(function, index) else {
                let mut needed = FxHashSet::default();
                let can = [args[0], args[1]]
                    .iter()
                    .all(|&value| versions::hoist(function, &places, start, value, &mut needed));
                if can {
                    others.push(inst);
                    others_need.extend(needed);
                }
                continue;
            };
            // Nothing is left to ask when the shader runs.
            if bounds.terms.is_empty() && function.const_bits(count).is_some() {
                continue;
            }
            let mut hoisted = FxHashSet::default();
            let needed = bounds.terms.iter().map(|&(value, _)| value).chain([count]);
            let can = needed
                .into_iter()
                .all(|value| versions::hoist(function, &places, start, value, &mut hoisted));
            if !can {
                continue;
            }
            let limit = Limit { count, is_inclusive, shift };
            let same_limit = by_limit.entry(limit).or_default();
            let known = same_limit.iter().copied().find(|&at| groups[at].bounds.resembles(&bounds));
            let at = known.unwrap_or_else(|| {
                let (checks, hoisted) = Default::default();
                same_limit.push(groups.len());
                groups.push(Group { limit, bounds: bounds.clone(), checks, hoisted });
                groups.len() - 1
            });
            let group = &mut groups[at];
            let mut joined = group.bounds.clone();
            joined.join(&bounds);
            if joined.is_small() {
                group.bounds = joined;
                group.checks.insert(inst);
                group.hoisted.extend(hoisted);
            }
        }
        // A mask that is left of a predicate is left of the access.
        let registers = (function.lanes as usize).div_ceil(16);
        let alone = whole_predicates(function, &insts[start..], &groups);
        groups.retain(|group| {
            let is_large = group.checks.len() > 1 && group.checks.len() * registers >= CHECKS_MIN;
            is_large || group.checks.iter().all(|check| alone.contains(check))
        });
        let checks: usize = groups.iter().map(|group| group.checks.len()).sum();
        if checks * registers < CHECKS_MIN || checks == groups.len() {
            groups.clear();
        }
        // These are computed as before; what is gained are the masks of accesses.
        let too_many = others.len() > OTHERS_MAX;
        if too_many || guarded_by(function, &insts[start..], &others) < OTHER_ACCESSES_MIN {
            others.clear();
            others_need.clear();
        }
        let is_worth_it = !groups.is_empty() || !others.is_empty();
        is_worth_it.then_some(Found { start, groups, others, hoisted: others_need })
    }

    /// What an index is in all lanes, or what it is shifted right of.
    fn shifted_bounds(&mut self, function: &Function, index: Value) -> Option<(Bounds, u32)> {
        if let Some(bounds) = self.bounds.of(function, index) {
            return Some((bounds, 0));
        }
        let sum = self.bounds.offsets.of(index);
        let &[(shifted, 1)] = sum.terms.as_slice() else { return None };
        let data = function.def_inst(shifted).filter(|data| data.op == Opcode::LShr)?;
        let shift = function.const_bits(data.args[1]).filter(|&shift| shift <= SHIFT_MAX)? as u32;
        let added = i64::from(sum.constant as i32) << shift;
        let mut bounds = self.bounds.of(function, data.args[0])?;
        // What is shifted must not wrap either, so what is added counts above only.
        bounds.constant.1 += added;
        (added >= 0 && bounds.is_small()).then_some((bounds, shift))
    }
}

/// Which checks of groups predicates of accesses consist of, besides what is the same for all lanes.
fn whole_predicates(function: &Function, insts: &[Inst], groups: &[Group]) -> FxHashSet<Inst> {
    let checks: FxHashSet<Inst> = groups.iter().flat_map(|group| &group.checks).copied().collect();
    // What checks alone make, by result.
    let mut made: FxHashMap<Value, SmallVec<[Inst; 4]>> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for &inst in insts {
        let data = &function.insts[inst];
        if checks.contains(&inst) {
            made.insert(data.expect_result(), SmallVec::from_slice(&[inst]));
        } else if data.op == Opcode::And {
            let is_splat = |value| function.def_inst(value).is_some_and(|data| data.op == Opcode::Splat);
            let parts = data.args.iter().map(|arg| match made.get(arg) {
                None if is_splat(*arg) => Some(SmallVec::new()),
                parts => parts.cloned(),
            });
            if let Some(parts) = parts.collect::<Option<SmallVec<[SmallVec<[Inst; 4]>; 2]>>>() {
                let parts = SmallVec::from_vec(parts.concat());
                if parts.len() <= PARTS_MAX {
                    made.insert(data.expect_result(), parts);
                }
            }
        } else if data.op.is_memory() {
            found.extend(data.args.last().and_then(|predicate| made.get(predicate)).into_iter().flatten());
        }
    }
    found
}

/// How many accesses among instructions have one of these checks as their predicate.
fn guarded_by(function: &Function, insts: &[Inst], checks: &[Inst]) -> usize {
    if checks.is_empty() {
        return 0;
    }
    let is_guarded = |&&inst: &&Inst| {
        let data = &function.insts[inst];
        let predicate = data.args.last().filter(|_| data.op.is_memory());
        predicate.is_some_and(|&predicate| match function.values[predicate].def {
            ValueDef::Inst(inst) => checks.contains(&inst),
            ValueDef::Param(..) => false,
        })
    };
    insts.iter().filter(is_guarded).count()
}

/// A check that holds.
fn always(new: &mut New<'_>) -> Value {
    let holds = new.op(Opcode::Const, &[], 1, Type::uniform(Scalar::I1));
    new.op(Opcode::Splat, &[holds], 0, Type::varying(Scalar::I1))
}

/// Whether some index may be out of bounds, or what is joined with the checks does not hold.
fn condition(new: &mut New<'_>, groups: &[Group], others: &[Inst], common: &Common) -> Value {
    let holds = Type::uniform(Scalar::I1);
    let mut wide: FxHashMap<Value, Value> = FxHashMap::default();
    let mut all = None;
    for &condition in &common.conditions {
        let bad = new.op(Opcode::Not, &[condition], 0, holds);
        all = Some(match all {
            None => bad,
            Some(all) => new.op(Opcode::Or, &[all, bad], 0, holds),
        });
    }
    let mask = Type::varying(Scalar::I1);
    // Compared here, so that one mask is alive and not each of them.
    let mut every: Option<Value> = None;
    for &check in others {
        let InstData { op, args, .. } = new.function.insts[check].clone();
        let check = new.op(op, &args, 0, mask);
        every = Some(match every {
            None => check,
            Some(every) => new.op(Opcode::And, &[every, check], 0, mask),
        });
    }
    if let Some(every) = every {
        let fails = new.op(Opcode::Not, &[every], 0, mask);
        let bad = new.op(Opcode::Any, &[fails], 0, holds);
        all = Some(match all {
            None => bad,
            Some(all) => new.op(Opcode::Or, &[all, bad], 0, holds),
        });
    }
    // A number of 64 bits that is negative where one of those is that it is made of.
    let mut sign: Option<Value> = None;
    let mut note = |new: &mut New<'_>, number: Value| {
        sign = Some(match sign {
            None => number,
            Some(sign) => new.op(Opcode::Or, &[sign, number], 0, Type::uniform(Scalar::I64)),
        });
    };
    let number = Type::uniform(Scalar::I64);
    for same in by_terms(groups) {
        // What is added is part of the limits, so that of these, which seldom change, the least is asked
        // about.
        let first = same[0];
        let terms = Bounds { constant: (0, 0), ..first.bounds.clone() };
        let (least, greatest) = sums(new, &terms, &mut wide);
        let added = same.iter().map(|group| group.bounds.constant.0).min().unwrap_or(0);
        let added = new.op(Opcode::Const, &[], added as u64, number);
        let least = new.op(Opcode::IAdd, &[least, added], 0, number);
        note(new, least);
        let mut end: Option<Value> = None;
        for group in same {
            let last = group.limit.last(new);
            let word = (group.limit.shift > 0).then(|| new.op(Opcode::Const, &[], u32::MAX.into(), number));
            for last in [Some(last), word].into_iter().flatten() {
                let added = new.op(Opcode::Const, &[], group.bounds.constant.1 as u64, number);
                let last = new.op(Opcode::ISub, &[last, added], 0, number);
                end = Some(match end {
                    None => last,
                    Some(end) => new.op(Opcode::SMin, &[end, last], 0, number),
                });
            }
        }
        if let Some(end) = end {
            let rest = new.op(Opcode::ISub, &[end, greatest], 0, number);
            note(new, rest);
        }
    }
    if let Some(sign) = sign {
        let zero = new.op(Opcode::Const, &[], 0, Type::uniform(Scalar::I64));
        let bad = new.op(Opcode::SLt, &[sign, zero], 0, holds);
        all = Some(match all {
            None => bad,
            Some(all) => new.op(Opcode::Or, &[all, bad], 0, holds),
        });
    }
    all.expect("there are groups")
}

/// Groups whose sums differ in constants only.
fn by_terms(groups: &[Group]) -> Vec<SmallVec<[&Group; 4]>> {
    let mut all: Vec<SmallVec<[&Group; 4]>> = Vec::new();
    for group in groups {
        match all.iter_mut().find(|same| same[0].bounds.terms == group.bounds.terms) {
            Some(same) => same.push(group),
            None => all.push(SmallVec::from_slice(&[group])),
        }
    }
    all
}
