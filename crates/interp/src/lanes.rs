//! What common operations do to their lanes.

use pyro_ir::{Opcode, Scalar};

/// Writes one word for each lane from the words of up to three operands (unused ones repeat the last). All
/// slices are as long as there are lanes.
pub(crate) type LaneFunction = fn(&mut [u64], &[u64], &[u64], &[u64]);

macro_rules! unary {
    ($from:ident, $x:ident => $result:expr) => {
        Some(|dst, a, _, _| {
            for (dst, &a) in dst.iter_mut().zip(a) {
                let $x = $from(a);
                *dst = word($result);
            }
        })
    };
}

macro_rules! binary {
    ($from:ident, $x:ident, $y:ident => $result:expr) => {
        Some(|dst, a, b, _| {
            for ((dst, &a), &b) in dst.iter_mut().zip(a).zip(b) {
                let ($x, $y) = ($from(a), $from(b));
                *dst = word($result);
            }
        })
    };
}

/// The bits of a result, zero-extended.
trait Word {
    fn bits(self) -> u64;
}

macro_rules! words {
    ($($ty:ty: $x:ident => $bits:expr;)+) => {
        $( impl Word for $ty {
            fn bits(self) -> u64 {
                let $x = self;
                $bits
            }
        } )+
    };
}

words! {
    u32: x => x.into();
    i32: x => (x as u32).into();
    u64: x => x;
    i64: x => x as u64;
    f32: x => x.to_bits().into();
    f64: x => x.to_bits();
    bool: x => x.into();
}

fn word(value: impl Word) -> u64 {
    value.bits()
}

fn u32_of(bits: u64) -> u32 {
    bits as u32
}

fn i32_of(bits: u64) -> i32 {
    bits as i32
}

fn u64_of(bits: u64) -> u64 {
    bits
}

fn i64_of(bits: u64) -> i64 {
    bits as i64
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// `(a & b) | (!a & c)` on whole words.
pub(crate) const SELECT_BITS: LaneFunction = |dst, a, b, c| {
    for (((dst, &a), &b), &c) in dst.iter_mut().zip(a).zip(b).zip(c) {
        *dst = a & b | !a & c;
    }
};

/// The function of an operation from `from` to `to`, if it has one; all others go through the reference.
pub(crate) fn function(op: Opcode, from: Scalar, to: Scalar, imm: u64) -> Option<LaneFunction> {
    use Opcode as O;
    match op {
        // The same for every width, since operands are zero-extended.
        O::And => return binary!(u64_of, x, y => x & y),
        O::Or => return binary!(u64_of, x, y => x | y),
        O::Xor => return binary!(u64_of, x, y => x ^ y),
        O::AndNot => return binary!(u64_of, x, y => x & !y),
        O::IEq => return binary!(u64_of, x, y => x == y),
        O::INe => return binary!(u64_of, x, y => x != y),
        O::ULt => return binary!(u64_of, x, y => x < y),
        O::ULe => return binary!(u64_of, x, y => x <= y),
        O::UMin => return binary!(u64_of, x, y => x.min(y)),
        O::UMax => return binary!(u64_of, x, y => x.max(y)),
        O::ZeroExtend | O::Bitcast => return unary!(u64_of, x => x),
        O::Select => {
            // Uniform: the condition is 0 or 1.
            return Some(|dst, a, b, c| {
                for (((dst, &a), &b), &c) in dst.iter_mut().zip(a).zip(b).zip(c) {
                    *dst = if a != 0 { b } else { c };
                }
            });
        }
        _ => {}
    }
    match (op, from) {
        (O::IAdd, Scalar::I32) => binary!(u32_of, x, y => x.wrapping_add(y)),
        (O::ISub, Scalar::I32) => binary!(u32_of, x, y => x.wrapping_sub(y)),
        (O::IMul, Scalar::I32) => binary!(u32_of, x, y => x.wrapping_mul(y)),
        (O::UMulHigh, Scalar::I32) => binary!(u64_of, x, y => x.wrapping_mul(y) >> 32),
        (O::SMin, Scalar::I32) => binary!(i32_of, x, y => x.min(y)),
        (O::SMax, Scalar::I32) => binary!(i32_of, x, y => x.max(y)),
        (O::Shl, Scalar::I32) => binary!(u32_of, x, y => x.wrapping_shl(y)),
        (O::LShr, Scalar::I32) => binary!(u32_of, x, y => x.wrapping_shr(y)),
        (O::AShr, Scalar::I32) => binary!(i32_of, x, y => x.wrapping_shr(y as u32)),
        (O::Not, Scalar::I32) => unary!(u32_of, x => !x),
        (O::SLt, Scalar::I32) => binary!(i32_of, x, y => x < y),
        (O::SLe, Scalar::I32) => binary!(i32_of, x, y => x <= y),
        (O::IAdd, Scalar::I64) => binary!(u64_of, x, y => x.wrapping_add(y)),
        (O::ISub, Scalar::I64) => binary!(u64_of, x, y => x.wrapping_sub(y)),
        (O::IMul, Scalar::I64) => binary!(u64_of, x, y => x.wrapping_mul(y)),
        (O::Shl, Scalar::I64) => binary!(u64_of, x, y => x.wrapping_shl(y as u32)),
        (O::LShr, Scalar::I64) => binary!(u64_of, x, y => x.wrapping_shr(y as u32)),
        (O::SLt, Scalar::I64) => binary!(i64_of, x, y => x < y),
        (O::SLe, Scalar::I64) => binary!(i64_of, x, y => x <= y),
        (O::Truncate, _) if to == Scalar::I32 => unary!(u32_of, x => x),
        (O::FAdd, Scalar::F32) => binary!(f32_of, x, y => x + y),
        (O::FSub, Scalar::F32) => binary!(f32_of, x, y => x - y),
        (O::FMul, Scalar::F32) => binary!(f32_of, x, y => x * y),
        (O::FDiv, Scalar::F32) => binary!(f32_of, x, y => x / y),
        (O::FMin, Scalar::F32) => binary!(f32_of, x, y => if x < y { x } else { y }),
        (O::FMax, Scalar::F32) => binary!(f32_of, x, y => if x > y { x } else { y }),
        (O::FFma, Scalar::F32) => Some(|dst, a, b, c| {
            for (((dst, &a), &b), &c) in dst.iter_mut().zip(a).zip(b).zip(c) {
                *dst = word(f32_of(a).mul_add(f32_of(b), f32_of(c)));
            }
        }),
        (O::FNeg, Scalar::F32) => unary!(u32_of, x => x ^ 0x8000_0000),
        (O::FAbs, Scalar::F32) => unary!(u32_of, x => x & 0x7fff_ffff),
        (O::FSqrt, Scalar::F32) => unary!(f32_of, x => x.sqrt()),
        (O::FFloor, Scalar::F32) => unary!(f32_of, x => x.floor()),
        (O::FCeil, Scalar::F32) => unary!(f32_of, x => x.ceil()),
        (O::FTrunc, Scalar::F32) => unary!(f32_of, x => x.trunc()),
        (O::FRound, Scalar::F32) => unary!(f32_of, x => x.round_ties_even()),
        (O::FEq, Scalar::F32) => binary!(f32_of, x, y => x == y),
        (O::FNe, Scalar::F32) => binary!(f32_of, x, y => x != y),
        (O::FLt, Scalar::F32) => binary!(f32_of, x, y => x < y),
        (O::FLe, Scalar::F32) => binary!(f32_of, x, y => x <= y),
        (O::FAdd, Scalar::F64) => binary!(f64_of, x, y => x + y),
        (O::FSub, Scalar::F64) => binary!(f64_of, x, y => x - y),
        (O::FMul, Scalar::F64) => binary!(f64_of, x, y => x * y),
        (O::FDiv, Scalar::F64) => binary!(f64_of, x, y => x / y),
        (O::FLt, Scalar::F64) => binary!(f64_of, x, y => x < y),
        (O::FLe, Scalar::F64) => binary!(f64_of, x, y => x <= y),
        // Rust's `as` saturates and takes NaN to 0, as the IR does.
        (O::FToS, Scalar::F32) if to == Scalar::I32 => unary!(f32_of, x => x as i32),
        (O::FToU, Scalar::F32) if to == Scalar::I32 => unary!(f32_of, x => x as u32),
        (O::SToF, Scalar::I32) if to == Scalar::F32 => unary!(i32_of, x => x as f32),
        (O::UToF, Scalar::I32) if to == Scalar::F32 => unary!(u32_of, x => x as f32),
        (O::FConvert, Scalar::F32) if to == Scalar::F64 && imm == 0 => unary!(f32_of, x => f64::from(x)),
        (O::FConvert, Scalar::F64) if to == Scalar::F32 && imm == 0 => unary!(f64_of, x => x as f32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_ir::eval;

    /// Words with interesting bits for every type.
    fn samples(scalar: Scalar) -> Vec<u64> {
        let mut words: Vec<u64> = vec![
            0,
            1,
            2,
            3,
            7,
            31,
            32,
            33,
            0x7f,
            0x80,
            0xff,
            0x7fff,
            0x8000,
            0x3f80_0000,
            0xbf80_0000,
            0x4f00_0000,
            0xcf00_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x8000_0000,
            0x7fff_ffff,
            0xffff_ffff,
            0x3f00_0001,
            0x4b80_0001,
            0x3ff0_0000_0000_0000,
            0xbff8_0000_0000_0000,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x8000_0000_0000_0000,
            u64::MAX,
            0x41df_ffff_ffc0_0000,
            0x47f0_0000_0000_0000,
        ];
        words.iter_mut().for_each(|word| *word &= scalar.mask());
        words
    }

    fn is_nan(scalar: Scalar, bits: u64) -> bool {
        match scalar {
            Scalar::F32 => f32_of(bits).is_nan(),
            Scalar::F64 => f64_of(bits).is_nan(),
            _ => false,
        }
    }

    /// Whether the operation exists between these types, as far as [`function`] relies on it.
    fn is_typed(op: Opcode, from: Scalar, to: Scalar) -> bool {
        use pyro_ir::Signature as S;
        match op.signature() {
            S::IntCompare | S::FloatCompare => to == Scalar::I1,
            S::Truncate => from.is_int() && to.is_int() && to.bits() < from.bits(),
            S::Extend => to.is_int() && to.bits() > from.bits(),
            S::Bitcast => to.bits() == from.bits() && from != Scalar::I1,
            S::FloatToInt | S::IntToFloat | S::FloatToFloat => true,
            _ => to == from,
        }
    }

    #[test]
    fn functions_agree_with_the_reference() {
        let mut compared = 0u64;
        for &op in Opcode::ALL {
            let count = op.arg_count();
            for from in Scalar::ALL {
                for to in Scalar::ALL {
                    let Some(function) = function(op, from, to, 0).filter(|_| is_typed(op, from, to)) else {
                        continue;
                    };
                    let samples = samples(from);
                    for &a in &samples {
                        for &b in &samples {
                            let args = [
                                if op == Opcode::Select { a & 1 } else { a },
                                b,
                                a.rotate_left(3) & from.mask(),
                            ];
                            let Some(expected) = eval::pure(op, from, to, &args[..count], 0) else {
                                continue;
                            };
                            let mut got = [0];
                            function(&mut got, &args[..1], &args[1..2], &args[2..]);
                            let equal = got[0] == expected || is_nan(to, got[0]) && is_nan(to, expected);
                            assert!(
                                equal,
                                "{} {from:?} {to:?} {args:x?}: {:x} {expected:x}",
                                op.name(),
                                got[0]
                            );
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 50_000, "{compared}");
    }
}
