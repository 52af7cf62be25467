//! Render passes of both generations, framebuffers, and the commands that begin and end rendering.

use crate::call::guard;
use crate::call::recording::record;
use crate::entry::follow;
use crate::entry::performance::counted_regions;
use crate::entry::tile::{check_tile_memory_size, tile_shading};
use crate::handle;
use crate::pointers::{Allocator, Chain, In, Out, PlainWords, Slice};
use crate::registry::CommandId;
use pyro_driver::command::CommandBuffer;
use pyro_driver::command::transfer::Rotation;
use pyro_driver::image::ImageView;
use pyro_driver::limits::RENDER_PASS_STRIPES_MAX;
use pyro_driver::render_pass::{
    Attachment, DensityOffsets, DepthStencilResolve, Framebuffer, PassDependency, PassOrder, RateSource,
    RenderPass, RenderToSingleSampled, RenderingAttachment, RenderingInfo, ShadingRates, Subpass,
};
use pyro_driver::{Error, Result};
use pyro_sanitizer::commands::Barrier;
use pyro_sanitizer::commands::scope::Scope;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// An attachment's index, unless it is unused.
fn used(attachment: u32) -> Option<u32> {
    (attachment != vk::ATTACHMENT_UNUSED).then_some(attachment)
}

/// A reference of a subpass to an attachment, of either generation.
trait Reference: Copy {
    /// The attachment's index, or `VK_ATTACHMENT_UNUSED`, and its layout.
    fn place(self) -> (u32, vk::ImageLayout);
}

impl Reference for vk::AttachmentReference {
    fn place(self) -> (u32, vk::ImageLayout) {
        (self.attachment, self.layout)
    }
}

impl Reference for vk::AttachmentReference2 {
    fn place(self) -> (u32, vk::ImageLayout) {
        (self.attachment, self.layout)
    }
}

fn references(list: Slice<'_, impl Reference>) -> Vec<Option<u32>> {
    list.iter().map(|reference| used(reference.place().0)).collect()
}

/// An attachment of a render pass by its description of either generation.
macro_rules! attachment {
    ($one:expr) => {
        Attachment {
            format: $one.format,
            samples: $one.samples,
            load: $one.load_op,
            stencil_load: $one.stencil_load_op,
            store: $one.store_op,
            stencil_store: $one.stencil_store_op,
        }
    };
}

/// Where a subpass has its shading rates from: an attachment of its own, or the render pass's fragment
/// density map.
fn shading_rate(subpass: In<'_, vk::SubpassDescription2>, pass: Chain) -> Option<RateSource> {
    let own = || {
        let info = subpass.find::<vk::FragmentShadingRateAttachmentInfoKHR>()?;
        let reference = info.fragment_shading_rate_attachment()?;
        Some(RateSource::Rates(used(reference.attachment)?, info.shading_rate_attachment_texel_size))
    };
    own().or_else(|| density_map(pass))
}

/// The fragment density map of a render pass.
fn density_map(pass: Chain) -> Option<RateSource> {
    let info = pass.find::<vk::RenderPassFragmentDensityMapCreateInfoEXT>()?;
    used(info.fragment_density_map_attachment.attachment).map(RateSource::Densities)
}

pub(crate) fn create_render_pass(
    device: vk::Device,
    info: In<'_, vk::RenderPassCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::RenderPass>,
) -> vk::Result {
    guard(CommandId::create_render_pass, || {
        crate::entry::device::check(device)?;
        check_tile_memory_size(info.chain())?;
        let multiview = info.find::<vk::RenderPassMultiviewCreateInfo>();
        let view_masks = multiview.map_or(Slice::empty(), |multiview| multiview.view_masks()).get();
        let attachments = info.attachments().into_iter().map(|one| attachment!(one));
        let subpasses = info.subpasses().into_iter().enumerate().map(|(index, subpass)| Subpass {
            view_mask: view_masks.get(index).copied().unwrap_or(0),
            inputs: references(subpass.input_attachments()),
            colors: references(subpass.color_attachments()),
            resolves: references(subpass.resolve_attachments()),
            depth_stencil: subpass.depth_stencil_attachment().and_then(|one| used(one.attachment)),
            depth_stencil_resolve: None,
            single_sampled: None,
            dither: subpass.flags.contains(vk::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT),
            tile_apron: subpass.flags.contains(vk::SubpassDescriptionFlags::TILE_SHADING_APRON_QCOM),
            shading_rate: density_map(info.chain()),
        });
        let pass = RenderPass::new(attachments.collect(), subpasses.collect())?
            .with_tile_shading(tile_shading(info.chain())?)
            .with_density_layers(
                info.flags.contains(vk::RenderPassCreateFlags::PER_LAYER_FRAGMENT_DENSITY_VALVE),
            )
            .with_transform(info.flags.contains(vk::RenderPassCreateFlags::TRANSFORM_QCOM))?;
        let pass = pass.with_order(follow::is_on().then(|| order(info)));
        out.write(vk::RenderPass::from_raw(handle::create(pass, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// A dependency's scopes.
fn dependency(from: u32, to: u32, stages: (u64, u64), accesses: (u64, u64)) -> PassDependency {
    let first = Scope { stages: stages.0, accesses: accesses.0 };
    let second = Scope { stages: stages.1, accesses: accesses.1 };
    PassDependency { from, to, barrier: Barrier { first, second, ranges: None } }
}

/// The attachments that a subpass names, with their layouts as numbers.
fn layouts<'a, R: Reference + 'a>(
    lists: [Slice<'a, R>; 3],
    depth_stencil: Option<In<'a, R>>,
) -> Vec<(u32, i32)> {
    let all = lists.into_iter().flat_map(|list| list.iter().map(|one| one.place()));
    let all = all.chain(depth_stencil.map(|one| one.place()));
    all.map(|(attachment, layout)| (attachment, layout.as_raw())).collect()
}

/// The layouts and dependencies of a render pass, for the sanitizer.
fn order(info: In<'_, vk::RenderPassCreateInfo>) -> PassOrder {
    let attachments = info.attachments().iter().map(|one| [one.initial_layout, one.final_layout]);
    let references = info.subpasses().into_iter().map(|subpass| {
        let lists = [subpass.input_attachments(), subpass.color_attachments(), subpass.resolve_attachments()];
        layouts(lists, subpass.depth_stencil_attachment())
    });
    let dependencies = info.dependencies().iter().map(|one| {
        let stages = (one.src_stage_mask.bits().into(), one.dst_stage_mask.bits().into());
        let accesses = (one.src_access_mask.bits().into(), one.dst_access_mask.bits().into());
        dependency(one.src_subpass, one.dst_subpass, stages, accesses)
    });
    PassOrder {
        layouts: attachments.map(|layouts| layouts.map(vk::ImageLayout::as_raw)).collect(),
        references: references.collect(),
        dependencies: dependencies.collect(),
    }
}

/// As [`order`], of the second generation.
fn order2(info: In<'_, vk::RenderPassCreateInfo2>) -> PassOrder {
    let attachments = info.attachments().iter().map(|one| [one.initial_layout, one.final_layout]);
    let references = info.subpasses().into_iter().map(|subpass| {
        let lists = [subpass.input_attachments(), subpass.color_attachments(), subpass.resolve_attachments()];
        layouts(lists, subpass.depth_stencil_attachment())
    });
    let dependencies = info.dependencies().into_iter().map(|one| {
        let (mut stages, mut accesses) = (
            (one.src_stage_mask.bits().into(), one.dst_stage_mask.bits().into()),
            (one.src_access_mask.bits().into(), one.dst_access_mask.bits().into()),
        );
        // A barrier in the chain takes the place of the dependency's own masks.
        if let Some(barrier) = one.find::<vk::MemoryBarrier2>() {
            stages = (barrier.src_stage_mask.bits(), barrier.dst_stage_mask.bits());
            accesses = (barrier.src_access_mask.bits(), barrier.dst_access_mask.bits());
        }
        dependency(one.src_subpass, one.dst_subpass, stages, accesses)
    });
    PassOrder {
        layouts: attachments.map(|layouts| layouts.map(vk::ImageLayout::as_raw)).collect(),
        references: references.collect(),
        dependencies: dependencies.collect(),
    }
}

fn depth_stencil_resolve(subpass: In<'_, vk::SubpassDescription2>) -> Option<DepthStencilResolve> {
    let resolve = subpass.find::<vk::SubpassDescriptionDepthStencilResolve>()?;
    Some(DepthStencilResolve {
        attachment: used(resolve.depth_stencil_resolve_attachment()?.attachment)?,
        depth_mode: resolve.depth_resolve_mode,
        stencil_mode: resolve.stencil_resolve_mode,
    })
}

/// With how many samples attachments of one sample are rendered to.
fn render_to_single_sampled(chain: Chain) -> Option<vk::SampleCountFlags> {
    let info = chain.find::<vk::MultisampledRenderToSingleSampledInfoEXT>()?;
    (info.multisampled_render_to_single_sampled_enable != 0).then_some(info.rasterization_samples)
}

/// Subpasses are never merged: each is told so, and why (`VK_EXT_subpass_merge_feedback`).
fn tell_merging(info: In<'_, vk::RenderPassCreateInfo2>) {
    type Status = vk::SubpassMergeStatusEXT;
    let disallows = |chain: Chain| {
        chain.find::<vk::RenderPassCreationControlEXT>().is_some_and(|control| control.disallow_merging != 0)
    };
    if let Some(feedback) = info.find::<vk::RenderPassCreationFeedbackCreateInfoEXT>()
        && let Some(out) = feedback.render_pass_feedback()
    {
        out.set(vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: info.subpass_count });
    }
    for (index, subpass) in (0..).zip(info.subpasses()) {
        let feedback = subpass.find::<vk::RenderPassSubpassFeedbackCreateInfoEXT>();
        let Some(out) = feedback.and_then(|feedback| feedback.subpass_feedback()) else { continue };
        let (status, text) = if disallows(info.chain()) || disallows(subpass.chain()) {
            (Status::DISALLOWED, "the application disallows it")
        } else if info.subpass_count == 1 {
            (Status::NOT_MERGED_SINGLE_SUBPASS, "there is one subpass")
        } else {
            (Status::NOT_MERGED_UNSPECIFIED, "subpasses run one after the other")
        };
        out.set(vk::RenderPassSubpassFeedbackInfoEXT {
            subpass_merge_status: status,
            description: vk::StringArray::from_bytes(text.as_bytes()),
            post_merge_index: index,
        });
    }
}

pub(crate) fn create_render_pass2(
    device: vk::Device,
    info: In<'_, vk::RenderPassCreateInfo2>,
    allocator: Allocator,
    mut out: Out<'_, vk::RenderPass>,
) -> vk::Result {
    guard(CommandId::create_render_pass2, || {
        crate::entry::device::check(device)?;
        check_tile_memory_size(info.chain())?;
        let attachments = info.attachments().into_iter().map(|one| attachment!(one));
        let subpasses = info.subpasses().into_iter().map(|subpass| Subpass {
            view_mask: subpass.view_mask,
            inputs: references(subpass.input_attachments()),
            colors: references(subpass.color_attachments()),
            resolves: references(subpass.resolve_attachments()),
            depth_stencil: subpass.depth_stencil_attachment().and_then(|one| used(one.attachment)),
            depth_stencil_resolve: depth_stencil_resolve(subpass),
            single_sampled: render_to_single_sampled(subpass.chain()).map(|samples| RenderToSingleSampled {
                samples,
                modes: subpass
                    .find::<vk::SubpassDescriptionDepthStencilResolve>()
                    .map_or_else(Default::default, |one| [one.depth_resolve_mode, one.stencil_resolve_mode]),
            }),
            dither: subpass.flags.contains(vk::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT),
            tile_apron: subpass.flags.contains(vk::SubpassDescriptionFlags::TILE_SHADING_APRON_QCOM),
            shading_rate: shading_rate(subpass, info.chain()),
        });
        let pass = RenderPass::new(attachments.collect(), subpasses.collect())?
            .with_tile_shading(tile_shading(info.chain())?)
            .with_density_layers(
                info.flags.contains(vk::RenderPassCreateFlags::PER_LAYER_FRAGMENT_DENSITY_VALVE),
            )
            .with_transform(info.flags.contains(vk::RenderPassCreateFlags::TRANSFORM_QCOM))?;
        let pass = pass.with_order(follow::is_on().then(|| order2(info)));
        tell_merging(info);
        out.write(vk::RenderPass::from_raw(handle::create(pass, allocator)?));
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

fn views(list: Slice<'_, vk::ImageView>) -> Result<Vec<Arc<ImageView>>> {
    list.iter().map(|view| handle::get::<ImageView>(view.as_raw())).collect()
}

pub(crate) fn create_framebuffer(
    device: vk::Device,
    info: In<'_, vk::FramebufferCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::Framebuffer>,
) -> vk::Result {
    guard(CommandId::create_framebuffer, || {
        crate::entry::device::check(device)?;
        let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
        let views = match imageless {
            true => None,
            // SAFETY: the framebuffer has images (VUID-VkFramebufferCreateInfo-flags-02778).
            false => Some(views(unsafe { info.attachments() })?),
        };
        let (width, height, layers) = (info.width, info.height, info.layers);
        let pass = handle::get::<RenderPass>(info.render_pass.as_raw())?;
        let (tile_shading, view_mask) = (pass.tile_shading(), pass.view_mask());
        let framebuffer = Framebuffer { views, width, height, layers, tile_shading, view_mask };
        out.write(vk::Framebuffer::from_raw(handle::create(framebuffer, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_framebuffer(Framebuffer), Framebuffer);

pub(crate) fn cmd_begin_render_pass(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::RenderPassBeginInfo>,
    _contents: vk::SubpassContents,
) {
    begin_render_pass(CommandId::cmd_begin_render_pass, buffer, info);
}

pub(crate) fn cmd_begin_render_pass2(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::RenderPassBeginInfo>,
    _subpass: Option<In<'_, vk::SubpassBeginInfo>>,
) {
    begin_render_pass(CommandId::cmd_begin_render_pass2, buffer, info);
}

fn begin_render_pass(command: CommandId, buffer: vk::CommandBuffer, info: In<'_, vk::RenderPassBeginInfo>) {
    record(command, buffer, |buffer| {
        let pass = handle::get::<RenderPass>(info.render_pass.as_raw())?;
        let framebuffer = handle::get::<Framebuffer>(info.framebuffer.as_raw())?;
        let attachments = match &framebuffer.views {
            Some(views) => views.clone(),
            None => {
                let named = info.find::<vk::RenderPassAttachmentBeginInfo>();
                views(named.map_or(Slice::empty(), |named| named.attachments()))?
            }
        };
        check_stripes(info.chain())?;
        let clears = info.clear_values().iter().map(PlainWords::words).collect();
        let extent = ([framebuffer.width, framebuffer.height], framebuffer.layers);
        let area = device_render_area(buffer, info.chain(), info.render_area)?;
        let views = pass.subpasses().iter().fold(0, |views, subpass| views | subpass.view_mask);
        set_view_areas(buffer, info.chain(), views)?;
        let transform = transform(info, &pass, extent.0)?;
        // Devices' areas are parts of what is turned.
        let area = if transform.is_some() { info.render_area } else { area };
        buffer.set_counted_regions(counted_regions(info.chain())?)?;
        buffer.begin_render_pass(pass, attachments, clears, area, extent, transform)
    });
}

/// How the attachments of a framebuffer of so many pixels lie to what is drawn, if the beginning of the
/// render pass says so (`VkRenderPassTransformBeginInfoQCOM`).
fn transform(
    info: In<'_, vk::RenderPassBeginInfo>,
    pass: &RenderPass,
    pixels: [u32; 2],
) -> Result<Option<Rotation>> {
    let Some(named) = info.find::<vk::RenderPassTransformBeginInfoQCOM>() else { return Ok(None) };
    let rotation = Rotation::new(named.transform, "VUID-VkRenderPassTransformBeginInfoQCOM-transform-02871")?;
    if !pass.is_turnable() {
        return Err(Error::misuse(
            "the render pass was created without TRANSFORM (VUID-VkRenderPassTransformBeginInfoQCOM-flags-02872)",
        ));
    }
    let vk::Rect2D { offset, extent } = info.render_area;
    if (offset.x, offset.y) != (0, 0) {
        return Err(Error::misuse(
            "the render area of a turned render pass does not begin at the first pixel \
             (VUID-VkRenderPassBeginInfo-pNext-02869)",
        ));
    }
    if rotation.turned_size([extent.width, extent.height]) != pixels {
        return Err(Error::misuse(
            "the turned render area is not the framebuffer (VUID-VkRenderPassBeginInfo-pNext-02870)",
        ));
    }
    Ok(Some(rotation))
}

/// A secondary command buffer runs within a render pass with a transform, if the inheritance says so.
pub(super) fn inherit_transform(
    buffer: &mut CommandBuffer,
    info: In<'_, vk::CommandBufferInheritanceInfo>,
) -> Result<()> {
    let named = info.find::<vk::CommandBufferInheritanceRenderPassTransformInfoQCOM>();
    named.map_or(Ok(()), |named| buffer.inherit_transform(named.transform, named.render_area))
}

/// The render area: `area`, or where the chain has areas by device
/// (`VkDeviceGroupRenderPassBeginInfo::pDeviceRenderAreas`) one around them all, within which each device has
/// its own.
fn device_render_area(buffer: &mut CommandBuffer, chain: Chain, area: vk::Rect2D) -> Result<vk::Rect2D> {
    let Some(group) = chain.find::<vk::DeviceGroupRenderPassBeginInfo>() else { return Ok(area) };
    let areas = group.device_render_areas().get();
    match areas {
        [] | [_] => buffer.set_render_devices(group.device_mask, &[])?,
        areas => buffer.set_render_devices(group.device_mask, areas)?,
    }
    Ok(areas.iter().copied().reduce(around).unwrap_or(area))
}

/// The render areas of views (`VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM`).
///
/// # Errors
/// When they are fewer than the views of the mask, or begin in front of the first pixel.
fn set_view_areas(buffer: &mut CommandBuffer, chain: Chain, views: u32) -> Result<()> {
    let Some(info) = chain.find::<vk::MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM>() else {
        return Ok(());
    };
    let areas = info.per_view_render_areas().get();
    if areas.is_empty() || views == 0 {
        return Ok(());
    }
    if areas.len() < (u32::BITS - views.leading_zeros()) as usize {
        return Err(Error::misuse(
            "fewer render areas than views \
             (VUID-VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM-pNext-07865, \
             VUID-VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM-pNext-07866)",
        ));
    }
    if areas.iter().any(|area| area.offset.x < 0 || area.offset.y < 0) {
        return Err(Error::misuse(
            "the render area of a view has a negative offset \
             (VUID-VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM-offset-07861, \
             VUID-VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM-offset-07862)",
        ));
    }
    buffer.set_view_areas(areas)
}

/// Checks the stripes of a render pass, which end when it does.
fn check_stripes(chain: Chain) -> Result<()> {
    let Some(info) = chain.find::<vk::RenderPassStripeBeginInfoARM>() else { return Ok(()) };
    let areas: Vec<_> = info.stripe_infos().into_iter().map(|stripe| stripe.stripe_area).collect();
    if areas.len() > RENDER_PASS_STRIPES_MAX as usize {
        return Err(Error::misuse(
            "more than maxRenderPassStripes (VUID-VkRenderPassStripeBeginInfoARM-stripeInfoCount-09450)",
        ));
    }
    let meet = |from: i32, size: u32, other_from: i32, other_size: u32| {
        let end = |from: i32, size: u32| i64::from(from) + i64::from(size);
        i64::from(from) < end(other_from, other_size) && i64::from(other_from) < end(from, size)
    };
    let overlap = |one: &vk::Rect2D, other: &vk::Rect2D| {
        meet(one.offset.x, one.extent.width, other.offset.x, other.extent.width)
            && meet(one.offset.y, one.extent.height, other.offset.y, other.extent.height)
    };
    let overlaps =
        areas.iter().enumerate().any(|(index, one)| areas[..index].iter().any(|other| overlap(one, other)));
    if overlaps {
        return Err(Error::misuse(
            "stripes of a render pass overlap (VUID-VkRenderPassStripeBeginInfoARM-stripeArea-09451)",
        ));
    }
    Ok(())
}

/// The smallest area with both of these.
fn around(one: vk::Rect2D, other: vk::Rect2D) -> vk::Rect2D {
    let axis = |first: (i32, u32), second: (i32, u32)| {
        let end = |(from, size): (i32, u32)| i64::from(from) + i64::from(size);
        let (from, to) = (first.0.min(second.0), end(first).max(end(second)));
        (from, u32::try_from(to - i64::from(from)).unwrap_or(u32::MAX))
    };
    let (x, width) = axis((one.offset.x, one.extent.width), (other.offset.x, other.extent.width));
    let (y, height) = axis((one.offset.y, one.extent.height), (other.offset.y, other.extent.height));
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

pub(crate) fn cmd_next_subpass(buffer: vk::CommandBuffer, _contents: vk::SubpassContents) {
    record(CommandId::cmd_next_subpass, buffer, |buffer| buffer.next_subpass());
}

pub(crate) fn cmd_next_subpass2(
    buffer: vk::CommandBuffer,
    _begin: Option<In<'_, vk::SubpassBeginInfo>>,
    _end: Option<In<'_, vk::SubpassEndInfo>>,
) {
    record(CommandId::cmd_next_subpass2, buffer, |buffer| buffer.next_subpass());
}

pub(crate) fn cmd_end_render_pass(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_render_pass, buffer, |buffer| buffer.end_rendering(&[]));
}

/// How far the end of a render pass instance says that its fragment density map is moved.
fn density_offsets(chain: Option<Chain<'_>>) -> Slice<'_, vk::Offset2D> {
    let info = chain.and_then(|chain| chain.find::<vk::RenderPassFragmentDensityMapOffsetEndInfoEXT>());
    info.map_or(Slice::empty(), |info| info.fragment_density_offsets())
}

pub(crate) fn cmd_end_render_pass2(buffer: vk::CommandBuffer, end: Option<In<'_, vk::SubpassEndInfo>>) {
    record(CommandId::cmd_end_render_pass2, buffer, |buffer| {
        buffer.end_rendering(density_offsets(end.map(|end| end.chain())).get())
    });
}

fn rendering_attachment(
    info: Option<In<'_, vk::RenderingAttachmentInfo>>,
) -> Result<Option<RenderingAttachment>> {
    let Some(info) = info.filter(|info| !info.image_view.is_null()) else { return Ok(None) };
    let view = handle::get::<ImageView>(info.image_view.as_raw())?;
    let resolve = if info.resolve_mode.is_empty() || info.resolve_image_view.is_null() {
        None
    } else {
        crate::call::get_or_report::<ImageView>(info.resolve_image_view.as_raw())
    };
    Ok(Some(RenderingAttachment {
        view,
        load: info.load_op,
        store: info.store_op,
        clear: info.clear_value.words(),
        layout: info.image_layout,
        mode: info.resolve_mode,
        resolve: resolve.map(|target| (target, info.resolve_mode)),
    }))
}

pub(crate) fn cmd_begin_rendering(buffer: vk::CommandBuffer, info: In<'_, vk::RenderingInfo>) {
    record(CommandId::cmd_begin_rendering, buffer, |buffer| {
        check_stripes(info.chain())?;
        let colors = info.color_attachments().into_iter();
        let colors = colors.map(|color| rendering_attachment(Some(color))).collect::<Result<_>>()?;
        let rates = info.find::<vk::RenderingFragmentShadingRateAttachmentInfoKHR>();
        let rates = rates.filter(|rates| !rates.image_view.is_null()).map(|rates| {
            let view = handle::get::<ImageView>(rates.image_view.as_raw())?;
            ShadingRates::new(view, rates.shading_rate_attachment_texel_size)
        });
        let area = device_render_area(buffer, info.chain(), info.render_area)?;
        set_view_areas(buffer, info.chain(), info.view_mask)?;
        buffer.set_counted_regions(counted_regions(info.chain())?)?;
        let map = info.find::<vk::RenderingFragmentDensityMapAttachmentInfoEXT>();
        let map = map.filter(|map| !map.image_view.is_null()).map(|map| {
            let vk::Rect2D { offset, extent } = area;
            let end = |from: i32, size: u32| u32::try_from(from).unwrap_or(0).saturating_add(size);
            let pixels = [end(offset.x, extent.width), end(offset.y, extent.height)];
            let view = handle::get::<ImageView>(map.image_view.as_raw())?;
            let is_layered = info.flags.contains(vk::RenderingFlags::PER_LAYER_FRAGMENT_DENSITY_VALVE);
            ShadingRates::density_map(view, pixels, is_layered, DensityOffsets::default())
        });
        buffer.begin_rendering(RenderingInfo {
            flags: info.flags,
            area,
            layers: info.layer_count,
            view_mask: info.view_mask,
            colors,
            depth: rendering_attachment(info.depth_attachment())?,
            stencil: rendering_attachment(info.stencil_attachment())?,
            shading_rate: rates.or(map).transpose()?,
            single_sampled: render_to_single_sampled(info.chain()),
            resolves_itself: false,
            tile_shading: tile_shading(info.chain())?,
        })
    });
}

pub(crate) fn cmd_begin_custom_resolve_ext(
    buffer: vk::CommandBuffer,
    _info: Option<In<'_, vk::BeginCustomResolveInfoEXT>>,
) {
    record(CommandId::cmd_begin_custom_resolve_ext, buffer, |buffer| buffer.begin_custom_resolve());
}

pub(crate) fn cmd_end_rendering2_khr(
    buffer: vk::CommandBuffer,
    info: Option<In<'_, vk::RenderingEndInfoKHR>>,
) {
    record(CommandId::cmd_end_rendering2_khr, buffer, |buffer| {
        buffer.end_rendering(density_offsets(info.map(|info| info.chain())).get())
    });
}

pub(crate) fn cmd_end_rendering(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_rendering, buffer, |buffer| buffer.end_rendering(&[]));
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
            Ok((one.aspect_mask, one.color_attachment, one.clear_value.words()))
        });
        buffer.clear_attachments(clears.collect::<Result<_>>()?, rects.get().into())
    });
}
