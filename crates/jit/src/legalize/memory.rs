//! Masked loads and stores, gathers and scatters for AVX2.

use super::{Legalizer, Old, Parts, further};
use crate::asm::op::*;
use crate::asm::{Condition, Len, RAX, Size, VOp};
use crate::machine::inst::{GENERAL, RmSlot, VECTOR};
use crate::machine::{Kind, LaneLoop, LaneOp, LaneRegisters, NONE, Operands, SplitGather, Vector};
use crate::select::Unsupported;
use crate::select::vector::{Base, Memory, Source, Spec, address_operands, late_use};
use regalloc2::{Operand, PReg, VReg};

/// Operands of a [`LaneLoop`] before those in [`LaneRegisters`].
const LANE_LOOP_OPERANDS: u8 = 9;

impl Legalizer<'_> {
    /// A load of whole registers in which lanes outside the mask become zero, of elements of `bytes` bytes.
    pub(super) fn masked_load(&mut self, old: &Old<'_>, bytes: u32) -> Result<(), Unsupported> {
        let (Some(memory), Some(mask), true) = (old.memory_address(), old.mask(), old.inst.zero) else {
            return Err(self.unsupported(old));
        };
        let (count, len) = old.parts();
        let result = old.result().expect("loads have results");
        if bytes < 4 {
            let lanes = old.inst.len.bytes() / bytes;
            let results = self.frame(old.inst.len.bytes());
            let zero = self.zero();
            for part in 0..count {
                self.store_to_frame(zero, results + part as i32 * 32, len);
            }
            let bits = self.piece_bits(mask, lanes);
            let this = LaneLoop { results, ..self.lane_loop(LaneOp::Gather, bytes, lanes) };
            self.consecutive_loop(this, lanes, memory, bits);
            let parts: Parts = (0..count)
                .map(|part| {
                    let place = Memory::frame(results + part as i32 * 32);
                    self.v1(VMOVUPS, len, Source::Memory(place))
                })
                .collect();
            self.define(result, &parts);
            return Ok(());
        }
        let op = if bytes == 8 { VPMASKMOVQ } else { VPMASKMOVD };
        let parts: Parts = (0..count)
            .map(|part| {
                let mask = self.mask_of_width(mask, bytes, part, len);
                let memory = further(memory, part as u32 * 32);
                if self.full.contains(&mask) {
                    return self.v1(VMOVUPS, len, Source::Memory(memory));
                }
                if self.splits_moves {
                    return self.load_of_all_lanes(memory, bytes == 8, len, mask);
                }
                self.v2(op, len, mask, Source::Memory(memory))
            })
            .collect();
        self.define(result, &parts);
        Ok(())
    }

    /// A masked load that is expected to be one of all lanes.
    fn load_of_all_lanes(&mut self, memory: Memory, quads: bool, len: Len, mask: VReg) -> VReg {
        let (to, temporary) = (self.new.vreg(VECTOR), self.new.vreg(GENERAL));
        let mut operands = Operands::new();
        operands.push(Operand::reg_def(to));
        operands.push(late_use(mask));
        operands.push(Operand::reg_temp(temporary));
        let address = address_operands(memory, &mut operands, true);
        self.new.push(Kind::MaskedLoad { quads, len, address }, &operands, self.loc);
        to
    }

    /// A store of whole registers or of the lanes in a mask.
    pub(super) fn store(&mut self, old: &Old<'_>, bytes: u32) -> Result<(), Unsupported> {
        let Some(memory) = old.memory_address() else { return Err(self.unsupported(old)) };
        let value = old.register(old.inst.reg);
        let (count, len) = old.parts();
        let Some(mask) = old.mask() else {
            for part in 0..count {
                let from = self.part(value, part);
                self.store_vector(from, further(memory, part as u32 * 32), len);
            }
            return Ok(());
        };
        if bytes < 4 {
            let lanes = old.inst.len.bytes() / bytes;
            let values = self.spill(value, old.inst.len);
            let bits = self.piece_bits(mask, lanes);
            let this = LaneLoop { values, ..self.lane_loop(LaneOp::Scatter, bytes, lanes) };
            self.consecutive_loop(this, lanes, memory, bits);
            return Ok(());
        }
        for part in 0..count {
            let mask = self.mask_of_width(mask, bytes, part, len);
            let from = self.part(value, part);
            if self.full.contains(&mask) {
                self.store_vector(from, further(memory, part as u32 * 32), len);
                continue;
            }
            let temporary = self.new.vreg(GENERAL);
            let mut operands = Operands::new();
            operands.push(late_use(from));
            operands.push(late_use(mask));
            operands.push(Operand::reg_temp(temporary));
            let address = address_operands(further(memory, part as u32 * 32), &mut operands, true);
            let kind = Kind::MaskedStore { quads: bytes == 8, len, address };
            self.new.push(kind, &operands, self.loc);
        }
        Ok(())
    }

    fn store_vector(&mut self, from: VReg, to: Memory, len: Len) {
        let mut operands = Operands::new();
        operands.push(Operand::reg_use(from));
        let address = address_operands(to, &mut operands, false);
        let inst = Vector::new(VMOVUPS_STORE, len, 0, NONE, RmSlot::Mem(address));
        self.new.push(Kind::Vector(inst), &operands, self.loc);
    }

    fn store_to_frame(&mut self, from: VReg, place: i32, len: Len) {
        self.store_vector(from, Memory::frame(place), len);
    }

    /// Room in the frame behind what selection uses, for the rest of the block.
    fn frame(&mut self, bytes: u32) -> i32 {
        let start = self.frame_top;
        self.frame_top = (start + bytes).next_multiple_of(64);
        self.new.frame_bytes = self.new.frame_bytes.max(self.frame_top);
        start as i32
    }

    /// An old register's parts in the frame.
    fn spill(&mut self, register: VReg, len: Len) -> i32 {
        let key = (self.part(register, 0), len);
        if let Some(&place) = self.spilled.get(&key) {
            return place;
        }
        let place = self.frame(len.bytes());
        let (count, len) = super::parts(len);
        for part in 0..count {
            let from = self.part(register, part);
            self.store_to_frame(from, place + part as i32 * 32, len);
        }
        self.spilled.insert(key, place);
        place
    }

    /// The bits of the first `lanes` lanes of a mask, and no others.
    fn piece_bits(&mut self, mask: VReg, lanes: u32) -> VReg {
        let vectors = self.mask_vectors(mask);
        let count = (lanes.div_ceil(8) as usize).min(vectors.len());
        self.lane_bits(&vectors[..count])
    }

    fn lane_loop(&self, op: LaneOp, bytes: u32, lanes: u32) -> LaneLoop {
        LaneLoop {
            op,
            bits: bytes * 8,
            locked: true,
            offsets: None,
            values: 0,
            same: None,
            comparators: 0,
            results: 0,
            displacement: 0,
            consecutive: None,
            lanes,
            unused: false,
            in_registers: None,
            pending: None,
        }
    }

    /// Runs a loop over lanes that lie one behind the other.
    fn consecutive_loop(&mut self, mut this: LaneLoop, lanes: u32, memory: Memory, bits: VReg) {
        let bytes = this.bits / 8;
        let place = self.frame(lanes * 4);
        for first in (0..lanes).step_by(8) {
            let offsets = self.pool_words(|lane| (first + lane) * bytes);
            let offsets = self.in_register(offsets, Len::Y);
            let len = if lanes < 8 { Len::X } else { Len::Y };
            self.store_to_frame(offsets, place + first as i32 * 4, len);
        }
        this.offsets = Some((place, false));
        this.consecutive = Some(lanes.min(self.lanes));
        self.run_lane_loop(this, memory, bits, &[]);
    }

    fn run_lane_loop(&mut self, mut this: LaneLoop, memory: Memory, bits: VReg, registers: &[VReg]) {
        let base = match memory {
            Memory { base: Base::Register(base), index: None, displacement, .. } => {
                this.displacement = displacement;
                base
            }
            _ => self.lea(memory),
        };
        let rax = self.new.vreg(GENERAL);
        let mut operands = Operands::new();
        operands.push(late_use(bits));
        operands.push(late_use(base));
        operands.push(Operand::reg_fixed_def_at_start(rax, PReg::new(RAX.into(), GENERAL)));
        for class in [GENERAL, GENERAL, GENERAL, GENERAL, VECTOR, VECTOR] {
            let temporary = self.new.vreg(class);
            operands.push(Operand::reg_temp(temporary));
        }
        operands.extend(registers.iter().map(|&register| late_use(register)));
        self.new.push(Kind::LaneLoop(this), &operands, self.loc);
    }

    fn lea(&mut self, memory: Memory) -> VReg {
        let to = self.new.vreg(GENERAL);
        let mut operands = Operands::new();
        operands.push(Operand::reg_def(to));
        let address = address_operands(memory, &mut operands, false);
        self.new.push(Kind::Lea(Size::S64, address), &operands, self.loc);
        to
    }

    /// One element of memory to all lanes; under a mask it is not read where no lane is set.
    pub(super) fn broadcast_load(&mut self, old: &Old<'_>, bytes: u32) -> Result<(), Unsupported> {
        let (Some(mut memory), (count, len)) = (old.memory_address(), old.parts()) else {
            return Err(self.unsupported(old));
        };
        if let Some(mask) = old.mask() {
            // Elsewhere there are zeros.
            let lanes = old.inst.len.bytes() / bytes;
            let bits = self.piece_bits(mask, lanes);
            let zeros = self.asm.constant(&[0; 8]);
            let zeros = self.lea(Memory::pool(zeros));
            let address = self.lea(memory);
            let chosen = self.new.vreg(GENERAL);
            let operands = [
                Operand::reg_reuse_def(chosen, 1),
                Operand::reg_use(zeros),
                Operand::reg_use(address),
                Operand::reg_use(bits),
            ];
            let kind = Kind::SelectCompareImm(Condition::NotEqual, Size::S64, 0);
            self.new.push(kind, &operands, self.loc);
            memory = Memory { base: Base::Register(chosen), index: None, shift: 0, displacement: 0 };
        }
        let all = self.v1(old.inst.op, len, Source::Memory(memory));
        let mut parts: Parts = std::iter::repeat_n(all, count).collect();
        self.under_mask(old, bytes, &mut parts, len);
        self.define(old.result().expect("has a result"), &parts);
        Ok(())
    }

    /// A gather: the operands are result, spent mask, zeros, mask, base, index.
    pub(super) fn gather(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let Some(memory) = old.memory_address() else { return Err(self.unsupported(old)) };
        let (Some(index), Some(into)) = (memory.index, old.operands.get(2)) else {
            return Err(self.unsupported(old));
        };
        let (into, mask) = (into.vreg(), old.register(3));
        let (wide_index, bytes, op) = match old.inst.op {
            VPGATHERDD => (false, 4, VPGATHERDD_AVX),
            VPGATHERDQ => (false, 8, VPGATHERDQ_AVX),
            VPGATHERQD => (true, 4, VPGATHERQD_AVX),
            _ => (true, 8, VPGATHERQQ_AVX),
        };
        let (count, len) = old.parts();
        let mut parts = Parts::new();
        for part in 0..count {
            let memory = |index| Memory { index: Some(index), ..memory };
            // The length is that of the wider of index and element.
            parts.push(match (wide_index, bytes) {
                (true, 4) => {
                    // Half as many bytes as index has.
                    let lanes_mask = self.half_mask(mask, part);
                    let index = self.part(index, part);
                    let zero = self.zero();
                    self.gather_part(op, len, memory(index), zero, lanes_mask)
                }
                (false, 8) => {
                    let own = self.part(index, 0);
                    let index = self.half(own, part == 1);
                    let mask = self.mask_of_width(mask, 8, part, len);
                    let into = self.part(into, part);
                    self.gather_part(op, len, memory(index), into, mask)
                }
                _ => {
                    let index = self.part(index, part);
                    let mask = self.mask_of_width(mask, bytes, part, len);
                    let into = self.part(into, part);
                    self.gather_part(op, len, memory(index), into, mask)
                }
            });
        }
        let result = old.result().expect("gathers have results");
        if wide_index && bytes == 4 && count == 2 {
            let joined = self.halves(parts[0], parts[1]);
            self.define(result, &[joined]);
        } else {
            self.define(result, &parts);
        }
        Ok(())
    }

    /// Four lanes of a mask from lane `4 * half` on, 32 bits each.
    fn half_mask(&mut self, mask: VReg, half: usize) -> VReg {
        let vector = self.mask_vectors(mask)[half / 2];
        match self.full.contains(&vector) {
            true => vector,
            false => self.half(vector, half % 2 == 1),
        }
    }

    fn gather_part(&mut self, op: VOp, len: Len, memory: Memory, into: VReg, mask: VReg) -> VReg {
        if self.splits_moves && !matches!(memory.base, Base::Pool(_)) {
            return self.split_gather(op, len, memory, into, mask);
        }
        let (to, spent) = (self.new.vreg(VECTOR), self.new.vreg(VECTOR));
        let mut operands = Operands::new();
        operands.push(Operand::reg_reuse_def(to, 2));
        operands.push(Operand::reg_reuse_def(spent, 3));
        operands.push(Operand::reg_use(into));
        operands.push(Operand::reg_use(mask));
        let address = address_operands(memory, &mut operands, true);
        let inst = Vector::new(op, len, 0, 1, RmSlot::Mem(address));
        self.new.push(Kind::Vector(inst), &operands, self.loc);
        to
    }

    /// A gather that is expected to be one of all lanes.
    fn split_gather(&mut self, op: VOp, len: Len, memory: Memory, into: VReg, mask: VReg) -> VReg {
        let to = self.new.vreg(VECTOR);
        let mut operands = Operands::new();
        operands.push(Operand::reg_reuse_def(to, 1));
        operands.push(Operand::reg_use(into));
        for class in [VECTOR, GENERAL, GENERAL, GENERAL] {
            operands.push(Operand::reg_temp(self.new.vreg(class)));
        }
        let address = address_operands(memory, &mut operands, true);
        let mask = if self.full.contains(&mask) {
            NONE
        } else {
            operands.push(late_use(mask));
            operands.len() as u8 - 1
        };
        let gather = SplitGather {
            address,
            mask,
            quads: matches!(op, VPGATHERDQ_AVX | VPGATHERQQ_AVX),
            wide_index: matches!(op, VPGATHERQD_AVX | VPGATHERQQ_AVX),
            len,
        };
        self.new.push(Kind::SplitGather(gather), &operands, self.loc);
        to
    }

    /// A scatter: the operands are spent mask, mask, value, base, index.
    pub(super) fn scatter(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let Some(memory) = old.memory_address() else { return Err(self.unsupported(old)) };
        let Some(index) = memory.index else { return Err(self.unsupported(old)) };
        let (mask, value) = (old.register(1), old.register(2));
        let (wide_index, bytes) = match old.inst.op {
            VPSCATTERDD => (false, 4),
            VPSCATTERDQ => (false, 8),
            VPSCATTERQD => (true, 4),
            _ => (true, 8),
        };
        // The length is that of the wider of index and element.
        let lanes = old.inst.len.bytes() / if wide_index { 8 } else { bytes };
        let length = |bytes: u32| Len::holding(lanes * bytes);
        let index_bytes = if wide_index { 8 } else { 4 };
        let [offsets, values] = [index_bytes, bytes].map(|bytes| super::parts(length(bytes)));
        let all = self
            .mask_vectors(mask)
            .iter()
            .take(lanes.div_ceil(8) as usize)
            .all(|part| self.full.contains(part));
        let bits = if all {
            let none = self.new.vreg(GENERAL);
            self.new.push(Kind::Imm(0), &[Operand::reg_def(none)], self.loc);
            none
        } else if lanes == 4 && self.lanes > 4 {
            let half = self.half_mask(mask, 0);
            self.emit(Spec::unary(VMOVMSKPS, Len::X, half).class(GENERAL))
        } else {
            self.piece_bits(mask, lanes)
        };
        let in_registers = LaneRegisters {
            first: LANE_LOOP_OPERANDS,
            offsets: (offsets.0 as u8, offsets.1),
            values: (values.0 as u8, values.1),
            lanes,
            all,
        };
        let this = LaneLoop {
            offsets: Some((self.frame(length(index_bytes).bytes()), wide_index)),
            values: self.frame(length(bytes).bytes()),
            in_registers: Some(in_registers),
            ..self.lane_loop(LaneOp::Scatter, bytes, lanes)
        };
        let registers: Vec<VReg> = [(index, offsets.0), (value, values.0)]
            .into_iter()
            .flat_map(|(register, count)| (0..count).map(move |part| (register, part)))
            .map(|(register, part)| self.part(register, part))
            .collect();
        self.run_lane_loop(this, Memory { index: None, ..memory }, bits, &registers);
        Ok(())
    }
}
