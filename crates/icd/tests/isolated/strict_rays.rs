//! Strict mode: what the groups of a ray tracing pipeline break reaches debug messengers.

use pyro_test_environment::in_child;
use pyro_test_kit::Client;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrRayTracingPipelineExtensionDeviceCommands as _, NvRayTracingExtensionDeviceCommands as _,
    ShaderStageFlags as Stages,
};

/// A shader of a stage; with a hit attribute of a type that it does not read.
fn shader(model: &str, attribute: Option<&str>) -> Vec<u32> {
    let (list, declared) = match attribute {
        Some(ty) => (
            " %attribute",
            format!(
                "%float = OpTypeFloat 32\n%vec2 = OpTypeVector %float 2\n%vec4 = OpTypeVector %float 4\n\
                 %p = OpTypePointer HitAttributeKHR %{ty}\n%attribute = OpVariable %p HitAttributeKHR\n"
            ),
        ),
        None => ("", String::new()),
    };
    let text = format!(
        "; Version: 1.4\nOpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\"{list}\n%void = OpTypeVoid\n\
         %fn = OpTypeFunction %void\n{declared}%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\n\
         OpFunctionEnd"
    );
    pyro_spirv::asm::assemble(&text).expect("assembly")
}

#[test]
fn groups_of_ray_pipelines_are_checked() {
    if !in_child(module_path!(), "groups_of_ray_pipelines_are_checked", &[("PYROCLAST_STRICT", "1")]) {
        return;
    }
    let mut client = Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let messages = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::all(), vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let mut rays = vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder().ray_tracing_pipeline(true);
    let mut structures =
        vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
    structures.next = (&raw mut rays).cast();
    let mut core = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    core.next = (&raw mut structures).cast();
    let extensions = [
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
        c"VK_KHR_ray_tracing_pipeline",
        c"VK_NV_ray_tracing",
    ];
    let gpu = client.device(&extensions, None, (&raw mut core).cast());
    let device = &gpu.device;
    let unused = vk::SHADER_UNUSED_KHR;
    unsafe {
        let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None);
        let layout = layout.expect("a layout");
        let module = |model: &str, attribute: Option<&str>| {
            let words = shader(model, attribute);
            let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
            device.create_shader_module(&info, None).expect("a module")
        };
        let modules = [
            (Stages::RAYGEN_KHR, module("RayGenerationKHR", None)),
            (Stages::CLOSEST_HIT_KHR, module("ClosestHitKHR", Some("vec2"))),
            (Stages::CLOSEST_HIT_KHR, module("ClosestHitKHR", Some("vec4"))),
        ];
        assert_eq!(messages.take_ids(), [] as [&str; 0]);
        let stages = modules.map(|(stage, module)| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
        });
        let null = vk::PipelineCache::null();
        for (closest_hit, finding) in [(1, None), (2, Some("not a vector of two"))] {
            let general = vk::RayTracingShaderGroupCreateInfoKHR {
                type_: vk::RayTracingShaderGroupTypeKHR::GENERAL,
                general_shader: 0,
                closest_hit_shader: unused,
                any_hit_shader: unused,
                intersection_shader: unused,
                ..Default::default()
            };
            let hit = vk::RayTracingShaderGroupCreateInfoKHR {
                type_: vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                general_shader: unused,
                closest_hit_shader: closest_hit,
                ..general
            };
            let groups = [general, hit];
            let info = vk::RayTracingPipelineCreateInfoKHR::builder()
                .stages(&stages)
                .groups(&groups)
                .max_pipeline_ray_recursion_depth(1)
                .layout(layout)
                .build();
            let operation = vk::DeferredOperationKHR::null();
            let made = device.create_ray_tracing_pipelines_khr(operation, null, &[info], None);
            device.destroy_pipeline(made.expect("a pipeline").0[0], None);
            let found = messages.take();
            assert_eq!(
                found.iter().any(|found| found.text.contains("not a vector of two")),
                finding.is_some()
            );
            assert_eq!(found.is_empty(), finding.is_none());

            let groups = groups.map(|group| vk::RayTracingShaderGroupCreateInfoNV {
                type_: group.type_,
                general_shader: group.general_shader,
                closest_hit_shader: group.closest_hit_shader,
                any_hit_shader: unused,
                intersection_shader: unused,
                ..Default::default()
            });
            let info = vk::RayTracingPipelineCreateInfoNV::builder()
                .stages(&stages)
                .groups(&groups)
                .max_recursion_depth(1)
                .layout(layout)
                .build();
            let made = device.create_ray_tracing_pipelines_nv(null, &[info], None);
            device.destroy_pipeline(made.expect("a pipeline").0[0], None);
            assert_eq!(messages.take().is_empty(), finding.is_none());
        }
        modules.iter().for_each(|(_, module)| device.destroy_shader_module(*module, None));
        device.destroy_pipeline_layout(layout, None);
    }
}
