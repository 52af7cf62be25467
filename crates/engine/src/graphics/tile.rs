//! Rasterizes the primitives of one tile: which samples each covers, as quads.
//!
//! Blocks of 8 x 2 pixels, four quads side by side, are tested at once. A lane of a block is the pixel that it
//! will be in the subgroup.

use super::draw::{Draw, FragmentProgram, Rect};
use super::fragments::Fragments;
use super::output::TILE_PIXELS;
use super::raster::{Bresenham, Edge, RasterPrimitive, Shape, UNIT};
use pyro_abi::graphics::{MAX_SAMPLES, sample_positions};

/// Pixels of a block in x; it is two rows high.
const BLOCK_WIDTH: i32 = 8;
/// Lanes of a block.
const LANES: usize = 16;

/// The x and y of a lane's pixel within the block.
const LANE_X: [i32; LANES] = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7];
const LANE_Y: [i32; LANES] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1];

/// From how many pixels of a tile on a primitive counts as large.
const LARGE_PIXELS: i32 = 256;

/// An edge within a tile: its value, shifted down by 8, at a sample of the pixel at the region's corner.
#[derive(Clone, Copy, Default)]
struct TileEdge {
    /// Changes from lane to lane of a block.
    lanes: [i32; LANES],
    /// Change for a pixel in x and in y.
    a: i32,
    b: i32,
    /// Least value that a block's corner may have for any of its lanes to be inside.
    least: i32,
    /// The same for all samples of all lanes.
    all_least: i64,
    /// Values at the samples.
    values: [i32; MAX_SAMPLES as usize],
}

/// An edge that passes through a region: its value, shifted down by 8, at the centre of a pixel.
#[derive(Clone, Copy, Default)]
struct CenterEdge {
    value: i32,
    /// Change for a pixel in x and in y.
    a: i32,
    b: i32,
}

/// Edges at a pixel so far away.
#[inline]
fn crossing_at(edges: &[CenterEdge], dx: i32, dy: i32) -> [CenterEdge; 4] {
    let mut moved = [CenterEdge::default(); 4];
    for (moved, edge) in moved.iter_mut().zip(edges) {
        let value = edge.value.wrapping_add(edge.a.wrapping_mul(dx)).wrapping_add(edge.b.wrapping_mul(dy));
        *moved = CenterEdge { value, ..*edge };
    }
    moved
}

/// Draws primitives of one draw into one tile.
pub(crate) struct TileRasterizer<'a> {
    pub(crate) draw: &'a Draw,
    pub(crate) fragment: &'a FragmentProgram,
    pub(crate) fragments: &'a mut Fragments,
    pub(crate) tile: Rect,
}

/// The lanes of a block at (`x`, `y`) that lie in a rectangle.
fn inside(rect: Rect, x: i32, y: i32) -> u32 {
    if x >= rect.x0 && x + BLOCK_WIDTH <= rect.x1 && y >= rect.y0 && y + 2 <= rect.y1 {
        return (1 << LANES) - 1;
    }
    (0..LANES).fold(0, |mask, lane| {
        let (x, y) = (x + LANE_X[lane], y + LANE_Y[lane]);
        let within = x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1;
        mask | u32::from(within) << lane
    })
}

/// The lanes in which no edge's value is negative.
#[inline]
fn covered(edges: &[TileEdge], values: &[i32; 4], sample: usize) -> u32 {
    let mut signs = [0i32; LANES];
    for (edge, &value) in edges.iter().zip(values) {
        let value = value + (edge.values[sample] - edge.values[0]);
        for (sign, &lane) in signs.iter_mut().zip(&edge.lanes) {
            *sign |= value.wrapping_add(lane);
        }
    }
    let mut mask = 0;
    for (lane, sign) in signs.iter().enumerate() {
        mask |= (!sign as u32 >> 31) << lane;
    }
    mask
}

impl TileRasterizer<'_> {
    /// Draws one primitive.
    ///
    /// # Safety
    /// The contract of [`Fragments::flush`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn primitive(&mut self, primitive: &RasterPrimitive) {
        let bounds = primitive.bounds.intersect(self.tile);
        if bounds.is_empty() {
            return;
        }
        let pixels = (bounds.x1 - bounds.x0) * (bounds.y1 - bounds.y0);
        // SAFETY: the caller's contract, here and below.
        unsafe {
            self.fragments.begin_primitive(self.draw, self.fragment, primitive.setup, pixels >= LARGE_PIXELS);
            match &primitive.shape {
                Shape::Convex(edges, count) if self.draw.raster.samples <= 1 => {
                    self.convex_at_centers(bounds, &edges[..usize::from(*count)]);
                }
                Shape::Convex(edges, count) => self.convex(bounds, &edges[..usize::from(*count)]),
                Shape::Bresenham(line) => self.bresenham(bounds, line),
            }
            self.fragments.end_primitive(self.draw, self.fragment);
        }
    }

    /// A shape with one sample for each pixel, at its centre. Small shapes are the most frequent: there is
    /// little to prepare, and quads that an edge crosses are tested pixel by pixel.
    #[allow(unsafe_code)]
    unsafe fn convex_at_centers(&mut self, bounds: Rect, edges: &[Edge]) {
        let (x0, y0) = (bounds.x0 & !1, bounds.y0 & !1);
        let (width, height) = (bounds.x1 - x0, bounds.y1 - y0);
        let mut crossing = [CenterEdge::default(); 4];
        let mut count = 0;
        for edge in edges {
            let value = edge.at(x0 * UNIT + UNIT / 2, y0 * UNIT + UNIT / 2) >> 8;
            let (right, down) = (i64::from(edge.a) * i64::from(width), i64::from(edge.b) * i64::from(height));
            if value + right.max(0) + down.max(0) < 0 {
                return;
            }
            if value + right.min(0) + down.min(0) < 0 {
                // It passes through the region, so its values fit.
                crossing[count] = CenterEdge { value: value as i32, a: edge.a, b: edge.b };
                count += 1;
            }
        }
        let crossing = &crossing[..count];
        let in_blocks = x0 == bounds.x0 && y0 == bounds.y0 && width % BLOCK_WIDTH == 0 && height % 2 == 0;
        if crossing.is_empty() && in_blocks {
            // SAFETY: the caller's contract.
            unsafe { self.fragments.full_rect(self.draw, self.fragment, bounds) };
            return;
        }
        for y in (y0..bounds.y1).step_by(2) {
            let rows = (u32::from(y >= bounds.y0) * 0b0011) | (u32::from(y + 1 < bounds.y1) * 0b1100);
            let row = crossing_at(crossing, 0, y - y0);
            for first in (x0..bounds.x1).step_by(BLOCK_WIDTH as usize) {
                let block = crossing_at(&row[..count], first - x0, 0);
                let (mut outside, mut inside) = (false, true);
                for edge in &block[..count] {
                    let (right, down) = (edge.a * (BLOCK_WIDTH - 1), edge.b);
                    outside |= i64::from(edge.value) + i64::from(right.max(0)) + i64::from(down.max(0)) < 0;
                    inside &= i64::from(edge.value) + i64::from(right.min(0)) + i64::from(down.min(0)) >= 0;
                }
                if outside {
                    continue;
                }
                if inside && rows == 0b1111 && first >= bounds.x0 && first + BLOCK_WIDTH <= bounds.x1 {
                    // SAFETY: the caller's contract.
                    unsafe { self.fragments.full_block(self.draw, self.fragment, first, y) };
                    continue;
                }
                for x in (first..bounds.x1.min(first + BLOCK_WIDTH)).step_by(2) {
                    let columns =
                        (u32::from(x >= bounds.x0) * 0b0101) | (u32::from(x + 1 < bounds.x1) * 0b1010);
                    let mut mask = rows & columns;
                    if !inside {
                        let mut signs = [0; 4];
                        for edge in &block[..count] {
                            let upper = edge.value.wrapping_add(edge.a.wrapping_mul(x - first));
                            let lower = upper.wrapping_add(edge.b);
                            signs[0] |= upper;
                            signs[1] |= upper.wrapping_add(edge.a);
                            signs[2] |= lower;
                            signs[3] |= lower.wrapping_add(edge.a);
                        }
                        for (lane, sign) in signs.into_iter().enumerate() {
                            mask &= !((sign as u32 >> 31) << lane);
                        }
                    }
                    if mask != 0 {
                        let coverage = [mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3];
                        // SAFETY: the caller's contract.
                        unsafe { self.fragments.quad(self.draw, self.fragment, x, y, coverage) };
                    }
                }
            }
        }
    }

    #[allow(unsafe_code)]
    unsafe fn convex(&mut self, bounds: Rect, edges: &[Edge]) {
        let samples = sample_positions(self.draw.raster.samples.max(1));
        // Quads start at even pixels.
        let region = Rect { x0: bounds.x0 & !1, y0: bounds.y0 & !1, ..bounds };
        let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
        let mut tile_edges = [TileEdge::default(); 4];
        let mut count = 0;
        for edge in edges {
            let (right, down) = (i64::from(edge.a) * i64::from(width), i64::from(edge.b) * i64::from(height));
            let (mut somewhere, mut everywhere) = (false, true);
            let mut values = [0i64; MAX_SAMPLES as usize];
            for (value, &(x, y)) in values.iter_mut().zip(samples) {
                let (x, y) = (i32::from(x) * (UNIT / 16), i32::from(y) * (UNIT / 16));
                *value = edge.at(region.x0 * UNIT + x, region.y0 * UNIT + y) >> 8;
                somewhere |= *value + right.max(0) + down.max(0) >= 0;
                everywhere &= *value + right.min(0) + down.min(0) >= 0;
            }
            if !somewhere {
                return;
            }
            if everywhere {
                continue;
            }
            // The edge passes through the region for some sample, so its values fit.
            let clamp = |value: i64| value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            let mut tile_edge = TileEdge { a: edge.a, b: edge.b, ..TileEdge::default() };
            for (lane, change) in tile_edge.lanes.iter_mut().enumerate() {
                *change = LANE_X[lane].wrapping_mul(edge.a).wrapping_add(LANE_Y[lane].wrapping_mul(edge.b));
            }
            for (value, exact) in tile_edge.values.iter_mut().zip(values) {
                *value = clamp(exact);
            }
            let most = (edge.a * (BLOCK_WIDTH - 1)).max(0) + edge.b.max(0);
            let spread = tile_edge.values[..samples.len()].iter().max().unwrap_or(&0) - tile_edge.values[0];
            tile_edge.least = -most - spread;
            let fewest = i64::from((edge.a * (BLOCK_WIDTH - 1)).min(0) + edge.b.min(0));
            let lowest = tile_edge.values[..samples.len()].iter().min().unwrap_or(&0);
            tile_edge.all_least = i64::from(tile_edge.values[0]) - i64::from(*lowest) - fewest;
            tile_edges[count] = tile_edge;
            count += 1;
        }
        let tile_edges = &tile_edges[..count];
        let all_samples = ((1u64 << samples.len()) - 1) as u32;
        for y in (region.y0..region.y1).step_by(2) {
            for x in (region.x0..region.x1).step_by(BLOCK_WIDTH as usize) {
                let mut values = [0; 4];
                let (mut outside, mut inside_all) = (false, true);
                for (value, edge) in values.iter_mut().zip(tile_edges) {
                    *value = edge.values[0]
                        .wrapping_add(edge.a.wrapping_mul(x - region.x0))
                        .wrapping_add(edge.b.wrapping_mul(y - region.y0));
                    outside |= *value < edge.least;
                    inside_all &= i64::from(*value) >= edge.all_least;
                }
                if outside {
                    continue;
                }
                let within = inside(bounds, x, y);
                if inside_all && within == (1 << LANES) - 1 {
                    // SAFETY: the caller's contract.
                    unsafe { self.fragments.full_block(self.draw, self.fragment, x, y) };
                    continue;
                }
                let mut coverage = [0u32; LANES];
                let mut any = 0;
                if tile_edges.is_empty() {
                    any = within;
                    for (lane, coverage) in coverage.iter_mut().enumerate() {
                        *coverage = (within >> lane & 1) * all_samples;
                    }
                } else {
                    for sample in 0..samples.len() {
                        let mask = covered(tile_edges, &values, sample) & within;
                        any |= mask;
                        if mask == 0 {
                            continue;
                        }
                        for (lane, coverage) in coverage.iter_mut().enumerate() {
                            *coverage |= (mask >> lane & 1) << sample;
                        }
                    }
                }
                if any == 0 {
                    continue;
                }
                for quad in 0..LANES / 4 {
                    if any >> (4 * quad) & 0xf == 0 {
                        continue;
                    }
                    let lane = 4 * quad;
                    let lanes = [coverage[lane], coverage[lane + 1], coverage[lane + 2], coverage[lane + 3]];
                    // SAFETY: the caller's contract.
                    unsafe {
                        self.fragments.quad(self.draw, self.fragment, x + 2 * quad as i32, y, lanes);
                    }
                }
            }
        }
    }

    #[allow(unsafe_code)]
    unsafe fn bresenham(&mut self, bounds: Rect, line: &Bresenham) {
        // Pixels of one quad may come apart: all are collected first.
        let mut rows = [0u64; TILE_PIXELS as usize];
        line.pixels(bounds, |x, y| rows[(y - self.tile.y0) as usize] |= 1 << (x - self.tile.x0));
        // A pixel of such a line is covered in all samples.
        let all_samples = ((1u64 << self.draw.raster.samples.max(1)) - 1) as u32;
        for row in (0..rows.len()).step_by(2) {
            let mut columns = rows[row] | rows[row + 1];
            while columns != 0 {
                let column = columns.trailing_zeros() & !1;
                columns &= !(3 << column);
                let bit = |row: usize, column: u32| (rows[row] >> column & 1) as u32 * all_samples;
                let coverage =
                    [bit(row, column), bit(row, column + 1), bit(row + 1, column), bit(row + 1, column + 1)];
                let (x, y) = (self.tile.x0 + column as i32, self.tile.y0 + row as i32);
                // SAFETY: the caller's contract.
                unsafe { self.fragments.quad(self.draw, self.fragment, x, y, coverage) };
            }
        }
    }
}
