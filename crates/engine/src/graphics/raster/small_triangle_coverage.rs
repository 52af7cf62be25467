//! Coverage of small triangles: all pixels of a region of eight by eight are tested at once.

use crate::graphics::raster::shape::{Edge, UNIT};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::signs::nowhere_negative;
use crate::graphics::simd::vector::Vector;
use crate::graphics::state::Rect;

/// Pixels of a region in x and y.
pub(crate) const REGION: i32 = 8;

/// The x and y of a lane's pixel within a block of eight columns and two rows: four quads side by side.
pub(crate) const LANE_X: [i32; LANES] = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7];
pub(crate) const LANE_Y: [i32; LANES] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1];

/// Bits of the columns of a region before this one; entries up to 8 count.
const COLUMNS_BEFORE: [u64; 16] = {
    let mut table = [0; 16];
    let mut column = 0;
    while column < 8 {
        table[column + 1] = table[column] | 0x0005_0005_0005_0005 << (column / 2 * 4 + column % 2);
        column += 1;
    }
    table
};

/// Bits of the rows before this one.
const ROWS_BEFORE: [u64; 16] = {
    let mut table = [0; 16];
    let mut row = 0;
    while row < 8 {
        table[row + 1] = table[row] | 0x3333 << (row / 2 * 16 + row % 2 * 2);
        row += 1;
    }
    table
};

/// The upper left pixel of the region that holds the rectangle, if one does.
#[inline(always)]
pub(crate) fn region(bounds: Rect) -> Option<(i32, i32)> {
    let (x0, y0) = (bounds.x0 & !1, bounds.y0 & !1);
    (bounds.x1 - x0 <= REGION && bounds.y1 - y0 <= REGION).then_some((x0, y0))
}

/// The pixels of a region, from (`x0`, `y0`) on, in a rectangle: bits in the order of quads, four for each,
/// as lanes of a subgroup are; four quads for each two rows.
#[inline(always)]
pub(crate) fn within(bounds: Rect, x0: i32, y0: i32) -> u64 {
    let table = |table: &[u64; 16], at: i32| table[at as usize & 15];
    let columns = table(&COLUMNS_BEFORE, bounds.x1 - x0) & !table(&COLUMNS_BEFORE, bounds.x0 - x0);
    let rows = table(&ROWS_BEFORE, bounds.y1 - y0) & !table(&ROWS_BEFORE, bounds.y0 - y0);
    columns & rows
}

/// The value of an edge, shifted down by 8, at the centre of a region's upper left pixel. Where the edge does
/// not pass through the region, another value with the same sign everywhere in it.
#[inline(always)]
fn corner_value(edge: &Edge, (x0, y0): (i32, i32)) -> i32 {
    let value = edge.at(x0 * UNIT + UNIT / 2, y0 * UNIT + UNIT / 2) >> 8;
    // Within a region values change by less than that.
    value.clamp(-(1 << 30), 1 << 30) as i32
}

/// The pixels of a region whose centres lie inside of all edges, and in the rectangle, which may be larger
/// than the region. `WIDE`: with AVX-512, for which the caller is compiled.
#[inline(always)]
pub(crate) fn covered<const WIDE: bool, const EDGES: usize>(
    edges: [&Edge; EDGES],
    bounds: Rect,
    (x0, y0): (i32, i32),
) -> u64 {
    let bounds = bounds.intersect(Rect { x0, y0, x1: x0 + REGION, y1: y0 + REGION });
    let edges = edges.map(|edge| [corner_value(edge, (x0, y0)), edge.a, edge.b]);
    within(bounds, x0, y0) & covered_by::<WIDE, EDGES>(edges)
}

/// The pixels of a region inside of all edges: of each, the value at the upper left pixel's centre, and its
/// changes for a pixel in x and in y.
#[inline(always)]
fn covered_by<const WIDE: bool, const EDGES: usize>(edges: [[i32; 3]; EDGES]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        return unsafe { covered_wide(edges) };
    }
    nowhere_negative(edges)
}

/// # Safety
/// The processor has AVX-512 (F, DQ).
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
#[allow(unsafe_code)]
unsafe fn covered_wide<const EDGES: usize>(edges: [[i32; 3]; EDGES]) -> u64 {
    use std::arch::x86_64::{
        _mm512_add_epi32 as add, _mm512_loadu_si512 as load, _mm512_movepi32_mask as signs,
        _mm512_mullo_epi32 as multiply, _mm512_or_si512 as or, _mm512_set1_epi32 as splat,
        _mm512_setzero_si512 as zero,
    };
    // SAFETY: the arrays are as long as a register; the processor has the instructions.
    let (x, y) = unsafe { (load(LANE_X.as_ptr().cast()), load(LANE_Y.as_ptr().cast())) };
    let mut values =
        edges.map(|[value, a, b]| add(splat(value), add(multiply(splat(a), x), multiply(splat(b), y))));
    let steps = edges.map(|[_, _, b]| splat(2 * b));
    let mut outside = 0;
    for rows in 0..4 {
        let any = values.into_iter().fold(zero(), |any, value| or(any, value));
        outside |= u64::from(signs(any)) << (16 * rows);
        for (value, step) in values.iter_mut().zip(steps) {
            *value = add(*value, step);
        }
    }
    !outside
}

/// Where sixteen corners are in the window.
#[derive(Clone, Copy)]
pub(crate) struct Points<V: Vector> {
    pub(crate) x: V::Ints,
    pub(crate) y: V::Ints,
    /// Bits of `projected_vertices::side`.
    pub(crate) sides: V::Ints,
}

impl<V: Vector> Points<V> {
    /// Their coordinates.
    #[inline(always)]
    pub(crate) fn stored(&self) -> [[i32; LANES]; 2] {
        [V::store_ints(self.x), V::store_ints(self.y)]
    }

    /// The points where the others' mask holds.
    #[inline(always)]
    pub(crate) fn or(&self, mask: V::Mask, others: &Points<V>) -> Points<V> {
        Points {
            x: V::select(mask, others.x, self.x),
            y: V::select(mask, others.y, self.y),
            sides: self.sides,
        }
    }
}

/// Where pixels' centres are.
#[inline(always)]
pub(crate) fn centers<V: Vector>(pixels: V::Ints) -> V::Ints {
    V::add(V::units(pixels), V::ints(UNIT / 2))
}

/// An edge of each of sixteen triangles.
struct WideEdge<V: Vector> {
    from: Points<V>,
    /// Changes for a sub-pixel unit in x and in y.
    a: V::Ints,
    b: V::Ints,
    /// One where the edge's own points are outside.
    less: V::Ints,
}

/// The edges of sixteen triangles.
pub(crate) struct WideEdges<V: Vector> {
    edges: [WideEdge<V>; 3],
}

impl<V: Vector> WideEdges<V> {
    /// From the triangles' corners, and which of them have a negative area, whose order is turned.
    #[inline(always)]
    pub(crate) fn new(points: &[Points<V>; 3], negative: V::Mask) -> WideEdges<V> {
        let [p, q, r] = points;
        // So that the area is positive.
        let points = [*p, q.or(negative, r), r.or(negative, q)];
        let (zero, one) = (V::ints(0), V::ints(1));
        let edge = |at: usize| {
            let (from, to) = (&points[at], &points[(at + 1) % 3]);
            let (a, b) = (V::sub(from.y, to.y), V::sub(to.x, from.x));
            let top_left = V::either(V::less(zero, a), V::both(V::equal(a, zero), V::less(zero, b)));
            WideEdge { from: *from, a, b, less: V::select(top_left, zero, one) }
        };
        WideEdges { edges: [edge(0), edge(1), edge(2)] }
    }

    /// An edge's changes for a sub-pixel unit in x and in y, and its values at places of the window.
    #[inline(always)]
    pub(crate) fn at(&self, edge: usize, x: V::Ints, y: V::Ints) -> (V::Ints, V::Ints, V::Ints) {
        let WideEdge { ref from, a, b, less } = self.edges[edge];
        let across = V::mul(a, V::sub(x, from.x));
        let along = V::mul(b, V::sub(y, from.y));
        (a, b, V::sub(V::add(across, along), less))
    }
}

/// Changes for a pixel in x, in the lower half, and in y.
#[inline(always)]
pub(crate) fn steps<V: Vector>(a: V::Ints, b: V::Ints) -> [i32; LANES] {
    V::store_ints(V::or(V::and(a, V::ints(0xffff)), V::units(V::units(b))))
}

/// The edges of sixteen small triangles, at the upper left pixels of their regions.
pub(crate) struct SmallEdges {
    values: [[i32; LANES]; 3],
    /// Changes for a pixel in x, in the lower half, and in y.
    steps: [[i32; LANES]; 3],
}

/// The pixels of a column of quads, those of a quad behind each other; x in the lower half.
const COLUMN: [i32; LANES] = {
    let mut table = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        let (x, y) = (lane % 2, lane / 4 * 2 + lane / 2 % 2);
        table[lane] = (x | y << 16) as i32;
        lane += 1;
    }
    table
};

impl SmallEdges {
    /// From the triangles' corners, which of them have a negative area, and the regions' upper left pixels.
    /// Edges have no more than 13 bits in each direction; what is made of others is never asked for.
    #[inline(always)]
    pub(crate) fn new<V: Vector>(
        points: &[Points<V>; 3],
        negative: V::Mask,
        corner_x: V::Ints,
        corner_y: V::Ints,
    ) -> SmallEdges {
        let mut edges = SmallEdges { values: [[0; LANES]; 3], steps: [[0; LANES]; 3] };
        let wide = WideEdges::<V>::new(points, negative);
        let (center_x, center_y) = (centers::<V>(corner_x), centers::<V>(corner_y));
        for at in 0..3 {
            let (a, b, value) = wide.at(at, center_x, center_y);
            edges.values[at] = V::store_ints(V::pixels(value));
            edges.steps[at] = steps::<V>(a, b);
        }
        edges
    }

    /// The pixels of its region that a triangle covers.
    #[inline(always)]
    pub(crate) fn covered<V: Vector>(&self, lane: usize) -> u64 {
        let lane = lane % LANES;
        let [p, q, r] = &self.values;
        let [p_steps, q_steps, r_steps] = &self.steps;
        V::uncrossed([p[lane], q[lane], r[lane]], [p_steps[lane], q_steps[lane], r_steps[lane]], &COLUMN)
    }
}

/// Covered pixels of a region, that is cut where a tile ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Small {
    /// The region's upper left pixel, both coordinates even, x in the lower half.
    pub(crate) corner: u32,
    pub(crate) pixels: u64,
}

impl Small {
    /// The part in the columns before `columns`, which is even, and the rest, with a region that begins
    /// there.
    #[inline]
    pub(crate) fn split_columns(self, columns: u32) -> (Small, Small) {
        let before = COLUMNS_BEFORE[columns as usize & 15];
        let rest = (self.pixels & !before) >> (2 * columns);
        (
            Small { pixels: self.pixels & before, ..self },
            Small { corner: self.corner + columns, pixels: rest },
        )
    }

    /// The part in the rows before `rows`, which is even, and the rest, with a region that begins there.
    #[inline]
    pub(crate) fn split_rows(self, rows: u32) -> (Small, Small) {
        let before = ROWS_BEFORE[rows as usize & 15];
        let rest = (self.pixels & !before).checked_shr(8 * rows).unwrap_or(0);
        let corner = self.corner + (rows << 16);
        (Small { pixels: self.pixels & before, ..self }, Small { corner, pixels: rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::raster::shape::{Point, double_area};
    use pyro_util::cpu::Level;

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn wide(edges: &[Edge; 3], bounds: Rect, corner: (i32, i32)) -> u64 {
        covered::<true, 3>(edges.each_ref(), bounds, corner)
    }

    #[test]
    fn parts_make_the_whole() {
        let pixels = |small: Small| {
            let mut list = Vec::new();
            for bit in (0..64).filter(|bit| small.pixels >> bit & 1 == 1) {
                let (x, y) = (small.corner & 0xffff, small.corner >> 16);
                list.push((y + LANE_Y[bit % 16] as u32 + 2 * (bit as u32 / 16), x + LANE_X[bit % 16] as u32));
            }
            list.sort_unstable();
            list
        };
        for all in [u64::MAX, 0x1234_5678_9abc_def0, 0x8421_8421_8421_8421] {
            let small = Small { corner: 58 | 60 << 16, pixels: all };
            for cut in [2, 4, 6, 8] {
                let (left, right) = small.split_columns(cut);
                assert!(pixels(left).iter().all(|&(_, x)| x < 58 + cut));
                let mut both = pixels(left);
                both.extend(pixels(right));
                both.sort_unstable();
                assert_eq!(both, pixels(small));
                let (upper, lower) = small.split_rows(cut);
                assert!(pixels(lower).iter().all(|&(y, _)| y >= 60 + cut));
                let mut both = pixels(upper);
                both.extend(pixels(lower));
                assert_eq!(both, pixels(small));
            }
        }
    }

    #[test]
    fn every_pixel_is_as_its_edges_say() {
        let mut state = 1u32;
        let mut below = move |end: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state >> 4) * end as u64) >> 28) as i32
        };
        for round in 0..3000 {
            let reach = [600, 2000, 30_000, 7_000_000][round % 4];
            let mut point =
                || Point { x: 3000 + below(2 * reach) - reach, y: 1500 + below(2 * reach) - reach };
            let mut points = [point(), point(), point()];
            if double_area(points) < 0 {
                points.swap(1, 2);
            }
            let [p, q, r] = points;
            let edges = [Edge::between(p, q), Edge::between(q, r), Edge::between(r, p)];
            let (x0, y0) = (below(15), below(10));
            let bounds = Rect { x0, y0, x1: x0 + 1 + below(7), y1: y0 + 1 + below(7) };
            let (x0, y0) = region(bounds).expect("small");
            let mask = covered::<false, 3>(edges.each_ref(), bounds, (x0, y0));
            #[cfg(target_arch = "x86_64")]
            if Level::of_processor() == Level::Avx512 {
                // SAFETY: the processor has the instructions.
                #[allow(unsafe_code)]
                let wide = unsafe { wide(&edges, bounds, (x0, y0)) };
                assert_eq!(wide, mask);
            }
            for bit in 0..64 {
                let (lane, rows) = (bit % 16, bit / 16);
                let (x, y) = (x0 + LANE_X[lane], y0 + 2 * rows as i32 + LANE_Y[lane]);
                let inside = x >= bounds.x0 && x < bounds.x1 && y >= bounds.y0 && y < bounds.y1;
                let center = |at: i32| at * UNIT + UNIT / 2;
                let covered = edges.iter().all(|edge| edge.at(center(x), center(y)) >= 0);
                assert_eq!(mask >> bit & 1 == 1, inside && covered, "{round} {points:?} {x} {y}");
            }
        }
    }
}
