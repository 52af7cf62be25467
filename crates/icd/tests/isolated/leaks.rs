//! Rounds of every kind of object leave nothing behind.
//!
//! `PYRO_ROUNDS` sets how many (default 5,000).
#![cfg(target_os = "linux")] // which says how much memory a process uses

use pyro_test_environment::{in_child, number};
use pyro_test_kit::compute::{Compute, shader};
use pyro_test_kit::{Client, resident_bytes};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDebugReportExtensionInstanceCommands as _, ExtHeadlessSurfaceExtensionInstanceCommands as _,
    ExtValidationCacheExtensionDeviceCommands as _, KhrExternalFenceFdExtensionDeviceCommands as _,
    KhrExternalSemaphoreFdExtensionDeviceCommands as _, KhrSurfaceExtensionInstanceCommands as _,
    KhrSwapchainExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);

/// Runs rounds, and fails when memory or objects grow with them.
fn repeat(name: &str, rounds: u32, round: impl Fn()) {
    // What is made once, and what allocators keep.
    (0..rounds / 5 + 1).for_each(|_| round());
    let (bytes, objects) = (resident_bytes(), pyroclast_icd::object_count());
    (0..rounds).for_each(|_| round());
    let grown = resident_bytes().saturating_sub(bytes);
    // The smallest object with its handle is larger than this, so that one left each round would show.
    assert!(grown < u64::from(rounds) * 40 + (1 << 20), "{name}: {grown} bytes more after {rounds} rounds");
    assert_eq!(pyroclast_icd::object_count(), objects, "{name}");
}

/// One test, since it counts the process's memory and objects.
#[test]
fn rounds_of_every_object_leave_nothing() {
    if !in_child(module_path!(), "rounds_of_every_object_leave_nothing", &[]) {
        return;
    }
    let rounds = number("PYRO_ROUNDS", 5_000);
    let extensions =
        [c"VK_EXT_validation_cache", c"VK_KHR_external_fence_fd", c"VK_KHR_external_semaphore_fd"];
    let context = Compute::new(V1_3, &extensions, std::ptr::null_mut());
    simple_objects(&context, rounds);
    shared_payloads(&context, rounds);
    memory_and_images(&context, rounds);
    descriptors_and_pipelines(&context, rounds);
    rendering(&context, rounds);
    drop(context);
    let context = pyro_test_kit::graphics::Context::with(&[]);
    presentation_and_draws(&context, rounds);
    drop(context);
    // A device has threads.
    repeat("devices", rounds / 50, || drop(Compute::new(V1_3, &[], std::ptr::null_mut())));
}

fn simple_objects(context: &Compute, rounds: u32) {
    let device = &context.device;
    unsafe {
        repeat("fences", rounds, || {
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            device.destroy_fence(fence, None);
        });
        repeat("events", rounds, || {
            let event = device.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
            device.destroy_event(event, None);
        });
        repeat("semaphores", rounds, || {
            let mut ty = vk::SemaphoreTypeCreateInfo::builder().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::builder().push_next(&mut ty);
            let timeline = device.create_semaphore(&info, None).expect("a timeline");
            let binary = device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
            device.destroy_semaphore(binary.expect("a semaphore"), None);
            device.destroy_semaphore(timeline, None);
        });
        repeat("query pools", rounds, || {
            let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(9);
            let pool = device.create_query_pool(&info, None).expect("a pool");
            device.destroy_query_pool(pool, None);
        });
        repeat("command buffers", rounds, || {
            let pool =
                device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::builder().command_pool(pool).command_buffer_count(3);
            let buffers = device.allocate_command_buffers(&info).expect("command buffers");
            device.begin_command_buffer(buffers[0], &vk::CommandBufferBeginInfo::default()).expect("begins");
            device.cmd_dispatch(buffers[0], 1, 1, 1);
            device.end_command_buffer(buffers[0]).expect("ends");
            device.free_command_buffers(pool, &buffers[1..2]);
            device.destroy_command_pool(pool, None); // with two left
        });
        repeat("private data slots", rounds, || {
            let info = vk::PrivateDataSlotCreateInfo::default();
            let slot = device.create_private_data_slot(&info, None).expect("a slot");
            device.destroy_private_data_slot(slot, None);
        });
        repeat("validation caches", rounds, || {
            let info = vk::ValidationCacheCreateInfoEXT::default();
            let cache = device.create_validation_cache_ext(&info, None).expect("a cache");
            device.destroy_validation_cache_ext(cache, None);
        });
        repeat("instances and messengers", rounds / 10, || {
            let mut client =
                Client::new(vk::make_version(1, 0, 0), &[c"VK_EXT_debug_utils", c"VK_EXT_debug_report"]);
            let _messages = client.listen(
                vk::DebugUtilsMessageSeverityFlagsEXT::all(),
                vk::DebugUtilsMessageTypeFlagsEXT::all(),
            );
            unsafe extern "system" fn report(
                _: vk::DebugReportFlagsEXT,
                _: vk::DebugReportObjectTypeEXT,
                _: u64,
                _: usize,
                _: i32,
                _: *const std::ffi::c_char,
                _: *const std::ffi::c_char,
                _: *mut std::ffi::c_void,
            ) -> vk::Bool32 {
                vk::FALSE
            }
            let info = vk::DebugReportCallbackCreateInfoEXT::builder().callback(Some(report));
            let callback = client.instance.create_debug_report_callback_ext(&info, None).expect("a callback");
            client.instance.destroy_debug_report_callback_ext(callback, None);
        });
    }
}

/// Fences and semaphores whose payloads are exported and imported.
fn shared_payloads(context: &Compute, rounds: u32) {
    let device = &context.device;
    unsafe {
        repeat("exported fences", rounds, || {
            let ty = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
            let mut export = vk::ExportFenceCreateInfo::builder().handle_types(ty);
            let info = vk::FenceCreateInfo::builder().push_next(&mut export);
            let [from, to] = [(); 2].map(|()| device.create_fence(&info, None).expect("a fence"));
            let info = vk::FenceGetFdInfoKHR::builder().fence(from).handle_type(ty);
            let fd = device.get_fence_fd_khr(&info).expect("a descriptor");
            let info = vk::ImportFenceFdInfoKHR::builder().fence(to).handle_type(ty).fd(fd);
            device.import_fence_fd_khr(&info).expect("imported");
            [from, to].into_iter().for_each(|fence| device.destroy_fence(fence, None));
        });
        repeat("exported semaphores", rounds, || {
            let ty = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
            let mut export = vk::ExportSemaphoreCreateInfo::builder().handle_types(ty);
            let info = vk::SemaphoreCreateInfo::builder().push_next(&mut export);
            let [from, to] = [(); 2].map(|()| device.create_semaphore(&info, None).expect("a semaphore"));
            let info = vk::SemaphoreGetFdInfoKHR::builder().semaphore(from).handle_type(ty);
            let fd = device.get_semaphore_fd_khr(&info).expect("a descriptor");
            let info = vk::ImportSemaphoreFdInfoKHR::builder().semaphore(to).handle_type(ty).fd(fd);
            device.import_semaphore_fd_khr(&info).expect("imported");
            [from, to].into_iter().for_each(|semaphore| device.destroy_semaphore(semaphore, None));
        });
    }
}

/// Surfaces with swapchains, and pipelines that draw.
fn presentation_and_draws(context: &pyro_test_kit::graphics::Context, rounds: u32) {
    let (instance, device) = (&context.instance, &context.device);
    unsafe {
        repeat("surfaces and swapchains", rounds, || {
            let info = vk::HeadlessSurfaceCreateInfoEXT::default();
            let surface = instance.create_headless_surface_ext(&info, None).expect("a surface");
            let info = vk::SwapchainCreateInfoKHR::builder()
                .surface(surface)
                .min_image_count(3)
                .image_format(vk::Format::B8G8R8A8_UNORM)
                .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
                .image_extent(vk::Extent2D {
                    width: pyro_test_kit::graphics::SIZE,
                    height: pyro_test_kit::graphics::SIZE,
                })
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
                .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(vk::PresentModeKHR::FIFO);
            let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
            device.destroy_swapchain_khr(swapchain, None);
            instance.destroy_surface_khr(surface, None);
        });
        repeat("graphics pipelines", rounds / 20, || {
            let (pipeline, layout) = context.pipeline(vk::Format::R8G8B8A8_UNORM);
            device.destroy_pipeline(pipeline, None);
            device.destroy_pipeline_layout(layout, None);
        });
        repeat("conversions of Y'CbCr", rounds, || {
            let info = vk::SamplerYcbcrConversionCreateInfo::builder()
                .format(vk::Format::G8_B8R8_2PLANE_420_UNORM)
                .ycbcr_model(vk::SamplerYcbcrModelConversion::YCBCR_709);
            let conversion = device.create_sampler_ycbcr_conversion(&info, None).expect("a conversion");
            device.destroy_sampler_ycbcr_conversion(conversion, None);
        });
    }
}

fn memory_and_images(context: &Compute, rounds: u32) {
    let device = &context.device;
    unsafe {
        repeat("memory, buffers and their views", rounds, || {
            let info =
                vk::BufferCreateInfo::builder().size(4096).usage(vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER);
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let memory = device
                .allocate_memory(&vk::MemoryAllocateInfo::builder().allocation_size(8192), None)
                .expect("memory");
            device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let info = vk::BufferViewCreateInfo::builder()
                .buffer(buffer)
                .format(vk::Format::R32_UINT)
                .range(vk::WHOLE_SIZE);
            let view = device.create_buffer_view(&info, None).expect("a view");
            device.destroy_buffer_view(view, None);
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        });
        repeat("large memory", rounds / 10, || {
            let info = vk::MemoryAllocateInfo::builder().allocation_size(64 << 20);
            device.free_memory(device.allocate_memory(&info, None).expect("memory"), None);
        });
        repeat("images, views and samplers", rounds, || {
            let image = image(device);
            let memory = device
                .allocate_memory(&vk::MemoryAllocateInfo::builder().allocation_size(1 << 16), None)
                .expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let view = view(device, image);
            let sampler = device.create_sampler(&vk::SamplerCreateInfo::default(), None).expect("a sampler");
            device.destroy_sampler(sampler, None);
            device.destroy_image_view(view, None);
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        });
    }
}

fn image(device: &Device) -> vk::Image {
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: 8, height: 8, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::COLOR_ATTACHMENT);
    unsafe { device.create_image(&info, None) }.expect("an image")
}

fn view(device: &Device, image: vk::Image) -> vk::ImageView {
    let info = vk::ImageViewCreateInfo::builder()
        .image(image)
        .view_type(vk::ImageViewType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .subresource_range(vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: 1,
        });
    unsafe { device.create_image_view(&info, None) }.expect("a view")
}

fn descriptors_and_pipelines(context: &Compute, rounds: u32) {
    let device = &context.device;
    let binding = vk::DescriptorSetLayoutBinding::builder()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(4)
        .stage_flags(vk::ShaderStageFlags::COMPUTE);
    let layout_info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(slice::from_ref(&binding));
    let words = pyro_spirv::asm::assemble(&shader("")).expect("assembly");
    let module_info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    unsafe {
        repeat("descriptor sets, layouts, pools and templates", rounds, || {
            let layout = device.create_descriptor_set_layout(&layout_info, None).expect("a layout");
            let size =
                vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 8 };
            let info = vk::DescriptorPoolCreateInfo::builder()
                .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
                .max_sets(2)
                .pool_sizes(slice::from_ref(&size));
            let pool = device.create_descriptor_pool(&info, None).expect("a pool");
            let layouts = [layout; 2];
            let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
            let sets = device.allocate_descriptor_sets(&info).expect("sets");
            device.free_descriptor_sets(pool, &sets[..1]).expect("freed");
            let entry = vk::DescriptorUpdateTemplateEntry {
                descriptor_count: 1,
                descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
                ..Default::default()
            };
            let info = vk::DescriptorUpdateTemplateCreateInfo::builder()
                .descriptor_update_entries(slice::from_ref(&entry))
                .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
                .descriptor_set_layout(layout);
            let template = device.create_descriptor_update_template(&info, None).expect("a template");
            device.destroy_descriptor_update_template(template, None);
            device.destroy_descriptor_pool(pool, None); // with the other set
            device.destroy_descriptor_set_layout(layout, None);
        });
        repeat("modules, pipeline layouts and caches", rounds, || {
            let module = device.create_shader_module(&module_info, None).expect("a module");
            let info = vk::PipelineLayoutCreateInfo::default();
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let info = vk::PipelineCacheCreateInfo::default();
            let cache = device.create_pipeline_cache(&info, None).expect("a cache");
            device.destroy_pipeline_cache(cache, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_shader_module(module, None);
        });
        let module = device.create_shader_module(&module_info, None).expect("a module");
        let layout = context.layout(&[]);
        let cache = device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None);
        let cache = cache.expect("a cache");
        let make = |cache| {
            let stage = vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(b"main\0");
            let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
            let made = device.create_compute_pipelines(cache, &[info], None).expect("a pipeline").0;
            device.destroy_pipeline(made[0], None);
        };
        repeat("pipelines from a cache", rounds, || make(cache));
        repeat("pipelines that are compiled", rounds / 20, || make(vk::PipelineCache::null()));
        device.destroy_pipeline_cache(cache, None);
        device.destroy_shader_module(module, None);
    }
}

fn rendering(context: &Compute, rounds: u32) {
    let device = &context.device;
    unsafe {
        let image = image(device);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(1 << 16);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let views = [view(device, image)];
        repeat("render passes and framebuffers", rounds, || {
            let attachment = vk::AttachmentDescription::builder()
                .format(vk::Format::R8G8B8A8_UNORM)
                .samples(vk::SampleCountFlags::_1)
                .final_layout(vk::ImageLayout::GENERAL);
            let reference = vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL };
            let subpass = vk::SubpassDescription::builder().color_attachments(slice::from_ref(&reference));
            let info = vk::RenderPassCreateInfo::builder()
                .attachments(slice::from_ref(&attachment))
                .subpasses(slice::from_ref(&subpass));
            let pass = device.create_render_pass(&info, None).expect("a render pass");
            let info = vk::FramebufferCreateInfo::builder()
                .render_pass(pass)
                .attachments(&views)
                .width(8)
                .height(8)
                .layers(1);
            let framebuffer = device.create_framebuffer(&info, None).expect("a framebuffer");
            device.destroy_framebuffer(framebuffer, None);
            device.destroy_render_pass(pass, None);
        });
        device.destroy_image_view(views[0], None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}
