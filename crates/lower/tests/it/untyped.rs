//! Untyped pointers: the type comes from the access, the place from the chain.

use crate::support::{OUT_WORDS, Test, storage};
use pyro_shadertext::Shader;
use pyro_spirv::{Specialization, asm};

fn module(body: &str) -> String {
    with_local("", body)
}

/// The same with a variable of the function.
fn with_local(variable: &str, body: &str) -> String {
    Shader::compute([1, 1, 1], &format!("{variable} {OUT_WORDS} {body}"))
.version("1.4")
.capability("UntypedPointersKHR Int16 StorageBuffer16BitAccess VariablePointers WorkgroupMemoryExplicitLayoutKHR")
.extension("SPV_KHR_untyped_pointers")
.extension("SPV_KHR_workgroup_memory_explicit_layout")
.block("uint", 4)
.bind(&["data", "out"])
.interface("%data %out %a %b")
.decorate(
    "OpDecorate %pairs ArrayStride 4
    OpDecorate %shared_block Block
    OpMemberDecorate %shared_block 0 Offset 0")
.declare("%pairs = OpTypeRuntimeArray %u16x2
    %p_buffer = OpTypeUntypedPointerKHR StorageBuffer
    %p_shared = OpTypeUntypedPointerKHR Workgroup
    %data = OpUntypedVariableKHR %p_buffer StorageBuffer %block
    %out = OpVariable %buffer_block StorageBuffer
    %shared_block = OpTypeStruct %uint2
    %a = OpUntypedVariableKHR %p_shared Workgroup %shared_block
    %b = OpUntypedVariableKHR %p_shared Workgroup %shared_block
    %p_private = OpTypeUntypedPointerKHR Function")
.text()
}

fn run(body: &str) -> Vec<u32> {
    let input = vec![0x0002_0001, 0x3f80_0000, 0xdead_beef, 40, 50];
    let test = Test::of_text(&module(body), vec![storage(input), storage(vec![0; 4])]);
    test.result(1)
}

#[test]
fn accesses_choose_the_type() {
    let got = run("
        %p0 = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_0
        %pair = OpLoad %u16x2 %p0
        %low = OpCompositeExtract %u16 %pair 0
        %high = OpCompositeExtract %u16 %pair 1
        %low32 = OpUConvert %uint %low
        %high32 = OpUConvert %uint %high
        OpStore %o0 %low32
        OpStore %o1 %high32
        %p1 = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_1
        %real = OpLoad %float %p1
        %number = OpConvertFToU %uint %real
        OpStore %o2 %number
        %q = OpUntypedAccessChainKHR %p_buffer %pairs %data %uint_2
        %half = OpLoad %u16 %q
        %half32 = OpUConvert %uint %half
        OpStore %o3 %half32");
    assert_eq!(got, [1, 2, 1, 0xbeef]);
}

#[test]
fn copies_take_the_typed_pointer_s_type() {
    let got = run("
        %p3 = OpUntypedAccessChainKHR %p_buffer %pairs %data %uint_3
        OpCopyMemory %o0 %p3
        %p4 = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_4
        OpCopyMemorySized %o1 %p4 %uint_4
        %length = OpUntypedArrayLengthKHR %uint %block %data 0
        OpStore %o2 %length
        %outside = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_7
        %zero = OpLoad %uint %outside
        OpStore %o3 %zero");
    assert_eq!(got, [40, 50, 5, 0]);
}

#[test]
fn differences_are_in_bytes() {
    let got = run("
        %p1 = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_1
        %p4 = OpUntypedAccessChainKHR %p_buffer %block %data %uint_0 %uint_4
        %bytes = OpPtrDiff %uint %p4 %p1
        OpStore %o0 %bytes
        %next = OpUntypedPtrAccessChainKHR %p_buffer %words %p1 %uint_3
        %same = OpPtrEqual %bool %next %p4
        %one = OpSelect %uint %same %uint_1 %uint_0
        OpStore %o1 %one
        %other = OpPtrNotEqual %bool %p1 %p4
        %two = OpSelect %uint %other %uint_2 %uint_0
        OpStore %o2 %two
        %last = OpLoad %uint %next
        OpStore %o3 %last");
    assert_eq!(got, [12, 1, 2, 50]);
}

#[test]
fn workgroup_variables_lie_apart() {
    let got = run("
        %v57 = OpCompositeConstruct %uint2 %uint_5 %uint_7
        %v13 = OpCompositeConstruct %uint2 %uint_1 %uint_3
        OpStore %a %v57
        OpStore %b %v13
        %x = OpLoad %uint2 %a
        %y = OpLoad %uint2 %b
        %x0 = OpCompositeExtract %uint %x 0
        %x1 = OpCompositeExtract %uint %x 1
        %y0 = OpCompositeExtract %uint %y 0
        %y1 = OpCompositeExtract %uint %y 1
        OpStore %o0 %x0
        OpStore %o1 %x1
        OpStore %o2 %y0
        OpStore %o3 %y1");
    assert_eq!(got, [5, 7, 1, 3]);
}

#[test]
fn private_variables_have_types() {
    for (variable, body) in [
        ("%local = OpUntypedVariableKHR %p_private Function %uint2", ""),
        (
            "%local = OpVariable %local_uint2 Function",
            "%part = OpUntypedAccessChainKHR %p_private %uint2 %local %uint_1 %x = OpLoad %u16 %part",
        ),
    ] {
        let words = asm::assemble(&with_local(variable, body)).unwrap_or_else(|error| panic!("{error}"));
        let layout = crate::support::layout(&[storage([0]), storage([0])]);
        let error = crate::support::lower(&words, &Specialization::new(), &layout, 16)
            .expect_err("it is not supported");
        assert!(error.kind == pyro_lower::ErrorKind::Unsupported, "{error}");
    }
}
