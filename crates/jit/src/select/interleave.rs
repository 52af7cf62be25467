//! Components of vectors that lie side by side in memory: whole registers are moved and taken apart, instead
//! of one gather or scatter for each component.
//!
//! Of lanes with a stride of two, three or four words, component `c` of lane `i` is word `i * words + c`. So
//! as many registers as there are words hold all of it, one behind the other. Of lanes that are further
//! apart, members of structures, up to four neighbouring words are a quarter of a register, and four
//! registers hold those of sixteen lanes, as if they lay side by side. So are three or four neighbouring
//! words that lanes read anywhere (rows of matrices, vertices by index): a load for each lane instead of as
//! many gathers as there are words; and those that they write at places that are known to be apart (tiles in
//! workgroup memory), instead of as many scatters. Where each four lanes go side by side, as in rows of
//! workgroups of several, they are one move.

use super::address::{Pattern, ROW_OF_FOURS, ROW_OF_PAIRS, RegisterBlock, Use};
use super::repeats::PERIOD;
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::{
    KMOVQ_TO, KMOVW_FROM, PDEP64, VBROADCASTF32X4, VINSERTF32X4, VINSERTF64X4, VMOVDQU32, VMOVDQU32_STORE,
    VMOVUPS, VMOVUPS_STORE, VPERMI2D, VSHUFF64X2,
};
use crate::asm::{Len, Size};
use crate::cpu::Level;
use crate::machine::Kind;
use crate::machine::inst::{GENERAL, MASK};
use pyro_ir::{Effect, Inst, InstData, MemoryOp, Opcode, Scalar, Space, Type, Value};
use regalloc2::{Operand, VReg};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Lanes of a register.
const LANES: u32 = 16;

/// Strides from here on, in bytes, are left to gathers.
const STRIDE_END: u32 = 1 << 12;

/// The stride of lanes that read anywhere, or write to known places that are apart.
const ANYWHERE: u32 = 0;

/// Bytes of four words.
const BYTES_OF_FOUR: i32 = 16;
/// Bytes of two words.
const BYTES_OF_TWO: u32 = 8;
/// The stride of pairs of words that lie side by side, all or in rows.
const WORDS_OF_PAIR: u32 = 2;

/// The most bytes from one pair of words to another that is loaded with it.
const PAIRS_APART_MAX: i64 = 1 << 12;

/// The fewest components that are accessed together.
const MEMBERS_MIN: usize = 2;
/// The fewest for which loads of half a register for each lane that is apart take less time than gathers;
/// first two words of lanes that read anywhere are a quarter of one ([`Group::is_pair`]). Stores must have
/// all four: masked ones of half a register take long.
const MEMBERS_MIN_AVX2: usize = 3;

/// How far components are from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// One behind the other.
    Neighbours,
    /// Every second word.
    EverySecond,
    /// Two words, and two more that begin so many bytes behind the first: apart, or within the second one.
    Pairs(i32),
}

impl Spread {
    /// Bytes from the first component to each.
    fn bytes(self) -> [i32; 4] {
        match self {
            Spread::Neighbours => [0, 4, 8, 12],
            Spread::EverySecond => [0, 8, 16, 24],
            Spread::Pairs(bytes) => [0, 4, bytes, bytes + 4],
        }
    }
}

/// Accesses that happen together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Components; some may be no members.
    pub words: u32,
    /// Words from one lane to the next, or [`ANYWHERE`].
    pub stride: u32,
    pub spread: Spread,
    /// Displacement of the first component.
    displacement: i32,
    /// The access of each component.
    pub members: [Option<Inst>; 4],
}

impl Group {
    /// They are the first two words.
    pub(super) fn is_pair(&self) -> bool {
        self.members.map(|member| member.is_some()) == [true, true, false, false]
    }

    /// There are other words between the lanes' components.
    pub(super) fn is_apart(&self) -> bool {
        self.stride != self.words
    }
}

/// Where an access stands that belongs to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The whole group happens here.
    Here(usize),
    /// It happens elsewhere.
    Elsewhere,
}

/// The accesses of a group by sixteen lanes of a subgroup, or by all of fewer.
pub(super) struct Access<'g> {
    pub group: &'g Group,
    /// The first component of the first of these lanes.
    pub memory: Memory,
    /// Of lanes that read anywhere: where in the frame their offsets from there are, 32 bits each.
    pub offsets: Option<i32>,
    /// The last eight of these have the offsets of the first.
    pub repeats: bool,
    /// Of lanes whose places are known: how far behind the first component of all they are.
    pub distances: Option<&'g [u32]>,
    /// Of lanes that go to one place in fours: by these.
    pub quarters: Option<&'g [RegisterBlock]>,
    /// Of lanes that lie side by side in fours, or in eights where two words are accessed: by these.
    pub rows: Option<&'g [RegisterBlock]>,
    pub space: Space,
    /// Of all lanes.
    pub predicate: Value,
    /// Which sixteen.
    pub block: u32,
}

impl Access<'_> {
    /// The number of one of the sixteen lanes in the subgroup.
    fn lane(&self, lane: i32) -> usize {
        (self.block * LANES) as usize + lane as usize
    }

    /// The first component of one of the sixteen lanes, of lanes that are apart.
    pub(super) fn place(&self, selector: &mut Selector<'_>, lane: i32) -> Memory {
        if let Some(rows) = self.rows {
            return rows[self.lane(lane) / 4].memory.plus(lane % 4 * BYTES_OF_FOUR);
        }
        match (self.offsets, self.distances, self.quarters) {
            (Some(offsets), ..) => {
                let index = selector.load_frame_general(32, offsets + lane * 4);
                Memory { index: Some(index), ..self.memory }
            }
            (None, Some(distances), _) => self.memory.plus(distances[self.lane(lane)] as i32),
            (None, None, Some(quarters)) => quarters[self.lane(lane) / 4].memory,
            (None, None, None) => self.memory.plus(lane * self.group.stride as i32 * 4),
        }
    }

    /// Where one of the registers lies that sixteen lanes fill, of lanes that are not apart.
    fn register(&self, register: usize) -> Memory {
        match self.rows {
            Some(rows) => rows[self.lane(0) / ROW_OF_PAIRS as usize + register].memory,
            None => self.memory.plus(register as i32 * 64),
        }
    }

    /// Whether two of the sixteen lanes are known to go to one place.
    pub(super) fn is_same_place(&self, lane: i32, other: i32) -> bool {
        if self.repeats {
            return lane % PERIOD as i32 == other % PERIOD as i32;
        }
        let (lane, other) = (self.lane(lane), self.lane(other));
        let is_same = |blocks: &[RegisterBlock]| {
            let first = |block: usize| blocks[block].same_as.unwrap_or(block);
            first(lane / 4) == first(other / 4)
        };
        match (self.distances, self.quarters, self.rows) {
            (Some(distances), ..) => distances[lane] == distances[other],
            (None, Some(quarters), _) => is_same(quarters),
            (None, None, Some(rows)) => lane % 4 == other % 4 && is_same(rows),
            (None, None, None) => lane == other,
        }
    }

    /// Whether four lanes are known to go where four others go.
    fn are_same_rows(&self, row: i32, other: i32) -> bool {
        (0..4).all(|lane| self.is_same_place(row * 4 + lane, other * 4 + lane))
    }
}

/// Where the lanes of a group go: as of an [`Access`], for all of them.
struct Places {
    memory: Memory,
    offsets: Option<i32>,
    repeats: bool,
    distances: Option<Vec<u32>>,
    quarters: Option<Vec<RegisterBlock>>,
    rows: Option<Vec<RegisterBlock>>,
}

impl Places {
    fn at(memory: Memory) -> Places {
        Places { memory, offsets: None, repeats: false, distances: None, quarters: None, rows: None }
    }
}

/// What accesses of one group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    offset: Value,
    predicate: Value,
    space: Space,
    is_store: bool,
}

/// Groups that end together: loads and stores of each space.
const CLASSES: usize = 2 * Space::ALL.len();

/// So many classes of a space, from its loads or its stores on.
fn class(space: Space, is_store: bool, count: usize) -> Range<usize> {
    let first = 2 * space as usize + usize::from(is_store);
    first..first + count
}

impl Key {
    fn class(&self) -> usize {
        class(self.space, self.is_store, 1).start
    }
}

/// A group that may still grow.
struct Open {
    stride: u32,
    /// Bytes from each lane's offset on that are its own, or another lane's with the same offset.
    room: u32,
    /// Displacement, place in the program, access.
    members: Vec<(i32, usize, Inst)>,
}

impl Selector<'_> {
    /// Finds the groups of a block.
    pub(super) fn find_interleaved(&mut self, insts: &[Inst]) {
        let short = self.features.level == Level::Avx2 && self.lanes == 8;
        if self.lanes < LANES && !short {
            return;
        }
        let function = self.function;
        let mut open: [FxHashMap<Key, Open>; CLASSES] = Default::default();
        for (order, &inst) in insts.iter().enumerate() {
            let data = &function.insts[inst];
            let effect = data.op.effect();
            let member = self.component(inst);
            // What may touch the same memory ends the groups that it must keep its place against.
            let ended = match effect {
                Effect::Barrier => 0..CLASSES,
                Effect::Write => class(MemoryOp::from_imm(data.imm).space, false, 2),
                Effect::Read => class(MemoryOp::from_imm(data.imm).space, true, 1),
                _ => 0..0,
            };
            for class in ended {
                let own = member.and_then(|(key, ..)| open[class].remove_entry(&key));
                for (key, group) in open[class].drain() {
                    self.close(&group, key.is_store);
                }
                open[class].extend(own);
            }
            if let Some((key, stride, room)) = member {
                let place = MemoryOp::from_imm(data.imm).displacement;
                let class = key.class();
                let new = || Open { stride, room, members: Vec::new() };
                let group = open[class].entry(key).or_insert_with(new);
                group.members.push((place, order, inst));
            }
        }
        for (key, group) in open.into_iter().flatten() {
            self.close(&group, key.is_store);
        }
    }

    /// Whether an access may belong to a group, how many words apart its lanes are, and within how many bytes
    /// others may join it.
    fn component(&self, inst: Inst) -> Option<(Key, u32, u32)> {
        let data = &self.function.insts[inst];
        let (value, is_store) = match data.op {
            Opcode::Load => (data.result.expand()?, false),
            Opcode::Store => (data.args[2], true),
            _ => return None,
        };
        let (base, offset) = (data.args[0], data.args[1]);
        let predicate = data.args[data.args.len() - 1];
        let memory = MemoryOp::from_imm(data.imm);
        let ty = self.ty(value);
        let fits = ty.is_varying()
            && ty.scalar.bits() == 32
            && !memory.volatile
            && (is_store || self.uses[value] > 0)
            && self.ty(base).is_uniform()
            && self.ty(offset) == Type::varying(Scalar::I32);
        if !fits {
            return None;
        }
        let key = Key { base, offset, predicate, space: memory.space, is_store };
        let by_pairs = || {
            self.features.level == Level::Avx512 && self.lanes >= LANES && self.has_rows(offset, ROW_OF_PAIRS)
        };
        if !is_store && self.is_irregular(offset) && by_pairs() {
            return Some((key, WORDS_OF_PAIR, BYTES_OF_TWO));
        }
        let by_quarters = || self.features.level == Level::Avx2 && self.shares_by_quarters(offset);
        if !is_store && (self.is_irregular(offset) || by_quarters()) {
            return Some((key, ANYWHERE, BYTES_OF_FOUR as u32));
        }
        // Strides against the order of the lanes are large here.
        let is_short = |stride: &u32| (8..STRIDE_END).contains(stride) && stride.is_multiple_of(4);
        match self.stride(offset).filter(is_short) {
            Some(stride) => Some((key, stride / 4, stride)),
            None if !is_store => None,
            None if self.are_apart(offset, BYTES_OF_FOUR as u32) => {
                Some((key, ANYWHERE, BYTES_OF_FOUR as u32))
            }
            // What lanes write at multiples of its size is apart, or at one place. There the last lane's
            // words remain, as if one component came after the other.
            None => {
                let room = self.alignment(offset).min(BYTES_OF_FOUR as u32);
                let is_whole = room >= BYTES_OF_TWO && self.is_irregular(offset);
                is_whole.then(|| match by_pairs() {
                    true => (key, WORDS_OF_PAIR, BYTES_OF_TWO),
                    false => (key, ANYWHERE, room),
                })
            }
        }
    }

    /// Makes groups of the accesses that were found: runs of components within one stride.
    fn close(&mut self, open: &Open, is_store: bool) {
        let mut members = open.members.clone();
        members.sort_unstable_by_key(|&(place, order, _)| (place, order));
        let span = open.room as i32;
        // A store further away than the stride may hit what another one of the next lane hits: order matters.
        let (first, last) = (members[0].0, members[members.len() - 1].0);
        if is_store && last >= first.saturating_add(span) {
            return;
        }
        let mut rest = members.as_slice();
        while let Some(&(first, ..)) = rest.first() {
            let words = if open.stride == ANYWHERE { 4 } else { open.stride.min(4) };
            let spread = if is_store { Spread::Neighbours } else { self.spread(open, rest) };
            let mut group =
                Group { words, stride: open.stride, spread, displacement: first, members: [None; 4] };
            let mut insts: SmallVec<[(usize, Inst); 4]> = SmallVec::new();
            // At least the first itself, also at the greatest displacement.
            let end = match spread {
                Spread::Neighbours => i64::from(first) + i64::from(words) * 4,
                _ => i64::from(first) + i64::from(spread.bytes()[3]) + 1,
            };
            let len = rest.iter().take_while(|&&(place, ..)| i64::from(place) < end).count();
            let mut sound = true;
            for &(place, order, inst) in &rest[..len] {
                let component = spread.bytes().iter().position(|&bytes| bytes == place - first);
                let free = component.filter(|&component| group.members[component].is_none());
                sound &= free.is_some();
                if let Some(component) = free.filter(|_| sound) {
                    group.members[component] = Some(inst);
                    insts.push((order, inst));
                }
            }
            rest = &rest[len..];
            let least = match (group.is_apart() && self.features.level == Level::Avx2, is_store) {
                (false, _) => MEMBERS_MIN,
                (true, false) if group.is_pair() && self.loads_pairs(insts[0].1) => MEMBERS_MIN,
                (true, false) => MEMBERS_MIN_AVX2,
                (true, true) => 4,
            };
            if !sound || insts.len() < least {
                continue;
            }
            // In the order of the program: loads happen at the first, stores at the last.
            insts.sort_unstable_by_key(|&(order, _)| order);
            let here = if is_store { insts[insts.len() - 1].1 } else { insts[0].1 };
            let number = self.groups.len();
            self.groups.push(group);
            for (_, inst) in insts {
                self.roles.insert(inst, if inst == here { Role::Here(number) } else { Role::Elsewhere });
            }
        }
    }

    /// Whether two neighbouring words, of which this is the load of one, are a load for each lane with AVX2:
    /// where all lanes take part, and nothing is known of their places.
    fn loads_pairs(&mut self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        let (offset, predicate) = (data.args[1], data.args[2]);
        let is_plain = self.constant(predicate) == Some(1) && !MemoryOp::from_imm(data.imm).pairs;
        is_plain && self.goes_anywhere(offset) && !self.has_repeats(offset)
    }

    /// How the next loads of lanes that go anywhere are spread, where all lanes take part: what is between
    /// the words of a lane may be loaded, too.
    fn spread(&self, open: &Open, rest: &[(i32, usize, Inst)]) -> Spread {
        let Some(four @ [first, ..]) = rest.get(..4) else { return Spread::Neighbours };
        let data = &self.function.insts[first.2];
        let places: SmallVec<[i64; 4]> =
            four.iter().map(|&(place, ..)| i64::from(place) - i64::from(first.0)).collect();
        let pairs = Spread::Pairs(places[2].min(PAIRS_APART_MAX) as i32);
        let are_at = |spread: &Spread| places.iter().copied().eq(spread.bytes().into_iter().map(i64::from));
        let is_anywhere = open.stride == ANYWHERE
            && self.features.level == Level::Avx512
            && self.constant(data.args[2]) == Some(1)
            && self.access_terms(data).is_none();
        let spread = [Spread::Neighbours, Spread::EverySecond, pairs].into_iter().find(are_at);
        spread.filter(|_| is_anywhere).unwrap_or(Spread::Neighbours)
    }

    /// Does the accesses of a group.
    pub(super) fn interleaved(&mut self, group: usize) {
        let group = self.groups[group].clone();
        let first = group.members.iter().flatten().next().copied().expect("groups have members");
        let data = self.function.insts[first].clone();
        let op = MemoryOp::from_imm(data.imm).at(group.displacement);
        let places = self.places(&group, &data, op);
        let predicate = data.args[data.args.len() - 1];
        let values: Vec<Option<Registers>> = match data.op {
            Opcode::Load => vec![None; 4],
            _ => {
                let mut value = |inst: Inst| self.used(self.function.insts[inst].args[2]);
                group.members.iter().map(|member| member.map(&mut value)).collect()
            }
        };
        let is_short = self.features.level == Level::Avx2;
        let mut loaded: [SmallVec<[VReg; 4]>; 4] = Default::default();
        for block in 0..self.lanes.div_ceil(LANES) {
            // What the registers of a block hold lies behind that of those before.
            let access = Access {
                group: &group,
                memory: places.memory.plus((block * group.stride) as i32 * 64),
                offsets: places.offsets.map(|place| place + block as i32 * 64),
                repeats: places.repeats,
                distances: places.distances.as_deref(),
                quarters: places.quarters.as_deref(),
                rows: places.rows.as_deref(),
                space: op.space,
                predicate,
                block,
            };
            let at = |value: &Option<Registers>| value.as_ref().map(|registers| registers[block as usize]);
            let components: SmallVec<[Option<VReg>; 4]> = values.iter().map(at).collect();
            match (data.op, is_short) {
                (Opcode::Load, _) => {
                    let components = match is_short {
                        true => self.load_interleaved_avx2(&access),
                        false => self.load_interleaved(&access),
                    };
                    loaded.iter_mut().zip(components).for_each(|(all, component)| all.push(component));
                }
                (_, true) => self.store_interleaved_avx2(&access, &components),
                (_, false) => self.store_interleaved(&access, &components),
            }
        }
        if data.op == Opcode::Load {
            for (member, registers) in group.members.iter().zip(loaded) {
                let Some(inst) = *member else { continue };
                let result = self.function.insts[inst].expect_result();
                self.define(result, registers);
            }
        }
    }

    /// Where the lanes of a group go.
    fn places(&mut self, group: &Group, data: &InstData, op: MemoryOp) -> Places {
        let (base, offset) = (data.args[0], data.args[1]);
        let is_anywhere = group.stride == ANYWHERE;
        let is_strided = || self.stride(offset).is_some_and(|stride| stride == group.stride * 4);
        let row = match group.stride {
            ANYWHERE if self.has_rows(offset, ROW_OF_FOURS) => Some(ROW_OF_FOURS),
            WORDS_OF_PAIR if !is_strided() => Some(ROW_OF_PAIRS),
            _ => None,
        };
        if let Some(lanes) = row {
            let rows = self.rows_of(base, offset, op, lanes);
            return Places { rows: Some(rows.clone()), ..Places::at(rows[0].memory) };
        }
        let how = match (is_anywhere, data.op) {
            (true, Opcode::Load) => Use::LoadAll,
            (true, _) => Use::Store,
            _ => Use::Lanes,
        };
        match self.pattern(base, offset, op, Scalar::I32, how) {
            Pattern::Strided(memory, stride) if is_anywhere => {
                let distances = (0..self.lanes).map(|lane| lane.wrapping_mul(stride as u32));
                Places { distances: Some(distances.collect()), ..Places::at(memory) }
            }
            Pattern::Strided(memory, _) => Places::at(memory),
            Pattern::Table(memory, numbers) => Places { distances: Some(numbers), ..Places::at(memory) },
            Pattern::Quarters(blocks) => {
                Places { quarters: Some(blocks.clone()), ..Places::at(blocks[0].memory) }
            }
            Pattern::Offsets(memory, offset) => {
                let repeats = data.op == Opcode::Load && self.has_repeats(offset);
                let mut offsets = self.used(offset);
                // Of a lane that takes no part the offset may be any: an access there without words takes
                // long.
                let predicate = data.args[data.args.len() - 1];
                if data.op == Opcode::Store
                    && self.features.level == Level::Avx512
                    && self.constant(predicate) != Some(1)
                {
                    let mask = self.one(predicate);
                    let pieces = self.tiling(Scalar::I32);
                    offsets = self.each(pieces, |this, piece| {
                        let mask = this.mask_piece(mask, piece as u32, pieces.lanes);
                        this.vector(Spec::unary(VMOVDQU32, pieces.len, offsets[piece]).zeroing(mask))
                    });
                }
                let offsets = self.spill_lanes(offsets, Scalar::I32);
                Places { offsets: Some(offsets), repeats, ..Places::at(self.simple_base(memory)) }
            }
            _ => unreachable!("lanes have a stride, or offsets from one base"),
        }
    }

    /// For each register of words, the mask of those that are accessed; none: all.
    fn word_masks(&mut self, access: &Access<'_>) -> Option<Registers> {
        let words = access.group.words;
        let is_full = access.group.members[..words as usize].iter().all(Option::is_some);
        let lanes = match self.constant(access.predicate) {
            Some(1) if is_full => return None,
            Some(1) => self.imm(0xffff),
            _ => {
                let mask = self.one(access.predicate);
                let mask = self.mask_piece(mask, access.block, LANES);
                self.vector(Spec::unary(KMOVW_FROM, Len::X, mask).class(GENERAL))
            }
        };
        // A lane's bit goes to its first word, and from there to each component that is a member.
        let spread: u64 = (0..LANES).map(|lane| 1u64 << (lane * words)).sum();
        let components: u64 =
            (0..4).filter(|&word| access.group.members[word].is_some()).map(|word| 1u64 << word).sum();
        let spread = self.imm(spread);
        let first = self.vector(Spec::binary(PDEP64, Len::X, lanes, spread).class(GENERAL));
        let bits = self.general();
        let operands = [Operand::reg_def(bits), Operand::reg_use(first)];
        self.push(Kind::ImulImm(Size::S64, components as i32), &operands);
        let all = self.vector(Spec::unary(KMOVQ_TO, Len::X, bits).class(MASK));
        Some((0..words).map(|register| self.mask_piece(all, register, LANES)).collect())
    }

    /// The components of sixteen lanes, of those that are no members anything.
    fn load_interleaved(&mut self, access: &Access<'_>) -> SmallVec<[VReg; 4]> {
        if let Some(words) = self.load_words_by_windows(access) {
            return words;
        }
        let is_whole = access.group.members.iter().all(Option::is_some);
        let all_take_part = is_whole && access.group.is_apart() && self.constant(access.predicate) == Some(1);
        let is_anywhere = access.offsets.is_some() && !access.repeats;
        let halves_share =
            || access.rows.is_none() && (0..8).all(|lane| access.is_same_place(lane, lane + 8));
        if access.group.spread != Spread::Neighbours || all_take_part && (is_anywhere || halves_share()) {
            return self.load_lane_quads(access);
        }
        // Of lanes that are apart and all take part, the components alone make masks, which are constants.
        let all = access.group.is_apart() && self.constant(access.predicate) == Some(1);
        let masks = if all { None } else { self.word_masks(access) };
        let registers = 0..access.group.words as usize;
        let words: SmallVec<[VReg; 4]> = if access.group.is_apart() {
            self.load_apart(access, masks.as_ref())
        } else {
            registers
                .map(|register| {
                    let memory = access.register(register);
                    let source = Source::Memory(memory);
                    match &masks {
                        None => self.v1(VMOVUPS, Len::Z, source),
                        Some(masks) => {
                            self.prefetch_masked_load(memory, access.space);
                            self.vector(Spec::unary(VMOVDQU32, Len::Z, source).zeroing(masks[register]))
                        }
                    }
                })
                .collect()
        };
        let is_member = |component: u32| access.group.members[component as usize].is_some();
        let &[a, b, c, d] = words.as_slice() else {
            let component = |this: &mut Self, component: u32| match is_member(component) {
                true => this.pick(&words, |lane| lane * access.group.words + component),
                false => words[0],
            };
            return (0..access.group.words).map(|number| component(self, number)).collect();
        };
        if (c, d) == (a, b) {
            // The last eight lanes have what the first have.
            let component = |this: &mut Self, component: u32| match is_member(component) {
                true => this.pick(&[a, b], |lane| lane % 8 * 4 + component),
                false => a,
            };
            return (0..4).map(|number| component(self, number)).collect();
        }
        // Two components of eight lanes in a register, then one of sixteen.
        let mut components = SmallVec::new();
        for first in [0, 2] {
            if !is_member(first) && !is_member(first + 1) {
                components.extend([a, a]);
                continue;
            }
            let from = |word: u32| word % 8 * 4 + first + word / 8;
            let low = self.pick(&[a, b], from);
            let high = self.pick(&[c, d], from);
            components.extend(self.halves_of(low, high, [is_member(first), is_member(first + 1)]));
        }
        components
    }

    /// Stores the components of sixteen lanes.
    fn store_interleaved(&mut self, access: &Access<'_>, components: &[Option<VReg>]) {
        let masks = self.word_masks(access);
        let any = components.iter().flatten().next().copied().expect("groups have members");
        let words = access.group.words;
        let values: SmallVec<[VReg; 4]> =
            components[..words as usize].iter().map(|value| value.unwrap_or(any)).collect();
        let registers: SmallVec<[VReg; 4]> = match *values.as_slice() {
            [x, y, z, w] => {
                // The components of eight lanes in two registers, then all of four lanes in one.
                let (low, high) = (self.halves_of(x, y, [true; 2]), self.halves_of(z, w, [true; 2]));
                let from =
                    |first: u32| move |word: u32| word % 4 / 2 * LANES + word % 2 * 8 + first + word / 4;
                let halves = low.into_iter().zip(high);
                halves
                    .flat_map(|(low, high)| [0, 4].map(|first| self.pick(&[low, high], from(first))))
                    .collect()
            }
            // Word `w` of a register is component `w % words` of lane `w / words`.
            _ => (0..words)
                .map(|register| {
                    let number = |word: u32| register * LANES + word;
                    self.pick(&values, |word| number(word) % words * LANES + number(word) / words)
                })
                .collect(),
        };
        if access.group.is_apart() {
            return self.store_apart(access, masks.as_ref(), &registers);
        }
        for (register, &value) in registers.iter().enumerate() {
            let to = access.register(register);
            match &masks {
                None => self.store_vector(VMOVUPS_STORE, Len::Z, value, to, None),
                Some(masks) => {
                    self.store_vector(VMOVDQU32_STORE, Len::Z, value, to, Some(masks[register]));
                }
            }
        }
    }

    /// The words of sixteen lanes that are apart, those of four lanes in a register.
    fn load_apart(&mut self, access: &Access<'_>, masks: Option<&Registers>) -> SmallVec<[VReg; 4]> {
        let stride = access.group.stride as i32 * 4;
        let components = match masks {
            Some(_) => 0xf,
            None => (0..4)
                .filter(|&word| access.group.members[word].is_some())
                .fold(0, |all, word| all | 1 << word),
        };
        let is_whole = masks.is_none() && components == 0xf;
        let is_strided = access.offsets.is_none() && access.distances.is_none() && access.rows.is_none();
        if is_strided && !is_whole {
            self.prefetch_strided_load(access.memory, stride, Scalar::I32, access.space);
        }
        let quarters = (!is_whole && access.rows.is_none()).then(|| {
            [0, 1, 2, 3].map(|quarter| {
                let bits = self.imm(components << (4 * quarter));
                self.mask_from_bits(bits)
            })
        });
        let mut rows: SmallVec<[VReg; 4]> = SmallVec::new();
        let is_shared = masks.is_none() || access.repeats && self.has_repeats(access.predicate);
        for row in 0..4 {
            // What other lanes have loaded, too.
            if let Some(same) = (0..row).find(|&other| is_shared && access.are_same_rows(row, other)) {
                rows.push(rows[same as usize]);
                continue;
            }
            if access.rows.is_some() {
                let place = access.place(self, row * 4);
                let mask = match masks {
                    Some(masks) => Some(masks[row as usize]),
                    None if components == 0xf => None,
                    None => {
                        let bits = self.imm(components * 0x1111);
                        Some(self.mask_from_bits(bits))
                    }
                };
                rows.push(match mask {
                    None => self.v1(VMOVUPS, Len::Z, Source::Memory(place)),
                    Some(mask) => {
                        self.prefetch_masked_load(place, access.space);
                        self.vector(Spec::unary(VMOVDQU32, Len::Z, Source::Memory(place)).zeroing(mask))
                    }
                });
                continue;
            }
            let places = [0, 1, 2, 3].map(|lane| access.place(self, row * 4 + lane));
            let row = match quarters {
                // Insertions of whole quarters need no masks, and the first one is a plain move.
                None => {
                    let first = self.v1(VMOVUPS, Len::X, Source::Memory(places[0]));
                    let insert = |this: &mut Self, loaded: VReg, quarter: u8| {
                        let place = Source::Memory(places[usize::from(quarter)]);
                        this.vector(Spec::binary(VINSERTF32X4, Len::Z, loaded, place).imm(quarter))
                    };
                    Some((1..4).fold(first, |loaded, quarter| insert(self, loaded, quarter)))
                }
                Some(quarters) => {
                    let lanes = places.into_iter().zip(quarters);
                    let load = |this: &mut Self, (place, quarter): (Memory, VReg)| {
                        let mask = masks.map_or(quarter, |masks| this.mask_and(masks[row as usize], quarter));
                        (Spec::unary(VBROADCASTF32X4, Len::Z, Source::Memory(place)), mask)
                    };
                    lanes.fold(None, |loaded: Option<VReg>, lane| {
                        let (spec, mask) = load(self, lane);
                        Some(self.vector(match loaded {
                            None => spec.zeroing(mask),
                            Some(loaded) => spec.masked(mask).tied(loaded),
                        }))
                    })
                }
            };
            rows.push(row.expect("a row has four lanes"));
        }
        rows
    }

    /// Stores the words of sixteen lanes that are apart.
    fn store_apart(&mut self, access: &Access<'_>, masks: Option<&Registers>, rows: &[VReg]) {
        for (row, &value) in rows.iter().enumerate() {
            if access.rows.is_some() {
                let to = access.place(self, row as i32 * 4);
                match masks {
                    None => self.store_vector(VMOVUPS_STORE, Len::Z, value, to, None),
                    Some(masks) => {
                        self.store_vector(VMOVDQU32_STORE, Len::Z, value, to, Some(masks[row]));
                    }
                }
                continue;
            }
            for quarter in 0..4 {
                let lane = row as i32 * 4 + quarter as i32;
                let to = access.place(self, lane);
                let part = self.extract(value, 16 * quarter, 16);
                match masks {
                    None => self.store_vector(VMOVUPS_STORE, Len::X, part, to, None),
                    Some(masks) => {
                        let mask = self.mask_piece(masks[row], quarter, 4);
                        self.store_vector(VMOVDQU32_STORE, Len::X, part, to, Some(mask));
                    }
                }
            }
        }
    }

    /// The first halves of two registers, and the second ones, as far as they are wanted.
    fn halves_of(&mut self, low: VReg, high: VReg, wanted: [bool; 2]) -> [VReg; 2] {
        let first = match wanted[0] {
            true => self.vector(Spec::binary(VINSERTF64X4, Len::Z, low, high).imm(1)),
            false => low,
        };
        let second = match wanted[1] {
            true => self.vector(Spec::binary(VSHUFF64X2, Len::Z, low, high).imm(0xee)),
            false => low,
        };
        [first, second]
    }

    /// One register whose word `w` is word `from(w)` of two or three registers, counted through.
    fn pick(&mut self, registers: &[VReg], from: impl Fn(u32) -> u32) -> VReg {
        let permuted = |this: &mut Self, low: VReg, high: VReg, of: &dyn Fn(u32) -> u32| {
            let bytes: Vec<u8> = (0..LANES).flat_map(|word| of(word).to_le_bytes()).collect();
            let source = this.pool_vector(&bytes);
            let index = this.v1(VMOVUPS, Len::Z, source);
            this.vector(Spec::binary(VPERMI2D, Len::Z, low, high).tied(index))
        };
        let low = permuted(self, registers[0], registers[1], &|word| from(word) % 32);
        match registers.get(2) {
            None => low,
            // What is there keeps its place.
            Some(&last) => permuted(self, low, last, &|word| match from(word) {
                place @ 32.. => place - 16,
                _ => word,
            }),
        }
    }
}
