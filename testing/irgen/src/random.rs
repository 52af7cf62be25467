//! A seeded source of choices.

/// The same seed gives the same choices, everywhere and always.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Choices from a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 well-mixed bits (splitmix64).
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of a list that is not empty.
    pub(crate) fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// Bits of a scalar of `width` bits that tend to be interesting: small numbers, limits, special floats.
    pub(crate) fn interesting(&mut self, width: u32) -> u64 {
        let mask = u64::MAX >> (64 - width);
        let bits = self.bits();
        let chosen = match self.below(8) {
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
}
