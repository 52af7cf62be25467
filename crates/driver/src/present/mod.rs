//! Presentation: surfaces and swapchains.
//!
//! A swapchain's images are ordinary images. Presenting runs on the queue's thread, after the semaphores it
//! waits for: the image's bytes go to the window (or nowhere), and the image can be acquired again. All
//! present modes show images in order and at once, except `FIFO` on Wayland, which waits until the compositor
//! has shown the frame before.
//!
//! With `PYROCLAST_PRESENT_DIR` set, every presented image is also written there as a PNG file.

mod file;
mod timing;
#[cfg(unix)]
mod wayland;
#[cfg(windows)]
mod win32;
#[cfg(unix)]
mod x11;
#[cfg(unix)]
mod x11_stream;

pub use timing::{PastTiming, REFRESH_NS, STAGES, TimingRequest, Timings};

use crate::caps::PhysicalDevice;
use crate::error::{Error, Result};
use crate::objects::image::{Image, ImageInfo};
#[cfg(unix)]
use crate::objects::memory::mapped::Block;
use crate::objects::memory::{DeviceMemory, MemorySource};
use crate::objects::sync::wait::{self, Waiters};
use crate::system;
use core::ffi::c_void;
use pyro_util::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
#[cfg(unix)]
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use vulkanalia_sys as vk;

/// A `VkSurfaceKHR`.
pub enum Surface {
    /// Nobody sees it.
    Headless,
    /// A window of the X server that `DISPLAY` names.
    #[cfg(unix)]
    Window(Box<x11::Window>),
    /// A surface of a Wayland compositor.
    #[cfg(unix)]
    Wayland(Box<wayland::Window>),
    /// A window of Windows.
    #[cfg(windows)]
    Win32(Box<win32::Window>),
}

/// When an image is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PresentMode {
    /// At once.
    Immediate,
    /// After the frame before it, where the window system tells of frames.
    Paced,
}

/// The fewest images of a swapchain.
const IMAGES_MIN: u32 = 2;
/// The most.
const IMAGES_MAX: u32 = 16;
/// What `currentExtent` is when the swapchain decides.
const ANY_EXTENT: vk::Extent2D = vk::Extent2D { width: u32::MAX, height: u32::MAX };

/// What swapchains' images may be used for.
pub const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::TRANSFER_SRC
    .union(vk::ImageUsageFlags::TRANSFER_DST)
    .union(vk::ImageUsageFlags::SAMPLED)
    .union(vk::ImageUsageFlags::STORAGE)
    .union(vk::ImageUsageFlags::COLOR_ATTACHMENT)
    .union(vk::ImageUsageFlags::INPUT_ATTACHMENT);

/// The formats that can be presented, in order of preference, and their color spaces: bytes are handed to who
/// shows them as they are, and mean sRGB there, or (`VK_EXT_swapchain_colorspace`) what the application
/// knows.
pub const FORMATS: [vk::SurfaceFormatKHR; 8] = {
    const fn of(format: vk::Format, color_space: vk::ColorSpaceKHR) -> vk::SurfaceFormatKHR {
        vk::SurfaceFormatKHR { format, color_space }
    }
    const SRGB: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    const RAW: vk::ColorSpaceKHR = vk::ColorSpaceKHR::PASS_THROUGH_EXT;
    [
        of(vk::Format::B8G8R8A8_UNORM, SRGB),
        of(vk::Format::B8G8R8A8_SRGB, SRGB),
        of(vk::Format::R8G8B8A8_UNORM, SRGB),
        of(vk::Format::R8G8B8A8_SRGB, SRGB),
        of(vk::Format::B8G8R8A8_UNORM, RAW),
        of(vk::Format::B8G8R8A8_SRGB, RAW),
        of(vk::Format::R8G8B8A8_UNORM, RAW),
        of(vk::Format::R8G8B8A8_SRGB, RAW),
    ]
};
/// Those of them whose color space needs no extension.
pub const SRGB_FORMATS: &[vk::SurfaceFormatKHR] = FORMATS.split_at(4).0;

/// The present modes. The last is that of one image, which stays the application's and is shown again when
/// it asks for that (`VK_KHR_shared_presentable_image`).
pub const PRESENT_MODES: [vk::PresentModeKHR; 5] = [
    vk::PresentModeKHR::FIFO,
    vk::PresentModeKHR::MAILBOX,
    vk::PresentModeKHR::IMMEDIATE,
    vk::PresentModeKHR::FIFO_LATEST_READY,
    SHARED,
];
/// The present mode of one image.
pub const SHARED: vk::PresentModeKHR = vk::PresentModeKHR::SHARED_DEMAND_REFRESH;

impl Surface {
    /// A surface on a window of the X server.
    ///
    /// # Errors
    /// When there is no such server or window.
    #[cfg(unix)]
    pub fn window(window: u32) -> Result<Surface> {
        Ok(Surface::Window(Box::new(x11::Window::new(window)?)))
    }

    /// There is no X server.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn window(_: u32) -> Result<Surface> {
        Err(Error::misuse("VK_KHR_xcb_surface and VK_KHR_xlib_surface are of other systems"))
    }

    /// There is no Wayland compositor.
    ///
    /// # Errors
    /// Always.
    ///
    /// # Safety
    /// None is needed.
    #[cfg(not(unix))]
    #[allow(unsafe_code)]
    pub unsafe fn wayland(_: *mut c_void, _: *mut c_void) -> Result<Surface> {
        Err(Error::misuse("VK_KHR_wayland_surface is of other systems"))
    }

    /// A surface of a Wayland connection.
    ///
    /// # Errors
    /// When one of them is null, the compositor is gone, or it cannot share memory.
    ///
    /// # Safety
    /// `display` is null or a `wl_display`, `surface` null or a `wl_surface` of it, both of the libwayland
    /// that is loaded; they live until [`Surface::close`].
    #[cfg(unix)]
    #[allow(unsafe_code)]
    pub unsafe fn wayland(display: *mut c_void, surface: *mut c_void) -> Result<Surface> {
        // SAFETY: as above.
        let window = unsafe { wayland::Window::new(display, surface)? };
        Ok(Surface::Wayland(Box::new(window)))
    }

    /// A surface on a window of Windows, an `HWND`.
    ///
    /// # Errors
    /// When there is no such window.
    #[cfg(windows)]
    pub fn win32(window: *mut c_void) -> Result<Surface> {
        Ok(Surface::Win32(Box::new(win32::Window::new(window)?)))
    }

    /// There are no windows of Windows.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(windows))]
    pub fn win32(_: *mut c_void) -> Result<Surface> {
        Err(Error::misuse("VK_KHR_win32_surface is of other systems"))
    }

    /// The surface is destroyed: nothing is shown any more, and nothing of the application's is used.
    pub fn close(&self) {
        #[cfg(unix)]
        if let Surface::Wayland(window) = self {
            window.close();
        }
    }

    /// `VkSurfaceCapabilitiesKHR`.
    ///
    /// # Errors
    /// `VK_ERROR_SURFACE_LOST_KHR` when the window is gone.
    pub fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR> {
        let most = crate::caps::limits::limits().max_image_dimension_2d;
        let current = self.extent()?.unwrap_or(ANY_EXTENT);
        let (least_extent, most_extent) = if current == ANY_EXTENT {
            (vk::Extent2D { width: 1, height: 1 }, vk::Extent2D { width: most, height: most })
        } else {
            (current, current)
        };
        Ok(vk::SurfaceCapabilitiesKHR {
            min_image_count: IMAGES_MIN,
            max_image_count: IMAGES_MAX,
            current_extent: current,
            min_image_extent: least_extent,
            max_image_extent: most_extent,
            max_image_array_layers: 1,
            supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
            current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            supported_composite_alpha: self.composite_alpha(),
            supported_usage_flags: USAGE,
        })
    }

    /// What alpha may mean.
    fn composite_alpha(&self) -> vk::CompositeAlphaFlagsKHR {
        let beside_opaque = match self {
            #[cfg(unix)]
            Surface::Wayland(_) => vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            _ => vk::CompositeAlphaFlagsKHR::INHERIT,
        };
        vk::CompositeAlphaFlagsKHR::OPAQUE | beside_opaque
    }

    /// The window's size as far as it is known without waiting for the window system.
    fn told_extent(&self) -> Result<Option<vk::Extent2D>> {
        match self {
            #[cfg(unix)]
            Surface::Window(window) => window.told_extent().map(Some),
            _ => self.extent(),
        }
    }

    /// The window's size. A Wayland surface has that of its images.
    fn extent(&self) -> Result<Option<vk::Extent2D>> {
        match self {
            Surface::Headless => Ok(None),
            #[cfg(unix)]
            Surface::Window(window) => window.extent().map(Some),
            #[cfg(unix)]
            Surface::Wayland(window) => window.check().map(|()| None),
            #[cfg(windows)]
            Surface::Win32(window) => window.extent().map(Some),
        }
    }
}

/// What a swapchain is made from.
pub struct SwapchainInfo {
    /// Where to.
    pub surface: Arc<Surface>,
    /// Images at least.
    pub min_image_count: u32,
    /// Their format.
    pub format: vk::Format,
    /// Pixels.
    pub extent: vk::Extent2D,
    /// What they are used for.
    pub usage: vk::ImageUsageFlags,
    /// Views may have other formats.
    pub mutable_format: bool,
    /// They are rendered to with several samples
    /// (`VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT`).
    pub single_sampled: bool,
    /// Presentations are timed (`VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT`).
    pub is_timed: bool,
    /// When images are shown.
    pub present_mode: vk::PresentModeKHR,
    /// What their alpha means.
    pub composite_alpha: vk::CompositeAlphaFlagsKHR,
}

/// A `VkSwapchainKHR`.
pub struct Swapchain {
    surface: Arc<Surface>,
    info: ImageInfo,
    images: Vec<Arc<Image>>,
    #[cfg_attr(windows, allow(dead_code))] // for Wayland
    has_alpha: bool,
    /// Images are shown after the frame before them (`FIFO`).
    is_paced: AtomicBool,
    /// Images that can be acquired, in the order in which they were presented.
    free: Mutex<VecDeque<u32>>,
    changed: Waiters,
    /// The largest id of an image that was presented.
    presented: AtomicU64,
    /// Another swapchain took its place.
    retired: AtomicBool,
    /// Its one image is acquired once, and stays so.
    is_shared: bool,
    is_timed: bool,
    timings: Timings,
    /// The images' handles, for whoever gives them out.
    pub handles: Mutex<Vec<u64>>,
}

/// An image on its way to the surface.
pub struct Present {
    /// The swapchain.
    pub swapchain: Arc<Swapchain>,
    /// The image's index.
    pub image: u32,
    /// Its id (`VK_KHR_present_id`); zero: none.
    pub id: u64,
    #[cfg_attr(windows, allow(dead_code))] // for Wayland
    mode: PresentMode,
    ticket: Option<timing::Ticket>,
}

impl Swapchain {
    /// A swapchain with its images.
    ///
    /// # Errors
    /// When the surface cannot show such images.
    pub fn new(physical_device: &Arc<PhysicalDevice>, info: SwapchainInfo) -> Result<Swapchain> {
        if !FORMATS.iter().any(|one| one.format == info.format) {
            return Err(Error::misuse(
                "a format that the surface lacks (VUID-VkSwapchainCreateInfoKHR-imageFormat-01273)",
            ));
        }
        if info.min_image_count > IMAGES_MAX {
            return Err(Error::misuse(
                "more than maxImageCount (VUID-VkSwapchainCreateInfoKHR-minImageCount-01272)",
            ));
        }
        let mutable = if info.mutable_format {
            vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE
        } else {
            vk::ImageCreateFlags::empty()
        };
        let single_sampled = match info.single_sampled {
            true => vk::ImageCreateFlags::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT,
            false => vk::ImageCreateFlags::empty(),
        };
        let image_info = ImageInfo {
            flags: mutable | single_sampled,
            ty: vk::ImageType::_2D,
            format: info.format,
            extent: vk::Extent3D { width: info.extent.width, height: info.extent.height, depth: 1 },
            levels: 1,
            layers: 1,
            samples: vk::SampleCountFlags::_1,
            tiling: vk::ImageTiling::OPTIMAL,
            places: None,
            is_small: false,
            usage: info.usage | vk::ImageUsageFlags::TRANSFER_SRC,
        };
        let is_shared = info.present_mode == SHARED;
        if is_shared && info.min_image_count != 1 {
            return Err(Error::misuse(
                "a shared image beside others (VUID-VkSwapchainCreateInfoKHR-minImageCount-01383)",
            ));
        }
        let count = if is_shared { 1 } else { info.min_image_count.max(IMAGES_MIN) };
        let images = (0..count).map(|_| {
            let image = Image::new(image_info)?;
            let source = MemorySource::New {
                exportable: false,
                fixed_address: None,
                placeable: false,
                exceeds_heap: false,
            };
            let memory = DeviceMemory::new(physical_device, image.requirements(None)?.size, source)?;
            image.bind(None, &Arc::new(memory), 0)?;
            Ok(Arc::new(image))
        });
        Ok(Swapchain {
            surface: info.surface,
            info: image_info,
            images: images.collect::<Result<_>>()?,
            has_alpha: info.composite_alpha == vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            is_paced: AtomicBool::new(info.present_mode == vk::PresentModeKHR::FIFO),
            free: Mutex::new((0..count).collect()),
            changed: Waiters::default(),
            presented: AtomicU64::new(0),
            retired: AtomicBool::new(false),
            is_shared,
            is_timed: info.is_timed,
            timings: Timings::default(),
            handles: Mutex::default(),
        })
    }

    /// What its images are made from.
    pub fn image_info(&self) -> &ImageInfo {
        &self.info
    }

    /// Its images.
    pub fn images(&self) -> &[Arc<Image>] {
        &self.images
    }

    /// Whether it was made for reports of times.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// When its images were presented.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Images are presented in another mode from now on (`VkSwapchainPresentModeInfoKHR`).
    pub fn set_present_mode(&self, mode: vk::PresentModeKHR) {
        self.is_paced.store(mode == vk::PresentModeKHR::FIFO, Ordering::Relaxed);
    }

    /// Whether it can be presented to.
    ///
    /// # Errors
    /// When the window has another size, is gone, or the swapchain is retired.
    pub fn check(&self) -> Result<()> {
        let is_usable = !self.retired.load(Ordering::Acquire) && self.fits()?;
        if is_usable { Ok(()) } else { Err(out_of_date()) }
    }

    /// Another swapchain takes its place.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Release);
        self.changed.wake();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u32>> {
        self.free.lock()
    }

    /// Waits for an image; none when `timeout_ns` passes first.
    ///
    /// # Errors
    /// `VK_ERROR_OUT_OF_DATE_KHR` when the window has another size now or the swapchain is retired.
    pub fn acquire(&self, timeout_ns: u64) -> Result<Option<u32>> {
        self.check()?;
        let take = || self.lock().pop_front();
        Ok(wait::wait(core::iter::once(&self.changed), wait::deadline(timeout_ns), take))
    }

    /// Waits until an image of this id, or a larger one, was presented; false when `timeout_ns` passes first.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_for(&self, id: u64, timeout_ns: u64, lost: &AtomicBool) -> Result<bool> {
        let lost = || lost.load(Ordering::Acquire);
        let ready = || (lost() || self.presented.load(Ordering::Acquire) >= id).then_some(());
        let done = wait::wait(core::iter::once(&self.changed), wait::deadline(timeout_ns), ready);
        if lost() { Err(Error::device_lost()) } else { Ok(done.is_some()) }
    }

    /// Whether the images have the window's size.
    ///
    /// # Errors
    /// When the window is gone.
    pub fn fits(&self) -> Result<bool> {
        let extent = self.info.extent;
        Ok(self
            .surface
            .told_extent()?
            .is_none_or(|current| current.width == extent.width && current.height == extent.height))
    }

    /// The texels of an image: rows from the top without gaps, four bytes each, blue, green, red, zero.
    /// Nothing where there is no such image.
    pub fn texels(&self, image: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(image) = self.images.get(image as usize) {
            rows_bgrx(image, |row| bytes.extend(row));
        }
        bytes.chunks_exact_mut(4).for_each(|texel| texel[3] = 0);
        bytes
    }

    /// Gives images back without presenting them (`vkReleaseSwapchainImages`).
    pub fn release(&self, image: u32) {
        if (image as usize) < self.images.len() {
            self.lock().push_back(image);
            self.changed.wake();
        }
    }
}

/// The surface no longer fits the swapchain.
pub fn out_of_date() -> Error {
    Error::new(vk::Result::ERROR_OUT_OF_DATE_KHR, "the surface no longer fits the swapchain")
}

impl Present {
    /// An image of a swapchain, in the mode that the swapchain has now; id zero: none.
    pub fn new(swapchain: Arc<Swapchain>, image: u32, id: u64) -> Present {
        let is_paced = swapchain.is_paced.load(Ordering::Relaxed);
        let mode = if is_paced { PresentMode::Paced } else { PresentMode::Immediate };
        Present { swapchain, image, id, mode, ticket: None }
    }

    /// The same at a time, and with a report; none when there is no room for the report.
    pub fn timed(self, request: TimingRequest) -> Option<Present> {
        let ticket = self.swapchain.timings.begin(self.id, request)?;
        Some(Present { ticket: Some(ticket), ..self })
    }

    /// Waits until the image may be shown, or its swapchain is of no use.
    fn wait(&self, now_ns: u64) {
        let swapchain = &self.swapchain;
        let delay = self.ticket.map_or(0, |ticket| swapchain.timings.delay_ns(&ticket.request, now_ns));
        if delay > 0 {
            let retired = || swapchain.retired.load(Ordering::Acquire).then_some(());
            wait::wait(core::iter::once(&swapchain.changed), wait::deadline(delay), retired);
        }
    }

    /// Shows the image, and makes it free again.
    pub(crate) fn run(&self) {
        let ended_ns = system::monotonic_ns();
        self.wait(ended_ns);
        let shown_ns = system::monotonic_ns();
        if let Some(image) = self.swapchain.images.get(self.image as usize) {
            file::write(image);
            match &*self.swapchain.surface {
                Surface::Headless => {}
                #[cfg(unix)]
                Surface::Window(window) => window.show(image),
                #[cfg(unix)]
                Surface::Wayland(window) => window.show(image, self.mode, self.swapchain.has_alpha),
                #[cfg(windows)]
                Surface::Win32(window) => window.show(image),
            }
        }
        self.swapchain.timings.end(self.ticket, [ended_ns, shown_ns]);
        self.swapchain.presented.fetch_max(self.id, Ordering::AcqRel);
        if self.swapchain.is_shared {
            self.swapchain.changed.wake();
        } else {
            self.swapchain.release(self.image);
        }
    }
}

/// Rows of an image as bytes in the order blue, green, red, alpha.
fn rows_bgrx(image: &Image, mut row: impl FnMut(&[u8])) {
    let Ok((block, offset)) = image.memory(0) else { return };
    let (extent, level) = (image.info().extent, image.layout().levels[0]);
    let mut bytes = vec![0; extent.width as usize * 4];
    let swap = matches!(image.info().format, vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_SRGB);
    for y in 0..extent.height {
        let at = offset + u64::from(level.offset) + u64::from(y) * u64::from(level.row_pitch);
        block.read(at, &mut bytes);
        if swap {
            bytes.chunks_exact_mut(4).for_each(|texel| texel.swap(0, 2));
        }
        row(&bytes);
    }
}

/// Memory that another process can map, by its file.
#[cfg(unix)]
struct SharedMemory {
    file: File,
    block: Block,
}

#[cfg(unix)]
impl SharedMemory {
    /// So many bytes.
    ///
    /// # Errors
    /// When there is no memory to share with the window system of this name.
    fn new(size: u64, with: &str) -> Result<SharedMemory> {
        let none = || {
            let text = format!("no memory to share with {with}");
            Error::new(vk::Result::ERROR_OUT_OF_HOST_MEMORY, text)
        };
        let file = system::memory_file(size).ok_or_else(none)?;
        let block = Block::from_file(&file, size, None).ok_or_else(none)?;
        Ok(SharedMemory { file, block })
    }
}

/// Copies an image into memory for a window: rows without gaps, as of [`rows_bgrx`].
#[cfg(unix)]
fn copy_bgrx(image: &Image, block: &Block) {
    let mut at = 0;
    rows_bgrx(image, |row| {
        block.write(at, row);
        at += row.len() as u64;
    });
}
