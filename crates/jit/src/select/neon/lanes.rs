//! Operations across lanes: ballots, splats, broadcasts of one lane, shuffles.

use super::{Lanes, register_count};
use crate::asm::{Alu, Shift, Size};
use crate::machine::inst::VECTOR;
use crate::machine::{Helper, Kind};
use crate::neon::op;
use crate::select::Selector;
use crate::select::vector::{Base, Memory};
use pyro_ir::{InstData, Opcode, Scalar, Value};
use regalloc2::{Operand, VReg};

impl Selector<'_> {
    /// An operation that passes between uniform and varying, or between lanes.
    pub(in crate::select) fn neon_lane_operation(&mut self, data: &InstData, result: Value) {
        let registers = match data.op {
            Opcode::LaneId => self.lane_constants(32, u64::from),
            Opcode::Splat => match self.constant(data.args[0]) {
                Some(_) => return,
                None => self.neon_splat(data.args[0]),
            },
            Opcode::Any => {
                let any = self.any_lane(data.args[0]);
                let any = self.alu_imm(Alu::And, Size::S32, any, 1);
                return self.define(result, [any]);
            }
            Opcode::Ballot => {
                let mask = self.lanes_of(data.args[0]);
                let bits = self.ballot(&mask);
                return self.define(result, [bits]);
            }
            Opcode::LaneRead => {
                let read = self.neon_lane_read(data.args[0], data.args[1]);
                return self.define(result, [read]);
            }
            Opcode::MaskFromBits => {
                let bits = self.one(data.args[0]);
                self.lanes_from_bits(bits)
            }
            _ => self.neon_shuffle(data.args[0], data.args[1]),
        };
        self.define_lanes(result, registers);
    }

    fn neon_splat(&mut self, value: Value) -> Lanes {
        let scalar = self.ty(value).scalar;
        let mut register = self.one(value);
        let bits = if scalar == Scalar::I1 { 32 } else { scalar.bits() };
        if scalar == Scalar::I1 {
            register = self.unary_tied(Kind::Neg(Size::S32), register);
        }
        let op = if scalar.is_float() { op::DUP } else { op::DUP_GENERAL };
        let all = self.v(op.lane(bits, 0), &[register]);
        std::iter::repeat_n(all, register_count(self.lanes, bits)).collect()
    }

    /// Joins registers by an operation of two.
    fn joined(&mut self, encoded: op::Encoded, registers: &[VReg]) -> VReg {
        let mut registers: Lanes = registers.into();
        while registers.len() > 1 {
            registers = registers
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] if a != b => self.v(encoded, &[a, b]),
                    _ => pair[0],
                })
                .collect();
        }
        registers[0]
    }

    /// Not zero, with the lowest bit set, if a lane of the mask is set, else zero, in a general register.
    pub(in crate::select) fn any_lane(&mut self, mask: Value) -> VReg {
        let mask = self.lanes_of(mask);
        let any = self.joined(op::ORR.one(), &mask);
        if self.is_sse() {
            return self.sse_any(any);
        }
        let any = self.v(op::UMAXV.one(), &[any]);
        self.lane_element(32, any, 0)
    }

    /// Not zero if all lanes of the mask are set, else zero, in a general register; once in each block.
    pub(super) fn all_lanes(&mut self, mask: Value) -> VReg {
        if let Some(&known) = self.neon.all.get(&mask) {
            return known;
        }
        let registers = self.lanes_of(mask);
        let all = self.joined(op::AND.one(), &registers);
        let all = match self.is_sse() {
            true => self.sse_all(all),
            false => {
                let least = self.v(op::UMINV.one(), &[all]);
                self.lane_element(32, least, 0)
            }
        };
        self.neon.all.insert(mask, all);
        all
    }

    /// A bit for each lane: bytes with their bit of eight are added up.
    pub(super) fn ballot(&mut self, mask: &[VReg]) -> VReg {
        if self.is_sse() {
            return self.sse_ballot(mask);
        }
        let bytes = self.narrowed(mask, 32, 8);
        let lanes = self.lanes;
        let bit = self.constant_register(std::array::from_fn(|byte| match (byte as u32) < lanes {
            true => 1 << (byte % 8),
            false => 0,
        }));
        let mut sums: Lanes = bytes.iter().map(|&bytes| self.v(op::AND.one(), &[bytes, bit])).collect();
        for _ in 0..3 {
            sums = sums
                .chunks(2)
                .map(|pair| self.v(op::ADDP.of(8), &[pair[0], *pair.last().expect("not empty")]))
                .collect();
        }
        match lanes {
            64 => self.lane_element(64, sums[0], 0),
            32 => self.lane_element(32, sums[0], 0),
            _ => self.lane_element(16, sums[0], 0),
        }
    }

    /// The lanes whose bits are set.
    fn lanes_from_bits(&mut self, bits: VReg) -> Lanes {
        let low = self.v(op::DUP_GENERAL.lane(32, 0), &[bits]);
        let high = (self.lanes > 32).then(|| {
            let high = self.unary_tied(Kind::ShiftImm(Shift::Shr, Size::S64, 32), bits);
            self.v(op::DUP_GENERAL.lane(32, 0), &[high])
        });
        let numbers = self.lane_constants(32, |lane| 1 << (lane % 32));
        let words = (0..numbers.len()).map(|index| if index < 8 { low } else { high.unwrap_or(low) });
        let words: Lanes = words.collect();
        if self.is_sse() {
            let bits = self.each_pair(op::AND.one(), &words, &numbers);
            return self.each_pair(op::CMEQ.of(32), &bits, &numbers);
        }
        self.each_pair(op::CMTST.of(32), &words, &numbers)
    }

    fn neon_lane_read(&mut self, value: Value, lane: Value) -> VReg {
        let scalar = self.ty(value).scalar;
        let registers = self.lanes_of(value);
        let bits = if scalar == Scalar::I1 { 32 } else { scalar.bits() };
        if let Some(lane) = self.constant(lane) {
            let lane = lane as u32 % self.lanes;
            let (register, within) = (registers[(lane * bits / 128) as usize], lane % (128 / bits));
            if scalar.is_float() {
                return match within {
                    0 => register,
                    _ => self.v(op::DUP.lane(bits, within), &[register]),
                };
            }
            let element = self.lane_element(bits, register, within);
            return match scalar {
                Scalar::I1 => self.alu_imm(Alu::And, Size::S32, element, 1),
                _ => element,
            };
        }
        let place = self.lanes_to_frame(&registers);
        let lane = self.one(lane);
        let index = self.alu_imm(Alu::And, Size::S32, lane, self.lanes as i32 - 1);
        let shift = (bits / 8).trailing_zeros() as u8;
        let memory = Memory { base: Base::Frame, index: Some(index), shift, displacement: place };
        if scalar == Scalar::I1 {
            let word = self.load_general(32, memory);
            return self.alu_imm(Alu::And, Size::S32, word, 1);
        }
        self.load_scalar(scalar, memory)
    }

    fn shuffled_by_runtime(&mut self, scalar: Scalar, values: &[VReg], index: &[VReg]) -> Lanes {
        let (values, index) = (self.lanes_to_frame(values), self.lanes_to_frame(index));
        let result = self.frame(register_count(self.lanes, scalar.bits()) as u32 * 16);
        let arguments = [
            self.imm(scalar.bytes().into()),
            self.imm(self.lanes.into()),
            self.frame_address(result),
            self.frame_address(values),
            self.frame_address(index),
        ];
        self.call_helper(Helper::Shuffle, &arguments);
        self.lanes_from_frame(result, scalar.bits())
    }

    /// Where the lanes' numbers are not known, for SSE4.1 each is loaded from memory that all are stored in:
    /// with as few lanes to a register, that is less than permuting all registers for each one and choosing.
    fn neon_shuffle(&mut self, value: Value, index: Value) -> Lanes {
        let scalar = match self.ty(value).scalar {
            Scalar::I1 => Scalar::I32,
            scalar => scalar,
        };
        let values = self.lanes_of(value);
        if self.is_sse() && scalar.bits() == 32 {
            let linear = self.linear(index).filter(|linear| linear.terms.is_empty());
            if let Some(linear) = linear {
                let lanes = self.lanes;
                return self.sse_shuffle(&values, |lane| linear.constant.at(lane) % lanes);
            }
        }
        let index = self.lanes_of(index);
        if self.is_arm() {
            return self.shuffled_by_runtime(scalar, &values, &index);
        }
        let last = self.neon_constant(Scalar::I32, u64::from(self.lanes) - 1);
        let shift = scalar.bytes().trailing_zeros();
        let offsets: Lanes = index
            .iter()
            .map(|&index| {
                let lane = self.v(op::AND.one(), &[index, last]);
                if shift == 0 { lane } else { self.v(op::SHL.shift(32, shift), &[lane]) }
            })
            .collect();
        let place = self.lanes_to_frame(&values);
        self.load_from_frame(scalar, place, &offsets)
    }

    /// A general register as the low element of a vector.
    pub(in crate::select) fn neon_from_general(&mut self, general: VReg, bits: u32) -> VReg {
        let op = if bits == 64 { op::FMOV_FROM_GENERAL_QUAD } else { op::FMOV_FROM_GENERAL };
        self.v(op.one(), &[general])
    }

    /// The low element of a vector, 32 or 64 bits.
    pub(in crate::select) fn neon_to_general(&mut self, vector: VReg, bits: u32) -> VReg {
        self.lane_element(bits, vector, 0)
    }

    /// A vector register from memory: so many bytes, the others zero.
    pub(in crate::select) fn load_bytes(&mut self, bytes: u32, memory: Memory) -> VReg {
        let to = self.code.vreg(VECTOR);
        let mut operands = crate::machine::Operands::new();
        operands.push(Operand::reg_def(to));
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(Kind::VectorLoad(bytes, address), &operands);
        to
    }

    /// The low bytes of a vector register to memory.
    pub(in crate::select) fn store_bytes(&mut self, bytes: u32, from: VReg, memory: Memory) {
        let mut operands = crate::machine::Operands::new();
        operands.push(Operand::reg_use(from));
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(Kind::VectorStore(bytes, address), &operands);
    }
}
