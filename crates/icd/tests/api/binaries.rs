//! Pipelines that are made without modules, through the entry points: from binaries, and from identifiers.

use pyro_test_kit::pipelines::{Context, Source};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrPipelineBinaryExtensionDeviceCommands as _;

fn no_cache() -> vk::PipelineCache {
    vk::PipelineCache::null()
}

fn is_interpreted() -> bool {
    pyro_compile::Backend::from_environment() == pyro_compile::Backend::Interpreter
}

fn count(vulkan: &Context, info: &vk::PipelineBinaryCreateInfoKHR) -> u32 {
    let mut out = vk::PipelineBinaryHandlesInfoKHR::default();
    unsafe { vulkan.device.create_pipeline_binaries_khr(info, None, &mut out) }.expect("a count");
    out.pipeline_binary_count
}

/// A pipeline is captured, taken apart, read back as if in another process, and made again without a module
/// and without compiling.
#[test]
fn pipelines_come_back_from_their_binaries() {
    let vulkan = Context::new();
    let capture = vk::PipelineCreateFlags2::CAPTURE_DATA_KHR;
    let fail = vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    for graphics in [false, true] {
        let (pipeline, ..) = vulkan.pipeline_from(graphics, no_cache(), capture, Source::Modules);
        let info = vk::PipelineBinaryCreateInfoKHR { pipeline, ..Default::default() };
        assert_eq!(count(&vulkan, &info), 1);
        assert_eq!(vulkan.create_binaries(&info, 0), (Ok(vk::SuccessCode::INCOMPLETE), Vec::new()));
        let (code, made) = vulkan.create_binaries(&info, 1);
        assert_eq!((code, made.len()), (Ok(vk::SuccessCode::SUCCESS), 1));
        let (key, data) = vulkan.key_and_data(made[0]);
        let release = vk::ReleaseCapturedPipelineDataInfoKHR { pipeline, ..Default::default() };
        unsafe {
            vulkan.device.release_captured_pipeline_data_khr(&release, None).expect("released");
            assert!(vulkan.device.release_captured_pipeline_data_khr(&release, None).is_err());
            vulkan.device.destroy_pipeline(pipeline, None);
            vulkan.device.destroy_pipeline_binary_khr(made[0], None);
        }

        let (code, restored) = vulkan.create_binary_from(&key, &data);
        assert_eq!(code, Ok(vk::SuccessCode::SUCCESS));
        let (again, same) = vulkan.key_and_data(restored[0]);
        assert_eq!((again.key, &same), (key.key, &data));
        let flags = if is_interpreted() { vk::PipelineCreateFlags2::empty() } else { fail };
        let (pipeline, code, _) =
            vulkan.pipeline_from(graphics, no_cache(), flags, Source::Binaries(&restored));
        assert_eq!(code, vk::SuccessCode::SUCCESS, "graphics: {graphics}");
        if !graphics {
            assert_eq!(vulkan.run(pipeline), 43);
        }
        unsafe {
            vulkan.device.destroy_pipeline(pipeline, None);
            vulkan.device.destroy_pipeline_binary_khr(restored[0], None);
        }
    }
}

/// Data that is cut, changed, or of another key makes no binary.
#[test]
fn damaged_binaries_are_refused() {
    let vulkan = Context::new();
    let capture = vk::PipelineCreateFlags2::CAPTURE_DATA_KHR;
    let (pipeline, ..) = vulkan.pipeline_from(false, no_cache(), capture, Source::Modules);
    let info = vk::PipelineBinaryCreateInfoKHR { pipeline, ..Default::default() };
    let (_, made) = vulkan.create_binaries(&info, 1);
    let (key, data) = vulkan.key_and_data(made[0]);
    let mut changed = data.clone();
    changed[data.len() / 2] ^= 4;
    let mut bytes = *key.key;
    bytes[3] ^= 1;
    let other = vk::PipelineBinaryKeyKHR { key: bytes.into(), ..key };
    let too_long = vk::PipelineBinaryKeyKHR { key_size: 1000, ..key };
    let cases =
        [(key, &data[..data.len() - 1]), (key, &changed), (key, &[]), (other, &data), (too_long, &data)];
    for (key, data) in cases {
        let (code, binaries) = vulkan.create_binary_from(&key, data);
        assert_eq!(code, Err(vk::ErrorCode::INITIALIZATION_FAILED));
        assert_eq!(binaries, [vk::PipelineBinaryKHR::null()]);
    }
    let (plain, ..) =
        vulkan.pipeline_from(false, no_cache(), vk::PipelineCreateFlags2::empty(), Source::Modules);
    let info = vk::PipelineBinaryCreateInfoKHR { pipeline: plain, ..Default::default() };
    assert!(vulkan.create_binaries(&info, 1).0.is_err(), "a pipeline that captures nothing");
    unsafe {
        [plain, pipeline].iter().for_each(|&pipeline| vulkan.device.destroy_pipeline(pipeline, None));
        vulkan.device.destroy_pipeline_binary_khr(made[0], None);
    }
}

/// The key of a create info is the same with a module and with its identifier, and another for another
/// pipeline.
#[test]
fn keys_stand_for_create_infos() {
    let vulkan = Context::new();
    let keys = [false, true].map(|graphics| {
        let [module, identifier] =
            [Source::Modules, Source::Identifiers].map(|source| vulkan.key(graphics, source));
        assert_eq!(module, identifier, "graphics: {graphics}");
        module
    });
    assert_ne!(keys[0], keys[1]);
    let mut global = vk::PipelineBinaryKeyKHR::default();
    unsafe { vulkan.device.get_pipeline_key_khr(None, &mut global) }.expect("a key");
    assert!(global.key_size > 0 && !keys.contains(&global.key[..global.key_size as usize].to_vec()));
}

/// Identifiers alone make a pipeline when a cache has it, in this process or from its data, and never
/// compile.
#[test]
fn identifiers_are_enough_for_what_caches_have() {
    if is_interpreted() {
        pyro_test_environment::skip!(pyro_test_environment::Need::MachineCode);
    }
    let vulkan = Context::new();
    let fail = vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    let first = vulkan.cache(&[]);
    for graphics in [false, true] {
        let (pipeline, code, _) = vulkan.pipeline_from(graphics, first, fail, Source::Identifiers);
        let required = vk::SuccessCode::PIPELINE_COMPILE_REQUIRED;
        assert_eq!((pipeline, code), (vk::Pipeline::null(), required), "graphics: {graphics}");
        let plain = vk::PipelineCreateFlags::empty();
        let (pipeline, ..) = vulkan.pipeline(graphics, first, plain);
        unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
    }
    let data = unsafe { vulkan.device.get_pipeline_cache_data(first) }.expect("data");
    let second = vulkan.cache(&data);
    for cache in [first, second] {
        for graphics in [false, true] {
            let (pipeline, code, hit) = vulkan.pipeline_from(graphics, cache, fail, Source::Identifiers);
            assert_eq!((code, hit), (vk::SuccessCode::SUCCESS, true), "graphics: {graphics}");
            if !graphics {
                assert_eq!(vulkan.run(pipeline), 43);
            }
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
        unsafe { vulkan.device.destroy_pipeline_cache(cache, None) };
    }
}
