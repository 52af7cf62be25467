//! Gathers whose lanes are expected to lie in one or two runs: see [`RunGather`].

use super::emit::{Emitter, Registers};
use super::inst::{AddressBase, NONE, RunGather};
use crate::asm::op::{
    KANDQ, KMOVQ, KORTESTW, KXNORQ, VEXTRACTF32X4, VMOVD_FROM, VMOVDQU32, VPADDD, VPBROADCASTD,
    VPBROADCASTD_GPR, VPCMPUD, VPEXTRD, VPGATHERDD, VPXORD,
};
use crate::asm::{Alu, Condition, Evex, Len, Mem, Rm, Size, VOp};

/// The predicate of comparisons for equality.
const EQUAL: u8 = 0;
/// Bytes from the first word of a register to the last.
const LAST: i32 = 60;

/// Emits it.
pub(super) fn emit(emitter: &mut Emitter<'_>, this: &RunGather, registers: Registers<'_>) {
    let [to, numbers, low, high, first, last] = [0, 1, 2, 3, 4, 5].map(|slot| registers.number(slot));
    let index = registers.number(this.address.index);
    let AddressBase::Operand(base) = this.address.base else { unreachable!("gathers count from registers") };
    let base = registers.number(base);
    let mask = (this.mask != NONE).then(|| registers.number(this.mask));
    let (slow, end) = (emitter.asm.label(), emitter.asm.label());
    let at = |index: u8| Mem::Base {
        base,
        index: Some(index),
        shift: this.address.shift,
        displacement: this.address.displacement,
    };
    let whole = |op: VOp, reg, vvvv, rm| Evex::new(op, Len::Z, reg, vvvv, rm);
    let asm = &mut emitter.asm;
    // Those that lie behind the first lane.
    asm.vector(&Evex::new(VMOVD_FROM, Len::X, index, 0, Rm::Reg(first)));
    asm.vector(&whole(VPBROADCASTD, numbers, 0, Rm::Reg(index)));
    asm.vector(&whole(VPADDD, numbers, numbers, Rm::Mem(Mem::Pool(this.lanes))));
    asm.vector(&Evex { imm: Some(EQUAL), ..whole(VPCMPUD, low, numbers, Rm::Reg(index)) });
    // Those in front of the last one.
    asm.vector(&Evex { imm: Some(3), ..whole(VEXTRACTF32X4, index, 0, Rm::Reg(numbers)) });
    asm.vector(&Evex { imm: Some(3), ..Evex::new(VPEXTRD, Len::X, numbers, 0, Rm::Reg(last)) });
    asm.alu_imm(Alu::Sub, Size::S32, Rm::Reg(last), LAST);
    asm.vector(&whole(VPBROADCASTD_GPR, numbers, 0, Rm::Reg(last)));
    asm.vector(&whole(VPADDD, numbers, numbers, Rm::Mem(Mem::Pool(this.lanes))));
    asm.vector(&Evex { imm: Some(EQUAL), ..whole(VPCMPUD, high, numbers, Rm::Reg(index)) });
    asm.vector(&Evex::new(KORTESTW, Len::X, low, 0, Rm::Reg(high)));
    asm.jump_if(Condition::AboveEqual, slow);
    if let Some(mask) = mask {
        asm.vector(&Evex::new(KANDQ, Len::X, low, low, Rm::Reg(mask)));
        asm.vector(&Evex::new(KANDQ, Len::X, high, high, Rm::Reg(mask)));
    }
    // As gathers do. Of a lane that takes part the sum with its number is an offset below 2^31, so what the
    // number is added to is no further than that from it with 64 bits, too.
    for register in [first, last] {
        asm.movsx(32, Size::S64, register, Rm::Reg(register));
        if this.prefetches {
            asm.prefetch(at(register));
        }
    }
    asm.vector(&Evex { mask: low, zero: true, ..whole(VMOVDQU32, to, 0, Rm::Mem(at(first))) });
    asm.vector(&Evex { mask: high, ..whole(VMOVDQU32, to, 0, Rm::Mem(at(last))) });
    asm.jump(end);
    asm.bind(slow);
    match mask {
        Some(mask) => asm.vector(&Evex::new(KMOVQ, Len::X, low, 0, Rm::Reg(mask))),
        None => asm.vector(&Evex::new(KXNORQ, Len::X, low, low, Rm::Reg(low))),
    }
    asm.vector(&Evex::new(VPXORD, Len::Z, to, to, Rm::Reg(to)));
    asm.vector(&Evex { mask: low, ..whole(VPGATHERDD, to, 0, Rm::Mem(at(index))) });
    asm.bind(end);
}
