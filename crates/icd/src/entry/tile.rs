//! `VK_QCOM_tile_properties`: the tiles that framebuffers are drawn in, of which all have one size.

use crate::call::guard;
use crate::handle;
use crate::pointers::{Enumeration, In, Out};
use crate::registry::CommandId;
use pyro_driver::limits::TILE_PIXELS;
use pyro_driver::render_pass::Framebuffer;
use vulkanalia_sys::{self as vk, Handle};

fn fill(out: &mut vk::TilePropertiesQCOM) {
    out.tile_size = vk::Extent3D { width: TILE_PIXELS, height: TILE_PIXELS, depth: 1 };
    out.apron_size = vk::Extent2D { width: 0, height: 0 };
    out.origin = vk::Offset2D { x: 0, y: 0 };
}

pub(crate) fn get_framebuffer_tile_properties_qcom(
    device: vk::Device,
    framebuffer: vk::Framebuffer,
    mut out: Enumeration<'_, vk::TilePropertiesQCOM>,
) -> vk::Result {
    guard(CommandId::get_framebuffer_tile_properties_qcom, || {
        crate::entry::device::check(device)?;
        handle::get::<Framebuffer>(framebuffer.as_raw())?;
        Ok(out.fill(&[()], |out, ()| fill(out)))
    })
}

pub(crate) fn get_dynamic_rendering_tile_properties_qcom(
    device: vk::Device,
    _info: In<'_, vk::RenderingInfo>,
    mut out: Out<'_, vk::TilePropertiesQCOM>,
) -> vk::Result {
    guard(CommandId::get_dynamic_rendering_tile_properties_qcom, || {
        crate::entry::device::check(device)?;
        fill(out.get_mut());
        Ok(vk::Result::SUCCESS)
    })
}
