//! BC6H: fourteen modes of one or two pairs of colours of 16-bit floats.

use super::bc7::{index_weight, two_subsets};
use super::{Words, field, interpolate};
use crate::access::{Access, BuildError, switch};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::Ops;

/// A mode.
struct Mode {
    /// Bits of an end point.
    bits: u32,
    /// Bits of the other end points, in red, green, blue: differences to the first, or like it.
    others: [u32; 3],
    differences: bool,
    /// What lies behind the mode's bits, in order: colour, end point (w, x, y, z), bits, the highest first
    /// unless they ascend.
    fields: &'static str,
}

#[rustfmt::skip]
const MODES: [Mode; 14] = [
    Mode { bits: 10, others: [5, 5, 5], differences: true, fields:
        "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 7, others: [6, 6, 6], differences: true, fields:
        "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 \
         ry5:0 rz5:0" },
    Mode { bits: 11, others: [5, 4, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 11, others: [4, 5, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3" },
    Mode { bits: 11, others: [4, 4, 5], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3" },
    Mode { bits: 9, others: [5, 5, 5], differences: true, fields:
        "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 8, others: [6, 5, 5], differences: true, fields:
        "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0" },
    Mode { bits: 8, others: [5, 6, 5], differences: true, fields:
        "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 8, others: [5, 5, 6], differences: true, fields:
        "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 6, others: [6, 6, 6], differences: false, fields:
        "rw5:0 gz4 bz1:0 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 \
         ry5:0 rz5:0" },
    Mode { bits: 10, others: [10, 10, 10], differences: false, fields:
        "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0" },
    Mode { bits: 11, others: [9, 9, 9], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10" },
    Mode { bits: 12, others: [8, 8, 8], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11" },
    Mode { bits: 16, others: [4, 4, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15" },
];

/// The first mode with one pair of colours only.
const FIRST_WHOLE: usize = 10;
/// Where the partition lies.
const PARTITION: (u32, u32) = (77, 5);

pub(super) fn decode(
    access: &mut Access,
    words: &Words,
    within: Value,
    signed: bool,
) -> Result<[Value; 4], BuildError> {
    // Two bits say the mode when they are 0 or 1, else five. What is no mode is black.
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
    for name in mode.fields.split_whitespace() {
        let place = parse(name).ok_or(BuildError::Invalid("a broken table"))?;
        let (color, point, first, last) = place;
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

/// Colour, end point, first and last bit of a field's name.
fn parse(name: &str) -> Option<(usize, usize, u32, u32)> {
    let color = "rgb".find(name.get(..1)?)?;
    let point = "wxyz".find(name.get(1..2)?)?;
    let bits = name.get(2..)?;
    let (first, last) = bits.split_once(':').unwrap_or((bits, bits));
    Some((color, point, first.parse().ok()?, last.parse().ok()?))
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
