//! Rates of products of bytes: `MATMUL` and `CONV2D` on one thread.
//!
//! `products SIZE...`: products of square matrices of these sizes, and convolutions of 3 x 3 and 1 x 1 with
//! these numbers of channels on images of 56 x 56. `PYROCLAST_CPU` says what they may use.

use pyro_tosa::{
    Element, Graph, GraphError, OneThread, Opcode, Program, TensorType, Tensors, Threads, ValueId,
};

/// Rounds, of which the fastest counts.
const ROUNDS: usize = 9;
/// Products that a round has at least.
const PRODUCTS: usize = 1 << 29;

struct Buffers(Vec<Vec<u8>>);

impl Tensors for Buffers {
    fn read(&self, input: usize, bytes: &mut [u8], _threads: &dyn Threads) {
        bytes.copy_from_slice(&self.0[input]);
    }

    fn write(&self, _output: usize, bytes: &[u8], _threads: &dyn Threads) {
        std::hint::black_box(bytes);
    }
}

/// Seconds that this thread has run for.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    nanoseconds.map_or(0.0, |number| number as f64 / 1e9)
}

/// Bytes that differ.
fn some(count: u32) -> Vec<u8> {
    (0..count).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Builds a graph of one operator: operands that are no inputs are constants.
fn build(
    opcode: Opcode,
    operands: &[(Element, Vec<u32>, Vec<u8>, bool)],
    result: &[u32],
) -> Result<Program, GraphError> {
    let mut graph = Graph::new();
    let mut ids: Vec<ValueId> = Vec::new();
    for (element, shape, bytes, is_input) in operands {
        let ty = match &shape[..] {
            [] => TensorType::scalar(*element),
            shape => TensorType::new(*element, shape)?,
        };
        ids.push(match is_input {
            true => graph.input(ty),
            false => graph.constant(ty, Some(bytes.clone().into()))?,
        });
    }
    let first = graph.apply(opcode, &ids, &[TensorType::new(Element::I32, result)?])?;
    graph.output(first);
    Program::new(graph)
}

/// Billions of operations a second, two for each product.
fn rate(program: &Program, inputs: Vec<Vec<u8>>, products: usize) -> f64 {
    let buffers = Buffers(inputs);
    let mut memory = vec![0; program.memory_bytes()];
    let runs = PRODUCTS.div_ceil(products);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = processor_time();
        (0..runs).for_each(|_| program.run(&mut memory, &buffers, &OneThread));
        best = best.min((processor_time() - start).max(1e-9) / runs as f64);
    }
    2.0 * products as f64 / best / 1e9
}

fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn main() -> Result<(), GraphError> {
    for size in std::env::args().skip(1).filter_map(|text| text.parse::<u32>().ok()) {
        let point = |value: u8| (Element::I8, vec![1], vec![value], false);
        let matrix = || (Element::I8, vec![1, size, size], Vec::new(), true);
        let program = build(Opcode::MatMul, &[matrix(), matrix(), point(3), point(0)], &[1, size, size])?;
        let inputs = vec![some(size * size), some(size * size)];
        let cubed = (size as usize).pow(3);
        print!("{size:5}: MATMUL {:6.0} Gop/s", rate(&program, inputs, cubed));
        for kernel in [1, 3] {
            let pad = i32::from(kernel == 3);
            let operands = [
                (Element::I32, vec![4], words(&[pad; 4]), false),
                (Element::I32, vec![2], words(&[1; 2]), false),
                (Element::I32, vec![2], words(&[1; 2]), false),
                (Element::I32, vec![], words(&[1]), false),
                (Element::Bool, vec![], vec![0], false),
                (Element::I8, vec![1, 56, 56, size], Vec::new(), true),
                (Element::I8, vec![size, kernel, kernel, size], some(size * size * kernel * kernel), false),
                (Element::I32, vec![size], words(&vec![5; size as usize]), false),
                point(3),
                point(0),
            ];
            let program = build(Opcode::Conv2d, &operands, &[1, 56, 56, size])?;
            let products = (56 * 56 * size * size * kernel * kernel) as usize;
            let found = rate(&program, vec![some(56 * 56 * size)], products);
            print!(", CONV2D {kernel} x {kernel} {found:6.0}");
        }
        println!();
    }
    Ok(())
}
