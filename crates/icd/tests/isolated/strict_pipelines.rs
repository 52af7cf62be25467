//! Strict mode: what modules and pipelines break reaches debug messengers, and a validation cache spares the
//! check.

use pyro_test_environment::in_child;
use pyro_test_kit::compute::shader;
use pyro_test_kit::{Client, Gpu, Messages};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtShaderModuleIdentifierExtensionDeviceCommands as _, ExtValidationCacheExtensionDeviceCommands as _,
};

/// A stage with an output and an input at location 0, of these types.
fn stage(model: &str, input: &str, output: &str) -> Vec<u32> {
    let mode = if model == "Fragment" { "OpExecutionMode %main OriginUpperLeft" } else { "" };
    let text = format!(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" %in %out\n{mode}\n\
         OpDecorate %in Location 0\nOpDecorate %out Location 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %float = OpTypeFloat 32\n%vec2 = OpTypeVector %float 2\n%vec4 = OpTypeVector %float 4\n\
         %zero = OpConstant %float 0\n%zero2 = OpConstantComposite %vec2 %zero %zero\n\
         %zero4 = OpConstantComposite %vec4 %zero %zero %zero %zero\n%p_in = OpTypePointer Input %{input}\n\
         %p_out = OpTypePointer Output %{output}\n%in = OpVariable %p_in Input\n%out = OpVariable %p_out Output\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n%value = OpLoad %{input} %in\n\
         OpStore %out %zero{}\nOpReturn\nOpFunctionEnd",
        output.trim_start_matches("vec")
    );
    pyro_spirv::asm::assemble(&text).expect("assembly")
}

/// A device behind a messenger.
struct World {
    gpu: Gpu,
    messages: Messages,
}

impl World {
    fn new() -> World {
        let mut client = Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
        let messages = client.listen(
            vk::DebugUtilsMessageSeverityFlagsEXT::all(),
            vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
        );
        let mut identifiers =
            vk::PhysicalDeviceShaderModuleIdentifierFeaturesEXT::builder().shader_module_identifier(true);
        let mut core = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
        core.next = (&raw mut identifiers).cast();
        let extensions = [c"VK_EXT_validation_cache", c"VK_EXT_shader_module_identifier"];
        let gpu = client.device(&extensions, None, (&raw mut core).cast());
        World { gpu, messages }
    }

    unsafe fn module(&self, words: &[u32], cache: Option<vk::ValidationCacheEXT>) -> vk::ShaderModule {
        let mut chained = vk::ShaderModuleValidationCacheCreateInfoEXT::builder();
        if let Some(cache) = cache {
            chained = chained.validation_cache(cache);
        }
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        let info = if cache.is_some() { info.push_next(&mut chained) } else { info };
        unsafe { self.gpu.device.create_shader_module(&info, None) }.expect("a module")
    }

    unsafe fn graphics_pipeline(&self, modules: [vk::ShaderModule; 2], layout: vk::PipelineLayout) {
        let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
        let stages: Vec<_> = (stages.into_iter().zip(modules))
            .map(|(stage, module)| {
                vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
            })
            .collect();
        let binding = vk::VertexInputBindingDescription::builder().stride(16);
        let attribute =
            vk::VertexInputAttributeDescription::builder().format(vk::Format::R32G32B32A32_SFLOAT);
        let input = vk::PipelineVertexInputStateCreateInfo::builder()
            .vertex_binding_descriptions(slice::from_ref(&binding))
            .vertex_attribute_descriptions(slice::from_ref(&attribute));
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let (viewport, scissor) = (vk::Viewport::default(), vk::Rect2D::default());
        let viewport = vk::PipelineViewportStateCreateInfo::builder()
            .viewports(slice::from_ref(&viewport))
            .scissors(slice::from_ref(&scissor));
        let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::builder()
            .rasterization_samples(vk::SampleCountFlags::_4)
            .alpha_to_coverage_enable(true);
        let attachment =
            vk::PipelineColorBlendAttachmentState::builder().color_write_mask(vk::ColorComponentFlags::all());
        let blend =
            vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&attachment));
        // The shader writes floats.
        let formats = [vk::Format::R8G8B8A8_UINT];
        let mut rendering = vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(&formats);
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        // Whether it is made for all that does not matter here.
        let null = vk::PipelineCache::null();
        if let Ok((pipelines, _)) = unsafe { self.gpu.device.create_graphics_pipelines(null, &[info], None) }
        {
            unsafe { self.gpu.device.destroy_pipeline(pipelines[0], None) };
        }
    }
}

#[test]
fn strict_findings_are_reported_once_per_messenger() {
    if !in_child(
        module_path!(),
        "strict_findings_are_reported_once_per_messenger",
        &[("PYROCLAST_STRICT", "1")],
    ) {
        return;
    }
    unsafe {
        let world = World::new();
        let device = &world.gpu.device;
        let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None);
        let layout = layout.expect("a layout");

        // A compute shader that keeps every rule, with a layout that lacks its buffer and its push constants.
        let text = shader("%place = OpAccessChain %word %buffer %uint_0 %gid\nOpStore %place %uint_1");
        // It has what newer versions of SPIR-V do not.
        let words = pyro_spirv::asm::assemble(&format!("; Version: 1.0\n{text}")).expect("assembly");
        let module = world.module(&words, None);
        assert_eq!(world.messages.take_ids(), [] as [&str; 0]);
        let stage_info = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage_info).layout(layout);
        let null = vk::PipelineCache::null();
        if let Ok((pipelines, _)) = device.create_compute_pipelines(null, &[info], None) {
            device.destroy_pipeline(pipelines[0], None);
        }
        assert_eq!(world.messages.take_ids()[..1], ["VUID-VkComputePipelineCreateInfo-layout-07988"]);
        device.destroy_shader_module(module, None);

        // Two stages that do not fit each other.
        let vertex = world.module(&stage("Vertex", "vec4", "vec2"), None);
        let fragment = world.module(&stage("Fragment", "vec4", "vec4"), None);
        assert_eq!(world.messages.take_ids(), [] as [&str; 0]);
        world.graphics_pipeline([vertex, fragment], layout);
        let found = world.messages.take_ids();
        assert!(found.iter().any(|id| id == "VUID-RuntimeSpirv-OpEntryPoint-07754"), "{found:?}");

        // Alpha becomes coverage, which only a shader that writes alpha has.
        let rule = "VUID-VkGraphicsPipelineCreateInfo-alphaToCoverageEnable-08891";
        assert!(!found.iter().any(|id| id == rule), "{found:?}");
        let opaque = world.module(&stage("Fragment", "vec2", "vec2"), None);
        world.graphics_pipeline([vertex, opaque], layout);
        let found = world.messages.take_ids();
        assert!(found.iter().any(|id| id == rule), "{found:?}");
        device.destroy_shader_module(opaque, None);

        // A module that breaks a rule, alone and with a cache that takes it for one that does not.
        let broken = stage("Vertex", "vec4", "vec4");
        // `Flat` on an input of a vertex shader.
        let mut broken = pyro_spirv::disassemble(&pyro_spirv::Module::decode(&broken).expect("a module"));
        let line = broken.lines().find(|line| line.contains("Location 0")).expect("a decoration").to_owned();
        broken = broken.replacen(&line, &format!("{line}\n{}", line.replace("Location 0", "Flat")), 1);
        let broken = pyro_spirv::asm::assemble(&broken).expect("assembly");
        let module = world.module(&broken, None);
        assert_eq!(world.messages.take_ids(), ["VUID-StandaloneSpirv-Flat-06202"]);
        let mut identifier = vk::ShaderModuleIdentifierEXT::default();
        device.get_shader_module_identifier_ext(module, &mut identifier);
        device.destroy_shader_module(module, None);
        let info = vk::ValidationCacheCreateInfoEXT::default();
        let empty = device.create_validation_cache_ext(&info, None).expect("a cache");
        let mut data = vec![0_u8; 24];
        let mut size = data.len();
        let get = device.commands().get_validation_cache_data_ext;
        assert_eq!(get(device.handle(), empty, &mut size, data.as_mut_ptr().cast()), vk::Result::SUCCESS);
        data.extend_from_slice(&identifier.identifier[..identifier.identifier_size as usize]);
        let info = vk::ValidationCacheCreateInfoEXT::builder().initial_data(&data);
        let knowing = device.create_validation_cache_ext(&info, None).expect("a cache");
        device.destroy_shader_module(world.module(&broken, Some(knowing)), None);
        assert_eq!(world.messages.take_ids(), [] as [&str; 0], "a known module is not checked");
        device.destroy_shader_module(world.module(&broken, Some(empty)), None);
        assert_eq!(
            world.messages.take_ids(),
            ["VUID-StandaloneSpirv-Flat-06202"],
            "one with findings is not put in"
        );
        device.destroy_shader_module(world.module(&broken, Some(empty)), None);
        assert_eq!(world.messages.take_ids().len(), 1);

        for cache in [empty, knowing] {
            device.destroy_validation_cache_ext(cache, None);
        }
        for module in [vertex, fragment] {
            device.destroy_shader_module(module, None);
        }
        device.destroy_pipeline_layout(layout, None);
    }
}
