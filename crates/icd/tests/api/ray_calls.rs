//! Two shaders of one stage in a ray tracing pipeline: descriptor heaps with samplers that each embeds,
//! pipeline binaries and keys.
//!
//! The shaders are `ray_calls/NAME.spvasm`, compiled from the GLSL in `NAME` beside it by `glslangValidator`
//! and `spirv-dis`. The ray generation shader calls both callable shaders and stores what they return.

use pyro_test_kit::compute::{Buffer, Compute};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    DescriptorMappingSourceEXT as Source, ExtDescriptorHeapExtensionDeviceCommands as _,
    KhrPipelineBinaryExtensionDeviceCommands as _, KhrRayTracingPipelineExtensionDeviceCommands as _,
    PipelineCreateFlags2 as Flags, ShaderStageFlags as Stages,
};

const V1_3: u32 = vk::make_version(1, 3, 0);
const UNUSED: u32 = vk::SHADER_UNUSED_KHR;
/// Bytes of a descriptor in a heap, and of the handle of a group.
const DESCRIPTOR_BYTES: u32 = 16;
const HANDLE_BYTES: usize = 32;
/// Bytes from one record of a shader binding table to the next.
const STRIDE: usize = 64;

const CALLS: &str = include_str!("ray_calls/calls.rgen.spvasm");
const SAMPLE: &str = include_str!("ray_calls/sample.rcall.spvasm");
const ONE: &str = include_str!("ray_calls/one.rcall.spvasm");
const TWO: &str = include_str!("ray_calls/two.rcall.spvasm");

fn context() -> Compute {
    let mut heaps = vk::PhysicalDeviceDescriptorHeapFeaturesEXT::builder().descriptor_heap(true);
    let mut binaries = vk::PhysicalDevicePipelineBinaryFeaturesKHR::builder().pipeline_binaries(true);
    let mut maintenance = vk::PhysicalDeviceMaintenance5FeaturesKHR::builder().maintenance5(true);
    let mut rays = vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::builder().ray_tracing_pipeline(true);
    let mut structures =
        vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder().acceleration_structure(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    binaries.next = (&raw mut heaps).cast();
    maintenance.next = (&raw mut binaries).cast();
    rays.next = (&raw mut maintenance).cast();
    structures.next = (&raw mut rays).cast();
    features.next = (&raw mut structures).cast();
    let extensions = [
        c"VK_EXT_descriptor_heap",
        c"VK_KHR_acceleration_structure",
        c"VK_KHR_deferred_host_operations",
        c"VK_KHR_maintenance5",
        c"VK_KHR_pipeline_binary",
        c"VK_KHR_pipeline_library",
        c"VK_KHR_ray_tracing_pipeline",
        c"VK_KHR_shader_untyped_pointers",
    ];
    Compute::new(V1_3, &extensions, (&raw mut features).cast())
}

/// A buffer of so many words, and its address.
fn buffer(context: &Compute, count: usize) -> (Buffer, u64) {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
        | vk::BufferUsageFlags::DESCRIPTOR_HEAP_EXT
        | vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR;
    let buffer = context.buffer_with(count, usage);
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    (buffer, unsafe { context.device.get_buffer_device_address(&info) })
}

/// What a pipeline is created from beside its stages.
struct Parts<'a> {
    groups: &'a [u32],
    libraries: &'a [vk::Pipeline],
    binaries: &'a [vk::PipelineBinaryKHR],
    layout: vk::PipelineLayout,
    flags: Flags,
}

/// Runs `with` with the create info of a pipeline whose groups are all general.
fn with_info<T>(
    stages: &[vk::PipelineShaderStageCreateInfo],
    parts: &Parts<'_>,
    with: impl FnOnce(&vk::RayTracingPipelineCreateInfoKHR) -> T,
) -> T {
    let group = |&general: &u32| vk::RayTracingShaderGroupCreateInfoKHR {
        type_: vk::RayTracingShaderGroupTypeKHR::GENERAL,
        general_shader: general,
        closest_hit_shader: UNUSED,
        any_hit_shader: UNUSED,
        intersection_shader: UNUSED,
        ..Default::default()
    };
    let groups: Vec<_> = parts.groups.iter().map(group).collect();
    let linked = vk::PipelineLibraryCreateInfoKHR::builder().libraries(parts.libraries);
    let interface = vk::RayTracingPipelineInterfaceCreateInfoKHR::builder()
        .max_pipeline_ray_payload_size(16)
        .max_pipeline_ray_hit_attribute_size(8);
    let mut flags = vk::PipelineCreateFlags2CreateInfo::builder().flags(parts.flags);
    let mut binaries = vk::PipelineBinaryInfoKHR::builder().pipeline_binaries(parts.binaries);
    let info = vk::RayTracingPipelineCreateInfoKHR::builder()
        .stages(stages)
        .groups(&groups)
        .max_pipeline_ray_recursion_depth(1)
        .library_info(&linked)
        .library_interface(&interface)
        .layout(parts.layout)
        .push_next(&mut flags)
        .push_next(&mut binaries);
    with(&info)
}

fn create(
    context: &Compute,
    stages: &[vk::PipelineShaderStageCreateInfo],
    parts: &Parts<'_>,
) -> vk::Pipeline {
    let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
    let made = with_info(stages, parts, |info| unsafe {
        context.device.create_ray_tracing_pipelines_khr(operation, cache, &[*info], None)
    });
    made.expect("a pipeline").0[0]
}

fn stage(stage: Stages, module: vk::ShaderModule) -> vk::PipelineShaderStageCreateInfo {
    vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
}

/// Traces one ray's worth of work with a pipeline of three groups; `bind` says where its resources are.
fn trace(context: &Compute, pipeline: vk::Pipeline, bind: impl FnOnce(vk::CommandBuffer)) {
    let device = &context.device;
    let mut handles = [0; 3 * HANDLE_BYTES];
    unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, 3, &mut handles) }
        .expect("handles");
    let (table, address) = buffer(context, 3 * STRIDE / 4);
    for (group, handle) in handles.chunks(HANDLE_BYTES).enumerate() {
        let words: Vec<u32> = handle.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        words.iter().enumerate().for_each(|(index, &word)| table.put(group * STRIDE / 4 + index, word));
    }
    let stride = STRIDE as u64;
    let raygen = vk::StridedDeviceAddressRegionKHR { device_address: address, stride, size: stride };
    let calls =
        vk::StridedDeviceAddressRegionKHR { device_address: address + stride, stride, size: 2 * stride };
    let none = vk::StridedDeviceAddressRegionKHR::default();
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::RAY_TRACING_KHR, pipeline);
        bind(commands);
        device.cmd_trace_rays_khr(commands, &raygen, &none, &none, &calls, 1, 1, 1);
    });
}

/// The values that the callable shaders returned.
fn results(buffer: &Buffer) -> [[f32; 4]; 2] {
    let words = buffer.words();
    [0, 4].map(|first| [0, 1, 2, 3].map(|index| f32::from_bits(words[first + index])))
}

/// A red image of one texel, in the general layout. The caller destroys both.
fn red_image(context: &Compute) -> (vk::Image, vk::DeviceMemory) {
    let device = &context.device;
    let info = vk::ImageCreateInfo {
        image_type: vk::ImageType::_2D,
        format: vk::Format::R8G8B8A8_UNORM,
        extent: vk::Extent3D { width: 1, height: 1, depth: 1 },
        mip_levels: 1,
        array_layers: 1,
        samples: vk::SampleCountFlags::_1,
        usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
        ..Default::default()
    };
    unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let needs = device.get_image_memory_requirements(image);
        let (memory, _) = context.mapped_memory(needs);
        device.bind_image_memory(image, memory, 0).expect("bound");
        context.run(|commands| {
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let red = vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 1.0] };
            device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &red, &[range]);
        });
        (image, memory)
    }
}

/// Two callable shaders of the same words, each with a sampler of its own embedded in its mapping, in one
/// pipeline without a layout; and the same in two libraries that a third pipeline links. One sampler repeats
/// the image (red), the other has a white border.
#[test]
fn descriptor_heaps_map_each_stage() {
    let context = context();
    let device = &context.device;
    let (image, memory) = red_image(&context);
    let (heap, heap_address) = buffer(&context, 16);
    let view = vk::ImageViewCreateInfo {
        image,
        view_type: vk::ImageViewType::_2D,
        format: vk::Format::R8G8B8A8_UNORM,
        subresource_range: vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        },
        ..Default::default()
    };
    let described = vk::ImageDescriptorInfoEXT {
        view: &raw const view,
        layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    };
    let info = vk::ResourceDescriptorInfoEXT {
        type_: vk::DescriptorType::SAMPLED_IMAGE,
        data: vk::ResourceDescriptorDataEXT { image: &raw const described },
        ..Default::default()
    };
    let to = vk::HostAddressRangeEXT { address: heap.words.cast(), size: DESCRIPTOR_BYTES as usize };
    unsafe { device.write_resource_descriptors_ext(&[info], &[to]) }.expect("written");

    let samplers = [vk::SamplerAddressMode::REPEAT, vk::SamplerAddressMode::CLAMP_TO_BORDER].map(|mode| {
        vk::SamplerCreateInfo {
            address_mode_u: mode,
            address_mode_v: mode,
            border_color: vk::BorderColor::FLOAT_OPAQUE_WHITE,
            ..Default::default()
        }
    });
    let mapping = |binding, source, source_data| vk::DescriptorSetAndBindingMappingEXT {
        first_binding: binding,
        binding_count: 1,
        resource_mask: vk::SpirvResourceTypeFlagsEXT::ALL,
        source,
        source_data,
        ..Default::default()
    };
    let pushed = vk::DescriptorMappingSourceDataEXT { push_address_offset: 0 };
    let pushed = [mapping(0, Source::PUSH_ADDRESS, pushed)];
    let sampled = samplers.each_ref().map(|sampler| {
        let constant_offset =
            vk::DescriptorMappingSourceConstantOffsetEXT { embedded_sampler: sampler, ..Default::default() };
        let data = vk::DescriptorMappingSourceDataEXT { constant_offset };
        [mapping(1, Source::HEAP_WITH_CONSTANT_OFFSET, data)]
    });
    let mapped = [&pushed[..], &sampled[0], &sampled[1]]
        .map(|all| vk::ShaderDescriptorSetAndBindingMappingInfoEXT::builder().mappings(all).build());
    let modules = [CALLS, SAMPLE].map(|text| context.shader_module(text));
    let stages = [(Stages::RAYGEN_KHR, 0), (Stages::CALLABLE_KHR, 1), (Stages::CALLABLE_KHR, 1)];
    let mut stages = stages.map(|(flag, module)| stage(flag, modules[module]));
    for (stage, mapped) in stages.iter_mut().zip(&mapped) {
        stage.next = (&raw const *mapped).cast();
    }
    let heaps = Flags::DESCRIPTOR_HEAP_EXT;
    let parts = |groups, libraries, flags| Parts {
        groups,
        libraries,
        binaries: &[],
        layout: vk::PipelineLayout::null(),
        flags,
    };
    let whole = create(&context, &stages, &parts(&[0, 1, 2], &[], heaps));
    let libraries = [1, 2]
        .map(|index| create(&context, &stages[index..=index], &parts(&[0], &[], heaps | Flags::LIBRARY_KHR)));
    let linked = create(&context, &stages[..1], &parts(&[0], &libraries, heaps));

    for pipeline in [whole, linked] {
        let (output, address) = buffer(&context, 8);
        trace(&context, pipeline, |commands| unsafe {
            let heap_range = vk::DeviceAddressRangeEXT { address: heap_address, size: 64 };
            let bound = vk::BindHeapInfoEXT { heap_range, ..Default::default() };
            device.cmd_bind_resource_heap_ext(commands, &bound);
            let data = vk::HostAddressRangeConstEXT { address: (&raw const address).cast(), size: 8 };
            device.cmd_push_data_ext(commands, &vk::PushDataInfoEXT { data, ..Default::default() });
        });
        assert_eq!(results(&output), [[1.0, 0.0, 0.0, 1.0], [1.0; 4]], "linked: {}", pipeline == linked);
    }
    unsafe {
        for pipeline in [whole, linked, libraries[0], libraries[1]] {
            device.destroy_pipeline(pipeline, None);
        }
        modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}

/// A pipeline from binaries has each of the two callable shaders where it was. The key of its create info
/// tells which is which, and differs from those of other pipelines.
#[test]
fn binaries_tell_shaders_of_a_stage_apart() {
    let context = context();
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let modules = [CALLS, ONE, TWO].map(|text| context.shader_module(text));
    let flags = [Stages::RAYGEN_KHR, Stages::CALLABLE_KHR, Stages::CALLABLE_KHR];
    let stages = [0, 1, 2].map(|index| stage(flags[index], modules[index]));
    let parts = |binaries, flags| Parts { groups: &[0, 1, 2], libraries: &[], binaries, layout, flags };
    let first = create(&context, &stages, &parts(&[], Flags::CAPTURE_DATA_KHR));
    let info = vk::PipelineBinaryCreateInfoKHR { pipeline: first, ..Default::default() };
    let mut binaries = [vk::PipelineBinaryKHR::null()];
    let mut out = vk::PipelineBinaryHandlesInfoKHR {
        pipeline_binary_count: 1,
        pipeline_binaries: binaries.as_mut_ptr(),
        ..Default::default()
    };
    unsafe { device.create_pipeline_binaries_khr(&info, None, &mut out) }.expect("a binary");
    let bare = flags.map(|flag| stage(flag, vk::ShaderModule::null()));
    let second = create(&context, &bare, &parts(&binaries, Flags::empty()));
    for pipeline in [first, second] {
        let (output, _) = buffer(&context, 8);
        let set = context.set(set_layout);
        context.write(set, output.buffer);
        trace(&context, pipeline, |commands| unsafe {
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        });
        assert_eq!(results(&output).map(|value| value[0]), [1.0, 2.0], "of binaries: {}", pipeline == second);
    }

    let key = |stages: &[vk::PipelineShaderStageCreateInfo], groups: &[u32]| {
        let parts = Parts { groups, ..parts(&[], Flags::empty()) };
        with_info(stages, &parts, |info| unsafe {
            let info = vk::PipelineCreateInfoKHR {
                next: (&raw const *info).cast_mut().cast(),
                ..Default::default()
            };
            let mut key = vk::PipelineBinaryKeyKHR::default();
            device.get_pipeline_key_khr(Some(&info), &mut key).expect("a key");
            key.key[..key.key_size as usize].to_vec()
        })
    };
    let same = key(&stages, &[0, 1, 2]);
    assert_eq!(key(&stages, &[0, 1, 2]), same);
    assert_ne!(key(&[stages[0], stages[2], stages[1]], &[0, 1, 2]), same);
    assert_ne!(key(&stages, &[0, 2, 1]), same);
    unsafe {
        [first, second].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
        device.destroy_pipeline_binary_khr(binaries[0], None);
        modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
    }
}
