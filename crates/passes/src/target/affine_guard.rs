//! Accesses at clamped or wrapped indices are those of neighbouring elements wherever nothing is clamped.
//!
//! Problem: `a[clamp(x + 1, 0, last)]`, `a[i % width]`, `a[x < 0 ? 0 : x]`: almost everywhere lanes go side
//! by side, but only when the shader runs it is known where. So each is a gather, which takes as long as
//! dozens of vector instructions.
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
//! in all lanes. Quotients and remainders by powers of two of what goes on further than the divisor (blocks
//! of 32 weights, of which each lane reads eight) are expected to be *numbers* of the lanes, those that they
//! would be where lane 0 begins at a multiple of the divisor, and one addend: whether they are follows from
//! what the lanes share, whose remainder must be so small that no lane gets beyond the next multiple. Sums
//! that differ in a constant are asked once. Of quotients in sums that are divided again (words of blocks of
//! blocks) the numbers of the lanes are part of what is known, and the addend is part of what lanes share.
//! What of these is nothing but numbers replaces the value wherever the fast code reads it. The accesses of a
//! block are taken together: guarded values are computed where the first of them is, one branch asks whether
//! all are as expected, and what is between the first and the last access is there twice.
//!
//! Invariants: the fast code runs only where every guarded value is equal to what stands for it, in all
//! lanes, active or not. So no value changes anywhere, whatever lanes are active and whatever the guess was
//! worth.

use crate::analysis::affine::{same, sum};
use crate::analysis::linear_offset::Terms;
use crate::analysis::{Affine, AffineValues, LinearOffsets, UseCounts};
use crate::simplify::{BITS_DEPTH, possible_bits};
use crate::target::RareBlocks;
use crate::target::versions::{self, New, Region};
use pyro_ir::{Block, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Space, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;
/// The same for quotients, whose operands are looked at again wherever they occur.
const QUOTIENT_DEPTH: u32 = 6;
/// How many quotients are looked into that are divided again.
const NUMBERS_DEPTH: u32 = 8;
/// The most that lanes of a base may be apart: what is further is seldom expected to hold.
const SPREAD_MAX: i32 = 256;
/// Where the numbers of lanes end that are divided.
const NUMBER_END: u32 = 1 << 16;
/// The most bytes between neighbouring lanes for which an access is better than a gather.
const STEP_MAX: i32 = 16;
/// The most guarded values of one branch.
const GUARDS_MAX: usize = 32;
/// Blocks with fewer instructions for an access are there twice up to their end.
const INSTRUCTIONS_PER_ACCESS: usize = 16;
/// The most instructions that are twice, of one block and of the function.
const REGION_MAX: usize = 512;
const FUNCTION_MAX: usize = 2048;

/// What a guarded value is expected to be.
#[derive(Clone)]
enum Expected {
    /// That of this value, and an addend for all lanes.
    Base(Value),
    /// The same in all lanes.
    Same,
    /// Numbers that are known for each lane, and an addend for all.
    Numbers(Rc<Numbers>),
}

/// The quotient or the remainder by a power of two of a sum: of what is known for each lane, and of what all
/// lanes share. It is that of the first, and an addend for all lanes, where the remainder of the second is
/// below `room` and the whole sum does not wrap.
struct Numbers {
    op: Opcode,
    /// What is known for each lane, times constants. A value of `inner` stands for its numbers.
    terms: Terms,
    /// What of that is such a quotient or remainder itself.
    inner: SmallVec<[(Value, Rc<Numbers>); 2]>,
    /// What of the sum's constant is below the divisor. The rest is shared.
    constant: u32,
    by: u32,
    lanes: Rc<[Option<i32>]>,
    /// What it is of the numbers alone, by lane.
    results: SmallVec<[u32; 16]>,
    /// What all lanes share, times constants, and a multiple of the divisor. A value of `inner` stands for
    /// its addend.
    shared: Terms,
    multiple: u32,
    /// What of that is no multiple of the divisor.
    uneven: Terms,
    room: u32,
    /// The greatest number of a lane.
    most: u32,
}

#[derive(Clone)]
struct Guard {
    value: Value,
    expected: Expected,
}

impl Guard {
    /// What the branch in front asks about.
    fn needs(&self) -> SmallVec<[Value; 4]> {
        match &self.expected {
            Expected::Base(_) | Expected::Same => SmallVec::from_slice(&[self.value]),
            Expected::Numbers(numbers) => {
                let all = numbers.terms.iter().chain(&numbers.shared).map(|&(value, _)| value);
                all.filter(|value| numbers.inner.iter().all(|(inner, _)| inner != value)).collect()
            }
        }
    }
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
pub fn run(function: &mut Function, rare: &RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut finder = Finder::new(function);
    let mut uses = None;
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut grown = 0;
    for block in function.block_order.clone() {
        order.push(block);
        if !rare.contains(&block)
            && let Some(plan) = finder.plan(function, block)
            && grown + plan.end - plan.start <= FUNCTION_MAX
        {
            grown += plan.end - plan.start;
            drop(finder);
            let uses = uses.get_or_insert_with(|| UseCounts::new(function));
            order.extend(apply(function, block, &plan, uses));
            finder = Finder::new(function);
        }
    }
    function.block_order = order;
    grown > 0
}

struct Finder<'f> {
    values: AffineValues,
    offsets: LinearOffsets<'f>,
    /// Quotients and remainders, found once each.
    numbers: FxHashMap<Value, Option<Rc<Numbers>>>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function) -> Finder<'f> {
        let (values, offsets) = (AffineValues::default(), LinearOffsets::new(function));
        Finder { values, offsets, numbers: FxHashMap::default() }
    }

    fn plan(&mut self, function: &Function, block: Block) -> Option<Plan> {
        let insts = &function.blocks[block].insts;
        // Few blocks need it.
        let mut places: Option<FxHashMap<Inst, usize>> = None;
        let mut plan: Option<Plan> = None;
        for (place, &inst) in insts.iter().enumerate() {
            if versions::is_barrier(function, inst) {
                if plan.is_some() {
                    break;
                }
                continue;
            }
            let Some(guards) = self.guards_of(function, inst) else { continue };
            let places = places.get_or_insert_with(|| {
                insts.iter().enumerate().map(|(place, &inst)| (inst, place)).collect()
            });
            let start = plan.as_ref().map_or(place, |plan| plan.start);
            let so_far = plan.as_ref().map_or(&[] as &[Guard], |plan| &plan.guards);
            let new: Vec<Guard> = guards
                .into_iter()
                .filter(|guard| so_far.iter().all(|known| known.value != guard.value))
                .collect();
            let mut hoisted = plan.as_ref().map(|plan| plan.hoisted.clone()).unwrap_or_default();
            let can = place + 1 - start <= REGION_MAX
                && so_far.len() + new.len() <= GUARDS_MAX
                && new
                    .iter()
                    .flat_map(Guard::needs)
                    .all(|value| versions::hoist(function, places, start, value, &mut hoisted));
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
            && self.values.of(function, offset).is_none();
        if !fits {
            return None;
        }
        let mut guards = Vec::new();
        let sum = self.expected(function, offset, &mut guards, &mut FxHashMap::default(), DEPTH)?;
        (is_near(&sum) && !guards.is_empty()).then_some(guards)
    }

    /// What a value is if guarded values are as expected; adds those. `seen` has what was found so far.
    fn expected(
        &mut self,
        function: &Function,
        value: Value,
        guards: &mut Vec<Guard>,
        seen: &mut FxHashMap<Value, Option<Affine>>,
        depth: u32,
    ) -> Option<Affine> {
        if let Some(known) = self.values.of(function, value) {
            return Some(known);
        }
        if let Some(known) = seen.get(&value) {
            return known.clone();
        }
        if let Some(expected) = self.guarded(function, value) {
            add_guard(guards, value, &expected);
            return match expected {
                Expected::Numbers(numbers) => Some(Affine { first: None, lanes: numbers.lanes.clone() }),
                Expected::Base(base) => {
                    let base = self.values.of(function, base)?;
                    Some(Affine { first: None, ..base })
                }
                Expected::Same => Some(same(function.lanes)),
            };
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        let args = data.args.clone();
        let op = data.op;
        let found =
            sum(function, op, &args, |index| self.expected(function, args[index], guards, seen, depth - 1));
        seen.insert(value, found.clone());
        found
    }

    /// What a value that is no such sum is expected to be.
    fn guarded(&mut self, function: &Function, value: Value) -> Option<Expected> {
        use Opcode as O;
        if let Some(numbers) = self.numbers(function, value, NUMBERS_DEPTH) {
            return Some(Expected::Numbers(numbers));
        }
        match function.def_inst(value)?.op {
            O::SMin | O::SMax | O::UMin | O::UMax | O::Select | O::And | O::URem | O::SRem => {
                self.base(function, value, DEPTH).map(Expected::Base)
            }
            O::UDiv | O::SDiv | O::LShr | O::AShr | O::UMulHigh | O::SMulHigh => {
                self.is_smooth(function, value, QUOTIENT_DEPTH).then_some(Expected::Same)
            }
            _ => None,
        }
    }

    /// What a quotient or a remainder by a power of two is where what lanes share is a multiple of that.
    fn numbers(&mut self, function: &Function, value: Value, depth: u32) -> Option<Rc<Numbers>> {
        if let Some(known) = self.numbers.get(&value) {
            return known.clone();
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        let found = self.find_numbers(function, data, depth).map(Rc::new);
        self.numbers.insert(value, found.clone());
        found
    }

    fn find_numbers(&mut self, function: &Function, data: &InstData, depth: u32) -> Option<Numbers> {
        let by = function.const_bits(*data.args.get(1)?)? as u32;
        let divisor = match data.op {
            Opcode::LShr => 1u32.checked_shl(by)?,
            Opcode::And => by.checked_add(1).filter(|divisor| divisor.is_power_of_two())?,
            _ => return None,
        };
        if !function.ty(data.args[0]).is_varying() || function.ty(data.args[0]).scalar != Scalar::I32 {
            return None;
        }
        let sum = self.offsets.of(data.args[0]);
        let (terms, mut shared): (Terms, Terms) =
            sum.terms.iter().copied().partition(|&(value, _)| function.ty(value).is_varying());
        let constant = sum.constant & (divisor - 1);
        let mut numbers: SmallVec<[u32; 16]> = SmallVec::from_elem(constant, function.lanes as usize);
        let mut inner: SmallVec<[(Value, Rc<Numbers>); 2]> = SmallVec::new();
        for &(value, factor) in &terms {
            let quotient = match self.values.of(function, value) {
                Some(affine) => {
                    for (lane, number) in numbers.iter_mut().enumerate() {
                        *number = number.wrapping_add(affine.at(lane)?.wrapping_mul(factor));
                    }
                    continue;
                }
                None => self.numbers(function, value, depth - 1)?,
            };
            for (number, result) in numbers.iter_mut().zip(&quotient.results) {
                *number = number.wrapping_add(result.wrapping_mul(factor));
            }
            if quotient.has_addend() {
                shared.push((value, factor));
            }
            inner.push((value, quotient));
        }
        let is_known =
            inner.is_empty() && (shared.is_empty() || numbers.iter().all(|&one| one == numbers[0]));
        if terms.is_empty() || is_known || numbers.iter().any(|&number| number >= NUMBER_END) {
            return None;
        }
        let result =
            |&number: &u32| if data.op == Opcode::LShr { number / divisor } else { number % divisor };
        let results: SmallVec<[u32; 16]> = numbers.iter().map(result).collect();
        let is_uneven = |&&(value, factor): &&(Value, u32)| {
            let bits = if function.ty(value).is_varying() {
                u64::MAX
            } else {
                possible_bits(function, value, BITS_DEPTH)
            };
            bits.trailing_zeros() + factor.trailing_zeros() < divisor.trailing_zeros()
        };
        Some(Numbers {
            op: data.op,
            constant,
            by,
            lanes: results.iter().map(|&one| Some(one as i32 - results[0] as i32)).collect(),
            uneven: shared.iter().filter(is_uneven).copied().collect(),
            multiple: sum.constant - constant,
            room: divisor - numbers.iter().map(|&number| number % divisor).max()?,
            most: numbers.iter().copied().max()?,
            terms,
            inner,
            results,
            shared,
        })
    }

    /// What a clamped value is where nothing is clamped.
    fn base(&mut self, function: &Function, value: Value, depth: u32) -> Option<Value> {
        use Opcode as O;
        if let Some(affine) = self.values.of(function, value) {
            return is_base(&affine).then_some(value);
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        let args = data.args.clone();
        let mut is_same = |value: Value| {
            function.ty(value).scalar == Scalar::I32
                && self.values.of(function, value).is_some_and(|affine| affine.is_same())
        };
        let inner = match data.op {
            O::SMin | O::SMax | O::UMin | O::UMax | O::And if is_same(args[1]) => args[0],
            O::SMin | O::SMax | O::UMin | O::UMax | O::And if is_same(args[0]) => args[1],
            O::URem | O::SRem if is_same(args[1]) => args[0],
            O::Select if is_same(args[1]) => args[2],
            O::Select if is_same(args[2]) => args[1],
            // `x < 0 ? x + width : x`
            O::Select => {
                let (a, b) = (self.values.of(function, args[1])?, self.values.of(function, args[2])?);
                return (is_base(&a) && a.lanes == b.lanes).then_some(args[1]);
            }
            _ => return None,
        };
        self.base(function, inner, depth - 1)
    }

    /// Whether a quotient grows slowly from lane to lane.
    fn is_smooth(&mut self, function: &Function, value: Value, depth: u32) -> bool {
        use Opcode as O;
        if let Some(affine) = self.values.of(function, value) {
            return affine.is_same() || is_base(&affine);
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

impl Numbers {
    fn divisor(&self) -> u32 {
        if self.op == Opcode::LShr { 1 << self.by } else { self.by + 1 }
    }

    /// Whether what the lanes share adds to it.
    fn has_addend(&self) -> bool {
        match self.op {
            Opcode::And => self.room > 1 && !self.uneven.is_empty(),
            _ => !self.shared.is_empty() || self.multiple != 0,
        }
    }

    /// Those of the lanes where nothing is shared. `known` has those of inner values.
    fn own(&self, new: &mut New<'_>, known: &FxHashMap<Value, Value>) -> Value {
        let ty = Type::varying(Scalar::I32);
        let splat = |new: &mut New<'_>, bits: u32| {
            let constant = new.op(Opcode::Const, &[], bits.into(), Type::uniform(Scalar::I32));
            new.op(Opcode::Splat, &[constant], 0, ty)
        };
        let mut sum = splat(new, self.constant);
        for &(value, factor) in &self.terms {
            let factor = splat(new, factor);
            let value = known.get(&value).copied().unwrap_or(value);
            let product = new.op(Opcode::IMul, &[value, factor], 0, ty);
            sum = new.op(Opcode::IAdd, &[product, sum], 0, ty);
        }
        let by = splat(new, self.by);
        new.op(self.op, &[sum, by], 0, ty)
    }
}

/// What lanes share, computed once for each sum.
#[derive(Default)]
struct Shared {
    sums: Vec<(Terms, Value)>,
    /// Addends of quotients and remainders.
    addends: FxHashMap<Value, Value>,
    /// What each sum must not be above, so that nothing wraps.
    most: Vec<(Value, u32)>,
    /// Sums, and what their remainders by a power of two must be below.
    rooms: Vec<(Value, u32, u32)>,
}

impl Shared {
    fn sum(&mut self, new: &mut New<'_>, terms: &Terms) -> Value {
        if let Some((_, known)) = self.sums.iter().find(|(known, _)| known == terms) {
            return *known;
        }
        let ty = Type::uniform(Scalar::I32);
        let mut sum = None;
        for &(value, factor) in terms {
            let factor = new.op(Opcode::Const, &[], factor.into(), ty);
            let value = self.addends.get(&value).copied().unwrap_or(value);
            let product = new.op(Opcode::IMul, &[value, factor], 0, ty);
            sum = Some(sum.map_or(product, |sum| new.op(Opcode::IAdd, &[sum, product], 0, ty)));
        }
        let sum = sum.unwrap_or_else(|| new.op(Opcode::Const, &[], 0, ty));
        self.sums.push((terms.clone(), sum));
        sum
    }

    /// What is added for all lanes. Notes what is to be asked.
    fn addend(&mut self, new: &mut New<'_>, numbers: &Numbers) -> Value {
        let ty = Type::uniform(Scalar::I32);
        let divisor = numbers.divisor();
        if numbers.room < divisor && !numbers.uneven.is_empty() {
            let uneven = self.sum(new, &numbers.uneven);
            match self.rooms.iter_mut().find(|(value, known, _)| *value == uneven && *known == divisor) {
                Some((.., room)) => *room = numbers.room.min(*room),
                None => self.rooms.push((uneven, divisor, numbers.room)),
            }
        }
        if !numbers.has_addend() {
            return new.op(Opcode::Const, &[], 0, ty);
        }
        if numbers.op == Opcode::And {
            let uneven = self.sum(new, &numbers.uneven);
            let mask = new.op(Opcode::Const, &[], (divisor - 1).into(), ty);
            return new.op(Opcode::And, &[uneven, mask], 0, ty);
        }
        let shared = self.sum(new, &numbers.shared);
        // A multiple that is negative goes with the values.
        let (shared, apart) = if numbers.multiple > i32::MAX as u32 {
            let multiple = new.op(Opcode::Const, &[], numbers.multiple.into(), ty);
            (new.op(Opcode::IAdd, &[shared, multiple], 0, ty), 0)
        } else {
            (shared, numbers.multiple)
        };
        let most = u32::MAX - numbers.most - apart;
        match self.most.iter_mut().find(|(value, _)| *value == shared) {
            Some((_, known)) => *known = most.min(*known),
            None => self.most.push((shared, most)),
        }
        let by = new.op(Opcode::Const, &[], numbers.by.into(), ty);
        let quotient = new.op(Opcode::LShr, &[shared, by], 0, ty);
        let apart = new.op(Opcode::Const, &[], (apart >> numbers.by).into(), ty);
        new.op(Opcode::IAdd, &[quotient, apart], 0, ty)
    }

    /// Whether something is not as expected.
    fn differs(&self, new: &mut New<'_>) -> Option<Value> {
        let (number, truth) = (Type::uniform(Scalar::I32), Type::uniform(Scalar::I1));
        let mut all: Option<Value> = None;
        let mut note = |new: &mut New<'_>, bad: Value| {
            all = Some(all.map_or(bad, |all| new.op(Opcode::Or, &[all, bad], 0, truth)));
        };
        for &(sum, divisor, room) in &self.rooms {
            let mask = new.op(Opcode::Const, &[], (divisor - 1).into(), number);
            let remainder = new.op(Opcode::And, &[sum, mask], 0, number);
            let last = new.op(Opcode::Const, &[], (room - 1).into(), number);
            let bad = new.op(Opcode::ULt, &[last, remainder], 0, truth);
            note(new, bad);
        }
        for &(sum, most) in &self.most {
            let most = new.op(Opcode::Const, &[], most.into(), number);
            let bad = new.op(Opcode::ULt, &[most, sum], 0, truth);
            note(new, bad);
        }
        all
    }
}

/// Adds what a value rests on, and the value itself.
fn add_guard(guards: &mut Vec<Guard>, value: Value, expected: &Expected) {
    if guards.iter().any(|guard| guard.value == value) {
        return;
    }
    if let Expected::Numbers(numbers) = expected {
        for (value, inner) in &numbers.inner {
            add_guard(guards, *value, &Expected::Numbers(inner.clone()));
        }
    }
    guards.push(Guard { value, expected: expected.clone() });
}

/// Whether lanes are close together, and not all the same.
fn is_base(affine: &Affine) -> bool {
    !affine.is_same() && affine.lanes.iter().all(|lane| lane.is_some_and(|lane| lane.abs() <= SPREAD_MAX))
}

/// Whether most lanes are next to the ones before.
fn is_near(affine: &Affine) -> bool {
    let pairs = affine.lanes.windows(2);
    let near = pairs.filter(|pair| match (pair[0], pair[1]) {
        (Some(a), Some(b)) => b.wrapping_sub(a).abs() <= STEP_MAX,
        _ => false,
    });
    near.count() * 4 >= (affine.lanes.len() - 1) * 3
}

/// Makes the block end with the branch, and returns the blocks behind it.
fn apply(function: &mut Function, block: Block, plan: &Plan, uses: &UseCounts) -> [Block; 3] {
    let remade = RefCell::new(FxHashMap::default());
    let is_known =
        |guard: &&Guard| matches!(&guard.expected, Expected::Numbers(numbers) if !numbers.has_addend());
    let known: FxHashSet<Value> = plan.guards.iter().filter(is_known).map(|guard| guard.value).collect();
    let region = Region { block, start: plan.start, end: plan.end, hoisted: &plan.hoisted };
    region.split(
        function,
        uses,
        |new| {
            let (condition, places) = guards(new, &plan.guards);
            remade.replace(places);
            condition
        },
        |new, inst, args, copies| {
            let result = new.function.insts[inst].result.expand();
            if let Some(value) = result.filter(|value| known.contains(value)) {
                return remade.borrow().get(&value).copied();
            }
            for (arg, old) in args.iter_mut().zip(new.function.insts[inst].args.clone()) {
                if known.contains(&old) {
                    *arg = remade.borrow()[&old];
                }
            }
            if plan.accesses.contains(&inst) {
                let data = new.function.insts[inst].clone();
                let last = args.len() - 1;
                for index in [1, last] {
                    args[index] = remake(new, data.args[index], &mut remade.borrow_mut(), copies);
                }
            }
            None
        },
    )
}

/// Whether a guarded value is not as expected in some lane; and what stands for each.
fn guards(new: &mut New<'_>, guards: &[Guard]) -> (Value, FxHashMap<Value, Value>) {
    let (number, mask, truth) =
        (Type::varying(Scalar::I32), Type::varying(Scalar::I1), Type::uniform(Scalar::I1));
    let mut places = FxHashMap::default();
    let mut shared = Shared::default();
    let mut owns = FxHashMap::default();
    let mut differs = None;
    let zero = new.op(Opcode::Const, &[], 0, Type::uniform(Scalar::I32));
    for Guard { value, expected } in guards {
        let value = *value;
        let base = match expected {
            Expected::Base(base) => Some(*base),
            Expected::Numbers(numbers) => {
                let own = numbers.own(new, &owns);
                owns.insert(value, own);
                let addend = shared.addend(new, numbers);
                shared.addends.insert(value, addend);
                let addend = new.op(Opcode::Splat, &[addend], 0, number);
                places.insert(value, new.op(Opcode::IAdd, &[own, addend], 0, number));
                continue;
            }
            Expected::Same => None,
        };
        let addend = match base {
            Some(base) => new.op(Opcode::ISub, &[value, base], 0, number),
            None => value,
        };
        let first = new.op(Opcode::LaneRead, &[addend, zero], 0, Type::uniform(Scalar::I32));
        let first = new.op(Opcode::Splat, &[first], 0, number);
        // Bits of vectors; of masks there would be as many as guards.
        let other = new.op(Opcode::Xor, &[addend, first], 0, number);
        differs = Some(match differs {
            None => other,
            Some(differs) => new.op(Opcode::Or, &[differs, other], 0, number),
        });
        let place = match base {
            Some(base) => new.op(Opcode::IAdd, &[base, first], 0, number),
            None => first,
        };
        places.insert(value, place);
    }
    let in_lanes = differs.map(|differs| {
        let zero = new.op(Opcode::Splat, &[zero], 0, number);
        let differs = new.op(Opcode::INe, &[differs, zero], 0, mask);
        new.op(Opcode::Any, &[differs], 0, truth)
    });
    let differs = match (in_lanes, shared.differs(new)) {
        (Some(a), Some(b)) => new.op(Opcode::Or, &[a, b], 0, truth),
        (Some(one), None) | (None, Some(one)) => one,
        // Remainders of what is even.
        (None, None) => new.op(Opcode::Const, &[], 0, truth),
    };
    (differs, places)
}

/// An offset, or a predicate, with what stands for guarded values. `remade` has what is known, `copies` those
/// of the region's values.
fn remake(
    new: &mut New<'_>,
    value: Value,
    remade: &mut FxHashMap<Value, Value>,
    copies: &FxHashMap<Value, Value>,
) -> Value {
    if let Some(&remade) = remade.get(&value) {
        return remade;
    }
    let copy = |value: Value| copies.get(&value).copied().unwrap_or(value);
    let Some(data) = new.function.def_inst(value).cloned() else { return copy(value) };
    let is_sum = matches!(data.op, Opcode::IAdd | Opcode::ISub | Opcode::Shl | Opcode::IMul);
    let is_check = matches!(data.op, Opcode::ULt | Opcode::ULe | Opcode::And);
    let ty = new.function.ty(value);
    let mut result = copy(value);
    if (is_sum || is_check) && ty.is_varying() {
        let args: SmallVec<[Value; 4]> =
            data.args.iter().map(|&arg| remake(new, arg, remade, copies)).collect();
        if data.args.iter().zip(&args).any(|(&old, &arg)| copy(old) != arg) {
            result = new.op(data.op, &args, data.imm, ty);
        }
    }
    remade.insert(value, result);
    result
}
