//! How far presentation is, and what surfaces say of it: `VK_KHR_present_id`, `VK_KHR_present_wait` and their
//! second versions, `VK_KHR_surface_maintenance1`, `VK_KHR_swapchain_maintenance1`.

use crate::call::guard;
use crate::entry::device::device_object;
use crate::handle;
use crate::pointers::{Chain, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::Result;
use pyro_driver::present::{PRESENT_MODES, SHARED, STAGES, Surface, Swapchain, USAGE};
use pyro_driver::registry_supplement::SwapchainFlagsSurfaceCapabilitiesEXT;
use vulkanalia_sys::{self as vk, Handle};

/// The present modes that a swapchain may change between, the one that is asked about first: a list of the
/// application's that is too short for all has that one.
fn compatible_modes(asked: Option<vk::PresentModeKHR>) -> Vec<vk::PresentModeKHR> {
    if asked == Some(SHARED) {
        // Swapchains of one image stay so.
        return vec![SHARED];
    }
    let others = PRESENT_MODES.into_iter().filter(|mode| Some(*mode) != asked && *mode != SHARED);
    asked.filter(|mode| PRESENT_MODES.contains(mode)).into_iter().chain(others).collect()
}

/// Fills what the chain of `VkSurfaceCapabilities2KHR` asks for.
pub(super) fn fill_capabilities(
    surface: &Surface,
    info: In<'_, vk::PhysicalDeviceSurfaceInfo2KHR>,
    out: &mut Out<'_, vk::SurfaceCapabilities2KHR>,
) -> Result<()> {
    let capabilities = surface.capabilities()?;
    if info.find::<vk::SurfacePresentModeKHR>().is_some_and(|asked| asked.present_mode == SHARED) {
        (out.surface_capabilities.min_image_count, out.surface_capabilities.max_image_count) = (1, 1);
    }
    if let Some(mut out) = out.find_mut::<vk::SharedPresentSurfaceCapabilitiesKHR>() {
        out.shared_present_supported_usage_flags = USAGE;
    }
    if let Some(mut out) = out.find_mut::<vk::SurfacePresentScalingCapabilitiesKHR>() {
        // Images have the window's size: nothing is scaled.
        out.supported_present_scaling = vk::PresentScalingFlagsKHR::empty();
        out.supported_present_gravity_x = vk::PresentGravityFlagsKHR::empty();
        out.supported_present_gravity_y = vk::PresentGravityFlagsKHR::empty();
        out.min_scaled_image_extent = capabilities.min_image_extent;
        out.max_scaled_image_extent = capabilities.max_image_extent;
    }
    if let Some(mut out) = out.find_mut::<vk::SurfacePresentModeCompatibilityKHR>() {
        // Modes differ in nothing, so a swapchain may change between all of them.
        let asked = info.find::<vk::SurfacePresentModeKHR>();
        out.present_modes().answer(&compatible_modes(asked.map(|asked| asked.present_mode)));
    }
    if let Some(mut out) = out.find_mut::<vk::PresentTimingSurfaceCapabilitiesEXT>() {
        out.present_timing_supported = vk::TRUE;
        out.present_at_absolute_time_supported = vk::TRUE;
        out.present_at_relative_time_supported = vk::TRUE;
        out.present_stage_queries = STAGES;
    }
    if let Some(mut out) = out.find_mut::<SwapchainFlagsSurfaceCapabilitiesEXT>() {
        type Flags = vk::SwapchainCreateFlagsKHR;
        out.swapchain_supported_flags = Flags::SPLIT_INSTANCE_BIND_REGIONS
            | Flags::MUTABLE_FORMAT
            | Flags::DEFERRED_MEMORY_ALLOCATION
            | Flags::PRESENT_ID_2
            | Flags::PRESENT_WAIT_2
            | Flags::PRESENT_TIMING_EXT
            | super::single_sampled_flag();
    }
    if let Some(mut out) = out.find_mut::<vk::SurfaceCapabilitiesPresentId2KHR>() {
        out.present_id2_supported = vk::TRUE;
    }
    if let Some(mut out) = out.find_mut::<vk::SurfaceCapabilitiesPresentWait2KHR>() {
        out.present_wait2_supported = vk::TRUE;
    }
    Ok(())
}

/// The ids that a presentation gives its images; zero is none.
pub(super) fn present_ids(chain: Chain<'_>) -> Slice<'_, u64> {
    if let Some(ids) = chain.find::<vk::PresentId2KHR>() {
        return ids.present_ids();
    }
    chain.find::<vk::PresentIdKHR>().map_or(Slice::empty(), |ids| ids.present_ids())
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
