//! Quads on their way into lists of subgroups, which the fragment function
//! loops over.
//!
//! Quads run in the order in which they come, four and four, so each pixel sees its fragments in order. The
//! primitives of a subgroup's quads belong to one group
//! ([`triangles`](crate::graphics::setup::small_triangles)), and a subgroup covers no pixel twice: where the
//! next quad would, or is of another group, a subgroup stays shorter. Quads of neighbours, which share no
//! pixel even where they meet in one quad, fill subgroups.

use crate::aborted::Aborted;
use crate::graphics::fragment::covered_regions::{CoveredRegions, QUAD_CORNERS};
use crate::graphics::raster::small_sample_coverage::{self, QUAD_BITS};
use crate::graphics::setup::binning::Entry;
use crate::graphics::setup::deferred_setup::PlaneSlot;
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use pyro_abi::graphics::{GROUP_PRIMITIVES, GROUPED_QUADS as QUADS, GroupedQuads};

/// Quads of a region.
const REGION_QUADS: usize = 16;
/// The quads of a region with samples, row by row: what is added to its upper left pixel.
const SAMPLED_QUAD_CORNERS: [u32; 4] = [0, 2, 2 << 16, 2 | 2 << 16];
/// The bits of a quad's word that say what it covers.
const COVERAGE_BITS: u32 = !(GROUP_PRIMITIVES as u32 - 1);
/// Those of the first sample.
const PIXELS: u32 = 15 * GROUP_PRIMITIVES as u32;

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
    /// Pixels have several samples. Then no subgroup has two primitives' parts of a quad: functions write the
    /// pixels of a row of a quad together, as they were where a primitive covers only one of them.
    has_samples: bool,
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
        self.has_samples = entries.first().is_some_and(Entry::is_sampled);
        vectorize(Add { list: &mut self.list, entries, group, first })
    }

    /// Adds the quads of regions that one primitive covers, from region `first` on, as long as there is room:
    /// gives the first region that is left, and how many pixels have been added.
    pub(crate) fn add_regions(
        &mut self,
        regions: &CoveredRegions,
        first: usize,
        place: PlaneSlot,
    ) -> (usize, u64) {
        self.has_samples = regions.samples() > 1;
        vectorize(AddRegions { list: &mut self.list, regions, first, place })
    }

    /// Calls `run` with lists of so many subgroups in order, until it fails; forgets all.
    pub(crate) fn take(
        &mut self,
        mut run: impl FnMut(&GroupedQuads, usize) -> Result<(), Aborted>,
    ) -> Result<(), Aborted> {
        let QuadLists { list, split, has_samples } = self;
        let has_samples = *has_samples;
        list.fill();
        let all = list.count / 4;
        // Sixteen quads are looked at together.
        list.quads.quads[list.count..list.count.next_multiple_of(LANES)].fill(0);
        // Functions that loop draw one at least.
        let mut result = Ok(());
        if all != 0 && !vectorize(Conflicts(list, has_samples)) {
            result = run(&list.quads, all);
        } else {
            for subgroup in 0..all {
                split.push_split(list, subgroup, has_samples);
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
            (corners[at], quads[at]) = (corners[count - 1], quads[count - 1] & !COVERAGE_BITS);
        }
        self.count = end;
    }

    /// Adds subgroups with the quads of another list's one, of which there is room, none of which covers a
    /// pixel twice.
    fn push_split(&mut self, from: &List, subgroup: usize, has_samples: bool) {
        let first = self.count;
        for at in 4 * subgroup..4 * subgroup + 4 {
            let (corner, quad) = (from.quads.corners[at], from.quads.quads[at]);
            let open = self.count / 4 * 4..self.count;
            let shares = |other: usize| {
                let (corners, quads) = (&self.quads.corners, &self.quads.quads);
                share([corners[other], corner], [quads[other], quad], has_samples)
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
            if entry.is_sampled() {
                pixels += u64::from(small_sample_coverage::pixel_count(entry.pixels));
                list.push_sampled(entry, number);
            } else {
                pixels += u64::from(entry.pixels.count_ones());
                list.push::<WIDE>(entry, number);
            }
        }
        let end = list.count.div_ceil(4).min(QUADS / 4);
        for at in begin..end {
            list.quads.groups[at] = group;
        }
        pixels
    }
}

/// See [`QuadLists::add_regions`].
struct AddRegions<'a> {
    list: &'a mut List,
    regions: &'a CoveredRegions,
    first: usize,
    place: PlaneSlot,
}

impl Vectorized for AddRegions<'_> {
    type Output = (usize, u64);

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> (usize, u64) {
        let AddRegions { list, regions, first, place } = self;
        if !list.count.is_multiple_of(4) && list.quads.groups[list.count / 4] != place.offset {
            list.fill();
        }
        let begin = list.count / 4;
        let (mut next, mut pixels) = (first, 0);
        for (corner, masks) in regions.from(first) {
            if list.count + REGION_QUADS > QUADS {
                break;
            }
            let any = masks.iter().fold(0, |any, mask| any | mask);
            pixels += u64::from(any.count_ones());
            list.push_samples::<WIDE>(corner, masks, place.number);
            next += 1;
        }
        let end = list.count.div_ceil(4).min(QUADS / 4);
        for at in begin..end {
            list.quads.groups[at] = place.offset;
        }
        (next, pixels)
    }
}

impl List {
    /// Adds the quads of a region, of which there is room, by the pixels that each sample covers, for the
    /// primitive with this number in its group.
    #[inline(always)]
    fn push_samples<const WIDE: bool>(&mut self, corner: u32, masks: &[u64], number: u32) {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            unsafe {
                wide::push(self, corner, masks, number);
            }
            return;
        }
        // Eight quads from each half of the pixels.
        let mut words = [0; REGION_QUADS];
        for (mask, first_bit) in masks.iter().zip((GROUP_PRIMITIVES.trailing_zeros()..).step_by(4)) {
            let halves = [*mask as u32, (*mask >> 32) as u32];
            for (words, half) in words.as_chunks_mut::<8>().0.iter_mut().zip(halves) {
                for (word, shift) in words.iter_mut().zip((0..).step_by(4)) {
                    *word |= (half >> shift & 15) << first_bit;
                }
            }
        }
        // All are written, each where the next covered one's place is: no branch has to be guessed.
        let at = self.count.min(QUADS - REGION_QUADS);
        let GroupedQuads { corners, quads, .. } = &mut *self.quads;
        let (corners, quads) = (&mut corners[at..][..REGION_QUADS], &mut quads[at..][..REGION_QUADS]);
        let mut count = 0;
        for (word, to_quad) in words.iter().zip(QUAD_CORNERS) {
            corners[count % REGION_QUADS] = corner + to_quad;
            quads[count % REGION_QUADS] = number | word;
            count += usize::from(*word != 0);
        }
        self.count = at + count;
    }

    /// Adds the quads of a region with samples, of which there is room, for the primitive with this number in
    /// its group.
    #[inline(always)]
    fn push_sampled(&mut self, entry: &Entry, number: u32) {
        let corner = entry.corner & !Entry::SAMPLED;
        let at = self.count.min(QUADS - SAMPLED_QUAD_CORNERS.len());
        let GroupedQuads { corners, quads, .. } = &mut *self.quads;
        let (corners, quads) = (&mut corners[at..][..4], &mut quads[at..][..4]);
        let mut count = 0;
        // As in `push_samples`.
        for (quad, to_quad) in SAMPLED_QUAD_CORNERS.into_iter().enumerate() {
            let covered = (entry.pixels >> (QUAD_BITS * quad)) as u32 & 0xffff;
            corners[count % 4] = corner + to_quad;
            quads[count % 4] = number | covered << GROUP_PRIMITIVES.trailing_zeros();
            count += usize::from(covered != 0);
        }
        self.count = at + count;
    }

    /// Adds the quads of a region, of which there is room, for the primitive with this number in its group.
    #[inline(always)]
    fn push<const WIDE: bool>(&mut self, entry: &Entry, number: u32) {
        self.push_samples::<WIDE>(entry.corner, &[entry.pixels], number);
    }
}

/// Whether a subgroup of a list, which has no pixels behind its end, covers a pixel twice, or a quad where
/// pixels have several samples.
struct Conflicts<'a>(&'a List, bool);

impl Vectorized for Conflicts<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> bool {
        let Conflicts(list, has_samples) = self;
        let starts = (0..list.count.min(QUADS)).step_by(LANES);
        starts.fold(false, |any, at| any | list.conflicts::<WIDE>(at, has_samples))
    }
}

/// The pixels that a quad's word takes from others in its subgroup.
#[inline(always)]
fn taken(word: u32, has_samples: bool) -> u32 {
    if has_samples && word & COVERAGE_BITS != 0 { PIXELS } else { word & PIXELS }
}

/// Both quads take a pixel.
#[inline(always)]
fn share(corners: [u32; 2], quads: [u32; 2], has_samples: bool) -> bool {
    corners[0] == corners[1] && taken(quads[0], has_samples) & taken(quads[1], has_samples) != 0
}

impl List {
    /// Whether one of four subgroups, whose first quad this is, covers a pixel twice.
    #[inline(always)]
    fn conflicts<const WIDE: bool>(&self, first: usize, has_samples: bool) -> bool {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            return unsafe { wide::conflicts(self, first, has_samples) };
        }
        let corners = self.quads.corners[first..first + LANES].as_chunks::<4>().0;
        let quads = self.quads.quads[first..first + LANES].as_chunks::<4>().0;
        let mut found = false;
        let shares = |corners: [u32; 2], quads: [u32; 2]| share(corners, quads, has_samples);
        for ([a, b, c, d], [p, q, r, s]) in corners.iter().zip(quads) {
            found |= shares([*a, *b], [*p, *q]) | shares([*a, *c], [*p, *r]) | shares([*a, *d], [*p, *s]);
            found |= shares([*b, *c], [*q, *r]) | shares([*b, *d], [*q, *s]) | shares([*c, *d], [*r, *s]);
        }
        found
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{COVERAGE_BITS, LANES, List, PIXELS, QUAD_CORNERS, QUADS};
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) unsafe fn push(list: &mut List, corner: u32, masks: &[u64], number: u32) {
        let at = list.count.min(QUADS - LANES);
        // The lower half of the pixels for the first eight quads, the upper one for the others.
        let halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        let shifts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
        let fifteen = _mm512_set1_epi32(15);
        let mut words = _mm512_setzero_si512();
        // The last sample's bits are the uppermost ones.
        for &mask in masks.iter().rev() {
            let pixels = _mm512_castsi128_si512(_mm_cvtsi64_si128(mask as i64));
            let pixels = _mm512_srlv_epi32(_mm512_permutexvar_epi32(halves, pixels), shifts);
            words = _mm512_slli_epi32::<4>(words);
            // Pixels where the mask has bits, the others' words elsewhere.
            words = _mm512_ternarylogic_epi32::<0xca>(fifteen, pixels, words);
        }
        let covered = _mm512_test_epi32_mask(words, words);
        // SAFETY: there is room for all quads of a region from `at` on.
        unsafe {
            let corners = _mm512_loadu_si512(QUAD_CORNERS.as_ptr().cast());
            let corners = _mm512_add_epi32(corners, _mm512_set1_epi32(corner as i32));
            let corners = _mm512_maskz_compress_epi32(covered, corners);
            let quads = _mm512_or_si512(_mm512_slli_epi32::<4>(words), _mm512_set1_epi32(number as i32));
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
    pub(super) unsafe fn conflicts(list: &List, first: usize, has_samples: bool) -> bool {
        let first = first.min(QUADS - LANES);
        // SAFETY: there are so many.
        unsafe {
            let corners = _mm512_loadu_si512(list.quads.corners.as_ptr().add(first).cast());
            let quads = _mm512_loadu_si512(list.quads.quads.as_ptr().add(first).cast());
            let all = _mm512_set1_epi32(PIXELS as i32);
            let pixels = if has_samples {
                let covered = _mm512_test_epi32_mask(quads, _mm512_set1_epi32(COVERAGE_BITS as i32));
                _mm512_maskz_mov_epi32(covered, all)
            } else {
                _mm512_and_si512(quads, all)
            };
            // Each with the next of its four, and with the one behind that.
            let next = _mm512_cmpeq_epi32_mask(corners, _mm512_shuffle_epi32::<0x39>(corners))
                & _mm512_test_epi32_mask(pixels, _mm512_shuffle_epi32::<0x39>(pixels));
            let second = _mm512_cmpeq_epi32_mask(corners, _mm512_shuffle_epi32::<0x4e>(corners))
                & _mm512_test_epi32_mask(pixels, _mm512_shuffle_epi32::<0x4e>(pixels));
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
    fn no_subgroup_has_parts_of_a_quad_with_samples() {
        let (mut lists, mut regions) = (QuadLists::default(), CoveredRegions::default());
        // Other pixels of one quad, each in another sample.
        for (number, masks) in [(0, [1, 0]), (1, [0, 2])] {
            regions.start(2);
            regions.push((64, 126), &masks);
            let place = PlaneSlot { number, ..PlaneSlot::default() };
            assert_eq!(lists.add_regions(&regions, 0, place), (1, 1));
        }
        let quad = |number, pixels| vec![(at(64, 126), pixels, 0, number)];
        assert_eq!(run(&mut lists), [quad(0, 1), quad(1, 0x20)]);
    }

    #[test]
    fn regions_with_samples_are_the_same_quads() {
        let (mut lists, mut expected) = (QuadLists::default(), QuadLists::default());
        let mut regions = CoveredRegions::default();
        for (number, covered) in
            (3..).zip([0x8421_0000_0300_0001_u64, 0x0000_ffff_0000_0000, 0xf000_0f00_00f0_000f])
        {
            // Of each sample, the pixels of the left four quads' columns of a region of eight by eight.
            let mut masks = [0u64; 4];
            for (quad, place) in [0, 1, 4, 5].into_iter().enumerate() {
                for (sample, mask) in masks.iter_mut().enumerate() {
                    *mask |= (covered >> (16 * quad + 4 * sample) & 15) << (4 * place);
                }
            }
            regions.start(4);
            regions.push((62, 2), &masks);
            let (_, pixels) = expected.add_regions(&regions, 0, PlaneSlot { number, ..PlaneSlot::default() });
            let entry = entry(at(62, 2) | Entry::SAMPLED, covered);
            assert_eq!(lists.add(&[entry], 0, number), pixels);
        }
        assert_eq!(run(&mut lists), run(&mut expected));
        // No subgroup has parts of a quad, as above.
        let entries = [1, 2].map(|covered| entry(at(62, 2) | Entry::SAMPLED, covered));
        lists.add(&entries, 0, 0);
        assert_eq!(run(&mut lists).len(), 2);
    }

    #[test]
    fn all_multiversions_agree_and_keep_primitive_order() {
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
            for has_samples in [false, true] {
                let found = Conflicts(&plain.list, has_samples).run::<false>();
                assert_eq!(found, vectorize(Conflicts(&best.list, has_samples)));
            }
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
