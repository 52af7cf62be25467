//! Render passes of both generations, framebuffers, and the commands that begin and end rendering.

use crate::call::recording::record;
use crate::call::{find, guard, slice};
use crate::handle;
use crate::pointers::{In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::image::ImageView;
use pyro_driver::render_pass::{
    Attachment, ClearWords, DepthStencilResolve, Framebuffer, RateSource, RenderPass, RenderingAttachment,
    RenderingInfo, ShadingRates, Subpass,
};
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// An attachment's index, unless it is unused.
fn used(attachment: u32) -> Option<u32> {
    (attachment != vk::ATTACHMENT_UNUSED).then_some(attachment)
}

/// # Safety
/// `list` has as many elements as counted.
unsafe fn references(list: *const vk::AttachmentReference, count: u32) -> Vec<Option<u32>> {
    // SAFETY: `list` has as many elements as counted, by the contract of this function.
    unsafe { slice(list, count) }.iter().map(|reference| used(reference.attachment)).collect()
}

/// # Safety
/// `list` has as many elements as counted.
unsafe fn references2(list: *const vk::AttachmentReference2, count: u32) -> Vec<Option<u32>> {
    // SAFETY: `list` has as many elements as counted, by the contract of this function.
    unsafe { slice(list, count) }.iter().map(|reference| used(reference.attachment)).collect()
}

/// Where a subpass has its shading rates from: an attachment of its own, or the render pass's fragment
/// density map.
///
/// # Safety
/// `subpass` is valid, with its chain and all that it points to (`VkSubpassDescription2`, "Valid Usage") and
/// `pass` is null or starts a valid chain.
unsafe fn shading_rate(subpass: &vk::SubpassDescription2, pass: *const c_void) -> Option<RateSource> {
    let s_type = vk::StructureType::FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR;
    // SAFETY: `pFragmentShadingRateAttachment` is null or valid; each structure of the chain is of the type
    // that its `sType` says
    // (VUID-VkFragmentShadingRateAttachmentInfoKHR-pFragmentShadingRateAttachment-parameter).
    let own = || unsafe {
        let info = find::<vk::FragmentShadingRateAttachmentInfoKHR>(subpass.next, s_type)?;
        let reference = info.fragment_shading_rate_attachment.as_ref()?;
        Some(RateSource::Rates(used(reference.attachment)?, info.shading_rate_attachment_texel_size))
    };
    // SAFETY: `pass` is valid by the contract of this function, as `density_map` requires.
    own().or_else(|| unsafe { density_map(pass) })
}

/// The fragment density map of a render pass.
///
/// # Safety
/// `pass` is null or starts a valid chain.
unsafe fn density_map(pass: *const c_void) -> Option<RateSource> {
    let s_type = vk::StructureType::RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let info = unsafe { find::<vk::RenderPassFragmentDensityMapCreateInfoEXT>(pass, s_type) }?;
    used(info.fragment_density_map_attachment.attachment).map(RateSource::Densities)
}

pub(crate) unsafe extern "system" fn create_render_pass(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid; `pViewMasks`, `pAttachments` and
    // `pSubpasses` have as many elements as counted; `depth_stencil_attachment` is null or valid; each
    // structure of the chain is of the type that its `sType` says
    // (VUID-vkCreateRenderPass-pCreateInfo-parameter, VUID-vkCreateRenderPass-pAllocator-parameter,
    // VUID-vkCreateRenderPass-pRenderPass-parameter,
    // VUID-VkRenderPassMultiviewCreateInfo-pViewMasks-parameter,
    // VUID-VkRenderPassCreateInfo-pAttachments-parameter, VUID-VkRenderPassCreateInfo-pSubpasses-parameter).
    guard(CommandId::create_render_pass, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let s_type = vk::StructureType::RENDER_PASS_MULTIVIEW_CREATE_INFO;
        let multiview = find::<vk::RenderPassMultiviewCreateInfo>(info.next, s_type);
        let view_masks =
            multiview.map_or(&[][..], |multiview| slice(multiview.view_masks, multiview.subpass_count));
        let attachments = slice(info.attachments, info.attachment_count).iter().map(|one| Attachment {
            format: one.format,
            samples: one.samples,
            load: one.load_op,
            stencil_load: one.stencil_load_op,
            store: one.store_op,
            stencil_store: one.stencil_store_op,
        });
        let subpasses = slice(info.subpasses, info.subpass_count).iter().enumerate();
        let subpasses = subpasses.map(|(index, subpass)| Subpass {
            view_mask: view_masks.get(index).copied().unwrap_or(0),
            inputs: references(subpass.input_attachments, subpass.input_attachment_count),
            colors: references(subpass.color_attachments, subpass.color_attachment_count),
            resolves: references(subpass.resolve_attachments, subpass.color_attachment_count),
            depth_stencil: subpass.depth_stencil_attachment.as_ref().and_then(|one| used(one.attachment)),
            depth_stencil_resolve: None,
            dither: subpass.flags.contains(vk::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT),
            shading_rate: density_map(info.next),
        });
        let pass = RenderPass::new(attachments.collect(), subpasses.collect())?;
        *out = vk::RenderPass::from_raw(handle::new(pass, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn create_render_pass2(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo2,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid; `pAttachments` and `pSubpasses` have
    // as many elements as counted; `pDepthStencilResolveAttachment` and `depth_stencil_attachment` are null
    // or valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkCreateRenderPass2-pCreateInfo-parameter, VUID-vkCreateRenderPass2-pAllocator-parameter,
    // VUID-vkCreateRenderPass2-pRenderPass-parameter, VUID-VkRenderPassCreateInfo2-pAttachments-parameter,
    // VUID-VkRenderPassCreateInfo2-pSubpasses-parameter,
    // VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-parameter).
    guard(CommandId::create_render_pass2, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let attachments = slice(info.attachments, info.attachment_count).iter().map(|one| Attachment {
            format: one.format,
            samples: one.samples,
            load: one.load_op,
            stencil_load: one.stencil_load_op,
            store: one.store_op,
            stencil_store: one.stencil_store_op,
        });
        let subpasses = slice(info.subpasses, info.subpass_count).iter().map(|subpass| {
            let s_type = vk::StructureType::SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE;
            let resolve = find::<vk::SubpassDescriptionDepthStencilResolve>(subpass.next, s_type);
            let depth_stencil_resolve = resolve.and_then(|resolve| {
                let target = resolve.depth_stencil_resolve_attachment.as_ref()?;
                Some(DepthStencilResolve {
                    attachment: used(target.attachment)?,
                    depth_mode: resolve.depth_resolve_mode,
                    stencil_mode: resolve.stencil_resolve_mode,
                })
            });
            Subpass {
                view_mask: subpass.view_mask,
                inputs: references2(subpass.input_attachments, subpass.input_attachment_count),
                colors: references2(subpass.color_attachments, subpass.color_attachment_count),
                resolves: references2(subpass.resolve_attachments, subpass.color_attachment_count),
                depth_stencil: subpass.depth_stencil_attachment.as_ref().and_then(|one| used(one.attachment)),
                depth_stencil_resolve,
                dither: subpass.flags.contains(vk::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT),
                shading_rate: shading_rate(subpass, info.next),
            }
        });
        let pass = RenderPass::new(attachments.collect(), subpasses.collect())?;
        *out = vk::RenderPass::from_raw(handle::new(pass, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_render_pass(RenderPass), RenderPass);

pub(crate) fn get_render_area_granularity(
    _device: vk::Device,
    _pass: vk::RenderPass,
    mut out: Out<'_, vk::Extent2D>,
) {
    out.write(vk::Extent2D { width: 1, height: 1 });
}

pub(crate) fn get_rendering_area_granularity(
    _device: vk::Device,
    _info: In<'_, vk::RenderingAreaInfo>,
    mut out: Out<'_, vk::Extent2D>,
) {
    out.write(vk::Extent2D { width: 1, height: 1 });
}

/// # Safety
/// `list` has as many elements as counted.
unsafe fn views(list: *const vk::ImageView, count: u32) -> Result<Vec<Arc<ImageView>>> {
    // SAFETY: `list` has as many elements as counted, by the contract of this function.
    unsafe { slice(list, count).iter().map(|view| handle::get::<ImageView>(view.as_raw())).collect() }
}

pub(crate) unsafe extern "system" fn create_framebuffer(
    device: vk::Device,
    info: *const vk::FramebufferCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Framebuffer,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateFramebuffer-pCreateInfo-parameter, VUID-vkCreateFramebuffer-pAllocator-parameter,
    // VUID-vkCreateFramebuffer-pFramebuffer-parameter).
    guard(CommandId::create_framebuffer, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
        let views = if imageless { None } else { Some(views(info.attachments, info.attachment_count)?) };
        let (width, height, layers) = (info.width, info.height, info.layers);
        *out =
            vk::Framebuffer::from_raw(handle::new(Framebuffer { views, width, height, layers }, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_framebuffer(Framebuffer), Framebuffer);

/// The words of a clear value, whichever of them it is.
fn clear_words(value: &vk::ClearValue) -> ClearWords {
    // SAFETY: all of the union is plain words.
    unsafe { value.color.uint32 }
}

pub(crate) unsafe extern "system" fn cmd_begin_render_pass(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo,
    _contents: vk::SubpassContents,
) {
    // SAFETY: `info` is valid; `pClearValues` has as many elements as counted; each structure of the chain is
    // of the type that its `sType` says (VUID-vkCmdBeginRenderPass-pRenderPassBegin-parameter,
    // VUID-VkRenderPassBeginInfo-pClearValues-parameter).
    unsafe {
        record(CommandId::cmd_begin_render_pass, buffer, |buffer| {
            let info = &*info;
            let pass = handle::get::<RenderPass>(info.render_pass.as_raw())?;
            let framebuffer = handle::get::<Framebuffer>(info.framebuffer.as_raw())?;
            let attachments = match &framebuffer.views {
                Some(views) => views.clone(),
                None => {
                    let s_type = vk::StructureType::RENDER_PASS_ATTACHMENT_BEGIN_INFO;
                    let named = find::<vk::RenderPassAttachmentBeginInfo>(info.next, s_type);
                    named.map_or(Ok(Vec::new()), |named| views(named.attachments, named.attachment_count))?
                }
            };
            let clears = slice(info.clear_values, info.clear_value_count).iter().map(clear_words).collect();
            let extent = ([framebuffer.width, framebuffer.height], framebuffer.layers);
            let area = device_render_area(info.next, info.render_area);
            buffer.begin_render_pass(pass, attachments, clears, area, extent)
        });
    }
}

/// The render area: that of the one device of the group, where the chain has areas by device
/// (`VkDeviceGroupRenderPassBeginInfo::pDeviceRenderAreas`), else `area`.
///
/// # Safety
/// The chain is valid.
unsafe fn device_render_area(next: *const c_void, area: vk::Rect2D) -> vk::Rect2D {
    let s_type = vk::StructureType::DEVICE_GROUP_RENDER_PASS_BEGIN_INFO;
    // SAFETY: the caller's chain, whose structures are what their types say.
    let group = unsafe { find::<vk::DeviceGroupRenderPassBeginInfo>(next, s_type) };
    // SAFETY: the structure's array has as many areas as it says.
    let areas = group
        // SAFETY: `pDeviceRenderAreas` has as many elements as counted
        // (VUID-VkDeviceGroupRenderPassBeginInfo-pDeviceRenderAreas-parameter).
        .map_or(&[][..], |group| unsafe { slice(group.device_render_areas, group.device_render_area_count) });
    areas.first().copied().unwrap_or(area)
}

pub(crate) unsafe extern "system" fn cmd_begin_render_pass2(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo,
    subpass: *const vk::SubpassBeginInfo,
) {
    // SAFETY: `info` and `subpass` are valid (VUID-vkCmdBeginRenderPass2-pRenderPassBegin-parameter,
    // VUID-vkCmdBeginRenderPass2-pSubpassBeginInfo-parameter).
    unsafe { cmd_begin_render_pass(buffer, info, (*subpass).contents) };
}

pub(crate) fn cmd_next_subpass(buffer: vk::CommandBuffer, _contents: vk::SubpassContents) {
    record(CommandId::cmd_next_subpass, buffer, |buffer| buffer.next_subpass());
}

pub(crate) fn cmd_next_subpass2(
    buffer: vk::CommandBuffer,
    _begin: In<'_, vk::SubpassBeginInfo>,
    _end: In<'_, vk::SubpassEndInfo>,
) {
    record(CommandId::cmd_next_subpass2, buffer, |buffer| buffer.next_subpass());
}

pub(crate) fn cmd_end_render_pass(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_render_pass, buffer, |buffer| buffer.end_rendering());
}

pub(crate) fn cmd_end_render_pass2(buffer: vk::CommandBuffer, _end: In<'_, vk::SubpassEndInfo>) {
    cmd_end_render_pass(buffer);
}

fn rendering_attachment(info: Option<&vk::RenderingAttachmentInfo>) -> Result<Option<RenderingAttachment>> {
    let Some(info) = info.filter(|info| !info.image_view.is_null()) else { return Ok(None) };
    let view = handle::get::<ImageView>(info.image_view.as_raw())?;
    let resolve = if info.resolve_mode.is_empty() {
        None
    } else {
        crate::call::get_or_report::<ImageView>(info.resolve_image_view.as_raw())
    };
    Ok(Some(RenderingAttachment {
        view,
        load: info.load_op,
        store: info.store_op,
        clear: clear_words(&info.clear_value),
        resolve: resolve.map(|target| (target, info.resolve_mode)),
    }))
}

pub(crate) unsafe extern "system" fn cmd_begin_rendering(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderingInfo,
) {
    // SAFETY: `info` is valid; `pColorAttachments` has as many elements as counted; `pDepthAttachment` and
    // `pStencilAttachment` are null or valid; each structure of the chain is of the type that its `sType`
    // says (VUID-vkCmdBeginRendering-pRenderingInfo-parameter,
    // VUID-VkRenderingInfo-pColorAttachments-parameter, VUID-VkRenderingInfo-pDepthAttachment-parameter,
    // VUID-VkRenderingInfo-pStencilAttachment-parameter).
    unsafe {
        record(CommandId::cmd_begin_rendering, buffer, |buffer| {
            let info = &*info;
            let colors = slice(info.color_attachments, info.color_attachment_count).iter();
            let colors = colors.map(|color| rendering_attachment(Some(color))).collect::<Result<_>>()?;
            let s_type = vk::StructureType::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR;
            let rates = find::<vk::RenderingFragmentShadingRateAttachmentInfoKHR>(info.next, s_type);
            let rates = rates.filter(|rates| !rates.image_view.is_null()).map(|rates| {
                let view = handle::get::<ImageView>(rates.image_view.as_raw())?;
                ShadingRates::new(view, rates.shading_rate_attachment_texel_size)
            });
            let area = device_render_area(info.next, info.render_area);
            let s_type = vk::StructureType::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT;
            let map = find::<vk::RenderingFragmentDensityMapAttachmentInfoEXT>(info.next, s_type);
            let map = map.filter(|map| !map.image_view.is_null()).map(|map| {
                let vk::Rect2D { offset, extent } = area;
                let end = |from: i32, size: u32| u32::try_from(from).unwrap_or(0).saturating_add(size);
                let pixels = [end(offset.x, extent.width), end(offset.y, extent.height)];
                ShadingRates::density_map(handle::get::<ImageView>(map.image_view.as_raw())?, pixels)
            });
            buffer.begin_rendering(RenderingInfo {
                flags: info.flags,
                area,
                layers: info.layer_count,
                view_mask: info.view_mask,
                colors,
                depth: rendering_attachment(info.depth_attachment.as_ref())?,
                stencil: rendering_attachment(info.stencil_attachment.as_ref())?,
                shading_rate: rates.or(map).transpose()?,
            })
        });
    }
}

pub(crate) fn cmd_end_rendering2_khr(
    buffer: vk::CommandBuffer,
    _info: Option<In<'_, vk::RenderingEndInfoKHR>>,
) {
    cmd_end_rendering(buffer);
}

pub(crate) fn cmd_end_rendering(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_rendering, buffer, |buffer| buffer.end_rendering());
}

pub(crate) fn cmd_clear_attachments(
    buffer: vk::CommandBuffer,
    attachments: Slice<'_, vk::ClearAttachment>,
    rects: Slice<'_, vk::ClearRect>,
) {
    record(CommandId::cmd_clear_attachments, buffer, |buffer| {
        let clears = attachments.iter().map(|one| {
            if one.aspect_mask.contains(vk::ImageAspectFlags::COLOR)
                && one.aspect_mask != vk::ImageAspectFlags::COLOR
            {
                return Err(Error::misuse(
                    "aspectMask combines COLOR with other aspects (VUID-VkClearAttachment-aspectMask-00019)",
                ));
            }
            Ok((one.aspect_mask, one.color_attachment, clear_words(&one.clear_value)))
        });
        buffer.clear_attachments(clears.collect::<Result<_>>()?, rects.get().into())
    });
}
