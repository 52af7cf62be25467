//! Small pictures of everything that a draw can leave: colour, depth and stencil, drawn with a pipeline whose
//! state is fixed, or with shader objects and commands that set the same state.

use crate::fixed_state::{State, Targets};
use crate::{Client, Gpu};
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtFragmentDensityMapOffsetExtensionDeviceCommands as _;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;
use vulkanalia::vk::NvShadingRateImageExtensionDeviceCommands as _;

/// Pixels of a side.
pub const SIZE: u32 = 16;
/// Bytes of each buffer.
const BUFFER_SIZE: usize = 1 << 17;
/// Words of the buffer that shaders write.
const WORDS: usize = 8192;
/// Colour attachments that there can be.
const COLORS: usize = 16;
/// What brings the commands of [`State::record`].
const EXTENSIONS: &[&CStr] = &[
    c"VK_EXT_blend_operation_advanced",
    c"VK_EXT_color_write_enable",
    c"VK_EXT_conservative_rasterization",
    c"VK_EXT_depth_bias_control",
    c"VK_EXT_depth_clamp_control",
    c"VK_EXT_depth_clip_control",
    c"VK_EXT_depth_clip_enable",
    c"VK_EXT_discard_rectangles",
    c"VK_EXT_line_rasterization",
    c"VK_EXT_multisampled_render_to_single_sampled",
    c"VK_EXT_provoking_vertex",
    c"VK_EXT_sample_locations",
    c"VK_EXT_shader_object",
    c"VK_KHR_fragment_shading_rate",
    c"VK_NV_clip_space_w_scaling",
    c"VK_NV_coverage_reduction_mode",
    c"VK_NV_fragment_coverage_to_color",
    c"VK_NV_framebuffer_mixed_samples",
    c"VK_NV_representative_fragment_test",
    c"VK_NV_scissor_exclusive",
    c"VK_NV_shading_rate_image",
    c"VK_NV_viewport_swizzle",
];
/// What is at each binding of set 0.
const BINDINGS: [vk::DescriptorType; 5] = [
    vk::DescriptorType::STORAGE_BUFFER,
    vk::DescriptorType::SAMPLED_IMAGE,
    vk::DescriptorType::INPUT_ATTACHMENT,
    vk::DescriptorType::INPUT_ATTACHMENT,
    vk::DescriptorType::INPUT_ATTACHMENT,
];
/// How many of each there are.
const COUNTS: [u32; 5] = [1, 1, 2, 1, 1];

/// What is drawn.
#[derive(Clone)]
pub struct Scene {
    /// Assembly of the vertex shader; empty where there is none.
    pub vertex: String,
    /// Assembly of the stages between vertex and fragment shader, in their order.
    pub between: Vec<(vk::ShaderStageFlags, String)>,
    /// Assembly of the fragment shader.
    pub fragment: String,
    /// Vertices of two vectors: locations 0 and 1.
    pub vertices: Vec<[[f32; 4]; 2]>,
    /// The colour attachments.
    pub formats: Vec<vk::Format>,
    /// What they are cleared to.
    pub clear: [f32; 4],
    /// The state.
    pub state: State,
    /// Layers and views of the attachments.
    pub layers: u32,
    /// `viewMask`.
    pub view_mask: u32,
    /// Words of the buffer at binding 0 of set 0, before.
    pub words: Vec<u32>,
    /// Shaders read what they draw to: the first colour attachment as a sampled image at binding 1 and as an
    /// input attachment at binding 2 (the second attachment is the second there), depth and stencil as input
    /// attachments at bindings 3 and 4.
    pub feedback: bool,
    /// `VkRenderingAttachmentLocationInfo` of the pipeline.
    pub locations: Option<Vec<u32>>,
    /// Colours are dithered.
    pub dither: bool,
    /// Other flags of the pipeline.
    pub flags: vk::PipelineCreateFlags2,
    /// An attachment of shading rates: its texels, row by row and layer by layer, and the pixels in x and y
    /// that each stands for. A fragment density map where the pipeline's flags say so, of two bytes for each
    /// texel.
    pub rates: Option<(Vec<u8>, [u32; 2])>,
    /// How far each layer of the density map is moved (`VK_EXT_fragment_density_map_offset`).
    pub density_offsets: Vec<vk::Offset2D>,
    /// Layers have density maps of their own (`VK_VALVE_fragment_density_map_layered`).
    pub density_layers: bool,
    /// The attachments have one sample, whatever the state has.
    pub single_sampled: bool,
    /// Attachments are resolved by draws after `vkCmdBeginCustomResolveEXT`.
    pub custom_resolve: bool,
    /// What the attachments are cleared to is loaded, not cleared as rendering begins.
    pub is_loaded: bool,
}

impl Scene {
    /// One colour attachment of floats, cleared to zero.
    pub fn new(vertex: &str, fragment: &str, vertices: &[[[f32; 4]; 2]]) -> Scene {
        Scene {
            vertex: vertex.into(),
            between: Vec::new(),
            fragment: fragment.into(),
            vertices: vertices.into(),
            formats: vec![vk::Format::R32G32B32A32_SFLOAT],
            clear: [0.0; 4],
            state: State::new(SIZE),
            layers: 1,
            view_mask: 0,
            words: Vec::new(),
            feedback: false,
            locations: None,
            dither: false,
            flags: vk::PipelineCreateFlags2::empty(),
            rates: None,
            density_offsets: Vec::new(),
            density_layers: false,
            single_sampled: false,
            custom_resolve: false,
            is_loaded: false,
        }
    }

    /// Its rates are those of a fragment density map.
    fn has_densities(&self) -> bool {
        self.flags.contains(vk::PipelineCreateFlags2::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT)
    }

    /// All stages and their assembly.
    fn stages(&self) -> Vec<(vk::ShaderStageFlags, &str)> {
        let between = self.between.iter().map(|(stage, text)| (*stage, text.as_str()));
        let vertex = (vk::ShaderStageFlags::VERTEX, self.vertex.as_str());
        let fragment = (vk::ShaderStageFlags::FRAGMENT, self.fragment.as_str());
        let vertex = [vertex].into_iter().filter(|(_, text)| !text.is_empty());
        vertex.chain(between).chain([fragment]).collect()
    }
}

/// How it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum With {
    /// A pipeline without dynamic state.
    Pipeline,
    /// Shader objects.
    Objects,
}

/// What a draw leaves.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The words of each colour attachment, four a pixel, layer after layer.
    pub colors: Vec<Vec<u32>>,
    /// Depths of the first layer.
    pub depth: Vec<f32>,
    /// Stencil of the first layer.
    pub stencil: Vec<u8>,
    /// The buffer's words.
    pub words: Vec<u32>,
}

impl Picture {
    /// A pixel of an attachment as floats.
    pub fn at(&self, attachment: usize, x: u32, y: u32) -> [f32; 4] {
        self.words_at(attachment, x, y, 0).map(f32::from_bits)
    }

    /// A pixel of a layer of an attachment.
    pub fn words_at(&self, attachment: usize, x: u32, y: u32, layer: u32) -> [u32; 4] {
        let at = 4 * ((layer * SIZE + y) * SIZE + x) as usize;
        std::array::from_fn(|index| self.colors[attachment][at + index])
    }
}

struct Buffer {
    buffer: vk::Buffer,
    bytes: *mut u8,
}

struct Image {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
}

/// A device and what draws need.
pub struct Lab {
    gpu: Gpu,
    commands: vk::CommandBuffer,
    set_layout: vk::DescriptorSetLayout,
    /// The layout of its pipelines.
    pub layout: vk::PipelineLayout,
    descriptors: vk::DescriptorPool,
    set: vk::DescriptorSet,
    /// Vertices, indices and parameters, storage, what is read back.
    buffers: [Buffer; 4],
    memories: Vec<vk::DeviceMemory>,
}

/// The pixels that are rendered.
const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: SIZE, height: SIZE } };

fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT_S8_UINT => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

impl std::ops::Deref for Lab {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Lab {
    /// With these extensions beside [`EXTENSIONS`].
    pub fn new(extensions: &[&CStr]) -> Lab {
        Lab::with(extensions, false)
    }

    /// The same, where accesses of buffers are robust.
    pub fn robust(extensions: &[&CStr]) -> Lab {
        Lab::with(extensions, true)
    }

    fn with(extensions: &[&CStr], is_robust: bool) -> Lab {
        let client = Client::new(vk::make_version(1, 3, 0), &[]);
        let names: BTreeSet<&CStr> = EXTENSIONS.iter().chain(extensions).copied().collect();
        let names: Vec<_> = names.into_iter().collect();
        let mut features = unsafe { client.instance.get_physical_device_features(client.physical_device) };
        features.robust_buffer_access = u32::from(is_robust);
        let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::builder().shader_object(true);
        let mut core = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
        core.next = (&raw mut objects).cast();
        let mut views = vk::PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM::builder()
            .multiview_per_view_viewports(true);
        if names.contains(&c"VK_QCOM_multiview_per_view_viewports") {
            objects.next = (&raw mut views).cast();
        }
        let gpu = client.device(&names, Some(&features), (&raw mut core).cast());
        let (device, commands) = (&gpu.device, gpu.command_buffer());
        unsafe {
            let mut memories = Vec::new();
            let buffers = std::array::from_fn(|_| {
                let usage = vk::BufferUsageFlags::VERTEX_BUFFER
                    | vk::BufferUsageFlags::INDEX_BUFFER
                    | vk::BufferUsageFlags::INDIRECT_BUFFER
                    | vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_DST
                    | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
                let (buffer, memory, bytes) = gpu.mapped_buffer(BUFFER_SIZE as u64, usage);
                memories.push(memory);
                Buffer { buffer, bytes }
            });
            let binding = |index: u32| {
                vk::DescriptorSetLayoutBinding::builder()
                    .binding(index)
                    .descriptor_type(BINDINGS[index as usize])
                    .descriptor_count(COUNTS[index as usize])
                    .stage_flags(match index {
                        0 => vk::ShaderStageFlags::ALL_GRAPHICS,
                        _ => vk::ShaderStageFlags::FRAGMENT,
                    })
            };
            let bindings = [0, 1, 2, 3, 4].map(binding);
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a layout");
            let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let sizes = BINDINGS.map(|type_| vk::DescriptorPoolSize { type_, descriptor_count: 2 });
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
            let descriptors = device.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(descriptors)
                .set_layouts(slice::from_ref(&set_layout));
            let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
            let buffers: [Buffer; 4] = buffers;
            let written =
                vk::DescriptorBufferInfo { buffer: buffers[2].buffer, offset: 0, range: vk::WHOLE_SIZE };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(slice::from_ref(&written));
            device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
            Lab { gpu, commands, set_layout, layout, descriptors, set, buffers, memories }
        }
    }

    fn image(&self, format: vk::Format, samples: u32, layers: u32, flags: vk::ImageCreateFlags) -> Image {
        let attachment = match aspects(format) {
            vk::ImageAspectFlags::COLOR => vk::ImageUsageFlags::COLOR_ATTACHMENT,
            _ => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        };
        let info = vk::ImageCreateInfo::builder()
            .flags(flags)
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::from_bits_truncate(samples))
            .usage(
                attachment
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::INPUT_ATTACHMENT,
            );
        self.made(&info, format, aspects(format))
    }

    /// The attachment of a scene's shading rates, as large as its texels ask for. The texels are written by
    /// the commands.
    fn rates(&self, scene: &Scene, commands: vk::CommandBuffer) -> Option<Image> {
        let (texels, pixels) = scene.rates.as_ref()?;
        let [width, height] = pixels.map(|size| SIZE.div_ceil(size));
        let (format, usage) = match scene.has_densities() {
            true => (vk::Format::R8G8_UNORM, vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT),
            false => (vk::Format::R8_UINT, vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR),
        };
        let texel_bytes = 1 + u32::from(scene.has_densities());
        let layers = texels.len() as u32 / (texel_bytes * width * height);
        let words: Vec<u32> = texels
            .chunks(4)
            .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
            .collect();
        self.fill(1, &words);
        let flags = match scene.density_offsets.is_empty() {
            true => vk::ImageCreateFlags::empty(),
            false => vk::ImageCreateFlags::FRAGMENT_DENSITY_MAP_OFFSET_EXT,
        };
        let info = vk::ImageCreateInfo::builder()
            .flags(flags)
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::_1)
            .usage(usage | vk::ImageUsageFlags::TRANSFER_DST);
        let image = self.made(&info, format, vk::ImageAspectFlags::COLOR);
        let region = vk::BufferImageCopy::builder()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                layer_count: layers,
                ..Default::default()
            })
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        let (source, layout) = (self.parameters(), vk::ImageLayout::GENERAL);
        unsafe {
            self.device.cmd_copy_buffer_to_image(commands, source, image.image, layout, &[region]);
            let barrier = vk::MemoryBarrier::builder()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR);
            self.device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[] as &[vk::ImageMemoryBarrier],
            );
        }
        Some(image)
    }

    /// An image with memory and a view of all of it.
    fn made(&self, info: &vk::ImageCreateInfo, format: vk::Format, aspects: vk::ImageAspectFlags) -> Image {
        let device = &self.device;
        unsafe {
            let image = device.create_image(info, None).expect("an image");
            let needs = device.get_image_memory_requirements(image);
            let memory = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
            let memory = device.allocate_memory(&memory, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            Image { image, view: self.view(image, format, aspects, info.array_layers), memory }
        }
    }

    fn view(
        &self,
        image: vk::Image,
        format: vk::Format,
        aspect_mask: vk::ImageAspectFlags,
        layer_count: u32,
    ) -> vk::ImageView {
        let (one, many) = (vk::ImageViewType::_2D, vk::ImageViewType::_2D_ARRAY);
        let range =
            vk::ImageSubresourceRange { aspect_mask, level_count: 1, layer_count, ..Default::default() };
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(if layer_count == 1 { one } else { many })
            .format(format)
            .subresource_range(range);
        unsafe { self.device.create_image_view(&info, None) }.expect("a view")
    }

    /// Writes the attachments' descriptors; gives views that are made for them.
    fn write_feedback(&self, images: &[Image], formats: &[vk::Format]) -> Vec<vk::ImageView> {
        let depth_stencil = (images.len() - 1, formats[images.len() - 1]);
        let parts = [
            (1, 0, formats[0], vk::ImageAspectFlags::COLOR),
            (2, 0, formats[0], vk::ImageAspectFlags::COLOR),
            (3, depth_stencil.0, depth_stencil.1, vk::ImageAspectFlags::DEPTH),
            (4, depth_stencil.0, depth_stencil.1, vk::ImageAspectFlags::STENCIL),
        ];
        // The second colour attachment, where there is one, is the second of binding 2.
        let second = (images.len() > 2).then_some((2, 1, formats[1], vk::ImageAspectFlags::COLOR));
        let write = |(binding, image, format, aspect): (u32, usize, vk::Format, vk::ImageAspectFlags)| {
            let element = u32::from(binding == 2 && image == 1);
            let image_view = self.view(images[image].image, format, aspect, 1);
            let (image_layout, sampler) = (vk::ImageLayout::GENERAL, vk::Sampler::null());
            let info = vk::DescriptorImageInfo { sampler, image_view, image_layout };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(self.set)
                .dst_binding(binding)
                .dst_array_element(element)
                .descriptor_type(BINDINGS[binding as usize])
                .image_info(slice::from_ref(&info));
            unsafe { self.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
            image_view
        };
        parts.into_iter().chain(second).map(write).collect()
    }

    fn free(&self, image: &Image) {
        unsafe {
            self.device.destroy_image_view(image.view, None);
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }

    /// The buffer of indices and parameters.
    pub fn parameters(&self) -> vk::Buffer {
        self.buffers[1].buffer
    }

    /// The buffer that shaders write.
    pub fn storage(&self) -> vk::Buffer {
        self.buffers[2].buffer
    }

    /// Writes words into the buffer of indices and parameters.
    pub fn set_parameters(&self, words: &[u32]) {
        self.fill(1, words);
    }

    fn fill(&self, buffer: usize, words: &[u32]) {
        assert!(words.len() * 4 <= BUFFER_SIZE);
        unsafe {
            std::ptr::copy_nonoverlapping(words.as_ptr().cast(), self.buffers[buffer].bytes, words.len() * 4)
        };
    }

    fn read(&self, buffer: usize, offset: usize, count: usize) -> Vec<u32> {
        assert!(offset + count * 4 <= BUFFER_SIZE);
        let words = unsafe { self.buffers[buffer].bytes.add(offset) }.cast::<u32>();
        (0..count).map(|at| unsafe { words.add(at).read_volatile() }).collect()
    }

    /// Draws all vertices once.
    pub fn draw(&self, scene: &Scene, with: With) -> Picture {
        self.draw_times(scene, with, 1)
    }

    /// Draws all vertices, so many times.
    pub fn draw_times(&self, scene: &Scene, with: With, times: u32) -> Picture {
        let count = scene.vertices.len() as u32;
        self.draw_by(scene, with, |device, commands| {
            (0..times).for_each(|_| unsafe { device.cmd_draw(commands, count, 1, 0, 0) });
        })
    }

    /// Draws by these commands; pipelines and state are set before.
    pub fn draw_by(
        &self,
        scene: &Scene,
        with: With,
        record: impl FnOnce(&Device, vk::CommandBuffer),
    ) -> Picture {
        self.try_draw_by(scene, with, record).expect("a picture")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of the creation of shaders and pipelines, and of the submission.
    pub fn try_draw_by(
        &self,
        scene: &Scene,
        with: With,
        record: impl FnOnce(&Device, vk::CommandBuffer),
    ) -> Result<Picture, vk::ErrorCode> {
        let words: Vec<u32> =
            scene.vertices.as_flattened().as_flattened().iter().map(|value| value.to_bits()).collect();
        self.fill(0, &words);
        self.fill(2, &[&scene.words[..], &[0; WORDS]].concat());
        match with {
            With::Pipeline => unsafe {
                let pipeline = self.try_pipeline(scene)?;
                let picture = self.run(scene, |commands| {
                    self.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                    if scene.state.enabled_by_commands {
                        scene.state.enable(&self.device, commands);
                    }
                    record(&self.device, commands);
                });
                self.device.destroy_pipeline(pipeline, None);
                picture
            },
            With::Objects => unsafe {
                let shaders = self.try_shaders(scene)?;
                let picture = self.run(scene, |commands| {
                    let stages: Vec<_> = scene.stages().into_iter().map(|(stage, _)| stage).collect();
                    self.device.cmd_bind_shaders_ext(commands, &stages, &shaders);
                    scene.state.record(&self.device, commands, scene.formats.len());
                    record(&self.device, commands);
                });
                shaders.iter().for_each(|&shader| self.device.destroy_shader_ext(shader, None));
                picture
            },
        }
    }

    /// Both ways, which must give the same picture.
    pub fn draw_both(&self, scene: &Scene) -> Picture {
        let picture = self.draw(scene, With::Pipeline);
        assert_eq!(self.draw(scene, With::Objects), picture);
        picture
    }

    /// Shader objects of a scene's shaders.
    pub fn shaders(&self, scene: &Scene) -> Vec<vk::ShaderEXT> {
        self.try_shaders(scene).expect("shaders")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of `vkCreateShadersEXT`.
    pub fn try_shaders(&self, scene: &Scene) -> Result<Vec<vk::ShaderEXT>, vk::ErrorCode> {
        let stages = scene.stages();
        let shader = |(number, &(stage, text)): (usize, &(vk::ShaderStageFlags, &str))| {
            let words = pyro_spirv::asm::assemble(text).expect("assembly");
            let next = stages.get(number + 1).map_or(vk::ShaderStageFlags::empty(), |&(next, _)| next);
            // There may be an attachment of rates; there need be none.
            let flags = match stage {
                vk::ShaderStageFlags::FRAGMENT => {
                    vk::ShaderCreateFlagsEXT::FRAGMENT_SHADING_RATE_ATTACHMENT
                        | vk::ShaderCreateFlagsEXT::FRAGMENT_DENSITY_MAP_ATTACHMENT
                }
                vk::ShaderStageFlags::MESH_EXT if number == 0 => vk::ShaderCreateFlagsEXT::NO_TASK_SHADER,
                _ => vk::ShaderCreateFlagsEXT::empty(),
            };
            let mut info = vk::ShaderCreateInfoEXT::builder()
                .flags(flags)
                .stage(stage)
                .next_stage(next)
                .code_type(vk::ShaderCodeTypeEXT::SPIRV)
                .name(b"main\0")
                .set_layouts(slice::from_ref(&self.set_layout))
                .build();
            (info.code_size, info.code) = (words.len() * 4, words.as_ptr().cast());
            unsafe { self.device.create_shaders_ext(&[info], None) }.map(|made| made.0[0])
        };
        let made: Vec<_> = stages.iter().enumerate().map(shader).collect();
        if let Some(&Err(why)) = made.iter().find(|made| made.is_err()) {
            made.into_iter()
                .flatten()
                .for_each(|shader| unsafe { self.device.destroy_shader_ext(shader, None) });
            return Err(why);
        }
        Ok(made.into_iter().flatten().collect())
    }

    /// A pipeline of a scene's shaders and state.
    pub fn pipeline(&self, scene: &Scene) -> vk::Pipeline {
        self.try_pipeline(scene).expect("a pipeline")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of `vkCreateGraphicsPipelines`.
    pub fn try_pipeline(&self, scene: &Scene) -> Result<vk::Pipeline, vk::ErrorCode> {
        let shaders = scene.stages();
        let texts: Vec<&str> = shaders.iter().map(|&(_, text)| text).collect();
        let modules = self.try_modules(&texts)?;
        let stage = |(&(stage, _), &module): (&(vk::ShaderStageFlags, &str), &vk::ShaderModule)| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
        };
        let stages: Vec<_> = shaders.iter().zip(&modules).map(stage).collect();
        let targets = Targets {
            formats: &scene.formats,
            view_mask: scene.view_mask,
            locations: scene.locations.as_deref(),
            dither: scene.dither,
            flags: scene.flags,
            rates: scene.rates.is_some() && !scene.has_densities() && scene.state.palette.is_none(),
        };
        let pipeline = scene.state.try_pipeline(&self.device, &stages, self.layout, &targets);
        self.destroy_modules(modules);
        pipeline
    }

    /// Brings new images into the layout `GENERAL`.
    unsafe fn to_general(
        &self,
        commands: vk::CommandBuffer,
        images: [&[Image]; 2],
        formats: &[vk::Format],
        layers: u32,
    ) {
        let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = |(image, &format): (&Image, &vk::Format)| {
            vk::ImageMemoryBarrier::builder()
                .dst_access_mask(memory)
                .old_layout(vk::ImageLayout::UNDEFINED)
                .new_layout(vk::ImageLayout::GENERAL)
                .image(image.image)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask: aspects(format),
                    base_mip_level: 0,
                    level_count: 1,
                    base_array_layer: 0,
                    layer_count: layers,
                })
        };
        let all = images.into_iter().flat_map(|images| images.iter().zip(formats));
        let barriers: Vec<_> = all.map(barrier).collect();
        unsafe {
            self.device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[] as &[vk::MemoryBarrier],
                &[] as &[vk::BufferMemoryBarrier],
                &barriers,
            );
        }
    }

    /// Ends rendering, and orders it before the commands that follow.
    unsafe fn end_rendering(&self, commands: vk::CommandBuffer, density_offsets: &[vk::Offset2D]) {
        let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::MemoryBarrier::builder().src_access_mask(memory).dst_access_mask(memory);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let (buffers, images) = (&[] as &[vk::BufferMemoryBarrier], &[] as &[vk::ImageMemoryBarrier]);
        let flags = vk::DependencyFlags::empty();
        unsafe {
            if density_offsets.is_empty() {
                self.device.cmd_end_rendering(commands);
            } else {
                let mut offsets = vk::RenderPassFragmentDensityMapOffsetEndInfoEXT::builder()
                    .fragment_density_offsets(density_offsets);
                let info = vk::RenderingEndInfoKHR::builder().push_next(&mut offsets);
                self.device.cmd_end_rendering2_ext(commands, Some(&info));
            }
            self.device.cmd_pipeline_barrier(commands, all, all, flags, &[barrier], buffers, images);
        }
    }

    #[allow(clippy::too_many_lines, reason = "the commands of one picture, one after the other")]
    fn run(&self, scene: &Scene, record: impl FnOnce(vk::CommandBuffer)) -> Result<Picture, vk::ErrorCode> {
        assert!(scene.formats.len() <= COLORS);
        let (device, samples, commands) = (&self.device, scene.state.samples, self.commands);
        let formats: Vec<_> = scene.formats.iter().copied().chain([vk::Format::D32_SFLOAT_S8_UINT]).collect();
        let count = |index: usize| match scene.state.color_samples {
            _ if scene.single_sampled => 1,
            Some(count) if index < scene.formats.len() => count,
            _ => samples,
        };
        let plain = vk::ImageCreateFlags::empty();
        let flags = match scene.single_sampled {
            true => vk::ImageCreateFlags::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT,
            false if scene.density_offsets.is_empty() => plain,
            false => vk::ImageCreateFlags::FRAGMENT_DENSITY_MAP_OFFSET_EXT,
        };
        let images = formats.iter().enumerate();
        let images: Vec<_> =
            images.map(|(index, &format)| self.image(format, count(index), scene.layers, flags)).collect();
        let resolved: Vec<_> = match samples {
            _ if scene.single_sampled => Vec::new(),
            1 => Vec::new(),
            _ => formats.iter().map(|&format| self.image(format, 1, scene.layers, plain)).collect(),
        };
        let views = if scene.feedback { self.write_feedback(&images, &formats) } else { Vec::new() };
        self.fill(3, &[0; BUFFER_SIZE / 4]);
        let general = vk::ImageLayout::GENERAL;
        let load = if scene.is_loaded { vk::AttachmentLoadOp::LOAD } else { vk::AttachmentLoadOp::CLEAR };
        let attachment_of = |index: usize, load: vk::AttachmentLoadOp| {
            let clear_value = match aspects(formats[index]) {
                vk::ImageAspectFlags::COLOR => {
                    vk::ClearValue { color: vk::ClearColorValue { float32: scene.clear } }
                }
                _ => vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 0.5, stencil: 1 } },
            };
            let mut info = vk::RenderingAttachmentInfo::builder()
                .image_view(images[index].view)
                .image_layout(general)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(clear_value);
            let float = formats[index] == vk::Format::R32G32B32A32_SFLOAT;
            let mode = match float {
                _ if scene.custom_resolve => vk::ResolveModeFlags::CUSTOM_EXT,
                true => vk::ResolveModeFlags::AVERAGE,
                false => vk::ResolveModeFlags::SAMPLE_ZERO,
            };
            if scene.single_sampled {
                info = info.resolve_mode(mode);
            } else if let Some(target) = resolved.get(index).filter(|_| count(index) > 1) {
                info = info.resolve_mode(mode).resolve_image_view(target.view).resolve_image_layout(general);
            }
            info.build()
        };
        let all = 0..scene.formats.len();
        let colors: Vec<_> = all.clone().map(|index| attachment_of(index, load)).collect();
        let depth = attachment_of(scene.formats.len(), load);
        let single_sampled = vk::MultisampledRenderToSingleSampledInfoEXT::builder()
            .multisampled_render_to_single_sampled_enable(true)
            .rasterization_samples(vk::SampleCountFlags::from_bits_truncate(samples))
            .build();
        let texels = (SIZE * SIZE) as usize;
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
            self.to_general(commands, [&images, &resolved], &formats, scene.layers);
            let flag = |is_on: bool, flag| if is_on { flag } else { vk::RenderingFlags::empty() };
            let flags = flag(scene.dither, vk::RenderingFlags::ENABLE_LEGACY_DITHERING_EXT)
                | flag(scene.custom_resolve, vk::RenderingFlags::CUSTOM_RESOLVE_EXT)
                | flag(scene.density_layers, vk::RenderingFlags::PER_LAYER_FRAGMENT_DENSITY_VALVE);
            let rates = self.rates(scene, commands);
            let [width, height] = scene.rates.as_ref().map_or([0; 2], |(_, pixels)| *pixels);
            let view = rates.as_ref().map_or(vk::ImageView::null(), |rates| rates.view);
            let none = vk::ImageView::null();
            let (rate_view, map) = match scene.has_densities() {
                _ if scene.state.palette.is_some() => {
                    device.cmd_bind_shading_rate_image_nv(commands, view, general);
                    (none, none)
                }
                true => (none, view),
                false => (view, none),
            };
            let mut map = vk::RenderingFragmentDensityMapAttachmentInfoEXT::builder()
                .image_view(map)
                .image_layout(general);
            let mut attachment = vk::RenderingFragmentShadingRateAttachmentInfoKHR::builder()
                .image_view(rate_view)
                .image_layout(general)
                .shading_rate_attachment_texel_size(vk::Extent2D { width, height });
            if scene.is_loaded {
                let clear = vk::AttachmentLoadOp::CLEAR;
                let mut attachments: Vec<_> =
                    (0..formats.len()).map(|index| attachment_of(index, clear)).collect();
                attachments.iter_mut().for_each(|one| one.resolve_mode = vk::ResolveModeFlags::empty());
                let depth = attachments.pop().expect("depth and stencil");
                let info = vk::RenderingInfo::builder()
                    .render_area(AREA)
                    .layer_count(scene.layers)
                    .color_attachments(&attachments)
                    .depth_attachment(&depth)
                    .stencil_attachment(&depth);
                device.cmd_begin_rendering(commands, &info);
                self.end_rendering(commands, &[]);
            }
            let mut info = vk::RenderingInfo::builder()
                .push_next(&mut attachment)
                .push_next(&mut map)
                .flags(flags)
                .render_area(AREA)
                .layer_count(scene.layers)
                .view_mask(scene.view_mask)
                .color_attachments(&colors)
                .depth_attachment(&depth)
                .stencil_attachment(&depth);
            let mut single_sampled = single_sampled;
            if scene.single_sampled {
                info = info.push_next(&mut single_sampled);
            }
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_vertex_buffers(commands, 0, &[self.buffers[0].buffer], &[0]);
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_descriptor_sets(commands, graphics, self.layout, 0, &[self.set], &[]);
            record(commands);
            self.end_rendering(commands, &scene.density_offsets);
            let source = |index: usize| if count(index) == 1 { &images[index] } else { &resolved[index] };
            let copy = |image: &Image, aspect_mask, offset: usize, layer_count| {
                let region = vk::BufferImageCopy::builder()
                    .buffer_offset(offset as u64)
                    .image_subresource(vk::ImageSubresourceLayers {
                        aspect_mask,
                        layer_count,
                        ..Default::default()
                    })
                    .image_extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 });
                let target = self.buffers[3].buffer;
                device.cmd_copy_image_to_buffer(commands, image.image, general, target, &[region]);
            };
            let stride = texels * 16 * scene.layers as usize;
            for index in 0..scene.formats.len() {
                copy(source(index), vk::ImageAspectFlags::COLOR, index * stride, scene.layers);
            }
            let (image, at) = (source(scene.formats.len()), scene.formats.len() * stride);
            copy(image, vk::ImageAspectFlags::DEPTH, at, 1);
            copy(image, vk::ImageAspectFlags::STENCIL, at + 4 * texels, 1);
            let ended = device.end_command_buffer(commands);
            let done = ended.and_then(|()| self.try_submit_and_wait(commands));
            views.into_iter().for_each(|view| device.destroy_image_view(view, None));
            images.iter().chain(&resolved).chain(&rates).for_each(|image| self.free(image));
            done?;
            let colors = (0..scene.formats.len()).map(|index| self.read(3, index * stride, stride / 4));
            let stencil = self.read(3, at + 4 * texels, texels / 4);
            Ok(Picture {
                colors: colors.collect(),
                depth: self.read(3, at, texels).into_iter().map(f32::from_bits).collect(),
                stencil: stencil.into_iter().flat_map(u32::to_le_bytes).collect(),
                words: self.read(2, 0, WORDS),
            })
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let device = &self.device;
        unsafe {
            // A lost device says so; the objects go all the same.
            let _ = device.device_wait_idle();
            device.destroy_descriptor_pool(self.descriptors, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            self.buffers.iter().for_each(|buffer| device.destroy_buffer(buffer.buffer, None));
            self.memories.iter().for_each(|&memory| device.free_memory(memory, None));
        }
    }
}
