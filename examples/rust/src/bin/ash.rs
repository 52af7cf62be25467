//! `ash` on the driver in this process: prints the device, its version and its queues.

use ash::vk;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: the function pointer is the driver's, which stays in this program.
    let entry = unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: std::mem::transmute::<
                pyroclast::GetInstanceProcAddr,
                vk::PFN_vkGetInstanceProcAddr,
            >(pyroclast::get_instance_proc_addr),
        })
    };
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the structures live through the calls; the instance is destroyed after its last use.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        for device in instance.enumerate_physical_devices()? {
            let properties = instance.get_physical_device_properties(device);
            let version = properties.api_version;
            println!(
                "ash: {} (Vulkan {}.{})",
                properties.device_name_as_c_str()?.to_string_lossy(),
                vk::api_version_major(version),
                vk::api_version_minor(version)
            );
        }
        instance.destroy_instance(None);
    }
    Ok(())
}
