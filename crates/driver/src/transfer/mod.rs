//! Transfers of images: copies, blits, clears and resolves.
//!
//! Commands are checked and resolved to [`surface::Surface`]s when they are recorded, so running them can only
//! touch memory that is bound.

mod blit;
mod clear;
mod copy;
mod record;
mod resolve;
mod rows;
mod surface;
mod texel;

pub use record::{
    BlitRegion, BufferRegion, ImageRegion, ImageSide, ResolveRegion, blit, clear, copy_buffer, copy_image,
    copy_memory, memcpy_size, resolve,
};

use crate::error::Result;
use crate::image::aspect_list;
use crate::render::{ClearView, ResolveView};
use blit::Blit;
use clear::Clear;
use copy::{BufferCopy, ImageCopy};
use resolve::Resolve;
use surface::{Region, Surface};

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

impl Transfer {
    /// Runs it.
    pub fn run(&self) {
        match self {
            Transfer::Buffer(copy) => copy.run(),
            Transfer::Image(copy) => copy.run(),
            Transfer::Blit(blit) => blit.run(),
            Transfer::Clear(clear) => clear.run(),
            Transfer::Resolve(resolve) => resolve.run(),
        }
    }
}

/// Clears an attachment.
///
/// # Errors
/// When its image has no memory.
pub(crate) fn clear_view(clear: &ClearView) -> Result<()> {
    let surface = Surface::view(&clear.view)?;
    let region = Region::area(clear.area, clear.first_layer, clear.layer_count);
    let aspects = aspect_list(clear.aspects).collect();
    Clear { surface, region, aspects, value: clear.value }.run();
    Ok(())
}

/// Resolves an attachment.
///
/// # Errors
/// When an image has no memory.
pub(crate) fn resolve_view(resolve: &ResolveView) -> Result<()> {
    let (source, target) = (Surface::view(&resolve.source)?, Surface::view(&resolve.target)?);
    let region = Region::area(resolve.area, resolve.first_layer, resolve.layer_count).clip(&source);
    for aspect in aspect_list(resolve.aspect) {
        let (source, target) = (source.clone(), target.clone());
        let (source_first, mode) = (region.first, resolve.mode);
        Resolve { source, source_first, target, target_region: region, aspect, mode }.run();
    }
    Ok(())
}
