//! Flags that stay what they are: parameters of blocks, of one bit or byte, that have one constant wherever
//! they come from.
//!
//! A loop that carries a flag along computes the next one from the last: `flag(0): next = flag ? 1 : 0`. Only
//! who takes it for zero at first sees that it stays zero. So all such parameters begin as *unseen* here, and
//! get what reaches them from blocks before, until nothing changes: sparse constant propagation, in which
//! every edge counts. The sanitizer's notes of what is undefined are such flags, and so are many `done`.
//!
//! Lane form.

use crate::branch_fold::replace_all;
use pyro_ir::{Effect, Form, Function, Opcode, Scalar, Value, ValueDef, eval};
use pyro_util::{PackedOption, SecondaryMap};
use rustc_hash::FxHashMap;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;

/// What a value is known to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Nothing has reached it yet.
    Unseen,
    Bits(u64),
    Varies,
}

impl Known {
    fn meet(self, other: Known) -> Known {
        match (self, other) {
            (Known::Unseen, known) | (known, Known::Unseen) => known,
            (Known::Bits(one), Known::Bits(other)) if one == other => self,
            _ => Known::Varies,
        }
    }
}

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let mut params = candidates(function);
    if params.is_empty() {
        return false;
    }
    while propagate(function, &mut params) {}
    let mut changed = false;
    let mut constants = SecondaryMap::<Value, PackedOption<Value>>::with_capacity(
        PackedOption::default(),
        function.values.len(),
    );
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let mut made = Vec::new();
        for param in function.blocks[block].params.clone() {
            let Some(&Known::Bits(bits)) = params.get(&param) else { continue };
            let ty = function.ty(param);
            let loc = function.blocks[block].insts.first().map(|&inst| function.insts[inst].loc);
            let inst = function.make_inst(Opcode::Const, &[], bits, Some(ty), loc.unwrap_or_default());
            constants[param] = function.insts[inst].expect_result().into();
            changed = true;
            made.push(inst);
        }
        function.blocks[block].insts.splice(0..0, made);
    }
    if changed {
        replace_all(function, &mut constants);
    }
    changed
}

/// The parameters that some edge gives a constant, and that are of one bit or byte.
fn candidates(function: &Function) -> FxHashMap<Value, Known> {
    let mut found = FxHashMap::default();
    for &block in &function.block_order {
        for target in function.blocks[block].terminator.targets() {
            let params = &function.blocks[target.block].params;
            for (&param, &arg) in params.iter().zip(&target.args) {
                let is_flag = matches!(function.ty(param).scalar, Scalar::I1 | Scalar::I8);
                if is_flag && function.const_bits(arg).is_some() {
                    found.insert(param, Known::Unseen);
                }
            }
        }
    }
    found
}

/// Takes what all edges give once. Returns whether something is known otherwise then.
fn propagate(function: &Function, params: &mut FxHashMap<Value, Known>) -> bool {
    let mut changed = false;
    for &block in &function.block_order {
        for target in function.blocks[block].terminator.targets() {
            for (param, &arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                let Some(&before) = params.get(param).filter(|&&known| known != Known::Varies) else {
                    continue;
                };
                let after = before.meet(evaluate(function, params, arg, DEPTH));
                if after != before {
                    params.insert(*param, after);
                    changed = true;
                }
            }
        }
    }
    changed
}

fn evaluate(function: &Function, params: &FxHashMap<Value, Known>, value: Value, depth: u32) -> Known {
    if let Some(bits) = function.const_bits(value) {
        return Known::Bits(bits);
    }
    let ValueDef::Inst(inst) = function.values[value].def else {
        return params.get(&value).copied().unwrap_or(Known::Varies);
    };
    let data = &function.insts[inst];
    if depth == 0 || data.op.effect() != Effect::Pure || data.args.is_empty() || data.args.len() > 3 {
        return Known::Varies;
    }
    let mut known = [Known::Unseen; 3];
    for (known, &arg) in known.iter_mut().zip(&data.args) {
        *known = evaluate(function, params, arg, depth - 1);
    }
    let known = &known[..data.args.len()];
    match (data.op, known) {
        // One operand is enough.
        (Opcode::And, [Known::Bits(0), _] | [_, Known::Bits(0)]) | (Opcode::AndNot, [Known::Bits(0), _]) => {
            return Known::Bits(0);
        }
        (Opcode::Or, [Known::Bits(1), _] | [_, Known::Bits(1)])
            if function.ty(value).scalar == Scalar::I1 =>
        {
            return Known::Bits(1);
        }
        (Opcode::Select, &[Known::Bits(bits), then, otherwise]) => {
            return if bits & 1 != 0 { then } else { otherwise };
        }
        (Opcode::Select, &[Known::Varies, then, otherwise]) => return then.meet(otherwise),
        _ => {}
    }
    let mut bits = [0; 3];
    for (bits, known) in bits.iter_mut().zip(known) {
        match known {
            Known::Bits(known) => *bits = *known,
            Known::Varies => return Known::Varies,
            Known::Unseen => {}
        }
    }
    if known.contains(&Known::Unseen) {
        return Known::Unseen;
    }
    let from = function.ty(data.args[data.args.len() - 1]).scalar;
    let result = eval::pure(data.op, from, function.ty(value).scalar, &bits[..known.len()], data.imm);
    result.map_or(Known::Varies, Known::Bits)
}
