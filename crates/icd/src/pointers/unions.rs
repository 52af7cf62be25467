//! Unions of the API whose members may all be read, whichever the application has set: plain words of one
//! size.

use std::ffi::c_void;
use vulkanalia_sys as vk;

/// An address of the device or a pointer of the host, as the command says.
pub(crate) trait DeviceOrHostAddress {
    /// As the device's.
    fn device(&self) -> u64;

    /// As the host's.
    fn host_pointer(&self) -> *const c_void;

    /// The same as a number.
    fn host(&self) -> u64 {
        self.host_pointer().expose_provenance() as u64
    }
}

macro_rules! addresses {
    ($($name:ident)*) => {$(
        impl DeviceOrHostAddress for vk::$name {
            fn device(&self) -> u64 {
                // SAFETY: both members are words of 64 bits, of which any bits are an address.
                unsafe { self.device_address }
            }

            fn host_pointer(&self) -> *const c_void {
                // SAFETY: as above; any bits are a pointer.
                unsafe { self.host_address }.cast()
            }
        }
    )*};
}

addresses!(DeviceOrHostAddressConstKHR DeviceOrHostAddressKHR DeviceOrHostAddressConstAMDX);

const _: () = assert!(size_of::<*const ()>() == size_of::<u64>());

/// What to clear with.
pub(crate) trait PlainWords {
    /// Its words, whichever kind of value it is.
    fn words(&self) -> [u32; 4];
}

impl PlainWords for vk::ClearColorValue {
    fn words(&self) -> [u32; 4] {
        // SAFETY: all members are four plain words.
        unsafe { self.uint32 }
    }
}

impl PlainWords for vk::ClearValue {
    fn words(&self) -> [u32; 4] {
        // SAFETY: all members are plain words, and the application's memory has all four.
        unsafe { self.color }.words()
    }
}
