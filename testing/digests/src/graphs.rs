//! Graphs of operators on whole tensors: products, convolutions, transforms, and functions of each element.

use pyro_random::Random;
use pyro_tosa::{Element, Graph, GraphError, Opcode, Program, TensorType, Tensors, Threads, ValueId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads where the environment does not say how many.
const THREADS: usize = 4;
/// Sides of tensors at most: more than the tiles of products, and parts for several threads.
const SIDE: u32 = 90;
const FLOATS: [Element; 3] = [Element::F32, Element::F16, Element::Bf16];
/// `acc_type`: integers of 32 bits, and floats of as many.
const ACCUMULATORS: [i32; 2] = [1, 3];

/// As many threads as the environment says.
struct Several(usize);

impl Threads for Several {
    fn count(&self) -> usize {
        self.0
    }

    fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                part(number);
            }
        };
        std::thread::scope(|scope| (0..self.0).for_each(|_| drop(scope.spawn(work))));
    }
}

/// What goes in and comes out.
struct Buffers {
    inputs: Vec<Vec<u8>>,
    outputs: Mutex<Vec<Vec<u8>>>,
}

impl Tensors for Buffers {
    fn read(&self, input: usize, bytes: &mut [u8], _threads: &dyn Threads) {
        bytes.copy_from_slice(&self.inputs[input]);
    }

    fn write(&self, output: usize, bytes: &[u8], _threads: &dyn Threads) {
        self.outputs.lock().expect("no panic")[output] = bytes.to_vec();
    }
}

/// A graph that grows.
struct Grown<'r> {
    graph: Graph,
    random: &'r mut Random,
    inputs: Vec<Vec<u8>>,
}

type Made = Result<ValueId, GraphError>;

impl Grown<'_> {
    /// An input of small numbers, of which a few floats are special.
    fn input(&mut self, element: Element, shape: &[u32]) -> Made {
        let ty = TensorType::new(element, shape)?;
        let random = &mut *self.random;
        let mut bytes = Vec::with_capacity(ty.bytes());
        for _ in 0..ty.count() {
            match element {
                Element::F32 => {
                    let special = [f32::NAN, f32::INFINITY, -0.0, f32::MAX, 1e-40];
                    let value =
                        if random.one_in(500) { random.pick(&special) } else { random.float(-4.0, 4.0) };
                    bytes.extend(value.to_le_bytes());
                }
                _ => bytes.push(random.below(256) as u8),
            }
        }
        self.inputs.push(bytes);
        Ok(self.graph.input(ty))
    }

    fn constant(&mut self, element: Element, shape: &[u32], bytes: Vec<u8>) -> Made {
        let ty =
            if shape.is_empty() { TensorType::scalar(element) } else { TensorType::new(element, shape)? };
        self.graph.constant(ty, Some(bytes.into()))
    }

    fn words(&mut self, values: &[i32]) -> Made {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Element::I32, &[values.len() as u32], bytes)
    }

    fn word(&mut self, value: i32) -> Made {
        self.constant(Element::I32, &[], value.to_le_bytes().to_vec())
    }

    fn no(&mut self) -> Made {
        self.constant(Element::Bool, &[], vec![0])
    }

    /// A zero point.
    fn point(&mut self, element: Element, value: u8) -> Made {
        let mut bytes = vec![0; element.bytes()];
        bytes[0] = value;
        self.constant(element, &[1], bytes)
    }

    fn apply(&mut self, opcode: Opcode, operands: &[ValueId], element: Element, shape: &[u32]) -> Made {
        self.graph.apply(opcode, operands, &[TensorType::new(element, shape)?])
    }

    /// The same shape with other elements.
    fn like(&mut self, opcode: Opcode, operands: &[ValueId], element: Element) -> Made {
        let shape = self.graph.ty(operands[0]).shape().to_vec();
        self.apply(opcode, operands, element, &shape)
    }

    /// Functions of each element.
    fn functions(&mut self, mut value: ValueId) -> Made {
        const FUNCTIONS: [Opcode; 12] = [
            Opcode::Exp,
            Opcode::Log,
            Opcode::Tanh,
            Opcode::Sigmoid,
            Opcode::Erf,
            Opcode::Reciprocal,
            Opcode::Rsqrt,
            Opcode::Sin,
            Opcode::Cos,
            Opcode::Floor,
            Opcode::Ceil,
            Opcode::Abs,
        ];
        let element = self.graph.ty(value).element();
        for _ in 0..1 + self.random.below(4_u32) {
            let function = self.random.pick(&FUNCTIONS);
            let other = self.like(function, &[value], element)?;
            let shift = self.point(Element::I8, 0)?;
            let binary = self.random.pick(&[Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Pow]);
            let operands = [value, other, shift];
            let count = if binary == Opcode::Mul { 3 } else { 2 };
            value = self.like(binary, &operands[..count], element)?;
        }
        Ok(value)
    }

    /// Sums along an axis.
    fn reduced(&mut self, value: ValueId) -> Made {
        let (element, mut shape) = (self.graph.ty(value).element(), self.graph.ty(value).shape().to_vec());
        let axis = self.random.below(shape.len() as u32);
        shape[axis as usize] = 1;
        let axis = self.word(axis as i32)?;
        self.apply(Opcode::ReduceSum, &[axis, value], element, &shape)
    }

    fn side(&mut self) -> u32 {
        1 + self.random.below(SIDE)
    }

    /// A product of matrices.
    fn product(&mut self) -> Made {
        let [batches, rows, depth, columns] =
            [1 + self.random.below(2_u32), self.side(), self.side(), self.side()];
        let is_float = self.random.one_in(2);
        let (from, to) = if is_float { (Element::F32, Element::F32) } else { (Element::I8, Element::I32) };
        let operands = [
            self.input(from, &[batches, rows, depth])?,
            self.input(from, &[batches, depth, columns])?,
            self.point(from, if is_float { 0 } else { 3 })?,
            self.point(from, if is_float { 0 } else { 250 })?,
        ];
        self.apply(Opcode::MatMul, &operands, to, &[batches, rows, columns])
    }

    /// A convolution whose output is as large as its input.
    fn convolution(&mut self) -> Made {
        let [height, width, channels, columns] =
            [0, 1, 2, 3].map(|axis| 1 + self.random.below(if axis < 2 { 24_u32 } else { 20 }));
        let is_float = self.random.one_in(2);
        let (from, to) = if is_float { (Element::F32, Element::F32) } else { (Element::I8, Element::I32) };
        let bias = self.input(Element::F32, &[columns])?;
        let bias = if is_float { bias } else { self.like(Opcode::Cast, &[bias], Element::I32)? };
        let operands = [
            self.words(&[1; 4])?,
            self.words(&[1; 2])?,
            self.words(&[1; 2])?,
            self.word(ACCUMULATORS[usize::from(is_float)])?,
            self.no()?,
            self.input(from, &[1, height, width, channels])?,
            self.input(from, &[columns, 3, 3, channels])?,
            bias,
            self.point(from, if is_float { 0 } else { 9 })?,
            self.point(from, 0)?,
        ];
        self.apply(Opcode::Conv2d, &operands, to, &[1, height, width, columns])
    }

    /// One part of a Fourier transform.
    fn transform(&mut self) -> Made {
        let [height, width] = [0, 1].map(|_| 1 << self.random.below(7_u32));
        let shape = [1 + self.random.below(2_u32), height, width];
        let operands =
            [self.no()?, self.no()?, self.input(Element::F32, &shape)?, self.input(Element::F32, &shape)?];
        let ty = TensorType::new(Element::F32, &shape)?;
        self.graph.apply(Opcode::Fft2d, &operands, &[ty.clone(), ty])
    }

    /// A graph with two outputs of words.
    fn grow(&mut self) -> Result<(), GraphError> {
        let first = match self.random.below(4_u32) {
            0 => self.product()?,
            1 => self.convolution()?,
            2 => self.transform()?,
            _ => {
                let shape = [self.side(), self.side()];
                self.input(Element::F32, &shape)?
            }
        };
        self.graph.output(first);
        let element = self.random.pick(&FLOATS);
        let is_that = self.graph.ty(first).element() == element;
        let value = if is_that { first } else { self.like(Opcode::Cast, &[first], element)? };
        let value = self.functions(value)?;
        let value = if self.random.one_in(2) { self.reduced(value)? } else { value };
        let value =
            if element == Element::F32 { value } else { self.like(Opcode::Cast, &[value], Element::F32)? };
        self.graph.output(value);
        Ok(())
    }
}

/// The outputs of a graph, NaN without their payloads.
///
/// # Errors
/// When the graph is refused.
pub(crate) fn run(number: u64) -> Result<Vec<u8>, String> {
    let mut random = Random::new(number);
    let mut grown = Grown { graph: Graph::new(), random: &mut random, inputs: Vec::new() };
    grown.grow().map_err(|error| error.to_string())?;
    let Grown { graph, inputs, .. } = grown;
    let is_float = |ty: &TensorType| ty.element() == Element::F32;
    let program = Program::new(graph).map_err(|error| error.to_string())?;
    let are_floats: Vec<bool> = program.outputs().map(is_float).collect();
    let outputs = Mutex::new(vec![Vec::new(); are_floats.len()]);
    let buffers = Buffers { inputs, outputs };
    let threads = match pyro_util::config::get().threads {
        0 => THREADS,
        count => count,
    };
    let mut memory = vec![0x5a; program.memory_bytes()];
    program.run(&mut memory, &buffers, &Several(threads));
    let outputs = buffers.outputs.into_inner().expect("no panic");
    let words = outputs.iter().zip(are_floats).flat_map(|(bytes, is_float)| {
        bytes.chunks_exact(4).flat_map(move |word| {
            let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
            (if is_float { crate::canonical(word) } else { word }).to_le_bytes()
        })
    });
    Ok(words.collect())
}
