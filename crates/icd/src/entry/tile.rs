//! `VK_QCOM_tile_properties`: the tiles that framebuffers are drawn in, of which all have one size; and
//! `VK_QCOM_tile_shading`: commands that run for each tile, where that is the whole render pass.

use crate::call::guard;
use crate::call::recording::record;
use crate::handle;
use crate::pointers::{Chain, Enumeration, In, Out};
use crate::registry::CommandId;
use pyro_driver::command::CommandBuffer;
use pyro_driver::limits::TILE_PIXELS;
use pyro_driver::memory::{DeviceMemory, TILE_MEMORY_BYTES};
use pyro_driver::render_pass::{Framebuffer, Tile, TileShading};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// What a render pass says of tile shading, where it enables that.
pub(super) fn tile_shading(chain: Chain) -> Result<Option<TileShading>> {
    let info = chain.find::<vk::RenderPassTileShadingCreateInfoQCOM>();
    info.map_or(Ok(None), |info| TileShading::of_pass(info.flags, info.tile_apron_size))
}

/// A secondary command buffer runs within a render pass with tile shading, if the inheritance says so.
pub(super) fn inherit(
    buffer: &mut CommandBuffer,
    info: In<'_, vk::CommandBufferInheritanceInfo>,
) -> Result<()> {
    let Some(info) = info.find::<vk::RenderPassTileShadingCreateInfoQCOM>() else { return Ok(()) };
    if TileShading::of(info.flags, info.tile_apron_size)?.is_none() {
        return Ok(());
    }
    let per_tile = vk::TileShadingRenderPassFlagsQCOM::PER_TILE_EXECUTION;
    buffer.inherit_tile_shading(info.flags.contains(per_tile))
}

/// A secondary command buffer runs within a render pass while tile memory is bound, if the inheritance says
/// so.
pub(super) fn inherit_memory(
    buffer: &mut CommandBuffer,
    info: In<'_, vk::CommandBufferInheritanceInfo>,
) -> Result<()> {
    let Some(bound) = info.find::<vk::TileMemoryBindInfoQCOM>() else { return Ok(()) };
    buffer.inherit_tile_memory(tile_memory(bound)?.as_deref())
}

fn tile_memory(info: In<'_, vk::TileMemoryBindInfoQCOM>) -> Result<Option<Arc<DeviceMemory>>> {
    (!info.memory.is_null()).then(|| handle::get::<DeviceMemory>(info.memory.as_raw())).transpose()
}

pub(crate) fn cmd_bind_tile_memory_qcom(
    buffer: vk::CommandBuffer,
    info: Option<In<'_, vk::TileMemoryBindInfoQCOM>>,
) {
    record(CommandId::cmd_bind_tile_memory_qcom, buffer, |buffer| {
        let memory = info.map_or(Ok(None), tile_memory)?;
        buffer.bind_tile_memory(memory.as_deref())
    });
}

/// Checks the tile memory that a render pass is said to use, on which the tiles do not depend.
pub(super) fn check_tile_memory_size(chain: Chain) -> Result<()> {
    if chain.find::<vk::TileMemorySizeInfoQCOM>().is_some_and(|info| info.size > TILE_MEMORY_BYTES) {
        return Err(Error::misuse(
            "more tile memory than the heap has (VUID-VkTileMemorySizeInfoQCOM-size-10729)",
        ));
    }
    Ok(())
}

/// The tile of a render pass with tile shading, or one of many.
fn fill(out: &mut vk::TilePropertiesQCOM, tile: Option<Tile>) {
    let sides = Tile { size: [TILE_PIXELS; 2], layers: 1, ..Tile::default() };
    let Tile { offset, size, layers, apron } = tile.unwrap_or(sides);
    out.tile_size = vk::Extent3D { width: size[0], height: size[1], depth: layers };
    out.apron_size = vk::Extent2D { width: apron[0], height: apron[1] };
    out.origin = vk::Offset2D { x: offset[0] as i32, y: offset[1] as i32 };
}

pub(crate) fn get_framebuffer_tile_properties_qcom(
    device: vk::Device,
    framebuffer: vk::Framebuffer,
    mut out: Enumeration<'_, vk::TilePropertiesQCOM>,
) -> vk::Result {
    guard(CommandId::get_framebuffer_tile_properties_qcom, || {
        crate::entry::device::check(device)?;
        let framebuffer = handle::get::<Framebuffer>(framebuffer.as_raw())?;
        Ok(out.fill(&[()], |out, ()| fill(out, framebuffer.tile())))
    })
}

pub(crate) fn get_dynamic_rendering_tile_properties_qcom(
    device: vk::Device,
    info: In<'_, vk::RenderingInfo>,
    mut out: Out<'_, vk::TilePropertiesQCOM>,
) -> vk::Result {
    guard(CommandId::get_dynamic_rendering_tile_properties_qcom, || {
        crate::entry::device::check(device)?;
        check_tile_memory_size(info.chain())?;
        let tile = tile_shading(info.chain())?
            .map(|tile| Tile::around(info.render_area, info.layer_count, info.view_mask, tile.apron));
        fill(out.get_mut(), tile);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn cmd_begin_per_tile_execution_qcom(
    buffer: vk::CommandBuffer,
    _info: In<'_, vk::PerTileBeginInfoQCOM>,
) {
    record(CommandId::cmd_begin_per_tile_execution_qcom, buffer, |buffer| buffer.set_per_tile(true));
}

pub(crate) fn cmd_end_per_tile_execution_qcom(
    buffer: vk::CommandBuffer,
    _info: In<'_, vk::PerTileEndInfoQCOM>,
) {
    record(CommandId::cmd_end_per_tile_execution_qcom, buffer, |buffer| buffer.set_per_tile(false));
}

pub(crate) fn cmd_dispatch_tile_qcom(buffer: vk::CommandBuffer, _info: In<'_, vk::DispatchTileInfoQCOM>) {
    record(CommandId::cmd_dispatch_tile_qcom, buffer, |buffer| buffer.dispatch_tile());
}
