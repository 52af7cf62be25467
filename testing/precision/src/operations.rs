//! The operations: how SPIR-V says them, and what they should give.

/// An operation on `f32`.
pub struct Operation {
    /// Its name in the table.
    pub name: &'static str,
    /// How many arguments it has.
    pub arity: usize,
    /// The instruction without its result: `%x`, `%y` and `%z` are the arguments.
    pub instruction: &'static str,
    /// The true result, some hundred million times finer.
    pub reference: fn([f64; 3]) -> f64,
    /// Arguments of greater magnitude do not count.
    pub limit: f32,
    /// What Vulkan asks for ("Precision of core SPIR-V Instructions", "Precision of GLSL.std.450
    /// Instructions").
    pub required: &'static str,
}

const fn operation(
    name: &'static str,
    arity: usize,
    instruction: &'static str,
    reference: fn([f64; 3]) -> f64,
    required: &'static str,
) -> Operation {
    Operation { name, arity, instruction, reference, limit: f32::INFINITY, required }
}

/// Up to 2^17, where the reduction of arguments ends.
const fn circular(operation: Operation) -> Operation {
    Operation { limit: 131_072.0, ..operation }
}

/// The definition's `Exp` is infinite where the result might still be finite.
fn past_exp(x: f64, value: f64) -> f64 {
    if x.abs().exp() > f64::from(f32::MAX) { f64::INFINITY.copysign(value) } else { value }
}

/// Rounds halves to even.
fn to_half(x: f64) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(-14);
    let unit = 2f64.powi(exponent - 10);
    let rounded = (x / unit).round_ties_even() * unit;
    if rounded.abs() > 65504.0 { f64::INFINITY.copysign(x) } else { rounded }
}

/// As `OpQuantizeToF16`, which flushes what would be subnormal.
fn quantized(x: f64) -> f64 {
    let half = to_half(x);
    if half.abs() < 2f64.powi(-14) { 0f64.copysign(x) } else { half }
}

/// All of them.
#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    operation("OpFAdd", 2, "OpFAdd %f32 %x %y", |[x, y, _]| x + y, "correctly rounded"),
    operation("OpFSub", 2, "OpFSub %f32 %x %y", |[x, y, _]| x - y, "correctly rounded"),
    operation("OpFMul", 2, "OpFMul %f32 %x %y", |[x, y, _]| x * y, "correctly rounded"),
    operation("OpFDiv", 2, "OpFDiv %f32 %x %y", |[x, y, _]| x / y, "2.5 ULP for abs(y) in [2^-126, 2^126]"),
    operation("1 / x", 1, "OpFDiv %f32 %one %x", |[x, _, _]| 1.0 / x, "2.5 ULP for abs(x) in [2^-126, 2^126]"),
    operation("OpQuantizeToF16", 1, "OpQuantizeToF16 %f32 %x", |[x, _, _]| quantized(x), "correct"),
    operation("Fma", 3, "OpExtInst %f32 %glsl Fma %x %y %z", |[x, y, z]| x.mul_add(y, z), "as OpFMul, OpFAdd"),
    operation("Floor", 1, "OpExtInst %f32 %glsl Floor %x", |[x, _, _]| x.floor(), "correct"),
    operation("Ceil", 1, "OpExtInst %f32 %glsl Ceil %x", |[x, _, _]| x.ceil(), "correct"),
    operation("Trunc", 1, "OpExtInst %f32 %glsl Trunc %x", |[x, _, _]| x.trunc(), "correct"),
    operation("RoundEven", 1, "OpExtInst %f32 %glsl RoundEven %x", |[x, _, _]| x.round_ties_even(), "correct"),
    operation("Fract", 1, "OpExtInst %f32 %glsl Fract %x", |[x, _, _]| x - x.floor(), "as x - Floor(x)"),
    operation("FAbs", 1, "OpExtInst %f32 %glsl FAbs %x", |[x, _, _]| x.abs(), "correct"),
    operation("Radians", 1, "OpExtInst %f32 %glsl Radians %x", |[x, _, _]| x.to_radians(), "as x * C"),
    operation("Degrees", 1, "OpExtInst %f32 %glsl Degrees %x", |[x, _, _]| x.to_degrees(), "as x * C"),
    operation("Sqrt", 1, "OpExtInst %f32 %glsl Sqrt %x", |[x, _, _]| x.sqrt(), "as 1 / InverseSqrt"),
    operation("InverseSqrt", 1, "OpExtInst %f32 %glsl InverseSqrt %x", |[x, _, _]| 1.0 / x.sqrt(), "2 ULP"),
    operation("Exp", 1, "OpExtInst %f32 %glsl Exp %x", |[x, _, _]| x.exp(), "3 + 2 abs(x) ULP"),
    operation("Exp2", 1, "OpExtInst %f32 %glsl Exp2 %x", |[x, _, _]| x.exp2(), "3 + 2 abs(x) ULP"),
    operation("Log", 1, "OpExtInst %f32 %glsl Log %x", |[x, _, _]| x.ln(), "3 ULP outside [0.5, 2], 2^-21 inside"),
    operation("Log2", 1, "OpExtInst %f32 %glsl Log2 %x", |[x, _, _]| x.log2(), "3 ULP outside [0.5, 2], 2^-21 inside"),
    circular(operation("Sin", 1, "OpExtInst %f32 %glsl Sin %x", |[x, _, _]| x.sin(), "2^-11 in [-pi, pi]")),
    circular(operation("Cos", 1, "OpExtInst %f32 %glsl Cos %x", |[x, _, _]| x.cos(), "2^-11 in [-pi, pi]")),
    circular(operation("Tan", 1, "OpExtInst %f32 %glsl Tan %x", |[x, _, _]| x.tan(), "as Sin / Cos")),
    operation("Asin", 1, "OpExtInst %f32 %glsl Asin %x", |[x, _, _]| x.asin(), "as Atan2(x, sqrt(1 - x * x))"),
    operation("Acos", 1, "OpExtInst %f32 %glsl Acos %x", |[x, _, _]| x.acos(), "as Atan2(sqrt(1 - x * x), x)"),
    operation("Atan", 1, "OpExtInst %f32 %glsl Atan %x", |[x, _, _]| x.atan(), "4096 ULP"),
    operation("Sinh", 1, "OpExtInst %f32 %glsl Sinh %x", |[x, _, _]| past_exp(x, x.sinh()), "as (Exp(x) - Exp(-x)) / 2"),
    operation("Cosh", 1, "OpExtInst %f32 %glsl Cosh %x", |[x, _, _]| past_exp(x, x.cosh()), "as (Exp(x) + Exp(-x)) / 2"),
    operation("Tanh", 1, "OpExtInst %f32 %glsl Tanh %x", |[x, _, _]| x.tanh(), "as Sinh / Cosh"),
    operation("Asinh", 1, "OpExtInst %f32 %glsl Asinh %x", |[x, _, _]| x.abs().asinh().copysign(x), "as Log(x + sqrt(x * x + 1))"),
    operation("Acosh", 1, "OpExtInst %f32 %glsl Acosh %x", |[x, _, _]| x.acosh(), "as Log(x + sqrt(x * x - 1))"),
    operation("Atanh", 1, "OpExtInst %f32 %glsl Atanh %x", |[x, _, _]| x.atanh(), "as Log((1 + x) / (1 - x)) / 2"),
    operation("Atan2", 2, "OpExtInst %f32 %glsl Atan2 %x %y", |[x, y, _]| x.atan2(y), "4096 ULP"),
    operation("Pow", 2, "OpExtInst %f32 %glsl Pow %x %y", |[x, y, _]| if x < 0.0 { f64::NAN } else { x.powf(y) }, "as Exp2(y * Log2(x))"),
];

/// The operation of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}
