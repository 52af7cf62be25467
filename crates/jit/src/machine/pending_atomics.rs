//! Tables of atomic operations that have yet to be carried out; see [`PendingAtomics`].

use super::emit::Emitter;
use super::inst::{LaneLoop, PendingAtomics};
use super::lane_loop::{Roles, element};
use crate::asm::op::{VMOVUPS_STORE, VPXORD};
use crate::asm::{Alu, Condition, Evex, Gpr, Label, Len, Mem, RAX, RSP, Rm, Shift, Size};

/// Bytes that the loop which clears a table writes in an iteration.
const CLEARED_BYTES: i32 = 256;

/// Makes the table empty.
pub(super) fn clear(emitter: &mut Emitter<'_>, at: Gpr, zero: u8) {
    let asm = &mut emitter.asm;
    let again = asm.label();
    asm.vector(&Evex::new(VPXORD, Len::Y, zero, zero, Rm::Reg(zero)));
    asm.mov_imm(at, 0);
    asm.store(32, Mem::base(RSP, PendingAtomics::COUNT), at);
    asm.store(32, Mem::base(RSP, PendingAtomics::EVICTIONS), at);
    asm.bind(again);
    for byte in (0..CLEARED_BYTES).step_by(32) {
        let to = element(PendingAtomics::ADDRESSES + byte, at, 0);
        asm.vector(&Evex::new(VMOVUPS_STORE, Len::Y, zero, 0, Rm::Mem(to)));
    }
    asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(at), CLEARED_BYTES);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(at), 8 * PendingAtomics::ENTRIES);
    asm.jump_if(Condition::Below, again);
}

/// Carries out what the table holds.
pub(super) fn flush(emitter: &mut Emitter<'_>, table: PendingAtomics, temporaries: [Gpr; 4]) {
    let [left, entry, address, operand] = temporaries;
    let asm = &mut emitter.asm;
    let (again, end) = (asm.label(), asm.label());
    asm.load(Size::S32, left, Mem::base(RSP, PendingAtomics::COUNT));
    asm.test(Size::S32, left, left);
    asm.jump_if(Condition::Equal, end);
    asm.bind(again);
    asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(left), -1);
    asm.movzx(16, entry, Rm::Mem(element(PendingAtomics::USED, left, 1)));
    asm.load(Size::S64, address, element(PendingAtomics::ADDRESSES, entry, 3));
    asm.load(Size::S32, operand, element(PendingAtomics::OPERANDS, entry, 2));
    asm.alu_store(table.op, Size::S32, true, Mem::base(address, 0), operand);
    asm.test(Size::S32, left, left);
    asm.jump_if(Condition::NotEqual, again);
    asm.bind(end);
}

/// A loop over lanes that adds what each does to the table and goes to `end`; or to what follows, where many
/// have found no room in the table.
pub(super) fn defer(
    emitter: &mut Emitter<'_>,
    this: &LaneLoop,
    table: PendingAtomics,
    mask: Gpr,
    roles: &Roles,
    offsets: (i32, bool),
    end: Label,
) {
    let Roles { base, left, lane, offset: address, value, .. } = *roles;
    let entry = RAX;
    let asm = &mut emitter.asm;
    let [again, next, evict, insert, direct] = [(); 5].map(|()| asm.label());
    let evictions = Mem::base(RSP, PendingAtomics::EVICTIONS);
    let tolerated = this.lanes * PendingAtomics::TOLERATED_NUMERATOR / PendingAtomics::TOLERATED_DENOMINATOR;
    let (addresses, operands) =
        (element(PendingAtomics::ADDRESSES, entry, 3), element(PendingAtomics::OPERANDS, entry, 2));
    asm.mov_imm(address, 0);
    asm.load(Size::S32, value, evictions);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(value), PendingAtomics::EVICTIONS_MAX);
    asm.jump_if(Condition::Above, direct);
    asm.alu_imm(Alu::Sub, Size::S32, Rm::Reg(value), tolerated as i32);
    asm.cmov(Condition::Below, Size::S32, value, Rm::Reg(address));
    asm.store(32, evictions, value);
    asm.mov(Size::S64, left, mask);
    asm.test(Size::S64, left, left);
    asm.jump_if(Condition::Equal, end);
    asm.bind(again);
    asm.tzcnt(Size::S64, lane, Rm::Reg(left));
    match offsets {
        (array, true) => asm.load(Size::S64, address, element(array, lane, 3)),
        (array, false) => asm.movsx(32, Size::S64, address, Rm::Mem(element(array, lane, 2))),
    }
    asm.load(Size::S32, value, element(this.values, lane, 2));
    let place = Mem::Base { base, index: Some(address), shift: 0, displacement: this.displacement };
    asm.lea(Size::S64, address, place);
    asm.mov(Size::S32, entry, address);
    asm.shift_imm(Shift::Shr, Size::S32, entry, 2);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(entry), PendingAtomics::ENTRIES - 1);
    asm.alu(Alu::Cmp, Size::S64, address, Rm::Mem(addresses));
    asm.jump_if(Condition::NotEqual, evict);
    asm.alu_store(table.op, Size::S32, false, operands, value);
    asm.bind(next);
    asm.blsr(Size::S64, left, left);
    asm.jump_if(Condition::NotEqual, again);
    asm.jump(end);
    asm.bind(evict);
    asm.load(Size::S64, lane, addresses);
    asm.store(64, addresses, address);
    asm.test(Size::S64, lane, lane);
    asm.jump_if(Condition::Equal, insert);
    asm.load(Size::S32, address, operands);
    asm.store(32, operands, value);
    asm.alu_store(table.op, Size::S32, true, Mem::base(lane, 0), address);
    asm.alu_imm(Alu::Add, Size::S32, Rm::Mem(evictions), 1);
    asm.jump(next);
    asm.bind(insert);
    asm.store(32, operands, value);
    asm.load(Size::S32, lane, Mem::base(RSP, PendingAtomics::COUNT));
    asm.store(16, element(PendingAtomics::USED, lane, 1), entry);
    asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(lane), 1);
    asm.store(32, Mem::base(RSP, PendingAtomics::COUNT), lane);
    asm.jump(next);
    asm.bind(direct);
}
