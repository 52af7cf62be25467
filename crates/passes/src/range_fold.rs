//! Integer operations whose results follow from what their operands can be.
//!
//! Problem: each access of workgroup and private memory is checked against the end of its variable. Indices
//! are sums of loop counters, invocations' numbers and constants, which the conditions of loops and branches
//! keep in bounds. What operations alone say ([`crate::simplify`]) does not know of those.
//!
//! ```text
//! header(k): branch k < 16, body, exit          header(k): branch k < 16, body, exit
//! body: p = ult k, 64                           body: p = true
//!       q = and m, (i < 64)  if m is … and i < 8      q = m
//! ```
//!
//! Approach: [`IntRanges`] at each block. Comparisons become constants, minima and maxima operands, signed
//! divisions and shifts of what is not negative unsigned ones; constants in offsets displacements. The part
//! of a mask that holds wherever the others do is left out. Comparisons of what is known of each lane
//! ([`AffineValues`]) that hold for the first lanes alone ask for lanes by number: the same question has one
//! form then, and machine code moves the first lanes without a mask.
//!
//! Invariants: each result has the same bits in all lanes as before, active or not. Mask form.

use crate::analysis::int_ranges::Query;
use crate::analysis::{AffineValues, IntRanges, Interval, Width};
use crate::branch_fold::replace_all;
use pyro_ir::{Block, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Type, Value, eval};
use pyro_util::{PackedOption, SecondaryMap};
use smallvec::SmallVec;

/// Runs the pass, in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !function.block_order.iter().any(|&block| has_candidates(function, block)) {
        return false;
    }
    let ranges = IntRanges::new(function);
    let mut affine = AffineValues::default();
    let mut changes = Vec::new();
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let found =
                find(function, &ranges, block, inst).or_else(|| first_lanes(function, &mut affine, inst));
            if let Some(change) = found {
                changes.push((block, inst, change));
            }
        }
    }
    if changes.is_empty() {
        return false;
    }
    apply(function, changes);
    true
}

/// Whether a block has operations for which the analysis is made: those with a limit that is known. That the
/// condition at its end always has one result is seldom what is new here.
fn has_candidates(function: &Function, block: Block) -> bool {
    let ends = function.blocks[block].terminator.operand();
    function.blocks[block].insts.iter().any(|&inst| {
        let data = &function.insts[inst];
        let has_limit = || data.args.iter().any(|&arg| function.const_bits(arg).is_some());
        match kind(function, inst) {
            Some(Kind::Comparison) => has_limit() && data.result.expand() != ends,
            Some(Kind::Limit) => has_limit(),
            Some(Kind::Signed) => true,
            // Parts are comparisons themselves.
            Some(Kind::Part | Kind::Shift | Kind::Bits | Kind::Memory) | None => false,
        }
    })
}

/// What is looked for in an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comparison,
    /// Minima and maxima.
    Limit,
    /// A part of a mask.
    Part,
    /// Divisions, shifts and conversions of signed numbers.
    Signed,
    /// Shifts that may leave nothing.
    Shift,
    /// Low bits that are kept.
    Bits,
    Memory,
}

fn kind(function: &Function, inst: Inst) -> Option<Kind> {
    use Opcode as O;
    let data = &function.insts[inst];
    let scalar = function.ty(*data.args.first()?).scalar;
    let is_number = Width::of(scalar).is_some() && scalar != Scalar::I1;
    Some(match data.op {
        O::IEq | O::INe | O::ULt | O::ULe | O::SLt | O::SLe if is_number => Kind::Comparison,
        O::UMin | O::UMax | O::SMin | O::SMax if is_number => Kind::Limit,
        O::SDiv | O::SRem | O::AShr | O::SignExtend if is_number => Kind::Signed,
        O::LShr if is_number => Kind::Shift,
        O::And if scalar == Scalar::I1 => Kind::Part,
        O::And if is_number && function.const_bits(data.args[1]).is_some() => Kind::Bits,
        op if op.is_memory() => Kind::Memory,
        _ => return None,
    })
}

/// What becomes of an operation.
#[derive(Clone, Copy)]
enum Change {
    /// It always gives these bits.
    Constant(u64),
    /// It always gives this value.
    Value(Value),
    /// It does what another operation does.
    Op(Opcode),
    /// A constant of an access's offset becomes part of its displacement.
    Offset(Value, i32),
    /// It holds for so many of the first lanes.
    FirstLanes(u32),
}

/// What a value is in a block: as it is known there, and by a question where branches say more.
struct Here<'a> {
    function: &'a Function,
    ranges: &'a IntRanges,
    block: Block,
    query: Option<Query<'a>>,
}

impl Here<'_> {
    fn of(&mut self, value: Value) -> Option<Interval> {
        let Here { function, ranges, block, .. } = *self;
        if !ranges.has_facts_at(block) || function.const_bits(value).is_some() {
            return ranges.known_at(function, value, block);
        }
        self.query.get_or_insert_with(|| ranges.at(function, block)).of(value)
    }
}

fn find(function: &Function, ranges: &IntRanges, block: Block, inst: Inst) -> Option<Change> {
    let kind = kind(function, inst)?;
    let data = &function.insts[inst];
    let &[a, ref rest @ ..] = &data.args[..] else { return None };
    let mut here = Here { function, ranges, block, query: None };
    match kind {
        Kind::Comparison => {
            let width = Width::of(function.ty(a).scalar)?;
            let holds = width.compare(data.op, here.of(a)?, here.of(rest[0])?)?;
            Some(Change::Constant(holds.into()))
        }
        Kind::Limit => {
            let (x, y) = (here.of(a)?, here.of(rest[0])?);
            limit(data.op, x, y).map(|first| Change::Value(if first { a } else { rest[0] }))
        }
        Kind::Part => [(a, rest[0]), (rest[0], a)].into_iter().find_map(|(mask, part)| {
            // A part that is no comparison follows from nothing.
            if !is_comparison(function, part) {
                return None;
            }
            let mut there = ranges.at(function, block).under(mask);
            if !there.has_facts() {
                return None;
            }
            match there.of(part)? {
                Interval { low: 1, .. } => Some(Change::Value(mask)),
                Interval { high: 0, .. } => Some(Change::Constant(0)),
                _ => None,
            }
        }),
        Kind::Signed => signed(&mut here, data, a, rest),
        Kind::Shift => number(&mut here, data),
        Kind::Bits => {
            let kept = function.const_bits(rest[0])? as u32;
            let of = here.of(a)?;
            let low = kept | ((1u32 << of.zeros.min(31)) - 1);
            let is_all = low & low.wrapping_add(1) == 0 && of.high <= low;
            is_all.then_some(Change::Value(a))
        }
        Kind::Memory => {
            let sum = function.def_inst(rest[0]).filter(|sum| sum.op == Opcode::IAdd)?;
            let constant = function.const_bits(sum.args[1]).filter(|&constant| constant != 0)?;
            let most = u64::from(here.of(sum.args[0])?.high).checked_add(constant)?;
            let displacement = MemoryOp::from_imm(data.imm).displacement;
            let displacement = displacement.checked_add(i32::try_from(constant).ok()?)?;
            (most <= i32::MAX as u64).then_some(Change::Offset(sum.args[0], displacement))
        }
    }
}

/// What a comparison of numbers that are known of each lane becomes.
fn first_lanes(function: &Function, affine: &mut AffineValues, inst: Inst) -> Option<Change> {
    let data = &function.insts[inst];
    let is_comparison = kind(function, inst) == Some(Kind::Comparison);
    if !is_comparison || !function.ty(data.expect_result()).is_varying() {
        return None;
    }
    let [x, y] = [data.args[0], data.args[1]];
    let is_lane = |value: Value| function.def_inst(value).is_some_and(|data| data.op == Opcode::LaneId);
    if function.ty(x).scalar != Scalar::I32 || data.op == Opcode::ULt && is_lane(x) {
        return None;
    }
    let (x, y) = (affine.of(function, x)?, affine.of(function, y)?);
    let holds = |lane: usize| {
        let args = [x.at(lane)?.into(), y.at(lane)?.into()];
        eval::pure(data.op, Scalar::I32, Scalar::I1, &args, data.imm)
    };
    let mut count = 0;
    for lane in 0..function.lanes {
        match holds(lane as usize)? {
            0 => {}
            _ if count == lane => count += 1,
            _ => return None,
        }
    }
    Some(match count {
        0 => Change::Constant(0),
        count if count == function.lanes => Change::Constant(1),
        count => Change::FirstLanes(count),
    })
}

/// Whether a value compares integers, or inverts such a comparison.
fn is_comparison(function: &Function, value: Value) -> bool {
    use Opcode as O;
    function.def_inst(value).is_some_and(|data| match data.op {
        O::IEq | O::INe | O::ULt | O::ULe | O::SLt | O::SLe => true,
        O::Not | O::Splat => function
            .def_inst(data.args[0])
            .is_some_and(|data| matches!(data.op, O::IEq | O::INe | O::ULt | O::ULe | O::SLt | O::SLe)),
        _ => false,
    })
}

/// Operations on signed numbers that are not negative.
fn signed(here: &mut Here<'_>, data: &InstData, a: Value, rest: &[Value]) -> Option<Change> {
    if here.of(a)?.least < 0 {
        return None;
    }
    if let Some(number) = number(here, data) {
        return Some(number);
    }
    match data.op {
        Opcode::AShr => Some(Change::Op(Opcode::LShr)),
        Opcode::SignExtend => Some(Change::Op(Opcode::ZeroExtend)),
        op => {
            let is_positive = here.of(*rest.first()?)?.least >= 0;
            let op = if op == Opcode::SDiv { Opcode::UDiv } else { Opcode::URem };
            is_positive.then_some(Change::Op(op))
        }
    }
}

/// The only number that an operation can give.
fn number(here: &mut Here<'_>, data: &InstData) -> Option<Change> {
    let of = here.of(data.result.expand()?)?;
    (of.low == of.high).then(|| Change::Constant(of.low.into()))
}

/// Whether the first operand is always the result, or the second.
fn limit(op: Opcode, x: Interval, y: Interval) -> Option<bool> {
    let (below, above) = match op {
        Opcode::UMin | Opcode::UMax => (x.high <= y.low, x.low >= y.high),
        _ => (x.greatest <= y.least, x.least >= y.greatest),
    };
    let is_min = matches!(op, Opcode::UMin | Opcode::SMin);
    match (below, above) {
        (true, _) => Some(is_min),
        (_, true) => Some(!is_min),
        _ => None,
    }
}

fn apply(function: &mut Function, changes: Vec<(Block, Inst, Change)>) {
    let mut alias = SecondaryMap::<Value, PackedOption<Value>>::with_capacity(
        PackedOption::default(),
        function.values.len(),
    );
    let mut renamed = false;
    // What becomes an operand is made in front.
    let mut made = SecondaryMap::<Inst, SmallVec<[Inst; 3]>>::with_default(SmallVec::new());
    for &(_, inst, change) in &changes {
        let result = function.insts[inst].result.expand();
        match change {
            Change::Constant(bits) => {
                let ty = function.ty(function.insts[inst].expect_result());
                let (op, imm, args) = if ty.is_uniform() {
                    (Opcode::Const, bits, Default::default())
                } else {
                    let loc = function.insts[inst].loc;
                    let of = Some(Type::uniform(ty.scalar));
                    let constant = function.make_inst(Opcode::Const, &[], bits, of, loc);
                    made[inst].push(constant);
                    (Opcode::Splat, 0, smallvec::smallvec![function.insts[constant].expect_result()])
                };
                let data = &mut function.insts[inst];
                (data.op, data.imm, data.args) = (op, imm, args);
            }
            Change::Value(value) => {
                if let Some(result) = result {
                    alias[result] = value.into();
                    renamed = true;
                }
            }
            Change::Op(op) => function.insts[inst].op = op,
            Change::Offset(offset, displacement) => {
                let data = &mut function.insts[inst];
                data.imm = MemoryOp::from_imm(data.imm).at(displacement).to_imm();
                data.args[1] = offset;
            }
            Change::FirstLanes(count) => {
                let loc = function.insts[inst].loc;
                let (all, one) = (Type::varying(Scalar::I32), Type::uniform(Scalar::I32));
                let mut make = |op, args: &[Value], imm, ty| {
                    let new = function.make_inst(op, args, imm, Some(ty), loc);
                    made[inst].push(new);
                    function.insts[new].expect_result()
                };
                let lane = make(Opcode::LaneId, &[], 0, all);
                let count = make(Opcode::Const, &[], count.into(), one);
                let count = make(Opcode::Splat, &[count], 0, all);
                let data = &mut function.insts[inst];
                (data.op, data.args) = (Opcode::ULt, smallvec::smallvec![lane, count]);
            }
        }
    }
    let mut last = None;
    for &(block, ..) in &changes {
        if last.replace(block) == Some(block) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut all = Vec::with_capacity(insts.len());
        for inst in insts {
            all.extend(std::mem::take(&mut made[inst]));
            all.push(inst);
        }
        function.blocks[block].insts = all;
    }
    if renamed {
        replace_all(function, &mut alias);
    }
}
