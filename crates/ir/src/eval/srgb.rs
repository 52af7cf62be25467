//! The sRGB transfer functions (Khronos Data Format Specification, "sRGB transfer functions"), as steps of
//! single precision that every executor takes alike.

use pyro_util::fused::FusedMulAdd;

/// Of what is above the dark part.
pub const TO_LINEAR: [f32; 7] =
    [-0.12086177, 0.56421334, -1.1321065, 1.3044527, -1.0340006, 1.3869959, 0.03130704];
/// Of what is above the dark part, in the fourth root.
pub const FROM_LINEAR: [f32; 7] =
    [0.06842999, -0.3192716, 0.6585179, -0.8540198, 1.3663795, 0.13950323, -0.059537787];
/// Where the dark part ends, encoded.
pub const DARK_ENCODED: f32 = 0.04045;
/// Where the dark part ends, linear.
pub const DARK_LINEAR: f32 = 0.003_130_8;
/// How much greater encoded values are in the dark part.
pub const DARK_SLOPE: f32 = 12.92;

/// The linear value of an encoded one within [0, 1].
pub fn to_linear(x: f32) -> f32 {
    if x <= DARK_ENCODED {
        return x * (1.0 / 12.92) as f32;
    }
    let u = x.fused_mul_add((1.0 / 1.055) as f32, (0.055 / 1.055) as f32);
    u * u * poly(u.sqrt(), &TO_LINEAR)
}

/// The encoded value of a linear one, clamped to [0, 1]; NaN counts as 0.
pub fn from_linear(x: f32) -> f32 {
    let x = if x > 0.0 { x.min(1.0) } else { 0.0 };
    if x <= DARK_LINEAR { x * DARK_SLOPE } else { poly(x.sqrt().sqrt(), &FROM_LINEAR).min(1.0) }
}

/// The linear value of a code of eight bits.
pub fn from_code(code: u8) -> f32 {
    // In f64 the quotient rounds to f32 as the exact one does.
    to_linear((f64::from(code) / 255.0) as f32)
}

/// The code of eight bits nearest to a linear value's encoded one, halves to even.
pub fn to_code(x: f32) -> u8 {
    (f64::from(from_linear(x).max(0.0)) * 255.0).round_ties_even() as u8
}

fn poly(x: f32, coefficients: &[f32]) -> f32 {
    coefficients.iter().copied().reduce(|sum, coefficient| sum.fused_mul_add(x, coefficient)).unwrap_or(0.0)
}

/// Codes by the upper bits of linear values: what a look-up in a table and a carry compute like [`to_code`].
///
/// Codes grow with values, and values of equal upper bits have at most two of them. A word is the code of the
/// least such value above [`codes::PART_BITS`] bits, and below them what carries into it when the lower bits
/// of the value from which on the code is greater are added.
pub mod codes {
    use super::to_code;
    use std::sync::OnceLock;

    /// The bits below those that tell the word.
    pub const PART_BITS: u32 = 16;
    /// The bits of the least value that has a word: below 2^-13 all codes are 0.
    pub const LEAST: u32 = 0x3900_0000;
    /// The bits of the greatest value that has a word: that of 1 is the same code.
    pub const GREATEST: u32 = 0x3f7f_ffff;

    /// A word for each part from [`LEAST`] to [`GREATEST`].
    pub fn table() -> &'static [u32] {
        static TABLE: OnceLock<Vec<u32>> = OnceLock::new();
        TABLE.get_or_init(|| (LEAST >> PART_BITS..=GREATEST >> PART_BITS).map(word).collect())
    }

    fn word(part: u32) -> u32 {
        let first = part << PART_BITS;
        let code = to_code(f32::from_bits(first));
        let (mut below, mut above) = (first, first + (1 << PART_BITS));
        while above - below > 1 {
            let middle = below.midpoint(above);
            *(if to_code(f32::from_bits(middle)) == code { &mut below } else { &mut above }) = middle;
        }
        let carry = (1 << PART_BITS) - (above - first);
        (u32::from(code) << PART_BITS) + carry
    }

    /// The code of a value by its word.
    pub fn look_up(x: f32) -> u8 {
        let (least, greatest) = (f32::from_bits(LEAST), f32::from_bits(GREATEST));
        let x = if x > least { x } else { least };
        let bits = x.min(greatest).to_bits();
        let word = table()[((bits - LEAST) >> PART_BITS) as usize];
        ((word + (bits & ((1 << PART_BITS) - 1))) >> PART_BITS) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around all places where codes change, some between, and some that have no word.
    #[test]
    fn words_give_the_codes_of_values() {
        /// Rounding errors of the polynomial could make codes change several times, so near to each other.
        const AROUND: u32 = 4096;
        let parts = (codes::LEAST >> codes::PART_BITS)..;
        let changes = parts.zip(codes::table()).filter_map(|(part, word)| {
            let carry = word & ((1 << codes::PART_BITS) - 1);
            (carry != 0).then(|| ((part + 1) << codes::PART_BITS) - carry)
        });
        let changes: Vec<u32> = changes.collect();
        assert_eq!(changes.len(), 255);
        let near = changes.into_iter().flat_map(|at| at - AROUND..at + AROUND);
        let far = (codes::LEAST..=codes::GREATEST).step_by(61);
        for bits in near.chain(far) {
            let x = f32::from_bits(bits);
            let (word, code) = (codes::look_up(x), to_code(x));
            assert!(word == code, "{bits:#x}: {word}, not {code}");
        }
        for x in [0.0, -0.0, -1.0, 1.0, 2.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-5, 1e-40] {
            assert_eq!(codes::look_up(x), to_code(x), "{x}");
        }
    }

    #[test]
    fn codes_survive() {
        for code in 0..=255 {
            assert_eq!(to_code(from_code(code)), code);
        }
        assert_eq!([from_code(0), from_code(255)], [0.0, 1.0]);
    }
}
