//! Render passes, pipelines with images, and what is recorded with them.

use ash::vk;

use super::image::{Role, Texture};
use super::{Buffer, Commands, Gpu, Result};

/// Where each kind of resource has its bindings: storage buffers, combined image samplers, storage images.
const BUFFERS: u32 = 0;
const TEXTURES: u32 = 2;
const IMAGES: u32 = 4;
/// Bytes of push constants: what every device has.
const PUSH_SIZE: u32 = 128;

/// The stages that see resources and push constants.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw()
        | vk::ShaderStageFlags::FRAGMENT.as_raw()
        | vk::ShaderStageFlags::COMPUTE.as_raw(),
);

/// A device for graphics.
pub(crate) struct Graphics<'g> {
    pub(crate) gpu: &'g Gpu,
}

/// What draws go to.
#[derive(Clone, Copy)]
pub(crate) struct Attachments<'a> {
    /// Shaders of later passes sample the colours.
    pub(crate) is_sampled: bool,
    /// Of colours; above one sample each is resolved.
    pub(crate) formats: &'a [vk::Format],
    /// With depth, and perhaps stencil.
    pub(crate) depth: Option<vk::Format>,
    pub(crate) samples: u32,
}

impl Default for Attachments<'_> {
    /// One of RGBA8 with one sample.
    fn default() -> Self {
        let formats = &[vk::Format::R8G8B8A8_UNORM];
        Attachments { is_sampled: false, formats, depth: None, samples: 1 }
    }
}

/// Where draws go.
pub(crate) struct Target {
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    extent: [u32; 2],
    samples: vk::SampleCountFlags,
    has_depth: bool,
    /// How many colours there are.
    colors: usize,
    /// The image that the pass leaves its first colours in, resolved; without colours its depths.
    pub(crate) color: Texture,
    /// Those of the other colours.
    pub(crate) others: Vec<Texture>,
}

/// What a pipeline's shaders read and write.
#[derive(Default)]
pub(crate) struct Resources<'a> {
    pub(crate) buffers: &'a [&'a Buffer],
    pub(crate) textures: &'a [(&'a Texture, vk::Sampler)],
    pub(crate) images: &'a [&'a Texture],
}

/// A graphics pipeline's state.
pub(crate) struct State<'a> {
    pub(crate) vertex: &'a [u32],
    /// What makes primitives of points; without, vertices are triangles.
    pub(crate) geometry: Option<&'a [u32]>,
    /// Without, depth and stencil alone are written.
    pub(crate) fragment: Option<&'a [u32]>,
    /// Bytes from one vertex to the next; the buffer is binding 0.
    pub(crate) stride: u32,
    /// Format and offset of each location.
    pub(crate) attributes: &'a [(vk::Format, u32)],
    /// Bytes from one instance to the next of binding 1, and format and offset of the next locations.
    pub(crate) instanced: Option<(u32, &'a [(vk::Format, u32)])>,
    pub(crate) blend: Blend,
    /// Tests for less and writes.
    pub(crate) depth: bool,
    pub(crate) stencil: Stencil,
    pub(crate) topology: Topology,
    /// Of triangles the edges are drawn, as lines of width 1.
    pub(crate) polygon_lines: bool,
    /// The first colour's alpha decides which samples are covered.
    pub(crate) alpha_to_coverage: bool,
}

/// What becomes of the colours that were there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blend {
    None,
    /// They are mixed by the source's alpha.
    Alpha,
    /// The source is added.
    Add,
}

/// What vertices make, without a geometry shader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topology {
    Triangles,
    /// The index with all bits set ends a strip.
    Strips,
    /// Of width 1.
    Lines,
    /// Squares whose size the vertex shader says.
    Points,
}

/// What a pipeline does with stencil values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stencil {
    None,
    /// Writes this.
    Write(u32),
    /// Draws where the value is this.
    Equal(u32),
    /// Inverts values and draws nothing.
    Invert,
    /// Draws where the value is not 0, and makes it 0.
    Cover,
}

impl<'a> State<'a> {
    /// Shaders that read no vertices, without blending and depth.
    pub(crate) fn new(vertex: &'a [u32], fragment: &'a [u32]) -> Self {
        State {
            vertex,
            geometry: None,
            fragment: Some(fragment),
            stride: 0,
            attributes: &[],
            instanced: None,
            blend: Blend::None,
            depth: false,
            stencil: Stencil::None,
            topology: Topology::Triangles,
            polygon_lines: false,
            alpha_to_coverage: false,
        }
    }

    /// What vertices make before any geometry shader.
    fn primitives(&self) -> vk::PrimitiveTopology {
        match (self.geometry, self.topology) {
            (Some(_), _) => vk::PrimitiveTopology::POINT_LIST,
            (None, Topology::Points) => vk::PrimitiveTopology::POINT_LIST,
            (None, Topology::Lines) => vk::PrimitiveTopology::LINE_LIST,
            (None, Topology::Strips) => vk::PrimitiveTopology::TRIANGLE_STRIP,
            (None, Topology::Triangles) => vk::PrimitiveTopology::TRIANGLE_LIST,
        }
    }
}

/// A pipeline of either kind with its descriptor set.
pub(crate) struct Program {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: Option<vk::DescriptorSet>,
}

/// One draw.
#[derive(Clone, Copy)]
pub(crate) struct Draw<'a> {
    pub(crate) program: &'a Program,
    pub(crate) vertices: Option<&'a Buffer>,
    /// 32-bit indices.
    pub(crate) indices: Option<&'a Buffer>,
    /// The first vertex or index, and how many.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) instances: u32,
    /// What differs by instance.
    pub(crate) instanced: Option<&'a Buffer>,
    pub(crate) push: &'a [f32],
    /// Viewport and scissor, x, y, width and height; the whole target where none is given.
    pub(crate) area: Option<[u32; 4]>,
    /// The scissor, where it is another.
    pub(crate) scissor: Option<[u32; 4]>,
}

/// One step of a command buffer.
pub(crate) enum Work<'a> {
    /// A render pass that clears and draws.
    Render(&'a Target, &'a [Draw<'a>]),
    /// A dispatch of so many workgroups.
    Dispatch(&'a Program, [u32; 3]),
    /// A copy into every level of an image.
    Upload(&'a Buffer, &'a Texture),
    /// A copy out of every level of an image.
    Readback(&'a Texture, &'a Buffer),
    /// Blits that make every level below the first.
    Levels(&'a Texture),
}

impl<'a> Draw<'a> {
    /// A draw of so many vertices without buffers.
    pub(crate) fn new(program: &'a Program, count: u32) -> Self {
        Self {
            program,
            vertices: None,
            indices: None,
            first: 0,
            count,
            instances: 1,
            instanced: None,
            push: &[],
            area: None,
            scissor: None,
        }
    }
}

impl<'g> Graphics<'g> {
    /// The device, if it draws.
    pub(crate) fn new(gpu: &'g Gpu) -> Result<Self> {
        gpu.require_graphics()?;
        Ok(Self { gpu })
    }

    /// A target of this size, of RGBA8; `samples` above 1 adds a resolve.
    pub(crate) fn target(&self, extent: [u32; 2], depth: bool, samples: u32) -> Result<Target> {
        let depth = depth.then_some(vk::Format::D32_SFLOAT);
        self.target_of(extent, Attachments { depth, samples, ..Attachments::default() })
    }

    /// A target of this size. Attachments in order: colours, what they are resolved to, depth.
    pub(crate) fn target_of(&self, extent: [u32; 2], attachments: Attachments<'_>) -> Result<Target> {
        let Attachments { is_sampled, formats, depth, samples } = attachments;
        let count = formats.len();
        let samples = vk::SampleCountFlags::from_raw(samples);
        let one = vk::SampleCountFlags::TYPE_1;
        let role = if is_sampled { Role::SampledColor } else { Role::Color };
        let color = |format, samples| self.gpu.image_of(role, format, extent, 1, samples);
        let mut colors = formats.iter().map(|&format| color(format, one)).collect::<Result<Vec<_>>>()?;
        let attachment = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let common = vk::AttachmentDescription::default()
            .samples(samples)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .stencil_load_op(vk::AttachmentLoadOp::CLEAR)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .final_layout(attachment);
        let kept = common.samples(one).store_op(vk::AttachmentStoreOp::STORE);
        let (mut views, mut descriptions) = (Vec::new(), Vec::new());
        if samples != one {
            for &format in formats {
                views.push(color(format, samples)?.view);
                descriptions.push(common.format(format));
            }
        }
        let load_op =
            if samples == one { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::DONT_CARE };
        descriptions.extend(
            formats
                .iter()
                .zip(&colors)
                .map(|(&format, color)| kept.format(format).load_op(load_op).final_layout(color.layout)),
        );
        views.extend(colors.iter().map(|color| color.view));
        let depth_index = views.len() as u32;
        if let Some(format) = depth {
            // Depths that are all there is are kept.
            let (role, common) = if count == 0 { (Role::SampledDepth, kept) } else { (Role::Depth, common) };
            let image = self.gpu.image_of(role, format, extent, 1, samples)?;
            descriptions.push(common.format(format).final_layout(image.layout));
            views.push(image.view);
            if count == 0 {
                colors.push(image);
            }
        }
        let reference = |index, layout| vk::AttachmentReference { attachment: index, layout };
        let references = |from: u32| (from..from + count as u32).map(|index| reference(index, attachment));
        let (drawn, resolved): (Vec<_>, Vec<_>) =
            (references(0).collect(), references(count as u32).collect());
        let depth_reference = reference(depth_index, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        let mut subpass = vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&drawn);
        if samples != one {
            subpass = subpass.resolve_attachments(&resolved);
        }
        if depth.is_some() {
            subpass = subpass.depth_stencil_attachment(&depth_reference);
        }
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let dependency = vk::SubpassDependency::default()
            .src_stage_mask(vk::PipelineStageFlags::ALL_COMMANDS)
            .dst_stage_mask(vk::PipelineStageFlags::ALL_COMMANDS)
            .src_access_mask(all)
            .dst_access_mask(all);
        let dependencies = [
            dependency.src_subpass(vk::SUBPASS_EXTERNAL).dst_subpass(0),
            dependency.src_subpass(0).dst_subpass(vk::SUBPASS_EXTERNAL),
        ];
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&descriptions)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        // SAFETY: everything that `info` points at lives until the call returns.
        let pass = unsafe { self.gpu.device.create_render_pass(&info, None) }?;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(extent[0])
            .height(extent[1])
            .layers(1);
        // SAFETY: pass and views are live and agree.
        let framebuffer = unsafe { self.gpu.device.create_framebuffer(&info, None) }?;
        let (color, others) = (colors.remove(0), colors);
        let (has_depth, colors) = (depth.is_some(), count);
        Ok(Target { pass, framebuffer, extent, samples, has_depth, colors, color, others })
    }

    /// Makes modules and a pipeline for draws into targets like this one.
    pub(crate) fn program(
        &self,
        target: &Target,
        state: &State<'_>,
        bound: &Resources<'_>,
    ) -> Result<Program> {
        let device = &self.gpu.device;
        let (layout, set) = self.bind(bound)?;
        let mut stages = Vec::new();
        let kinds = [
            (vk::ShaderStageFlags::VERTEX, Some(state.vertex)),
            (vk::ShaderStageFlags::GEOMETRY, state.geometry),
            (vk::ShaderStageFlags::FRAGMENT, state.fragment),
        ];
        for (stage, spirv) in kinds {
            let Some(spirv) = spirv else { continue };
            let info = vk::ShaderModuleCreateInfo::default().code(spirv);
            // SAFETY: `spirv` lives until the call returns.
            let module = unsafe { device.create_shader_module(&info, None) }?;
            stages
                .push(vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main"));
        }
        let (mut bindings, mut attributes) = (Vec::new(), Vec::new());
        let (each, instance) = (vk::VertexInputRate::VERTEX, vk::VertexInputRate::INSTANCE);
        let vertices = (!state.attributes.is_empty()).then_some((each, (state.stride, state.attributes)));
        let instances = state.instanced.map(|instanced| (instance, instanced));
        for (binding, of_binding) in [vertices, instances].into_iter().enumerate() {
            let Some((input_rate, (stride, list))) = of_binding else { continue };
            let binding = binding as u32;
            bindings.push(vk::VertexInputBindingDescription { binding, stride, input_rate });
            for &(format, offset) in list {
                let location = attributes.len() as u32;
                attributes.push(vk::VertexInputAttributeDescription { location, binding, format, offset });
            }
        }
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .primitive_restart_enable(state.topology == Topology::Strips)
            .topology(state.primitives());
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(if state.polygon_lines { vk::PolygonMode::LINE } else { vk::PolygonMode::FILL })
            .cull_mode(vk::CullModeFlags::NONE)
            .line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(target.samples)
            .alpha_to_coverage_enable(state.alpha_to_coverage);
        assert!(target.has_depth || !state.depth, "depth tests need a target with depth");
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(state.depth)
            .depth_write_enable(state.depth)
            .depth_compare_op(vk::CompareOp::LESS);
        let (pass, compare, reference) = match state.stencil {
            Stencil::None => (vk::StencilOp::KEEP, vk::CompareOp::ALWAYS, 0),
            Stencil::Write(value) => (vk::StencilOp::REPLACE, vk::CompareOp::ALWAYS, value),
            Stencil::Equal(value) => (vk::StencilOp::KEEP, vk::CompareOp::EQUAL, value),
            Stencil::Invert => (vk::StencilOp::INVERT, vk::CompareOp::ALWAYS, 0),
            Stencil::Cover => (vk::StencilOp::ZERO, vk::CompareOp::NOT_EQUAL, 0),
        };
        let face = vk::StencilOpState {
            pass_op: pass,
            compare_op: compare,
            compare_mask: 0xff,
            write_mask: 0xff,
            reference,
            ..Default::default()
        };
        let depth = depth.stencil_test_enable(state.stencil != Stencil::None).front(face).back(face);
        let (source, there) = match state.blend {
            Blend::Add => (vk::BlendFactor::ONE, vk::BlendFactor::ONE),
            Blend::None | Blend::Alpha => (vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA),
        };
        let blend_attachment = vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(state.blend != Blend::None)
            .src_color_blend_factor(source)
            .dst_color_blend_factor(there)
            .src_alpha_blend_factor(vk::BlendFactor::ONE)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .color_write_mask(match state.stencil {
                Stencil::Invert => vk::ColorComponentFlags::empty(),
                _ => vk::ColorComponentFlags::RGBA,
            });
        let blend_attachments = vec![blend_attachment; target.colors];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend_attachments);
        let dynamics = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamics);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .render_pass(target.pass)];
        // SAFETY: everything that `info` points at lives until the call returns.
        let pipelines = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) }
            .map_err(|(_, error)| error)?;
        Ok(Program { pipeline: pipelines[0], layout, set })
    }

    /// Makes a compute pipeline that may use images; `constants` are specialization constants 0, 1 and on.
    pub(crate) fn kernel(&self, spirv: &[u32], constants: &[u32], bound: &Resources<'_>) -> Result<Program> {
        let device = &self.gpu.device;
        let (layout, set) = self.bind(bound)?;
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: `spirv` lives until the call returns.
        let module = unsafe { device.create_shader_module(&info, None) }?;
        let entries: Vec<_> = (0..constants.len() as u32)
            .map(|id| vk::SpecializationMapEntry { constant_id: id, offset: id * 4, size: 4 })
            .collect();
        let data: Vec<u8> = constants.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .specialization_info(&specialization)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        // SAFETY: module, layout, name and constants are live.
        let pipelines = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) }
            .map_err(|(_, error)| error)?;
        Ok(Program { pipeline: pipelines[0], layout, set })
    }

    /// The layout of just these resources, and a set of them unless there are none.
    fn bind(&self, bound: &Resources<'_>) -> Result<(vk::PipelineLayout, Option<vk::DescriptorSet>)> {
        let device = &self.gpu.device;
        let kinds = [
            (BUFFERS, bound.buffers.len() as u32, vk::DescriptorType::STORAGE_BUFFER),
            (TEXTURES, bound.textures.len() as u32, vk::DescriptorType::COMBINED_IMAGE_SAMPLER),
            (IMAGES, bound.images.len() as u32, vk::DescriptorType::STORAGE_IMAGE),
        ];
        let (mut bindings, mut sizes) = (Vec::new(), Vec::new());
        for (first, count, kind) in kinds {
            if count > 0 {
                sizes.push(vk::DescriptorPoolSize { ty: kind, descriptor_count: count });
            }
            bindings.extend((first..first + count).map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(STAGES)
            }));
        }
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: `bindings` lives until the call returns.
        let set_layouts = [unsafe { device.create_descriptor_set_layout(&info, None) }?];
        let ranges = [vk::PushConstantRange::default().stage_flags(STAGES).size(PUSH_SIZE)];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
        // SAFETY: as above.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }?;
        if sizes.is_empty() {
            return Ok((layout, None));
        }
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: `sizes` lives until the call returns.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
        // SAFETY: the pool holds exactly this set.
        let set = unsafe { device.allocate_descriptor_sets(&info) }?[0];
        for (binding, buffer) in (BUFFERS..).zip(bound.buffers) {
            let info = [vk::DescriptorBufferInfo::default().buffer(buffer.handle).range(vk::WHOLE_SIZE)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&info);
            // SAFETY: the set is not in use and the buffer is live; likewise below.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        for (binding, (texture, sampler)) in (TEXTURES..).zip(bound.textures) {
            self.write_image(set, binding, texture, *sampler);
        }
        for (binding, image) in (IMAGES..).zip(bound.images) {
            self.write_image(set, binding, image, vk::Sampler::null());
        }
        Ok((layout, Some(set)))
    }

    fn write_image(&self, set: vk::DescriptorSet, binding: u32, image: &Texture, sampler: vk::Sampler) {
        let kind = if sampler == vk::Sampler::null() {
            vk::DescriptorType::STORAGE_IMAGE
        } else {
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        };
        let info = [vk::DescriptorImageInfo { sampler, image_view: image.view, image_layout: image.layout }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(kind)
            .image_info(&info);
        // SAFETY: the set is not in use, and view and sampler are live.
        unsafe { self.gpu.device.update_descriptor_sets(&[write], &[]) };
    }

    /// Records work into a command buffer that may be submitted again and again.
    pub(crate) fn record(&self, work: &[Work<'_>]) -> Result<Commands> {
        let commands = self.gpu.begin()?;
        let device = &self.gpu.device;
        for item in work {
            match item {
                Work::Render(target, draws) => self.render(commands, target, draws),
                Work::Dispatch(program, groups) => {
                    let point = vk::PipelineBindPoint::COMPUTE;
                    let all = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
                    let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
                    let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
                    let flags = vk::DependencyFlags::empty();
                    // SAFETY: recording; the program's objects belong to this device.
                    unsafe {
                        device.cmd_pipeline_barrier(commands, stage, stage, flags, &barrier, &[], &[]);
                        device.cmd_bind_pipeline(commands, point, program.pipeline);
                        if let Some(set) = program.set {
                            let layout = program.layout;
                            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                        }
                        device.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
                    }
                }
                Work::Upload(source, texture) => self.gpu.upload(commands, source, texture),
                Work::Readback(texture, target) => self.gpu.readback(commands, texture, target),
                Work::Levels(texture) => self.gpu.blit_levels(commands, texture),
            }
        }
        self.gpu.finish(commands)
    }

    fn render(&self, commands: vk::CommandBuffer, target: &Target, draws: &[Draw<'_>]) {
        let device = &self.gpu.device;
        let point = vk::PipelineBindPoint::GRAPHICS;
        // Resolved attachments' values are not used.
        let color = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } };
        let depth = vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };
        let is_resolved = target.samples != vk::SampleCountFlags::TYPE_1;
        let mut clears = vec![color; target.colors * (1 + usize::from(is_resolved))];
        clears.push(depth);
        let whole = [0, 0, target.extent[0], target.extent[1]];
        let rectangle = |[x, y, width, height]: [u32; 4]| vk::Rect2D {
            offset: vk::Offset2D { x: x as i32, y: y as i32 },
            extent: vk::Extent2D { width, height },
        };
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(rectangle(whole))
            .clear_values(&clears);
        // SAFETY: recording; every object below is live, of this device, and made for this pass.
        unsafe {
            device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            let (mut bound, mut set_area, mut set_scissor) = (None, None, None);
            for draw in draws {
                if bound != Some(draw.program.pipeline) {
                    device.cmd_bind_pipeline(commands, point, draw.program.pipeline);
                    if let Some(set) = draw.program.set {
                        let layout = draw.program.layout;
                        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                    }
                    bound = Some(draw.program.pipeline);
                }
                let area = draw.area.unwrap_or(whole);
                if set_area != Some(area) {
                    let [x, y, width, height] = area.map(|value| value as f32);
                    let viewport = vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 };
                    device.cmd_set_viewport(commands, 0, &[viewport]);
                    set_area = Some(area);
                }
                let scissor = draw.scissor.unwrap_or(area);
                if set_scissor != Some(scissor) {
                    device.cmd_set_scissor(commands, 0, &[rectangle(scissor)]);
                    set_scissor = Some(scissor);
                }
                if !draw.push.is_empty() {
                    let bytes: Vec<u8> = draw.push.iter().flat_map(|value| value.to_ne_bytes()).collect();
                    device.cmd_push_constants(commands, draw.program.layout, STAGES, 0, &bytes);
                }
                if let Some(vertices) = draw.vertices {
                    device.cmd_bind_vertex_buffers(commands, 0, &[vertices.handle], &[0]);
                }
                if let Some(instanced) = draw.instanced {
                    device.cmd_bind_vertex_buffers(commands, 1, &[instanced.handle], &[0]);
                }
                if let Some(indices) = draw.indices {
                    device.cmd_bind_index_buffer(commands, indices.handle, 0, vk::IndexType::UINT32);
                    device.cmd_draw_indexed(commands, draw.count, draw.instances, draw.first, 0, 0);
                } else {
                    device.cmd_draw(commands, draw.count, draw.instances, draw.first, 0);
                }
            }
            device.cmd_end_render_pass(commands);
        }
    }
}
