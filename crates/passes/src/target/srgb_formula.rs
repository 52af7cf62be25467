//! Conversions of sRGB codes become the steps that they stand for, where a table takes longer.
//!
//! ```text
//! v = from_srgb c      ─▶      a polynomial of the root of a sum
//! c = to_srgb v        ─▶      a polynomial of the fourth root
//! ```
//!
//! Tables need gathers, which are many loads one by one on some processors, and slower still on those whose
//! firmware keeps gathers from forwarding stale data.

use crate::target::Target;
use pyro_ir::{Builder, Form, Function, Inst, Opcode, Value};
use pyro_library::{Ops, texel};

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let converts = |function: &Function, inst: Inst| {
        matches!(function.insts[inst].op, Opcode::FromSrgb | Opcode::ToSrgb)
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
        for inst in insts {
            if converts(builder.function, inst) {
                expand(&mut builder, inst);
            }
            builder.function.blocks[block].insts.push(inst);
        }
    }
    changed
}

/// Appends the steps of a conversion, whose instruction becomes another name of what they give.
fn expand(b: &mut Builder, inst: Inst) {
    let (op, arg) = (b.function.insts[inst].op, b.function.insts[inst].args[0]);
    b.loc = b.function.insts[inst].loc;
    let value = if op == Opcode::FromSrgb { from_srgb(b, arg) } else { to_srgb(b, arg) };
    let data = &mut b.function.insts[inst];
    data.op = Opcode::Bitcast;
    data.args[0] = value;
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
