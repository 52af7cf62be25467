//! The tests' own meaning of each operation agrees with the IR's.

use crate::support::{Random, is_nan};
use pyro_ir::{Opcode, Scalar, Signature, eval};

/// Bits of any scalar type, special ones among them.
fn random_bits(random: &mut Random, scalar: Scalar) -> u64 {
    let shift = random.below(64);
    let bits = match random.below(4) {
        0 => random.bits() >> shift,
        1 => (random.bits() >> shift).wrapping_neg(),
        _ => random.bits(),
    };
    let (exponent, fraction) = match scalar {
        Scalar::F16 => (5, 10),
        Scalar::F32 => (8, 23),
        Scalar::F64 => (11, 52),
        _ => return bits & scalar.mask(),
    };
    // Exponents near the middle make the interesting sums.
    match random.below(3) {
        0 => bits & scalar.mask(),
        _ => {
            let near = (1u64 << (exponent - 1)) - 4 + random.below(8);
            (bits & scalar.mask() & !(((1 << exponent) - 1) << fraction)) | near << fraction
        }
    }
}

#[test]
fn library_functions_match_the_reference() {
    use Signature as S;
    let ints = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
    let floats = [Scalar::F16, Scalar::F32, Scalar::F64];
    let mut random = Random::new(21);
    let mut checked = 0;
    for &op in Opcode::ALL {
        let pairs: Vec<(Scalar, Scalar)> = match op.signature() {
            S::IntUnary | S::IntBinary | S::BitUnary | S::BitBinary => ints.map(|ty| (ty, ty)).to_vec(),
            S::FloatUnary | S::FloatBinary | S::FloatTernary => floats.map(|ty| (ty, ty)).to_vec(),
            S::IntCompare => ints.map(|ty| (ty, Scalar::I1)).to_vec(),
            S::FloatCompare => floats.map(|ty| (ty, Scalar::I1)).to_vec(),
            S::Truncate => vec![(Scalar::I64, Scalar::I32), (Scalar::I32, Scalar::I8)],
            S::Extend => vec![(Scalar::I1, Scalar::I32), (Scalar::I8, Scalar::I64)],
            S::FloatToFloat => vec![
                (Scalar::F16, Scalar::F32),
                (Scalar::F32, Scalar::F16),
                (Scalar::F32, Scalar::F64),
                (Scalar::F64, Scalar::F32),
            ],
            S::FloatToInt => vec![(Scalar::F32, Scalar::I32), (Scalar::F64, Scalar::I16)],
            S::IntToFloat => vec![(Scalar::I32, Scalar::F32), (Scalar::I64, Scalar::F64)],
            _ => continue,
        };
        for (from, to) in pairs {
            for _ in 0..2_000 {
                let args: Vec<u64> = (0..op.arg_count()).map(|_| random_bits(&mut random, from)).collect();
                let want = eval::pure(op, from, to, &args, 0).expect("a pure operation");
                let got = crate::support::pure(op, from, to, &args, 0);
                let got = got.unwrap_or_else(|| panic!("no meaning for {}", op.name()));
                let equal = got == want || is_nan(to, got) && is_nan(to, want);
                assert!(equal, "{} {from:?} {args:x?}: {got:x}, not {want:x}", op.name());
                checked += 1;
            }
        }
    }
    assert!(checked > 200_000);
}
