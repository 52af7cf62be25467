//! Quads: the aligned groups of four lanes at (0, 0), (1, 0), (0, 1), (1, 1).

use super::{lane_bits, lane_number, lane_shuffle, mask_type};
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// The subgroup lane number of lane `index` (0 to 3) of this lane's quad.
pub(crate) fn quad_lane(b: &mut Builder, index: u32) -> Value {
    let lane = b.lane_id();
    if index == 3 {
        let last = b.i32(3);
        return b.or(lane, last);
    }
    let first = b.i32(!3);
    let first = b.and(lane, first);
    if index == 0 {
        return first;
    }
    let index = b.i32(index);
    b.or(first, index)
}

/// `OpGroupNonUniformQuadBroadcast`: the value of quad lane `index` (an integer below 4, the same in the
/// quad).
pub fn quad_broadcast(b: &mut Builder, x: Value, index: Value) -> Value {
    let index = b.resize_u(index, Scalar::I32);
    let index = match b.function.const_bits(index) {
        Some(index) => quad_lane(b, index as u32 & 3),
        None => {
            let three = b.i32(3);
            let index = b.and(index, three);
            let first = quad_lane(b, 0);
            b.or(first, index)
        }
    };
    lane_shuffle(b, x, index)
}

/// Which neighbour a quad swap reads, with SPIR-V's operand values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum QuadDirection {
    /// The other lane of the row.
    Horizontal = 0,
    /// The other lane of the column.
    Vertical = 1,
    /// The opposite corner.
    Diagonal = 2,
}

/// `OpGroupNonUniformQuadSwap`: the value of a neighbour in the quad.
pub fn quad_swap(b: &mut Builder, x: Value, direction: QuadDirection) -> Value {
    let lane = b.lane_id();
    let flip = b.i32(direction as u32 + 1);
    let index = b.xor(lane, flip);
    lane_shuffle(b, x, index)
}

/// `OpGroupNonUniformQuadAnyKHR`: whether an active lane of the quad has true.
pub fn quad_any(b: &mut Builder, condition: Value) -> Value {
    let active = b.active();
    let pro = b.and(active, condition);
    let lanes = quad_bits(b, pro);
    let ty = mask_type(b);
    let zero = b.int(ty, 0);
    b.ine(lanes, zero)
}

/// `OpGroupNonUniformQuadAllKHR`: whether no active lane of the quad has false.
pub fn quad_all(b: &mut Builder, condition: Value) -> Value {
    let active = b.active();
    let against = b.andnot(active, condition);
    let lanes = quad_bits(b, against);
    let ty = mask_type(b);
    let zero = b.int(ty, 0);
    b.ieq(lanes, zero)
}

/// The four bits of this lane's quad.
fn quad_bits(b: &mut Builder, condition: Value) -> Value {
    let ty = mask_type(b);
    let bits = lane_bits(b, condition);
    let lane = lane_number(b);
    let first = b.int(ty, !3);
    let first = b.and(lane, first);
    let shifted = b.lshr(bits, first);
    let four = b.int(ty, 15);
    b.and(shifted, four)
}
