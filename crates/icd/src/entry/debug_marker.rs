//! `VK_EXT_debug_marker`: the names and labels of `VK_EXT_debug_utils` under their first names.

use crate::call::{guard, recording::record};
use crate::entry::debug::{begin_label, end_label, name_object};
use crate::pointers::In;
use crate::registry::CommandId;
use std::ffi::CStr;
use vulkanalia_sys as vk;

/// The type of an object as `VK_EXT_debug_utils` has it. Types of core objects have the same values in both;
/// those of extensions' objects do not matter to whom is told.
fn object_type(ty: vk::DebugReportObjectTypeEXT) -> vk::ObjectType {
    vk::ObjectType::from_raw(if ty.as_raw() <= 25 { ty.as_raw() } else { 0 })
}

pub(crate) fn debug_marker_set_object_name_ext(
    device: vk::Device,
    info: In<'_, vk::DebugMarkerObjectNameInfoEXT>,
) -> vk::Result {
    guard(CommandId::debug_marker_set_object_name_ext, || {
        crate::entry::device::check(device)?;
        // An empty name takes the name away.
        let name = info.object_name().map(CStr::to_owned).filter(|name| !name.is_empty());
        name_object(device, object_type(info.object_type), info.object, name);
        Ok(vk::Result::SUCCESS)
    })
}

/// Tags are for tools; the driver has no use for them.
pub(crate) fn debug_marker_set_object_tag_ext(
    device: vk::Device,
    _info: In<'_, vk::DebugMarkerObjectTagInfoEXT>,
) -> vk::Result {
    guard(CommandId::debug_marker_set_object_tag_ext, || {
        crate::entry::device::check(device)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn cmd_debug_marker_begin_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::DebugMarkerMarkerInfoEXT>,
) {
    begin_label(CommandId::cmd_debug_marker_begin_ext, buffer, info.marker_name());
}

pub(crate) fn cmd_debug_marker_end_ext(buffer: vk::CommandBuffer) {
    end_label(CommandId::cmd_debug_marker_end_ext, buffer);
}

pub(crate) fn cmd_debug_marker_insert_ext(
    buffer: vk::CommandBuffer,
    _info: In<'_, vk::DebugMarkerMarkerInfoEXT>,
) {
    record(CommandId::cmd_debug_marker_insert_ext, buffer, |_| Ok(()));
}
