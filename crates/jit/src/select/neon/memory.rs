//! Loads, stores and atomics: from an access's address pattern to instructions.

use super::{Lanes, register_count};
use crate::asm::{RAX, Size};
use crate::machine::inst::{GENERAL, VECTOR};
use crate::machine::{Kind, LaneLoop, LaneOp, Operands};
use crate::neon::{LaneAccess, LanePlaces, op};
use crate::select::address::{Pattern, RegisterBlock, Use};
use crate::select::vector::{Base, Memory, late_use};
use crate::select::{Selector, Unsupported};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Signature, Value};
use regalloc2::{Operand, PReg, VReg};

/// Registers of a value that one question after the mask is for: with their masks they must find room.
const CONSECUTIVE_MAX: usize = 4;

/// Which lanes take part: all, or those of a mask.
#[derive(Clone)]
struct Predicate {
    mask: Option<(Value, Lanes)>,
    /// Those of the mask, where they are known.
    known: Option<u64>,
}

/// Which lanes of a register take part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    None,
    All,
    /// Those of the mask.
    Some,
}

impl Predicate {
    /// Those from `first` on.
    fn part(&self, first: u32, lanes: u32) -> Part {
        if self.mask.is_none() {
            return Part::All;
        }
        let all = u64::MAX >> (64 - lanes);
        match self.known.map(|known| known >> first & all) {
            Some(0) => Part::None,
            Some(known) if known == all => Part::All,
            _ => Part::Some,
        }
    }
}

/// An access to all lanes.
struct Access<'a> {
    scalar: Scalar,
    predicate: &'a Predicate,
    /// What is stored.
    values: Option<&'a [VReg]>,
}

impl Access<'_> {
    /// Whether lanes in pairs may be moved pair by pair.
    fn moves_pairs(&self, op: MemoryOp) -> bool {
        self.predicate.mask.is_none() || (self.values.is_some() && op.whole_pairs)
    }
}

/// A result that is written while other operands are read.
fn early_def(register: VReg) -> Operand {
    use regalloc2::{OperandConstraint, OperandKind, OperandPos};
    Operand::new(register, OperandConstraint::Reg, OperandKind::Def, OperandPos::Early)
}

impl Selector<'_> {
    /// A memory operation.
    pub(in crate::select) fn neon_memory(&mut self, data: &InstData) -> Result<(), Unsupported> {
        let op = MemoryOp::from_imm(data.imm);
        let predicate = data.args[data.args.len() - 1];
        let (base, offset) = (data.args[0], data.args[1]);
        match data.op.signature() {
            Signature::Load => {
                let result = data.expect_result();
                if self.uses[result] == 0 && !op.volatile {
                    return Ok(());
                }
                let scalar = self.ty(result).scalar;
                if self.ty(predicate).is_uniform() {
                    self.load_uniform(result, scalar, base, offset, op, predicate);
                    return Ok(());
                }
                let predicate = self.neon_predicate(predicate);
                let how = if predicate.mask.is_none() { Use::LoadAll } else { Use::Load };
                let pattern = self.pattern(base, offset, op, scalar, how);
                let access = Access { scalar, predicate: &predicate, values: None };
                let loaded = self.access_lanes(&access, pattern, base, offset, op);
                self.define_lanes(result, loaded);
            }
            Signature::Store => {
                let value = data.args[2];
                let scalar = self.ty(value).scalar;
                if self.ty(predicate).is_uniform() {
                    self.store_uniform(value, scalar, base, offset, op, predicate);
                    return Ok(());
                }
                let predicate = self.neon_predicate(predicate);
                let pattern = self.pattern(base, offset, op, scalar, Use::Store);
                let values = self.lanes_of(value);
                let access = Access { scalar, predicate: &predicate, values: Some(&values) };
                self.access_lanes(&access, pattern, base, offset, op);
            }
            _ if !self.ty(predicate).is_uniform() => self.neon_atomic(data, op),
            _ if self.is_arm() => return Err(Unsupported("a sum made once for the subgroup".to_owned())),
            _ => self.fetch_add(data, op),
        }
        Ok(())
    }

    fn neon_predicate(&mut self, predicate: Value) -> Predicate {
        match self.constant(predicate) {
            Some(1) => Predicate { mask: None, known: None },
            _ => {
                let known = self.lane_bits(predicate);
                Predicate { mask: Some((predicate, self.lanes_of(predicate))), known }
            }
        }
    }

    /// Loads or stores all lanes; gives what is loaded.
    fn access_lanes(
        &mut self,
        access: &Access<'_>,
        pattern: Pattern,
        base: Value,
        offset: Value,
        op: MemoryOp,
    ) -> Lanes {
        let scalar = access.scalar;
        match pattern {
            Pattern::Uniform(memory) if access.values.is_none() => self.load_one(access, memory),
            Pattern::Uniform(memory) => {
                let memory = self.plain_base(memory);
                self.access_each(access, memory, |_, _| (LanePlaces::Strided(0), Lanes::new()))
            }
            Pattern::Strided(memory, stride) if stride == scalar.bytes() as i32 => {
                self.access_consecutive(access, memory)
            }
            Pattern::Strided(memory, stride) => {
                let memory = self.plain_base(memory);
                let lanes = 128 / scalar.bits();
                let mut loaded = Lanes::new();
                for register in 0..register_count(self.lanes, scalar.bits()) {
                    let memory = memory.plus(stride.wrapping_mul((register as u32 * lanes) as i32));
                    loaded.extend(self.access_registers(
                        access,
                        register..register + 1,
                        memory,
                        LanePlaces::Strided(stride),
                        &[],
                    ));
                }
                loaded
            }
            Pattern::Blocks(blocks) => self.access_blocks(access, &blocks),
            Pattern::Halves(_) | Pattern::Quarters(_) => {
                unreachable!("registers have four lanes of 32 bits at most")
            }
            Pattern::Few(_) | Pattern::ByteRows(..) => unreachable!("for AVX-512 only"),
            Pattern::Table(memory, numbers) => {
                let index = self.lane_constants(32, |lane| numbers[lane as usize].into());
                self.access_offsets(access, memory, &index)
            }
            Pattern::Offsets(memory, offset) if self.takes_pairs(scalar, op) && access.moves_pairs(op) => {
                let index = self.lanes_of(offset);
                self.access_pairs(access, memory, &index)
            }
            Pattern::Offsets(memory, offset) => {
                let index = self.lanes_of(offset);
                self.access_offsets(access, memory, &index)
            }
            Pattern::Addresses => {
                let addresses = self.neon_addresses(base, offset);
                let displacement = self.imm(i64::from(op.displacement) as u64);
                let memory =
                    Memory { base: Base::Register(displacement), index: None, shift: 0, displacement: 0 };
                let lanes = (128 / scalar.bits()) as usize;
                self.access_each(access, memory, |this, register| {
                    let first = register * lanes;
                    let end = (first + lanes).min(this.lanes as usize);
                    (LanePlaces::Addresses, addresses[first / 2..end.div_ceil(2)].into())
                })
            }
        }
    }

    /// A base without index; the displacement stays.
    fn plain_base(&mut self, memory: Memory) -> Memory {
        match memory {
            Memory { base: Base::Register(_), index: None, .. } => memory,
            _ => {
                let base = self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement);
                Memory { base: Base::Register(base), index: None, shift: 0, displacement: 0 }
            }
        }
    }

    /// The same with the displacement added.
    fn address_in_register(&mut self, memory: Memory) -> Memory {
        match memory {
            Memory { base: Base::Register(_), index: None, displacement: 0, .. } => memory,
            _ => {
                let base = self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement);
                Memory { base: Base::Register(base), index: None, shift: 0, displacement: 0 }
            }
        }
    }

    /// An element of the frame for each lane, at 32-bit offsets from a place there.
    pub(super) fn load_from_frame(&mut self, scalar: Scalar, place: i32, offsets: &[VReg]) -> Lanes {
        let memory = Memory { base: Base::Frame, index: None, shift: 0, displacement: place };
        let access = Access { scalar, predicate: &Predicate { mask: None, known: None }, values: None };
        self.access_offsets(&access, memory, offsets)
    }

    fn access_offsets(&mut self, access: &Access<'_>, memory: Memory, index: &[VReg]) -> Lanes {
        let memory = self.address_in_register(memory);
        let lanes = 128 / access.scalar.bits();
        self.access_each(access, memory, |this, register| {
            let first = register as u32 * lanes;
            let end = (first + lanes).min(this.lanes);
            let registers = &index[(first / 4) as usize..end.div_ceil(4) as usize];
            (LanePlaces::Offsets { first: first % 4 }, registers.into())
        })
    }

    /// Accesses lanes of 32 bits in pairs: all, or of a store whole pairs, with what lanes that take no part
    /// hold. Register after register: they may share pairs.
    fn access_pairs(&mut self, access: &Access<'_>, memory: Memory, index: &[VReg]) -> Lanes {
        let memory = self.address_in_register(memory);
        let mut loaded = Lanes::new();
        for (register, &index) in index.iter().enumerate() {
            match (access.values, &access.predicate.mask) {
                (None, _) => loaded.extend(self.move_pairs(memory, index, None)),
                (Some(values), None) => {
                    self.move_pairs(memory, index, Some(values[register]));
                }
                (Some(values), Some((_, mask))) => {
                    let old = self.move_pairs(memory, index, None);
                    let merged =
                        self.select_lanes(&mask[register..=register], &values[register..], old.as_slice());
                    self.move_pairs(memory, index, Some(merged[0]));
                }
            }
        }
        loaded
    }

    /// Loads or stores two pairs of lanes.
    fn move_pairs(&mut self, memory: Memory, index: VReg, value: Option<VReg>) -> Option<VReg> {
        let Base::Register(base) = memory.base else { unreachable!("the base is in a register") };
        let mut operands = Operands::new();
        let loaded = value.is_none().then(|| self.code.vreg(VECTOR));
        operands.extend(loaded.map(early_def));
        operands.extend(value.map(late_use));
        operands.extend([late_use(base), late_use(index)]);
        let this = LaneAccess {
            is_store: value.is_some(),
            bits: 64,
            registers: 1,
            lanes: 2,
            places: LanePlaces::Pairs,
            displacement: 0,
            mask_count: 0,
            first_in_mask: 0,
        };
        self.push(Kind::LaneAccess(this), &operands);
        loaded
    }

    /// Accesses each register of a value, at places that depend on it.
    fn access_each(
        &mut self,
        access: &Access<'_>,
        memory: Memory,
        places: impl Fn(&Self, usize) -> (LanePlaces, Lanes),
    ) -> Lanes {
        let mut loaded = Lanes::new();
        for register in 0..register_count(self.lanes, access.scalar.bits()) {
            let (places, index) = places(self, register);
            loaded.extend(self.access_registers(access, register..register + 1, memory, places, &index));
        }
        loaded
    }

    /// Accesses the lanes of registers, the base of which has no index: of one, or of some where lanes are
    /// consecutive.
    fn access_registers(
        &mut self,
        access: &Access<'_>,
        registers: std::ops::Range<usize>,
        memory: Memory,
        places: LanePlaces,
        index: &[VReg],
    ) -> Lanes {
        let bits = access.scalar.bits();
        let per_register = 128 / bits;
        let (first, count) = (registers.start as u32 * per_register, registers.len() as u32);
        let lanes = per_register.min(self.lanes - first);
        let part = access.predicate.part(first, (lanes * count).min(self.lanes - first));
        if part == Part::None {
            return self.left_out(access, registers.len());
        }
        let Base::Register(base) = memory.base else { unreachable!("the base is in a register") };
        let mut operands = Operands::new();
        let mut loaded = Lanes::new();
        for register in registers.clone() {
            match access.values {
                Some(values) => operands.push(late_use(values[register])),
                None => {
                    let to = self.code.vreg(VECTOR);
                    loaded.push(to);
                    operands.push(early_def(to));
                }
            }
        }
        operands.push(late_use(base));
        let mut mask_count = 0;
        if let Some((mask, mask_registers)) = access.predicate.mask.as_ref().filter(|_| part == Part::Some) {
            let all = self.all_lanes(*mask);
            operands.push(late_use(all));
            let end = (first + lanes * count).div_ceil(4);
            for &register in &mask_registers[(first / 4) as usize..end as usize] {
                operands.push(late_use(register));
                mask_count += 1;
            }
        }
        operands.extend(index.iter().map(|&register| late_use(register)));
        let this = LaneAccess {
            is_store: access.values.is_some(),
            bits,
            registers: count,
            lanes,
            places,
            displacement: memory.displacement,
            mask_count,
            first_in_mask: first % 4,
        };
        self.push(Kind::LaneAccess(this), &operands);
        loaded
    }

    /// What loads give of registers of which no lane takes part.
    fn left_out(&mut self, access: &Access<'_>, registers: usize) -> Lanes {
        if access.values.is_some() {
            return Lanes::new();
        }
        let zero = self.neon_constant(Scalar::I32, 0);
        std::iter::repeat_n(zero, registers).collect()
    }

    /// Which lanes of the register of this number take part.
    fn part_of(&self, access: &Access<'_>, register: usize) -> Part {
        let per_register = 128 / access.scalar.bits();
        let first = register as u32 * per_register;
        access.predicate.part(first, per_register.min(self.lanes - first))
    }

    /// Bytes of the register of this number.
    fn bytes_of(&self, bits: u32, register: usize) -> u32 {
        (self.lanes * bits / 8 - register as u32 * 16).min(16)
    }

    fn access_consecutive(&mut self, access: &Access<'_>, memory: Memory) -> Lanes {
        let bits = access.scalar.bits();
        let mut loaded = Lanes::new();
        let count = register_count(self.lanes, bits);
        let masked = (0..count).any(|register| self.part_of(access, register) == Part::Some);
        let memory = if masked { self.plain_base(memory) } else { memory };
        if masked {
            // Each with its masks.
            let each = 1 + (128 / bits).div_ceil(4) as usize;
            let most = if self.is_arm() { CONSECUTIVE_MAX } else { CONSECUTIVE_MAX.min(12 / each) };
            for first in (0..count).step_by(most) {
                let registers = first..count.min(first + most);
                let memory = memory.plus(16 * first as i32);
                loaded.extend(self.access_registers(access, registers, memory, LanePlaces::Consecutive, &[]));
            }
            return loaded;
        }
        for register in 0..count {
            let memory = memory.plus(16 * register as i32);
            let bytes = self.bytes_of(bits, register);
            match access.values {
                _ if self.part_of(access, register) == Part::None => {
                    loaded.extend(self.left_out(access, 1));
                }
                Some(values) => self.store_bytes(bytes, values[register], memory),
                None => loaded.push(self.load_bytes(bytes, memory)),
            }
        }
        loaded
    }

    /// Each register by itself.
    fn access_blocks(&mut self, access: &Access<'_>, blocks: &[RegisterBlock]) -> Lanes {
        let scalar = access.scalar;
        let mut loaded = Lanes::new();
        for (register, block) in blocks.iter().enumerate() {
            let bytes = self.bytes_of(scalar.bits(), register);
            let part = self.part_of(access, register);
            match access.values {
                _ if part == Part::None => loaded.extend(self.left_out(access, 1)),
                _ if part == Part::Some => {
                    let memory = self.plain_base(block.memory);
                    let places =
                        if block.is_uniform { LanePlaces::Strided(0) } else { LanePlaces::Consecutive };
                    loaded.extend(self.access_registers(access, register..register + 1, memory, places, &[]));
                }
                Some(values) => self.store_bytes(bytes, values[register], block.memory),
                None => {
                    let register = match block.same_as {
                        Some(earlier) => loaded[earlier],
                        None if block.is_uniform => self.broadcast_from(scalar, block.memory),
                        None => self.load_bytes(bytes, block.memory),
                    };
                    loaded.push(register);
                }
            }
        }
        loaded
    }

    /// One element to all lanes of a register.
    fn broadcast_from(&mut self, scalar: Scalar, memory: Memory) -> VReg {
        if let Memory { base: Base::Register(base), index: None, displacement: 0, .. } = memory {
            return self.v(op::LD1R.of(scalar.bits()), &[base]);
        }
        let low = self.load_bytes(scalar.bytes(), memory);
        self.v(op::DUP.lane(scalar.bits(), 0), &[low])
    }

    /// One element to all lanes that take part. Where there is none, zeros of the pool are read.
    fn load_one(&mut self, access: &Access<'_>, memory: Memory) -> Lanes {
        let scalar = access.scalar;
        let count = register_count(self.lanes, scalar.bits());
        let Some((mask, registers)) = &access.predicate.mask else {
            let all = self.broadcast_from(scalar, memory);
            return std::iter::repeat_n(all, count).collect();
        };
        let any = self.any_lane(*mask);
        let zeros = self.asm.constant(&[0; 8]);
        let zeros = self.lea(Size::S64, Base::Pool(zeros), None, 0, 0);
        let address = self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement);
        let chosen = self.select_general(Size::S64, any, address, zeros);
        let all = self.v(op::LD1R.of(scalar.bits()), &[chosen]);
        let mask = self.mask_to(scalar.bits(), registers);
        mask.iter().map(|&mask| self.v(op::AND.one(), &[all, mask])).collect()
    }

    /// The 64-bit addresses of all lanes, without displacement.
    fn neon_addresses(&mut self, base: Value, offset: Value) -> Lanes {
        let count = register_count(self.lanes, 64);
        let splat = |this: &mut Self, value: Value| -> Lanes {
            let register = this.one(value);
            let all = this.v(op::DUP_GENERAL.lane(64, 0), &[register]);
            std::iter::repeat_n(all, count).collect()
        };
        let bases = if self.ty(base).is_uniform() { splat(self, base) } else { self.lanes_of(base) };
        if self.constant(offset) == Some(0) {
            return bases;
        }
        let offsets = match (self.ty(offset).is_uniform(), self.ty(offset).scalar) {
            (true, _) => splat(self, offset),
            (false, Scalar::I64) => self.lanes_of(offset),
            (false, _) => {
                let narrow = self.lanes_of(offset);
                self.widened(&narrow, 32, 64, false)
            }
        };
        self.each_sized(op::ADD, 64, &bases, &offsets)
    }

    fn neon_atomic(&mut self, data: &InstData, op: MemoryOp) {
        let (base, offset) = (data.args[0], data.args[1]);
        let predicate = self.neon_predicate(data.args[data.args.len() - 1]);
        let result = data.expect_result();
        let scalar = self.ty(result).scalar;
        let bits = scalar.bits();
        let pattern = self.pattern(base, offset, op, scalar, Use::Lanes);
        let unused = self.uses[result] == 0;
        // The loop of x86-64 leaves results out only where one instruction does all.
        let unused = unused && (self.is_arm() || LaneLoop::combines(LaneOp::Atomic(data.op), bits).is_some());
        let results = match unused {
            true => 0,
            false => {
                let zero = self.neon_constant(Scalar::I32, 0);
                self.lanes_to_frame(&vec![zero; register_count(self.lanes, bits)])
            }
        };
        let (value, comparator) = match data.op {
            Opcode::AtomicCompareExchange => (data.args[3], Some(data.args[2])),
            _ => (data.args[2], None),
        };
        let values = self.lanes_of(value);
        let values = self.lanes_to_frame(&values);
        let comparators = comparator.map_or(0, |comparator| {
            let registers = self.lanes_of(comparator);
            self.lanes_to_frame(&registers)
        });
        let this = LaneLoop {
            op: LaneOp::Atomic(data.op),
            bits,
            locked: LaneLoop::is_locked(op.space),
            offsets: None,
            values,
            same: None,
            comparators,
            results,
            displacement: 0,
            consecutive: None,
            lanes: self.lanes,
            unused,
            in_registers: None,
            pending: None,
        };
        self.neon_lane_loop(this, pattern, base, offset, op, &predicate);
        if !unused {
            let loaded = self.lanes_from_frame(results, bits);
            self.define_lanes(result, loaded);
        }
    }

    /// Runs a loop over the lanes of an access.
    fn neon_lane_loop(
        &mut self,
        mut this: LaneLoop,
        pattern: Pattern,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: &Predicate,
    ) {
        let bits = match &predicate.mask {
            None => self.imm(u64::MAX >> (64 - self.lanes)),
            Some((_, mask)) => self.ballot(mask),
        };
        let address = |this: &mut Self, memory: Memory| {
            this.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement)
        };
        let register = match pattern {
            Pattern::Uniform(memory) => address(self, memory),
            Pattern::Strided(memory, stride) => {
                let offsets = self.lane_constants(32, |lane| lane.wrapping_mul(stride as u32).into());
                this.offsets = Some((self.lanes_to_frame(&offsets), false));
                address(self, memory)
            }
            Pattern::Offsets(memory, offset) => {
                let offsets = self.lanes_of(offset);
                this.offsets = Some((self.lanes_to_frame(&offsets), false));
                address(self, memory)
            }
            Pattern::Addresses => {
                let addresses = self.neon_addresses(base, offset);
                this.offsets = Some((self.lanes_to_frame(&addresses), true));
                this.displacement = op.displacement;
                self.imm(0)
            }
            Pattern::Blocks(_)
            | Pattern::Halves(_)
            | Pattern::Quarters(_)
            | Pattern::ByteRows(..)
            | Pattern::Few(_)
            | Pattern::Table(..) => {
                unreachable!("not for loops over lanes")
            }
        };
        let old = self.general();
        let mut operands = Operands::new();
        operands.push(late_use(bits));
        operands.push(late_use(register));
        operands.push(Operand::reg_fixed_def_at_start(old, PReg::new(RAX.into(), GENERAL)));
        for class in [GENERAL, GENERAL, GENERAL, GENERAL, VECTOR, VECTOR] {
            let temporary = self.code.vreg(class);
            operands.push(Operand::reg_temp(temporary));
        }
        self.push(Kind::LaneLoop(this), &operands);
    }
}
