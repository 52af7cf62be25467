//! Exact fractions of 128-bit integers.

use std::ops::{Add, Mul, Sub};

/// A fraction in lowest terms with a denominator above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

fn divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs().max(1)
}

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// A numerator over a denominator that is not zero.
    #[must_use]
    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        let divisor = divisor(numerator, denominator) * denominator.signum();
        Fraction { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// A finite number of a magnitude of 2^-80 to 2^80, or zero.
    ///
    /// # Panics
    /// For others.
    #[must_use]
    pub fn of(value: f32) -> Fraction {
        let bits = value.to_bits();
        let exponent = (bits >> 23 & 0xff) as i32 - 150;
        let significand = i128::from(bits & 0x7f_ffff | 0x80_0000) * if value < 0.0 { -1 } else { 1 };
        if value == 0.0 {
            return Fraction::ZERO;
        }
        assert!(value.is_finite() && (-103..=57).contains(&exponent), "{value} is out of range");
        if exponent < 0 {
            Fraction::new(significand, 1 << -exponent)
        } else {
            Fraction::new(significand << exponent, 1)
        }
    }

    /// The nearest `f64`, or a neighbour of it.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The largest integer that is not above it.
    #[must_use]
    pub fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    /// Its magnitude.
    #[must_use]
    pub fn abs(self) -> Fraction {
        Fraction { numerator: self.numerator.abs(), ..self }
    }

    /// Itself between zero and one, and these outside.
    #[must_use]
    pub fn clamped(self) -> Fraction {
        if self.numerator < 0 {
            Fraction::ZERO
        } else if self.numerator > self.denominator {
            Fraction::ONE
        } else {
            self
        }
    }
}

impl Add for Fraction {
    type Output = Fraction;

    fn add(self, other: Fraction) -> Fraction {
        let common = divisor(self.denominator, other.denominator);
        let (left, right) = (other.denominator / common, self.denominator / common);
        Fraction::new(self.numerator * left + other.numerator * right, self.denominator * left)
    }
}

impl Sub for Fraction {
    type Output = Fraction;

    fn sub(self, other: Fraction) -> Fraction {
        self.add(Fraction { numerator: -other.numerator, ..other })
    }
}

impl Mul for Fraction {
    type Output = Fraction;

    fn mul(self, other: Fraction) -> Fraction {
        let one = Fraction::new(self.numerator, other.denominator);
        let two = Fraction::new(other.numerator, self.denominator);
        Fraction { numerator: one.numerator * two.numerator, denominator: one.denominator * two.denominator }
    }
}
