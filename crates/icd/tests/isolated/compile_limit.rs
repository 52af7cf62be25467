//! `PYROCLAST_COMPILE_SECONDS`: creating a pipeline fails when compiling its shader takes too long.

use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Compute, shader};
use vulkanalia::prelude::v1_3::*;

#[test]
fn a_shader_that_compiles_for_too_long_makes_no_pipeline() {
    let name = "a_shader_that_compiles_for_too_long_makes_no_pipeline";
    if !in_child(module_path!(), name, &[("PYROCLAST_COMPILE_SECONDS", "0")]) {
        return;
    }
    let compute = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let buffers = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let layout = compute.layout(&[compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &buffers)]);
    let device = &compute.device;
    unsafe {
        let cache = device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None);
        let cache = cache.expect("a cache");
        let before = device.get_pipeline_cache_data(cache).expect("its data");
        let module = compute.shader_module(&shader("%sum = OpIAdd %uint %gid %push"));
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
        let made = device.create_compute_pipelines(cache, &[info], None);
        assert_eq!(made.map(|made| made.1), Err(vk::ErrorCode::OUT_OF_HOST_MEMORY));
        assert_eq!(
            device.get_pipeline_cache_data(cache).expect("its data"),
            before,
            "the cache keeps nothing"
        );
        device.destroy_shader_module(module, None);
        device.destroy_pipeline_cache(cache, None);
    }
}
