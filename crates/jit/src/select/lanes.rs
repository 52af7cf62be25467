//! Operations across lanes: ballots, broadcasts of one lane, shuffles; and splats.

use super::fold::Broadcast;
use super::vector::{Base, Memory, Source, Spec};
use super::{Registers, Selector, Unsupported};
use crate::asm::op::*;
use crate::asm::{Alu, Condition, Len, Size};
use crate::machine::inst::{GENERAL, MASK};
use crate::machine::{Helper, Kind};
use pyro_ir::{Inst, InstData, MemoryOp, Opcode, Scalar, Value};
use regalloc2::{Operand, VReg};

impl Selector<'_> {
    /// An operation that passes between uniform and varying, or between lanes.
    pub(super) fn lane_operation(&mut self, data: &InstData, result: Value) -> Result<(), Unsupported> {
        let registers: Registers = match data.op {
            Opcode::LaneId => self.multiples(1),
            Opcode::Splat => match self.constant(data.args[0]) {
                Some(_) => return Ok(()),
                None => match self.broadcasts.get(&result) {
                    Some(&Broadcast::AtSplat(load)) => self.broadcast_load(load),
                    _ => self.splat(data.args[0]),
                },
            },
            Opcode::Any => {
                let mask = self.one(data.args[0]);
                let bits = self.mask_bits(mask);
                std::iter::once(self.is_not_zero(bits)).collect()
            }
            Opcode::Ballot => {
                let mask = self.one(data.args[0]);
                std::iter::once(self.mask_bits(mask)).collect()
            }
            Opcode::MaskFromBits => {
                let bits = self.one(data.args[0]);
                std::iter::once(self.mask_from_bits(bits)).collect()
            }
            Opcode::LaneRead => std::iter::once(self.lane_read(data.args[0], data.args[1])).collect(),
            Opcode::Shuffle => match self.shuffles_in_quads(data) {
                Some(order) => {
                    let (values, pieces) = (self.used(data.args[0]), self.tiling(Scalar::I32));
                    self.each(pieces, |this, piece| {
                        this.vector(Spec::unary(VPSHUFD, pieces.len, values[piece]).imm(order))
                    })
                }
                None => self.shuffle(data.args[0], data.args[1]),
            },
            op => return Err(Unsupported(op.name().to_owned())),
        };
        self.define(result, registers.iter().copied());
        if data.op == Opcode::Splat {
            self.note_divisor(result);
        }
        Ok(())
    }

    /// 0 or 1.
    fn is_not_zero(&mut self, bits: VReg) -> VReg {
        let to = self.general();
        let kind = Kind::CompareImm(Condition::NotEqual, Size::S64, 0);
        self.push(kind, &[Operand::reg_def(to), Operand::reg_use(bits)]);
        to
    }

    /// A uniform value to all lanes.
    fn splat(&mut self, value: Value) -> Registers {
        let scalar = self.ty(value).scalar;
        // From the first lane to all: it need not go through a general register.
        if scalar == Scalar::I32
            && let Some(read) = self.def(value).filter(|data| data.op == Opcode::LaneRead)
            && self.constant(read.args[1]) == Some(0)
        {
            let (from, pieces) = (self.used(read.args[0])[0], self.tiling(scalar));
            let all = self.v1(VPBROADCASTD, pieces.len, from);
            return std::iter::repeat_n(all, pieces.count as usize).collect();
        }
        let register = self.one(value);
        if scalar == Scalar::I1 {
            let all = self.general();
            let operands = [Operand::reg_reuse_def(all, 1), Operand::reg_use(register)];
            self.push(Kind::Neg(Size::S64), &operands);
            return std::iter::once(self.mask_from_bits(all)).collect();
        }
        let pieces = self.tiling(scalar);
        let op = if scalar.is_float() {
            super::vector::broadcast_op(scalar)
        } else {
            match scalar.bits() {
                8 => VPBROADCASTB_GPR,
                16 => VPBROADCASTW_GPR,
                32 => VPBROADCASTD_GPR,
                _ => VPBROADCASTQ_GPR,
            }
        };
        let all = self.v1(op, pieces.len, register);
        std::iter::repeat_n(all, pieces.count as usize).collect()
    }

    /// A load of one element to all lanes.
    pub(super) fn broadcast_load(&mut self, load: Inst) -> Registers {
        let scalar = self.ty(self.function.insts[load].expect_result()).scalar;
        let memory = self.loaded_from(load);
        let pieces = self.tiling(scalar);
        let all = self.v1(super::vector::broadcast_op(scalar), pieces.len, Source::Memory(memory));
        std::iter::repeat_n(all, pieces.count as usize).collect()
    }

    /// Where a uniform load reads.
    pub(super) fn loaded_from(&mut self, load: Inst) -> Memory {
        let data = &self.function.insts[load];
        let &[base, offset, predicate] = data.args.as_slice() else { unreachable!("loads have a predicate") };
        self.readable(base, offset, MemoryOp::from_imm(data.imm), predicate)
    }

    /// The bits of a mask, none past the subgroup.
    pub(super) fn mask_bits(&mut self, mask: VReg) -> VReg {
        let op = match self.lanes {
            64 => KMOVQ_FROM,
            32 => KMOVD_FROM,
            16 => KMOVW_FROM,
            _ => KMOVB_FROM,
        };
        let bits = self.vector(Spec::unary(op, Len::X, mask).class(GENERAL));
        if self.lanes >= 8 {
            return bits;
        }
        self.alu_imm(Alu::And, Size::S32, bits, (1 << self.lanes) - 1)
    }

    /// The low bits of the low element, as many as 32 or 64.
    pub(super) fn general_from_vector(&mut self, register: VReg, bits: u32) -> VReg {
        if self.has_short_vectors() {
            return self.neon_to_general(register, bits);
        }
        let op = if bits == 64 { VMOVQ_FROM } else { VMOVD_FROM };
        self.vector(Spec::unary(op, Len::X, register).reversed().class(GENERAL))
    }

    /// A uniform value from the low element of a vector register.
    pub(super) fn uniform_from_low(&mut self, register: VReg, scalar: Scalar) -> VReg {
        if scalar.is_float() {
            return register;
        }
        let bits = self.general_from_vector(register, scalar.bits().max(32));
        self.clean(bits, scalar)
    }

    fn lane_read(&mut self, value: Value, lane: Value) -> VReg {
        let scalar = self.ty(value).scalar;
        if scalar == Scalar::I1 {
            let mask = self.one(value);
            let bits = self.raw_mask_bits(mask);
            let lane = self.one(lane);
            let lane = self.alu_imm(Alu::And, Size::S32, lane, self.lanes as i32 - 1);
            let shifted = self.vector(Spec::binary(SHRX64, Len::X, lane, bits).class(GENERAL));
            return self.alu_imm(Alu::And, Size::S32, shifted, 1);
        }
        let registers = self.used(value);
        let pieces = self.tiling(scalar);
        if let Some(lane) = self.constant(lane) {
            let lane = lane as u32 % self.lanes;
            let register = registers[(lane / pieces.lanes) as usize];
            let within = lane % pieces.lanes;
            let low = match (within, scalar.bits()) {
                (0, _) => Some(register),
                (_, 32) => Some(self.rotate(VALIGND, pieces.len, register, within)),
                (_, 64) => Some(self.rotate(VALIGNQ, pieces.len, register, within)),
                _ => None,
            };
            if let Some(low) = low {
                return self.uniform_from_low(low, scalar);
            }
        } else if pieces.count == 1 && scalar.bits() == 32 {
            let lane = self.one(lane);
            let index = self.v1(VPBROADCASTD_GPR, pieces.len, lane);
            let low = self.permute(pieces.len, index, registers[0]);
            return self.uniform_from_low(low, scalar);
        }
        let place = self.spill_lanes(registers, scalar);
        let lane = self.one(lane);
        let index = self.alu_imm(Alu::And, Size::S32, lane, self.lanes as i32 - 1);
        let shift = scalar.bytes().trailing_zeros() as u8;
        let memory = Memory { base: Base::Frame, index: Some(index), shift, displacement: place };
        self.load_scalar(scalar, memory)
    }

    /// The register turned so that element `count` comes first.
    fn rotate(&mut self, op: crate::asm::VOp, len: Len, register: VReg, count: u32) -> VReg {
        self.vector(Spec::binary(op, len, register, register).imm(count as u8))
    }

    /// 32-bit elements of one register by index, modulo their number.
    fn permute(&mut self, len: Len, index: VReg, from: VReg) -> VReg {
        match len {
            // The index is the second operand here.
            Len::X => self.v2(VPERMILPS_VAR, Len::X, from, index),
            _ => self.v2(VPERMD, len, index, from),
        }
    }

    fn shuffle(&mut self, value: Value, index: Value) -> Registers {
        let scalar = self.ty(value).scalar;
        if scalar == Scalar::I1 {
            let pieces = self.tiling(Scalar::I32);
            let mask = self.one(value);
            let wide = self.each(pieces, |this, piece| {
                let part = this.mask_piece(mask, piece as u32, pieces.lanes);
                this.v1(VPMOVM2D, pieces.len, part)
            });
            let index = self.used(index);
            let moved = self.shuffle_words(wide, index);
            let masks = self.each(pieces, |this, piece| {
                this.vector(Spec::unary(VPMOVD2M, pieces.len, moved[piece]).class(MASK))
            });
            return std::iter::once(self.concat_masks(&masks, pieces.lanes)).collect();
        }
        let (values, index) = (self.used(value), self.used(index));
        match scalar.bits() {
            32 => self.shuffle_words(values, index),
            // Halves and bytes move inside 32-bit lanes.
            8 | 16 => {
                let int = scalar.to_int();
                let wide = self.extend(values, int, Scalar::I32, false);
                let moved = self.shuffle_words(wide, index);
                self.truncate(moved, Scalar::I32, int)
            }
            _ => self.shuffle_slowly(values, scalar, index),
        }
    }

    /// Of a shuffle of 32-bit values whose index is known: the order in which each quad takes its own lanes,
    /// two bits for each lane, if it is the same for all quads.
    pub(super) fn shuffles_in_quads(&self, data: &InstData) -> Option<u8> {
        if self.has_short_vectors() || data.op != Opcode::Shuffle || self.ty(data.args[0]).scalar.bits() != 32
        {
            return None;
        }
        let linear = self.linear(data.args[1]).filter(|linear| linear.terms.is_empty())?;
        let from = |lane: u32| linear.constant.at(lane);
        let within = |lane: u32| from(lane) / 4 == lane / 4 && from(lane) % 4 == from(lane % 4);
        (0..self.lanes)
            .all(within)
            .then(|| (0..4).fold(0, |order, lane| order | (from(lane) as u8) << (2 * lane)))
    }

    /// 32-bit lanes by 32-bit index.
    fn shuffle_words(&mut self, values: Registers, index: Registers) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        match pieces.count {
            1 => std::iter::once(self.permute(pieces.len, index[0], values[0])).collect(),
            2 => self.each(pieces, |this, piece| this.permute_pair(index[piece], values[0], values[1])),
            _ => self.each(pieces, |this, piece| {
                let low = this.permute_pair(index[piece], values[0], values[1]);
                let high = this.permute_pair(index[piece], values[2], values[3]);
                let bit = this.constant_source(Scalar::I32, 32, VPTESTMD);
                let upper = this.vector(Spec::binary(VPTESTMD, pieces.len, index[piece], bit).class(MASK));
                this.vector(Spec::binary(VPBLENDMD, pieces.len, low, high).masked(upper))
            }),
        }
    }

    /// 32-bit elements of two full registers by index.
    pub(super) fn permute_pair(&mut self, index: VReg, low: VReg, high: VReg) -> VReg {
        self.vector(Spec::binary(VPERMI2D, Len::Z, low, high).tied(index))
    }

    fn shuffle_slowly(&mut self, values: Registers, scalar: Scalar, index: Registers) -> Registers {
        let values = self.spill_lanes(values, scalar);
        let index = self.spill_lanes(index, Scalar::I32);
        let result = self.frame(self.tiling(scalar).count * 64);
        let arguments = [
            self.imm(scalar.bytes().into()),
            self.imm(self.lanes.into()),
            self.frame_address(result),
            self.frame_address(values),
            self.frame_address(index),
        ];
        self.call_helper(Helper::Shuffle, &arguments);
        self.load_lanes(result, scalar)
    }
}
