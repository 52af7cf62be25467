//! Conversions of sRGB codes become the steps that they stand for, where a table takes longer.
//!
//! ```text
//! v = from_srgb c      ─▶      a polynomial of the root of a sum
//! c = to_srgb v        ─▶      a polynomial of the fourth root
//! ```
//!
//! Tables need gathers, which are many loads one by one on some processors, and slower still on those whose
//! firmware keeps gathers from forwarding stale data. The table of the 256 codes may be looked up by
//! permutations instead.

use crate::target::Target;
use pyro_ir::{Block, Builder, Form, Function, Inst, Opcode, Type, Value};
use pyro_library::{Ops, texel};
use std::collections::HashMap;

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let converts = |function: &Function, inst: Inst| {
        let data = &function.insts[inst];
        match data.op {
            Opcode::FromSrgb => !target.permutes_tables || !function.ty(data.args[0]).is_varying(),
            op => op == Opcode::ToSrgb,
        }
    };
    if target.fast_gathers {
        return false;
    }
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        if !function.blocks[block].insts.iter().any(|&inst| converts(function, inst)) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut builder = Builder::new(function);
        builder.switch_to(block);
        let mut splats = HashMap::default();
        for inst in insts {
            if converts(builder.function, inst) {
                expand(&mut builder, inst, &mut splats);
            }
            builder.function.blocks[block].insts.push(inst);
        }
    }
    changed
}

/// Appends the steps of a conversion, whose instruction becomes another name of what they give. `splats`: of
/// constants of the block.
fn expand(b: &mut Builder, inst: Inst, splats: &mut HashMap<Value, Value>) {
    let (op, arg) = (b.function.insts[inst].op, b.function.insts[inst].args[0]);
    b.loc = b.function.insts[inst].loc;
    let block = b.block();
    let first = b.function.blocks[block].insts.len();
    let value = if op == Opcode::FromSrgb { from_srgb(b, arg) } else { to_srgb(b, arg) };
    if b.function.ty(arg).is_varying() {
        spread(b.function, block, first, splats);
    }
    let data = &mut b.function.insts[inst];
    data.op = Opcode::Bitcast;
    data.args[0] = value;
}

/// Makes all of a block's instructions from `first` on varying: those of the library are written for lane
/// form, which knows no other values.
fn spread(function: &mut Function, block: Block, first: usize, splats: &mut HashMap<Value, Value>) {
    let steps = function.blocks[block].insts.split_off(first);
    for inst in steps {
        let data = &mut function.insts[inst];
        let (op, loc, result) = (data.op, data.loc, data.result.expand());
        data.args.iter_mut().for_each(|arg| *arg = splats.get(arg).copied().unwrap_or(*arg));
        function.blocks[block].insts.push(inst);
        let Some(value) = result else { continue };
        let ty = Type::varying(function.ty(value).scalar);
        if op == Opcode::Const {
            let splat = function.make_inst(Opcode::Splat, &[value], 0, Some(ty), loc);
            function.blocks[block].insts.push(splat);
            splats.insert(value, function.insts[splat].expect_result());
        } else {
            function.values[value].ty = ty;
        }
    }
}

fn from_srgb(b: &mut Builder, word: Value) -> Value {
    let low = b.i32(0xff);
    let code = b.and(word, low);
    let encoded = texel::unorm_to_float(b, code, 8);
    texel::srgb_to_linear(b, encoded)
}

fn to_srgb(b: &mut Builder, linear: Value) -> Value {
    let encoded = texel::linear_to_srgb(b, linear);
    texel::float_to_unorm(b, encoded, 8)
}
