//! What happens between two subpasses, and what a draw renders to.

use super::counted_regions::SubpassRegions;
use super::told::StepUse;
use crate::caps::limits::{self, COLOR_ATTACHMENTS_MAX};
use crate::command::transfer::Rotation;
use crate::error::{Error, Result};
use crate::objects::image::ImageView;
use crate::objects::render_pass::Tile;
use crate::pipeline::graphics::key;
use pyro_engine::graphics::{RateTexels, Rect};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// A fragment shading rate attachment, or a fragment density map.
#[derive(Clone)]
pub struct ShadingRates {
    /// The attachment.
    pub view: Arc<ImageView>,
    /// Pixels that a texel stands for in x and y: powers of two.
    pub texel: [u32; 2],
    /// What texels are.
    pub texels: RateTexels,
    /// Each layer has a density map of its own, also where layers are no views.
    pub is_layered: bool,
    /// How far a density map is moved, by layer.
    pub offsets: DensityOffsets,
}

/// How many pixels the layers of a fragment density map are moved to the right and down: the end of the
/// render pass instance says so, when its beginning has been recorded.
#[derive(Clone, Debug, Default)]
pub struct DensityOffsets(Arc<OnceLock<Arc<[[i32; 2]]>>>);

impl DensityOffsets {
    /// Says them.
    ///
    /// # Errors
    /// When one is no multiple of `fragmentDensityOffsetGranularity`.
    pub fn set(&self, offsets: &[vk::Offset2D]) -> Result<()> {
        let granularity = limits::SHADING_RATE_TEXELS.0 as i32;
        if offsets.iter().any(|at| at.x % granularity != 0 || at.y % granularity != 0) {
            return Err(Error::misuse(format!(
                "an offset of a fragment density map is no multiple of {granularity} pixels \
                 (VUID-VkRenderPassFragmentDensityMapOffsetEndInfoEXT-x-06512, \
                 VUID-VkRenderPassFragmentDensityMapOffsetEndInfoEXT-y-06513)"
            )));
        }
        let _ = self.0.set(offsets.iter().map(|at| [at.x, at.y]).collect());
        Ok(())
    }
}

impl ShadingRates {
    /// This attachment.
    ///
    /// # Errors
    /// When a texel stands for fewer or more pixels than there can be.
    pub fn new(view: Arc<ImageView>, texel: vk::Extent2D) -> Result<ShadingRates> {
        let texel = [texel.width, texel.height];
        let (least, most) = limits::SHADING_RATE_TEXELS;
        if texel.iter().any(|&size| !size.is_power_of_two() || size < least || size > most) {
            return Err(Error::misuse(format!(
                "a texel of a shading rate attachment for {texel:?} pixels \
                 (VUID-VkRenderingFragmentShadingRateAttachmentInfoKHR-imageView-06153)"
            )));
        }
        if view.format().block_bytes() != 1 {
            return Err(Error::misuse(
                "a shading rate attachment of another format than R8_UINT \
                 (VUID-VkRenderingFragmentShadingRateAttachmentInfoKHR-imageView-06148)",
            ));
        }
        let (is_layered, offsets) = (true, DensityOffsets::default());
        Ok(ShadingRates { view, texel, texels: RateTexels::Rates, is_layered, offsets })
    }

    /// This fragment density map, for a framebuffer of so many pixels (specification, "Fragment Density Map
    /// Operations", "Fetch Density Value").
    ///
    /// # Errors
    /// When it has another format than `VK_FORMAT_R8G8_UNORM`.
    pub fn density_map(
        view: Arc<ImageView>,
        framebuffer: [u32; 2],
        is_layered: bool,
        offsets: DensityOffsets,
    ) -> Result<ShadingRates> {
        if view.format() != pyro_image::Format::R8G8_UNORM {
            return Err(Error::misuse(
                "a fragment density map of another format than R8G8_UNORM \
                 (VUID-VkRenderingFragmentDensityMapAttachmentInfoEXT-imageView-06158)",
            ));
        }
        let record = view.record();
        let (least, most) = limits::SHADING_RATE_TEXELS;
        let texel = [(framebuffer[0], record.width), (framebuffer[1], record.height)]
            .map(|(pixels, texels)| density_texel_size(pixels, texels).clamp(least, most));
        Ok(ShadingRates { view, texel, texels: RateTexels::Densities, is_layered, offsets })
    }

    /// How far it is moved, by layer.
    pub(crate) fn offsets(&self) -> Arc<[[i32; 2]]> {
        self.offsets.0.get().cloned().unwrap_or_default()
    }
}

/// Pixels of a density map's texel in one direction, where a framebuffer of so many pixels has a map of so
/// many texels, before the limits: two to the power of `ceil(log2(floor(pixels / texels)))`, with the floor
/// that version 3 of `VK_EXT_fragment_density_map` requires.
fn density_texel_size(pixels: u32, texels: u32) -> u32 {
    (pixels / texels.max(1)).max(1).checked_next_power_of_two().unwrap_or(1 << 31)
}

static NO_PIXELS: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: 0, height: 0 } };

/// What draws render to.
#[derive(Clone, Default)]
pub struct Targets {
    /// The colour attachments by location; none where nothing is written.
    pub colors: SmallVec<[Option<Arc<ImageView>>; COLOR_ATTACHMENTS_MAX]>,
    /// The depth attachment.
    pub depth: Option<Arc<ImageView>>,
    /// The stencil attachment.
    pub stencil: Option<Arc<ImageView>>,
    /// The input attachments of a subpass by their index; none in dynamic rendering.
    pub inputs: Option<Vec<Option<Arc<ImageView>>>>,
    /// The pixels that may be written.
    pub area: vk::Rect2D,
    /// The part of it that each physical device draws to; none: all of it.
    pub device_areas: Vec<vk::Rect2D>,
    /// Layers of the attachments.
    pub layers: u32,
    /// Views that are drawn; zero: no multiview.
    pub view_mask: u32,
    /// Colours are dithered.
    pub dither: bool,
    /// The fragment shading rate attachment, or the fragment density map.
    pub shading_rate: Option<ShadingRates>,
    /// Those of the attachments that have one sample and are rendered to with several.
    pub single_sampled: Vec<SingleSampled>,
    /// The tile, where tile shading is enabled.
    pub tile: Option<Tile>,
    /// How they lie to what is drawn, if not as it does.
    pub turned: Option<Turned>,
    /// What is counted by region.
    pub regions: Option<Arc<SubpassRegions>>,
}

/// Attachments that what is drawn is turned for (`VK_QCOM_render_pass_transform`).
#[derive(Clone)]
pub struct Turned {
    /// By how much.
    pub rotation: Rotation,
    /// What the subpass resolves to.
    pub resolves: Vec<Arc<ImageView>>,
    /// Those of the attachments whose contents are undefined or cleared when the subpass begins.
    pub undefined: Vec<Arc<ImageView>>,
}

/// An attachment of one sample that is rendered to with several
/// (`VK_EXT_multisampled_render_to_single_sampled`).
#[derive(Clone)]
pub struct SingleSampled {
    /// The attachment.
    pub view: Arc<ImageView>,
    /// With how many.
    pub samples: vk::SampleCountFlags,
    /// All samples of a pixel begin as its texel.
    pub is_loaded: bool,
    /// Aspects that become one sample again at the end, and how; others of the attachment stay as they were.
    pub resolves: SmallVec<[(vk::ImageAspectFlags, vk::ResolveModeFlags); 2]>,
}

impl Targets {
    /// The pixels that may be written and that all attachments have.
    pub(crate) fn pixels(&self) -> Rect {
        self.pixels_of(&self.area)
    }

    /// The part of it that a physical device may write.
    pub(crate) fn device_pixels(&self, index: u32) -> Rect {
        self.pixels_of(self.device_area(index))
    }

    /// The render area of a physical device.
    pub(crate) fn device_area(&self, index: u32) -> &vk::Rect2D {
        match self.device_areas.get(index as usize) {
            Some(area) => area,
            None if self.device_areas.is_empty() => &self.area,
            None => &NO_PIXELS,
        }
    }

    fn pixels_of(&self, area: &vk::Rect2D) -> Rect {
        let views = self.colors.iter().flatten().chain(&self.depth).chain(&self.stencil);
        views.fold(key::rect(area), |area, view| {
            let record = view.record();
            area.intersect(Rect { x0: 0, y0: 0, x1: record.width as i32, y1: record.height as i32 })
        })
    }
}

impl Step {
    /// The same where views, which are the layers of attachments, have render areas of their own: each is
    /// cleared and resolved in its own.
    pub(in crate::command) fn split_views(&mut self, areas: &[vk::Rect2D]) {
        if areas.is_empty() {
            return;
        }
        let own = |area: vk::Rect2D, view: u32| match areas.get(view as usize) {
            Some(&own) => intersection(area, own),
            None => area,
        };
        let is_there = |area: &vk::Rect2D| area.extent.width > 0 && area.extent.height > 0;
        let clears = std::mem::take(&mut self.clears).into_iter().flat_map(|clear| {
            (clear.first_layer..clear.first_layer + clear.layer_count).map(move |view| ClearView {
                area: own(clear.area, view),
                first_layer: view,
                layer_count: 1,
                ..clear.clone()
            })
        });
        self.clears = clears.filter(|clear| is_there(&clear.area)).collect();
        let resolves = std::mem::take(&mut self.resolves).into_iter().flat_map(|resolve| {
            (resolve.first_layer..resolve.first_layer + resolve.layer_count).map(move |view| ResolveView {
                area: own(resolve.area, view),
                first_layer: view,
                layer_count: 1,
                ..resolve.clone()
            })
        });
        self.resolves = resolves.filter(|resolve| is_there(&resolve.area)).collect();
    }

    /// The same where physical devices have render areas of their own: each clears and resolves its own.
    pub(in crate::command) fn split(&mut self, areas: &[vk::Rect2D]) {
        if areas.is_empty() {
            return;
        }
        let clears = std::mem::take(&mut self.clears).into_iter();
        let own = |clear: ClearView| areas.iter().map(move |&area| ClearView { area, ..clear.clone() });
        self.clears = clears.flat_map(own).collect();
        let resolves = std::mem::take(&mut self.resolves).into_iter();
        let own =
            |resolve: ResolveView| areas.iter().map(move |&area| ResolveView { area, ..resolve.clone() });
        self.resolves = resolves.flat_map(own).collect();
        self.dropped.clear();
        if let Some(targets) = &mut self.targets {
            Arc::make_mut(targets).device_areas = areas.to_vec();
        }
    }
}

/// What both areas have.
fn intersection(one: vk::Rect2D, other: vk::Rect2D) -> vk::Rect2D {
    let axis = |first: (i32, u32), second: (i32, u32)| {
        let end = |(from, size): (i32, u32)| i64::from(from) + i64::from(size);
        let (from, to) = (first.0.max(second.0), end(first).min(end(second)));
        (from, u32::try_from(to - i64::from(from)).unwrap_or(0))
    };
    let (x, width) = axis((one.offset.x, one.extent.width), (other.offset.x, other.extent.width));
    let (y, height) = axis((one.offset.y, one.extent.height), (other.offset.y, other.extent.height));
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

/// A colour's bits, or depth (a float's bits) and stencil: `VkClearValue`'s words.
pub type ClearWords = [u32; 4];

/// A clear of some layers of an attachment.
#[derive(Clone)]
pub struct ClearView {
    /// The attachment.
    pub view: Arc<ImageView>,
    /// What of it.
    pub aspects: vk::ImageAspectFlags,
    /// The pixels.
    pub area: vk::Rect2D,
    /// First of the view's layers.
    pub first_layer: u32,
    /// Layers.
    pub layer_count: u32,
    /// The value.
    pub value: ClearWords,
}

/// A resolve of one attachment to another of one sample.
#[derive(Clone)]
pub struct ResolveView {
    /// The multisampled attachment.
    pub source: Arc<ImageView>,
    /// Where to.
    pub target: Arc<ImageView>,
    /// Colour, depth or stencil.
    pub aspect: vk::ImageAspectFlags,
    /// How.
    pub mode: vk::ResolveModeFlags,
    /// The pixels.
    pub area: vk::Rect2D,
    /// First of the views' layers.
    pub first_layer: u32,
    /// Layers.
    pub layer_count: u32,
}

/// What happens between two subpasses, or at the ends of a render pass instance.
#[derive(Clone, Default)]
pub struct Step {
    /// First, the resolves of what was rendered.
    pub resolves: Vec<ResolveView>,
    /// Attachments of one layer that were neither loaded nor stored, and that nothing but draws and resolves
    /// has read.
    pub dropped: Vec<Arc<ImageView>>,
    /// Then the clears of what will be.
    pub clears: Vec<ClearView>,
    /// Then draws render to this; none when the instance ends.
    pub targets: Option<Arc<Targets>>,
    /// It is within a subpass: what was set for that stays.
    pub continues: bool,
    /// What the sanitizer is told, where it follows commands.
    pub(in crate::command) told: Option<Box<StepUse>>,
}

/// The runs of consecutive layers that a mask names, each as first layer and count.
pub(crate) fn layer_runs(views: u32, layers: u32) -> SmallVec<[(u32, u32); 2]> {
    if views == u32::MAX {
        return SmallVec::from_iter([(0, layers)]);
    }
    let mut runs = SmallVec::new();
    let mut rest = views;
    while rest != 0 {
        let first = rest.trailing_zeros();
        let count = (rest >> first).trailing_ones();
        runs.push((first, count));
        rest &= u32::MAX.checked_shl(first + count).unwrap_or(0);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{density_texel_size, layer_runs};

    #[test]
    fn density_map_texels_have_the_floor_of_the_ratio() {
        let sizes =
            [(64, 8, 8), (71, 8, 8), (72, 8, 16), (79, 8, 16), (128, 8, 16), (135, 8, 16), (136, 8, 32)];
        for (pixels, texels, size) in sizes {
            assert_eq!(density_texel_size(pixels, texels), size, "{pixels} pixels, {texels} texels");
        }
        assert_eq!((density_texel_size(3, 8), density_texel_size(u32::MAX, 0)), (1, 1 << 31));
    }

    #[test]
    fn masks_are_runs() {
        assert_eq!(layer_runs(u32::MAX, 5).as_slice(), [(0, 5)]);
        assert_eq!(layer_runs(0b1101_1000, 8).as_slice(), [(3, 2), (6, 2)]);
        assert_eq!(layer_runs(1 << 31, 8).as_slice(), [(31, 1)]);
        assert!(layer_runs(0, 8).is_empty());
    }
}
