//! A device that draws, in this process.

use crate::{Client, Gpu};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

/// A triangle over the lower left half: corners (-1, -1), (-1, 3), (3, 3) by the vertex's number.
pub const VERTEX: &str = "
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
pub const FRAGMENT: &str = "
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

/// Pixels in x and y.
pub const SIZE: u32 = 16;
/// Any layout does.
pub const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// A device, its queue, and a command buffer.
pub struct Context {
    gpu: Gpu,
    /// The command buffer that `begin`, `draw` and `submit` use.
    pub commands: vk::CommandBuffer,
}

impl std::ops::Deref for Context {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl From<Gpu> for Context {
    fn from(gpu: Gpu) -> Context {
        Context { commands: gpu.command_buffer(), gpu }
    }
}

impl Context {
    /// With these extensions, beside those for presentation and dynamic rendering.
    pub fn with(extensions: &[&std::ffi::CStr]) -> Context {
        let instance_extensions =
            [c"VK_KHR_surface", c"VK_KHR_get_surface_capabilities2", c"VK_EXT_headless_surface"];
        let extensions = [&[c"VK_KHR_swapchain", c"VK_KHR_dynamic_rendering"], extensions].concat();
        let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
        let client = Client::new(vk::make_version(1, 2, 0), &instance_extensions);
        let gpu = client.device(&extensions, None, (&raw mut dynamic).cast());
        Context { commands: gpu.command_buffer(), gpu }
    }

    /// A pipeline that draws [`VERTEX`] and [`FRAGMENT`] to one attachment, and its layout.
    pub fn pipeline(&self, format: vk::Format) -> (vk::Pipeline, vk::PipelineLayout) {
        self.pipeline_with(format, FRAGMENT, &[])
    }

    /// With another fragment shader, and sets.
    pub fn pipeline_with(
        &self,
        format: vk::Format,
        fragment: &str,
        sets: &[vk::DescriptorSetLayout],
    ) -> (vk::Pipeline, vk::PipelineLayout) {
        unsafe {
            let range =
                vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
            let info = vk::PipelineLayoutCreateInfo::builder()
                .set_layouts(sets)
                .push_constant_ranges(slice::from_ref(&range));
            let layout = self.device.create_pipeline_layout(&info, None).expect("a layout");
            let modules = [self.shader_module(VERTEX), self.shader_module(fragment)];
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
    pub unsafe fn draw(
        &self,
        view: vk::ImageView,
        (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
        color: [f32; 4],
    ) {
        unsafe { self.draw_all(view, (pipeline, layout), &[color]) };
    }

    /// The same with a triangle for each colour.
    pub unsafe fn draw_all(
        &self,
        view: vk::ImageView,
        (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
        colors: &[[f32; 4]],
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
            for color in colors {
                let bytes: Vec<u8> = color.iter().flat_map(|value| value.to_ne_bytes()).collect();
                device.cmd_push_constants(self.commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
                device.cmd_draw(self.commands, 3, 1, 0, 0);
            }
            device.cmd_end_rendering_khr(self.commands);
        }
    }

    /// Begins recording.
    pub unsafe fn begin(&self) {
        let info = vk::CommandBufferBeginInfo::default();
        unsafe { self.device.begin_command_buffer(self.commands, &info) }.expect("begins");
    }

    /// Ends recording, and runs it.
    pub unsafe fn submit(&self) {
        unsafe { self.device.end_command_buffer(self.commands) }.expect("ends");
        self.gpu.submit(self.commands);
    }

    /// A view of the first level and layer.
    pub fn view(&self, image: vk::Image, format: vk::Format) -> vk::ImageView {
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

/// All pixels.
pub fn area() -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: SIZE, height: SIZE } }
}
