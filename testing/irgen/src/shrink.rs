//! Shrinks a failing function: removes instructions, blocks and operands as long as it still fails.

use pyro_ir::{Effect, Function, Inst, Opcode, Terminator, Value};
use pyro_util::SecondaryMap;

/// The smallest function found by simplifying one thing after another, as long as `fails` says that the
/// result still fails. Every candidate is well formed.
pub fn shrink(function: &Function, fails: impl Fn(&Function) -> bool) -> Function {
    let mut best = function.clone();
    clean(&mut best);
    if !fails(&best) {
        best = function.clone();
    }
    loop {
        let before = size(&best);
        simplify_terminators(&mut best, &fails);
        // Halves first, then ever smaller runs.
        let mut run = best.insts.len();
        while run > 0 {
            remove_runs(&mut best, run, &fails);
            run /= 2;
        }
        if size(&best) >= before {
            return best;
        }
    }
}

fn size(function: &Function) -> usize {
    function.block_order.iter().map(|&block| 1 + function.blocks[block].insts.len()).sum()
}

/// Keeps the candidate if it is well formed and fails.
fn keep(best: &mut Function, mut candidate: Function, fails: &impl Fn(&Function) -> bool) -> bool {
    clean(&mut candidate);
    let better = size(&candidate) < size(best)
        && pyro_ir::verify::verify_executable(&candidate).is_ok()
        && fails(&candidate);
    if better {
        *best = candidate;
    }
    better
}

fn simplify_terminators(best: &mut Function, fails: &impl Fn(&Function) -> bool) {
    let mut index = 0;
    while index < best.block_order.len() {
        let block = best.block_order[index];
        let targets: Vec<_> = best.blocks[block].terminator.targets().cloned().collect();
        if targets.len() > 1 {
            for target in targets {
                let mut candidate = best.clone();
                candidate.blocks[block].terminator = Terminator::Jump(target);
                if keep(best, candidate, fails) {
                    break;
                }
            }
        } else if !targets.is_empty() {
            let mut candidate = best.clone();
            candidate.blocks[block].terminator = Terminator::Return(0);
            keep(best, candidate, fails);
        }
        index += 1;
    }
}

/// Tries to do without each run of so many instructions.
fn remove_runs(best: &mut Function, run: usize, fails: &impl Fn(&Function) -> bool) {
    let mut start = 0;
    loop {
        let all: Vec<Inst> =
            best.block_order.iter().flat_map(|&block| best.blocks[block].insts.iter().copied()).collect();
        if start >= all.len() {
            return;
        }
        // From the end, where the stores are.
        let end = all.len() - start;
        let mut candidate = best.clone();
        let mut changed = false;
        for &inst in &all[end.saturating_sub(run)..end] {
            changed |= remove(&mut candidate, inst);
        }
        if !(changed && keep(best, candidate, fails)) {
            start += run;
        }
    }
}

/// Removes an instruction, or puts zero in the place of its result.
fn remove(function: &mut Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(result) = data.result.expand() else {
        for block in function.blocks.values_mut() {
            block.insts.retain(|&other| other != inst);
        }
        return true;
    };
    // Where addresses come from stays: functions that access other memory are not comparable.
    if matches!(data.op, Opcode::Const | Opcode::Arg | Opcode::Load) && function.ty(result).is_uniform() {
        return false;
    }
    let ty = function.ty(result);
    let data = &mut function.insts[inst];
    data.loc = Default::default();
    if ty.is_uniform() {
        (data.op, data.imm) = (Opcode::Const, 0);
        data.args.clear();
        return true;
    }
    let zero = |function: &Function, other: &Inst| {
        let data = &function.insts[*other];
        let value = data.result.expand()?;
        (data.op == Opcode::Const && data.imm == 0 && function.ty(value).scalar == ty.scalar).then_some(value)
    };
    let Some(block) =
        function.block_order.iter().copied().find(|&block| function.blocks[block].insts.contains(&inst))
    else {
        return false;
    };
    let place = function.blocks[block].insts.iter().position(|&other| other == inst).unwrap_or(0);
    let found = function.blocks[block].insts[..place].iter().find_map(|other| zero(function, other));
    let value = found.unwrap_or_else(|| {
        let uniform = pyro_ir::Type::uniform(ty.scalar);
        let constant = function.make_inst(Opcode::Const, &[], 0, Some(uniform), Default::default());
        function.blocks[block].insts.insert(place, constant);
        function.insts[constant].expect_result()
    });
    let data = &mut function.insts[inst];
    let is_zero = data.op == Opcode::Splat && data.args[0] == value;
    (data.op, data.imm) = (Opcode::Splat, 0);
    data.args = std::iter::once(value).collect();
    !is_zero
}

/// Removes what nothing reaches or uses: blocks, and instructions without effect.
fn clean(function: &mut Function) {
    let mut reached = vec![function.entry()];
    let mut next = 0;
    while next < reached.len() {
        for call in function.blocks[reached[next]].terminator.targets() {
            if !reached.contains(&call.block) {
                reached.push(call.block);
            }
        }
        next += 1;
    }
    function.block_order.retain(|block| reached.contains(block));
    let mut used: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut open: Vec<Value> = Vec::new();
    for &block in &function.block_order {
        function.blocks[block].terminator.for_each_value(|value| open.push(value));
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
                open.extend(&data.args);
            }
        }
    }
    while let Some(value) = open.pop() {
        if used[value] {
            continue;
        }
        used[value] = true;
        if let Some(data) = function.def_inst(value) {
            open.extend(&data.args);
        }
    }
    for &block in &function.block_order {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &function.insts[inst];
            matches!(data.op.effect(), Effect::Write | Effect::Barrier)
                || data.result.expand().is_some_and(|value| used[value])
        });
        function.blocks[block].insts = insts;
    }
}
