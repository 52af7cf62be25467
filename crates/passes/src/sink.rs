//! Moves operations behind a switch, into the cases that read them.
//!
//! The header of the rounds between barriers ([`crate::barrier_loop`]) computes what cheap values several
//! pieces of a shader need ([`crate::coroutine_split`]), and each round runs one piece. So what few pieces
//! read is computed in these, at their start, as often as there are such pieces: only one of them runs, so
//! nothing is ever computed more often than before.
//!
//! An operation moves where all its readers lie behind cases that are entered from the switch only, and these
//! are at most half of all. Mask form.

use crate::analysis::{Cfg, Dominators};
use pyro_ir::{Block, Effect, Form, Function, Inst, Terminator, Value};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Where the readers of a value lie.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Readers {
    /// Behind these cases of the switch, each for every reader but the next.
    Cases(SmallVec<[Block; 4]>),
    /// Somewhere else, too.
    Anywhere,
}

impl Readers {
    fn add(&mut self, case: Option<Block>) {
        match (&mut *self, case) {
            (Readers::Cases(all), Some(case)) if all.last() != Some(&case) => all.push(case),
            (Readers::Cases(_), Some(_)) | (Readers::Anywhere, _) => {}
            (Readers::Cases(_), None) => *self = Readers::Anywhere,
        }
    }
}

/// Runs the pass on the operations of one block, which ends in the switch. Returns whether anything changed.
pub fn run(function: &mut Function, switch: Block) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !matches!(function.blocks[switch].terminator, Terminator::Switch { .. }) {
        return false;
    }
    let cfg = Cfg::new(function);
    let case_of = cases(function, &cfg, switch);
    let case_count =
        case_of.iter().enumerate().filter(|&(index, &case)| case == Some(function.block_order[index]));
    let most = case_count.count() / 2;
    if most == 0 {
        return false;
    }
    let insts = function.blocks[switch].insts.clone();
    let mut readers = SecondaryMap::<Value, Option<Readers>>::with_capacity(None, function.values.len());
    for &inst in &insts {
        if let Some(result) = function.insts[inst].result.expand() {
            readers[result] = Some(Readers::Cases(SmallVec::new()));
        }
    }
    let read = |readers: &mut SecondaryMap<Value, Option<Readers>>, value: Value, case: Option<Block>| {
        if let Some(readers) = &mut readers[value] {
            readers.add(case);
        }
    };
    for (index, &block) in function.block_order.iter().enumerate() {
        let data = &function.blocks[block];
        if block != switch {
            for &inst in &data.insts {
                function.insts[inst].args.iter().for_each(|&arg| read(&mut readers, arg, case_of[index]));
            }
        }
        data.terminator.for_each_value(|value| read(&mut readers, value, case_of[index]));
    }
    // For each case, the operation that has met it last.
    let mut stamp = SecondaryMap::<Block, Option<Inst>>::with_capacity(None, function.blocks.len());
    // Of the last operations first, so that what only moved ones read moves with them.
    let mut moved: Vec<(Inst, SmallVec<[Block; 4]>)> = Vec::new();
    for &inst in insts.iter().rev() {
        let data = &function.insts[inst];
        let mut found = data.result.expand().and_then(|result| readers[result].take());
        if let Some(Readers::Cases(cases)) = &mut found {
            cases.retain(|case| stamp[*case].replace(inst) != Some(inst));
        }
        let goes = match found {
            Some(Readers::Cases(cases)) if data.op.effect() == Effect::Pure && cases.len() <= most => cases,
            _ => SmallVec::new(),
        };
        let is_constant = data.result.expand().is_some_and(|result| function.const_bits(result).is_some());
        if goes.is_empty() || is_constant {
            data.args.iter().for_each(|&arg| read(&mut readers, arg, None));
            continue;
        }
        for &arg in &data.args {
            goes.iter().for_each(|&case| read(&mut readers, arg, Some(case)));
        }
        moved.push((inst, goes));
    }
    if moved.is_empty() {
        return false;
    }
    let copies = copy(function, switch, &moved);
    for (index, &case) in case_of.iter().enumerate() {
        let Some(case) = case else { continue };
        let block = function.block_order[index];
        let rename = |value: &mut Value| {
            if let Some(&copy) = copies.get(&(case, *value)) {
                *value = copy;
            }
        };
        for position in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[position];
            function.insts[inst].args.iter_mut().for_each(rename);
        }
        function.blocks[block].terminator.for_each_value_mut(rename);
    }
    true
}

/// By the place of each block: the case of the switch behind which it lies, if that is entered from the
/// switch only.
fn cases(function: &Function, cfg: &Cfg, switch: Block) -> Vec<Option<Block>> {
    let dominators = Dominators::new(function, cfg);
    let mut case_of = vec![None; function.block_order.len()];
    for &position in dominators.preorder() {
        let block = function.block_order[position as usize];
        case_of[position as usize] = match dominators.idom_position(position) {
            Some(above) if function.block_order[above as usize] == switch => {
                (cfg.preds(block).len() == 1).then_some(block)
            }
            Some(above) => case_of[above as usize],
            None => None,
        };
    }
    case_of
}

/// Puts copies of operations, the last ones first, at the start of cases, and takes the originals away. Gives
/// the copies' results by case and original.
fn copy(
    function: &mut Function,
    switch: Block,
    moved: &[(Inst, SmallVec<[Block; 4]>)],
) -> HashMap<(Block, Value), Value> {
    let mut copies = HashMap::new();
    let mut starts: SecondaryMap<Block, Vec<Inst>> = SecondaryMap::new();
    let mut is_moved = SecondaryMap::<Inst, bool>::with_capacity(false, function.insts.len());
    for (inst, cases) in moved.iter().rev() {
        is_moved[*inst] = true;
        let data = function.insts[*inst].clone();
        let result = data.result.expand().expect("is pure");
        let ty = function.ty(result);
        for &case in cases {
            let args: SmallVec<[Value; 4]> =
                data.args.iter().map(|&arg| copies.get(&(case, arg)).copied().unwrap_or(arg)).collect();
            let copy = function.make_inst(data.op, &args, data.imm, Some(ty), data.loc);
            copies.insert((case, result), function.insts[copy].result.expand().expect("as the original"));
            starts[case].push(copy);
        }
    }
    function.blocks[switch].insts.retain(|&inst| !is_moved[inst]);
    for &block in &function.block_order {
        let insts = std::mem::take(&mut starts[block]);
        if !insts.is_empty() {
            function.blocks[block].insts.splice(0..0, insts);
        }
    }
    copies
}
