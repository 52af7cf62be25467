//! Scripts as programs: records and submits their commands on a device of their own.

use crate::capabilities;
use crate::script::{Script, Step};
use crate::way::{self, Action, At, Way};
use pyro_test_kit::{Client, Gpu};
use std::collections::HashMap;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtMeshShaderExtensionDeviceCommands as _, KhrRayTracingPipelineExtensionDeviceCommands as _,
};

/// Bytes of each buffer.
const BYTES: u64 = 256;
/// Texels of a side of the image.
const SIDE: u32 = 8;
/// Shader binding tables, and the bytes of each.
const TABLES: u64 = 64;
const TABLE_BYTES: u64 = 64;
/// Where the third buffer has a number that is too great for a count.
const MANY: u64 = 192;
/// The whole of the image.
const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};
const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

type Scope = (vk::PipelineStageFlags2, vk::AccessFlags2);

/// The device and what scripts share.
pub struct Player {
    gpu: Gpu,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    /// Without comparison, and with.
    samplers: [vk::Sampler; 2],
    /// For shader binding tables, one for each way: the buffer, its device address, and where it is mapped.
    tables: (vk::Buffer, vk::DeviceMemory, u64, *mut u8),
    /// Shaders declare no capability that they do not use.
    declares_used: bool,
}

/// The objects of one script.
struct Objects {
    /// What is accessed, what is written beside it, and what is only read.
    buffers: [(vk::Buffer, vk::DeviceMemory); 3],
    image: (vk::Image, vk::DeviceMemory),
    view: vk::ImageView,
    set: vk::DescriptorSet,
    event: vk::Event,
    semaphore: vk::Semaphore,
    pipelines: HashMap<&'static str, vk::Pipeline>,
    /// A view of another type.
    retyped: Option<vk::ImageView>,
    /// Where the first buffer is mapped.
    mapped: Option<*mut u8>,
}

/// A script that runs.
struct Run<'p> {
    player: &'p Player,
    script: &'p Script,
    ways: (Option<Way>, Way),
    objects: Objects,
    commands: vk::CommandBuffer,
    used: Vec<vk::CommandBuffer>,
    image_layout: vk::ImageLayout,
    signals: bool,
    waits: bool,
    is_view_destroyed: bool,
    /// The file that shaders are of.
    file: String,
}

impl Player {
    /// On a device of its own.
    pub fn new() -> Player {
        let client = Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
        let features = unsafe { client.instance.get_physical_device_features(client.physical_device) };
        let mut rays =
            vk::PhysicalDeviceRayTracingPipelineFeaturesKHR { ray_tracing_pipeline: 1, ..Default::default() };
        let mut mesh = vk::PhysicalDeviceMeshShaderFeaturesEXT {
            next: (&raw mut rays).cast(),
            mesh_shader: 1,
            ..Default::default()
        };
        let mut modern = vk::PhysicalDeviceVulkan12Features {
            next: (&raw mut mesh).cast(),
            buffer_device_address: 1,
            draw_indirect_count: 1,
            ..Default::default()
        };
        let mut interlock = vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT {
            next: (&raw mut modern).cast(),
            fragment_shader_pixel_interlock: 1,
            ..Default::default()
        };
        let mut newest = vk::PhysicalDeviceVulkan13Features {
            next: (&raw mut interlock).cast(),
            synchronization2: 1,
            dynamic_rendering: 1,
            ..Default::default()
        };
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_KHR_ray_tracing_pipeline",
            c"VK_EXT_mesh_shader",
            c"VK_EXT_fragment_shader_interlock",
        ];
        let gpu = client.device(&extensions, Some(&features), (&raw mut newest).cast());
        let device = &gpu.device;
        let types = [
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::STORAGE_IMAGE,
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::UNIFORM_BUFFER,
        ];
        let bindings: Vec<_> = (0..)
            .zip(types)
            .map(|(binding, ty)| {
                vk::DescriptorSetLayoutBinding::builder()
                    .binding(binding)
                    .descriptor_type(ty)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::ALL)
            })
            .collect();
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
            let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let sizes = types.map(|type_| vk::DescriptorPoolSize { type_, descriptor_count: 64 });
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(64).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None).expect("a pool");
            let plain = vk::SamplerCreateInfo::default();
            let compares = vk::SamplerCreateInfo { compare_enable: 1, ..plain };
            let samplers =
                [plain, compares].map(|info| device.create_sampler(&info, None).expect("a sampler"));
            let usage =
                vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            let (buffer, memory, mapped) = gpu.mapped_buffer(TABLES * TABLE_BYTES, usage);
            let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
            let tables = (buffer, memory, device.get_buffer_device_address(&info), mapped);
            Player { set_layout, layout, pool, samplers, tables, declares_used: false, gpu }
        }
    }

    /// The same, whose shaders declare no capability that they do not use.
    pub fn of_any_driver() -> Player {
        let mut player = Player::new();
        player.declares_used = true;
        player
    }

    fn module(&self, text: &str) -> vk::ShaderModule {
        match self.declares_used {
            true => self.gpu.shader_module(&capabilities::used(text)),
            false => self.gpu.shader_module(text),
        }
    }

    /// Runs a variant of a script with these ways.
    pub fn run(&self, script: &Script, ways: (Option<Way>, Way), variant: &str) {
        let objects = self.objects(script);
        let file =
            format!("ways {} {} {} {variant}", script.name, ways.0.map_or("", |way| way.name), ways.1.name);
        let commands = self.begin(&file);
        let image_layout = layout_named(&script.layout);
        let mut run = Run {
            player: self,
            script,
            ways,
            objects,
            commands,
            used: Vec::new(),
            image_layout,
            signals: false,
            waits: false,
            is_view_destroyed: false,
            file,
        };
        for step in &script.variants[variant] {
            run.step(step);
        }
        run.submit();
        run.end();
    }

    /// A command buffer with a label that no other has, so that all findings are told.
    fn begin(&self, label: &str) -> vk::CommandBuffer {
        let commands = self.gpu.command_buffer();
        let info = vk::CommandBufferBeginInfo::default();
        let name = std::ffi::CString::new(label).expect("no zeros");
        let label = vk::DebugUtilsLabelEXT { label_name: name.as_ptr(), ..Default::default() };
        unsafe {
            self.gpu.device.begin_command_buffer(commands, &info).expect("begins");
            // A command of the instance's extension.
            let begin = self.gpu.instance.commands().cmd_begin_debug_utils_label_ext;
            begin(commands, &label);
        }
        commands
    }

    fn memory(&self, needs: vk::MemoryRequirements) -> vk::DeviceMemory {
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        unsafe { self.gpu.device.allocate_memory(&info, None) }.expect("memory")
    }

    fn buffer(&self) -> (vk::Buffer, vk::DeviceMemory) {
        let device = &self.gpu.device;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let info = vk::BufferCreateInfo::builder().size(BYTES).usage(usage);
        unsafe {
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let memory = self.memory(device.get_buffer_memory_requirements(buffer));
            device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            (buffer, memory)
        }
    }

    fn objects(&self, script: &Script) -> Objects {
        let device = &self.gpu.device;
        let buffers = [self.buffer(), self.buffer(), self.buffer()];
        let usage = vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .flags(vk::ImageCreateFlags::MUTABLE_FORMAT)
            .usage(usage);
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let memory = self.memory(device.get_image_memory_requirements(image));
            device.bind_image_memory(image, memory, 0).expect("bound");
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(vk::Format::R32_UINT)
                .subresource_range(WHOLE);
            let view = device.create_image_view(&info, None).expect("a view");
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(self.pool)
                .set_layouts(slice::from_ref(&self.set_layout));
            let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
            let event = device.create_event(&Default::default(), None).expect("an event");
            let semaphore = device.create_semaphore(&Default::default(), None).expect("a semaphore");
            self.write_set(set, &buffers, view, script);
            self.fill(script, &buffers, image);
            let image = (image, memory);
            let flags = vk::MemoryMapFlags::empty();
            let mapped = script.mapped.then(|| {
                device.map_memory(buffers[0].1, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u8>()
            });
            let (pipelines, retyped) = (HashMap::new(), None);
            Objects { buffers, image, view, set, event, semaphore, pipelines, retyped, mapped }
        }
    }

    fn write_set(
        &self,
        set: vk::DescriptorSet,
        buffers: &[(vk::Buffer, vk::DeviceMemory); 3],
        view: vk::ImageView,
        script: &Script,
    ) {
        let whole =
            |index: usize| [vk::DescriptorBufferInfo { buffer: buffers[index].0, offset: 0, range: BYTES }];
        let (a, c) = (whole(0), whole(1));
        let image_layout = layout_named(&script.layout);
        let image = [vk::DescriptorImageInfo { image_view: view, image_layout, sampler: self.samplers[0] }];
        let write = |binding: u32, ty: vk::DescriptorType| {
            vk::WriteDescriptorSet::builder().dst_set(set).dst_binding(binding).descriptor_type(ty)
        };
        let mut writes = vec![
            write(0, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&a),
            write(1, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&c),
            write(4, vk::DescriptorType::UNIFORM_BUFFER).buffer_info(&a),
            write(2, vk::DescriptorType::STORAGE_IMAGE).image_info(&image),
            write(3, vk::DescriptorType::COMBINED_IMAGE_SAMPLER).image_info(&image),
        ];
        if script.unwritten {
            writes = vec![write(1, vk::DescriptorType::STORAGE_BUFFER).buffer_info(&c)];
        }
        unsafe { self.gpu.device.update_descriptor_sets(&writes, &[] as &[vk::CopyDescriptorSet]) };
    }

    /// Writes everything, and puts the image into its layout; the host waits for that.
    fn fill(&self, script: &Script, buffers: &[(vk::Buffer, vk::DeviceMemory); 3], image: vk::Image) {
        let device = &self.gpu.device;
        self.gpu.run(|commands| unsafe {
            device.cmd_fill_buffer(commands, buffers[1].0, 0, BYTES, 0);
            device.cmd_fill_buffer(commands, buffers[2].0, 0, MANY, 0);
            device.cmd_fill_buffer(commands, buffers[2].0, MANY, BYTES - MANY, 9);
            let to = |old, new, second| {
                let all = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE);
                image_barrier(device, commands, image, (old, new), all, second);
            };
            let all = (
                vk::PipelineStageFlags2::ALL_COMMANDS,
                vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE,
            );
            to(vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL, all);
            if !script.fresh {
                device.cmd_fill_buffer(commands, buffers[0].0, 0, BYTES, 0);
                let color = vk::ClearColorValue::default();
                device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &color, &[WHOLE]);
            }
            let wanted = layout_named(&script.layout);
            if wanted != vk::ImageLayout::GENERAL && script.kind != "image-layout" {
                to(vk::ImageLayout::GENERAL, wanted, all);
            }
        });
    }

    fn pipeline(&self, way: &Way, file: &str) -> vk::Pipeline {
        let device = &self.gpu.device;
        let at = At { file, line: way.number() };
        unsafe {
            if let Action::Compute(body) = way.action {
                let module = self.module(&way::compute(at, body));
                let stage = vk::PipelineShaderStageCreateInfo::builder()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(module)
                    .name(b"main\0");
                let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(self.layout).build();
                let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
                device.destroy_shader_module(module, None);
                return made.expect("a pipeline").0[0];
            }
            if let Action::Rays(body) = way.action {
                return self.ray_pipeline(at, body);
            }
            self.graphics_pipeline(way, at)
        }
    }

    /// A pipeline of one ray generation shader, whose handle comes to the start of the tables.
    unsafe fn ray_pipeline(&self, at: At<'_>, body: &str) -> vk::Pipeline {
        let device = &self.gpu.device;
        unsafe {
            let module = self.gpu.shader_module(&way::rays(at, body));
            let stage = vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::RAYGEN_KHR)
                .module(module)
                .name(b"main\0");
            let group = vk::RayTracingShaderGroupCreateInfoKHR::builder()
                .type_(vk::RayTracingShaderGroupTypeKHR::GENERAL)
                .general_shader(0)
                .closest_hit_shader(vk::SHADER_UNUSED_KHR)
                .any_hit_shader(vk::SHADER_UNUSED_KHR)
                .intersection_shader(vk::SHADER_UNUSED_KHR);
            let info = vk::RayTracingPipelineCreateInfoKHR::builder()
                .stages(slice::from_ref(&stage))
                .groups(slice::from_ref(&group))
                .max_pipeline_ray_recursion_depth(1)
                .layout(self.layout)
                .build();
            let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
            let made = device.create_ray_tracing_pipelines_khr(operation, cache, &[info], None);
            let pipeline = made.expect("a pipeline").0[0];
            device.destroy_shader_module(module, None);
            let mut handle = [0; 32];
            device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, 1, &mut handle).expect("a handle");
            let table = self.tables.3.add((u64::from(at.line) * TABLE_BYTES) as usize);
            table.copy_from_nonoverlapping(handle.as_ptr(), handle.len());
            pipeline
        }
    }

    unsafe fn graphics_pipeline(&self, way: &Way, at: At<'_>) -> vk::Pipeline {
        let none = At { line: 0, ..at };
        let device = &self.gpu.device;
        let vertex = match way.action {
            Action::Vertex(body) => way::vertex(at, body),
            _ if way.name.starts_with("vertices") => way::attribute_vertex(),
            _ => way::vertex(none, "OpNop"),
        };
        let fragment = match way.action {
            Action::Fragment(body) => way::fragment(at, body),
            _ => way::fragment(none, "OpNop"),
        };
        let (before, first) = match way.action {
            Action::Mesh(body) => (way::mesh(at, body), vk::ShaderStageFlags::MESH_EXT),
            _ => (vertex, vk::ShaderStageFlags::VERTEX),
        };
        let modules = [before, fragment].map(|text| self.module(&text));
        let stages = [first, vk::ShaderStageFlags::FRAGMENT];
        let stages: Vec<_> = stages
            .into_iter()
            .zip(modules)
            .map(|(stage, module)| {
                vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
            })
            .collect();
        let binding = [vk::VertexInputBindingDescription { binding: 0, stride: 16, ..Default::default() }];
        let format = vk::Format::R32G32B32A32_SFLOAT;
        let attribute = [vk::VertexInputAttributeDescription { format, ..Default::default() }];
        let mut input = vk::PipelineVertexInputStateCreateInfo::builder();
        if way.name.starts_with("vertices") {
            input = input.vertex_binding_descriptions(&binding).vertex_attribute_descriptions(&attribute);
        }
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::POINT_LIST);
        let viewport =
            vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() };
        let scissor = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let viewports = vk::PipelineViewportStateCreateInfo::builder()
            .viewports(slice::from_ref(&viewport))
            .scissors(slice::from_ref(&scissor));
        let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
        let is_drawn = [vk::PipelineColorBlendAttachmentState::default()];
        let format = [vk::Format::R32_UINT];
        let mut blend = vk::PipelineColorBlendStateCreateInfo::builder();
        let mut rendering = vk::PipelineRenderingCreateInfo::builder();
        if way.name == "feedback" {
            blend = blend.attachments(&is_drawn);
            rendering = rendering.color_attachment_formats(&format);
        }
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(self.layout)
            .push_next(&mut rendering)
            .build();
        unsafe {
            let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
            modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
            made.expect("a pipeline").0[0]
        }
    }
}

impl Default for Player {
    fn default() -> Player {
        Player::new()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let device = &self.gpu.device;
        unsafe {
            let _ = device.device_wait_idle();
            self.samplers.iter().for_each(|&sampler| device.destroy_sampler(sampler, None));
            device.destroy_buffer(self.tables.0, None);
            device.free_memory(self.tables.1, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Whether a command without a shader of its own needs a pipeline.
fn is_drawn_or_dispatched(name: &str) -> bool {
    ["index", "vertices", "indirect"].iter().any(|start| name.starts_with(start))
}

/// A layout by its name.
fn layout_named(name: &str) -> vk::ImageLayout {
    match name {
        "UNDEFINED" => vk::ImageLayout::UNDEFINED,
        "TRANSFER_SRC" => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        "TRANSFER_DST" => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        "SHADER_READ" => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        "COLOR_ATTACHMENT" => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        _ => vk::ImageLayout::GENERAL,
    }
}

fn image_barrier(
    device: &Device,
    commands: vk::CommandBuffer,
    image: vk::Image,
    (old, new): (vk::ImageLayout, vk::ImageLayout),
    first: Scope,
    second: Scope,
) {
    let barrier = vk::ImageMemoryBarrier2::builder()
        .src_stage_mask(first.0)
        .src_access_mask(first.1)
        .dst_stage_mask(second.0)
        .dst_access_mask(second.1)
        .old_layout(old)
        .new_layout(new)
        .image(image)
        .subresource_range(WHOLE);
    let info = vk::DependencyInfo::builder().image_memory_barriers(slice::from_ref(&barrier));
    unsafe { device.cmd_pipeline_barrier2(commands, &info) };
}

impl Run<'_> {
    fn device(&self) -> &Device {
        &self.player.gpu.device
    }

    fn way(&self, name: &str) -> Option<Way> {
        match name {
            "first" => self.ways.0,
            "second" => Some(self.ways.1),
            _ => Way::named(name),
        }
    }

    fn scope(&self, text: &str) -> Scope {
        let (stage, access) = text.split_once('+').unwrap_or((text, text));
        let all = (
            vk::PipelineStageFlags2::ALL_COMMANDS,
            vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE,
        );
        let of = |name: &str| match name {
            "all" => all,
            "none" => (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE),
            name => self.way(name).map_or_else(
                || panic!("no scope {name}"),
                |way| match way.atomic {
                    true => (way.stage, way.access | vk::AccessFlags2::SHADER_STORAGE_READ),
                    false => (way.stage, way.access),
                },
            ),
        };
        (of(stage).0, of(access).1)
    }

    fn step(&mut self, step: &Step) {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        let buffer = self.objects.buffers[0].0;
        match words[..] {
            ["barrier", first, second] => self.barrier(self.scope(first), self.scope(second), None),
            ["range", first, second] => {
                self.barrier(self.scope(first), self.scope(second), Some((buffer, 0, BYTES)));
            }
            ["elsewhere", first, second] => {
                let other = self.objects.buffers[1].0;
                self.barrier(self.scope(first), self.scope(second), Some((other, 0, BYTES)));
            }
            ["transition", old, new, first, second] => {
                let layouts = (layout_named(old), layout_named(new));
                let image = self.objects.image.0;
                let (first, second) = (self.scope(first), self.scope(second));
                image_barrier(self.device(), self.commands, image, layouts, first, second);
                self.image_layout = layouts.1;
            }
            ["layout", layout] => self.image_layout = layout_named(layout),
            ["set", first] => {
                let (stages, _) = self.scope(first);
                let barrier = vk::MemoryBarrier2::builder().src_stage_mask(stages).dst_stage_mask(stages);
                let info = vk::DependencyInfo::builder().memory_barriers(slice::from_ref(&barrier));
                unsafe { self.device().cmd_set_event2(self.commands, self.objects.event, &info) };
            }
            ["wait", first, second] => {
                let (first, second) = (self.scope(first), self.scope(second));
                let barrier = memory_barrier(first, second);
                let info = vk::DependencyInfo::builder().memory_barriers(slice::from_ref(&barrier));
                unsafe { self.device().cmd_wait_events2(self.commands, &[self.objects.event], &[info]) };
            }
            ["submit"] => self.submit(),
            ["idle"] => {
                self.submit();
                unsafe { self.device().device_wait_idle() }.expect("idle");
            }
            ["signal"] => {
                self.signals = true;
                self.submit();
                (self.signals, self.waits) = (false, true);
            }
            ["compare"] => self.rewrite(self.objects.view, self.player.samplers[1]),
            ["retype", how] => {
                let (ty, format) = match how {
                    "array" => (vk::ImageViewType::_2D_ARRAY, vk::Format::R32_UINT),
                    "format" => (vk::ImageViewType::_2D, vk::Format::R8G8B8A8_UINT),
                    _ => (vk::ImageViewType::_2D, vk::Format::R32_SFLOAT),
                };
                let info = vk::ImageViewCreateInfo::builder()
                    .image(self.objects.image.0)
                    .view_type(ty)
                    .format(format)
                    .subresource_range(WHOLE);
                let view = unsafe { self.device().create_image_view(&info, None) }.expect("a view");
                self.objects.retyped = Some(view);
                self.rewrite(view, self.player.samplers[0]);
            }
            ["host"] => {
                // The batch has run, but the host has not asked.
                std::thread::sleep(std::time::Duration::from_millis(50));
                let address = self.objects.mapped.expect("mapped memory").cast::<u32>();
                unsafe { address.write_volatile(address.read_volatile() + 1) };
            }
            ["destroy"] => {
                self.is_view_destroyed = true;
                unsafe { self.device().destroy_image_view(self.objects.view, None) };
            }
            [name] => {
                let way = self.way(name).unwrap_or_else(|| panic!("{}: no step {name}", self.script.name));
                if self.script.secondary {
                    self.within_secondary(|run| run.access(&way));
                } else {
                    self.access(&way);
                }
            }
            _ => panic!("{}: no step {words:?}", self.script.name),
        }
    }

    /// Writes the image's descriptors again.
    fn rewrite(&self, view: vk::ImageView, sampler: vk::Sampler) {
        let image_layout = layout_named(&self.script.layout);
        let image = [vk::DescriptorImageInfo { image_view: view, image_layout, sampler }];
        let types = [(2, vk::DescriptorType::STORAGE_IMAGE), (3, vk::DescriptorType::COMBINED_IMAGE_SAMPLER)];
        let writes = types.map(|(binding, ty)| {
            vk::WriteDescriptorSet::builder()
                .dst_set(self.objects.set)
                .dst_binding(binding)
                .descriptor_type(ty)
                .image_info(&image)
        });
        unsafe { self.device().update_descriptor_sets(&writes, &[] as &[vk::CopyDescriptorSet]) };
    }

    fn barrier(&self, first: Scope, second: Scope, range: Option<(vk::Buffer, u64, u64)>) {
        let memory = memory_barrier(first, second);
        let (buffer, offset, size) = range.unwrap_or_default();
        let of_buffer = vk::BufferMemoryBarrier2::builder()
            .src_stage_mask(first.0)
            .src_access_mask(first.1)
            .dst_stage_mask(second.0)
            .dst_access_mask(second.1)
            .buffer(buffer)
            .offset(offset)
            .size(size);
        let info = match range {
            Some(_) => vk::DependencyInfo::builder().buffer_memory_barriers(slice::from_ref(&of_buffer)),
            None => vk::DependencyInfo::builder().memory_barriers(slice::from_ref(&memory)),
        };
        unsafe { self.device().cmd_pipeline_barrier2(self.commands, &info) };
    }

    /// Records into a secondary command buffer that this one executes.
    fn within_secondary(&mut self, record: impl FnOnce(&mut Self)) {
        let device = &self.player.gpu.device;
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(self.player.gpu.pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::builder().inheritance_info(&inheritance);
        unsafe {
            let inner = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            device.begin_command_buffer(inner, &begin).expect("begins");
            let outer = std::mem::replace(&mut self.commands, inner);
            record(self);
            self.commands = outer;
            device.end_command_buffer(inner).expect("ends");
            device.cmd_execute_commands(outer, &[inner]);
            self.used.push(inner);
        }
    }

    fn access(&mut self, way: &Way) {
        let pipeline = match (way.action, way.name) {
            (Action::Command, name) if !is_drawn_or_dispatched(name) => None,
            _ => {
                let (player, file) = (self.player, &self.file);
                Some(*self.objects.pipelines.entry(way.name).or_insert_with(|| {
                    let of = if way.name == "indirect-dispatch" {
                        Way { action: Action::Compute("OpNop"), ..*way }
                    } else {
                        *way
                    };
                    player.pipeline(&of, file)
                }))
            }
        };
        let (device, commands) = (&self.player.gpu.device, self.commands);
        let [a, c, d] = [0, 1, 2].map(|index| self.objects.buffers[index].0);
        let is_compute = matches!(way.action, Action::Compute(_)) || way.name == "indirect-dispatch";
        unsafe {
            if let Some(pipeline) = pipeline {
                let point = match way.action {
                    _ if is_compute => vk::PipelineBindPoint::COMPUTE,
                    Action::Rays(_) => vk::PipelineBindPoint::RAY_TRACING_KHR,
                    _ => vk::PipelineBindPoint::GRAPHICS,
                };
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(
                    commands,
                    point,
                    self.player.layout,
                    0,
                    &[self.objects.set],
                    &[],
                );
            }
            match way.name {
                "fill" => device.cmd_fill_buffer(commands, a, 0, 64, 5),
                "update" => device.cmd_update_buffer(commands, a, 0, &[0; 64]),
                "copy-to" | "copy-from" => {
                    let region = vk::BufferCopy { src_offset: 128, dst_offset: 0, size: 64 };
                    let back = vk::BufferCopy { src_offset: 0, dst_offset: 128, size: 64 };
                    match way.name {
                        "copy-to" => device.cmd_copy_buffer(commands, d, a, &[region]),
                        _ => device.cmd_copy_buffer(commands, a, c, &[back]),
                    }
                }
                "clear" => {
                    let color = vk::ClearColorValue::default();
                    let image = self.objects.image.0;
                    device.cmd_clear_color_image(commands, image, self.image_layout, &color, &[WHOLE]);
                }
                "upload" | "download" => self.copy_image(way.name == "upload"),
                "render-clear" => self.render(None, vk::AttachmentLoadOp::CLEAR),
                "render-load" => self.render(None, vk::AttachmentLoadOp::LOAD),
                "feedback" => self.render(Some(way), vk::AttachmentLoadOp::CLEAR),
                _ if matches!(way.action, Action::Rays(_)) => self.trace(way),
                _ if is_compute && way.name != "indirect-dispatch" => device.cmd_dispatch(commands, 1, 1, 1),
                "indirect-dispatch" => device.cmd_dispatch_indirect(commands, a, 0),
                _ => self.render(Some(way), vk::AttachmentLoadOp::NONE),
            }
        }
    }

    unsafe fn copy_image(&self, to_image: bool) {
        let (device, commands) = (self.device(), self.commands);
        let image = self.objects.image.0;
        let [c, d] = [1, 2].map(|index| self.objects.buffers[index].0);
        let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
        let region =
            vk::BufferImageCopy { image_subresource: LAYERS, image_extent: extent, ..Default::default() };
        unsafe {
            match to_image {
                true => device.cmd_copy_buffer_to_image(commands, d, image, self.image_layout, &[region]),
                false => device.cmd_copy_image_to_buffer(commands, image, self.image_layout, c, &[region]),
            }
        }
    }

    unsafe fn trace(&self, way: &Way) {
        let address = self.player.tables.2 + u64::from(way.number()) * TABLE_BYTES;
        let size = if way.name == "rays-far" { TABLES * TABLE_BYTES } else { 32 };
        let table = vk::StridedDeviceAddressRegionKHR { device_address: address, stride: size, size };
        let none = vk::StridedDeviceAddressRegionKHR::default();
        unsafe { self.device().cmd_trace_rays_khr(self.commands, &table, &none, &none, &none, 1, 1, 1) };
    }

    /// Renders; without an attachment where nothing is loaded.
    unsafe fn render(&self, draw: Option<&Way>, load: vk::AttachmentLoadOp) {
        let (device, commands) = (self.device(), self.commands);
        let color = vk::RenderingAttachmentInfo::builder()
            .image_view(self.objects.view)
            .image_layout(self.image_layout)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE);
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let mut info = vk::RenderingInfo::builder().render_area(area).layer_count(1);
        if load != vk::AttachmentLoadOp::NONE {
            info = info.color_attachments(slice::from_ref(&color));
        }
        let [a, d] = [0, 2].map(|index| self.objects.buffers[index].0);
        unsafe {
            device.cmd_begin_rendering(commands, &info);
            if let Some(way) = draw {
                match way.name {
                    "index" | "index-far" => {
                        device.cmd_bind_index_buffer(commands, a, 0, vk::IndexType::UINT32);
                        let count = if way.name == "index" { 1 } else { BYTES as u32 / 4 + 1 };
                        device.cmd_draw_indexed(commands, count, 1, 0, 0, 0);
                    }
                    "vertices" | "vertices-far" => {
                        device.cmd_bind_vertex_buffers(commands, 0, &[a], &[0]);
                        let count = if way.name == "vertices" { 1 } else { BYTES as u32 / 16 + 1 };
                        device.cmd_draw(commands, count, 1, 0, 0);
                    }
                    "indirect-count" => device.cmd_draw_indirect_count(commands, a, 0, d, 0, 1, 16),
                    // Nine draws are asked for, and the buffer has room for four.
                    "indirect-count-far" => {
                        device.cmd_draw_indirect_count(commands, a, BYTES - 64, d, MANY, 4, 16);
                    }
                    "indirect-count-most" => device.cmd_draw_indirect_count(commands, a, 0, d, MANY, 1, 16),
                    _ if matches!(way.action, Action::Mesh(_)) => {
                        device.cmd_draw_mesh_tasks_ext(commands, 1, 1, 1);
                    }
                    "indirect-draw" => device.cmd_draw_indirect(commands, a, 0, 1, 16),
                    _ => device.cmd_draw(commands, 1, 1, 0, 0),
                }
            }
            device.cmd_end_rendering(commands);
        }
    }

    fn submit(&mut self) {
        let device = &self.player.gpu.device;
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let mut info = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&self.commands));
        if self.signals {
            info = info.signal_semaphores(slice::from_ref(&self.objects.semaphore));
        }
        if self.waits {
            info = info
                .wait_semaphores(slice::from_ref(&self.objects.semaphore))
                .wait_dst_stage_mask(slice::from_ref(&stage));
        }
        unsafe {
            device.end_command_buffer(self.commands).expect("ends");
            device
                .queue_submit(self.player.gpu.queue, slice::from_ref(&info), vk::Fence::null())
                .expect("submitted");
        }
        self.waits = false;
        self.used.push(self.commands);
        self.commands = self.player.begin(&self.file);
    }

    fn end(self) {
        let device = &self.player.gpu.device;
        let objects = self.objects;
        unsafe {
            let _ = device.device_wait_idle();
            let _ = device.end_command_buffer(self.commands);
            device.free_command_buffers(self.player.gpu.pool, &[&self.used[..], &[self.commands]].concat());
            objects.pipelines.values().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
            device.reset_descriptor_pool(self.player.pool, Default::default()).expect("reset");
            if let Some(view) = objects.retyped {
                device.destroy_image_view(view, None);
            }
            if !self.is_view_destroyed {
                device.destroy_image_view(objects.view, None);
            }
            device.destroy_image(objects.image.0, None);
            device.free_memory(objects.image.1, None);
            device.destroy_event(objects.event, None);
            device.destroy_semaphore(objects.semaphore, None);
            for (buffer, memory) in objects.buffers {
                device.destroy_buffer(buffer, None);
                device.free_memory(memory, None);
            }
        }
    }
}

fn memory_barrier(first: Scope, second: Scope) -> vk::MemoryBarrier2Builder {
    vk::MemoryBarrier2::builder()
        .src_stage_mask(first.0)
        .src_access_mask(first.1)
        .dst_stage_mask(second.0)
        .dst_access_mask(second.1)
}
