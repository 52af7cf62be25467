//! Loops over the active lanes: atomics, and what no other access does. See [`LaneLoop`].

use super::emit::{Emitter, Offset, SP, alu_op, condition_bits};
use super::op;
use crate::asm::{Alu, Condition, Size};
use crate::machine::{LaneLoop, LaneOp};
use pyro_ir::Opcode;

/// The instruction's registers by role.
struct Roles {
    base: u8,
    /// What memory holds.
    old: u8,
    left: u8,
    lane: u8,
    offset: u8,
    value: u8,
    vectors: [u8; 2],
}

/// The loop's state of an atomic operation: the address is in `x16`, `x17` is free.
const ADDRESS: u8 = 16;
const STATUS: u8 = 17;

/// Emits the loop.
pub(super) fn emit(emitter: &mut Emitter<'_>, this: &LaneLoop, registers: &[u8]) {
    let mask = registers[0];
    let roles = Roles {
        base: registers[1],
        old: registers[2],
        left: registers[3],
        lane: registers[4],
        offset: registers[5],
        value: registers[6],
        vectors: [registers[7], registers[8]],
    };
    let (again, end) = (emitter.asm.label(), emitter.asm.label());
    emitter.asm.put(op::MOV_GENERAL.of(64), &[roles.left, mask]);
    emitter.asm.jump_if_zero(64, roles.left, end);
    emitter.asm.bind(again);
    emitter.asm.put(op::RBIT_GENERAL.of(64), &[roles.lane, roles.left]);
    emitter.asm.put(op::CLZ_GENERAL.of(64), &[roles.lane, roles.lane]);
    match this.offsets {
        None => emitter.asm.add_imm(ADDRESS, roles.base, this.displacement.into()),
        Some((array, is_wide)) => {
            let bits = if is_wide { 64 } else { 32 };
            element(emitter, false, bits, roles.offset, array, roles.lane);
            // Of lanes that take part 32-bit offsets lie below 2^31; those that are negative are so on purpose.
            let add = if is_wide { op::ADD_GENERAL.of(64) } else { op::ADD_SIGNED.one() };
            emitter.asm.put(add, &[ADDRESS, roles.base, roles.offset]);
            emitter.asm.add_imm(ADDRESS, ADDRESS, this.displacement.into());
        }
    }
    lane(emitter, this, &roles);
    // Clears the lowest bit.
    emitter.asm.put(op::SUB_IMM.imm(64, 1), &[STATUS, roles.left]);
    emitter.asm.put(op::AND_GENERAL.of(64), &[roles.left, roles.left, STATUS]);
    emitter.asm.jump_if_not_zero(64, roles.left, again);
    emitter.asm.bind(end);
}

/// Element `lane` of an array in the frame, to or from a general register. Changes `x17`.
fn element(emitter: &mut Emitter<'_>, is_store: bool, bits: u32, register: u8, array: i32, lane: u8) {
    emitter.asm.add_imm(STATUS, SP, array.into());
    let shift = (bits / 8).trailing_zeros();
    emitter.asm.put(op::ADD_SHIFTED.of(64).bits(10, shift), &[STATUS, STATUS, lane]);
    emitter.move_general(is_store, bits, register, (STATUS, Offset::Bytes(0)));
}

fn lane(emitter: &mut Emitter<'_>, this: &LaneLoop, roles: &Roles) {
    let bits = this.bits;
    let memory = (ADDRESS, Offset::Bytes(0));
    match this.op {
        LaneOp::Gather => {
            emitter.move_general(false, bits, roles.value, memory);
            element(emitter, true, bits, roles.value, this.results, roles.lane);
        }
        LaneOp::Scatter => {
            element(emitter, false, bits, roles.value, this.values, roles.lane);
            emitter.move_general(true, bits, roles.value, memory);
        }
        LaneOp::Atomic(op) => {
            let compares = op == Opcode::AtomicCompareExchange;
            element(emitter, false, bits, roles.value, this.values, roles.lane);
            if compares {
                element(emitter, false, bits, roles.offset, this.comparators, roles.lane);
            }
            let (again, end) = (emitter.asm.label(), emitter.asm.label());
            emitter.asm.bind(again);
            if this.locked {
                emitter.asm.put(op::LDAXR.of(bits), &[roles.old, ADDRESS]);
            } else {
                emitter.move_general(false, bits, roles.old, memory);
            }
            // The new value goes where the operand is not needed: a retry needs it.
            let new = match op {
                Opcode::AtomicExchange => roles.value,
                Opcode::AtomicCompareExchange => {
                    emitter.asm.put(op::CMP_GENERAL.of(bits.max(32)), &[roles.old, roles.offset]);
                    emitter.asm.jump_if(condition_bits(Condition::NotEqual), end);
                    roles.value
                }
                _ => {
                    change(emitter, op, bits, roles);
                    roles.offset
                }
            };
            if this.locked {
                emitter.asm.put(op::STLXR.of(bits), &[STATUS, new, ADDRESS]);
                emitter.asm.jump_if_not_zero(32, STATUS, again);
            } else {
                emitter.move_general(true, bits, new, memory);
            }
            emitter.asm.bind(end);
            if !this.unused {
                element(emitter, true, bits, roles.old, this.results, roles.lane);
            }
        }
    }
}

/// `roles.offset` becomes what the operation makes of memory's value and the lane's. May change `x17`.
fn change(emitter: &mut Emitter<'_>, op: Opcode, bits: u32, roles: &Roles) {
    use Opcode as O;
    let &Roles { old, value, offset: new, .. } = roles;
    let size = if bits == 64 { Size::S64 } else { Size::S32 };
    let width = bits.max(32);
    let simple = match op {
        O::AtomicAdd => Some(Alu::Add),
        O::AtomicAnd => Some(Alu::And),
        O::AtomicOr => Some(Alu::Or),
        O::AtomicXor => Some(Alu::Xor),
        _ => None,
    };
    if let Some(alu) = simple {
        return emitter.asm.put(alu_op(alu).of(width), &[new, old, value]);
    }
    let condition = match op {
        O::AtomicUMin => Condition::Below,
        O::AtomicUMax => Condition::Above,
        O::AtomicSMin => Condition::Less,
        O::AtomicSMax => Condition::Greater,
        _ => return float_change(emitter, op, bits, roles),
    };
    let (mut left, mut right) = (old, value);
    if bits < 32 && matches!(op, O::AtomicSMin | O::AtomicSMax) {
        for (to, from) in [(new, old), (STATUS, value)] {
            emitter.asm.put(op::SBFM.of(32).bits(10, bits - 1), &[to, from]);
        }
        (left, right) = (new, STATUS);
    }
    emitter.asm.put(op::CMP_GENERAL.of(width), &[left, right]);
    emitter.select(size, condition_bits(condition), new, old, value);
}

/// Float sums, minima and maxima.
fn float_change(emitter: &mut Emitter<'_>, op: Opcode, bits: u32, roles: &Roles) {
    let &Roles { old, value, offset: new, vectors: [old_float, float], .. } = roles;
    let double = bits == 64;
    let pick = |single: op::Op, wide: op::Op| if double { wide.one() } else { single.one() };
    for (to, from) in [(old_float, old), (float, value)] {
        emitter.asm.put(pick(op::FMOV_FROM_GENERAL, op::FMOV_FROM_GENERAL_QUAD), &[to, from]);
        if bits == 16 {
            emitter.asm.put(op::FCVT_FROM_HALF.one(), &[to, to]);
        }
    }
    if op == Opcode::AtomicFAdd {
        emitter.asm.put(pick(op::FADD_SCALAR, op::FADD_SCALAR_DOUBLE), &[float, old_float, float]);
        if bits == 16 {
            emitter.asm.put(op::FCVT_TO_HALF.one(), &[float, float]);
        }
        emitter.asm.put(pick(op::FMOV_TO_GENERAL, op::FMOV_TO_GENERAL_QUAD), &[new, float]);
        return;
    }
    // The lane's value where it is less (or greater), else memory's; where one is NaN the other.
    let (less, greater, unordered) = (4, 12, 6);
    let condition = if op == Opcode::AtomicFMin { less } else { greater };
    let compare = pick(op::FCMP, op::FCMP_DOUBLE);
    emitter.asm.put(compare, &[float, old_float]);
    emitter.select(Size::S64, condition, new, value, old);
    emitter.asm.put(compare, &[old_float, old_float]);
    emitter.select(Size::S64, unordered, new, value, new);
    emitter.asm.put(compare, &[float, float]);
    emitter.select(Size::S64, unordered, new, old, new);
}
