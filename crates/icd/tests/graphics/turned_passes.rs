//! Render passes whose attachments lie turned to what is drawn (`VK_QCOM_render_pass_transform`).

use pyro_shadertext::Shader;
use pyro_test_kit::graphics::{GENERAL, VERTEX};

use pyro_test_kit::{Client, Gpu, LinearImage};
use std::slice;
use vulkanalia::prelude::v1_3::*;

use vk::SurfaceTransformFlagsKHR as Transform;

pub(crate) const TRANSFORMS: [Transform; 4] =
    [Transform::IDENTITY, Transform::ROTATE_90, Transform::ROTATE_180, Transform::ROTATE_270];
/// Pixels in x and y as shaders see them; more than a tile, and no multiples of anything.
pub(crate) const UPRIGHT: [u32; 2] = [83, 37];
pub(crate) const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
const WORDS: vk::Format = vk::Format::R32G32B32A32_UINT;
pub(crate) const DEPTHS: vk::Format = vk::Format::D32_SFLOAT;

/// The fragment's place, and how far 3 x + 5 y changes from it to its neighbours.
pub(crate) fn places() -> Shader {
    Shader::fragment(
        "%at = OpLoad %float4 %coord
         %x = OpCompositeExtract %float %at 0
         %y = OpCompositeExtract %float %at 1
         %xs = OpFMul %float %x %three
         %ys = OpFMul %float %y %five
         %sum = OpFAdd %float %xs %ys
         %dx = OpDPdx %float %sum
         %dy = OpDPdy %float %sum
         %all = OpCompositeConstruct %float4 %x %y %dx %dy
         OpStore %color %all",
    )
    .input("coord", "float4", "BuiltIn FragCoord")
    .output("color", "float4", "Location 0")
    .declare("%three = OpConstant %float 3\n%five = OpConstant %float 5")
}

/// Where the sample lies in sixteenths of a pixel.
fn sample_places() -> Shader {
    Shader::fragment(
        "%at = OpLoad %float2 %place
         %scaled = OpVectorTimesScalar %float2 %at %sixteen
         %words = OpConvertFToU %uint2 %scaled
         %x = OpCompositeExtract %uint %words 0
         %y = OpCompositeExtract %uint %words 1
         %all = OpCompositeConstruct %uint4 %x %y %x %y
         OpStore %color %all",
    )
    .capability("SampleRateShading")
    .input("place", "float2", "BuiltIn SamplePosition")
    .output("color", "uint4", "Location 0")
    .declare("%sixteen = OpConstant %float 16")
}

pub(crate) fn gpu() -> Gpu {
    let features = vk::PhysicalDeviceFeatures { sample_rate_shading: vk::TRUE, ..Default::default() };
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    client.device(&[c"VK_QCOM_render_pass_transform"], Some(&features), std::ptr::null_mut())
}

/// So many pixels in x and y, turned.
pub(crate) fn turned([width, height]: [u32; 2], transform: Transform) -> [u32; 2] {
    let is_crosswise = [Transform::ROTATE_90, Transform::ROTATE_270].contains(&transform);
    if is_crosswise { [height, width] } else { [width, height] }
}

/// Where a pixel lies in a turned attachment: clockwise, as the rotation of clip coordinates has it, whose y
/// points down.
pub(crate) fn place([x, y]: [u32; 2], transform: Transform) -> [u32; 2] {
    let [width, height] = UPRIGHT;
    match transform {
        Transform::ROTATE_90 => [height - 1 - y, x],
        Transform::ROTATE_180 => [width - 1 - x, height - 1 - y],
        Transform::ROTATE_270 => [y, width - 1 - x],
        _ => [x, y],
    }
}

/// An attachment that the host does not see.
pub(crate) struct Hidden {
    pub(crate) image: vk::Image,
    memory: vk::DeviceMemory,
    pub(crate) view: vk::ImageView,
}

impl Hidden {
    fn new(gpu: &Gpu, format: vk::Format, samples: u32, size: [u32; 2]) -> Hidden {
        Hidden::layered(gpu, format, samples, (size, 1))
    }

    /// One with so many layers.
    pub(crate) fn layered(
        gpu: &Gpu,
        format: vk::Format,
        samples: u32,
        ([width, height], layers): ([u32; 2], u32),
    ) -> Hidden {
        let is_depth = format == DEPTHS;
        let usage = match is_depth {
            true => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        let usage = usage | vk::ImageUsageFlags::TRANSFER_SRC;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::from_bits_truncate(samples))
            .usage(usage);
        unsafe {
            let image = gpu.device.create_image(&info, None).expect("an image");
            let size = gpu.device.get_image_memory_requirements(image).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = gpu.device.allocate_memory(&info, None).expect("memory");
            gpu.device.bind_image_memory(image, memory, 0).expect("bound");
            let aspect_mask =
                if is_depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(if layers == 1 { vk::ImageViewType::_2D } else { vk::ImageViewType::_2D_ARRAY })
                .format(format)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask,
                    level_count: 1,
                    layer_count: layers,
                    ..Default::default()
                });
            let view = gpu.device.create_image_view(&info, None).expect("a view");
            Hidden { image, memory, view }
        }
    }

    pub(crate) fn destroy(self, gpu: &Gpu) {
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
            gpu.device.free_memory(self.memory, None);
        }
    }
}

fn attachment(format: vk::Format, samples: u32, load: vk::AttachmentLoadOp) -> vk::AttachmentDescription {
    let is_kept = samples == 1 && format != DEPTHS;
    vk::AttachmentDescription {
        format,
        samples: vk::SampleCountFlags::from_bits_truncate(samples),
        load_op: load,
        store_op: if is_kept { vk::AttachmentStoreOp::STORE } else { vk::AttachmentStoreOp::DONT_CARE },
        stencil_load_op: vk::AttachmentLoadOp::DONT_CARE,
        stencil_store_op: vk::AttachmentStoreOp::DONT_CARE,
        initial_layout: if load == vk::AttachmentLoadOp::LOAD { GENERAL } else { vk::ImageLayout::UNDEFINED },
        final_layout: GENERAL,
        ..Default::default()
    }
}

/// A render pass of one subpass that may be turned: attachment 0 is the colour; 1 is what that is resolved
/// to, where it has several samples, or else depth.
fn pass(gpu: &Gpu, format: vk::Format, samples: u32) -> vk::RenderPass {
    let color = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
    let other = vk::AttachmentReference { attachment: 1, layout: GENERAL };
    let subpass = vk::SubpassDescription::builder().color_attachments(&color);
    let (subpass, attachments) = match samples {
        1 => {
            let depth = attachment(DEPTHS, 1, vk::AttachmentLoadOp::CLEAR);
            let color = attachment(format, 1, vk::AttachmentLoadOp::LOAD);
            (subpass.depth_stencil_attachment(&other), [color, depth])
        }
        _ => {
            let color = attachment(format, samples, vk::AttachmentLoadOp::CLEAR);
            let resolved = attachment(format, 1, vk::AttachmentLoadOp::DONT_CARE);
            (subpass.resolve_attachments(slice::from_ref(&other)), [color, resolved])
        }
    };
    let info = vk::RenderPassCreateInfo::builder()
        .flags(vk::RenderPassCreateFlags::TRANSFORM_QCOM)
        .attachments(&attachments)
        .subpasses(slice::from_ref(&subpass));
    unsafe { gpu.device.create_render_pass(&info, None).expect("a render pass") }
}

fn framebuffer(
    gpu: &Gpu,
    pass: vk::RenderPass,
    views: &[vk::ImageView],
    [width, height]: [u32; 2],
) -> vk::Framebuffer {
    let info = vk::FramebufferCreateInfo::builder()
        .render_pass(pass)
        .attachments(views)
        .width(width)
        .height(height)
        .layers(1);
    unsafe { gpu.device.create_framebuffer(&info, None).expect("a framebuffer") }
}

/// Adds colours that pass the depth test, where the first of two draws at one depth does.
fn pipeline(gpu: &Gpu, pass: vk::RenderPass, fragment: &Shader, samples: u32) -> vk::Pipeline {
    pipeline_of(gpu, pass, [VERTEX, &fragment.text()], samples, samples == 1)
}

/// The same of these shaders, with a depth test or without.
pub(crate) fn pipeline_of(
    gpu: &Gpu,
    pass: vk::RenderPass,
    shaders: [&str; 2],
    samples: u32,
    tests_depth: bool,
) -> vk::Pipeline {
    let modules = shaders.map(|text| gpu.shader_module(text));
    let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let stages = [0, 1].map(|index| {
        vk::PipelineShaderStageCreateInfo::builder()
            .stage(kinds[index])
            .module(modules[index])
            .name(b"main\0")
    });
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::builder()
        .rasterization_samples(vk::SampleCountFlags::from_bits_truncate(samples));
    let depth = vk::PipelineDepthStencilStateCreateInfo::builder()
        .depth_test_enable(tests_depth)
        .depth_write_enable(tests_depth)
        .depth_compare_op(vk::CompareOp::LESS);
    let add = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::Bool32::from(samples == 1),
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: vk::BlendFactor::ONE,
        color_write_mask: vk::ColorComponentFlags::all(),
        ..Default::default()
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&add));
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder()
        .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
    unsafe {
        let layout = gpu
            .device
            .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)
            .expect("a layout");
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .render_pass(pass);
        let made =
            gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None);
        modules.into_iter().for_each(|module| gpu.device.destroy_shader_module(module, None));
        gpu.device.destroy_pipeline_layout(layout, None);
        made.expect("a pipeline").0[0]
    }
}

/// Pixels with these ranges of x and y, which both the triangle and the scissor have.
const SCISSOR: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 10, y: 3 }, extent: vk::Extent2D { width: 61, height: 31 } };

fn is_drawn([x, y]: [u32; 2]) -> bool {
    // The lower left half of a square of 64 pixels at (4, -20), with the pixels' centres on its edge.
    let is_below = y + 20 + 4 > x;
    (10..68).contains(&x) && (3..34).contains(&y) && is_below
}

pub(crate) fn area([width, height]: [u32; 2]) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width, height } }
}

fn draw(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    (viewport, scissor): ([f32; 4], vk::Rect2D),
) {
    let [x, y, width, height] = viewport;
    let viewport = vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 };
    unsafe {
        gpu.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        gpu.device.cmd_set_viewport(commands, 0, &[viewport]);
        gpu.device.cmd_set_scissor(commands, 0, &[scissor]);
        gpu.device.cmd_draw(commands, 3, 1, 0, 0);
        gpu.device.cmd_draw(commands, 3, 1, 0, 0);
    }
}

fn begin(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    (pass, framebuffer): (vk::RenderPass, vk::Framebuffer),
    (area, transform): (vk::Rect2D, Transform),
    contents: vk::SubpassContents,
) {
    let mut turned = vk::RenderPassTransformBeginInfoQCOM { transform, ..Default::default() };
    let clears = [
        vk::ClearValue { color: vk::ClearColorValue { uint32: [99; 4] } },
        vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } },
    ];
    let mut info = vk::RenderPassBeginInfo::builder()
        .render_pass(pass)
        .framebuffer(framebuffer)
        .render_area(area)
        .clear_values(&clears);
    info.next = (&raw mut turned).cast();
    unsafe { gpu.device.cmd_begin_render_pass(commands, &info, contents) };
}

/// What the attachment has at a pixel before the render pass.
fn old([x, y]: [u32; 2]) -> [f32; 4] {
    [x as f32, 1000.0, y as f32, 7.0]
}

/// Pixels are where the rotation puts them, with the values of the upright picture, added to what was there;
/// in a secondary command buffer too.
#[test]
fn pictures_are_turned() {
    let gpu = gpu();
    let pass = pass(&gpu, FLOATS, 1);
    let pipeline = pipeline(&gpu, pass, &places(), 1);
    for (transform, is_secondary) in TRANSFORMS
        .into_iter()
        .zip([false, true].into_iter().cycle())
        .chain([(Transform::ROTATE_90, true), (Transform::ROTATE_180, true)])
    {
        let size = turned(UPRIGHT, transform);
        // Attachments may be larger than the framebuffer.
        let color =
            LinearImage::new(&gpu, FLOATS, [size[0] + 3, size[1] + 1], vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let depth = Hidden::new(&gpu, DEPTHS, 1, size);
        let all = || (0..UPRIGHT[1]).flat_map(|y| (0..UPRIGHT[0]).map(move |x| [x, y]));
        for at in all() {
            let [x, y] = place(at, transform);
            let bytes = old(at).map(f32::to_ne_bytes).concat();
            color.put::<16>(x, y, bytes.try_into().expect("16 bytes"));
        }
        let framebuffer = framebuffer(&gpu, pass, &[color.view, depth.view], size);
        let secondary = is_secondary.then(|| secondary(&gpu, pass, transform, area(UPRIGHT), pipeline));
        gpu.run(|commands| unsafe {
            let contents = match secondary {
                Some(_) => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
                None => vk::SubpassContents::INLINE,
            };
            begin(&gpu, commands, (pass, framebuffer), (area(UPRIGHT), transform), contents);
            match secondary {
                Some(secondary) => gpu.device.cmd_execute_commands(commands, &[secondary]),
                None => draw(&gpu, commands, pipeline, (SQUARE, SCISSOR)),
            }
            gpu.device.cmd_end_render_pass(commands);
        });
        for at in all() {
            let [x, y] = place(at, transform);
            let bytes: [u8; 16] = color.texel(x, y, 16);
            let found: [f32; 4] = std::array::from_fn(|index| {
                f32::from_ne_bytes(bytes[4 * index..][..4].try_into().expect("4 bytes"))
            });
            let new = match is_drawn(at) {
                true => [at[0] as f32 + 0.5, at[1] as f32 + 0.5, 3.0, 5.0],
                false => [0.0; 4],
            };
            let expected: [f32; 4] = std::array::from_fn(|index| old(at)[index] + new[index]);
            assert_eq!(found, expected, "{transform:?}, pixel {at:?}");
        }
        unsafe { gpu.device.destroy_framebuffer(framebuffer, None) };
        depth.destroy(&gpu);
        color.destroy(&gpu);
    }
    unsafe {
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_render_pass(pass, None);
    }
}

/// The viewport of the triangle.
const SQUARE: [f32; 4] = [4.0, -20.0, 64.0, 64.0];

/// A secondary command buffer that draws within a turned render pass.
fn secondary(
    gpu: &Gpu,
    pass: vk::RenderPass,
    transform: Transform,
    render_area: vk::Rect2D,
    pipeline: vk::Pipeline,
) -> vk::CommandBuffer {
    let info = vk::CommandBufferAllocateInfo::builder()
        .command_pool(gpu.pool)
        .level(vk::CommandBufferLevel::SECONDARY)
        .command_buffer_count(1);
    let mut turned = vk::CommandBufferInheritanceRenderPassTransformInfoQCOM {
        transform,
        render_area,
        ..Default::default()
    };
    let mut inherited = vk::CommandBufferInheritanceInfo::builder().render_pass(pass);
    inherited.next = (&raw mut turned).cast();
    let begin = vk::CommandBufferBeginInfo::builder()
        .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
        .inheritance_info(&inherited);
    unsafe {
        let commands = gpu.device.allocate_command_buffers(&info).expect("a command buffer")[0];
        gpu.device.begin_command_buffer(commands, &begin).expect("begun");
        draw(gpu, commands, pipeline, (SQUARE, SCISSOR));
        gpu.device.end_command_buffer(commands).expect("ended");
        commands
    }
}

/// The first sample lies in the attachment where it always does, so it is elsewhere in what is drawn; what
/// is resolved is turned.
#[test]
fn samples_are_turned() {
    let gpu = gpu();
    for (samples, first) in [(4, [6, 2]), (8, [9, 5])] {
        let pass = pass(&gpu, WORDS, samples);
        let pipeline = pipeline(&gpu, pass, &sample_places(), samples);
        for transform in TRANSFORMS {
            let size = turned(UPRIGHT, transform);
            let color = Hidden::new(&gpu, WORDS, samples, size);
            let resolved = LinearImage::new(&gpu, WORDS, size, vk::ImageUsageFlags::COLOR_ATTACHMENT);
            let framebuffer = framebuffer(&gpu, pass, &[color.view, resolved.view], size);
            gpu.run(|commands| unsafe {
                let inline = vk::SubpassContents::INLINE;
                begin(&gpu, commands, (pass, framebuffer), (area(UPRIGHT), transform), inline);
                draw(&gpu, commands, pipeline, ([0.0, -400.0, 500.0, 500.0], SCISSOR));
                gpu.device.cmd_end_render_pass(commands);
            });
            let [x, y] = first;
            let expected = match transform {
                Transform::ROTATE_90 => [y, 16 - x],
                Transform::ROTATE_180 => [16 - x, 16 - y],
                Transform::ROTATE_270 => [16 - y, x],
                _ => first,
            };
            for (at, is_inside) in [([10, 3], true), ([70, 33], true), ([9, 3], false), ([10, 34], false)] {
                let [x, y] = place(at, transform);
                let bytes: [u8; 8] = resolved.texel(x, y, 16);
                let found = [0, 4].map(|from| u32::from_ne_bytes(bytes[from..][..4].try_into().expect("4")));
                let expected = if is_inside { expected } else { [99; 2] };
                assert_eq!(found, expected, "{samples} samples, {transform:?}, pixel {at:?}");
            }
            unsafe { gpu.device.destroy_framebuffer(framebuffer, None) };
            color.destroy(&gpu);
            resolved.destroy(&gpu);
        }
        unsafe {
            gpu.device.destroy_pipeline(pipeline, None);
            gpu.device.destroy_render_pass(pass, None);
        }
    }
}

/// Render areas that are not the turned framebuffer, transforms that are no rotations, and secondary command
/// buffers that inherit others, are errors when the recording ends.
#[test]
fn wrong_transforms_are_refused() {
    let gpu = gpu();
    let pass = pass(&gpu, FLOATS, 1);
    let pipeline = pipeline(&gpu, pass, &places(), 1);
    let size = turned(UPRIGHT, Transform::ROTATE_90);
    let color = LinearImage::new(&gpu, FLOATS, size, vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let depth = Hidden::new(&gpu, DEPTHS, 1, size);
    let framebuffer = framebuffer(&gpu, pass, &[color.view, depth.view], size);
    let moved = vk::Rect2D { offset: vk::Offset2D { x: 1, y: 0 }, ..area(UPRIGHT) };
    let mirror = Transform::HORIZONTAL_MIRROR;
    let right = (Transform::ROTATE_90, area(UPRIGHT));
    for (transform, render_area, inherited, is_fine) in [
        (right.0, right.1, right, true),
        (right.0, area(size), right, false),
        (right.0, moved, right, false),
        (mirror, right.1, right, false),
        (Transform::IDENTITY, area(UPRIGHT), right, false),
        (Transform::IDENTITY, area(size), (Transform::IDENTITY, area(size)), true),
        (right.0, right.1, (Transform::ROTATE_270, right.1), false),
        (right.0, right.1, (right.0, area(size)), false),
    ] {
        let secondary = secondary(&gpu, pass, inherited.0, inherited.1, pipeline);
        let commands = gpu.command_buffer();
        unsafe {
            gpu.device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
            let contents = vk::SubpassContents::SECONDARY_COMMAND_BUFFERS;
            begin(&gpu, commands, (pass, framebuffer), (render_area, transform), contents);
            gpu.device.cmd_execute_commands(commands, &[secondary]);
            gpu.device.cmd_end_render_pass(commands);
            let ended = gpu.device.end_command_buffer(commands);
            assert_eq!(ended.is_ok(), is_fine, "{transform:?} {render_area:?} {inherited:?}");
        }
    }
    // Input attachments cannot be turned.
    let reference = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
    let subpass = vk::SubpassDescription::builder().input_attachments(&reference);
    let attachments = [attachment(FLOATS, 1, vk::AttachmentLoadOp::LOAD)];
    for (flags, is_fine) in
        [(vk::RenderPassCreateFlags::empty(), true), (vk::RenderPassCreateFlags::TRANSFORM_QCOM, false)]
    {
        let info = vk::RenderPassCreateInfo::builder()
            .flags(flags)
            .attachments(&attachments)
            .subpasses(slice::from_ref(&subpass));
        let made = unsafe { gpu.device.create_render_pass(&info, None) };
        assert_eq!(made.is_ok(), is_fine, "{flags:?}");
        made.into_iter().for_each(|pass| unsafe { gpu.device.destroy_render_pass(pass, None) });
    }
    unsafe {
        gpu.device.destroy_framebuffer(framebuffer, None);
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_render_pass(pass, None);
    }
    depth.destroy(&gpu);
    color.destroy(&gpu);
}
