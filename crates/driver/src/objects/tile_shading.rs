//! The tiles of render passes that enable tile shading (`VK_QCOM_tile_shading`).
//!
//! Attachments are written in place and need no tile memory, so the whole of a render pass is one tile: a
//! command that runs for each tile runs once, and no pixel is outside of its tile. A tile's size is a
//! multiple of [`TILE_GRANULARITY`], so that the workgroups of `vkCmdDispatchTileQCOM` fill it at every
//! shading rate; what it has beyond the render area belongs to no attachment.

use crate::caps::limits::{TILE_APRON_MAX, TILE_GRANULARITY};
use crate::error::{Error, Result};
use vulkanalia_sys as vk;

/// `VkRenderPassTileShadingCreateInfoQCOM` of a render pass that enables tile shading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShading {
    /// `tileApronSize` in x and y.
    pub apron: [u32; 2],
}

impl TileShading {
    /// What a render pass says; none where it does not enable tile shading.
    ///
    /// # Errors
    /// When it says what only secondary command buffers may, or the apron is invalid.
    pub fn of_pass(flags: vk::TileShadingRenderPassFlagsQCOM, apron: vk::Extent2D) -> Result<Option<Self>> {
        if flags.contains(vk::TileShadingRenderPassFlagsQCOM::PER_TILE_EXECUTION) {
            return Err(Error::misuse(
                "PER_TILE_EXECUTION is for secondary command buffers \
                 (VUID-vkCmdBeginRendering-flags-10642, VUID-vkCreateRenderPass-flags-10646, \
                 VUID-vkCreateRenderPass2-flags-10649)",
            ));
        }
        TileShading::of(flags, apron)
    }

    /// What a render pass or the inheritance of a secondary command buffer says.
    ///
    /// # Errors
    /// When the apron is invalid.
    pub fn of(flags: vk::TileShadingRenderPassFlagsQCOM, apron: vk::Extent2D) -> Result<Option<Self>> {
        let apron = [apron.width, apron.height];
        let is_on = flags.contains(vk::TileShadingRenderPassFlagsQCOM::ENABLE);
        if !is_on && apron != [0; 2] {
            return Err(Error::misuse(
                "a tile apron without tile shading (VUID-VkRenderPassTileShadingCreateInfoQCOM-flags-10659)",
            ));
        }
        if !is_on && flags.contains(vk::TileShadingRenderPassFlagsQCOM::PER_TILE_EXECUTION) {
            return Err(Error::misuse(
                "PER_TILE_EXECUTION without tile shading \
                 (VUID-VkRenderPassTileShadingCreateInfoQCOM-flags-10660)",
            ));
        }
        if apron.iter().any(|&size| size > TILE_APRON_MAX) {
            return Err(Error::misuse(format!(
                "a tile apron of {apron:?} pixels, above maxApronSize \
                 (VUID-VkRenderPassTileShadingCreateInfoQCOM-tileApronSize-10662, \
                 VUID-VkRenderPassTileShadingCreateInfoQCOM-tileApronSize-10663)"
            )));
        }
        Ok(is_on.then_some(TileShading { apron }))
    }
}

/// The tile of a render pass instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// The first pixel.
    pub offset: [u32; 2],
    /// Pixels in x and y.
    pub size: [u32; 2],
    /// Layers.
    pub layers: u32,
    /// Pixels of the apron in x and y.
    pub apron: [u32; 2],
}

impl Tile {
    /// The tile around these pixels, layers and views (zero: no multiview).
    pub fn around(area: vk::Rect2D, layers: u32, view_mask: u32, apron: [u32; 2]) -> Tile {
        let offset = [area.offset.x, area.offset.y].map(|at| u32::try_from(at).unwrap_or(0));
        let whole = |size: u32| size.max(1).checked_next_multiple_of(TILE_GRANULARITY).unwrap_or(u32::MAX);
        let size = [whole(area.extent.width), whole(area.extent.height)];
        Tile { offset, size, layers: layers.max(u32::BITS - view_mask.leading_zeros()), apron }
    }

    /// The workgroups of `vkCmdDispatchTileQCOM`, where an invocation is for so many pixels and layers, and a
    /// workgroup has so many invocations; none where the layers do not divide.
    pub fn workgroups(&self, rate: [u32; 3], workgroup: [u32; 3]) -> Option<[u32; 3]> {
        let sizes = [self.size[0], self.size[1], self.layers];
        if rate[2] == 0 || !self.layers.is_multiple_of(rate[2]) {
            return None;
        }
        Some(std::array::from_fn(|at| sizes[at].div_ceil(rate[at].max(1)).div_ceil(workgroup[at].max(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::limits::TILE_SHADING_RATE_MAX;

    #[test]
    fn workgroups_fill_tiles_at_every_rate() {
        let area = vk::Rect2D {
            offset: vk::Offset2D { x: 3, y: 5 },
            extent: vk::Extent2D { width: 130, height: 1 },
        };
        let tile = Tile::around(area, 6, 0, [0; 2]);
        assert_eq!((tile.offset, tile.size, tile.layers), ([3, 5], [192, 64], 6));
        let workgroup = pyro_compile::TILE_WORKGROUP;
        for rate in (0..4).map(|bits| 1 << bits) {
            assert!(rate <= TILE_SHADING_RATE_MAX);
            let count = tile.workgroups([rate, rate, 2], workgroup).expect("three for six layers");
            let pixels: [u32; 2] = std::array::from_fn(|at| count[at] * workgroup[at] * rate);
            assert_eq!((pixels, count[2]), (tile.size, 3));
        }
        assert_eq!(tile.workgroups([1, 1, 4], workgroup), None);
        assert_eq!(Tile::around(area, 1, 0b101, [0; 2]).layers, 3);
    }
}
