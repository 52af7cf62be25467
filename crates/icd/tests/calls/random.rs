//! Numbers from a seed, small and absurd ones.

/// A generator (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Any 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.word() >> 33) as usize % end.max(1)
    }

    /// One of a list.
    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A small number, mostly; an edge or anything now and then.
    pub(crate) fn number(&mut self) -> u32 {
        match self.below(12) {
            0 => self.of(&[u32::MAX, u32::MAX - 1, 1 << 31, i32::MAX as u32, 65536, 16385]),
            1 => self.word() as u32,
            _ => self.below(9) as u32,
        }
    }

    /// A size or offset in bytes.
    pub(crate) fn size(&mut self) -> u64 {
        match self.below(12) {
            0 => self.of(&[u64::MAX, u64::MAX - 3, 1 << 63, 1 << 40, 1 << 32]),
            1 => self.word(),
            2 => self.below(70) as u64,
            _ => self.below(64) as u64 * 64,
        }
    }

    /// A float, finite or not.
    pub(crate) fn float(&mut self) -> f32 {
        match self.below(6) {
            0 => f32::from_bits(self.word() as u32),
            1 => self.of(&[f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -0.0]),
            _ => self.below(32) as f32 / 4.0 - 2.0,
        }
    }
}
