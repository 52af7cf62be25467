//! Exchanges of values between lanes.

use super::lane_shuffle;
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// `OpGroupNonUniformShuffle`: the value of lane `id` (an integer, taken modulo the subgroup's size).
pub fn shuffle(b: &mut Builder, x: Value, id: Value) -> Value {
    let id = b.resize_u(id, Scalar::I32);
    lane_shuffle(b, x, id)
}

/// `OpGroupNonUniformShuffleXor`: the value of the lane whose number is this one's exclusive-or `mask`.
pub fn shuffle_xor(b: &mut Builder, x: Value, mask: Value) -> Value {
    let (mask, lane) = (b.resize_u(mask, Scalar::I32), b.lane_id());
    let index = b.xor(lane, mask);
    lane_shuffle(b, x, index)
}

/// `OpGroupNonUniformShuffleUp`: the value of the lane `delta` below.
pub fn shuffle_up(b: &mut Builder, x: Value, delta: Value) -> Value {
    let (delta, lane) = (b.resize_u(delta, Scalar::I32), b.lane_id());
    let index = b.isub(lane, delta);
    lane_shuffle(b, x, index)
}

/// `OpGroupNonUniformShuffleDown`: the value of the lane `delta` above.
pub fn shuffle_down(b: &mut Builder, x: Value, delta: Value) -> Value {
    let (delta, lane) = (b.resize_u(delta, Scalar::I32), b.lane_id());
    let index = b.iadd(lane, delta);
    lane_shuffle(b, x, index)
}

/// `OpGroupNonUniformRotateKHR`: the value of the lane `delta` above, wrapping round within the aligned
/// cluster of `cluster` lanes (a power of two), or within the subgroup when there is none.
pub fn rotate(b: &mut Builder, x: Value, delta: Value, cluster: Option<u32>) -> Value {
    let lanes = b.function.lanes;
    let last = cluster.unwrap_or(lanes).clamp(1, lanes) - 1;
    let (delta, lane) = (b.resize_u(delta, Scalar::I32), b.lane_id());
    let rotated = b.iadd(lane, delta);
    // Lane numbers are taken modulo the subgroup's size anyway.
    if last + 1 == lanes {
        return lane_shuffle(b, x, rotated);
    }
    let last = b.i32(last);
    let inside = b.and(rotated, last);
    let outside = b.andnot(lane, last);
    let index = b.or(outside, inside);
    lane_shuffle(b, x, index)
}
