//! Reductions and scans.

use super::{Operation, active_bits, lane_bits, le_bits, lt_bits, mask_type, vote};
use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// What a reduction combines values with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Integer sum, wrapping.
    IAdd,
    /// Float sum.
    FAdd,
    /// Integer product, wrapping.
    IMul,
    /// Float product.
    FMul,
    /// Smaller, signed.
    SMin,
    /// Smaller, unsigned.
    UMin,
    /// Smaller; NaN values are left out.
    FMin,
    /// Larger, signed.
    SMax,
    /// Larger, unsigned.
    UMax,
    /// Larger; NaN values are left out.
    FMax,
    /// And: bitwise of integers, logical of `i1`.
    And,
    /// Or: bitwise of integers, logical of `i1`.
    Or,
    /// Exclusive or: bitwise of integers, logical of `i1`.
    Xor,
}

impl Arithmetic {
    /// One step; for `i1`, only the bitwise ones.
    pub(super) fn apply(self, b: &mut Builder, x: Value, y: Value) -> Value {
        match self {
            Arithmetic::IAdd => b.iadd(x, y),
            Arithmetic::FAdd => b.fadd(x, y),
            Arithmetic::IMul => b.imul(x, y),
            Arithmetic::FMul => b.fmul(x, y),
            Arithmetic::SMin => b.smin(x, y),
            Arithmetic::UMin => b.umin(x, y),
            Arithmetic::FMin => b.fmin(x, y),
            Arithmetic::SMax => b.smax(x, y),
            Arithmetic::UMax => b.umax(x, y),
            Arithmetic::FMax => b.fmax(x, y),
            Arithmetic::And => b.and(x, y),
            Arithmetic::Or => b.or(x, y),
            Arithmetic::Xor => b.xor(x, y),
        }
    }

    /// The value that changes nothing. For float sums -0, so that a sum of -0 alone stays -0.
    pub(super) fn identity(self, b: &mut Builder, scalar: Scalar) -> Value {
        match self {
            Arithmetic::IAdd | Arithmetic::Or | Arithmetic::Xor | Arithmetic::UMax => b.int(scalar, 0),
            Arithmetic::IMul => b.int(scalar, 1),
            Arithmetic::And | Arithmetic::UMin => b.int(scalar, -1),
            Arithmetic::SMin => b.constant(scalar, scalar.mask() >> 1),
            Arithmetic::SMax => b.constant(scalar, 1 << (scalar.bits() - 1)),
            Arithmetic::FAdd => b.float(scalar, -0.0),
            Arithmetic::FMul => b.float(scalar, 1.0),
            Arithmetic::FMin => b.float(scalar, f64::INFINITY),
            Arithmetic::FMax => b.float(scalar, f64::NEG_INFINITY),
        }
    }

    /// What an exclusive scan gives where no lane comes before: SPIR-V's identity.
    pub(super) fn empty(self, b: &mut Builder, scalar: Scalar) -> Value {
        if self == Arithmetic::FAdd { b.float(scalar, 0.0) } else { self.identity(b, scalar) }
    }

    /// The value with which a lane takes part: without NaN where the operation leaves it out.
    pub(super) fn contribution(self, b: &mut Builder, x: Value, taking_part: Value) -> Value {
        let scalar = b.scalar(x);
        let identity = self.identity(b, scalar);
        let taking_part = match self {
            Arithmetic::FMin | Arithmetic::FMax => {
                let number = b.feq(x, x);
                b.and(taking_part, number)
            }
            _ => taking_part,
        };
        b.select(taking_part, x, identity)
    }
}

/// `OpGroupNonUniformIAdd` and its kin, `OpGroupNonUniformLogicalAnd` and its kin (on `i1`), and the
/// `...NonUniformAMD` forms: combines the values of active lanes.
///
/// The order is fixed. Inactive lanes count as the identity. Reductions combine lane `i` with lane `i xor 1`,
/// then the pairs with the pairs, and so on up to the cluster (so the result is the same in all its lanes,
/// and uniform for the whole subgroup). Scans combine lane `i` with lane `i - 1`, then with the sums `i - 2`,
/// `i - 4` and so on.
pub fn arithmetic(b: &mut Builder, kind: Arithmetic, operation: Operation, x: Value) -> Value {
    let scalar = b.scalar(x);
    let lanes = b.function.lanes;
    if scalar == Scalar::I1 {
        return logical(b, kind, operation, x);
    }
    if kind == Arithmetic::IAdd
        && let Some((condition, factor)) = as_conditional_constant(b, x)
    {
        return count(b, operation, condition, factor, scalar);
    }
    let active = b.active();
    let mine = kind.contribution(b, x, active);
    match operation {
        Operation::Reduce => reduce(b, kind, mine, lanes),
        Operation::ClusteredReduce(cluster) => reduce(b, kind, mine, cluster.clamp(1, lanes)),
        Operation::InclusiveScan => scan(b, kind, mine),
        Operation::ExclusiveScan => {
            let inclusive = scan(b, kind, mine);
            let lane = b.lane_id();
            let (zero, one) = (b.i32(0), b.i32(1));
            let before = b.isub(lane, one);
            let shifted = b.shuffle(inclusive, before);
            let empty = kind.empty(b, scalar);
            let first = b.ieq(lane, zero);
            b.select(first, empty, shifted)
        }
    }
}

/// A butterfly over clusters of `cluster` lanes.
fn reduce(b: &mut Builder, kind: Arithmetic, mut x: Value, cluster: u32) -> Value {
    let lane = b.lane_id();
    let mut distance = 1;
    while distance < cluster {
        let flip = b.i32(distance);
        let partner = b.xor(lane, flip);
        let other = b.shuffle(x, partner);
        x = kind.apply(b, x, other);
        distance *= 2;
    }
    if cluster == b.function.lanes {
        let first = b.i32(0);
        return b.lane_read(x, first);
    }
    // Of 0 and -0 the minimum is either, depending on the order: let all take the first lane's choice.
    if matches!(kind, Arithmetic::FMin | Arithmetic::FMax) && cluster > 1 {
        let inside = b.i32(cluster - 1);
        let first = b.andnot(lane, inside);
        return b.shuffle(x, first);
    }
    x
}

/// An inclusive scan in steps of doubled distance.
fn scan(b: &mut Builder, kind: Arithmetic, mut x: Value) -> Value {
    let lane = b.lane_id();
    let mut distance = 1;
    while distance < b.function.lanes {
        let step = b.i32(distance);
        let source = b.isub(lane, step);
        let before = b.shuffle(x, source);
        let sum = kind.apply(b, before, x);
        let none = b.ult(lane, step);
        x = b.select(none, x, sum);
        distance *= 2;
    }
    x
}

/// A value that is a constant where a condition holds, else zero: the usual operand of sums that count or
/// compact lanes.
fn as_conditional_constant(b: &mut Builder, x: Value) -> Option<(Value, u64)> {
    if let Some(bits) = b.function.const_bits(x) {
        return Some((b.bool(true), bits));
    }
    let data = b.def(x)?;
    let args = data.args.clone();
    match data.op {
        Opcode::ZeroExtend if b.scalar(args[0]) == Scalar::I1 => Some((args[0], 1)),
        Opcode::Select if b.function.const_bits(args[2]) == Some(0) => {
            Some((args[0], b.function.const_bits(args[1])?))
        }
        _ => None,
    }
}

/// The sum of a constant over the lanes where a condition holds.
fn count(b: &mut Builder, operation: Operation, condition: Value, factor: u64, scalar: Scalar) -> Value {
    let active = b.active();
    let counted = b.and(active, condition);
    let bits = lane_bits(b, counted);
    let bits = reached_bits(b, operation, bits);
    let count = b.popcnt(bits);
    let count = b.resize_u(count, scalar);
    if factor == 1 {
        return count;
    }
    let factor = b.constant(scalar, factor);
    b.imul(count, factor)
}

/// Truth values: counting bits of a ballot.
fn logical(b: &mut Builder, kind: Arithmetic, operation: Operation, x: Value) -> Value {
    let ty = mask_type(b);
    match (kind, operation) {
        (Arithmetic::And, Operation::Reduce) => return vote::all(b, x),
        (Arithmetic::Or, Operation::Reduce) => return vote::any(b, x),
        _ => {}
    }
    let active = b.active();
    // For "and", look for a lane that has false.
    let conjunction = kind == Arithmetic::And;
    let found = if conjunction { b.andnot(active, x) } else { b.and(active, x) };
    let bits = lane_bits(b, found);
    let bits = reached_bits(b, operation, bits);
    let zero = b.int(ty, 0);
    match kind {
        Arithmetic::And => b.ieq(bits, zero),
        Arithmetic::Xor => {
            let count = b.popcnt(bits);
            let one = b.int(ty, 1);
            let odd = b.and(count, one);
            b.ine(odd, zero)
        }
        _ => b.ine(bits, zero),
    }
}

/// The bits of a mask of lanes that a lane's result is made of (for clusters shifted down to bit 0).
fn reached_bits(b: &mut Builder, operation: Operation, bits: Value) -> Value {
    let ty = mask_type(b);
    match operation {
        Operation::Reduce => bits,
        Operation::InclusiveScan => {
            let below = le_bits(b);
            b.and(bits, below)
        }
        Operation::ExclusiveScan => {
            let below = lt_bits(b);
            b.and(bits, below)
        }
        Operation::ClusteredReduce(cluster) if cluster >= b.function.lanes => bits,
        Operation::ClusteredReduce(cluster) => {
            let cluster = cluster.max(1);
            let lane = super::lane_number(b);
            let inside = b.int(ty, i64::from(cluster) - 1);
            let first = b.andnot(lane, inside);
            let shifted = b.lshr(bits, first);
            let mask = b.constant(ty, (1u64 << cluster) - 1);
            b.and(shifted, mask)
        }
    }
}

/// The number of active lanes, `i32`. Uniform.
pub fn active_count(b: &mut Builder) -> Value {
    let bits = active_bits(b);
    let count = b.popcnt(bits);
    b.resize_u(count, Scalar::I32)
}
