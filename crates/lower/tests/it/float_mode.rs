//! Execution modes of floats: denormals flushed, rounding towards zero, against exact integer arithmetic.

use crate::support::elementwise::Elementwise;

/// What becomes of pairs of floats of `width` bits, `%x` and `%y`, whose bits are `%xbits` and `%ybits`: the
/// bits of `%r`.
fn run(width: u32, mode: &str, body: &str, pairs: &[[u64; 2]]) -> Vec<u64> {
    let capability = match width {
        16 => "OpCapability Float16 OpCapability Int16",
        64 => "OpCapability Float64",
        _ => "",
    };
    // `%float` is the type under test, `%single` that of 32 bits where it is another.
    let types = match width {
        16 => "%u16 = OpTypeInt 16 0 %float = OpTypeFloat 16 %single = OpTypeFloat 32",
        32 => "%float = OpTypeFloat 32",
        _ => "%float = OpTypeFloat 64 %single = OpTypeFloat 32",
    };
    let read = |name: &str, source: &str| match width {
        16 => format!("%{name}16 = OpUConvert %u16 %{source} %{name} = OpBitcast %float %{name}16"),
        32 => format!("%{name}32 = OpUConvert %u32 %{source} %{name} = OpBitcast %float %{name}32"),
        _ => format!("%{name} = OpBitcast %float %{source}"),
    };
    let write = match width {
        16 => "%r16 = OpBitcast %u16 %r %result = OpUConvert %u64 %r16",
        32 => "%r32 = OpBitcast %u32 %r %result = OpUConvert %u64 %r32",
        _ => "%result = OpBitcast %u64 %r",
    };
    let shader = Elementwise {
        capabilities: &format!(
            "OpCapability Int64 {capability}
            OpCapability DenormFlushToZero OpCapability RoundingModeRTZ OpCapability FMAKHR
            OpExtension \"SPV_KHR_float_controls\" OpExtension \"SPV_KHR_fma\"
            %glsl = OpExtInstImport \"GLSL.std.450\""
        ),
        modes: mode,
        decorations: "",
        types: &format!("%s64 = OpTypeInt 64 1 {types} %v2 = OpTypeVector %float 2"),
        is_wide: true,
        inputs: &["xbits", "ybits"],
        body: &format!("{} {}\n{body}\n{write}", read("x", "xbits"), read("y", "ybits")),
    };
    shader.run(pairs.as_flattened())
}

/// Bits behind the point, and the bias of the exponent.
fn format(width: u32) -> (u32, i32) {
    match width {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    }
}

/// `numerator * 2^exponent`, rounded towards zero to a normal or infinite-free float's bits.
fn toward_zero(width: u32, number: i128, exponent: i32) -> u64 {
    let (fraction, bias) = format(width);
    let sign = u64::from(number < 0) << (width - 1);
    let magnitude = number.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let top = 127 - magnitude.leading_zeros() as i32;
    let shift = top - fraction as i32;
    let significand = if shift > 0 { magnitude >> shift } else { magnitude << -shift };
    let field = top + exponent + bias;
    assert!(field > 0, "the reference is for normal results");
    if field > 2 * bias {
        return sign | (((2 * bias as u64 + 1) << fraction) - 1);
    }
    sign | (field as u64) << fraction | (significand as u64 & ((1 << fraction) - 1))
}

/// A normal float's bits as number and exponent.
fn parts(width: u32, bits: u64) -> (i128, i32) {
    let (fraction, bias) = format(width);
    let significand = (bits & ((1 << fraction) - 1) | 1 << fraction) as i128;
    let field = (bits >> fraction) as i32 & (2 * bias + 1);
    let number = if bits >> (width - 1) & 1 != 0 { -significand } else { significand };
    (number, field - bias - fraction as i32)
}

/// Random normal floats whose exponents are at most 12 apart.
fn pairs(width: u32) -> Vec<[u64; 2]> {
    let (fraction, bias) = format(width);
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut float = move || {
        let bits = random();
        // Few significant bits now and then, so that exact results occur.
        let fraction_bits = match bits >> 60 {
            0..4 => bits & ((1 << fraction) - 1) & !((1 << (fraction - 3)) - 1),
            _ => bits & ((1 << fraction) - 1),
        };
        let field = (bias + (random() % 13) as i32 - 6) as u64;
        (bits >> 59 & 1) << (width - 1) | field << fraction | fraction_bits
    };
    (0..256).map(|_| [float(), float()]).collect()
}

#[test]
fn sums_and_products_round_toward_zero() {
    for width in [16, 32, 64] {
        let mode = format!("OpExecutionMode %main RoundingModeRTZ {width}");
        let pairs = pairs(width);
        let sum = |x: u64, y: u64| {
            let ((x, ex), (y, ey)) = (parts(width, x), parts(width, y));
            let low = ex.min(ey);
            toward_zero(width, (x << (ex - low)) + (y << (ey - low)), low)
        };
        let product = |x: u64, y: u64| {
            let ((x, ex), (y, ey)) = (parts(width, x), parts(width, y));
            toward_zero(width, x * y, ex + ey)
        };
        let negative = |y: u64| y ^ 1 << (width - 1);
        let want: Vec<_> = pairs.iter().map(|&[x, y]| sum(x, y)).collect();
        assert_eq!(run(width, &mode, "%r = OpFAdd %float %x %y", &pairs), want, "sums of {width} bits");
        let want: Vec<_> = pairs.iter().map(|&[x, y]| sum(x, negative(y))).collect();
        assert_eq!(run(width, &mode, "%r = OpFSub %float %x %y", &pairs), want);
        let want: Vec<_> = pairs.iter().map(|&[x, y]| product(x, y)).collect();
        assert_eq!(run(width, &mode, "%r = OpFMul %float %x %y", &pairs), want);
        let dot = "%a = OpCompositeConstruct %v2 %x %y %r = OpDot %float %a %a";
        let want: Vec<_> = pairs.iter().map(|&[x, y]| sum(product(x, x), product(y, y))).collect();
        assert_eq!(run(width, &mode, dot, &pairs), want);
        let fused = "%r = OpFmaKHR %float %x %y %x";
        let fused_sum = |x: u64, y: u64| {
            let ((x, ex), (y, ey)) = (parts(width, x), parts(width, y));
            let low = (ex + ey).min(ex);
            toward_zero(width, ((x * y) << (ex + ey - low)) + (x << (ex - low)), low)
        };
        // Without cancellation in 16 bits, where it would give denormals.
        let few: Vec<_> = pairs.iter().copied().filter(|&[_, y]| width > 16 || y >> 15 == 0).collect();
        let want: Vec<_> = few.iter().map(|&[x, y]| fused_sum(x, y)).collect();
        assert_eq!(run(width, &mode, fused, &few), want, "fused sums of {width} bits");
        // Without the mode the nearest is taken, which differs somewhere.
        let nearest = run(width, "", "%r = OpFMul %float %x %y", &pairs);
        assert!(nearest.iter().zip(&pairs).any(|(&r, &[x, y])| r != product(x, y)));
    }
}

#[test]
fn overflow_and_underflow_toward_zero() {
    for (width, greatest, least) in [(16, 0x7bff, 1u64), (32, 0x7f7f_ffff, 1), (64, 0x7fef_ffff_ffff_ffff, 1)]
    {
        let mode = format!("OpExecutionMode %main RoundingModeRTZ {width}");
        let infinity = greatest + 1;
        let sign = 1u64 << (width - 1);
        let pairs = [
            [greatest, greatest],
            [sign | greatest, sign | greatest],
            [infinity, greatest],
            [sign | infinity, 0],
        ];
        let want = [greatest, sign | greatest, infinity, sign | infinity];
        assert_eq!(run(width, &mode, "%r = OpFAdd %float %x %y", &pairs), want);
        let (fraction, bias) = format(width);
        // The least number times 1.5, 0.75 and 0.25; in between nothing is representable.
        let factor = |quarters: u64| match quarters {
            6 => (bias as u64) << fraction | 1 << (fraction - 1),
            3 => (bias as u64 - 1) << fraction | 1 << (fraction - 1),
            _ => (bias as u64 - 2) << fraction,
        };
        let pairs = [6, 3, 1, 1].map(|quarters| [least, factor(quarters)]);
        assert_eq!(run(width, &mode, "%r = OpFMul %float %x %y", &pairs), [least, 0, 0, 0]);
        let fused = "%r = OpFmaKHR %float %x %x %y";
        let pairs = [[1, infinity], [1, sign | infinity], [1, greatest], [1, sign | greatest]];
        let want = [infinity, sign | infinity, greatest, sign | (greatest - 1)];
        assert_eq!(run(width, &mode, fused, &pairs), want);
        let pairs = [[greatest, greatest], [infinity, 1], [greatest, sign | greatest], [sign, greatest]];
        let want = [greatest, infinity, sign | greatest, sign];
        assert_eq!(run(width, &mode, "%r = OpFMul %float %x %y", &pairs), want);
    }
}

#[test]
fn integers_round_toward_zero() {
    let numbers: [i64; 8] = [
        i64::MAX,
        i64::MIN,
        -1,
        0x7fff_ffff_ffff_fe01,
        -0x7fff_ffff_ffff_fe01,
        16_777_219,
        -16_777_219,
        2047 << 40 | 1,
    ];
    let pairs = numbers.map(|number| [number as u64, 0]);
    for width in [32, 64] {
        let mode = format!("OpExecutionMode %main RoundingModeRTZ {width}");
        let want = numbers.map(|number| toward_zero(width, number.into(), 0));
        let body = "%n = OpBitcast %s64 %xbits %r = OpConvertSToF %float %n";
        assert_eq!(run(width, &mode, body, &pairs), want);
        let want = numbers.map(|number| toward_zero(width, (number as u64).into(), 0));
        assert_eq!(run(width, &mode, "%r = OpConvertUToF %float %xbits", &pairs), want);
    }
}

#[test]
fn denormals_are_flushed() {
    for width in [16, 32, 64] {
        let (fraction, bias) = format(width);
        let mode = format!("OpExecutionMode %main DenormFlushToZero {width}");
        let normal = 1u64 << fraction;
        let (denormal, sign) = (normal - 1, 1u64 << (width - 1));
        let half = (bias as u64 - 1) << fraction;
        let one = (bias as u64) << fraction;
        // Operands and results of arithmetic; bits of no other.
        let product = "%r = OpFMul %float %x %y";
        let pairs = [[normal, half], [denormal, one], [sign | denormal, one], [normal, one]];
        assert_eq!(run(width, &mode, product, &pairs), [0, 0, sign, normal]);
        assert_eq!(run(width, "", product, &pairs), [normal / 2, denormal, sign | denormal, normal]);
        let order = "%c = OpFOrdLessThan %bool %x %y %r = OpSelect %float %c %x %y";
        let pairs = [[denormal, normal], [1, denormal], [sign | denormal, denormal], [sign | normal, 1]];
        assert_eq!(run(width, &mode, order, &pairs), [denormal, denormal, denormal, sign | normal]);
        let extended = "%r = OpExtInst %float %glsl FMax %x %y";
        let pairs =
            [[denormal, sign | one], [sign | denormal, sign | one], [denormal, one], [normal, denormal]];
        assert_eq!(run(width, &mode, extended, &pairs), [0, sign, one, normal]);
    }
}

#[test]
fn widths_are_independent() {
    let mode = "OpExecutionMode %main RoundingModeRTZ 64 OpExecutionMode %main DenormFlushToZero 64";
    let near = 0x3f80_0001;
    let got = run(32, mode, "%r = OpFMul %float %x %y", &[[near, 0x3fff_ffff], [1, 0x3f80_0000]]);
    assert_eq!(got, [u64::from((f32::from_bits(near as u32) * f32::from_bits(0x3fff_ffff)).to_bits()), 1]);
}

/// `UnpackHalf2x16` operates on `f16` though it gives `f32`.
#[test]
fn unpacked_halves_are_flushed() {
    let body = "%w = OpUConvert %u32 %xbits %v = OpExtInst %v2 %glsl UnpackHalf2x16 %w
        %r = OpCompositeExtract %float %v 1";
    let pairs = [[0x03ff_3c00, 0], [0x83ff_3c00, 0], [0x0400_0001, 0], [0x3c00_0001, 0]];
    let mode = "OpExecutionMode %main DenormFlushToZero 16";
    let tiny = 2.0_f32.powi(-14).to_bits().into();
    let one = 1.0_f32.to_bits().into();
    assert_eq!(run(32, mode, body, &pairs), [0, 0x8000_0000, tiny, one]);
    let denormal = (1023.0 * 2.0_f32.powi(-24)).to_bits();
    assert_eq!(run(32, "", body, &pairs), [denormal.into(), (denormal | 1 << 31).into(), tiny, one]);
}
