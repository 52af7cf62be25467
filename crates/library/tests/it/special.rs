//! Special values and exact functions, against plain references.

use crate::support::{Program, Random};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::math;

type Unary = fn(&mut Builder, Value) -> Value;
type Binary = fn(&mut Builder, Value, Value) -> Value;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// The same bits, or both NaN.
fn same(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

fn unary(build: Unary, x: f32) -> f32 {
    let program = Program::new(16, &[Scalar::F32], |b, args| vec![build(b, args[0])]);
    f32::from_bits(program.one(&[x.to_bits().into()])[0] as u32)
}

fn binary(build: Binary, x: f32, y: f32) -> f32 {
    let program = Program::new(16, &[Scalar::F32; 2], |b, args| vec![build(b, args[0], args[1])]);
    f32::from_bits(program.one(&[x.to_bits().into(), y.to_bits().into()])[0] as u32)
}

#[test]
fn special_values_of_one_argument() {
    use std::f32::consts::{FRAC_PI_2, PI};
    let below_one = 1.0 - f32::EPSILON / 2.0;
    type Row<'a> = (&'a str, Unary, &'a [(f32, f32)]);
    let table: &[Row] = &[
        ("exp", math::exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (89.0, INF)]),
        ("exp2", math::exp2, &[(0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (127.0, 2f32.powi(127))]),
        ("exp2", math::exp2, &[(128.0, INF), (-149.0, f32::from_bits(1)), (-150.0, 0.0), (-1e30, 0.0)]),
        ("log", math::log, &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)]),
        ("log", math::log, &[(-INF, NAN), (-f32::from_bits(1), NAN)]),
        ("log2", math::log2, &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)]),
        ("log2", math::log2, &[(f32::from_bits(1), -149.0), (2f32.powi(127), 127.0), (-INF, NAN)]),
        ("sqrt", math::sqrt, &[(-0.0, -0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)]),
        ("inverse_sqrt", math::inverse_sqrt, &[(0.0, INF), (INF, 0.0), (-1.0, NAN), (0.25, 2.0)]),
        ("sin", math::sin, &[(0.0, 0.0), (-0.0, 0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]),
        ("cos", math::cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (NAN, NAN)]),
        ("tan", math::tan, &[(0.0, 0.0), (-0.0, 0.0), (INF, NAN), (NAN, NAN)]),
        ("asin", math::asin, &[(0.0, 0.0), (-0.0, -0.0), (1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2), (1.1, NAN)]),
        ("asin", math::asin, &[(INF, NAN), (-INF, NAN), (NAN, NAN)]),
        (
            "acos",
            math::acos,
            &[(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (1.1, NAN), (-1.1, NAN), (NAN, NAN)],
        ),
        ("atan", math::atan, &[(0.0, 0.0), (-0.0, -0.0), (INF, FRAC_PI_2), (-INF, -FRAC_PI_2), (NAN, NAN)]),
        (
            "sinh",
            math::sinh,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (INF, INF),
                (-INF, -INF),
                (NAN, NAN),
                (88.8, INF),
                (-89.0, -INF),
                (90.0, INF),
            ],
        ),
        (
            "cosh",
            math::cosh,
            &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (88.8, INF), (-89.0, INF)],
        ),
        ("tanh", math::tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (50.0, 1.0)]),
        ("asinh", math::asinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)]),
        ("acosh", math::acosh, &[(1.0, 0.0), (INF, INF), (0.5, NAN), (-5.0, NAN), (-INF, NAN), (NAN, NAN)]),
        ("atanh", math::atanh, &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (NAN, NAN)]),
        ("fract", math::fract, &[(-1e-20, below_one), (1.25, 0.25), (-1.25, 0.75), (INF, NAN), (NAN, NAN)]),
        (
            "f_sign",
            math::f_sign,
            &[(-0.0, -0.0), (0.0, 0.0), (-3.0, -1.0), (INF, 1.0), (1e-45, 1.0), (NAN, 1.0), (-NAN, 1.0)],
        ),
        ("round", math::round, &[(0.5, 0.0), (1.5, 2.0), (-2.5, -2.0), (-0.2, -0.0), (INF, INF)]),
        ("trunc", math::trunc, &[(-1.9, -1.0), (1.9, 1.0), (-0.9, -0.0)]),
        ("floor", math::floor, &[(-1.1, -2.0), (-0.0, -0.0)]),
        ("ceil", math::ceil, &[(1.1, 2.0), (-0.1, -0.0)]),
        ("radians", math::radians, &[(180.0, PI), (0.0, 0.0)]),
        ("degrees", math::degrees, &[(PI, 180.0), (0.0, 0.0)]),
    ];
    for (name, build, rows) in table {
        for &(x, want) in *rows {
            let got = unary(*build, x);
            assert!(same(got, want), "{name}({x:e}) = {got:e}, not {want:e}");
        }
    }
}

#[test]
fn special_values_of_two_arguments() {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let rows: &[(&str, Binary, f32, f32, f32)] = &[
        ("pow", math::pow, 0.0, 2.0, 0.0),
        ("pow", math::pow, -0.0, 2.0, 0.0),
        ("pow", math::pow, 0.0, -2.0, INF),
        ("pow", math::pow, 0.0, 0.0, 1.0),
        ("pow", math::pow, 5.0, 0.0, 1.0),
        ("pow", math::pow, INF, 0.0, 1.0),
        ("pow", math::pow, INF, 0.5, INF),
        ("pow", math::pow, INF, -0.5, 0.0),
        ("pow", math::pow, 2.0, INF, INF),
        ("pow", math::pow, 2.0, -INF, 0.0),
        ("pow", math::pow, 0.5, INF, 0.0),
        ("pow", math::pow, 0.5, -INF, INF),
        ("pow", math::pow, 1.0, 1e30, 1.0),
        ("pow", math::pow, -2.0, 2.0, NAN),
        ("pow", math::pow, NAN, 0.0, NAN),
        ("pow", math::pow, 2.0, NAN, NAN),
        ("pow", math::pow, 2.0, 10.0, 1024.0),
        ("pow", math::pow, 2.0, -149.0, f32::from_bits(1)),
        ("atan2", math::atan2, 0.0, 0.0, 0.0),
        ("atan2", math::atan2, -0.0, 0.0, -0.0),
        ("atan2", math::atan2, 0.0, -0.0, PI),
        ("atan2", math::atan2, -0.0, -0.0, -PI),
        ("atan2", math::atan2, 0.0, -1.0, PI),
        ("atan2", math::atan2, -0.0, 1.0, -0.0),
        ("atan2", math::atan2, 1.0, 0.0, FRAC_PI_2),
        ("atan2", math::atan2, -1.0, -0.0, -FRAC_PI_2),
        ("atan2", math::atan2, INF, INF, FRAC_PI_4),
        ("atan2", math::atan2, -INF, -INF, -3.0 * FRAC_PI_4),
        ("atan2", math::atan2, 3.0, INF, 0.0),
        ("atan2", math::atan2, 3.0, -INF, PI),
        ("atan2", math::atan2, -INF, 2.0, -FRAC_PI_2),
        ("atan2", math::atan2, NAN, 1.0, NAN),
        ("atan2", math::atan2, 1.0, NAN, NAN),
        ("atan2", math::atan2, INF, NAN, NAN),
        ("atan2", math::atan2, -INF, -NAN, NAN),
        ("atan2", math::atan2, NAN, INF, NAN),
        ("atan2", math::atan2, -NAN, -INF, NAN),
        ("f_min", math::f_min, 1.0, 2.0, 1.0),
        ("f_max", math::f_max, 1.0, 2.0, 2.0),
        ("n_min", math::n_min, NAN, 2.0, 2.0),
        ("n_min", math::n_min, 2.0, NAN, 2.0),
        ("n_min", math::n_min, NAN, NAN, NAN),
        ("n_min", math::n_min, -INF, 2.0, -INF),
        ("n_max", math::n_max, NAN, 2.0, 2.0),
        ("n_max", math::n_max, 2.0, NAN, 2.0),
        ("n_max", math::n_max, -1.0, -2.0, -1.0),
        ("step", math::step, 1.0, 0.5, 0.0),
        ("step", math::step, 1.0, 1.0, 1.0),
    ];
    for &(name, build, x, y, want) in rows {
        let got = binary(build, x, y);
        assert!(same(got, want), "{name}({x:e}, {y:e}) = {got:e}, not {want:e}");
    }
}

/// Limits that are known numbers need no test for NaN; the result is the same.
#[test]
fn n_clamp_with_constant_limits() {
    let general = Program::new(16, &[Scalar::F32; 3], |b, a| vec![math::n_clamp(b, a[0], a[1], a[2])]);
    let constant = Program::new(16, &[Scalar::F32], |b, a| {
        let (low, high) = (b.f32(-0.5), b.f32(2.0));
        let least = math::n_min(b, high, a[0]);
        let greatest = math::n_max(b, low, a[0]);
        vec![math::n_clamp(b, a[0], low, high), least, greatest]
    });
    assert!(constant.operation_count() < general.operation_count());
    for x in [NAN, INF, -INF, 0.0, -0.5, 2.0, 1.5, -3.0, 7.0] {
        let bits = |x: f32| u64::from(x.to_bits());
        let got = constant.one(&[bits(x)]);
        let got = [got[0], got[1], got[2]].map(|bits| f32::from_bits(bits as u32));
        let clamped = general.one(&[bits(x), bits(-0.5), bits(2.0)])[0];
        // Rust's minimum and maximum leave out NaN too.
        assert_eq!(got, [f32::from_bits(clamped as u32), x.min(2.0), x.max(-0.5)]);
    }
}

/// A float type's values for the tests: bits to value, value to bits.
struct FloatType {
    scalar: Scalar,
    value: fn(u64) -> f64,
    bits: fn(f64) -> u64,
}

const FLOATS: [FloatType; 3] = [
    FloatType { scalar: Scalar::F16, value: crate::support::half_value, bits: crate::support::half_bits },
    FloatType {
        scalar: Scalar::F32,
        value: |bits| f32::from_bits(bits as u32).into(),
        bits: |x| (x as f32).to_bits().into(),
    },
    FloatType { scalar: Scalar::F64, value: f64::from_bits, bits: f64::to_bits },
];

impl FloatType {
    /// Random bits, with special values among them.
    fn random(&self, random: &mut Random) -> u64 {
        let special = [0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        match random.below(16) {
            0 => (self.bits)(special[random.below(special.len() as u64) as usize]),
            1 => random.below(1 << (self.scalar.bits() - 12).max(8)),
            2..=4 => (self.bits)((random.bits() as i64 as f64) * 2f64.powi(-60)),
            _ => random.bits() & self.scalar.mask(),
        }
    }

    fn same(&self, x: u64, y: u64) -> bool {
        x == y || (self.value)(x).is_nan() && (self.value)(y).is_nan()
    }
}

#[test]
fn frexp_takes_apart_what_ldexp_puts_together() {
    for float in &FLOATS {
        let program = Program::new(16, &[float.scalar], |b, args| {
            let (significand, exponent) = math::frexp(b, args[0], Scalar::I32);
            let whole = math::ldexp(b, significand, exponent);
            vec![significand, exponent, whole]
        });
        let mut random = Random::new(4);
        let args: Vec<u64> = (0..20_000).map(|_| float.random(&mut random)).collect();
        let results = program.run(&[&args], None);
        for (lane, &x) in args.iter().enumerate() {
            let [significand, exponent, whole] = [0, 1, 2].map(|result| results[result][lane]);
            let magnitude = (float.value)(significand).abs();
            let value = (float.value)(x);
            if value == 0.0 || !value.is_finite() {
                assert!(float.same(significand, x) && exponent == 0, "{value:e}");
            } else {
                assert!((0.5..1.0).contains(&magnitude), "{value:e}: {magnitude}");
            }
            assert!(float.same(whole, x), "{:?} {value:e}", float.scalar);
        }
    }
}

/// `x * 2^n` rounded once, by exact integer arithmetic on the significand.
fn scaled(float: &FloatType, x: u64, n: i64) -> u64 {
    let value = (float.value)(x);
    if value == 0.0 || !value.is_finite() {
        return x;
    }
    let (fraction_bits, bias) = match float.scalar {
        Scalar::F16 => (10, 15),
        Scalar::F32 => (23, 127),
        _ => (52, 1023i64),
    };
    let sign = x & 1 << (float.scalar.bits() - 1);
    let bits = x & !sign;
    let field = (bits >> fraction_bits) as i64;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let mut significand = if field == 0 { fraction } else { fraction | 1 << fraction_bits };
    let mut exponent = field.max(1) + n;
    while significand >> fraction_bits == 0 {
        significand <<= 1;
        exponent -= 1;
    }
    let result = if exponent > 2 * bias {
        (2 * bias as u64 + 1) << fraction_bits
    } else if exponent >= 1 {
        ((exponent as u64) << fraction_bits) + (significand - (1 << fraction_bits))
    } else {
        let shift = (1 - exponent).min(63) as u32;
        let kept = significand >> shift;
        let lost = significand - (kept << shift);
        let half = 1u64 << (shift - 1);
        kept + u64::from(lost > half || lost == half && kept & 1 == 1)
    };
    sign | result
}

#[test]
fn ldexp_rounds_once() {
    for float in &FLOATS {
        for int in [Scalar::I16, Scalar::I32, Scalar::I64] {
            let program =
                Program::new(16, &[float.scalar, int], |b, args| vec![math::ldexp(b, args[0], args[1])]);
            let mut random = Random::new(5);
            let (mut x, mut n) = (Vec::new(), Vec::new());
            for _ in 0..20_000 {
                x.push(float.random(&mut random));
                let range = if random.below(8) == 0 { i64::from(i16::MAX) } else { 2200 };
                let exponent = (random.bits() as i64) % range;
                n.push(if random.below(2) == 0 { exponent } else { exponent % 300 });
            }
            let bits: Vec<u64> = n.iter().map(|&n| n as u64 & int.mask()).collect();
            let results = program.run(&[&x, &bits], None);
            for (lane, (&x, &n)) in x.iter().zip(&n).enumerate() {
                let want = scaled(float, x, n);
                let got = results[0][lane];
                assert!(
                    float.same(got, want),
                    "{:?}: {:e} * 2^{n} = {got:x}, not {want:x}",
                    float.scalar,
                    (float.value)(x)
                );
            }
        }
    }
}

#[test]
fn modf_splits() {
    for float in &FLOATS {
        let program = Program::new(16, &[float.scalar], |b, args| {
            let (fraction, whole) = math::modf(b, args[0]);
            vec![fraction, whole]
        });
        let mut random = Random::new(6);
        let args: Vec<u64> = (0..20_000).map(|_| float.random(&mut random)).collect();
        let results = program.run(&[&args], None);
        for (lane, &x) in args.iter().enumerate() {
            let value = (float.value)(x);
            let whole = value.trunc();
            let fraction = if value.is_infinite() { 0.0 } else { value - whole }.copysign(value);
            assert!(float.same(results[0][lane], (float.bits)(fraction)), "{value:e}");
            assert!(float.same(results[1][lane], (float.bits)(whole)), "{value:e}");
        }
    }
}

#[test]
fn unpacking_is_correctly_rounded() {
    let bytes: Vec<u64> = (0..256).map(|byte| byte * 0x0101_0101).collect();
    let halves: Vec<u64> = (0..65536).map(|half| half * 0x0001_0001).collect();
    let check = |args: &[u64], build: fn(&mut Builder, Value) -> Vec<Value>, want: &dyn Fn(u64) -> f32| {
        let program = Program::new(16, &[Scalar::I32], |b, a| build(b, a[0]));
        for component in program.run(&[args], None) {
            for (&word, &got) in args.iter().zip(&component) {
                let (got, want) = (f32::from_bits(got as u32), want(word));
                assert!(same(got, want), "{word:x}: {got:e}, not {want:e}");
            }
        }
    };
    let unorm4: fn(&mut Builder, Value) -> Vec<Value> = |b, x| math::unpack_unorm_4x8(b, x).to_vec();
    check(&bytes, unorm4, &|word| (word & 0xff) as f32 / 255.0);
    let snorm4: fn(&mut Builder, Value) -> Vec<Value> = |b, x| math::unpack_snorm_4x8(b, x).to_vec();
    check(&bytes, snorm4, &|word| (f32::from(word as i8) / 127.0).max(-1.0));
    let unorm2: fn(&mut Builder, Value) -> Vec<Value> = |b, x| math::unpack_unorm_2x16(b, x).to_vec();
    check(&halves, unorm2, &|word| (word & 0xffff) as f32 / 65535.0);
    let snorm2: fn(&mut Builder, Value) -> Vec<Value> = |b, x| math::unpack_snorm_2x16(b, x).to_vec();
    check(&halves, snorm2, &|word| (f32::from(word as i16) / 32767.0).max(-1.0));
    let half2: fn(&mut Builder, Value) -> Vec<Value> = |b, x| math::unpack_half_2x16(b, x).to_vec();
    check(&halves, half2, &|word| crate::support::half_value(word & 0xffff) as f32);
}

#[test]
fn packing_rounds_and_clamps() {
    let four = |build: fn(&mut Builder, [Value; 4]) -> Value| {
        Program::new(16, &[Scalar::F32; 4], move |b, a| vec![build(b, [a[0], a[1], a[2], a[3]])])
    };
    let two = |build: fn(&mut Builder, [Value; 2]) -> Value| {
        Program::new(16, &[Scalar::F32; 2], move |b, a| vec![build(b, [a[0], a[1]])])
    };
    // `round(x * scale)` with halves to even, exactly.
    let quantize = |x: f32, low: f64, scale: f64| {
        let x = if x.is_nan() { low } else { f64::from(x).clamp(low, 1.0) };
        (x * scale).round_ties_even() as i64
    };
    let cases: [(Program, f64, f64, u32); 4] = [
        (four(math::pack_unorm_4x8), 0.0, 255.0, 8),
        (four(math::pack_snorm_4x8), -1.0, 127.0, 8),
        (two(math::pack_unorm_2x16), 0.0, 65535.0, 16),
        (two(math::pack_snorm_2x16), -1.0, 32767.0, 16),
    ];
    let mut random = Random::new(7);
    for (program, low, scale, bits) in &cases {
        let count = (32 / bits) as usize;
        for _ in 0..5_000 {
            let components: Vec<f32> = (0..count)
                .map(|_| match random.below(8) {
                    0 => [NAN, INF, -INF, -0.0, 1.0, -1.0, 0.5, -0.5][random.below(8) as usize],
                    // Halfway between two steps.
                    1 => ((random.below(*scale as u64) as f64 + 0.5) / scale) as f32,
                    _ => (random.bits() as i64 as f64 * 2f64.powi(-63) * 1.2) as f32,
                })
                .collect();
            let args: Vec<u64> = components.iter().map(|x| x.to_bits().into()).collect();
            let want = components.iter().enumerate().fold(0, |word, (index, &x)| {
                word | (quantize(x, *low, *scale) as u64 & ((1 << bits) - 1)) << (bits * index as u32)
            });
            assert_eq!(program.one(&args)[0], want, "{components:?}");
        }
    }
    let half = two(math::pack_half_2x16);
    let word = half.one(&[1.0f32.to_bits().into(), (-65536f32).to_bits().into()])[0];
    assert_eq!(word, 0xfc00_3c00);
    let double = Program::new(16, &[Scalar::I32; 2], |b, a| {
        let packed = math::pack_double_2x32(b, [a[0], a[1]]);
        let [low, high] = math::unpack_double_2x32(b, packed);
        vec![packed, low, high]
    });
    assert_eq!(double.one(&[0x89ab_cdef, 0x0123_4567]), [0x0123_4567_89ab_cdef, 0x89ab_cdef, 0x0123_4567]);
}

#[test]
fn bit_searches() {
    let find = |build: Unary, scalar: Scalar, x: i64| {
        let program = Program::new(16, &[scalar], |b, args| vec![build(b, args[0])]);
        let bits = program.one(&[x as u64 & scalar.mask()])[0];
        ((bits << (64 - scalar.bits())) as i64) >> (64 - scalar.bits())
    };
    for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
        assert_eq!(find(math::find_ilsb, scalar, 0), -1);
        assert_eq!(find(math::find_ilsb, scalar, 0x50), 4);
        assert_eq!(find(math::find_umsb, scalar, 0), -1);
        assert_eq!(find(math::find_umsb, scalar, -1), i64::from(scalar.bits()) - 1);
        assert_eq!(find(math::find_umsb, scalar, 0x50), 6);
        assert_eq!(find(math::find_smsb, scalar, 0), -1);
        assert_eq!(find(math::find_smsb, scalar, -1), -1);
        assert_eq!(find(math::find_smsb, scalar, -2), 0);
        assert_eq!(find(math::find_smsb, scalar, 0x50), 6);
    }
}

/// Random matrices with small integers, so that the reference is exact.
#[test]
fn matrices() {
    let mut random = Random::new(8);
    for n in 2..=4usize {
        for float in &FLOATS {
            let params = vec![float.scalar; n * n];
            let program = Program::new(16, &params, |b, m| {
                let mut results = math::matrix_inverse(b, n, m);
                results.push(math::determinant(b, n, m));
                results
            });
            let mut regular = 0;
            for _ in 0..200 {
                let matrix: Vec<f64> = (0..n * n).map(|_| random.below(13) as f64 - 6.0).collect();
                let args: Vec<u64> = matrix.iter().map(|&x| (float.bits)(x)).collect();
                let results: Vec<f64> = program.one(&args).into_iter().map(float.value).collect();
                let want = determinant(n, &matrix);
                assert_eq!(results[n * n], (float.value)((float.bits)(want)), "{matrix:?}");
                if want == 0.0 {
                    continue;
                }
                regular += 1;
                // The product with the inverse is the identity.
                for row in 0..n {
                    for column in 0..n {
                        let product: f64 =
                            (0..n).map(|k| matrix[k * n + row] * results[column * n + k]).sum();
                        let identity = f64::from(u8::from(row == column));
                        // The inverse's own rounding, times the row's elements.
                        let largest = results[..n * n].iter().fold(0.0, |max: f64, x| max.max(x.abs()));
                        let half = 24.0 * largest * 2f64.powi(-11);
                        let tolerance = if float.scalar == Scalar::F16 { half } else { 1e-3 };
                        assert!((product - identity).abs() < tolerance, "{matrix:?}: {results:?}");
                    }
                }
            }
            assert!(regular > 100);
        }
    }
}

/// By expansion along the first column.
fn determinant(n: usize, matrix: &[f64]) -> f64 {
    if n == 1 {
        return matrix[0];
    }
    (0..n)
        .map(|row| {
            let rest: Vec<f64> = (1..n)
                .flat_map(|column| {
                    (0..n).filter(move |&other| other != row).map(move |other| column * n + other)
                })
                .map(|index| matrix[index])
                .collect();
            let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
            sign * matrix[row] * determinant(n - 1, &rest)
        })
        .sum()
}

#[test]
fn vectors() {
    let run = |params: usize, args: &[f32], build: &dyn Fn(&mut Builder, &[Value]) -> Vec<Value>| {
        let program = Program::new(16, &vec![Scalar::F32; params], |b, a| build(b, a));
        let args: Vec<u64> = args.iter().map(|x| x.to_bits().into()).collect();
        program.one(&args).into_iter().map(|bits| f32::from_bits(bits as u32)).collect::<Vec<f32>>()
    };
    assert_eq!(run(2, &[3.0, 4.0], &|b, a| vec![math::length(b, a)]), [5.0]);
    assert_eq!(run(1, &[-3.0], &|b, a| vec![math::length(b, a)]), [3.0]);
    assert_eq!(run(4, &[1.0, 2.0, 4.0, 6.0], &|b, a| vec![math::distance(b, &a[..2], &a[2..])]), [5.0]);
    assert_eq!(
        run(6, &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], &|b, a| math::cross(b, &a[..3], &a[3..]).to_vec()),
        [-1.0, 5.0, -3.0]
    );
    assert_eq!(run(3, &[0.0, 0.0, 4.0], &|b, a| math::normalize(b, a)), [0.0, 0.0, 1.0]);
    assert_eq!(run(1, &[-4.0], &|b, a| math::normalize(b, a)), [-1.0]);
    let face = |b: &mut Builder, a: &[Value]| math::face_forward(b, &a[..2], &a[2..4], &a[4..]);
    assert_eq!(run(6, &[1.0, 2.0, 1.0, 0.0, -1.0, 0.0], &face), [1.0, 2.0]);
    assert_eq!(run(6, &[1.0, 2.0, 1.0, 0.0, 1.0, 0.0], &face), [-1.0, -2.0]);
    let reflect = |b: &mut Builder, a: &[Value]| math::reflect(b, &a[..2], &a[2..]);
    assert_eq!(run(4, &[1.0, -1.0, 0.0, 1.0], &reflect), [1.0, 1.0]);
    let refract = |b: &mut Builder, a: &[Value]| math::refract(b, &a[..2], &a[2..4], a[4]);
    assert_eq!(run(5, &[0.0, -1.0, 0.0, 1.0, 0.5], &refract), [0.0, -1.0]);
    // Total reflection.
    assert_eq!(run(5, &[0.8, -0.6, 0.0, 1.0, 1.5], &refract), [0.0, 0.0]);
    let mix = run(3, &[2.0, 10.0, 0.25], &|b, a| vec![math::f_mix(b, a[0], a[1], a[2])]);
    assert_eq!(mix, [4.0]);
    let strict = |x| run(3, &[x, 10.0, 0.25], &|b, a| vec![math::f_mix_strict(b, a[0], a[1], a[2])])[0];
    assert_eq!([strict(2.0), strict(f32::INFINITY)], [4.0, f32::INFINITY]);
    for (x, y) in [(0.3, 1e7), (-1e-30, 3e38), (7.7, -7.7)] {
        let ends =
            [0.0, 1.0].map(|at| run(3, &[x, y, at], &|b, a| vec![math::f_mix(b, a[0], a[1], a[2])])[0]);
        assert_eq!(ends, [x, y]);
    }
    let smooth = |x: f32| run(3, &[1.0, 3.0, x], &|b, a| vec![math::smooth_step(b, a[0], a[1], a[2])])[0];
    assert_eq!([smooth(0.0), smooth(1.5), smooth(2.0), smooth(9.0)], [0.0, 0.15625, 0.5, 1.0]);
}

/// Vector and interpolation functions in every width, against the formulas in `f64`.
#[test]
fn vectors_of_every_width() {
    let mut random = Random::new(9);
    for float in &FLOATS {
        let params = [float.scalar; 7];
        let program = Program::new(16, &params, |b, a| {
            let (x, y) = (&a[..3], &a[3..6]);
            let mut results = vec![math::length(b, x), math::distance(b, x, y), math::dot(b, x, y)];
            results.extend(math::normalize(b, x));
            results.extend(math::cross(b, x, y));
            results.extend(math::reflect(b, x, y));
            results.push(math::f_mix(b, a[0], a[1], a[2]));
            results.push(math::smooth_step(b, a[0], a[1], a[2]));
            results.push(math::fract(b, a[0]));
            results.push(math::radians(b, a[0]));
            results.push(math::inverse_sqrt(b, a[6]));
            results
        });
        let epsilon = match float.scalar {
            Scalar::F16 => 2f64.powi(-10),
            Scalar::F32 => 2f64.powi(-23),
            _ => 2f64.powi(-52),
        };
        for _ in 0..2_000 {
            // Exactly representable in each type.
            let a: Vec<f64> = (0..7).map(|_| random.below(257) as f64 / 64.0 - 2.0).collect();
            let a = [a, vec![0.25 + random.below(64) as f64 / 8.0]].concat();
            let a = [&a[..6], &a[7..]].concat();
            let args: Vec<u64> = a.iter().map(|&x| (float.bits)(x)).collect();
            let got: Vec<f64> = program.one(&args).into_iter().map(float.value).collect();
            let (x, y) = (&a[..3], &a[3..6]);
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let length = dot(x, x).sqrt();
            let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
            let mut want = vec![length, dot(&difference, &difference).sqrt(), dot(x, y)];
            want.extend(x.iter().map(|x| x / length));
            want.extend([(1, 2), (2, 0), (0, 1)].map(|(i, j)| x[i] * y[j] - x[j] * y[i]));
            want.extend(x.iter().zip(y).map(|(i, n)| i - 2.0 * dot(x, y) * n));
            let t = ((x[2] - x[0]) / (x[1] - x[0])).clamp(0.0, 1.0);
            let smooth = if t.is_nan() { 0.0 } else { t * t * (3.0 - 2.0 * t) };
            want.extend([x[0] * (1.0 - x[2]) + x[1] * x[2], smooth, x[0] - x[0].floor()]);
            want.extend([x[0].to_radians(), 1.0 / a[6].sqrt()]);
            for (index, (&got, &want)) in got.iter().zip(&want).enumerate() {
                // Sums of products up to 4 * 4 * 3, doubled and multiplied once more in a reflection.
                let tolerance = if index < 12 { 64.0 } else { 8.0 } * epsilon;
                let same = got.is_nan() && want.is_nan();
                assert!(same || (got - want).abs() <= tolerance, "{index} {:?}: {got} {want}", float.scalar);
            }
        }
    }
}

/// Rising functions do not fall between neighbours where their ranges and pieces meet, and in random runs of
/// arguments by no more than the last place, which is what rounding may do.
#[test]
fn rising_functions_rise() {
    use std::f32::consts::LN_2;
    let meets: [f32; 12] =
        [0.25, 0.5 * LN_2, 0.5, 2.0 / 3.0, LN_2, 1.0, 1.5 * LN_2, 4.0 / 3.0, 1.5, 2.0, 3.0, 8.0];
    let functions: [(&str, Unary, f32); 8] = [
        ("exp", math::exp, 80.0),
        ("exp2", math::exp2, 100.0),
        ("log", math::log, 1e30),
        ("log2", math::log2, 1e30),
        ("sqrt", math::sqrt, 1e30),
        ("sin", math::sin, 1.4),
        ("asin", math::asin, 1.0),
        ("atan", math::atan, 1e6),
    ];
    for (name, build, limit) in functions {
        let program = Program::new(16, &[Scalar::F32], |b, args| vec![build(b, args[0])]);
        let mut random = Random::new(10);
        let runs = (0..64).map(|_| (0x3c00_0000 + random.below(0x0800_0000u64), 1));
        let meets = meets.iter().map(|x| (u64::from(x.to_bits()) - 2048, 0));
        for (start, allowed) in runs.chain(meets) {
            let args: Vec<u64> = (start..start + 4096).collect();
            let results = program.run(&[&args], None).remove(0);
            for (pair, &x) in results.windows(2).zip(&args) {
                let [low, high] = [pair[0], pair[1]].map(|bits| f32::from_bits(bits as u32));
                let x = f32::from_bits(x as u32);
                let falls = low > high && pair[0].abs_diff(pair[1]) > allowed;
                assert!(x >= limit || !falls, "{name} falls behind {x:e}");
            }
        }
    }
}

#[test]
fn cube_faces() {
    let program = Program::new(16, &[Scalar::F32; 3], |b, a| {
        let face = math::cube_face(b, [a[0], a[1], a[2]]);
        vec![face.index, face.s, face.t]
    });
    let look = |direction: [f32; 3]| {
        let args = direction.map(|x| u64::from(x.to_bits()));
        program.one(&args).into_iter().map(|bits| f32::from_bits(bits as u32)).collect::<Vec<f32>>()
    };
    // Vulkan, "Cube Map Face Selection": s and t from (sc / |rc| + 1) / 2 and (tc / |rc| + 1) / 2.
    assert_eq!(look([2.0, 1.0, -1.0]), [0.0, 0.75, 0.25]);
    assert_eq!(look([-2.0, 1.0, -1.0]), [1.0, 0.25, 0.25]);
    assert_eq!(look([1.0, 2.0, -1.0]), [2.0, 0.75, 0.25]);
    assert_eq!(look([1.0, -2.0, -1.0]), [3.0, 0.75, 0.75]);
    assert_eq!(look([1.0, 1.0, 2.0]), [4.0, 0.75, 0.25]);
    assert_eq!(look([1.0, 1.0, -2.0]), [5.0, 0.25, 0.25]);
}
