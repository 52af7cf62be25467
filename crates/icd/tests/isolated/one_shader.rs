//! A compute shader that runs once, on a pipeline made with a cache.

use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;

/// Runs a shader on a buffer whose first word is `first`; gives the second word, and the data of a pipeline
/// cache.
pub(crate) fn run(text: &str, first: u32, groups: u32) -> (u32, Vec<u8>) {
    let (words, data) = run_on(16, text, first, groups);
    (words[1], data)
}

/// The same with a word for each workgroup; gives all words.
pub(crate) fn words(text: &str, first: u32, groups: u32) -> Vec<u32> {
    run_on(groups as usize, text, first, groups).0
}

fn run_on(count: usize, text: &str, first: u32, groups: u32) -> (Vec<u32>, Vec<u8>) {
    let client = Compute::new(vk::make_version(1, 2, 0), &[], std::ptr::null_mut());
    let device = &client.device;
    let set_layout = client.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set) = (client.layout(&[set_layout]), client.set(set_layout));
    let buffer = client.buffer(count);
    buffer.put(0, first);
    client.write(set, buffer.buffer);
    unsafe {
        let cache = device.create_pipeline_cache(&Default::default(), None).expect("a cache");
        let module = client.shader_module(text);
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout).build();
        let pipeline = device.create_compute_pipelines(cache, &[info], None).expect("a pipeline").0[0];
        client.run(|commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &[0; 4]);
            device.cmd_dispatch(commands, groups, 1, 1);
        });
        let data = device.get_pipeline_cache_data(cache).expect("its data");
        device.destroy_pipeline(pipeline, None);
        device.destroy_shader_module(module, None);
        device.destroy_pipeline_cache(cache, None);
        (buffer.words(), data)
    }
}
