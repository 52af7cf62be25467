//! Strict mode: what modules and pipelines break comes to the messengers of the instance.

use pyro_test_environment::in_child;
use pyro_test_kit::Client;
use std::ffi::CStr;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const SHADER: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpReturn
    OpFunctionEnd";

#[test]
fn findings_come_to_messengers() {
    if !in_child(module_path!(), "findings_come_to_messengers", &[("PYROCLAST_STRICT", "1")]) {
        return;
    }
    let validation = vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION;
    let mut client = Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let messages = client.listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, validation);
    let gpu = client.device(&[c"VK_EXT_shader_object"], None, std::ptr::null_mut());
    let device = &gpu.device;
    let take = || {
        let messages = messages.take();
        assert!(messages.iter().all(|message| message.types == validation));
        messages.into_iter().map(|message| message.id).collect::<Vec<_>>()
    };
    unsafe {
        // A module that keeps the rules, and one with a storage class that Vulkan has not.
        let good = gpu.shader_module(SHADER);
        assert_eq!(take(), [] as [&str; 0]);
        let bad = SHADER.replace(
            "%main = OpFunction",
            "%odd = OpTypePointer CrossWorkgroup %uint\n%stray = OpVariable %odd CrossWorkgroup\n%main = OpFunction",
        );
        let bad = gpu.shader_module(&bad);
        assert!(take().contains(&"VUID-StandaloneSpirv-None-04643".to_owned()));

        // The same module in pipelines whose creation says something wrong of it.
        let layout = device.create_pipeline_layout(&Default::default(), None).expect("a layout");
        let create = |name: &CStr, size: Option<u32>| {
            let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::builder()
                .required_subgroup_size(size.unwrap_or(0));
            let stage = vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(good)
                .name(name.to_bytes_with_nul());
            let stage = if size.is_some() { stage.push_next(&mut required) } else { stage };
            let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            made.into_iter().for_each(|made| device.destroy_pipeline(made.0[0], None));
            take()
        };
        assert_eq!(create(c"main", None), [] as [&str; 0]);
        let found = create(c"other", None);
        assert!(found.contains(&"VUID-VkPipelineShaderStageCreateInfo-pName-00707".to_owned()), "{found:?}");
        let rule = "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760";
        let found = create(c"main", Some(12));
        assert!(found.contains(&rule.to_owned()), "{found:?}");

        // And in shader objects, by the names of their rules.
        let words = pyro_spirv::asm::assemble(SHADER).expect("assembly");
        let create = |name: &CStr| {
            let info = vk::ShaderCreateInfoEXT {
                stage: vk::ShaderStageFlags::COMPUTE,
                code_type: vk::ShaderCodeTypeEXT::SPIRV,
                code_size: 4 * words.len(),
                code: words.as_ptr().cast(),
                name: name.as_ptr(),
                ..Default::default()
            };
            let made = device.create_shaders_ext(&[info], None);
            made.into_iter().for_each(|made| device.destroy_shader_ext(made.0[0], None));
            take()
        };
        assert_eq!(create(c"main"), [] as [&str; 0]);
        let found = create(c"other");
        assert!(found.contains(&"VUID-VkShaderCreateInfoEXT-pName-08440".to_owned()), "{found:?}");
        assert!(found.iter().all(|rule| !rule.contains("Pipeline")), "{found:?}");

        device.destroy_pipeline_layout(layout, None);
        device.destroy_shader_module(good, None);
        device.destroy_shader_module(bad, None);
    }
}
