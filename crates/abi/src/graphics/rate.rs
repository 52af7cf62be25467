//! How many pixels a fragment covers (Vulkan, "Fragment Shading Rates").

/// Coverage bits of a fragment at most (`maxFragmentShadingRateCoverageSamples`): they are one word.
pub const COVERAGE_SAMPLES_MAX: u32 = 32;

/// Where `FragmentSubgroup::shading_rate` has the logarithm of the invocations for a fragment.
pub const INVOCATIONS_SHIFT: u32 = 8;

/// The size of a fragment: 1, 2 or 4 pixels in x and in y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rate {
    /// Logarithm of the width.
    pub x: u8,
    /// Logarithm of the height.
    pub y: u8,
}

impl Rate {
    /// Fragments of one pixel.
    pub const PIXEL: Rate = Rate { x: 0, y: 0 };

    /// All of them, from the largest width to the smallest, and for each width from the largest height.
    pub const ALL: [Rate; 9] = {
        let mut all = [Rate::PIXEL; 9];
        let mut index = 0;
        while index < 9 {
            all[index] = Rate { x: 2 - index as u8 / 3, y: 2 - index as u8 % 3 };
            index += 1;
        }
        all
    };

    /// The rate of these bits, as `ShadingRateKHR` and the texels of attachments have it. Widths and heights
    /// of 8, which nothing may ask for, are 4.
    pub const fn from_bits(bits: u32) -> Rate {
        const fn of(bits: u32) -> u8 {
            if bits & 3 == 3 { 2 } else { (bits & 3) as u8 }
        }
        Rate { x: of(bits >> 2), y: of(bits) }
    }

    /// The rate of fragments of so many pixels, which are powers of two.
    pub const fn from_size(width: u32, height: u32) -> Rate {
        const fn of(size: u32) -> u8 {
            if size >= 4 { 2 } else { (size / 2) as u8 }
        }
        Rate { x: of(width), y: of(height) }
    }

    /// Its bits.
    pub const fn bits(self) -> u32 {
        (self.x as u32) << 2 | self.y as u32
    }

    /// Pixels of a fragment.
    pub const fn pixels(self) -> u32 {
        1 << (self.x + self.y)
    }

    /// Whether fragments of so many samples a pixel may have this size.
    pub const fn is_supported(self, samples: u32) -> bool {
        self.pixels() == 1 || self.pixels() * samples <= COVERAGE_SAMPLES_MAX
    }

    /// The rate that is taken where this one was asked for: of those that are supported and in neither
    /// direction larger, the one with most pixels, the most square of these, and the wider one of two alike.
    pub fn clamped(self, samples: u32) -> Rate {
        let fits = |rate: &Rate| rate.x <= self.x && rate.y <= self.y && rate.is_supported(samples);
        let order = |rate: &Rate| (rate.pixels(), -((1 << rate.x) + (1 << rate.y)), rate.x);
        Rate::ALL.into_iter().filter(fits).max_by_key(order).unwrap_or(Rate::PIXEL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_clamped_to_what_there_is() {
        let rate = Rate::from_size;
        assert_eq!(rate(4, 4).clamped(1), rate(4, 4));
        assert_eq!(rate(4, 4).clamped(4), rate(4, 2));
        assert_eq!(rate(2, 4).clamped(4), rate(2, 4));
        assert_eq!(rate(4, 4).clamped(8), rate(2, 2));
        assert_eq!(rate(1, 4).clamped(16), rate(1, 2));
        assert_eq!(rate(4, 1).clamped(16), rate(2, 1));
    }

    #[test]
    fn bits_are_rates() {
        for rate in Rate::ALL {
            assert_eq!(Rate::from_bits(rate.bits()), rate);
            assert_eq!(Rate::from_size(1 << rate.x, 1 << rate.y), rate);
        }
        assert_eq!(Rate::from_bits(!0), Rate { x: 2, y: 2 });
        assert!(Rate::ALL.is_sorted_by(|a, b| a > b));
    }
}
