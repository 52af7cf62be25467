//! Arithmetic, comparisons and conversions of common types. The formulas repeat [`pyro_ir::eval`] in a form
//! that becomes vector code; generated functions test that they are the same.

use super::{
    compare_lanes, compare_uniform, is_uniform, lanes1, lanes2, lanes3, uniform1, uniform2, uniform3,
};
use crate::decode::{Detail, Handler};
use pyro_ir::{Opcode as O, Scalar as S, eval};
use pyro_util::fused::FusedMulAdd;

/// A handler for both shapes of the same formula: `uniform`, then the two functions with the types they
/// work on, then the formula.
macro_rules! both {
    ($uniform:expr, $lanes:ident | $one:ident [$($ty:ty),+], $f:expr) => {{
        let lanes: Handler = |machine, step| $lanes::<$($ty),+>(machine, step, $f);
        let one: Handler = |machine, step| $one::<$($ty),+>(machine, step, $f);
        Some(if $uniform { one } else { lanes })
    }};
}

/// The handler, if the operation has one on these types.
pub(super) fn handler(detail: &Detail) -> Option<Handler> {
    let uniform = is_uniform(detail);
    #[cfg(target_arch = "x86_64")]
    if !uniform && let Some(handler) = featured::handler(detail) {
        return Some(handler);
    }
    match detail.from {
        S::I8 => u8_handler(detail.op, uniform),
        S::I16 => u16_handler(detail.op, uniform),
        S::I32 => u32_handler(detail.op, uniform),
        S::I64 => u64_handler(detail.op, uniform),
        S::F32 => f32_handler(detail.op, uniform),
        S::F64 => f64_handler(detail.op, uniform),
        S::F16 | S::I1 => None,
    }
    .or_else(|| convert(detail, uniform))
}

macro_rules! int_handlers {
    ($name:ident, $u:ident, $i:ident, $wide:ident, $signed_wide:ident) => {
        fn $name(op: O, uniform: bool) -> Option<Handler> {
            macro_rules! binary {
                                                        ($f:expr) => {
                                                            both!(uniform, lanes2 | uniform2[$u, $u], $f)
                                                        };
                                                    }
            macro_rules! signed {
                                                        ($f:expr) => {
                                                            both!(uniform, lanes2 | uniform2[$i, $i], $f)
                                                        };
                                                    }
            macro_rules! unary {
                                                        ($f:expr) => {
                                                            both!(uniform, lanes1 | uniform1[$u, $u], $f)
                                                        };
                                                    }
            match op {
                O::IAdd => binary!(|a, b| a.wrapping_add(b)),
                O::ISub => binary!(|a, b| a.wrapping_sub(b)),
                O::IMul => binary!(|a, b| a.wrapping_mul(b)),
                O::UMulHigh => binary!(|a, b| ((a as $wide * b as $wide) >> $u::BITS) as $u),
                O::SMulHigh => {
                    signed!(|a, b| ((a as $signed_wide * b as $signed_wide) >> $u::BITS) as $i)
                }
                O::UDiv => binary!(|a, b| a.checked_div(b).unwrap_or($u::MAX)),
                O::URem => binary!(|a, b| a.checked_rem(b).unwrap_or(a)),
                O::SDiv => signed!(|a, b| if b == 0 { -1 } else { a.wrapping_div(b) }),
                O::SRem => signed!(|a, b| if b == 0 { a } else { a.wrapping_rem(b) }),
                O::UMin => binary!(|a, b| a.min(b)),
                O::UMax => binary!(|a, b| a.max(b)),
                O::SMin => signed!(|a, b| a.min(b)),
                O::SMax => signed!(|a, b| a.max(b)),
                O::Shl => binary!(|a, b| a.wrapping_shl(b as u32)),
                O::LShr => binary!(|a, b| a.wrapping_shr(b as u32)),
                O::AShr => signed!(|a, b| a.wrapping_shr(b as u32)),
                O::And => binary!(|a, b| a & b),
                O::Or => binary!(|a, b| a | b),
                O::Xor => binary!(|a, b| a ^ b),
                O::AndNot => binary!(|a, b| a & !b),
                O::DotBytes => binary!(|a, b| eval::dot_bytes(a as u64, b as u64) as $u),
                O::DotFourBytes => binary!(|a, b| eval::dot_four_bytes(a as u64, b as u64) as $u),
                O::DotHalves => binary!(|a, b| eval::dot_halves(a as u64, b as u64) as $u),
                O::ShuffleBytes => {
                    binary!(|a, b| eval::shuffle_bytes(a as u64, b as u64, $u::BITS / 8) as $u)
                }
                O::Not => unary!(|a| !a),
                O::PopCount => unary!(|a| a.count_ones() as $u),
                O::CountLeadingZeros => unary!(|a| a.leading_zeros() as $u),
                O::CountTrailingZeros => unary!(|a| a.trailing_zeros() as $u),
                O::BitReverse => unary!(|a| a.reverse_bits()),
                O::IEq => both!(uniform, compare_lanes | compare_uniform[$u], |a, b| a == b),
                O::INe => both!(uniform, compare_lanes | compare_uniform[$u], |a, b| a != b),
                O::ULt => both!(uniform, compare_lanes | compare_uniform[$u], |a, b| a < b),
                O::ULe => both!(uniform, compare_lanes | compare_uniform[$u], |a, b| a <= b),
                O::SLt => both!(uniform, compare_lanes | compare_uniform[$i], |a, b| a < b),
                O::SLe => both!(uniform, compare_lanes | compare_uniform[$i], |a, b| a <= b),
                _ => None,
            }
        }
    };
}

int_handlers!(u8_handler, u8, i8, u16, i16);
int_handlers!(u16_handler, u16, i16, u32, i32);
int_handlers!(u32_handler, u32, i32, u64, i64);
int_handlers!(u64_handler, u64, i64, u128, i128);

macro_rules! float_handlers {
    ($name:ident, $f:ident, $u:ident) => {
        fn $name(op: O, uniform: bool) -> Option<Handler> {
            macro_rules! binary {
                ($formula:expr) => {
                    both!(uniform, lanes2 | uniform2[$f, $f], $formula)
                };
            }
            macro_rules! unary {
                ($formula:expr) => {
                    both!(uniform, lanes1 | uniform1[$f, $f], $formula)
                };
            }
            const SIGN: $u = 1 << ($u::BITS - 1);
            match op {
                O::FAdd => binary!(|a, b| a + b),
                O::FSub => binary!(|a, b| a - b),
                O::FMul => binary!(|a, b| a * b),
                O::FDiv => binary!(|a, b| a / b),
                O::FMin => binary!(|a, b| if a < b { a } else { b }),
                O::FMax => binary!(|a, b| if a > b { a } else { b }),
                O::FFma => both!(uniform, lanes3 | uniform3[$f, $f], |a, b, c| a.fused_mul_add(b, c)),
                O::FNeg => both!(uniform, lanes1 | uniform1[$u, $u], |a| a ^ SIGN),
                O::FAbs => both!(uniform, lanes1 | uniform1[$u, $u], |a| a & !SIGN),
                O::FSqrt => unary!(|a| a.sqrt()),
                O::FFloor => unary!(|a| a.floor()),
                O::FCeil => unary!(|a| a.ceil()),
                O::FTrunc => unary!(|a| a.trunc()),
                O::FRound => unary!(|a| a.round_ties_even()),
                O::FEq => both!(uniform, compare_lanes | compare_uniform[$f], |a, b| a == b),
                O::FNe => both!(uniform, compare_lanes | compare_uniform[$f], |a, b| a != b),
                O::FLt => both!(uniform, compare_lanes | compare_uniform[$f], |a, b| a < b),
                O::FLe => both!(uniform, compare_lanes | compare_uniform[$f], |a, b| a <= b),
                _ => None,
            }
        }
    };
}

float_handlers!(f32_handler, f32, u32);
float_handlers!(f64_handler, f64, u64);

fn convert(detail: &Detail, uniform: bool) -> Option<Handler> {
    macro_rules! cast {
        ($from:ident, $to:ident) => {
            both!(uniform, lanes1 | uniform1[$from, $to], |a| a as $to)
        };
    }
    match (detail.op, detail.from, detail.to) {
        (O::Truncate, S::I64, S::I32) => cast!(u64, u32),
        (O::Truncate, S::I32, S::I16) => cast!(u32, u16),
        (O::Truncate, S::I32, S::I8) => cast!(u32, u8),
        (O::ZeroExtend, S::I32, S::I64) => cast!(u32, u64),
        (O::ZeroExtend, S::I16, S::I32) => cast!(u16, u32),
        (O::ZeroExtend, S::I8, S::I32) => cast!(u8, u32),
        (O::SignExtend, S::I32, S::I64) => cast!(i32, i64),
        (O::SignExtend, S::I16, S::I32) => cast!(i16, i32),
        (O::SignExtend, S::I8, S::I32) => cast!(i8, i32),
        (O::FToS, S::F32, S::I32) => cast!(f32, i32),
        (O::FToU, S::F32, S::I32) => cast!(f32, u32),
        (O::FToS, S::F64, S::I32) => cast!(f64, i32),
        (O::FToU, S::F64, S::I32) => cast!(f64, u32),
        (O::SToF, S::I32, S::F32) => cast!(i32, f32),
        (O::UToF, S::I32, S::F32) => cast!(u32, f32),
        (O::SToF, S::I32, S::F64) => cast!(i32, f64),
        (O::UToF, S::I32, S::F64) => cast!(u32, f64),
        _ => None,
    }
}

/// Operations that x86-64 has instructions for since later than its first processors. Elsewhere the host's
/// library computes the same, but a call for each lane is twenty times slower.
#[cfg(target_arch = "x86_64")]
mod featured {
    use crate::decode::{Detail, Handler, Step};
    use crate::machine::Machine;
    use crate::registers::{Chunk, WIDTH};
    use pyro_ir::{Opcode as O, Scalar as S};

    pub(super) fn handler(detail: &Detail) -> Option<Handler> {
        let handler: Handler = match (detail.op, detail.from) {
            (O::FFma, S::F32 | S::F64) if !is_x86_feature_detected!("fma") => return None,
            (O::FFma, S::F32) => fma::f32::handler,
            (O::FFma, S::F64) => fma::f64::handler,
            _ if !is_x86_feature_detected!("sse4.1") => return None,
            (O::FFloor, S::F32) => floor::f32::handler,
            (O::FFloor, S::F64) => floor::f64::handler,
            (O::FCeil, S::F32) => ceil::f32::handler,
            (O::FCeil, S::F64) => ceil::f64::handler,
            (O::FTrunc, S::F32) => trunc::f32::handler,
            (O::FTrunc, S::F64) => trunc::f64::handler,
            (O::FRound, S::F32) => round::f32::handler,
            (O::FRound, S::F64) => round::f64::handler,
            _ => return None,
        };
        Some(handler)
    }

    macro_rules! featured {
        ($name:ident, $feature:literal, |$a:ident, $b:ident, $c:ident| $formula:expr) => {
            mod $name {
                use super::*;
                featured!(f32, u32, w32, $feature, |$a, $b, $c| $formula);
                featured!(f64, u64, w64, $feature, |$a, $b, $c| $formula);
            }
        };
        ($f:ident, $word:ident, $array:ident, $feature:literal, |$a:ident, $b:ident, $c:ident| $formula:expr) => {
            pub(super) mod $f {
                use super::*;

                /// Chosen only where the processor has the feature.
                #[allow(unsafe_code)] // to call what needs it
                pub(in super::super) fn handler(machine: &mut Machine<'_>, step: &Step) {
                    for chunk in 0..machine.chunks {
                        let args = [0, 1, 2].map(|index| step.args[index] as usize + chunk);
                        let registers = &mut machine.registers.$array[..];
                        // SAFETY: the choice of handlers gives this out only after it has seen that the
                        // processor has the feature.
                        unsafe { run(registers, args, step.dst as usize + chunk) };
                    }
                }

                #[target_feature(enable = $feature)]
                fn run(registers: &mut [Chunk<$word>], args: [usize; 3], dst: usize) {
                    let ($a, $b, $c) = (&registers[args[0]], &registers[args[1]], &registers[args[2]]);
                    let mut result = [0; WIDTH];
                    for lane in 0..WIDTH {
                        let $a = $f::from_bits($a[lane]);
                        let $b = $f::from_bits($b[lane]);
                        let $c = $f::from_bits($c[lane]);
                        result[lane] = $f::to_bits($formula);
                    }
                    registers[dst] = result;
                }
            }
        };
    }

    // Operands that an operation does not have are the register file's first: read, and not used.
    featured!(fma, "fma", |a, b, c| a.mul_add(b, c));
    featured!(floor, "sse4.1", |a, _b, _c| a.floor());
    featured!(ceil, "sse4.1", |a, _b, _c| a.ceil());
    featured!(trunc, "sse4.1", |a, _b, _c| a.trunc());
    featured!(round, "sse4.1", |a, _b, _c| a.round_ties_even());
}
