//! One half to single and back where processors have no instruction for it: lane loops of SSE4.1.

use super::emit::Emitter;
use crate::asm::op::{VADDSS, VMOVD_FROM, VMOVD_TO, VMULSS, VPORD};
use crate::asm::{Alu, Condition, Evex, Gpr, Len, Mem, Rm, Shift, Size};
use crate::sse::SCRATCH_VECTOR;

/// The least magnitudes, as bits of single, that are no denormal half, and that round to infinity.
const NORMAL: i32 = 0x3880_0000;
const BEYOND: i32 = 0x477f_f000;
/// Infinity.
const INFINITY: i32 = 0x7f80_0000;

fn vector(op: crate::asm::VOp, reg: u8, vvvv: u8, rm: Rm) -> Evex {
    Evex::new(op, Len::X, reg, vvvv, rm)
}

/// `to` = the half in the low bits of `from`, which stays. Changes `temporary`.
pub(super) fn to_single(emitter: &mut Emitter<'_>, to: u8, from: Gpr, temporary: Gpr) {
    let asm = &mut emitter.asm;
    let (special, done) = (asm.label(), asm.label());
    asm.mov(Size::S64, temporary, from);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(temporary), 0x7fff);
    asm.shift_imm(Shift::Shl, Size::S32, temporary, 13);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(temporary), 0x0f80_0000);
    asm.jump_if(Condition::AboveEqual, special);
    // The exponent is that of half: a product puts it right, also of denormals.
    asm.vector(&vector(VMOVD_TO, to, 0, Rm::Reg(temporary)));
    let scale = asm.constant(&(2f32.powi(112)).to_le_bytes());
    asm.vector(&vector(VMULSS, to, to, Rm::Mem(Mem::Pool(scale))));
    asm.jump(done);
    asm.bind(special);
    asm.alu_imm(Alu::Or, Size::S32, Rm::Reg(temporary), INFINITY);
    asm.vector(&vector(VMOVD_TO, to, 0, Rm::Reg(temporary)));
    asm.bind(done);
    asm.mov(Size::S64, temporary, from);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(temporary), 0x8000);
    asm.shift_imm(Shift::Shl, Size::S32, temporary, 16);
    asm.vector(&vector(VMOVD_TO, SCRATCH_VECTOR, 0, Rm::Reg(temporary)));
    asm.vector(&vector(VPORD, to, to, Rm::Reg(SCRATCH_VECTOR)));
}

/// `to` = the half nearest to the low element of `from`, to even where two are. Changes all registers.
pub(super) fn from_single(emitter: &mut Emitter<'_>, to: Gpr, from: u8, [sign, odd]: [Gpr; 2]) {
    let asm = &mut emitter.asm;
    let (normal, beyond, nan, done) = (asm.label(), asm.label(), asm.label(), asm.label());
    asm.vector(&vector(VMOVD_FROM, from, 0, Rm::Reg(to)));
    asm.mov(Size::S64, sign, to);
    asm.shift_imm(Shift::Shr, Size::S32, sign, 16);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(sign), 0x8000);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(to), i32::MAX);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(to), NORMAL);
    asm.jump_if(Condition::AboveEqual, normal);
    // The unit of 0.5 in single is that of denormal halves.
    asm.vector(&vector(VMOVD_TO, from, 0, Rm::Reg(to)));
    let half = asm.constant(&0.5f32.to_le_bytes());
    asm.vector(&vector(VADDSS, from, from, Rm::Mem(Mem::Pool(half))));
    asm.vector(&vector(VMOVD_FROM, from, 0, Rm::Reg(to)));
    asm.alu_imm(Alu::Sub, Size::S32, Rm::Reg(to), 0.5f32.to_bits() as i32);
    asm.jump(done);
    asm.bind(normal);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(to), BEYOND);
    asm.jump_if(Condition::AboveEqual, beyond);
    // Half of the unit less one, and one more where the last bit that stays is set; the exponent's new bias.
    asm.mov(Size::S64, odd, to);
    asm.shift_imm(Shift::Shr, Size::S32, odd, 13);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(odd), 1);
    asm.alu(Alu::Add, Size::S32, to, Rm::Reg(odd));
    asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(to), 0xfff - (112 << 23));
    asm.shift_imm(Shift::Shr, Size::S32, to, 13);
    asm.jump(done);
    asm.bind(beyond);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(to), INFINITY);
    asm.jump_if(Condition::Above, nan);
    asm.mov_imm(to, 0x7c00);
    asm.jump(done);
    asm.bind(nan);
    asm.shift_imm(Shift::Shr, Size::S32, to, 13);
    asm.alu_imm(Alu::And, Size::S32, Rm::Reg(to), 0x3ff);
    asm.alu_imm(Alu::Or, Size::S32, Rm::Reg(to), 0x7e00);
    asm.bind(done);
    asm.alu(Alu::Or, Size::S32, to, Rm::Reg(sign));
}
