//! Shader modules that are replaced while pipelines of them are bound in command buffers.

use pyro_sanitizer::trace::module_digest;
use pyro_test_kit::compute::{Compute, shader};
use vulkanalia::prelude::v1_3::*;

/// A shader that does this to the word of its invocation, by `%old` to `%new`.
fn words_of(operation: &str) -> (String, Vec<u32>) {
    let text = shader(&format!(
        "%at = OpAccessChain %word %buffer %uint_0 %gid
         %old = OpLoad %uint %at
         %new = {operation}
         OpStore %at %new"
    ));
    let words = pyro_spirv::asm::assemble(&text).expect("assembly");
    (text, words)
}

#[test]
fn recorded_command_buffers_run_replaced_modules() {
    pyroclast_icd::keep_for_reload();
    let compute = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let device = &compute.device;
    let buffer = compute.buffer(1);
    let storage = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &storage);
    let layout = compute.layout(&[set_layout]);
    let set = compute.set(set_layout);
    compute.write(set, buffer.buffer);
    let [(_, add), (multiply_text, multiply), (_, shift)] = [
        words_of("OpIAdd %uint %old %uint_3"),
        words_of("OpIMul %uint %old %uint_4"),
        words_of("OpShiftLeftLogical %uint %old %uint_3"),
    ];
    let record = |pipeline| {
        compute.record(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            let zero = [0; 4];
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &zero);
            device.cmd_dispatch(commands, 1, 1, 1);
        })
    };
    let run = |commands| {
        compute.submit_and_wait(commands);
        buffer.words()[0]
    };
    buffer.put(0, 1);
    let first = record(compute.pipeline_of(layout, &add));
    assert_eq!(run(first), 4);

    let reload = |from: &[u32], to: &[u32]| pyroclast_icd::reload_module(module_digest(from), to);
    assert_eq!(reload(&shift, &multiply), Ok(0), "nobody has it");
    assert_eq!(run(first), 7);
    assert_eq!(reload(&add, &multiply), Ok(1));
    assert_eq!(run(first), 28);
    // One that is made of the old words later.
    let second = record(compute.pipeline_of(layout, &add));
    assert_eq!(run(second), 112);

    // What cannot be: no module, another interface, no such entry point. The old one stays.
    let elsewhere = multiply_text.replace("OpDecorate %buffer Binding 0", "OpDecorate %buffer Binding 7");
    let unnamed = multiply_text.replace("\"main\"", "\"other\"");
    let [elsewhere, unnamed] =
        [elsewhere, unnamed].map(|text| pyro_spirv::asm::assemble(&text).expect("assembly"));
    let why = |to: &[u32]| reload(&multiply, to).expect_err("it does not fit");
    assert!(why(&[1, 2, 3]).contains("VUID-VkShaderModuleCreateInfo-pCode-08738"), "{}", why(&[1, 2, 3]));
    let error = why(&elsewhere);
    assert!(error.contains("the pipeline layout has no binding 7 in set 0"), "{error}");
    let error = why(&unnamed);
    assert!(error.contains("main"), "{error}");
    assert_eq!((run(first), run(second)), (448, 1792));

    // Once more, and back to the first.
    assert_eq!(reload(&multiply, &shift), Ok(2));
    assert_eq!((run(first), run(second)), (1792 << 3, 1792 << 6));
    assert_eq!(reload(&shift, &add), Ok(2));
    buffer.put(0, 1);
    let third = record(compute.pipeline_of(layout, &add));
    assert_eq!((run(first), run(second), run(third)), (4, 7, 10));
}
