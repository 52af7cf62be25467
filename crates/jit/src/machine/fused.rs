//! Fused multiplications and additions of single floats where processors have none (SSE4.1).
//!
//! The product is exact as double, and so nearly always is what rounding the sum twice, to double and to
//! single, gives. It may not be where the double is half-way between two singles, or so small that singles
//! have fewer bits there. Code behind the function then rounds the sum to odd first: towards zero, with the
//! last bit set where it is not exact. Double has more than two bits more than single, so rounding that to
//! single gives what rounding the exact sum would.

use crate::asm::op::*;
use crate::asm::{Alu, Assembler, Condition, Constant, Evex, Gpr, Label, Len, Mem, Rm, Size, VOp};
use crate::sse::SCRATCH_VECTOR;

/// The bits of a double that a single lacks, and their value half-way between two singles.
const LACKING: u32 = (1 << 29) - 1;
const HALF_WAY: u32 = 1 << 28;
/// Makes the shifted upper half of a double, less one, a signed number in the order of unsigned ones.
const ORDER: u32 = i32::MAX as u32;
/// That number of the least normal single, less one. That of zero is greater.
const BELOW_NORMAL: u32 = (0x3810_0000u32 << 1).wrapping_add(ORDER) - 1;

/// `pshufd`'s immediate for the high half in the low one.
const HIGH_HALF: u8 = 0xee;
/// `shufps`'s for the lower and the upper halves of four doubles.
const LOWER: u8 = 0x88;
const UPPER: u8 = 0xdd;
/// Opcode extension of shifts to the right.
const RIGHT: u8 = 2;
const LESS: u8 = 1;

/// The registers of one.
#[derive(Clone, Copy)]
pub(super) struct Fused {
    /// The result, none of the factors.
    pub(super) to: u8,
    /// Two factors and what is added to their product; these stay.
    pub(super) operands: [u8; 3],
    /// Three to be changed.
    pub(super) temporaries: [u8; 3],
    pub(super) general: Gpr,
}

/// The code for sums that need care.
pub(super) struct Careful {
    fused: Fused,
    start: Label,
    end: Label,
}

/// Emits one; what is to be emitted behind the function is given back.
pub(super) fn emit(asm: &mut Assembler, fused: Fused) -> Careful {
    let Fused { to, operands: [a, b, c], temporaries: [high, other, _], general } = fused;
    let careful = Careful { fused, start: asm.label(), end: asm.label() };
    one(asm, VCVTPS2PD, to, a);
    one(asm, VCVTPS2PD, high, b);
    two(asm, VMULPD, to, high);
    one(asm, VCVTPS2PD, high, c);
    two(asm, VADDPD, to, high);
    upper_to_double(asm, high, a);
    upper_to_double(asm, other, b);
    two(asm, VMULPD, high, other);
    upper_to_double(asm, other, c);
    two(asm, VADDPD, high, other);
    one(asm, VMOVAPS, other, to);
    shuffle(asm, other, high, LOWER);
    with(asm, VPANDD, other, LACKING);
    with(asm, VPCMPEQD, other, HALF_WAY);
    let above = SCRATCH_VECTOR;
    one(asm, VMOVAPS, above, to);
    shuffle(asm, above, high, UPPER);
    two(asm, VPADDD, above, above);
    with(asm, VPADDD, above, ORDER);
    with(asm, VPCMPGTD, above, BELOW_NORMAL);
    two(asm, VPANDND, other, above);
    one(asm, VMOVMSKPS, general, other);
    asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(general), 0xf);
    asm.jump_if(Condition::NotEqual, careful.start);
    asm.bind(careful.end);
    one(asm, VCVTPD2PS, to, to);
    one(asm, VCVTPD2PS, high, high);
    two(asm, VPUNPCKLQDQ, to, high);
    careful
}

impl Careful {
    /// Rounds both sums of two to odd.
    pub(super) fn emit(self, asm: &mut Assembler) {
        let Fused { to, operands, temporaries: [high, second, third], .. } = self.fused;
        asm.bind(self.start);
        round_to_odd(asm, to, operands, [second, third], |asm, to, from| one(asm, VCVTPS2PD, to, from));
        round_to_odd(asm, high, operands, [second, third], upper_to_double);
        asm.jump(self.end);
    }
}

/// A sum of two doubles, from two of the four lanes of its operands, which `to_double` gives.
fn round_to_odd(
    asm: &mut Assembler,
    sum: u8,
    [a, b, c]: [u8; 3],
    [rest, second]: [u8; 2],
    to_double: impl Fn(&mut Assembler, u8, u8),
) {
    let scratch = SCRATCH_VECTOR;
    to_double(asm, rest, a);
    to_double(asm, second, b);
    two(asm, VMULPD, rest, second);
    // What the sum lacks, exactly (Knuth's sum of two).
    one(asm, VMOVAPS, second, sum);
    two(asm, VSUBPD, second, rest);
    one(asm, VMOVAPS, scratch, sum);
    two(asm, VSUBPD, scratch, second);
    two(asm, VSUBPD, rest, scratch);
    to_double(asm, scratch, c);
    two(asm, VSUBPD, scratch, second);
    two(asm, VADDPD, rest, scratch);
    // NaN, where the sum is not finite, is not less.
    let magnitude = asm.constant(&[u64::MAX >> 1; 2].map(u64::to_le_bytes).concat());
    let (size, inexact) = (second, scratch);
    one(asm, VMOVAPS, size, rest);
    constant(asm, VPANDD, size, magnitude);
    two(asm, VPXORD, inexact, inexact);
    let compare = Evex::new(VCMPPD_AVX, Len::X, inexact, inexact, Rm::Reg(size));
    asm.vector(&Evex { imm: Some(LESS), ..compare });
    last_bits(asm, inexact);
    // Where the signs differ, the sum is further from zero than what is exact.
    let away = rest;
    two(asm, VPXORD, away, sum);
    last_bits(asm, away);
    two(asm, VPANDD, away, inexact);
    two(asm, VPSUBQ, sum, away);
    two(asm, VPORD, sum, inexact);
}

/// `to = op(from)`.
fn one(asm: &mut Assembler, op: VOp, to: u8, from: u8) {
    asm.vector(&Evex::new(op, Len::X, to, 0, Rm::Reg(from)));
}

/// `to = op(to, from)`.
fn two(asm: &mut Assembler, op: VOp, to: u8, from: u8) {
    asm.vector(&Evex::new(op, Len::X, to, to, Rm::Reg(from)));
}

/// `to = op(to, the word four times)`.
fn with(asm: &mut Assembler, op: VOp, to: u8, word: u32) {
    let bytes = asm.constant(&[word; 4].map(u32::to_le_bytes).concat());
    constant(asm, op, to, bytes);
}

fn constant(asm: &mut Assembler, op: VOp, to: u8, bytes: Constant) {
    asm.vector(&Evex::new(op, Len::X, to, to, Rm::Mem(Mem::Pool(bytes))));
}

fn shuffle(asm: &mut Assembler, to: u8, from: u8, imm: u8) {
    asm.vector(&Evex { imm: Some(imm), ..Evex::new(VSHUFPS, Len::X, to, to, Rm::Reg(from)) });
}

fn upper_to_double(asm: &mut Assembler, to: u8, from: u8) {
    asm.vector(&Evex { imm: Some(HIGH_HALF), ..Evex::new(VPSHUFD, Len::X, to, 0, Rm::Reg(from)) });
    one(asm, VCVTPS2PD, to, to);
}

/// The first bits of the doubles as the last ones.
fn last_bits(asm: &mut Assembler, register: u8) {
    let shift = Evex::new(VPSHIFT_Q_IMM, Len::X, RIGHT, register, Rm::Reg(register));
    asm.vector(&Evex { imm: Some(63), ..shift });
}
