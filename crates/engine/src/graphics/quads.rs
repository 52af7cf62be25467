//! Quads with one sample for each pixel on their way into lists of subgroups, which the fragment function loops over.
//!
//! A list holds no pixel twice, so its quads may run in any order and in any subgroup: four quads that follow each other
//! are one. A triangle with a pixel that a list has goes to the list behind it; lists run in order. So each pixel
//! sees its fragments in order, and quads of neighbours, which share no pixel even where they meet in one quad, fill
//! subgroups.

use super::lanes::LANES;
use super::output::{Entry, TILE_PIXELS};
use super::wide::{Vectorized, vectorize};
use pyro_abi::graphics::QuadSubgroup;

/// Lists that are filled at a time.
const LISTS: usize = 4;
/// Quads of a list.
const QUADS: usize = 256;
/// Rows of quads of a tile. A region may reach beyond.
const QUAD_ROWS: usize = TILE_PIXELS as usize / 2 + 3;

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

/// Pixels of a tile, a bit each: four bits for a quad, 128 for a row of quads.
#[repr(C, align(64))]
struct Covered([u64; 2 * QUAD_ROWS]);

#[repr(C, align(64))]
struct List {
    corners: [u32; QUADS],
    primitives: [u32; QUADS],
    /// Four bits for each quad.
    pixels: [u32; QUADS],
    covered: Covered,
    count: usize,
}

/// The lists of one draw in one tile.
pub(crate) struct QuadLists {
    lists: Box<[List; LISTS]>,
    /// Lists with quads: the first ones.
    used: usize,
    subgroups: Box<[QuadSubgroup; QUADS / 4]>,
}

impl Default for QuadLists {
    fn default() -> QuadLists {
        let list = || List {
            corners: [0; QUADS],
            primitives: [0; QUADS],
            pixels: [0; QUADS],
            covered: Covered([0; 2 * QUAD_ROWS]),
            count: 0,
        };
        let lists = Box::new([list(), list(), list(), list()]);
        QuadLists { lists, used: 0, subgroups: Box::new([QuadSubgroup::default(); QUADS / 4]) }
    }
}

impl QuadLists {
    /// Adds what small triangles cover, from the first on, until there is no room: gives how many fit. Their setup data is at
    /// `setup`, each so many bytes behind the last one's.
    pub(crate) fn add(&mut self, entries: &[Entry], setup: u32, stride: u32) -> usize {
        vectorize(Add { lists: self, entries, setup, stride })
    }

    /// Calls `run` with subgroups whose quads may run together, in order, until it gives false; forgets all.
    pub(crate) fn take(&mut self, mut run: impl FnMut(&[QuadSubgroup]) -> bool) -> bool {
        let mut sound = true;
        for list in &mut self.lists[..std::mem::take(&mut self.used)] {
            let subgroups = vectorize(Subgroups(list, &mut self.subgroups));
            list.count = 0;
            list.covered.0.fill(0);
            // Functions that loop draw one at least.
            sound = sound && (subgroups == 0 || run(&self.subgroups[..subgroups]));
        }
        sound
    }

    /// There is no quad.
    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }
}

/// See [`QuadLists::add`].
struct Add<'a> {
    lists: &'a mut QuadLists,
    entries: &'a [Entry],
    setup: u32,
    stride: u32,
}

impl Vectorized for Add<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> usize {
        let Add { lists: QuadLists { lists, used, .. }, entries, mut setup, stride } = self;
        for (at, entry) in entries.iter().enumerate() {
            let within = |at: u32| at as usize % TILE_PIXELS as usize / 2;
            let (column, row) = (within(entry.corner & 0xffff), within(entry.corner >> 16));
            let placed = place::<WIDE>(entry.pixels, column);
            let mut number = 0;
            for (behind, list) in (1..).zip(&lists[..*used]) {
                if list.covered.overlaps::<WIDE>(row, &placed) {
                    number = behind;
                }
            }
            let Some(list) = lists.get_mut(number).filter(|list| list.count + LANES <= QUADS) else {
                return at;
            };
            *used = (*used).max(number + 1);
            list.covered.add::<WIDE>(row, &placed);
            list.push::<WIDE>(entry, setup);
            setup += stride;
        }
        entries.len()
    }
}

/// Four rows of quads of a tile, as [`Covered`] has them.
#[repr(C, align(64))]
struct Placed([u64; 8]);

/// The pixels of a region whose first quad is in this column.
#[inline(always)]
fn place<const WIDE: bool>(pixels: u64, column: usize) -> Placed {
    let mut placed = Placed([0; 8]);
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        unsafe {
            wide::place(pixels, column as u32, &mut placed);
        }
        return placed;
    }
    for (row, words) in placed.0.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let bits = u128::from(pixels >> (16 * row) & 0xffff) << (4 * (column % 32));
        *words = [bits as u64, (bits >> 64) as u64];
    }
    placed
}

impl Covered {
    /// The words of four rows of quads.
    #[inline(always)]
    fn rows(&mut self, row: usize) -> &mut [u64; 8] {
        let first = 2 * (row % (QUAD_ROWS - 3));
        self.0[first..].first_chunk_mut().expect("there are three rows more")
    }

    #[inline(always)]
    fn overlaps<const WIDE: bool>(&self, row: usize, placed: &Placed) -> bool {
        let first = 2 * (row % (QUAD_ROWS - 3));
        let words = self.0[first..].first_chunk::<8>().expect("there are three rows more");
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            return unsafe { wide::overlap(words, placed) };
        }
        words.iter().zip(&placed.0).any(|(word, placed)| word & placed != 0)
    }

    #[inline(always)]
    fn add<const WIDE: bool>(&mut self, row: usize, placed: &Placed) {
        for (word, placed) in self.rows(row).iter_mut().zip(&placed.0) {
            *word |= placed;
        }
    }
}

impl List {
    /// Adds the quads of a region, of which there is room.
    #[inline(always)]
    fn push<const WIDE: bool>(&mut self, entry: &Entry, setup: u32) {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            unsafe {
                wide::push(self, entry, setup);
            }
            return;
        }
        for (quad, corner) in QUAD_CORNERS.iter().enumerate() {
            let pixels = (entry.pixels >> (4 * quad) & 15) as u32;
            if pixels != 0 {
                let at = self.count % QUADS;
                self.corners[at] = entry.corner + corner;
                self.primitives[at] = setup;
                self.pixels[at] = pixels;
                self.count += 1;
            }
        }
    }
}

/// Makes a list's quads subgroups; gives how many.
struct Subgroups<'a>(&'a mut List, &'a mut [QuadSubgroup; QUADS / 4]);

impl Vectorized for Subgroups<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> usize {
        let Subgroups(List { corners, primitives, pixels, count, .. }, subgroups) = self;
        let filled = (*count).min(QUADS);
        let end = filled.next_multiple_of(4);
        // The last subgroup is filled up with helper invocations.
        for at in filled..end {
            (corners[at], primitives[at], pixels[at]) = (corners[filled - 1], primitives[filled - 1], 0);
        }
        let corners = corners[..end].as_chunks::<4>().0;
        let quads = primitives[..end].as_chunks::<4>().0.iter().zip(pixels[..end].as_chunks::<4>().0);
        for (subgroup, (corners, (primitives, pixels))) in subgroups.iter_mut().zip(corners.iter().zip(quads))
        {
            (subgroup.corners, subgroup.primitives) = (*corners, *primitives);
            for (lane, coverage) in subgroup.coverage.iter_mut().enumerate() {
                *coverage = pixels[lane / 4] >> (lane % 4) & 1;
            }
        }
        end / 4
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{Entry, LANES, List, Placed, QUAD_CORNERS, QUADS};
    use std::arch::x86_64::*;

    /// Which words of a row's two parts go where; of one part only, for columns of the second half.
    const PARTS: [[i64; 8]; 2] = [[0, 8, 1, 9, 2, 10, 3, 11], [0, 0, 0, 1, 0, 2, 0, 3]];
    const PART_WORDS: [u8; 2] = [0xff, 0xaa];

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    pub(super) unsafe fn place(pixels: u64, column: u32, placed: &mut Placed) {
        let rows = _mm256_cvtepu16_epi64(_mm_cvtsi64_si128(pixels as i64));
        let (half, shift) = ((column / 16 % 2) as usize, (4 * (column % 16)) as i32);
        let low = _mm256_sll_epi64(rows, _mm_cvtsi32_si128(shift));
        let high = _mm256_srl_epi64(rows, _mm_cvtsi32_si128(64 - shift));
        let (low, high) = (_mm512_castsi256_si512(low), _mm512_castsi256_si512(high));
        // SAFETY: both are 64 bytes.
        unsafe {
            let parts = _mm512_loadu_si512(PARTS[half].as_ptr().cast());
            let words = _mm512_maskz_permutex2var_epi64(PART_WORDS[half], low, parts, high);
            _mm512_store_si512(placed.0.as_mut_ptr().cast(), words);
        }
    }

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    pub(super) unsafe fn overlap(words: &[u64; 8], placed: &Placed) -> bool {
        // SAFETY: both are 64 bytes.
        unsafe {
            let words = _mm512_loadu_si512(words.as_ptr().cast());
            let placed = _mm512_load_si512(placed.0.as_ptr().cast());
            _mm512_test_epi64_mask(words, placed) != 0
        }
    }

    /// # Safety
    /// The processor has AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt")]
    pub(super) unsafe fn push(list: &mut List, entry: &Entry, setup: u32) {
        let at = list.count.min(QUADS - LANES);
        // The lower half of the pixels for the first eight quads, the upper one for the others.
        let halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        let shifts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
        let pixels = _mm512_castsi128_si512(_mm_cvtsi64_si128(entry.pixels as i64));
        let pixels = _mm512_srlv_epi32(_mm512_permutexvar_epi32(halves, pixels), shifts);
        let pixels = _mm512_and_si512(pixels, _mm512_set1_epi32(15));
        let quads = _mm512_test_epi32_mask(pixels, pixels);
        // SAFETY: there is room for all quads of a region from `at` on.
        unsafe {
            let corners = _mm512_loadu_si512(QUAD_CORNERS.as_ptr().cast());
            let corners = _mm512_add_epi32(corners, _mm512_set1_epi32(entry.corner as i32));
            let corners = _mm512_maskz_compress_epi32(quads, corners);
            let pixels = _mm512_maskz_compress_epi32(quads, pixels);
            _mm512_storeu_si512(list.corners.as_mut_ptr().add(at).cast(), corners);
            _mm512_storeu_si512(list.pixels.as_mut_ptr().add(at).cast(), pixels);
            _mm512_storeu_si512(list.primitives.as_mut_ptr().add(at).cast(), _mm512_set1_epi32(setup as i32));
        }
        list.count = at + quads.count_ones() as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quads in the order in which they run: corner, pixels, primitive.
    fn run(lists: &mut QuadLists) -> Vec<Vec<(u32, u32, u32)>> {
        let mut all = Vec::new();
        assert!(lists.take(|subgroups| {
            let quads = subgroups.iter().flat_map(|subgroup| {
                (0..4).map(|quad| {
                    let lanes = &subgroup.coverage[4 * quad..4 * quad + 4];
                    let pixels = lanes.iter().rev().fold(0, |bits, lane| 2 * bits + lane);
                    (subgroup.corners[quad], pixels, subgroup.primitives[quad])
                })
            });
            all.push(quads.filter(|quad| quad.1 != 0).collect());
            true
        }));
        all
    }

    #[test]
    fn pixels_that_are_there_go_to_the_next_list() {
        let mut lists = QuadLists::default();
        let at = |x: u32, y: u32| x | y << 16;
        let entry = |corner, pixels| Entry { pixels, corner, number: 0 };
        // The second shares a quad with the first, but no pixel; the third has a pixel of the second.
        let entries = [
            entry(at(64, 126), 0x0021),
            entry(at(62 + 64, 64), 0x8),
            entry(at(64, 126), 0x0048),
            entry(at(66, 126), 0x4),
        ];
        assert_eq!(lists.add(&entries, 100, 10), 4);
        let first = vec![
            (at(64, 126), 1, 100),
            (at(66, 126), 2, 100),
            (at(126, 64), 8, 110),
            (at(64, 126), 8, 120),
            (at(66, 126), 4, 120),
        ];
        assert_eq!(run(&mut lists), [first, vec![(at(66, 126), 4, 130)]]);
        assert!(lists.is_empty());
        // What covers nothing is no subgroup.
        assert_eq!(lists.add(&[entry(at(2, 2), 0)], 0, 1), 1);
        assert!(run(&mut lists).is_empty());
        // As many as there are lists, then no more.
        let again = [entry(0, 1); LISTS + 1];
        assert_eq!(lists.add(&again, 0, 1), LISTS);
        assert_eq!(run(&mut lists), [0, 1, 2, 3].map(|n| vec![(0, 1, n)]));
    }

    #[test]
    fn all_versions_give_the_same() {
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 24
        };
        let (mut plain, mut best) = (QuadLists::default(), QuadLists::default());
        for _ in 0..300 {
            let entries: Vec<Entry> = (0..next() % 60)
                .map(|_| {
                    let (column, row) = (next() % 29, next() % 29);
                    let corner = ((2 * column) | ((2 * row) << 16)) as u32;
                    Entry { pixels: next() << 32 & next() << 30 | next() & next(), corner, number: 0 }
                })
                .collect();
            let (mut rest, mut setup) = (&entries[..], 0);
            while !rest.is_empty() {
                let count = Add { lists: &mut plain, entries: rest, setup, stride: 64 }.run::<false>();
                assert_eq!(best.add(rest, setup, 64), count);
                let quads = run(&mut plain);
                assert_eq!(run(&mut best), quads);
                for list in &quads {
                    let mut pixels = std::collections::HashSet::new();
                    for &(corner, bits, _) in list {
                        assert!((0..4).all(|bit| bits >> bit & 1 == 0 || pixels.insert((corner, bit))));
                    }
                }
                rest = &rest[count..];
                setup += 64 * count as u32;
            }
        }
    }
}
