//! Banks of push constants (`VK_NV_push_constant_bank`), of compute and graphics pipelines and of heaps.

use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrMaintenance6ExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Words that a dispatch writes.
const WORDS: usize = 6;

/// Writes words of the first bank, the same one word further on, of the fourth bank and the same 16 bytes
/// further on, to the buffer from the word on that the first bank begins with.
fn text() -> String {
    let stores: String = ["first", "further", "fourth", "shifted"]
        .iter()
        .flat_map(|block| [(block, 0), (block, 1)])
        // The place itself, and the word that overlaps it, need no test.
        .filter(|&(block, member)| (*block, member) != ("first", 0) && (*block, member) != ("further", 0))
        .enumerate()
        .map(|(index, (block, member))| {
            format!(
                "%at{index} = OpIAdd %uint %start %uint_{index}\n\
                 %from{index} = OpAccessChain %pushed %{block} %uint_{member}\n\
                 %value{index} = OpLoad %uint %from{index}\n\
                 %to{index} = OpAccessChain %word %buffer %uint_0 %at{index}\nOpStore %to{index} %value{index}\n"
            )
        })
        .collect();
    let constants: String =
        (0..WORDS).map(|number| format!("%uint_{number} = OpConstant %uint {number}\n")).collect();
    format!(
        "OpCapability Shader\nOpCapability PushConstantBanksNV\nOpExtension \"SPV_NV_push_constant_bank\"\n\
         OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
         OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %push Block\nOpMemberDecorate %push 0 Offset 0\n\
         OpMemberDecorate %push 1 Offset 4\nOpDecorate %further MemberOffsetNV 4\nOpDecorate %fourth BankNV 3\n\
         OpDecorate %shifted BankNV 3\nOpDecorate %shifted MemberOffsetNV 16\nOpDecorate %array ArrayStride 4\n\
         OpDecorate %block BufferBlock\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %buffer DescriptorSet 0\n\
         OpDecorate %buffer Binding 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n\
         {constants}%push = OpTypeStruct %uint %uint\n%pushes = OpTypePointer PushConstant %push\n\
         %pushed = OpTypePointer PushConstant %uint\n%first = OpVariable %pushes PushConstant\n\
         %further = OpVariable %pushes PushConstant\n%fourth = OpVariable %pushes PushConstant\n\
         %shifted = OpVariable %pushes PushConstant\n%array = OpTypeRuntimeArray %uint\n\
         %block = OpTypeStruct %array\n%blocks = OpTypePointer Uniform %block\n\
         %word = OpTypePointer Uniform %uint\n%buffer = OpVariable %blocks Uniform\n\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n%p = OpAccessChain %pushed %first %uint_0\n\
         %start = OpLoad %uint %p\n{stores}OpReturn\nOpFunctionEnd"
    )
}

fn push(
    context: &Compute,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    bank: u32,
    offset: u32,
    words: &[u32],
) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut in_bank = vk::PushConstantBankInfoNV { bank, ..Default::default() };
    let info = vk::PushConstantsInfo::builder()
        .layout(layout)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .offset(offset)
        .values(&bytes)
        .push_next(&mut in_bank);
    unsafe { context.device.cmd_push_constants2_khr(commands, &info) };
}

/// Each dispatch sees what was pushed to its banks before it, and keeps it when more is pushed later.
#[test]
fn each_bank_has_push_constants_of_its_own() {
    let mut features = vk::PhysicalDevicePushConstantBankFeaturesNV::builder().push_constant_bank(true);
    let extensions = [c"VK_NV_push_constant_bank", c"VK_KHR_maintenance6"];
    let context = Compute::new(V1_3, &extensions, (&raw mut features).cast());
    let mut banks = vk::PhysicalDevicePushConstantBankPropertiesNV::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut banks);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    assert!(banks.max_compute_push_constant_banks > 3 && banks.max_graphics_push_constant_banks > 3);

    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 32 };
    let (sets, ranges) = ([set_layout], [range]);
    let info = vk::PipelineLayoutCreateInfo::builder().set_layouts(&sets).push_constant_ranges(&ranges);
    let layout = unsafe { context.device.create_pipeline_layout(&info, None) }.expect("a layout");
    let pipeline = context.pipeline(layout, &text());
    let (set, target) = (context.set(set_layout), context.buffer(3 * WORDS));
    context.write(set, target.buffer);
    let device = &context.device;
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        // Nothing was pushed to the fourth bank yet.
        push(&context, commands, layout, 0, 0, &[0, 11, 12]);
        device.cmd_dispatch(commands, 1, 1, 1);
        push(&context, commands, layout, 0, 0, &[WORDS as u32, 21, 22]);
        push(&context, commands, layout, 3, 0, &[31, 32, 0, 0, 35, 36]);
        device.cmd_dispatch(commands, 1, 1, 1);
        push(&context, commands, layout, 0, 0, &[2 * WORDS as u32]);
        push(&context, commands, layout, 3, 16, &[45]);
        // Another bank's.
        push(&context, commands, layout, 2, 0, &[7; 8]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    let words = target.words();
    assert_eq!(words[..3 * WORDS], [11, 12, 0, 0, 0, 0, 21, 22, 31, 32, 35, 36, 21, 22, 31, 32, 45, 36][..]);
    unsafe { device.destroy_pipeline_layout(layout, None) };
}
