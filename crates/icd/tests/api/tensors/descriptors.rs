//! Tensors of arrays whose index differs, of sets that are written late, and of descriptor buffers.

use super::*;
use crate::descriptors::updates::{updatable, updatable_set};
use std::slice;
use vulkanalia::vk::ExtDescriptorBufferExtensionDeviceCommands as _;

const TENSOR: vk::DescriptorType = vk::DescriptorType::TENSOR_ARM;
const BUFFER: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

fn context() -> Compute {
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::builder().descriptor_buffer(true);
    let mut of_tensors = vk::PhysicalDeviceDescriptorBufferTensorFeaturesARM::builder()
        .descriptor_buffer_tensor_descriptors(true);
    let mut all = vk::PhysicalDeviceVulkan12Features::builder()
        .buffer_device_address(true)
        .descriptor_indexing(true)
        .descriptor_binding_partially_bound(true);
    let mut tensors = vk::PhysicalDeviceTensorFeaturesARM::builder()
        .tensors(true)
        .shader_tensor_access(true)
        .shader_storage_tensor_array_dynamic_indexing(true)
        .shader_storage_tensor_array_non_uniform_indexing(true)
        .descriptor_binding_storage_tensor_update_after_bind(true);
    of_tensors.next = (&raw mut buffers).cast();
    all.next = (&raw mut of_tensors).cast();
    tensors.next = (&raw mut all).cast();
    Compute::new(V1_3, &[c"VK_ARM_tensors", c"VK_EXT_descriptor_buffer"], (&raw mut tensors).cast())
}

/// Two tensors to read, whose elements are those of the first plus `step` for the second, and one to write.
struct Three {
    sources: [Tensor; 2],
    target: Tensor,
}

impl Three {
    fn new(context: &Compute) -> Three {
        let uint = vk::Format::R32_UINT;
        let sources = [0, 1000].map(|add| {
            let tensor = Tensor::new(context, uint, &[4, 2, 5], None);
            (0..40).for_each(|at| unsafe { tensor.word(4 * at).write(add + at as u32) });
            tensor
        });
        let target = Tensor::new(context, uint, &[4, 1, 5], None);
        (0..20).for_each(|at| unsafe { target.word(4 * at).write(9) });
        Three { sources, target }
    }

    /// What the invocations have written that read the tensors of these numbers.
    fn check(&self, which: [u32; 4]) {
        for (row, source) in which.into_iter().enumerate() {
            let found: Vec<u32> =
                (0..5).map(|at| unsafe { self.target.word(20 * row + 4 * at).read() }).collect();
            let read = |z: usize| {
                if z < 5 { 1000 * source + (row * 10 + 5 + z) as u32 } else { 77 }
            };
            assert_eq!(found, [9, 9, read(row), read(row + 1), read(row + 2)], "{row}");
        }
    }

    fn destroy(self, context: &Compute) {
        self.sources.into_iter().chain([self.target]).for_each(|tensor| tensor.destroy(context));
    }
}

fn put(context: &Compute, set: vk::DescriptorSet, binding: u32, views: &[vk::TensorViewARM]) {
    let views = vk::WriteDescriptorSetTensorARM {
        tensor_view_count: views.len() as u32,
        tensor_views: views.as_ptr(),
        ..Default::default()
    };
    let write = vk::WriteDescriptorSet {
        next: (&raw const views).cast(),
        dst_set: set,
        dst_binding: binding,
        descriptor_count: views.tensor_view_count,
        descriptor_type: TENSOR,
        ..Default::default()
    };
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
}

/// Invocations choose tensors by their own number, and tensors are written behind what was recorded with
/// their set.
#[test]
fn tensors_are_written_after_their_set_was_bound() {
    let context = context();
    let device = &context.device;
    let three = Three::new(&context);
    let bindings = [(BUFFER, 1), (TENSOR, 2), (TENSOR, 1)];
    let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
    let set_layout = updatable(&context, &bindings, &[vk::DescriptorBindingFlags::empty(), late, late]);
    let layout = context.layout(&[set_layout]);
    let (pool, set) = updatable_set(&context, set_layout, &[(BUFFER, 1), (TENSOR, 3)], None);
    context.write(set, context.buffer(4).buffer);
    let text = tensor_text()
        .replace("%which = OpLoad %uint %push_value", "%which = OpBitwiseAnd %uint %gid %uint_1")
        .replace(
            "StorageTensorArrayDynamicIndexingARM",
            "StorageTensorArrayDynamicIndexingARM
            OpCapability StorageTensorArrayNonUniformIndexingARM
            OpCapability ShaderNonUniform",
        )
        .replace(
            "OpDecorate %sources Binding 1",
            "OpDecorate %sources Binding 1
            OpDecorate %which NonUniform
            OpDecorate %at_source NonUniform
            OpDecorate %source NonUniform",
        );
    let pipeline = context.pipeline(layout, &text);
    let commands = context.record(|commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    let [one, other] = [0, 1].map(|at: usize| three.sources[at].view);
    put(&context, set, 2, &[three.target.view]);
    for (views, expected) in [([one, other], [0, 1, 0, 1]), ([other, one], [1, 0, 1, 0])] {
        put(&context, set, 1, &views);
        context.submit_and_wait(commands);
        three.check(expected);
    }
    unsafe {
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
    three.destroy(&context);
}

/// Descriptors of tensors lie in buffers.
#[test]
fn tensors_lie_in_descriptor_buffers() {
    let context = context();
    let device = &context.device;
    let three = Three::new(&context);
    let flags = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
    let set_layout = context.set_layout(flags, &[(BUFFER, 1), (TENSOR, 2), (TENSOR, 1)]);
    let layout = context.layout(&[set_layout]);
    let mut of_tensors = vk::PhysicalDeviceDescriptorBufferTensorPropertiesARM::default();
    let mut of_buffers = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
    let mut all =
        vk::PhysicalDeviceProperties2::builder().push_next(&mut of_tensors).push_next(&mut of_buffers);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    let (tensor_size, buffer_size) =
        (of_tensors.tensor_descriptor_size, of_buffers.storage_buffer_descriptor_size);
    let address_of = |buffer| {
        let info = vk::BufferDeviceAddressInfo { buffer, ..Default::default() };
        unsafe { device.get_buffer_device_address(&info) }
    };
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let sizes = context.buffer_with(4, usage);
    let all = context.buffer_with(1024, usage | vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT);
    let place = |binding: u32| unsafe {
        all.words
            .cast::<u8>()
            .add(device.get_descriptor_set_layout_binding_offset_ext(set_layout, binding) as usize)
    };
    let views = [three.sources[0].view, three.sources[1].view, three.target.view];
    for (at, tensor_view) in views.into_iter().enumerate() {
        let tensor = vk::DescriptorGetTensorInfoARM { tensor_view, ..Default::default() };
        let info = vk::DescriptorGetInfoEXT {
            next: (&raw const tensor).cast(),
            type_: TENSOR,
            ..Default::default()
        };
        let mut bytes = vec![0; tensor_size];
        let to = if at < 2 { unsafe { place(1).add(at * tensor_size) } } else { place(2) };
        unsafe {
            device.get_descriptor_ext(&info, &mut bytes);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, tensor_size);
        }
    }
    let range =
        vk::DescriptorAddressInfoEXT { address: address_of(sizes.buffer), range: 16, ..Default::default() };
    let info = vk::DescriptorGetInfoEXT {
        type_: BUFFER,
        data: vk::DescriptorDataEXT { storage_buffer: &range },
        ..Default::default()
    };
    let mut bytes = vec![0; buffer_size];
    unsafe {
        device.get_descriptor_ext(&info, &mut bytes);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), place(0), buffer_size);
    }
    let pipeline = pipeline(&context, layout);
    for which in [1u32, 0] {
        context.run(|commands| unsafe {
            let binding = vk::DescriptorBufferBindingInfoEXT::builder()
                .address(address_of(all.buffer))
                .usage(vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT);
            device.cmd_bind_descriptor_buffers_ext(commands, &[binding]);
            device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
            device.cmd_set_descriptor_buffer_offsets_ext(commands, COMPUTE, layout, 0, &[0], &[0]);
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, layout, stages, 0, &which.to_ne_bytes());
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        three.check([which; 4]);
    }
    unsafe { device.destroy_pipeline(pipeline, None) };
    three.destroy(&context);
}

/// A pipeline for descriptor buffers.
fn pipeline(context: &Compute, layout: vk::PipelineLayout) -> vk::Pipeline {
    let module = context.shader_module(&tensor_text());
    let stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(b"main\0");
    let info = vk::ComputePipelineCreateInfo::builder()
        .flags(vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT)
        .stage(stage)
        .layout(layout);
    unsafe {
        let null = vk::PipelineCache::null();
        let made = context.device.create_compute_pipelines(null, slice::from_ref(&info), None);
        context.destroy_modules(vec![module]);
        made.expect("a pipeline").0[0]
    }
}
