//! Accesses whose lanes lie side by side wherever all of them are in one row.
//!
//! Problem: an invocation's number is divided by sizes that only the shader's run tells, and what it reads is
//! computed from the quotients: rows, columns, channels, groups of channels. Mostly the lanes of a subgroup
//! are neighbours in the last of these, so what they read lies side by side; but nothing in the offset says
//! so, and each access is a gather.
//!
//! ```text
//! i = lane + …                                 branch some lane's f is not lane 0's f + lane, slow, fast
//! f = ((i / n) * r + i % n) / g                fast: x = load a + (splat(lane 0's f + u) + lane) * 4
//! loop over u: x = load a + (f + u) * 4        slow: as before
//! ```
//!
//! Approach: of an offset that is a sum ([`LinearOffsets`]) the terms that differ from lane to lane, where
//! nothing but operations on integers makes them of lane numbers and of what all lanes share, are expected to
//! go up by one element from lane to lane. Where a workgroup's first row is shorter than a subgroup, that is
//! expected of the lanes of each row, or that they are the same if only the number of the row counts. It is
//! asked once for all accesses with these terms, whatever all lanes add to them, and in front of the loop
//! where it is the same in all iterations.
//!
//! Invariants: the fast code runs only where the offset is what stands for it in all lanes, active or not.

use crate::analysis::linear_offset::{LinearOffset, Terms};
use crate::analysis::{AffineValues, LinearOffsets, UseCounts};
use crate::licm;
use crate::target::RareBlocks;
use crate::target::fronts::Fronts;
use crate::target::versions::{self, New, Region};
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How deep expressions are looked into.
const DEPTH: u32 = 24;
/// The most values that are looked at to find how long rows are.
const VALUES_MAX: usize = 128;
/// The fewest lanes of a row.
const ROW_MIN: u32 = 4;
/// The most rows of a subgroup.
const ROWS_MAX: u32 = 4;
/// The most questions of a block.
const GUARDS_MAX: usize = 4;
/// Elements are of as many bytes.
const ELEMENT_MIN: u32 = 4;
const ELEMENT_MAX: u32 = 16;
/// Blocks with fewer instructions for an access are there twice up to their end.
const INSTRUCTIONS_PER_ACCESS: usize = 16;
/// The most instructions that are twice, of one block and of the function.
const REGION_MAX: usize = 256;
const FUNCTION_MAX: usize = 1024;

/// Rewrites a function in mask form. Returns whether anything changed.
pub fn run(function: &mut Function, rare: &RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut finder = Finder::new(function);
    if !function.block_order.iter().any(|&block| finder.usual(function, block, rare).is_some()) {
        return false;
    }
    drop(finder);
    licm::split_entries(function);
    let mut finder = Finder::new(function);
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut fronts: Option<(Fronts, UseCounts)> = None;
    let mut grown = 0;
    for block in function.block_order.clone() {
        order.push(block);
        let Some(plan) = finder.usual(function, block, rare) else { continue };
        if grown + plan.end - plan.start > FUNCTION_MAX {
            continue;
        }
        grown += plan.end - plan.start;
        drop(finder);
        let (fronts, uses) = fronts.get_or_insert_with(|| (Fronts::new(function), UseCounts::new(function)));
        let blocks = apply(function, block, &plan, fronts, uses);
        fronts.note_split(block, blocks[2]);
        finder = Finder::new(function);
        order.extend(blocks);
    }
    function.block_order = order;
    grown > 0
}

/// Terms that are expected to go up by as much from lane to lane.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Guard {
    /// Values of lanes times constants.
    terms: Terms,
    /// Lanes of a row.
    row: u32,
    /// From one lane of a row to the next.
    step: u32,
}

impl Guard {
    /// How often what the terms are goes into what they are of an offset, if they are its.
    fn factor_in(&self, sum: &LinearOffset, function: &Function) -> Option<u32> {
        let (terms, factor) = normal(sum, function)?;
        (terms == self.terms).then_some(factor)
    }
}

/// The terms of lanes without the power of two that all of them are multiples of, and that.
fn normal(sum: &LinearOffset, function: &Function) -> Option<(Terms, u32)> {
    let varying = || sum.terms.iter().filter(|(value, _)| function.ty(*value).is_varying());
    let shift = varying().map(|(_, factor)| factor.trailing_zeros()).min()?;
    // What is subtracted stays so.
    let part = |factor: u32| (factor as i32 >> shift) as u32;
    Some((varying().map(|&(value, factor)| (value, part(factor))).collect(), 1 << shift))
}

/// What is done with a block.
struct Plan {
    guards: Vec<Guard>,
    /// The instructions that are twice, by position.
    start: usize,
    end: usize,
    /// Accesses that become regular, with what their offsets are, and whose question that is.
    accesses: FxHashMap<Inst, (LinearOffset, usize)>,
    /// What is computed in front of the branch.
    hoisted: FxHashSet<Inst>,
}

/// What lanes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    /// The same.
    Shared,
    /// Numbers that are known when code is made.
    Known,
    /// Sums of such, and products of one of each.
    Regular,
    /// Something else, of nothing but these.
    Derived,
    /// What comes from memory, from loops, or from other lanes.
    Other,
}

struct Finder<'f> {
    offsets: LinearOffsets<'f>,
    affine: AffineValues,
    natures: FxHashMap<Value, Nature>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function) -> Finder<'f> {
        let (offsets, affine) = (LinearOffsets::new(function), AffineValues::default());
        Finder { offsets, affine, natures: FxHashMap::default() }
    }

    /// The plan of a block that does not run seldom.
    fn usual(&mut self, function: &Function, block: Block, rare: &RareBlocks) -> Option<Plan> {
        if rare.contains(&block) { None } else { self.plan(function, block) }
    }

    fn plan(&mut self, function: &Function, block: Block) -> Option<Plan> {
        let insts = &function.blocks[block].insts;
        let mut places: Option<FxHashMap<Inst, usize>> = None;
        let mut plan: Option<Plan> = None;
        for (place, &inst) in insts.iter().enumerate() {
            if versions::is_barrier(function, inst) {
                if plan.is_some() {
                    break;
                }
                continue;
            }
            let Some((sum, guard)) = self.guard_of(function, inst) else { continue };
            let places = places.get_or_insert_with(|| {
                insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect()
            });
            let start = plan.as_ref().map_or(place, |plan| plan.start);
            if place + 1 - start > REGION_MAX {
                break;
            }
            let known = plan.as_ref().and_then(|plan| plan.guards.iter().position(|known| *known == guard));
            let mut hoisted = plan.as_ref().map(|plan| plan.hoisted.clone()).unwrap_or_default();
            let count = plan.as_ref().map_or(0, |plan| plan.guards.len());
            let mut values = guard.terms.iter().map(|&(value, _)| value);
            let can = known.is_some()
                || count < GUARDS_MAX
                    && values.all(|value| versions::hoist(function, places, start, value, &mut hoisted));
            if !can {
                continue;
            }
            let plan = plan.get_or_insert_with(|| Plan {
                guards: Vec::new(),
                start,
                end: place,
                accesses: FxHashMap::default(),
                hoisted: FxHashSet::default(),
            });
            plan.hoisted = hoisted;
            plan.end = place + 1;
            plan.accesses.insert(inst, (sum, known.unwrap_or(count)));
            if known.is_none() {
                plan.guards.push(guard);
            }
        }
        // To the block's end where that is near, so that what is loaded need not pass by where the two
        // versions meet.
        if let Some(plan) = &mut plan {
            let barrier = insts[plan.end..].iter().position(|&inst| versions::is_barrier(function, inst));
            let end = barrier.map_or(insts.len(), |place| plan.end + place);
            if end - plan.start <= REGION_MAX.min(plan.accesses.len() * INSTRUCTIONS_PER_ACCESS) {
                plan.end = end;
            }
        }
        plan
    }

    /// What the offset of an access is, and what is expected of it, if it is one that this is for.
    fn guard_of(&mut self, function: &Function, inst: Inst) -> Option<(LinearOffset, Guard)> {
        let data = &function.insts[inst];
        if !matches!(data.op, Opcode::Load | Opcode::Store) {
            return None;
        }
        let memory = MemoryOp::from_imm(data.imm);
        let (base, offset) = (data.args[0], data.args[1]);
        let value = if data.op == Opcode::Store { data.args[2] } else { data.result.expand()? };
        let fits = !matches!(memory.space, Space::Context | Space::Frame)
            && !memory.volatile
            && function.ty(value).scalar.bits() == 32
            && function.ty(base).is_uniform()
            && function.ty(offset) == Type::varying(Scalar::I32)
            && self.affine.of(function, offset).is_none();
        if !fits {
            return None;
        }
        let sum = self.offsets.of(offset);
        let (terms, factor) = normal(&sum, function)?;
        if !(ELEMENT_MIN..=ELEMENT_MAX).contains(&factor) {
            return None;
        }
        let mut is_derived = false;
        let mut rows = Rows::default();
        for &(value, _) in &terms {
            match self.nature(function, value, DEPTH) {
                Nature::Other => return None,
                nature => is_derived |= nature == Nature::Derived,
            }
            rows.look(function, value, DEPTH);
        }
        if !is_derived {
            return None;
        }
        let (row, step) = match (rows.columns, rows.rows) {
            (Some(row), _) => (row, 1),
            (None, Some(row)) => (row, 0),
            (None, None) => (function.lanes, 1),
        };
        let row = row.min(function.lanes);
        let is_fine =
            row >= ROW_MIN && function.lanes.is_multiple_of(row) && function.lanes / row <= ROWS_MAX;
        is_fine.then_some((sum, Guard { terms, row, step }))
    }

    fn nature(&mut self, function: &Function, value: Value, depth: u32) -> Nature {
        if function.ty(value).is_uniform() {
            return Nature::Shared;
        }
        if let Some(&known) = self.natures.get(&value) {
            return known;
        }
        let found = self.find_nature(function, value, depth);
        self.natures.insert(value, found);
        found
    }

    fn find_nature(&mut self, function: &Function, value: Value, depth: u32) -> Nature {
        use Nature as N;
        use Opcode as O;
        if function.const_bits(value).is_some() {
            return N::Known;
        }
        let Some(data) = function.def_inst(value).filter(|_| depth > 0) else { return N::Other };
        match data.op {
            O::LaneId => return N::Known,
            O::Splat => return N::Shared,
            _ => {}
        }
        let is_number = |&arg: &Value| matches!(function.ty(arg).scalar, Scalar::I1 | Scalar::I32);
        let is_pure = data.op.effect() == Effect::Pure
            && matches!(function.ty(value).scalar, Scalar::I1 | Scalar::I32)
            && data.args.iter().all(is_number);
        if !is_pure {
            return N::Other;
        }
        let natures: SmallVec<[N; 3]> =
            data.args.iter().map(|&arg| self.nature(function, arg, depth - 1)).collect();
        let are = |wanted: &[N]| natures.iter().all(|nature| wanted.contains(nature));
        let is_constant = |index: usize| function.const_bits(data.args[index]).is_some();
        match data.op {
            _ if natures.contains(&N::Other) => N::Other,
            _ if are(&[N::Shared]) => N::Shared,
            _ if are(&[N::Known]) => N::Known,
            O::IAdd | O::ISub if are(&[N::Shared, N::Known, N::Regular]) => N::Regular,
            O::IMul if are(&[N::Shared, N::Known, N::Regular]) && natures.contains(&N::Shared) => N::Regular,
            O::IMul | O::Shl if is_constant(1) && are(&[N::Known, N::Regular]) => N::Regular,
            _ => N::Derived,
        }
    }
}

/// How a value follows from a lane's place in the rows of a workgroup.
#[derive(Default)]
struct Rows {
    /// Lanes of a row, where the place in it counts.
    columns: Option<u32>,
    /// Lanes of a row, where its number counts.
    rows: Option<u32>,
    seen: FxHashSet<Value>,
}

impl Rows {
    fn look(&mut self, function: &Function, value: Value, depth: u32) {
        let is_over = depth == 0 || self.seen.len() >= VALUES_MAX;
        if !function.ty(value).is_varying() || is_over || !self.seen.insert(value) {
            return;
        }
        let Some(data) = function.def_inst(value) else { return };
        let is_lane = |value: Value| function.def_inst(value).is_some_and(|data| data.op == Opcode::LaneId);
        let constant = || function.const_bits(data.args[1]).map(|bits| bits as u32);
        match data.op {
            Opcode::LaneId => self.columns = Some(self.columns.unwrap_or(u32::MAX)),
            Opcode::And if is_lane(data.args[0]) => {
                let row = constant().map_or(u32::MAX, |mask| mask.wrapping_add(1));
                let row = if row.is_power_of_two() { row } else { u32::MAX };
                self.columns = Some(self.columns.unwrap_or(u32::MAX).min(row));
            }
            Opcode::LShr if is_lane(data.args[0]) => {
                let row = constant().and_then(|count| 1u32.checked_shl(count)).unwrap_or(u32::MAX);
                self.rows = Some(self.rows.unwrap_or(u32::MAX).min(row));
            }
            _ => data.args.iter().for_each(|&arg| self.look(function, arg, depth - 1)),
        }
    }
}

/// What stands for the terms of a question: of each row what its first lane has.
type Firsts = SmallVec<[Value; ROWS_MAX as usize]>;

/// Makes the block end with the branch, and returns the blocks behind it.
fn apply(
    function: &mut Function,
    block: Block,
    plan: &Plan,
    fronts: &Fronts,
    uses: &UseCounts,
) -> [Block; 3] {
    let values = || plan.guards.iter().flat_map(|guard| guard.terms.iter().map(|&(value, _)| value));
    let mut firsts: Vec<Firsts> = Vec::new();
    // Asked where a loop is entered, or here.
    let asked = fronts.front(block, values).map(|front| {
        let insts = std::mem::take(&mut function.blocks[front].insts);
        let loc = function.insts[function.blocks[block].insts[plan.start]].loc;
        let mut new = New { function, insts, loc };
        let differs = question(&mut new, &plan.guards, &mut firsts);
        function.blocks[front].insts = new.insts;
        differs
    });
    let region = Region { block, start: plan.start, end: plan.end, hoisted: &plan.hoisted };
    let firsts = std::cell::RefCell::new(firsts);
    region.split(
        function,
        uses,
        |new| asked.unwrap_or_else(|| question(new, &plan.guards, &mut firsts.borrow_mut())),
        |new, inst, args, copies| {
            if let Some((sum, guard)) = plan.accesses.get(&inst) {
                args[1] = place(new, sum, &plan.guards[*guard], &firsts.borrow()[*guard], copies);
            }
            None
        },
    )
}

/// Whether some lane's terms are not as expected. Adds what the first lanes of rows have.
fn question(new: &mut New<'_>, guards: &[Guard], firsts: &mut Vec<Firsts>) -> Value {
    let (number, mask) = (Type::varying(Scalar::I32), Type::varying(Scalar::I1));
    let shared = Type::uniform(Scalar::I32);
    let mut differs: Option<Value> = None;
    for guard in guards {
        let mut sum: Option<Value> = None;
        for &(value, factor) in &guard.terms {
            let factor = splat(new, factor);
            let product = new.op(Opcode::IMul, &[value, factor], 0, number);
            sum = Some(sum.map_or(product, |sum| new.op(Opcode::IAdd, &[sum, product], 0, number)));
        }
        let sum = sum.expect("there are terms");
        let rows = new.function.lanes / guard.row;
        let own: Firsts = (0..rows)
            .map(|row| {
                let lane = new.op(Opcode::Const, &[], (row * guard.row).into(), shared);
                new.op(Opcode::LaneRead, &[sum, lane], 0, shared)
            })
            .collect();
        let expected = of_rows(new, guard, &own, 1);
        let other = new.op(Opcode::Xor, &[sum, expected], 0, number);
        differs = Some(differs.map_or(other, |all| new.op(Opcode::Or, &[all, other], 0, number)));
        firsts.push(own);
    }
    let zero = splat(new, 0);
    let differs = differs.expect("there are questions");
    let differs = new.op(Opcode::INe, &[differs, zero], 0, mask);
    new.op(Opcode::Any, &[differs], 0, Type::uniform(Scalar::I1))
}

/// An offset by what the first lanes of rows have.
fn place(
    new: &mut New<'_>,
    sum: &LinearOffset,
    guard: &Guard,
    firsts: &Firsts,
    copies: &FxHashMap<Value, Value>,
) -> Value {
    let shared = Type::uniform(Scalar::I32);
    let factor = guard.factor_in(sum, new.function).expect("the question is the access's");
    let constant = |new: &mut New<'_>, bits: u32| new.op(Opcode::Const, &[], bits.into(), shared);
    let mut all = constant(new, sum.constant);
    for &(value, times) in &sum.terms {
        if new.function.ty(value).is_uniform() {
            let value = copies.get(&value).copied().unwrap_or(value);
            let times = constant(new, times);
            let product = new.op(Opcode::IMul, &[value, times], 0, shared);
            all = new.op(Opcode::IAdd, &[all, product], 0, shared);
        }
    }
    let factor_value = constant(new, factor);
    let places: Firsts = firsts
        .iter()
        .map(|&first| {
            let product = new.op(Opcode::IMul, &[first, factor_value], 0, shared);
            new.op(Opcode::IAdd, &[product, all], 0, shared)
        })
        .collect();
    of_rows(new, guard, &places, factor)
}

/// In each lane what the first of its row has, and as many steps as it is behind that.
fn of_rows(new: &mut New<'_>, guard: &Guard, firsts: &Firsts, factor: u32) -> Value {
    let (number, mask) = (Type::varying(Scalar::I32), Type::varying(Scalar::I1));
    let lane = new.op(Opcode::LaneId, &[], 0, number);
    let mut chosen: Option<Value> = None;
    for (row, &first) in firsts.iter().enumerate().rev() {
        let first = new.op(Opcode::Splat, &[first], 0, number);
        chosen = Some(match chosen {
            None => first,
            Some(behind) => {
                let end = splat(new, (row as u32 + 1) * guard.row);
                let is_here = new.op(Opcode::ULt, &[lane, end], 0, mask);
                new.op(Opcode::Select, &[is_here, first, behind], 0, number)
            }
        });
    }
    let chosen = chosen.expect("there are rows");
    if guard.step == 0 {
        return chosen;
    }
    let last = splat(new, guard.row - 1);
    let column = new.op(Opcode::And, &[lane, last], 0, number);
    let step = splat(new, guard.step * factor);
    let column = new.op(Opcode::IMul, &[column, step], 0, number);
    new.op(Opcode::IAdd, &[chosen, column], 0, number)
}

fn splat(new: &mut New<'_>, bits: u32) -> Value {
    let constant = new.op(Opcode::Const, &[], bits.into(), Type::uniform(Scalar::I32));
    new.op(Opcode::Splat, &[constant], 0, Type::varying(Scalar::I32))
}
