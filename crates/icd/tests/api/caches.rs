//! Pipeline caches through the entry points: code made in one cache runs from another's data.

#[allow(dead_code)]
use pyro_test_kit::pipelines::Context;
use std::slice;
use vulkanalia::prelude::v1_3::*;

/// Of several pipelines in one call each is what was asked for, and those that fail are null.
#[test]
fn pipelines_of_one_call_compile_in_parallel() {
    const COUNT: u32 = 24;
    let vulkan = Context::new();
    let values: Vec<u32> = (0..COUNT).map(|index| 100 + index).collect();
    let entry = vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 };
    let constants: Vec<_> = values
        .iter()
        .map(|value| {
            let entries = slice::from_ref(&entry);
            vk::SpecializationInfo::builder()
                .map_entries(entries)
                .data(unsafe { slice::from_raw_parts((&raw const *value).cast(), 4) })
        })
        .collect();
    let fails = |index: u32| index % 7 == 3;
    let create = |flags: vk::PipelineCreateFlags| {
        let infos: Vec<vk::ComputePipelineCreateInfo> = (0..COUNT)
            .map(|index| {
                let name: &[u8] = if fails(index) { b"missing\0" } else { b"main\0" };
                let stage = vk::PipelineShaderStageCreateInfo::builder()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(vulkan.compute)
                    .name(name)
                    .specialization_info(&constants[index as usize]);
                vk::ComputePipelineCreateInfo::builder()
                    .flags(flags)
                    .stage(stage)
                    .layout(vulkan.layout)
                    .build()
            })
            .collect();
        let mut pipelines = vec![vk::Pipeline::null(); COUNT as usize];
        let code = unsafe {
            (vulkan.device.commands().create_compute_pipelines)(
                vulkan.device.handle(),
                vk::PipelineCache::null(),
                COUNT,
                infos.as_ptr(),
                std::ptr::null(),
                pipelines.as_mut_ptr(),
            )
        };
        assert!(code.as_raw() < 0, "some fail: {code:?}");
        pipelines
    };
    let early = vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE;
    for flags in [vk::PipelineCreateFlags::empty(), early] {
        let pipelines = create(flags);
        for (index, &pipeline) in (0..).zip(&pipelines) {
            let is_made = !fails(index) && (flags.is_empty() || index < 3);
            assert_eq!(pipeline != vk::Pipeline::null(), is_made, "{flags:?}, {index}");
            if is_made {
                assert_eq!(vulkan.run(pipeline), 101 + index);
            }
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
    }
}

/// Code is made behind the creation of pipelines. A cache has that of all that were created with it, even of
/// those that were destroyed before it was made; and whoever uses a pipeline waits for its code.
#[test]
fn caches_have_the_code_of_pipelines_that_were_destroyed_at_once() {
    if pyro_compile::Backend::from_environment() == pyro_compile::Backend::Interpreter {
        pyro_test_environment::skip!(pyro_test_environment::Need::MachineCode);
    }
    let vulkan = Context::new();
    let device = &vulkan.device;
    let plain = vk::PipelineCreateFlags::empty();
    for _ in 0..8 {
        let cache = vulkan.cache(&[]);
        for graphics in [false, true] {
            let made = vulkan.pipeline(graphics, cache, plain);
            assert_eq!((made.1, made.2), (vk::SuccessCode::SUCCESS, false), "graphics: {graphics}");
            unsafe { device.destroy_pipeline(made.0, None) };
        }
        // The same again finds what is in the making.
        let (again, code, hit) = vulkan.pipeline(false, cache, FAIL);
        assert_eq!((code, hit), (vk::SuccessCode::SUCCESS, true));
        assert_eq!(vulkan.run(again), 43);
        let data = unsafe { device.get_pipeline_cache_data(cache) }.expect("data");
        unsafe {
            device.destroy_pipeline(again, None);
            device.destroy_pipeline_cache(cache, None);
        }
        let second = vulkan.cache(&data);
        for graphics in [false, true] {
            let (pipeline, code, hit) = vulkan.pipeline(graphics, second, FAIL);
            assert_eq!((code, hit), (vk::SuccessCode::SUCCESS, true), "graphics: {graphics}");
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        unsafe { device.destroy_pipeline_cache(second, None) };
    }
    // Used at once, destroyed before they are made, and left with the device.
    for _ in 0..8 {
        let (used, ..) = vulkan.pipeline(false, vk::PipelineCache::null(), plain);
        let (unused, ..) = vulkan.pipeline(true, vk::PipelineCache::null(), plain);
        assert_eq!(vulkan.run(used), 43);
        unsafe {
            device.destroy_pipeline(unused, None);
            device.destroy_pipeline(used, None);
        }
    }
}

const FAIL: vk::PipelineCreateFlags = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;

#[test]
fn merged_pipeline_cache_data_is_used() {
    if pyro_compile::Backend::from_environment() == pyro_compile::Backend::Interpreter {
        pyro_test_environment::skip!(pyro_test_environment::Need::MachineCode);
    }
    let vulkan = Context::new();
    let plain = vk::PipelineCreateFlags::empty();
    let required = vk::SuccessCode::PIPELINE_COMPILE_REQUIRED;
    let first = vulkan.cache(&[]);
    for graphics in [false, true] {
        let (pipeline, code, hit) = vulkan.pipeline(graphics, first, FAIL);
        assert_eq!((pipeline, code, hit), (vk::Pipeline::null(), required, false), "graphics: {graphics}");
    }
    let made: Vec<_> = [false, true].map(|graphics| vulkan.pipeline(graphics, first, plain)).into();
    assert!(made.iter().all(|made| made.1 == vk::SuccessCode::SUCCESS && !made.2));
    assert_eq!(vulkan.run(made[0].0), 43);
    let device = &vulkan.device;
    let data = unsafe { device.get_pipeline_cache_data(first) }.expect("data");
    unsafe {
        made.iter().for_each(|made| device.destroy_pipeline(made.0, None));
        device.destroy_pipeline_cache(first, None);
    }

    let second = vulkan.cache(&data);
    let merged = vulkan.cache(&[]);
    unsafe { device.merge_pipeline_caches(merged, &[second]) }.expect("merges");
    for cache in [second, merged] {
        for graphics in [false, true] {
            let (pipeline, code, hit) = vulkan.pipeline(graphics, cache, FAIL);
            assert_eq!((code, hit), (vk::SuccessCode::SUCCESS, true), "graphics: {graphics}");
            if !graphics {
                assert_eq!(vulkan.run(pipeline), 43);
            }
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        assert_eq!(unsafe { device.get_pipeline_cache_data(cache) }.expect("data"), data);
        unsafe { device.destroy_pipeline_cache(cache, None) };
    }

    // Where not even the header has room, nothing is written.
    let (mut size, mut bytes) = (31, vec![0xAA; data.len()]);
    let code = unsafe {
        let get = device.commands().get_pipeline_cache_data;
        get(device.handle(), vulkan.cache(&data), &mut size, bytes.as_mut_ptr().cast())
    };
    assert_eq!((code, size), (vk::Result::INCOMPLETE, 0));
    assert!(bytes.iter().all(|&byte| byte == 0xAA));

    // Another build's header, and no header at all: a cache with nothing in it.
    let mut foreign = data.clone();
    foreign[20] ^= 1;
    for data in [&foreign[..], &data[..31], &[7; 100]] {
        let cache = vulkan.cache(data);
        assert_eq!(vulkan.pipeline(false, cache, FAIL).1, required);
        unsafe { device.destroy_pipeline_cache(cache, None) };
    }
}
