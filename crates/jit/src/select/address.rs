//! Address patterns: which accesses are one vector move.
//!
//! The offset of an access is taken apart into a constant, uniform terms, and a multiple of the lane's number:
//! `offset = constant + sum(term * scale) + lane * stride`, modulo 2^32. Of a lane that takes part in an access
//! the offset is below 2^31 ([`pyro_ir::MemoryOp`]), so the uniform part may be computed modulo 2^32 and
//! sign-extended: where that differs from the true offset, no lane takes part.

use super::Selector;
use super::vector::{Base, Memory};
use crate::asm::{Alu, Shift, Size};
use crate::machine::{Address, Kind, NONE, Place};
use pyro_ir::{MemoryOp, Opcode, Scalar, Value};
use regalloc2::{Operand, VReg};
use smallvec::SmallVec;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;

/// A linear function of the lane's number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    /// Uniform values and their factors.
    terms: SmallVec<[(Value, u32); 3]>,
    constant: u32,
    /// From one lane to the next.
    pub stride: u32,
}

impl Linear {
    fn add(mut self, other: &Linear, factor: u32) -> Linear {
        for &(value, scale) in &other.terms {
            let scale = scale.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(known, _)| *known == value) {
                Some((_, sum)) => *sum = sum.wrapping_add(scale),
                None => self.terms.push((value, scale)),
            }
        }
        self.terms.retain(|(_, scale)| *scale != 0);
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        self.stride = self.stride.wrapping_add(other.stride.wrapping_mul(factor));
        self
    }
}

/// The uniform part of an address that was computed before in the same block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    index: Option<VReg>,
    constant: i32,
    stride: i32,
}

/// Where the lanes of an access lie.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pattern {
    /// All at one place.
    Uniform(Memory),
    /// Each a constant number of bytes behind the one before.
    Strided(Memory, i32),
    /// Anywhere: a uniform base and varying 32-bit offsets.
    Offsets(Memory, Value),
    /// Anywhere: varying 64-bit base addresses.
    Addresses,
}

impl Selector<'_> {
    /// Takes a 32-bit value apart.
    fn linear(&self, value: Value, depth: u32) -> Option<Linear> {
        let ty = self.ty(value);
        if let Some(bits) = self.constant(value) {
            return Some(Linear { constant: bits as u32, ..Linear::default() });
        }
        if ty.is_uniform() {
            return Some(Linear { terms: SmallVec::from_slice(&[(value, 1)]), ..Linear::default() });
        }
        let data = self.def(value)?;
        if depth == 0 {
            return None;
        }
        let go = |value| self.linear(value, depth - 1);
        Some(match data.op {
            Opcode::LaneId => Linear { stride: 1, ..Linear::default() },
            Opcode::Splat => go(data.args[0])?,
            Opcode::IAdd => go(data.args[0])?.add(&go(data.args[1])?, 1),
            Opcode::ISub => go(data.args[0])?.add(&go(data.args[1])?, 1u32.wrapping_neg()),
            Opcode::Shl => {
                let count = self.constant(data.args[1])? as u32 & 31;
                Linear::default().add(&go(data.args[0])?, 1 << count)
            }
            Opcode::IMul => {
                let (value, factor) = match (self.constant(data.args[0]), self.constant(data.args[1])) {
                    (_, Some(factor)) => (data.args[0], factor),
                    (Some(factor), _) => (data.args[1], factor),
                    _ => return None,
                };
                Linear::default().add(&go(value)?, factor as u32)
            }
            // The lane's number is below the number of lanes.
            Opcode::And => {
                let bits = self.constant(data.args[1])? as u32;
                let is_lane = self.def(data.args[0])?.op == Opcode::LaneId;
                let all = self.lanes - 1;
                (is_lane && bits & all == all).then(|| Linear { stride: 1, ..Linear::default() })?
            }
            _ => return None,
        })
    }

    /// The uniform values that the offset of an access is made of, if its pattern is known.
    pub(super) fn linear_terms(&self, base: Value, offset: Value) -> Option<SmallVec<[Value; 3]>> {
        let uniform_base =
            self.ty(base).is_uniform() || self.def(base).is_some_and(|data| data.op == Opcode::Splat);
        let linear = uniform_base.then(|| self.linear(offset, DEPTH))??;
        Some(linear.terms.iter().map(|&(value, _)| value).collect())
    }

    /// Bytes from one lane to the next, if they are always the same.
    pub(super) fn stride(&self, offset: Value) -> Option<u32> {
        self.linear(offset, DEPTH).map(|linear| linear.stride)
    }

    /// Computes the uniform part of a linear function as a 64-bit index and a constant.
    fn uniform_part(&mut self, linear: &Linear) -> (Option<VReg>, i32) {
        let mut constant = linear.constant as i32;
        let mut sum: Option<VReg> = None;
        for &(value, scale) in &linear.terms {
            let register = self.one(value);
            let scaled = self.scale(register, scale);
            sum = Some(match sum {
                None => scaled,
                Some(sum) => self.add_registers(Size::S32, sum, scaled),
            });
        }
        // The constant may only stay apart where it cannot wrap against the sum: small ones are the rule, but
        // the sum is arbitrary. Adding it before the sign is extended is always right.
        if let Some(register) = sum
            && constant != 0
        {
            sum = Some(self.lea(Size::S32, Base::Register(register), None, 0, constant));
            constant = 0;
        }
        let extended = sum.map(|sum| {
            let to = self.general();
            self.push(Kind::SignExtend(32, Size::S64), &[Operand::reg_def(to), Operand::reg_use(sum)]);
            to
        });
        (extended, constant)
    }

    /// `register * scale`, 32 bits.
    fn scale(&mut self, register: VReg, scale: u32) -> VReg {
        if scale == 1 {
            return register;
        }
        let to = self.general();
        if scale.is_power_of_two() {
            let count = scale.trailing_zeros() as u8;
            let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(register)];
            self.push(Kind::ShiftImm(Shift::Shl, Size::S32, count), &operands);
        } else {
            let operands = [Operand::reg_def(to), Operand::reg_use(register)];
            self.push(Kind::ImulImm(Size::S32, scale as i32), &operands);
        }
        to
    }

    /// `a + b`.
    pub(super) fn add_registers(&mut self, size: Size, a: VReg, b: VReg) -> VReg {
        self.lea(size, Base::Register(a), Some(b), 0, 0)
    }

    /// `base + index * 2^shift + displacement`.
    pub(super) fn lea(
        &mut self,
        size: Size,
        base: Base,
        index: Option<VReg>,
        shift: u8,
        displacement: i32,
    ) -> VReg {
        let to = self.general();
        let mut operands = crate::machine::Operands::new();
        operands.push(Operand::reg_def(to));
        let memory = Memory { base, index, shift, displacement };
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(Kind::Lea(size, address), &operands);
        to
    }

    /// The address of a place in the frame.
    pub(super) fn frame_address(&mut self, offset: i32) -> VReg {
        self.lea(Size::S64, Base::Frame, None, 0, offset)
    }

    /// A general register from the frame.
    pub(super) fn load_frame_general(&mut self, bits: u32, offset: i32) -> VReg {
        let to = self.general();
        let address = Address { base: Place::Frame, index: NONE, shift: 0, displacement: offset };
        self.push(Kind::Load(bits, address), &[Operand::reg_def(to)]);
        to
    }

    /// A memory operand of a uniform base and the uniform part of an offset.
    fn operand(&mut self, base: Value, known: Known, displacement: i32) -> Memory {
        let base = Base::Register(self.one(base));
        let far = i64::from(known.constant) + i64::from(displacement);
        match i32::try_from(far) {
            Ok(displacement) => Memory { base, index: known.index, shift: 0, displacement },
            Err(_) => {
                let base = Base::Register(self.lea(Size::S64, base, known.index, 0, known.constant));
                Memory { base, index: None, shift: 0, displacement }
            }
        }
    }

    /// The one address of an access with uniform base and offset.
    pub(super) fn uniform_address(&mut self, base: Value, offset: Value, op: MemoryOp) -> Memory {
        let none = Known { index: None, constant: 0, stride: 0 };
        match self.constant(offset) {
            Some(bits) if i32::try_from(bits).is_ok() => {
                let known = Known { constant: bits as i32, ..none };
                self.operand(base, known, op.displacement)
            }
            _ => {
                // Zero-extended in its register already.
                let index = Some(self.one(offset));
                self.operand(base, Known { index, ..none }, op.displacement)
            }
        }
    }

    /// How the lanes of an access with a varying predicate lie.
    pub(super) fn pattern(&mut self, base: Value, offset: Value, op: MemoryOp) -> Pattern {
        if self.ty(base).is_varying() {
            // A base that is the same in all lanes is often only written as varying.
            match self.def(base).map(|data| (data.op, data.args.first().copied())) {
                Some((Opcode::Splat, Some(uniform))) => return self.pattern(uniform, offset, op),
                _ => return Pattern::Addresses,
            }
        }
        if self.ty(offset).scalar == Scalar::I64 {
            return match (self.ty(offset).is_uniform(), self.constant(offset)) {
                (true, _) => Pattern::Uniform(self.uniform_address(base, offset, op)),
                (false, Some(bits)) if i32::try_from(bits).is_ok() => {
                    let known = Known { index: None, constant: bits as i32, stride: 0 };
                    Pattern::Uniform(self.operand(base, known, op.displacement))
                }
                _ => Pattern::Addresses,
            };
        }
        let known = match self.addresses.get(&(base, offset)) {
            Some(&known) => known,
            None => {
                let Some(linear) = self.linear(offset, DEPTH) else {
                    let memory =
                        self.operand(base, Known { index: None, constant: 0, stride: 0 }, op.displacement);
                    return Pattern::Offsets(memory, offset);
                };
                let (index, constant) = self.uniform_part(&linear);
                let known = Known { index, constant, stride: linear.stride as i32 };
                self.addresses.insert((base, offset), known);
                known
            }
        };
        let memory = self.operand(base, known, op.displacement);
        match known.stride {
            0 => Pattern::Uniform(memory),
            stride => Pattern::Strided(memory, stride),
        }
    }

    /// `to = a op b`.
    pub(super) fn alu(&mut self, op: Alu, size: Size, a: VReg, b: VReg) -> VReg {
        let to = self.general();
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(a), Operand::reg_use(b)];
        self.push(Kind::Alu(op, size), &operands);
        to
    }

    /// `to = a op imm`.
    pub(super) fn alu_imm(&mut self, op: Alu, size: Size, a: VReg, imm: i32) -> VReg {
        let to = self.general();
        self.push(Kind::AluImm(op, size, imm), &[Operand::reg_reuse_def(to, 1), Operand::reg_use(a)]);
        to
    }
}
