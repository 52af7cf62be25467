//! PVRTC in plain Rust (Khronos Data Format Specification, "PVRTC Compressed Texture Image Formats"): two
//! images of a fourth of the width (an eighth, with two bits a texel) and of the height, of which each block
//! has one texel, are made larger, and each texel mixes the two by a weight from its block.
//!
//! A texel depends on the four blocks whose samples are nearest, over the edges of the image. Blocks of the
//! first generation lie in Morton order: those of a level as copies count them, row after row, are the words
//! of that order one after the other.

use crate::format::{Compression, Format, Numeric};

/// What tells the formats apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The second generation: blocks in rows, hard transitions.
    pub(crate) is_second: bool,
    /// The logarithm of a block's width: 2 with four bits a texel, else 3.
    pub(crate) width_bits: u32,
}

impl Kind {
    /// Of a format; none of others.
    pub(crate) fn of(format: Format) -> Option<Kind> {
        let (is_second, bits) = match format.info().compression? {
            Compression::Pvrtc1(bits) => (false, bits),
            Compression::Pvrtc2(bits) => (true, bits),
            _ => return None,
        };
        Some(Kind { is_second, width_bits: if bits == 4 { 2 } else { 3 } })
    }
}

/// The colours that local palettes have for each pair of a row and a column from the region's first texel:
/// four bits for each number, of which the lowest says whether it is colour B, and the others which block's:
/// to the right, below. That of the first texel is not used.
pub(crate) const PALETTES: [u64; 4] = [
    palettes([[0, 1, 0, 1], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]),
    palettes([[0, 1, 4, 5], [0, 1, 2, 5], [0, 1, 2, 3], [6, 1, 2, 3]]),
    palettes([[0, 1, 4, 5], [0, 1, 4, 5], [0, 7, 4, 3], [6, 7, 2, 3]]),
    palettes([[0, 1, 4, 5], [0, 7, 4, 5], [6, 7, 4, 5], [6, 7, 4, 3]]),
];

const fn palettes(columns: [[u64; 4]; 4]) -> u64 {
    let (mut packed, mut at) = (0, 0);
    while at < 16 {
        packed |= columns[at / 4][at % 4] << (4 * at);
        at += 1;
    }
    packed
}

/// The weights of two bits, four bits each: ordinary ones, and those with a number that is transparent.
pub(crate) const WEIGHTS: [u64; 2] = [0x8530, 0x8440];

/// Where the word of a block is among those of its level, which has so many in x and y.
fn place(kind: Kind, [width, height]: [u32; 2], [x, y]: [u32; 2]) -> [u32; 2] {
    if kind.is_second {
        return [x, y];
    }
    // The bits of both, those of y lower, as far as both have some; then the rest.
    let shared = width.min(height).ilog2();
    let paired = (0..shared)
        .fold(0, |number, bit| number | (y >> bit & 1) << (2 * bit) | (x >> bit & 1) << (2 * bit + 1));
    let number = paired | (x >> shared | y >> shared) << (2 * shared);
    [number % width, number / width]
}

/// A colour: red, green, blue of five bits and alpha of four.
type Color = [u32; 4];

/// Colours A and B of a block.
fn colors(kind: Kind, word: u64) -> [Color; 2] {
    let field = |first: u32, count: u32| (word >> first) as u32 & ((1 << count) - 1);
    let four = |value: u32| value << 1 | value >> 3;
    let three = |value: u32| value << 2 | value >> 1;
    let is_opaque = |own: u32| field(if kind.is_second { 63 } else { own }, 1) == 1;
    let first = match is_opaque(47) {
        true => [field(42, 5), field(37, 5), four(field(33, 4)), 15],
        false => [four(field(40, 4)), four(field(36, 4)), three(field(33, 3)), field(44, 3) << 1],
    };
    let second = match is_opaque(63) {
        true => [field(58, 5), field(53, 5), field(48, 5), 15],
        false => {
            let alpha = field(60, 3) << 1 | u32::from(kind.is_second);
            [four(field(56, 4)), four(field(52, 4)), four(field(48, 4)), alpha]
        }
    };
    [first, second]
}

/// A colour with eight bits for each component.
fn widened([red, green, blue, alpha]: Color) -> Color {
    let five = |value: u32| value << 3 | value >> 2;
    [five(red), five(green), five(blue), alpha << 4 | alpha]
}

/// The level's blocks around a texel.
struct Level<F> {
    kind: Kind,
    blocks: [u32; 2],
    word: F,
}

impl<F: Fn([u32; 2]) -> u64> Level<F> {
    /// The word of a block, which may be beyond the edges.
    fn at(&self, [x, y]: [i64; 2]) -> u64 {
        let [width, height] = self.blocks;
        let wrapped = [x.rem_euclid(width.into()) as u32, y.rem_euclid(height.into()) as u32];
        (self.word)(place(self.kind, self.blocks, wrapped))
    }

    /// The block of a texel, and the texel's place in it.
    fn own(&self, [x, y]: [i64; 2]) -> (u64, [u32; 2]) {
        let width = 1 << self.kind.width_bits;
        let word = self.at([x.div_euclid(width), y.div_euclid(4)]);
        (word, [x.rem_euclid(width) as u32, y.rem_euclid(4) as u32])
    }

    /// The weight that a block with two bits a texel has for a texel, of eighths, if it has one.
    fn stored_weight(&self, at: [i64; 2]) -> Option<u32> {
        let (word, [x, y]) = self.own(at);
        let bit = |number: u32| (word >> number) as u32 & 1;
        if bit(32) == 0 {
            return Some(8 * bit(8 * y + x));
        }
        if !(x + y).is_multiple_of(2) {
            return None;
        }
        let low = 8 * y + (x & !1);
        let high_bit = bit(low + 1);
        // Two of the low bits say something else.
        let is_short = low == 0 || low == 20 && bit(0) == 1;
        let low_bit = if is_short { high_bit } else { bit(low) };
        Some([0, 3, 5, 8][(2 * high_bit + low_bit) as usize])
    }

    fn weight_of_two_bits(&self, at: [i64; 2]) -> u32 {
        if let Some(weight) = self.stored_weight(at) {
            return weight;
        }
        let (word, _) = self.own(at);
        let beside = |x: i64, y: i64| self.stored_weight([at[0] + x, at[1] + y]).unwrap_or(0);
        let across = beside(-1, 0) + beside(1, 0);
        let down = beside(0, -1) + beside(0, 1);
        match (word & 1, word >> 20 & 1) {
            (0, _) => (across + down + 2) / 4,
            (_, 0) => across.div_ceil(2),
            _ => down.div_ceil(2),
        }
    }

    /// A texel's components of eight bits.
    fn texel(&self, at: [u32; 2]) -> Color {
        let (at, width) = (at.map(i64::from), 1i64 << self.kind.width_bits);
        let is_wide = self.kind.width_bits == 3;
        let [x, y] = [at[0] - width / 2, at[1] - 2];
        let low = [x.div_euclid(width), y.div_euclid(4)];
        let [right, down] = [x.rem_euclid(width) as u32, y.rem_euclid(4) as u32];
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]| self.at([low[0] + x, low[1] + y]));
        let (own, [own_x, own_y]) = self.own(at);
        let bits = (own >> (2 * (4 * own_y + own_x))) as u32 & 3;
        let is_modulated = own >> 32 & 1 == 1;
        let is_hard = self.kind.is_second && corners[0] >> 47 & 1 == 1;
        if is_hard && is_modulated && !is_wide && [right, down] != [0, 0] {
            let number = PALETTES[down as usize] >> (16 * right + 4 * bits) & 15;
            let colors = colors(self.kind, corners[(number / 2) as usize]);
            return widened(colors[(number % 2) as usize]);
        }
        let images = if is_hard {
            colors(self.kind, own).map(widened)
        } else {
            let corners = corners.map(|word| colors(self.kind, word));
            [0, 1].map(|image| {
                std::array::from_fn(|component| {
                    let width = width as u32;
                    let sum: u32 = (0..4)
                        .map(|corner| {
                            let in_x = if corner % 2 == 0 { width - right } else { right };
                            let in_y = if corner / 2 == 0 { 4 - down } else { down };
                            corners[corner][image][component] * in_x * in_y
                        })
                        .sum();
                    // Of five bits and the weights' four or five, or of one bit less.
                    let sum = if is_wide {
                        [sum >> 2, sum >> 7, sum >> 1, sum >> 5]
                    } else {
                        [sum >> 1, sum >> 6, sum, sum >> 4]
                    };
                    if component < 3 { sum[0] + sum[1] } else { sum[2] + sum[3] }
                })
            })
        };
        let (weight, is_transparent) = match (is_wide, is_modulated && !is_hard) {
            (true, _) => (self.weight_of_two_bits(at), false),
            (false, is_punched) => {
                let weight = (WEIGHTS[usize::from(is_punched)] >> (4 * bits)) as u32 & 15;
                (weight, is_punched && bits == 2)
            }
        };
        let [first, second]: [Color; 2] = images;
        let [red, green, blue, alpha] =
            std::array::from_fn(|index| (first[index] * (8 - weight) + second[index] * weight) / 8);
        match is_transparent {
            true if self.kind.is_second => [0; 4],
            true => [red, green, blue, 0],
            false => [red, green, blue, alpha],
        }
    }
}

/// A texel of a level that has so many blocks in x and y; `word` gives that of a block by its place in the
/// image. sRGB components become linear. `None` for formats other than PVRTC.
///
/// # Panics
/// Where there are no blocks.
pub fn decode_texel(
    format: Format,
    blocks: [u32; 2],
    at: [u32; 2],
    word: impl Fn([u32; 2]) -> u64,
) -> Option<[f32; 4]> {
    let level = Level { kind: Kind::of(format)?, blocks, word };
    let mut texel = level.texel(at).map(|value| (f64::from(value) / 255.0) as f32);
    if format.info().components[0].numeric == Numeric::Srgb {
        texel[..3].iter_mut().for_each(|value| *value = pyro_ir::eval::srgb::to_linear(*value));
    }
    Some(texel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, a level of 16 by 4 blocks, and that numbers are all different.
    #[test]
    fn words_are_in_morton_order() {
        let first = Kind { is_second: false, width_bits: 2 };
        assert_eq!(place(first, [16, 4], [13, 2]), [54 % 16, 54 / 16]);
        assert_eq!(place(first, [4, 4], [1, 0]), [2, 0]);
        for blocks in [[1, 1], [1, 8], [2, 1], [8, 2], [4, 16], [8, 8]] {
            let all = (0..blocks[1]).flat_map(|y| (0..blocks[0]).map(move |x| [x, y]));
            let places: std::collections::HashSet<[u32; 2]> =
                all.map(|at| place(first, blocks, at)).collect();
            assert_eq!(places.len() as u32, blocks[0] * blocks[1]);
            assert!(places.iter().all(|&[x, y]| x < blocks[0] && y < blocks[1]));
        }
        assert_eq!(place(Kind { is_second: true, width_bits: 3 }, [5, 3], [4, 2]), [4, 2]);
    }

    /// One block all over: its colours are those of both images everywhere, so only the weights count.
    #[test]
    fn one_block_mixes_its_two_colours() {
        // B opaque white, A opaque black; texels of the first row have the weights 0, 3, 5, 8.
        let word = 0xffff_8000_0000_00e4_u64;
        let texel = |format, word, x| decode_texel(format, [1, 1], [x, 0], |_| word).unwrap();
        for format in [Format::PVRTC1_4BPP_UNORM_BLOCK_IMG, Format::PVRTC2_4BPP_UNORM_BLOCK_IMG] {
            // Of the second generation, bit 47 is the flag of hard transitions.
            let word = if Kind::of(format).unwrap().is_second { word & !(1 << 47) } else { word };
            let row = [0, 1, 2, 3].map(|x| (texel(format, word, x)[0] * 255.0).round());
            assert_eq!(row, [0.0, 95.0, 159.0, 255.0], "{format:?}");
            // With the flag M, two are in the middle, of which the second one is transparent.
            let row = [0, 1, 2, 3].map(|x| texel(format, word | 1 << 32, x));
            let rounded = row.map(|texel| [0, 3].map(|index| (texel[index] * 255.0).round()));
            let punched = if Kind::of(format).unwrap().is_second { 0.0 } else { 127.0 };
            assert_eq!(rounded, [[0.0, 255.0], [127.0, 255.0], [punched, 0.0], [255.0, 255.0]], "{format:?}");
        }
        // Two bits a texel: the word's bits one by one.
        let row = [0, 1, 2, 3, 4, 5, 6, 7].map(|x| texel(Format::PVRTC1_2BPP_UNORM_BLOCK_IMG, word, x)[0]);
        assert_eq!(row, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    /// Two blocks side by side, one of each colour: what lies between them is between them, over the edge
    /// too.
    #[test]
    fn colours_are_interpolated_over_the_edges() {
        let (black, white) = (0x8000_8000_0000_0000_u64, 0xffff_fffe_0000_0000_u64);
        let word = |[x, _]: [u32; 2]| if x == 0 { black } else { white };
        let row = [0, 1, 2, 3, 4, 5, 6, 7].map(|x| {
            let texel = decode_texel(Format::PVRTC1_4BPP_UNORM_BLOCK_IMG, [2, 1], [x, 0], word).unwrap();
            (texel[0] * 255.0).round()
        });
        assert_eq!(row, [127.0, 63.0, 0.0, 63.0, 127.0, 191.0, 255.0, 191.0]);
    }
}
