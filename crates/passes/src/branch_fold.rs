//! Control flow that is decided, or does nothing: branches on constants or to one place, unreachable blocks,
//! and in mask form also empty blocks and jumps to blocks that nothing else goes to.
//!
//! In lane form blocks stay where they are, since merge information names them; only branches are folded,
//! and a folded selection header is none any more.

use crate::analysis::UseCounts;
use crate::prune;
use pyro_ir::{Block, BlockCall, Form, Function, Merge, Opcode, SourceLoc, Terminator, Value};
use pyro_util::{PackedOption, SecondaryMap};

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let mut changed = fold(function);
    changed |= prune::run(function);
    if function.form == Form::Mask {
        let threaded = thread(function);
        if threaded {
            prune::run(function);
        }
        changed |= threaded | fold(function) | select_args(function);
        changed |= join(function);
    }
    changed
}

/// Folds terminators whose way is known.
fn fold(function: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let known: Option<BlockCall> = match &function.blocks[block].terminator {
            Terminator::Branch { condition, then, otherwise } => match function.const_bits(*condition) {
                Some(0) => Some(otherwise.clone()),
                Some(_) => Some(then.clone()),
                None => (then == otherwise).then(|| then.clone()),
            },
            Terminator::Switch { selector, cases, default } => match function.const_bits(*selector) {
                Some(bits) => {
                    let case = cases.iter().find(|case| case.0 == bits).map(|case| &case.1);
                    Some(case.unwrap_or(default).clone())
                }
                None => cases.iter().all(|case| case.1 == *default).then(|| default.clone()),
            },
            _ => None,
        };
        if let Some(call) = known {
            let data = &mut function.blocks[block];
            data.terminator = Terminator::Jump(call);
            if matches!(data.merge, Some(Merge::Selection { .. })) {
                data.merge = None;
            }
            changed = true;
        }
    }
    changed
}

/// Branches with both ways to one block, and few differing arguments, become jumps with selected arguments.
fn select_args(function: &mut Function) -> bool {
    const MOST: usize = 2;
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[block].terminator else {
            continue;
        };
        let condition = *condition;
        let pairs = then.args.iter().zip(&otherwise.args);
        let simple = pairs.clone().filter(|(a, b)| a != b).count() <= MOST
            && pairs.clone().all(|(&a, &b)| a == b || function.ty(a).is_uniform());
        if then.block != otherwise.block || !simple {
            continue;
        }
        let (target, pairs) = (then.block, pairs.map(|(&a, &b)| (a, b)).collect::<Vec<_>>());
        let mut args = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            args.push(if a == b {
                a
            } else {
                let ty = function.ty(a);
                let inst =
                    function.make_inst(Opcode::Select, &[condition, a, b], 0, Some(ty), SourceLoc::default());
                function.blocks[block].insts.push(inst);
                function.insts[inst].expect_result()
            });
        }
        function.blocks[block].terminator = Terminator::Jump(BlockCall::new(target, &args));
        changed = true;
    }
    changed
}

/// Leads edges past blocks that only jump on.
fn thread(function: &mut Function) -> bool {
    // Only asked for where such a block has parameters.
    let uses = std::cell::OnceCell::new();
    // Where an edge to each block may go instead.
    let mut next = SecondaryMap::<Block, bool>::with_capacity(false, function.blocks.len());
    for (index, &block) in function.block_order.iter().enumerate() {
        let data = &function.blocks[block];
        let Terminator::Jump(call) = &data.terminator else { continue };
        if index == 0 || !data.insts.is_empty() || call.block == block {
            continue;
        }
        // The parameters must not be read anywhere but in the jump.
        let own: u32 = data
            .params
            .iter()
            .map(|&param| {
                let all = uses.get_or_init(|| UseCounts::new(function)).count(param);
                all - call.args.iter().filter(|&&arg| arg == param).count() as u32
            })
            .sum();
        next[block] = own == 0;
    }
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        for call in terminator.targets_mut() {
            // Chains of empty blocks may close to an endless loop.
            let mut steps = 0;
            while next[call.block] && call.block != block && steps < 64 {
                let Terminator::Jump(on) = &function.blocks[call.block].terminator else { break };
                let params = &function.blocks[call.block].params;
                let args = on.args.iter().map(|&arg| {
                    params.iter().position(|&param| param == arg).map_or(arg, |index| call.args[index])
                });
                *call = BlockCall { block: on.block, args: args.collect() };
                changed = true;
                steps += 1;
            }
        }
        function.blocks[block].terminator = terminator;
    }
    changed
}

/// Appends blocks to their only predecessor when that only jumps there.
fn join(function: &mut Function) -> bool {
    let mut pred_count = SecondaryMap::<Block, u32>::with_capacity(0, function.blocks.len());
    for &block in &function.block_order {
        for call in function.blocks[block].terminator.targets() {
            pred_count[call.block] += 1;
        }
    }
    let entry = function.entry();
    let mut gone = SecondaryMap::<Block, bool>::with_capacity(false, function.blocks.len());
    let mut alias = SecondaryMap::<Value, PackedOption<Value>>::new();
    let (mut changed, mut renamed) = (false, false);
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        if gone[block] {
            continue;
        }
        while let Terminator::Jump(call) = &function.blocks[block].terminator {
            let next = call.block;
            if next == block || next == entry || pred_count[next] != 1 || gone[next] {
                break;
            }
            let args = call.args.clone();
            let data = std::mem::take(&mut function.blocks[next]);
            for (&param, arg) in data.params.iter().zip(args) {
                alias[param] = arg.into();
                renamed = true;
            }
            let into = &mut function.blocks[block];
            into.insts.extend(data.insts);
            into.terminator = data.terminator;
            gone[next] = true;
            changed = true;
        }
    }
    if !changed {
        return false;
    }
    function.block_order.retain(|&block| !gone[block]);
    if renamed {
        replace_all(function, &mut alias);
    }
    true
}

/// Puts what replaces each value in its place, everywhere.
pub(crate) fn replace_all(function: &mut Function, alias: &mut SecondaryMap<Value, PackedOption<Value>>) {
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let data = &mut function.blocks[block];
        for &inst in &data.insts {
            for arg in function.insts[inst].args.iter_mut() {
                *arg = resolve(alias, *arg);
            }
        }
        data.terminator.for_each_value_mut(|value| *value = resolve(alias, *value));
    }
}

/// Follows replacements to the end, and shortens the way for the next time.
#[inline]
pub(crate) fn resolve(alias: &mut SecondaryMap<Value, PackedOption<Value>>, value: Value) -> Value {
    if alias[value].is_some() { follow(alias, value) } else { value }
}

fn follow(alias: &mut SecondaryMap<Value, PackedOption<Value>>, value: Value) -> Value {
    let mut end = value;
    while let Some(next) = alias[end].expand() {
        end = next;
    }
    let mut at = value;
    while let Some(next) = alias[at].expand() {
        if next != end {
            alias[at] = end.into();
        }
        at = next;
    }
    end
}
