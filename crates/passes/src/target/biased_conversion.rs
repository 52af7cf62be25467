//! Integers that are converted to floats, and of which a constant is subtracted then, lose it before.
//!
//! ```text
//! f = utof b              w = zext b
//! x = fsub f, 32.0   ─▶   i = iadd w, -32
//!                         x = stof i
//! ```
//!
//! Weights of few bits are often numbers above a bias. Processors convert integers and add floats in the same
//! units, and there are more units that add integers.
//!
//! Invariants: the integer has 8 or 16 bits, or no others that are set, and the constant is an integer whose
//! bits all fit a float with those of the difference, so nothing is rounded in either form. A difference of
//! zero is positive in both.

use crate::analysis::UseCounts;
use crate::simplify::{BITS_DEPTH, possible_bits};
use crate::target::Target;
use pyro_ir::{Form, Function, Inst, Opcode, Scalar, Type, Value};
use smallvec::SmallVec;

/// What the bias is below, so that all differences are exact.
const BIAS_END: f32 = (1 << 20) as f32;

/// Runs the pass, where code for `target` gains by it. Returns whether anything changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors {
        return false;
    }
    let mut uses = None;
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let found: SmallVec<[(usize, Biased); 16]> = (0..)
            .zip(&function.blocks[block].insts)
            .filter_map(|(place, &inst)| Some((place, biased(function, inst)?)))
            .collect();
        if found.is_empty() {
            continue;
        }
        let uses = uses.get_or_insert_with(|| UseCounts::new(function));
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut found = found.into_iter().peekable();
        let mut out = Vec::with_capacity(insts.len() + 3 * found.len());
        for (place, inst) in insts.into_iter().enumerate() {
            if let Some((_, biased)) = found.next_if(|(at, _)| *at == place)
                && uses.count(biased.converted) == 1
            {
                rewrite(function, inst, &biased, &mut out);
                changed = true;
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// A difference of a converted integer and a constant.
struct Biased {
    /// The float that is converted from it.
    converted: Value,
    integer: Value,
    is_signed: bool,
    bias: i32,
}

fn biased(function: &Function, inst: Inst) -> Option<Biased> {
    let data = &function.insts[inst];
    let is_float = |value: Value| function.ty(value) == Type::varying(Scalar::F32);
    if data.op != Opcode::FSub || !is_float(data.args[0]) {
        return None;
    }
    let bias = f32::from_bits(function.const_bits(data.args[1])? as u32);
    let conversion = function.def_inst(data.args[0])?;
    let is_signed = match conversion.op {
        Opcode::UToF => false,
        Opcode::SToF => true,
        _ => return None,
    };
    let integer = conversion.args[0];
    let is_short = match function.ty(integer).scalar {
        Scalar::I8 | Scalar::I16 => true,
        Scalar::I32 => possible_bits(function, integer, BITS_DEPTH) <= Scalar::I16.mask(),
        _ => false,
    };
    let is_integer = bias.abs() < BIAS_END && bias.fract() == 0.0;
    (is_short && is_integer).then_some(Biased {
        converted: data.args[0],
        integer,
        is_signed,
        bias: bias as i32,
    })
}

fn rewrite(function: &mut Function, inst: Inst, biased: &Biased, out: &mut Vec<Inst>) {
    let loc = function.insts[inst].loc;
    let is_word = function.ty(biased.integer).scalar == Scalar::I32;
    let mut op = |op: Opcode, args: &[Value], imm: u64, ty: Type| {
        let inst = function.make_inst(op, args, imm, Some(ty), loc);
        out.push(inst);
        function.insts[inst].expect_result()
    };
    let (one, all) = (Type::uniform(Scalar::I32), Type::varying(Scalar::I32));
    let extend = if biased.is_signed { Opcode::SignExtend } else { Opcode::ZeroExtend };
    let word = if is_word { biased.integer } else { op(extend, &[biased.integer], 0, all) };
    let less = op(Opcode::Const, &[], u64::from(biased.bias.wrapping_neg() as u32), one);
    let less = op(Opcode::Splat, &[less], 0, all);
    let difference = op(Opcode::IAdd, &[word, less], 0, all);
    let data = &mut function.insts[inst];
    (data.op, data.args) = (Opcode::SToF, SmallVec::from_slice(&[difference]));
}
