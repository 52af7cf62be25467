//! Tensors as lists of numbers, and operators applied to them.

use pyro_random::Random;
use pyro_tosa::float::{
    from_bf16, from_f8e4m3, from_f8e5m2, from_f16, to_bf16, to_f8e4m3, to_f8e5m2, to_f16,
};
use pyro_tosa::{Element, Graph, GraphError, Opcode, Program, TensorType, Tensors, Threads, ValueId};
use std::cell::RefCell;

/// A tensor with its elements as numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) element: Element,
    pub(crate) shape: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// Elements of the type nearest to numbers: they are numbers of the type already, or rounded once.
pub(crate) fn encode(element: Element, values: &[f64]) -> Vec<u8> {
    let one = |&value: &f64| -> Vec<u8> {
        let float = value as f32;
        match element {
            Element::Bool => vec![u8::from(value != 0.0)],
            Element::I8 => vec![value as i64 as u8],
            Element::I16 => (value as i64 as i16).to_le_bytes().to_vec(),
            Element::I32 => (value as i64 as i32).to_le_bytes().to_vec(),
            Element::I48 => (value as i64).to_le_bytes().to_vec(),
            Element::F8E4M3 => vec![to_f8e4m3(float)],
            Element::F8E5M2 => vec![to_f8e5m2(float)],
            Element::F16 => to_f16(float).to_le_bytes().to_vec(),
            Element::Bf16 => to_bf16(float).to_le_bytes().to_vec(),
            Element::F32 => float.to_le_bytes().to_vec(),
        }
    };
    values.iter().flat_map(one).collect()
}

pub(crate) fn decode(element: Element, bytes: &[u8]) -> Vec<f64> {
    let one = |bytes: &[u8]| -> f64 {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match element {
            Element::Bool => f64::from(u8::from(bits != 0)),
            Element::I8 => f64::from(bits as i8),
            Element::I16 => f64::from(bits as i16),
            Element::I32 => f64::from(bits as i32),
            Element::I48 => bits as i64 as f64,
            Element::F8E4M3 => from_f8e4m3(bits as u8).into(),
            Element::F8E5M2 => from_f8e5m2(bits as u8).into(),
            Element::F16 => from_f16(bits as u16).into(),
            Element::Bf16 => from_bf16(bits as u16).into(),
            Element::F32 => f32::from_bits(bits as u32).into(),
        }
    };
    bytes.chunks(element.bytes()).map(one).collect()
}

impl Tensor {
    /// A tensor of these numbers, as the type has them.
    pub(crate) fn new(element: Element, shape: &[u32], values: &[f64]) -> Tensor {
        assert_eq!(values.len(), shape.iter().product::<u32>() as usize);
        let values = decode(element, &encode(element, values));
        Tensor { element, shape: shape.to_vec(), values }
    }

    /// A list of integers of 32 bits.
    pub(crate) fn ints(values: &[i32]) -> Tensor {
        Tensor::new(
            Element::I32,
            &[values.len() as u32],
            &values.iter().map(|&v| v.into()).collect::<Vec<_>>(),
        )
    }

    /// One number without dimensions.
    pub(crate) fn scalar(element: Element, value: f64) -> Tensor {
        Tensor::new(element, &[], &[value])
    }

    /// One number in a list.
    pub(crate) fn one(element: Element, value: f64) -> Tensor {
        Tensor::new(element, &[1], &[value])
    }

    /// Random numbers: small ones of floating-point types, any of a range of others.
    pub(crate) fn random(random: &mut Random, element: Element, shape: &[u32]) -> Tensor {
        let mut number = || match element {
            Element::Bool => f64::from(random.below(2_u32)),
            Element::I8 => random.int(-128, 127).into(),
            Element::I16 => random.int(-32768, 32767).into(),
            Element::I32 => random.int(-100_000, 100_000).into(),
            Element::I48 => random.int(-1_000_000_000, 1_000_000_000) as f64 * 1000.0,
            _ => random.float(-4.0, 4.0).into(),
        };
        let values: Vec<f64> = (0..shape.iter().product::<u32>()).map(|_| number()).collect();
        Tensor::new(element, shape, &values)
    }

    pub(crate) fn ty(&self) -> TensorType {
        TensorType::new(self.element, &self.shape).unwrap()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        encode(self.element, &self.values)
    }

    /// The element at an index.
    pub(crate) fn at(&self, index: &[usize]) -> f64 {
        let sizes = self.shape.iter().map(|&size| size as usize);
        self.values[index.iter().zip(sizes).fold(0, |at, (&index, size)| at * size + index)]
    }
}

/// The index of an element.
pub(crate) fn index(shape: &[u32], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (index, &size) in index.iter_mut().zip(shape).rev() {
        *index = at % size as usize;
        at /= size as usize;
    }
    index
}

/// Threads of the test's own.
pub(crate) struct Several(pub(crate) usize);

impl Threads for Several {
    fn count(&self) -> usize {
        self.0
    }

    fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
        let next = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if number >= count {
                            break;
                        }
                        part(number);
                    }
                });
            }
        });
    }
}

pub(crate) struct Buffers {
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) outputs: RefCell<Vec<Vec<u8>>>,
}

impl Tensors for Buffers {
    fn read(&self, input: usize, bytes: &mut [u8], _threads: &dyn Threads) {
        bytes.copy_from_slice(&self.inputs[input]);
    }

    fn write(&self, output: usize, bytes: &[u8], _threads: &dyn Threads) {
        self.outputs.borrow_mut()[output] = bytes.to_vec();
    }
}

/// Runs a program on so many threads, in memory that held something else.
pub(crate) fn run(program: &Program, inputs: &[Vec<u8>], threads: usize) -> Vec<Vec<u8>> {
    let outputs = RefCell::new(vec![Vec::new(); program.outputs().len()]);
    let buffers = Buffers { inputs: inputs.to_vec(), outputs };
    let mut memory = vec![0xa5; program.memory_bytes()];
    program.run(&mut memory, &buffers, &Several(threads));
    buffers.outputs.into_inner()
}

/// Builds a graph of one operator, the operands from `first_input` on inputs of the graph, the others
/// constants. (The same operands as constants give the same results, which [`apply`] checks.)
fn build(
    opcode: Opcode,
    operands: &[Tensor],
    results: &[TensorType],
    is_input: &dyn Fn(usize) -> bool,
) -> Result<Program, GraphError> {
    let mut graph = Graph::new();
    let mut ids: Vec<ValueId> = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        ids.push(if is_input(at) {
            graph.input(operand.ty())
        } else if operand.shape.is_empty() {
            graph.constant(TensorType::scalar(operand.element), Some(operand.bytes().into()))?
        } else {
            graph.constant(operand.ty(), Some(operand.bytes().into()))?
        });
    }
    let first = graph.apply(opcode, &ids, results)?;
    (0..results.len()).for_each(|at| graph.output(first.offset(at)));
    Program::new(graph)
}

/// What an operator makes of operands: those from `first_input` on are inputs, where they may be.
pub(crate) fn try_apply(
    opcode: Opcode,
    operands: &[Tensor],
    results: &[(Element, &[u32])],
) -> Result<Vec<Tensor>, GraphError> {
    let types: Vec<TensorType> =
        results.iter().map(|(element, shape)| TensorType::new(*element, shape)).collect::<Result<_, _>>()?;
    let constant = build(opcode, operands, &types, &|_| false)?;
    let outputs = run(&constant, &[], 1);
    // Operands that need not be known are inputs now, and there are several threads.
    let unknown: Vec<bool> = (0..operands.len())
        .map(|at| {
            !operands[at].shape.is_empty() && build(opcode, operands, &types, &|other| other == at).is_ok()
        })
        .collect();
    let program = build(opcode, operands, &types, &|at| unknown[at])?;
    let inputs: Vec<Vec<u8>> = operands
        .iter()
        .zip(&unknown)
        .filter(|(_, is_input)| **is_input)
        .map(|(operand, _)| operand.bytes())
        .collect();
    for threads in [1, 3] {
        assert_eq!(run(&program, &inputs, threads), outputs, "{} on {threads} threads", opcode.name());
    }
    let tensor = |((element, shape), bytes): (&(Element, &[u32]), &Vec<u8>)| Tensor {
        element: *element,
        shape: shape.to_vec(),
        values: decode(*element, bytes),
    };
    Ok(results.iter().zip(&outputs).map(tensor).collect())
}

/// What an operator with one result makes of operands.
pub(crate) fn apply(opcode: Opcode, operands: &[Tensor], element: Element, shape: &[u32]) -> Vec<f64> {
    let results = try_apply(opcode, operands, &[(element, shape)]);
    results.unwrap_or_else(|error| panic!("{}: {error}", opcode.name())).remove(0).values
}

/// Holds numbers against wanted ones, which are rounded to the type: so many units in the last place off at
/// most.
pub(crate) fn assert_near(element: Element, found: &[f64], wanted: &[f64], ulps: f64, what: &str) {
    assert_eq!(found.len(), wanted.len());
    let fraction = match element {
        Element::F8E4M3 => 3,
        Element::F8E5M2 => 2,
        Element::F16 => 10,
        Element::Bf16 => 7,
        _ => 23,
    };
    let least = match element {
        Element::F8E4M3 => -6,
        Element::F8E5M2 | Element::F16 => -14,
        _ => -126,
    };
    for (at, (&found, &wanted)) in found.iter().zip(wanted).enumerate() {
        if found.is_nan() && wanted.is_nan() || found == wanted {
            continue;
        }
        let rounded = decode(element, &encode(element, &[wanted]))[0];
        if rounded == found || rounded.is_nan() && found.is_nan() {
            continue;
        }
        let exponent = (wanted.abs().log2().floor() as i32).max(least);
        let unit = 2.0_f64.powi(exponent - fraction);
        let error = (found - wanted).abs() / unit;
        assert!(error <= ulps, "{what} of {element} at {at}: {found:e} for {wanted:e}, {error} units off");
    }
}
