//! Prints: a format with a lane's values.
//!
//! Conversions do what C's `printf` does. A conversion whose value is missing or is of another kind prints
//! what there is, never nonsense read as something else: integers as integers, floats as floats.

use crate::report::Record;
use pyro_abi::report::{SiteTable, ValueType};
use pyro_util::printf::{Conversion, Flags, Piece, Spec, parse};

/// What a lane prints.
pub(crate) fn text(record: &Record, lane: u32) -> String {
    let format = &record.site().text;
    let values = record.site_values(lane);
    let mut values = values.iter().map(|(value, components)| (value.ty, &components[..]));
    // A malformed format is printed as it stands.
    let Ok(pieces) = parse(format) else { return format.clone() };
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out += &text,
            Piece::Value(spec) => value(&mut out, &spec, values.next(), &record.sites),
        }
    }
    out
}

/// A conversion of a value, if there is one that can be shown.
fn value(out: &mut String, spec: &Spec, value: Option<(ValueType, &[u64])>, table: &SiteTable) {
    let Some((ty, components)) = value.filter(|(_, components)| !components.is_empty()) else {
        *out += "(none)";
        return;
    };
    for index in 0..spec.components as usize {
        if index > 0 {
            *out += ", ";
        }
        match components.get(index) {
            Some(&bits) => scalar(out, spec, ty, bits, table),
            None => *out += "(none)",
        }
    }
}

/// A float's value, if it is one.
fn as_float(ty: ValueType, bits: u64) -> Option<f64> {
    match ty {
        ValueType::Float => Some(f32::from_bits(bits as u32).into()),
        ValueType::Float64 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

fn scalar(out: &mut String, spec: &Spec, ty: ValueType, bits: u64, table: &SiteTable) {
    let Spec { flags, width, precision, .. } = *spec;
    if spec.conversion == Conversion::String || ty == ValueType::String {
        let text = table.strings.get(bits as usize).filter(|_| ty == ValueType::String);
        let text = text.map_or("(none)", String::as_str);
        let shown: String = text.chars().take(precision.map_or(usize::MAX, |count| count as usize)).collect();
        return pad(out, flags, width, "", &shown, false);
    }
    let is_wide = matches!(ty, ValueType::Signed64 | ValueType::Unsigned64 | ValueType::Address);
    if let Some(float) = as_float(ty, bits) {
        let spec = match spec.conversion.is_float() {
            true => *spec,
            false => Spec { conversion: Conversion::Fixed, precision: None, ..*spec },
        };
        return print_float(out, &spec, float);
    }
    let signed = match ty {
        ValueType::Signed => i64::from(bits as u32 as i32),
        _ => bits as i64,
    };
    let unsigned = if is_wide { bits } else { u64::from(bits as u32) };
    match spec.conversion {
        Conversion::Signed => {
            let value = if ty == ValueType::Unsigned { i64::from(bits as u32 as i32) } else { signed };
            integer(out, spec, sign_of(flags, value < 0), "", &value.unsigned_abs().to_string());
        }
        Conversion::Octal => {
            let prefix = if flags.alternate && unsigned != 0 { "0" } else { "" };
            integer(out, spec, "", prefix, &format!("{unsigned:o}"));
        }
        Conversion::Hexadecimal => {
            let prefix = match (flags.alternate && unsigned != 0, flags.upper) {
                (false, _) => "",
                (_, false) => "0x",
                (_, true) => "0X",
            };
            let digits = if flags.upper { format!("{unsigned:X}") } else { format!("{unsigned:x}") };
            integer(out, spec, "", prefix, &digits);
        }
        Conversion::Pointer => integer(out, spec, "", "0x", &format!("{unsigned:x}")),
        Conversion::Unsigned => integer(out, spec, "", "", &unsigned.to_string()),
        // Floats of integers are integers.
        _ if matches!(ty, ValueType::Signed | ValueType::Signed64) => {
            integer(out, spec, sign_of(flags, signed < 0), "", &signed.unsigned_abs().to_string());
        }
        _ => integer(out, spec, "", "", &unsigned.to_string()),
    }
}

fn sign_of(flags: Flags, negative: bool) -> &'static str {
    match (negative, flags.plus, flags.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(out: &mut String, spec: &Spec, sign: &str, prefix: &str, digits: &str) {
    let is_float = spec.conversion.is_float();
    let precision = spec.precision.filter(|_| !is_float);
    let least = precision.unwrap_or(1) as usize;
    // A zero with the precision zero has no digits.
    let digits = if least == 0 && digits == "0" { "" } else { digits };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    let front = format!("{sign}{prefix}");
    pad(out, spec.flags, spec.width, &front, &format!("{zeros}{digits}"), precision.is_none());
}

fn print_float(out: &mut String, spec: &Spec, value: f64) {
    let sign = sign_of(spec.flags, value.is_sign_negative() && !value.is_nan());
    let magnitude = value.abs();
    let text = match spec.conversion {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => "inf".to_owned(),
        Conversion::Exponent => {
            exponent(magnitude, spec.precision.unwrap_or(6) as usize, spec.flags.alternate)
        }
        Conversion::General => general(magnitude, spec.precision.unwrap_or(6), spec.flags.alternate),
        Conversion::HexFloat => hex_float(magnitude, spec.precision),
        _ => {
            let precision = spec.precision.unwrap_or(6) as usize;
            let point = if precision == 0 && spec.flags.alternate { "." } else { "" };
            format!("{magnitude:.precision$}{point}")
        }
    };
    let text = if spec.flags.upper { text.to_uppercase() } else { text };
    let (prefix, text) = match text.split_at_checked(2) {
        Some((prefix @ ("0x" | "0X"), rest)) => (prefix, rest),
        _ => ("", &text[..]),
    };
    pad(out, spec.flags, spec.width, &format!("{sign}{prefix}"), text, value.is_finite());
}

/// As `%e`: one digit before the point, two digits of the exponent at least.
fn exponent(magnitude: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let point = if precision == 0 && alternate { "." } else { "" };
    format!("{digits}{point}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// As `%g`: so many significant digits, in the shorter form, without zeros at the end.
fn general(magnitude: f64, precision: u32, alternate: bool) -> String {
    let significant = precision.max(1) as usize;
    let probe = format!("{magnitude:.0$e}", significant - 1);
    let power: i32 = probe.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let strip = |text: &str| match text.contains('.') && !alternate {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if power < -4 || power >= significant as i32 {
        let text = exponent(magnitude, significant - 1, alternate);
        let (digits, power) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{power}", strip(digits));
    }
    let decimals = (significant as i32 - 1 - power).max(0) as usize;
    strip(&format!("{magnitude:.decimals$}"))
}

/// As `%a`: hexadecimal digits of the significand, and the power of two.
fn hex_float(magnitude: f64, precision: Option<u32>) -> String {
    const MANTISSA_BITS: u32 = 52;
    const DIGITS: u32 = MANTISSA_BITS / 4;
    let bits = magnitude.to_bits();
    let (raw, mut mantissa) = (bits >> MANTISSA_BITS, bits & ((1 << MANTISSA_BITS) - 1));
    let mut power = raw as i64 - 1023;
    let mut lead = 1;
    if raw == 0 {
        (lead, power) = (0, if mantissa == 0 { 0 } else { -1022 });
    }
    if let Some(digits) = precision.filter(|&digits| digits < DIGITS) {
        let cut = 4 * (DIGITS - digits);
        let whole = lead << MANTISSA_BITS | mantissa;
        let (half, rest) = (1u64 << (cut - 1), whole & ((1 << cut) - 1));
        let mut kept = whole >> cut;
        if rest > half || rest == half && kept & 1 != 0 {
            kept += 1;
        }
        let whole = kept << cut;
        (lead, mantissa) = (whole >> MANTISSA_BITS, whole & ((1 << MANTISSA_BITS) - 1));
    }
    let all = format!("{mantissa:013x}");
    let digits = match precision {
        None => all.trim_end_matches('0').to_owned(),
        Some(count) => format!("{all:0<width$}", width = count as usize)[..count as usize].to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if power < 0 { "" } else { "+" };
    format!("0x{lead}{point}{digits}p{sign}{power}")
}

/// Text behind a sign and prefix in a field; `by_zeros`: it may be filled with zeros.
fn pad(out: &mut String, flags: Flags, width: u32, front: &str, text: &str, by_zeros: bool) {
    let missing = (width as usize).saturating_sub(front.chars().count() + text.chars().count());
    let (before, zeros, after) = match (flags.left, flags.zero && by_zeros) {
        (true, _) => (0, 0, missing),
        (_, true) => (0, missing, 0),
        _ => (missing, 0, 0),
    };
    out.extend(std::iter::repeat_n(' ', before));
    *out += front;
    out.extend(std::iter::repeat_n('0', zeros));
    *out += text;
    out.extend(std::iter::repeat_n(' ', after));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str, ty: ValueType, components: &[u64]) -> String {
        let mut out = String::new();
        let table = SiteTable { strings: vec!["text".to_owned()], ..SiteTable::default() };
        for piece in parse(format).expect("a format") {
            match piece {
                Piece::Text(text) => out += &text,
                Piece::Value(spec) => value(&mut out, &spec, Some((ty, components)), &table),
            }
        }
        out
    }

    fn float(format: &str, value: f64) -> String {
        one(format, ValueType::Float64, &[value.to_bits()])
    }

    #[test]
    fn integers_print_as_in_c() {
        let signed = |format: &str, value: i32| one(format, ValueType::Signed, &[u64::from(value as u32)]);
        let unsigned = |format: &str, value: u32| one(format, ValueType::Unsigned, &[u64::from(value)]);
        assert_eq!(signed("[%d]", -7), "[-7]");
        assert_eq!(signed("[%+5i]", 7), "[   +7]");
        assert_eq!(signed("[%-5d]", -7), "[-7   ]");
        assert_eq!(signed("[%05d]", -7), "[-0007]");
        assert_eq!(signed("[%5.3d]", -7), "[ -007]");
        assert_eq!(signed("[% d]", 7), "[ 7]");
        assert_eq!(unsigned("%u", u32::MAX), "4294967295");
        assert_eq!(signed("%u", -1), "4294967295");
        assert_eq!(unsigned("%x %X", 0xbeef), "beef BEEF");
        assert_eq!(unsigned("%#x", 0xbeef), "0xbeef");
        assert_eq!(unsigned("%#08X", 0xbeef), "0X00BEEF");
        assert_eq!(unsigned("%o", 8), "10");
        assert_eq!(unsigned("%#o", 8), "010");
        assert_eq!(unsigned("[%.0u]", 0), "[]");
        let wide = 0x1234_5678_9abc_def0;
        assert_eq!(one("%ul", ValueType::Unsigned64, &[u64::MAX]), "18446744073709551615");
        assert_eq!(one("%lx", ValueType::Unsigned64, &[wide]), "123456789abcdef0");
        assert_eq!(one("%ld", ValueType::Signed64, &[-5i64 as u64]), "-5");
        assert_eq!(one("%p", ValueType::Address, &[wide]), "0x123456789abcdef0");
    }

    #[test]
    fn floats_print_as_in_c() {
        assert_eq!(float("%f", 1.5), "1.500000");
        assert_eq!(float("%.2f", -2.345), "-2.35");
        assert_eq!(float("%08.3f", -1.5), "-001.500");
        assert_eq!(float("%e", 12345.678), "1.234568e+04");
        assert_eq!(float("%.1E", 1.25e-7), "1.2E-07");
        assert_eq!(float("%g", 100_000.0), "100000");
        assert_eq!(float("%g", 1_000_000.0), "1e+06");
        assert_eq!(float("%g", 0.0001), "0.0001");
        assert_eq!(float("%g", 0.00001234), "1.234e-05");
        assert_eq!(float("%.3g", 0.0), "0");
        assert_eq!(float("%a", 1.0), "0x1p+0");
        assert_eq!(float("%a", -0.15625), "-0x1.4p-3");
        assert_eq!(float("%.1a", 1.95), "0x1.fp+0");
        assert_eq!(float("%A", 255.0), "0X1.FEP+7");
        assert_eq!(float("%f %E", f64::INFINITY), "inf INF");
        assert_eq!(float("%5f", f64::NAN), "  nan");
        assert_eq!(one("%f", ValueType::Float, &[u64::from(0.1f32.to_bits())]), "0.100000");
    }

    #[test]
    fn vectors_and_strings() {
        let bits = |value: f32| u64::from(value.to_bits());
        let vector = [bits(1.0), bits(-2.0), bits(3.5)];
        assert_eq!(one("%1.1v3f", ValueType::Float, &vector), "1.0, -2.0, 3.5");
        assert_eq!(one("%v4f", ValueType::Float, &vector), "1.000000, -2.000000, 3.500000, (none)");
        assert_eq!(one("%v2u", ValueType::Unsigned, &[3, 4, 5]), "3, 4");
        assert_eq!(one("[%6s]", ValueType::String, &[0]), "[  text]");
        assert_eq!(one("%s", ValueType::String, &[7]), "(none)");
        assert_eq!(one("%s", ValueType::Unsigned, &[0]), "(none)");
    }

    #[test]
    fn values_of_another_kind_print_as_what_they_are() {
        assert_eq!(one("%d", ValueType::Float, &[u64::from(1.5f32.to_bits())]), "1.500000");
        assert_eq!(one("%f", ValueType::Unsigned, &[7]), "7");
        assert_eq!(one("%d", ValueType::Bool, &[1]), "1");
        let mut out = String::new();
        let Piece::Value(spec) = parse("%d").unwrap().remove(0) else { panic!("a conversion") };
        value(&mut out, &spec, None, &SiteTable::default());
        assert_eq!(out, "(none)");
    }
}
