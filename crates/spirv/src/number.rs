//! Literal numbers as text.
//!
//! Floats are decimal, or hexadecimal (`-0x1.8p+1`), in which an exponent one above the greatest stands
//! for infinities and NaNs, as in the SPIR-V tools' syntax.

use crate::float16;
use crate::spirv::FPEncoding;
use crate::types::Type;

/// The fields of a binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
}

impl Format {
    fn of(ty: Type<'_>) -> Option<Format> {
        let (fraction_bits, exponent_bits) = match ty {
            Type::Float { width: 16, encoding: None } => (10, 5),
            Type::Float { width: 16, encoding: Some(FPEncoding::BFloat16KHR) } => (7, 8),
            Type::Float { width: 32, encoding: None } => (23, 8),
            Type::Float { width: 64, encoding: None } => (52, 11),
            Type::Float { width: 8, encoding: Some(FPEncoding::Float8E4M3EXT) } => (3, 4),
            Type::Float { width: 8, encoding: Some(FPEncoding::Float8E5M2EXT) } => (2, 5),
            Type::Float { width: 6, encoding: Some(FPEncoding::Float6E2M3EXT) } => (3, 2),
            Type::Float { width: 6, encoding: Some(FPEncoding::Float6E3M2EXT) } => (2, 3),
            Type::Float { width: 4, encoding: Some(FPEncoding::Float4E2M1EXT) } => (1, 2),
            _ => return None,
        };
        Some(Format { fraction_bits, exponent_bits })
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }
}

/// The bits of a number of a type: `-1`, `0xff`, `1.5`, `0x1.8p+0`.
///
/// # Errors
/// A message when the text is not a number of the type.
pub fn parse_number(text: &str, ty: Type<'_>) -> Result<u64, String> {
    match ty {
        Type::Int { width, signed } => parse_integer(text, width, signed),
        Type::Float { .. } => parse_float(text, ty),
        _ => Err("a number whose type is not an integer or float".to_owned()),
    }
}

/// An integer; its bits are extended to 64 by its sign.
pub(crate) fn parse_integer(text: &str, width: u32, signed: bool) -> Result<u64, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u128::from_str_radix(digits, 16),
        None => digits.parse::<u128>(),
    };
    let magnitude = magnitude.map_err(|_| format!("'{text}' is not an integer"))?;
    let width = width.clamp(1, 64);
    // A hexadecimal number gives the bits, so it may set the sign bit.
    let positive_max =
        if signed && hexadecimal.is_none() { (1u128 << (width - 1)) - 1 } else { (1u128 << width) - 1 };
    let negative_max = 1u128 << (width - 1);
    if magnitude > if negative { negative_max } else { positive_max } {
        return Err(format!("{text} does not fit {width} bits"));
    }
    let bits = if negative { (magnitude as u64).wrapping_neg() } else { magnitude as u64 };
    let shift = 64 - width;
    Ok(if signed { ((bits << shift) as i64 >> shift) as u64 } else { bits << shift >> shift })
}

fn parse_float(text: &str, ty: Type<'_>) -> Result<u64, String> {
    let format = Format::of(ty).ok_or("literals of this float type can only be written as !bits")?;
    let is_hexadecimal = text.trim_start_matches(['-', '+']).to_ascii_lowercase().starts_with("0x");
    if is_hexadecimal {
        return hexadecimal_float(text, format)
            .ok_or_else(|| format!("'{text}' is not a hexadecimal float, or not exactly representable"));
    }
    let malformed = |_| format!("'{text}' is not a float");
    Ok(match (format.fraction_bits, format.exponent_bits) {
        (52, _) => text.parse::<f64>().map_err(malformed)?.to_bits(),
        (23, _) => u64::from(text.parse::<f32>().map_err(malformed)?.to_bits()),
        (10, _) => u64::from(float16::f16_bits(text.parse().map_err(malformed)?)),
        (7, _) => u64::from(float16::bf16_bits(text.parse().map_err(malformed)?)),
        _ => {
            // Floats of at most eight bits: exact values only.
            let value: f64 = text.parse().map_err(malformed)?;
            let text = hexadecimal_text(value.to_bits(), Format { fraction_bits: 52, exponent_bits: 11 });
            hexadecimal_float(&text, format)
                .ok_or_else(|| format!("'{text}' is not exactly representable"))?
        }
    })
}

/// `[-]0xH.HpE` as bits; none when malformed or not exactly representable.
fn hexadecimal_float(text: &str, format: Format) -> Option<u64> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let (digits, exponent) = match rest.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    if exponent.abs() > 1 << 20 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa = 0u64;
    for digit in whole.chars().chain(fraction.chars()) {
        if mantissa >> 60 != 0 {
            return None;
        }
        mantissa = mantissa << 4 | u64::from(digit.to_digit(16)?);
    }
    let sign = u64::from(negative) << (format.fraction_bits + format.exponent_bits);
    if mantissa == 0 {
        return Some(sign);
    }
    // The value is 1.fraction * 2^power, with the fraction at the top of 64 bits.
    let leading = i64::from(63 - mantissa.leading_zeros());
    let power = exponent - 4 * fraction.len() as i64 + leading;
    let fraction = if leading == 0 { 0 } else { mantissa << (64 - leading) };
    let biased = power + format.bias();
    let exponent_max = (1i64 << format.exponent_bits) - 1;
    let (biased, significand, drop) = if biased > exponent_max {
        return None;
    } else if biased >= 1 {
        (biased as u64, fraction, 64 - format.fraction_bits)
    } else {
        // Subnormal: the leading one becomes part of the fraction.
        let shift = u32::try_from(1 - biased).ok().filter(|shift| *shift < 64)?;
        let with_one = fraction >> 1 | 1 << 63;
        if with_one << (64 - (shift - 1)).min(63) != 0 && shift > 1 {
            return None;
        }
        (0, with_one >> (shift - 1), 64 - format.fraction_bits)
    };
    let kept = significand >> drop;
    if kept << drop != significand {
        return None;
    }
    Some(sign | biased << format.fraction_bits | kept)
}

fn hexadecimal_text(bits: u64, format: Format) -> String {
    let sign = if bits >> (format.fraction_bits + format.exponent_bits) & 1 == 1 { "-" } else { "" };
    let biased = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
    let mut fraction = bits & ((1 << format.fraction_bits) - 1);
    if biased == 0 && fraction == 0 {
        return format!("{sign}0x0p+0");
    }
    let mut power = biased as i64 - format.bias();
    if biased == 0 {
        // Subnormal: move the leading one to the front.
        power += 1;
        while fraction >> format.fraction_bits == 0 {
            fraction <<= 1;
            power -= 1;
        }
        fraction &= (1 << format.fraction_bits) - 1;
    }
    let digits = format.fraction_bits.div_ceil(4);
    let aligned = fraction << (digits * 4 - format.fraction_bits);
    let hexadecimal = format!("{aligned:0width$x}", width = digits as usize);
    let hexadecimal = hexadecimal.trim_end_matches('0');
    let point = if hexadecimal.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{hexadecimal}p{power:+}")
}

/// A number of a type as text that [`parse_number`] reads back to the same bits; none for types that are
/// no numbers.
pub(crate) fn number_text(bits: u64, ty: Type<'_>) -> Option<String> {
    match ty {
        Type::Int { width, signed } => {
            let shift = 64 - width.clamp(1, 64);
            Some(if signed {
                ((bits << shift) as i64 >> shift).to_string()
            } else {
                (bits << shift >> shift).to_string()
            })
        }
        Type::Float { .. } => {
            let format = Format::of(ty)?;
            let decimal = match (format.fraction_bits, format.exponent_bits) {
                (52, _) => Some(f64::from_bits(bits)).filter(|v| v.is_finite()).map(|v| format!("{v:?}")),
                (23, _) => {
                    let value = f32::from_bits(bits as u32);
                    Some(value).filter(|v| v.is_finite()).map(|v| format!("{v:?}"))
                }
                (10, _) => {
                    let value = half::f16::from_bits(bits as u16);
                    Some(value).filter(|v| v.is_finite()).map(|v| format!("{:?}", v.to_f32()))
                }
                _ => None,
            };
            Some(decimal.unwrap_or_else(|| hexadecimal_text(bits, format)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F16: Type<'static> = Type::Float { width: 16, encoding: None };
    const F32: Type<'static> = Type::Float { width: 32, encoding: None };
    const F64: Type<'static> = Type::Float { width: 64, encoding: None };
    const E4M3: Type<'static> = Type::Float { width: 8, encoding: Some(FPEncoding::Float8E4M3EXT) };
    const BF16: Type<'static> = Type::Float { width: 16, encoding: Some(FPEncoding::BFloat16KHR) };

    #[test]
    fn every_small_float_reads_back() {
        for (ty, count) in [(F16, 1u64 << 16), (BF16, 1 << 16), (E4M3, 1 << 8)] {
            for bits in 0..count {
                let text = number_text(bits, ty).unwrap();
                assert_eq!(parse_number(&text, ty), Ok(bits), "{text}");
            }
        }
    }

    #[test]
    fn wide_floats_read_back() {
        let mut state = 1u64;
        for round in 0..20_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round | 1);
            let bits32 = state >> 32;
            assert_eq!(parse_number(&number_text(bits32, F32).unwrap(), F32), Ok(bits32));
            let format32 = Format::of(F32).unwrap();
            assert_eq!(hexadecimal_float(&hexadecimal_text(bits32, format32), format32), Some(bits32));
            // Few exponent bits make subnormals likely.
            let subnormal = bits32 & 0x807f_ffff;
            assert_eq!(hexadecimal_float(&hexadecimal_text(subnormal, format32), format32), Some(subnormal));
            assert_eq!(parse_number(&number_text(state, F64).unwrap(), F64), Ok(state));
        }
    }

    #[test]
    fn integers_keep_their_range() {
        let byte = Type::Int { width: 8, signed: true };
        assert_eq!(parse_number("-128", byte), Ok(-128i64 as u64));
        assert_eq!(parse_number("0xff", byte), Ok(-1i64 as u64));
        assert!(parse_number("128", byte).is_err());
        assert!(parse_number("-129", byte).is_err());
        assert_eq!(parse_number("0x1p-149", F32), Ok(1));
        assert!(parse_number("0x1p-150", F32).is_err());
        assert_eq!(parse_number("0x1.8p+128", F32), Ok(0x7fc0_0000));
        assert_eq!(parse_number("1.5", F32), Ok(0x3fc0_0000));
        let wide = Type::Int { width: 64, signed: false };
        assert_eq!(parse_number("18446744073709551615", wide), Ok(u64::MAX));
    }
}
