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
const LANES: &str = include_str!("ray_calls/lanes.rgen.spvasm");
const RECORD: &str = include_str!("ray_calls/record.rcall.spvasm");

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

/// Launches so many invocations of a pipeline of three groups. The records of the callable shaders hold
/// `records`, in a table of `table_bytes`; `bind` says where resources are.
fn launch(
    context: &Compute,
    pipeline: vk::Pipeline,
    width: u32,
    records: [&[u32]; 2],
    table_bytes: usize,
    bind: impl FnOnce(vk::CommandBuffer),
) {
    let device = &context.device;
    let mut handles = [0; 3 * HANDLE_BYTES];
    unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, 3, &mut handles) }
        .expect("handles");
    let (table, address) = buffer(context, 3 * STRIDE / 4);
    for (group, handle) in handles.chunks(HANDLE_BYTES).enumerate() {
        let words: Vec<u32> = handle.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        words.iter().enumerate().for_each(|(index, &word)| table.put(group * STRIDE / 4 + index, word));
    }
    for (record, words) in records.into_iter().enumerate() {
        let first = ((record + 1) * STRIDE + HANDLE_BYTES) / 4;
        words.iter().enumerate().for_each(|(index, &word)| table.put(first + index, word));
    }
    let stride = STRIDE as u64;
    let raygen = vk::StridedDeviceAddressRegionKHR { device_address: address, stride, size: stride };
    let size = table_bytes as u64;
    let calls = vk::StridedDeviceAddressRegionKHR { device_address: address + stride, stride, size };
    let none = vk::StridedDeviceAddressRegionKHR::default();
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::RAY_TRACING_KHR, pipeline);
        bind(commands);
        device.cmd_trace_rays_khr(commands, &raygen, &none, &none, &calls, width, 1, 1);
    });
}

/// Launches one invocation, without data in records.
fn trace(context: &Compute, pipeline: vk::Pipeline, bind: impl FnOnce(vk::CommandBuffer)) {
    launch(context, pipeline, 1, [&[]; 2], 2 * STRIDE, bind);
}

/// The values that the callable shaders returned.
fn results(buffer: &Buffer) -> [[f32; 4]; 2] {
    let words = buffer.words();
    [0, 4].map(|first| [0, 1, 2, 3].map(|index| f32::from_bits(words[first + index])))
}

/// An image of one texel of this colour, in the general layout. The caller destroys both.
fn image_of(context: &Compute, color: [f32; 4]) -> (vk::Image, vk::DeviceMemory) {
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
            let color = vk::ClearColorValue { float32: color };
            device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &color, &[range]);
        });
        (image, memory)
    }
}

/// Writes the descriptor of an image to a byte of a heap.
fn put_image(context: &Compute, heap: &Buffer, at: u32, image: vk::Image) {
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
    let layout = vk::ImageLayout::GENERAL;
    let described = vk::ImageDescriptorInfoEXT { view: &raw const view, layout, ..Default::default() };
    let info = vk::ResourceDescriptorInfoEXT {
        type_: vk::DescriptorType::SAMPLED_IMAGE,
        data: vk::ResourceDescriptorDataEXT { image: &raw const described },
        ..Default::default()
    };
    assert!((at + DESCRIPTOR_BYTES) as usize <= 4 * heap.count);
    unsafe {
        let address = heap.words.byte_add(at as usize).cast();
        let to = vk::HostAddressRangeEXT { address, size: DESCRIPTOR_BYTES as usize };
        context.device.write_resource_descriptors_ext(&[info], &[to]).expect("written");
    }
}

/// Binds a resource heap of 64 bytes, and pushes the address of the results.
fn bind_heap(context: &Compute, commands: vk::CommandBuffer, heap: u64, results: u64) {
    let heap_range = vk::DeviceAddressRangeEXT { address: heap, size: 64 };
    let data = vk::HostAddressRangeConstEXT { address: (&raw const results).cast(), size: 8 };
    unsafe {
        let bound = vk::BindHeapInfoEXT { heap_range, ..Default::default() };
        context.device.cmd_bind_resource_heap_ext(commands, &bound);
        context.device.cmd_push_data_ext(commands, &vk::PushDataInfoEXT { data, ..Default::default() });
    }
}

fn mapping(
    binding: u32,
    source: Source,
    source_data: vk::DescriptorMappingSourceDataEXT,
) -> vk::DescriptorSetAndBindingMappingEXT {
    vk::DescriptorSetAndBindingMappingEXT {
        first_binding: binding,
        binding_count: 1,
        resource_mask: vk::SpirvResourceTypeFlagsEXT::ALL,
        source,
        source_data,
        ..Default::default()
    }
}

/// A callable shader of a library that is replaced: the groups keep their handles, in the library and in what
/// links it.
#[test]
fn replaced_modules_keep_group_handles() {
    pyroclast_icd::keep_for_reload();
    let context = context();
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let returns = |value: &str| ONE.replace("OpConstant %float 1", &format!("OpConstant %float {value}"));
    let (old, new) = (returns("77"), returns("88"));
    let modules = [CALLS, TWO, &old].map(|text| context.shader_module(text));
    let flags = [Stages::RAYGEN_KHR, Stages::CALLABLE_KHR, Stages::CALLABLE_KHR];
    let stages = [0, 1, 2].map(|index| stage(flags[index], modules[index]));
    let parts = |groups, libraries, flags| Parts { groups, libraries, binaries: &[], layout, flags };
    let library = create(&context, &stages[2..], &parts(&[0], &[], Flags::LIBRARY_KHR));
    let libraries = [library];
    let linked = create(&context, &stages[..2], &parts(&[0, 1], &libraries, Flags::empty()));
    modules.iter().for_each(|&module| unsafe { device.destroy_shader_module(module, None) });
    let handles = || {
        let mut handles = [0; 3 * HANDLE_BYTES];
        unsafe { device.get_ray_tracing_shader_group_handles_khr(linked, 0, 3, &mut handles) }
            .expect("handles");
        handles
    };
    let (output, _) = buffer(&context, 8);
    let set = context.set(set_layout);
    context.write(set, output.buffer);
    let run = |pipeline| {
        trace(&context, pipeline, |commands| unsafe {
            let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        });
        results(&output).map(|value| value[0])
    };
    let before = handles();
    assert_eq!(run(linked), [2.0, 77.0]);
    let [old, new] = [old, new].map(|text| pyro_spirv::asm::assemble(&text).expect("assembly"));
    let digest = pyro_sanitizer::trace::module_digest;
    assert_eq!(pyroclast_icd::reload_module(digest(&old), &new), Ok(2));
    assert_eq!((run(linked), handles() == before), ([2.0, 88.0], true));
    // What links the library later has the new shader.
    let module = [CALLS, TWO].map(|text| context.shader_module(text));
    let stages = [0, 1].map(|index| stage(flags[index], module[index]));
    let later = create(&context, &stages, &parts(&[0, 1], &libraries, Flags::empty()));
    assert_eq!(run(later), [2.0, 88.0]);
    unsafe {
        module.iter().for_each(|&module| device.destroy_shader_module(module, None));
        [linked, later, library].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
    }
}

/// Two callable shaders of the same words, each with a sampler of its own embedded in its mapping, in one
/// pipeline without a layout; and the same in two libraries that a third pipeline links. One sampler repeats
/// the image (red), the other has a white border.
#[test]
fn descriptor_heaps_map_each_stage() {
    let context = context();
    let device = &context.device;
    let (image, memory) = image_of(&context, [1.0, 0.0, 0.0, 1.0]);
    let (heap, heap_address) = buffer(&context, 16);
    put_image(&context, &heap, 0, image);

    let samplers = [vk::SamplerAddressMode::REPEAT, vk::SamplerAddressMode::CLAMP_TO_BORDER].map(|mode| {
        vk::SamplerCreateInfo {
            address_mode_u: mode,
            address_mode_v: mode,
            border_color: vk::BorderColor::FLOAT_OPAQUE_WHITE,
            ..Default::default()
        }
    });
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
        trace(&context, pipeline, |commands| bind_heap(&context, commands, heap_address, address));
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

/// One callable shader with two records, which two lanes of a subgroup call at once: each record has the
/// index of an image in the heap, a uniform buffer and the address of a storage buffer.
#[test]
fn descriptor_mappings_read_shader_records() {
    let context = context();
    let device = &context.device;
    let images = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]].map(|color| image_of(&context, color));
    let (heap, heap_address) = buffer(&context, 16);
    images.iter().zip(0..).for_each(|(image, number)| {
        put_image(&context, &heap, (number + 1) * DESCRIPTOR_BYTES, image.0);
    });
    let sampler = vk::SamplerCreateInfo::default();
    use vk::DescriptorMappingSourceDataEXT as Data;
    let shader_record_index = vk::DescriptorMappingSourceShaderRecordIndexEXT {
        heap_offset: DESCRIPTOR_BYTES,
        shader_record_offset: 12,
        heap_index_stride: DESCRIPTOR_BYTES,
        embedded_sampler: &raw const sampler,
        ..Default::default()
    };
    let pushed = [mapping(0, Source::PUSH_ADDRESS, Data { push_address_offset: 0 })];
    let of_record = [
        mapping(1, Source::HEAP_WITH_SHADER_RECORD_INDEX, Data { shader_record_index }),
        mapping(2, Source::SHADER_RECORD_DATA, Data { shader_record_data_offset: 16 }),
        mapping(3, Source::SHADER_RECORD_ADDRESS, Data { shader_record_address_offset: 0 }),
    ];
    let mapped = [&pushed[..], &of_record]
        .map(|all| vk::ShaderDescriptorSetAndBindingMappingInfoEXT::builder().mappings(all).build());
    let modules = [LANES, RECORD].map(|text| context.shader_module(text));
    let mut stages = [stage(Stages::RAYGEN_KHR, modules[0]), stage(Stages::CALLABLE_KHR, modules[1])];
    for (stage, mapped) in stages.iter_mut().zip(&mapped) {
        stage.next = (&raw const *mapped).cast();
    }
    let parts = Parts {
        groups: &[0, 1, 1],
        libraries: &[],
        binaries: &[],
        layout: vk::PipelineLayout::null(),
        flags: Flags::DESCRIPTOR_HEAP_EXT,
    };
    let pipeline = create(&context, &stages, &parts);
    let (output, output_address) = buffer(&context, 8);
    let records = [0_u32, 1].map(|number| {
        let (storage, address) = buffer(&context, 1);
        storage.put(0, (30.0 + number as f32).to_bits());
        [address as u32, (address >> 32) as u32, 0, number, (20.0 + number as f32).to_bits()]
    });
    // Behind the end of the table records hold zeros: of the second one the index and the uniform buffer.
    let ends = [2 * STRIDE, STRIDE + HANDLE_BYTES + 12];
    for (table_bytes, second) in ends.into_iter().zip([[0.0, 1.0, 21.0, 31.0], [1.0, 0.0, 0.0, 31.0]]) {
        let records = records.each_ref().map(|record| &record[..]);
        launch(&context, pipeline, 2, records, table_bytes, |commands| {
            bind_heap(&context, commands, heap_address, output_address);
        });
        assert_eq!(results(&output), [[1.0, 0.0, 20.0, 30.0], second]);
    }
    unsafe {
        device.destroy_pipeline(pipeline, None);
        modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
        for (image, memory) in images {
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
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
