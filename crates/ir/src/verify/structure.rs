//! References: every block, value, slot and instruction that is named exists, and counts of operands fit.

use super::{Definition, Entity, NOWHERE, Verifier};
use crate::function::{Block, Merge, Terminator, Value, ValueDef};
use pyro_util::EntityRef;

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    if ![4, 8, 16, 32, 64].contains(&function.lanes) {
        verifier.error(Entity::Function, format!("{} lanes: expected 4, 8, 16, 32 or 64", function.lanes));
    }
    if function.block_order.is_empty() {
        verifier.error(Entity::Function, "there is no block");
        return;
    }
    let before = verifier.errors.len();
    for (position, &block) in function.block_order.iter().enumerate() {
        if !function.blocks.is_valid(block) {
            verifier.error(Entity::Block(block), "there is no such block");
        } else if verifier.position[block.index()] != NOWHERE {
            verifier.error(Entity::Block(block), "the block is in the order twice");
        } else {
            verifier.position[block.index()] = position as u32;
        }
    }
    if verifier.errors.len() > before {
        return;
    }
    if !function.blocks[function.entry()].params.is_empty() {
        verifier.error(Entity::Block(function.entry()), "the entry block takes no parameters");
    }
    let mut placed = vec![false; function.insts.len()];
    for &block in &function.block_order {
        definitions(verifier, block, &mut placed);
    }
    for &block in &function.block_order {
        uses(verifier, block);
    }
}

fn definitions(verifier: &mut Verifier<'_>, block: Block, placed: &mut [bool]) {
    let function = verifier.function;
    let data = &function.blocks[block];
    for (index, &param) in data.params.iter().enumerate() {
        match function.values.get(param) {
            Some(value) if value.def == ValueDef::Param(block, index as u32) => {
                verifier.definition[param.index()] = Definition { block, index: 0 };
            }
            _ => {
                let message = format!("{param} does not say that it is this block's parameter {index}");
                verifier.error(Entity::Block(block), message);
            }
        }
    }
    for (index, &inst) in data.insts.iter().enumerate() {
        let entity = Entity::Inst(block, inst);
        let Some(inst_data) = function.insts.get(inst) else {
            verifier.error(entity, "there is no such instruction");
            continue;
        };
        if std::mem::replace(&mut placed[inst.index()], true) {
            verifier.error(entity, "the instruction stands in two places");
            continue;
        }
        if !inst_data.op.takes(inst_data.args.len()) {
            let (given, expected) = (inst_data.args.len(), inst_data.op.arg_count());
            let message = format!("{given} operands, expected {expected}");
            verifier.error(entity, message);
        }
        match inst_data.result.expand() {
            None if inst_data.op.has_result() => verifier.error(entity, "the result is missing"),
            Some(_) if !inst_data.op.has_result() => verifier.error(entity, "the operation gives no result"),
            Some(result) => match function.values.get(result) {
                Some(value) if value.def == ValueDef::Inst(inst) => {
                    verifier.definition[result.index()] = Definition { block, index: index as u32 + 1 };
                }
                _ => {
                    verifier.error(entity, format!("{result} does not say that this instruction defines it"))
                }
            },
            None => {}
        }
    }
}

fn uses(verifier: &mut Verifier<'_>, block: Block) {
    let function = verifier.function;
    let data = &function.blocks[block];
    let need = |verifier: &mut Verifier<'_>, entity, value: Value| {
        if verifier.definition(value).is_none() {
            verifier.error(entity, format!("{value} is not defined in any block of the order"));
        }
    };
    for &inst in &data.insts {
        let Some(inst_data) = function.insts.get(inst) else { continue };
        for &arg in &inst_data.args {
            need(verifier, Entity::Inst(block, inst), arg);
        }
    }
    let entity = Entity::Block(block);
    if data.terminator == Terminator::None {
        verifier.error(entity, "the block does not end");
    }
    data.terminator.for_each_value(|value| need(verifier, entity, value));
    for call in data.terminator.targets() {
        let target = call.block;
        if verifier.position(target) == NOWHERE {
            verifier.error(entity, format!("{target} is not in the order"));
            continue;
        }
        if target == function.entry() {
            verifier.error(entity, "nothing may jump to the entry block");
        }
        let params = &function.blocks[target].params;
        if params.len() != call.args.len() {
            verifier.error(
                entity,
                format!("{target} takes {} values, but gets {}", params.len(), call.args.len()),
            );
        }
    }
    let named = match data.merge {
        None => [None, None],
        Some(Merge::Selection { merge }) => [Some(merge), None],
        Some(Merge::Loop { merge, continue_target }) => [Some(merge), Some(continue_target)],
    };
    for named in named.into_iter().flatten() {
        if verifier.position(named) == NOWHERE {
            verifier.error(entity, format!("the merge information names {named}, which is not in the order"));
        }
    }
}
