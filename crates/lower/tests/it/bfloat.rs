//! bfloat16: conversions from wider numbers round once; arithmetic and dot products against `f32`.

use crate::support::elementwise::Elementwise;

/// What becomes of the words `%w0` to `%w3`: the bits of `%r`.
fn run(body: &str, input: &[[u32; 4]]) -> Vec<u32> {
    let shader = Elementwise {
        capabilities: "OpCapability Int64 OpCapability Int16 OpCapability Float64
            OpCapability BFloat16TypeKHR OpCapability BFloat16DotProductKHR
            OpExtension \"SPV_KHR_bfloat16\"",
        modes: "",
        decorations: "",
        types: "%s32 = OpTypeInt 32 1
            %u16 = OpTypeInt 16 0
            %f32 = OpTypeFloat 32
            %f64 = OpTypeFloat 64
            %bf = OpTypeFloat 16 BFloat16KHR
            %bf2 = OpTypeVector %bf 2
            %v2 = OpTypeVector %u32 2",
        is_wide: false,
        inputs: &["w0", "w1", "w2", "w3"],
        body: &format!("{body}\n%r16 = OpBitcast %u16 %r\n%result = OpUConvert %u32 %r16"),
    };
    let input: Vec<u64> = input.iter().flatten().map(|&word| word.into()).collect();
    shader.run(&input).into_iter().map(|word| word as u32).collect()
}

/// The bfloat16 nearest to a number, ties to even, by integers.
fn nearest(number: f64) -> u32 {
    let bits = number.to_bits();
    let sign = (bits >> 48) as u32 & 0x8000;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    assert!((-120..=127).contains(&exponent), "normal numbers");
    let fraction = bits & ((1 << 52) - 1);
    let (kept, rest) = (fraction >> 45, fraction << 19);
    let up = rest > 1 << 63 || rest == 1 << 63 && kept & 1 == 1;
    sign | ((((exponent + 127) as u32) << 7) + kept as u32 + u32::from(up))
}

/// Bits of bfloat16 numbers from the low halves of words.
const READ: &str = "
    %h0 = OpUConvert %u16 %w0 %h1 = OpUConvert %u16 %w1 %h2 = OpUConvert %u16 %w2 %h3 = OpUConvert %u16 %w3
    %x = OpBitcast %bf %h0 %y = OpBitcast %bf %h1 %z = OpBitcast %bf %h2 %w = OpBitcast %bf %h3\n";

fn value(bits: u32) -> f64 {
    f32::from_bits(bits << 16).into()
}

#[test]
fn wide_numbers_are_rounded_once() {
    // Just above, at and below midpoints of bfloat16; what is above is lost in 32 bits.
    let tiny = 2f64.powi(-50);
    let doubles = [
        1.0 + 2f64.powi(-8) + tiny,
        1.0 + 2f64.powi(-8),
        1.0 + 2f64.powi(-8) - tiny,
        -(1.0 + 3.0 * 2f64.powi(-8)),
        -(1.0 + 3.0 * 2f64.powi(-8) - tiny),
        1e30,
        -3.25,
        1.0 / 3.0,
    ];
    let input = doubles.map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32, 0, 0]);
    let body = "%pair = OpCompositeConstruct %v2 %w0 %w1 %d = OpBitcast %f64 %pair %r = OpFConvert %bf %d";
    assert_eq!(run(body, &input), doubles.map(nearest));
    let integers =
        [0x0101_0001u32, 0x0101_0000, 0x0100_ffff, 7, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000, 0xfefe_ffff];
    let input = integers.map(|x| [x, 0, 0, 0]);
    assert_eq!(run("%r = OpConvertUToF %bf %w0", &input), integers.map(|x| nearest(x.into())));
    let signed = integers.map(|x| nearest((x as i32).into()));
    assert_eq!(run("%s = OpBitcast %s32 %w0 %r = OpConvertSToF %bf %s", &input), signed);
}

#[test]
fn arithmetic_is_rounded_once() {
    let mut state = 0x2545_f491u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // Exponents around 1.
        state & 0x807f | (124 + (state >> 20) % 8) << 7
    };
    let input: Vec<[u32; 4]> = (0..64).map(|_| [random(), random(), random(), random()]).collect();
    let want: Vec<u32> = input.iter().map(|w| nearest(value(w[0]) * value(w[1]))).collect();
    assert_eq!(run(&format!("{READ} %r = OpFMul %bf %x %y"), &input), want);
    // Exact in 64 bits; in 32 bits the sum is rounded, which is within Vulkan's bounds.
    let got = run(
        &format!(
            "{READ} %a = OpCompositeConstruct %bf2 %x %y %b = OpCompositeConstruct %bf2 %z %w
             %r = OpDot %bf %a %b"
        ),
        &input,
    );
    for (w, got) in input.iter().zip(got) {
        let exact = value(w[0]) * value(w[2]) + value(w[1]) * value(w[3]);
        let largest = (value(w[0]) * value(w[2])).abs().max((value(w[1]) * value(w[3])).abs());
        let error = (value(got) - exact).abs();
        assert!(error <= exact.abs() * 2f64.powi(-8) + largest * 2f64.powi(-22), "{w:x?}: {got:x}, {exact}");
    }
    let body = format!("{READ} %c = OpFOrdLessThan %bool %x %y %r = OpSelect %bf %c %x %y");
    let want: Vec<u32> = input.iter().map(|w| if value(w[0]) < value(w[1]) { w[0] } else { w[1] }).collect();
    assert_eq!(run(&body, &input), want);
}
