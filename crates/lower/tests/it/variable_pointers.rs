//! Pointers that go back: elements of `OpPtrAccessChain` below zero, constant or not, of pointers from memory
//! or of variables.

use crate::support::{Test, storage};
use pyro_shadertext::Shader;

fn module(body: &str) -> String {
    Shader::compute(
        [1, 1, 1],
        &format!(
            "%kept = OpVariable %local_p_word Function
            %p_step = OpAccessChain %p_word %data %int_0
            %step = OpLoad %int %p_step
            %first = OpAccessChain %p_word %data %int_1 %int_0
            %third = OpAccessChain %p_word %data %int_1 %int_2
            %fifth = OpAccessChain %p_word %data %int_1 %int_4
            %o0 = OpAccessChain %p_word %out %int_1 %int_0
            %o1 = OpAccessChain %p_word %out %int_1 %int_1
            %o2 = OpAccessChain %p_word %out %int_1 %int_2
            %o3 = OpAccessChain %p_word %out %int_1 %int_3
            {body}"
        ),
    )
    .version("1.4")
    .capability("VariablePointers")
    .bind(&["data", "out"])
    .interface("%data %out")
    .decorate(
        "OpDecorate %words ArrayStride 4
        OpDecorate %p_word ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpMemberDecorate %block 1 Offset 4",
    )
    .declare(
        "%words = OpTypeRuntimeArray %int
        %block = OpTypeStruct %int %words
        %p_word = OpTypePointer StorageBuffer %int
        %data = OpVariable %buffer_block StorageBuffer
        %out = OpVariable %buffer_block StorageBuffer",
    )
    .text()
}

/// The first four words of the output; the data are the word -2 and an array of 10 to 50.
fn run(body: &str) -> Vec<u32> {
    let text = module(body);
    let test =
        Test::of_text(&text, vec![storage(vec![-2_i32 as u32, 10, 20, 30, 40, 50]), storage(vec![7; 5])]);
    test.result(1)[1..].to_vec()
}

#[test]
fn elements_may_be_below_zero() {
    let got = run("
        %a = OpPtrAccessChain %p_word %third %int_m1
        %x = OpLoad %int %a
        OpStore %o0 %x
        %b = OpPtrAccessChain %p_word %fifth %step
        %y = OpLoad %int %b
        OpStore %o1 %y
        %c = OpPtrAccessChain %p_word %b %int_m1
        %z = OpLoad %int %c
        OpStore %o2 %z
        %is_same = OpPtrEqual %bool %a %c
        %same = OpSelect %int %is_same %int_1 %int_0
        OpStore %o3 %same");
    assert_eq!(got, [20, 30, 20, 1]);
}

#[test]
fn stored_variable_pointers_round_trip() {
    let got = run("
        OpStore %kept %fifth
        %p4 = OpLoad %p_word %kept
        %back = OpPtrAccessChain %p_word %p4 %int_m1
        OpStore %kept %back
        %p3 = OpLoad %p_word %kept
        %x = OpLoad %int %p3
        OpStore %o0 %x
        %further = OpPtrAccessChain %p_word %p3 %step
        OpStore %kept %further
        %p1 = OpLoad %p_word %kept
        %y = OpLoad %int %p1
        OpStore %o1 %y
        %forth = OpPtrAccessChain %p_word %p1 %int_1
        OpStore %kept %forth
        %p2 = OpLoad %p_word %kept
        %is_same = OpPtrEqual %bool %p2 %third
        %same = OpSelect %int %is_same %int_1 %int_0
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
        %x = OpLoad %int %outside
        OpStore %o0 %x
        %start = OpPtrAccessChain %p_word %p0 %int_m1
        %edge = OpPtrAccessChain %p_word %start %int_m1
        OpStore %kept %edge
        %gone = OpLoad %p_word %kept
        %y = OpLoad %int %gone
        OpStore %o1 %y
        %z = OpLoad %int %start
        OpStore %o2 %z
        %far = OpPtrAccessChain %p_word %first %step
        %w = OpLoad %int %far
        OpStore %o3 %w");
    assert_eq!(got, [0, 0, -2_i32 as u32, 0]);
}

/// Of workgroup memory without blocks the layout is ours: strides and offsets that its types have for other
/// storage classes say nothing of it, however a pointer came to be.
#[test]
fn workgroup_memory_without_blocks_is_laid_out_by_itself() {
    let text = Shader::compute(
        [1, 1, 1],
        "%o0 = OpAccessChain %buffer_uint %out %uint_0 %uint_0
        %o1 = OpAccessChain %buffer_uint %out %uint_0 %uint_1
        %o2 = OpAccessChain %buffer_uint %out %uint_0 %uint_2
        %first = OpLoad %uint %o0
        %is_odd = OpINotEqual %bool %first %uint_0
        %w0 = OpAccessChain %p_word %cells %uint_0
        %w1 = OpAccessChain %p_word %cells %uint_1
        %w2 = OpAccessChain %p_word %cells %uint_2
        OpStore %w0 %uint_3
        OpStore %w1 %uint_4
        OpStore %w2 %uint_5
        %next = OpPtrAccessChain %p_word %w0 %uint_1
        %x = OpLoad %uint %next
        OpStore %o0 %x
        %chosen = OpSelect %p_word %is_odd %w0 %w1
        %after = OpPtrAccessChain %p_word %chosen %uint_1
        %y = OpLoad %uint %after
        OpStore %o1 %y
        %p1 = OpAccessChain %p_pair %pairs %uint_1
        %p2 = OpAccessChain %p_pair %pairs %uint_2
        %m2 = OpAccessChain %p_word %pairs %uint_2 %uint_1
        OpStore %m2 %uint_6
        %either = OpSelect %p_pair %is_odd %p2 %p1
        %member = OpPtrAccessChain %p_word %either %uint_1 %uint_1
        %z = OpLoad %uint %member
        OpStore %o2 %z",
    )
    .version("1.4")
    .capability("VariablePointers")
    .buffers(&["out"])
    .interface("%cells %pairs")
    .decorate(
        "OpDecorate %array ArrayStride 16
        OpDecorate %p_word ArrayStride 8
        OpMemberDecorate %pair 0 Offset 4
        OpMemberDecorate %pair 1 Offset 16
        OpDecorate %p_pair ArrayStride 32",
    )
    .declare(
        "%array = OpTypeArray %uint %uint_4
        %pair = OpTypeStruct %uint %uint
        %array_pair = OpTypeArray %pair %uint_4
        %p_word = OpTypePointer Workgroup %uint
        %p_pair = OpTypePointer Workgroup %pair
        %cells = OpVariable %shared_array Workgroup
        %pairs = OpVariable %shared_array_pair Workgroup",
    )
    .text();
    let test = Test::of_text(&text, vec![storage(vec![0; 3])]);
    assert_eq!(test.result(0), [4, 5, 6]);
}
