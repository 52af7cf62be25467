//! Small random damage to functions.
//!
//! Most results are not well formed, and the verifier has to say so; those that it accepts are functions that
//! no generator would make, which executors must take.

use pyro_ir::{BlockCall, Function, Inst, Opcode, Scalar, Shape, Terminator, Type, Value};
use pyro_random::Random;
use pyro_util::EntityRef;

/// A copy with a few things changed, by seed.
pub fn mutate(function: &Function, seed: u64) -> Function {
    let mut mutated = function.clone();
    let mut random = Random::new(seed ^ 0x6d75_7461_7465);
    for _ in 0..1 + random.below(3) {
        change(&mut mutated, &mut random);
    }
    mutated
}

fn change(function: &mut Function, random: &mut Random) {
    let block = random.pick(&function.block_order);
    let insts = function.blocks[block].insts.clone();
    let any_value = |random: &mut Random, function: &Function| {
        // Now and then one that is not there.
        Value::from_u32(random.below(function.values.len() as u64 + 1) as u32)
    };
    if insts.is_empty() || random.one_in(4) {
        return change_control(function, random);
    }
    let inst: Inst = random.pick(&insts);
    match random.below(9) {
        0 | 1 => {
            // An operand of the same type: often well formed.
            let count = function.insts[inst].args.len();
            if count > 0 {
                let index = random.below(count as u64) as usize;
                let old = function.insts[inst].args[index];
                let ty = function.values.get(old).map(|data| data.ty);
                let same: Vec<Value> = function
                    .values
                    .iter()
                    .filter(|(_, data)| Some(data.ty) == ty)
                    .map(|(value, _)| value)
                    .collect();
                if !same.is_empty() {
                    function.insts[inst].args[index] = random.pick(&same);
                }
            }
        }
        2 => {
            let value = any_value(random, function);
            let count = function.insts[inst].args.len();
            if count > 0 {
                let index = random.below(count as u64) as usize;
                function.insts[inst].args[index] = value;
            }
        }
        3 => {
            // Another operation with as many operands.
            let old = function.insts[inst].op;
            let alike: Vec<Opcode> = Opcode::ALL
                .iter()
                .copied()
                .filter(|op| op.arg_count() == old.arg_count() && op.has_result() == old.has_result())
                .collect();
            function.insts[inst].op = random.pick(&alike);
        }
        4 => function.insts[inst].imm ^= 1 << random.below(42),
        5 => {
            if let Some(result) = function.insts[inst].result.expand() {
                let scalar = random.pick(&Scalar::ALL);
                let shape = random.pick(&[Shape::Uniform, Shape::Varying]);
                function.values[result].ty = Type { scalar, shape };
            }
        }
        6 => {
            // The instruction moves, or stands in two places.
            let to = random.pick(&function.block_order);
            let place = random.below(function.blocks[to].insts.len() as u64 + 1) as usize;
            if !random.one_in(3) {
                function.blocks[block].insts.retain(|&other| other != inst);
            }
            let place = place.min(function.blocks[to].insts.len());
            function.blocks[to].insts.insert(place, inst);
        }
        7 => {
            function.insts[inst].args.pop();
        }
        _ => function.blocks[block].insts.retain(|&other| other != inst),
    }
}

fn change_control(function: &mut Function, random: &mut Random) {
    let block = random.pick(&function.block_order);
    let other = random.pick(&function.block_order);
    match random.below(6) {
        0 => {
            if let Some(target) = function.blocks[block].terminator.targets_mut().last() {
                target.block = other;
            }
        }
        1 => function.blocks[block].terminator = function.blocks[other].terminator.clone(),
        2 => {
            let values = function.values.len() as u64;
            function.blocks[block]
                .terminator
                .for_each_value_mut(|value| *value = Value::new(random.below(values) as usize));
        }
        3 => {
            let index = random.below(function.block_order.len() as u64) as usize;
            function.block_order.swap(0, index);
        }
        4 => {
            function.blocks[block].params.pop();
        }
        _ => {
            let ends =
                [Terminator::None, Terminator::Unreachable, Terminator::Jump(BlockCall::new(other, &[]))];
            function.blocks[block].terminator = ends[random.below(3) as usize].clone();
        }
    }
}
