//! Operators that break rules are refused with a message, and none of them panics.

use crate::support::{Tensor, try_apply};
use pyro_random::Random;
use pyro_tosa::{Element, Graph, GraphError, Opcode, Program, TensorType, ValueId};

/// The message with which an operator is refused.
fn refused(opcode: Opcode, operands: &[Tensor], results: &[(Element, &[u32])]) -> String {
    match try_apply(opcode, operands, results) {
        Ok(_) => panic!("{} is not refused", opcode.name()),
        Err(error) => error.to_string(),
    }
}

fn number(value: i32) -> Tensor {
    Tensor::scalar(Element::I32, value.into())
}

fn zeros(element: Element, shape: &[u32]) -> Tensor {
    Tensor::new(element, shape, &vec![0.0; shape.iter().product::<u32>() as usize])
}

/// An operator, its operands, the types of its results, and what the message has.
type Case<'c> = (Opcode, Vec<Tensor>, &'c [(Element, &'c [u32])], &'c str);

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn shapes_and_attributes_are_checked() {
    let f32s = |shape: &[u32]| zeros(Element::F32, shape);
    let bytes = |shape: &[u32]| zeros(Element::I8, shape);
    let f32_result: [(Element, &[u32]); 1] = [(Element::F32, &[2, 3])];
    let cases: Vec<Case<'_>> = vec![
        (Opcode::Add, vec![f32s(&[2, 3]), f32s(&[2, 4])], &f32_result, "not broadcast"),
        (Opcode::Add, vec![f32s(&[2, 3]), f32s(&[3])], &f32_result, "not broadcast"),
        (Opcode::Add, vec![f32s(&[1, 3]), f32s(&[1, 3])], &f32_result, "no operand has 2"),
        (Opcode::Add, vec![f32s(&[2, 3]), bytes(&[2, 3])], &f32_result, "elements of i8_t"),
        (Opcode::Add, vec![f32s(&[2, 3])], &f32_result, "it takes 2"),
        (Opcode::Add, vec![bytes(&[2, 3]), bytes(&[2, 3])], &[(Element::I8, &[2, 3])], "from i8_t to i8_t"),
        (Opcode::Exp, vec![f32s(&[2, 3])], &[(Element::F32, &[3, 2])], "it has the shape"),
        (Opcode::Exp, vec![f32s(&[2, 3])], &[(Element::F16, &[2, 3])], "from fp32_t to fp16_t"),
        (Opcode::Cast, vec![zeros(Element::F16, &[2])], &[(Element::Bf16, &[2])], "from fp16_t to bf16_t"),
        (
            Opcode::Clamp,
            vec![
                Tensor::scalar(Element::F32, 2.0),
                Tensor::scalar(Element::F32, 1.0),
                number(1),
                f32s(&[2, 3]),
            ],
            &f32_result,
            "greater than",
        ),
        (
            Opcode::Clamp,
            vec![
                Tensor::scalar(Element::F32, f64::NAN),
                Tensor::scalar(Element::F32, 1.0),
                number(1),
                f32s(&[2, 3]),
            ],
            &f32_result,
            "NaN",
        ),
        (Opcode::Maximum, vec![number(3), f32s(&[2, 3]), f32s(&[2, 3])], &f32_result, "nan_mode"),
        (Opcode::ReduceSum, vec![number(2), f32s(&[2, 3])], &f32_result, "axis 2"),
        (Opcode::ReduceSum, vec![number(-1), f32s(&[2, 3])], &f32_result, "axis -1"),
        (Opcode::ReduceSum, vec![number(1), f32s(&[2, 3])], &f32_result, "it has the shape"),
        (Opcode::ArgMax, vec![number(9), number(1), f32s(&[2, 3])], &[(Element::I32, &[2])], "axis 9"),
        (Opcode::Reverse, vec![number(2), f32s(&[2, 3])], &f32_result, "axis 2"),
        (Opcode::Concat, vec![number(0), f32s(&[1, 3])], &f32_result, "have 1 elements"),
        (Opcode::Concat, vec![number(1), f32s(&[2, 1]), f32s(&[1, 2])], &f32_result, "the axis 1"),
        (Opcode::Concat, vec![number(1)], &f32_result, "it takes 2"),
        (Opcode::Reshape, vec![f32s(&[2, 3]), Tensor::ints(&[3, 2])], &f32_result, "the shape is"),
        (Opcode::Reshape, vec![f32s(&[2, 4]), Tensor::ints(&[2, 3])], &f32_result, "as many elements"),
        (
            Opcode::Slice,
            vec![f32s(&[2, 4]), Tensor::ints(&[0, 2]), Tensor::ints(&[2, 3])],
            &f32_result,
            "along axis 1",
        ),
        (
            Opcode::Slice,
            vec![f32s(&[2, 4]), Tensor::ints(&[-1, 0]), Tensor::ints(&[2, 3])],
            &f32_result,
            "along axis 0",
        ),
        (
            Opcode::Slice,
            vec![f32s(&[2, 4]), Tensor::ints(&[i32::MAX, 0]), Tensor::ints(&[i32::MAX, 3])],
            &f32_result,
            "along axis 0",
        ),
        (Opcode::Slice, vec![f32s(&[2, 4]), Tensor::ints(&[0]), Tensor::ints(&[2, 3])], &f32_result, "not 2"),
        (Opcode::Tile, vec![f32s(&[2, 1]), Tensor::ints(&[1, 2])], &f32_result, "times are not"),
        (Opcode::Tile, vec![f32s(&[2, 3]), Tensor::ints(&[1, -1])], &f32_result, "times are not"),
        (Opcode::Transpose, vec![Tensor::ints(&[0, 0]), f32s(&[3, 2])], &f32_result, "permutation"),
        (Opcode::Transpose, vec![Tensor::ints(&[0, 2]), f32s(&[3, 2])], &f32_result, "permutation"),
        (
            Opcode::Pad,
            vec![f32s(&[2, 1]), Tensor::ints(&[0, 0, -1, 3]), Tensor::one(Element::F32, 0.0)],
            &f32_result,
            "padding along axis 1",
        ),
        (
            Opcode::Pad,
            vec![f32s(&[2, 1]), Tensor::ints(&[0, 0, 1, 2]), Tensor::one(Element::F32, 0.0)],
            &f32_result,
            "are not 3",
        ),
        (
            Opcode::Gather,
            vec![bytes(&[1, 4, 2]), zeros(Element::I32, &[2, 3])],
            &[(Element::I8, &[1, 3, 2])],
            "batches",
        ),
        (Opcode::Table, vec![bytes(&[4]), bytes(&[255])], &[(Element::I8, &[4])], "not of 256"),
        (
            Opcode::MatMul,
            vec![bytes(&[1, 2, 3]), bytes(&[1, 4, 5]), bytes(&[1]), bytes(&[1])],
            &[(Element::I32, &[1, 2, 5])],
            "columns of 4",
        ),
        (
            Opcode::MatMul,
            vec![f32s(&[1, 2, 3]), f32s(&[1, 3, 5]), Tensor::one(Element::F32, 1.0), f32s(&[1])],
            &[(Element::F32, &[1, 2, 5])],
            "zero point",
        ),
        (
            Opcode::Mul,
            vec![zeros(Element::I8, &[2]), zeros(Element::I8, &[2]), Tensor::one(Element::I8, 1.0)],
            &[(Element::I32, &[2])],
            "a shift of 1",
        ),
        (
            Opcode::Mul,
            vec![zeros(Element::I32, &[2]), zeros(Element::I32, &[2]), Tensor::one(Element::I8, 64.0)],
            &[(Element::I32, &[2])],
            "a shift of 64",
        ),
        (
            Opcode::Rfft2d,
            vec![Tensor::scalar(Element::Bool, 0.0), f32s(&[1, 3, 4])],
            &[(Element::F32, &[1, 3, 3]), (Element::F32, &[1, 3, 3])],
            "powers of two",
        ),
        (
            Opcode::Rfft2d,
            vec![Tensor::scalar(Element::Bool, 0.0), f32s(&[1, 2, 4])],
            &[(Element::F32, &[1, 2, 3])],
            "it has 2",
        ),
    ];
    for (opcode, operands, results, wanted) in cases {
        let message = refused(opcode, &operands, results);
        assert!(message.contains(wanted) && message.contains(opcode.name()), "{message:?} has no {wanted:?}");
    }
}

fn convolution(pad: [i32; 4], stride: [i32; 2], dilation: [i32; 2], accumulator: i32) -> Vec<Tensor> {
    vec![
        Tensor::ints(&pad),
        Tensor::ints(&stride),
        Tensor::ints(&dilation),
        number(accumulator),
        Tensor::scalar(Element::Bool, 0.0),
        zeros(Element::I8, &[1, 5, 6, 2]),
        zeros(Element::I8, &[3, 2, 2, 2]),
        zeros(Element::I32, &[3]),
        zeros(Element::I8, &[1]),
        zeros(Element::I8, &[1]),
    ]
}

#[test]
fn convolutions_and_pools_are_checked() {
    let result: [(Element, &[u32]); 1] = [(Element::I32, &[1, 4, 5, 3])];
    let fine = convolution([0; 4], [1, 1], [1, 1], 1);
    try_apply(Opcode::Conv2d, &fine, &result).unwrap();
    for (operands, wanted) in [
        (convolution([-1, 1, 0, 0], [1, 1], [1, 1], 1), "padding"),
        (convolution([i32::MAX, i32::MAX, 0, 0], [1, 1], [1, 1], 1), "shall have"),
        (convolution([0; 4], [0, 1], [1, 1], 1), "stride"),
        (convolution([0; 4], [3, 1], [1, 1], 1), "shall have"),
        (convolution([0; 4], [2, 1], [1, 1], 1), "multiple of the stride"),
        (convolution([0; 4], [1, 1], [0, 1], 1), "dilation"),
        (convolution([0; 4], [1, 1], [i32::MAX, 1], 1), "larger than the padded input"),
        (convolution([0; 4], [1, 1], [1, 1], 3), "sums of i8_t"),
        (convolution([0; 4], [1, 1], [1, 1], 0), "acc_type"),
    ] {
        let message = refused(Opcode::Conv2d, &operands, &result);
        assert!(message.contains(wanted), "{message:?} has no {wanted:?}");
    }
    for (place, other, wanted) in [
        (7, zeros(Element::I32, &[2]), "bias"),
        (7, zeros(Element::I8, &[3]), "elements of i8_t"),
        (6, zeros(Element::I8, &[3, 2, 2, 1]), "channels"),
        (6, zeros(Element::I8, &[4, 2, 2, 2]), "channels"),
        (5, zeros(Element::I8, &[5, 6, 2]), "rank 4"),
        (8, zeros(Element::I8, &[2]), "zero point"),
        (0, Tensor::ints(&[0, 0]), "not 4"),
        (4, number(0), "bool_t"),
    ] {
        let mut operands = fine.clone();
        operands[place] = other;
        let message = refused(Opcode::Conv2d, &operands, &result);
        assert!(message.contains(wanted), "{message:?} has no {wanted:?}");
    }
    let pool = |kernel: [i32; 2], pad: [i32; 4]| {
        vec![
            Tensor::ints(&kernel),
            Tensor::ints(&[1, 1]),
            Tensor::ints(&pad),
            number(1),
            zeros(Element::I8, &[1, 5, 6, 2]),
        ]
    };
    let result: [(Element, &[u32]); 1] = [(Element::I8, &[1, 4, 5, 2])];
    try_apply(Opcode::MaxPool2d, &pool([2, 2], [0; 4]), &result).unwrap();
    for (operands, wanted) in [
        (pool([0, 2], [0; 4]), "a kernel of 0"),
        (pool([2, 2], [2, 0, 0, 0]), "padding"),
        (pool([9, 2], [0; 4]), "larger than"),
        (pool([2, 3], [0; 4]), "shall have"),
    ] {
        let message = refused(Opcode::MaxPool2d, &operands, &result);
        assert!(message.contains(wanted), "{message:?} has no {wanted:?}");
    }
}

#[test]
fn what_has_to_be_known_is_asked_for() {
    let mut graph = Graph::new();
    let input = graph.input(TensorType::new(Element::F32, &[4]).unwrap());
    let shape = graph.constant(TensorType::new(Element::I32, &[2]).unwrap(), None).unwrap();
    let result = TensorType::new(Element::F32, &[2, 2]).unwrap();
    let found = graph.apply(Opcode::Reshape, &[input, shape], std::slice::from_ref(&result));
    assert_eq!(found, Err(GraphError::Unknown(1)));
    // What comes behind it can be looked at, but not run.
    let later = graph.unknown(std::slice::from_ref(&result));
    let sum = graph.apply(Opcode::Add, &[later, later], std::slice::from_ref(&result)).unwrap();
    assert!(graph.apply(Opcode::Add, &[later, input], std::slice::from_ref(&result)).is_err());
    graph.output(sum);
    assert!(Program::new(graph).is_err());
    let mut graph = Graph::new();
    let short = graph.constant(result, Some([0; 15].into()));
    assert!(short.is_err());
}

/// Operators of random operands: whatever they are, they are refused, or run.
#[test]
fn random_operators_do_no_harm() {
    let elements = [
        Element::Bool,
        Element::I8,
        Element::I16,
        Element::I32,
        Element::I48,
        Element::F8E4M3,
        Element::F8E5M2,
        Element::F16,
        Element::Bf16,
        Element::F32,
    ];
    let mut ran = 0;
    for seed in 0..40_000 {
        let random = &mut Random::new(seed);
        let opcode = Opcode::from_number(random.below(66_u32)).unwrap();
        let main = random.pick(&elements);
        let rank = random.below(5_u32);
        let shape: Vec<u32> = (0..rank).map(|_| 1 + random.below(4_u32)).collect();
        let mut graph = Graph::new();
        let mut inputs = Vec::new();
        let operand = |random: &mut Random, graph: &mut Graph, inputs: &mut Vec<Vec<u8>>| -> ValueId {
            let element = if random.one_in(3) { random.pick(&elements) } else { main };
            let tensor = match random.below(6_u32) {
                0 => number(random.int(-2, 5)),
                1 => Tensor::scalar(Element::Bool, f64::from(random.below(2_u32))),
                2 => {
                    let count = 1 + random.below(6_u32);
                    let values: Vec<i32> = (0..count).map(|_| random.int(-1, 4)).collect();
                    Tensor::ints(&values)
                }
                3 => Tensor::random(random, element, &[1]),
                _ => Tensor::random(random, element, &shape),
            };
            if random.one_in(3) && !tensor.shape.is_empty() {
                inputs.push(tensor.bytes());
                return graph.input(tensor.ty());
            }
            let ty = TensorType::new(tensor.element, &tensor.shape).unwrap();
            graph.constant(ty, Some(tensor.bytes().into())).unwrap()
        };
        let count = if random.one_in(4) { random.below(11_u32) } else { 1 + random.below(3_u32) };
        let operands: Vec<ValueId> = (0..count).map(|_| operand(random, &mut graph, &mut inputs)).collect();
        let element = if random.one_in(3) { random.pick(&elements) } else { main };
        let result = TensorType::new(element, &shape).unwrap();
        if let Ok(id) = graph.apply(opcode, &operands, &[result]) {
            graph.output(id);
            let program = Program::new(graph).unwrap();
            crate::support::run(&program, &inputs, 1);
            ran += 1;
        }
    }
    assert!(ran > 200, "{ran} operators ran");
}
