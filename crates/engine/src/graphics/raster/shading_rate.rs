//! Fragments of several pixels: which rate primitives and places have, and how the pixels that a primitive covers
//! become fragments. And pixels that a primitive covers as a whole.

use crate::graphics::raster::binning::TILE_PIXELS;
use crate::graphics::raster::shape::{Edge, UNIT};
use pyro_abi::Memory;
use pyro_abi::graphics::{FULLY_COVERED, Rate};

/// `VkFragmentShadingRateCombinerOpKHR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Combiner {
    /// The first of two.
    #[default]
    Keep,
    /// The second.
    Replace,
    /// The smaller one, in each direction.
    Min,
    /// The larger one, in each direction.
    Max,
    /// Their product, in each direction.
    Mul,
}

impl Combiner {
    /// What it makes of two rates; sizes may be up to 16.
    pub fn combine(self, a: Rate, b: Rate) -> Rate {
        match self {
            Combiner::Keep => a,
            Combiner::Replace => b,
            Combiner::Min => Rate { x: a.x.min(b.x), y: a.y.min(b.y) },
            Combiner::Max => Rate { x: a.x.max(b.x), y: a.y.max(b.y) },
            Combiner::Mul => Rate { x: a.x + b.x, y: a.y + b.y },
        }
    }
}

/// What the texels of an attachment of rates are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RateTexels {
    /// A byte, as [`Rate::bits`] has it.
    #[default]
    Rates,
    /// Two bytes: fragments for each pixel in x and y, 255 of 255 being one (a fragment density map).
    Densities,
}

impl RateTexels {
    /// The rate of the texel that begins at an address.
    fn rate(self, view: Memory, row: u64, x: u32) -> Rate {
        match self {
            RateTexels::Rates => Rate::from_bits(view.load::<u8>(row + u64::from(x)).into()),
            RateTexels::Densities => {
                let density = |at: u64| view.load::<u8>(row + 2 * u64::from(x) + at);
                // Never more than one over the density.
                let size = |density: u8| match density {
                    0..=63 => 4,
                    64..=127 => 2,
                    _ => 1,
                };
                Rate::from_size(size(density(0)), size(density(1)))
            }
        }
    }
}

/// A fragment shading rate attachment, or a fragment density map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateAttachment {
    /// Address of its texel (0, 0) of layer 0.
    pub address: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u32,
    /// Bytes from one layer to the next; zero where all layers have the same rates.
    pub layer_pitch: u32,
    /// Texels in x and y: those outside read as zero.
    pub extent: [u32; 2],
    /// Logarithms of the pixels that a texel stands for; at least 3, blocks of eight by eight pixels.
    pub texel: [u32; 2],
    /// What texels are.
    pub texels: RateTexels,
}

/// How a draw's fragments get their sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadingRate {
    /// That of the pipeline.
    pub pipeline: Rate,
    /// How it is combined with the primitive's, and the result with the attachment's.
    pub combiners: [Combiner; 2],
    /// The attachment; none: fragments of one pixel there.
    pub attachment: Option<RateAttachment>,
}

impl ShadingRate {
    /// The rate of pipeline and primitive. `bits`: what the vertex stage gives.
    pub(crate) fn of_primitive(&self, bits: u32, samples: u32) -> Rate {
        let primitive = Rate::from_bits(bits).clamped(samples);
        self.combiners[0].combine(self.pipeline.clamped(samples), primitive).clamped(samples)
    }

    /// The rate at a pixel of a layer.
    pub(crate) fn at(&self, view: Memory, primitive: CoarsePrimitive, pixel: [i32; 2], samples: u32) -> Rate {
        let CoarsePrimitive { rate, layer } = primitive;
        let attachment = self.attachment.as_ref().map_or(Rate::PIXEL, |attachment| {
            let [x, y] = [0, 1].map(|axis| pixel[axis] as u32 >> attachment.texel[axis]);
            if x >= attachment.extent[0] || y >= attachment.extent[1] {
                return Rate::PIXEL;
            }
            let row = u64::from(y) * u64::from(attachment.row_pitch);
            let offset = row + u64::from(layer) * u64::from(attachment.layer_pitch);
            attachment.texels.rate(view, attachment.address + offset, x)
        });
        let attachment = attachment.clamped(samples);
        self.combiners[1].combine(rate, attachment).clamped(samples)
    }
}

/// Where the pixels are that lie in a primitive as a whole: where all of these edges hold at the centre. None at all for
/// primitives without an area.
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

/// What the rates of a primitive's fragments come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CoarsePrimitive {
    /// That of pipeline and primitive.
    pub(crate) rate: Rate,
    /// Layers are fewer.
    pub(crate) layer: u16,
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

    /// Takes all blocks: calls `f` with each rate that there is and the quads of fragments that have it, by their upper
    /// left pixel and coverage. `rate`: that of the block with this upper left pixel.
    pub(crate) fn take(
        &mut self,
        samples: u32,
        rate: impl Fn([i32; 2]) -> Rate,
        mut f: impl FnMut(Rate, [i32; 2], [u32; 4]),
    ) {
        let mut rates = [[Rate::PIXEL; BLOCKS]; BLOCKS];
        let mut present = 0u32;
        for (row, blocks) in self.blocks.iter().enumerate() {
            for column in (0..BLOCKS).filter(|column| blocks >> column & 1 != 0) {
                let rate = rate(self.block(column, row));
                rates[row][column] = rate;
                present |= 1 << rate.bits();
            }
        }
        for rate in Rate::ALL.into_iter().filter(|rate| present >> rate.bits() & 1 != 0) {
            for (row, blocks) in self.blocks.iter().enumerate() {
                for column in (0..BLOCKS).filter(|column| blocks >> column & 1 != 0) {
                    if rates[row][column] == rate {
                        self.quads_of(samples, rate, self.block(column, row), &mut f);
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
    fn quads_of(
        &self,
        samples: u32,
        rate: Rate,
        [x0, y0]: [i32; 2],
        f: &mut impl FnMut(Rate, [i32; 2], [u32; 4]),
    ) {
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
                    f(rate, [x, y], coverage);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_become_fragments() {
        let mut covered = Covered::default();
        covered.add(66, 4, [1, 0, 1, 1]);
        covered.add(72, 4, [0, 0, 0, 1]);
        let rate = |place: [i32; 2]| if place[0] == 64 { Rate { x: 1, y: 1 } } else { Rate { x: 2, y: 0 } };
        let mut found = Vec::new();
        covered.take(1, rate, |rate, corner, coverage| found.push((rate, corner, coverage)));
        // The second block's fragments are four by one pixels, the pixel (9, 5) is the second of the lower left one.
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
        let rate = ShadingRate { pipeline: wide, combiners: [Combiner::Mul; 2], attachment: None };
        assert_eq!(rate.of_primitive(wide.bits(), 1), wide);
        // Of four by two pixels with eight samples only four pixels fit, most of them squares.
        assert_eq!(rate.of_primitive(tall.bits(), 8), Rate { x: 1, y: 1 });
    }
}
