//! The list of all types that have handles.

use crate::handle::{BiasedLock, Object};
use pyro_driver::registry_supplement;
use vulkanalia_sys as vk;

macro_rules! objects {
    (newer { $($newer:ty => $constant:ident;)+ } $($object:ty => $name:ident $(in $scope:ident)?;)+) => {
        /// The types of all.
        const TYPES: &[vk::ObjectType] = &[$(vk::ObjectType::$name),+, $(registry_supplement::$constant),+];
        $(
        // SAFETY: the list has each type once (asserted below).
        unsafe impl Object for $newer {
            const TYPE: vk::ObjectType = registry_supplement::$constant;
        })+
        $(
        // SAFETY: the list has each type once (asserted below).
        unsafe impl Object for $object {
            const TYPE: vk::ObjectType = vk::ObjectType::$name;
            $(const SCOPE: vk::SystemAllocationScope = vk::SystemAllocationScope::$scope;)?
        })+
    };
}

objects! {
    newer {
        pyro_driver::instrumentation::ShaderInstrumentation => OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM;
    }
    crate::entry::instance::Instance => INSTANCE in INSTANCE;
    pyro_driver::caps::PhysicalDevice => PHYSICAL_DEVICE in INSTANCE;
    crate::entry::device::Device => DEVICE in DEVICE;
    pyro_driver::queue::Queue => QUEUE in DEVICE;
    BiasedLock<pyro_driver::command::CommandBuffer> => COMMAND_BUFFER;
    crate::entry::command::Pool => COMMAND_POOL;
    crate::entry::descriptor::Pool => DESCRIPTOR_POOL;
    pyro_driver::binary::PipelineBinary => PIPELINE_BINARY_KHR;
    pyro_driver::buffer::Buffer => BUFFER;
    pyro_driver::cuda::CudaFunction => CUDA_FUNCTION_NV;
    pyro_driver::cuda::CudaModule => CUDA_MODULE_NV;
    pyro_driver::data_graph::DataGraphSession => DATA_GRAPH_PIPELINE_SESSION_ARM;
    pyro_driver::cache::PipelineCache => PIPELINE_CACHE in CACHE;
    pyro_driver::descriptor::DescriptorSet => DESCRIPTOR_SET;
    pyro_driver::descriptor::SetLayout => DESCRIPTOR_SET_LAYOUT;
    pyro_driver::descriptor::UpdateTemplate => DESCRIPTOR_UPDATE_TEMPLATE;
    pyro_driver::device::PrivateDataSlot => PRIVATE_DATA_SLOT;
    pyro_driver::memory::DeviceMemory => DEVICE_MEMORY;
    pyro_driver::pipeline::Pipeline => PIPELINE;
    pyro_driver::pipeline::PipelineLayout => PIPELINE_LAYOUT;
    pyro_driver::query::QueryPool => QUERY_POOL;
    pyro_driver::shader::ShaderModule => SHADER_MODULE;
    pyro_driver::validation_cache::ValidationCache => VALIDATION_CACHE_EXT in CACHE;
    pyro_driver::acceleration_structure::AccelerationStructure => ACCELERATION_STRUCTURE_KHR;
    pyro_driver::acceleration_structure::NvAccelerationStructure => ACCELERATION_STRUCTURE_NV;
    pyro_driver::acceleration_structure::Micromap => MICROMAP_EXT;
    crate::entry::acceleration_structure::DeferredOperation => DEFERRED_OPERATION_KHR;
    pyro_driver::graphics::ShaderObject => SHADER_EXT;
    pyro_driver::image::Image => IMAGE;
    pyro_driver::image::ImageView => IMAGE_VIEW;
    pyro_driver::buffer::BufferView => BUFFER_VIEW;
    pyro_driver::image::Sampler => SAMPLER;
    pyro_driver::image::YcbcrConversion => SAMPLER_YCBCR_CONVERSION;
    pyro_driver::render_pass::Framebuffer => FRAMEBUFFER;
    pyro_driver::render_pass::RenderPass => RENDER_PASS;
    pyro_driver::present::Surface => SURFACE_KHR;
    pyro_driver::present::Swapchain => SWAPCHAIN_KHR;
    crate::entry::debug::UtilsMessenger => DEBUG_UTILS_MESSENGER_EXT;
    crate::entry::debug::ReportCallback => DEBUG_REPORT_CALLBACK_EXT;
    pyro_driver::command::generated::IndirectCommandsLayout => INDIRECT_COMMANDS_LAYOUT_EXT;
    pyro_driver::command::streams::StreamLayout => INDIRECT_COMMANDS_LAYOUT_NV;
    pyro_driver::pipeline::execution_set::IndirectExecutionSet => INDIRECT_EXECUTION_SET_EXT;
    pyro_driver::tensor::Tensor => TENSOR_ARM;
    pyro_driver::tensor::TensorView => TENSOR_VIEW_ARM;
    pyro_driver::sync::Event => EVENT;
    pyro_driver::sync::Fence => FENCE;
    pyro_driver::sync::Semaphore => SEMAPHORE;
}

const _: () = {
    let mut one = 0;
    while one < TYPES.len() {
        let mut other = 0;
        while other < one {
            assert!(TYPES[one].as_raw() != TYPES[other].as_raw(), "two objects of one type");
            other += 1;
        }
        one += 1;
    }
};
