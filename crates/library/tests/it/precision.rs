//! How far the `f32` functions are from the true results, over every exponent, and what they cost. The
//! findings are `docs/PRECISION.md`; `PYRO_BLESS=1` writes the file anew.
//!
//! References are the standard library's `f64` functions, some hundred million times finer than the `f32`
//! results under test.

use crate::support::{Program, Random};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::{derivative, float, group, integer, math, texel};
use std::fmt::Write;

type Unary = fn(&mut Builder, Value) -> Value;
type Binary = fn(&mut Builder, Value, Value) -> Value;

/// A function of one `f32`, its reference, and the arguments for which the figure holds.
struct UnaryCase {
    name: &'static str,
    build: Unary,
    reference: fn(f64) -> f64,
    /// `|x|` at most this.
    limit: f32,
    /// Vulkan's "Precision of GLSL.std.450 Instructions".
    required: &'static str,
    /// What the test allows, in ULP.
    allowed: f64,
}

const fn case(
    name: &'static str,
    build: Unary,
    reference: fn(f64) -> f64,
    limit: f32,
    required: &'static str,
    allowed: f64,
) -> UnaryCase {
    UnaryCase { name, build, reference, limit, required, allowed }
}

/// `Sinh` and `Cosh` are inf where their definition's `Exp` is.
fn past_exp(x: f64, value: f64) -> f64 {
    if x.abs().exp() > f64::from(f32::MAX) { f64::INFINITY.copysign(value) } else { value }
}

const ALL: f32 = f32::INFINITY;
const FAR: f32 = 131_072.0;

const UNARY: &[UnaryCase] = &[
    case("Exp", math::exp, f64::exp, ALL, "3 + 2 abs(x) ULP", 2.0),
    case("Exp2", math::exp2, f64::exp2, ALL, "3 + 2 abs(x) ULP", 2.0),
    case("Log", math::log, f64::ln, ALL, "3 ULP outside [0.5, 2], 2^-21 inside", 1.0),
    case("Log2", math::log2, f64::log2, ALL, "3 ULP outside [0.5, 2], 2^-21 inside", 1.75),
    case("Sqrt", math::sqrt, f64::sqrt, ALL, "as 1 / InverseSqrt", 0.5),
    case("InverseSqrt", math::inverse_sqrt, |x| 1.0 / x.sqrt(), ALL, "2 ULP", 1.5),
    case("Sin", math::sin, f64::sin, FAR, "2^-11 in [-pi, pi]", 2.0),
    case("Cos", math::cos, f64::cos, FAR, "2^-11 in [-pi, pi]", 2.0),
    case("Tan", math::tan, f64::tan, FAR, "as Sin / Cos", 3.5),
    case("Asin", math::asin, f64::asin, ALL, "as Atan2(x, sqrt(1 - x * x))", 2.5),
    case("Acos", math::acos, f64::acos, ALL, "as Atan2(sqrt(1 - x * x), x)", 1.5),
    case("Atan", math::atan, f64::atan, ALL, "4096 ULP", 2.0),
    case("Sinh", math::sinh, |x| past_exp(x, x.sinh()), ALL, "as (Exp(x) - Exp(-x)) / 2", 2.5),
    case("Cosh", math::cosh, |x| past_exp(x, x.cosh()), ALL, "as (Exp(x) + Exp(-x)) / 2", 2.0),
    case("Tanh", math::tanh, f64::tanh, ALL, "as Sinh / Cosh", 3.0),
    case("Asinh", math::asinh, |x| x.abs().asinh().copysign(x), ALL, "as Log(x + sqrt(x * x + 1))", 3.0),
    case("Acosh", math::acosh, f64::acosh, ALL, "as Log(x + sqrt(x * x - 1))", 3.0),
    case("Atanh", math::atanh, f64::atanh, ALL, "as Log((1 + x) / (1 - x)) / 2", 3.0),
];

/// What the tests allow `Pow`, `Pow` with a whole constant exponent, and `Atan2`, in ULP.
const POW_BOUND: f64 = 15.0;
const CONSTANT_POWER_BOUND: f64 = 5.0;
const ATAN2_BOUND: f64 = 2.5;

/// Random arguments of one exponent, with the values at its ends.
fn samples(random: &mut Random, sign_and_exponent: u32, count: usize) -> Vec<u64> {
    let base = sign_and_exponent << 23;
    let ends = [base, base | 1, base | 0x7f_ffff, base | 0x40_0000];
    let inner = (ends.len()..count).map(|_| base | random.bits() as u32 & 0x7f_ffff);
    ends.into_iter().chain(inner).map(u64::from).collect()
}

/// The worst distance over the arguments, and where.
fn worst_unary(case: &UnaryCase, args: &[u64], results: &[Vec<u64>], worst: &mut (f64, f32)) {
    for (&x, &y) in args.iter().zip(&results[0]) {
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        // Infinite arguments always count.
        if x.is_finite() && x.abs() > case.limit {
            continue;
        }
        let distance = pyro_ulp::distance(y, (case.reference)(x.into()));
        if distance > worst.0 {
            *worst = (distance, x);
        }
    }
}

fn measure_unary(case: &UnaryCase) -> (f64, usize) {
    let program = Program::new(16, &[Scalar::F32], |b, args| vec![(case.build)(b, args[0])]);
    let mut random = Random::new(1);
    let mut worst = (0.0, 0.0);
    for sign_and_exponent in 0..512 {
        // Most exponents are far from where the functions do something.
        let exponent = sign_and_exponent & 0xff;
        let count = if (97..=147).contains(&exponent) { 4096 } else { 256 };
        let args = samples(&mut random, sign_and_exponent, count);
        worst_unary(case, &args, &program.run(&[&args], None), &mut worst);
    }
    let (distance, at) = worst;
    assert!(distance <= case.allowed, "{}: {distance} ULP at {at:e}", case.name);
    (distance, program.operation_count())
}

/// The worst distance over all `f16` arguments, in units in the last place of the true result as `f16`.
fn measure_half(case: &UnaryCase) -> f64 {
    let args: Vec<u64> = (0..65536).collect();
    let program = Program::new(16, &[Scalar::F16], |b, args| vec![(case.build)(b, args[0])]);
    let results = program.run(&[&args], None);
    let mut worst: f64 = 0.0;
    for (&x, &y) in args.iter().zip(&results[0]) {
        let (x, got) = (crate::support::half_value(x), crate::support::half_value(y));
        let want = (case.reference)(x);
        let rounded = crate::support::half_value(crate::support::half_bits(want));
        if rounded == got && rounded.is_infinite() || want.is_nan() && got.is_nan() {
            continue;
        }
        let exponent = (want.abs().to_bits() >> 52) as i32 - 1023;
        let distance = (got - want).abs() / 2f64.powi(exponent.clamp(-14, 15) - 10);
        // The neighbour of the nearest value is allowed where the true result is close to a tie.
        assert!(distance <= 0.51, "{}({x:e}) = {got:e}, not {want:e}", case.name);
        worst = worst.max(distance);
    }
    worst
}

/// The worst distance of a function of two arguments over pairs that `pick` makes.
fn measure_binary(
    name: &str,
    build: Binary,
    reference: fn(f64, f64) -> f64,
    pick: impl Fn(&mut Random) -> (f32, f32),
    allowed: f64,
) -> (f64, usize) {
    let program = Program::new(16, &[Scalar::F32; 2], |b, args| vec![build(b, args[0], args[1])]);
    let mut random = Random::new(2);
    let pairs: Vec<(f32, f32)> = (0..400_000).map(|_| pick(&mut random)).collect();
    let x: Vec<u64> = pairs.iter().map(|pair| pair.0.to_bits().into()).collect();
    let y: Vec<u64> = pairs.iter().map(|pair| pair.1.to_bits().into()).collect();
    let results = program.run(&[&x, &y], None);
    let mut worst = (0.0, (0.0, 0.0));
    for (&(x, y), &result) in pairs.iter().zip(&results[0]) {
        let distance = pyro_ulp::distance(f32::from_bits(result as u32), reference(x.into(), y.into()));
        if distance > worst.0 {
            worst = (distance, (x, y));
        }
    }
    assert!(worst.0 <= allowed, "{name}: {} ULP at {:?}", worst.0, worst.1);
    (worst.0, program.operation_count())
}

/// Any finite `f32` but zero.
fn any_float(random: &mut Random) -> f32 {
    loop {
        let x = f32::from_bits(random.bits() as u32);
        if x.is_finite() && x != 0.0 {
            return x;
        }
    }
}

/// A base above zero, half of them near 1, and an exponent for which the result is in range, or just outside.
fn pow_arguments(random: &mut Random) -> (f32, f32) {
    let x = if random.below(2) == 0 {
        any_float(random).abs()
    } else {
        f32::from_bits(0x3f00_0000 + random.below(0x0100_0000) as u32)
    };
    let exponent = (random.bits() as f64 / u64::MAX as f64 - 0.5) * 310.0;
    let y = exponent / f64::from(x).log2();
    (x, if y.is_finite() { y as f32 } else { 3.0 })
}

/// Two values of nearby exponents, so that quotients are not all extreme.
fn plane_point(random: &mut Random) -> (f32, f32) {
    let y = any_float(random).clamp(-1e18, 1e18);
    let ratio = f32::from_bits(0x3f80_0000 + (random.below(0x0c00_0000) as u32)) * 1e-3;
    let x = if random.below(2) == 0 { y * ratio } else { -y / ratio };
    (y, x)
}

/// Operations of a function of `f32` values.
fn operations(params: &[Scalar], build: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>) -> usize {
    Program::new(16, params, build).operation_count()
}

const INTRODUCTION: &str = "\
# Precision and cost of the shader library

Written by `crates/library/tests/it/precision.rs`; do not edit. `PYRO_BLESS=1 cargo test -p pyro-library
--test it precision` writes it anew.

Both executors compute exactly the same operations, so these figures hold on every machine. The largest error
of every operation over all arguments, beside other drivers, is in
[measured errors](precision/measured.md); those of filtering, resolves, coverage, sRGB and blending beside
exact fractions are in [fixed functions](precision/exact.md).

*Operations* are IR operations, one vector instruction each on most machines; constants and reinterpretations
of bits are free and not counted.

## Functions of `f32`

*Error* is the largest distance from the true result in units in its last place, over random arguments of
every exponent, both signs, and the values at each exponent's ends (subnormal values, infinities and NaN
included). 0.5 is what correct rounding gives. *Bound* is what the tests allow, in samples and over all
arguments. *Error of `f16`* is the error in `f16`'s units, over all arguments. *Required* is from Vulkan's
\"Precision of GLSL.std.450 Instructions\".
`Sin`, `Cos` and `Tan` are measured for |x| up to 2^17. `f16` functions compute in `f32` and round once more.
The test `neighbouring_arguments` goes over runs of neighbouring arguments, with `PYRO_STRIDE=1` over all
2^32.

| function | error (ULP) | bound (ULP) | error of `f16` | operations | required |
|---|---|---|---|---|---|
";

#[test]
fn precision_table() {
    let mut text = String::from(INTRODUCTION);
    let mut row =
        |name: &str, (distance, operations): (f64, usize), bound: f64, half: &str, required: &str| {
            writeln!(text, "| `{name}` | {distance:.2} | {bound:.2} | {half} | {operations} | {required} |")
                .expect("to a string");
        };
    for case in UNARY {
        let half = format!("{:.2}", measure_half(case));
        row(case.name, measure_unary(case), case.allowed, &half, case.required);
    }
    let pow = measure_binary("Pow", math::pow, f64::powf, pow_arguments, POW_BOUND);
    row("Pow(x, 2)", measure_constant_power(2.0), CONSTANT_POWER_BOUND, "", "as Exp2(y * Log2(x))");
    row("Pow(x, 5)", measure_constant_power(5.0), CONSTANT_POWER_BOUND, "", "as Exp2(y * Log2(x))");
    row("Pow", pow, POW_BOUND, "", "as Exp2(y * Log2(x))");
    let atan2 = measure_binary("Atan2", math::atan2, f64::atan2, plane_point, ATAN2_BOUND);
    row("Atan2", atan2, ATAN2_BOUND, "", "4096 ULP");
    text.push_str(COST_INTRODUCTION);
    cost_table(&mut text);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PRECISION.md");
    if pyro_test_environment::bless() {
        std::fs::write(path, &text).expect("docs folder is writable");
    }
    let written = std::fs::read_to_string(path).expect("docs/PRECISION.md exists");
    assert_eq!(written, text, "docs/PRECISION.md is stale; PYRO_BLESS=1 writes it anew");
}

const COST_INTRODUCTION: &str = "
## Cost of other functions

Operations for `f32` or `i32` components; vectors have three components, matrices three columns where nothing
else is said; subgroups have 16 lanes. These functions are exact, or as exact as the formula in their
documentation.

| function | operations |
|---|---|
";

fn cost_table(text: &mut String) {
    use Scalar::{F32, I8, I32, I64};
    let mut row = |name: &str, operations: usize| {
        writeln!(text, "| `{name}` | {operations} |").expect("to a string");
    };
    macro_rules! rows {
        ($($name:literal $params:expr => |$b:ident, $args:ident| $body:expr;)+) => {
            $( row($name, operations(&$params, |$b, $args| $body)); )+
        };
    }
    rows! {
        "Fract" [F32] => |b, a| vec![math::fract(b, a[0])];
        "Modf" [F32] => |b, a| { let (x, y) = math::modf(b, a[0]); vec![x, y] };
        "Frexp" [F32] => |b, a| { let (x, y) = math::frexp(b, a[0], I32); vec![x, y] };
        "Ldexp" [F32, I32] => |b, a| vec![math::ldexp(b, a[0], a[1])];
        "FSign" [F32] => |b, a| vec![math::f_sign(b, a[0])];
        "FMix" [F32; 3] => |b, a| vec![math::f_mix(b, a[0], a[1], a[2])];
        "SmoothStep" [F32; 3] => |b, a| vec![math::smooth_step(b, a[0], a[1], a[2])];
        "NMin" [F32; 2] => |b, a| vec![math::n_min(b, a[0], a[1])];
        "Length" [F32; 3] => |b, a| vec![math::length(b, a)];
        "Normalize" [F32; 3] => |b, a| math::normalize(b, a);
        "Cross" [F32; 6] => |b, a| math::cross(b, &a[..3], &a[3..]).to_vec();
        "Reflect" [F32; 6] => |b, a| math::reflect(b, &a[..3], &a[3..]);
        "Refract" [F32; 7] => |b, a| math::refract(b, &a[..3], &a[3..6], a[6]);
        "Determinant" [F32; 9] => |b, a| vec![math::determinant(b, 3, a)];
        "Determinant (4 columns)" [F32; 16] => |b, a| vec![math::determinant(b, 4, a)];
        "MatrixInverse" [F32; 9] => |b, a| math::matrix_inverse(b, 3, a);
        "MatrixInverse (4 columns)" [F32; 16] => |b, a| math::matrix_inverse(b, 4, a);
        "PackUnorm4x8" [F32; 4] => |b, a| vec![math::pack_unorm_4x8(b, [a[0], a[1], a[2], a[3]])];
        "UnpackUnorm4x8" [I32] => |b, a| math::unpack_unorm_4x8(b, a[0]).to_vec();
        "UnpackSnorm4x8" [I32] => |b, a| math::unpack_snorm_4x8(b, a[0]).to_vec();
        "PackHalf2x16" [F32; 2] => |b, a| vec![math::pack_half_2x16(b, [a[0], a[1]])];
        "OpFMod" [F32; 2] => |b, a| vec![float::f_mod(b, a[0], a[1])];
        "OpFRem" [F32; 2] => |b, a| vec![float::f_rem(b, a[0], a[1])];
        "OpQuantizeToF16" [F32] => |b, a| vec![float::quantize_to_f16(b, a[0])];
        "OpSMod" [I32; 2] => |b, a| vec![integer::s_mod(b, a[0], a[1])];
        "OpBitFieldInsert" [I32; 4] => |b, a| vec![integer::bit_field_insert(b, a[0], a[1], a[2], a[3])];
        "OpBitFieldSExtract" [I32; 3] => |b, a| vec![integer::bit_field_s_extract(b, a[0], a[1], a[2])];
        "OpSDot (packed)" [I32; 2] => |b, a| {
            vec![integer::dot_4x8(b, integer::DotKind::Signed, a[0], a[1], I32)]
        };
        "OpSDotAccSat (4 x i8)" [I8, I8, I8, I8, I8, I8, I8, I8, I32] => |b, a| {
            vec![integer::dot_acc_sat(b, integer::DotKind::Signed, &a[..4], &a[4..8], a[8])]
        };
        "unorm8 to float" [I32] => |b, a| vec![texel::unorm_to_float(b, a[0], 8)];
        "float to unorm8" [F32] => |b, a| vec![texel::float_to_unorm(b, a[0], 8)];
        "sRGB to linear" [F32] => |b, a| vec![texel::srgb_to_linear(b, a[0])];
        "linear to sRGB" [F32] => |b, a| vec![texel::linear_to_srgb(b, a[0])];
        "11-bit float to float" [I32] => |b, a| vec![texel::small_float_to_float(b, a[0], 6)];
        "float to 11-bit float" [F32] => |b, a| vec![texel::float_to_small_float(b, a[0], 6)];
        "E5B9G9R9 to floats" [I32] => |b, a| texel::shared_exponent_to_float(b, a[0]).to_vec();
        "floats to E5B9G9R9" [F32; 3] => |b, a| {
            vec![texel::float_to_shared_exponent(b, [a[0], a[1], a[2]])]
        };
        "OpDPdxFine" [F32] => |b, a| vec![derivative::dpdx_fine(b, a[0])];
        "OpFwidthFine" [F32] => |b, a| vec![derivative::fwidth_fine(b, a[0])];
        "OpGroupNonUniformElect" [] => |b, _a| vec![group::elect(b)];
        "OpGroupNonUniformAllEqual" [F32] => |b, a| vec![group::all_equal(b, a)];
        "OpGroupNonUniformBroadcast" [F32, I32] => |b, a| vec![group::broadcast(b, a[0], a[1])];
        "OpGroupNonUniformShuffleXor" [F32, I32] => |b, a| vec![group::shuffle_xor(b, a[0], a[1])];
        "OpGroupNonUniformFAdd Reduce" [F32] => |b, a| {
            vec![group::arithmetic(b, group::Arithmetic::FAdd, group::Operation::Reduce, a[0])]
        };
        "OpGroupNonUniformFAdd InclusiveScan" [F32] => |b, a| {
            vec![group::arithmetic(b, group::Arithmetic::FAdd, group::Operation::InclusiveScan, a[0])]
        };
        "OpGroupNonUniformFAdd PartitionedReduce" [F32, I32, I32, I32, I32] => |b, a| {
            let mask = [a[1], a[2], a[3], a[4]];
            vec![group::partitioned(b, group::Arithmetic::FAdd, group::Operation::Reduce, a[0], mask)]
        };
        "OpGroupNonUniformPartition" [I32] => |b, a| group::partition(b, a).to_vec();
        "OpGroupNonUniformIAdd Reduce (i64)" [I64] => |b, a| {
            vec![group::arithmetic(b, group::Arithmetic::IAdd, group::Operation::Reduce, a[0])]
        };
    }
}

/// The worst distance of a power with a constant exponent.
fn measure_constant_power(y: f32) -> (f64, usize) {
    let program = Program::new(16, &[Scalar::F32], |b, a| {
        let y = b.f32(y);
        vec![math::pow(b, a[0], y)]
    });
    let mut random = Random::new(4);
    let args: Vec<u64> = (0..20_000).map(|_| any_float(&mut random).to_bits().into()).collect();
    let mut worst: f64 = 0.0;
    for (&x, &result) in args.iter().zip(&program.run(&[&args], None)[0]) {
        let want = f64::from(f32::from_bits(x as u32)).powf(y.into());
        worst = worst.max(pyro_ulp::distance(f32::from_bits(result as u32), want));
    }
    (worst, program.operation_count())
}

/// Constant exponents that need no logarithm: far fewer operations, and no worse.
#[test]
fn pow_with_constant_exponent() {
    for y in (1..=8).map(|y| y as f32).chain([-1.0, 0.5, -0.5]) {
        let (distance, operations) = measure_constant_power(y);
        assert!(
            distance <= CONSTANT_POWER_BOUND && operations <= 4,
            "pow(x, {y}): {distance} ULP, {operations} operations"
        );
    }
}

/// Sine and cosine never leave [-1, 1], wherever the argument lies.
#[test]
fn sine_stays_in_range() {
    for build in [math::sin as Unary, math::cos] {
        let program = Program::new(16, &[Scalar::F32], |b, args| vec![build(b, args[0])]);
        let mut random = Random::new(3);
        for sign_and_exponent in 0..512 {
            let args = samples(&mut random, sign_and_exponent, 1024);
            for (&x, &y) in args.iter().zip(&program.run(&[&args], None)[0]) {
                let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                assert!(if x.is_finite() { y.abs() <= 1.0 } else { y.is_nan() }, "{x:e}: {y:e}");
            }
        }
    }
}

/// Runs of 4,096 neighbouring `f32` arguments all over the range, every `PYRO_STRIDE`-th run: with 1 every
/// argument, which takes minutes a function (`--release`). The environment variable `PYRO_FUNCTION` chooses
/// one function.
#[test]
fn neighbouring_arguments() {
    let mut failed = Vec::new();
    let chosen = pyro_test_environment::text("PYRO_FUNCTION");
    let stride = pyro_test_environment::number("PYRO_STRIDE", 16_381);
    for case in UNARY.iter().filter(|case| chosen.as_deref().is_none_or(|name| name == case.name)) {
        let program = Program::new(16, &[Scalar::F32], |b, args| vec![(case.build)(b, args[0])]);
        let mut worst = (0.0, 0.0);
        for block in (0..1u64 << 20).step_by(stride) {
            let args: Vec<u64> = (block << 12..(block + 1) << 12).collect();
            worst_unary(case, &args, &program.evaluate(&[&args], None), &mut worst);
        }
        println!("{}: {:.3} ULP at {:e}", case.name, worst.0, worst.1);
        if worst.0 > case.allowed {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "beyond what is allowed: {failed:?}");
}
