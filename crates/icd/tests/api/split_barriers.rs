//! Barriers in two parts (`VK_EXT_shader_split_barrier`): invocations say that they have come, do something
//! else, and wait.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::{Compute, shader};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

/// 64 invocations write their numbers, arrive, write something of their own, wait, and read each other's,
/// twice.
fn exchanging() -> String {
    let body = "
        %own = OpAccessChain %shared_word %shared %local
        OpStore %own %local
        OpControlBarrierArriveEXT %uint_2 %uint_2 %release
        %mine = OpIMul %uint %local %local
        OpControlBarrierWaitEXT %uint_2 %uint_2 %acquire
        %other = OpISub %uint %last %local
        %theirs = OpAccessChain %shared_word %shared %other
        %first = OpLoad %uint %theirs
        OpControlBarrierArriveEXT %uint_2 %uint_2 %release
        OpControlBarrierWaitEXT %uint_2 %uint_2 %acquire
        OpStore %theirs %mine
        OpControlBarrierArriveEXT %uint_2 %uint_2 %release
        %thousand = OpIMul %uint %first %k1000000
        OpControlBarrierWaitEXT %uint_2 %uint_2 %acquire
        %second = OpLoad %uint %own
        %both = OpIAdd %uint %thousand %second
        %place = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %place %both";
    shader(body)
        .replace("OpCapability Shader", "OpCapability Shader OpCapability SplitBarrierEXT")
        .replace("OpMemoryModel", "OpExtension \"SPV_EXT_split_barrier\" OpMemoryModel")
        .replace("%main \"main\" %id", "%main \"main\" %id %local_id")
        .replace("LocalSize 1 1 1", "LocalSize 64 1 1")
        .replace("OpDecorate %array", "OpDecorate %local_id BuiltIn LocalInvocationIndex OpDecorate %array")
        .replace(
            "%uint_0 = OpConstant",
            "%in_uint = OpTypePointer Input %uint
            %local_id = OpVariable %in_uint Input
            %last = OpConstant %uint 63
            %k64 = OpConstant %uint 64
            %k1000000 = OpConstant %uint 1000000
            %release = OpConstant %uint 260
            %acquire = OpConstant %uint 258
            %words = OpTypeArray %uint %k64
            %shared_words = OpTypePointer Workgroup %words
            %shared_word = OpTypePointer Workgroup %uint
            %shared = OpVariable %shared_words Workgroup
            %uint_0 = OpConstant",
        )
        .replace("%ids = OpLoad", "%local = OpLoad %uint %local_id %ids = OpLoad")
}

#[test]
fn who_waits_sees_what_was_written_before_the_others_arrived() {
    let mut features =
        new::PhysicalDeviceShaderSplitBarrierFeaturesEXT { shader_split_barrier: 1, ..Default::default() };
    let extensions = [c"VK_EXT_shader_split_barrier"];
    let context = Compute::new(vk::make_version(1, 3, 0), &extensions, from_mut(&mut features).cast());
    let mut reserved = new::PhysicalDeviceShaderSplitBarrierPropertiesEXT {
        split_barrier_reserved_shared_memory: 9,
        ..Default::default()
    };
    let mut properties =
        vk::PhysicalDeviceProperties2 { next: from_mut(&mut reserved).cast(), ..Default::default() };
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut properties) };
    assert_eq!(reserved.split_barrier_reserved_shared_memory, 0);
    let buffer = context.buffer(256);
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (set, layout) = (context.set(set_layout), context.layout(&[set_layout]));
    context.write(set, buffer.buffer);
    for subgroup in [8, 16, 64] {
        let flags = vk::PipelineShaderStageCreateFlags::empty();
        let pipeline = context.staged_pipeline(layout, &exchanging(), flags, Some(subgroup));
        (0..256).for_each(|index| buffer.put(index, 0));
        let point = vk::PipelineBindPoint::COMPUTE;
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, point, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            context.device.cmd_dispatch(commands, 4, 1, 1);
        });
        let expected: Vec<u32> = (0..256)
            .map(|index| {
                let other = 63 - index % 64;
                other * 1_000_000 + other * other
            })
            .collect();
        assert_eq!(buffer.words(), expected, "{subgroup}");
    }
}
