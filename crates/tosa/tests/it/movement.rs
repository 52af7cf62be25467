use crate::support::{Tensor, apply, index};
use pyro_random::Random;
use pyro_tosa::{Element, Opcode};

const ELEMENTS: [Element; 9] = [
    Element::Bool,
    Element::I8,
    Element::I16,
    Element::I32,
    Element::F8E4M3,
    Element::F8E5M2,
    Element::F16,
    Element::Bf16,
    Element::F32,
];

/// Holds an operator's result against the elements that `from` says, by the index of each.
fn check(
    opcode: Opcode,
    operands: &[Tensor],
    (element, shape): (Element, &[u32]),
    from: impl Fn(&[usize]) -> f64,
) {
    let found = apply(opcode, operands, element, shape);
    for (at, found) in found.into_iter().enumerate() {
        let index = index(shape, at);
        assert_eq!(found, from(&index), "{} of {element} at {index:?}", opcode.name());
    }
}

#[test]
fn elements_are_moved() {
    let random = &mut Random::new(1);
    for element in ELEMENTS {
        let input = Tensor::random(random, element, &[3, 40, 5, 7]);
        let axis = |axis: i32| Tensor::scalar(Element::I32, axis.into());
        for reversed in 0..4 {
            check(Opcode::Reverse, &[axis(reversed), input.clone()], (element, &input.shape), |index| {
                let mut index = index.to_vec();
                let at = reversed as usize;
                index[at] = input.shape[at] as usize - 1 - index[at];
                input.at(&index)
            });
        }
        let (start, size) = (Tensor::ints(&[1, 7, 0, 2]), Tensor::ints(&[2, 30, 5, 3]));
        check(Opcode::Slice, &[input.clone(), start, size], (element, &[2, 30, 5, 3]), |index| {
            input.at(&[index[0] + 1, index[1] + 7, index[2], index[3] + 2])
        });
        let multiples = Tensor::ints(&[2, 1, 3, 2]);
        check(Opcode::Tile, &[input.clone(), multiples], (element, &[6, 40, 15, 14]), |index| {
            input.at(&[index[0] % 3, index[1], index[2] % 5, index[3] % 7])
        });
        for perms in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [0, 3, 1, 2]] {
            let shape = perms.map(|axis| input.shape[axis as usize]);
            check(Opcode::Transpose, &[Tensor::ints(&perms), input.clone()], (element, &shape), |index| {
                let mut own = [0; 4];
                perms.iter().zip(index).for_each(|(&axis, &at)| own[axis as usize] = at);
                input.at(&own)
            });
        }
        let shape = Tensor::ints(&[10, 420]);
        let found = apply(Opcode::Reshape, &[input.clone(), shape], element, &[10, 420]);
        assert_eq!(found, input.values);
    }
}

#[test]
fn tensors_are_padded() {
    let random = &mut Random::new(2);
    for element in ELEMENTS {
        let input = Tensor::random(random, element, &[3, 4, 50, 6]);
        let constant = Tensor::one(element, 1.0);
        for padding in [[1, 2, 0, 3, 5, 0, 2, 1], [0, 0, 2, 1, 0, 0, 0, 0], [0; 8], [0, 0, 0, 0, 0, 0, 7, 7]]
        {
            let shape: Vec<u32> = (0..4)
                .map(|axis| input.shape[axis] + (padding[2 * axis] + padding[2 * axis + 1]) as u32)
                .collect();
            let operands = [input.clone(), Tensor::ints(&padding), constant.clone()];
            check(Opcode::Pad, &operands, (element, &shape), |index| {
                let own: Option<Vec<usize>> = (0..4)
                    .map(|axis| {
                        let at = index[axis].checked_sub(padding[2 * axis] as usize)?;
                        (at < input.shape[axis] as usize).then_some(at)
                    })
                    .collect();
                own.map_or(1.0, |own| input.at(&own))
            });
        }
    }
}

#[test]
fn tensors_are_concatenated() {
    let random = &mut Random::new(3);
    for element in ELEMENTS {
        for axis in 0..3 {
            let lengths = [2, 5, 1];
            let shape = |length| {
                let mut shape = [4, 30, 3];
                shape[axis] = length;
                shape
            };
            let inputs = lengths.map(|length| Tensor::random(random, element, &shape(length)));
            let operands = [&[Tensor::scalar(Element::I32, axis as f64)], &inputs[..]].concat();
            check(Opcode::Concat, &operands, (element, &shape(8)), |index| {
                let mut index = index.to_vec();
                let mut input = 0;
                while index[axis] >= lengths[input] as usize {
                    index[axis] -= lengths[input] as usize;
                    input += 1;
                }
                inputs[input].at(&index)
            });
        }
    }
}

#[test]
fn rows_are_gathered_and_scattered() {
    let random = &mut Random::new(4);
    for element in ELEMENTS.into_iter().filter(|&element| element != Element::Bool) {
        let values = Tensor::random(random, element, &[2, 9, 33]);
        let places = [3, 0, 8, 7, 1, 2, 5, 8, 3, 0];
        let indices = Tensor::new(Element::I32, &[2, 5], &places.map(f64::from));
        let operands = [values.clone(), indices.clone()];
        check(Opcode::Gather, &operands, (element, &[2, 5, 33]), |index| {
            values.at(&[index[0], places[index[0] * 5 + index[1]] as usize, index[2]])
        });
        let rows = Tensor::random(random, element, &[2, 5, 33]);
        let operands = [values.clone(), indices, rows.clone()];
        check(Opcode::Scatter, &operands, (element, &[2, 9, 33]), |index| {
            let row = (0..5).find(|row| places[index[0] * 5 + row] as usize == index[1]);
            row.map_or(values.at(index), |row| rows.at(&[index[0], row, index[2]]))
        });
    }
    // Indices that are outside do no harm.
    let values = Tensor::random(random, Element::I8, &[1, 4, 3]);
    let wild = Tensor::new(Element::I32, &[1, 4], &[-1.0, 4.0, 2147483647.0, -2147483648.0]);
    let found = apply(Opcode::Gather, &[values.clone(), wild.clone()], Element::I8, &[1, 4, 3]);
    assert_eq!(found, [0.0; 12]);
    let rows = Tensor::random(random, Element::I8, &[1, 4, 3]);
    let found = apply(Opcode::Scatter, &[values.clone(), wild, rows], Element::I8, &[1, 4, 3]);
    assert_eq!(found, values.values);
}

#[test]
fn images_are_resized() {
    let random = &mut Random::new(5);
    // Numerators, denominators, offsets and borders of y and x, and the size of the output.
    let cases = [
        ([2, 1, 4, 3], [0, 1], [1, -1], [13, 9]),
        ([3, 2, 1, 1], [-1, 0], [0, 0], [11, 8]),
        ([1, 2, 5, 2], [0, -3], [0, 2], [4, 21]),
    ];
    for (scale, offset, border, _) in cases {
        let [height, width] = [7_i64, 8];
        let size = |at: usize, input: i64| -> Option<u32> {
            let reach =
                (input - 1) * i64::from(scale[2 * at]) - i64::from(offset[at]) + i64::from(border[at]);
            (reach % i64::from(scale[2 * at + 1]) == 0)
                .then(|| (reach / i64::from(scale[2 * at + 1]) + 1) as u32)
        };
        let (Some(out_height), Some(out_width)) = (size(0, height), size(1, width)) else { continue };
        let types = [
            (Element::I8, Element::I32, 2),
            (Element::I8, Element::I8, 1),
            (Element::I16, Element::I48, 2),
            (Element::I16, Element::I16, 1),
            (Element::F16, Element::F16, 2),
            (Element::F32, Element::F32, 2),
            (Element::F32, Element::F32, 1),
            (Element::Bf16, Element::Bf16, 1),
        ];
        for (from, to, mode) in types {
            let input = Tensor::random(random, from, &[2, 7, 8, 19]);
            let operands = [
                Tensor::scalar(Element::I32, mode.into()),
                input.clone(),
                Tensor::ints(&scale),
                Tensor::ints(&offset),
                Tensor::ints(&border),
            ];
            let shape = [2, out_height, out_width, 19];
            let found = apply(Opcode::Resize, &operands, to, &shape);
            let wanted: Vec<f64> = (0..found.len())
                .map(|at| {
                    let index = index(&shape, at);
                    let around = |axis: usize, length: i64| {
                        let (numerator, denominator) =
                            (i64::from(scale[2 * axis]), i64::from(scale[2 * axis + 1]));
                        let place = index[axis + 1] as i64 * denominator + i64::from(offset[axis]);
                        let first = place.div_euclid(numerator);
                        let part = (place - first * numerator) as f64 / numerator as f64;
                        let clamp = |place: i64| place.clamp(0, length - 1) as usize;
                        ([clamp(first), clamp(first + 1)], part, numerator as f64)
                    };
                    let ((ys, dy, ny), (xs, dx, nx)) = (around(0, height), around(1, width));
                    let value = |y: usize, x: usize| input.at(&[index[0], ys[y], xs[x], index[3]]);
                    if mode == 1 {
                        return value(usize::from(dy >= 0.5), usize::from(dx >= 0.5));
                    }
                    let rows = [0, 1].map(|y| value(y, 0) * (1.0 - dx) + value(y, 1) * dx);
                    let blended = rows[0] * (1.0 - dy) + rows[1] * dy;
                    if to.is_float() { blended } else { (blended * ny * nx).round() }
                })
                .collect();
            for (found, wanted) in found.iter().zip(&wanted) {
                let bound = match to {
                    Element::F16 => 2e-3,
                    Element::F32 => 2e-6,
                    Element::Bf16 => 2e-2,
                    _ => 0.0,
                };
                assert!((found - wanted).abs() <= bound * 4.0, "{from} to {to}: {found} for {wanted}");
            }
        }
    }
}
