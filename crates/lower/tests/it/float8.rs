//! 8-bit floats (`SPV_EXT_float8`): every value, and conversions to them against a search for the nearest.

use crate::support::elementwise::Elementwise;

/// Exponent bits, mantissa bits, bias, the greatest finite code, what larger ones become, NaN.
struct Kind {
    name: &'static str,
    mantissa: u32,
    bias: i32,
    greatest: u32,
    beyond: u32,
    nan: u32,
}

const KINDS: [Kind; 2] = [
    Kind { name: "Float8E4M3EXT", mantissa: 3, bias: 7, greatest: 0x7e, beyond: 0x7f, nan: 0x7f },
    Kind { name: "Float8E5M2EXT", mantissa: 2, bias: 15, greatest: 0x7b, beyond: 0x7c, nan: 0x7e },
];

/// What invocation `i` makes of word `i`, which `%w` holds: `%r`, 32 bits.
fn run(kind: &Kind, body: &str, input: &[u32]) -> Vec<u32> {
    let name = kind.name;
    // Only ids that the body defines may be decorated.
    let decoration = match body.contains("%saturated") {
        true => "OpDecorate %saturated SaturatedToLargestFloat8NormalConversionEXT",
        false => "",
    };
    let shader = Elementwise {
        capabilities: "OpCapability Int8 OpCapability Float16 OpCapability Float64 OpCapability Float8EXT
            OpExtension \"SPV_EXT_float8\"",
        modes: "",
        decorations: decoration,
        types: &format!(
            "%s32 = OpTypeInt 32 1
            %u8 = OpTypeInt 8 0
            %f16 = OpTypeFloat 16
            %f32 = OpTypeFloat 32
            %f64 = OpTypeFloat 64
            %f8 = OpTypeFloat 8 {name}"
        ),
        is_wide: false,
        inputs: &["w"],
        body: &format!("{body}\n%result = OpCopyObject %u32 %r"),
    };
    let input: Vec<u64> = input.iter().map(|&word| word.into()).collect();
    shader.run(&input).into_iter().map(|word| word as u32).collect()
}

/// The value of a code; none for NaN.
fn value(kind: &Kind, code: u32) -> Option<f64> {
    let magnitude = code & 0x7f;
    let sign = if code & 0x80 == 0 { 1.0 } else { -1.0 };
    if magnitude > kind.greatest {
        return (magnitude == kind.beyond && kind.beyond != kind.nan).then_some(sign * f64::INFINITY);
    }
    let (exponent, fraction) = (magnitude >> kind.mantissa, magnitude & ((1 << kind.mantissa) - 1));
    let hidden = if exponent == 0 { 0 } else { 1 << kind.mantissa };
    let scale = exponent.max(1) as i32 - kind.bias - kind.mantissa as i32;
    Some(sign * f64::from(hidden + fraction) * 2f64.powi(scale))
}

/// The code nearest to a number, ties to even.
fn nearest(kind: &Kind, x: f64, saturate: bool) -> u32 {
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    if x.is_nan() {
        return sign | kind.nan;
    }
    let finite = |code: u32| value(kind, code).expect("finite");
    let (x, greatest) = (x.abs(), finite(kind.greatest));
    let half = (greatest - finite(kind.greatest - 1)) / 2.0;
    let is_odd = kind.greatest % 2 == 1;
    if x > greatest + half || is_odd && x == greatest + half {
        return sign | if saturate { kind.greatest } else { kind.beyond };
    }
    let distance = |code: &u32| (finite(*code) - x).abs();
    let better = |a: &u32, b: &u32| distance(a).total_cmp(&distance(b)).then((a % 2).cmp(&(b % 2)));
    sign | (0..=kind.greatest).min_by(better).expect("some code")
}

/// Every code, what lies between neighbours, and beside that.
fn interesting(kind: &Kind) -> Vec<u32> {
    let mut numbers = vec![f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45, 1e30, 1e-30, 465.0, 480.0];
    for code in 0..=kind.greatest {
        let here = value(kind, code).expect("finite");
        let step = if code == kind.greatest { here - value(kind, code - 1).unwrap() } else { 0.0 };
        let next = value(kind, code + 1).filter(|next| next.is_finite()).unwrap_or(here + step);
        numbers.extend([here as f32, ((here + next) / 2.0) as f32, ((3.0 * here + next) / 4.0) as f32]);
    }
    let mut words: Vec<u32> = Vec::new();
    for number in numbers {
        let bits = number.to_bits();
        for bits in [bits, bits.wrapping_sub(1), bits + 1] {
            words.extend([bits, bits | 1 << 31]);
        }
    }
    words.push(f32::NAN.to_bits());
    words
}

#[test]
fn every_value_is_read() {
    for kind in &KINDS {
        let codes: Vec<u32> = (0..256).collect();
        let body = "%narrow = OpUConvert %u8 %w
            %x = OpBitcast %f8 %narrow
            %y = OpFConvert %f32 %x
            %r = OpBitcast %u32 %y";
        for (code, bits) in codes.iter().zip(run(kind, body, &codes)) {
            let found = f32::from_bits(bits);
            match value(kind, *code) {
                Some(value) => {
                    assert_eq!(found.to_bits(), (value as f32).to_bits(), "{} {code:#x}", kind.name)
                }
                None => assert!(found.is_nan(), "{} {code:#x}", kind.name),
            }
        }
    }
}

#[test]
fn conversions_round_to_the_nearest() {
    for kind in &KINDS {
        let input = interesting(kind);
        for (result, saturate) in [("%plain", false), ("%saturated", true)] {
            let body = format!(
                "%x = OpBitcast %f32 %w
                {result} = OpFConvert %f8 %x
                %narrow = OpBitcast %u8 {result}
                %r = OpUConvert %u32 %narrow"
            );
            // The decoration must have something to stand at.
            let body = if saturate { body } else { body + "\n%saturated = OpFConvert %f8 %x" };
            for (&bits, code) in input.iter().zip(run(kind, &body, &input)) {
                let x = f32::from_bits(bits);
                let expected = nearest(kind, x.into(), saturate);
                assert_eq!(code, expected, "{} {x:e} ({bits:#x}), saturate {saturate}", kind.name);
            }
        }
    }
}

/// From `f64` (wider than what it goes through), from `f16` and from integers.
#[test]
fn conversions_round_once() {
    for kind in &KINDS {
        let input: Vec<u32> = (1..=64).chain([447, 448, 463, 464, 465, 61439, 61440, u32::MAX]).collect();
        let body = "%y = OpConvertUToF %f8 %w
            %narrow = OpBitcast %u8 %y
            %saturated = OpFConvert %f32 %y
            %back = OpConvertFToU %u32 %y
            %high = OpIMul %u32 %back %w
            %wide = OpUConvert %u32 %narrow
            %zero = OpIMul %u32 %high %c0
            %r = OpIAdd %u32 %wide %zero";
        for (&number, code) in input.iter().zip(run(kind, body, &input)) {
            assert_eq!(code, nearest(kind, number.into(), false), "{} {number}", kind.name);
        }
        let body = "%x = OpBitcast %f32 %w
            %double = OpFConvert %f64 %x
            %above = OpFAdd %f64 %double %double
            %y = OpFConvert %f8 %above
            %half = OpFConvert %f16 %y
            %saturated = OpFConvert %f8 %half
            %narrow = OpBitcast %u8 %saturated
            %r = OpUConvert %u32 %narrow";
        let input = interesting(kind);
        for (&bits, code) in input.iter().zip(run(kind, body, &input)) {
            let x = f64::from(f32::from_bits(bits)) * 2.0;
            let expected = nearest(kind, x, false);
            // Infinities of `f16` saturate on the way back.
            let expected = if expected & 0x7f == kind.beyond && kind.beyond != kind.nan {
                expected & 0x80 | kind.greatest
            } else {
                expected
            };
            assert_eq!(code, expected, "{} {x:e}", kind.name);
        }
    }
}
