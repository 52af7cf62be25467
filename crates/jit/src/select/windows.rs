//! Loads of lanes at known places that are close together: a few whole registers (*windows*) hold all of the
//! elements, and permutations put these in the order of the lanes.
//!
//! Blocks of quantized weights, of which each lane reads its part: 16 lanes of four blocks of 34 bytes lie in
//! three windows. A gather loads each element by itself.
//!
//! Where each lane has two words and several lanes in a row have theirs side by side, each such run is moved
//! to its place by a masked load, which costs no permutation; only the words are told apart then.
//!
//! Bytes, and elements at odd distances, need permutations of bytes (AVX512-VBMI): colours of three bytes.
//!
//! Nothing is read but what lies between the first byte of the first element and the last byte of the last
//! one. All lanes take part, so both are admitted; and as they are less than a page apart, so is what is
//! between.

use super::interleave::Access;
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::{VMOVDQU8, VMOVDQU32, VMOVUPS, VPERMB, VPERMD, VPERMI2B, VPERMI2D, VPERMI2W, VPERMW};
use crate::asm::{Len, VOp};
use crate::cpu::Level;
use pyro_ir::Scalar;
use regalloc2::VReg;
use smallvec::SmallVec;

/// Bytes of a window.
pub(super) const BYTES: u32 = 64;
/// The most windows of a load.
const WINDOWS_MAX: usize = 4;
/// The most of them that one register is put together from.
const SOURCES_MAX: usize = 3;
/// The most runs of a register.
const RUNS_MAX: usize = 3;
/// Lanes of a register of words.
const LANES: usize = 16;

/// Where windows begin, in bytes.
pub(super) struct Windows {
    starts: SmallVec<[u32; WINDOWS_MAX]>,
    /// Of a single one: how much of it is read.
    bytes: u32,
    /// The elements' distances from the beginnings are multiples of this: one, two or four bytes.
    unit: u32,
}

impl Windows {
    /// Those that hold elements of up to four bytes at these places.
    pub(super) fn find(places: impl Iterator<Item = u32>, bytes: u32) -> Option<Windows> {
        let mut places: SmallVec<[u32; 64]> = places.collect();
        places.sort_unstable();
        places.dedup();
        let (first, last) = (*places.first()?, *places.last()?);
        let end = last.checked_add(bytes).filter(|&end| end - first <= WINDOWS_MAX as u32 * BYTES)?;
        let apart = places.iter().fold(0, |bits, &place| bits | (place - first));
        let unit = 1 << apart.trailing_zeros().min(bytes.trailing_zeros());
        let mut starts: SmallVec<[u32; WINDOWS_MAX]> = SmallVec::new();
        for &place in &places {
            if starts.last().is_none_or(|&start| place + bytes > start + BYTES) {
                // Not beyond the last element.
                starts.push(place.min(end.saturating_sub(BYTES).max(first)));
            }
        }
        (starts.len() <= WINDOWS_MAX).then_some(Windows { starts, bytes: (end - first).min(BYTES), unit })
    }

    /// A single one.
    pub(super) fn one(bytes: u32) -> Windows {
        Windows { starts: SmallVec::from_slice(&[0]), bytes, unit: 4 }
    }

    /// From which of the windows, and how far from its beginning, each element comes. None where these are
    /// too many.
    fn sources(&self, places: &[u32], bytes: u32) -> Option<Sources> {
        let mut windows: SmallVec<[usize; SOURCES_MAX]> = SmallVec::new();
        let holds = |window: usize, place: u32| {
            let start = self.starts[window];
            start <= place && place + bytes <= start + BYTES
        };
        let mut elements = SmallVec::new();
        for &place in places {
            let number = match windows.iter().position(|&window| holds(window, place)) {
                Some(number) => number,
                None => {
                    windows.push((0..self.starts.len()).find(|&window| holds(window, place))?);
                    windows.len() - 1
                }
            };
            elements.push((number, place - self.starts[windows[number]]));
        }
        (windows.len() <= SOURCES_MAX).then_some(Sources { windows, elements })
    }
}

/// What a register is put together from.
struct Sources {
    windows: SmallVec<[usize; SOURCES_MAX]>,
    /// By lane: the number of the window among these, and the byte in it.
    elements: SmallVec<[(usize, u32); 32]>,
}

/// Pairs of words of sixteen lanes, as two registers in the order of the lanes: of each, where a register
/// begins whose words under the mask are the right ones.
struct Runs {
    registers: [SmallVec<[(i32, u64); RUNS_MAX]>; 2],
    /// Between what all may be read.
    first: i32,
    end: i32,
}

impl Runs {
    /// None where runs are too short.
    fn find(distances: &[u32]) -> Option<Runs> {
        let mut registers = [(); 2].map(|()| SmallVec::<[(i32, u64); RUNS_MAX]>::new());
        for (lane, &distance) in distances.iter().enumerate() {
            let (register, word) = (lane / 8, lane % 8 * 2);
            let start = (distance as i32).checked_sub(4 * word as i32)?;
            let runs = &mut registers[register];
            match runs.iter().position(|(known, _)| *known == start) {
                Some(number) => runs[number].1 |= 3 << word,
                None if runs.len() == RUNS_MAX => return None,
                None => runs.push((start, 3 << word)),
            }
        }
        let places = || distances.iter().map(|&distance| distance as i32);
        let (first, end) = (places().min()?, places().max()?.checked_add(8)?);
        let is_near = end.checked_sub(first)? <= (WINDOWS_MAX as u32 * BYTES) as i32;
        is_near.then_some(Runs { registers, first, end })
    }

    /// One of the two words of each lane.
    fn sources(word: usize) -> Sources {
        let elements = (0..LANES).map(|lane| (lane / 8, (lane % 8 * 8 + word * 4) as u32));
        Sources { windows: SmallVec::from_slice(&[0, 1]), elements: elements.collect() }
    }
}

impl Selector<'_> {
    /// Whether elements at known places are loaded by windows where all lanes take part.
    pub(super) fn fits_windows(&self, scalar: Scalar, place: impl Fn(u32) -> u32) -> bool {
        let pieces = self.tiling(scalar);
        matches!(scalar.bits(), 8 | 16 | 32)
            && self.features.level == Level::Avx512
            && self.lanes as usize >= LANES
            && (0..self.lanes).step_by(pieces.lanes as usize).all(|first| {
                let places: SmallVec<[u32; 32]> = (first..first + pieces.lanes).map(&place).collect();
                Windows::find(places.iter().copied(), scalar.bytes())
                    .filter(|windows| self.permutes(windows))
                    .is_some_and(|windows| windows.sources(&places, scalar.bytes()).is_some())
            })
    }

    /// Whether there are permutations of the windows' units.
    fn permutes(&self, windows: &Windows) -> bool {
        windows.unit > 1 || self.features.byte_permutations
    }

    /// Whether words at known places are a permutation of one window for each register.
    pub(super) fn fits_one_window(&self, scalar: Scalar, place: impl Fn(u32) -> i32) -> bool {
        let pieces = self.tiling(scalar);
        scalar.bits() == 32
            && self.features.level == Level::Avx512
            && self.lanes as usize >= LANES
            && (0..self.lanes).step_by(pieces.lanes as usize).all(|first| {
                let places = || (first..first + pieces.lanes).map(&place);
                let (Some(least), Some(most)) = (places().min(), places().max()) else { return false };
                most - least <= (BYTES - scalar.bytes()) as i32
                    && places().all(|place| ((place - least) as u32).is_multiple_of(scalar.bytes()))
            })
    }

    /// Elements at known places.
    pub(super) fn load_windows(&mut self, scalar: Scalar, memory: Memory, numbers: &[u32]) -> Registers {
        let pieces = self.tiling(scalar);
        self.each(pieces, |this, piece| {
            let places = &numbers[piece * pieces.lanes as usize..][..pieces.lanes as usize];
            let windows = Windows::find(places.iter().copied(), scalar.bytes());
            let windows = windows.expect("what fits has windows");
            let sources = windows.sources(places, scalar.bytes()).expect("what fits has few sources");
            let loaded = this.load_all_windows(memory, &windows);
            this.put_together(&loaded, &sources, windows.unit, scalar.bytes())
        })
    }

    /// Neighbouring words of sixteen lanes at known places.
    pub(super) fn load_words_by_windows(&mut self, access: &Access<'_>) -> Option<SmallVec<[VReg; 4]>> {
        let distances = access.distances?.get(access.block as usize * LANES..)?.get(..LANES)?;
        if self.constant(access.predicate) != Some(1) {
            return None;
        }
        let members: SmallVec<[u32; 4]> =
            (0..4).filter(|&word| access.group.members[word as usize].is_some()).collect();
        if members.as_slice() == [0, 1]
            && let Some(runs) = Runs::find(distances)
        {
            let loaded = self.load_all_runs(access.memory, &runs);
            let mut words: SmallVec<[VReg; 4]> = SmallVec::from_elem(loaded[0], 4);
            for word in 0..2 {
                words[word] = self.put_together(&loaded, &Runs::sources(word), 4, 4);
            }
            return Some(words);
        }
        let of = |word: u32| distances.iter().map(move |&distance| distance.wrapping_add(4 * word));
        let windows = Windows::find(members.iter().flat_map(|&word| of(word)), 4);
        let windows = windows.filter(|windows| self.permutes(windows))?;
        let sources = |word: u32| windows.sources(&of(word).collect::<SmallVec<[u32; 16]>>(), 4);
        let sources: SmallVec<[Sources; 4]> =
            members.iter().map(|&word| sources(word)).collect::<Option<_>>()?;
        let loaded = self.load_all_windows(access.memory, &windows);
        let mut words: SmallVec<[VReg; 4]> = SmallVec::from_elem(loaded[0], 4);
        for (&word, sources) in members.iter().zip(&sources) {
            words[word as usize] = self.put_together(&loaded, sources, windows.unit, 4);
        }
        Some(words)
    }

    /// Loads windows.
    pub(super) fn load_all_windows(
        &mut self,
        memory: Memory,
        windows: &Windows,
    ) -> SmallVec<[VReg; WINDOWS_MAX]> {
        let at = |start: u32| Source::Memory(memory.plus(start as i32));
        match windows.bytes {
            BYTES => windows.starts.iter().map(|&start| self.v1(VMOVUPS, Len::Z, at(start))).collect(),
            32 => SmallVec::from_iter([self.v1(VMOVUPS, Len::Y, at(windows.starts[0]))]),
            16 => SmallVec::from_iter([self.v1(VMOVUPS, Len::X, at(windows.starts[0]))]),
            bytes => {
                let mask = self.lane_mask((1 << bytes) - 1);
                let load = Spec::unary(VMOVDQU8, Len::Z, at(windows.starts[0])).zeroing(mask);
                SmallVec::from_iter([self.vector(load)])
            }
        }
    }

    /// Words of a window, by their places in it.
    pub(super) fn words_of_window(&mut self, window: VReg, places: &[u32]) -> VReg {
        let elements = places.iter().map(|&place| (0, place));
        let sources = Sources { windows: SmallVec::from_slice(&[0]), elements: elements.collect() };
        self.put_together(&[window], &sources, 4, 4)
    }

    /// Loads runs.
    fn load_all_runs(&mut self, memory: Memory, runs: &Runs) -> [VReg; 2] {
        [0, 1].map(|register| {
            let mut loaded: Option<VReg> = None;
            for &(start, mask) in &runs.registers[register] {
                let from = Source::Memory(memory.plus(start));
                let load = match loaded {
                    None if runs.first <= start && start + BYTES as i32 <= runs.end => {
                        Spec::unary(VMOVUPS, Len::Z, from)
                    }
                    None => Spec::unary(VMOVDQU32, Len::Z, from).zeroing(self.lane_mask(mask)),
                    Some(loaded) => {
                        Spec::unary(VMOVDQU32, Len::Z, from).masked(self.lane_mask(mask)).tied(loaded)
                    }
                };
                loaded = Some(self.vector(load));
            }
            loaded.expect("each register has words")
        })
    }

    /// One register of elements from windows.
    fn put_together(&mut self, loaded: &[VReg], sources: &Sources, unit: u32, bytes: u32) -> VReg {
        let (one, two): (VOp, VOp) = match unit {
            4 => (VPERMD, VPERMI2D),
            2 => (VPERMW, VPERMI2W),
            _ => (VPERMB, VPERMI2B),
        };
        let windows: SmallVec<[VReg; SOURCES_MAX]> =
            sources.windows.iter().map(|&window| loaded[window]).collect();
        // Of each unit of the register: the window, and the unit in it.
        let per_element = bytes / unit;
        let units: Vec<(usize, u32)> = (0..BYTES / unit)
            .map(|number| match sources.elements.get((number / per_element) as usize) {
                Some(&(window, byte)) => (window, byte / unit + number % per_element),
                None => (0, 0),
            })
            .collect();
        let index = |this: &mut Self, of: &dyn Fn(usize, u32) -> u32| {
            let number = |&(window, place): &(usize, u32)| of(window, place).to_le_bytes();
            let bytes: Vec<u8> =
                units.iter().flat_map(|place| number(place).into_iter().take(unit as usize)).collect();
            let source = this.pool_vector(&bytes);
            this.v1(VMOVUPS, Len::Z, source)
        };
        let count = BYTES / unit;
        if let [window] = *windows.as_slice() {
            let index = index(self, &|_, place| place);
            return self.v2(one, Len::Z, index, window);
        }
        let first = index(self, &|window, place| window as u32 % 2 * count + place);
        let joined = self.vector(Spec::binary(two, Len::Z, windows[0], windows[1]).tied(first));
        let Some(&last) = windows.get(2) else { return joined };
        let bits = (0..).zip(&units).filter(|(_, (window, _))| *window == 2);
        let mask = self.lane_mask(bits.fold(0, |bits, (unit, _)| bits | 1u64 << unit));
        let index = index(self, &|_, place| place);
        self.vector(Spec::binary(one, Len::Z, index, last).masked(mask).tied(joined))
    }
}
