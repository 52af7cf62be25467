//! The sanitizer through the entry points: where findings go, what caches keep, and that nothing changes when
//! it is off. What it finds is tested by `testing/sanitizer`.

use crate::one_shader;
use pyro_test_environment::{in_child, output_of_child};
use pyro_test_kit::compute::{Compute, adding, shader};
use pyro_test_kit::graphics::{Context, GENERAL, SIZE, area};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDebugUtilsExtensionInstanceCommands as _, KhrCopyMemoryIndirectExtensionDeviceCommands as _,
};

/// Shifts by the first word of the buffer, in line 7 of a file.
const SHIFT: &str = "
    OpLine %file 7 3
    %first = OpAccessChain %word %buffer %uint_0 %uint_0
    %amount = OpLoad %uint %first
    %shifted = OpShiftLeftLogical %uint %uint_1 %amount
    %second = OpAccessChain %word %buffer %uint_0 %uint_1
    OpStore %second %shifted";

fn text() -> String {
    shader(SHIFT).replace("OpDecorate %id BuiltIn", "%file = OpString \"shift.comp\"\nOpDecorate %id BuiltIn")
}

/// Runs the shader on a buffer whose first word is 33; gives the second, and the data of a pipeline cache.
fn run() -> (u32, Vec<u8>) {
    one_shader::run(&text(), 33, 3)
}

/// Prints what the shader leaves and a digest of the cache's data, for the tests below.
#[test]
fn shift_for_other_tests() {
    if !pyro_test_environment::is_child() {
        return;
    }
    let (word, data) = run();
    let digest = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    println!("left {word} cache {} {digest:x}", data.len());
}

/// What the test above prints, and its standard error.
fn output(environment: &[(&str, &str)]) -> (String, String) {
    let output = output_of_child(module_path!(), "shift_for_other_tests", environment);
    let [printed, errors] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{errors}");
    // The test runner writes in front of it.
    let line = printed.lines().find_map(|line| line.find("left ").map(|at| line[at..].to_owned()));
    (line.expect("what the test prints"), errors)
}

#[test]
fn code_and_caches_are_the_same_when_it_is_off() {
    let (plain, _) = output(&[]);
    assert!(plain.starts_with("left 2 "), "{plain}");
    let (off, errors) = output(&[("PYROCLAST_SANITIZE", "none")]);
    assert_eq!(plain, off);
    assert!(!errors.contains("shift-width"));
    let (on, _) = output(&[("PYROCLAST_SANITIZE", "shift-width")]);
    assert_ne!(plain, on);
    // The result is the same.
    assert_eq!(on.split(' ').nth(1), Some("2"));
}

#[test]
fn findings_are_on_standard_error_once() {
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "undefined")]);
    assert_eq!(errors.matches("error[shift-width]").count(), 1, "{errors}");
    for part in ["shift.comp:7:3 (compute shader \"main\")", "shift: 33", "local (0, 0, 0)"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "undefined,-shift-width")]);
    assert!(!errors.contains("shift-width"), "{errors}");
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "shift-widths")]);
    assert!(errors.contains("\"shift-widths\" is not a kind of finding"), "{errors}");
}

#[test]
fn code_from_caches_knows_its_lines() {
    let folder = std::env::temp_dir().join(format!("pyroclast-sanitizer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.display().to_string();
    for _ in 0..2 {
        let (_, errors) = output(&[("PYROCLAST_SANITIZE", "all"), ("PYROCLAST_CACHE_DIR", &path)]);
        assert!(errors.contains("shift.comp:7:3"), "{errors}");
    }
    // Code with checks is not what a process without them takes from the same folder.
    let (plain, errors) = output(&[("PYROCLAST_CACHE_DIR", &path)]);
    assert!(plain.starts_with("left 2 ") && !errors.contains("shift-width"), "{errors}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn counts_are_written_at_the_end() {
    let path = std::env::temp_dir().join(format!("pyroclast-findings-{}.json", std::process::id()));
    let file = path.display().to_string();
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "all"), ("PYROCLAST_SANITIZE_OUTPUT", &file)]);
    assert!(!errors.contains("shift-width"), "{errors}");
    let text = std::fs::read_to_string(&path).expect("findings");
    std::fs::remove_file(&path).expect("removed");
    // Besides, all invocations store to one word.
    let lines: Vec<_> = text.lines().collect();
    let finding = lines.iter().find(|line| line.contains("\"kind\": \"shift-width\"")).expect("the finding");
    let id = finding.split([':', ',']).nth(1).expect("its id").trim();
    assert!(lines.contains(&format!("{{\"id\": {id}, \"count\": 3}}").as_str()), "{text}");
    assert!(text.contains("\"kind\": \"race-buffer\""), "{text}");
}

#[test]
fn findings_are_told_to_messengers() {
    let environment = [("PYROCLAST_SANITIZE", "unreachable")];
    if !in_child(module_path!(), "findings_are_told_to_messengers", &environment) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 2, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let compute = Compute::from(client.device(&[], None, std::ptr::null_mut()));
    let pipeline = compute.pipeline(
        compute.layout(&[]),
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 1 1 1
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %main = OpFunction %void None %fn
         %entry = OpLabel
         OpUnreachable
         OpFunctionEnd",
    );
    let name = vk::DebugUtilsObjectNameInfoEXT::builder()
        .object_type(vk::ObjectType::PIPELINE)
        .object_handle(pipeline.as_raw())
        .object_name(b"shading\0");
    unsafe { compute.instance.set_debug_utils_object_name_ext(compute.device.handle(), &name) }
        .expect("named");
    for _ in 0..2 {
        compute.run(|commands| unsafe {
            compute.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            compute.device.cmd_dispatch(commands, 5, 1, 1);
        });
    }
    let heard = heard.take();
    let [message] = &heard[..] else { panic!("one message: {heard:?}") };
    assert_eq!(message.id, "PYROCLAST-SANITIZER-unreachable");
    let text = &message.text;
    assert!(text.contains("OpUnreachable (word ") && text.contains("in function"), "{text}");
    assert!(text.contains("of the pipeline \"shading\""), "{text}");
}

#[test]
fn copies_with_regions_in_memory_are_followed() {
    let environment = [("PYROCLAST_SANITIZE", "race-command-buffer")];
    if !in_child(module_path!(), "copies_with_regions_in_memory_are_followed", &environment) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let mut copies = vk::PhysicalDeviceCopyMemoryIndirectFeaturesKHR::builder().indirect_memory_copy(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = (&raw mut copies).cast();
    let next = (&raw mut features).cast();
    let compute = Compute::from(client.device(&[c"VK_KHR_copy_memory_indirect"], None, next));
    let device = &compute.device;
    let buffer = |count| {
        let buffer = compute.buffer_with(count, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        (buffer, unsafe { device.get_buffer_device_address(&info) })
    };
    let ((source, from), (target, to), (commands, address)) = (buffer(4), buffer(4), buffer(6));
    source.put(2, 40);
    let halves = |address: u64| [address as u32, (address >> 32) as u32];
    let words = [halves(from), halves(to), [16, 0]].concat();
    words.iter().enumerate().for_each(|(index, &word)| commands.put(index, word));
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[storage]);
    let (layout, set) = (compute.layout(&[set_layout]), compute.set(set_layout));
    compute.write(set, target.buffer);
    let pipeline = compute.pipeline(layout, &adding());
    let mut counts = Vec::new();
    for is_ordered in [true, false] {
        compute.run(|recording| unsafe {
            let range = vk::StridedDeviceAddressRangeKHR { address, size: 24, stride: 24 };
            let info = vk::CopyMemoryIndirectInfoKHR::builder().copy_count(1).copy_address_range(range);
            device.cmd_copy_memory_indirect_khr(recording, &info);
            if is_ordered {
                let barrier = vk::MemoryBarrier2::builder()
                    .src_stage_mask(vk::PipelineStageFlags2::COPY)
                    .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                    .dst_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                    .dst_access_mask(
                        vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::SHADER_STORAGE_WRITE,
                    );
                let barriers = [barrier];
                let info = vk::DependencyInfo::builder().memory_barriers(&barriers);
                device.cmd_pipeline_barrier2(recording, &info);
            }
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(recording, point, pipeline);
            device.cmd_bind_descriptor_sets(recording, point, layout, 0, &[set], &[]);
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(recording, layout, stages, 0, &2_u32.to_ne_bytes());
            device.cmd_dispatch(recording, 4, 1, 1);
        });
        let messages = heard.take();
        assert!(
            messages.iter().all(|one| one.id == "PYROCLAST-SANITIZER-race-command-buffer"),
            "{messages:?}"
        );
        counts.push(messages.len());
        assert_eq!(target.words(), [2, 2, 42, 2]);
    }
    assert!(counts[0] == 0 && counts[1] > 0, "{counts:?}");
}

/// The input attachment's texel.
const READ: &str = "
    OpCapability Shader
    OpCapability InputAttachment
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %color
    OpExecutionMode %main OriginUpperLeft
    OpDecorate %color Location 0
    OpDecorate %input DescriptorSet 0
    OpDecorate %input Binding 0
    OpDecorate %input InputAttachmentIndex 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %vec4 = OpTypeVector %float 4
    %ivec2 = OpTypeVector %int 2
    %image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
    %out_vec4 = OpTypePointer Output %vec4
    %image_ptr = OpTypePointer UniformConstant %image
    %color = OpVariable %out_vec4 Output
    %input = OpVariable %image_ptr UniformConstant
    %int_0 = OpConstant %int 0
    %zero = OpConstantComposite %ivec2 %int_0 %int_0
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %loaded = OpLoad %image %input
    %texel = OpImageRead %vec4 %loaded %zero
    OpStore %color %texel
    OpReturn
    OpFunctionEnd";

/// An image of this height, its memory and its view.
pub(crate) fn image(
    context: &Context,
    height: u32,
    usage: vk::ImageUsageFlags,
) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
    let format = vk::Format::R8G8B8A8_UNORM;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(format)
        .extent(vk::Extent3D { width: SIZE, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(usage);
    unsafe {
        let image = context.device.create_image(&info, None).expect("an image");
        let size = context.device.get_image_memory_requirements(image).size;
        let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
        let memory = context.device.allocate_memory(&info, None).expect("memory");
        context.device.bind_image_memory(image, memory, 0).expect("bound");
        (image, memory, context.view(image, format))
    }
}

#[test]
fn input_attachments_are_those_of_the_rendering() {
    let environment = [("PYROCLAST_SANITIZE", "descriptor-type")];
    if !in_child(module_path!(), "input_attachments_are_those_of_the_rendering", &environment) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 3, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let mut read =
        vk::PhysicalDeviceDynamicRenderingLocalReadFeatures::builder().dynamic_rendering_local_read(true);
    let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
    dynamic.next = (&raw mut read).cast();
    let extensions = [c"VK_KHR_dynamic_rendering", c"VK_KHR_dynamic_rendering_local_read"];
    let context = Context::from(client.device(&extensions, None, (&raw mut dynamic).cast()));
    let device = &context.device;
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::INPUT_ATTACHMENT;
    let (drawn, other) = (image(&context, SIZE, usage), image(&context, SIZE, usage));
    let binding = vk::DescriptorSetLayoutBinding::builder()
        .descriptor_type(vk::DescriptorType::INPUT_ATTACHMENT)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT);
    let bindings = [binding];
    let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
    let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
    let sizes = [vk::DescriptorPoolSize { type_: vk::DescriptorType::INPUT_ATTACHMENT, descriptor_count: 2 }];
    let info = vk::DescriptorPoolCreateInfo::builder().max_sets(2).pool_sizes(&sizes);
    let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
    let layouts = [set_layout; 2];
    let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
    let sets = unsafe { device.allocate_descriptor_sets(&info) }.expect("sets");
    let (pipeline, layout) = context.pipeline_with(vk::Format::R8G8B8A8_UNORM, READ, &[set_layout]);
    let mut messages = Vec::new();
    for (set, view) in [(sets[0], drawn.2), (sets[1], other.2)] {
        let image = vk::DescriptorImageInfo { image_view: view, image_layout: GENERAL, ..Default::default() };
        let images = [image];
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::INPUT_ATTACHMENT)
            .image_info(&images);
        let target = vk::RenderingAttachmentInfo::builder()
            .image_view(drawn.2)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        let targets = [target];
        let info =
            vk::RenderingInfo::builder().render_area(area()).layer_count(1).color_attachments(&targets);
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_end_rendering(commands);
        });
        messages.push(heard.take());
    }
    assert!(messages[0].is_empty(), "{messages:?}");
    let [message] = &messages[1][..] else { panic!("one message: {messages:?}") };
    assert_eq!(message.id, "PYROCLAST-SANITIZER-descriptor-type");
    assert!(message.text.contains("not the input attachment of the subpass"), "{}", message.text);
    unsafe {
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
        for (image, memory, view) in [drawn, other] {
            device.destroy_image_view(view, None);
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
    }
}
