//! Untyped pointers: the type comes from the access, the place from the chain.

use crate::support::{Test, storage};
use pyro_spirv::{Specialization, asm};

const HEADER: &str = "; Version: 1.4
    OpCapability Shader OpCapability UntypedPointersKHR OpCapability Int16 OpCapability StorageBuffer16BitAccess
    OpCapability VariablePointers OpCapability WorkgroupMemoryExplicitLayoutKHR
    OpExtension \"SPV_KHR_untyped_pointers\"
    OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %data %out %a %b
    OpExecutionMode %main LocalSize 1 1 1
    OpDecorate %words ArrayStride 4
    OpDecorate %pairs ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
    %void = OpTypeVoid
    %fn_void = OpTypeFunction %void
    %bool = OpTypeBool
    %u16 = OpTypeInt 16 0
    %u32 = OpTypeInt 32 0
    %f32 = OpTypeFloat 32
    %v2u16 = OpTypeVector %u16 2
    %v2 = OpTypeVector %u32 2
    %c0 = OpConstant %u32 0
    %c1 = OpConstant %u32 1
    %c2 = OpConstant %u32 2
    %c3 = OpConstant %u32 3
    %c4 = OpConstant %u32 4
    %c5 = OpConstant %u32 5
    %c7 = OpConstant %u32 7
    %c8 = OpConstant %u32 8
    %words = OpTypeRuntimeArray %u32
    %pairs = OpTypeRuntimeArray %v2u16
    %block = OpTypeStruct %words
    %p_buffer = OpTypeUntypedPointerKHR StorageBuffer
    %p_shared = OpTypeUntypedPointerKHR Workgroup
    %p_block = OpTypePointer StorageBuffer %block
    %p_u32 = OpTypePointer StorageBuffer %u32
    %data = OpUntypedVariableKHR %p_buffer StorageBuffer %block
    %out = OpVariable %p_block StorageBuffer
    %shared_block = OpTypeStruct %v2
    %a = OpUntypedVariableKHR %p_shared Workgroup %shared_block
    %b = OpUntypedVariableKHR %p_shared Workgroup %shared_block
    %main = OpFunction %void None %fn_void
    %entry = OpLabel
    %o0 = OpAccessChain %p_u32 %out %c0 %c0
    %o1 = OpAccessChain %p_u32 %out %c0 %c1
    %o2 = OpAccessChain %p_u32 %out %c0 %c2
    %o3 = OpAccessChain %p_u32 %out %c0 %c3
    ";

fn run(body: &str) -> Vec<u32> {
    let decorations =
        "OpMemberDecorate %shared_block 0 Offset 0 OpDecorate %shared_block Block %void = OpTypeVoid";
    let header = HEADER.replacen("%void = OpTypeVoid", decorations, 1);
    let words = asm::assemble(&format!("{header}{body} OpReturn OpFunctionEnd"));
    let words = words.unwrap_or_else(|error| panic!("{error}"));
    let input = vec![0x0002_0001, 0x3f80_0000, 0xdead_beef, 40, 50];
    let test = Test {
        words,
        buffers: vec![storage(input), storage(vec![0; 4])],
        push_constants: Vec::new(),
        specialization: Specialization::new(),
        groups: [1, 1, 1],
        null_records: [0; 2],
    };
    test.result(1)
}

#[test]
fn accesses_choose_the_type() {
    let got = run("
        %p0 = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c0
        %pair = OpLoad %v2u16 %p0
        %low = OpCompositeExtract %u16 %pair 0
        %high = OpCompositeExtract %u16 %pair 1
        %low32 = OpUConvert %u32 %low
        %high32 = OpUConvert %u32 %high
        OpStore %o0 %low32
        OpStore %o1 %high32
        %p1 = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c1
        %float = OpLoad %f32 %p1
        %number = OpConvertFToU %u32 %float
        OpStore %o2 %number
        %q = OpUntypedAccessChainKHR %p_buffer %pairs %data %c2
        %half = OpLoad %u16 %q
        %half32 = OpUConvert %u32 %half
        OpStore %o3 %half32");
    assert_eq!(got, [1, 2, 1, 0xbeef]);
}

#[test]
fn copies_take_the_typed_pointer_s_type() {
    let got = run("
        %p3 = OpUntypedAccessChainKHR %p_buffer %pairs %data %c3
        OpCopyMemory %o0 %p3
        %p4 = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c4
        OpCopyMemorySized %o1 %p4 %c4
        %length = OpUntypedArrayLengthKHR %u32 %block %data 0
        OpStore %o2 %length
        %outside = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c7
        %zero = OpLoad %u32 %outside
        OpStore %o3 %zero");
    assert_eq!(got, [40, 50, 5, 0]);
}

#[test]
fn differences_are_in_bytes() {
    let got = run("
        %p1 = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c1
        %p4 = OpUntypedAccessChainKHR %p_buffer %block %data %c0 %c4
        %bytes = OpPtrDiff %u32 %p4 %p1
        OpStore %o0 %bytes
        %next = OpUntypedPtrAccessChainKHR %p_buffer %words %p1 %c3
        %same = OpPtrEqual %bool %next %p4
        %one = OpSelect %u32 %same %c1 %c0
        OpStore %o1 %one
        %other = OpPtrNotEqual %bool %p1 %p4
        %two = OpSelect %u32 %other %c2 %c0
        OpStore %o2 %two
        %last = OpLoad %u32 %next
        OpStore %o3 %last");
    assert_eq!(got, [12, 1, 2, 50]);
}

#[test]
fn workgroup_variables_lie_apart() {
    let got = run("
        %v57 = OpCompositeConstruct %v2 %c5 %c7
        %v13 = OpCompositeConstruct %v2 %c1 %c3
        OpStore %a %v57
        OpStore %b %v13
        %x = OpLoad %v2 %a
        %y = OpLoad %v2 %b
        %x0 = OpCompositeExtract %u32 %x 0
        %x1 = OpCompositeExtract %u32 %x 1
        %y0 = OpCompositeExtract %u32 %y 0
        %y1 = OpCompositeExtract %u32 %y 1
        OpStore %o0 %x0
        OpStore %o1 %x1
        OpStore %o2 %y0
        OpStore %o3 %y1");
    assert_eq!(got, [5, 7, 1, 3]);
}

#[test]
fn private_variables_have_types() {
    let header = HEADER.replacen(
        "%void = OpTypeVoid",
        "OpMemberDecorate %shared_block 0 Offset 0 OpDecorate %shared_block Block %void = OpTypeVoid",
        1,
    );
    let header = header.replacen(
        "%main =",
        "%p_local = OpTypePointer Function %v2 %p_private = OpTypeUntypedPointerKHR Function %main =",
        1,
    );
    let (start, entry) = header.split_once("%entry = OpLabel").expect("a block");
    for (variable, body) in [
        ("%local = OpUntypedVariableKHR %p_private Function %v2", ""),
        (
            "%local = OpVariable %p_local Function",
            "%part = OpUntypedAccessChainKHR %p_private %v2 %local %c1 %x = OpLoad %u16 %part",
        ),
    ] {
        let text = format!("{start} %entry = OpLabel {variable} {entry} {body} OpReturn OpFunctionEnd");
        let words = asm::assemble(&text).unwrap_or_else(|error| panic!("{error}"));
        let layout = crate::support::layout(&[storage([0]), storage([0])]);
        let error = crate::support::lower(&words, &Specialization::new(), &layout, 16)
            .expect_err("it is not supported");
        assert!(matches!(error, pyro_lower::LowerError::Unsupported(_)), "{error}");
    }
}
