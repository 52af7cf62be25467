//! A driver's first device, opened for drawing.

use ash::vk;
use pyro_test_loader::Driver;

/// A device with one queue that draws.
pub struct Device {
    pub(crate) device: pyro_test_loader::Device,
    pub(crate) features: vk::PhysicalDeviceFeatures,
}

impl Device {
    /// Opens the first device of the loader, or of a driver.
    ///
    /// # Errors
    /// What is missing.
    #[allow(unsafe_code)] // asks the physical device for its features
    pub fn open(entry: ash::Entry) -> Result<Device, String> {
        let driver = Driver::of_version_1_3(entry)?;
        let family = driver.family(vk::QueueFlags::GRAPHICS)?;
        // SAFETY: the physical device is the instance's.
        let has = unsafe { driver.instance.get_physical_device_features(driver.physical) };
        let features = vk::PhysicalDeviceFeatures {
            depth_bounds: has.depth_bounds,
            depth_clamp: has.depth_clamp,
            logic_op: has.logic_op,
            sample_rate_shading: has.sample_rate_shading,
            sampler_anisotropy: has.sampler_anisotropy,
            ..Default::default()
        };
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
            .dynamic_rendering(true)
            .synchronization2(true)
            .shader_demote_to_helper_invocation(true);
        let info = vk::DeviceCreateInfo::default().enabled_features(&features).push_next(&mut v13);
        let device = driver.device(family, info).map_err(|error| error.to_string())?;
        Ok(Device { device, features })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.device.driver.name
    }
}
