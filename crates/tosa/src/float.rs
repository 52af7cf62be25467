//! Conversions between floating-point types, without branches, so that loops of them become vectors.
//!
//! To narrower types they round to nearest, ties to even. What is beyond the range becomes infinite, or NaN
//! where the type has no infinity (the non-saturating mode of OFP8). NaN stays NaN.

/// From `fp16_t`.
#[inline(always)]
pub fn from_f16(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff) << 13;
    // Scales the exponent's bias, subnormal values too.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    let special = if magnitude >= 0x0f80_0000 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | u32::from(bits & 0x8000) << 16)
}

/// To `fp16_t`.
#[inline(always)]
pub fn to_f16(value: f32) -> u16 {
    narrow(value, 10, 15, Top::Infinity) as u16
}

/// From `bf16_t`.
#[inline(always)]
pub fn from_bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// To `bf16_t`.
#[inline(always)]
pub fn to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | 0x40;
    (if value.is_nan() { nan } else { rounded }) as u16
}

/// From `fp8e5m2_t`, which is the upper half of an `fp16_t`.
#[inline(always)]
pub fn from_f8e5m2(bits: u8) -> f32 {
    from_f16(u16::from(bits) << 8)
}

/// To `fp8e5m2_t`.
#[inline(always)]
pub fn to_f8e5m2(value: f32) -> u8 {
    narrow(value, 2, 15, Top::Infinity) as u8
}

/// From `fp8e4m3_t`.
#[inline(always)]
pub fn from_f8e4m3(bits: u8) -> f32 {
    let magnitude = u32::from(bits & 0x7f) << 20;
    let scaled = f32::from_bits(magnitude) * f32::from_bits((254 - 7) << 23);
    let special = if bits & 0x7f == 0x7f { 0x7fc0_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | u32::from(bits & 0x80) << 24)
}

/// To `fp8e4m3_t`.
#[inline(always)]
pub fn to_f8e4m3(value: f32) -> u8 {
    narrow(value, 3, 7, Top::Nan) as u8
}

/// What the greatest exponent of a type is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    /// Infinity and NaN.
    Infinity,
    /// Numbers, but for the greatest fraction, which is NaN.
    Nan,
}

/// To a type with so many bits of fraction, whose exponents have this bias.
#[inline(always)]
fn narrow(value: f32, fraction: u32, bias: u32, top: Top) -> u32 {
    let exponent_bits = if bias == 15 { 5 } else { 4 };
    let width = 1 + exponent_bits + fraction;
    let drop = 23 - fraction;
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let sign = bits >> 31 << (width - 1);
    // Normal: rounded where bits are dropped, the exponent rebased.
    let odd = magnitude >> drop & 1;
    let rounded = magnitude.wrapping_add((1 << (drop - 1)) - 1 + odd) >> drop;
    let normal = rounded.wrapping_sub((127 - bias) << fraction);
    // Subnormal: a sum with a power of two, whose last place is that of the type's subnormal values, rounds.
    let magic = f32::from_bits((127 - bias + 1 + drop) << 23);
    let subnormal = (f32::from_bits(magnitude) + magic).to_bits().wrapping_sub(magic.to_bits());
    let is_subnormal = magnitude < (127 - bias + 1) << 23;
    let finite = if is_subnormal { subnormal } else { normal };
    let (infinity, nan) = match top {
        Top::Infinity => {
            let infinity = ((1 << exponent_bits) - 1) << fraction;
            (infinity, infinity | 1 << (fraction - 1))
        }
        Top::Nan => ((1 << (width - 1)) - 1, (1 << (width - 1)) - 1),
    };
    let number = if finite > infinity { infinity } else { finite };
    let number = if magnitude > 0x7f80_0000 { nan } else { number };
    sign | number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of bits of a type, by its definition.
    fn value(bits: u32, fraction: u32, exponent_bits: u32, has_infinity: bool) -> f64 {
        let bias = (1 << (exponent_bits - 1)) - 1;
        let exponent = (bits >> fraction & ((1 << exponent_bits) - 1)) as i32;
        let part = f64::from(bits & ((1 << fraction) - 1)) / f64::from(1_u32 << fraction);
        let sign = if bits >> (fraction + exponent_bits) & 1 == 1 { -1.0 } else { 1.0 };
        let all = (1 << exponent_bits) - 1;
        if has_infinity && exponent == all {
            return if part == 0.0 { sign * f64::INFINITY } else { f64::NAN };
        }
        if !has_infinity && exponent == all && part == 1.0 - 1.0 / f64::from(1_u32 << fraction) {
            return f64::NAN;
        }
        let scale = |exponent: i32| 2.0_f64.powi(exponent - bias);
        sign * if exponent == 0 { part * scale(1) } else { (1.0 + part) * scale(exponent) }
    }

    fn same(a: f64, b: f64) -> bool {
        a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative()
    }

    #[test]
    fn narrow_types_mean_what_they_are_defined_as() {
        for bits in 0..=u16::MAX {
            assert!(same(from_f16(bits).into(), value(bits.into(), 10, 5, true)), "{bits:#x}");
        }
        for bits in 0..=u8::MAX {
            assert!(same(from_f8e5m2(bits).into(), value(bits.into(), 2, 5, true)), "{bits:#x}");
            assert!(same(from_f8e4m3(bits).into(), value(bits.into(), 3, 4, false)), "{bits:#x}");
        }
    }

    /// All values of a type, in their order, positive and finite.
    fn positive(fraction: u32, exponent_bits: u32, has_infinity: bool) -> Vec<f64> {
        let all = (0..1_u32 << (fraction + exponent_bits))
            .map(|bits| value(bits, fraction, exponent_bits, has_infinity));
        all.filter(|value| value.is_finite()).collect()
    }

    /// Holds a conversion against the nearest of all values, at values, between them and around the middles.
    fn check(convert: impl Fn(f32) -> u32, fraction: u32, exponent_bits: u32, has_infinity: bool) {
        let values = positive(fraction, exponent_bits, has_infinity);
        let back = |bits| value(bits, fraction, exponent_bits, has_infinity);
        for pair in values.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]) as f32;
            let near = [f32::next_down(middle), middle, f32::next_up(middle), pair[0] as f32, pair[1] as f32];
            for x in near.into_iter().flat_map(|x| [x, -x]) {
                let (lower, upper) = (f64::from(x.abs()) - pair[0], pair[1] - f64::from(x.abs()));
                let is_odd = convert(pair[0] as f32) & 1 == 1;
                let wanted = if lower < upper || lower == upper && !is_odd { pair[0] } else { pair[1] };
                let found = back(convert(x));
                assert!(same(found, wanted.copysign(x.into())), "{x:e}: {found:e} for {wanted:e}");
            }
        }
        // Beyond the greatest, by half of the last step and more.
        let [.., before, last] = values[..] else { unreachable!("more than two values") };
        let step = last - before;
        let limit = (last + step / 2.0) as f32;
        assert_eq!(back(convert(f32::next_down(limit))), last);
        let beyond = if has_infinity { f64::INFINITY } else { f64::NAN };
        // The middle itself goes to the even one, which the greatest is only where it ends in zero.
        assert_eq!(same(back(convert(limit)), beyond), has_infinity);
        for x in [f32::next_up(limit), f32::MAX, f32::INFINITY] {
            assert!(same(back(convert(x)), beyond), "{x:e}");
        }
        assert!(back(convert(f32::NAN)).is_nan() && back(convert(-f32::NAN)).is_nan());
    }

    #[test]
    fn narrowing_rounds_to_the_nearest() {
        check(|x| to_f16(x).into(), 10, 5, true);
        check(|x| to_f8e5m2(x).into(), 2, 5, true);
        check(|x| to_f8e4m3(x).into(), 3, 4, false);
    }

    #[test]
    fn halves_of_words_round_to_the_nearest() {
        for high in (0..=u16::MAX).step_by(7) {
            for low in [0_u32, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let x = f32::from_bits(u32::from(high) << 16 | low);
                let found = from_bf16(to_bf16(x));
                if x.is_nan() {
                    assert!(found.is_nan());
                    continue;
                }
                let up = low > 0x8000 || low == 0x8000 && high & 1 == 1;
                assert_eq!(found.to_bits(), (u32::from(high) + u32::from(up)) << 16, "{x:e}");
            }
        }
    }
}
