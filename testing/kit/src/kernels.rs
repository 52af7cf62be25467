//! CUDA kernels on a buffer of words.

use crate::compute::{Buffer, Compute};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCudaKernelLaunchExtensionDeviceCommands as _;

/// Words of the buffer.
pub const WORDS: usize = 4096;

/// A device with CUDA kernels, and a buffer.
pub struct KernelDevice {
    context: Compute,
    words: Buffer,
    address: u64,
}

impl KernelDevice {
    /// With a buffer.
    pub fn new() -> KernelDevice {
        let mut addresses =
            vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
        let mut feature =
            vk::PhysicalDeviceCudaKernelLaunchFeaturesNV::builder().cuda_kernel_launch_features(true).build();
        feature.next = std::ptr::from_mut(&mut addresses).cast();
        let features = std::ptr::from_mut(&mut feature).cast::<c_void>();
        let version = vk::make_version(1, 3, 0);
        let context = Compute::new(version, &[c"VK_NV_cuda_kernel_launch"], features);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let info = vk::BufferCreateInfo::builder().size(4 * WORDS as u64).usage(usage);
        unsafe {
            let buffer = context.device.create_buffer(&info, None).expect("a buffer");
            let mut needs = context.device.get_buffer_memory_requirements(buffer);
            // What kernels store past the buffer must be nobody else's.
            needs.size *= 2;
            let (memory, address) = context.mapped_memory(needs);
            context.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let words = Buffer { buffer, memory, words: address.cast(), count: WORDS };
            let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
            let address = context.device.get_buffer_device_address(&info);
            KernelDevice { context, words, address }
        }
    }

    /// Runs the kernel `k` of a module on the buffer, whose address is its only parameter and which begins
    /// with `input`, zeros behind; gives the buffer's words.
    ///
    /// # Errors
    /// The refusal of the module or of its function.
    pub fn run(
        &self,
        text: &str,
        input: &[u32],
        blocks: u32,
        block: [u32; 3],
    ) -> Result<Vec<u32>, vk::ErrorCode> {
        for index in 0..WORDS {
            self.words.put(index, input.get(index).copied().unwrap_or(0));
        }
        let device = &self.context.device;
        let info = vk::CudaModuleCreateInfoNV::builder().data(text.as_bytes());
        let module = unsafe { device.create_cuda_module_nv(&info, None) }?;
        let info = vk::CudaFunctionCreateInfoNV::builder().module(module).name(b"k\0");
        let function = unsafe { device.create_cuda_function_nv(&info, None) }
            .inspect_err(|_| unsafe { device.destroy_cuda_module_nv(module, None) })?;
        let arguments = [std::ptr::from_ref(&self.address).cast::<c_void>()];
        let [block_dim_x, block_dim_y, block_dim_z] = block;
        let info = vk::CudaLaunchInfoNV {
            function,
            grid_dim_x: blocks,
            grid_dim_y: 1,
            grid_dim_z: 1,
            block_dim_x,
            block_dim_y,
            block_dim_z,
            param_count: arguments.len(),
            params: arguments.as_ptr().cast(),
            ..Default::default()
        };
        self.context.run(|commands| unsafe { device.cmd_cuda_launch_kernel_nv(commands, &info) });
        unsafe {
            device.destroy_cuda_function_nv(function, None);
            device.destroy_cuda_module_nv(module, None);
        }
        Ok(self.words.words())
    }
}

impl Drop for KernelDevice {
    fn drop(&mut self) {
        unsafe {
            self.context.device.destroy_buffer(self.words.buffer, None);
            self.context.device.free_memory(self.words.memory, None);
        }
    }
}
