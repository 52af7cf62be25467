//! Two neighbouring 16-bit elements that all lanes read become one word in all lanes, of which each lane
//! takes its parts.
//!
//! ```text
//! a: i16 = load p                        w: i32 = load p
//! b: i16 = load p + 2                    v: <i32> = splat w         one load that broadcasts
//! x: f32 = from_bf16 a       becomes     x: <f32> = from_bf16 (trunc v)
//! y: f32 = from_bf16 b                   y: <f32> = from_bf16 (trunc (v >> 16))
//! splat x; splat y
//! ```
//!
//! On the left each number passes through a general register and is broadcast from a vector's first element:
//! five instructions, of which three want the unit that shuffles. On the right a shift or a mask of all lanes
//! is left of that. What anything but a `splat` reads stays as it is, as does what lies in different blocks.

use crate::analysis::UseCounts;
use crate::target::Target;
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// Bits of an element.
const BITS: u64 = 16;
/// Bytes of an element.
const BYTES: i32 = 2;

/// What both loads have in common: base, offset, predicate and space.
type Key = (Value, Value, Value, Space);

/// A load of an element, and the conversion that alone reads it.
#[derive(Clone, Copy)]
struct Element {
    load: Inst,
    memory: MemoryOp,
    number: Value,
}

/// Runs the pass on a function in mask form, where code for `target` gains by it. Returns whether anything
/// changed.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors || !function.insts.values().any(|data| data.op == Opcode::FromBfloat) {
        return false;
    }
    let uses = UseCounts::new(function);
    // By number: the splats of it.
    let mut splats: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    // By element: the conversion.
    let mut numbers = SecondaryMap::<Value, Option<Value>>::with_capacity(None, function.values.len());
    for inst in function.block_order.iter().flat_map(|&block| &function.blocks[block].insts) {
        let data = &function.insts[*inst];
        match data.op {
            Opcode::Splat => splats.entry(data.args[0]).or_default().push(*inst),
            Opcode::FromBfloat => numbers[data.args[0]] = data.result.expand(),
            _ => {}
        }
    }
    let mut changed = false;
    for block in function.block_order.clone() {
        for pair in pairs(function, block, |function, inst| {
            let data = &function.insts[inst];
            let element = data.result.expand().filter(|_| data.op == Opcode::Load)?;
            let memory = MemoryOp::from_imm(data.imm);
            let number = numbers[element].filter(|_| uses.count(element) == 1)?;
            let is_alike = function.ty(element) == Type::uniform(Scalar::I16) && !memory.volatile;
            let readers = splats.get(&number).map_or(0, Vec::len) as u32;
            (is_alike && readers > 0 && uses.count(number) == readers).then_some(Element {
                load: inst,
                memory,
                number,
            })
        }) {
            replace(function, block, &pair, &splats);
            changed = true;
        }
    }
    changed
}

/// The pairs of a block, the lower element first, without a write to their memory between them.
fn pairs(
    function: &Function,
    block: Block,
    element: impl Fn(&Function, Inst) -> Option<Element>,
) -> Vec<[Element; 2]> {
    let mut open: FxHashMap<Key, Vec<Element>> = FxHashMap::default();
    let mut found = Vec::new();
    for &inst in &function.blocks[block].insts {
        let data = &function.insts[inst];
        match data.op.effect() {
            Effect::Write if data.op.is_memory() => {
                let space = MemoryOp::from_imm(data.imm).space;
                open.retain(|key, _| key.3 != space);
            }
            Effect::Write | Effect::Barrier => open.clear(),
            _ => {}
        }
        let Some(own) = element(function, inst) else { continue };
        let key = (data.args[0], data.args[1], data.args[2], own.memory.space);
        let others = open.entry(key).or_default();
        let distance = |other: &Element| other.memory.displacement.checked_sub(own.memory.displacement);
        match others.iter().position(|other| distance(other).is_some_and(|bytes| bytes.abs() == BYTES)) {
            Some(place) => {
                let other = others.swap_remove(place);
                let is_lower = other.memory.displacement < own.memory.displacement;
                found.push(if is_lower { [other, own] } else { [own, other] });
            }
            None => others.push(own),
        }
    }
    found
}

/// Puts the load of a word where the first of both is, and lets the splats be its parts.
fn replace(function: &mut Function, block: Block, pair: &[Element; 2], splats: &FxHashMap<Value, Vec<Inst>>) {
    let insts = &function.blocks[block].insts;
    let at = insts.iter().position(|&inst| pair.iter().any(|element| element.load == inst));
    let at = at.expect("both are in the block");
    let first = insts[at];
    let (args, loc) = (function.insts[first].args.clone(), function.insts[first].loc);
    let memory =
        MemoryOp { speculatable: pair.iter().all(|element| element.memory.speculatable), ..pair[0].memory };
    let mut new = Vec::new();
    let mut make = |function: &mut Function, op, args: &[Value], imm, ty| {
        let inst = function.make_inst(op, args, imm, Some(ty), loc);
        new.push(inst);
        function.insts[inst].expect_result()
    };
    let (one, all) = (Type::uniform(Scalar::I32), Type::varying(Scalar::I32));
    let word = make(function, Opcode::Load, &args, memory.to_imm(), one);
    let word = make(function, Opcode::Splat, &[word], 0, all);
    let count = make(function, Opcode::Const, &[], BITS, one);
    let count = make(function, Opcode::Splat, &[count], 0, all);
    let high = make(function, Opcode::LShr, &[word, count], 0, all);
    let parts =
        [word, high].map(|part| make(function, Opcode::Truncate, &[part], 0, Type::varying(Scalar::I16)));
    for (element, part) in pair.iter().zip(parts) {
        for &splat in &splats[&element.number] {
            let data = &mut function.insts[splat];
            data.op = Opcode::FromBfloat;
            data.args = [part].into_iter().collect();
        }
    }
    function.blocks[block].insts.splice(at..at, new);
}
