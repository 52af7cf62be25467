//! ASTC blocks in plain Rust (Khronos Data Format Specification, "ASTC Compressed Texture Image Formats"),
//! the end points of high dynamic range apart ([`super::astc_high_range`]).

use super::astc_numbers::{self as numbers, BlockMode, Digit, RANGES, Range};
use super::{astc_high_range, block::ratio};
use half::f16;

/// A block's texels, each decoded by itself.
pub(super) enum Block {
    /// No block: all texels are of the error's colour.
    Error,
    /// All texels are of one colour of 16 bits a component.
    Void([u32; 4]),
    /// The same, which are halves.
    VoidHalf([u32; 4]),
    /// Colours between end points.
    Colors(Colors),
}

/// A block that is not of one colour.
pub(super) struct Colors {
    extent: [u32; 3],
    mode: BlockMode,
    weights: Vec<u32>,
    /// Partitions, and the number of the pattern that they form.
    partitions: u32,
    pattern: u32,
    /// The component that has the second weights.
    second: usize,
    /// For each partition its two end points.
    ends: Vec<Ends>,
}

/// Two end points.
struct Ends {
    /// Of 8 bits a component, or of 12 where these are of high dynamic range.
    colors: [[i32; 4]; 2],
    /// Which components are of high dynamic range.
    high: [bool; 4],
}

/// How a format's components are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Profile {
    /// Eight bits a component, those of colours not yet linear.
    Srgb,
    /// Halves.
    Low,
    /// Halves; blocks may be of high dynamic range.
    High,
}

fn bits(block: u128, first: u32, count: u32) -> u32 {
    (block >> first) as u32 & ((1 << count) - 1)
}

/// The integers of a sequence in the lowest bits.
fn sequence(packed: u128, range: Range, count: u32) -> Vec<u32> {
    let packed = packed & ((1 << range.sequence_bits(count)) - 1);
    // Behind the low bits of each integer of a group, how many bits of its digits there are.
    let (pieces, width): (&[u32], u32) = match range.digit {
        Digit::None => (&[0], 0),
        Digit::Trit => (&[2, 2, 1, 2, 1], 2),
        Digit::Quint => (&[3, 2, 2], 3),
    };
    let mut values = Vec::new();
    let mut at = 0;
    // The last group may go beyond the end of the block.
    let mut take = |count: u32| {
        let value = packed.checked_shr(at).unwrap_or(0) as u32 & ((1 << count) - 1);
        at += count;
        value
    };
    while values.len() < count as usize {
        let mut low = Vec::new();
        let (mut digits, mut shift) = (0, 0);
        for &piece in pieces {
            low.push(take(range.bits));
            digits |= take(piece) << shift;
            shift += piece;
        }
        let digits = match range.digit {
            Digit::None => 0,
            Digit::Trit => numbers::trits(digits),
            Digit::Quint => numbers::quints(digits),
        };
        values.extend((0..).zip(low).map(|(number, low)| {
            let digit = digits >> (width * number) & ((1 << width) - 1);
            digit << range.bits | low
        }));
    }
    values.truncate(count as usize);
    values
}

impl Block {
    /// Reads a block of `extent` texels.
    pub(super) fn new(block: u128, extent: [u32; 3]) -> Block {
        if bits(block, 0, 9) == 0x1fc {
            return void(block, extent[2] > 1);
        }
        colors(block, extent).map_or(Block::Error, Block::Colors)
    }

    /// A texel; none for the error's colour.
    pub(super) fn texel(&self, at: [u32; 3], profile: Profile) -> Option<[f32; 4]> {
        let half = |value: u32| f16::from_bits(value as u16).to_f32();
        match self {
            Block::Error => None,
            Block::Void(color) => Some(color.map(|value| component(value, profile))),
            Block::VoidHalf(color) => (profile == Profile::High).then(|| color.map(half)),
            Block::Colors(colors) => colors.texel(at, profile),
        }
    }
}

/// A component of low dynamic range of 16 bits; of sRGB formats, of 8 bits above 8 others.
fn component(value: u32, profile: Profile) -> f32 {
    if profile == Profile::Srgb {
        return ratio(value as i32 >> 8, 255);
    }
    // The half that is nearest from below, and 1 for the greatest.
    if value == 0xffff {
        return 1.0;
    }
    let value = value as f32 / 65536.0;
    // Ten bits of fraction; numbers below the least normal half have fewer anyway.
    f32::from_bits(value.to_bits() & !0x1fff)
}

/// A block of one colour: the part of the image that is of the same colour, which need not be used, has to be
/// sound.
fn void(block: u128, is_3d: bool) -> Block {
    let sides = numbers::void_extents(is_3d).iter();
    let extents: Vec<[u32; 2]> =
        sides.map(|side| side.map(|first| bits(block, first, numbers::void_bits(is_3d)))).collect();
    let all = (1 << numbers::void_bits(is_3d)) - 1;
    let sound = extents.iter().all(|&side| side == [all; 2]) || extents.iter().all(|[low, high]| low < high);
    if !sound {
        return Block::Error;
    }
    let color = [64, 80, 96, 112].map(|first| bits(block, first, 16));
    if bits(block, 9, 1) != 0 { Block::VoidHalf(color) } else { Block::Void(color) }
}

fn colors(block: u128, extent: [u32; 3]) -> Option<Colors> {
    let mode = numbers::block_mode(bits(block, 0, 11), extent[2] > 1)?;
    let partitions = bits(block, 11, 2) + 1;
    if (0..3).any(|axis| mode.grid[axis] > extent[axis]) || partitions == 4 && mode.dual {
        return None;
    }
    // Weights lie from the end on, backwards.
    let range = RANGES[mode.range];
    let count = mode.grid.iter().product::<u32>() * if mode.dual { 2 } else { 1 };
    let weights = sequence(block.reverse_bits(), range, count);
    let weights = weights.into_iter().map(|value| numbers::weight(range, value)).collect();
    // Before them, the rest of the end points' modes, and which component has the second weights.
    let mut end = 128 - mode.weight_bits;
    let (modes, first) = if partitions == 1 {
        (vec![bits(block, 13, 4)], 17)
    } else {
        let class = bits(block, 23, 2);
        if class == 0 {
            (vec![bits(block, 25, 4); partitions as usize], 29)
        } else {
            let more = 3 * partitions - 4;
            end -= more;
            let all = bits(block, 25, 4) | bits(block, end, more) << 4;
            let mode =
                |number: u32| (class - 1 + (all >> number & 1)) << 2 | all >> (partitions + 2 * number) & 3;
            ((0..partitions).map(mode).collect(), 29)
        }
    };
    let mut second = 4;
    if mode.dual {
        end -= 2;
        second = bits(block, end, 2) as usize;
    }
    let counts: Vec<u32> = modes.iter().map(|mode: &u32| 2 * (mode >> 2) + 2).collect();
    let count = counts.iter().sum();
    if count > 18 {
        return None;
    }
    let range = RANGES[numbers::color_range(count, end.saturating_sub(first))?];
    let values = sequence(block >> first, range, count);
    let values: Vec<i32> = values.into_iter().map(|value| numbers::color(range, value) as i32).collect();
    let mut rest = &values[..];
    let ends = modes.iter().zip(counts).map(|(&mode, count)| {
        let (own, others) = rest.split_at(count as usize);
        rest = others;
        end_points(mode, own)
    });
    let ends = ends.collect();
    Some(Colors { extent, mode, weights, partitions, pattern: bits(block, 13, 10), second, ends })
}

/// The end points of a mode by its values.
fn end_points(mode: u32, v: &[i32]) -> Ends {
    match astc_high_range::end_points(mode, v) {
        Some(colors) => Ends { colors, high: [true, true, true, mode != 14] },
        None => Ends { colors: low_end_points(mode, v), high: [false; 4] },
    }
}

/// The same of the modes of low dynamic range ("LDR Endpoint Decoding").
fn low_end_points(mode: u32, v: &[i32]) -> [[i32; 4]; 2] {
    // A base and a signed offset to it, with one bit of the offset in the base.
    let offset = |pair: usize| {
        let (base, offset) = (v[2 * pair], v[2 * pair + 1]);
        let base = base >> 1 | offset & 0x80;
        let offset = (offset >> 1 & 0x3f) << 26 >> 26;
        [base, base + offset]
    };
    let plain = |pair: usize| [v[2 * pair], v[2 * pair + 1]];
    let full = [255, 255];
    let pairs = match mode {
        0 => [plain(0), plain(0), plain(0), full],
        1 => {
            let base = v[0] >> 2 | v[1] & 0xc0;
            let gray = [base, base + (v[1] & 0x3f)];
            [gray, gray, gray, full]
        }
        4 => [plain(0), plain(0), plain(0), plain(1)],
        5 => [offset(0), offset(0), offset(0), offset(1)],
        6 | 10 => {
            let scaled = |value: i32| [(value * v[3]) >> 8, value];
            let alpha = if mode == 10 { plain(2) } else { full };
            [scaled(v[0]), scaled(v[1]), scaled(v[2]), alpha]
        }
        8 | 12 => contracted([plain(0), plain(1), plain(2), if mode == 12 { plain(3) } else { full }]),
        // 9 and 13.
        _ => contracted([offset(0), offset(1), offset(2), if mode == 13 { offset(3) } else { full }]),
    };
    [0, 1].map(|end| pairs.map(|pair: [i32; 2]| pair[end].clamp(0, 255)))
}

/// Where the second end point is darker, the two are swapped, and red and green are relative to blue.
fn contracted(pairs: [[i32; 2]; 4]) -> [[i32; 2]; 4] {
    let sum = |end: usize| pairs[0][end] + pairs[1][end] + pairs[2][end];
    if sum(1) >= sum(0) {
        return pairs;
    }
    let [red, green, blue, alpha] = pairs.map(|[first, second]| [second, first]);
    let relative = |color: [i32; 2]| [0, 1].map(|end| (color[end] + blue[end]) >> 1);
    [relative(red), relative(green), blue, alpha]
}

impl Colors {
    fn texel(&self, at: [u32; 3], profile: Profile) -> Option<[f32; 4]> {
        let number = partition(self.pattern, self.partitions, at, self.extent);
        let Ends { colors: [first, second], high } = self.ends[number];
        if high[0] && profile != Profile::High {
            return None;
        }
        let weights = self.texel_weights(at);
        Some(std::array::from_fn(|number| {
            let weight = weights[usize::from(number == self.second)] as i32;
            // To 16 bits; the colours of sRGB formats to the middle of what the eight bits stand for.
            let wide = |end: i32| match high[number] {
                true => end << 4,
                false if profile == Profile::Srgb && number < 3 => end << 8 | 0x80,
                false => end << 8 | end,
            };
            let sum = wide(first[number]) * (64 - weight) + wide(second[number]) * weight;
            let bits = ((sum + 32) >> 6) as u32;
            if high[number] { astc_high_range::value(bits) } else { component(bits, profile) }
        }))
    }

    /// The texel's weights between those of the grid ("Weight Infill").
    fn texel_weights(&self, at: [u32; 3]) -> [u32; 2] {
        let [columns, rows, _] = self.mode.grid;
        let place = |axis: usize| {
            let last = self.extent[axis] - 1;
            let scale = (1024 + self.extent[axis] / 2) / last;
            (scale * at[axis] * (self.mode.grid[axis] - 1) + 32) >> 6
        };
        let planes = if self.mode.dual { 2 } else { 1 };
        let [x, y] = [place(0), place(1)];
        let start = (y >> 4) * columns + (x >> 4);
        let (shares, places) = if self.extent[2] > 1 {
            let z = place(2);
            // From the nearest corner to the opposite one, along the axes in the order of their fractions.
            let mut steps = [(x & 15, 1), (y & 15, columns), (z & 15, columns * rows)];
            steps.sort_by_key(|&(fraction, _)| 16 - fraction);
            let [(most, first), (middle, second), (least, third)] = steps;
            let start = start + (z >> 4) * columns * rows;
            let places = [start, start + first, start + first + second, start + first + second + third];
            ([16 - most, most - middle, middle - least, least], places)
        } else {
            let (fx, fy) = (x & 15, y & 15);
            let both = (fx * fy + 8) >> 4;
            let shares = [16 + both - fx - fy, fx - both, fy - both, both];
            (shares, [start, start + 1, start + columns, start + columns + 1])
        };
        [0, planes - 1].map(|plane| {
            let sum = places.iter().zip(shares).map(|(place, share)| {
                // Beyond the grid there is no share.
                let weight = self.weights.get((place * planes + plane) as usize);
                weight.copied().unwrap_or(0) * share
            });
            (sum.sum::<u32>() + 8) >> 4
        })
    }
}

/// The partition that a texel is in ("Partition Pattern Generation").
fn partition(pattern: u32, partitions: u32, at: [u32; 3], extent: [u32; 3]) -> usize {
    if partitions == 1 {
        return 0;
    }
    let [x, y, z] = if extent.iter().product::<u32>() < 31 { at.map(|at| 2 * at) } else { at };
    let seed = pattern + 1024 * (partitions - 1);
    let random = hash(seed);
    // Which factors are shifted by how much: those of x, and those of y.
    let (a, b) = (if seed & 2 != 0 { 4 } else { 5 }, if partitions == 3 { 6 } else { 5 });
    let shifts = if seed & 1 != 0 { [a, b] } else { [b, a] };
    let slope_of = |factor: u32, at: u32, shift: u32| ((factor * factor) >> shift) * at;
    let slope = |number: u32, at: u32, shift: u32| slope_of(random >> (4 * number) & 15, at, shift);
    // The factors of z overlap those of the others.
    let deep = |number: u32| {
        let factor = random.rotate_right(numbers::PARTITION_DEPTH_BITS[number as usize]) & 15;
        slope_of(factor, z, shifts[usize::from(seed & 0x10 == 0)])
    };
    let value = |number: u32| {
        if number >= partitions {
            return 0;
        }
        let start = random >> (14 - 4 * number);
        let flat = slope(2 * number, x, shifts[0]) + slope(2 * number + 1, y, shifts[1]);
        flat.wrapping_add(deep(number)).wrapping_add(start) & 63
    };
    let values = [0, 1, 2, 3].map(value);
    // The first of the greatest.
    let most = values.into_iter().max();
    values.into_iter().position(|value| Some(value) == most).unwrap_or(0)
}

/// The pseudorandom bits of a partition pattern.
fn hash(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}
