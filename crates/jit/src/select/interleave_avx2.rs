//! Components side by side in memory, with vectors of 256 bits: eight lanes at a time, by the few
//! instructions that move words across a whole register or within its halves.
//!
//! Eight lanes of two, three or four words fill as many registers. The sequences are those of transposing;
//! for three words they rest on component `c` of lane `i` being word `3 * i + c`, whose places modulo eight
//! are all different: so one component's words from all registers fit one register, and one permutation
//! orders them.
//!
//! Of lanes that are apart, each has its words in half a register, together with the lane four further.

use super::Selector;
use super::interleave::Access;
use super::vector::{Memory, Source, Spec};
use crate::asm::Len;
use crate::asm::op::{
    VINSERTF64X4, VINSERTI128, VMOVDQU32, VMOVDQU32_STORE, VMOVHPS, VMOVSD, VMOVUPS, VMOVUPS_STORE, VPANDD,
    VPBLENDD, VPERM2I128, VPERMD, VPERMQ_IMM, VPMOVD2M, VPMOVM2D, VPSHUFD, VPUNPCKHDQ, VPUNPCKHQDQ,
    VPUNPCKLDQ, VPUNPCKLQDQ, VSHUFPS,
};
use crate::machine::inst::MASK;
use pyro_ir::Scalar;
use regalloc2::VReg;
use smallvec::SmallVec;

/// Lanes of a register.
const LANES: u32 = 8;

/// Registers of eight lanes.
type Halves = SmallVec<[VReg; 8]>;

impl Selector<'_> {
    /// Registers of eight lanes that a component of a block fills.
    fn halves(&self) -> u32 {
        (self.lanes / LANES).min(2)
    }

    /// For each register of words, in both halves of the lanes, the mask of those that are accessed; none:
    /// all.
    fn word_masks_avx2(&mut self, access: &Access<'_>) -> Option<Halves> {
        let group = access.group;
        let all = self.constant(access.predicate) == Some(1);
        let is_member = |word: u32| group.members[(word % group.words) as usize].is_some();
        let full = (0..group.words).all(is_member);
        if all && full {
            return None;
        }
        let registers = self.halves() * group.words;
        if all {
            return Some(
                (0..registers)
                    .map(|register| {
                        let words = (0..LANES).filter(|word| is_member(register * LANES + word));
                        let bits = self.imm(words.map(|word| 1 << word).sum());
                        self.mask_from_bits(bits)
                    })
                    .collect(),
            );
        }
        let mask = self.one(access.predicate);
        let mask = self.mask_piece(mask, access.block, 2 * LANES);
        let wide = self.v1(VPMOVM2D, self.tiling(Scalar::I32).len, mask);
        let halves: Halves = (0..self.halves()).map(|half| self.extract(wide, half * 32, 32)).collect();
        let masks = (0..registers).map(|register| {
            let (half, first) = (register / group.words, register % group.words * LANES);
            let index = self.words_avx2(|word| (first + word) / group.words);
            let mut moved = self.v2(VPERMD, Len::Y, index, halves[half as usize]);
            if !full {
                let members = self.pool_words_avx2(|word| if is_member(first + word) { u32::MAX } else { 0 });
                moved = self.v2(VPANDD, Len::Y, moved, members);
            }
            self.vector(Spec::unary(VPMOVD2M, Len::Y, moved).class(MASK))
        });
        Some(masks.collect())
    }

    fn pool_words_avx2(&mut self, f: impl Fn(u32) -> u32) -> Source {
        let bytes: Vec<u8> = (0..LANES).flat_map(|word| f(word).to_le_bytes()).collect();
        self.pool_vector(&bytes)
    }

    fn words_avx2(&mut self, f: impl Fn(u32) -> u32) -> VReg {
        let source = self.pool_words_avx2(f);
        self.v1(VMOVUPS, Len::Y, source)
    }

    fn v2_imm(&mut self, op: crate::asm::VOp, a: VReg, b: VReg, imm: u8) -> VReg {
        self.vector(Spec::binary(op, Len::Y, a, b).imm(imm))
    }

    /// For each lane of a block that is apart, the mask of the words that are accessed; none: all.
    fn lane_masks_avx2(&mut self, access: &Access<'_>) -> Option<SmallVec<[VReg; 16]>> {
        let members = access.group.members.map(|member| member.is_some());
        let lanes = self.halves() * LANES;
        if self.constant(access.predicate) == Some(1) {
            if members == [true; 4] {
                return None;
            }
            let words = (0..4).filter(|&word| members[word]);
            let bits = self.imm(words.map(|word| 1 << word).sum());
            let mask = self.mask_from_bits(bits);
            return Some(std::iter::repeat_n(mask, lanes as usize).collect());
        }
        let mask = self.one(access.predicate);
        let mask = self.mask_piece(mask, access.block, 2 * LANES);
        let wide = self.v1(VPMOVM2D, self.tiling(Scalar::I32).len, mask);
        let mut masks: SmallVec<[VReg; 16]> = SmallVec::new();
        for half in 0..self.halves() {
            let own = self.extract(wide, half * 32, 32);
            let pairs: SmallVec<[VReg; 4]> = (0..4)
                .map(|lane| {
                    let index = self.words_avx2(|word| lane + word / 4 * 4);
                    let mut moved = self.v2(VPERMD, Len::Y, index, own);
                    if members != [true; 4] {
                        let words = self.pool_words_avx2(|word| match members[(word % 4) as usize] {
                            true => u32::MAX,
                            false => 0,
                        });
                        moved = self.v2(VPANDD, Len::Y, moved, words);
                    }
                    moved
                })
                .collect();
            for upper in [0, 16] {
                for &pair in &pairs {
                    let quarter = self.extract(pair, upper, 16);
                    masks.push(self.vector(Spec::unary(VPMOVD2M, Len::X, quarter).class(MASK)));
                }
            }
        }
        Some(masks)
    }

    /// The components of a block of lanes that are apart.
    fn load_apart_avx2(&mut self, access: &Access<'_>) -> SmallVec<[Halves; 2]> {
        let members = access.group.members.map(|member| member.is_some());
        let masks = self.lane_masks_avx2(access);
        let load = |this: &mut Self, lane: u32| {
            let memory: Memory = access.place(this, lane as i32);
            match &masks {
                None => Source::Memory(memory),
                Some(masks) => {
                    let masked = Spec::unary(VMOVDQU32, Len::X, Source::Memory(memory));
                    Source::Reg(this.vector(masked.zeroing(masks[lane as usize])))
                }
            }
        };
        let has_stride = access.offsets.is_none() && access.distances.is_none() && access.rows.is_none();
        if masks.is_some() && has_stride {
            let stride = access.group.stride as i32 * 4;
            self.prefetch_strided_load(access.memory, stride, Scalar::I32, access.space);
        }
        let mut rows: SmallVec<[VReg; 8]> = SmallVec::new();
        for half in 0..self.halves() {
            for lane in (half * LANES..).take(4) {
                // What other lanes have loaded, too.
                let number = rows.len();
                let lane_of = |row: usize| (row as u32 / 4 * LANES + row as u32 % 4) as i32;
                let is_same = |&row: &usize| {
                    let (own, other) = (lane as i32, lane_of(row));
                    access.is_same_place(own, other) && access.is_same_place(own + 4, other + 4)
                };
                if let Some(row) = (0..number).find(is_same).filter(|_| masks.is_none()) {
                    rows.push(rows[row]);
                    continue;
                }
                let low = match load(self, lane) {
                    Source::Reg(register) => register,
                    memory => self.v1(VMOVUPS, Len::X, memory),
                };
                let high = load(self, lane + 4);
                rows.push(self.vector(Spec::binary(VINSERTI128, Len::Y, low, high).imm(1)));
            }
        }
        rows.chunks(4)
            .map(|rows| self.transposed_members([rows[0], rows[1], rows[2], rows[3]], members))
            .collect()
    }

    /// Two words of lanes that are apart, all of which take part: a load for each lane, and no gather for
    /// each word.
    fn load_pairs_avx2(&mut self, access: &Access<'_>) -> SmallVec<[Halves; 2]> {
        let halves = (0..self.halves() * LANES).step_by(LANES as usize);
        let halves = halves.map(|first| {
            // Lanes 0 and 1 with 4 and 5, lanes 2 and 3 with 6 and 7.
            let [upper, lower] = [first, first + 2].map(|first| {
                let [low, high] = [first, first + 4].map(|lane| {
                    let [even, odd] =
                        [lane, lane + 1].map(|lane| Source::Memory(access.place(self, lane as i32)));
                    let even = self.v1(VMOVSD, Len::X, even);
                    self.v2(VMOVHPS, Len::X, even, odd)
                });
                self.v2_imm(VINSERTI128, low, high, 1)
            });
            [0x88, 0xdd].map(|order| self.v2_imm(VSHUFPS, upper, lower, order)).into_iter().collect()
        });
        halves.collect()
    }

    /// Stores the components of a block of lanes that are apart.
    fn store_apart_avx2(&mut self, access: &Access<'_>, components: [VReg; 4]) {
        let masks = self.lane_masks_avx2(access);
        for half in 0..self.halves() {
            let parts = components.map(|value| self.extract(value, half * 32, 32));
            let rows = self.transposed(parts);
            for (lane, upper) in (half * LANES..).zip([0, 0, 0, 0, 16, 16, 16, 16]) {
                let value = self.extract(rows[(lane % 4) as usize], upper, 16);
                let to = access.place(self, lane as i32);
                match &masks {
                    None => self.store_vector(VMOVUPS_STORE, Len::X, value, to, None),
                    Some(masks) => {
                        let mask = Some(masks[lane as usize]);
                        self.store_vector(VMOVDQU32_STORE, Len::X, value, to, mask);
                    }
                }
            }
        }
    }

    /// The half of sixteen lanes that takes part with all words of each lane, if it is one: it needs no
    /// masks.
    fn whole_half(&self, access: &Access<'_>) -> Option<u32> {
        let members = &access.group.members[..access.group.words as usize];
        if self.lanes != 2 * LANES || !members.iter().all(Option::is_some) {
            return None;
        }
        match self.lane_bits(access.predicate)? {
            0x00ff => Some(0),
            0xff00 => Some(1),
            _ => None,
        }
    }

    /// The components of a block.
    pub(super) fn load_interleaved_avx2(&mut self, access: &Access<'_>) -> SmallVec<[VReg; 4]> {
        if access.group.is_apart() {
            let all_take_part = self.constant(access.predicate) == Some(1);
            let halves = match access.group.is_pair() && access.offsets.is_some() && all_take_part {
                true => self.load_pairs_avx2(access),
                false => self.load_apart_avx2(access),
            };
            return self.joined_halves(&halves);
        }
        if let Some(half) = self.whole_half(access) {
            let words: Halves = (0..access.group.words)
                .map(|register| {
                    let number = half * access.group.words + register;
                    let memory = access.memory.plus(number as i32 * 32);
                    self.v1(VMOVUPS, Len::Y, Source::Memory(memory))
                })
                .collect();
            let own = self.components(&words);
            let zero = self.zero();
            let zeros: Halves = own.iter().map(|_| zero).collect();
            return self.joined_halves(&if half == 0 { [own, zeros] } else { [zeros, own] });
        }
        let masks = self.word_masks_avx2(access);
        let words: Halves = (0..(self.halves() * access.group.words) as usize)
            .map(|register| {
                let memory = access.memory.plus(register as i32 * 32);
                let source = Source::Memory(memory);
                match &masks {
                    None => self.v1(VMOVUPS, Len::Y, source),
                    Some(masks) => {
                        self.prefetch_masked_load(memory, access.space);
                        self.vector(Spec::unary(VMOVDQU32, Len::Y, source).zeroing(masks[register]))
                    }
                }
            })
            .collect();
        let halves: SmallVec<[Halves; 2]> =
            words.chunks(access.group.words as usize).map(|words| self.components(words)).collect();
        self.joined_halves(&halves)
    }

    /// The components of all lanes of a block from those of each half.
    fn joined_halves(&mut self, halves: &[Halves]) -> SmallVec<[VReg; 4]> {
        match halves {
            [low, high] => low
                .iter()
                .zip(high)
                .map(|(&low, &high)| self.vector(Spec::binary(VINSERTF64X4, Len::Z, low, high).imm(1)))
                .collect(),
            [all, ..] => all.iter().copied().collect(),
            [] => unreachable!("there are lanes"),
        }
    }

    /// Stores the components of a block.
    pub(super) fn store_interleaved_avx2(&mut self, access: &Access<'_>, components: &[Option<VReg>]) {
        let any = components.iter().flatten().next().copied().expect("groups have members");
        if access.group.is_apart() {
            let all = [0, 1, 2, 3].map(|number| components[number].unwrap_or(any));
            return self.store_apart_avx2(access, all);
        }
        let half = self.whole_half(access);
        let masks = if half.is_some() { None } else { self.word_masks_avx2(access) };
        let words = access.group.words;
        let values = || components[..words as usize].iter().map(|value| value.unwrap_or(any));
        for half in half.map_or(0..self.halves(), |half| half..half + 1) {
            let parts: Halves = values().map(|value| self.extract(value, half * 32, 32)).collect();
            for (register, value) in self.rows(&parts).into_iter().enumerate() {
                let number = (half * words) as usize + register;
                let to = access.memory.plus(number as i32 * 32);
                match &masks {
                    None => self.store_vector(VMOVUPS_STORE, Len::Y, value, to, None),
                    Some(masks) => {
                        self.store_vector(VMOVDQU32_STORE, Len::Y, value, to, Some(masks[number]));
                    }
                }
            }
        }
    }

    /// Components from the words of eight lanes.
    fn components(&mut self, words: &[VReg]) -> Halves {
        match *words {
            [a, b] => [0x88, 0xdd]
                .into_iter()
                .map(|order| {
                    let mixed = self.v2_imm(VSHUFPS, a, b, order);
                    self.vector(Spec::unary(VPERMQ_IMM, Len::Y, mixed).imm(0xd8))
                })
                .collect(),
            [a, b, c] => (0..3)
                .map(|component| {
                    let place = |lane: u32| lane * 3 + component;
                    let bits = |register: u32| {
                        (0..LANES)
                            .map(place)
                            .filter(|word| word / LANES == register)
                            .fold(0, |bits, word| bits | 1 << (word % LANES))
                    };
                    let mixed = self.v2_imm(VPBLENDD, a, b, bits(1));
                    let mixed = self.v2_imm(VPBLENDD, mixed, c, bits(2));
                    let index = self.words_avx2(|lane| place(lane) % LANES);
                    self.v2(VPERMD, Len::Y, index, mixed)
                })
                .collect(),
            _ => {
                // Lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7; then each half is transposed.
                let lanes = [
                    self.v2_imm(VINSERTI128, words[0], words[2], 1),
                    self.v2_imm(VPERM2I128, words[0], words[2], 0x31),
                    self.v2_imm(VINSERTI128, words[1], words[3], 1),
                    self.v2_imm(VPERM2I128, words[1], words[3], 0x31),
                ];
                self.transposed(lanes)
            }
        }
    }

    /// The same; words that are not members have any value.
    fn transposed_members(&mut self, rows: [VReg; 4], members: [bool; 4]) -> Halves {
        if rows[1..].iter().all(|&row| row == rows[0]) {
            let words = [0x00, 0x55, 0xaa, 0xff].into_iter().zip(members);
            let word = |(order, is_wanted)| match is_wanted {
                true => self.vector(Spec::unary(VPSHUFD, Len::Y, rows[0]).imm(order)),
                false => rows[0],
            };
            return words.map(word).collect();
        }
        let pairs = [(VPUNPCKLDQ, [members[0], members[1]]), (VPUNPCKHDQ, [members[2], members[3]])];
        let mut components = Halves::new();
        for (op, wanted) in pairs {
            if wanted == [false; 2] {
                components.extend([rows[0]; 2]);
                continue;
            }
            let (first, next) =
                (self.v2(op, Len::Y, rows[0], rows[1]), self.v2(op, Len::Y, rows[2], rows[3]));
            let ops = [VPUNPCKLQDQ, VPUNPCKHQDQ].into_iter().zip(wanted);
            components.extend(ops.map(|(op, is_wanted)| match is_wanted {
                true => self.v2(op, Len::Y, first, next),
                false => first,
            }));
        }
        components
    }

    /// Transposes four by four words in both halves: the first, second, … words of all operands.
    fn transposed(&mut self, rows: [VReg; 4]) -> Halves {
        self.transposed_members(rows, [true; 4])
    }

    /// The words of eight lanes from components.
    fn rows(&mut self, components: &[VReg]) -> Halves {
        match *components {
            [x, y] => {
                let low = self.v2(VPUNPCKLDQ, Len::Y, x, y);
                let high = self.v2(VPUNPCKHDQ, Len::Y, x, y);
                [self.v2_imm(VINSERTI128, low, high, 1), self.v2_imm(VPERM2I128, low, high, 0x31)]
                    .into_iter()
                    .collect()
            }
            [x, y, z] => {
                let moved: Halves = [x, y, z]
                    .into_iter()
                    .zip(0..)
                    .map(|(value, component): (VReg, u32)| {
                        let lane_at =
                            |place: u32| (0..LANES).find(|lane| (lane * 3 + component) % LANES == place);
                        let index = self.words_avx2(|place| lane_at(place).unwrap_or(0));
                        self.v2(VPERMD, Len::Y, index, value)
                    })
                    .collect();
                (0..3)
                    .map(|register| {
                        let bits = |component: u32| {
                            (0..LANES)
                                .filter(|word| (register * LANES + word) % 3 == component)
                                .fold(0, |bits, word| bits | 1 << word)
                        };
                        let mixed = self.v2_imm(VPBLENDD, moved[0], moved[1], bits(1));
                        self.v2_imm(VPBLENDD, mixed, moved[2], bits(2))
                    })
                    .collect()
            }
            _ => {
                let lanes = self.transposed([components[0], components[1], components[2], components[3]]);
                [
                    self.v2_imm(VINSERTI128, lanes[0], lanes[1], 1),
                    self.v2_imm(VINSERTI128, lanes[2], lanes[3], 1),
                    self.v2_imm(VPERM2I128, lanes[0], lanes[1], 0x31),
                    self.v2_imm(VPERM2I128, lanes[2], lanes[3], 0x31),
                ]
                .into_iter()
                .collect()
            }
        }
    }
}
