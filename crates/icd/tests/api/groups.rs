//! What invocations of a dispatch see of each other: sizes of subgroups, and messages between workgroups.

use pyro_shadertext::Shader;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrPipelineExecutablePropertiesExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Writes the size of the subgroup, how many there are, the invocation's place and the subgroup's number to
/// the four words of each invocation.
fn sizes_text(workgroup: u32) -> String {
    Shader::compute(
        [workgroup, 1, 1],
        "%i = OpLoad %uint %index
        %a = OpLoad %uint %size
        %b = OpLoad %uint %number
        %c = OpLoad %uint %lane
        %d = OpLoad %uint %subgroup
        %pa = OpAccessChain %buffer_uint %target %uint_0 %i %uint_0
        %pb = OpAccessChain %buffer_uint %target %uint_0 %i %uint_1
        %pc = OpAccessChain %buffer_uint %target %uint_0 %i %uint_2
        %pd = OpAccessChain %buffer_uint %target %uint_0 %i %uint_3
        OpStore %pa %a
        OpStore %pb %b
        OpStore %pc %c
        OpStore %pd %d",
    )
    .capability("GroupNonUniform")
    .input("index", "uint", "BuiltIn LocalInvocationIndex")
    .input("size", "uint", "BuiltIn SubgroupSize")
    .input("number", "uint", "BuiltIn NumSubgroups")
    .input("lane", "uint", "BuiltIn SubgroupLocalInvocationId")
    .input("subgroup", "uint", "BuiltIn SubgroupId")
    .buffers_of("four", 16, &["target"])
    .decorate("OpDecorate %four ArrayStride 4")
    .declare("%four = OpTypeArray %uint %uint_4")
    .text()
}

#[test]
fn required_subgroup_size_is_used() {
    let mut features = vk::PhysicalDeviceVulkan13Features::builder()
        .subgroup_size_control(true)
        .compute_full_subgroups(true)
        .build();
    let context = Compute::new(V1_3, &[], (&raw mut features).cast());
    let (smallest, largest, default) = {
        let mut control = vk::PhysicalDeviceVulkan13Properties::default();
        let mut subgroups = vk::PhysicalDeviceVulkan11Properties::default();
        let mut all =
            vk::PhysicalDeviceProperties2::builder().push_next(&mut control).push_next(&mut subgroups);
        unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
        (control.min_subgroup_size, control.max_subgroup_size, subgroups.subgroup_size)
    };
    assert!(smallest <= 4 && largest >= 32 && default == 16, "{smallest} {largest} {default}");
    let layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (pipeline_layout, set) = (context.layout(&[layout]), context.set(layout));
    let sizes = (0..).map(|shift| smallest << shift).take_while(|&size| size <= largest);
    let full = vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS;
    let varying = vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE;
    let none = vk::PipelineShaderStageCreateFlags::empty();
    let asked = sizes.flat_map(|size| [(Some(size), none), (Some(size), full)]);
    for (size, flags) in asked.chain([(None, none), (None, full), (None, varying), (None, full | varying)]) {
        // Whole subgroups must fill the workgroup's first side; else some are not full.
        for workgroup in if flags.contains(full) { vec![64, 128] } else { vec![1, 7, 40, 64] } {
            let target = context.buffer(4 * workgroup as usize);
            context.write(set, target.buffer);
            let pipeline = context.staged_pipeline(pipeline_layout, &sizes_text(workgroup), flags, size);
            context.run(|commands| unsafe {
                context.device.cmd_bind_pipeline(commands, POINT, pipeline);
                context.device.cmd_bind_descriptor_sets(commands, POINT, pipeline_layout, 0, &[set], &[]);
                context.device.cmd_dispatch(commands, 1, 1, 1);
            });
            let real = size.unwrap_or(default);
            let words = target.words();
            for (index, seen) in (0..workgroup).zip(words.chunks(4)) {
                let place = [index % real, index / real];
                // Without the flag the built-in says what the device says; with it, what the subgroup has.
                assert_eq!(seen[..2], [real, workgroup.div_ceil(real)], "{size:?} {flags:?} {workgroup}");
                assert_eq!(seen[2..], place, "{size:?} {flags:?} {workgroup}");
            }
        }
    }
}

#[test]
fn required_subgroup_size_counts_for_shaders_that_see_it() {
    let mut features = vk::PhysicalDeviceVulkan13Features::builder().subgroup_size_control(true).build();
    let context = Compute::new(V1_3, &[c"VK_KHR_pipeline_executable_properties"], (&raw mut features).cast());
    let layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[layout]);
    let lanes = |text: &str| {
        let none = vk::PipelineShaderStageCreateFlags::empty();
        let pipeline = context.staged_pipeline(layout, text, none, Some(4));
        let info = vk::PipelineInfoKHR::builder().pipeline(pipeline);
        let all = unsafe { context.device.get_pipeline_executable_properties_khr(&info) };
        all.expect("executables")[0].subgroup_size
    };
    assert_eq!(lanes(&sizes_text(64)), 4);
    // It loads the size, and does not use it.
    let unused = Shader::compute(
        [64, 1, 1],
        "%i = OpLoad %uint %index
        %a = OpLoad %uint %size
        %place = OpAccessChain %buffer_uint %target %uint_0 %i
        OpStore %place %i",
    )
    .capability("GroupNonUniform")
    .input("index", "uint", "BuiltIn LocalInvocationIndex")
    .input("size", "uint", "BuiltIn SubgroupSize")
    .buffers(&["target"])
    .text();
    assert!(lanes(&unused) > 4);
}

/// Each invocation of a workgroup writes a number and then, with a release, its flag; it then looks at the
/// flag of the workgroup at its other side with an acquire: where that is set, the number must be there. Both
/// through two bindings of one buffer.
fn messages() -> String {
    Shader::compute(
        [32, 1, 1],
        "%ids = OpLoad %uint3 %id
        %mine = OpCompositeExtract %uint %ids 0
        %other = OpISub %uint %last %mine
        %my_number = OpAccessChain %buffer_uint %numbers %uint_0 %mine
        %my_flag = OpAccessChain %buffer_uint %flags %uint_0 %mine
        %its_number = OpAccessChain %buffer_uint %numbers %uint_0 %other
        %its_flag = OpAccessChain %buffer_uint %flags %uint_0 %other
        %to_tell = OpIAdd %uint %mine %secret
        OpStore %my_number %to_tell NonPrivatePointer
        OpAtomicStore %my_flag %device %release %uint_1
        %flag = OpAtomicLoad %uint %its_flag %device %acquire
        %told = OpLoad %uint %its_number NonPrivatePointer
        %is_set = OpIEqual %bool %flag %uint_1
        %seen = OpSelect %uint %is_set %told %uint_0
        %out = OpAccessChain %buffer_uint %result %uint_0 %mine
        OpStore %out %seen",
    )
    .vulkan_memory_model()
    .capability("VulkanMemoryModelDeviceScope")
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .buffers(&["numbers", "flags", "result"])
    .declare(
        "%device = OpConstant %uint 1
        %last = OpConstant %uint 4095
        %release = OpConstant %uint 0x2044
        %acquire = OpConstant %uint 0x4042
        %secret = OpConstant %uint 1000000",
    )
    .text()
}

#[test]
fn release_store_is_visible_to_acquire_load() {
    const COUNT: usize = 4096;
    let mut features = vk::PhysicalDeviceVulkan12Features::builder()
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true)
        .build();
    let context = Compute::new(V1_3, &[], (&raw mut features).cast());
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1); 3];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let layout = context.layout(&[set_layout]);
    let set = context.set(set_layout);
    // Numbers and flags in one buffer, and all of it seen once more by the results.
    let memory = context.buffer(3 * COUNT);
    for binding in 0..3u32 {
        context.write_range(set, binding, memory.buffer, u64::from(binding) * 4 * COUNT as u64);
    }
    let pipeline = context.pipeline(layout, &messages());
    let mut seen_of_others = 0;
    for _ in 0..100 {
        (0..3 * COUNT).for_each(|index| memory.put(index, 0));
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            context.device.cmd_dispatch(commands, COUNT as u32 / 32, 1, 1);
        });
        for (mine, &seen) in memory.words()[2 * COUNT..].iter().enumerate() {
            let told = 1_000_000 + (COUNT - 1 - mine) as u32;
            assert!(seen == 0 || seen == told, "invocation {mine} saw {seen}");
            seen_of_others += usize::from(seen != 0);
        }
    }
    // The later half comes behind the first at least, mostly.
    assert!(seen_of_others > 100 * COUNT / 4, "{seen_of_others}");
}

/// Writes the built-ins of cores to the words of each invocation. The first invocation of each subgroup takes
/// the place of core and warp in a table while its workgroup runs, and counts who finds it taken.
fn cores_text() -> String {
    let names = ["sm_count", "sm", "warps", "warp", "core_count", "core_max", "core", "warp_max", "warp_arm"];
    let built_ins = [
        "SMCountNV",
        "SMIDNV",
        "WarpsPerSMNV",
        "WarpIDNV",
        "CoreCountARM",
        "CoreMaxIDARM",
        "CoreIDARM",
        "WarpMaxIDARM",
        "WarpIDARM",
    ];
    let each = |f: &dyn Fn(usize, &str) -> String| {
        names.iter().enumerate().map(|(index, name)| f(index, name)).collect::<Vec<_>>().join("\n")
    };
    format!(
        "OpCapability Shader
        OpCapability GroupNonUniform
        OpCapability ShaderSMBuiltinsNV
        OpCapability CoreBuiltinsARM
        OpExtension \"SPV_NV_shader_sm_builtins\"
        OpExtension \"SPV_ARM_core_builtins\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id %lane {interface}
        OpExecutionMode %main LocalSize 64 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %lane BuiltIn SubgroupLocalInvocationId
        {decorations}
        OpDecorate %words ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %target DescriptorSet 0
        OpDecorate %target Binding 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %uint3 = OpTypeVector %uint 3
        %in_uint3 = OpTypePointer Input %uint3
        %in = OpTypePointer Input %uint
        %id = OpVariable %in_uint3 Input
        %lane = OpVariable %in Input
        {variables}
        {constants}
        %table = OpConstant %uint {TABLE}
        %workgroup = OpConstant %uint 2
        %order = OpConstant %uint 264
        %words = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %words
        %a_block = OpTypePointer StorageBuffer %block
        %a_word = OpTypePointer StorageBuffer %uint
        %target = OpVariable %a_block StorageBuffer
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %l = OpLoad %uint %lane
        {loads}
        %row = OpIMul %uint %v_sm %v_warps
        %slot = OpIAdd %uint %row %v_warp
        %after = OpIAdd %uint %slot %table
        %after_counter = OpIAdd %uint %after %uint_1
        %place = OpAccessChain %a_word %target %uint_0 %after_counter
        %counter = OpAccessChain %a_word %target %uint_0 %table
        %first = OpIEqual %bool %l %uint_0
        OpSelectionMerge %taken None
        OpBranchConditional %first %take %taken
        %take = OpLabel
        %old = OpAtomicIAdd %uint %place %uint_1 %uint_0 %uint_1
        %more = OpAtomicIAdd %uint %counter %uint_1 %uint_0 %old
        OpBranch %taken
        %taken = OpLabel
        OpControlBarrier %workgroup %workgroup %order
        {stores}
        OpControlBarrier %workgroup %workgroup %order
        OpSelectionMerge %done None
        OpBranchConditional %first %leave %done
        %leave = OpLabel
        %again = OpAtomicISub %uint %place %uint_1 %uint_0 %uint_1
        OpBranch %done
        %done = OpLabel
        OpReturn
        OpFunctionEnd",
        interface = each(&|_, name| format!("%{name}")).replace('\n', " "),
        decorations = each(&|index, name| format!("OpDecorate %{name} BuiltIn {}", built_ins[index])),
        variables = each(&|_, name| format!("%{name} = OpVariable %in Input")),
        constants =
            (0..10).map(|value| format!("%uint_{value} = OpConstant %uint {value}\n")).collect::<String>(),
        loads = each(&|_, name| format!("%v_{name} = OpLoad %uint %{name}")),
        stores = each(&|index, name| format!(
            "%at_{name}_row = OpIMul %uint %gid %uint_9
             %at_{name} = OpIAdd %uint %at_{name}_row %uint_{index}
             %p_{name} = OpAccessChain %a_word %target %uint_0 %at_{name}
             OpStore %p_{name} %v_{name}"
        )),
    )
}

/// Workgroups of [`cores_text`], of 64 invocations, and where the table is behind their words.
const GROUPS: usize = 64;
const TABLE: usize = GROUPS * 64 * 9;

#[test]
fn subgroups_know_the_core_that_runs_them() {
    let extensions = [c"VK_NV_shader_sm_builtins", c"VK_ARM_shader_core_builtins"];
    let mut arm =
        vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM::builder().shader_core_builtins(true).build();
    let mut features =
        vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV::builder().shader_sm_builtins(true).build();
    features.next = (&raw mut arm).cast();
    let context = Compute::new(V1_3, &extensions, (&raw mut features).cast());
    let mut cores = vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM::default();
    let mut sms = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut cores).push_next(&mut sms);
    unsafe { context.instance.get_physical_device_properties2(context.physical_device, &mut all) };
    let (count, warps) = (sms.shader_sm_count, sms.shader_warps_per_sm);
    assert_eq!((cores.shader_core_count, cores.shader_warps_per_core), (count, warps));
    assert_eq!(cores.shader_core_mask.count_ones(), count.min(64));
    let layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (pipeline_layout, set) = (context.layout(&[layout]), context.set(layout));
    let target = context.buffer(TABLE + 1 + (count * warps) as usize);
    context.write(set, target.buffer);
    let pipeline = context.pipeline(pipeline_layout, &cores_text());
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, pipeline_layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, GROUPS as u32, 1, 1);
    });
    let words = target.words();
    for (index, seen) in words[..TABLE].chunks(9).enumerate() {
        let &[sm_count, sm, warps_per_sm, warp, core_count, core_max, core, warp_max, warp_arm] = seen else {
            panic!("nine words");
        };
        assert_eq!([sm_count, core_count, core_max + 1], [count; 3]);
        assert_eq!([warps_per_sm, warp_max + 1], [warps; 2]);
        assert_eq!((core, warp_arm), (sm, warp));
        assert!(sm < count && warp < warps);
        // All of a workgroup run on one, each subgroup with a number of its own.
        assert_eq!(sm, words[index / 64 * 64 * 9 + 1]);
        assert_eq!(warp as usize, index % 64 / 16);
    }
    // Nobody has found a place taken.
    assert_eq!(words[TABLE], 0);
}
