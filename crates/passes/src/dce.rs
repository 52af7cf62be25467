//! Dead code: instructions, and block parameters, that nothing with an effect depends on.
//!
//! Everything is dead until shown to be live, starting from instructions with effects and from terminators'
//! conditions, so a parameter that only feeds itself around a loop goes too. An argument on an edge is live
//! when the parameter is.

use pyro_ir::{Block, Effect, Function, InstData, MemoryOp, Value, ValueDef};
use pyro_util::SecondaryMap;

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let live = find_live(function);
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        let before = insts.len();
        insts.retain(|&inst| {
            let data = &function.insts[inst];
            has_effect(data) || data.result.expand().is_some_and(|result| live[result])
        });
        changed |= insts.len() != before;
        function.blocks[block].insts = insts;

        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        for target in terminator.targets_mut() {
            let params = &function.blocks[target.block].params;
            let mut position = 0;
            target.args.retain(|_| {
                position += 1;
                live[params[position - 1]]
            });
        }
        function.blocks[block].terminator = terminator;
    }
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let params = &mut function.blocks[block].params;
        let before = params.len();
        params.retain(|&param| live[param]);
        if params.len() != before {
            changed = true;
            for (position, &param) in params.iter().enumerate() {
                function.values[param].def = ValueDef::Param(block, position as u32);
            }
        }
    }
    changed
}

/// Whether an instruction stays even if its result is not used.
pub(crate) fn has_effect(data: &InstData) -> bool {
    match data.op.effect() {
        Effect::Write | Effect::Barrier => true,
        Effect::Read => data.op.is_memory() && MemoryOp::from_imm(data.imm).volatile,
        Effect::Pure | Effect::Convergent => false,
    }
}

fn find_live(function: &Function) -> SecondaryMap<Value, bool> {
    // The edges that pass arguments to each block: from where, and which target.
    let mut incoming: SecondaryMap<Block, Vec<(Block, u32)>> =
        SecondaryMap::with_capacity(Vec::new(), function.blocks.len());
    let mut live = SecondaryMap::with_capacity(false, function.values.len());
    let mut work: Vec<Value> = Vec::new();
    let mark = |live: &mut SecondaryMap<Value, bool>, work: &mut Vec<Value>, value: Value| {
        if !live[value] {
            live[value] = true;
            work.push(value);
        }
    };
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for &inst in &data.insts {
            let inst = &function.insts[inst];
            if has_effect(inst) {
                inst.args.iter().for_each(|&arg| mark(&mut live, &mut work, arg));
            }
        }
        if let Some(operand) = data.terminator.operand() {
            mark(&mut live, &mut work, operand);
        }
        for (ordinal, target) in (0..).zip(data.terminator.targets()) {
            if !target.args.is_empty() {
                incoming[target.block].push((block, ordinal));
            }
        }
    }
    while let Some(value) = work.pop() {
        match function.values[value].def {
            ValueDef::Inst(inst) => {
                for &arg in &function.insts[inst].args {
                    mark(&mut live, &mut work, arg);
                }
            }
            ValueDef::Param(block, position) => {
                for &(from, ordinal) in &incoming[block] {
                    let call = function.blocks[from].terminator.target(ordinal).expect("an edge");
                    mark(&mut live, &mut work, call.args[position as usize]);
                }
            }
        }
    }
    live
}
