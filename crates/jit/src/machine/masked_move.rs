//! Masked loads and stores of AVX2 that are plain ones where all lanes take part, which is the rule.

use crate::asm::op::{
    VMOVMSKPD, VMOVMSKPS, VMOVUPS, VMOVUPS_STORE, VPMASKMOVD, VPMASKMOVD_STORE, VPMASKMOVQ, VPMASKMOVQ_STORE,
};
use crate::asm::{Alu, Assembler, Condition, Evex, Gpr, Len, Mem, Rm, Size};

/// Asks which lanes take part: compares the bits of the mask with those of all lanes.
fn compare_all(asm: &mut Assembler, quads: bool, len: Len, bits: Gpr, mask: u8) {
    let (signs, bytes) = if quads { (VMOVMSKPD, 8) } else { (VMOVMSKPS, 4) };
    asm.vector(&Evex::new(signs, len, bits, 0, Rm::Reg(mask)));
    let all = (1 << (len.bytes() / bytes)) - 1;
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(bits), all);
}

/// Emits a store of `[value, mask, temporary]`.
pub(super) fn store(asm: &mut Assembler, quads: bool, len: Len, mem: Mem, registers: [u8; 3]) {
    let [value, mask, temporary] = registers;
    let (whole, end) = (asm.label(), asm.label());
    compare_all(asm, quads, len, temporary, mask);
    asm.jump_if(Condition::Equal, whole);
    // Some processors take long for a store of nothing.
    asm.test(Size::S32, temporary, temporary);
    asm.jump_if(Condition::Equal, end);
    let masked = if quads { VPMASKMOVQ_STORE } else { VPMASKMOVD_STORE };
    asm.vector(&Evex::new(masked, len, value, mask, Rm::Mem(mem)));
    asm.jump(end);
    asm.bind(whole);
    asm.vector(&Evex::new(VMOVUPS_STORE, len, value, 0, Rm::Mem(mem)));
    asm.bind(end);
}

/// Emits a load of `[to, mask, temporary]`.
pub(super) fn load(asm: &mut Assembler, quads: bool, len: Len, mem: Mem, registers: [u8; 3]) {
    let [to, mask, temporary] = registers;
    let (some, end) = (asm.label(), asm.label());
    compare_all(asm, quads, len, temporary, mask);
    asm.jump_if(Condition::NotEqual, some);
    asm.vector(&Evex::new(VMOVUPS, len, to, 0, Rm::Mem(mem)));
    asm.jump(end);
    asm.bind(some);
    let masked = if quads { VPMASKMOVQ } else { VPMASKMOVD };
    asm.vector(&Evex::new(masked, len, to, mask, Rm::Mem(mem)));
    asm.bind(end);
}
