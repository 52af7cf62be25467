//! Pointers that go back: elements of `OpPtrAccessChain` below zero, constant or not, of pointers from memory
//! or of variables.

use crate::support::{Test, storage};
use pyro_spirv::{Specialization, asm};

const HEADER: &str = "; Version: 1.4
    OpCapability Shader OpCapability VariablePointers
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %data %out
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %words ArrayStride 4
    OpDecorate %p_word ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpMemberDecorate %block 1 Offset 4
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %bool = OpTypeBool
    %i32 = OpTypeInt 32 1
    %words = OpTypeRuntimeArray %i32
    %block = OpTypeStruct %i32 %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_word = OpTypePointer StorageBuffer %i32
    %p_pointer = OpTypePointer Function %p_word
    %data = OpVariable %p_block StorageBuffer
    %out = OpVariable %p_block StorageBuffer
    %m1 = OpConstant %i32 -1
    %c0 = OpConstant %i32 0
    %c1 = OpConstant %i32 1
    %c2 = OpConstant %i32 2
    %c3 = OpConstant %i32 3
    %c4 = OpConstant %i32 4
    %main = OpFunction %void None %fn_void
    %entry = OpLabel
    %kept = OpVariable %p_pointer Function
    %p_step = OpAccessChain %p_word %data %c0
    %step = OpLoad %i32 %p_step
    %first = OpAccessChain %p_word %data %c1 %c0
    %third = OpAccessChain %p_word %data %c1 %c2
    %fifth = OpAccessChain %p_word %data %c1 %c4
    %o0 = OpAccessChain %p_word %out %c1 %c0
    %o1 = OpAccessChain %p_word %out %c1 %c1
    %o2 = OpAccessChain %p_word %out %c1 %c2
    %o3 = OpAccessChain %p_word %out %c1 %c3
    ";

/// The first four words of the output; the data are the word -2 and an array of 10 to 50.
fn run(body: &str) -> Vec<u32> {
    let text = format!("{HEADER}{body}\nOpReturn\nOpFunctionEnd\n");
    let test = Test {
        words: asm::assemble(&text).unwrap_or_else(|error| panic!("{error}")),
        buffers: vec![storage(vec![-2_i32 as u32, 10, 20, 30, 40, 50]), storage(vec![7; 5])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    test.result(1)[1..].to_vec()
}

#[test]
fn elements_may_be_below_zero() {
    let got = run("
        %a = OpPtrAccessChain %p_word %third %m1
        %x = OpLoad %i32 %a
        OpStore %o0 %x
        %b = OpPtrAccessChain %p_word %fifth %step
        %y = OpLoad %i32 %b
        OpStore %o1 %y
        %c = OpPtrAccessChain %p_word %b %m1
        %z = OpLoad %i32 %c
        OpStore %o2 %z
        %is_same = OpPtrEqual %bool %a %c
        %same = OpSelect %i32 %is_same %c1 %c0
        OpStore %o3 %same");
    assert_eq!(got, [20, 30, 20, 1]);
}

#[test]
fn kept_pointers_go_back_and_forth() {
    let got = run("
        OpStore %kept %fifth
        %p4 = OpLoad %p_word %kept
        %back = OpPtrAccessChain %p_word %p4 %m1
        OpStore %kept %back
        %p3 = OpLoad %p_word %kept
        %x = OpLoad %i32 %p3
        OpStore %o0 %x
        %further = OpPtrAccessChain %p_word %p3 %step
        OpStore %kept %further
        %p1 = OpLoad %p_word %kept
        %y = OpLoad %i32 %p1
        OpStore %o1 %y
        %forth = OpPtrAccessChain %p_word %p1 %c1
        OpStore %kept %forth
        %p2 = OpLoad %p_word %kept
        %is_same = OpPtrEqual %bool %p2 %third
        %same = OpSelect %i32 %is_same %c1 %c0
        OpStore %o2 %same");
    assert_eq!(got, [40, 20, 1, 7]);
}

/// Before the buffer's start there is nothing, whichever way a pointer got there.
#[test]
fn nothing_lies_before_a_buffer() {
    let got = run("
        OpStore %kept %first
        %p0 = OpLoad %p_word %kept
        %before = OpPtrAccessChain %p_word %p0 %step
        OpStore %kept %before
        %outside = OpLoad %p_word %kept
        %x = OpLoad %i32 %outside
        OpStore %o0 %x
        %start = OpPtrAccessChain %p_word %p0 %m1
        %edge = OpPtrAccessChain %p_word %start %m1
        OpStore %kept %edge
        %gone = OpLoad %p_word %kept
        %y = OpLoad %i32 %gone
        OpStore %o1 %y
        %z = OpLoad %i32 %start
        OpStore %o2 %z
        %far = OpPtrAccessChain %p_word %first %step
        %w = OpLoad %i32 %far
        OpStore %o3 %w");
    assert_eq!(got, [0, 0, -2_i32 as u32, 0]);
}

/// Of workgroup memory without blocks the layout is ours: strides and offsets that its types have for other
/// storage classes say nothing of it, however a pointer came to be.
#[test]
fn workgroup_memory_without_blocks_is_laid_out_by_itself() {
    let text = "; Version: 1.4
        OpCapability Shader OpCapability VariablePointers
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %out %words %pairs
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %runtime ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        OpDecorate %array ArrayStride 16
        OpDecorate %p_word ArrayStride 8
        OpMemberDecorate %pair 0 Offset 4
        OpMemberDecorate %pair 1 Offset 16
        OpDecorate %p_pair ArrayStride 32
        %void = OpTypeVoid
        %fn_void = OpTypeFunction %void
        %bool = OpTypeBool
        %u32 = OpTypeInt 32 0
        %c0 = OpConstant %u32 0
        %c1 = OpConstant %u32 1
        %c2 = OpConstant %u32 2
        %c3 = OpConstant %u32 3
        %c4 = OpConstant %u32 4
        %c5 = OpConstant %u32 5
        %c6 = OpConstant %u32 6
        %runtime = OpTypeRuntimeArray %u32
        %block = OpTypeStruct %runtime
        %array = OpTypeArray %u32 %c4
        %pair = OpTypeStruct %u32 %u32
        %array_pair = OpTypeArray %pair %c4
        %p_block = OpTypePointer StorageBuffer %block
        %p_out = OpTypePointer StorageBuffer %u32
        %p_array = OpTypePointer Workgroup %array
        %p_word = OpTypePointer Workgroup %u32
        %p_array_pair = OpTypePointer Workgroup %array_pair
        %p_pair = OpTypePointer Workgroup %pair
        %out = OpVariable %p_block StorageBuffer
        %words = OpVariable %p_array Workgroup
        %pairs = OpVariable %p_array_pair Workgroup
        %main = OpFunction %void None %fn_void
        %entry = OpLabel
        %o0 = OpAccessChain %p_out %out %c0 %c0
        %o1 = OpAccessChain %p_out %out %c0 %c1
        %o2 = OpAccessChain %p_out %out %c0 %c2
        %first = OpLoad %u32 %o0
        %is_odd = OpINotEqual %bool %first %c0
        %w0 = OpAccessChain %p_word %words %c0
        %w1 = OpAccessChain %p_word %words %c1
        %w2 = OpAccessChain %p_word %words %c2
        OpStore %w0 %c3
        OpStore %w1 %c4
        OpStore %w2 %c5
        %next = OpPtrAccessChain %p_word %w0 %c1
        %x = OpLoad %u32 %next
        OpStore %o0 %x
        %chosen = OpSelect %p_word %is_odd %w0 %w1
        %after = OpPtrAccessChain %p_word %chosen %c1
        %y = OpLoad %u32 %after
        OpStore %o1 %y
        %p1 = OpAccessChain %p_pair %pairs %c1
        %p2 = OpAccessChain %p_pair %pairs %c2
        %m2 = OpAccessChain %p_word %pairs %c2 %c1
        OpStore %m2 %c6
        %either = OpSelect %p_pair %is_odd %p2 %p1
        %member = OpPtrAccessChain %p_word %either %c1 %c1
        %z = OpLoad %u32 %member
        OpStore %o2 %z
        OpReturn
        OpFunctionEnd";
    let test = Test {
        words: asm::assemble(text).unwrap_or_else(|error| panic!("{error}")),
        buffers: vec![storage(vec![0; 3])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    assert_eq!(test.result(0), [4, 5, 6]);
}
