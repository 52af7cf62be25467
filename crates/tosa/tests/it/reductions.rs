use crate::support::{Tensor, apply, assert_near, try_apply};
use pyro_random::Random;
use pyro_tosa::{Element, Opcode};

/// The rows of a tensor along an axis, in the order of the result's elements.
fn rows(input: &Tensor, axis: usize) -> Vec<Vec<f64>> {
    let [outer, inner] =
        [&input.shape[..axis], &input.shape[axis + 1..]].map(|sizes| sizes.iter().product::<u32>() as usize);
    let length = input.shape[axis] as usize;
    let row = |outer: usize, inner_at: usize| {
        (0..length).map(|at| input.values[(outer * length + at) * inner + inner_at]).collect()
    };
    (0..outer)
        .flat_map(|outer| (0..inner).map(move |at| (outer, at)))
        .map(|(outer, at)| row(outer, at))
        .collect()
}

const SHAPES: [&[u32]; 4] = [&[3, 17, 5], &[1, 700, 2], &[40, 3, 1000], &[5]];

#[test]
fn reductions_along_each_axis() {
    let random = &mut Random::new(1);
    for shape in SHAPES {
        for axis in 0..shape.len() {
            let at = Tensor::scalar(Element::I32, axis as f64);
            let mut reduced = shape.to_vec();
            reduced[axis] = 1;
            let of = |opcode, mode: Option<i32>, input: &Tensor, function: &dyn Fn(&[f64]) -> f64, ulps| {
                let mode = mode.map(|mode| Tensor::scalar(Element::I32, mode.into()));
                let operands: Vec<Tensor> =
                    [Some(at.clone()), mode, Some(input.clone())].into_iter().flatten().collect();
                let found = apply(opcode, &operands, input.element, &reduced);
                let wanted: Vec<f64> = rows(input, axis).iter().map(|row| function(row)).collect();
                assert_near(input.element, &found, &wanted, ulps, opcode.name());
            };
            let truth = Tensor::random(random, Element::Bool, shape);
            let any = |row: &[f64]| f64::from(u8::from(row.iter().any(|&x| x != 0.0)));
            let all = |row: &[f64]| f64::from(u8::from(row.iter().all(|&x| x != 0.0)));
            of(Opcode::ReduceAny, None, &truth, &any, 0.0);
            of(Opcode::ReduceAll, None, &truth, &all, 0.0);
            for element in
                [Element::I8, Element::I16, Element::I32, Element::F16, Element::Bf16, Element::F32]
            {
                let mut input = Tensor::random(random, element, shape);
                for mode in [1, 2] {
                    let with = |x: f64, y: f64, least: bool| {
                        let plain = if least { x.min(y) } else { x.max(y) };
                        if mode == 1 && (x.is_nan() || y.is_nan()) { f64::NAN } else { plain }
                    };
                    let greatest =
                        |row: &[f64]| row.iter().copied().reduce(|x, y| with(x, y, false)).unwrap();
                    let least = |row: &[f64]| row.iter().copied().reduce(|x, y| with(x, y, true)).unwrap();
                    of(Opcode::ReduceMax, Some(mode), &input, &greatest, 0.0);
                    of(Opcode::ReduceMin, Some(mode), &input, &least, 0.0);
                    if element.is_float() {
                        input.values.iter_mut().step_by(7).for_each(|x| *x = f64::NAN);
                    }
                }
            }
            for element in [Element::I32, Element::F16, Element::Bf16, Element::F32] {
                // Positive numbers: the bound of errors is by their sum.
                let mut input = Tensor::random(random, element, shape);
                input.values.iter_mut().for_each(|x| *x = x.abs());
                // One rounding for each of the sums of 32 bits, but those of the lanes are short.
                let ulps = if element == Element::F32 { 80.0 } else { 0.6 };
                let ulps = if element.is_float() { ulps } else { 0.0 };
                of(Opcode::ReduceSum, None, &input, &|row| row.iter().sum(), ulps);
                if element.is_float() {
                    input.values.iter_mut().for_each(|x| *x = if *x > 2.0 { 1.0 } else { 0.999_023_437_5 });
                    let input = Tensor::new(element, shape, &input.values);
                    let ulps = if element == Element::F32 { 700.0 } else { 0.6 };
                    of(Opcode::ReduceProduct, None, &input, &|row| row.iter().product(), ulps);
                }
            }
        }
    }
}

#[test]
fn the_place_of_the_greatest() {
    let random = &mut Random::new(2);
    let elements = [
        Element::I8,
        Element::I16,
        Element::F8E4M3,
        Element::F8E5M2,
        Element::F16,
        Element::Bf16,
        Element::F32,
    ];
    for shape in SHAPES.into_iter().filter(|shape| shape.len() > 1) {
        for (axis, element) in (0..shape.len()).flat_map(|axis| elements.map(|element| (axis, element))) {
            let mut input = Tensor::random(random, element, shape);
            for mode in [1, 2] {
                let mut reduced = shape.to_vec();
                reduced.remove(axis);
                let operands = [
                    Tensor::scalar(Element::I32, axis as f64),
                    Tensor::scalar(Element::I32, mode.into()),
                    input.clone(),
                ];
                let found = apply(Opcode::ArgMax, &operands, Element::I32, &reduced);
                let wanted = rows(&input, axis).into_iter().map(|row| {
                    if let Some(nan) = row.iter().position(|x| x.is_nan()).filter(|_| mode == 1) {
                        return nan as f64;
                    }
                    let greatest = row.iter().copied().fold(f64::NAN, f64::max);
                    row.iter().position(|&x| x == greatest).unwrap_or(0) as f64
                });
                assert_eq!(found, wanted.collect::<Vec<_>>(), "{element} along {axis}");
                if element.is_float() {
                    input.values.iter_mut().step_by(5).for_each(|x| *x = f64::NAN);
                }
            }
        }
    }
    let least = Tensor::new(Element::F32, &[1, 3], &[f64::NEG_INFINITY; 3]);
    let operands = [Tensor::scalar(Element::I32, 1.0), Tensor::scalar(Element::I32, 1.0), least];
    assert_eq!(apply(Opcode::ArgMax, &operands, Element::I32, &[1]), [0.0]);
}

#[test]
fn fourier_transforms() {
    let random = &mut Random::new(3);
    for [height, width] in [[1, 1], [1, 8], [16, 1], [8, 16], [32, 4]] {
        let shape = [2, height, width];
        let (real, imaginary) =
            (Tensor::random(random, Element::F32, &shape), Tensor::random(random, Element::F32, &shape));
        let flag = |is_set: bool| Tensor::scalar(Element::Bool, f64::from(u8::from(is_set)));
        // By the definition.
        let sum = |n: usize, oy: usize, ox: usize, sign: f64, imaginary: Option<&Tensor>| {
            let (mut re, mut im) = (0.0, 0.0);
            for (iy, ix) in (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (y, x))) {
                let part =
                    |i: usize, o: usize, count: u32| (i * o % count as usize) as f64 / f64::from(count);
                let angle = sign * std::f64::consts::TAU * (part(iy, oy, height) + part(ix, ox, width));
                let value = [real.at(&[n, iy, ix]), imaginary.map_or(0.0, |tensor| tensor.at(&[n, iy, ix]))];
                re += value[0] * angle.cos() + value[1] * angle.sin();
                im += -value[0] * angle.sin() + value[1] * angle.cos();
            }
            [re, im]
        };
        let check = |found: &[Tensor], sign: f64, imaginary: Option<&Tensor>| {
            for at in 0..found[0].values.len() {
                let index = crate::support::index(&found[0].shape, at);
                let wanted = sum(index[0], index[1], index[2], sign, imaginary);
                for (found, wanted) in found.iter().zip(wanted) {
                    assert!((found.values[at] - wanted).abs() < 1e-4, "{} for {wanted}", found.values[at]);
                }
            }
        };
        for inverse in [false, true] {
            let operands = [flag(inverse), flag(true), real.clone(), imaginary.clone()];
            let results = [(Element::F32, &shape[..]); 2];
            let found = try_apply(Opcode::Fft2d, &operands, &results).unwrap();
            check(&found, if inverse { -1.0 } else { 1.0 }, Some(&imaginary));
        }
        let half = [2, height, width / 2 + 1];
        let results = [(Element::F32, &half[..]); 2];
        let found = try_apply(Opcode::Rfft2d, &[flag(false), real.clone()], &results).unwrap();
        check(&found, 1.0, None);
    }
}
