//! Graphs whose tensors come from sets that are written late, and from descriptor buffers.

use super::*;
use crate::descriptors::updates::{updatable, updatable_set};
use vulkanalia::vk::ExtDescriptorBufferExtensionDeviceCommands as _;

const TENSOR: vk::DescriptorType = vk::DescriptorType::TENSOR_ARM;

fn late_context() -> Compute {
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::builder().descriptor_buffer(true);
    let mut of_tensors = vk::PhysicalDeviceDescriptorBufferTensorFeaturesARM::builder()
        .descriptor_buffer_tensor_descriptors(true);
    let mut all = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    let mut tensors = vk::PhysicalDeviceTensorFeaturesARM::builder()
        .tensors(true)
        .tensor_non_packed(true)
        .descriptor_binding_storage_tensor_update_after_bind(true);
    let mut graphs = vk::PhysicalDeviceDataGraphFeaturesARM::builder()
        .data_graph(true)
        .data_graph_update_after_bind(true)
        .data_graph_descriptor_buffer(true)
        .data_graph_shader_module(true);
    of_tensors.next = (&raw mut buffers).cast();
    all.next = (&raw mut of_tensors).cast();
    tensors.next = (&raw mut all).cast();
    graphs.next = (&raw mut tensors).cast();
    let extensions = [
        c"VK_ARM_tensors",
        c"VK_ARM_data_graph",
        c"VK_ARM_data_graph_instruction_set_tosa",
        c"VK_KHR_maintenance5",
        c"VK_KHR_deferred_host_operations",
        c"VK_EXT_descriptor_buffer",
    ];
    Compute::new(V1_3, &extensions, (&raw mut graphs).cast())
}

fn pipeline(context: &Compute, made: &Made, flags: vk::PipelineCreateFlags2) -> vk::Pipeline {
    made.pipeline(context, BODY, None, flags, vk::PipelineCache::null()).expect("a pipeline").0
}

/// The set is written behind what was recorded with it, and once more before that runs again.
#[test]
fn graphs_take_tensors_that_are_written_late() {
    let context = late_context();
    let device = &context.device;
    let bindings = [(TENSOR, 1), (TENSOR, 1)];
    let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
    let set_layout = updatable(&context, &bindings, &[late; 2]);
    let made = Made { set_layout, layout: context.layout(&[set_layout]), ..Made::new(&context) };
    let (pool, set) = updatable_set(&context, set_layout, &bindings, None);
    let pipeline = pipeline(&context, &made, vk::PipelineCreateFlags2::empty());
    let (session, memory) = session(&context, pipeline);
    let commands = context.record(|commands| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, made.layout, 0, &[set], &[]);
        device.cmd_dispatch_data_graph_arm(commands, session, None);
    });
    for seed in 0..2 {
        let tensors = [made.input.tensor(&context), made.output.tensor(&context)];
        let input = picture(seed);
        tensors[0].fill(input.iter().copied());
        write(&context, set, &tensors);
        context.submit_and_wait(commands);
        assert_eq!(tensors[1].read(12), made.expected(&input, 36));
        tensors.into_iter().for_each(|tensor| tensor.destroy(&context));
    }
    unsafe {
        device.destroy_data_graph_pipeline_session_arm(session, None);
        device.free_memory(memory, None);
        device.destroy_pipeline(pipeline, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}

#[test]
fn graphs_take_tensors_of_descriptor_buffers() {
    let context = late_context();
    let device = &context.device;
    let flags = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
    let set_layout = context.set_layout(flags, &[(TENSOR, 1), (TENSOR, 1)]);
    let made = Made { set_layout, layout: context.layout(&[set_layout]), ..Made::new(&context) };
    let pipeline = pipeline(&context, &made, vk::PipelineCreateFlags2::DESCRIPTOR_BUFFER_EXT);
    let (session, memory) = session(&context, pipeline);
    let tensors = [made.input.tensor(&context), made.output.tensor(&context)];
    let input = picture(5);
    tensors[0].fill(input.iter().copied());
    let mut of_tensors = vk::PhysicalDeviceDescriptorBufferTensorPropertiesARM::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut of_tensors);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    let usage =
        vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT;
    let descriptors = context.buffer_with(256, usage);
    for (binding, tensor) in (0..).zip(&tensors) {
        let tensor = vk::DescriptorGetTensorInfoARM { tensor_view: tensor.view, ..Default::default() };
        let info = vk::DescriptorGetInfoEXT {
            next: (&raw const tensor).cast(),
            type_: TENSOR,
            ..Default::default()
        };
        let mut bytes = vec![0; of_tensors.tensor_descriptor_size];
        unsafe {
            device.get_descriptor_ext(&info, &mut bytes);
            let at = device.get_descriptor_set_layout_binding_offset_ext(set_layout, binding) as usize;
            let to = descriptors.words.cast::<u8>().add(at);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }
    let info = vk::BufferDeviceAddressInfo { buffer: descriptors.buffer, ..Default::default() };
    let address = unsafe { device.get_buffer_device_address(&info) };
    context.run(|commands| unsafe {
        let binding = vk::DescriptorBufferBindingInfoEXT::builder()
            .address(address)
            .usage(vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT);
        device.cmd_bind_descriptor_buffers_ext(commands, &[binding]);
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_set_descriptor_buffer_offsets_ext(commands, POINT, made.layout, 0, &[0], &[0]);
        device.cmd_dispatch_data_graph_arm(commands, session, None);
    });
    assert_eq!(tensors[1].read(12), made.expected(&input, 36));
    tensors.into_iter().for_each(|tensor| tensor.destroy(&context));
    unsafe {
        device.destroy_data_graph_pipeline_session_arm(session, None);
        device.free_memory(memory, None);
        device.destroy_pipeline(pipeline, None);
    }
}
