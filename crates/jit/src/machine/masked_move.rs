//! Masked loads and stores of AVX2 that are plain ones where all lanes take part, which is the rule.

use super::emit::{Emitter, Registers};
use super::inst::Address;
use crate::asm::op::{
    VMOVMSKPD, VMOVMSKPS, VMOVUPS, VMOVUPS_STORE, VPMASKMOVD, VPMASKMOVD_STORE, VPMASKMOVQ, VPMASKMOVQ_STORE,
};
use crate::asm::{Alu, Condition, Evex, Gpr, Len, Rm, Size};

/// Asks which lanes take part: compares the bits of the mask with those of all lanes.
fn compare_all(emitter: &mut Emitter<'_>, quads: bool, len: Len, bits: Gpr, mask: u8) {
    let (signs, bytes) = if quads { (VMOVMSKPD, 8) } else { (VMOVMSKPS, 4) };
    emitter.asm.vector(&Evex::new(signs, len, bits, 0, Rm::Reg(mask)));
    let all = (1 << (len.bytes() / bytes)) - 1;
    emitter.asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(bits), all);
}

/// Emits a store of `[value, mask, temporary, address…]`.
pub(super) fn store(
    emitter: &mut Emitter<'_>,
    quads: bool,
    len: Len,
    address: Address,
    registers: Registers<'_>,
) {
    let [value, mask, temporary] = [0, 1, 2].map(|slot| registers.number(slot));
    let mem = emitter.mem(address, registers);
    let (whole, end) = (emitter.asm.label(), emitter.asm.label());
    compare_all(emitter, quads, len, temporary, mask);
    emitter.asm.jump_if(Condition::Equal, whole);
    // Some processors take long for a store of nothing.
    emitter.asm.test(Size::S32, temporary, temporary);
    emitter.asm.jump_if(Condition::Equal, end);
    let masked = if quads { VPMASKMOVQ_STORE } else { VPMASKMOVD_STORE };
    emitter.asm.vector(&Evex::new(masked, len, value, mask, Rm::Mem(mem)));
    emitter.asm.jump(end);
    emitter.asm.bind(whole);
    emitter.asm.vector(&Evex::new(VMOVUPS_STORE, len, value, 0, Rm::Mem(mem)));
    emitter.asm.bind(end);
}

/// Emits a load of `[to, mask, temporary, address…]`.
pub(super) fn load(
    emitter: &mut Emitter<'_>,
    quads: bool,
    len: Len,
    address: Address,
    registers: Registers<'_>,
) {
    let [to, mask, temporary] = [0, 1, 2].map(|slot| registers.number(slot));
    let mem = emitter.mem(address, registers);
    let (some, end) = (emitter.asm.label(), emitter.asm.label());
    compare_all(emitter, quads, len, temporary, mask);
    emitter.asm.jump_if(Condition::NotEqual, some);
    emitter.asm.vector(&Evex::new(VMOVUPS, len, to, 0, Rm::Mem(mem)));
    emitter.asm.jump(end);
    emitter.asm.bind(some);
    let masked = if quads { VPMASKMOVQ } else { VPMASKMOVD };
    emitter.asm.vector(&Evex::new(masked, len, to, mask, Rm::Mem(mem)));
    emitter.asm.bind(end);
}
