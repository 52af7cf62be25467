//! Many draws, which run while those behind them are collected: what they leave is what they leave one after
//! another.

use pyro_random::Random;
use pyro_test_environment::in_child;
use pyro_test_kit::canvas::{Canvas, rectangle, viewport};
use pyro_test_kit::graphics::{FRAGMENT, GENERAL, VERTEX};
use pyro_test_kit::{Gpu, LinearImage};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

const WIDTH: u32 = 200;
const HEIGHT: u32 = 136;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Writes how many vertices the draw has whose parameters are the buffer, and red.
const WRITE_COUNT: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"main\" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %block BufferBlock
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %buffer DescriptorSet 0
               OpDecorate %buffer Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %vec4 = OpTypeVector %float 4
      %block = OpTypeStruct %int
  %out_vec4  = OpTypePointer Output %vec4
  %to_block  = OpTypePointer Uniform %block
    %to_int  = OpTypePointer Uniform %int
      %color = OpVariable %out_vec4 Output
     %buffer = OpVariable %to_block Uniform
      %int_0 = OpConstant %int 0
      %int_3 = OpConstant %int 3
       %zero = OpConstant %float 0
        %one = OpConstant %float 1
        %red = OpConstantComposite %vec4 %one %zero %zero %one
       %main = OpFunction %void None %fn
      %entry = OpLabel
      %place = OpAccessChain %to_int %buffer %int_0
               OpStore %place %int_3
               OpStore %color %red
               OpReturn
               OpFunctionEnd";

/// Where the triangle of [`VERTEX`] has all pixels of the target, which are a quarter of the clip volume's.
fn over_all() -> vk::Viewport {
    let [width, height] = [WIDTH, HEIGHT].map(|size| size as f32);
    viewport(0.0, -height, 2.0 * width, 2.0 * height)
}

fn canvas() -> Canvas {
    let mut canvas = Canvas::new();
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
    let info = vk::PipelineLayoutCreateInfo::builder().push_constant_ranges(slice::from_ref(&range));
    canvas.layout = unsafe { canvas.device.create_pipeline_layout(&info, None) }.expect("a layout");
    canvas
}

fn target(gpu: &Gpu) -> LinearImage {
    LinearImage::new(gpu, FORMAT, [WIDTH, HEIGHT], vk::ImageUsageFlags::COLOR_ATTACHMENT)
}

/// What the pixels of a target are to be.
struct Expected(Vec<[u8; 4]>);

impl Expected {
    fn fill(&mut self, rect: vk::Rect2D, color: [u8; 4]) {
        for y in rect.offset.y as u32..rect.offset.y as u32 + rect.extent.height {
            let first = (y * WIDTH + rect.offset.x as u32) as usize;
            self.0[first..first + rect.extent.width as usize].fill(color);
        }
    }
}

fn random_rectangle(random: &mut Random) -> vk::Rect2D {
    let most = if random.one_in(20) { 200 } else { 40 };
    let [x, y] = [random.below(WIDTH), random.below(HEIGHT)];
    let width = (1 + random.below(most)).min(WIDTH - x);
    let height = (1 + random.below(most)).min(HEIGHT - y);
    rectangle(x as i32, y as i32, width, height)
}

fn values(color: [u8; 4]) -> [f32; 4] {
    color.map(|byte| f32::from(byte) / 255.0)
}

/// The results of the first occlusion queries.
fn sample_counts(device: &Device, queries: vk::QueryPool, count: usize) -> Vec<u32> {
    let result = |number| {
        let (mut bytes, flags) = ([0_u8; 4], vk::QueryResultFlags::WAIT);
        unsafe { device.get_query_pool_results(queries, number, 1, &mut bytes, 4, flags) }.expect("a result");
        u32::from_ne_bytes(bytes)
    };
    (0..count as u32).map(result).collect()
}

/// Rectangles of random colours over each other, some of them clears, to two targets in turns, by two
/// pipelines, some counted by a query.
fn draws_have_their_order(seed: u64) {
    let mut random = Random::new(seed);
    let canvas = canvas();
    let device = &canvas.device;
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let pipelines = [(); 2].map(|()| canvas.pipeline_from([VERTEX, FRAGMENT], topology, true, &[], 0));
    let targets = [(); 2].map(|()| target(&canvas));
    let mut expected = [(); 2].map(|()| Expected(vec![[0; 4]; (WIDTH * HEIGHT) as usize]));
    let mut counts = Vec::new();
    let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(8);
    let queries = unsafe { device.create_query_pool(&info, None) }.expect("a query pool");
    canvas.run(|commands| unsafe {
        device.cmd_reset_query_pool(commands, queries, 0, 8);
        device.cmd_set_viewport(commands, 0, &[over_all()]);
        for instance in 0..8 {
            let number = instance % 2;
            let color = [instance as u8, 200, 100, 50];
            let whole = rectangle(0, 0, WIDTH, HEIGHT);
            let clears = instance < 2 || random.one_in(4);
            if clears {
                expected[number].fill(whole, color);
            }
            let value = vk::ClearValue { color: vk::ClearColorValue { float32: values(color) } };
            let load = if clears { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD };
            let attachment = vk::RenderingAttachmentInfo::builder()
                .image_view(targets[number].view)
                .image_layout(GENERAL)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(value);
            let info = vk::RenderingInfo::builder()
                .render_area(whole)
                .layer_count(1)
                .color_attachments(slice::from_ref(&attachment));
            device.cmd_begin_rendering_khr(commands, &info);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipelines[0]);
            let count = if random.one_in(3) { 50 + random.below(400) } else { 1500 + random.below(2000) };
            let counted = random.one_in(2).then(|| [random.below(count), random.below(count)]);
            let mut samples = None;
            for draw in 0..count {
                if counted.is_some_and(|[one, other]| draw == one.min(other)) {
                    device.cmd_begin_query(
                        commands,
                        queries,
                        counts.len() as u32,
                        vk::QueryControlFlags::PRECISE,
                    );
                    samples = Some(0);
                }
                let color: [u8; 4] = std::array::from_fn(|_| random.below(256u32) as u8);
                let rect = random_rectangle(&mut random);
                expected[number].fill(rect, color);
                if random.one_in(700) {
                    let color = vk::ClearColorValue { float32: values(color) };
                    let clear = vk::ClearAttachment {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        color_attachment: 0,
                        clear_value: vk::ClearValue { color },
                    };
                    let rect = vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 };
                    device.cmd_clear_attachments(commands, &[clear], &[rect]);
                } else {
                    if random.one_in(50) {
                        let pipeline = random.pick(&pipelines);
                        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                    }
                    let bytes: Vec<u8> = values(color).iter().flat_map(|value| value.to_ne_bytes()).collect();
                    let stage = vk::ShaderStageFlags::FRAGMENT;
                    device.cmd_push_constants(commands, canvas.layout, stage, 0, &bytes);
                    device.cmd_set_scissor(commands, 0, &[rect]);
                    device.cmd_draw(commands, 3, 1, 0, 0);
                    if let Some(samples) = &mut samples {
                        *samples += rect.extent.width * rect.extent.height;
                    }
                }
                if counted.is_some_and(|[one, other]| draw == one.max(other)) {
                    device.cmd_end_query(commands, queries, counts.len() as u32);
                    counts.extend(samples.take());
                }
            }
            device.cmd_end_rendering_khr(commands);
        }
    });
    for (target, expected) in targets.iter().zip(&expected) {
        for (at, color) in expected.0.iter().enumerate() {
            let [x, y] = [at as u32 % WIDTH, at as u32 / WIDTH];
            assert_eq!(target.texel::<4>(x, y, 4), *color, "{x} {y}, seed {seed}");
        }
    }
    assert_eq!(sample_counts(device, queries, counts.len()), counts, "seed {seed}");
    unsafe {
        device.destroy_query_pool(queries, None);
        pipelines.into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline, None));
    }
    targets.into_iter().for_each(|target| target.destroy(&canvas));
}

/// A test for so many threads, in a process of its own.
fn with_threads(test: &str, threads: &str, run: impl Fn()) {
    if in_child(module_path!(), test, &[("PYROCLAST_THREADS", threads)]) {
        run();
    }
}

fn all_seeds() {
    (0..6).for_each(draws_have_their_order);
}

#[test]
fn one_thread_draws_in_order() {
    with_threads("one_thread_draws_in_order", "1", all_seeds);
}

#[test]
fn two_threads_draw_in_order() {
    with_threads("two_threads_draw_in_order", "2", all_seeds);
}

#[test]
fn four_threads_draw_in_order() {
    with_threads("four_threads_draw_in_order", "4", all_seeds);
}

#[test]
fn many_threads_draw_in_order() {
    with_threads("many_threads_draw_in_order", "16", all_seeds);
}

/// A render pass of two subpasses with one attachment, whose second depends on all of the first.
fn two_subpasses(device: &Device) -> vk::RenderPass {
    let attachment = vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        final_layout: GENERAL,
        ..Default::default()
    };
    let color = vk::AttachmentReference { attachment: 0, layout: GENERAL };
    let subpass = vk::SubpassDescription::builder().color_attachments(slice::from_ref(&color)).build();
    let dependency = vk::SubpassDependency {
        src_subpass: 0,
        dst_subpass: 1,
        src_stage_mask: vk::PipelineStageFlags::ALL_GRAPHICS,
        dst_stage_mask: vk::PipelineStageFlags::ALL_GRAPHICS,
        src_access_mask: vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
        dst_access_mask: vk::AccessFlags::INDIRECT_COMMAND_READ | vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
        ..Default::default()
    };
    let subpasses = [subpass, subpass];
    let info = vk::RenderPassCreateInfo::builder()
        .attachments(slice::from_ref(&attachment))
        .subpasses(&subpasses)
        .dependencies(slice::from_ref(&dependency));
    unsafe { device.create_render_pass(&info, None) }.expect("a render pass")
}

/// What draws read their parameters from is what the last subpass has left there, without a command between.
#[test]
fn indirect_draws_see_what_the_last_subpass_wrote() {
    with_threads("indirect_draws_see_what_the_last_subpass_wrote", "4", || {
        (0..20).for_each(|_| draw_what_was_written());
    });
}

fn draw_what_was_written() {
    let canvas = canvas();
    let device = &canvas.device;
    let target = target(&canvas);
    let pass = two_subpasses(device);
    let usage = vk::BufferUsageFlags::INDIRECT_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER;
    let (parameters, memory, bytes) = canvas.mapped_buffer(16, usage);
    unsafe {
        bytes.cast::<[u32; 4]>().write_volatile([0, 1, 0, 0]);
        let binding = vk::DescriptorSetLayoutBinding {
            binding: 0,
            descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: 1,
            stage_flags: vk::ShaderStageFlags::FRAGMENT,
            ..Default::default()
        };
        let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
        let set_layout = device.create_descriptor_set_layout(&info, None).expect("a layout");
        let size = vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 };
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
        let pool = device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&set_layout));
        let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
        let range = vk::DescriptorBufferInfo { buffer: parameters, offset: 0, range: vk::WHOLE_SIZE };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(slice::from_ref(&range));
        device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        let pipelines = [(WRITE_COUNT, 0), (FRAGMENT, 1)].map(|(fragment, subpass)| {
            let sets = slice::from_ref(&set_layout);
            canvas_pipeline(&canvas, fragment, sets, (pass, subpass))
        });
        let info = vk::FramebufferCreateInfo::builder()
            .render_pass(pass)
            .attachments(slice::from_ref(&target.view))
            .width(WIDTH)
            .height(HEIGHT)
            .layers(1);
        let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
        let whole = rectangle(0, 0, WIDTH, HEIGHT);
        let clears = [vk::ClearValue::default()];
        canvas.run(|commands| {
            let info = vk::RenderPassBeginInfo::builder()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(whole)
                .clear_values(&clears);
            device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(commands, graphics, pipelines[0].0);
            device.cmd_bind_descriptor_sets(commands, graphics, pipelines[0].1, 0, &[set], &[]);
            device.cmd_set_viewport(commands, 0, &[over_all()]);
            device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, 0, 0)]);
            for _ in 0..600 {
                device.cmd_draw(commands, 3, 1, 0, 0);
            }
            // Only the last one covers a pixel, and writes.
            device.cmd_set_scissor(commands, 0, &[whole]);
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, graphics, pipelines[1].0);
            device.cmd_set_viewport(commands, 0, &[over_all()]);
            device.cmd_set_scissor(commands, 0, &[whole]);
            let green: Vec<u8> =
                [0.0_f32, 1.0, 0.0, 1.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
            let stage = vk::ShaderStageFlags::FRAGMENT;
            device.cmd_push_constants(commands, pipelines[1].1, stage, 0, &green);
            device.cmd_draw_indirect(commands, parameters, 0, 1, 16);
            device.cmd_end_render_pass(commands);
        });
        assert_eq!(target.texel::<4>(WIDTH / 2, HEIGHT / 2, 4), [0, 255, 0, 255]);
        for (pipeline, layout) in pipelines {
            device.destroy_pipeline(pipeline, None);
            device.destroy_pipeline_layout(layout, None);
        }
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        device.destroy_buffer(parameters, None);
        device.free_memory(memory, None);
    }
    target.destroy(&canvas);
}

/// A pipeline of [`VERTEX`] and a fragment shader for a subpass, and its layout.
fn canvas_pipeline(
    gpu: &Gpu,
    fragment: &str,
    sets: &[vk::DescriptorSetLayout],
    (pass, subpass): (vk::RenderPass, u32),
) -> (vk::Pipeline, vk::PipelineLayout) {
    let device = &gpu.device;
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
    let info = vk::PipelineLayoutCreateInfo::builder()
        .set_layouts(sets)
        .push_constant_ranges(slice::from_ref(&range));
    let modules = [gpu.shader_module(VERTEX), gpu.shader_module(fragment)];
    let stages = [(vk::ShaderStageFlags::VERTEX, modules[0]), (vk::ShaderStageFlags::FRAGMENT, modules[1])]
        .map(|(stage, module)| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
        });
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let attachment = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::all(),
        ..Default::default()
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&attachment));
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder()
        .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
    unsafe {
        let layout = device.create_pipeline_layout(&info, None).expect("a layout");
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .render_pass(pass)
            .subpass(subpass);
        let null = vk::PipelineCache::null();
        let made = device.create_graphics_pipelines(null, slice::from_ref(&info), None).expect("a pipeline");
        modules.into_iter().for_each(|module| device.destroy_shader_module(module, None));
        (made.0[0], layout)
    }
}
