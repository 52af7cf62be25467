//! What a convex shape covers of a tile, in regions of eight by eight pixels.
//!
//! Sixteen regions at a time are held against each edge. Of those that an edge cuts, all pixels are tested at
//! once, sample by sample; so slivers and shapes of a few dozen pixels take little more than large ones do
//! along their edges.

use crate::graphics::raster::shape::{Edge, UNIT};
use crate::graphics::raster::small_triangle_coverage::{LANE_X, LANE_Y, REGION, within};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::signs::{self, nowhere_negative};
use crate::graphics::state::Rect;
use pyro_abi::graphics::SAMPLES_MAX;

/// Edges of a shape at most.
const EDGES_MAX: usize = 4;
/// Up to how many regions are tested pixel by pixel, without holding them against edges first.
const FEW_REGIONS: i32 = 9;
/// Up to how many samples of a pixel their values of an edge are one register of AVX-512.
#[cfg(target_arch = "x86_64")]
const WIDE_SAMPLES_MAX: usize = 8;

/// An edge that passes through the part of a tile that is tested: its values, shifted down by 8, at the
/// samples of the pixel at the part's corner.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CrossingEdge {
    /// Changes from lane to lane of a region's first two rows.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Read with AVX-512 alone.
    lanes: [i32; LANES],
    values: [i32; SAMPLES_MAX as usize],
    /// Change for a pixel in x and in y.
    a: i32,
    b: i32,
}

impl CrossingEdge {
    const NONE: CrossingEdge =
        CrossingEdge { lanes: [0; LANES], values: [0; SAMPLES_MAX as usize], a: 0, b: 0 };

    #[inline(always)]
    fn new(a: i32, b: i32, values: [i64; SAMPLES_MAX as usize]) -> CrossingEdge {
        let mut edge = CrossingEdge { a, b, ..CrossingEdge::NONE };
        for (lane, change) in edge.lanes.iter_mut().enumerate() {
            *change = LANE_X[lane].wrapping_mul(a).wrapping_add(LANE_Y[lane].wrapping_mul(b));
        }
        for (to, value) in edge.values.iter_mut().zip(values) {
            // The edge passes through the tile for some sample, so its values there fit.
            *to = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        }
        edge
    }

    /// What its value at a sample is more than that at the first one.
    #[inline(always)]
    fn beyond_first(&self, sample: usize) -> i32 {
        self.values[sample % self.values.len()].wrapping_sub(self.values[0])
    }

    /// How much it changes over so many pixels.
    #[inline(always)]
    fn change(&self, (dx, dy): (i32, i32)) -> i32 {
        self.a.wrapping_mul(dx).wrapping_add(self.b.wrapping_mul(dy))
    }
}

/// The regions of a part of a tile, of which sixteen at a time are held against an edge: in as few columns as
/// there are.
#[derive(Clone, Copy)]
struct RegionGrid {
    columns: i32,
    rows: i32,
    /// The logarithm of the columns of sixteen regions.
    shift: u32,
}

/// The columns and the rows of sixteen regions, by the logarithm of their columns.
const PLACES: [([i32; LANES], [i32; LANES]); 4] = {
    let mut table = [([0; LANES], [0; LANES]); 4];
    let mut shift = 0;
    while shift < 4 {
        let mut region = 0;
        while region < LANES {
            table[shift].0[region] = (region & ((1 << shift) - 1)) as i32;
            table[shift].1[region] = (region >> shift) as i32;
            region += 1;
        }
        shift += 1;
    }
    table
};

/// Which of sixteen regions no edge rejects, and which of these no edge cuts, a bit for each.
struct RegionMasks {
    some: u32,
    all: u32,
}

/// An edge for sixteen regions at once: half of its value, as whole values may need 33 bits beside the part.
#[derive(Clone, Copy)]
struct RegionEdge {
    /// Changes from region to region.
    lanes: [i32; LANES],
    /// Half of the value at the part's corner, of the change for a region's columns, and for its rows.
    value: i32,
    across: i32,
    down: i32,
    /// A region may be inside if this plus half of its corner's value is not negative, ...
    some: i32,
    /// ... and is inside if this plus half is not.
    all: i32,
}

impl RegionEdge {
    const NONE: RegionEdge = RegionEdge { lanes: [0; LANES], value: 0, across: 0, down: 0, some: 0, all: 0 };

    /// `samples`: how far below and above `value` the values at a pixel's samples are.
    #[inline(always)]
    fn new(grid: RegionGrid, [a, b]: [i32; 2], value: i32, samples: (i32, i32)) -> RegionEdge {
        // What values fall and rise within a region; both are rounded to the safe side.
        let [right, down] = [a, b].map(|change| i64::from(change) * i64::from(REGION - 1));
        let all = right.min(0) + down.min(0) + i64::from(samples.0);
        let some = right.max(0) + down.max(0) + i64::from(samples.1);
        let (across, down) = (a.wrapping_mul(REGION / 2), b.wrapping_mul(REGION / 2));
        let (columns, rows) = &PLACES[grid.shift as usize];
        let mut lanes = [0; LANES];
        for lane in 0..LANES {
            lanes[lane] = across.wrapping_mul(columns[lane]).wrapping_add(down.wrapping_mul(rows[lane]));
        }
        let narrow = |value: i64| value.clamp(-(1 << 30), 1 << 30) as i32;
        RegionEdge {
            lanes,
            value: value >> 1,
            across,
            down,
            some: narrow((some >> 1) + 1),
            all: narrow(all >> 1),
        }
    }
}

impl RegionGrid {
    #[inline(always)]
    fn new(width: i32, height: i32) -> RegionGrid {
        let columns = (width + REGION - 1) / REGION;
        let shift = (columns.max(1) as u32).next_power_of_two().trailing_zeros().min(3);
        RegionGrid { columns, rows: (height + REGION - 1) / REGION, shift }
    }

    /// Where groups of sixteen regions begin, in columns and rows of regions.
    #[inline(always)]
    fn groups(self) -> impl Iterator<Item = (i32, i32)> {
        let (across, down) = (1 << self.shift, LANES >> self.shift);
        let columns = (0..self.columns).step_by(across);
        (0..self.rows).step_by(down).flat_map(move |row| columns.clone().map(move |column| (column, row)))
    }

    /// The masks of the sixteen regions from one on.
    #[inline(always)]
    fn masks<const WIDE: bool>(self, edges: &[RegionEdge], (column, row): (i32, i32)) -> RegionMasks {
        let (mut outside, mut cut) = ([0; LANES], [0; LANES]);
        for edge in edges {
            let first = edge.value.wrapping_add(edge.across * column).wrapping_add(edge.down * row);
            for lane in 0..LANES {
                let half = first.wrapping_add(edge.lanes[lane]);
                outside[lane] |= half.wrapping_add(edge.some);
                cut[lane] |= half.wrapping_add(edge.all);
            }
        }
        self.masks_of((column, row), negative::<WIDE>(&outside), negative::<WIDE>(&cut))
    }

    /// The masks of sixteen regions, of which some are outside of an edge, and some are or are cut by one.
    #[inline(always)]
    fn masks_of(self, (column, row): (i32, i32), outside: u32, cut: u32) -> RegionMasks {
        let (across, down) = (1u32 << self.shift, LANES as u32 >> self.shift);
        let columns = (1 << ((self.columns - column) as u32).min(across)) - 1;
        // The columns' bits in each row.
        let spread = [0xffff, 0x5555, 0x1111, 0x0101][self.shift as usize];
        let rows = (self.rows - row) as u32;
        let there = (columns * spread) & ((1u32 << (rows.min(down) << self.shift)) - 1);
        let some = there & !outside;
        RegionMasks { some, all: some & !cut }
    }

    /// Pixels from the part's corner to a region's.
    #[inline(always)]
    fn place(self, (column, row): (i32, i32), region: u32) -> (i32, i32) {
        let (x, y) = (region & ((1 << self.shift) - 1), region >> self.shift);
        ((column + x as i32) * REGION, (row + y as i32) * REGION)
    }
}

/// Bits of the lanes with a negative value. `WIDE`: with AVX-512, for which the caller is compiled.
#[inline(always)]
fn negative<const WIDE: bool>(values: &[i32; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        use std::arch::x86_64::{_mm512_loadu_si512, _mm512_movepi32_mask};
        // SAFETY: the array is 64 bytes; with `WIDE` the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { _mm512_movepi32_mask(_mm512_loadu_si512(values.as_ptr().cast())) }.into();
    }
    signs::negative(values)
}

/// The pixels of a region, so far from the part's corner, inside of the first so many edges: for each sample,
/// bits in the order of quads ([`within`]). `narrow`: the edges' values at a pixel's samples differ by no
/// more than 16 bits hold.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // All samples are alike there.
fn covered<const WIDE: bool, const EDGES: usize>(
    edges: &[CrossingEdge; EDGES_MAX],
    place: (i32, i32),
    narrow: bool,
    masks: &mut [u64],
) {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: with `WIDE` the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { covered_wide::<EDGES>(edges, place, masks) };
    }
    #[cfg(target_arch = "x86_64")]
    if narrow {
        let mut functions = [[0; 3]; EDGES];
        for (function, edge) in functions.iter_mut().zip(edges) {
            *function = [edge.values[0].wrapping_add(edge.change(place)), edge.a, edge.b];
        }
        let addend = |sample: usize, edge: usize| edges[edge].beyond_first(sample) as i16;
        // SAFETY: all processors of this architecture have SSE2.
        #[allow(unsafe_code)]
        return unsafe { signs::nowhere_negative_with(functions, addend, masks) };
    }
    for (sample, mask) in masks.iter_mut().enumerate() {
        let mut functions = [[0; 3]; EDGES];
        for (function, edge) in functions.iter_mut().zip(edges) {
            *function = [edge.values[sample].wrapping_add(edge.change(place)), edge.a, edge.b];
        }
        *mask = nowhere_negative(functions);
    }
}

/// # Safety
/// The processor has AVX-512 (F, DQ).
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(unsafe_code)]
unsafe fn covered_wide<const EDGES: usize>(
    edges: &[CrossingEdge; EDGES_MAX],
    place: (i32, i32),
    masks: &mut [u64],
) {
    use std::arch::x86_64::{
        _mm512_add_epi32 as add, _mm512_load_si512 as load, _mm512_movepi32_mask as signs,
        _mm512_or_si512 as or, _mm512_set1_epi32 as splat, _mm512_setzero_si512 as zero,
    };
    let (mut firsts, mut steps) = ([zero(); EDGES], [zero(); EDGES]);
    for ((first, step), edge) in firsts.iter_mut().zip(&mut steps).zip(edges) {
        // SAFETY: the array is 64 bytes at the start of an aligned record.
        let lanes = unsafe { load(edge.lanes.as_ptr().cast()) };
        *first = add(lanes, splat(edge.change(place)));
        *step = splat(edge.b.wrapping_mul(2));
    }
    for (sample, mask) in masks.iter_mut().enumerate() {
        let mut values = firsts;
        for (value, edge) in values.iter_mut().zip(edges) {
            *value = add(*value, splat(edge.values[sample]));
        }
        let mut outside = 0;
        for rows in 0..4 {
            let mut any = zero();
            for (value, step) in values.iter_mut().zip(steps) {
                any = or(any, *value);
                *value = add(*value, step);
            }
            outside |= u64::from(signs(any)) << (16 * rows);
        }
        *mask = !outside;
    }
}

#[cfg(target_arch = "x86_64")]
impl Part<'_> {
    /// [`Part::regions`] of few regions, the first of which has this upper left pixel: nothing is prepared
    /// but the edges' values at that pixel's samples, and their changes from lane to lane.
    ///
    /// # Safety
    /// The processor has AVX-512 (F, DQ).
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    #[allow(unsafe_code)]
    unsafe fn few_wide<const EDGES: usize>(
        &self,
        edges: [&Edge; EDGES],
        (x0, y0): (i32, i32),
        mut visit: impl FnMut((i32, i32), &[u64]),
    ) {
        use std::arch::x86_64::*;
        let &Part { bounds, samples, .. } = self;
        let (mut right, mut down) = ([0i64; WIDE_SAMPLES_MAX], [0i64; WIDE_SAMPLES_MAX]);
        for ((right, down), &(x, y)) in right.iter_mut().zip(&mut down).zip(samples) {
            (*right, *down) = (i64::from(x) * i64::from(UNIT / 16), i64::from(y) * i64::from(UNIT / 16));
        }
        // SAFETY: the arrays are as long as a register.
        let [right, down] = unsafe { [right, down].map(|array| _mm512_loadu_si512(array.as_ptr().cast())) };
        // SAFETY: as above.
        let [lane_x, lane_y] =
            unsafe { [&LANE_X, &LANE_Y].map(|array| _mm512_loadu_si512(array.as_ptr().cast())) };
        let zero = _mm512_setzero_si512();
        let (mut values, mut lanes, mut steps) = ([zero; EDGES], [zero; EDGES], [zero; EDGES]);
        for (at, edge) in edges.iter().enumerate() {
            let (a, b) = (_mm512_set1_epi32(edge.a), _mm512_set1_epi32(edge.b));
            let of_samples = _mm512_add_epi64(_mm512_mul_epi32(a, right), _mm512_mul_epi32(b, down));
            let first = _mm512_set1_epi64(edge.at(x0 * UNIT, y0 * UNIT));
            values[at] = _mm512_srai_epi64::<8>(_mm512_add_epi64(first, of_samples));
            lanes[at] = _mm512_add_epi32(_mm512_mullo_epi32(a, lane_x), _mm512_mullo_epi32(b, lane_y));
            steps[at] = _mm512_slli_epi32::<1>(b);
        }
        // Within a region values change by less than that.
        let (least, most) = (_mm512_set1_epi64(-(1 << 30)), _mm512_set1_epi64(1 << 30));
        let mut masks = [0; WIDE_SAMPLES_MAX];
        let masks = &mut masks[..samples.len().min(WIDE_SAMPLES_MAX)];
        for y in (y0..bounds.y1).step_by(REGION as usize) {
            for x in (x0..bounds.x1).step_by(REGION as usize) {
                let mut corners = [zero; EDGES];
                for (at, edge) in edges.iter().enumerate() {
                    let moved = i64::from(edge.a) * i64::from(x - x0) + i64::from(edge.b) * i64::from(y - y0);
                    let value = _mm512_add_epi64(values[at], _mm512_set1_epi64(moved));
                    let value = _mm512_min_epi64(_mm512_max_epi64(value, least), most);
                    corners[at] = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(value));
                }
                let inside = Rect { x0: x, y0: y, x1: x + REGION, y1: y + REGION };
                let inside = within(bounds.intersect(inside), x, y);
                let mut any_sample = 0;
                for (sample, mask) in masks.iter_mut().enumerate() {
                    let sample = _mm512_set1_epi32(sample as i32);
                    let mut of_edges = [zero; EDGES];
                    for (at, value) in of_edges.iter_mut().enumerate() {
                        *value = _mm512_add_epi32(_mm512_permutexvar_epi32(sample, corners[at]), lanes[at]);
                    }
                    let mut outside = 0;
                    for rows in 0..4 {
                        let mut any = zero;
                        for (value, step) in of_edges.iter_mut().zip(steps) {
                            any = _mm512_or_si512(any, *value);
                            *value = _mm512_add_epi32(*value, step);
                        }
                        outside |= u64::from(_mm512_movepi32_mask(any)) << (16 * rows);
                    }
                    *mask = !outside & inside;
                    any_sample |= *mask;
                }
                if any_sample != 0 {
                    visit((x, y), masks);
                }
            }
        }
    }
}

/// What [`Part::regions`] has prepared of a shape's edges.
#[cfg(target_arch = "x86_64")]
struct Prepared<'a> {
    grid: RegionGrid,
    crossing: &'a [CrossingEdge; EDGES_MAX],
    in_grid: &'a [RegionEdge; EDGES_MAX],
}

#[cfg(target_arch = "x86_64")]
impl Part<'_> {
    /// [`Part::regions`] where pixels have one sample: what is the same for all regions stays in registers.
    ///
    /// # Safety
    /// The processor has AVX-512 (F, DQ).
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    #[allow(unsafe_code)]
    unsafe fn centers_wide<const EDGES: usize>(
        &self,
        Prepared { grid, crossing, in_grid }: Prepared<'_>,
        mut visit: impl FnMut((i32, i32), &[u64]),
    ) {
        use std::arch::x86_64::*;
        let Part { bounds, x0, .. } = *self;
        let y0 = bounds.y0 & !1;
        let zero = _mm512_setzero_si512();
        let (mut lanes, mut steps, mut halves) = ([zero; EDGES], [zero; EDGES], [zero; EDGES]);
        for at in 0..EDGES {
            // SAFETY: the arrays are as long as a register.
            let [of_pixels, of_regions] = unsafe {
                [&crossing[at].lanes, &in_grid[at].lanes]
                    .map(|array| _mm512_loadu_si512(array.as_ptr().cast()))
            };
            lanes[at] = _mm512_add_epi32(of_pixels, _mm512_set1_epi32(crossing[at].values[0]));
            steps[at] = _mm512_set1_epi32(crossing[at].b.wrapping_mul(2));
            halves[at] = of_regions;
        }
        for group in grid.groups() {
            let (column, row) = group;
            let (mut outside, mut cut, mut changes) = (zero, zero, [zero; EDGES]);
            for (at, edge) in in_grid[..EDGES].iter().enumerate() {
                let moved = edge.across.wrapping_mul(column).wrapping_add(edge.down.wrapping_mul(row));
                let change = _mm512_add_epi32(halves[at], _mm512_set1_epi32(moved));
                let splat = |limit: i32| _mm512_set1_epi32(edge.value.wrapping_add(limit));
                outside = _mm512_or_si512(outside, _mm512_add_epi32(change, splat(edge.some)));
                cut = _mm512_or_si512(cut, _mm512_add_epi32(change, splat(edge.all)));
                changes[at] = _mm512_slli_epi32::<1>(change);
            }
            let signs = |values| u32::from(_mm512_movepi32_mask(values));
            let RegionMasks { mut some, all } = grid.masks_of(group, signs(outside), signs(cut));
            while some != 0 {
                let region = some.trailing_zeros();
                some &= some - 1;
                let place = grid.place(group, region);
                let (x, y) = (x0 + place.0, y0 + place.1);
                let inside = Rect { x0: x, y0: y, x1: x + REGION, y1: y + REGION };
                let mut pixels = within(bounds.intersect(inside), x, y);
                if all >> region & 1 == 0 {
                    let number = _mm512_set1_epi32(region as i32);
                    let mut values = [zero; EDGES];
                    for (at, value) in values.iter_mut().enumerate() {
                        *value = _mm512_add_epi32(lanes[at], _mm512_permutexvar_epi32(number, changes[at]));
                    }
                    let mut beyond = 0;
                    for rows in 0..4 {
                        let mut any = zero;
                        for (value, step) in values.iter_mut().zip(steps) {
                            any = _mm512_or_si512(any, *value);
                            *value = _mm512_add_epi32(*value, step);
                        }
                        beyond |= u64::from(_mm512_movepi32_mask(any)) << (16 * rows);
                    }
                    pixels &= !beyond;
                }
                if pixels != 0 {
                    visit((x, y), &[pixels]);
                }
            }
        }
    }
}

/// A shape within a part of a tile.
pub(crate) struct Part<'a> {
    /// The shape has nothing elsewhere.
    pub(crate) bounds: Rect,
    /// Where samples lie in a pixel, in sixteenths.
    pub(crate) samples: &'a [(u8, u8)],
    /// The even x at which the first regions begin: that of the bounds, or less.
    pub(crate) x0: i32,
}

impl Part<'_> {
    /// Calls `visit` with each region of which a shape with these edges, at most four, covers something: with
    /// its upper left pixel, both coordinates even, and with the pixels of each sample in the order of quads
    /// ([`within`]). `WIDE`: with AVX-512, for which the caller is compiled.
    #[inline(always)]
    pub(crate) fn regions<const WIDE: bool>(
        &self,
        edges: &[Edge],
        mut visit: impl FnMut((i32, i32), &[u64]),
    ) {
        let &Part { bounds, samples, x0 } = self;
        let y0 = bounds.y0 & !1;
        let (width, height) = (bounds.x1 - x0, bounds.y1 - y0);
        let grid = RegionGrid::new(width, height);
        let is_small = grid.columns * grid.rows <= FEW_REGIONS;
        #[cfg(target_arch = "x86_64")]
        if WIDE && is_small && samples.len() <= WIDE_SAMPLES_MAX {
            #[allow(unsafe_code)]
            match edges {
                [p, q, r] => {
                    // SAFETY: with `WIDE` the caller is compiled for AVX-512.
                    return unsafe { self.few_wide([p, q, r], (x0, y0), visit) };
                }
                [p, q, r, s] => {
                    // SAFETY: as above.
                    return unsafe { self.few_wide([p, q, r, s], (x0, y0), visit) };
                }
                _ => {}
            }
        }
        let (mut crossing, mut in_grid) = ([CrossingEdge::NONE; EDGES_MAX], [RegionEdge::NONE; EDGES_MAX]);
        let mut count = 0;
        for edge in edges {
            let (right, down) = (i64::from(edge.a) * i64::from(width), i64::from(edge.b) * i64::from(height));
            let mut values = [0i64; SAMPLES_MAX as usize];
            let (mut least, mut most) = (i64::MAX, i64::MIN);
            for (value, &(x, y)) in values.iter_mut().zip(samples) {
                let (x, y) = (i32::from(x) * (UNIT / 16), i32::from(y) * (UNIT / 16));
                *value = edge.at(x0 * UNIT + x, y0 * UNIT + y) >> 8;
                (least, most) = (least.min(*value), most.max(*value));
            }
            if most + right.max(0) + down.max(0) < 0 {
                return;
            }
            if least + right.min(0) + down.min(0) >= 0 {
                continue;
            }
            let edge = CrossingEdge::new(edge.a, edge.b, values);
            let first = edge.values[0];
            if !is_small {
                let spread = ((least - values[0]) as i32, (most - values[0]) as i32);
                in_grid[count] = RegionEdge::new(grid, [edge.a, edge.b], first, spread);
            }
            crossing[count] = edge;
            count += 1;
        }
        let is_narrow = |edge: &CrossingEdge| {
            let most = i32::from(i16::MAX);
            (0..samples.len()).all(|sample| (-most..=most).contains(&edge.beyond_first(sample)))
        };
        let narrow = !WIDE && samples.len() > 1 && crossing[..count].iter().all(is_narrow);
        #[cfg(target_arch = "x86_64")]
        if WIDE && samples.len() == 1 && !is_small {
            let prepared = Prepared { grid, crossing: &crossing, in_grid: &in_grid };
            // SAFETY: with `WIDE` the caller is compiled for AVX-512.
            #[allow(unsafe_code)]
            unsafe {
                match count {
                    1 => return self.centers_wide::<1>(prepared, visit),
                    2 => return self.centers_wide::<2>(prepared, visit),
                    3 => return self.centers_wide::<3>(prepared, visit),
                    4 => return self.centers_wide::<4>(prepared, visit),
                    _ => {}
                }
            }
        }
        let mut masks = [0; SAMPLES_MAX as usize];
        let masks = &mut masks[..samples.len()];
        for group in grid.groups() {
            // Without edges in the grid, none rejects a region and all cut it.
            let in_grid = &in_grid[..if is_small { 0 } else { count }];
            let RegionMasks { mut some, all } = grid.masks::<WIDE>(in_grid, group);
            let all = if is_small { 0 } else { all };
            while some != 0 {
                let region = some.trailing_zeros();
                some &= some - 1;
                let place = grid.place(group, region);
                match (all >> region & 1, count) {
                    (0, 1) => covered::<WIDE, 1>(&crossing, place, narrow, masks),
                    (0, 2) => covered::<WIDE, 2>(&crossing, place, narrow, masks),
                    (0, 3) => covered::<WIDE, 3>(&crossing, place, narrow, masks),
                    (0, 4) => covered::<WIDE, 4>(&crossing, place, narrow, masks),
                    _ => masks.fill(u64::MAX),
                }
                let (x, y) = (x0 + place.0, y0 + place.1);
                let inside = Rect { x0: x, y0: y, x1: x + REGION, y1: y + REGION };
                let inside = within(bounds.intersect(inside), x, y);
                let mut any = 0;
                for mask in masks.iter_mut() {
                    *mask &= inside;
                    any |= *mask;
                }
                if any != 0 {
                    visit((x, y), masks);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::raster::shape::{Point, double_area};
    use pyro_abi::graphics::sample_positions;
    use pyro_util::cpu::Level;
    use std::collections::BTreeMap;

    type Found = BTreeMap<(i32, i32), u32>;

    /// The samples of each pixel.
    fn found<const WIDE: bool>(part: &Part<'_>, edges: &[Edge]) -> Found {
        let mut pixels = Found::new();
        part.regions::<WIDE>(edges, |(x, y), masks| {
            assert!(x % 2 == 0 && y % 2 == 0);
            for bit in 0..64 {
                let samples =
                    (0..).zip(masks).fold(0, |samples, (at, mask)| samples | (mask >> bit & 1) << at);
                let (lane, rows) = (bit % LANES, bit / LANES);
                let pixel = (x + LANE_X[lane], y + 2 * rows as i32 + LANE_Y[lane]);
                if samples != 0 {
                    assert!(pixels.insert(pixel, samples as u32).is_none(), "a pixel in two regions");
                }
            }
        });
        pixels
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn found_wide(part: &Part<'_>, edges: &[Edge]) -> Found {
        found::<true>(part, edges)
    }

    #[test]
    fn every_sample_is_as_its_edges_say() {
        let mut state = 1u32;
        let mut below = move |end: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state >> 4) * end as u64) >> 28) as i32
        };
        let mut all = 0;
        for round in 0..2000usize {
            // Up to the greatest differences that edges have.
            let reach = [600, 5000, 30_000, 7_600_000][round % 4];
            let mut point =
                || Point { x: 40_000 + below(2 * reach) - reach, y: 20_000 + below(2 * reach) - reach };
            let mut points = [point(), point(), point()];
            if double_area(points) < 0 {
                points.swap(1, 2);
            }
            let [p, q, r] = points;
            let [p_q, q_r, r_p] = [Edge::between(p, q), Edge::between(q, r), Edge::between(r, p)];
            // Of four edges one says what another does.
            let edges = [p_q, q_r, r_p, p_q];
            let edges = &edges[..3 + round / 4 % 2];
            let (x0, y0) = (128 + below(30), 64 + below(40));
            let bounds =
                Rect { x0, y0, x1: (x0 + 1 + below(63)).min(192), y1: (y0 + 1 + below(63)).min(128) };
            // Half of them are of few regions.
            let (width, height) = if round % 2 == 0 { (17, 17) } else { (64, 64) };
            let bounds = bounds.intersect(Rect { x1: x0 + width, y1: y0 + height, ..bounds });
            let samples = sample_positions([1, 4, 8, 2, 16][round % 5]);
            let align = if round % 3 == 0 { REGION } else { 2 };
            let part = Part { bounds, samples, x0: bounds.x0 & !(align - 1) };
            let pixels = found::<false>(&part, edges);
            #[cfg(target_arch = "x86_64")]
            if Level::of_processor() == Level::Avx512 {
                // SAFETY: the processor has the instructions.
                #[allow(unsafe_code)]
                let wide = unsafe { found_wide(&part, edges) };
                assert_eq!(wide, pixels);
            }
            for (x, y) in (120..200).flat_map(|x| (60..136).map(move |y| (x, y))) {
                let inside = x >= bounds.x0 && x < bounds.x1 && y >= bounds.y0 && y < bounds.y1;
                let mut expected = 0;
                for (at, &(dx, dy)) in samples.iter().enumerate() {
                    let at_sample = |pixel: i32, within: u8| pixel * UNIT + i32::from(within) * (UNIT / 16);
                    let covers = |edge: &Edge| edge.at(at_sample(x, dx), at_sample(y, dy)) >= 0;
                    expected |= u32::from(inside && edges.iter().all(covers)) << at;
                }
                assert_eq!(pixels.get(&(x, y)).copied().unwrap_or(0), expected, "{round}: {x} {y}");
                all += usize::from(expected != 0);
            }
        }
        assert!(all > 60_000, "{all}");
    }
}
