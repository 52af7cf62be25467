//! Which attachments of one sample are rendered to with several
//! (`VK_EXT_multisampled_render_to_single_sampled`).

use super::instance::{RenderingInfo, dynamic_attachments};
use super::step::SingleSampled;
use crate::objects::image::ImageView;
use crate::objects::render_pass::RenderPass;
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Whether samples become texels again: what is not stored may be lost. (With `STORE_OP_NONE` texels may not
/// change, where nothing was drawn.)
fn is_stored(store: vk::AttachmentStoreOp) -> bool {
    store == vk::AttachmentStoreOp::STORE
}

/// Those of a subpass.
pub(super) fn of_pass(pass: &RenderPass, subpass: usize, views: &[Arc<ImageView>]) -> Vec<SingleSampled> {
    let description = &pass.subpasses()[subpass];
    let Some(info) = description.single_sampled else { return Vec::new() };
    let drawn = description.colors.iter().copied().flatten().chain(description.depth_stencil);
    let mut list = Vec::new();
    for index in drawn {
        let Some(view) = views.get(index as usize).filter(|view| view.record().samples == 1) else {
            continue;
        };
        let attachment = &pass.attachments()[index as usize];
        let is_used_after = pass.is_used_after(subpass, index);
        let resolve = |aspect: vk::ImageAspectFlags| {
            let (mode, store) = match aspect {
                vk::ImageAspectFlags::DEPTH => (info.modes[0], attachment.store),
                vk::ImageAspectFlags::STENCIL => (info.modes[1], attachment.stencil_store),
                _ => (view.color_resolve_mode(), attachment.store),
            };
            let is_kept = is_used_after || is_stored(store);
            (view.attachment_aspects().contains(aspect) && is_kept && !mode.is_empty())
                .then_some((aspect, mode))
        };
        let aspects =
            [vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL];
        let mask = if description.view_mask == 0 { u32::MAX } else { description.view_mask };
        let first_use =
            pass.loads(subpass).iter().find(|load| load.attachment == index && load.views == mask);
        let loads = [attachment.load, attachment.stencil_load].contains(&vk::AttachmentLoadOp::LOAD);
        list.push(SingleSampled {
            view: Arc::clone(view),
            samples: info.samples,
            is_loaded: first_use.is_none() || loads,
            resolves: aspects.into_iter().filter_map(resolve).collect(),
        });
    }
    list
}

/// Those of dynamic rendering.
pub(super) fn of_dynamic(info: &RenderingInfo) -> Vec<SingleSampled> {
    let Some(samples) = info.single_sampled.filter(|_| !info.resolves_itself) else { return Vec::new() };
    let resumes = info.flags.contains(vk::RenderingFlags::RESUMING);
    let suspends = info.flags.contains(vk::RenderingFlags::SUSPENDING);
    let of_one = dynamic_attachments(info).filter(|(one, _)| one.view.record().samples == 1);
    let list = of_one.map(|(one, aspect)| {
        let is_kept = (suspends || is_stored(one.store)) && !one.mode.is_empty();
        SingleSampled {
            view: Arc::clone(&one.view),
            samples,
            is_loaded: resumes || one.load == vk::AttachmentLoadOp::LOAD,
            resolves: SmallVec::from_iter(is_kept.then_some((aspect, one.mode))),
        }
    });
    list.collect()
}
