//! Fragments of several pixels: which rate primitives and places have, and how the pixels that a primitive
//! covers become fragments. And pixels that a primitive covers as a whole.

use crate::graphics::raster::shape::{Edge, UNIT};
use crate::graphics::raster::tiles::TILE_PIXELS;
use crate::graphics::state::shading_rate::BlockShading;
use pyro_abi::graphics::{FULLY_COVERED, Rate};

/// Where the pixels are that lie in a primitive as a whole: where all of these edges hold at the centre. None
/// at all for primitives without an area.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Area([Edge; 4], usize);

impl Area {
    /// Within so many edges, at most four.
    pub(crate) fn new(edges: &[Edge]) -> Area {
        let mut area = Area([Edge::default(); 4], edges.len().min(4));
        area.0.iter_mut().zip(edges).for_each(|(to, edge)| *to = *edge);
        area
    }

    /// Marks the pixels of a quad that are covered.
    pub(crate) fn mark(&self, x: i32, y: i32, mut coverage: [u32; 4]) -> [u32; 4] {
        let edges = &self.0[..self.1];
        for (lane, coverage) in (0..).zip(&mut coverage).filter(|(_, coverage)| **coverage != 0) {
            let center = [x + (lane & 1), y + (lane >> 1)].map(|at: i32| at * UNIT + UNIT / 2);
            if !edges.is_empty() && edges.iter().all(|edge| edge.at(center[0], center[1]) >= 0) {
                *coverage |= FULLY_COVERED;
            }
        }
        coverage
    }
}

/// Pixels of a block in which all fragments have one size.
const BLOCK: i32 = 8;
/// Blocks of a tile in x and y.
const BLOCKS: usize = (TILE_PIXELS / BLOCK) as usize;

/// The pixels of a tile that a primitive covers.
pub(crate) struct Covered {
    /// Samples by pixel, row by row.
    samples: Box<[u16; (TILE_PIXELS * TILE_PIXELS) as usize]>,
    /// For each row of blocks, those that have a pixel.
    blocks: [u8; BLOCKS],
    /// The tile's upper left pixel.
    corner: [i32; 2],
}

impl Default for Covered {
    fn default() -> Covered {
        let samples = Box::new([0; (TILE_PIXELS * TILE_PIXELS) as usize]);
        Covered { samples, blocks: [0; BLOCKS], corner: [0; 2] }
    }
}

impl Covered {
    /// Adds a quad by its upper left pixel and the samples that each of its pixels covers.
    pub(crate) fn add(&mut self, x: i32, y: i32, coverage: [u32; 4]) {
        let [column, row] = [x, y].map(|at| (at % TILE_PIXELS) as usize);
        self.corner = [x - column as i32, y - row as i32];
        for (lane, samples) in coverage.into_iter().enumerate() {
            let at = (row + lane / 2) * TILE_PIXELS as usize + column + lane % 2;
            self.samples[at] |= samples as u16;
        }
        self.blocks[row / BLOCK as usize] |= 1 << (column / BLOCK as usize);
    }

    /// Takes all blocks: calls `f` with each way of shading that there is and the quads of fragments that
    /// have it, by their upper left pixel and coverage. `shading`: that of the block with this upper left
    /// pixel.
    pub(crate) fn take(
        &mut self,
        samples: u32,
        shading: impl Fn([i32; 2]) -> BlockShading,
        mut f: impl FnMut(BlockShading, [i32; 2], [u32; 4]),
    ) {
        let mut shadings = [[BlockShading::once(Rate::PIXEL); BLOCKS]; BLOCKS];
        // Sizes with one invocation, and numbers of invocations of one pixel.
        let (mut rates, mut numbers) = (0u32, 0u32);
        for (row, blocks) in self.blocks.iter().enumerate() {
            for column in (0..BLOCKS).filter(|column| blocks >> column & 1 != 0) {
                let shading = shading(self.block(column, row));
                shadings[row][column] = shading;
                match shading.invocations {
                    1 => rates |= 1 << shading.rate.bits(),
                    number => numbers |= u32::from(number),
                }
            }
        }
        let once = Rate::ALL.into_iter().filter(|rate| rates >> rate.bits() & 1 != 0).map(BlockShading::once);
        let often = [2, 4, 8, 16].into_iter().filter(|&number| numbers & u32::from(number) != 0);
        let often = often.map(|invocations| BlockShading { rate: Rate::PIXEL, invocations });
        for shading in once.chain(often) {
            for (row, blocks) in self.blocks.iter().enumerate() {
                for column in (0..BLOCKS).filter(|column| blocks >> column & 1 != 0) {
                    if shadings[row][column] == shading {
                        let mut with = |corner, coverage| f(shading, corner, coverage);
                        self.quads_of(samples, shading.rate, self.block(column, row), &mut with);
                    }
                }
            }
        }
        for (row, blocks) in self.blocks.iter_mut().enumerate().filter(|(_, blocks)| **blocks != 0) {
            let pixels = BLOCK as usize * TILE_PIXELS as usize;
            self.samples[row * pixels..][..pixels].fill(0);
            *blocks = 0;
        }
    }

    /// The upper left pixel of a block.
    fn block(&self, column: usize, row: usize) -> [i32; 2] {
        [self.corner[0] + column as i32 * BLOCK, self.corner[1] + row as i32 * BLOCK]
    }

    /// The quads of a block.
    fn quads_of(&self, samples: u32, rate: Rate, [x0, y0]: [i32; 2], f: &mut impl FnMut([i32; 2], [u32; 4])) {
        let (width, height) = (1 << rate.x, 1 << rate.y);
        for y in (y0..y0 + BLOCK).step_by(2 * height) {
            for x in (x0..x0 + BLOCK).step_by(2 * width) {
                let [column, line] = [x - self.corner[0], y - self.corner[1]].map(|at| at as usize);
                let coverage = [0, 1, 2, 3].map(|lane: usize| {
                    let [left, top] = [column + lane % 2 * width, line + lane / 2 * height];
                    // The first pixel ends up with the uppermost bits.
                    (0..height).fold(0u32, |coverage, row| {
                        let row = &self.samples[(top + row) * TILE_PIXELS as usize + left..][..width];
                        row.iter().fold(coverage, |coverage, &pixel| {
                            coverage.checked_shl(samples).unwrap_or(0) | u32::from(pixel)
                        })
                    })
                });
                if coverage != [0; 4] {
                    f([x, y], coverage);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::state::{Combiner, ShadingRate};

    #[test]
    fn pixels_become_fragments() {
        let mut covered = Covered::default();
        covered.add(66, 4, [1, 0, 1, 1]);
        covered.add(72, 4, [0, 0, 0, 1]);
        let rate = |place: [i32; 2]| {
            BlockShading::once(if place[0] == 64 { Rate { x: 1, y: 1 } } else { Rate { x: 2, y: 0 } })
        };
        let mut found = Vec::new();
        covered.take(1, rate, |shading, corner, coverage| found.push((shading.rate, corner, coverage)));
        // The second block's fragments are four by one pixels, the pixel (9, 5) is the second of the lower
        // left one.
        let wide = (Rate { x: 2, y: 0 }, [72, 4], [0, 0, 0b0100, 0]);
        assert_eq!(found, [wide, (Rate { x: 1, y: 1 }, [64, 4], [0, 0b1011, 0, 0])]);
        covered.take(1, rate, |_, _, _| panic!("all of them were taken"));
    }

    #[test]
    fn rates_are_combined() {
        let (wide, tall) = (Rate { x: 2, y: 0 }, Rate { x: 0, y: 1 });
        let both = Rate { x: 2, y: 1 };
        assert_eq!(Combiner::Keep.combine(wide, tall), wide);
        assert_eq!(Combiner::Replace.combine(wide, tall), tall);
        assert_eq!(Combiner::Min.combine(wide, tall), Rate::PIXEL);
        assert_eq!(Combiner::Max.combine(wide, tall), both);
        assert_eq!(Combiner::Mul.combine(wide, tall), both);
        let rate = ShadingRate { pipeline: wide, combiners: [Combiner::Mul; 2], ..ShadingRate::default() };
        assert_eq!(rate.of_primitive(wide.bits(), 1), wide);
        // Of four by two pixels with eight samples only four pixels fit, most of them squares.
        assert_eq!(rate.of_primitive(tall.bits(), 8), Rate { x: 1, y: 1 });
    }
}
