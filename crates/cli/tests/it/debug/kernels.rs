//! CUDA kernels: captured, replayed, and stepped by the lines of their PTX.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the Vulkan API

use super::client::Client;
use super::{Folder, pyroclast, script, text};
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::compute::Compute;
use serde_json::json;
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCudaKernelLaunchExtensionDeviceCommands as _;

/// A sum by a loop, a predicate, a call, a barrier. Lines are counted on.
const TEXT: &str = ".version 7.0
.target sm_50
.address_size 64
.func (.param .b32 out) twice(.param .b32 in)
{
  .reg .b32 %t;
  ld.param.u32 %t, [in];
  add.u32 %t, %t, %t;
  st.param.b32 [out], %t;
  ret;
}
.visible .entry sums(.param .u64 data, .param .u32 count, .param .f32 scale)
{
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  ld.param.f32 %f1, [scale];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
LOOP:
  add.u32 %r3, %r3, %r2;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra LOOP;
  setp.gt.u32 %p2, %r2, 2;
  @%p2 add.u32 %r3, %r3, 100;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;
    call (b), twice, (a);
    ld.param.b32 %r4, [b]; }
  bar.sync 0;
  cvt.rn.f32.u32 %f2, %r4;
  mul.f32 %f2, %f2, %f1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f2;
  ret;
}
";

/// What thread `thread` stores.
fn expected(thread: u32) -> f32 {
    (2 * (3 * thread + if thread > 2 { 100 } else { 0 })) as f32 * 0.5
}

/// The program that is captured: one block of 40 threads.
#[test]
fn kernels_for_other_tests() {
    if !is_child() {
        return;
    }
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::builder().buffer_device_address(true);
    let mut feature =
        vk::PhysicalDeviceCudaKernelLaunchFeaturesNV::builder().cuda_kernel_launch_features(true).build();
    feature.next = std::ptr::from_mut(&mut addresses).cast();
    let extensions = [c"VK_NV_cuda_kernel_launch"];
    let compute = Compute::new(
        vk::make_version(1, 3, 0),
        &extensions,
        std::ptr::from_mut(&mut feature).cast::<c_void>(),
    );
    let device = &compute.device;
    let buffer = compute.buffer_with(40, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    unsafe {
        let (address, count, scale) = (device.get_buffer_device_address(&info), 3_u32, 0.5_f32);
        let info = vk::CudaModuleCreateInfoNV::builder().data(TEXT.as_bytes());
        let module = device.create_cuda_module_nv(&info, None).expect("a module");
        let info = vk::CudaFunctionCreateInfoNV::builder().module(module).name(b"sums\0");
        let function = device.create_cuda_function_nv(&info, None).expect("a function");
        let pointers: [*const c_void; 3] = [
            std::ptr::from_ref(&address).cast(),
            std::ptr::from_ref(&count).cast(),
            std::ptr::from_ref(&scale).cast(),
        ];
        let launch = vk::CudaLaunchInfoNV {
            function,
            grid_dim_x: 1,
            grid_dim_y: 1,
            grid_dim_z: 1,
            block_dim_x: 40,
            block_dim_y: 1,
            block_dim_z: 1,
            param_count: pointers.len(),
            params: pointers.as_ptr().cast(),
            ..vk::CudaLaunchInfoNV::default()
        };
        compute.run(|commands| device.cmd_cuda_launch_kernel_nv(commands, &launch));
        device.destroy_cuda_function_nv(function, None);
        device.destroy_cuda_module_nv(module, None);
    }
    let found: Vec<f32> = buffer.words().iter().map(|&bits| f32::from_bits(bits)).collect();
    assert_eq!(found[..40], (0..40).map(expected).collect::<Vec<f32>>());
}

fn capture(folder: &Folder, cpu: &str) -> String {
    let file = folder.path("kernels.pyro");
    let environment = [("PYROCLAST_CAPTURE", &*file), ("PYROCLAST_CPU", cpu)];
    let output = output_of_child(module_path!(), "kernels_for_other_tests", &environment);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// The arguments of a launch are memory of the program, which the capture holds.
#[test]
fn launches_of_kernels_are_replayed() {
    let folder = Folder::new("kernels-replayed");
    let file = capture(&folder, "interpreter");
    let output = pyroclast(&["replay", &file]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(!text(&output.stderr).contains(" 0 results compared"), "{}", text(&output.stderr));
}

/// A launch becomes a test of its own, with the digests of what it stores, on any executor.
#[test]
fn a_launch_of_a_kernel_becomes_a_test() {
    let folder = Folder::new("kernels-exported");
    let (file, test) = (capture(&folder, "interpreter"), folder.path("test"));
    let output = pyroclast(&["export", &file, "--list"]);
    assert!(text(&output.stdout).contains("vkCmdCudaLaunchKernelNV"), "{}", text(&output.stdout));
    let output = pyroclast(&["export", &file, "--event", "0", "-o", &test]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let event = folder.path("test/event.pyro");
    let output = pyroclast(&["replay", "--json", &event]);
    let counts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(counts["different"], 0, "{counts}");
    assert!(counts["compared"].as_u64() > Some(0), "{counts}");
    let info = pyroclast(&["info", "--json", &event]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    assert_eq!(info["commands"]["vkCmdCudaLaunchKernelNV"], 1, "{info}");
    let output = pyroclast(&["test", &test]);
    assert!(text(&output.stdout).contains("1 passed"), "{}", text(&output.stdout));
}

#[test]
fn kernels_are_stepped() {
    for cpu in ["interpreter", "sse4.1", "avx2"] {
        let folder = Folder::new(&format!("kernels-{cpu}"));
        let file = capture(&folder, cpu);
        let mut client = Client::start_with(&[&file], &[("PYROCLAST_CPU", cpu)]);
        let target = json!({ "workgroup": [0, 0, 0], "local": [35, 0, 0] });
        client.launch(json!({ "target": target }), |client| {
            let set = json!({ "source": { "path": "sums.ptx" },
                              "breakpoints": [{ "line": 21 }, { "line": 32 }] });
            let set = client.request("setBreakpoints", set);
            assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
        });
        assert_eq!((client.line(), client.value("%r3"), client.value("count")), (21, "0".into(), "3".into()));
        client.go("next");
        assert_eq!((client.line(), client.value("%r3")), (22, "35".into()));
        client.go("stepBack");
        assert_eq!((client.line(), client.value("%r3")), (21, "0".into()));
        // Round the loop.
        client.go("continue");
        assert_eq!((client.line(), client.value("%r3"), client.value("%r1")), (21, "35".into(), "2".into()));
        client.go("continue");
        client.go("continue");
        assert_eq!(
            (client.line(), client.value("%r3"), client.value("%p1")),
            (32, "205".into(), "false".into())
        );
        assert_eq!((client.value("%r4"), client.value("%f2")), ("410".into(), "410.0".into()));
        client.go("next");
        assert_eq!((client.value("%f2"), client.value("%f1 * 2.0")), ("205.0".into(), "1.0".into()));
        // Its warp: the last eight threads.
        let threads = client.request("threads", json!({}));
        assert_eq!(threads["threads"].as_array().map(Vec::len), Some(8), "{threads}");
        let lanes = client.request("pyroclast/subgroup", json!({ "expression": "%r2" }));
        assert!(lanes.to_string().contains("39"), "{lanes}");
        client.end();
    }
}

#[test]
fn what_cannot_be_done_with_kernels_is_said() {
    let folder = Folder::new("kernels-errors");
    let file = capture(&folder, "interpreter");
    let commands = "break sums.ptx:22\nrun\nset %r3 = 7\nreload x.comp\nprint %nothing\n";
    let output = script(&file, &[], commands);
    let printed = text(&output.stdout);
    for expected in [
        "breakpoint 1, compute workgroup (0, 0, 0) local (0, 0, 0), sums at sums.ptx:22",
        "registers of CUDA kernels cannot be changed",
        "CUDA kernels cannot be compiled anew",
        "%nothing",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}
