//! CUDA modules, functions and launches through the C ABI (`VK_NV_cuda_kernel_launch`).

use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCudaKernelLaunchExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const EXTENSIONS: [&std::ffi::CStr; 1] = [c"VK_NV_cuda_kernel_launch"];

fn context() -> Compute {
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
    let mut feature =
        vk::PhysicalDeviceCudaKernelLaunchFeaturesNV::builder().cuda_kernel_launch_features(true).build();
    feature.next = std::ptr::from_mut(&mut addresses).cast();
    Compute::new(V1_3, &EXTENSIONS, std::ptr::from_mut(&mut feature).cast::<c_void>())
}

/// A buffer, and its address.
fn buffer(context: &Compute, count: usize) -> (Buffer, u64) {
    let buffer = context.buffer_with(count, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

fn module(context: &Compute, data: &[u8]) -> Result<vk::CudaModuleNV, vk::ErrorCode> {
    let info = vk::CudaModuleCreateInfoNV::builder().data(data);
    unsafe { context.device.create_cuda_module_nv(&info, None) }
}

fn function(
    context: &Compute,
    module: vk::CudaModuleNV,
    name: &[u8],
) -> Result<vk::CudaFunctionNV, vk::ErrorCode> {
    let info = vk::CudaFunctionCreateInfoNV::builder().module(module).name(name);
    unsafe { context.device.create_cuda_function_nv(&info, None) }
}

/// A launch of one dimension with arguments of any size.
fn launch_info(
    function: vk::CudaFunctionNV,
    blocks: u32,
    threads: u32,
    shared_bytes: u32,
    pointers: &[*const c_void],
) -> vk::CudaLaunchInfoNV {
    vk::CudaLaunchInfoNV {
        function,
        grid_dim_x: blocks,
        grid_dim_y: 1,
        grid_dim_z: 1,
        block_dim_x: threads,
        block_dim_y: 1,
        block_dim_z: 1,
        shared_mem_bytes: shared_bytes,
        param_count: pointers.len(),
        params: pointers.as_ptr().cast(),
        ..vk::CudaLaunchInfoNV::default()
    }
}

/// `y[i] = a * x[i] + y[i]`, and a kernel that reverses each block by way of dynamic shared memory and counts
/// launches in a variable of the module.
const TEXT: &[u8] = b"
.version 7.0
.target sm_50
.address_size 64
.global .align 4 .u32 launches = 100;
.extern .shared .align 4 .b8 space[];

.visible .entry saxpy(.param .u32 saxpy_param_0, .param .f32 saxpy_param_1, .param .u64 saxpy_param_2, .param .u64 saxpy_param_3)
{
  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
  ld.param.u32 %r2, [saxpy_param_0];
  ld.param.f32 %f1, [saxpy_param_1];
  ld.param.u64 %rd1, [saxpy_param_2];
  ld.param.u64 %rd2, [saxpy_param_3];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $L__BB0_2;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f2, %f1, %f3;
  st.global.f32 [%rd7], %f4;
$L__BB0_2:
  ret;
}

.visible .entry reverse(.param .u64 reverse_param_0)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [reverse_param_0];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2;
  ld.global.u32 %r5, [%rd2];
  mov.u32 %r6, space; shl.b32 %r7, %r3, 2; add.s32 %r7, %r6, %r7;
  st.shared.u32 [%r7], %r5;
  bar.sync 0;
  sub.u32 %r8, %r2, %r3; sub.u32 %r8, %r8, 1; shl.b32 %r8, %r8, 2; add.s32 %r8, %r6, %r8;
  ld.shared.u32 %r9, [%r8];
  st.global.u32 [%rd2], %r9;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 ret;
  atom.global.add.u32 %r10, [launches], 1;
  mov.u32 %r11, %nctaid.x; mul.lo.u32 %r11, %r11, %r2;
  mul.wide.u32 %rd2, %r11, 4; add.s64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %r10;
  ret;
}
";

#[test]
fn kernels_are_launched_with_arguments() {
    let context = context();
    let device = &context.device;
    const COUNT: usize = 1000;
    let (x, x_address) = buffer(&context, COUNT);
    let (y, y_address) = buffer(&context, COUNT + 100);
    for index in 0..COUNT + 100 {
        if index < COUNT {
            x.put(index, (index as f32).to_bits());
        }
        y.put(index, 2f32.to_bits());
    }
    let module = module(&context, TEXT).expect("a module");
    let saxpy = function(&context, module, b"saxpy\0").expect("a function");
    let (count, factor) = (COUNT as u32, 0.5f32);
    let pointers = [
        std::ptr::from_ref(&count).cast(),
        std::ptr::from_ref(&factor).cast(),
        std::ptr::from_ref(&x_address).cast(),
        std::ptr::from_ref(&y_address).cast::<c_void>(),
    ];
    context.run(|commands| unsafe {
        // More threads than numbers; twice, the second sees what the first has written.
        let info = launch_info(saxpy, 9, 128, 0, &pointers);
        device.cmd_cuda_launch_kernel_nv(commands, &info);
        let info = launch_info(saxpy, 18, 64, 0, &pointers);
        device.cmd_cuda_launch_kernel_nv(commands, &info);
    });
    for (index, word) in y.words().into_iter().enumerate() {
        let expected = if index < COUNT { index as f32 + 2.0 } else { 2.0 };
        assert_eq!(f32::from_bits(word), expected, "{index}");
    }
    unsafe {
        device.destroy_cuda_function_nv(saxpy, None);
        device.destroy_cuda_module_nv(module, None);
    }
}

#[test]
fn shared_memory_and_variables_of_modules() {
    let context = context();
    let device = &context.device;
    let module = module(&context, TEXT).expect("a module");
    let reverse = function(&context, module, b"reverse\0").expect("a function");
    for (launch, threads) in [(0, 96u32), (1, 256), (2, 30), (3, 1024)] {
        let count = 3 * threads as usize;
        let (data, address) = buffer(&context, count + 1);
        (0..count).for_each(|index| data.put(index, index as u32 * 3));
        let pointers = [std::ptr::from_ref(&address).cast::<c_void>()];
        let recorded = context.record(|commands| unsafe {
            let info = launch_info(reverse, 3, threads, 4 * threads, &pointers);
            device.cmd_cuda_launch_kernel_nv(commands, &info);
        });
        let submit = vk::SubmitInfo::builder().command_buffers(std::slice::from_ref(&recorded));
        unsafe {
            if launch == 3 {
                // What was recorded keeps what it needs.
                device.destroy_cuda_function_nv(reverse, None);
                device.destroy_cuda_module_nv(module, None);
            }
            device.queue_submit(context.queue, &[submit], vk::Fence::null()).expect("submitted");
            device.queue_wait_idle(context.queue).expect("idle");
        }
        let words = data.words();
        for (index, word) in words[..count].iter().enumerate() {
            let (block, thread) = (index as u32 / threads, index as u32 % threads);
            assert_eq!(*word, (block * threads + threads - 1 - thread) * 3, "{index} of {threads}");
        }
        assert_eq!(words[count], 100 + launch);
    }
}

#[test]
fn caches_make_modules() {
    let context = context();
    let device = &context.device;
    let first = module(&context, TEXT).expect("a module");
    let get = device.commands().get_cuda_module_cache_nv;
    let stored = |module| unsafe {
        let mut size = 0;
        assert_eq!(get(device.handle(), module, &mut size, std::ptr::null_mut()), vk::Result::SUCCESS);
        let mut data = vec![0u8; size];
        assert_eq!(get(device.handle(), module, &mut size, data.as_mut_ptr().cast()), vk::Result::SUCCESS);
        assert_eq!(size, data.len());
        size = data.len() - 1;
        let mut short = data.clone();
        assert_eq!(
            get(device.handle(), module, &mut size, short.as_mut_ptr().cast()),
            vk::Result::INCOMPLETE
        );
        data
    };
    let run = |module, launch: u32| {
        let reverse = function(&context, module, b"reverse\0").expect("a function");
        let (data, address) = buffer(&context, 33);
        (0..32).for_each(|index| data.put(index, index as u32));
        let pointers = [std::ptr::from_ref(&address).cast::<c_void>()];
        context.run(|commands| unsafe {
            device.cmd_cuda_launch_kernel_nv(commands, &launch_info(reverse, 1, 32, 128, &pointers));
        });
        let expected: Vec<u32> = (0..32).rev().chain([100 + launch]).collect();
        assert_eq!(data.words(), expected);
        unsafe { device.destroy_cuda_function_nv(reverse, None) };
    };
    let text_only = stored(first);
    run(first, 0);
    let with_code = stored(first);
    // The interpreter's code has no form as bytes.
    if std::env::var("PYROCLAST_CPU").as_deref() != Ok("interpreter") {
        assert!(with_code.len() > text_only.len() + 100, "{} and {}", text_only.len(), with_code.len());
    }
    for data in [&text_only, &with_code] {
        let again = module(&context, data).expect("a module of a cache");
        run(again, 0);
        unsafe { device.destroy_cuda_module_nv(again, None) };
    }
    // Damaged code is left out; a text that is cut is no text.
    let mut damaged = with_code.clone();
    let last = damaged.len() - 9;
    damaged[last] ^= 0x55;
    let again = module(&context, &damaged).expect("a module of a damaged cache");
    run(again, 0);
    unsafe { device.destroy_cuda_module_nv(again, None) };
    let cut = module(&context, &with_code[..TEXT.len() / 2]);
    assert_eq!(cut.unwrap_err(), vk::ErrorCode::INITIALIZATION_FAILED);
    run(first, 1);
    unsafe { device.destroy_cuda_module_nv(first, None) };
}

#[test]
fn features_and_properties() {
    let context = context();
    let mut feature = vk::PhysicalDeviceCudaKernelLaunchFeaturesNV::default();
    let mut features = vk::PhysicalDeviceFeatures2::builder().push_next(&mut feature);
    let mut capability = vk::PhysicalDeviceCudaKernelLaunchPropertiesNV::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut capability);
    unsafe {
        context.instance.get_physical_device_features2(context.physical_device, &mut features);
        context.instance.get_physical_device_properties2(context.physical_device, &mut properties);
    }
    assert_eq!(feature.cuda_kernel_launch_features, vk::TRUE);
    assert_eq!((capability.compute_capability_major, capability.compute_capability_minor), (6, 1));
}

#[test]
fn what_is_wrong_is_refused() {
    let context = context();
    let device = &context.device;
    let refused = |data: &[u8]| {
        assert_eq!(module(&context, data).map(drop), Err(vk::ErrorCode::INITIALIZATION_FAILED));
    };
    refused(b"no PTX");
    refused(b".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { add.u32 %r1, %r2; }");
    refused(b".version 7.0\n.target sm_50\n.address_size 32\n");
    let text = b".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { .reg .f64 %fd<3>; add.rz.f64 %fd1, %fd2, %fd2; }\0";
    let unsupported = module(&context, text).expect("a module");
    assert_eq!(function(&context, unsupported, b"k\0"), Err(vk::ErrorCode::INITIALIZATION_FAILED));
    let module = module(&context, TEXT).expect("a module");
    assert_eq!(function(&context, module, b"nobody\0"), Err(vk::ErrorCode::INITIALIZATION_FAILED));
    let reverse = function(&context, module, b"reverse\0").expect("a function");
    let address = 0u64;
    let pointers = [std::ptr::from_ref(&address).cast::<c_void>()];
    let ends = |info: &vk::CudaLaunchInfoNV| unsafe {
        let allocate =
            vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&allocate).expect("a command buffer")[0];
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
        device.cmd_cuda_launch_kernel_nv(commands, info);
        device.end_command_buffer(commands).is_ok()
    };
    assert!(ends(&launch_info(reverse, 1, 32, 128, &pointers)));
    assert!(!ends(&launch_info(reverse, 1, 32, 128, &[])), "arguments are missing");
    assert!(!ends(&launch_info(reverse, 1, 32, 128, &[std::ptr::null()])), "an argument is nowhere");
    assert!(!ends(&launch_info(reverse, 1, 1025, 128, &pointers)), "too many threads");
    assert!(!ends(&launch_info(reverse, 1, 0, 128, &pointers)), "no threads");
    assert!(!ends(&launch_info(reverse, u32::MAX, 32, 128, &pointers)), "too many blocks");
    assert!(!ends(&launch_info(reverse, 1, 32, 1 << 20, &pointers)), "too much shared memory");
    let extra = vk::CudaLaunchInfoNV { extra_count: 1, ..launch_info(reverse, 1, 32, 128, &pointers) };
    assert!(!ends(&extra), "extras");
    unsafe {
        device.destroy_cuda_function_nv(reverse, None);
        device.destroy_cuda_module_nv(module, None);
        device.destroy_cuda_module_nv(unsupported, None);
    }
}

/// A kernel that traps loses the device, as one that the watchdog stops.
#[test]
fn traps_lose_the_device() {
    let context = context();
    let device = &context.device;
    let text =
        b".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { .reg .pred %p<2>; .reg .b32 %r<2>;\n\
        mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 trap; ret; }";
    let module = module(&context, text).expect("a module");
    let trap = function(&context, module, b"k\0").expect("a function");
    let recorded = context.record(|commands| unsafe {
        device.cmd_cuda_launch_kernel_nv(commands, &launch_info(trap, 1, 32, 0, &[]));
    });
    let submit = vk::SubmitInfo::builder().command_buffers(std::slice::from_ref(&recorded));
    unsafe {
        let submitted = device.queue_submit(context.queue, &[submit], vk::Fence::null());
        let waited = submitted.and_then(|_| device.queue_wait_idle(context.queue));
        assert_eq!(waited, Err(vk::ErrorCode::DEVICE_LOST));
        device.destroy_cuda_function_nv(trap, None);
        device.destroy_cuda_module_nv(module, None);
    }
}
