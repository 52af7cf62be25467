//! ETC2 and EAC. Blocks have their first byte highest; texels are numbered column by column.

use super::tables::{EAC, ETC_DISTANCES, ETC_MODIFIERS};
use super::{Words, as_int, lookup};
use crate::access::Access;
use pyro_ir::{Builder, Opcode, Value};
use pyro_library::{Ops, texel};

/// A block's high and low 32 bits.
type Halves = [Value; 2];

/// What red, green and blue have in their places.
type Color = [Value; 3];

fn halves(b: &mut Builder, words: &Words) -> Halves {
    let reversed = b.i32(0x0001_0203);
    [words[0], words[1]].map(|word| b.op(Opcode::ShuffleBytes, &[word, reversed]))
}

/// `count` bits (below 32) from bit `first` of the block on.
fn field(b: &mut Builder, block: Halves, first: u32, count: u32) -> Value {
    let word = block[usize::from(first < 32)];
    let (by, mask) = (b.i32(first % 32), b.i32((1 << count) - 1));
    let value = b.lshr(word, by);
    b.and(value, mask)
}

/// Fields of which the first is the highest, one below the other.
fn joined(b: &mut Builder, block: Halves, fields: &[(u32, u32)]) -> Value {
    let mut value = b.i32(0);
    for &(first, count) in fields {
        let (part, by) = (field(b, block, first, count), b.i32(count));
        value = b.shl(value, by);
        value = b.or(value, part);
    }
    value
}

/// A bit of the block as a condition.
fn flag(b: &mut Builder, block: Halves, bit: u32) -> Value {
    let (value, zero) = (field(b, block, bit, 1), b.i32(0));
    b.ine(value, zero)
}

/// To eight bits: the high ones again below.
fn extend(b: &mut Builder, value: Value, bits: u32) -> Value {
    let (up, down) = (b.i32(8 - bits), b.i32(2 * bits - 8));
    let (high, low) = (b.shl(value, up), b.lshr(value, down));
    b.or(high, low)
}

fn clamp(b: &mut Builder, value: Value, least: i32, most: i32) -> Value {
    let (least, most) = (b.i32(least as u32), b.i32(most as u32));
    let value = b.smax(value, least);
    b.smin(value, most)
}

fn choose(b: &mut Builder, condition: Value, then: Color, otherwise: Color) -> Color {
    [0, 1, 2].map(|at| b.select(condition, then[at], otherwise[at]))
}

/// The number of a texel, column by column.
fn number(b: &mut Builder, within: Value) -> Value {
    let (two, three) = (b.i32(2), b.i32(3));
    let (column, row) = (b.and(within, three), b.lshr(within, two));
    let column = b.shl(column, two);
    b.or(column, row)
}

/// A texel's two bits: which of four colours of its sub-block or of the block it has.
fn texel_code(b: &mut Builder, block: Halves, within: Value) -> Value {
    let one = b.i32(1);
    let number = number(b, within);
    let sixteen = b.i32(16);
    let (low, high) = (b.lshr(block[1], number), b.iadd(number, sixteen));
    let (low, high) = (b.and(low, one), b.lshr(block[1], high));
    let high = b.and(high, one);
    let high = b.shl(high, one);
    b.or(high, low)
}

/// Which mode a block has, by the sums of its base colours and their offsets; a mode is only looked at where
/// those before it do not hold.
struct Mode {
    /// Two base colours of four bits, or of five bits and three of difference.
    differential: Value,
    is_t: Value,
    /// T or H: two colours, and others at a distance from them.
    is_pair: Value,
    is_planar: Value,
}

/// The base colour and the table of the sub-block that a texel lies in, and the block's mode.
fn sub_block(b: &mut Builder, block: Halves, within: Value, punchthrough: bool) -> (Color, Value, Mode) {
    let (zero, two) = (b.i32(0), b.i32(2));
    let differential = flag(b, block, 33);
    let bases = [59, 51, 43].map(|first| field(b, block, first, 5));
    let offsets = [56, 48, 40].map(|first| {
        let (value, by) = (field(b, block, first, 3), b.i32(29));
        let value = b.shl(value, by);
        b.ashr(value, by)
    });
    let sums = [0, 1, 2].map(|at| b.iadd(bases[at], offsets[at]));
    let most = b.i32(31);
    let mut overflows = sums.map(|sum| b.ult(most, sum));
    if !punchthrough {
        overflows = overflows.map(|overflow| b.and(overflow, differential));
    }
    let [is_t, is_h, is_planar] = overflows;

    // Two sub-blocks, side by side or one above the other.
    let flipped = flag(b, block, 32);
    let (column, row) = (b.and(within, two), b.lshr(within, two));
    let row = b.and(row, two);
    let place = b.select(flipped, row, column);
    let second = b.ine(place, zero);
    let fives = [0, 1, 2].map(|at| {
        let value = b.select(second, sums[at], bases[at]);
        extend(b, value, 5)
    });
    let base = if punchthrough {
        fives
    } else {
        let fours = [(60, 56), (52, 48), (44, 40)].map(|(first, other)| {
            let (first, other) = (field(b, block, first, 4), field(b, block, other, 4));
            let value = b.select(second, other, first);
            extend(b, value, 4)
        });
        choose(b, differential, fives, fours)
    };
    let tables = [field(b, block, 37, 3), field(b, block, 34, 3)];
    let table = b.select(second, tables[1], tables[0]);

    let is_pair = b.or(is_t, is_h);
    let is_planar = b.andnot(is_planar, is_pair);
    (base, table, Mode { differential, is_t, is_pair, is_planar })
}

/// The colour of a texel in a block of mode T or H before its distance, and the number of the distance.
fn pair_color(b: &mut Builder, block: Halves, is_t: Value, code: Value) -> (Color, Value) {
    let (zero, one, two) = (b.i32(0), b.i32(1), b.i32(2));
    let t_colors = [
        [joined(b, block, &[(59, 2), (56, 2)]), field(b, block, 52, 4), field(b, block, 48, 4)],
        [44, 40, 36].map(|first| field(b, block, first, 4)),
    ];
    let h_colors = [
        [
            field(b, block, 59, 4),
            joined(b, block, &[(56, 3), (52, 1)]),
            joined(b, block, &[(51, 1), (47, 3)]),
        ],
        [43, 39, 35].map(|first| field(b, block, first, 4)),
    ];
    let order = {
        let whole = h_colors.map(|[red, green, blue]| {
            let four = b.i32(4);
            let value = b.shl(red, four);
            let value = b.or(value, green);
            let value = b.shl(value, four);
            b.or(value, blue)
        });
        let falls = b.ule(whole[1], whole[0]);
        as_int(b, falls)
    };
    let t_distance = joined(b, block, &[(34, 2), (32, 1)]);
    let h_distance = {
        let value = joined(b, block, &[(34, 1), (32, 1)]);
        let value = b.shl(value, one);
        b.or(value, order)
    };
    let t_first = b.ieq(code, zero);
    let is_first = {
        let upper = b.and(code, two);
        let h_first = b.ieq(upper, zero);
        b.select(is_t, t_first, h_first)
    };
    let painted = {
        let first = choose(b, is_t, t_colors[0], h_colors[0]);
        let second = choose(b, is_t, t_colors[1], h_colors[1]);
        choose(b, is_first, first, second).map(|value| extend(b, value, 4))
    };
    (painted, b.select(is_t, t_distance, h_distance))
}

/// What is added to all components of a texel's colour: by its code, a value of the sub-block's table or the
/// distance of this number, or its negative.
fn color_offset(
    access: &mut Access,
    mode: &Mode,
    code: Value,
    [table, distance]: [Value; 2],
    punchthrough: bool,
) -> Value {
    let &Mode { differential, is_t, is_pair, .. } = mode;
    let b = &mut *access.b;
    let (zero, one, two, three) = (b.i32(0), b.i32(1), b.i32(2), b.i32(3));
    let (odd, upper) = (b.and(code, one), b.and(code, two));
    let (odd, upper) = (b.ine(odd, zero), b.ine(upper, zero));
    // Either a table's smaller or greater value, or a distance: twice by the code, once for the tables.
    let size = {
        let (table, code) = (b.shl(table, one), b.and(code, one));
        let index = b.or(table, code);
        let (modifiers, distances) = (b.i32(ETC_MODIFIERS), b.i32(ETC_DISTANCES));
        let (index, distance) = (b.iadd(index, modifiers), b.iadd(distance, distances));
        let index = b.select(is_pair, distance, index);
        lookup(access, 0, index)
    };
    let b = &mut *access.b;
    let size = {
        // T leaves its two colours as they are; H and the tables have all four.
        let even = b.not(odd);
        let plain = b.and(is_t, even);
        let plain = if punchthrough {
            let through = b.or(is_pair, differential);
            let through = b.not(through);
            let still = b.and(through, even);
            b.or(plain, still)
        } else {
            plain
        };
        b.select(plain, zero, size)
    };
    let negative = {
        let of_pairs = {
            let t_negative = b.ieq(code, three);
            b.select(is_t, t_negative, odd)
        };
        b.select(is_pair, of_pairs, upper)
    };
    let minus = b.isub(zero, size);
    b.select(negative, minus, size)
}

/// A texel's red, green, blue and alpha. With `punchthrough`, blocks may have texels without alpha.
pub(super) fn color(access: &mut Access, words: &Words, within: Value, punchthrough: bool) -> [Value; 4] {
    let b = &mut *access.b;
    let block = halves(b, words);
    let code = texel_code(b, block, within);
    let (base, table, mode) = sub_block(b, block, within, punchthrough);
    let (painted, distance) = pair_color(b, block, mode.is_t, code);
    let offset = color_offset(access, &mode, code, [table, distance], punchthrough);
    let b = &mut *access.b;
    let from = choose(b, mode.is_pair, painted, base);
    let shaded = from.map(|value| {
        let value = b.iadd(value, offset);
        clamp(b, value, 0, 255)
    });
    let planar = planar(b, block, within);
    let color = choose(b, mode.is_planar, planar, shaded);
    let color = color.map(|value| texel::unorm_to_float(b, value, 8));
    let (nothing, all) = (b.f32(0.0), b.f32(1.0));
    if !punchthrough {
        return [color[0], color[1], color[2], all];
    }
    let two = b.i32(2);
    let transparent = b.ieq(code, two);
    let opaque = b.or(mode.differential, mode.is_planar);
    let transparent = b.andnot(transparent, opaque);
    let [red, green, blue] = color.map(|value| b.select(transparent, nothing, value));
    [red, green, blue, b.select(transparent, nothing, all)]
}

/// Three colours of a plane: those of the block's first texel and of the ones behind its last column and row.
fn planar(b: &mut Builder, block: Halves, within: Value) -> Color {
    let (two, three) = (b.i32(2), b.i32(3));
    let (x, y) = (b.and(within, three), b.lshr(within, two));
    let places: [[&[(u32, u32)]; 3]; 3] = [
        [&[(57, 6)], &[(34, 5), (32, 1)], &[(13, 6)]],
        [&[(56, 1), (49, 6)], &[(25, 7)], &[(6, 7)]],
        [&[(48, 1), (43, 2), (39, 3)], &[(19, 6)], &[(0, 6)]],
    ];
    places.map(|places| {
        let [origin, right, below] = places.map(|fields| {
            let value = joined(b, block, fields);
            extend(b, value, fields.iter().map(|&(_, count)| count).sum())
        });
        let (right, below) = (b.isub(right, origin), b.isub(below, origin));
        let (right, below) = (b.imul(right, x), b.imul(below, y));
        let start = b.shl(origin, two);
        let sum = b.iadd(start, two);
        let sum = b.iadd(sum, right);
        let sum = b.iadd(sum, below);
        let value = b.ashr(sum, two);
        clamp(b, value, 0, 255)
    })
}

/// The base of an EAC block's texel, its modifier and what that is multiplied by.
fn eac(access: &mut Access, words: &Words, within: Value) -> [Value; 3] {
    let b = &mut *access.b;
    let block = halves(b, words);
    let number = number(b, within);
    let (three, four, seven) = (b.i32(3), b.i32(4), b.i32(7));
    let wide = super::wide_field(b, &[block[1], block[0]], 0);
    let steps = b.imul(number, three);
    let last = b.i32(45);
    let by = b.isub(last, steps);
    let code = super::variable_field(b, wide, by, seven);
    let table = field(b, block, 48, 4);
    let word = lookup(access, EAC, table);
    let b = &mut *access.b;
    let index = b.and(code, three);
    let eight = b.i32(3);
    let by = b.shl(index, eight);
    let mask = b.i32(0xff);
    let size = b.lshr(word, by);
    let size = b.and(size, mask);
    let is_negative = b.ult(code, four);
    let (zero, one) = (b.i32(0), b.i32(1));
    let (minus, plus) = (b.isub(zero, size), b.isub(size, one));
    [field(b, block, 56, 8), b.select(is_negative, minus, plus), field(b, block, 52, 4)]
}

/// Alpha of eight bits.
pub(super) fn alpha(access: &mut Access, words: &Words, within: Value) -> Value {
    let [base, modifier, factor] = eac(access, words, within);
    let b = &mut *access.b;
    let part = b.imul(modifier, factor);
    let value = b.iadd(base, part);
    let value = clamp(b, value, 0, 255);
    texel::unorm_to_float(b, value, 8)
}

/// A channel of eleven bits.
pub(super) fn channel(access: &mut Access, words: &Words, within: Value, signed: bool) -> Value {
    let [base, modifier, factor] = eac(access, words, within);
    let b = &mut *access.b;
    let (zero, three) = (b.i32(0), b.i32(3));
    let product = b.imul(modifier, factor);
    let product = b.shl(product, three);
    let is_plain = b.ieq(factor, zero);
    let part = b.select(is_plain, modifier, product);
    if signed {
        let by = b.i32(24);
        let base = b.shl(base, by);
        let base = b.ashr(base, by);
        let least = b.i32(-127_i32 as u32);
        let base = b.smax(base, least);
        let base = b.shl(base, three);
        let value = b.iadd(base, part);
        let value = clamp(b, value, -1023, 1023);
        return texel::snorm_to_float(b, value, 11);
    }
    let (base, four) = (b.shl(base, three), b.i32(4));
    let base = b.or(base, four);
    let value = b.iadd(base, part);
    let value = clamp(b, value, 0, 2047);
    texel::unorm_to_float(b, value, 11)
}
