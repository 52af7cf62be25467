//! Rounding of doubles to the formats of 16 bits, in one step: `half`'s own conversions leave the low half of
//! a double's fraction out, which decides ties wrongly.

/// A float between the formats: rounded so that rounding it again gives what rounding at once would, as the
/// last bit says whether anything was lost ("round to odd").
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if nearest.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    let bits = nearest.to_bits();
    let toward_zero = if f64::from(nearest).abs() > value.abs() { bits - 1 } else { bits };
    f32::from_bits(toward_zero | 1)
}

/// The nearest number of binary16, ties to even.
pub(crate) fn f16_bits(value: f64) -> u16 {
    half::f16::from_f32(to_odd(value)).to_bits()
}

/// The nearest number of bfloat16, ties to even.
pub(crate) fn bf16_bits(value: f64) -> u16 {
    half::bf16::from_f32(to_odd(value)).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halfway between two numbers, and as little as a double can be on both sides of it.
    fn around(halfway: f64) -> [f64; 3] {
        [f64::from_bits(halfway.to_bits() - 1), halfway, f64::from_bits(halfway.to_bits() + 1)]
    }

    #[test]
    fn ties_are_decided_by_every_bit() {
        // 0x7b9a is 62272, and the next is 62304.
        assert_eq!(around(62288.0).map(f16_bits), [0x7b9a, 0x7b9a, 0x7b9b]);
        assert_eq!(around(-62288.0).map(f16_bits), [0xfb9a, 0xfb9a, 0xfb9b]);
        // Half of the least number, and where numbers end.
        assert_eq!(around(2f64.powi(-25)).map(f16_bits), [0, 0, 1]);
        assert_eq!(around(65520.0).map(f16_bits), [0x7bff, 0x7c00, 0x7c00]);
        assert_eq!(around(1.0 + 2f64.powi(-8)).map(bf16_bits), [0x3f80, 0x3f80, 0x3f81]);
        assert_eq!(around(2f64.powi(-134)).map(bf16_bits), [0, 0, 1]);
        for (value, bits) in
            [(f64::INFINITY, 0x7c00), (f64::MAX, 0x7c00), (0.0, 0), (-0.0, 0x8000), (5e-324, 0)]
        {
            assert_eq!(f16_bits(value), bits, "{value}");
        }
        assert!(half::f16::from_bits(f16_bits(f64::NAN)).is_nan());
    }

    #[test]
    fn numbers_of_the_formats_stay() {
        for bits in (0..=u16::MAX).filter(|bits| bits & 0x7c00 != 0x7c00) {
            assert_eq!(f16_bits(half::f16::from_bits(bits).to_f64()), bits);
        }
        for bits in (0..=u16::MAX).filter(|bits| bits & 0x7f80 != 0x7f80) {
            assert_eq!(bf16_bits(half::bf16::from_bits(bits).to_f64()), bits);
        }
    }
}
