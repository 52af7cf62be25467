//! What later versions change in commands that were there before.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_4::*;
use vulkanalia::vk::ExtPageableDeviceLocalMemoryExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);

/// Stores the pushed word at the invocation's place.
const STORE: &str = "
    %place = OpAccessChain %word %buffer %uint_0 %gid
             OpStore %place %push";

#[test]
fn each_binding_has_its_status() {
    let context = Compute::new(V1_3, &[c"VK_KHR_maintenance6"], std::ptr::null_mut());
    let device = &context.device;
    unsafe {
        let info = vk::BufferCreateInfo::builder().size(64).usage(vk::BufferUsageFlags::TRANSFER_SRC);
        let buffers = [(); 2].map(|()| device.create_buffer(&info, None).expect("a buffer"));
        let info = vk::MemoryAllocateInfo::builder().allocation_size(128);
        let memory = device.allocate_memory(&info, None).expect("memory");
        let mut results = [vk::Result::NOT_READY; 2];
        let [first, second] = &mut results;
        let mut statuses =
            [first, second].map(|result| vk::BindMemoryStatus::builder().result(result).build());
        let mut infos =
            buffers.map(|buffer| vk::BindBufferMemoryInfo::builder().buffer(buffer).memory(memory).build());
        infos[0].memory_offset = 1; // not aligned
        for (info, status) in infos.iter_mut().zip(&mut statuses) {
            info.next = std::ptr::from_mut(status).cast();
        }
        assert!(device.bind_buffer_memory2(&infos).is_err());
        assert_eq!(results, [vk::Result::ERROR_VALIDATION_FAILED, vk::Result::SUCCESS]);
        buffers.iter().for_each(|&buffer| device.destroy_buffer(buffer, None));
        device.free_memory(memory, None);
    }
}

#[test]
fn extensible_commands_bind_and_push() {
    let extensions = [c"VK_KHR_maintenance6", c"VK_KHR_push_descriptor"];
    let context = Compute::new(V1_3, &extensions, std::ptr::null_mut());
    let get = |name: &std::ffi::CStr| unsafe {
        let found =
            (context.instance.commands().get_device_proc_addr)(context.device.handle(), name.as_ptr());
        found.unwrap_or_else(|| panic!("{name:?}"))
    };
    let stages = vk::ShaderStageFlags::COMPUTE;
    let storage = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let (bound, pushed) = (context.buffer(4), context.buffer(4));
    for (push, target, word) in [(false, bound, 77_u32), (true, pushed, 88)] {
        let flags = if push {
            vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR
        } else {
            vk::DescriptorSetLayoutCreateFlags::empty()
        };
        let set_layout = context.set_layout(flags, &storage);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &shader(STORE));
        let set = (!push).then(|| context.set(set_layout));
        set.iter().for_each(|&set| context.write(set, target.buffer));
        context.run(|commands| unsafe {
            let bind: vk::PFN_vkCmdBindDescriptorSets2 =
                std::mem::transmute(get(c"vkCmdBindDescriptorSets2KHR"));
            let push_constants: vk::PFN_vkCmdPushConstants2 =
                std::mem::transmute(get(c"vkCmdPushConstants2KHR"));
            let push_set: vk::PFN_vkCmdPushDescriptorSet2 =
                std::mem::transmute(get(c"vkCmdPushDescriptorSet2KHR"));
            context.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            if let Some(set) = set {
                let info = vk::BindDescriptorSetsInfo::builder()
                    .stage_flags(stages)
                    .layout(layout)
                    .descriptor_sets(slice::from_ref(&set));
                bind(commands, &*info);
            } else {
                let info =
                    vk::DescriptorBufferInfo { buffer: target.buffer, offset: 0, range: vk::WHOLE_SIZE };
                let write = vk::WriteDescriptorSet::builder()
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(slice::from_ref(&info));
                let info = vk::PushDescriptorSetInfo::builder()
                    .stage_flags(stages)
                    .layout(layout)
                    .descriptor_writes(slice::from_ref(&write));
                push_set(commands, &*info);
            }
            let bytes = word.to_ne_bytes();
            let info = vk::PushConstantsInfo::builder().layout(layout).stage_flags(stages).values(&bytes);
            push_constants(commands, &*info);
            context.device.cmd_dispatch(commands, 3, 1, 1);
        });
        assert_eq!(target.words(), [word, word, word, 0]);
    }
}

#[test]
fn flags_2_override_32_bit_flags() {
    let context = Compute::new(V1_3, &[c"VK_KHR_maintenance5"], std::ptr::null_mut());
    let device = &context.device;
    let layout = context.layout(&[]);
    let text = shader("");
    let words = pyro_spirv::asm::assemble(&text).expect("assembly");
    unsafe {
        let mut module = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .name(b"main\0")
            .push_next(&mut module);
        let mut flags = vk::PipelineCreateFlags2CreateInfo::builder()
            .flags(vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout).push_next(&mut flags);
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None);
        assert_eq!(made.map(|(_, code)| code), Ok(vk::SuccessCode::PIPELINE_COMPILE_REQUIRED));
    }
}

/// Whether structures that say the same do.
#[test]
fn chains_are_answered_throughout() {
    let client = Client::new(V1_3, &[]);
    let (instance, physical_device) = (&client.instance, client.physical_device);
    unsafe {
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut v14 = vk::PhysicalDeviceVulkan14Features::default();
        let mut maintenance4 = vk::PhysicalDeviceMaintenance4Features::default();
        let mut maintenance5 = vk::PhysicalDeviceMaintenance5Features::default();
        let mut maintenance6 = vk::PhysicalDeviceMaintenance6Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::builder()
            .push_next(&mut v13)
            .push_next(&mut v14)
            .push_next(&mut maintenance4)
            .push_next(&mut maintenance5)
            .push_next(&mut maintenance6)
            .build();
        instance.get_physical_device_features2(physical_device, &mut features);
        assert_eq!(features.features.robust_buffer_access, vk::TRUE);
        assert_eq!((v13.maintenance4, maintenance4.maintenance4), (vk::TRUE, vk::TRUE));
        assert_eq!((v14.maintenance5, maintenance5.maintenance5), (vk::TRUE, vk::TRUE));
        assert_eq!((v14.maintenance6, maintenance6.maintenance6), (vk::TRUE, vk::TRUE));

        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut v14 = vk::PhysicalDeviceVulkan14Properties::default();
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut push = vk::PhysicalDevicePushDescriptorProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::builder()
            .push_next(&mut v13)
            .push_next(&mut v14)
            .push_next(&mut sizes)
            .push_next(&mut push)
            .build();
        instance.get_physical_device_properties2(physical_device, &mut properties);
        assert!(sizes.max_subgroup_size >= sizes.min_subgroup_size && sizes.min_subgroup_size > 0);
        assert_eq!(v13.max_subgroup_size, sizes.max_subgroup_size);
        assert_eq!(v14.max_push_descriptors, push.max_push_descriptors);
        assert_ne!(push.max_push_descriptors, 0);

        let mut priorities = vk::QueueFamilyGlobalPriorityProperties::default();
        let mut family = vk::QueueFamilyProperties2::builder().push_next(&mut priorities).build();
        (instance.commands().get_physical_device_queue_family_properties2)(
            physical_device,
            &mut 1,
            &mut family,
        );
        assert_eq!(priorities.priority_count, 2);
        assert_eq!(priorities.priorities[1], vk::QueueGlobalPriority::MEDIUM);
    }
}

#[test]
fn memory_is_zeros_and_has_priorities() {
    let extensions = [c"VK_EXT_zero_initialize_device_memory", c"VK_EXT_pageable_device_local_memory"];
    let mut zeros = vk::PhysicalDeviceZeroInitializeDeviceMemoryFeaturesEXT::builder()
        .zero_initialize_device_memory(true)
        .build();
    let context = Compute::new(V1_3, &extensions, std::ptr::from_mut(&mut zeros).cast());
    let device = &context.device;
    // Of both kinds: from the allocator, after somebody else's use, and pages of its own.
    for size in [256, 4 << 20] {
        for _ in 0..3 {
            unsafe {
                let mut flags = vk::MemoryAllocateFlagsInfo::builder()
                    .flags(vk::MemoryAllocateFlags::ZERO_INITIALIZE_EXT);
                let info = vk::MemoryAllocateInfo::builder().allocation_size(size).push_next(&mut flags);
                let memory = device.allocate_memory(&info, None).expect("memory");
                device.set_device_memory_priority_ext(memory, 0.25);
                let flags = vk::MemoryMapFlags::empty();
                let mapped =
                    device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u8>();
                let bytes = slice::from_raw_parts_mut(mapped, size as usize);
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(0xff);
                device.free_memory(memory, None);
            }
        }
    }
}

/// What buffers and images will need of memory is known before there are any (`VK_KHR_maintenance4`).
#[test]
fn objects_need_what_was_told_before() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let device = &context.device;
    let buffer_info =
        vk::BufferCreateInfo::builder().size(12_345).usage(vk::BufferUsageFlags::STORAGE_BUFFER).build();
    let image_info = vk::ImageCreateInfo {
        image_type: vk::ImageType::_2D,
        format: vk::Format::R8G8B8A8_UNORM,
        extent: vk::Extent3D { width: 77, height: 13, depth: 1 },
        mip_levels: 3,
        array_layers: 5,
        samples: vk::SampleCountFlags::_1,
        usage: vk::ImageUsageFlags::SAMPLED,
        ..Default::default()
    };
    unsafe {
        let mut told = vk::MemoryRequirements2::default();
        let info = vk::DeviceBufferMemoryRequirements::builder().create_info(&buffer_info);
        device.get_device_buffer_memory_requirements(&info, &mut told);
        let buffer = device.create_buffer(&buffer_info, None).expect("a buffer");
        assert_eq!(told.memory_requirements, device.get_buffer_memory_requirements(buffer));
        assert!(told.memory_requirements.size >= 12_345);
        let info = vk::DeviceImageMemoryRequirements::builder().create_info(&image_info);
        device.get_device_image_memory_requirements(&info, &mut told);
        let image = device.create_image(&image_info, None).expect("an image");
        assert_eq!(told.memory_requirements, device.get_image_memory_requirements(image));
        device.destroy_buffer(buffer, None);
        device.destroy_image(image, None);
    }
}
