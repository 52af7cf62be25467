//! Dead code: instructions, and block parameters, that nothing with an effect depends on.
//!
//! Everything is dead until shown to be live, starting from instructions with effects and from terminators'
//! conditions, so a parameter that only feeds itself around a loop goes too. An argument on an edge is live
//! when the parameter is.

use crate::analysis::Cfg;
use pyro_ir::{Effect, Function, Inst, InstData, MemoryOp, Value, ValueDef};
use pyro_util::SecondaryMap;

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let live = find_live(function);
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = &mut function.blocks[block].insts;
        let before = insts.len();
        insts.retain(|&inst| live.stays[inst]);
        changed |= insts.len() != before;

        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        for target in terminator.targets_mut().filter(|target| !target.args.is_empty()) {
            let params = &function.blocks[target.block].params;
            let mut position = 0;
            target.args.retain(|_| {
                position += 1;
                live.is_live(params[position - 1])
            });
        }
        function.blocks[block].terminator = terminator;
    }
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let params = &mut function.blocks[block].params;
        let before = params.len();
        params.retain(|&param| live.is_live(param));
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

/// What is known of the program.
struct Marks {
    /// Of values whether they are live, and whether their definition has been met.
    values: SecondaryMap<Value, u8>,
    /// Instructions that stay.
    stays: SecondaryMap<Inst, bool>,
}

const LIVE: u8 = 1;
const MET: u8 = 2;

impl Marks {
    fn is_live(&self, value: Value) -> bool {
        self.values[value] & LIVE != 0
    }

    fn set_live(&mut self, value: Value) {
        self.values[value] |= LIVE;
    }

    /// Meets a definition; whether it is live.
    fn meet(&mut self, value: Value) -> bool {
        self.values[value] |= MET;
        self.is_live(value)
    }
}

/// Goes backwards through the blocks once. Definitions come before their uses in the order, so all that is
/// live is marked before it is met, but for what goes round a loop: that is followed, as far as definitions
/// have been met. What unreachable blocks use is live.
fn find_live(function: &Function) -> Marks {
    let cfg = Cfg::new(function);
    let mut marks = Marks {
        values: SecondaryMap::with_capacity(0, function.values.len()),
        stays: SecondaryMap::with_capacity(false, function.insts.len()),
    };
    for &block in function.block_order.iter().filter(|&&block| !cfg.is_reachable(block)) {
        let data = &function.blocks[block];
        let args = data.insts.iter().flat_map(|&inst| &function.insts[inst].args);
        args.for_each(|&arg| marks.set_live(arg));
        data.terminator.for_each_value(|value| marks.set_live(value));
    }
    let mut work = Vec::new();
    for (index, &block) in function.block_order.iter().enumerate().rev() {
        let data = &function.blocks[block];
        if let Some(operand) = data.terminator.operand() {
            marks.set_live(operand);
        }
        for target in data.terminator.targets() {
            for (&param, &arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                if marks.is_live(param) {
                    marks.set_live(arg);
                }
            }
        }
        for &inst in data.insts.iter().rev() {
            let data = &function.insts[inst];
            if data.result.expand().is_some_and(|result| marks.meet(result)) || has_effect(data) {
                marks.stays[inst] = true;
                data.args.iter().for_each(|&arg| marks.set_live(arg));
            }
        }
        for &param in &data.params {
            marks.meet(param);
        }
        // Sources on edges from blocks that have been gone through.
        let back = cfg.preds(block).iter().filter(|edge| cfg.position(edge.from) as usize >= index);
        for edge in back {
            let call = function.blocks[edge.from].terminator.target(edge.ordinal).expect("an edge");
            for (position, &param) in data.params.iter().enumerate() {
                if marks.is_live(param) {
                    work.push(call.args[position]);
                    follow(function, &cfg, &mut marks, &mut work);
                }
            }
        }
    }
    marks
}

/// Marks values and all that they depend on, as far as definitions have been met: others will be.
fn follow(function: &Function, cfg: &Cfg, marks: &mut Marks, work: &mut Vec<Value>) {
    while let Some(value) = work.pop() {
        let before = marks.values[value];
        marks.set_live(value);
        if before != MET {
            continue;
        }
        match function.values[value].def {
            ValueDef::Inst(inst) => {
                marks.stays[inst] = true;
                work.extend(&function.insts[inst].args);
            }
            ValueDef::Param(block, position) => {
                for edge in cfg.preds(block) {
                    let call = function.blocks[edge.from].terminator.target(edge.ordinal).expect("an edge");
                    work.push(call.args[position as usize]);
                }
            }
        }
    }
}
