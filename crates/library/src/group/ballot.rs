//! Ballots, queries of masks, broadcasts and the built-in lane masks.

use super::{
    active_bits, bits_from_words, first_active, lane_bits, lane_number, lane_value, mask_type, test_bit,
    words_from_bits,
};
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// `OpGroupNonUniformBroadcast`, `OpSubgroupReadInvocationKHR`: the value of the lane `id` (an integer that
/// is the same in all active lanes, taken modulo the subgroup's size), active or not. Uniform.
pub fn broadcast(b: &mut Builder, x: Value, id: Value) -> Value {
    let id = b.resize_u(id, Scalar::I32);
    if b.function.const_bits(id).is_some() {
        return lane_value(b, x, id);
    }
    // The operand is uniform among the active lanes; reading the first of them makes that known.
    let first = first_active(b);
    let id = b.lane_read(id, first);
    lane_value(b, x, id)
}

/// `OpGroupNonUniformBroadcastFirst`, `OpSubgroupFirstInvocationKHR`: the lowest active lane's value.
/// Uniform.
pub fn broadcast_first(b: &mut Builder, x: Value) -> Value {
    let first = first_active(b);
    lane_value(b, x, first)
}

/// `OpGroupNonUniformBallot`, `OpSubgroupBallotKHR`: the active lanes whose condition holds. Uniform.
pub fn ballot(b: &mut Builder, condition: Value) -> [Value; 4] {
    let active = b.active();
    let condition = b.and(active, condition);
    let bits = lane_bits(b, condition);
    words_from_bits(b, bits)
}

/// `OpGroupNonUniformInverseBallot`: the lane's own bit of a mask.
pub fn inverse_ballot(b: &mut Builder, mask: [Value; 4]) -> Value {
    let bits = bits_from_words(b, mask);
    let lane = lane_number(b);
    test_bit(b, bits, lane)
}

/// `OpGroupNonUniformBallotBitExtract`: bit `index` (any integer type, below the subgroup's size) of a mask.
pub fn ballot_bit_extract(b: &mut Builder, mask: [Value; 4], index: Value) -> Value {
    let ty = mask_type(b);
    let bits = bits_from_words(b, mask);
    let index = b.resize_u(index, ty);
    test_bit(b, bits, index)
}

/// How far a scan reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// All active lanes.
    Reduce,
    /// The active lanes up to this one, itself included.
    InclusiveScan,
    /// The active lanes before this one.
    ExclusiveScan,
    /// The active lanes of the aligned cluster of this many lanes: a power of two; the subgroup's size or
    /// more is the same as [`Operation::Reduce`].
    ClusteredReduce(u32),
}

/// `OpGroupNonUniformBallotBitCount`: the number of one bits of a mask, as `i32`: in the whole subgroup
/// ([`Operation::Reduce`]), or up to this lane with or without its own bit. Clusters count as the whole.
pub fn ballot_bit_count(b: &mut Builder, operation: Operation, mask: [Value; 4]) -> Value {
    let bits = bits_from_words(b, mask);
    let counted = match operation {
        Operation::Reduce | Operation::ClusteredReduce(_) => bits,
        Operation::InclusiveScan => {
            let below = le_bits(b);
            b.and(bits, below)
        }
        Operation::ExclusiveScan => {
            let below = lt_bits(b);
            b.and(bits, below)
        }
    };
    let count = b.popcnt(counted);
    b.resize_u(count, Scalar::I32)
}

/// `OpGroupNonUniformBallotFindLSB`: the number of the lowest one bit as `i32` (meaningless for an empty
/// mask).
pub fn ballot_find_lsb(b: &mut Builder, mask: [Value; 4]) -> Value {
    let bits = bits_from_words(b, mask);
    let lowest = b.ctz(bits);
    b.resize_u(lowest, Scalar::I32)
}

/// `OpGroupNonUniformBallotFindMSB`: the number of the highest one bit as `i32` (meaningless for an empty
/// mask).
pub fn ballot_find_msb(b: &mut Builder, mask: [Value; 4]) -> Value {
    let bits = bits_from_words(b, mask);
    let highest = highest_bit(b, bits);
    b.resize_u(highest, Scalar::I32)
}

/// The number of the highest one bit, in the mask's own type.
pub(super) fn highest_bit(b: &mut Builder, bits: Value) -> Value {
    let scalar = b.scalar(bits);
    let top = b.int(scalar, i64::from(scalar.bits()) - 1);
    let above = b.clz(bits);
    b.isub(top, above)
}

/// Bits of the lanes below this one.
pub(super) fn lt_bits(b: &mut Builder) -> Value {
    let bit = eq_bits(b);
    let ty = mask_type(b);
    let one = b.int(ty, 1);
    b.isub(bit, one)
}

/// Bits of the lanes up to this one.
pub(super) fn le_bits(b: &mut Builder) -> Value {
    let ty = mask_type(b);
    let two = b.int(ty, 2);
    let lane = lane_number(b);
    // 2 << lane is zero for the type's highest bit, and zero minus one is all ones.
    let next = b.shl(two, lane);
    let one = b.int(ty, 1);
    b.isub(next, one)
}

fn eq_bits(b: &mut Builder) -> Value {
    let ty = mask_type(b);
    let one = b.int(ty, 1);
    let lane = lane_number(b);
    b.shl(one, lane)
}

/// Bits of all lanes of the subgroup.
fn subgroup_bits(b: &mut Builder) -> Value {
    let ty = mask_type(b);
    b.constant(ty, u64::MAX >> (64 - b.function.lanes))
}

/// `SubgroupEqMask`: this lane's bit.
pub fn eq_mask(b: &mut Builder) -> [Value; 4] {
    let bits = eq_bits(b);
    words_from_bits(b, bits)
}

/// `SubgroupGeMask`: this lane's bit and those above it, within the subgroup.
pub fn ge_mask(b: &mut Builder) -> [Value; 4] {
    let (all, below) = (subgroup_bits(b), lt_bits(b));
    let bits = b.andnot(all, below);
    words_from_bits(b, bits)
}

/// `SubgroupGtMask`: the bits above this lane's, within the subgroup.
pub fn gt_mask(b: &mut Builder) -> [Value; 4] {
    let (all, below) = (subgroup_bits(b), le_bits(b));
    let bits = b.andnot(all, below);
    words_from_bits(b, bits)
}

/// `SubgroupLeMask`: this lane's bit and those below it.
pub fn le_mask(b: &mut Builder) -> [Value; 4] {
    let bits = le_bits(b);
    words_from_bits(b, bits)
}

/// `SubgroupLtMask`: the bits below this lane's.
pub fn lt_mask(b: &mut Builder) -> [Value; 4] {
    let bits = lt_bits(b);
    words_from_bits(b, bits)
}

/// The active lanes as a mask (`gl_SubgroupSize` lanes at most): the ballot of true. Uniform.
pub fn active_mask(b: &mut Builder) -> [Value; 4] {
    let bits = active_bits(b);
    words_from_bits(b, bits)
}
