//! Small and absurd numbers from a seed.

pub(crate) use pyro_random::Random;

/// Arguments for calls.
pub(crate) trait Absurd {
    /// A small number, mostly; an edge or anything now and then.
    fn number(&mut self) -> u32;

    /// A size or offset in bytes.
    fn size(&mut self) -> u64;

    /// A float, finite or not.
    fn any_float(&mut self) -> f32;
}

impl Absurd for Random {
    fn number(&mut self) -> u32 {
        match self.below(12u32) {
            0 => self.pick(&[u32::MAX, u32::MAX - 1, 1 << 31, i32::MAX as u32, 65536, 16385]),
            1 => self.word(),
            _ => self.below(9),
        }
    }

    fn size(&mut self) -> u64 {
        match self.below(12u32) {
            0 => self.pick(&[u64::MAX, u64::MAX - 3, 1 << 63, 1 << 40, 1 << 32]),
            1 => self.bits(),
            2 => self.below(70),
            _ => self.below(64u64) * 64,
        }
    }

    fn any_float(&mut self) -> f32 {
        match self.below(6u32) {
            0 => f32::from_bits(self.word()),
            1 => self.pick(&[f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -0.0]),
            _ => self.below(32u32) as f32 / 4.0 - 2.0,
        }
    }
}
