//! Cases in CUDA kernels: PTX, each line of which has the number that it has in the case's file.

use crate::case::{Case, Line, Variant};
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCudaKernelLaunchExtensionDeviceCommands as _;

/// Words of the buffer.
const WORDS: usize = 4096;

/// What stands before a case, in the first line: `%d0` is the buffer's address, `%r0` and `%r1` its first
/// words, `%r2` the thread; `tile` has 64 bytes.
const HEAD: &str = ".version 7.0 .target sm_50 .address_size 64 .visible .entry k(.param .u64 words) { \
    .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .shared .align 4 .b8 tile[64]; \
    ld.param.u64 %d0, [words]; ld.global.u32 %r0, [%d0]; ld.global.u32 %r1, [%d0+4]; mov.u32 %r2, %tid.x;";

/// What stands behind it: each thread stores `%r3`.
const END: &str = "mul.wide.u32 %d1, %r2, 4; add.s64 %d1, %d1, %d0; st.global.u32 [%d1+256], %r3; ret; }";

/// The text of a variant of a case.
pub fn text(case: &Case, variant: Variant) -> String {
    let mut text = HEAD.to_owned();
    let mut at = 1;
    for Line { number, text: line } in case.body(variant) {
        text += &"\n".repeat((number - at) as usize);
        at = *number;
        text += line;
        text += if line.ends_with(':') { "" } else { ";" };
    }
    format!("{text}\n{END}\n")
}

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

    /// Runs a case's kernel; gives the buffer's words.
    pub fn run(&self, case: &Case, text: &str) -> Vec<u32> {
        for index in 0..WORDS {
            self.words.put(index, case.input.get(index).copied().unwrap_or(0));
        }
        let device = &self.context.device;
        let info = vk::CudaModuleCreateInfoNV::builder().data(text.as_bytes());
        let module = unsafe { device.create_cuda_module_nv(&info, None) };
        let module = module.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name));
        let info = vk::CudaFunctionCreateInfoNV::builder().module(module).name(b"k\0");
        let function = unsafe { device.create_cuda_function_nv(&info, None) };
        let function = function.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name));
        let arguments = [std::ptr::from_ref(&self.address).cast::<c_void>()];
        let [block_dim_x, block_dim_y, block_dim_z] = case.size;
        let info = vk::CudaLaunchInfoNV {
            function,
            grid_dim_x: case.groups,
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
        self.words.words()
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

impl Default for KernelDevice {
    fn default() -> KernelDevice {
        KernelDevice::new()
    }
}
