use super::*;
use Opcode as O;
use Scalar::{F16, F32, F64, I1, I8, I16, I32, I64};
use half::f16;
use pyro_random::Random;

#[track_caller]
fn check(op: Opcode, from: Scalar, to: Scalar, args: &[u64], expected: u64) {
    assert_eq!(pure(op, from, to, args, 0), Some(expected), "{} {from:?} {args:x?}", op.name());
}

#[test]
fn integers() {
    check(O::IAdd, I8, I8, &[250, 10], 4);
    check(O::ISub, I16, I16, &[0, 1], 0xffff);
    check(O::IMul, I32, I32, &[0x10001, 0x10001], 0x20001);
    check(O::UMulHigh, I32, I32, &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe);
    check(O::SMulHigh, I32, I32, &[0xffff_ffff, 2], 0xffff_ffff);
    check(O::UMulHigh, I64, I64, &[u64::MAX, u64::MAX], u64::MAX - 1);
    check(O::SMulHigh, I64, I64, &[1 << 63, 1 << 63], 1 << 62);
    check(O::SMulHigh, I8, I8, &[0x80, 0x7f], 0xc0);
    for (scalar, least) in [(I8, 0x80), (I16, 0x8000), (I32, 0x8000_0000), (I64, 1 << 63)] {
        let ones = scalar.mask();
        check(O::UDiv, scalar, scalar, &[7, 0], ones);
        check(O::SDiv, scalar, scalar, &[7, 0], ones);
        check(O::SDiv, scalar, scalar, &[least, ones], least);
        check(O::SDiv, scalar, scalar, &[ones - 6, 2], ones - 2);
        check(O::URem, scalar, scalar, &[7, 0], 7);
        check(O::SRem, scalar, scalar, &[ones - 6, 0], ones - 6);
        check(O::SRem, scalar, scalar, &[least, ones], 0);
        check(O::SRem, scalar, scalar, &[ones - 6, 4], ones - 2);
        check(O::SMin, scalar, scalar, &[least, 1], least);
        check(O::SMax, scalar, scalar, &[least, 1], 1);
        check(O::UMin, scalar, scalar, &[least, 1], 1);
        check(O::UMax, scalar, scalar, &[least, 1], least);
        check(O::Shl, scalar, scalar, &[1, u64::from(scalar.bits()) + 1], 2);
        check(O::LShr, scalar, scalar, &[least, u64::from(scalar.bits()) - 1], 1);
        check(O::AShr, scalar, scalar, &[least, u64::from(scalar.bits()) - 1], ones);
        check(O::CountLeadingZeros, scalar, scalar, &[0], scalar.bits().into());
        check(O::CountLeadingZeros, scalar, scalar, &[1], u64::from(scalar.bits()) - 1);
        check(O::CountTrailingZeros, scalar, scalar, &[0], scalar.bits().into());
        check(O::CountTrailingZeros, scalar, scalar, &[least], u64::from(scalar.bits()) - 1);
        check(O::BitReverse, scalar, scalar, &[1], least);
        check(O::PopCount, scalar, scalar, &[ones], scalar.bits().into());
        check(O::Not, scalar, scalar, &[0], ones);
        check(O::SLt, scalar, I1, &[least, 0], 1);
        check(O::ULt, scalar, I1, &[least, 0], 0);
        check(O::SLe, scalar, I1, &[ones, ones], 1);
        check(O::ULe, scalar, I1, &[ones, 1], 0);
        check(O::SignExtend, I1, scalar, &[1], ones);
        check(O::ZeroExtend, I1, scalar, &[1], 1);
    }
    check(O::AndNot, I8, I8, &[0b1100, 0b1010], 0b0100);
    check(O::Not, I1, I1, &[0], 1);
    check(O::IEq, I1, I1, &[1, 1], 1);
    check(O::INe, I1, I1, &[1, 1], 0);
    check(O::SignExtend, I8, I32, &[0x80], 0xffff_ff80);
    check(O::ZeroExtend, I8, I32, &[0x80], 0x80);
    check(O::Truncate, I64, I8, &[0x1234], 0x34);
    check(O::Select, F32, F32, &[1, 7, 9], 7);
    check(O::Select, F32, F32, &[0, 7, 9], 9);
}

#[test]
fn products_of_bytes() {
    check(O::DotFourBytes, I32, I32, &[0xffff_ffff, 0x8080_8080], (-4 * 255 * 128i64) as u64 & 0xffff_ffff);
    check(O::DotFourBytes, I32, I32, &[0x0403_0201, 0xff01_ff01], (1 - 2 + 3 - 4i64) as u64 & 0xffff_ffff);
    check(O::DotFourBytes, I64, I64, &[0x0000_0002_0000_0001, 0x0000_0003_0000_00ff], 0x0000_0006_ffff_ffff);
    check(O::DotFourBytes, I16, I16, &[0xffff, 0x7f7f], 2 * 255 * 127);
    check(O::DotFourBytes, I8, I8, &[200, 3], 600 & 0xff);
}

#[test]
fn floats() {
    let one = 1f32.to_bits().into();
    let nan = u64::from(f32::NAN.to_bits());
    let zero = 0;
    let minus_zero = u64::from((-0f32).to_bits());
    check(O::FMin, F32, F32, &[one, nan], nan);
    check(O::FMin, F32, F32, &[nan, one], one);
    check(O::FMin, F32, F32, &[zero, minus_zero], minus_zero);
    check(O::FMin, F32, F32, &[minus_zero, zero], zero);
    check(O::FMax, F32, F32, &[zero, minus_zero], minus_zero);
    check(O::FMax, F32, F32, &[nan, one], one);
    check(O::FNeg, F32, F32, &[nan], nan | 0x8000_0000);
    check(O::FAbs, F64, F64, &[(-2f64).to_bits()], 2f64.to_bits());
    check(O::FSqrt, F32, F32, &[minus_zero], minus_zero);
    check(O::FSqrt, F16, F16, &[0x4000], 0x3da8);
    check(O::FRound, F32, F32, &[2.5f32.to_bits().into()], 2f32.to_bits().into());
    check(O::FRound, F64, F64, &[(-0.5f64).to_bits()], (-0f64).to_bits());
    check(O::FEq, F32, I1, &[zero, minus_zero], 1);
    check(O::FNe, F32, I1, &[nan, nan], 1);
    check(O::FLe, F32, I1, &[nan, nan], 0);
    check(O::FLt, F16, I1, &[0x8001, 0], 1);
    check(O::FAdd, F16, F16, &[0x7bff, 0x4c00], 0x7c00);
    check(O::FAdd, F16, F16, &[0x7bff, 0x4bff], 0x7bff);
    // One rounding: (1 + 2^-23)^2 - 1 keeps the product's last bit.
    let next = u64::from(0x3f80_0001u32);
    let expected = 2f32.powi(-22) + 2f32.powi(-46);
    check(O::FFma, F32, F32, &[next, next, (-1f32).to_bits().into()], expected.to_bits().into());
    // A tail far below the midpoint's tie decides: 2048 + 1 + 2^-24 rounds up, 2048 + 1 - 2^-24 down.
    check(O::FFma, F16, F16, &[0x6801, 0x3c00, 0x0001], 0x6801);
    check(O::FFma, F16, F16, &[0x0001, 0x3c00, 0x6801], 0x6801);
    let product = [f16::from_f32(683.0).to_bits().into(), f16::from_f32(3.0).to_bits().into()];
    check(O::FFma, F16, F16, &[product[0], product[1], 0x0001], f16::from_f32(2050.0).to_bits().into());
    check(O::FFma, F16, F16, &[product[0], product[1], 0x8001], f16::from_f32(2048.0).to_bits().into());
}

#[test]
fn conversions() {
    let f = |value: f32| u64::from(value.to_bits());
    check(O::FToS, F32, I32, &[f(-1.9)], 0xffff_ffff);
    check(O::FToS, F32, I32, &[f(3e9)], 0x7fff_ffff);
    check(O::FToS, F32, I8, &[f(-200.0)], 0x80);
    check(O::FToS, F32, I64, &[f(f32::NAN)], 0);
    check(O::FToU, F32, I32, &[f(-1.0)], 0);
    check(O::FToU, F32, I16, &[f(1e9)], 0xffff);
    check(O::FToU, F64, I64, &[1e30f64.to_bits()], u64::MAX);
    check(O::FToU, F16, I32, &[0x7bff], 65504);
    check(O::SToF, I32, F32, &[0xffff_ffff], f(-1.0));
    check(O::UToF, I32, F32, &[0xffff_ffff], f(4294967296.0));
    check(O::UToF, I64, F16, &[65519], 0x7bff);
    check(O::UToF, I64, F16, &[65520], 0x7c00);
    check(O::SToF, I8, F16, &[0x80], 0xd800);
    check(O::SToF, I64, F32, &[0], 0);
    check(O::FromBfloat, I16, F32, &[0x3f80], f(1.0));
    check(O::ToBfloat, F32, I16, &[0x3f80_8000], 0x3f80);
    check(O::ToBfloat, F32, I16, &[0x3f81_8000], 0x3f82);
    check(O::ToBfloat, F32, I16, &[0x7f7f_ffff], 0x7f80);
    check(O::ToBfloat, F32, I16, &[0x7f80_0001], 0x7fc0);
    check(O::FConvert, F32, F16, &[0x7f80_0001], 0x7e00);
    check(O::FConvert, F32, F16, &[0xffc0_2000], 0xfe01);
    check(O::FConvert, F16, F32, &[0x7c01], 0x7fc0_2000);
    check(O::FConvert, F64, F32, &[1], 0);
    check(O::Bitcast, F16, I16, &[0x1234], 0x1234);
    let toward_zero = |from, to, bits| pure(O::FConvert, from, to, &[bits], 1);
    assert_eq!(toward_zero(F32, F16, f(65520.0)), Some(0x7bff));
    assert_eq!(toward_zero(F32, F16, f(-1e30)), Some(0xfbff));
    assert_eq!(toward_zero(F32, F16, f(f32::INFINITY)), Some(0x7c00));
    assert_eq!(toward_zero(F64, F32, 0.1f64.to_bits()), Some(f(0.099_999_994)));
    assert_eq!(toward_zero(F64, F32, 2f64.powi(-149).to_bits() + 1), Some(1));
    assert_eq!(toward_zero(F64, F32, 2f64.powi(-149).to_bits() - 1), Some(0));
}

/// The integer-only rounding agrees with the host's conversions.
#[test]
fn rounding_agrees_with_the_host() {
    let mut random = Random::new(1);
    for _ in 0..200_000 {
        let bits = random.bits();
        let double = f64::from_bits(bits);
        let narrow = pure(O::FConvert, F64, F32, &[bits], 0).unwrap() as u32;
        assert!(double.is_nan() || narrow == (double as f32).to_bits(), "{double:e}");
        // The random exponent rarely lies in f32's range; pull it there.
        let double = f64::from_bits(bits & !(0x7ff << 52) | (1023 - 150 + (bits >> 52) % 290) << 52);
        let narrow = pure(O::FConvert, F64, F32, &[double.to_bits()], 0).unwrap() as u32;
        assert_eq!(narrow, (double as f32).to_bits(), "{double:e}");
        let truncated = f32::from_bits(pure(O::FConvert, F64, F32, &[double.to_bits()], 1).unwrap() as u32);
        assert!(truncated.abs() as f64 <= double.abs());
        assert!((f32::from_bits(truncated.to_bits() + 1) as f64).abs() > double.abs());
        let shifted = bits >> (random.bits() & 63);
        check(O::UToF, I64, F32, &[shifted], (shifted as f32).to_bits().into());
        check(O::SToF, I64, F32, &[shifted], (shifted as i64 as f32).to_bits().into());
        check(O::UToF, I64, F64, &[shifted], (shifted as f64).to_bits());
        check(O::SToF, I64, F64, &[shifted], (shifted as i64 as f64).to_bits());
    }
}

/// Every f16 goes to f32 and back unchanged, in both roundings, and every midpoint ties to even.
#[test]
fn all_halves() {
    for bits in 0..=0xffffu64 {
        let wide = pure(O::FConvert, F16, F32, &[bits], 0).unwrap();
        let value = f16::from_bits(bits as u16);
        if value.is_nan() {
            assert_eq!(wide & 0x7fff_ffff, 0x7fc0_0000 | (bits & 0x3ff) << 13);
            continue;
        }
        assert_eq!(wide as u32, value.to_f32_const().to_bits());
        for imm in [0, 1] {
            assert_eq!(pure(O::FConvert, F32, F16, &[wide], imm), Some(bits));
        }
        if bits & 0x7fff < 0x7c00 {
            let next = pure(O::FConvert, F16, F64, &[bits + 1], 0).unwrap();
            let here = pure(O::FConvert, F16, F64, &[bits], 0).unwrap();
            let (here, next) = (f64::from_bits(here), f64::from_bits(next));
            // The step above the largest number is as wide as the one below it.
            let next = if next.is_infinite() { 65536f64.copysign(here) } else { next };
            let middle = ((here + next) / 2.0).to_bits();
            let even = bits + (bits & 1);
            check(O::FConvert, F64, F16, &[middle], even);
            check(O::FConvert, F64, F16, &[middle - 1], bits);
            check(O::FConvert, F64, F16, &[middle + 1], bits + 1);
            assert_eq!(pure(O::FConvert, F64, F16, &[middle + 1], 1), Some(bits));
        }
    }
}

/// Fused f16 results against exact integer arithmetic: every finite f16 is a multiple of 2^-24, so that
/// `a * b + c` is an exact multiple of 2^-48.
#[test]
fn half_fma_is_exact() {
    let fixed = |bits: u64| {
        (f64::from_bits(pure(O::FConvert, F16, F64, &[bits], 0).unwrap()) * 2f64.powi(24)) as i128
    };
    let mut random = Random::new(2);
    for _ in 0..300_000 {
        let bits = random.bits();
        let args = [bits & 0xffff, bits >> 16 & 0xffff, bits >> 32 & 0xffff];
        if args.iter().any(|arg| arg & 0x7c00 == 0x7c00) {
            continue;
        }
        let [a, b, c] = args.map(fixed);
        let exact = a * b + (c << 24);
        let result = pure(O::FFma, F16, F16, &args, 0).unwrap();
        if result & 0x7fff == 0x7c00 {
            assert!(exact.abs() >= 65520 << 48, "{args:x?}");
            continue;
        }
        // No neighbour is nearer, and where two are as near, the even one is taken.
        let error = ((fixed(result) << 24) - exact).abs();
        for neighbour in [result.wrapping_sub(1) & 0xffff, result + 1] {
            if neighbour & 0x7c00 != 0x7c00 && (neighbour ^ result) & 0x8000 == 0 {
                let other = ((fixed(neighbour) << 24) - exact).abs();
                assert!(error < other || error == other && result & 1 == 0, "{args:x?}");
            }
        }
    }
}

#[test]
fn atomics() {
    assert_eq!(atomic(O::AtomicAdd, I8, 250, 10), Some(4));
    assert_eq!(atomic(O::AtomicSMin, I32, 1, 0xffff_ffff), Some(0xffff_ffff));
    assert_eq!(atomic(O::AtomicExchange, F16, 1, 2), Some(2));
    let f = |value: f32| u64::from(value.to_bits());
    assert_eq!(atomic(O::AtomicFAdd, F32, f(1.0), f(2.0)), Some(f(3.0)));
    assert_eq!(atomic(O::AtomicFMin, F32, f(1.0), f(f32::NAN)), Some(f(1.0)));
    assert_eq!(atomic(O::AtomicFMin, F32, f(f32::NAN), f(1.0)), Some(f(1.0)));
    assert_eq!(atomic(O::AtomicFMax, F64, 1f64.to_bits(), 2f64.to_bits()), Some(2f64.to_bits()));
    assert_eq!(atomic(O::AtomicAdd, F32, 0, 0), None);
    assert_eq!(atomic(O::AtomicFAdd, I32, 0, 0), None);
    assert_eq!(atomic(O::AtomicCompareExchange, I32, 0, 0), None);
}

/// No operation panics, and results fit their type, whatever types and bits it is asked about.
#[test]
fn results_fit() {
    let mut random = Random::new(3);
    for &op in O::ALL {
        for from in Scalar::ALL {
            for to in Scalar::ALL {
                for round in 0..8 {
                    let mut args = [0; 16].map(|_| random.bits() & from.mask());
                    if round == 0 {
                        args = [0; 16];
                    }
                    let result = pure(op, from, to, &args[..op.arg_count()], round & 1);
                    assert!(result.is_none_or(|bits| bits & !to.mask() == 0), "{}", op.name());
                    assert_eq!(pure(op, from, to, &args[..op.arg_count() + 1], 0), None);
                }
            }
        }
    }
}
