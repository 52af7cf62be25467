//! `SPV_NV_shader_subgroup_partitioned` and `SPV_EXT_shader_subgroup_partitioned`: reductions over the lanes
//! that share a mask.

use super::ballot::{highest_bit, lt_bits};
use super::{
    Arithmetic, Operation, active_bits, bits_from_words, lane_bits, lane_shuffle, lane_value, mask_type,
    test_bit, vote, words_from_bits,
};
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// `OpGroupNonUniformPartitionEXT`: for each lane, the active lanes whose components all equal its own
/// (floats as floats; a lane with NaN has only itself).
pub fn partition(b: &mut Builder, components: &[Value]) -> [Value; 4] {
    let ty = mask_type(b);
    let active = active_bits(b);
    let lane = super::lane_number(b);
    let one = b.int(ty, 1);
    // A lane always belongs to its own part, even with NaN.
    let mut bits = b.shl(one, lane);
    for other in 0..b.function.lanes {
        let index = b.i32(other);
        let mut equal = b.bool(true);
        for &component in components {
            let theirs = lane_value(b, component, index);
            let same = vote::equals(b, component, theirs);
            equal = b.and(equal, same);
        }
        let bit = b.constant(ty, 1 << other);
        let with = b.or(bits, bit);
        bits = b.select(equal, with, bits);
    }
    let bits = b.and(bits, active);
    words_from_bits(b, bits)
}

/// Whether a lane is the first of the lanes with its value of an integer, among those where a condition
/// holds.
pub fn first_of_equal(b: &mut Builder, x: Value, among: Value) -> Value {
    let bits = lane_bits(b, among);
    let lane = super::lane_number(b);
    let lane = b.resize_u(lane, Scalar::I32);
    let mut is_first = among;
    for other in 0..b.function.lanes - 1 {
        let index = b.i32(other);
        let theirs = lane_value(b, x, index);
        let is_equal = b.ieq(x, theirs);
        let is_before = b.ult(index, lane);
        let ty = mask_type(b);
        let place = b.int(ty, other.into());
        let counts = test_bit(b, bits, place);
        let has_come = b.and(is_equal, is_before);
        let has_come = b.and(has_come, counts);
        let is_new = b.not(has_come);
        is_first = b.and(is_first, is_new);
    }
    is_first
}

/// `OpGroupNonUniformIAdd` and its kin with the group operations `PartitionedReduceEXT`,
/// `PartitionedInclusiveScanEXT` and `PartitionedExclusiveScanEXT`: combines the values of the active lanes
/// in the mask that the lane gives, which is the same for all lanes in it and holds the lane itself.
/// `operation` is the reduction or scan within the part (clusters count as [`Operation::Reduce`]).
///
/// The order is fixed: scans combine each lane with the lane before it in its part, then with the one two
/// before, then four; a reduction is the last lane's inclusive scan.
pub fn partitioned(
    b: &mut Builder,
    kind: Arithmetic,
    operation: Operation,
    x: Value,
    mask: [Value; 4],
) -> Value {
    let scalar = b.scalar(x);
    if scalar == Scalar::I1 {
        // Truth values go as integers of 0 and -1, which And, Or and Xor keep.
        let wide = b.convert(pyro_ir::Opcode::SignExtend, x, Scalar::I32);
        let result = partitioned(b, kind, operation, wide, mask);
        let zero = b.i32(0);
        return b.ine(result, zero);
    }
    let active = active_bits(b);
    let part = bits_from_words(b, mask);
    let part = b.and(part, active);
    let is_active = b.active();
    let mut sum = kind.contribution(b, x, is_active);
    // Each lane knows the nearest lane of its part that its sum does not hold yet, or -1.
    let below = lt_bits(b);
    let before = b.and(part, below);
    let before = highest_bit(b, before);
    let nearest = b.resize_s(before, Scalar::I32);
    let zero = b.i32(0);
    let minus_one = b.i32(!0);
    let mut previous = nearest;
    let mut distance = 1;
    while distance < b.function.lanes {
        let ended = b.slt(previous, zero);
        let theirs = b.shuffle(sum, previous);
        let combined = kind.apply(b, theirs, sum);
        sum = b.select(ended, sum, combined);
        let next = b.shuffle(previous, previous);
        previous = b.select(ended, minus_one, next);
        distance *= 2;
    }
    match operation {
        Operation::InclusiveScan => sum,
        Operation::ExclusiveScan => {
            let before = b.shuffle(sum, nearest);
            let empty = kind.empty(b, scalar);
            let first = b.slt(nearest, zero);
            b.select(first, empty, before)
        }
        Operation::Reduce | Operation::ClusteredReduce(_) => {
            let last = highest_bit(b, part);
            let last = b.resize_u(last, Scalar::I32);
            lane_shuffle(b, sum, last)
        }
    }
}
