//! Features of render passes and of what is drawn in them: framebuffers without images, layouts of one
//! aspect, numbers of samples, attachments that are not there, conditions around secondary command buffers.

mod ordered;
mod resolves;
mod tile_depths;
mod unused;

use pyro_shadertext::Shader;
use pyro_test_kit::graphics::{FRAGMENT, GENERAL, SIZE, VERTEX, area};
use pyro_test_kit::{Client, Gpu};
use std::ffi::c_void;
use std::ptr::from_mut;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtConditionalRenderingExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT_S8_UINT;

/// A device of version 1.3 with dynamic rendering, and a chain of further features.
fn device(extensions: &[&std::ffi::CStr], next: *mut c_void) -> Gpu {
    let features = vk::PhysicalDeviceFeatures {
        variable_multisample_rate: vk::TRUE,
        occlusion_query_precise: vk::TRUE,
        fragment_stores_and_atomics: vk::TRUE,
        ..Default::default()
    };
    let mut dynamic = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
    dynamic.next = next;
    Client::new(V1_3, &[]).device(extensions, Some(&features), from_mut(&mut dynamic).cast())
}

/// An image of the size of [`area`], and a view of all of it.
struct Target {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    info: vk::ImageCreateInfo,
}

impl Target {
    fn new(gpu: &Gpu, format: vk::Format) -> Target {
        Target::with_samples(gpu, format, vk::SampleCountFlags::_1)
    }

    fn with_samples(gpu: &Gpu, format: vk::Format, samples: vk::SampleCountFlags) -> Target {
        let usage = match format {
            DEPTH => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            _ => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        let info = vk::ImageCreateInfo {
            image_type: vk::ImageType::_2D,
            format,
            extent: vk::Extent3D { width: SIZE, height: SIZE, depth: 1 },
            mip_levels: 1,
            array_layers: 1,
            samples,
            usage: usage
                | vk::ImageUsageFlags::INPUT_ATTACHMENT
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST,
            ..Default::default()
        };
        unsafe {
            let image = gpu.device.create_image(&info, None).expect("an image");
            let (memory, _) = gpu.mapped_memory(gpu.device.get_image_memory_requirements(image));
            gpu.device.bind_image_memory(image, memory, 0).expect("bound");
            let mut target = Target { image, memory, view: vk::ImageView::null(), info };
            let aspects = if format == DEPTH { both() } else { vk::ImageAspectFlags::COLOR };
            target.view = target.view_of(gpu, aspects);
            target
        }
    }

    /// A view of these aspects.
    fn view_of(&self, gpu: &Gpu, aspect_mask: vk::ImageAspectFlags) -> vk::ImageView {
        let range =
            vk::ImageSubresourceRange { aspect_mask, level_count: 1, layer_count: 1, ..Default::default() };
        let info = vk::ImageViewCreateInfo::builder()
            .image(self.image)
            .view_type(vk::ImageViewType::_2D)
            .format(self.info.format)
            .subresource_range(range);
        unsafe { gpu.device.create_image_view(&info, None) }.expect("a view")
    }

    /// The bytes of one aspect of all texels.
    fn bytes(&self, gpu: &Gpu, aspect_mask: vk::ImageAspectFlags) -> Vec<u8> {
        let bytes = SIZE as usize * SIZE as usize;
        let bytes = if aspect_mask == vk::ImageAspectFlags::STENCIL { bytes } else { 4 * bytes };
        let (buffer, memory, address) = gpu.mapped_buffer(bytes as u64, vk::BufferUsageFlags::TRANSFER_DST);
        let region = vk::BufferImageCopy::builder()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask,
                layer_count: 1,
                ..Default::default()
            })
            .image_extent(self.info.extent);
        gpu.run(|commands| unsafe {
            gpu.device.cmd_copy_image_to_buffer(commands, self.image, GENERAL, buffer, &[region]);
        });
        let found = (0..bytes).map(|at| unsafe { address.add(at).read_volatile() }).collect();
        unsafe {
            gpu.device.destroy_buffer(buffer, None);
            gpu.device.free_memory(memory, None);
        }
        found
    }

    /// The first byte of the texel in the corner that [`VERTEX`] draws to, and in the other one.
    fn corners(&self, gpu: &Gpu) -> [u8; 2] {
        let bytes = self.bytes(gpu, vk::ImageAspectFlags::COLOR);
        let side = SIZE as usize;
        [bytes[4 * side * (side - 1)], bytes[4 * (side - 1)]]
    }

    fn destroy(self, gpu: &Gpu) {
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
            gpu.device.free_memory(self.memory, None);
        }
    }
}

fn both() -> vk::ImageAspectFlags {
    vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
}

/// What a pipeline of [`VERTEX`] is made with; all else is usual.
struct Plan<'a> {
    fragment: &'a str,
    sets: &'a [vk::DescriptorSetLayout],
    /// Colour attachments, with dynamic rendering or in the pass.
    colors: &'a [vk::Format],
    depth: vk::Format,
    pass: vk::RenderPass,
    samples: vk::SampleCountFlags,
    mask: u32,
    tests: vk::PipelineDepthStencilStateCreateInfo,
    blend_flags: vk::PipelineColorBlendStateCreateFlags,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Plan {
            fragment: FRAGMENT,
            sets: &[],
            colors: &[COLOR],
            depth: vk::Format::UNDEFINED,
            pass: vk::RenderPass::null(),
            samples: vk::SampleCountFlags::_1,
            mask: u32::MAX,
            tests: vk::PipelineDepthStencilStateCreateInfo::default(),
            blend_flags: vk::PipelineColorBlendStateCreateFlags::empty(),
        }
    }
}

/// A pipeline and its layout, which has a colour as its push constant.
fn pipeline(gpu: &Gpu, plan: &Plan<'_>) -> (vk::Pipeline, vk::PipelineLayout) {
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
    let info = vk::PipelineLayoutCreateInfo::builder()
        .set_layouts(plan.sets)
        .push_constant_ranges(slice::from_ref(&range));
    let layout = unsafe { gpu.device.create_pipeline_layout(&info, None) }.expect("a layout");
    let modules = [gpu.shader_module(VERTEX), gpu.shader_module(plan.fragment)];
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let side = SIZE as f32;
    let viewport = vk::Viewport { width: side, height: side, max_depth: 1.0, ..Default::default() };
    let area = area();
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&viewport))
        .scissors(slice::from_ref(&area));
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::builder()
        .rasterization_samples(plan.samples)
        .sample_mask(slice::from_ref(&plan.mask));
    let blends: Vec<_> = plan
        .colors
        .iter()
        .map(|_| vk::PipelineColorBlendAttachmentState {
            color_write_mask: vk::ColorComponentFlags::all(),
            ..Default::default()
        })
        .collect();
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().flags(plan.blend_flags).attachments(&blends);
    let mut rendering = vk::PipelineRenderingCreateInfo::builder()
        .color_attachment_formats(plan.colors)
        .depth_attachment_format(plan.depth)
        .stencil_attachment_format(plan.depth);
    let info = vk::GraphicsPipelineCreateInfo::builder()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewports)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&plan.tests)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(plan.pass)
        .push_next(&mut rendering);
    unsafe {
        let null = vk::PipelineCache::null();
        let made = gpu.device.create_graphics_pipelines(null, slice::from_ref(&info), None);
        gpu.destroy_modules(modules.into());
        (made.expect("a pipeline").0[0], layout)
    }
}

fn destroy(gpu: &Gpu, made: impl IntoIterator<Item = (vk::Pipeline, vk::PipelineLayout)>) {
    for (pipeline, layout) in made {
        unsafe {
            gpu.device.destroy_pipeline(pipeline, None);
            gpu.device.destroy_pipeline_layout(layout, None);
        }
    }
}

/// Draws [`VERTEX`] in a colour.
unsafe fn draw(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
    color: [f32; 4],
) {
    let bytes: Vec<u8> = color.iter().flat_map(|value| value.to_ne_bytes()).collect();
    unsafe {
        gpu.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        gpu.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
        gpu.device.cmd_draw(commands, 3, 1, 0, 0);
    }
}

/// A set of images of this type, one for each binding, its layout and its pool.
unsafe fn set_of(
    gpu: &Gpu,
    ty: vk::DescriptorType,
    views: &[vk::ImageView],
) -> (vk::DescriptorSet, vk::DescriptorSetLayout, vk::DescriptorPool) {
    let count = views.len() as u32;
    let bindings: Vec<_> = (0..count)
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::builder()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)
        })
        .collect();
    let size = vk::DescriptorPoolSize { type_: ty, descriptor_count: count };
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
        let layout = gpu.device.create_descriptor_set_layout(&info, None).expect("a set layout");
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
        let pool = gpu.device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&layout));
        let set = gpu.device.allocate_descriptor_sets(&info).expect("a set")[0];
        for (binding, &image_view) in (0..).zip(views) {
            let info = vk::DescriptorImageInfo { image_view, image_layout: GENERAL, ..Default::default() };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(ty)
                .image_info(slice::from_ref(&info));
            gpu.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        }
        (set, layout, pool)
    }
}

fn attachment(view: vk::ImageView) -> vk::RenderingAttachmentInfo {
    vk::RenderingAttachmentInfo {
        image_view: view,
        image_layout: GENERAL,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        ..Default::default()
    }
}

/// A pass with a colour, depths that are only read, and a stencil that is written.
fn pass_of_aspects(gpu: &Gpu) -> vk::RenderPass {
    let keep = vk::AttachmentDescription2::builder()
        .samples(vk::SampleCountFlags::_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::CLEAR)
        .stencil_store_op(vk::AttachmentStoreOp::STORE);
    let mut of_stencil = vk::AttachmentDescriptionStencilLayout::builder()
        .stencil_initial_layout(vk::ImageLayout::UNDEFINED)
        .stencil_final_layout(vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL);
    let descriptions = [
        keep.format(COLOR).final_layout(GENERAL),
        keep.format(DEPTH).final_layout(vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL).push_next(&mut of_stencil),
    ];
    let mut stencil_reference = vk::AttachmentReferenceStencilLayout::builder()
        .stencil_layout(vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL);
    let color_reference = vk::AttachmentReference2::builder()
        .attachment(0)
        .layout(GENERAL)
        .aspect_mask(vk::ImageAspectFlags::COLOR);
    let depth_reference = vk::AttachmentReference2::builder()
        .attachment(1)
        .layout(vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL)
        .aspect_mask(both())
        .push_next(&mut stencil_reference);
    let subpass = vk::SubpassDescription2::builder()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(slice::from_ref(&color_reference))
        .depth_stencil_attachment(&depth_reference);
    let info =
        vk::RenderPassCreateInfo2::builder().attachments(&descriptions).subpasses(slice::from_ref(&subpass));
    unsafe { gpu.device.create_render_pass2(&info, None) }.expect("a pass")
}

/// A framebuffer that knows only what its images are like takes them with the pass, another one each time; of
/// an image of depth and stencil, the aspects have layouts of their own: one is only read, the other written.
#[test]
fn framebuffers_take_their_images_with_the_pass() {
    let mut features = vk::PhysicalDeviceVulkan12Features::builder()
        .imageless_framebuffer(true)
        .separate_depth_stencil_layouts(true);
    let gpu = device(&[], from_mut(&mut features).cast());
    let device = &gpu.device;
    let colors = [(); 2].map(|()| Target::new(&gpu, COLOR));
    let depth = Target::new(&gpu, DEPTH);
    unsafe {
        let pass = pass_of_aspects(&gpu);
        let (formats, like_color) = ([COLOR], colors[0].info);
        let depth_formats = [DEPTH];
        let images = [
            vk::FramebufferAttachmentImageInfo::builder()
                .usage(like_color.usage)
                .width(SIZE)
                .height(SIZE)
                .layer_count(1)
                .view_formats(&formats),
            vk::FramebufferAttachmentImageInfo::builder()
                .usage(depth.info.usage)
                .width(SIZE)
                .height(SIZE)
                .layer_count(1)
                .view_formats(&depth_formats),
        ];
        let mut images = vk::FramebufferAttachmentsCreateInfo::builder().attachment_image_infos(&images);
        let mut info = vk::FramebufferCreateInfo::builder()
            .flags(vk::FramebufferCreateFlags::IMAGELESS)
            .render_pass(pass)
            .width(SIZE)
            .height(SIZE)
            .layers(1)
            .push_next(&mut images)
            .build();
        info.attachment_count = 2;
        let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
        let face = vk::StencilOpState {
            pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
            compare_op: vk::CompareOp::ALWAYS,
            compare_mask: 0xff,
            write_mask: 0xff,
            ..Default::default()
        };
        // What the vertex shader draws has the depth 0, and depths are cleared to a half.
        let tests = vk::PipelineDepthStencilStateCreateInfo {
            depth_test_enable: vk::TRUE,
            depth_compare_op: vk::CompareOp::LESS,
            stencil_test_enable: vk::TRUE,
            front: face,
            back: face,
            ..Default::default()
        };
        let made = pipeline(&gpu, &Plan { pass, depth: DEPTH, tests, ..Plan::default() });
        for (number, color) in (1u8..).zip(&colors) {
            let clears = [
                vk::ClearValue::default(),
                vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 0.5, stencil: 8 } },
            ];
            let views = [color.view, depth.view];
            let mut begin_views = vk::RenderPassAttachmentBeginInfo::builder().attachments(&views);
            let begin = vk::RenderPassBeginInfo::builder()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area())
                .clear_values(&clears)
                .push_next(&mut begin_views);
            gpu.run(|commands| {
                device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                draw(&gpu, commands, made, [f32::from(number) / 255.0, 0.0, 0.0, 1.0]);
                device.cmd_end_render_pass(commands);
            });
            assert_eq!(color.corners(&gpu), [number, 0]);
            let stencil = depth.bytes(&gpu, vk::ImageAspectFlags::STENCIL);
            assert!(stencil.contains(&9) && stencil.contains(&8));
            let depths = depth.bytes(&gpu, vk::ImageAspectFlags::DEPTH);
            assert!(depths.chunks(4).all(|depth| depth == 0.5f32.to_ne_bytes()));
        }
        assert_eq!(colors[0].corners(&gpu), [1, 0]);
        destroy(&gpu, [made]);
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
    }
    colors.into_iter().for_each(|color| color.destroy(&gpu));
    depth.destroy(&gpu);
}

/// Where there are no attachments, pipelines of one subpass may have different numbers of samples.
#[test]
fn samples_vary_where_there_are_no_attachments() {
    let gpu = device(&[], std::ptr::null_mut());
    let device = &gpu.device;
    let counts = [vk::SampleCountFlags::_1, vk::SampleCountFlags::_4, vk::SampleCountFlags::_16];
    let subpass = vk::SubpassDescription::builder().pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS);
    let info = vk::RenderPassCreateInfo::builder().subpasses(slice::from_ref(&subpass));
    unsafe {
        let pass = device.create_render_pass(&info, None).expect("a pass");
        let info = vk::FramebufferCreateInfo::builder().render_pass(pass).width(SIZE).height(SIZE).layers(1);
        let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = device.create_query_pool(&info, None).expect("queries");
        let begin =
            vk::RenderPassBeginInfo::builder().render_pass(pass).framebuffer(framebuffer).render_area(area());
        let counted = |pipelines: &[(vk::Pipeline, vk::PipelineLayout)]| {
            gpu.run(|commands| {
                device.cmd_reset_query_pool(commands, queries, 0, 1);
                device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                device.cmd_begin_query(commands, queries, 0, vk::QueryControlFlags::PRECISE);
                pipelines.iter().for_each(|&made| draw(&gpu, commands, made, [0.0; 4]));
                device.cmd_end_query(commands, queries, 0);
                device.cmd_end_render_pass(commands);
            });
            let mut found = [0; 8];
            let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
            device.get_query_pool_results(queries, 0, 1, &mut found, 8, flags).expect("a count");
            u64::from_ne_bytes(found)
        };
        let made =
            counts.map(|samples| pipeline(&gpu, &Plan { pass, colors: &[], samples, ..Plan::default() }));
        let alone = made.map(|one| counted(&[one]));
        // The edge runs through the pixels of the diagonal.
        let whole = u64::from(SIZE * (SIZE - 1) / 2);
        for (samples, alone) in [1, 4, 16].into_iter().zip(alone) {
            assert!((samples * whole..=samples * (whole + u64::from(SIZE))).contains(&alone), "{alone}");
        }
        assert_eq!(counted(&made), alone.iter().sum::<u64>());
        destroy(&gpu, made);
        device.destroy_query_pool(queries, None);
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
    }
}

/// The first pushed number as depth.
fn depth_of_push() -> String {
    Shader::fragment(
        "%place = OpAccessChain %push_float %constants %int_0
        %value = OpLoad %float %place
        OpStore %depth %value",
    )
    .mode("DepthReplacing")
    .output("depth", "float", "BuiltIn FragDepth")
    .decorate("OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0")
    .declare(
        "%float = OpTypeFloat 32
        %block = OpTypeStruct %float
        %push_block = OpTypePointer PushConstant %block
        %constants = OpVariable %push_block PushConstant",
    )
    .text()
}

/// Depths of shaders outside of [0, 1] are clamped to it where nothing says otherwise.
#[test]
fn depths_are_clamped_to_zero_and_one() {
    let mut features = vk::PhysicalDeviceDepthClampZeroOneFeaturesKHR::builder().depth_clamp_zero_one(true);
    let gpu = device(&[c"VK_KHR_depth_clamp_zero_one"], from_mut(&mut features).cast());
    let target = Target::new(&gpu, DEPTH);
    let fragment = depth_of_push();
    let tests = vk::PipelineDepthStencilStateCreateInfo {
        depth_test_enable: vk::TRUE,
        depth_write_enable: vk::TRUE,
        depth_compare_op: vk::CompareOp::ALWAYS,
        ..Default::default()
    };
    let made =
        pipeline(&gpu, &Plan { fragment: &fragment, colors: &[], depth: DEPTH, tests, ..Plan::default() });
    for (written, expected) in [(1.5, 1.0), (-0.5, 0.0), (0.25, 0.25)] {
        let depth = attachment(target.view);
        let info = vk::RenderingInfo::builder().render_area(area()).layer_count(1).depth_attachment(&depth);
        gpu.run(|commands| unsafe {
            gpu.device.cmd_begin_rendering(commands, &info);
            draw(&gpu, commands, made, [written, 0.0, 0.0, 0.0]);
            gpu.device.cmd_end_rendering(commands);
        });
        let bytes = target.bytes(&gpu, vk::ImageAspectFlags::DEPTH);
        let at = 4 * (SIZE * (SIZE - 1)) as usize;
        assert_eq!(f32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four")), expected);
    }
    destroy(&gpu, [made]);
    target.destroy(&gpu);
}

/// A condition of the primary command buffer holds in secondary ones that say so.
#[test]
fn secondary_command_buffers_inherit_the_condition() {
    let mut features = vk::PhysicalDeviceConditionalRenderingFeaturesEXT::builder()
        .conditional_rendering(true)
        .inherited_conditional_rendering(true);
    let gpu = device(&[c"VK_EXT_conditional_rendering"], from_mut(&mut features).cast());
    let device = &gpu.device;
    let target = Target::new(&gpu, COLOR);
    let made = pipeline(&gpu, &Plan::default());
    let (buffer, memory, address) = gpu.mapped_buffer(8, vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT);
    unsafe {
        address.cast::<u64>().write_volatile(7 << 32);
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(gpu.pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        let secondary = device.allocate_command_buffers(&info).expect("a command buffer");
        let mut condition = vk::CommandBufferInheritanceConditionalRenderingInfoEXT::builder()
            .conditional_rendering_enable(true);
        let formats = [COLOR];
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::builder()
            .color_attachment_formats(&formats)
            .rasterization_samples(vk::SampleCountFlags::_1);
        let inheritance =
            vk::CommandBufferInheritanceInfo::builder().push_next(&mut condition).push_next(&mut rendering);
        let begin = vk::CommandBufferBeginInfo::builder()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inheritance);
        device.begin_command_buffer(secondary[0], &begin).expect("begins");
        draw(&gpu, secondary[0], made, [1.0; 4]);
        device.end_command_buffer(secondary[0]).expect("ends");
        for (offset, is_drawn) in [(Some(0), false), (Some(4), true), (None, true)] {
            gpu.run(|commands| {
                if let Some(offset) = offset {
                    let info = vk::ConditionalRenderingBeginInfoEXT::builder().buffer(buffer).offset(offset);
                    device.cmd_begin_conditional_rendering_ext(commands, &info);
                }
                let color = attachment(target.view);
                let info = vk::RenderingInfo::builder()
                    .flags(vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS)
                    .render_area(area())
                    .layer_count(1)
                    .color_attachments(slice::from_ref(&color));
                device.cmd_begin_rendering(commands, &info);
                device.cmd_execute_commands(commands, &secondary);
                device.cmd_end_rendering(commands);
                if offset.is_some() {
                    device.cmd_end_conditional_rendering_ext(commands);
                }
            });
            assert_eq!(target.corners(&gpu), [if is_drawn { 255 } else { 0 }, 0], "{offset:?}");
        }
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
    }
    destroy(&gpu, [made]);
    target.destroy(&gpu);
}
