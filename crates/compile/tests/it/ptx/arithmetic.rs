//! Arithmetic on integers, bits and floats.

use super::support::{map, rows};

/// Each word that each thread should write, against what it wrote.
fn check(name: &str, width: usize, body: &str, expected: impl Fn(&[u32]) -> Vec<u32>) {
    let inputs = rows(width);
    let outputs = expected(&inputs[0]).len();
    let found = map("", &inputs, outputs, body);
    for (input, found) in inputs.iter().zip(&found) {
        let expected = expected(input);
        assert_eq!(&expected, found, "{name} of {input:x?}: expected {expected:x?}, found {found:x?}");
    }
}

const LOAD_3: &str =
    "ld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, [%rd3+4];\nld.global.u32 %r12, [%rd3+8];\n";

/// What an instruction makes of three words.
type Words = fn(u32, u32, u32) -> u32;

/// What an instruction makes of three floats.
type Floats = fn(f32, f32, f32) -> f32;

/// Instructions on three words `%r10`, `%r11`, `%r12` that write `%r20` and following.
fn check_words(instructions: &[(&str, Words)]) {
    let mut body = LOAD_3.to_owned();
    for (index, (instruction, _)) in instructions.iter().enumerate() {
        body +=
            &format!("{}\nst.global.u32 [%rd4+{}], %r20;\n", instruction.replace("%d", "%r20"), 4 * index);
    }
    check("words", 3, &body, |words| {
        instructions.iter().map(|(_, expected)| expected(words[0], words[1], words[2])).collect()
    });
}

#[test]
fn integers() {
    check_words(&[
        ("add.s32 %d, %r10, %r11;", |x, y, _| x.wrapping_add(y)),
        ("add.sat.s32 %d, %r10, %r11;", |x, y, _| (x as i32).saturating_add(y as i32) as u32),
        ("sub.u32 %d, %r10, %r11;", |x, y, _| x.wrapping_sub(y)),
        ("sub.sat.s32 %d, %r10, %r11;", |x, y, _| (x as i32).saturating_sub(y as i32) as u32),
        ("mul.lo.u32 %d, %r10, %r11;", |x, y, _| x.wrapping_mul(y)),
        ("mul.hi.u32 %d, %r10, %r11;", |x, y, _| ((u64::from(x) * u64::from(y)) >> 32) as u32),
        ("mul.hi.s32 %d, %r10, %r11;", |x, y, _| ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32),
        ("mad.lo.s32 %d, %r10, %r11, %r12;", |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        ("mad.hi.u32 %d, %r10, %r11, %r12;", |x, y, z| {
            (((u64::from(x) * u64::from(y)) >> 32) as u32).wrapping_add(z)
        }),
        ("or.b32 %r21, %r11, 1;\ndiv.u32 %d, %r10, %r21;", |x, y, _| x / (y | 1)),
        ("or.b32 %r21, %r11, 1;\nrem.u32 %d, %r10, %r21;", |x, y, _| x % (y | 1)),
        ("or.b32 %r21, %r11, 1;\ndiv.s32 %d, %r10, %r21;", |x, y, _| {
            (x as i32).wrapping_div((y | 1) as i32) as u32
        }),
        ("or.b32 %r21, %r11, 1;\nrem.s32 %d, %r10, %r21;", |x, y, _| {
            (x as i32).wrapping_rem((y | 1) as i32) as u32
        }),
        ("min.s32 %d, %r10, %r11;", |x, y, _| (x as i32).min(y as i32) as u32),
        ("max.u32 %d, %r10, %r11;", |x, y, _| x.max(y)),
        ("abs.s32 %d, %r10;", |x, _, _| (x as i32).wrapping_abs() as u32),
        ("neg.s32 %d, %r10;", |x, _, _| x.wrapping_neg()),
        ("sad.u32 %d, %r10, %r11, %r12;", |x, y, z| x.abs_diff(y).wrapping_add(z)),
        ("sad.s32 %d, %r10, %r11, %r12;", |x, y, z| (x as i32).abs_diff(y as i32).wrapping_add(z)),
        ("mul24.lo.u32 %d, %r10, %r11;", |x, y, _| {
            (u64::from(x & 0xff_ffff) * u64::from(y & 0xff_ffff)) as u32
        }),
        ("mul24.hi.s32 %d, %r10, %r11;", |x, y, _| {
            let low = |word: u32| i64::from((word as i32) << 8 >> 8);
            ((low(x) * low(y)) >> 16) as u32
        }),
        ("mad24.lo.s32 %d, %r10, %r11, %r12;", |x, y, z| {
            let low = |word: u32| i64::from((word as i32) << 8 >> 8);
            ((low(x) * low(y)) as u32).wrapping_add(z)
        }),
        ("dp4a.u32.u32 %d, %r10, %r11, %r12;", |x, y, z| {
            let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
            products.fold(z, |sum, (x, y)| sum.wrapping_add(u32::from(x) * u32::from(y)))
        }),
        ("dp4a.s32.u32 %d, %r10, %r11, %r12;", |x, y, z| {
            let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
            products.fold(z, |sum, (x, y)| sum.wrapping_add((i32::from(x as i8) * i32::from(y)) as u32))
        }),
        ("dp2a.hi.s32.s32 %d, %r10, %r11, %r12;", |x, y, z| {
            let one = i32::from(x as i16) * i32::from((y >> 16) as i8);
            let other = i32::from((x >> 16) as i16) * i32::from((y >> 24) as i8);
            z.wrapping_add(one as u32).wrapping_add(other as u32)
        }),
    ]);
}

#[test]
fn narrow_and_wide_integers() {
    check_words(&[
        ("cvt.u16.u32 %rs1, %r10;\ncvt.u16.u32 %rs2, %r11;\nmul.wide.s16 %d, %rs1, %rs2;", |x, y, _| {
            (i32::from(x as i16) * i32::from(y as i16)) as u32
        }),
        (
            "cvt.u16.u32 %rs1, %r10;\ncvt.u16.u32 %rs2, %r11;\nmax.s16 %rs3, %rs1, %rs2;\ncvt.s32.s16 %d, %rs3;",
            |x, y, _| i32::from((x as i16).max(y as i16)) as u32,
        ),
        ("cvt.u16.u32 %rs1, %r10;\nshr.s16 %rs3, %rs1, 3;\ncvt.s32.s16 %d, %rs3;", |x, _, _| {
            i32::from((x as i16) >> 3) as u32
        }),
        ("mul.wide.u32 %rd10, %r10, %r11;\nshr.u64 %rd10, %rd10, 7;\ncvt.u32.u64 %d, %rd10;", |x, y, _| {
            ((u64::from(x) * u64::from(y)) >> 7) as u32
        }),
        (
            "mov.b64 %rd10, {%r10, %r11};\nmov.b64 %rd11, {%r11, %r12};\nmul.hi.s64 %rd12, %rd10, %rd11;\n\
          mov.b64 {%r21, %d}, %rd12;",
            |x, y, z| {
                let (one, other) = (u64::from(y) << 32 | u64::from(x), u64::from(z) << 32 | u64::from(y));
                ((i128::from(one as i64) * i128::from(other as i64)) >> 96) as u32
            },
        ),
        (
            "mov.b64 %rd10, {%r10, %r11};\nmov.b64 %rd11, {%r11, %r12};\nor.b64 %rd11, %rd11, 1;\n\
          div.u64 %rd12, %rd10, %rd11;\nrem.s64 %rd13, %rd10, %rd11;\nxor.b64 %rd12, %rd12, %rd13;\n\
          mov.b64 {%d, _}, %rd12;",
            |x, y, z| {
                let (one, other) = (u64::from(y) << 32 | u64::from(x), u64::from(z) << 32 | u64::from(y) | 1);
                ((one / other) ^ (one as i64).wrapping_rem(other as i64) as u64) as u32
            },
        ),
    ]);
}

#[test]
fn carries() {
    check_words(&[
        ("add.cc.u32 %r21, %r10, %r11;\naddc.cc.u32 %r22, %r11, %r12;\naddc.u32 %d, %r12, 0;", |x, y, z| {
            let low = u64::from(x) + u64::from(y);
            let middle = u64::from(y) + u64::from(z) + (low >> 32);
            z.wrapping_add((middle >> 32) as u32)
        }),
        ("sub.cc.u32 %r21, %r10, %r11;\nsubc.u32 %d, %r11, %r12;", |x, y, z| {
            y.wrapping_sub(z).wrapping_sub(u32::from(x < y))
        }),
        ("mad.lo.cc.u32 %r21, %r10, %r11, %r12;\nmadc.hi.u32 %d, %r10, %r11, %r12;", |x, y, z| {
            let product = u64::from(x) * u64::from(y);
            let carry = (product & 0xffff_ffff) + u64::from(z) > 0xffff_ffff;
            ((product >> 32) as u32).wrapping_add(z).wrapping_add(carry.into())
        }),
    ]);
}

fn permuted(x: u32, y: u32, selector: u32) -> u32 {
    let bytes = u64::from(y) << 32 | u64::from(x);
    (0..4).fold(0, |all, index| {
        let digit = selector >> (4 * index) & 15;
        let byte = (bytes >> (8 * (digit & 7))) as u8;
        let byte = if digit & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        all | u32::from(byte) << (8 * index)
    })
}

#[test]
fn bits() {
    check_words(&[
        ("and.b32 %r21, %r10, %r11;\nxor.b32 %r21, %r21, %r12;\nnot.b32 %d, %r21;", |x, y, z| !((x & y) ^ z)),
        ("cnot.b32 %d, %r10;", |x, _, _| u32::from(x == 0)),
        ("shl.b32 %d, %r10, %r11;", |x, y, _| x.checked_shl(y).unwrap_or(0)),
        ("shr.u32 %d, %r10, %r11;", |x, y, _| x.checked_shr(y).unwrap_or(0)),
        ("shr.s32 %d, %r10, %r11;", |x, y, _| (x as i32 >> y.min(31)) as u32),
        ("shf.l.wrap.b32 %d, %r10, %r11, %r12;", |x, y, z| {
            (((u64::from(y) << 32 | u64::from(x)) << (z & 31)) >> 32) as u32
        }),
        ("shf.r.clamp.b32 %d, %r10, %r11, %r12;", |x, y, z| {
            ((u64::from(y) << 32 | u64::from(x)) >> z.min(32)) as u32
        }),
        ("lop3.b32 %d, %r10, %r11, %r12, 0x96;", |x, y, z| x ^ y ^ z),
        ("lop3.b32 %d, %r10, %r11, %r12, 0xe8;", |x, y, z| (x & y) | (x & z) | (y & z)),
        ("lop3.b32 %d, %r10, %r11, %r12, 0xf4;", |x, y, z| x | (y & !z)),
        ("lop3.b32 %d, %r10, %r11, %r12, 0x1b;", |x, y, z| {
            (0..32).fold(0, |all, bit| {
                let index = (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1);
                all | (0x1b >> index & 1) << bit
            })
        }),
        ("popc.b32 %d, %r10;", |x, _, _| x.count_ones()),
        ("clz.b32 %d, %r10;", |x, _, _| x.leading_zeros()),
        ("brev.b32 %d, %r10;", |x, _, _| x.reverse_bits()),
        ("bfind.u32 %d, %r10;", |x, _, _| 31u32.wrapping_sub(x.leading_zeros())),
        ("bfind.s32 %d, %r10;", |x, _, _| {
            let x = if (x as i32) < 0 { !x } else { x };
            31u32.wrapping_sub(x.leading_zeros())
        }),
        ("bfind.shiftamt.u32 %d, %r10;", |x, _, _| if x == 0 { u32::MAX } else { x.leading_zeros() }),
        ("bfe.u32 %d, %r10, %r11, %r12;", |x, y, z| extracted(x, y, z, false)),
        ("bfe.s32 %d, %r10, %r11, %r12;", |x, y, z| extracted(x, y, z, true)),
        ("and.b32 %r21, %r11, 31;\nand.b32 %r22, %r12, 15;\nbfe.s32 %d, %r10, %r21, %r22;", |x, y, z| {
            extracted(x, y & 31, z & 15, true)
        }),
        (
            "and.b32 %r21, %r11, 63;\nand.b32 %r22, %r12, 63;\nbfi.b32 %d, %r10, %r12, %r21, %r22;",
            |x, y, z| {
                let (from, count) = (y & 63, z & 63);
                (0..32).fold(0, |all, bit| {
                    let inside = bit >= from && bit - from < count;
                    all | if inside { (x >> (bit - from) & 1) << bit } else { z & 1 << bit }
                })
            },
        ),
        ("prmt.b32 %d, %r10, %r11, 0x5410;", |x, y, _| permuted(x, y, 0x5410)),
        ("prmt.b32 %d, %r10, %r11, %r12;", permuted),
        ("prmt.b32.f4e %d, %r10, %r11, %r12;", |x, y, z| {
            ((u64::from(y) << 32 | u64::from(x)) >> (8 * (z & 3))) as u32
        }),
        ("prmt.b32.rc8 %d, %r10, %r11, %r12;", |x, _, z| u32::from((x >> (8 * (z & 3))) as u8) * 0x0101_0101),
        ("bmsk.clamp.b32 %d, %r10, %r11;", |x, y, _| {
            let mask = if y >= 32 { u32::MAX } else { (1 << y) - 1 };
            mask.checked_shl(x).unwrap_or(0)
        }),
        ("szext.wrap.s32 %d, %r10, %r11;", |x, y, _| extracted(x, 0, y & 31, true)),
        ("szext.clamp.u32 %d, %r10, %r11;", |x, y, _| if y >= 32 { x } else { x & ((1 << y) - 1) }),
    ]);
}

fn extracted(x: u32, from: u32, count: u32, signed: bool) -> u32 {
    let (from, count) = (from & 0xff, count & 0xff);
    let sign = if !signed || count == 0 { 0 } else { x >> (from + count - 1).min(31) & 1 };
    (0..32).fold(0, |all, bit| {
        let inside = bit < count && from + bit <= 31;
        all | if inside { (x >> (from + bit) & 1) << bit } else { sign << bit }
    })
}

/// A float's bits, one NaN for all.
fn bits_of(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

/// Instructions on three floats `%f1`, `%f2`, `%f3` that write `%f10`.
fn check_floats(instructions: &[(&str, Floats)]) {
    let mut body =
        "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nld.global.f32 %f3, [%rd3+8];\n".to_owned();
    for (index, (instruction, _)) in instructions.iter().enumerate() {
        body += &format!(
            "{}\ntestp.notanumber.f32 %p9, %f10;\nselp.f32 %f10, 0f7fffffff, %f10, %p9;\nst.global.f32 [%rd4+{}], %f10;\n",
            instruction.replace("%d", "%f10"),
            4 * index
        );
    }
    check("floats", 3, &body, |words| {
        let [x, y, z] = [words[0], words[1], words[2]].map(f32::from_bits);
        instructions.iter().map(|(_, expected)| bits_of(expected(x, y, z))).collect()
    });
}

fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0.0f32.copysign(x) } else { x }
}

/// The exact value of a sum of binary64 numbers as binary32, rounded up (1), down (-1) or towards zero (0),
/// by looking at the neighbours. `high` and `low` do not overlap.
fn directed(high: f64, low: f64, direction: i32) -> f32 {
    let near = high as f32;
    if !near.is_finite() && !high.is_finite() || near.is_nan() {
        return near;
    }
    // Compares a binary32 number with the exact value.
    let compare = |x: f32| f64::from(x).partial_cmp(&high).unwrap().then(0.0.partial_cmp(&low).unwrap());
    let direction = match direction {
        0 if high > 0.0 || high == 0.0 && low > 0.0 => -1,
        0 => 1,
        other => other,
    };
    let mut x = near;
    loop {
        let order = compare(x) as i32;
        if order == 0 {
            return x;
        }
        // On the wrong side?
        if order != direction {
            x = if direction > 0 { x.next_up() } else { x.next_down() };
            continue;
        }
        let back = if direction > 0 { x.next_down() } else { x.next_up() };
        if compare(back) as i32 == direction || compare(back) as i32 == 0 {
            x = back;
        } else {
            return x;
        }
    }
}

fn exact_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let own = sum - x;
    (sum, (x - (sum - own)) + (y - own))
}

fn directed_sum(x: f64, y: f64, direction: i32) -> f32 {
    let (high, low) = exact_sum(x, y);
    let low = if low.is_nan() { 0.0 } else { low };
    let value = directed(high, low, direction);
    if high == 0.0 && direction < 0 && (x.to_bits() | y.to_bits()) != 0 { -0.0 } else { value }
}

#[test]
fn floats() {
    check_floats(&[
        ("add.f32 %d, %f1, %f2;", |x, y, _| x + y),
        ("sub.rn.f32 %d, %f1, %f2;", |x, y, _| x - y),
        ("mul.f32 %d, %f1, %f2;", |x, y, _| x * y),
        ("fma.rn.f32 %d, %f1, %f2, %f3;", |x, y, z| x.mul_add(y, z)),
        ("mad.rn.f32 %d, %f1, %f2, %f3;", |x, y, z| x.mul_add(y, z)),
        ("div.rn.f32 %d, %f1, %f2;", |x, y, _| x / y),
        ("rcp.rn.f32 %d, %f1;", |x, _, _| 1.0 / x),
        ("sqrt.rn.f32 %d, %f1;", |x, _, _| x.sqrt()),
        ("add.ftz.f32 %d, %f1, %f2;", |x, y, _| flushed(flushed(x) + flushed(y))),
        ("mul.ftz.f32 %d, %f1, %f2;", |x, y, _| flushed(flushed(x) * flushed(y))),
        ("add.sat.f32 %d, %f1, %f2;", |x, y, _| {
            let sum = x + y;
            if sum.is_nan() { 0.0 } else { sum.clamp(0.0, 1.0) + 0.0 }
        }),
        ("min.f32 %d, %f1, %f2;", |x, y, _| match x == y {
            true => {
                if x.is_sign_negative() {
                    x
                } else {
                    y
                }
            }
            false => x.min(y),
        }),
        ("max.NaN.f32 %d, %f1, %f2;", |x, y, _| match (x.is_nan() || y.is_nan(), x == y) {
            (true, _) => f32::NAN,
            (_, true) => {
                if x.is_sign_negative() {
                    y
                } else {
                    x
                }
            }
            _ => x.max(y),
        }),
        ("abs.f32 %d, %f1;\nneg.f32 %d, %d;", |x, _, _| -x.abs()),
        ("copysign.f32 %d, %f1, %f2;", |x, y, _| y.copysign(x)),
        ("slct.f32.f32 %d, %f1, %f2, %f3;", |x, y, z| if z >= 0.0 { x } else { y }),
    ]);
}

#[test]
fn floats_rounded_otherwise() {
    check_floats(&[
        ("add.rz.f32 %d, %f1, %f2;", |x, y, _| directed_sum(x.into(), y.into(), 0)),
        ("add.rm.f32 %d, %f1, %f2;", |x, y, _| directed_sum(x.into(), y.into(), -1)),
        ("sub.rp.f32 %d, %f1, %f2;", |x, y, _| directed_sum(x.into(), f64::from(-y), 1)),
        ("mul.rz.f32 %d, %f1, %f2;", |x, y, _| directed(f64::from(x) * f64::from(y), 0.0, 0)),
        ("mul.rm.f32 %d, %f1, %f2;", |x, y, _| directed(f64::from(x) * f64::from(y), 0.0, -1)),
        ("mul.rp.f32 %d, %f1, %f2;", |x, y, _| directed(f64::from(x) * f64::from(y), 0.0, 1)),
        ("fma.rz.f32 %d, %f1, %f2, %f3;", |x, y, z| directed_sum(f64::from(x) * f64::from(y), z.into(), 0)),
        ("fma.rm.f32 %d, %f1, %f2, %f3;", |x, y, z| directed_sum(f64::from(x) * f64::from(y), z.into(), -1)),
        ("fma.rp.f32 %d, %f1, %f2, %f3;", |x, y, z| directed_sum(f64::from(x) * f64::from(y), z.into(), 1)),
        ("div.rz.f32 %d, %f1, %f2;", |x, y, _| quotient(x.into(), y.into(), 0)),
        ("div.rm.f32 %d, %f1, %f2;", |x, y, _| quotient(x.into(), y.into(), -1)),
        ("rcp.rp.f32 %d, %f1;", |x, _, _| quotient(1.0, x.into(), 1)),
        ("sqrt.rm.f32 %d, %f1;", |x, _, _| root(x.into(), -1)),
        ("sqrt.rp.f32 %d, %f1;", |x, _, _| root(x.into(), 1)),
    ]);
}

fn quotient(x: f64, y: f64, direction: i32) -> f32 {
    let value = x / y;
    let rest = (-value).mul_add(y, x) * y.signum();
    directed(value, if rest.is_nan() { 0.0 } else { rest }, direction)
}

fn root(x: f64, direction: i32) -> f32 {
    let value = x.sqrt();
    let rest = (-value).mul_add(value, x);
    directed(value, if rest.is_nan() { 0.0 } else { rest }, direction)
}

/// Functions that are computed approximately: how far they are from what they should be.
#[test]
fn approximate_functions() {
    let inputs: Vec<Vec<u32>> = (0..4096)
        .map(|index| {
            let x = match index % 4 {
                0 => (index as f32 - 2048.0) / 700.0,
                1 => 2f32.powf(index as f32 / 16.0 - 140.0),
                2 => index as f32 / 64.0 - 30.0,
                _ => f32::from_bits(index * 0x000f_1234),
            };
            vec![x.to_bits()]
        })
        .collect();
    let names =
        ["ex2.approx", "lg2.approx", "sin.approx", "cos.approx", "rsqrt.approx", "tanh.approx", "rcp.approx"];
    let mut body = "ld.global.f32 %f1, [%rd3];\n".to_owned();
    for (index, name) in names.iter().enumerate() {
        body += &format!("{name}.f32 %f2, %f1;\nst.global.f32 [%rd4+{}], %f2;\n", 4 * index);
    }
    let found = map("", &inputs, names.len(), &body);
    for (input, found) in inputs.iter().zip(&found) {
        let x = f32::from_bits(input[0]);
        let wide = f64::from(x);
        let [ex2, lg2, sin, cos, rsqrt, tanh, rcp] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| f64::from(f32::from_bits(found[at])));
        let near = |found: f64, wanted: f64, relative: f64, absolute: f64, what: &str| {
            let wanted = f64::from(wanted as f32);
            let fits = found == wanted
                || found.is_nan() && wanted.is_nan()
                || (found - wanted).abs() <= wanted.abs() * relative + absolute;
            assert!(fits, "{what}({x:e}): {found:e} instead of {wanted:e}");
        };
        // The bounds are those of the PTX ISA.
        near(ex2, wide.exp2(), 2f64.powi(-22), 2f64.powi(-126), "ex2");
        if (0.5..=2.0).contains(&x) {
            near(lg2, wide.log2(), 0.0, 2f64.powi(-22), "lg2");
        } else {
            near(lg2, wide.log2(), 2f64.powi(-22), 0.0, "lg2");
        }
        if x.abs() <= std::f32::consts::PI {
            near(sin, wide.sin(), 0.0, 2f64.powf(-20.5), "sin");
            near(cos, wide.cos(), 0.0, 2f64.powf(-20.5), "cos");
        }
        near(rsqrt, 1.0 / wide.sqrt(), 2f64.powf(-22.4), 0.0, "rsqrt");
        near(tanh, wide.tanh(), 2f64.powi(-10), 2f64.powi(-126), "tanh");
        near(rcp, 1.0 / wide, 2f64.powi(-23), 0.0, "rcp");
    }
}

#[test]
fn doubles() {
    let body = "ld.global.v2.f64 {%fd1, %fd2}, [%rd3];\n\
        add.f64 %fd3, %fd1, %fd2;\nst.global.f64 [%rd4], %fd3;\n\
        mul.rn.f64 %fd3, %fd1, %fd2;\nst.global.f64 [%rd4+8], %fd3;\n\
        fma.rn.f64 %fd3, %fd1, %fd2, %fd1;\nst.global.f64 [%rd4+16], %fd3;\n\
        div.rn.f64 %fd3, %fd1, %fd2;\nst.global.f64 [%rd4+24], %fd3;\n\
        abs.f64 %fd4, %fd1;\nsqrt.rn.f64 %fd3, %fd4;\nst.global.f64 [%rd4+32], %fd3;\n\
        setp.lt.f64 %p1, %fd1, %fd2;\nselp.f64 %fd3, %fd1, 0d3FF0000000000000, %p1;\nst.global.f64 [%rd4+40], %fd3;\n\
        rcp.approx.ftz.f64 %fd3, %fd4;\nst.global.f64 [%rd4+48], %fd3;";
    let mut random = pyro_random::Random::new(3);
    let inputs: Vec<[f64; 2]> =
        (0..256).map(|_| [0, 1].map(|_| f64::from(random.float(-4.0, 4.0)) * 1.000_000_1)).collect();
    let words = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
    let rows: Vec<Vec<u32>> = inputs.iter().map(|&[x, y]| [words(x), words(y)].concat()).collect();
    let found = map("", &rows, 14, body);
    for (&[x, y], found) in inputs.iter().zip(&found) {
        let found: Vec<f64> = found
            .chunks(2)
            .map(|pair| f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0])))
            .collect();
        let expected = [x + y, x * y, x.mul_add(y, x), x / y, x.abs().sqrt(), if x < y { x } else { 1.0 }];
        assert_eq!(found[..6], expected, "{x} {y}");
        assert_eq!(found[6].to_bits() as u32, 0);
        assert!((found[6] * x.abs() - 1.0).abs() < 2f64.powi(-19), "{x}");
    }
}

#[test]
fn halves() {
    // Halves whose sums and products are exact, two in a word.
    let inputs: Vec<Vec<u32>> = (0..64).map(|index| vec![index % 45, index * 7 % 32]).collect();
    let body = "ld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, [%rd3+4];\n\
        cvt.rn.f32.u32 %f1, %r10;\ncvt.rn.f32.u32 %f2, %r11;\n\
        cvt.rn.f16.f32 %rs1, %f1;\ncvt.rn.f16.f32 %rs2, %f2;\n\
        {add.f16 %rs3, %rs1, %rs2;}\ncvt.f32.f16 %f3, %rs3;\nst.global.f32 [%rd4], %f3;\n\
        {fma.rn.f16 %rs3, %rs1, %rs2, %rs1;}\ncvt.f32.f16 %f3, %rs3;\nst.global.f32 [%rd4+4], %f3;\n\
        cvt.rn.f16x2.f32 %r12, %f1, %f2;\nmov.b32 %r13, {%rs1, %rs1};\n\
        {mul.f16x2 %r14, %r12, %r13;}\nmov.b32 {%rs4, %rs5}, %r14;\ncvt.f32.f16 %f3, %rs4;\ncvt.f32.f16 %f4, %rs5;\n\
        st.global.v2.f32 [%rd4+8], {%f3, %f4};\n\
        setp.gt.f16 %p1, %rs1, %rs2;\nselp.u32 %r15, 1, 0, %p1;\nst.global.u32 [%rd4+16], %r15;";
    let found = map("", &inputs, 5, body);
    for (input, found) in inputs.iter().zip(&found) {
        let (x, y) = (input[0] as f32, input[1] as f32);
        let values = [x + y, x * y + x, y * x, x * x].map(f32::to_bits);
        assert_eq!(found[..4], values, "{x} {y}");
        assert_eq!(found[4], u32::from(x > y));
    }
}
