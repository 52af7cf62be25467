//! Arithmetic, comparisons and conversions of common types. The formulas repeat [`pyro_ir::eval`] in a form that
//! becomes vector code; generated functions test that they are the same.

use super::{
    compare_lanes, compare_uniform, is_uniform, lanes1, lanes2, lanes3, uniform1, uniform2, uniform3,
};
use crate::decode::{Detail, Handler};
use pyro_ir::{Opcode as O, Scalar as S};

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
    if !uniform && detail.op == O::FFma && is_x86_feature_detected!("fma") {
        match detail.from {
            S::F32 => return Some(fused::f32_handler),
            S::F64 => return Some(fused::f64_handler),
            _ => {}
        }
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
                O::FFma => both!(uniform, lanes3 | uniform3[$f, $f], |a, b, c| a.mul_add(b, c)),
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

/// Fused multiply-add by the processor's own instruction. Elsewhere the host's library computes the same, but a
/// call for each lane is twenty times slower.
#[cfg(target_arch = "x86_64")]
mod fused {
    use crate::decode::Step;
    use crate::machine::Machine;
    use crate::registers::{Chunk, WIDTH};

    macro_rules! fused {
        ($handler:ident, $chunk:ident, $f:ident, $word:ident, $array:ident) => {
            /// Chosen only where the processor has the instruction.
            #[allow(unsafe_code)] // to call what needs it
            pub(super) fn $handler(machine: &mut Machine<'_>, step: &Step) {
                for chunk in 0..machine.chunks {
                    let args = [0, 1, 2].map(|index| step.args[index] as usize + chunk);
                    let registers = &mut machine.registers.$array[..];
                    // SAFETY: `super::handler` gives this out only after it has seen that the processor
                    // has the feature.
                    unsafe { $chunk(registers, args, step.dst as usize + chunk) };
                }
            }

            #[target_feature(enable = "fma")]
            fn $chunk(registers: &mut [Chunk<$word>], args: [usize; 3], dst: usize) {
                let (a, b, c) = (&registers[args[0]], &registers[args[1]], &registers[args[2]]);
                let mut result = [0; WIDTH];
                for lane in 0..WIDTH {
                    let (a, b) = ($f::from_bits(a[lane]), $f::from_bits(b[lane]));
                    result[lane] = a.mul_add(b, $f::from_bits(c[lane])).to_bits();
                }
                registers[dst] = result;
            }
        };
    }

    fused!(f32_handler, f32_chunk, f32, u32, w32);
    fused!(f64_handler, f64_chunk, f64, u64, w64);
}
