//! Coverage of small triangles: all pixels of a region of eight by eight are tested at once.

use super::draw::Rect;
use super::raster::{Edge, UNIT};

/// Pixels of a region in x and y.
pub(crate) const REGION: i32 = 8;

/// Lanes of two rows of a region, four quads side by side.
const LANES: usize = 16;
const LANE_X: [i32; LANES] = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7];
const LANE_Y: [i32; LANES] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1];

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

/// The pixels of a region, from (`x0`, `y0`) on, in a rectangle: bits in the order of quads, four for each, as lanes
/// of a subgroup are; four quads for each two rows.
#[inline(always)]
fn within(bounds: Rect, x0: i32, y0: i32) -> u64 {
    let table = |table: &[u64; 16], at: i32| table[at as usize & 15];
    let columns = table(&COLUMNS_BEFORE, bounds.x1 - x0) & !table(&COLUMNS_BEFORE, bounds.x0 - x0);
    let rows = table(&ROWS_BEFORE, bounds.y1 - y0) & !table(&ROWS_BEFORE, bounds.y0 - y0);
    columns & rows
}

/// The value of an edge, shifted down by 8, at the centre of a region's upper left pixel. Where the edge does not pass
/// through the region, another value with the same sign everywhere in it.
#[inline(always)]
fn corner_value(edge: &Edge, (x0, y0): (i32, i32)) -> i32 {
    let value = edge.at(x0 * UNIT + UNIT / 2, y0 * UNIT + UNIT / 2) >> 8;
    // Within a region values change by less than that.
    value.clamp(-(1 << 30), 1 << 30) as i32
}

/// The pixels of a region whose centres lie inside of all edges, and in the rectangle. `WIDE`: with AVX-512, for which
/// the caller is compiled.
#[inline(always)]
pub(crate) fn covered<const WIDE: bool>(edges: [&Edge; 3], bounds: Rect, corner: (i32, i32)) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: the caller is compiled for AVX-512.
        #[allow(unsafe_code)]
        let outside = unsafe { outside_wide(edges, corner) };
        return within(bounds, corner.0, corner.1) & !outside;
    }
    let mut outside = 0;
    for edge in edges {
        let value = corner_value(edge, corner);
        for bit in 0..64 {
            let (x, y) = (LANE_X[bit % LANES], LANE_Y[bit % LANES] + 2 * (bit / LANES) as i32);
            outside |= u64::from((value + x * edge.a + y * edge.b) as u32 >> 31) << bit;
        }
    }
    within(bounds, corner.0, corner.1) & !outside
}

/// A bit for each pixel that lies outside of an edge.
///
/// # Safety
/// The caller is compiled for AVX-512 (F, DQ).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn outside_wide(edges: [&Edge; 3], corner: (i32, i32)) -> u64 {
    use std::arch::x86_64::{
        _mm512_add_epi32 as add, _mm512_loadu_si512 as load, _mm512_movepi32_mask as signs,
        _mm512_mullo_epi32 as multiply, _mm512_or_si512 as or, _mm512_set1_epi32 as splat,
    };
    // SAFETY: the arrays are as long as a register; the processor has the instructions.
    unsafe {
        let (x, y) = (load(LANE_X.as_ptr().cast()), load(LANE_Y.as_ptr().cast()));
        let mut values = [splat(0); 3];
        for (value, edge) in values.iter_mut().zip(edges) {
            let along = add(multiply(splat(edge.a), x), multiply(splat(edge.b), y));
            *value = add(splat(corner_value(edge, corner)), along);
        }
        let steps = edges.map(|edge| splat(2 * edge.b));
        let mut outside = 0;
        for rows in 0..4 {
            let any = or(or(values[0], values[1]), values[2]);
            outside |= u64::from(signs(any)) << (16 * rows);
            for (value, step) in values.iter_mut().zip(steps) {
                *value = add(*value, step);
            }
        }
        outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::raster::{Point, double_area};
    use pyro_util::cpu::Level;

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn wide(edges: &[Edge; 3], bounds: Rect, corner: (i32, i32)) -> u64 {
        covered::<true>(edges.each_ref(), bounds, corner)
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
            let mask = covered::<false>(edges.each_ref(), bounds, (x0, y0));
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
