//! Graphs of tensor operators whose operands mostly do not fit.

use crate::number;
use pyro_random::Random;
use pyro_tosa::{Element, Graph, OneThread, Opcode, Program, TensorType, Tensors, Threads, ValueId};

const ELEMENTS: [Element; 10] = [
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
/// Bytes of a tensor at most, of a graph that runs: a product of two then takes moments.
const BYTES_MAX: usize = 1 << 12;
/// The operators' numbers end below.
const OPCODES: u32 = 66;

/// Inputs that are one byte again and again, and outputs that nobody wants.
struct Filled(u8);

impl Tensors for Filled {
    fn read(&self, _input: usize, bytes: &mut [u8], _threads: &dyn Threads) {
        bytes.fill(self.0);
    }

    fn write(&self, _output: usize, _bytes: &[u8], _threads: &dyn Threads) {}
}

/// The type of a value that is there, or any.
fn any_type(random: &mut Random, graph: &Graph, values: &[ValueId]) -> Option<TensorType> {
    if !values.is_empty() && random.one_in(2) {
        let ty = graph.ty(random.pick(values));
        let element = if random.one_in(3) { random.pick(&ELEMENTS) } else { ty.element() };
        return TensorType::new(element, ty.shape()).ok();
    }
    let rank = random.below(7_u32);
    let dimension = |random: &mut Random| match random.below(16_u32) {
        0 => number(random),
        _ => 1 + random.below(4_u32),
    };
    let shape: Vec<u32> = (0..rank).map(|_| dimension(random)).collect();
    TensorType::new(random.pick(&ELEMENTS), &shape).ok()
}

/// Adds an input or a constant; constants are what attributes have to be.
fn any_value(random: &mut Random, graph: &mut Graph, values: &[ValueId]) -> Option<ValueId> {
    if !values.is_empty() && random.one_in(2) {
        return Some(random.pick(values));
    }
    let ty = match random.below(4_u32) {
        0 => TensorType::scalar(random.pick(&[Element::I32, Element::I32, Element::Bool, Element::F32])),
        1 => TensorType::new(Element::I32, &[1 + random.below(6_u32)]).ok()?,
        _ => any_type(random, graph, values)?,
    };
    if ty.bytes() > BYTES_MAX || random.one_in(3) {
        return (ty.rank() != 0).then(|| graph.input(ty));
    }
    let element = ty.element().bytes();
    let mut bytes = vec![0; ty.bytes()];
    for bytes in bytes.chunks_mut(element) {
        let value = if random.one_in(8) { number(random) } else { random.below(4_u32) };
        let value = (i64::from(value as i32)).to_le_bytes();
        bytes.copy_from_slice(&value[..element]);
    }
    let bytes = random.chance(95).then(|| bytes.into());
    graph.constant(ty, bytes).ok()
}

/// Applies operators, most of which refuse their operands, and runs what has come of it.
pub(crate) fn run(random: &mut Random) {
    let mut graph = Graph::new();
    let mut values = Vec::new();
    for _ in 0..2 + random.below(60_u32) {
        let Some(opcode) = Opcode::from_number(random.below(OPCODES)) else { continue };
        let most = if random.one_in(4) { 10_u32 } else { 3 };
        let count = 1 + random.below(most);
        let operands: Vec<ValueId> =
            (0..count).filter_map(|_| any_value(random, &mut graph, &values)).collect();
        // Results mostly have the type of an operand.
        let result = |random: &mut Random, graph: &Graph| match operands.last() {
            Some(&operand) if random.chance(60) => Some(graph.ty(operand).clone()),
            _ => any_type(random, graph, &values),
        };
        let result_count = if random.one_in(8) { 2 } else { 1 };
        let results: Vec<TensorType> = (0..result_count).filter_map(|_| result(random, &graph)).collect();
        values.extend(operands.iter().filter(|&&operand| graph.ty(operand).rank() != 0));
        if results.is_empty() {
            continue;
        }
        if let Ok(first) = graph.apply(opcode, &operands, &results) {
            values.extend((0..results.len()).map(|at| first.offset(at)));
        }
    }
    let is_small = values.iter().all(|&value| graph.ty(value).bytes() <= BYTES_MAX);
    for value in values.iter().rev().take(4) {
        graph.output(*value);
    }
    let Ok(program) = Program::new(graph) else { return };
    if is_small {
        let mut memory = vec![0xa5; program.memory_bytes()];
        program.run(&mut memory, &Filled(random.word() as u8), &OneThread);
    }
}
