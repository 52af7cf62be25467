//! The loader's first device, opened for drawing, over `ash`.
#![allow(unsafe_code)] // The Vulkan API is foreign functions.

use ash::vk;

/// A device with one queue that draws.
pub(crate) struct Device {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) family: u32,
    pub(crate) features: vk::PhysicalDeviceFeatures,
    memory: vk::PhysicalDeviceMemoryProperties,
    name: String,
}

/// A call's failure, in words.
pub(crate) fn text(error: vk::Result) -> String {
    error.to_string()
}

impl Device {
    /// Opens the first device. Errors say what is missing.
    pub(crate) fn open() -> Result<Device, String> {
        // SAFETY: loading the system's Vulkan loader runs its initialisers, which are trusted.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| format!("no Vulkan loader: {error}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` and what it names live until the call returns; all handles below are this
        // instance's.
        unsafe {
            let instance = entry.create_instance(&info, None).map_err(text)?;
            let found = instance.enumerate_physical_devices().map_err(text)?;
            let physical = *found.first().ok_or("the loader lists no device")?;
            let properties = instance.get_physical_device_properties(physical);
            let name = properties.device_name_as_c_str().unwrap_or(c"?").to_string_lossy().into_owned();
            if properties.api_version < vk::API_VERSION_1_3 {
                return Err(format!("{name} is no device of Vulkan 1.3"));
            }
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = families
                .iter()
                .position(|family| family.queue_flags.contains(vk::QueueFlags::GRAPHICS))
                .ok_or_else(|| format!("{name} does not draw"))? as u32;
            let has = instance.get_physical_device_features(physical);
            let features = vk::PhysicalDeviceFeatures {
                depth_bounds: has.depth_bounds,
                depth_clamp: has.depth_clamp,
                logic_op: has.logic_op,
                sample_rate_shading: has.sample_rate_shading,
                ..Default::default()
            };
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default()
                .dynamic_rendering(true)
                .synchronization2(true)
                .shader_demote_to_helper_invocation(true);
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .push_next(&mut v13);
            let device = instance.create_device(physical, &info, None).map_err(text)?;
            let queue = device.get_device_queue(family, 0);
            let memory = instance.get_physical_device_memory_properties(physical);
            Ok(Device { _entry: entry, instance, physical, device, queue, family, features, memory, name })
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the first memory type among `allowed` with these properties.
    fn memory_type(&self, allowed: u32, wanted: vk::MemoryPropertyFlags) -> Result<u32, vk::Result> {
        let types = self.memory.memory_types_as_slice();
        (0..types.len() as u32)
            .find(|&number| {
                allowed >> number & 1 != 0 && types[number as usize].property_flags.contains(wanted)
            })
            .ok_or(vk::Result::ERROR_FEATURE_NOT_PRESENT)
    }

    /// A host-visible buffer and where it is mapped.
    pub(crate) fn buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<(vk::Buffer, *mut u8), vk::Result> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the structures live until each call returns, and the mapping of fresh memory is the only
        // one.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let kind = self.memory_type(needs.memory_type_bits, wanted)?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let bytes = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
            Ok((buffer, bytes.cast()))
        }
    }

    /// A 2D image with memory of its own and a view of all of it; an error also when the device has no such
    /// images.
    pub(crate) fn image(
        &self,
        format: vk::Format,
        samples: vk::SampleCountFlags,
        [size, levels]: [u32; 2],
        usage: vk::ImageUsageFlags,
        aspect: vk::ImageAspectFlags,
    ) -> Result<Image, vk::Result> {
        let (kind, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
        let info = vk::ImageCreateInfo::default()
            .image_type(kind)
            .format(format)
            .extent(vk::Extent3D { width: size, height: size, depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(samples)
            .tiling(tiling)
            .usage(usage);
        // SAFETY: all handles are this device's; the structures live until each call returns.
        unsafe {
            let flags = vk::ImageCreateFlags::empty();
            let limits = self.instance.get_physical_device_image_format_properties(
                self.physical,
                format,
                kind,
                tiling,
                usage,
                flags,
            )?;
            if !limits.sample_counts.contains(samples) {
                return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
            }
            let image = self.device.create_image(&info, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let kind = self.memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::empty())?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_image_memory(image, memory, 0)?;
            let range = vk::ImageSubresourceRange {
                aspect_mask: aspect,
                base_mip_level: 0,
                level_count: levels,
                base_array_layer: 0,
                layer_count: 1,
            };
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            let view = self.device.create_image_view(&info, None)?;
            Ok(Image { image, memory, view, range })
        }
    }

    /// Destroys an image that is not in use.
    ///
    /// # Safety
    /// No work that uses the image is recorded or under way.
    pub(crate) unsafe fn destroy_image(&self, image: &Image) {
        // SAFETY: by the contract above.
        unsafe {
            self.device.destroy_image_view(image.view, None);
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }
}

/// An image, its memory and a view of all of it.
pub(crate) struct Image {
    pub(crate) image: vk::Image,
    memory: vk::DeviceMemory,
    pub(crate) view: vk::ImageView,
    pub(crate) range: vk::ImageSubresourceRange,
}
