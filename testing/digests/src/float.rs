//! Random shaders that compute with floats of 16, 32 and 64 bits.
//!
//! Vulkan leaves open what most of these operations give, and the reference evaluator has none of them; what
//! matters here is that the driver gives the same bits everywhere. Programs are straight lines of operations
//! on random values, whose results are all written. The payload of a NaN is the one thing that may differ
//! ([`Nan`]).

use pyro_random::Random;
use std::fmt::Write;

/// What is done about NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// The shader writes one number in place of any NaN.
    Replaced,
    /// Its bits are written.
    Kept,
}

/// Invocations of a workgroup.
const INVOCATIONS: u32 = 64;
/// Workgroups.
pub const GROUPS: u32 = 3;
/// Words of the input.
pub const INPUT_WORDS: usize = 1024;

/// A float type by its width.
const WIDTHS: [u32; 3] = [16, 32, 64];

/// Operations that take as many floats as said and give one, of any width; those of GLSL.std.450 begin with
/// `!`, and with `?` where they are for 16 and 32 bits only.
const OPERATIONS: [(&str, usize); 51] = [
    ("OpFAdd", 2),
    ("OpFSub", 2),
    ("OpFMul", 2),
    ("OpFDiv", 2),
    ("OpFRem", 2),
    ("OpFMod", 2),
    ("OpFNegate", 1),
    ("!Fma", 3),
    ("!Sqrt", 1),
    ("!InverseSqrt", 1),
    ("!Floor", 1),
    ("!Ceil", 1),
    ("!Trunc", 1),
    ("!Round", 1),
    ("!RoundEven", 1),
    ("!Fract", 1),
    ("!FAbs", 1),
    ("!FSign", 1),
    ("!FMin", 2),
    ("!FMax", 2),
    ("!NMin", 2),
    ("!NMax", 2),
    ("!FClamp", 3),
    ("!NClamp", 3),
    ("!FMix", 3),
    ("!Step", 2),
    ("!SmoothStep", 3),
    ("?Exp", 1),
    ("?Exp2", 1),
    ("?Log", 1),
    ("?Log2", 1),
    ("?Sin", 1),
    ("?Cos", 1),
    ("?Tan", 1),
    ("?Asin", 1),
    ("?Acos", 1),
    ("?Atan", 1),
    ("?Sinh", 1),
    ("?Cosh", 1),
    ("?Tanh", 1),
    ("?Asinh", 1),
    ("?Acosh", 1),
    ("?Atanh", 1),
    ("?Radians", 1),
    ("?Degrees", 1),
    ("?Pow", 2),
    ("?Atan2", 2),
    ("=OpFOrdLessThan", 2),
    ("=OpFUnordEqual", 2),
    ("=OpFOrdGreaterThanEqual", 2),
    ("=OpFUnordNotEqual", 2),
];

const HEADER: &str = "; Version: 1.3
OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int16
OpCapability Int64
OpCapability SignedZeroInfNanPreserve
OpExtension \"SPV_KHR_float_controls\"
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %global_id
OpExecutionMode %main SignedZeroInfNanPreserve 16
OpExecutionMode %main SignedZeroInfNanPreserve 32
OpExecutionMode %main SignedZeroInfNanPreserve 64
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer BufferBlock
OpDecorate %input DescriptorSet 0
OpDecorate %input Binding 0
OpDecorate %output DescriptorSet 0
OpDecorate %output Binding 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%i16 = OpTypeInt 16 0
%i64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%f16_one = OpConstant %f16 1
%f32_one = OpConstant %f32 1
%f64_one = OpConstant %f64 1
%nan16 = OpConstant %i16 32256
%nan32 = OpConstant %uint 2143289344
%nan64 = OpConstant %i64 9221120237041090560
%thirty_two = OpConstant %i64 32
%uint3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %words
%buffer_pointer = OpTypePointer Uniform %buffer
%word_pointer = OpTypePointer Uniform %uint
%in_uint3 = OpTypePointer Input %uint3
%main_type = OpTypeFunction %void
%global_id = OpVariable %in_uint3 Input
%input = OpVariable %buffer_pointer Uniform
%output = OpVariable %buffer_pointer Uniform
";

/// The shader of a seed: its text, and the widths of the values that an invocation writes.
#[must_use]
pub fn shader(seed: u64, nan: Nan) -> (String, Vec<u32>) {
    let mut writer = Writer { random: Random::new(seed), body: String::new(), next: 0 };
    let mut values: Vec<(u32, String)> = Vec::new();
    for word in 0..6 {
        values.push(writer.input(word));
    }
    let first = values.len();
    for _ in 0..8 + seed % 24 {
        let value = writer.operation(&values);
        values.push(value);
    }
    let mut words = Vec::new();
    for (width, value) in &values[first..] {
        words.extend(writer.bits(*width, value, nan));
    }
    let count = words.len() as u32;
    let mut stores = String::new();
    for (number, word) in words.iter().enumerate() {
        let _ = writeln!(stores, "%at{number} = OpIAdd %uint %base %u{number}");
        let _ = writeln!(stores, "%to{number} = OpAccessChain %word_pointer %output %u0 %at{number}");
        let _ = writeln!(stores, "OpStore %to{number} {word}");
    }
    let mut text = HEADER.to_owned();
    for number in 0..count.max(8) {
        let _ = writeln!(text, "%u{number} = OpConstant %uint {number}");
    }
    let _ = writeln!(text, "%count = OpConstant %uint {count}");
    let _ = writeln!(text, "%mask = OpConstant %uint {}", INPUT_WORDS - 1);
    text += "%main = OpFunction %void None %main_type\n%entry = OpLabel\n\
             %ids = OpLoad %uint3 %global_id\n%gid = OpCompositeExtract %uint %ids 0\n\
             %base = OpIMul %uint %gid %count\n%start = OpIMul %uint %gid %u7\n";
    let widths = values[first..].iter().map(|(width, _)| *width).collect();
    (text + &writer.body + &stores + "OpReturn\nOpFunctionEnd\n", widths)
}

/// Words that all invocations write which write values of these widths.
#[must_use]
pub fn word_count(widths: &[u32]) -> usize {
    let words: u32 = widths.iter().map(|width| width.div_ceil(32)).sum();
    (INVOCATIONS * GROUPS * words) as usize
}

/// The words of each value of these widths in what a shader has written, with its width.
#[must_use]
pub fn values<'w>(widths: &[u32], mut words: &'w [u32]) -> Vec<(u32, &'w [u32])> {
    let all = (0..INVOCATIONS * GROUPS).flat_map(|_| widths);
    all.map_while(|&width| {
        let (value, rest) = words.split_at_checked(width.div_ceil(32) as usize)?;
        words = rest;
        Some((width, value))
    })
    .collect()
}

/// Whether the words of a float are a NaN.
#[must_use]
pub fn is_nan(width: u32, words: &[u32]) -> bool {
    match (width, words) {
        (16, [word]) => word & 0x7fff > 0x7c00,
        (32, [word]) => f32::from_bits(*word).is_nan(),
        (64, [low, high]) => f64::from_bits(u64::from(*low) | u64::from(*high) << 32).is_nan(),
        _ => false,
    }
}

/// What shaders read: as floats, numbers of all magnitudes, and some that are none.
#[must_use]
pub fn input() -> Vec<u32> {
    let mut random = Random::new(3);
    let special = [0, 1, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 0x3f80_0000, 0x007f_ffff, 0x7f7f_ffff];
    (0..INPUT_WORDS)
        .map(|_| match random.below(4u32) {
            0 => random.pick(&special) | random.word() & 0x8000_0000,
            1 => random.word(),
            _ => random.float(-20.0, 20.0).to_bits(),
        })
        .collect()
}

struct Writer {
    random: Random,
    body: String,
    next: u32,
}

impl Writer {
    /// Writes an instruction with a result, whose name it gives.
    fn inst(&mut self, ty: &str, rest: &str) -> String {
        let name = format!("%v{}", self.next);
        self.next += 1;
        let (op, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let _ = writeln!(self.body, "{name} = {op} {ty} {operands}");
        name
    }

    /// A float from a word of the input.
    fn input(&mut self, word: u32) -> (u32, String) {
        let at = self.inst("%uint", &format!("OpIAdd %start %u{word}"));
        let at = self.inst("%uint", &format!("OpBitwiseAnd {at} %mask"));
        let pointer = self.inst("%word_pointer", &format!("OpAccessChain %input %u0 {at}"));
        let bits = self.inst("%uint", &format!("OpLoad {pointer}"));
        let value = self.inst("%f32", &format!("OpBitcast {bits}"));
        let width = self.random.pick(&WIDTHS);
        (width, self.converted(32, &value, width))
    }

    fn converted(&mut self, from: u32, value: &str, to: u32) -> String {
        if from == to {
            return value.to_owned();
        }
        self.inst(&format!("%f{to}"), &format!("OpFConvert {value}"))
    }

    /// A random operation on some of the values.
    fn operation(&mut self, values: &[(u32, String)]) -> (u32, String) {
        let width = self.random.pick(&WIDTHS);
        let ty = format!("%f{width}");
        let (name, count) = loop {
            let (name, count) = self.random.pick(&OPERATIONS);
            if width < 64 || !name.starts_with('?') {
                break (name, count);
            }
        };
        let operands: Vec<String> = (0..count)
            .map(|_| {
                // Later values more often, so that operations depend on each other.
                let newest = self.random.one_in(2);
                let first = if newest { values.len().saturating_sub(4) } else { 0 };
                let (from, value) =
                    &values[first + self.random.below((values.len() - first) as u32) as usize];
                self.converted(*from, value, width)
            })
            .collect();
        let operands = operands.join(" ");
        let value = match name.split_at(1) {
            ("!" | "?", function) => self.inst(&ty, &format!("OpExtInst %glsl {function} {operands}")),
            ("=", comparison) => {
                let holds = self.inst("%bool", &format!("{comparison} {operands}"));
                let (_, other) = &values[self.random.below(values.len() as u32) as usize];
                let from = values.iter().find(|(_, name)| name == other).map_or(width, |(from, _)| *from);
                let other = self.converted(from, other, width);
                self.inst(&ty, &format!("OpSelect {holds} {other} %f{width}_one"))
            }
            _ => self.inst(&ty, &format!("{name} {operands}")),
        };
        if self.random.one_in(8) {
            let whole = self.inst("%int", &format!("OpConvertFToS {value}"));
            return (width, self.inst(&ty, &format!("OpConvertSToF {whole}")));
        }
        (width, value)
    }

    /// The bits of a value, as words.
    fn bits(&mut self, width: u32, value: &str, nan: Nan) -> Vec<String> {
        let integer = if width == 32 { "%uint".to_owned() } else { format!("%i{width}") };
        let mut bits = self.inst(&integer, &format!("OpBitcast {value}"));
        if nan == Nan::Replaced {
            let is_nan = self.inst("%bool", &format!("OpIsNan {value}"));
            bits = self.inst(&integer, &format!("OpSelect {is_nan} %nan{width} {bits}"));
        }
        match width {
            32 => vec![bits],
            16 => vec![self.inst("%uint", &format!("OpUConvert {bits}"))],
            _ => {
                let low = self.inst("%uint", &format!("OpUConvert {bits}"));
                let high = self.inst("%i64", &format!("OpShiftRightLogical {bits} %thirty_two"));
                vec![low, self.inst("%uint", &format!("OpUConvert {high}"))]
            }
        }
    }
}
