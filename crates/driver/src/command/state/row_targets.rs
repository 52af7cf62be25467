//! Attachments in tiles, while they are rendered to.
//!
//! **Problem.** The engine renders to rows of texels, but images with sparse residency lie in tiles.
//!
//! **Approach.** While a subpass is under way, such an attachment is another image, of rows. It is filled
//! from the tiles when the subpass begins and written back when it ends. Input attachments are read from the
//! tiles, so it is written back at barriers within the subpass too. What is written to tiles without memory
//! is dropped there, as every write is.
//!
//! **Invariants.** No draw waits in the batch when texels are copied. Only texels of the render area and of
//! the layers that are rendered to are written back: no others can have changed, and other commands may write
//! those meanwhile.

use crate::command::render_pass::{Targets, layer_runs};
use crate::command::transfer::{self, Transfer};
use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use crate::objects::image::{ImageView, ImageViewInfo};
use crate::report::Severity;
use pyro_engine::Engine;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The attachments of a subpass, those in tiles replaced by rows.
pub(in crate::command) struct RowTargets {
    targets: Arc<Targets>,
    copies: Vec<RowCopy>,
}

/// An attachment in tiles, and what it is while it is rendered to.
struct RowCopy {
    tiles: Arc<ImageView>,
    rows: Arc<ImageView>,
    /// Back to the tiles.
    stores: Vec<Transfer>,
}

impl RowCopy {
    /// Whether a view is of the same texels: that of depth and that of stencil may be two.
    fn is_of(&self, view: &Arc<ImageView>) -> bool {
        let of = |view: &ImageView| {
            let range = view.info().range;
            (view.format(), range.base_mip_level, range.base_array_layer, view.layer_count())
        };
        Arc::ptr_eq(&self.tiles, view)
            || Arc::ptr_eq(self.tiles.image(), view.image()) && of(&self.tiles) == of(view)
    }

    /// Fills rows with what is in the tiles.
    fn load(device: &DeviceCore, tiles: &Arc<ImageView>, targets: &Targets) -> Result<RowCopy> {
        let image = tiles.image().rows_of_level(tiles.level(), tiles.layer_count())?;
        let info = *tiles.info();
        let range = vk::ImageSubresourceRange {
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: tiles.layer_count(),
            ..info.range
        };
        let info = ImageViewInfo { range, min_lod: 0.0, ..info };
        let rows = Arc::new(ImageView::new(device.textures(), Arc::new(image), info)?);
        let mask = if targets.view_mask == 0 { u32::MAX } else { targets.view_mask };
        let mut stores = Vec::new();
        for (first, count) in layer_runs(mask, targets.layers) {
            let layers = (targets.area, first, count);
            transfer::copy_view(tiles, &rows, layers)?.run(&device.engine);
            stores.push(transfer::copy_view(&rows, tiles, layers)?);
        }
        Ok(RowCopy { tiles: Arc::clone(tiles), rows, stores })
    }
}

impl RowTargets {
    /// Fills the rows of all attachments in tiles; none where there are no such attachments.
    pub(super) fn load(device: &DeviceCore, targets: &Arc<Targets>) -> Option<Arc<RowTargets>> {
        let is_tiled = |view: &Arc<ImageView>| view.image().is_tiled();
        if !targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil).any(is_tiled) {
            return None;
        }
        let mut copies: Vec<RowCopy> = Vec::new();
        let mut drawn = Targets::clone(targets);
        let views = drawn.colors.iter_mut().flatten().chain(&mut drawn.depth).chain(&mut drawn.stencil);
        for view in views.filter(|view| is_tiled(view)) {
            let known = copies.iter().find(|copy| copy.is_of(view));
            if let Some(known) = known {
                *view = Arc::clone(&known.rows);
                continue;
            }
            match RowCopy::load(device, view, targets) {
                Ok(copy) => {
                    *view = Arc::clone(&copy.rows);
                    copies.push(copy);
                }
                Err(error) => {
                    let message = format!("a sparse attachment is not rendered to: {error}");
                    device.reporter().report(Severity::Error, &message, None);
                }
            }
        }
        Some(Arc::new(RowTargets { targets: Arc::new(drawn), copies }))
    }

    /// What draws render to.
    pub(super) fn targets(&self) -> &Arc<Targets> {
        &self.targets
    }

    /// What an attachment is while it is rendered to, if it is in tiles.
    pub(super) fn rows(&self, view: &Arc<ImageView>) -> Option<&Arc<ImageView>> {
        self.copies.iter().find(|copy| copy.is_of(view)).map(|copy| &copy.rows)
    }

    /// Writes all of them back.
    pub(super) fn store(&self, engine: &Engine) {
        self.copies.iter().flat_map(|copy| &copy.stores).for_each(|store| store.run(engine));
    }
}
