//! The elements and scales of OCP's microscaling formats (`SPV_EXT_ocp_microscaling_types`).
//!
//! Those of four and six bits are small IEEE-like floats without infinities and NaNs; E8M0 is a power of two
//! without a sign; MXINT8 is a signed byte in units of 1/64. Each is exactly a 64-bit float.

use crate::spirv::FPEncoding;

/// One of the formats of `SPV_EXT_ocp_microscaling_types`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Microscaling {
    /// A sign, two bits of exponent, three of mantissa.
    E2M3,
    /// A sign, three bits of exponent, two of mantissa.
    E3M2,
    /// A sign, two bits of exponent, one of mantissa.
    E2M1,
    /// Eight bits of exponent alone.
    E8M0,
    /// A signed byte.
    Int8,
}

impl Microscaling {
    /// The format of an encoding, if it is one of these.
    pub fn from_encoding(encoding: FPEncoding) -> Option<Microscaling> {
        Some(match encoding {
            FPEncoding::Float6E2M3EXT => Microscaling::E2M3,
            FPEncoding::Float6E3M2EXT => Microscaling::E3M2,
            FPEncoding::Float4E2M1EXT => Microscaling::E2M1,
            FPEncoding::Float8UnsignedE8M0EXT => Microscaling::E8M0,
            FPEncoding::MXInt8EXT => Microscaling::Int8,
            FPEncoding::BFloat16KHR | FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT => return None,
        })
    }

    /// Bits of the exponent and of the mantissa, of formats that have a sign beside these.
    pub fn fields(self) -> Option<[u32; 2]> {
        match self {
            Microscaling::E2M3 => Some([2, 3]),
            Microscaling::E3M2 => Some([3, 2]),
            Microscaling::E2M1 => Some([2, 1]),
            Microscaling::E8M0 | Microscaling::Int8 => None,
        }
    }

    /// The number that a code stands for; bits beyond the format's do not count.
    pub fn decode(self, bits: u8) -> f64 {
        let Some([exponent_bits, mantissa]) = self.fields() else {
            return match self {
                Microscaling::E8M0 if bits == u8::MAX => f64::NAN,
                // The exponent of a 64-bit float has another bias.
                Microscaling::E8M0 => f64::from_bits((u64::from(bits) + 1023 - 127) << 52),
                _ => f64::from(bits as i8) / 64.0,
            };
        };
        let exponent = bits >> mantissa & ((1 << exponent_bits) - 1);
        let fraction = bits & ((1 << mantissa) - 1);
        let significand = if exponent == 0 { fraction } else { fraction | 1 << mantissa };
        let bias = (1 << (exponent_bits - 1)) - 1;
        let power = i64::from(exponent.max(1)) - bias - i64::from(mantissa);
        let magnitude = f64::from(significand) * f64::from_bits(((power + 1023) as u64) << 52);
        if bits >> (exponent_bits + mantissa) & 1 == 1 { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::Microscaling as M;

    #[test]
    fn codes_are_the_numbers_that_the_formats_say() {
        let all = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
        for (code, value) in all.iter().enumerate() {
            assert_eq!(M::E2M1.decode(code as u8), *value);
            assert_eq!(M::E2M1.decode(code as u8 | 8), -*value);
        }
        assert_eq!([0x1f, 0x08, 0x01, 0x27].map(|code| M::E2M3.decode(code)), [7.5, 1.0, 0.125, -0.875]);
        assert_eq!([0x1f, 0x0c, 0x01, 0x3f].map(|code| M::E3M2.decode(code)), [28.0, 1.0, 0.0625, -28.0]);
        assert_eq!([0, 127, 254].map(|code| M::E8M0.decode(code)), [2f64.powi(-127), 1.0, 2f64.powi(127)]);
        assert!(M::E8M0.decode(255).is_nan());
        assert_eq!(
            [0, 64, 127, 0xc0, 0x81].map(|code| M::Int8.decode(code)),
            [0.0, 1.0, 1.984375, -1.0, -1.984375]
        );
    }
}
