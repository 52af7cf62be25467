//! The numbers that name the device and its vendor.
//!
//! Problem: Chromium and Electron give pages WebGPU on a processor only by SwiftShader, which their graphics
//! library (Dawn) tells from other devices by these two numbers; `pyroclast install --chromium` puts the
//! driver under SwiftShader's file name. Approach: the library looks at the name of its own file, and has
//! SwiftShader's numbers under that name alone. The device's and the driver's names and versions, and
//! `driverID`, are the driver's own everywhere.

use super::limits::{DEVICE_ID, VENDOR_ID};
use std::path::Path;
use std::sync::LazyLock;

/// `vendorID` and `deviceID` of `VkPhysicalDeviceProperties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceIds {
    /// `vendorID`.
    pub vendor: u32,
    /// `deviceID`.
    pub device: u32,
}

impl DeviceIds {
    const OWN: DeviceIds = DeviceIds { vendor: VENDOR_ID, device: DEVICE_ID };
    /// Google's PCI id, and SwiftShader's number there.
    const SWIFTSHADER: DeviceIds = DeviceIds { vendor: 0x1AE0, device: 0xC0DE };

    /// Those of this process's driver.
    pub fn get() -> DeviceIds {
        static FOUND: LazyLock<DeviceIds> = LazyLock::new(|| {
            let file = pyro_codemem::library_of(DeviceIds::get as *const ());
            file.map_or(DeviceIds::OWN, |file| DeviceIds::of_library(&file))
        });
        *FOUND
    }

    /// Those of a driver whose library has this file name.
    fn of_library(file: &Path) -> DeviceIds {
        match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("libvk_swiftshader" | "vk_swiftshader") => DeviceIds::SWIFTSHADER,
            _ => DeviceIds::OWN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_in_the_place_of_swiftshader_has_its_numbers() {
        for name in ["libvk_swiftshader.so", "./browser/libvk_swiftshader.so", "vk_swiftshader.dll"] {
            assert_eq!(DeviceIds::of_library(Path::new(name)), DeviceIds::SWIFTSHADER, "{name}");
        }
        for name in ["libpyroclast_icd.so", "/libvk_swiftshader.so/driver.so", ""] {
            assert_eq!(DeviceIds::of_library(Path::new(name)), DeviceIds::OWN, "{name}");
        }
        // This test is a program of its own name.
        assert_eq!(DeviceIds::get(), DeviceIds::OWN);
    }
}
