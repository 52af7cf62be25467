//! A Vulkan client of any driver, through the system's loader.
//!
//! Problem: benchmarks and comparisons run other vendors' drivers as well as ours, and each begins with an
//! instance, a device with one queue, and memory. Approach: a [`Driver`] is an instance and its first
//! physical device; [`Device`] is a device of it, over `ash`, which it dereferences to. Errors say what is
//! missing, since drivers and machines differ.
//!
//! Nothing is destroyed when dropped: the programs end with their process, and those that make many devices
//! destroy them.
//!
//! *Must not know*: our driver, or what the programs run.
#![allow(unsafe_code)] // The Vulkan API is foreign functions.

use ash::vk;
use std::cell::Cell;
use std::ffi::CStr;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

/// Why there is no device, or no object of one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine or the driver lacks something.
    #[error("{0}")]
    Missing(String),
    /// A Vulkan call failed.
    #[error("{0}")]
    Vulkan(#[from] vk::Result),
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.to_string()
    }
}

/// The system's Vulkan loader.
///
/// # Errors
/// When there is none.
pub fn load() -> Result<ash::Entry, Error> {
    // SAFETY: loading the system's Vulkan loader runs its initialisers, which are trusted.
    unsafe { ash::Entry::load() }.map_err(|error| Error::Missing(format!("no Vulkan loader: {error}")))
}

/// A driver's own library, without a loader, as Dawn opens SwiftShader's.
///
/// # Errors
/// When there is none, or it does not export `vkGetInstanceProcAddr`.
pub fn load_driver(library: &Path) -> Result<ash::Entry, Error> {
    // SAFETY: the caller names a driver; loading it runs its initialisers.
    unsafe { ash::Entry::load_from(library) }
        .map_err(|error| Error::Missing(format!("{}: {error}", library.display())))
}

/// An instance and its first physical device.
#[derive(Clone)]
pub struct Driver {
    /// What the instance was made from; it keeps the loader's or the driver's library in memory.
    pub entry: ash::Entry,
    /// The instance, of Vulkan 1.3.
    pub instance: ash::Instance,
    /// The first device that it lists.
    pub physical: vk::PhysicalDevice,
    /// The device's name.
    pub name: String,
    /// The version of the API that the device has.
    pub api_version: u32,
    /// Its queue families.
    pub families: Vec<vk::QueueFamilyProperties>,
    extensions: Vec<vk::ExtensionProperties>,
    memory: vk::PhysicalDeviceMemoryProperties,
}

impl Driver {
    /// An instance with these layers and extensions.
    ///
    /// # Errors
    /// When it cannot be made or lists no device.
    pub fn open(entry: ash::Entry, layers: &[&CStr], extensions: &[&CStr]) -> Result<Driver, Error> {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let pointers = |names: &[&CStr]| names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
        let (layer_names, extension_names) = (pointers(layers), pointers(extensions));
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layer_names)
            .enabled_extension_names(&extension_names);
        // SAFETY: `info` and what it names live until the call returns.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(|error| match error {
            vk::Result::ERROR_LAYER_NOT_PRESENT | vk::Result::ERROR_EXTENSION_NOT_PRESENT => {
                Error::Missing(format!("no instance with {layers:?}, {extensions:?}: {error}"))
            }
            error => Error::Vulkan(error),
        })?;
        // SAFETY: `instance` is live, and `physical` comes from it.
        unsafe {
            let found = instance.enumerate_physical_devices()?;
            let missing = || Error::Missing("the driver lists no device".to_owned());
            let physical = *found.first().ok_or_else(missing)?;
            let properties = instance.get_physical_device_properties(physical);
            let name = properties.device_name_as_c_str().unwrap_or(c"?").to_string_lossy().into_owned();
            Ok(Driver {
                physical,
                name,
                api_version: properties.api_version,
                families: instance.get_physical_device_queue_family_properties(physical),
                extensions: instance.enumerate_device_extension_properties(physical)?,
                memory: instance.get_physical_device_memory_properties(physical),
                entry,
                instance,
            })
        }
    }

    /// The loader's or a driver's first device, which must have Vulkan 1.3.
    ///
    /// # Errors
    /// As of [`Driver::open`], and when it has an older version.
    pub fn of_version_1_3(entry: ash::Entry) -> Result<Driver, Error> {
        let driver = Driver::open(entry, &[], &[])?;
        if driver.api_version < vk::API_VERSION_1_3 {
            return Err(Error::Missing(format!("{} does not have Vulkan 1.3", driver.name)));
        }
        Ok(driver)
    }

    /// Whether the device has an extension.
    #[must_use]
    pub fn has(&self, name: &CStr) -> bool {
        self.extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
    }

    /// The first queue family with all of these capabilities.
    ///
    /// # Errors
    /// When there is none.
    pub fn family(&self, flags: vk::QueueFlags) -> Result<u32, Error> {
        let found = self.families.iter().position(|family| family.queue_flags.contains(flags));
        let missing = || Error::Missing(format!("{} has no queue for {flags:?}", self.name));
        found.map(|family| family as u32).ok_or_else(missing)
    }

    /// A device with one queue of this family; `info` says the rest.
    ///
    /// # Errors
    /// Those of the call.
    pub fn device(&self, family: u32, info: vk::DeviceCreateInfo<'_>) -> Result<Device, vk::Result> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let info = info.queue_create_infos(&queues);
        // SAFETY: `info` and what it names live until the call returns; the queue is one that it asks for.
        unsafe {
            let device = self.instance.create_device(self.physical, &info, None)?;
            let queue = device.get_device_queue(family, 0);
            Ok(Device { driver: self.clone(), device, queue, family })
        }
    }
}

/// A device and its queue.
pub struct Device {
    /// What it was made from.
    pub driver: Driver,
    device: ash::Device,
    /// Its queue.
    pub queue: vk::Queue,
    /// The queue's family.
    pub family: u32,
}

impl Deref for Device {
    type Target = ash::Device;

    fn deref(&self) -> &ash::Device {
        &self.device
    }
}

/// A buffer in mapped memory.
#[derive(Clone, Copy)]
pub struct Mapped {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// Where all its bytes are mapped.
    pub address: *mut u8,
}

/// An image, its memory and a view of all of it.
#[derive(Clone, Copy)]
pub struct Image {
    /// The image.
    pub image: vk::Image,
    memory: vk::DeviceMemory,
    /// The view.
    pub view: vk::ImageView,
    /// What the view is of.
    pub range: vk::ImageSubresourceRange,
}

impl Device {
    /// The number of the first memory type among `allowed` with these properties.
    fn memory_type(&self, allowed: u32, wanted: vk::MemoryPropertyFlags) -> Result<u32, vk::Result> {
        let types = self.driver.memory.memory_types_as_slice();
        (0..types.len() as u32)
            .find(|&number| {
                allowed >> number & 1 != 0 && types[number as usize].property_flags.contains(wanted)
            })
            .ok_or(vk::Result::ERROR_FEATURE_NOT_PRESENT)
    }

    /// A host-visible, host-coherent buffer, mapped; with an address on the device where `usage` has one.
    ///
    /// # Errors
    /// `ERROR_FEATURE_NOT_PRESENT` when no such memory may hold it, and those of the calls.
    pub fn buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<Mapped, vk::Result> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        // SAFETY: the structures live until each call returns; buffer and memory are fresh, offset 0 meets
        // every alignment, and the mapping is the only one.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let kind = self.memory_type(needs.memory_type_bits, wanted)?;
            let mut info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
                info = info.push_next(&mut flags);
            }
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let address = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
            Ok(Mapped { buffer, address: address.cast() })
        }
    }

    /// An optimal 2D image of one layer with memory of its own and a view of all of it.
    ///
    /// # Errors
    /// `ERROR_FORMAT_NOT_SUPPORTED` when the device has no such images, and those of the calls.
    pub fn image(
        &self,
        (format, aspect_mask): (vk::Format, vk::ImageAspectFlags),
        samples: vk::SampleCountFlags,
        (extent, levels): ([u32; 2], u32),
        usage: vk::ImageUsageFlags,
    ) -> Result<Image, vk::Result> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(samples)
            .usage(usage);
        self.image_of(&info, vk::ImageViewType::TYPE_2D, aspect_mask)
    }

    /// An image of any kind with memory of its own and a view of all of it.
    ///
    /// # Errors
    /// `ERROR_FORMAT_NOT_SUPPORTED` when the device has no such images, and those of the calls.
    pub fn image_of(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        view: vk::ImageViewType,
        aspect_mask: vk::ImageAspectFlags,
    ) -> Result<Image, vk::Result> {
        let range = vk::ImageSubresourceRange {
            aspect_mask,
            level_count: info.mip_levels,
            layer_count: info.array_layers,
            ..Default::default()
        };
        // SAFETY: all handles are this device's; the structures live until each call returns.
        unsafe {
            let limits = self.driver.instance.get_physical_device_image_format_properties(
                self.driver.physical,
                info.format,
                info.image_type,
                info.tiling,
                info.usage,
                info.flags,
            )?;
            if !limits.sample_counts.contains(info.samples) {
                return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
            }
            let image = self.device.create_image(info, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let kind = self.memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::empty())?;
            let memory_info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&memory_info, None)?;
            self.device.bind_image_memory(image, memory, 0)?;
            let view_info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(view)
                .format(info.format)
                .subresource_range(range);
            let view = self.device.create_image_view(&view_info, None)?;
            Ok(Image { image, memory, view, range })
        }
    }

    /// Destroys an image that is not in use.
    ///
    /// # Safety
    /// No work that uses the image is recorded or under way.
    pub unsafe fn destroy_image(&self, image: &Image) {
        // SAFETY: by the contract above.
        unsafe {
            self.device.destroy_image_view(image.view, None);
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }
}

/// How long work is waited for unless said otherwise.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A command buffer that is recorded, submitted and waited for, again and again.
pub struct Submission {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    /// How long work is waited for: with no time at all it has always taken too long.
    pub timeout: Duration,
    has_failed: Cell<bool>,
}

impl Submission {
    /// One for the device's queue.
    ///
    /// # Errors
    /// Those of the calls.
    pub fn new(device: &Device) -> Result<Submission, vk::Result> {
        // SAFETY: the structures live until each call returns.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            Ok(Submission { pool, commands, fence, timeout: TIMEOUT, has_failed: Cell::new(false) })
        }
    }

    /// Records, submits and waits.
    ///
    /// # Errors
    /// Those of the calls, and `TIMEOUT` when the wait takes too long. Behind one, the work may be under way
    /// for ever: every later run has the same error, and nothing that the work uses may be destroyed.
    pub fn run(&self, device: &Device, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), vk::Result> {
        if self.has_failed.get() {
            return Err(vk::Result::TIMEOUT);
        }
        let commands = [self.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        let timeout = u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the command buffer is idle, as every submission before was waited for.
        unsafe {
            device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
            record(self.commands);
            device.end_command_buffer(self.commands)?;
            let submitted = device.queue_submit(device.queue, &submit, self.fence);
            let done = submitted.and_then(|()| match timeout {
                0 => Err(vk::Result::TIMEOUT),
                _ => device.wait_for_fences(&[self.fence], true, timeout),
            });
            self.has_failed.set(done.is_err());
            done?;
            device.reset_fences(&[self.fence])
        }
    }

    /// Whether a submission or a wait has failed: the work may still be under way, or the device is lost.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.has_failed.get()
    }
}
