//! `SPV_AMD_shader_ballot`'s extended instructions.

use super::{lane_shuffle, lt_bits, mask_type};
use crate::ops::Ops;
use pyro_ir::{Builder, Scalar, Value};

/// `SwizzleInvocationsAMD`: the value of the quad's lane `offset[lane % 4]` (0 to 3); zero where that lane is
/// not active.
pub fn swizzle_invocations(b: &mut Builder, x: Value, offset: [Value; 4]) -> Value {
    let lane = b.lane_id();
    let three = b.i32(3);
    let position = b.and(lane, three);
    let first = b.andnot(lane, three);
    let mut own = offset[0];
    for (number, &offset) in offset.iter().enumerate().skip(1) {
        let number = b.i32(number as u32);
        let here = b.ieq(position, number);
        own = b.select(here, offset, own);
    }
    let own = b.and(own, three);
    let index = b.or(first, own);
    read_active(b, x, index)
}

/// `SwizzleInvocationsMaskedAMD`: the value of the lane `((lane & and) | or) ^ xor`, the masks' low five
/// bits, within the lane's aligned group of 32; zero where that lane is not active.
pub fn swizzle_invocations_masked(b: &mut Builder, x: Value, masks: [Value; 3]) -> Value {
    let lane = b.lane_id();
    let low = b.i32(31);
    let first = b.andnot(lane, low);
    let index = b.and(lane, masks[0]);
    let index = b.or(index, masks[1]);
    let index = b.xor(index, masks[2]);
    let index = b.and(index, low);
    let index = b.or(first, index);
    read_active(b, x, index)
}

/// `WriteInvocationAMD`: `write` in the lane `index`, `x` in all others.
pub fn write_invocation(b: &mut Builder, x: Value, write: Value, index: Value) -> Value {
    let lane = b.lane_id();
    let index = b.resize_u(index, Scalar::I32);
    let here = b.ieq(lane, index);
    b.select(here, write, x)
}

/// `MbcntAMD`: the number of one bits of the `i64` mask at the lanes below this one, as `i32`.
pub fn mbcnt(b: &mut Builder, mask: Value) -> Value {
    let ty = mask_type(b);
    let mask = b.resize_u(mask, ty);
    let below = lt_bits(b);
    let bits = b.and(mask, below);
    let count = b.popcnt(bits);
    b.resize_u(count, Scalar::I32)
}

/// The value of lane `index`; zero where it is not active or past the subgroup.
fn read_active(b: &mut Builder, x: Value, index: Value) -> Value {
    let scalar = b.scalar(x);
    let active = b.active();
    let source_active = lane_shuffle(b, active, index);
    let lanes = b.i32(b.function.lanes);
    let inside = b.ult(index, lanes);
    let valid = b.and(source_active, inside);
    let value = lane_shuffle(b, x, index);
    let zero = b.constant(scalar, 0);
    b.select(valid, value, zero)
}
