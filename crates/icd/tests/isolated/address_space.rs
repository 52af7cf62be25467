//! A process whose address space runs out (`RLIMIT_AS`): calls give errors, or succeed with what is left, and
//! work again when there is more.
#![cfg(target_os = "linux")]

use pyro_test_environment::{in_child, text};
use pyro_test_kit::compute::{Compute, adding, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// What is left for the process beyond what it has, in KiB.
const LEFT: [u64; 7] = [256 << 10, 64 << 10, 16 << 10, 8 << 10, 4 << 10, 1 << 10, 512];
/// With less there is no pipeline and no device; with more there are both.
const LEAST_FOR_MORE: u64 = 128 << 20;
/// All allocations of the process are from one heap, which ends where the address space does: others reserve
/// much more than they use.
const ONE_HEAP: (&str, &str) = ("MALLOC_ARENA_MAX", "1");
const LEFT_VARIABLE: &str = "PYRO_TEST_LEFT";

/// Lets the process have so many bytes more of address space, or as much as it likes.
fn limit(more: Option<u64>) {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("the size of the process");
    let pages: u64 = pages.split(' ').next().and_then(|pages| pages.parse().ok()).expect("pages");
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_AS, &mut limits), 0);
        let page = libc::sysconf(libc::_SC_PAGESIZE) as u64;
        limits.rlim_cur = more.map_or(limits.rlim_max, |more| (pages * page + more).min(limits.rlim_max));
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limits), 0);
    }
}

/// A shader that takes some time and memory to compile, and scratch memory to run.
fn large_shader(lines: usize) -> String {
    let mut body = String::from("%v0 = OpIAdd %uint %gid %uint_1\n");
    for at in 0..lines {
        body +=
            &format!("%w{at} = OpIMul %uint %v{at} %push\n%v{} = OpBitwiseXor %uint %w{at} %gid\n", at + 1);
    }
    body += &format!("%at = OpAccessChain %word %buffer %uint_0 %gid\nOpStore %at %v{lines}");
    shader(&body)
}

/// Memory of growing sizes, until there is none; how many there were.
fn memories(device: &Device) -> usize {
    let mut made = Vec::new();
    for shift in 10..45 {
        let info = vk::MemoryAllocateInfo::builder().allocation_size(1 << shift);
        match unsafe { device.allocate_memory(&info, None) } {
            Ok(memory) => made.push(memory),
            Err(error) => assert!(
                matches!(error, vk::ErrorCode::OUT_OF_DEVICE_MEMORY | vk::ErrorCode::OUT_OF_HOST_MEMORY),
                "{error:?}"
            ),
        }
    }
    made.iter().for_each(|&memory| unsafe { device.free_memory(memory, None) });
    made.len()
}

/// Images and pools as large as they can be.
fn objects(device: &Device) {
    unsafe {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: 16384, height: 16384, depth: 1 })
            .mip_levels(1)
            .array_layers(64)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::SAMPLED);
        if let Ok(image) = device.create_image(&info, None) {
            device.destroy_image(image, None);
        }
        let sizes =
            [vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 << 20 }];
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1 << 16).pool_sizes(&sizes);
        if let Ok(pool) = device.create_descriptor_pool(&info, None) {
            device.destroy_descriptor_pool(pool, None);
        }
        let info =
            vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1 << 24);
        if let Ok(pool) = device.create_query_pool(&info, None) {
            device.destroy_query_pool(pool, None);
        }
    }
}

/// A pipeline, if there is memory for it.
fn pipeline(
    context: &Compute,
    layout: vk::PipelineLayout,
    words: &[u32],
) -> Result<vk::Pipeline, vk::ErrorCode> {
    let module = context.try_module(words)?;
    let stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(b"main\0");
    let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
    unsafe {
        let made = context.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        context.device.destroy_shader_module(module, None);
        made.map(|made| made.0[0])
    }
}

fn with_little_left(left: u64) {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let (adding, set) = (context.pipeline(layout, &adding()), context.set(set_layout));
    let buffer = context.buffer(64);
    context.write(set, buffer.buffer);
    let large = pyro_spirv::asm::assemble(&large_shader(4000)).expect("assembly");
    let add = |commands, times: u32| unsafe {
        device.cmd_bind_pipeline(commands, POINT, adding);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        for _ in 0..times {
            let stage = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, layout, stage, 0, &1_u32.to_le_bytes());
            device.cmd_dispatch(commands, 64, 1, 1);
        }
    };
    context.run(|commands| add(commands, 1));
    let [recorded, small] = [(); 2].map(|()| context.command_buffer());

    limit(Some(left));
    let count = memories(device);
    objects(device);
    let made = pipeline(&context, layout, &large);
    let other = context.try_bare_device(&[], None, std::ptr::null_mut());
    let (mut ended, mut submitted) = (Ok(()), Ok(()));
    unsafe {
        // More commands than there is memory for, where there is little.
        device.begin_command_buffer(recorded, &vk::CommandBufferBeginInfo::default()).expect("begins");
        add(recorded, 100_000);
        ended = ended.and(device.end_command_buffer(recorded));
        device.begin_command_buffer(small, &vk::CommandBufferBeginInfo::default()).expect("begins");
        add(small, 1);
        if device.end_command_buffer(small).is_ok() {
            let info = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&small));
            submitted = device
                .queue_submit(context.queue, slice::from_ref(&info), vk::Fence::null())
                .and_then(|()| device.queue_wait_idle(context.queue));
        }
    }
    limit(None);
    println!(
        "{left}: {count} memories, pipeline {:?}, device {:?}, commands {ended:?}, submission {submitted:?}",
        made.err(),
        other.as_ref().err()
    );
    let out = vk::ErrorCode::OUT_OF_HOST_MEMORY;
    for error in [made.err(), other.as_ref().err().copied()] {
        assert!(error.is_none_or(|error| error == out), "{error:?}");
        assert!(error.is_some() || left > 16 << 20, "{left}");
        assert!(error.is_none() || left < LEAST_FOR_MORE, "{left}");
    }
    assert!([ended, submitted].iter().all(|done| done.is_ok() || *done == Err(out)));
    unsafe {
        if let Ok(pipeline) = made {
            device.destroy_pipeline(pipeline, None);
        }
        if let Ok(other) = other {
            other.destroy_device(None);
        }
    }
    // With memory, everything works; a device that was lost for want of it stays so.
    if submitted.is_ok() {
        let before = buffer.words();
        context.run(|commands| add(commands, 1));
        assert!(buffer.words().iter().zip(before).all(|(&now, before)| now == before + 1));
        let made = pipeline(&context, layout, &large).expect("a pipeline");
        unsafe { device.destroy_pipeline(made, None) };
    }
}

#[test]
fn exhausted_address_space_gives_errors() {
    if let Some(left) = text(LEFT_VARIABLE) {
        with_little_left(left.parse().expect("a number"));
        return;
    }
    for left in LEFT {
        let left = (left << 10).to_string();
        // A process of its own for each, which does not come back here.
        assert!(!in_child(
            module_path!(),
            "exhausted_address_space_gives_errors",
            &[(LEFT_VARIABLE, &left), ONE_HEAP]
        ));
    }
}
