//! Texel conversions against exact references.

use crate::support::{Program, Random};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::texel;

fn float_bits(x: f32) -> u64 {
    x.to_bits().into()
}

fn value(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[test]
fn normalized_components_are_correctly_rounded() {
    for bits in 1..=24u32 {
        let step = if bits > 16 { 61 } else { 1 };
        let greatest = (1u64 << bits) - 1;
        let mut args: Vec<u64> = (0..=greatest).step_by(step).collect();
        args.push(greatest);
        let program = Program::new(16, &[Scalar::I32], |b, a| vec![texel::unorm_to_float(b, a[0], bits)]);
        for (&x, &got) in args.iter().zip(&program.run(&[&args], None)[0]) {
            assert_eq!(value(got), (x as f64 / greatest as f64) as f32, "{x} of {bits} bits");
        }
        if bits == 1 {
            continue;
        }
        // Sign-extended.
        let extended: Vec<u64> =
            args.iter().map(|&x| (((x as u32) << (32 - bits)) as i32 >> (32 - bits)) as u32 as u64).collect();
        let program = Program::new(16, &[Scalar::I32], |b, a| vec![texel::snorm_to_float(b, a[0], bits)]);
        for (&x, &got) in extended.iter().zip(&program.run(&[&extended], None)[0]) {
            let want = (f64::from(x as i32) / (greatest / 2) as f64).max(-1.0);
            assert_eq!(value(got), want as f32, "{} of {bits} bits", x as i32);
        }
    }
}

#[test]
fn normalized_components_round_trip_and_round_to_nearest() {
    let mut random = Random::new(51);
    for bits in 1..=24u32 {
        let unorm = Program::new(16, &[Scalar::F32], |b, a| vec![texel::float_to_unorm(b, a[0], bits)]);
        let snorm = (bits > 1)
            .then(|| Program::new(16, &[Scalar::F32], |b, a| vec![texel::float_to_snorm(b, a[0], bits)]));
        let scale = ((1u64 << bits) - 1) as f64;
        let special = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let args: Vec<f32> = special
            .into_iter()
            .chain((0..2_000).map(|index| match index % 3 {
                0 => (random.below(1 << bits) as f64 / scale) as f32,
                1 => ((random.below(1 << bits) as f64 + 0.5) / scale) as f32,
                _ => (random.bits() as i64 as f64 * 2f64.powi(-63)) as f32,
            }))
            .collect();
        let words: Vec<u64> = args.iter().map(|&x| float_bits(x)).collect();
        for (&x, &got) in args.iter().zip(&unorm.run(&[&words], None)[0]) {
            let clamped = if x.is_nan() { 0.0 } else { f64::from(x).clamp(0.0, 1.0) };
            assert_eq!(got, (clamped * scale).round_ties_even() as u64, "{x:e} to {bits} bits");
        }
        let Some(snorm) = snorm else { continue };
        let scale = ((1u64 << (bits - 1)) - 1) as f64;
        for (&x, &got) in args.iter().zip(&snorm.run(&[&words], None)[0]) {
            let clamped = if x.is_nan() { -1.0 } else { f64::from(x).clamp(-1.0, 1.0) };
            assert_eq!(got as i32, (clamped * scale).round_ties_even() as i32, "{x:e} to {bits} bits");
        }
    }
}

#[test]
fn srgb_is_accurate_and_round_trips() {
    let decode = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
    let encode = |x: f64| if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    let one: fn(&mut Builder, Value) -> Value = texel::srgb_to_linear;
    let to_linear = Program::new(16, &[Scalar::F32], |b, a| vec![one(b, a[0])]);
    let to_srgb = Program::new(16, &[Scalar::F32], |b, a| vec![texel::linear_to_srgb(b, a[0])]);
    let args: Vec<f32> = (0..=100_000).map(|x| (f64::from(x) / 100_000.0) as f32).collect();
    let words: Vec<u64> = args.iter().map(|&x| float_bits(x)).collect();
    for (&x, &got) in args.iter().zip(&to_linear.run(&[&words], None)[0]) {
        let want = decode(x.into());
        assert!((f64::from(value(got)) - want).abs() <= want * 2f64.powi(-18), "{x}: {}", value(got));
    }
    for (&x, &got) in args.iter().zip(&to_srgb.run(&[&words], None)[0]) {
        let want = encode(x.into());
        assert!((f64::from(value(got)) - want).abs() <= 2f64.powi(-19), "{x}: {}", value(got));
        assert!((0.0..=1.0).contains(&value(got)));
    }
    assert_eq!([0.0, 1.0].map(|x| value(to_linear.one(&[float_bits(x)])[0])), [0.0, 1.0]);
    assert_eq!([0.0, 1.0].map(|x| value(to_srgb.one(&[float_bits(x)])[0])), [0.0, 1.0]);
    assert_eq!([-1.0, 7.0, f32::NAN].map(|x| value(to_srgb.one(&[float_bits(x)])[0])), [0.0, 1.0, 0.0]);
    // Eight bits come back.
    let round_trip = Program::new(16, &[Scalar::I32], |b, a| {
        let encoded = texel::unorm_to_float(b, a[0], 8);
        let linear = texel::srgb_to_linear(b, encoded);
        let encoded = texel::linear_to_srgb(b, linear);
        vec![texel::float_to_unorm(b, encoded, 8)]
    });
    let bytes: Vec<u64> = (0..256).collect();
    assert_eq!(round_trip.run(&[&bytes], None)[0], bytes);
}

/// The value of an unsigned float's bits, NaN and infinity included.
fn small_float(bits: u64, fraction_bits: u32) -> f64 {
    let (exponent, fraction) = (bits >> fraction_bits, bits & ((1 << fraction_bits) - 1));
    let fraction = fraction as f64 * 2f64.powi(-(fraction_bits as i32));
    match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-14),
        _ => (1.0 + fraction) * 2f64.powi(exponent as i32 - 15),
    }
}

#[test]
fn small_floats() {
    let mut random = Random::new(52);
    for fraction_bits in [5, 6] {
        let decode = Program::new(16, &[Scalar::I32], |b, a| {
            vec![texel::small_float_to_float(b, a[0], fraction_bits)]
        });
        let encode = Program::new(16, &[Scalar::F32], |b, a| {
            vec![texel::float_to_small_float(b, a[0], fraction_bits)]
        });
        let all: Vec<u64> = (0..32 << fraction_bits).collect();
        let values: Vec<f64> = all.iter().map(|&bits| small_float(bits, fraction_bits)).collect();
        let decoded = decode.run(&[&all], None).remove(0);
        for (&want, &got) in values.iter().zip(&decoded) {
            assert!(f64::from(value(got)) == want || want.is_nan() && value(got).is_nan());
        }
        for (&bits, &got) in all.iter().zip(&encode.run(&[&decoded], None)[0]) {
            let same = got == bits || small_float(bits, fraction_bits).is_nan();
            assert!(same && small_float(got, fraction_bits).is_nan() == values[bits as usize].is_nan());
        }
        // Nearest of all finite values, the even one of two.
        let finite = &values[..31 << fraction_bits];
        for _ in 0..3_000 {
            let bits = match random.below(3) {
                // Halfway between two neighbours, and one step beside it.
                0 => {
                    let lower = random.below(finite.len() as u64 - 1) as usize;
                    let middle = ((finite[lower] + finite[lower + 1]) / 2.0) as f32;
                    middle.to_bits().wrapping_add(random.below(3) as u32).wrapping_sub(1)
                }
                1 => (random.bits() & 0x7fff_ffff) as u32,
                _ => ((90 + random.below(56)) << 23 | random.below(1 << 23)) as u32,
            };
            let x = f32::from_bits(bits);
            if !x.is_finite() {
                continue;
            }
            let upper = finite.partition_point(|&value| value < f64::from(x)).min(finite.len() - 1);
            let lower = upper.saturating_sub(1);
            let (below, above) = (f64::from(x) - finite[lower], finite[upper] - f64::from(x));
            let nearest = if below < above || below == above && lower % 2 == 0 { lower } else { upper };
            assert_eq!(encode.one(&[bits.into()])[0], nearest as u64, "{x:e}");
        }
        let encode = |x: f32| encode.one(&[float_bits(x)])[0];
        let infinity = 31 << fraction_bits;
        assert_eq!([encode(-1.0), encode(f32::NEG_INFINITY), encode(-0.0)], [0, 0, 0]);
        assert_eq!([encode(1e30), encode(f32::INFINITY)], [infinity - 1, infinity]);
        assert!(small_float(encode(f32::NAN), fraction_bits).is_nan());
    }
}

#[test]
fn shared_exponents() {
    let decode = Program::new(16, &[Scalar::I32], |b, a| texel::shared_exponent_to_float(b, a[0]).to_vec());
    let encode = Program::new(16, &[Scalar::F32; 3], |b, a| {
        vec![texel::float_to_shared_exponent(b, [a[0], a[1], a[2]])]
    });
    let mut random = Random::new(53);
    for _ in 0..5_000 {
        let word = random.bits() & 0xffff_ffff;
        let exponent = (word >> 27) as i32;
        let want = [0, 9, 18].map(|shift| (word >> shift & 0x1ff) as f64 * 2f64.powi(exponent - 24));
        let got: Vec<f64> = decode.one(&[word]).into_iter().map(|bits| value(bits).into()).collect();
        assert_eq!(got, want);

        let special = [f32::NAN, f32::INFINITY, -3.0, 0.0, 65408.0, 1e6, 1.0, 0.999_99];
        let components = [0; 3].map(|_| match random.below(6) {
            0 => special[random.below(8) as usize],
            1 => {
                // Near the places where the largest component rounds up to the next exponent.
                let exponent = random.below(40) - 24;
                (511.5 * 2f64.powi(exponent - 9)) as f32 * (1.0 + (random.below(3) as f32 - 1.0) * 1e-7)
            }
            _ => (random.below(1 << 24) as f64 * 2f64.powi(random.below(40) - 48)) as f32,
        });
        // The specification's steps.
        let clamped = components.map(|x| if x.is_nan() { 0.0 } else { f64::from(x).clamp(0.0, 65408.0) });
        let greatest = clamped.into_iter().fold(0.0, f64::max);
        let log = if greatest > 0.0 { (greatest.to_bits() >> 52) as i32 - 1023 } else { -100 };
        let mut exponent = log.max(-16) + 16;
        let quantize = |x: f64, exponent: i32| (x / 2f64.powi(exponent - 24) + 0.5).floor() as u64;
        if quantize(greatest, exponent) == 512 {
            exponent += 1;
        }
        let word = clamped
            .into_iter()
            .enumerate()
            .fold((exponent as u64) << 27, |word, (index, x)| word | quantize(x, exponent) << (9 * index));
        let got = encode.one(&components.map(float_bits))[0];
        assert_eq!(got, word, "{components:?}: {got:#x}, not {word:#x}");
    }
}
