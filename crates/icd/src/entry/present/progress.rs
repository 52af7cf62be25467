//! How far presentation is, and what surfaces say of it: `VK_KHR_present_id`, `VK_KHR_present_wait` and their
//! second versions, `VK_KHR_surface_maintenance1`, `VK_KHR_swapchain_maintenance1`.

use crate::call::{find, find_mut, guard, slice};
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::In;
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::present::{PRESENT_MODES, Surface, Swapchain};
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

/// The present modes that a swapchain may change between, the one that is asked about first: a list of the
/// application's that is too short for all has that one.
fn compatible_modes(asked: Option<vk::PresentModeKHR>) -> Vec<vk::PresentModeKHR> {
    let others = PRESENT_MODES.into_iter().filter(|mode| Some(*mode) != asked);
    asked.filter(|mode| PRESENT_MODES.contains(mode)).into_iter().chain(others).collect()
}

/// Fills what the chain of `VkSurfaceCapabilities2KHR` asks for; `info` is that of
/// `VkPhysicalDeviceSurfaceInfo2KHR`.
///
/// # Safety
/// The chains are valid.
pub(super) unsafe fn fill_capabilities(
    surface: &Surface,
    info: *const c_void,
    next: *mut c_void,
) -> Result<()> {
    use vk::StructureType as Type;
    let capabilities = surface.capabilities()?;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    unsafe {
        let scaling = Type::SURFACE_PRESENT_SCALING_CAPABILITIES_KHR;
        if let Some(out) = find_mut::<vk::SurfacePresentScalingCapabilitiesKHR>(next, scaling) {
            // Images have the window's size: nothing is scaled.
            out.supported_present_scaling = vk::PresentScalingFlagsKHR::empty();
            out.supported_present_gravity_x = vk::PresentGravityFlagsKHR::empty();
            out.supported_present_gravity_y = vk::PresentGravityFlagsKHR::empty();
            out.min_scaled_image_extent = capabilities.min_image_extent;
            out.max_scaled_image_extent = capabilities.max_image_extent;
        }
        let modes = Type::SURFACE_PRESENT_MODE_COMPATIBILITY_KHR;
        if let Some(out) = find_mut::<vk::SurfacePresentModeCompatibilityKHR>(next, modes) {
            // Modes differ in nothing, so a swapchain may change between all of them.
            let asked = find::<vk::SurfacePresentModeKHR>(info, Type::SURFACE_PRESENT_MODE_KHR);
            let compatible = compatible_modes(asked.map(|asked| asked.present_mode));
            let _ = crate::call::enumerate(&compatible, &raw mut out.present_mode_count, out.present_modes);
        }
        let id = Type::SURFACE_CAPABILITIES_PRESENT_ID_2_KHR;
        if let Some(out) = find_mut::<vk::SurfaceCapabilitiesPresentId2KHR>(next, id) {
            out.present_id2_supported = vk::TRUE;
        }
        let wait = Type::SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR;
        if let Some(out) = find_mut::<vk::SurfaceCapabilitiesPresentWait2KHR>(next, wait) {
            out.present_wait2_supported = vk::TRUE;
        }
    }
    Ok(())
}

/// The ids that a presentation gives its images; zero is none.
///
/// # Safety
/// The chain is valid.
pub(super) unsafe fn present_ids<'a>(next: *const c_void) -> &'a [u64] {
    use vk::StructureType as Type;
    // SAFETY: `pPresentIds` has as many elements as counted; each structure of the chain is of the type that
    // its `sType` says (VUID-VkPresentId2KHR-pPresentIds-parameter).
    unsafe {
        if let Some(ids) = find::<vk::PresentId2KHR>(next, Type::PRESENT_ID_2_KHR) {
            return slice(ids.present_ids, ids.swapchain_count);
        }
        let ids = find::<vk::PresentIdKHR>(next, Type::PRESENT_ID_KHR);
        ids.map_or(&[], |ids| slice(ids.present_ids, ids.swapchain_count))
    }
}

fn wait(device: vk::Device, swapchain: vk::SwapchainKHR, id: u64, timeout: u64) -> Result<vk::Result> {
    let device = device_object(device)?;
    let swapchain = handle::get::<Swapchain>(swapchain.as_raw())?;
    let done = swapchain.wait_for(id, timeout, device.device.lost())?;
    Ok(if done { vk::Result::SUCCESS } else { vk::Result::TIMEOUT })
}

pub(crate) fn wait_for_present_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    id: u64,
    timeout: u64,
) -> vk::Result {
    guard(CommandId::wait_for_present_khr, || wait(device, swapchain, id, timeout))
}

pub(crate) fn wait_for_present2_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    info: In<'_, vk::PresentWait2InfoKHR>,
) -> vk::Result {
    guard(CommandId::wait_for_present2_khr, || wait(device, swapchain, info.present_id, info.timeout))
}

pub(crate) fn release_swapchain_images_khr(
    device: vk::Device,
    info: In<'_, vk::ReleaseSwapchainImagesInfoKHR>,
) -> vk::Result {
    guard(CommandId::release_swapchain_images_khr, || {
        crate::entry::device::check(device)?;
        let swapchain = handle::get::<Swapchain>(info.swapchain.as_raw())?;
        info.image_indices().iter().for_each(|&image| swapchain.release(image));
        Ok(vk::Result::SUCCESS)
    })
}
