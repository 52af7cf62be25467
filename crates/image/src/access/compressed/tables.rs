//! What decoders look up: the partitions of BC6H's and BC7's blocks (Khronos Data Format Specification, "BPTC
//! partition tables"), the modifiers of ETC2 and EAC, and what follows from the fields of ASTC's blocks.

use crate::texel::astc_numbers::{self as numbers, Digit, FIRST_COLOR_RANGE, RANGES, Range, WEIGHT_RANGES};
use crate::texel::etc;

/// The first word of the partitions into two subsets: bit `i` is the subset of texel `i`, the bits above 16
/// are the second subset's anchor.
pub(super) const PARTITION_2: u32 = 0;
/// The first word of the partitions into three: bits `2 i` and `2 i + 1` are the subset of texel `i`.
pub(super) const PARTITION_3: u32 = 64;
/// The first word of their anchors: the second subset's, and above 8 bits the third one's.
pub(super) const ANCHORS_3: u32 = 128;

/// The first word of ETC2's modifiers: for each of eight tables, the smaller and the greater.
pub(super) const ETC_MODIFIERS: u32 = 192;
/// The first word of ETC2's distances.
pub(super) const ETC_DISTANCES: u32 = ETC_MODIFIERS + 16;
/// The first word of EAC's tables, each with the magnitudes below zero as bytes.
pub(super) const EAC: u32 = ETC_DISTANCES + 8;
/// The first word of what eight bits of trits stand for, and [`ASTC_QUINTS`] words later seven bits of
/// quints.
pub(super) const ASTC_DIGITS: u32 = EAC + 16;
/// How many words of trits there are.
pub(super) const ASTC_QUINTS: u32 = 256;
/// The first word of the block modes ([`mode_word`]), by the first eleven bits of a block.
pub(super) const ASTC_MODES: u32 = ASTC_DIGITS + ASTC_QUINTS + 128;
/// The same for blocks of several slices.
pub(super) const ASTC_3D_MODES: u32 = ASTC_MODES + 2048;
/// The first word of the colours' ranges ([`color_range_word`]): a row for each number of pairs of values
/// from one to nine, in which are [`ASTC_COLOR_BITS`] numbers of bits.
pub(super) const ASTC_COLOR_RANGES: u32 = ASTC_3D_MODES + 2048;
/// One more than the bits that colours can have: less than a block's without the least weights and what comes
/// first.
pub(super) const ASTC_COLOR_BITS: u32 = 128;
/// The first word of what colours' values stand for: a byte each, 64 words for each of all ranges.
pub(super) const ASTC_COLORS: u32 = ASTC_COLOR_RANGES + 9 * ASTC_COLOR_BITS;
/// The first word of what weights stand for: a byte each, eight words for each range.
pub(super) const ASTC_WEIGHTS: u32 = ASTC_COLORS + 64 * RANGES.len() as u32;
/// All words.
const COUNT: usize = ASTC_WEIGHTS as usize + 8 * WEIGHT_RANGES;

/// Where fields are in the word of a block mode.
pub(super) mod mode_word {
    /// Columns and rows of the grid, four bits each.
    pub(in super::super) const COLUMNS: u32 = 0;
    pub(in super::super) const ROWS: u32 = 4;
    /// Two weights for each place of the grid: a bit.
    pub(in super::super) const DUAL: u32 = 8;
    /// Low bits of a weight, three bits, and whether there are trits or quints above.
    pub(in super::super) const LOW: u32 = 9;
    pub(in super::super) const TRITS: u32 = 12;
    pub(in super::super) const QUINTS: u32 = 13;
    /// The weights' range: four bits.
    pub(in super::super) const RANGE: u32 = 14;
    /// Bits of all weights: seven bits.
    pub(in super::super) const WEIGHT_BITS: u32 = 18;
    /// There is no such mode.
    pub(in super::super) const INVALID: u32 = 25;
    /// Slices of the grid, three bits.
    pub(in super::super) const SLICES: u32 = 26;
}

/// Where fields are in the word of a range of colour values.
pub(super) mod color_range_word {
    /// The range: five bits.
    pub(in super::super) const RANGE: u32 = 0;
    /// Low bits of a value, four bits, and whether there are trits or quints above.
    pub(in super::super) const LOW: u32 = 5;
    pub(in super::super) const TRITS: u32 = 9;
    pub(in super::super) const QUINTS: u32 = 10;
    /// Bits of all values: seven bits.
    pub(in super::super) const TOTAL: u32 = 11;
    /// Not even the least range fits.
    pub(in super::super) const INVALID: u32 = 18;
}

/// Address of the tables: what image functions expect in the `context` of their `pyro_abi::Callable`.
pub fn address() -> u64 {
    (&raw const TABLES).expose_provenance() as u64
}

/// The word of a partition into two.
pub(crate) fn partition_2(partition: u32) -> u32 {
    TABLES[(PARTITION_2 + partition) as usize]
}

/// The word of a partition into three.
pub(crate) fn partition_3(partition: u32) -> u32 {
    TABLES[(PARTITION_3 + partition) as usize]
}

/// The anchors of a partition into three.
pub(crate) fn anchors_3(partition: u32) -> u32 {
    TABLES[(ANCHORS_3 + partition) as usize]
}

/// All tables.
static TABLES: [u32; COUNT] = tables();

/// Three bits' places for a range's low bits and digits.
const fn kind(range: Range, low: u32, trits: u32, quints: u32) -> u32 {
    let digit = match range.digit {
        Digit::None => 0,
        Digit::Trit => 1 << trits,
        Digit::Quint => 1 << quints,
    };
    range.bits << low | digit
}

const fn mode(bits: u32, is_3d: bool) -> u32 {
    // Reserved modes have the smallest grid, so that no index leaves the tables.
    let Some(mode) = numbers::block_mode(bits, is_3d) else {
        return 2 << mode_word::COLUMNS
            | 2 << mode_word::ROWS
            | 2 << mode_word::SLICES
            | 24 << mode_word::WEIGHT_BITS
            | 1 << mode_word::INVALID;
    };
    mode.grid[0] << mode_word::COLUMNS
        | mode.grid[1] << mode_word::ROWS
        | mode.grid[2] << mode_word::SLICES
        | (mode.dual as u32) << mode_word::DUAL
        | kind(RANGES[mode.range], mode_word::LOW, mode_word::TRITS, mode_word::QUINTS)
        | (mode.range as u32) << mode_word::RANGE
        | mode.weight_bits << mode_word::WEIGHT_BITS
}

const fn color_range(pairs: u32, bits: u32) -> u32 {
    let Some(index) = numbers::color_range(2 * pairs, bits) else {
        return (FIRST_COLOR_RANGE as u32) << color_range_word::RANGE | 1 << color_range_word::INVALID;
    };
    let range = RANGES[index];
    (index as u32) << color_range_word::RANGE
        | kind(range, color_range_word::LOW, color_range_word::TRITS, color_range_word::QUINTS)
        | range.sequence_bits(2 * pairs) << color_range_word::TOTAL
}

const fn tables() -> [u32; COUNT] {
    let mut all = [0; COUNT];
    let mut at = 0;
    while at < PARTITIONS.len() {
        all[at] = PARTITIONS[at];
        at += 1;
    }
    let mut at = 0;
    while at < 16 {
        all[ETC_MODIFIERS as usize + at] = etc::MODIFIERS[at / 2][at % 2] as u32;
        all[ETC_DISTANCES as usize + at / 2] = etc::DISTANCES[at / 2] as u32;
        all[EAC as usize + at] = u32::from_le_bytes(etc::EAC_MODIFIERS[at]);
        at += 1;
    }
    let mut at = 0;
    while at < 2048 {
        if at < ASTC_QUINTS {
            all[(ASTC_DIGITS + at) as usize] = numbers::trits(at);
        }
        if at < 128 {
            all[(ASTC_DIGITS + ASTC_QUINTS + at) as usize] = numbers::quints(at);
        }
        all[(ASTC_MODES + at) as usize] = mode(at, false);
        all[(ASTC_3D_MODES + at) as usize] = mode(at, true);
        at += 1;
    }
    let mut at = 0;
    while at < 9 * ASTC_COLOR_BITS {
        all[(ASTC_COLOR_RANGES + at) as usize] = color_range(at / ASTC_COLOR_BITS + 1, at % ASTC_COLOR_BITS);
        at += 1;
    }
    let mut index = 0;
    while index < RANGES.len() {
        let range = RANGES[index];
        let digits = match range.digit {
            Digit::None => 1,
            Digit::Trit => 3,
            Digit::Quint => 5,
        };
        let mut value = 0;
        while value < digits << range.bits {
            let (word, shift) = ((value / 4) as usize, 8 * (value % 4));
            if index >= FIRST_COLOR_RANGE {
                all[ASTC_COLORS as usize + 64 * index + word] |= numbers::color(range, value) << shift;
            }
            if index < WEIGHT_RANGES {
                all[ASTC_WEIGHTS as usize + 8 * index + word] |= numbers::weight(range, value) << shift;
            }
            value += 1;
        }
        index += 1;
    }
    all
}

/// 64 partitions each.
#[rustfmt::skip]
const PARTITIONS: [u32; 192] = [
    0x0fcccc, 0x0f8888, 0x0feeee, 0x0fecc8, 0x0fc880, 0x0ffeec,
    0x0ffec8, 0x0fec80, 0x0fc800, 0x0fffec, 0x0ffe80, 0x0fe800,
    0x0fffe8, 0x0fff00, 0x0ffff0, 0x0ff000, 0x0ff710, 0x02008e,
    0x087100, 0x0208ce, 0x02008c, 0x087310, 0x083100, 0x0f8cce,
    0x02088c, 0x083110, 0x026666, 0x02366c, 0x0817e8, 0x080ff0,
    0x02718e, 0x02399c, 0x0faaaa, 0x0ff0f0, 0x065a5a, 0x0833cc,
    0x023c3c, 0x0855aa, 0x0f9696, 0x0fa55a, 0x0273ce, 0x0813c8,
    0x02324c, 0x023bdc, 0x026996, 0x0fc33c, 0x0f9966, 0x060660,
    0x060272, 0x0204e4, 0x064e40, 0x082720, 0x0fc936, 0x0f936c,
    0x0239c6, 0x02639c, 0x0f9336, 0x0f9cc6, 0x0f817e, 0x0fe718,
    0x0fccf0, 0x020fcc, 0x027744, 0x0fee22,
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050,
    0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090,
    0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
    0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414,
    0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
    0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444,
    0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
    0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000,
    0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
    0x0f03, 0x0803, 0x080f, 0x030f, 0x0f08, 0x0f03,
    0x030f, 0x080f, 0x0f08, 0x0f08, 0x0f06, 0x0f06,
    0x0f06, 0x0f05, 0x0f03, 0x0803, 0x0f03, 0x0803,
    0x0f08, 0x030f, 0x0f03, 0x0803, 0x0f06, 0x080a,
    0x0305, 0x0f08, 0x0608, 0x0a06, 0x0f08, 0x0f05,
    0x0a0f, 0x080f, 0x0f08, 0x030f, 0x0f03, 0x0a05,
    0x0a06, 0x080a, 0x0908, 0x0a0f, 0x060f, 0x0f03,
    0x080f, 0x0f05, 0x030f, 0x060f, 0x060f, 0x080f,
    0x0f03, 0x030f, 0x0f05, 0x0f05, 0x0f05, 0x0f08,
    0x0f05, 0x0f0a, 0x0f05, 0x0f0a, 0x0f08, 0x0f0d,
    0x030f, 0x0f0c, 0x0f03, 0x0803,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_lie_in_their_subsets() {
        for partition in 0..64 {
            let two = TABLES[PARTITION_2 as usize + partition];
            assert_eq!((two & 1, two >> (two >> 16) & 1), (0, 1));
            let three = TABLES[PARTITION_3 as usize + partition];
            let anchors = TABLES[ANCHORS_3 as usize + partition];
            let subset = |texel: u32| three >> (2 * texel) & 3;
            assert_eq!([subset(0), subset(anchors & 15), subset(anchors >> 8)], [0, 1, 2]);
            assert!((0..16).all(|texel| subset(texel) < 3));
        }
    }
}
