//! Copies between images and buffers.

use super::rotation::Rotation;
use super::surface::{Region, Surface};
use super::texel;
use crate::error::{Error, Result};
use crate::objects::memory::mapped::Range;
use pyro_image::{Aspect, Format};
use std::ops;

/// A piece of a buffer as planes of rows of texels, for one aspect of a format.
#[derive(Clone)]
pub struct BufferImage {
    /// The bytes from the first texel to the last.
    pub range: Range,
    /// Bytes from one row of texels or blocks to the next.
    pub row_pitch: u64,
    /// Bytes from one plane to the next.
    pub plane_pitch: u64,
}

/// Where texels lie in a buffer: `VkBufferImageCopy`'s first fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferLayout {
    /// Texels from one row to the next; zero: the region's width.
    pub(super) row_length: u32,
    /// Rows from one plane to the next; zero: the region's height.
    pub(super) image_height: u32,
}

/// Pitches of texels in a buffer, and the bytes that a region takes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pitches {
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one plane to the next.
    pub plane: u64,
    /// Bytes from the first texel to the last, both included.
    pub size: u64,
}

impl BufferLayout {
    /// The pitches of a region (in blocks) of an aspect.
    pub(super) fn pitches(self, format: Format, aspect: Aspect, blocks: Region) -> Pitches {
        let block = format.block_extent();
        let bytes = u64::from(format.copy_bytes(aspect));
        let or = |texels: u32, axis: usize| {
            u64::from(if texels == 0 { blocks.count[axis] } else { texels.div_ceil(block[axis]) })
        };
        let [width, height, planes] = blocks.count.map(u64::from);
        let row = or(self.row_length, 0) * bytes;
        let plane = or(self.image_height, 1) * row;
        let size =
            if blocks.is_empty() { 0 } else { (planes - 1) * plane + (height - 1) * row + width * bytes };
        Pitches { row, plane, size }
    }
}

/// Whether an aspect's texels have the same bytes in an image and in a buffer.
fn is_plain(format: Format, aspect: Aspect) -> bool {
    format.copy_bytes(aspect) == format.block_bytes() && !(format.has_depth() && format.has_stencil())
}

/// An aspect's bits of a row of texels, each moved to the bottom.
fn unpack(format: Format, aspect: Aspect, texels: &[u8], out: &mut [u8]) {
    let mask = texel::aspect_mask(format, aspect);
    let shift = mask.trailing_zeros();
    let (from, to) = (format.block_bytes() as usize, format.copy_bytes(aspect) as usize);
    for (texel, out) in texels.chunks_exact(from).zip(out.chunks_exact_mut(to)) {
        let bits = (texel::from_bytes(texel) & mask) >> shift;
        out.copy_from_slice(&bits.to_le_bytes()[..to]);
    }
}

/// The reverse: puts bits into the texels' aspect.
fn pack(format: Format, aspect: Aspect, bits: &[u8], texels: &mut [u8]) {
    let mask = texel::aspect_mask(format, aspect);
    let shift = mask.trailing_zeros();
    let (to, from) = (format.block_bytes() as usize, format.copy_bytes(aspect) as usize);
    for (bits, texel) in bits.chunks_exact(from).zip(texels.chunks_exact_mut(to)) {
        let old = texel::from_bytes(texel);
        let new = old & !mask | texel::from_bytes(bits) << shift & mask;
        texel.copy_from_slice(&new.to_le_bytes()[..to]);
    }
}

/// How many rows a region has, over all its planes.
pub(super) fn row_count(region: Region) -> u64 {
    u64::from(region.count[1]) * u64::from(region.count[2])
}

/// Some of the rows of a region in blocks: for each its first block, and the row and plane within the region.
pub(super) fn rows(region: Region, numbers: ops::Range<u64>) -> impl Iterator<Item = ([u32; 3], u64, u64)> {
    let [x, y, plane] = region.first;
    let height = u64::from(region.count[1].max(1));
    numbers.map(move |number| {
        let (depth, row) = (number / height, number % height);
        ([x, y + row as u32, plane + depth as u32], row, depth)
    })
}

/// The same as runs of rows of one plane: the first block of each, and its rows.
pub(super) fn runs(region: Region, numbers: ops::Range<u64>) -> impl Iterator<Item = ([u32; 3], u64)> {
    let height = u64::from(region.count[1].max(1));
    let mut next = numbers.start;
    std::iter::from_fn(move || {
        let row = next % height;
        let count = (height - row).min(numbers.end.saturating_sub(next));
        let [x, y, plane] = region.first;
        let first = [x, y + row as u32, plane + (next / height) as u32];
        next += count;
        (count != 0).then_some((first, count))
    })
}

/// From a buffer to an image, or back.
pub struct BufferCopy {
    /// The image.
    pub surface: Surface,
    /// What of it, in blocks.
    pub region: Region,
    /// Which aspect.
    pub aspect: Aspect,
    /// The buffer.
    pub buffer: BufferImage,
    /// Into the image, not out of it.
    pub to_image: bool,
    /// How the region lies to what is in the buffer.
    pub rotation: Rotation,
}

impl BufferCopy {
    /// Columns and rows in the buffer.
    pub(in crate::command) fn buffer_count(&self) -> [u32; 2] {
        let [width, height, _] = self.region.count;
        if self.rotation.is_crosswise() { [height, width] } else { [width, height] }
    }

    /// Copies some of the image's rows, texel by texel.
    fn run_rotated(&self, numbers: ops::Range<u64>) {
        let BufferCopy { surface, region, aspect, buffer, to_image, rotation } = self;
        let format = surface.format;
        let [width, height, _] = region.count;
        let bytes = format.copy_bytes(*aspect) as usize;
        let is_plain = is_plain(format, *aspect);
        let mut texels = vec![0; width as usize * surface.texel_bytes()];
        let mut bits = vec![0; width as usize * bytes];
        for (first, row, plane) in rows(*region, numbers) {
            surface.read(first, 0, &mut texels);
            if !to_image && is_plain {
                bits.copy_from_slice(&texels);
            } else if !to_image {
                unpack(format, *aspect, &texels, &mut bits);
            }
            for (column, bits) in (0..).zip(bits.chunks_exact_mut(bytes)) {
                let [x, y] = rotation.place([column, row as u32], [width, height]).map(u64::from);
                let at = y * buffer.row_pitch + plane * buffer.plane_pitch + x * bytes as u64;
                if *to_image {
                    buffer.range.read(at, bits);
                } else {
                    buffer.range.write(at, bits);
                }
            }
            if *to_image {
                match is_plain {
                    true => texels.copy_from_slice(&bits),
                    false => pack(format, *aspect, &bits, &mut texels),
                }
                surface.write(first, 0, &texels);
            }
        }
    }

    /// Copies some of the region's rows.
    pub(super) fn run(&self, numbers: ops::Range<u64>) {
        let BufferCopy { surface, region, aspect, buffer, to_image, rotation } = self;
        let format = surface.format;
        let width = region.count[0] as usize;
        if region.is_empty() {
            return;
        }
        if *rotation != Rotation::None {
            return self.run_rotated(numbers);
        }
        let image_row = width * surface.texel_bytes();
        let buffer_row = width * format.copy_bytes(*aspect) as usize;
        if is_plain(format, *aspect) {
            for (first, row, plane) in rows(*region, numbers) {
                let at = row * buffer.row_pitch + plane * buffer.plane_pitch;
                for (before, piece, count) in surface.pieces(first, region.count[0]) {
                    let [at, size] = [(at, before), (0, count)].map(|(first, texels): (u64, u32)| {
                        first + u64::from(texels) * surface.texel_bytes() as u64
                    });
                    let place = surface.at(piece, 0);
                    if *to_image {
                        buffer.range.copy_out(at, surface.memory(), place, size);
                    } else {
                        buffer.range.copy_in(at, surface.memory(), place, size);
                    }
                }
            }
            return;
        }
        let (mut texels, mut bits) = (vec![0; image_row], vec![0; buffer_row]);
        for (first, row, plane) in rows(*region, numbers) {
            let at = row * buffer.row_pitch + plane * buffer.plane_pitch;
            surface.read(first, 0, &mut texels);
            if *to_image {
                buffer.range.read(at, &mut bits);
                pack(format, *aspect, &bits, &mut texels);
                surface.write(first, 0, &texels);
            } else {
                unpack(format, *aspect, &texels, &mut bits);
                buffer.range.write(at, &bits);
            }
        }
    }
}

/// From an image to an image.
pub struct ImageCopy {
    /// Where from.
    pub source: Surface,
    /// The first block.
    pub source_first: [u32; 3],
    /// The aspects that are copied.
    pub source_aspects: Vec<Aspect>,
    /// Where to.
    pub target: Surface,
    /// What of it, in blocks.
    pub target_region: Region,
    /// The aspects that are written; the same or, between single-aspect formats, other ones.
    pub target_aspects: Vec<Aspect>,
    /// How the target's region lies to the source's. Other regions than whole texels of a plane are not
    /// turned.
    pub rotation: Rotation,
}

/// Rows of a turned region that are written together: so many texels of a source's row follow each other.
const TURNED_ROWS: u64 = 16;

impl ImageCopy {
    /// Texels of the source's region in x and y, and planes.
    pub(super) fn source_count(&self) -> [u32; 3] {
        let [width, height, planes] = self.target_region.count;
        let [width, height] = self.rotation.turned_size([width, height]);
        [width, height, planes]
    }

    /// Checks that the formats may be copied.
    ///
    /// # Errors
    /// When texels have different sizes, or there is another number of samples.
    pub(super) fn check(&self) -> Result<()> {
        let (source, target) = (&self.source, &self.target);
        if source.samples != target.samples {
            return Err(Error::misuse(
                "images of different sample counts (VUID-vkCmdCopyImage-srcImage-00136)",
            ));
        }
        let aspect = |list: &[Aspect]| if let [one] = list { Some(*one) } else { None };
        let bytes = |format: Format, list: &[Aspect]| {
            aspect(list).map_or(format.block_bytes(), |aspect| format.copy_bytes(aspect))
        };
        if bytes(source.format, &self.source_aspects) != bytes(target.format, &self.target_aspects) {
            return Err(Error::misuse("texels of different sizes (VUID-vkCmdCopyImage-srcImage-01548)"));
        }
        Ok(())
    }

    /// Copies some of the region's rows.
    pub(super) fn run(&self, numbers: ops::Range<u64>) {
        if self.target_region.is_empty() {
            return;
        }
        if self.rotation != Rotation::None {
            self.run_turned(numbers);
            return;
        }
        let (source, target) = (&self.source, &self.target);
        let width = self.target_region.count[0] as usize;
        let all = |format: Format, aspects: &[Aspect]| {
            [Aspect::Color, Aspect::Depth, Aspect::Stencil]
                .iter()
                .all(|aspect| aspects.contains(aspect) || !format.has_aspect(*aspect))
        };
        let plain = all(source.format, &self.source_aspects)
            && all(target.format, &self.target_aspects)
            && source.texel_bytes() == target.texel_bytes();
        let mut bytes = vec![0; width * source.texel_bytes()];
        let mut texels = vec![0; width * target.texel_bytes()];
        for sample in 0..target.samples {
            for (to, row, plane) in rows(self.target_region, numbers.clone()) {
                let [x, y, first_plane] = self.source_first;
                let from = [x, y + row as u32, first_plane + plane as u32];
                if plain && !(source.has_rows() && target.has_rows()) {
                    source.read(from, sample, &mut bytes);
                    target.write(to, sample, &bytes);
                    continue;
                }
                if plain {
                    let (from, to) = (source.at(from, sample), target.at(to, sample));
                    target.memory().copy_from(to, source.memory(), from, bytes.len() as u64);
                    continue;
                }
                source.read(from, sample, &mut bytes);
                target.read(to, sample, &mut texels);
                for (&from, &to) in self.source_aspects.iter().zip(&self.target_aspects) {
                    let mut bits = vec![0; width * source.format.copy_bytes(from) as usize];
                    unpack(source.format, from, &bytes, &mut bits);
                    pack(target.format, to, &bits, &mut texels);
                }
                target.write(to, sample, &texels);
            }
        }
    }

    /// The same where the source's region is turned.
    fn run_turned(&self, numbers: ops::Range<u64>) {
        let (source, target, size) = (&self.source, &self.target, self.target.texel_bytes());
        let [width, height, _] = self.target_region.count;
        let from = |column: u32, row: u32, plane: u32| {
            let [x, y] = self.rotation.place([column, row], [width, height]);
            let first = self.source_first;
            [first[0] + x, first[1] + y, first[2] + plane]
        };
        let row_bytes = width as usize * size;
        let mut texels = vec![0; row_bytes * TURNED_ROWS as usize];
        let mut piece = vec![0; row_bytes.max(size * TURNED_ROWS as usize)];
        for (first, count) in runs(self.target_region, numbers) {
            let (row, plane) =
                (first[1] - self.target_region.first[1], first[2] - self.target_region.first[2]);
            for (done, sample) in (0..count)
                .step_by(TURNED_ROWS as usize)
                .flat_map(|done| (0..target.samples).map(move |sample| (done as u32, sample)))
            {
                let rows = (count - u64::from(done)).min(TURNED_ROWS) as u32;
                if self.rotation.is_crosswise() {
                    // A column's texels are some of a row, forwards or backwards.
                    let piece = &mut piece[..rows as usize * size];
                    for column in 0..width {
                        let ends = [row + done, row + done + rows - 1].map(|row| from(column, row, plane));
                        let is_backwards = ends[1][0] < ends[0][0];
                        source.read(ends[usize::from(is_backwards)], sample, piece);
                        for (index, texel) in piece.chunks_exact(size).enumerate() {
                            let index = if is_backwards { rows as usize - 1 - index } else { index };
                            texels[index * row_bytes + column as usize * size..][..size]
                                .copy_from_slice(texel);
                        }
                    }
                } else {
                    for index in 0..rows {
                        let piece = &mut piece[..row_bytes];
                        source.read(from(width - 1, row + done + index, plane), sample, piece);
                        let to = &mut texels[index as usize * row_bytes..][..row_bytes];
                        for (to, texel) in to.chunks_exact_mut(size).zip(piece.rchunks_exact(size)) {
                            to.copy_from_slice(texel);
                        }
                    }
                }
                for (index, texels) in (0..rows).zip(texels.chunks_exact(row_bytes)) {
                    target.write([first[0], first[1] + done + index, first[2]], sample, texels);
                }
            }
        }
    }
}
