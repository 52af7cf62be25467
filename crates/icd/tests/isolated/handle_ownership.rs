//! Objects of one device in commands of another: refused by rule, with nothing done, whatever the command.

use pyro_test_environment::in_child;
use pyro_test_kit::Client;
use std::ptr::{null, null_mut};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::HasBuilder;

/// A device and one object of each kind.
struct World {
    device: Device,
    queue: vk::Queue,
    memory: vk::DeviceMemory,
    buffer: vk::Buffer,
    unbound: vk::Buffer,
    image: vk::Image,
    view: vk::ImageView,
    sampler: vk::Sampler,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    descriptor_pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    module: vk::ShaderModule,
    pipeline: vk::Pipeline,
    cache: vk::PipelineCache,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    fence: vk::Fence,
    semaphore: vk::Semaphore,
    event: vk::Event,
    queries: vk::QueryPool,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    slot: vk::PrivateDataSlot,
}

impl World {
    unsafe fn new(client: &Client) -> World {
        unsafe {
            let device = client.bare_device(&[], None, null_mut());
            let info = vk::MemoryAllocateInfo::builder().allocation_size(1 << 16);
            let memory = device.allocate_memory(&info, None).expect("memory");
            let info = vk::BufferCreateInfo::builder().size(256).usage(vk::BufferUsageFlags::all());
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let unbound = device.create_buffer(&info, None).expect("a buffer");
            device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let info = vk::ImageCreateInfo::builder()
                .image_type(vk::ImageType::_2D)
                .format(vk::Format::R8G8B8A8_UNORM)
                .extent(vk::Extent3D { width: 4, height: 4, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::_1)
                .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::SAMPLED);
            let image = device.create_image(&info, None).expect("an image");
            device.bind_image_memory(image, memory, 4096).expect("bound");
            let view = device.create_image_view(&view_info(image), None).expect("a view");
            let sampler = device.create_sampler(&Default::default(), None).expect("a sampler");
            let binding = vk::DescriptorSetLayoutBinding {
                descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: 1,
                stage_flags: vk::ShaderStageFlags::COMPUTE,
                ..Default::default()
            };
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(std::slice::from_ref(&binding));
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
            let layout = device.create_pipeline_layout(&layout_info(&set_layout), None).expect("a layout");
            let size =
                vk::DescriptorPoolSize { type_: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 4 };
            let info =
                vk::DescriptorPoolCreateInfo::builder().max_sets(4).pool_sizes(std::slice::from_ref(&size));
            let descriptor_pool = device.create_descriptor_pool(&info, None).expect("a pool");
            let set = device.allocate_descriptor_sets(&set_info(descriptor_pool, &set_layout));
            let words = pyro_spirv::asm::assemble(&pyro_test_kit::compute::shader("")).expect("assembly");
            let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
            let module = device.create_shader_module(&info, None).expect("a module");
            let info = [pipeline_info(module, layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            let cache = device.create_pipeline_cache(&Default::default(), None).expect("a cache");
            let (pass, framebuffer) = pass(&device, view);
            let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::TIMESTAMP).query_count(2);
            let queries = device.create_query_pool(&info, None).expect("queries");
            let info =
                vk::CommandPoolCreateInfo::builder().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let pool = device.create_command_pool(&info, None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::builder().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).expect("commands")[0];
            World {
                queue: device.get_device_queue(0, 0),
                memory,
                buffer,
                unbound,
                image,
                view,
                sampler,
                set_layout,
                layout,
                descriptor_pool,
                set: set.expect("a set")[0],
                module,
                pipeline: made.expect("a pipeline").0[0],
                cache,
                pass,
                framebuffer,
                fence: device.create_fence(&Default::default(), None).expect("a fence"),
                semaphore: device.create_semaphore(&Default::default(), None).expect("a semaphore"),
                event: device.create_event(&Default::default(), None).expect("an event"),
                queries,
                pool,
                commands,
                slot: device.create_private_data_slot(&Default::default(), None).expect("a slot"),
                device,
            }
        }
    }

    /// Destroys all objects by commands of a device, which is theirs or another.
    unsafe fn destroy_by(&self, device: &Device) {
        unsafe {
            device.destroy_private_data_slot(self.slot, None);
            device.destroy_command_pool(self.pool, None);
            device.destroy_query_pool(self.queries, None);
            device.destroy_event(self.event, None);
            device.destroy_semaphore(self.semaphore, None);
            device.destroy_fence(self.fence, None);
            device.destroy_framebuffer(self.framebuffer, None);
            device.destroy_render_pass(self.pass, None);
            device.destroy_pipeline_cache(self.cache, None);
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_shader_module(self.module, None);
            device.destroy_descriptor_pool(self.descriptor_pool, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_sampler(self.sampler, None);
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.destroy_buffer(self.buffer, None);
            device.destroy_buffer(self.unbound, None);
            device.free_memory(self.memory, None);
        }
    }
}

fn view_info(image: vk::Image) -> vk::ImageViewCreateInfo {
    let range = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let format = vk::Format::R8G8B8A8_UNORM;
    let view_type = vk::ImageViewType::_2D;
    vk::ImageViewCreateInfo { image, view_type, format, subresource_range: range, ..Default::default() }
}

fn layout_info(set: &vk::DescriptorSetLayout) -> vk::PipelineLayoutCreateInfo {
    vk::PipelineLayoutCreateInfo { set_layout_count: 1, set_layouts: set, ..Default::default() }
}

fn set_info(pool: vk::DescriptorPool, layout: &vk::DescriptorSetLayout) -> vk::DescriptorSetAllocateInfo {
    vk::DescriptorSetAllocateInfo {
        descriptor_pool: pool,
        descriptor_set_count: 1,
        set_layouts: layout,
        ..Default::default()
    }
}

fn pipeline_info(module: vk::ShaderModule, layout: vk::PipelineLayout) -> vk::ComputePipelineCreateInfo {
    let stage = vk::PipelineShaderStageCreateInfo {
        stage: vk::ShaderStageFlags::COMPUTE,
        module,
        name: c"main".as_ptr(),
        ..Default::default()
    };
    vk::ComputePipelineCreateInfo { stage, layout, ..Default::default() }
}

unsafe fn pass(device: &Device, view: vk::ImageView) -> (vk::RenderPass, vk::Framebuffer) {
    let attachment = vk::AttachmentDescription::builder()
        .format(vk::Format::R8G8B8A8_UNORM)
        .samples(vk::SampleCountFlags::_1)
        .final_layout(vk::ImageLayout::GENERAL);
    let reference = vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL };
    let subpass = vk::SubpassDescription::builder().color_attachments(std::slice::from_ref(&reference));
    let info = vk::RenderPassCreateInfo::builder()
        .attachments(std::slice::from_ref(&attachment))
        .subpasses(std::slice::from_ref(&subpass));
    let pass = unsafe { device.create_render_pass(&info, None) }.expect("a pass");
    let framebuffer = unsafe { device.create_framebuffer(&framebuffer_info(pass, &view), None) };
    (pass, framebuffer.expect("a framebuffer"))
}

fn framebuffer_info(pass: vk::RenderPass, view: &vk::ImageView) -> vk::FramebufferCreateInfo {
    vk::FramebufferCreateInfo {
        render_pass: pass,
        attachment_count: 1,
        attachments: view,
        width: 4,
        height: 4,
        layers: 1,
        ..Default::default()
    }
}

/// Calls a command of `$world`'s device that records; the first command buffer handle is the world's.
macro_rules! record {
    ($world:expr, $command:ident($($argument:expr),*)) => {{
        let world = $world;
        let begin = vk::CommandBufferBeginInfo::default();
        world.device.begin_command_buffer(world.commands, &begin).expect("begins");
        (world.device.commands().$command)(world.commands, $($argument),*);
        let ended = world.device.end_command_buffer(world.commands);
        assert!(ended.is_err(), "{}", stringify!($command));
        Ok::<(), vk::ErrorCode>(())
    }};
}

/// One command of `own` with an object of `other`.
type Misuse = unsafe fn(own: &World, other: &World) -> VkResult<()>;

#[rustfmt::skip]
const MISUSES: &[(&str, Misuse)] = &[
    ("vkBindBufferMemory-buffer-parent", |own, other| unsafe { own.device.bind_buffer_memory(other.unbound, own.memory, 0) }),
    ("vkBindBufferMemory-memory-parent", |own, other| unsafe { own.device.bind_buffer_memory(own.unbound, other.memory, 0) }),
    ("vkBindImageMemory-image-parent", |own, other| unsafe { own.device.bind_image_memory(other.image, own.memory, 0) }),
    ("vkMapMemory-memory-parent", |own, other| unsafe { own.device.map_memory(other.memory, 0, 4, vk::MemoryMapFlags::empty()).map(drop) }),
    ("VkImageViewCreateInfo-image-parameter", |own, other| unsafe { own.device.create_image_view(&view_info(other.image), None).map(drop) }),
    ("VkDescriptorSetAllocateInfo-commonparent", |own, other| unsafe { own.device.allocate_descriptor_sets(&set_info(own.descriptor_pool, &other.set_layout)).map(drop) }),
    ("VkDescriptorSetAllocateInfo-commonparent", |own, other| unsafe { own.device.allocate_descriptor_sets(&set_info(other.descriptor_pool, &own.set_layout)).map(drop) }),
    ("VkFramebufferCreateInfo-commonparent", |own, other| unsafe { own.device.create_framebuffer(&framebuffer_info(own.pass, &other.view), None).map(drop) }),
    ("vkMergePipelineCaches-dstCache-parent", |own, other| unsafe { own.device.merge_pipeline_caches(own.cache, &[other.cache]) }),
    ("vkGetPipelineCacheData-pipelineCache-parent", |own, other| unsafe { own.device.get_pipeline_cache_data(other.cache).map(drop) }),
    ("VkComputePipelineCreateInfo-commonparent", |own, other| unsafe { own.device.create_compute_pipelines(vk::PipelineCache::null(), &[pipeline_info(own.module, other.layout)], None).map(drop) }),
    ("VkPipelineShaderStageCreateInfo-module-parameter", |own, other| unsafe { own.device.create_compute_pipelines(vk::PipelineCache::null(), &[pipeline_info(other.module, own.layout)], None).map(drop) }),
    ("vkResetDescriptorPool-descriptorPool-parent", |own, other| unsafe { own.device.reset_descriptor_pool(other.descriptor_pool, vk::DescriptorPoolResetFlags::empty()) }),
    ("vkFreeDescriptorSets-descriptorPool-parent", |own, other| unsafe { own.device.free_descriptor_sets(other.descriptor_pool, &[other.set]) }),
    ("vkResetFences-pFences-parent", |own, other| unsafe { own.device.reset_fences(&[other.fence]) }),
    ("vkGetFenceStatus-fence-parent", |own, other| unsafe { own.device.get_fence_status(other.fence).map(drop) }),
    ("vkWaitForFences-pFences-parent", |own, other| unsafe { own.device.wait_for_fences(&[own.fence, other.fence], true, 0).map(drop) }),
    ("vkGetEventStatus-event-parent", |own, other| unsafe { own.device.get_event_status(other.event).map(drop) }),
    ("vkSetEvent-event-parent", |own, other| unsafe { own.device.set_event(other.event) }),
    ("vkGetQueryPoolResults-queryPool-parent", |own, other| unsafe { own.device.get_query_pool_results(other.queries, 0, 1, &mut [0; 8], 8, vk::QueryResultFlags::_64).map(drop) }),
    ("vkResetCommandPool-commandPool-parent", |own, other| unsafe { own.device.reset_command_pool(other.pool, vk::CommandPoolResetFlags::empty()) }),
    ("vkSetPrivateData-privateDataSlot-parent", |own, other| unsafe { own.device.set_private_data(vk::ObjectType::FENCE, own.fence.as_raw(), other.slot, 1) }),
    ("vkQueueSubmit-commonparent", |own, other| unsafe { own.device.queue_submit(own.queue, &[] as &[vk::SubmitInfo], other.fence) }),
    ("VkSubmitInfo-commonparent", |own, other| unsafe {
        own.device.queue_submit(own.queue, &[vk::SubmitInfo::builder().signal_semaphores(&[other.semaphore])], own.fence)
    }),
    ("VkSubmitInfo-commonparent", |own, other| unsafe {
        other.device.begin_command_buffer(other.commands, &vk::CommandBufferBeginInfo::default())?;
        other.device.end_command_buffer(other.commands)?;
        own.device.queue_submit(own.queue, &[vk::SubmitInfo::builder().command_buffers(&[other.commands])], own.fence)
    }),
    ("vkCmdBindPipeline-commonparent", |own, other| unsafe { record!(own, cmd_bind_pipeline(vk::PipelineBindPoint::COMPUTE, other.pipeline)) }),
    ("vkCmdBindDescriptorSets-commonparent", |own, other| unsafe { record!(own, cmd_bind_descriptor_sets(vk::PipelineBindPoint::COMPUTE, own.layout, 0, 1, &other.set, 0, null())) }),
    ("vkCmdCopyBuffer-commonparent", |own, other| unsafe { record!(own, cmd_copy_buffer(own.buffer, other.buffer, 0, null())) }),
    ("vkCmdFillBuffer-commonparent", |own, other| unsafe { record!(own, cmd_fill_buffer(other.buffer, 0, 4, 1)) }),
    ("vkCmdDispatchIndirect-commonparent", |own, other| unsafe { record!(own, cmd_dispatch_indirect(other.buffer, 0)) }),
    ("vkCmdSetEvent-commonparent", |own, other| unsafe { record!(own, cmd_set_event(other.event, vk::PipelineStageFlags::ALL_COMMANDS)) }),
    ("vkCmdBeginQuery-commonparent", |own, other| unsafe { record!(own, cmd_begin_query(other.queries, 0, vk::QueryControlFlags::empty())) }),
    ("vkCmdClearColorImage-commonparent", |own, other| unsafe { record!(own, cmd_clear_color_image(other.image, vk::ImageLayout::GENERAL, &vk::ClearColorValue { uint32: [0; 4] }, 0, null())) }),
    ("vkCmdCopyImage-commonparent", |own, other| unsafe { record!(own, cmd_copy_image(own.image, vk::ImageLayout::GENERAL, other.image, vk::ImageLayout::GENERAL, 0, null())) }),
    ("vkCmdBindVertexBuffers2-commonparent", |own, other| unsafe { record!(own, cmd_bind_vertex_buffers2(0, 1, &other.buffer, &0, null(), null())) }),
    ("VkRenderPassBeginInfo-commonparent", |own, other| unsafe {
        let info = vk::RenderPassBeginInfo { render_pass: own.pass, framebuffer: other.framebuffer, ..Default::default() };
        record!(own, cmd_begin_render_pass(&info, vk::SubpassContents::INLINE))
    }),
];

#[test]
fn other_devices_objects_are_refused() {
    if !in_child(module_path!(), "other_devices_objects_are_refused", &[]) {
        return;
    }
    unsafe {
        let before = pyroclast_icd::object_count();
        let mut clients = [(); 2].map(|()| Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]));
        let heard = clients.each_mut().map(|client| {
            client.listen(
                vk::DebugUtilsMessageSeverityFlagsEXT::all(),
                vk::DebugUtilsMessageTypeFlagsEXT::all(),
            )
        });
        let own = World::new(&clients[0]);
        // Another device of the same instance, and one of another.
        for client in &clients {
            let other = World::new(client);
            let mut wrong = Vec::new();
            for (rule, misuse) in MISUSES {
                drop(heard[0].take());
                let result = misuse(&own, &other);
                if !rule.contains("vkCmd") && !rule.contains("RenderPassBegin") {
                    assert!(result.is_err(), "{rule}");
                }
                let ids = heard[0].take_ids();
                if !ids.contains(&format!("VUID-{rule}")) {
                    wrong.push(format!("{rule}: {ids:?}"));
                }
            }
            assert!(wrong.is_empty(), "{wrong:#?}");
            // Writing another device's buffer into a descriptor leaves a null descriptor.
            drop(heard[0].take());
            let info = vk::DescriptorBufferInfo { buffer: other.buffer, offset: 0, range: 4 };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(own.set)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(std::slice::from_ref(&info));
            own.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
            assert_eq!(heard[0].take().len(), 1);

            // Nobody destroys what is another's.
            let count = pyroclast_icd::object_count();
            drop(heard[0].take());
            other.destroy_by(&own.device);
            assert_eq!(pyroclast_icd::object_count(), count);
            let ids = heard[0].take_ids();
            assert_eq!(ids.len(), 20, "{ids:?}");
            assert!(ids.iter().all(|id| id.starts_with("VUID-vk") && id.ends_with("-parent")), "{ids:?}");

            let heard_by_other = heard[1].take();
            other.destroy_by(&other.device);
            other.device.destroy_device(None);
            assert!(heard_by_other.is_empty(), "the other instance hears nothing");
        }
        own.destroy_by(&own.device);
        own.device.destroy_device(None);
        drop(clients);
        assert_eq!(pyroclast_icd::object_count(), before);
    }
}
