//! What SSE4.1 does in ways of its own, or not at all: everything else is asked of NEON's instructions, which
//! [`crate::sse`] rewrites.

use super::Lanes;
use crate::asm::op::*;
use crate::asm::{Alu, Condition, Len, Shift, Size, VOp};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, RmSlot, VECTOR};
use crate::machine::{Kind, NONE, Operands, Vector};
use crate::neon::op;
use crate::select::Selector;
use crate::select::vector::Spec;
use pyro_ir::{InstData, Opcode, Scalar, Signature};
use regalloc2::{Operand, VReg};

impl Selector<'_> {
    /// Whether code is for SSE4.1.
    pub(super) fn is_sse(&self) -> bool {
        self.features.level == Level::Sse41
    }

    /// Whether the runtime computes an operation on varying values, lane by lane.
    pub(super) fn sse_lacks(&self, data: &InstData, from: Scalar, to: Scalar) -> bool {
        use Signature as S;
        match data.op.signature() {
            S::FloatTernary => to == Scalar::F64,
            S::IntBinary | S::BitBinary if matches!(data.op, Opcode::Shl | Opcode::LShr | Opcode::AShr) => {
                to.bits() < 32 || (to.bits() == 64 && data.op == Opcode::AShr)
            }
            S::FloatToInt => from == Scalar::F64 || to == Scalar::I64,
            S::FloatToFloat => (from, to) == (Scalar::F64, Scalar::F16),
            S::IntToFloat => {
                (from == Scalar::I64 && to != Scalar::F64) || (from == Scalar::I32 && to == Scalar::F16)
            }
            _ => false,
        }
    }

    /// An instruction of two operands, the first in the result's register.
    fn sse2(&mut self, op: VOp, a: VReg, b: VReg) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, Some(a), b, None);
        to
    }

    fn sse_imm(&mut self, op: VOp, a: VReg, b: VReg, imm: u8) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, Some(a), b, Some(imm));
        to
    }

    fn sse1(&mut self, op: VOp, a: VReg) -> VReg {
        let to = self.code.vreg(VECTOR);
        self.sse_vector(op, to, None, a, None);
        to
    }

    fn sse_vector(&mut self, op: VOp, to: VReg, first: Option<VReg>, second: VReg, imm: Option<u8>) {
        let mut operands = Operands::new();
        operands.push(if first.is_some() { Operand::reg_reuse_def(to, 1) } else { Operand::reg_def(to) });
        operands.extend(first.map(Operand::reg_use));
        operands.push(Operand::reg_use(second));
        let rm = RmSlot::Reg(operands.len() as u8 - 1);
        let vvvv = if first.is_some() { 1 } else { NONE };
        self.push(Kind::Vector(Vector { imm, ..Vector::new(op, Len::X, 0, vvvv, rm) }), &operands);
    }

    /// Signs of the lanes, in a general register.
    fn signs(&mut self, op: VOp, value: VReg) -> VReg {
        self.vector(Spec::unary(op, Len::X, value).class(GENERAL))
    }

    /// 1 if a lane of the mask, joined from its registers, is set, else 0.
    pub(super) fn sse_any(&mut self, joined: VReg) -> VReg {
        let signs = self.signs(VMOVMSKPS, joined);
        self.unary_to(Kind::CompareImm(Condition::NotEqual, Size::S32, 0), signs)
    }

    /// 1 if all four lanes are set, else 0.
    pub(super) fn sse_all(&mut self, joined: VReg) -> VReg {
        let signs = self.signs(VMOVMSKPS, joined);
        self.unary_to(Kind::CompareImm(Condition::Equal, Size::S32, 15), signs)
    }

    /// A bit for each lane.
    pub(super) fn sse_ballot(&mut self, mask: &[VReg]) -> VReg {
        if let &[only] = mask {
            return match self.lanes {
                4 => self.signs(VMOVMSKPS, only),
                lanes => {
                    let signs = self.signs(VMOVMSKPS, only);
                    self.alu_imm(Alu::And, Size::S32, signs, (1 << lanes) - 1)
                }
            };
        }
        let mut narrow: Lanes = mask.into();
        for op in [VPACKSSDW, VPACKSSWB] {
            narrow = narrow
                .chunks(2)
                .map(|pair| self.sse2(op, pair[0], *pair.last().expect("not empty")))
                .collect();
        }
        let mut bits = self.signs(VPMOVMSKB, narrow[0]);
        if self.lanes < 16 {
            return self.alu_imm(Alu::And, Size::S32, bits, (1 << self.lanes) - 1);
        }
        for (register, index) in narrow[1..].iter().copied().zip(1u8..) {
            let more = self.signs(VPMOVMSKB, register);
            let more = self.unary_tied(Kind::ShiftImm(Shift::Shl, Size::S64, 16 * index), more);
            bits = self.alu(Alu::Or, Size::S64, bits, more);
        }
        bits
    }

    /// Shifts by counts of each lane, of 32 or 64 bits, that are less than the width.
    pub(super) fn sse_shifts(&mut self, op: Opcode, bits: u32, a: &[VReg], counts: &[VReg]) -> Lanes {
        a.iter()
            .zip(counts)
            .map(|(&a, &count)| match (op, bits) {
                (Opcode::Shl, 32) => self.shift_words_left(a, count),
                (_, 32) => {
                    self.shift_words(if op == Opcode::AShr { VPSRAD_COUNT } else { VPSRLD_COUNT }, a, count)
                }
                _ => {
                    let op = if op == Opcode::Shl { VPSLLQ_COUNT } else { VPSRLQ_COUNT };
                    let second = self.v(op::DUP.lane(64, 1), &[count]);
                    let (low, high) = (self.sse2(op, a, count), self.sse2(op, a, second));
                    self.sse_imm(VPBLENDW, low, high, 0xf0)
                }
            })
            .collect()
    }

    /// By a product with a power of two, which is a float with the count as exponent. Of 2^31, which is none
    /// of the signed numbers, the conversion gives the bits that are wanted.
    fn shift_words_left(&mut self, a: VReg, count: VReg) -> VReg {
        let exponent = self.v(op::SHL.shift(32, 23), &[count]);
        let one = self.neon_constant(Scalar::F32, 1f32.to_bits().into());
        let power = self.v(op::ADD.of(32), &[exponent, one]);
        let power = self.sse1(VCVTTPS2DQ, power);
        self.v(op::MUL.of(32), &[a, power])
    }

    /// All lanes by the count of each, of which one lane is taken.
    fn shift_words(&mut self, op: VOp, a: VReg, count: VReg) -> VReg {
        let high = self.v(op::DUP.lane(64, 1), &[count]);
        let mut shifted = Lanes::new();
        for pair in [count, high] {
            let even = self.v(op::USHLL.shift(32, 0), &[pair]);
            let odd = self.v(op::USHR.shift(64, 32), &[pair]);
            shifted.push(self.sse2(op, a, even));
            shifted.push(self.sse2(op, a, odd));
        }
        let low = self.sse_imm(VPBLENDW, shifted[0], shifted[1], 0x0c);
        let high = self.sse_imm(VPBLENDW, shifted[2], shifted[3], 0xc0);
        self.sse_imm(VPBLENDW, low, high, 0xf0)
    }

    /// Zero bits above the highest one: the ones of what is left when all below it are set.
    pub(super) fn sse_leading_zeros(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        let mut filled: Lanes = value.into();
        let mut distance = 1;
        while distance < bits {
            let shifted = self.each_lane(op::USHR.shift(bits, distance), &filled);
            filled = self.each_pair(op::ORR.one(), &filled, &shifted);
            distance *= 2;
        }
        let above = self.each_lane(op::NOT.one(), &filled);
        self.integer_lanes(Opcode::PopCount, bits, &above)
    }

    /// Zero bits below the lowest one.
    pub(super) fn sse_trailing_zeros(&mut self, bits: u32, value: &[VReg]) -> Lanes {
        let minus_one = self.neon_constant(Scalar::I8, 0xff);
        let less: Lanes = value.iter().map(|&value| self.v(op::ADD.of(bits), &[value, minus_one])).collect();
        let below = self.each_pair(op::BIC.one(), &less, value);
        self.integer_lanes(Opcode::PopCount, bits, &below)
    }

    /// `a < b ? a : b`, which is what the instruction does, or the greater one.
    pub(super) fn sse_min_max(&mut self, op: Opcode, scalar: Scalar, a: &[VReg], b: &[VReg]) -> Lanes {
        let op = match (op, scalar) {
            (Opcode::FMin, Scalar::F32) => VMINPS,
            (Opcode::FMin, _) => VMINPD,
            (_, Scalar::F32) => VMAXPS,
            (_, _) => VMAXPD,
        };
        a.iter().zip(b).map(|(&a, &b)| self.sse2(op, a, b)).collect()
    }
}
