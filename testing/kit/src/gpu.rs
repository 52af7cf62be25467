//! An instance and a device of the driver.

use crate::loader::{ThroughSystem, heard_by_all};
use crate::{InProcess, Messages};
use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDebugUtilsExtensionInstanceCommands as _;

fn pointers(names: &[&CStr]) -> Vec<*const c_char> {
    names.iter().map(|name| name.as_ptr()).collect()
}

/// An instance of the driver and its first physical device; destroyed when dropped.
pub struct Client {
    _entry: Entry,
    /// The instance.
    pub instance: Instance,
    /// The first device that it enumerates.
    pub physical_device: vk::PhysicalDevice,
    /// Its messengers, with the lists that they put messages into.
    messengers: Vec<(vk::DebugUtilsMessengerEXT, Messages)>,
}

impl Client {
    /// An instance of this version of the API with these instance extensions.
    ///
    /// # Panics
    /// When it cannot be created, or has no devices.
    #[must_use]
    pub fn new(version: u32, extensions: &[&CStr]) -> Client {
        unsafe {
            let heard = heard_by_all();
            let entry = match &heard {
                Some(_) => Entry::new(ThroughSystem).expect("a loader"),
                None => Entry::new(InProcess).expect("the driver"),
            };
            let application = vk::ApplicationInfo::builder().api_version(version);
            let mut names = pointers(extensions);
            if heard.is_some() && !extensions.contains(&c"VK_EXT_debug_utils") {
                names.push(c"VK_EXT_debug_utils".as_ptr());
            }
            let info = vk::InstanceCreateInfo::builder()
                .application_info(&application)
                .enabled_extension_names(&names);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
            let mut client = Client { _entry: entry, instance, physical_device, messengers: Vec::new() };
            if let Some(heard) = heard {
                let errors = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
                client.tell(heard, errors, vk::DebugUtilsMessageTypeFlagsEXT::all());
            }
            client
        }
    }

    /// A messenger for these severities and types of messages; it is destroyed with the instance, which must
    /// have `VK_EXT_debug_utils`.
    ///
    /// # Panics
    /// When it cannot be created.
    pub fn listen(
        &mut self,
        severities: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
    ) -> Messages {
        let messages = Messages::default();
        self.tell(messages.clone(), severities, types);
        messages
    }

    fn tell(
        &mut self,
        messages: Messages,
        severities: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
    ) {
        let info = messages.messenger_info(severities, types);
        let messenger = unsafe { self.instance.create_debug_utils_messenger_ext(&info, None) };
        self.messengers.push((messenger.expect("a messenger"), messages));
    }

    /// Whether the device has an extension.
    ///
    /// # Panics
    /// When the driver does not say.
    #[must_use]
    pub fn has_extension(&self, name: &CStr) -> bool {
        let found =
            unsafe { self.instance.enumerate_device_extension_properties(self.physical_device, None) };
        found.expect("extensions").iter().any(|known| known.extension_name.as_cstr() == name)
    }

    /// A device as of [`Client::device`], which the caller destroys.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn bare_device(
        &self,
        extensions: &[&CStr],
        features: Option<&vk::PhysicalDeviceFeatures>,
        next: *mut c_void,
    ) -> Device {
        self.try_bare_device(extensions, features, next).expect("a device")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of `vkCreateDevice`.
    pub fn try_bare_device(
        &self,
        extensions: &[&CStr],
        features: Option<&vk::PhysicalDeviceFeatures>,
        next: *mut c_void,
    ) -> Result<Device, vk::ErrorCode> {
        let (mut names, mut queues) = (pointers(extensions), 4);
        if heard_by_all().is_some() {
            // Other drivers lack extensions and have fewer queues.
            let there: Vec<&CStr> =
                extensions.iter().copied().filter(|name| self.has_extension(name)).collect();
            names = pointers(&there);
            let families =
                unsafe { self.instance.get_physical_device_queue_family_properties(self.physical_device) };
            queues = families[0].queue_count.min(4) as usize;
        }
        let priorities = &[1.0; 4][..queues];
        let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(priorities);
        let mut info = vk::DeviceCreateInfo::builder()
            .queue_create_infos(slice::from_ref(&queue))
            .enabled_extension_names(&names);
        if let Some(features) = features {
            info = info.enabled_features(features);
        }
        info.next = next;
        unsafe { self.instance.create_device(self.physical_device, &info, None) }
    }

    /// A device with four queues, these device extensions, the features of version 1.0, and `next` as the
    /// `pNext` chain of its create info.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn device(
        self,
        extensions: &[&CStr],
        features: Option<&vk::PhysicalDeviceFeatures>,
        next: *mut c_void,
    ) -> Gpu {
        let device = self.bare_device(extensions, features, next);
        unsafe {
            let queue = device.get_device_queue(0, 0);
            let info = vk::CommandPoolCreateInfo::builder()
                .queue_family_index(0)
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let pool = device.create_command_pool(&info, None).expect("a pool");
            Gpu { device, queue, pool, client: self }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        unsafe {
            for (messenger, _) in &self.messengers {
                self.instance.destroy_debug_utils_messenger_ext(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

/// A device, its first queue and a command pool; destroyed when dropped, after the queues are idle.
pub struct Gpu {
    /// The device.
    pub device: Device,
    /// Queue 0 of family 0.
    pub queue: vk::Queue,
    /// A pool of family 0, whose command buffers can be reset.
    pub pool: vk::CommandPool,
    client: Client,
}

impl Deref for Gpu {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Gpu {
    /// The address of a command that the bindings lack.
    ///
    /// # Panics
    /// If the device does not have it.
    pub fn proc_address(&self, name: &CStr) -> unsafe extern "system" fn() {
        let found = unsafe { self.instance.get_device_proc_addr(self.device.handle(), name) };
        found.unwrap_or_else(|| panic!("no command {name:?}"))
    }

    /// A new primary command buffer of the pool.
    ///
    /// # Panics
    /// When it cannot be allocated.
    #[must_use]
    pub fn command_buffer(&self) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        unsafe { self.device.allocate_command_buffers(&info) }.expect("a command buffer")[0]
    }

    /// Submits a recorded command buffer to the queue.
    ///
    /// # Panics
    /// When the submission fails.
    pub fn submit(&self, commands: vk::CommandBuffer) {
        let info = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
        unsafe { self.device.queue_submit(self.queue, slice::from_ref(&info), vk::Fence::null()) }
            .expect("submitted");
    }

    /// Submits a recorded command buffer, and waits until the queue is idle.
    ///
    /// # Panics
    /// When the submission or the wait fails.
    pub fn submit_and_wait(&self, commands: vk::CommandBuffer) {
        self.try_submit_and_wait(commands).expect("idle");
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of the submission and of the wait, such as the loss of the device.
    pub fn try_submit_and_wait(&self, commands: vk::CommandBuffer) -> Result<(), vk::ErrorCode> {
        let info = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
        unsafe {
            self.device.queue_submit(self.queue, slice::from_ref(&info), vk::Fence::null())?;
            self.device.queue_wait_idle(self.queue)
        }
    }

    /// Records a new primary command buffer.
    ///
    /// # Panics
    /// When it cannot be allocated or recorded.
    pub fn record(&self, commands: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        let buffer = self.command_buffer();
        unsafe {
            self.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begins");
            commands(buffer);
            self.device.end_command_buffer(buffer).expect("ends");
        }
        buffer
    }

    /// Records a command buffer, submits it, waits until the queue is idle, and frees it.
    ///
    /// # Panics
    /// When one of these fails.
    pub fn run(&self, commands: impl FnOnce(vk::CommandBuffer)) {
        let buffer = self.record(commands);
        self.submit_and_wait(buffer);
        unsafe { self.device.free_command_buffers(self.pool, &[buffer]) };
    }

    /// A shader module of SPIR-V assembly.
    ///
    /// # Panics
    /// When the text does not assemble, or the module cannot be created.
    #[must_use]
    pub fn shader_module(&self, text: &str) -> vk::ShaderModule {
        self.module_of(&pyro_spirv::asm::assemble(text).expect("assembly"))
    }

    /// A shader module of words.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn module_of(&self, words: &[u32]) -> vk::ShaderModule {
        self.try_module(words).expect("a module")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of `vkCreateShaderModule`.
    pub fn try_module(&self, words: &[u32]) -> Result<vk::ShaderModule, vk::ErrorCode> {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        unsafe { self.device.create_shader_module(&info, None) }
    }

    /// Modules of these texts: all, or none.
    ///
    /// # Errors
    /// Those of `vkCreateShaderModule`, the first.
    ///
    /// # Panics
    /// When a text does not assemble.
    pub fn try_modules(&self, texts: &[&str]) -> Result<Vec<vk::ShaderModule>, vk::ErrorCode> {
        let words = |text: &str| pyro_spirv::asm::assemble(text).expect("assembly");
        let made: Vec<_> = texts.iter().map(|text| self.try_module(&words(text))).collect();
        let refused = made.iter().find_map(|made| made.err());
        let modules: Vec<_> = made.into_iter().flatten().collect();
        let Some(why) = refused else { return Ok(modules) };
        self.destroy_modules(modules);
        Err(why)
    }

    /// Destroys modules that nothing uses.
    pub fn destroy_modules(&self, modules: Vec<vk::ShaderModule>) {
        modules.into_iter().for_each(|module| unsafe { self.device.destroy_shader_module(module, None) });
    }

    /// Memory that satisfies these requirements, and the address at which it is mapped.
    ///
    /// # Panics
    /// When it cannot be allocated or mapped.
    #[must_use]
    pub fn mapped_memory(&self, needs: vk::MemoryRequirements) -> (vk::DeviceMemory, *mut u8) {
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        unsafe {
            let memory = self.device.allocate_memory(&info, None).expect("memory");
            let flags = vk::MemoryMapFlags::empty();
            let address = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped");
            (memory, address.cast())
        }
    }

    /// A buffer of so many bytes with memory, and the address at which the memory is mapped.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn mapped_buffer(
        &self,
        bytes: u64,
        usage: vk::BufferUsageFlags,
    ) -> (vk::Buffer, vk::DeviceMemory, *mut u8) {
        let info = vk::BufferCreateInfo::builder().size(bytes).usage(usage);
        unsafe {
            let buffer = self.device.create_buffer(&info, None).expect("a buffer");
            let (memory, address) = self.mapped_memory(self.device.get_buffer_memory_requirements(buffer));
            self.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            (buffer, memory, address)
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        unsafe {
            // A lost device reports that it is; its objects are destroyed all the same.
            let _ = self.device.device_wait_idle();
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
        }
    }
}

/// Bytes of physical memory in use by this process.
///
/// # Panics
/// On systems without `/proc`.
#[must_use]
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("statm");
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4096
}
