//! Where the system gives no executable memory, shaders are interpreted. A process of its own, since nothing
//! gives it back.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)] // asks the system for this; kernels access memory by address

use crate::support::run;
use pyro_compile::{Backend, SubgroupSize};
use pyro_test_environment::{Need, in_child, skip};

/// `prctl`'s options of Linux 6.3: no memory may become executable.
const PR_SET_MDWE: i32 = 65;
const PR_MDWE_REFUSE_EXEC_GAIN: u64 = 1;

unsafe extern "C" {
    fn prctl(option: i32, a: u64, b: u64, c: u64, d: u64) -> i32;
}

const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %in %out %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%zero = OpConstant %uint 0
%two = OpConstant %uint 2
%order = OpConstant %uint 264
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%in_ptr = OpTypePointer Input %uint3
%id = OpVariable %in_ptr Input
%in = OpVariable %block_ptr StorageBuffer
%out = OpVariable %block_ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %ids 0
%from = OpAccessChain %word_ptr %in %zero %x
%word = OpLoad %uint %from
OpControlBarrier %two %two %order
%sum = OpIAdd %uint %word %x
%to = OpAccessChain %word_ptr %out %zero %x
OpStore %to %sum
OpReturn
OpFunctionEnd";

#[test]
fn shaders_are_interpreted_without_executable_memory() {
    if !in_child(module_path!(), "shaders_are_interpreted_without_executable_memory", &[]) {
        return;
    }
    let words = pyro_spirv::asm::assemble(SHADER).expect("valid assembly");
    let (expected, _) = run(&words, SubgroupSize::Required(16), Backend::Interpreter, 0);
    assert_eq!((expected[0], expected[5]), (0, 5_u32.wrapping_mul(0x9e37_79b9).wrapping_add(5)));
    let best = Backend::best();
    if best == Backend::Interpreter {
        skip!(Need::MachineCode);
    }
    assert!(crate::support::has_code(&words, best), "with executable memory");
    // SAFETY: takes numbers, and only forbids what nobody here needs but the compiler.
    if unsafe { prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) } != 0 {
        skip!(Need::RefusedExecutableMemory);
    }
    assert!(!crate::support::has_code(&words, best), "without");
    let (found, _) = run(&words, SubgroupSize::Required(16), best, 0);
    assert_eq!(found, expected);
}
