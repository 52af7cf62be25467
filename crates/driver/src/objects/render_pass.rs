//! Render passes: what each subpass draws to, and when each attachment is loaded and resolved.

use crate::caps::limits::COLOR_ATTACHMENTS_MAX;
use crate::error::{Error, Result};
use crate::objects::image::ImageView;
pub use crate::objects::tile_shading::{Tile, TileShading};
use pyro_sanitizer::commands::Barrier;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Where a subpass has its rates from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// An attachment of which a texel stands for so many pixels.
    Rates(u32, vk::Extent2D),
    /// A fragment density map.
    Densities(u32),
}

/// One attachment of a render pass.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    /// Its format.
    pub format: vk::Format,
    /// Its samples.
    pub samples: vk::SampleCountFlags,
    /// What happens to colour or depth before the first use.
    pub load: vk::AttachmentLoadOp,
    /// What happens to stencil before the first use.
    pub stencil_load: vk::AttachmentLoadOp,
    /// What happens to colour or depth after the last use.
    pub store: vk::AttachmentStoreOp,
    /// What happens to stencil after the last use.
    pub stencil_store: vk::AttachmentStoreOp,
}

/// How depth and stencil are resolved.
#[derive(Clone, Copy, Debug)]
pub struct DepthStencilResolve {
    /// The attachment that gets the result.
    pub attachment: u32,
    /// How depth is.
    pub depth_mode: vk::ResolveModeFlags,
    /// How stencil is.
    pub stencil_mode: vk::ResolveModeFlags,
}

/// One subpass. Attachments are indices into the render pass; none for `VK_ATTACHMENT_UNUSED`.
#[derive(Clone, Debug, Default)]
pub struct Subpass {
    /// Views that are drawn; zero: no multiview.
    pub view_mask: u32,
    /// Input attachments.
    pub inputs: Vec<Option<u32>>,
    /// Colour attachments.
    pub colors: Vec<Option<u32>>,
    /// What each colour attachment is resolved to; empty or as long as `colors`.
    pub resolves: Vec<Option<u32>>,
    /// The depth/stencil attachment.
    pub depth_stencil: Option<u32>,
    /// What it is resolved to.
    pub depth_stencil_resolve: Option<DepthStencilResolve>,
    /// Colours are dithered.
    pub dither: bool,
    /// Shaders see the tile's apron.
    pub tile_apron: bool,
    /// The fragment shading rate attachment, or the fragment density map.
    pub shading_rate: Option<RateSource>,
    /// Attachments of one sample are rendered to with several.
    pub single_sampled: Option<RenderToSingleSampled>,
}

/// `VkMultisampledRenderToSingleSampledInfoEXT` of a subpass.
#[derive(Clone, Copy, Debug)]
pub struct RenderToSingleSampled {
    /// With how many.
    pub samples: vk::SampleCountFlags,
    /// How depth and stencil become one sample again; empty: not at all.
    pub modes: [vk::ResolveModeFlags; 2],
}

/// Views of an attachment whose load operation runs before a subpass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The attachment.
    pub attachment: u32,
    /// The views; all bits without multiview.
    pub views: u32,
}

/// A `VkRenderPass`.
#[derive(Debug)]
pub struct RenderPass {
    attachments: Vec<Attachment>,
    subpasses: Vec<Subpass>,
    /// By subpass.
    loads: Vec<Vec<Load>>,
    /// Where it enables tile shading.
    tile_shading: Option<TileShading>,
    /// Each layer has a fragment density map of its own.
    has_density_layers: bool,
    /// What is drawn may be turned.
    is_turnable: bool,
    /// What the sanitizer follows.
    order: Option<Box<PassOrder>>,
}

/// A dependency between subpasses.
#[derive(Clone, Debug)]
pub struct PassDependency {
    /// The subpass before it, or `VK_SUBPASS_EXTERNAL`.
    pub from: u32,
    /// The subpass behind it, or `VK_SUBPASS_EXTERNAL`.
    pub to: u32,
    /// What it orders.
    pub barrier: Barrier,
}

/// The layouts and dependencies of a render pass.
#[derive(Clone, Debug, Default)]
pub struct PassOrder {
    /// `initialLayout` and `finalLayout` of each attachment.
    pub layouts: Vec<[i32; 2]>,
    /// By subpass: attachments and the layouts that they have there.
    pub references: Vec<Vec<(u32, i32)>>,
    /// The dependencies.
    pub dependencies: Vec<PassDependency>,
}

impl RenderPass {
    /// A render pass.
    ///
    /// # Errors
    /// When there is no subpass, or one names an attachment that does not exist.
    pub fn new(attachments: Vec<Attachment>, subpasses: Vec<Subpass>) -> Result<RenderPass> {
        if subpasses.is_empty() {
            return Err(Error::misuse(
                "a render pass without subpasses (VUID-VkRenderPassCreateInfo2-subpassCount-arraylength)",
            ));
        }
        let mut loads = Vec::new();
        let mut loaded = vec![0_u32; attachments.len()];
        for subpass in &subpasses {
            if subpass.colors.len() > COLOR_ATTACHMENTS_MAX {
                return Err(Error::misuse(
                    "more than maxColorAttachments (VUID-VkSubpassDescription2-colorAttachmentCount-03063)",
                ));
            }
            let views = if subpass.view_mask == 0 { u32::MAX } else { subpass.view_mask };
            let lists = [&subpass.inputs, &subpass.colors, &subpass.resolves];
            let resolve = subpass.depth_stencil_resolve.map(|resolve| resolve.attachment);
            let used = lists.into_iter().flatten().copied().flatten();
            let mut here = Vec::new();
            for attachment in used.chain(subpass.depth_stencil).chain(resolve) {
                let loaded = loaded.get_mut(attachment as usize).ok_or_else(|| {
                    Error::misuse(format!(
                        "there is no attachment {attachment} (VUID-VkRenderPassCreateInfo2-attachment-03051)"
                    ))
                })?;
                let new = views & !*loaded;
                *loaded |= new;
                if new != 0 {
                    here.push(Load { attachment, views: new });
                }
            }
            loads.push(here);
        }
        Ok(RenderPass {
            attachments,
            subpasses,
            loads,
            tile_shading: None,
            has_density_layers: false,
            is_turnable: false,
            order: None,
        })
    }

    /// With tile shading, or without.
    #[must_use]
    pub fn with_tile_shading(self, tile_shading: Option<TileShading>) -> RenderPass {
        RenderPass { tile_shading, ..self }
    }

    /// What it says of tile shading, where it enables that.
    pub fn tile_shading(&self) -> Option<TileShading> {
        self.tile_shading
    }

    /// With a fragment density map for each layer, or one for all.
    #[must_use]
    pub fn with_density_layers(self, has_density_layers: bool) -> RenderPass {
        RenderPass { has_density_layers, ..self }
    }

    /// Whether each layer has a fragment density map of its own.
    pub fn has_density_layers(&self) -> bool {
        self.has_density_layers
    }

    /// With what `VK_RENDER_PASS_CREATE_TRANSFORM_BIT_QCOM` allows, or without.
    ///
    /// # Errors
    /// When a subpass has input attachments, a fragment shading rate attachment or a fragment density map.
    pub fn with_transform(self, is_turnable: bool) -> Result<RenderPass> {
        if is_turnable && self.subpasses.iter().any(|subpass| subpass.inputs.iter().any(Option::is_some)) {
            return Err(Error::misuse(
                "a subpass of a render pass that may be turned has an input attachment \
                 (VUID-VkSubpassDescription-pInputAttachments-02868, \
                 VUID-VkSubpassDescription2-pInputAttachments-02897)",
            ));
        }
        if is_turnable && self.subpasses.iter().any(|subpass| subpass.shading_rate.is_some()) {
            return Err(Error::misuse(
                "a render pass that may be turned has a fragment shading rate attachment or a fragment density \
                 map (VUID-VkRenderPassCreateInfo2-flags-04521)",
            ));
        }
        Ok(RenderPass { is_turnable, ..self })
    }

    /// Whether what is drawn may be turned.
    pub fn is_turnable(&self) -> bool {
        self.is_turnable
    }

    /// With what the sanitizer follows.
    #[must_use]
    pub fn with_order(self, order: Option<PassOrder>) -> RenderPass {
        RenderPass { order: order.map(Box::new), ..self }
    }

    /// What the sanitizer follows.
    pub fn order(&self) -> Option<&PassOrder> {
        self.order.as_deref()
    }

    /// The attachments.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// The subpasses.
    pub fn subpasses(&self) -> &[Subpass] {
        &self.subpasses
    }

    /// Views of all subpasses; zero: no multiview.
    pub fn view_mask(&self) -> u32 {
        self.subpasses.iter().fold(0, |views, subpass| views | subpass.view_mask)
    }

    /// Whether subpasses behind this one use an attachment.
    pub fn is_used_after(&self, subpass: usize, attachment: u32) -> bool {
        self.subpasses[subpass + 1..].iter().any(|later| {
            let resolve = later.depth_stencil_resolve.map(|resolve| resolve.attachment);
            let lists = [&later.inputs, &later.colors, &later.resolves];
            let used = lists.into_iter().flatten().copied().flatten();
            used.chain(later.depth_stencil).chain(resolve).any(|used| used == attachment)
        })
    }

    /// What is loaded before a subpass.
    pub fn loads(&self, subpass: usize) -> &[Load] {
        self.loads.get(subpass).map_or(&[], Vec::as_slice)
    }
}

/// A `VkFramebuffer`.
pub struct Framebuffer {
    /// The attachments; none when they are named only when rendering begins.
    pub views: Option<Vec<Arc<ImageView>>>,
    /// Pixels in x.
    pub width: u32,
    /// Pixels in y.
    pub height: u32,
    /// Layers.
    pub layers: u32,
    /// What its render pass says of tile shading, where that enables it.
    pub tile_shading: Option<TileShading>,
    /// Views of all subpasses of its render pass.
    pub view_mask: u32,
}

impl Framebuffer {
    /// Its tile, where its render pass enables tile shading.
    pub fn tile(&self) -> Option<Tile> {
        let extent = vk::Extent2D { width: self.width, height: self.height };
        let area = vk::Rect2D { extent, ..Default::default() };
        self.tile_shading.map(|tile| Tile::around(area, self.layers, self.view_mask, tile.apron))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment() -> Attachment {
        Attachment {
            format: vk::Format::R8G8B8A8_UNORM,
            samples: vk::SampleCountFlags::_1,
            load: vk::AttachmentLoadOp::CLEAR,
            stencil_load: vk::AttachmentLoadOp::DONT_CARE,
            store: vk::AttachmentStoreOp::STORE,
            stencil_store: vk::AttachmentStoreOp::DONT_CARE,
        }
    }

    #[test]
    fn attachments_load_once_for_each_view() {
        let subpass = |view_mask, color, input| Subpass {
            view_mask,
            colors: vec![Some(color), None],
            inputs: vec![input],
            ..Subpass::default()
        };
        let pass = RenderPass::new(
            vec![attachment(); 2],
            vec![subpass(1, 0, None), subpass(3, 1, Some(0)), subpass(3, 0, Some(1))],
        )
        .unwrap();
        assert_eq!(pass.loads(0), [Load { attachment: 0, views: 1 }]);
        assert_eq!(pass.loads(1), [Load { attachment: 0, views: 2 }, Load { attachment: 1, views: 3 }]);
        assert_eq!(pass.loads(2), []);
        assert!(RenderPass::new(vec![attachment()], vec![subpass(0, 1, None)]).is_err());
        assert!(RenderPass::new(vec![attachment()], Vec::new()).is_err());
    }
}
