//! The numbers of ASTC's blocks (Khronos Data Format Specification, "ASTC Compressed Texture Image Formats"):
//! ranges, what integer sequences pack, what values of a range stand for, block modes. Functions of
//! constants, which make the tables of [`crate::access`] and serve the decoder in plain Rust.

/// A range of integers from 0: `bits` low bits and, above them, a trit, a quint or nothing.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) bits: u32,
    pub(crate) digit: Digit,
}

/// What is above the bits of a range's integers.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Digit {
    None,
    Trit,
    Quint,
}

const fn range(bits: u32, digit: Digit) -> Range {
    Range { bits, digit }
}

/// The ranges in ascending order: 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32 and so on to 256 integers.
#[rustfmt::skip]
pub(crate) const RANGES: [Range; 21] = [
    range(1, Digit::None), range(0, Digit::Trit), range(2, Digit::None), range(0, Digit::Quint),
    range(1, Digit::Trit), range(3, Digit::None), range(1, Digit::Quint), range(2, Digit::Trit),
    range(4, Digit::None), range(2, Digit::Quint), range(3, Digit::Trit), range(5, Digit::None),
    range(3, Digit::Quint), range(4, Digit::Trit), range(6, Digit::None), range(4, Digit::Quint),
    range(5, Digit::Trit), range(7, Digit::None), range(5, Digit::Quint), range(6, Digit::Trit),
    range(8, Digit::None),
];
/// The ranges that weights have: this many, from the first.
pub(crate) const WEIGHT_RANGES: usize = 12;
/// The least range of colour values: six integers.
pub(crate) const FIRST_COLOR_RANGE: usize = 4;

impl Range {
    /// Bits that a sequence of `count` integers takes.
    pub(crate) const fn sequence_bits(self, count: u32) -> u32 {
        let digits = match self.digit {
            Digit::None => 0,
            Digit::Trit => (8 * count).div_ceil(5),
            Digit::Quint => (7 * count).div_ceil(3),
        };
        self.bits * count + digits
    }
}

/// The five trits that eight bits stand for, two bits each from the lowest.
pub(crate) const fn trits(packed: u32) -> u32 {
    let (rest, fourth, fifth) = if packed >> 2 & 7 == 7 {
        (packed >> 5 << 2 | packed & 3, 2, 2)
    } else if packed >> 5 & 3 == 3 {
        (packed & 31, packed >> 7, 2)
    } else {
        (packed & 31, packed >> 5 & 3, packed >> 7)
    };
    let (first, second, third) = if rest & 3 == 3 {
        let high = rest >> 3 & 1;
        (high << 1 | (rest >> 2 & !high & 1), rest >> 4, 2)
    } else if rest >> 2 & 3 == 3 {
        (rest & 3, 2, 2)
    } else {
        let high = rest >> 1 & 1;
        (high << 1 | (rest & !high & 1), rest >> 2 & 3, rest >> 4)
    };
    first | second << 2 | third << 4 | fourth << 6 | fifth << 8
}

/// The three quints that seven bits stand for, three bits each from the lowest.
pub(crate) const fn quints(packed: u32) -> u32 {
    let low = packed & 1;
    if packed >> 1 & 3 == 3 && packed >> 5 == 0 {
        let third = low << 2 | (packed >> 4 & !low & 1) << 1 | (packed >> 3 & !low & 1);
        return 4 | 4 << 3 | third << 6;
    }
    let (rest, third) = if packed >> 1 & 3 == 3 {
        ((packed >> 3 & 3) << 3 | (!packed >> 5 & 3) << 1 | low, 4)
    } else {
        (packed & 31, packed >> 5)
    };
    let (first, second) = if rest & 7 == 5 { (rest >> 3, 4) } else { (rest & 7, rest >> 3) };
    first | second << 3 | third << 6
}

/// The lowest `bits` bits of `value`, repeated to `width` bits.
const fn replicate(value: u32, bits: u32, width: u32) -> u32 {
    let mut result = 0;
    let mut shift = width as i32 - bits as i32;
    while shift > -(bits as i32) {
        result |= if shift >= 0 { value << shift } else { value >> -shift };
        shift -= bits as i32;
    }
    result
}

/// The colour component of 8 bits that a value of a range (from the sixth integer on) stands for.
pub(crate) const fn color(range: Range, value: u32) -> u32 {
    let (low, digit) = (value & ((1 << range.bits) - 1), value >> range.bits);
    // The bits above the lowest, and how many.
    let (high, count) = (low >> 1, range.bits.saturating_sub(1));
    let (factor, spread) = match (range.digit, range.bits) {
        (Digit::None, bits) => return replicate(low, bits, 8),
        (Digit::Trit, 2) => (93, high * 0b1_0001_0110),
        (Digit::Trit, 3) => (44, high << 7 | high << 2 | high),
        (Digit::Trit, bits) => {
            let factor = match bits {
                1 => 204,
                4 => 22,
                5 => 11,
                _ => 5,
            };
            (factor, if count == 0 { 0 } else { high << (9 - count) | high >> (2 * count - 6) })
        }
        (Digit::Quint, 2) => (54, high * 0b1_0000_1100),
        (Digit::Quint, 3) => (26, high << 7 | high << 1 | high >> 1),
        (Digit::Quint, bits) => {
            let factor = match bits {
                1 => 113,
                4 => 13,
                _ => 6,
            };
            (factor, if count == 0 { 0 } else { high << (9 - count) | high >> (2 * count - 5) })
        }
    };
    let flip = (low & 1) * 0x1ff;
    let value = (digit * factor + spread) ^ flip;
    flip & 0x80 | value >> 2
}

/// The weight from 0 to 64 that a value of a range (up to 32 integers) stands for.
pub(crate) const fn weight(range: Range, value: u32) -> u32 {
    let (low, digit) = (value & ((1 << range.bits) - 1), value >> range.bits);
    let high = low >> 1;
    let (factor, spread) = match (range.digit, range.bits) {
        (Digit::None, bits) => (0, replicate(low, bits, 6)),
        // Of three and of five weights, the parts are not equal.
        (Digit::Trit, 0) => (0, [0, 32, 63][if digit < 3 { digit as usize } else { 2 }]),
        (Digit::Quint, 0) => (0, [0, 16, 32, 47, 63][if digit < 5 { digit as usize } else { 4 }]),
        (Digit::Trit, 1) => (50, 0),
        (Digit::Trit, 2) => (23, high * 0b100_0101),
        (Digit::Trit, _) => (11, high << 5 | high),
        (Digit::Quint, 1) => (28, 0),
        (Digit::Quint, _) => (13, high * 0b100_0010),
    };
    let six = if factor == 0 {
        spread
    } else {
        let flip = (low & 1) * 0x7f;
        flip & 0x20 | ((digit * factor + spread) ^ flip) >> 2
    };
    if six > 32 { six + 1 } else { six }
}

/// What the first eleven bits of a block say.
#[derive(Clone, Copy)]
pub(crate) struct BlockMode {
    /// Columns, rows and slices of the grid of weights.
    pub(crate) grid: [u32; 3],
    /// The weights' range, among [`RANGES`].
    pub(crate) range: usize,
    /// Each place of the grid has two weights.
    pub(crate) dual: bool,
    /// Bits of all weights.
    pub(crate) weight_bits: u32,
}

/// The block mode of eleven bits; none for those that are reserved or that take too many or too few weights,
/// and for blocks of one colour (void-extent). `is_3d`: of blocks of several slices.
pub(crate) const fn block_mode(bits: u32, is_3d: bool) -> Option<BlockMode> {
    let (a, b) = (bits >> 5 & 3, bits >> 7 & 3);
    let (mut high, mut dual) = (bits >> 9 & 1, bits >> 10 & 1 != 0);
    let (grid, precision) = if is_3d && bits & 3 != 0 {
        ([a + 2, b + 2, (bits >> 2 & 3) + 2], (bits & 3) << 1 | bits >> 4 & 1)
    } else if is_3d {
        let c = (bits >> 9 & 3) + 2;
        if b != 3 {
            (high, dual) = (0, false);
        }
        let grid = match (b, a) {
            (0, _) => [6, c, a + 2],
            (1, _) => [a + 2, 6, c],
            (2, _) => [a + 2, c, 6],
            (_, 0) => [6, 2, 2],
            (_, 1) => [2, 6, 2],
            (_, 2) => [2, 2, 6],
            _ => return None,
        };
        (grid, (bits >> 2 & 3) << 1 | bits >> 4 & 1)
    } else if bits & 3 != 0 {
        let grid = match bits >> 2 & 3 {
            0 => [b + 4, a + 2, 1],
            1 => [b + 8, a + 2, 1],
            2 => [a + 2, b + 8, 1],
            _ if b < 2 => [a + 2, (b & 1) + 6, 1],
            _ => [(b & 1) + 2, a + 2, 1],
        };
        (grid, (bits & 3) << 1 | bits >> 4 & 1)
    } else {
        let grid = match b {
            0 => [12, a + 2, 1],
            1 => [a + 2, 12, 1],
            2 => {
                let grid = [a + 6, (bits >> 9 & 3) + 6, 1];
                (high, dual) = (0, false);
                grid
            }
            _ => match a {
                0 => [6, 10, 1],
                1 => [10, 6, 1],
                _ => return None,
            },
        };
        (grid, (bits >> 2 & 3) << 1 | bits >> 4 & 1)
    };
    if precision < 2 {
        return None;
    }
    let range = (precision - 2 + 6 * high) as usize;
    let count = grid[0] * grid[1] * grid[2] * if dual { 2 } else { 1 };
    let weight_bits = RANGES[range].sequence_bits(count);
    if count > 64 || weight_bits < 24 || weight_bits > 96 {
        return None;
    }
    Some(BlockMode { grid, range, dual, weight_bits })
}

/// From where on the pseudorandom bits of a partition pattern are a factor of z, for each partition.
pub(crate) const PARTITION_DEPTH_BITS: [u32; 4] = [26, 30, 18, 22];

/// First bits of the extents in each dimension of a block of one colour, of [`void_bits`] bits each.
pub(crate) const fn void_extents(is_3d: bool) -> &'static [[u32; 2]] {
    if is_3d { &[[10, 19], [28, 37], [46, 55]] } else { &[[12, 25], [38, 51]] }
}

/// Bits of an extent of a block of one colour.
pub(crate) const fn void_bits(is_3d: bool) -> u32 {
    if is_3d { 9 } else { 13 }
}

/// The greatest range in which `count` colour values fit `bits` bits, among [`RANGES`]; none if not even the
/// least does.
pub(crate) const fn color_range(count: u32, bits: u32) -> Option<usize> {
    let mut range = RANGES.len();
    while range > FIRST_COLOR_RANGE {
        range -= 1;
        if RANGES[range].sequence_bits(count) <= bits {
            return Some(range);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each combination of digits is packed somewhere.
    #[test]
    fn digits_are_all_there() {
        let mut seen: Vec<u32> = (0..256).map(trits).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 3_usize.pow(5));
        assert!(seen.iter().all(|&trits| (0..5).all(|at| trits >> (2 * at) & 3 < 3)));
        let mut seen: Vec<u32> = (0..128).map(quints).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 5_usize.pow(3));
        assert!(seen.iter().all(|&quints| (0..3).all(|at| quints >> (3 * at) & 7 < 5)));
    }

    /// The values of a range lie evenly between its ends, to little more than one.
    #[test]
    fn values_are_spread_evenly() {
        for (index, range) in RANGES.into_iter().enumerate() {
            let digits = [1, 3, 5][range.digit as usize];
            let count = digits << range.bits;
            let even = |values: Vec<u32>, most: u32| {
                let mut values = values;
                values.sort_unstable();
                let step = f64::from(most) / f64::from(count - 1);
                for (number, &value) in values.iter().enumerate() {
                    assert!((f64::from(value) - number as f64 * step).abs() < 1.5, "{count}: {values:?}");
                }
                assert_eq!((values[0], values[count as usize - 1]), (0, most));
            };
            if index >= FIRST_COLOR_RANGE {
                even((0..count).map(|value| color(range, value)).collect(), 255);
            }
            if index < WEIGHT_RANGES {
                even((0..count).map(|value| weight(range, value)).collect(), 64);
            }
        }
    }
}

/// End points of high dynamic range ("HDR Endpoint Decoding"): of the modes 7 and 11, some bits of the values
/// go to another number for each way of storing.
pub(crate) mod high_range {
    /// Bit `from` of [`SCALE_SOURCES`] or [`DIRECT_SOURCES`] is bit `bit` of number `to` in those ways whose
    /// bits are set in `ways`.
    pub(crate) struct Moved {
        pub(crate) from: usize,
        pub(crate) ways: u32,
        pub(crate) to: usize,
        pub(crate) bit: u32,
    }

    const fn moved(from: usize, ways: u32, to: usize, bit: u32) -> Moved {
        Moved { from, ways, to, bit }
    }

    /// Alpha of end points that have none: 1.
    pub(crate) const OPAQUE: u32 = 0x780;
    /// The greatest component of an end point.
    pub(crate) const MOST: u32 = 0xfff;

    /// Mode 7, a colour and a scale: values and their bits that are moved.
    pub(crate) const SCALE_SOURCES: [(usize, u32); 7] =
        [(1, 6), (1, 5), (2, 6), (2, 5), (3, 7), (3, 6), (3, 5)];
    /// Low bits of red, green, blue and the scale that are always at their place, by value.
    pub(crate) const SCALE_LOW_BITS: [u32; 4] = [6, 5, 5, 5];
    /// To red, green, blue and the scale.
    #[rustfmt::skip]
    pub(crate) const SCALE_MOVES: [Moved; 17] = [
        moved(0, 0x30, 1, 6), moved(0, 0x0a, 0, 8), moved(0, 0x05, 0, 9),
        moved(1, 0x3a, 1, 5), moved(1, 0x05, 0, 8),
        moved(2, 0x30, 2, 6), moved(2, 0x0f, 0, 7),
        moved(3, 0x3a, 2, 5), moved(3, 0x04, 0, 6), moved(3, 0x01, 0, 10),
        moved(4, 0x04, 3, 7), moved(4, 0x3b, 0, 6),
        moved(5, 0x2d, 3, 6), moved(5, 0x10, 0, 7), moved(5, 0x02, 0, 10),
        moved(6, 0x3d, 3, 5), moved(6, 0x02, 0, 9),
    ];
    /// How far all are shifted up, by way.
    pub(crate) const SCALE_SHIFTS: [u32; 6] = [1, 1, 2, 3, 4, 5];

    /// Mode 11, two colours: values and their bits that are moved.
    pub(crate) const DIRECT_SOURCES: [(usize, u32); 6] = [(2, 6), (3, 6), (4, 6), (5, 6), (4, 5), (5, 5)];
    /// The numbers of mode 11: the greatest component, what two others lack of it, what the other end point
    /// lacks of it, and what its two others lack besides.
    pub(crate) const DIRECT_NUMBERS: usize = 6;
    /// The value and the low bits of each number that are always at their place; of the first number, all
    /// eight.
    pub(crate) const DIRECT_LOW_BITS: [(usize, u32); DIRECT_NUMBERS] =
        [(0, 8), (2, 6), (3, 6), (1, 6), (4, 5), (5, 5)];
    /// To the numbers.
    #[rustfmt::skip]
    pub(crate) const DIRECT_MOVES: [Moved; 17] = [
        moved(0, 0x5b, 1, 6), moved(0, 0xa4, 0, 9),
        moved(1, 0x5b, 2, 6), moved(1, 0x04, 3, 6), moved(1, 0xa0, 0, 10),
        moved(2, 0x05, 4, 6), moved(2, 0x12, 1, 7), moved(2, 0x08, 0, 9), moved(2, 0x20, 3, 7),
        moved(2, 0xc0, 0, 11),
        moved(3, 0x05, 5, 6), moved(3, 0x12, 2, 7), moved(3, 0xe8, 3, 6),
        moved(4, 0xaf, 4, 5), moved(4, 0x50, 0, 9),
        moved(5, 0xaf, 5, 5), moved(5, 0x50, 0, 10),
    ];
    /// Bits of the signed last two numbers, by way.
    pub(crate) const DIRECT_SIGNED_BITS: [u32; 8] = [7, 6, 7, 6, 5, 6, 5, 6];
}
