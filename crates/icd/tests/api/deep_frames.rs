//! Shaders whose values take more stack than threads of an application may have.

use pyro_test_kit::compute::Compute;
use std::fmt::Write;
use vulkanalia::prelude::v1_3::*;

/// Values alive at once: 640 KiB of sixteen lanes.
const VALUES: usize = 10_000;
const LANES: usize = 16;

/// Each invocation reads a word of each row, and then writes them to the rows in reverse order.
fn text() -> String {
    let mut text = format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %index
        OpExecutionMode %main LocalSize {LANES} 1 1
        OpDecorate %index BuiltIn LocalInvocationIndex
        OpDecorate %row ArrayStride 4
        OpDecorate %rows ArrayStride {}
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %lanes = OpConstant %uint {LANES}
        %in = OpTypePointer Input %uint
        %index = OpVariable %in Input
        %row = OpTypeArray %uint %lanes
        %rows = OpTypeRuntimeArray %row
        %block = OpTypeStruct %rows
        %blocks = OpTypePointer StorageBuffer %block
        %word = OpTypePointer StorageBuffer %uint
        %buffer = OpVariable %blocks StorageBuffer\n",
        4 * LANES
    );
    for value in 0..VALUES {
        let _ = writeln!(text, "%n{value} = OpConstant %uint {value}");
    }
    text.push_str("%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %uint %index\n");
    for value in 0..VALUES {
        let _ = writeln!(text, "%p{value} = OpAccessChain %word %buffer %zero %n{value} %lane");
        let _ = writeln!(text, "%v{value} = OpLoad %uint %p{value}");
    }
    for value in 0..VALUES {
        let _ = writeln!(text, "OpStore %p{value} %v{}", VALUES - 1 - value);
    }
    text + "OpReturn\nOpFunctionEnd\n"
}

#[test]
fn values_that_take_more_than_half_a_mebibyte_of_stack_are_kept() {
    let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let buffer = context.buffer(VALUES * LANES);
    for index in 0..VALUES * LANES {
        buffer.put(index, index as u32);
    }
    let binding = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[binding]);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &text());
    let set = context.set(set_layout);
    context.write(set, buffer.buffer);
    const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
    context.run(|commands| unsafe {
        let device = &context.device;
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    let words = buffer.words();
    for (index, &word) in words.iter().enumerate() {
        let (row, lane) = (index / LANES, index % LANES);
        assert_eq!(word as usize, (VALUES - 1 - row) * LANES + lane, "row {row}, lane {lane}");
    }
}
