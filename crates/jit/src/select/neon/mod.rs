//! Selection for vectors of 128 bits, in NEON's instructions: what varying values become, and floats that are
//! uniform. Code for SSE4.1 is made from it by [`crate::sse`]; what that has to ask otherwise is in `sse`.
//!
//! Problem: registers have 128 bits, there are no masks of memory accesses and no gathers; but there are
//! three operands to everything, and widening and narrowing are part of many instructions.
//!
//! Approach: a varying value is as many registers as its lanes fill ([`Lanes`]), and each operation is made
//! for every one of them. A varying truth value is a vector of 32-bit lanes, all ones or zeros, whatever was
//! compared: what has other lanes is widened or narrowed by one instruction for each two registers. Uniform
//! floats are computed as vectors of [`UNIFORM_LANES`], of which the first counts. What has no instructions
//! is asked of the runtime, lane by lane ([`Selector::neon_evaluate`]).
//!
//! Uniform integers, addresses, patterns of accesses, folding and control flow are those of all processors.

mod arithmetic;
mod convert;
mod lanes;
mod memory;
mod sse;
mod uniform;

use super::Selector;
use crate::machine::inst::{GENERAL, VECTOR};
use crate::machine::{Address, AddressBase, Kind, NONE};
use crate::neon::op;
use crate::neon::{Encoded, op::Op};
use crate::sse::strips::{NO_STRIP, STRIPS};
use pyro_ir::{Scalar, Value};
use regalloc2::{Operand, RegClass, VReg};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// The registers of a varying value.
pub(super) type Lanes = SmallVec<[VReg; 8]>;

/// Lanes of the vectors in which uniform floats are computed: all types fill one register at most.
const UNIFORM_LANES: u32 = 2;

/// Constants that are kept in registers for the instructions that follow. Each is one instruction to make
/// again.
const CONSTANTS_KEPT: usize = 6;

/// What selection for NEON remembers.
#[derive(Default)]
pub(super) struct State {
    /// The registers of varying values.
    values: HashMap<Value, Lanes>,
    /// Of masks in this block: a general register that is zero unless all lanes take part.
    all: HashMap<Value, VReg>,
    /// Constants made in this block, the last ones.
    constants: Vec<([u8; 16], VReg)>,
    /// Registers that are known to be zero.
    zeros: HashSet<VReg>,
}

impl State {
    /// Registers of one block are not those of another.
    pub(super) fn start_block(&mut self) {
        self.all.clear();
        self.constants.clear();
    }

    /// Constants of earlier instructions stay in registers as long as they are few.
    pub(super) fn start_instruction(&mut self) {
        let old = self.constants.len().saturating_sub(CONSTANTS_KEPT);
        self.constants.drain(..old);
    }

    /// Which part of the lanes each register has, of so many registers; none where it has several.
    pub(super) fn strips(&self, register_count: usize) -> Vec<u8> {
        let mut strips = vec![None; register_count];
        for registers in self.values.values().filter(|registers| registers.len() > 1) {
            for (index, register) in registers.iter().enumerate() {
                let strip = (index * STRIPS / registers.len()) as u8;
                let known = strips[register.vreg()].get_or_insert(strip);
                if *known != strip {
                    *known = NO_STRIP;
                }
            }
        }
        strips.into_iter().map(|strip| strip.unwrap_or(NO_STRIP)).collect()
    }

    /// Registers do not survive a call.
    pub(super) fn forget_constants(&mut self) {
        self.constants.clear();
    }
}

/// The registers that `lanes` lanes of so many bits fill.
fn register_count(lanes: u32, bits: u32) -> usize {
    (lanes * bits).div_ceil(128).max(1) as usize
}

/// The instruction that makes a constant without memory, if there is one.
fn immediate(bytes: &[u8; 16]) -> Option<Encoded> {
    let modified = |op: u32, cmode: u32, imm: u8| {
        let imm = u32::from(imm);
        op::MOVI.one().bits(29, op).bits(12, cmode).bits(16, imm >> 5).bits(5, imm & 31)
    };
    if bytes.iter().all(|&byte| byte == bytes[0]) {
        return Some(modified(0, 14, bytes[0]));
    }
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    if bytes.chunks(4).any(|other| other != &bytes[..4]) {
        return None;
    }
    for position in 0..4 {
        let shift = 8 * position;
        if word & !(0xff << shift) == 0 {
            return Some(modified(0, 2 * position, (word >> shift) as u8));
        }
        if !word & !(0xff << shift) == 0 {
            return Some(modified(1, 2 * position, (!word >> shift) as u8));
        }
    }
    if word >> 16 == word & 0xffff {
        for position in 0..2 {
            let shift = 8 * position;
            if word & 0xffff & !(0xff << shift) == 0 {
                return Some(modified(0, 8 + 2 * position, (word >> shift) as u8));
            }
        }
    }
    // Floats of few bits: a sign, an exponent from -3 to 4, four bits of fraction.
    let (sign, exponent, fraction) = (word >> 31, word >> 25 & 0x3f, word >> 19 & 0x3f);
    if word & 0x7_ffff == 0 && matches!(exponent, 0x1f | 0x20) {
        let imm = sign << 7 | u32::from(exponent == 0x1f) << 6 | fraction;
        return Some(modified(0, 15, imm as u8));
    }
    None
}

impl Selector<'_> {
    /// Whether a value is in [`Lanes`].
    pub(super) fn is_in_lanes(&self, value: Value) -> bool {
        self.has_short_vectors() && self.ty(value).is_varying()
    }

    /// The registers that a varying value's definition fills.
    pub(super) fn lane_registers(&mut self, value: Value) -> Lanes {
        let value = self.root(value);
        if let Some(known) = self.neon.values.get(&value) {
            return known.clone();
        }
        let (class, count) = self.layout(self.ty(value));
        let registers: Lanes = (0..count).map(|_| self.code.vreg(class)).collect();
        self.neon.values.insert(value, registers.clone());
        registers
    }

    /// The registers of a varying value that is used: constants are made here.
    pub(super) fn lanes_of(&mut self, value: Value) -> Lanes {
        let Some(bits) = self.constant(value) else { return self.lane_registers(value) };
        let ty = self.ty(value);
        let register = match ty.scalar {
            Scalar::I1 => self.neon_constant(Scalar::I32, if bits & 1 != 0 { 0xffff_ffff } else { 0 }),
            scalar => self.neon_constant(scalar, bits),
        };
        let (_, count) = self.layout(ty);
        std::iter::repeat_n(register, count as usize).collect()
    }

    /// Makes the registers of a result be `from`.
    pub(super) fn define_lanes(&mut self, value: Value, from: Lanes) {
        let value = self.root(value);
        match self.neon.values.get(&value) {
            // Somebody has used it already (in a block that comes earlier in the order).
            Some(registers) => {
                for (to, from) in registers.clone().into_iter().zip(from) {
                    self.copy_lanes(to, from);
                }
            }
            None => {
                self.neon.values.insert(value, from);
            }
        }
    }

    /// Copies a vector register.
    pub(super) fn copy_lanes(&mut self, to: VReg, from: VReg) {
        let operands = [Operand::reg_def(to), Operand::reg_use(from), Operand::reg_use(from)];
        self.push(Kind::Neon(op::ORR.one()), &operands);
    }

    /// An instruction; what its result holds before comes first where that matters.
    fn made(&mut self, class: RegClass, encoded: Encoded, uses: &[VReg]) -> VReg {
        let to = self.code.vreg(class);
        let result =
            if encoded.row.form.is_tied() { Operand::reg_reuse_def(to, 1) } else { Operand::reg_def(to) };
        let uses = uses.iter().map(|&register| Operand::reg_use(register));
        let operands: crate::machine::Operands = std::iter::once(result).chain(uses).collect();
        self.push(Kind::Neon(encoded), &operands);
        to
    }

    /// An instruction that gives a vector.
    fn v(&mut self, encoded: Encoded, uses: &[VReg]) -> VReg {
        self.made(VECTOR, encoded, uses)
    }

    /// An instruction that gives a general register.
    pub(super) fn general_operation(&mut self, encoded: Encoded, uses: &[VReg]) -> VReg {
        self.made(GENERAL, encoded, uses)
    }

    /// The same for each register of a value.
    fn each_lane(&mut self, encoded: Encoded, a: &[VReg]) -> Lanes {
        a.iter().map(|&a| self.v(encoded, &[a])).collect()
    }

    /// The same for each pair of registers of two values.
    fn each_pair(&mut self, encoded: Encoded, a: &[VReg], b: &[VReg]) -> Lanes {
        a.iter().zip(b).map(|(&a, &b)| self.v(encoded, &[a, b])).collect()
    }

    /// An operation of every processor, by width: on each pair of registers.
    fn each_sized(&mut self, op: Op, bits: u32, a: &[VReg], b: &[VReg]) -> Lanes {
        self.each_pair(op.of(bits), a, b)
    }

    /// A constant in all lanes of one register.
    pub(super) fn neon_constant(&mut self, scalar: Scalar, bits: u64) -> VReg {
        let bytes = bits.to_le_bytes();
        let mut lanes = bytes[..scalar.bytes() as usize].iter().copied().cycle();
        self.constant_register(std::array::from_fn(|_| lanes.next().expect("cycles")))
    }

    /// A register with these bytes.
    fn constant_register(&mut self, bytes: [u8; 16]) -> VReg {
        if let Some(at) = self.neon.constants.iter().position(|(known, _)| *known == bytes) {
            // The last that was used goes last.
            let found = self.neon.constants.remove(at);
            self.neon.constants.push(found);
            return found.1;
        }
        // SSE4.1 has constants in memory, as operands of their users.
        let register = match immediate(&bytes).filter(|_| self.is_arm()) {
            Some(encoded) => self.v(encoded, &[]),
            None => {
                let constant = self.asm.constant(&bytes);
                let to = self.code.vreg(VECTOR);
                self.push(Kind::VectorConstant(constant), &[Operand::reg_def(to)]);
                to
            }
        };
        if bytes == [0; 16] {
            self.neon.zeros.insert(register);
        }
        self.neon.constants.push((bytes, register));
        register
    }

    /// A number for each lane, in elements of so many bits.
    pub(super) fn lane_constants(&mut self, bits: u32, number: impl Fn(u32) -> u64) -> Lanes {
        let (per_register, bytes) = (128 / bits, bits as usize / 8);
        let count = register_count(self.lanes, bits) as u32;
        (0..count)
            .map(|register| {
                let mut all = [0; 16];
                for (index, element) in (0..).zip(all.chunks_mut(bytes)) {
                    let lane = register * per_register + index;
                    if lane < self.lanes {
                        element.copy_from_slice(&number(lane).to_le_bytes()[..bytes]);
                    }
                }
                self.constant_register(all)
            })
            .collect()
    }

    /// Room in the frame with all lanes of a value.
    fn lanes_to_frame(&mut self, registers: &[VReg]) -> i32 {
        let place = self.frame(registers.len() as u32 * 16);
        for (index, &register) in registers.iter().enumerate() {
            let address = frame_place(place + 16 * index as i32);
            self.push(Kind::VectorStore(16, address), &[Operand::reg_use(register)]);
        }
        place
    }

    /// All lanes of a value from the frame.
    fn lanes_from_frame(&mut self, place: i32, bits: u32) -> Lanes {
        (0..register_count(self.lanes, bits) as i32)
            .map(|index| {
                let to = self.code.vreg(VECTOR);
                let address = frame_place(place + 16 * index);
                self.push(Kind::VectorLoad(16, address), &[Operand::reg_def(to)]);
                to
            })
            .collect()
    }
}

fn frame_place(offset: i32) -> Address {
    Address { base: AddressBase::Frame, index: NONE, shift: 0, displacement: offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_few_bits_need_no_memory() {
        let words = |word: u32| immediate(&std::array::from_fn(|byte| word.to_le_bytes()[byte % 4]));
        let float = |value: f32| words(value.to_bits());
        for word in [0, 0xffff_ffff, 0x80, 0xff00, 0x7f_0000, 0x8000_0000, 0x7fff_ffff, 0x8000_8000] {
            assert!(words(word).is_some(), "{word:#x}");
        }
        for value in [1.0, -1.0, 0.5, 2.0, 31.0, 0.125, -0.1875] {
            assert!(float(value).is_some(), "{value}");
        }
        for value in [0.1, 33.0, 0.0625] {
            assert!(float(value).is_none(), "{value}");
        }
    }
}
