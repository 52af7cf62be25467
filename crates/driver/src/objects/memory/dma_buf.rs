//! dma-bufs of memory files (`/dev/udmabuf`): what kernels take for scanout and other devices.
#![allow(unsafe_code)] // a request to a device of the kernel

use core::ffi::c_void;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `struct udmabuf_create` (`linux/udmabuf.h`).
#[repr(C)]
struct Create {
    file: u32,
    flags: u32,
    offset: u64,
    size: u64,
}

/// `UDMABUF_FLAGS_CLOEXEC`
const CLOSE_ON_EXEC: u32 = 1;

// SAFETY: `UDMABUF_CREATE` reads the structure that the pointer is of, and gives a descriptor that is the
// caller's.
unsafe impl Ioctl for Create {
    type Output = OwnedFd;

    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        opcode::write::<Create>(b'u', 0x42)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    unsafe fn output_from_ptr(descriptor: IoctlOutput, _: *mut c_void) -> rustix::io::Result<OwnedFd> {
        // SAFETY: the request succeeded: it is open, and nobody else knows it.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }
}

/// A dma-buf of the first `size` bytes (whole pages) of a memory file whose size is sealed. None where the
/// system does not make such, or does not let this process.
pub(super) fn create(file: &File, size: u64) -> Option<File> {
    let device = File::options().read(true).write(true).open("/dev/udmabuf").ok()?;
    let request =
        Create { file: u32::try_from(file.as_raw_fd()).ok()?, flags: CLOSE_ON_EXEC, offset: 0, size };
    // SAFETY: the device is the one that the request is for.
    let buffer = unsafe { ioctl(&device, request) };
    buffer.ok().map(File::from)
}
