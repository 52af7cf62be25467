//! Which atomic operations may wait until the invocation ends.

use pyro_spirv::{Module, Specialization, asm};

/// Two variables, `%bins` of which something is counted, and `%data` beside it.
fn module(decorations: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 4 1 1
        OpDecorate %runtime ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %bins DescriptorSet 0
        OpDecorate %data DescriptorSet 0
        OpDecorate %bins Binding 0
        {decorations}
        %void = OpTypeVoid
        %fn_void = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %acq_rel = OpConstant %uint 72
        %runtime = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %runtime
        %ptr_block = OpTypePointer StorageBuffer %block
        %ptr_uint = OpTypePointer StorageBuffer %uint
        %bins = OpVariable %ptr_block StorageBuffer
        %data = OpVariable %ptr_block StorageBuffer
        %main = OpFunction %void None %fn_void
        %entry = OpLabel
        %source = OpAccessChain %ptr_uint %data %u0 %u0
        %index = OpLoad %uint %source
        %bin = OpAccessChain %ptr_uint %bins %u0 %index
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

/// Whether the first atomic operation of the module may wait.
fn is_deferrable(decorations: &str, body: &str) -> bool {
    let words = asm::assemble(&module(decorations, body)).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::decode(&words).unwrap();
    let layout = crate::support::layout::layout_of(&module);
    let checked = crate::support::checked::check(&module, &Specialization::new()).unwrap();
    let lowered = crate::support::checked::lower_compute(&checked, &layout, 16).unwrap();
    pyro_ir::verify::verify(&lowered.function).unwrap_or_else(|errors| panic!("{errors}"));
    let text = lowered.function.to_string();
    let atomic = text.lines().find(|line| line.contains("= atomic_")).expect("there is one");
    atomic.contains(" deferrable")
}

const APART: &str = "OpDecorate %data Binding 1";
const COUNT: &str = "%old = OpAtomicIAdd %uint %bin %u1 %u0 %u1";

#[test]
fn counts_that_nobody_looks_at_may_wait() {
    assert!(is_deferrable(APART, COUNT));
    assert!(is_deferrable(APART, "%old = OpAtomicIIncrement %uint %bin %u1 %u0"));
    assert!(is_deferrable(APART, &format!("{COUNT} %more = OpAtomicISub %uint %bin %u1 %u0 %u1")));
    assert!(is_deferrable(
        APART,
        &format!("{COUNT} %length = OpArrayLength %uint %bins 0 OpStore %source %length")
    ));
    assert!(is_deferrable(APART, "%old = OpAtomicOr %uint %bin %u1 %u0 %u1"));
}

#[test]
fn what_somebody_may_look_at_does_not_wait() {
    let others = [
        "OpStore %source %old",
        "%more = OpAtomicIAdd %uint %bin %u1 %u0 %old",
        "%seen = OpLoad %uint %bin",
        "%seen = OpAtomicLoad %uint %bin %u1 %u0",
        "OpStore %bin %u1",
        "%more = OpAtomicOr %uint %bin %u1 %u0 %u1",
        "%more = OpAtomicExchange %uint %bin %u1 %u0 %u1",
        "%more = OpAtomicIAdd %uint %bin %u1 %acq_rel %u1",
        "%copy = OpCopyObject %ptr_uint %bin",
    ];
    for other in others {
        assert!(!is_deferrable(APART, &format!("{COUNT} {other}")), "{other}");
    }
    assert!(!is_deferrable(APART, "%old = OpAtomicIAdd %uint %bin %u1 %acq_rel %u1"), "an ordered operation");
    assert!(!is_deferrable(APART, "%old = OpAtomicSMax %uint %bin %u1 %u0 %u1"), "no table for maxima");
}

#[test]
fn memory_that_may_overlap_does_not_wait() {
    assert!(!is_deferrable("OpDecorate %data Binding 0", COUNT), "one binding");
    assert!(!is_deferrable("OpDecorate %data Binding 1 OpDecorate %bins Aliased", COUNT), "aliased");
}
