//! Dead code: instructions, and block parameters, that nothing with an effect depends on.
//!
//! Everything is dead until shown to be live, starting from instructions with effects and from terminators'
//! conditions, so a parameter that only feeds itself around a loop goes too. An argument on an edge is live
//! when the parameter is.

use crate::analysis::Cfg;
use pyro_ir::{Effect, Function, InstData, MemoryOp, Value, ValueDef};
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

/// Goes backwards through the blocks once. Definitions come before their uses in the order, so all that is live is
/// marked before it is met; what goes round a loop is followed on its own, and what unreachable blocks use.
fn find_live(function: &Function) -> SecondaryMap<Value, bool> {
    let cfg = Cfg::new(function);
    let mut live = SecondaryMap::with_capacity(false, function.values.len());
    for &block in function.block_order.iter().filter(|&&block| !cfg.is_reachable(block)) {
        let data = &function.blocks[block];
        let args = data.insts.iter().flat_map(|&inst| &function.insts[inst].args);
        args.for_each(|&arg| follow(function, &cfg, &mut live, arg));
        data.terminator.for_each_value(|value| follow(function, &cfg, &mut live, value));
    }
    for (index, &block) in function.block_order.iter().enumerate().rev() {
        let data = &function.blocks[block];
        if let Some(operand) = data.terminator.operand() {
            live[operand] = true;
        }
        for target in data.terminator.targets() {
            for (&param, &arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                if live[param] {
                    live[arg] = true;
                }
            }
        }
        for &inst in data.insts.iter().rev() {
            let inst = &function.insts[inst];
            if inst.result.expand().is_some_and(|result| live[result]) || has_effect(inst) {
                inst.args.iter().for_each(|&arg| live[arg] = true);
            }
        }
        if !data.params.iter().any(|&param| live[param]) {
            continue;
        }
        for edge in cfg.preds(block).iter().filter(|edge| cfg.position(edge.from) as usize >= index) {
            let call = function.blocks[edge.from].terminator.target(edge.ordinal).expect("an edge");
            for (&param, &arg) in data.params.iter().zip(&call.args) {
                if live[param] {
                    follow(function, &cfg, &mut live, arg);
                }
            }
        }
    }
    live
}

/// Marks a value and all that it depends on.
fn follow(function: &Function, cfg: &Cfg, live: &mut SecondaryMap<Value, bool>, value: Value) {
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value], true) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Inst(inst) => work.extend(&function.insts[inst].args),
            ValueDef::Param(block, position) => {
                for edge in cfg.preds(block) {
                    let call = function.blocks[edge.from].terminator.target(edge.ordinal).expect("an edge");
                    work.push(call.args[position as usize]);
                }
            }
        }
    }
}
