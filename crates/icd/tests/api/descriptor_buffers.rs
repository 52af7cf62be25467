//! Descriptors that the application puts into buffers itself.

use pyro_shadertext::Shader;
use pyro_test_kit::compute::{Buffer, Compute, adding};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDescriptorBufferExtensionDeviceCommands as _, KhrPushDescriptorExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const IN_BUFFER: vk::DescriptorSetLayoutCreateFlags =
    vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;

fn context() -> Compute {
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::builder()
        .descriptor_buffer(true)
        .descriptor_buffer_push_descriptors(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = (&raw mut buffers).cast();
    let extensions = [c"VK_EXT_descriptor_buffer", c"VK_KHR_push_descriptor"];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// A buffer that has an address.
fn buffer(context: &Compute, count: usize) -> (Buffer, u64) {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
        | vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT
        | vk::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let buffer = context.buffer_with(count, usage);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

/// Writes a descriptor to a place in a buffer, in bytes.
fn put(context: &Compute, to: &Buffer, at: u64, info: &vk::DescriptorGetInfoEXT) {
    assert!(at as usize + 16 <= to.count * 4);
    let mut bytes = [0; 16];
    unsafe { context.device.get_descriptor_ext(info, &mut bytes) };
    for (index, word) in bytes.chunks_exact(4).enumerate() {
        to.put(at as usize / 4 + index, u32::from_ne_bytes(word.try_into().expect("four")));
    }
}

/// The descriptor of a buffer at an address.
fn of_buffer(context: &Compute, to: &Buffer, at: u64, ty: vk::DescriptorType, address: u64, range: u64) {
    let info =
        vk::DescriptorAddressInfoEXT::builder().address(address).range(range).format(vk::Format::R32_UINT);
    let data = vk::DescriptorDataEXT { storage_buffer: &*info };
    let info = vk::DescriptorGetInfoEXT { type_: ty, data, ..Default::default() };
    put(context, to, at, &info);
}

fn offset(context: &Compute, layout: vk::DescriptorSetLayout, binding: u32) -> u64 {
    unsafe { context.device.get_descriptor_set_layout_binding_offset_ext(layout, binding) }
}

fn size(context: &Compute, layout: vk::DescriptorSetLayout) -> u64 {
    unsafe { context.device.get_descriptor_set_layout_size_ext(layout) }.next_multiple_of(64)
}

/// Sets side by side in one buffer, one of them null; the descriptor of a range ends where the range does.
/// Descriptors that the device itself copies count from then on.
#[test]
fn sets_lie_where_offsets_say() {
    let context = context();
    let device = &context.device;
    let layout = context.set_layout(IN_BUFFER, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let pipeline_layout = context.layout(&[layout]);
    let pipeline = context.pipeline(pipeline_layout, &adding());
    let (target, address) = buffer(&context, 8);
    let (stride, place) = (size(&context, layout), offset(&context, layout, 0));
    let (sets, sets_address) = buffer(&context, stride as usize);
    let storage = vk::DescriptorType::STORAGE_BUFFER;
    of_buffer(&context, &sets, place, storage, address, 12);
    of_buffer(&context, &sets, stride + place, storage, address + 16, 16);
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        let info = |address| vk::DescriptorBufferBindingInfoEXT {
            address,
            usage: vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT,
            ..Default::default()
        };
        device.cmd_bind_descriptor_buffers_ext(commands, &[info(sets_address), info(sets_address + stride)]);
        let draw = |buffer: u32, offset: u64, word: u32| {
            device.cmd_set_descriptor_buffer_offsets_ext(
                commands,
                COMPUTE,
                pipeline_layout,
                0,
                &[buffer],
                &[offset],
            );
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, pipeline_layout, stages, 0, &word.to_ne_bytes());
            device.cmd_dispatch(commands, 8, 1, 1);
        };
        // Three words, then four, then none, then the first three through a copy.
        draw(0, 0, 1);
        draw(1, 0, 10);
        draw(0, 2 * stride, 100);
        let copy = vk::BufferCopy { src_offset: 0, dst_offset: 2 * stride, size: stride };
        device.cmd_copy_buffer(commands, sets.buffer, sets.buffer, &[copy]);
        draw(1, stride, 1000);
    });
    assert_eq!(target.words(), [1001, 1001, 1001, 0, 10, 10, 10, 10]);
}

/// Copies texels, `%source`, to words of a buffer.
fn fetching_text() -> String {
    Shader::compute(
        [1, 1, 1],
        "%ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %image = OpLoad %texels %source
        %texel = OpImageFetch %uint4 %image %gid
        %x = OpCompositeExtract %uint %texel 0
        %at = OpAccessChain %buffer_uint %buffer %uint_0 %gid
        OpStore %at %x",
    )
    .capability("SampledBuffer")
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["buffer"])
    .decorate(
        "OpDecorate %source DescriptorSet 1
        OpDecorate %source Binding 1",
    )
    .declare(
        "%texels = OpTypeImage %uint Buffer 0 0 0 1 Unknown
        %source = OpVariable %handle_texels UniformConstant",
    )
    .text()
}

/// One set is pushed, without a buffer for it, beside one in a buffer that names texels by their address.
#[test]
fn texels_are_named_by_address_beside_pushed_sets() {
    let context = context();
    let device = &context.device;
    let push = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR;
    let pushed = context.set_layout(IN_BUFFER | push, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let texel = vk::DescriptorType::UNIFORM_TEXEL_BUFFER;
    let layout = context.set_layout(IN_BUFFER, &[(texel, 3), (texel, 1)]);
    let pipeline_layout = context.layout(&[pushed, layout]);
    let pipeline = context.pipeline(pipeline_layout, &fetching_text());
    let (texels, address) = buffer(&context, 16);
    (0..16).for_each(|index| texels.put(index, 20 + index as u32));
    let target = context.buffer(6);
    let (sets, sets_address) = buffer(&context, size(&context, layout) as usize / 4);
    of_buffer(&context, &sets, offset(&context, layout, 1), texel, address + 16, 20);
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        let info = vk::DescriptorBufferBindingInfoEXT { address: sets_address, ..Default::default() };
        device.cmd_bind_descriptor_buffers_ext(commands, &[info]);
        device.cmd_set_descriptor_buffer_offsets_ext(commands, COMPUTE, pipeline_layout, 1, &[0], &[0]);
        let info = vk::DescriptorBufferInfo { buffer: target.buffer, offset: 0, range: vk::WHOLE_SIZE };
        let write = vk::WriteDescriptorSet::builder()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(std::slice::from_ref(&info));
        device.cmd_push_descriptor_set_khr(commands, COMPUTE, pipeline_layout, 0, &[write]);
        device.cmd_dispatch(commands, 6, 1, 1);
    });
    assert_eq!(target.words(), [24, 25, 26, 27, 28, 0]);
}

/// Offsets into buffers that are not bound, and sets that the layout has not, are told at the end.
#[test]
fn offsets_need_buffers_and_sets() {
    let context = context();
    let layout = context.set_layout(IN_BUFFER, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let pipeline_layout = context.layout(&[layout]);
    let (_sets, address) = buffer(&context, 64);
    for (first, number) in [(0, 1), (1, 0)] {
        unsafe {
            let info =
                vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
            let commands = context.device.allocate_command_buffers(&info).expect("a command buffer")[0];
            context.device.begin_command_buffer(commands, &Default::default()).expect("begins");
            let info = vk::DescriptorBufferBindingInfoEXT { address, ..Default::default() };
            context.device.cmd_bind_descriptor_buffers_ext(commands, &[info]);
            context.device.cmd_set_descriptor_buffer_offsets_ext(
                commands,
                COMPUTE,
                pipeline_layout,
                first,
                &[number],
                &[0],
            );
            context.device.end_command_buffer(commands).expect_err("misuse");
        }
    }
}

/// The first binding lies at a set's start, whatever its number; and of sets of both kinds that are bound to
/// one number, the last one counts.
#[test]
fn descriptor_buffers_and_sets_replace_each_other() {
    let context = context();
    let device = &context.device;
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let layouts = [IN_BUFFER, Default::default()].map(|flags| context.set_layout(flags, &bindings));
    let pipeline_layouts = layouts.map(|layout| context.layout(&[layout]));
    let pipelines = pipeline_layouts.map(|layout| context.pipeline(layout, &adding()));
    assert_eq!(offset(&context, layouts[0], 0), 0);
    assert_eq!(unsafe { device.get_descriptor_set_layout_size_ext(layouts[0]) }, 16);
    let (in_buffer, address) = buffer(&context, 2);
    let (sets, sets_address) = buffer(&context, 64);
    of_buffer(&context, &sets, 0, vk::DescriptorType::STORAGE_BUFFER, address, 8);
    let in_set = context.buffer(2);
    let set = context.set(layouts[1]);
    context.write(set, in_set.buffer);
    context.run(|commands| unsafe {
        let info = vk::DescriptorBufferBindingInfoEXT { address: sets_address, ..Default::default() };
        let stages = vk::ShaderStageFlags::COMPUTE;
        let put = |way: usize, word: u32| {
            device.cmd_push_constants(commands, pipeline_layouts[way], stages, 0, &word.to_ne_bytes());
            device.cmd_bind_pipeline(commands, COMPUTE, pipelines[way]);
            device.cmd_dispatch(commands, 2, 1, 1);
        };
        let bind_set =
            || device.cmd_bind_descriptor_sets(commands, COMPUTE, pipeline_layouts[1], 0, &[set], &[]);
        let bind_buffer = || {
            device.cmd_bind_descriptor_buffers_ext(commands, &[info]);
            let layout = pipeline_layouts[0];
            device.cmd_set_descriptor_buffer_offsets_ext(commands, COMPUTE, layout, 0, &[0], &[0]);
        };
        bind_set();
        bind_buffer();
        put(0, 1);
        // Bound buffers alone leave the sets as they are.
        bind_set();
        device.cmd_bind_descriptor_buffers_ext(commands, &[info]);
        put(1, 10);
        bind_buffer();
        put(0, 100);
    });
    assert_eq!((in_buffer.words(), in_set.words()), (vec![101; 2], vec![10; 2]));
}
