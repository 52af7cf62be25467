//! Reproducible random numbers for tests, generators of shaders and benchmarks: the same seed gives the same
//! numbers, everywhere and always.
#![forbid(unsafe_code)]

/// A stream of random numbers (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// What comes before the stream.
    given: std::vec::IntoIter<u8>,
}

impl Random {
    /// The stream of a seed; neighbouring seeds have nothing in common.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { state: seed, given: Vec::new().into_iter() }
    }

    /// Numbers that bytes say, two bytes each, and then the stream of a seed: what a fuzzer changes in the
    /// bytes changes one decision of a generator.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Random {
        Random { state: bytes.len() as u64, given: Vec::from(bytes).into_iter() }
    }

    /// Another stream, which gets half of the bytes that are left.
    pub fn split(&mut self) -> Random {
        let rest = self.given.as_slice();
        let (first, second) = rest.split_at(rest.len() / 2);
        let (first, second) = (Vec::from(first).into_iter(), Vec::from(second).into_iter());
        self.given = Vec::new().into_iter();
        let state = self.bits();
        self.given = second;
        Random { state, given: first }
    }

    /// Whether all numbers that bytes say have been taken.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.given.len() == 0
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        if let Some(first) = self.given.next() {
            let bits = u64::from(first) << 8 | u64::from(self.given.next().unwrap_or_default());
            return bits * 0x0001_0001_0001_0001;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below<T: Bound>(&mut self, end: T) -> T {
        T::scale(self.bits(), end)
    }

    /// A number from `low` up to, not including, `high`.
    pub fn int(&mut self, low: i32, high: i32) -> i32 {
        low.wrapping_add(self.below(high.wrapping_sub(low) as u32) as i32)
    }

    /// A number from `low` up to, not including, `high`, in 2^24 steps.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1 << 24) as f32)
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Changes a few bytes of a text or file: some become others, are removed or doubled, and some of
    /// `tokens` are put between them.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, tokens: &[&str]) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(20_usize)).min(bytes.len());
            match self.below(5) {
                0 if at < bytes.len() => bytes[at] = self.word() as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let part = bytes[at..end].to_vec();
                    let place = self.below(bytes.len() + 1);
                    drop(bytes.splice(place..place, part));
                }
                3 if !tokens.is_empty() => drop(bytes.splice(at..end, self.pick(tokens).bytes())),
                _ => {
                    let token = if tokens.is_empty() { "" } else { self.pick(tokens) };
                    drop(bytes.splice(at..at, token.bytes()));
                }
            }
        }
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The types that [`Random::below`] gives.
pub trait Bound: Copy {
    /// `end` times the fraction `bits` / 2^64, rounded down.
    fn scale(bits: u64, end: Self) -> Self;
}

impl Bound for u32 {
    fn scale(bits: u64, end: u32) -> u32 {
        (((bits >> 32) * u64::from(end)) >> 32) as u32
    }
}

/// For numbers written without a type; `end` is not negative.
impl Bound for i32 {
    fn scale(bits: u64, end: i32) -> i32 {
        u32::scale(bits, end as u32) as i32
    }
}

impl Bound for u64 {
    fn scale(bits: u64, end: u64) -> u64 {
        ((u128::from(bits) * u128::from(end)) >> 64) as u64
    }
}

impl Bound for usize {
    fn scale(bits: u64, end: usize) -> usize {
        u64::scale(bits, end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first number of seed 1234567 in the paper's reference program.
    #[test]
    fn random_numbers_match_splitmix64() {
        assert_eq!(Random::new(1_234_567).bits(), 6_457_827_717_110_365_317);
    }

    /// Bytes decide, the first of two more than the second, until there are no more.
    #[test]
    fn bytes_come_before_the_stream() {
        let mut random = Random::of_bytes(&[0xff, 0xff, 0x80, 0x00, 0x12, 0x34, 0x40]);
        assert_eq!((random.below(10u32), random.below(10_usize)), (9, 5));
        assert_eq!(random.word(), 0x1234_1234);
        assert!(!random.is_used_up());
        assert_eq!(random.below(256u64), 0x40);
        assert!(random.is_used_up());
        assert_eq!(random.bits(), Random::new(7).bits());
        let mut random = Random::of_bytes(&[0, 1, 0, 2]);
        assert_eq!(random.split().word(), 0x1_0001);
        assert_eq!(random.word(), 0x2_0002);
    }

    #[test]
    fn numbers_stay_in_range_and_reach_all_of_it() {
        let mut random = Random::new(1);
        let mut seen = [[0; 5]; 4];
        for _ in 0..1000 {
            seen[0][random.below(5u32) as usize] += 1;
            seen[1][random.below(5u64) as usize] += 1;
            seen[2][random.below(5usize)] += 1;
            seen[3][(random.int(-2, 3) + 2) as usize] += 1;
            assert!((-1.5..2.5).contains(&random.float(-1.5, 2.5)));
        }
        assert!(seen.iter().flatten().all(|&count| count > 100), "{seen:?}");
        assert_eq!(random.below(0u32), 0);
    }
}
