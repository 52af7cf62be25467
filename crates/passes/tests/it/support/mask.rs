//! A plain evaluator of mask form.

use super::{DISPATCH, Memory, SUBGROUP, from_type, pure};
use pyro_ir::verify::verify;
use pyro_ir::{Function, InstData, MemoryOp, Opcode, Signature, Terminator};

/// Holds the output of a function before each of `steps` against that after it, and verifies the function.
///
/// # Panics
///
/// With the function, if it differs or is not well formed. `name` says which it is.
pub fn stays_same(
    name: &str,
    function: &mut Function,
    inputs: &[u32],
    steps: &mut [&mut dyn FnMut(&mut Function)],
) {
    let before = Memory::new(u64::MAX, inputs);
    let output = |function: &Function| {
        if let Err(errors) = verify(function) {
            panic!("{name}: {errors}\n{function}");
        }
        let mut memory = before.clone();
        run(function, &mut memory, 1000).expect("it ends");
        memory.output().to_vec()
    };
    let expected = output(function);
    for step in steps {
        step(function);
        assert!(output(function) == expected, "{name} gives something else:\n{function}");
    }
}

/// Runs a function in mask form until it returns for good; `None` when that takes more than `limit` block
/// visits, else the number of block visits. A function that does not loop over workgroups starts at its
/// resume point 0.
pub fn run(function: &Function, memory: &mut Memory, limit: u32) -> Option<u32> {
    let mut visits = 0;
    loop {
        let mut values = vec![[0xdead_beefu64; 64]; function.values.len()];
        let mut block = function.entry();
        let code = loop {
            visits += 1;
            if visits > limit {
                return None;
            }
            let data = &function.blocks[block];
            for &inst in &data.insts {
                step(function, &function.insts[inst], &mut values, memory);
            }
            let scalar = |value: pyro_ir::Value| {
                assert!(function.ty(value).is_uniform(), "{value}");
                values[value.as_u32() as usize][0]
            };
            let call = match &data.terminator {
                Terminator::Jump(call) => call,
                Terminator::Branch { condition, then, otherwise } => {
                    if scalar(*condition) != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                Terminator::Switch { selector, cases, default } => {
                    let bits = scalar(*selector);
                    cases.iter().find(|case| case.0 == bits).map_or(default, |case| &case.1)
                }
                Terminator::Return(code) => break *code,
                other => panic!("{other:?} in {block}"),
            };
            let args: Vec<[u64; 64]> = call.args.iter().map(|arg| values[arg.as_u32() as usize]).collect();
            let params = &function.blocks[call.block].params;
            assert_eq!(params.len(), args.len(), "{block} to {}", call.block);
            for (param, arg) in params.iter().zip(args) {
                values[param.as_u32() as usize] = arg;
            }
            block = call.block;
        };
        if code == 0 {
            return Some(visits);
        }
    }
}

/// What an atomic operation leaves in memory.
fn atomic(op: Opcode, old: u64, value: u64) -> u64 {
    match op {
        Opcode::AtomicAdd => old.wrapping_add(value),
        Opcode::AtomicExchange => value,
        other => panic!("{other:?}"),
    }
}

fn step(function: &Function, data: &InstData, values: &mut [[u64; 64]], memory: &mut Memory) {
    use Signature as S;
    let lanes = function.lanes as usize;
    let arg = |index: usize| values[data.args[index].as_u32() as usize];
    let varies = |index: usize| function.ty(data.args[index]).is_varying();
    let result = data.result.expand();
    let ty = result.map(|value| function.ty(value));
    let scalar = ty.map(|ty| ty.scalar);
    let shaped = |index: usize, varying: bool| {
        assert_eq!(varies(index), varying, "operand {index} of {}", data.op.name());
    };
    let mut out = [0u64; 64];
    match data.op.signature() {
        S::Const => out = [data.imm; 64],
        S::Arg => out = [[DISPATCH, SUBGROUP, 0][data.imm as usize]; 64],
        S::LaneId => (0..lanes).for_each(|lane| out[lane] = lane as u64),
        S::Splat => {
            shaped(0, false);
            out = [arg(0)[0]; 64];
        }
        S::MaskReduce => {
            shaped(0, true);
            out = [arg(0)[..lanes].iter().copied().max().unwrap(); 64];
        }
        S::MaskToBits => {
            shaped(0, true);
            out = [(0..lanes).fold(0, |bits, lane| bits | arg(0)[lane] << lane); 64];
        }
        S::MaskFromBits => {
            shaped(0, false);
            (0..lanes).for_each(|lane| out[lane] = arg(0)[0] >> lane & 1);
        }
        S::LaneRead => {
            shaped(0, true);
            shaped(1, false);
            out = [arg(0)[arg(1)[0] as usize % lanes]; 64];
        }
        S::Shuffle => {
            shaped(0, true);
            shaped(1, true);
            (0..lanes).for_each(|lane| out[lane] = arg(0)[arg(1)[lane] as usize % lanes]);
        }
        S::Effect | S::Call => return,
        S::Load => {
            let varying = varies(2);
            assert_eq!(ty.unwrap().is_varying(), varying);
            assert!(varying || !(varies(0) || varies(1)));
            for lane in 0..if varying { lanes } else { 1 } {
                if arg(2)[lane] != 0 {
                    out[lane] = memory.load(address(function, data, values, lane), scalar.unwrap());
                }
            }
            if !varying {
                out = [out[0]; 64];
            }
        }
        S::Store => {
            let varying = varies(3);
            shaped(2, varying);
            assert!(varying || !(varies(0) || varies(1)));
            let scalar = function.ty(data.args[2]).scalar;
            for lane in 0..if varying { lanes } else { 1 } {
                if arg(3)[lane] != 0 {
                    memory.store(address(function, data, values, lane), scalar, arg(2)[lane]);
                }
            }
            return;
        }
        S::Atomic => {
            let varying = varies(3);
            shaped(2, varying);
            assert!(varying || !(varies(0) || varies(1)));
            for lane in 0..if varying { lanes } else { 1 } {
                if arg(3)[lane] != 0 {
                    let at = address(function, data, values, lane);
                    let old = memory.load(at, scalar.unwrap());
                    memory.store(at, scalar.unwrap(), atomic(data.op, old, arg(2)[lane]));
                    out[lane] = old;
                }
            }
            if !varying {
                out = [out[0]; 64];
            }
        }
        _ => {
            for index in 0..data.args.len() {
                shaped(index, ty.unwrap().is_varying());
            }
            for lane in 0..lanes {
                let args: Vec<u64> = (0..data.args.len()).map(|index| arg(index)[lane]).collect();
                out[lane] = pure(data.op, from_type(function, &data.args), scalar.unwrap(), &args);
            }
            if ty.unwrap().is_uniform() {
                out = [out[0]; 64];
            }
        }
    }
    if let Some(result) = result {
        values[result.as_u32() as usize] = out;
    }
}

fn address(function: &Function, data: &InstData, values: &[[u64; 64]], lane: usize) -> u64 {
    let _ = function;
    let displacement = MemoryOp::from_imm(data.imm).displacement;
    values[data.args[0].as_u32() as usize][lane]
        .wrapping_add(values[data.args[1].as_u32() as usize][lane])
        .wrapping_add(displacement as i64 as u64)
}
