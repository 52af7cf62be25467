//! Loads, stores and atomics: from an access's address pattern to instructions.
//!
//! See [`super`] for which file handles which pattern.

use super::address::{Pattern, RegisterBlock, SharedPlace, Use};
use super::known_lanes::Known;
use super::vector::{Base, Memory, Source, Spec, broadcast_op, late_use};
use super::{Registers, Selector, Unsupported};
use crate::asm::op::{
    VINSERTF32X4, VINSERTF64X4, VMOVD_FROM, VMOVD_TO, VMOVDQU8, VMOVDQU8_STORE, VMOVDQU16, VMOVDQU16_STORE,
    VMOVDQU32, VMOVDQU32_STORE, VMOVDQU64, VMOVDQU64_STORE, VMOVQ_FROM, VMOVQ_TO, VMOVSD, VMOVSD_STORE,
    VMOVSS, VMOVSS_STORE, VMOVUPS, VMOVUPS_STORE, VOp, VPADDQ, VPGATHERDD, VPGATHERDQ, VPGATHERQD,
    VPGATHERQQ, VPMOVZXDQ, VPSCATTERDD, VPSCATTERDQ, VPSCATTERQD, VPSCATTERQQ,
};
use crate::asm::{Len, Size};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, MASK, RmSlot, VECTOR};
use crate::machine::{Kind, LaneLoop, LaneOp, NONE, Operands, Vector};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Signature, Space, Value};
use regalloc2::{Operand, VReg};
use smallvec::SmallVec;

/// Which lanes take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    /// All, without a mask.
    All,
    /// Those of a mask, which may hold anything past the subgroup.
    Some(VReg),
    /// The first or the last half of sixteen lanes, and the mask that says so.
    Half(Half, VReg),
    /// The first lanes, so many, and the mask that says so.
    First(u32, VReg),
}

/// Bytes of which uniform loads under one predicate share the choice of their address.
const GUARDED_TOGETHER: i32 = 32;

/// Eight of sixteen lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    First,
    Last,
}

impl Predicate {
    /// The same as a mask, if it is not all lanes.
    pub(super) fn mask(self) -> Option<VReg> {
        match self {
            Predicate::All => None,
            Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => Some(mask),
        }
    }
}

/// The masked moves of one element width.
pub(super) fn masked_moves(scalar: Scalar) -> (VOp, VOp) {
    match scalar.bits() {
        8 => (VMOVDQU8, VMOVDQU8_STORE),
        16 => (VMOVDQU16, VMOVDQU16_STORE),
        64 => (VMOVDQU64, VMOVDQU64_STORE),
        _ => (VMOVDQU32, VMOVDQU32_STORE),
    }
}

impl Selector<'_> {
    /// A memory operation.
    pub(super) fn memory(&mut self, data: &InstData) -> Result<(), Unsupported> {
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
                } else {
                    let predicate = self.predicate(predicate);
                    let registers = self.load_varying(scalar, base, offset, op, predicate);
                    self.define(result, registers.iter().copied());
                }
            }
            Signature::Store => {
                let value = data.args[2];
                let scalar = self.ty(value).scalar;
                if self.ty(predicate).is_uniform() {
                    self.store_uniform(value, scalar, base, offset, op, predicate);
                } else {
                    let predicate = self.predicate(predicate);
                    self.store_varying(value, scalar, base, offset, op, predicate);
                }
            }
            _ if self.ty(predicate).is_uniform() => self.fetch_add(data, op),
            _ => self.atomic(data, op),
        }
        Ok(())
    }

    /// A sum that is made once for the subgroup. Without one the sum is made in the frame, of nothing.
    pub(super) fn fetch_add(&mut self, data: &InstData, op: MemoryOp) {
        let (base, offset, value, predicate) = (data.args[0], data.args[1], data.args[2], data.args[3]);
        let result = data.expect_result();
        let bits = self.ty(result).scalar.bits();
        let memory = self.uniform_address(base, offset, op);
        let memory = if self.constant(predicate) == Some(1) {
            memory
        } else {
            let place = self.frame(8);
            let zero = self.imm(0);
            self.store_general(64, zero, Memory::frame(place));
            let nowhere = self.frame_address(place);
            self.guarded(memory, predicate, nowhere)
        };
        let value = self.one(value);
        let to = self.general();
        let mut operands = Operands::new();
        operands.push(Operand::reg_reuse_def(to, 1));
        operands.push(Operand::reg_use(value));
        let address = Self::address_operands(memory, &mut operands, false);
        let locked = LaneLoop::is_locked(op.space);
        self.push(Kind::FetchAdd { bits, locked, address }, &operands);
        self.define(result, [to]);
    }

    pub(super) fn predicate(&mut self, predicate: Value) -> Predicate {
        match self.constant(predicate) {
            Some(1) => Predicate::All,
            _ => {
                let mask = self.one(predicate);
                match self.lane_bits(predicate) {
                    Some(0x00ff) if self.lanes == 16 => Predicate::Half(Half::First, mask),
                    Some(0xff00) if self.lanes == 16 => Predicate::Half(Half::Last, mask),
                    Some(bits) if bits != 0 && bits & bits.wrapping_add(1) == 0 => {
                        Predicate::First(bits.count_ones(), mask)
                    }
                    _ => Predicate::Some(mask),
                }
            }
        }
    }

    /// The lanes of a mask that only depends on the lane's number, for the forms that front ends make.
    pub(super) fn lane_bits(&self, mask: Value) -> Option<u64> {
        let all = u64::MAX >> (64 - self.lanes);
        let data = self.def(mask)?;
        if let Some(Known::Lanes(bits)) = self.known_of_lanes(data) {
            return Some(bits);
        }
        match data.op {
            Opcode::Not => Some(!self.lane_bits(data.args[0])? & all),
            Opcode::ULt if self.def(data.args[0])?.op == Opcode::LaneId => {
                let end = self.constant(data.args[1])?;
                Some(if end >= u64::from(self.lanes) { all } else { (1 << end) - 1 })
            }
            Opcode::ULe if self.def(data.args[1])?.op == Opcode::LaneId => {
                let first = self.constant(data.args[0])?;
                Some(if first >= u64::from(self.lanes) { 0 } else { all & (u64::MAX << first) })
            }
            _ => None,
        }
    }

    /// A mask without lanes past the subgroup, for vectors that are shorter than their register.
    fn exact_mask(&mut self, mask: VReg) -> VReg {
        let bits = self.imm(u64::MAX >> (64 - self.lanes));
        let subgroup = self.mask_from_bits(bits);
        self.mask_and(mask, subgroup)
    }

    /// The address where the predicate holds, else that of `otherwise`.
    fn guarded(&mut self, memory: Memory, predicate: Value, otherwise: VReg) -> Memory {
        if self.constant(predicate) == Some(1) {
            return memory;
        }
        let address = self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement);
        let condition = self.one(predicate);
        let chosen = self.select_general(Size::S64, condition, address, otherwise);
        Memory { base: Base::Register(chosen), index: None, shift: 0, displacement: 0 }
    }

    /// Where a uniform load reads: zeros, unless the predicate holds. What is chosen serves the loads of a
    /// block that are a few constant bytes apart.
    pub(super) fn readable(&mut self, base: Value, offset: Value, op: MemoryOp, predicate: Value) -> Memory {
        if self.constant(predicate) == Some(1) {
            return self.uniform_address(base, offset, op);
        }
        let displacement = op.displacement.rem_euclid(GUARDED_TOGETHER);
        let first = op.displacement - displacement;
        let key = (base, offset, predicate, first);
        let chosen = match self.guarded_places.get(&key) {
            Some(&known) => known,
            None => {
                let memory = self.uniform_address(base, offset, op.at(first));
                let zeros = self.asm.constant(&[0; 2 * GUARDED_TOGETHER as usize]);
                let zeros = self.lea(Size::S64, Base::Pool(zeros), None, 0, 0);
                let Memory { base: Base::Register(chosen), .. } = self.guarded(memory, predicate, zeros)
                else {
                    unreachable!("the predicate is no constant")
                };
                self.guarded_places.insert(key, chosen);
                chosen
            }
        };
        Memory { base: Base::Register(chosen), index: None, shift: 0, displacement }
    }

    pub(super) fn load_uniform(
        &mut self,
        result: Value,
        scalar: Scalar,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: Value,
    ) {
        let memory = self.readable(base, offset, op, predicate);
        let register = self.load_scalar(scalar, memory);
        self.define(result, [register]);
    }

    /// One element into the register of a uniform value.
    pub(super) fn load_scalar(&mut self, scalar: Scalar, memory: Memory) -> VReg {
        if self.has_short_vectors() && scalar.is_float() {
            return self.load_bytes(scalar.bytes(), memory);
        }
        match scalar {
            Scalar::F32 => self.v1(VMOVSS, Len::X, Source::Memory(memory)),
            Scalar::F64 => self.v1(VMOVSD, Len::X, Source::Memory(memory)),
            Scalar::F16 => {
                let bits = self.load_general(16, memory);
                self.low_element(bits, 32)
            }
            _ => self.load_general(scalar.bits(), memory),
        }
    }

    /// A zero-extended load into a general register.
    pub(super) fn load_general(&mut self, bits: u32, memory: Memory) -> VReg {
        let to = self.general();
        let mut operands = Operands::new();
        operands.push(Operand::reg_def(to));
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(Kind::Load(bits, address), &operands);
        to
    }

    pub(super) fn store_uniform(
        &mut self,
        value: Value,
        scalar: Scalar,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: Value,
    ) {
        let memory = self.uniform_address(base, offset, op);
        let memory = if self.constant(predicate) == Some(1) {
            memory
        } else {
            let nowhere = self.frame(8);
            let nowhere = self.frame_address(nowhere);
            self.guarded(memory, predicate, nowhere)
        };
        let register = self.one(value);
        match scalar {
            _ if self.has_short_vectors() && scalar.is_float() => {
                self.store_bytes(scalar.bytes(), register, memory)
            }
            Scalar::F32 => self.store_vector(VMOVSS_STORE, Len::X, register, memory, None),
            Scalar::F64 => self.store_vector(VMOVSD_STORE, Len::X, register, memory, None),
            Scalar::F16 => {
                let bits = self.general_from_vector(register, 32);
                self.store_general(16, bits, memory);
            }
            _ => self.store_general(scalar.bits(), register, memory),
        }
    }

    /// Stores the low bits of a general register.
    pub(super) fn store_general(&mut self, bits: u32, from: VReg, memory: Memory) {
        let mut operands = Operands::new();
        operands.push(Operand::reg_use(from));
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(Kind::Store(bits, address), &operands);
    }

    fn load_varying(
        &mut self,
        scalar: Scalar,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: Predicate,
    ) -> Registers {
        let how = if predicate == Predicate::All { Use::LoadAll } else { Use::Load };
        if how == Use::LoadAll
            && let Some(loaded) = self.load_from_shared_window(scalar, base, offset, op)
        {
            return loaded;
        }
        match self.pattern(base, offset, op, scalar, how) {
            Pattern::Uniform(memory) => self.load_broadcast(scalar, memory, predicate),
            Pattern::Strided(memory, stride) if stride == scalar.bytes() as i32 => {
                self.load_consecutive(scalar, memory, predicate, op.space)
            }
            Pattern::Strided(memory, stride) => {
                if let Some(loaded) = self.load_strided(scalar, memory, stride, predicate, op.space) {
                    return loaded;
                }
                // Reversed lanes would begin elsewhere.
                let number = |lane: u32| lane * stride as u32;
                if predicate == Predicate::All
                    && scalar.bits() < 32
                    && stride > 0
                    && self.fits_windows(scalar, number)
                {
                    let numbers: Vec<u32> = (0..self.lanes).map(number).collect();
                    return self.load_windows(scalar, memory, &numbers);
                }
                let place = |lane: u32| memory.plus(lane as i32 * stride);
                if let Some(loaded) = self.load_known_places(scalar, predicate, place) {
                    return loaded;
                }
                self.prefetch_strided_load(memory, stride, scalar, op.space);
                let index = self.multiples(stride);
                match scalar.bits() {
                    8 | 16 => self.gather_subwords(scalar, memory, &index, predicate),
                    _ => self.gather(scalar, memory, &index, predicate),
                }
            }
            Pattern::Blocks(blocks) => self.load_blocks(scalar, &blocks, predicate, op.space),
            Pattern::Halves(blocks) => self.load_halves(scalar, &blocks, predicate, op.space),
            Pattern::Quarters(blocks) => self.load_quarters(scalar, &blocks),
            Pattern::ByteRows(rows, lanes) => self.load_byte_rows(scalar, &rows, lanes, predicate, op.space),
            Pattern::Few(places) => self.load_few(scalar, &places, predicate),
            Pattern::Table(memory, numbers)
                if predicate == Predicate::All
                    && self.fits_windows(scalar, |lane| numbers[lane as usize]) =>
            {
                self.load_windows(scalar, memory, &numbers)
            }
            Pattern::Table(memory, numbers) => {
                let place = |lane: u32| memory.plus(numbers[lane as usize] as i32);
                if let Some(loaded) = self.load_known_places(scalar, predicate, place) {
                    return loaded;
                }
                let index = self.lane_numbers(|lane| numbers[lane as usize]);
                self.gather(scalar, memory, &index, predicate)
            }
            Pattern::Offsets(memory, offset) if scalar.bits() >= 32 => {
                let index = self.used(offset);
                if predicate == Predicate::All && self.takes_pairs(scalar, op) {
                    return self.load_all_pairs(memory, index);
                }
                match self.pair_masks(scalar, op, predicate.mask()) {
                    Some(masks) => self.load_pairs(memory, index, &masks),
                    None if scalar.bits() == 32 && self.has_repeats(offset) => {
                        self.gather_repeated(memory, &index, predicate)
                    }
                    None if self.expects_runs(scalar, offset) => {
                        let (pieces, memory) = (self.tiling(scalar), self.simple_base(memory));
                        self.each(pieces, |this, piece| {
                            this.gather_runs(memory, index[piece], predicate, piece as u32, op.space)
                        })
                    }
                    None => self.gather(scalar, memory, &index, predicate),
                }
            }
            Pattern::Addresses if scalar.bits() >= 32 => {
                let addresses = self.addresses(base, offset);
                self.gather_addresses(scalar, &addresses, op.displacement, predicate)
            }
            Pattern::Offsets(memory, offset) => {
                let index = self.used(offset);
                self.gather_subwords(scalar, memory, &index, predicate)
            }
            Pattern::Addresses => {
                let addresses = self.addresses(base, offset);
                self.gather_subwords_at(scalar, &addresses, op.displacement, predicate)
            }
        }
    }

    /// One element to all lanes.
    fn load_broadcast(&mut self, scalar: Scalar, memory: Memory, predicate: Predicate) -> Registers {
        let pieces = self.tiling(scalar);
        let (op, source) = (broadcast_op(scalar), Source::Memory(memory));
        match predicate.mask() {
            None => {
                let register = self.v1(op, pieces.len, source);
                std::iter::repeat_n(register, pieces.count as usize).collect()
            }
            Some(mask) => {
                let mask = if self.is_short(scalar) { self.exact_mask(mask) } else { mask };
                self.each(pieces, |this, piece| {
                    let mask = this.mask_piece(mask, piece as u32, pieces.lanes);
                    this.vector(Spec::unary(op, pieces.len, source).zeroing(mask))
                })
            }
        }
    }

    /// The subgroup's lanes do not fill the shortest vector register.
    fn is_short(&self, scalar: Scalar) -> bool {
        self.lanes * scalar.bytes() < 16
    }

    fn load_consecutive(
        &mut self,
        scalar: Scalar,
        memory: Memory,
        predicate: Predicate,
        space: Space,
    ) -> Registers {
        let pieces = self.tiling(scalar);
        let short = self.is_short(scalar);
        match predicate {
            Predicate::All if short => {
                let op = if self.lanes * scalar.bytes() == 8 { VMOVQ_TO } else { VMOVD_TO };
                std::iter::once(self.v1(op, Len::X, Source::Memory(memory))).collect()
            }
            Predicate::All => self.each(pieces, |this, piece| {
                let memory = memory.plus(piece as i32 * 64);
                this.v1(VMOVUPS, pieces.len, Source::Memory(memory))
            }),
            // Half a register needs no mask; a shorter load zeroes the rest.
            Predicate::Half(Half::First, _) if scalar.bits() == 32 => {
                std::iter::once(self.v1(VMOVUPS, Len::Y, Source::Memory(memory))).collect()
            }
            Predicate::Half(Half::Last, _) if scalar.bits() == 32 => {
                let zero = self.zero();
                let half = Source::Memory(memory.plus(32));
                std::iter::once(self.vector(Spec::binary(VINSERTF64X4, Len::Z, zero, half).imm(1))).collect()
            }
            Predicate::First(count, mask) if scalar.bits() == 32 && !short => {
                self.each(pieces, |this, piece| {
                    let memory = memory.plus(piece as i32 * 64);
                    this.load_first(memory, pieces.len, count, piece as u32 * pieces.lanes, mask)
                })
            }
            Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => {
                let mask = if short { self.exact_mask(mask) } else { mask };
                let (op, _) = masked_moves(scalar);
                self.each(pieces, |this, piece| {
                    let mask = this.mask_piece(mask, piece as u32, pieces.lanes);
                    let memory = memory.plus(piece as i32 * 64);
                    this.prefetch_masked_load(memory, space);
                    this.vector(Spec::unary(op, pieces.len, Source::Memory(memory)).zeroing(mask))
                })
            }
        }
    }

    /// Loads each register by itself.
    fn load_blocks(
        &mut self,
        scalar: Scalar,
        blocks: &[RegisterBlock],
        predicate: Predicate,
        space: Space,
    ) -> Registers {
        let pieces = self.tiling(scalar);
        let mut loaded: SmallVec<[VReg; 8]> = SmallVec::new();
        for (piece, block) in blocks.iter().enumerate() {
            let source = Source::Memory(block.memory);
            let register = match (predicate, block.same_as) {
                (Predicate::All, Some(earlier)) => loaded[earlier],
                (Predicate::All, None) => {
                    let op = if block.is_uniform { broadcast_op(scalar) } else { VMOVUPS };
                    self.v1(op, pieces.len, source)
                }
                (Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask), _) => {
                    let mask = self.mask_piece(mask, piece as u32, pieces.lanes);
                    let op = if block.is_uniform {
                        broadcast_op(scalar)
                    } else {
                        self.prefetch_masked_load(block.memory, space);
                        masked_moves(scalar).0
                    };
                    self.vector(Spec::unary(op, pieces.len, source).zeroing(mask))
                }
            };
            loaded.push(register);
        }
        loaded.into_iter().collect()
    }

    /// Loads eight 32-bit lanes at a time.
    fn load_halves(
        &mut self,
        scalar: Scalar,
        blocks: &[RegisterBlock],
        predicate: Predicate,
        space: Space,
    ) -> Registers {
        let mut loaded: SmallVec<[Option<VReg>; 8]> = SmallVec::new();
        let mut registers: SmallVec<[VReg; 4]> = SmallVec::new();
        for (number, block) in (0..).zip(blocks) {
            let memory = Source::Memory(block.memory);
            let op = if block.is_uniform { broadcast_op(scalar) } else { VMOVUPS };
            let earlier = block.same_as.and_then(|earlier| loaded[earlier]);
            let half = match (predicate, earlier) {
                (Predicate::All, Some(earlier)) => Source::Reg(earlier),
                (Predicate::All, None) if number % 2 == 1 && !block.is_uniform => memory,
                (Predicate::All, None) => Source::Reg(self.v1(op, Len::Y, memory)),
                (Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask), _) => {
                    let mask = self.mask_piece(mask, number, 8);
                    let op = if block.is_uniform { op } else { masked_moves(scalar).0 };
                    if !block.is_uniform {
                        self.prefetch_masked_load(block.memory, space);
                    }
                    Source::Reg(self.vector(Spec::unary(op, Len::Y, memory).zeroing(mask)))
                }
            };
            let register = if let Source::Reg(register) = half { Some(register) } else { None };
            match (number % 2, register) {
                (0, Some(register)) => registers.push(register),
                _ => {
                    let low = registers.last_mut().expect("the first half comes first");
                    *low = self.vector(Spec::binary(VINSERTF64X4, Len::Z, *low, half).imm(1));
                }
            }
            loaded.push(register);
        }
        registers.into_iter().collect()
    }

    /// Loads four 32-bit lanes at a time.
    fn load_quarters(&mut self, scalar: Scalar, blocks: &[RegisterBlock]) -> Registers {
        let pieces = self.tiling(scalar);
        let registers = blocks.chunks(pieces.lanes as usize / 4).map(|quarters| {
            let quarter = |this: &mut Self, block: &RegisterBlock| {
                let op = if block.is_uniform { broadcast_op(scalar) } else { VMOVUPS };
                this.v1(op, Len::X, Source::Memory(block.memory))
            };
            let mut register = quarter(self, &quarters[0]);
            for (index, block) in (0..).zip(quarters).skip(1) {
                let part = match block.is_uniform {
                    true => Source::Reg(quarter(self, block)),
                    false => Source::Memory(block.memory),
                };
                register = self.vector(Spec::binary(VINSERTF32X4, pieces.len, register, part).imm(index));
            }
            register
        });
        registers.collect::<SmallVec<[VReg; 4]>>().into_iter().collect()
    }

    /// Loads of 32 bits from few places: a broadcast of each to the lanes that share it.
    fn load_few(
        &mut self,
        scalar: Scalar,
        registers: &[SmallVec<[SharedPlace; 4]>],
        predicate: Predicate,
    ) -> Registers {
        let (pieces, op) = (self.tiling(scalar), broadcast_op(scalar));
        let loaded = registers.iter().zip(0..).map(|(places, piece)| {
            let mask = predicate.mask().map(|mask| self.mask_piece(mask, piece, pieces.lanes));
            places.iter().fold(None, |loaded: Option<VReg>, place| {
                let spec = Spec::unary(op, pieces.len, Source::Memory(place.memory));
                Some(match (loaded, mask) {
                    (None, None) => self.vector(spec),
                    (None, Some(mask)) => {
                        let mask = self.mask_of_lanes(mask, place.lanes);
                        self.vector(spec.zeroing(mask))
                    }
                    (Some(loaded), mask) => {
                        let mask = match mask {
                            Some(mask) => self.mask_of_lanes(mask, place.lanes),
                            None => self.lane_mask(place.lanes),
                        };
                        self.vector(spec.masked(mask).tied(loaded))
                    }
                })
            })
        });
        let loaded: Option<SmallVec<[VReg; 4]>> = loaded.collect();
        loaded.expect("registers have lanes").into_iter().collect()
    }

    /// The mask of some lanes of a register, made once in a block.
    pub(super) fn lane_mask(&mut self, lanes: u64) -> VReg {
        if let Some(&(_, known)) =
            self.lane_masks.iter().find(|((of, bits), _)| of.is_none() && *bits == lanes)
        {
            return known;
        }
        let bits = self.imm(lanes);
        let mask = self.mask_from_bits(bits);
        self.lane_masks.push(((None, lanes), mask));
        mask
    }

    /// Some lanes of a mask.
    pub(super) fn mask_of_lanes(&mut self, mask: VReg, lanes: u64) -> VReg {
        let key = (Some(mask), lanes);
        if let Some(&(_, known)) = self.lane_masks.iter().find(|(known, _)| *known == key) {
            return known;
        }
        let only = self.lane_mask(lanes);
        let part = self.mask_and(mask, only);
        self.lane_masks.push((key, part));
        part
    }

    /// Stores so many lanes at a time, one element behind the other: a register of them, or half of one.
    fn store_blocks(
        &mut self,
        scalar: Scalar,
        values: &[VReg],
        blocks: &[RegisterBlock],
        predicate: Predicate,
        lanes: u32,
    ) {
        let pieces = self.tiling(scalar);
        let len = if lanes < pieces.lanes { Len::Y } else { pieces.len };
        for (number, block) in (0..).zip(blocks) {
            let first = number * lanes;
            let from = values[(first / pieces.lanes) as usize];
            let value = self.extract(from, first % pieces.lanes * scalar.bytes(), lanes * scalar.bytes());
            match predicate {
                Predicate::All => self.store_vector(VMOVUPS_STORE, len, value, block.memory, None),
                Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => {
                    let mask = self.mask_piece(mask, number, lanes);
                    let (_, op) = masked_moves(scalar);
                    self.store_vector(op, len, value, block.memory, Some(mask));
                }
            }
        }
    }

    /// The lane's number times a constant, as 32-bit lanes.
    pub(super) fn multiples(&mut self, stride: i32) -> Registers {
        self.lane_numbers(|lane| lane.wrapping_mul(stride as u32))
    }

    /// A number for each lane, as 32-bit lanes.
    pub(super) fn lane_numbers(&mut self, number: impl Fn(u32) -> u32) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        self.each(pieces, |this, piece| {
            let first = piece as u32 * pieces.lanes;
            let bytes: Vec<u8> =
                (first..first + pieces.lanes).flat_map(|lane| number(lane).to_le_bytes()).collect();
            let source = this.pool_vector(&bytes);
            this.v1(VMOVUPS, pieces.len, source)
        })
    }

    /// A mask register that a gather or scatter may destroy.
    pub(super) fn gather_mask(&mut self, predicate: Predicate, piece: u32, lanes: u32) -> VReg {
        match predicate.mask() {
            None => self.mask_constant(true),
            Some(mask) => self.mask_piece(mask, piece, lanes),
        }
    }

    /// The part of 32-bit lanes that goes with one piece of another width.
    pub(super) fn index_piece(&mut self, index: &[VReg], piece: u32, lanes: u32) -> VReg {
        let own = self.tiling(Scalar::I32).lanes;
        let first = piece * lanes;
        self.extract(index[(first / own) as usize], first % own * 4, lanes * 4)
    }

    /// Gathers 32- or 64-bit elements at 32-bit offsets.
    fn gather(&mut self, scalar: Scalar, memory: Memory, index: &[VReg], predicate: Predicate) -> Registers {
        let pieces = self.tiling(scalar);
        let memory = self.simple_base(memory);
        let op = if scalar.bits() == 64 { VPGATHERDQ } else { VPGATHERDD };
        let is_plain = predicate.mask().is_none() && !self.has_short_vectors();
        let is_avx2 = self.features.level == Level::Avx2;
        self.each(pieces, |this, piece| {
            if is_plain && is_avx2 && op == VPGATHERDD && pieces.lanes >= 4 {
                let index = this.index_piece(index, piece as u32, pieces.lanes);
                return this.load_words(memory, index, pieces.lanes);
            }
            if is_plain && op == VPGATHERDQ && pieces.len == Len::Z {
                let (first, own) = (piece as u32 * pieces.lanes, this.tiling(Scalar::I32).lanes);
                return this.load_quads(memory, index[(first / own) as usize], first % own);
            }
            let mask = this.gather_mask(predicate, piece as u32, pieces.lanes);
            let index = this.index_piece(index, piece as u32, pieces.lanes);
            this.gather_piece(op, pieces.len, memory, index, mask)
        })
    }

    /// Leaves the index free for a vector.
    pub(super) fn simple_base(&mut self, memory: Memory) -> Memory {
        if memory.index.is_none() && !matches!(memory.base, Base::Pool(_)) {
            return memory;
        }
        let base = self.lea(Size::S64, memory.base, memory.index, memory.shift, 0);
        Memory { base: Base::Register(base), index: None, shift: 0, displacement: memory.displacement }
    }

    pub(super) fn gather_piece(
        &mut self,
        op: VOp,
        len: Len,
        memory: Memory,
        index: VReg,
        mask: VReg,
    ) -> VReg {
        let zero = self.zero();
        let to = self.code.vreg(VECTOR);
        let spent = self.code.vreg(MASK);
        let mut operands = Operands::new();
        operands.push(Operand::reg_reuse_def(to, 2));
        operands.push(Operand::reg_reuse_def(spent, 3));
        operands.push(Operand::reg_use(zero));
        operands.push(Operand::reg_use(mask));
        let memory = Memory { index: Some(index), ..memory };
        let address = Self::address_operands(memory, &mut operands, true);
        self.push(
            Kind::Vector(Vector { mask: 1, ..Vector::new(op, len, 0, NONE, RmSlot::Mem(address)) }),
            &operands,
        );
        to
    }

    fn scatter_piece(&mut self, op: VOp, len: Len, memory: Memory, index: VReg, mask: VReg, value: VReg) {
        let spent = self.code.vreg(MASK);
        let mut operands = Operands::new();
        operands.push(Operand::reg_reuse_def(spent, 1));
        operands.push(Operand::reg_use(mask));
        operands.push(Operand::reg_use(value));
        let memory = Memory { index: Some(index), ..memory };
        let address = Self::address_operands(memory, &mut operands, false);
        self.push(
            Kind::Vector(Vector { mask: 0, ..Vector::new(op, len, 2, NONE, RmSlot::Mem(address)) }),
            &operands,
        );
    }

    /// The 64-bit addresses of all lanes, without displacement.
    pub(super) fn addresses(&mut self, base: Value, offset: Value) -> Registers {
        let pieces = self.tiling(Scalar::I64);
        let splat = |this: &mut Self, value: Value| {
            let register = this.one(value);
            let all = this.v1(crate::asm::op::VPBROADCASTQ_GPR, pieces.len, register);
            std::iter::repeat_n(all, pieces.count as usize).collect::<Registers>()
        };
        let bases = if self.ty(base).is_uniform() { splat(self, base) } else { self.used(base) };
        if self.constant(offset) == Some(0) {
            return bases;
        }
        let offsets = match (self.ty(offset).is_uniform(), self.ty(offset).scalar) {
            (true, _) => splat(self, offset),
            (false, Scalar::I64) => self.used(offset),
            (false, _) => {
                let narrow = self.used(offset);
                self.each(pieces, |this, piece| {
                    let part = this.index_piece(&narrow, piece as u32, pieces.lanes);
                    this.v1(VPMOVZXDQ, pieces.len, part)
                })
            }
        };
        self.each(pieces, |this, piece| this.v2(VPADDQ, pieces.len, bases[piece], offsets[piece]))
    }

    /// Gathers 32- or 64-bit elements at 64-bit addresses.
    fn gather_addresses(
        &mut self,
        scalar: Scalar,
        addresses: &[VReg],
        displacement: i32,
        predicate: Predicate,
    ) -> Registers {
        let wide = self.tiling(Scalar::I64);
        let zero = self.imm(0);
        let memory = Memory { base: Base::Register(zero), index: None, shift: 0, displacement };
        let op = if scalar.bits() == 64 { VPGATHERQQ } else { VPGATHERQD };
        let parts = self.each(wide, |this, piece| {
            let mask = this.gather_mask(predicate, piece as u32, wide.lanes);
            this.gather_piece(op, wide.len, memory, addresses[piece], mask)
        });
        if scalar.bits() == 64 {
            return parts;
        }
        let narrow = self.tiling(scalar);
        let per_piece = (wide.count / narrow.count) as usize;
        parts.chunks(per_piece).map(|parts| self.join(parts, wide.lanes * 4)).collect()
    }

    fn store_varying(
        &mut self,
        value: Value,
        scalar: Scalar,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: Predicate,
    ) {
        let pieces = self.tiling(scalar);
        let pattern = self.pattern(base, offset, op, scalar, Use::Store);
        let values = self.used(value);
        match pattern {
            Pattern::Strided(memory, stride) if stride == scalar.bytes() as i32 => {
                self.store_consecutive(scalar, &values, memory, predicate, op.streaming);
            }
            Pattern::Strided(memory, stride)
                if self.store_strided(scalar, &values, memory, stride, predicate) => {}
            Pattern::Strided(memory, stride)
                if self.store_known_places(scalar, predicate, &values, |lane| {
                    memory.plus(lane as i32 * stride)
                }) => {}
            Pattern::Strided(memory, stride) if scalar.bits() >= 32 => {
                let index = self.multiples(stride);
                self.scatter(scalar, memory, &index, &values, predicate);
            }
            Pattern::Blocks(blocks) => {
                self.store_blocks(scalar, &values, &blocks, predicate, pieces.lanes);
            }
            Pattern::Halves(blocks) => self.store_blocks(scalar, &values, &blocks, predicate, 8),
            Pattern::ByteRows(rows, lanes) => {
                self.store_byte_rows(scalar, &values, &rows, lanes, predicate);
            }
            Pattern::Table(memory, numbers)
                if predicate == Predicate::All
                    && scalar.bits() == 32
                    && self.store_transposed(memory, &numbers, &values) => {}
            Pattern::Table(memory, ref numbers)
                if self.store_known_places(scalar, predicate, &values, |lane| {
                    memory.plus(numbers[lane as usize] as i32)
                }) => {}
            Pattern::Table(memory, numbers) => {
                let index = self.lane_numbers(|lane| numbers[lane as usize]);
                self.scatter(scalar, memory, &index, &values, predicate);
            }
            Pattern::Offsets(memory, offset) if scalar.bits() >= 32 => {
                let index = self.used(offset);
                if let Some(mask) =
                    predicate.mask().filter(|_| op.whole_pairs && self.takes_pairs(scalar, op))
                {
                    return self.store_whole_pairs(memory, index, values[0], mask);
                }
                match self.pair_masks(scalar, op, predicate.mask()) {
                    Some(masks) => self.store_pairs(memory, index, values[0], &masks),
                    None => self.scatter(scalar, memory, &index, &values, predicate),
                }
            }
            Pattern::Addresses if scalar.bits() >= 32 => {
                let addresses = self.addresses(base, offset);
                let wide = self.tiling(Scalar::I64);
                let zero = self.imm(0);
                let memory = Memory {
                    base: Base::Register(zero),
                    index: None,
                    shift: 0,
                    displacement: op.displacement,
                };
                let scatter = if scalar.bits() == 64 { VPSCATTERQQ } else { VPSCATTERQD };
                for piece in 0..wide.count {
                    let mask = self.gather_mask(predicate, piece, wide.lanes);
                    let first = piece * wide.lanes;
                    let from = values[(first / pieces.lanes) as usize];
                    let offset = first % pieces.lanes * scalar.bytes();
                    let part = self.extract(from, offset, wide.lanes * scalar.bytes());
                    self.scatter_piece(scatter, wide.len, memory, addresses[piece as usize], mask, part);
                }
            }
            pattern => {
                let place = self.spill_lanes(values, scalar);
                let this = self.lane_loop(LaneOp::Scatter, scalar, 0, place, 0);
                self.run_lane_loop(this, pattern, base, offset, op, predicate);
            }
        }
    }

    fn store_consecutive(
        &mut self,
        scalar: Scalar,
        values: &[VReg],
        memory: Memory,
        predicate: Predicate,
        streaming: bool,
    ) {
        let pieces = self.tiling(scalar);
        let short = self.is_short(scalar);
        let streaming = streaming && pieces.len == Len::Z && scalar.bits() >= 32;
        match predicate {
            Predicate::All if short => {
                let op = if self.lanes * scalar.bytes() == 8 { VMOVQ_FROM } else { VMOVD_FROM };
                self.store_vector(op, Len::X, values[0], memory, None);
            }
            Predicate::All => {
                for (piece, &value) in values.iter().enumerate() {
                    let memory = memory.plus(piece as i32 * 64);
                    if streaming {
                        self.store_streaming(VMOVUPS_STORE, value, memory, None);
                    } else {
                        self.store_vector(VMOVUPS_STORE, pieces.len, value, memory, None);
                    }
                }
            }
            Predicate::Half(Half::First, _) if scalar.bits() == 32 => {
                self.store_vector(VMOVUPS_STORE, Len::Y, values[0], memory, None);
            }
            Predicate::Half(Half::Last, _) if scalar.bits() == 32 => {
                let half = self.extract(values[0], 32, 32);
                self.store_vector(VMOVUPS_STORE, Len::Y, half, memory.plus(32), None);
            }
            Predicate::First(count, mask) if scalar.bits() == 32 && !short && !streaming => {
                for (piece, &value) in values.iter().enumerate() {
                    let memory = memory.plus(piece as i32 * 64);
                    self.store_first(memory, pieces.len, count, piece as u32 * pieces.lanes, mask, value);
                }
            }
            Predicate::Some(mask) | Predicate::Half(_, mask) | Predicate::First(_, mask) => {
                let mask = if short { self.exact_mask(mask) } else { mask };
                let (_, op) = masked_moves(scalar);
                for (piece, &value) in values.iter().enumerate() {
                    let mask = self.mask_piece(mask, piece as u32, pieces.lanes);
                    let memory = memory.plus(piece as i32 * 64);
                    if streaming {
                        self.store_streaming(op, value, memory, Some(mask));
                    } else {
                        self.store_vector(op, pieces.len, value, memory, Some(mask));
                    }
                }
            }
        }
    }

    /// Stores a whole register; see [`Kind::StreamingStore`].
    fn store_streaming(&mut self, op: VOp, from: VReg, to: Memory, mask: Option<VReg>) {
        let mut operands = Operands::new();
        operands.push(late_use(from));
        let address = Self::address_operands(to, &mut operands, true);
        let mut slot = |operand: Operand| {
            operands.push(operand);
            operands.len() as u8 - 1
        };
        let mask = mask.map_or(NONE, |mask| slot(late_use(mask)));
        let dispatch = slot(late_use(self.arguments[0]));
        let temporary = slot(Operand::reg_temp(self.code.vreg(GENERAL)));
        let store = Vector { mask, ..Vector::new(op, Len::Z, 0, NONE, RmSlot::Mem(address)) };
        self.push(Kind::StreamingStore { store, dispatch, temporary }, &operands);
    }

    fn scatter(
        &mut self,
        scalar: Scalar,
        memory: Memory,
        index: &[VReg],
        values: &[VReg],
        predicate: Predicate,
    ) {
        let pieces = self.tiling(scalar);
        let memory = self.simple_base(memory);
        let op = if scalar.bits() == 64 { VPSCATTERDQ } else { VPSCATTERDD };
        for (piece, &value) in values.iter().enumerate() {
            let mask = self.gather_mask(predicate, piece as u32, pieces.lanes);
            let index = self.index_piece(index, piece as u32, pieces.lanes);
            self.scatter_piece(op, pieces.len, memory, index, mask, value);
        }
    }
}
