//! Attachments that are rendered to as other images.
//!
//! **Problem.** The engine renders to rows of texels, but images with sparse residency lie in tiles. It
//! renders to as many samples as it rasterizes, but attachments may have one
//! (`VK_EXT_multisampled_render_to_single_sampled`).
//!
//! **Approach.** While a subpass is under way, such an attachment is another image, of rows, of as many
//! samples as are rasterized. It is filled when the subpass begins and written back (resolved, where it has
//! several samples) when it ends. Input attachments are read from the attachment itself, so it is written
//! back at barriers within the subpass too. What is written to tiles without memory is dropped there, as
//! every write is.
//!
//! **Invariants.** No draw waits in the batch when texels are copied. Only texels of the render area and of
//! the layers that are rendered to are written back: no others can have changed, and other commands may write
//! those meanwhile.

use crate::command::render_pass::{ResolveView, SingleSampled, Targets, layer_runs};
use crate::command::transfer::{self, Transfer};
use crate::error::Result;
use crate::objects::device_core::DeviceCore;
use crate::objects::image::{ImageView, ImageViewInfo};
use crate::report::Severity;
use pyro_engine::Engine;
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The attachments of a subpass, some of them replaced.
pub(in crate::command) struct SubstituteTargets {
    targets: Arc<Targets>,
    copies: Vec<Substitute>,
}

/// An attachment, and what it is while it is rendered to.
struct Substitute {
    attachment: Arc<ImageView>,
    image: Arc<ImageView>,
    /// Back to the attachment.
    stores: Vec<Transfer>,
}

/// Whether two views are of the same texels: that of depth and that of stencil may be two.
fn is_same(one: &Arc<ImageView>, other: &Arc<ImageView>) -> bool {
    let of = |view: &ImageView| {
        let range = view.info().range;
        (view.format(), range.base_mip_level, range.base_array_layer, view.layer_count())
    };
    Arc::ptr_eq(one, other) || Arc::ptr_eq(one.image(), other.image()) && of(one) == of(other)
}

impl Substitute {
    /// Fills another image with what is in the attachment.
    fn load(device: &DeviceCore, attachment: &Arc<ImageView>, targets: &Targets) -> Result<Substitute> {
        // Depth and stencil may be two attachments of one image.
        let single: SmallVec<[&SingleSampled; 2]> =
            targets.single_sampled.iter().filter(|one| is_same(&one.view, attachment)).collect();
        let samples = single.first().map(|one| one.samples);
        let (level, layers) = (attachment.level(), attachment.layer_count());
        let rows = attachment.image().rows_of_level(level, layers, samples)?;
        let info = *attachment.info();
        let range = vk::ImageSubresourceRange {
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: layers,
            ..info.range
        };
        let info = ImageViewInfo { range, min_lod: 0.0, ..info };
        let image = Arc::new(ImageView::new(device.textures(), Arc::new(rows), info)?);
        let mask = if targets.view_mask == 0 { u32::MAX } else { targets.view_mask };
        let mut stores = Vec::new();
        for (first, count) in layer_runs(mask, targets.layers) {
            let layers = (targets.area, first, count);
            if single.is_empty() {
                transfer::copy_view(attachment, &image, layers)?.run(&device.engine);
                stores.push(transfer::copy_view(&image, attachment, layers)?);
                continue;
            }
            if single.iter().any(|one| one.is_loaded) {
                transfer::expand_view(attachment, &image, layers)?.run(&device.engine);
            }
            for &(aspect, mode) in single.iter().flat_map(|one| &one.resolves) {
                stores.extend(transfer::resolve_transfers(&ResolveView {
                    source: Arc::clone(&image),
                    target: Arc::clone(attachment),
                    aspect,
                    mode,
                    area: targets.area,
                    first_layer: first,
                    layer_count: count,
                })?);
            }
        }
        Ok(Substitute { attachment: Arc::clone(attachment), image, stores })
    }
}

impl SubstituteTargets {
    /// Fills what attachments are replaced by; none where none is.
    pub(super) fn load(device: &DeviceCore, targets: &Arc<Targets>) -> Option<Arc<SubstituteTargets>> {
        let is_replaced = |view: &Arc<ImageView>| {
            view.image().is_tiled() || targets.single_sampled.iter().any(|one| is_same(&one.view, view))
        };
        if !targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil).any(is_replaced) {
            return None;
        }
        let mut copies: Vec<Substitute> = Vec::new();
        let mut drawn = Targets::clone(targets);
        let views = drawn.colors.iter_mut().flatten().chain(&mut drawn.depth).chain(&mut drawn.stencil);
        for view in views.filter(|view| is_replaced(view)) {
            let known = copies.iter().find(|copy| is_same(&copy.attachment, view));
            if let Some(known) = known {
                *view = Arc::clone(&known.image);
                continue;
            }
            match Substitute::load(device, view, targets) {
                Ok(copy) => {
                    *view = Arc::clone(&copy.image);
                    copies.push(copy);
                }
                Err(error) => {
                    let message = format!("an attachment is not rendered to: {error}");
                    device.reporter().report(Severity::Error, &message, None);
                }
            }
        }
        Some(Arc::new(SubstituteTargets { targets: Arc::new(drawn), copies }))
    }

    /// What draws render to.
    pub(super) fn targets(&self) -> &Arc<Targets> {
        &self.targets
    }

    /// What an attachment is while it is rendered to, if it is replaced.
    pub(super) fn of(&self, view: &Arc<ImageView>) -> Option<&Arc<ImageView>> {
        self.copies.iter().find(|copy| is_same(&copy.attachment, view)).map(|copy| &copy.image)
    }

    /// Writes all of them back.
    pub(super) fn store(&self, engine: &Engine) {
        self.copies.iter().flat_map(|copy| &copy.stores).for_each(|store| store.run(engine));
    }
}
