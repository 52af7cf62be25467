//! Draws and presentation through the entry points, in this process.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is; handles are made here and alive

mod support;

use std::slice;
use support::InProcess;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtHeadlessSurfaceExtensionInstanceCommands as _, KhrDynamicRenderingExtensionDeviceCommands as _,
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
};

/// A triangle over the lower left half: corners (-1, -1), (-1, 3), (3, 3) by the vertex's number.
const VERTEX: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main \"main\" %index %position
               OpDecorate %index BuiltIn VertexIndex
               OpDecorate %position BuiltIn Position
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %bool = OpTypeBool
       %vec4 = OpTypeVector %float 4
     %in_int = OpTypePointer Input %int
   %out_vec4 = OpTypePointer Output %vec4
      %index = OpVariable %in_int Input
   %position = OpVariable %out_vec4 Output
      %int_0 = OpConstant %int 0
      %int_2 = OpConstant %int 2
       %zero = OpConstant %float 0
        %one = OpConstant %float 1
      %three = OpConstant %float 3
      %minus = OpConstant %float -1
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %int %index
    %is_last = OpIEqual %bool %i %int_2
   %is_first = OpIEqual %bool %i %int_0
          %x = OpSelect %float %is_last %three %minus
          %y = OpSelect %float %is_first %minus %three
          %p = OpCompositeConstruct %vec4 %x %y %zero %one
               OpStore %position %p
               OpReturn
               OpFunctionEnd";

/// The push constant's colour.
const FRAGMENT: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"main\" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %vec4 = OpTypeVector %float 4
      %block = OpTypeStruct %vec4
  %out_vec4  = OpTypePointer Output %vec4
 %push_block = OpTypePointer PushConstant %block
  %push_vec4 = OpTypePointer PushConstant %vec4
      %color = OpVariable %out_vec4 Output
       %push = OpVariable %push_block PushConstant
      %int_0 = OpConstant %int 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %pointer = OpAccessChain %push_vec4 %push %int_0
      %value = OpLoad %vec4 %pointer
               OpStore %color %value
               OpReturn
               OpFunctionEnd";

const SIZE: u32 = 16;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

struct Context {
    _entry: Entry,
    instance: Instance,
    device: Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
}

impl Context {
    fn new() -> Context {
        unsafe {
            let entry = Entry::new(InProcess).expect("the driver");
            let application = vk::ApplicationInfo::builder().api_version(vk::make_version(1, 2, 0));
            let names = [c"VK_KHR_surface".as_ptr(), c"VK_EXT_headless_surface".as_ptr()];
            let info = vk::InstanceCreateInfo::builder()
                .application_info(&application)
                .enabled_extension_names(&names);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
            let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&[1.0]);
            let names = [c"VK_KHR_swapchain".as_ptr(), c"VK_KHR_dynamic_rendering".as_ptr()];
            let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
            let info = vk::DeviceCreateInfo::builder()
                .queue_create_infos(slice::from_ref(&queue))
                .enabled_extension_names(&names)
                .push_next(&mut dynamic);
            let device = instance.create_device(physical_device, &info, None).expect("a device");
            let queue = device.get_device_queue(0, 0);
            let info = vk::CommandPoolCreateInfo::builder()
                .queue_family_index(0)
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let pool = device.create_command_pool(&info, None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::builder()
                .command_pool(pool)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            Context { _entry: entry, instance, device, queue, pool, commands }
        }
    }

    fn shader(&self, text: &str) -> vk::ShaderModule {
        let words = pyro_spirv::asm::assemble(text).expect("assembly");
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
        unsafe { self.device.create_shader_module(&info, None) }.expect("a module")
    }

    /// A pipeline that draws [`VERTEX`] and [`FRAGMENT`] to one attachment, and its layout.
    fn pipeline(&self, format: vk::Format) -> (vk::Pipeline, vk::PipelineLayout) {
        unsafe {
            let range =
                vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
            let info = vk::PipelineLayoutCreateInfo::builder().push_constant_ranges(slice::from_ref(&range));
            let layout = self.device.create_pipeline_layout(&info, None).expect("a layout");
            let modules = [self.shader(VERTEX), self.shader(FRAGMENT)];
            let stage = |stage, module| {
                vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
            };
            let stages = [
                stage(vk::ShaderStageFlags::VERTEX, modules[0]),
                stage(vk::ShaderStageFlags::FRAGMENT, modules[1]),
            ];
            let input = vk::PipelineVertexInputStateCreateInfo::default();
            let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder()
                .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
            let area = area();
            let viewport = vk::Viewport {
                width: SIZE as f32,
                height: SIZE as f32,
                max_depth: 1.0,
                ..Default::default()
            };
            let viewports = vk::PipelineViewportStateCreateInfo::builder()
                .viewports(slice::from_ref(&viewport))
                .scissors(slice::from_ref(&area));
            let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
            let samples = vk::PipelineMultisampleStateCreateInfo::builder()
                .rasterization_samples(vk::SampleCountFlags::_1);
            let blend = vk::PipelineColorBlendAttachmentState {
                color_write_mask: vk::ColorComponentFlags::all(),
                ..Default::default()
            };
            let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&blend));
            let mut rendering =
                vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(slice::from_ref(&format));
            let info = vk::GraphicsPipelineCreateInfo::builder()
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewports)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .color_blend_state(&blend)
                .layout(layout)
                .push_next(&mut rendering);
            let (pipelines, _) = self
                .device
                .create_graphics_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None)
                .expect("a pipeline");
            modules.into_iter().for_each(|module| self.device.destroy_shader_module(module, None));
            (pipelines[0], layout)
        }
    }

    /// Records a clear to blue, and a triangle of a colour.
    unsafe fn draw(
        &self,
        view: vk::ImageView,
        (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
        color: [f32; 4],
    ) {
        let device = &self.device;
        unsafe {
            let blue = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 1.0, 1.0] } };
            let attachment = vk::RenderingAttachmentInfo::builder()
                .image_view(view)
                .image_layout(GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(blue);
            let info = vk::RenderingInfo::builder()
                .render_area(area())
                .layer_count(1)
                .color_attachments(slice::from_ref(&attachment));
            device.cmd_begin_rendering_khr(self.commands, &info);
            device.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            let bytes: Vec<u8> = color.into_iter().flat_map(f32::to_ne_bytes).collect();
            device.cmd_push_constants(self.commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
            device.cmd_draw(self.commands, 3, 1, 0, 0);
            device.cmd_end_rendering_khr(self.commands);
        }
    }

    unsafe fn begin(&self) {
        let info = vk::CommandBufferBeginInfo::default();
        unsafe { self.device.begin_command_buffer(self.commands, &info) }.expect("begins");
    }

    unsafe fn submit(&self) {
        unsafe {
            self.device.end_command_buffer(self.commands).expect("ends");
            let info = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&self.commands));
            self.device
                .queue_submit(self.queue, slice::from_ref(&info), vk::Fence::null())
                .expect("submitted");
        }
    }

    fn view(&self, image: vk::Image, format: vk::Format) -> vk::ImageView {
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(vk::ImageViewType::_2D)
            .format(format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            });
        unsafe { self.device.create_image_view(&info, None) }.expect("a view")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe {
            self.device.device_wait_idle().expect("idle");
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn area() -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: SIZE, height: SIZE } }
}

#[test]
fn triangles_cover_what_they_should_and_queries_count_it() {
    let context = Context::new();
    let device = &context.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    unsafe {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let image = device.create_image(&info, None).expect("an image");
        let needs = device.get_image_memory_requirements(image);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let flags = vk::MemoryMapFlags::empty();
        let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u8>();
        let view = context.view(image, format);
        let pipeline = context.pipeline(format);
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = device.create_query_pool(&info, None).expect("a query pool");

        context.begin();
        device.cmd_reset_query_pool(context.commands, queries, 0, 1);
        device.cmd_begin_query(context.commands, queries, 0, vk::QueryControlFlags::PRECISE);
        context.draw(view, pipeline, [1.0, 0.0, 0.0, 1.0]);
        device.cmd_end_query(context.commands, queries, 0);
        context.submit();
        device.queue_wait_idle(context.queue).expect("idle");

        let subresource =
            vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, ..Default::default() };
        let place = device.get_image_subresource_layout(image, &subresource);
        let mut covered = 0;
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            let at = place.offset as usize + (u64::from(y) * place.row_pitch) as usize + 4 * x as usize;
            let texel = [0, 1, 2, 3].map(|index| *bytes.add(at + index));
            // The edge goes through the centres of the diagonal's pixels, and is a top edge or right edge.
            if x != y {
                let expected = if x < y { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
                assert_eq!(texel, expected, "{x} {y}");
            }
            covered += u64::from(texel[0] == 255);
        }
        let mut samples = [0_u8; 8];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        device.get_query_pool_results(queries, 0, 1, &mut samples, 8, flags).expect("a result");
        assert_eq!(u64::from_ne_bytes(samples), covered);

        device.destroy_query_pool(queries, None);
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        device.destroy_image_view(view, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}

#[test]
fn swapchains_give_their_images_in_turn() {
    let context = Context::new();
    let device = &context.device;
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let physical_device = context.instance.enumerate_physical_devices().expect("devices")[0];
        let limits = context
            .instance
            .get_physical_device_surface_capabilities_khr(physical_device, surface)
            .expect("capabilities");
        let format = context
            .instance
            .get_physical_device_surface_formats_khr(physical_device, surface)
            .expect("formats")[0];
        let info = vk::SwapchainCreateInfoKHR::builder()
            .surface(surface)
            .min_image_count(limits.min_image_count)
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(area().extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
        let images = device.get_swapchain_images_khr(swapchain).expect("images");
        let views: Vec<_> = images.iter().map(|&image| context.view(image, format.format)).collect();
        let pipeline = context.pipeline(format.format);
        let info = vk::SemaphoreCreateInfo::default();
        let [free, drawn] = [(); 2].map(|()| device.create_semaphore(&info, None).expect("a semaphore"));
        let mut seen = vec![0; images.len()];
        for _ in 0..3 * images.len() {
            let (index, _) = device
                .acquire_next_image_khr(swapchain, u64::MAX, free, vk::Fence::null())
                .expect("an image");
            seen[index as usize] += 1;
            context.begin();
            context.draw(views[index as usize], pipeline, [0.0, 1.0, 0.0, 1.0]);
            device.end_command_buffer(context.commands).expect("ends");
            let info = vk::SubmitInfo::builder()
                .wait_semaphores(slice::from_ref(&free))
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT])
                .command_buffers(slice::from_ref(&context.commands))
                .signal_semaphores(slice::from_ref(&drawn));
            device.queue_submit(context.queue, slice::from_ref(&info), vk::Fence::null()).expect("submitted");
            let info = vk::PresentInfoKHR::builder()
                .wait_semaphores(slice::from_ref(&drawn))
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(slice::from_ref(&index));
            device.queue_present_khr(context.queue, &info).expect("presented");
            device.queue_wait_idle(context.queue).expect("idle");
        }
        assert!(seen.iter().all(|&count| count == 3), "{seen:?}");
        // All images are taken: nothing more comes.
        for _ in &images {
            device
                .acquire_next_image_khr(swapchain, 0, vk::Semaphore::null(), vk::Fence::null())
                .expect("an image");
        }
        let none = device.acquire_next_image_khr(swapchain, 1000, vk::Semaphore::null(), vk::Fence::null());
        assert_eq!(none.expect("no error").1, vk::SuccessCode::TIMEOUT);
        views.into_iter().for_each(|view| device.destroy_image_view(view, None));
        [free, drawn].into_iter().for_each(|semaphore| device.destroy_semaphore(semaphore, None));
        device.destroy_pipeline(pipeline.0, None);
        device.destroy_pipeline_layout(pipeline.1, None);
        device.destroy_swapchain_khr(swapchain, None);
        context.instance.destroy_surface_khr(surface, None);
    }
}
