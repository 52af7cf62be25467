//! Instructions and types of shaders that features bring, through the entry points.

use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Runs one workgroup of a shader over a storage buffer with a word for each of `words`, and a uniform buffer
/// with the same; the push constants are four bytes.
fn run(context: &Compute, text: &str, words: &[u32], push: [u8; 4]) -> Vec<u32> {
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::UNIFORM_BUFFER, 1)];
    let set_layout = context.set_layout(Default::default(), &bindings);
    let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
    let [buffer, uniform]: [Buffer; 2] = [(); 2].map(|()| {
        let buffer = context.buffer(words.len());
        words.iter().enumerate().for_each(|(at, &word)| buffer.put(at, word));
        buffer
    });
    context.write(set, buffer.buffer);
    let info = vk::DescriptorBufferInfo { buffer: uniform.buffer, offset: 0, range: vk::WHOLE_SIZE };
    let write = vk::WriteDescriptorSet::builder()
        .dst_set(set)
        .dst_binding(1)
        .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
        .buffer_info(slice::from_ref(&info));
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let pipeline = context.pipeline(layout, text);
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        context.device.cmd_dispatch(commands, 1, 1, 1);
    });
    buffer.words()
}

/// A shader of [`shader`] with further capabilities and extensions, declarations, and invocations.
fn text(head: &[&str], declarations: &str, invocations: u32, body: &str) -> String {
    let lines = |kind: &str, wanted: bool| -> String {
        let names = head.iter().filter(|name| name.starts_with("SPV_") == wanted);
        names
            .map(|name| format!("{kind} {}\n", if wanted { format!("\"{name}\"") } else { (*name).into() }))
            .collect()
    };
    let head = format!("OpCapability Shader\n{}{}", lines("OpCapability", false), lines("OpExtension", true));
    shader(body)
        .replace("OpCapability Shader", &head)
        .replace("LocalSize 1 1 1", &format!("LocalSize {invocations} 1 1"))
        .replace("%main = OpFunction", &format!("{declarations}\n%main = OpFunction"))
}

/// Stores a value of 32 bits to a word of the buffer, which has a number from 0 to 4.
fn store(word: u32, value: &str) -> String {
    format!("%to_{word} = OpAccessChain %word %buffer %uint_0 %uint_{word}\nOpStore %to_{word} {value}\n")
}

#[test]
fn expectations_and_assumptions_change_nothing() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let body = "%is_three = OpIEqual %bool %push %uint_3
        OpAssumeTrueKHR %is_three
        %expected = OpExpectKHR %uint %push %uint_3
        %sum = OpIAdd %uint %expected %uint_4\n"
        .to_owned()
        + &store(0, "%sum");
    let text = text(&["ExpectAssumeKHR", "SPV_KHR_expect_assume"], "", 1, &body);
    assert_eq!(run(&context, &text, &[0], [3, 0, 0, 0]), [7]);
}

#[test]
fn integer_functions_are_those_of_wide_arithmetic() {
    type Function = fn(i64, i64) -> i64;
    let signed: [(&str, Function); 7] = [
        ("OpAbsISubINTEL", |x, y| (x - y).abs()),
        ("OpIAddSatINTEL", |x, y| (x + y).clamp(i32::MIN.into(), i32::MAX.into())),
        ("OpISubSatINTEL", |x, y| (x - y).clamp(i32::MIN.into(), i32::MAX.into())),
        ("OpIAverageINTEL", |x, y| (x + y) >> 1),
        ("OpIAverageRoundedINTEL", |x, y| (x + y + 1) >> 1),
        ("OpIMul32x16INTEL", |x, y| x * i64::from(y as i16)),
        ("OpUCountLeadingZerosINTEL", |x, _| (x as u32).leading_zeros().into()),
    ];
    let unsigned: [(&str, Function); 7] = [
        ("OpAbsUSubINTEL", |x, y| (x - y).abs()),
        ("OpUAddSatINTEL", |x, y| (x + y).min(u32::MAX.into())),
        ("OpUSubSatINTEL", |x, y| (x - y).max(0)),
        ("OpUAverageINTEL", |x, y| (x + y) >> 1),
        ("OpUAverageRoundedINTEL", |x, y| (x + y + 1) >> 1),
        ("OpUMul32x16INTEL", |x, y| x * (y & 0xffff)),
        ("OpUCountTrailingZerosINTEL", |x, _| (x as u32).trailing_zeros().into()),
    ];
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let values =
        [0u32, 1, 2, 7, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, !0];
    let functions = signed.iter().map(|one| (one, true)).chain(unsigned.iter().map(|one| (one, false)));
    let (mut body, mut count) = (String::new(), 0);
    let mut declarations = String::new();
    let mut expected = Vec::new();
    for (&(name, function), is_signed) in functions {
        let operands = if name.contains("Count") { "%x" } else { "%x %y" };
        declarations += &format!("%place_{count} = OpConstant %uint {}\n", 144 * count);
        body += &format!(
            "%result_{count} = {name} %uint {operands}
            %index_{count} = OpIAdd %uint %pair %place_{count}
            %at_{count} = OpAccessChain %word %buffer %uint_0 %index_{count}
            OpStore %at_{count} %result_{count}\n"
        );
        let wide = |word: u32| if is_signed { i64::from(word as i32) } else { i64::from(word) };
        for x in values {
            expected.extend(values.map(|y| function(wide(x), wide(y)) as u32));
        }
        count += 1;
    }
    let body = "%pair = OpCopyObject %uint %gid
        %row = OpUDiv %uint %gid %twelve
        %column = OpUMod %uint %gid %twelve
        %from_x = OpAccessChain %word %buffer %uint_0 %row
        %from_y = OpAccessChain %word %buffer %uint_0 %column
        %x = OpLoad %uint %from_x
        %y = OpLoad %uint %from_y
        OpControlBarrier %uint_2 %uint_2 %semantics\n"
        .to_owned()
        + &body;
    declarations += "%twelve = OpConstant %uint 12\n%semantics = OpConstant %uint 72";
    let head = ["IntegerFunctions2INTEL", "SPV_INTEL_shader_integer_functions2"];
    let mut words = values.to_vec();
    words.resize(expected.len(), 0);
    let found = run(&context, &text(&head, &declarations, 144, &body), &words, [0; 4]);
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let (x, y) = (values[at % 144 / 12], values[at % 12]);
        assert_eq!(found, expected, "function {}: {x:#x} {y:#x}", at / 144);
    }
}

/// Invocations of equal values are a partition; each knows its own, and sums over it.
#[test]
fn partitions_are_of_equal_values() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let body = "%value = OpUMod %uint %gid %uint_3
        %ballot = OpGroupNonUniformPartitionEXT %uint4 %value
        %bits = OpCompositeExtract %uint %ballot 0
        %sum = OpGroupNonUniformIAdd %uint %uint_3 PartitionedReduceEXT %gid %ballot
        %before = OpGroupNonUniformIAdd %uint %uint_3 PartitionedExclusiveScanEXT %gid %ballot
        %upto = OpGroupNonUniformIAdd %uint %uint_3 PartitionedInclusiveScanEXT %gid %ballot
        %both = OpIMul %uint %sum %hundred
        %all = OpIAdd %uint %both %before
        %all2 = OpIMul %uint %all %hundred
        %all3 = OpIAdd %uint %all2 %upto
        %first = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %first %bits
        %second_index = OpIAdd %uint %gid %sixteen
        %second = OpAccessChain %word %buffer %uint_0 %second_index
        OpStore %second %all3";
    let head = ["GroupNonUniform", "GroupNonUniformPartitionedNV", "SPV_EXT_shader_subgroup_partitioned"];
    let declarations = "%uint4 = OpTypeVector %uint 4
        %hundred = OpConstant %uint 100
        %sixteen = OpConstant %uint 16";
    let found = run(&context, &text(&head, declarations, 16, body), &[0; 32], [0; 4]);
    for lane in 0..16u32 {
        let of_value = |other: &u32| other % 3 == lane % 3;
        let mask: u32 = (0..16).filter(of_value).map(|other| 1 << other).sum();
        let sum = |end: u32| (0..end).filter(of_value).sum::<u32>();
        assert_eq!(found[lane as usize], mask, "{lane}");
        assert_eq!(found[16 + lane as usize], (sum(16) * 100 + sum(lane)) * 100 + sum(lane + 1), "{lane}");
    }
}

/// Invocations that left a loop one by one are together behind it.
#[test]
fn invocations_meet_again_behind_loops() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    for mode in ["SubgroupUniformControlFlowKHR", "MaximallyReconvergesKHR"] {
        let body = "OpBranch %head
            %head = OpLabel
            %round = OpPhi %uint %uint_0 %entry %next %again
            OpLoopMerge %out %again None
            OpBranch %test
            %test = OpLabel
            %is_last = OpUGreaterThanEqual %bool %round %gid
            OpBranchConditional %is_last %out %again
            %again = OpLabel
            %next = OpIAdd %uint %round %uint_1
            OpBranch %head
            %out = OpLabel
            %ballot = OpGroupNonUniformBallot %uint4 %uint_3 %true
            %bits = OpCompositeExtract %uint %ballot 0
            %at = OpAccessChain %word %buffer %uint_0 %gid
            OpStore %at %bits";
        let (capability, extension) = match mode {
            "MaximallyReconvergesKHR" => ("GroupNonUniform", "SPV_KHR_maximal_reconvergence"),
            _ => ("GroupNonUniform", "SPV_KHR_subgroup_uniform_control_flow"),
        };
        let declarations = "%uint4 = OpTypeVector %uint 4\n%true = OpConstantTrue %bool";
        let text = text(&[capability, "GroupNonUniformBallot", extension], declarations, 16, body);
        let text = text.replace(
            "OpExecutionMode %main LocalSize",
            &format!("OpExecutionMode %main {mode}\nOpExecutionMode %main LocalSize"),
        );
        assert_eq!(run(&context, &text, &[0; 16], [0; 4]), [0xffff; 16], "{mode}");
    }
}

/// Numbers of 8 and 16 bits lie in push constants and uniform blocks.
#[test]
fn small_numbers_lie_in_push_constants_and_uniform_blocks() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let body = "%p_short = OpAccessChain %push_short %pushed %uint_0
        %p_low = OpAccessChain %push_byte %pushed %uint_1
        %p_high = OpAccessChain %push_byte %pushed %uint_2
        %u_short = OpAccessChain %uniform_short %constants_of %uint_0 %uint_3
        %u_byte = OpAccessChain %uniform_byte %constants_of %uint_1 %uint_1
        %short_1 = OpLoad %short %p_short
        %byte_1 = OpLoad %byte %p_low
        %byte_2 = OpLoad %byte %p_high
        %short_2 = OpLoad %short %u_short
        %byte_3 = OpLoad %byte %u_byte
        %word_0 = OpUConvert %uint %short_1
        %word_1 = OpUConvert %uint %byte_1
        %word_2 = OpUConvert %uint %byte_2
        %word_3 = OpUConvert %uint %short_2
        %word_4 = OpUConvert %uint %byte_3\n"
        .to_owned()
        + &(0..5).map(|word| store(word, &format!("%word_{word}"))).collect::<String>();
    let declarations = "%shorts = OpTypeArray %short %uint_4
        %bytes = OpTypeArray %byte %uint_4
        %uniforms = OpTypeStruct %shorts %bytes
        %uniforms_pointer = OpTypePointer Uniform %uniforms
        %uniform_short = OpTypePointer Uniform %short
        %uniform_byte = OpTypePointer Uniform %byte
        %push_short = OpTypePointer PushConstant %short
        %push_byte = OpTypePointer PushConstant %byte
        %constants_of = OpVariable %uniforms_pointer Uniform";
    let head = [
        "Int8",
        "Int16",
        "StoragePushConstant16",
        "StoragePushConstant8",
        "UniformAndStorageBuffer16BitAccess",
        "UniformAndStorageBuffer8BitAccess",
        "SPV_KHR_16bit_storage",
        "SPV_KHR_8bit_storage",
    ];
    let text = text(&head, declarations, 1, &body)
        .replace(
            "%constants = OpTypeStruct %uint\n",
            "%short = OpTypeInt 16 0\n%byte = OpTypeInt 8 0\n%constants = OpTypeStruct %short %byte %byte\n",
        )
        .replace(
            "OpMemberDecorate %constants 0 Offset 0",
            "OpMemberDecorate %constants 0 Offset 0
            OpMemberDecorate %constants 1 Offset 2
            OpMemberDecorate %constants 2 Offset 3
            OpDecorate %uniforms Block
            OpMemberDecorate %uniforms 0 Offset 0
            OpMemberDecorate %uniforms 1 Offset 8
            OpDecorate %shorts ArrayStride 2
            OpDecorate %bytes ArrayStride 1
            OpDecorate %constants_of DescriptorSet 0
            OpDecorate %constants_of Binding 1",
        )
        .replace("%push_pointer = OpAccessChain %push_word %pushed %uint_0\n", "")
        .replace("%push = OpLoad %uint %push_pointer\n", "");
    let words = [0, 0xabcd_0000, 0x4433_2211, 0, 0];
    assert_eq!(run(&context, &text, &words, [0x34, 0x12, 7, 200]), [0x1234, 7, 200, 0xabcd, 0x22]);
}

/// Blocks in the memory of a workgroup lie over each other, in numbers of any width; variables with an
/// initializer begin with zeros.
#[test]
fn blocks_share_the_memory_of_workgroups() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let body = "%w = OpAccessChain %shared_word %as_words %uint_0 %uint_1
        OpStore %w %number
        %s = OpAccessChain %shared_short %as_shorts %uint_0 %uint_3
        %short_3 = OpLoad %short %s
        %b = OpAccessChain %shared_byte %as_bytes %uint_0 %uint_4
        %byte_4 = OpLoad %byte %b
        OpStore %s %short_9
        %word_1 = OpLoad %uint %w
        %r0 = OpUConvert %uint %short_3
        %r1 = OpUConvert %uint %byte_4\n"
        .to_owned()
        + &store(0, "%r0")
        + &store(1, "%r1")
        + &store(2, "%word_1");
    let declarations = "%short = OpTypeInt 16 0
        %byte = OpTypeInt 8 0
        %number = OpConstant %uint 0xaabbccdd
        %short_9 = OpConstant %short 9
        %uint_8 = OpConstant %uint 8
        %words_4 = OpTypeArray %uint %uint_4
        %shorts_4 = OpTypeArray %short %uint_4
        %bytes_8 = OpTypeArray %byte %uint_8
        %word_block = OpTypeStruct %words_4
        %short_block = OpTypeStruct %shorts_4
        %byte_block = OpTypeStruct %bytes_8
        %word_blocks = OpTypePointer Workgroup %word_block
        %short_blocks = OpTypePointer Workgroup %short_block
        %byte_blocks = OpTypePointer Workgroup %byte_block
        %shared_word = OpTypePointer Workgroup %uint
        %shared_short = OpTypePointer Workgroup %short
        %shared_byte = OpTypePointer Workgroup %byte
        %as_words = OpVariable %word_blocks Workgroup
        %as_shorts = OpVariable %short_blocks Workgroup
        %as_bytes = OpVariable %byte_blocks Workgroup";
    let head = [
        "Int8",
        "Int16",
        "WorkgroupMemoryExplicitLayoutKHR",
        "WorkgroupMemoryExplicitLayout8BitAccessKHR",
        "WorkgroupMemoryExplicitLayout16BitAccessKHR",
        "SPV_KHR_workgroup_memory_explicit_layout",
    ];
    let text_of_blocks = text(&head, declarations, 1, &body).replace(
        "OpMemberDecorate %constants 0 Offset 0",
        "OpMemberDecorate %constants 0 Offset 0
        OpDecorate %word_block Block
        OpDecorate %short_block Block
        OpDecorate %byte_block Block
        OpMemberDecorate %word_block 0 Offset 0
        OpMemberDecorate %short_block 0 Offset 0
        OpMemberDecorate %byte_block 0 Offset 0
        OpDecorate %words_4 ArrayStride 4
        OpDecorate %shorts_4 ArrayStride 2
        OpDecorate %bytes_8 ArrayStride 1
        OpDecorate %as_words Aliased
        OpDecorate %as_shorts Aliased
        OpDecorate %as_bytes Aliased",
    );
    assert_eq!(run(&context, &text_of_blocks, &[0; 5], [0; 4])[..3], [0xaabb, 0xdd, 0x0009_ccdd]);

    let body = "%p = OpAccessChain %shared_word %zeros %uint_3
        %zero = OpLoad %uint %p
        %sum = OpIAdd %uint %zero %uint_1
        OpStore %p %number\n"
        .to_owned()
        + &store(0, "%sum");
    let declarations = "%number = OpConstant %uint 0xaabbccdd
        %words_4 = OpTypeArray %uint %uint_4
        %words_pointer = OpTypePointer Workgroup %words_4
        %shared_word = OpTypePointer Workgroup %uint
        %nothing = OpConstantNull %words_4
        %zeros = OpVariable %words_pointer Workgroup %nothing";
    let zeros = text(&[], declarations, 1, &body);
    for _ in 0..3 {
        assert_eq!(run(&context, &zeros, &[77; 5], [0; 4])[0], 1);
    }
}

/// Atomics on floats of all widths, in buffers and in the memory of workgroups.
#[test]
fn floats_are_changed_by_all_invocations() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let operations =
        ["OpAtomicFAddEXT", "OpAtomicFMinEXT", "OpAtomicFMaxEXT", "OpAtomicExchange", "OpAtomicFAddEXT"];
    for (width, half, start) in
        [(16, 0x3800u64, 0x4200u64), (32, 0x3f00_0000, 0x4040_0000), (64, 0x3fe0 << 48, 0x4008 << 48)]
    {
        for is_shared in [false, true] {
            let mut body = String::new();
            let class = if is_shared { "Workgroup" } else { "Uniform" };
            for (at, operation) in operations[..4].iter().enumerate() {
                body += &match is_shared {
                    true => format!("%float_at_{at} = OpAccessChain %float_pointer %shared %uint_{at}\n"),
                    false => {
                        format!("%float_at_{at} = OpAccessChain %float_pointer %floats %uint_0 %uint_{at}\n")
                    }
                };
                if is_shared {
                    body += &format!(
                        "%initial_at_{at} = OpAccessChain %float_in_buffer %floats %uint_0 %uint_{at}
                        %initial_{at} = OpLoad %real %initial_at_{at}
                        OpStore %float_at_{at} %initial_{at}\n"
                    );
                }
                body += "OpControlBarrier %uint_2 %uint_2 %semantics\n";
                body += &format!("%old_{at} = {operation} %real %float_at_{at} %uint_1 %uint_0 %half\n");
                body += "OpControlBarrier %uint_2 %uint_2 %semantics\n";
                if is_shared {
                    body += &format!(
                        "%final_{at} = OpLoad %real %float_at_{at}
                        OpStore %initial_at_{at} %final_{at}\n"
                    );
                }
            }
            let declarations = format!(
                "%real = OpTypeFloat {width}
                %half = OpConstant %real 0.5
                %semantics = OpConstant %uint 328
                %float_array = OpTypeRuntimeArray %real
                %float_block = OpTypeStruct %float_array
                %float_blocks = OpTypePointer Uniform %float_block
                %float_in_buffer = OpTypePointer Uniform %real
                %floats = OpVariable %float_blocks Uniform
                %four_floats = OpTypeArray %real %uint_4
                %four_pointer = OpTypePointer Workgroup %four_floats
                %shared_pointer = OpTypePointer Workgroup %real
                %shared = OpVariable %four_pointer Workgroup"
            );
            let body = body.replace(
                "%float_pointer",
                if class == "Uniform" { "%float_in_buffer" } else { "%shared_pointer" },
            );
            let (float, add, least) = (
                format!("Float{width}"),
                format!("AtomicFloat{width}AddEXT"),
                format!("AtomicFloat{width}MinMaxEXT"),
            );
            let mut head = vec![
                add.as_str(),
                &least,
                "SPV_EXT_shader_atomic_float_add",
                "SPV_EXT_shader_atomic_float_min_max",
            ];
            if width != 32 {
                head.push(&float);
            }
            if width == 16 {
                head.extend([
                    "StorageBuffer16BitAccess",
                    "SPV_KHR_16bit_storage",
                    "SPV_EXT_shader_atomic_float16_add",
                ]);
            }
            let text = text(&head, &declarations, 16, &body).replace(
                "OpMemberDecorate %constants 0 Offset 0",
                &format!(
                    "OpMemberDecorate %constants 0 Offset 0
                    OpDecorate %float_block BufferBlock
                    OpMemberDecorate %float_block 0 Offset 0
                    OpDecorate %float_array ArrayStride {}
                    OpDecorate %floats DescriptorSet 0
                    OpDecorate %floats Binding 0",
                    width / 8
                ),
            );
            let numbers = [start; 4];
            let pack = |numbers: &[u64]| -> Vec<u32> {
                let bytes: Vec<u8> =
                    numbers.iter().flat_map(|number| number.to_le_bytes()[..width / 8].to_vec()).collect();
                bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
            };
            // 3 and sixteen times a half are 11.
            let eleven = match width {
                16 => 0x4980,
                32 => 0x4130_0000,
                _ => 0x4026 << 48,
            };
            let expected = pack(&[eleven, half, start, half]);
            assert_eq!(run(&context, &text, &pack(&numbers), [0; 4]), expected, "{width} {is_shared}");
        }
    }
}

/// What rounds twice where contraction is not allowed rounds twice, whatever the compiler would do.
#[test]
fn products_are_not_contracted_where_modes_say_so() {
    let mut features =
        vk::PhysicalDeviceShaderFloatControls2FeaturesKHR::builder().shader_float_controls2(true);
    let extensions = [c"VK_KHR_shader_float_controls2"];
    let context = Compute::new(V1_3, &extensions, (&raw mut features).cast());
    let body = "%x = OpBitcast %float %push
        %product = OpFMul %float %x %x
        %sum = OpFAdd %float %product %minus_one
        %bits = OpBitcast %uint %sum\n"
        .to_owned()
        + &store(0, "%bits");
    let declarations = "%float = OpTypeFloat 32
        %minus_one = OpConstant %float -1
        %no_mode = OpConstant %uint 0";
    let text = text(&["FloatControls2", "SPV_KHR_float_controls2"], declarations, 1, &body);
    let text = text.replace(
        "OpExecutionMode %main LocalSize 1 1 1",
        "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionModeId %main FPFastMathDefault %float %no_mode",
    );
    // (1 + 2^-13)^2 = 1 + 2^-12 + 2^-26: the last term is lost in the product.
    let x = 1.0f32 + 2.0f32.powi(-13);
    let found = run(&context, &text, &[0], x.to_bits().to_ne_bytes());
    assert_eq!(f32::from_bits(found[0]), 2.0f32.powi(-12));
}

/// A uniform block ends with an array that is as long as what is bound.
#[test]
fn arrays_of_uniform_blocks_need_no_size() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let body = "%from = OpAccessChain %uniform_word %constants_of %uint_0 %push %uint_1
        %value = OpLoad %uint %from\n"
        .to_owned()
        + &store(0, "%value");
    let declarations = "%uint4 = OpTypeVector %uint 4
        %vectors = OpTypeRuntimeArray %uint4
        %uniforms = OpTypeStruct %vectors
        %uniforms_pointer = OpTypePointer Uniform %uniforms
        %uniform_word = OpTypePointer Uniform %uint
        %constants_of = OpVariable %uniforms_pointer Uniform";
    let text = text(&["RuntimeDescriptorArray", "SPV_EXT_descriptor_indexing"], declarations, 1, &body)
        .replace(
            "OpMemberDecorate %constants 0 Offset 0",
            "OpMemberDecorate %constants 0 Offset 0
        OpDecorate %uniforms Block
        OpMemberDecorate %uniforms 0 Offset 0
        OpDecorate %vectors ArrayStride 16
        OpDecorate %constants_of DescriptorSet 0
        OpDecorate %constants_of Binding 1",
        );
    let words: Vec<u32> = (0..64).map(|word| 1000 + word).collect();
    for index in [0u32, 7, 15] {
        assert_eq!(run(&context, &text, &words, index.to_ne_bytes())[0], 1000 + 4 * index + 1);
    }
}

/// Bits are counted, reversed, taken and put in integers of any width (`VK_KHR_maintenance9`).
#[test]
fn bits_are_those_of_integers_of_any_width() {
    let mut features =
        vk::PhysicalDeviceMaintenance9FeaturesKHR { maintenance9: vk::TRUE, ..Default::default() };
    let context = Compute::new(V1_3, &[c"VK_KHR_maintenance9"], (&raw mut features).cast());
    let number = 0x1234_5678_9abc_def1_u64;
    for width in [8, 16, 32, 64] {
        let value = number & (u64::MAX >> (64 - width));
        let ty = if width == 32 { "uint" } else { "wide" };
        let kept = 3;
        let body = format!(
            "%count_ = OpBitCount %TY %value
            %reverse_ = OpBitReverse %TY %value
            %part_ = OpBitFieldUExtract %TY %value %uint_2 %uint_4
            %put_ = OpBitFieldInsert %TY %value %one %uint_{kept} %uint_4
            %negative_ = OpBitFieldSExtract %TY %value %uint_4 %uint_3
            %count = OpCopyObject %TY %count_\n"
        )
        .replace("TY", ty);
        let (mut body, mut declarations) = (body, String::new());
        for (at, name) in ["count", "reverse_", "part_", "put_", "negative_"].iter().enumerate() {
            let narrow = match width {
                32 => "OpCopyObject",
                _ => "OpUConvert",
            };
            body +=
                &format!("%word_{at} = {narrow} %uint %{name}\n{}", store(at as u32, &format!("%word_{at}")));
        }
        if width != 32 {
            declarations += &format!("%wide = OpTypeInt {width} 0\n");
        }
        declarations += &format!("%value = OpConstant %{ty} {value:#x}\n%one = OpConstant %{ty} 9");
        let capability = format!("Int{width}");
        let head: &[&str] = if width == 32 { &[] } else { &[&capability] };
        let found = run(&context, &text(head, &declarations, 1, &body), &[0; 5], [0; 4]);
        let mask = u64::MAX >> (64 - width);
        let reversed = value.reverse_bits() >> (64 - width);
        let put = value & !(15 << kept) | 9 << kept;
        let three = value >> 4 & 7;
        let negative = if three & 4 != 0 { (three | !7) & mask } else { three };
        let expected = [u64::from(value.count_ones()), reversed, value >> 2 & 15, put, negative];
        assert_eq!(found, expected.map(|word| word as u32), "{width}");
    }
}
