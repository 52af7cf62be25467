//! Edge-case bit patterns for operands and memory.

use pyro_random::Random;

/// Bits of a scalar of `width` bits that tend to be interesting: small numbers, limits, special floats.
pub(crate) fn interesting(random: &mut Random, width: u32) -> u64 {
    let mask = u64::MAX >> (64 - width);
    let bits = random.bits();
    let chosen = match random.below(8u32) {
        0 => bits % 4,
        1 => 0u64.wrapping_sub(bits % 4),
        2 => 1 << (bits % u64::from(width)),
        3 => (1u64 << (bits % u64::from(width))).wrapping_sub(1),
        // Floats: both zeros, one, the infinities, NaN, the least normal and subnormal numbers, a third.
        4 => match width {
            16 => [0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e01, 0x0400, 0x8001, 0x3555][bits as usize % 9],
            64 => {
                let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
                let [minimum, least, third] = [f64::MIN_POSITIVE, f64::from_bits(1), 1.0 / 3.0];
                [&special[..], &[minimum, least, third]].concat()[bits as usize % 9].to_bits()
            }
            _ => {
                let special = [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
                let [minimum, least, third] = [f32::MIN_POSITIVE, f32::from_bits(1), 1.0 / 3.0];
                [&special[..], &[minimum, least, third]].concat()[bits as usize % 9].to_bits().into()
            }
        },
        // Floats of ordinary size, in all widths.
        5 => {
            let number = (bits % 20_001) as f64 / 64.0 - 150.0;
            match width {
                64 => number.to_bits(),
                32 => (number as f32).to_bits().into(),
                _ => 0x3c00 ^ bits & 0x8fff,
            }
        }
        _ => bits,
    };
    chosen & mask
}
