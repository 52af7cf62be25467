//! ASTC. Blocks differ in nearly everything, lane by lane, so nothing is at a constant place but the block
//! mode: tables say what follows from it, and the integers of sequences are taken out at computed places.
//! Numbers of partitions, end points and weights that few blocks have are behind branches, as are end points
//! of high dynamic range ([`astc_high_range`]).

use super::tables::{
    ASTC_3D_MODES, ASTC_COLOR_BITS, ASTC_COLOR_RANGES, ASTC_COLORS, ASTC_DIGITS, ASTC_MODES, ASTC_QUINTS,
    ASTC_WEIGHTS, color_range_word, mode_word,
};
use super::{Words, as_int, astc_high_range, lookup, wide_field};
use crate::access::{Access, BuildError, if_else};
use crate::texel::astc_numbers as numbers;
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{Ops, texel};

/// What texels are decoded to (`VkImageViewASTCDecodeModeEXT::decodeMode`).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Precision {
    /// Eight bits a component, of which red, green and blue have the sRGB transfer function.
    Srgb,
    /// Eight bits a component.
    UNorm8,
    /// Halves.
    Half,
    /// Halves; blocks may be of high dynamic range.
    HighRange,
}

/// 128 bits: the low and the high 64.
#[derive(Clone, Copy)]
struct Bits([Value; 2]);

/// A sequence of integers of a range, lane by lane.
struct Sequence {
    /// From its first bit on, with zeros behind its last one.
    bits: Bits,
    /// Low bits of an integer.
    low: Value,
    /// Whether trits or quints are above them.
    trits: Value,
    quints: Value,
    /// First word of what its integers stand for, a byte each.
    values: Value,
}

/// What a block's texels have in common, and a texel's partition.
struct Header {
    /// All of the block.
    bits: Bits,
    /// The texel's column, row and slice.
    at: [Value; 3],
    /// The word of the block's mode.
    mode: Value,
    /// Partitions.
    partitions: Value,
    /// The texel's.
    partition: Value,
}

impl Bits {
    /// The 64 bits from bit `first` (below 128) on.
    fn from(self, b: &mut Builder, first: Value) -> Value {
        let [low, high] = self.0;
        let (one, sixty_three, sixty_four) = (b.i64(1), b.i64(63), b.i32(64));
        let is_low = b.ult(first, sixty_four);
        let by = b.resize_u(first, Scalar::I64);
        let (down, up) = (b.and(by, sixty_three), b.xor(by, sixty_three));
        let first = b.select(is_low, low, high);
        let rest = b.lshr(first, down);
        let above = b.shl(high, one);
        let above = b.shl(above, up);
        let joined = b.or(rest, above);
        b.select(is_low, joined, rest)
    }

    /// Up to 32 bits from bit `first` on.
    fn field(self, b: &mut Builder, first: Value, mask: u32) -> Value {
        let wide = self.from(b, first);
        let (value, mask) = (b.resize_u(wide, Scalar::I32), b.i32(mask));
        b.and(value, mask)
    }

    /// The lowest `count` (below 128) bits, zeros above.
    fn lowest(self, b: &mut Builder, count: Value) -> Bits {
        let (one, sixty_three, sixty_four, all) = (b.i64(1), b.i64(63), b.i32(64), b.i64(u64::MAX));
        let zero = b.i64(0);
        let by = b.resize_u(count, Scalar::I64);
        let by = b.and(by, sixty_three);
        let mask = b.shl(one, by);
        let mask = b.isub(mask, one);
        let is_low = b.ult(count, sixty_four);
        let masks = [b.select(is_low, mask, all), b.select(is_low, zero, mask)];
        Bits([0, 1].map(|half| b.and(self.0[half], masks[half])))
    }

    /// The highest bit lowest.
    fn reversed(self, b: &mut Builder) -> Bits {
        let [low, high] = self.0.map(|half| b.op(Opcode::BitReverse, &[half]));
        Bits([high, low])
    }
}

/// Bits `first` to `first + count` of a word.
pub(super) fn part(b: &mut Builder, word: Value, first: u32, count: u32) -> Value {
    let (by, mask) = (b.i32(first), b.i32((1 << count) - 1));
    let value = b.lshr(word, by);
    b.and(value, mask)
}

/// Whether a bit of a word is set.
fn bit(b: &mut Builder, word: Value, bit: u32) -> Value {
    let (value, zero) = (part(b, word, bit, 1), b.i32(0));
    b.ine(value, zero)
}

/// Whether a value is one of several.
pub(super) fn is_any(b: &mut Builder, value: Value, of: &[u32]) -> Value {
    let mut any = b.bool(false);
    for &one in of {
        let one = b.i32(one);
        let same = b.ieq(value, one);
        any = b.or(any, same);
    }
    any
}

/// The low bits of a word below a number of them, which is below 32.
fn low_bits(b: &mut Builder, word: Value, count: Value) -> Value {
    let one = b.i32(1);
    let mask = b.shl(one, count);
    let mask = b.isub(mask, one);
    b.and(word, mask)
}

/// A byte of the tables by its number from a word on.
fn byte(access: &mut Access, word: Value, index: Value) -> Value {
    let b = &mut *access.b;
    let (two, three) = (b.i32(2), b.i32(3));
    let at = b.lshr(index, two);
    let at = b.iadd(at, word);
    let found = lookup(access, 0, at);
    let b = &mut *access.b;
    let by = b.and(index, three);
    let by = b.shl(by, three);
    let mask = b.i32(0xff);
    let value = b.lshr(found, by);
    b.and(value, mask)
}

impl Sequence {
    /// What integer `index` (below 64) stands for.
    fn value(&self, access: &mut Access, index: Value) -> Value {
        let b = &mut *access.b;
        let low = self.low;
        let of_kinds = |b: &mut Builder, trits: u32, quints: u32, none: u32| {
            let [trits, quints, none] = [trits, quints, none].map(|value| b.i32(value));
            let value = b.select(self.quints, quints, none);
            b.select(self.trits, trits, value)
        };
        // The group: five integers and eight bits of trits, or three and seven bits, or one.
        let eight = b.i32(8);
        let (reciprocal, size) = (of_kinds(b, 52, 86, 256), of_kinds(b, 5, 3, 1));
        let group = b.imul(index, reciprocal);
        let group = b.lshr(group, eight);
        let before = b.imul(group, size);
        let within = b.isub(index, before);
        let (bits, digit_bits) = (b.imul(size, low), of_kinds(b, 8, 7, 0));
        let bits = b.iadd(bits, digit_bits);
        let start = b.imul(group, bits);
        let most = b.i32(127);
        let start = b.umin(start, most);
        let wide = self.bits.from(b, start);
        // The integer's low bits: behind those of others and some of the digits'.
        let two = b.i32(2);
        let nibbles = of_kinds(b, 0x75420, 0x530, 0);
        let by = b.shl(within, two);
        let ahead = b.lshr(nibbles, by);
        let ahead = part(b, ahead, 0, 4);
        let others = b.imul(within, low);
        let place = b.iadd(others, ahead);
        let place = b.resize_u(place, Scalar::I64);
        let own = b.lshr(wide, place);
        let own = b.resize_u(own, Scalar::I32);
        let own = low_bits(b, own, low);
        // All bits of the group's digits. The rest of the group has at most 32 bits.
        let by = b.resize_u(low, Scalar::I64);
        let rest = b.lshr(wide, by);
        let rest = b.resize_u(rest, Scalar::I32);
        let pieces = |b: &mut Builder, counts: &[u32]| {
            let (mut rest, mut shift) = (rest, 0);
            let mut packed = b.i32(0);
            for (number, &count) in counts.iter().enumerate() {
                let piece = part(b, rest, 0, count);
                let by = b.i32(shift);
                let piece = b.shl(piece, by);
                packed = b.or(packed, piece);
                shift += count;
                if number + 1 < counts.len() {
                    let count = b.i32(count);
                    let by = b.iadd(low, count);
                    rest = b.lshr(rest, by);
                }
            }
            packed
        };
        let (trits, quints) = (pieces(b, &[2, 2, 1, 2, 1]), pieces(b, &[3, 2, 2]));
        let first = b.i32(ASTC_QUINTS);
        let quints = b.iadd(quints, first);
        let packed = b.select(self.trits, trits, quints);
        let digits = lookup(access, ASTC_DIGITS, packed);
        let b = &mut *access.b;
        let (width, mask) = (of_kinds(b, 2, 3, 0), of_kinds(b, 3, 7, 0));
        let by = b.imul(within, width);
        let digit = b.lshr(digits, by);
        let digit = b.and(digit, mask);
        let digit = b.shl(digit, low);
        let value = b.or(digit, own);
        byte(access, self.values, value)
    }
}

/// Where a mode's word has the grid's columns, rows and slices, and their bits.
const GRID: [(u32, u32); 3] = [(mode_word::COLUMNS, 4), (mode_word::ROWS, 4), (mode_word::SLICES, 3)];

/// Decodes a texel: `within` is its column, row and slice, four bits each.
pub(super) fn decode(
    access: &mut Access,
    words: &Words,
    within: Value,
    extent: [u32; 3],
    precision: Precision,
) -> Result<[Value; 4], BuildError> {
    let b = &mut *access.b;
    let bits = Bits([wide_field(b, words, 0), wide_field(b, words, 64)]);
    let first = part(b, words[0], 0, 11);
    let (four, one) = (b.i32(4), b.i32(1));
    let at = [0, 4, 8].map(|first| part(b, within, first, 4));
    let modes = if extent[2] > 1 { ASTC_3D_MODES } else { ASTC_MODES };
    let block_mode = lookup(access, modes, first);
    let b = &mut *access.b;
    let partitions = part(b, words[0], 11, 2);
    let several = {
        let zero = b.i32(0);
        b.ine(partitions, zero)
    };
    let partitions = b.iadd(partitions, one);
    let partition = if_else(
        access,
        several,
        |access| Ok(vec![partition(access.b, words[0], partitions, at, extent)]),
        |access| Ok(vec![access.b.i32(0)]),
    )?[0];
    let header = Header { bits, at, mode: block_mode, partitions, partition };
    let b = &mut *access.b;
    // What the footprint and the number of partitions exclude.
    let mut error = bit(b, block_mode, mode_word::INVALID);
    for ((place, bits), most) in GRID.into_iter().zip(extent) {
        let (count, most) = (part(b, block_mode, place, bits), b.i32(most));
        let more = b.ult(most, count);
        error = b.or(error, more);
    }
    let dual = bit(b, block_mode, mode_word::DUAL);
    let is_four = b.ieq(partitions, four);
    let excluded = b.and(is_four, dual);
    error = b.or(error, excluded);

    let ends = end_points(access, &header, words[0], precision)?;
    let weights = weights(access, &header, dual, extent)?;
    let b = &mut *access.b;
    error = b.or(error, ends.error);
    let void = void(b, words, precision, extent[2] > 1);
    let error = b.select(void.is_void, void.error, error);
    let srgb = precision == Precision::Srgb;
    let values: Vec<Value> = (0..4)
        .map(|component| {
            let number = b.i32(component as u32);
            let is_second = b.ieq(ends.second, number);
            let is_second = b.and(is_second, dual);
            let weight = b.select(is_second, weights[1], weights[0]);
            // To 16 bits: repeated, or the middle of what the eight bits stand for.
            let wide = |b: &mut Builder, end: Value| {
                let (eight, middle) = (b.i32(8), b.i32(0x80));
                let high = b.shl(end, eight);
                b.or(high, if srgb && component < 3 { middle } else { end })
            };
            let [mut first, mut second] = ends.colors.map(|color| wide(b, color[component]));
            if let Some(high) = &ends.high {
                let [high_first, high_second] = high.colors.map(|color| color[component]);
                first = b.select(high.is_high, high_first, first);
                second = b.select(high.is_high, high_second, second);
            }
            let value = super::interpolate(b, first, second, weight);
            b.select(void.is_void, void.color[component], value)
        })
        .collect();
    let magenta = [1.0, 0.0, 1.0, 1.0];
    Ok([0, 1, 2, 3].map(|component| {
        let value = values[component];
        let value = match (precision, &ends.high) {
            (Precision::Half | Precision::HighRange, None) => half(b, value),
            (_, Some(high)) => {
                let is_high = if component < 3 { high.is_high } else { high.is_high_alpha };
                let is_high = b.select(void.is_void, void.is_half, is_high);
                let bits = astc_high_range::half_bits(b, value);
                let bits = b.select(void.is_void, value, bits);
                let high = astc_high_range::from_half(b, bits);
                let low = half(b, value);
                b.select(is_high, high, low)
            }
            _ => {
                let eight = b.i32(8);
                let high = b.lshr(value, eight);
                texel::unorm_to_float(b, high, 8)
            }
        };
        let wrong = b.f32(magenta[component]);
        b.select(error, wrong, value)
    }))
}

/// A component of 16 bits as the half that is nearest from below, and 1 for the greatest.
fn half(b: &mut Builder, value: Value) -> Value {
    let (most, one) = (b.i32(0xffff), b.f32(1.0));
    let is_most = b.ieq(value, most);
    let float = b.convert(Opcode::SToF, value, Scalar::F32);
    let scale = b.f32(1.0 / 65536.0);
    let float = b.fmul(float, scale);
    let (word, mask) = (b.bitcast(float, Scalar::I32), b.i32(!0x1fff));
    let word = b.and(word, mask);
    let float = b.bitcast(word, Scalar::F32);
    b.select(is_most, one, float)
}

/// A block of one colour.
struct Void {
    is_void: Value,
    /// Whether its components are halves.
    is_half: Value,
    error: Value,
    color: [Value; 4],
}

fn void(b: &mut Builder, words: &Words, precision: Precision, is_3d: bool) -> Void {
    let start = part(b, words[0], 0, 9);
    let expected = b.i32(0x1fc);
    let is_void = b.ieq(start, expected);
    let is_half = bit(b, words[0], 9);
    let bits = numbers::void_bits(is_3d);
    let all = b.i32((1 << bits) - 1);
    let (mut every, mut ordered) = (all, b.bool(true));
    for side in numbers::void_extents(is_3d) {
        let [low, high] = side.map(|first| super::field(b, words, first, bits));
        let rises = b.ult(low, high);
        let both = b.and(low, high);
        (every, ordered) = (b.and(every, both), b.and(ordered, rises));
    }
    let everywhere = b.ieq(every, all);
    let sound = b.or(everywhere, ordered);
    let unsound = b.not(sound);
    let error = if precision == Precision::HighRange { unsound } else { b.or(is_half, unsound) };
    let color = [64, 80, 96, 112].map(|first| super::field(b, words, first, 16));
    Void { is_void, is_half, error, color }
}

/// The texel's partition of several ("Partition Pattern Generation").
fn partition(b: &mut Builder, word: Value, partitions: Value, at: [Value; 3], extent: [u32; 3]) -> Value {
    let (zero, one, three, four) = (b.i32(0), b.i32(1), b.i32(3), b.i32(4));
    let at = if extent.iter().product::<u32>() < 31 { at.map(|at| b.shl(at, one)) } else { at };
    let pattern = part(b, word, 13, 10);
    let (others, ten) = (b.isub(partitions, one), b.i32(10));
    let others = b.shl(others, ten);
    let seed = b.or(pattern, others);
    let random = hash(b, seed);
    let (five, six) = (b.i32(5), b.i32(6));
    let is_three = b.ieq(partitions, three);
    let (second, first) = (bit(b, seed, 1), bit(b, seed, 0));
    let (x, y) = (b.select(second, four, five), b.select(is_three, six, five));
    let shifts = [b.select(first, x, y), b.select(first, y, x)];
    let deep_shift = {
        let own = bit(b, seed, 4);
        b.select(own, shifts[0], shifts[1])
    };
    let values: Vec<Value> = (0..4)
        .map(|number: u32| {
            let start = b.i32(14 - 4 * number);
            let mut sum = b.lshr(random, start);
            for axis in 0..2 {
                let factor = part(b, random, 4 * (2 * number + axis), 4);
                let square = b.imul(factor, factor);
                let slope = b.lshr(square, shifts[axis as usize]);
                let product = b.imul(slope, at[axis as usize]);
                sum = b.iadd(sum, product);
            }
            if extent[2] > 1 {
                let first = numbers::PARTITION_DEPTH_BITS[number as usize];
                let (down, up) = (b.i32(first), b.i32(32 - first));
                let (low, high) = (b.lshr(random, down), b.shl(random, up));
                let factor = b.or(low, high);
                let factor = part(b, factor, 0, 4);
                let square = b.imul(factor, factor);
                let slope = b.lshr(square, deep_shift);
                let product = b.imul(slope, at[2]);
                sum = b.iadd(sum, product);
            }
            let value = part(b, sum, 0, 6);
            if number < 2 {
                return value;
            }
            let number = b.i32(number);
            let is_there = b.ult(number, partitions);
            b.select(is_there, value, zero)
        })
        .collect();
    // The first of the greatest.
    let (mut best, mut chosen) = (values[0], zero);
    for (number, &value) in (0..).zip(&values).skip(1) {
        let number = b.i32(number);
        let greater = b.ult(best, value);
        best = b.umax(best, value);
        chosen = b.select(greater, number, chosen);
    }
    chosen
}

/// The pseudorandom bits of a partition pattern.
fn hash(b: &mut Builder, seed: Value) -> Value {
    let step = |b: &mut Builder, p: Value, op: Opcode, shift: Opcode, by: u32| {
        let by = b.i32(by);
        let shifted = b.op(shift, &[p, by]);
        b.op(op, &[p, shifted])
    };
    let steps = [
        (Opcode::Xor, Opcode::LShr, 15),
        (Opcode::ISub, Opcode::Shl, 17),
        (Opcode::IAdd, Opcode::Shl, 7),
        (Opcode::IAdd, Opcode::Shl, 4),
        (Opcode::Xor, Opcode::LShr, 5),
        (Opcode::IAdd, Opcode::Shl, 16),
        (Opcode::Xor, Opcode::LShr, 7),
        (Opcode::Xor, Opcode::LShr, 3),
        (Opcode::Xor, Opcode::Shl, 6),
        (Opcode::Xor, Opcode::LShr, 17),
    ];
    steps.into_iter().fold(seed, |p, (op, shift, by)| step(b, p, op, shift, by))
}

/// The end points of a texel's partition.
struct EndPoints {
    /// Two colours of eight bits a component.
    colors: [[Value; 4]; 2],
    /// The component with weights of its own, where there are two weights.
    second: Value,
    /// Where there is no such block, or the end points are of high dynamic range and the precision is not.
    error: Value,
    /// Where the precision is of high dynamic range, end points of it.
    high: Option<HighEndPoints>,
}

/// End points of high dynamic range.
struct HighEndPoints {
    /// Where the texel's partition has such.
    is_high: Value,
    /// And alpha, too.
    is_high_alpha: Value,
    /// Two colours of 16 bits a component.
    colors: [[Value; 4]; 2],
}

/// Where the end points of a texel's partition lie, and how they are to be read.
struct Modes {
    /// The texel's own mode.
    cem: Value,
    /// The bit behind the colours' last one.
    end: Value,
    /// The number of the component with weights of its own.
    second: Value,
    /// Pairs of values in the whole block, and in the partitions before the texel's.
    total: Value,
    before: Value,
}

/// The modes of the end points. `single`: the block has one partition.
fn modes(b: &mut Builder, header: &Header, word: Value, single: Value) -> Modes {
    let (zero, one, two, three) = (b.i32(0), b.i32(1), b.i32(2), b.i32(3));
    let Header { bits, mode, partitions, partition, .. } = *header;
    let class = part(b, word, 23, 2);
    let class = b.select(single, zero, class);
    let same = b.ieq(class, zero);
    // Below the weights: more bits of the end points' modes, then the number of a component.
    let weight_bits = part(b, mode, mode_word::WEIGHT_BITS, 7);
    let triple = b.imul(partitions, three);
    let four = b.i32(4);
    let more = b.isub(triple, four);
    let more = b.select(same, zero, more);
    let most = b.i32(128);
    let end = b.isub(most, weight_bits);
    let end = b.isub(end, more);
    let start = b.isub(end, two);
    let above = bits.field(b, start, 0x3ff);
    let second = part(b, above, 0, 2);
    let extra = b.lshr(above, two);
    let extra = low_bits(b, extra, more);
    let extra = b.shl(extra, four);
    let own = part(b, word, 25, 4);
    let all = b.or(own, extra);
    // The texel's mode: the same for all, or a bit for the class and two others for each partition.
    let whole = part(b, word, 13, 4);
    let whole = b.select(single, whole, own);
    let class_bit = b.lshr(all, partition);
    let class_bit = b.and(class_bit, one);
    let chosen = b.isub(class, one);
    let chosen = b.iadd(chosen, class_bit);
    let chosen = b.shl(chosen, two);
    let (twice, mask) = (b.shl(partition, one), b.i32(3));
    let by = b.iadd(partitions, twice);
    let low = b.lshr(all, by);
    let low = b.and(low, mask);
    let chosen = b.or(chosen, low);
    let cem = b.select(same, whole, chosen);
    // Pairs of values: as many as the class, and one more.
    let common = {
        let class_of_all = b.lshr(whole, two);
        let pairs = b.iadd(class_of_all, one);
        b.select(same, pairs, class)
    };
    let flags = b.select(same, zero, all);
    let pairs = |b: &mut Builder, count: Value| {
        let flags = low_bits(b, flags, count);
        let larger = b.op(Opcode::PopCount, &[flags]);
        let pairs = b.imul(common, count);
        b.iadd(pairs, larger)
    };
    let (total, before) = (pairs(b, partitions), pairs(b, partition));
    Modes { cem, end, second, total, before }
}

/// The values of all end points of the block, and whether the block cannot have so many.
fn color_sequence(
    access: &mut Access,
    header: &Header,
    &Modes { end, total, .. }: &Modes,
    single: Value,
) -> (Sequence, Value) {
    let b = &mut *access.b;
    let (zero, one) = (b.i32(0), b.i32(1));
    let Header { bits, mode, .. } = *header;
    // The colours' bits, and the range that fits them.
    let (first, first_of_several) = (b.i32(17), b.i32(29));
    let first = b.select(single, first, first_of_several);
    let left = b.isub(end, first);
    let dual = part(b, mode, mode_word::DUAL, 1);
    let reserved = b.shl(dual, one);
    let left = b.isub(left, reserved);
    let (left, nine) = (b.smax(left, zero), b.i32(9));
    let columns = b.i32(ASTC_COLOR_BITS - 1);
    let left = b.umin(left, columns);
    let too_many = b.ult(nine, total);
    let row = b.umin(total, nine);
    let row = b.isub(row, one);
    let stride = b.i32(ASTC_COLOR_BITS);
    let row = b.imul(row, stride);
    let index = b.iadd(row, left);
    let range = lookup(access, ASTC_COLOR_RANGES, index);
    let b = &mut *access.b;
    let invalid = bit(b, range, color_range_word::INVALID);
    let error = b.or(too_many, invalid);
    let colors = {
        let low = bits.from(b, first);
        let by = b.resize_u(first, Scalar::I64);
        let high = b.lshr(bits.0[1], by);
        let count = part(b, range, color_range_word::TOTAL, 7);
        Bits([low, high]).lowest(b, count)
    };
    let number = part(b, range, color_range_word::RANGE, 5);
    let six = b.i32(6);
    let (table, values) = (b.i32(ASTC_COLORS), b.shl(number, six));
    let values = b.iadd(table, values);
    let sequence = Sequence {
        bits: colors,
        low: part(b, range, color_range_word::LOW, 4),
        trits: bit(b, range, color_range_word::TRITS),
        quints: bit(b, range, color_range_word::QUINTS),
        values,
    };
    (sequence, error)
}

fn end_points(
    access: &mut Access,
    header: &Header,
    word: Value,
    precision: Precision,
) -> Result<EndPoints, BuildError> {
    let b = &mut *access.b;
    let one = b.i32(1);
    let single = b.ieq(header.partitions, one);
    let modes = modes(b, header, word, single);
    let (sequence, error) = color_sequence(access, header, &modes, single);
    let Modes { cem, second, before, .. } = modes;
    let start = access.b.shl(before, one);
    let value = |access: &mut Access, number: u32| {
        let number = access.b.i32(number);
        let index = access.b.iadd(start, number);
        let most = access.b.i32(63);
        let index = access.b.umin(index, most);
        sequence.value(access, index)
    };
    let mut v: Vec<Value> = (0..2).map(|number| value(access, number)).collect();
    // Further pairs where a lane's end points have them.
    for pair in 1..4 {
        let least = access.b.i32(4 * pair);
        let has = access.b.ule(least, cem);
        v.extend(if_else(
            access,
            has,
            |access| Ok((2 * pair..2 * pair + 2).map(|number| value(access, number)).collect()),
            |access| Ok(vec![access.b.i32(0); 2]),
        )?);
    }
    let is_high = is_any(access.b, cem, &[2, 3, 7, 11, 14, 15]);
    let colors = mode_colors(access.b, cem, &v);
    if precision != Precision::HighRange {
        return Ok(EndPoints { colors, second, error: access.b.or(error, is_high), high: None });
    }
    let high = if_else(
        access,
        is_high,
        |access| Ok(astc_high_range::end_points(access.b, cem, &v).concat()),
        |access| Ok(vec![access.b.i32(0); 8]),
    )?;
    let is_low_alpha = is_any(access.b, cem, &[14]);
    let high = HighEndPoints {
        is_high,
        is_high_alpha: access.b.andnot(is_high, is_low_alpha),
        colors: [[high[0], high[1], high[2], high[3]], [high[4], high[5], high[6], high[7]]],
    };
    Ok(EndPoints { colors, second, error, high: Some(high) })
}

/// The end points of a mode by its values ("LDR Endpoint Decoding").
fn mode_colors(b: &mut Builder, cem: Value, v: &[Value]) -> [[Value; 4]; 2] {
    let (zero, one, full) = (b.i32(0), b.i32(1), b.i32(255));
    let is_offset = is_any(b, cem, &[5, 9, 13]);
    // Pairs as they are, or a base and a signed offset, with one bit of the offset in the base.
    let pairs: Vec<[Value; 2]> = v
        .chunks(2)
        .map(|pair| {
            let (high, low, up) = (b.i32(0x80), b.i32(0x3f), b.i32(26));
            let base = b.lshr(pair[0], one);
            let carried = b.and(pair[1], high);
            let base = b.or(base, carried);
            let offset = b.lshr(pair[1], one);
            let offset = b.and(offset, low);
            let offset = b.shl(offset, up);
            let offset = b.ashr(offset, up);
            let end = b.iadd(base, offset);
            [b.select(is_offset, base, pair[0]), b.select(is_offset, end, pair[1])]
        })
        .collect();
    // Where the second colour is darker the two are swapped, and red and green are relative to blue.
    let sums = [0, 1].map(|end| {
        let sum = b.iadd(pairs[0][end], pairs[1][end]);
        b.iadd(sum, pairs[2][end])
    });
    let falls = b.slt(sums[1], sums[0]);
    let (eight, twelve, four, six) = (b.i32(8), b.i32(12), b.i32(4), b.i32(6));
    let is_gray = b.ult(cem, six);
    let swapped = b.andnot(falls, is_gray);
    let colors = [0, 1].map(|end| {
        let [mut red, mut green, blue, alpha] =
            [0, 1, 2, 3].map(|at| b.select(swapped, pairs[at][1 - end], pairs[at][end]));
        for value in [&mut red, &mut green] {
            let sum = b.iadd(*value, blue);
            let half = b.ashr(sum, one);
            *value = b.select(swapped, half, *value);
        }
        [red, green, blue, alpha]
    });
    // Gray: the first pair is all of the colour, the second one alpha.
    let base_offset = b.ieq(cem, one);
    let gray = {
        let (two, high, low) = (b.i32(2), b.i32(0xc0), b.i32(0x3f));
        let base = b.lshr(v[0], two);
        let top = b.and(v[1], high);
        let base = b.or(base, top);
        let offset = b.and(v[1], low);
        [base, b.iadd(base, offset)]
    };
    let is_scale = is_any(b, cem, &[6, 10]);
    let has_two = b.ule(four, cem);
    let has_alpha = b.ule(twelve, cem);
    let scaled_alpha = {
        let ten = b.i32(10);
        b.ieq(cem, ten)
    };
    [0, 1].map(|end| {
        let level = b.select(base_offset, gray[end], pairs[0][end]);
        let mut color = [0, 1, 2].map(|at| b.select(is_gray, level, colors[end][at]));
        let scaled = [0, 1, 2].map(|at| {
            if end == 1 {
                return v[at];
            }
            let product = b.imul(v[at], v[3]);
            b.lshr(product, eight)
        });
        color = [0, 1, 2].map(|at| b.select(is_scale, scaled[at], color[at]));
        let gray_alpha = b.select(has_two, pairs[1][end], full);
        let alpha = b.select(has_alpha, colors[end][3], full);
        let alpha = b.select(is_gray, gray_alpha, alpha);
        let alpha = b.select(scaled_alpha, v[4 + end], alpha);
        [color[0], color[1], color[2], alpha].map(|value| {
            let value = b.smax(value, zero);
            b.smin(value, full)
        })
    })
}

/// Four places of the grid around a place in sixteenths, and their shares in sixteenths: the corners of a
/// square.
fn on_square(b: &mut Builder, places: [Value; 2], columns: Value) -> ([Value; 4], [Value; 4]) {
    let (one, four, eight) = (b.i32(1), b.i32(4), b.i32(8));
    let fractions = places.map(|place| part(b, place, 0, 4));
    let both = b.imul(fractions[0], fractions[1]);
    let both = b.iadd(both, eight);
    let both = b.lshr(both, four);
    let (right, below) = (b.isub(fractions[0], both), b.isub(fractions[1], both));
    let sixteen = b.i32(16);
    let rest = b.isub(sixteen, fractions[0]);
    let rest = b.isub(rest, below);
    let [column, row] = places.map(|place| b.lshr(place, four));
    let start = b.imul(row, columns);
    let start = b.iadd(start, column);
    let next = b.iadd(start, columns);
    let numbers = [start, b.iadd(start, one), next, b.iadd(next, one)];
    (numbers, [rest, right, below, both])
}

/// The same in three dimensions: from the nearest corner of a cube to the opposite one, along the axes in the
/// order of their fractions.
fn on_simplex(
    b: &mut Builder,
    places: [Value; 3],
    [columns, rows, _]: [Value; 3],
) -> ([Value; 4], [Value; 4]) {
    let (one, four, sixteen) = (b.i32(1), b.i32(4), b.i32(16));
    let slice = b.imul(columns, rows);
    let [column, row, depth] = places.map(|place| b.lshr(place, four));
    let [row, depth] = [(row, columns), (depth, slice)].map(|(index, pitch)| b.imul(index, pitch));
    let start = b.iadd(column, row);
    let start = b.iadd(start, depth);
    let mut steps = [0, 1, 2].map(|axis| (part(b, places[axis], 0, 4), [one, columns, slice][axis]));
    for (first, second) in [(0, 1), (1, 2), (0, 1)] {
        let ((high, high_step), (low, low_step)) = (steps[first], steps[second]);
        let rises = b.ult(high, low);
        steps[first] = (b.select(rises, low, high), b.select(rises, low_step, high_step));
        steps[second] = (b.select(rises, high, low), b.select(rises, high_step, low_step));
    }
    let [(most, first), (middle, second), (least, third)] = steps;
    let first = b.iadd(start, first);
    let second = b.iadd(first, second);
    let shares = [b.isub(sixteen, most), b.isub(most, middle), b.isub(middle, least), least];
    ([start, first, second, b.iadd(second, third)], shares)
}

/// The texel's weights between those of the grid ("Weight Infill"): the first, and the second where there are
/// two.
fn weights(
    access: &mut Access,
    header: &Header,
    dual: Value,
    extent: [u32; 3],
) -> Result<[Value; 2], BuildError> {
    let b = &mut *access.b;
    let (zero, one, four) = (b.i32(0), b.i32(1), b.i32(4));
    let mode = header.mode;
    let grid = GRID.map(|(first, bits)| part(b, mode, first, bits));
    let mut place = |axis: usize| {
        let scale = (1024 + extent[axis] / 2) / (extent[axis] - 1);
        let (scale, six, round) = (b.i32(scale), b.i32(6), b.i32(32));
        let last = b.isub(grid[axis], one);
        let at = b.imul(header.at[axis], scale);
        let at = b.imul(at, last);
        let at = b.iadd(at, round);
        b.lshr(at, six)
    };
    let (numbers, shares) = if extent[2] > 1 {
        let places = [0, 1, 2].map(&mut place);
        on_simplex(b, places, grid)
    } else {
        let places = [0, 1].map(&mut place);
        on_square(b, places, grid[0])
    };
    // The sequence begins at the block's end and goes back.
    let count = part(b, mode, mode_word::WEIGHT_BITS, 7);
    let reversed = header.bits.reversed(b);
    let range = part(b, mode, mode_word::RANGE, 4);
    let (table, three) = (b.i32(ASTC_WEIGHTS), b.i32(3));
    let values = b.shl(range, three);
    let sequence = Sequence {
        bits: reversed.lowest(b, count),
        low: part(b, mode, mode_word::LOW, 3),
        trits: bit(b, mode, mode_word::TRITS),
        quints: bit(b, mode, mode_word::QUINTS),
        values: b.iadd(table, values),
    };
    let doubled = as_int(b, dual);
    let weight = |access: &mut Access, plane: u32| {
        let mut sum = access.b.i32(8);
        for (number, share) in numbers.into_iter().zip(shares) {
            let b = &mut *access.b;
            let (plane, most) = (b.i32(plane), b.i32(63));
            let index = b.shl(number, doubled);
            let index = b.iadd(index, plane);
            // Beyond the grid there is no share.
            let index = b.umin(index, most);
            let value = sequence.value(access, index);
            let part = access.b.imul(value, share);
            sum = access.b.iadd(sum, part);
        }
        access.b.lshr(sum, four)
    };
    let first = weight(access, 0);
    let second = if_else(access, dual, |access| Ok(vec![weight(access, 1)]), |_| Ok(vec![zero]))?;
    Ok([first, second[0]])
}
