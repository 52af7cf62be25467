//! Commands and structures of small extensions: names and labels, checkpoints, faults, indirect copies,
//! identifiers of pipelines, memory of descriptor sets, products of matrices, wide flags, and what queues and
//! formats say.

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::{Buffer, Compute, adding, shader};
use pyro_test_kit::{Client, Gpu};
use std::ffi::CStr;
use std::mem::transmute;
use std::ptr::{from_mut, null_mut};
use vulkanalia::prelude::v1_4::*;
use vulkanalia::vk::{
    ExtDebugMarkerExtensionDeviceCommands as _, ExtHeadlessSurfaceExtensionInstanceCommands as _,
    KhrSurfaceExtensionInstanceCommands as _, NvCopyMemoryIndirectExtensionDeviceCommands as _,
    NvDeviceDiagnosticCheckpointsExtensionDeviceCommands as _,
    QcomTilePropertiesExtensionDeviceCommands as _,
    ValveDescriptorSetHostMappingExtensionDeviceCommands as _,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const V1_4: u32 = vk::make_version(1, 4, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// A set of one storage buffer, its layout, and the layout of pipelines with it.
fn set_of(
    context: &Compute,
    buffer: &Buffer,
) -> (vk::DescriptorSet, vk::DescriptorSetLayout, vk::PipelineLayout) {
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let set = context.set(set_layout);
    context.write(set, buffer.buffer);
    (set, set_layout, context.layout(&[set_layout]))
}

fn dispatch(
    context: &Compute,
    commands: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    count: u32,
) {
    let device = &context.device;
    unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &5_u32.to_ne_bytes());
        device.cmd_dispatch(commands, count, 1, 1);
    }
}

/// The name of an object is in messages about it, whichever extension gave it.
#[test]
fn debug_markers_name_objects() {
    let mut client = Client::new(V1_3, &[c"VK_EXT_debug_utils", c"VK_EXT_debug_report"]);
    let messages = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let gpu = client.device(&[c"VK_EXT_debug_marker"], None, null_mut());
    let info = vk::BufferCreateInfo::builder().size(64).usage(vk::BufferUsageFlags::TRANSFER_DST);
    unsafe {
        let buffer = gpu.device.create_buffer(&info, None).expect("a buffer");
        let memory = gpu.mapped_memory(gpu.device.get_buffer_memory_requirements(buffer)).0;
        let handle = gpu.device.handle().as_raw() as u64;
        let set_name = |name: &[u8]| {
            let info = vk::DebugMarkerObjectNameInfoEXT::builder()
                .object_type(vk::DebugReportObjectTypeEXT::DEVICE)
                .object(handle)
                .object_name(name);
            gpu.device.debug_marker_set_object_name_ext(&info).expect("named");
        };
        for (name, heard) in [(&b"marked\0"[..], Some("marked")), (b"\0", None)] {
            set_name(name);
            assert!(gpu.device.bind_buffer_memory(buffer, memory, 1).is_err());
            let all = messages.take();
            let mut objects = all.iter().flat_map(|message| &message.objects);
            let named = objects.find(|object| object.1 == handle);
            assert_eq!(named.unwrap_or_else(|| panic!("{all:?}")).2.as_deref(), heard);
        }
        let tag = vk::DebugMarkerObjectTagInfoEXT::builder().object(buffer.as_raw()).tag(&[1]);
        gpu.device.debug_marker_set_object_tag_ext(&tag).expect("tagged");
        gpu.run(|commands| {
            let marker = vk::DebugMarkerMarkerInfoEXT::builder().marker_name(b"part\0");
            gpu.device.cmd_debug_marker_begin_ext(commands, &marker);
            gpu.device.cmd_debug_marker_insert_ext(commands, &marker);
            gpu.device.cmd_debug_marker_end_ext(commands);
        });
        assert!(messages.take().is_empty());
        gpu.device.destroy_buffer(buffer, None);
        gpu.device.free_memory(memory, None);
    }
}

/// Copies read their commands when they run, and lie so many bytes apart.
#[test]
fn indirect_copies_of_the_first_kind() {
    let mut copies = vk::PhysicalDeviceCopyMemoryIndirectFeaturesNV::builder().indirect_copy(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = from_mut(&mut copies).cast();
    let context = Compute::new(V1_3, &[c"VK_NV_copy_memory_indirect"], from_mut(&mut features).cast());
    let buffer = |words: &[u32]| {
        let buffer = context.buffer_with(words.len(), vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        (buffer, unsafe { context.device.get_buffer_device_address(&info) })
    };
    let halves = |address: u64| [address as u32, (address >> 32) as u32];
    let (_source, from) = buffer(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let (target, to) = buffer(&[0; 8]);
    let copy = |from: u64, to: u64, size: u32| [halves(from), halves(to), [size, 0], [99, 99]].concat();
    let (_commands, address) = buffer(&[copy(from, to + 16, 8), copy(from + 20, to, 12)].concat());
    context.run(|commands| unsafe {
        context.device.cmd_copy_memory_indirect_nv(commands, address, 2, 32);
    });
    assert_eq!(target.words(), [6, 7, 8, 0, 1, 2, 0, 0]);

    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R32_UINT)
        .extent(vk::Extent3D { width: 4, height: 2, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    let region = [halves(from), [0, 0], [1, 0], [0, 1], [0, 0], [0, 4], [2, 1]].concat();
    let (_regions, address) = buffer(&region);
    let subresource = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    };
    let (read, _) = buffer(&[0; 8]);
    unsafe {
        let image = context.device.create_image(&info, None).expect("an image");
        let memory = context.mapped_memory(context.device.get_image_memory_requirements(image)).0;
        context.device.bind_image_memory(image, memory, 0).expect("bound");
        context.run(|commands| {
            let layout = vk::ImageLayout::GENERAL;
            context.device.cmd_copy_memory_to_image_indirect_nv(
                commands,
                address,
                1,
                56,
                image,
                layout,
                &[subresource],
            );
            let region = vk::BufferImageCopy::builder()
                .image_subresource(subresource)
                .image_extent(vk::Extent3D { width: 4, height: 2, depth: 1 });
            context.device.cmd_copy_image_to_buffer(commands, image, layout, read.buffer, &[region]);
        });
        context.device.destroy_image(image, None);
        context.device.free_memory(memory, None);
    }
    assert_eq!(read.words(), (1..=8).collect::<Vec<u32>>());
}

/// Pipelines made from the same have the same identifier, others another one; without the feature there is
/// none.
#[test]
fn pipelines_have_identifiers() {
    for enabled in [true, false] {
        let mut features = vk::PhysicalDevicePipelinePropertiesFeaturesEXT::builder()
            .pipeline_properties_identifier(enabled);
        let context = Compute::new(V1_3, &[c"VK_EXT_pipeline_properties"], from_mut(&mut features).cast());
        let buffer = context.buffer(4);
        let (_, _, layout) = set_of(&context, &buffer);
        let other = shader("%at = OpAccessChain %word %buffer %uint_0 %gid\nOpStore %at %push");
        let query: vk::PFN_vkGetPipelinePropertiesEXT =
            unsafe { transmute(context.proc_address(c"vkGetPipelinePropertiesEXT")) };
        let identifier = |text: &str| {
            let info = vk::PipelineInfoKHR::builder().pipeline(context.pipeline(layout, text));
            let mut properties = vk::PipelinePropertiesIdentifierEXT::default();
            let told =
                unsafe { query(context.device.handle(), &raw const *info, from_mut(&mut properties).cast()) };
            (told == vk::Result::SUCCESS).then_some(properties.pipeline_identifier)
        };
        let found = [&adding(), &other, &adding()].map(|text| identifier(text));
        assert_eq!(found.map(|one| one.is_some()), [enabled; 3]);
        assert_eq!(found[0], found[2]);
        assert!(!enabled || found[0] != found[1]);
    }
}

/// A descriptor that is copied by the host as bytes is the same descriptor.
#[test]
fn descriptors_are_copied_in_the_memory_of_sets() {
    let mut features =
        vk::PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE::builder().descriptor_set_host_mapping(true);
    let next = from_mut(&mut features).cast();
    let context = Compute::new(V1_3, &[c"VK_VALVE_descriptor_set_host_mapping"], next);
    let device = &context.device;
    let (first, second) = (context.buffer(4), context.buffer(4));
    let (from, layout, pipeline_layout) = set_of(&context, &first);
    let to = context.set(layout);
    context.write(to, second.buffer);
    let reference =
        vk::DescriptorSetBindingReferenceVALVE::builder().descriptor_set_layout(layout).binding(0);
    let mut info = vk::DescriptorSetLayoutHostMappingInfoVALVE::default();
    unsafe {
        device.get_descriptor_set_layout_host_mapping_info_valve(&reference, &mut info);
        assert!(info.descriptor_size != 0);
        let place = |set: vk::DescriptorSet| {
            device.get_descriptor_set_host_mapping_valve(set).cast::<u8>().add(info.descriptor_offset)
        };
        place(to).copy_from(place(from), info.descriptor_size as usize);
    }
    let pipeline = context.pipeline(pipeline_layout, &adding());
    context.run(|commands| dispatch(&context, commands, pipeline, pipeline_layout, to, 4));
    assert_eq!((first.words(), second.words()), (vec![5; 4], vec![0; 4]));
}

type MatrixProperties = new::CooperativeMatrixProperties2EXT;

/// The products of a scope, of which those of a subgroup are those of the older query, in every size.
#[test]
fn products_of_matrices_by_scope() {
    use vulkanalia::vk::NvCooperativeMatrix2ExtensionInstanceCommands as _;
    let client = Client::new(V1_3, &[]);
    let name = c"vkGetPhysicalDeviceCooperativeMatrixProperties2EXT";
    let query: new::PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT = unsafe {
        let found = pyroclast_icd::get_instance_proc_addr(client.instance.handle(), name.as_ptr());
        transmute(found.expect("the command"))
    };
    let ask = |scope: vk::ScopeKHR, invocations: u32, flags: u32| {
        let info = new::PhysicalDeviceCooperativeMatrixInfo2EXT {
            scope,
            invocations,
            subgroup_size: 16,
            flags,
            ..Default::default()
        };
        let mut count = 0;
        let mut all = unsafe {
            assert_eq!(query(client.physical_device, &info, &mut count, null_mut()), vk::Result::SUCCESS);
            vec![MatrixProperties::default(); count as usize]
        };
        let told = unsafe { query(client.physical_device, &info, &mut count, all.as_mut_ptr()) };
        assert_eq!((told, count as usize), (vk::Result::SUCCESS, all.len()));
        all
    };
    let old = unsafe {
        client
            .instance
            .get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv(client.physical_device)
    };
    let old = old.expect("a list");
    let expected = |workgroup: u32, saturating: bool| {
        let fits = |one: &&vk::CooperativeMatrixFlexibleDimensionsPropertiesNV| {
            one.workgroup_invocations == workgroup && (one.saturating_accumulation != 0) == saturating
        };
        old.iter().filter(fits).count()
    };
    for (invocations, flags) in [(0, 0), (0, 1), (64, 0), (64, 1)] {
        let scope = if invocations == 0 { vk::ScopeKHR::SUBGROUP } else { vk::ScopeKHR::WORKGROUP };
        let found = ask(scope, invocations, flags);
        assert_eq!(found.len(), expected(invocations, flags != 0));
        assert!(!found.is_empty() && found.iter().all(|one| one.m_granularity != 0), "{found:?}");
    }
    assert!(ask(vk::ScopeKHR::QUEUE_FAMILY, 0, 0).is_empty());
    assert!(ask(vk::ScopeKHR::WORKGROUP, 33, 0).is_empty());
}

/// Usage and flags of 64 bits go before those of 32.
#[test]
fn wide_flags_go_before_narrow_ones() {
    let mut features =
        new::PhysicalDeviceExtendedFlagsFeaturesKHR { extended_flags: 1, ..Default::default() };
    let next = from_mut(&mut features).cast();
    let gpu = Client::new(V1_4, &[]).device(&[c"VK_KHR_extended_flags"], None, next);
    let mut usage = new::ImageUsageFlags2CreateInfoKHR {
        usage: vk::ImageUsageFlags::SAMPLED.bits().into(),
        ..Default::default()
    };
    let mut flags = new::ImageCreateFlags2CreateInfoKHR {
        flags: vk::ImageCreateFlags::CUBE_COMPATIBLE.bits().into(),
        next: from_mut(&mut usage).cast(),
        ..Default::default()
    };
    let mut info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: 8, height: 8, depth: 1 })
        .mip_levels(1)
        .array_layers(6)
        .samples(vk::SampleCountFlags::_1)
        .usage(vk::ImageUsageFlags::VIDEO_DECODE_DST_KHR)
        .build();
    let mut asked = vk::PhysicalDeviceImageFormatInfo2::builder()
        .format(vk::Format::R8G8B8A8_UNORM)
        .type_(vk::ImageType::_2D)
        .usage(vk::ImageUsageFlags::VIDEO_DECODE_DST_KHR)
        .build();
    unsafe {
        let told = |asked: &vk::PhysicalDeviceImageFormatInfo2| {
            let mut out = vk::ImageFormatProperties2::default();
            let physical_device = gpu.physical_device;
            gpu.instance.get_physical_device_image_format_properties2(physical_device, asked, &mut out)
        };
        assert!(gpu.device.create_image(&info, None).is_err());
        assert!(told(&asked).is_err());
        (info.next, asked.next) = (from_mut(&mut flags).cast(), from_mut(&mut flags).cast());
        told(&asked).expect("supported");
        let image = gpu.device.create_image(&info, None).expect("an image");
        let needs = gpu.device.get_image_memory_requirements(image);
        let memory = gpu.mapped_memory(needs).0;
        gpu.device.bind_image_memory(image, memory, 0).expect("bound");
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 6,
            ..Default::default()
        };
        let mut usage = new::ImageViewUsage2CreateInfoKHR {
            usage: vk::ImageUsageFlags::SAMPLED.bits().into(),
            ..Default::default()
        };
        let mut info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(vk::ImageViewType::CUBE)
            .format(vk::Format::R8G8B8A8_UNORM)
            .subresource_range(range);
        info.next = from_mut(&mut usage).cast();
        let view = gpu.device.create_image_view(&info, None).expect("a view of a cube");
        gpu.device.destroy_image_view(view, None);
        gpu.device.destroy_image(image, None);
        gpu.device.free_memory(memory, None);

        let mut newest = new::FormatProperties4KHR {
            linear_tiling_features: 7,
            optimal_tiling_features: 7,
            buffer_features: 7,
            ..Default::default()
        };
        let mut out = vk::FormatProperties2 { next: from_mut(&mut newest).cast(), ..Default::default() };
        let format = vk::Format::R8G8B8A8_UNORM;
        gpu.instance.get_physical_device_format_properties2(gpu.physical_device, format, &mut out);
        let found = [newest.linear_tiling_features, newest.optimal_tiling_features, newest.buffer_features];
        assert_eq!(found, [0; 3]);
    }
}

/// What is said of images' compression, of linear images, of tiles, of cores and of queues.
#[test]
fn answers_are_filled() {
    let gpu = Client::new(V1_3, &[]).device(
        &[c"VK_QCOM_tile_properties", c"VK_EXT_image_compression_control"],
        None,
        null_mut(),
    );
    let (instance, physical_device) = (&gpu.instance, gpu.physical_device);
    let mut compression = vk::ImageCompressionPropertiesEXT::default();
    let mut control =
        vk::ImageCompressionControlEXT::builder().flags(vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT);
    let mut out = vk::ImageFormatProperties2::builder().push_next(&mut compression).build();
    let asked = vk::PhysicalDeviceImageFormatInfo2::builder()
        .format(vk::Format::R8G8B8A8_UNORM)
        .type_(vk::ImageType::_2D)
        .usage(vk::ImageUsageFlags::SAMPLED)
        .push_next(&mut control);
    let mut three = vk::FormatProperties3::default();
    let mut format = vk::FormatProperties2::builder().push_next(&mut three).build();
    let mut cores2 = vk::PhysicalDeviceShaderCoreProperties2AMD::default();
    let mut cores = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
    let mut properties =
        vk::PhysicalDeviceProperties2::builder().push_next(&mut cores).push_next(&mut cores2).build();
    unsafe {
        instance
            .get_physical_device_image_format_properties2(physical_device, &asked, &mut out)
            .expect("supported");
        instance.get_physical_device_format_properties2(
            physical_device,
            vk::Format::R8G8B8A8_UNORM,
            &mut format,
        );
        instance.get_physical_device_properties2(physical_device, &mut properties);
        let mut tile = vk::TilePropertiesQCOM::default();
        gpu.device
            .get_dynamic_rendering_tile_properties_qcom(&vk::RenderingInfo::default(), &mut tile)
            .expect("tiles");
        assert_eq!((tile.tile_size.width, tile.tile_size.height, tile.tile_size.depth), (64, 64, 1));
    }
    assert_eq!(compression.image_compression_flags, vk::ImageCompressionFlagsEXT::DISABLED);
    let linear = vk::FormatFeatureFlags2::LINEAR_COLOR_ATTACHMENT_NV;
    assert!(three.linear_tiling_features.contains(linear) && !three.optimal_tiling_features.contains(linear));
    let count = cores.shader_engine_count
        * cores.shader_arrays_per_engine_count
        * cores.compute_units_per_shader_array;
    assert_eq!(count, cores2.active_compute_unit_count);
    assert!(count >= 1 && cores.vgprs_per_simd >= 16 && cores.wavefront_size == 16);
    granularity_of_families(&gpu);
}

fn granularity_of_families(gpu: &Gpu) {
    let mut granularities = [new::QueueFamilyOptimalImageTransferGranularityPropertiesKHR::default(); 3];
    let mut families = granularities
        .each_mut()
        .map(|one| vk::QueueFamilyProperties2 { next: from_mut(one).cast(), ..Default::default() });
    let name = c"vkGetPhysicalDeviceQueueFamilyProperties2";
    unsafe {
        let found = pyroclast_icd::get_instance_proc_addr(gpu.instance.handle(), name.as_ptr());
        let query: vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 = transmute(found.expect("the command"));
        let mut count = 3;
        query(gpu.physical_device, &mut count, families.as_mut_ptr());
        assert_eq!(count, 3);
    }
    for one in granularities {
        let extent = one.optimal_image_transfer_granularity;
        assert_eq!([extent.width, extent.height, extent.depth], [1; 3]);
    }
}

/// Color spaces other than sRGB are listed where the instance knows them.
#[test]
fn surfaces_pass_colors_through() {
    for knows in [true, false] {
        let mut extensions: Vec<&CStr> =
            vec![c"VK_KHR_surface", c"VK_EXT_headless_surface", c"VK_KHR_get_surface_capabilities2"];
        if knows {
            extensions.push(c"VK_EXT_swapchain_colorspace");
        }
        let client = Client::new(V1_3, &extensions);
        let (instance, physical_device) = (&client.instance, client.physical_device);
        unsafe {
            let surface =
                instance.create_headless_surface_ext(&vk::HeadlessSurfaceCreateInfoEXT::default(), None);
            let surface = surface.expect("a surface");
            let formats = instance.get_physical_device_surface_formats_khr(physical_device, surface);
            let spaces: Vec<_> =
                formats.expect("formats").into_iter().map(|format| format.color_space).collect();
            assert_eq!(spaces.contains(&vk::ColorSpaceKHR::PASS_THROUGH_EXT), knows);
            assert!(spaces.contains(&vk::ColorSpaceKHR::SRGB_NONLINEAR));
            let name = c"vkGetPhysicalDeviceSurfaceFormats2KHR";
            let found = pyroclast_icd::get_instance_proc_addr(instance.handle(), name.as_ptr());
            let query: vk::PFN_vkGetPhysicalDeviceSurfaceFormats2KHR = transmute(found.expect("the command"));
            let info = vk::PhysicalDeviceSurfaceInfo2KHR::builder().surface(surface);
            let mut compressions = [vk::ImageCompressionPropertiesEXT::default(); 8];
            let mut second = compressions
                .each_mut()
                .map(|one| vk::SurfaceFormat2KHR { next: from_mut(one).cast(), ..Default::default() });
            let mut count = 8;
            let told = query(physical_device, &raw const *info, &mut count, second.as_mut_ptr());
            assert_eq!((told, count as usize), (vk::Result::SUCCESS, spaces.len()));
            let disabled = vk::ImageCompressionFlagsEXT::DISABLED;
            assert!(compressions[..spaces.len()].iter().all(|one| one.image_compression_flags == disabled));
            instance.destroy_surface_khr(surface, None);
        }
    }
}

/// Several threads submit to one queue at the same time, without a lock of theirs.
#[test]
fn queues_synchronize_themselves() {
    let mut features = vk::PhysicalDeviceInternallySynchronizedQueuesFeaturesKHR::builder()
        .internally_synchronized_queues(true);
    let extensions = [c"VK_KHR_internally_synchronized_queues"];
    let context = Compute::new(V1_4, &extensions, from_mut(&mut features).cast());
    let buffer = context.buffer(64);
    let (set, _, layout) = set_of(&context, &buffer);
    let pipeline = context.pipeline(layout, &adding());
    let lists: Vec<_> = (0..64)
        .map(|_| context.record(|commands| dispatch(&context, commands, pipeline, layout, set, 64)))
        .collect();
    let (device, queue) = (&context.device, context.queue);
    std::thread::scope(|scope| {
        for part in lists.chunks(16) {
            scope.spawn(move || {
                for list in part {
                    let info = vk::SubmitInfo::builder().command_buffers(std::slice::from_ref(list));
                    unsafe { device.queue_submit(queue, &[info], vk::Fence::null()) }.expect("submitted");
                }
            });
        }
    });
    unsafe { device.queue_wait_idle(queue) }.expect("idle");
    assert_eq!(buffer.words(), [5 * 64; 64]);
}

/// Nothing is told of a device that is not lost.
#[test]
fn a_device_without_faults_reports_none() {
    let mut features = new::PhysicalDeviceFaultFeaturesKHR { device_fault: 1, ..Default::default() };
    let extensions = [c"VK_KHR_device_fault", c"VK_NV_device_diagnostic_checkpoints"];
    let gpu = Client::new(V1_3, &[]).device(&extensions, None, from_mut(&mut features).cast());
    let mut faults = new::PhysicalDeviceFaultPropertiesKHR::default();
    let mut properties =
        vk::PhysicalDeviceProperties2 { next: from_mut(&mut faults).cast(), ..Default::default() };
    unsafe {
        gpu.instance.get_physical_device_properties2(gpu.physical_device, &mut properties);
        assert_eq!(faults.max_device_fault_count, 1);
        let reports: new::PFN_vkGetDeviceFaultReportsKHR =
            transmute(gpu.proc_address(c"vkGetDeviceFaultReportsKHR"));
        let debug: new::PFN_vkGetDeviceFaultDebugInfoKHR =
            transmute(gpu.proc_address(c"vkGetDeviceFaultDebugInfoKHR"));
        for timeout in [0, 1_000_000] {
            let mut count = 1;
            let mut info = new::DeviceFaultInfoKHR::default();
            let told = reports(gpu.device.handle(), timeout, &mut count, &mut info);
            assert_eq!((told, count), (vk::Result::TIMEOUT, 0));
        }
        let mut info = new::DeviceFaultDebugInfoKHR::default();
        assert_eq!(debug(gpu.device.handle(), &mut info), vk::Result::ERROR_VALIDATION_FAILED);
        gpu.run(|commands| gpu.device.cmd_set_checkpoint_nv(commands, std::ptr::dangling()));
        assert!(gpu.device.get_queue_checkpoint_data_nv(gpu.queue).is_empty());
    }
}

/// A pool gives more sets than it was made for where it may.
#[test]
fn pools_give_more_sets_than_they_were_made_for() {
    use vk::DescriptorPoolCreateFlags as Flags;
    let mut features = vk::PhysicalDeviceDescriptorPoolOverallocationFeaturesNV::builder()
        .descriptor_pool_overallocation(true);
    let extensions = [c"VK_NV_descriptor_pool_overallocation"];
    let context = Compute::new(V1_3, &extensions, from_mut(&mut features).cast());
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
    let layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let both = Flags::ALLOW_OVERALLOCATION_SETS_NV | Flags::ALLOW_OVERALLOCATION_POOLS_NV;
    for (flags, fits) in [(Flags::empty(), false), (both, true)] {
        let sizes = [vk::DescriptorPoolSize { type_: bindings[0].0, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::builder().flags(flags).max_sets(1).pool_sizes(&sizes);
        unsafe {
            let pool = context.device.create_descriptor_pool(&info, None).expect("a pool");
            let layouts = [layout; 3];
            let info = vk::DescriptorSetAllocateInfo::builder().descriptor_pool(pool).set_layouts(&layouts);
            let sets = context.device.allocate_descriptor_sets(&info);
            assert_eq!(sets.map(|sets| sets.len()).ok(), fits.then_some(3));
            context.device.destroy_descriptor_pool(pool, None);
        }
    }
}

/// The alignment that images may be limited to is what they have.
#[test]
fn alignments_of_images_are_those_that_may_be_asked_for() {
    let mut features =
        vk::PhysicalDeviceImageAlignmentControlFeaturesMESA::builder().image_alignment_control(true);
    let extensions = [c"VK_MESA_image_alignment_control"];
    let gpu = Client::new(V1_3, &[]).device(&extensions, None, from_mut(&mut features).cast());
    let mut alignments = vk::PhysicalDeviceImageAlignmentControlPropertiesMESA::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut alignments).build();
    unsafe { gpu.instance.get_physical_device_properties2(gpu.physical_device, &mut properties) };
    let mask = u64::from(alignments.supported_image_alignment_mask);
    assert_ne!(mask, 0);
    for side in [1, 100, 1024] {
        let mut control = vk::ImageAlignmentControlCreateInfoMESA {
            maximum_requested_alignment: mask as u32,
            ..Default::default()
        };
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: side, height: side, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(vk::ImageUsageFlags::SAMPLED)
            .push_next(&mut control);
        unsafe {
            let image = gpu.device.create_image(&info, None).expect("an image");
            let alignment = gpu.device.get_image_memory_requirements(image).alignment;
            assert!(alignment <= mask, "{alignment}");
            gpu.device.destroy_image(image, None);
        }
    }
}

/// A submission may say that a frame ends with it, and a barrier that nobody has changed what it acquires:
/// both run, and memory is as it was.
#[test]
fn frames_end_and_unmodified_memory_is_acquired() {
    let mut features = vk::PhysicalDeviceFrameBoundaryFeaturesEXT::builder().frame_boundary(true);
    let extensions = [
        c"VK_EXT_frame_boundary",
        c"VK_EXT_external_memory_acquire_unmodified",
        c"VK_EXT_queue_family_foreign",
    ];
    let context = Compute::new(V1_3, &extensions, from_mut(&mut features).cast());
    let buffer = context.buffer(4);
    (0..4).for_each(|index| buffer.put(index, 40 + index as u32));
    let unmodified =
        vk::ExternalMemoryAcquireUnmodifiedEXT { acquire_unmodified_memory: vk::TRUE, ..Default::default() };
    let barrier = vk::BufferMemoryBarrier {
        next: (&raw const unmodified).cast(),
        dst_access_mask: vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE,
        src_queue_family_index: vk::QUEUE_FAMILY_FOREIGN_EXT,
        dst_queue_family_index: 0,
        buffer: buffer.buffer,
        size: vk::WHOLE_SIZE,
        ..Default::default()
    };
    let (set, _, layout) = set_of(&context, &buffer);
    let pipeline = context.pipeline(layout, &adding());
    let commands = context.record(|commands| unsafe {
        context.device.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::TOP_OF_PIPE,
            vk::PipelineStageFlags::COMPUTE_SHADER,
            vk::DependencyFlags::empty(),
            &[] as &[vk::MemoryBarrier],
            &[barrier],
            &[] as &[vk::ImageMemoryBarrier],
        );
        dispatch(&context, commands, pipeline, layout, set, 4);
    });
    let mut boundary = vk::FrameBoundaryEXT::builder()
        .flags(vk::FrameBoundaryFlagsEXT::FRAME_END)
        .frame_id(7)
        .buffers(std::slice::from_ref(&buffer.buffer))
        .tag(&[1, 2, 3]);
    let lists = [commands];
    let info = vk::SubmitInfo::builder().command_buffers(&lists).push_next(&mut boundary);
    unsafe {
        context.device.queue_submit(context.queue, &[info], vk::Fence::null()).expect("submitted");
        context.device.queue_wait_idle(context.queue).expect("idle");
    }
    assert_eq!(buffer.words(), [45, 46, 47, 48]);
}
