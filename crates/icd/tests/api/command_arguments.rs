//! Arguments of commands at the ends of their ranges, and draws that cannot be compiled.

use pyro_test_kit::compute::Compute;
use pyro_test_kit::{Client, Message, Messages};
use std::ffi::c_void;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDebugUtilsExtensionInstanceCommands as _, ExtShaderObjectExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
/// Pixels of a side of the target.
const SIZE: u32 = 16;
/// What the target holds before.
const BEFORE: u32 = 7;
/// What it is cleared to.
const CLEARED: u32 = 9;

/// A target of one word for each pixel.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
}

fn range() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: 1,
        base_array_layer: 0,
        layer_count: 1,
    }
}

fn target(device: &Device) -> Target {
    unsafe {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(
                vk::ImageUsageFlags::COLOR_ATTACHMENT
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST,
            );
        let image = device.create_image(&info, None).expect("an image");
        let size = device.get_image_memory_requirements(image).size;
        let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(vk::ImageViewType::_2D)
            .format(vk::Format::R32_UINT)
            .subresource_range(range());
        let view = device.create_image_view(&info, None).expect("a view");
        Target { image, view, memory }
    }
}

impl Target {
    fn destroy(self, device: &Device) {
        unsafe {
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// The pixels that the clear of an instance of this area, with this chain, has changed.
fn cleared(context: &Compute, area: vk::Rect2D, next: *const c_void) -> usize {
    let device = &context.device;
    let target = target(device);
    let read = context.buffer((SIZE * SIZE) as usize);
    let color = |word| vk::ClearColorValue { uint32: [word; 4] };
    let attachment = vk::RenderingAttachmentInfo::builder()
        .image_view(target.view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(vk::ClearValue { color: color(CLEARED) });
    let mut info = vk::RenderingInfo::builder()
        .render_area(area)
        .layer_count(1)
        .color_attachments(slice::from_ref(&attachment))
        .build();
    info.next = next;
    context.run(|commands| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        device.cmd_clear_color_image(commands, target.image, layout, &color(BEFORE), &[range()]);
        device.cmd_begin_rendering(commands, &info);
        device.cmd_end_rendering(commands);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            },
            image_extent: vk::Extent3D { width: SIZE, height: SIZE, depth: 1 },
            ..Default::default()
        };
        device.cmd_copy_image_to_buffer(commands, target.image, layout, read.buffer, &[region]);
    });
    target.destroy(device);
    let words = read.words();
    assert!(words.iter().all(|word| [BEFORE, CLEARED].contains(word)));
    words.iter().filter(|&&word| word == CLEARED).count()
}

fn rectangle(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

fn rendering_context() -> Compute {
    let mut features = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true).build();
    Compute::new(V1_3, &[], (&raw mut features).cast())
}

#[test]
fn render_areas_far_outside_of_the_attachments_clear_nothing() {
    let context = rendering_context();
    let clear = |area| cleared(&context, area, std::ptr::null());
    assert_eq!(clear(rectangle(2, 3, 4, 5)), 20);
    assert_eq!(clear(rectangle(0x7fff_fff0, 0x7fff_fff0, 8, 8)), 0);
    assert_eq!(clear(rectangle(0x7fff_fff0, 0, u32::MAX, u32::MAX)), 0);
    assert_eq!(clear(rectangle(0, 0, u32::MAX, u32::MAX)), 256);
}

#[test]
fn the_render_area_of_the_device_counts() {
    let context = rendering_context();
    let areas = [rectangle(1, 2, 3, 3)];
    let group = vk::DeviceGroupRenderPassBeginInfo::builder().device_mask(1).device_render_areas(&areas);
    let next = std::ptr::from_ref(&*group).cast();
    assert_eq!(cleared(&context, rectangle(0, 0, 8, 8), next), 9);
    let group = vk::DeviceGroupRenderPassBeginInfo::builder().device_mask(1);
    let next = std::ptr::from_ref(&*group).cast();
    assert_eq!(cleared(&context, rectangle(0, 0, 8, 8), next), 64);
}

#[test]
fn copies_of_the_whole_size_are_refused() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let (source, target) = (context.buffer(16), context.buffer(8));
    (0..16).for_each(|index| source.put(index, index as u32));
    let device = &context.device;
    let info = vk::CommandBufferAllocateInfo::builder().command_pool(context.pool).command_buffer_count(1);
    unsafe {
        let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
        let region = vk::BufferCopy { src_offset: 4, dst_offset: 0, size: u64::MAX };
        device.cmd_copy_buffer(commands, source.buffer, target.buffer, &[region]);
        assert!(device.end_command_buffer(commands).is_err(), "the copy is reported");
    }
    // The device goes on.
    context.run(|commands| unsafe {
        let region = vk::BufferCopy { src_offset: 4, dst_offset: 0, size: 8 };
        device.cmd_copy_buffer(commands, source.buffer, target.buffer, &[region]);
    });
    assert_eq!(target.words()[..3], [1, 2, 0]);
}

#[test]
fn the_largest_storage_buffer_range_is_a_multiple_of_four() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let properties = unsafe { context.instance.get_physical_device_properties(context.physical_device) };
    assert_eq!(properties.limits.max_storage_buffer_range, 0x7fff_fffc);
}

/// Results that applications expect have the severity `VERBOSE`, failures `ERROR`.
#[test]
fn messages_come_to_the_messengers_of_their_severity() {
    use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
    let wanted = [Severity::VERBOSE, Severity::ERROR, Severity::VERBOSE | Severity::ERROR, Severity::INFO];
    let all = vk::DebugUtilsMessageTypeFlagsEXT::all();
    let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils"]);
    let heard = wanted.map(|wanted| client.listen(wanted, all));
    let severities = || {
        let of = |heard: &Messages| heard.take().iter().map(|message| message.severity).collect::<Vec<_>>();
        heard.each_ref().map(of)
    };
    unsafe {
        let gpu = client.device(&[], None, std::ptr::null_mut());
        severities();

        // A descriptor pool that is used up is expected.
        let layout =
            gpu.device.create_descriptor_set_layout(&Default::default(), None).expect("a set layout");
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1);
        let pool = gpu.device.create_descriptor_pool(&info, None).expect("a pool");
        let layouts = [layout; 2];
        let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
        let made = gpu.device.allocate_descriptor_sets(&info);
        assert_eq!(made.err(), Some(vk::ErrorCode::OUT_OF_POOL_MEMORY));
        assert_eq!(severities(), [vec![Severity::VERBOSE], vec![], vec![Severity::VERBOSE], vec![]]);

        // A buffer of no bytes is not (VUID-VkBufferCreateInfo-size-00912).
        assert!(gpu.device.create_buffer(&vk::BufferCreateInfo::default(), None).is_err());
        assert_eq!(severities(), [vec![], vec![Severity::ERROR], vec![Severity::ERROR], vec![]]);

        gpu.device.destroy_descriptor_pool(pool, None);
        gpu.device.destroy_descriptor_set_layout(layout, None);
    }
}

/// Vertex attributes of a block-compressed format fit no shader: the pipeline that a draw with shader objects
/// makes of its state cannot be compiled, which only the queue's thread finds out.
#[test]
fn dropped_draws_are_reported_to_messengers() {
    let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils"]);
    let error = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
    let heard = client.listen(error, vk::DebugUtilsMessageTypeFlagsEXT::all());
    unsafe {
        let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::builder().shader_object(true);
        let mut core = vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true);
        core.next = (&raw mut objects).cast();
        let gpu = client.device(&[c"VK_EXT_shader_object"], None, (&raw mut core).cast());
        let (instance, device) = (&gpu.instance, &gpu.device);
        let commands = gpu.command_buffer();

        let words = pyro_spirv::asm::assemble(pyro_test_kit::canvas::VERTEX).expect("assembly");
        let code = slice::from_raw_parts(words.as_ptr().cast::<u8>(), 4 * words.len());
        let mut info = vk::ShaderCreateInfoEXT::builder()
            .stage(vk::ShaderStageFlags::VERTEX)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .name(b"main\0")
            .build();
        (info.code_size, info.code) = (code.len(), code.as_ptr().cast());
        let shader = device.create_shaders_ext(&[info], None).expect("a shader").0[0];
        let info = vk::DebugUtilsObjectNameInfoEXT::builder()
            .object_type(vk::ObjectType::SHADER_EXT)
            .object_handle(shader.as_raw())
            .object_name(b"the shader of the draw\0");
        instance.set_debug_utils_object_name_ext(device.handle(), &info).expect("named");

        let target = target(device);
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begins");
        let attachment = vk::RenderingAttachmentInfo::builder()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL);
        let info = vk::RenderingInfo::builder()
            .render_area(rectangle(0, 0, SIZE, SIZE))
            .layer_count(1)
            .color_attachments(slice::from_ref(&attachment));
        device.cmd_begin_rendering(commands, &info);
        device.cmd_bind_shaders_ext(commands, &[vk::ShaderStageFlags::VERTEX], &[shader]);
        let binding = vk::VertexInputBindingDescription2EXT { stride: 16, divisor: 1, ..Default::default() };
        let attribute = vk::VertexInputAttributeDescription2EXT {
            format: vk::Format::BC1_RGB_UNORM_BLOCK,
            ..Default::default()
        };
        device.cmd_set_vertex_input_ext(commands, &[binding], &[attribute]);
        device.cmd_set_primitive_topology(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
        device.cmd_draw(commands, 3, 1, 0, 0);
        device.cmd_end_rendering(commands);
        device.end_command_buffer(commands).expect("ends");
        gpu.submit_and_wait(commands);

        // Messages without an object come to the messengers of all instances, those of other tests too.
        let messages: Vec<_> = heard.take().into_iter().filter(|one| !one.objects.is_empty()).collect();
        let [Message { severity, text, objects, .. }] = &messages[..] else {
            panic!("one message: {messages:?}")
        };
        assert_eq!(*severity, error);
        assert!(text.contains("a draw is dropped") && text.contains("BC1_RGB_UNORM_BLOCK"), "{text}");
        let [(ty, _, name)] = &objects[..] else { panic!("one object: {objects:?}") };
        assert_eq!((*ty, name.as_deref()), (vk::ObjectType::SHADER_EXT, Some("the shader of the draw")));

        target.destroy(device);
        device.destroy_shader_ext(shader, None);
    }
}

/// Parameters that the registry does not call optional are refused where they are null, by the rule's name;
/// commands that return nothing do nothing then.
#[test]
fn null_parameters_are_refused() {
    let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils"]);
    let heard =
        client.listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::all());
    let info = vk::BufferCreateInfo { size: 4, ..Default::default() };
    let mut buffer = vk::Buffer::null();
    unsafe {
        let gpu = client.device(&[], None, std::ptr::null_mut());
        let (device, commands) = (gpu.device.handle(), gpu.device.commands());
        let null = std::ptr::null();
        let refused = (commands.create_buffer)(device, null, std::ptr::null(), &raw mut buffer);
        assert_eq!((refused, buffer), (vk::Result::ERROR_VALIDATION_FAILED, vk::Buffer::null()));
        let refused =
            (commands.create_buffer)(device, &raw const info, std::ptr::null(), std::ptr::null_mut());
        assert_eq!(refused, vk::Result::ERROR_VALIDATION_FAILED);
        assert_eq!((commands.get_buffer_device_address)(device, std::ptr::null()), 0);
        (commands.get_buffer_memory_requirements)(device, buffer, std::ptr::null_mut());
        // Arrays with a count; without one they may be null.
        let refused = (commands.reset_fences)(device, 2, std::ptr::null());
        assert_eq!(refused, vk::Result::ERROR_VALIDATION_FAILED);
        (commands.update_descriptor_sets)(device, 1, std::ptr::null(), 0, std::ptr::null());
        (commands.update_descriptor_sets)(device, 0, std::ptr::null(), 0, std::ptr::null());
    }
    let expected = [
        "pCreateInfo is null (VUID-vkCreateBuffer-pCreateInfo-parameter)",
        "pBuffer is null (VUID-vkCreateBuffer-pBuffer-parameter)",
        "pInfo is null (VUID-vkGetBufferDeviceAddress-pInfo-parameter)",
        "pMemoryRequirements is null (VUID-vkGetBufferMemoryRequirements-pMemoryRequirements-parameter)",
        "pFences is null (VUID-vkResetFences-pFences-parameter)",
        "pDescriptorWrites is null (VUID-vkUpdateDescriptorSets-pDescriptorWrites-parameter)",
    ];
    let messages = heard.take();
    let texts: Vec<_> = messages.iter().map(|message| message.text.as_str()).collect();
    assert!(texts.iter().zip(expected).all(|(text, expected)| text.contains(expected)), "{texts:?}");
    assert_eq!(texts.len(), expected.len());
}
