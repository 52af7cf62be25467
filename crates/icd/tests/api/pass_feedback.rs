//! What became of subpasses (`VK_EXT_subpass_merge_feedback`), and memory with the names of
//! `VK_AMD_device_coherent_memory`.

use pyro_test_kit::compute::{Compute, adding};
use std::ptr::{from_mut, from_ref};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::SubpassMergeStatusEXT as Status;

/// What the subpasses of a render pass are told: status and index of each, and how many are left. Merging may
/// be disallowed for all, or for one.
fn feedback(context: &Compute, count: usize, all: bool, one: Option<usize>) -> (Vec<(Status, u32)>, u32) {
    let control = |disallows: bool| vk::RenderPassCreationControlEXT {
        disallow_merging: disallows.into(),
        ..Default::default()
    };
    let controls: Vec<_> = (0..count).map(|index| control(one == Some(index))).collect();
    let empty = vk::RenderPassSubpassFeedbackInfoEXT {
        subpass_merge_status: Status::MERGED,
        description: vk::StringArray::from_bytes(b"?"),
        post_merge_index: 77,
    };
    let mut told = vec![empty; count];
    let infos: Vec<_> = told
        .iter_mut()
        .zip(&controls)
        .map(|(told, control)| vk::RenderPassSubpassFeedbackCreateInfoEXT {
            next: from_ref(control).cast(),
            subpass_feedback: told,
            ..Default::default()
        })
        .collect();
    let subpasses: Vec<_> = infos
        .iter()
        .map(|info| vk::SubpassDescription2 {
            next: from_ref(info).cast(),
            pipeline_bind_point: vk::PipelineBindPoint::GRAPHICS,
            ..Default::default()
        })
        .collect();
    let own = control(all);
    let mut left = vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: 99 };
    let feedback = vk::RenderPassCreationFeedbackCreateInfoEXT {
        next: from_ref(&own).cast(),
        render_pass_feedback: &mut left,
        ..Default::default()
    };
    let info = vk::RenderPassCreateInfo2 {
        next: from_ref(&feedback).cast(),
        subpass_count: count as u32,
        subpasses: subpasses.as_ptr(),
        ..Default::default()
    };
    unsafe {
        let pass = context.device.create_render_pass2(&info, None).expect("a render pass");
        context.device.destroy_render_pass(pass, None);
    }
    assert!(told.iter().all(|one| one.description.as_bytes() != b"?"));
    (
        told.iter().map(|one| (one.subpass_merge_status, one.post_merge_index)).collect(),
        left.post_merge_subpass_count,
    )
}

#[test]
fn subpasses_are_told_that_they_are_not_merged() {
    let mut features =
        vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::builder().subpass_merge_feedback(true).build();
    let extensions = [c"VK_EXT_subpass_merge_feedback"];
    let context = Compute::new(vk::make_version(1, 3, 0), &extensions, from_mut(&mut features).cast());
    let unmerged = Status::NOT_MERGED_UNSPECIFIED;
    let single = Status::NOT_MERGED_SINGLE_SUBPASS;
    let disallowed = Status::DISALLOWED;
    assert_eq!(feedback(&context, 1, false, None), (vec![(single, 0)], 1));
    assert_eq!(feedback(&context, 2, false, None), (vec![(unmerged, 0), (unmerged, 1)], 2));
    assert_eq!(feedback(&context, 2, false, Some(1)), (vec![(unmerged, 0), (disallowed, 1)], 2));
    assert_eq!(feedback(&context, 2, true, None), (vec![(disallowed, 0), (disallowed, 1)], 2));
}

#[test]
fn device_coherent_memory_is_computed_in() {
    let mut features =
        vk::PhysicalDeviceCoherentMemoryFeaturesAMD::builder().device_coherent_memory(true).build();
    let extensions = [c"VK_AMD_device_coherent_memory"];
    let context = Compute::new(vk::make_version(1, 3, 0), &extensions, from_mut(&mut features).cast());
    let device = &context.device;
    let properties =
        unsafe { context.instance.get_physical_device_memory_properties(context.physical_device) };
    let types = &properties.memory_types[..properties.memory_type_count as usize];
    let coherent = vk::MemoryPropertyFlags::DEVICE_COHERENT_AMD | vk::MemoryPropertyFlags::HOST_VISIBLE;
    let kind = types.iter().position(|one| one.property_flags.contains(coherent)).expect("a memory type");
    // Who does not know of it finds another first.
    let known = vk::MemoryPropertyFlags::DEVICE_LOCAL | vk::MemoryPropertyFlags::HOST_VISIBLE;
    let first = types.iter().position(|one| one.property_flags.contains(known)).expect("a memory type");
    assert!(
        first < kind && !types[first].property_flags.contains(vk::MemoryPropertyFlags::DEVICE_COHERENT_AMD)
    );
    let info = vk::BufferCreateInfo::builder().size(64).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let (buffer, memory, words) = unsafe {
        let buffer = device.create_buffer(&info, None).expect("a buffer");
        let needs = device.get_buffer_memory_requirements(buffer);
        assert_ne!(needs.memory_type_bits & 1 << kind, 0);
        let info =
            vk::MemoryAllocateInfo::builder().allocation_size(needs.size).memory_type_index(kind as u32);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        let flags = vk::MemoryMapFlags::empty();
        let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast::<u32>();
        (buffer, memory, words)
    };
    (0..16).for_each(|index| unsafe { words.add(index).write_volatile(index as u32) });
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (set, layout) = (context.set(set_layout), context.layout(&[set_layout]));
    context.write(set, buffer);
    let pipeline = context.pipeline(layout, &adding());
    context.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &100u32.to_le_bytes());
        device.cmd_dispatch(commands, 16, 1, 1);
    });
    let found: Vec<u32> = (0..16).map(|index| unsafe { words.add(index).read_volatile() }).collect();
    assert_eq!(found, (100..116).collect::<Vec<u32>>());
    unsafe {
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        // There are no more types.
        let info =
            vk::MemoryAllocateInfo::builder().allocation_size(64).memory_type_index(types.len() as u32);
        device.allocate_memory(&info, None).expect_err("no such type");
    }
}
