//! Presentation to windows of Windows: what GDI then reads from them. Under Wine it needs an X server.
#![cfg(windows)]

use pyro_test_environment::{Need, in_child, is_child, skip};
use pyro_test_kit::{Client, Gpu};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::slice;
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
    KhrWin32SurfaceExtensionInstanceCommands as _,
};
use windows_sys::Win32::Foundation::HWND;
use windows_sys::Win32::Graphics::Gdi::{GetDC, GetPixel, ReleaseDC};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DestroyWindow, DispatchMessageW, MSG, PM_REMOVE, PeekMessageW,
    RegisterClassW, SWP_NOMOVE, SWP_NOZORDER, SetWindowPos, WNDCLASSW, WS_POPUP, WS_VISIBLE,
};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

/// A window that only this test draws into.
fn window() -> Option<HWND> {
    let name: Vec<u16> = "pyroclast-test\0".encode_utf16().collect();
    unsafe {
        let module = GetModuleHandleW(null());
        let class = WNDCLASSW {
            lpfnWndProc: Some(DefWindowProcW),
            hInstance: module,
            lpszClassName: name.as_ptr(),
            ..Default::default()
        };
        RegisterClassW(&class);
        let (style, [width, height]) = (WS_POPUP | WS_VISIBLE, [WIDTH, HEIGHT].map(u32::cast_signed));
        let (class, parent, menu, more) = (name.as_ptr(), null_mut(), null_mut(), null::<c_void>());
        let window = CreateWindowExW(0, class, class, style, 0, 0, width, height, parent, menu, module, more);
        pump();
        (!window.is_null()).then_some(window)
    }
}

/// Handles the window's messages that have come.
fn pump() {
    unsafe {
        let mut message = MSG::default();
        while PeekMessageW(&mut message, null_mut(), 0, 0, PM_REMOVE) != 0 {
            DispatchMessageW(&message);
        }
    }
}

/// A window's texel, red, green and blue, once it is the one that is expected, or after some time.
fn texel(window: HWND, [x, y]: [i32; 2], expected: [u8; 3]) -> [u8; 3] {
    let start = Instant::now();
    loop {
        pump();
        let color = unsafe {
            let context = GetDC(window);
            let color = GetPixel(context, x, y);
            ReleaseDC(window, context);
            color
        };
        let [red, green, blue, _] = color.to_le_bytes();
        if [red, green, blue] == expected || start.elapsed() > Duration::from_secs(5) {
            return [red, green, blue];
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

struct Shown {
    gpu: Gpu,
    surface: vk::SurfaceKHR,
    swapchain: vk::SwapchainKHR,
    images: Vec<vk::Image>,
}

impl Shown {
    fn new(window: HWND, format: vk::Format) -> Shown {
        let client = Client::new(vk::make_version(1, 3, 0), &[c"VK_KHR_surface", c"VK_KHR_win32_surface"]);
        let gpu = client.device(&[c"VK_KHR_swapchain"], None, null_mut());
        let info = vk::Win32SurfaceCreateInfoKHR { hwnd: window, ..Default::default() };
        unsafe {
            let physical_device = gpu.physical_device;
            let supported =
                gpu.instance.get_physical_device_win32_presentation_support_khr(physical_device, 0);
            assert_eq!(supported, vk::TRUE);
            let surface = gpu.instance.create_win32_surface_khr(&info, None).expect("a surface");
            let capabilities =
                gpu.instance.get_physical_device_surface_capabilities_khr(physical_device, surface);
            let extent = capabilities.expect("capabilities").current_extent;
            assert_eq!([extent.width, extent.height], [WIDTH, HEIGHT]);
            let info = vk::SwapchainCreateInfoKHR::builder()
                .surface(surface)
                .min_image_count(2)
                .image_format(format)
                .image_extent(extent)
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(vk::PresentModeKHR::FIFO);
            let swapchain = gpu.device.create_swapchain_khr(&info, None).expect("a swapchain");
            let images = gpu.device.get_swapchain_images_khr(swapchain).expect("images");
            Shown { gpu, surface, swapchain, images }
        }
    }

    /// Presents texels, four bytes each as the format has them.
    fn present(&self, texels: &[u8]) -> Result<(), vk::ErrorCode> {
        let device = &self.gpu.device;
        let (null, none) = (vk::Semaphore::null(), vk::Fence::null());
        unsafe {
            let index = device.acquire_next_image_khr(self.swapchain, u64::MAX, null, none)?.0;
            let usage = vk::BufferUsageFlags::TRANSFER_SRC;
            let (buffer, memory, address) = self.gpu.mapped_buffer(texels.len() as u64, usage);
            address.copy_from_nonoverlapping(texels.as_ptr(), texels.len());
            let layers =
                vk::ImageSubresourceLayers::builder().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let region = vk::BufferImageCopy::builder()
                .image_subresource(layers)
                .image_extent(vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 });
            self.gpu.run(|commands| {
                let (image, layout) = (self.images[index as usize], vk::ImageLayout::GENERAL);
                device.cmd_copy_buffer_to_image(commands, buffer, image, layout, &[region.build()]);
            });
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&self.swapchain))
                .image_indices(slice::from_ref(&index));
            device.queue_present_khr(self.gpu.queue, &info)?;
            device.device_wait_idle()
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        unsafe {
            self.gpu.device.destroy_swapchain_khr(self.swapchain, None);
            self.gpu.instance.destroy_surface_khr(self.surface, None);
        }
    }
}

/// Red grows to the right, green downwards.
fn gradient(blue: u8) -> Vec<[u8; 3]> {
    let texel = |x, y| [(x * 4) as u8, (y * 5) as u8, blue];
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| texel(x, y))).collect()
}

#[test]
fn windows_show_what_is_presented() {
    if !is_child() {
        let _ = in_child(module_path!(), "windows_show_what_is_presented", &[]);
        return;
    }
    let Some(window) = window() else { skip!(Need::Package("xvfb")) };
    let formats = [(vk::Format::R8G8B8A8_UNORM, [0, 1, 2]), (vk::Format::B8G8R8A8_UNORM, [2, 1, 0])];
    for (format, order) in formats {
        let shown = Shown::new(window, format);
        for blue in [40, 200] {
            let texels = gradient(blue);
            let bytes: Vec<u8> =
                texels.iter().flat_map(|rgb| [rgb[order[0]], rgb[1], rgb[order[2]], 7]).collect();
            shown.present(&bytes).expect("presented");
            for [x, y] in [[0, 0], [WIDTH - 1, 0], [0, HEIGHT - 1], [31, 17], [WIDTH - 1, HEIGHT - 1]] {
                let expected = texels[(y * WIDTH + x) as usize];
                let place = [x, y].map(u32::cast_signed);
                assert_eq!(texel(window, place, expected), expected, "{format:?}, blue {blue}, at {x}, {y}");
            }
        }
    }
    unsafe { DestroyWindow(window) };
}

#[test]
fn changed_and_closed_windows_are_noticed() {
    if !is_child() {
        let _ = in_child(module_path!(), "changed_and_closed_windows_are_noticed", &[]);
        return;
    }
    let Some(window) = window() else { skip!(Need::Package("xvfb")) };
    let shown = Shown::new(window, vk::Format::B8G8R8A8_UNORM);
    let bytes: Vec<u8> =
        gradient(0).into_iter().flat_map(|[red, green, blue]| [blue, green, red, 0]).collect();
    shown.present(&bytes).expect("presented");
    unsafe { SetWindowPos(window, null_mut(), 0, 0, 80, 60, SWP_NOMOVE | SWP_NOZORDER) };
    pump();
    assert_eq!(shown.present(&bytes), Err(vk::ErrorCode::OUT_OF_DATE_KHR));
    unsafe { DestroyWindow(window) };
    let capabilities = unsafe {
        let (instance, physical_device) = (&shown.gpu.instance, shown.gpu.physical_device);
        instance.get_physical_device_surface_capabilities_khr(physical_device, shown.surface)
    };
    assert_eq!(capabilities.err(), Some(vk::ErrorCode::SURFACE_LOST_KHR));
    // A name that is no window's.
    let info = vk::Win32SurfaceCreateInfoKHR { hwnd: window, ..Default::default() };
    assert!(unsafe { shown.gpu.instance.create_win32_surface_khr(&info, None) }.is_err());
}
