//! Private variables: slots become SSA values or scratch memory. Lane form.
//!
//! [`promote`] looks for slots that are only accessed at constant offsets. Accesses that overlap have the
//! same offset and size ([`pyro_ir::SlotData`]), so each offset of such a slot is a variable of its own, and
//! [`Renamer`] finds the values that its reads see. Where reads and writes use different types of one size,
//! the variable has the type of the first access, and the others `bitcast`. A read before any write is zero.
//!
//! [`lower`] promotes, and puts the other slots into scratch memory. A subgroup's scratch memory holds the
//! lanes interleaved: the scalar of `s` bytes at byte `o` of a slot lies, for one lane, at
//! `slot start + o * lanes + lane * s`. Since overlapping accesses agree in `o` and `s`, no two lanes and no
//! two variables share a byte, and an access at the same offset in all lanes is consecutive in memory. Offsets
//! are limited to the slot, so memory outside it is safe from whatever the program computes.
//! Scratch memory is not cleared: what a read before any write gives there is undefined.
//!
//! A slot that a `slot_call` uses is a call record (`pyro_abi::image::record`), so it always lies in scratch
//! memory. The call becomes stores of the record's header (the lanes that are here, image and sampler) and a
//! `call` with the record's address. Rows are stored for all lanes, active or not: a record's rows are read
//! right behind the call, by the lanes that called, and the derivatives that an image function takes may be
//! those of a quad of which some lanes have ended. Slots that keep what other lanes have ([`pyro_ir::SlotData::keeps`]) are
//! written by active lanes only.

use crate::fast_map::MixBuild;
use crate::rename::Renamer;
use crate::ssa::Variable;
use crate::{PassError, prune};
use pyro_abi::context::offset;
use pyro_abi::image::record;
use pyro_ir::{
    Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Signature, Slot, SourceLoc, Space, Type, Value,
    ValueData, ValueDef,
};
use pyro_util::SecondaryMap;
use std::collections::HashMap;

/// The most scratch memory that one subgroup may have, in bytes.
pub const MAX_SCRATCH_BYTES: u64 = 1 << 28;

/// Turns slots accessed only at constant offsets into SSA values. Returns whether anything changed.
pub fn promote(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    if function.slots.is_empty() {
        return false;
    }
    prune::run(function);
    let Some(promotable) = find_promotable(function) else { return false };

    let mut renamer = Renamer::new();
    let mut variables = Variables::default();
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        renamer.enter_block(block);
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &function.insts[inst];
            let is_load = match data.op.signature() {
                Signature::SlotLoad => true,
                Signature::SlotStore => false,
                _ => return true,
            };
            let slot = Slot::from_u32(data.imm as u32);
            if !promotable[slot] {
                return true;
            }
            let at = function.const_bits(data.args[0]).expect("offsets are constant");
            let value = if is_load { data.result.unwrap() } else { data.args[1] };
            let scalar = function.ty(value).scalar;
            let (variable, holds) = variables.get(slot, at, scalar, &mut renamer);
            if holds == scalar {
                if is_load {
                    renamer.read_as(variable, value);
                } else {
                    renamer.write(variable, value);
                }
                return false;
            }
            // The access becomes the conversion.
            let from = if is_load { renamer.read(function, variable) } else { value };
            let result = if is_load {
                value
            } else {
                let ty = Type::varying(holds);
                let result = function.values.push(ValueData { ty, def: ValueDef::Inst(inst) });
                renamer.write(variable, result);
                result
            };
            let data = &mut function.insts[inst];
            data.op = Opcode::Bitcast;
            data.args = smallvec::smallvec![from];
            data.imm = 0;
            data.result = result.into();
            true
        });
        function.blocks[block].insts = insts;
    }
    renamer.finish(function);
    true
}

/// The variables that slots hold: each slot's first, and those at other offsets.
#[derive(Default)]
struct Variables {
    first: SecondaryMap<Slot, Option<(u64, Variable, Scalar)>>,
    others: HashMap<(Slot, u64), (Variable, Scalar), MixBuild>,
}

impl Variables {
    /// The variable at an offset, and what it holds: `scalar`, where it is new.
    fn get(&mut self, slot: Slot, at: u64, scalar: Scalar, renamer: &mut Renamer) -> (Variable, Scalar) {
        match self.first[slot] {
            Some((offset, variable, holds)) if offset == at => (variable, holds),
            Some(_) => *self
                .others
                .entry((slot, at))
                .or_insert_with(|| (renamer.declare(Type::varying(scalar)), scalar)),
            None => {
                let variable = renamer.declare(Type::varying(scalar));
                self.first[slot] = Some((at, variable, scalar));
                (variable, scalar)
            }
        }
    }
}

/// The slots that every access addresses by a constant and no call uses; `None` when there are none, or no access at all.
fn find_promotable(function: &Function) -> Option<SecondaryMap<Slot, bool>> {
    let mut promotable = SecondaryMap::with_capacity(true, function.slots.len());
    let mut accessed = SecondaryMap::with_capacity(false, function.slots.len());
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            match data.op.signature() {
                Signature::SlotLoad | Signature::SlotStore => {
                    let slot = Slot::from_u32(data.imm as u32);
                    accessed[slot] = true;
                    promotable[slot] &= function.const_bits(data.args[0]).is_some();
                }
                Signature::SlotCall => promotable[Slot::from_u32(data.imm as u32)] = false,
                _ => {}
            }
        }
    }
    function.slots.keys().any(|slot| accessed[slot] && promotable[slot]).then_some(promotable)
}

/// Turns all slots into SSA values or scratch memory, and sets [`Function::scratch_bytes`].
///
/// # Errors
/// [`PassError::ScratchTooLarge`] when the slots need more than [`MAX_SCRATCH_BYTES`].
pub fn lower(function: &mut Function) -> Result<(), PassError> {
    promote(function);
    let Some((places, is_record)) = lay_out(function)? else { return Ok(()) };
    let entry = function.entry();
    let make = |function: &mut Function, op, args: &[Value], imm, scalar| {
        let inst = function.make_inst(op, args, imm, Some(Type::varying(scalar)), SourceLoc::default());
        (inst, function.insts[inst].result.unwrap())
    };
    // Where all accesses start from, computed once.
    let mut prologue = Vec::new();
    let mut define = |function: &mut Function, op, args: &[Value], imm, scalar| {
        let (inst, value) = make(function, op, args, imm, scalar);
        prologue.push(inst);
        value
    };
    let context = define(function, Opcode::Arg, &[], 1, Scalar::I64);
    let zero = define(function, Opcode::Const, &[], 0, Scalar::I32);
    let always = define(function, Opcode::Const, &[], 1, Scalar::I1);
    let field = MemoryOp::new(Space::Context).at(offset::SCRATCH as i32).speculatable();
    let base = define(function, Opcode::Load, &[context, zero, always], field.to_imm(), Scalar::I64);
    let lane = define(function, Opcode::LaneId, &[], 0, Scalar::I32);
    let lanes = function.lanes;

    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let (op, imm, at) = {
                let data = &function.insts[inst];
                (data.op, data.imm, data.args.first().copied())
            };
            if op == Opcode::SlotCall {
                lower_call(
                    function,
                    &mut out,
                    inst,
                    places[Slot::from_u32(imm as u32)],
                    [base, zero, always],
                );
                continue;
            }
            if !matches!(op, Opcode::SlotLoad | Opcode::SlotStore) {
                out.push(inst);
                continue;
            }
            let at = at.expect("slot accesses have an offset");
            let slot = Slot::from_u32(imm as u32);
            let stored = function.insts[inst].args.get(1).copied();
            let typed = stored.or(function.insts[inst].result.expand()).expect("a value");
            let size = function.ty(typed).scalar.bytes();
            let loc = function.insts[inst].loc;
            let mut emit = |function: &mut Function, op, args: &[Value], imm: u64| {
                let inst = function.make_inst(op, args, imm, Some(Type::varying(Scalar::I32)), loc);
                out.push(inst);
                function.insts[inst].result.unwrap()
            };
            let constant = function.const_bits(at);
            let last = function.slots[slot].bytes.saturating_sub(size);
            let step = emit(function, Opcode::Const, &[], size.into());
            let own = emit(function, Opcode::IMul, &[lane, step], 0);
            let (address, displacement) = match constant {
                // The lanes lie one behind the other: the rest is displacement.
                Some(at) => (own, (at as u32).min(last) * lanes),
                None => {
                    let last = emit(function, Opcode::Const, &[], last.into());
                    let limited = emit(function, Opcode::UMin, &[at, last], 0);
                    let spread = emit(function, Opcode::Const, &[], lanes.into());
                    let scaled = emit(function, Opcode::IMul, &[limited, spread], 0);
                    (emit(function, Opcode::IAdd, &[scaled, own], 0), 0)
                }
            };
            let mut memory = MemoryOp::new(Space::Scratch).at((places[slot] + displacement) as i32);
            memory.speculatable = stored.is_some() && is_record[slot];
            let data = &mut function.insts[inst];
            data.imm = memory.to_imm();
            match stored {
                Some(value) => {
                    data.op = Opcode::Store;
                    data.args = smallvec::smallvec![base, address, value, always];
                }
                None => {
                    data.op = Opcode::Load;
                    data.args = smallvec::smallvec![base, address, always];
                }
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    function.blocks[entry].insts.splice(0..0, prologue);
    Ok(())
}

/// Writes the header of the call record at `place` of scratch memory (at `base`), and calls.
fn lower_call(
    function: &mut Function,
    out: &mut Vec<Inst>,
    inst: Inst,
    place: u32,
    [base, zero, always]: [Value; 3],
) {
    let loc = function.insts[inst].loc;
    let args = function.insts[inst].args.clone();
    let reads_only = function.insts[inst].imm & InstData::CALL_READS_ONLY;
    let mut emit = |function: &mut Function, op: Opcode, args: &[Value], imm: u64, scalar| {
        let ty = op.has_result().then_some(Type::varying(scalar));
        let inst = function.make_inst(op, args, imm, ty, loc);
        out.push(inst);
        function.insts[inst].result.expand().unwrap_or(Value::RESERVED)
    };
    let active = emit(function, Opcode::Active, &[], 0, Scalar::I1);
    let lanes = emit(function, Opcode::Ballot, &[active], 0, Scalar::I64);
    let fields = [(record::IMAGE, args[1]), (record::SAMPLER, args[2]), (record::ACTIVE_LANES, lanes)];
    for (field, value) in fields {
        let memory = MemoryOp::new(Space::Scratch).at((place + field) as i32);
        emit(function, Opcode::Store, &[base, zero, value, always], memory.to_imm(), Scalar::I64);
    }
    let place = emit(function, Opcode::Const, &[], place.into(), Scalar::I64);
    let address = emit(function, Opcode::IAdd, &[base, place], 0, Scalar::I64);
    emit(function, Opcode::Call, &[args[0], address], reads_only, Scalar::I64);
}

/// Where slots lie in scratch memory, and which of them are call records.
type Places = (SecondaryMap<Slot, u32>, SecondaryMap<Slot, bool>);

/// Gives each slot that is still accessed its place in scratch memory; and which of them are call records.
fn lay_out(function: &mut Function) -> Result<Option<Places>, PassError> {
    let mut is_record = SecondaryMap::with_capacity(false, function.slots.len());
    let mut accessed = SecondaryMap::with_capacity(false, function.slots.len());
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if matches!(data.op, Opcode::SlotLoad | Opcode::SlotStore | Opcode::SlotCall) {
                accessed[Slot::from_u32(data.imm as u32)] = true;
                let slot = Slot::from_u32(data.imm as u32);
                is_record[slot] |= data.op == Opcode::SlotCall && !function.slots[slot].keeps;
            }
        }
    }
    let mut places = SecondaryMap::with_capacity(0, function.slots.len());
    let mut end = u64::from(function.scratch_bytes);
    let mut any = false;
    for (slot, data) in function.slots.iter() {
        if !accessed[slot] {
            continue;
        }
        any = true;
        let start = end.next_multiple_of(64);
        // Room for one scalar at least, since accesses to an empty slot are limited to its start.
        end = start + u64::from(data.bytes.max(8)) * u64::from(function.lanes);
        if end > MAX_SCRATCH_BYTES {
            return Err(PassError::ScratchTooLarge { bytes: end, limit: MAX_SCRATCH_BYTES });
        }
        places[slot] = start as u32;
    }
    function.scratch_bytes = end.next_multiple_of(64) as u32;
    Ok(any.then_some((places, is_record)))
}
