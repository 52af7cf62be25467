//! Images with sparse residency as attachments: all that is bound is as in an image that is not sparse.
#![cfg(any(target_os = "linux", windows))] // where pages of memory can be mapped a second time

use pyro_test_kit::graphics::{FRAGMENT, VERTEX};
use pyro_test_kit::{Client, Gpu};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const BLOCK: u64 = 64 << 10;
/// Two tiles by two, those below being cut off.
const SIZE: [u32; 2] = [256, 200];
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;

/// The input attachment's texel and the push constant, added.
const ADD: &str = "
               OpCapability Shader
               OpCapability InputAttachment
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"main\" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %input DescriptorSet 0
               OpDecorate %input Binding 0
               OpDecorate %input InputAttachmentIndex 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %vec4 = OpTypeVector %float 4
      %ivec2 = OpTypeVector %int 2
      %block = OpTypeStruct %vec4
      %image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
  %out_vec4  = OpTypePointer Output %vec4
 %push_block = OpTypePointer PushConstant %block
  %push_vec4 = OpTypePointer PushConstant %vec4
  %image_ptr = OpTypePointer UniformConstant %image
      %color = OpVariable %out_vec4 Output
       %push = OpVariable %push_block PushConstant
      %input = OpVariable %image_ptr UniformConstant
      %int_0 = OpConstant %int 0
       %zero = OpConstantComposite %ivec2 %int_0 %int_0
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %pointer = OpAccessChain %push_vec4 %push %int_0
      %value = OpLoad %vec4 %pointer
     %loaded = OpLoad %image %input
      %texel = OpImageRead %vec4 %loaded %zero
        %sum = OpFAdd %vec4 %texel %value
               OpStore %color %sum
               OpReturn
               OpFunctionEnd";

fn gpu() -> Gpu {
    let features = vk::PhysicalDeviceFeatures {
        sparse_binding: vk::TRUE,
        sparse_residency_image_2d: vk::TRUE,
        sparse_residency_image_3d: vk::TRUE,
        ..Default::default()
    };
    let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
    Client::new(vk::make_version(1, 3, 0), &[]).device(&[], Some(&features), (&raw mut dynamic).cast())
}

fn range(level_count: u32, base_array_layer: u32, layer_count: u32) -> vk::ImageSubresourceRange {
    let aspect_mask = vk::ImageAspectFlags::COLOR;
    vk::ImageSubresourceRange { aspect_mask, base_mip_level: 0, level_count, base_array_layer, layer_count }
}

/// An image of two levels and two layers, of whose second layer two tiles are bound if it is sparse, and a
/// view of that layer's first level.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
}

impl Target {
    fn new(gpu: &Gpu, sparse: bool) -> Target {
        let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
        let info = vk::ImageCreateInfo::builder()
            .flags(if sparse { flags } else { vk::ImageCreateFlags::empty() })
            .image_type(vk::ImageType::_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 })
            .mip_levels(2)
            .array_layers(2)
            .samples(vk::SampleCountFlags::_1)
            .usage(
                vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::COLOR_ATTACHMENT
                    | vk::ImageUsageFlags::INPUT_ATTACHMENT
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST,
            );
        let device = &gpu.device;
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocate, None).expect("memory");
            if sparse {
                bind_tiles(gpu, image, memory);
            } else {
                device.bind_image_memory(image, memory, 0).expect("bound");
            }
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(FORMAT)
                .subresource_range(range(1, 1, 1));
            let view = device.create_image_view(&info, None).expect("a view");
            Target { image, view, memory }
        }
    }

    /// Clears all of it.
    fn clear(&self, gpu: &Gpu) {
        let color = vk::ClearColorValue { float32: [0.2, 0.4, 0.6, 0.8] };
        gpu.run(|commands| unsafe {
            gpu.device.cmd_clear_color_image(commands, self.image, GENERAL, &color, &[range(2, 0, 2)]);
        });
    }

    /// The texels that the view shows.
    fn texels(&self, gpu: &Gpu) -> Vec<u32> {
        let count = (SIZE[0] * SIZE[1]) as usize;
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let (buffer, memory, address) = gpu.mapped_buffer(4 * count as u64, usage);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 1,
                layer_count: 1,
            },
            image_extent: vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 },
            ..Default::default()
        };
        gpu.run(|commands| unsafe {
            gpu.device.cmd_copy_image_to_buffer(commands, self.image, GENERAL, buffer, &[region]);
        });
        unsafe {
            let texels = slice::from_raw_parts(address.cast::<u32>(), count).to_vec();
            gpu.device.destroy_buffer(buffer, None);
            gpu.device.free_memory(memory, None);
            texels
        }
    }

    fn destroy(self, gpu: &Gpu) {
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
            gpu.device.free_memory(self.memory, None);
        }
    }
}

/// Whether the sparse images have memory there.
fn is_bound(x: u32, y: u32) -> bool {
    (x >= 128) != (y >= 128)
}

fn bind_tiles(gpu: &Gpu, image: vk::Image, memory: vk::DeviceMemory) {
    let tile = |x, y, height, place| vk::SparseImageMemoryBind {
        subresource: vk::ImageSubresource {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            array_layer: 1,
        },
        offset: vk::Offset3D { x, y, z: 0 },
        extent: vk::Extent3D { width: 128, height, depth: 1 },
        memory,
        memory_offset: place * BLOCK,
        ..Default::default()
    };
    let binds = [tile(128, 0, 128, 1), tile(0, 128, 72, 0)];
    let regions = vk::SparseImageMemoryBindInfo::builder().image(image).binds(&binds);
    let info = vk::BindSparseInfo::builder().image_binds(slice::from_ref(&regions));
    unsafe {
        gpu.device.queue_bind_sparse(gpu.queue, &[info], vk::Fence::null()).expect("submitted");
        gpu.device.queue_wait_idle(gpu.queue).expect("idle");
    }
}

/// Both images hold the same where the sparse one is bound, which is not all one colour; elsewhere it holds
/// zeros.
fn compare(gpu: &Gpu, sparse: &Target, plain: &Target, least_colors: usize) {
    let (got, expected) = (sparse.texels(gpu), plain.texels(gpu));
    let mut colors = std::collections::BTreeSet::new();
    for (index, (&got, &expected)) in got.iter().zip(&expected).enumerate() {
        let (x, y) = (index as u32 % SIZE[0], index as u32 / SIZE[0]);
        if is_bound(x, y) {
            assert_eq!(got, expected, "at {x}, {y}");
            colors.insert(got);
        } else if cfg!(target_arch = "x86_64") {
            assert_eq!(got, 0, "at {x}, {y}");
        }
    }
    assert!(colors.len() >= least_colors, "{} colours", colors.len());
}

/// A pipeline that draws the lower left half of the target, adding to what is there if `blends`.
fn pipeline(
    gpu: &Gpu,
    fragment: &str,
    layout: vk::PipelineLayout,
    pass: Option<(vk::RenderPass, u32)>,
    blends: bool,
) -> vk::Pipeline {
    let modules = [gpu.shader_module(VERTEX), gpu.shader_module(fragment)];
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let [width, height] = SIZE.map(|size| size as f32);
    let viewport = vk::Viewport { width, height, max_depth: 1.0, ..Default::default() };
    let area = area();
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&viewport))
        .scissors(slice::from_ref(&area));
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let blend = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::all(),
        blend_enable: blends.into(),
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        ..Default::default()
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
    let mut rendering =
        vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(slice::from_ref(&FORMAT));
    let (pass, subpass) = pass.unwrap_or_default();
    let info = vk::GraphicsPipelineCreateInfo::builder()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewports)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(pass)
        .subpass(subpass)
        .push_next(&mut rendering);
    unsafe {
        let made = gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        modules.into_iter().for_each(|module| gpu.device.destroy_shader_module(module, None));
        made.expect("a pipeline").0[0]
    }
}

/// Pixels across tile borders, not all of the image.
fn area() -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x: 20, y: 10 }, extent: vk::Extent2D { width: 200, height: 180 } }
}

fn layout(gpu: &Gpu, sets: &[vk::DescriptorSetLayout]) -> vk::PipelineLayout {
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
    let info = vk::PipelineLayoutCreateInfo::builder()
        .set_layouts(sets)
        .push_constant_ranges(slice::from_ref(&range));
    unsafe { gpu.device.create_pipeline_layout(&info, None) }.expect("a layout")
}

unsafe fn draw(gpu: &Gpu, commands: vk::CommandBuffer, layout: vk::PipelineLayout, color: [f32; 4]) {
    let bytes: Vec<u8> = color.iter().flat_map(|value| value.to_ne_bytes()).collect();
    unsafe {
        gpu.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
        gpu.device.cmd_draw(commands, 3, 1, 0, 0);
    }
}

/// Clears a part of the attachment.
unsafe fn clear_part(gpu: &Gpu, commands: vk::CommandBuffer) {
    let clear = vk::ClearAttachment {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        color_attachment: 0,
        clear_value: vk::ClearValue { color: vk::ClearColorValue { float32: [1.0, 0.0, 0.5, 1.0] } },
    };
    let rect = vk::ClearRect {
        rect: vk::Rect2D {
            offset: vk::Offset2D { x: 100, y: 100 },
            extent: vk::Extent2D { width: 60, height: 60 },
        },
        base_array_layer: 0,
        layer_count: 1,
    };
    unsafe { gpu.device.cmd_clear_attachments(commands, &[clear], &[rect]) };
}

/// Contents are loaded, blended with, cleared in parts, and stored; suspended rendering goes on.
#[test]
fn tiles_are_rendered_to_as_rows_are() {
    let gpu = gpu();
    let targets = [Target::new(&gpu, true), Target::new(&gpu, false)];
    let layout = layout(&gpu, &[]);
    let pipeline = pipeline(&gpu, FRAGMENT, layout, None, true);
    for target in &targets {
        target.clear(&gpu);
        let attachment = vk::RenderingAttachmentInfo::builder()
            .image_view(target.view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE);
        let begin = |commands, flags| unsafe {
            let info = vk::RenderingInfo::builder()
                .flags(flags)
                .render_area(area())
                .layer_count(1)
                .color_attachments(slice::from_ref(&attachment));
            gpu.device.cmd_begin_rendering(commands, &info);
        };
        gpu.run(|commands| unsafe {
            begin(commands, vk::RenderingFlags::SUSPENDING);
            gpu.device.cmd_bind_pipeline(commands, GRAPHICS, pipeline);
            draw(&gpu, commands, layout, [0.25, 0.0, 0.125, 0.5]);
            gpu.device.cmd_end_rendering(commands);
            begin(commands, vk::RenderingFlags::RESUMING);
            clear_part(&gpu, commands);
            draw(&gpu, commands, layout, [0.0, 0.125, 0.0, 0.5]);
            gpu.device.cmd_end_rendering(commands);
        });
    }
    compare(&gpu, &targets[0], &targets[1], 4);
    unsafe {
        gpu.device.destroy_pipeline(pipeline, None);
        gpu.device.destroy_pipeline_layout(layout, None);
    }
    targets.into_iter().for_each(|target| target.destroy(&gpu));
}

/// A render pass of two subpasses, the second of which reads what it writes, behind barriers.
fn render_pass(gpu: &Gpu) -> vk::RenderPass {
    let attachment = vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        initial_layout: GENERAL,
        final_layout: GENERAL,
        ..Default::default()
    };
    let reference = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
    let subpass =
        vk::SubpassDescription::builder().pipeline_bind_point(GRAPHICS).color_attachments(&reference);
    let dependency = |src_subpass| vk::SubpassDependency {
        src_subpass,
        dst_subpass: 1,
        src_stage_mask: vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
        dst_stage_mask: vk::PipelineStageFlags::FRAGMENT_SHADER,
        src_access_mask: vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
        dst_access_mask: vk::AccessFlags::INPUT_ATTACHMENT_READ,
        dependency_flags: vk::DependencyFlags::BY_REGION,
    };
    let subpasses = [subpass, subpass.input_attachments(&reference)];
    let dependencies = [dependency(0), dependency(1)];
    let info = vk::RenderPassCreateInfo::builder()
        .attachments(slice::from_ref(&attachment))
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    unsafe { gpu.device.create_render_pass(&info, None) }.expect("a render pass")
}

/// The layout of a set with one input attachment, and a set for each view.
fn input_sets(gpu: &Gpu, views: &[vk::ImageView]) -> (vk::DescriptorSetLayout, Vec<vk::DescriptorSet>) {
    let descriptor_type = vk::DescriptorType::INPUT_ATTACHMENT;
    let binding = vk::DescriptorSetLayoutBinding {
        descriptor_type,
        descriptor_count: 1,
        stage_flags: vk::ShaderStageFlags::FRAGMENT,
        ..Default::default()
    };
    let size = vk::DescriptorPoolSize { type_: descriptor_type, descriptor_count: views.len() as u32 };
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
        let layout = gpu.device.create_descriptor_set_layout(&info, None).expect("a layout");
        let info = vk::DescriptorPoolCreateInfo::builder()
            .max_sets(views.len() as u32)
            .pool_sizes(slice::from_ref(&size));
        let pool = gpu.device.create_descriptor_pool(&info, None).expect("a pool");
        let layouts = vec![layout; views.len()];
        let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
        let sets = gpu.device.allocate_descriptor_sets(&info).expect("sets");
        for (&set, &image_view) in sets.iter().zip(views) {
            let image = vk::DescriptorImageInfo { image_view, image_layout: GENERAL, ..Default::default() };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .descriptor_type(descriptor_type)
                .image_info(slice::from_ref(&image));
            gpu.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        }
        (layout, sets)
    }
}

/// Input attachments hold what subpasses before wrote, and draws before a barrier.
#[test]
fn tiles_are_input_attachments() {
    let gpu = gpu();
    let targets = [Target::new(&gpu, true), Target::new(&gpu, false)];
    let pass = render_pass(&gpu);
    let (set_layout, sets) = input_sets(&gpu, &[targets[0].view, targets[1].view]);
    let layout = layout(&gpu, &[set_layout]);
    let fill = pipeline(&gpu, FRAGMENT, layout, Some((pass, 0)), false);
    let add = pipeline(&gpu, ADD, layout, Some((pass, 1)), false);
    for (target, &set) in targets.iter().zip(&sets) {
        target.clear(&gpu);
        let info = vk::FramebufferCreateInfo::builder()
            .render_pass(pass)
            .attachments(slice::from_ref(&target.view))
            .width(SIZE[0])
            .height(SIZE[1])
            .layers(1);
        let framebuffer = unsafe { gpu.device.create_framebuffer(&info, None) }.expect("a framebuffer");
        let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 1.0, 0.0] } };
        let begin = vk::RenderPassBeginInfo::builder()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(area())
            .clear_values(slice::from_ref(&clear));
        let barrier = vk::MemoryBarrier {
            src_access_mask: vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
            dst_access_mask: vk::AccessFlags::INPUT_ATTACHMENT_READ,
            ..Default::default()
        };
        let device = &gpu.device;
        gpu.run(|commands| unsafe {
            device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, GRAPHICS, fill);
            draw(&gpu, commands, layout, [0.25, 0.0, 0.125, 0.5]);
            clear_part(&gpu, commands);
            device.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, GRAPHICS, add);
            device.cmd_bind_descriptor_sets(commands, GRAPHICS, layout, 0, &[set], &[]);
            draw(&gpu, commands, layout, [0.25, 0.125, 0.0, 0.0]);
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                vk::PipelineStageFlags::FRAGMENT_SHADER,
                vk::DependencyFlags::BY_REGION,
                &[barrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
            draw(&gpu, commands, layout, [0.0, 0.5, 0.25, 0.0]);
            device.cmd_end_render_pass(commands);
        });
        unsafe { device.destroy_framebuffer(framebuffer, None) };
    }
    compare(&gpu, &targets[0], &targets[1], 4);
    targets.into_iter().for_each(|target| target.destroy(&gpu));
}
