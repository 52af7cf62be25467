//! Subgroup and quad operations, over the lanes that are active where they stand.
//!
//! Values may be of any scalar type, `i1` included. What a lane contributes when it is not active is ignored;
//! what an inactive lane gets is meaningless. Masks of lanes are four `i32` words as in SPIR-V, lane `i` at
//! bit `i % 32` of word `i / 32`; words past the subgroup's size are zero in results and ignored in operands.
//!
//! Reductions go in a fixed order, so floating-point results are the same on every machine: see
//! [`mod@arithmetic`].

mod amd;
mod arithmetic;
mod ballot;
mod partition;
mod quad;
mod shuffle;
mod vote;

pub use amd::*;
pub use arithmetic::*;
pub use ballot::*;
pub use partition::*;
pub use quad::*;
pub use shuffle::*;
pub use vote::*;

use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Scalar, Value};

/// The integer type that has a bit for every lane: `i32`, or `i64` for 64 lanes.
fn mask_type(b: &Builder) -> Scalar {
    if b.function.lanes <= 32 { Scalar::I32 } else { Scalar::I64 }
}

/// The lanes where the `i1` value holds (active or not) as bits of [`mask_type`]. Uniform.
fn lane_bits(b: &mut Builder, condition: Value) -> Value {
    let ty = mask_type(b);
    let bits = b.ballot(condition);
    b.resize_u(bits, ty)
}

/// The active lanes as bits of [`mask_type`]. Uniform.
fn active_bits(b: &mut Builder) -> Value {
    let active = b.active();
    lane_bits(b, active)
}

/// The number of the lowest active lane, `i32`. Uniform.
fn first_active(b: &mut Builder) -> Value {
    let bits = active_bits(b);
    let first = b.ctz(bits);
    b.resize_u(first, Scalar::I32)
}

/// This lane's number in [`mask_type`].
fn lane_number(b: &mut Builder) -> Value {
    let ty = mask_type(b);
    let lane = b.lane_id();
    b.resize_u(lane, ty)
}

/// Whether bit `lane` of the mask is set, per lane. `lane` is of [`mask_type`] and taken modulo its width.
fn test_bit(b: &mut Builder, mask: Value, lane: Value) -> Value {
    let ty = mask_type(b);
    let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
    let bit = b.lshr(mask, lane);
    let bit = b.and(bit, one);
    b.ine(bit, zero)
}

/// Words of a SPIR-V mask to one integer of [`mask_type`], without bits past the subgroup.
fn bits_from_words(b: &mut Builder, words: [Value; 4]) -> Value {
    let lanes = b.function.lanes;
    match lanes {
        32 => words[0],
        64 => {
            let low = b.resize_u(words[0], Scalar::I64);
            let high = b.resize_u(words[1], Scalar::I64);
            let shift = b.i64(32);
            let high = b.shl(high, shift);
            b.or(low, high)
        }
        _ => {
            let inside = b.i32((1u32 << lanes) - 1);
            b.and(words[0], inside)
        }
    }
}

/// An integer of [`mask_type`] as the words of a SPIR-V mask.
fn words_from_bits(b: &mut Builder, bits: Value) -> [Value; 4] {
    let zero = b.i32(0);
    if b.function.lanes <= 32 {
        return [bits, zero, zero, zero];
    }
    let shift = b.i64(32);
    let high = b.lshr(bits, shift);
    let low = b.convert(Opcode::Truncate, bits, Scalar::I32);
    let high = b.convert(Opcode::Truncate, high, Scalar::I32);
    [low, high, zero, zero]
}

/// The value of lane `index` (modulo the subgroup's size) for each lane, of any scalar type.
fn lane_shuffle(b: &mut Builder, x: Value, index: Value) -> Value {
    if b.scalar(x) != Scalar::I1 {
        return b.shuffle(x, index);
    }
    // Truth values are bits: one variable shift is cheaper than widening a mask, shuffling and comparing.
    let ty = mask_type(b);
    let bits = lane_bits(b, x);
    let last = b.i32(b.function.lanes - 1);
    let index = b.and(index, last);
    let index = b.resize_u(index, ty);
    test_bit(b, bits, index)
}

/// The value of one lane, the same `i32` number in every lane by construction, for all lanes.
fn lane_value(b: &mut Builder, x: Value, index: Value) -> Value {
    if b.scalar(x) != Scalar::I1 { b.lane_read(x, index) } else { lane_shuffle(b, x, index) }
}
