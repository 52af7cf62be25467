//! Images of all formats in shaders: sampled in all ways, fetched, gathered, compared, read and written.

use crate::canonical;
use pyro_random::Random;
use pyro_shadertext::Shader;
use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
/// Numbers of the formats of Vulkan 1.0. With others the stored cases would have other formats.
const FORMATS: std::ops::RangeInclusive<i32> = 1..=184;
/// Texels of a side of the sampled image at most, and of the written one.
const SIZE: u32 = 40;
const SIDE: u32 = 16;
const INVOCATIONS: usize = (SIDE * SIDE) as usize;
/// Words that an invocation reads: a place, a level, a slope, an offset for fetches, a reference.
const INPUT_WORDS: usize = 8;
/// Words that it writes.
const OUTPUT_WORDS: usize = 24;
/// Bytes of texels.
const BYTES: usize = 1 << 17;
/// Cases of one device, which keeps what they make.
const CASES: u32 = 200;

/// A device, and what it can do with formats.
pub(crate) struct Images {
    context: Compute,
    texels: Buffer,
    formats: Vec<(vk::Format, vk::FormatFeatureFlags)>,
    cases: u32,
}

/// An image of one case.
struct Image {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    stored: vk::ImageView,
    aspect: vk::ImageAspectFlags,
    levels: u32,
}

/// The kind of numbers that shaders see: the name of a scalar.
fn scalar(format: vk::Format) -> &'static str {
    let name = format!("{format:?}");
    match (name.contains("UINT"), name.contains("SINT")) {
        (true, _) => "uint",
        (_, true) => "int",
        _ => "float",
    }
}

fn is_depth(format: vk::Format) -> bool {
    matches!(format, vk::Format::D16_UNORM | vk::Format::D32_SFLOAT)
}

/// The shader for a source and a target of a kind of numbers.
fn shader(scalar: &str, component: u32, compares: bool, reads: bool) -> String {
    let mut body = "%ids = OpLoad %uint3 %id
        %x = OpCompositeExtract %uint %ids 0
        %y = OpCompositeExtract %uint %ids 1
        %row = OpIMul %uint %y %uint_16
        %gid = OpIAdd %uint %row %x
        %first = OpIMul %uint %gid %uint_8
        %start = OpIMul %uint %gid %uint_24\n"
        .to_owned();
    for (at, name) in ["u", "v", "level", "slope", "i", "j", "n", "reference"].into_iter().enumerate() {
        body += &format!(
            "%at_{name} = OpIAdd %uint %first %uint_{at}
            %from_{name} = OpAccessChain %buffer_uint %input %uint_0 %at_{name}
            %word_{name} = OpLoad %uint %from_{name}
            %{name} = OpBitcast %float %word_{name}\n"
        );
    }
    body += &format!(
        "%place = OpCompositeConstruct %float2 %u %v
        %slopes = OpCompositeConstruct %float2 %slope %level
        %across = OpCompositeConstruct %float2 %v %slope
        %texel = OpCompositeConstruct %uint2 %word_i %word_j
        %pair = OpLoad %combined %texture
        %sampled = OpImage %image %pair
        %r0 = OpImageSampleExplicitLod %{scalar}4 %pair %place Lod %level
        %r1 = OpImageSampleExplicitLod %{scalar}4 %pair %place Grad %slopes %across
        %r2 = OpImageGather %{scalar}4 %pair %place %uint_{component}
        %r3 = OpImageFetch %{scalar}4 %sampled %texel Lod %word_n\n"
    );
    let mut results = 4;
    if compares {
        body += "%drawn = OpImageSampleDrefExplicitLod %float %pair %place %reference Lod %level
            %r4 = OpCompositeConstruct %float4 %drawn %drawn %drawn %drawn
            %r5 = OpImageDrefGather %float4 %pair %place %reference\n";
        results += 2;
    } else if reads {
        body += &format!("%other = OpLoad %stored %source\n%r4 = OpImageRead %{scalar}4 %other %texel\n");
        results += 1;
    }
    for result in 0..results {
        for part in 0..4 {
            let (at, name) = (4 * result + part, format!("{result}_{part}"));
            body += &format!(
                "%part_{name} = OpCompositeExtract %{scalar} %r{result} {part}
                %bits_{name} = OpBitcast %uint %part_{name}
                %to_{name} = OpIAdd %uint %start %uint_{at}
                %out_{name} = OpAccessChain %buffer_uint %output %uint_0 %to_{name}
                OpStore %out_{name} %bits_{name}\n"
            );
        }
    }
    // The payload of a NaN is open.
    let written = if scalar == "float" {
        body += "%is_nan = OpIsNan %bool4 %r0\n%kept = OpSelect %float4 %is_nan %zeros %r0\n";
        "kept"
    } else {
        "r0"
    };
    body += &format!(
        "%pixel = OpCompositeConstruct %uint2 %x %y\n%written = OpLoad %stored %target\nOpImageWrite %written %pixel %{written}"
    );
    // Integers of one sign have the bits of the other.
    let body = body.replace(
        "OpBitcast %uint %part",
        if scalar == "uint" { "OpCopyObject %uint %part" } else { "OpBitcast %uint %part" },
    );
    Shader::compute([8, 8, 1], &body)
        .capability("StorageImageWriteWithoutFormat StorageImageReadWithoutFormat")
        .input("id", "uint3", "BuiltIn GlobalInvocationId")
        .buffers(&["input", "output"])
        .decorate(
            "OpDecorate %texture DescriptorSet 0
            OpDecorate %texture Binding 2
            OpDecorate %target DescriptorSet 0
            OpDecorate %target Binding 3
            OpDecorate %source DescriptorSet 0
            OpDecorate %source Binding 4",
        )
        .declare(&format!(
            "%image = OpTypeImage %{scalar} 2D {} 0 0 1 Unknown
            %combined = OpTypeSampledImage %image
            %texture = OpVariable %handle_combined UniformConstant
            %stored = OpTypeImage %{scalar} 2D 0 0 0 2 Unknown
            %target = OpVariable %handle_stored UniformConstant
            %source = OpVariable %handle_stored UniformConstant
            %zeros = OpConstantComposite %float4 %float_0 %float_0 %float_0 %float_0",
            u32::from(compares)
        ))
        .text()
}

impl Images {
    pub(crate) fn new() -> Images {
        let client = Client::new(vk::make_version(1, 3, 0), &[]);
        let Client { instance, physical_device, .. } = &client;
        // SAFETY: the physical device is the instance's.
        let features = unsafe { instance.get_physical_device_features(*physical_device) };
        let formats = FORMATS.map(vk::Format::from_raw).map(|format| {
            // SAFETY: as above.
            let found = unsafe { instance.get_physical_device_format_properties(*physical_device, format) };
            (format, found.optimal_tiling_features)
        });
        let is_taken = |format: vk::Format| is_depth(format) || !(124..=130).contains(&format.as_raw());
        let formats = formats.filter(|&(format, _)| is_taken(format)).collect();
        let context = Compute::from(client.device(&[], Some(&features), std::ptr::null_mut()));
        let texels = context.buffer(BYTES / 4);
        Images { context, texels, formats, cases: 0 }
    }

    /// Whether another device should follow.
    pub(crate) fn is_full(&self) -> bool {
        self.cases >= CASES
    }

    fn image(&self, format: vk::Format, [width, height]: [u32; 2], levels: u32, swizzle: [i32; 4]) -> Image {
        let features =
            self.formats.iter().find(|(of, _)| *of == format).map_or_else(Default::default, |of| of.1);
        let is_stored = features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE);
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE) {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if is_stored {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(usage);
        let aspect = if is_depth(format) { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR };
        let device = &self.context.device;
        // SAFETY: all handles are this device's, and the memory is the image's alone.
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let needs = device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let view = |level_count, swizzle: [i32; 4]| {
                let [r, g, b, a] = swizzle.map(vk::ComponentSwizzle::from_raw);
                let range = vk::ImageSubresourceRange {
                    aspect_mask: aspect,
                    level_count,
                    layer_count: 1,
                    ..Default::default()
                };
                let info = vk::ImageViewCreateInfo::builder()
                    .image(image)
                    .view_type(vk::ImageViewType::_2D)
                    .format(format)
                    .components(vk::ComponentMapping { r, g, b, a })
                    .subresource_range(range);
                device.create_image_view(&info, None).expect("a view")
            };
            let stored = if is_stored { view(1, [0; 4]) } else { vk::ImageView::null() };
            Image { image, memory, view: view(levels, swizzle), stored, aspect, levels }
        }
    }

    fn sampler(&self, random: &mut Random, is_linear: bool, scalar: &str, compares: bool) -> vk::Sampler {
        let filter = |random: &mut Random| {
            if is_linear && random.one_in(2) { vk::Filter::LINEAR } else { vk::Filter::NEAREST }
        };
        let address = |random: &mut Random| vk::SamplerAddressMode::from_raw(random.below(4));
        let anisotropy = is_linear && !compares && random.one_in(4);
        // Borders of floats and of integers alternate.
        let border = vk::BorderColor::from_raw(2 * random.below(3) + i32::from(scalar != "float"));
        let mut info = vk::SamplerCreateInfo::builder()
            .mag_filter(filter(random))
            .min_filter(filter(random))
            .address_mode_u(address(random))
            .address_mode_v(address(random))
            .mip_lod_bias(random.float(-1.0, 1.0))
            .max_lod(random.float(0.0, 5.0))
            .anisotropy_enable(anisotropy)
            .max_anisotropy(random.float(1.0, 16.0))
            .border_color(border)
            .compare_enable(compares)
            .compare_op(vk::CompareOp::from_raw(random.below(8)));
        if is_linear && random.one_in(2) {
            info = info.mipmap_mode(vk::SamplerMipmapMode::LINEAR);
        }
        // SAFETY: the structure lives until the call returns.
        unsafe { self.context.device.create_sampler(&info, None) }.expect("a sampler")
    }

    /// Writes the descriptors of a new set.
    fn set(
        &self,
        layout: vk::DescriptorSetLayout,
        buffers: [Buffer; 2],
        images: [(vk::DescriptorType, vk::Sampler, vk::ImageView); 3],
    ) -> vk::DescriptorSet {
        let context = &self.context;
        let sizes = [
            (vk::DescriptorType::STORAGE_BUFFER, 2),
            (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
            (vk::DescriptorType::STORAGE_IMAGE, 2),
        ];
        let set = context.set_of(layout, &sizes);
        context.write_range(set, 0, buffers[0].buffer, 0);
        context.write_range(set, 1, buffers[1].buffer, 0);
        for (binding, (ty, sampler, image_view)) in (2..).zip(images) {
            let info = vk::DescriptorImageInfo { sampler, image_view, image_layout: GENERAL };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(ty)
                .image_info(slice::from_ref(&info));
            // SAFETY: all objects are the device's.
            unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        }
        set
    }

    /// What the shader of a number writes into its buffer and its image.
    pub(crate) fn access(&mut self, number: u64) -> Vec<u8> {
        self.cases += 1;
        let random = &mut Random::new(number);
        let of = |wanted| {
            let has = move |&&(_, features): &&(_, vk::FormatFeatureFlags)| features.contains(wanted);
            self.formats.iter().filter(has).copied().collect::<Vec<_>>()
        };
        let sources = of(vk::FormatFeatureFlags::SAMPLED_IMAGE);
        let (format, features) = sources[number as usize % sources.len()];
        let kind = scalar(format);
        let mut targets = of(vk::FormatFeatureFlags::STORAGE_IMAGE);
        targets.retain(|&(target, _)| scalar(target) == kind && !format!("{target:?}").contains("R64"));
        let (to, _) = random.pick(&targets);
        let size = [1 + random.below(SIZE), 1 + random.below(SIZE)];
        let levels = 1 + random.below(size[0].max(size[1]).ilog2() + 1).min(3);
        let swizzle = if is_depth(format) { [0; 4] } else { [(); 4].map(|()| random.below(7)) };
        let images = [self.image(format, size, levels, swizzle), self.image(to, [SIDE; 2], 1, [0; 4])];
        let compares = is_depth(format);
        let is_linear = features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR);
        let sampler = self.sampler(random, is_linear, kind, compares);
        let reads = images[0].stored != vk::ImageView::null() && !compares;
        let text = shader(kind, random.below(if compares { 1 } else { 4 }), compares, reads);
        let context = &self.context;
        let types = [
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::STORAGE_IMAGE,
            vk::DescriptorType::STORAGE_IMAGE,
        ];
        let set_layout =
            context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &types.map(|ty| (ty, 1)));
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &text);
        let buffers = [context.buffer(INVOCATIONS * INPUT_WORDS), context.buffer(INVOCATIONS * OUTPUT_WORDS)];
        for invocation in 0..INVOCATIONS {
            let far = if random.one_in(20) { 1e6 } else { 1.0 };
            let floats = [far * random.float(-1.5, 2.5), random.float(-1.5, 2.5), random.float(-1.0, 5.0)];
            let slope = random.float(-0.3, 0.3);
            let words = [floats[0], floats[1], floats[2], slope].map(f32::to_bits);
            let texel = [random.below(size[0] + 2), random.below(size[1] + 2), random.below(levels + 1)];
            let reference = random.float(0.0, 1.0).to_bits();
            let words = words.into_iter().chain(texel).chain([reference]);
            words.enumerate().for_each(|(at, word)| buffers[0].put(invocation * INPUT_WORDS + at, word));
        }
        (0..BYTES / 4).for_each(|at| self.texels.put(at, random.word()));
        let none = vk::Sampler::null();
        let source = if reads { images[0].stored } else { images[1].stored };
        let bound = [
            (types[2], sampler, images[0].view),
            (types[3], none, images[1].stored),
            (types[4], none, source),
        ];
        let set = self.set(set_layout, buffers, bound);
        self.run(&images, size, pipeline, layout, set);
        let device = &context.device;
        // SAFETY: the queue is idle, and nothing else names them.
        unsafe {
            device.destroy_sampler(sampler, None);
            for image in images {
                device.destroy_image_view(image.view, None);
                device.destroy_image_view(image.stored, None);
                device.destroy_image(image.image, None);
                device.free_memory(image.memory, None);
            }
        }
        let words = buffers[1].words().into_iter().map(canonical);
        words.chain(self.texels.words()).flat_map(u32::to_le_bytes).collect()
    }

    /// Fills both images, dispatches, and copies the second into the buffer.
    fn run(
        &self,
        images: &[Image; 2],
        size: [u32; 2],
        pipeline: vk::Pipeline,
        layout: vk::PipelineLayout,
        set: vk::DescriptorSet,
    ) {
        let (device, point) = (&self.context.device, vk::PipelineBindPoint::COMPUTE);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barriers = images.each_ref().map(|image| {
            let range = vk::ImageSubresourceRange {
                aspect_mask: image.aspect,
                level_count: image.levels,
                layer_count: 1,
                ..Default::default()
            };
            vk::ImageMemoryBarrier::builder()
                .dst_access_mask(memory)
                .new_layout(GENERAL)
                .image(image.image)
                .subresource_range(range)
        });
        let copy = |aspect_mask, mip_level, [width, height]: [u32; 2]| {
            let layers =
                vk::ImageSubresourceLayers { aspect_mask, mip_level, layer_count: 1, ..Default::default() };
            let image_extent = vk::Extent3D { width, height, depth: 1 };
            vk::BufferImageCopy::builder().image_subresource(layers).image_extent(image_extent)
        };
        let barrier = |commands, images: &[vk::ImageMemoryBarrierBuilder<'_>]| {
            let memory = vk::MemoryBarrier::builder().src_access_mask(memory).dst_access_mask(memory);
            let buffers: &[vk::BufferMemoryBarrier] = &[];
            let flags = vk::DependencyFlags::empty();
            // SAFETY: the command buffer is being recorded, and the images are the device's.
            unsafe { device.cmd_pipeline_barrier(commands, all, all, flags, &[memory], buffers, images) };
        };
        let texels = self.texels.buffer;
        self.context.run(|commands| {
            barrier(commands, &barriers);
            // SAFETY: as above; all regions lie in their images and in the buffer.
            unsafe {
                for level in 0..images[0].levels {
                    let region = copy(images[0].aspect, level, size.map(|side| (side >> level).max(1)));
                    device.cmd_copy_buffer_to_image(commands, texels, images[0].image, GENERAL, &[region]);
                }
                let whole = copy(images[1].aspect, 0, [SIDE; 2]);
                device.cmd_copy_buffer_to_image(commands, texels, images[1].image, GENERAL, &[whole]);
                barrier(commands, &[]);
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                device.cmd_dispatch(commands, SIDE / 8, SIDE / 8, 1);
                barrier(commands, &[]);
                device.cmd_copy_image_to_buffer(commands, images[1].image, GENERAL, texels, &[whole]);
                barrier(commands, &[]);
            }
        });
    }
}
