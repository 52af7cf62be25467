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
    /// Columns and rows of the grid of weights.
    pub(crate) grid: [u32; 2],
    /// The weights' range, among [`RANGES`].
    pub(crate) range: usize,
    /// Each place of the grid has two weights.
    pub(crate) dual: bool,
    /// Bits of all weights.
    pub(crate) weight_bits: u32,
}

/// The block mode of eleven bits; none for those that are reserved or that take too many or too few weights,
/// and for blocks of one colour (void-extent).
pub(crate) const fn block_mode(bits: u32) -> Option<BlockMode> {
    let (a, b) = (bits >> 5 & 3, bits >> 7 & 3);
    let (mut high, mut dual) = (bits >> 9 & 1, bits >> 10 & 1 != 0);
    let (grid, precision) = if bits & 3 != 0 {
        let grid = match bits >> 2 & 3 {
            0 => [b + 4, a + 2],
            1 => [b + 8, a + 2],
            2 => [a + 2, b + 8],
            _ if b < 2 => [a + 2, (b & 1) + 6],
            _ => [(b & 1) + 2, a + 2],
        };
        (grid, (bits & 3) << 1 | bits >> 4 & 1)
    } else {
        let grid = match b {
            0 => [12, a + 2],
            1 => [a + 2, 12],
            2 => {
                let grid = [a + 6, (bits >> 9 & 3) + 6];
                (high, dual) = (0, false);
                grid
            }
            _ => match a {
                0 => [6, 10],
                1 => [10, 6],
                _ => return None,
            },
        };
        (grid, (bits >> 2 & 3) << 1 | bits >> 4 & 1)
    };
    if precision < 2 {
        return None;
    }
    let range = (precision - 2 + 6 * high) as usize;
    let count = grid[0] * grid[1] * if dual { 2 } else { 1 };
    let weight_bits = RANGES[range].sequence_bits(count);
    if count > 64 || weight_bits < 24 || weight_bits > 96 {
        return None;
    }
    Some(BlockMode { grid, range, dual, weight_bits })
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
