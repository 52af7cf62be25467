use crate::support::{Tensor, apply, run};
use pyro_random::Random;
use pyro_tosa::{Element, Graph, Opcode, Program, TensorType, ValueId};

fn constant(graph: &mut Graph, tensor: &Tensor) -> ValueId {
    let ty = match tensor.shape[..] {
        [] => TensorType::scalar(tensor.element),
        _ => tensor.ty(),
    };
    graph.constant(ty, Some(tensor.bytes().into())).unwrap()
}

/// A classifier as they are after quantization: convolution, scaling, pooling, a product, the greatest.
#[test]
fn several_operators_give_what_each_gives() {
    let random = &mut Random::new(1);
    let image = Tensor::random(random, Element::I8, &[1, 8, 8, 3]);
    let weight = Tensor::random(random, Element::I8, &[16, 3, 3, 3]);
    let bias = Tensor::random(random, Element::I32, &[16]);
    let matrix = Tensor::random(random, Element::I8, &[1, 256, 10]);
    let zero = Tensor::one(Element::I8, 0.0);
    let flag = |is_set: bool| Tensor::scalar(Element::Bool, f64::from(u8::from(is_set)));
    let number = |value: i32| Tensor::scalar(Element::I32, value.into());
    let wide = [
        Tensor::ints(&[1, 1, 1, 1]),
        Tensor::ints(&[1, 1]),
        Tensor::ints(&[1, 1]),
        number(1),
        flag(false),
        image.clone(),
        weight,
        bias,
        Tensor::one(Element::I8, 3.0),
        zero.clone(),
    ];
    let rescale = |input: Tensor| {
        [
            flag(true),
            number(1),
            flag(false),
            flag(false),
            flag(false),
            input,
            Tensor::one(Element::I32, f64::from(1 << 30)),
            Tensor::new(Element::I8, &[1], &[38.0]),
            Tensor::one(Element::I32, 0.0),
            Tensor::one(Element::I8, -4.0),
        ]
    };
    let pool = |input: Tensor| {
        [Tensor::ints(&[2, 2]), Tensor::ints(&[2, 2]), Tensor::ints(&[0; 4]), number(1), input]
    };
    // Operator by operator.
    let step = |opcode, operands: &[Tensor], element, shape: &[u32]| Tensor {
        element,
        shape: shape.to_vec(),
        values: apply(opcode, operands, element, shape),
    };
    let sums = step(Opcode::Conv2d, &wide, Element::I32, &[1, 8, 8, 16]);
    let bytes = step(Opcode::Rescale, &rescale(sums), Element::I8, &[1, 8, 8, 16]);
    let pooled = step(Opcode::MaxPool2d, &pool(bytes.clone()), Element::I8, &[1, 4, 4, 16]);
    let row = step(Opcode::Reshape, &[pooled, Tensor::ints(&[1, 1, 256])], Element::I8, &[1, 1, 256]);
    let product = [row, matrix.clone(), zero.clone(), zero.clone()];
    let scores = step(Opcode::MatMul, &product, Element::I32, &[1, 1, 10]);
    let wanted = step(Opcode::ReduceMax, &[number(2), number(1), scores.clone()], Element::I32, &[1, 1, 1]);

    // All in one graph.
    let mut graph = Graph::new();
    let input = graph.input(image.ty());
    let ty = |element, shape: &[u32]| TensorType::new(element, shape).unwrap();
    let apply_to = |graph: &mut Graph, opcode, operands: &[Tensor], places: &[(usize, ValueId)], result| {
        let ids: Vec<ValueId> = operands
            .iter()
            .enumerate()
            .map(|(at, operand)| match places.iter().find(|(place, _)| *place == at) {
                Some((_, id)) => *id,
                None => constant(graph, operand),
            })
            .collect();
        graph.apply(opcode, &ids, &[result]).unwrap()
    };
    let none = || Tensor::one(Element::I8, 0.0);
    let sums = apply_to(&mut graph, Opcode::Conv2d, &wide, &[(5, input)], ty(Element::I32, &[1, 8, 8, 16]));
    let scaled = ty(Element::I8, &[1, 8, 8, 16]);
    let scaled = apply_to(&mut graph, Opcode::Rescale, &rescale(none()), &[(5, sums)], scaled);
    let pooled = ty(Element::I8, &[1, 4, 4, 16]);
    let pooled = apply_to(&mut graph, Opcode::MaxPool2d, &pool(none()), &[(4, scaled)], pooled);
    let shape = [none(), Tensor::ints(&[1, 1, 256])];
    let row = apply_to(&mut graph, Opcode::Reshape, &shape, &[(0, pooled)], ty(Element::I8, &[1, 1, 256]));
    let product = [none(), matrix, zero.clone(), zero];
    let found = apply_to(&mut graph, Opcode::MatMul, &product, &[(0, row)], ty(Element::I32, &[1, 1, 10]));
    let most = [number(2), number(1), none()];
    let most = apply_to(&mut graph, Opcode::ReduceMax, &most, &[(2, found)], ty(Element::I32, &[1, 1, 1]));
    graph.output(most);
    graph.output(found);
    graph.output(scaled);
    let program = Program::new(graph).unwrap();
    for threads in [1, 4] {
        let outputs = run(&program, &[image.bytes()], threads);
        assert_eq!(outputs, [wanted.bytes(), scores.bytes(), bytes.bytes()]);
    }
    // Values whose time is over give their memory to others.
    let all = [192, 4096, 1024, 256, 40, 4].iter().map(|bytes| bytes + 64).sum::<usize>();
    assert!(program.memory_bytes() < all, "{} bytes", program.memory_bytes());
}

#[test]
fn inputs_and_constants_may_be_outputs() {
    let mut graph = Graph::new();
    let tensor = Tensor::new(Element::F16, &[3], &[1.0, 2.0, 3.0]);
    let input = graph.input(tensor.ty());
    let own = Tensor::new(Element::I8, &[2], &[5.0, 6.0]);
    let own_id = constant(&mut graph, &own);
    // Other shapes of the same bytes are outputs with their own types.
    let shape = constant(&mut graph, &Tensor::ints(&[1, 3]));
    let result = TensorType::new(Element::F16, &[1, 3]).unwrap();
    let reshaped = graph.apply(Opcode::Reshape, &[input, shape], std::slice::from_ref(&result)).unwrap();
    for value in [input, own_id, reshaped] {
        graph.output(value);
    }
    let program = Program::new(graph).unwrap();
    assert_eq!(run(&program, &[tensor.bytes()], 1), [tensor.bytes(), own.bytes(), tensor.bytes()]);
    assert_eq!((program.inputs().len(), program.outputs().len()), (1, 3));
    assert_eq!(program.outputs().nth(2), Some(&result));
}

/// Random graphs of sums and differences, whose values live for random times.
#[test]
fn values_keep_their_memory_as_long_as_they_are_read() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let mut graph = Graph::new();
        let mut values: Vec<(ValueId, Vec<f64>)> = Vec::new();
        let mut inputs = Vec::new();
        for _ in 0..3 {
            let tensor = Tensor::random(random, Element::I32, &[random_size(seed)]);
            values.push((graph.input(tensor.ty()), tensor.values.clone()));
            inputs.push(tensor.bytes());
        }
        let ty = graph.ty(values[0].0).clone();
        for _ in 0..random.below(40_u32) {
            let [a, b] = [0, 1].map(|_| values[random.below(values.len() as u32) as usize].clone());
            let is_sum = random.one_in(2);
            let opcode = if is_sum { Opcode::Add } else { Opcode::Sub };
            let id = graph.apply(opcode, &[a.0, b.0], std::slice::from_ref(&ty)).unwrap();
            let wrap = |x: f64| f64::from(x as i64 as i32);
            let result = a.1.iter().zip(&b.1).map(|(a, b)| wrap(if is_sum { a + b } else { a - b }));
            values.push((id, result.collect()));
        }
        let outputs: Vec<_> =
            (0..4).map(|_| values[random.below(values.len() as u32) as usize].clone()).collect();
        outputs.iter().for_each(|(id, _)| graph.output(*id));
        let program = Program::new(graph).unwrap();
        let found = run(&program, &inputs, 2);
        for ((_, wanted), found) in outputs.iter().zip(found) {
            assert_eq!(crate::support::decode(Element::I32, &found), *wanted, "seed {seed}");
        }
    }
}

fn random_size(seed: u64) -> u32 {
    [1, 7, 64, 300][seed as usize % 4]
}
