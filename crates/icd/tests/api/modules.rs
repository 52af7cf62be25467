//! Shader modules by identifier, and validation caches.

use pyro_test_kit::compute::{Compute, shader};
use std::ffi::c_void;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtShaderModuleIdentifierExtensionDeviceCommands as _, ExtValidationCacheExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);

#[test]
fn a_pipeline_comes_from_an_identifier_and_a_cache() {
    let mut feature =
        vk::PhysicalDeviceShaderModuleIdentifierFeaturesEXT::builder().shader_module_identifier(true);
    let extensions = [c"VK_EXT_shader_module_identifier"];
    let context = Compute::new(V1_3, &extensions, std::ptr::from_mut(&mut feature).cast::<c_void>());
    let device = &context.device;
    let layout = context.layout(&[]);
    let words = pyro_spirv::asm::assemble(&shader("")).expect("assembly");
    let module_info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    let stage =
        vk::PipelineShaderStageCreateInfo::builder().stage(vk::ShaderStageFlags::COMPUTE).name(b"main\0");
    unsafe {
        let mut of_info = vk::ShaderModuleIdentifierEXT::default();
        device.get_shader_module_create_info_identifier_ext(&module_info, &mut of_info);
        let module = device.create_shader_module(&module_info, None).expect("a module");
        let mut identifier = vk::ShaderModuleIdentifierEXT::default();
        device.get_shader_module_identifier_ext(module, &mut identifier);
        assert_eq!(of_info.identifier_size, identifier.identifier_size);
        assert_eq!(of_info.identifier, identifier.identifier);
        let size = identifier.identifier_size as usize;
        assert!(size > 0);

        let cache = device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None);
        let cache = cache.expect("a cache");
        let from_identifier = || {
            let mut chained = vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::builder()
                .identifier(&identifier.identifier[..size]);
            let info = vk::ComputePipelineCreateInfo::builder()
                .flags(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED)
                .stage(stage.push_next(&mut chained))
                .layout(layout);
            device.create_compute_pipelines(cache, &[info], None).expect("an answer")
        };
        let (pipelines, code) = from_identifier();
        assert_eq!((pipelines[0], code), (vk::Pipeline::null(), vk::SuccessCode::PIPELINE_COMPILE_REQUIRED));
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage.module(module)).layout(layout);
        let made = device.create_compute_pipelines(cache, &[info], None).expect("a pipeline").0;
        let (pipelines, code) = from_identifier();
        assert_eq!(code, vk::SuccessCode::SUCCESS);
        for pipeline in [made[0], pipelines[0]] {
            device.destroy_pipeline(pipeline, None);
        }
        device.destroy_pipeline_cache(cache, None);
        device.destroy_shader_module(module, None);
    }
}

#[test]
fn validation_caches_are_made_merged_and_stored() {
    let context = Compute::new(V1_3, &[c"VK_EXT_validation_cache"], std::ptr::null_mut());
    let device = &context.device;
    let words = pyro_spirv::asm::assemble(&shader("")).expect("assembly");
    unsafe {
        let info = vk::ValidationCacheCreateInfoEXT::default();
        let caches = [(); 2].map(|()| device.create_validation_cache_ext(&info, None).expect("a cache"));
        let mut chained = vk::ShaderModuleValidationCacheCreateInfoEXT::builder().validation_cache(caches[0]);
        let info = vk::ShaderModuleCreateInfo::builder()
            .code_size(words.len() * 4)
            .code(&words)
            .push_next(&mut chained);
        let module = device.create_shader_module(&info, None).expect("a module");
        device.destroy_shader_module(module, None);
        device.merge_validation_caches_ext(caches[1], &caches[..1]).expect("merged");
        assert!(device.merge_validation_caches_ext(caches[0], &caches[..1]).is_err(), "into itself");
        let commands = device.commands();
        let mut size = 0;
        let get = commands.get_validation_cache_data_ext;
        assert_eq!(get(device.handle(), caches[1], &mut size, std::ptr::null_mut()), vk::Result::SUCCESS);
        let mut data = vec![0_u8; size];
        let mut short = size - 1;
        let code = get(device.handle(), caches[1], &mut short, data.as_mut_ptr().cast());
        assert_eq!(code, vk::Result::INCOMPLETE);
        assert_eq!(get(device.handle(), caches[1], &mut size, data.as_mut_ptr().cast()), vk::Result::SUCCESS);
        assert_eq!(data[..4], (24_u32).to_le_bytes(), "the header's size");
        assert_eq!(data[4..8], 1_u32.to_le_bytes(), "the header's version");
        let info = vk::ValidationCacheCreateInfoEXT::builder().initial_data(&data);
        let again = device.create_validation_cache_ext(&info, None).expect("a cache");
        for cache in caches.into_iter().chain([again]) {
            device.destroy_validation_cache_ext(cache, None);
        }
    }
}

/// A module is to be destroyed when nobody uses it. Where a program breaks that, a pipeline has the whole
/// module, or there is none.
#[test]
fn modules_that_are_destroyed_while_they_are_used_do_no_harm() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let (device, layout) = (&context.device, context.layout(&[]));
    let words = pyro_spirv::asm::assemble(&shader("")).expect("assembly");
    let module_info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    let (mut made, mut refused) = (0, 0);
    for round in 0..200 {
        let module = unsafe { device.create_shader_module(&module_info, None) }.expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0")
            .build();
        let info = vk::ComputePipelineCreateInfo { stage, layout, ..Default::default() };
        let meeting = std::sync::Barrier::new(2);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                meeting.wait();
                unsafe { device.destroy_shader_module(module, None) };
            });
            meeting.wait();
            // Sometimes the module is there still, sometimes not.
            (0..round % 50 * 20).for_each(|_| std::hint::spin_loop());
            unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) }
        });
        match result {
            Ok((pipelines, _)) => {
                made += 1;
                assert_ne!(pipelines[0], vk::Pipeline::null());
                unsafe { device.destroy_pipeline(pipelines[0], None) };
            }
            Err(_) => refused += 1,
        }
        let late = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        assert!(late.is_err(), "a pipeline of a destroyed module");
    }
    assert_eq!(made + refused, 200);
}
