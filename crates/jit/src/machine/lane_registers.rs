//! Stores of all lanes straight from registers, in place of a loop over the lanes: see [`LaneRegisters`].

use super::inst::{LaneLoop, LaneRegisters, Slot};
use crate::asm::op::{
    VEXTRACTI128, VMOVHPS_STORE, VMOVQ_FROM, VMOVSD_STORE, VMOVSS_STORE, VMOVUPS_STORE, VPEXTRD, VPEXTRQ,
};
use crate::asm::{Alu, Assembler, Condition, Evex, Gpr, Label, Len, Mem, RSP, Rm, Shift, Size};

/// Registers of the loop's instruction.
pub(super) struct LoopRegisters<'a> {
    /// That at a position.
    pub(super) number: &'a dyn Fn(Slot) -> u8,
    pub(super) base: Gpr,
    pub(super) temporaries: [Gpr; 2],
    pub(super) vector_temporaries: [u8; 2],
}

/// Emits the stores and a jump to `end`; behind it, where only some lanes take part, everything goes to the
/// frame for the loop.
pub(super) fn emit(
    asm: &mut Assembler,
    this: &LaneLoop,
    lanes: LaneRegisters,
    registers: &LoopRegisters<'_>,
    end: Label,
) {
    let some = asm.label();
    if !lanes.all {
        let all = (1 << lanes.lanes) - 1;
        asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg((registers.number)(0)), all);
        asm.jump_if(Condition::NotEqual, some);
    }
    let mut halves = Halves { asm, extracted: [None; 2], temporaries: registers.vector_temporaries };
    for lane in (0..lanes.lanes).step_by(2) {
        store_pair(&mut halves, this, lanes, registers, lane);
    }
    if lanes.all {
        return;
    }
    asm.jump(end);
    asm.bind(some);
    let (offsets, _) = this.offsets.expect("stores have offsets");
    let ((offset_count, offset_len), (value_count, value_len)) = (lanes.offsets, lanes.values);
    let offsets = (0..offset_count).map(|index| (index, offsets + 32 * i32::from(index), offset_len));
    let values =
        (0..value_count).map(|index| (offset_count + index, this.values + 32 * i32::from(index), value_len));
    for (slot, place, len) in offsets.chain(values) {
        let from = (registers.number)(lanes.first + slot);
        asm.vector(&Evex::new(VMOVUPS_STORE, len, from, 0, Rm::Mem(Mem::base(RSP, place))));
    }
}

/// Which upper halves of registers are in the temporaries for offsets and values.
struct Halves<'a> {
    asm: &'a mut Assembler,
    extracted: [Option<u8>; 2],
    temporaries: [u8; 2],
}

impl Halves<'_> {
    /// A register whose lower half is a half of this one.
    fn get(&mut self, which: usize, register: u8, is_upper: bool) -> u8 {
        if !is_upper {
            return register;
        }
        let to = self.temporaries[which];
        if self.extracted[which] != Some(register) {
            self.extracted[which] = Some(register);
            let half = Evex::new(VEXTRACTI128, Len::Y, register, 0, Rm::Reg(to));
            self.asm.vector(&Evex { imm: Some(1), ..half });
        }
        to
    }
}

/// Stores two neighbouring lanes.
fn store_pair(
    halves: &mut Halves<'_>,
    this: &LaneLoop,
    lanes: LaneRegisters,
    registers: &LoopRegisters<'_>,
    lane: u32,
) {
    // Elements of a half, and where a lane is: the register, its half, and the element.
    let place = |bits: u32| {
        let in_half = 128 / bits;
        ((lane / in_half / 2) as u8, lane / in_half % 2 == 1, lane % in_half)
    };
    let (_, is_wide) = this.offsets.expect("stores have offsets");
    let (register, is_upper, element) = place(if is_wide { 64 } else { 32 });
    let index = halves.get(0, (registers.number)(lanes.first + register), is_upper);
    let [a, b] = registers.temporaries;
    let asm = &mut *halves.asm;
    let quad = |number: u32, to: Gpr| match number {
        0 => Evex::new(VMOVQ_FROM, Len::X, index, 0, Rm::Reg(to)),
        _ => Evex { imm: Some(1), ..Evex::new(VPEXTRQ, Len::X, index, 0, Rm::Reg(to)) },
    };
    if is_wide {
        asm.vector(&quad(0, a));
        asm.vector(&quad(1, b));
    } else {
        asm.vector(&quad(element / 2, b));
        // Of lanes that take part offsets lie below 2^31; those that are negative are so on purpose.
        asm.movsx(32, Size::S64, a, Rm::Reg(b));
        asm.shift_imm(Shift::Sar, Size::S64, b, 32);
    }
    let (register, is_upper, element) = place(this.bits);
    let value = halves.get(1, (registers.number)(lanes.first + lanes.offsets.0 + register), is_upper);
    for (number, index) in [(element, a), (element + 1, b)] {
        let memory =
            Mem::Base { base: registers.base, index: Some(index), shift: 0, displacement: this.displacement };
        let plain = |op| Evex::new(op, Len::X, value, 0, Rm::Mem(memory));
        halves.asm.vector(&match (this.bits, number) {
            (64, 0) => plain(VMOVSD_STORE),
            (64, _) => plain(VMOVHPS_STORE),
            (_, 0) => plain(VMOVSS_STORE),
            _ => Evex { imm: Some(number as u8), ..plain(VPEXTRD) },
        });
    }
}
