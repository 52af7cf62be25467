//! Image accesses that are far out: coordinates, layers and levels that there are not, floats that are no
//! numbers. Nothing outside the image is touched, and what is read is zero or one of the image's texels.

use pyro_shadertext::Shader;
use pyro_test_kit::compute::Compute;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const LAYERS: u32 = 3;
const LEVELS: u32 = 2;
const SIDE: u32 = 8;
/// Words around the image, in the same memory, that must stay.
const GUARD: usize = 4096;
const GUARDED: u32 = 0xDEAD_BEEF;
/// The value of all texels of the image.
const TEXEL: u32 = 7;
/// Pixels of a row, where pixels are the invocations.
const WIDTH: u32 = 64;
/// Words that an invocation reads (x, y, layer, level, as integers or bits of floats) and writes.
const WORDS: usize = 8;

/// The invocation's four words are a place: it is fetched, sampled in two ways, gathered, read and written.
/// `%int4` is as integers, `%float4` as the same bits.
const BODY: &str = "%first = OpIMul %uint %gid %uint_8
    %at1 = OpIAdd %uint %first %uint_1
    %at2 = OpIAdd %uint %first %uint_2
    %at3 = OpIAdd %uint %first %uint_3
    %at4 = OpIAdd %uint %first %uint_4
    %at5 = OpIAdd %uint %first %uint_5
    %at6 = OpIAdd %uint %first %uint_6
    %p0 = OpAccessChain %buffer_uint %buffer %uint_0 %first
    %p1 = OpAccessChain %buffer_uint %buffer %uint_0 %at1
    %p2 = OpAccessChain %buffer_uint %buffer %uint_0 %at2
    %p3 = OpAccessChain %buffer_uint %buffer %uint_0 %at3
    %p4 = OpAccessChain %buffer_uint %buffer %uint_0 %at4
    %p5 = OpAccessChain %buffer_uint %buffer %uint_0 %at5
    %p6 = OpAccessChain %buffer_uint %buffer %uint_0 %at6
    %x = OpLoad %uint %p0
    %y = OpLoad %uint %p1
    %z = OpLoad %uint %p2
    %level = OpLoad %uint %p3
    %xi = OpBitcast %int %x
    %yi = OpBitcast %int %y
    %zi = OpBitcast %int %z
    %leveli = OpBitcast %int %level
    %place = OpCompositeConstruct %int3 %xi %yi %zi
    %xf = OpBitcast %float %x
    %yf = OpBitcast %float %y
    %zf = OpBitcast %float %z
    %levelf = OpBitcast %float %level
    %coordinate = OpCompositeConstruct %float3 %xf %yf %zf
    %slopes = OpCompositeConstruct %float2 %levelf %xf
    %pair = OpLoad %combined %texture
    %sampled = OpImage %image %pair
    %target = OpLoad %stored %storage
    %r0 = OpImageFetch %uint4 %sampled %place Lod %leveli
    %r1 = OpImageSampleExplicitLod %uint4 %pair %coordinate Lod %levelf
    %r2 = OpImageSampleExplicitLod %uint4 %pair %coordinate Grad %slopes %slopes
    %r3 = OpImageGather %uint4 %pair %coordinate %uint_0
    %r4 = OpImageRead %uint4 %target %place
    %c0 = OpCompositeExtract %uint %r0 0
    %c1 = OpCompositeExtract %uint %r1 0
    %c2 = OpCompositeExtract %uint %r2 0
    %c3 = OpCompositeExtract %uint %r3 3
    %c4 = OpCompositeExtract %uint %r4 0
    OpImageWrite %target %place %seven
    %pointer = OpImageTexelPointer %image_uint %storage %place %uint_0
    %c5 = OpAtomicUMax %uint %pointer %uint_1 %uint_0 %uint_7
    OpStore %p0 %c0
    OpStore %p1 %c1
    OpStore %p2 %c2
    OpStore %p3 %c3
    OpStore %p4 %c4
    OpStore %p5 %c5
    OpStore %p6 %uint_1";

/// Of a stage's shader, whose invocations have the number `%gid`: the rest of the module.
fn whole(shader: Shader) -> String {
    shader
        .buffers(&["buffer"])
        .decorate(
            "OpDecorate %texture DescriptorSet 0
            OpDecorate %texture Binding 1
            OpDecorate %storage DescriptorSet 0
            OpDecorate %storage Binding 2",
        )
        .declare(
            "%image = OpTypeImage %uint 2D 0 1 0 1 Unknown
            %combined = OpTypeSampledImage %image
            %texture = OpVariable %handle_combined UniformConstant
            %stored = OpTypeImage %uint 2D 0 1 0 2 R32ui
            %storage = OpVariable %handle_stored UniformConstant
            %seven = OpConstantComposite %uint4 %uint_7 %uint_7 %uint_7 %uint_7",
        )
        .text()
}

/// A compute shader, whose invocation's number is that of its workgroup.
fn compute_text() -> String {
    let number = "%ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0";
    let shader = Shader::compute([1, 1, 1], &format!("{number}\n{BODY}"));
    whole(shader.input("id", "uint3", "BuiltIn GlobalInvocationId"))
}

/// A fragment shader, whose invocation's number is that of its pixel.
fn fragment_text() -> String {
    let number = "%pixel = OpLoad %float4 %id
        %fx = OpCompositeExtract %float %pixel 0
        %fy = OpCompositeExtract %float %pixel 1
        %column = OpConvertFToU %uint %fx
        %line = OpConvertFToU %uint %fy
        %before = OpIMul %uint %line %uint_64
        %gid = OpIAdd %uint %before %column";
    let shader = Shader::fragment(&format!("{number}\n{BODY}"));
    whole(shader.input("id", "float4", "BuiltIn FragCoord"))
}

/// A triangle over everything, by the vertex's number.
fn vertex_text() -> String {
    Shader::vertex(
        "%i = OpLoad %int %index
        %is_right = OpIEqual %bool %i %int_1
        %is_below = OpIEqual %bool %i %int_2
        %x = OpSelect %float %is_right %float_3 %float_m1
        %y = OpSelect %float %is_below %float_3 %float_m1
        %p = OpCompositeConstruct %float4 %x %y %float_0 %float_1
        OpStore %position %p",
    )
    .input("index", "int", "BuiltIn VertexIndex")
    .text()
}

/// A pipeline of [`vertex_text`] and a fragment shader, without attachments, with dynamic viewport and
/// scissor.
fn graphics_pipeline(context: &Compute, layout: vk::PipelineLayout, fragment: &str) -> vk::Pipeline {
    let device = &context.device;
    let modules = [&vertex_text(), fragment].map(|text| context.shader_module(text));
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let blend = vk::PipelineColorBlendStateCreateInfo::default();
    let dynamics = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&dynamics);
    let mut rendering = vk::PipelineRenderingCreateInfo::default();
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
        .push_next(&mut rendering);
    let made =
        unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None) };
    modules.into_iter().for_each(|module| unsafe { device.destroy_shader_module(module, None) });
    made.expect("a pipeline").0[0]
}

/// An image in the middle of mapped memory.
struct Guarded {
    image: vk::Image,
    memory: vk::DeviceMemory,
    views: [vk::ImageView; 2],
    words: *mut u32,
    count: usize,
    size: usize,
}

impl Guarded {
    fn new(context: &Compute) -> Guarded {
        let device = &context.device;
        unsafe {
            let info = vk::ImageCreateInfo::builder()
                .image_type(vk::ImageType::_2D)
                .format(vk::Format::R32_UINT)
                .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
                .mip_levels(LEVELS)
                .array_layers(LAYERS)
                .samples(vk::SampleCountFlags::_1)
                .tiling(vk::ImageTiling::OPTIMAL)
                .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE);
            let image = device.create_image(&info, None).expect("an image");
            let needs = device.get_image_memory_requirements(image);
            let size = needs.size as usize / 4;
            let count = size + 2 * GUARD;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(4 * count as u64);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 4 * GUARD as u64).expect("bound");
            let flags = vk::MemoryMapFlags::empty();
            let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>();
            for at in 0..count {
                let inside = (GUARD..GUARD + size).contains(&at);
                words.add(at).write_volatile(if inside { TEXEL } else { GUARDED });
            }
            let view = |levels| {
                let range = vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: levels,
                    layer_count: LAYERS,
                    ..Default::default()
                };
                let info = vk::ImageViewCreateInfo::builder()
                    .image(image)
                    .view_type(vk::ImageViewType::_2D_ARRAY)
                    .format(vk::Format::R32_UINT)
                    .subresource_range(range);
                device.create_image_view(&info, None).expect("a view")
            };
            Guarded { image, memory, views: [view(LEVELS), view(1)], words, count, size }
        }
    }

    /// Nothing but texels, which all have one value, has been written.
    fn check(&self) {
        for at in 0..self.count {
            let inside = (GUARD..GUARD + self.size).contains(&at);
            let word = unsafe { self.words.add(at).read_volatile() };
            assert_eq!(word, if inside { TEXEL } else { GUARDED }, "word {at} of {}", self.count);
        }
    }

    fn destroy(self, device: &Device) {
        unsafe {
            self.views.into_iter().for_each(|view| device.destroy_image_view(view, None));
            device.destroy_image(self.image, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// A set of buffer, texture and storage image.
unsafe fn set(
    context: &Compute,
    layout: vk::DescriptorSetLayout,
    image: &Guarded,
    sampler: vk::Sampler,
) -> (vk::DescriptorPool, vk::DescriptorSet) {
    let device = &context.device;
    let types = [
        vk::DescriptorType::STORAGE_BUFFER,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        vk::DescriptorType::STORAGE_IMAGE,
    ];
    let sizes = types.map(|ty| vk::DescriptorPoolSize { type_: ty, descriptor_count: 1 });
    let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
    unsafe {
        let pool = device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&layout));
        let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
        for (binding, sampler, view) in
            [(1, sampler, image.views[0]), (2, vk::Sampler::null(), image.views[1])]
        {
            let info = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: GENERAL };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(types[binding as usize])
                .image_info(slice::from_ref(&info));
            device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        }
        (pool, set)
    }
}

/// Each value in each place, and pairs of them.
fn places() -> Vec<[u32; 4]> {
    let (least, most) = (i32::MIN as u32, i32::MAX as u32);
    let side = SIDE;
    let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0e30, 3.0e38, 0.5, 1.0e-40, -0.0];
    let mut values = vec![0, 1, side - 1, side, u32::MAX, least, most, least + 1, 1 << 16, 1 << 24, 1 << 28];
    values.extend(floats.map(f32::to_bits));
    let mut places = vec![[0; 4]];
    for (at, &value) in (0..4).flat_map(|at| values.iter().map(move |value| (at, value))) {
        let mut place = [0; 4];
        place[at] = value;
        places.push(place);
        for &other in &values {
            let mut place = place;
            place[(at + 1) % 4] = other;
            places.push(place);
        }
    }
    // Whole rows of pixels.
    places.resize(places.len().next_multiple_of(WIDTH as usize), [0; 4]);
    places
}

/// Runs a shader at all places with each way to address texels; `make` gives its pipeline, and `run` records
/// it.
fn check_places(
    context: &Compute,
    make: impl FnOnce(vk::PipelineLayout) -> vk::Pipeline,
    run: impl Fn(vk::CommandBuffer, vk::PipelineLayout, vk::Pipeline, vk::DescriptorSet, u32),
) {
    let device = &context.device;
    let image = Guarded::new(context);
    let side = SIDE;
    let places = places();
    let buffer = context.buffer(WORDS * places.len());
    let ty = [
        (vk::DescriptorType::STORAGE_BUFFER, 1),
        (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
        (vk::DescriptorType::STORAGE_IMAGE, 1),
    ];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &ty);
    let layout = context.layout(&[set_layout]);
    let pipeline = make(layout);
    for mode in [
        vk::SamplerAddressMode::REPEAT,
        vk::SamplerAddressMode::MIRRORED_REPEAT,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
        vk::SamplerAddressMode::CLAMP_TO_BORDER,
    ] {
        for (index, place) in places.iter().enumerate() {
            (0..4).for_each(|at| buffer.put(WORDS * index + at, place[at]));
            (4..WORDS).for_each(|at| buffer.put(WORDS * index + at, 0));
        }
        unsafe {
            let info = vk::SamplerCreateInfo::builder()
                .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
                .address_mode_u(mode)
                .address_mode_v(mode)
                .address_mode_w(mode)
                .max_lod(vk::LOD_CLAMP_NONE)
                .border_color(vk::BorderColor::INT_TRANSPARENT_BLACK);
            let sampler = device.create_sampler(&info, None).expect("a sampler");
            let (pool, set) = set(context, set_layout, &image, sampler);
            context.write(set, buffer.buffer);
            context.run(|commands| run(commands, layout, pipeline, set, places.len() as u32));
            device.destroy_descriptor_pool(pool, None);
            device.destroy_sampler(sampler, None);
        }
        let words = buffer.words();
        for (place, got) in places.iter().zip(words.chunks(WORDS)) {
            assert!(got[..6].iter().all(|&word| word == 0 || word == TEXEL), "{mode:?} {place:x?}: {got:x?}");
            assert_eq!(got[6], 1, "{place:x?} has not run");
            let [x, y, layer, level] = *place;
            let inside = x < side && y < side && layer < LAYERS;
            let expected = |inside: bool| if inside { TEXEL } else { 0 };
            let fits = inside && level < LEVELS && x < side >> level && y < side >> level;
            assert_eq!(got[0], expected(fits), "the fetch at {place:x?}");
            assert_eq!(got[4], expected(inside), "the read at {place:x?}");
            assert_eq!(got[5], expected(inside), "the atomic operation at {place:x?}");
        }
        image.check();
    }
    image.destroy(device);
}

#[test]
fn out_of_bounds_texels_read_zero_in_compute() {
    let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let device = &context.device;
    let make = |layout| context.pipeline(layout, &compute_text());
    check_places(&context, make, |commands, layout, pipeline, set, count| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, count, 1, 1);
    });
}

/// The same places from pixels, whose neighbours in a quad are at other ones.
#[test]
fn out_of_bounds_texels_read_zero_in_fragments() {
    let mut features = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true).build();
    let context = Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut features).cast());
    let device = &context.device;
    let made = std::cell::Cell::new(vk::Pipeline::null());
    let make = |layout| {
        made.set(graphics_pipeline(&context, layout, &fragment_text()));
        made.get()
    };
    check_places(&context, make, |commands, layout, pipeline, set, count| unsafe {
        let area = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width: WIDTH, height: count / WIDTH },
        };
        let info = vk::RenderingInfo::builder().render_area(area).layer_count(1);
        let point = vk::PipelineBindPoint::GRAPHICS;
        device.cmd_begin_rendering(commands, &info);
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        let (width, height) = (WIDTH as f32, area.extent.height as f32);
        let viewport = vk::Viewport { width, height, max_depth: 1.0, ..Default::default() };
        device.cmd_set_viewport(commands, 0, &[viewport]);
        device.cmd_set_scissor(commands, 0, &[area]);
        device.cmd_draw(commands, 3, 1, 0, 0);
        device.cmd_end_rendering(commands);
    });
    unsafe { device.destroy_pipeline(made.get(), None) };
}
