//! A small target, a pipeline of positions from a buffer, and what a draw leaves of the target.

use crate::{Client, Gpu, LinearImage};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

/// Pixels of a side.
pub const SIZE: u32 = 16;

/// The attribute is the position.
pub const VERTEX: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main \"main\" %attribute %position
               OpDecorate %attribute Location 0
               OpDecorate %position BuiltIn Position
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
    %in_vec4 = OpTypePointer Input %vec4
   %out_vec4 = OpTypePointer Output %vec4
  %attribute = OpVariable %in_vec4 Input
   %position = OpVariable %out_vec4 Output
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %p = OpLoad %vec4 %attribute
               OpStore %position %p
               OpReturn
               OpFunctionEnd";

/// Red.
pub const FRAGMENT: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"main\" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
   %out_vec4 = OpTypePointer Output %vec4
      %color = OpVariable %out_vec4 Output
       %zero = OpConstant %float 0
        %one = OpConstant %float 1
        %red = OpConstantComposite %vec4 %one %zero %zero %one
       %main = OpFunction %void None %fn
      %entry = OpLabel
               OpStore %color %red
               OpReturn
               OpFunctionEnd";

/// A device, a target that is cleared to blue before each draw, and a pipeline with dynamic viewport.
pub struct Canvas {
    gpu: Gpu,
    commands: vk::CommandBuffer,
    target: LinearImage,
    /// The layout of its pipelines, empty.
    pub layout: vk::PipelineLayout,
    memories: Vec<vk::DeviceMemory>,
    /// Vertices, then indices, then indirect draws, in one buffer each of which holds `BUFFER_SIZE` bytes.
    buffers: [(vk::Buffer, *mut u8); 3],
}

/// Bytes of each buffer.
pub const BUFFER_SIZE: usize = 4096;

/// The pixels that are red, row by row; every other one is as it was cleared.
#[derive(PartialEq, Eq, Debug)]
pub struct Covered(pub Vec<bool>);

impl Covered {
    /// How many pixels are covered.
    pub fn count(&self) -> usize {
        self.0.iter().filter(|&&covered| covered).count()
    }

    /// Whether this pixel is covered.
    pub fn at(&self, x: u32, y: u32) -> bool {
        self.0[(y * SIZE + x) as usize]
    }
}

/// A viewport of this rectangle with the whole range of depth.
pub fn viewport(x: f32, y: f32, width: f32, height: f32) -> vk::Viewport {
    vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 }
}

/// The viewport of the whole target.
pub fn whole() -> vk::Viewport {
    viewport(0.0, 0.0, SIZE as f32, SIZE as f32)
}

/// A rectangle of pixels.
pub fn rectangle(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

impl std::ops::Deref for Canvas {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Canvas {
    /// A canvas on a device with dynamic rendering.
    pub fn new() -> Canvas {
        Canvas::with(&[])
    }

    /// A canvas on a device with these extensions too.
    pub fn with(extensions: &[&std::ffi::CStr]) -> Canvas {
        Canvas::with_features(extensions, std::ptr::null_mut())
    }

    /// The same with a chain of features.
    pub fn with_features(extensions: &[&std::ffi::CStr], next: *mut std::ffi::c_void) -> Canvas {
        let extensions = [extensions, &[c"VK_KHR_dynamic_rendering"]].concat();
        let features = vk::PhysicalDeviceFeatures { robust_buffer_access: vk::TRUE, ..Default::default() };
        let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
        dynamic.next = next;
        let client = Client::new(vk::make_version(1, 2, 0), &[]);
        let gpu = client.device(&extensions, Some(&features), (&raw mut dynamic).cast());
        let (device, commands) = (&gpu.device, gpu.command_buffer());
        unsafe {
            let format = vk::Format::R8G8B8A8_UNORM;
            let target = LinearImage::new(&gpu, format, [SIZE; 2], vk::ImageUsageFlags::COLOR_ATTACHMENT);
            let mut memories = Vec::new();
            let buffers = [(); 3].map(|()| {
                let usage = vk::BufferUsageFlags::VERTEX_BUFFER
                    | vk::BufferUsageFlags::INDEX_BUFFER
                    | vk::BufferUsageFlags::INDIRECT_BUFFER;
                let (buffer, memory, bytes) = gpu.mapped_buffer(BUFFER_SIZE as u64, usage);
                memories.push(memory);
                (buffer, bytes)
            });
            let info = vk::PipelineLayoutCreateInfo::default();
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            Canvas { gpu, commands, target, layout, memories, buffers }
        }
    }

    /// A pipeline of this topology, into one colour attachment or none.
    pub fn pipeline(&self, topology: vk::PrimitiveTopology, has_color: bool) -> vk::Pipeline {
        self.pipeline_with(topology, has_color, &[])
    }

    /// A pipeline with more dynamic states.
    pub fn pipeline_with(
        &self,
        topology: vk::PrimitiveTopology,
        has_color: bool,
        dynamics: &[vk::DynamicState],
    ) -> vk::Pipeline {
        self.pipeline_of(VERTEX, topology, has_color, dynamics)
    }

    /// A pipeline of a vertex shader whose attribute is a vector of four floats at location 0.
    pub fn pipeline_of(
        &self,
        vertex: &str,
        topology: vk::PrimitiveTopology,
        has_color: bool,
        dynamics: &[vk::DynamicState],
    ) -> vk::Pipeline {
        self.pipeline_from([vertex, FRAGMENT], topology, has_color, dynamics, 0)
    }

    /// A pipeline of both shaders, of which the first is one of vertices or meshes, with flags of 64 bits.
    pub fn pipeline_from(
        &self,
        shaders: [&str; 2],
        topology: vk::PrimitiveTopology,
        has_color: bool,
        dynamics: &[vk::DynamicState],
        flags: u64,
    ) -> vk::Pipeline {
        self.pipeline_chained(shaders, topology, has_color, dynamics, (flags, std::ptr::null_mut()))
    }

    /// The same with a chain behind its structures.
    pub fn pipeline_chained(
        &self,
        shaders: [&str; 2],
        topology: vk::PrimitiveTopology,
        has_color: bool,
        dynamics: &[vk::DynamicState],
        (flags, chain): (u64, *mut std::ffi::c_void),
    ) -> vk::Pipeline {
        let modules = shaders.map(|text| self.shader_module(text));
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
        };
        let is_mesh = shaders[0].contains("OpEntryPoint MeshEXT");
        let first = if is_mesh { vk::ShaderStageFlags::MESH_EXT } else { vk::ShaderStageFlags::VERTEX };
        let stages = [stage(first, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
        let binding = vk::VertexInputBindingDescription {
            binding: 0,
            stride: 16,
            input_rate: vk::VertexInputRate::VERTEX,
        };
        let attribute = vk::VertexInputAttributeDescription {
            location: 0,
            binding: 0,
            format: vk::Format::R32G32B32A32_SFLOAT,
            offset: 0,
        };
        let input = vk::PipelineVertexInputStateCreateInfo::builder()
            .vertex_binding_descriptions(slice::from_ref(&binding))
            .vertex_attribute_descriptions(slice::from_ref(&attribute));
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder().topology(topology);
        let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
        let attachment = vk::PipelineColorBlendAttachmentState {
            color_write_mask: vk::ColorComponentFlags::all(),
            ..Default::default()
        };
        let attachments = slice::from_ref(&attachment);
        let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(if has_color {
            attachments
        } else {
            &[]
        });
        let dynamics = [&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR], dynamics].concat();
        let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&dynamics);
        let formats = [vk::Format::R8G8B8A8_UNORM];
        let mut rendering = vk::PipelineRenderingCreateInfo::builder()
            .color_attachment_formats(if has_color { &formats } else { &[] });
        let mut flags = vk::PipelineCreateFlags2CreateInfo {
            flags: unsafe { vk::PipelineCreateFlags2::from_bits_unchecked(flags) },
            ..Default::default()
        };
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering)
            .push_next(&mut flags);
        unsafe {
            let mut last = info.next.cast_mut().cast::<vk::BaseOutStructure>();
            while !(*last).next.is_null() {
                last = (*last).next;
            }
            (*last).next = chain.cast();
            let made = self.device.create_graphics_pipelines(
                vk::PipelineCache::null(),
                slice::from_ref(&info),
                None,
            );
            modules.into_iter().for_each(|module| self.device.destroy_shader_module(module, None));
            made.expect("a pipeline").0[0]
        }
    }

    /// The buffers of vertices, of indices and of indirect draws.
    pub fn buffer(&self, index: usize) -> vk::Buffer {
        self.buffers[index].0
    }

    /// Fills one of the buffers from its start; the rest becomes zero.
    pub fn fill(&self, index: usize, words: &[u32]) {
        assert!(words.len() * 4 <= BUFFER_SIZE);
        let bytes = self.buffers[index].1;
        unsafe {
            bytes.write_bytes(0, BUFFER_SIZE);
            std::ptr::copy_nonoverlapping(words.as_ptr().cast(), bytes, words.len() * 4);
        }
    }

    /// The first words of one of the buffers.
    pub fn words(&self, index: usize, count: usize) -> Vec<u32> {
        assert!(count * 4 <= BUFFER_SIZE);
        let words = self.buffers[index].1.cast::<u32>();
        (0..count).map(|at| unsafe { words.add(at).read_volatile() }).collect()
    }

    /// Clears to blue, lets `record` draw inside the pass with viewport and scissor of the whole target set,
    /// and sees what became red. Every other pixel must still be blue.
    pub fn draw(&self, pipeline: vk::Pipeline, record: impl FnOnce(vk::CommandBuffer)) -> Covered {
        self.draw_bare(|commands| unsafe {
            self.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            self.device.cmd_set_viewport(commands, 0, &[whole()]);
            self.device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, SIZE, SIZE)]);
            record(commands);
        })
    }

    /// The same with neither pipeline nor state.
    pub fn draw_bare(&self, record: impl FnOnce(vk::CommandBuffer)) -> Covered {
        let device = &self.device;
        unsafe {
            device
                .begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())
                .expect("begins");
            let blue = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 1.0, 1.0] } };
            let attachment = vk::RenderingAttachmentInfo::builder()
                .image_view(self.target.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(blue);
            let area = rectangle(0, 0, SIZE, SIZE);
            let info = vk::RenderingInfo::builder()
                .render_area(area)
                .layer_count(1)
                .color_attachments(slice::from_ref(&attachment));
            device.cmd_begin_rendering_khr(self.commands, &info);
            device.cmd_bind_vertex_buffers(self.commands, 0, &[self.buffers[0].0], &[0]);
            record(self.commands);
            device.cmd_end_rendering_khr(self.commands);
        }
        unsafe { device.end_command_buffer(self.commands) }.expect("ends");
        self.draw_again()
    }

    /// Runs the last draw once more, as it was recorded.
    pub fn draw_again(&self) -> Covered {
        self.submit_and_wait(self.commands);
        let mut covered = Vec::new();
        for y in 0..SIZE {
            for x in 0..SIZE {
                let texel = self.target.texel(x, y, 4);
                assert!(matches!(texel, [255, 0, 0, 255] | [0, 0, 255, 255]), "{x} {y}: {texel:?}");
                covered.push(texel[0] == 255);
            }
        }
        Covered(covered)
    }

    /// Records commands of its own, with no pass around them.
    pub fn record(&self, record: impl FnOnce(vk::CommandBuffer)) {
        unsafe { self.device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default()) }
            .expect("begins");
        record(self.commands);
        unsafe { self.device.end_command_buffer(self.commands) }.expect("ends");
        self.submit_and_wait(self.commands);
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        let device = &self.device;
        unsafe {
            // A lost device says so; the objects go all the same.
            let _ = device.device_wait_idle();
            device.destroy_pipeline_layout(self.layout, None);
            self.target.destroy(&self.gpu);
            self.buffers.iter().for_each(|&(buffer, _)| device.destroy_buffer(buffer, None));
            self.memories.iter().for_each(|&memory| device.free_memory(memory, None));
        }
    }
}
