//! Counters of the regions of a render pass (`VK_ARM_performance_counters_by_region`).

use pyro_shadertext::Shader;
use pyro_test_kit::graphics::GENERAL;
use pyro_test_kit::{Client, Gpu};
use std::ptr::{from_mut, from_ref, null_mut};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// Pixels of a region in x and y.
const REGION: u32 = 64;
/// Invocations, primitives, nanoseconds.
const ALL: [u32; 3] = [0, 1, 2];
/// What is in memory where nothing has been counted.
const UNTOUCHED: u32 = 0xdead_beef;

/// A triangle over everything, perhaps with more instructions.
fn covering(more: &str) -> Shader {
    Shader::vertex(&format!(
        "%v = OpLoad %uint %vertex
         %right = OpIEqual %bool %v %uint_2
         %first = OpIEqual %bool %v %uint_0
         %x = OpSelect %float %right %three %minus
         %y = OpSelect %float %first %minus_three %one
         %at = OpCompositeConstruct %float4 %x %y %zero %one
         OpStore %position %at
         {more}"
    ))
    .input("vertex", "uint", "BuiltIn VertexIndex")
    .declare(
        "%zero = OpConstant %float 0
         %one = OpConstant %float 1
         %three = OpConstant %float 3
         %minus = OpConstant %float -1
         %minus_three = OpConstant %float -3",
    )
}

/// A triangle over everything, in the layer of the instance's number.
pub(crate) fn layered_vertex() -> String {
    covering(
        "%i = OpLoad %uint %instance
         OpStore %layer %i",
    )
    .capability("ShaderViewportIndexLayerEXT")
    .extension("SPV_EXT_shader_viewport_index_layer")
    .input("instance", "uint", "BuiltIn InstanceIndex")
    .output("layer", "uint", "BuiltIn Layer")
    .text()
}

/// The same without a layer.
fn vertex() -> String {
    covering("").text()
}

fn fragment() -> String {
    Shader::fragment(
        "%all = OpCompositeConstruct %float4 %half %half %half %half
         OpStore %color %all",
    )
    .output("color", "float4", "Location 0")
    .declare("%half = OpConstant %float 0.5")
    .text()
}

fn gpu() -> Gpu {
    let mut counters = vk::PhysicalDevicePerformanceCountersByRegionFeaturesARM {
        performance_counters_by_region: vk::TRUE,
        ..Default::default()
    };
    let mut map = vk::PhysicalDeviceFragmentDensityMapFeaturesEXT::builder().fragment_density_map(true);
    map.next = from_mut(&mut counters).cast();
    let mut v1_3 = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
    v1_3.next = from_mut(&mut map).cast();
    let mut v1_2 =
        vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true).shader_output_layer(true);
    v1_2.next = from_mut(&mut v1_3).cast();
    let mut v1_1 = vk::PhysicalDeviceVulkan11Features::builder().multiview(true);
    v1_1.next = from_mut(&mut v1_2).cast();
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    let extensions = [c"VK_ARM_performance_counters_by_region", c"VK_EXT_fragment_density_map"];
    client.device(&extensions, None, from_mut(&mut v1_1).cast())
}

/// Everything that a test draws with.
struct Stage {
    gpu: Gpu,
    image: vk::Image,
    image_memory: vk::DeviceMemory,
    view: vk::ImageView,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    words: *mut u32,
    address: u64,
    layout: vk::PipelineLayout,
}

/// Words of the buffer.
const WORDS: usize = 256;

impl Stage {
    fn new([width, height]: [u32; 2], layers: u32) -> Stage {
        let gpu = gpu();
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        unsafe {
            let image = gpu.device.create_image(&info, None).expect("an image");
            let (image_memory, _) = gpu.mapped_memory(gpu.device.get_image_memory_requirements(image));
            gpu.device.bind_image_memory(image, image_memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: layers,
                ..Default::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D_ARRAY)
                .format(FORMAT)
                .subresource_range(range);
            let view = gpu.device.create_image_view(&info, None).expect("a view");
            let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::STORAGE_BUFFER;
            let info = vk::BufferCreateInfo::builder().size(4 * WORDS as u64).usage(usage);
            let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
            let needs = gpu.device.get_buffer_memory_requirements(buffer);
            let mut flags =
                vk::MemoryAllocateFlagsInfo::builder().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size).push_next(&mut flags);
            let memory = gpu.device.allocate_memory(&info, None).expect("memory");
            gpu.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let words = gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default()).expect("mapped");
            let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
            let address = gpu.device.get_buffer_device_address(&info);
            let layout = gpu.device.create_pipeline_layout(&Default::default(), None).expect("a layout");
            let words = words.cast::<u32>();
            let stage = Stage { image, image_memory, view, buffer, memory, words, address, layout, gpu };
            stage.forget();
            stage
        }
    }

    fn forget(&self) {
        (0..WORDS).for_each(|at| unsafe { self.words.add(at).write(UNTOUCHED) });
    }

    /// The words from a place on.
    fn words(&self, from: usize, count: usize) -> Vec<u32> {
        (from..from + count).map(|at| unsafe { self.words.add(at).read() }).collect()
    }

    /// A pipeline that adds colours, for a subpass or for dynamic rendering with these views.
    fn pipeline(&self, vertex: &str, pass: Option<(vk::RenderPass, u32)>, view_mask: u32) -> vk::Pipeline {
        let gpu = &self.gpu;
        let modules = [gpu.shader_module(vertex), gpu.shader_module(&fragment())];
        let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
        let stages = [0, 1].map(|index| {
            vk::PipelineShaderStageCreateInfo::builder()
                .stage(kinds[index])
                .module(modules[index])
                .name(b"main\0")
        });
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
        let multisample =
            vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
        // Nothing hides what is below.
        let add = vk::PipelineColorBlendAttachmentState {
            blend_enable: vk::TRUE,
            src_color_blend_factor: vk::BlendFactor::ONE,
            dst_color_blend_factor: vk::BlendFactor::ONE,
            color_write_mask: vk::ColorComponentFlags::all(),
            ..Default::default()
        };
        let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&add));
        let dynamic = vk::PipelineDynamicStateCreateInfo::builder()
            .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
        let mut rendering = vk::PipelineRenderingCreateInfo::builder()
            .color_attachment_formats(slice::from_ref(&FORMAT))
            .view_mask(view_mask);
        let mut info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout);
        match pass {
            Some((pass, subpass)) => info = info.render_pass(pass).subpass(subpass),
            None => {
                info = info
                    .flags(vk::PipelineCreateFlags::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT)
                    .push_next(&mut rendering);
            }
        }
        unsafe {
            let made = gpu.device.create_graphics_pipelines(Default::default(), slice::from_ref(&info), None);
            modules.into_iter().for_each(|module| gpu.device.destroy_shader_module(module, None));
            made.expect("a pipeline").0[0]
        }
    }

    /// Draws so many instances within a scissor.
    fn draw(&self, commands: vk::CommandBuffer, pipeline: vk::Pipeline, scissor: vk::Rect2D, instances: u32) {
        let device = &self.gpu.device;
        let viewport = vk::Viewport { width: 256.0, height: 256.0, max_depth: 1.0, ..Default::default() };
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_set_viewport(commands, 0, &[viewport]);
            device.cmd_set_scissor(commands, 0, &[scissor]);
            device.cmd_draw(commands, 3, instances, 0, 0);
        }
    }

    /// Begins dynamic rendering that counts, with a chain behind.
    fn begin(&self, commands: vk::CommandBuffer, with: &Counted<'_>) {
        let counters = with.info();
        let attachment = vk::RenderingAttachmentInfo::builder()
            .image_view(self.view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        let mut info = vk::RenderingInfo::builder()
            .flags(with.flags)
            .render_area(with.area)
            .layer_count(with.layers)
            .view_mask(with.view_mask)
            .color_attachments(slice::from_ref(&attachment));
        info.next = from_ref(&counters).cast();
        unsafe { self.gpu.device.cmd_begin_rendering(commands, &info) };
    }

    /// Runs dynamic rendering of one draw.
    fn render(&self, pipeline: vk::Pipeline, with: &Counted<'_>, scissor: vk::Rect2D, instances: u32) {
        self.gpu.run(|commands| {
            self.begin(commands, with);
            self.draw(commands, pipeline, scissor, instances);
            unsafe { self.gpu.device.cmd_end_rendering(commands) };
        });
    }

    fn destroy(self, pipelines: &[vk::Pipeline]) {
        let device = &self.gpu.device;
        unsafe {
            pipelines.iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.free_memory(self.image_memory, None);
        }
    }
}

/// What rendering counts, and where.
#[derive(Clone, Copy)]
struct Counted<'c> {
    addresses: &'c [u64],
    counters: &'c [u32],
    is_serial: bool,
    area: vk::Rect2D,
    layers: u32,
    view_mask: u32,
    flags: vk::RenderingFlags,
    next: *const std::ffi::c_void,
}

impl<'c> Counted<'c> {
    fn new(addresses: &'c [u64], counters: &'c [u32], area: vk::Rect2D) -> Counted<'c> {
        let flags = vk::RenderingFlags::empty();
        let next = std::ptr::null();
        Counted { addresses, counters, is_serial: false, area, layers: 1, view_mask: 0, flags, next }
    }

    fn info(&self) -> vk::RenderPassPerformanceCountersByRegionBeginInfoARM {
        vk::RenderPassPerformanceCountersByRegionBeginInfoARM {
            next: self.next.cast_mut(),
            counter_address_count: self.addresses.len() as u32,
            counter_addresses: self.addresses.as_ptr(),
            serialize_regions: self.is_serial.into(),
            counter_index_count: self.counters.len() as u32,
            counter_indices: self.counters.as_ptr().cast_mut(),
            ..Default::default()
        }
    }
}

fn rect(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

#[test]
fn counters_have_names_and_regions_a_size() {
    let gpu = gpu();
    let mut regions = vk::PhysicalDevicePerformanceCountersByRegionPropertiesARM::default();
    let next = from_mut(&mut regions).cast();
    let mut properties = vk::PhysicalDeviceProperties2 { next, ..Default::default() };
    unsafe { gpu.instance.get_physical_device_properties2(gpu.physical_device, &mut properties) };
    let vk::Extent2D { width, height } = regions.performance_counter_region_size;
    assert_eq!((width, height, regions.identity_transform_order), (REGION, REGION, vk::TRUE));
    let most = regions.max_per_region_performance_counters;
    let mut count = 0;
    let list = |count: &mut u32, counters, names| unsafe {
        let commands = gpu.instance.commands();
        let list = commands.enumerate_physical_device_queue_family_performance_counters_by_region_arm;
        list(gpu.physical_device, 0, count, counters, names)
    };
    assert_eq!(list(&mut count, null_mut(), null_mut()), vk::Result::SUCCESS);
    assert_eq!((count, most), (ALL.len() as u32, ALL.len() as u32));
    let mut counters = [vk::PerformanceCounterARM::default(); 3];
    let mut names = [vk::PerformanceCounterDescriptionARM::default(); 3];
    assert_eq!(list(&mut count, counters.as_mut_ptr(), names.as_mut_ptr()), vk::Result::SUCCESS);
    assert_eq!(counters.map(|one| one.counter_id), ALL);
    assert!(names.iter().all(|one| one.name.to_string_lossy().len() > 5));
    let mut count = 2;
    assert_eq!(list(&mut count, counters.as_mut_ptr(), null_mut()), vk::Result::INCOMPLETE);
    assert_eq!(count, 2);
}

/// Each region has what was drawn there; the area may begin anywhere.
#[test]
fn regions_count_what_is_drawn_in_them() {
    let stage = Stage::new([256, 256], 1);
    let pipeline = stage.pipeline(&vertex(), None, 0);
    let scissor = rect(70, 10, 50, 60);
    // 130 x 66 pixels are 3 x 2 regions; what is drawn is in the second of each row.
    for is_serial in [false, true] {
        stage.forget();
        let addresses = [stage.address];
        let with = Counted { is_serial, ..Counted::new(&addresses, &ALL, rect(0, 0, 130, 66)) };
        stage.render(pipeline, &with, scissor, 2);
        let regions: Vec<Vec<u32>> = stage.words(0, 18).chunks(3).map(<[u32]>::to_vec).collect();
        for (at, region) in regions.iter().enumerate() {
            let invocations = [0, 2 * 50 * 54, 0, 0, 2 * 50 * 2, 0][at];
            let primitives = if invocations == 0 { 0 } else { 2 };
            assert_eq!(region[..2], [invocations, primitives], "region {at}, {is_serial}");
            assert_eq!(region[2] != 0, invocations != 0, "region {at}, {is_serial}");
        }
        assert_eq!(stage.words(18, 1), [UNTOUCHED]);
    }
    // One counter, from the second region on; the last one has the pixels that are left.
    stage.forget();
    let addresses = [stage.address];
    let with = Counted::new(&addresses, &ALL[..1], rect(64, 64, 100, 64));
    stage.render(pipeline, &with, rect(0, 0, 256, 256), 1);
    assert_eq!(stage.words(0, 3), [64 * 64, 36 * 64, UNTOUCHED]);
    // Where the area begins within a tile, all of its pixels are in its regions.
    stage.forget();
    let with = Counted::new(&addresses, &ALL[..1], rect(10, 20, 128, 64));
    stage.render(pipeline, &with, rect(0, 0, 256, 256), 1);
    let [first, second, behind] = stage.words(0, 3)[..] else { panic!("three words") };
    assert_eq!((first + second, behind), (128 * 64, UNTOUCHED));
    assert!(first != 0 && second != 0);
    stage.destroy(&[pipeline]);
}

/// Layers and views have memory of their own, or none.
#[test]
fn layers_and_views_are_counted_apart() {
    let stage = Stage::new([128, 64], 3);
    let area = rect(0, 0, 128, 64);
    let at = |word: u64| stage.address + 4 * word;
    let layered = stage.pipeline(&layered_vertex(), None, 0);
    let addresses = [at(0), 0, at(8)];
    let with = Counted { layers: 3, ..Counted::new(&addresses, &ALL[..2], area) };
    stage.render(layered, &with, rect(0, 0, 74, 64), 2);
    assert_eq!(stage.words(0, 4), [64 * 64, 1, 10 * 64, 1]);
    // No instance is in the third layer.
    assert_eq!(stage.words(4, 8), [[UNTOUCHED; 4], [0; 4]].concat());
    stage.forget();
    let views = stage.pipeline(&vertex(), None, 0b101);
    let addresses = [at(0), at(4), at(8)];
    let with = Counted { view_mask: 0b101, ..Counted::new(&addresses, &ALL[..2], area) };
    stage.render(views, &with, rect(0, 0, 74, 64), 2);
    let drawn = [2 * 64 * 64, 2, 2 * 10 * 64, 2];
    assert_eq!(stage.words(0, 12), [drawn, [0; 4], drawn].concat());
    stage.destroy(&[layered, views]);
}

/// Subpasses have memory of their own; a suspended instance goes on to count when it is resumed.
#[test]
fn subpasses_count_by_themselves_and_suspended_rendering_goes_on() {
    let stage = Stage::new([128, 64], 1);
    let device = &stage.gpu.device;
    let area = rect(0, 0, 128, 64);
    let color = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
    let subpass = vk::SubpassDescription::builder().color_attachments(&color);
    let attachment = vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        final_layout: GENERAL,
        ..Default::default()
    };
    let subpasses = [subpass, subpass];
    let info =
        vk::RenderPassCreateInfo::builder().attachments(slice::from_ref(&attachment)).subpasses(&subpasses);
    let pass = unsafe { device.create_render_pass(&info, None).expect("a render pass") };
    let info = vk::FramebufferCreateInfo::builder()
        .render_pass(pass)
        .attachments(slice::from_ref(&stage.view))
        .width(128)
        .height(64)
        .layers(1);
    let framebuffer = unsafe { device.create_framebuffer(&info, None).expect("a framebuffer") };
    let pipelines = [0, 1].map(|subpass| stage.pipeline(&vertex(), Some((pass, subpass)), 0));
    let addresses = [stage.address, stage.address + 16];
    let counters = Counted::new(&addresses, &ALL[..1], area).info();
    let clears = [vk::ClearValue::default()];
    let mut info = vk::RenderPassBeginInfo::builder()
        .render_pass(pass)
        .framebuffer(framebuffer)
        .render_area(area)
        .clear_values(&clears);
    info.next = from_ref(&counters).cast();
    stage.gpu.run(|commands| unsafe {
        device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
        stage.draw(commands, pipelines[0], rect(0, 0, 64, 64), 1);
        device.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
        stage.draw(commands, pipelines[1], rect(64, 0, 8, 8), 3);
        device.cmd_end_render_pass(commands);
    });
    let expected = [64 * 64, 0, UNTOUCHED, UNTOUCHED, 0, 3 * 64, UNTOUCHED];
    assert_eq!(stage.words(0, 7), expected);
    stage.forget();
    let pipeline = stage.pipeline(&vertex(), None, 0);
    let with = Counted::new(&addresses[..1], &ALL[..1], area);
    stage.gpu.run(|commands| unsafe {
        stage.begin(commands, &Counted { flags: vk::RenderingFlags::SUSPENDING, ..with });
        stage.draw(commands, pipeline, rect(0, 0, 65, 10), 1);
        device.cmd_end_rendering(commands);
        stage.begin(commands, &Counted { flags: vk::RenderingFlags::RESUMING, ..with });
        stage.draw(commands, pipeline, rect(0, 0, 10, 10), 1);
        device.cmd_end_rendering(commands);
    });
    assert_eq!(stage.words(0, 3), [64 * 10 + 100, 10, UNTOUCHED]);
    unsafe {
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
    }
    stage.destroy(&[pipelines[0], pipelines[1], pipeline]);
}

/// Nothing is written for regions in which a fragment density map makes fragments larger.
#[test]
fn regions_of_sparse_fragments_are_left_alone() {
    let stage = Stage::new([128, 64], 1);
    let pipeline = stage.pipeline(&vertex(), None, 0);
    let format = vk::Format::R8G8_UNORM;
    let usage = vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT;
    let map = pyro_test_kit::LinearImage::new(&stage.gpu, format, [2, 1], usage);
    let addresses = [stage.address];
    let densities = vk::RenderingFragmentDensityMapAttachmentInfoEXT {
        image_view: map.view,
        image_layout: GENERAL,
        ..Default::default()
    };
    let next = from_ref(&densities).cast();
    let with = Counted { next, ..Counted::new(&addresses, &ALL[..1], rect(0, 0, 128, 64)) };
    for (right, expected) in [(255, 64 * 64), (100, UNTOUCHED)] {
        map.put::<2>(0, 0, [255; 2]);
        map.put::<2>(1, 0, [right; 2]);
        stage.forget();
        stage.render(pipeline, &with, rect(0, 0, 128, 64), 1);
        assert_eq!(stage.words(0, 2), [64 * 64, expected], "{right}");
    }
    map.destroy(&stage.gpu);
    stage.destroy(&[pipeline]);
}

/// Counters that there are not, too many, and too few addresses, are errors when the recording ends.
#[test]
fn wrong_counters_are_refused() {
    let stage = Stage::new([128, 64], 1);
    let area = rect(0, 0, 128, 64);
    let addresses = [stage.address; 2];
    let fine = Counted::new(&addresses, &ALL, area);
    let huge = rect(0, 0, u32::MAX, u32::MAX);
    for (with, is_fine) in [
        (fine, true),
        (Counted { counters: &[0, 0], ..fine }, true),
        (Counted { counters: &[], ..fine }, true),
        (Counted { counters: &[3], ..fine }, false),
        (Counted { counters: &[0, 1, 2, 0], ..fine }, false),
        (Counted { addresses: &[], ..fine }, false),
        (Counted { layers: 3, ..fine }, false),
        (Counted { view_mask: 0b100, ..fine }, false),
        (Counted { area: huge, ..fine }, false),
    ] {
        let commands = stage.gpu.command_buffer();
        let device = &stage.gpu.device;
        let ended = unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
            stage.begin(commands, &with);
            device.cmd_end_rendering(commands);
            device.end_command_buffer(commands)
        };
        assert_eq!(ended.is_ok(), is_fine, "{:?} of {:?}", with.counters, with.addresses.len());
    }
    stage.destroy(&[]);
}
