//! `vulkano` on the driver in this process: fills a buffer on the device and reads it.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use vulkano::VulkanLibrary;
use vulkano::buffer::{Buffer, BufferCreateInfo, BufferUsage};
use vulkano::command_buffer::allocator::StandardCommandBufferAllocator;
use vulkano::command_buffer::{AutoCommandBufferBuilder, CommandBufferUsage};
use vulkano::device::{Device, DeviceCreateInfo, QueueCreateInfo};
use vulkano::instance::{Instance, InstanceCreateInfo};
use vulkano::library::Loader;
use vulkano::memory::allocator::{AllocationCreateInfo, MemoryTypeFilter, StandardMemoryAllocator};
use vulkano::sync::{self, GpuFuture as _};

/// The driver that is linked into this program.
struct InProcess;

// SAFETY: the commands are the driver's, and stay valid as long as the program runs.
unsafe impl Loader for InProcess {
    unsafe fn get_instance_proc_addr(
        &self,
        instance: ash::vk::Instance,
        name: *const c_char,
    ) -> ash::vk::PFN_vkVoidFunction {
        use ash::vk::Handle as _;
        // SAFETY: the caller's contract; a dispatchable handle is a pointer.
        unsafe { pyroclast::get_instance_proc_addr(instance.as_raw() as *mut c_void, name) }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = VulkanLibrary::with_loader(InProcess)?;
    let instance = Instance::new(library, InstanceCreateInfo::default())?;
    let physical = instance.enumerate_physical_devices()?.next().ok_or("no device")?;
    let name = physical.properties().device_name.clone();
    let queues = vec![QueueCreateInfo::default()];
    let info = DeviceCreateInfo { queue_create_infos: queues, ..Default::default() };
    let (device, mut queues) = Device::new(physical, info)?;
    let queue = queues.next().ok_or("no queue")?;
    let buffer = Buffer::from_iter(
        Arc::new(StandardMemoryAllocator::new_default(Arc::clone(&device))),
        BufferCreateInfo { usage: BufferUsage::TRANSFER_DST, ..Default::default() },
        AllocationCreateInfo {
            memory_type_filter: MemoryTypeFilter::HOST_RANDOM_ACCESS,
            ..Default::default()
        },
        [0_u32; 16],
    )?;
    let allocator = Arc::new(StandardCommandBufferAllocator::new(Arc::clone(&device), Default::default()));
    let once = CommandBufferUsage::OneTimeSubmit;
    let mut commands = AutoCommandBufferBuilder::primary(allocator, queue.queue_family_index(), once)?;
    commands.fill_buffer(buffer.clone(), 7)?;
    sync::now(device).then_execute(queue, commands.build()?)?.then_signal_fence_and_flush()?.wait(None)?;
    assert!(buffer.read()?.iter().all(|&word| word == 7));
    println!("vulkano: {name}");
    Ok(())
}
