//! Tensors in shaders: reads of several elements inside and outside, writes, sizes, and copies between
//! tensors of other strides.

use pyro_random::Random;
use pyro_shadertext::Shader;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ArmTensorsExtensionDeviceCommands as _;

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const INVOCATIONS: u32 = 24;
/// Elements of a side at most.
const SIDE: usize = 9;
/// Elements that an invocation reads and writes at most.
const COUNT: u32 = 5;
/// Cases of one device, which keeps a pipeline of each.
const CASES: u32 = 200;

/// A device with tensors.
pub(crate) struct Tensors {
    context: Compute,
    cases: u32,
}

/// A tensor with mapped memory, and a view.
struct Tensor {
    tensor: vk::TensorARM,
    view: vk::TensorViewARM,
    memory: vk::DeviceMemory,
    bytes: *mut u8,
    size: usize,
}

impl Tensor {
    fn new(context: &Compute, format: vk::Format, dimensions: &[i64], strides: &[i64]) -> Tensor {
        let device = &context.device;
        let description = vk::TensorDescriptionARM {
            tiling: vk::TensorTilingARM::LINEAR,
            format,
            dimension_count: dimensions.len() as u32,
            dimensions: dimensions.as_ptr(),
            strides: strides.as_ptr(),
            usage: vk::TensorUsageFlagsARM::SHADER
                | vk::TensorUsageFlagsARM::TRANSFER_SRC
                | vk::TensorUsageFlagsARM::TRANSFER_DST,
            ..Default::default()
        };
        let info = vk::TensorCreateInfoARM { description: &description, ..Default::default() };
        // SAFETY: the structures live until each call returns, and the objects are the device's.
        unsafe {
            let tensor = device.create_tensor_arm(&info, None).expect("a tensor");
            let mut needs = vk::MemoryRequirements2::default();
            let of = vk::TensorMemoryRequirementsInfoARM { tensor, ..Default::default() };
            device.get_tensor_memory_requirements_arm(&of, &mut needs);
            let size = needs.memory_requirements.size;
            let allocate = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocate, None).expect("memory");
            let bind = vk::BindTensorMemoryInfoARM { tensor, memory, memory_offset: 0, ..Default::default() };
            device.bind_tensor_memory_arm(&[bind]).expect("bound");
            let flags = vk::MemoryMapFlags::empty();
            let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, flags).expect("mapped").cast();
            let info = vk::TensorViewCreateInfoARM { tensor, format, ..Default::default() };
            let view = device.create_tensor_view_arm(&info, None).expect("a view");
            Tensor { tensor, view, memory, bytes, size: size as usize }
        }
    }

    fn fill(&self, mut byte: impl FnMut() -> u8) {
        // SAFETY: so many bytes are mapped, and no work uses them.
        (0..self.size).for_each(|at| unsafe { self.bytes.add(at).write(byte()) });
    }

    fn contents(&self) -> Vec<u8> {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.bytes, self.size).to_vec() }
    }

    fn destroy(self, context: &Compute) {
        // SAFETY: no work uses it.
        unsafe {
            context.device.destroy_tensor_view_arm(self.view, None);
            context.device.destroy_tensor_arm(self.tensor, None);
            context.device.free_memory(self.memory, None);
        }
    }
}

/// Strides of these dimensions with random gaps.
fn strides(random: &mut Random, dimensions: &[i64], element: i64) -> Vec<i64> {
    let mut strides = vec![element; dimensions.len()];
    for at in (1..dimensions.len()).rev() {
        strides[at - 1] = strides[at] * dimensions[at] + element * i64::from(random.below(4_u32));
    }
    strides
}

/// Each invocation reads `count` elements from coordinates that follow from its number, some of them outside,
/// and writes them to its own row of the target, with the source's sizes behind.
fn text(random: &mut Random, bits: u32, rank: usize, count: u32) -> String {
    let mut body = "%ids = OpLoad %uint3 %id\n%gid = OpCompositeExtract %uint %ids 0\n\
                    %source = OpLoad %tensor %from\n%into = OpLoad %target_tensor %to\n"
        .to_owned();
    let (mut constants, mut at) = (String::new(), String::new());
    for axis in 0..rank {
        let (factor, first, mask) =
            (1 + random.below(7_u32), random.below(8_u32), 7 + 8 * random.below(2_u32));
        for (name, value) in [("factor", factor), ("first", first), ("mask", mask)] {
            constants += &format!("%{name}{axis} = OpConstant %uint {value}\n");
        }
        body += &format!(
            "%scaled{axis} = OpIMul %uint %gid %factor{axis}\n%moved{axis} = OpIAdd %uint %scaled{axis} %first{axis}\n\
             %at{axis} = OpBitwiseAnd %uint %moved{axis} %mask{axis}\n"
        );
        at += &format!(" %at{axis}");
    }
    let outside = random.word() & (u32::MAX >> (32 - bits));
    body += &format!(
        "%place = OpCompositeConstruct %coordinates{at}\n\
         %values = OpTensorReadARM %elements %source %place OutOfBoundsValueARM %outside\n\
         %row = OpCompositeConstruct %target_coordinates %gid %uint_0\n\
         OpTensorWriteARM %into %row %values\n\
         %size = OpTensorQuerySizeARM %uint %source %uint_0\n%behind = OpIAdd %uint %size %uint_{COUNT}\n\
         %one = OpTensorReadARM %element %source %place OutOfBoundsValueARM %outside\n\
         %last = OpCompositeConstruct %target_coordinates %gid %behind\nOpTensorWriteARM %into %last %one"
    );
    let (capability, element, outside) = match bits {
        8 => ("Int8", "OpTypeInt 8 0", outside.to_string()),
        16 => ("Int16", "OpTypeInt 16 0", outside.to_string()),
        _ => ("Shader", "OpTypeFloat 32", "0.5".to_owned()),
    };
    Shader::compute([INVOCATIONS, 1, 1], &body)
        .capability(&format!("TensorsARM {capability}"))
        .extension("SPV_ARM_tensors")
        .input("id", "uint3", "BuiltIn GlobalInvocationId")
        .decorate(
            "OpDecorate %from DescriptorSet 0\nOpDecorate %from Binding 0\n\
             OpDecorate %to DescriptorSet 0\nOpDecorate %to Binding 1",
        )
        .declare(&format!(
            "%element = {element}\n{constants}%rank = OpConstant %uint {rank}\n%count = OpConstant %uint {count}\n\
             %outside = OpConstant %element {outside}\n%tensor = OpTypeTensorARM %element %rank\n\
             %target_tensor = OpTypeTensorARM %element %uint_2\n\
             %to_tensor = OpTypePointer UniformConstant %tensor\n\
             %to_target = OpTypePointer UniformConstant %target_tensor\n\
             %from = OpVariable %to_tensor UniformConstant\n%to = OpVariable %to_target UniformConstant\n\
             %coordinates = OpTypeArray %uint %rank\n%target_coordinates = OpTypeArray %uint %uint_2\n\
             %elements = OpTypeArray %element %count"
        ))
        .text()
}

impl Tensors {
    pub(crate) fn new() -> Tensors {
        let mut core = vk::PhysicalDeviceFeatures2::builder()
            .features(vk::PhysicalDeviceFeatures { shader_int16: 1, ..Default::default() });
        let mut v12 = vk::PhysicalDeviceVulkan12Features::builder().shader_int8(true);
        let mut tensors = vk::PhysicalDeviceTensorFeaturesARM::builder()
            .tensors(true)
            .tensor_non_packed(true)
            .shader_tensor_access(true);
        v12.next = (&raw mut tensors).cast();
        core.next = (&raw mut v12).cast();
        let version = vk::make_version(1, 3, 0);
        Tensors { context: Compute::new(version, &[c"VK_ARM_tensors"], (&raw mut core).cast()), cases: 0 }
    }

    /// Another one is to be made.
    pub(crate) fn is_full(&self) -> bool {
        self.cases >= CASES
    }

    /// The target, and what the source was copied to.
    pub(crate) fn access(&mut self, case: u64) -> Vec<u8> {
        self.cases += 1;
        let (random, context) = (&mut Random::new(case ^ 0x7e45_0000_0000), &self.context);
        let (format, bits) = random.pick(&[
            (vk::Format::R8_UINT, 8),
            (vk::Format::R16_UINT, 16),
            (vk::Format::R32_SFLOAT, 32),
        ]);
        let (rank, count) = (1 + random.below(4_usize), 1 + random.below(COUNT));
        let dimensions: Vec<i64> = (0..rank).map(|_| 1 + random.below(SIDE) as i64).collect();
        let element = i64::from(bits / 8);
        let sources = [(); 2].map(|()| strides(random, &dimensions, element));
        let [source, copy] = sources.map(|strides| Tensor::new(context, format, &dimensions, &strides));
        let size = [i64::from(INVOCATIONS), i64::from(COUNT) + 8];
        let target = Tensor::new(context, format, &size, &strides(random, &size, element));
        source.fill(|| random.word() as u8);
        [&copy, &target].into_iter().for_each(|tensor| tensor.fill(|| 0x5a));
        let kind = vk::DescriptorType::TENSOR_ARM;
        let layout = context.set_layout(Default::default(), &[(kind, 1), (kind, 1)]);
        let pipeline_layout = context.layout(&[layout]);
        let pipeline = context.pipeline(pipeline_layout, &text(random, bits, rank, count));
        let set = context.set_of(layout, &[(kind, 2)]);
        for (binding, view) in [(0, source.view), (1, target.view)] {
            let views = vk::WriteDescriptorSetTensorARM {
                tensor_view_count: 1,
                tensor_views: &view,
                ..Default::default()
            };
            let write = vk::WriteDescriptorSet {
                next: (&raw const views).cast(),
                dst_set: set,
                dst_binding: binding,
                descriptor_count: 1,
                descriptor_type: kind,
                ..Default::default()
            };
            // SAFETY: the structures live until the call returns.
            unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        }
        context.run(|commands| {
            let region = vk::TensorCopyARM::default();
            let info = vk::CopyTensorInfoARM {
                src_tensor: source.tensor,
                dst_tensor: copy.tensor,
                region_count: 1,
                regions: &region,
                ..Default::default()
            };
            let device = &context.device;
            // SAFETY: the objects are the device's, and alive.
            unsafe {
                device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
                device.cmd_bind_descriptor_sets(commands, COMPUTE, pipeline_layout, 0, &[set], &[]);
                device.cmd_dispatch(commands, 1, 1, 1);
                device.cmd_copy_tensor_arm(commands, &info);
            }
        });
        let found = [target.contents(), copy.contents()].concat();
        [source, copy, target].into_iter().for_each(|tensor| tensor.destroy(context));
        found
    }
}
