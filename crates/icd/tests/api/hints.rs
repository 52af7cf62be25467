//! What programs say about how something shall be done, and what comes of it: tilings of images, loops;
//! what formats say.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::{Compute, shader};
use pyro_test_kit::{Client, Gpu};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);

fn image(
    gpu: &Gpu,
    tiling: vk::ImageTiling,
    width: u32,
    control: Option<i32>,
) -> Result<vk::Image, vk::ErrorCode> {
    let control = control
        .map(|tiling_control| new::ImageTilingControlCreateInfoEXT { tiling_control, ..Default::default() });
    let mut info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width, height: 64, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .tiling(tiling)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)
        .build();
    info.next = control.as_ref().map_or(std::ptr::null(), |control| std::ptr::from_ref(control).cast());
    unsafe { gpu.device.create_image(&info, None) }
}

/// Rows of small images lie without gaps; fast images are as images are without the structure.
#[test]
fn images_are_small_or_fast_as_they_are_asked_to_be() {
    let mut features = new::PhysicalDeviceImageTilingControlFeaturesEXT {
        image_tiling_control: vk::TRUE,
        ..Default::default()
    };
    let extensions = [c"VK_EXT_image_tiling_control"];
    let gpu = Client::new(V1_3, &[]).device(&extensions, None, from_mut(&mut features).cast());
    let size = |width, control| unsafe {
        let image = image(&gpu, vk::ImageTiling::OPTIMAL, width, control).expect("an image");
        let size = gpu.device.get_image_memory_requirements(image).size;
        gpu.device.destroy_image(image, None);
        size
    };
    let (small, fast) =
        (new::IMAGE_TILING_CONTROL_MIN_SIZE_EXT, new::IMAGE_TILING_CONTROL_MAX_PERFORMANCE_EXT);
    for width in [1, 100, 260, 512] {
        let plain = size(width, None);
        assert_eq!(size(width, Some(new::IMAGE_TILING_CONTROL_DEFAULT_EXT)), plain);
        assert_eq!(size(width, Some(fast)), plain);
        assert!(size(width, Some(small)) <= plain);
    }
    assert_eq!(size(260, Some(small)), 260 * 64 * 4);
    assert!(size(260, None) > 260 * 64 * 4);
    for control in [3, -1, i32::MIN] {
        assert!(image(&gpu, vk::ImageTiling::OPTIMAL, 8, Some(control)).is_err());
    }
    assert!(image(&gpu, vk::ImageTiling::LINEAR, 8, Some(small)).is_err());
    let linear = image(&gpu, vk::ImageTiling::LINEAR, 8, Some(new::IMAGE_TILING_CONTROL_DEFAULT_EXT));
    unsafe { gpu.device.destroy_image(linear.expect("an image"), None) };
}

/// Loops whose iterations may overlap as far as a hint says give what others do; it needs its feature.
#[test]
fn loops_may_have_several_wait_queues() {
    let mut features = new::PhysicalDeviceShaderMultipleWaitQueuesFeaturesQCOM {
        shader_multiple_wait_queues: vk::TRUE,
        ..Default::default()
    };
    let extensions = [c"VK_QCOM_shader_multiple_wait_queues"];
    let context = Compute::new(V1_3, &extensions, from_mut(&mut features).cast());
    let mut limits = new::PhysicalDeviceShaderMultipleWaitQueuesPropertiesQCOM::default();
    let mut properties =
        vk::PhysicalDeviceProperties2 { next: from_mut(&mut limits).cast(), ..Default::default() };
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut properties) };
    assert!(limits.max_shader_wait_queues >= 2);
    let text = shader(
        "%at = OpAccessChain %word %buffer %uint_0 %gid
         OpBranch %head
         %head = OpLabel
         %index = OpPhi %uint %uint_0 %entry %more %next
         %sum = OpPhi %uint %uint_0 %entry %added %next
         OpLoopMerge %exit %next MultipleWaitQueuesQCOM 2
         OpBranch %test
         %test = OpLabel
         %goes_on = OpULessThanEqual %bool %index %push
         OpBranchConditional %goes_on %next %exit
         %next = OpLabel
         %added = OpIAdd %uint %sum %index
         %more = OpIAdd %uint %index %uint_1
         OpBranch %head
         %exit = OpLabel
         OpStore %at %sum",
    );
    let text = text.replace(
        "OpCapability Shader",
        "OpCapability Shader OpCapability MultipleWaitQueuesQCOM
         OpExtension \"SPV_QCOM_multiple_wait_queues\"",
    );
    let buffer = context.buffer(4);
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let set = context.set(set_layout);
    context.write(set, buffer.buffer);
    let layout = context.layout(&[set_layout]);
    let pipeline = context.pipeline(layout, &text);
    context.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        context.device.cmd_bind_pipeline(commands, point, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        let pushed = 10_u32.to_ne_bytes();
        context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &pushed);
        context.device.cmd_dispatch(commands, 4, 1, 1);
    });
    assert_eq!(buffer.words(), [55; 4]);
}

/// Formats that are filtered in all dimensions are in one and two.
#[test]
fn filtered_formats_are_filtered_in_two_dimensions() {
    let client = Client::new(V1_3, &[]);
    let gpu = client.device(&[c"VK_IMG_filter_linear_2d"], None, std::ptr::null_mut());
    let (plane, all) = (
        new::FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_2D_IMG,
        vk::FormatFeatureFlags2::SAMPLED_IMAGE_FILTER_LINEAR.bits(),
    );
    for (format, is_filtered) in [
        (vk::Format::R8G8B8A8_UNORM, true),
        (vk::Format::G8_B8_R8_3PLANE_420_UNORM, true),
        (vk::Format::R32_UINT, false),
        (vk::Format::UNDEFINED, false),
    ] {
        let mut features = vk::FormatProperties3::default();
        let mut properties = vk::FormatProperties2::builder().push_next(&mut features).build();
        unsafe {
            gpu.instance.get_physical_device_format_properties2(gpu.physical_device, format, &mut properties);
        }
        for features in [features.linear_tiling_features, features.optimal_tiling_features] {
            assert_eq!([plane, all].map(|bit| features.bits() & bit != 0), [is_filtered; 2], "{format:?}");
        }
        assert_eq!(features.buffer_features.bits() & plane, 0);
    }
}
