//! Values that are spilled are read from the stack by the instructions that use them.

use crate::support;
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_jit::{Features, Level};

const LANES: u32 = 8;
/// More values than any level has registers.
const VALUES: u32 = 48;

/// Loads values, and stores `value[0] + sum(value[i] * value[i + 1]) + sum(value[i] - value[i + 2])`.
fn function() -> Function {
    support::function(LANES, |begun| {
        let place = begun.lanes_times(4);
        let memory = |row: u32| MemoryOp::new(Space::Global).at((row * 4 * LANES) as i32);
        let values: Vec<Value> = (0..VALUES)
            .map(|row| begun.builder.load(Scalar::F32, memory(row), begun.base, place, begun.active))
            .collect();
        let mut sum = values[0];
        for pair in values.windows(2) {
            let product = begun.builder.op(Opcode::FMul, pair);
            sum = begun.builder.op(Opcode::FAdd, &[product, sum]);
        }
        for triple in values.windows(3) {
            let difference = begun.builder.op(Opcode::FSub, &[triple[0], triple[2]]);
            sum = begun.builder.op(Opcode::FAdd, &[difference, sum]);
        }
        begun.builder.store(memory(VALUES), begun.base, place, sum, begun.active);
    })
}

#[test]
fn values_on_the_stack_are_operands() {
    let function = function();
    // Code is only made, so any processor will do.
    for (level, at_least) in [(Level::Sse41, 8), (Level::Avx2, 24), (Level::Avx512, 8)] {
        let text = support::assembly(&function, Features::base(level));
        let arithmetic = |line: &&str| ["addps", "subps", "mulps"].iter().any(|name| line.contains(name));
        let folded = text.lines().filter(arithmetic).filter(|line| line.contains("[rsp")).count();
        assert!(folded >= at_least, "{level:?}: {folded}\n{text}");
    }
}

#[test]
fn values_on_the_stack_are_those_that_were_spilled() {
    let function = function();
    let rows: Vec<f32> = (0..VALUES * LANES).map(|index| (index % 29) as f32 * 0.5 - 3.0).collect();
    let row = |number: u32, lane: u32| rows[(number * LANES + lane) as usize];
    for (name, features) in Features::all() {
        let mut memory = rows.clone();
        memory.resize(((VALUES + 1) * LANES) as usize, 0.0);
        // SAFETY: the rows are there.
        #[allow(unsafe_code)]
        unsafe {
            support::run_over(&support::compiled(&function, features), &mut memory, LANES);
        }
        for lane in 0..LANES {
            // All of them are multiples of a quarter, so no sum is rounded.
            let products: f32 = (1..VALUES).map(|value| row(value - 1, lane) * row(value, lane)).sum();
            let differences: f32 = (2..VALUES).map(|value| row(value - 2, lane) - row(value, lane)).sum();
            let expected = row(0, lane) + products + differences;
            assert_eq!(memory[(VALUES * LANES + lane) as usize], expected, "{name}, lane {lane}");
        }
    }
}
