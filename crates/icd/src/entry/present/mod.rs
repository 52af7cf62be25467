//! Surfaces and swapchains.

#[cfg(unix)]
mod native;
#[cfg(not(unix))]
#[path = "no_native.rs"]
mod native;
pub(crate) mod progress;
pub(crate) mod timing;

use crate::call::{guard, guard_void, messages};
use crate::entry::device::device_object;
use crate::entry::image::fill_compression;
use crate::entry::instance::{Instance, physical_device_object};
use crate::handle::{self, Dispatchable};
use crate::pointers::{Allocator, Enumeration, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::caps::PhysicalDevice;
use pyro_driver::present::{self, Present, Surface, Swapchain, SwapchainInfo};
use pyro_driver::queue::{Batch, Queue};
use pyro_driver::registry_supplement::SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT;
use pyro_driver::sync::{Fence, Semaphore};
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Creates the surface that `make` gives.
fn create_surface(
    command: CommandId,
    instance: vk::Instance,
    allocator: Allocator,
    mut out: Out<'_, vk::SurfaceKHR>,
    make: impl FnOnce() -> Result<Surface>,
) -> vk::Result {
    guard(command, || {
        Dispatchable::<Instance>::get(instance.as_raw())?;
        out.write(vk::SurfaceKHR::from_raw(handle::create(make()?, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn create_headless_surface_ext(
    instance: vk::Instance,
    _info: In<'_, vk::HeadlessSurfaceCreateInfoEXT>,
    allocator: Allocator,
    out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    let command = CommandId::create_headless_surface_ext;
    create_surface(command, instance, allocator, out, || Ok(Surface::Headless))
}

pub(crate) fn create_xcb_surface_khr(
    instance: vk::Instance,
    info: In<'_, vk::XcbSurfaceCreateInfoKHR>,
    allocator: Allocator,
    out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    // SAFETY: the connection is open (VUID-VkXcbSurfaceCreateInfoKHR-connection-01310).
    unsafe { native::synchronize_xcb(info.connection) };
    let command = CommandId::create_xcb_surface_khr;
    create_surface(command, instance, allocator, out, || Surface::window(info.window))
}

pub(crate) fn create_xlib_surface_khr(
    instance: vk::Instance,
    info: In<'_, vk::XlibSurfaceCreateInfoKHR>,
    allocator: Allocator,
    out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    // SAFETY: the display is open (VUID-VkXlibSurfaceCreateInfoKHR-dpy-01313).
    unsafe { native::synchronize_xlib(info.dpy.cast()) };
    let command = CommandId::create_xlib_surface_khr;
    // Window ids have 29 bits, whatever Xlib's type.
    create_surface(command, instance, allocator, out, || Surface::window(info.window as u32))
}

pub(crate) fn create_wayland_surface_khr(
    instance: vk::Instance,
    info: In<'_, vk::WaylandSurfaceCreateInfoKHR>,
    allocator: Allocator,
    out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    create_surface(CommandId::create_wayland_surface_khr, instance, allocator, out, || {
        // SAFETY: they are of libwayland (VUID-VkWaylandSurfaceCreateInfoKHR-display-01304, -surface-01305),
        // and outlive the surface.
        unsafe { Surface::wayland(info.display, info.surface) }
    })
}

pub(crate) fn create_win32_surface_khr(
    instance: vk::Instance,
    info: In<'_, vk::Win32SurfaceCreateInfoKHR>,
    allocator: Allocator,
    out: Out<'_, vk::SurfaceKHR>,
) -> vk::Result {
    let command = CommandId::create_win32_surface_khr;
    create_surface(command, instance, allocator, out, || Surface::win32(info.hwnd))
}

pub(crate) fn get_physical_device_win32_presentation_support_khr(
    _physical_device: vk::PhysicalDevice,
    _family: u32,
) -> vk::Bool32 {
    vk::TRUE
}

/// Whether windows of a server, or of a visual there, can be presented to: all can.
macro_rules! presentation_support {
    ($name:ident($server:ty $(, $visual:ty)?)) => {
        pub(crate) unsafe extern "system" fn $name(
            _physical_device: vk::PhysicalDevice,
            _family: u32,
            _server: *mut $server,
            $(_visual: $visual,)?
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
presentation_support!(get_physical_device_wayland_presentation_support_khr(vk::wl_display));

pub(crate) fn destroy_surface_khr(instance: vk::Instance, surface: vk::SurfaceKHR, allocator: Allocator) {
    guard_void(CommandId::destroy_surface_khr, || {
        if surface.is_null() {
            return Ok(());
        }
        Dispatchable::<Instance>::get(instance.as_raw())?;
        handle::get::<Surface>(surface.as_raw())?.close();
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

pub(crate) fn get_physical_device_surface_capabilities2_khr(
    physical_device: vk::PhysicalDevice,
    info: In<'_, vk::PhysicalDeviceSurfaceInfo2KHR>,
    mut out: Out<'_, vk::SurfaceCapabilities2KHR>,
) -> vk::Result {
    guard(CommandId::get_physical_device_surface_capabilities2_khr, || {
        crate::entry::instance::physical_device_object(physical_device)?;
        let surface = handle::get::<Surface>(info.surface.as_raw())?;
        out.surface_capabilities = surface.capabilities()?;
        progress::fill_capabilities(&surface, info, &mut out)?;
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_physical_device_surface_formats_khr(
    physical_device: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    mut out: Enumeration<'_, vk::SurfaceFormatKHR>,
) -> vk::Result {
    out.answer(formats(physical_device))
}

/// The formats of surfaces, in all color spaces that the instance knows.
fn formats(physical_device: vk::PhysicalDevice) -> &'static [vk::SurfaceFormatKHR] {
    let instance = Dispatchable::<PhysicalDevice>::owner(physical_device.as_raw());
    let instance = instance.and_then(|owner| handle::get::<Instance>(owner.instance));
    let knows_spaces =
        instance.is_ok_and(|instance| instance.extensions.contains(&"VK_EXT_swapchain_colorspace"));
    if knows_spaces { &present::FORMATS } else { present::SRGB_FORMATS }
}

pub(crate) fn get_physical_device_surface_formats2_khr(
    physical_device: vk::PhysicalDevice,
    _info: In<'_, vk::PhysicalDeviceSurfaceInfo2KHR>,
    mut out: Enumeration<'_, vk::SurfaceFormat2KHR>,
) -> vk::Result {
    out.fill_members(formats(physical_device), |mut out, format| {
        // Wrappers of some languages give memory that nobody has written.
        let is_initialized = out.s_type == vk::StructureType::SURFACE_FORMAT_2_KHR;
        out.surface_format = *format;
        if is_initialized && let Some(mut compression) = out.find_mut::<vk::ImageCompressionPropertiesEXT>() {
            fill_compression(&mut compression);
        }
    })
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
    device: vk::Device,
    mut out: Out<'_, vk::DeviceGroupPresentCapabilitiesKHR>,
) -> vk::Result {
    guard(CommandId::get_device_group_present_capabilities_khr, || {
        let devices = device_object(device)?.device.all_devices();
        out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
        // A swapchain's images have one instance, as all memory has: each device presents it.
        for (index, mask) in out.present_mask.iter_mut().enumerate() {
            *mask = devices & 1 << index;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_device_group_surface_present_modes_khr(
    _device: vk::Device,
    _surface: vk::SurfaceKHR,
    mut out: Out<'_, vk::DeviceGroupPresentModeFlagsKHR>,
) -> vk::Result {
    out.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
    vk::Result::SUCCESS
}

/// `VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT`, which the bindings' type lacks.
fn single_sampled_flag() -> vk::SwapchainCreateFlagsKHR {
    let bit = SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT;
    // SAFETY: the type is a transparent word, of which every value is valid.
    unsafe { vk::SwapchainCreateFlagsKHR::from_bits_unchecked(bit) }
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
                single_sampled: info.flags.contains(single_sampled_flag()),
                is_timed: info.flags.contains(vk::SwapchainCreateFlagsKHR::PRESENT_TIMING_EXT),
                present_mode: info.present_mode,
                composite_alpha: info.composite_alpha,
            },
        )?;
        out.write(vk::SwapchainKHR::from_raw(handle::create(swapchain, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn destroy_swapchain_khr(device: vk::Device, swapchain: vk::SwapchainKHR, allocator: Allocator) {
    guard_void(CommandId::destroy_swapchain_khr, || {
        if swapchain.is_null() {
            return Ok(());
        }
        crate::entry::device::check(device)?;
        let object = handle::get::<Swapchain>(swapchain.as_raw())?;
        // The images' handles were given out as part of the swapchain, and end with it.
        for image in object.handles.lock().drain(..) {
            handle::remove::<pyro_driver::image::Image>(image, None)
                .unwrap_or_else(|error| messages::error(&error));
        }
        handle::remove::<Swapchain>(swapchain.as_raw(), allocator)
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

pub(crate) fn get_swapchain_status_khr(device: vk::Device, swapchain: vk::SwapchainKHR) -> vk::Result {
    guard(CommandId::get_swapchain_status_khr, || {
        crate::entry::device::check(device)?;
        handle::get::<Swapchain>(swapchain.as_raw())?.check()?;
        Ok(vk::Result::SUCCESS)
    })
}

fn acquire(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    mut out: Out<'_, u32>,
) -> Result<vk::Result> {
    crate::entry::device::check(device)?;
    let swapchain = handle::get::<Swapchain>(swapchain.as_raw())?;
    let semaphore = handle::get_nullable::<Semaphore>(semaphore.as_raw())?;
    let fence = handle::get_nullable::<Fence>(fence.as_raw())?;
    let Some(image) = swapchain.acquire(timeout)? else {
        return Ok(if timeout == 0 { vk::Result::NOT_READY } else { vk::Result::TIMEOUT });
    };
    out.write(image);
    if let Some(semaphore) = semaphore {
        semaphore.signal_next_wait();
    }
    if let Some(fence) = fence {
        fence.signal();
    }
    Ok(vk::Result::SUCCESS)
}

pub(crate) fn acquire_next_image_khr(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: Out<'_, u32>,
) -> vk::Result {
    guard(CommandId::acquire_next_image_khr, || acquire(device, swapchain, timeout, semaphore, fence, out))
}

pub(crate) fn acquire_next_image2_khr(
    device: vk::Device,
    info: In<'_, vk::AcquireNextImageInfoKHR>,
    out: Out<'_, u32>,
) -> vk::Result {
    guard(CommandId::acquire_next_image2_khr, || {
        acquire(device, info.swapchain, info.timeout, info.semaphore, info.fence, out)
    })
}

pub(crate) fn queue_present_khr(queue: vk::Queue, info: In<'_, vk::PresentInfoKHR>) -> vk::Result {
    guard(CommandId::queue_present_khr, || {
        let queue = Dispatchable::<Queue>::get(queue.as_raw())?;
        let mut batch = Batch::default();
        for semaphore in info.wait_semaphores() {
            batch.waits.push((handle::get::<Semaphore>(semaphore.as_raw())?.payload_to_wait(), 0));
        }
        let ids = progress::present_ids(info.chain()).get();
        let modes = info.find::<vk::SwapchainPresentModeInfoKHR>();
        let modes = modes.map_or(Slice::empty(), |modes| modes.present_modes()).get();
        let mut worst = vk::Result::SUCCESS;
        let images = info.swapchains().into_iter().zip(info.image_indices().iter());
        for (number, (handle, &image)) in images.enumerate() {
            let swapchain = handle::get::<Swapchain>(handle.as_raw())?;
            let id = ids.get(number).copied().unwrap_or(0);
            if let Some(&mode) = modes.get(number) {
                swapchain.set_present_mode(mode);
            }
            let fits = swapchain.fits();
            let present = Present::new(swapchain, image, id);
            let present = match timing::request(info.chain(), number) {
                None => Some(present),
                Some(request) => present.timed(request),
            };
            let result = match fits {
                _ if present.is_none() => vk::Result::ERROR_PRESENT_TIMING_QUEUE_FULL_EXT,
                Ok(true) => vk::Result::SUCCESS,
                Ok(false) => vk::Result::ERROR_OUT_OF_DATE_KHR,
                Err(error) => error.code,
            };
            if let Some(out) = info.results().get(number) {
                out.set(result);
            }
            if result != vk::Result::SUCCESS {
                worst = result;
            }
            batch.presents.extend(present);
        }
        if let Some(fences) = info.find::<vk::SwapchainPresentFenceInfoKHR>() {
            for fence in fences.fences() {
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
