//! Surfaces and swapchains.

mod native;
pub(crate) mod progress;

use crate::call::{find, guard, guard_void, messages, slice};
use crate::entry::device::device_object;
use crate::entry::instance::{Instance, physical_device_object};
use crate::handle::{self, Dispatchable};
use crate::pointers::{Allocator, Enumeration, In, Out};
use crate::registry::CommandId;
use pyro_driver::present::{self, Present, Surface, Swapchain, SwapchainInfo};
use pyro_driver::queue::{Batch, Queue};
use pyro_driver::sync::{Fence, Semaphore};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_headless_surface_ext(
    instance: vk::Instance,
    _info: In<'_, vk::HeadlessSurfaceCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    guard(CommandId::create_headless_surface_ext, || {
        Dispatchable::<Instance>::get(instance.as_raw())?;
        out.write(vk::SurfaceKHR::from_raw(handle::create(Surface::Headless, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// # Safety
/// `allocator` is null or valid and `out` is valid.
unsafe fn window(
    command: CommandId,
    instance: vk::Instance,
    window: u32,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: `instance`, `allocator` and `out` are valid by the contract of this function.
    guard(command, || unsafe {
        Dispatchable::<Instance>::get(instance.as_raw())?;
        *out = vk::SurfaceKHR::from_raw(handle::new(Surface::window(window)?, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn create_xcb_surface_khr(
    instance: vk::Instance,
    info: *const vk::XcbSurfaceCreateInfoKHR,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateXcbSurfaceKHR-pCreateInfo-parameter, VUID-vkCreateXcbSurfaceKHR-pAllocator-parameter,
    // VUID-vkCreateXcbSurfaceKHR-pSurface-parameter).
    unsafe {
        native::synchronize_xcb((*info).connection);
        window(CommandId::create_xcb_surface_khr, instance, (*info).window, allocator, out)
    }
}

pub(crate) unsafe extern "system" fn create_xlib_surface_khr(
    instance: vk::Instance,
    info: *const vk::XlibSurfaceCreateInfoKHR,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateXlibSurfaceKHR-pCreateInfo-parameter, VUID-vkCreateXlibSurfaceKHR-pAllocator-parameter,
    // VUID-vkCreateXlibSurfaceKHR-pSurface-parameter).
    unsafe {
        native::synchronize_xlib((*info).dpy.cast());
        // Window ids have 29 bits, whatever Xlib's type.
        window(CommandId::create_xlib_surface_khr, instance, (*info).window as u32, allocator, out)
    }
}

/// Whether windows of a visual can be presented to: all can.
macro_rules! presentation_support {
    ($name:ident($server:ty, $visual:ty)) => {
        pub(crate) unsafe extern "system" fn $name(
            _physical_device: vk::PhysicalDevice,
            _family: u32,
            _server: *mut $server,
            _visual: $visual,
        ) -> vk::Bool32 {
            vk::TRUE
        }
    };
}

presentation_support!(get_physical_device_xcb_presentation_support_khr(
    vk::xcb_connection_t,
    vk::xcb_visualid_t
));
presentation_support!(get_physical_device_xlib_presentation_support_khr(vk::Display, vk::VisualID));

pub(crate) fn destroy_surface_khr(instance: vk::Instance, surface: vk::SurfaceKHR, allocator: Allocator) {
    guard_void(CommandId::destroy_surface_khr, || {
        if surface.is_null() {
            return Ok(());
        }
        Dispatchable::<Instance>::get(instance.as_raw())?;
        handle::remove::<Surface>(surface.as_raw(), allocator)
    });
}

pub(crate) fn get_physical_device_surface_support_khr(
    _physical_device: vk::PhysicalDevice,
    _family: u32,
    _surface: vk::SurfaceKHR,
    mut out: Out<'_, vk::Bool32>,
) -> vk::Result {
    out.write(vk::TRUE);
    vk::Result::SUCCESS
}

pub(crate) fn get_physical_device_surface_capabilities_khr(
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    mut out: Out<'_, vk::SurfaceCapabilitiesKHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_surface_capabilities_khr, || {
        physical_device_object(device)?;
        out.write(handle::get::<Surface>(surface.as_raw())?.capabilities()?);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_physical_device_surface_capabilities2_khr(
    physical_device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR,
    out: *mut vk::SurfaceCapabilities2KHR,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid
    // (VUID-vkGetPhysicalDeviceSurfaceCapabilities2KHR-pSurfaceInfo-parameter,
    // VUID-vkGetPhysicalDeviceSurfaceCapabilities2KHR-pSurfaceCapabilities-parameter).
    guard(CommandId::get_physical_device_surface_capabilities2_khr, || unsafe {
        crate::entry::instance::physical_device_object(physical_device)?;
        let surface = handle::get::<Surface>((*info).surface.as_raw())?;
        (*out).surface_capabilities = surface.capabilities()?;
        progress::fill_capabilities(&surface, (*info).next, (*out).next)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_physical_device_surface_formats_khr(
    _physical_device: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    mut out: Enumeration<'_, vk::SurfaceFormatKHR>,
) -> vk::Result {
    out.answer(&present::FORMATS)
}

pub(crate) unsafe extern "system" fn get_physical_device_surface_formats2_khr(
    _physical_device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceSurfaceInfo2KHR,
    count: *mut u32,
    out: *mut vk::SurfaceFormat2KHR,
) -> vk::Result {
    // SAFETY: `count` is valid; `out` has as many elements as counted
    // (VUID-vkGetPhysicalDeviceSurfaceFormats2KHR-pSurfaceFormatCount-parameter,
    // VUID-vkGetPhysicalDeviceSurfaceFormats2KHR-pSurfaceFormats-parameter).
    unsafe {
        if out.is_null() {
            *count = present::FORMATS.len() as u32;
            return vk::Result::SUCCESS;
        }
        let copied = (*count as usize).min(present::FORMATS.len());
        for (index, format) in present::FORMATS.iter().take(copied).enumerate() {
            (*out.add(index)).surface_format = *format;
        }
        *count = copied as u32;
        if copied < present::FORMATS.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

pub(crate) fn get_physical_device_surface_present_modes_khr(
    _physical_device: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    mut out: Enumeration<'_, vk::PresentModeKHR>,
) -> vk::Result {
    out.answer(&present::PRESENT_MODES)
}

pub(crate) fn get_physical_device_present_rectangles_khr(
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    mut out: Enumeration<'_, vk::Rect2D>,
) -> vk::Result {
    guard(CommandId::get_physical_device_present_rectangles_khr, || {
        physical_device_object(device)?;
        let extent = handle::get::<Surface>(surface.as_raw())?.capabilities()?.current_extent;
        Ok(out.answer(&[vk::Rect2D { offset: vk::Offset2D::default(), extent }]))
    })
}

pub(crate) fn get_device_group_present_capabilities_khr(
    _device: vk::Device,
    mut out: Out<'_, vk::DeviceGroupPresentCapabilitiesKHR>,
) -> vk::Result {
    out.get_mut().present_mask = [0; 32];
    out.get_mut().present_mask[0] = 1;
    out.get_mut().modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    vk::Result::SUCCESS
}

pub(crate) fn get_device_group_surface_present_modes_khr(
    _device: vk::Device,
    _surface: vk::SurfaceKHR,
    mut out: Out<'_, vk::DeviceGroupPresentModeFlagsKHR>,
) -> vk::Result {
    out.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
    vk::Result::SUCCESS
}

pub(crate) fn create_swapchain_khr(
    device: vk::Device,
    info: In<'_, vk::SwapchainCreateInfoKHR>,
    allocator: Allocator,
    mut out: Out<'_, vk::SwapchainKHR>,
) -> vk::Result {
    guard(CommandId::create_swapchain_khr, || {
        let device = device_object(device)?;
        if let Some(old) = handle::get_nullable::<Swapchain>(info.old_swapchain.as_raw())? {
            old.retire();
        }
        let swapchain = Swapchain::new(
            device.device.physical_device(),
            SwapchainInfo {
                surface: handle::get::<Surface>(info.surface.as_raw())?,
                min_image_count: info.min_image_count,
                format: info.image_format,
                extent: info.image_extent,
                usage: info.image_usage,
                mutable_format: info.flags.contains(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT),
            },
        )?;
        out.write(vk::SwapchainKHR::from_raw(handle::create(swapchain, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn destroy_swapchain_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    allocator: *const vk::AllocationCallbacks,
) {
    // SAFETY: `allocator` is null or valid (VUID-vkDestroySwapchainKHR-pAllocator-parameter).
    guard_void(CommandId::destroy_swapchain_khr, || unsafe {
        if swapchain.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        let object = handle::get::<Swapchain>(swapchain.as_raw())?;
        // The images' handles were given out as part of the swapchain, and end with it.
        for image in object.handles.lock().drain(..) {
            handle::destroy::<pyro_driver::image::Image>(image, std::ptr::null())
                .unwrap_or_else(|error| messages::error(&error));
        }
        handle::destroy::<Swapchain>(swapchain.as_raw(), allocator)
    });
}

pub(crate) fn get_swapchain_images_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    mut out: Enumeration<'_, vk::Image>,
) -> vk::Result {
    guard(CommandId::get_swapchain_images_khr, || {
        crate::entry::device::check(device)?;
        let swapchain = handle::get::<Swapchain>(swapchain.as_raw())?;
        let mut handles = swapchain.handles.lock();
        if handles.is_empty() {
            for image in swapchain.images() {
                handles.push(handle::share(Arc::clone(image))?);
            }
        }
        let images: Vec<_> = handles.iter().map(|&handle| vk::Image::from_raw(handle)).collect();
        Ok(out.answer(&images))
    })
}

/// # Safety
/// `out` is valid.
unsafe fn acquire(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: *mut u32,
) -> Result<vk::Result> {
    // SAFETY: `swapchain`, `semaphore`, `fence` and `out` are valid by the contract of this function, as
    // `check` requires.
    unsafe {
        crate::entry::device::check(device)?;
        let swapchain = handle::get::<Swapchain>(swapchain.as_raw())?;
        let semaphore = handle::get_nullable::<Semaphore>(semaphore.as_raw())?;
        let fence = handle::get_nullable::<Fence>(fence.as_raw())?;
        let Some(image) = swapchain.acquire(timeout)? else {
            return Ok(if timeout == 0 { vk::Result::NOT_READY } else { vk::Result::TIMEOUT });
        };
        *out = image;
        if let Some(semaphore) = semaphore {
            semaphore.payload().signal(1);
        }
        if let Some(fence) = fence {
            fence.signal();
        }
        Ok(vk::Result::SUCCESS)
    }
}

pub(crate) unsafe extern "system" fn acquire_next_image_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: `out` is valid (VUID-vkAcquireNextImageKHR-pImageIndex-parameter).
    guard(CommandId::acquire_next_image_khr, || unsafe {
        acquire(device, swapchain, timeout, semaphore, fence, out)
    })
}

pub(crate) unsafe extern "system" fn acquire_next_image2_khr(
    device: vk::Device,
    info: *const vk::AcquireNextImageInfoKHR,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid (VUID-vkAcquireNextImage2KHR-pAcquireInfo-parameter,
    // VUID-vkAcquireNextImage2KHR-pImageIndex-parameter).
    guard(CommandId::acquire_next_image2_khr, || unsafe {
        acquire(device, (*info).swapchain, (*info).timeout, (*info).semaphore, (*info).fence, out)
    })
}

pub(crate) unsafe extern "system" fn queue_present_khr(
    queue: vk::Queue,
    info: *const vk::PresentInfoKHR,
) -> vk::Result {
    // SAFETY: `info` is valid; `pWaitSemaphores`, `pImageIndices`, `pSwapchains` and `pFences` have as many
    // elements as counted; `pResults` is null or valid; each structure of the chain is of the type that its
    // `sType` says (VUID-vkQueuePresentKHR-pPresentInfo-parameter,
    // VUID-VkPresentInfoKHR-pWaitSemaphores-parameter, VUID-VkPresentInfoKHR-pImageIndices-parameter,
    // VUID-VkPresentInfoKHR-pSwapchains-parameter, VUID-VkSwapchainPresentFenceInfoKHR-pFences-parameter,
    // VUID-VkPresentInfoKHR-pResults-parameter).
    guard(CommandId::queue_present_khr, || unsafe {
        let info = &*info;
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        let mut batch = Batch::default();
        for semaphore in slice(info.wait_semaphores, info.wait_semaphore_count) {
            batch.waits.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload_to_wait(), 0));
        }
        let indices = slice(info.image_indices, info.swapchain_count);
        let ids = progress::present_ids(info.next);
        let mut worst = vk::Result::SUCCESS;
        for (number, (handle, &image)) in
            slice(info.swapchains, info.swapchain_count).iter().zip(indices).enumerate()
        {
            let swapchain = handle::get::<Swapchain>(handle.as_raw())?;
            let result = match swapchain.fits() {
                Ok(true) => vk::Result::SUCCESS,
                Ok(false) => vk::Result::ERROR_OUT_OF_DATE_KHR,
                Err(error) => error.code,
            };
            if let Some(out) = info.results.as_ref().map(|_| info.results.add(number)) {
                *out = result;
            }
            if result != vk::Result::SUCCESS {
                worst = result;
            }
            let id = ids.get(number).copied().unwrap_or(0);
            batch.presents.push(Present { swapchain, image, id });
        }
        let s_type = vk::StructureType::SWAPCHAIN_PRESENT_FENCE_INFO_KHR;
        if let Some(fences) = find::<vk::SwapchainPresentFenceInfoKHR>(info.next, s_type) {
            for fence in slice(fences.fences, fences.swapchain_count) {
                let fence = handle::get_nullable::<Fence>(fence.as_raw())?;
                batch.signals.extend(fence.map(|fence| (fence.payload(), 1)));
            }
        }
        queue.submit(vec![batch])?;
        Ok(worst)
    })
}

/// Binds an image to the memory of a swapchain's, when its binding says so.
pub(crate) fn bind_to_swapchain(
    device: vk::Device,
    info: In<'_, vk::BindImageMemoryInfo>,
) -> Option<Result<vk::Result>> {
    let named = info.find::<vk::BindImageMemorySwapchainInfoKHR>()?;
    if named.swapchain.is_null() {
        return None;
    }
    let bind = || {
        crate::entry::device::check(device)?;
        let swapchain = handle::get::<Swapchain>(named.swapchain.as_raw())?;
        let image = swapchain.images().get(named.image_index as usize);
        let image = image
            .ok_or_else(|| Error::misuse("imageIndex is not less than the swapchain's number of images"))?;
        handle::get::<pyro_driver::image::Image>(info.image.as_raw())?.bind_like(image)?;
        Ok(vk::Result::SUCCESS)
    };
    Some(bind())
}
