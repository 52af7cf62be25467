//! Fused multiplications and additions of single floats where processors have none (SSE4.1): the sums that
//! need care.
//!
//! The product is exact as double, and so nearly always is what rounding the sum twice, to double and to
//! single, gives. It may not be where the double is half-way between two singles, or so small that singles
//! have fewer bits there. `sse::fused` makes that sum and asks for these two; code behind the function then
//! computes it again and rounds it to odd first: towards zero, with the last bit set where it is not exact.
//! Double has more than two bits more than single, so rounding that to single gives what rounding the exact
//! sum would.

use crate::asm::op::*;
use crate::asm::{Alu, Assembler, Condition, Constant, Evex, Gpr, Label, Len, Mem, RSP, Rm, Size, VOp};
use crate::sse::SCRATCH_VECTOR;
use smallvec::SmallVec;

/// Sums of four lanes each, the most that one question is for.
pub const SUMS_MAX: usize = 4;

/// Opcode extension of shifts to the right.
const RIGHT: u8 = 2;
const LESS: u8 = 1;

/// The vector registers that the code behind the function saves, beside the scratch one.
const SAVED: [u8; 3] = [0, 1, 2];

/// Room in the frame: three rows of operands, of which results replace the first, and registers.
const ROW_BYTES: i32 = 16 * SUMS_MAX as i32;
const SAVED_AT: i32 = 3 * ROW_BYTES;
pub(crate) const FRAME_BYTES: u32 = (SAVED_AT + 16 * SAVED.len() as i32) as u32;

/// Sums whose product or whose addend counts negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The product does.
    pub minus_product: bool,
    /// What is added does.
    pub minus_addend: bool,
}

/// The sums that one question is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusedCheck {
    /// Their signs.
    pub signs: SmallVec<[Signs; SUMS_MAX]>,
    /// Which of the operands are constants: three of each sum.
    pub constants: SmallVec<[Option<Constant>; 3 * SUMS_MAX]>,
    /// Room in the frame.
    pub frame: i32,
}

/// Where one sum's result and operands are.
pub(super) struct Sum {
    pub(super) result: u8,
    pub(super) operands: [Rm; 3],
}

/// The code for sums that need care.
pub(super) struct Careful {
    signs: SmallVec<[Signs; SUMS_MAX]>,
    frame: i32,
    sums: SmallVec<[Sum; SUMS_MAX]>,
    counter: Gpr,
    start: Label,
    end: Label,
}

/// Emits the question whether a lane of `suspects` is set; what is to be emitted behind the function is given
/// back.
pub(super) fn emit(
    asm: &mut Assembler,
    check: &FusedCheck,
    sums: SmallVec<[Sum; SUMS_MAX]>,
    suspects: u8,
    general: Gpr,
) -> Careful {
    let (signs, start, end) = (check.signs.clone(), asm.label(), asm.label());
    let careful = Careful { signs, frame: check.frame, sums, counter: general, start, end };
    one(asm, VMOVMSKPS, general, suspects);
    asm.test(Size::S32, general, general);
    asm.jump_if(Condition::NotEqual, careful.start);
    asm.bind(careful.end);
    careful
}

impl Careful {
    /// Emits it: a loop over two lanes each.
    pub(super) fn emit(self, asm: &mut Assembler) {
        let Careful { signs, frame, sums, counter, start, end } = self;
        let slot = |offset: i32| Mem::base(RSP, frame + offset);
        let rows = sums.len() as i32 * 16;
        let sign = asm.constant(&[1u32 << 31; 4].map(u32::to_le_bytes).concat());
        asm.bind(start);
        for (number, sum) in sums.iter().enumerate() {
            let Signs { minus_product, minus_addend } = signs[number];
            for (row, &operand) in sum.operands.iter().enumerate() {
                let is_negative = [minus_product, false, minus_addend][row];
                let from = match operand {
                    Rm::Reg(register) if !is_negative => register,
                    _ => {
                        asm.vector(&Evex::new(VMOVAPS, Len::X, SCRATCH_VECTOR, 0, operand));
                        SCRATCH_VECTOR
                    }
                };
                if is_negative {
                    constant(asm, VPXORD, SCRATCH_VECTOR, sign);
                }
                store(asm, slot(row as i32 * ROW_BYTES + 16 * number as i32), from);
            }
        }
        for (register, number) in SAVED.into_iter().zip(0..) {
            store(asm, slot(SAVED_AT + 16 * number), register);
        }
        asm.mov_imm(counter, 0);
        let again = asm.label();
        asm.bind(again);
        let operand = |row: i32| {
            let displacement = frame + row * ROW_BYTES;
            Rm::Mem(Mem::Base { base: RSP, index: Some(counter), shift: 0, displacement })
        };
        let [sum, rest, second] = SAVED;
        two_lanes(asm, sum, operand, [rest, second]);
        asm.vector(&Evex::new(VCVTPD2PS, Len::X, sum, 0, Rm::Reg(sum)));
        asm.vector(&Evex::new(VMOVSD_STORE, Len::X, sum, 0, operand(0)));
        asm.alu_imm(Alu::Add, Size::S32, Rm::Reg(counter), 8);
        asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(counter), rows);
        asm.jump_if(Condition::NotEqual, again);
        for (register, number) in SAVED.into_iter().zip(0..) {
            load(asm, register, slot(SAVED_AT + 16 * number));
        }
        for (sum, number) in sums.iter().zip(0..) {
            load(asm, sum.result, slot(16 * number));
        }
        asm.jump(end);
    }
}

/// A sum of two doubles, from two lanes of three operands, rounded to odd.
fn two_lanes(asm: &mut Assembler, sum: u8, operand: impl Fn(i32) -> Rm, [rest, second]: [u8; 2]) {
    let scratch = SCRATCH_VECTOR;
    let to_double = |asm: &mut Assembler, to: u8, row: i32| {
        asm.vector(&Evex::new(VCVTPS2PD, Len::X, to, 0, operand(row)));
    };
    to_double(asm, rest, 0);
    to_double(asm, second, 1);
    two(asm, VMULPD, rest, second);
    to_double(asm, sum, 2);
    two(asm, VADDPD, sum, rest);
    // What the sum lacks, exactly (Knuth's sum of two).
    one(asm, VMOVAPS, second, sum);
    two(asm, VSUBPD, second, rest);
    one(asm, VMOVAPS, scratch, sum);
    two(asm, VSUBPD, scratch, second);
    two(asm, VSUBPD, rest, scratch);
    to_double(asm, scratch, 2);
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

fn constant(asm: &mut Assembler, op: VOp, to: u8, bytes: Constant) {
    asm.vector(&Evex::new(op, Len::X, to, to, Rm::Mem(Mem::Pool(bytes))));
}

fn load(asm: &mut Assembler, to: u8, from: Mem) {
    asm.vector(&Evex::new(VMOVAPS, Len::X, to, 0, Rm::Mem(from)));
}

fn store(asm: &mut Assembler, to: Mem, from: u8) {
    asm.vector(&Evex::new(VMOVAPS_STORE, Len::X, from, 0, Rm::Mem(to)));
}

/// The first bits of the doubles as the last ones.
fn last_bits(asm: &mut Assembler, register: u8) {
    let shift = Evex::new(VPSHIFT_Q_IMM, Len::X, RIGHT, register, Rm::Reg(register));
    asm.vector(&Evex { imm: Some(63), ..shift });
}
