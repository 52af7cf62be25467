use crate::support::{Tensor, apply, assert_near, index};
use pyro_random::Random;
use pyro_tosa::{Element, Opcode};

const FLOATS: [Element; 3] = [Element::F16, Element::Bf16, Element::F32];

/// Numbers with the special ones among them.
fn numbers(random: &mut Random, element: Element) -> Tensor {
    let mut values = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        1.5,
        2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-3,
        30.0,
        -30.0,
    ];
    values.extend((0..3000).map(|_| f64::from(random.float(-8.0, 8.0))));
    Tensor::new(element, &[values.len() as u32], &values)
}

fn erf(x: f64) -> f64 {
    // The integral by its series, or by its continued fraction.
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    if x.abs() < 3.0 {
        sum * 2.0 / std::f64::consts::PI.sqrt()
    } else {
        let mut tail = 0.0;
        for n in (1..200).rev() {
            tail = f64::from(n) / 2.0 / (x.abs() + tail);
        }
        let rest = (-x * x).exp() / std::f64::consts::PI.sqrt() / (x.abs() + tail);
        x.signum() * (1.0 - rest)
    }
}

type Function = fn(f64) -> f64;

#[test]
fn floating_point_functions_of_one_number() {
    let mut random = Random::new(1);
    let functions: [(Opcode, Function); 12] = [
        (Opcode::Abs, f64::abs),
        (Opcode::Ceil, f64::ceil),
        (Opcode::Floor, f64::floor),
        (Opcode::Cos, f64::cos),
        (Opcode::Sin, f64::sin),
        (Opcode::Exp, f64::exp),
        (Opcode::Log, f64::ln),
        (Opcode::Tanh, f64::tanh),
        (Opcode::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
        (Opcode::Erf, erf),
        (Opcode::Reciprocal, |x| 1.0 / x),
        (Opcode::Rsqrt, |x| 1.0 / x.sqrt()),
    ];
    for element in FLOATS {
        let input = numbers(&mut random, element);
        for (opcode, function) in functions {
            let found = apply(opcode, std::slice::from_ref(&input), element, &input.shape);
            let wanted: Vec<f64> = input.values.iter().map(|&x| function(x)).collect();
            assert_near(element, &found, &wanted, 0.51, opcode.name());
            for (found, wanted) in found.iter().zip(&wanted).filter(|(found, _)| **found == 0.0) {
                assert_eq!(found.is_sign_negative(), wanted.is_sign_negative(), "{}", opcode.name());
            }
        }
        let zero = Tensor::one(element, 0.0);
        let found = apply(Opcode::Negate, &[input.clone(), zero.clone(), zero], element, &input.shape);
        let wanted: Vec<f64> = input.values.iter().map(|&x| -x).collect();
        assert_near(element, &found, &wanted, 0.0, "NEGATE");
    }
}

#[test]
fn numbers_are_clamped_by_the_mode_of_nan() {
    let mut random = Random::new(2);
    for element in FLOATS {
        let input = numbers(&mut random, element);
        for mode in [1, 2] {
            let operands = [
                Tensor::scalar(element, -1.5),
                Tensor::scalar(element, 2.0),
                Tensor::scalar(Element::I32, mode.into()),
                input.clone(),
            ];
            let found = apply(Opcode::Clamp, &operands, element, &input.shape);
            let wanted: Vec<f64> = input
                .values
                .iter()
                .map(|&x| match x.is_nan() {
                    true if mode == 1 => x,
                    true => -1.5,
                    false => x.clamp(-1.5, 2.0),
                })
                .collect();
            assert_near(element, &found, &wanted, 0.0, "CLAMP");
        }
    }
    for (element, low, high) in [(Element::I8, -100.0, 3.0), (Element::I16, -1000.0, 20_000.0)] {
        let input = Tensor::random(&mut random, element, &[7, 100]);
        let operands = [
            Tensor::scalar(element, low),
            Tensor::scalar(element, high),
            Tensor::scalar(Element::I32, 1.0),
            input.clone(),
        ];
        let found = apply(Opcode::Clamp, &operands, element, &input.shape);
        let wanted: Vec<f64> = input.values.iter().map(|&x| x.clamp(low, high)).collect();
        assert_eq!(found, wanted);
    }
}

#[test]
fn integer_functions_of_one_number() {
    let mut random = Random::new(3);
    let words = Tensor::new(Element::I32, &[6], &[0.0, 1.0, -1.0, 255.0, -2147483648.0, 2147483647.0]);
    let of = |opcode| apply(opcode, std::slice::from_ref(&words), Element::I32, &[6]);
    assert_eq!(of(Opcode::Clz), [32.0, 31.0, 0.0, 24.0, 0.0, 1.0]);
    assert_eq!(of(Opcode::Abs)[..4], [0.0, 1.0, 1.0, 255.0]);
    for element in [Element::I8, Element::I16, Element::I32] {
        let input = Tensor::random(&mut random, element, &[1000]);
        let found = apply(Opcode::BitwiseNot, std::slice::from_ref(&input), element, &[1000]);
        assert!(found.iter().zip(&input.values).all(|(found, x)| *found == -x - 1.0));
        let (from, to) = if element == Element::I8 { (5.0, -7.0) } else { (0.0, 0.0) };
        let points = [input.clone(), Tensor::one(element, from), Tensor::one(element, to)];
        let found = apply(Opcode::Negate, &points, element, &[1000]);
        let most = 2.0_f64.powi(element.bytes() as i32 * 8 - 1);
        let wanted: Vec<f64> =
            input.values.iter().map(|x| (to - (x - from)).clamp(-most, most - 1.0)).collect();
        assert_eq!(found, wanted, "{element}");
    }
    let truth = Tensor::random(&mut random, Element::Bool, &[300]);
    let found = apply(Opcode::LogicalNot, std::slice::from_ref(&truth), Element::Bool, &[300]);
    assert!(found.iter().zip(&truth.values).all(|(found, x)| *found == 1.0 - x));
}

/// The element of a broadcast operand.
fn broadcast(tensor: &Tensor, index: &[usize]) -> f64 {
    let own: Vec<usize> =
        index.iter().zip(&tensor.shape).map(|(&at, &size)| if size == 1 { 0 } else { at }).collect();
    tensor.at(&own)
}

/// Shapes of two operands and of the result.
const SHAPES: [[&[u32]; 3]; 6] = [
    [&[700], &[700], &[700]],
    [&[3, 1, 90], &[3, 5, 90], &[3, 5, 90]],
    [&[4, 7, 3], &[1, 1, 3], &[4, 7, 3]],
    [&[4, 1, 6], &[1, 9, 1], &[4, 9, 6]],
    [&[1, 1], &[20, 30], &[20, 30]],
    [&[2, 3, 2, 5, 1, 2], &[2, 1, 2, 1, 4, 2], &[2, 3, 2, 5, 4, 2]],
];

fn check(
    opcode: Opcode,
    (from, to): (Element, Element),
    before: &[Tensor],
    after: &[Tensor],
    random: &mut Random,
    draw: impl Fn(&mut Random, Element, &[u32]) -> [Tensor; 1],
    function: impl Fn(f64, f64) -> f64,
) {
    for [first, second, result] in SHAPES {
        let ([a], [b]) = (draw(random, from, first), draw(random, from, second));
        let operands = [before, &[a.clone(), b.clone()], after].concat();
        let found = apply(opcode, &operands, to, result);
        let wanted: Vec<f64> = (0..found.len())
            .map(|at| {
                let index = index(result, at);
                function(broadcast(&a, &index), broadcast(&b, &index))
            })
            .collect();
        assert_near(to, &found, &wanted, if to.is_float() { 0.51 } else { 0.0 }, opcode.name());
    }
}

fn any(random: &mut Random, element: Element, shape: &[u32]) -> [Tensor; 1] {
    [Tensor::random(random, element, shape)]
}

#[test]
fn arithmetic_of_two_numbers() {
    let random = &mut Random::new(4);
    for element in FLOATS {
        let same = (element, element);
        check(Opcode::Add, same, &[], &[], random, any, |a, b| a + b);
        check(Opcode::Sub, same, &[], &[], random, any, |a, b| a - b);
        let positive = |random: &mut Random, element, shape: &[u32]| {
            let [mut tensor] = any(random, element, shape);
            tensor.values.iter_mut().for_each(|x| *x = x.abs() + 0.25);
            [Tensor::new(element, shape, &tensor.values)]
        };
        check(Opcode::Pow, same, &[], &[], random, positive, f64::powf);
        check(Opcode::Mul, same, &[], &[Tensor::one(Element::I8, 0.0)], random, any, |a, b| a * b);
        for (opcode, truth) in [
            (Opcode::Equal, (|a, b| a == b) as fn(f64, f64) -> bool),
            (Opcode::Greater, |a, b| a > b),
            (Opcode::GreaterEqual, |a, b| a >= b),
        ] {
            let some = |random: &mut Random, element, shape: &[u32]| {
                let [mut tensor] = any(random, element, shape);
                tensor.values.iter_mut().for_each(|x| *x = x.round());
                tensor.values[0] = f64::NAN;
                [tensor]
            };
            let wanted = |a, b| f64::from(u8::from(truth(a, b)));
            check(opcode, (element, Element::Bool), &[], &[], random, some, wanted);
        }
    }
    let word = (Element::I32, Element::I32);
    check(Opcode::Add, word, &[], &[], random, any, |a, b| a + b);
    check(Opcode::Sub, word, &[], &[], random, any, |a, b| a - b);
    let nonzero = |random: &mut Random, element, shape: &[u32]| {
        let [mut tensor] = any(random, element, shape);
        tensor.values.iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = 3.0);
        [tensor]
    };
    check(Opcode::IntDiv, word, &[], &[], random, nonzero, |a, b| (a / b).trunc());
    let wrapped = |a: f64, b: f64| f64::from((a as i64 as i32).wrapping_mul(b as i64 as i32));
    check(Opcode::Mul, word, &[], &[Tensor::one(Element::I8, 0.0)], random, any, wrapped);
    for shift in [1, 7, 31] {
        let shifted =
            move |a: f64, b: f64| (((a as i128) * (b as i128) + (1 << (shift - 1))) >> shift) as i32 as f64;
        check(Opcode::Mul, word, &[], &[Tensor::one(Element::I8, shift.into())], random, any, shifted);
    }
    for element in [Element::I8, Element::I16] {
        let shift = [Tensor::one(Element::I8, 0.0)];
        check(Opcode::Mul, (element, Element::I32), &[], &shift, random, any, |a, b| a * b);
    }
    for (opcode, truth) in [
        (Opcode::Equal, (|a, b| a == b) as fn(f64, f64) -> bool),
        (Opcode::Greater, |a, b| a > b),
        (Opcode::GreaterEqual, |a, b| a >= b),
    ] {
        let wanted = |a, b| f64::from(u8::from(truth(a, b)));
        check(opcode, (Element::I32, Element::Bool), &[], &[], random, any, wanted);
    }
}

#[test]
fn the_greater_and_the_smaller_by_the_mode_of_nan() {
    let random = &mut Random::new(5);
    let with_nan = |random: &mut Random, element, shape: &[u32]| {
        let [mut tensor] = any(random, element, shape);
        tensor.values.iter_mut().step_by(3).for_each(|x| *x = f64::NAN);
        [tensor]
    };
    for element in FLOATS {
        for mode in [1, 2] {
            let before = [Tensor::scalar(Element::I32, mode.into())];
            for (opcode, is_max) in [(Opcode::Maximum, true), (Opcode::Minimum, false)] {
                let wanted = |a: f64, b: f64| {
                    let plain = if is_max { a.max(b) } else { a.min(b) };
                    if mode == 1 && (a.is_nan() || b.is_nan()) { f64::NAN } else { plain }
                };
                check(opcode, (element, element), &before, &[], random, with_nan, wanted);
            }
        }
    }
    let before = [Tensor::scalar(Element::I32, 1.0)];
    let word = (Element::I32, Element::I32);
    check(Opcode::Maximum, word, &before, &[], random, any, f64::max);
    check(Opcode::Minimum, word, &before, &[], random, any, f64::min);
}

#[test]
fn bits_of_two_numbers() {
    let random = &mut Random::new(6);
    for element in [Element::I8, Element::I16, Element::I32] {
        let same = (element, element);
        let bits = element.bytes() as u32 * 8;
        let cut = move |x: i64| (x << (64 - bits) >> (64 - bits)) as f64;
        check(Opcode::BitwiseAnd, same, &[], &[], random, any, |a, b| (a as i64 & b as i64) as f64);
        check(Opcode::BitwiseOr, same, &[], &[], random, any, |a, b| (a as i64 | b as i64) as f64);
        check(Opcode::BitwiseXor, same, &[], &[], random, any, |a, b| (a as i64 ^ b as i64) as f64);
        // Shifts, whose second operands are small: both are drawn so.
        let small = move |random: &mut Random, element, shape: &[u32]| {
            let [mut tensor] = any(random, element, shape);
            tensor.values.iter_mut().for_each(|x| *x = (*x as i64).rem_euclid(bits.into()) as f64);
            [tensor]
        };
        check(Opcode::LogicalLeftShift, same, &[], &[], random, small, |a, b| cut((a as i64) << b as u32));
        let mask = u64::MAX >> (64 - bits);
        let right = |a: f64, b: f64| cut(((a as i64 as u64 & mask) >> b as u32) as i64);
        check(Opcode::LogicalRightShift, same, &[], &[], random, small, right);
        // And negative first operands.
        let first = Tensor::random(random, element, &[500]);
        let [second] = small(random, element, &[500]);
        let pairs = first.values.iter().zip(&second.values);
        let found = apply(Opcode::LogicalRightShift, &[first.clone(), second.clone()], element, &[500]);
        assert_eq!(found, pairs.clone().map(|(&a, &b)| right(a, b)).collect::<Vec<_>>());
        for rounds in [false, true] {
            let round = Tensor::scalar(Element::Bool, f64::from(u8::from(rounds)));
            let operands = [round, first.clone(), second.clone()];
            let found = apply(Opcode::ArithmeticRightShift, &operands, element, &[500]);
            let wanted = |(&a, &b): (&f64, &f64)| {
                let (a, b) = (a as i64, b as u32);
                let half = i64::from(rounds && b > 0 && a >> (b - 1) & 1 == 1);
                cut((a >> b) + half)
            };
            assert_eq!(found, pairs.clone().map(wanted).collect::<Vec<_>>());
        }
    }
    let truth = (Element::Bool, Element::Bool);
    check(Opcode::LogicalAnd, truth, &[], &[], random, any, |a, b| a * b);
    check(Opcode::LogicalOr, truth, &[], &[], random, any, f64::max);
    check(Opcode::LogicalXor, truth, &[], &[], random, any, |a, b| (a - b).abs());
}

#[test]
fn one_of_two_is_selected() {
    let random = &mut Random::new(7);
    for element in [Element::Bool, Element::I8, Element::I16, Element::I32, Element::F16, Element::F32] {
        for [first, second, result] in SHAPES {
            let which = Tensor::random(random, Element::Bool, first);
            let a = Tensor::random(random, element, second);
            let b = Tensor::random(random, element, result);
            let found = apply(Opcode::Select, &[which.clone(), a.clone(), b.clone()], element, result);
            for (at, found) in found.into_iter().enumerate() {
                let index = index(result, at);
                let from = if broadcast(&which, &index) != 0.0 { &a } else { &b };
                assert_eq!(found, broadcast(from, &index));
            }
        }
    }
}

#[test]
fn tables_give_their_values() {
    let random = &mut Random::new(8);
    let bytes = Tensor::new(Element::I8, &[256], &(-128..128).map(f64::from).collect::<Vec<_>>());
    let table = Tensor::random(random, Element::I8, &[256]);
    let found = apply(Opcode::Table, &[bytes, table.clone()], Element::I8, &[256]);
    assert_eq!(found, table.values);
    let mut words = Tensor::random(random, Element::I16, &[4000]);
    words.values[..3].copy_from_slice(&[-32768.0, 32767.0, 0.0]);
    let values: Vec<f64> =
        (0..513).map(|at| (f64::from(at) * 0.05).sin() * 20_000.0).map(f64::round).collect();
    let table = Tensor::new(Element::I16, &[513], &values);
    let found = apply(Opcode::Table, &[words.clone(), table], Element::I32, &[4000]);
    for (found, x) in found.into_iter().zip(&words.values) {
        // Linear between the values of two places, 128 apart, in units of 1/128.
        let at = ((x + 32768.0) / 128.0).floor() as usize;
        let fraction = (x + 32768.0) - at as f64 * 128.0;
        assert_eq!(found, values[at] * 128.0 + (values[at + 1] - values[at]) * fraction);
    }
}

#[test]
fn casts_round_saturate_and_cut() {
    let random = &mut Random::new(9);
    let integers = [Element::I8, Element::I16, Element::I32];
    let most = |element: Element| 2.0_f64.powi(element.bytes() as i32 * 8 - 1);
    for from in FLOATS {
        let mut values =
            vec![0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, -1e9, f64::INFINITY, f64::NEG_INFINITY, 127.5];
        values.extend((0..900).map(|_| f64::from(random.float(-300.0, 300.0))));
        let input = Tensor::new(from, &[values.len() as u32], &values);
        for to in integers {
            let found = apply(Opcode::Cast, std::slice::from_ref(&input), to, &input.shape);
            let wanted: Vec<f64> =
                input.values.iter().map(|x| x.round_ties_even().clamp(-most(to), most(to) - 1.0)).collect();
            assert_eq!(found, wanted, "{from} to {to}");
        }
        for to in [Element::F8E4M3, Element::F8E5M2, Element::F16, Element::Bf16, Element::F32] {
            if to == from
                || [from, to] == [Element::F16, Element::Bf16]
                || [from, to] == [Element::Bf16, Element::F16]
            {
                continue;
            }
            let found = apply(Opcode::Cast, std::slice::from_ref(&input), to, &input.shape);
            assert_near(to, &found, &input.values, 0.5, "CAST");
        }
    }
    for from in [Element::F8E4M3, Element::F8E5M2] {
        let input = Tensor::random(random, from, &[400]);
        for to in FLOATS {
            assert_eq!(apply(Opcode::Cast, std::slice::from_ref(&input), to, &[400]), input.values);
        }
    }
    for from in integers {
        let input = Tensor::random(random, from, &[600]);
        for to in integers.into_iter().filter(|&to| to != from) {
            let found = apply(Opcode::Cast, std::slice::from_ref(&input), to, &[600]);
            let cut = |x: f64| (x + most(to)).rem_euclid(2.0 * most(to)) - most(to);
            assert_eq!(found, input.values.iter().map(|&x| cut(x)).collect::<Vec<_>>());
        }
        for to in FLOATS {
            let found = apply(Opcode::Cast, std::slice::from_ref(&input), to, &[600]);
            assert_near(to, &found, &input.values, 0.5, "CAST");
        }
        let truth = apply(Opcode::Cast, std::slice::from_ref(&input), Element::Bool, &[600]);
        assert!(truth.iter().zip(&input.values).all(|(truth, x)| (*truth != 0.0) == (*x != 0.0)));
        let input = Tensor::random(random, Element::Bool, &[600]);
        assert_eq!(apply(Opcode::Cast, std::slice::from_ref(&input), from, &[600]), input.values);
    }
    // Halfway between two numbers of the narrow types, and a little more: no rounding in between.
    let values: Vec<f64> = [0_i64, 1, -1]
        .into_iter()
        .flat_map(|off| {
            [
                (1 << 30) + (1 << 22) + off,
                (1 << 30) + (3 << 22) + off,
                4098 + off,
                -((1 << 30) + (1 << 22)) + off,
            ]
        })
        .map(|x| x as f64)
        .collect();
    let input = Tensor::new(Element::I32, &[values.len() as u32], &values);
    let found = apply(Opcode::Cast, std::slice::from_ref(&input), Element::Bf16, &input.shape);
    for (found, x) in found.into_iter().zip(values) {
        // Eight bits of fraction and the one before.
        let unit = 2.0_f64.powi(x.abs().log2().floor() as i32 - 7);
        assert_eq!(found, (x / unit).round_ties_even() * unit, "{x}");
    }
}

#[test]
fn rescaled_integers_are_exact() {
    let random = &mut Random::new(10);
    let types = [Element::I8, Element::I16, Element::I32, Element::I48];
    for from in types {
        for to in [Element::I8, Element::I16, Element::I32] {
            for (scale32, rounding, per_channel, unsigned) in [
                (true, 1, false, 0),
                (true, 3, true, 0),
                (true, 2, false, 1),
                (false, 1, true, 0),
                (false, 1, false, 2),
            ] {
                let is_byte = |element| element == Element::I8;
                let has_sign = |element: Element| element.bytes() > 2;
                if from == Element::I48 && scale32
                    || unsigned == 1 && (has_sign(from) || to == Element::I32)
                    || unsigned == 2 && (has_sign(to) || has_sign(from))
                {
                    continue;
                }
                let mut input = Tensor::random(random, from, &[9, 5]);
                if from == Element::I48 {
                    input.values.iter_mut().for_each(|x| *x = (*x / 1e6).round());
                }
                let channels = if per_channel { 5 } else { 1 };
                let multiplier: Vec<f64> = (0..channels)
                    .map(|_| {
                        f64::from(if scale32 {
                            random.int(1 << 30, i32::MAX)
                        } else {
                            random.int(1 << 14, 32767)
                        })
                    })
                    .collect();
                let shift: Vec<f64> = (0..channels)
                    .map(|_| f64::from(if scale32 { random.int(30, 40) } else { random.int(14, 24) }))
                    .collect();
                let point = |element, is_unsigned: bool| match element {
                    Element::I8 => 9.0,
                    Element::I16 if is_unsigned => -32768.0,
                    _ => 0.0,
                };
                let points = [point(from, unsigned == 1), point(to, unsigned == 2)];
                let flag = |is_set: bool| Tensor::scalar(Element::Bool, f64::from(u8::from(is_set)));
                let multipliers = if scale32 { Element::I32 } else { Element::I16 };
                let operands = [
                    flag(scale32),
                    Tensor::scalar(Element::I32, rounding.into()),
                    flag(per_channel),
                    flag(unsigned == 1),
                    flag(unsigned == 2),
                    input.clone(),
                    Tensor::new(multipliers, &[channels], &multiplier),
                    Tensor::new(Element::I8, &[channels], &shift),
                    Tensor::one(from, points[0]),
                    Tensor::one(to, points[1]),
                ];
                let found = apply(Opcode::Rescale, &operands, to, &[9, 5]);
                for (at, found) in found.into_iter().enumerate() {
                    let c = if per_channel { at % 5 } else { 0 };
                    let range = |element: Element| 1_i128 << (8 * element.bytes());
                    let read = |x: f64, element, is_unsigned: bool| {
                        let x = x as i128;
                        if is_unsigned { x.rem_euclid(range(element)) } else { x }
                    };
                    let value =
                        read(input.values[at], from, unsigned == 1) - read(points[0], from, unsigned == 1);
                    let (multiplier, shift) = (multiplier[c] as i128, shift[c] as u32);
                    let mut round = 1_i128 << (shift - 1);
                    if rounding == 3 && shift > 31 {
                        round += if value >= 0 { 1 << 30 } else { -(1 << 30) };
                    }
                    let scaled = (value * multiplier + round) >> shift;
                    let wanted = scaled + read(points[1], to, unsigned == 2);
                    let (low, high) = match unsigned {
                        2 => (0, range(to) - 1),
                        _ => (-range(to) / 2, range(to) / 2 - 1),
                    };
                    let found = read(found, to, unsigned == 2);
                    assert_eq!(found, wanted.clamp(low, high), "{from} to {to}, {scale32} {rounding}");
                    let _ = is_byte(to);
                }
            }
        }
    }
}
