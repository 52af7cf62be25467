//! Sparse residency of images with several samples and of depth and stencil: all that is bound is as in an
//! image that is not sparse.
#![cfg(any(target_os = "linux", windows))] // where pages of memory can be mapped a second time

use pyro_test_kit::graphics::{FRAGMENT, VERTEX};
use pyro_test_kit::{Client, Gpu};
use std::collections::BTreeSet;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const BLOCK: u64 = 64 << 10;
/// Tiles of all kinds cut it into several, the last ones being cut off.
const SIZE: [u32; 2] = [300, 200];
const BOTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH.union(vk::ImageAspectFlags::STENCIL);

/// What the image's sample has that the push constant's first component says.
const FETCH: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"main\" %color %coord
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %coord BuiltIn FragCoord
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %shown DescriptorSet 0
               OpDecorate %shown Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %vec4 = OpTypeVector %float 4
      %ivec2 = OpTypeVector %int 2
      %ivec4 = OpTypeVector %int 4
      %block = OpTypeStruct %vec4
      %image = OpTypeImage %float 2D 0 0 1 1 Unknown
    %in_vec4 = OpTypePointer Input %vec4
   %out_vec4 = OpTypePointer Output %vec4
 %push_block = OpTypePointer PushConstant %block
 %push_float = OpTypePointer PushConstant %float
  %image_ptr = OpTypePointer UniformConstant %image
      %color = OpVariable %out_vec4 Output
      %coord = OpVariable %in_vec4 Input
       %push = OpVariable %push_block PushConstant
      %shown = OpVariable %image_ptr UniformConstant
      %int_0 = OpConstant %int 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %pointer = OpAccessChain %push_float %push %int_0 %int_0
     %number = OpLoad %float %pointer
     %sample = OpConvertFToS %int %number
         %at = OpLoad %vec4 %coord
        %at4 = OpConvertFToS %ivec4 %at
        %at2 = OpVectorShuffle %ivec2 %at4 %at4 0 1
     %loaded = OpLoad %image %shown
      %texel = OpImageFetch %vec4 %loaded %at2 Sample %sample
               OpStore %color %texel
               OpReturn
               OpFunctionEnd";

fn gpu() -> Gpu {
    let features = vk::PhysicalDeviceFeatures {
        sparse_binding: vk::TRUE,
        sparse_residency_image_2d: vk::TRUE,
        sparse_residency2_samples: vk::TRUE,
        sparse_residency4_samples: vk::TRUE,
        sparse_residency8_samples: vk::TRUE,
        sparse_residency16_samples: vk::TRUE,
        ..Default::default()
    };
    let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
    Client::new(vk::make_version(1, 3, 0), &[]).device(&[], Some(&features), (&raw mut dynamic).cast())
}

fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        COLOR => vk::ImageAspectFlags::COLOR,
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        _ => BOTH,
    }
}

fn range(format: vk::Format) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: aspects(format),
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    }
}

fn usage(format: vk::Format) -> vk::ImageUsageFlags {
    let attachment = match format {
        COLOR => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        _ => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
    };
    let transfer = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    attachment | transfer | vk::ImageUsageFlags::SAMPLED
}

/// The blocks that such a sparse image is bound in.
fn properties(
    client: &Client,
    format: vk::Format,
    samples: vk::SampleCountFlags,
) -> vk::SparseImageFormatProperties {
    let all = unsafe {
        client.instance.get_physical_device_sparse_image_format_properties(
            client.physical_device,
            format,
            vk::ImageType::_2D,
            samples,
            usage(format),
            vk::ImageTiling::OPTIMAL,
        )
    };
    all[0]
}

/// Which blocks have memory.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// It is no sparse image.
    Whole,
    /// All of them.
    All,
    /// Every second one.
    Checkered,
}

struct Target {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
    format: vk::Format,
}

impl Target {
    fn new(gpu: &Gpu, format: vk::Format, samples: vk::SampleCountFlags, bound: Bound) -> Target {
        let flags = match bound {
            Bound::Whole => vk::ImageCreateFlags::empty(),
            _ => vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY,
        };
        let info = vk::ImageCreateInfo::builder()
            .flags(flags)
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage(format));
        let device = &gpu.device;
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocate, None).expect("memory");
            if bound == Bound::Whole {
                device.bind_image_memory(image, memory, 0).expect("bound");
            } else {
                bind(gpu, (image, format, samples), memory, bound);
            }
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(format)
                .subresource_range(range(format));
            let view = device.create_image_view(&info, None).expect("a view");
            Target { image, view, memory, format }
        }
    }

    fn attachment(&self) -> vk::RenderingAttachmentInfo {
        vk::RenderingAttachmentInfo {
            image_view: self.view,
            image_layout: GENERAL,
            load_op: vk::AttachmentLoadOp::LOAD,
            store_op: vk::AttachmentStoreOp::STORE,
            ..Default::default()
        }
    }

    /// The texels of an aspect, each of so many bytes.
    fn texels(&self, gpu: &Gpu, aspect_mask: vk::ImageAspectFlags, bytes: usize) -> Vec<u32> {
        let count = (SIZE[0] * SIZE[1]) as usize;
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let (buffer, memory, address) = gpu.mapped_buffer((bytes * count) as u64, usage);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 },
            ..Default::default()
        };
        gpu.run(|commands| unsafe {
            gpu.device.cmd_copy_image_to_buffer(commands, self.image, GENERAL, buffer, &[region]);
        });
        unsafe {
            let all = slice::from_raw_parts(address, bytes * count);
            let word = |texel: &[u8]| texel.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            let texels = all.chunks_exact(bytes).map(word).collect();
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

/// Binds blocks one behind the other, from the last one on, so that none lies where it would in the image.
fn bind(
    gpu: &Gpu,
    (image, format, samples): (vk::Image, vk::Format, vk::SampleCountFlags),
    memory: vk::DeviceMemory,
    bound: Bound,
) {
    let vk::Extent3D { width, height, .. } = properties(gpu, format, samples).image_granularity;
    let [across, down] = [SIZE[0].div_ceil(width), SIZE[1].div_ceil(height)];
    assert!(across > 1 && down > 1);
    let tiles = (0..down).flat_map(|y| (0..across).map(move |x| (x, y)));
    let tiles = tiles.filter(|(x, y)| bound == Bound::All || (x + y) % 2 == 1);
    let tiles: Vec<(u32, u32)> = tiles.collect();
    let tile = |(place, &(x, y)): (usize, &(u32, u32))| vk::SparseImageMemoryBind {
        subresource: vk::ImageSubresource { aspect_mask: aspects(format), ..Default::default() },
        offset: vk::Offset3D { x: (x * width) as i32, y: (y * height) as i32, z: 0 },
        extent: vk::Extent3D {
            width: width.min(SIZE[0] - x * width),
            height: height.min(SIZE[1] - y * height),
            depth: 1,
        },
        memory,
        memory_offset: (tiles.len() - 1 - place) as u64 * BLOCK,
        ..Default::default()
    };
    let binds: Vec<_> = tiles.iter().enumerate().map(tile).collect();
    let regions = vk::SparseImageMemoryBindInfo::builder().image(image).binds(&binds);
    let info = vk::BindSparseInfo::builder().image_binds(slice::from_ref(&regions));
    unsafe {
        gpu.device.queue_bind_sparse(gpu.queue, &[info], vk::Fence::null()).expect("submitted");
        gpu.device.queue_wait_idle(gpu.queue).expect("idle");
    }
}

/// A pipeline that draws the lower left half, farther than nothing, and counts in the stencil.
fn pipeline(
    gpu: &Gpu,
    layout: vk::PipelineLayout,
    fragment: Option<&str>,
    (color, depth): (vk::Format, vk::Format),
    samples: vk::SampleCountFlags,
) -> vk::Pipeline {
    let modules: Vec<_> =
        [Some(VERTEX), fragment].into_iter().flatten().map(|text| gpu.shader_module(text)).collect();
    let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let stages: Vec<_> = kinds
        .into_iter()
        .zip(&modules)
        .map(|(stage, &module)| {
            vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
        })
        .collect();
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let [width, height] = SIZE.map(|size| size as f32);
    let viewport = vk::Viewport { width, height, min_depth: 0.25, max_depth: 1.0, ..Default::default() };
    let area = area();
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&viewport))
        .scissors(slice::from_ref(&area));
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(samples);
    let counting = vk::StencilOpState {
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    let tests = vk::PipelineDepthStencilStateCreateInfo::builder()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::LESS)
        .stencil_test_enable(true)
        .front(counting)
        .back(counting);
    let blend =
        vk::PipelineColorBlendAttachmentState::builder().color_write_mask(vk::ColorComponentFlags::all());
    let blends = match color {
        vk::Format::UNDEFINED => &[][..],
        _ => slice::from_ref(&blend),
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(blends);
    let colors = [color];
    let mut rendering = vk::PipelineRenderingCreateInfo::builder()
        .color_attachment_formats(if color == vk::Format::UNDEFINED { &[] } else { &colors })
        .depth_attachment_format(depth);
    if aspects(depth) == BOTH && depth != vk::Format::UNDEFINED {
        rendering = rendering.stencil_attachment_format(depth);
    }
    let info = vk::GraphicsPipelineCreateInfo::builder()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewports)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&tests)
        .color_blend_state(&blend)
        .layout(layout)
        .push_next(&mut rendering);
    unsafe {
        let made = gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        modules.into_iter().for_each(|module| gpu.device.destroy_shader_module(module, None));
        made.expect("a pipeline").0[0]
    }
}

/// Pixels across the borders of blocks, not all of the image.
fn area() -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x: 20, y: 10 }, extent: vk::Extent2D { width: 250, height: 180 } }
}

fn layout(gpu: &Gpu, sets: &[vk::DescriptorSetLayout]) -> vk::PipelineLayout {
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 };
    let info = vk::PipelineLayoutCreateInfo::builder()
        .set_layouts(sets)
        .push_constant_ranges(slice::from_ref(&range));
    unsafe { gpu.device.create_pipeline_layout(&info, None) }.expect("a layout")
}

unsafe fn draw(gpu: &Gpu, commands: vk::CommandBuffer, layout: vk::PipelineLayout, push: [f32; 4]) {
    let bytes: Vec<u8> = push.iter().flat_map(|value| value.to_ne_bytes()).collect();
    unsafe {
        gpu.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &bytes);
        gpu.device.cmd_draw(commands, 3, 1, 0, 0);
    }
}

/// Both hold the same where the sparse one is bound, which is of several values; elsewhere it holds zeros, if
/// `strict`.
fn compare(got: &[u32], expected: &[u32], granularity: vk::Extent3D, strict: bool) {
    let mut values = BTreeSet::new();
    for (index, (&got, &expected)) in got.iter().zip(expected).enumerate() {
        let (x, y) = (index as u32 % SIZE[0], index as u32 / SIZE[0]);
        if (x / granularity.width + y / granularity.height) % 2 == 1 {
            assert_eq!(got, expected, "at {x}, {y}");
            values.insert(got);
        } else if strict && cfg!(target_arch = "x86_64") {
            assert_eq!(got, 0, "at {x}, {y}");
        }
    }
    assert!(values.len() >= 2, "{} values", values.len());
}

fn counts() -> [vk::SampleCountFlags; 4] {
    use vk::SampleCountFlags as S;
    [S::_2, S::_4, S::_8, S::_16]
}

#[test]
fn blocks_of_several_samples_have_the_standard_shapes() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    let shapes = [[64, 128], [64, 64], [32, 64], [32, 32]];
    let of = unsafe { client.instance.get_physical_device_properties(client.physical_device) };
    assert_eq!(of.sparse_properties.residency_standard_2d_multisample_block_shape, vk::TRUE);
    for (samples, [width, height]) in counts().into_iter().zip(shapes) {
        let found = properties(&client, COLOR, samples);
        assert_eq!(found.image_granularity, vk::Extent3D { width, height, depth: 1 }, "{samples:?}");
        assert_eq!(found.flags, vk::SparseImageFormatFlags::empty());
    }
    let found = properties(&client, vk::Format::D32_SFLOAT_S8_UINT, vk::SampleCountFlags::_1);
    assert_eq!(found.image_granularity, vk::Extent3D { width: 128, height: 64, depth: 1 });
    assert_eq!(found.aspect_mask, BOTH);
}

/// Samples in tiles are cleared, rendered to, resolved by rendering and by command, and fetched.
#[test]
fn samples_in_tiles_are_as_in_rows() {
    let gpu = gpu();
    let depth_format = vk::Format::D32_SFLOAT_S8_UINT;
    let binding = vk::DescriptorSetLayoutBinding::builder()
        .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT);
    let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
    let set_layout = unsafe { gpu.device.create_descriptor_set_layout(&info, None) }.expect("a layout");
    let layout = layout(&gpu, &[set_layout]);
    for samples in counts() {
        let last = (samples.bits() - 1) as f32;
        let draws = pipeline(&gpu, layout, Some(FRAGMENT), (COLOR, depth_format), samples);
        let fetches =
            pipeline(&gpu, layout, Some(FETCH), (COLOR, vk::Format::UNDEFINED), vk::SampleCountFlags::_1);
        let mut results = Vec::new();
        for (bound, of_depth) in [(Bound::Checkered, Bound::All), (Bound::Whole, Bound::Whole)] {
            let color = Target::new(&gpu, COLOR, samples, bound);
            let depth = Target::new(&gpu, depth_format, samples, of_depth);
            let one = || Target::new(&gpu, COLOR, vk::SampleCountFlags::_1, Bound::Whole);
            let outputs = [one(), one(), one()];
            let (pool, set) = image_set(&gpu, set_layout, color.view);
            gpu.run(|commands| unsafe {
                record(&gpu, commands, layout, (&color, &depth), &outputs, (draws, fetches), set, last);
            });
            let texels = |output: &Target| output.texels(&gpu, vk::ImageAspectFlags::COLOR, 4);
            results.push(outputs.each_ref().map(texels));
            outputs.into_iter().chain([color, depth]).for_each(|target| target.destroy(&gpu));
            unsafe { gpu.device.destroy_descriptor_pool(pool, None) };
        }
        let granularity = properties(&gpu, COLOR, samples).image_granularity;
        let [got, expected] = [&results[0], &results[1]];
        // What rendering resolves where nothing is bound is undefined.
        for (index, strict) in [false, true, true].into_iter().enumerate() {
            compare(&got[index], &expected[index], granularity, strict);
        }
        unsafe {
            gpu.device.destroy_pipeline(draws, None);
            gpu.device.destroy_pipeline(fetches, None);
        }
    }
    unsafe {
        gpu.device.destroy_pipeline_layout(layout, None);
        gpu.device.destroy_descriptor_set_layout(set_layout, None);
    }
}

fn image_set(
    gpu: &Gpu,
    layout: vk::DescriptorSetLayout,
    image_view: vk::ImageView,
) -> (vk::DescriptorPool, vk::DescriptorSet) {
    let size = vk::DescriptorPoolSize { type_: vk::DescriptorType::SAMPLED_IMAGE, descriptor_count: 1 };
    let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
    unsafe {
        let pool = gpu.device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&layout));
        let set = gpu.device.allocate_descriptor_sets(&info).expect("a set")[0];
        let shown = vk::DescriptorImageInfo { image_view, image_layout: GENERAL, ..Default::default() };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
            .image_info(slice::from_ref(&shown));
        gpu.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        (pool, set)
    }
}

fn barrier(gpu: &Gpu, commands: vk::CommandBuffer) {
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let barrier = vk::MemoryBarrier::builder().src_access_mask(access).dst_access_mask(access);
    unsafe {
        gpu.device.cmd_pipeline_barrier(
            commands,
            all,
            all,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[] as &[vk::BufferMemoryBarrier],
            &[] as &[vk::ImageMemoryBarrier],
        );
    }
}

/// Clears and draws, resolving to the first output; resolves to the second, and fetches to the third.
#[expect(clippy::too_many_arguments, reason = "a list of what the commands name")]
unsafe fn record(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    (color, depth): (&Target, &Target),
    outputs: &[Target; 3],
    (draws, fetches): (vk::Pipeline, vk::Pipeline),
    set: vk::DescriptorSet,
    sample: f32,
) {
    let device = &gpu.device;
    let clear = vk::ClearColorValue { float32: [0.2, 0.4, 0.6, 0.8] };
    let far = vk::ClearDepthStencilValue { depth: 0.5, stencil: 3 };
    let whole = |target: &Target| [range(target.format)];
    unsafe {
        device.cmd_clear_color_image(commands, color.image, GENERAL, &clear, &whole(color));
        device.cmd_clear_depth_stencil_image(commands, depth.image, GENERAL, &far, &whole(depth));
        for output in outputs {
            device.cmd_clear_color_image(commands, output.image, GENERAL, &clear, &whole(output));
        }
        barrier(gpu, commands);
        let drawn = vk::RenderingAttachmentInfo {
            resolve_mode: vk::ResolveModeFlags::AVERAGE,
            resolve_image_view: outputs[0].view,
            resolve_image_layout: GENERAL,
            ..color.attachment()
        };
        let tested = depth.attachment();
        let info = vk::RenderingInfo::builder().render_area(area()).layer_count(1);
        let to = [drawn];
        let info = info.color_attachments(&to).depth_attachment(&tested).stencil_attachment(&tested);
        device.cmd_begin_rendering(commands, &info);
        device.cmd_bind_pipeline(commands, GRAPHICS, draws);
        draw(gpu, commands, layout, [1.0, 0.0, 0.25, 0.5]);
        // Behind the first.
        draw(gpu, commands, layout, [0.0, 1.0, 0.0, 1.0]);
        device.cmd_end_rendering(commands);
        barrier(gpu, commands);
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let extent = vk::Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
        let region = vk::ImageResolve {
            src_subresource: layers,
            dst_subresource: layers,
            extent,
            ..Default::default()
        };
        device.cmd_resolve_image(commands, color.image, GENERAL, outputs[1].image, GENERAL, &[region]);
        let to = [outputs[2].attachment()];
        let all =
            vk::Rect2D { extent: vk::Extent2D { width: SIZE[0], height: SIZE[1] }, ..Default::default() };
        let info = vk::RenderingInfo::builder().render_area(all).layer_count(1).color_attachments(&to);
        let black = vk::ClearColorValue { float32: [0.0; 4] };
        device.cmd_clear_color_image(commands, outputs[2].image, GENERAL, &black, &whole(&outputs[2]));
        barrier(gpu, commands);
        device.cmd_begin_rendering(commands, &info);
        device.cmd_bind_pipeline(commands, GRAPHICS, fetches);
        device.cmd_bind_descriptor_sets(commands, GRAPHICS, layout, 0, &[set], &[]);
        draw(gpu, commands, layout, [sample, 0.0, 0.0, 0.0]);
        device.cmd_end_rendering(commands);
    }
}

/// Depth and stencil in tiles are cleared, tested, written and copied.
#[test]
fn depth_in_tiles_is_as_in_rows() {
    let gpu = gpu();
    let layout = layout(&gpu, &[]);
    use vk::Format as F;
    for (format, bytes) in
        [(F::D16_UNORM, 2), (F::D32_SFLOAT, 4), (F::D24_UNORM_S8_UINT, 4), (F::D32_SFLOAT_S8_UINT, 4)]
    {
        let has_stencil = aspects(format) == BOTH;
        let one = vk::SampleCountFlags::_1;
        let pipeline = pipeline(&gpu, layout, None, (F::UNDEFINED, format), one);
        let results = [Bound::Checkered, Bound::Whole].map(|bound| {
            let target = Target::new(&gpu, format, one, bound);
            gpu.run(|commands| unsafe {
                let far = vk::ClearDepthStencilValue { depth: 0.5, stencil: 3 };
                gpu.device.cmd_clear_depth_stencil_image(
                    commands,
                    target.image,
                    GENERAL,
                    &far,
                    &[range(format)],
                );
                barrier(&gpu, commands);
                let tested = target.attachment();
                let info = vk::RenderingInfo::builder().render_area(area()).layer_count(1);
                let info = info.depth_attachment(&tested);
                let info = if has_stencil { info.stencil_attachment(&tested) } else { info };
                gpu.device.cmd_begin_rendering(commands, &info);
                gpu.device.cmd_bind_pipeline(commands, GRAPHICS, pipeline);
                draw(&gpu, commands, layout, [0.0; 4]);
                draw(&gpu, commands, layout, [0.0; 4]);
                gpu.device.cmd_end_rendering(commands);
                barrier(&gpu, commands);
            });
            let depth = target.texels(&gpu, vk::ImageAspectFlags::DEPTH, bytes);
            let stencil = has_stencil.then(|| target.texels(&gpu, vk::ImageAspectFlags::STENCIL, 1));
            target.destroy(&gpu);
            (depth, stencil)
        });
        let granularity = properties(&gpu, format, one).image_granularity;
        let [(depth, stencil), (expected_depth, expected_stencil)] = results;
        compare(&depth, &expected_depth, granularity, true);
        if let (Some(stencil), Some(expected)) = (stencil, expected_stencil) {
            compare(&stencil, &expected, granularity, true);
        }
        unsafe { gpu.device.destroy_pipeline(pipeline, None) };
    }
    unsafe { gpu.device.destroy_pipeline_layout(layout, None) };
}
