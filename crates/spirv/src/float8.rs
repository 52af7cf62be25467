//! The 8-bit floats of `SPV_EXT_float8`.
//!
//! Both have a sign; E5M2 is the high half of an IEEE binary16, E4M3 has a bias of 7, no infinities, and a
//! NaN only where all other bits are ones.

use crate::spirv::FPEncoding;

/// One of the two 8-bit float formats of `SPV_EXT_float8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float8 {
    /// Four bits of exponent, three of mantissa.
    E4M3,
    /// Five bits of exponent, two of mantissa.
    E5M2,
}

impl Float8 {
    /// The format of an encoding, if it is one of these.
    pub fn from_encoding(encoding: FPEncoding) -> Option<Float8> {
        match encoding {
            FPEncoding::Float8E4M3EXT => Some(Float8::E4M3),
            FPEncoding::Float8E5M2EXT => Some(Float8::E5M2),
            _ => None,
        }
    }

    /// Bits of the mantissa that are stored: without the leading one.
    pub fn mantissa(self) -> u32 {
        match self {
            Float8::E4M3 => 3,
            Float8::E5M2 => 2,
        }
    }

    /// The exponent's bias.
    pub fn bias(self) -> i32 {
        match self {
            Float8::E4M3 => 7,
            Float8::E5M2 => 15,
        }
    }

    /// The codes of the greatest finite number, of what larger ones become, and of NaN.
    pub fn ends(self) -> [u8; 3] {
        match self {
            Float8::E4M3 => [0x7e, 0x7f, 0x7f],
            Float8::E5M2 => [0x7b, 0x7c, 0x7e],
        }
    }

    /// The number that an 8-bit code stands for; NaN and infinities as such.
    pub fn decode(self, bits: u8) -> f64 {
        let [greatest, beyond, nan] = self.ends();
        let (magnitude, mantissa) = (bits & 0x7f, self.mantissa());
        let (exponent, fraction) = (i32::from(magnitude >> mantissa), magnitude & ((1 << mantissa) - 1));
        let one = 1 << mantissa;
        let value = match exponent {
            _ if magnitude == beyond && beyond != nan => f64::INFINITY,
            _ if magnitude > greatest => f64::NAN,
            0 => f64::from(fraction) * power_of_two(1 - self.bias() - mantissa as i32),
            _ => f64::from(fraction + one) * power_of_two(exponent - self.bias() - mantissa as i32),
        };
        if bits >> 7 != 0 { -value } else { value }
    }

    /// The nearest number, of two the one whose last bit is zero.
    pub fn encode(self, value: f64) -> u8 {
        let [greatest, beyond, nan] = self.ends();
        let sign = u8::from(value.is_sign_negative()) << 7;
        let magnitude = value.abs();
        // Half a unit above the greatest, where rounding leaves the finite numbers.
        let end = self.decode(greatest) * 1.5 - self.decode(greatest - 1) * 0.5;
        if value.is_nan() {
            return sign | nan;
        }
        if magnitude > end || magnitude == end && greatest & 1 != 0 {
            return sign | beyond;
        }
        let distance = |code: u8| (self.decode(code) - magnitude).abs();
        let nearest = (0..=greatest).min_by(|&one, &other| {
            distance(one).total_cmp(&distance(other)).then((one & 1).cmp(&(other & 1)))
        });
        sign | nearest.unwrap_or(greatest)
    }
}

/// Two to the power of an exponent that normal numbers have. (`powi` would call the C library's mathematics,
/// which no other function of the driver needs.)
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_to_8_bit_floats_round_to_the_nearest() {
        let (e4m3, e5m2) = (Float8::E4M3, Float8::E5M2);
        for format in [e4m3, e5m2] {
            for code in 0..=u8::MAX {
                let value = format.decode(code);
                assert!(value.is_nan() || format.encode(value) == code, "{code:#x} is {value}");
            }
        }
        let found = [1.0, 1.0625, 1.1875, 448.0, 464.0, 465.0, -1e9, 0.001].map(|value| e4m3.encode(value));
        assert_eq!(found, [0x38, 0x38, 0x3a, 0x7e, 0x7e, 0x7f, 0xff, 0x01]);
        let found = [1.0, 57344.0, 61439.0, 61440.0, f64::NEG_INFINITY].map(|value| e5m2.encode(value));
        assert_eq!(found, [0x3c, 0x7b, 0x7b, 0x7c, 0xfc]);
        assert!(e4m3.decode(e4m3.encode(f64::NAN)).is_nan() && e5m2.decode(e5m2.encode(f64::NAN)).is_nan());
    }
}
