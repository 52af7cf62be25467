use crate::support::{Tensor, apply, index};
use pyro_random::Random;
use pyro_tosa::{Element, Opcode};

/// Types of input, weight and output, and the accumulators that there are for them.
const TYPES: [(Element, Element, Element, &[i32]); 8] = [
    (Element::I8, Element::I8, Element::I32, &[1]),
    (Element::I16, Element::I8, Element::I48, &[4]),
    (Element::F8E4M3, Element::F8E4M3, Element::F16, &[2]),
    (Element::F8E5M2, Element::F8E5M2, Element::F16, &[2]),
    (Element::F16, Element::F16, Element::F16, &[2, 3]),
    (Element::Bf16, Element::Bf16, Element::Bf16, &[3]),
    (Element::F32, Element::F32, Element::F32, &[3]),
    (Element::I8, Element::I8, Element::I32, &[1]),
];

fn point(element: Element, value: f64) -> Tensor {
    Tensor::one(element, if element == Element::I8 { value } else { 0.0 })
}

/// Holds sums of products against those in 64 bits: exact for integers, else within so much of the sum of
/// magnitudes.
fn assert_sums(element: Element, found: &[f64], wanted: &[(f64, f64)], what: &str) {
    let epsilon = match element {
        Element::F16 => 1e-3,
        Element::Bf16 => 1e-2,
        Element::F32 => 1e-5,
        _ => 0.0,
    };
    assert_eq!(found.len(), wanted.len());
    for (at, (found, (wanted, magnitude))) in found.iter().zip(wanted).enumerate() {
        let is_near = (found - wanted).abs() <= epsilon * magnitude;
        assert!(is_near, "{what} of {element} at {at}: {found} for {wanted}");
    }
}

/// What is said of a convolution: attributes of each axis of space.
struct Space {
    input: Vec<u32>,
    kernel: Vec<u32>,
    pad: Vec<i32>,
    stride: Vec<i32>,
    dilation: Vec<i32>,
}

impl Space {
    fn output(&self) -> Vec<u32> {
        (0..self.input.len())
            .map(|axis| {
                let reach = (self.kernel[axis] as i32 - 1) * self.dilation[axis];
                let size = self.input[axis] as i32 - 1 + self.pad[2 * axis] + self.pad[2 * axis + 1] - reach;
                assert_eq!(size % self.stride[axis], 0);
                (size / self.stride[axis] + 1) as u32
            })
            .collect()
    }

    /// The places in the input that an element of the kernel has for an element of the output.
    fn place(&self, output: &[usize], kernel: &[usize]) -> Option<Vec<usize>> {
        (0..self.input.len())
            .map(|axis| {
                let at = output[axis] as i32 * self.stride[axis] - self.pad[2 * axis]
                    + kernel[axis] as i32 * self.dilation[axis];
                usize::try_from(at).ok().filter(|&at| at < self.input[axis] as usize)
            })
            .collect()
    }
}

fn spaces() -> Vec<Space> {
    let space = |input: &[u32], kernel: &[u32], pad: &[i32], stride: &[i32], dilation: &[i32]| Space {
        input: input.to_vec(),
        kernel: kernel.to_vec(),
        pad: pad.to_vec(),
        stride: stride.to_vec(),
        dilation: dilation.to_vec(),
    };
    vec![
        space(&[6, 9], &[3, 3], &[1, 1, 1, 1], &[1, 1], &[1, 1]),
        space(&[8, 11], &[2, 5], &[0, 0, 2, 2], &[2, 2], &[1, 1]),
        space(&[9, 10], &[3, 2], &[2, 2, 0, 2], &[1, 3], &[2, 2]),
        space(&[1, 40], &[1, 1], &[0, 0, 0, 0], &[1, 1], &[1, 1]),
        space(&[5, 6, 4], &[3, 2, 2], &[1, 1, 0, 1, 1, 0], &[1, 1, 1], &[1, 2, 1]),
    ]
}

fn convolve(random: &mut Random, space: &Space, types: (Element, Element, Element, i32), sizes: [u32; 3]) {
    let (from, weights, to, accumulator) = types;
    let [batches, channels, columns] = sizes;
    let output = space.output();
    let opcode = if space.input.len() == 2 { Opcode::Conv2d } else { Opcode::Conv3d };
    let input = Tensor::random(random, from, &[&[batches], &space.input[..], &[channels]].concat());
    let weight = Tensor::random(random, weights, &[&[columns], &space.kernel[..], &[channels]].concat());
    let bias = Tensor::random(random, to, &[if batches == 1 { columns } else { 1 }]);
    let (input_point, weight_point) = (point(from, 7.0), point(weights, -3.0));
    let operands = [
        Tensor::ints(&space.pad),
        Tensor::ints(&space.stride),
        Tensor::ints(&space.dilation),
        Tensor::scalar(Element::I32, accumulator.into()),
        Tensor::scalar(Element::Bool, 0.0),
        input.clone(),
        weight.clone(),
        bias.clone(),
        input_point.clone(),
        weight_point.clone(),
    ];
    let shape = [&[batches], &output[..], &[columns]].concat();
    let found = apply(opcode, &operands, to, &shape);
    let wanted = |at: usize| {
        let index = index(&shape, at);
        let (column, places) = (*index.last().unwrap(), &index[1..index.len() - 1]);
        let kernel_count: u32 = space.kernel.iter().product();
        let (mut sum, mut magnitude) = (0.0, 0.0);
        for tap in 0..kernel_count as usize {
            let tap = self::index(&space.kernel, tap);
            let Some(place) = space.place(places, &tap) else { continue };
            for channel in 0..channels as usize {
                let value = input.at(&[&[index[0]], &place[..], &[channel]].concat()) - input_point.values[0];
                let factor = weight.at(&[&[column], &tap[..], &[channel]].concat()) - weight_point.values[0];
                sum += value * factor;
                magnitude += (value * factor).abs();
            }
        }
        let bias = bias.values[if bias.values.len() == 1 { 0 } else { column }];
        (sum + bias, magnitude + bias.abs())
    };
    let wanted: Vec<_> = (0..found.len()).map(wanted).collect();
    assert_sums(to, &found, &wanted, opcode.name());
}

#[test]
fn convolutions_are_sums_of_products() {
    let random = &mut Random::new(1);
    for space in spaces() {
        for (from, weights, to, accumulators) in TYPES {
            for &accumulator in accumulators {
                for sizes in [[1, 3, 5], [2, 17, 33], [1, 64, 16]] {
                    convolve(random, &space, (from, weights, to, accumulator), sizes);
                }
            }
        }
    }
}

#[test]
fn depthwise_convolutions_are_of_each_channel() {
    let random = &mut Random::new(2);
    for space in spaces().into_iter().filter(|space| space.input.len() == 2) {
        for (from, weights, to, accumulators) in TYPES {
            for [batches, channels, multiplier] in [[1, 3, 1], [2, 300, 1], [1, 7, 3], [1, 200, 2]] {
                let output = space.output();
                let columns = channels * multiplier;
                let input =
                    Tensor::random(random, from, &[&[batches], &space.input[..], &[channels]].concat());
                let weight =
                    Tensor::random(random, weights, &[&space.kernel[..], &[channels, multiplier]].concat());
                let bias = Tensor::random(random, to, &[if batches == 1 { columns } else { 1 }]);
                let (input_point, weight_point) = (point(from, -9.0), point(weights, 4.0));
                let operands = [
                    Tensor::ints(&space.pad),
                    Tensor::ints(&space.stride),
                    Tensor::ints(&space.dilation),
                    Tensor::scalar(Element::I32, accumulators[0].into()),
                    Tensor::scalar(Element::Bool, 1.0),
                    input.clone(),
                    weight.clone(),
                    bias.clone(),
                    input_point.clone(),
                    weight_point.clone(),
                ];
                let shape = [batches, output[0], output[1], columns];
                let found = apply(Opcode::DepthwiseConv2d, &operands, to, &shape);
                let wanted = |at: usize| {
                    let index = index(&shape, at);
                    let column = index[3];
                    let (channel, which) = (column / multiplier as usize, column % multiplier as usize);
                    let (mut sum, mut magnitude) = (0.0, 0.0);
                    for tap in 0..(space.kernel[0] * space.kernel[1]) as usize {
                        let tap = self::index(&space.kernel, tap);
                        let Some(place) = space.place(&index[1..3], &tap) else { continue };
                        let value =
                            input.at(&[index[0], place[0], place[1], channel]) - input_point.values[0];
                        let factor = weight.at(&[tap[0], tap[1], channel, which]) - weight_point.values[0];
                        sum += value * factor;
                        magnitude += (value * factor).abs();
                    }
                    let bias = bias.values[if bias.values.len() == 1 { 0 } else { column }];
                    (sum + bias, magnitude + bias.abs())
                };
                let wanted: Vec<_> = (0..found.len()).map(wanted).collect();
                assert_sums(to, &found, &wanted, "DEPTHWISE_CONV2D");
            }
        }
    }
}

#[test]
fn transposed_convolutions_spread_their_inputs() {
    let random = &mut Random::new(3);
    for (from, weights, to, accumulators) in TYPES {
        for (pad, stride) in [([0, 0, 0, 0], [1, 1]), ([-1, 2, 1, -2], [2, 3]), ([3, 0, 0, 1], [3, 1])] {
            let ([height, width], [kernel_h, kernel_w], [channels, columns]) =
                ([4_i32, 5], [3_i32, 4], [6, 19]);
            let input = Tensor::random(random, from, &[2, 4, 5, 6]);
            let weight = Tensor::random(random, weights, &[19, 3, 4, 6]);
            let bias = Tensor::random(random, to, &[19]);
            let (input_point, weight_point) = (point(from, 2.0), point(weights, 1.0));
            let operands = [
                Tensor::ints(&pad),
                Tensor::ints(&stride),
                Tensor::scalar(Element::I32, accumulators[0].into()),
                Tensor::scalar(Element::Bool, 0.0),
                input.clone(),
                weight.clone(),
                bias.clone(),
                input_point.clone(),
                weight_point.clone(),
            ];
            let out_height = (height - 1) * stride[0] + pad[0] + pad[1] + kernel_h;
            let out_width = (width - 1) * stride[1] + pad[2] + pad[3] + kernel_w;
            let shape = [2, out_height as u32, out_width as u32, columns];
            let found = apply(Opcode::TransposeConv2d, &operands, to, &shape);
            // Each input is added to the outputs that it reaches.
            let mut wanted: Vec<(f64, f64)> = vec![(0.0, 0.0); found.len()];
            for at in 0..input.values.len() {
                let from_index = index(&input.shape, at);
                let value = input.values[at] - input_point.values[0];
                for tap in 0..(kernel_h * kernel_w) as usize {
                    let tap = index(&[kernel_h as u32, kernel_w as u32], tap);
                    let place = |axis: usize| {
                        from_index[axis + 1] as i32 * stride[axis] + tap[axis] as i32 + pad[2 * axis]
                    };
                    let (y, x) = (place(0), place(1));
                    if !(0..out_height).contains(&y) || !(0..out_width).contains(&x) {
                        continue;
                    }
                    for column in 0..columns as usize {
                        let factor =
                            weight.at(&[column, tap[0], tap[1], from_index[3]]) - weight_point.values[0];
                        let row = (from_index[0] * out_height as usize + y as usize) * out_width as usize;
                        let to = &mut wanted[(row + x as usize) * columns as usize + column];
                        to.0 += value * factor;
                        to.1 += (value * factor).abs();
                    }
                }
            }
            let columns = columns as usize;
            for (at, wanted) in wanted.iter_mut().enumerate() {
                wanted.0 += bias.values[at % columns];
                wanted.1 += bias.values[at % columns].abs();
            }
            let _ = channels;
            assert_sums(to, &found, &wanted, "TRANSPOSE_CONV2D");
        }
    }
}

#[test]
fn products_of_matrices() {
    let random = &mut Random::new(4);
    let types = [
        (Element::I8, Element::I32),
        (Element::I16, Element::I48),
        (Element::F8E4M3, Element::F16),
        (Element::F8E5M2, Element::F16),
        (Element::F16, Element::F16),
        (Element::F16, Element::F32),
        (Element::Bf16, Element::F32),
        (Element::F32, Element::F32),
    ];
    for (from, to) in types {
        for [batches, rows, depth, columns] in
            [[1, 1, 1, 1], [2, 7, 13, 5], [1, 1, 300, 200], [3, 50, 64, 48], [1, 13, 257, 17]]
        {
            let a = Tensor::random(random, from, &[batches, rows, depth]);
            let b = Tensor::random(random, from, &[batches, depth, columns]);
            let (a_point, b_point) = (point(from, 11.0), point(from, -128.0));
            let operands = [a.clone(), b.clone(), a_point.clone(), b_point.clone()];
            let shape = [batches, rows, columns];
            let found = apply(Opcode::MatMul, &operands, to, &shape);
            let wanted = |at: usize| {
                let index = index(&shape, at);
                (0..depth as usize).fold((0.0, 0.0), |(sum, magnitude), c| {
                    let a = a.at(&[index[0], index[1], c]) - a_point.values[0];
                    let b = b.at(&[index[0], c, index[2]]) - b_point.values[0];
                    (sum + a * b, magnitude + (a * b).abs())
                })
            };
            let wanted: Vec<_> = (0..found.len()).map(wanted).collect();
            assert_sums(to, &found, &wanted, "MATMUL");
        }
    }
}

#[test]
fn pools_take_means_and_maxima() {
    let random = &mut Random::new(5);
    // Kernel, stride and padding, of 7 × 8 elements.
    let cases = [
        ([2, 2], [1, 2], [0, 0, 0, 0]),
        ([3, 3], [2, 1], [1, 1, 1, 2]),
        ([3, 2], [1, 3], [2, 1, 0, 0]),
        ([7, 8], [1, 1], [0, 0, 0, 0]),
    ];
    for (kernel, stride, pad) in cases {
        let size = |axis: usize, input: i32| {
            (input + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis]) / stride[axis] + 1
        };
        let shape = [2, size(0, 7) as u32, size(1, 8) as u32, 270];
        for (element, accumulator) in [
            (Element::I8, 1),
            (Element::I16, 1),
            (Element::F8E4M3, 2),
            (Element::F8E5M2, 2),
            (Element::F16, 3),
            (Element::Bf16, 3),
            (Element::F32, 3),
        ] {
            let mut input = Tensor::random(random, element, &[2, 7, 8, 270]);
            let seen = |input: &Tensor, at: usize| -> Vec<f64> {
                let index = index(&shape, at);
                let mut seen = Vec::new();
                for (ky, kx) in (0..kernel[0]).flat_map(|y| (0..kernel[1]).map(move |x| (y, x))) {
                    let (y, x) = (
                        index[1] as i32 * stride[0] - pad[0] + ky,
                        index[2] as i32 * stride[1] - pad[2] + kx,
                    );
                    if (0..7).contains(&y) && (0..8).contains(&x) {
                        seen.push(input.at(&[index[0], y as usize, x as usize, index[3]]));
                    }
                }
                seen
            };
            let attributes = [Tensor::ints(&kernel), Tensor::ints(&stride), Tensor::ints(&pad)];
            let points = if element == Element::I8 { [5.0, -6.0] } else { [0.0; 2] };
            let mean = [
                &attributes[..],
                &[Tensor::scalar(Element::I32, accumulator.into()), input.clone()],
                &points.map(|value| Tensor::one(element, value)),
            ]
            .concat();
            let found = apply(Opcode::AvgPool2d, &mean, element, &shape);
            for (at, found) in found.into_iter().enumerate() {
                let seen = seen(&input, at);
                let exact = seen.iter().map(|x| x - points[0]).sum::<f64>() / seen.len() as f64;
                if element.is_float() {
                    let magnitude = seen.iter().map(|x| x.abs()).sum::<f64>() / seen.len() as f64;
                    let epsilon = match element {
                        Element::F8E4M3 => 0.07,
                        Element::F8E5M2 => 0.13,
                        Element::F16 => 1e-3,
                        Element::Bf16 => 4e-3,
                        _ => 1e-6,
                    };
                    assert!(
                        (found - exact).abs() <= epsilon * magnitude + 0.001,
                        "{element}: {found} for {exact}"
                    );
                } else {
                    let most = 2.0_f64.powi(element.bytes() as i32 * 8 - 1);
                    // Halves go away from zero.
                    assert_eq!(found, (exact.round() + points[1]).clamp(-most, most - 1.0), "{element}");
                }
            }
            for mode in [1, 2] {
                let most =
                    [&attributes[..], &[Tensor::scalar(Element::I32, mode.into()), input.clone()]].concat();
                let found = apply(Opcode::MaxPool2d, &most, element, &shape);
                for (at, found) in found.into_iter().enumerate() {
                    let seen = seen(&input, at);
                    let greatest = seen.iter().copied().fold(f64::NAN, f64::max);
                    if mode == 1 && seen.iter().any(|x| x.is_nan()) || greatest.is_nan() {
                        assert!(found.is_nan());
                    } else {
                        assert_eq!(found, greatest);
                    }
                }
                if element.is_float() {
                    input.values.iter_mut().step_by(31).for_each(|x| *x = f64::NAN);
                }
            }
        }
    }
}
