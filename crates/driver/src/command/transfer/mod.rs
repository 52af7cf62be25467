//! Transfers of images: copies, blits, clears and resolves.
//!
//! Commands are checked and resolved to [`surface::Surface`]s when they are recorded, so running them can
//! only touch memory that is bound.

mod blit;
mod clear;
mod copy;
mod decompress;
mod gdeflate;
mod halving;
mod indirect;
mod record;
mod resolve;
mod rotation;
mod rows;
mod surface;
mod texel;
mod vector_matrix;

pub use decompress::{CompressedRegion, Decompression, IndirectRegions};
pub use indirect::IndirectCopy;
pub use record::{
    BlitRegion, BufferRegion, ImageRegion, ImageSide, ResolveModes, ResolveRegion, blit, clear, copy_buffer,
    copy_buffer_rotated, copy_image, copy_memory, memcpy_size, range_copy, resolve,
};
pub use rotation::Rotation;
pub use vector_matrix::MatrixConversion;

use crate::command::render_pass::{ClearView, ResolveView};
use crate::error::{Error, Result};
use crate::objects::image::{ImageView, aspect_list};
use blit::Blit;
use clear::Clear;
use copy::{BufferCopy, ImageCopy};
use pyro_engine::Engine;
use pyro_engine::graphics::{Rect, RegionWork};
use pyro_image::{Aspect, Format};
use resolve::Resolve;
use std::ops;
use surface::Region;
pub(super) use surface::Surface;
use vulkanalia_sys as vk;

/// One recorded piece of work.
pub enum Transfer {
    /// Between a buffer and an image.
    Buffer(BufferCopy),
    /// Between images.
    Image(ImageCopy),
    /// With scaling.
    Blit(Blit),
    /// A clear.
    Clear(Clear),
    /// A resolve.
    Resolve(Resolve),
}

/// A box of texels or blocks that a transfer reads or writes.
pub(super) struct Touched<'t> {
    /// Where.
    pub(super) surface: &'t Surface,
    /// The first.
    pub(super) first: [u32; 3],
    /// How many.
    pub(super) count: [u32; 3],
    /// It writes them.
    pub(super) writes: bool,
}

/// Bytes that are worth waking another thread for.
const PIECE_BYTES: u64 = 256 << 10;

impl Transfer {
    /// Rows that it writes, over all planes, and about how many bytes it moves for each.
    fn rows(&self) -> (u64, u64) {
        let of = |region: Region, surface: &Surface| {
            let row = u64::from(region.count[0]) * surface.texel_bytes() as u64;
            (copy::row_count(region), row * u64::from(surface.samples))
        };
        match self {
            Transfer::Buffer(copy) => of(copy.region, &copy.surface),
            Transfer::Image(copy) => of(copy.target_region, &copy.target),
            // Each texel takes a while.
            Transfer::Blit(blit) => (blit.row_count(), 16 * u64::from(blit.target.width)),
            Transfer::Clear(clear) => of(clear.region, clear.surface()),
            Transfer::Resolve(resolve) => of(resolve.target_region, resolve.source()),
        }
    }

    /// What it reads and writes of images.
    pub(super) fn touched(&self) -> Vec<Touched<'_>> {
        let touch = |surface, first, count, writes| Touched { surface, first, count, writes };
        match self {
            Transfer::Buffer(copy) => {
                vec![touch(&copy.surface, copy.region.first, copy.region.count, copy.to_image)]
            }
            Transfer::Image(copy) => vec![
                touch(&copy.source, copy.source_first, copy.source_count(), false),
                touch(&copy.target, copy.target_region.first, copy.target_region.count, true),
            ],
            Transfer::Blit(blit) => {
                let corners = |surface, corners: &[[i32; 3]; 2], writes| {
                    let ends = |axis: usize| [corners[0][axis], corners[1][axis]].map(|at| at.max(0) as u32);
                    let first = [0, 1, 2].map(|axis| ends(axis)[0].min(ends(axis)[1]));
                    let count = [0, 1, 2].map(|axis| ends(axis)[0].abs_diff(ends(axis)[1]));
                    touch(surface, first, count, writes)
                };
                vec![
                    corners(&blit.source, &blit.source_corners, false),
                    corners(&blit.target, &blit.target_corners, true),
                ]
            }
            Transfer::Clear(clear) => {
                vec![touch(clear.surface(), clear.region.first, clear.region.count, true)]
            }
            Transfer::Resolve(resolve) => {
                let region = resolve.target_region;
                vec![
                    touch(resolve.source(), resolve.source_first(), region.count, false),
                    touch(resolve.target(), region.first, region.count, true),
                ]
            }
        }
    }

    /// Whether it is of depth alone, or of stencil alone, of texels that have both.
    pub(in crate::command) fn is_one_aspect(&self) -> bool {
        let has_both =
            |format: Format| format.has_aspect(Aspect::Depth) && format.has_aspect(Aspect::Stencil);
        match self {
            Transfer::Buffer(copy) => has_both(copy.surface.format),
            Transfer::Blit(blit) => has_both(blit.target.format) && blit.aspects.len() == 1,
            Transfer::Image(copy) => copy.target_aspects.len() == 1 && has_both(copy.target.format),
            Transfer::Clear(clear) => clear.aspect_count == 1 && has_both(clear.surface().format),
            Transfer::Resolve(_) => false,
        }
    }

    fn run_rows(&self, numbers: ops::Range<u64>) {
        match self {
            Transfer::Buffer(copy) => copy.run(numbers),
            Transfer::Image(copy) => copy.run(numbers),
            Transfer::Blit(blit) => blit.run(&numbers),
            Transfer::Clear(clear) => clear.run(clear.region, numbers),
            Transfer::Resolve(resolve) => resolve.run(resolve.target_region, numbers, [0, 0]),
        }
    }

    /// Runs it on the calling thread.
    pub fn run_alone(&self) {
        self.run_rows(0..self.rows().0);
    }

    /// Runs it on all threads.
    pub(crate) fn run(&self, engine: &Engine) {
        let (count, bytes) = self.rows();
        let piece = (PIECE_BYTES / bytes.max(1)).clamp(1, count.max(1));
        engine.for_each_part(count.div_ceil(piece), &|number| {
            let first = number * piece;
            self.run_rows(first..(first + piece).min(count));
        });
    }
}

/// An area of some layers: the first, how many.
pub(crate) type Area = (vk::Rect2D, u32, u32);

/// A copy of an area of some layers of one attachment to the same area of another. Where it is turned, the
/// area, which is the target's, begins at the first texel, as its source does.
///
/// # Errors
/// When an image has no memory, or the source has not all of a turned area.
pub(crate) fn copy_view(
    from: &ImageView,
    to: &ImageView,
    area: Area,
    rotation: Rotation,
) -> Result<Transfer> {
    Ok(Transfer::Image(image_copy(from, to, area, rotation)?))
}

fn image_copy(
    from: &ImageView,
    to: &ImageView,
    (area, first_layer, layer_count): Area,
    rotation: Rotation,
) -> Result<ImageCopy> {
    let (source, target) = (Surface::view(from)?, Surface::view(to)?);
    let region = Region::area(area, first_layer, layer_count).clip(&target);
    if rotation != Rotation::None {
        let [x, y, _] = region.first;
        let [width, height] = rotation.turned_size([region.count[0], region.count[1]]);
        source.check(Region { first: region.first, count: [width, height, region.count[2]] })?;
        if [x, y] != [0; 2] {
            return Err(Error::misuse("a turned area does not begin at the first texel"));
        }
    }
    // Whole texels.
    let aspects = |format| aspect_list(crate::objects::image::aspects(format)).collect();
    Ok(ImageCopy {
        rotation,
        source_first: region.first,
        source_aspects: aspects(source.format),
        source,
        target_region: region,
        target_aspects: aspects(target.format),
        target,
    })
}

/// The same from an attachment of one sample to all samples of another.
///
/// # Errors
/// Those of [`copy_view`].
pub(crate) fn expand_view(
    from: &ImageView,
    to: &ImageView,
    area: Area,
    rotation: Rotation,
) -> Result<Transfer> {
    let copy = image_copy(from, to, area, rotation)?;
    let source = copy.source.with_equal_samples(copy.target.samples);
    Ok(Transfer::Image(ImageCopy { source, ..copy }))
}

fn rect(region: Region) -> Rect {
    let [x, y, _] = region.first.map(|at| at.min(i32::MAX as u32) as i32);
    Rect {
        x0: x,
        y0: y,
        x1: x.saturating_add_unsigned(region.count[0]),
        y1: y.saturating_add_unsigned(region.count[1]),
    }
}

/// The part of a region in a rectangle that is inside.
fn part(region: Region, rect: Rect) -> Region {
    let (width, height) = ((rect.x1 - rect.x0) as u32, (rect.y1 - rect.y0) as u32);
    Region {
        first: [rect.x0 as u32, rect.y0 as u32, region.first[2]],
        count: [width, height, region.count[2]],
    }
}

/// A clear of an attachment.
///
/// # Errors
/// When its image has no memory.
pub(crate) fn clear_view(clear: &ClearView) -> Result<RegionWork> {
    let (surface, attachment) = (Surface::view(&clear.view)?, clear.view.record().address);
    let region = Region::area(clear.area, clear.first_layer, clear.layer_count);
    let aspects: Vec<Aspect> = aspect_list(clear.aspects).collect();
    let clear = Clear::new(surface, region, &aspects, clear.value);
    let area = rect(clear.region);
    let run = move |rect, shift| {
        let region = part(clear.region, rect).shifted(shift);
        clear.run(region, 0..copy::row_count(region));
    };
    Ok(RegionWork { area, attachment, run: Box::new(run) })
}

/// A resolve of an attachment, aspect by aspect.
///
/// # Errors
/// When an image has no memory.
fn resolves(resolve: &ResolveView) -> Result<impl Iterator<Item = Resolve>> {
    let (source, target) = (Surface::view(&resolve.source)?, Surface::view(&resolve.target)?);
    let region = Region::area(resolve.area, resolve.first_layer, resolve.layer_count).clip(&source);
    let mode = resolve.mode;
    Ok(aspect_list(resolve.aspect).map(move |aspect| {
        let (source, target) = (source.clone(), target.clone());
        Resolve::new(source, region.first, target, region, aspect, mode)
    }))
}

/// A resolve of an attachment as transfers.
///
/// # Errors
/// When an image has no memory.
pub(crate) fn resolve_transfers(resolve: &ResolveView) -> Result<impl Iterator<Item = Transfer>> {
    Ok(resolves(resolve)?.map(Transfer::Resolve))
}

/// A resolve of an attachment that runs with its draws.
///
/// # Errors
/// When an image has no memory.
pub(crate) fn resolve_view(resolve: &ResolveView) -> Result<Vec<RegionWork>> {
    let attachment = resolve.source.record().address;
    let works = resolves(resolve)?.map(|resolve| {
        let area = rect(resolve.target_region);
        let run = move |rect, shift| {
            let region = part(resolve.target_region, rect);
            resolve.run(region, 0..copy::row_count(region), shift);
        };
        RegionWork { area, attachment, run: Box::new(run) }
    });
    Ok(works.collect())
}
