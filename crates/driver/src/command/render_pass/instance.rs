//! A render pass instance while it is recorded: render pass objects and dynamic rendering alike.

use super::counted_regions::{CountedRegions, SubpassRegions};
use super::single_sampled;
use super::step::{
    ClearView, ClearWords, DensityOffsets, ResolveView, ShadingRates, Step, Targets, Turned, layer_runs,
};
use super::told::{AttachmentUse, StepUse, between};
use crate::caps::limits::COLOR_ATTACHMENTS_MAX;
use crate::command::transfer::Rotation;
use crate::error::{Error, Result};
use crate::objects::image::ImageView;
use crate::objects::render_pass::{RateSource, RenderPass, Subpass, Tile, TileShading};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia_sys as vk;

/// Attachments whose contents are undefined are written all the same.
static KEEPS_DROPPED: AtomicBool = AtomicBool::new(false);

/// Has attachments written to memory whose contents are undefined after a render pass. Otherwise their texels
/// depend on which thread drew which tile, and who reads them in spite of that, such as a program that saves
/// all images, finds others in a replay.
pub fn keep_dropped_attachments() {
    KEEPS_DROPPED.store(true, Ordering::Relaxed);
}

/// What `vkCmdBeginRendering` says of one attachment.
#[derive(Clone)]
pub struct RenderingAttachment {
    /// The attachment.
    pub view: Arc<ImageView>,
    /// What happens to it first.
    pub load: vk::AttachmentLoadOp,
    /// The value of a clear.
    pub clear: ClearWords,
    /// What happens to it last.
    pub store: vk::AttachmentStoreOp,
    /// How it is resolved.
    pub mode: vk::ResolveModeFlags,
    /// What it is resolved to, and how.
    pub resolve: Option<(Arc<ImageView>, vk::ResolveModeFlags)>,
    /// The layout that it is in.
    pub layout: vk::ImageLayout,
}

/// `VkRenderingInfo`.
#[derive(Clone, Default)]
pub struct RenderingInfo {
    /// Suspending, resuming.
    pub flags: vk::RenderingFlags,
    /// The pixels.
    pub area: vk::Rect2D,
    /// Layers.
    pub layers: u32,
    /// Views; zero: no multiview.
    pub view_mask: u32,
    /// Colour attachments by location.
    pub colors: Vec<Option<RenderingAttachment>>,
    /// The depth attachment.
    pub depth: Option<RenderingAttachment>,
    /// The stencil attachment.
    pub stencil: Option<RenderingAttachment>,
    /// The fragment shading rate attachment.
    pub shading_rate: Option<ShadingRates>,
    /// With how many samples attachments of one sample are rendered to.
    pub single_sampled: Option<vk::SampleCountFlags>,
    /// Draws go to what attachments are resolved to (`vkCmdBeginCustomResolveEXT`).
    pub resolves_itself: bool,
    /// Where it enables tile shading.
    pub tile_shading: Option<TileShading>,
}

impl RenderingInfo {
    /// What draws render to of an attachment.
    fn drawn<'i>(&self, one: &'i Option<RenderingAttachment>) -> Option<&'i Arc<ImageView>> {
        let one = one.as_ref()?;
        match &one.resolve {
            _ if !self.resolves_itself => Some(&one.view),
            Some((target, vk::ResolveModeFlags::CUSTOM_EXT)) => Some(target),
            // Attachments that draws now write have one sample.
            _ => Some(&one.view).filter(|view| view.record().samples == 1),
        }
    }
}

/// Where in an instance a step is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Begin,
    Next,
    End,
}

/// An instance under way.
pub enum Instance {
    /// Of a render pass object.
    Pass {
        /// The render pass.
        pass: Arc<RenderPass>,
        /// Its attachments.
        views: Vec<Arc<ImageView>>,
        /// Their clear values, as many as were given.
        clears: Vec<ClearWords>,
        /// The pixels.
        area: vk::Rect2D,
        /// The framebuffer's pixels in x and y.
        pixels: [u32; 2],
        /// Its layers.
        layers: u32,
        /// The subpass under way.
        subpass: usize,
        /// How far its density map is moved.
        offsets: DensityOffsets,
        /// How attachments lie to what is drawn, if its beginning says so.
        transform: Option<Rotation>,
    },
    /// Of dynamic rendering.
    Dynamic(Box<RenderingInfo>),
}

/// Depth or stencil, whichever the view has.
fn depth_stencil_aspects(view: &ImageView) -> [vk::ImageAspectFlags; 2] {
    [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]
        .map(|aspect| view.attachment_aspects() & aspect)
}

impl Instance {
    /// Starts an instance of a render pass object.
    ///
    /// # Errors
    /// When the framebuffer has fewer attachments than the render pass.
    pub fn begin_pass(
        pass: Arc<RenderPass>,
        views: Vec<Arc<ImageView>>,
        clears: Vec<ClearWords>,
        area: vk::Rect2D,
        (pixels, layers): ([u32; 2], u32),
        transform: Option<Rotation>,
    ) -> Result<(Instance, Step)> {
        if views.len() < pass.attachments().len() {
            return Err(Error::misuse(
                "fewer attachments than the render pass has (VUID-VkRenderPassBeginInfo-framebuffer-03209)",
            ));
        }
        let instance = Instance::Pass {
            pass,
            views,
            clears,
            area,
            pixels,
            layers,
            subpass: 0,
            offsets: DensityOffsets::default(),
            transform,
        };
        let mut step = instance.start()?;
        step.told = instance.told(Boundary::Begin);
        Ok((instance, step))
    }

    /// Starts dynamic rendering.
    ///
    /// # Errors
    /// When there are too many colour attachments.
    pub fn begin_dynamic(info: RenderingInfo) -> Result<(Instance, Step)> {
        let instance = Instance::Dynamic(Box::new(info));
        let mut step = instance.start()?;
        step.told = instance.told(Boundary::Begin);
        Ok((instance, step))
    }

    /// Goes on to the next subpass.
    ///
    /// # Errors
    /// When there is none.
    pub fn next_subpass(&mut self) -> Result<Step> {
        let resolves = self.resolves();
        match self {
            Instance::Pass { pass, subpass, .. } if *subpass + 1 < pass.subpasses().len() => *subpass += 1,
            _ => {
                return Err(Error::misuse("there is no further subpass (VUID-vkCmdNextSubpass2-None-03102)"));
            }
        }
        Ok(Step { resolves, told: self.told(Boundary::Next), ..self.start()? })
    }

    /// Draws now go to what attachments of the mode `VK_RESOLVE_MODE_CUSTOM_BIT_EXT` are resolved to.
    ///
    /// # Errors
    /// When the instance was not begun for that, is suspended, or does it already.
    pub fn begin_custom_resolve(&mut self) -> Result<Step> {
        let Instance::Dynamic(info) = self else {
            return Err(Error::misuse(
                "no dynamic rendering is under way (VUID-vkCmdBeginCustomResolveEXT-commandBuffer-11517)",
            ));
        };
        if !info.flags.contains(vk::RenderingFlags::CUSTOM_RESOLVE_EXT) {
            return Err(Error::misuse(
                "rendering was begun without CUSTOM_RESOLVE (VUID-vkCmdBeginCustomResolveEXT-None-11519)",
            ));
        }
        if info.flags.contains(vk::RenderingFlags::SUSPENDING) {
            return Err(Error::misuse(
                "rendering is to be suspended (VUID-vkCmdBeginCustomResolveEXT-None-11520)",
            ));
        }
        if std::mem::replace(&mut info.resolves_itself, true) {
            return Err(Error::misuse(
                "a custom resolve has begun already (VUID-vkCmdBeginCustomResolveEXT-None-11518)",
            ));
        }
        Ok(Step { continues: true, ..self.start()? })
    }

    /// Ends the instance.
    pub fn end(&self) -> Step {
        let suspending = matches!(self, Instance::Dynamic(info)
            if info.flags.contains(vk::RenderingFlags::SUSPENDING));
        if suspending {
            return Step::default();
        }
        let told = self.told(Boundary::End);
        Step { resolves: self.resolves(), dropped: self.dropped(), told, ..Step::default() }
    }

    /// What the sanitizer is told at a step.
    fn told(&self, at: Boundary) -> Option<Box<StepUse>> {
        if !crate::objects::followed::is_on() {
            return None;
        }
        let mut told = StepUse::default();
        match self {
            Instance::Pass { pass, views, area, layers, subpass, transform, .. } => {
                (told.area, told.layers) = (turned_area(*area, transform.unwrap_or_default()), *layers);
                let (this, last) = (*subpass as u32, pass.subpasses().len() as u32 - 1);
                let outside = vk::SUBPASS_EXTERNAL;
                let (from, to) = match at {
                    Boundary::Begin => (outside, this),
                    Boundary::Next => (this - 1, this),
                    Boundary::End => (last, outside),
                };
                told.command = match at {
                    Boundary::Begin => "vkCmdBeginRenderPass",
                    Boundary::Next => "vkCmdNextSubpass",
                    Boundary::End => "vkCmdEndRenderPass",
                };
                (told.barriers, told.transitions) = between(pass, views, (from, to));
                let uses = |attachment: usize, is_load: bool| {
                    let (one, view) = (&pass.attachments()[attachment], &views[attachment]);
                    let depth_stencil = view.format().is_depth_stencil();
                    let (load, store) = (is_load.then_some(one.load), (!is_load).then_some(one.store));
                    AttachmentUse { view: Arc::clone(view), depth_stencil, load, store, layout: None }
                };
                if at == Boundary::End {
                    let all = 0..pass.attachments().len();
                    told.stores = all.map(|attachment| uses(attachment, false)).collect();
                } else {
                    let loads = pass.loads(*subpass).iter();
                    told.loads = loads.map(|load| uses(load.attachment as usize, true)).collect();
                }
            }
            Instance::Dynamic(info) => {
                (told.area, told.layers) = (info.area, info.layers.max(info.view_mask.count_ones()));
                let is_begin = at == Boundary::Begin;
                told.command = if is_begin { "vkCmdBeginRendering" } else { "vkCmdEndRendering" };
                let resumes = is_begin && info.flags.contains(vk::RenderingFlags::RESUMING);
                for (one, aspect) in dynamic_attachments(info).filter(|_| !resumes) {
                    let to = if is_begin { &mut told.loads } else { &mut told.stores };
                    to.push(AttachmentUse {
                        view: Arc::clone(&one.view),
                        depth_stencil: aspect != vk::ImageAspectFlags::COLOR,
                        load: is_begin.then_some(one.load),
                        store: (!is_begin).then_some(one.store),
                        layout: Some(one.layout),
                    });
                    if let (Some((view, _)), false) = (&one.resolve, is_begin) {
                        told.stores.push(AttachmentUse {
                            view: Arc::clone(view),
                            depth_stencil: false,
                            load: None,
                            store: Some(vk::AttachmentStoreOp::STORE),
                            layout: None,
                        });
                    }
                }
            }
        }
        Some(Box::new(told))
    }

    /// How far its fragment density map is moved, to be said; none without such a map.
    pub fn density_offsets(&self) -> Option<&DensityOffsets> {
        match self {
            Instance::Pass { offsets, .. } => Some(offsets),
            Instance::Dynamic(info) => info.shading_rate.as_ref().map(|rates| &rates.offsets),
        }
    }

    /// How its attachments lie to what is drawn, if its beginning says so, and its render area.
    pub fn transform(&self) -> Option<(Rotation, vk::Rect2D)> {
        match self {
            Instance::Pass { transform, area, .. } => transform.map(|rotation| (rotation, *area)),
            Instance::Dynamic(_) => None,
        }
    }

    /// What the subpass under way counts by region.
    ///
    /// # Errors
    /// As of [`CountedRegions::of_subpass`].
    pub(in crate::command) fn regions(&self, counted: &CountedRegions) -> Result<SubpassRegions> {
        let layers_of = |views: u32, layers: u32| match views {
            0 => layers,
            views => u32::BITS - views.leading_zeros(),
        };
        match self {
            Instance::Pass { pass, area, layers, subpass, .. } => {
                let views = pass.subpasses().iter().fold(0, |views, one| views | one.view_mask);
                let place = (*subpass, pass.subpasses().len());
                counted.of_subpass(place, layers_of(views, *layers), (*area, false))
            }
            Instance::Dynamic(info) => {
                let adds = info.flags.contains(vk::RenderingFlags::RESUMING);
                counted.of_subpass((0, 1), layers_of(info.view_mask, info.layers), (info.area, adds))
            }
        }
    }

    /// Whether it enables tile shading.
    pub fn shades_tiles(&self) -> bool {
        match self {
            Instance::Pass { pass, .. } => pass.tile_shading().is_some(),
            Instance::Dynamic(info) => info.tile_shading.is_some(),
        }
    }

    /// The attachments whose contents nobody needs, of instances with one subpass, one layer and no inputs.
    fn dropped(&self) -> Vec<Arc<ImageView>> {
        let is_dropped = |load: vk::AttachmentLoadOp, store: vk::AttachmentStoreOp| {
            load != vk::AttachmentLoadOp::LOAD
                && load != vk::AttachmentLoadOp::NONE
                && store == vk::AttachmentStoreOp::DONT_CARE
        };
        let mut dropped: Vec<Arc<ImageView>> = Vec::new();
        if KEEPS_DROPPED.load(Ordering::Relaxed) {
            return dropped;
        }
        let mut kept: Vec<&Arc<ImageView>> = Vec::new();
        if self.shades_tiles() {
            // Shaders may read them.
            return dropped;
        }
        match self {
            Instance::Pass { pass, views, layers, .. } => {
                let [subpass] = pass.subpasses() else { return dropped };
                if subpass.view_mask != 0 || *layers != 1 || subpass.inputs.iter().any(Option::is_some) {
                    return dropped;
                }
                let drawn = subpass.colors.iter().flatten().chain(&subpass.depth_stencil);
                for (index, (attachment, view)) in (0..).zip(pass.attachments().iter().zip(views)) {
                    let aspects = view.attachment_aspects();
                    let stencil = aspects.contains(vk::ImageAspectFlags::STENCIL);
                    let other = aspects != vk::ImageAspectFlags::STENCIL;
                    let drops = (!other || is_dropped(attachment.load, attachment.store))
                        && (!stencil || is_dropped(attachment.stencil_load, attachment.stencil_store));
                    if drops && drawn.clone().any(|&drawn| drawn == index) {
                        dropped.push(Arc::clone(view));
                    } else {
                        kept.push(view);
                    }
                }
            }
            Instance::Dynamic(info) => {
                if info.view_mask != 0 || info.layers != 1 || !info.flags.is_empty() {
                    return dropped;
                }
                for (one, _) in dynamic_attachments(info) {
                    match is_dropped(one.load, one.store) {
                        true => dropped.push(Arc::clone(&one.view)),
                        false => kept.push(&one.view),
                    }
                    kept.extend(one.resolve.iter().map(|(target, _)| target));
                }
            }
        }
        // Depth and stencil may be two attachments of one image, and one of them stored.
        let is_kept = |view: &Arc<ImageView>| kept.iter().any(|kept| Arc::ptr_eq(kept.image(), view.image()));
        let is_read = |view: &Arc<ImageView>| {
            let read =
                vk::ImageUsageFlags::INPUT_ATTACHMENT | vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT;
            view.image().info().usage.intersects(read)
        };
        dropped.retain(|view| !is_kept(view) && !is_read(view));
        dropped
    }

    /// The samples, formats and so on of the subpass under way are those of its targets.
    fn start(&self) -> Result<Step> {
        match self {
            Instance::Pass { pass, views, area, pixels, layers, subpass, offsets, transform, .. } => {
                let description = &pass.subpasses()[*subpass];
                let view = |index: u32| views.get(index as usize).cloned();
                let depth_stencil = description.depth_stencil.and_then(view);
                let has =
                    |aspect| depth_stencil.clone().filter(|view| view.attachment_aspects().contains(aspect));
                let targets = Targets {
                    colors: description.colors.iter().map(|color| color.and_then(view)).collect(),
                    depth: has(vk::ImageAspectFlags::DEPTH),
                    stencil: has(vk::ImageAspectFlags::STENCIL),
                    inputs: Some(description.inputs.iter().map(|input| input.and_then(view)).collect()),
                    area: *area,
                    device_areas: Vec::new(),
                    layers: *layers,
                    view_mask: description.view_mask,
                    dither: description.dither,
                    shading_rate: description
                        .shading_rate
                        .and_then(|source| match source {
                            RateSource::Rates(index, texel) => Some(ShadingRates::new(view(index)?, texel)),
                            RateSource::Densities(index) => {
                                let is_layered = pass.has_density_layers();
                                Some(ShadingRates::density_map(
                                    view(index)?,
                                    *pixels,
                                    is_layered,
                                    offsets.clone(),
                                ))
                            }
                        })
                        .transpose()?,
                    single_sampled: single_sampled::of_pass(pass, *subpass, views),
                    tile: pass.tile_shading().map(|tile| {
                        let [width, height] = *pixels;
                        let all = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
                        let apron = if description.tile_apron { tile.apron } else { [0; 2] };
                        Tile::around(all, *layers, pass.view_mask(), apron)
                    }),
                    turned: transform
                        .filter(|&rotation| rotation != Rotation::None)
                        .map(|rotation| turned(pass, *subpass, views, rotation)),
                    regions: None,
                };
                Ok(Step {
                    clears: self.pass_clears(*subpass),
                    targets: Some(Arc::new(targets)),
                    ..Step::default()
                })
            }
            Instance::Dynamic(info) => {
                if info.colors.len() > COLOR_ATTACHMENTS_MAX {
                    return Err(Error::misuse(
                        "more than maxColorAttachments (VUID-VkRenderingInfo-colorAttachmentCount-06106)",
                    ));
                }
                let view = |one: &Option<RenderingAttachment>| info.drawn(one).cloned();
                let targets = Targets {
                    colors: info.colors.iter().map(view).collect(),
                    depth: view(&info.depth),
                    stencil: view(&info.stencil),
                    inputs: None,
                    area: info.area,
                    device_areas: Vec::new(),
                    layers: info.layers,
                    view_mask: info.view_mask,
                    dither: info.flags.contains(vk::RenderingFlags::ENABLE_LEGACY_DITHERING_EXT),
                    shading_rate: info.shading_rate.clone(),
                    single_sampled: single_sampled::of_dynamic(info),
                    tile: info
                        .tile_shading
                        .map(|tile| Tile::around(info.area, info.layers, info.view_mask, tile.apron)),
                    turned: None,
                    regions: None,
                };
                Ok(Step { clears: dynamic_clears(info), targets: Some(Arc::new(targets)), ..Step::default() })
            }
        }
    }

    /// The clears before a subpass.
    fn pass_clears(&self, subpass: usize) -> Vec<ClearView> {
        let Instance::Pass { pass, views, clears, area, layers, .. } = self else { return Vec::new() };
        let mut list = Vec::new();
        for load in pass.loads(subpass) {
            let index = load.attachment as usize;
            let (attachment, view) = (pass.attachments()[index], &views[index]);
            let mut aspects = vk::ImageAspectFlags::empty();
            if attachment.load == vk::AttachmentLoadOp::CLEAR {
                aspects |= view.attachment_aspects() & !vk::ImageAspectFlags::STENCIL;
            }
            if attachment.stencil_load == vk::AttachmentLoadOp::CLEAR {
                aspects |= view.attachment_aspects() & vk::ImageAspectFlags::STENCIL;
            }
            if aspects.is_empty() {
                continue;
            }
            for (first_layer, layer_count) in layer_runs(load.views, *layers) {
                list.push(ClearView {
                    view: Arc::clone(view),
                    aspects,
                    area: *area,
                    first_layer,
                    layer_count,
                    value: clears.get(index).copied().unwrap_or_default(),
                });
            }
        }
        list
    }

    /// The resolves after the subpass under way.
    fn resolves(&self) -> Vec<ResolveView> {
        match self {
            Instance::Pass { pass, views, area, layers, subpass, .. } => {
                pass_resolves(&pass.subpasses()[*subpass], views, *area, *layers)
            }
            Instance::Dynamic(info) => dynamic_resolves(info),
        }
    }
}

/// An area that begins at the first pixel, turned.
pub(in crate::command) fn turned_area(area: vk::Rect2D, rotation: Rotation) -> vk::Rect2D {
    let [width, height] = rotation.turned_size([area.extent.width, area.extent.height]);
    vk::Rect2D { extent: vk::Extent2D { width, height }, ..area }
}

/// What turned attachments of a subpass begin as.
fn turned(pass: &RenderPass, subpass: usize, views: &[Arc<ImageView>], rotation: Rotation) -> Turned {
    let description = &pass.subpasses()[subpass];
    let depth_stencil = description.depth_stencil_resolve.map(|resolve| resolve.attachment);
    let resolves = description.resolves.iter().copied().flatten().chain(depth_stencil);
    let mask = if description.view_mask == 0 { u32::MAX } else { description.view_mask };
    let is_undefined = |load: vk::AttachmentLoadOp| {
        [vk::AttachmentLoadOp::CLEAR, vk::AttachmentLoadOp::DONT_CARE].contains(&load)
    };
    let undefined = pass.loads(subpass).iter().filter_map(|load| {
        let (one, view) =
            (pass.attachments().get(load.attachment as usize)?, views.get(load.attachment as usize)?);
        let [depth, stencil] =
            depth_stencil_aspects(view).map(|aspect| view.attachment_aspects().contains(aspect));
        let is_color = !view.format().is_depth_stencil();
        let all =
            (!(is_color || depth) || is_undefined(one.load)) && (!stencil || is_undefined(one.stencil_load));
        (all && load.views == mask).then(|| Arc::clone(view))
    });
    Turned {
        rotation,
        resolves: resolves.filter_map(|index| views.get(index as usize).cloned()).collect(),
        undefined: undefined.collect(),
    }
}

fn pass_resolves(
    subpass: &Subpass,
    views: &[Arc<ImageView>],
    area: vk::Rect2D,
    layers: u32,
) -> Vec<ResolveView> {
    let mut list = Vec::new();
    let mask = if subpass.view_mask == 0 { u32::MAX } else { subpass.view_mask };
    let view = |index: u32| views.get(index as usize);
    let mut add = |source: &Arc<ImageView>, target: &Arc<ImageView>, aspect, mode| {
        for (first_layer, layer_count) in layer_runs(mask, layers) {
            list.push(ResolveView {
                source: Arc::clone(source),
                target: Arc::clone(target),
                aspect,
                mode,
                area,
                first_layer,
                layer_count,
            });
        }
    };
    for (color, resolve) in subpass.colors.iter().zip(&subpass.resolves) {
        if let (Some(source), Some(target)) = (color.and_then(view), resolve.and_then(view)) {
            let mode = source.color_resolve_mode();
            add(source, target, vk::ImageAspectFlags::COLOR, mode);
        }
    }
    if let (Some(source), Some(resolve)) =
        (subpass.depth_stencil.and_then(view), subpass.depth_stencil_resolve)
        && let Some(target) = view(resolve.attachment)
    {
        let [depth, stencil] = depth_stencil_aspects(source);
        for (aspect, mode) in [(depth, resolve.depth_mode), (stencil, resolve.stencil_mode)] {
            if !mode.is_empty() && !(aspect & target.attachment_aspects()).is_empty() {
                add(source, target, aspect, mode);
            }
        }
    }
    list
}

/// The attachments of dynamic rendering, each with its aspect.
pub(super) fn dynamic_attachments(
    info: &RenderingInfo,
) -> impl Iterator<Item = (&RenderingAttachment, vk::ImageAspectFlags)> {
    let colors = info.colors.iter().flatten().map(|one| (one, vk::ImageAspectFlags::COLOR));
    let depth = info.depth.iter().map(|one| (one, vk::ImageAspectFlags::DEPTH));
    let stencil = info.stencil.iter().map(|one| (one, vk::ImageAspectFlags::STENCIL));
    colors.chain(depth).chain(stencil)
}

fn dynamic_clears(info: &RenderingInfo) -> Vec<ClearView> {
    if info.flags.contains(vk::RenderingFlags::RESUMING) || info.resolves_itself {
        return Vec::new();
    }
    let mask = if info.view_mask == 0 { u32::MAX } else { info.view_mask };
    let mut list = Vec::new();
    for (one, aspects) in dynamic_attachments(info) {
        if one.load == vk::AttachmentLoadOp::CLEAR {
            for (first_layer, layer_count) in layer_runs(mask, info.layers) {
                list.push(ClearView {
                    view: Arc::clone(&one.view),
                    aspects,
                    area: info.area,
                    first_layer,
                    layer_count,
                    value: one.clear,
                });
            }
        }
    }
    list
}

fn dynamic_resolves(info: &RenderingInfo) -> Vec<ResolveView> {
    let mask = if info.view_mask == 0 { u32::MAX } else { info.view_mask };
    let mut list = Vec::new();
    for (one, aspect) in dynamic_attachments(info) {
        let by_driver = |(_, mode): &&(_, _)| *mode != vk::ResolveModeFlags::CUSTOM_EXT;
        let Some((target, mode)) = one.resolve.as_ref().filter(by_driver) else { continue };
        for (first_layer, layer_count) in layer_runs(mask, info.layers) {
            list.push(ResolveView {
                source: Arc::clone(&one.view),
                target: Arc::clone(target),
                aspect,
                mode: *mode,
                area: info.area,
                first_layer,
                layer_count,
            });
        }
    }
    list
}
