//! End points of ASTC blocks of high dynamic range (Khronos Data Format Specification, "HDR Endpoint
//! Decoding"), and what numbers between them stand for. Which modes the lanes have, and which of a mode's
//! ways of storing, differs lane by lane, so all are computed.

use super::astc::{is_any, part};
use crate::texel::astc_numbers::high_range::{
    DIRECT_LOW_BITS, DIRECT_MOVES, DIRECT_NUMBERS, DIRECT_SIGNED_BITS, DIRECT_SOURCES, MOST, Moved, OPAQUE,
    SCALE_LOW_BITS, SCALE_MOVES, SCALE_SHIFTS, SCALE_SOURCES,
};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::Ops;

/// The two end points of a mode of high dynamic range by its eight values, 16 bits a component. Of mode 14,
/// alpha is of low dynamic range.
pub(super) fn end_points(b: &mut Builder, mode: Value, v: &[Value]) -> [[Value; 4]; 2] {
    let (large, small, scaled, direct) = (large_gray(b, v), small_gray(b, v), scaled(b, v), direct(b, v));
    let alphas = alphas(b, v);
    let [is_large, is_small, is_scaled] = [2, 3, 7].map(|number| is_any(b, mode, &[number]));
    let [is_low_alpha, is_high_alpha] = [14, 15].map(|number| is_any(b, mode, &[number]));
    let (four, eight, opaque) = (b.i32(4), b.i32(8), b.i32(OPAQUE << 4));
    [0, 1].map(|end| {
        let color = [0, 1, 2].map(|component| {
            let value = b.select(is_scaled, scaled[end][component], direct[end][component]);
            let value = b.select(is_small, small[end], value);
            let value = b.select(is_large, large[end], value);
            b.shl(value, four)
        });
        let low = b.shl(v[6 + end], eight);
        let low = b.or(low, v[6 + end]);
        let high = b.shl(alphas[end], four);
        let alpha = b.select(is_high_alpha, high, opaque);
        let alpha = b.select(is_low_alpha, low, alpha);
        [color[0], color[1], color[2], alpha]
    })
}

/// A number of four bits for each of several, by its index.
fn by_index(b: &mut Builder, numbers: &[u32], index: Value) -> Value {
    let packed = numbers.iter().rev().fold(0, |packed, number| packed << 4 | number);
    let (packed, two) = (b.i32(packed), b.i32(2));
    let by = b.shl(index, two);
    let value = b.lshr(packed, by);
    part(b, value, 0, 4)
}

fn clamped(b: &mut Builder, value: Value) -> Value {
    let (zero, most) = (b.i32(0), b.i32(MOST));
    let value = b.smax(value, zero);
    b.smin(value, most)
}

/// Mode 2.
fn large_gray(b: &mut Builder, v: &[Value]) -> [Value; 2] {
    let (four, eight) = (b.i32(4), b.i32(8));
    let rises = b.ule(v[0], v[1]);
    let levels = [0, 1].map(|number| b.shl(v[number], four));
    let (above, below) = (b.iadd(levels[1], eight), b.isub(levels[0], eight));
    [b.select(rises, levels[0], above), b.select(rises, levels[1], below)]
}

/// Mode 3.
fn small_gray(b: &mut Builder, v: &[Value]) -> [Value; 2] {
    let top = part(b, v[0], 7, 1);
    let (zero, one, two, four) = (b.i32(0), b.i32(1), b.i32(2), b.i32(4));
    let wide = b.ine(top, zero);
    let shift = b.select(wide, two, one);
    let (high, low) = (b.i32(0xe0), b.i32(0x1f));
    let (more_high, less_low) = (b.i32(0xf0), b.i32(0x0f));
    let (high, low) = (b.select(wide, high, more_high), b.select(wide, low, less_low));
    let high = b.and(v[1], high);
    let high = b.shl(high, four);
    let rest = part(b, v[0], 0, 7);
    let rest = b.shl(rest, shift);
    let base = b.or(high, rest);
    let offset = b.and(v[1], low);
    let offset = b.shl(offset, shift);
    let sum = b.iadd(base, offset);
    [base, clamped(b, sum)]
}

/// Sets the bits of numbers that the way of storing gives them.
fn move_bits(
    b: &mut Builder,
    numbers: &mut [Value],
    moves: &[Moved],
    sources: &[(usize, u32)],
    v: &[Value],
    way: Value,
) {
    for (from, &(value, place)) in sources.iter().enumerate() {
        let bit = part(b, v[value], place, 1);
        for moved in moves.iter().filter(|moved| moved.from == from) {
            let (ways, up) = (b.i32(moved.ways), b.i32(moved.bit));
            let there = b.lshr(ways, way);
            let there = b.and(there, bit);
            let there = b.shl(there, up);
            numbers[moved.to] = b.or(numbers[moved.to], there);
        }
    }
}

/// A colour whose greatest component stands first.
fn swapped(b: &mut Builder, [first, green, blue]: [Value; 3], major: Value) -> [Value; 3] {
    let [is_green, is_blue] = [1, 2].map(|number| is_any(b, major, &[number]));
    let red = b.select(is_green, green, first);
    let red = b.select(is_blue, blue, red);
    [red, b.select(is_green, first, green), b.select(is_blue, first, blue)]
}

/// Mode 7: a colour, and the same less a scale.
fn scaled(b: &mut Builder, v: &[Value]) -> [[Value; 3]; 2] {
    let (zero, two, three, four, five) = (b.i32(0), b.i32(2), b.i32(3), b.i32(4), b.i32(5));
    let mut kind = part(b, v[0], 6, 2);
    for (value, bit) in [(1, 2), (2, 3)] {
        let (top, by) = (part(b, v[value], 7, 1), b.i32(bit));
        let top = b.shl(top, by);
        kind = b.or(kind, top);
    }
    let (twelve, fifteen) = (b.i32(12), b.i32(15));
    let (is_few, is_least) = (b.ule(twelve, kind), b.ieq(kind, fifteen));
    let (low, high) = (b.and(kind, three), b.lshr(kind, two));
    let major = b.select(is_few, low, high);
    let major = b.select(is_least, zero, major);
    let way = b.select(is_few, four, low);
    let way = b.select(is_least, five, way);
    let mut numbers = [0, 1, 2, 3].map(|number| part(b, v[number], 0, SCALE_LOW_BITS[number]));
    move_bits(b, &mut numbers, &SCALE_MOVES, &SCALE_SOURCES, v, way);
    let shift = by_index(b, &SCALE_SHIFTS, way);
    let [red, green, blue, scale] = numbers.map(|number| b.shl(number, shift));
    let [green, blue] = [green, blue].map(|value| {
        let relative = b.isub(red, value);
        b.select(is_least, value, relative)
    });
    let color = swapped(b, [red, green, blue], major);
    let first = color.map(|value| {
        let value = b.isub(value, scale);
        clamped(b, value)
    });
    [first, color.map(|value| clamped(b, value))]
}

/// Mode 11: two colours, of which the first is relative to the second.
fn direct(b: &mut Builder, v: &[Value]) -> [[Value; 3]; 2] {
    let (one, three, four, five) = (b.i32(1), b.i32(3), b.i32(4), b.i32(5));
    let bits = |b: &mut Builder, values: &[usize]| {
        let mut sum = b.i32(0);
        for (bit, &value) in (0..).zip(values) {
            let (top, by) = (part(b, v[value], 7, 1), b.i32(bit));
            let top = b.shl(top, by);
            sum = b.or(sum, top);
        }
        sum
    };
    let (major, way) = (bits(b, &[4, 5]), bits(b, &[1, 2, 3]));
    let mut numbers: [Value; DIRECT_NUMBERS] =
        DIRECT_LOW_BITS.map(|(value, count)| part(b, v[value], 0, count));
    let (ninth, eight) = (part(b, v[1], 6, 1), b.i32(8));
    let ninth = b.shl(ninth, eight);
    numbers[0] = b.or(numbers[0], ninth);
    move_bits(b, &mut numbers, &DIRECT_MOVES, &DIRECT_SOURCES, v, way);
    let by = by_index(b, &DIRECT_SIGNED_BITS, way);
    let thirty_two = b.i32(32);
    let by = b.isub(thirty_two, by);
    for number in &mut numbers[4..] {
        let up = b.shl(*number, by);
        *number = b.ashr(up, by);
    }
    let shift = b.lshr(way, one);
    let shift = b.xor(shift, three);
    let [most, green, blue, all, more_green, more_blue] = numbers.map(|number| b.shl(number, shift));
    let second = [most, b.isub(most, green), b.isub(most, blue)];
    let mut first = second.map(|value| b.isub(value, all));
    first[1] = b.isub(first[1], more_green);
    first[2] = b.isub(first[2], more_blue);
    let colors = [first, second].map(|color| {
        let color = color.map(|value| clamped(b, value));
        swapped(b, color, major)
    });
    let is_plain = b.ieq(major, three);
    [0, 1].map(|end| {
        let blue = part(b, v[4 + end], 0, 7);
        let plain = [b.shl(v[end], four), b.shl(v[2 + end], four), b.shl(blue, five)];
        [0, 1, 2].map(|component| b.select(is_plain, plain[component], colors[end][component]))
    })
}

/// Mode 15: the alphas of the two end points.
fn alphas(b: &mut Builder, v: &[Value]) -> [Value; 2] {
    let (one, three, four, five) = (b.i32(1), b.i32(3), b.i32(4), b.i32(5));
    let tops = [6, 7].map(|value| part(b, v[value], 7, 1));
    let high = b.shl(tops[1], one);
    let way = b.or(tops[0], high);
    let is_plain = b.ieq(way, three);
    let [first, second] = [6, 7].map(|value| part(b, v[value], 0, 7));
    let by = b.iadd(way, one);
    let upper = b.shl(second, by);
    let mask = b.i32(0x780);
    let upper = b.and(upper, mask);
    let base = b.or(first, upper);
    let (mask, sign) = (b.i32(0x3f), b.i32(0x20));
    let (mask, sign) = (b.lshr(mask, way), b.lshr(sign, way));
    let offset = b.and(second, mask);
    let offset = b.xor(offset, sign);
    let offset = b.isub(offset, sign);
    let up = b.isub(four, way);
    let (base, offset) = (b.shl(base, up), b.shl(offset, up));
    let end = b.iadd(base, offset);
    let end = clamped(b, end);
    let plain = [first, second].map(|value| b.shl(value, five));
    [b.select(is_plain, plain[0], base), b.select(is_plain, plain[1], end)]
}

/// The bits of the half that 16 bits between end points of high dynamic range stand for: an exponent of five
/// bits, and a fraction in three straight pieces.
pub(super) fn half_bits(b: &mut Builder, value: Value) -> Value {
    let (exponent, fraction) = (part(b, value, 11, 5), part(b, value, 0, 11));
    let [three, two, ten] = [3, 2, 10].map(|number| b.i32(number));
    let (middle, high) = (b.i32(512), b.i32(1536));
    // Three, four and five times the fraction, from where the pieces meet.
    let (in_middle, in_high) = (b.ule(middle, fraction), b.ule(high, fraction));
    let four_times = b.shl(fraction, two);
    let middle_piece = b.isub(four_times, middle);
    let (three_times, five_times) = (b.isub(four_times, fraction), b.iadd(four_times, fraction));
    let start = b.i32(2048);
    let high_piece = b.isub(five_times, start);
    let piece = b.select(in_middle, middle_piece, three_times);
    let piece = b.select(in_high, high_piece, piece);
    let (piece, exponent) = (b.lshr(piece, three), b.shl(exponent, ten));
    let bits = b.iadd(exponent, piece);
    let most = b.i32(0x7bff);
    b.umin(bits, most)
}

/// A half's value by its bits.
pub(super) fn from_half(b: &mut Builder, bits: Value) -> Value {
    let half = b.resize_u(bits, Scalar::I16);
    let half = b.bitcast(half, Scalar::F16);
    b.to_float(half, Scalar::F32)
}
