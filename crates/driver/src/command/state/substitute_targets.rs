//! Attachments that are rendered to as other images.
//!
//! **Problem.** The engine renders to rows of texels, but images with sparse residency lie in tiles. It
//! renders to as many samples as it rasterizes, but attachments may have one
//! (`VK_EXT_multisampled_render_to_single_sampled`). It renders as shaders see pixels, but attachments may be
//! turned (`VK_QCOM_render_pass_transform`).
//!
//! **Approach.** While a subpass is under way, such an attachment is another image, of rows, of as many
//! samples as are rasterized, upright. It is filled when the subpass begins and written back (resolved, where
//! it has several samples; turned) when it ends. What turned attachments are resolved to is another image
//! too. Input attachments are read from the attachment itself, so it is written
//! back at barriers within the subpass too. What is written to tiles without memory is dropped there, as
//! every write is.
//!
//! **Invariants.** No draw waits in the batch when texels are copied. Only texels of the render area and of
//! the layers that are rendered to are written back: no others can have changed, and other commands may write
//! those meanwhile.

use crate::command::render_pass::{ResolveView, SingleSampled, Targets, layer_runs, turned_area};
use crate::command::transfer::{self, Rotation, Transfer};
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
    fn load(
        device: &DeviceCore,
        attachment: &Arc<ImageView>,
        targets: &Targets,
        is_defined: bool,
    ) -> Result<Substitute> {
        let rotation = targets.turned.as_ref().map_or(Rotation::None, |turned| turned.rotation);
        // Depth and stencil may be two attachments of one image.
        let single: SmallVec<[&SingleSampled; 2]> =
            targets.single_sampled.iter().filter(|one| is_same(&one.view, attachment)).collect();
        let samples = single.first().map(|one| one.samples);
        let (level, layers) = (attachment.level(), attachment.layer_count());
        let vk::Extent2D { width, height } = targets.area.extent;
        let size = targets.turned.is_some().then_some([width, height]);
        let rows = |samples| -> Result<Arc<ImageView>> {
            let rows = attachment.image().rows_of_level(level, layers, samples, size)?;
            let info = *attachment.info();
            let range = vk::ImageSubresourceRange {
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: 0,
                layer_count: layers,
                ..info.range
            };
            let info = ImageViewInfo { range, min_lod: 0.0, ..info };
            Ok(Arc::new(ImageView::new(device.textures(), Arc::new(rows), info)?))
        };
        let image = rows(samples)?;
        // Of one sample and turned: what it is resolved to before it is turned.
        let one_sample = match rotation {
            Rotation::None => None,
            _ => single.first().map(|_| rows(None)).transpose()?,
        };
        let mask = if targets.view_mask == 0 { u32::MAX } else { targets.view_mask };
        let mut stores = Vec::new();
        for (first, count) in layer_runs(mask, targets.layers) {
            let layers = (targets.area, first, count);
            let stored = (turned_area(targets.area, rotation), first, count);
            if single.is_empty() {
                if is_defined {
                    transfer::copy_view(attachment, &image, layers, rotation.back())?.run(&device.engine);
                }
                stores.push(transfer::copy_view(&image, attachment, stored, rotation)?);
                continue;
            }
            if single.iter().any(|one| one.is_loaded) {
                transfer::expand_view(attachment, &image, layers, rotation.back())?.run(&device.engine);
            }
            let target = one_sample.as_ref().unwrap_or(attachment);
            if let Some(upright) = &one_sample {
                // Aspects that are not resolved stay as they are.
                transfer::copy_view(attachment, upright, layers, rotation.back())?.run(&device.engine);
            }
            for &(aspect, mode) in single.iter().flat_map(|one| &one.resolves) {
                stores.extend(transfer::resolve_transfers(&ResolveView {
                    source: Arc::clone(&image),
                    target: Arc::clone(target),
                    aspect,
                    mode,
                    area: targets.area,
                    first_layer: first,
                    layer_count: count,
                })?);
            }
            if let Some(upright) = &one_sample {
                stores.push(transfer::copy_view(upright, attachment, stored, rotation)?);
            }
        }
        Ok(Substitute { attachment: Arc::clone(attachment), image, stores })
    }
}

/// Whether an attachment is another image while it is rendered to.
fn is_replaced(targets: &Targets, view: &Arc<ImageView>) -> bool {
    view.image().is_tiled()
        || targets.turned.is_some()
        || targets.single_sampled.iter().any(|one| is_same(&one.view, view))
}

impl SubstituteTargets {
    /// Whether any of the attachments is replaced.
    pub(super) fn are_needed(targets: &Targets) -> bool {
        let mut views = targets.colors.iter().flatten().chain(&targets.depth).chain(&targets.stencil);
        views.any(|view| is_replaced(targets, view))
    }

    /// Fills what attachments are replaced by, when a subpass begins or while it is under way; none where
    /// none is replaced.
    pub(super) fn load(
        device: &DeviceCore,
        targets: &Arc<Targets>,
        begins: bool,
    ) -> Option<Arc<SubstituteTargets>> {
        let is_replaced = |view: &Arc<ImageView>| is_replaced(targets, view);
        let undefined = targets.turned.iter().filter(|_| begins).flat_map(|turned| &turned.undefined);
        if !SubstituteTargets::are_needed(targets) {
            return None;
        }
        let mut copies: Vec<Substitute> = Vec::new();
        let mut drawn = Targets::clone(targets);
        let mut resolves = targets.turned.as_ref().map_or_else(Vec::new, |turned| turned.resolves.clone());
        let views = drawn.colors.iter_mut().flatten().chain(&mut drawn.depth).chain(&mut drawn.stencil);
        let views = views.chain(&mut resolves);
        for view in views.filter(|view| is_replaced(view)) {
            let known = copies.iter().find(|copy| is_same(&copy.attachment, view));
            if let Some(known) = known {
                *view = Arc::clone(&known.image);
                continue;
            }
            let is_defined = !undefined.clone().any(|one| is_same(one, view));
            match Substitute::load(device, view, targets, is_defined) {
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

    /// Writes all of them back, but for turned ones that nobody needs.
    pub(super) fn store(&self, engine: &Engine, dropped: &[Arc<ImageView>]) {
        let is_dropped = |view| self.targets.turned.is_some() && dropped.iter().any(|one| is_same(one, view));
        let kept = self.copies.iter().filter(|copy| !is_dropped(&copy.attachment));
        kept.flat_map(|copy| &copy.stores).for_each(|store| store.run(engine));
    }
}
