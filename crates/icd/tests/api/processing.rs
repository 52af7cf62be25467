//! Weighted sampling, box filters, block matching and gathers by modes, beside the specification's formulas.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::Compute;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Texels of images in x and y.
const SIZE: [usize; 2] = [16, 12];

fn context() -> Compute {
    let mut second = vk::PhysicalDeviceImageProcessing2FeaturesQCOM::builder().texture_block_match2(true);
    let mut third = new::PhysicalDeviceImageProcessing3FeaturesQCOM {
        image_gather_linear: vk::TRUE,
        image_gather_extended_modes: vk::TRUE,
        block_match_extended_clamp_to_edge: vk::TRUE,
        ..Default::default()
    };
    second.next = (&raw mut third).cast();
    let mut features = vk::PhysicalDeviceImageProcessingFeaturesQCOM::builder()
        .texture_sample_weighted(true)
        .texture_box_filter(true)
        .texture_block_match(true);
    features.next = (&raw mut second).cast();
    let extensions =
        [c"VK_QCOM_image_processing", c"VK_QCOM_image_processing2", c"VK_QCOM_image_processing3"];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// An image of floats in mapped memory.
struct Image {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
}

impl Image {
    fn new(
        context: &Compute,
        [width, height, layers]: [usize; 3],
        usage: vk::ImageUsageFlags,
        weights: Option<vk::ImageViewSampleWeightCreateInfoQCOM>,
        texel: impl Fn(usize, usize, usize) -> f32,
    ) -> Image {
        let device = &context.device;
        let (image_type, view_type) = match (height, weights.is_some()) {
            (1, true) => (vk::ImageType::_1D, vk::ImageViewType::_1D_ARRAY),
            (_, true) => (vk::ImageType::_2D, vk::ImageViewType::_2D_ARRAY),
            (_, false) => (vk::ImageType::_2D, vk::ImageViewType::_2D),
        };
        let info = vk::ImageCreateInfo::builder()
            .image_type(image_type)
            .format(vk::Format::R32_SFLOAT)
            .extent(vk::Extent3D { width: width as u32, height: height as u32, depth: 1 })
            .mip_levels(1)
            .array_layers(layers as u32)
            .samples(vk::SampleCountFlags::_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(usage | vk::ImageUsageFlags::SAMPLED)
            .initial_layout(vk::ImageLayout::PREINITIALIZED);
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocate, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default()).expect("mapped");
            for layer in 0..layers {
                let part = vk::ImageSubresource {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: 0,
                    array_layer: layer as u32,
                };
                let layout = device.get_image_subresource_layout(image, &part);
                for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                    let at = layout.offset as usize + y * layout.row_pitch as usize + 4 * x;
                    bytes.byte_add(at).cast::<f32>().write(texel(x, y, layer));
                }
            }
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: 0,
                layer_count: layers as u32,
            };
            let mut info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(view_type)
                .format(vk::Format::R32_SFLOAT)
                .subresource_range(range);
            if let Some(weights) = &weights {
                info.next = (&raw const *weights).cast();
            }
            let view = device.create_image_view(&info, None).expect("a view");
            Image { image, view, memory }
        }
    }

    fn destroy(self, context: &Compute) {
        unsafe {
            context.device.destroy_image_view(self.view, None);
            context.device.destroy_image(self.image, None);
            context.device.free_memory(self.memory, None);
        }
    }
}

/// A sampler for image processing.
fn sampler(
    context: &Compute,
    mode: vk::SamplerAddressMode,
    reduction: vk::SamplerReductionMode,
    unnormalized: bool,
    window: Option<([u32; 2], vk::BlockMatchWindowCompareModeQCOM)>,
) -> vk::Sampler {
    let window =
        window.map(|([width, height], window_compare_mode)| vk::SamplerBlockMatchWindowCreateInfoQCOM {
            window_extent: vk::Extent2D { width, height },
            window_compare_mode,
            ..Default::default()
        });
    let mut reduction = vk::SamplerReductionModeCreateInfo::builder().reduction_mode(reduction);
    reduction.next = window.as_ref().map_or(std::ptr::null(), |window| (&raw const *window).cast());
    let info = vk::SamplerCreateInfo::builder()
        .flags(vk::SamplerCreateFlags::IMAGE_PROCESSING_QCOM)
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        .unnormalized_coordinates(unnormalized)
        .push_next(&mut reduction);
    unsafe { context.device.create_sampler(&info, None) }.expect("a sampler")
}

/// A second image that is like the first.
const FLAT: &str = "2D 0 0 0";

/// A shader around instructions that make `%r` of `%x` and `%y`, two sampled images, and of `%u` and `%v`,
/// the words that were pushed as integers and floats, two by two.
fn shader(second: &str, body: &str) -> String {
    // No type is declared twice.
    let (types, kind) = match second {
        FLAT => (String::new(), "p_sampled"),
        _ => {
            let types = format!(
                "%other = OpTypeImage %float {second} 1 Unknown
        %other_sampled = OpTypeSampledImage %other
        %p_other = OpTypePointer UniformConstant %other_sampled"
            );
            (types, "p_other")
        }
    };
    let loaded = if second == FLAT { "sampled" } else { "other_sampled" };
    format!(
        "
        OpCapability Shader
        OpCapability Sampled1D
        OpCapability TextureSampleWeightedQCOM
        OpCapability TextureBoxFilterQCOM
        OpCapability TextureBlockMatchQCOM
        OpCapability TextureBlockMatch2QCOM
        OpExtension \"SPV_QCOM_image_processing\"
        OpExtension \"SPV_QCOM_image_processing2\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id
        OpExecutionMode %main LocalSize 16 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %array ArrayStride 16
        OpDecorate %operands ArrayStride 32
        OpDecorate %block BufferBlock
        OpDecorate %operand_block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpMemberDecorate %operand_block 0 Offset 0
        OpMemberDecorate %operand 0 Offset 0
        OpMemberDecorate %operand 1 Offset 16
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpDecorate %given DescriptorSet 0
        OpDecorate %given Binding 1
        OpDecorate %first DescriptorSet 0
        OpDecorate %first Binding 2
        OpDecorate %second DescriptorSet 0
        OpDecorate %second Binding 3
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %uint2 = OpTypeVector %uint 2
        %float2 = OpTypeVector %float 2
        %uint3 = OpTypeVector %uint 3
        %float4 = OpTypeVector %float 4
        %in_uint3 = OpTypePointer Input %uint3
        %id = OpVariable %in_uint3 Input
        %uint_0 = OpConstant %uint 0
        %uint_1 = OpConstant %uint 1
        %array = OpTypeRuntimeArray %float4
        %block = OpTypeStruct %array
        %blocks = OpTypePointer Uniform %block
        %vector = OpTypePointer Uniform %float4
        %buffer = OpVariable %blocks Uniform
        %operand = OpTypeStruct %float4 %float4
        %operands = OpTypeRuntimeArray %operand
        %operand_block = OpTypeStruct %operands
        %operand_blocks = OpTypePointer Uniform %operand_block
        %given = OpVariable %operand_blocks Uniform
        %flat = OpTypeImage %float 2D 0 0 0 1 Unknown
        %sampled = OpTypeSampledImage %flat
        %p_sampled = OpTypePointer UniformConstant %sampled
        {types}
        %first = OpVariable %p_sampled UniformConstant
        %second = OpVariable %{kind} UniformConstant
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %x = OpLoad %sampled %first
        %y = OpLoad %{loaded} %second
        %at_0 = OpAccessChain %vector %given %uint_0 %gid %uint_0
        %at_1 = OpAccessChain %vector %given %uint_0 %gid %uint_1
        %v0 = OpLoad %float4 %at_0
        %v1 = OpLoad %float4 %at_1
        %v_a = OpVectorShuffle %float2 %v0 %v0 0 1
        %v_b = OpVectorShuffle %float2 %v0 %v0 2 3
        %v_c = OpVectorShuffle %float2 %v1 %v1 0 1
        %u_a = OpConvertFToU %uint2 %v_a
        %u_b = OpConvertFToU %uint2 %v_b
        %u_c = OpConvertFToU %uint2 %v_c
        {body}
        %at = OpAccessChain %vector %buffer %uint_0 %gid
        OpStore %at %r
        OpReturn
        OpFunctionEnd"
    )
}

/// Runs a shader for operands of sixteen invocations, each of them six numbers; gives the first components,
/// or all.
fn run(
    context: &Compute,
    text: &str,
    types: [vk::DescriptorType; 2],
    views: [vk::ImageView; 2],
    sampler: vk::Sampler,
    operands: &[[f32; 6]; 16],
) -> Vec<[f32; 4]> {
    let device = &context.device;
    let buffer = vk::DescriptorType::STORAGE_BUFFER;
    let layout =
        context.set_layout(Default::default(), &[(buffer, 1), (buffer, 1), (types[0], 1), (types[1], 1)]);
    let pipeline_layout = context.layout(&[layout]);
    let pipeline = context.pipeline(pipeline_layout, text);
    let set = context.set_of(layout, &[(buffer, 2), (types[0], 2)]);
    let (results, given) = (context.buffer(64), context.buffer(128));
    for (index, operand) in operands.iter().enumerate() {
        (0..6).for_each(|part| given.put(8 * index + part, operand[part].to_bits()));
    }
    context.write_range(set, 0, results.buffer, 0);
    context.write_range(set, 1, given.buffer, 0);
    for (binding, (view, ty)) in (2..).zip(views.into_iter().zip(types)) {
        let info =
            vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(ty)
            .image_info(slice::from_ref(&info));
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, COMPUTE, pipeline_layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    results
        .words()
        .chunks_exact(4)
        .map(|texel| [0, 1, 2, 3].map(|component: usize| f32::from_bits(texel[component])))
        .collect()
}

const COMBINED: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
const EDGE: vk::SamplerAddressMode = vk::SamplerAddressMode::CLAMP_TO_EDGE;
const BORDER: vk::SamplerAddressMode = vk::SamplerAddressMode::CLAMP_TO_BORDER;
const SUM: vk::SamplerReductionMode = vk::SamplerReductionMode::WEIGHTED_AVERAGE;
const MATCHED: vk::ImageUsageFlags = vk::ImageUsageFlags::SAMPLE_BLOCK_MATCH_QCOM;

/// A texel of the image that is filtered: eighths, so that sums are exact.
fn texel(x: usize, y: usize) -> f32 {
    ((x * 7 + y * 13 + x * y) % 32) as f32 / 8.0
}

/// A texel wherever it is, by the address mode.
fn addressed(x: i32, y: i32, mode: vk::SamplerAddressMode) -> f32 {
    let [width, height] = SIZE.map(|size| size as i32);
    if mode == vk::SamplerAddressMode::REPEAT {
        return texel(x.rem_euclid(width) as usize, y.rem_euclid(height) as usize);
    }
    if mode == BORDER && !((0..width).contains(&x) && (0..height).contains(&y)) {
        return 0.0;
    }
    texel(x.clamp(0, width - 1) as usize, y.clamp(0, height - 1) as usize)
}

#[test]
fn boxes_are_weighted_by_what_they_cover() {
    let context = context();
    let image = Image::new(&context, [SIZE[0], SIZE[1], 1], MATCHED, None, |x, y, _| texel(x, y));
    let text = shader(FLAT, "%r = OpImageBoxFilterQCOM %float4 %x %v_a %v_b");
    let operands: [[f32; 6]; 16] = std::array::from_fn(|index| {
        let at = index as f32;
        // Fractions that are sums of powers of two.
        [at - 0.5, at * 0.75, 1.0 + 0.25 * (index % 8) as f32, 2.25, 0.0, 0.0]
    });
    for mode in [EDGE, BORDER] {
        for unnormalized in [true, false] {
            let sampler = sampler(&context, mode, SUM, unnormalized, None);
            let mut given = operands;
            if !unnormalized {
                given.iter_mut().for_each(|one| {
                    one[0] /= SIZE[0] as f32;
                    one[1] /= SIZE[1] as f32;
                });
            }
            let found = run(&context, &text, [COMBINED; 2], [image.view; 2], sampler, &given);
            for (found, [u, v, width, height, ..]) in found.iter().zip(operands) {
                let (mut sum, [x0, y0]) = (0.0, [u - width / 2.0, v - height / 2.0]);
                for (y, x) in (-6..20).flat_map(|y| (-6..24).map(move |x| (y, x))) {
                    let covered = |from: f32, size: f32, at: i32| {
                        ((from + size).min(at as f32 + 1.0) - from.max(at as f32)).max(0.0)
                    };
                    let share = covered(x0, width, x) * covered(y0, height, y);
                    sum += share * addressed(x, y, mode);
                }
                let expected = sum / (width * height);
                assert!((found[0] - expected).abs() < 1e-4, "{mode:?} {u} {v}: {} {expected}", found[0]);
            }
            unsafe { context.device.destroy_sampler(sampler, None) };
        }
    }
    image.destroy(&context);
}

#[test]
fn weights_come_from_images() {
    let context = context();
    let image = Image::new(&context, [SIZE[0], SIZE[1], 1], MATCHED, None, |x, y, _| texel(x, y));
    let usage = vk::ImageUsageFlags::SAMPLE_WEIGHT_QCOM;
    let weight = |x: usize, y: usize, phase: usize| ((x + 3 * y + 5 * phase) % 4) as f32 / 2.0 - 0.5;
    // Of a separable filter: the directions' factors, in halves.
    let factor = |at: usize, phase: usize, layer: usize| ((at * 3 + phase + layer) % 5) as f32 / 2.0 - 1.0;
    let info = |phases| vk::ImageViewSampleWeightCreateInfoQCOM {
        filter_center: vk::Offset2D { x: 2, y: 1 },
        filter_size: vk::Extent2D { width: 5, height: 3 },
        num_phases: phases,
        ..Default::default()
    };
    let flat = Image::new(&context, [5, 3, 4], usage, Some(info(4)), weight);
    let packed = Image::new(&context, [16, 1, 2], usage, Some(info(4)), |x, _, layer| {
        factor(x / 8 * 4 + x % 4, x / 4 % 2, layer)
    });
    let sampler = sampler(&context, EDGE, SUM, true, None);
    let operands: [[f32; 6]; 16] = std::array::from_fn(|index| {
        [0.25 + index as f32 * 1.125, 0.5 + index as f32 * 0.625, 0.0, 0.0, 0.0, 0.0]
    });
    for (is_separable, weights, dim) in [(false, &flat, "2D 0 1 0"), (true, &packed, "1D 0 1 0")] {
        let text = shader(dim, "%r = OpImageSampleWeightedQCOM %float4 %x %v_a %y");
        let text = text.replace(
            "OpDecorate %second Binding 3",
            "OpDecorate %second Binding 3\nOpDecorate %second WeightTextureQCOM",
        );
        let found = run(&context, &text, [COMBINED; 2], [image.view, weights.view], sampler, &operands);
        for (found, [u, v, ..]) in found.iter().zip(operands) {
            let [x0, y0] = [(u - 2.0).floor() as i32, (v - 1.0).floor() as i32];
            let phase = |at: f32| (((at - 0.5) - (at - 0.5).floor()) * 2.0).floor() as usize;
            let [across, down] = [phase(u), phase(v)];
            let mut expected = 0.0;
            for (y, x) in (0..3_usize).flat_map(|y| (0..5_usize).map(move |x| (y, x))) {
                let weight = match is_separable {
                    true => factor(x, across, 0) * factor(y, down, 1),
                    false => weight(x, y, 2 * down + across),
                };
                expected += weight * addressed(x0 + x as i32, y0 + y as i32, EDGE);
            }
            assert!((found[0] - expected).abs() < 1e-4, "{is_separable} {u} {v}: {} {expected}", found[0]);
        }
    }
    unsafe { context.device.destroy_sampler(sampler, None) };
    [image, flat, packed].into_iter().for_each(|image| image.destroy(&context));
}

/// How much blocks differ.
fn difference(
    from: [i32; 2],
    against: [i32; 2],
    size: [i32; 2],
    squares: bool,
    reduction: vk::SamplerReductionMode,
) -> f32 {
    difference_by(BORDER, from, against, size, squares, reduction)
}

/// How much blocks differ, with texels outside by the address mode.
fn difference_by(
    mode: vk::SamplerAddressMode,
    from: [i32; 2],
    against: [i32; 2],
    size: [i32; 2],
    squares: bool,
    reduction: vk::SamplerReductionMode,
) -> f32 {
    let parts = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| [x, y]));
    let parts = parts.map(|[x, y]| {
        let target = addressed(from[0] + x, from[1] + y, mode);
        (addressed(against[0] + x, against[1] + y, mode) - target).abs()
    });
    let power = |value: f32| if squares { value * value } else { value };
    match reduction {
        vk::SamplerReductionMode::MIN => power(parts.fold(f32::INFINITY, f32::min)),
        vk::SamplerReductionMode::MAX => power(parts.fold(0.0, f32::max)),
        _ => parts.map(power).sum(),
    }
}

#[test]
fn blocks_are_matched() {
    let context = context();
    let image = Image::new(&context, [SIZE[0], SIZE[1], 1], MATCHED, None, |x, y, _| texel(x, y));
    let types = [vk::DescriptorType::COMBINED_IMAGE_SAMPLER; 2];
    let operands: [[f32; 6]; 16] = std::array::from_fn(|index| {
        // Some of the targets leave the image.
        [
            index as f32,
            (index % 11) as f32,
            (index % 9) as f32,
            (index % 4) as f32,
            1.0 + (index % 5) as f32,
            4.0,
        ]
    });
    let pairs = |op: &str| shader(FLAT, &format!("%r = {op} %float4 %x %u_a %y %u_b %u_c"));
    let (min, max) = (vk::SamplerReductionMode::MIN, vk::SamplerReductionMode::MAX);
    let numbers = |one: &[f32; 6]| one.map(|number| number as i32);
    for (reduction, squares) in [(SUM, false), (SUM, true), (min, false), (max, true)] {
        let sampler = sampler(&context, BORDER, reduction, true, None);
        let kind = if squares { "SSD" } else { "SAD" };
        let text = pairs(&format!("OpImageBlockMatch{kind}QCOM"));
        let found = run(&context, &text, types, [image.view; 2], sampler, &operands);
        for (found, one) in found.iter().zip(&operands) {
            let [x, y, s, t, width, height] = numbers(one);
            let expected = difference([x, y], [s, t], [width, height], squares, reduction);
            assert_eq!(found[0], expected, "{kind} {reduction:?} {one:?}");
        }
        let text = pairs(&format!("OpImageBlockMatchGather{kind}QCOM"));
        let found = run(&context, &text, types, [image.view; 2], sampler, &operands);
        for (found, one) in found.iter().zip(&operands) {
            let [x, y, s, t, width, height] = numbers(one);
            let at = |add| difference([x + add, y], [s, t], [width, height], squares, reduction);
            assert_eq!(*found, [at(0), at(1), at(2), at(3)], "{kind} {reduction:?} {one:?}");
        }
        unsafe { context.device.destroy_sampler(sampler, None) };
    }
    for (compare, squares) in
        [(vk::BlockMatchWindowCompareModeQCOM::MIN, false), (vk::BlockMatchWindowCompareModeQCOM::MAX, true)]
    {
        let sampler = sampler(&context, BORDER, SUM, true, Some(([3, 2], compare)));
        let kind = if squares { "SSD" } else { "SAD" };
        let text = pairs(&format!("OpImageBlockMatchWindow{kind}QCOM"));
        let found = run(&context, &text, types, [image.view; 2], sampler, &operands);
        for (found, one) in found.iter().zip(&operands) {
            let [x, y, s, t, width, height] = numbers(one);
            let mut best: Option<[f32; 3]> = None;
            for (across, down) in (0..3).flat_map(|across| (0..2).map(move |down| (across, down))) {
                let error = difference([x + across, y + down], [s, t], [width, height], squares, SUM);
                let is_better =
                    best.is_none_or(|[best, ..]| if squares { error > best } else { error < best });
                if is_better {
                    best = Some([error, across as f32, down as f32]);
                }
            }
            let [error, across, down] = best.expect("a window has places");
            assert_eq!(*found, [error, across, down, 0.0], "{kind} {one:?}");
        }
        unsafe { context.device.destroy_sampler(sampler, None) };
    }
    image.destroy(&context);
}

/// With samplers that clamp to the edge, blocks of both images go on outside with the last texels.
#[test]
fn blocks_are_matched_beyond_edges() {
    let context = context();
    let image = Image::new(&context, [SIZE[0], SIZE[1], 1], MATCHED, None, |x, y, _| texel(x, y));
    let operands: [[f32; 6]; 16] =
        std::array::from_fn(|index| [index as f32, 9.0, 13.0, (index % 11) as f32, 5.0, 4.0]);
    let sampler = sampler(&context, EDGE, SUM, true, None);
    for (op, is_gather) in [("OpImageBlockMatchSADQCOM", false), ("OpImageBlockMatchGatherSADQCOM", true)] {
        let text = shader(FLAT, &format!("%r = {op} %float4 %x %u_a %y %u_b %u_c"));
        let found = run(&context, &text, [COMBINED; 2], [image.view; 2], sampler, &operands);
        for (found, one) in found.iter().zip(&operands) {
            let [x, y, s, t, width, height] = one.map(|number| number as i32);
            let at = |add| difference_by(EDGE, [x + add, y], [s, t], [width, height], false, SUM);
            assert_eq!(found[0], at(0), "{op} {one:?}");
            assert!(!is_gather || found[3] == at(3), "{op} {one:?}");
        }
    }
    unsafe { context.device.destroy_sampler(sampler, None) };
    image.destroy(&context);
}

/// The texels that each mode gathers, for every address mode and with an offset.
#[test]
fn modes_say_which_texels_are_gathered() {
    let context = context();
    let usage = vk::ImageUsageFlags::empty();
    let image = Image::new(&context, [SIZE[0], SIZE[1], 1], usage, None, |x, y, _| texel(x, y));
    let operands: [[f32; 6]; 16] = std::array::from_fn(|index| {
        let at = index as f32;
        [at * 1.25 - 1.3, at * 0.75 - 0.9, 0.0, 0.0, 0.0, 0.0]
    });
    let modes: [(bool, [[i32; 2]; 4]); 4] = [
        (true, [[0, 0], [1, 0], [2, 0], [3, 0]]),
        (true, [[0, 1], [1, 0], [0, -1], [-1, 0]]),
        (false, [[-1, 1], [2, 1], [2, 0], [-1, 0]]),
        (false, [[0, 2], [1, 2], [1, -1], [0, -1]]),
    ];
    for (mode, filter) in [
        (EDGE, vk::Filter::LINEAR),
        (BORDER, vk::Filter::NEAREST),
        (vk::SamplerAddressMode::REPEAT, vk::Filter::LINEAR),
    ] {
        let info = vk::SamplerCreateInfo::builder()
            .mag_filter(filter)
            .min_filter(filter)
            .address_mode_u(mode)
            .address_mode_v(mode)
            .address_mode_w(mode);
        let sampler = unsafe { context.device.create_sampler(&info, None) }.expect("a sampler");
        for ((number, (is_near, offsets)), further) in
            (0..).zip(modes).flat_map(|mode| [(mode, [0, 0]), (mode, [2, -3])])
        {
            let operand = if further == [0, 0] { "" } else { "ConstOffset %further" };
            let body = format!("%r = OpImageGatherQCOM %float4 %x %v_a %uint_0 %mode {operand}");
            let text = shader(FLAT, &body)
                .replace("OpCapability TextureBoxFilterQCOM", "OpCapability ImageGatherLinearQCOM")
                .replace("OpCapability TextureBlockMatchQCOM", "OpCapability ImageGatherExtendedModesQCOM")
                .replace("SPV_QCOM_image_processing2", "SPV_QCOM_image_processing3")
                .replace("OpCapability TextureBlockMatch2QCOM", "")
                .replace(
                    "%uint_1 = OpConstant %uint 1",
                    &format!(
                        "%uint_1 = OpConstant %uint 1
                         %mode = OpConstant %uint {number}
                         %int = OpTypeInt 32 1
                         %int2 = OpTypeVector %int 2
                         %two = OpConstant %int 2
                         %minus_three = OpConstant %int -3
                         %further = OpConstantComposite %int2 %two %minus_three"
                    ),
                );
            let mut given = operands;
            given.iter_mut().for_each(|one| {
                one[0] /= SIZE[0] as f32;
                one[1] /= SIZE[1] as f32;
            });
            let found = run(&context, &text, [COMBINED; 2], [image.view; 2], sampler, &given);
            for (found, [u, v, ..]) in found.iter().zip(operands) {
                let back = if is_near { 0.0 } else { 0.5 };
                let [x, y] = [(u - back).floor() as i32, (v - back).floor() as i32];
                let expected = offsets.map(|[s, t]| addressed(x + s + further[0], y + t + further[1], mode));
                assert_eq!(*found, expected, "{mode:?} {number} {further:?} {u} {v}");
            }
        }
        unsafe { context.device.destroy_sampler(sampler, None) };
    }
    image.destroy(&context);
}
