//! Traces for debuggers through the entry points: that nothing changes when nobody debugs, and no result when
//! somebody does. What debuggers do with them is tested with the command line.

use pyro_sanitizer::trace::{self, Recorder, Target};
use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Compute, shader};
use std::sync::Arc;
use vulkanalia::prelude::v1_3::*;

/// A product that is fused with a sum: rounded twice the result would be zero. It goes through a variable, as
/// in code that is not optimized.
const FUSED: &str = "
    %first = OpAccessChain %word %buffer %uint_0 %uint_0
    %bits = OpLoad %uint %first
    %x = OpBitcast %float %bits
    %square = OpFMul %float %x %x
    OpStore %variable %square
    %again = OpLoad %float %variable
    %rest = OpFSub %float %again %rounded
    %left = OpBitcast %uint %rest
    %second = OpAccessChain %word %buffer %uint_0 %uint_1
    OpStore %second %left";

fn text() -> String {
    shader(FUSED)
        .replace(
            "%main = OpFunction",
            "%float = OpTypeFloat 32\n%own = OpTypePointer Function %float\n\
             %rounded = OpConstant %float 1.000000238418579\n%main = OpFunction",
        )
        .replace("%entry = OpLabel", "%entry = OpLabel\n%variable = OpVariable %own Function")
}

/// Runs the shader on 1 + 2^-23; gives what it leaves, and the data of a pipeline cache.
fn run() -> (u32, Vec<u8>) {
    let client = Compute::new(vk::make_version(1, 2, 0), &[], std::ptr::null_mut());
    let device = &client.device;
    let set_layout = client.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set) = (client.layout(&[set_layout]), client.set(set_layout));
    let buffer = client.buffer(16);
    buffer.put(0, 1_f32.to_bits() + 1);
    client.write(set, buffer.buffer);
    unsafe {
        let cache = device.create_pipeline_cache(&Default::default(), None).expect("a cache");
        let module = client.shader_module(&text());
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
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        let data = device.get_pipeline_cache_data(cache).expect("its data");
        device.destroy_pipeline(pipeline, None);
        device.destroy_shader_module(module, None);
        device.destroy_pipeline_cache(cache, None);
        (buffer.words()[1], data)
    }
}

#[test]
fn code_and_caches_are_the_same_when_nobody_debugs() {
    if !in_child(module_path!(), "code_and_caches_are_the_same_when_nobody_debugs", &[]) {
        return;
    }
    let (plain, plain_data) = run();
    assert_eq!(f32::from_bits(plain), 2_f32.powi(-46), "the product is fused");
    let recorder: Arc<Recorder> = Arc::default();
    trace::install(Some(Arc::clone(&recorder)));
    // Compiled to be traced, but no invocation is in the target.
    recorder.set_targets(&[]);
    let (untraced, other_data) = run();
    assert_eq!(untraced, plain);
    assert_ne!(other_data, plain_data);
    assert!(recorder.take().records.is_empty());
    // And traced.
    recorder.set_targets(&[Target {
        stage: "compute".to_owned(),
        events: [0, 9],
        low: [0; 6],
        high: [u32::MAX; 6],
    }]);
    let (traced, _) = run();
    assert_eq!(traced, plain);
    let trace = recorder.take();
    assert_eq!((trace.events.len(), trace.is_full), (1, false));
    assert!(!trace.records.is_empty() && !trace.snapshots.is_empty());
    trace::install(None);
    assert_eq!(run(), (plain, plain_data));
}
