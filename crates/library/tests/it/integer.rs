//! Integer and float instructions against plain 128-bit and `f64` arithmetic.

use crate::support::{Program, Random};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{float, integer};

const INTS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];

fn signed(scalar: Scalar, bits: u64) -> i128 {
    i128::from(((bits << (64 - scalar.bits())) as i64) >> (64 - scalar.bits()))
}

/// Random bits, often near the ends of the type's range.
fn random_int(random: &mut Random, scalar: Scalar) -> u64 {
    let near = random.below(4u64);
    let bits = match random.below(4) {
        0 => near.wrapping_sub(2),
        1 => (scalar.mask() >> 1).wrapping_add(near).wrapping_sub(1),
        _ => random.bits() >> random.below(64),
    };
    bits & scalar.mask()
}

/// Checks a function of two integers of one type against a reference on their bits.
fn check_binary(
    name: &str,
    build: fn(&mut Builder, Value, Value) -> Vec<Value>,
    reference: impl Fn(Scalar, u64, u64) -> Vec<u64>,
) {
    let mut random = Random::new(11);
    for scalar in INTS {
        let program = Program::new(16, &[scalar; 2], |b, a| build(b, a[0], a[1]));
        for _ in 0..3_000 {
            let (x, y) = (random_int(&mut random, scalar), random_int(&mut random, scalar));
            let want: Vec<u64> = reference(scalar, x, y).iter().map(|bits| bits & scalar.mask()).collect();
            assert_eq!(program.one(&[x, y]), want, "{name} {scalar:?} {x:#x} {y:#x}");
        }
    }
}

/// An integer clamped to a range, as bits.
fn clamped(x: i128, low: i128, high: i128) -> u64 {
    x.clamp(low, high) as u64
}

fn signed_range(scalar: Scalar) -> (i128, i128) {
    let greatest = i128::from(scalar.mask() >> 1);
    (-1 - greatest, greatest)
}

#[test]
fn extended_arithmetic() {
    check_binary(
        "add_carry",
        |b, x, y| {
            let (sum, carry) = integer::add_carry(b, x, y);
            vec![sum, carry]
        },
        |scalar, x, y| {
            let sum = u128::from(x) + u128::from(y);
            vec![sum as u64, (sum >> scalar.bits()) as u64]
        },
    );
    check_binary(
        "sub_borrow",
        |b, x, y| {
            let (difference, borrow) = integer::sub_borrow(b, x, y);
            vec![difference, borrow]
        },
        |_, x, y| vec![x.wrapping_sub(y), u64::from(x < y)],
    );
    check_binary(
        "u_mul_extended",
        |b, x, y| {
            let (low, high) = integer::u_mul_extended(b, x, y);
            vec![low, high]
        },
        |scalar, x, y| {
            let product = u128::from(x) * u128::from(y);
            vec![product as u64, (product >> scalar.bits()) as u64]
        },
    );
    check_binary(
        "s_mul_extended",
        |b, x, y| {
            let (low, high) = integer::s_mul_extended(b, x, y);
            vec![low, high]
        },
        |scalar, x, y| {
            let product = signed(scalar, x) * signed(scalar, y);
            vec![product as u64, (product >> scalar.bits()) as u64]
        },
    );
    check_binary(
        "s_mod",
        |b, x, y| vec![integer::s_mod(b, x, y)],
        |scalar, x, y| {
            let (dividend, divisor) = (signed(scalar, x), signed(scalar, y));
            // SPIR-V leaves a zero divisor undefined; the library gives the dividend.
            let modulo =
                if divisor == 0 { dividend } else { dividend - divisor * dividend.div_floor_(divisor) };
            vec![modulo as u64]
        },
    );
}

/// Division that rounds down.
trait DivFloor {
    fn div_floor_(self, divisor: Self) -> Self;
}

impl DivFloor for i128 {
    fn div_floor_(self, divisor: i128) -> i128 {
        let quotient = self / divisor;
        if self % divisor != 0 && (self < 0) != (divisor < 0) { quotient - 1 } else { quotient }
    }
}

#[test]
fn saturating_arithmetic() {
    check_binary(
        "s_add_sat",
        |b, x, y| vec![integer::s_add_sat(b, x, y)],
        |scalar, x, y| {
            let (low, high) = signed_range(scalar);
            vec![clamped(signed(scalar, x) + signed(scalar, y), low, high)]
        },
    );
    check_binary(
        "s_sub_sat",
        |b, x, y| vec![integer::s_sub_sat(b, x, y)],
        |scalar, x, y| {
            let (low, high) = signed_range(scalar);
            vec![clamped(signed(scalar, x) - signed(scalar, y), low, high)]
        },
    );
    check_binary(
        "u_add_sat",
        |b, x, y| vec![integer::u_add_sat(b, x, y)],
        |scalar, x, y| vec![clamped(i128::from(x) + i128::from(y), 0, scalar.mask().into())],
    );
    check_binary(
        "u_sub_sat",
        |b, x, y| vec![integer::u_sub_sat(b, x, y)],
        |_, x, y| vec![clamped(i128::from(x) - i128::from(y), 0, i128::MAX)],
    );
    check_binary(
        "absolute differences",
        |b, x, y| vec![integer::s_abs_difference(b, x, y), integer::u_abs_difference(b, x, y)],
        |scalar, x, y| vec![(signed(scalar, x) - signed(scalar, y)).unsigned_abs() as u64, x.abs_diff(y)],
    );
}

#[test]
fn saturating_conversions() {
    let mut random = Random::new(12);
    for from in INTS {
        for to in INTS {
            let program = Program::new(16, &[from], |b, a| {
                vec![
                    integer::sat_convert_s_to_u(b, a[0], to),
                    integer::sat_convert_u_to_s(b, a[0], to),
                    integer::sat_convert_s_to_s(b, a[0], to),
                    integer::sat_convert_u_to_u(b, a[0], to),
                    integer::s_convert(b, a[0], to),
                    integer::u_convert(b, a[0], to),
                ]
            });
            let (low, high) = signed_range(to);
            let top = i128::from(to.mask());
            for _ in 0..1_000 {
                let x = random_int(&mut random, from);
                let (s, u) = (signed(from, x), i128::from(x));
                let want = [
                    clamped(s, 0, top),
                    clamped(u, low, high),
                    clamped(s, low, high),
                    clamped(u, 0, top),
                    s as u64,
                    u as u64,
                ];
                let want: Vec<u64> = want.iter().map(|bits| bits & to.mask()).collect();
                assert_eq!(program.one(&[x]), want, "{from:?} to {to:?} {x:#x}");
            }
        }
    }
}

#[test]
fn bit_fields() {
    let mut random = Random::new(13);
    for scalar in INTS {
        let program = Program::new(16, &[scalar, scalar, Scalar::I32, Scalar::I32], |b, a| {
            vec![
                integer::bit_field_insert(b, a[0], a[1], a[2], a[3]),
                integer::bit_field_u_extract(b, a[0], a[2], a[3]),
                integer::bit_field_s_extract(b, a[0], a[2], a[3]),
                integer::bit_reverse(b, a[0]),
                integer::bit_count(b, a[0], Scalar::I32),
                integer::s_negate(b, a[0]),
            ]
        });
        let bits = u64::from(scalar.bits());
        for _ in 0..5_000 {
            let (base, insert) = (random.bits() & scalar.mask(), random.bits() & scalar.mask());
            let count = random.below(bits + 1);
            let offset = random.below(bits - count + 1);
            let ones = (1u128 << count) - 1;
            let field = (u128::from(base) >> offset) & ones;
            let mask = ones << offset;
            let inserted = (u128::from(base) & !mask) | ((u128::from(insert) << offset) & mask);
            let negative = count > 0 && field >> (count - 1) & 1 == 1;
            let extended = if negative { field | !ones } else { field };
            let want = [
                inserted as u64,
                field as u64,
                extended as u64 & scalar.mask(),
                base.reverse_bits() >> (64 - bits),
                base.count_ones().into(),
                base.wrapping_neg() & scalar.mask(),
            ];
            assert_eq!(program.one(&[base, insert, offset, count]), want, "{base:#x} {offset} {count}");
        }
    }
}

#[test]
fn dot_products() {
    use integer::DotKind;
    let mut random = Random::new(14);
    for kind in [DotKind::Signed, DotKind::Unsigned, DotKind::Mixed] {
        let widen = |scalar: Scalar, x: u64, y: u64| {
            let x = if kind == DotKind::Unsigned { i128::from(x) } else { signed(scalar, x) };
            let y = if kind == DotKind::Signed { signed(scalar, y) } else { i128::from(y) };
            x * y
        };
        let range =
            if kind == DotKind::Unsigned { (0, i128::from(u32::MAX)) } else { signed_range(Scalar::I32) };
        let packed = Program::new(16, &[Scalar::I32; 3], |b, a| {
            vec![
                integer::dot_4x8(b, kind, a[0], a[1], Scalar::I32),
                integer::dot_acc_sat_4x8(b, kind, a[0], a[1], a[2]),
            ]
        });
        let params = [Scalar::I16, Scalar::I16, Scalar::I16, Scalar::I16, Scalar::I64];
        let vector = Program::new(16, &params, |b, a| {
            vec![
                integer::dot(b, kind, &a[..2], &a[2..4], Scalar::I32),
                integer::dot_acc_sat(b, kind, &a[..2], &a[2..4], a[4]),
            ]
        });
        for _ in 0..3_000 {
            let (x, y) = (random.bits() & 0xffff_ffff, random.bits() & 0xffff_ffff);
            let accumulator = random_int(&mut random, Scalar::I32);
            let byte = |word: u64, index: u32| word >> (8 * index) & 0xff;
            let product: i128 = (0..4).map(|i| widen(Scalar::I8, byte(x, i), byte(y, i))).sum();
            let wide = if kind == DotKind::Unsigned {
                i128::from(accumulator)
            } else {
                signed(Scalar::I32, accumulator)
            };
            let sum = clamped(product + wide, range.0, range.1) & 0xffff_ffff;
            let want = [product as u64 & 0xffff_ffff, sum];
            assert_eq!(packed.one(&[x, y, accumulator]), want, "{kind:?} {x:#x} {y:#x} {accumulator:#x}");

            let args: Vec<u64> = (0..4).map(|_| random_int(&mut random, Scalar::I16)).collect();
            let product: i128 = (0..2).map(|i| widen(Scalar::I16, args[i], args[i + 2])).sum();
            let accumulator = random.bits() >> 2;
            let want = [product as u64 & 0xffff_ffff, (product + i128::from(accumulator)).max(0) as u64];
            let mut args = args;
            args.push(accumulator);
            let got = vector.one(&args);
            assert_eq!(got[0], want[0]);
            if kind == DotKind::Unsigned || product + i128::from(accumulator) >= 0 {
                assert_eq!(got[1], want[1]);
            }
        }
    }
}

/// Looks at the machine code of each level where this processor has VNNI.
fn with_vnni(_check: impl Fn(&str)) {
    for (name, _) in pyro_jit::Features::all().into_iter().filter(|(_, features)| features.vnni) {
        _check(name);
    }
}

/// Whether an instruction does all, and the sums that it stands for are gone.
fn assert_one(assembly: &str, with: &str, without: &str) {
    assert!(assembly.contains(with) && !assembly.contains(without), "{assembly}");
}

/// Sums that saturate, at all their limits: bytes, and pairs of halves, which are what a word holds.
#[test]
fn dot_products_saturate() {
    use integer::DotKind;
    const BYTES: [u64; 8] = [0, 1, 2, 0x7e, 0x7f, 0x80, 0x81, 0xff];
    const HALVES: [u64; 8] = [0, 1, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
    const SUMS: [i32; 14] = [
        0,
        1,
        -1,
        i32::MAX,
        i32::MAX - 1,
        i32::MIN,
        i32::MIN + 1,
        i32::MAX - 65536,
        i32::MIN + 65536,
        i32::MAX - 130_050,
        i32::MIN + 130_560,
        1 << 30,
        -(1 << 30),
        -32768,
    ];
    let mut random = Random::new(41);
    // Edges in all places, or any words.
    let mut word = |edges: &[u64; 8], bits: u32| {
        let any = random.bits();
        let edge = |index: u32| edges[(any >> (8 + 3 * index) & 7) as usize] << (bits * index);
        match any & 7 {
            0 => any >> 32,
            1 => (0..32 / bits).map(|index| edges[(any >> 8 & 7) as usize] << (bits * index)).sum(),
            _ => (0..32 / bits).map(edge).sum(),
        }
    };
    for kind in [DotKind::Signed, DotKind::Unsigned, DotKind::Mixed] {
        let bytes = Program::new(16, &[Scalar::I32; 3], |b, a| {
            vec![integer::dot_acc_sat_4x8(b, kind, a[0], a[1], a[2])]
        });
        if kind == DotKind::Mixed {
            with_vnni(|name| assert_one(&bytes.assembly(name), "vpdpbusds", "vpaddd"));
        }
        let widen =
            |is_signed: bool, byte: u64| if is_signed { signed(Scalar::I8, byte) } else { byte.into() };
        let range =
            if kind == DotKind::Unsigned { (0, i128::from(u32::MAX)) } else { signed_range(Scalar::I32) };
        for round in 0..20_000 {
            let (x, y) = (word(&BYTES, 8), word(&BYTES, 8));
            let sum = SUMS[round % SUMS.len()] as u32;
            let product: i128 = (0..4)
                .map(|index| {
                    let [x, y] = [x, y].map(|word| word >> (8 * index) & 0xff);
                    widen(kind != DotKind::Unsigned, x) * widen(kind == DotKind::Signed, y)
                })
                .sum();
            let before = if kind == DotKind::Unsigned { i128::from(sum) } else { i128::from(sum as i32) };
            let want = clamped(product + before, range.0, range.1) & 0xffff_ffff;
            assert_eq!(bytes.one(&[x, y, sum.into()]), [want], "{kind:?} {x:#x} {y:#x} {sum:#x}");
        }
    }
    let halves = Program::new(16, &[Scalar::I32; 3], |b, a| {
        let mut parts = |word: Value| {
            let sixteen = b.i32(16);
            let high = b.op(Opcode::LShr, &[word, sixteen]);
            [word, high].map(|word| b.convert(Opcode::Truncate, word, Scalar::I16))
        };
        let (x, y) = (parts(a[0]), parts(a[1]));
        vec![integer::dot_acc_sat(b, DotKind::Signed, &x, &y, a[2])]
    });
    with_vnni(|name| assert_one(&halves.assembly(name), "vpdpwssds", "vpaddd"));
    let apart =
        Program::new(16, &[Scalar::I16, Scalar::I16, Scalar::I16, Scalar::I16, Scalar::I32], |b, a| {
            vec![integer::dot_acc_sat(b, DotKind::Signed, &a[..2], &a[2..4], a[4])]
        });
    let (least, greatest) = signed_range(Scalar::I32);
    for round in 0..40_000 {
        let (x, y) = (word(&HALVES, 16), word(&HALVES, 16));
        let sum = SUMS[round % SUMS.len()] as u32;
        let [x0, x1, y0, y1] = [x & 0xffff, x >> 16, y & 0xffff, y >> 16];
        let product: i128 =
            [(x0, y0), (x1, y1)].map(|(x, y)| signed(Scalar::I16, x) * signed(Scalar::I16, y)).iter().sum();
        let want = clamped(product + i128::from(sum as i32), least, greatest) & 0xffff_ffff;
        assert_eq!(halves.one(&[x, y, sum.into()]), [want], "{x:#x} {y:#x} {sum:#x}");
        assert_eq!(apart.one(&[x0, x1, y0, y1, sum.into()]), [want], "{x:#x} {y:#x} {sum:#x}, apart");
    }
}

/// Float remainders while the quotient is exact, against exact ones.
#[test]
fn float_remainders() {
    let program = Program::new(16, &[Scalar::F32; 2], |b, a| {
        vec![float::f_mod(b, a[0], a[1]), float::f_rem(b, a[0], a[1])]
    });
    let mut random = Random::new(15);
    for round in 0..100_000 {
        let y = f32::from_bits(0x3000_0000 + random.below(0x2000_0000) as u32);
        let y = if random.below(2) == 0 { y } else { -y };
        // Quotients below 2^23, often a hair off an integer.
        let bits = random.below(23);
        let quotient = random.below(1 << bits) as f32;
        let x = if round % 2 == 0 {
            let product = quotient * y;
            f32::from_bits(product.to_bits().wrapping_add(random.below(3) as u32).wrapping_sub(1))
        } else {
            y * (random.bits() as i64 as f64 * 2f64.powi(-44)) as f32
        };
        if !x.is_finite() || x.abs() < 1e-30 {
            continue;
        }
        let (wide_x, wide_y) = (f64::from(x), f64::from(y));
        let rem = wide_x % wide_y;
        let modulo = if rem != 0.0 && (rem < 0.0) != (y < 0.0) { rem + wide_y } else { rem };
        let got = program.one(&[x.to_bits().into(), y.to_bits().into()]);
        let got = [f32::from_bits(got[0] as u32), f32::from_bits(got[1] as u32)];
        // `rem` is exact; `modulo` needs one rounding, which may reach the divisor itself.
        assert_eq!(got[1], rem as f32, "{x:e} rem {y:e}");
        assert_eq!(got[0], modulo as f32, "{x:e} mod {y:e}");
    }
}

#[test]
fn classification() {
    type Class = fn(&mut Builder, Value) -> Value;
    let values = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::from_bits(1),
        -f32::from_bits(0x7f_ffff),
    ];
    type Reference = fn(f32) -> bool;
    let cases: [(Class, Reference); 5] = [
        (float::is_nan, f32::is_nan),
        (float::is_inf, f32::is_infinite),
        (float::is_finite, f32::is_finite),
        (float::is_normal, f32::is_normal),
        (float::sign_bit_set, f32::is_sign_negative),
    ];
    for (build, reference) in cases {
        let program = Program::new(16, &[Scalar::F32], |b, a| vec![build(b, a[0])]);
        for x in values {
            assert_eq!(program.one(&[x.to_bits().into()])[0] != 0, reference(x), "{x:e}");
        }
    }
    type Compare = fn(&mut Builder, Value, Value) -> Value;
    // With the answer for NaN operands, and for less, equal and greater.
    let compares: [(Compare, bool, [bool; 3]); 14] = [
        (float::ordered, false, [true; 3]),
        (float::unordered, true, [false; 3]),
        (float::ord_equal, false, [false, true, false]),
        (float::unord_equal, true, [false, true, false]),
        (float::ord_not_equal, false, [true, false, true]),
        (float::unord_not_equal, true, [true, false, true]),
        (float::ord_less_than, false, [true, false, false]),
        (float::unord_less_than, true, [true, false, false]),
        (float::ord_less_than_equal, false, [true, true, false]),
        (float::unord_less_than_equal, true, [true, true, false]),
        (float::ord_greater_than, false, [false, false, true]),
        (float::unord_greater_than, true, [false, false, true]),
        (float::ord_greater_than_equal, false, [false, true, true]),
        (float::unord_greater_than_equal, true, [false, true, true]),
    ];
    for (index, (build, with_nan, answers)) in compares.into_iter().enumerate() {
        let program = Program::new(16, &[Scalar::F32; 2], |b, a| vec![build(b, a[0], a[1])]);
        for x in values {
            for y in values {
                let want = x.partial_cmp(&y).map_or(with_nan, |order| answers[(order as i8 + 1) as usize]);
                let got = program.one(&[x.to_bits().into(), y.to_bits().into()])[0] != 0;
                assert_eq!(got, want, "compare {index} of {x:e} and {y:e}");
            }
        }
    }
}

#[test]
fn quantize_to_f16_flushes_denormals() {
    let program = Program::new(16, &[Scalar::F32], |b, a| vec![float::quantize_to_f16(b, a[0])]);
    let quantize = |x: f32| f32::from_bits(program.one(&[x.to_bits().into()])[0] as u32);
    assert_eq!(quantize(1.0 + 2f32.powi(-11)), 1.0);
    assert_eq!(quantize(65504.0), 65504.0);
    assert_eq!(quantize(65520.0), f32::INFINITY);
    assert_eq!(quantize(-1e9), f32::NEG_INFINITY);
    assert_eq!(quantize(2f32.powi(-14)), 2f32.powi(-14));
    assert_eq!(quantize(-2f32.powi(-15)).to_bits(), (-0.0f32).to_bits());
    assert!(quantize(f32::NAN).is_nan());
}
