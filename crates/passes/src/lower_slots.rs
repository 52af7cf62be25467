//! Private variables that need memory: slots become accesses of scratch memory. Lane form.
//!
//! [`run`] first runs [`sroa`], and puts the remaining slots into scratch memory. A subgroup's scratch memory
//! holds the lanes interleaved: the scalar of `s` bytes at byte `o` of a slot lies, for one lane, at `slot
//! start + o * lanes + lane * s`. Since overlapping accesses agree in `o` and `s`, no two lanes and no two
//! variables share a byte, and an access at the same offset in all lanes is consecutive in memory. Offsets
//! are clamped to the slot, so memory outside it is safe from whatever the program computes. Scratch memory
//! is not cleared: a read before any write gives undefined bits.
//!
//! A slot that a `slot_call` uses is a call record (`pyro_abi::image::record`), so it always lies in scratch
//! memory. The call becomes stores of the record's header (the active lanes, image and sampler) and a `call`
//! with the record's address. Columns are stored for all lanes, active or not: a record's columns are read
//! directly after the call, by the lanes that called, and the derivatives that an image function takes may be
//! those of a quad of which some lanes have ended. Slots that preserve inactive lanes
//! ([`pyro_ir::SlotData::keeps`]) are written by active lanes only.

use crate::report_lowering::report;
use crate::track_lowering::track;
use crate::{PassError, sroa};
use pyro_abi::context::offset;
use pyro_abi::image::record as image_record;
use pyro_abi::report::record;
use pyro_ir::{Function, Inst, InstData, MemoryOp, Opcode, Scalar, Slot, SourceLoc, Space, Type, Value};
use pyro_util::SecondaryMap;

/// The most scratch memory that one subgroup may have, in bytes.
pub const SCRATCH_BYTES_MAX: u64 = 1 << 28;

/// Turns all slots into SSA values or scratch memory, and sets [`Function::scratch_bytes`].
///
/// # Errors
/// [`PassError::ScratchTooLarge`] when the slots need more than [`SCRATCH_BYTES_MAX`].
#[allow(clippy::too_many_lines, reason = "the forms of an access to a slot, one after the other")]
pub fn run(function: &mut Function) -> Result<(), PassError> {
    sroa::run(function);
    let Some((places, is_record, reports)) = lay_out_all(function)? else { return Ok(()) };
    let entry = function.entry();
    let make = |function: &mut Function, op, args: &[Value], imm, scalar| {
        let inst = function.make_inst(op, args, imm, Some(Type::varying(scalar)), SourceLoc::default());
        (inst, function.insts[inst].expect_result())
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
    if let Some(place) = reports {
        let place = define(function, Opcode::Const, &[], place.into(), Scalar::I64);
        let record = define(function, Opcode::IAdd, &[base, place], 0, Scalar::I64);
        set_record(function, record);
    }

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
                function.insts[inst].expect_result()
            };
            let constant = function.const_bits(at);
            let last = function.slots[slot].bytes.saturating_sub(size);
            let step = emit(function, Opcode::Const, &[], size.into());
            let own = emit(function, Opcode::IMul, &[lane, step], 0);
            let (address, displacement) = match constant {
                // The lanes lie one behind the other: the rest is displacement.
                Some(at) => (own, (at as u32).min(last) * lanes),
                None => {
                    // Components of one element share what is computed: the rest is displacement.
                    let (at, distance) = split(function, at, last);
                    let last = emit(function, Opcode::Const, &[], (last - distance).into());
                    let limited = emit(function, Opcode::UMin, &[at, last], 0);
                    let spread = emit(function, Opcode::Const, &[], lanes.into());
                    let scaled = emit(function, Opcode::IMul, &[limited, spread], 0);
                    (emit(function, Opcode::IAdd, &[scaled, own], 0), distance * lanes)
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

/// An offset in a slot as a dynamic part and a constant up to `last`. The dynamic part is made of indices
/// that have been limited, so it is below the slot's size, and the sum is as well.
fn split(function: &Function, at: Value, last: u32) -> (Value, u32) {
    let sum = function.def_inst(at).filter(|data| data.op == Opcode::IAdd);
    let constant = |data: &InstData, index: usize| {
        let constant = function.const_bits(data.args[index]).filter(|&bits| bits <= u64::from(last))?;
        Some((data.args[1 - index], constant as u32))
    };
    sum.and_then(|data| constant(data, 1).or_else(|| constant(data, 0))).unwrap_or((at, 0))
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
    let flags = function.insts[inst].imm & InstData::CALL_FLAGS;
    let mut emit = |function: &mut Function, op: Opcode, args: &[Value], imm: u64, scalar| {
        let ty = op.has_result().then_some(Type::varying(scalar));
        let inst = function.make_inst(op, args, imm, ty, loc);
        out.push(inst);
        function.insts[inst].result.expand().unwrap_or(Value::RESERVED)
    };
    let active = emit(function, Opcode::Active, &[], 0, Scalar::I1);
    let lanes = emit(function, Opcode::Ballot, &[active], 0, Scalar::I64);
    let fields =
        [(image_record::IMAGE, args[1]), (image_record::SAMPLER, args[2]), (record::ACTIVE_LANES, lanes)];
    for (field, value) in fields {
        let memory = MemoryOp::new(Space::Scratch).at((place + field) as i32);
        emit(function, Opcode::Store, &[base, zero, value, always], memory.to_imm(), Scalar::I64);
    }
    let place = emit(function, Opcode::Const, &[], place.into(), Scalar::I64);
    let address = emit(function, Opcode::IAdd, &[base, place], 0, Scalar::I64);
    emit(function, Opcode::Call, &[args[0], address], flags, Scalar::I64);
}

/// [`lay_out`], and the place of the call record of reports.
type All = (SecondaryMap<Slot, u32>, SecondaryMap<Slot, bool>, Option<u32>);

/// Gives all that needs it its place in scratch memory.
fn lay_out_all(function: &mut Function) -> Result<Option<All>, PassError> {
    let reports = place_reports(function)?;
    let slots = lay_out(function)?;
    let is_needed = slots.is_some() || reports.is_some();
    let (places, is_record) = slots.unwrap_or_default();
    Ok(is_needed.then_some((places, is_record, reports)))
}

/// Tells reports and accesses that are followed where their call record is.
fn set_record(function: &mut Function, record: Value) {
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        for &inst in &function.blocks[block].insts {
            let data = &mut function.insts[inst];
            match data.op {
                Opcode::Report => data.args[report::RECORD] = record,
                Opcode::Track => data.args[track::RECORD] = record,
                _ => {}
            }
        }
    }
}

/// Gives the call record of reports its place in scratch memory: all have the same.
fn place_reports(function: &mut Function) -> Result<Option<u32>, PassError> {
    let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    let rows = insts.filter_map(|&inst| match function.insts[inst].op {
        Opcode::Report => Some(report::rows(&function.insts[inst].args).len()),
        Opcode::Track => Some(track::rows(&function.insts[inst].args).len() + track::ADDED_ROWS),
        _ => None,
    });
    let Some(rows) = rows.max() else { return Ok(None) };
    let start = u64::from(function.scratch_bytes).next_multiple_of(64);
    let bytes = record::slot_bytes(rows as u32, function.lanes);
    let end = start + u64::from(bytes) * u64::from(function.lanes);
    if end > SCRATCH_BYTES_MAX {
        return Err(PassError::ScratchTooLarge { bytes: end, limit: SCRATCH_BYTES_MAX });
    }
    function.scratch_bytes = end.next_multiple_of(64) as u32;
    Ok(Some(start as u32))
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
        if end > SCRATCH_BYTES_MAX {
            return Err(PassError::ScratchTooLarge { bytes: end, limit: SCRATCH_BYTES_MAX });
        }
        places[slot] = start as u32;
    }
    function.scratch_bytes = end.next_multiple_of(64) as u32;
    Ok(any.then_some((places, is_record)))
}
