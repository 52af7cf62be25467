//! BC1 to BC5: colours between two of 5-6-5 bits, and channels between two bytes.

use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{Ops, texel};

/// A colour block's texel: red, green, blue, alpha. `has_black`: where the first colour is not above the
/// second, the block has three colours, and black without alpha.
pub(super) fn color(b: &mut Builder, words: [Value; 2], within: Value, has_black: bool) -> [Value; 4] {
    let (one, three, sixteen, low) = (b.i32(1), b.i32(3), b.i32(16), b.i32(0xffff));
    let by = b.shl(within, one);
    let code = b.lshr(words[1], by);
    let code = b.and(code, three);
    let colors = [b.and(words[0], low), b.lshr(words[0], sixteen)];
    let zero = b.i32(0);
    let two = b.i32(2);
    // How many parts there are between the colours: three, or two.
    let thirds = if has_black { b.ult(colors[1], colors[0]) } else { b.bool(true) };
    let parts = b.select(thirds, three, two);
    // Parts of the second colour, by code: 0, all, 1, 2.
    let inner = b.isub(code, one);
    let is_second = b.ieq(code, one);
    let share = b.select(is_second, parts, inner);
    let is_first = b.ieq(code, zero);
    let share = b.select(is_first, zero, share);
    let rest = b.isub(parts, share);
    let is_last = b.ieq(code, three);
    let black = b.andnot(is_last, thirds);
    let (nothing, all) = (b.f32(0.0), b.f32(1.0));
    let mut channel = |shift: u32, bits: u32| {
        let (shift, mask) = (b.i32(shift), b.i32((1 << bits) - 1));
        let ends = colors.map(|color| {
            let value = b.lshr(color, shift);
            b.and(value, mask)
        });
        let (x, y) = (b.imul(ends[0], rest), b.imul(ends[1], share));
        let sum = b.iadd(x, y);
        let sum = b.convert(Opcode::SToF, sum, Scalar::F32);
        let most = (1 << bits) - 1;
        let value = texel::divide_by_either(b, sum, thirds, [3 * most, 2 * most]);
        b.select(black, nothing, value)
    };
    let [red, green, blue] = [channel(11, 5), channel(5, 6), channel(0, 5)];
    [red, green, blue, b.select(black, nothing, all)]
}

/// BC2's alpha: four bits for each texel.
pub(super) fn explicit_alpha(b: &mut Builder, words: [Value; 2], within: Value) -> Value {
    let (seven, eight, two, mask) = (b.i32(7), b.i32(8), b.i32(2), b.i32(15));
    let is_low = b.ult(within, eight);
    let word = b.select(is_low, words[0], words[1]);
    let index = b.and(within, seven);
    let by = b.shl(index, two);
    let bits = b.lshr(word, by);
    let bits = b.and(bits, mask);
    texel::unorm_to_float(b, bits, 4)
}

/// One channel: two bytes, and three bits for each texel. Signed ones count -128 as -127.
pub(super) fn channel(b: &mut Builder, words: [Value; 2], within: Value, signed: bool) -> Value {
    let wide = super::wide_field(b, &words, 0);
    let (one, three, sixteen, seven) = (b.i32(1), b.i32(3), b.i32(16), b.i32(7));
    let by = b.imul(within, three);
    let by = b.iadd(by, sixteen);
    let code = super::variable_field(b, wide, by, seven);
    let end = |b: &mut Builder, first: u32| {
        let (up, down) = (b.i32(24 - first), b.i32(24));
        let high = b.shl(words[0], up);
        if signed { b.ashr(high, down) } else { b.lshr(high, down) }
    };
    let ends = [end(b, 0), end(b, 8)];
    let falls = if signed { b.slt(ends[1], ends[0]) } else { b.ult(ends[1], ends[0]) };
    let ends = if signed {
        let least = b.i32(-127i32 as u32);
        ends.map(|end| b.smax(end, least))
    } else {
        ends
    };
    let five = b.i32(5);
    let parts = b.select(falls, seven, five);
    // Parts of the second end, by code: 0, all, 1, 2, ...
    let inner = b.isub(code, one);
    let zero = b.i32(0);
    let is_second = b.ieq(code, one);
    let share = b.select(is_second, parts, inner);
    let is_first = b.ieq(code, zero);
    let share = b.select(is_first, zero, share);
    let rest = b.isub(parts, share);
    let (x, y) = (b.imul(ends[0], rest), b.imul(ends[1], share));
    let sum = b.iadd(x, y);
    let sum = b.convert(Opcode::SToF, sum, Scalar::F32);
    let most = if signed { 127 } else { 255 };
    let value = texel::divide_by_either(b, sum, falls, [7 * most, 5 * most]);
    // Of the shorter ramp the last two codes are the least and the greatest value.
    let (least, greatest) = (b.f32(if signed { -1.0 } else { 0.0 }), b.f32(1.0));
    let last = b.ieq(code, seven);
    let extreme = b.select(last, greatest, least);
    let is_high = b.ult(five, code);
    let is_extreme = b.andnot(is_high, falls);
    b.select(is_extreme, extreme, value)
}
