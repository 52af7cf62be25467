//! Arrays of every kind of descriptor, chosen by an index that is the same in a subgroup, and by one that is
//! not.

pub(crate) mod updates;

use pyro_test_kit::compute::{Buffer, Compute};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Descriptors of an array.
const COUNT: usize = 4;
/// Invocations, all of one subgroup.
const INVOCATIONS: usize = 16;

/// A kind of descriptor, and how a shader reads and writes through it.
struct Kind {
    ty: vk::DescriptorType,
    /// Capabilities of reading it, of indices that are uniform and of others.
    capabilities: [&'static str; 3],
    /// `%element`, the type of one, and `%class`, its storage class.
    declarations: &'static str,
    class: &'static str,
    /// What makes `%value` of the pointer `%chosen`, and of `%old`, the index.
    read: &'static str,
    /// What writes `%new` through it.
    write: &'static str,
}

const KINDS: [Kind; 8] = [
    Kind {
        ty: vk::DescriptorType::UNIFORM_BUFFER,
        capabilities: ["Shader", "UniformBufferArrayDynamicIndexing", "UniformBufferArrayNonUniformIndexing"],
        declarations: "%element = OpTypeStruct %uint
            %word = OpTypePointer Uniform %uint",
        class: "Uniform",
        read: "%place = OpAccessChain %word %chosen %uint_0
            %value = OpLoad %uint %place",
        write: "",
    },
    Kind {
        ty: vk::DescriptorType::STORAGE_BUFFER,
        capabilities: ["Shader", "StorageBufferArrayDynamicIndexing", "StorageBufferArrayNonUniformIndexing"],
        declarations: "%element = OpTypeStruct %uint",
        class: "StorageBuffer",
        read: "%place = OpAccessChain %a_word %chosen %uint_0
            %value = OpLoad %uint %place",
        write: "OpStore %place %new",
    },
    Kind {
        ty: vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        capabilities: [
            "SampledBuffer",
            "UniformTexelBufferArrayDynamicIndexing",
            "UniformTexelBufferArrayNonUniformIndexing",
        ],
        declarations: "%element = OpTypeImage %uint Buffer 0 0 0 1 Unknown",
        class: "UniformConstant",
        read: "%image = OpLoad %element %chosen
            %texel = OpImageFetch %uint4 %image %uint_0
            %value = OpCompositeExtract %uint %texel 0",
        write: "",
    },
    Kind {
        ty: vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        capabilities: [
            "ImageBuffer",
            "StorageTexelBufferArrayDynamicIndexing",
            "StorageTexelBufferArrayNonUniformIndexing",
        ],
        declarations: "%element = OpTypeImage %uint Buffer 0 0 0 2 R32ui",
        class: "UniformConstant",
        read: "%image = OpLoad %element %chosen
            %texel = OpImageRead %uint4 %image %uint_0
            %value = OpCompositeExtract %uint %texel 0",
        write: "OpImageWrite %image %uint_0 %new4",
    },
    Kind {
        ty: vk::DescriptorType::SAMPLED_IMAGE,
        capabilities: ["Shader", "SampledImageArrayDynamicIndexing", "SampledImageArrayNonUniformIndexing"],
        declarations: "%element = OpTypeImage %uint 2D 0 0 0 1 Unknown",
        class: "UniformConstant",
        read: "%image = OpLoad %element %chosen
            %texel = OpImageFetch %uint4 %image %origin Lod %uint_0
            %value = OpCompositeExtract %uint %texel 0",
        write: "",
    },
    Kind {
        ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        capabilities: ["Shader", "SampledImageArrayDynamicIndexing", "SampledImageArrayNonUniformIndexing"],
        declarations: "%picture = OpTypeImage %uint 2D 0 0 0 1 Unknown
            %element = OpTypeSampledImage %picture",
        class: "UniformConstant",
        read: "%image = OpLoad %element %chosen
            %texel = OpImageSampleExplicitLod %uint4 %image %middle Lod %float_0
            %value = OpCompositeExtract %uint %texel 0",
        write: "",
    },
    Kind {
        ty: vk::DescriptorType::STORAGE_IMAGE,
        capabilities: ["Shader", "StorageImageArrayDynamicIndexing", "StorageImageArrayNonUniformIndexing"],
        declarations: "%element = OpTypeImage %uint 2D 0 0 0 2 R32ui",
        class: "UniformConstant",
        read: "%image = OpLoad %element %chosen
            %texel = OpImageRead %uint4 %image %origin
            %value = OpCompositeExtract %uint %texel 0",
        write: "OpImageWrite %image %origin %new4",
    },
    // The samplers differ in the colour of their border: red and alpha of it are 0 0, 0 1, 1 1, and the last
    // has none.
    Kind {
        ty: vk::DescriptorType::SAMPLER,
        capabilities: ["Shader", "SampledImageArrayDynamicIndexing", "SampledImageArrayNonUniformIndexing"],
        declarations: "%element = OpTypeSampler
            %picture = OpTypeImage %uint 2D 0 0 0 1 Unknown
            %one_picture = OpTypePointer UniformConstant %picture
            %pictured = OpVariable %one_picture UniformConstant
            %both = OpTypeSampledImage %picture",
        class: "UniformConstant",
        read: "%sampler = OpLoad %element %chosen
            %of_all = OpLoad %picture %pictured
            %image = OpSampledImage %both %of_all %sampler
            %texel = OpImageSampleExplicitLod %uint4 %image %outside Lod %float_0
            %red = OpCompositeExtract %uint %texel 0
            %alpha = OpCompositeExtract %uint %texel 3
            %twice = OpIMul %uint %red %uint_2
            %value = OpIAdd %uint %twice %alpha",
        write: "",
    },
];

/// What reading gives at first, by index.
fn expected(kind: &Kind) -> [u32; COUNT] {
    match kind.ty {
        vk::DescriptorType::SAMPLER => [0, 1, 3, 2 * 70 + 70],
        _ => [70, 71, 72, 73],
    }
}

/// A shader whose invocations read the descriptor of their index (of set 0, binding 1) into the buffer of
/// binding 0, and write 1000 more through it once all have read. The array has no size where the index is not
/// uniform.
fn text(kind: &Kind, is_uniform: bool) -> String {
    let Kind { capabilities: [reading, dynamic, nonuniform], declarations, class, read, write, .. } = kind;
    let marked = |text: &str| if is_uniform { String::new() } else { text.to_owned() };
    let capabilities = match is_uniform {
        true => format!("OpCapability {dynamic}"),
        false => format!(
            "OpCapability ShaderNonUniform OpCapability RuntimeDescriptorArray OpCapability {nonuniform}"
        )
        .replace(" OpCapability", "\nOpCapability"),
    };
    let nonuniform =
        marked("OpDecorate %index NonUniform\nOpDecorate %chosen NonUniform\nOpDecorate %loaded NonUniform");
    // The value that the access is made through is what needs the decoration.
    let loaded = ["%place", "%image", "%sampler"].into_iter().find(|name| read.contains(*name));
    let nonuniform = nonuniform.replace("%loaded", loaded.expect("one of them"));
    let blocks = match declarations.contains("OpTypeStruct") {
        true => "OpDecorate %element Block\nOpMemberDecorate %element 0 Offset 0",
        false => "",
    };
    let picture = match declarations.contains("%pictured") {
        true => "OpDecorate %pictured DescriptorSet 0\nOpDecorate %pictured Binding 2",
        false => "",
    };
    let array = if is_uniform { "OpTypeArray %element %uint_4" } else { "OpTypeRuntimeArray %element" };
    let index = if is_uniform { "OpCopyObject %uint %push" } else { "OpBitwiseAnd %uint %gid %uint_3" };
    let interface = if declarations.contains("%pictured") { "%pictured" } else { "" };
    format!(
        "OpCapability Shader
        OpCapability {reading}
        {capabilities}
        OpExtension \"SPV_EXT_descriptor_indexing\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id %all %target %pushed {interface}
        OpExecutionMode %main LocalSize {INVOCATIONS} 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %words ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %target DescriptorSet 0
        OpDecorate %target Binding 0
        OpDecorate %all DescriptorSet 0
        OpDecorate %all Binding 1
        {picture}
        OpDecorate %constants Block
        OpMemberDecorate %constants 0 Offset 0
        {blocks}
        {nonuniform}
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %uint2 = OpTypeVector %uint 2
        %uint3 = OpTypeVector %uint 3
        %uint4 = OpTypeVector %uint 4
        %float2 = OpTypeVector %float 2
        %uint_0 = OpConstant %uint 0
        %uint_2 = OpConstant %uint 2
        %uint_3 = OpConstant %uint 3
        %uint_4 = OpConstant %uint 4
        %uint_1000 = OpConstant %uint 1000
        %float_0 = OpConstant %float 0
        %float_half = OpConstant %float 0.5
        %float_9 = OpConstant %float 9
        %origin = OpConstantComposite %uint2 %uint_0 %uint_0
        %middle = OpConstantComposite %float2 %float_half %float_half
        %outside = OpConstantComposite %float2 %float_9 %float_half
        %in_uint3 = OpTypePointer Input %uint3
        %id = OpVariable %in_uint3 Input
        %words = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %words
        %a_block = OpTypePointer StorageBuffer %block
        %a_word = OpTypePointer StorageBuffer %uint
        %target = OpVariable %a_block StorageBuffer
        %constants = OpTypeStruct %uint
        %push_block = OpTypePointer PushConstant %constants
        %push_word = OpTypePointer PushConstant %uint
        %pushed = OpVariable %push_block PushConstant
        {declarations}
        %array = {array}
        %an_array = OpTypePointer {class} %array
        %an_element = OpTypePointer {class} %element
        %all = OpVariable %an_array {class}
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %push_pointer = OpAccessChain %push_word %pushed %uint_0
        %push = OpLoad %uint %push_pointer
        %index = {index}
        %chosen = OpAccessChain %an_element %all %index
        {read}
        %out = OpAccessChain %a_word %target %uint_0 %gid
        OpStore %out %value
        %new = OpIAdd %uint %value %uint_1000
        %new4 = OpCompositeConstruct %uint4 %new %new %new %new
        OpControlBarrier %uint_2 %uint_2 %uint_0
        {write}
        OpReturn
        OpFunctionEnd"
    )
}

impl Kind {
    /// Four descriptors that hold 70 to 73, or samplers with four borders, written to binding 1 of a set, and
    /// a picture that holds 70 to binding 2, if there is one.
    fn write_all(&self, context: &Compute, made: &mut Made, set: vk::DescriptorSet, is_alone: bool) {
        let device = &context.device;
        let buffers: Vec<Buffer> = (0..COUNT).map(|_| context.buffer(64)).collect();
        for (number, buffer) in (70..).zip(&buffers) {
            buffer.put(0, number);
        }
        let usage = match self.ty {
            vk::DescriptorType::STORAGE_IMAGE => vk::ImageUsageFlags::STORAGE,
            _ => vk::ImageUsageFlags::SAMPLED,
        };
        let images: Vec<vk::ImageView> = (70..70 + COUNT as u32)
            .map(|number| made.image(context, usage | vk::ImageUsageFlags::SAMPLED, number))
            .collect();
        let samplers: Vec<vk::Sampler> = [
            (vk::SamplerAddressMode::CLAMP_TO_BORDER, vk::BorderColor::INT_TRANSPARENT_BLACK),
            (vk::SamplerAddressMode::CLAMP_TO_BORDER, vk::BorderColor::INT_OPAQUE_BLACK),
            (vk::SamplerAddressMode::CLAMP_TO_BORDER, vk::BorderColor::INT_OPAQUE_WHITE),
            (vk::SamplerAddressMode::CLAMP_TO_EDGE, vk::BorderColor::INT_OPAQUE_BLACK),
        ]
        .map(|(mode, border)| made.sampler(context, mode, border))
        .into();
        let buffer_infos: Vec<_> = buffers
            .iter()
            .map(|buffer| vk::DescriptorBufferInfo {
                buffer: buffer.buffer,
                offset: 0,
                range: vk::WHOLE_SIZE,
            })
            .collect();
        let image_infos: Vec<_> = images
            .iter()
            .zip(&samplers)
            .map(|(&image_view, &sampler)| {
                // Of combined ones only the picture is to differ.
                let sampler = if self.ty == vk::DescriptorType::SAMPLER { sampler } else { samplers[3] };
                vk::DescriptorImageInfo { sampler, image_view, image_layout: vk::ImageLayout::GENERAL }
            })
            .collect();
        let views: Vec<vk::BufferView> = buffers.iter().map(|buffer| made.texels(context, buffer)).collect();
        let write = vk::WriteDescriptorSet {
            dst_set: set,
            dst_binding: 1,
            descriptor_count: COUNT as u32,
            descriptor_type: self.ty,
            image_info: image_infos.as_ptr(),
            buffer_info: buffer_infos.as_ptr(),
            texel_buffer_view: views.as_ptr(),
            ..vk::WriteDescriptorSet::default()
        };
        let picture = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(2)
            .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
            .image_info(slice::from_ref(&image_infos[0]));
        let writes = [write, *picture];
        let writes = if is_alone { &writes[..1] } else { &writes };
        unsafe { device.update_descriptor_sets(writes, &[] as &[vk::CopyDescriptorSet]) };
    }
}

/// Objects beside those that [`Compute`] keeps.
#[derive(Default)]
struct Made {
    images: Vec<(vk::Image, vk::ImageView, vk::DeviceMemory)>,
    samplers: Vec<vk::Sampler>,
    texels: Vec<vk::BufferView>,
}

impl Made {
    /// One texel of this number.
    fn image(&mut self, context: &Compute, usage: vk::ImageUsageFlags, number: u32) -> vk::ImageView {
        let device = &context.device;
        let format = match usage.contains(vk::ImageUsageFlags::STORAGE) {
            true => vk::Format::R32_UINT,
            false => vk::Format::R32G32B32A32_UINT,
        };
        unsafe {
            let info = vk::ImageCreateInfo::builder()
                .image_type(vk::ImageType::_2D)
                .format(format)
                .extent(vk::Extent3D { width: 1, height: 1, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::_1)
                .usage(usage | vk::ImageUsageFlags::TRANSFER_DST);
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..vk::ImageSubresourceRange::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(format)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            let color = vk::ClearColorValue { uint32: [number; 4] };
            context.run(|commands| {
                let general = vk::ImageLayout::GENERAL;
                device.cmd_clear_color_image(commands, image, general, &color, &[range]);
            });
            self.images.push((image, view, memory));
            view
        }
    }

    fn sampler(
        &mut self,
        context: &Compute,
        mode: vk::SamplerAddressMode,
        border: vk::BorderColor,
    ) -> vk::Sampler {
        let info = vk::SamplerCreateInfo::builder()
            .address_mode_u(mode)
            .address_mode_v(mode)
            .address_mode_w(mode)
            .border_color(border);
        let sampler = unsafe { context.device.create_sampler(&info, None) }.expect("a sampler");
        self.samplers.push(sampler);
        sampler
    }

    fn texels(&mut self, context: &Compute, buffer: &Buffer) -> vk::BufferView {
        let info = vk::BufferViewCreateInfo::builder()
            .buffer(buffer.buffer)
            .format(vk::Format::R32_UINT)
            .range(vk::WHOLE_SIZE);
        let view = unsafe { context.device.create_buffer_view(&info, None) }.expect("a buffer view");
        self.texels.push(view);
        view
    }

    fn destroy(self, context: &Compute) {
        let device = &context.device;
        unsafe {
            for (image, view, memory) in self.images {
                device.destroy_image_view(view, None);
                device.destroy_image(image, None);
                device.free_memory(memory, None);
            }
            self.samplers.iter().for_each(|&sampler| device.destroy_sampler(sampler, None));
            self.texels.iter().for_each(|&view| device.destroy_buffer_view(view, None));
        }
    }
}

#[test]
fn any_index_chooses_a_descriptor() {
    let mut all = vk::PhysicalDeviceVulkan12Features::builder()
        .descriptor_indexing(true)
        .runtime_descriptor_array(true)
        .shader_uniform_texel_buffer_array_dynamic_indexing(true)
        .shader_storage_texel_buffer_array_dynamic_indexing(true)
        .shader_uniform_buffer_array_non_uniform_indexing(true)
        .shader_sampled_image_array_non_uniform_indexing(true)
        .shader_storage_buffer_array_non_uniform_indexing(true)
        .shader_storage_image_array_non_uniform_indexing(true)
        .shader_uniform_texel_buffer_array_non_uniform_indexing(true)
        .shader_storage_texel_buffer_array_non_uniform_indexing(true)
        .build();
    let context = Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut all).cast());
    let device = &context.device;
    let target = context.buffer(INVOCATIONS);
    let mut made = Made::default();
    for kind in &KINDS {
        let bindings = [
            (vk::DescriptorType::STORAGE_BUFFER, 1),
            (kind.ty, COUNT as u32),
            (vk::DescriptorType::SAMPLED_IMAGE, 1),
        ];
        let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let layout = context.layout(&[set_layout]);
        let set = context.set_of(set_layout, &bindings);
        context.write(set, target.buffer);
        kind.write_all(&context, &mut made, set, false);
        let run = |pipeline, push: u32| {
            context.run(|commands| unsafe {
                device.cmd_bind_pipeline(commands, POINT, pipeline);
                device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(commands, layout, stages, 0, &push.to_ne_bytes());
                device.cmd_dispatch(commands, 1, 1, 1);
            });
            target.words()
        };
        let mut expected = expected(kind);
        let uniform = context.pipeline(layout, &text(kind, true));
        for (index, number) in expected.iter_mut().enumerate() {
            assert_eq!(run(uniform, index as u32), [*number; INVOCATIONS], "{:?}, {index}", kind.ty);
            if !kind.write.is_empty() {
                *number += 1000;
            }
        }
        let varying = context.pipeline(layout, &text(kind, false));
        let by_lane = |numbers: [u32; COUNT]| numbers.repeat(INVOCATIONS / COUNT);
        assert_eq!(run(varying, 0), by_lane(expected), "{:?}", kind.ty);
        if !kind.write.is_empty() {
            assert_eq!(run(varying, 0), by_lane(expected.map(|number| number + 1000)), "{:?}", kind.ty);
        }
    }
    made.destroy(&context);
}

/// A shader that has a second variable at the binding of the first, of another type, and one whose memory is
/// in the set.
fn overlapping() -> String {
    pyro_test_kit::compute::shader(
        "%from = OpAccessChain %word %buffer %uint_0 %uint_0
        %bits = OpLoad %uint %from
        %same = OpAccessChain %real %floats %uint_0 %uint_0
        %number = OpLoad %float %same
        %double = OpFAdd %float %number %number
        %to = OpAccessChain %real %floats %uint_0 %uint_1
        OpStore %to %double
        %inline_place = OpAccessChain %word %inlined %uint_1 %push
        %inline_word = OpLoad %uint %inline_place
        %sum = OpIAdd %uint %bits %inline_word
        %last = OpAccessChain %word %buffer %uint_0 %uint_2
        OpStore %last %sum",
    )
    .replace(
        "OpDecorate %block BufferBlock",
        "OpDecorate %block BufferBlock
        OpDecorate %float_array ArrayStride 4
        OpDecorate %float_block BufferBlock
        OpMemberDecorate %float_block 0 Offset 0
        OpDecorate %floats DescriptorSet 0
        OpDecorate %floats Binding 0
        OpDecorate %inline_array ArrayStride 16
        OpDecorate %inline_block Block
        OpMemberDecorate %inline_block 0 Offset 0
        OpMemberDecorate %inline_block 1 Offset 16
        OpDecorate %inlined DescriptorSet 0
        OpDecorate %inlined Binding 1",
    )
    .replace(
        "%main = OpFunction",
        "%float = OpTypeFloat 32
        %float_array = OpTypeRuntimeArray %float
        %float_block = OpTypeStruct %float_array
        %float_blocks = OpTypePointer Uniform %float_block
        %real = OpTypePointer Uniform %float
        %floats = OpVariable %float_blocks Uniform
        %inline_array = OpTypeArray %uint %uint_3
        %inline_block = OpTypeStruct %uint %inline_array
        %inline_blocks = OpTypePointer Uniform %inline_block
        %inlined = OpVariable %inline_blocks Uniform
        %main = OpFunction",
    )
}

/// Variables of one binding see the same bytes, and a block that lies in the set itself is read like any
/// other.
#[test]
fn variables_share_a_binding_and_blocks_lie_in_sets() {
    let mut features = vk::PhysicalDeviceVulkan13Features::builder().inline_uniform_block(true).build();
    let context = Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut features).cast());
    let device = &context.device;
    // Bytes, not descriptors: a word and an array of three in steps of 16.
    let inline = (vk::DescriptorType::INLINE_UNIFORM_BLOCK, 64);
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), inline];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let layout = context.layout(&[set_layout]);
    let set = context.set_of(set_layout, &bindings);
    let target = context.buffer(3);
    context.write(set, target.buffer);
    let words: Vec<u32> = (0..16).map(|index| 100 * index).collect();
    // All of it, and then the words from the eighth on anew.
    let put = |first: u32, words: &[u32]| {
        let mut data = vk::WriteDescriptorSetInlineUniformBlock {
            data_size: 4 * words.len() as u32,
            data: words.as_ptr().cast(),
            ..vk::WriteDescriptorSetInlineUniformBlock::default()
        };
        let mut write = vk::WriteDescriptorSet {
            dst_set: set,
            dst_binding: 1,
            dst_array_element: 4 * first,
            descriptor_count: 4 * words.len() as u32,
            descriptor_type: vk::DescriptorType::INLINE_UNIFORM_BLOCK,
            ..vk::WriteDescriptorSet::default()
        };
        write.next = (&raw mut data).cast();
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    };
    put(0, &words);
    put(8, &[7000, 7001]);
    let pipeline = context.pipeline(layout, &overlapping());
    for (index, inlined) in [(0u32, 400), (1, 7000), (2, 1200)] {
        target.put(0, 1.5f32.to_bits());
        context.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, layout, stages, 0, &index.to_ne_bytes());
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        let one_and_a_half = 1.5f32.to_bits();
        assert_eq!(target.words(), [one_and_a_half, 3.0f32.to_bits(), one_and_a_half + inlined]);
    }
}
