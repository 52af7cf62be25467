//! BC6H: fourteen modes of one or two pairs of colours of 16-bit floats.

use super::bc7::{index_weight, two_subsets};
use super::{Words, field, interpolate};
use crate::access::{Access, BuildError, switch};
use crate::texel::bc6h_modes::{FIRST_WHOLE, Field, MODES, Mode, PARTITION};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::Ops;

pub(super) fn decode(
    access: &mut Access,
    words: &Words,
    within: Value,
    signed: bool,
) -> Result<[Value; 4], BuildError> {
    // Two bits say the mode when they are 0 or 1, else five. Reserved modes decode to black.
    let b = &mut *access.b;
    let low = field(b, words, 0, 2);
    let high = field(b, words, 2, 3);
    let [two, three, eight] = [2, 3, 8].map(|value| b.i32(value));
    let long = b.iadd(high, two);
    let longer = b.iadd(long, eight);
    let is_last = b.ieq(low, three);
    let long = b.select(is_last, longer, long);
    let is_short = b.ult(low, two);
    let mode = b.select(is_short, low, long);
    let partition = field(b, words, PARTITION.0, PARTITION.1);
    let (subset, anchor) = two_subsets(access, partition, within);
    let b = &mut *access.b;
    let zero = b.i32(0);
    let second = b.ine(subset, zero);
    let ends = switch(
        access,
        mode,
        MODES.len(),
        |access, number| {
            let second = (number < FIRST_WHOLE).then_some(second);
            mode_ends(access, &MODES[number], if number < 2 { 2 } else { 5 }, words, second, signed)
        },
        |access| Ok(vec![access.b.i32(0); 6]),
    )?;
    let of_two = index_weight(access, words, 82, 3, within, &[zero, anchor]);
    let of_one = index_weight(access, words, 65, 4, within, &[zero]);
    let b = &mut *access.b;
    let first_whole = b.i32(FIRST_WHOLE as u32);
    let is_two = b.ult(mode, first_whole);
    let weight = b.select(is_two, of_two, of_one);
    let mut channel = |index: usize| {
        let value = interpolate(b, ends[2 * index], ends[2 * index + 1], weight);
        let half = finish(b, value, signed);
        let half = b.resize_u(half, Scalar::I16);
        let half = b.bitcast(half, Scalar::F16);
        b.to_float(half, Scalar::F32)
    };
    let [red, green, blue] = [channel(0), channel(1), channel(2)];
    Ok([red, green, blue, b.f32(1.0)])
}

/// The texel's end points: two for red, green and blue each, unquantized to 16 bits (signed: 15 and a sign).
fn mode_ends(
    access: &mut Access,
    mode: &Mode,
    start: u32,
    words: &Words,
    second: Option<Value>,
    signed: bool,
) -> Result<Vec<Value>, BuildError> {
    let b = &mut *access.b;
    let zero = b.i32(0);
    // By colour, then end point.
    let mut raw = [[zero; 4]; 3];
    let mut at = start;
    for Field { color, point, first, last } in mode.fields() {
        let count = first.abs_diff(last) + 1;
        let mut bits = field(b, words, at, count);
        if last > first {
            // They ascend: the first one is the lowest place's.
            let down = b.i32(32 - count);
            bits = b.bitrev(bits);
            bits = b.lshr(bits, down);
        }
        let shift = b.i32(first.min(last));
        let bits = b.shl(bits, shift);
        raw[color][point] = b.or(raw[color][point], bits);
        at += count;
    }
    let mut ends = Vec::new();
    for (color, raw) in raw.into_iter().enumerate() {
        let [w, x, y, z] = raw;
        let (near, far) = match second {
            Some(second) => (b.select(second, y, w), b.select(second, z, x)),
            None => (w, x),
        };
        let mask = b.i32(u32::MAX >> (32 - mode.bits));
        let add = |b: &mut Builder, difference: Value| {
            let difference = sign_extend(b, difference, mode.others[color]);
            let sum = b.iadd(w, difference);
            b.and(sum, mask)
        };
        let both = if mode.differences {
            let far = add(b, far);
            let near = match second {
                Some(second) => {
                    let moved = add(b, near);
                    b.select(second, moved, w)
                }
                None => w,
            };
            [near, far]
        } else {
            [near, far]
        };
        for end in both {
            let end = if signed { sign_extend(b, end, mode.bits) } else { end };
            ends.push(unquantize(b, end, mode.bits, signed));
        }
    }
    Ok(ends)
}

fn sign_extend(b: &mut Builder, value: Value, bits: u32) -> Value {
    let by = b.i32(32 - bits);
    let up = b.shl(value, by);
    b.ashr(up, by)
}

fn unquantize(b: &mut Builder, value: Value, bits: u32, signed: bool) -> Value {
    let zero = b.i32(0);
    if !signed {
        if bits >= 15 {
            return value;
        }
        let (sixteen, half, down) = (b.i32(16), b.i32(0x8000), b.i32(bits));
        let scaled = b.shl(value, sixteen);
        let scaled = b.iadd(scaled, half);
        let scaled = b.lshr(scaled, down);
        let (most, full) = (b.i32((1 << bits) - 1), b.i32(0xffff));
        let is_most = b.ieq(value, most);
        let scaled = b.select(is_most, full, scaled);
        let is_zero = b.ieq(value, zero);
        return b.select(is_zero, zero, scaled);
    }
    if bits >= 16 {
        return value;
    }
    let negative = b.slt(value, zero);
    let opposite = b.isub(zero, value);
    let size = b.select(negative, opposite, value);
    let (fifteen, half, down) = (b.i32(15), b.i32(0x4000), b.i32(bits - 1));
    let scaled = b.shl(size, fifteen);
    let scaled = b.iadd(scaled, half);
    let scaled = b.lshr(scaled, down);
    let (most, full) = (b.i32((1 << (bits - 1)) - 1), b.i32(0x7fff));
    let is_most = b.sle(most, size);
    let scaled = b.select(is_most, full, scaled);
    let is_zero = b.ieq(size, zero);
    let scaled = b.select(is_zero, zero, scaled);
    let opposite = b.isub(zero, scaled);
    b.select(negative, opposite, scaled)
}

/// To the bits of a 16-bit float: 31/64 of an unsigned value, 31/32 of a signed one.
fn finish(b: &mut Builder, value: Value, signed: bool) -> Value {
    let (thirty_one, five, six) = (b.i32(31), b.i32(5), b.i32(6));
    if !signed {
        let scaled = b.imul(value, thirty_one);
        return b.lshr(scaled, six);
    }
    let zero = b.i32(0);
    let negative = b.slt(value, zero);
    let opposite = b.isub(zero, value);
    let size = b.select(negative, opposite, value);
    let scaled = b.imul(size, thirty_one);
    let scaled = b.lshr(scaled, five);
    let sign = b.i32(0x8000);
    let below = b.or(scaled, sign);
    b.select(negative, below, scaled)
}
