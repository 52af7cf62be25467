//! Windows of the system of that name (`VK_KHR_win32_surface`): GDI copies images into their client areas.
#![allow(unsafe_code)]

use super::rows_bgrx;
use crate::error::{Error, Result};
use crate::objects::image::Image;
use core::ffi::c_void;
use pyro_util::sync::Mutex;
use vulkanalia_sys as vk;
use windows_sys::Win32::Foundation::RECT;
use windows_sys::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, DIB_RGB_COLORS, GetDC, ReleaseDC, SetDIBitsToDevice,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{GetClientRect, IsWindow};

/// A window.
pub struct Window {
    /// Its `HWND` as a number: a name that all threads may use, and that the system checks.
    window: usize,
    /// The texels of the image that is shown, kept from frame to frame.
    texels: Mutex<Vec<u8>>,
}

fn lost() -> Error {
    Error::new(vk::Result::ERROR_SURFACE_LOST_KHR, "the window is gone")
}

impl Window {
    /// A window of this process or another.
    pub(super) fn new(window: *mut c_void) -> Result<Window> {
        // SAFETY: the function looks a name up, whatever it is.
        if unsafe { IsWindow(window) } == 0 {
            let text = "hwnd is not a window (VUID-VkWin32SurfaceCreateInfoKHR-hwnd-01308)";
            return Err(Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, text));
        }
        Ok(Window { window: window.addr(), texels: Mutex::default() })
    }

    fn handle(&self) -> *mut c_void {
        core::ptr::without_provenance_mut(self.window)
    }

    /// The size of its client area, which is zero while it is minimized.
    pub(super) fn extent(&self) -> Result<vk::Extent2D> {
        let mut area = RECT { left: 0, top: 0, right: 0, bottom: 0 };
        // SAFETY: the rectangle is ours; a window that is gone is an error.
        if unsafe { GetClientRect(self.handle(), &raw mut area) } == 0 {
            return Err(lost());
        }
        // The upper left corner of a client area is (0, 0).
        Ok(vk::Extent2D { width: area.right.max(0) as u32, height: area.bottom.max(0) as u32 })
    }

    /// Copies an image into the client area. A window that is gone shows nothing.
    pub(super) fn show(&self, image: &Image) {
        let extent = image.info().extent;
        let mut texels = self.texels.lock();
        texels.clear();
        rows_bgrx(image, |row| texels.extend_from_slice(row));
        let info = BITMAPINFO {
            bmiHeader: BITMAPINFOHEADER {
                biSize: size_of::<BITMAPINFOHEADER>() as u32,
                biWidth: extent.width as i32,
                // Negative: the first row is the top.
                biHeight: -(extent.height as i32),
                biPlanes: 1,
                biBitCount: 32,
                biCompression: BI_RGB,
                ..Default::default()
            },
            ..Default::default()
        };
        // SAFETY: the function takes any name, and null means that there is no such window.
        let context = unsafe { GetDC(self.handle()) };
        if context.is_null() {
            return;
        }
        // SAFETY: there are `extent.height` rows of `extent.width` texels of four bytes, as the header says,
        // and the context is given back to the window that it is of.
        unsafe {
            SetDIBitsToDevice(
                context,
                0,
                0,
                extent.width,
                extent.height,
                0,
                0,
                0,
                extent.height,
                texels.as_ptr().cast(),
                &raw const info,
                DIB_RGB_COLORS,
            );
            ReleaseDC(self.handle(), context);
        }
    }
}
