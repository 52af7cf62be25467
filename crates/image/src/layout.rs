//! Where the texels of an image lie: levels, layers, slices and samples at offsets, rows of texels (or
//! blocks) one behind the other.
//!
//! All of one layer lies together, level behind level, so that a layer range is one range of bytes; samples
//! are planes within a level. An image takes less than 2 GiB, so that generated code computes offsets in 32
//! bits.

use crate::format::Format;
use pyro_abi::ImageRecord;
use pyro_abi::image::{LEVELS_MAX, level_extent};
use pyro_abi::sparse::BLOCK_BITS;

/// The largest image in bytes: 32-bit offsets of accesses are below 2^31 (`pyro_ir::MemoryOp`).
pub const BYTES_MAX: u32 = i32::MAX as u32;
/// Largest extent of one- and two-dimensional images and of cubes (`maxImageDimension2D`).
pub const EXTENT_MAX: u32 = 16384;
/// Largest extent of three-dimensional images (`maxImageDimension3D`).
pub const EXTENT_3D_MAX: u32 = 2048;
/// Most layers (`maxImageArrayLayers`).
pub const LAYERS_MAX: u32 = 2048;
/// Most elements of a texel buffer (`maxTexelBufferElements`).
pub const TEXEL_BUFFER_ELEMENTS_MAX: u32 = 1 << 27;
/// Alignment of an image's memory, of levels and of layers.
pub const ALIGNMENT: u32 = 64;
/// Alignment of rows: whole cache lines.
const ROW_ALIGNMENT: u64 = 64;
/// Of rows so far apart, the same columns fall into few sets of a first-level cache, which holds few of them
/// then: such rows are a line longer.
const ROW_CONFLICT: u64 = 1024;

/// How texels (blocks, of compressed formats) of a sparse image lie within a block of memory: rows of them,
/// the extents being powers of two, and of several samples one plane behind the other. These are Vulkan's
/// standard sparse image block shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The logarithms of the extents in x, y, z.
    pub bits: [u32; 3],
}

impl Tile {
    /// The tile of a format and so many samples, if there is one.
    pub fn of(format: Format, is_3d: bool, samples: u32) -> Option<Tile> {
        let bytes = format.block_bytes();
        let flat = [[8, 8, 0], [8, 7, 0], [7, 7, 0], [7, 6, 0], [6, 6, 0]];
        let deep = [[6, 5, 5], [5, 5, 5], [5, 5, 4], [5, 4, 4], [4, 4, 4]];
        let shapes = if is_3d { deep } else { flat };
        let bits = shapes.get(bytes.ilog2() as usize).filter(|_| bytes.is_power_of_two());
        let &[x, y, z] = bits.filter(|_| samples == 1 || !is_3d && !format.is_compressed())?;
        // Each time that samples double, x and y halve in turn.
        let halvings = samples.ilog2();
        Some(Tile { bits: [x - halvings.div_ceil(2), y - halvings / 2, z] })
    }

    /// Bytes from one sample to the next.
    pub fn sample_pitch(self, format: Format) -> u32 {
        format.block_bytes() << self.bits.iter().sum::<u32>()
    }

    /// Its extent in texels of the format.
    pub fn extent(self, format: Format) -> [u32; 3] {
        let block = format.block_extent();
        [0, 1, 2].map(|axis| block[axis] << self.bits[axis])
    }
}

/// What decides a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageShape {
    /// The format.
    pub format: Format,
    /// Texels of the first level in x, y, z; 1 where the image has no such dimension.
    pub extent: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples of a texel: 1, 2, 4, 8, 16.
    pub samples: u32,
    /// `VK_IMAGE_TYPE_3D`: the third dimension halves from level to level.
    pub is_3d: bool,
    /// `VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV`: halves are rounded up.
    pub corner_sampled: bool,
}

/// Why an image has no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Something is zero, or there are more levels than halvings.
    #[error("an image of impossible shape")]
    Impossible,
    /// Larger than the limits above, or than [`BYTES_MAX`].
    #[error("an image larger than the limits")]
    TooLarge,
}

/// One level's place. In tiles, rows are rows of tiles, and slices those of tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelLayout {
    /// Bytes from the layer's start.
    pub offset: u32,
    /// Bytes from one row of texels or blocks to the next.
    pub row_pitch: u32,
    /// Bytes from one slice (z) to the next; of a sample.
    pub slice_pitch: u32,
    /// Bytes of the level within a layer: all slices and samples.
    pub size: u32,
    /// Texels in x, y, z.
    pub extent: [u32; 3],
}

/// The layout of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLayout {
    /// What was laid out.
    pub shape: ImageShape,
    /// The levels.
    pub levels: Vec<LevelLayout>,
    /// Bytes from one layer to the next.
    pub layer_pitch: u32,
    /// Bytes of all layers.
    pub size: u32,
    /// How texels lie in blocks of memory, of sparse images.
    pub tile: Option<Tile>,
}

/// Levels of a complete chain, the largest extent being so many texels (Vulkan, "Image Mip Level Sizing").
pub const fn chain_levels(largest: u32, corner_sampled: bool) -> u32 {
    match largest.checked_sub(1) {
        None => 0,
        Some(steps) if corner_sampled && steps > 0 => steps.ilog2() + 1,
        Some(_) => largest.ilog2() + 1,
    }
}

/// A number of bytes that an image may have.
fn fit(value: u64) -> Result<u32, LayoutError> {
    u32::try_from(value).ok().filter(|&value| value <= BYTES_MAX).ok_or(LayoutError::TooLarge)
}

/// Bytes behind the last texels of a level that are read with them: attachments with texels of four bytes are
/// read in quads of two by two, of which the last ones may begin in the last column and row.
fn bytes_beside(format: Format, extent: [u32; 3], row_pitch: u64) -> u64 {
    let is_read = format.block_bytes() == 4;
    if is_read { u64::from(extent[1] & 1) * row_pitch + 4 * u64::from(extent[0] & 1) } else { 0 }
}

impl ImageLayout {
    /// Lays an image out.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn new(shape: ImageShape) -> Result<ImageLayout, LayoutError> {
        ImageLayout::rows(shape, true)
    }

    /// Lays an image out in the fewest bytes: rows follow each other without gaps.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn dense(shape: ImageShape) -> Result<ImageLayout, LayoutError> {
        ImageLayout::rows(shape, false)
    }

    fn rows(shape: ImageShape, is_padded: bool) -> Result<ImageLayout, LayoutError> {
        let ImageShape { format, extent, levels, layers, samples, is_3d, corner_sampled } = shape;
        let largest = extent.into_iter().max().unwrap_or(0);
        let smallest = extent.into_iter().min().unwrap_or(0);
        if smallest == 0 || levels == 0 || layers == 0 || !samples.is_power_of_two() {
            return Err(LayoutError::Impossible);
        }
        let limit = if is_3d { EXTENT_3D_MAX } else { EXTENT_MAX };
        if largest > limit || layers > LAYERS_MAX || samples > 16 || (!is_3d && extent[2] > 1) {
            return Err(LayoutError::TooLarge);
        }
        let is_deep = format.block_extent()[2] > 1;
        if levels > chain_levels(largest, corner_sampled) || levels as usize > LEVELS_MAX || is_deep && !is_3d
        {
            return Err(LayoutError::Impossible);
        }
        let (block, bytes) = (format.block_extent(), u64::from(format.block_bytes()));
        let mut end = 0u64;
        let mut places = Vec::with_capacity(levels as usize);
        for level in 0..levels {
            let extent = extent.map(|extent| level_extent(extent, level, corner_sampled));
            let blocks = [0, 1, 2].map(|axis| u64::from(extent[axis].div_ceil(block[axis])));
            let tight = match (blocks[0], bytes) {
                // Filters read texels of four bytes two by two.
                (1, 4) => 8,
                (columns, _) => columns * bytes,
            };
            // Rows of several cache lines begin at one; small ones stay dense. A row is always a whole
            // number of texels.
            let row = match tight.checked_next_multiple_of(ROW_ALIGNMENT) {
                Some(padded) if is_padded && bytes.is_power_of_two() && tight > 4 * ROW_ALIGNMENT => {
                    if padded.is_multiple_of(ROW_CONFLICT) { padded + ROW_ALIGNMENT } else { padded }
                }
                _ => tight,
            };
            let slice = row * blocks[1];
            let size = slice * blocks[2] * u64::from(samples);
            places.push(LevelLayout {
                offset: fit(end)?,
                row_pitch: fit(row)?,
                slice_pitch: fit(slice)?,
                size: fit(size)?,
                extent,
            });
            let beside = bytes_beside(format, extent, row);
            end = (end + size + beside).next_multiple_of(ALIGNMENT.into());
        }
        // An exact size of one layer would do for the last, but whole lines are simpler to copy and clear.
        let size = end * u64::from(layers);
        Ok(ImageLayout { shape, levels: places, layer_pitch: fit(end)?, size: fit(size)?, tile: None })
    }

    /// Lays an image of one level, layer and sample out whose rows begin so many bytes apart.
    ///
    /// # Errors
    /// See [`LayoutError`]; impossible where rows overlap or do not hold whole texels.
    pub fn with_row_pitch(shape: ImageShape, row_pitch: u32) -> Result<ImageLayout, LayoutError> {
        let mut layout = ImageLayout::new(shape)?;
        let (block, bytes) = (shape.format.block_extent(), shape.format.block_bytes());
        let tight = u64::from(shape.extent[0].div_ceil(block[0])) * u64::from(bytes);
        let is_plain = shape.levels == 1 && shape.layers == 1 && shape.samples == 1 && !shape.is_3d;
        if !is_plain || u64::from(row_pitch) < tight || !row_pitch.is_multiple_of(bytes) {
            return Err(LayoutError::Impossible);
        }
        let slice = u64::from(row_pitch) * u64::from(shape.extent[1].div_ceil(block[1]));
        let beside = bytes_beside(shape.format, shape.extent, row_pitch.into());
        let end = fit((slice + beside).next_multiple_of(ALIGNMENT.into()))?;
        let level = &mut layout.levels[0];
        (level.row_pitch, level.slice_pitch, level.size) = (row_pitch, fit(slice)?, fit(slice)?);
        (layout.layer_pitch, layout.size) = (end, end);
        Ok(layout)
    }

    /// Lays a sparse image out, whose levels are whole tiles.
    ///
    /// # Errors
    /// See [`LayoutError`]; impossible where the format has no tile.
    pub fn tiled(shape: ImageShape) -> Result<ImageLayout, LayoutError> {
        let mut layout = ImageLayout::new(shape)?;
        let ImageShape { format, layers, is_3d, .. } = shape;
        let tile = Tile::of(format, is_3d, shape.samples).ok_or(LayoutError::Impossible)?;
        let extent = tile.extent(format);
        let mut end = 0u64;
        for level in &mut layout.levels {
            let tiles = [0, 1, 2].map(|axis| u64::from(level.extent[axis].div_ceil(extent[axis])));
            let row = tiles[0] << BLOCK_BITS;
            let slice = row * tiles[1];
            (level.row_pitch, level.slice_pitch) = (fit(row)?, fit(slice)?);
            (level.offset, level.size) = (fit(end)?, fit(slice * tiles[2])?);
            end += slice * tiles[2];
        }
        (layout.layer_pitch, layout.size) = (fit(end)?, fit(end * u64::from(layers))?);
        layout.tile = Some(tile);
        Ok(layout)
    }

    /// The first level that is smaller than a tile in some dimension, so that it and all after it are bound
    /// together; as many as there are levels where none is. Of images in rows, the first.
    pub fn tail(&self) -> u32 {
        let Some(tile) = self.tile else { return 0 };
        let extent = tile.extent(self.shape.format);
        let axes = if self.shape.is_3d { 3 } else { 2 };
        let small = |level: &LevelLayout| (0..axes).any(|axis| level.extent[axis] < extent[axis]);
        self.levels.iter().position(small).unwrap_or(self.levels.len()) as u32
    }

    /// Bytes from the image's first to texel (or block) (x, y, z), of `level`, `layer`, `sample`; all three
    /// are counted in blocks. None is checked.
    pub fn offset(&self, level: u32, layer: u32, sample: u32, [x, y, z]: [u32; 3]) -> u64 {
        let place = &self.levels[level as usize];
        if let Some(tile) = self.tile {
            let [in_x, in_y, in_z] = tile.bits;
            let within = |index: u32, bits: u32| u64::from(index & ((1 << bits) - 1));
            let texel = within(x, in_x) + (within(y, in_y) << in_x) + (within(z, in_z) << (in_x + in_y));
            return u64::from(layer) * u64::from(self.layer_pitch)
                + u64::from(place.offset)
                + (u64::from(x >> in_x) << BLOCK_BITS)
                + u64::from(y >> in_y) * u64::from(place.row_pitch)
                + u64::from(z >> in_z) * u64::from(place.slice_pitch)
                + u64::from(sample) * u64::from(tile.sample_pitch(self.shape.format))
                + texel * u64::from(self.shape.format.block_bytes());
        }
        u64::from(layer) * u64::from(self.layer_pitch)
            + u64::from(place.offset)
            + u64::from(sample) * u64::from(place.slice_pitch)
            + u64::from(z) * u64::from(place.slice_pitch)
            + u64::from(y) * u64::from(place.row_pitch)
            + u64::from(x) * u64::from(self.shape.format.block_bytes())
    }

    /// The record of a view of the image: `address` is the image's memory. `levels` and `layers` are ranges
    /// (first, count) inside the image; of a three-dimensional image seen as an array, `layers` are slices of
    /// its only level. `functions` and `view` are left zero, for the resolver. A view with a format of other
    /// block extent (uncompressed view of a compressed image) has the extent in blocks.
    ///
    /// # Panics
    /// When a range is not inside the image.
    pub fn view(
        &self,
        address: u64,
        levels: (u32, u32),
        layers: (u32, u32),
        slices_as_layers: bool,
        view_format: Format,
    ) -> ImageRecord {
        let (first, count) = levels;
        let base = self.levels[first as usize];
        let (layer_pitch, origin) = if slices_as_layers {
            (base.slice_pitch, u64::from(base.offset) + u64::from(layers.0) * u64::from(base.slice_pitch))
        } else {
            let layer = u64::from(layers.0) * u64::from(self.layer_pitch);
            (self.layer_pitch, u64::from(base.offset) + layer)
        };
        let (own, seen) = (self.shape.format.block_extent(), view_format.block_extent());
        let scale = |axis: usize| base.extent[axis].div_ceil(own[axis] / seen[axis].min(own[axis]));
        let mut record = ImageRecord {
            address: address + origin,
            width: scale(0),
            height: scale(1),
            depth: if slices_as_layers { 1 } else { scale(2) },
            layers: layers.1,
            levels: count,
            samples: self.shape.samples,
            layer_pitch,
            sample_pitch: self.tile.map_or(base.slice_pitch, |tile| tile.sample_pitch(self.shape.format)),
            ..ImageRecord::default()
        };
        for (index, place) in self.levels[first as usize..(first + count) as usize].iter().enumerate() {
            record.level_offset[index] = place.offset - base.offset;
            record.row_pitch[index] = place.row_pitch;
            record.slice_pitch[index] = place.slice_pitch;
        }
        record
    }
}

/// The record of a texel buffer view of `elements` texels at `address`.
pub fn texel_buffer_view(address: u64, elements: u32) -> ImageRecord {
    ImageRecord {
        address,
        width: elements,
        height: 1,
        depth: 1,
        layers: 1,
        levels: 1,
        samples: 1,
        ..ImageRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(format: Format, extent: [u32; 3], levels: u32, layers: u32, samples: u32) -> ImageShape {
        ImageShape { format, extent, levels, layers, samples, is_3d: extent[2] > 1, corner_sampled: false }
    }

    #[test]
    fn nothing_overlaps() {
        let cases = [
            shape(Format::R8G8B8A8_UNORM, [5, 3, 1], 3, 4, 1),
            shape(Format::R8G8B8A8_UNORM, [257, 3, 1], 3, 2, 1),
            shape(Format::R8G8B8_UNORM, [100, 7, 1], 7, 2, 1),
            shape(Format::R16_SFLOAT, [6, 9, 5], 4, 1, 1),
            shape(Format::D32_SFLOAT_S8_UINT, [33, 17, 1], 1, 3, 4),
            shape(Format::BC1_RGB_UNORM_BLOCK, [13, 6, 1], 4, 2, 1),
            shape(Format::ASTC_10x6_UNORM_BLOCK, [31, 19, 1], 5, 2, 1),
            shape(Format::ASTC_5x4x4_UNORM_BLOCK, [31, 19, 9], 5, 1, 1),
        ];
        for shape in cases {
            let bytes = shape.format.block_bytes() as usize;
            let [layout, dense] = [ImageLayout::new(shape), ImageLayout::dense(shape)].map(Result::unwrap);
            assert!(dense.size <= layout.size);
            for layout in [layout, dense] {
                let mut used = vec![false; layout.size as usize];
                for layer in 0..shape.layers {
                    for (level, place) in layout.levels.iter().enumerate() {
                        let block = shape.format.block_extent();
                        let [width, height, depth] =
                            [0, 1, 2].map(|axis| place.extent[axis].div_ceil(block[axis]));
                        for sample in 0..shape.samples {
                            for z in 0..depth {
                                for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                                    let at = layout.offset(level as u32, layer, sample, [x, y, z]) as usize;
                                    for byte in &mut used[at..at + bytes] {
                                        assert!(!std::mem::replace(byte, true));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// All texels of tiled images are inside, apart, and a tile's within one block of memory.
    #[test]
    fn tiles_are_blocks_of_memory() {
        let cases = [
            shape(Format::R8_UNORM, [300, 257, 1], 3, 2, 1),
            shape(Format::R8G8B8A8_UNORM, [200, 130, 1], 8, 1, 1),
            shape(Format::R32G32B32A32_SFLOAT, [65, 64, 1], 2, 2, 1),
            shape(Format::R16_SFLOAT, [40, 33, 33], 3, 1, 1),
            shape(Format::BC1_RGB_UNORM_BLOCK, [600, 300, 1], 2, 1, 1),
            shape(Format::ASTC_4x4x3_UNORM_BLOCK, [100, 70, 50], 2, 1, 1),
            shape(Format::R8_UNORM, [200, 257, 1], 1, 2, 2),
            shape(Format::R8G8B8A8_UNORM, [100, 66, 1], 1, 2, 4),
            shape(Format::D32_SFLOAT_S8_UINT, [70, 33, 1], 1, 1, 8),
            shape(Format::R32G32B32A32_SFLOAT, [17, 33, 1], 1, 1, 16),
        ];
        for shape in cases {
            let layout = ImageLayout::tiled(shape).expect("possible");
            let tile = layout.tile.expect("a tile");
            let bytes = shape.format.block_bytes() as u64;
            let sample_bits = shape.samples.ilog2();
            assert_eq!(tile.bits.iter().sum::<u32>() + bytes.ilog2() + sample_bits, BLOCK_BITS);
            let mut used = vec![false; (u64::from(layout.size) / bytes) as usize];
            for layer in 0..shape.layers {
                for (level, place) in layout.levels.iter().enumerate() {
                    let block = shape.format.block_extent();
                    let [width, height, depth] =
                        [0, 1, 2].map(|axis| place.extent[axis].div_ceil(block[axis]));
                    let planes = depth * shape.samples;
                    for (z, sample) in (0..planes).map(|plane| (plane / shape.samples, plane % shape.samples))
                    {
                        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                            let at = layout.offset(level as u32, layer, sample, [x, y, z]);
                            assert!(!std::mem::replace(&mut used[(at / bytes) as usize], true));
                            let [low_x, low_y, low_z] = [(x, 0), (y, 1), (z, 2)]
                                .map(|(at, axis)| at >> tile.bits[axis] << tile.bits[axis]);
                            let first = layout.offset(level as u32, layer, 0, [low_x, low_y, low_z]);
                            assert!(first.is_multiple_of(1 << BLOCK_BITS) && at - first < 1 << BLOCK_BITS);
                        }
                    }
                }
            }
        }
        let tail =
            |format, extent, levels| ImageLayout::tiled(shape(format, extent, levels, 1, 1)).unwrap().tail();
        assert_eq!(tail(Format::R8G8B8A8_UNORM, [512, 256, 1], 10), 2);
        assert_eq!(tail(Format::R8G8B8A8_UNORM, [512, 512, 1], 2), 2);
        assert_eq!(tail(Format::R8G8B8A8_UNORM, [512, 127, 1], 1), 0);
    }

    #[test]
    fn corner_sampled_chains_end_at_two_texels() {
        let even = shape(Format::R8_UNORM, [17, 6, 1], 5, 1, 1);
        let layout = ImageLayout::new(ImageShape { corner_sampled: true, ..even }).expect("possible");
        let extents: Vec<[u32; 3]> = layout.levels.iter().map(|level| level.extent).collect();
        assert_eq!(extents, [[17, 6, 1], [9, 3, 1], [5, 2, 1], [3, 2, 1], [2, 2, 1]]);
        let deep = ImageShape { corner_sampled: true, ..shape(Format::R8_UNORM, [5, 4, 3], 3, 1, 1) };
        let layout = ImageLayout::new(deep).expect("possible");
        assert_eq!([layout.levels[1].extent, layout.levels[2].extent], [[3, 2, 2], [2, 2, 2]]);
        // As many levels as there are: ceil(log2(largest)).
        for (largest, levels) in [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16384, 14)] {
            assert_eq!(chain_levels(largest, true), levels);
            let new = |levels| {
                let shape = shape(Format::R8_UNORM, [largest, 2, 1], levels, 1, 1);
                ImageLayout::new(ImageShape { corner_sampled: true, ..shape })
            };
            assert!(new(levels).is_ok() && new(levels + 1) == Err(LayoutError::Impossible));
        }
        assert_eq!([0, 1, 4, 5].map(|largest| chain_levels(largest, false)), [0, 1, 3, 3]);
        assert_eq!([0, 1].map(|largest| chain_levels(largest, true)), [0, 1]);
    }

    #[test]
    fn views_point_into_the_image() {
        let layout = ImageLayout::new(shape(Format::R8_UNORM, [16, 16, 1], 5, 6, 1)).expect("possible");
        let view = layout.view(0x1000, (1, 3), (2, 4), false, Format::R8_UINT);
        assert_eq!(view.address, 0x1000 + layout.offset(1, 2, 0, [0; 3]));
        assert_eq!((view.width, view.levels, view.layers, view.depth), (8, 3, 4, 1));
        let at = view.address + u64::from(view.level_offset[1]) + u64::from(3 * view.layer_pitch);
        assert_eq!(at, 0x1000 + layout.offset(2, 5, 0, [0; 3]));
        let volume = ImageLayout::new(shape(Format::R8_UNORM, [16, 16, 16], 2, 1, 1)).expect("possible");
        let view = volume.view(0, (1, 1), (3, 2), true, Format::R8_UNORM);
        assert_eq!(view.address, volume.offset(1, 0, 0, [0, 0, 3]));
        assert_eq!((view.layers, view.depth, view.layer_pitch), (2, 1, 64));
        let blocks =
            ImageLayout::new(shape(Format::BC1_RGB_UNORM_BLOCK, [13, 6, 1], 1, 1, 1)).expect("possible");
        assert_eq!(blocks.view(0, (0, 1), (0, 1), false, Format::R32G32_UINT).width, 4);
        assert_eq!(blocks.view(0, (0, 1), (0, 1), false, Format::BC1_RGB_UNORM_BLOCK).width, 13);
        let blocks =
            ImageLayout::new(shape(Format::ASTC_8x5_SRGB_BLOCK, [33, 11, 1], 1, 1, 1)).expect("possible");
        let view = blocks.view(0, (0, 1), (0, 1), false, Format::R32G32B32A32_UINT);
        assert_eq!((view.width, view.height), (5, 3));
    }

    #[test]
    fn limits() {
        let new = |extent, levels, layers, samples| {
            ImageLayout::new(shape(Format::R32G32B32A32_SFLOAT, extent, levels, layers, samples))
        };
        assert_eq!(new([0, 1, 1], 1, 1, 1), Err(LayoutError::Impossible));
        assert_eq!(new([4, 4, 1], 4, 1, 1), Err(LayoutError::Impossible));
        assert_eq!(new([16384, 16384, 1], 1, 1, 1), Err(LayoutError::TooLarge));
        assert_eq!(new([16385, 1, 1], 1, 1, 1), Err(LayoutError::TooLarge));
        assert_eq!(new([1024, 1024, 1], 1, 2048, 1), Err(LayoutError::TooLarge));
        assert!(new([8192, 8192, 1], 14, 1, 1).is_ok());
    }
}
