//! PVRTC: a texel of four blocks ([`crate::texel::pvrtc`] has the same in plain Rust).
//!
//! Two components of a colour are halves of a word, so that a product with a weight is one of both: of five
//! bits, the sums have ten.

use crate::texel::pvrtc::{Kind, PALETTES, WEIGHTS};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::{Ops, texel};

/// The words of the blocks around a texel: its own, the next one across, the next one above or below, and the
/// one beside both. Of each the modulation, then the colours.
pub(in crate::access) type Around = [[Value; 2]; 4];

/// Red with green, and blue with alpha.
type Color = [Value; 2];

fn field(b: &mut Builder, word: Value, first: u32, count: u32) -> Value {
    let (by, mask) = (b.i32(first), b.i32((1 << count) - 1));
    let value = if first == 0 { word } else { b.lshr(word, by) };
    if first + count == 32 { value } else { b.and(value, mask) }
}

/// Whether a bit of a word is set.
fn flag(b: &mut Builder, word: Value, bit: u32) -> Value {
    let (mask, zero) = (b.i32(1 << bit), b.i32(0));
    let bits = b.and(word, mask);
    b.ine(bits, zero)
}

/// A number of `from` bits with five, the high ones again below.
fn five_bits(b: &mut Builder, value: Value, from: u32) -> Value {
    let (up, down) = (b.i32(5 - from), b.i32(2 * from - 5));
    let (high, low) = (b.shl(value, up), b.lshr(value, down));
    b.or(high, low)
}

fn halves(b: &mut Builder, low: Value, high: Value) -> Value {
    let by = b.i32(16);
    let high = b.shl(high, by);
    b.or(low, high)
}

/// Colour A or B of a word of colours, of five bits, alpha of four.
fn color(b: &mut Builder, kind: Kind, word: Value, is_second: bool) -> Color {
    let first = if is_second { 16 } else { 0 };
    let is_opaque = flag(b, word, if kind.is_second { 31 } else { first + 15 });
    // Colour A has one bit less of blue: that of the flag M.
    let (blue, short) = if is_second { (first, 0) } else { (1, 1) };
    let opaque_blue = field(b, word, blue, 5 - short);
    let clear_blue = field(b, word, blue, 4 - short);
    let opaque_blue = if short == 1 { five_bits(b, opaque_blue, 4) } else { opaque_blue };
    let clear_blue = five_bits(b, clear_blue, 4 - short);
    let [red, green] = [(10, 8), (5, 4)].map(|(opaque, clear)| {
        let opaque = field(b, word, first + opaque, 5);
        let clear = field(b, word, first + clear, 4);
        let clear = five_bits(b, clear, 4);
        b.select(is_opaque, opaque, clear)
    });
    let blue = b.select(is_opaque, opaque_blue, clear_blue);
    let (one, all) = (b.i32(1), b.i32(15));
    let alpha = field(b, word, first + 12, 3);
    let mut alpha = b.shl(alpha, one);
    if kind.is_second && is_second {
        alpha = b.or(alpha, one);
    }
    let alpha = b.select(is_opaque, all, alpha);
    [halves(b, red, green), halves(b, blue, alpha)]
}

/// The components of a colour, of eight bits: by these shifts to the left of what stands for five bits, and
/// to the right, and the same of alpha.
fn components(b: &mut Builder, [red_green, blue_alpha]: Color, shifts: [[i32; 2]; 2]) -> [Value; 4] {
    let [red, blue] = [red_green, blue_alpha].map(|word| field(b, word, 0, 16));
    let [green, alpha] = [red_green, blue_alpha].map(|word| field(b, word, 16, 16));
    [(red, 0), (green, 0), (blue, 0), (alpha, 1)].map(|(value, kind): (Value, usize)| {
        let [high, low] = shifts[kind].map(|left| {
            let by = b.i32(left.unsigned_abs());
            if left < 0 { b.lshr(value, by) } else { b.shl(value, by) }
        });
        b.iadd(high, low)
    })
}

/// Shifts for [`components`] of stored colours.
const STORED: [[i32; 2]; 2] = [[3, -2], [4, 0]];

/// Decodes a texel: `within` is its column, and its row above that.
pub(super) fn decode(b: &mut Builder, kind: Kind, around: &Around, within: Value) -> [Value; 4] {
    let is_wide = kind.width_bits == 3;
    let width = 1 << kind.width_bits;
    let [x, y] = [field(b, within, 0, kind.width_bits), field(b, within, kind.width_bits, 2)];
    // In the first half, the texel's block is the second one of the two, and the share of it grows.
    let [(is_right, in_x), (is_below, in_y)] = [(x, width), (y, 4)].map(|(place, extent)| {
        let (half, whole) = (b.i32(extent / 2), b.i32(extent + extent / 2));
        let is_second = b.ult(place, half);
        let (grown, shrunk) = (b.iadd(place, half), b.isub(whole, place));
        (is_second, b.select(is_second, grown, shrunk))
    });
    let (across, down) = (b.i32(width), b.i32(4));
    let (far_x, far_y) = (b.isub(across, in_x), b.isub(down, in_y));
    let shares = [(in_x, in_y), (far_x, in_y), (in_x, far_y), (far_x, far_y)].map(|(x, y)| b.imul(x, y));
    let own = around[0];
    let is_modulated = flag(b, own[1], 0);
    let bits = {
        let (two_bits, mask) = (b.i32(1), b.i32(3));
        let by = b.shl(within, two_bits);
        let bits = b.lshr(own[0], by);
        b.and(bits, mask)
    };
    let mixed = [false, true].map(|is_second| {
        let mut sums: Option<Color> = None;
        for (words, share) in around.iter().zip(shares) {
            let parts = color(b, kind, words[1], is_second).map(|part| b.imul(part, share));
            sums = Some(match sums {
                Some(sums) => [b.iadd(sums[0], parts[0]), b.iadd(sums[1], parts[1])],
                None => parts,
            });
        }
        let shifts = if is_wide { [[-2, -7], [-1, -5]] } else { [[-1, -6], [0, -4]] };
        components(b, sums.unwrap_or(own), shifts)
    });
    let never = b.bool(false);
    let is_hard = if kind.is_second {
        // The flag is that of the first of the four blocks.
        let [colors, across, down, both] = around.map(|words| words[1]);
        let upper = b.select(is_right, across, colors);
        let lower = b.select(is_right, both, down);
        let first = b.select(is_below, lower, upper);
        flag(b, first, 15)
    } else {
        never
    };
    let images = if kind.is_second {
        [0, 1].map(|image| {
            let stored = color(b, kind, own[1], image == 1);
            let stored = components(b, stored, STORED);
            std::array::from_fn(|index| b.select(is_hard, stored[index], mixed[image][index]))
        })
    } else {
        mixed
    };
    let is_punched = b.andnot(is_modulated, is_hard);
    let weight = if is_wide {
        weight_of_two_bits(b, around, [x, y])
    } else {
        let [plain, punched] = WEIGHTS.map(|weights| b.i32(weights as u32));
        let weights = b.select(is_punched, punched, plain);
        nibble(b, weights, bits)
    };
    let (eight, three) = (b.i32(8), b.i32(3));
    let rest = b.isub(eight, weight);
    let [first, second]: [[Value; 4]; 2] = images;
    let mut values: [Value; 4] = std::array::from_fn(|index| {
        let (first, second) = (b.imul(first[index], rest), b.imul(second[index], weight));
        let sum = b.iadd(first, second);
        b.lshr(sum, three)
    });
    if !is_wide {
        let (zero, two) = (b.i32(0), b.i32(2));
        let is_clear = b.ieq(bits, two);
        let is_clear = b.and(is_clear, is_punched);
        for value in &mut values[if kind.is_second { 0 } else { 3 }..] {
            *value = b.select(is_clear, zero, *value);
        }
    }
    if !is_wide && kind.is_second {
        let is_palette = b.and(is_hard, is_modulated);
        let (is_palette, picked) =
            palette(b, kind, around, [(is_right, in_x), (is_below, in_y)], (bits, is_palette));
        values = std::array::from_fn(|index| b.select(is_palette, picked[index], values[index]));
    }
    values.map(|value| texel::unorm_to_float(b, value, 8))
}

/// The `index`th four bits of a word.
fn nibble(b: &mut Builder, word: Value, index: Value) -> Value {
    let (two, mask) = (b.i32(2), b.i32(15));
    let by = b.shl(index, two);
    let value = b.lshr(word, by);
    b.and(value, mask)
}

/// The colour that a local palette has for a texel, and where that holds: not of the region's first texel.
fn palette(
    b: &mut Builder,
    kind: Kind,
    around: &Around,
    [(is_right, in_x), (is_below, in_y)]: [(Value, Value); 2],
    (bits, is_palette): (Value, Value),
) -> (Value, [Value; 4]) {
    // From the region's first texel on: the own block's share, or what that lacks.
    let four = b.i32(4);
    let [column, row] = [(is_right, in_x), (is_below, in_y)].map(|(is_second, share)| {
        let rest = b.isub(four, share);
        b.select(is_second, share, rest)
    });
    let rows = PALETTES.map(|row| b.i64(row));
    let table = rows[1..].iter().zip(1..).fold(rows[0], |table, (&palettes, number)| {
        let number = b.i32(number);
        let is_row = b.ieq(row, number);
        b.select(is_row, palettes, table)
    });
    let (two, zero) = (b.i32(2), b.i32(0));
    let index = b.shl(column, two);
    let index = b.or(index, bits);
    let by = b.shl(index, two);
    let by = b.resize_u(by, Scalar::I64);
    let number = b.lshr(table, by);
    let number = b.resize_u(number, Scalar::I32);
    // Which block it is: to the right, below; and which that is from the texel's own.
    let [is_second, right, below] = [0, 1, 2].map(|bit| flag(b, number, bit));
    let (crosses, descends) = (b.xor(right, is_right), b.xor(below, is_below));
    let [own, across, down, both] = around.map(|words| words[1]);
    let near = b.select(crosses, across, own);
    let far = b.select(crosses, both, down);
    let word = b.select(descends, far, near);
    let [first, second] = [false, true].map(|is_second| color(b, kind, word, is_second));
    let color: Color = std::array::from_fn(|index| b.select(is_second, second[index], first[index]));
    let place = b.or(column, row);
    let is_other = b.ine(place, zero);
    (b.and(is_palette, is_other), components(b, color, STORED))
}

/// A block's modulation where a texel has one bit, or every other texel two.
#[derive(Clone, Copy)]
struct Modulation {
    word: Value,
    /// Texels have two bits.
    is_paired: Value,
}

impl Modulation {
    fn of(b: &mut Builder, [word, colors]: [Value; 2]) -> Modulation {
        // Two low bits say something else; they are as the bits above them.
        let (one, always, flagged) = (b.i32(1), b.i32(1), b.i32(1 | 1 << 20));
        let has_direction = flag(b, word, 0);
        let replaced = b.select(has_direction, flagged, always);
        let above = b.lshr(word, one);
        let above = b.and(above, replaced);
        let kept = b.andnot(word, replaced);
        let fixed = b.or(kept, above);
        let is_paired = flag(b, colors, 0);
        Modulation { word: b.select(is_paired, fixed, word), is_paired }
    }

    /// Eighths of colour B of a texel that has a weight.
    fn weight(self, b: &mut Builder, x: Value, y: Value) -> Value {
        let (one, three, even) = (b.i32(1), b.i32(3), b.i32(!1));
        let row = b.shl(y, three);
        let at = b.or(row, x);
        let bit = b.lshr(self.word, at);
        let bit = b.and(bit, one);
        let whole = b.shl(bit, three);
        let at = b.and(at, even);
        let pair = b.lshr(self.word, at);
        let pair = b.and(pair, three);
        let weights = b.i32(WEIGHTS[0] as u32);
        let weight = nibble(b, weights, pair);
        b.select(self.is_paired, weight, whole)
    }
}

/// Eighths of colour B with two bits a texel: a block's own, or where only every other texel has a weight,
/// the mean of those beside it, which may be other blocks'.
fn weight_of_two_bits(b: &mut Builder, around: &Around, [x, y]: [Value; 2]) -> Value {
    let [own, across, down] = [around[0], around[1], around[2]].map(|words| Modulation::of(b, words));
    let step = |b: &mut Builder, place: Value, last: u32, by: u32| {
        let (last, by) = (b.i32(last), b.i32(by));
        let moved = b.iadd(place, by);
        let at = b.and(moved, last);
        (at, b.ine(at, moved))
    };
    let either = |b: &mut Builder, crosses: Value, other: Modulation| Modulation {
        word: b.select(crosses, other.word, own.word),
        is_paired: b.select(crosses, other.is_paired, own.is_paired),
    };
    // Back, and on.
    let in_x = [u32::MAX, 1].map(|by| {
        let (at, crosses) = step(b, x, 7, by);
        let block = either(b, crosses, across);
        block.weight(b, at, y)
    });
    let in_y = [u32::MAX, 1].map(|by| {
        let (at, crosses) = step(b, y, 3, by);
        let block = either(b, crosses, down);
        block.weight(b, x, at)
    });
    let (one, two) = (b.i32(1), b.i32(2));
    let [sum_x, sum_y] = [in_x, in_y].map(|[back, on]| b.iadd(back, on));
    let [mean_x, mean_y] = [sum_x, sum_y].map(|sum| {
        let sum = b.iadd(sum, one);
        b.lshr(sum, one)
    });
    let all = b.iadd(sum_x, sum_y);
    let all = b.iadd(all, two);
    let all = b.lshr(all, two);
    let word = around[0][0];
    let (has_direction, is_vertical) = (flag(b, word, 0), flag(b, word, 20));
    let mean = b.select(is_vertical, mean_y, mean_x);
    let mean = b.select(has_direction, mean, all);
    let place = b.xor(x, y);
    let is_odd = flag(b, place, 0);
    let is_between = b.and(is_odd, own.is_paired);
    let here = own.weight(b, x, y);
    b.select(is_between, mean, here)
}
