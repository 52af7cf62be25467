//! Descriptor heaps: bindings that are mapped to them, pointers into them, what is bound and pushed.

use pyro_shadertext::Shader;
use pyro_test_kit::compute::{Buffer, Compute, adding};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    DescriptorMappingSourceEXT as Source, ExtDescriptorHeapExtensionDeviceCommands as _,
    ExtShaderObjectExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Bytes of a descriptor in a heap.
const STEP: u32 = 16;

fn context() -> Compute {
    let mut heaps = vk::PhysicalDeviceDescriptorHeapFeaturesEXT::builder().descriptor_heap(true);
    let mut untyped =
        vk::PhysicalDeviceShaderUntypedPointersFeaturesKHR::builder().shader_untyped_pointers(true);
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::builder().shader_object(true);
    let mut maintenance = vk::PhysicalDeviceMaintenance5FeaturesKHR::builder().maintenance5(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    let mut dynamic = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
    maintenance.next = (&raw mut dynamic).cast();
    objects.next = (&raw mut maintenance).cast();
    untyped.next = (&raw mut objects).cast();
    heaps.next = (&raw mut untyped).cast();
    features.next = (&raw mut heaps).cast();
    let extensions = [
        c"VK_EXT_descriptor_heap",
        c"VK_KHR_shader_untyped_pointers",
        c"VK_KHR_maintenance5",
        c"VK_EXT_shader_object",
        c"VK_NV_push_constant_bank",
    ];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// A buffer of so many words, and its address.
fn buffer(context: &Compute, count: usize) -> (Buffer, u64) {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::DESCRIPTOR_HEAP_EXT;
    let buffer = context.buffer_with(count, usage);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

/// Where a descriptor is written: to a place of a buffer in bytes.
fn place(to: &Buffer, at: u32) -> vk::HostAddressRangeEXT {
    assert!((at + STEP) as usize <= 4 * to.count);
    vk::HostAddressRangeEXT { address: unsafe { to.words.byte_add(at as usize) }.cast(), size: STEP as usize }
}

/// Writes the descriptor of a buffer.
fn put(context: &Compute, to: &Buffer, at: u32, ty: vk::DescriptorType, address: u64, size: u64) {
    let range = vk::DeviceAddressRangeEXT { address, size };
    let data = vk::ResourceDescriptorDataEXT { address_range: &range };
    let info = vk::ResourceDescriptorInfoEXT { type_: ty, data, ..Default::default() };
    unsafe { context.device.write_resource_descriptors_ext(&[info], &[place(to, at)]) }.expect("written");
}

fn mapping(
    source: Source,
    data: vk::DescriptorMappingSourceDataEXT,
) -> vk::DescriptorSetAndBindingMappingEXT {
    vk::DescriptorSetAndBindingMappingEXT {
        descriptor_set: 0,
        first_binding: 0,
        binding_count: 1,
        resource_mask: vk::SpirvResourceTypeFlagsEXT::ALL,
        source,
        source_data: data,
        ..Default::default()
    }
}

/// A compute pipeline for heaps; the caller destroys it.
fn pipeline(
    context: &Compute,
    text: &str,
    mappings: &[vk::DescriptorSetAndBindingMappingEXT],
) -> vk::Pipeline {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let mut mapped = vk::ShaderDescriptorSetAndBindingMappingInfoEXT::builder().mappings(mappings);
    let mut flags =
        vk::PipelineCreateFlags2CreateInfo::builder().flags(vk::PipelineCreateFlags2::DESCRIPTOR_HEAP_EXT);
    unsafe {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
        let module = context.device.create_shader_module(&info, None).expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0")
            .push_next(&mut mapped);
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).push_next(&mut flags);
        let null = vk::PipelineCache::null();
        let made = context.device.create_compute_pipelines(null, &[info], None).expect("a pipeline");
        context.device.destroy_shader_module(module, None);
        made.0[0]
    }
}

fn heap_info(address: u64, size: u64) -> vk::BindHeapInfoEXT {
    let heap_range = vk::DeviceAddressRangeEXT { address, size };
    vk::BindHeapInfoEXT { heap_range, ..Default::default() }
}

fn push(context: &Compute, commands: vk::CommandBuffer, offset: u32, words: &[u32]) {
    push_to(context, commands, 0, offset, words);
}

/// Pushes to a bank.
fn push_to(context: &Compute, commands: vk::CommandBuffer, bank: u32, offset: u32, words: &[u32]) {
    let bank = vk::PushConstantBankInfoNV { bank, ..Default::default() };
    let data = vk::HostAddressRangeConstEXT { address: words.as_ptr().cast(), size: 4 * words.len() };
    let info = vk::PushDataInfoEXT { next: (&raw const bank).cast(), offset, data, ..Default::default() };
    unsafe { context.device.cmd_push_data_ext(commands, &info) };
}

fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// One binding by each way that leads to a storage buffer. Words 0, 1 and 2 of the push data are what is
/// added, an index and the address of further words; behind that, the buffer's own address.
#[test]
fn bindings_are_where_mappings_say() {
    let context = context();
    let device = &context.device;
    let (heap, heap_address) = buffer(&context, 64);
    let (indices, indices_address) = buffer(&context, 8);
    let targets: Vec<_> = (0..7).map(|_| buffer(&context, 4)).collect();
    let storage = vk::DescriptorType::STORAGE_BUFFER;
    for (number, (_, address)) in (0..).zip(&targets[..5]) {
        // The last word is outside of the range.
        put(&context, &heap, number * STEP, storage, *address, 12);
    }
    indices.put(1, 2);
    indices.put(2, 3);
    let [low, high] = halves(targets[6].1);
    indices.put(4, low);
    indices.put(5, high);
    let none = std::ptr::null();
    let constant = vk::DescriptorMappingSourceConstantOffsetEXT { heap_offset: 0, ..Default::default() };
    let pushed = vk::DescriptorMappingSourcePushIndexEXT {
        push_offset: 4,
        heap_index_stride: STEP,
        embedded_sampler: none,
        ..Default::default()
    };
    let indirect = vk::DescriptorMappingSourceIndirectIndexEXT {
        push_offset: 8,
        address_offset: 4,
        heap_index_stride: STEP,
        ..Default::default()
    };
    let array = vk::DescriptorMappingSourceIndirectIndexArrayEXT {
        push_offset: 8,
        address_offset: 8,
        heap_index_stride: STEP,
        ..Default::default()
    };
    let by_address = vk::DescriptorMappingSourceIndirectAddressEXT { push_offset: 8, address_offset: 16 };
    use vk::DescriptorMappingSourceDataEXT as Data;
    let sources = [
        mapping(Source::HEAP_WITH_CONSTANT_OFFSET, Data { constant_offset: constant }),
        mapping(Source::HEAP_WITH_PUSH_INDEX, Data { push_index: pushed }),
        mapping(Source::HEAP_WITH_INDIRECT_INDEX, Data { indirect_index: indirect }),
        mapping(Source::HEAP_WITH_INDIRECT_INDEX_ARRAY, Data { indirect_index_array: array }),
        mapping(Source::PUSH_ADDRESS, Data { push_address_offset: 16 }),
        mapping(Source::INDIRECT_ADDRESS, Data { indirect_address: by_address }),
    ];
    // Behind the heap's end there are null descriptors.
    let outside = vk::DescriptorMappingSourceConstantOffsetEXT { heap_offset: 256, ..Default::default() };
    let outside = mapping(Source::HEAP_WITH_CONSTANT_OFFSET, Data { constant_offset: outside });
    let pipelines: Vec<_> = sources
        .iter()
        .chain([&outside])
        .map(|source| pipeline(&context, &adding(), slice::from_ref(source)))
        .collect();
    context.run(|commands| unsafe {
        device.cmd_bind_resource_heap_ext(commands, &heap_info(heap_address, 256));
        let [low, high] = halves(indices_address);
        let [own_low, own_high] = halves(targets[5].1);
        push(&context, commands, 0, &[7, 1, low, high, own_low, own_high]);
        for (number, &pipeline) in (0..).zip(&pipelines) {
            push(&context, commands, 0, &[10 + number]);
            device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
            // By an address nothing is checked.
            device.cmd_dispatch(commands, if (4..6).contains(&number) { 3 } else { 4 }, 1, 1);
        }
    });
    let expected = [[10, 10, 10, 0], [11, 11, 11, 0], [12, 12, 12, 0], [13, 13, 13, 0]];
    for (target, words) in targets.iter().zip(expected) {
        assert_eq!(target.0.words(), words);
    }
    assert_eq!(targets[4].0.words(), [0; 4], "nobody maps it");
    assert_eq!(targets[5].0.words(), [14, 14, 14, 0]);
    assert_eq!(targets[6].0.words(), [15, 15, 15, 0]);
    pipelines.into_iter().for_each(|pipeline| unsafe { device.destroy_pipeline(pipeline, None) });
}

/// Reads words of uniform buffers at bindings 1 and 2 of set 9 into the storage buffer at binding 0 of set 0.
fn uniforms_text() -> String {
    Shader::compute(
        [1, 1, 1],
        "%ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %a = OpAccessChain %uniform_uint %first %uint_0 %gid
        %b = OpAccessChain %uniform_uint %second %uint_0 %gid
        %x = OpLoad %uint %a
        %y = OpLoad %uint %b
        %sum = OpIAdd %uint %x %y
        %at = OpAccessChain %buffer_uint %buffer %uint_0 %gid
        OpStore %at %sum",
    )
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["buffer"])
    .decorate(
        "OpDecorate %four ArrayStride 16
        OpDecorate %numbers Block
        OpMemberDecorate %numbers 0 Offset 0
        OpDecorate %first DescriptorSet 9
        OpDecorate %first Binding 1
        OpDecorate %second DescriptorSet 9
        OpDecorate %second Binding 2",
    )
    .declare(
        "%four = OpTypeArray %uint %uint_4
        %numbers = OpTypeStruct %four
        %first = OpVariable %uniform_numbers Uniform
        %second = OpVariable %uniform_numbers Uniform",
    )
    .text()
}

/// Uniform buffers in the heap's own bytes and in the push data; a secondary command buffer has its heaps
/// from the one around it, which keeps its own.
#[test]
fn uniforms_lie_in_heaps_and_push_data() {
    uniforms_of_bank(0);
}

#[test]
fn mappings_read_the_bank_that_they_say() {
    uniforms_of_bank(5);
}

/// Uniforms in the heap and in a bank of push data.
fn uniforms_of_bank(bank: u32) {
    let context = context();
    let device = &context.device;
    let (heap, heap_address) = buffer(&context, 128);
    let (target, address) = buffer(&context, 8);
    let storage = vk::DescriptorType::STORAGE_BUFFER;
    put(&context, &heap, 0, storage, address, 16);
    put(&context, &heap, STEP, storage, address + 16, 16);
    // At 64 and 16 bytes more from the push data.
    (0..4).for_each(|index| heap.put(20 + 4 * index, 100 * (1 + index as u32)));
    use vk::DescriptorMappingSourceDataEXT as Data;
    let pushed = vk::DescriptorMappingSourcePushIndexEXT {
        push_offset: 4,
        heap_index_stride: STEP,
        ..Default::default()
    };
    let data = vk::DescriptorMappingSourceHeapDataEXT { heap_offset: 64, push_offset: 0 };
    let mut mappings = [
        mapping(Source::HEAP_WITH_PUSH_INDEX, Data { push_index: pushed }),
        mapping(Source::RESOURCE_HEAP_DATA, Data { heap_data: data }),
        mapping(Source::PUSH_DATA, Data { push_data_offset: 16 }),
    ];
    let in_bank = vk::PushConstantBankInfoNV { bank, ..Default::default() };
    mappings.iter_mut().for_each(|mapping| mapping.next = (&raw const in_bank).cast());
    for (binding, mapping) in (1..).zip(&mut mappings[1..]) {
        (mapping.descriptor_set, mapping.first_binding) = (9, binding);
    }
    let pipeline = pipeline(&context, &uniforms_text(), &mappings);
    let info = heap_info(heap_address, 512);
    let inherited = vk::CommandBufferInheritanceDescriptorHeapInfoEXT {
        resource_heap_bind_info: &info,
        ..Default::default()
    };
    let work = |commands: vk::CommandBuffer, index: u32, add: u32| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        push_to(&context, commands, bank, 0, &[16, index]);
        let words: Vec<u32> = (0..16).map(|word| if word % 4 == 0 { add + word / 4 } else { 0 }).collect();
        push_to(&context, commands, bank, 16, &words);
        device.cmd_dispatch(commands, 4, 1, 1);
    };
    unsafe {
        let allocate = vk::CommandBufferAllocateInfo::builder()
            .command_pool(context.pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        let secondary = device.allocate_command_buffers(&allocate).expect("a command buffer")[0];
        let inheritance =
            vk::CommandBufferInheritanceInfo { next: (&raw const inherited).cast(), ..Default::default() };
        let begin = vk::CommandBufferBeginInfo::builder().inheritance_info(&inheritance);
        device.begin_command_buffer(secondary, &begin).expect("begins");
        work(secondary, 0, 1);
        device.end_command_buffer(secondary).expect("ends");
        context.run(|commands| {
            device.cmd_bind_resource_heap_ext(commands, &info);
            device.cmd_execute_commands(commands, &[secondary]);
            work(commands, 1, 5);
        });
        device.destroy_pipeline(pipeline, None);
    }
    assert_eq!(target.words(), [101, 202, 303, 404, 105, 206, 307, 408]);
}

/// Chooses buffers and texel buffers of the heap itself: those of number `gid` modulo 3, whose sizes
/// descriptors have by `OpConstantSizeOfEXT`.
fn untyped_text() -> String {
    Shader::compute(
        [8, 1, 1],
        "%ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %which = OpUMod %uint %gid %uint_3
        %at_texels = OpUntypedAccessChainKHR %into_heap %resources %heap %uint_1 %which
        %image = OpLoad %texel %at_texels
        %found = OpImageFetch %uint4 %image %gid
        %x = OpCompositeExtract %uint %found 0
        %at_buffer = OpUntypedAccessChainKHR %into_heap %resources %heap %uint_0 %which
        %base = OpBufferPointerEXT %into_buffer %at_buffer
        %length = OpUntypedArrayLengthKHR %uint %block %base 0
        %sum = OpIAdd %uint %x %length
        %to = OpUntypedAccessChainKHR %into_buffer %block %base %uint_0 %gid
        OpStore %to %sum",
    )
    .capability("UntypedPointersKHR DescriptorHeapEXT SampledBuffer")
    .extension("SPV_KHR_untyped_pointers")
    .extension("SPV_EXT_descriptor_heap")
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .block("uint", 4)
    .interface("%heap")
    .decorate(
        "OpDecorate %heap BuiltIn ResourceHeapEXT
        OpDecorateId %buffers ArrayStrideIdEXT %size
        OpDecorateId %texels ArrayStrideIdEXT %size
        OpMemberDecorateIdEXT %resources 0 OffsetIdEXT %uint_0
        OpMemberDecorateIdEXT %resources 1 OffsetIdEXT %behind",
    )
    .declare(
        "%buffer = OpTypeBufferEXT StorageBuffer
        %texel = OpTypeImage %uint Buffer 0 0 0 1 Unknown
        %size = OpConstantSizeOfEXT %uint %buffer
        %behind = OpSpecConstantOp %uint IMul %size %uint_3
        %buffers = OpTypeArray %buffer %uint_3
        %texels = OpTypeRuntimeArray %texel
        %resources = OpTypeStruct %buffers %texels
        %into_heap = OpTypeUntypedPointerKHR UniformConstant
        %into_buffer = OpTypeUntypedPointerKHR StorageBuffer
        %heap = OpUntypedVariableKHR %into_heap UniformConstant",
    )
    .text()
}

/// Lanes of one subgroup use different descriptors.
#[test]
fn pointers_lead_into_heaps() {
    let context = context();
    let device = &context.device;
    let (heap, heap_address) = buffer(&context, 64);
    let [targets, sources] = [0, 1].map(|_| [0, 1, 2].map(|_| buffer(&context, 8)));
    for number in 0..3_u32 {
        let (_, address) = targets[number as usize];
        let length = 4 * (8 - u64::from(number));
        put(&context, &heap, number * STEP, vk::DescriptorType::STORAGE_BUFFER, address, length);
        let (texels, address) = sources[number as usize];
        (0..8).for_each(|index| texels.put(index as usize, 1000 * (number + 1) + 10 * index));
        let range = vk::DeviceAddressRangeEXT { address, size: 32 };
        let texels = vk::TexelBufferDescriptorInfoEXT {
            format: vk::Format::R32_UINT,
            address_range: range,
            ..Default::default()
        };
        let data = vk::ResourceDescriptorDataEXT { texel_buffer: &texels };
        let type_ = vk::DescriptorType::UNIFORM_TEXEL_BUFFER;
        let info = vk::ResourceDescriptorInfoEXT { type_, data, ..Default::default() };
        let to = place(&heap, (3 + number) * STEP);
        unsafe { device.write_resource_descriptors_ext(&[info], &[to]) }.expect("written");
    }
    let pipeline = pipeline(&context, &untyped_text(), &[]);
    context.run(|commands| unsafe {
        device.cmd_bind_resource_heap_ext(commands, &heap_info(heap_address, 256));
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    for (number, (target, _)) in (0..3).zip(&targets) {
        let word = |index: u32| {
            let is_there = index % 3 == number && index < 8 - number;
            if is_there { 1000 * (number + 1) + 10 * index + 8 - number } else { 0 }
        };
        assert_eq!(target.words(), (0..8).map(word).collect::<Vec<_>>(), "{number}");
    }
    unsafe { device.destroy_pipeline(pipeline, None) };
}

/// Equal descriptors have equal bits; null descriptors are zeros, and so read what is not bound.
#[test]
fn descriptors_are_the_same_bits_each_time() {
    let context = context();
    let device = &context.device;
    let (bytes, _) = buffer(&context, 16);
    let sampler = |lod| vk::SamplerCreateInfo { max_lod: lod, ..Default::default() };
    let infos = [sampler(1.0), sampler(2.0), sampler(1.0)];
    let to: Vec<_> = (0..3).map(|index| place(&bytes, index * STEP)).collect();
    unsafe { device.write_sampler_descriptors_ext(&infos, &to) }.expect("written");
    let words = bytes.words();
    assert_eq!(words[0..4], words[8..12]);
    assert_ne!(words[0..4], words[4..8]);
    let data = vk::ResourceDescriptorDataEXT { image: std::ptr::null() };
    let info = vk::ResourceDescriptorInfoEXT {
        type_: vk::DescriptorType::SAMPLED_IMAGE,
        data,
        ..Default::default()
    };
    unsafe { device.write_resource_descriptors_ext(&[info], &to[..1]) }.expect("written");
    assert_eq!(bytes.words()[..4], [0; 4]);
    let short = vk::HostAddressRangeEXT { size: 8, ..to[0] };
    let refused = unsafe { device.write_resource_descriptors_ext(&[info], &[short]) };
    assert!(refused.is_err());
}

/// Indices of border colours are free, taken and free again.
#[test]
fn border_colors_have_indices() {
    let context = context();
    let color = vk::SamplerCustomBorderColorCreateInfoEXT::default();
    let register = || unsafe { context.device.register_custom_border_color_ext(&color, false) }.expect("one");
    assert_eq!([register(), register(), register()], [0, 1, 2]);
    unsafe { context.device.unregister_custom_border_color_ext(1) };
    assert_eq!([register(), register()], [1, 3]);
}

/// A shader object for heaps has its mappings in its binary.
#[test]
fn binaries_of_shaders_hold_mappings() {
    let context = context();
    let device = &context.device;
    let (heap, heap_address) = buffer(&context, 64);
    let (target, address) = buffer(&context, 4);
    put(&context, &heap, 3 * STEP, vk::DescriptorType::STORAGE_BUFFER, address, 16);
    use vk::DescriptorMappingSourceDataEXT as Data;
    let at = |heap_offset| {
        let constant = vk::DescriptorMappingSourceConstantOffsetEXT { heap_offset, ..Default::default() };
        mapping(Source::HEAP_WITH_CONSTANT_OFFSET, Data { constant_offset: constant })
    };
    let words = pyro_spirv::asm::assemble(&adding()).expect("assembly");
    let info = || {
        vk::ShaderCreateInfoEXT::builder()
            .flags(vk::ShaderCreateFlagsEXT::DESCRIPTOR_HEAP)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .name(b"main\0")
    };
    let make = |info: vk::ShaderCreateInfoEXT| unsafe {
        let mut shader = vk::ShaderEXT::null();
        let make = device.commands().create_shaders_ext;
        let code = make(device.handle(), 1, &info, std::ptr::null(), &mut shader);
        assert_eq!(code, vk::Result::SUCCESS);
        shader
    };
    let of_words = |heap_offset| {
        let mappings = [at(heap_offset)];
        let mut mapped = vk::ShaderDescriptorSetAndBindingMappingInfoEXT::builder().mappings(&mappings);
        let mut info = info().code_type(vk::ShaderCodeTypeEXT::SPIRV).push_next(&mut mapped).build();
        (info.code, info.code_size) = (words.as_ptr().cast(), 4 * words.len());
        make(info)
    };
    unsafe {
        let shaders = [of_words(3 * STEP), of_words(STEP)];
        let binaries = shaders.map(|shader| device.get_shader_binary_data_ext(shader).expect("a binary"));
        assert_ne!(binaries[0], binaries[1]);
        let mut info = info().code_type(vk::ShaderCodeTypeEXT::BINARY).build();
        (info.code, info.code_size) = (binaries[0].as_ptr().cast(), binaries[0].len());
        let again = make(info);
        context.run(|commands| {
            device.cmd_bind_resource_heap_ext(commands, &heap_info(heap_address, 256));
            push(&context, commands, 0, &[5]);
            device.cmd_bind_shaders_ext(commands, &[vk::ShaderStageFlags::COMPUTE], &[again]);
            device.cmd_dispatch(commands, 4, 1, 1);
        });
        [shaders[0], shaders[1], again]
            .into_iter()
            .for_each(|shader| device.destroy_shader_ext(shader, None));
    }
    assert_eq!(target.words(), [5; 4]);
}
