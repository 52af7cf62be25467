//! Uniform floats, and what only vectors do to uniform integers; the few operations on general registers that
//! differ from x86-64's.

use super::{Lanes, UNIFORM_LANES};
use crate::asm::{Alu, Condition, Size};
use crate::machine::Kind;
use crate::neon::op;
use crate::select::{Selector, Unsupported};
use pyro_ir::{InstData, Opcode, Scalar, Signature};
use regalloc2::VReg;

impl Selector<'_> {
    /// Whether [`Selector::neon_uniform`] computes a uniform operation.
    pub(in crate::select) fn neon_computes_uniform(&self, data: &InstData, from: Scalar, to: Scalar) -> bool {
        match data.op.signature() {
            Signature::FloatCompare
            | Signature::FloatUnary
            | Signature::FloatBinary
            | Signature::FloatTernary
            | Signature::FloatToFloat
            | Signature::FloatToInt
            | Signature::IntToFloat
            | Signature::FromBfloat
            | Signature::ToBfloat
            | Signature::FromSrgb
            | Signature::ToSrgb => true,
            Signature::Select => to.is_float(),
            Signature::IntBinary => {
                let _ = from;
                matches!(
                    data.op,
                    Opcode::DotBytes | Opcode::DotFourBytes | Opcode::DotHalves | Opcode::ShuffleBytes
                )
            }
            _ => false,
        }
    }

    /// Computes in the first lane of vectors.
    pub(in crate::select) fn neon_uniform(&mut self, data: &InstData, from: Scalar, to: Scalar) -> VReg {
        let args: Vec<Lanes> = data
            .args
            .iter()
            .map(|&arg| {
                let scalar = self.ty(arg).scalar;
                let register = self.one(arg);
                let low = match scalar {
                    Scalar::I1 => {
                        let all = self.unary_tied(Kind::Neg(Size::S64), register);
                        self.v(op::DUP_GENERAL.lane(64, 0), &[all])
                    }
                    _ if scalar.is_float() => register,
                    _ => self.neon_from_general(register, scalar.bits()),
                };
                Lanes::from_elem(low, 1)
            })
            .collect();
        let lanes = std::mem::replace(&mut self.lanes, UNIFORM_LANES);
        let computed: Result<Lanes, Unsupported> = self.neon_compute(data, from, to, &args);
        self.lanes = lanes;
        let register = computed.expect("all that is asked for is there")[0];
        match to {
            _ if to.is_float() => register,
            Scalar::I1 => {
                let mask = self.lane_element(32, register, 0);
                self.alu_imm(Alu::And, Size::S32, mask, 1)
            }
            _ => self.lane_element(to.bits(), register, 0),
        }
    }

    /// A shift by a register, whose low bits count.
    pub(in crate::select) fn neon_shift(&mut self, op: Opcode, size: Size, value: VReg, count: VReg) -> VReg {
        let op = match op {
            Opcode::Shl => op::LSL_GENERAL,
            Opcode::LShr => op::LSR_GENERAL,
            _ => op::ASR_GENERAL,
        };
        self.general_operation(op.of(if size == Size::S64 { 64 } else { 32 }), &[value, count])
    }

    /// A quotient or remainder. The processor's quotient by zero is zero, which makes the remainder right.
    pub(in crate::select) fn neon_divide(
        &mut self,
        signed: bool,
        wants_quotient: bool,
        size: Size,
        dividend: VReg,
        divisor: VReg,
    ) -> VReg {
        let bits = if size == Size::S64 { 64 } else { 32 };
        let divide = if signed { op::SDIV } else { op::UDIV };
        let quotient = self.general_operation(divide.of(bits), &[dividend, divisor]);
        if !wants_quotient {
            return self.general_operation(op::MSUB.of(bits), &[quotient, divisor, dividend]);
        }
        let by_zero = self.unary_to(Kind::CompareImm(Condition::Equal, size, 0), divisor);
        let all = self.imm(u64::MAX);
        self.select_general(size, by_zero, all, quotient)
    }
}
