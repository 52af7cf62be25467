//! Shader instrumentation through the entry points: what basic blocks of each stage count is what the test
//! computes.
#![allow(clippy::missing_transmute_annotations)] // fields say what commands are

use pyro_driver::instrumentation::{METRICS, MetricBlock};
use pyro_driver::registry_supplement;
use pyro_shadertext::Shader;
use pyro_test_kit::canvas::Canvas;
use pyro_test_kit::compute::Compute;
use std::ffi::CStr;
use std::mem::transmute;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMultiDrawExtensionDeviceCommands as _;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const EXTENSION: &CStr = c"VK_ARM_shader_instrumentation";
const FLAG: u64 = registry_supplement::PIPELINE_CREATE_2_INSTRUMENT_SHADERS_ARM;

/// The extension's commands on a device.
struct Commands {
    device: vk::Device,
    create: registry_supplement::PFN_vkCreateShaderInstrumentationARM,
    destroy: registry_supplement::PFN_vkDestroyShaderInstrumentationARM,
    begin: registry_supplement::PFN_vkCmdBeginShaderInstrumentationARM,
    end: registry_supplement::PFN_vkCmdEndShaderInstrumentationARM,
    values: registry_supplement::PFN_vkGetShaderInstrumentationValuesARM,
    clear: registry_supplement::PFN_vkClearShaderInstrumentationMetricsARM,
}

impl Commands {
    fn new(instance: &Instance, device: &Device) -> Commands {
        let device = device.handle();
        let find = |name: &CStr| unsafe { instance.get_device_proc_addr(device, name) }.expect("the command");
        unsafe {
            Commands {
                device,
                create: transmute(find(c"vkCreateShaderInstrumentationARM")),
                destroy: transmute(find(c"vkDestroyShaderInstrumentationARM")),
                begin: transmute(find(c"vkCmdBeginShaderInstrumentationARM")),
                end: transmute(find(c"vkCmdEndShaderInstrumentationARM")),
                values: transmute(find(c"vkGetShaderInstrumentationValuesARM")),
                clear: transmute(find(c"vkClearShaderInstrumentationMetricsARM")),
            }
        }
    }

    fn make(&self) -> u64 {
        let info = registry_supplement::ShaderInstrumentationCreateInfoARM::default();
        let mut made = 0;
        let code = unsafe { (self.create)(self.device, &raw const info, std::ptr::null(), &raw mut made) };
        assert_eq!(code, vk::Result::SUCCESS);
        made
    }

    fn count(&self, instrumentation: u64) -> u32 {
        let mut count = 0;
        let null = std::ptr::null_mut();
        let code = unsafe { (self.values)(self.device, instrumentation, &raw mut count, null, 0) };
        assert_eq!(code, vk::Result::SUCCESS);
        count
    }

    /// The first blocks, at most so many, at an address that is aligned to nothing.
    fn blocks_of(&self, instrumentation: u64, room: u32) -> (vk::Result, Vec<MetricBlock>) {
        let size = size_of::<MetricBlock>();
        assert_eq!(size, 16 + 8 * METRICS.len());
        let mut bytes = vec![0xa5_u8; 1 + (room as usize + 1) * size];
        let mut count = room;
        let out = bytes[1..].as_mut_ptr().cast();
        let code = unsafe { (self.values)(self.device, instrumentation, &raw mut count, out, 0) };
        assert!(bytes[1 + count as usize * size..].iter().all(|&byte| byte == 0xa5), "no more is written");
        let block = |index: u32| unsafe {
            bytes[1 + index as usize * size..].as_ptr().cast::<MetricBlock>().read_unaligned()
        };
        (code, (0..count).map(block).collect())
    }

    fn blocks(&self, instrumentation: u64) -> Vec<MetricBlock> {
        let (code, blocks) = self.blocks_of(instrumentation, self.count(instrumentation));
        assert_eq!(code, vk::Result::SUCCESS);
        blocks
    }

    fn destroy(&self, instrumentation: u64) {
        unsafe { (self.destroy)(self.device, instrumentation, std::ptr::null()) };
    }
}

/// Result, stage, block and invocations of each.
fn summary(blocks: &[MetricBlock]) -> Vec<(u32, u32, u32, u64)> {
    assert!(blocks.iter().all(|block| block.result_sub_index == 0));
    let summary =
        |block: &MetricBlock| (block.result_index, block.stages, block.basic_block_index, block.values[0]);
    blocks.iter().map(summary).collect()
}

fn metric(name: &str) -> usize {
    METRICS.iter().position(|(other, _)| *other == name).expect("a metric")
}

/// Invocations of a workgroup: no multiple of a subgroup's.
const LOCAL: u32 = 20;

/// Of invocation `g`: every third adds one to an atomic counter; then `g % 4` rounds of a loop call a
/// function.
const COMPUTE: &str = "
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id
        OpEntryPoint GLCompute %other \"other\" %id
        OpExecutionMode %main LocalSize 20 1 1
        OpExecutionMode %other LocalSize 1 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %array ArrayStride 4
        OpDecorate %block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %float3 = OpTypeVector %float 3
        %uint3 = OpTypeVector %uint 3
        %in_uint3 = OpTypePointer Input %uint3
        %id = OpVariable %in_uint3 Input
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %blocks = OpTypePointer Uniform %block
        %word = OpTypePointer Uniform %uint
        %buffer = OpVariable %blocks Uniform
        %uint_0 = OpConstant %uint 0
        %uint_1 = OpConstant %uint 1
        %uint_3 = OpConstant %uint 3
        %uint_4 = OpConstant %uint 4
        %helper_fn = OpTypeFunction %uint %uint
        %main = OpFunction %void None %fn
        %b0 = OpLabel
        %ids = OpLoad %uint3 %id
        %g = OpCompositeExtract %uint %ids 0
        %third = OpUMod %uint %g %uint_3
        %is_third = OpIEqual %bool %third %uint_0
        OpSelectionMerge %b2 None
        OpBranchConditional %is_third %b1 %b2
        %b1 = OpLabel
        %counter = OpAccessChain %word %buffer %uint_0 %uint_0
        %old = OpAtomicIAdd %uint %counter %uint_1 %uint_0 %uint_1
        OpBranch %b2
        %b2 = OpLabel
        %rounds = OpUMod %uint %g %uint_4
        OpBranch %b3
        %b3 = OpLabel
        %i = OpPhi %uint %uint_0 %b2 %next %b5
        %x = OpPhi %uint %g %b2 %y %b5
        %goes_on = OpULessThan %bool %i %rounds
        OpLoopMerge %b6 %b5 None
        OpBranchConditional %goes_on %b4 %b6
        %b4 = OpLabel
        %y = OpFunctionCall %uint %helper %x
        OpBranch %b5
        %b5 = OpLabel
        %next = OpIAdd %uint %i %uint_1
        OpBranch %b3
        %b6 = OpLabel
        %place = OpIAdd %uint %g %uint_1
        %to = OpAccessChain %word %buffer %uint_0 %place
        OpStore %to %x
        OpReturn
        OpFunctionEnd
        %other = OpFunction %void None %fn
        %c0 = OpLabel
        OpReturn
        OpFunctionEnd
        %helper = OpFunction %uint None %helper_fn
        %a = OpFunctionParameter %uint
        %b7 = OpLabel
        %f = OpConvertUToF %float %a
        %v = OpCompositeConstruct %float3 %f %f %f
        %w = OpFAdd %float3 %v %v
        %w0 = OpCompositeExtract %float %w 0
        %r = OpConvertFToU %uint %w0
        OpReturnValue %r
        OpFunctionEnd";

/// A compute pipeline with flags of 64 bits.
fn pipeline(compute: &Compute, layout: vk::PipelineLayout, text: &str, flags: u64) -> vk::Pipeline {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    let mut flags = vk::PipelineCreateFlags2CreateInfo {
        flags: unsafe { vk::PipelineCreateFlags2::from_bits_unchecked(flags) },
        ..Default::default()
    };
    unsafe {
        let module = compute.device.create_shader_module(&info, None).expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder()
            .stage(stage)
            .layout(layout)
            .push_next(&mut flags)
            .build();
        let made = compute.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        compute.device.destroy_shader_module(module, None);
        made.expect("a pipeline").0[0]
    }
}

#[test]
fn metrics_are_described() {
    let compute = Compute::new(vk::make_version(1, 3, 0), &[EXTENSION], std::ptr::null_mut());
    let mut own = registry_supplement::PhysicalDeviceShaderInstrumentationPropertiesARM::default();
    let mut all = vk::PhysicalDeviceProperties2 { next: (&raw mut own).cast(), ..Default::default() };
    let instance = &compute.instance;
    unsafe { instance.get_physical_device_properties2(compute.physical_device, &mut all) };
    assert_eq!((own.num_metrics as usize, own.per_basic_block_granularity), (METRICS.len(), 1));
    let name = c"vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM";
    let enumerate: registry_supplement::PFN_vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM = unsafe {
        let find = pyroclast_icd::get_instance_proc_addr(instance.handle(), name.as_ptr());
        transmute(find.expect("the command"))
    };
    let mut count = 0;
    let code = unsafe { enumerate(compute.physical_device, &raw mut count, std::ptr::null_mut()) };
    assert_eq!((code, count), (vk::Result::SUCCESS, own.num_metrics));
    for (room, expected) in [(count, vk::Result::SUCCESS), (2, vk::Result::INCOMPLETE)] {
        let mut given = room;
        let mut out: Vec<registry_supplement::ShaderInstrumentationMetricDescriptionARM> = (0..room)
            .map(|_| registry_supplement::ShaderInstrumentationMetricDescriptionARM::default())
            .collect();
        let code = unsafe { enumerate(compute.physical_device, &raw mut given, out.as_mut_ptr()) };
        assert_eq!((code, given), (expected, room));
        for (out, (name, description)) in out.iter().zip(METRICS) {
            assert_eq!(out.name.to_string_lossy(), name);
            assert_eq!(out.description.to_string_lossy(), description);
        }
    }
}

/// What each invocation does in a block.
fn check_costs(blocks: &[MetricBlock]) {
    let costs = [
        ("instructions", [5, 2, 2, 2, 2, 2, 3, 6]),
        ("integer", [2, 0, 1, 1, 0, 1, 1, 0]),
        ("float", [0, 0, 0, 0, 0, 0, 0, 3]),
        ("convert", [0, 0, 0, 0, 0, 0, 0, 2]),
        ("move", [1, 0, 0, 0, 0, 0, 0, 2]),
        ("load", [1, 0, 0, 0, 0, 0, 0, 0]),
        ("store", [0, 0, 0, 0, 0, 0, 1, 0]),
        ("atomic", [0, 1, 0, 0, 0, 0, 0, 0]),
        ("branch", [1, 0, 0, 1, 0, 0, 0, 0]),
        ("image", [0; 8]),
        ("function", [0; 8]),
        ("group", [0; 8]),
    ];
    for (name, costs) in costs {
        for block in blocks {
            let cost: u64 = costs[block.basic_block_index as usize];
            // Access chains are instructions, too.
            let chains = u64::from(name == "instructions" && [1, 6].contains(&block.basic_block_index));
            let expected = block.values[0] * (cost + chains);
            assert_eq!(block.values[metric(name)], expected, "{name} of {block:?}");
        }
    }
}

#[test]
fn blocks_count_their_invocations_by_command() {
    let compute = Compute::new(vk::make_version(1, 3, 0), &[EXTENSION], std::ptr::null_mut());
    let commands = Commands::new(&compute.instance, &compute.device);
    let set_layout = compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = compute.layout(&[set_layout]);
    let counted = pipeline(&compute, layout, COMPUTE, FLAG);
    let plain = pipeline(&compute, layout, COMPUTE, 0);
    let buffer = compute.buffer(2000);
    let set = compute.set(set_layout);
    compute.write(set, buffer.buffer);
    let instrumentation = commands.make();
    let device = &compute.device;
    let point = vk::PipelineBindPoint::COMPUTE;
    // Results 0 and 1, then one of a pipeline that does not count, then 3, in two pieces.
    buffer.put(1990, 3);
    buffer.put(1991, 2);
    buffer.put(1992, 1);
    let recorded = compute.record(|buffer_| unsafe {
        device.cmd_bind_pipeline(buffer_, point, counted);
        device.cmd_bind_descriptor_sets(buffer_, point, layout, 0, &[set], &[]);
        device.cmd_dispatch(buffer_, 50, 1, 1);
        (commands.begin)(buffer_, instrumentation);
        device.cmd_dispatch(buffer_, 40, 1, 1);
        device.cmd_dispatch(buffer_, 1, 1, 1);
        (commands.end)(buffer_);
        device.cmd_dispatch(buffer_, 2, 1, 1);
        (commands.begin)(buffer_, instrumentation);
        device.cmd_bind_pipeline(buffer_, point, plain);
        device.cmd_dispatch(buffer_, 7, 1, 1);
        device.cmd_bind_pipeline(buffer_, point, counted);
        device.cmd_dispatch_indirect(buffer_, buffer.buffer, 4 * 1990);
        (commands.end)(buffer_);
    });
    assert_eq!(commands.count(instrumentation), 0, "nothing has run");
    let submit = || unsafe {
        let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&recorded));
        device.queue_submit(compute.queue, &[submit], vk::Fence::null()).expect("submitted");
        device.queue_wait_idle(compute.queue).expect("idle");
    };
    submit();
    // How often each block runs, computed: the function's block is the eighth.
    let expected = |result: u32, groups: [u32; 3]| -> Vec<(u32, u32, u32, u64)> {
        let mut counts = [0; 8];
        for g in 0..groups[0] * LOCAL {
            let rounds = u64::from(g % 4);
            let once = [1, u64::from(g % 3 == 0), 1, rounds + 1, rounds, rounds, 1, rounds];
            let rows = u64::from(groups[1] * groups[2]);
            counts.iter_mut().zip(once).for_each(|(count, once)| *count += rows * once);
        }
        (0..).zip(counts).map(|(block, count)| (result, 1 << 5, block, count)).collect()
    };
    let all = [expected(0, [40, 1, 1]), expected(1, [1, 1, 1]), expected(3, [3, 2, 1])].concat();
    let blocks = commands.blocks(instrumentation);
    assert_eq!(summary(&blocks), all);
    check_costs(&blocks);
    // What is there is not all that was asked for.
    let (code, first) = commands.blocks_of(instrumentation, 5);
    assert_eq!((code, &first[..]), (vk::Result::INCOMPLETE, &blocks[..5]));
    // Submissions add up, until they are cleared.
    submit();
    let twice = |(result, stage, block, count)| (result, stage, block, 2 * count);
    assert_eq!(
        summary(&commands.blocks(instrumentation)),
        all.iter().copied().map(twice).collect::<Vec<_>>()
    );
    unsafe { (commands.clear)(commands.device, instrumentation) };
    let zeros: Vec<_> = all.iter().map(|&(result, stage, block, _)| (result, stage, block, 0)).collect();
    assert_eq!(summary(&commands.blocks(instrumentation)), zeros);
    submit();
    assert_eq!(summary(&commands.blocks(instrumentation)), all);
    // Other command buffers go on with the numbers.
    compute.run(|buffer_| unsafe {
        (commands.begin)(buffer_, instrumentation);
        device.cmd_bind_pipeline(buffer_, point, counted);
        device.cmd_bind_descriptor_sets(buffer_, point, layout, 0, &[set], &[]);
        device.cmd_dispatch(buffer_, 2, 1, 1);
        (commands.end)(buffer_);
    });
    let more = [all, expected(4, [2, 1, 1])].concat();
    assert_eq!(summary(&commands.blocks(instrumentation)), more);
    commands.destroy(instrumentation);
    unsafe { [counted, plain].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None)) };
}

/// Invocations of the first block of each stage of each result.
fn entries(blocks: &[MetricBlock]) -> Vec<(u32, u32, u64)> {
    let entries = blocks.iter().filter(|block| block.basic_block_index == 0);
    entries.map(|block| (block.result_index, block.stages, block.values[0])).collect()
}

const VERTEX_BIT: u32 = 1;
const FRAGMENT_BIT: u32 = 1 << 4;

/// Red, but for pixels whose x is below 4, which are discarded.
fn discarding_text() -> String {
    Shader::fragment(
        "%p = OpLoad %float4 %place
        %x = OpCompositeExtract %float %p 0
        %left = OpFOrdLessThan %bool %x %float_4
        OpSelectionMerge %goes_on None
        OpBranchConditional %left %kills %goes_on
        %kills = OpLabel
        OpKill
        %goes_on = OpLabel
        OpStore %color %red",
    )
    .output("color", "float4", "Location 0")
    .input("place", "float4", "BuiltIn FragCoord")
    .declare("%red = OpConstantComposite %float4 %float_1 %float_0 %float_0 %float_1")
    .text()
}

fn shader_object(device: &Device, stage: vk::ShaderStageFlags, text: &str, flags: u32) -> vk::ShaderEXT {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let next_stage = match stage {
        vk::ShaderStageFlags::VERTEX => vk::ShaderStageFlags::FRAGMENT,
        _ => vk::ShaderStageFlags::empty(),
    };
    let info = vk::ShaderCreateInfoEXT {
        flags: unsafe { vk::ShaderCreateFlagsEXT::from_bits_unchecked(flags) },
        stage,
        next_stage,
        code_type: vk::ShaderCodeTypeEXT::SPIRV,
        code_size: words.len() * 4,
        code: words.as_ptr().cast(),
        name: c"main".as_ptr(),
        ..Default::default()
    };
    unsafe { device.create_shaders_ext(&[info], None) }.expect("a shader").0[0]
}

#[test]
fn stages_of_draws_count_their_invocations() {
    let canvas = Canvas::with(&[EXTENSION, c"VK_EXT_multi_draw", c"VK_EXT_shader_object"]);
    let commands = Commands::new(&canvas.instance, &canvas.device);
    let device = &canvas.device;
    // A triangle of the upper left half, and all of the target.
    let corners = [[-1.0_f32, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    canvas.fill(0, corners.map(|[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits)).as_flattened());
    canvas.fill(2, [[3_u32, 1, 0, 0], [3, 1, 3, 0]].as_flattened());
    let list = vk::PrimitiveTopology::TRIANGLE_LIST;
    let shaders = [pyro_test_kit::canvas::VERTEX, &discarding_text()];
    let counted = canvas.pipeline_from(shaders, list, true, &[], FLAG);
    let instrumentation = commands.make();
    let multi = |first| vk::MultiDrawInfoEXT { first_vertex: first, vertex_count: 3 };
    let covered = canvas.draw(counted, |buffer| unsafe {
        (commands.begin)(buffer, instrumentation);
        device.cmd_draw(buffer, 3, 1, 0, 0);
        device.cmd_draw_multi_ext(buffer, &[multi(0), multi(3)], 1, 0, 8);
        (device.commands().cmd_draw_multi_ext)(buffer, 0, std::ptr::null(), 1, 0, 8);
        device.cmd_draw_indirect(buffer, canvas.buffer(2), 0, 2, 16);
        (commands.end)(buffer);
        device.cmd_draw(buffer, 3, 1, 0, 0);
    });
    let all = u64::from(pyro_test_kit::canvas::SIZE * pyro_test_kit::canvas::SIZE);
    let half =
        (0..pyro_test_kit::canvas::SIZE).map(|y| u64::from(pyro_test_kit::canvas::SIZE - y)).sum::<u64>();
    // Whether pixels whose centres are on the edge are covered is the rasterizer's to say.
    let is_left = |index: usize| index % pyro_test_kit::canvas::SIZE as usize == 4;
    let on_edge = covered.0.iter().enumerate().filter(|(index, _)| is_left(*index)).all(|(_, drawn)| *drawn);
    assert!(on_edge, "the whole target is drawn");
    let blocks = commands.blocks(instrumentation);
    let fragments = |result| {
        let of = |block: u32| {
            let mut found = blocks.iter().filter(|one| {
                (one.result_index, one.stages, one.basic_block_index) == (result, FRAGMENT_BIT, block)
            });
            found.next().expect("the block").values[0]
        };
        [of(0), of(1), of(2)]
    };
    let one = fragments(0);
    assert!([half, half - u64::from(pyro_test_kit::canvas::SIZE)].contains(&one[0]), "{one:?}");
    assert_eq!(one[0], one[1] + one[2]);
    // Four columns of the left are discarded, of which a triangle has those that are covered.
    let left = (0..4).map(|x| u64::from(pyro_test_kit::canvas::SIZE - x)).sum::<u64>();
    assert!([left, left - 4].contains(&one[1]), "{one:?}");
    let both = [
        one[0] + all,
        one[1] + 4 * u64::from(pyro_test_kit::canvas::SIZE),
        one[2] + 12 * u64::from(pyro_test_kit::canvas::SIZE),
    ];
    assert_eq!([fragments(1), fragments(3)], [both; 2]);
    assert_eq!(
        entries(&blocks),
        [
            (0, VERTEX_BIT, 3),
            (0, FRAGMENT_BIT, one[0]),
            (1, VERTEX_BIT, 6),
            (1, FRAGMENT_BIT, both[0]),
            (3, VERTEX_BIT, 6),
            (3, FRAGMENT_BIT, both[0]),
        ]
    );
    // Shader objects: one of them counts.
    let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let flag = registry_supplement::SHADER_CREATE_INSTRUMENT_SHADER_ARM;
    let objects = [
        shader_object(device, stages[0], pyro_test_kit::canvas::VERTEX, 0),
        shader_object(device, stages[1], &discarding_text(), flag),
    ];
    let from_objects = commands.make();
    canvas.draw_bare(|buffer| unsafe {
        device.cmd_bind_shaders_ext(buffer, &stages, &objects);
        let binding = vk::VertexInputBindingDescription2EXT::builder().stride(16).divisor(1);
        let attribute =
            vk::VertexInputAttributeDescription2EXT::builder().format(vk::Format::R32G32B32A32_SFLOAT);
        device.cmd_set_vertex_input_ext(buffer, &[binding], &[attribute]);
        device.cmd_set_viewport_with_count_ext(buffer, &[pyro_test_kit::canvas::whole()]);
        let area =
            pyro_test_kit::canvas::rectangle(0, 0, pyro_test_kit::canvas::SIZE, pyro_test_kit::canvas::SIZE);
        device.cmd_set_scissor_with_count_ext(buffer, &[area]);
        device.cmd_set_primitive_topology_ext(buffer, list);
        device.cmd_set_color_write_mask_ext(buffer, 0, &[vk::ColorComponentFlags::all()]);
        (commands.begin)(buffer, from_objects);
        device.cmd_draw(buffer, 3, 1, 0, 0);
        (commands.end)(buffer);
    });
    assert_eq!(entries(&commands.blocks(from_objects)), [(0, FRAGMENT_BIT, one[0])]);
    objects.iter().for_each(|&shader| unsafe { device.destroy_shader_ext(shader, None) });
    [instrumentation, from_objects].iter().for_each(|&object| commands.destroy(object));
    unsafe { device.destroy_pipeline(counted, None) };
}

#[test]
fn out_of_order_instrumentation_commands_are_refused() {
    let compute = Compute::new(vk::make_version(1, 3, 0), &[EXTENSION], std::ptr::null_mut());
    let commands = Commands::new(&compute.instance, &compute.device);
    let instrumentation = commands.make();
    let device = &compute.device;
    let ends = |level, record: &dyn Fn(vk::CommandBuffer)| unsafe {
        let info = vk::CommandBufferAllocateInfo::builder()
            .command_pool(compute.pool)
            .level(level)
            .command_buffer_count(1);
        let buffer = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begins");
        record(buffer);
        (device.end_command_buffer(buffer).is_ok(), buffer)
    };
    let primary = vk::CommandBufferLevel::PRIMARY;
    let begin = |buffer| unsafe { (commands.begin)(buffer, instrumentation) };
    let end = |buffer| unsafe { (commands.end)(buffer) };
    let refused = |record: &dyn Fn(vk::CommandBuffer)| !ends(primary, record).0;
    assert!(!refused(&|buffer| {
        begin(buffer);
        end(buffer);
        begin(buffer);
        end(buffer);
    }));
    assert!(refused(&|buffer| {
        begin(buffer);
        begin(buffer);
        end(buffer);
    }));
    assert!(refused(&begin));
    assert!(refused(&end));
    let (_, secondary) = ends(vk::CommandBufferLevel::SECONDARY, &|_| ());
    let execute = |buffer| unsafe { device.cmd_execute_commands(buffer, &[secondary]) };
    assert!(!refused(&execute));
    assert!(refused(&|buffer| {
        begin(buffer);
        execute(buffer);
        end(buffer);
    }));
    // What is destroyed, or never was, counts nothing.
    commands.destroy(instrumentation);
    assert!(refused(&|buffer| {
        begin(buffer);
        end(buffer);
    }));
    let mut count = 7;
    let null = std::ptr::null_mut();
    let code = unsafe { (commands.values)(commands.device, instrumentation, &raw mut count, null, 0) };
    assert_ne!(code, vk::Result::SUCCESS);
    commands.destroy(0);
}
