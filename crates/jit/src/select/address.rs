//! Address patterns: which accesses are vector moves.
//!
//! The offset of an access is taken apart ([`super::linear`]) into uniform terms and what each lane adds. Of
//! a lane that takes part in an access the offset is below 2^31 ([`pyro_ir::MemoryOp`]), so the uniform part
//! may be computed modulo 2^32 and sign-extended, and what the lanes add, less than 2^31, be added to it with
//! 64 bits: where that differs from the true offset, no lane takes part. This holds of no lane that adds less
//! than nothing, so the place that the others are counted from is that of the lane with the least
//! ([`Selector::anchor`]).

use super::Selector;
use super::byte_rows::{HALF, PART};
use super::linear::{Linear, Term};
use super::vector::{Base, Memory};
use crate::asm::{Alu, Shift, Size};
use crate::cpu::Level;
use crate::machine::{Address, AddressBase, Kind, NONE};
use pyro_ir::{MemoryOp, Opcode, Scalar, Value};
use regalloc2::{Operand, VReg};
use smallvec::SmallVec;

/// What an access does with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Load,
    /// A load that all lanes take part in.
    LoadAll,
    Store,
    /// One lane after the other.
    Lanes,
}

/// The form of an access, before any code for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Uniform,
    Strided(i32),
    Blocks,
    Halves,
    Quarters,
    /// Of 8 and 16 bits: so many lanes one behind the other.
    ByteRows(u32),
    Few,
    Table,
}

/// Where the lanes of one register, or of a quarter of one, lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterBlock {
    /// Of the first lane.
    pub memory: Memory,
    /// All at one place; else one element behind the other.
    pub is_uniform: bool,
    /// An earlier register with the same place.
    pub same_as: Option<usize>,
}

/// One place that several lanes of a register read.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedPlace {
    pub memory: Memory,
    /// Which lanes of the register.
    pub lanes: u64,
}

/// Where the lanes of an access lie.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// All at one place.
    Uniform(Memory),
    /// Each a constant number of bytes behind the one before.
    Strided(Memory, i32),
    /// By register of the accessed type.
    Blocks(Vec<RegisterBlock>),
    /// The same for each eight of a register's sixteen lanes.
    Halves(Vec<RegisterBlock>),
    /// The same for each four lanes.
    Quarters(Vec<RegisterBlock>),
    /// Of 8 and 16 bits: so many lanes one behind the other, by row.
    ByteRows(Vec<RegisterBlock>, u32),
    /// By register, at few places that lanes share.
    Few(Vec<SmallVec<[SharedPlace; 4]>>),
    /// Each so many bytes behind a place, known by lane.
    Table(Memory, Vec<u32>),
    /// Anywhere: a uniform base and varying 32-bit offsets.
    Offsets(Memory, Value),
    /// Anywhere: varying 64-bit base addresses.
    Addresses,
}

/// The most places of a register's lanes for which a broadcast each takes less time than a gather.
const FEW: usize = 4;

/// Lanes of a row of vectors of four words that fills a register.
pub(super) const ROW_OF_FOURS: u32 = 4;
/// The same of pairs of words.
pub(super) const ROW_OF_PAIRS: u32 = 8;

/// The largest distance between lanes that is left to displacements.
const NEAR: i32 = 1 << 20;
/// Larger displacements are added by an instruction of their own.
const FAR: u32 = 1 << 30;

impl Selector<'_> {
    /// The form of an access to elements of `scalar`.
    fn shape(&self, linear: &Linear, scalar: Scalar, how: Use) -> Option<Shape> {
        let pieces = self.tiling(scalar);
        let near = |lane: u32| {
            let distance = linear.distance(lane, 0);
            distance.checked_abs().is_some_and(|distance| distance < NEAR)
        };
        let together = linear.terms.iter().all(|term| term.numbers.same().is_some());
        let are_near = together && (0..self.lanes).all(near);
        if together {
            match linear.constant.step(0, self.lanes) {
                Some(0) => return Some(Shape::Uniform),
                Some(step) if are_near => return Some(Shape::Strided(step as i32)),
                _ => {}
            }
        }
        if scalar.bits() <= 16
            && how == Use::LoadAll
            && are_near
            && self.fits_windows(scalar, |lane| linear.distance(lane, self.anchor(linear)) as u32)
        {
            return Some(Shape::Table);
        }
        if how == Use::Lanes {
            return None;
        }
        if scalar.bits() < 32 {
            return self.byte_rows(linear, scalar);
        }
        let loads = matches!(how, Use::Load | Use::LoadAll);
        let are_blocks = |lanes: u32| {
            (0..self.lanes).step_by(lanes as usize).all(|first| {
                let same = linear.terms.iter().all(|term| term.numbers.step(first, lanes) == Some(0));
                let step = linear.constant.step(first, lanes);
                same && (step == Some(scalar.bytes()) || (step == Some(0) && loads))
            })
        };
        if are_blocks(pieces.lanes.min(self.lanes)) {
            return Some(Shape::Blocks);
        }
        let is_wide = self.features.level == Level::Avx512;
        let are_shared = |most: usize| {
            loads
                && scalar.bits() == 32
                && is_wide
                && (0..self.lanes).step_by(pieces.lanes as usize).all(|first| {
                    let places = shared_places(linear, first..self.lanes.min(first + pieces.lanes));
                    places.is_some_and(|places| places.len() <= most)
                })
        };
        if are_shared(2) {
            return Some(Shape::Few);
        }
        if scalar.bits() == 32 && pieces.lanes == 16 && are_blocks(8) {
            return Some(Shape::Halves);
        }
        if how == Use::LoadAll && are_near && self.fits_one_window(scalar, |lane| linear.distance(lane, 0)) {
            return Some(Shape::Table);
        }
        if how == Use::LoadAll && scalar.bits() == 32 && pieces.lanes > 4 && are_blocks(4) {
            return Some(Shape::Quarters);
        }
        if are_shared(FEW) {
            return Some(Shape::Few);
        }
        are_near.then_some(Shape::Table)
    }

    /// The rows of elements of 8 or 16 bits.
    fn byte_rows(&self, linear: &Linear, scalar: Scalar) -> Option<Shape> {
        let is_row = |first: u32, lanes: u32| {
            let same = linear.terms.iter().all(|term| term.numbers.step(first, lanes) == Some(0));
            same && linear.constant.step(first, lanes) == Some(scalar.bytes())
        };
        let rows = [PART, HALF].into_iter().map(|bytes| bytes / scalar.bytes());
        let mut rows = rows.filter(|&lanes| lanes < self.lanes && self.lanes * scalar.bytes() >= PART);
        let is_wide = self.features.level == Level::Avx512;
        let found =
            rows.find(|&lanes| (0..self.lanes).step_by(lanes as usize).all(|first| is_row(first, lanes)));
        found.filter(|_| is_wide).map(Shape::ByteRows)
    }

    /// Whether the lanes' places are known, and no other form fits.
    pub(super) fn is_table(&self, linear: &Linear, scalar: Scalar, how: Use) -> bool {
        self.shape(linear, scalar, how) == Some(Shape::Table)
    }

    /// The lane whose offset is the least of all, where these differ by constants that are near each other.
    pub(super) fn anchor(&self, linear: &Linear) -> u32 {
        (0..self.lanes).min_by_key(|&lane| linear.distance(lane, 0)).unwrap_or(0)
    }

    /// The uniform values that the offset of an access is made of, if its pattern is known.
    pub(super) fn linear_terms(
        &self,
        base: Value,
        offset: Value,
        scalar: Scalar,
        how: Use,
    ) -> Option<SmallVec<[Value; 3]>> {
        let uniform_base =
            self.ty(base).is_uniform() || self.def(base).is_some_and(|data| data.op == Opcode::Splat);
        let linear = uniform_base.then(|| self.linear(offset))??;
        self.shape(&linear, scalar, how)?;
        Some(linear.terms.iter().flat_map(|term| [Some(term.value), term.times]).flatten().collect())
    }

    /// Whether the lanes of a load of 32 bits have no stride: their offsets are anything, or constants.
    pub(super) fn is_irregular(&self, offset: Value) -> bool {
        let Some(linear) = self.linear(offset) else { return true };
        matches!(self.shape(&linear, Scalar::I32, Use::LoadAll), None | Some(Shape::Table))
    }

    /// Whether nothing is known of where lanes load words.
    pub(super) fn goes_anywhere(&self, offset: Value) -> bool {
        let linear = self.linear(offset);
        linear.is_none_or(|linear| self.shape(&linear, Scalar::I32, Use::LoadAll).is_none())
    }

    /// Whether each four lanes of a load of 32 bits go to one place, but not all of a register.
    pub(super) fn shares_by_quarters(&self, offset: Value) -> bool {
        self.linear(offset).is_some_and(|linear| {
            self.shape(&linear, Scalar::I32, Use::LoadAll) == Some(Shape::Quarters)
                && (0..self.lanes).step_by(4).all(|first| linear.constant.step(first, 4) == Some(0))
        })
    }

    /// Whether each so many lanes fill a register's 64 bytes: rows of vectors of four words are four lanes
    /// ([`ROW_OF_FOURS`]), of pairs of words eight ([`ROW_OF_PAIRS`]).
    pub(super) fn has_rows(&self, offset: Value, lanes: u32) -> bool {
        self.lanes.is_multiple_of(lanes)
            && self.linear(offset).is_some_and(|linear| {
                (0..self.lanes).step_by(lanes as usize).all(|first| {
                    let together = linear.terms.iter().all(|term| term.numbers.step(first, lanes) == Some(0));
                    together && linear.constant.step(first, lanes) == Some(64 / lanes)
                })
            })
    }

    /// The uniform values that the places of these rows are made of.
    pub(super) fn row_terms(&self, offset: Value) -> SmallVec<[Value; 3]> {
        let terms = self.linear(offset).map(|linear| linear.terms.clone()).unwrap_or_default();
        terms.iter().flat_map(|term| [Some(term.value), term.times]).flatten().collect()
    }

    /// The places of these rows.
    pub(super) fn rows_of(
        &mut self,
        base: Value,
        offset: Value,
        op: MemoryOp,
        lanes: u32,
    ) -> Vec<RegisterBlock> {
        let linear = self.linear(offset);
        let linear = linear.as_ref().expect("rows are known by lane");
        self.blocks_of(base, offset, op, lanes, linear)
    }

    /// Whether lanes are known to be near each other, and each at least so many bytes from all others.
    pub(super) fn are_apart(&self, offset: Value, bytes: u32) -> bool {
        self.linear(offset).is_some_and(|linear| {
            let together = linear.terms.iter().all(|term| term.numbers.same().is_some());
            let mut places: SmallVec<[i32; 64]> =
                (0..self.lanes).map(|lane| linear.distance(lane, 0)).collect();
            places.sort_unstable();
            let near = |place: i32| (-NEAR..NEAR).contains(&place);
            together
                && places.iter().all(|&place| near(place))
                && places.windows(2).all(|pair| (pair[1] - pair[0]) as u32 >= bytes)
        })
    }

    /// Bytes from one lane to the next, if they are always the same.
    pub(super) fn stride(&self, offset: Value) -> Option<u32> {
        match self.shape(&*self.linear(offset)?, Scalar::I32, Use::Lanes)? {
            Shape::Strided(stride) => Some(stride as u32),
            _ => Some(0),
        }
    }

    /// Computes an offset for one lane as a 64-bit index and a constant.
    pub(super) fn offset_of_lane(
        &mut self,
        offset: Value,
        linear: &Linear,
        lane: u32,
    ) -> (Option<VReg>, i32) {
        if let Some(&known) = self.offsets.get(&(offset, lane)) {
            return known;
        }
        let mut constant = linear.constant.at(lane) as i32;
        let mut sum: Option<VReg> = None;
        // What is scaled by a power of two is added by the instruction that scales it, if there is something
        // already.
        let is_index = |term: &&Term| matches!(term.numbers.at(lane), 2 | 4 | 8);
        let (indices, others): (SmallVec<[&Term; 4]>, SmallVec<[&Term; 4]>) =
            linear.terms.iter().partition(is_index);
        for term in others.into_iter().chain(indices) {
            let scale = term.numbers.at(lane);
            if scale == 0 {
                continue;
            }
            let register = match term.times {
                None => self.one(term.value),
                Some(times) => self.product(term.value, times),
            };
            sum = Some(match sum {
                None => self.scale(register, scale),
                Some(sum) if is_index(&term) => {
                    let shift = scale.trailing_zeros() as u8;
                    self.lea(Size::S32, Base::Register(sum), Some(register), shift, 0)
                }
                Some(sum) => {
                    let scaled = self.scale(register, scale);
                    self.add_registers(Size::S32, sum, scaled)
                }
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
        self.offsets.insert((offset, lane), (extended, constant));
        (extended, constant)
    }

    /// The product of two uniform values, 32 bits.
    fn product(&mut self, a: Value, b: Value) -> VReg {
        if let Some(&known) = self.products.get(&(a, b)) {
            return known;
        }
        let (left, right) = (self.one(a), self.one(b));
        let to = self.general();
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(left), Operand::reg_use(right)];
        self.push(Kind::Imul(Size::S32), &operands);
        self.products.insert((a, b), to);
        to
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
        let address = Address { base: AddressBase::Frame, index: NONE, shift: 0, displacement: offset };
        self.push(Kind::Load(bits, address), &[Operand::reg_def(to)]);
        to
    }

    /// A memory operand of a uniform base, an index and a constant.
    pub(super) fn operand(
        &mut self,
        base: Value,
        (index, constant): (Option<VReg>, i32),
        displacement: i32,
    ) -> Memory {
        let base = Base::Register(self.one(base));
        // What lanes and registers add to it later is to fit as well.
        let sum = constant.checked_add(displacement).filter(|sum| sum.unsigned_abs() < FAR);
        match sum {
            Some(displacement) => Memory { base, index, shift: 0, displacement },
            None => {
                let base = Base::Register(self.lea(Size::S64, base, index, 0, constant));
                let base = Base::Register(self.lea(Size::S64, base, None, 0, displacement));
                Memory { base, index: None, shift: 0, displacement: 0 }
            }
        }
    }

    /// The one address of an access with uniform base and offset.
    pub(super) fn uniform_address(&mut self, base: Value, offset: Value, op: MemoryOp) -> Memory {
        match self.constant(offset) {
            Some(bits) if i32::try_from(bits).is_ok() => {
                self.operand(base, (None, bits as i32), op.displacement)
            }
            _ => {
                // Zero-extended in its register already.
                let index = Some(self.one(offset));
                self.operand(base, (index, 0), op.displacement)
            }
        }
    }

    /// How the lanes of an access to elements of `scalar` with a varying predicate lie.
    pub(super) fn pattern(
        &mut self,
        base: Value,
        offset: Value,
        op: MemoryOp,
        scalar: Scalar,
        how: Use,
    ) -> Pattern {
        if self.ty(base).is_varying() {
            // A base that is the same in all lanes is often only written as varying.
            match self.def(base).map(|data| (data.op, data.args.first().copied())) {
                Some((Opcode::Splat, Some(uniform))) => {
                    return self.pattern(uniform, offset, op, scalar, how);
                }
                _ => return Pattern::Addresses,
            }
        }
        if self.ty(offset).scalar == Scalar::I64 {
            return match (self.ty(offset).is_uniform(), self.constant(offset)) {
                (true, _) => Pattern::Uniform(self.uniform_address(base, offset, op)),
                (false, Some(bits)) if i32::try_from(bits).is_ok() => {
                    Pattern::Uniform(self.operand(base, (None, bits as i32), op.displacement))
                }
                _ => Pattern::Addresses,
            };
        }
        let linear = self.linear(offset);
        let shape = linear.as_ref().and_then(|linear| Some((linear, self.shape(linear, scalar, how)?)));
        let Some((linear, shape)) = shape else {
            return Pattern::Offsets(self.operand(base, (None, 0), op.displacement), offset);
        };
        match shape {
            Shape::Blocks => {
                let lanes = self.tiling(scalar).lanes;
                return Pattern::Blocks(self.blocks_of(base, offset, op, lanes, linear));
            }
            Shape::Halves => return Pattern::Halves(self.blocks_of(base, offset, op, 8, linear)),
            Shape::Quarters => return Pattern::Quarters(self.blocks_of(base, offset, op, 4, linear)),
            Shape::ByteRows(lanes) => {
                return Pattern::ByteRows(self.blocks_of(base, offset, op, lanes, linear), lanes);
            }
            Shape::Few => return Pattern::Few(self.few_places(base, offset, op, linear)),
            _ => {}
        }
        let anchor = self.anchor(linear);
        let least = self.offset_of_lane(offset, linear, anchor);
        let memory = self.operand(base, least, op.displacement);
        match shape {
            Shape::Uniform => Pattern::Uniform(memory),
            Shape::Strided(stride) => Pattern::Strided(memory.plus(linear.distance(0, anchor)), stride),
            _ => {
                let numbers = (0..self.lanes).map(|lane| linear.distance(lane, anchor) as u32);
                Pattern::Table(memory, numbers.collect())
            }
        }
    }

    /// The places of the lanes of each register.
    fn few_places(
        &mut self,
        base: Value,
        offset: Value,
        op: MemoryOp,
        linear: &Linear,
    ) -> Vec<SmallVec<[SharedPlace; 4]>> {
        let lanes = self.tiling(Scalar::I32).lanes;
        let mut registers = Vec::new();
        for first in (0..self.lanes).step_by(lanes as usize) {
            let places = shared_places(linear, first..self.lanes.min(first + lanes)).unwrap_or_default();
            let places = places.into_iter().map(|(lane, lanes)| {
                let place = self.offset_of_lane(offset, linear, lane);
                SharedPlace { memory: self.operand(base, place, op.displacement), lanes: lanes >> first }
            });
            registers.push(places.collect());
        }
        registers
    }

    /// The place of each so many lanes of an access.
    fn blocks_of(
        &mut self,
        base: Value,
        offset: Value,
        op: MemoryOp,
        lanes: u32,
        linear: &Linear,
    ) -> Vec<RegisterBlock> {
        let mut blocks: Vec<RegisterBlock> = Vec::new();
        // First lanes, to find registers that differ by a constant, or not at all.
        let mut firsts: SmallVec<[u32; 8]> = SmallVec::new();
        for lane in (0..self.lanes).step_by(lanes as usize) {
            let distance = |other: u32| linear.distance(lane, other);
            let is_near = |&earlier: &usize| {
                let other = firsts[earlier];
                let same = |term: &Term| term.numbers.at(lane) == term.numbers.at(other);
                let distance = distance(other);
                linear.terms.iter().all(same)
                    && (0..NEAR).contains(&distance)
                    && blocks[earlier].memory.displacement.checked_add(distance).is_some()
            };
            // One at the same place before the first that is near.
            let near =
                (0..blocks.len()).filter(is_near).min_by_key(|&earlier| distance(firsts[earlier]) != 0);
            let is_uniform = linear.constant.step(lane, lanes.min(self.lanes)) == Some(0);
            let block = match near {
                Some(earlier) => {
                    let distance = distance(firsts[earlier]);
                    let same = distance == 0 && blocks[earlier].is_uniform == is_uniform;
                    let memory = blocks[earlier].memory.plus(distance);
                    RegisterBlock { memory, is_uniform, same_as: same.then_some(earlier) }
                }
                None => {
                    let place = self.offset_of_lane(offset, linear, lane);
                    let memory = self.operand(base, place, op.displacement);
                    RegisterBlock { memory, is_uniform, same_as: None }
                }
            };
            blocks.push(block);
            firsts.push(lane);
        }
        blocks
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

/// The lanes of a range that go to one place each: the first of them, and all as bits. None where there are
/// more than [`FEW`] places.
fn shared_places(linear: &Linear, lanes: std::ops::Range<u32>) -> Option<SmallVec<[(u32, u64); FEW]>> {
    let mut places: SmallVec<[(u32, u64); FEW]> = SmallVec::new();
    for lane in lanes {
        let is_same = |other: u32| {
            linear.distance(lane, other) == 0
                && linear.terms.iter().all(|term| term.numbers.at(lane) == term.numbers.at(other))
        };
        match places.iter().position(|&(other, _)| is_same(other)) {
            Some(place) => places[place].1 |= 1 << lane,
            None if places.len() == FEW => return None,
            None => places.push((lane, 1 << lane)),
        }
    }
    Some(places)
}
