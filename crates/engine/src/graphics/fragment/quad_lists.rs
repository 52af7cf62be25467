//! Quads with one sample for each pixel on their way into lists of subgroups, which the fragment function
//! loops over.
//!
//! Quads run in the order in which they come, four and four, so each pixel sees its fragments in order. The
//! primitives of a subgroup's quads belong to one group
//! ([`triangles`](crate::graphics::setup::small_triangles)), and a subgroup covers no pixel twice: where the
//! next quad would, or is of another group, a subgroup stays shorter. Quads of neighbours, which share no
//! pixel even where they meet in one quad, fill subgroups.

use crate::aborted::Aborted;
use crate::graphics::setup::binning::Entry;
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use pyro_abi::graphics::{GROUP_PRIMITIVES, GROUPED_QUADS as QUADS, GroupedQuads};

/// Quads of a region.
const REGION_QUADS: usize = 16;
/// The bits of a quad's word that say which pixels it covers.
const PIXELS: u32 = 15 * GROUP_PRIMITIVES as u32;

/// The quads of a region, row by row: what is added to its upper left pixel.
const QUAD_CORNERS: [u32; LANES] = {
    let mut table = [0; LANES];
    let mut quad = 0;
    while quad < LANES {
        table[quad] = 2 * (quad as u32 % 4) + ((2 * (quad as u32 / 4)) << 16);
        quad += 1;
    }
    table
};

/// Quads in the order in which they run.
#[derive(Default)]
struct List {
    quads: Box<GroupedQuads>,
    count: usize,
}

/// The list of one draw in one tile.
#[derive(Default)]
pub(crate) struct QuadLists {
    list: List,
    /// A list of subgroups none of which covers a pixel twice, where the other has such.
    split: List,
}

impl QuadLists {
    /// There is room for what so many small triangles cover.
    pub(crate) fn has_room(&self, count: usize) -> bool {
        self.list.count + 3 + REGION_QUADS * count <= QUADS
    }

    /// Adds what small triangles cover, for which there is room. Their setup data is at a byte offset
    /// `group`, from the primitive with the number `first` on. Gives how many pixels these are.
    pub(crate) fn add(&mut self, entries: &[Entry], group: u32, first: u32) -> u64 {
        debug_assert!(self.has_room(entries.len()));
        vectorize(Add { list: &mut self.list, entries, group, first })
    }

    /// Calls `run` with lists of so many subgroups in order, until it fails; forgets all.
    pub(crate) fn take(
        &mut self,
        mut run: impl FnMut(&GroupedQuads, usize) -> Result<(), Aborted>,
    ) -> Result<(), Aborted> {
        let QuadLists { list, split } = self;
        list.fill();
        let all = list.count / 4;
        // Sixteen quads are looked at together.
        list.quads.quads[list.count..list.count.next_multiple_of(LANES)].fill(0);
        // Functions that loop draw one at least.
        let mut result = Ok(());
        if all != 0 && !vectorize(Conflicts(list)) {
            result = run(&list.quads, all);
        } else {
            for subgroup in 0..all {
                split.push_split(list, subgroup);
                if split.count + REGION_QUADS > QUADS || subgroup + 1 == all {
                    result = result.and_then(|()| run(&split.quads, split.count / 4));
                    split.count = 0;
                }
            }
        }
        list.count = 0;
        result
    }

    /// There is no quad.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.count == 0
    }
}

impl List {
    /// Fills the last subgroup with helper invocations.
    #[inline(always)]
    fn fill(&mut self) {
        let GroupedQuads { corners, quads, .. } = &mut *self.quads;
        let count = self.count.min(QUADS);
        let end = count.next_multiple_of(4);
        for at in count..end {
            (corners[at], quads[at]) = (corners[count - 1], quads[count - 1] & !PIXELS);
        }
        self.count = end;
    }

    /// Adds subgroups with the quads of another list's one, of which there is room, none of which covers a
    /// pixel twice.
    fn push_split(&mut self, from: &List, subgroup: usize) {
        let first = self.count;
        for at in 4 * subgroup..4 * subgroup + 4 {
            let (corner, quad) = (from.quads.corners[at], from.quads.quads[at]);
            let open = self.count / 4 * 4..self.count;
            let shares = |other: usize| {
                let (corners, quads) = (&self.quads.corners, &self.quads.quads);
                share([corners[other], corner], [quads[other], quad])
            };
            if open.into_iter().any(shares) {
                self.fill();
            }
            (self.quads.corners[self.count], self.quads.quads[self.count]) = (corner, quad);
            self.count += 1;
        }
        self.fill();
        self.quads.groups[first / 4..self.count / 4].fill(from.quads.groups[subgroup]);
    }
}

/// See [`QuadLists::add`].
struct Add<'a> {
    list: &'a mut List,
    entries: &'a [Entry],
    group: u32,
    first: u32,
}

impl Vectorized for Add<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> u64 {
        let Add { list, entries, group, first } = self;
        if !list.count.is_multiple_of(4) && list.quads.groups[list.count / 4] != group {
            list.fill();
        }
        let begin = list.count / 4;
        let mut pixels = 0;
        for (number, entry) in (first..).zip(entries) {
            pixels += u64::from(entry.pixels.count_ones());
            list.push::<WIDE>(entry, number);
        }
        let end = list.count.div_ceil(4).min(QUADS / 4);
        for at in begin..end {
            list.quads.groups[at] = group;
        }
        pixels
    }
}

impl List {
    /// Adds the quads of a region, of which there is room, for the primitive with this number in its group.
    #[inline(always)]
    fn push<const WIDE: bool>(&mut self, entry: &Entry, number: u32) {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            unsafe {
                wide::push(self, entry, number);
            }
            return;
        }
        for (quad, corner) in QUAD_CORNERS.iter().enumerate() {
            let pixels = (entry.pixels >> (4 * quad) & 15) as u32;
            if pixels != 0 {
                let at = self.count % QUADS;
                self.quads.corners[at] = entry.corner + corner;
                self.quads.quads[at] = number | (pixels * GROUP_PRIMITIVES as u32);
                self.count += 1;
            }
        }
    }
}

/// Whether a subgroup of a list, which has no pixels behind its end, covers a pixel twice.
struct Conflicts<'a>(&'a List);

impl Vectorized for Conflicts<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> bool {
        (0..self.0.count.min(QUADS)).step_by(LANES).fold(false, |any, at| any | self.0.conflicts::<WIDE>(at))
    }
}

/// Both quads cover a pixel.
#[inline(always)]
fn share(corners: [u32; 2], quads: [u32; 2]) -> bool {
    corners[0] == corners[1] && quads[0] & quads[1] & PIXELS != 0
}

impl List {
    /// Whether one of four subgroups, whose first quad this is, covers a pixel twice.
    #[inline(always)]
    fn conflicts<const WIDE: bool>(&self, first: usize) -> bool {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            return unsafe { wide::conflicts(self, first) };
        }
        let corners = self.quads.corners[first..first + LANES].as_chunks::<4>().0;
        let quads = self.quads.quads[first..first + LANES].as_chunks::<4>().0;
        let mut found = false;
        for ([a, b, c, d], [p, q, r, s]) in corners.iter().zip(quads) {
            found |= share([*a, *b], [*p, *q]) | share([*a, *c], [*p, *r]) | share([*a, *d], [*p, *s]);
            found |= share([*b, *c], [*q, *r]) | share([*b, *d], [*q, *s]) | share([*c, *d], [*r, *s]);
        }
        found
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{Entry, LANES, List, PIXELS, QUAD_CORNERS, QUADS};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) unsafe fn push(list: &mut List, entry: &Entry, number: u32) {
        let at = list.count.min(QUADS - LANES);
        // The lower half of the pixels for the first eight quads, the upper one for the others.
        let halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        let shifts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
        let pixels = _mm512_castsi128_si512(_mm_cvtsi64_si128(entry.pixels as i64));
        let pixels = _mm512_srlv_epi32(_mm512_permutexvar_epi32(halves, pixels), shifts);
        let pixels = _mm512_slli_epi32::<4>(pixels);
        let mask = _mm512_set1_epi32(PIXELS as i32);
        let covered = _mm512_test_epi32_mask(pixels, mask);
        // SAFETY: there is room for all quads of a region from `at` on.
        unsafe {
            let corners = _mm512_loadu_si512(QUAD_CORNERS.as_ptr().cast());
            let corners = _mm512_add_epi32(corners, _mm512_set1_epi32(entry.corner as i32));
            let corners = _mm512_maskz_compress_epi32(covered, corners);
            // Pixels where the mask has bits, the number elsewhere.
            let quads = _mm512_ternarylogic_epi32::<0xca>(mask, pixels, _mm512_set1_epi32(number as i32));
            let quads = _mm512_maskz_compress_epi32(covered, quads);
            _mm512_storeu_si512(list.quads.corners.as_mut_ptr().add(at).cast(), corners);
            _mm512_storeu_si512(list.quads.quads.as_mut_ptr().add(at).cast(), quads);
        }
        list.count = at + covered.count_ones() as usize;
    }

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) unsafe fn conflicts(list: &List, first: usize) -> bool {
        let first = first.min(QUADS - LANES);
        // SAFETY: there are so many.
        unsafe {
            let corners = _mm512_loadu_si512(list.quads.corners.as_ptr().add(first).cast());
            let quads = _mm512_loadu_si512(list.quads.quads.as_ptr().add(first).cast());
            let pixels = _mm512_and_si512(quads, _mm512_set1_epi32(PIXELS as i32));
            // Each with the next of its four, and with the one behind that.
            let next = _mm512_cmpeq_epi32_mask(corners, _mm512_shuffle_epi32::<0x39>(corners))
                & _mm512_test_epi32_mask(pixels, _mm512_shuffle_epi32::<0x39>(quads));
            let second = _mm512_cmpeq_epi32_mask(corners, _mm512_shuffle_epi32::<0x4e>(corners))
                & _mm512_test_epi32_mask(pixels, _mm512_shuffle_epi32::<0x4e>(quads));
            next | second != 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quads in the order in which they run, subgroup by subgroup: corner, pixels, group, number.
    fn run(lists: &mut QuadLists) -> Vec<Vec<(u32, u32, u32, u32)>> {
        let mut all = Vec::new();
        let result = lists.take(|list, count| {
            for (subgroup, &group) in list.groups[..count].iter().enumerate() {
                let quads = list.corners[4 * subgroup..].iter().zip(&list.quads[4 * subgroup..]).take(4);
                let quads = quads.map(|(&corner, &word)| (corner, word / 16, group, word % 16));
                all.push(quads.filter(|quad| quad.1 != 0).collect());
            }
            Ok(())
        });
        assert_eq!(result, Ok(()));
        all
    }

    fn at(x: u32, y: u32) -> u32 {
        x | y << 16
    }

    fn entry(corner: u32, pixels: u64) -> Entry {
        Entry { pixels, corner, number: 0 }
    }

    #[test]
    fn no_subgroup_covers_a_pixel_twice() {
        let mut lists = QuadLists::default();
        // The second shares a quad with the first, but no pixel; the third has a pixel of the first.
        let entries = [entry(at(64, 126), 0x0021), entry(at(64, 126), 0x0048), entry(at(66, 126), 0x2)];
        assert_eq!(lists.add(&entries, 100, 3), 5);
        let first = vec![
            (at(64, 126), 1, 100, 3),
            (at(66, 126), 2, 100, 3),
            (at(64, 126), 8, 100, 4),
            (at(66, 126), 4, 100, 4),
        ];
        assert_eq!(run(&mut lists), [first, vec![(at(66, 126), 2, 100, 5)]]);
        assert!(lists.is_empty());
        // What covers nothing is no subgroup.
        assert_eq!(lists.add(&[entry(at(2, 2), 0)], 0, 1), 0);
        assert!(run(&mut lists).is_empty());
        // The same pixel again and again.
        assert_eq!(lists.add(&[entry(8, 1); 7], 0, 1), 7);
        assert_eq!(run(&mut lists), [1, 2, 3, 4, 5, 6, 7].map(|n| vec![(8, 1, 0, n)]));
        // A primitive of another group begins a subgroup.
        lists.add(&[entry(8, 1), entry(10, 1)], 0, 1);
        lists.add(&[entry(12, 1)], 64, 0);
        assert_eq!(run(&mut lists), [vec![(8, 1, 0, 1), (10, 1, 0, 2)], vec![(12, 1, 64, 0)]]);
    }

    #[test]
    fn all_versions_give_the_same_and_keep_the_order() {
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 24
        };
        let (mut plain, mut best) = (QuadLists::default(), QuadLists::default());
        for round in 0..300 {
            // Few places, so that many cover the same pixels.
            let places = [29, 2][round % 2];
            let (mut expected, mut group) = (Vec::new(), 0);
            loop {
                let count = 1 + next() as usize % 16;
                if !best.has_room(count) {
                    break;
                }
                let entries: Vec<Entry> = (0..count)
                    .map(|_| {
                        let (column, row) = (next() % places, next() % places);
                        let corner = ((2 * column) | ((2 * row) << 16)) as u32;
                        entry(corner, (next() << 32 & next() << 30 | next() & next()) & next() & next())
                    })
                    .collect();
                let pixels = Add { list: &mut plain.list, entries: &entries, group, first: 0 }.run::<false>();
                assert_eq!(best.add(&entries, group, 0), pixels);
                for (number, entry) in (0..).zip(&entries) {
                    for (quad, corner) in QUAD_CORNERS.iter().enumerate() {
                        let pixels = (entry.pixels >> (4 * quad) & 15) as u32;
                        if pixels != 0 {
                            expected.push((entry.corner + corner, pixels, group, number));
                        }
                    }
                }
                group += 1;
            }
            plain.list.fill();
            best.list.fill();
            let all = best.list.count;
            assert_eq!(plain.list.count, all);
            assert_eq!(plain.list.quads.corners[..all], best.list.quads.corners[..all]);
            assert_eq!(plain.list.quads.quads[..all], best.list.quads.quads[..all]);
            let end = all.next_multiple_of(LANES);
            plain.list.quads.quads[all..end].fill(0);
            best.list.quads.quads[all..end].fill(0);
            assert_eq!(Conflicts(&plain.list).run::<false>(), vectorize(Conflicts(&best.list)));
            plain.list.count = 0;
            let subgroups = run(&mut best);
            for quads in &subgroups {
                let mut pixels = std::collections::HashSet::new();
                for &(corner, bits, group, _) in quads {
                    assert!((0..4).all(|bit| bits >> bit & 1 == 0 || pixels.insert((corner, bit))));
                    assert_eq!(group, quads[0].2);
                }
            }
            assert_eq!(subgroups.concat(), expected);
        }
    }
}
