//! Loops over the active lanes: accesses that no vector instruction does (8- and 16-bit gathers and scatters,
//! atomics).

use super::emit::{Emitter, Registers};
use super::inst::{LaneLoop, LaneOp};
use super::lane_registers::{self, LoopRegisters};
use super::{half, pending_atomics};
use crate::asm::op::{
    VADDSD, VADDSS, VCVTPH2PS, VCVTPS2PH, VMAXSD, VMAXSS, VMINSD, VMINSS, VMOVAPS, VMOVUPS, VMOVUPS_STORE,
    VOp, VUCOMISD, VUCOMISS,
};
use crate::asm::{Alu, Condition, Evex, Gpr, Label, Len, Mem, RAX, RSP, Rm, Size};
use pyro_ir::Opcode;

/// The instruction's registers by role.
pub(super) struct Roles {
    pub(super) base: Gpr,
    pub(super) left: Gpr,
    pub(super) lane: Gpr,
    pub(super) offset: Gpr,
    pub(super) value: Gpr,
    vectors: [u8; 2],
}

/// Emits the loop.
pub(super) fn emit(emitter: &mut Emitter<'_>, this: &LaneLoop, registers: Registers<'_>) {
    let mask = registers.number(0);
    let roles = Roles {
        base: registers.number(1),
        left: registers.number(3),
        lane: registers.number(4),
        offset: registers.number(5),
        value: registers.number(6),
        vectors: [registers.number(7), registers.number(8)],
    };
    let (again, end) = (emitter.asm.label(), emitter.asm.label());
    if let Some(lanes) = this.in_registers {
        let registers = LoopRegisters {
            number: &|slot| registers.number(slot),
            base: roles.base,
            temporaries: [roles.lane, roles.offset],
            vector_temporaries: roles.vectors,
        };
        lane_registers::emit(&mut emitter.asm, this, lanes, &registers, end);
        if lanes.all {
            return;
        }
    }
    if let Some(lanes) = this.consecutive {
        whole(emitter, this, &roles, lanes, mask, end);
    }
    if let (Some(table), Some(offsets)) = (this.pending, this.offsets) {
        pending_atomics::defer(emitter, this, table, mask, &roles, offsets, end);
    }
    if let Some(op) = LaneLoop::combines(this.op, this.bits) {
        if this.offsets.is_none() && (this.unused || op == Alu::Add) {
            return combined(emitter, this, op, mask, &roles);
        }
        if let (true, Some((offsets, false))) = (this.unused, this.offsets) {
            all_lanes(emitter, this, op, mask, &roles, offsets, end);
        }
    }
    emitter.asm.mov(Size::S64, roles.left, mask);
    emitter.asm.test(Size::S64, roles.left, roles.left);
    emitter.asm.jump_if(Condition::Equal, end);
    emitter.asm.bind(again);
    emitter.lowest_bit(roles.lane, roles.left);
    let memory = match this.offsets {
        None => Mem::base(roles.base, this.displacement),
        Some((array, wide)) => {
            if wide {
                emitter.asm.load(Size::S64, roles.offset, element(array, roles.lane, 3));
            } else {
                // Of lanes that take part offsets lie below 2^31; those that are negative are so on purpose.
                emitter.asm.movsx(32, Size::S64, roles.offset, Rm::Mem(element(array, roles.lane, 2)));
            }
            Mem::Base {
                base: roles.base,
                index: Some(roles.offset),
                shift: 0,
                displacement: this.displacement,
            }
        }
    };
    lane(emitter, this, &roles, memory);
    emitter.clear_lowest_bit(roles.left, roles.lane);
    emitter.asm.jump_if(Condition::NotEqual, again);
    emitter.asm.bind(end);
}

/// Moves all elements at once where all lanes are set, and goes to the end.
fn whole(
    emitter: &mut Emitter<'_>,
    this: &LaneLoop,
    roles: &Roles,
    lanes: u32,
    mask: Gpr,
    end: crate::asm::Label,
) {
    let some = emitter.asm.label();
    emitter.asm.mov_imm(roles.value, u64::MAX >> (64 - lanes));
    emitter.asm.alu(Alu::Cmp, Size::S64, mask, Rm::Reg(roles.value));
    emitter.asm.jump_if(Condition::NotEqual, some);
    let mut done = 0;
    let bytes = lanes * this.bits / 8;
    while done < bytes as i32 {
        let memory = Mem::base(roles.base, this.displacement + done);
        let (from, to) = match this.op {
            LaneOp::Scatter => (Mem::base(RSP, this.values + done), memory),
            _ => (memory, Mem::base(RSP, this.results + done)),
        };
        let step = match bytes as i32 - done {
            32.. => 32,
            16.. => 16,
            8.. => 8,
            _ => 4,
        };
        if step >= 16 {
            let len = Len::holding(step as u32);
            emitter.asm.vector(&Evex::new(VMOVUPS, len, roles.vectors[0], 0, Rm::Mem(from)));
            emitter.asm.vector(&Evex::new(VMOVUPS_STORE, len, roles.vectors[0], 0, Rm::Mem(to)));
        } else {
            load(emitter, step as u32 * 8, roles.value, from);
            emitter.asm.store(step as u32 * 8, to, roles.value);
        }
        done += step;
    }
    emitter.asm.jump(end);
    emitter.asm.bind(some);
}

/// All lanes change one place: what they do to it together is done at once, and each lane's result is what
/// the lanes before it have added to what memory held.
fn combined(emitter: &mut Emitter<'_>, this: &LaneLoop, op: Alu, mask: Gpr, roles: &Roles) {
    let size = if this.bits == 64 { Size::S64 } else { Size::S32 };
    let shift = (this.bits / 8).trailing_zeros() as u8;
    // There are no offsets.
    let (sum, lane) = (roles.offset, roles.lane);
    let memory = Mem::base(roles.base, this.displacement);
    let (again, end) = (emitter.asm.label(), emitter.asm.label());
    if let Some(value) = this.same {
        emitter.asm.popcnt(Size::S64, sum, Rm::Reg(mask));
        emitter.asm.test(Size::S64, sum, sum);
        emitter.asm.jump_if(Condition::Equal, end);
        if value != 1 {
            emitter.asm.imul_imm(size, sum, Rm::Reg(sum), value);
        }
        emitter.asm.alu_store(op, size, this.locked, memory, sum);
        return emitter.asm.bind(end);
    }
    emitter.asm.mov_imm(sum, if op == Alu::And { u64::MAX } else { 0 });
    emitter.asm.mov(Size::S64, roles.left, mask);
    emitter.asm.test(Size::S64, roles.left, roles.left);
    emitter.asm.jump_if(Condition::Equal, end);
    emitter.asm.bind(again);
    emitter.lowest_bit(lane, roles.left);
    if !this.unused {
        emitter.asm.store(this.bits, element(this.results, lane, shift), sum);
    }
    emitter.asm.alu(op, size, sum, Rm::Mem(element(this.values, lane, shift)));
    emitter.clear_lowest_bit(roles.left, roles.lane);
    emitter.asm.jump_if(Condition::NotEqual, again);
    if this.unused {
        emitter.asm.alu_store(op, size, this.locked, memory, sum);
    } else {
        emitter.asm.xadd(this.bits, this.locked, memory, sum);
        let again = emitter.asm.label();
        emitter.asm.mov(Size::S64, roles.left, mask);
        emitter.asm.bind(again);
        emitter.lowest_bit(lane, roles.left);
        emitter.asm.alu_store(op, size, false, element(this.results, lane, shift), sum);
        emitter.clear_lowest_bit(roles.left, roles.lane);
        emitter.asm.jump_if(Condition::NotEqual, again);
    }
    emitter.asm.bind(end);
}

/// Where all lanes take part, a loop that does not look for them; it ends at `end`.
fn all_lanes(
    emitter: &mut Emitter<'_>,
    this: &LaneLoop,
    op: Alu,
    mask: Gpr,
    roles: &Roles,
    offsets: i32,
    end: Label,
) {
    let size = if this.bits == 64 { Size::S64 } else { Size::S32 };
    let bytes = this.bits / 8;
    let shift = bytes.trailing_zeros() as u8;
    let step = this.lanes.min(8);
    let (some, again) = (emitter.asm.label(), emitter.asm.label());
    let (width, all) = match this.lanes {
        64 => (Size::S64, -1),
        32 => (Size::S32, -1),
        lanes => (Size::S64, (1 << lanes) - 1),
    };
    emitter.asm.alu_imm(Alu::Cmp, width, Rm::Reg(mask), all);
    emitter.asm.jump_if(Condition::NotEqual, some);
    emitter.asm.mov_imm(roles.lane, 0);
    emitter.asm.bind(again);
    for lane in 0..step as i32 {
        let offset = element(offsets + lane * 4, roles.lane, 2);
        emitter.asm.movsx(32, Size::S64, roles.offset, Rm::Mem(offset));
        load(emitter, this.bits, roles.value, element(this.values + lane * bytes as i32, roles.lane, shift));
        let memory = Mem::Base {
            base: roles.base,
            index: Some(roles.offset),
            shift: 0,
            displacement: this.displacement,
        };
        emitter.asm.alu_store(op, size, this.locked, memory, roles.value);
    }
    if this.lanes > step {
        emitter.asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(roles.lane), step as i32);
        emitter.asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(roles.lane), this.lanes as i32);
        emitter.asm.jump_if(Condition::Below, again);
    }
    emitter.asm.jump(end);
    emitter.asm.bind(some);
}

/// Element `lane` of an array in the frame.
pub(super) fn element(array: i32, lane: Gpr, shift: u8) -> Mem {
    Mem::Base { base: RSP, index: Some(lane), shift, displacement: array }
}

fn load(emitter: &mut Emitter<'_>, bits: u32, to: Gpr, mem: Mem) {
    match bits {
        64 => emitter.asm.load(Size::S64, to, mem),
        32 => emitter.asm.load(Size::S32, to, mem),
        _ => emitter.asm.movzx(bits, to, Rm::Mem(mem)),
    }
}

fn lane(emitter: &mut Emitter<'_>, this: &LaneLoop, roles: &Roles, memory: Mem) {
    let shift = (this.bits / 8).trailing_zeros() as u8;
    let bits = this.bits;
    let value = element(this.values, roles.lane, shift);
    let result = element(this.results, roles.lane, shift);
    if this.unused
        && let Some(op) = LaneLoop::combines(this.op, bits)
    {
        let size = if bits == 64 { Size::S64 } else { Size::S32 };
        load(emitter, bits, roles.value, value);
        emitter.asm.alu_store(op, size, this.locked, memory, roles.value);
        return;
    }
    match this.op {
        LaneOp::Gather => {
            load(emitter, bits, roles.value, memory);
            emitter.asm.store(bits, result, roles.value);
        }
        LaneOp::Scatter => {
            load(emitter, bits, roles.value, value);
            emitter.asm.store(bits, memory, roles.value);
        }
        LaneOp::Atomic(Opcode::AtomicAdd) => {
            load(emitter, bits, roles.value, value);
            emitter.asm.xadd(bits, this.locked, memory, roles.value);
            emitter.asm.store(bits, result, roles.value);
        }
        LaneOp::Atomic(Opcode::AtomicExchange) if this.locked => {
            load(emitter, bits, roles.value, value);
            emitter.asm.xchg(bits, memory, roles.value);
            emitter.asm.store(bits, result, roles.value);
        }
        LaneOp::Atomic(Opcode::AtomicCompareExchange) => {
            load(emitter, bits, RAX, element(this.comparators, roles.lane, shift));
            load(emitter, bits, roles.value, value);
            emitter.asm.cmpxchg(bits, this.locked, memory, roles.value);
            emitter.asm.store(bits, result, RAX);
        }
        LaneOp::Atomic(op) => {
            load(emitter, bits, RAX, memory);
            let again = emitter.asm.label();
            emitter.asm.bind(again);
            change(emitter, op, bits, roles, value);
            if this.locked {
                emitter.asm.cmpxchg(bits, true, memory, roles.value);
                emitter.asm.jump_if(Condition::NotEqual, again);
            } else {
                emitter.asm.store(bits, memory, roles.value);
            }
            emitter.asm.store(bits, result, RAX);
        }
    }
}

/// `roles.value` becomes what `op` makes of `rax` and the lane's value. Changes `roles.offset` for no
/// operation: the address must survive a retry.
fn change(emitter: &mut Emitter<'_>, op: Opcode, bits: u32, roles: &Roles, value: Mem) {
    use Opcode as O;
    let size = if bits == 64 { Size::S64 } else { Size::S32 };
    let register = roles.value;
    load(emitter, bits, register, value);
    let min_max = |emitter: &mut Emitter<'_>, condition| {
        // Narrow values are compared at their own width: shifted to the top of 32 bits.
        if bits < 32 {
            let unused = (32 - bits) as u8;
            emitter.asm.shift_imm(crate::asm::Shift::Shl, Size::S32, register, unused);
            emitter.asm.shift_imm(crate::asm::Shift::Shl, Size::S32, RAX, unused);
        }
        emitter.asm.alu(Alu::Cmp, size, RAX, Rm::Reg(register));
        emitter.asm.cmov(condition, size, register, Rm::Reg(RAX));
        if bits < 32 {
            let unused = (32 - bits) as u8;
            emitter.asm.shift_imm(crate::asm::Shift::Shr, Size::S32, register, unused);
            emitter.asm.shift_imm(crate::asm::Shift::Shr, Size::S32, RAX, unused);
        }
    };
    match op {
        O::AtomicAnd => emitter.asm.alu(Alu::And, size, register, Rm::Reg(RAX)),
        O::AtomicOr => emitter.asm.alu(Alu::Or, size, register, Rm::Reg(RAX)),
        O::AtomicXor => emitter.asm.alu(Alu::Xor, size, register, Rm::Reg(RAX)),
        O::AtomicUMin => min_max(emitter, Condition::Below),
        O::AtomicUMax => min_max(emitter, Condition::Above),
        O::AtomicSMin => min_max(emitter, Condition::Less),
        O::AtomicSMax => min_max(emitter, Condition::Greater),
        O::AtomicExchange => {}
        _ => float_change(emitter, op, bits, roles),
    }
}

/// Float sums, minima and maxima: `roles.value` holds the lane's value, `rax` memory's.
fn float_change(emitter: &mut Emitter<'_>, op: Opcode, bits: u32, roles: &Roles) {
    let [old, new] = roles.vectors;
    let double = bits == 64;
    // Without instructions for halves: nothing in between touches the stack or memory.
    let by_hand = bits == 16 && emitter.is_legacy();
    if by_hand {
        emitter.asm.push(roles.lane);
        emitter.asm.push(roles.left);
        half::to_single(emitter, old, RAX, roles.lane);
        half::to_single(emitter, new, roles.value, roles.lane);
    } else {
        emitter.load_low(old, RAX);
        emitter.load_low(new, roles.value);
    }
    let plain = |op: VOp, reg, vvvv, rm| Evex::new(op, Len::X, reg, vvvv, Rm::Reg(rm));
    if bits == 16 && !by_hand {
        emitter.asm.vector(&plain(VCVTPH2PS, old, 0, old));
        emitter.asm.vector(&plain(VCVTPH2PS, new, 0, new));
    }
    let pick = |single, wide| if double { wide } else { single };
    match op {
        Opcode::AtomicFAdd => {
            emitter.asm.vector(&plain(pick(VADDSS, VADDSD), old, old, new));
            emitter.asm.vector(&plain(VMOVAPS, new, 0, old));
        }
        _ => {
            let op = if op == Opcode::AtomicFMin { pick(VMINSS, VMINSD) } else { pick(VMAXSS, VMAXSD) };
            // The second operand comes out when either is NaN: right unless it is NaN itself.
            let end = emitter.asm.label();
            emitter.asm.vector(&plain(pick(VUCOMISS, VUCOMISD), old, 0, old));
            emitter.asm.jump_if(Condition::Parity, end);
            emitter.asm.vector(&plain(op, new, new, old));
            emitter.asm.bind(end);
        }
    }
    if by_hand {
        half::from_single(emitter, roles.value, new, [roles.lane, roles.left]);
        emitter.asm.pop(roles.left);
        emitter.asm.pop(roles.lane);
    } else if bits == 16 {
        emitter.asm.vector(&Evex { imm: Some(0), ..Evex::new(VCVTPS2PH, Len::X, new, 0, Rm::Reg(new)) });
        emitter.store_low(roles.value, new);
        emitter.asm.movzx(16, roles.value, Rm::Reg(roles.value));
    } else {
        emitter.store_low(roles.value, new);
    }
}
