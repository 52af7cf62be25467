//! ASTC blocks of low dynamic range in plain Rust (Khronos Data Format Specification, "ASTC Compressed
//! Texture Image Formats").

use super::astc_numbers::{self as numbers, BlockMode, Digit, RANGES, Range};

/// A block's texels, each decoded by itself.
pub(super) enum Block {
    /// No block: all texels are of the error's colour.
    Error,
    /// All texels are of one colour of 16 bits a component.
    Void([u32; 4]),
    /// Colours between end points.
    Colors(Colors),
}

/// A block that is not of one colour.
pub(super) struct Colors {
    extent: [u32; 2],
    mode: BlockMode,
    weights: Vec<u32>,
    /// Partitions, and the number of the pattern that they form.
    partitions: u32,
    pattern: u32,
    /// The component that has the second weights.
    second: usize,
    /// For each partition its two end points, of 8 bits a component; none where these are of high dynamic
    /// range.
    ends: Vec<Option<[[i32; 4]; 2]>>,
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
    pub(super) fn new(block: u128, extent: [u32; 2]) -> Block {
        if bits(block, 0, 9) == 0x1fc {
            return void(block);
        }
        colors(block, extent).map_or(Block::Error, Block::Colors)
    }

    /// A texel's components of 16 bits, of sRGB formats, those of 8 bits above 8 others; none for the error's
    /// colour.
    pub(super) fn texel(&self, at: [u32; 2], srgb: bool) -> Option<[u32; 4]> {
        match self {
            Block::Error => None,
            Block::Void(color) => Some(*color),
            Block::Colors(colors) => colors.texel(at, srgb),
        }
    }
}

/// A block of one colour: the part of the image that is of the same colour, which need not be used, has to be
/// sound.
fn void(block: u128) -> Block {
    let extents = [12, 25, 38, 51].map(|first| bits(block, first, 13));
    let sound = extents == [0x1fff; 4] || extents[0] < extents[1] && extents[2] < extents[3];
    let high_range = bits(block, 9, 1) != 0;
    if high_range || !sound {
        return Block::Error;
    }
    Block::Void([64, 80, 96, 112].map(|first| bits(block, first, 16)))
}

fn colors(block: u128, extent: [u32; 2]) -> Option<Colors> {
    let mode = numbers::block_mode(bits(block, 0, 11))?;
    let partitions = bits(block, 11, 2) + 1;
    if mode.grid[0] > extent[0] || mode.grid[1] > extent[1] || partitions == 4 && mode.dual {
        return None;
    }
    // Weights lie from the end on, backwards.
    let range = RANGES[mode.range];
    let count = mode.grid[0] * mode.grid[1] * if mode.dual { 2 } else { 1 };
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

/// The end points of a mode by its values ("LDR Endpoint Decoding").
fn end_points(mode: u32, v: &[i32]) -> Option<[[i32; 4]; 2]> {
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
        9 | 13 => contracted([offset(0), offset(1), offset(2), if mode == 13 { offset(3) } else { full }]),
        _ => return None,
    };
    Some([0, 1].map(|end| pairs.map(|pair: [i32; 2]| pair[end].clamp(0, 255))))
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
    fn texel(&self, at: [u32; 2], srgb: bool) -> Option<[u32; 4]> {
        let number = partition(self.pattern, self.partitions, at, self.extent);
        let [first, second] = self.ends[number]?;
        let weights = self.texel_weights(at);
        Some(std::array::from_fn(|component| {
            let weight = weights[usize::from(component == self.second)] as i32;
            // To 16 bits; the colours of sRGB formats to the middle of what the eight bits stand for.
            let wide = |end: i32| if srgb && component < 3 { end << 8 | 0x80 } else { end << 8 | end };
            let sum = wide(first[component]) * (64 - weight) + wide(second[component]) * weight;
            ((sum + 32) >> 6) as u32
        }))
    }

    /// The texel's weights between those of the grid ("Weight Infill").
    fn texel_weights(&self, at: [u32; 2]) -> [u32; 2] {
        let [x, y] = [0, 1].map(|axis| {
            let last = self.extent[axis] - 1;
            let scale = (1024 + self.extent[axis] / 2) / last;
            (scale * at[axis] * (self.mode.grid[axis] - 1) + 32) >> 6
        });
        let planes = if self.mode.dual { 2 } else { 1 };
        let (fx, fy) = (x & 15, y & 15);
        let both = (fx * fy + 8) >> 4;
        let shares = [16 + both - fx - fy, fx - both, fy - both, both];
        let start = (y >> 4) * self.mode.grid[0] + (x >> 4);
        let places = [start, start + 1, start + self.mode.grid[0], start + self.mode.grid[0] + 1];
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
fn partition(pattern: u32, partitions: u32, at: [u32; 2], extent: [u32; 2]) -> usize {
    if partitions == 1 {
        return 0;
    }
    let [x, y] = if extent[0] * extent[1] < 31 { at.map(|at| 2 * at) } else { at };
    let seed = pattern + 1024 * (partitions - 1);
    let random = hash(seed);
    // Which factors are shifted by how much: those of x, and those of y.
    let (a, b) = (if seed & 2 != 0 { 4 } else { 5 }, if partitions == 3 { 6 } else { 5 });
    let shifts = if seed & 1 != 0 { [a, b] } else { [b, a] };
    let slope = |number: u32, at: u32, shift: u32| {
        let factor = random >> (4 * number) & 15;
        ((factor * factor) >> shift) * at
    };
    let value = |number: u32| {
        if number >= partitions {
            return 0;
        }
        let start = random >> (14 - 4 * number);
        (slope(2 * number, x, shifts[0]) + slope(2 * number + 1, y, shifts[1]) + start) & 63
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
