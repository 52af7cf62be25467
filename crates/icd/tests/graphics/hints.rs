//! What drivers may take as hints, or do later than they could: stripes of render passes, priorities of
//! dispatches, pipelines that meet no micromaps, diagnostics.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, adding};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvComputeOccupancyPriorityExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);

#[test]
fn stripes_signal_semaphores() {
    let mut stripes = vk::PhysicalDeviceRenderPassStripedFeaturesARM::builder().render_pass_striped(true);
    let mut core =
        vk::PhysicalDeviceVulkan13Features::builder().dynamic_rendering(true).synchronization2(true);
    core.next = (&raw mut stripes).cast();
    let client = Client::new(V1_3, &[]);
    let gpu = client.device(&[c"VK_ARM_render_pass_striped"], None, (&raw mut core).cast());
    let compute = Compute::from(gpu);
    let device = &compute.device;
    let stripe = |y: i32| vk::RenderPassStripeInfoARM {
        stripe_area: vk::Rect2D {
            offset: vk::Offset2D { x: 0, y },
            extent: vk::Extent2D { width: 16, height: 8 },
        },
        ..Default::default()
    };
    let area = vk::Rect2D { extent: vk::Extent2D { width: 16, height: 16 }, ..Default::default() };
    let record = |infos: &[vk::RenderPassStripeInfoARM]| unsafe {
        let commands = compute.command_buffer();
        let mut begin = vk::RenderPassStripeBeginInfoARM::builder().stripe_infos(infos);
        let info = vk::RenderingInfo::builder().render_area(area).layer_count(1).push_next(&mut begin);
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        device.cmd_begin_rendering(commands, &info);
        device.cmd_end_rendering(commands);
        device.end_command_buffer(commands).map(|()| commands)
    };
    assert!(record(&[stripe(0), stripe(7)]).is_err(), "they overlap");
    assert!(record(&[stripe(0); 65]).is_err(), "there are too many");
    let commands = record(&[stripe(0), stripe(8)]).expect("recorded");
    let semaphores = [(); 2].map(|()| {
        unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }.expect("a semaphore")
    });
    let infos = semaphores.map(|semaphore| vk::SemaphoreSubmitInfo::builder().semaphore(semaphore).build());
    let mut submitted = vk::RenderPassStripeSubmitInfoARM::builder().stripe_semaphore_infos(&infos);
    let buffer = vk::CommandBufferSubmitInfo::builder().command_buffer(commands).push_next(&mut submitted);
    let first = vk::SubmitInfo2::builder().command_buffer_infos(slice::from_ref(&buffer));
    let second = vk::SubmitInfo2::builder().wait_semaphore_infos(&infos);
    unsafe {
        device.queue_submit2(compute.queue, &[first], vk::Fence::null()).expect("submitted");
        // It would wait for ever.
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        device.queue_submit2(compute.queue, &[second], fence).expect("submitted");
        let waited = device.wait_for_fences(&[fence], true, 10_000_000_000).expect("no loss");
        assert_eq!(waited, vk::SuccessCode::SUCCESS);
        device.destroy_fence(fence, None);
        semaphores.iter().for_each(|&semaphore| device.destroy_semaphore(semaphore, None));
    }
}

#[test]
fn dispatches_have_priorities() {
    let mut feature =
        vk::PhysicalDeviceComputeOccupancyPriorityFeaturesNV::builder().compute_occupancy_priority(true);
    let next = (&raw mut *feature).cast();
    let compute = Compute::new(V1_3, &[c"VK_NV_compute_occupancy_priority"], next);
    let device = &compute.device;
    let set_layout = compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set, words) = (compute.layout(&[set_layout]), compute.set(set_layout), compute.buffer(4));
    compute.write(set, words.buffer);
    let pipeline = compute.pipeline(layout, &adding());
    let record = |occupancy_priority: f32| unsafe {
        let commands = compute.command_buffer();
        let parameters = vk::ComputeOccupancyPriorityParametersNV {
            occupancy_priority,
            occupancy_throttling: 1.0,
            ..Default::default()
        };
        let point = vk::PipelineBindPoint::COMPUTE;
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        device.cmd_set_compute_occupancy_priority_nv(commands, &parameters);
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, layout, stages, 0, &5_u32.to_ne_bytes());
        device.cmd_dispatch(commands, 4, 1, 1);
        device.end_command_buffer(commands).map(|()| commands)
    };
    assert!(record(1.5).is_err());
    compute.submit_and_wait(record(0.25).expect("recorded"));
    assert_eq!(words.words(), [5; 4]);
}

#[test]
fn pipelines_may_meet_no_micromaps() {
    let mut micromaps =
        vk::PhysicalDevicePipelineOpacityMicromapFeaturesARM::builder().pipeline_opacity_micromap(true);
    let mut maintenance = vk::PhysicalDeviceMaintenance5FeaturesKHR::builder().maintenance5(true);
    maintenance.next = (&raw mut *micromaps).cast();
    let extensions = [
        c"VK_ARM_pipeline_opacity_micromap",
        c"VK_EXT_opacity_micromap",
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
        c"VK_KHR_maintenance5",
    ];
    let compute = Compute::new(V1_3, &extensions, (&raw mut *maintenance).cast());
    let device = &compute.device;
    let set_layout = compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set, words) = (compute.layout(&[set_layout]), compute.set(set_layout), compute.buffer(4));
    compute.write(set, words.buffer);
    let module = compute.shader_module(&adding());
    let stage = vk::PipelineShaderStageCreateInfo::builder()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(b"main\0");
    let mut flags = vk::PipelineCreateFlags2CreateInfo::builder()
        .flags(vk::PipelineCreateFlags2::DISALLOW_OPACITY_MICROMAP_ARM);
    let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout).push_next(&mut flags);
    let point = vk::PipelineBindPoint::COMPUTE;
    unsafe {
        let (pipelines, _) = device
            .create_compute_pipelines(vk::PipelineCache::null(), &[info], None)
            .expect("a pipeline with the flag");
        let commands = compute.command_buffer();
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        device.cmd_bind_pipeline(commands, point, pipelines[0]);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, layout, stages, 0, &3_u32.to_ne_bytes());
        device.cmd_dispatch(commands, 4, 1, 1);
        device.end_command_buffer(commands).expect("recorded");
        compute.submit_and_wait(commands);
        assert_eq!(words.words(), [3; 4]);
        device.destroy_pipeline(pipelines[0], None);
        device.destroy_shader_module(module, None);
    }
}

#[test]
fn diagnostics_are_configured() {
    let mut feature = vk::PhysicalDeviceDiagnosticsConfigFeaturesNV::builder().diagnostics_config(true);
    let mut config =
        vk::DeviceDiagnosticsConfigCreateInfoNV::builder().flags(vk::DeviceDiagnosticsConfigFlagsNV::all());
    config.next = (&raw mut *feature).cast();
    let next = (&raw mut *config).cast();
    let compute = Compute::new(V1_3, &[c"VK_NV_device_diagnostics_config"], next);
    assert_eq!(compute.buffer(1).words(), [0]);
}
