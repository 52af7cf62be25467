//! Features of graphics that extensions bring, through the entry points, in this process.

use pyro_shadertext::Shader;
use pyro_test_kit::LinearImage;
use pyro_test_kit::graphics::{Context, FRAGMENT, GENERAL, SIZE, VERTEX, area};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtConditionalRenderingExtensionDeviceCommands as _, ExtHostImageCopyExtensionDeviceCommands as _,
};

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// A linear image that is mapped.
pub(crate) struct Target(LinearImage);

impl std::ops::Deref for Target {
    type Target = LinearImage;

    fn deref(&self) -> &LinearImage {
        &self.0
    }
}

impl Target {
    pub(crate) fn new(context: &Context) -> Target {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::HOST_TRANSFER;
        Target(LinearImage::new(context, FORMAT, [SIZE; 2], usage))
    }

    pub(crate) fn destroy(self, context: &Context) {
        self.0.destroy(context);
    }

    /// The red of all pixels.
    fn reds(&self) -> Vec<u8> {
        let pixels = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        pixels.map(|(x, y)| self.texel::<1>(x, y, 4)[0]).collect()
    }
}

/// Draws with a pipeline; gives the red of all pixels.
pub(crate) fn drawn(
    context: &Context,
    target: &Target,
    pipeline: (vk::Pipeline, vk::PipelineLayout),
) -> Vec<u8> {
    unsafe {
        context.begin();
        context.draw(target.view, pipeline, RED);
        context.submit();
        context.device.queue_wait_idle(context.queue).expect("idle");
    }
    target.reds()
}

/// One part of a pipeline.
unsafe fn library(
    context: &Context,
    part: vk::GraphicsPipelineLibraryFlagsEXT,
    info: vk::GraphicsPipelineCreateInfoBuilder<'_>,
) -> vk::Pipeline {
    let mut parts = vk::GraphicsPipelineLibraryCreateInfoEXT::builder().flags(part);
    let info = info.flags(vk::PipelineCreateFlags::LIBRARY_KHR).push_next(&mut parts);
    let null = vk::PipelineCache::null();
    let made = unsafe { context.device.create_graphics_pipelines(null, slice::from_ref(&info), None) };
    made.expect("a library").0[0]
}

/// The four parts of a pipeline with these shaders.
pub(crate) fn libraries(
    context: &Context,
    layout: vk::PipelineLayout,
    shaders: [&str; 2],
) -> [vk::Pipeline; 4] {
    use vk::GraphicsPipelineLibraryFlagsEXT as Part;
    let modules = shaders.map(|text| context.shader_module(text));
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
    };
    let vertex = stage(vk::ShaderStageFlags::VERTEX, modules[0]);
    let fragment = stage(vk::ShaderStageFlags::FRAGMENT, modules[1]);
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let scissor = area();
    let size = SIZE as f32;
    let viewport = vk::Viewport { width: size, height: size, max_depth: 1.0, ..Default::default() };
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&viewport))
        .scissors(slice::from_ref(&scissor));
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let blend = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::all(),
        ..Default::default()
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
    let mut rendering =
        vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(slice::from_ref(&FORMAT));
    let new = vk::GraphicsPipelineCreateInfo::builder;
    unsafe {
        let libraries = [
            library(
                context,
                Part::VERTEX_INPUT_INTERFACE,
                new().vertex_input_state(&input).input_assembly_state(&assembly),
            ),
            library(
                context,
                Part::PRE_RASTERIZATION_SHADERS,
                new()
                    .stages(slice::from_ref(&vertex))
                    .viewport_state(&viewports)
                    .rasterization_state(&raster)
                    .layout(layout),
            ),
            library(context, Part::FRAGMENT_SHADER, new().stages(slice::from_ref(&fragment)).layout(layout)),
            library(
                context,
                Part::FRAGMENT_OUTPUT_INTERFACE,
                new().multisample_state(&samples).color_blend_state(&blend).push_next(&mut rendering),
            ),
        ];
        modules.into_iter().for_each(|module| context.device.destroy_shader_module(module, None));
        libraries
    }
}

/// The pipeline that parts make.
pub(crate) fn link(
    context: &Context,
    layout: vk::PipelineLayout,
    libraries: &[vk::Pipeline],
) -> vk::Pipeline {
    let mut linked = vk::PipelineLibraryCreateInfoKHR::builder().libraries(libraries);
    let info = vk::GraphicsPipelineCreateInfo::builder().layout(layout).push_next(&mut linked);
    let null = vk::PipelineCache::null();
    unsafe { context.device.create_graphics_pipelines(null, slice::from_ref(&info), None) }.expect("linked").0
        [0]
}

/// The extensions that parts of pipelines need.
pub(crate) const LIBRARIES: [&std::ffi::CStr; 2] =
    [c"VK_KHR_pipeline_library", c"VK_EXT_graphics_pipeline_library"];

#[test]
fn linked_libraries_draw_like_a_whole_pipeline() {
    let context = Context::with(&LIBRARIES);
    let device = &context.device;
    let target = Target::new(&context);
    let whole = context.pipeline(FORMAT);
    let expected = drawn(&context, &target, whole);
    assert!(expected.contains(&255) && expected.contains(&0));
    let layout = whole.1;
    let libraries = libraries(&context, layout, [VERTEX, FRAGMENT]);
    let pipeline = link(&context, layout, &libraries);
    unsafe {
        // What it was linked from may go.
        libraries.into_iter().for_each(|library| device.destroy_pipeline(library, None));
        assert_eq!(drawn(&context, &target, (pipeline, layout)), expected);
        // Half of a pipeline is none.
        let mut half = vk::PipelineLibraryCreateInfoKHR::builder();
        let info = vk::GraphicsPipelineCreateInfo::builder().layout(layout).push_next(&mut half);
        let mut none = vk::GraphicsPipelineLibraryCreateInfoEXT::builder();
        let info = info.push_next(&mut none);
        let null = vk::PipelineCache::null();
        assert!(device.create_graphics_pipelines(null, slice::from_ref(&info), None).is_err());
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline(whole.0, None);
        device.destroy_pipeline_layout(layout, None);
    }
    target.destroy(&context);
}

/// Appends a digit, the push constant's red, to the pixel's number in a buffer.
fn interlock_text() -> String {
    Shader::fragment(
        "%pointer = OpAccessChain %push_float4 %push %uint_0
        %value = OpLoad %float4 %pointer
        OpStore %color %value
        %digit = OpCompositeExtract %float %value 0
        %digit_ = OpConvertFToU %uint %digit
        %coord = OpLoad %float4 %place
        %x = OpCompositeExtract %float %coord 0
        %y = OpCompositeExtract %float %coord 1
        %x_ = OpConvertFToU %uint %x
        %y_ = OpConvertFToU %uint %y
        %row = OpIMul %uint %y_ %uint_16
        %index = OpIAdd %uint %row %x_
        %cell = OpAccessChain %buffer_uint %buffer %uint_0 %index
        OpBeginInvocationInterlockEXT
        %old = OpLoad %uint %cell
        %shifted = OpIMul %uint %old %uint_10
        %new = OpIAdd %uint %shifted %digit_
        OpStore %cell %new
        OpEndInvocationInterlockEXT",
    )
    .capability("FragmentShaderPixelInterlockEXT")
    .extension("SPV_EXT_fragment_shader_interlock")
    .mode("PixelInterlockOrderedEXT")
    .output("color", "float4", "Location 0")
    .input("place", "float4", "BuiltIn FragCoord")
    .buffers(&["buffer"])
    .decorate(
        "OpDecorate %colors Block
        OpMemberDecorate %colors 0 Offset 0",
    )
    .declare(
        "%colors = OpTypeStruct %float4
        %push = OpVariable %push_colors PushConstant",
    )
    .text()
}

#[test]
fn interlocked_fragments_run_in_the_order_of_their_primitives() {
    let context = Context::with(&[c"VK_EXT_fragment_shader_interlock"]);
    let device = &context.device;
    let target = Target::new(&context);
    unsafe {
        let binding = vk::DescriptorSetLayoutBinding::builder()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT);
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
        let set_layout = device.create_descriptor_set_layout(&info, None).expect("a layout");
        let size = vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 };
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
        let sets = device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(sets)
            .set_layouts(slice::from_ref(&set_layout));
        let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
        let size = u64::from(4 * SIZE * SIZE);
        let info = vk::BufferCreateInfo::builder().size(size).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let buffer = device.create_buffer(&info, None).expect("a buffer");
        let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        let flags = vk::MemoryMapFlags::empty();
        let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>();
        let info = vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(slice::from_ref(&info));
        device.update_descriptor_sets(slice::from_ref(&write), &[] as &[vk::CopyDescriptorSet]);
        let pipeline = context.pipeline_with(FORMAT, &interlock_text(), slice::from_ref(&set_layout));
        let point = vk::PipelineBindPoint::GRAPHICS;
        context.begin();
        device.cmd_bind_descriptor_sets(context.commands, point, pipeline.1, 0, &[set], &[]);
        let digits: Vec<[f32; 4]> = (1..=9_u8).map(|digit| [digit.into(), 0.0, 0.0, 1.0]).collect();
        context.draw_all(target.view, pipeline, &digits);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))).filter(|(y, x)| x != y) {
            let number = words.add((y * SIZE + x) as usize).read_volatile();
            assert_eq!(number, if x < y { 123_456_789 } else { 0 }, "{x} {y}");
        }
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        device.destroy_descriptor_pool(sets, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
    }
    target.0.destroy(&context);
}

#[test]
fn conditions_decide_what_is_drawn() {
    let context = Context::with(&[c"VK_EXT_conditional_rendering"]);
    let device = &context.device;
    let target = Target::new(&context);
    let pipeline = context.pipeline(FORMAT);
    unsafe {
        let info =
            vk::BufferCreateInfo::builder().size(8).usage(vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT);
        let buffer = device.create_buffer(&info, None).expect("a buffer");
        let info = vk::MemoryAllocateInfo::builder().allocation_size(64);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        let flags = vk::MemoryMapFlags::empty();
        let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>();
        words.write_volatile(0);
        words.add(1).write_volatile(7);
        for (offset, inverted, is_drawn) in
            [(0, false, false), (4, false, true), (0, true, true), (4, true, false)]
        {
            let mut info = vk::ConditionalRenderingBeginInfoEXT::builder().buffer(buffer).offset(offset);
            if inverted {
                info = info.flags(vk::ConditionalRenderingFlagsEXT::INVERTED);
            }
            context.begin();
            device.cmd_begin_conditional_rendering_ext(context.commands, &info);
            context.draw(target.view, pipeline, RED);
            device.cmd_end_conditional_rendering_ext(context.commands);
            context.submit();
            device.queue_wait_idle(context.queue).expect("idle");
            assert_eq!(target.reds().contains(&255), is_drawn, "offset {offset}, inverted {inverted}");
        }
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
    }
    target.0.destroy(&context);
}

#[test]
fn the_host_copies_to_and_from_images() {
    let context = Context::with(&[
        c"VK_KHR_copy_commands2",
        c"VK_KHR_format_feature_flags2",
        c"VK_EXT_host_image_copy",
    ]);
    let device = &context.device;
    let target = Target::new(&context);
    let side = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    };
    let extent = vk::Extent3D { width: 3, height: 2, depth: 1 };
    let offset = vk::Offset3D { x: 5, y: 7, z: 0 };
    let source: Vec<u8> = (1..=40).collect();
    unsafe {
        // Rows of five texels, of which three are taken.
        let region = vk::MemoryToImageCopy {
            host_pointer: source.as_ptr().cast(),
            memory_row_length: 5,
            image_subresource: side,
            image_offset: offset,
            image_extent: extent,
            ..Default::default()
        };
        let info = vk::CopyMemoryToImageInfo::builder()
            .dst_image(target.image)
            .dst_image_layout(GENERAL)
            .regions(slice::from_ref(&region));
        device.copy_memory_to_image_ext(&info).expect("copied");
        let mut back = [0_u8; 24];
        let region = vk::ImageToMemoryCopy {
            host_pointer: back.as_mut_ptr().cast(),
            image_subresource: side,
            image_offset: offset,
            image_extent: extent,
            ..Default::default()
        };
        let info = vk::CopyImageToMemoryInfo::builder()
            .src_image(target.image)
            .src_image_layout(GENERAL)
            .regions(slice::from_ref(&region));
        device.copy_image_to_memory_ext(&info).expect("copied");
        assert_eq!(back[..12], source[..12]);
        assert_eq!(back[12..], source[20..32]);
        assert_eq!(target.reds()[(7 * SIZE + 5) as usize..][..3], [1, 5, 9]);
        // Outside the image.
        let region = vk::ImageToMemoryCopy { image_offset: vk::Offset3D { x: 14, y: 0, z: 0 }, ..region };
        let info = vk::CopyImageToMemoryInfo::builder()
            .src_image(target.image)
            .src_image_layout(GENERAL)
            .regions(slice::from_ref(&region));
        assert!(device.copy_image_to_memory_ext(&info).is_err());
    }
    target.0.destroy(&context);
}
