//! Gathers at a level of detail: `VK_AMD_texture_gather_bias_lod`.

use pyro_test_kit::compute::Compute;
use pyro_test_kit::graphics::{Context, GENERAL, SIZE, area};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

const EXTENSION: &std::ffi::CStr = c"VK_AMD_texture_gather_bias_lod";
/// Texels in x and y of the first level.
const SIDE: u32 = 64;
const LEVELS: u32 = 7;
/// Values that a shader leaves.
const COUNT: usize = 6;

/// The shader of a stage: `%place` has two floats, and the second component of six results goes to the
/// buffer. The capability allows a bias and a level.
fn shader(is_fragment: bool, scale: f32, capability: &str) -> String {
    let (entry, decorated, input, read) = if is_fragment {
        (
            "OpEntryPoint Fragment %main \"main\" %input
             OpExecutionMode %main OriginUpperLeft",
            "OpDecorate %input BuiltIn FragCoord",
            "%inputs = OpTypePointer Input %vec4",
            "%all = OpLoad %vec4 %input
             %pixel = OpVectorShuffle %vec2 %all %all 0 1
             %place = OpVectorTimesScalar %vec2 %pixel %scale",
        )
    } else {
        (
            "OpEntryPoint GLCompute %main \"main\"
             OpExecutionMode %main LocalSize 1 1 1",
            "",
            "%inputs = OpTypePointer Private %vec4",
            "%place = OpCompositeConstruct %vec2 %half %half",
        )
    };
    let storage = if is_fragment { "Input" } else { "Private" };
    let (bias, lod) = if capability.is_empty() { ("", "") } else { ("Bias %one", "Lod %four") };
    let both = if capability.is_empty() { "" } else { "Bias|ConstOffset %one %offset" };
    let stores: String = (0..COUNT)
        .map(|index| {
            format!(
                "%value{index} = OpCompositeExtract %float %gathered{index} 1
                 %cell{index} = OpAccessChain %word %buffer %int_0 %int_{index}
                 OpStore %cell{index} %value{index}\n"
            )
        })
        .collect();
    format!(
        "OpCapability Shader
         {capability}
         OpMemoryModel Logical GLSL450
         {entry}
         {decorated}
         OpDecorate %array ArrayStride 4
         OpDecorate %block BufferBlock
         OpMemberDecorate %block 0 Offset 0
         OpDecorate %buffer DescriptorSet 0
         OpDecorate %buffer Binding 0
         OpDecorate %texture DescriptorSet 0
         OpDecorate %texture Binding 1
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %float = OpTypeFloat 32
         %vec2 = OpTypeVector %float 2
         %vec4 = OpTypeVector %float 4
         %int = OpTypeInt 32 1
         %ivec2 = OpTypeVector %int 2
         {input}
         %input = OpVariable %inputs {storage}
         %array = OpTypeRuntimeArray %float
         %block = OpTypeStruct %array
         %blocks = OpTypePointer Uniform %block
         %word = OpTypePointer Uniform %float
         %buffer = OpVariable %blocks Uniform
         %image = OpTypeImage %float 2D 0 0 0 1 Unknown
         %sampled = OpTypeSampledImage %image
         %textures = OpTypePointer UniformConstant %sampled
         %texture = OpVariable %textures UniformConstant
         %int_0 = OpConstant %int 0
         %int_1 = OpConstant %int 1
         %int_2 = OpConstant %int 2
         %int_3 = OpConstant %int 3
         %int_4 = OpConstant %int 4
         %int_5 = OpConstant %int 5
         %offset = OpConstantComposite %ivec2 %int_1 %int_1
         %scale = OpConstant %float {scale:?}
         %half = OpConstant %float 0.5
         %one = OpConstant %float 1
         %four = OpConstant %float 4
         %main = OpFunction %void None %fn
         %label = OpLabel
         {read}
         %loaded = OpLoad %sampled %texture
         %gathered0 = OpImageGather %vec4 %loaded %place %int_0
         %gathered1 = OpImageGather %vec4 %loaded %place %int_0 {bias}
         %gathered2 = OpImageGather %vec4 %loaded %place %int_0 {lod}
         %gathered3 = OpImageGather %vec4 %loaded %place %int_1
         %gathered4 = OpImageGather %vec4 %loaded %place %int_0 {both}
         %gathered5 = OpImageSampleExplicitLod %vec4 %loaded %place Lod %one
         {stores}
         OpReturn
         OpFunctionEnd"
    )
}

/// An image whose levels hold their numbers in red, and a hundred more in green; its view and a sampler.
fn texture(gpu: &pyro_test_kit::Gpu) -> (vk::Image, vk::DeviceMemory, vk::ImageView, vk::Sampler) {
    let device = &gpu.device;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R32G32_SFLOAT)
        .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
        .mip_levels(LEVELS)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
    unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let size = device.get_image_memory_requirements(image).size;
        let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let range = |base_mip_level, level_count| vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level,
            level_count,
            base_array_layer: 0,
            layer_count: 1,
        };
        gpu.run(|commands| {
            for level in 0..LEVELS {
                let color = vk::ClearColorValue { float32: [level as f32, 100.0 + level as f32, 0.0, 0.0] };
                device.cmd_clear_color_image(commands, image, GENERAL, &color, &[range(level, 1)]);
            }
        });
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(vk::ImageViewType::_2D)
            .format(vk::Format::R32G32_SFLOAT)
            .subresource_range(range(0, LEVELS));
        let view = device.create_image_view(&info, None).expect("a view");
        let info = vk::SamplerCreateInfo::builder().max_lod(5.0);
        (image, memory, view, device.create_sampler(&info, None).expect("a sampler"))
    }
}

/// Runs a shader of a stage; what it leaves.
fn run(is_fragment: bool, scale: f32, capability: &str) -> Vec<f32> {
    let text = shader(is_fragment, scale, capability);
    let context = Context::with(&[EXTENSION]);
    let compute = Compute::new(vk::make_version(1, 2, 0), &[EXTENSION], std::ptr::null_mut());
    let gpu: &pyro_test_kit::Gpu = if is_fragment { &context } else { &compute };
    let device = &gpu.device;
    let (image, memory, view, sampler) = texture(gpu);
    let types = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::COMBINED_IMAGE_SAMPLER];
    let bindings: Vec<_> = (0..)
        .zip(types)
        .map(|(binding, descriptor_type)| vk::DescriptorSetLayoutBinding {
            binding,
            descriptor_type,
            descriptor_count: 1,
            stage_flags: vk::ShaderStageFlags::ALL,
            ..Default::default()
        })
        .collect();
    let sizes = types.map(|type_| vk::DescriptorPoolSize { type_, descriptor_count: 1 });
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
        let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&set_layout));
        let sets = device.allocate_descriptor_sets(&info).expect("a set");
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let (buffer, buffer_memory, words) = gpu.mapped_buffer(4 * COUNT as u64, usage);
        let info = vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE };
        let buffers = vk::WriteDescriptorSet::builder()
            .dst_set(sets[0])
            .descriptor_type(types[0])
            .buffer_info(slice::from_ref(&info));
        let info = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: GENERAL };
        let images = vk::WriteDescriptorSet::builder()
            .dst_set(sets[0])
            .dst_binding(1)
            .descriptor_type(types[1])
            .image_info(slice::from_ref(&info));
        device.update_descriptor_sets(&[buffers, images], &[] as &[vk::CopyDescriptorSet]);
        if is_fragment {
            let format = vk::Format::R8G8B8A8_UNORM;
            let (pipeline, layout) = context.pipeline_with(format, &text, &[set_layout]);
            let (target, target_memory, target_view) = target(&context);
            let attachment =
                vk::RenderingAttachmentInfo::builder().image_view(target_view).image_layout(GENERAL);
            let info = vk::RenderingInfo::builder()
                .render_area(area())
                .layer_count(1)
                .color_attachments(slice::from_ref(&attachment));
            context.run(|commands| {
                let point = vk::PipelineBindPoint::GRAPHICS;
                device.cmd_begin_rendering_khr(commands, &info);
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
                device.cmd_draw(commands, 3, 1, 0, 0);
                device.cmd_end_rendering_khr(commands);
            });
            device.destroy_pipeline(pipeline, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_image_view(target_view, None);
            device.destroy_image(target, None);
            device.free_memory(target_memory, None);
        } else {
            let layout = compute.layout(&[set_layout]);
            let pipeline = compute.pipeline(layout, &text);
            compute.run(|commands| {
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
                device.cmd_dispatch(commands, 1, 1, 1);
            });
        }
        let found = (0..COUNT).map(|index| words.cast::<f32>().add(index).read_volatile()).collect();
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(buffer_memory, None);
        device.destroy_sampler(sampler, None);
        device.destroy_image_view(view, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
        found
    }
}

/// What is drawn to.
fn target(context: &Context) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(format)
        .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    unsafe {
        let image = context.device.create_image(&info, None).expect("an image");
        let size = context.device.get_image_memory_requirements(image).size;
        let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
        let memory = context.device.allocate_memory(&info, None).expect("memory");
        context.device.bind_image_memory(image, memory, 0).expect("bound");
        (image, memory, context.view(image, format))
    }
}

const ALLOWED: &str = "OpCapability ImageGatherBiasLodAMD OpExtension \"SPV_AMD_texture_gather_bias_lod\"";

/// In a fragment shader, gathers are at the level of their quad, with a bias or not, or at that which they
/// name.
#[test]
fn fragments_gather_at_their_level() {
    // Texels by pixel: 2 and 8.
    for (scale, level) in [(2.0 / 64.0, 1.0), (8.0 / 64.0, 3.0)] {
        let expected = [level, level + 1.0, 4.0, 100.0 + level, level + 1.0, 101.0];
        assert_eq!(run(true, scale, ALLOWED), expected);
        // The sampler's greatest level of detail holds for them, too.
        let far = run(true, 1.0, ALLOWED);
        assert_eq!(far, [5.0, 5.0, 4.0, 105.0, 5.0, 101.0]);
        // Modules that do not ask for it gather from the first level.
        assert_eq!(run(true, scale, ""), [0.0, 0.0, 0.0, 100.0, 0.0, 101.0]);
    }
}

/// In other stages the level of detail is that of the first level, before a bias.
#[test]
fn other_stages_gather_from_the_first_level() {
    assert_eq!(run(false, 0.0, ALLOWED), [0.0, 1.0, 4.0, 100.0, 1.0, 101.0]);
    assert_eq!(run(false, 0.0, ""), [0.0, 0.0, 0.0, 100.0, 0.0, 101.0]);
}

/// What is sampled in two dimensions can be gathered from.
#[test]
fn formats_say_whether_they_are_gathered() {
    let compute = Compute::new(vk::make_version(1, 2, 0), &[EXTENSION], std::ptr::null_mut());
    for (ty, usage, expected) in [
        (vk::ImageType::_2D, vk::ImageUsageFlags::SAMPLED, vk::TRUE),
        (vk::ImageType::_3D, vk::ImageUsageFlags::SAMPLED, vk::FALSE),
        (vk::ImageType::_2D, vk::ImageUsageFlags::TRANSFER_DST, vk::FALSE),
    ] {
        let mut gather = vk::TextureLODGatherFormatPropertiesAMD::default();
        let mut properties = vk::ImageFormatProperties2::builder().push_next(&mut gather);
        let info = vk::PhysicalDeviceImageFormatInfo2::builder()
            .format(vk::Format::R8G8B8A8_UNORM)
            .type_(ty)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        unsafe {
            compute
                .instance
                .get_physical_device_image_format_properties2(compute.physical_device, &info, &mut properties)
                .expect("supported");
        }
        assert_eq!(gather.supports_texture_gather_lod_bias_amd, expected, "{ty:?} {usage:?}");
    }
}
