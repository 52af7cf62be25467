//! Tensors: reads, writes and queries in shaders, strides, copies and null descriptors.

mod descriptors;

use pyro_shadertext::Shader;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ArmTensorsExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

fn context() -> Compute {
    let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::builder().null_descriptor(true);
    let mut tensors = vk::PhysicalDeviceTensorFeaturesARM::builder()
        .tensors(true)
        .tensor_non_packed(true)
        .shader_tensor_access(true)
        .shader_storage_tensor_array_dynamic_indexing(true);
    tensors.next = (&raw mut robust).cast();
    let extensions = [c"VK_ARM_tensors", c"VK_EXT_robustness2"];
    Compute::new(V1_3, &extensions, (&raw mut tensors).cast())
}

/// A tensor with mapped memory, and a view.
pub(crate) struct Tensor {
    tensor: vk::TensorARM,
    pub(crate) view: vk::TensorViewARM,
    memory: vk::DeviceMemory,
    bytes: *mut u8,
    size: usize,
}

impl Tensor {
    fn new(context: &Compute, format: vk::Format, dimensions: &[i64], strides: Option<&[i64]>) -> Tensor {
        let description = vk::TensorDescriptionARM {
            tiling: vk::TensorTilingARM::LINEAR,
            format,
            dimension_count: dimensions.len() as u32,
            dimensions: dimensions.as_ptr(),
            strides: strides.map_or(std::ptr::null(), <[i64]>::as_ptr),
            usage: vk::TensorUsageFlagsARM::SHADER
                | vk::TensorUsageFlagsARM::TRANSFER_SRC
                | vk::TensorUsageFlagsARM::TRANSFER_DST,
            ..Default::default()
        };
        Tensor::of(context, &description)
    }

    pub(crate) fn of(context: &Compute, description: &vk::TensorDescriptionARM) -> Tensor {
        let device = &context.device;
        let info = vk::TensorCreateInfoARM { description, ..Default::default() };
        unsafe {
            let tensor = device.create_tensor_arm(&info, None).expect("a tensor");
            let mut needs = vk::MemoryRequirements2::default();
            let of = vk::TensorMemoryRequirementsInfoARM { tensor, ..Default::default() };
            device.get_tensor_memory_requirements_arm(&of, &mut needs);
            let mut before = vk::MemoryRequirements2::default();
            let of = vk::DeviceTensorMemoryRequirementsARM { create_info: &info, ..Default::default() };
            device.get_device_tensor_memory_requirements_arm(&of, &mut before);
            assert_eq!(needs.memory_requirements, before.memory_requirements);
            let size = needs.memory_requirements.size;
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocate, None).expect("memory");
            let bind = vk::BindTensorMemoryInfoARM { tensor, memory, memory_offset: 0, ..Default::default() };
            device.bind_tensor_memory_arm(&[bind]).expect("bound");
            let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default()).expect("mapped");
            let info =
                vk::TensorViewCreateInfoARM { tensor, format: description.format, ..Default::default() };
            let view = device.create_tensor_view_arm(&info, None).expect("a view");
            Tensor { tensor, view, memory, bytes: bytes.cast(), size: size as usize }
        }
    }

    pub(crate) fn fill(&self, bytes: impl Iterator<Item = u8>) {
        for (at, byte) in bytes.take(self.size).enumerate() {
            unsafe { self.bytes.add(at).write(byte) };
        }
    }

    pub(crate) fn read(&self, count: usize) -> Vec<u8> {
        (0..count).map(|at| unsafe { self.bytes.add(at).read() }).collect()
    }

    fn word(&self, at: usize) -> *mut u32 {
        unsafe { self.bytes.add(at).cast() }
    }

    pub(crate) fn destroy(self, context: &Compute) {
        unsafe {
            context.device.destroy_tensor_view_arm(self.view, None);
            context.device.destroy_tensor_arm(self.tensor, None);
            context.device.free_memory(self.memory, None);
        }
    }
}

/// Reads the four elements from the coordinate (gid, 1, gid) of tensor `%which` of two on, with 77 outside,
/// writes them to (gid, 0, 2) of the third tensor, and the innermost size to the storage buffer.
fn tensor_text() -> String {
    Shader::compute(
        [4, 1, 1],
        "%ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %push_value = OpAccessChain %push_uint %push %uint_0
        %which = OpLoad %uint %push_value
        %at_source = OpAccessChain %handle_tensor %sources %which
        %source = OpLoad %tensor %at_source
        %from = OpCompositeConstruct %coordinates %gid %uint_1 %gid
        %values = OpTensorReadARM %four %source %from OutOfBoundsValueARM %uint_77
        %into = OpLoad %tensor %target
        %to = OpCompositeConstruct %coordinates %gid %uint_0 %uint_2
        OpTensorWriteARM %into %to %values
        %size = OpTensorQuerySizeARM %uint %source %uint_2
        %at = OpAccessChain %buffer_uint %buffer %uint_0 %gid
        OpStore %at %size",
    )
    .capability("TensorsARM StorageTensorArrayDynamicIndexingARM")
    .extension("SPV_ARM_tensors")
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["buffer"])
    .push_word()
    .decorate(
        "OpDecorate %sources DescriptorSet 0
        OpDecorate %sources Binding 1
        OpDecorate %target DescriptorSet 0
        OpDecorate %target Binding 2",
    )
    .declare(
        "%tensor = OpTypeTensorARM %uint %uint_3
        %tensors = OpTypeArray %tensor %uint_2
        %sources = OpVariable %handle_tensors UniformConstant
        %target = OpVariable %handle_tensor UniformConstant
        %coordinates = OpTypeArray %uint %uint_3
        %four = OpTypeArray %uint %uint_4",
    )
    .text()
}

#[test]
fn shaders_read_and_write_elements() {
    let context = context();
    let device = &context.device;
    let uint = vk::Format::R32_UINT;
    let packed = Tensor::new(&context, uint, &[4, 2, 5], None);
    let loose = Tensor::new(&context, uint, &[3, 2, 6], Some(&[128, 32, 4]));
    let target = Tensor::new(&context, uint, &[4, 1, 5], None);
    let value = |x: usize, y: usize, z: usize| (100 * x + 10 * y + z) as u32;
    for (x, y, z) in (0..4).flat_map(|x| (0..2).flat_map(move |y| (0..6).map(move |z| (x, y, z)))) {
        unsafe {
            if z < 5 {
                packed.word(x * 40 + y * 20 + z * 4).write(value(x, y, z));
            }
            if x < 3 {
                loose.word(x * 128 + y * 32 + z * 4).write(1000 + value(x, y, z));
            }
        }
    }
    let (buffer, tensor) = (vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::TENSOR_ARM);
    let layout = context.set_layout(Default::default(), &[(buffer, 1), (tensor, 2), (tensor, 1)]);
    let pipeline_layout = context.layout(&[layout]);
    let pipeline = context.pipeline(pipeline_layout, &tensor_text());
    let set = context.set_of(layout, &[(buffer, 1), (tensor, 3)]);
    let sizes = context.buffer(4);
    context.write(set, sizes.buffer);
    let put = |binding: u32, views: &[vk::TensorViewARM]| {
        let views = vk::WriteDescriptorSetTensorARM {
            tensor_view_count: views.len() as u32,
            tensor_views: views.as_ptr(),
            ..Default::default()
        };
        let write = vk::WriteDescriptorSet {
            next: (&raw const views).cast(),
            dst_set: set,
            dst_binding: binding,
            descriptor_count: views.tensor_view_count,
            descriptor_type: tensor,
            ..Default::default()
        };
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    };
    put(1, &[packed.view, loose.view]);
    put(2, &[target.view]);
    let run = |which: u32| {
        for at in 0..20 {
            unsafe { target.word(4 * at).write(9) };
        }
        context.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
            device.cmd_bind_descriptor_sets(commands, COMPUTE, pipeline_layout, 0, &[set], &[]);
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, pipeline_layout, stages, 0, &which.to_ne_bytes());
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        (0..20).map(|at| unsafe { target.word(4 * at).read() }).collect::<Vec<u32>>()
    };
    // Three of four elements are inside of the target's rows, which begin with two that are left alone.
    let expected = |is_there: &dyn Fn(usize, usize) -> bool, add: u32| {
        let row = |x: usize| {
            let read = (x..x + 3).map(move |z| (x, z));
            let read = read.map(|(x, z)| if is_there(x, z) { add + value(x, 1, z) } else { 77 });
            [9, 9].into_iter().chain(read).collect::<Vec<_>>()
        };
        (0..4).flat_map(row).collect::<Vec<u32>>()
    };
    assert_eq!(run(0), expected(&|_, z| z < 5, 0));
    assert_eq!(sizes.words(), [5; 4]);
    assert_eq!(run(1), expected(&|x, _| x < 3, 1000));
    assert_eq!(sizes.words(), [6; 4]);
    put(1, &[vk::TensorViewARM::null(); 2]);
    assert_eq!(run(1), expected(&|_, _| false, 0));
    assert_eq!(sizes.words(), [0; 4]);
    [packed, loose, target].into_iter().for_each(|tensor| tensor.destroy(&context));
}

#[test]
fn tensor_copies_convert_strides() {
    let context = context();
    let bytes = vk::Format::R8_SINT;
    let from = Tensor::new(&context, bytes, &[3, 4, 5], Some(&[40, 7, 1]));
    let to = Tensor::new(&context, bytes, &[3, 4, 5], Some(&[32, 5, 1]));
    for at in 0..120 {
        unsafe { from.bytes.add(at).write(at as u8) };
    }
    for at in 0..96 {
        unsafe { to.bytes.add(at).write(0xff) };
    }
    context.run(|commands| unsafe {
        let region = vk::TensorCopyARM::default();
        let info = vk::CopyTensorInfoARM {
            src_tensor: from.tensor,
            dst_tensor: to.tensor,
            region_count: 1,
            regions: &region,
            ..Default::default()
        };
        context.device.cmd_copy_tensor_arm(commands, &info);
    });
    for at in 0..96 {
        let (x, y, z) = (at / 32, at % 32 / 5, at % 32 % 5);
        let is_there = at % 32 < 20;
        let expected = if is_there { (x * 40 + y * 7 + z) as u8 } else { 0xff };
        assert_eq!(unsafe { to.bytes.add(at).read() }, expected, "{at}");
    }
    [from, to].into_iter().for_each(|tensor| tensor.destroy(&context));
}

/// What has no tensors, and strides under which elements overlap, is refused; formats say which have some.
#[test]
fn bad_tensors_are_refused() {
    let context = context();
    let make = |format, dimensions: &[i64], strides: &[i64]| {
        let description = vk::TensorDescriptionARM {
            tiling: vk::TensorTilingARM::LINEAR,
            format,
            dimension_count: dimensions.len() as u32,
            dimensions: dimensions.as_ptr(),
            strides: strides.as_ptr(),
            ..Default::default()
        };
        let info = vk::TensorCreateInfoARM { description: &description, ..Default::default() };
        let made = unsafe { context.device.create_tensor_arm(&info, None) };
        made.map(|tensor| unsafe { context.device.destroy_tensor_arm(tensor, None) }).is_ok()
    };
    assert!(make(vk::Format::R32_SFLOAT, &[2, 3], &[12, 4]));
    assert!(!make(vk::Format::R32_SFLOAT, &[2, 3], &[8, 4]));
    assert!(!make(vk::Format::R32_SFLOAT, &[2, 3], &[16, 8]));
    assert!(!make(vk::Format::R8G8_UNORM, &[2, 3], &[6, 2]));
    for (format, has) in [(vk::Format::R8_BOOL_ARM, true), (vk::Format::R8G8_UNORM, false)] {
        let mut tensors = vk::TensorFormatPropertiesARM::default();
        let mut properties = vk::FormatProperties2::builder().push_next(&mut tensors);
        unsafe {
            context.instance.get_physical_device_format_properties2(
                context.physical_device,
                format,
                &mut properties,
            );
        }
        let shader = vk::FormatFeatureFlags2::TENSOR_SHADER_ARM;
        assert_eq!(tensors.linear_tiling_tensor_features.contains(shader), has, "{format:?}");
    }
}
