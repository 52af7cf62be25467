//! One level of an image as planes of rows of texels: array layers, or slices of three-dimensional images.

use crate::error::{Error, Result};
use crate::objects::image::{Image, ImageView, Subresource};
use crate::objects::memory::mapped::{Block, BlockRows};
use pyro_engine::graphics::Shift;
use pyro_image::Format;
use pyro_image::layout::Tile;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Planes of texels (of blocks, for compressed formats) in memory.
#[derive(Clone)]
pub struct Surface {
    block: Arc<Block>,
    offset: u64,
    /// How the bytes are texels.
    pub format: Format,
    /// Texels in x.
    pub width: u32,
    /// Texels in y.
    pub height: u32,
    /// Layers or slices.
    pub planes: u32,
    /// Samples of a texel.
    pub samples: u32,
    row_pitch: u64,
    plane_pitch: u64,
    sample_pitch: u64,
    /// How texels lie in blocks of memory, of sparse images: pitches are then those of tiles.
    tile: Option<Tile>,
}

/// A box of texels of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First texel in x and y, and first plane.
    pub first: [u32; 3],
    /// Texels in x and y, and planes.
    pub count: [u32; 3],
}

impl Region {
    /// Pixels of an area, all of these planes.
    pub fn area(area: vk::Rect2D, first_plane: u32, planes: u32) -> Region {
        let first = [area.offset.x.max(0) as u32, area.offset.y.max(0) as u32, first_plane];
        Region { first, count: [area.extent.width, area.extent.height, planes] }
    }

    /// The part that is inside a surface.
    pub fn clip(self, surface: &Surface) -> Region {
        let limits = [surface.width, surface.height, surface.planes];
        let Region { mut first, mut count } = self;
        for axis in 0..3 {
            first[axis] = first[axis].min(limits[axis]);
            count[axis] = count[axis].min(limits[axis] - first[axis]);
        }
        Region { first, count }
    }

    /// So many pixels away.
    pub fn shifted(self, shift: Shift) -> Region {
        let [x, y, plane] = self.first;
        let first = [x.wrapping_add_signed(shift[0]), y.wrapping_add_signed(shift[1]), plane];
        Region { first, ..self }
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.count.contains(&0)
    }
}

impl Surface {
    /// A level of an image; its planes are the layers of `subresource`, or all slices.
    ///
    /// # Errors
    /// When the image has no such level or layers, or no memory.
    pub fn level(image: &Image, subresource: Subresource) -> Result<Surface> {
        let plane = image.plane(subresource.plane)?;
        let layout = &plane.layout;
        let level = layout.levels.get(subresource.level as usize).ok_or_else(|| {
            Error::misuse("the image has no such level (VUID-vkCmdCopyImage-srcSubresource-07967)")
        })?;
        let (block, base) = image.memory(subresource.plane)?;
        let mut surface = Surface {
            block: Arc::clone(block),
            offset: base + u64::from(level.offset),
            format: plane.format,
            width: level.extent[0],
            height: level.extent[1],
            planes: level.extent[2],
            samples: layout.shape.samples,
            row_pitch: level.row_pitch.into(),
            plane_pitch: level.slice_pitch.into(),
            sample_pitch: layout
                .tile
                .map_or(level.slice_pitch, |tile| tile.sample_pitch(plane.format))
                .into(),
            tile: layout.tile,
        };
        if image.info().ty != vk::ImageType::_3D {
            let have = image.info().layers.checked_sub(subresource.layer);
            let layers = if subresource.layers == vk::REMAINING_ARRAY_LAYERS {
                have
            } else {
                have.filter(|&have| subresource.layers <= have).map(|_| subresource.layers)
            };
            let layers = layers.ok_or_else(|| {
                Error::misuse("the image has no such layers (VUID-vkCmdCopyImage-srcSubresource-07968)")
            })?;
            surface.planes = layers;
            surface.plane_pitch = layout.layer_pitch.into();
            surface.offset += u64::from(subresource.layer) * u64::from(layout.layer_pitch);
        }
        Ok(surface)
    }

    /// The first level of a view, in the view's format.
    ///
    /// # Errors
    /// When the image has no memory.
    pub fn view(view: &ImageView) -> Result<Surface> {
        let plane = view.plane();
        let (block, base) = view.image().memory(plane)?;
        let record = view.record();
        Ok(Surface {
            block: Arc::clone(block),
            offset: base + (record.address - view.image().address(plane)?),
            format: view.format(),
            width: record.width,
            height: record.height,
            planes: record.layers,
            samples: record.samples,
            row_pitch: record.row_pitch[0].into(),
            plane_pitch: record.layer_pitch.into(),
            sample_pitch: record.sample_pitch.into(),
            tile: view.image().plane(plane)?.layout.tile,
        })
    }

    /// The same, as if each texel had so many samples, all of them the first.
    pub fn with_equal_samples(self, samples: u32) -> Surface {
        Surface { samples, sample_pitch: 0, ..self }
    }

    /// Bytes of a texel or block.
    pub fn texel_bytes(&self) -> usize {
        self.format.block_bytes() as usize
    }

    /// Checks that a box is inside.
    ///
    /// # Errors
    /// When it is not.
    pub fn check(&self, region: Region) -> Result<()> {
        let limits = [self.width, self.height, self.planes];
        let inside = (0..3).all(|axis| {
            region.first[axis].checked_add(region.count[axis]).is_some_and(|end| end <= limits[axis])
        });
        if inside {
            Ok(())
        } else {
            Err(Error::misuse(format!("{region:?} is not inside an image of {limits:?} texels")))
        }
    }

    /// The same box in blocks.
    ///
    /// # Errors
    /// When it does not begin at a block.
    pub fn in_blocks(&self, region: Region) -> Result<Region> {
        let block = self.format.block_extent();
        if (0..3).any(|axis| !region.first[axis].is_multiple_of(block[axis])) {
            return Err(Error::misuse(
                "an offset inside a compressed block (VUID-vkCmdCopyImage-pRegions-07278)",
            ));
        }
        Ok(Region {
            first: [0, 1, 2].map(|axis| region.first[axis] / block[axis]),
            count: [0, 1, 2].map(|axis| region.count[axis].div_ceil(block[axis])),
        })
    }

    /// Bytes from the start of the memory to a texel or block.
    pub fn at(&self, [x, y, plane]: [u32; 3], sample: u32) -> u64 {
        if let Some(Tile { bits: [in_x, in_y, in_plane] }) = self.tile {
            let within = |index: u32, bits: u32| u64::from(index & ((1 << bits) - 1));
            let texel =
                within(x, in_x) + (within(y, in_y) << in_x) + (within(plane, in_plane) << (in_x + in_y));
            return self.offset
                + (u64::from(x >> in_x) << pyro_abi::sparse::BLOCK_BITS)
                + u64::from(y >> in_y) * self.row_pitch
                + u64::from(plane >> in_plane) * self.plane_pitch
                + u64::from(sample) * self.sample_pitch
                + texel * self.texel_bytes() as u64;
        }
        self.offset
            + u64::from(x) * self.texel_bytes() as u64
            + u64::from(y) * self.row_pitch
            + u64::from(plane) * self.plane_pitch
            + u64::from(sample) * self.sample_pitch
    }

    /// Whether rows of texels are in one piece.
    pub fn has_rows(&self) -> bool {
        self.tile.is_none()
    }

    /// The parts of a row of texels that are in one piece each: how many texels come before, where it begins,
    /// and its texels.
    pub fn pieces(&self, [x, y, plane]: [u32; 3], width: u32) -> impl Iterator<Item = (u32, [u32; 3], u32)> {
        let whole = self.tile.map_or(u32::MAX, |tile| 1 << tile.bits[0]);
        let mut done = 0;
        std::iter::from_fn(move || {
            let first = x + done;
            let count = (width - done).min(whole - first % whole);
            let piece = (done, [first, y, plane], count);
            done += count;
            (count > 0).then_some(piece)
        })
    }

    /// `count` rows of `width` texels from a texel on, all of one plane. Of tiles, only those within one.
    pub fn rows(&self, at: [u32; 3], sample: u32, width: u32, count: u64) -> BlockRows {
        let bytes = u64::from(width) * self.texel_bytes() as u64;
        let pitch = self.tile.map_or(self.row_pitch, |tile| (self.texel_bytes() as u64) << tile.bits[0]);
        BlockRows { offset: self.at(at, sample), pitch, count, bytes }
    }

    /// Bytes from one sample to the next.
    pub fn sample_pitch(&self) -> u64 {
        self.sample_pitch
    }

    /// Bytes from one row to the next.
    pub fn row_pitch(&self) -> u64 {
        self.row_pitch
    }

    /// The memory.
    pub fn memory(&self) -> &Arc<Block> {
        &self.block
    }

    /// Reads texels of a row.
    pub fn read(&self, at: [u32; 3], sample: u32, bytes: &mut [u8]) {
        let size = self.texel_bytes();
        for (before, at, count) in self.pieces(at, (bytes.len() / size) as u32) {
            let piece = &mut bytes[before as usize * size..][..count as usize * size];
            self.block.read(self.at(at, sample), piece);
        }
    }

    /// Writes texels of a row.
    pub fn write(&self, at: [u32; 3], sample: u32, bytes: &[u8]) {
        let size = self.texel_bytes();
        for (before, at, count) in self.pieces(at, (bytes.len() / size) as u32) {
            self.block.write(self.at(at, sample), &bytes[before as usize * size..][..count as usize * size]);
        }
    }
}
