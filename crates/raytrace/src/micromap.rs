//! Opacity micromaps: which parts of a triangle are opaque, transparent, or for a shader to decide.
//!
//! A [`Micromap`] holds, for each of its own triangles, a state for each of the `4^level` microtriangles that
//! a subdivision makes of it. A geometry's triangles name the micromap's triangles by index when a structure
//! is built ([`OpacityMap`]); a special index gives a whole triangle one state. Where a traversal meets such
//! a triangle, the state at the hit's barycentrics takes the place of the geometry's opacity.
//!
//! The states are copied when a micromap is built, so nothing that an application writes later changes them.
//! Triangles whose level or format does not exist, and indices of no triangle, count as triangles without a
//! micromap.

use crate::node::{GEOMETRY_NUMBER, GEOMETRY_OPAQUE};
use crate::{AccelerationStructure, Content};
use pyro_abi::Memory;
use pyro_abi::ray::WIDTH;
use pyro_util::codec::{ByteCodec, Reader};
use std::ops::Range;
use std::sync::Arc;

/// The greatest subdivision level of either format (`maxOpacity2StateSubdivisionLevel`).
pub const LEVEL_MAX: u32 = 12;

/// The most triangles of a micromap (`maxMicromapTriangles`).
pub const TRIANGLES_MAX: u64 = (1 << 29) - 1;

/// What is known about the opacity of a microtriangle, as the 4-state format encodes it. The complements of
/// the numbers are the special indices (`VkOpacityMicromapSpecialIndexKHR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is hit.
    Transparent = 0,
    /// As opaque geometry.
    Opaque = 1,
    /// As geometry that is not opaque; transparent in 2-state mode.
    UnknownTransparent = 2,
    /// As geometry that is not opaque; opaque in 2-state mode.
    UnknownOpaque = 3,
}

impl State {
    const ALL: [State; 4] =
        [State::Transparent, State::Opaque, State::UnknownTransparent, State::UnknownOpaque];
}

/// `VkOpacityMicromapFormatKHR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One bit for each microtriangle: transparent or opaque.
    TwoStates = 1,
    /// Two bits: a [`State`].
    FourStates = 2,
}

impl Format {
    /// That of a number of the API.
    pub fn of(number: u32) -> Option<Format> {
        [Format::TwoStates, Format::FourStates].into_iter().find(|&format| format as u32 == number)
    }

    /// Bytes of the states of a triangle.
    pub fn bytes(self, level: u32) -> u64 {
        let bits = (self as u64) << (2 * level);
        bits.div_ceil(8)
    }
}

/// A micromap's triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// Where its states begin among the micromap's.
    start: u32,
    level: u8,
    /// Of the wrong level or format: none.
    format: Option<Format>,
}

impl Entry {
    /// Of a triangle whose level or format does not exist.
    const INVALID: Entry = Entry { start: 0, level: 0, format: None };
}

/// The content of a `VkMicromapEXT`, or of a structure of the type `OPACITY_MICROMAP_KHR`.
#[derive(Clone, Debug, Default)]
pub struct Micromap {
    triangles: Vec<Entry>,
    states: Vec<u8>,
}

/// What a micromap is built from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MicromapInput {
    /// How many triangles: the sum of the usage counts.
    pub triangle_count: u64,
    /// Bytes of all their states, by the usage counts.
    pub state_bytes: u64,
    /// Host address of the states.
    pub data: u64,
    /// Host address of the triangles (`VkMicromapTriangleKHR`).
    pub triangles: u64,
    /// Bytes from one triangle to the next.
    pub stride: u64,
}

impl MicromapInput {
    /// Adds a usage count; those of levels or formats that do not exist have no states.
    pub fn add_usage(&mut self, count: u32, level: u32, format: u32) {
        self.triangle_count = self.triangle_count.saturating_add(count.into());
        if let Some(format) = Format::of(format).filter(|_| level <= LEVEL_MAX) {
            let bytes = u64::from(count) * format.bytes(level);
            self.state_bytes = self.state_bytes.saturating_add(bytes);
        }
    }

    /// A triangle: where its states begin, its level and format.
    fn triangle(&self, memory: Memory, index: u64) -> (u32, u32, Option<Format>) {
        let at = self.triangles.wrapping_add(index.wrapping_mul(self.stride));
        let level = u32::from(memory.load::<u16>(at.wrapping_add(4)));
        let format = Format::of(memory.load::<u16>(at.wrapping_add(6)).into());
        (memory.load::<u32>(at), level, format.filter(|_| level <= LEVEL_MAX))
    }

    /// The bytes of all states.
    pub(crate) fn states(&self, memory: Memory) -> impl Iterator<Item = Range<u64>> {
        let count = self.triangle_count.min(TRIANGLES_MAX);
        let triangles: Vec<_> = (0..count).map(|index| self.triangle(memory, index)).collect();
        let data = self.data;
        spans(&triangles)
            .into_iter()
            .map(move |span| data.wrapping_add(span.start)..data.wrapping_add(span.end))
    }

    /// Bytes that the micromap takes at most.
    pub fn bytes(&self) -> u64 {
        let triangles = self.triangle_count.min(TRIANGLES_MAX) * size_of::<Entry>() as u64;
        (size_of::<Content>() as u64)
            .saturating_add(triangles)
            .saturating_add(self.state_bytes)
            .min(u64::MAX - 255)
            .next_multiple_of(256)
    }
}

/// Where states of some triangles lie: distance from the beginning of all, and bytes.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    /// Where they go.
    target: u64,
}

/// The fewest spans that hold those of all triangles: triangles may share their states, or parts of them, and
/// are copied once.
fn spans(triangles: &[(u32, u32, Option<Format>)]) -> Vec<Span> {
    let of_one = |&(offset, level, format): &(u32, u32, Option<Format>)| {
        let start = u64::from(offset);
        format.map(|format| Span { start, end: start + format.bytes(level), target: 0 })
    };
    let mut all: Vec<Span> = triangles.iter().filter_map(of_one).collect();
    all.sort_unstable_by_key(|span| span.start);
    let mut merged: Vec<Span> = Vec::new();
    for span in all {
        match merged.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => merged.push(span),
        }
    }
    let mut target = 0;
    for span in &mut merged {
        span.target = target;
        target += span.end - span.start;
    }
    merged
}

impl Micromap {
    /// Reads one.
    pub fn build(memory: Memory, input: &MicromapInput) -> Micromap {
        let count = input.triangle_count.min(TRIANGLES_MAX);
        let triangles: Vec<_> = (0..count).map(|index| input.triangle(memory, index)).collect();
        let spans = spans(&triangles);
        let total = spans.last().map_or(0, |last| last.target + (last.end - last.start));
        let mut states = Vec::new();
        // Places are 32-bit numbers.
        if total > u32::MAX.into() || states.try_reserve_exact(total as usize).is_err() {
            return Micromap { triangles: vec![Entry::INVALID; triangles.len()], states: Vec::new() };
        }
        for span in &spans {
            states.extend(
                (span.start..span.end).map(|offset| memory.load::<u8>(input.data.wrapping_add(offset))),
            );
        }
        let entry = |&(offset, level, format): &(u32, u32, Option<Format>)| {
            let start = u64::from(offset);
            let Some(format) = format else { return Entry::INVALID };
            let span = &spans[spans.partition_point(|span| span.start <= start) - 1];
            let start = (span.target + (start - span.start)) as u32;
            Entry { start, level: level as u8, format: Some(format) }
        };
        let triangles = triangles.iter().map(entry).collect();
        Micromap { triangles, states }
    }

    /// How many triangles it has.
    pub fn triangle_count(&self) -> u64 {
        self.triangles.len() as u64
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<Content>() + size_of_val(&self.triangles[..]) + self.states.len()) as u64
    }

    /// Bytes of what [`Micromap::write`] writes.
    pub(crate) fn serialized_bytes(&self) -> u64 {
        16 + 8 * self.triangle_count() + self.states.len() as u64
    }

    /// Appends it to serialized bytes: counts, triangles, states.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        [self.triangle_count(), self.states.len() as u64].write(out);
        for entry in &self.triangles {
            let format = entry.format.map_or(0, |format| format as u32);
            [entry.start, u32::from(entry.level) | format << 16].write(out);
        }
        out.extend(&self.states);
    }

    /// Reads it from serialized bytes; triangles whose states are not there have none.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Micromap> {
        let [triangle_count, state_count] = reader.value::<[u64; 2]>()?;
        (triangle_count <= reader.left() as u64 / 8).then_some(())?;
        let words: Vec<[u32; 2]> = (0..triangle_count).map(|_| reader.value()).collect::<Option<_>>()?;
        let states = reader.take(usize::try_from(state_count).ok()?)?.to_vec();
        let entry = |[start, rest]: [u32; 2]| {
            let (level, format) = (rest & 0xffff, Format::of(rest >> 16));
            match format.filter(|_| level <= LEVEL_MAX) {
                Some(format) if u64::from(start) + format.bytes(level) <= state_count => {
                    Entry { start, level: level as u8, format: Some(format) }
                }
                _ => Entry::INVALID,
            }
        };
        Some(Micromap { triangles: words.into_iter().map(entry).collect(), states })
    }

    /// The state of a triangle at a place; none where there is no such triangle.
    fn state(&self, triangle: u32, barycentrics: [f32; 2]) -> Option<State> {
        let entry = self.triangles.get(triangle as usize)?;
        let format = entry.format?;
        let index = microtriangle(barycentrics, entry.level.into());
        let bits = format as u32;
        let place = u64::from(index) * u64::from(bits);
        let byte = self.states.get(entry.start as usize + (place / 8) as usize)?;
        let number = byte >> (place % 8) & ((1 << bits) - 1);
        Some(State::ALL[usize::from(number)])
    }
}

/// Spreads the low sixteen bits: bit `i` becomes bit `2 i`.
fn spread(bits: u32) -> u32 {
    [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)]
        .into_iter()
        .fold(bits & 0xffff, |bits, (distance, mask)| (bits | bits << distance) & mask)
}

/// The index of the microtriangle at a place, along the space-filling curve that
/// `VK_EXT_opacity_micromap` defines: each level's four parts are those at the first vertex, in the middle,
/// at the second and at the third vertex; the middle and the last are mirrored.
pub fn microtriangle(barycentrics: [f32; 2], level: u32) -> u32 {
    let count = 1u32 << level;
    let scaled = barycentrics.map(|weight| weight.clamp(0.0, 1.0) * count as f32);
    let cells = scaled.map(|place| (place as u32).min(count - 1));
    let [u_rest, v_rest] = [0, 1].map(|axis| scaled[axis] - scaled[axis].trunc());
    let [mut u, v] = cells;
    let diagonal = u + v;
    if diagonal >= count {
        u -= diagonal - count + 1;
    }
    let mut w = !(u + v);
    if u_rest + v_rest >= 1.0 && diagonal < count - 1 {
        w = w.wrapping_sub(1);
    }
    let low = !(u ^ w) & (count - 1);
    let both = (u ^ v) & low;
    let mirrored = [1, 2, 4, 8].into_iter().fold(both, |bits, distance| bits ^ bits >> distance);
    let high = (mirrored ^ u) & !low & (count - 1) | both;
    spread(low) | spread(high) << 1
}

/// How a geometry's triangles name those of a micromap
/// (`VkAccelerationStructureTrianglesOpacityMicromapKHR`).
#[derive(Clone, Debug)]
pub struct OpacityMap {
    /// The micromap; none where there are special indices only.
    pub micromap: Option<Arc<AccelerationStructure>>,
    /// Bytes of an index: 1, 2 or 4; 0 where a triangle's index is its own number.
    pub index_bytes: u32,
    /// Host address of the indices.
    pub indices: u64,
    /// Bytes from one index to the next.
    pub stride: u64,
    /// Added to each index that is not special.
    pub base: u32,
    /// Serialized structures name the micromap by its device address, and do not hold it.
    pub is_reference: bool,
}

/// A triangle's index among those of its geometry's micromap, or a special one.
pub type MicromapIndex = u32;

/// Of a triangle without a micromap. (No index of a triangle either.)
pub const NO_MICROMAP: MicromapIndex = u32::MAX - 0xf;

impl OpacityMap {
    /// The index of a geometry's triangle.
    pub(crate) fn index(&self, memory: Memory, triangle: u32) -> MicromapIndex {
        let at = self.indices.wrapping_add(u64::from(triangle).wrapping_mul(self.stride));
        // Special indices are negative numbers of as many bits.
        let index = match self.index_bytes {
            0 => triangle as i32,
            1 => i32::from(memory.load::<u8>(at) as i8),
            2 => i32::from(memory.load::<u16>(at) as i16),
            _ => memory.load::<u32>(at) as i32,
        };
        let is_special = (-4..0).contains(&index);
        let number = match self.index_bytes {
            _ if is_special => return index as u32,
            1 => index as u32 & 0xff,
            2 => index as u32 & 0xffff,
            _ => index as u32,
        };
        number.checked_add(self.base).filter(|&index| index < NO_MICROMAP).unwrap_or(NO_MICROMAP)
    }

    /// The micromap as it is now.
    pub(crate) fn current(&self) -> Option<GeometryMicromap> {
        GeometryMicromap::of(self.micromap.as_ref()?, self.is_reference)
    }
}

/// The micromap of a geometry.
#[derive(Clone, Debug)]
pub struct GeometryMicromap {
    /// Its content when the geometry's structure was built.
    pub content: Arc<Micromap>,
    /// The device address by which serialized structures name it; zero where they hold it.
    pub reference: u64,
}

impl GeometryMicromap {
    /// That which a structure holds now.
    pub(crate) fn of(structure: &AccelerationStructure, is_reference: bool) -> Option<GeometryMicromap> {
        let content = structure.content()?.micromap.clone()?;
        Some(GeometryMicromap { content, reference: if is_reference { structure.address() } else { 0 } })
    }
}

/// The micromaps of a structure's triangles.
#[derive(Clone, Debug, Default)]
pub struct Opacities {
    /// For each block, the indices of its triangles.
    pub indices: Vec<[MicromapIndex; WIDTH]>,
    /// For each geometry, the micromap that these are of.
    pub micromaps: Vec<Option<GeometryMicromap>>,
    /// There is one micromap for all geometries.
    pub is_one_for_all: bool,
}

impl Opacities {
    /// Bytes that they take, without the micromaps, which may be of others too.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.indices[..]) + size_of_val(&self.micromaps[..])) as u64
    }

    /// The word of a triangle's geometry where it is hit, with the opacity that its micromap gives it; none
    /// where nothing is hit.
    #[cold]
    #[inline(never)]
    pub(crate) fn geometry(
        &self,
        (block, lane): (u32, usize),
        geometry: u32,
        barycentrics: [f32; 2],
        two_states: bool,
    ) -> Option<u32> {
        let Some(indices) = self.indices.get(block as usize) else { return Some(geometry) };
        let index = indices[lane];
        let state = match State::ALL.get(!index as usize) {
            Some(&special) => Some(special),
            None => {
                let number = if self.is_one_for_all { 0 } else { geometry & GEOMETRY_NUMBER };
                let micromap = self.micromaps.get(number as usize);
                micromap.and_then(Option::as_ref).and_then(|map| map.content.state(index, barycentrics))
            }
        };
        match state {
            None => Some(geometry),
            Some(State::Transparent) => None,
            Some(State::Opaque) => Some(geometry | GEOMETRY_OPAQUE),
            Some(State::UnknownTransparent) if two_states => None,
            Some(State::UnknownOpaque) if two_states => Some(geometry | GEOMETRY_OPAQUE),
            Some(_) => Some(geometry & !GEOMETRY_OPAQUE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The centers of the microtriangles of a level, by the definition of the curve: parts of parts.
    fn centers(corners: [[f32; 2]; 3], level: u32, to: &mut Vec<[f32; 2]>) {
        let [a, b, c] = corners;
        if level == 0 {
            to.push([0, 1].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0));
            return;
        }
        let middle = |p: [f32; 2], q: [f32; 2]| [0, 1].map(|axis| 0.5 * (p[axis] + q[axis]));
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        centers([a, ab, ca], level - 1, to);
        centers([ca, bc, ab], level - 1, to);
        centers([ab, b, bc], level - 1, to);
        centers([bc, ca, c], level - 1, to);
    }

    #[test]
    fn microtriangles_follow_the_curve() {
        for level in 0..=7 {
            let mut all = Vec::new();
            centers([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], level, &mut all);
            for (index, &center) in all.iter().enumerate() {
                assert_eq!(microtriangle(center, level), index as u32, "level {level}, {center:?}");
            }
        }
    }

    #[test]
    fn microtriangles_exist_wherever_a_triangle_is_hit() {
        for level in 0..=LEVEL_MAX {
            for (u, v) in
                [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (1.0, 1.0), (f32::NAN, 0.5), (-1.0, 7.0)]
            {
                assert!(microtriangle([u, v], level) < 1 << (2 * level), "level {level}, {u} {v}");
            }
        }
    }

    fn memory() -> Memory {
        #[allow(unsafe_code)]
        // SAFETY: only the tests' own arrays are read.
        unsafe {
            Memory::new()
        }
    }

    fn address<T>(data: &[T]) -> u64 {
        data.as_ptr().expose_provenance() as u64
    }

    /// Level 1 with two states, level 1 with four, and one of no format; the first two share bytes.
    fn example() -> Micromap {
        let states = [0xffu8, 0b0000_0110, 0b11_10_01_00];
        let triangles = [1u32, 1 | 1 << 16, 2, 1 | 2 << 16, 0, 1 | 3 << 16, 9, 13 | 1 << 16];
        let input = MicromapInput {
            triangle_count: 4,
            data: address(&states),
            triangles: address(&triangles),
            stride: 8,
            ..MicromapInput::default()
        };
        Micromap::build(memory(), &input)
    }

    fn states(micromap: &Micromap, triangle: u32) -> Vec<Option<State>> {
        let mut all = Vec::new();
        centers([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 1, &mut all);
        all.into_iter().map(|center| micromap.state(triangle, center)).collect()
    }

    #[test]
    fn states_are_those_of_the_data() {
        let micromap = example();
        let [transparent, opaque] = [State::Transparent, State::Opaque].map(Some);
        assert_eq!(states(&micromap, 0), [transparent, opaque, opaque, transparent]);
        assert_eq!(states(&micromap, 1), State::ALL.map(Some));
        assert_eq!(states(&micromap, 2), [None; 4], "a format that does not exist");
        assert_eq!(states(&micromap, 3), [None; 4], "a level that does not exist");
        assert_eq!(states(&micromap, 4), [None; 4], "no triangle");
        assert_eq!(micromap.states.len(), 2, "states that nothing names are left out");
    }

    #[test]
    fn serialized_micromaps_are_the_same_and_changed_ones_sound() {
        let micromap = example();
        let mut bytes = Vec::new();
        micromap.write(&mut bytes);
        assert_eq!(bytes.len() as u64, micromap.serialized_bytes());
        let again = Micromap::read(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((&again.triangles, &again.states), (&micromap.triangles, &micromap.states));
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let Some(read) = Micromap::read(&mut Reader::new(&changed)) else { continue };
                for triangle in 0..5 {
                    states(&read, triangle);
                }
            }
        }
        assert!(Micromap::read(&mut Reader::new(&bytes[..bytes.len() - 1])).is_none());
    }

    #[test]
    fn indices_are_special_by_their_size() {
        let bytes = [0xffu8, 0xff, 0xfc, 0xff, 0x07, 0x00, 0xfb, 0xff];
        let map = |index_bytes, stride| OpacityMap {
            micromap: None,
            index_bytes,
            indices: address(&bytes),
            stride,
            base: 100,
            is_reference: false,
        };
        let indices = |map: OpacityMap, count| -> Vec<u32> {
            (0..count).map(|triangle| map.index(memory(), triangle)).collect()
        };
        assert_eq!(indices(map(2, 2), 4), [!0, !3, 107, 0xfffb + 100]);
        assert_eq!(indices(map(1, 2), 4), [!0, !3, 107, 0xfb + 100]);
        assert_eq!(indices(map(0, 0), 3), [100, 101, 102]);
        let overflow = OpacityMap { base: u32::MAX, ..map(0, 0) };
        assert_eq!(indices(overflow, 2), [NO_MICROMAP, NO_MICROMAP]);
    }
}
